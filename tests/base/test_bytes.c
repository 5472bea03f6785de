/* test_bytes.c - small records as bytes: what is put comes back, and nothing is read behind the
   end, whatever is asked. */
#include "support.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that end where their memory does, so that a sanitizer sees one that is read behind them. */
static uint8_t *exactly(const void *bytes, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);
    if (count) memcpy(copy, bytes, count);
    return copy;
}

TEST(fixed_numbers_of_every_size_end_with_the_bytes)
{
    static const uint8_t bytes[] = { 0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88 };
    for (int size = 1; size <= 8; size++) {
        uint64_t whole = 0;
        for (int i = 0; i < size; i++) whole |= (uint64_t)bytes[i] << (8 * i);
        for (int there = 0; there <= 8; there++) {
            FREED uint8_t *copy = exactly(bytes, (size_t)there);
            mry_bytes_reader in = { .p = copy, .end = copy + there };
            uint64_t got = mry_get_fixed(&in, size);
            assert_int_equal(in.failed, there < size);
            assert_true(got == (there < size ? 0 : whole));
            assert_ptr_equal(in.p, copy + (there < size ? 0 : size));
            in.failed = true; /* after a failure nothing more is read, though it may be there */
            const uint8_t *before = in.p;
            assert_true(mry_get_fixed(&in, 1) == 0);
            assert_ptr_equal(in.p, before);
        }
    }
}

TEST(integers_of_every_length_come_back_and_end_with_the_bytes)
{
    static const int64_t values[] = { 0,   1,       -1,       63,        -64,       64,
                                      127, 1000000, -1000000, INT32_MAX, INT64_MAX, INT64_MIN };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        mry_bytes_writer out = { .mem = &mem };
        mry_put_integer(&out, values[v]);
        for (size_t there = 0; there <= out.used; there++) {
            FREED uint8_t *copy = exactly(out.bytes, there);
            mry_bytes_reader in = { .p = copy, .end = copy + there };
            int64_t got = mry_get_integer(&in, INT64_MIN, INT64_MAX);
            assert_int_equal(in.failed, there < out.used);
            assert_true(got == (in.failed ? INT64_MIN : values[v]));
        }
    }
    static const uint8_t endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    mry_bytes_reader in = { .p = endless, .end = endless + sizeof endless };
    assert_true(mry_get_integer(&in, -5, 5) == -5 && in.failed);
}

TEST(integers_outside_their_range_are_a_failure)
{
    static const uint8_t seven[] = { 14 }; /* the sign is the last bit */
    static const struct {
        int64_t least, most;
        bool fits;
    } rows[] = { { 7, 7, true }, { 0, 6, false }, { 8, 9, false }, { -9, 9, true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mry_bytes_reader in = { .p = seven, .end = seven + 1 };
        int64_t got = mry_get_integer(&in, rows[i].least, rows[i].most);
        assert_int_equal(in.failed, !rows[i].fits);
        assert_true(got == (rows[i].fits ? 7 : rows[i].least));
    }
}

TEST(numbers_that_are_not_finite_are_a_failure)
{
    static const double values[] = { 1.5, -0.25, 1e308, INFINITY, -INFINITY, NAN };
    for (int i = 0; i < 6; i++) {
        uint8_t bytes[8];
        memcpy(bytes, &values[i], 8);
        mry_bytes_reader in = { .p = bytes, .end = bytes + 8 };
        assert_true(mry_get_number(&in) == (i < 3 ? values[i] : 0));
        assert_int_equal(in.failed, i >= 3);
    }
}

/* Equal numbers give equal records. */
TEST_CTX(minus_zero_is_put_as_zero)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_bytes_writer out = { .mem = &mem };
    mry_put_number(&out, -0.0);
    mry_put_number(&out, 0.0);
    assert_int_equal(out.used, 16);
    assert_memory_equal(out.bytes, out.bytes + 8, 8);
}

TEST_CTX(a_text_longer_than_what_is_left_is_a_failure)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_bytes_writer out = { .mem = &mem };
    mry_put_text(&out, "a text of some length, more than a few bytes");
    for (size_t there = 0; there <= out.used; there++) {
        FREED uint8_t *copy = exactly(out.bytes, there);
        mry_bytes_reader in = { .p = copy, .end = copy + there };
        const char *text = mry_get_text(&in, &mem);
        assert_int_equal(in.failed, there < out.used);
        assert_true((text == NULL) == in.failed);
        if (text) assert_string_equal(text, "a text of some length, more than a few bytes");
    }
}

TEST(a_writer_without_memory_says_so_and_writes_nothing_more)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_bytes_writer out = { .mem = &mem };
        for (int i = 0; i < 20000; i++) mry_put_fixed(&out, (uint64_t)i, 8);
        size_t used = out.used;
        if (!out.failed) assert_int_equal(used, 8 * 20000);
        if (out.failed) mry_put_text(&out, "more");
        assert_int_equal(out.used, used);
        status = out.failed ? MAREY_ERR_MEMORY : MAREY_OK;
    }
}

TEST_GROUP_OF_CASES(test_bytes, NULL, NULL)
