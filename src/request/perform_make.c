/* perform_make.c - the clip of a walk in which requests are done, and what they do in it.

   Spreading differences and holding feet moves the body by a little, and a motion on other bones
   reaches elsewhere. So what every request does is measured in the clip itself, against where its
   motion was laid; and what is off is asked for again, corrected by that. */
#include "base/fail.h"
#include "param/family_data.h"
#include "request/request_data.h"

#include <string.h>

/* How often, and from which error on (in the units of the family's answers). */
enum { MOST_CORRECTIONS = 2 };
#define FAR 0.1

/* ---- what a request does ---------------------------------------------------------------------- */

typedef struct measuring {
    const marey_performance *of;
    const marey_clip *clip; /* the walk's */
    int number;
    double rate;     /* frames of the clip to one of the walk */
    mry_floor place; /* how its motion is laid there */
} measuring;

/* The frame of the clip that shows a frame of the motion. */
static double clip_frame(const measuring *m, double frame)
{
    const marey_performed *done = &m->of->done[m->number];
    double at = done->first + frame - (m->of->plan->acts[m->number].in_frame + 1);
    return fmin(fmax(at * m->rate, 0), m->clip->frames - 1);
}

/* A place in the world as it is seen from the beginning of the motion. */
static marey_status seen_from_start(const measuring *m, const marey_param *param, double moment,
                                    double *values, marey_error *error)
{
    const marey_performed *done = &m->of->done[m->number];
    double origin[3], angle;
    marey_param in_world = *param;
    in_world.from = MAREY_FROM_WORLD;
    marey_status status =
        marey_param_measure(&in_world, m->clip, clip_frame(m, moment), values, error);
    if (!status) status = marey_param_origin(param, done->made.clip, moment, origin, &angle, error);
    if (status) return status;
    int z = param->kind->dims - 1; /* places on the floor have two numbers */
    mry_floor from = mry_floor_times(m->place, (mry_floor){ angle, origin[0], origin[2] });
    mry_floor_apply(mry_floor_back(from), &values[0], &values[z]);
    if (z == 2) values[1] -= origin[1];
    return MAREY_OK;
}

/* Of a parameter that looks at the whole motion: the frames of the clip that are its. */
static marey_status seen_whole(const measuring *m, const marey_param *param, double *values,
                               marey_error *error)
{
    const marey_performed *done = &m->of->done[m->number];
    int first = (int)lround(fmax(done->first - 1, 0) * m->rate);
    int end = (int)lround((done->first + done->frames - 1) * m->rate) + 1;
    if (end > m->clip->frames) end = m->clip->frames;
    marey_clip *part = NULL;
    marey_status status = marey_clip_trim(m->clip, first, end, &part, error);
    if (!status) status = marey_param_measure(param, part, -1, values, error);
    marey_clip_free(part);
    return status;
}

static marey_status measure(const measuring *m, marey_answer *answer, marey_error *error)
{
    const marey_family *family = m->of->plan->acts[m->number].family->family;
    const marey_performed *done = &m->of->done[m->number];
    int count;
    const marey_param *params = marey_family_params(family, &count);
    double *values = answer->values;
    for (int i = 0; i < count; i++) {
        const marey_param *param = &params[i];
        double moment = done->moments[i];
        marey_status status = MAREY_OK;
        if (mry_param_kind_of(param) == MRY_KIND_LABEL) {
            /* It is not in the motion. */
        } else if (param->kind->whole || isnan(moment)) {
            status = seen_whole(m, param, values, error);
        } else if (param->kind->dims > 1 && param->from == MAREY_FROM_START) {
            status = seen_from_start(m, param, moment, values, error);
        } else {
            status = marey_param_measure(param, m->clip, clip_frame(m, moment), values, error);
        }
        if (status) return status;
        answer->moments[i] = isnan(moment) ? NAN : clip_frame(m, moment);
        values += param->kind->dims;
    }
    answer->error =
        mry_family_distance(family, answer->values, m->of->plan->acts[m->number].wanted);
    return MAREY_OK;
}

/* ---- an attempt ------------------------------------------------------------------------------- */

typedef struct attempt {
    marey_performance of;
    marey_made made;
    marey_walk_made about;
    marey_answer *answers; /* as they are in the clip */
    double error;          /* of all that can be reached, summed */
} attempt;

static void attempt_free(attempt *a)
{
    marey_made_free(&a->made);
    a->of.plan = NULL; /* it is one for all */
    marey_performance_free(&a->of);
}

static marey_status try_once(marey_ctx *ctx, attempt *a, const marey_walk_make_def *def,
                             marey_error *error)
{
    const marey_walk *walk = &a->of.walk;
    marey_status status = marey_walk_make(ctx, a->of.graph, walk, def, &a->made, &a->about, error);
    mry_floor moved = { 0 };
    if (def && def->place_given) {
        /* Not where the walk has it. */
        mry_floor start = { 0 };
        if (walk->placed)
            start = (mry_floor){ walk->place.angle_rad, walk->place.x_cm, walk->place.z_cm };
        mry_floor given = { def->place.angle_rad, def->place.x_cm, def->place.z_cm };
        moved = mry_floor_times(given, mry_floor_back(start));
    }
    a->error = 0;
    for (int i = 0; i < a->of.count && !status; i++) {
        marey_performed *done = &a->of.done[i];
        mry_floor laid = { done->place.angle_rad, done->place.x_cm, done->place.z_cm };
        measuring m = { .of = &a->of,
                        .clip = a->made.clip,
                        .number = i,
                        .rate = a->made.clip->fps / a->of.graph->fps,
                        .place = mry_floor_times(moved, laid) };
        a->answers[i] = done->answer;
        status = measure(&m, &a->answers[i], error);
        if (!a->answers[i].outside) a->error += a->answers[i].error;
    }
    return status;
}

/* Aims so much farther as the last attempt fell short. Is anything worth that? */
static bool correct(mry_plan *plan, const attempt *last)
{
    bool worth = false;
    for (int i = 0; i < plan->count; i++) {
        const marey_answer *answer = &last->answers[i];
        mry_act *act = &plan->acts[i];
        if (answer->outside || !(answer->error > FAR)) continue;
        worth = true;
        for (int d = 0; d < marey_family_dims(act->family->family); d++)
            act->aim[d] += act->wanted[d] - answer->values[d];
    }
    return worth;
}

marey_status marey_performance_make(marey_ctx *ctx, marey_performance *performance,
                                    const marey_walk_make_def *def, marey_made *out,
                                    marey_walk_made *about, marey_error *error)
{
    mry_plan *plan = performance->plan;
    mry_arena tmp = mry_arena_make(ctx);
    marey_answer *answers = MRY_NEW(&tmp, marey_answer, 2 * (size_t)plan->count);
    attempt best = { .of = *performance, .answers = answers };
    if (!answers) return mry_fail_memory(error, NULL);
    marey_status status = try_once(ctx, &best, def, error);
    for (int round = 0; round < MOST_CORRECTIONS && !status; round++) {
        attempt next = { .answers = best.answers == answers ? answers + plan->count : answers };
        mry_cast cast;
        if (!correct(plan, &best)) break;
        status = mry_cast_open(&cast, ctx, plan, error);
        if (!status) status = mry_cast_assemble(&cast, plan, &next.of, error);
        mry_cast_close(&cast);
        next.of.plan = plan;
        if (!status) status = try_once(ctx, &next, def, error);
        /* Another motion may be entered less smoothly: not at that cost. */
        bool smooth = next.about.jump_ratio <= fmax(best.about.jump_ratio, plan->graph->def.jump);
        bool better = !status && next.error < best.error && smooth;
        /* Whether what is asked for can be reached is known of the first. */
        for (int i = 0; better && i < plan->count; i++)
            next.answers[i].outside = best.answers[i].outside;
        attempt swap = best;
        if (better) best = next;
        attempt_free(better ? &swap : &next);
        if (!better) break;
    }
    if (status) {
        marey_made_free(&best.made);
    } else {
        for (int i = 0; i < plan->count; i++) best.of.done[i].answer = best.answers[i];
        *out = best.made;
        if (about) *about = best.about;
    }
    *performance = best.of;
    performance->plan = plan;
    mry_arena_free(&tmp);
    return status;
}
