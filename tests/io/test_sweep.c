/* test_sweep.c - the readers of BVH, ASF and AMC under every accident: cut at every byte, every
   byte changed, every allocation refused, every call of the file system failing, reads that bring a
   few bytes at a time, and the scanner's window ending at every byte. A load may fail; it must then
   say why, write nothing and hold nothing. */
#include "reader_bench.h"

#include <marey/io.h>

#include <errno.h>
#include <stdlib.h>

#include "base/scan.h"

/* Most of what a file may do and still be read, in as few bytes as possible. */
#define MARK "\xef\xbb\xbf"
static const char dialect[] =
    MARK "hierarchy\r\nRoot my rig: Hips {\r\n\tOffset 1 2 3\r\n"
         "\tCHANNELS 6 Zrotation Xrotation Yrotation Xposition Yposition Zposition\n\n"
         "JOINT Knee\r{\rOFFSET 0 -4e1 0\rCHANNELS 4 Xscale Yposition Zrotation Xrotation\r"
         "End Name\n{\nOFFSET 0 -.5 +0\n}\n}\njoint Knee\n{\nOFFSET 0,5 0 0\n}\n}\n"
         "Motion\nFrames:3\nFrame Time : .05\n"
         "1 2 3 4 5 6\n1 -7 8 9\n\n1,5 2 3 4 5 6 1 -7 8 9\n-1e-3 2 3 4 5 6 1 -7 8 9.25";
static const char motion[] = "#!OML:ASF X:\\f\xfcr Bonn\n:FULLY-SPECIFIED\r\n:DEGREES\r\n7\n"
                             "root 1 -2.5 3 4e1 5 6\r\nhip 7 8\r\n9\nhip .5 1,5\nfoot\n"
                             "root 1 2 3 4 5 6\n10\nroot 1 2 3 4 5 6\nhip 17 -8.25";
static const char person[] = ""; /* stands for the small person's three frames */

static const struct {
    const char *ending, *text;
} texts[] = { { ".bvh", dialect }, { ".bvh", person }, { ".asf", GOOD }, { ".amc", motion } };
enum { TEXTS = sizeof texts / sizeof *texts };

/* A copy of text number `i`; free() it. */
static char *text_of(int i)
{
    return *texts[i].text ? strdup(texts[i].text) : test_person(3);
}

/* A sanitized build tries every fifth byte, if not all are asked for. */
static size_t byte_step(void)
{
    return TEST_SANITIZED && !test_is_long() ? 5 : 1;
}

#define CASE(name) TEST_OF_IN(reader_bench_make_asf, reader_bench_free, reader_bench *b, name)

static void try_load(reader_bench *b, const char *ending, const char *bytes, size_t count)
{
    marey_clip_free(reader_load(b, ending, bytes, count, 0));
    assert_int_equal(b->memory.live, b->idle);
}

CASE(a_file_cut_anywhere_loads_or_says_why_not)
{
    for (int i = 0; i < TEXTS; i++) {
        FREED char *text = text_of(i);
        b->loaded = b->refused = 0;
        for (size_t count = 0; count <= strlen(text); count++)
            try_load(b, texts[i].ending, text, count);
        assert_true(b->loaded > 0 && b->refused > 0);
    }
}

CASE(a_file_with_any_byte_changed_loads_or_says_why_not)
{
    static const char changes[] = { 0, (char)0xff, '0', '-', '{', '}', ':', '#', '\n', ' ', '(' };
    for (int i = 0; i < TEXTS; i++) {
        FREED char *text = text_of(i);
        size_t count = strlen(text);
        b->loaded = b->refused = 0;
        for (size_t at = 0; at < count; at += byte_step()) {
            char was = text[at];
            for (size_t c = 0; c < sizeof changes; c++) {
                text[at] = changes[c];
                try_load(b, texts[i].ending, text, count);
            }
            for (int bit = 0; bit < 8 && texts[i].text != person; bit++) {
                text[at] = (char)(was ^ 1 << bit);
                try_load(b, texts[i].ending, text, count);
            }
            text[at] = was;
        }
        assert_true(b->loaded > 0 && b->refused > 0);
    }
}

/* ---- refused memory -------------------------------------------------------------------------- */

/* Loads from a file, or BVH from memory, edits and saves. */
static marey_status use_clip(marey_ctx *ctx, reader_bench *b, const char *path, const char *text)
{
    OWNED(marey_clip) *clip = NULL, *part = NULL, *larger = NULL;
    char out[300];
    snprintf(out, sizeof out, "%s/out.bvh", b->folder);
    test_error = (marey_error){ 0 };
    marey_status status =
        strcmp(path, b->bvh) == 0
            ? marey_clip_load_bytes(ctx, path, text, strlen(text), NULL, &clip, &test_error)
            : marey_clip_load(ctx, path, NULL, &clip, &test_error);
    if (!status) status = marey_clip_trim(clip, 0, 1, &part, &test_error);
    if (!status) status = marey_clip_scale(clip, 2, &larger, &test_error);
    if (!status) status = marey_clip_save(part, out, &test_error);
    if (status) assert_true(test_error.message[0] != 0);
    return status;
}

CASE(every_refused_allocation_is_reported_and_leaves_no_file)
{
    for (int i = 0; i < 2 * TEXTS; i++) {
        FREED char *text = text_of(i / 2);
        char path[300];
        OWNED(test_memory) memory = { 0 };
        marey_status status = MAREY_OK;
        snprintf(path, sizeof path, "%s/a%s", b->folder, texts[i / 2].ending);
        test_text_write(path, text);
        int files = test_folder_count(b->folder);
        for (test_refusals sweep = { .memory = &memory,
                                     .each = !TEST_SANITIZED,
                                     .then_all = i % 2 };
             test_refuse(&sweep, status);) {
            OWNED(marey_ctx) *ctx = NULL;
            assert_int_equal(test_folder_count(b->folder), files);
            status = test_ctx_try(&memory, &ctx);
            if (!status) status = use_clip(ctx, b, path, text);
        }
        snprintf(path, sizeof path, "%s/out.bvh", b->folder);
        assert_int_equal(remove(path), 0);
    }
}

/* ---- failing and stuttering files ------------------------------------------------------------ */

/* A context whose files are these. */
static marey_ctx *ctx_of(test_files *files)
{
    marey_ctx *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 1, .io = test_files_io(files) }, &ctx));
    return ctx;
}

/* Fails each call in turn, until the load succeeds. */
CASE(every_failing_read_is_reported)
{
    const char *const paths[] = { b->bvh, b->amc };
    FREED char *bvh = test_person(3);
    test_text_write(b->bvh, bvh);
    test_text_write(b->amc, motion);
    for (int i = 0; i < 2; i++) {
        test_files files = { .kinds = TEST_IO_OPEN | TEST_IO_READ | TEST_IO_LIST,
                             .most_at_once = 1000 };
        OWNED(marey_ctx) *ctx = ctx_of(&files);
        if (i) files.most_at_once = 100;
        for (;; files.fail++) {
            OWNED(marey_clip) *clip = NULL;
            marey_error error = { 0 };
            files.calls = 0;
            marey_status status = marey_clip_load(ctx, paths[i], NULL, &clip, &error);
            bool failed = files.calls > files.fail;
            assert_int_equal(status, failed ? MAREY_ERR_IO : MAREY_OK);
            assert_int_equal(files.open_handles, 0);
            assert_int_equal(clip != NULL, !failed);
            assert_int_equal(error.message[0] != 0, failed);
            if (!failed) break;
        }
        assert_true(files.fail > (i ? 10 : 4));
    }
}

/* An older file of that name stays as it was. */
CASE(every_failing_call_of_a_save_leaves_the_old_file)
{
    test_files files = { .kinds = TEST_IO_ALL, .most_at_once = 4000 };
    OWNED(marey_ctx) *ctx = ctx_of(&files);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 40);
    test_text_write(b->bvh, "old");
    for (;; files.fail++) {
        files.calls = 0;
        marey_status status = marey_clip_save(clip, b->bvh, NULL);
        assert_int_equal(files.open_handles, 0);
        assert_int_equal(test_folder_count(b->folder), 2);
        if (files.calls <= files.fail) {
            test_ok(status);
            break;
        }
        FREED char *old = test_file_read(b->bvh, NULL);
        assert_int_equal(status, MAREY_ERR_IO);
        assert_string_equal(old, "old");
    }
    OWNED(marey_clip) *again = test_clip_load(b->ctx, b->bvh);
    test_same_numbers(clip, again);
}

static int64_t size_unknown(void *user, int handle)
{
    (void)user;
    (void)handle;
    return -ENOTSUP;
}

/* From a file or, without a size, as from a pipe. */
CASE(an_interrupted_read_is_read_again)
{
    test_text_write(b->bvh, dialect);
    for (int pipe = 0; pipe < 2; pipe++) {
        test_files files = { .kinds = TEST_IO_READ, .with_errno = EINTR, .most_at_once = 100 };
        OWNED(marey_ctx) *ctx = ctx_of(&files);
        if (pipe) files.io.size = size_unknown;
        for (bool interrupted = true; interrupted; files.fail++) {
            OWNED(marey_clip) *clip = NULL;
            files.calls = 0;
            test_ok(marey_clip_load(ctx, b->bvh, NULL, &clip, &test_error));
            interrupted = files.calls > files.fail;
        }
        assert_true(files.fail > 3);
    }
}

CASE(what_cannot_be_held_or_is_no_text_ends_the_reading_of_a_pipe)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    test_files files = { .fail = -1 };
    marey_ctx_def def = { .threads = 1,
                          .io = test_files_io(&files),
                          .resize = test_memory_resize,
                          .resize_user = &memory };
    FREED char *large = test_person(800);
    OWNED(marey_ctx) *ctx = NULL;
    marey_status status = MAREY_OK;
    files.io.size = size_unknown;
    test_ok(marey_ctx_open(&def, &ctx));
    test_text_write(b->bvh, large);
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_clip) *clip = NULL;
        status = marey_clip_load(ctx, b->bvh, NULL, &clip, &test_error);
        assert_int_equal(files.open_handles, 0);
    }
    size_t length = strlen(large);
    large[100] = 0; /* behind which nothing is read */
    test_file_write(b->bvh, large, length);
    OWNED(marey_clip) *none = NULL;
    test_files_io(&files);
    files.io.size = size_unknown;
    files.kinds = TEST_IO_READ;
    files.calls = 0;
    assert_int_equal(marey_clip_load(ctx, b->bvh, NULL, &none, &test_error), MAREY_ERR_INPUT);
    assert_int_equal(files.calls, 1);
}

static int64_t size_of_10(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 10;
}

static int64_t size_of_a_million(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 1000000;
}

/* Which is a file that grew, or was cut, since it was opened. */
CASE(a_file_of_another_size_than_was_said_is_read_or_says_so)
{
    enum { FRAMES = 10000, LINES = MRY_SCAN_WINDOW };
    FREED char *turns = NULL, *frames = NULL;
    size_t count;
    FILE *out = open_memstream(&turns, &count);
    fprintf(out,
            "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: %d\n"
            "Frame Time: .05\n",
            LINES);
    for (int f = 0; f < LINES; f++) fputs("1\n", out);
    fclose(out);
    out = open_memstream(&frames, &count);
    for (int f = 1; f <= FRAMES; f++) fprintf(out, "%d\nroot 1 2 3 4 5 6\nhip 7 8\n", f);
    fclose(out);
    assert_true(count > MRY_SCAN_WINDOW);
    for (int i = 0; i < 2; i++) {
        const char *path = i ? b->amc : b->bvh;
        test_files files = { .fail = -1 };
        OWNED(marey_ctx) *ctx = ctx_of(&files);
        OWNED(marey_clip) *grown = NULL, *cut = NULL;
        marey_load_def def = { .skeleton_path = i ? b->asf : NULL };
        test_text_write(path, i ? frames : turns);
        files.io.size = size_of_a_million;
        test_ok(marey_clip_load(ctx, path, &def, &cut, &test_error));
        assert_int_equal(marey_clip_frames(cut), i ? FRAMES : LINES);
        files.io.size = size_of_10;
        test_refused(marey_clip_load(ctx, path, &def, &grown, &test_error), MAREY_ERR_IO,
                     "the file grew while it was read");
    }
    /* What is read as a whole is as long as it turned out to be. */
    static const char scene[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"skins\":[{"
                                "\"joints\":[0]}]}";
    test_files files = { .fail = -1 };
    OWNED(marey_ctx) *ctx = ctx_of(&files);
    OWNED(marey_clip) *still = NULL;
    const char *path = reader_path(b, "a.gltf");
    test_text_write(path, scene);
    files.io.size = size_of_a_million;
    test_ok(marey_clip_load(ctx, path, NULL, &still, &test_error));
}

typedef struct clock {
    long late_at, looks; /* at it so far */
} clock;

static int64_t look_at_clock(void *user)
{
    clock *of = user;
    return of->looks++ < of->late_at ? 0 : INT64_MAX / 2;
}

/* The time is over at one look after the other, of files that are long enough for several. */
CASE(reading_ends_at_any_look_at_the_clock)
{
    FREED char *large = test_person(1100), *frames = NULL, *rows = NULL;
    size_t count;
    FILE *out = open_memstream(&frames, &count);
    for (int f = 1; f <= 1100; f++) fprintf(out, "%d\nroot 1 2 3 4 5 6\nhip 7 8\n", f);
    fclose(out);
    out = open_memstream(&rows, &count);
    fputs("PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tNumFrames\tNumMarkers\tUnits\n60\t4200\t1\t"
          "mm\nFrame#\tTime\tA\n\t\tX1\tY1\tZ1\n\n",
          out);
    for (int f = 1; f <= 4200; f++) fprintf(out, "%d\t0\t1\t2\t3\n", f);
    fclose(out);
    const char *const contents[] = { large, frames, rows }, *endings[] = { "bvh", "amc", "trc" };
    for (int i = 0; i < 3; i++) {
        char path[400];
        clock of = { 0 };
        marey_status status = MAREY_ERR_CANCELLED;
        marey_ctx_def def = { .threads = 1, .clock_ns = look_at_clock, .clock_user = &of };
        OWNED(marey_ctx) *ctx = NULL;
        test_ok(marey_ctx_open(&def, &ctx));
        snprintf(path, sizeof path, "%s/long.%s", b->folder, endings[i]);
        test_text_write(path, contents[i]);
        for (long late = 1; status; late = test_next(late)) {
            OWNED(marey_clip) *clip = NULL;
            marey_points *points = NULL;
            of = (clock){ .late_at = late };
            marey_ctx_limit_time(ctx, 1);
            test_error = (marey_error){ 0 };
            status = i < 2
                         ? marey_clip_load(ctx, path,
                                           &(marey_load_def){ .skeleton_path = i ? b->asf : NULL },
                                           &clip, &test_error)
                         : marey_points_load(ctx, path, &points, &test_error);
            assert_int_equal(status, of.looks > late ? MAREY_ERR_CANCELLED : MAREY_OK);
            assert_int_equal(test_error.status, status);
            marey_points_free(points);
        }
        assert_true(of.looks > 3);
    }
}

/* The larger one is longer than the scanner's window, so that the end is not in sight when memory
   is taken. Without a size as from a pipe. */
CASE(reads_of_a_few_bytes_or_without_a_size_give_the_same_clip)
{
    FREED char *large = test_person(800);
    const char *const contents[] = { dialect, large, motion };
    assert_true(strlen(large) > MRY_SCAN_WINDOW);
    for (int t = 0; t < 3; t++) {
        const char *path = t == 2 ? b->amc : b->bvh;
        test_files files = { .fail = -1 };
        OWNED(marey_ctx) *ctx = ctx_of(&files);
        test_text_write(path, contents[t]);
        OWNED(marey_clip) *whole = test_clip_load(ctx, path);
        for (size_t most = 1; most <= 7; most += t == 1 ? 3 : 1) {
            files.most_at_once = most;
            OWNED(marey_clip) *clip = test_clip_load(ctx, path);
            test_same_numbers(whole, clip);
        }
        files.most_at_once = 0;
        files.io.size = size_unknown;
        OWNED(marey_clip) *clip = test_clip_load(ctx, path);
        test_same_numbers(whole, clip);
        assert_int_equal(files.open_handles, 0);
    }
}

/* Blank lines in front move every byte of the text once onto the end of the window. */
CASE(the_window_may_end_at_any_byte)
{
    struct {
        const char *path, *loaded, *text;
    } rows[] = { { b->bvh, b->bvh, dialect + strlen(MARK) }, /* the mark must come first */
                 { b->amc, b->amc, motion },
                 { b->asf, b->amc, GOOD } };
    for (int i = 0; i < 3; i++) {
        size_t count = strlen(rows[i].text);
        FREED char *padded = malloc(MRY_SCAN_WINDOW + count + 1);
        test_text_write(rows[i].path, rows[i].text);
        OWNED(marey_clip) *plain = test_clip_load(b->ctx, rows[i].loaded);
        for (size_t inside = 0; inside <= count; inside += byte_step()) {
            size_t blanks = MRY_SCAN_WINDOW - inside;
            memset(padded, ' ', blanks);
            memset(padded + blanks - 2, '\n', 2);
            memcpy(padded + blanks, rows[i].text, count);
            test_file_write(rows[i].path, padded, blanks + count);
            OWNED(marey_clip) *clip = test_clip_load(b->ctx, rows[i].loaded);
            test_same_numbers(plain, clip);
        }
    }
}

TEST_GROUP_OF_CASES(test_sweep, NULL, NULL)
