/* reader_bench.c - loading that is watched. */
#include "reader_bench.h"

#include <sys/stat.h>
#include <time.h>

int reader_bench_make(void **state)
{
    reader_bench *b = calloc(1, sizeof *b);
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    b->idle = b->memory.live;
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->asf, sizeof b->asf, "%s/a.asf", b->folder);
    snprintf(b->amc, sizeof b->amc, "%s/a.amc", b->folder);
    snprintf(b->bvh, sizeof b->bvh, "%s/a.bvh", b->folder);
    snprintf(b->glb, sizeof b->glb, "%s/a.glb", b->folder);
    *state = b;
    return 0;
}

int reader_bench_make_asf(void **state)
{
    reader_bench_make(state);
    test_text_write(((reader_bench *)*state)->asf, GOOD);
    return 0;
}

int reader_bench_free(void **state)
{
    FREED reader_bench *b = *state;
    test_ctx_close(b->ctx);
    test_memory_empty(&b->memory);
    test_folder_remove(b->folder);
    return 0;
}

const char *reader_path(const reader_bench *b, const char *name)
{
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", b->folder, name);
    return path;
}

void reader_clear(const reader_bench *b)
{
    test_folder_remove(b->folder);
    assert_int_equal(mkdir(b->folder, 0700), 0);
}

void test_text_write(const char *path, const char *text)
{
    test_file_write(path, text, strlen(text));
}

marey_clip *reader_load(reader_bench *b, const char *ending, const char *bytes, size_t count,
                        double source_fps)
{
    marey_clip *clip = NULL;
    char name[32];
    marey_load_def def = { .source_fps = source_fps, .skeleton_path = b->asf };
    if (strcmp(ending, ".bvh") != 0) def.units = MAREY_UNITS_CM;
    FREED char *exact = malloc(count + (count == 0));
    memcpy(exact, bytes, count);
    snprintf(name, sizeof name, "a%s", ending);
    test_error = (marey_error){ 0 };
    marey_status status =
        marey_clip_load_bytes(b->ctx, name, exact, count, &def, &clip, &test_error);
    assert_int_equal(clip != NULL, status == MAREY_OK);
    if (clip) {
        assert_true(marey_clip_frames(clip) >= 1);
        b->loaded++;
        return clip;
    }
    assert_true(test_error.message[0] != 0);
    assert_int_equal(test_error.status, status);
    assert_int_equal(b->memory.live, b->idle);
    b->refused++;
    return NULL;
}

int reader_check(reader_bench *b, const char *ending, const char *bytes, size_t count,
                 const reader_row *row, int quiet)
{
    char said[2048];
    OWNED(marey_clip) *clip = reader_load(b, ending, bytes, count, 0);
    if (clip) {
        const marey_report *report = marey_clip_report(clip);
        if (row->outcome >= REFUSED) fail_msg("%s %s was accepted", ending, row->what);
        if (row->outcome == ACCEPTED && report->warning_count != quiet)
            fail_msg("%s %s: %d warnings", ending, row->what, report->warning_count);
        if (row->outcome == WARNING && !test_warnings_with(clip, row->text))
            fail_msg("%s %s: no warning \"%s\"", ending, row->what, row->text);
        return marey_clip_frames(clip);
    }
    marey_error_text(&test_error, said, sizeof said);
    if (row->outcome < REFUSED) fail_msg("%s %s: %s", ending, row->what, said);
    assert_int_equal(test_error.status,
                     row->outcome == REFUSED ? MAREY_ERR_INPUT : MAREY_ERR_LIMIT);
    if ((row->line && test_error.line != row->line) ||
        (row->column && test_error.column != row->column) || !strstr(test_error.message, row->text))
        fail_msg("%s %s: %s", ending, row->what, said);
    return 0;
}

marey_status reader_load_large(const char *name, const char *asf, const char *text, size_t count,
                               size_t most, int *frames)
{
    /* Sanitizers make everything slower; the promise is about the program people use. */
    enum { PATIENCE_S = TEST_SANITIZED ? 10 : 1 };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = NULL;
    marey_error error = { 0 };
    marey_load_def def = { .skeleton_path = asf };
    clock_t start = clock();
    marey_status status = marey_clip_load_bytes(ctx, name, text, count, &def, &clip, &error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > PATIENCE_S) fail_msg("took %.2f s", seconds);
    if (marey_ctx_bytes_peak(ctx) > most)
        fail_msg("held %zu bytes for a file of %zu", marey_ctx_bytes_peak(ctx), count);
    assert_int_equal(clip != NULL, status == MAREY_OK);
    assert_int_equal(error.message[0] != 0, status != MAREY_OK);
    if (frames) *frames = clip ? marey_clip_frames(clip) : 0;
    return status;
}
