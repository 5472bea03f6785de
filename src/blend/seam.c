/* seam.c - the frames that lead from one clip to another: Kovar & Gleicher 2003, 6.1. A registration curve is made of what
   lies around the two frames, time flows along it to both sides, and frames are placed from the centre outwards. */
#include "blend/seam.h"
#include "base/fail.h"
#include "blend/cut_search.h"

#include <stdlib.h>
#include <string.h>

/* SPARE: frames more than a transition can use up, so that it does not end where the curve does. */
enum { DEFAULT_SLOPE = 2, SPARE = 8 };

typedef struct builder {
    marey_ctx *ctx;
    mry_arena tmp;
    const mry_seam_ends *ends;
    marey_transition_def def; /* every default filled in */
    int start[2], end[2];     /* frames of the clips that are registered */
    marey_clip *parts[2];
    marey_contacts plants[2]; /* of the parts */
    mry_floor laid;           /* linear: how the second part was moved */
    marey_registration *curve;
    mry_seam_times times;
    mry_blend_run run;
    mry_seam made;
} builder;

/* ---- what is asked for --------------------------------------------------------------------------------- */

static marey_status check_frame(const marey_clip *clip, int frame, marey_error *error)
{
    if (frame < 0 || frame >= clip->frames)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "frame %d is not in this clip, which has 0-%d", frame, clip->frames - 1);
    if (mry_clip_is_marked(clip, frame))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "frame %d is no captured motion: a transition cannot go through it", frame);
    return MAREY_OK;
}

static marey_status settle(builder *s, marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        marey_status status = check_frame(s->ends->clips[side], s->ends->centre[side], error);
        if (status) return status;
    }
    const char *name = s->ends->clips[0]->name;
    marey_status status = mry_cut_half(s->ends->clips[0], s->def.half, &s->def.half, error);
    if (status) return status;
    if (s->def.slope == 0) s->def.slope = DEFAULT_SLOPE;
    if (s->def.slope < 1 || s->def.slope > 8)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "the slope limit is 1 to 8, not %d",
                        s->def.slope);
    if ((int)s->def.method < 0 || s->def.method >= MAREY_BLEND_METHOD_COUNT)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "there is no such way to blend");
    return MAREY_OK;
}

/* ---- what is registered ----------------------------------------------------------------------------------- */

/* As many frames to both sides as the faster motion can use up, and what windows look at; not across marked frames. */
static void choose_parts(builder *s)
{
    int reach = s->def.half * (s->def.slope + 1) + MAREY_MOST_WINDOW;
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = s->ends->clips[side];
        int at = s->ends->centre[side], first = at, last = at;
        while (first > 0 && at - first < reach && !mry_clip_is_marked(clip, first - 1)) first--;
        while (last + 1 < clip->frames && last - at < reach && !mry_clip_is_marked(clip, last + 1))
            last++;
        s->start[side] = first;
        s->end[side] = last + 1;
    }
}

static marey_status no_room(const builder *s, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_REQUEST, s->ends->clips[0]->name,
                    "there is no room for a transition at frame %d of it and %d of %s: both need "
                    "captured frames before and behind",
                    s->ends->centre[0], s->ends->centre[1], s->ends->clips[1]->name);
}

static marey_status take_parts(builder *s, marey_error *error)
{
    choose_parts(s);
    for (int side = 0; side < 2; side++) {
        int at = s->ends->centre[side], start = s->start[side], end = s->end[side];
        if (at == start || at + 1 == end) return no_room(s, error);
        marey_status status =
            marey_clip_trim(s->ends->clips[side], start, end, &s->parts[side], error);
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

/* Linear blending mixes places in the world: the second clip is laid on the first once, at the centre. */
static marey_status lay(builder *s, marey_error *error)
{
    double u = marey_registration_find(s->curve, 0, s->ends->centre[0] - s->start[0]);
    marey_clip *part = s->parts[1];
    s->laid = mry_blend_floor(s->curve, 1, u);
    for (int f = 0; f < part->frames; f++)
        mry_pose_move(&s->made.body, s->laid, mry_place(part, f), mry_turn(part, f));
    return register_parts(s, true, error);
}

/* ---- the frames ------------------------------------------------------------------------------------------- */

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

/* Placed from the centre, then once more from where the centre must be for the first clip to stay where it is. */
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
    if (!mry_seam_keep_turning(&s->run, &s->made.body, s->made.frames)) return false;
    mry_floor here = { 0, 0, 0 }; /* the ends are frames of the clips to the last bit */
    const mry_trunk *body = &s->made.body;
    mry_seam_copy(body, s->ends->clips[0], s->made.from[0], here, s->made.frames, 0);
    mry_seam_copy(body, s->ends->clips[1], s->made.from[1], s->made.behind, s->made.frames,
                  count - 1);
    s->made.plants.ctx = s->ctx;
    return mry_blend_constraints(&s->run, 0, &s->made.plants);
}

static marey_status build(builder *s, marey_error *error)
{
    s->made.body = mry_trunk_find(s->ends->clips, 2);
    marey_status status = settle(s, error);
    if (!status) status = take_parts(s, error);
    bool straight = s->def.method != MAREY_BLEND_REGISTERED;
    if (!status) status = register_parts(s, straight, error);
    if (!status && s->def.method == MAREY_BLEND_LINEAR) status = lay(s, error);
    if (!status) status = find_times(s, error);
    if (status || make_frames(s)) return status;
    return mry_cancelled(s->ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, NULL);
}

marey_status mry_seam_build(marey_ctx *ctx, const mry_seam_ends *ends,
                            const marey_transition_def *def, mry_seam *out, marey_error *error)
{
    builder s = { .ctx = ctx, .tmp = mry_arena_make(ctx), .ends = ends, .def = *def };
    marey_status status = build(&s, error);
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
