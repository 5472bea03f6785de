/* bspline.c - uniform quadratic B-splines with clamped ends: values, least-squares fits, inverses.
   de Boor, A Practical Guide to Splines; the fit of Kovar & Gleicher 2003, section 4.2.1.

   Everything is done in x = (u - first) / span, so that knots are whole numbers 0 .. n - 2. On the
   span [k, k + 1]

       S(x) = B0 p[k] + B1 p[k + 1] + B2 p[k + 2],   B0 = (1 - t)^2 / l,  B2 = t^2 / r,  B1 = 1 - B0 - B2

   with t = x - k, l = 1 on the first span and else 2, r = 1 on the last and else 2. Its derivative
   goes in a straight line from slope(k + 1) at its left to slope(k + 2) at its right, where
   slope(i) is the step from p[i - 1] to p[i] over the step of their Greville places: a half at the
   first and the last, else one. */
#include "math/bspline.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct place {
    int span; /* its control points are span, span + 1, span + 2 */
    double t; /* 0 .. 1 inside it */
} place;

static place place_of(int count, double first, double last, double u)
{
    int spans = count - 2;
    if (!(u > first)) return (place){ 0, 0 };
    if (u >= last) return (place){ spans - 1, 1 };
    double x = (u - first) / (last - first) * spans;
    int span = (int)x < spans ? (int)x : spans - 1;
    double t = x - span;
    return (place){ span, t < 1 ? t : 1 };
}

/* What the three control points of a span count for. */
static void basis_at(int count, place at, double basis[3])
{
    double l = at.span == 0 ? 1 : 2, r = at.span == count - 3 ? 1 : 2;
    basis[0] = (1 - at.t) * (1 - at.t) / l;
    basis[2] = at.t * at.t / r;
    basis[1] = 1 - basis[0] - basis[2];
}

/* 1 / distance of the Greville places of control points i - 1 and i. */
static double steepness(int count, int i)
{
    return i == 1 || i == count - 1 ? 2 : 1;
}

/* The derivative by x that belongs to the step from control point i - 1 to i. */
static double slope_of(const mry_spline *spline, int i, int dim)
{
    const double *p = spline->points + (size_t)i * (size_t)spline->dims + dim;
    return (p[0] - p[-spline->dims]) * steepness(spline->count, i);
}

int mry_spline_size(int samples, int samples_per_knot)
{
    int spans = samples / samples_per_knot;
    return (spans > 1 ? spans : 1) + 2;
}

void mry_spline_at(const mry_spline *spline, double u, double *value, double *slope)
{
    int dims = spline->dims;
    place at = place_of(spline->count, spline->first, spline->last, u);
    const double *p = spline->points + (size_t)at.span * (size_t)dims;
    double basis[3];
    basis_at(spline->count, at, basis);
    for (int d = 0; value && d < dims; d++) {
        value[d] = basis[0] * p[d] + basis[1] * p[dims + d] + basis[2] * p[2 * dims + d];
    }
    /* A range of length zero is a point, and a point stands still. */
    double length = spline->last - spline->first;
    double scale = length > 0 ? (spline->count - 2) / length : 0;
    for (int d = 0; slope && d < dims; d++) {
        double left = slope_of(spline, at.span + 1, d), right = slope_of(spline, at.span + 2, d);
        slope[d] = ((1 - at.t) * left + at.t * right) * scale;
    }
}

/* ---- systems with two diagonals on either side ----------------------------------------------- */

/* band[3 i + k] is the entry of row i, column i - k; what lies above follows from the symmetry. */
enum { BAND = 3 };

/* band = L L^T in place. Every pivot keeps a share of its diagonal: a system that rounding has made
   singular then gives something bounded instead of no numbers. */
static void band_factor(double *band, int count)
{
    for (int i = 0; i < count; i++) {
        double *row = band + BAND * i;
        double whole = row[0];
        if (i >= 2) row[2] /= band[BAND * (i - 2)];
        if (i >= 1) {
            if (i >= 2) row[1] -= row[2] * band[BAND * (i - 1) + 1];
            row[1] /= band[BAND * (i - 1)];
        }
        double rest = whole - row[1] * row[1] - row[2] * row[2];
        double least = whole * 64 * DBL_EPSILON;
        row[0] = sqrt(rest > least ? rest : least);
    }
}

/* x = (L L^T)^-1 x for `dims` right sides at once. */
static void band_solve(const double *band, int count, int dims, double *x)
{
    for (int i = 0; i < count; i++) {
        const double *row = band + BAND * i;
        for (int d = 0; d < dims; d++) {
            double *at = x + (size_t)i * (size_t)dims + d, sum = at[0];
            if (i >= 1) sum -= row[1] * at[-dims];
            if (i >= 2) sum -= row[2] * at[-2 * dims];
            at[0] = sum / row[0];
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int d = 0; d < dims; d++) {
            double *at = x + (size_t)i * (size_t)dims + d, sum = at[0];
            if (i + 1 < count) sum -= band[BAND * (i + 1) + 1] * at[dims];
            if (i + 2 < count) sum -= band[BAND * (i + 2) + 2] * at[2 * dims];
            at[0] = sum / band[BAND * i];
        }
    }
}

/* out = right - band x. */
static void band_rest(const double *band, int count, int dims, const double *x, const double *right,
                      double *out)
{
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < dims; d++) {
            size_t at = (size_t)i * (size_t)dims + (size_t)d, next = (size_t)dims;
            double sum = right[at] - band[BAND * i] * x[at];
            if (i >= 1) sum -= band[BAND * i + 1] * x[at - next];
            if (i >= 2) sum -= band[BAND * i + 2] * x[at - 2 * next];
            if (i + 1 < count) sum -= band[BAND * (i + 1) + 1] * x[at + next];
            if (i + 2 < count) sum -= band[BAND * (i + 2) + 2] * x[at + 2 * next];
            out[at] = sum;
        }
    }
}

/* ---- fits ------------------------------------------------------------------------------------ */

/* The pull: PULL of the mean diagonal times the second derivatives' squares, and TIGHT of that
   times the slopes' squares. It decides where there are no samples: the curve is bent least there,
   and in gaps longer than some ten knots (1 / sqrt(TIGHT)) goes straight. Solving again for what
   the samples still want takes the pull's own error out: ROUNDS times in all, it falls to
   PULL^ROUNDS of the curvature. */
#define PULL 1e-6
#define TIGHT 1e-2
enum { ROUNDS = 3 };

/* The straight line of least squares, of every dimension: its value at x = 0 and its rise per
   span. */
static void line_through_all(const double *u, const double *values, int count, int dims,
                             double first, double last, double spans, double *line)
{
    double per_u = last > first ? spans / (last - first) : 0, mean = 0, square = 0;
    for (int n = 0; n < count; n++) mean += (u[n] - first) * per_u / count;
    for (int n = 0; n < count; n++) {
        double x = (u[n] - first) * per_u - mean;
        square += x * x;
    }
    for (int d = 0; d < dims; d++) {
        double level = 0, product = 0;
        for (int n = 0; n < count; n++) level += values[(size_t)n * dims + d] / count;
        for (int n = 0; n < count; n++) {
            double x = (u[n] - first) * per_u - mean;
            product += x * (values[(size_t)n * dims + d] - level);
        }
        /* Samples that lie on one place but for rounding say nothing of a slope. */
        double rise = square > 1e-18 * spans * spans * count ? product / square : 0;
        line[2 * d] = level - rise * mean;
        line[2 * d + 1] = rise;
    }
}

/* Adds weight * (second derivative)^2 of every span and weight * TIGHT * (slope)^2 of every
   step. */
static void add_pull(double *band, int points, double weight)
{
    for (int i = 1; i < points; i++) {
        double s = steepness(points, i), square = weight * TIGHT * s * s;
        band[BAND * i] += square;
        band[BAND * (i - 1)] += square;
        band[BAND * i + 1] -= square;
        if (i + 1 == points) break;
        double next = steepness(points, i + 1), c[3] = { s, -s - next, next };
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k <= a; k++) {
                band[BAND * (i - 1 + a) + k] += weight * c[a] * c[a - k];
            }
        }
    }
}

/* Row and column `i` become those of x[i] = 0. */
static void hold_at_zero(double *band, int points, int i)
{
    band[BAND * i] = 1;
    band[BAND * i + 1] = band[BAND * i + 2] = 0;
    if (i + 1 < points) band[BAND * (i + 1) + 1] = 0;
    if (i + 2 < points) band[BAND * (i + 2) + 2] = 0;
}

bool mry_spline_fit(mry_arena *mem, const double *u, const double *values, int count, int dims,
                    int points, double first, double last, bool ends, mry_spline *out)
{
    assert(count >= 1 && dims >= 1 && points >= 3 && first <= last);
    size_t numbers = (size_t)points * (size_t)dims, band = BAND * (size_t)points;
    mry_arena tmp = mry_arena_make(mem->ctx);
    double *x = MRY_NEW(mem, double, numbers), *rest = MRY_NEW(&tmp, double, numbers);
    double *line = MRY_NEW(&tmp, double, 2 * dims);  /* value at `first` and rise per span */
    double *wanted = MRY_NEW(&tmp, double, numbers); /* right side */
    double *plain = MRY_NEW(&tmp, double, band);     /* the normal equations' band .. */
    double *pulled = MRY_NEW(&tmp, double, band);    /* .. and with the pull, factored */
    const double *end_value = values + (size_t)(count - 1) * (size_t)dims;
    if (!x || !rest || !line || !wanted || !plain || !pulled) {
        mry_arena_free(&tmp);
        return false;
    }
    /* Everything is fitted as a deviation from a straight line, so that the pull is to that line:
       straight samples give straight curves, one sample a level one. */
    if (!ends) line_through_all(u, values, count, dims, first, last, points - 2, line);
    for (int d = 0; ends && d < dims; d++) {
        line[2 * d] = values[d];
        line[2 * d + 1] = (end_value[d] - values[d]) / (points - 2);
    }
    /* The normal equations of the samples, by deviations from the line. */
    for (int n = 0; n < count; n++) {
        place at = place_of(points, first, last, u[n]);
        double basis[3];
        basis_at(points, at, basis);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k <= i; k++) plain[BAND * (at.span + i) + k] += basis[i] * basis[i - k];
            for (int d = 0; d < dims; d++) {
                double level = line[2 * d] + line[2 * d + 1] * (at.span + at.t);
                wanted[(size_t)(at.span + i) * dims + d] +=
                    basis[i] * (values[(size_t)n * dims + d] - level);
            }
        }
    }
    double mean = 0;
    for (int i = 0; i < points; i++) mean += plain[BAND * i] / points;
    memcpy(pulled, plain, sizeof *plain * band);
    add_pull(pulled, points, PULL * mean);
    for (int end = 0; ends && end < 2; end++) {
        int i = end ? points - 1 : 0;
        hold_at_zero(plain, points, i);
        hold_at_zero(pulled, points, i);
        memset(wanted + (size_t)i * dims, 0, sizeof *wanted * (size_t)dims);
    }
    band_factor(pulled, points);
    /* Solves again and again for what the last round left over. What no sample touches is never
       left over, so it keeps the shape of least bending. */
    for (int round = 0; round < ROUNDS; round++) {
        band_rest(plain, points, dims, x, wanted, rest);
        band_solve(pulled, points, dims, rest);
        for (size_t n = 0; n < numbers; n++) x[n] += rest[n];
    }
    /* The line's own control points lie on it, at their Greville places. */
    for (int i = 0; i < points; i++) {
        double at = i == 0 ? 0 : i == points - 1 ? points - 2 : i - 0.5;
        for (int d = 0; d < dims; d++)
            x[(size_t)i * dims + d] += line[2 * d] + line[2 * d + 1] * at;
    }
    if (ends) /* to the bit, which the first point is by itself: its deviation is 0 */
        memcpy(x + numbers - dims, end_value, sizeof *x * (size_t)dims);
    *out = (mry_spline){ dims, points, first, last, x };
    mry_arena_free(&tmp);
    return true;
}

/* ---- the inverse ----------------------------------------------------------------------------- */

/* The value at knot k: between two control points, but at the ends, where it is one. */
static double knot_value(const mry_spline *spline, int dim, int k)
{
    const double *p = spline->points + dim;
    size_t dims = (size_t)spline->dims, i = (size_t)k;
    if (k == 0) return p[0];
    if (k == spline->count - 2) return p[(i + 1) * dims];
    return 0.5 * (p[i * dims] + p[(i + 1) * dims]);
}

double mry_spline_find(const mry_spline *spline, int dim, double value)
{
    int spans = spline->count - 2, low = 0, high = spans;
    if (!(value > knot_value(spline, dim, 0))) return spline->first;
    if (value >= knot_value(spline, dim, spans)) return spline->last;
    while (high - low > 1) { /* value(low) <= value < value(high) */
        int middle = low + (high - low) / 2;
        if (knot_value(spline, dim, middle) <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    /* a t + (b - a) t^2 / 2 = rise, in the form that does not cancel; the root is the slope there,
       so not negative. */
    double a = slope_of(spline, low + 1, dim), b = slope_of(spline, low + 2, dim);
    double rise = value - knot_value(spline, dim, low);
    double square = a * a + 2 * (b - a) * rise;
    double sum = a + sqrt(square > 0 ? square : 0);
    double t = sum > 0 ? 2 * rise / sum : 0;
    double x = low + (t < 1 ? t : 1);
    return spline->first + x / spans * (spline->last - spline->first);
}
