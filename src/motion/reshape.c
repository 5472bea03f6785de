/* reshape.c - in place, scaled, or said in other units and axes. */
#include "base/fail.h"
#include "motion/axes.h"
#include "motion/carrier.h"
#include "motion/clip_data.h"

/* A copy of every track and mark, without the file's own numbers. */
static marey_clip *copy_motion(const marey_clip *clip)
{
    marey_clip *made = mry_clip_make_like(clip, clip->frames, clip->fps);
    if (!made) return NULL;
    mry_clip_copy_frames(made, 0, clip, 0, clip->frames);
    made->source.frame_time = clip->source.frame_time;
    if (mry_clip_copy_marks(made, clip)) return made;
    marey_clip_free(made);
    return NULL;
}

marey_status marey_clip_in_place(const marey_clip *clip, marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    double *pose = MRY_NEW_RAW(&tmp, double, 3 * (size_t)clip->skeleton.joint_count);
    marey_clip *made = pose ? copy_motion(clip) : NULL;
    if (!made) {
        mry_arena_free(&tmp);
        return mry_fail_memory(error, clip->name);
    }
    int first = mry_clip_first_captured(clip);
    /* What the body hangs on; files with a root at the origin have it further down. */
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    const double *body = pose + 3 * (hips < 0 ? 0 : hips);
    const mry_carrier carrier = mry_carrier_find(&clip, 1);
    marey_clip_positions(clip, first, 1, pose);
    double x = body[0], z = body[2];
    for (int f = 0; f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue; /* no captured motion: it stays recognisable */
        marey_clip_positions(clip, f, 1, pose);
        double *at = mry_place(made, f) + 3 * clip->slot[carrier.joint];
        mry_carrier_out(&carrier, at, NULL);
        at[0] -= body[0] - x;
        at[2] -= body[2] - z;
        mry_carrier_in(&carrier, at, NULL);
    }
    mry_arena_free(&tmp);
    *out = made;
    return MAREY_OK;
}

marey_status marey_clip_scale(const marey_clip *clip, double factor, marey_clip **out,
                              marey_error *error)
{
    if (!(factor >= 1e-3 && factor <= 1e3)) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "scale must be 0.001 to 1000, got %g",
                        factor);
    }
    marey_clip *made = copy_motion(clip);
    if (!made) return mry_fail_memory(error, clip->name);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        for (int i = 0; i < 3; i++) {
            made->joints[j].offset_cm[i] *= factor;
            made->joints[j].end_cm[i] *= factor;
            made->source.offsets[3 * j + i] *= factor;
            made->source.ends[3 * j + i] *= factor;
        }
    }
    size_t numbers = (size_t)clip->frames * (size_t)clip->mover_count * 3;
    for (size_t i = 0; i < numbers; i++) made->place[i] *= factor;
    made->report.height_cm *= factor;
    *out = made;
    return MAREY_OK;
}

static void restate_vector(const marey_clip *clip, const double *cm, double *file)
{
    double scale = 1.0 / marey_units_cm(clip->units);
    mry_vector_to_file(clip->up, cm, file);
    for (int i = 0; i < 3; i++) file[i] *= scale;
}

marey_status marey_clip_restate(const marey_clip *clip, marey_units units, marey_up up,
                                marey_clip **out, marey_error *error)
{
    if (units == MAREY_UNITS_RAW) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "raw is no unit to write in");
    }
    bool same = (units == MAREY_UNITS_GUESS || units == clip->units) &&
                (up == MAREY_UP_GUESS || up == clip->up);
    if (same) return marey_clip_trim(clip, 0, clip->frames, out, error);
    marey_clip *made = copy_motion(clip);
    if (!made) return mry_fail_memory(error, clip->name);
    if (units != MAREY_UNITS_GUESS) made->units = units;
    if (up != MAREY_UP_GUESS) made->up = up;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        restate_vector(made, made->joints[j].offset_cm, made->source.offsets + 3 * j);
        restate_vector(made, made->joints[j].end_cm, made->source.ends + 3 * j);
    }
    *out = made;
    return MAREY_OK;
}
