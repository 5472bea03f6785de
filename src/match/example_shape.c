/* example_shape.c - fragments of different length brought to the same one by uniform scaling (clusters, 3.1; Keogh et al.
   2004): a fragment's time is divided into equal parts, and each signal's mean over each part is taken, of the straight lines
   between its samples. A mean over a part hardly depends on where in it the samples lie, a single value does; and the mean of
   the parts is that of the fragment. */
#include "match/example_data.h"

#include <math.h>

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

double mry_without_turns(double value, double turn)
{
    return isinf(turn) ? value : value - turn * nearbyint(value / turn);
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

void mry_fragments_cut(const mry_signals *of, const mry_cuts *cuts, const mry_spans *spans,
                       double time, int turn, mry_fragments *to)
{
    for (int i = 0; i < spans->count; i++, to->count++) {
        mry_span span = spans->items[i];
        double start = cuts->times[span.from], end = cuts->times[span.to];
        to->at[to->count] = (marey_fragment){ start + time, end + time,
                                              cuts->tops[span.to] > cuts->tops[span.from] };
        to->from[to->count] = turn + span.from;
        to->to[to->count] = turn + span.to;
        for (int d = 0; d < of->dof_count; d++) {
            size_t at = (size_t)to->count * (size_t)of->dof_count + (size_t)d;
            double mean = mry_shape_of(of->values + of->room * (size_t)d, of->count, start, end,
                                       to->shapes + at * MRY_SAMPLES);
            to->means[at] = (float)mry_without_turns(mean, of->turns[d]);
        }
    }
}
