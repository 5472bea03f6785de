/* blend_time.c - how time flows along a registration curve (Kovar & Gleicher 2003, 5.1):

       du/dt = sum of w_j(t) du/dS_j        (eq. 6)

   The paper's one Euler step a frame drifts, so this is integrated by Runge and Kutta's
   fourth-order rule. S is a quadratic spline: inside one of its spans the slopes dS_j/du are
   straight lines, at the knots they have kinks. A step across a kink would lose the rule's order,
   so steps end at knots: how long the way to the next knot takes is integrated over u, and the last
   piece, which ends between knots, over t. */
#include "align/registration_data.h"
#include "blend/blender.h"

enum { MOST_STEPS = 64 };

/* Along a long chain of pairs a motion may stand almost still: its slope is kept above nothing only
   by a power of 1 / 3, and rounding can take that. Time must not run backwards there. */
#define LEAST_SLOPE 1e-6

/* One way along the curve. */
typedef struct flow {
    const marey_registration *of;
    const double *from, *to;
    double rows; /* of the whole way; its sign says where to */
    double span; /* length of a span of the spline, in u */

    /* of the span that u is in: slopes are low + (u - start) * rise */
    double start;
    double low[MRY_MOST_MOTIONS], rise[MRY_MOST_MOTIONS];
    int steps; /* that are enough for it */
} flow;

/* du/dt where `gone` rows of the way are behind us. Weights vote by their size. */
static double pace(const flow *f, double gone, double u)
{
    double sum = 0, votes = 0, share = gone / f->rows, at = u - f->start;
    for (int j = 0; j < f->of->count; j++) {
        double vote = fabs(f->from[j] + share * (f->to[j] - f->from[j]));
        if (vote == 0) continue;
        /* a step's trial places may lie behind the span's end, where a falling line is below
           nothing */
        sum += vote / fmax(f->low[j] + at * f->rise[j], LEAST_SLOPE);
        votes += vote;
    }
    return votes > 0 ? sum / votes : 1;
}

/* Rows of time from u to `goal`, both in the span. */
static double rows_to(const flow *f, double gone, double u, double goal)
{
    double h = (goal - u) / f->steps, t = 0;
    for (int i = 0; i < f->steps; i++, u += h) {
        double a = 1 / pace(f, gone + t, u);
        double b = 1 / pace(f, gone + t + h / 2 * a, u + h / 2);
        double c = 1 / pace(f, gone + t + h / 2 * b, u + h / 2);
        double d = 1 / pace(f, gone + t + h * c, u + h);
        t += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return t;
}

/* u after `rows` more, which is in the same span. */
static double u_after(const flow *f, double gone, double u, double rows)
{
    double h = rows / f->steps;
    for (int i = 0; i < f->steps; i++, gone += h) {
        double a = pace(f, gone, u);
        double b = pace(f, gone + h / 2, u + h / 2 * a);
        double c = pace(f, gone + h / 2, u + h / 2 * b);
        double d = pace(f, gone + h, u + h * c);
        u += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return u;
}

/* Along one piece of the way, in which no weight changes its sign. */
static double advance_piece(const marey_registration *registration, double u, const double *weights,
                            const double *next_weights, double rows, double *left)
{
    const mry_spline *times = &registration->times;
    flow f = { .of = registration, .from = weights, .to = next_weights, .rows = rows };
    int voters = 0, only = 0, way = rows > 0 ? 1 : -1;
    double end = rows > 0 ? registration->last : registration->first, gone = 0;
    double ends[MRY_MOST_MOTIONS]; /* rows or slopes at an end */
    f.span = (times->last - times->first) / (times->count - 2);
    for (int j = 0; j < registration->count; j++) {
        if (weights[j] == 0 && next_weights[j] == 0) continue;
        voters++;
        only = j;
    }
    if (voters == 1) {
        /* A motion that has all the weight all the way is played at its own rate, which needs no
           integration. */
        double at[MRY_MOST_MOTIONS];
        mry_spline_at(times, u, at, NULL);
        mry_spline_at(times, end, ends, NULL);
        double goal = at[only] + rows, over = goal - ends[only];
        if (!(rows * over > 0)) return marey_registration_find(registration, only, goal);
        *left = over;
        return end;
    }
    int number = (int)floor((u - times->first) / f.span);
    for (; way * (end - u) > 0; number += way) { /* from a knot, the first may have no length */
        double knot = times->first + (number + (way > 0)) * f.span, most = 0;
        double goal = way > 0 ? fmin(knot, end) : fmax(knot, end);
        /* Between the slopes at both its ends the curve's derivative is straight. The more it
           changes over the span, the more steps: of each, a slope changes by an eighth at most. */
        f.start = times->first + number * f.span;
        mry_spline_at(times, f.start, NULL, f.low);
        mry_spline_at(times, times->first + (number + 1) * f.span, NULL, ends);
        for (int j = 0; j < registration->count; j++) {
            f.low[j] = fmax(f.low[j], LEAST_SLOPE);
            ends[j] = fmax(ends[j], LEAST_SLOPE);
            f.rise[j] = (ends[j] - f.low[j]) / f.span;
            if (weights[j] == 0 && next_weights[j] == 0) continue;
            most = fmax(most, fabs(ends[j] - f.low[j]) / fmin(ends[j], f.low[j]));
        }
        f.steps = 1 + (int)fmin(8 * most, MOST_STEPS - 1);
        double there = rows_to(&f, gone, u, goal), rest = rows - gone;
        if (way * there >= way * rest) {
            u = u_after(&f, gone, u, rest);
            return way > 0 ? fmin(u, goal) : fmax(u, goal);
        }
        gone += there;
        u = goal;
    }
    *left = rows - gone;
    return end;
}

double mry_blend_advance_by(const marey_registration *registration, double u, const double *weights,
                            const double *next_weights, double rows, double *left)
{
    *left = 0;
    u = fmax(registration->first, fmin(registration->last, u));
    for (double share = 0, next = 1; rows != 0 && share < 1; share = next) {
        double a[MRY_MOST_MOTIONS], b[MRY_MOST_MOTIONS];
        /* How far on the way, as a share of it, a weight next goes through zero; 1: nowhere. Its
           vote has a kink there. */
        next = 1;
        for (int j = 0; j < registration->count; j++) {
            if (weights[j] * next_weights[j] >= 0) continue;
            double at = weights[j] / (weights[j] - next_weights[j]);
            if (at > share + 1e-9 && at < next - 1e-9) next = at;
        }
        if (share == 0 && next == 1)
            return advance_piece(registration, u, weights, next_weights, rows, left);
        for (int j = 0; j < registration->count; j++) {
            a[j] = weights[j] + share * (next_weights[j] - weights[j]);
            b[j] = weights[j] + next * (next_weights[j] - weights[j]);
        }
        u = advance_piece(registration, u, a, b, (next - share) * rows, left);
        if (*left == 0) continue;
        *left += (1 - next) * rows;
        break;
    }
    return u;
}

double mry_blend_advance(const marey_registration *registration, double u, const double *weights,
                         const double *next_weights, double rows)
{
    double left;
    return mry_blend_advance_by(registration, u, weights, next_weights, rows, &left);
}
