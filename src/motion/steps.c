/* steps.c - how far joints move from frame to frame, and which steps no body makes. */
#include "motion/steps.h"

#include "math/quat.h"
#include "motion/feet.h"
#include "motion/quantile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double *mry_clip_steps(mry_arena *mem, const marey_clip *clip, double *knees)
{
    int joints = clip->skeleton.joint_count;
    const int *roles = clip->skeleton.roles;
    double *rows = MRY_NEW_RAW(mem, double, 6 * joints);
    double *steps = MRY_NEW(mem, double, clip->frames);
    if (!rows || !steps) return NULL;
    marey_clip_positions(clip, 0, 1, rows);
    for (int f = 1; f < clip->frames; f++) {
        double *now = rows + (f & 1 ? 3 * joints : 0), *last = rows + (f & 1 ? 0 : 3 * joints);
        double knee = 0;
        marey_clip_positions(clip, f, 1, now);
        for (int j = 0; j < joints; j++) {
            double step = mry_distance3(now + 3 * j, last + 3 * j);
            steps[f - 1] = fmax(steps[f - 1], step);
            if (j == roles[MAREY_ROLE_LEFT_KNEE] || j == roles[MAREY_ROLE_RIGHT_KNEE])
                knee = fmax(knee, step);
        }
        if (knees) knees[f - 1] = knee;
    }
    return steps;
}

/* A limb that kicks needs some hundredths of a second to get fast, or to get slow again, so that
   steps before or after its fastest one are large too; a leap of capture has small ones on both
   sides. How many are looked at: so that what is elsewhere for some frames, with a step there and
   one back, is the lesser part of them. */
static const double LEAP = 3, AROUND_S = 0.05;
enum { LEAST_AROUND = 2, MOST_AROUND = 50 };

/* The lower median of steps [from, end). */
static double median_of(const double *steps, int from, int end)
{
    double near[MOST_AROUND];
    memcpy(near, steps + from, (size_t)(end - from) * sizeof *near);
    return mry_quantile(near, (size_t)(end - from), 0.5);
}

double mry_sound_peak(const double *steps, int count, double per_s)
{
    double most = 0;
    int around = (int)fmin(fmax(round(AROUND_S * per_s), LEAST_AROUND), MOST_AROUND);
    for (int i = 0; i < count; i++) {
        if (!(steps[i] > most)) continue;
        int from = i < around ? 0 : i - around, end = i + 1 + around;
        if (end > count) end = count;
        double usual = 0;
        if (i - from >= LEAST_AROUND) usual = median_of(steps, from, i);
        if (end - i - 1 >= LEAST_AROUND) usual = fmax(usual, median_of(steps, i + 1, end));
        /* At an end a motion may be cut in the middle of its quickest part. */
        bool cut = i - from < LEAST_AROUND || end - i - 1 < LEAST_AROUND;
        for (int k = from > i - 2 ? from : i - 2; cut && k < end && k <= i + 2; k++)
            if (k != i) usual = fmax(usual, steps[k]);
        if (count == 1 || steps[i] <= LEAP * usual) most = steps[i];
    }
    return most;
}

marey_status marey_clip_speeds(const marey_clip *clip, const marey_clip *marked, marey_speeds *out)
{
    assert(clip && out);
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    const marey_clip *of = marked ? marked : clip;
    double *knees = MRY_NEW_RAW(&tmp, double, clip->frames);
    double *steps = knees ? mry_clip_steps(&tmp, clip, knees) : NULL;
    const uint8_t *gone = steps ? mry_clip_marked(&tmp, of) : NULL;
    bool has_knees = clip->skeleton.roles[MAREY_ROLE_LEFT_KNEE] >= 0 ||
                     clip->skeleton.roles[MAREY_ROLE_RIGHT_KNEE] >= 0;
    double fastest = 0, fastest_knee = 0;
    int kept = 0;
    /* Frame `at` of the clip is frame f of `of`; those without a mark one behind the other. */
    for (int f = 0, at = 0; gone && f < of->frames; f++) {
        if (marked && gone[f]) continue;
        if (f > 0 && !gone[f - 1] && !gone[f]) {
            fastest = fmax(fastest, steps[at - 1]);
            fastest_knee = fmax(fastest_knee, knees[at - 1]);
            steps[kept] = steps[at - 1];
            knees[kept++] = knees[at - 1];
        }
        at++;
    }
    if (gone) {
        double per_s = clip->fps;
        *out =
            (marey_speeds){ fastest * per_s, has_knees ? fastest_knee * per_s : (double)NAN,
                            mry_sound_peak(steps, kept, per_s) * per_s,
                            has_knees ? mry_sound_peak(knees, kept, per_s) * per_s : (double)NAN };
    }
    mry_arena_free(&tmp);
    return gone ? MAREY_OK : MAREY_ERR_MEMORY;
}
