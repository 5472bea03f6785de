/* test_searcher_changes.c - searching a library by its match webs: in whose frames matches are, changes
   of the library between searches, webs that have to go, refused memory. */
#include "program_lines.h"
#include "searcher_bench.h"

#include <stdio.h>
#include <string.h>

static const marey_find_def by_web = { .web = true };

/* ---- frames ---------------------------------------------------------------------------------- */

TEST(the_last_row_ends_where_the_clip_does)
{
    mry_ruler ruler = { { .frames = 132, .fps = 60, .rate = 30, .rows = 66 }, 100, 0 };
    assert_int_equal(mry_ruler_frame(&ruler, 10), 120);
    assert_int_equal(mry_ruler_end(&ruler, 65), 230);
    assert_int_equal(mry_ruler_end(&ruler, 66), 232);
}

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

/* The same kick at 120 frames a second is at twice the frames. */
CASE(matches_are_in_the_frames_of_their_own_clips)
{
    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    marey_clip *quick = NULL;
    test_ok(marey_clip_resample(clip, 120, &quick, &test_error));
    test_searcher_put(f->library, quick, "quick", NULL);
    test_searcher_index(f->library, 30);
    marey_finding *finding = test_searcher_find(
        f, test_kick, &(marey_find_def){ .search = { .tiers = 1 }, .web = true });
    assert_true(test_found(finding, "quick", 2 * TEST_KICK_START, 2 * TEST_KICK_END));
    assert_true(test_found(finding, "quick", 2 * 621, 2 * 749));
    marey_finding_free(finding);
    marey_query query = { .clip = "quick", .start = 2 * TEST_KICK_START, .end = 2 * TEST_KICK_END };
    finding =
        test_searcher_find(f, query, &(marey_find_def){ .search = { .tiers = 1 }, .web = true });
    assert_true(test_found(finding, "kicks", TEST_KICK_START, TEST_KICK_END) &&
                test_found(finding, "kicks", 621, 749));
    int count;
    const marey_match_edge *edges = marey_finding_edges(finding, &count);
    for (int i = 0; i < count; i++)
        assert_in_range(edges[i].first.row, 2 * TEST_KICK_START - 40, 2 * TEST_KICK_START + 40);
    marey_finding_free(finding);
}

/* The small person, but for frames [start, end), where tracking is lost. */
static void put_lost(test_library *f, const char *name, int frames, int start, int end)
{
    char path[800];
    snprintf(path, sizeof path, "%s/%s.bvh", f->folder, name);
    test_write_dropouts(path, frames, start, end);
    test_searcher_put(f->library, test_clip_load(f->ctx, path), name, NULL);
}

CASE(frames_that_were_not_captured_are_no_part_of_a_query)
{
    put_lost(f, "late", 120, 90, 120);
    put_lost(f, "early", 120, 0, 22);
    test_searcher_index(f->library, 20);
    static const struct {
        marey_query query;
        int start, end;
    } rows[] = {
        { { .clip = "late", .start = 20, .end = 120 }, 20, 90 },
        { { .clip = "early", .start = 4, .end = 100 }, 22, 100 },
    };
    for (int i = 0; i < 2; i++) {
        OWNED(marey_finding) *finding = test_searcher_find(f, rows[i].query, &by_web);
        int count, edges;
        const marey_match *matches = marey_finding_matches(finding, &count);
        const marey_match_edge *edge = marey_finding_edges(finding, &edges);
        assert_int_equal(matches[0].start, rows[i].start);
        assert_int_equal(matches[0].end, rows[i].end);
        for (int k = 0; k < edges; k++) { /* nor do alignments begin there: 21 is a row's frame */
            if (edge[k].from == 0) assert_true(edge[k].first.row >= rows[i].start);
        }
    }
    marey_query none = { .clip = "late", .start = 95, .end = 120 };
    test_searcher_refuses(f, none, &by_web, MAREY_ERR_REQUEST,
                          "none of the frames 95-120 is captured");
}

/* ---- changes --------------------------------------------------------------------------------- */

CASE(the_next_search_sees_what_changed)
{
    const char *punches = "punches", *again = "again";
    marey_finding *before = test_searcher_find(f, test_kick, &by_web), *after;
    test_ok(marey_library_rename(f->library, "kicks", "feet", &test_error));
    test_searcher_refuses(f, test_kick, &by_web, MAREY_ERR_NOT_FOUND, "kicks");
    marey_query query = { .clip = "feet", .start = TEST_KICK_START, .end = TEST_KICK_END };
    after = test_searcher_find(f, query, &by_web);
    assert_true(test_found(after, "feet", 621, 749));
    assert_int_equal(test_found_count(after), test_found_count(before));
    marey_finding_free(after);
    test_searcher_put(f->library, test_library_load(f, "feet"), again, NULL);
    after = test_searcher_find(f, query, &by_web);
    assert_int_equal(marey_finding_report_of(after).clips_missing, 1);
    assert_int_equal(test_found_count(after), test_found_count(before));
    marey_finding_free(after);
    /* As if an index had been interrupted between the clip and its pairs. */
    const mry_held_web *held = NULL;
    const mry_slot *feet = mry_slot_find(f->searcher, 0, test_library_number(f, "feet"));
    const mry_slot *other = mry_slot_find(f->searcher, 0, test_library_number(f, again));
    test_ok(mry_held_get(f->searcher, feet, other, 0, &held, &test_error));
    assert_int_equal(held->state, MRY_WEB_MISSING);
    test_searcher_index(f->library, 30);
    after = test_searcher_find(f, query, &by_web);
    assert_true(test_found(after, again, TEST_KICK_START, TEST_KICK_END) &&
                test_found(after, again, 621, 749));
    assert_int_equal(marey_finding_report_of(after).clips_missing, 0);
    marey_finding_free(after);
    test_ok(marey_library_remove(f->library, &again, 1, &test_error));
    test_ok(marey_library_remove(f->library, &punches, 1, &test_error));
    after = test_searcher_find(f, query, &by_web);
    assert_false(test_found(after, again, TEST_KICK_START, TEST_KICK_END));
    marey_finding_free(after);
    marey_finding_free(before);
}

/* Their settings decide what webs are: none of those that were held may be used. */
CASE(an_index_of_another_rate_is_seen)
{
    marey_finding_free(test_searcher_find(f, test_kick, &by_web));
    test_searcher_index(f->library, 20);
    OWNED(marey_finding) *finding = test_searcher_find(f, test_kick, &by_web);
    assert_true(marey_finding_report_of(finding).fps == 20);
    assert_true(test_found(finding, "kicks", 621, 749));
    marey_searcher_free(f->searcher);
    test_ok(marey_searcher_open(f->library, &f->searcher, NULL));
    OWNED(marey_finding) *fresh = test_searcher_find(f, test_kick, &by_web);
    test_same_findings(finding, fresh);
}

CASE(webs_that_take_too_much_go_and_nothing_else_changes)
{
    marey_find_def def = { .search = { .threshold = 300 }, .web = true };
    OWNED(marey_finding) *roomy = test_searcher_find(f, test_kick, &def);
    size_t all = f->searcher->held.bytes;
    assert_true(f->searcher->held.count >= 5 && all > 0);
    f->searcher->held.most_bytes = 1;
    f->searcher->slot_count = 0; /* the last two queries are then no reason to keep any */
    f->searcher->known = false;
    OWNED(marey_finding) *tight = test_searcher_find(f, test_kick, &def);
    test_same_findings(roomy, tight);
    mry_held *held = &f->searcher->held;
    for (int i = 0; i < 20; i++) {
        const mry_held_web *one = NULL;
        const mry_slot *slots = f->searcher->slots;
        test_ok(mry_held_get(f->searcher, &slots[i % 3], &slots[i / 3 % 3], 1, &one, NULL));
        assert_non_null(one->web);
        assert_true(i > 0 ? held->count == 2
                          : held->count <= 2); /* the one asked for before stays */
    }
}

/* ---- refused memory -------------------------------------------------------------------------- */

/* Opens, and searches from inside and from outside. */
static marey_status search_all(marey_ctx *ctx, const char *path)
{
    OWNED(marey_library) *library = NULL;
    OWNED(marey_searcher) *searcher = NULL;
    OWNED(marey_finding) *inside = NULL, *outside = NULL;
    OWNED(marey_clip) *clip = NULL;
    OWNED(marey_path) cells = { 0 };
    test_watch w = { 0 };
    marey_find_def def = {
        .search = { .tiers = 1 }, .web = true, .label = "kick", .found = test_see_tier, .user = &w
    };
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &test_error);
    if (!status) status = marey_searcher_open(library, &searcher, &test_error);
    if (!status) status = marey_searcher_find(searcher, &test_kick, &def, &inside, &test_error);
    if (!status) status = marey_finding_path(inside, 0, &cells, &test_error);
    if (!status) status = marey_library_load(library, "kicks", &clip, &test_error);
    marey_query query = { .outside = clip, .start = TEST_KICK_START, .end = TEST_KICK_END };
    if (!status) status = marey_searcher_find(searcher, &query, &def, &outside, &test_error);
    if (!status) assert_int_equal(test_found_count(outside), test_found_count(inside) + 1);
    return status;
}

TEST(running_out_of_memory_is_reported_and_nothing_is_held)
{
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        status = test_ctx_try(&memory, &ctx);
        if (!status) status = search_all(ctx, test_searcher_base());
    }
}

TEST_GROUP_OF_CASES(test_searcher_changes, test_searcher_base_make, test_searcher_base_remove)
