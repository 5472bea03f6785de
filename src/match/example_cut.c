/* example_cut.c - signals into fragments (clusters, 3.1): where a signal turns, which spans from
   turn to turn are fragments, and what of each is kept to be compared. */
#include "match/example_data.h"

#include "base/binary_heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAP 1.0 /* times the noise: the height of a peak that its centre is taken of */

/* ---- turns ----------------------------------------------------------------------------------- */

/* Where a signal turns (clusters, 3.1: "clipped at points where the first derivative changes
   sign").

   Captured signals tremble, and a derivative depends on the rate; so a signal has turned once it
   went back by `noise` from the highest or lowest value since the last turn. No filter over time
   comes in: the same movement, faster or sampled otherwise, turns at the same poses.

   Where exactly? An actor who lifts an arm, holds it and lowers it turns anywhere while holding:
   which of the trembling values is the highest is chance, and is another one at another rate. So
   the turn is put at the centre of gravity of the peak's cap, of all the area between the signal
   and a level CAP times the noise below the highest value, from the turn before to the one behind:
   a plateau turns at its middle, a sharp peak at its top, between samples, and a small change of
   the signal moves it a little.

   Invariants: times rise strictly; the first is the first sample, the last the last one; a swing
   between two turns is at least `noise` high, but for rounding; what lies before the first swing or
   behind the last one and is less than that belongs to them. */

typedef struct extreme {
    int first, last; /* samples that hold the extreme value; with noise the first one only */
} extreme;

static bool is_swing(double height, double noise)
{
    return height >= noise && height > 0;
}

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

bool mry_cuts_find(const double *values, int count, double noise, mry_arena *mem, mry_cuts *out)
{
    size_t room = count > 0 ? (size_t)count + 1 : 1;
    /* Start of the first swing, then where it turns, then the end of the last. */
    extreme *turns = MRY_NEW_RAW(mem, extreme, room);
    *out = (mry_cuts){ .times = MRY_NEW_RAW(mem, double, room),
                       .tops = MRY_NEW_RAW(mem, double, room) };
    if (!turns || !out->times || !out->tops) return false;
    if (!(noise > 0)) noise = 0; /* any step back is a turn */
    /* The first sample from which on the values span a swing. Its start is the first turn. */
    int low = 0, high = 0, i = 1, found = 0;
    for (; i < count; i++) {
        if (values[i] < values[low]) low = i;
        if (values[i] > values[high]) high = i;
        if (is_swing(values[high] - values[low], noise)) break;
    }
    if (i >= count) return true; /* they never do */
    bool rising = high > low;
    double way = rising ? 1 : -1;
    extreme top = { i, i };
    turns[found++] = (extreme){ rising ? low : high, rising ? low : high };
    for (; i < count; i++) {
        double above = way * (values[i] - values[top.first]);
        if (above > 0) {
            top = (extreme){ i, i };
        } else if (above == 0) {
            top.last = i;
        } else if (is_swing(-above, noise)) {
            turns[found++] = top;
            top = (extreme){ i, i };
            way = -way;
        }
    }
    turns[found++] = top;
    out->count = found;
    out->times[0] = 0;
    out->times[found - 1] = count - 1;
    for (int n = 0; n < found; n++) {
        const extreme *at = &turns[n];
        out->tops[n] = values[at->first];
        if (n == 0 || n + 1 == found) continue;
        out->times[n] = 0.5 * (at->first + at->last);
        if (!(noise > 0)) continue;
        double sign = rising == (n % 2 == 1) ? 1 : -1; /* of a top, or a bottom */
        double level = sign * values[at->first] - CAP * noise;
        int from = at[-1].first, to = at[1].first;
        weighed w = { 0 };
        for (int t = from; t < to; t++)
            weigh_line(&w, t - from, sign * values[t] - level, sign * values[t + 1] - level);
        double centre = from + w.moment / w.area;
        /* Two caps of a swing that is hardly higher than the noise can interleave; the samples
           never do. */
        bool between = centre > out->times[n - 1] && centre < count - 1;
        out->times[n] = between ? centre : at->first;
    }
    return true;
}

/* ---- fragments within fragments -------------------------------------------------------------- */

/* Fragments within fragments. Whether a swing that is about as high as the noise counts is chance:
   at another rate, or drawn by hand, it does not. Then three fragments are one, it is like none of
   the three, and the path jumps. So the clips that are searched are cut at all levels of noise from
   the given one on (the persistence of a signal's extremes; Edelsbrunner et al. 2002): the lowest
   swing vanishes first, and the one before it, itself and the one behind it become one fragment.
   About half as many fragments again, in O(n log n).

   Invariants: the turns that are left are linked in the order of time, tops and bottoms in turn,
   and no swing between two of them is lower than any that has vanished. */

typedef struct swing {
    double height;
    int from, to; /* turns; it is no longer there if they are no neighbours any more */
} swing;

typedef struct nest {
    double *tops;
    int *before, *behind; /* of each turn, the one that is left; -1: none */
    mry_heap swings;
} nest;

static bool is_lower(const void *user, const void *one, const void *other)
{
    const swing *a = one, *b = other;
    (void)user;
    return a->height != b->height ? a->height < b->height : a->from < b->from;
}

/* Neighbours from now on, with a swing between them. */
static void link_turns(nest *n, int first, int last)
{
    swing between = { fabs(n->tops[first] - n->tops[last]), first, last };
    n->behind[first] = last;
    n->before[last] = first;
    mry_heap_push(&n->swings, &between);
}

static void join(nest *n, int first, int last, mry_spans *out)
{
    link_turns(n, first, last);
    out->items[out->count++] = (mry_span){ first, last };
}

static int compare_spans(const void *a, const void *b)
{
    const mry_span *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                          : (x->from < y->from) - (x->from > y->from);
}

bool mry_spans_find(const mry_cuts *cuts, bool nested, mry_arena *mem, mry_spans *out)
{
    size_t room = 2 * (size_t)cuts->count + 1;
    nest n = { .tops = MRY_NEW_RAW(mem, double, room),
               .before = MRY_NEW_RAW(mem, int, room),
               .behind = MRY_NEW_RAW(mem, int, room),
               .swings = { .items = MRY_NEW_RAW(mem, swing, room),
                           .size = sizeof(swing),
                           .before = is_lower } };
    *out = (mry_spans){ .items = MRY_NEW_RAW(mem, mry_span, room) };
    if (!n.tops || !n.before || !n.behind || !n.swings.items || !out->items) return false;
    for (int i = 0; i + 1 < cuts->count; i++) out->items[out->count++] = (mry_span){ i, i + 1 };
    if (!nested || cuts->count == 0) return true;
    memcpy(n.tops, cuts->tops, (size_t)cuts->count * sizeof *n.tops);
    n.before[0] = n.behind[cuts->count - 1] = -1;
    for (int i = 0; i + 1 < cuts->count; i++) {
        link_turns(&n, i, i + 1);
    }
    for (swing one; mry_heap_pop(&n.swings, &one);) {
        int first = n.before[one.from], last = n.behind[one.to];
        if (n.behind[one.from] != one.to || (first < 0 && last < 0)) continue;
        /* At an end the swing goes into the one beside it, which then begins or ends where the
           signal does, but is no higher for that. */
        n.behind[one.from] = -1;
        if (first < 0) {
            n.tops[one.from] = n.tops[one.to];
            n.behind[one.to] = -1;
            join(&n, one.from, last, out);
        } else if (last < 0) {
            n.tops[one.to] = n.tops[one.from];
            join(&n, first, one.to, out);
        } else {
            n.behind[one.to] = -1;
            join(&n, first, last, out);
        }
    }
    qsort(out->items, (size_t)out->count, sizeof *out->items, compare_spans);
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Fragments of different length brought to the same one by uniform scaling (clusters, 3.1; Keogh et
   al. 2004): a fragment's time is divided into equal parts, and each signal's mean over each part
   is taken, of the straight lines between its samples. A mean over a part hardly depends on where
   in it the samples lie, a single value does; and the mean of the parts is that of the fragment. */

/* Of the straight lines between the values, from a to b. */
static double area(const double *values, int count, double a, double b)
{
    double sum = 0;
    for (double t = a; t < b;) {
        int i = (int)t < count - 1 ? (int)t : count - 2;
        double next = i + 1 < b ? i + 1 : b;
        double slope = values[i + 1] - values[i];
        sum += (next - t) * (values[i] + slope * (0.5 * (t + next) - i));
        t = next;
    }
    return sum;
}

double mry_shape_of(const double *values, int count, double start, double end,
                    float shape[MRY_SAMPLES])
{
    double part = (end - start) / MRY_SAMPLES, means[MRY_SAMPLES], mean = 0;
    for (int s = 0; s < MRY_SAMPLES; s++) {
        double from = start + part * s, to = s + 1 < MRY_SAMPLES ? start + part * (s + 1) : end;
        means[s] = area(values, count, from, to) / (to - from);
        mean += means[s] / MRY_SAMPLES;
    }
    for (int s = 0; s < MRY_SAMPLES; s++) shape[s] = (float)(means[s] - mean);
    return mean;
}

bool mry_fragments_make(mry_arena *mem, int count, int dof_count, mry_fragments *out)
{
    size_t values = (size_t)count * (size_t)dof_count;
    *out = (mry_fragments){ .at = MRY_NEW_RAW(mem, marey_fragment, count),
                            .from = MRY_NEW_RAW(mem, int, count),
                            .to = MRY_NEW_RAW(mem, int, count),
                            .means = MRY_NEW_RAW(mem, float, values),
                            .shapes = MRY_NEW_RAW(mem, float, values *MRY_SAMPLES) };
    return out->at && out->from && out->to && out->means && out->shapes;
}

void mry_fragments_cut(const mry_signals *signals, const mry_cuts *cuts, const mry_spans *spans,
                       double time, int turn, mry_fragments *out)
{
    for (int i = 0; i < spans->count; i++, out->count++) {
        mry_span span = spans->items[i];
        double start = cuts->times[span.from], end = cuts->times[span.to];
        out->at[out->count] = (marey_fragment){ start + time, end + time,
                                                cuts->tops[span.to] > cuts->tops[span.from] };
        out->from[out->count] = turn + span.from;
        out->to[out->count] = turn + span.to;
        for (int d = 0; d < signals->dof_count; d++) {
            size_t at = (size_t)out->count * (size_t)signals->dof_count + (size_t)d;
            double mean = mry_shape_of(signals->values + signals->room * (size_t)d, signals->count,
                                       start, end, out->shapes + at * MRY_SAMPLES);
            double turn_by =
                signals->turns[d]; /* the mean without its whole turns, within half a turn of 0 */
            if (!isinf(turn_by)) mean -= turn_by * nearbyint(mean / turn_by);
            out->means[at] = (float)mean;
        }
    }
}
