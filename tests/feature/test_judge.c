/* test_judge.c - the judge of similar pairs against the paper's formulas, and the searches for
   attribute weights against trying every combination by hand. */
#include "metric_clips.h"
#include "paper_judge.h"

#include "feature/feature_data.h"
#include "grid/grid_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLS = 50 };

static int set_up(void **state)
{
    return test_movers_make(state, ROWS, COLS, 21);
}

/* ---- the judge ------------------------------------------------------------------------------- */

static void near(double value, double truth)
{
    if (!(fabs(value - truth) <= 1e-5 * (1 + fabs(truth))))
        fail_msg("%.9g, should be %.9g", value, truth);
}

#define WITH(name) TEST_OF_IN(set_up, test_movers_free, test_movers *f, name)

WITH(judgements_are_the_means_of_equations_4_1_to_4_3)
{
    paper_clip pa = paper_open(f->a), pb = paper_open(f->b);
    marey_metric_def def = test_metric("angles");
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
    marey_pair pairs[40];
    double p = 0, v = 0, a = 0;
    for (int n = 0; n < 40; n++) {
        pairs[n] = (marey_pair){ 1 + (n * 17) % (ROWS - 2), 1 + (n * 5) % (COLS - 2), 0 };
        p += paper_transition(&pa, pairs[n].row, &pb, pairs[n].col) / 40;
        v += paper_velocity(&pa, pairs[n].row, &pb, pairs[n].col) / 40;
        a += paper_acceleration(&pa, pairs[n].row, &pb, pairs[n].col) / 40;
    }
    marey_judgement judged = marey_judge(pair.a, pair.b, pairs, 40);
    near(judged.position_cm, p);
    near(judged.velocity, v);
    near(judged.acceleration, a);
    assert_int_equal(judged.pairs, 40);
    judged = marey_judge(pair.a, pair.b, pairs, 0);
    assert_true(judged.position_cm == 0 && judged.pairs == 0);
    paper_close(&pa);
    paper_close(&pb);
}

WITH(a_frame_and_itself_are_judged_perfect_on_any_slope)
{
    OWNED(marey_clip) *moved =
        test_moved(f->a, mry_rot_body(1, 0.3, -0.4), (mry_vec){ 90, 500, 12 });
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, moved, NULL);
    for (int n = 0; n < ROWS; n++) {
        marey_pair same = { n, n, 0 };
        marey_judgement judged = marey_judge(pair.a, pair.b, &same, 1);
        assert_true(judged.position_cm < 1e-3 && judged.velocity < 0.1);
        assert_true(judged.acceleration < 500); /* of sums of squares of some 1e6 */
    }
}

WITH(every_metric_is_judged_alike)
{
    marey_pair pairs[3] = { { 1, 2, 0 }, { 30, 4, 0 }, { 0, 49, 0 } };
    marey_judgement first = { 0 };
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        if (m == 0) def.window = 9; /* the metric's own window is no matter of the judge's */
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        marey_judgement judged = marey_judge(pair.a, pair.b, pairs, 3);
        if (m == 0) first = judged;
        assert_memory_equal(&judged, &first, sizeof first);
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

/* D_p with given weights by way of the public functions. */
static double judge_weights(test_movers *f, const char *metric, const double *weights, int count)
{
    marey_metric_def def = test_metric(metric);
    def.attributes_given = true;
    memcpy(def.attributes, weights, sizeof def.attributes);
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
    FREED marey_pair *pairs = malloc((size_t)count * sizeof *pairs);
    int found = 0;
    test_ok(marey_grid_pairs(f->ctx, pair.a, pair.b, count, pairs, &found, NULL));
    return marey_judge(pair.a, pair.b, pairs, found).position_cm;
}

static marey_weights_result search(test_movers *f, const char *metric, const marey_weights_def *def)
{
    marey_metric_def metric_def = test_metric(metric);
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &metric_def);
    marey_weights_result result = { 0 };
    test_ok(marey_weights_search(f->ctx, pair.a, pair.b, def, &result, &test_error));

    return result;
}

WITH(the_exhaustive_search_finds_what_trying_all_by_hand_finds)
{
    marey_weights_def def = { .steps = 3, .pairs = 25 };
    marey_weights_result result = search(f, "angles", &def);
    double least = INFINITY;
    for (int n = 0; n < 27; n++) {
        double weights[4] = { (n % 3 + 1) / 3.0, (n / 3 % 3 + 1) / 3.0, (n / 9 + 1) / 3.0, 0 };
        least = fmin(least, judge_weights(f, "angles", weights, 25));
    }
    near(result.position_cm, least);
    near(judge_weights(f, "angles", result.weights, 25), least);
    assert_int_equal(result.combinations, 27);
    assert_int_equal(result.evaluations, 25); /* 1:1:1 three times */
    assert_int_equal(result.count, 3);
}

WITH(repeated_directions_are_left_out_and_counted_honestly)
{
    marey_weights_def def = { 0 };
    marey_weights_result result = search(f, "angles", &def);
    int primitive = 0; /* triples of 1 .. 10 without a common divisor */
    for (int n = 0; n < 1000; n++) {
        int a = n % 10 + 1, b = n / 10 % 10 + 1, c = n / 100 + 1, common = 0;
        for (int d = 2; d <= 10; d++) common |= a % d == 0 && b % d == 0 && c % d == 0;
        primitive += !common;
    }
    assert_int_equal(result.evaluations, primitive);
    assert_int_equal(result.combinations, 1000);
    double most = fmax(result.weights[0], fmax(result.weights[1], result.weights[2]));
    assert_true(most == 1);
}

WITH(refining_never_makes_it_worse)
{
    for (int space = 0; space < 2; space++) {
        double last = INFINITY;
        for (int refinements = 0; refinements < 3; refinements++) {
            marey_weights_def def = { .space = (marey_weight_space)space,
                                      .steps = 4,
                                      .refinements = refinements };
            marey_weights_result result = search(f, "positions", &def);
            assert_true(result.position_cm <= last);
            assert_int_equal(result.combinations, 256 * (refinements + 1));
            last = result.position_cm;
        }
    }
}

WITH(the_optimiser_is_as_good_with_a_twentieth_of_the_trials)
{
    static const char *const metrics[] = { "angles", "positions" };
    for (int m = 0; m < 2; m++) {
        marey_weights_def uniform = { 0 }, optimised = { .space = MAREY_WEIGHTS_OPTIMISED };
        marey_weights_result all = search(f, metrics[m], &uniform);
        marey_weights_result direct = search(f, metrics[m], &optimised);
        printf("    %s: %.4f cm by %lld trials, %.4f by %lld\n", metrics[m], all.position_cm,
               (long long)all.evaluations, direct.position_cm, (long long)direct.evaluations);
        assert_true(direct.evaluations * 20 <= all.evaluations);
        assert_true(direct.position_cm <= all.position_cm * 1.001);
    }
}

TEST(the_search_does_not_depend_on_the_number_of_threads)
{
    marey_weights_result first[3];
    for (int threads = 1; threads <= 4; threads *= 2) {
        test_movers f = { 0 };
        marey_ctx_def ctx_def = { .threads = threads };
        test_ok(marey_ctx_open(&ctx_def, &f.ctx));
        f.a = test_mover(f.ctx, ROWS, 21);
        f.b = test_mover(f.ctx, COLS, 22);
        for (int space = 0; space < 3; space++) {
            marey_weights_def def = { .space = (marey_weight_space)space, .steps = 4 };
            marey_weights_result result = search(&f, "positions", &def);
            if (threads == 1) first[space] = result;
            assert_memory_equal(&result, &first[space], sizeof result);
        }
        marey_clip_free(f.a);
        marey_clip_free(f.b);
        marey_ctx_close(f.ctx);
    }
}

WITH(invalid_searches_are_refused)
{
    static const marey_weights_def bad[] = { { .steps = 1 },
                                             { .steps = 41 },
                                             { .pairs = -1 },
                                             { .pairs = ROWS * COLS + 1 },
                                             { .refinements = -1 } };
    marey_metric_def def = test_metric("angles");
    test_pair pair = test_pair_make(f->ctx, f->a, f->b, &def);
    marey_weights_result result = { .count = -1 };
    for (int n = 0; n < 5; n++) {
        assert_int_equal(marey_weights_search(f->ctx, pair.a, pair.b, &bad[n], &result, NULL),
                         MAREY_ERR_REQUEST);
    }
    marey_ctx_cancel(f->ctx);
    assert_int_equal(marey_weights_search(f->ctx, pair.a, pair.b, NULL, &result, NULL),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    test_pair_free(&pair);
    pair = test_pair_make(f->ctx, f->a, f->b, NULL);
    assert_int_equal(marey_weights_search(f->ctx, pair.a, pair.b, NULL, &result, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(result.count, -1);
    test_pair_free(&pair);
}

WITH(clips_of_one_frame_can_be_searched)
{
    test_movers one = { .ctx = f->ctx };
    test_ok(marey_clip_trim(f->a, 0, 1, &one.a, NULL));
    test_ok(marey_clip_trim(f->b, 0, 1, &one.b, NULL));
    for (int space = 0; space < 3; space++) {
        marey_weights_def def = { .space = (marey_weight_space)space, .steps = 2 };
        assert_true(isfinite(search(&one, "angles", &def).position_cm));
    }
    marey_clip_free(one.a);
    marey_clip_free(one.b);
}

TEST(the_least_cells_are_selected_as_by_sorting)
{
    uint64_t seed = 3;
    float cells[500];
    for (int round = 0; round < 200; round++) {
        for (int n = 0; n < 500; n++) {
            double value = exp(mry_random_between(&seed, -80, 80));
            cells[n] = round % 2 ? floorf((float)fmod(value, 7)) : (float)value;
            if (round % 5 == 0 && n % 9 == 0) cells[n] = INFINITY;
        }
        int count = 1 + (int)mry_random_between(&seed, 0, 499.99), less = 0, equal = 0;
        mry_cut cut = mry_select(cells, 20, 25, 25, count);
        for (int n = 0; n < 500; n++) {
            less += cells[n] < cut.value;
            equal += cells[n] == cut.value;
        }
        assert_true(less < count && less + equal >= count);
        assert_int_equal(cut.ties, count - less);
    }
}

/* ---- real clips ------------------------------------------------------------------------------ */

TEST(weights_of_a_real_walk_and_run_are_found_in_time)
{
    test_need_mocap();
    test_movers f = { .ctx = test_ctx() };
    f.a = test_mocap_load(f.ctx, "bandai/dataset-2_walk_exhausted_004.bvh");
    f.b = test_mocap_load(f.ctx, "bandai/dataset-2_run_elderly_001.bvh");
    marey_weights_result found[3];
    for (int space = 0; space < 3; space++) {
        marey_weights_def def = { .space = (marey_weight_space)space };
        double start = test_seconds();
        found[space] = search(&f, "angles", &def);
        printf("    %.4f cm with %.3f : %.3f : %.3f, %lld trials, %.2f s\n",
               found[space].position_cm, found[space].weights[0], found[space].weights[1],
               found[space].weights[2], (long long)found[space].evaluations,
               test_seconds() - start);
    }
    assert_true(found[2].position_cm <= found[0].position_cm * (1 + 1e-6));
    assert_true(found[2].position_cm <= found[1].position_cm * (1 + 1e-6));
    assert_true(found[2].evaluations * 20 <= found[0].evaluations);
    marey_clip_free(f.a);
    marey_clip_free(f.b);
    marey_ctx_close(f.ctx);
}

TEST_GROUP_OF_CASES(test_judge, NULL, NULL)
