/* cluster_loop_try.c - a loop is made, and its seam is measured. What was reckoned of it may be wrong: the seam begins and ends
   with whole frames, which changes its pace, and feet are held. */
#include "base/fail.h"
#include "graph/cluster_loops.h"
#include "math/quat.h"
#include "motion/quantile.h"

#include <math.h>

/* The largest step of any joint from each frame to the next. NULL: out of memory. */
static double *find_steps(mry_arena *tmp, const marey_clip *clip)
{
    int joints = clip->skeleton.joint_count;
    double *rows = MRY_NEW_RAW(tmp, double, 6 * joints);
    double *steps = MRY_NEW(tmp, double, clip->frames);
    if (!rows || !steps) return NULL;
    marey_clip_positions(clip, 0, 1, rows);
    for (int f = 1; f < clip->frames; f++) {
        double *now = rows + (f & 1 ? 3 * joints : 0), *last = rows + (f & 1 ? 0 : 3 * joints);
        marey_clip_positions(clip, f, 1, now);
        for (int j = 0; j < 3 * joints; j += 3) {
            double step = mry_distance3(now + j, last + j);
            if (step > steps[f - 1]) steps[f - 1] = step;
        }
    }
    return steps;
}

static double find_large(double *steps, const marey_clip *clip)
{
    int count = 0;
    for (int f = 1; f < clip->frames; f++) {
        if (!mry_clip_is_marked(clip, f - 1) && !mry_clip_is_marked(clip, f))
            steps[count++] = steps[f - 1];
    }
    return count ? mry_quantile(steps, (size_t)count, MRY_LOOP_LARGE) : 0;
}

marey_status mry_loop_trial_open(mry_loop_trial *trial, marey_ctx *ctx, const marey_clip *clip,
                                 marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    double *steps = find_steps(&tmp, clip);
    *trial = (mry_loop_trial){ .ctx = ctx, .clip = clip };
    if (steps) trial->large = find_large(steps, clip);
    mry_arena_free(&tmp);
    if (!steps || marey_contacts_find(clip, NULL, &trial->plants))
        return mry_fail_memory(error, NULL);
    return MAREY_OK;
}

void mry_loop_trial_close(mry_loop_trial *trial)
{
    marey_contacts_free(&trial->plants);
}

/* From the clip's last own frame to the next round's first; seam_ratio tells of that last step. */
static bool measure(const mry_loop_trial *trial, const marey_made *made, const marey_loop *loop,
                    bool *fits)
{
    mry_arena tmp = mry_arena_make(trial->ctx);
    double seam = 0, inside = 0, *steps = find_steps(&tmp, made->clip);
    for (int f = 1; steps && f < made->clip->frames; f++) {
        if (steps[f - 1] > inside) inside = steps[f - 1];
        if (f >= made->from_a_end && steps[f - 1] > seam) seam = steps[f - 1];
    }
    *fits = fmax(seam, loop->seam_ratio * inside) <= trial->large;
    mry_arena_free(&tmp);
    return steps != NULL;
}

marey_status mry_loop_try(const mry_loop_trial *trial, const marey_loop *loop, bool *fits,
                          marey_error *error)
{
    marey_loop one = *loop;
    marey_made made = { 0 };
    marey_status status =
        marey_loop_make(trial->ctx, trial->clip, &trial->plants, NULL, &one, &made, error);
    *fits = false;
    if (status == MAREY_ERR_REQUEST) return MAREY_OK; /* no room for it */
    if (status) return status;
    if (!measure(trial, &made, &one, fits)) status = mry_fail_memory(error, NULL);
    marey_made_free(&made);
    return status;
}
