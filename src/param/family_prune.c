/* family_prune.c - examples that the others can do without (webs, 6.3.4): those whose values the rest reproduces. The most
   crowded are tried first, as they are missed least. */
#include "base/fail.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

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
