/* test_family_forged.c - families that were made up, with their sums right, and requests that only
   a program can make: nothing hangs, nothing is read behind its end, and what is answered is
   finite. */
#include "bytes_judge.h"
#include "reaches.h"

#include "param/family_data.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 4, VERSION = 1 };

typedef struct fixture {
    marey_ctx *ctx;
    test_examples punches;
    marey_family *family;
    uint8_t *bytes;
    size_t size;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    marey_param param;
    marey_error error = { 0 };
    f->ctx = test_ctx();
    test_examples_make(f->ctx, "punch", "right", EXAMPLES, &f->punches);
    test_fine(marey_param_parse("position(right_wrist)", &param, &error), &error);
    marey_family_def def = { .params = &param, .param_count = 1, .samples = 60 };
    test_fine(marey_family_build(f->ctx, f->punches.clips, EXAMPLES, f->punches.contacts, &def,
                                 &f->family, &error),
              &error);
    test_fine(marey_family_write(f->family, &f->bytes, &f->size, NULL, &error), &error);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    marey_family_bytes_free(f->ctx, f->bytes, f->size);
    marey_family_free(f->family);
    test_examples_free(&f->punches);
    marey_ctx_close(f->ctx);
    free(f);
    return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Puts one number in place of another wherever that stands in the head, with the right sum, and
   reads it. */
static marey_status read_with(fixture *f, double from, double to, marey_family **out)
{
    FREED uint8_t *copy = malloc(f->size);
    bool there = false;
    memcpy(copy, f->bytes, f->size);
    for (size_t at = 0; at + 8 <= 400 && !there; at++) {
        there = memcmp(copy + at, &from, 8) == 0;
        if (there) memcpy(copy + at, &to, 8);
    }
    assert_true(there);
    judge_put_sum(copy, f->size, VERSION);
    return marey_family_read(f->ctx, copy, f->size, f->punches.clips, EXAMPLES, f->punches.contacts,
                             out, NULL);
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

CASE(numbers_that_cannot_be_are_refused)
{
    const marey_family *of = f->family;
    const struct {
        double from, to;
    } rows[] = {
        { of->def.delta,
          1.5 }, /* it says how many bits weights have: of these there are no so many */
        { of->def.delta, 4e6 },
        { of->def.delta, 1e300 },
        { of->def.grow, -1 },
        { of->def.grow, 1e300 },
        { of->low[0], of->high[0] + 1 }, /* a box inside out */
        { of->high[1], of->low[1] - 1e9 },
        { of->scale[0], -1 },
        { of->value_step[0], -1 },
        { of->value_step[1], 1e306 }, /* values that are no numbers */
        { of->low[0], NAN },
        { of->value_base[2], INFINITY },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_family *read = NULL;
        assert_int_equal(read_with(f, rows[i].from, rows[i].to, &read), MAREY_ERR_INPUT);
        assert_null(read);
    }
}

/* Numbers that can be, if only just: what is asked of such a family is answered with valid
   weights. */
CASE(numbers_that_can_be_are_answered_soundly)
{
    const marey_family *of = f->family;
    const struct {
        double from, to;
    } rows[] = {
        { of->scale[0], 0 },          { of->scale[0], 1e300 },      { of->value_step[0], 0 },
        { of->value_base[0], 1e9 },   { of->value_step[0], 1e290 }, { of->moments[0], NAN },
        { of->moments[0], INFINITY }, { of->moments[0], -1e300 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(marey_family) *read = NULL;
        marey_answer answer = { 0 };
        double wanted[3] = { 10, 130, 40 }, sum = 0;
        assert_int_equal(read_with(f, rows[i].from, rows[i].to, &read), MAREY_OK);
        assert_int_equal(marey_family_ask(f->ctx, read, wanted, NULL, &answer, NULL), MAREY_OK);
        for (int k = 0; k < answer.count; k++) {
            assert_true(answer.weights[k] >= -0.1 - 1e-9 && answer.weights[k] <= 1.1 + 1e-9);
            sum += answer.weights[k];
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
}

/* Weights of samples are kept as whole parts, in more bits than the valid ones need. */
CASE(weights_out_of_their_range_are_refused)
{
    marey_family *of = f->family;
    double delta = of->def.delta, part = 1.0 / MRY_WEIGHT_PARTS;
    const struct {
        double first;
        marey_status status;
    } rows[] = {
        { floor((1 + delta) / part) * part, MAREY_OK }, /* the most that is valid */
        { (floor((1 + delta) / part) + 1) * part, MAREY_ERR_INPUT },
        { ceil(-delta / part) * part, MAREY_OK }, /* the least */
        { (ceil(-delta / part) - 1) * part, MAREY_ERR_INPUT },
    };
    assert_true(of->near == EXAMPLES && of->def.samples > 0);
    int sample = EXAMPLES, count = of->count;
    of->count = sample + 1;
    of->used[sample] = of->near;
    double *weights = of->weights + (size_t)sample * (size_t)of->near;
    for (int k = 0; k < of->near; k++)
        of->motions[(size_t)sample * (size_t)of->near + (size_t)k] = k;
    for (int d = 0; d < of->dims; d++) of->values[sample * of->dims + d] = of->values[d];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* The others share the rest, so that only the first is out of its range. */
        double rest = round((1 - rows[i].first) / 3 / part) * part;
        uint8_t *bytes;
        size_t size;
        OWNED(marey_family) *read = NULL;
        weights[0] = rows[i].first;
        weights[1] = weights[2] = rest;
        weights[3] = 1 - weights[0] - 2 * rest;
        assert_int_equal(marey_family_write(of, &bytes, &size, NULL, NULL), MAREY_OK);
        marey_status status = marey_family_read(f->ctx, bytes, size, f->punches.clips, EXAMPLES,
                                                f->punches.contacts, &read, NULL);
        marey_family_bytes_free(f->ctx, bytes, size);
        assert_int_equal(status, rows[i].status);
    }
    of->count = count;
}

/* ---- requests -------------------------------------------------------------------------------- */

CASE(values_of_what_is_no_blend_are_refused)
{
    int motions[300];
    double weights[300], values[MAREY_MOST_PARAM_DIMS];
    marey_error error = { 0 };
    for (int i = 0; i < 300; i++) {
        motions[i] = 1 + i % 2;
        weights[i] = 1 / 300.0;
    }
    assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, 300, values, &error),
                     MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "twice"));
    weights[0] = weights[1] = 0.5;
    motions[1] = 1;
    assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, 2, values, NULL),
                     MAREY_ERR_REQUEST);
    motions[1] = EXAMPLES;
    assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, 2, values, NULL),
                     MAREY_ERR_REQUEST);
    motions[1] = 0;
    weights[1] = 0.4;
    assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, 2, values, NULL),
                     MAREY_ERR_REQUEST);
    weights[1] = 0.5;
    assert_int_equal(marey_family_values(f->ctx, f->family, motions, weights, 2, values, NULL),
                     MAREY_OK);
}

/* The context that asks is cancelled, not the one that made the family. */
CASE(what_takes_long_is_cancelled_by_who_asks)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    marey_family_check check;
    marey_fault faults[4];
    uint8_t keep[EXAMPLES];
    int kept, count;
    for (int mine = 0; mine < 2; mine++) {
        marey_status want = mine ? MAREY_ERR_CANCELLED : MAREY_OK;
        marey_ctx_cancel(mine ? ctx : f->ctx);
        assert_int_equal(marey_family_prune(ctx, f->family, 5, keep, &kept, NULL), want);
        assert_int_equal(marey_family_try(ctx, f->family, 3, 1, NULL, &check, NULL), want);
        assert_int_equal(marey_family_examine(ctx, f->family, f->punches.contacts, faults, 4,
                                              &count, NULL, NULL),
                         want);
        marey_ctx_resume(mine ? ctx : f->ctx);
    }
}

TEST_GROUP_OF_CASES(test_family_forged, NULL, NULL)
