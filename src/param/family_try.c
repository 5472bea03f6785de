/* family_try.c - how good answers are: what blends with fresh random valid weights do is asked for, and measured. */
#include "base/fail.h"
#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <stdlib.h>

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

static bool try_one(trial *t, int i)
{
    double wanted[MAREY_MOST_PARAM_DIMS];
    marey_answer answer;
    if (!find_wanted(t, wanted)) return false;
    if (!mry_family_answer(t->family, t->probe, wanted, &t->def, &answer)) return false;
    t->errors[i] = answer.error;
    t->table_errors[i] = answer.table_error;
    t->invalid += !is_valid(t->family, &answer);
    return true;
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
        fine = try_one(&t, i);
        if (i % 16 == 0 && !mry_progress(ctx, "trying", i, count))
            status = mry_fail_cancelled(error);
    }
    if (!fine) status = mry_fail_memory(error, NULL);
    if (!status) sum_up(&t, count, out);
    mry_probe_close(&probe);
    return status;
}
