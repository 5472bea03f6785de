/* searcher_bench.c - a small library of demo takes with an index. */
#include "searcher_bench.h"

#include <stdio.h>
#include <string.h>

const marey_query test_kick = { .clip = "kicks", .start = TEST_KICK_START, .end = TEST_KICK_END };

static char base[512], base_path[600];

const char *test_searcher_base(void)
{
    return base_path;
}

void test_searcher_put(marey_library *library, marey_clip *clip, const char *name,
                       const char *label)
{
    marey_put_def def = { .labels = &label, .label_count = label ? 1 : 0 };
    test_ok(marey_library_put(library, clip, name, &def, NULL, 0, &test_error));
    marey_clip_free(clip);
}

void test_searcher_put_thing(marey_library *library, const char *name, const char *joint,
                             double turn)
{
    char text[8192];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "HIERARCHY\nROOT thing\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\nJOINT %s\n{\nOFFSET 0 30 0\nCHANNELS 3 Zrotation Xrotation "
        "Yrotation\nEnd Site\n{\nOFFSET 20 10 0\n}\n}\n}\nMOTION\nFrames: 60\nFrame Time: "
        "0.0166667\n",
        joint);
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 50 1 0 %g 0 %d 0 0\n", i,
                                 turn * i, 2 * i);
    test_searcher_put(library, test_clip(library->ctx, text), name, NULL);
}

void test_searcher_index(marey_library *library, double fps)
{
    marey_index_report report;
    test_ok(marey_library_index(library, &(marey_index_def){ .fps = fps }, &report, &test_error));
}

int test_searcher_base_make(void **state)
{
    static const struct {
        const char *take, *name, *label;
        int frames;
    } parts[] = { { "kicks", "kicks", "kick", 1300 },
                  { "small_fight", "fight", "mixed", 600 },
                  { "punches", "punches", "punch", 500 } };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    (void)state;
    test_folder_make(base, sizeof base);
    snprintf(base_path, sizeof base_path, "%s/base.marey", base);
    test_ok(marey_library_open(ctx, base_path, MAREY_LIBRARY_CREATE, &library, &test_error));
    for (int i = 0; i < 3; i++) {
        OWNED(marey_demo_take) *take = test_demo_take(ctx, parts[i].take);
        marey_clip *part = NULL;
        test_ok(marey_clip_trim(marey_demo_clip(take), 0, parts[i].frames, &part, &test_error));
        test_searcher_put(library, part, parts[i].name, parts[i].label);
    }
    test_searcher_index(library, 30);
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
    test_library *f = test_library_new();
    test_library_close(f);
    test_file_copy(base_path, f->path);
    test_library_open(f, MAREY_LIBRARY_WRITE);
    test_ok(marey_searcher_open(f->library, &f->searcher, &test_error));
    *state = f;
    return 0;
}

marey_finding *test_searcher_find(test_library *f, marey_query query, const marey_find_def *def)
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

void test_searcher_refuses(test_library *f, marey_query query, const marey_find_def *def,
                           marey_status status, const char *words)
{
    marey_finding *finding = NULL;
    test_refused_about(marey_searcher_find(f->searcher, &query, def, &finding, &test_error), status,
                       words);
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

void test_same_findings(const marey_finding *a, const marey_finding *b)
{
    int first, second;
    const marey_match *left = marey_finding_matches(a, &first);
    const marey_match *right = marey_finding_matches(b, &second);
    assert_int_equal(first, second);
    for (int i = 0; i < first; i++) {
        assert_string_equal(left[i].name, right[i].name);
        assert_true(left[i].start == right[i].start && left[i].end == right[i].end &&
                    left[i].distance == right[i].distance &&
                    left[i].path_distance == right[i].path_distance &&
                    left[i].tier == right[i].tier);
    }
    const marey_match_edge *here = marey_finding_edges(a, &first);
    const marey_match_edge *there = marey_finding_edges(b, &second);
    assert_int_equal(first, second);
    for (int i = 0; i < first; i++) {
        assert_true(here[i].from == there[i].from && here[i].to == there[i].to &&
                    here[i].distance == there[i].distance && here[i].cells == there[i].cells);
    }
}

static marey_status open_and_use(marey_ctx *ctx, const char *path, test_searcher_use *use)
{
    OWNED(marey_library) *library = NULL;
    OWNED(marey_searcher) *searcher = NULL;
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &test_error);
    if (!status) status = marey_searcher_open(library, &searcher, &test_error);
    return status ? status : use(library, searcher);
}

void test_searcher_starve(test_library *f, test_searcher_use *use)
{
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    test_library_close(f);
    for (test_refusals sweep = { .memory = &memory, .few = true }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        status = test_ctx_try(&memory, &ctx);
        if (!status) status = open_and_use(ctx, f->path, use);
    }
    test_stops stops = { .memory = &memory };
    OWNED(marey_ctx) *ctx = NULL;
    memory.refuse = -1;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 1,
                                             .resize = test_memory_resize,
                                             .resize_user = &memory,
                                             .progress = test_stops_report,
                                             .progress_user = &stops },
                           &ctx));
    stops.ctx = ctx;
    while (test_stop(&stops, status)) status = open_and_use(ctx, f->path, use);
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
