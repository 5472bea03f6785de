/* test_base.c - context, memory limit, arenas, errors, files that appear whole or not at all. */
#include "reader_bench.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/number.h"
#include "base/scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(an_error_text_names_file_line_and_column)
{
    char text[64];
    mry_fail_at(&test_error, MAREY_ERR_INPUT, "walk.bvh", 214, 7, "expected a %s", "number");
    marey_error_text(&test_error, text, sizeof text);
    assert_string_equal(text, "walk.bvh:214:7: expected a number");
    mry_fail(&test_error, MAREY_ERR_IO, "walk.bvh", "disk full");
    marey_error_text(&test_error, text, sizeof text);
    assert_string_equal(text, "walk.bvh: disk full");
    mry_fail_memory(&test_error, NULL);
    marey_error_text(&test_error, text, sizeof text);
    assert_string_equal(text, "out of memory");
}

TEST(an_error_text_is_cut_to_its_room)
{
    char text[9] = "????????";
    mry_fail(&test_error, MAREY_ERR_IO, "walk.bvh", "disk full");
    marey_error_text(&test_error, text, sizeof text);
    assert_string_equal(text, "walk.bvh");
}

TEST(every_status_has_its_own_name)
{
    for (int a = MAREY_OK; a <= MAREY_ERR_BUSY; a++) {
        for (int b = MAREY_OK; b < a; b++)
            assert_string_not_equal(marey_status_name(a), marey_status_name(b));
    }
}

TEST(a_quoted_word_keeps_whole_characters_and_no_control_ones)
{
    char out[16];
    mry_quote(out, sizeof out, "a\nb\"c", 5);
    assert_string_equal(out, "a?b?c");
    mry_quote(out, sizeof out, "1234567\xc3\xa4xyz", 12); /* the cut falls into the a-umlaut */
    assert_string_equal(out, "1234567...");
}

TEST(memory_past_the_byte_limit_is_refused_and_the_rest_still_works)
{
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .byte_limit = 1000 }, &ctx));
    void *a = mry_alloc(ctx, 600);
    assert_non_null(a);
    assert_null(mry_alloc(ctx, 401));
    assert_null(mry_resize(ctx, a, 600, 1001));
    assert_int_equal(marey_ctx_bytes(ctx), 600);
    a = mry_resize(ctx, a, 600, 1000);
    assert_non_null(a);
    assert_int_equal(marey_ctx_bytes_peak(ctx), 1000);
    mry_release(ctx, a, 1000);
    assert_int_equal(marey_ctx_bytes(ctx), 0);
}

TEST(a_context_without_memory_is_reported)
{
    test_memory memory = { .refuse = 0 };
    marey_ctx *ctx = (marey_ctx *)&memory;
    marey_ctx_def def = { .resize = test_memory_resize, .resize_user = &memory };
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_ERR_MEMORY);
    assert_ptr_equal(ctx, &memory);
}

TEST_CTX(a_cancel_is_in_force_until_it_is_resumed)
{
    assert_false(marey_ctx_cancelled(ctx));
    marey_ctx_cancel(ctx);
    marey_ctx_cancel(ctx);
    assert_true(marey_ctx_cancelled(ctx));
    marey_ctx_resume(ctx);
    assert_false(marey_ctx_cancelled(ctx));
}

static int64_t clock_of(void *user)
{
    return *(const int64_t *)user;
}

TEST(calls_are_cancelled_once_their_time_is_over)
{
    int64_t now = 5000000000;
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .clock_ns = clock_of, .clock_user = &now }, &ctx));
    assert_false(marey_ctx_cancelled(ctx));
    assert_true(marey_ctx_seconds(ctx) == 0);
    marey_ctx_limit_time(ctx, 2);
    assert_true(marey_ctx_seconds(ctx) == 2);
    now += 1999999999;
    assert_false(marey_ctx_cancelled(ctx) || marey_ctx_timed_out(ctx));
    now += 1;
    assert_true(marey_ctx_cancelled(ctx) && marey_ctx_timed_out(ctx));
    assert_false(mry_progress(ctx, "working", 1, 2));
    marey_ctx_resume(ctx); /* that is for cancels */
    assert_true(marey_ctx_cancelled(ctx));
    marey_ctx_cancel(ctx); /* which come first where both are */
    assert_true(marey_ctx_cancelled(ctx));
    assert_false(marey_ctx_timed_out(ctx));
    marey_ctx_resume(ctx);
    assert_true(marey_ctx_timed_out(ctx));
    marey_ctx_limit_time(ctx, 2); /* from now on */
    assert_false(marey_ctx_cancelled(ctx));
    now += 2000000000;
    assert_true(marey_ctx_cancelled(ctx));
    marey_ctx_limit_time(ctx, 0);
    assert_false(marey_ctx_cancelled(ctx) || marey_ctx_timed_out(ctx));
}

TEST(a_limit_of_time_may_be_anything)
{
    const double none[] = { 0, -1, (double)-INFINITY, (double)NAN },
                 far[] = { 1e300, (double)INFINITY };
    int64_t now = INT64_MAX / 2;
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .clock_ns = clock_of, .clock_user = &now }, &ctx));
    for (int i = 0; i < 4; i++) {
        marey_ctx_limit_time(ctx, none[i]);
        now += 1000;
        assert_false(marey_ctx_cancelled(ctx));
    }
    for (int i = 0; i < 2; i++) {
        marey_ctx_limit_time(ctx, far[i]);
        now += INT64_C(999999999) * 1000000000;
        assert_false(marey_ctx_cancelled(ctx));
        now += 1000000000;
        assert_true(marey_ctx_timed_out(ctx));
        now = INT64_MAX / 2;
    }
    /* A deadline at nought is one all the same. */
    now = -1000000000;
    marey_ctx_limit_time(ctx, 1);
    assert_false(marey_ctx_timed_out(ctx));
    now = 1;
    assert_true(marey_ctx_timed_out(ctx));
}

TEST(what_other_libraries_hold_counts_against_the_byte_limit)
{
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .byte_limit = 1000 }, &ctx));
    assert_true(mry_count_bytes(ctx, 600));
    assert_false(mry_count_bytes(ctx, 401));
    assert_false(mry_count_bytes(ctx, SIZE_MAX));
    assert_null(mry_alloc(ctx, 401));
    assert_int_equal(marey_ctx_bytes(ctx), 600);
    mry_uncount_bytes(ctx, 600);
    assert_int_equal(marey_ctx_bytes(ctx), 0);
    assert_int_equal(marey_ctx_bytes_peak(ctx), 600);
}

TEST_CTX(arena_pieces_are_aligned_apart_and_writable)
{
    mry_arena arena = mry_arena_make(ctx);
    enum { PIECES = 300 };
    unsigned char *piece[PIECES];
    size_t size[PIECES];
    for (int i = 0; i < PIECES; i++) {
        size[i] = (size_t)(i * 37 % 9000);
        piece[i] = mry_arena_zero(&arena, size[i], 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], i & 0xff, size[i]);
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t b = 0; b < size[i]; b++) assert_int_equal(piece[i][b], i & 0xff);
    mry_arena_free(&arena);
    assert_int_equal(marey_ctx_bytes(ctx), 0);
}

TEST_CTX(what_is_read_as_a_whole_has_a_zero_behind_it)
{
    for (int round = 0; round < 3; round++) { /* also where memory was used before */
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_scan scan;
        const uint8_t *bytes;
        size_t count;
        void *used = mry_arena_take(&tmp, 8192, 1);
        memset(used, 0xff, 8192);
        if (round == 2) mry_arena_free(&tmp);
        test_ok(mry_scan_bytes(&scan, &tmp, "a", "abcdef", 6, &test_error));
        scan.p += round;
        test_ok(mry_scan_whole(&scan, &tmp, &bytes, &count));
        assert_int_equal(count, 6 - round);
        assert_string_equal((const char *)bytes, &"abcdef"[round]);
    }
}

TEST_CTX(an_arena_refuses_a_product_that_overflows)
{
    OWNED(mry_arena) arena = mry_arena_make(ctx);
    assert_null(mry_arena_take(&arena, SIZE_MAX / 2, 3));
    assert_null(mry_arena_take(&arena, SIZE_MAX, 1));
    assert_null(mry_arena_take(&arena, SIZE_MAX - 100, 1));
}

/* ---- files ----------------------------------------------------------------------------------- */

static marey_status save_long(marey_ctx *ctx, const char *path, marey_error *error)
{
    size_t count = 3 * MRY_WRITER_ROOM + 17;
    FREED char *bytes = malloc(count);
    memset(bytes, 'n', count);
    return marey_file_save(ctx, path, bytes, count, error);
}

#define FILES(name) TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b, name)

/* Fails call `n` of any kind; says whether there was such a call. */
static bool save_with_fault(const reader_bench *b, long n, bool from_then_on)
{
    test_files files = { .kinds = TEST_IO_ALL, .fail = n, .from_then_on = from_then_on };
    OWNED(marey_ctx) *ctx = NULL;
    marey_error error = { 0 };
    size_t count;
    test_text_write(b->bvh, "old");
    test_ok(marey_ctx_open(&(marey_ctx_def){ .io = test_files_io(&files) }, &ctx));
    marey_status status = save_long(ctx, b->bvh, &error);
    assert_int_equal(files.open_handles, 0);
    assert_int_equal(test_folder_count(b->folder), 1); /* nothing beside the file */
    FREED char *bytes = test_file_read(b->bvh, &count);
    if (status == MAREY_OK) {
        assert_int_equal(count, 3 * MRY_WRITER_ROOM + 17);
    } else {
        assert_int_equal(status, MAREY_ERR_IO);
        assert_string_equal(bytes, "old");
        assert_non_null(strstr(error.message, "cannot"));
        assert_string_equal(error.path, b->bvh);
    }
    return files.calls > n;
}

FILES(a_file_is_old_or_new_whichever_call_fails)
{
    long n = 0;
    while (save_with_fault(b, n, false)) n++;
    assert_in_range(n, 5, 20); /* open, at least one write, sync, close, rename */
    for (n = 0; save_with_fault(b, n, true); n++) {
    }
}

FILES(writes_of_a_few_bytes_at_a_time_are_put_together)
{
    test_files files = { .fail = -1, .most_at_once = 1000 };
    OWNED(marey_ctx) *ctx = NULL;
    size_t count;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .io = test_files_io(&files) }, &ctx));
    test_ok(save_long(ctx, b->bvh, NULL));
    free(test_file_read(b->bvh, &count));
    assert_int_equal(count, 3 * MRY_WRITER_ROOM + 17);
}

/* Writes pieces of 16 KiB for as long as the writer takes them, at most 1000; `cancel_after` pieces
   the work is cancelled. Returns how many it took. */
static int write_on(marey_ctx *ctx, const char *path, uint64_t most, int cancel_after,
                    marey_status *status, marey_error *error)
{
    static const char piece[MRY_WRITER_ROOM / 4];
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_writer out;
    int count = 0;
    test_ok(mry_writer_open(&out, &tmp, path, most, error));
    while (count < 1000 && !mry_writer_failed(&out)) {
        mry_writer_bytes(&out, piece, sizeof piece);
        if (++count == cancel_after) marey_ctx_cancel(ctx);
    }
    *status = mry_writer_commit(&out, error);
    return count;
}

FILES(a_loop_that_writes_is_ended_by_a_limit_a_cancel_and_a_full_disk)
{
    test_files files = { .kinds = TEST_IO_WRITE, .fail = -1, .with_errno = ENOSPC };
    OWNED(marey_ctx) *ctx = NULL;
    marey_error error = { 0 };
    marey_status status;
    marey_ctx_def def = { .io = test_files_io(&files), .threads = 1 };
    test_ok(marey_ctx_open(&def, &ctx));

    int count = write_on(ctx, b->bvh, 1000000, -1, &status, &error);
    assert_int_equal(status, MAREY_ERR_LIMIT);
    assert_string_equal(error.message, "output must be at most 1000000 bytes");
    assert_string_equal(error.path, b->bvh);
    assert_in_range(count, 60, 66); /* 61 pieces fit, and the buffer holds four */

    count = write_on(ctx, b->bvh, UINT64_MAX, 30, &status, &error);
    assert_int_equal(status, MAREY_ERR_CANCELLED);
    assert_in_range(count, 30, 34);
    marey_ctx_resume(ctx);

    files.calls = 0;
    files.fail = 3;
    files.from_then_on = true;
    count = write_on(ctx, b->bvh, UINT64_MAX, -1, &status, &error);
    assert_int_equal(status, MAREY_ERR_IO);
    assert_in_range(count, 13, 20);
    assert_int_equal(files.calls, 4); /* a disk that is full is not asked again */

    assert_int_equal(test_folder_count(b->folder), 0);
    assert_int_equal(files.open_handles, 0);
    files.fail = -1;
    write_on(ctx, b->bvh, 1000 * MRY_WRITER_ROOM / 4, -1, &status, &error);
    test_ok(status); /* the limit itself is allowed */
}

/* The bytes of one array go out in pieces. */
typedef struct cancelling {
    marey_io io;
    marey_ctx *ctx;
    size_t bytes; /* written */
} cancelling;

static int64_t cancel_at_first(void *user, int handle, const void *bytes, size_t count)
{
    cancelling *all = user;
    marey_ctx_cancel(all->ctx);
    all->bytes += count;
    return marey_io_system()->write(NULL, handle, bytes, count);
}

FILES(a_cancel_ends_a_file_of_one_large_array)
{
    cancelling all = { .io = *marey_io_system() };
    all.io.user = &all;
    all.io.write = cancel_at_first;
    marey_ctx_def def = { .io = &all.io, .threads = 1 };
    enum { COUNT = 16 << 20 };
    FREED char *bytes = calloc(COUNT, 1);
    assert_non_null(bytes);
    test_ok(marey_ctx_open(&def, &all.ctx));
    assert_int_equal(marey_file_save(all.ctx, b->bvh, bytes, COUNT, NULL), MAREY_ERR_CANCELLED);
    assert_in_range(all.bytes, 1, COUNT / 8);
    assert_int_equal(test_folder_count(b->folder), 0);
    marey_ctx_close(all.ctx);
}

TEST(a_missing_folder_is_the_callers_mistake_and_a_full_disk_the_machines)
{
    assert_int_equal(mry_fail_errno(&test_error, -ENOENT, "open", "x"), MAREY_ERR_INPUT);
    assert_int_equal(mry_fail_errno(&test_error, -EISDIR, "open", "x"), MAREY_ERR_INPUT);
    assert_int_equal(mry_fail_errno(&test_error, -ENOSPC, "write", "x"), MAREY_ERR_IO);
    assert_non_null(strstr(test_error.message, "No space left"));
    assert_int_equal(mry_fail_errno(NULL, -EIO, "read", "x"), MAREY_ERR_IO);
}

/* ---- JSON that is written again -------------------------------------------------------------- */

TEST(json_is_written_again_without_blanks_or_refused)
{
    static const struct {
        const char *text, *expected; /* NULL: refused */
    } rows[] = {
        { "{}", "{}" },
        { " \t\r\n{ } \n", "{}" },
        { "{\"a\":1}", "{\"a\":1}" },
        { "{ \"a\" : [ 1 , -2.50 , 3e-5 , 0 ] , \"b\" : { \"c\" : null } }",
          "{\"a\":[1,-2.50,3e-5,0],\"b\":{\"c\":null}}" },
        { "{\"a b\":\" \\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00E9 \\ud83d\\ude00 \xf0\x9f\x98\x80 \"}",
          "{\"a b\":\" \\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00E9 \\ud83d\\ude00 \xf0\x9f\x98\x80 \"}" },
        { "{\"a\":true,\"b\":false,\"c\":\"\"}", "{\"a\":true,\"b\":false,\"c\":\"\"}" },
        { "", NULL },
        { " ", NULL },
        { "[]", NULL },
        { "7", NULL },
        { "\"a\"", NULL },
        { "{", NULL },
        { "}", NULL },
        { "{}}", NULL },
        { "{} {}", NULL },
        { "{\"a\"}", NULL },
        { "{\"a\":}", NULL },
        { "{\"a\":1,}", NULL },
        { "{,\"a\":1}", NULL },
        { "{a:1}", NULL },
        { "{'a':1}", NULL },
        { "{\"a\":1 \"b\":2}", NULL },
        { "{\"a\":[1 2]}", NULL },
        { "{\"a\":[1,]}", NULL },
        { "{\"a\":[1}", NULL },
        { "{\"a\":[}", NULL },
        { "{\"a\":tru}", NULL },
        { "{\"a\":nan}", NULL },
        { "{\"a\":Infinity}", NULL },
        { "{\"a\":01}", NULL },
        { "{\"a\":+1}", NULL },
        { "{\"a\":.5}", NULL },
        { "{\"a\":5.}", NULL },
        { "{\"a\":1e}", NULL },
        { "{\"a\":-}", NULL },
        { "{\"a\":0x10}", NULL },
        { "{\"a\":1,5}", NULL },
        { "{\"a\":1e999}", NULL },
        { "{\"a\":1e12345678901}", NULL },
        { "{\"a\":\"b}", NULL },
        { "{\"a\":\"\\", NULL },
        { "{\"a\":\"\\x\"}", NULL },
        { "{\"a\":\"\\u12\"}", NULL },
        { "{\"a\":\"\\u12g4\"}", NULL },
        { "{\"a\":\"\\u0000\"}", NULL },
        { "{\"a\":\"\\ud800\"}", NULL },
        { "{\"a\":\"\\ud800\\u0041\"}", NULL },
        { "{\"a\":\"\\udc00\\ud800\"}", NULL },
        { "{\"a\":\"\n\"}", NULL },
        { "{\"a\":\"\xff\"}", NULL },
        { "{\"a\":\"\xc3\"}", NULL },
        { "{\"a\":\"\xed\xa0\x80\"}", NULL },
        { "{/**/}", NULL },
        { "{\"a\":[1E5,1e+5,1e-5,0.5e0]}", "{\"a\":[1E5,1e+5,1e-5,0.5e0]}" },
        { "{\"a\":\"\\uD83d\\uDe00\\u00E9\"}", "{\"a\":\"\\uD83d\\uDe00\\u00E9\"}" },
        { "{\"a\":\"\\ud7ff\\ue000\\uffff\"}", "{\"a\":\"\\ud7ff\\ue000\\uffff\"}" },
        { "{\"a\":\"\\ud800\\ue000\"}", NULL },
        { "{\"a\":\"\\ud800\\n\"}", NULL },
        { "{\"a\":\"\\ud800u\"}", NULL },
        { "{\"a\":\"\\u12", NULL },
        { "{\"a\":\"\\u12G4\"}", NULL },
        { "{\"a\":\"\\u12@4\"}", NULL },
        /* The first and the last of each length of UTF-8, and what is one off. */
        { "{\"a\":\"\xc2\x80\xdf\xbf\"}", "{\"a\":\"\xc2\x80\xdf\xbf\"}" },
        { "{\"a\":\"\xe0\xa0\x80\xed\x9f\xbf\"}", "{\"a\":\"\xe0\xa0\x80\xed\x9f\xbf\"}" },
        { "{\"a\":\"\xf0\x90\x80\x80\"}", "{\"a\":\"\xf0\x90\x80\x80\"}" },
        { "{\"a\":\"\xf4\x8f\xbf\xbf\"}", "{\"a\":\"\xf4\x8f\xbf\xbf\"}" },
        { "{\"a\":\"\xc1\xbf\"}", NULL },
        { "{\"a\":\"\xe0\x9f\xbf\"}", NULL },
        { "{\"a\":\"\xf0\x8f\xbf\xbf\"}", NULL },
        { "{\"a\":\"\xf4\x90\x80\x80\"}", NULL },
        { "{\"a\":\"\xf5\x80\x80\x80\"}", NULL },
        { "{\"a\":\"\xe2\x82\"}", NULL },
    };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    const char *out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        out = "untouched";
        marey_status status = mry_json_rewrite(&mem, rows[i].text, &out);
        const char *expected = rows[i].expected ? rows[i].expected : "untouched";
        if (status != (rows[i].expected ? MAREY_OK : MAREY_ERR_INPUT) ||
            strcmp(out, expected) != 0) {
            fail_msg("%s: status %d, %s", rows[i].text, (int)status, out);
        }
    }
    /* As deep as is allowed, and one deeper. */
    for (int depth = MRY_JSON_DEPTH; depth < MRY_JSON_DEPTH + 2; depth++) {
        char text[256] = "{\"a\":";
        memset(text + 5, '[', (size_t)depth - 1);
        memset(text + 4 + depth, ']', (size_t)depth - 1);
        text[3 + 2 * depth] = '}';
        assert_int_equal(mry_json_rewrite(&mem, text, &out),
                         depth == MRY_JSON_DEPTH ? MAREY_OK : MAREY_ERR_INPUT);
    }
    /* As many digits as a number may have, and one more. */
    for (int digits = MRY_NUMBER_LONGEST; digits < MRY_NUMBER_LONGEST + 2; digits++) {
        char text[MRY_NUMBER_LONGEST + 16];
        snprintf(text, sizeof text, "{\"a\":0.%0*d}", digits - 2, 7);
        assert_int_equal(mry_json_rewrite(&mem, text, &out),
                         digits == MRY_NUMBER_LONGEST ? MAREY_OK : MAREY_ERR_INPUT);
    }
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *refusing = test_ctx_refusing(&memory);
    OWNED(mry_arena) none = mry_arena_make(refusing);
    memory.refuse = memory.calls;
    assert_int_equal(mry_json_rewrite(&none, "{}", &out), MAREY_ERR_MEMORY);
}

TEST_GROUP_OF_CASES(test_base, NULL, NULL)
