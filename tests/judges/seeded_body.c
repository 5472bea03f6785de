/* seeded_body.c - flaws of the whole body: a rate that is claimed wrongly, a floor that tilts, a
   floor that rises. */
#include "seeded_flaws.h"

#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

static marey_clip *with_layer(const marey_clip *clip, const marey_layer *layer)
{
    marey_clip *made = NULL;
    return marey_clip_repair(clip, layer, 1, &made, NULL) ? NULL : made;
}

/* Claims `size` times the rate, as if it had been read so. */
static marey_clip *put_rate(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    (void)seed;
    marey_layer layer = { MAREY_LAYER_RATE, -1, 0, 0, { clip->fps * size } };
    marey_clip *made = with_layer(clip, &layer);
    if (!made) return NULL;
    made->report.claimed_fps = made->fps;
    made->report.flight_fps = made->report.flight_count = 0;
    if (!mry_clip_judge_rate(made)) {
        marey_clip_free(made);
        return NULL;
    }
    *what = (seeded_flaw){ .kind = MAREY_FLAW_RATE,
                           .joint = -1,
                           .end = clip->frames,
                           .size = clip->fps,
                           .value = clip->fps };
    return made;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far apart the ankles get along a way on the floor, but for the outer tenth; 0 without them. */
static double ankles_extent(const marey_clip *clip, double x, double z)
{
    int joint = clip->skeleton.roles[MAREY_ROLE_LEFT_ANKLE], joints = clip->skeleton.joint_count;
    double *at = calloc((size_t)joints * 3 + (size_t)clip->frames, sizeof *at);
    double *along = at + 3 * joints, extent = 0;
    for (int f = 0; f < clip->frames && joint >= 0; f++) {
        marey_clip_positions(clip, f, 1, at);
        along[f] = x * at[3 * joint] + z * at[3 * joint + 2];
    }
    if (joint >= 0) {
        qsort(along, (size_t)clip->frames, sizeof *along, compare_numbers);
        extent = along[clip->frames - 1 - clip->frames / 20] - along[clip->frames / 20];
    }
    free(at);
    return extent;
}

/* Turns the body and its way by `size` degrees about a line on the floor. How much that moves a
   joint is meant against the floor: the feet of who stays on one spot show nothing of it. */
static marey_clip *put_tilt(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    double way = mry_random_between(seed, 0, 2 * M_PI), half = size * M_PI / 360;
    const double *root = marey_clip_root(clip, clip->frames / 2);
    marey_layer layer = { MAREY_LAYER_LEVEL,
                          -1,
                          0,
                          clip->frames,
                          { cos(half), sin(half) * cos(way), 0, sin(half) * sin(way), root[0], 0,
                            root[2] } };
    *what =
        (seeded_flaw){ .kind = MAREY_FLAW_TILT,
                       .joint = -1,
                       .end = clip->frames,
                       .size = fabs(size),
                       .value = fabs(size),
                       .moves_cm = fabs(tan(2 * half)) * ankles_extent(clip, sin(way), -cos(way)) };
    return with_layer(clip, &layer);
}

/* Raises the body evenly from the first frame to the last one. */
static marey_clip *put_drift(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    (void)seed;
    marey_layer layer = { MAREY_LAYER_RAISE, -1, 0, clip->frames, { 0, size } };
    *what = (seeded_flaw){ .kind = MAREY_FLAW_DRIFT,
                           .joint = -1,
                           .end = clip->frames,
                           .size = fabs(size),
                           .value = fabs(size),
                           .moves_cm = fabs(size) };
    return with_layer(clip, &layer);
}

const seeded_row seeded_body[] = {
    { "rate", { 0.5, 0.8, 1.25, 2, 4 }, "times the rate", put_rate },
    { "tilt", { 0.5, 1, 2, 3, 4 }, "degrees", put_tilt },
    { "drift", { 1, 2.5, 5, 10, 20 }, "cm", put_drift },
};
const int seeded_body_count = sizeof seeded_body / sizeof *seeded_body;
