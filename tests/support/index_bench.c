/* index_bench.c - small libraries to be indexed. */
#include "index_bench.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>

void test_index_reopen(test_library *f, int threads)
{
    test_library_close(f);
    test_ctx_close(f->ctx);
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &f->ctx));
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

void test_index_put_clip(test_library *f, marey_clip *clip, const char *name)
{
    clip->source.channels = NULL; /* the tests' clips are changed in their tracks */
    test_ok(marey_library_put(f->library, clip, name, NULL, NULL, 0, &test_error));
    marey_clip_free(clip);
}

void test_index_put(test_library *f, int number)
{
    static const int frames[TEST_INDEX_CLIPS] = { 90, 50, 70, 64, 80 };
    char name[16];
    snprintf(name, sizeof name, "clip%d", number);
    if (number == 3) {
        test_index_put_clip(f, test_mover(f->ctx, frames[3], 5), name);
        return;
    }
    marey_clip *clip = test_person_clip(f->ctx, frames[number]);
    for (int i = 0; i < frames[number]; i++) { /* each at another pace, and a little round */
        double *place = mry_place(clip, i);
        place[0] += number * 0.002 * i * i;
        place[1] += 4 * sin(0.03 * (number + 2) * i);
        place[2] *= 0.8 + 0.1 * number;
    }
    test_index_put_clip(f, clip, name);
}

void test_index_put_all(test_library *f)
{
    for (int i = 0; i < TEST_INDEX_CLIPS; i++) test_index_put(f, i);
}

marey_index_report test_index_run(test_library *f, const marey_index_def *def,
                                  const mry_index_tuning *tuning)
{
    marey_index_report report = { 0 };
    test_ok(mry_library_index(f->library, def, tuning, &report, &test_error));
    return report;
}

marey_index_state test_index_state(test_library *f)
{
    marey_index_state state = { 0 };
    test_ok(marey_library_index_state(f->library, &state, &test_error));
    return state;
}

/* ---- webs as text ---------------------------------------------------------------------------- */

char *test_index_webs(test_library *f)
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
    while (mry_query_next(&row)) {
        size_t count;
        fprintf(to, "%s ", mry_column_text(&row, 0));
        fprintf(to, "%s", mry_column_text(&row, 1));
        for (int i = 2; i < 7; i++) fprintf(to, " %lld", (long long)mry_column_integer(&row, i));
        const uint8_t *bytes = mry_column_bytes(&row, 7, &count);
        fprintf(to, ": ");
        for (size_t i = 0; i < count; i++) fprintf(to, "%02x", bytes[i]);
        fprintf(to, "\n");
    }
    test_ok(mry_query_end(&row, &test_error));
    fclose(to);
    return text;
}
