/* family_sample.c - filling parameter space densely and evenly with blends of neighbouring examples (webs, 6.3.2): random
   points in the grown box of the examples' values, the d + 1 examples nearest to each, random weights that are nearly
   convex, and no sample too close to another. */
#include "base/fail.h"
#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

/* ---- weights ------------------------------------------------------------------------------------------- */

void mry_random_weights(uint64_t *seed, double delta, int count, double *weights)
{
    int order[MRY_MOST_NEAR];
    double sum = 0;
    for (int i = 0; i < count; i++) order[i] = i;
    for (int left = count; left > 0; left--) {
        int pick = (int)(mry_random_next(seed) % (uint64_t)left), i = order[pick];
        order[pick] = order[left - 1];
        weights[i] = left == 1 ? 1 - sum
                               : mry_random_between(seed, fmax(-delta, -delta - sum),
                                                    fmin(1 + delta, 1 + delta - sum));
        sum += weights[i];
    }
}

/* To whole parts, upwards; the heaviest takes what is left, which is not more than it had, so all stay valid. */
static void round_weights(int count, double *weights)
{
    int heaviest = 0;
    double sum = 0;
    for (int i = 1; i < count; i++) {
        if (weights[i] > weights[heaviest]) heaviest = i;
    }
    for (int i = 0; i < count; i++) {
        if (i == heaviest) continue;
        weights[i] = ceil(weights[i] * MRY_WEIGHT_PARTS) / MRY_WEIGHT_PARTS + 0.0; /* never -0 */
        sum += weights[i];
    }
    weights[heaviest] = 1 - sum;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* To whole steps. false: no finite number, or farther outside than can be kept. */
static bool round_values(const marey_family *family, double *values)
{
    for (int d = 0; d < family->dims; d++) {
        double step = family->value_step[d], parts = 0;
        if (step > 0) parts = round((values[d] - family->value_base[d]) / step);
        if (!(fabs(parts) < MRY_VALUE_PARTS)) return false;
        values[d] = family->value_base[d] + parts * step;
    }
    return true;
}

static void find_box(marey_family *family)
{
    for (int d = 0; d < family->dims; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < family->examples; i++) {
            double value = family->values[i * family->dims + d];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        double middle = (low + high) / 2, half = (high - low) / 2 * (1 + family->def.grow);
        family->low[d] = middle - half;
        family->high[d] = middle + half;
        family->value_step[d] =
            4 * half / MRY_VALUE_PARTS; /* four times as far: blends leave the box */
        family->value_base[d] = middle;
    }
}

static bool units_agree(const marey_family *family)
{
    for (int d = 1; d < family->dims; d++) {
        if (strcmp(family->dim_units[d], family->dim_units[0]) != 0) return false;
    }
    return true;
}

/* Centimetres are compared with degrees by what the examples do of both. */
static void find_scale(marey_family *family)
{
    bool one_unit = units_agree(family);
    for (int i = 0, d = 0; i < family->def.param_count; i++) {
        int dims = family->params[i].kind->dims;
        double square = 0;
        for (int k = 0; k < dims; k++) {
            double size = (family->high[d + k] - family->low[d + k]) / (1 + family->def.grow);
            square += size * size;
        }
        for (int k = 0; k < dims; k++, d++)
            family->scale[d] = one_unit ? 1 : square > 0 ? 100 / sqrt(square) : 0;
    }
}

static marey_status check_examples(const marey_family *family, marey_error *error)
{
    double most = 0;
    for (int d = 0; d < family->dims; d++) {
        if (!isfinite(family->low[d]) || !isfinite(family->high[d]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s of an example is no finite number",
                            family->dim_names[d]);
        most = fmax(most, family->high[d] - family->low[d]);
    }
    if (most > 1e-6) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s is the same in all examples",
                    family->dim_names[0]);
}

static marey_status measure_examples(marey_family *family, mry_probe *probe, marey_error *error)
{
    double one = 1;
    for (int i = 0; i < family->examples; i++) {
        double *values = family->values + (size_t)i * (size_t)family->dims;
        if (!mry_family_look(family, probe, &i, &one, 1, values))
            return mry_fail_memory(error, NULL);
        family->used[i] = 1;
        family->motions[i * family->near] = i;
        family->weights[i * family->near] = 1;
    }
    find_box(family);
    marey_status status = check_examples(family, error);
    if (status) return status;
    find_scale(family);
    for (int i = 0; i < family->examples; i++)
        round_values(family, family->values + (size_t)i * (size_t)family->dims);
    family->count = family->examples;
    return MAREY_OK;
}

/* ---- neighbours --------------------------------------------------------------------------------------------- */

int mry_family_nearest(const marey_family *family, const double *at, int among, int most,
                       int *samples, double *distances)
{
    int count = 0;
    for (int i = 0; i < among; i++) {
        double distance =
            mry_family_distance(family, at, family->values + (size_t)i * (size_t)family->dims);
        if (count == most && distance >= distances[count - 1]) continue;
        int place = count < most ? count++ : most - 1;
        for (; place > 0 && distances[place - 1] > distance; place--) {
            distances[place] = distances[place - 1];
            samples[place] = samples[place - 1];
        }
        distances[place] = distance;
        samples[place] = i;
    }
    return count;
}

/* ---- samples -------------------------------------------------------------------------------------------------- */

static bool try_one(marey_family *family, mry_probe *probe, uint64_t *seed)
{
    double at[MAREY_MOST_PARAM_DIMS], distances[MRY_MOST_NEAR], nearest;
    int same, dims = family->dims;
    size_t slot = (size_t)family->count;
    double *values = family->values + slot * (size_t)dims;
    int *motions = family->motions + slot * (size_t)family->near;
    double *weights = family->weights + slot * (size_t)family->near;
    for (int d = 0; d < dims; d++)
        at[d] = mry_random_between(seed, family->low[d], family->high[d]);
    int used = mry_family_nearest(family, at, family->examples, family->near, motions, distances);
    mry_random_weights(seed, family->def.delta, used, weights);
    round_weights(used, weights);
    if (!mry_family_look(family, probe, motions, weights, used, values)) return false;
    if (!round_values(family, values)) return true;
    mry_family_nearest(family, values, family->count, 1, &same, &nearest);
    if (nearest < family->def.apart) return true;
    family->used[slot] = used;
    family->count++;
    return true;
}

marey_status mry_family_sample(marey_family *family, marey_error *error)
{
    enum { TRIES_A_REPORT = 16 };
    mry_probe probe;
    uint64_t seed = family->def.seed;
    marey_status status = mry_family_probe(family->ctx, family, &probe, error);
    if (status) return status;
    memcpy(family->moments, probe.u, sizeof family->moments);
    status = measure_examples(family, &probe, error);
    for (int i = 0; i < family->def.samples && !status; i++) {
        if (!try_one(family, &probe, &seed)) status = mry_fail_memory(error, NULL);
        bool go_on =
            i % TRIES_A_REPORT || mry_progress(family->ctx, "sampling", i, family->def.samples);
        if (!status && !go_on) status = mry_fail_cancelled(error);
    }
    mry_probe_close(&probe);
    return status;
}
