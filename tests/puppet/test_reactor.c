/* test_reactor.c - a character that reacts: as was shown where the main character does as was
   shown, without loops, smoothly, the same every time, and without asking for memory. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { READY = 5, RATE = 60 };

/* ---- as was shown ---------------------------------------------------------------------------- */

/* How far it gets from where the demonstration has it, as a share of that path's extent. */
static double strays(puppet_bench *bench, const marey_puppet *puppet, const marey_puppet_sample *s,
                     int count, int run)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, most = 0;
    marey_reactor_def def = { .start_given = true, .start = s[0].react };
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &s[0].main, &def);
    for (int i = 0; i < count; i++) {
        marey_puppet_frame frame = { .react = marey_reactor_start(reactor), .run = run };
        if (i > 0) marey_puppet_step(reactor, &s[i].main, &frame);
        most = fmax(most, puppet_bench_apart(&frame.react, &s[i].react));
        if (i > RATE) assert_int_equal(frame.run, run);
        low[0] = fmin(low[0], s[i].react.x_cm);
        high[0] = fmax(high[0], s[i].react.x_cm);
        low[1] = fmin(low[1], s[i].react.y_cm);
        high[1] = fmax(high[1], s[i].react.y_cm);
    }
    return most / hypot(high[0] - low[0], high[1] - low[1]);
}

TEST_BENCH(of_several_demonstrations_the_one_that_fits_is_followed)
{
    marey_puppet_sample *s[READY];
    marey_demonstration all[READY];
    for (int k = 0; k < READY; k++) {
        int count;
        s[k] = puppet_bench_ready(k, &count);
        all[k] = (marey_demonstration){ s[k] + 60 * k, count / 3 };
    }
    OWNED(marey_puppet) *puppet = puppet_bench_train(bench, all, READY, NULL);
    assert_int_equal(marey_puppet_runs(puppet), READY);
    assert_true(strays(bench, puppet, all[2].samples, 10 * RATE, 2) < 0.05);
    assert_true(strays(bench, puppet, all[4].samples, 10 * RATE, 4) < 0.05);
    for (int k = 0; k < READY; k++) free(s[k]);
}

TEST_BENCH(it_starts_in_the_relation_that_was_shown)
{
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 1, 300);
    const double quarter = 1.57079632679489661923;
    marey_entity main = { 1000, -500, quarter };
    marey_puppet_sample first = marey_puppet_sample_at(puppet, 0, 0);
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &main, NULL);
    marey_entity at = marey_reactor_start(reactor);
    assert_true(fabs(at.x_cm - (1000 - first.react.y_cm)) < 1e-9); /* a quarter turn to the left */
    assert_true(fabs(at.y_cm - (-500 + first.react.x_cm)) < 1e-9);
    assert_true(fabs(remainder(at.direction_rad - first.react.direction_rad - quarter,
                               4 * quarter)) < 1e-9);
    marey_reactor_free(reactor);
    marey_reactor_def given = { .start_given = true, .start = { 1, 2, 3 } };
    reactor = puppet_bench_react(bench, puppet, &main, &given);
    at = marey_reactor_start(reactor);
    assert_memory_equal(&at, &given.start, sizeof at);
}

/* ---- coherence ------------------------------------------------------------------------------- */

typedef struct stretch {
    int from, to; /* samples that are followed one after the other */
} stretch;

/* The same stretch of at least a second three times in a row: four fifths of the longest are in all
   three. */
static int count_loops(const stretch *s, int count)
{
    int loops = 0;
    for (int i = 0; i + 2 < count; i++) {
        int from = s[i].from, to = s[i].to, longest = 0;
        for (int k = 0; k < 3; k++) {
            if (s[i + k].from > from) from = s[i + k].from;
            if (s[i + k].to < to) to = s[i + k].to;
            int length = s[i + k].to - s[i + k].from + 1;
            if (length > longest) longest = length;
        }
        loops += to - from + 1 >= RATE && 5 * (to - from + 1) >= 4 * longest;
    }
    return loops;
}

/* The main character walks in circles for two minutes, which the first 25 s of the demonstrations
   have little of. */
static int play_circles(puppet_bench *bench, int ready, double weight)
{
    enum { STEPS = 120 * RATE };
    static stretch played[STEPS];
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, ready, 25 * RATE);
    marey_entity main = { 0 };
    marey_reactor_def def = { .weight = weight };
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &main, &def);
    int count = 0;
    for (int i = 0; i < STEPS; i++) {
        marey_puppet_frame frame;
        main.direction_rad = mry_wrap(main.direction_rad + 0.5 / RATE);
        main.x_cm += 100 * cos(main.direction_rad) / RATE;
        main.y_cm += 100 * sin(main.direction_rad) / RATE;
        marey_puppet_step(reactor, &main, &frame);
        int now = (int)lround(frame.time_s * RATE);
        if (count > 0 && played[count - 1].to + 1 == now)
            played[count - 1].to = now;
        else
            played[count++] = (stretch){ now, now };
    }
    return count_loops(played, count);
}

TEST_BENCH(a_fixed_weight_loops_and_an_adjusted_one_does_not)
{
    static const int who[] = { 0, 2, 3 };
    for (int k = 0; k < 3; k++) {
        assert_true(play_circles(bench, who[k], 30) > 0);
        assert_int_equal(play_circles(bench, who[k], 0), 0);
    }
}

TEST_BENCH(the_balance_is_held)
{
    enum { STEPS = (TEST_SANITIZED ? 40 : 90) * RATE };
    static marey_entity main[STEPS];
    static const double wanted[] = { 0, 0.2, 0.8 };
    puppet_bench_wander(5, main, STEPS);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 4, 60 * RATE);
    for (int k = 0; k < 3; k++) {
        marey_reactor_def def = { .balance = wanted[k] };
        OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, main, &def);
        double sum = 0;
        for (int i = 0; i < STEPS; i++) {
            marey_puppet_frame frame;
            marey_puppet_step(reactor, &main[i], &frame);
            sum += frame.balance / STEPS;
        }
        double asked = wanted[k] > 0 ? wanted[k] : 0.5;
        if (!(fabs(sum - asked) < 0.1)) fail_msg("%g instead of %g", sum, asked);
    }
}

/* ---- movement -------------------------------------------------------------------------------- */

/* A coordinate's n-th difference. */
static double difference(const marey_entity *path, int i, int order, bool up)
{
    if (order == 0) return up ? path[i].y_cm : path[i].x_cm;
    return difference(path, i, order - 1, up) - difference(path, i - 1, order - 1, up);
}

/* Roots of mean squares, of accelerations (order 2) or jerks (3). */
static double roughness(const marey_entity *path, int count, int order)
{
    double sum = 0;
    for (int i = order; i < count; i++)
        sum += pow(difference(path, i, order, false), 2) + pow(difference(path, i, order, true), 2);
    return sqrt(sum / (count - order)) * pow(RATE, order);
}

static void react_to(puppet_bench *bench, const marey_puppet *puppet, const marey_entity *main,
                     int count, const marey_reactor_def *def, marey_entity *react)
{
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, main, def);
    for (int i = 0; i < count; i++) {
        marey_puppet_frame frame = { .react = marey_reactor_start(reactor) };
        if (i > 0) marey_puppet_step(reactor, &main[i], &frame);
        react[i] = frame.react;
    }
}

/* The rules themselves say how a character should move on a path that was never shown. */
TEST_BENCH(unseen_paths_are_answered_about_as_smoothly_as_by_the_rule)
{
    enum { STEPS = 40 * RATE };
    static marey_entity main[STEPS], react[STEPS], rough[STEPS], truth[STEPS];
    uint64_t seeds = (uint64_t)(test_is_long() ? 3 : 1);
    int step = TEST_SANITIZED && !test_is_long() ? 2 : 1, tried = 0;
    double jerks = 0;
    for (int k = 0; k < READY; k += step, tried++) {
        OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, k, 0);
        double is[2] = { 0 }, was[2] = { 0 }, should[2] = { 0 };
        for (uint64_t seed = 0; seed < seeds; seed++) {
            marey_reactor_def plain = { .rough = true };
            puppet_bench_wander(seed, main, STEPS);
            react_to(bench, puppet, main, STEPS, NULL, react);
            react_to(bench, puppet, main, STEPS, &plain, rough);
            marey_ready_puppet_react(marey_ready_puppet_find(k), main, STEPS, truth);
            for (int i = 0; i < 2; i++) {
                is[i] += roughness(react, STEPS, i + 2);
                was[i] += roughness(rough, STEPS, i + 2);
                should[i] += roughness(truth, STEPS, i + 2);
            }
        }
        jerks += is[1] / was[1];
        if (!(is[0] < 1.6 * should[0] && is[0] < 0.8 * was[0]))
            fail_msg("%d: accelerations %g, %g, %g, jerks %g, %g, %g", k, is[0], was[0], should[0],
                     is[1], was[1], should[1]);
    }
    if (!(jerks < 0.13 * tried)) fail_msg("jerks %g", jerks / tried);
}

TEST_BENCH(the_same_steps_have_the_same_answers)
{
    enum { STEPS = 20 * RATE };
    static marey_entity main[STEPS], a[STEPS], b[STEPS];
    puppet_bench_wander(77, main, STEPS);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 2, 30 * RATE);
    OWNED(marey_puppet) *again = puppet_bench_train_ready(bench, 2, 30 * RATE);
    react_to(bench, puppet, main, STEPS, NULL, a);
    react_to(bench, again, main, STEPS, NULL, b);
    assert_memory_equal(a, b, sizeof a);
    /* Several with one puppet do not know of each other. */
    OWNED(marey_reactor) *one = puppet_bench_react(bench, puppet, main, NULL);
    OWNED(marey_reactor) *other = puppet_bench_react(bench, puppet, main + 100, NULL);
    for (int i = 1; i < STEPS; i++) {
        marey_puppet_frame frame, far;
        marey_puppet_step(one, &main[i], &frame);
        marey_puppet_step(other, &main[(i + 500) % STEPS], &far);
        assert_memory_equal(&frame.react, &a[i], sizeof a[i]);
    }
}

/* Where and which way it is given does not matter. */
TEST_BENCH(a_main_path_elsewhere_has_the_same_answer_there)
{
    enum { STEPS = 3 * RATE };
    static marey_entity main[STEPS], moved[STEPS], a[STEPS], b[STEPS];
    puppet_bench_wander(8, main, STEPS);
    marey_entity elsewhere = { 300, -200, 1 };
    for (int i = 0; i < STEPS; i++) moved[i] = mry_entity_beside(&elsewhere, &main[i]);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 4, 0);
    react_to(bench, puppet, main, STEPS, NULL, a);
    react_to(bench, puppet, moved, STEPS, NULL, b);
    for (int i = 0; i < STEPS; i++) {
        marey_entity there = mry_entity_beside(&elsewhere, &a[i]);
        if (!(puppet_bench_apart(&there, &b[i]) < 1e-3))
            fail_msg("step %d: %g cm", i, puppet_bench_apart(&there, &b[i]));
    }
}

/* ---- safety ---------------------------------------------------------------------------------- */

TEST_BENCH(a_step_asks_for_no_memory)
{
    enum { STEPS = 10 * RATE };
    static marey_entity main[STEPS];
    puppet_bench_wander(1, main, STEPS);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 0, 0);
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, main, NULL);
    bench->memory.refuse = 0;
    bench->memory.from_then_on = true;
    bench->memory.calls = 0;
    for (int i = 0; i < STEPS; i++) {
        marey_puppet_frame frame;
        marey_puppet_step(reactor, &main[i], &frame);
    }
    assert_int_equal(bench->memory.calls, 0);
    bench->memory.refuse = -1;
}

TEST_BENCH(a_main_character_that_cannot_be_is_where_it_was)
{
    enum { STEPS = 5 * RATE };
    static marey_entity main[STEPS];
    const marey_entity bad[] = { { NAN, 0, 0 },       { 0, INFINITY, 0 }, { 0, 0, NAN },
                                 { 0, 0, -INFINITY }, { 2e6, 0, 0 },      { 0, -1e300, 0 } };
    puppet_bench_wander(2, main, STEPS);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 2, 0);
    OWNED(marey_reactor) *a = puppet_bench_react(bench, puppet, main, NULL);
    OWNED(marey_reactor) *b = puppet_bench_react(bench, puppet, main, NULL);
    int last = 0;
    for (int i = 1; i < STEPS; i++) {
        marey_puppet_frame x, y;
        bool broken = i % 7 == 3;
        if (!broken) last = i;
        marey_puppet_step(a, broken ? &bad[i % 6] : &main[i], &x);
        marey_puppet_step(b, &main[last], &y);
        assert_memory_equal(&x.react, &y.react, sizeof x.react);
    }
}

/* Jumps about the whole plan, and back: it stays on it, and every number is one. */
TEST_BENCH(a_main_character_that_jumps_breaks_nothing)
{
    for (int k = 0; k < READY; k++) {
        OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, k, 1200);
        marey_entity main = { 0 };
        OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &main, NULL);
        for (int i = 0; i < 2000; i++) {
            marey_puppet_frame frame;
            main.x_cm = i / 100 % 2 ? 1e6 : -1e6;
            main.y_cm = i % 3 ? -1e6 : 1e6;
            main.direction_rad = i % 5 ? 1e6 : -3;
            marey_puppet_step(reactor, &main, &frame);
            assert_true(mry_entity_can_be(&frame.react) && fabs(frame.react.direction_rad) < 3.2);
        }
    }
}

TEST_BENCH(what_cannot_be_is_refused)
{
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(bench, 0, 300);
    marey_entity main = { 0 }, nowhere = { NAN, 0, 0 };
    marey_reactor *reactor = NULL;
    const marey_reactor_def defs[] = { { .start_given = true, .start = { 0, 2e6, 0 } },
                                       { .balance = -0.1 },
                                       { .balance = 1.1 },
                                       { .balance = NAN },
                                       { .weight = -1 },
                                       { .weight = NAN },
                                       { .weight = INFINITY } };
    for (int i = 0; i < (int)(sizeof defs / sizeof *defs); i++)
        assert_int_equal(marey_reactor_open(bench->ctx, puppet, &main, &defs[i], &reactor, NULL),
                         MAREY_ERR_REQUEST);
    assert_int_equal(marey_reactor_open(bench->ctx, puppet, &nowhere, NULL, &reactor, NULL),
                     MAREY_ERR_REQUEST);
    assert_null(reactor);
}

TEST_GROUP_OF_CASES(test_reactor, NULL, NULL)
