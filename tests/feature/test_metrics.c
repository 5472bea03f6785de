/* test_metrics.c - every metric against the papers' formulas, in one cell and over the whole grid:
   invariances, the level experiment, threads, minima, pairs, and what a cell is made of. */
#include "fourier_judge.h"
#include "metric_clips.h"
#include "paper_judge.h"

#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 45, COLS = 37 };

typedef struct fixture {
    marey_ctx *ctx;
    marey_clip *a, *b;
    paper_clip pa, pb;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    f->a = test_mover(f->ctx, ROWS, 11);
    f->b = test_mover(f->ctx, COLS, 12);
    f->pa = paper_open(f->a);
    f->pb = paper_open(f->b);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    paper_close(&f->pa);
    paper_close(&f->pb);
    marey_clip_free(f->a);
    marey_clip_free(f->b);
    marey_ctx_close(f->ctx);
    return 0;
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void close_to(double value, double truth, double tolerance, const char *what, int i, int j)
{
    if (!(fabs(value - truth) <= tolerance * (1 + fabs(truth))))
        fail_msg("%s at %d, %d: %.9g, should be %.9g", what, i, j, value, truth);
}

/* Compares the double form and the grid with a truth for every cell. */
typedef double (*truth_fn)(fixture *f, const test_pair *pair, int i, int j);

static void check_cells(fixture *f, const marey_metric_def *def, truth_fn truth)
{
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, def);
    FREED float *cells = test_cells(&pair);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            double value = truth(f, &pair, i, j);
            close_to(marey_distance(pair.a, i, pair.b, j), value, 2e-6, "double", i, j);
            close_to((double)cells[i * COLS + j], value, 1e-5, "grid", i, j);
        }
    }
}

static double points_truth(fixture *f, const test_pair *pair, int i, int j)
{
    (void)pair;
    return paper_points(&f->pa, i, &f->pb, j);
}

static double angles_truth(fixture *f, const test_pair *pair, int i, int j)
{
    double terms[3], lever = paper_lever(&f->pa, &f->pb);
    const marey_metric_def *def = marey_layout_def(pair->layout);
    paper_angles(&f->pa, i, &f->pb, j, lever, def->fixed_root, terms);
    return def->attributes[0] * terms[0] + def->attributes[1] * terms[1] +
           def->attributes[2] * terms[2];
}

/* The largest step of each term between neighbouring frames. */
static void normals(fixture *f, double lever, double *out)
{
    memset(out, 0, 4 * sizeof *out);
    for (const paper_clip *c = &f->pa; c; c = c == &f->pa ? &f->pb : NULL) {
        for (int i = 0; i + 1 < c->frames; i++) {
            double terms[4];
            paper_positions(c, i, c, i + 1, lever, terms);
            for (int t = 0; t < 4; t++) out[t] = fmax(out[t], terms[t]);
        }
    }
}

static double positions_truth(fixture *f, const test_pair *pair, int i, int j)
{
    double terms[4], by[4], sum = 0, lever = paper_lever(&f->pa, &f->pb);
    const marey_metric_def *def = marey_layout_def(pair->layout);
    normals(f, lever, by);
    paper_positions(&f->pa, i, &f->pb, j, lever, terms);
    for (int t = 0; t < 4; t++) sum += def->attributes[t] * terms[t] / by[t];
    return sum;
}

static double transition_truth(fixture *f, const test_pair *pair, int i, int j)
{
    (void)pair;
    return paper_transition(&f->pa, i, &f->pb, j);
}

#define WITH(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

WITH(points_are_equation_1_at_its_least)
{
    marey_metric_def def = test_metric("points");
    check_cells(f, &def, points_truth);
}

WITH(angles_are_equation_2_1_in_both_forms)
{
    marey_metric_def def = test_metric("angles");
    check_cells(f, &def, angles_truth);
    def.fixed_root = true;
    check_cells(f, &def, angles_truth);
    def.attributes_given = true;
    def.attributes[0] = 0.05;
    def.attributes[1] = 1;
    check_cells(f, &def, angles_truth);
}

WITH(positions_are_equation_2_2_with_its_normalisers)
{
    marey_metric_def def = test_metric("positions");
    check_cells(f, &def, positions_truth);
    def.attributes_given = true;
    def.attributes[1] = 0.25;
    def.attributes[3] = 2;
    check_cells(f, &def, positions_truth);
}

WITH(transition_is_equation_4_3)
{
    marey_metric_def def = test_metric("transition");
    check_cells(f, &def, transition_truth);
}

static void curvature_truth(fixture *f, double share, int window, bool normalised, double *out)
{
    static double ka[ROWS * 10], kb[COLS * 10], relative[ROWS * COLS];
    double most = -INFINITY, least = INFINITY;
    FREED double *sorted = malloc(ROWS * COLS * sizeof *sorted);
    paper_curvature(&f->pa, 0.05, ka);
    paper_curvature(&f->pb, 0.05, kb);
    for (int n = 0; n < ROWS * COLS; n++)
        sorted[n] = relative[n] = paper_relative(&f->pa, n / COLS, &f->pb, n % COLS);
    qsort(sorted, ROWS * COLS, sizeof *sorted, test_compare_doubles);
    double limit = sorted[(int)ceil(share * ROWS * COLS) - 1];
    for (int n = 0; n < ROWS * COLS; n++) {
        out[n] = NAN;
        if (relative[n] > limit) continue;
        out[n] = paper_correlation(&f->pa, ka, n / COLS, &f->pb, kb, n % COLS, window, normalised);
        most = fmax(most, out[n]);
        least = fmin(least, out[n]);
    }
    for (int n = 0; n < ROWS * COLS; n++) out[n] = most - (isnan(out[n]) ? least : out[n]);
}

WITH(curvature_is_equation_3_5_on_the_best_by_3_2)
{
    static double truth[ROWS * COLS];
    for (int form = 0; form < 4; form++) {
        marey_metric_def def = test_metric("curvature");
        def.normalised = form & 1;
        def.candidates = form & 2 ? 1 : 0.2;
        def.window = form & 2 ? 6 : 9;
        curvature_truth(f, def.candidates, def.window, def.normalised, truth);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        FREED float *cells = test_cells(&pair);
        double scale = 0;
        for (int n = 0; n < ROWS * COLS; n++) scale = fmax(scale, truth[n]);
        for (int n = 0; n < ROWS * COLS; n++)
            close_to(cells[n] / scale, truth[n] / scale, 3e-6, "curvature", n / COLS, n % COLS);
    }
}

WITH(curvature_by_the_fourier_domain_is_the_same)
{
    static double truth[ROWS * COLS];
    marey_metric_def def = test_metric("curvature");
    def.candidates = 1;
    for (def.window = 4; def.window <= 31; def.window += 9) {
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        FREED float *cells = test_cells(&pair);
        double most = -INFINITY, least = INFINITY;
        for (int i = 0; i < ROWS; i++) fourier_covariances(pair.a, i, pair.b, truth + i * COLS);
        for (int n = 0; n < ROWS * COLS; n++) {
            most = fmax(most, truth[n]);
            least = fmin(least, truth[n]);
        }
        for (int n = 0; n < ROWS * COLS; n++)
            close_to(cells[n] / (most - least), (most - truth[n]) / (most - least), 3e-6, "Fourier",
                     n / COLS, n % COLS);
    }
}

/* ---- curvature's weak spot ------------------------------------------------------------------- */

/* A clip that stands still but for a trembling of `noise` cm. */
static marey_clip *standing(marey_ctx *ctx, int frames, double noise, uint64_t seed)
{
    marey_clip *clip = test_mover(ctx, frames, 5);
    size_t turns = (size_t)marey_clip_skeleton(clip)->joint_count * 4 * sizeof(float);
    for (int f = 0; f < frames; f++) {
        if (f) memcpy(mry_turn(clip, f), mry_turn(clip, 0), turns);
        if (f) memcpy(mry_place(clip, f), mry_place(clip, 0), 24);
        for (int n = 0; n < 3; n++)
            mry_place(clip, f)[n] += mry_random_between(&seed, -noise, noise);
    }
    return clip;
}

static double largest_curvature(fixture *f, const marey_clip *clip)
{
    marey_metric_def def = test_metric("curvature");
    OWNED(test_pair) pair = test_pair_make(f->ctx, clip, clip, &def);
    double most = 0;
    for (int n = 0; n < marey_features_rows(pair.a) * 10; n++)
        most = fmax(most, pair.a->curvature[n]);
    return most;
}

WITH(joints_that_do_not_move_have_no_curvature)
{
    OWNED(marey_clip) *still = standing(f->ctx, 50, 0, 1);
    OWNED(marey_clip) *trembling = standing(f->ctx, 50, 0.05, 1);
    double moving = largest_curvature(f, f->a);
    assert_true(largest_curvature(f, still) == 0);
    /* By eq. 3.4 itself, half a millimetre of noise bends more sharply than any real movement. */
    double tremble = largest_curvature(f, trembling);
    if (!(tremble < moving)) fail_msg("%g of noise, %g of motion", tremble, moving);
    for (int form = 0; form < 2; form++) {
        marey_metric_def def = test_metric("curvature");
        def.normalised = form & 1;
        OWNED(test_pair) pair = test_pair_make(f->ctx, still, f->b, &def);
        FREED float *cells = test_cells(&pair);
        for (int n = 0; n < 50 * COLS; n++) assert_true(cells[n] == 0); /* 0 correlation all over */
    }
}

WITH(a_circle_has_the_curvature_of_its_radius)
{
    OWNED(marey_clip) *clip = standing(f->ctx, 120, 0, 1);
    for (int t = 0; t < 120; t++) {
        mry_place(clip, t)[0] = 50 * cos(t * 0.05);
        mry_place(clip, t)[2] = 50 * sin(t * 0.05);
    }
    marey_metric_def def = test_metric("curvature");
    OWNED(test_pair) pair = test_pair_make(f->ctx, clip, clip, &def);
    for (int t = 20; t < 100; t++)
        close_to(50 * pair.a->curvature[t * 10], 1, 0.02, "circle", t, 0);
}

/* ---- invariances ----------------------------------------------------------------------------- */

/* The largest difference between two grids, as a share of the largest value. */
static double change(fixture *f, const marey_metric_def *def, const marey_clip *a,
                     const marey_clip *b, const marey_clip *a2, const marey_clip *b2)
{
    OWNED(test_pair) one = test_pair_make(f->ctx, a, b, def);
    OWNED(test_pair) two = test_pair_make(f->ctx, a2, b2, def);
    FREED float *x = test_cells(&one), *y = test_cells(&two);
    double most = 0, worst = 0;
    int count = marey_features_rows(one.a) * marey_features_rows(one.b);
    for (int n = 0; n < count; n++) {
        most = fmax(most, (double)x[n]);
        double by = fabs((double)x[n] - (double)y[n]);
        if (by > worst) worst = by;
    }
    return worst / most;
}

WITH(moving_a_clip_on_the_floor_changes_no_metric)
{
    OWNED(marey_clip) *far =
        test_moved(f->b, mry_rot_about(0, 1, 0, 2.1), (mry_vec){ 100000, 0, -40000 });
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        double by = change(f, &def, f->a, f->b, f->a, far);
        if (!(by < 2e-5)) fail_msg("%s changes by %g", def.metric->name, by);
    }
    marey_metric_def fixed = test_metric("angles");
    fixed.fixed_root = true;
    assert_true(change(f, &fixed, f->a, f->b, f->a, far) > 0.5);
}

WITH(a_slope_changes_points_and_no_other_metric)
{
    static const double lower[] = { 0, 30, 60 };
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clip) *ramp = test_moved(f->b, mry_rot_about(0, 0, 1, 15 * acos(-1.0) / 180),
                                             (mry_vec){ 0, -lower[n], 0 });
        for (int m = 0; marey_metric_find(m); m++) {
            marey_metric_def def = test_metric(marey_metric_find(m)->name);
            double by = change(f, &def, f->a, f->b, f->a, ramp);
            if (m == 0 ? by < 0.05 : by > 2e-5) fail_msg("%s changes by %g", def.metric->name, by);
        }
    }
}

WITH(exchanging_the_clips_transposes_the_grid)
{
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        OWNED(test_pair) one = test_pair_make(f->ctx, f->a, f->b, &def);
        test_pair two = { one.ctx, one.layout, one.b, one.a };
        FREED float *x = test_cells(&one), *y = test_cells(&two);
        float most = 0;
        for (int n = 0; n < ROWS * COLS; n++) most = fmaxf(most, x[n]);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < COLS; j++)
                assert_true(fabsf(x[i * COLS + j] - y[j * ROWS + i]) <= 2e-6f * most);
        }
    }
}

WITH(a_frame_is_nearest_to_itself)
{
    static const char *const names[] = { "points", "angles", "positions", "transition" };
    for (int m = 0; m < 4; m++) {
        marey_metric_def def = test_metric(names[m]);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->a, &def);
        for (int i = 0; i < ROWS; i++) {
            assert_true(marey_distance(pair.a, i, pair.b, i) < 1e-5);
            for (int j = 0; j < ROWS; j++)
                assert_true(i == j || marey_distance(pair.a, i, pair.b, j) > 1e-4);
        }
    }
}

/* ---- threads, windows, minima, pairs --------------------------------------------------------- */

TEST(any_number_of_threads_gives_the_same_bytes)
{
    for (int form = 0; form < 5; form++) {
        FREED float *first = NULL;
        for (int threads = 1; threads <= 4; threads *= 2) {
            marey_ctx_def ctx_def = { .threads = threads };
            OWNED(marey_ctx) *ctx = NULL;
            test_ok(marey_ctx_open(&ctx_def, &ctx));
            OWNED(marey_clip) *a = test_mover(ctx, 150, 1), *b = test_mover(ctx, 170, 2);
            marey_metric_def def = test_metric(marey_metric_find(form)->name);
            OWNED(test_pair) pair = test_pair_make(ctx, a, b, &def);
            float *cells = test_cells(&pair);
            if (first) assert_memory_equal(first, cells, 150 * 170 * sizeof *cells);
            if (first) free(cells);
            if (!first) first = cells;
        }
    }
}

WITH(clips_shorter_than_the_window_are_compared_with_their_ends_repeated)
{
    OWNED(marey_clip) *brief = NULL;
    test_ok(marey_clip_trim(f->a, 3, 6, &brief, NULL));
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        if (def.metric->window > 1) def.window = 31;
        OWNED(test_pair) pair = test_pair_make(f->ctx, brief, f->b, &def);
        FREED float *cells = test_cells(&pair);
        for (int n = 0; n < 3 * COLS; n++) {
            assert_true(isfinite(cells[n]) && cells[n] >= 0);
            double truth = marey_distance(pair.a, n / COLS, pair.b, n % COLS);
            if (m != 3)
                close_to((double)cells[n], truth, 2e-5, def.metric->name, n / COLS, n % COLS);
        }
    }
}

typedef struct seen {
    int count;
    marey_minimum items[ROWS * COLS];
} seen;

static void note(void *user, const marey_minimum *items, int count)
{
    seen *s = user;
    assert_true(s->count + count <= ROWS * COLS);
    memcpy(s->items + s->count, items, (size_t)count * sizeof *items);
    s->count += count;
}

static float at(const float *cells, int i, int j)
{
    return i < 0 || j < 0 || i >= ROWS || j >= COLS ? INFINITY : cells[i * COLS + j];
}

static void check_minima(const float *cells, float below, const seen *found)
{
    int next = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            float d = at(cells, i, j);
            bool row = d < fminf(at(cells, i, j - 1), at(cells, i, j + 1));
            bool col = d < fminf(at(cells, i - 1, j), at(cells, i + 1, j));
            if ((!row && !col) || (below > 0 && d >= below)) continue;
            assert_true(next < found->count);
            const marey_minimum *m = &found->items[next++];
            assert_true(m->row == i && m->col == j && m->value == d);
            assert_int_equal(m->least,
                             (row ? MAREY_LEAST_IN_ROW : 0) | (col ? MAREY_LEAST_IN_COLUMN : 0));
        }
    }
    assert_int_equal(next, found->count);
}

WITH(minima_are_those_of_the_whole_grid)
{
    FREED seen *found = malloc(sizeof *found);
    for (int m = 1; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        FREED float *cells = test_cells(&pair);
        float mean = 0;
        for (int n = 0; n < ROWS * COLS; n++) mean += cells[n] / (ROWS * COLS);
        for (int bounded = 0; bounded < 2; bounded++) {
            marey_minima_def minima = { .below = bounded ? mean : 0, .found = note, .user = found };
            found->count = 0;
            test_ok(marey_grid_minima(f->ctx, pair.a, pair.b, &minima, NULL));
            check_minima(cells, minima.below, found);
        }
    }
}

static int by_pair(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->row != b->row ? a->row - b->row : a->col - b->col;
}

WITH(pairs_are_the_first_of_all_cells_sorted)
{
    static marey_pair all[ROWS * COLS], some[ROWS * COLS];
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        FREED float *cells = test_cells(&pair);
        for (int n = 0; n < ROWS * COLS; n++) all[n] = (marey_pair){ n / COLS, n % COLS, cells[n] };
        qsort(all, ROWS * COLS, sizeof *all, by_pair);
        static const int counts[] = { 0, 1, 17, 300, ROWS * COLS };
        for (int c = 0; c < 5; c++) {
            int found = -1, most = m == 3 ? (int)ceil(0.2 * ROWS * COLS) : ROWS * COLS;
            test_ok(marey_grid_pairs(f->ctx, pair.a, pair.b, counts[c], some, &found, NULL));
            assert_int_equal(found, counts[c] < most ? counts[c] : most);
            for (int n = 0; n + 1 < found; n++) assert_int_equal(by_pair(&some[n], &all[n]), 0);
        }
    }
}

WITH(what_a_cell_is_made_of_sums_to_it)
{
    for (int form = 0; form < 6; form++) {
        int m = form < 5 ? form : 3;
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        def.normalised = form == 5;
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        static double ka[ROWS * 10], kb[COLS * 10];
        paper_curvature(&f->pa, 0.05, ka);
        paper_curvature(&f->pb, 0.05, kb);
        for (int i = 0; i < ROWS; i += 4) {
            double joints[10], frames[MAREY_MOST_WINDOW], rest = -1, by_joint = 0, by_frame = 0;
            int j = (i * 7) % COLS;
            marey_explain(pair.a, i, pair.b, j, joints, frames, &rest);
            for (int n = 0; n < 10; n++) by_joint += joints[n];
            for (int n = 0; n < marey_layout_window(pair.layout); n++) by_frame += frames[n];
            double whole = m == 3 ? paper_correlation(&f->pa, ka, i, &f->pb, kb, j, 9, form == 5)
                                  : marey_distance(pair.a, i, pair.b, j);
            close_to(by_joint + rest, whole, 1e-8, def.metric->name, i, j);
            close_to(by_frame + rest, whole, 1e-8, def.metric->name, i, j);
            marey_explain(pair.a, i, pair.b, j, NULL, NULL, NULL);
        }
    }
}

WITH(the_placement_lays_a_moved_clip_on_itself)
{
    OWNED(marey_clip) *moved =
        test_moved(f->a, mry_rot_about(0, 1, 0, 2.5), (mry_vec){ 300, 0, -100 });
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, moved, NULL);
    for (int i = 0; i < ROWS; i += 5) {
        marey_placement p = marey_place(pair.a, i, pair.b, i);
        double c = cos(p.angle_rad), s = sin(p.angle_rad);
        const double *to = marey_clip_root(f->a, i), *from = marey_clip_root(moved, i);
        close_to(from[0] * c + from[2] * s + p.x_cm, to[0], 1e-4, "x", i, i);
        close_to(-from[0] * s + from[2] * c + p.z_cm, to[2], 1e-4, "z", i, i);
        assert_true(p.sure);
    }
}

WITH(features_of_two_layouts_are_refused)
{
    OWNED(test_pair) one = test_pair_make(f->ctx, f->a, f->b, NULL);
    OWNED(test_pair) two = test_pair_make(f->ctx, f->a, f->b, NULL);
    marey_grid *grid = NULL;
    marey_minima_def minima = { .found = note };
    assert_int_equal(marey_grid_build(f->ctx, one.a, two.b, &grid, NULL), MAREY_ERR_SHAPE);
    assert_int_equal(marey_grid_minima(f->ctx, one.a, two.b, &minima, NULL), MAREY_ERR_SHAPE);
    assert_null(grid);
}

WITH(a_cancelled_grid_says_so)
{
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = test_metric(marey_metric_find(m)->name);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        marey_grid *grid = NULL;
        marey_ctx_cancel(f->ctx);
        assert_int_equal(marey_grid_build(f->ctx, pair.a, pair.b, &grid, NULL),
                         MAREY_ERR_CANCELLED);
        marey_ctx_resume(f->ctx);
        assert_null(grid);
    }
}

TEST_GROUP_OF_CASES(test_metrics, NULL, NULL)
