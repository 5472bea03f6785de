/* test_puppet.c - demonstrations become behaviours: of any rate, cut at gaps, refused with the
   sample that cannot be. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- resampling ------------------------------------------------------------------------------ */

/* Straight between the two samples around a time; looked for from the start every time. */
static marey_entity textbook(const marey_puppet_sample *s, int count, double time, bool react)
{
    int i = 0;
    while (i < count - 2 && s[i + 1].time_s <= time) i++;
    double share = (time - s[i].time_s) / (s[i + 1].time_s - s[i].time_s);
    return react ? puppet_bench_between(&s[i].react, &s[i + 1].react, share)
                 : puppet_bench_between(&s[i].main, &s[i + 1].main, share);
}

static void assert_there(const marey_entity *a, const marey_entity *b)
{
    assert_true(fabs(a->x_cm - b->x_cm) < 1e-6 && fabs(a->y_cm - b->y_cm) < 1e-6);
    assert_true(fabs(remainder(a->direction_rad - b->direction_rad, 2 * PI)) < 1e-9);
}

TEST_BENCH(any_rate_is_brought_to_one)
{
    static marey_puppet_sample s[600];
    static const double rates[] = { 0, 25, 90.5 };
    for (int kind = 0; kind < 3; kind++) {
        for (int r = 0; r < 3; r++) {
            /* A demonstration that turns through the whole circle, with the times of a kind: 30 or
               100 a second, or uneven. */
            double time = 7;
            int count = 0;
            while (count < 600 && time < 12) {
                s[count++] = (marey_puppet_sample){
                    time,
                    { 100 * cos(time), 50 * time, remainder(3 * time, 2 * PI) },
                    { 200 * sin(time), 9 * time * time, remainder(-4 * time, 2 * PI) }
                };
                time += kind == 0   ? 1 / 30.0
                        : kind == 1 ? 0.01
                                    : 0.003 + 0.09 * fabs(sin(7.0 * count));
            }
            marey_puppet_def def = { .rate = rates[r] };
            OWNED(marey_puppet) *puppet =
                puppet_bench_train(bench, &(marey_demonstration){ s, count }, 1, &def);
            double rate = r == 0 ? 60 : rates[r], lasts = s[count - 1].time_s - s[0].time_s;
            assert_int_equal(marey_puppet_runs(puppet), 1);
            assert_int_equal(marey_puppet_samples(puppet), (int)floor(lasts * rate + 1e-6) + 1);
            assert_int_equal(marey_puppet_samples(puppet), marey_puppet_run_samples(puppet, 0));
            for (int i = 0; i < marey_puppet_samples(puppet); i++) {
                marey_puppet_sample at = marey_puppet_sample_at(puppet, 0, i);
                assert_true(fabs(at.time_s - i / rate) < 1e-12);
                marey_entity main = textbook(s, count, s[0].time_s + i / rate, false);
                marey_entity react = textbook(s, count, s[0].time_s + i / rate, true);
                assert_there(&at.main, &main);
                assert_there(&at.react, &react);
            }
        }
    }
}

TEST_BENCH(gaps_cut_and_what_is_too_short_is_left_out)
{
    marey_puppet_sample s[62];
    for (int i = 0; i < 62; i++) s[i] = (marey_puppet_sample){ .time_s = i / 20.0 };
    for (int i = 20; i < 62; i++) s[i].time_s += 0.6; /* behind 20 samples, behind 21 .. */
    for (int i = 41; i < 62; i++) s[i].time_s += 5;
    s[40].time_s += 0.01;
    s[61].time_s += 1; /* .. and before the last, which is alone */
    marey_demonstration all[2] = { { s, 62 }, { s, 20 } };
    OWNED(marey_puppet) *puppet = puppet_bench_train(bench, all, 2, NULL);
    assert_int_equal(marey_puppet_runs(puppet), 4); /* 3 of the first, one of the second */
    assert_int_equal(marey_puppet_run_samples(puppet, 0), 58); /* 0.95 s */
    assert_int_equal(marey_puppet_run_samples(puppet, 1), 61); /* 1.01 s */
    assert_int_equal(marey_puppet_run_samples(puppet, 2), 58);
    assert_int_equal(marey_puppet_run_samples(puppet, 3), 58);
    marey_puppet_free(puppet);
    marey_puppet_def wide = { .gap_s = 10 };
    puppet = puppet_bench_train(bench, all, 1, &wide);
    assert_int_equal(marey_puppet_runs(puppet), 1);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(puppet_bench *bench, const marey_demonstration *all, int count,
                   const marey_puppet_def *def, const char *says)
{
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    assert_int_equal(marey_puppet_train(bench->ctx, all, count, def, &puppet, &error),
                     MAREY_ERR_REQUEST);
    assert_null(puppet);
    if (!strstr(error.message, says)) fail_msg("\"%s\" does not say %s", error.message, says);
}

TEST_BENCH(a_sample_that_cannot_be_is_named)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY, 1.1e6 };
    marey_puppet_sample good[30], s[30];
    for (int i = 0; i < 30; i++) good[i] = (marey_puppet_sample){ .time_s = i / 30.0 };
    marey_demonstration all[2] = { { good, 30 }, { s, 30 } };
    for (int field = 0; field < 7; field++) {
        for (int b = 0; b < 4; b++) {
            memcpy(s, good, sizeof s);
            double *fields[] = { &s[17].main.x_cm,  &s[17].main.y_cm,  &s[17].main.direction_rad,
                                 &s[17].react.x_cm, &s[17].react.y_cm, &s[17].react.direction_rad,
                                 &s[17].time_s };
            *fields[field] = field == 6 && b == 3 ? 1e10 : bad[b];
            refuse(bench, all, 2, NULL, "demonstration 1, sample 17");
        }
    }
    memcpy(s, good, sizeof s);
    s[9].time_s = s[8].time_s; /* twice */
    refuse(bench, all, 2, NULL, "demonstration 1, sample 9");
    s[9].time_s = s[8].time_s - 1; /* back */
    refuse(bench, all, 2, NULL, "demonstration 1, sample 9");
    all[1].count = 1;
    refuse(bench, all, 2, NULL, "demonstration 1 must have at least 2 samples, got 1");
    refuse(bench, all, 0, NULL, "no demonstration");
}

TEST_BENCH(definitions_that_cannot_be_are_refused)
{
    marey_puppet_sample s[2] = { { .time_s = 0 }, { .time_s = 0.01 } };
    marey_demonstration one = { s, 2 };
    const marey_puppet_def defs[] = { { .rate = 4 },         { .rate = 241 },
                                      { .rate = NAN },       { .window_s = 3 },
                                      { .window_s = 0.01 },  { .window_s = -1 },
                                      { .window_s = NAN },   { .gap_s = -1 },
                                      { .gap_s = INFINITY }, { .gap_s = NAN } };
    for (int i = 0; i < (int)(sizeof defs / sizeof *defs); i++)
        refuse(bench, &one, 1, &defs[i], "");
    refuse(bench, &one, 1, NULL, "shorter than two steps");
    s[1].time_s = 1e9;
    marey_puppet_def all = { .gap_s = 3600 };
    refuse(bench, &one, 1, &all, "shorter than two steps"); /* a gap: two of one sample each */
}

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct teller {
    marey_ctx *ctx;
    int calls, cancel_at; /* call that cancels; 0: none */
    int64_t done, total;
    bool fell;
} teller;

static void hear(void *user, const char *what, int64_t done, int64_t total)
{
    teller *of = user;
    assert_string_equal(what, "training");
    of->fell |= done < of->done || done > total;
    of->done = done;
    of->total = total;
    if (++of->calls == of->cancel_at) marey_ctx_cancel(of->ctx);
}

/* Two samples that are so many seconds apart, at 240 steps a second. */
static marey_status train_long(marey_ctx *ctx, double seconds, marey_puppet **out)
{
    marey_puppet_sample ends[] = { { 0, { 0 }, { 100, 0, 0 } },
                                   { seconds, { 500, 0, 1 }, { 400, 90, 0 } } };
    marey_puppet_def def = { .rate = 240, .gap_s = 3600 };
    return marey_puppet_train(ctx, &(marey_demonstration){ ends, 2 }, 1, &def, out, NULL);
}

TEST_BENCH(long_training_says_how_far_it_is_and_changes_nothing_by_it)
{
    teller of = { 0 };
    marey_ctx_def def = { .progress = hear, .progress_user = &of, .threads = 1 };
    OWNED(marey_ctx) *ctx = NULL;
    OWNED(marey_puppet) *brief = NULL, *told = NULL, *silent = NULL;
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    test_fine(train_long(ctx, 100, &brief), NULL);
    assert_int_equal(of.calls, 0); /* that was over at once */
    test_fine(train_long(ctx, 2200, &told), NULL);
    test_fine(train_long(bench->ctx, 2200, &silent), NULL);
    assert_in_range(of.calls, 400, 1000);
    assert_false(of.fell);
    assert_true(of.done > of.total * 9 / 10);
    assert_memory_equal(told->situation[4], silent->situation[4],
                        (size_t)told->count * sizeof(int16_t));
}

TEST(a_report_of_progress_can_cancel_it)
{
    teller of = { 0 };
    marey_ctx_def def = { .progress = hear, .progress_user = &of, .threads = 1 };
    marey_puppet *puppet = NULL;
    assert_int_equal(marey_ctx_open(&def, &of.ctx), MAREY_OK);
    for (int at = 0; at < 600; at += at ? 290 : 1) { /* 0: before it begins */
        of = (teller){ .ctx = of.ctx, .cancel_at = at };
        if (at == 0) marey_ctx_cancel(of.ctx);
        assert_int_equal(train_long(of.ctx, 2200, &puppet), MAREY_ERR_CANCELLED);
        assert_int_equal(of.calls, at);
        assert_null(puppet);
        marey_ctx_resume(of.ctx);
    }
    marey_ctx_close(of.ctx);
}

TEST_BENCH(refused_memory_is_reported_and_nothing_leaks)
{
    int count;
    FREED marey_puppet_sample *samples = puppet_bench_ready(0, &count);
    for (int i = 0; i < 300; i++) samples[i].react.x_cm += 2 * (i * 7 % 5 - 2); /* a shaking hand */
    marey_demonstration one = { samples, 300 };
    marey_entity main = { 0 };
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &bench->memory };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_puppet) *puppet = NULL;
        OWNED(marey_reactor) *reactor = NULL;
        marey_error error = { 0 };
        status = marey_puppet_train(bench->ctx, &one, 1, NULL, &puppet, &error);
        if (status == MAREY_OK)
            status = marey_reactor_open(bench->ctx, puppet, &main, NULL, &reactor, &error);
        assert_true((reactor != NULL) == (status == MAREY_OK));
    }
    assert_true(sweep.at >= 2);
}

TEST_GROUP_OF_CASES(test_puppet, NULL, NULL)
