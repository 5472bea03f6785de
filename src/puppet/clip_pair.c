/* clip_pair.c - the floor paths of two clips as a demonstration. */
#include "base/arena.h"
#include "base/fail.h"
#include "motion/clip_data.h"
#include "motion/facing.h"
#include "puppet/puppet_data.h"

#include <math.h>

int marey_clip_pair_samples(const marey_clip *main, const marey_clip *react)
{
    double lasts = fmin((main->frames - 1) / main->fps, (react->frames - 1) / react->fps);
    return (int)floor(lasts * main->fps + 1e-6) + 1;
}

static marey_entity at_frame(const marey_clip *clip, int frame, double *places)
{
    const double *hips = places + 3 * clip->skeleton.roles[MAREY_ROLE_HIPS];
    marey_clip_positions(clip, frame, 1, places);
    return (marey_entity){ hips[0], -hips[2], mry_facing(clip, frame, places) };
}

/* Between two frames on a line, and the shorter way round. */
static marey_entity at_time(const marey_clip *clip, double time, double *places)
{
    double row = fmin(time * clip->fps, clip->frames - 1);
    int frame = (int)row < clip->frames - 1 ? (int)row : clip->frames - 2;
    marey_entity a = at_frame(clip, frame, places), b = at_frame(clip, frame + 1, places);
    return mry_entity_between(&a, &b, row - frame);
}

static marey_status check(const marey_clip *clip, marey_error *error)
{
    if (clip->skeleton.roles[MAREY_ROLE_HIPS] < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s has no hips, so it has no floor path",
                        clip->name);
    if (clip->frames < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s has a single frame", clip->name);
    return MAREY_OK;
}

marey_status marey_clip_pair(const marey_clip *main, const marey_clip *react,
                             marey_puppet_sample *samples, marey_error *error)
{
    marey_status status = check(main, error);
    if (!status) status = check(react, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(main->mem.ctx);
    double *of_main = MRY_NEW_RAW(&tmp, double, 3 * (size_t)main->skeleton.joint_count);
    double *of_react = MRY_NEW_RAW(&tmp, double, 3 * (size_t)react->skeleton.joint_count);
    int count = of_main && of_react ? marey_clip_pair_samples(main, react) : 0;
    for (int i = 0; i < count; i++) {
        double time = i / main->fps;
        samples[i] = (marey_puppet_sample){ time, at_frame(main, i, of_main),
                                            at_time(react, time, of_react) };
    }
    mry_arena_free(&tmp);
    return count > 0 ? MAREY_OK : mry_fail_memory(error, NULL);
}
