/* test_asfamc_sweep.c - the ASF and AMC readers under every accident: cut at every byte, every byte changed,
   every allocation refused, every call of the file system failing, reads that bring a few bytes at a
   time, and the scanner's window ending at every byte. A load may fail; it must then say why, write
   nothing and hold nothing. */
#include "asf_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

/* ---- sweeps ----------------------------------------------------------------------------------- */

static const char motion[] = "#!OML:ASF X:\\f\xfcr Bonn\n:FULLY-SPECIFIED\r\n:DEGREES\r\n7\n"
                             "root 1 -2.5 3 4e1 5 6\r\nhip 7 8\r\n9\nhip .5 1,5\nfoot\n"
                             "root 1 2 3 4 5 6\n10\nroot 1 2 3 4 5 6\nhip 17 -8.25";

static void try_bytes(bench *b, const char *ending, const char *bytes, size_t count)
{
    marey_clip *clip = load_bytes(b, ending, bytes, count, &test_error);
    marey_clip_free(clip);
    assert_int_equal(b->memory.live, b->idle);
}

/* The bytes are copied to their exact size, so that a sanitizer sees a read past the end. */
static void cut_everywhere(bench *b, const char *ending, const char *text)
{
    for (size_t count = 0; count <= strlen(text); count++) {
        FREED char *cut = malloc(count + (count == 0));
        memcpy(cut, text, count);
        try_bytes(b, ending, cut, count);
    }
}

static void change_everywhere(bench *b, const char *ending, const char *text)
{
    static const char changes[] = { 0, (char)0xff, '0', '-', ':', '#', '\n', ' ', '(' };
    size_t count = strlen(text);
    FREED char *copy = malloc(count);
    memcpy(copy, text, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < sizeof changes; c++) {
            copy[i] = changes[c];
            try_bytes(b, ending, copy, count);
        }
        for (int bit = 0; bit < 8; bit++) {
            copy[i] = (char)(text[i] ^ 1 << bit);
            try_bytes(b, ending, copy, count);
        }
        copy[i] = text[i];
    }
}

TEST(a_file_cut_anywhere_loads_or_says_why_not)
{
    OWNED(bench) b;
    bench_open(&b);
    cut_everywhere(&b, ".asf", GOOD);
    cut_everywhere(&b, ".amc", motion);
    assert_true(b.loaded > 0 && b.refused > 0);
}

TEST(a_file_with_any_byte_changed_loads_or_says_why_not)
{
    OWNED(bench) b;
    bench_open(&b);
    change_everywhere(&b, ".asf", GOOD);
    change_everywhere(&b, ".amc", motion);
    assert_true(b.loaded > 0 && b.refused > 0);
}

/* ---- refused memory --------------------------------------------------------------------------- */

/* Loads and saves with one refusal; true if nothing was refused any more. */
static bool survives_refusal(const char *in, const char *out, test_memory memory)
{
    marey_ctx_def def = { .resize = test_memory_resize, .resize_user = &memory, .threads = 1 };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL, *part = NULL, *other = NULL;
    marey_error error = { 0 };
    marey_status status = marey_ctx_open(&def, &ctx);
    if (!status) {
        status = marey_clip_load(ctx, in, NULL, &clip, &error);
        if (!status) status = marey_clip_trim(clip, 0, 1, &part, &error);
        if (!status) status = marey_clip_scale(clip, 2, &other, &error);
        if (!status) status = marey_clip_save(part, out, &error);
        if (status) assert_true(error.message[0] != 0);
        marey_clip_free(other);
        marey_clip_free(part);
        marey_clip_free(clip);
    }
    marey_ctx_close(ctx);
    assert_int_equal(memory.live, 0);
    bool refused = memory.calls > memory.refuse;
    assert_int_equal(status, refused ? MAREY_ERR_MEMORY : MAREY_OK);
    return !refused;
}

TEST(every_refused_allocation_is_reported_and_leaves_no_file)
{
    OWNED(bench) b;
    char out[600];
    bench_open(&b);
    snprintf(out, sizeof out, "%s/out.bvh", b.folder);
    test_file_write(b.amc, motion, strlen(motion));
    for (int i = 0; i < 4; i++) {
        test_memory memory = { .from_then_on = i & 1 };
        while (!survives_refusal(i & 2 ? b.asf : b.amc, out, memory)) {
            memory.refuse++;
            assert_int_equal(test_folder_count(b.folder), 2);
            assert_true(memory.refuse < 10000);
        }
        assert_true(memory.refuse > 8);
        assert_int_equal(test_folder_count(b.folder), 3);
        remove(out);
    }
}

/* ---- failing and stuttering files ------------------------------------------------------------- */

static marey_clip *load_with(test_files *files, marey_ctx *ctx, const char *path)
{
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    marey_status status = marey_clip_load(ctx, path, NULL, &clip, &error);
    bool failed = files->fail >= 0 && files->calls > files->fail;
    if (status != (failed ? MAREY_ERR_IO : MAREY_OK)) fail_msg("%s", error.message);
    assert_int_equal(clip != NULL, !failed);
    assert_int_equal(error.message[0] != 0, failed);
    assert_int_equal(files->open_handles, 0);
    return clip;
}

TEST(every_failing_call_is_reported)
{
    OWNED(bench) b;
    OWNED(marey_ctx) *ctx = NULL;
    test_files files = { .kinds = TEST_IO_OPEN | TEST_IO_READ | TEST_IO_LIST, .most_at_once = 100 };
    marey_ctx_def def = { .threads = 1, .io = test_files_io(&files) };
    test_ok(marey_ctx_open(&def, &ctx));
    bench_open(&b);
    test_file_write(b.amc, motion, strlen(motion));
    for (marey_clip *clip = NULL; !clip; files.fail++) {
        files.calls = 0;
        clip = load_with(&files, ctx, b.amc);
        if (!clip) continue;
        marey_clip_free(clip);
        break;
    }
    assert_true(files.fail > 10);
}

TEST(reads_of_a_few_bytes_give_the_same_clip)
{
    OWNED(bench) b;
    OWNED(marey_ctx) *ctx = NULL;
    test_files files = { .fail = -1 };
    marey_ctx_def def = { .threads = 1, .io = test_files_io(&files) };
    test_ok(marey_ctx_open(&def, &ctx));
    bench_open(&b);
    test_file_write(b.amc, motion, strlen(motion));
    OWNED(marey_clip) *whole = load_with(&files, ctx, b.amc);
    for (files.most_at_once = 1; files.most_at_once < 8; files.most_at_once++) {
        OWNED(marey_clip) *clip = load_with(&files, ctx, b.amc);
        test_same_numbers(whole, clip);
    }
}

/* Blank lines in front move every byte of the text once onto the end of the window. */
static void check_windows(bench *b, const char *path, const char *text)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    size_t count = strlen(text);
    FREED char *padded = malloc(MRY_SCAN_WINDOW + count + 1);
    test_file_write(path, text, count);
    OWNED(marey_clip) *plain = test_clip_load(ctx, b->amc);
    for (size_t inside = 0; inside <= count; inside++) {
        size_t blanks = MRY_SCAN_WINDOW - inside;
        memset(padded, ' ', blanks);
        memset(padded + blanks - 2, '\n', 2);
        memcpy(padded + blanks, text, count);
        test_file_write(path, padded, blanks + count);
        OWNED(marey_clip) *clip = test_clip_load(ctx, b->amc);
        test_same_numbers(plain, clip);
    }
    test_file_write(path, text, count);
}

TEST(the_window_may_end_at_any_byte)
{
    OWNED(bench) b;
    bench_open(&b);
    check_windows(&b, b.amc, motion);
    check_windows(&b, b.asf, GOOD);
}

TEST_GROUP_OF_CASES(test_asfamc_sweep, NULL, NULL)
