/* searcher_bench.c - a small library of demo takes with an index. */
#include "searcher_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const marey_query test_kick = { .clip = "kicks", .start = TEST_KICK_START, .end = TEST_KICK_END };

static char base[512], base_path[600];

const char *test_searcher_base(void)
{
    return base_path;
}

static marey_clip *part_of_take(marey_ctx *ctx, const char *name, int start, int end)
{
    marey_demo_take *take = test_demo_take(ctx, name);
    marey_clip *part = NULL;
    test_ok(marey_clip_trim(marey_demo_clip(take), start, end, &part, &test_error));
    marey_demo_free(take);
    return part;
}

void test_searcher_put(marey_library *library, marey_clip *clip, const char *name,
                       const char *label)
{
    marey_put_def def = { .labels = &label, .label_count = label ? 1 : 0 };
    test_ok(marey_library_put(library, clip, name, &def, NULL, 0, &test_error));
    marey_clip_free(clip);
}

void test_searcher_index(marey_library *library, double fps)
{
    marey_index_report report;
    test_ok(marey_library_index(library, &(marey_index_def){ .fps = fps }, &report, &test_error));
}

int test_searcher_base_make(void **state)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    (void)state;
    test_folder_make(base, sizeof base);
    snprintf(base_path, sizeof base_path, "%s/base.marey", base);
    test_ok(marey_library_open(ctx, base_path, MAREY_LIBRARY_CREATE, &library, &test_error));
    test_searcher_put(library, part_of_take(ctx, "kicks", 0, 1300), "kicks", "kick");
    test_searcher_put(library, part_of_take(ctx, "small_fight", 0, 600), "fight", "mixed");
    test_searcher_put(library, part_of_take(ctx, "punches", 0, 500), "punches", "punch");
    test_searcher_index(library, 30);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return 0;
}

int test_searcher_base_remove(void **state)
{
    (void)state;
    test_folder_remove(base);
    return 0;
}

int test_searcher_make(void **state)
{
    test_searcher *f = calloc(1, sizeof *f);
    size_t count;
    char *bytes = test_file_read(base_path, &count);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    test_file_write(f->path, bytes, count);
    free(bytes);
    f->ctx = test_ctx();
    test_ok(marey_library_open(f->ctx, f->path, MAREY_LIBRARY_WRITE, &f->library, &test_error));
    test_ok(marey_searcher_open(f->library, &f->searcher, &test_error));
    *state = f;
    return 0;
}

int test_searcher_free(void **state)
{
    test_searcher *f = *state;
    marey_searcher_free(f->searcher);
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

marey_clip *test_searcher_load(test_searcher *f, const char *name)
{
    marey_clip *clip = NULL;
    test_ok(marey_library_load(f->library, name, &clip, &test_error));
    return clip;
}

int64_t test_searcher_id(test_searcher *f, const char *name)
{
    marey_listing *listing = NULL;
    int count;
    int64_t id = 0;
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    marey_listing_free(listing);
    return id;
}

marey_finding *test_searcher_find(test_searcher *f, marey_query query, const marey_find_def *def)
{
    marey_finding *finding = NULL;
    test_ok(marey_searcher_find(f->searcher, &query, def, &finding, &test_error));
    return finding;
}

int test_found_count(const marey_finding *finding)
{
    int count;
    marey_finding_matches(finding, &count);
    return count;
}

void test_searcher_refuses(test_searcher *f, marey_query query, const marey_find_def *def,
                           marey_status status, const char *words)
{
    marey_finding *finding = NULL;
    marey_error error = { 0 };
    assert_int_equal(marey_searcher_find(f->searcher, &query, def, &finding, &error), status);
    if (!strstr(error.message, words)) fail_msg("%s", error.message);
    assert_null(finding);
    assert_int_equal(marey_searcher_find(f->searcher, &query, def, &finding, NULL), status);
}

bool test_found(const marey_finding *finding, const char *name, int start, int end)
{
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 1; i < count; i++) {
        int from = matches[i].start > start ? matches[i].start : start;
        int to = matches[i].end < end ? matches[i].end : end;
        if (strcmp(matches[i].name, name) == 0 && 5 * (to - from) > 4 * (end - start)) return true;
    }
    return false;
}

bool test_see_tier(void *user, int tier, const marey_match *matches, int count)
{
    test_watch *w = user;
    w->tiers = tier;
    w->count = count;
    w->ordered = matches[0].distance == 0 && matches[0].tier == 0;
    for (int i = 1; i < count; i++)
        w->ordered &=
            matches[i].name[0] && matches[i].path_distance >= matches[i - 1].path_distance;
    return tier != w->stop_at;
}
