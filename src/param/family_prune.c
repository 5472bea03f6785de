/* family_prune.c - how good a family is: what answers are worth (marey_family_try), and which
   examples the others can do without (webs, 6.3.4). */
#include "base/fail.h"
#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest that `share` of them do not exceed. */
static double share_of(const double *sorted, int count, double share)
{
    int at = (int)ceil(share * count) - 1;
    return sorted[at < 0 ? 0 : at];
}

marey_status marey_family_try(marey_ctx *ctx, const marey_family *family, int count, uint64_t seed,
                              const marey_ask_def *given, marey_family_check *out,
                              marey_error *error)
{
    mry_probe probe;
    marey_ask_def def = mry_ask_resolve(given);
    int invalid = 0;
    if (count < 1 || count > 10 * 1000 * 1000)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "trials must be 1 to 10000000, got %d",
                        count);
    marey_status status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    double *errors = MRY_NEW(&probe.mem, double, count);
    double *table_errors = MRY_NEW(&probe.mem, double, count);
    bool fine = errors && table_errors;
    for (int i = 0; i < count && fine && !status; i++) {
        /* What a blend of examples near a random point does, with fresh random valid weights:
           something that can be reached. */
        double at[MAREY_MOST_PARAM_DIMS], distances[MRY_MOST_NEAR], weights[MRY_MOST_NEAR];
        double wanted[MAREY_MOST_PARAM_DIMS];
        int motions[MRY_MOST_NEAR];
        marey_answer answer;
        for (int d = 0; d < family->dims; d++)
            at[d] = mry_random_between(&seed, family->low[d], family->high[d]);
        int used = mry_family_nearest(family, at, family->examples, NULL, family->near, motions,
                                      distances);
        mry_random_weights(&seed, family->def.delta, used, weights);
        fine = mry_family_look(family, &probe, motions, weights, used, wanted) &&
               mry_family_answer(family, &probe, wanted, &def, &answer);
        if (fine) {
            errors[i] = answer.error;
            table_errors[i] = answer.table_error;
            double sum = 0;
            bool valid = isfinite(answer.error);
            for (int k = 0; k < answer.count; k++) {
                double w = answer.weights[k];
                valid &= w >= -family->def.delta - 1e-9 && w <= 1 + family->def.delta + 1e-9;
                sum += w;
            }
            invalid += !(valid && fabs(sum - 1) < 1e-9);
        }
        if (i % 16 == 0 && !mry_progress(ctx, "trying", i, count))
            status = mry_fail_cancelled(error);
    }
    if (!fine) status = mry_fail_memory(error, NULL);
    if (!status) {
        qsort(errors, (size_t)count, sizeof *errors, by_size);
        qsort(table_errors, (size_t)count, sizeof *table_errors, by_size);
        *out = (marey_family_check){ .count = count,
                                     .median = share_of(errors, count, 0.5),
                                     .p95 = share_of(errors, count, 0.95),
                                     .worst = errors[count - 1],
                                     .table_median = share_of(table_errors, count, 0.5),
                                     .table_p95 = share_of(table_errors, count, 0.95),
                                     .table_worst = table_errors[count - 1],
                                     .invalid = invalid };
    }
    mry_probe_close(&probe);
    return status;
}

/* The example with the nearest other that is still there, among those not tried yet; -1: all were.
   The first stays. */
static int most_crowded(const marey_family *family, const uint8_t *keep, const uint8_t *tried)
{
    double least = INFINITY;
    int next = -1;
    for (int i = 1; i < family->examples; i++) {
        const double *values = family->values + (size_t)i * (size_t)family->dims;
        double room = INFINITY;
        for (int k = 0; k < family->examples && !tried[i]; k++) {
            const double *other = family->values + (size_t)k * (size_t)family->dims;
            if (k != i && keep[k]) room = fmin(room, mry_family_distance(family, values, other));
        }
        if (room >= least) continue;
        least = room;
        next = i;
    }
    return next;
}

/* Examples whose values the rest reproduces go. The most crowded are tried first, as they are
   missed least. */
marey_status marey_family_prune(marey_ctx *ctx, const marey_family *family, double tolerance,
                                uint8_t *keep, int *kept, marey_error *error)
{
    mry_probe probe;
    if (!(tolerance > 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "tolerance must be positive, got %g",
                        tolerance);
    marey_status status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    marey_ask_def def = mry_ask_resolve(&(marey_ask_def){ .close = tolerance / 2 });
    size_t examples = (size_t)family->examples;
    uint8_t *tried = MRY_NEW(&probe.mem, uint8_t, examples);
    uint8_t *found = MRY_NEW(&probe.mem, uint8_t, examples);
    if (!tried || !found) {
        mry_probe_close(&probe);
        return mry_fail_memory(error, NULL);
    }
    memset(found, 1, examples);
    for (int i, done = 0; !status && (i = most_crowded(family, found, tried)) >= 0; done++) {
        bool fine = true;
        tried[i] = 1;
        found[i] = 0;
        /* Those that leaned on one that goes now must still be reproduced: only examples that stay
           are leaned on, so what was found for one that went before may no longer hold. All that
           went are tried again. */
        for (size_t k = 0; k < examples && fine && !status; k++) {
            marey_answer answer;
            if (found[k]) continue;
            if (mry_family_reproduce(family, &probe, family->values + k * (size_t)family->dims,
                                     found, &def, &answer))
                fine = answer.error <= tolerance;
            else
                status = mry_fail_memory(error, NULL);
        }
        found[i] = !fine;
        if (!status && !mry_progress(ctx, "pruning", done, family->examples))
            status = mry_fail_cancelled(error);
    }
    if (!status) {
        memcpy(keep, found, examples);
        *kept = 0;
        for (size_t i = 0; i < examples; i++) *kept += found[i];
    }
    mry_probe_close(&probe);
    return status;
}
