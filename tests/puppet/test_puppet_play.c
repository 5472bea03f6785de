/* test_puppet_play.c - a whole path at once is what steps one by one are: at any rate of its rows,
   on any number of threads; and what cannot be is refused with the sample it is about. The judge
   steps in a plain loop and interpolates by itself. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST = 4000 };

static puppet_bench *bench;
static marey_puppet *puppet; /* a bully, who changes his mind often */

static int enter(void **state)
{
    (void)state;
    bench = puppet_bench_open();
    puppet = puppet_bench_train_ready(bench, 2, 3000);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    marey_puppet_free(puppet);
    puppet_bench_close(bench);
    return 0;
}

typedef enum spacing { ON_STEPS, EVERY_OTHER, SLOW, FAST, UNEVEN, FAR_APART, SPACINGS } spacing;

static double next_time(spacing kind, int i, double time)
{
    switch (kind) {
    case ON_STEPS: return 7.3 + (i + 1) / 60.0;
    case EVERY_OTHER: return 7.3 + (i + 1) / 30.0;
    case SLOW: return time + 0.04;
    case FAST: return time + 0.0041;
    case UNEVEN: return time + 0.0001 + 0.09 * fabs(sin(7.0 * i));
    default: return time + 1.7;
    }
}

/* A character wanders for some seconds; what the rows say of the reacting one must not matter. */
static int make_path(spacing kind, double seconds, marey_puppet_sample *s)
{
    static marey_entity main[MOST];
    puppet_bench_wander(11, main, MOST);
    double time = 7.3;
    int count = 0;
    for (; time <= 7.3 + seconds + 1e-9 && count < MOST; count++) {
        int at = (int)((time - 7.3) * 60 + 1e-6);
        s[count] = (marey_puppet_sample){ time, main[at], { NAN, -INFINITY, 1e300 } };
        s[count].main.direction_rad += 2 * PI * (count % 5); /* whole turns are none */
        time = next_time(kind, count, time);
    }
    return count;
}

static marey_played play(marey_puppet_sample *s, int count, const marey_reactor_def *def)
{
    marey_played about = { 0 };
    marey_error error = { 0 };
    test_fine(marey_puppet_play(bench->ctx, puppet, s, count, def, &about, &error), &error);
    return about;
}

static bool is_at(const marey_entity *a, const marey_entity *b, double near)
{
    return fabs(a->x_cm - b->x_cm) <= near && fabs(a->y_cm - b->y_cm) <= near &&
           fabs(remainder(a->direction_rad - b->direction_rad, 2 * PI)) <= near;
}

/* ---- the judge ------------------------------------------------------------------------------- */

/* Looked for from the start every time. */
static marey_entity main_of(const marey_puppet_sample *s, int count, double time)
{
    int i = 0;
    while (i + 1 < count && s[i + 1].time_s <= time + 1e-9) i++;
    if (i + 1 == count || fabs(s[i].time_s - time) < 1e-9) return s[i].main;
    return puppet_bench_between(&s[i].main, &s[i + 1].main,
                                (time - s[i].time_s) / (s[i + 1].time_s - s[i].time_s));
}

typedef struct judged {
    marey_entity react[MOST]; /* at every step, the start first */
    int steps, changes, led[2];
} judged;

static void judge(const marey_puppet_sample *s, int count, const marey_reactor_def *def,
                  judged *out)
{
    double rate = marey_puppet_settings(puppet)->rate, first = s[0].time_s, weight = 1;
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &s[0].main, def);
    marey_puppet_frame frame = { 0 }, before = { 0 };
    *out = (judged){ .steps = (int)ceil((s[count - 1].time_s - first) * rate - 1e-6) };
    assert_true(out->steps < MOST);
    out->react[0] = marey_reactor_start(reactor);
    for (int i = 1; i <= out->steps; i++) {
        marey_entity main = main_of(s, count, first + i / rate);
        marey_puppet_step(reactor, &main, &frame);
        out->react[i] = frame.react;
        bool next = frame.run == before.run && fabs(frame.time_s - before.time_s - 1 / rate) < 1e-9;
        if (i > 1 && !next) out->changes++;
        if (frame.weight != weight) out->led[frame.coherent]++;
        weight = frame.weight;
        before = frame;
    }
}

TEST_IN(enter, leave, a_path_of_any_rate_is_what_single_steps_are)
{
    static judged by_steps;
    static marey_puppet_sample s[MOST];
    static const marey_reactor_def DEFS[] = { { 0 },
                                              { .start_given = true, .start = { -300, 50, 2 } },
                                              { .rough = true } };
    for (spacing kind = 0; kind < SPACINGS; kind++) {
        const marey_reactor_def *def = &DEFS[kind % 3];
        int count = make_path(kind, 12.01, s);
        judge(s, count, def, &by_steps);
        marey_played about = play(s, count, def);
        for (int i = 0; i < count; i++) {
            double at = (s[i].time_s - s[0].time_s) * 60;
            int step = (int)fmin(at, by_steps.steps - 1);
            marey_entity wanted =
                puppet_bench_between(&by_steps.react[step], &by_steps.react[step + 1], at - step);
            if (!is_at(&s[i].react, &wanted, 1e-6)) fail_msg("spacing %d, row %d", (int)kind, i);
        }
        assert_int_equal(about.steps, by_steps.steps);
        assert_int_equal(about.changes, by_steps.changes);
        double led = by_steps.led[0] + by_steps.led[1];
        assert_true(led > 0 && fabs(about.balance - by_steps.led[0] / led) < 1e-12);
        assert_true(is_at(&about.start, &by_steps.react[0], 0));
        assert_true(is_at(&s[0].react, &about.start, 0));
    }
}

TEST_IN(enter, leave, rows_on_steps_are_the_steps_exactly)
{
    static judged by_steps;
    static marey_puppet_sample s[MOST];
    for (spacing kind = ON_STEPS; kind <= EVERY_OTHER; kind++) {
        int count = make_path(ON_STEPS, 10, s), kept = 0;
        assert_int_equal(count, 601);
        judge(s, count, NULL, &by_steps);
        int each = kind == ON_STEPS ? 1 : 2;
        if (each == 2) { /* the others are where the rows around them say */
            for (int i = 0; i + 2 < count; i += 2) {
                s[i + 1].main = mry_entity_between(&s[i].main, &s[i + 2].main, 0.5);
            }
            judge(s, count, NULL, &by_steps);
            for (int i = 0; i < count; i += 2) s[kept++] = s[i];
            count = kept;
        }
        play(s, count, NULL);
        for (int i = 0; i < count; i++)
            assert_memory_equal(&s[i].react, &by_steps.react[each * i], sizeof s[i].react);
    }
}

TEST_IN(enter, leave, what_was_shown_comes_back)
{
    int count;
    FREED marey_puppet_sample *shown = puppet_bench_ready(0, &count), *again = NULL;
    marey_demonstration one = { shown, 1800 };
    OWNED(marey_puppet) *follower = puppet_bench_train(bench, &one, 1, NULL);
    again = malloc(1800 * sizeof *again);
    assert_non_null(again);
    memcpy(again, shown, 1800 * sizeof *again);
    double sum = 0;
    test_fine(marey_puppet_play(bench->ctx, follower, again, 1800, NULL, NULL, NULL), NULL);
    for (int i = 0; i < 1800; i++)
        sum += hypot(again[i].react.x_cm - shown[i].react.x_cm,
                     again[i].react.y_cm - shown[i].react.y_cm);
    assert_true(sum / 1800 < 15);
}

TEST_IN(enter, leave, one_sample_is_the_start)
{
    marey_puppet_sample s = { 5, { 100, 200, 1 }, { NAN, 0, 0 } };
    marey_played about = play(&s, 1, NULL);
    marey_entity wanted = mry_reactor_relation(puppet, puppet->runs[0].first, &s.main);
    assert_int_equal(about.steps, 0);
    assert_int_equal(about.changes, 0);
    assert_true(is_at(&s.react, &wanted, 0) && is_at(&about.start, &wanted, 0));
}

TEST_IN(enter, leave, samples_within_one_step_are_all_answered)
{
    marey_puppet_sample s[6];
    static const double times[] = { 0, 1e-9, 2e-9, 0.008, 0.0081, 0.012 };
    for (int i = 0; i < 6; i++)
        s[i] = (marey_puppet_sample){ times[i], { 10 * i, 0, 0 }, { NAN, NAN, NAN } };
    marey_played about = play(s, 6, NULL);
    assert_int_equal(about.steps, 1);
    for (int i = 0; i < 6; i++) assert_true(mry_entity_can_be(&s[i].react));
    assert_true(is_at(&s[1].react, &about.start, 0) && is_at(&s[2].react, &about.start, 0));
}

enum { AT_ONCE = 8 };

typedef struct crowd {
    marey_ctx *ctx;
    const marey_puppet *puppet;
    marey_puppet_sample *paths[AT_ONCE];
    int count;
    marey_status status[AT_ONCE];
} crowd;

static void play_one(void *user, int64_t i)
{
    crowd *all = user;
    all->status[i] =
        marey_puppet_play(all->ctx, all->puppet, all->paths[i], all->count, NULL, NULL, NULL);
}

TEST_IN(enter, leave, many_at_once_answer_as_one_alone)
{
    static marey_puppet_sample alone[MOST];
    OWNED(marey_ctx) *ctx = NULL;
    assert_int_equal(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &ctx), MAREY_OK);
    crowd all = { .ctx = ctx, .puppet = puppet };
    all.count = make_path(UNEVEN, 8, alone);
    size_t bytes = (size_t)all.count * sizeof *alone;
    for (int i = 0; i < AT_ONCE; i++) {
        all.paths[i] = malloc(bytes);
        assert_non_null(all.paths[i]);
        memcpy(all.paths[i], alone, bytes);
    }
    play(alone, all.count, NULL);
    marey_ctx_run(ctx, AT_ONCE, play_one, &all);
    for (int i = 0; i < AT_ONCE; i++) {
        assert_int_equal(all.status[i], MAREY_OK);
        assert_memory_equal(all.paths[i], alone, bytes);
        free(all.paths[i]);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(marey_puppet_sample *s, int count, const marey_reactor_def *def,
                   marey_status status, const char *says)
{
    marey_played about = { .steps = -5 };
    marey_error error = { 0 };
    assert_int_equal(marey_puppet_play(bench->ctx, puppet, s, count, def, &about, &error), status);
    assert_int_equal(about.steps, -5);
    if (!strstr(error.message, says)) fail_msg("\"%s\" does not say %s", error.message, says);
}

TEST_IN(enter, leave, what_cannot_be_is_refused)
{
    static const double bad[] = { NAN, INFINITY, -1.1e6 };
    marey_puppet_sample good[10], s[10];
    for (int i = 0; i < 10; i++) good[i] = (marey_puppet_sample){ .time_s = i / 10.0 };
    refuse(good, 0, NULL, MAREY_ERR_REQUEST, "a path must have at least 1 sample");
    for (int field = 0; field < 4; field++) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            memcpy(s, good, sizeof s);
            double *fields[] = { &s[3].main.x_cm, &s[3].main.y_cm, &s[3].main.direction_rad,
                                 &s[3].time_s };
            *fields[field] = field == 3 && b == 2 ? 6e9 : bad[b];
            refuse(s, 10, NULL, MAREY_ERR_REQUEST,
                   "sample 3 of the path: not a number, or too large");
        }
    }
    memcpy(s, good, sizeof s);
    s[4].time_s = s[3].time_s;
    refuse(s, 10, NULL, MAREY_ERR_REQUEST,
           "sample 4 of the path: its time, 0.3 s, is not after 0.3 s");
    s[4].time_s = 0.25;
    refuse(s, 10, NULL, MAREY_ERR_REQUEST,
           "sample 4 of the path: its time, 0.25 s, is not after 0.3 s");
    refuse(good, 10, &(marey_reactor_def){ .balance = 2 }, MAREY_ERR_REQUEST,
           "balance must be 0 to 1, got 2");
    refuse(good, 10, &(marey_reactor_def){ .weight = -1 }, MAREY_ERR_REQUEST,
           "weight must be 0 to 1e+06, got -1");
    refuse(good, 10, &(marey_reactor_def){ .start_given = true, .start = { NAN, 0, 0 } },
           MAREY_ERR_REQUEST, "positions must be finite");
    good[9].time_s = 80000;
    refuse(good, 10, NULL, MAREY_ERR_LIMIT, "a path must have at most 4194304 steps");
}

/* The reactor's memory is the last thing before the first step. */
static void *cancelling(void *user, void *old, size_t old_size, size_t size)
{
    (void)old_size;
    marey_ctx **ctx = user;
    if (*ctx) marey_ctx_cancel(*ctx);
    if (size) return realloc(old, size);
    free(old);
    return NULL;
}

TEST_IN(enter, leave, playing_can_be_cancelled)
{
    static marey_puppet_sample s[MOST];
    marey_ctx *own = NULL;
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx_def def = { .resize = cancelling, .resize_user = &own, .threads = 1 };
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    int count = make_path(ON_STEPS, 20, s);
    marey_played about = { .steps = -5 };
    own = ctx;
    assert_int_equal(marey_puppet_play(ctx, puppet, s, count, NULL, &about, NULL),
                     MAREY_ERR_CANCELLED);
    assert_true(about.steps == -5 && !isnan(s[1].react.x_cm) && isnan(s[200].react.x_cm));
    own = NULL;
    count = make_path(ON_STEPS, 0.1, s);
    assert_int_equal(marey_puppet_play(ctx, puppet, s, count, NULL, &about, NULL),
                     MAREY_ERR_CANCELLED);
    assert_true(isnan(s[0].react.x_cm));
}

typedef struct told {
    marey_ctx *ctx;
    int64_t calls, last, total, stop; /* stop: cancelled when so much is done; 0: never */
} told;

static void note_progress(void *user, const char *what, int64_t done, int64_t total)
{
    told *of = user;
    assert_string_equal(what, "reacting");
    assert_true(done > of->last && done <= total);
    of->calls++;
    of->last = done;
    of->total = total;
    if (of->stop && done >= of->stop) marey_ctx_cancel(of->ctx);
}

TEST_IN(enter, leave, progress_is_reported_and_can_cancel)
{
    static marey_puppet_sample s[MOST];
    for (int stops = 0; stops < 2; stops++) {
        told of = { .stop = stops ? 300 : 0 };
        marey_ctx_def def = { .progress = note_progress, .progress_user = &of, .threads = 1 };
        assert_int_equal(marey_ctx_open(&def, &of.ctx), MAREY_OK);
        int count = make_path(ON_STEPS, 10, s);
        assert_int_equal(marey_puppet_play(of.ctx, puppet, s, count, NULL, NULL, NULL),
                         stops ? MAREY_ERR_CANCELLED : MAREY_OK);
        assert_int_equal(of.total, 600);
        assert_int_equal(of.last == 600, !stops);
        assert_true(of.calls >= 4 && of.last >= of.stop && of.last < of.stop + 100 + 600 * !stops);
        marey_ctx_close(of.ctx);
    }
}

TEST_IN(enter, leave, refused_memory_is_reported_and_nothing_leaks)
{
    static marey_puppet_sample s[MOST];
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &bench->memory };
    while (test_refuse(&sweep, status)) {
        int count = make_path(SLOW, 1, s);
        marey_played about = { .steps = -5 };
        status = marey_puppet_play(bench->ctx, puppet, s, count, NULL, &about, NULL);
        if (status) assert_true(about.steps == -5 && isnan(s[0].react.x_cm));
    }
    assert_true(sweep.at >= 2);
}

TEST_GROUP_OF_CASES(test_puppet_play, NULL, NULL)
