/* test_number.c - numbers from text and back, and rows of them; the C library's strtod is the
   judge. */
#include "support.h"

#include "base/number.h"
#include "base/scan.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

static void read_equals_strtod(const char *text)
{
    char padded[128] = { 0 };
    mry_decimal number;
    snprintf(padded, sizeof padded, "%s", text);
    size_t count = strlen(padded);
    assert_int_equal(mry_number_read(padded, padded + count, &number), count);
    if (number.value != strtod(padded, NULL)) fail_msg("%s was read as %.17g", text, number.value);
}

TEST(numbers_read_as_the_c_library_reads_them)
{
    static const char *const texts[] = { "0",
                                         "-0",
                                         "1",
                                         "+1",
                                         ".5",
                                         "5.",
                                         "-16.4224",
                                         "1e5",
                                         "1E-5",
                                         "-3.60297e-15",
                                         "0.016666666666666666",
                                         "123456789012345678",
                                         "12345678901234567890123",
                                         "0.00000000000000000000000000000123",
                                         "9007199254740993",
                                         "1.7976931348623157e308",
                                         "4.9e-324",
                                         "1e-400",
                                         "000000000000000000000000012.5" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) read_equals_strtod(texts[i]);
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        int64_t digits = (int64_t)(random_next(&seed) >> (random_next(&seed) % 50));
        int decimals = (int)(random_next(&seed) % 12);
        snprintf(text, sizeof text, "%s%lld.%0*lld", i % 2 ? "-" : "", (long long)(digits / 1000),
                 decimals, (long long)(digits % 1000));
        read_equals_strtod(text);
    }
}

TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = { "",      "-",     ".",     "-.",   "abc",     "nan", "inf",
                                         "1.2.3", "1,2,3", "0x10",  "1e",   "1e+",     "--1", "1-",
                                         "e5",    "1.5f",  "1.5,2", "1..2", "infinity" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char padded[64] = { 0 };
        mry_decimal number;
        snprintf(padded, sizeof padded, "%s", texts[i]);
        if (mry_number_read(padded, padded + strlen(padded), &number)) fail_msg("\"%s\"", texts[i]);
    }
}

TEST(decimals_and_commas_are_noted)
{
    mry_decimal number;
    char a[64] = "-1,2500", b[64] = "5.1072e-06", c[64] = "12e2";
    assert_int_equal(mry_number_read(a, a + 7, &number), 7);
    assert_true(number.decimal_comma && number.decimals == 4 && number.value == -1.25);
    assert_int_equal(mry_number_read(b, b + 10, &number), 10);
    assert_true(!number.decimal_comma && number.decimals == 10);
    assert_int_equal(mry_number_read(c, c + 4, &number), 4);
    assert_true(number.decimals == 0 && number.value == 1200);
}

static void writes(double value, int decimals, const char *expected)
{
    char text[MRY_NUMBER_ROOM + 1];
    text[mry_number_write(text, value, decimals)] = 0;
    assert_string_equal(text, expected);
}

TEST(written_numbers_are_short)
{
    writes(0, 4, "0");
    writes(-0.0, 4, "0");
    writes(-16.4224, 4, "-16.4224");
    writes(0.5, 4, "0.5");
    writes(-0.05, 4, "-0.05");
    writes(100, 4, "100");
    writes(5.1072e-06, 10, "5.1072e-06");
    writes(0.1, 0, "0.1");
    writes(1e9, 6, "1000000000");
    writes(1.0 / 3.0, 4, "0.3333333333333333");
    writes(123456.789012, 6, "123456.789012");
    writes(0.25, -1, "0.25");
    writes(0.25, 16, "0.25");
    writes((double)NAN, 4, "nan");
}

TEST(written_numbers_read_back_the_same)
{
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        char text[64] = { 0 };
        mry_decimal number;
        int decimals = (int)(random_next(&seed) % 16);
        double value = (double)(int64_t)(random_next(&seed) - (UINT64_C(1) << 52)) /
                       pow(10, (double)(random_next(&seed) % 20));
        if (i % 2) value = nearbyint(value * 1e4) / 1e4;
        size_t count = mry_number_write(text, value, decimals);
        assert_in_range(count, 1, MRY_NUMBER_ROOM);
        assert_int_equal(mry_number_read(text, text + count, &number), count);
        if (number.value != value) fail_msg("%.17g became %s", value, text);
    }
}

TEST(rounded_numbers_have_no_negative_zero_and_no_trailing_zeros)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        { -0.0000001, "0" }, { -1.25, "-1.25" }, { 179.9999999, "180" }, { 1e30, "1e+30" }
    };
    for (int i = 0; i < 4; i++) {
        char text[MRY_NUMBER_ROOM + 1];
        text[mry_number_write_rounded(text, rows[i].value, 6)] = 0;
        assert_string_equal(text, rows[i].text);
    }
}

TEST(the_locale_does_not_matter)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE" };
    int n = 0;
    while (n < 3 && !setlocale(LC_NUMERIC, names[n])) n++;
    if (n == 3) test_skip("no locale with a decimal comma is installed");
    mry_decimal number;
    char text[64] = "12345678901234567890.5", out[64];
    size_t count = mry_number_read(text, text + strlen(text), &number);
    size_t written = mry_number_write(out, 1.0 / 3.0, 3);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(count, strlen(text));
    assert_true(number.value == 12345678901234567890.5);
    assert_null(memchr(out, ',', written));
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { ROW = 50 };

static size_t print_number(char *out, size_t room, unsigned shape, double value)
{
    static const int decimals[] = { 4, 0, 6, 1, 2 };
    int count = shape < 5    ? snprintf(out, room, "%.*f", decimals[shape], value)
                : shape == 5 ? snprintf(out, room, "%g\t", value)
                             : snprintf(out, room, "%.9e", value);
    return (size_t)count;
}

/* Random rows of every shape of number, read in one go and by strtod. */
TEST_CTX(rows_read_as_the_c_library_reads_them)
{
    uint64_t seed = 3;
    for (int round = 0; round < 2000; round++) {
        char text[ROW * 40];
        double row[ROW], scale = pow(10, (double)(random_next(&seed) % 7) - 2);
        size_t used = 0;
        for (int i = 0; i < ROW; i++) {
            double value = ((double)(random_next(&seed) % 2000001) / 1e6 - 1) * scale;
            used += print_number(text + used, sizeof text - used,
                                 (unsigned)(random_next(&seed) % 7), value);
            text[used++] = ' ';
        }
        text[used] = 0;
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_scan scan;
        mry_row_notes notes = { 0 };
        test_ok(mry_scan_bytes(&scan, &tmp, "row", text, used, NULL));
        assert_int_equal(mry_scan_row(&scan, row, ROW, 1e9, &notes), ROW);
        char *p = text;
        for (int i = 0; i < ROW; i++) {
            double expected = strtod(p, &p);
            if (row[i] != expected) fail_msg("%.17g was read as %.17g", expected, row[i]);
        }
    }
}

TEST(a_row_stops_in_front_of_what_is_no_number)
{
    static const struct {
        const char *text;
        int count;
        int64_t column;
    } rows[] = { { "1 2 3", 3, 6 },       { "1 2 abc", 2, 5 },   { "1 2\n3", 2, 4 },
                 { "1 1e10 3", 1, 3 },    { "nan", 0, 1 },       { "  7 -", 1, 5 },
                 { "1.5 1.2.3", 1, 5 },   { "", 0, 1 },          { "1 12345678x", 1, 3 },
                 { "1 1234567.x", 1, 3 }, { "1 .12345.", 1, 3 }, { "1 -.", 1, 3 } };
    OWNED(marey_ctx) *ctx = test_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_scan scan;
        mry_row_notes notes = { 0 };
        double row[8];
        mry_scan_bytes(&scan, &tmp, "row", rows[i].text, strlen(rows[i].text), NULL);
        int count = mry_scan_row(&scan, row, 8, 1e9, &notes);
        mry_scan_skip_blanks(&scan);
        if (count != rows[i].count || mry_scan_column(&scan) != rows[i].column) {
            fail_msg("\"%s\": %d numbers, column %d", rows[i].text, count,
                     (int)mry_scan_column(&scan));
        }
    }
}

/* gcc 12 for x86-64 leaves this rounding out of pairs, unless vectorising them is switched off. */
__attribute__((noinline)) static void round_pair(const volatile double *from, double *to)
{
    double x = from[0], y = from[1];
    to[0] = (double)(float)x;
    to[1] = (double)(float)y;
}

TEST(rounding_to_a_float_is_kept_by_the_compiler)
{
    const volatile double from[2] = { 1.0 / 3, 1.0 / 7 };
    double to[2];
    round_pair(from, to);
    for (int i = 0; i < 2; i++) {
        volatile float rounded = (float)from[i];
        assert_true(to[i] == (double)rounded && to[i] != from[i]);
    }
}

TEST_GROUP_OF_CASES(test_number, NULL, NULL)
