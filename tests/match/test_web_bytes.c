/* test_web_bytes.c - match webs as bytes: the same web comes back, damaged bytes are refused. */
#include "bytes_judge.h"
#include "web_fields.h"

#include "match/web_bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    test_memory memory;
    marey_ctx *ctx;
    marey_web *webs[3]; /* of two, of one with itself, without any path */
    uint8_t *bytes[3];
    size_t sizes[3];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->memory.refuse = -1;
    f->ctx = test_ctx_refusing(&f->memory);
    for (int i = 0; i < 3; i++) {
        OWNED(field) made =
            i == 1 ? field_self(120, 23, 12, 1) : field_make(130, 110, 25, i ? 500 : 10, 2);
        made.def =
            (marey_web_def){ .shortest_s = i == 2 ? 0.5 : 0.1, .bridge_s = 0.5, .valid = 0.4 };
        f->webs[i] = field_web(f->ctx, &made, 0);
        assert_int_equal(marey_web_write(f->webs[i], &f->bytes[i], &f->sizes[i], NULL), MAREY_OK);
    }
    assert_true(f->webs[0]->bridge_count > 20);
    assert_true(f->webs[1]->bridge_count > 20);
    assert_int_equal(f->webs[2]->chain_count, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        marey_web_bytes_free(f->ctx, f->bytes[i], f->sizes[i]);
        marey_web_free(f->webs[i]);
    }
    marey_ctx_close(f->ctx);
    assert_int_equal(f->memory.live, 0);
    return 0;
}

TEST_OF_IN(set_up, tear_down, fixture *f, the_same_web_comes_back)
{
    for (int i = 0; i < 3; i++) {
        OWNED(marey_web) *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = f->ctx };
        assert_int_equal(marey_web_read(f->ctx, f->bytes[i], f->sizes[i], &again, NULL), MAREY_OK);
        check_same_web(f->webs[i], again);
        assert_int_equal(again->rows, f->webs[i]->rows);
        assert_int_equal(again->cols, f->webs[i]->cols);
        assert_int_equal(again->self, f->webs[i]->self);
        assert_true(again->fps == f->webs[i]->fps && again->ceiling == f->webs[i]->ceiling);
        assert_int_equal(marey_web_write(again, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(bytes.size, f->sizes[i]);
        assert_memory_equal(bytes.at, f->bytes[i], bytes.size);
    }
}

TEST(costs_are_rounded_to_a_thousandth_and_stay_so)
{
    uint32_t seed = 1;
    for (int i = 0; i < 10000; i++) {
        seed = seed * 1664525u + 1013904223u;
        float cost = (float)ldexp((double)(seed >> 8), (int)(seed & 63) - 40);
        float rounded = mry_web_round_cost(cost);
        assert_true(fabsf(rounded - cost) <= 0.001f * cost);
        assert_true(mry_web_round_cost(rounded) == rounded);
    }
    assert_true(mry_web_round_cost(0) == 0);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Whatever is read must be a web that can be used: its paths are steps inside the grid. */
static marey_status read_and_use(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    fixture *f = user;
    OWNED(marey_web) *web = NULL;
    marey_status status = marey_web_read(f->ctx, bytes, size, &web, error);
    assert_true((web != NULL) == (status == MAREY_OK));
    for (int i = 0; web && i < marey_web_paths(web); i++) {
        marey_web_path path = marey_web_path_at(web, i);
        for (int k = 0; k < path.count; k++) {
            assert_in_range(path.cells[k].row, 0, web->rows - 1);
            assert_in_range(path.cells[k].col, 0, web->cols - 1);
            assert_true(path.costs[k] >= 0 && isfinite(path.costs[k]));
        }
        if (!path.bridge) continue;
        assert_in_range(path.from, 0, web->chain_count - 1);
        assert_in_range(path.to, 0, web->chain_count - 1);
        assert_in_range(path.from_cell, 0, marey_web_path_at(web, path.from).count - 1);
        assert_in_range(path.to_cell, 0, marey_web_path_at(web, path.to).count - 1);
    }
    return status;
}

TEST_OF_IN(set_up, tear_down, fixture *f, damaged_bytes_are_refused_or_harmless)
{
    for (int i = 0; i < 3; i++)
        judge_damaged_bytes(f->bytes[i], f->sizes[i], MRY_WEB_VERSION, 100, read_and_use, f);
}

/* Where things lie in the head: see web_bytes.c. */
enum {
    SELF_AT = 5,
    ROWS_AT = 6,
    COLS_AT = 10,
    CHAINS_AT = 14,
    TAILS_AT = 18,
    BRIDGES_AT = 22,
    CELLS_AT = 26,
    FPS_AT = 34,
    CEILING_AT = 42
};

TEST_OF_IN(set_up, tear_down, fixture *f, every_number_of_a_head_is_checked)
{
    static const struct {
        int at;
        uint32_t value;
    } counts[] = {
        { ROWS_AT, 0 },           { ROWS_AT, MRY_WEB_MOST_FRAMES + 1 },
        { ROWS_AT, 119 },         { COLS_AT, 0 },
        { COLS_AT, 121 },         { COLS_AT, MRY_WEB_MOST_FRAMES + 1 },
        { CHAINS_AT, 1u << 31 },  { TAILS_AT, 1u << 31 },
        { BRIDGES_AT, 1u << 31 }, { CELLS_AT, 0xffffffff },
    };
    static const double rates[] = { 0, -1, 1e9, NAN, INFINITY }, ceilings[] = { 0, -1, NAN };
    const uint8_t *whole = f->bytes[1]; /* of 120 rows with themselves */
    FREED uint8_t *copy = malloc(f->sizes[1]);
    marey_web head;
    assert_int_equal(mry_web_head(whole, f->sizes[1], &head, &test_error), MAREY_OK);
    assert_true(head.rows == 120 && head.cols == 120 && head.self);
    assert_true(head.fps == f->webs[1]->fps && head.ceiling == f->webs[1]->ceiling);
    assert_int_equal(head.chain_count, f->webs[1]->chain_count);
    assert_int_equal(head.bridge_count, f->webs[1]->bridge_count);
    int counted = sizeof counts / sizeof *counts, forged = counted + 5 + 3 + 1;
    for (int i = 0; i < forged; i++) {
        memcpy(copy, whole, f->sizes[1]);
        if (i < counted)
            for (int k = 0; k < 4; k++)
                copy[counts[i].at + k] = (uint8_t)(counts[i].value >> 8 * k);
        else if (i < counted + 5)
            memcpy(copy + FPS_AT, &rates[i - counted], 8);
        else if (i < counted + 8)
            memcpy(copy + CEILING_AT, &ceilings[i - counted - 5], 8);
        else
            copy[SELF_AT] = 2;
        judge_put_sum(copy, f->sizes[1], MRY_WEB_VERSION);
        if (mry_web_head(copy, f->sizes[1], &head, &test_error) != MAREY_ERR_INPUT)
            fail_msg("forged head %d", i);
        test_refused(read_and_use(f, copy, f->sizes[1], &test_error), MAREY_ERR_INPUT,
                     "the bytes of a match web are damaged");
    }
    assert_int_equal(mry_web_head(whole, 7, &head, &test_error), MAREY_ERR_INPUT);
}

TEST_OF_IN(set_up, tear_down, fixture *f, bytes_of_anything_do_no_harm)
{
    uint32_t seed = 3;
    for (int turn = 0; turn < 1000; turn++) {
        FREED uint8_t *copy = malloc(f->sizes[turn % 2]);
        size_t size = f->sizes[turn % 2], from = turn % 3 ? 46 + (size_t)turn % 40 : 5;
        memcpy(copy, f->bytes[turn % 2], size);
        for (size_t i = from; i < size; i++) {
            seed = seed * 1664525u + 1013904223u;
            if (turn % 5 == 0 || seed >> 29 == 0) copy[i] = (uint8_t)(seed >> 16);
        }
        judge_put_sum(copy, size, MRY_WEB_VERSION);
        marey_error error;
        marey_status status = read_and_use(f, copy, size, &error);
        assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
    }
}

TEST_OF_IN(set_up, tear_down, fixture *f, running_out_of_memory_is_reported_and_writes_nothing)
{
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &f->memory }; test_refuse(&sweep, status);) {
        OWNED(marey_web) *web = NULL;
        OWNED(judge_bytes) bytes = { .ctx = f->ctx };
        status = marey_web_read(f->ctx, f->bytes[1], f->sizes[1], &web, NULL);
        if (status == MAREY_OK) status = marey_web_write(web, &bytes.at, &bytes.size, NULL);
        assert_true((bytes.at != NULL) == (status == MAREY_OK));
    }
}

TEST_GROUP_OF_CASES(test_web_bytes, NULL, NULL)
