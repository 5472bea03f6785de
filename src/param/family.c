/* family.c - families of motions: from examples to something that can be asked (webs, 6.3).
   Examples are registered (6.3.1, the tree of pairs comes from a match graph), then sampled:
   parameter space is filled densely and evenly with blends of neighbouring examples (6.3.2). */
#include "base/fail.h"
#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double mry_family_distance(const marey_family *family, const double *a, const double *b)
{
    double sum = 0;
    for (int d = 0; d < family->dims; d++) {
        double apart = (a[d] - b[d]) * family->scale[d];
        sum += apart * apart;
    }
    return sqrt(sum);
}

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

/* Fills in the examples' own values, the box around them and the scale. */
static marey_status measure_examples(marey_family *family, mry_probe *probe, marey_error *error)
{
    double one = 1, widest = 0;
    bool one_unit = true;
    for (int i = 0; i < family->examples; i++) {
        double *values = family->values + (size_t)i * (size_t)family->dims;
        if (!mry_family_look(family, probe, &i, &one, 1, values))
            return mry_fail_memory(error, NULL);
        family->used[i] = 1;
        family->motions[i * family->near] = i;
        family->weights[i * family->near] = 1;
    }
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
        family->value_base[d] = middle;
        /* four times as far: blends leave the box */
        family->value_step[d] = 4 * half / MRY_VALUE_PARTS;
        if (!isfinite(family->low[d]) || !isfinite(family->high[d]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s of an example is no finite number",
                            family->dim_names[d]);
        widest = fmax(widest, family->high[d] - family->low[d]);
        one_unit &= strcmp(family->dim_units[d], family->dim_units[0]) == 0;
    }
    if (!(widest > 1e-6))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s is the same in all examples",
                        family->dim_names[0]);
    /* Centimetres are compared with degrees by what the examples do of both. */
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
    for (int i = 0; i < family->examples; i++)
        round_values(family, family->values + (size_t)i * (size_t)family->dims);
    family->count = family->examples;
    return MAREY_OK;
}

int mry_family_nearest(const marey_family *family, const double *at, int among,
                       const uint8_t *allowed, int most, int *samples, double *distances)
{
    int count = 0;
    for (int i = 0; i < among; i++) {
        double distance =
            mry_family_distance(family, at, family->values + (size_t)i * (size_t)family->dims);
        if (allowed && !allowed[i]) continue;
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

/* Tries a sample in the next free slot. false: out of memory. */
static bool sample_try(marey_family *family, mry_probe *probe, uint64_t *seed)
{
    double at[MAREY_MOST_PARAM_DIMS], distances[MRY_MOST_NEAR], nearest, sum = 0;
    int same, heaviest = 0, dims = family->dims;
    size_t slot = (size_t)family->count;
    double *values = family->values + slot * (size_t)dims;
    int *motions = family->motions + slot * (size_t)family->near;
    double *weights = family->weights + slot * (size_t)family->near;
    for (int d = 0; d < dims; d++)
        at[d] = mry_random_between(seed, family->low[d], family->high[d]);
    int used =
        mry_family_nearest(family, at, family->examples, NULL, family->near, motions, distances);
    mry_random_weights(seed, family->def.delta, used, weights);
    /* Weights to whole parts, upwards; the heaviest takes what is left, which is not more than it
       had, so all stay valid. */
    for (int i = 1; i < used; i++) {
        if (weights[i] > weights[heaviest]) heaviest = i;
    }
    for (int i = 0; i < used; i++) {
        if (i == heaviest) continue;
        weights[i] = ceil(weights[i] * MRY_WEIGHT_PARTS) / MRY_WEIGHT_PARTS + 0.0; /* never -0 */
        sum += weights[i];
    }
    weights[heaviest] = 1 - sum;
    if (!mry_family_look(family, probe, motions, weights, used, values)) return false;
    if (!round_values(family, values)) return true;
    mry_family_nearest(family, values, family->count, NULL, 1, &same, &nearest);
    if (nearest < family->def.apart) return true;
    family->used[slot] = used;
    family->count++;
    return true;
}

/* Fills in the defaults and checks what was given. */
static marey_status resolve(const marey_family_def *given, marey_family_def *def, int *dims,
                            int *labels, marey_error *error)
{
    *def = *given;
    if (def->samples == 0) def->samples = 1000;
    if (def->grow == 0) def->grow = 0.2;
    if (def->delta == 0) def->delta = 0.1;
    if (def->apart == 0) def->apart = 1.27;
    if (def->nearest == 0) def->nearest = 12;
    if (def->seed == 0) def->seed = 1;
    if (def->samples < 0) def->samples = 0;
    if (def->delta < 0) def->delta = 0;
    if (def->apart < 0) def->apart = 0;
    *dims = *labels = 0;
    if (def->param_count < 1 || def->param_count > MAREY_MOST_PARAMS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "parameters must be 1 to %d, got %d",
                        MAREY_MOST_PARAMS, def->param_count);
    for (int i = 0; i < def->param_count; i++) {
        *dims += def->params[i].kind->dims;
        *labels += mry_param_kind_of(&def->params[i]) == MRY_KIND_LABEL;
    }
    if (*labels) def->samples = 0;
    if (*dims > MAREY_MOST_PARAM_DIMS - 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the parameters have %d numbers, and %d is the most", *dims,
                        MAREY_MOST_PARAM_DIMS - 1);
    if (*labels && !def->label_values)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the examples' values of the labels are not given");
    bool finite = isfinite(def->grow) && isfinite(def->delta) && isfinite(def->apart);
    if (!finite || def->grow < 0 || def->grow > 10)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "grow must be 0 to 10, delta and apart finite, got %g, %g and %g",
                        def->grow, def->delta, def->apart);
    if (def->delta > 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "delta must be at most 1, got %g",
                        def->delta);
    if (def->samples > 100000)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "samples must be at most 100000, got %d",
                        def->samples);
    if (def->nearest < 2 || def->nearest > 16)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "nearest samples must be 2 to 16, got %d",
                        def->nearest);
    return MAREY_OK;
}

marey_status mry_family_make_empty(marey_ctx *ctx, marey_registration *registration,
                                   const marey_family_def *given, marey_family **out,
                                   marey_error *error)
{
    marey_family_def def;
    int dims, labels, d = 0;
    marey_status status = resolve(given, &def, &dims, &labels, error);
    if (status) return status;
    mry_arena mem = mry_arena_make(ctx);
    marey_family *family = MRY_NEW(&mem, marey_family, 1);
    if (!family) return mry_fail_memory(error, NULL);
    int examples = marey_registration_count(registration);
    size_t label_count = (size_t)examples * (size_t)labels;
    *family = (marey_family){ .mem = mem,
                              .ctx = ctx,
                              .examples = examples,
                              .def = def,
                              .dims = dims,
                              .labels = labels,
                              .near = dims + 1 < examples ? dims + 1 : examples };
    size_t most = (size_t)examples + (size_t)def.samples, near = (size_t)family->near;
    family->params = MRY_NEW(&family->mem, marey_param, def.param_count);
    family->label_values = MRY_NEW(&family->mem, double, label_count + 1);
    family->dim_names = MRY_NEW(&family->mem, char *, dims);
    family->values = MRY_NEW(&family->mem, double, most *(size_t)dims);
    family->used = MRY_NEW(&family->mem, int, most);
    family->motions = MRY_NEW(&family->mem, int, most *near);
    family->weights = MRY_NEW(&family->mem, double, most *near);
    if (!family->params || !family->label_values || !family->dim_names || !family->values ||
        !family->used || !family->motions || !family->weights)
        goto no_memory;
    memcpy(family->params, def.params, (size_t)def.param_count * sizeof *family->params);
    status = mry_param_bind(ctx, family->params, def.param_count, error);
    if (status) {
        marey_family_free(family);
        return status;
    }
    if (labels) memcpy(family->label_values, def.label_values, label_count * sizeof(double));
    family->def.params = family->params;
    family->def.label_values = family->label_values;
    family->def.registration = NULL;
    for (int i = 0; i < def.param_count; i++) {
        const marey_param_kind *kind = family->params[i].kind;
        char text[256];
        marey_param_text(&family->params[i], text, sizeof text);
        for (int k = 0; k < kind->dims; k++, d++) {
            const marey_own_feature *own = family->params[i].own;
            family->dim_units[d] = own ? own->unit : kind->unit;
            family->dim_names[d] = kind->dims > 1
                                       ? mry_arena_print(&family->mem, "%s.%s", text, kind->axes[k])
                                       : mry_arena_print(&family->mem, "%s", text);
            if (!family->dim_names[d]) goto no_memory;
        }
    }
    family->of = registration;
    *out = family;
    return MAREY_OK;
no_memory:
    marey_family_free(family);
    return mry_fail_memory(error, NULL);
}

marey_status marey_family_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                const marey_contacts *contacts, const marey_family_def *def,
                                marey_family **out, marey_error *error)
{
    enum { TRIES_A_REPORT = 16 };
    marey_registration *registration = NULL;
    marey_family *family = NULL;
    marey_family_def none = { 0 }, resolved;
    mry_probe probe;
    int dims, labels;
    marey_param bound[MAREY_MOST_PARAMS];
    marey_status status = resolve(def ? def : &none, &resolved, &dims, &labels, error);
    if (status) return status;
    memcpy(bound, def->params, (size_t)def->param_count * sizeof *bound);
    status = mry_param_bind(ctx, bound, def->param_count, error);
    if (status) return status;
    status = marey_registration_build(ctx, clips, count, contacts, def->registration, &registration,
                                      error);
    if (status) return status;
    status = mry_family_make_empty(ctx, registration, def, &family, error);
    if (status) {
        marey_registration_free(registration);
        return status;
    }
    status = mry_family_probe(ctx, family, &probe, error);
    if (status) {
        marey_family_free(family);
        return status;
    }
    memcpy(family->moments, probe.u, sizeof family->moments);
    status = measure_examples(family, &probe, error);
    /* Random points in the grown box of the examples' values, the d + 1 examples nearest to each,
       random weights that are nearly convex, and no sample too close to another. */
    uint64_t seed = family->def.seed;
    for (int i = 0; i < family->def.samples && !status; i++) {
        if (!sample_try(family, &probe, &seed)) status = mry_fail_memory(error, NULL);
        bool go_on = i % TRIES_A_REPORT || mry_progress(ctx, "sampling", i, family->def.samples);
        if (!status && !go_on) status = mry_fail_cancelled(error);
    }
    mry_probe_close(&probe);
    if (status) {
        marey_family_free(family);
        return status;
    }
    *out = family;
    return MAREY_OK;
}

void marey_family_free(marey_family *family)
{
    if (!family) return;
    marey_registration_free(family->of);
    mry_arena mem = family->mem; /* it goes with its arena */
    mry_arena_free(&mem);
}

marey_status mry_family_probe(marey_ctx *ctx, const marey_family *family, mry_probe *probe,
                              marey_error *error)
{
    return mry_probe_open(probe, ctx, family->of, family->params, family->def.param_count,
                          family->count ? family->moments : NULL, error);
}

bool mry_family_look(const marey_family *family, mry_probe *probe, const int *motions,
                     const double *weights, int count, double *values)
{
    if (!mry_probe_values(probe, motions, weights, count, values)) return false;
    /* Labels are mixed as the motions are. */
    for (int i = 0, label = 0; family->labels && i < family->def.param_count; i++) {
        if (mry_param_kind_of(&family->params[i]) == MRY_KIND_LABEL) {
            *values = 0;
            for (int k = 0; k < count; k++)
                *values += weights[k] * family->label_values[motions[k] * family->labels + label];
            label++;
        }
        values += family->params[i].kind->dims;
    }
    return true;
}

marey_status marey_family_values(marey_ctx *ctx, const marey_family *family, const int *motions,
                                 const double *weights, int count, double *values,
                                 marey_error *error)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (motions[i] < 0 || motions[i] >= family->examples)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no example %d", motions[i]);
        for (int k = 0; k < i; k++) {
            if (motions[k] == motions[i])
                return mry_fail(error, MAREY_ERR_REQUEST, NULL, "example %d is there twice",
                                motions[i]);
        }
        sum += weights[i];
    }
    if (!(fabs(sum - 1) < 1e-6))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the weights sum to %g, not to 1", sum);
    mry_probe probe;
    marey_status status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    if (!mry_family_look(family, &probe, motions, weights, count, values))
        status = mry_fail_memory(error, NULL);
    mry_probe_close(&probe);
    return status;
}

/* ---- what it is ------------------------------------------------------------------------------ */

const marey_registration *marey_family_registration(const marey_family *family)
{
    return family->of;
}

const marey_param *marey_family_params(const marey_family *family, int *count)
{
    *count = family->def.param_count;
    return family->params;
}

int marey_family_dims(const marey_family *family)
{
    return family->dims;
}

const char *marey_family_dim(const marey_family *family, int dim, const char **unit)
{
    if (unit) *unit = family->dim_units[dim];
    return family->dim_names[dim];
}

const marey_family_def *marey_family_settings(const marey_family *family)
{
    return &family->def;
}

const double *marey_family_samples(const marey_family *family, int *count)
{
    *count = family->count;
    return family->values;
}

int marey_family_weights(const marey_family *family, int sample, int *motions, double *weights)
{
    size_t first = (size_t)sample * (size_t)family->near, used = (size_t)family->used[sample];
    memcpy(motions, family->motions + first, used * sizeof *motions);
    memcpy(weights, family->weights + first, used * sizeof *weights);
    return (int)used;
}

void marey_family_box(const marey_family *family, double *low, double *high)
{
    memcpy(low, family->low, (size_t)family->dims * sizeof *low);
    memcpy(high, family->high, (size_t)family->dims * sizeof *high);
}
