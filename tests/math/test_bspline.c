/* test_bspline.c - quadratic B-splines against de Boor's recursion, differences, a dense solver and
   bisection. */
#include "support.h"

#include "math/bspline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- judges ---------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static double chance(void) /* 0 .. 1 */
{
    return test_chance(&seed);
}

static int pick_count(int most)
{
    return 1 + (int)(chance() * most);
}

/* Knot i of a clamped quadratic spline of n points over [first, last]. */
static double knot(int n, double first, double last, int i)
{
    int k = i < 2 ? 0 : i - 2;
    return i >= n ? last : first + (last - first) * k / (n - 2);
}

/* Basis function i of a degree by Cox and de Boor's recursion, as textbooks print it; the last span
   is closed. */
static double basis(int n, double first, double last, int i, int degree, double u)
{
    double a = knot(n, first, last, i), b = knot(n, first, last, i + 1);
    if (degree == 0) return a < b && a <= u && (u < b || (b == last && u == last)) ? 1 : 0;
    double end = knot(n, first, last, i + degree), far = knot(n, first, last, i + degree + 1);
    double sum = 0;
    if (end > a) sum += (u - a) / (end - a) * basis(n, first, last, i, degree - 1, u);
    if (far > b) sum += (far - u) / (far - b) * basis(n, first, last, i + 1, degree - 1, u);
    return sum;
}

/* The control points of one dimension by dense normal equations; with `ends` the outer two are
   known. */
static void dense_fit(const double *u, const double *values, int count, int n, double first,
                      double last, bool ends, double *out)
{
    FREED double *a = calloc((size_t)n * n, sizeof *a);
    memset(out, 0, sizeof *out * (size_t)n);
    for (int s = 0; s < count; s++) {
        for (int i = 0; i < n; i++) {
            double bi = basis(n, first, last, i, 2, u[s]);
            out[i] += bi * values[s];
            for (int j = 0; j < n; j++) a[i * n + j] += bi * basis(n, first, last, j, 2, u[s]);
        }
    }
    for (int end = 0; ends && end < 2; end++) {
        int i = end ? n - 1 : 0;
        for (int j = 0; j < n; j++) a[i * n + j] = j == i;
        out[i] = values[end ? count - 1 : 0];
    }
    /* Gauss with pivots; a is n x n, b n; the answer goes to b. */
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = kept;
        }
        double kept = out[k];
        out[k] = out[best];
        out[best] = kept;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            out[i] -= f * out[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) out[i] -= a[i * n + j] * out[j];
        out[i] /= a[i * n + i];
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static mry_spline random_spline(double *points, int dims, int count)
{
    for (int i = 0; i < count * dims; i++) points[i] = 200 * chance() - 100;
    return (mry_spline){ dims, count, -3, -3 + 0.7 * count, points };
}

static double random_u(const mry_spline *s, int n)
{
    if (n == 0) return s->first;
    if (n == 1) return s->last;
    if (n < 20) return s->first + (s->last - s->first) * (n % s->count) / s->count;
    return s->first + (s->last - s->first) * chance();
}

TEST(values_are_those_of_de_boors_recursion)
{
    double points[3 * 12], value[3];
    for (int count = 3; count <= 12; count++) {
        mry_spline s = random_spline(points, 3, count);
        for (int n = 0; n < 200; n++) {
            double u = random_u(&s, n);
            mry_spline_at(&s, u, value, NULL);
            for (int d = 0; d < 3; d++) {
                double sum = 0;
                for (int i = 0; i < count; i++)
                    sum += basis(count, s.first, s.last, i, 2, u) * points[3 * i + d];
                assert_true(fabs(sum - value[d]) < 1e-11);
            }
        }
    }
}

/* Also says that the spline lies in the hull of its points: all 1 gives 1, and it is between -100
   and 100. */
TEST(basis_functions_sum_to_one_and_are_not_negative)
{
    double points[9], value, slope;
    for (int count = 3; count <= 9; count++) {
        mry_spline s = { 1, count, 2, 5, points };
        for (int n = 0; n < 100; n++) {
            double u = random_u(&s, n), sum = 0;
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < count; k++) points[k] = k == i;
                mry_spline_at(&s, u, &value, &slope);
                assert_true(value >= -1e-16 && value <= 1);
                sum += value;
            }
            assert_true(fabs(sum - 1) < 1e-15);
            for (int k = 0; k < count; k++) points[k] = 1;
            mry_spline_at(&s, u, &value, &slope);
            assert_true(fabs(value - 1) < 1e-15 && slope == 0);
        }
    }
}

TEST(slopes_are_those_of_differences)
{
    double points[2 * 11], slope[2], before[2], behind[2];
    for (int count = 3; count <= 11; count++) {
        mry_spline s = random_spline(points, 2, count);
        double span = (s.last - s.first) / (count - 2);
        for (int k = 0; k < count - 2; k++) {
            /* Inside a span central differences of a quadratic are exact. */
            for (int n = 1; n < 10; n++) {
                double u = s.first + (k + 0.1 * n) * span, h = 0.05 * span;
                mry_spline_at(&s, u, NULL, slope);
                mry_spline_at(&s, u - h, before, NULL);
                mry_spline_at(&s, u + h, behind, NULL);
                for (int d = 0; d < 2; d++)
                    assert_true(fabs((behind[d] - before[d]) / (2 * h) - slope[d]) < 1e-9);
            }
        }
    }
}

/* Two directions of continuity at every knot: the value and the slope. */
TEST(values_and_slopes_are_continuous)
{
    double points[10], value[2], slope[2];
    mry_spline s = random_spline(points, 1, 10);
    for (int k = 1; k < 8; k++) {
        double u = s.first + (s.last - s.first) * k / 8;
        for (int side = 0; side < 2; side++)
            mry_spline_at(&s, u + (side ? 1e-12 : -1e-12), &value[side], &slope[side]);
        assert_true(fabs(value[1] - value[0]) < 1e-8 && fabs(slope[1] - slope[0]) < 1e-8);
    }
}

TEST(u_is_held_to_the_range_and_the_ends_are_the_outer_points)
{
    double points[2 * 7], value[2], slope[2], held[2];
    mry_spline s = random_spline(points, 2, 7);
    mry_spline_at(&s, -1e300, value, slope);
    assert_memory_equal(value, points, sizeof value);
    mry_spline_at(&s, s.first, value, held);
    assert_memory_equal(value, points, sizeof value);
    assert_memory_equal(slope, held, sizeof slope);
    mry_spline_at(&s, INFINITY, value, slope);
    assert_memory_equal(value, points + 12, sizeof value);
    mry_spline_at(&s, s.last, value, held);
    assert_memory_equal(value, points + 12, sizeof value);
    assert_memory_equal(slope, held, sizeof slope);
    s.last = s.first; /* a point stands still */
    mry_spline_at(&s, s.first, value, slope);
    assert_true(slope[0] == 0 && slope[1] == 0);
}

TEST(sizes_are_one_knot_for_so_many_samples)
{
    assert_int_equal(mry_spline_size(1, 4), 3);
    assert_int_equal(mry_spline_size(7, 4), 3);
    assert_int_equal(mry_spline_size(8, 4), 4);
    assert_int_equal(mry_spline_size(600, 4), 152);
    assert_int_equal(mry_spline_size(2, 50), 3);
}

/* ---- fits ------------------------------------------------------------------------------------ */

typedef struct sampled {
    int count, dims;
    double u[400], values[1200];
} sampled;

/* Noise around waves, at u from 0 to `last`, both ends among them. */
static void sample_waves(sampled *s, int count, int dims, double last)
{
    s->count = count;
    s->dims = dims;
    for (int n = 0; n < count; n++) s->u[n] = last * chance();
    s->u[0] = 0;
    s->u[count - 1] = last;
    qsort(s->u, (size_t)count, sizeof *s->u, test_compare_doubles);
    for (int n = 0; n < count * dims; n++) {
        double u = s->u[n / dims];
        s->values[n] = 1000 + 30 * (n % dims + 1) * u + 20 * sin(u + n % dims) + chance();
    }
}

static void column(const sampled *s, int d, double *out)
{
    for (int n = 0; n < s->count; n++) out[n] = s->values[n * s->dims + d];
}

TEST_CTX(fits_are_those_of_dense_normal_equations)
{
    static sampled s;
    double judged[40], one[400];
    for (int trial = 0; trial < 60; trial++) {
        int dims = 1 + trial % 3, count = 20 + pick_count(300);
        int points = mry_spline_size(count, 8 + trial % 3);
        bool ends = trial % 2;
        sample_waves(&s, count, dims, 10);
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline got;
        assert_true(mry_spline_fit(&mem, s.u, s.values, count, dims, points, 0, 10, ends, &got));
        assert_true(got.count == points && got.dims == dims && got.first == 0 && got.last == 10);
        for (int d = 0; d < dims; d++) {
            column(&s, d, one);
            dense_fit(s.u, one, count, points, 0, 10, ends, judged);
            for (int i = 0; i < points; i++)
                assert_true(fabs(got.points[i * dims + d] - judged[i]) < 1e-8);
        }
    }
}

TEST_CTX(fits_reproduce_quadratics)
{
    double u[200], values[200], value, slope;
    for (int points = 3; points < 60; points += 4) {
        for (int ends = 0; ends < 2; ends++) {
            OWNED(mry_arena) mem = mry_arena_make(ctx);
            mry_spline s;
            for (int n = 0; n < 200; n++) {
                u[n] = 5 + n / 19.9;
                values[n] = 3 - 40 * u[n] + 7 * u[n] * u[n];
            }
            assert_true(mry_spline_fit(&mem, u, values, 200, 1, points, 5, 15, ends, &s));
            for (int n = 0; n < 300; n++) {
                double at = 5 + 10 * chance();
                mry_spline_at(&s, at, &value, &slope);
                assert_true(fabs(value - (3 - 40 * at + 7 * at * at)) < 1e-9);
                assert_true(fabs(slope - (14 * at - 40)) < 1e-7);
            }
        }
    }
}

TEST_CTX(interpolated_ends_are_exact)
{
    static sampled s;
    double value[3];
    for (int trial = 0; trial < 100; trial++) {
        int count = 1 + pick_count(100);
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline got;
        sample_waves(&s, count, 3, 7);
        assert_true(mry_spline_fit(&mem, s.u, s.values, count, 3, 3 + trial, 0, 7, true, &got));
        mry_spline_at(&got, 0, value, NULL);
        assert_memory_equal(value, s.values, sizeof value);
        mry_spline_at(&got, 7, value, NULL);
        assert_memory_equal(value, s.values + 3 * (count - 1), sizeof value);
    }
}

/* Straight samples, of any number and at any places, give straight curves: gaps, ends without
   samples, more points than samples, many samples in one place. */
TEST_CTX(straight_samples_give_straight_curves_over_any_gaps)
{
    double u[60], values[60], value, slope;
    for (int trial = 0; trial < 300; trial++) {
        int count = 2 + trial % 50, points = 3 + (int)(200 * chance());
        bool ends = trial % 3 == 0;
        for (int n = 0; n < count; n++) u[n] = n % 4 == 3 ? 30 : 100 * chance();
        if (trial % 5 == 0) {
            for (int n = 0; n < count; n++) u[n] *= 0.3; /* nothing behind 30 */
        }
        if (ends) u[0] = 0, u[count - 1] = 100;
        qsort(u, (size_t)count, sizeof *u, test_compare_doubles);
        for (int n = 0; n < count; n++) values[n] = 20 + 3 * u[n];
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline s;
        assert_true(mry_spline_fit(&mem, u, values, count, 1, points, 0, 100, ends, &s));
        for (int n = 0; n <= 100; n++) {
            mry_spline_at(&s, n, &value, &slope);
            assert_true(fabs(value - 20 - 3 * n) < 1e-7 && fabs(slope - 3) < 1e-7);
        }
    }
}

TEST_CTX(a_few_samples_are_gone_through)
{
    const double u[] = { 2, 5, 9 }, values[] = { 10, -20, 40 };
    double value;
    for (int count = 1; count <= 3; count++) {
        for (int points = 3; points < 300; points += 11) {
            OWNED(mry_arena) mem = mry_arena_make(ctx);
            mry_spline s;
            assert_true(mry_spline_fit(&mem, u, values, count, 1, points, 0, 10, false, &s));
            for (int n = 0; n < count; n++) {
                mry_spline_at(&s, u[n], &value, NULL);
                assert_true(fabs(value - values[n]) < 1e-6);
            }
            for (int i = 0; i < points; i++) assert_true(fabs(s.points[i]) < 300);
        }
    }
}

TEST_CTX(one_place_gives_a_level_curve_at_its_mean)
{
    const double u[] = { 4, 4, 4 }, values[] = { 1, 2, 6 };
    for (int count = 1; count <= 3; count += 2) {
        for (int n = 0; n < 4; n++) { /* also over a range of length zero */
            double first = n < 2 ? 0 : 4, last = n < 2 ? 10 : 4;
            OWNED(mry_arena) mem = mry_arena_make(ctx);
            mry_spline s;
            assert_true(mry_spline_fit(&mem, u, values, count, 1, n % 2 ? 1000 : 3, first, last,
                                       n == 3 && count == 1, &s));
            for (int i = 0; i < s.count; i++)
                assert_true(fabs(s.points[i] - (count == 1 ? 1 : 3)) < 1e-9);
        }
    }
}

/* Beside a gap the samples are met as well as without one. Inside, the curve comes with a slope
   that is at most 0.8 off the straight line's, and has turned to it within some ten spans. */
TEST_CTX(gaps_leave_the_fit_beside_them_alone)
{
    double u[400], values[400], value;
    for (int gap = 4; gap < 1000; gap = gap * 3 + 1) { /* in spans */
        int spans = 50 + gap, count = 0;
        for (int n = 0; n < 400; n++) {
            double at = n / 8.0;
            if (at > 25) at += gap;
            if (at > spans) break;
            u[count] = at;
            values[count++] = at * 0.5 + (at > 25 ? 5 : 0) + 2 * sin(at * 0.4);
        }
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline s;
        assert_true(mry_spline_fit(&mem, u, values, count, 1, spans + 2, 0, spans, false, &s));
        for (int n = 0; n < count; n++) {
            mry_spline_at(&s, u[n], &value, NULL);
            assert_true(fabs(value - values[n]) < 0.01);
        }
        double a = 0, b = 0;
        mry_spline_at(&s, 25, &a, NULL);
        mry_spline_at(&s, 25 + gap, &b, NULL);
        for (int n = 0; n <= 20; n++) {
            mry_spline_at(&s, 25 + gap * n / 20.0, &value, NULL);
            assert_true(fabs(value - a - (b - a) * n / 20) < 8);
        }
    }
}

/* Time has no direction, in gaps and beyond the last samples neither. */
TEST_CTX(mirrored_samples_give_the_mirrored_curve)
{
    for (int trial = 0; trial < 50; trial++) {
        double u[2][20], values[2][20];
        int count = pick_count(20), points = 3 + trial;
        for (int n = 0; n < count; n++) u[0][n] = trial % 3 ? 10 * chance() : 4 * chance();
        qsort(u[0], (size_t)count, sizeof u[0][0], test_compare_doubles);
        for (int n = 0; n < count; n++) {
            values[0][n] = values[1][count - 1 - n] = 10 * chance();
            u[1][count - 1 - n] = 10 - u[0][n];
        }
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline s[2];
        for (int side = 0; side < 2; side++) {
            assert_true(mry_spline_fit(&mem, u[side], values[side], count, 1, points, 0, 10, false,
                                       &s[side]));
        }
        for (int i = 0; i < points; i++) {
            double a = s[0].points[i], b = s[1].points[points - 1 - i];
            assert_true(fabs(a - b) < 1e-5 * (1 + fabs(a)));
        }
    }
}

/* ---- the inverse ----------------------------------------------------------------------------- */

static double bisect(const mry_spline *s, int dim, double value)
{
    double low = s->first, high = s->last, at[2];
    for (int n = 0; n < 200; n++) {
        double middle = 0.5 * (low + high);
        mry_spline_at(s, middle, at, NULL);
        if (at[dim] < value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

TEST(inverses_are_those_of_bisection)
{
    double points[2 * 30], back[2];
    for (int trial = 0; trial < 300; trial++) {
        int count = 3 + trial % 28;
        double at[2] = { 10 * chance(), 0 };
        for (int i = 0; i < count; i++) {
            for (int d = 0; d < 2; d++) {
                points[2 * i + d] = at[d];
                at[d] += trial % 7 == 0 ? 1 : 0.05 + chance();
            }
        }
        mry_spline s = { 2, count, 1, 1 + 0.3 * count, points };
        for (int n = 0; n < 40; n++) {
            int d = n % 2;
            double low = points[d], high = points[2 * (count - 1) + d];
            double value = low + (high - low) * (n < 4 ? n / 2 : chance());
            double u = mry_spline_find(&s, d, value);
            assert_true(fabs(u - bisect(&s, d, value)) < 1e-12);
            mry_spline_at(&s, u, back, NULL);
            assert_true(fabs(back[d] - value) < 1e-12);
        }
    }
}

TEST(values_outside_are_found_at_the_ends)
{
    double points[] = { 0, 1, 3, 4, 9 };
    mry_spline s = { 1, 5, 1.6, 5.7, points }; /* 1.6 + (5.7 - 1.6) is not 5.7 */
    static const double before[] = { -INFINITY, -5, 0 }, behind[] = { 9, 9.5, 1e9, INFINITY };
    for (int n = 0; n < 3; n++) assert_true(mry_spline_find(&s, 0, before[n]) == 1.6);
    for (int n = 0; n < 4; n++) assert_true(mry_spline_find(&s, 0, behind[n]) == 5.7);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    static sampled s;
    sample_waves(&s, 400, 3, 10);
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_spline got = { .count = -1 };
        bool fits = mry_spline_fit(&mem, s.u, s.values, 400, 3, 400, 0, 10, true, &got);
        assert_int_equal(got.count, fits ? 400 : -1);
        status = fits ? MAREY_OK : MAREY_ERR_MEMORY;
    }
}

TEST_GROUP_OF_CASES(test_bspline, NULL, NULL)
