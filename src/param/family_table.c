/* family_table.c - weights from the table of samples (webs, 6.3.3): the k nearest, averaged with 1 / D_i - 1 / D_k after Allen,
   Curless & Popovic. The mean of valid weights is valid. */
#include "param/family_data.h"

#include <math.h>
#include <string.h>

enum { MOST_NEAREST = 16 };

/* Adds a share of a sample's weights to the answer. */
static void add_sample(const marey_family *family, int sample, double share, marey_answer *out)
{
    size_t first = (size_t)sample * (size_t)family->near;
    for (int i = 0; i < family->used[sample]; i++) {
        int motion = family->motions[first + (size_t)i], at = 0;
        while (at < out->count && out->motions[at] != motion) at++;
        if (at == out->count) {
            out->motions[out->count] = motion;
            out->weights[out->count++] = 0;
        }
        out->weights[at] += share * family->weights[first + (size_t)i];
    }
}

/* 1 / D_i - 1 / D_k, summing to 1; a sample at the very point takes all. */
static void find_shares(const double *distances, int count, double *shares)
{
    double sum = 0;
    memset(shares, 0, (size_t)count * sizeof *shares);
    if (count == 1 || distances[0] < 1e-9) {
        shares[0] = 1;
        return;
    }
    for (int i = 0; i < count; i++) {
        shares[i] = 1 / distances[i] - 1 / distances[count - 1];
        sum += shares[i];
    }
    for (int i = 0; i < count; i++) shares[i] = sum > 0 ? shares[i] / sum : 1.0 / count;
}

void mry_family_table(const marey_family *family, const double *wanted, marey_answer *out)
{
    int samples[MOST_NEAREST];
    double distances[MOST_NEAREST], shares[MOST_NEAREST];
    int count =
        mry_family_nearest(family, wanted, family->count, family->def.nearest, samples, distances);
    *out = (marey_answer){ 0 };
    find_shares(distances, count, shares);
    for (int i = 0; i < count; i++) {
        if (shares[i] > 0) add_sample(family, samples[i], shares[i], out);
    }
}
