/* test_columns.c - tables of numbers to bytes and exactly back; damaged bytes are refused or give
   numbers, never more. */
#include "support.h"

#include "base/arena.h"
#include "store/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 5;

static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 11;
}

static void packs_and_comes_back(const double *values, int rows, int cols, size_t most)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    void *bytes, *again;
    size_t count, count_again;
    int r, c;
    FREED double *back = malloc(sizeof *back * (size_t)rows * (size_t)cols + 8);
    assert_true(mry_columns_pack(&mem, &mem, values, rows, cols, &bytes, &count));
    assert_true(mry_columns_pack(&mem, &mem, values, rows, cols, &again, &count_again));
    assert_int_equal(count, count_again);
    assert_memory_equal(bytes, again, count);
    assert_true(mry_columns_shape(bytes, count, &r, &c));
    assert_true(r == rows && c == cols);
    for (int every = 1; every <= 4; every++) {
        int kept = ((rows - 1) / every + 1) * cols;
        back[kept] = 1234;
        assert_true(mry_columns_unpack(bytes, count, every, back));
        for (int i = 0; i < kept; i++) {
            double right = values[i / cols * every * cols + i % cols];
            if (right != back[i]) fail_msg("%.17g came back as %.17g", right, back[i]);
        }
        assert_true(back[kept] == 1234);
    }
    if (most && count > most) fail_msg("%zu bytes, at most %zu were expected", count, most);
}

TEST(decimals_come_back_exactly_and_small)
{
    enum { ROWS = 1000, COLS = 3 };
    static double values[ROWS * COLS];
    for (int i = 0; i < ROWS; i++) {
        values[COLS * i] = nearbyint(1e4 * 50 * sin(0.02 * i)) / 1e4; /* smooth, four decimals */
        values[COLS * i + 1] = 0;                                     /* constant */
        values[COLS * i + 2] = nearbyint(1e6 * (100 + 0.001 * i * i)) / 1e6; /* a parabola */
    }
    packs_and_comes_back(values, ROWS, COLS, ROWS * 3 + 200);
}

TEST(numbers_of_every_kind_come_back_exactly)
{
    enum { COLS = 130 };
    for (int rows = 1; rows < 200; rows += rows < 5 ? 1 : 61) {
        FREED double *values = malloc(sizeof *values * (size_t)rows * COLS);
        for (int i = 0; i < rows * COLS; i++) {
            int kind = i % COLS % 7;
            double u = (double)next_random() / 9007199254740992.0 - 0.5;
            values[i] = kind == 0   ? u
                        : kind == 1 ? nearbyint(u * 1e6) / 1e4
                        : kind == 2 ? nearbyint(u * 1e15)
                        : kind == 3 ? u * 1e300
                        : kind == 4 ? nearbyint(u * 1e7) / 1e12
                        : kind == 5 ? 9007199254740991.0 * (u < 0 ? -1 : 1)
                                    : u * 1e-300;
        }
        packs_and_comes_back(values, rows, COLS, 0);
    }
}

TEST_CTX(minus_zero_counts_as_zero)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    const double plus[4] = { 0.0, 1, 0.0, 2.5 }, minus[4] = { -0.0, 1, -0.0, 2.5 };
    void *a, *b;
    size_t na, nb;
    assert_true(mry_columns_pack(&mem, &mem, plus, 2, 2, &a, &na));
    assert_true(mry_columns_pack(&mem, &mem, minus, 2, 2, &b, &nb));
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
}

TEST_CTX(damaged_bytes_are_refused_or_give_numbers)
{
    enum { ROWS = 40, COLS = 5 };
    double values[ROWS * COLS], back[ROWS * COLS];
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    void *packed;
    size_t count;
    for (int i = 0; i < ROWS * COLS; i++) values[i] = nearbyint(1e4 * sin(i)) / 1e4;
    assert_true(mry_columns_pack(&mem, &mem, values, ROWS, COLS, &packed, &count));
    for (size_t cut = 0; cut < count; cut++) {
        FREED uint8_t *part = malloc(cut + 1); /* exactly as long, so that a read past it is seen */
        memcpy(part, packed, cut);
        assert_false(mry_columns_unpack(part, cut, 1, back));
    }
    for (int n = 0; n < 20000; n++) {
        FREED uint8_t *bytes = malloc(count);
        int rows, cols;
        memcpy(bytes, packed, count);
        bytes[next_random() % count] ^= (uint8_t)(1 + next_random() % 255);
        if (mry_columns_shape(bytes, count, &rows, &cols) && rows == ROWS && cols == COLS)
            mry_columns_unpack(bytes, count, 1, back);
    }
}

TEST_CTX(a_shape_is_known_only_where_every_byte_is_there)
{
    enum { ROWS = 6, COLS = 2 };
    static const double values[ROWS * COLS] = { 1, 0, 4, 0, 9, 0, -7, 0, 2, 0, 3, 0 };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    void *bytes;
    size_t count;
    int rows = -1, cols = -1;
    assert_true(mry_columns_pack(&mem, &mem, values, ROWS, COLS, &bytes, &count));
    uint8_t *claimed = (uint8_t *)bytes + 4;
    for (int r = 0; r < 256; r++) {
        *claimed = (uint8_t)r;
        assert_int_equal(mry_columns_shape(bytes, count, &rows, &cols), r == ROWS);
    }
    *claimed = ROWS;
    for (size_t n = 0; n < count; n++) assert_false(mry_columns_shape(bytes, n, &rows, &cols));
    assert_true(rows == ROWS && cols == COLS);
}

/* What stands in a head: decimals, order and width of each column. */
TEST_CTX(every_number_of_a_head_is_checked)
{
    enum { ROWS = 3, HEAD_AT = 12, DECIMALS = 0, ORDER = 1, WIDTH = 2 };
    static const double whole[ROWS] = { 100, 107, 90 }, odd[ROWS] = { 0.1, 1e-300, 3 };
    static const struct {
        bool raw; /* the bits of doubles themselves, as nothing else fits */
        int at;
        uint8_t value;
        bool fits;
    } rows[] = {
        { false, DECIMALS, 15, true },   { false, DECIMALS, 16, false },
        { false, DECIMALS, 255, false }, { false, ORDER, 2, true },
        { false, ORDER, 3, false },      { false, WIDTH, 2, false },
        { true, DECIMALS, 255, true },   { true, ORDER, 1, false },
        { true, WIDTH, 7, false },       { true, WIDTH, 9, false },
        { true, DECIMALS, 254, false },
    };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *bytes;
        size_t count;
        int r, c;
        assert_true(
            mry_columns_pack(&mem, &mem, rows[i].raw ? odd : whole, ROWS, 1, &bytes, &count));
        uint8_t *head = (uint8_t *)bytes + HEAD_AT;
        assert_int_equal(head[DECIMALS] == 255, rows[i].raw);
        assert_int_equal(head[WIDTH], rows[i].raw ? 8 : 1);
        head[rows[i].at] = rows[i].value;
        if (mry_columns_shape(bytes, count, &r, &c) != rows[i].fits) fail_msg("row %d", (int)i);
    }
}

/* Fewer rows than a difference needs. */
TEST_CTX(one_row_has_any_order)
{
    enum { ORDER_AT = 13 };
    static const double one[1] = { 12 };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (int order = 0; order < 3; order++) {
        void *bytes;
        size_t count;
        double back = 0;
        assert_true(mry_columns_pack(&mem, &mem, one, 1, 1, &bytes, &count));
        ((uint8_t *)bytes)[ORDER_AT] = (uint8_t)order;
        assert_true(mry_columns_unpack(bytes, count, 1, &back));
        assert_true(back == (order ? 0 : 12)); /* the first is in the head from order 1 on */
    }
}

TEST(refused_memory_is_reported)
{
    static double values[2000];
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        void *bytes = NULL;
        size_t count = 0;
        bool fits = mry_columns_pack(&mem, &mem, values, 1000, 2, &bytes, &count);
        status = fits ? MAREY_OK : MAREY_ERR_MEMORY;
    }
}

TEST_GROUP_OF_CASES(test_columns, NULL, NULL)
