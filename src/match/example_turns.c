/* example_turns.c - where a signal turns (clusters, 3.1: "clipped at points where the first derivative changes sign").

   Captured signals tremble, and a derivative depends on the rate; so a signal has turned once it went back by `noise` from the
   highest or lowest value since the last turn. No filter over time comes in: the same movement, faster or sampled otherwise, turns
   at the same poses.

   Where exactly? Somebody who lifts an arm, holds it and lowers it turns anywhere while holding: which of the
   trembling values is the highest is chance, and is another one at another rate. So the turn is put at the centre of gravity of
   the peak's cap, of all the area between the signal and a level CAP times the noise below the highest value, from
   the turn before to the one behind: a plateau turns at its middle, a sharp peak at its top, between samples, and a small change
   of the signal moves it a little.

   Invariants: times rise strictly; the first is the first sample, the last the last one; a swing between two turns is at least `noise` high,
   but for rounding; what lies before the first swing or behind the last one and is less than that belongs to them. */
#include "match/example_data.h"

#include <math.h>

#define CAP 1.0

typedef struct turn {
    int first, last; /* samples that hold the extreme value; with noise the first one only */
} turn;

typedef struct zigzag {
    const double *values;
    int count;
    double noise; /* 0: any step back is a turn */
    turn *turns;  /* the start of the first swing, then where it turns, then the end of the last */
    int turn_count;
    bool rising; /* the first swing */
} zigzag;

static bool is_swing(double height, double noise)
{
    return height >= noise && height > 0;
}

/* The first sample from which on the values span a swing; count: they never do. Its start is the first turn. */
static int find_first_swing(zigzag *z)
{
    int low = 0, high = 0, i = 1;
    for (; i < z->count; i++) {
        if (z->values[i] < z->values[low]) low = i;
        if (z->values[i] > z->values[high]) high = i;
        if (is_swing(z->values[high] - z->values[low], z->noise)) break;
    }
    z->rising = high > low;
    z->turns[0] = (turn){ z->rising ? low : high, z->rising ? low : high };
    z->turn_count = 1;
    return i;
}

static void find_extremes(zigzag *z)
{
    int i = find_first_swing(z);
    if (i == z->count) {
        z->turn_count = 0;
        return;
    }
    double sign = z->rising ? 1 : -1;
    turn top = { i, i };
    for (; i < z->count; i++) {
        double above = sign * (z->values[i] - z->values[top.first]);
        if (above > 0) {
            top = (turn){ i, i };
        } else if (above == 0) {
            top.last = i;
        } else if (is_swing(-above, z->noise)) {
            z->turns[z->turn_count++] = top;
            top = (turn){ i, i };
            sign = -sign;
        }
    }
    z->turns[z->turn_count++] = top;
}

/* ---- where between the samples -------------------------------------------------------------------------- */

typedef struct weighed {
    double area, moment;
} weighed;

/* Adds what of the straight line from a at time t to b at t + 1 is above 0. */
static void weigh_line(weighed *w, double t, double a, double b)
{
    double from = 0, to = 1;
    if (a <= 0 && b <= 0) return;
    if (a < 0) from = a / (a - b), a = 0;
    if (b < 0) to = a / (a - b), b = 0;
    w->area += 0.5 * (a + b) * (to - from);
    w->moment += ((t + from) * (2 * a + b) + (t + to) * (a + 2 * b)) * (to - from) / 6;
}

static double cap_centre(const zigzag *z, int i)
{
    bool is_top = z->rising == (i % 2 == 1);
    double sign = is_top ? 1 : -1;
    double level = sign * z->values[z->turns[i].first] - CAP * z->noise;
    int from = z->turns[i - 1].first, to = z->turns[i + 1].first;
    weighed w = { 0 };
    for (int t = from; t < to; t++) {
        weigh_line(&w, t - from, sign * z->values[t] - level, sign * z->values[t + 1] - level);
    }
    return from + w.moment / w.area;
}

static double turning_time(const zigzag *z, int i, double before)
{
    const turn *at = &z->turns[i];
    if (!(z->noise > 0)) return 0.5 * (at->first + at->last);
    double centre = cap_centre(z, i);
    /* Two caps of a swing that is hardly higher than the noise can interleave; the samples never do. */
    return centre > before && centre < z->count - 1 ? centre : at->first;
}

bool mry_cuts_find(const double *values, int count, double noise, mry_arena *mem, mry_cuts *out)
{
    zigzag z = { .values = values, .count = count, .noise = noise > 0 ? noise : 0 };
    size_t room = count > 0 ? (size_t)count + 1 : 1;
    z.turns = MRY_NEW_RAW(mem, turn, room);
    *out = (mry_cuts){ .times = MRY_NEW_RAW(mem, double, room),
                       .tops = MRY_NEW_RAW(mem, double, room) };
    if (!z.turns || !out->times || !out->tops) return false;
    if (count > 1) find_extremes(&z);
    out->count = z.turn_count;
    for (int i = 0; i < z.turn_count; i++) out->tops[i] = values[z.turns[i].first];
    if (z.turn_count == 0) return true;
    out->times[0] = 0;
    for (int i = 1; i + 1 < z.turn_count; i++) {
        out->times[i] = turning_time(&z, i, out->times[i - 1]);
    }
    out->times[z.turn_count - 1] = count - 1;
    return true;
}
