/* test_answers.c - every command's whole answer, as text and as JSON, is what it was: tests/answers
   has a file a stage, tests/data/libraries one for the library of each schema.

   A file is command lines, run one after another in a folder with a small demo, and all that they
   print:

       $ marey loop walk_straight.bvh      run this; its exit status is 0
       > frames 61-124 ...                 a line of standard output
       ! warning: ...                      a line of standard error
       @ loop.bvh: 8064 numbers, ...       of a file that it made, if that is text

   The JSON of --json stands there with a line for each key, and of long lists the ends. Distances
   are summed in one order on every processor, but sines differ in their last digit: numbers may
   differ from those written by one in a thousand. How long something took is a '*'. After a change that is meant,

       MAREY_WRITE_ANSWERS=1 ctest --test-dir build -R test_answers

   writes the files again, and their difference shows what the change does. */
#include "json_look.h"
#include "program_lines.h"

#include "library/library_data.h"

#include <ctype.h>
#include <math.h>

/* Measured times, and sizes in bytes, which depend on the libraries that compress. */
static const char *const measured[] = { "bytes",      "cells_per_s", "ms",     "opening_s",
                                        "searched_s", "seconds",     "shown_s" };

/* Runs a line that must end well, with sums in the same order on every processor. */
static test_run run_well(const char *line)
{
    test_run run = test_run_make();
    run.portable = true;
    test_run_line(&run, line);
    if (run.status != 0) fail_msg("%s: %s", line, run.err.bytes);
    return run;
}

static void make_demo(void)
{
    static const char inputs[] = "time,direction,speed\n0,0,0\n1,1.2,110\n4,-1,80\n";
    test_run run = run_well("marey demo . --quiet --take kicks --take reach_right --take sits "
                            "--take small_walk --take walk_left --take walk_straight");
    test_run_free(&run);
    test_file_write("inputs.csv", inputs, sizeof inputs - 1);
}

static void make_nothing(void)
{
}

static int enter(void **state)
{
    return test_enter_copy(state, TEST_SANITIZED ? make_nothing : make_demo);
}

/* ---- what is written down of an answer ------------------------------------------------------- */

enum { MOST_ITEMS = 5, END_ITEMS = 2 };

/* Numbers with six digits; of a long list its ends, and how many are between them. */
static json_t *shortened(const json_t *value)
{
    const char *key;
    json_t *member;
    size_t i, count = json_array_size(value);
    if (json_is_array(value)) {
        json_t *out = json_array();
        bool is_long = count > MOST_ITEMS;
        json_array_foreach(value, i, member)
        {
            if (is_long && i == END_ITEMS)
                json_array_append_new(out, json_sprintf("%zu more", count - 2 * END_ITEMS));
            if (!is_long || i < END_ITEMS || i >= count - END_ITEMS)
                json_array_append_new(out, shortened(member));
        }
        return out;
    }
    if (json_is_object(value)) {
        json_t *out = json_object();
        json_object_foreach((json_t *)(uintptr_t)value, key, member)
        {
            bool skipped = false;
            for (size_t m = 0; m < sizeof measured / sizeof *measured; m++)
                skipped = skipped || (json_is_number(member) && strcmp(key, measured[m]) == 0);
            json_object_set_new(out, key, skipped ? json_string("*") : shortened(member));
        }
        return out;
    }
    return json_deep_copy(value);
}

static void write_json(const char *text, FILE *to)
{
    const char *key;
    json_t *member, *whole = json_loads(text, 0, NULL);
    assert_non_null(whole);
    json_t *brief = shortened(whole);
    json_object_foreach(brief, key, member)
    {
        char *line = json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        fprintf(to, "> %s: %s\n", key, line);
        free(line);
    }
    json_decref(brief);
    json_decref(whole);
}

/* Lines of text; "in 1.2 s" and ", 31 ms" are how long something took, "12 kB" how well it was
   compressed. */
static void write_text(const char *text, char mark, FILE *to)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        fprintf(to, length ? "%c " : "%c", mark);
        for (size_t i = 0; i < length;) {
            size_t digits = strspn(at + i, "0123456789.");
            size_t before = i;
            while (before > 0 && at[before - 1] == ' ') before--;
            bool took = before >= 7 && strncmp(at + before - 7, "seconds", 7) == 0;
            bool behind = before < i && ((before >= 2 && strncmp(at + before - 2, "in", 2) == 0) ||
                                         (before >= 1 && at[before - 1] == ','));
            const char *unit = at + i + digits;
            bool time = strncmp(unit, " ms", 3) == 0 ||
                        (strncmp(unit, " s", 2) == 0 && !isalpha((unsigned char)unit[2]));
            bool size = strncmp(unit, " bytes", 6) == 0 || strncmp(unit, " kB", 3) == 0 ||
                        strncmp(unit, " MB", 3) == 0;
            if (digits && behind && time) {
                fputs("* s", to); /* a busy machine takes seconds for milliseconds */
                i += digits + (unit[1] == 'm' ? 3 : 2);
                continue;
            }
            if (digits && (took || size))
                fputc('*', to);
            else
                fwrite(at + i, 1, digits ? digits : 1, to);
            i += digits ? digits : 1;
        }
        fputs(at[length] ? "\n" : " (no end of line)\n", to);
        at += length + (at[length] == '\n');
    }
}

/* How many numbers there are in a file, the sum of their sizes, and one in which their order counts
   too. */
static void write_digest(const char *path, FILE *to)
{
    FREED char *bytes = test_file_read(path, NULL);
    double sizes = 0, ordered = 0;
    long count = 0;
    for (char *at = bytes, *end; *at; at = end) {
        bool begins = isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1]));
        double value = begins ? strtod(at, &end) : 0;
        if (begins) {
            sizes += fabs(value);
            ordered += value * (double)(count++ % 97) / 97;
        } else {
            end = at + 1;
        }
    }
    fprintf(to, "@ %s: %ld numbers, sizes %.7g, ordered %.7g\n", path, count, sizes, ordered);
}

static void write_digests(const char *command, FILE *to)
{
    static const char *const made[] = { " -o ", " --sheet ", " --picture ", " --matrix " };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[256] = "";
        const char *option = strstr(command, made[i]);
        if (option) sscanf(option + strlen(made[i]), "%255s", path);
        if (strstr(path, ".bvh") || strstr(path, ".csv") || strstr(path, ".svg"))
            write_digest(path, to);
    }
}

/* A file's commands, run, with what they answer now. The caller frees it. */
static char *answers_of(const char *path)
{
    char *file = test_file_read(path, NULL), *out = NULL;
    size_t size;
    FILE *to = open_memstream(&out, &size);
    for (char *line = file, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        if (line[0] == '#' || line[0] == '\0') fprintf(to, "%s\n", line);
        if (line[0] != '$') continue;
        test_run run = run_well(line + 2);
        fprintf(to, "%s\n", line);
        if (strstr(line, " --json"))
            write_json(run.out.bytes, to);
        else if (run.out.bytes)
            write_text(run.out.bytes, '>', to);
        if (run.err.bytes) write_text(run.err.bytes, '!', to);
        write_digests(line, to);
        test_run_free(&run);
    }
    fclose(to);
    free(file);
    return out;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The same text, but for numbers that differ by less than a thousandth, or in what is below one. */
static bool same_line(const char *a, const char *b)
{
    while (*a && *b) {
        char *a_end = NULL, *b_end = NULL;
        bool numbers =
            (isdigit((unsigned char)*a) || *a == '-') && (isdigit((unsigned char)*b) || *b == '-');
        double x = numbers ? strtod(a, &a_end) : 0, y = numbers ? strtod(b, &b_end) : 0;
        if (numbers && a_end > a && b_end > b) {
            if (fabs(x - y) > 1e-3 * fmax(fabs(x), fabs(y)) + 1e-4) return false;
            a = a_end;
            b = b_end;
        } else if (*a != *b) {
            return false;
        } else {
            a++;
            b++;
        }
    }
    return *a == *b;
}

static void compare(const char *path, char *expected, char *got)
{
    const char *command = "";
    for (int number = 1; *expected || *got; number++) {
        size_t e = strcspn(expected, "\n"), g = strcspn(got, "\n");
        char *e_next = expected + e + (expected[e] == '\n'), *g_next = got + g + (got[g] == '\n');
        expected[e] = got[g] = 0;
        if (expected[0] == '$') command = expected;
        if (!same_line(expected, got)) {
            fail_msg("%s:%d: %s\n  was %s\n  is  %s", path, number, command, expected, got);
        }
        expected = e_next;
        got = g_next;
    }
}

static void check_file(const char *path)
{
    FREED char *got = answers_of(path), *expected = test_file_read(path, NULL);
    if (getenv("MAREY_WRITE_ANSWERS"))
        test_file_write(path, got, strlen(got));
    else
        compare(path, expected, got);
}

static void check_answers(const char *name)
{
    if (TEST_SANITIZED) test_skip("takes minutes with a sanitizer"); /* other tests ask the same */
    char path[1024];
    snprintf(path, sizeof path, MAREY_SOURCE_DIR "/tests/answers/%s.txt", name);
    check_file(path);
}

#define ANSWERS(name)                                                                              \
    TEST_IN(enter, test_leave_place, answers_of_##name)                                            \
    {                                                                                              \
        (void)state;                                                                               \
        check_answers(#name);                                                                      \
    }

ANSWERS(library)
ANSWERS(files)
ANSWERS(find)
ANSWERS(compare)
ANSWERS(make)
ANSWERS(family)
ANSWERS(graph)
ANSWERS(cluster)
ANSWERS(puppet)

/* ---- libraries of earlier schemas ------------------------------------------------------------ */

static int enter_empty(void **state)
{
    return test_enter_copy(state, make_nothing);
}

static int schema_of(const char *path)
{
    enum { VERSION_AT = 60 }; /* in SQLite's header, big-endian */
    FREED char *bytes = test_file_read(path, NULL);
    return (unsigned char)bytes[VERSION_AT + 3];
}

/* What the library kept is written as it was read once, number for number. */
static void check_exported(void)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *wave = test_clip_load(ctx, MAREY_SOURCE_DIR "/examples/wave.bvh");
    OWNED(marey_clip) *out = test_clip_load(ctx, "out/wave.bvh");
    test_same_numbers(wave, out);
    test_folder_remove("out");
}

/* The file of answers asks what only reads: of the library as it was kept, and again once it was
   opened to write, which brings it up to date. */
TEST_IN(enter_empty, test_leave_place,
        a_library_of_any_schema_answers_the_same_before_and_after_it_is_brought_up_to_date)
{
    (void)state;
    for (int schema = 1; schema <= mry_library_schema.step_count; schema++) {
        OWNED(marey_ctx) *ctx = test_ctx();
        marey_library *old = NULL;
        char kept[1024], answers[1024];
        snprintf(kept, sizeof kept, MAREY_TEST_DATA "/libraries/schema-%d.marey", schema);
        snprintf(answers, sizeof answers, MAREY_TEST_DATA "/libraries/schema-%d.txt", schema);
        test_file_copy(kept, "old.marey");
        check_file(answers);
        check_exported();
        test_same_file("old.marey", kept);
        test_ok(marey_library_open(ctx, "old.marey", MAREY_LIBRARY_WRITE, &old, &test_error));
        marey_library_close(old);
        assert_int_equal(schema_of("old.marey"), mry_library_schema.step_count);
        check_file(answers);
        check_exported();
        assert_int_equal(test_folder_count("."), 2); /* with clean.bvh */
    }
}

TEST_GROUP_OF_CASES(test_answers, NULL, NULL)
