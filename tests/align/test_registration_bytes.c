/* test_registration_bytes.c - registration curves as bytes: the same numbers come back, other clips
   and damaged bytes are refused. */
#include "bytes_judge.h"
#include "frame_measures.h"
#include "registration_clips.h"

#include "align/registration_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    test_memory memory;
    marey_ctx *ctx;
    marey_clip *clips[3];
    marey_registration *of; /* of all three */
    uint8_t *bytes;
    size_t size;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->memory.refuse = -1;
    f->ctx = test_ctx_refusing(&f->memory);
    f->clips[0] = test_demo_part(f->ctx, "walk_straight", 0, 60);
    f->clips[1] = test_demo_part(f->ctx, "walk_slow", 0, 75);
    f->clips[2] = test_demo_part(f->ctx, "walk_fast", 0, 75);
    marey_registration_def tree = { .parents = (const int[]){ 1, -1, 0 } };
    f->of = test_registered(f->ctx, (const marey_clip *const *)f->clips, 3, &tree);
    assert_int_equal(marey_registration_write(f->of, &f->bytes, &f->size, NULL), MAREY_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    marey_registration_bytes_free(f->ctx, f->bytes, f->size);
    marey_registration_free(f->of);
    for (int i = 0; i < 3; i++) marey_clip_free(f->clips[i]);
    marey_ctx_close(f->ctx);
    assert_int_equal(f->memory.live, 0);
    free(f);
    return 0;
}

static marey_status read_back(fixture *f, const uint8_t *bytes, size_t size,
                              marey_registration **out, marey_error *error)
{
    return marey_registration_read(f->ctx, bytes, size, (const marey_clip *const *)f->clips, 3,
                                   NULL, out, error);
}

#define WITH(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

WITH(the_same_numbers_come_back)
{
    OWNED(marey_registration) *again = NULL;
    double first, last, rows[2][3], slopes[2][3], range[2];
    int count[2];
    assert_int_equal(read_back(f, f->bytes, f->size, &again, NULL), MAREY_OK);
    marey_registration_range(f->of, &first, &last);
    marey_registration_range(again, &range[0], &range[1]);
    assert_true(first == range[0] && last == range[1]);
    assert_true(marey_registration_fps(again) == marey_registration_fps(f->of));
    assert_int_equal(marey_registration_reference(again), 1);
    for (double u = first; u <= last; u += 0.1) {
        marey_registration_times(f->of, u, rows[0], slopes[0]);
        marey_registration_times(again, u, rows[1], slopes[1]);
        assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
        assert_memory_equal(slopes[0], slopes[1], sizeof slopes[0]);
        for (int m = 0; m < 3; m++) {
            marey_placement a = marey_registration_place(f->of, m, u);
            marey_placement b = marey_registration_place(again, m, u);
            assert_true(a.angle_rad == b.angle_rad && a.x_cm == b.x_cm && a.z_cm == b.z_cm);
        }
    }
    const marey_constraint_match *a = marey_registration_matches(f->of, &count[0]);
    const marey_constraint_match *b = marey_registration_matches(again, &count[1]);
    assert_int_equal(count[0], count[1]);
    for (int i = 0; i < count[0]; i++) {
        assert_int_equal(a[i].joint, b[i].joint);
        assert_memory_equal(a[i].spans, b[i].spans, 3 * sizeof *a[i].spans);
    }
    for (int m = 0; m < 3; m++) {
        const marey_path *p = marey_registration_path(f->of, m);
        const marey_path *q = marey_registration_path(again, m);
        assert_int_equal(marey_registration_parent(f->of, m), marey_registration_parent(again, m));
        assert_true((p == NULL) == (q == NULL));
        if (!p) continue;
        assert_true(p->count == q->count && p->sum == q->sum && p->mean == q->mean);
        assert_memory_equal(p->cells, q->cells, (size_t)p->count * sizeof *p->cells);
    }
    test_registration_is_sound(again);
}

WITH(two_motions_in_either_order_come_back)
{
    for (int reference = 1; reference <= 2; reference++) {
        marey_registration_def def = { .reference = reference };
        const marey_clip *const *clips = (const marey_clip *const *)f->clips;
        OWNED(marey_registration) *of = test_registered(f->ctx, clips, 2, &def);
        OWNED(marey_registration) *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = f->ctx }, other = { .ctx = f->ctx };
        assert_int_equal(marey_registration_write(of, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(
            marey_registration_read(f->ctx, bytes.at, bytes.size, clips, 2, NULL, &again, NULL), 0);
        assert_int_equal(marey_registration_write(again, &other.at, &other.size, NULL), MAREY_OK);
        judge_same_bytes(&bytes, &other);
        test_registration_is_sound(of);
    }
}

WITH(other_clips_are_refused)
{
    OWNED(marey_clip) *renamed = test_renamed(f->clips[2], 4, "Other");
    OWNED(marey_clip) *a = test_resampled(f->clips[0], 30), *b = test_resampled(f->clips[1], 30),
                      *c = test_resampled(f->clips[2], 30);
    const struct {
        const marey_clip *clips[3];
        int count;
    } wrong[] = { { { f->clips[1], f->clips[1], f->clips[2] }, 3 }, /* other frames */
                  { { f->clips[0], f->clips[1], f->clips[2] }, 2 },
                  { { f->clips[0], f->clips[1], renamed }, 3 },
                  { { a, b, c }, 3 } };
    for (int i = 0; i < 4; i++) {
        marey_registration *out = NULL;
        marey_error error = { 0 };
        assert_int_equal(marey_registration_read(f->ctx, f->bytes, f->size, wrong[i].clips,
                                                 wrong[i].count, NULL, &out, &error),
                         MAREY_ERR_INPUT);
        assert_null(out);
        if (i == 0) assert_non_null(strstr(error.message, "other clips"));
    }
}

/* What is taken must be a curve that rises inside its clips, and is not much larger than the
   bytes. */
static marey_status read_and_use(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    fixture *f = user;
    OWNED(marey_registration) *out = NULL;
    size_t held = f->memory.held;
    marey_status status = read_back(f, bytes, size, &out, error);
    assert_true((out != NULL) == (status == MAREY_OK));
    assert_true(f->memory.held - held < 64 * size + (1 << 16));
    if (!out) return status;
    double first, last, rows[2][3];
    marey_registration_range(out, &first, &last);
    for (int i = 0; i <= 20; i++) {
        marey_registration_times(out, first + (last - first) * i / 20, rows[i % 2], NULL);
        for (int m = 0; m < 3; m++) {
            assert_true(rows[i % 2][m] > -1e-3);
            assert_true(rows[i % 2][m] < marey_clip_frames(f->clips[m]) - 1 + 1e-2);
            if (i > 0) assert_true(rows[i % 2][m] >= rows[1 - i % 2][m]);
            assert_true(isfinite(marey_registration_find(out, m, rows[i % 2][m])));
        }
    }
    return status;
}

WITH(damaged_bytes_are_refused_or_harmless)
{
    long live = f->memory.live;
    judge_damaged_bytes(f->bytes, f->size, 1, 200, read_and_use, f);
    assert_int_equal(f->memory.live, live);
}

/* Bytes that were made up, with the right sum. */
WITH(made_up_bytes_do_no_harm)
{
    FREED uint8_t *copy = malloc(f->size);
    uint64_t seed = 7;
    int taken = 0, refused = 0;
    for (size_t n = 0; n < 4 * f->size; n++) {
        static const uint8_t values[] = { 0, 0x7f, 0x80, 1 };
        memcpy(copy, f->bytes, f->size);
        copy[n % f->size] = values[n / f->size];
        if (n % 3 == 0) copy[(size_t)mry_random_between(&seed, 8, (double)f->size - 8)] ^= 0x41;
        judge_put_sum(copy, f->size, 1);
        marey_status status = read_and_use(f, copy, f->size, NULL);
        assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
        taken += status == MAREY_OK;
        refused += status != MAREY_OK;
    }
    assert_true(taken > 0 && refused > 0);
}

/* Where things lie in the bytes: see registration_bytes.c. */
enum { PARENT_AT = 68, ROW_AT = 76, COLUMN_AT = 80, STEP_AT = 100 };

WITH(forged_trees_and_paths_are_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
    } forged[] = { { PARENT_AT, 2 }, /* which hangs on it: a circle */
                   { PARENT_AT, 0 }, /* itself */
                   { ROW_AT, 1 },    /* the path leaves the grid at its end */
                   { COLUMN_AT, 1 }, /* likewise */
                   { STEP_AT, 0 },   /* a step that goes nowhere */
                   { STEP_AT, 4 } };
    FREED uint8_t *copy = calloc(1, f->size + 8);
    OWNED(marey_registration) *out = NULL;
    for (size_t n = 0; n < sizeof forged / sizeof *forged; n++) {
        memcpy(copy, f->bytes, f->size);
        assert_int_not_equal(copy[forged[n].at], forged[n].value);
        copy[forged[n].at] = forged[n].value;
        judge_put_sum(copy, f->size, 1);
        assert_int_equal(read_back(f, copy, f->size, &out, NULL), MAREY_ERR_INPUT);
    }
    memcpy(copy, f->bytes, f->size); /* more than there should be */
    judge_put_sum(copy, f->size + 8, 1);
    assert_int_equal(read_back(f, copy, f->size + 8, &out, NULL), MAREY_ERR_INPUT);
    memcpy(copy, f->bytes, f->size);
    judge_put_sum(copy, f->size, 1); /* nothing was wrong with the sum itself */
    assert_int_equal(read_back(f, copy, f->size, &out, NULL), MAREY_OK);
}

/* S is a curve inside the clips: at its beginning, at its end, of each motion. */
WITH(a_curve_that_leaves_its_clips_is_refused)
{
    mry_spline *times = &f->of->times;
    for (int m = 0; m < 3; m++) {
        for (int way = -1; way <= 1; way++) {
            marey_registration *out = NULL;
            OWNED(judge_bytes) bytes = { .ctx = f->ctx };
            double off = 4 * way;
            for (int i = 0; i < times->count; i++) times->points[i * times->dims + m] += off;
            marey_status status =
                marey_registration_write(f->of, &bytes.at, &bytes.size, &test_error);
            for (int i = 0; i < times->count; i++) times->points[i * times->dims + m] -= off;
            test_ok(status);
            status = read_back(f, bytes.at, bytes.size, &out, &test_error);
            marey_registration_free(out);
            assert_int_equal(status, way ? MAREY_ERR_INPUT : MAREY_OK);
        }
    }
}

WITH(what_is_too_short_to_be_one_is_none)
{
    for (size_t size = 0; size < 16; size++) {
        FREED uint8_t *copy = malloc(size + 1);
        marey_registration *out = NULL;
        memcpy(copy, f->bytes, size);
        test_refused(read_back(f, copy, size, &out, &test_error), MAREY_ERR_INPUT,
                     "the bytes are not a registration curve");
    }
}

WITH(refused_memory_is_reported_and_nothing_is_left)
{
    for (int reading = 0; reading < 2; reading++) {
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &f->memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_registration) *out = NULL;
            OWNED(judge_bytes) bytes = { .ctx = f->ctx };
            status = reading ? read_back(f, f->bytes, f->size, &out, NULL)
                             : marey_registration_write(f->of, &bytes.at, &bytes.size, NULL);
            assert_true((out || bytes.at) == (status == MAREY_OK));
        }
    }
}

TEST_GROUP_OF_CASES(test_registration_bytes, NULL, NULL)
