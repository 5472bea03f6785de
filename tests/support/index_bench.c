/* index_bench.c - small libraries to be indexed. */
#include "index_bench.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fine(marey_status status, const marey_error *error)
{
    if (status) fail_msg("%s: %s", error->path, error->message);
}

int test_index_make(void **state)
{
    test_index *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    test_index_open(f, MAREY_LIBRARY_CREATE);
    *state = f;
    return 0;
}

int test_index_free(void **state)
{
    test_index *f = *state;
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

void test_index_open(test_index *f, marey_library_mode mode)
{
    fine(marey_library_open(f->ctx, f->path, mode, &f->library, &test_error), &test_error);
}

void test_index_reopen(test_index *f, int threads)
{
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &f->ctx));
    test_index_open(f, MAREY_LIBRARY_WRITE);
}

void test_index_put_clip(test_index *f, marey_clip *clip, const char *name)
{
    clip->source.channels = NULL; /* the tests' clips are changed in their tracks */
    fine(marey_library_put(f->library, clip, name, NULL, NULL, 0, &test_error), &test_error);
    marey_clip_free(clip);
}

/* Everybody goes at another pace, and a little round. */
static void vary(marey_clip *clip, int number)
{
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        double *place = mry_place(clip, f);
        place[0] += number * 0.002 * f * f;
        place[1] += 4 * sin(0.03 * (number + 2) * f);
        place[2] *= 0.8 + 0.1 * number;
    }
}

void test_index_put(test_index *f, int number)
{
    static const int frames[TEST_INDEX_CLIPS] = { 90, 50, 70, 64, 80 };
    char name[16], *text = test_person(frames[number]);
    marey_clip *clip = number == 3 ? test_mover(f->ctx, frames[3], 5) : test_clip(f->ctx, text);
    free(text);
    if (number != 3) vary(clip, number);
    snprintf(name, sizeof name, "clip%d", number);
    test_index_put_clip(f, clip, name);
}

void test_index_put_all(test_index *f)
{
    for (int i = 0; i < TEST_INDEX_CLIPS; i++) test_index_put(f, i);
}

marey_index_report test_index_run(test_index *f, const marey_index_def *def,
                                  const mry_index_tuning *tuning)
{
    marey_index_report report = { 0 };
    fine(mry_library_index(f->library, def, tuning, &report, &test_error), &test_error);
    return report;
}

marey_index_state test_index_state(test_index *f)
{
    marey_index_state state = { 0 };
    fine(marey_library_index_state(f->library, &state, &test_error), &test_error);
    return state;
}

/* ---- webs as text ----------------------------------------------------------------------------- */

static void put_row(FILE *to, mry_query *row)
{
    size_t count;
    fprintf(to, "%s ", mry_column_text(row, 0));
    fprintf(to, "%s", mry_column_text(row, 1));
    for (int i = 2; i < 7; i++) fprintf(to, " %lld", (long long)mry_column_integer(row, i));
    const uint8_t *bytes = mry_column_bytes(row, 7, &count);
    fprintf(to, ": ");
    for (size_t i = 0; i < count; i++) fprintf(to, "%02x", bytes[i]);
    fprintf(to, "\n");
}

char *test_index_webs(test_index *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    mry_query row =
        mry_query_start(f->library->store,
                        "SELECT r.name, c.name, rows, cols, chains, bridges, size, bytes FROM web"
                        " JOIN clip AS r ON r.id = CASE turned WHEN 1 THEN b ELSE a END"
                        " JOIN clip AS c ON c.id = CASE turned WHEN 1 THEN a ELSE b END"
                        " LEFT JOIN web_bytes ON web = web.id ORDER BY r.name, c.name");
    while (mry_query_next(&row)) put_row(to, &row);
    fine(mry_query_end(&row, &test_error), &test_error);
    fclose(to);
    return text;
}

static void note(void *user, const char *problem)
{
    char *said = user;
    size_t used = strlen(said);
    snprintf(said + used, 4096 - used, "%s\n", problem);
}

int test_index_verify(test_index *f, char said[4096])
{
    int64_t problems = -1;
    said[0] = 0;
    fine(marey_library_verify(f->ctx, f->path, note, said, &problems, &test_error), &test_error);
    return (int)problems;
}
