/* steady_time.c - how time flows along a registration curve with weights that stay (Kovar &
   Gleicher 2003, 5.1):

       dt/du = 1 / sum of w_j du/dS_j        (eq. 6)

   does not depend on t then, so that it need not be followed frame by frame: over a span of the
   spline, in which the slopes dS_j/du are straight lines, it is cut into pieces of little change,
   each is taken for a parabola through three of its values, and t is that parabola's integral. What
   Runge and Kutta's rule makes of such an equation is the same sum (Simpson's), so blends that are
   made have the same times to a small part of a frame. */
#include "blend/steady_time.h"

#include <math.h>

enum { MOST_PIECES = 64, ROUNDS = 4 };

/* As blend_time.c has it, and why. */
#define LEAST_SLOPE 1e-6

static double at_least(double slope)
{
    return slope > LEAST_SLOPE ? slope : LEAST_SLOPE;
}

/* dt/du. */
static double flow_at(const mry_steady *s, double u)
{
    double sum = 0, at = u - s->start;
    for (int k = 0; k < s->count; k++) sum += s->vote[k] / at_least(s->low[k] + at * s->rise[k]);
    return 1 / sum;
}

/* The more the slopes change over the span, the more pieces: over each, one changes by an eighth at
   most. */
static void enter_span(mry_steady *s, int number)
{
    const mry_spline *times = &s->of->times;
    double left[MRY_MOST_MOTIONS], right[MRY_MOST_MOTIONS], most = 0;
    s->number = number;
    s->start = times->first + number * s->span;
    double end = times->first + (number + 1) * s->span;
    mry_spline_at(times, s->start, NULL, left);
    mry_spline_at(times, end, NULL, right);
    for (int k = 0; k < s->count; k++) {
        double from = at_least(left[s->motion[k]]), to = at_least(right[s->motion[k]]);
        double change = from < to ? (to - from) / from : (from - to) / to;
        s->low[k] = from;
        s->rise[k] = (to - from) / s->span;
        if (change > most) most = change;
    }
    s->pieces_end = fmin(end, s->of->last);
    s->piece = (s->pieces_end - s->u) / (1 + (int)fmin(8 * most, MOST_PIECES - 1));
}

/* The piece from s->u on. */
static void enter_piece(mry_steady *s)
{
    double left = s->pieces_end - s->u;
    /* the last one ends where the span does, whatever rounding says */
    s->length = left < 1.5 * s->piece ? left : s->piece;
    s->a = flow_at(s, s->u);
    s->b = flow_at(s, s->u + s->length / 2);
    s->c = flow_at(s, s->u + s->length);
}

void mry_steady_start(mry_steady *s, const marey_registration *registration, const double *weights)
{
    const mry_spline *times = &registration->times;
    double votes = 0;
    s->of = registration;
    s->count = 0;
    for (int j = 0; j < registration->count; j++) {
        if (weights[j] == 0) continue;
        s->motion[s->count] = j;
        s->vote[s->count++] = fabs(weights[j]); /* weights that are not convex vote by their size */
        votes += fabs(weights[j]);
    }
    for (int k = 0; k < s->count; k++) s->vote[k] /= votes;
    s->span = (times->last - times->first) / (times->count - 2);
    s->u = registration->first;
    s->rows = 0;
    enter_span(s,
               (int)fmin(floor((registration->first - times->first) / s->span), times->count - 3));
    enter_piece(s);
}

double mry_steady_at(mry_steady *s, double rows, double *u)
{
    for (;;) {
        double here = s->length / 6 * (s->a + 4 * s->b + s->c); /* rows of the piece */
        if (!(rows - s->rows > here)) break;
        double end = s->u + s->length;
        bool over = s->length >= s->pieces_end - s->u;
        if (over && s->pieces_end >= s->of->last) {
            *u = s->of->last;
            return rows - s->rows - here;
        }
        s->rows += here;
        s->u = over ? s->pieces_end : end;
        if (over) enter_span(s, s->number + 1);
        enter_piece(s);
    }
    *u = s->u;
    if (!(s->length > 0)) return 0;
    /* How far through the piece, 0 .. 1, its integral has come to the rows: Newton's steps on a
       cubic that rises. */
    double bend = 4 * s->b - 3 * s->a - s->c, twist = 2 * (s->a - 2 * s->b + s->c);
    double wanted = (rows - s->rows) / s->length, x = 6 * wanted / (s->a + 4 * s->b + s->c);
    double least = fmin(s->a, fmin(s->b, s->c)) / 2;
    for (int round = 0; round < ROUNDS; round++) {
        double there = x * (s->a + x * (bend / 2 + x * twist / 3));
        x -= (there - wanted) / fmax(s->a + x * (bend + x * twist), least);
    }
    *u = s->u + s->length * fmax(0, fmin(1, x));
    return 0;
}
