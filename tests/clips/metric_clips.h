/* metric_clips.h - clips and features for the tests of metrics and grids. */
#ifndef MAREY_TEST_METRIC_CLIPS_H
#define MAREY_TEST_METRIC_CLIPS_H

#include "support.h"

#include "math/turn.h"

/* The small person, moving in every joint in a way of its own: smooth, different for each seed,
   going round in curves. */
marey_clip *test_mover(marey_ctx *ctx, int frames, uint64_t seed);

/* Two of them, with seeds `seed` and `seed` + 1: the state of a test. */
typedef struct test_movers {
    marey_ctx *ctx;
    marey_clip *a, *b;
} test_movers;

int test_movers_make(void **state, int first, int second, uint64_t seed);
int test_movers_free(void **state);

/* The same clip turned (about the world's origin), then shifted. */
marey_clip *test_moved(const marey_clip *clip, mry_rot turn, mry_vec shift);

/* A copy in which one joint has another name, so that the joints are not the same as before. */
marey_clip *test_renamed(const marey_clip *clip, int joint, const char *name);
/* The same motion and body with axes of its own and another name for every joint, `scale` times as
   large. */
marey_clip *test_other_axes(const marey_clip *clip, double scale);
/* A body of two joints whose names say nothing. */
marey_clip *test_nameless(marey_ctx *ctx, int frames);

/* Two clips with their layout and features. */
typedef struct test_pair {
    marey_ctx *ctx;
    marey_layout *layout;
    marey_features *a, *b;
} test_pair;

test_pair test_pair_make(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                         const marey_metric_def *def); /* fails the test if that fails */
void test_pair_free(test_pair *pair);
OWNED_VALUE(test_pair, test_pair_free)

marey_metric_def test_metric(const char *name); /* the metric with Lee's joints */

/* Cells of the whole grid, rows without gaps; free() it. */
float *test_cells(const test_pair *pair);

#endif
