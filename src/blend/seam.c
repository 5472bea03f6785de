/* seam.c - the frames that lead from one clip to another: Kovar & Gleicher 2003, 6.1. A
   registration curve is made of what lies around the two frames, time flows along it to both sides,
   and frames are placed from the centre outwards. */
#include "blend/seam.h"
#include "base/fail.h"
#include "blend/cut_search.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

/* ---- its frames in time ---------------------------------------------------------------------- */

/* From the centre, time flows along the curve to both sides at the pace of the motion that has the
   weight. Then the times are displaced a little, so that the first frame is a whole frame of the
   first motion and the last one of the second. The displacement goes smoothly from what one end
   needs to what the other needs, so the pace does not change at the ends, and of the whole frames
   next to the ends those are taken that need the least change of pace. */

/* 0 .. 1, with no slope at both ends. */
static double ease(double x)
{
    return x * x * (3 - 2 * x);
}

/* Frames that the curve has room for on one side of the centre, at most half; up to half a frame
   may be missing. */
static int flow(const marey_registration *registration, mry_seam_times *times, int half, int way)
{
    for (int n = 0; n < half; n++) {
        int from = half + way * n, to = from + way;
        const double *w = times->weights + 2 * from, *v = times->weights + 2 * to;
        double left, slopes[2], pace = 0;
        times->u[to] = mry_blend_advance_by(registration, times->u[from], w, v, way, &left);
        if (left == 0) continue;
        /* Where the curve ends, time goes on at the same pace: whole frames are found for the ends
           anyway. */
        marey_registration_times(registration, times->u[to], NULL, slopes);
        for (int j = 0; j < 2; j++) pace += v[j] / fmax(slopes[j], 1e-9);
        times->u[to] += left * pace;
        return fabs(left) > 0.5 ? n : n + 1;
    }
    return half;
}

/* The whole rows of a motion around u that the curve reaches, as places on the curve. */
static int whole_rows(const marey_registration *registration, int motion, double u, int *rows,
                      double *at)
{
    double first, last, low[2], high[2], here[2];
    int count = 0;
    marey_registration_range(registration, &first, &last);
    marey_registration_times(registration, first, low, NULL);
    marey_registration_times(registration, last, high, NULL);
    marey_registration_times(registration, u, here, NULL);
    double near = round(here[motion]);
    for (int n = -1; n <= 1; n++) {
        double row = near + n;
        if (row < low[motion] - 1e-6 || row > high[motion] + 1e-6) continue;
        if (fabs(row - here[motion]) > 1) continue;
        rows[count] = (int)row;
        at[count++] = marey_registration_find(registration, motion, row);
    }
    return count;
}

/* The displacement at frame i of 2 half + 1. */
static double displacement(double first, double last, int i, int half)
{
    return first + (last - first) * ease(i / (2.0 * half));
}

/* false: no whole frames at the ends leave time running forwards. */
static bool displace(const marey_registration *registration, mry_seam_times *times, int half)
{
    int rows[2][3], count[2];
    double at[2][3], best = INFINITY, by[2] = { 0, 0 }, *u = times->u;
    count[0] = whole_rows(registration, 0, u[0], rows[0], at[0]);
    count[1] = whole_rows(registration, 1, u[2 * half], rows[1], at[1]);
    for (int n = 0; n < count[0]; n++) {
        for (int m = 0; m < count[1]; m++) {
            double first = at[0][n] - u[0], last = at[1][m] - u[2 * half];
            /* first of all little change of pace; the centre should stay where it is, too */
            double bad = fabs(last - first) + 0.2 * (fabs(first) + fabs(last));
            if (bad >= best) continue;
            /* Does time still run forwards everywhere, at no less than a fifth of its pace? */
            bool runs = true;
            double before = first;
            for (int i = 0; i < 2 * half && runs; i++) {
                double behind = displacement(first, last, i + 1, half), step = u[i + 1] - u[i];
                runs = step + behind - before >= 0.2 * step;
                before = behind;
            }
            if (!runs) continue;
            best = bad;
            by[0] = first;
            by[1] = last;
            times->ends[0] = rows[0][n];
            times->ends[1] = rows[1][m];
        }
    }
    if (isinf(best)) return false;
    for (int i = 0; i <= 2 * half; i++) u[i] += displacement(by[0], by[1], i, half);
    return true;
}

void mry_seam_times_find(const marey_registration *registration, mry_seam_times *times)
{
    double middle = 0;
    for (int j = 0; j < 2; j++)
        middle += marey_registration_find(registration, j, times->centre[j]) / 2;
    for (int half = times->half; half > 0;) {
        times->u[half] = middle;
        for (int i = 0; i <= 2 * half; i++) {
            double second = ease(i / (2.0 * half));
            times->weights[2 * i] = 1 - second;
            times->weights[2 * i + 1] = second;
        }
        int before = flow(registration, times, half, -1),
            after = flow(registration, times, half, 1);
        int room = before < after ? before : after;
        if (room == half && displace(registration, times, half)) {
            times->half = half;
            return;
        }
        half = room < half ? room : half - 1;
    }
    times->half = 0;
}

/* ---- turns of more than half a round --------------------------------------------------------- */

/* Two orientations are mixed along the shorter way between them. Where they are half a turn apart
   the other way becomes the shorter one from one frame to the next, and the joint jumps: fingers
   and wrists of captured hands are often that far apart. So the way is chosen at the centre,
   followed from frame to frame, and kept where it has become the longer one. */

/* Joints of a made run of two motions that changed the way they are mixed get back to the one they
   have at run->fixed. false: out of memory. */
static bool keep_turning(const mry_blend_run *run, const mry_trunk *body, marey_clip *made)
{
    mry_arena tmp = mry_arena_make(made->mem.ctx);
    int joints = made->skeleton.joint_count;
    const marey_clip *clips[2];
    double per_row[2], rows[2], *places = MRY_NEW_RAW(&tmp, double, 3 * made->mover_count);
    float *turns[2]; /* of both motions in the frame in hand */
    for (int side = 0; side < 2; side++) {
        clips[side] = marey_registration_clip(run->of, side);
        per_row[side] = mry_frames_per_row(clips[side], marey_registration_fps(run->of));
        turns[side] = MRY_NEW_RAW(&tmp, float, 4 * joints);
    }
    /* The turn from one to the other in the frame before, of each joint. */
    float *before = MRY_NEW_RAW(&tmp, float, 4 * joints);
    bool room = turns[0] && turns[1] && places && before;
    for (int step = -1; step <= 1 && room; step += 2) {
        for (int f = run->fixed; f >= 0 && f < run->count; f += step) {
            marey_registration_times(run->of, run->u[f], rows, NULL);
            for (int side = 0; side < 2; side++)
                mry_pose_sample(body, clips[side], rows[side] * per_row[side], places, turns[side]);
            for (int j = 1; j < joints; j++) {
                float way[4], *last = before + 4 * j;
                const float *from = turns[0] + 4 * j;
                mry_quat_between(from, turns[1] + 4 * j, way);
                bool turned = f == run->fixed ? way[0] < 0 : mry_quat_dot(way, last) < 0;
                for (int i = 0; i < 4; i++) last[i] = turned ? -way[i] : way[i];
                /* from * last^share, where its half angle is more than a quarter turn. */
                double x = last[1], y = last[2], z = last[3], sine = sqrt(x * x + y * y + z * z);
                if (!(last[0] < 0) || j == body->pelvis || sine < 1e-6) continue;
                double angle = run->weights[2 * f + 1] * atan2(sine, last[0]);
                double scale = sin(angle) / sine;
                float part[4] = { (float)cos(angle), (float)(scale * x), (float)(scale * y),
                                  (float)(scale * z) };
                mry_quat_multiply(from, part, mry_turn(made, f) + 4 * j);
                mry_quat_normalize(mry_turn(made, f) + 4 * j);
            }
        }
    }
    mry_arena_free(&tmp);
    return room;
}

void mry_seam_copy(const mry_trunk *body, const marey_clip *clip, int frame, mry_floor move,
                   marey_clip *made, int at)
{
    float *turns = mry_turn(made, at);
    double *places = mry_place(made, at);
    memcpy(turns, mry_turn(clip, frame), 4 * (size_t)clip->skeleton.joint_count * sizeof *turns);
    memcpy(places, mry_place(clip, frame), 3 * (size_t)clip->mover_count * sizeof *places);
    if (move.angle != 0 || move.x != 0 || move.z != 0)
        mry_pose_move(body, move, places, turns);
    else
        mry_carrier_hold(&body->carrier, made, places, turns);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* SPARE: frames more than a transition can use up, so that it does not end where the curve does. */
enum { DEFAULT_SLOPE = 2, SPARE = 8 };

typedef struct builder {
    marey_ctx *ctx;
    mry_arena tmp;
    const mry_seam_ends *ends;
    marey_transition_def def; /* every default filled in */
    int start[2];             /* frames of the clips from which on they are registered */
    marey_clip *parts[2];
    marey_contacts plants[2]; /* of the parts */
    mry_floor laid;           /* linear: how the second part was moved */
    marey_registration *curve;
    mry_seam_times times;
    mry_blend_run run;
    mry_seam made;
} builder;

static marey_status no_room(const builder *s, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_REQUEST, s->ends->clips[0]->name,
                    "there is no room for a transition at frame %d of it and %d of %s: both need "
                    "captured frames before and behind",
                    s->ends->centre[0], s->ends->centre[1], s->ends->clips[1]->name);
}

/* As many frames to both sides as the faster motion can use up, and what windows look at; not
   across marked frames. */
static marey_status take_parts(builder *s, marey_error *error)
{
    int reach = s->def.half * (s->def.slope + 1) + MAREY_MOST_WINDOW;
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = s->ends->clips[side];
        int at = s->ends->centre[side], start = at, end = at + 1;
        while (start > 0 && at - start < reach && !mry_clip_is_marked(clip, start - 1)) start--;
        while (end < clip->frames && end - 1 - at < reach && !mry_clip_is_marked(clip, end)) end++;
        s->start[side] = start;
        if (at == start || at + 1 == end) return no_room(s, error);
        marey_status status = marey_clip_trim(clip, start, end, &s->parts[side], error);
        if (status) return status;
        s->plants[side].ctx = s->ctx;
        if (!mry_seam_take_plants(s->ends->plants[side], start, end, 0, &s->plants[side]))
            return mry_fail_memory(error, NULL);
    }
    return MAREY_OK;
}

static marey_status register_parts(builder *s, bool straight, marey_error *error)
{
    mry_seam_path_def way = { .clips = { s->parts[0], s->parts[1] },
                              .centre = { s->ends->centre[0] - s->start[0],
                                          s->ends->centre[1] - s->start[1] },
                              .metric = s->def.metric,
                              .slope = s->def.slope,
                              .reach = s->def.half * (s->def.slope + 2) + SPARE };
    marey_path paths[2] = { { 0 }, { 0 } };
    marey_registration_def def = { .metric = s->def.metric,
                                   .slope = s->def.slope,
                                   .reference = 1,
                                   .centres = way.centre,
                                   .paths = paths };
    marey_registration_free(s->curve);
    s->curve = NULL;
    if (straight)
        return mry_blend_straight(s->ctx, way.clips, 2, s->plants, way.centre, &s->curve, error);
    marey_status status = mry_seam_path_find(&s->tmp, &way, &paths[1], error);
    if (status) return status;
    return marey_registration_build(s->ctx, way.clips, 2, s->plants, &def, &s->curve, error);
}

static marey_status find_times(builder *s, marey_error *error)
{
    int most = 2 * s->def.half + 1;
    s->times.half = s->def.half;
    for (int side = 0; side < 2; side++)
        s->times.centre[side] = s->ends->centre[side] - s->start[side];
    s->times.u = MRY_NEW_RAW(&s->tmp, double, most);
    s->times.weights = MRY_NEW_RAW(&s->tmp, double, 2 * most);
    s->run.places = MRY_NEW_RAW(&s->tmp, mry_floor, most);
    if (!s->times.u || !s->times.weights || !s->run.places) return mry_fail_memory(error, NULL);
    mry_seam_times_find(s->curve, &s->times);
    if (s->times.half == 0) { /* a frame from the end of a clip, a curve may have no room to bend */
        marey_status status = register_parts(s, true, error);
        if (status) return status;
        s->times.half = s->def.half;
        mry_seam_times_find(s->curve, &s->times);
    }
    if (s->times.half == 0) return no_room(s, error);
    s->made.half = s->times.half;
    for (int side = 0; side < 2; side++) s->made.from[side] = s->start[side] + s->times.ends[side];
    return MAREY_OK;
}

static mry_floor place_at(const builder *s, int motion, int frame)
{
    return mry_floor_times(s->run.places[frame],
                           mry_blend_floor(s->curve, motion, s->run.u[frame]));
}

/* Placed from the centre, then once more from where the centre must be for the first clip to stay
   where it is. */
static bool make_frames(builder *s)
{
    int half = s->times.half, count = 2 * half + 1;
    s->run = (mry_blend_run){ .of = s->curve,
                              .method = s->def.method,
                              .count = count,
                              .u = s->times.u,
                              .weights = s->times.weights,
                              .fixed = half,
                              .places = s->run.places };
    s->made.frames = mry_clip_make_like(s->ends->clips[0], count, s->ends->clips[0]->fps);
    if (!s->made.frames || !mry_blend_frames(&s->run, s->made.frames, 0)) return false;
    if (s->def.method == MAREY_BLEND_LINEAR) {
        s->made.behind = s->laid;
    } else {
        s->run.place = mry_floor_times(mry_floor_back(place_at(s, 0, 0)), s->run.place);
        if (!mry_blend_frames(&s->run, s->made.frames, 0)) return false;
        s->made.behind = place_at(s, 1, count - 1);
    }
    if (!keep_turning(&s->run, &s->made.body, s->made.frames)) return false;
    mry_floor here = { 0, 0, 0 }; /* the ends are frames of the clips to the last bit */
    const mry_trunk *body = &s->made.body;
    mry_seam_copy(body, s->ends->clips[0], s->made.from[0], here, s->made.frames, 0);
    mry_seam_copy(body, s->ends->clips[1], s->made.from[1], s->made.behind, s->made.frames,
                  count - 1);
    s->made.plants.ctx = s->ctx;
    return mry_blend_constraints(&s->run, 0, &s->made.plants);
}

marey_status mry_seam_build(marey_ctx *ctx, const mry_seam_ends *ends,
                            const marey_transition_def *def, mry_seam *out, marey_error *error)
{
    builder s = { .ctx = ctx, .tmp = mry_arena_make(ctx), .ends = ends, .def = *def };
    s.made.body = mry_trunk_find(ends->clips, 2);
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = ends->clips[side];
        int frame = ends->centre[side];
        if (frame < 0 || frame >= clip->frames)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "frame %d is not in this clip, which has 0-%d", frame,
                            clip->frames - 1);
        if (mry_clip_is_marked(clip, frame))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "frame %d is no captured motion: a transition cannot go through it",
                            frame);
    }
    const char *name = ends->clips[0]->name;
    marey_status status = mry_cut_half(ends->clips[0], s.def.half, &s.def.half, error);
    if (status) return status;
    if (s.def.slope == 0) s.def.slope = DEFAULT_SLOPE;
    if (s.def.slope < 1 || s.def.slope > 8)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "slope limit must be 1 to 8, got %d",
                        s.def.slope);
    if ((int)s.def.method < 0 || s.def.method >= MAREY_BLEND_METHOD_COUNT)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "there is no such way to blend");
    status = take_parts(&s, error);
    bool straight = s.def.method != MAREY_BLEND_REGISTERED;
    if (!status) status = register_parts(&s, straight, error);
    if (!status && s.def.method == MAREY_BLEND_LINEAR) {
        /* Linear blending mixes places in the world: the second clip is laid on the first once, at
           the centre. */
        double u = marey_registration_find(s.curve, 0, s.ends->centre[0] - s.start[0]);
        marey_clip *part = s.parts[1];
        s.laid = mry_blend_floor(s.curve, 1, u);
        for (int f = 0; f < part->frames; f++)
            mry_pose_move(&s.made.body, s.laid, mry_place(part, f), mry_turn(part, f));
        status = register_parts(&s, true, error);
    }
    if (!status) status = find_times(&s, error);
    if (!status && !make_frames(&s))
        status = mry_cancelled(ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, NULL);
    marey_registration_free(s.curve);
    for (int side = 0; side < 2; side++) {
        marey_clip_free(s.parts[side]);
        marey_contacts_free(&s.plants[side]);
    }
    mry_arena_free(&s.tmp);
    if (status) {
        mry_seam_free(&s.made);
        return status;
    }
    *out = s.made;
    return MAREY_OK;
}

void mry_seam_free(mry_seam *seam)
{
    marey_clip_free(seam->frames);
    marey_contacts_free(&seam->plants);
    *seam = (mry_seam){ 0 };
}
