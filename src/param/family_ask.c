/* family_ask.c - from what is wanted to weights, and to a clip that does it. */
#include "base/fail.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

/* ---- weights from the table of samples (webs, 6.3.3) ----------------------------------------- */

/* The k nearest, averaged with 1 / D_i - 1 / D_k after Allen, Curless & Popovic. The mean of valid weights is valid. */

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

static void ask_table(const marey_family *family, const double *wanted, marey_answer *out)
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

/* ---- answers --------------------------------------------------------------------------------- */

/* How often a made clip's own error is taken out by asking again. */
enum { MOST_CORRECTIONS = 2 };

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
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s cannot be %g", family->dim_names[d],
                            wanted[d]);
    }
    return MAREY_OK;
}

/* Farther from what was asked for than samples are from each other: it cannot be reached. */
static bool is_outside(const marey_family *family, double error)
{
    return error > fmax(family->def.apart, 0.1);
}

bool mry_family_answer(const marey_family *family, mry_probe *probe, const double *wanted,
                       const marey_ask_def *def, marey_answer *out)
{
    ask_table(family, wanted, out);
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

/* ---- a clip -------------------------------------------------------------------------------------------- */

typedef struct maker {
    marey_ctx *ctx;
    const marey_family *family;
    mry_probe probe;
    marey_family_make_def def;
} maker;

/* What the made clip does; the moments are those of the blend that was looked at last, at its rate. */
static marey_status measure(const maker *m, const marey_clip *clip, marey_answer *answer,
                            marey_error *error)
{
    const marey_family *family = m->family;
    double *values = answer->values;
    marey_status status = MAREY_OK;
    for (int i = 0; i < family->def.param_count && !status; i++) {
        const marey_param *param = &family->params[i];
        double moment = mry_probe_moment(&m->probe, i) * marey_clip_fps(clip) / m->probe.fps;
        if (mry_param_kind_of(param) != MRY_KIND_LABEL)
            status = marey_param_measure(param, clip, isnan(moment) ? 0 : moment, values, error);
        if (mry_param_kind_of(param) == MRY_KIND_PLACE) moment = marey_clip_frames(clip) - 1;
        answer->moments[i] = param->kind->whole ? NAN : moment;
        values += param->kind->dims;
    }
    return status;
}

static marey_status blend(maker *m, const marey_answer *answer, marey_made *out, marey_error *error)
{
    mry_probe *p = &m->probe;
    marey_blend_def def = { .weights = p->weights,
                            .fps = m->def.fps,
                            .leave_feet = m->def.leave_feet,
                            .clean = m->def.clean };
    mry_probe_pick(p, answer->motions, answer->weights, answer->count);
    return marey_blend_make(m->ctx, &p->picked, &def, out, error);
}

/* Asks for `aim`, makes it, and says how far it is from `wanted`. */
static marey_status try_aim(maker *m, const double *aim, const double *wanted,
                            const marey_ask_def *ask_def, marey_made *made, marey_answer *answer,
                            marey_error *error)
{
    /* Refining may have looked at other blends last: the moments must be this one's. */
    if (!mry_family_answer(m->family, &m->probe, aim, ask_def, answer) ||
        !mry_family_look(m->family, &m->probe, answer->motions, answer->weights, answer->count,
                         answer->values))
        return mry_fail_memory(error, NULL);
    marey_status status = blend(m, answer, made, error);
    if (status) return status;
    status = measure(m, made->clip, answer, error);
    answer->error = mry_family_distance(m->family, answer->values, wanted);
    answer->outside = is_outside(m->family, answer->error);
    if (status) marey_made_free(made);
    return status;
}

static marey_status make(maker *m, const double *wanted, marey_made *out, marey_answer *answer,
                         marey_error *error)
{
    marey_ask_def ask_def = mry_ask_resolve(m->def.ask);
    double aim[MAREY_MOST_PARAM_DIMS];
    memcpy(aim, wanted, (size_t)m->family->dims * sizeof *aim);
    marey_status status = try_aim(m, aim, wanted, &ask_def, out, answer, error);
    double table_error = answer->table_error;
    for (int i = 0; i < MOST_CORRECTIONS && !status && !ask_def.table; i++) {
        marey_made again = { 0 };
        marey_answer second;
        if (answer->outside || answer->error <= 10 * ask_def.close) break;
        for (int d = 0; d < m->family->dims; d++) aim[d] += wanted[d] - answer->values[d];
        status = try_aim(m, aim, wanted, &ask_def, &again, &second, error);
        if (status) {
            marey_made_free(out);
            break;
        }
        bool better = second.error < answer->error;
        marey_made_free(better ? out : &again);
        if (!better) break;
        *out = again;
        *answer = second;
    }
    answer->table_error = table_error;
    return status;
}

marey_status marey_family_make(marey_ctx *ctx, const marey_family *family, const double *wanted,
                               const marey_family_make_def *def, marey_made *out,
                               marey_answer *answer, marey_error *error)
{
    maker m = { .ctx = ctx, .family = family };
    marey_made made = { 0 };
    marey_answer found;
    if (def) m.def = *def;
    marey_status status = check(family, wanted, error);
    if (!status) status = mry_family_probe(ctx, family, &m.probe, error);
    if (status) return status;
    status = make(&m, wanted, &made, &found, error);
    mry_probe_close(&m.probe);
    if (status) return status;
    *out = made;
    if (answer) *answer = found;
    return MAREY_OK;
}
