/* puppet_play.c - a whole path at once: the main character is brought to the puppet's rate, and the one that reacts is brought back to the
   times of the path. A time is given in steps from the first sample on; what is as good as a whole number is one, so that a path
   at the puppet's rate is played as it is. */
#include "base/context.h"
#include "base/fail.h"
#include "puppet/puppet_data.h"

#include <math.h>

#define ON_A_STEP 1e-6 /* steps */
enum { EVERY_STEPS = 0x3f };

typedef struct playing {
    marey_reactor *reactor;
    double rate;
    marey_puppet_sample *samples;
    int count;
    int main_row;  /* the last sample whose time has come */
    int react_row; /* the next one that wants to know where the reacting one is */
    int followed;  /* the sample of the demonstrations, by the last step; -1: none yet */
    int changes;
} playing;

static double steps_to(const playing *play, int row)
{
    double steps = (play->samples[row].time_s - play->samples[0].time_s) * play->rate;
    double whole = rint(steps);
    return fabs(steps - whole) < ON_A_STEP ? whole : steps;
}

/* All samples up to a step, `before` being where it was a step earlier. */
static void tell(playing *play, int step, const marey_entity *before, const marey_entity *now)
{
    for (; play->react_row < play->count; play->react_row++) {
        double at = steps_to(play, play->react_row);
        if (at > step) return;
        play->samples[play->react_row].react =
            at == step ? *now : mry_entity_between(before, now, at - (step - 1));
    }
}

marey_status marey_puppet_play(marey_ctx *ctx, const marey_puppet *puppet,
                               marey_puppet_sample *samples, int count,
                               const marey_reactor_def *def, marey_played *about,
                               marey_error *error)
{
    playing play = { .rate = puppet->def.rate, .samples = samples, .count = count, .followed = -1 };
    if (count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a path without samples");
    for (int i = 0; i < count; i++) {
        if (!mry_entity_can_be(&samples[i].main) || !mry_time_can_be(samples[i].time_s))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "sample %d of the path: not a number, or too large", i);
        if (i > 0 && !(samples[i].time_s > samples[i - 1].time_s))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "sample %d of the path: its time, %g s, is not after %g s", i,
                            samples[i].time_s, samples[i - 1].time_s);
    }
    if ((samples[count - 1].time_s - samples[0].time_s) * play.rate > MAREY_PUPPET_MOST_SAMPLES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a path is played for at most %d steps",
                        (int)MAREY_PUPPET_MOST_SAMPLES);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    marey_status status =
        marey_reactor_open(ctx, puppet, &samples[0].main, def, &play.reactor, error);
    if (status) return status;
    int steps = (int)ceil(steps_to(&play, count - 1));
    marey_entity before = marey_reactor_start(play.reactor);
    tell(&play, 0, &before, &before);
    for (int step = 1; step <= steps && !status; step++) {
        /* Where the main character is then. */
        while (play.main_row + 1 < play.count && steps_to(&play, play.main_row + 1) <= step)
            play.main_row++;
        const marey_puppet_sample *a = &play.samples[play.main_row];
        double from = steps_to(&play, play.main_row);
        marey_entity main = a->main;
        if (play.main_row + 1 < play.count && from != step) {
            double share = (step - from) / (steps_to(&play, play.main_row + 1) - from);
            main = mry_entity_between(&a->main, &a[1].main, share);
        }
        marey_puppet_frame frame;
        marey_puppet_step(play.reactor, &main, &frame);
        const marey_reactor *r = play.reactor;
        int now = r->source[r->step % r->puppet->window];
        if (play.followed >= 0 && now != play.followed + 1) play.changes++;
        play.followed = now;
        tell(&play, step, &before, &frame.react);
        before = frame.react;
        if (((step & EVERY_STEPS) == 0 || step == steps) &&
            !mry_progress(ctx, "reacting", step, steps))
            status = mry_fail_cancelled(error);
    }
    if (!status && about) {
        const int64_t *led = play.reactor->led;
        *about = (marey_played){ .steps = steps,
                                 .balance = led[0] + led[1] > 0
                                                ? (double)led[1] / (double)(led[0] + led[1])
                                                : play.reactor->def.balance,
                                 .changes = play.changes,
                                 .start = marey_reactor_start(play.reactor) };
    }
    marey_reactor_free(play.reactor);
    return status;
}
