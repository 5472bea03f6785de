/* example_scan.c - which fragments are most like those asked for (clusters, 3.1.1: "for each i, we find the K minimum values of
   err_ij"): all fragments of a clip against all of the query, each of the clip read once. Sums run in MRY_SAMPLES lanes of floats and
   are added up in a fixed order, so every compiler may make them wide and all get the same.

   Invariant: a row of candidates is sorted by error, equal errors in the order of clips and of time. */
#include "match/example_data.h"

#include <math.h>
#include <string.h>

/* The squared difference of the means: whole turns do not count. */
static float means_apart(const marey_examples *examples, const mry_asked *asked, const float *a,
                         const float *b)
{
    float sum = 0;
    for (int d = 0; d < asked->dof_count; d++) {
        float apart = fabsf(a[d] - b[asked->dofs[d]]);
        float round = examples->turns[asked->dofs[d]] - apart;
        if (round < apart) apart = round;
        sum += apart * apart;
    }
    return sum * MRY_SAMPLES;
}

static float shapes_apart(const mry_asked *asked, const float *restrict a, const float *restrict b)
{
    float lanes[MRY_SAMPLES] = { 0 };
    for (int d = 0; d < asked->dof_count; d++) {
        const float *x = a + MRY_SAMPLES * d, *y = b + MRY_SAMPLES * asked->dofs[d];
        for (int s = 0; s < MRY_SAMPLES; s++) lanes[s] += (x[s] - y[s]) * (x[s] - y[s]);
    }
    for (int half = MRY_SAMPLES / 2; half > 0; half /= 2) {
        for (int s = 0; s < half; s++) lanes[s] += lanes[s + half];
    }
    return lanes[0];
}

static void insert(mry_candidate *row, int held, int k, mry_candidate one)
{
    int at = held < k ? held : k - 1;
    for (; at > 0 && one.squared < row[at - 1].squared; at--) row[at] = row[at - 1];
    row[at] = one;
}

/* A root of a mean of squares in whole numbers of 2^-32. Values are at most MAREY_EXAMPLE_FARTHEST from 0: it fits. */
static uint64_t whole_error(float squared, int dof_count)
{
    double error = sqrt((double)squared / (MRY_SAMPLES * dof_count));
    return (uint64_t)(error * 4294967296.0 + 0.5);
}

int mry_scan_clip(const marey_examples *examples, int clip, const mry_asked *asked, int k,
                  mry_candidate *out)
{
    const mry_fragments *in = &examples->clips[clip], *of = &asked->fragments;
    int stride = examples->dof_count, held = in->count < k ? in->count : k;
    for (int j = 0; j < in->count; j++) {
        const float *means = in->means + (size_t)j * (size_t)stride;
        const float *shapes = in->shapes + (size_t)j * (size_t)stride * MRY_SAMPLES;
        int now = j < k ? j : k;
        for (int i = 0; i < of->count; i++) {
            mry_candidate *row = out + (size_t)i * (size_t)k;
            size_t at = (size_t)i * (size_t)asked->dof_count;
            float worst = now < k ? INFINITY : row[k - 1].squared;
            float squared =
                examples->shape ? 0 : means_apart(examples, asked, of->means + at, means);
            if (squared >= worst) continue; /* the rest is not less than 0 */
            squared += shapes_apart(asked, of->shapes + at * MRY_SAMPLES, shapes);
            if (squared >= worst) continue;
            insert(row, now, k, (mry_candidate){ 0, squared, clip, j, in->from[j], in->to[j] });
        }
    }
    for (int i = 0; i < of->count; i++) {
        for (int c = 0; c < held; c++) {
            mry_candidate *one = out + (size_t)i * (size_t)k + c;
            one->error = whole_error(one->squared, asked->dof_count);
        }
    }
    return held;
}

int mry_scan_merge(const mry_candidate *from, int count, int rows, int k, mry_candidate *best,
                   int held)
{
    int together = held + count < k ? held + count : k;
    for (int i = 0; i < rows; i++) {
        mry_candidate *row = best + (size_t)i * (size_t)k;
        const mry_candidate *other = from + (size_t)i * (size_t)k;
        for (int c = 0, now = held; c < count; c++) {
            if (now == k && other[c].squared >= row[k - 1].squared) break;
            insert(row, now, k, other[c]);
            if (now < k) now++;
        }
    }
    return together;
}
