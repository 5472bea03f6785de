/* test_own_metric.c - metrics of the caller's own against their definition, cell by cell: windows,
   weights, rates, marked frames, what is refused, and refused memory. */
#include "metric_clips.h"
#include "own_clips.h"

#include "motion/clip_data.h"

#include <marey/grid.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    return test_movers_make(state, 40, 30, 1);
}

#define CASE(name) TEST_OF_IN(set_up, test_movers_free, test_movers *f, name)

static int held(int row, int rows)
{
    return row < 0 ? 0 : row >= rows ? rows - 1 : row;
}

/* The definition, on the clips' own frames, of numbers that are floats. */
static double judge(const marey_clip *a, int i, const marey_clip *b, int j, const double *weights,
                    int window, bool tapered)
{
    double sum = 0, shares = 0;
    for (int f = 0; f < window; f++) {
        double middle = (window - 1) / 2.0, share = tapered ? middle + 1 - fabs(f - middle) : 1;
        double p[TEST_OWN_COLUMNS], q[TEST_OWN_COLUMNS];
        test_own_numbers(a, held(i - (window - 1) / 2 + f, marey_clip_frames(a)), p);
        test_own_numbers(b, held(j - (window - 1) / 2 + f, marey_clip_frames(b)), q);
        for (int c = 0; c < TEST_OWN_COLUMNS; c++) {
            double way = (double)(float)p[c] - (double)(float)q[c];
            sum += share * (weights ? weights[c] : 1) * way * way;
        }
        shares += share;
    }
    return sum / shares;
}

static void check_close(double value, double truth, double tolerance, int i, int j)
{
    if (!(fabs(value - truth) <= tolerance * (1 + fabs(truth))))
        fail_msg("at %d, %d: %.9g, should be %.9g", i, j, value, truth);
}

CASE(every_cell_is_the_weighted_sum_of_squares_over_the_window)
{
    static const double some[TEST_OWN_COLUMNS] = { 1, 0, 2.5, 0.01 };
    static const int windows[] = { 0, 1, 4, 7, 31 };
    for (int n = 0; n < 20; n++) {
        int window = windows[n % 5];
        const double *weights = n < 10 ? some : NULL;
        test_own user = { 0 };
        marey_own_metric own = test_own_metric(&user, weights);
        marey_metric_def def = { .own = &own, .window = window, .tapered = n % 2 };
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        FREED float *cells = test_cells(&pair);
        assert_int_equal(user.asked, 2);
        assert_int_equal(marey_layout_window(pair.layout), window ? window : 1);
        assert_ptr_equal(marey_layout_def(pair.layout)->metric, &own.metric);
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 30; j++) {
                double truth = judge(f->a, i, f->b, j, weights, window ? window : 1, n % 2);
                check_close(marey_distance(pair.a, i, pair.b, j), truth, 1e-12, i, j);
                check_close((double)cells[i * 30 + j], truth, 1e-4, i, j);
            }
        }
    }
}

CASE(pairs_minima_and_shares_are_those_of_its_grid)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def def = { .own = &own };
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
    FREED float *cells = test_cells(&pair);
    marey_pair pairs[5];
    int found = 0;
    test_ok(marey_grid_pairs(f->ctx, pair.a, pair.b, 5, pairs, &found, NULL));
    assert_int_equal(found, 5);
    float least = INFINITY;
    for (int i = 0; i < 40 * 30; i++) least = fminf(least, cells[i]);
    assert_true(pairs[0].value == least);
    for (int n = 1; n < 5; n++) assert_true(pairs[n].value >= pairs[n - 1].value);
    double joints[64], frames[1], rest = 0;
    assert_true(marey_layout_joints(pair.layout) <= 64);
    marey_explain(pair.a, 3, pair.b, 7, joints, frames, &rest);
    assert_true(rest == marey_distance(pair.a, 3, pair.b, 7) && frames[0] == 0 && joints[0] == 0);
}

CASE(clips_of_other_rates_are_sampled_between_their_frames)
{
    OWNED(marey_clip) *slow = NULL, *odd = NULL;
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def def = { .own = &own };
    double fps = marey_clip_fps(f->a);
    test_ok(marey_clip_resample(f->b, fps / 3, &slow, NULL));
    test_ok(marey_clip_resample(f->b, fps / 1.7, &odd, NULL));
    OWNED(test_pair) whole = test_pair_make(f->ctx, f->a, slow, &def);
    for (int i = 0; i < marey_features_rows(whole.a); i++) {
        for (int j = 0; j < marey_features_rows(whole.b); j++)
            check_close(marey_distance(whole.a, i, whole.b, j),
                        judge(f->a, 3 * i, slow, j, NULL, 1, false), 1e-12, i, j);
    }
    OWNED(test_pair) part = test_pair_make(f->ctx, f->a, odd, &def);
    for (int i = 0; i < marey_features_rows(part.a); i++) {
        double at = fmin(i * 1.7, 39), share = at - floor(at), truth = 0, sum = 0;
        double p[TEST_OWN_COLUMNS], q[TEST_OWN_COLUMNS], r[TEST_OWN_COLUMNS];
        test_own_numbers(f->a, (int)at, p);
        test_own_numbers(f->a, held((int)at + 1, 40), q);
        test_own_numbers(odd, 5, r);
        for (int c = 0; c < TEST_OWN_COLUMNS; c++) {
            truth = p[c] + share * (q[c] - p[c]) - r[c];
            sum += truth * truth;
        }
        check_close(marey_distance(part.a, i, part.b, 5), sum, 1e-4, i, 5);
    }
}

CASE(marked_frames_have_the_rows_of_the_nearest_captured_ones)
{
    OWNED(marey_clip) *clip = NULL;
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def def = { .own = &own };
    test_ok(marey_clip_trim(f->a, 0, 40, &clip, NULL));
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 0, 6));
    OWNED(test_pair) pair = test_pair_make(f->ctx, clip, f->b, &def);
    for (int i = 0; i < 6; i++)
        assert_true(marey_distance(pair.a, i, pair.b, 2) == marey_distance(pair.a, 6, pair.b, 2));
}

CASE(numbers_that_are_none_are_refused_with_their_place)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, 1e30f };
    for (int i = 0; i < 4; i++) {
        test_own user = { .bad = bad[i], .bad_frame = 17, .bad_column = 2 };
        marey_own_metric own = test_own_metric(&user, NULL);
        marey_metric_def def = { .own = &own };
        const marey_clip *clips[] = { f->a };
        OWNED(marey_layout) *layout = NULL;
        marey_features *features = NULL;
        marey_error error = { 0 };
        test_ok(marey_layout_build(f->ctx, clips, 1, &def, &layout, NULL));
        assert_int_equal(marey_features_build(layout, f->a, &features, &error), MAREY_ERR_INPUT);
        assert_null(features);
        assert_non_null(strstr(error.message, "column 2 of frame 17"));
        assert_non_null(strstr(error.message, "hand"));
    }
}

CASE(what_its_function_says_went_wrong_is_handed_on)
{
    test_own user = { .fails = MAREY_ERR_NOT_FOUND };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def def = { .own = &own };
    const marey_clip *clips[] = { f->a };
    OWNED(marey_layout) *layout = NULL;
    marey_features *features = NULL;
    marey_error error = { 0 };
    test_ok(marey_layout_build(f->ctx, clips, 1, &def, &layout, NULL));
    assert_int_equal(marey_features_build(layout, f->a, &features, &error), MAREY_ERR_NOT_FOUND);
    assert_string_equal(error.message, "the own metric hand: the net is not there");
}

CASE(an_own_metric_that_is_none_is_refused)
{
    static const double zeros[TEST_OWN_COLUMNS] = { 0 }, negative[TEST_OWN_COLUMNS] = { 1, -1 };
    static const double nan[TEST_OWN_COLUMNS] = { 1, 1, 1, NAN };
    test_own user = { 0 };
    const marey_clip *clips[] = { f->a };
    for (int i = 0; i < 13; i++) {
        marey_own_metric own = test_own_metric(&user, NULL);
        marey_metric_def def = { .own = &own };
        OWNED(marey_layout) *layout = NULL;
        marey_error error = { 0 };
        if (i == 0) own.metric.name = NULL;
        if (i == 1) own.metric.unit = NULL;
        if (i == 2) own.rows = NULL;
        if (i == 3) own.columns = 0;
        if (i == 4) own.columns = MAREY_MOST_COLUMNS + 1;
        if (i == 5) own.weights = zeros;
        if (i == 6) own.weights = negative;
        if (i == 7) own.weights = nan;
        if (i == 8) own.metric.can_bound = true;
        if (i == 9) own.metric.attribute_count = 2;
        if (i == 10) own.metric.squared = true;
        if (i == 11) def.metric = marey_metric_find(0);
        if (i == 12) def.window = MAREY_MOST_WINDOW + 1;
        assert_int_equal(marey_layout_build(f->ctx, clips, 1, &def, &layout, &error),
                         MAREY_ERR_REQUEST);
        assert_true(strlen(error.message) > 10);
    }
    assert_null(marey_metric_named("hand"));
}

TEST(refused_memory_is_reported_and_writes_nothing)
{
    for (int rate = 0; rate < 2; rate++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        OWNED(marey_clip) *clip = test_mover(ctx, 20, 3);
        marey_status status = MAREY_OK;
        test_own user = { 0 };
        marey_own_metric own = test_own_metric(&user, NULL);
        marey_metric_def def = { .own = &own, .window = 3, .fps = rate ? 17 : 0 };
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            const marey_clip *clips[] = { clip };
            marey_layout *layout = NULL;
            marey_features *features = NULL;
            marey_grid *grid = NULL;
            status = marey_layout_build(ctx, clips, 1, &def, &layout, NULL);
            if (!status) status = marey_features_build(layout, clip, &features, NULL);
            if (!status) status = marey_grid_build(ctx, features, features, &grid, NULL);
            if (status) assert_null(grid);
            marey_grid_free(grid);
            marey_features_free(features);
            marey_layout_free(layout);
        }
    }
}

TEST_GROUP_OF_CASES(test_own_metric, NULL, NULL)
