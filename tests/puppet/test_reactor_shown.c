/* test_reactor_shown.c - what was shown comes back: at any rate, of a character that was going from
   the first sample on, smoothed or not; and one that never came near does not where the main
   character goes round it, and one that danced around does so then. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>

enum { READY = 5, SHY = 1, DANCER = 4, RATE = 60, MOST = 60 * RATE + 1 };

/* How far it gets within 10 s from where the demonstration has it, as a share of that path's
   extent. */
static double strays(puppet_bench *bench, const marey_puppet *puppet)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, most = 0;
    double rate = marey_puppet_settings(puppet)->rate;
    marey_puppet_sample shown = marey_puppet_sample_at(puppet, 0, 0);
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &shown.main, NULL);
    for (int i = 1; i <= 10 * rate && i < marey_puppet_run_samples(puppet, 0); i++) {
        marey_puppet_frame frame;
        shown = marey_puppet_sample_at(puppet, 0, i);
        marey_puppet_step(reactor, &shown.main, &frame);
        most = fmax(most, puppet_bench_apart(&frame.react, &shown.react));
        low[0] = fmin(low[0], shown.react.x_cm);
        high[0] = fmax(high[0], shown.react.x_cm);
        low[1] = fmin(low[1], shown.react.y_cm);
        high[1] = fmax(high[1], shown.react.y_cm);
    }
    return most / hypot(high[0] - low[0], high[1] - low[1]);
}

TEST_BENCH(it_comes_back_at_any_rate)
{
    static const double RATES[] = { 10, 20, 30, 60, 120 };
    assert_null(marey_ready_puppet_find(READY));
    for (int k = 0; k < READY; k++) {
        int count;
        FREED marey_puppet_sample *s = puppet_bench_ready(k, &count);
        for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
            /* Every other pair under a sanitizer, each rate and each of the ready ones among
               them. */
            if (TEST_SANITIZED && !test_is_long() && ((int)i + k) % 2) continue;
            marey_puppet_def def = { .rate = RATES[i] };
            marey_demonstration all = { s, count };
            OWNED(marey_puppet) *puppet = puppet_bench_train(bench, &all, 1, &def);
            double share = strays(bench, puppet);
            if (!(share < (RATES[i] < 60 ? 0.02 : 0.003)))
                fail_msg("%d at %g a second: %g", k, RATES[i], share);
        }
    }
}

/* ---- a character that is going already ------------------------------------------------------- */

/* A circle around 0, 0: which radius, where it begins, and how fast, cm/s. */
static marey_entity on_circle(double radius, double begins, double speed, double t)
{
    double angle = begins + speed / radius * t;
    return (marey_entity){ radius * cos(angle), radius * sin(angle), mry_wrap(angle + acos(0)) };
}

static marey_puppet_sample both_in_circles(double t)
{
    return (marey_puppet_sample){ t, on_circle(200, 1, 100, t), on_circle(300, 0, 150, t) };
}

static marey_puppet_sample both_straight_on(double t)
{
    return (marey_puppet_sample){ t, { 120 * t, 0, 0 }, { 120 * t - 100, 30, 0 } };
}

static marey_puppet_sample now_fast_now_slow(double t)
{
    return (marey_puppet_sample){ t, { 100 * t, 0, 0 }, { 100 * t + 40 * sin(t), 90, 0 } };
}

TEST_BENCH(who_was_going_from_the_start_goes_from_the_start)
{
    static marey_puppet_sample (*const PAIRS[])(double) = { both_in_circles, both_straight_on,
                                                            now_fast_now_slow };
    static marey_puppet_sample s[MOST];
    for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++) {
        for (int i = 0; i < MOST; i++) s[i] = PAIRS[k](i / (double)RATE);
        OWNED(marey_puppet) *puppet =
            puppet_bench_train(bench, &(marey_demonstration){ s, MOST }, 1, NULL);
        double share = strays(bench, puppet);
        if (!(share < 0.002)) fail_msg("pair %zu: %g", k, share);
    }
}

static marey_puppet_sample looks_round(double t)
{
    return (marey_puppet_sample){ t, { 100 * t, 0, 0 }, { 100 * t, 90, mry_wrap(t) } };
}

/* A step early would be 0.017 rad. */
TEST_BENCH(who_is_not_smoothed_looks_as_was_shown_at_that_moment)
{
    static marey_puppet_sample s[MOST];
    for (int i = 0; i < MOST; i++) s[i] = looks_round(i / (double)RATE);
    OWNED(marey_puppet) *puppet =
        puppet_bench_train(bench, &(marey_demonstration){ s, MOST }, 1, NULL);
    OWNED(marey_reactor) *reactor =
        puppet_bench_react(bench, puppet, &s[0].main, &(marey_reactor_def){ .rough = true });
    for (int i = 1; i <= 10 * RATE; i++) {
        marey_puppet_frame frame;
        marey_puppet_step(reactor, &s[i].main, &frame);
        double off = mry_wrap(frame.react.direction_rad - s[i].react.direction_rad);
        if (!(fabs(off) < 0.002)) fail_msg("step %d: %g rad off", i, off);
    }
}

/* Else the least of turns would be worlds away from what was shown, and what it did before would
   never lead. */
TEST_BENCH(who_never_turned_has_turns_to_compare_with)
{
    static marey_puppet_sample s[MOST];
    for (int i = 0; i < MOST; i++) s[i] = both_straight_on(i / (double)RATE);
    OWNED(marey_puppet) *puppet =
        puppet_bench_train(bench, &(marey_demonstration){ s, MOST }, 1, NULL);
    mry_mover at = { .speed = 120, .turn = 0.5 / RATE }; /* half a radian in a second */
    float row[MRY_COHERENCE];
    mry_puppet_coherence(puppet, &at, &at, row);
    assert_true(row[4] > 0.1F && row[4] <= 2);
}

/* By its rule it is 413 cm away on the mean. What it is off by once weighed more than how it had
   run, and it ran beside the main character for good, 116 cm away, to get to where it had been
   ahead of it. */
TEST_BENCH(who_ran_away_does_not_run_alongside)
{
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, SHY, 0);
    /* The mean distance, without the first 20 s, from a character in a circle of 1.5 m, 1.5 m/s. */
    marey_entity main = on_circle(150, 0, 150, 0);
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &main, NULL);
    double sum = 0;
    int count = 0;
    for (int i = 1; i <= 120 * RATE; i++) {
        marey_puppet_frame frame;
        main = on_circle(150, 0, 150, i / (double)RATE);
        marey_puppet_step(reactor, &main, &frame);
        if (i < 20 * RATE) continue;
        sum += puppet_bench_apart(&frame.react, &main);
        count++;
    }
    double mean = sum / count;
    if (!(mean > 300 && mean < 500)) fail_msg("%g cm", mean);
}

/* How fast the angle around the main character goes on, rad/s, without the first 10 s. */
static double goes_round(const marey_entity *main, const marey_entity *react, int count)
{
    double sum = 0, before = 0;
    for (int i = 10 * RATE; i < count; i++) {
        double angle = mry_bearing(&main[i], &react[i]);
        if (i > 10 * RATE) sum += mry_wrap(angle - before);
        before = angle;
    }
    return sum * RATE / (count - 10 * RATE - 1);
}

/* Places were once those that the main character saw, so one that turned carried the dancer round
   with it, or held it fast: 0.24 rad/s and 0.50, by the rule 0.94. */
TEST_BENCH(who_danced_around_dances_around_one_in_circles)
{
    enum { COUNT = 60 * RATE };
    static marey_entity main[COUNT], react[COUNT], rule[COUNT];
    static const double WAYS[][2] = { { 100, 0.5 },  { 100, -0.5 }, { 150, -1 }, /* cm/s, rad/s */
                                      { 120, -0.8 }, { 100, 0 },    { 0, 0.8 },  { 80, 1.5 } };
    static const int SHOWN[] = { 25 * RATE, 0 };
    for (int k = 0; k < 2; k++) {
        OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, DANCER, SHOWN[k]);
        for (size_t n = 0; n < sizeof WAYS / sizeof *WAYS; n++) {
            marey_entity at = { 0 };
            for (int i = 0; i < COUNT; i++) {
                main[i] = at;
                at.direction_rad = mry_wrap(at.direction_rad + WAYS[n][1] / RATE);
                at.x_cm += WAYS[n][0] * cos(at.direction_rad) / RATE;
                at.y_cm += WAYS[n][0] * sin(at.direction_rad) / RATE;
            }
            OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, main, NULL);
            react[0] = marey_reactor_start(reactor);
            for (int i = 1; i < COUNT; i++) {
                marey_puppet_frame frame;
                marey_puppet_step(reactor, &main[i], &frame);
                react[i] = frame.react;
            }
            marey_ready_puppet_react(marey_ready_puppet_find(DANCER), main, COUNT, rule);
            double is = goes_round(main, react, COUNT), should = goes_round(main, rule, COUNT);
            if (!(fabs(is - should) <= 0.25 * should))
                fail_msg("%g cm/s, %g rad/s: %g instead of %g", WAYS[n][0], WAYS[n][1], is, should);
        }
    }
}

TEST_GROUP_OF_CASES(test_reactor_shown, NULL, NULL)
