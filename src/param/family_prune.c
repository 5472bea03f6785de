/* family_prune.c - how good a family is: what answers are worth (marey_family_try), and which examples the others can do
   without (webs, 6.3.4). */
#include "base/fail.h"
#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how good answers are -------------------------------------------------------------------- */

/* What blends with fresh random valid weights do is asked for, and measured. */

typedef struct trial {
    const marey_family *family;
    mry_probe *probe;
    marey_ask_def def;
    uint64_t seed;
    double *errors, *table_errors;
    int invalid;
} trial;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_valid(const marey_family *family, const marey_answer *answer)
{
    double sum = 0;
    for (int i = 0; i < answer->count; i++) {
        double w = answer->weights[i];
        if (!(w >= -family->def.delta - 1e-9 && w <= 1 + family->def.delta + 1e-9)) return false;
        sum += w;
    }
    return fabs(sum - 1) < 1e-9 && isfinite(answer->error);
}

/* What a blend of examples near a random point does: something that can be reached. */
static bool find_wanted(trial *t, double *wanted)
{
    const marey_family *family = t->family;
    double at[MAREY_MOST_PARAM_DIMS], distances[MRY_MOST_NEAR], weights[MRY_MOST_NEAR];
    int motions[MRY_MOST_NEAR];
    for (int d = 0; d < family->dims; d++)
        at[d] = mry_random_between(&t->seed, family->low[d], family->high[d]);
    int used = mry_family_nearest(family, at, family->examples, family->near, motions, distances);
    mry_random_weights(&t->seed, family->def.delta, used, weights);
    return mry_family_look(family, t->probe, motions, weights, used, wanted);
}

/* The smallest that `share` of them do not exceed. */
static double share_of(const double *sorted, int count, double share)
{
    int at = (int)ceil(share * count) - 1;
    return sorted[at < 0 ? 0 : at];
}

static void sum_up(trial *t, int count, marey_family_check *out)
{
    qsort(t->errors, (size_t)count, sizeof *t->errors, by_size);
    qsort(t->table_errors, (size_t)count, sizeof *t->table_errors, by_size);
    *out = (marey_family_check){ .count = count,
                                 .median = share_of(t->errors, count, 0.5),
                                 .p95 = share_of(t->errors, count, 0.95),
                                 .worst = t->errors[count - 1],
                                 .table_median = share_of(t->table_errors, count, 0.5),
                                 .table_p95 = share_of(t->table_errors, count, 0.95),
                                 .table_worst = t->table_errors[count - 1],
                                 .invalid = t->invalid };
}

marey_status marey_family_try(marey_ctx *ctx, const marey_family *family, int count, uint64_t seed,
                              const marey_ask_def *def, marey_family_check *out, marey_error *error)
{
    mry_probe probe;
    trial t = { .family = family, .probe = &probe, .def = mry_ask_resolve(def), .seed = seed };
    if (count < 1 || count > 10 * 1000 * 1000)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%d trials are none or too many", count);
    marey_status status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    t.errors = MRY_NEW(&probe.mem, double, count);
    t.table_errors = MRY_NEW(&probe.mem, double, count);
    bool fine = t.errors && t.table_errors;
    for (int i = 0; i < count && fine && !status; i++) {
        double wanted[MAREY_MOST_PARAM_DIMS];
        marey_answer answer;
        fine =
            find_wanted(&t, wanted) && mry_family_answer(family, &probe, wanted, &t.def, &answer);
        if (fine) {
            t.errors[i] = answer.error;
            t.table_errors[i] = answer.table_error;
            t.invalid += !is_valid(family, &answer);
        }
        if (i % 16 == 0 && !mry_progress(ctx, "trying", i, count))
            status = mry_fail_cancelled(error);
    }
    if (!fine) status = mry_fail_memory(error, NULL);
    if (!status) sum_up(&t, count, out);
    mry_probe_close(&probe);
    return status;
}

/* ---- examples that the others can do without ------------------------------------------------- */

/* Those whose values the rest reproduces. The most crowded are tried first, as they are missed least. */

/* How far the nearest other example is that is still there. */
static double room_around(const marey_family *family, const uint8_t *keep, int example)
{
    const double *values = family->values + (size_t)example * (size_t)family->dims;
    double least = INFINITY;
    for (int i = 0; i < family->examples; i++) {
        if (i == example || !keep[i]) continue;
        least = fmin(least, mry_family_distance(family, values,
                                                family->values + (size_t)i * (size_t)family->dims));
    }
    return least;
}

/* The most crowded one that was not tried; -1: all were. The first stays. */
static int next_one(const marey_family *family, const uint8_t *keep, const uint8_t *tried)
{
    double least = INFINITY;
    int next = -1;
    for (int i = 1; i < family->examples; i++) {
        double room = tried[i] ? INFINITY : room_around(family, keep, i);
        if (room >= least) continue;
        least = room;
        next = i;
    }
    return next;
}

/* Those that leaned on one that goes now must still be reproduced: only examples that stay are leaned on, so what was found
   for one that went before may no longer hold. All that went are tried again. */
static bool all_reproduced(const marey_family *family, mry_probe *probe, const uint8_t *keep,
                           const marey_ask_def *def, double tolerance, bool *fine)
{
    *fine = true;
    for (int i = 0; i < family->examples && *fine; i++) {
        marey_answer answer;
        if (keep[i]) continue;
        if (!mry_family_reproduce(family, probe, family->values + (size_t)i * (size_t)family->dims,
                                  keep, def, &answer))
            return false;
        *fine = answer.error <= tolerance;
    }
    return true;
}

static marey_status prune(const marey_family *family, mry_probe *probe, double tolerance,
                          uint8_t *keep, uint8_t *tried, marey_error *error)
{
    marey_ask_def def = mry_ask_resolve(&(marey_ask_def){ .close = tolerance / 2 });
    memset(keep, 1, (size_t)family->examples);
    for (int i, done = 0; (i = next_one(family, keep, tried)) >= 0; done++) {
        bool fine;
        tried[i] = 1;
        keep[i] = 0;
        if (!all_reproduced(family, probe, keep, &def, tolerance, &fine))
            return mry_fail_memory(error, NULL);
        keep[i] = !fine;
        if (!mry_progress(probe->ctx, "pruning", done, family->examples))
            return mry_fail_cancelled(error);
    }
    return MAREY_OK;
}

marey_status marey_family_prune(marey_ctx *ctx, const marey_family *family, double tolerance,
                                uint8_t *keep, int *kept, marey_error *error)
{
    mry_probe probe;
    if (!(tolerance > 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a tolerance of %g is none", tolerance);
    marey_status status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    uint8_t *tried = MRY_NEW(&probe.mem, uint8_t, family->examples);
    uint8_t *found = MRY_NEW(&probe.mem, uint8_t, family->examples);
    status = tried && found ? prune(family, &probe, tolerance, found, tried, error)
                            : mry_fail_memory(error, NULL);
    if (!status) {
        memcpy(keep, found, (size_t)family->examples);
        *kept = 0;
        for (int i = 0; i < family->examples; i++) *kept += found[i];
    }
    mry_probe_close(&probe);
    return status;
}
