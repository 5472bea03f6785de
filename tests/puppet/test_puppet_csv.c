/* test_puppet_csv.c - paths as tables of text: what spreadsheets and people write is read, what
   cannot be is refused with its line, its column and what was expected, and what was written reads
   back as what it was. */
#include "base/number.h"
#include "bytes_judge.h"
#include "math/turn.h"
#include "puppet_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAIN "time,main_x,main_y,main_dir\n"
#define BOTH "time,main_x,main_y,main_dir,react_x,react_y,react_dir\n"

static marey_paths *read_text(puppet_bench *bench, const char *text, const marey_paths_def *def)
{
    marey_paths *paths = NULL;
    marey_error error = { 0 };
    test_fine(marey_paths_read(bench->ctx, text, strlen(text), "walk.csv", def, &paths, &error),
              &error);
    return paths;
}

static bool same_entity(const marey_entity *a, const marey_entity *b)
{
    return a->x_cm == b->x_cm && a->y_cm == b->y_cm && a->direction_rad == b->direction_rad;
}

static bool same_sample(const marey_puppet_sample *a, const marey_puppet_sample *b)
{
    return a->time_s == b->time_s && same_entity(&a->main, &b->main) &&
           same_entity(&a->react, &b->react);
}

/* ---- what is read ---------------------------------------------------------------------------- */

/* Two moments, in all the ways in which they are written. */
static const marey_puppet_sample TWO[2] = { { 0, { 1, -2, 0.5 }, { 3.25, 4, -1 } },
                                            { 0.1, { 1.5, -2e-3, 1 }, { 1000, 0, 6.25 } } };

static const char *const SPELLINGS[] = {
    BOTH "0,1,-2,0.5,3.25,4,-1\n0.1,1.5,-0.002,1,1000,0,6.25\n",
    BOTH "0,1,-2,0.5,3.25,4,-1\n0.1,1.5,-0.002,1,1000,0,6.25", /* no last line end */
    "\xef\xbb\xbf" BOTH "0,1,-2,0.5,3.25,4,-1\n0.1,1.5,-0.002,1,1000,0,6.25\n",
    "time,main_x,main_y,main_dir,react_x,react_y,react_dir\r\n0,1,-2,0.5,3.25,4,-1\r\n"
    "0.1,1.5,-0.002,1,1000,0,6.25\r\n\r\n",
    "time,main_x,main_y,main_dir,react_x,react_y,react_dir\r0,1,-2,0.5,3.25,4,-1\r"
    "0.1,1.5,-0.002,1,1000,0,6.25\r",
    "Time; MAIN_X ;main_y;main_dir;react_x;react_y;react_dir\n0;1;-2;0,5;3,25;4;-1\n"
    "0,1;1,5;-0,002;1;1000;0;6,25\n",
    "time\tmain_x\tmain_y\tmain_dir\treact_x\treact_y\treact_dir\n0\t1\t-2\t0.5\t3.25\t4\t-1\n"
    "0.1\t1.5\t-0,002\t1\t1e3\t0\t6.25\n",
    "# shown by hand\n\n  \nreact_dir,react_y,react_x,main_dir,main_y,main_x,time\n"
    "-1,4,3.25,0.5,-2,1,0\n# a pause\n6.25,0,1E3,1,-2.0e-3,1.5,1e-1\n#,,,\n",
    "\"time\",\" main_x\" ,\"main_y\",\"main_dir\",\"react_x\",\"react_y\",\"react_dir\"\n"
    "\"0\",\"1\",\" -2 \" , 0.5 ,+3.25,4.,-1\n \"0.1\",1.5,-.002,01,1000.000,-0,6.25  \n",
    "who,time,main_x,what \"\"ever\"\",main_y,main_dir,react_x,,react_y,react_dir\n"
    "\"a, \"\"b\"\"\",0,1,,-2,0.5,3.25,\xff,4,-1\nz,0.1,1.5,nan,-0.002,1,1000,,0,6.25\n",
};

TEST_BENCH(every_spelling_is_read_the_same)
{
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        OWNED(marey_paths) *paths =
            read_text(bench, SPELLINGS[i], &(marey_paths_def){ .needs_react = true });
        int count = 0;
        const marey_puppet_sample *s = marey_paths_samples(paths, &count);
        assert_int_equal(count, 2);
        for (int k = 0; k < 2; k++) {
            if (!same_sample(&s[k], &TWO[k])) fail_msg("spelling %d, row %d", (int)i, k);
        }
        assert_true(marey_paths_facts(paths)->has_react);
    }
}

TEST_BENCH(the_facts_say_what_is_odd)
{
    OWNED(marey_paths) *paths =
        read_text(bench,
                  "# hm\n" MAIN "0,0,0,0\n0.5,0,0,6.9\n1.1,0,0,-7.5\n# no row\n"
                  "1.2,1,0,90\n4,5,5,0\n",
                  NULL);
    const marey_paths_about *about = marey_paths_facts(paths);
    int count = 0;
    const marey_puppet_sample *s = marey_paths_samples(paths, &count);
    assert_int_equal(about->count, 5);
    assert_int_equal(count, 5);
    assert_false(about->has_react);
    assert_true(about->seconds == 4);
    assert_int_equal(about->gaps, 2);
    assert_int_equal(about->gap_line, 5);
    assert_true(fabs(about->gap_most_s - 2.8) < 1e-12);
    assert_int_equal(about->degrees_line, 5);
    assert_int_equal(about->passed_over, 0);
    assert_false(about->not_seconds);
    for (int i = 0; i < count; i++) assert_true(same_entity(&s[i].react, &(marey_entity){ 0 }));
    marey_paths_free(paths);
    paths = read_text(bench, "note,time,main_x,main_y,main_dir,\n,0,0,0,0,\nx,1,0,0,0,y\n",
                      &(marey_paths_def){ .gap_s = 1 });
    assert_int_equal(marey_paths_facts(paths)->gaps, 0);
    assert_int_equal(marey_paths_facts(paths)->gap_line, 0);
    assert_int_equal(marey_paths_facts(paths)->degrees_line, 0);
    assert_int_equal(marey_paths_facts(paths)->passed_over, 2);
}

/* A walk at 1.2 m/s, at 50 Hz by a clock of `unit` of a second. */
static bool looks_wrong(puppet_bench *bench, double unit, double row_s)
{
    char text[4000] = MAIN;
    for (int i = 0; i < 50; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.9g,%g,0,0\n", i * row_s / unit,
                 120 * i * row_s);
    OWNED(marey_paths) *paths = read_text(bench, text, NULL);
    return marey_paths_facts(paths)->not_seconds;
}

TEST_BENCH(times_that_are_no_seconds_are_noticed)
{
    assert_true(looks_wrong(bench, 0.001, 0.02)); /* milliseconds */
    assert_true(looks_wrong(bench, 0.02, 0.02));  /* numbers of frames */
    assert_false(looks_wrong(bench, 1, 0.02));
    assert_false(looks_wrong(bench, 1, 3)); /* few places, far apart */
}

/* For a reaction to a path, what else reacted to it does not matter, nor whether it is there at
   all. */
TEST_BENCH(of_the_main_character_alone_other_columns_are_passed_over)
{
    static const char *const TEXTS[] = {
        BOTH "0,1,-2,0.5,,,\n0.1,1.5,-0.002,1,,x,1e300\n",
        "react_x,time,main_x,main_y,main_dir,react_x,\n,0,1,-2,0.5,,\nnan,0.1,1.5,-0.002,1,,\n",
        MAIN "0,1,-2,0.5\n0.1,1.5,-0.002,1\n",
    };
    static const int PASSED[] = { 3, 3, 0 };
    const marey_paths_def def = { .main_only = true };
    for (int i = 0; i < 3; i++) {
        OWNED(marey_paths) *paths = read_text(bench, TEXTS[i], &def);
        marey_paths *none = NULL;
        const marey_puppet_sample *s = marey_paths_samples(paths, NULL);
        const marey_paths_about *about = marey_paths_facts(paths);
        assert_int_equal(about->count, 2);
        assert_int_equal(about->passed_over, PASSED[i]);
        assert_false(about->has_react);
        for (int k = 0; k < 2; k++) {
            assert_true(s[k].time_s == TWO[k].time_s && same_entity(&s[k].main, &TWO[k].main));
            assert_true(same_entity(&s[k].react, &(marey_entity){ 0 }));
        }
        if (i == 2) continue;
        assert_int_equal(
            marey_paths_read(bench->ctx, TEXTS[i], strlen(TEXTS[i]), "walk.csv", NULL, &none, NULL),
            MAREY_ERR_INPUT);
        assert_null(none);
    }
}

TEST_BENCH(a_reacting_character_cannot_be_both_needed_and_passed_over)
{
    const marey_paths_def def = { .main_only = true, .needs_react = true };
    marey_paths *none = NULL;
    assert_int_equal(marey_paths_read(bench->ctx, SPELLINGS[0], strlen(SPELLINGS[0]), "walk.csv",
                                      &def, &none, NULL),
                     MAREY_ERR_REQUEST);
    assert_null(none);
}

/* ---- what is refused ------------------------------------------------------------------------- */

typedef struct refusal {
    const char *text;
    int line, column;
    const char *message;
    bool needs_react;
} refusal;

#define WANTED "time, main_x, main_y, main_dir"
#define WANTED_TOO WANTED ", react_x, react_y, react_dir"

static const refusal REFUSALS[] = {
    { "", 0, 0, "there is nothing in it; expected a line with the names of columns: " WANTED, 0 },
    { "\n# nothing\n", 0, 0,
      "there is nothing in it; expected a line with the names of columns: " WANTED, 0 },
    { "0,0,0,0\n1,0,0,0\n", 1, 1, "expected the names of columns: " WANTED, 0 },
    { "\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n", 2, 1, "expected the names of columns: " WANTED_TOO, 1 },
    { "time,main_x,main_dir\n", 1, 1, "missing column main_y; a path needs " WANTED, 0 },
    { "t,main_x,main_y,main_dir\n0,0,0,0\n", 1, 1, "missing column time; a path needs " WANTED, 0 },
    { MAIN "0,0,0,0\n1,0,0,0\n", 1, 1,
      "expected a reacting character: missing columns react_x, react_y, react_dir", 1 },
    { "time,main_x,main_y,main_dir,react_x\n0,0,0,0,0\n1,0,0,0,0\n", 1, 1,
      "missing column react_y; a reacting character needs react_x, react_y, "
      "react_dir",
      0 },
    { "time,main_x,main_y,main_dir,react_x,react_y\n0,0,0,0,0,0\n1,0,0,0,0,0\n", 1, 1,
      "missing column react_dir; a reacting character needs react_x, react_y, "
      "react_dir",
      1 },
    { "time,main_x,main_y, MAIN_X,main_dir\n", 1, 21, "a second column main_x", 0 },
    { "time,\"main_x,main_y,main_dir\n", 1, 6, "a quote that does not end on its line", 0 },
    { "time,\"main_x\"z,main_y,main_dir\n", 1, 14, "expected ',' behind what is in quotes", 0 },
    { "time;\"main_x\" z;main_y;main_dir\n", 1, 15, "expected ';' behind what is in quotes", 0 },
    { "time\t\"main_x\"z\tmain_y\tmain_dir\n", 1, 14, "expected a tab behind what is in quotes",
      0 },
    { MAIN, 1, 1, "expected two rows at least, found none", 0 },
    { MAIN "0,0,0,0\n\n", 2, 1, "expected two rows at least, found one", 0 },
    { MAIN "0,0,0,0\n0.1,0,0\n", 3, 8, "expected 4 fields, as line 1 has, found fewer", 0 },
    { "\n" MAIN "0,0,0,0\n0.1,0,0,0,5\n", 4, 11, "expected 4 fields, as line 2 has, found more",
      0 },
    { MAIN "0,0,0,0\n0.1,0,0,0,\n", 3, 11, "expected 4 fields, as line 1 has, found more", 0 },
    { MAIN "0,0,0,0\n0.1,x,0,0\n", 3, 5, "expected a number in column main_x, found \"x\"", 0 },
    { MAIN "0,0,0,0\n0.1,, 0,0\n", 3, 5, "expected a number in column main_x, found nothing", 0 },
    { BOTH "0,0,0,0,0,0,0\n1,0,0,0, 5 5,0,0\n", 3, 10,
      "expected a number in column react_x, found \"5 5\"", 0 },
    { MAIN "0,0,0,nan\n1,0,0,0\n", 2, 7, "expected a number in column main_dir, found \"nan\"", 0 },
    { MAIN "0,0,0,0\n1,0,-INF,0\n", 3, 5, "expected a number in column main_y, found \"-INF\"", 0 },
    { MAIN "0,0,0,0\n1,0x10,0,0\n", 3, 3, "expected a number in column main_x, found \"0x10\"", 0 },
    { MAIN "0,0,0,0\n1,\"2,5\",0,0\n", 3, 4, "expected a number in column main_x, found \"2,5\"",
      0 },
    { "time;main_x;main_y;main_dir\n0;0;0;0\n1;2,5,5;0;0\n", 3, 3,
      "expected a number in column main_x, found \"2,5,5\"", 0 },
    { MAIN "0,0,0,0\n1,1000001,0,0\n", 3, 3, "1000001 in column main_x is beyond 1e+06 cm", 0 },
    { MAIN "0,0,0,0\n1,0,1e999,0\n", 3, 5, "1e999 in column main_y is beyond 1e+06 cm", 0 },
    { MAIN "0,0,0,-20000\n1,0,0,0\n", 2, 7, "-20000 in column main_dir is beyond 10000 rad", 0 },
    { MAIN "1700000000000,0,0,0\n1700000000016,0,0,0\n", 2, 1,
      "1700000000000 in column time is beyond 5e+09 s", 0 },
    { MAIN "0,0,0,0\n1.3,0,0,0\n 1.2,0,0,0\n", 4, 2, "times must rise: 1.2 s comes behind 1.3 s",
      0 },
    { MAIN "0,0,0,0\n1.3,0,0,0\n1.30,0,0,0\n", 4, 1, "times must rise: 1.3 s is there twice", 0 },
    { "main_x,main_y,main_dir,time\n0,0,0,1700000000.25\n0,0,0,1700000000.125\n", 3, 7,
      "times must rise: 1700000000.125 s comes behind 1700000000.25 s", 0 },
    { MAIN "0,0,0,0\r\n\"1,0,0,0\r\n", 3, 1, "a quote that does not end on its line", 0 },
};

TEST_BENCH(what_cannot_be_is_refused_with_its_place)
{
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) {
        const refusal *r = &REFUSALS[i];
        marey_paths *paths = NULL;
        marey_error error = { 0 };
        marey_paths_def def = { .needs_react = r->needs_react };
        assert_int_equal(marey_paths_read(bench->ctx, r->text, strlen(r->text), "walk.csv", &def,
                                          &paths, &error),
                         MAREY_ERR_INPUT);
        assert_null(paths);
        assert_string_equal(error.path, "walk.csv");
        if (strcmp(error.message, r->message) != 0 || error.line != r->line ||
            error.column != r->column)
            fail_msg("%d: %d:%d: %s", (int)i, (int)error.line, (int)error.column, error.message);
    }
}

TEST_BENCH(bytes_that_are_no_text_are_refused)
{
    static const char wide[] = "#\n# t\0i\0m\0e\0\n";
    marey_paths *paths = NULL;
    marey_error error = { 0 };
    assert_int_equal(
        marey_paths_read(bench->ctx, wide, sizeof wide - 1, "wide.csv", NULL, &paths, &error),
        MAREY_ERR_INPUT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.message, "a byte of zero: this is no text, or not in UTF-8");
}

/* ---- anything at all ------------------------------------------------------------------------- */

/* Either it is refused with a place in the text, or it is paths that can be. */
static bool read_any(puppet_bench *bench, const char *text, size_t size)
{
    OWNED(marey_paths) *paths = NULL;
    marey_error error = { 0 };
    marey_status status = marey_paths_read(bench->ctx, text, size, "any.csv", NULL, &paths, &error);
    if (status) {
        assert_int_equal(status, MAREY_ERR_INPUT);
        assert_null(paths);
        assert_true(error.line >= 0 && error.message[0]);
        return false;
    }
    int count = 0;
    const marey_puppet_sample *s = marey_paths_samples(paths, &count);
    assert_true(count >= 2);
    for (int i = 0; i < count; i++) {
        assert_true(mry_entity_can_be(&s[i].main) && mry_entity_can_be(&s[i].react));
        assert_true(i == 0 || s[i].time_s > s[i - 1].time_s);
    }
    return true;
}

/* Without a zero behind it, so that reading past it is seen. */
static bool read_copy(puppet_bench *bench, const char *text, size_t size)
{
    FREED char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    return read_any(bench, copy, size);
}

TEST_BENCH(a_text_that_ends_anywhere_is_read_or_refused)
{
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        size_t whole = strlen(SPELLINGS[i]);
        assert_false(read_copy(bench, SPELLINGS[i], whole / 2));
        for (size_t size = 0; size < whole; size++) read_copy(bench, SPELLINGS[i], size);
    }
}

/* What stands behind the end is no part of the text: not so much as a quote behind a quote. */
TEST_BENCH(a_quote_at_the_end_of_a_text_ends_its_field)
{
    static const char text[] = MAIN "0,0,0,0\n1,0,0,\"0\"\"";
    assert_true(read_any(bench, text, sizeof text - 2));
    assert_false(read_any(bench, text, sizeof text - 1));
}

TEST_BENCH(a_changed_byte_is_read_or_refused)
{
    static const char with[] = {
        '\0', '\n', '\r', '\t', ' ', '"', '#', ',', ';', '.', '-', '9', 'e'
    };
    char text[600];
    int read = 0, refused = 0;
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        size_t size = strlen(SPELLINGS[i]);
        assert_true(size < sizeof text);
        for (size_t at = 0; at < size; at++) {
            memcpy(text, SPELLINGS[i], size);
            for (size_t k = 0; k < sizeof with; k++) {
                text[at] = with[k];
                *(read_any(bench, text, size) ? &read : &refused) += 1;
            }
            for (int bit = 0; bit < 8; bit++) {
                text[at] = (char)(SPELLINGS[i][at] ^ 1 << bit);
                *(read_any(bench, text, size) ? &read : &refused) += 1;
            }
        }
    }
    assert_true(read > 500 && refused > 5000);
}

/* ---- limits ---------------------------------------------------------------------------------- */

TEST_BENCH(too_many_rows_are_refused_before_there_is_memory_for_them)
{
    static const char row[] = "0,0,0,0\n";
    size_t rows = (size_t)MAREY_PUPPET_MOST_SAMPLES + 1, names = strlen(MAIN);
    size_t size = names + rows * strlen(row);
    FREED char *text = malloc(size);
    assert_non_null(text);
    memcpy(text, MAIN, names);
    for (size_t i = 0; i < rows; i++) memcpy(text + names + i * strlen(row), row, strlen(row));
    marey_paths *paths = NULL;
    marey_error error = { 0 };
    assert_int_equal(marey_paths_read(bench->ctx, text, size, "long.csv", NULL, &paths, &error),
                     MAREY_ERR_LIMIT);
    assert_int_equal(error.line, MAREY_PUPPET_MOST_SAMPLES + 2);
    assert_string_equal(error.message, "paths have at most 4194304 rows");
    assert_true(marey_ctx_bytes_peak(bench->ctx) < 100000);
}

TEST_BENCH(memory_goes_with_the_rows_and_not_with_what_is_passed_over)
{
    char text[20000] = MAIN "0,0,0,0\n1,0,0,0\n";
    size_t used = strlen(text);
    memset(text + used, '#', sizeof text - used);
    for (size_t i = used; i < sizeof text; i += 2) text[i] = '\n';
    assert_true(read_any(bench, text, sizeof text));
    assert_true(marey_ctx_bytes_peak(bench->ctx) < 40000);
}

TEST_BENCH(reading_and_writing_can_be_cancelled)
{
    enum { ROWS = 3000 };
    static marey_puppet_sample s[ROWS];
    for (int i = 0; i < ROWS; i++) s[i].time_s = i / 7.0;
    puppet_canceller of = { 0 };
    marey_ctx *ctx = puppet_canceller_open(&of);
    uint8_t *bytes = NULL, *none = NULL;
    size_t size = 0, not_set = 7;
    marey_paths *paths = NULL;
    test_fine(marey_paths_write(ctx, s, ROWS, true, &bytes, &size, NULL), NULL);
    of.ctx = ctx;
    for (int call = 0; call < 3;
         call++) { /* while there is room for one, then for all rows; and before */
        of.at = of.memory.calls + call;
        if (call == 2) marey_ctx_cancel(ctx);
        assert_int_equal(marey_paths_read(ctx, bytes, size, "a.csv", NULL, &paths, NULL),
                         MAREY_ERR_CANCELLED);
        assert_null(paths);
        of.at = of.memory.calls + 2;
        marey_ctx_resume(ctx);
        if (call == 2) marey_ctx_cancel(ctx);
        assert_int_equal(marey_paths_write(ctx, s, ROWS, true, &none, &not_set, NULL),
                         MAREY_ERR_CANCELLED);
        assert_true(!none && not_set == 7);
        marey_ctx_resume(ctx);
    }
    of.ctx = NULL;
    marey_graph_bytes_free(ctx, bytes, size);
    marey_ctx_close(ctx);
    assert_int_equal(of.memory.live, 0);
}

TEST_BENCH(refused_memory_is_reported_and_nothing_leaks)
{
    marey_puppet_sample s[300];
    for (int i = 0; i < 300; i++)
        s[i] = (marey_puppet_sample){ i / 3.0, { i / 7.0, 0, 0 }, { 0, i / 9.0, 0 } };
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &bench->memory };
    while (test_refuse(&sweep, status)) {
        OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
        OWNED(marey_paths) *paths = NULL;
        status = marey_paths_write(bench->ctx, s, 300, true, &bytes.at, &bytes.size, NULL);
        assert_true((bytes.at != NULL) == (status == MAREY_OK));
        if (status) continue;
        status = marey_paths_read(bench->ctx, bytes.at, bytes.size, "a.csv", NULL, &paths, NULL);
        assert_true((paths != NULL) == (status == MAREY_OK));
    }
    assert_true(sweep.at >= 4);
}

/* ---- there and back -------------------------------------------------------------------------- */

static double any_number(uint64_t *seed, double most)
{
    double size = mry_random_between(seed, -1, 1) * most;
    switch ((int)mry_random_between(seed, 0, 6)) {
    case 0: return rint(size);
    case 1: return rint(size * 100) / 100;
    case 2: return size * 1e-12;
    case 3: return size / 3;
    case 4: return size > 0 ? most : -most;
    default: return size;
    }
}

static marey_entity any_entity(uint64_t *seed)
{
    return (marey_entity){ any_number(seed, 1e6), any_number(seed, 1e6), any_number(seed, 1e4) };
}

static void go_there_and_back(puppet_bench *bench, const marey_puppet_sample *s, int count,
                              bool with_react)
{
    uint8_t *bytes = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    OWNED(marey_paths) *paths = NULL;
    marey_error error = { 0 };
    int read = 0;
    test_fine(marey_paths_write(bench->ctx, s, count, with_react, &bytes, &size, &error), &error);
    test_fine(marey_paths_read(bench->ctx, bytes, size, "again.csv", NULL, &paths, &error), &error);
    const marey_puppet_sample *back = marey_paths_samples(paths, &read);
    assert_int_equal(read, count);
    assert_true(marey_paths_facts(paths)->has_react == with_react);
    for (int i = 0; i < count; i++) {
        marey_puppet_sample was = s[i];
        if (!with_react) was.react = (marey_entity){ 0 };
        if (!same_sample(&back[i], &was)) fail_msg("sample %d is another", i);
    }
    test_fine(marey_paths_write(bench->ctx, back, count, with_react, &again, &again_size, &error),
              &error);
    assert_true(again_size == size && memcmp(again, bytes, size) == 0);
    marey_graph_bytes_free(bench->ctx, bytes, size);
    marey_graph_bytes_free(bench->ctx, again, again_size);
}

TEST_BENCH(what_was_written_reads_back_as_what_it_was)
{
    enum { ROWS = 400 };
    static marey_puppet_sample s[ROWS];
    uint64_t seed = 5;
    for (int turn = 0; turn < 6; turn++) {
        double time = any_number(&seed, 4e9);
        for (int i = 0; i < ROWS; i++) {
            time = nextafter(time + mry_random_between(&seed, 0, 0.1), INFINITY);
            s[i] = (marey_puppet_sample){ time, any_entity(&seed), any_entity(&seed) };
        }
        go_there_and_back(bench, s, ROWS, turn % 2);
    }
    int count;
    FREED marey_puppet_sample *ready = puppet_bench_ready(0, &count);
    go_there_and_back(bench, ready, 1000, true);
}

TEST_BENCH(short_numbers_are_written_short)
{
    OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
    static const char wanted[] = BOTH "0,1,-2,0.5,3.25,4,-1\n0.1,1.5,-0.002,1,1000,0,6.25\n";
    test_fine(marey_paths_write(bench->ctx, TWO, 2, true, &bytes.at, &bytes.size, NULL), NULL);
    assert_int_equal(bytes.size, sizeof wanted - 1);
    assert_memory_equal(bytes.at, wanted, bytes.size);
}

TEST_BENCH(what_would_not_be_read_is_not_written)
{
    static const double bad[] = { NAN, INFINITY, -6e9 };
    for (int field = 0; field < 7; field++) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            marey_puppet_sample s[2] = { TWO[0], TWO[1] };
            double *fields[] = { &s[1].time_s,
                                 &s[1].main.x_cm,
                                 &s[1].main.y_cm,
                                 &s[1].main.direction_rad,
                                 &s[1].react.x_cm,
                                 &s[1].react.y_cm,
                                 &s[1].react.direction_rad };
            uint8_t *bytes = NULL;
            size_t size = 0;
            marey_error error = { 0 };
            *fields[field] = bad[b];
            assert_int_equal(marey_paths_write(bench->ctx, s, 2, true, &bytes, &size, &error),
                             MAREY_ERR_REQUEST);
            assert_null(bytes);
            assert_string_equal(error.message, "sample 1: not a number, or too large");
        }
    }
}

TEST_GROUP_OF_CASES(test_puppet_csv, NULL, NULL)
