/* test_knots.c - control points after appendix A: eq. 5 on thousands of random ones, the least
   change by trying every set of bounds that could bind, ends, invalid lengths, refused memory. */
#include "support.h"

#include "align/knots.h"
#include "math/bspline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 1;

static double chance(void) /* 0 .. 1 */
{
    return test_chance(&seed);
}

static int pick(int low, int high)
{
    return low + (int)(chance() * (high - low + 1));
}

/* ---- judges ---------------------------------------------------------------------------------- */

/* Eq. 5 between all neighbours, as it is printed. */
static void assert_obeys(const double *points, int count, int dims, int base, double epsilon)
{
    for (int i = 1; i < count; i++) {
        const double *a = points + (i - 1) * dims, *b = points + i * dims;
        double s = b[base] - a[base];
        assert_true(s > 0);
        for (int d = 0; d < dims; d++) {
            double ratio = (b[d] - a[d]) / s;
            assert_true(ratio >= epsilon - 2e-12 &&
                        ratio <= 1 / epsilon + 2e-12 / epsilon / epsilon);
        }
    }
}

/* What the paper says follows from it: epsilon^2 <= dS_i / dS_j <= 1 / epsilon^2 everywhere along
   the spline. */
static void assert_slopes_in_bounds(double *points, int count, int dims, double epsilon)
{
    if (count < 3) return;
    mry_spline s = { dims, count, 0, 1, points };
    double slope[16], least = epsilon * epsilon * (1 - 1e-9);
    for (int n = 0; n <= 4 * count; n++) {
        mry_spline_at(&s, n / (4.0 * count), NULL, slope);
        for (int i = 0; i < dims; i++) {
            for (int j = 0; j < dims; j++) assert_true(slope[i] >= least * slope[j]);
            assert_true(slope[i] > 0);
        }
    }
}

static double moved(const double *a, const double *b, int numbers)
{
    double sum = 0;
    for (int n = 0; n < numbers; n++) sum += (a[n] - b[n]) * (a[n] - b[n]);
    return sum;
}

/* The least change by brute force. A bound is a row g with g . points >= least; the least change
   keeps some set of bounds as equations, so every set is tried: the points nearest to the given
   ones with g . points = least for all of it, if all bounds hold there, are a candidate. */
enum { MOST_BOUNDS = 13, MOST_NUMBERS = 20 };

typedef struct bounds {
    int count, numbers;
    double row[MOST_BOUNDS][MOST_NUMBERS], least[MOST_BOUNDS];
    bool held[MOST_NUMBERS]; /* numbers that must not move */
} bounds;

static void add_bound(bounds *b, int from, int to, int dims, int more, int less, double epsilon)
{
    double *row = b->row[b->count++];
    memset(row, 0, sizeof b->row[0]);
    row[to * dims + more] += 1;
    row[from * dims + more] -= 1;
    row[to * dims + less] -= epsilon;
    row[from * dims + less] += epsilon;
}

static double dot(const bounds *b, int i, const double *x)
{
    double sum = 0;
    for (int n = 0; n < b->numbers; n++) sum += b->row[i][n] * x[n];
    return sum;
}

static double dot_free(const bounds *b, int i, int j)
{
    double sum = 0;
    for (int n = 0; n < b->numbers; n++) sum += b->held[n] ? 0 : b->row[i][n] * b->row[j][n];
    return sum;
}

/* The pushes along the chosen rows that make them equations; false if the rows are not
   independent. */
static bool solve_pushes(const bounds *b, const int *rows, int m, const double *x, double *push)
{
    double a[MOST_BOUNDS][MOST_BOUNDS + 1];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) a[i][j] = dot_free(b, rows[i], rows[j]);
        a[i][m] = b->least[rows[i]] - dot(b, rows[i], x);
    }
    for (int k = 0; k < m; k++) { /* positive definite, so no pivots */
        if (a[k][k] < 1e-9) return false;
        for (int i = 0; i < m; i++) {
            double f = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= m; j++) a[i][j] -= f * a[k][j];
        }
    }
    for (int i = 0; i < m; i++) push[i] = a[i][m] / a[i][i];
    return true;
}

/* With steps of the base of at least `rise`. */
static double least_change(const double *given, int count, int dims, int base, double epsilon,
                           bool ends, double rise)
{
    bounds b = { .numbers = count * dims };
    for (int n = 0; ends && n < b.numbers; n++) b.held[n] = n < dims || n >= (count - 1) * dims;
    for (int i = 1; i < count; i++) {
        add_bound(&b, i - 1, i, dims, base, base, 0);
        b.least[b.count - 1] = rise;
        for (int d = 0; d < dims; d++) {
            if (d == base) continue;
            add_bound(&b, i - 1, i, dims, d, base, epsilon);
            add_bound(&b, i - 1, i, dims, base, d, epsilon);
        }
    }
    double best = INFINITY;
    for (int set = 0; set < 1 << b.count; set++) {
        int rows[MOST_BOUNDS], m = 0;
        double push[MOST_BOUNDS], x[MOST_NUMBERS];
        for (int i = 0; i < b.count; i++)
            if (set >> i & 1) rows[m++] = i;
        if (!solve_pushes(&b, rows, m, given, push)) continue;
        memcpy(x, given, sizeof *x * (size_t)b.numbers);
        for (int i = 0; i < m; i++)
            for (int n = 0; n < b.numbers; n++) x[n] += b.held[n] ? 0 : push[i] * b.row[rows[i]][n];
        bool holds = true;
        for (int i = 0; i < b.count && holds; i++) holds = dot(&b, i, x) >= b.least[i] - 1e-9;
        if (holds) best = fmin(best, moved(x, given, b.numbers));
    }
    return best;
}

/* ---- made-up points -------------------------------------------------------------------------- */

enum { MOST = 9 * 64 };

/* Walks of many tempers: gently wrong, falling, leaping, standing still, wild, a long way off. With
   `ends` the lengths fit. */
static void make_points(double *points, int count, int dims, int kind, bool ends, double epsilon)
{
    double at[16];
    for (int d = 0; d < dims; d++) at[d] = kind == 5 ? 0 : kind == 7 ? 1e6 : 50 * chance();
    for (int i = 0; i < count; i++) {
        bool falling = i > count / 3 && i < count / 2;
        for (int d = 0; d < dims; d++) {
            points[i * dims + d] = at[d];
            if (kind == 0) at[d] += 4 * chance();
            if (kind == 1) at[d] += falling ? -3 * chance() : 1 + chance();
            if (kind == 2) at[d] += chance() < 0.1 ? 1e4 * (chance() - 0.5) : 1;
            if (kind == 3) at[d] += chance() < 0.5 ? 0 : 2 * chance();
            if (kind == 4) at[d] = 1e3 * chance();
            if (kind == 6) at[d] -= chance();
            if (kind == 7) at[d] += 1e-3 * (chance() - 0.5);
        }
    }
    if (!ends) return;
    double length = 10 + 300 * chance();
    for (int d = 0; d < dims; d++) {
        double share = 1 + (1 / epsilon - 1) * 0.999 * chance();
        points[(count - 1) * dims + d] = points[d] + length * share;
    }
}

static void assert_adjusted(marey_ctx *ctx, double *points, int count, int dims, double epsilon,
                            bool ends, mry_knots_result *result)
{
    double given[MOST], again[MOST];
    size_t bytes = sizeof *points * (size_t)(count * dims);
    memcpy(given, points, bytes);
    test_ok(mry_knots_adjust(ctx, points, count, dims, epsilon, ends, result, &test_error));
    assert_obeys(points, count, dims, result->base, epsilon);
    assert_slopes_in_bounds(points, count, dims, epsilon);
    double change = moved(points, given, count * dims);
    assert_true(fabs(result->change - change) <= 1e-9 * change);
    if (ends) {
        assert_memory_equal(points, given, sizeof *points * (size_t)dims);
        size_t last = (size_t)((count - 1) * dims);
        assert_memory_equal(points + last, given + last, sizeof *points * (size_t)dims);
    }
    /* What obeys is left alone. */
    mry_knots_result second;
    memcpy(again, points, bytes);
    test_ok(mry_knots_adjust(ctx, again, count, dims, epsilon, ends, &second, NULL));
    assert_true(second.change == 0);
    assert_memory_equal(again, points, bytes);
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* Are the points spread evenly between their ends, which is the last resort? */
static bool is_straight(const double *points, int count, int dims)
{
    const double *last = points + (count - 1) * dims;
    for (int n = 0; n < count * dims; n++) {
        int d = n % dims;
        double line = points[d] + (last[d] - points[d]) * (n / dims) / (count - 1);
        if (fabs(points[n] - line) > 1e-9 * fabs(last[d])) return false;
    }
    return true;
}

TEST_CTX(random_points_obey_equation_5_when_adjusted)
{
    int trials = test_trials(500, 8000);
    for (int trial = 0; trial < trials; trial++) {
        double points[MOST], epsilon = 1.0 / pick(2, 9);
        int dims = pick(2, 9), count = pick(2, 60);
        bool ends = trial % 2;
        mry_knots_result result;
        make_points(points, count, dims, trial / 2 % 8, ends, epsilon);
        assert_adjusted(ctx, points, count, dims, epsilon, ends, &result);
        if (ends && count > 2 && result.change > 0) assert_false(is_straight(points, count, dims));
    }
}

TEST_CTX(points_that_obey_are_left_alone)
{
    for (int trial = 0; trial < 1000; trial++) {
        double points[MOST], given[MOST], epsilon = 1.0 / pick(2, 9);
        int dims = pick(1, 9), count = pick(1, 60);
        for (int n = 0; n < count * dims; n++) {
            double most = (1 / epsilon - 1) * 0.999;
            points[n] = n < dims ? 30 * chance() : points[n - dims];
            if (n >= dims) points[n] += 2 * (1 + most * chance() * (n % dims > 0));
        }
        memcpy(given, points, sizeof given);
        mry_knots_result result = { 7, 7 };
        test_ok(mry_knots_adjust(ctx, points, count, dims, epsilon, trial % 2, &result, NULL));
        assert_true(result.base == 0 && result.change == 0);
        assert_memory_equal(points, given, sizeof *points * (size_t)(count * dims));
    }
}

/* Measured over 2000 trials: 1.018. */
#define WORST 1.05

/* The least step that the header promises a base that does not rise. */
static double least_rise(const double *points, int count, int dims, int base, bool ends)
{
    double low = points[base], high = low, largest = 0;
    for (int n = 0; n < count * dims; n++) {
        largest = fmax(largest, fabs(points[n]));
        if (n % dims != base || (ends && n / dims != count - 1)) continue;
        low = fmin(low, points[n]);
        high = fmax(high, points[n]);
    }
    return fmax(1e-3 * (high - low) / (count - 1), ends ? 0 : 1e-7 * largest);
}

/* A change can be less than the judge's, because steps that rise by less are left alone if they
   obey. */
TEST_CTX(the_change_is_nearly_the_least)
{
    double worst = 1, mean = 0;
    int judged = 0, trials = test_trials(160, 700);
    for (int trial = 0; trial < trials; trial++) {
        double points[MOST], given[MOST], epsilon = 1.0 / pick(2, 4);
        double least = INFINITY, least_rising = INFINITY;
        int dims = pick(2, 3), count = dims == 2 ? pick(2, 5) : pick(2, 3);
        bool ends = trial % 2;
        mry_knots_result result;
        make_points(points, count, dims, trial / 2 % 7, ends, epsilon);
        memcpy(given, points, sizeof given);
        test_ok(mry_knots_adjust(ctx, points, count, dims, epsilon, ends, &result, NULL));
        for (int base = 0; base < dims; base++) {
            double rise = least_rise(given, count, dims, base, ends);
            least = fmin(least, least_change(given, count, dims, base, epsilon, ends, 0));
            least_rising =
                fmin(least_rising, least_change(given, count, dims, base, epsilon, ends, rise));
        }
        assert_true(result.change >= least * (1 - 1e-9) - 1e-9);
        if (least_rising < 1e-6) continue;
        assert_true(result.change < WORST * least_rising);
        worst = fmax(worst, result.change / least_rising);
        mean += result.change / least_rising;
        judged++;
    }
    print_message("change over least: %.4f in the mean, %.3f at worst\n", mean / judged, worst);
    assert_true(judged > trials * 3 / 7 && mean / judged < 1.01);
}

TEST_CTX(motions_in_another_order_give_the_same)
{
    for (int trial = 0; trial < 300; trial++) {
        double points[MOST], turned[MOST];
        int dims = pick(3, 6), count = pick(3, 40);
        bool ends = trial % 2;
        make_points(points, count, dims, trial / 2 % 4, ends, 1.0 / 3);
        for (int n = 0; n < count * dims; n++)
            turned[n / dims * dims + (n % dims + 1) % dims] = points[n];
        mry_knots_result a, b;
        test_ok(mry_knots_adjust(ctx, points, count, dims, 1.0 / 3, ends, &a, NULL));
        test_ok(mry_knots_adjust(ctx, turned, count, dims, 1.0 / 3, ends, &b, NULL));
        assert_true(fabs(a.change - b.change) <= 1e-5 * a.change + 1e-12);
    }
}

/* Motion 2 of these goes between the others, and obeys with both; with another base something would
   have to move. */
TEST_CTX(the_base_with_the_least_change_is_kept)
{
    double points[3 * 10], given[3 * 10];
    for (int n = 0; n < 30; n++) points[n] = n / 3 * (n % 3 == 0 ? 1 : n % 3 == 1 ? 6 : 2.5);
    memcpy(given, points, sizeof given);
    for (int ends = 0; ends < 2; ends++) {
        mry_knots_result result;
        test_ok(mry_knots_adjust(ctx, points, 10, 3, 1.0 / 3, ends, &result, NULL));
        assert_true(result.base == 2 && result.change == 0);
        assert_memory_equal(points, given, sizeof given);
    }
}

/* Lengths at the very limit leave steps of one direction only. */
TEST_CTX(lengths_at_the_limit_put_all_points_on_one_line)
{
    for (int trial = 0; trial < 50; trial++) {
        static double points[8000];
        int count = trial % 5 ? pick(3, 200) : 4000;
        double length = 7.3 * count, from = trial % 2 ? 1e6 : 0, rounding = 1e-15 * (from + length);
        for (int n = 0; n < 2 * count; n++) points[n] = from + 3 * length * chance();
        points[0] = points[1] = from;
        points[2 * count - 2] = from + length;
        points[2 * count - 1] = from + 3 * length;
        mry_knots_result result;
        test_ok(mry_knots_adjust(ctx, points, count, 2, 1.0 / 3, true, &result, NULL));
        for (int i = 0; i < count; i++) {
            double a = points[2 * i] - from, b = points[2 * i + 1] - from;
            assert_true(fabs(3 * a - b) < rounding * count);
            if (i) assert_true(points[2 * i] > points[2 * i - 2]);
        }
    }
}

TEST_CTX(invalid_lengths_are_refused_with_their_numbers)
{
    static const double last[][3] = {
        { 100, 301, 200 }, { 100, -5, 100 }, { 100, 0, 50 }, { -100, -100, -150 }, { 0, 0, 0 }
    };
    static const char *const says[] = { ": 100 to 301 rows", ": -5 to 100 rows", ": 0 to 100 rows",
                                        ": -150 to -100 rows", ": 0 to 0 rows" };
    for (int trial = 0; trial < 5; trial++) {
        double points[6] = { 0, 0, 0, last[trial][0], last[trial][1], last[trial][2] }, given[6];
        int dims = trial ? 3 : 2;
        if (dims == 2) points[2] = last[0][0], points[3] = last[0][1];
        memcpy(given, points, sizeof given);
        mry_knots_result result = { 7, 7 };
        test_refused_about(
            mry_knots_adjust(ctx, points, 2, dims, 1.0 / 3, true, &result, &test_error),
            MAREY_ERR_REQUEST, says[trial]);
        assert_non_null(strstr(test_error.message, "within 3 times"));
        assert_memory_equal(points, given, sizeof given);
        assert_true(result.base == 7 && result.change == 7);
    }
    /* 100 and 301 can be aligned by a third between them. */
    double points[6] = { 0, 0, 0, 100, 301, 200 };
    mry_knots_result result;
    test_ok(mry_knots_adjust(ctx, points, 2, 3, 1.0 / 3, true, &result, NULL));
    assert_int_equal(result.base, 2);
}

/* Between 1e15 and 1e15 + 1 there are seven numbers. */
TEST_CTX(ends_without_numbers_between_are_refused)
{
    double points[40], given[40];
    for (int i = 0; i < 40; i++) points[i] = 1e15 + (i >= 38);
    memcpy(given, points, sizeof given);
    mry_knots_result result;
    test_refused_about(mry_knots_adjust(ctx, points, 20, 2, 1.0 / 3, true, &result, &test_error),
                       MAREY_ERR_REQUEST, "20 knots");
    assert_memory_equal(points, given, sizeof given);
}

/* Where so much is lost to rounding on the way that no mixture obeys, the line itself does. */
TEST_CTX(numbers_beyond_all_measure_end_in_the_straight_line)
{
    for (int trial = 0; trial < 100; trial++) {
        double points[3 * 30], size = pow(10, pick(3, 18));
        for (int n = 0; n < 90; n++) points[n] = size * (chance() - 0.5);
        for (int d = 0; d < 3; d++) points[d] = 0, points[87 + d] = 100 + d;
        mry_knots_result result;
        assert_adjusted(ctx, points, 30, 3, 1.0 / 3, true, &result);
    }
}

TEST_CTX(one_wild_point_leaves_the_others_nearly_alone)
{
    for (int ends = 0; ends < 2; ends++) {
        double points[2 * 60];
        for (int n = 0; n < 120; n++) points[n] = n / 2 * 4;
        points[2 * 30] += 100;
        mry_knots_result result;
        test_ok(mry_knots_adjust(ctx, points, 60, 2, 1.0 / 3, ends, &result, NULL));
        for (int i = 0; i < 120; i++)
            if (abs(i / 2 - 30) > 12) assert_true(fabs(points[i] - i / 2 * 4) < 1);
        print_message("a point off by 100: change %.0f\n", result.change);
    }
}

TEST_CTX(many_points_take_little_time)
{
    enum { COUNT = 10000, DIMS = 3 };
    FREED double *points = malloc(sizeof *points * COUNT * DIMS);
    for (int n = 0; n < COUNT * DIMS; n++) points[n] = n / DIMS * 4 + 10 * chance();
    for (int d = 0; d < DIMS; d++) points[d] = 0, points[(COUNT - 1) * DIMS + d] = COUNT * 4 + d;
    mry_knots_result result;
    clock_t start = clock();
    test_ok(mry_knots_adjust(ctx, points, COUNT, DIMS, 1.0 / 3, true, &result, NULL));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%d knots of %d motions: %.1f ms\n", COUNT, DIMS, 1e3 * seconds);
    assert_obeys(points, COUNT, DIMS, result.base, 1.0 / 3);
    assert_true(seconds < 5);
}

TEST(refused_memory_is_reported_and_changes_nothing)
{
    static double points[9 * 200], given[9 * 200];
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (int i = 0; i < 9 * 200; i++) given[i] = i / 9 + 3 * chance();
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        mry_knots_result result = { 7, 7 };
        marey_error error = { 0 };
        memcpy(points, given, sizeof given);
        status = mry_knots_adjust(ctx, points, 200, 9, 0.25, false, &result, &error);
        assert_int_equal(error.status, status);
        if (status) assert_memory_equal(points, given, sizeof given);
        if (status) assert_true(result.base == 7 && result.change == 7);
    }
}

TEST_GROUP_OF_CASES(test_knots, NULL, NULL)
