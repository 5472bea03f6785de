/* clip_pair.c - the floor paths of two clips as a demonstration. Frames that are no captured motion are nobody's path. */
#include "base/arena.h"
#include "base/fail.h"
#include "motion/clip_data.h"
#include "motion/facing.h"
#include "puppet/puppet_data.h"

#include <math.h>

#define NEAR 1e-6 /* frames: as good as on one */

int marey_clip_pair_samples(const marey_clip *main, const marey_clip *react)
{
    double lasts = fmin((main->frames - 1) / main->fps, (react->frames - 1) / react->fps);
    return (int)floor(lasts * main->fps + NEAR) + 1;
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

/* Between two frames, either of them. */
static bool is_marked(const marey_clip *clip, double time)
{
    double row = time * clip->fps;
    return mry_clip_is_marked(clip, (int)floor(row + NEAR)) ||
           mry_clip_is_marked(clip, (int)ceil(row - NEAR));
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
                             marey_puppet_sample *samples, int *count, marey_error *error)
{
    marey_status status = check(main, error);
    if (!status) status = check(react, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(main->mem.ctx);
    double *of_main = MRY_NEW_RAW(&tmp, double, 3 * (size_t)main->skeleton.joint_count);
    double *of_react = MRY_NEW_RAW(&tmp, double, 3 * (size_t)react->skeleton.joint_count);
    int most = of_main && of_react ? marey_clip_pair_samples(main, react) : 0, left = 0;
    for (int i = 0; i < most; i++) {
        double time = i / main->fps;
        if (is_marked(main, time) || is_marked(react, time)) continue;
        samples[left++] = (marey_puppet_sample){ time, at_frame(main, i, of_main),
                                                 at_time(react, time, of_react) };
    }
    mry_arena_free(&tmp);
    if (most == 0) return mry_fail_memory(error, NULL);
    if (left < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%.300s has fewer than two moments of captured motion together with %.300s",
                        main->name, react->name);
    *count = left;
    return MAREY_OK;
}
