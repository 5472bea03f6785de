/* cuts_find.c - the best places to go from one clip to another. */
#include "base/fail.h"
#include "blend/cut_search.h"
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

/* From a clip to itself: where hardly any time is skipped or repeated there is no cut. */
static bool far_enough(const void *user, int a, int b)
{
    const mry_cut_search *search = user;
    return abs(a - b) > search->half;
}

static marey_status check(const marey_clip *const *clips, const marey_cuts_def *def,
                          marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        int frame = def->near[side];
        if (def->near_given[side] && (frame < 0 || frame >= clips[side]->frames))
            return mry_fail(error, MAREY_ERR_REQUEST, clips[side]->name,
                            "frame %d is not in this clip, which has 0-%d", frame,
                            clips[side]->frames - 1);
    }
    if (!(def->within_s >= 0) || !(def->below >= 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a cost and a time to look around in cannot be less than 0");
    return MAREY_OK;
}

static double bound_of(const marey_cuts_def *def)
{
    if (isinf(def->below)) return 0;
    if (def->below > 0) return def->below;
    return mry_metric_of(def->metric)->thresholds.cut;
}

marey_status marey_cuts_find(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                             const marey_cuts_def *given, int most, marey_cut *cuts, int *found,
                             marey_error *error)
{
    marey_cuts_def def = given ? *given : (marey_cuts_def){ 0 };
    mry_cut_search search = { .clips = { a, b }, .metric = def.metric };
    marey_status status = check(search.clips, &def, error);
    if (!status) status = mry_cut_half(a, def.half, &search.half, error);
    if (status) return status;
    search.below = bound_of(&def);
    search.within_s = def.within_s > 0 ? def.within_s : 0.5;
    for (int side = 0; side < 2; side++) {
        search.near_given[side] = def.near_given[side];
        search.near[side] = def.near[side];
    }
    if (a == b) {
        search.fits = far_enough;
        search.user = &search;
    }
    return mry_cut_search_run(ctx, &search, most, cuts, found, error);
}
