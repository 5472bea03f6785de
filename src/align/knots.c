/* knots.c - control points that rise in every motion. Kovar & Gleicher 2003, eq. 5 and appendix A,
   with the sign and the indices put right.

   A step from one point to the next obeys eq. 5 if it lies in a cone: with s the base's part, every
   other part is between epsilon s and s / epsilon. A step that does not obey is replaced by the
   nearest that does, and the difference is put on its two points.

   Sweeps come first: the difference is halved, whatever becomes of the neighbours, and when a
   step's turn comes again what it was given before is taken back first. These are Dykstra's
   projections (Boyle & Dykstra 1986), which go to the least change that is possible; the appendix
   alone drags along all that comes behind a large violation. They only ever come near, so the
   appendix's own pass ends it: in order, as much as possible of the difference, up to one half,
   goes on the point already settled, whose other step must go on obeying, and the rest on the other
   point.

   Why this always ends in points that obey. Free ends: each step obeys when the pass leaves it, and
   what is done later to its points is only done as far as it goes on obeying; one pass is enough.
   Held ends: passes go forwards and backwards in turn, but only ROUNDS times; what then still does
   not obey is mixed with the straight line between the ends by the least share that is enough. All
   steps of that line are the same, and obey because the lengths do (which is checked first); the
   cone is convex and a step of the mixture is the mixture of the steps; so the share 1 is always
   enough. */
#include "align/knots.h"
#include "base/fail.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 32, ROUNDS = 8 };

/* Steps are made to obey a little more than they need, so that rounding cannot undo it: this share
   of epsilon. */
#define MARGIN 1e-6

/* A base that goes backwards is made to rise, by this share of its mean step. */
#define LEAST_STEP 1e-3

typedef struct knots {
    int count, dims, base;
    double epsilon;  /* what must be obeyed .. */
    double inner;    /* .. and what is aimed at; the same only if lengths leave no choice */
    double least;    /* the least step that is made of the base */
    double rounding; /* of a step, where lengths leave no choice; else 0 */
    bool ends;
    const double *given;   /* count x dims */
    double *points;        /* what is made of them */
    double *change, *step; /* dims each: scratch */
    double *pushed;        /* count x dims: what a sweep has added to the step that ends there */
} knots;

static double *point(const knots *k, int i)
{
    return k->points + (size_t)i * (size_t)k->dims;
}

/* Does the step from `a` to `b` obey eq. 5? */
static bool obeys(const knots *k, const double *a, const double *b)
{
    double s = b[k->base] - a[k->base];
    if (!(s > 0)) return false;
    double slack = 1e-12 * s + k->rounding;
    for (int d = 0; d < k->dims; d++) {
        double part = b[d] - a[d];
        if (k->epsilon * s - part > slack || k->epsilon * part - s > slack) return false;
    }
    return true;
}

/* Half the derivative of the squared distance from `step` to the nearest step whose base part is s,
   and its own derivative. Where eq. 5 binds no part but the base's this is s - step[base]. */
static double pull_at(const knots *k, const double *step, double s, double *rate)
{
    double low = k->inner, high = 1 / k->inner, sum = s - step[k->base];
    *rate = 1;
    for (int d = 0; d < k->dims; d++) {
        double edge = step[d] < low * s ? low : step[d] > high * s ? high : 0;
        if (edge == 0 || d == k->base) continue;
        sum += edge * (edge * s - step[d]);
        *rate += edge * edge;
    }
    return sum;
}

/* The base part of the nearest step that obeys. With the parts that violate eq. 5 known, the
   appendix projects on V = (1 for the base, epsilon or 1 / epsilon for them): that is one step of
   Newton's method here. As the base moves others may come to violate, or cease to, so it is
   repeated; the distance is convex in s and the root bracketed, so it cannot go astray. Steps that
   point backwards have no component to keep, and get the least one. */
static double nearest_base(const knots *k, const double *step)
{
    double rate, low = k->least, high = fmax(step[k->base], low);
    if (pull_at(k, step, low, &rate) >= 0) return low;
    for (int d = 0; d < k->dims; d++) high = fmax(high, step[d] / k->inner);
    double s = fmax(step[k->base], low);
    for (int n = 0; n < 100; n++) {
        double pull = pull_at(k, step, s, &rate), next = s - pull / rate;
        if (pull > 0) {
            high = s;
        } else {
            low = s;
        }
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (fabs(next - s) <= 4 * DBL_EPSILON * s) return next;
        s = next;
    }
    return s;
}

/* k->change: what must be added to the step from point i - 1 to i so that it obeys. */
static void find_change(knots *k, int i)
{
    const double *a = point(k, i - 1), *b = point(k, i);
    double *step = k->step;
    for (int d = 0; d < k->dims; d++) step[d] = b[d] - a[d];
    double s = nearest_base(k, step);
    for (int d = 0; d < k->dims; d++) {
        double to = d == k->base ? s : fmin(fmax(step[d], k->inner * s), s / k->inner);
        k->change[d] = to - step[d];
    }
}

/* How much of k->change can be taken from the step that ends in point `i`; at most one half. */
static double spare(const knots *k, int i)
{
    const double *a = point(k, i - 1), *b = point(k, i), *change = k->change;
    double s = b[k->base] - a[k->base], ds = change[k->base], share = 0.5;
    for (int d = 0; d < k->dims; d++) {
        double part = b[d] - a[d], dp = change[d];
        double has[2] = { part - k->inner * s, s - k->inner * part };
        double loses[2] = { dp - k->inner * ds, ds - k->inner * dp };
        if (d == k->base) {
            has[0] = has[1] = s - k->least;
            loses[0] = loses[1] = ds;
        }
        for (int n = 0; n < 2; n++) {
            if (loses[n] > 0) share = fmin(share, fmax(has[n], 0) / loses[n]);
        }
    }
    return share;
}

static bool all_obey(const knots *k)
{
    for (int i = 1; i < k->count; i++) {
        if (!obeys(k, point(k, i - 1), point(k, i))) return false;
    }
    return true;
}

/* To and fro, so that what is pushed gets far at once; until pushes hardly change. Held ends do not
   move; their neighbour takes all. */
static void sweep(knots *k)
{
    double first = 0, news = 1; /* how far the pushes are from the last ones, squared */
    memset(k->pushed, 0, sizeof *k->pushed * (size_t)k->count * (size_t)k->dims);
    for (int n = 0; n < SWEEPS && news > 1e-7 * first; n++) {
        news = 0;
        for (int nth = 1; nth < k->count; nth++) {
            int i = n % 2 ? k->count - nth : nth;
            double *a = point(k, i - 1), *b = point(k, i);
            double *push = k->pushed + (size_t)i * (size_t)k->dims, moved = 0;
            bool held_a = k->ends && i == 1, held_b = k->ends && i == k->count - 1, pushed = false;
            double on_a = held_a ? 0 : held_b ? 1 : 0.5, on_b = held_b ? 0 : 1 - on_a;
            for (int d = 0; d < k->dims; d++) pushed |= push[d] != 0;
            if (!pushed && obeys(k, a, b)) continue;
            for (int d = 0; d < k->dims; d++) {
                a[d] += on_a * push[d];
                b[d] -= on_b * push[d];
            }
            find_change(k, i);
            for (int d = 0; d < k->dims; d++) {
                double change = k->change[d];
                a[d] -= on_a * change;
                b[d] += on_b * change;
                moved += (change - push[d]) * (change - push[d]);
                push[d] = change;
            }
            news += moved;
        }
        if (n == 0) first = news;
    }
}

static void move(knots *k, int i, double share)
{
    double *p = point(k, i);
    for (int d = 0; d < k->dims; d++) p[d] += share * k->change[d];
}

/* The share of the straight line that a step needs: the least t with has + t (line - has) >= 0 for
   all that is asked. */
static double share_needed(double has, double line)
{
    return has < 0 ? fmin(-has / (fmax(line, 0) - has), 1) : 0;
}

static void straighten(knots *k, double share)
{
    const double *first = k->given, *last = k->given + (size_t)(k->count - 1) * (size_t)k->dims;
    double steps = k->count - 1;
    for (int i = 1; i < k->count - 1; i++) {
        double *p = point(k, i);
        for (int d = 0; d < k->dims; d++) {
            double line = first[d] + (last[d] - first[d]) * (i / steps);
            p[d] = share < 1 ? p[d] + share * (line - p[d]) : line;
        }
    }
}

/* Makes k->points of k->given. false: even the line does not obey, for want of digits. */
static bool adjust(knots *k)
{
    int end = k->count - 1;
    const double *first = k->given, *last = k->given + (size_t)end * (size_t)k->dims;
    memcpy(k->points, k->given, sizeof *k->points * (size_t)k->count * (size_t)k->dims);
    sweep(k);
    for (int round = 0; round < ROUNDS && !all_obey(k); round++) {
        for (int i = 1; i < k->count; i++) {
            if (obeys(k, point(k, i - 1), point(k, i))) continue;
            find_change(k, i);
            double share = i > 1 ? spare(k, i - 1) : k->ends ? 0 : 0.5;
            move(k, i, 1 - share);
            move(k, i - 1, -share);
        }
        if (!k->ends) continue;
        /* The same from the other end, which is held. The first point stays, whatever its step is
           then. */
        memcpy(point(k, end), last, sizeof *last * (size_t)k->dims);
        for (int i = end; i > 0; i--) {
            if (obeys(k, point(k, i - 1), point(k, i))) continue;
            find_change(k, i);
            double share = i < end ? spare(k, i + 1) : 0;
            if (i > 1) move(k, i - 1, share - 1);
            if (i < end) move(k, i, share);
        }
    }
    if (all_obey(k) || !k->ends) return all_obey(k);
    /* The least share of the straight line that is enough. */
    double steps = end, m = (last[k->base] - first[k->base]) / steps, share = 0;
    for (int i = 1; i < k->count; i++) {
        const double *a = point(k, i - 1), *b = point(k, i);
        double s = b[k->base] - a[k->base];
        share = fmax(share, share_needed(s - k->least, m - k->least));
        for (int d = 0; d < k->dims; d++) {
            double part = b[d] - a[d], line = (last[d] - first[d]) / steps;
            share = fmax(share, share_needed(part - k->inner * s, line - k->inner * m));
            share = fmax(share, share_needed(s - k->inner * part, m - k->inner * line));
        }
    }
    straighten(k, share);
    if (all_obey(k)) return true;
    straighten(k, 1);
    return all_obey(k);
}

static double length_of(const knots *k, int d)
{
    return k->given[(size_t)(k->count - 1) * (size_t)k->dims + (size_t)d] - k->given[d];
}

/* With held ends the lengths must obey themselves, and how nearly they do not says how much more
   than eq. 5 can be asked of the steps. false: they do not. */
static bool fit_lengths(knots *k, double largest)
{
    double base = length_of(k, k->base), spare_ratio = 1 - k->epsilon;
    for (int d = 0; d < k->dims; d++) {
        double length = length_of(k, d);
        if (!(length > 0)) return false;
        spare_ratio = fmin(spare_ratio, fmin(length / base, base / length) - k->epsilon);
    }
    if (spare_ratio < -1e-12) return false;
    if (0.5 * spare_ratio < k->inner - k->epsilon) {
        k->inner = k->epsilon + 0.5 * fmax(spare_ratio, 0);
        k->rounding = 8 * DBL_EPSILON * largest;
    }
    k->least = LEAST_STEP * base / (k->count - 1);
    return true;
}

marey_status mry_knots_adjust(marey_ctx *ctx, double *points, int count, int dims, double epsilon,
                              bool ends, mry_knots_result *out, marey_error *error)
{
    assert(count >= 1 && dims >= 1 && epsilon > 0 && epsilon < 1);
    if (count < 2) {
        *out = (mry_knots_result){ 0 };
        return MAREY_OK;
    }
    size_t numbers = (size_t)count * (size_t)dims;
    mry_arena tmp = mry_arena_make(ctx);
    knots k = { .count = count, .dims = dims, .epsilon = epsilon, .ends = ends, .given = points };
    double *best = MRY_NEW_RAW(&tmp, double, numbers), largest = 0;
    k.points = MRY_NEW_RAW(&tmp, double, numbers);
    k.pushed = MRY_NEW_RAW(&tmp, double, numbers);
    k.change = MRY_NEW_RAW(&tmp, double, dims);
    k.step = MRY_NEW_RAW(&tmp, double, dims);
    if (!best || !k.points || !k.pushed || !k.change || !k.step) {
        mry_arena_free(&tmp);
        return mry_fail_memory(error, NULL);
    }
    for (size_t n = 0; n < numbers; n++) largest = fmax(largest, fabs(points[n]));
    /* Every base is tried. A later one must be better by more than rounding and the choice of the
       least step explain: two motions have the same cone from both sides. */
    bool fits = false;
    mry_knots_result result = { -1, INFINITY };
    for (k.base = 0; k.base < dims && result.change > 0; k.base++) {
        k.inner = epsilon + MARGIN * epsilon * (1 - epsilon);
        k.rounding = 0;
        if (!ends) {
            /* With free ends nothing keeps steps from being far larger than rounding. */
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < count; i++) {
                double at = points[(size_t)i * (size_t)dims + (size_t)k.base];
                low = fmin(low, at);
                high = fmax(high, at);
            }
            k.least = fmax(LEAST_STEP * (high - low) / (count - 1), 1e-7 * largest);
            if (k.least == 0) k.least = LEAST_STEP;
        } else if (!fit_lengths(&k, largest)) {
            continue;
        }
        fits = true;
        if (!adjust(&k)) continue;
        double change = 0;
        for (size_t n = 0; n < numbers; n++) {
            double moved = k.points[n] - points[n];
            change += moved * moved;
        }
        if (!(change < (1 - 1e-6) * result.change)) continue;
        result = (mry_knots_result){ k.base, change };
        memcpy(best, k.points, sizeof *best * numbers);
    }
    marey_status status = MAREY_OK;
    if (!fits) {
        double shortest = INFINITY, longest = -INFINITY;
        for (int d = 0; d < dims; d++) {
            shortest = fmin(shortest, length_of(&k, d));
            longest = fmax(longest, length_of(&k, d));
        }
        status = mry_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "these clips differ too much in length to align: %.6g to %.6g rows, and none of them "
            "is within %.4g times the length of every other",
            shortest, longest, 1 / epsilon);
    } else if (result.base < 0) {
        status =
            mry_fail(error, MAREY_ERR_REQUEST, NULL,
                     "%d knots near row %.6g have no room to rise: there are no numbers between",
                     count, largest);
    } else {
        memcpy(points, best, sizeof *points * numbers);
        *out = result;
    }
    mry_arena_free(&tmp);
    return status;
}
