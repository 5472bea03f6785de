/* test_family.c - families of motions: samples and answers against textbook versions, accuracy on
   demo reaches, requests that cannot be met, redundant examples and examples that do not blend. */
#include "bytes_judge.h"
#include "frame_measures.h"
#include "reaches.h"

#include "math/turn.h"
#include "motion/clip_data.h"
#include "param/family_data.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    marey_ctx *ctx;
    test_examples reaches;
    marey_family *family; /* of twelve right reaches, by the wrist */
} fixture;

static marey_param parsed(const char *text)
{
    marey_param param;
    marey_error error = { 0 };
    if (marey_param_parse(text, &param, &error)) fail_msg("%s", error.message);
    return param;
}

static marey_family *build(marey_ctx *ctx, const test_examples *of, int count, const char *text,
                           marey_family_def def)
{
    marey_param param = parsed(text);
    marey_registration_def registration = { .reference = 1 };
    marey_family *family = NULL;
    marey_error error = { 0 };
    def.params = &param;
    def.param_count = 1;
    def.registration = &registration;
    if (marey_family_build(ctx, of->clips, count, of->contacts, &def, &family, &error))
        fail_msg("%s", error.message);
    return family;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    test_examples_make(f->ctx, "reach", "right", 12, &f->reaches);
    f->family = build(f->ctx, &f->reaches, 12, "position(right_wrist, apex, start)",
                      (marey_family_def){ 0 });
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    marey_family_free(f->family);
    test_examples_free(&f->reaches);
    marey_ctx_close(f->ctx);
    free(f);
    return 0;
}

/* ---- weights --------------------------------------------------------------------------------- */

TEST(random_weights_are_valid_and_go_everywhere)
{
    uint64_t seed = 3;
    double least = 1, most = 0;
    for (int i = 0; i < 20000; i++) {
        int count = 2 + i % 6;
        double weights[MRY_MOST_NEAR], sum = 0, delta = 0.05 * (i % 5);
        mry_random_weights(&seed, delta, count, weights);
        for (int k = 0; k < count; k++) {
            assert_true(weights[k] >= -delta - 1e-12 && weights[k] <= 1 + delta + 1e-12);
            sum += weights[k];
            least = fmin(least, weights[k]);
            most = fmax(most, weights[k]);
        }
        assert_true(fabs(sum - 1) < 1e-12);
    }
    assert_true(least < -0.19 && most > 1.19); /* of the widest delta, 0.2 */
}

TEST_OF(fixture *f, samples_are_valid_apart_and_what_they_say)
{
    int count, dims = marey_family_dims(f->family);
    const double *values = marey_family_samples(f->family, &count);
    assert_true(count > 200);
    for (int i = 0; i < count; i++) {
        int motions[MRY_MOST_NEAR], used;
        double weights[MRY_MOST_NEAR], sum = 0, got[3];
        used = marey_family_weights(f->family, i, motions, weights);
        assert_true(used >= 1 && used <= dims + 1);
        for (int k = 0; k < used; k++) {
            assert_true(weights[k] >= -0.1 - 1e-12 && weights[k] <= 1.1 + 1e-12);
            sum += weights[k];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        for (int k = 12; k < i; k++) { /* examples may be as close as they are */
            assert_true(mry_family_distance(f->family, values + i * dims, values + k * dims) >=
                        1.27 - 1e-9);
        }
        if (i % 16) continue;
        assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, used, got, NULL),
                         MAREY_OK);
        for (int d = 0; d < dims; d++) /* to the steps that are kept */
            assert_true(fabs(got[d] - values[i * dims + d]) <= f->family->value_step[d]);
    }
}

/* ---- what a blend does ----------------------------------------------------------------------- */

/* A real blend, made and measured where the probe says that the moment is. */
static void judge_values(fixture *f, const char *text, const int *motions, const double *weights,
                         int count)
{
    OWNED(marey_family) *family =
        build(f->ctx, &f->reaches, 6, text, (marey_family_def){ .samples = -1 });
    marey_param param = parsed(text);
    double all[6] = { 0 }, quick[3], real[3];
    for (int i = 0; i < count; i++) all[motions[i]] = weights[i];
    marey_blend_def def = { .weights = all, .leave_feet = true };
    OWNED(marey_made) made = { 0 };
    mry_probe probe;
    assert_int_equal(marey_blend_make(f->ctx, family->of, &def, &made, NULL), MAREY_OK);
    assert_int_equal(mry_family_probe(f->ctx, family, &probe, NULL), MAREY_OK);
    assert_true(mry_family_look(family, &probe, motions, weights, count, quick));
    assert_int_equal(probe.frames, marey_clip_frames(made.clip));
    double moment = mry_probe_moment(&probe, 0);
    assert_int_equal(marey_param_measure(&param, made.clip, isnan(moment) ? 0 : moment, real, NULL),
                     MAREY_OK);
    for (int d = 0; d < param.kind->dims; d++) {
        if (!(fabs(quick[d] - real[d]) < 1e-3 * (1 + fabs(real[d]))))
            fail_msg("%s: %g, not %g", text, quick[d], real[d]);
    }
    mry_probe_close(&probe);
}

TEST_OF(fixture *f, a_blend_that_is_looked_at_is_the_blend_that_is_made)
{
    static const char *const texts[] = {
        "position(right_wrist, apex, start)",
        "position(right_wrist, 40, root)",
        "position(left_ankle, end, world)",
        "mass(apex, start)",
        "place(start)",
        "heading()",
        "speed(right_wrist, greatest)",
        "turning(right_elbow, mean)",
        "duration()",
        "pace()",
        "height(head, lowest)",
        "curvature()",
    };
    static const int motions[] = { 5, 1, 3 };
    static const double weights[] = { 0.6, -0.08, 0.48 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        judge_values(f, texts[i], motions, weights, 3);
    static const int last = 4;
    static const double whole = 1;
    judge_values(f, "position(right_wrist, apex, world)", &last, &whole, 1);
}

TEST_OF(fixture *f, examples_do_what_the_demo_says)
{
    int count;
    const double *values = marey_family_samples(f->family, &count);
    for (int i = 0; i < 12; i++) {
        for (int d = 0; d < 3; d++)
            assert_true(fabs(values[3 * i + d] - f->reaches.truth[i][d]) < 0.1);
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct ranked {
    double distance;
    int sample;
} ranked;

static int by_distance(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->sample - y->sample;
}

/* Equations 6.4 and 6.5 as they stand, over all examples. */
static void textbook_answer(const marey_family *family, const double *wanted, double *weights)
{
    int count, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &count);
    FREED ranked *order = calloc((size_t)count, sizeof *order);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double square = 0;
        for (int d = 0; d < dims; d++)
            square += (values[i * dims + d] - wanted[d]) * (values[i * dims + d] - wanted[d]);
        order[i] = (ranked){ sqrt(square), i };
    }
    qsort(order, (size_t)count, sizeof *order, by_distance);
    memset(weights, 0, (size_t)family->examples * sizeof *weights);
    for (int i = 0; i < 12; i++) sum += 1 / order[i].distance - 1 / order[11].distance;
    for (int i = 0; i < 12; i++) {
        double share = (1 / order[i].distance - 1 / order[11].distance) / sum, own[MRY_MOST_NEAR];
        int motions[MRY_MOST_NEAR];
        int used = marey_family_weights(family, order[i].sample, motions, own);
        for (int k = 0; k < used; k++) weights[motions[k]] += share * own[k];
    }
}

TEST_OF(fixture *f, the_table_is_the_papers)
{
    uint64_t seed = 9;
    double low[3], high[3];
    marey_ask_def table = { .table = true };
    marey_family_box(f->family, low, high);
    for (int i = 0; i < 200; i++) {
        double wanted[3], want[12], got[12] = { 0 };
        marey_answer answer;
        for (int d = 0; d < 3; d++) wanted[d] = mry_random_between(&seed, low[d], high[d]);
        textbook_answer(f->family, wanted, want);
        assert_int_equal(marey_family_ask(f->ctx, f->family, wanted, &table, &answer, NULL),
                         MAREY_OK);
        for (int k = 0; k < answer.count; k++) got[answer.motions[k]] = answer.weights[k];
        for (int k = 0; k < 12; k++) assert_true(fabs(got[k] - want[k]) < 1e-9);
        assert_true(answer.error == answer.table_error);
    }
}

TEST_OF(fixture *f, an_example_is_asked_for_and_comes)
{
    int count;
    const double *values = marey_family_samples(f->family, &count);
    for (int i = 0; i < 12; i++) {
        marey_answer answer;
        assert_int_equal(marey_family_ask(f->ctx, f->family, values + 3 * i, NULL, &answer, NULL),
                         MAREY_OK);
        assert_true(answer.error < 0.05 && !answer.outside);
    }
}

static bool is_valid(const marey_answer *answer)
{
    double sum = 0;
    for (int i = 0; i < answer->count; i++) {
        if (!(answer->weights[i] >= -0.1 - 1e-9 && answer->weights[i] <= 1.1 + 1e-9)) return false;
        sum += answer->weights[i];
    }
    return fabs(sum - 1) < 1e-9 && isfinite(answer->error);
}

/* The bars are the issue's: forty reaches, targets that fresh valid weights reach. */
TEST_OF(fixture *f, reaches_reach)
{
    OWNED(test_examples) many = { 0 };
    marey_family_check check;
    test_examples_make(f->ctx, "reach", "right", 40, &many);
    OWNED(marey_family) *family =
        build(f->ctx, &many, 40, "position(right_wrist, apex, start)", (marey_family_def){ 0 });
    assert_int_equal(marey_family_try(f->ctx, family, 150, 7, NULL, &check, NULL), MAREY_OK);
    assert_int_equal(check.invalid, 0);
    assert_true(check.median <= 0.5 && check.p95 <= 1.5);
    assert_true(check.median < check.table_median / 4);
}

TEST_OF(fixture *f, nothing_breaks_outside)
{
    uint64_t seed = 5;
    int tries = test_trials(100, 10000), outside = 0;
    for (int i = 0; i < tries; i++) {
        double wanted[3], reach = i % 3 == 0 ? 1e6 : 400;
        marey_answer answer;
        for (int d = 0; d < 3; d++) wanted[d] = mry_random_between(&seed, -reach, reach);
        assert_int_equal(marey_family_ask(f->ctx, f->family, wanted, NULL, &answer, NULL),
                         MAREY_OK);
        assert_true(is_valid(&answer));
        assert_true(answer.error <= answer.table_error);
        outside += answer.outside;
        if (i % 50) continue;
        OWNED(marey_made) made = { 0 };
        assert_int_equal(marey_family_make(f->ctx, f->family, wanted, NULL, &made, &answer, NULL),
                         MAREY_OK);
        assert_true(is_valid(&answer));
        test_clip_is_finite(made.clip);
    }
    assert_true(outside > tries / 2);
    double bad[3] = { 0, NAN, 0 };
    marey_answer answer;
    assert_int_equal(marey_family_ask(f->ctx, f->family, bad, NULL, &answer, NULL),
                     MAREY_ERR_REQUEST);
}

TEST_OF(fixture *f, what_is_made_reaches_with_feet_held)
{
    int count;
    const double *values = marey_family_samples(f->family, &count);
    marey_param param = parsed("position(right_wrist, apex, start)");
    for (int i = 12; i < count; i += count / 8) {
        OWNED(marey_made) made = { 0 };
        marey_answer answer;
        double least = INFINITY;
        assert_int_equal(
            marey_family_make(f->ctx, f->family, values + 3 * i, NULL, &made, &answer, NULL),
            MAREY_OK);
        assert_true(answer.error < 0.2 && !answer.outside);
        assert_true(made.clean.slide_after_cm <= 0.3);
        for (int frame = 0; frame < marey_clip_frames(made.clip); frame++) {
            double at[3];
            assert_int_equal(marey_param_measure(&param, made.clip, frame, at, NULL), MAREY_OK);
            least = fmin(least, mry_family_distance(f->family, at, values + 3 * i));
        }
        assert_true(least < 1.5); /* frames lie beside the moment, not on it */
    }
}

TEST_OF(fixture *f, labels_are_interpolated_without_samples)
{
    marey_param params[2] = { parsed("label(mood)"), parsed("duration()") };
    double moods[4] = { 0, 0.25, 0.5, 1 }, wanted[2], seconds[4];
    marey_family_def def = { .params = params, .param_count = 2, .label_values = moods };
    marey_family *family = NULL;
    marey_answer answer;
    int count;
    assert_int_equal(
        marey_family_build(f->ctx, f->reaches.clips, 4, f->reaches.contacts, &def, &family, NULL),
        MAREY_OK);
    const double *values = marey_family_samples(family, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(values[2 * i] - moods[i]) < 1e-3);
        seconds[i] = (marey_clip_frames(f->reaches.clips[i]) - 1) / 60.0;
        assert_true(fabs(values[2 * i + 1] - seconds[i]) < 0.02);
    }
    wanted[0] = 0.4;
    wanted[1] = seconds[1];
    assert_int_equal(marey_family_ask(f->ctx, family, wanted, NULL, &answer, NULL), MAREY_OK);
    assert_true(fabs(answer.values[0] - 0.4) < 0.3);
    /* What the examples are called comes back; bytes that end in it are damaged. */
    OWNED(judge_bytes) bytes = { .ctx = f->ctx };
    marey_family *again = NULL;
    test_ok(marey_family_write(family, &bytes.at, &bytes.size, NULL, &test_error));
    test_ok(marey_family_read(f->ctx, bytes.at, bytes.size, f->reaches.clips, 4,
                              f->reaches.contacts, &again, &test_error));
    for (int i = 0; i < 4; i++) assert_true(again->label_values[i] == moods[i]);
    marey_family_free(again);
    again = NULL;
    uint8_t *names = memmem(bytes.at, bytes.size, &moods[1], sizeof moods[1]);
    assert_non_null(names);
    for (size_t cut = 0; cut < 4 * sizeof *moods; cut++) {
        size_t size = (size_t)(names - bytes.at) + cut;
        FREED uint8_t *copy = malloc(size);
        memcpy(copy, bytes.at, size);
        judge_put_sum(copy, size, 1);
        test_refused(
            marey_family_read(f->ctx, copy, size, f->reaches.clips, 4, NULL, &again, &test_error),
            MAREY_ERR_INPUT, "the saved family is damaged");
    }
    marey_family_free(family);
    def.label_values = NULL;
    assert_int_equal(marey_family_build(f->ctx, f->reaches.clips, 4, NULL, &def, &family, NULL),
                     MAREY_ERR_REQUEST);
}

/* ---- examples that are not needed, or do not fit --------------------------------------------- */

TEST_OF(fixture *f, redundant_examples_go)
{
    test_examples twice = f->reaches;
    uint8_t keep[TEST_MOST_EXAMPLES];
    int kept;
    for (int i = 0; i < 3; i++) { /* three of them are there twice */
        twice.clips[12 + i] = twice.clips[3 * i];
        twice.contacts[12 + i] = twice.contacts[3 * i];
    }
    OWNED(marey_family) *family = build(f->ctx, &twice, 15, "position(right_wrist, apex, start)",
                                        (marey_family_def){ .samples = -1 });
    assert_int_equal(marey_family_prune(f->ctx, family, 0.05, keep, &kept, NULL), MAREY_OK);
    assert_true(kept <= 12 && keep[0]);
    for (int i = 0; i < 3; i++) assert_true(!(keep[3 * i] && keep[12 + i]));
    mry_probe probe;
    marey_ask_def def = mry_ask_resolve(&(marey_ask_def){ .close = 0.02 });
    assert_int_equal(mry_family_probe(f->ctx, family, &probe, NULL), MAREY_OK);
    for (int i = 0; i < 15; i++) { /* those that went can be had from those that stayed */
        marey_answer answer;
        if (keep[i]) continue;
        assert_true(
            mry_family_reproduce(family, &probe, family->values + 3 * i, keep, &def, &answer));
        assert_true(answer.error <= 0.05 + 1e-9);
    }
    mry_probe_close(&probe);
    assert_int_equal(marey_family_prune(f->ctx, f->family, 0, keep, &kept, NULL),
                     MAREY_ERR_REQUEST);
}

/* Steps that begin with the left foot, and one that begins with the right: it is the one to
   blame. */
TEST_OF(fixture *f, the_wrong_foot_is_found)
{
    OWNED(test_examples) steps = { 0 }, other = { 0 };
    test_examples mixed = { 0 };
    test_examples_make(f->ctx, "step_up", "left", 3, &steps);
    test_examples_make(f->ctx, "step_up", "right", 1, &other);
    for (int i = 0; i < 4; i++) {
        mixed.clips[i] = i < 3 ? steps.clips[i] : other.clips[0];
        mixed.contacts[i] = i < 3 ? steps.contacts[i] : other.contacts[0];
    }
    OWNED(marey_family) *family =
        build(f->ctx, &mixed, 4, "duration()", (marey_family_def){ .samples = -1 });
    marey_fault faults[32];
    double blamed[4];
    int count, foot = 0;
    assert_int_equal(
        marey_family_examine(f->ctx, family, mixed.contacts, faults, 32, &count, blamed, NULL),
        MAREY_OK);
    for (int i = 0; i < count && i < 32; i++) {
        assert_true(faults[i].example == 3 || faults[i].with == 3);
        foot += faults[i].kind == MAREY_FAULT_FOOT;
    }
    assert_true(foot > 0);
    assert_true(blamed[3] == 1);
    assert_int_equal(marey_family_examine(f->ctx, f->family, f->reaches.contacts, faults, 32,
                                          &count, NULL, NULL),
                     MAREY_OK);
    assert_int_equal(count, 0); /* reaches blend with each other */
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST_OF(fixture *f, what_cannot_be_is_refused)
{
    marey_param params[9];
    marey_family *family = NULL;
    marey_error error = { 0 };
    for (int i = 0; i < 9; i++) params[i] = parsed("position(right_wrist)");
    static const struct {
        int count, examples;
        marey_family_def def;
    } rows[] = {
        { 0, 4, { 0 } },
        { 9, 4, { 0 } },
        { 4, 4, { 0 } }, /* twelve numbers */
        { 1, 1, { 0 } },
        { 1, 4, { .delta = 3 } },
        { 1, 4, { .delta = NAN } },
        { 1, 4, { .grow = -1 } },
        { 1, 4, { .nearest = 1 } },
        { 1, 4, { .nearest = 17 } },
        { 1, 4, { .samples = 1000000 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_family_def def = rows[i].def;
        def.params = params;
        def.param_count = rows[i].count;
        error.message[0] = 0;
        assert_int_equal(marey_family_build(f->ctx, f->reaches.clips, rows[i].examples, NULL, &def,
                                            &family, &error),
                         MAREY_ERR_REQUEST);
        assert_true(error.message[0]);
        assert_null(family);
    }
    params[0] = parsed("position(third_hand)");
    marey_family_def def = { .params = params, .param_count = 1 };
    assert_int_equal(marey_family_build(f->ctx, f->reaches.clips, 4, NULL, &def, &family, &error),
                     MAREY_ERR_REQUEST);
    const marey_clip *same[2] = { f->reaches.clips[0], f->reaches.clips[0] };
    params[0] = parsed("duration()");
    assert_int_equal(marey_family_build(f->ctx, same, 2, NULL, &def, &family, &error),
                     MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "the same in all examples"));
}

TEST(refused_memory_is_said_and_nothing_leaks)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(test_examples) few = { 0 };
    test_examples_make(ctx, "punch", "right", 2, &few);
    marey_param param = parsed("position(right_wrist, apex, start)");
    marey_registration_def registration = { .reference = 1 };
    marey_family_def def = {
        .params = &param, .param_count = 1, .samples = 3, .registration = &registration
    };
    double wanted[3] = { 0, 140, 40 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_family) *family = NULL;
        OWNED(marey_made) made = { 0 };
        marey_answer answer;
        status = marey_family_build(ctx, few.clips, 2, few.contacts, &def, &family, NULL);
        if (!status) status = marey_family_make(ctx, family, wanted, NULL, &made, &answer, NULL);
    }
}

TEST_OF(fixture *f, the_same_family_every_time)
{
    OWNED(marey_family) *again = build(
        f->ctx, &f->reaches, 12, "position(right_wrist, apex, start)", (marey_family_def){ 0 });
    assert_int_equal(again->count, f->family->count);
    assert_memory_equal(again->values, f->family->values,
                        (size_t)again->count * 3 * sizeof *again->values);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

TEST_OF(fixture *f, bytes_bring_it_back)
{
    uint8_t *bytes, *again;
    size_t size, samples, second;
    OWNED(marey_family) *read = NULL;
    assert_int_equal(marey_family_write(f->family, &bytes, &size, &samples, NULL), MAREY_OK);
    assert_int_equal(marey_family_read(f->ctx, bytes, size, f->reaches.clips, 12,
                                       f->reaches.contacts, &read, NULL),
                     MAREY_OK);
    assert_int_equal(read->count, f->family->count);
    assert_memory_equal(read->values, f->family->values,
                        (size_t)read->count * 3 * sizeof *read->values);
    assert_memory_equal(read->weights, f->family->weights,
                        (size_t)read->count * (size_t)read->near * sizeof *read->weights);
    assert_int_equal(marey_family_write(read, &again, &second, NULL, NULL), MAREY_OK);
    assert_int_equal(second, size);
    assert_memory_equal(again, bytes, size);
    double wanted[3] = { -20, 130, 40 };
    marey_answer a, b;
    assert_int_equal(marey_family_ask(f->ctx, f->family, wanted, NULL, &a, NULL), MAREY_OK);
    assert_int_equal(marey_family_ask(f->ctx, read, wanted, NULL, &b, NULL), MAREY_OK);
    assert_memory_equal(a.weights, b.weights, (size_t)a.count * sizeof *a.weights);
    size_t raw = 0; /* floats of the examples' tracks: a turn a joint and the root's place */
    for (int i = 0; i < 12; i++)
        raw += (size_t)marey_clip_frames(f->reaches.clips[i]) *
               (4 * (size_t)marey_clip_skeleton(f->reaches.clips[i])->joint_count + 3) * 4;
    assert_true(samples * 1000 < raw * 32);
    marey_family_bytes_free(f->ctx, bytes, size);
    marey_family_bytes_free(f->ctx, again, second);
}

/* Bytes that are whole are not called damaged where memory is missing. */
TEST(refused_memory_is_said_by_reading)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(test_examples) few = { 0 };
    OWNED(judge_bytes) bytes = { .ctx = ctx };
    test_examples_make(ctx, "punch", "right", 2, &few);
    marey_param params[2] = { parsed("label(mood)"), parsed("duration()") };
    double moods[2] = { 0, 1 };
    marey_family_def def = { .params = params, .param_count = 2, .label_values = moods };
    marey_family *family = NULL;
    test_ok(marey_family_build(ctx, few.clips, 2, few.contacts, &def, &family, &test_error));
    marey_status status = marey_family_write(family, &bytes.at, &bytes.size, NULL, &test_error);
    marey_family_free(family);
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_family) *again = NULL;
        status = marey_family_read(ctx, bytes.at, bytes.size, few.clips, 2, few.contacts, &again,
                                   &test_error);
    }
}

/* A number that is as good as another makes a family that can be asked. */
static marey_status read_and_ask(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    fixture *f = user;
    OWNED(marey_family) *read = NULL;
    marey_status status = marey_family_read(f->ctx, bytes, size, f->reaches.clips, 4,
                                            f->reaches.contacts, &read, error);
    assert_true((read == NULL) == (status != MAREY_OK));
    if (status || marey_family_dims(read) != 3) return status;
    double wanted[3] = { -20, 130, 40 };
    marey_answer answer;
    marey_family_ask(f->ctx, read, wanted, &(marey_ask_def){ .steps = 1 }, &answer, NULL);
    return MAREY_OK;
}

/* A single sample, and none at all. */
TEST_OF(fixture *f, few_samples_come_back)
{
    for (int samples = -1; samples <= 1; samples += 2) {
        OWNED(judge_bytes) bytes = { .ctx = f->ctx };
        OWNED(marey_family) *few =
            build(f->ctx, &f->reaches, 4, "position(right_wrist, apex, start)",
                  (marey_family_def){ .samples = samples });
        OWNED(marey_family) *read = NULL;
        test_ok(marey_family_write(few, &bytes.at, &bytes.size, NULL, &test_error));
        test_ok(marey_family_read(f->ctx, bytes.at, bytes.size, f->reaches.clips, 4,
                                  f->reaches.contacts, &read, &test_error));
        assert_int_equal(read->count, few->count);
        assert_int_equal(read->count - read->examples, samples > 0);
    }
}

TEST_OF(fixture *f, damaged_bytes_are_refused)
{
    uint8_t *bytes;
    size_t size;
    marey_family *read = NULL;
    OWNED(marey_family) *small = build(f->ctx, &f->reaches, 4, "position(right_wrist, apex, start)",
                                       (marey_family_def){ .samples = 20 });
    assert_int_equal(marey_family_write(small, &bytes, &size, NULL, NULL), MAREY_OK);
    judge_damaged_bytes(bytes, size, 1, 300, read_and_ask, f);
    assert_int_equal(marey_family_read(f->ctx, bytes, size, f->reaches.clips, 3, NULL, &read, NULL),
                     MAREY_ERR_INPUT);
    marey_family_bytes_free(f->ctx, bytes, size);
}

TEST_GROUP_OF_CASES(test_family, set_up, tear_down)
