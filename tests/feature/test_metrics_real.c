/* test_metrics_real.c - the metrics on captured clips: against the formulas, on a slope, between
   two data bases. */
#include "metric_clips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void assert_close(double value, double truth)
{
    if (fabs(value - truth) <= 2e-5 * (1 + fabs(truth))) return;
    fail_msg("the grid says %.9g, the formula %.9g", value, truth);
}

TEST_CTX(the_grids_of_a_real_walk_and_run_agree_with_the_formulas)
{
    test_need_mocap();
    OWNED(marey_clip) *walk = test_mocap_load(ctx, "bandai/dataset-2_walk_exhausted_004.bvh");
    OWNED(marey_clip) *run = test_mocap_load(ctx, "bandai/dataset-2_run_elderly_001.bvh");
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        OWNED(test_pair) pair = test_pair_make(ctx, walk, run, &def);
        double start = test_seconds();
        FREED float *cells = test_cells(&pair);
        printf("    %-10s %.2f ms\n", def.metric->name, 1e3 * (test_seconds() - start));
        int cols = marey_features_rows(pair.b);
        for (int i = 0; i < marey_features_rows(pair.a) && m != 3; i += 11) {
            for (int j = 0; j < cols; j += 7)
                assert_close((double)cells[i * cols + j], marey_distance(pair.a, i, pair.b, j));
        }
    }
}

/* The best hundredth of the pairs: how many of them both have, as a share. */
static double common_pairs(marey_ctx *ctx, const marey_metric_def *def, const marey_clip *run,
                           const marey_clip *const walks[2], double *judged)
{
    enum { COUNT = 700 };
    marey_pair *pairs[2];
    int common = 0;
    for (int n = 0; n < 2; n++) {
        int found = 0;
        OWNED(test_pair) pair = test_pair_make(ctx, run, walks[n], def);
        pairs[n] = malloc(COUNT * sizeof **pairs);
        test_ok(marey_grid_pairs(ctx, pair.a, pair.b, COUNT, pairs[n], &found, NULL));
        assert_int_equal(found, COUNT);
        judged[n] = marey_judge(pair.a, pair.b, pairs[n], found).position_cm;
    }
    for (int x = 0; x < COUNT; x++) {
        for (int y = 0; y < COUNT; y++)
            common += pairs[0][x].row == pairs[1][y].row && pairs[0][x].col == pairs[1][y].col;
    }
    free(pairs[0]);
    free(pairs[1]);
    return (double)common / COUNT;
}

TEST_CTX(a_real_walk_on_a_slope_has_other_pairs_by_points_only)
{
    test_need_mocap();
    OWNED(marey_clip) *walk = test_mocap_load(ctx, "bandai/dataset-2_walk_exhausted_004.bvh");
    OWNED(marey_clip) *run = test_mocap_load(ctx, "bandai/dataset-2_run_elderly_001.bvh");
    for (int lower = 0; lower <= 60; lower += 30) {
        OWNED(marey_clip) *ramp = test_moved(walk, mry_rot_about(0, 0, 1, 15 * acos(-1.0) / 180),
                                             (mry_vec){ 0, -lower, 0 });
        const marey_clip *const walks[2] = { walk, ramp };
        for (int m = 0; marey_metric_find(m); m++) {
            marey_metric_def def = test_metric(marey_metric_find(m)->name);
            double judged[2], share = common_pairs(ctx, &def, run, walks, judged);
            printf("    %-10s lowered by %2d cm: %5.1f %% of the pairs stay, D_p %.3f -> %.3f cm\n",
                   def.metric->name, lower, 100 * share, judged[0], judged[1]);
            assert_true(m == 0 ? share < 0.5 && judged[1] > judged[0] : share > 0.995);
        }
    }
}

TEST_CTX(real_clips_of_two_databases_are_compared_by_roles)
{
    test_need_mocap();
    OWNED(marey_clip) *cmu = test_mocap_load(ctx, "cmu/02_02.bvh"),
                      *walk = test_mocap_load(ctx, "bandai/dataset-2_walk_exhausted_004.bvh");
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = { .metric = marey_metric_find(m) };
        OWNED(test_pair) pair = test_pair_make(ctx, cmu, walk, &def);
        assert_true(marey_layout_by_roles(pair.layout));
        assert_true(marey_layout_joints(pair.layout) >= 15);
        assert_true(fabs(marey_layout_fps(pair.layout) - 30) < 0.01);
        FREED float *cells = test_cells(&pair);
        int count = marey_features_rows(pair.a) * marey_features_rows(pair.b);
        for (int n = 0; n < count; n++) assert_true(isfinite(cells[n]) && cells[n] >= 0);
    }
}

TEST_GROUP_OF_CASES(test_metrics_real, NULL, NULL)
