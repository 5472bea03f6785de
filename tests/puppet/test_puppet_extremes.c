/* test_puppet_extremes.c - odd demonstrations: of two samples, of a character that never moves, at
   the edge of the world, at the slowest and the fastest rates, with directions of many turns. A
   puppet that learned from them is always somewhere, goes not much faster than was shown, and is
   near where it was shown while the main character does as shown. */
#include "bytes_judge.h"
#include "puppet_bench.h"

#include <math.h>
#include <string.h>

enum { MOST = 30000, STEPS = 900 };

static marey_puppet_sample shown[MOST], again[MOST];

/* Sample `i` at `time`. */
typedef marey_puppet_sample (*sample_fn)(int i, double time);

static marey_puppet_sample walks(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t,
                                  { 100 * t, 60 * sin(t), 0.5 * cos(t) },
                                  { 100 * t - 150, 60 * sin(t - 1), 0.5 * cos(t - 1) } };
}

static marey_puppet_sample stands(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t, { 0, 0, 1 }, { 100, 50, -2 } };
}

static marey_puppet_sample same_place(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t, { 30, -40, 0 }, { 30, -40, 0 } };
}

static marey_puppet_sample moves_as_one(int i, double t)
{
    marey_puppet_sample s = walks(i, t);
    s.react = s.main;
    return s;
}

static marey_puppet_sample at_the_edge(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t,
                                  { 1e6 - 80 * t, -1e6, 3 },
                                  { 1e6 - 80 * t - 100, -1e6 + 10 * t, 0 } };
}

static marey_puppet_sample far_apart(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t, { -1e6, 50 * t, 0 }, { 1e6 - 50 * t, -1e6, t } };
}

static marey_puppet_sample jumps_about(int i, double t)
{
    double side = i / 7 % 2 ? 1 : -1;
    return (marey_puppet_sample){ t, { 9e5 * side, 0, 0 }, { -9e5 * side, 8e5, 3 * side } };
}

static marey_puppet_sample spins(int i, double t)
{
    marey_puppet_sample s = walks(i, t);
    s.main.direction_rad = 9.9e5 - 2e4 * t;
    s.react.direction_rad = -9e5 + 13 * t;
    return s;
}

static marey_puppet_sample hardly_moves(int i, double t)
{
    (void)i;
    return (marey_puppet_sample){ t,
                                  { 1e-9 * t, 0, 1e-12 * t },
                                  { 1e-300, 1 + 1e-7 * sin(t), 5e-324 } };
}

/* Anything between -1 and 1. Not by a sine, which comes back to nearly the same every few
   samples. */
static double any(int i, uint32_t salt)
{
    uint32_t bits = ((uint32_t)i + salt) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return (bits ^ bits >> 13) / (double)UINT32_MAX * 2 - 1;
}

static marey_puppet_sample shakes(int i, double t)
{
    marey_puppet_sample s = walks(i, t);
    s.react.x_cm += 5 * any(i, 1000);
    s.react.y_cm += 5 * any(i, 2000);
    s.react.direction_rad += any(i, 3000);
    return s;
}

typedef struct odd {
    const char *name;
    sample_fn at;
    int count;
    double step_s;  /* between samples */
    double first_s; /* time of the first */
    marey_puppet_def def;
    double strays_cm; /* how far it may be from where it was shown .. */
    double ends_cm;   /* .. and at the end */
} odd;

#define AT_60 1 / 60.0, 0
#define USUAL                                                                                      \
    {                                                                                              \
        .rate = 0                                                                                  \
    }

static const odd ODD[] = {
    { "two samples", walks, 2, 0.4, 0, USUAL, 0.1, 0.1 },
    { "two samples, a step apart", walks, 2, AT_60, USUAL, 0.001, 0.001 },
    { "three samples", walks, 3, 0.3, 0, USUAL, 0.2, 0.2 },
    { "all stand", stands, 300, AT_60, USUAL, 0.001, 0.001 },
    { "the same place", same_place, 300, AT_60, USUAL, 0.001, 0.001 },
    { "move as one", moves_as_one, 600, AT_60, USUAL, 0.5, 0.5 },
    { "the edge of the world", at_the_edge, 600, AT_60, USUAL, 0.001, 0.001 },
    { "20 km apart", far_apart, 600, AT_60, USUAL, 0.001, 0.001 },
    { "jumps", jumps_about, 300, AT_60, USUAL, 3e6, 1 },
    { "many turns", spins, 600, AT_60, USUAL, 0.5, 0.5 },
    { "hardly moves", hardly_moves, 300, AT_60, USUAL, 0.001, 0.001 },
    { "shakes", shakes, 600, AT_60, USUAL, 20, 20 },
    { "the slowest", walks, 60, 0.4, 0, { .rate = 5, .window_s = 25 }, 5, 2 },
    { "the fastest", walks, 5000, 0.001, 0, { .rate = 240, .window_s = 128 / 240.0 }, 0.5, 0.5 },
    { "the shortest window", walks, 600, AT_60, { .window_s = 4 / 60.0 }, 0.5, 0.5 },
    { "a clock from 1970", walks, 600, 1 / 60.0, 1.79e9, USUAL, 0.5, 0.5 },
    { "long ago", walks, 600, 1 / 60.0, -4.9e9, USUAL, 0.5, 0.5 },
};
enum { ODD_COUNT = sizeof ODD / sizeof *ODD };

static marey_puppet *train(puppet_bench *bench, const odd *of)
{
    for (int i = 0; i < of->count; i++) {
        shown[i] = of->at(i, i * of->step_s);
        shown[i].time_s = of->first_s + i * of->step_s;
    }
    return puppet_bench_train(bench, &(marey_demonstration){ shown, of->count }, 1, &of->def);
}

/* ---- what holds ------------------------------------------------------------------------------ */

static void check_somewhere(const odd *of, const marey_puppet *puppet,
                            const marey_puppet_frame *frame)
{
    const marey_entity *at = &frame->react;
    if (!(fabs(at->x_cm) <= 1e6 && fabs(at->y_cm) <= 1e6 && fabs(at->direction_rad) < 3.15))
        fail_msg("%s: %g, %g, %g", of->name, at->x_cm, at->y_cm, at->direction_rad);
    assert_true(frame->run == 0 && frame->time_s >= 0);
    assert_true(frame->time_s * marey_puppet_settings(puppet)->rate <
                marey_puppet_run_samples(puppet, 0));
    assert_true(frame->weight >= 1e-6 && frame->weight <= 1e6);
    assert_true(frame->balance >= 0 && frame->balance <= 1);
}

TEST_BENCH(while_the_main_character_does_as_shown_it_is_where_it_was_shown)
{
    for (int k = 0; k < ODD_COUNT; k++) {
        const odd *of = &ODD[k];
        OWNED(marey_puppet) *puppet = train(bench, of);
        memcpy(again, shown, sizeof *again * (size_t)of->count);
        marey_error error = { 0 };
        double strays = 0;
        test_fine(marey_puppet_play(bench->ctx, puppet, again, of->count, NULL, NULL, &error),
                  &error);
        for (int i = 0; i < of->count; i++) {
            assert_true(mry_entity_can_be(&again[i].react));
            strays = fmax(strays, puppet_bench_apart(&again[i].react, &shown[i].react));
        }
        double ends = puppet_bench_apart(&again[of->count - 1].react, &shown[of->count - 1].react);
        if (!(strays <= of->strays_cm && ends <= of->ends_cm))
            fail_msg("%s: %g cm, at the end %g cm", of->name, strays, ends);
    }
}

/* Stands, walks, turns on the spot, jumps to the ends of the world, is nowhere. */
static marey_entity wild(int i)
{
    double t = i / 60.0;
    switch (i / 100 % 5) {
    case 0: return (marey_entity){ 0 };
    case 1: return (marey_entity){ 120 * t, 50 * sin(t), t };
    case 2: return (marey_entity){ 0, 0, 1e6 * sin(t) };
    case 3: return (marey_entity){ i % 2 ? 1e6 : -1e6, i % 3 ? 1e6 : -1e6, 1e5 * i };
    default: return i % 2 ? (marey_entity){ NAN, INFINITY, 0 } : (marey_entity){ 1e300, 0, 0 };
    }
}

/* A fifth faster where it is off, and what fades from another moment on top: at most twice as
   much. */
TEST_BENCH(it_is_always_somewhere_and_not_much_faster_than_shown)
{
    static const marey_reactor_def DEFS[] = {
        { 0 },
        { .rough = true },
        { .smooth = true, .start_given = true, .start = { -1e6, 1e6, 1e6 } },
        { .weight = 1e6, .start_given = true },
        { .balance = 1, .start_given = true, .start = { 0, 5e-324, -40 } },
    };
    for (int k = 0; k < ODD_COUNT; k++) {
        OWNED(marey_puppet) *puppet = train(bench, &ODD[k]);
        /* The longest step of the one that reacts, at the puppet's rate. */
        double most = 0;
        for (int i = 1; i < marey_puppet_run_samples(puppet, 0); i++) {
            marey_puppet_sample a = marey_puppet_sample_at(puppet, 0, i - 1);
            marey_puppet_sample b = marey_puppet_sample_at(puppet, 0, i);
            most = fmax(most, puppet_bench_apart(&a.react, &b.react));
        }
        for (size_t d = 0; d < sizeof DEFS / sizeof *DEFS; d++) {
            marey_entity first = wild(0), before;
            OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &first, &DEFS[d]);
            before = marey_reactor_start(reactor);
            assert_true(mry_entity_can_be(&before));
            for (int i = 0; i < STEPS; i++) {
                marey_entity main = wild(i);
                marey_puppet_frame frame;
                marey_puppet_step(reactor, &main, &frame);
                check_somewhere(&ODD[k], puppet, &frame);
                double step = puppet_bench_apart(&frame.react, &before);
                if (step > 3.6 * most + 1e-6)
                    fail_msg("%s, %d, step %d: %g is more than %g", ODD[k].name, (int)d, i, step,
                             most);
                before = frame.react;
            }
        }
    }
}

TEST_BENCH(odd_behaviours_are_kept_as_they_are)
{
    for (int k = 0; k < ODD_COUNT; k++) {
        OWNED(marey_puppet) *puppet = train(bench, &ODD[k]), *back = NULL;
        OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
        marey_error error = { 0 };
        test_fine(marey_puppet_write(puppet, &bytes.at, &bytes.size, &error), &error);
        test_fine(marey_puppet_read(bench->ctx, bytes.at, bytes.size, &back, &error), &error);
        marey_entity main = { 0 };
        OWNED(marey_reactor) *a = puppet_bench_react(bench, puppet, &main, NULL);
        OWNED(marey_reactor) *b = puppet_bench_react(bench, back, &main, NULL);
        for (int i = 0; i < 120; i++) {
            marey_puppet_frame x, y;
            main = wild(i + 80);
            marey_puppet_step(a, &main, &x);
            marey_puppet_step(b, &main, &y);
            assert_memory_equal(&x.react, &y.react, sizeof x.react);
        }
    }
}

/* ---- long ones ------------------------------------------------------------------------------- */

TEST_BENCH(training_can_be_cancelled_anywhere)
{
    puppet_canceller of = { 0 };
    marey_ctx *ctx = puppet_canceller_open(&of);
    marey_puppet *puppet = NULL;
    for (int i = 0; i < MOST; i++) shown[i] = walks(i, i / 60.0);
    for (int i = 0; i < MOST; i++) shown[i].main.x_cm = shown[i].react.x_cm = 0;
    marey_demonstration one = { shown, MOST };
    long before = of.memory.calls;
    test_fine(marey_puppet_train(ctx, &one, 1, NULL, &puppet, NULL), NULL);
    long calls = of.memory.calls - before;
    marey_puppet_free(puppet);
    assert_true(calls >= 12);
    of.ctx = ctx;
    for (long call = 0; call < calls; call++) {
        puppet = NULL;
        of.at = of.memory.calls + call;
        assert_int_equal(marey_puppet_train(ctx, &one, 1, NULL, &puppet, NULL),
                         MAREY_ERR_CANCELLED);
        assert_null(puppet);
        marey_ctx_resume(ctx);
    }
    of.ctx = NULL;
    marey_ctx_close(ctx);
    assert_int_equal(of.memory.live, 0);
}

TEST_BENCH(too_long_a_demonstration_is_refused_before_there_is_memory_for_it)
{
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    for (int i = 0; i < 30; i++) shown[i] = stands(i, 3000.0 * i);
    marey_puppet_def def = { .gap_s = 3600 };
    size_t peak = marey_ctx_bytes_peak(bench->ctx);
    assert_int_equal(marey_puppet_train(bench->ctx, &(marey_demonstration){ shown, 30 }, 1, &def,
                                        &puppet, &error),
                     MAREY_ERR_LIMIT);
    assert_null(puppet);
    assert_true(marey_ctx_bytes_peak(bench->ctx) < peak + 100000);
}

TEST_GROUP_OF_CASES(test_puppet_extremes, NULL, NULL)
