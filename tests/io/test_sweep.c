/* test_sweep.c - the BVH reader under every accident: cut at every byte, every byte changed, every
   allocation refused, every call of the file system failing, reads that bring a few bytes at a time,
   and the scanner's window ending at every byte. A load may fail; it must then say why, write nothing
   and hold nothing. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

/* Most of what a file may do and still be read, in as few bytes as possible. */
static const char dialect[] =
    "\xef\xbb\xbfhierarchy\r\nRoot my rig: Hips {\r\n\tOffset 1 2 3\r\n"
    "\tCHANNELS 6 Zrotation Xrotation Yrotation Xposition Yposition Zposition\n\n"
    "JOINT Knee\r{\rOFFSET 0 -4e1 0\rCHANNELS 4 Xscale Yposition Zrotation Xrotation\r"
    "End Name\n{\nOFFSET 0 -.5 +0\n}\n}\njoint Knee\n{\nOFFSET 0,5 0 0\n}\n}\n"
    "Motion\nFrames:3\nFrame Time : .05\n"
    "1 2 3 4 5 6\n1 -7 8 9\n\n1,5 2 3 4 5 6 1 -7 8 9\n-1e-3 2 3 4 5 6 1 -7 8 9.25";

/* ---- loads that may fail ---------------------------------------------------------------------- */

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    long idle; /* pieces the context itself holds */
    long loaded, refused;
} bench;

static void bench_open(bench *b)
{
    *b = (bench){ .memory = { .refuse = -1 } };
    b->ctx = test_ctx_refusing(&b->memory);
    b->idle = b->memory.live;
}

static void bench_close(bench *b)
{
    marey_ctx_close(b->ctx);
    assert_int_equal(b->memory.live, 0);
    assert_int_equal(b->memory.held, 0);
}
OWNED_VALUE(bench, bench_close)

static void try_load(bench *b, const char *bytes, size_t count)
{
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_clip_load_bytes(b->ctx, "sweep.bvh", bytes, count, NULL, &clip, &error) == MAREY_OK) {
        assert_non_null(clip);
        assert_true(marey_clip_frames(clip) >= 1);
        marey_clip_free(clip);
        b->loaded++;
    } else {
        assert_null(clip);
        assert_true(error.message[0] != 0);
        b->refused++;
    }
    assert_int_equal(b->memory.live, b->idle);
}

/* The bytes are copied to their exact size, so that a sanitizer sees a read past the end. */
static void cut_everywhere(bench *b, const char *text)
{
    for (size_t count = 0; count <= strlen(text); count++) {
        FREED char *cut = malloc(count + (count == 0));
        memcpy(cut, text, count);
        try_load(b, cut, count);
    }
}

static void change_everywhere(bench *b, const char *text)
{
    static const char changes[] = { 0, (char)0xff, '0', '-', '{', '}', '\n' };
    size_t count = strlen(text);
    FREED char *copy = malloc(count);
    memcpy(copy, text, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < sizeof changes; c++) {
            copy[i] = changes[c];
            try_load(b, copy, count);
        }
        copy[i] = text[i];
    }
}

TEST(a_file_cut_anywhere_loads_or_says_why_not)
{
    FREED char *person = test_person(3);
    OWNED(bench) b;
    bench_open(&b);
    cut_everywhere(&b, person);
    cut_everywhere(&b, dialect);
    assert_true(b.loaded > 0 && b.refused > 0);
}

TEST(a_file_with_any_byte_changed_loads_or_says_why_not)
{
    FREED char *person = test_person(3);
    OWNED(bench) b;
    bench_open(&b);
    change_everywhere(&b, person);
    change_everywhere(&b, dialect);
    assert_true(b.loaded > 0 && b.refused > 0);
}

/* ---- refused memory --------------------------------------------------------------------------- */

/* Loads, and saves if there is a path, with one refusal; true if nothing was refused any more. */
static bool survives_refusal(const char *text, const char *path, test_memory memory)
{
    marey_ctx_def def = { .resize = test_memory_resize, .resize_user = &memory, .threads = 1 };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    marey_status status = marey_ctx_open(&def, &ctx);
    if (status) assert_null(ctx);
    if (!status) {
        status = marey_clip_load_bytes(ctx, "test.bvh", text, strlen(text), NULL, &clip, &error);
        if (status) assert_null(clip);
        if (!status && path) status = marey_clip_save(clip, path, &error);
        if (status) assert_true(error.message[0] != 0);
        marey_clip_free(clip);
    }
    marey_ctx_close(ctx);
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.held, 0);
    bool refused = memory.calls > memory.refuse;
    assert_int_equal(status, refused ? MAREY_ERR_MEMORY : MAREY_OK);
    return !refused;
}

static void refuse_each(const char *text, const char *folder)
{
    char path[600];
    snprintf(path, sizeof path, "%s/out.bvh", folder ? folder : "");
    for (int from_then_on = 0; from_then_on < 2; from_then_on++) {
        test_memory memory = { .from_then_on = from_then_on };
        while (!survives_refusal(text, folder ? path : NULL, memory)) {
            memory.refuse++;
            if (folder) assert_int_equal(test_folder_count(folder), 0);
            assert_true(memory.refuse < 100000);
        }
        if (folder) assert_int_equal(test_folder_count(folder), 1);
        if (folder) remove(path);
        assert_true(memory.refuse > 2);
    }
}

TEST(every_refused_allocation_of_a_load_is_reported)
{
    FREED char *person = test_person(3);
    refuse_each(person, NULL);
    refuse_each(dialect, NULL);
}

TEST(every_refused_allocation_of_load_and_save_leaves_no_file)
{
    char folder[512], *person = test_person(3);
    test_folder_make(folder, sizeof folder);
    refuse_each(person, folder);
    refuse_each(dialect, folder);
    test_folder_remove(folder);
    free(person);
}

/* ---- failing and stuttering files ------------------------------------------------------------- */

typedef struct stage {
    char folder[512], in[600], out[600];
    test_files files;
    marey_ctx *ctx;
} stage;

static void stage_open(stage *s, const char *text)
{
    memset(s, 0, sizeof *s);
    s->files.fail = -1;
    test_folder_make(s->folder, sizeof s->folder);
    snprintf(s->in, sizeof s->in, "%s/in.bvh", s->folder);
    snprintf(s->out, sizeof s->out, "%s/out.bvh", s->folder);
    test_file_write(s->in, text, strlen(text));
    marey_ctx_def def = { .threads = 1, .io = test_files_io(&s->files) };
    test_ok(marey_ctx_open(&def, &s->ctx));
}

static void stage_close(stage *s)
{
    assert_int_equal(s->files.open_handles, 0);
    marey_ctx_close(s->ctx);
    test_folder_remove(s->folder);
}
OWNED_VALUE(stage, stage_close)

static marey_clip *stage_load(stage *s, const char *path)
{
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_clip_load(s->ctx, path, NULL, &clip, &error)) fail_msg("%s", error.message);
    return clip;
}

/* Fails open and then each read, once and for ever, until the load succeeds. */
TEST(every_failing_read_is_reported)
{
    FREED char *person = test_person(3);
    OWNED(stage) s;
    stage_open(&s, person);
    s.files.kinds = TEST_IO_OPEN | TEST_IO_READ;
    s.files.most_at_once = 1000;
    for (s.files.fail = 0;; s.files.fail++) {
        marey_clip *clip = NULL;
        marey_error error = { 0 };
        s.files.calls = 0;
        marey_status status = marey_clip_load(s.ctx, s.in, NULL, &clip, &error);
        bool failed = s.files.calls > s.files.fail;
        assert_int_equal(status, failed ? MAREY_ERR_IO : MAREY_OK);
        assert_int_equal(s.files.open_handles, 0);
        assert_int_equal(clip != NULL, !failed);
        assert_int_equal(error.message[0] != 0, failed);
        marey_clip_free(clip);
        if (!failed) break;
    }
    assert_true(s.files.fail > 4);
}

/* An older file of that name stays as it was. */
TEST(every_failing_call_of_a_save_leaves_the_old_file)
{
    FREED char *person = test_person(40);
    OWNED(stage) s;
    stage_open(&s, person);
    OWNED(marey_clip) *clip = stage_load(&s, s.in);
    test_file_write(s.out, "old", 3);
    s.files.kinds = TEST_IO_ALL;
    s.files.most_at_once = 4000;
    for (s.files.fail = 0;; s.files.fail++) {
        s.files.calls = 0;
        marey_status status = marey_clip_save(clip, s.out, NULL);
        if (s.files.calls <= s.files.fail) {
            test_ok(status);
            break;
        }
        size_t count;
        FREED char *old = test_file_read(s.out, &count);
        assert_int_equal(status, MAREY_ERR_IO);
        assert_int_equal(count, 3);
        assert_int_equal(test_folder_count(s.folder), 2);
        assert_int_equal(s.files.open_handles, 0);
    }
    s.files.kinds = 0;
    OWNED(marey_clip) *again = stage_load(&s, s.out);
    test_same_numbers(clip, again);
}

/* The larger one is longer than the scanner's window. */
TEST(reads_of_a_few_bytes_give_the_same_clip)
{
    FREED char *large = test_person(800);
    const char *const texts[2] = { dialect, large };
    assert_true(strlen(large) > MRY_SCAN_WINDOW);
    for (int t = 0; t < 2; t++) {
        OWNED(stage) s;
        stage_open(&s, texts[t]);
        OWNED(marey_clip) *whole = stage_load(&s, s.in);
        for (size_t most = 1; most <= 7; most += t ? 3 : 1) {
            s.files.most_at_once = most;
            OWNED(marey_clip) *clip = stage_load(&s, s.in);
            test_same_numbers(whole, clip);
        }
    }
}

static int64_t size_unknown(void *user, int handle)
{
    (void)user;
    (void)handle;
    return -ENOTSUP;
}

/* As from a pipe; longer than the window, so that the end is not in sight when memory is taken. */
TEST(a_file_of_unknown_size_gives_the_same_clip)
{
    FREED char *large = test_person(800);
    OWNED(stage) s;
    stage_open(&s, large);
    OWNED(marey_clip) *whole = stage_load(&s, s.in);
    s.files.io.size = size_unknown;
    OWNED(marey_clip) *clip = stage_load(&s, s.in);
    test_same_numbers(whole, clip);
}

/* Blank lines in front move every byte of the text once onto the end of the window. */
TEST(the_window_may_end_at_any_byte)
{
    size_t count = strlen(dialect) - 3; /* without the mark, which must come first */
    FREED char *padded = malloc(MRY_SCAN_WINDOW + count + 1);
    OWNED(stage) s;
    stage_open(&s, dialect);
    OWNED(marey_clip) *plain = stage_load(&s, s.in);
    for (size_t inside = 0; inside <= count; inside++) {
        size_t blanks = MRY_SCAN_WINDOW - inside;
        memset(padded, ' ', blanks);
        memset(padded + blanks - 2, '\n', 2);
        memcpy(padded + blanks, dialect + 3, count);
        test_file_write(s.in, padded, blanks + count);
        OWNED(marey_clip) *clip = stage_load(&s, s.in);
        test_same_numbers(plain, clip);
    }
}

TEST_GROUP_OF_CASES(test_sweep, NULL, NULL)
