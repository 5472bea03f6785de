/* puppet_train.c - demonstrations of any rate, brought to one rate, in runs without gaps; before
   each run a character stands for as long as situations are compared, so that its beginning can be
   found, too. The floor paths of two clips are a demonstration; frames that are no captured motion
   are no path. */
#include "base/arena.h"
#include "base/context.h"
#include "base/fail.h"
#include "motion/clip_data.h"
#include "motion/facing.h"
#include "puppet/puppet_data.h"

#include <math.h>

enum {
    PASSES = 5, /* over all samples: they are taken, both move, looks and situations are found */
    REPORTED = 500000 /* samples: some 0.3 s; what is over sooner is not worth telling */
};

#define NEAR 1e-6 /* frames: as good as on one */

marey_status mry_puppet_make(marey_ctx *ctx, const marey_puppet_def *def, marey_puppet **out,
                             marey_error *error)
{
    marey_puppet_def settled = def ? *def : (marey_puppet_def){ 0 };
    if (settled.rate == 0) settled.rate = MAREY_PUPPET_RATE;
    if (settled.window_s == 0) settled.window_s = MAREY_PUPPET_WINDOW;
    if (settled.gap_s == 0) settled.gap_s = MAREY_PUPPET_GAP;
    if (!(settled.rate >= 5 && settled.rate <= 240))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "rate must be 5 to 240 Hz, got %g",
                        settled.rate);
    double steps = rint(settled.window_s * settled.rate);
    if (!(steps >= 4 && steps <= MAREY_PUPPET_MOST_WINDOW))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "window must be 4 to %d steps at %g Hz, got %g s",
                        (int)MAREY_PUPPET_MOST_WINDOW, settled.rate, settled.window_s);
    if (!(settled.gap_s > 0 && settled.gap_s <= 3600))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "gap must be above 0 s and at most 3600 s, got %g", settled.gap_s);
    mry_arena mem = mry_arena_make(ctx);
    marey_puppet *made = MRY_NEW(&mem, marey_puppet, 1);
    if (!made) return mry_fail_memory(error, NULL);
    made->mem = mem;
    made->ctx = ctx;
    made->def = settled;
    made->window = (int)steps;
    *out = made;
    return MAREY_OK;
}

void marey_puppet_free(marey_puppet *puppet)
{
    if (!puppet) return;
    mry_arena mem = puppet->mem;
    mry_arena_free(&mem);
}

bool mry_puppet_room(marey_puppet *puppet, int runs, int count)
{
    puppet->runs = MRY_NEW(&puppet->mem, mry_run, runs);
    puppet->main = MRY_NEW_RAW(&puppet->mem, mry_mover, count);
    puppet->react = MRY_NEW_RAW(&puppet->mem, mry_mover, count);
    return puppet->runs && puppet->main && puppet->react;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool resample(marey_puppet *puppet, const marey_demonstration *d, int first, int end,
                     const mry_run *run)
{
    int i = first;
    for (int step = 0; step < run->count; step++) {
        double time = d->samples[first].time_s + step / puppet->def.rate;
        if (mry_puppet_stops(puppet, run->first + step)) return false;
        while (i < end - 2 && d->samples[i + 1].time_s <= time) i++;
        const marey_puppet_sample *a = &d->samples[i], *b = &d->samples[i + 1];
        double share = (time - a->time_s) / (b->time_s - a->time_s);
        if (share > 1) share = 1;
        puppet->main[run->first + step].at = mry_entity_between(&a->main, &b->main, share);
        puppet->react[run->first + step].at = mry_entity_between(&a->react, &b->react, share);
    }
    return true;
}

bool mry_puppet_move(marey_puppet *puppet, int run)
{
    const mry_run *of = &puppet->runs[run];
    for (int who = 0; who < 2; who++) {
        mry_mover *first = (who ? puppet->react : puppet->main) + of->first;
        *first = mry_mover_still(first->at);
        for (int i = 1; i <= puppet->window; i++) first[-i] = *first;
        for (int i = 1; i < of->count; i++) {
            first[i] = mry_mover_step(&first[i - 1], first[i].at, puppet->def.rate);
            if (mry_puppet_stops(puppet, of->first + i)) return false;
        }
    }
    return true;
}

bool mry_puppet_report(marey_puppet *puppet)
{
    if (puppet->passes == 0) return !mry_cancelled(puppet->ctx);
    puppet->passed += MRY_PUPPET_EVERY;
    if (puppet->passed > puppet->passes) puppet->passed = puppet->passes;
    return mry_progress(puppet->ctx, "training", puppet->passed, puppet->passes);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Goes through all runs: counts them first, then takes them. How many samples there are; -1:
   cancelled. */
static double for_runs(marey_puppet *puppet, const marey_demonstration *demonstrations, int count,
                       bool take)
{
    double at = 0;
    puppet->run_count = 0;
    puppet->samples = 0;
    for (int n = 0; n < count; n++) {
        const marey_demonstration *d = &demonstrations[n];
        for (int first = 0, end; first < d->count; first = end) {
            /* A run ends with a gap; one that is shorter than a step is left out. */
            for (end = first + 1; end < d->count; end++) {
                if (!(d->samples[end].time_s - d->samples[end - 1].time_s <= puppet->def.gap_s))
                    break;
            }
            double seconds = d->samples[end - 1].time_s - d->samples[first].time_s;
            double steps = floor(seconds * puppet->def.rate + 1e-6) + 1;
            if (!(steps >= 2)) continue;
            at += puppet->window;
            if (take) {
                mry_run *run = &puppet->runs[puppet->run_count];
                *run = (mry_run){ (int)at, (int)steps };
                if (!resample(puppet, d, first, end, run) ||
                    !mry_puppet_move(puppet, puppet->run_count))
                    return -1;
                puppet->samples += run->count;
            }
            at += steps;
            puppet->run_count++;
            if (at > MAREY_PUPPET_MOST_SAMPLES) return at;
        }
    }
    return at;
}

static marey_status fill(marey_puppet *puppet, const marey_demonstration *demonstrations, int count,
                         marey_error *error)
{
    for (int n = 0; n < count; n++) {
        const marey_demonstration *d = &demonstrations[n];
        if (d->count < 2)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "demonstration %d must have at least 2 samples, got %d", n, d->count);
        for (int i = 0; i < d->count; i++) {
            const marey_puppet_sample *s = &d->samples[i];
            if (mry_puppet_stops(puppet, i)) return mry_fail_cancelled(error);
            if (!mry_entity_can_be(&s->main) || !mry_entity_can_be(&s->react) ||
                !mry_time_can_be(s->time_s))
                return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                                "demonstration %d, sample %d: not a number, or too large", n, i);
            if (i > 0 && !(s->time_s > d->samples[i - 1].time_s))
                return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                                "demonstration %d, sample %d: its time, %g s, is not after %g s", n,
                                i, s->time_s, d->samples[i - 1].time_s);
        }
    }
    double room = for_runs(puppet, demonstrations, count, false);
    if (puppet->run_count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the demonstrations are shorter than two steps of %g a second, or their "
                        "samples are all more than %g s apart",
                        puppet->def.rate, puppet->def.gap_s);
    if (room > MAREY_PUPPET_MOST_SAMPLES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "demonstrations have at most %d steps in all",
                        (int)MAREY_PUPPET_MOST_SAMPLES);
    puppet->count = (int)room;
    if (puppet->count >= REPORTED) puppet->passes = (int64_t)PASSES * puppet->count;
    if (!mry_puppet_room(puppet, puppet->run_count, puppet->count))
        return mry_fail_memory(error, NULL);
    if (for_runs(puppet, demonstrations, count, true) < 0 || !mry_puppet_describe(puppet))
        return mry_puppet_stopped(puppet, error);
    return MAREY_OK;
}

marey_status marey_puppet_train(marey_ctx *ctx, const marey_demonstration *demonstrations,
                                int count, const marey_puppet_def *def, marey_puppet **out,
                                marey_error *error)
{
    marey_puppet *made = NULL;
    if (count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no demonstration");
    marey_status status = mry_puppet_make(ctx, def, &made, error);
    if (status) return status;
    status = fill(made, demonstrations, count, error);
    if (status) {
        marey_puppet_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

/* ---- looking at it --------------------------------------------------------------------------- */

const marey_puppet_def *marey_puppet_settings(const marey_puppet *puppet)
{
    return &puppet->def;
}

int marey_puppet_samples(const marey_puppet *puppet)
{
    return puppet->samples;
}

int marey_puppet_runs(const marey_puppet *puppet)
{
    return puppet->run_count;
}

int marey_puppet_run_samples(const marey_puppet *puppet, int run)
{
    return puppet->runs[run].count;
}

marey_puppet_sample marey_puppet_sample_at(const marey_puppet *puppet, int run, int index)
{
    int j = puppet->runs[run].first + index;
    return (marey_puppet_sample){ index / puppet->def.rate, puppet->main[j].at,
                                  puppet->shown ? puppet->shown[j] : puppet->react[j].at };
}

/* ---- clips ----------------------------------------------------------------------------------- */

int marey_clip_pair_samples(const marey_clip *main, const marey_clip *react)
{
    double lasts = fmin((main->frames - 1) / main->fps, (react->frames - 1) / react->fps);
    return (int)floor(lasts * main->fps + NEAR) + 1;
}

static marey_entity at_frame(const marey_clip *clip, int frame, double *places)
{
    const double *hips = places + 3 * clip->skeleton.roles[MAREY_ROLE_HIPS];
    marey_clip_positions(clip, frame, 1, places);
    return (marey_entity){ hips[0], -hips[2], mry_facing(clip, frame, places) };
}

/* Between two frames, either of them. */
static bool is_marked(const marey_clip *clip, double time)
{
    double row = time * clip->fps;
    return mry_clip_is_marked(clip, (int)floor(row + NEAR)) ||
           mry_clip_is_marked(clip, (int)ceil(row - NEAR));
}

marey_status marey_clip_pair(const marey_clip *main, const marey_clip *react,
                             marey_puppet_sample *samples, int *count, marey_error *error)
{
    for (int who = 0; who < 2; who++) {
        const marey_clip *clip = who ? react : main;
        if (clip->skeleton.roles[MAREY_ROLE_HIPS] < 0)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s has no hips, so it has no floor path", clip->name);
        if (clip->frames < 2)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s has a single frame", clip->name);
    }
    mry_arena tmp = mry_arena_make(main->mem.ctx);
    double *of_main = MRY_NEW_RAW(&tmp, double, 3 * (size_t)main->skeleton.joint_count);
    double *of_react = MRY_NEW_RAW(&tmp, double, 3 * (size_t)react->skeleton.joint_count);
    int most = of_main && of_react ? marey_clip_pair_samples(main, react) : 0, left = 0;
    for (int i = 0; i < most; i++) {
        double time = i / main->fps;
        if (is_marked(main, time) || is_marked(react, time)) continue;
        /* Between two frames of the other on a line, and the shorter way round. */
        double row = fmin(time * react->fps, react->frames - 1);
        int frame = (int)row < react->frames - 1 ? (int)row : react->frames - 2;
        marey_entity at = at_frame(main, i, of_main);
        marey_entity a = at_frame(react, frame, of_react), b = at_frame(react, frame + 1, of_react);
        samples[left++] =
            (marey_puppet_sample){ time, at, mry_entity_between(&a, &b, row - frame) };
    }
    mry_arena_free(&tmp);
    if (most == 0) return mry_fail_memory(error, NULL);
    if (left < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%.300s has fewer than two moments of captured motion together with %.300s",
                        main->name, react->name);
    *count = left;
    return MAREY_OK;
}
