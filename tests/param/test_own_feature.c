/* test_own_feature.c - families by a feature of the caller's own: judged by a feature of the table
   that measures the same; kept and read again, what is not lent, what cannot be measured, refused
   memory. */
#include "reaches.h"

#include "math/turn.h"
#include "param/family_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 8 };

static const char *const same_text = "speed(right_wrist, mean)";

typedef struct lender {
    int asked, fails_at; /* 0: never; -1: always */
} lender;

static marey_status measure(void *user, const marey_clip *clip, double *value, marey_error *error)
{
    lender *l = user;
    marey_param param;
    l->asked++;
    if (l->fails_at < 0 || l->asked == l->fails_at) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "no wrist today" };
        return MAREY_ERR_INPUT;
    }
    test_ok(marey_param_parse(same_text, &param, NULL));
    return marey_param_measure(&param, clip, -1, value, error);
}

typedef struct fixture {
    marey_ctx *ctx;
    test_examples reaches;
    lender lender;
    marey_own_feature feature;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    test_examples_make(f->ctx, "reach", "right", EXAMPLES, &f->reaches);
    f->feature = (marey_own_feature){ "swing", "cm/s", measure, &f->lender };
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_examples_free(&f->reaches);
    marey_ctx_close(f->ctx);
    free(f);
    return 0;
}

static marey_status build(fixture *f, const char *text, int samples, marey_family **out,
                          marey_error *error)
{
    marey_param param;
    marey_registration_def registration = { .reference = 1 };
    test_ok(marey_param_parse(text, &param, &test_error));
    marey_family_def def = {
        .params = &param, .param_count = 1, .registration = &registration, .samples = samples
    };
    return marey_family_build(f->ctx, f->reaches.clips, EXAMPLES, f->reaches.contacts, &def, out,
                              error);
}

TEST_OF(fixture *f, it_measures_what_the_same_feature_of_the_table_does)
{
    marey_family *own = NULL, *same = NULL;
    f->lender = (lender){ 0 };
    marey_param_lend(f->ctx, &f->feature, 1);
    test_ok(build(f, "own(swing)", 60, &own, &test_error));
    test_ok(build(f, same_text, 60, &same, &test_error));
    const char *unit;
    assert_string_equal(marey_family_dim(own, 0, &unit), "own(swing)");
    assert_string_equal(unit, "cm/s");
    int count;
    marey_family_samples(own, &count);
    assert_true(count > EXAMPLES + 5 && f->lender.asked >= count);
    uint64_t seed = 4;
    for (int i = 0; i < 20; i++) {
        double weights[3], a, b;
        int motions[3] = { i % EXAMPLES, (i + 2) % EXAMPLES, (i + 3) % EXAMPLES };
        mry_random_weights(&seed, 0.1, 3, weights);
        test_ok(marey_family_values(f->ctx, own, motions, weights, 3, &a, NULL));
        test_ok(marey_family_values(f->ctx, same, motions, weights, 3, &b, NULL));
        assert_true(fabs(a - b) <= 1e-4 * (1 + fabs(b)));
    }
    double low, high;
    marey_family_box(own, &low, &high);
    double wanted = (low + high) / 2, value = 0;
    marey_answer answer;
    marey_made made = { 0 };
    test_ok(marey_family_make(f->ctx, own, &wanted, NULL, &made, &answer, &test_error));
    marey_param param;
    test_ok(marey_param_parse(same_text, &param, NULL));
    test_ok(marey_param_measure(&param, made.clip, -1, &value, NULL));
    assert_true(answer.values[0] == value && fabs(value - wanted) < 0.05 * wanted);
    marey_made_free(&made);
    marey_family_free(same);
    marey_family_free(own);
}

TEST_OF(fixture *f, one_that_is_kept_is_read_where_it_is_lent_again)
{
    marey_family *family = NULL, *read = NULL;
    marey_error error = { 0 };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_param_lend(f->ctx, &f->feature, 1);
    test_ok(build(f, "own(swing)", 30, &family, &test_error));
    test_ok(marey_family_write(family, &bytes, &size, NULL, NULL));
    marey_param_lend(f->ctx, NULL, 0);
    assert_int_equal(marey_family_read(f->ctx, bytes, size, f->reaches.clips, EXAMPLES,
                                       f->reaches.contacts, &read, &error),
                     MAREY_ERR_REQUEST);
    assert_null(read);
    assert_non_null(strstr(error.message, "own(swing)"));
    marey_param_lend(f->ctx, &f->feature, 1);
    test_ok(marey_family_read(f->ctx, bytes, size, f->reaches.clips, EXAMPLES, f->reaches.contacts,
                              &read, &test_error));
    int one, other;
    const double *a = marey_family_samples(family, &one), *b = marey_family_samples(read, &other);
    assert_int_equal(one, other);
    assert_memory_equal(a, b, (size_t)one * sizeof *a);
    double wanted = a[0];
    marey_answer answer;
    test_ok(marey_family_ask(f->ctx, read, &wanted, NULL, &answer, NULL));
    assert_true(answer.error < 0.05 * wanted);
    marey_family_bytes_free(f->ctx, bytes, size);
    marey_family_free(read);
    marey_family_free(family);
}

TEST_OF(fixture *f, what_is_not_lent_or_is_no_feature_is_refused)
{
    marey_own_feature bad = f->feature;
    marey_family *family = NULL;
    marey_error error = { 0 };
    marey_param param;
    double value;
    marey_param_lend(f->ctx, NULL, 0);
    assert_int_equal(build(f, "own(swing)", -1, &family, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "own(swing)"));
    marey_param_lend(f->ctx, &f->feature, 1);
    assert_int_equal(build(f, "own(other)", -1, &family, &error), MAREY_ERR_REQUEST);
    marey_param_lend(f->ctx, &bad, 1);
    bad.measure = NULL;
    assert_int_equal(build(f, "own(swing)", -1, &family, &error), MAREY_ERR_REQUEST);
    bad = f->feature;
    bad.unit = NULL;
    assert_int_equal(build(f, "own(swing)", -1, &family, &error), MAREY_ERR_REQUEST);
    assert_int_equal(marey_param_parse("own()", &param, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "feature's name"));
    test_ok(marey_param_parse("own(swing)", &param, NULL));
    assert_int_equal(marey_param_measure(&param, f->reaches.clips[0], -1, &value, &error),
                     MAREY_ERR_REQUEST);
    for (int i = 0; marey_param_kind_find(i); i++) /* no list has it */
        assert_string_not_equal(marey_param_kind_find(i)->name, "own");
    assert_null(family);
}

TEST_OF(fixture *f, what_cannot_be_measured_is_no_example_and_no_sample)
{
    marey_family *family = NULL;
    marey_error error = { 0 };
    int whole, less;
    marey_param_lend(f->ctx, &f->feature, 1);
    f->lender.fails_at = -1;
    assert_int_equal(build(f, "own(swing)", -1, &family, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "no finite number"));
    f->lender = (lender){ 0 };
    test_ok(build(f, "own(swing)", 20, &family, &test_error));
    marey_family_samples(family, &whole);
    marey_family_free(family);
    f->lender = (lender){ .fails_at = EXAMPLES + 1 };
    test_ok(build(f, "own(swing)", 20, &family, &test_error));
    marey_family_samples(family, &less);
    assert_true(less <= whole && less >= whole - 1);
    marey_family_free(family);
}

TEST(refused_memory_is_said_and_nothing_leaks)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    lender mine = { 0 };
    marey_own_feature feature = { "swing", "cm/s", measure, &mine };
    OWNED(test_examples) reaches = { 0 };
    marey_status status = MAREY_OK;
    marey_param param;
    test_examples_make(ctx, "reach", "right", 3, &reaches);
    marey_param_lend(ctx, &feature, 1);
    test_ok(marey_param_parse("own(swing)", &param, NULL));
    for (test_refusals sweep = { .memory = &memory, .few = true }; test_refuse(&sweep, status);) {
        marey_registration_def registration = { .reference = 1 };
        marey_family_def def = {
            .params = &param, .param_count = 1, .registration = &registration, .samples = 3
        };
        marey_family *family = NULL;
        status = marey_family_build(ctx, reaches.clips, 3, reaches.contacts, &def, &family, NULL);
        if (status) assert_null(family);
        marey_family_free(family);
    }
}

TEST_GROUP_OF_CASES(test_own_feature, set_up, tear_down)
