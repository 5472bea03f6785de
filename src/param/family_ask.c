/* family_ask.c - from what is wanted to weights, and to a clip that does it. */
#include "base/fail.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

enum { MOST_NEAREST = 16 };

marey_ask_def mry_ask_resolve(const marey_ask_def *given)
{
    marey_ask_def def = given ? *given : (marey_ask_def){ 0 };
    if (def.steps <= 0) def.steps = 8;
    if (!(def.close > 0)) def.close = 0.01;
    return def;
}

static marey_status check(const marey_family *family, const double *wanted, marey_error *error)
{
    for (int d = 0; d < family->dims; d++) {
        if (!isfinite(wanted[d]) || fabs(wanted[d]) > 1e9)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s must be finite and within 1e9, got %g", family->dim_names[d],
                            wanted[d]);
    }
    return MAREY_OK;
}

/* Farther from what was asked for than samples are from each other: it cannot be reached. */
static bool is_outside(const marey_family *family, double error)
{
    return error > fmax(family->def.apart, 0.1);
}

/* Weights from the table of samples (webs, 6.3.3): the k nearest, averaged with 1 / D_i - 1 / D_k
   after Allen, Curless & Popovic. The mean of valid weights is valid. */
bool mry_family_answer(const marey_family *family, mry_probe *probe, const double *wanted,
                       const marey_ask_def *def, marey_answer *out)
{
    int samples[MOST_NEAREST];
    double distances[MOST_NEAREST], shares[MOST_NEAREST] = { 0 }, sum = 0;
    int count = mry_family_nearest(family, wanted, family->count, NULL, family->def.nearest,
                                   samples, distances);
    *out = (marey_answer){ 0 };
    /* 1 / D_i - 1 / D_k, summing to 1; a sample at the very point takes all. */
    bool alone = count == 1 || distances[0] < 1e-9;
    for (int i = 0; i < count && !alone; i++) {
        shares[i] = 1 / distances[i] - 1 / distances[count - 1];
        sum += shares[i];
    }
    for (int i = 0; i < count && !alone; i++) shares[i] = sum > 0 ? shares[i] / sum : 1.0 / count;
    if (alone) shares[0] = 1;
    for (int i = 0; i < count; i++) {
        size_t first = (size_t)samples[i] * (size_t)family->near;
        for (int k = 0; k < family->used[samples[i]] && shares[i] > 0; k++) {
            int motion = family->motions[first + (size_t)k], at = 0;
            while (at < out->count && out->motions[at] != motion) at++;
            if (at == out->count) {
                out->motions[out->count] = motion;
                out->weights[out->count++] = 0;
            }
            out->weights[at] += shares[i] * family->weights[first + (size_t)k];
        }
    }
    if (!mry_family_refine(family, probe, wanted, def, out)) return false;
    out->outside = is_outside(family, out->error);
    return true;
}

marey_status marey_family_ask(marey_ctx *ctx, const marey_family *family, const double *wanted,
                              const marey_ask_def *given, marey_answer *out, marey_error *error)
{
    marey_ask_def def = mry_ask_resolve(given);
    marey_answer answer;
    mry_probe probe;
    marey_status status = check(family, wanted, error);
    if (!status) status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    if (mry_family_answer(family, &probe, wanted, &def, &answer)) {
        *out = answer;
    } else {
        status = mry_fail_memory(error, NULL);
    }
    mry_probe_close(&probe);
    return status;
}

/* Asks for `aim`, makes it, and says how far it is from `wanted`. */
static marey_status aim_try(mry_probe *probe, const marey_family *family,
                            const marey_family_make_def *def, const marey_ask_def *ask_def,
                            const double *aim, const double *wanted, marey_made *made,
                            marey_answer *answer, marey_error *error)
{
    double *values = answer->values;
    /* Refining may have looked at other blends last: the moments must be this one's. */
    if (!mry_family_answer(family, probe, aim, ask_def, answer) ||
        !mry_family_look(family, probe, answer->motions, answer->weights, answer->count, values))
        return mry_fail_memory(error, NULL);
    mry_probe_pick(probe, answer->motions, answer->weights, answer->count);
    marey_blend_def blend_def = { .weights = probe->weights,
                                  .fps = def->fps,
                                  .leave_feet = def->leave_feet,
                                  .clean = def->clean };
    marey_status status = marey_blend_make(probe->ctx, &probe->picked, &blend_def, made, error);
    if (status) return status;
    /* What the made clip does; the moments are those of the blend that was looked at last, at its
       rate. */
    for (int i = 0; i < family->def.param_count && !status; i++) {
        const marey_param *param = &family->params[i];
        double moment = mry_probe_moment(probe, i) * marey_clip_fps(made->clip) / probe->fps;
        if (mry_param_kind_of(param) != MRY_KIND_LABEL)
            status =
                marey_param_measure(param, made->clip, isnan(moment) ? 0 : moment, values, error);
        if (mry_param_kind_of(param) == MRY_KIND_PLACE) moment = marey_clip_frames(made->clip) - 1;
        answer->moments[i] = param->kind->whole ? NAN : moment;
        values += param->kind->dims;
    }
    answer->error = mry_family_distance(family, answer->values, wanted);
    answer->outside = is_outside(family, answer->error);
    if (status) marey_made_free(made);
    return status;
}

marey_status marey_family_make(marey_ctx *ctx, const marey_family *family, const double *wanted,
                               const marey_family_make_def *given, marey_made *out,
                               marey_answer *answer, marey_error *error)
{
    enum {
        MOST_CORRECTIONS = 2
    }; /* how often a made clip's own error is taken out by asking again */
    marey_family_make_def def = given ? *given : (marey_family_make_def){ 0 };
    marey_ask_def ask_def = mry_ask_resolve(def.ask);
    marey_made made = { 0 };
    marey_answer found = { 0 };
    mry_probe probe;
    double aim[MAREY_MOST_PARAM_DIMS];
    marey_status status = check(family, wanted, error);
    if (!status) status = mry_family_probe(ctx, family, &probe, error);
    if (status) return status;
    memcpy(aim, wanted, (size_t)family->dims * sizeof *aim);
    status = aim_try(&probe, family, &def, &ask_def, aim, wanted, &made, &found, error);
    double table_error = found.table_error;
    for (int i = 0; i < MOST_CORRECTIONS && !status && !ask_def.table; i++) {
        marey_made again = { 0 };
        marey_answer second;
        if (found.outside || found.error <= 10 * ask_def.close) break;
        for (int d = 0; d < family->dims; d++) aim[d] += wanted[d] - found.values[d];
        status = aim_try(&probe, family, &def, &ask_def, aim, wanted, &again, &second, error);
        if (status) {
            marey_made_free(&made);
            break;
        }
        bool better = second.error < found.error;
        marey_made_free(better ? &made : &again);
        if (!better) break;
        made = again;
        found = second;
    }
    mry_probe_close(&probe);
    if (status) return status;
    found.table_error = table_error;
    *out = made;
    if (answer) *answer = found;
    return MAREY_OK;
}
