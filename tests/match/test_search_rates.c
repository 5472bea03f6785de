/* test_search_rates.c - searching where clips have different rates: a segment is counted in its own
   clip's rows, though a web may have fewer of them. */
#include "frame_measures.h"
#include "search_judge.h"

#include "match/web_data.h"

#include <stdlib.h>

/* ---- by hand --------------------------------------------------------------------------------- */

/* The web of clip 0 (of `fps` rows a second) and clip 1 has 30 rows a second; so has that of clip 1
   with itself. */
static hand_library slow_library(marey_ctx *ctx, double fps)
{
    hand_library library = { .clips = 2 };
    marey_web *own = hand_line_web(ctx, true, 0, 50, 50, 1);
    marey_web *both = hand_line_web(ctx, false, 10, 20, 40, 2);
    marey_web *other = hand_line_web(ctx, true, 20, 60, 40, 3);
    own->fps = fps;
    both->fps = other->fps = 30;
    library.webs[0][0] = own;
    library.webs[0][1] = both;
    library.webs[1][1] = other;
    return library;
}

static marey_match_graph *find_at_rates(marey_ctx *ctx, hand_library *library, const double *fps,
                                        marey_segment query)
{
    marey_webs webs = hand_library_webs(library);
    marey_search_def def = { .threshold = 4, .loose = -1 };
    marey_match_graph *graph;
    webs.fps = fps;
    assert_int_equal(marey_search(ctx, &webs, query, &def, &graph, NULL), MAREY_OK);
    return graph;
}

TEST_CTX(segments_are_counted_in_their_own_clips_rows)
{
    OWNED(hand_library) library = slow_library(ctx, 60);
    static const double fps[] = { 60, 30 };
    int count;
    OWNED(marey_match_graph) *graph =
        find_at_rates(ctx, &library, fps, (marey_segment){ 0, 20, 41 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 6);
    hand_check_match(&found[1], (marey_segment){ 0, 70, 91 }, 1, 1);
    hand_check_match(&found[2], (marey_segment){ 1, 20, 31 }, 2, 1);
    hand_check_match(&found[3], (marey_segment){ 1, 45, 56 }, 3, 2); /* like the first of these */
    hand_check_match(&found[4], (marey_segment){ 1, 60, 71 }, 5, 2); /* like the second */
    hand_check_match(&found[5], (marey_segment){ 1, 85, 96 }, 6, 3);
}

/* A quarter of the rows is the same time: what later tiers find there is not less than half as
   long. */
TEST_CTX(how_long_matches_are_is_measured_by_time_and_not_by_rows)
{
    OWNED(hand_library) library = slow_library(ctx, 120);
    static const double fps[] = { 120, 30 };
    int count, later = 0;
    OWNED(marey_match_graph) *graph =
        find_at_rates(ctx, &library, fps, (marey_segment){ 0, 48, 89 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    for (int i = 1; i < count; i++) {
        later += found[i].tier > 1 && found[i].at.clip == 1;
        if (found[i].at.clip == 1) assert_int_equal(found[i].at.end - found[i].at.start, 11);
    }
    assert_true(later > 0);
}

TEST_CTX(a_query_at_the_lower_rate_finds_the_same_frames_of_the_faster_clip)
{
    OWNED(hand_library) library = slow_library(ctx, 60);
    static const double fps[] = { 60, 30 };
    int count;
    OWNED(marey_match_graph) *graph =
        find_at_rates(ctx, &library, fps, (marey_segment){ 1, 20, 31 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 6);
    hand_check_match(&found[1], (marey_segment){ 0, 20, 41 }, 2, 1);
}

static int edge_between(const marey_match_graph *graph, int from, int to)
{
    int count;
    const marey_match_edge *edges = marey_match_graph_edges(graph, &count);
    for (int i = 0; i < count; i++) {
        if (edges[i].from == from && edges[i].to == to) return i;
    }
    fail_msg("no edge from %d to %d", from, to);
    return -1;
}

TEST_CTX(alignments_are_counted_in_the_clips_rows_too)
{
    OWNED(hand_library) library = slow_library(ctx, 60);
    static const double fps[] = { 60, 30 };
    int count;
    OWNED(marey_match_graph) *graph =
        find_at_rates(ctx, &library, fps, (marey_segment){ 0, 20, 41 });
    int edge = edge_between(graph, 0, 2);
    marey_match_edge of = marey_match_graph_edges(graph, &count)[edge];
    OWNED(marey_path) path = { 0 };
    assert_int_equal(marey_match_graph_path(graph, edge, &path, NULL), MAREY_OK);
    assert_int_equal(path.count, 11);
    assert_int_equal(of.cells, 11);
    for (int i = 0; i < path.count; i++) {
        assert_int_equal(path.cells[i].row, 20 + 2 * i);
        assert_int_equal(path.cells[i].col, 20 + i);
    }
    assert_memory_equal(&of.first, &path.cells[0], sizeof of.first);
    assert_memory_equal(&of.last, &path.cells[10], sizeof of.last);
}

/* 199 frames at 60 have 100 rows at 30; the last frame of 200 has none of its own and counts as the
   row before. */
TEST_CTX(a_segment_may_end_with_the_clip_but_not_behind_it)
{
    OWNED(hand_library) library = { .clips = 2 };
    marey_web *both = hand_line_web(ctx, false, 0, 0, HAND_LENGTH, 2);
    both->fps = 30;
    library.webs[0][1] = both;
    static const double fps[] = { 60, 30 };
    marey_webs webs = hand_library_webs(&library);
    webs.fps = fps;
    for (int end = 199; end < 203; end++) {
        marey_search_def def = { .threshold = 4, .loose = -1 };
        OWNED(marey_match_graph) *graph = NULL;
        marey_status status =
            marey_search(ctx, &webs, (marey_segment){ 0, 180, end }, &def, &graph, NULL);
        assert_int_equal(status, end <= 200 ? MAREY_OK : MAREY_ERR_REQUEST);
        if (status) continue;
        int count;
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, 2);
        hand_check_match(&found[1], (marey_segment){ 1, 90, 100 }, 2, 1);
    }
}

TEST_CTX(equal_rates_change_nothing)
{
    uint32_t random = 7;
    static const double fps[] = { 60, 60, 60 };
    OWNED(hand_library) library = { .clips = 3 };
    for (int a = 0; a < 3; a++) {
        for (int b = a; b < 3; b++) {
            library.webs[a][b] = hand_web_random(ctx, 40, 40, a == b, 6, 8, &random);
        }
    }
    for (int start = 0; start < 20; start++) {
        int plain_count, count;
        marey_segment query = { start % 3, start, start + 12 };
        OWNED(marey_match_graph) *plain = find_at_rates(ctx, &library, NULL, query);
        OWNED(marey_match_graph) *graph = find_at_rates(ctx, &library, fps, query);
        const marey_found *expected = marey_match_graph_nodes(plain, &plain_count);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, plain_count);
        for (int i = 0; i < count; i++) {
            hand_check_match(&found[i], expected[i].at, expected[i].path_distance,
                             expected[i].tier);
        }
    }
}

/* Each pair at the lower of its two rates. */
static marey_web *web_between(marey_ctx *ctx, const marey_clip *a, const marey_clip *b)
{
    const marey_clip *both[] = { a, b };
    OWNED(marey_layout) *layout = NULL;
    marey_features *rows[2];
    marey_web *web;
    assert_int_equal(marey_layout_build(ctx, both, 2, NULL, &layout, NULL), MAREY_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(marey_features_build(layout, both[i], &rows[i], NULL), MAREY_OK);
    }
    assert_int_equal(marey_web_build(ctx, rows[0], a == b ? rows[0] : rows[1], NULL, &web, NULL),
                     MAREY_OK);
    for (int i = 0; i < 2; i++) marey_features_free(rows[i]);
    return web;
}

static int find_in(marey_ctx *ctx, hand_library *library, const double *fps, marey_segment query,
                   marey_segment *out, int most)
{
    marey_webs webs = hand_library_webs(library);
    marey_search_def def = { .threshold = 100 };
    OWNED(marey_match_graph) *graph = NULL;
    int count;
    webs.fps = fps;
    assert_int_equal(marey_search(ctx, &webs, query, &def, &graph, NULL), MAREY_OK);
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_in_range(count, 2, most);
    for (int i = 0; i < count; i++) out[i] = found[i].at;
    return count;
}

static hand_library library_of(marey_ctx *ctx, const marey_clip *a, const marey_clip *b)
{
    hand_library library = { .clips = 2 };
    library.webs[0][0] = web_between(ctx, a, a);
    library.webs[0][1] = web_between(ctx, a, b);
    library.webs[1][1] = web_between(ctx, b, b);
    return library;
}

/* Kicks in one take, at 60, and in another one, at 60 and then at 30 Hz. */
TEST_CTX(the_same_motion_at_two_rates_gives_the_same_matches)
{
    marey_demo_take *takes[] = { test_demo_take(ctx, "kicks"), test_demo_take(ctx, "mixed_fight") };
    const marey_clip *kicks = marey_demo_clip(takes[0]), *fight = marey_demo_clip(takes[1]);
    int segments;
    const marey_demo_segment *kick = &marey_demo_segments(takes[0], &segments)[1];
    marey_segment query = { 0, kick->start + 20, kick->end - 20 }, fast_at[64], slow_at[64];
    OWNED(marey_clip) *slow = test_resampled(fight, 30);
    hand_library fast = library_of(ctx, kicks, fight), mixed = library_of(ctx, kicks, slow);
    static const double fast_fps[] = { 60, 60 }, mixed_fps[] = { 60, 30 };
    int count = find_in(ctx, &fast, fast_fps, query, fast_at, 64);
    int slow_count = find_in(ctx, &mixed, mixed_fps, query, slow_at, 64), met = 0;
    assert_int_equal(count, slow_count);
    for (int i = 0; i < count; i++) {
        int rate = fast_at[i].clip == 1 ? 2 : 1, found = 0;
        for (int k = 0; k < count; k++) {
            found += slow_at[k].clip == fast_at[i].clip &&
                     abs(rate * slow_at[k].start - fast_at[i].start) <= 6 &&
                     abs(rate * slow_at[k].end - fast_at[i].end) <= 6;
        }
        assert_int_equal(found, 1);
        met += fast_at[i].clip == 1;
    }
    assert_true(met > 0);
    hand_library_free(&fast);
    hand_library_free(&mixed);
    marey_demo_free(takes[0]);
    marey_demo_free(takes[1]);
}

TEST_GROUP_OF_CASES(test_search_rates, NULL, NULL)
