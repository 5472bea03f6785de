/* stitch.c - cut and smooth: the simplest way to go from one clip to another at a similar pair of
   frames (Guan & Yang, 4.3). Linear interpolation over the seam distributes the jump that is
   left. */
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/clip_data.h"

#include <marey/blend.h>

#include <string.h>

enum { MOST_SMOOTH = 100000 };

typedef struct stitch {
    const marey_clip *a, *b;
    int i, j;
    int before, after; /* frames that are mixed, on both sides of the seam */
    mry_rigid move;    /* of the second clip */
    mry_trunk body;    /* of the first clip and of what is made */
    mry_trunk other;   /* of the second; its root stays where the first one's does */
    double *places;    /* one frame of the second clip, moved */
    float *turns;
    marey_clip *made;
} stitch;

/* `share` of the way from the first clip's frame, which is there, to the moved frame of the second.
   Joints are mixed one by one, but for the pelvis, which is mixed in the world: it would swing
   about a root that is far from the body. The root follows, so that the pelvis is where it should
   be. */
static void mix_frame(const stitch *s, int at, double share)
{
    double *places = mry_place(s->made, at);
    float *turns = mry_turn(s->made, at);
    mry_rigid from = mry_pose_pelvis(&s->body, places, turns);
    mry_rigid to = mry_pose_pelvis(&s->other, s->places, s->turns);
    for (int n = 0; n < 3 * s->a->mover_count; n++)
        places[n] = places[n] + share * (s->places[n] - places[n]);
    for (int k = 0; k < s->a->skeleton.joint_count; k++)
        mry_quat_slerp(turns + 4 * k, s->turns + 4 * k, (float)share, turns + 4 * k);
    if (s->body.still_root) { /* below it the pelvis was mixed in the world already */
        memcpy(turns, s->body.carrier.turn, sizeof s->body.carrier.turn);
        return;
    }
    mry_rot one = from.turn, two = to.turn;
    float q[4] = { (float)one.w, (float)one.x, (float)one.y, (float)one.z };
    float goal[4] = { (float)two.w, (float)two.x, (float)two.y, (float)two.z };
    mry_quat_slerp(q, goal, (float)share, q);
    mry_vec way = mry_vec_scale(mry_vec_sub(to.shift, from.shift), share);
    mry_rigid mixed = { { q[0], q[1], q[2], q[3] }, mry_vec_add(from.shift, way) };
    mry_pose_set_pelvis(&s->body, mixed, places, turns);
}

static void copy_frame(const stitch *s, int at, const double *places, const float *turns)
{
    memcpy(mry_place(s->made, at), places, 3 * (size_t)s->a->mover_count * sizeof *places);
    memcpy(mry_turn(s->made, at), turns, 4 * (size_t)s->a->skeleton.joint_count * sizeof *turns);
    mry_carrier_hold(&s->body.carrier, s->made, mry_place(s->made, at), mry_turn(s->made, at));
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static marey_status build(stitch *s, const marey_stitch_def *def, marey_error *error)
{
    const char *name = s->a->name;
    int64_t frames = (int64_t)s->i + s->b->frames - s->j;
    if (frames > MRY_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, name, "the made clip would have %lld frames",
                        (long long)frames);
    /* Half of the mixed frames before the seam; where one side of a clip is too short the other
       side takes more. */
    int count = def->smooth_frames, most_before = smaller(s->i, s->j);
    int most_after = smaller(s->a->frames - s->i, s->b->frames - s->j);
    s->before = smaller(count / 2, most_before);
    s->after = smaller(count - s->before, most_after);
    s->before = smaller(count - s->after, most_before);
    s->body = mry_trunk_find((const marey_clip *[]){ s->a, s->b }, 2);
    s->other = s->body;
    s->other.clip = s->b;
    /* M_a M_b^-1, or what of it happens on the floor. */
    mry_rigid from = mry_pose_pelvis(&s->body, mry_place(s->a, s->i), mry_turn(s->a, s->i));
    mry_rigid to = mry_pose_pelvis(&s->other, mry_place(s->b, s->j), mry_turn(s->b, s->j)), move;
    move.turn = mry_rot_times(from.turn, mry_rot_back(to.turn));
    if (!def->full) { /* the part of the rotation that is about the vertical */
        mry_rot q = move.turn;
        double length = sqrt(q.w * q.w + q.y * q.y);
        move.turn =
            length < 1e-9 ? (mry_rot){ 1, 0, 0, 0 } : (mry_rot){ q.w / length, 0, q.y / length, 0 };
    }
    move.shift = mry_vec_sub(from.shift, mry_rot_apply(move.turn, to.shift));
    if (!def->full) move.shift.y = 0;
    s->move = move;
    mry_arena tmp = mry_arena_make(s->a->mem.ctx);
    s->places = MRY_NEW_RAW(&tmp, double, 3 * s->b->mover_count);
    s->turns = MRY_NEW_RAW(&tmp, float, 4 * s->b->skeleton.joint_count);
    s->made = mry_clip_make_like(s->a, (int)frames, s->a->fps);
    bool room = s->places && s->turns && s->made && mry_marks_carry(s->a, 0, s->i, 0, s->made) &&
                mry_marks_carry(s->b, s->j, s->b->frames, s->i, s->made);
    if (room) {
        s->made->source.frame_time = s->a->source.frame_time;
        int mixed = s->before + s->after;
        size_t joints = (size_t)s->b->skeleton.joint_count, movers = (size_t)s->b->mover_count;
        for (int at = 0; at < s->made->frames; at++) {
            int from_seam = at - s->i;
            if (from_seam < s->after) copy_frame(s, at, mry_place(s->a, at), mry_turn(s->a, at));
            if (from_seam < -s->before) continue;
            /* The frame of the second clip where it goes. */
            memcpy(s->turns, mry_turn(s->b, s->j + from_seam), 4 * joints * sizeof *s->turns);
            memcpy(s->places, mry_place(s->b, s->j + from_seam), 3 * movers * sizeof *s->places);
            mry_pose_carry(&s->other, s->move, s->places, s->turns);
            if (from_seam < s->after) {
                mix_frame(s, at, (from_seam + s->before + 1.0) / (mixed + 1));
            } else {
                copy_frame(s, at, s->places, s->turns);
            }
        }
    }
    mry_arena_free(&tmp);
    return room ? MAREY_OK : mry_fail_memory(error, name);
}

marey_status marey_clip_stitch(const marey_clip *a, int i, const marey_clip *b, int j,
                               const marey_stitch_def *def, marey_clip **out, marey_error *error)
{
    marey_stitch_def whole = def ? *def : (marey_stitch_def){ 0 };
    marey_clip *resampled = NULL;
    marey_status status = mry_clip_check_joints(a, b, error);
    if (status) return status;
    if (i < 0 || i >= a->frames || j < 0 || j >= b->frames) {
        bool first = i < 0 || i >= a->frames;
        return mry_fail(error, MAREY_ERR_REQUEST, first ? a->name : b->name,
                        "frame %d is not in this clip, which has 0-%d", first ? i : j,
                        (first ? a : b)->frames - 1);
    }
    if (whole.smooth_frames < 0 || whole.smooth_frames > MOST_SMOOTH)
        return mry_fail(error, MAREY_ERR_REQUEST, a->name,
                        "smoothing must be 0 to %d frames, got %d", MOST_SMOOTH,
                        whole.smooth_frames);
    if (fabs(b->fps / a->fps - 1) > 1e-6)
        status = marey_clip_resample(b, a->fps, &resampled, error);
    if (status) return status;
    if (resampled) j = smaller((int)lround(j * a->fps / b->fps), resampled->frames - 1);
    stitch s = { .a = a, .b = resampled ? resampled : b, .i = i, .j = j };
    status = build(&s, &whole, error);
    marey_clip_free(resampled);
    if (status) {
        marey_clip_free(s.made);
        return status;
    }
    *out = s.made;
    return MAREY_OK;
}

/* ---- without marked frames ------------------------------------------------------------------ */

/* A clip without the frames that are no captured motion. What is made of clips leaves those out. */

enum { MOST_PIECES = 64 };

marey_status marey_clip_unmarked(const marey_clip *clip, int *frame, marey_clip **out,
                                 marey_error *error)
{
    marey_clip *pieces[MOST_PIECES];
    int count = 0, dropped = 0, last = 0, frames = marey_clip_frames(clip), mark_count;
    const marey_mark *marks = marey_clip_marks(clip, &mark_count);
    marey_status status = MAREY_OK;
    for (int at = 0, end = 0; status == MAREY_OK; at = end) {
        /* The next run of unmarked frames: [at, end). */
        for (bool moved = true; moved;) {
            moved = false;
            end = frames;
            for (int i = 0; i < mark_count; i++) {
                if (at >= marks[i].start && at < marks[i].end) {
                    at = marks[i].end;
                    moved = true;
                } else if (marks[i].start > at && marks[i].start < end) {
                    end = marks[i].start;
                }
            }
        }
        if (at >= frames) break;
        /* Frames before `frame` that are left out, of those between the run before and this one. */
        if (frame && last < *frame) dropped += (at < *frame ? at : *frame) - last;
        last = end;
        if (count == MOST_PIECES) {
            status = mry_fail(error, MAREY_ERR_LIMIT, NULL,
                              "the clip would be made of more than %d pieces between frames that "
                              "are no captured motion",
                              (int)MOST_PIECES);
        }
        if (status == MAREY_OK) status = marey_clip_trim(clip, at, end, &pieces[count], error);
        if (status == MAREY_OK) count++;
    }
    if (status == MAREY_OK && count == 1) {
        *out = pieces[--count];
    } else if (status == MAREY_OK && count == 0) {
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                          "no frame of the clip would be captured motion");
    } else if (status == MAREY_OK) {
        status =
            marey_clip_concatenate((const marey_clip *const *)pieces, count, false, out, error);
    }
    for (int i = 0; i < count; i++) marey_clip_free(pieces[i]);
    if (status == MAREY_OK && frame) {
        int most = marey_clip_frames(*out) - 1; /* behind the last run no other frame comes */
        *frame = *frame - dropped < most ? *frame - dropped : most;
    }
    return status;
}
