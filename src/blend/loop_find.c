/* loop_find.c - stretches of a clip that end as they began. */
#include "base/fail.h"
#include "blend/cut_search.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/carrier.h"

#include <math.h>

/* Slower than this, on the mean of all joints, a body counts as standing still; half the clip's own mean if that is less. */
static const double still_cm_per_s = 10;

typedef struct allowed {
    const marey_clip *clip;
    double shortest, longest; /* frames */
    const double *way;        /* frames: how far the joints came until then, on their mean, cm */
    double least_step;        /* of what counts as moving, cm a frame */
} allowed;

/* Frames that are no captured motion are no part of a loop. */
static bool is_loop(const void *user, int start, int end)
{
    const allowed *of = user;
    double length = end - start;
    if (length < of->shortest || length > of->longest) return false;
    if (of->way[end] - of->way[start] < of->least_step * length) return false;
    for (int m = 0; m < of->clip->mark_count; m++) {
        if (of->clip->marks[m].start < end && of->clip->marks[m].end > start) return false;
    }
    return true;
}

static marey_status find_lengths(const marey_clip *clip, const marey_loops_def *def, allowed *out,
                                 marey_error *error)
{
    bool negative = !(def->shortest_s >= 0) || !(def->longest_s >= 0);
    double shortest = def->shortest_s > 0 ? def->shortest_s : 0.5;
    double longest = def->longest_s > 0 ? def->longest_s : INFINITY;
    if (negative || shortest > longest)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "no loop lasts from %g to %g seconds",
                        shortest, longest);
    *out = (allowed){ .clip = clip,
                      .shortest = shortest * clip->fps - 1e-6,
                      .longest = longest * clip->fps + 1e-6 };
    return MAREY_OK;
}

/* How far the joints come from frame to frame. false: out of memory. */
static bool find_way(mry_arena *mem, bool still, allowed *out)
{
    const marey_clip *clip = out->clip;
    const mry_carrier carrier = mry_carrier_find(&clip, 1);
    int joints = clip->skeleton.joint_count, frames = clip->frames;
    int first = mry_carrier_first(&carrier);
    double *way = MRY_NEW(mem, double, frames), *places[2];
    for (int n = 0; n < 2; n++) places[n] = MRY_NEW_RAW(mem, double, 3 * (size_t)joints);
    if (!way || !places[0] || !places[1]) return false;
    marey_clip_positions(clip, 0, 1, places[0]);
    for (int f = 1; f < frames; f++) {
        const double *before = places[(f - 1) & 1];
        double *here = places[f & 1], sum = 0;
        marey_clip_positions(clip, f, 1, here);
        for (int j = first; j < joints; j++) sum += mry_distance3(before + 3 * j, here + 3 * j);
        way[f] = way[f - 1] + sum / (joints - first);
    }
    double mean = frames > 1 ? way[frames - 1] / (frames - 1) : 0;
    double least = fmin(still_cm_per_s / clip->fps, mean / 2);
    out->way = way;
    out->least_step = still ? 0 : least;
    return true;
}

/* Most clips that repeat themselves have loops below the limit, and those are found without looking at the rest; who has
   none still gets the best there are. */
static marey_status search_twice(marey_ctx *ctx, mry_cut_search *search, int most, marey_cut *cuts,
                                 int *found, marey_error *error)
{
    search->below = mry_metric_of(search->metric)->thresholds.cut;
    marey_status status = mry_cut_search_run(ctx, search, most, cuts, found, error);
    if (status || *found > 0 || search->below == 0) return status;
    search->below = 0;
    return mry_cut_search_run(ctx, search, most, cuts, found, error);
}

marey_status marey_loops_find(marey_ctx *ctx, const marey_clip *clip, const marey_loops_def *given,
                              int most, marey_loop *loops, int *found, marey_error *error)
{
    marey_loops_def def = given ? *given : (marey_loops_def){ 0 };
    allowed loop;
    mry_cut_search search = { .clips = { clip, clip }, .metric = def.metric };
    search.fits = is_loop;
    search.user = &loop;
    marey_status status = find_lengths(clip, &def, &loop, error);
    if (!status) status = mry_cut_half(clip, def.half, &search.half, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    marey_cut *cuts = MRY_NEW_RAW(&tmp, marey_cut, most > 0 ? most : 1);
    int count = 0;
    bool room = cuts && find_way(&tmp, def.still, &loop);
    status = room ? search_twice(ctx, &search, most, cuts, &count, error)
                  : mry_fail_memory(error, clip->name);
    for (int n = 0; !status && n < count; n++)
        loops[n] = (marey_loop){ .start = cuts[n].a, .end = cuts[n].b, .cost = cuts[n].cost };
    if (!status) *found = count;
    mry_arena_free(&tmp);
    return status;
}
