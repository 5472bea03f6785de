/* test_search.c - searching with webs made by hand and at random, against the judge that tries
   every match sequence. Tiers and what can be asked: test_search_tiers.c. */
#include "search_judge.h"

#include "match/search_pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one query ------------------------------------------------------------------------------- */

/* Columns: c1 = 20; the chain goes on to c2 = 39; a bridge leaves it to another that ends at c4 =
   49; and a chain of its own from c3 = 60 to c5 = 79. */
static hand_library figure(marey_ctx *ctx, float first, float second)
{
    hand_web web = hand_web_start(ctx, HAND_LENGTH, HAND_LENGTH, false);
    int one = hand_line(&web, 5, 15, 40, first);
    hand_line(&web, 8, 58, 40, 3);
    int other = hand_line(&web, 18, 38, 30, second);
    hand_bridge(&web, one, 9, other, 2, second);
    return (hand_library){ .clips = 2, .webs = { [0] = { [1] = hand_web_make(&web) } } };
}

TEST_CTX(the_papers_example_has_three_sequences_of_which_two_are_the_same_match)
{
    marey_segment query = { 0, 10, 30 };
    for (int turn = 0; turn < 2; turn++) {
        OWNED(hand_library) library = figure(ctx, turn ? 2 : 1, turn ? 1 : 2);
        int count;
        judged_match *all = judge_sequences(library.webs[0][1], false, query, 1, 100, 0, &count);
        assert_int_equal(count, 3);
        free(all);
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, query, (marey_search_def){ .threshold = 10 });
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, 3);
        hand_check_match(&found[0], query, 0, 0);
        if (turn == 0) {
            hand_check_match(&found[1], (marey_segment){ 1, 20, 40 }, 1, 1);
        } else { /* five cells of the one, all others of the other */
            assert_int_equal(found[1].at.end, 50);
        }
        hand_check_match(&found[2], (marey_segment){ 1, 60, 80 }, 3, 1);
    }
}

TEST_CTX(a_mean_at_the_threshold_is_found_and_one_past_it_is_not)
{
    OWNED(hand_library) library = { .clips = 2 };
    library.webs[0][1] = hand_line_web(ctx, false, 0, 10, 90, 2.5f);
    const double thresholds[] = { 2.5, nextafter(2.5, 0), 1, 100 };
    for (int i = 0; i < 4; i++) {
        int count;
        marey_search_def def = { .threshold = thresholds[i] };
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, (marey_segment){ 0, 20, 50 }, def);
        marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, 1 + (thresholds[i] >= 2.5));
        assert_int_equal(marey_match_graph_report(graph).tiers, thresholds[i] >= 2.5);
    }
}

TEST_CTX(where_no_path_spans_the_query_nothing_is_found)
{
    OWNED(hand_library) library = { .clips = 4 };
    library.webs[0][1] = hand_line_web(ctx, false, 20, 10, 20, 1); /* frames 20 to 39 */
    hand_web none = hand_web_start(ctx, HAND_LENGTH, HAND_LENGTH, false);
    library.webs[0][2] = hand_web_make(&none);
    const marey_segment queries[] = { { 0, 19, 40 }, { 0, 20, 41 }, { 0, 50, 60 }, { 0, 0, 100 } };
    for (int i = 0; i < 4; i++) {
        int count;
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, queries[i], (marey_search_def){ .threshold = 9 });
        marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, 1);
        marey_match_graph_edges(graph, &count);
        assert_int_equal(count, 0);
    }
}

TEST_CTX(a_chain_that_begins_late_or_ends_early_is_continued_as_far_as_allowed)
{
    OWNED(hand_library) library = { .clips = 2 };
    marey_cell cells[20];
    float costs[20];
    for (int i = 0; i < 20; i++) {
        cells[i] = (marey_cell){ 20 + i, 3 + i };
        costs[i] = i == 0 ? 6 : i == 19 ? 9 : 1;
    }
    hand_web web = hand_web_start(ctx, HAND_LENGTH, HAND_LENGTH, false);
    hand_chain(&web, 20, cells, costs); /* frames 20 to 39 */
    library.webs[0][1] = hand_web_make(&web);
    const struct {
        int start, end;
        double loose;
        bool found;
    } cases[] = {
        { 20, 40, -1, true },    { 19, 40, -1, false }, { 19, 40, 0.05, true },
        { 18, 40, 0.05, false }, { 18, 42, 0.1, true }, { 20, 43, 0.1, false },
        { 17, 43, 0.2, true },   { 15, 44, 0.2, true }, { 13, 44, 0.2, false }
    }; /* column -1 does not exist: column 0 stands for it */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count;
        marey_search_def def = { .threshold = 50, .loose = cases[i].loose, .tiers = 1 };
        marey_segment query = { 0, cases[i].start, cases[i].end };
        OWNED(marey_match_graph) *graph = hand_find(ctx, &library, query, def);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, 1 + cases[i].found);
        if (cases[i].found) {
            int before = 20 - query.start, behind = query.end - 40;
            double mean = (18 + 6 * (before + 1) + 9 * (behind + 1)) / (20.0 + before + behind);
            int first = before > 3 ? 0 : 3 - before;
            hand_check_match(&found[1], (marey_segment){ 1, first, 23 + behind }, mean, 1);
            /* Every row of the query is aligned, and one frame after the other. */
            OWNED(marey_path) path = { 0 };
            assert_int_equal(marey_match_graph_path(graph, 0, &path, NULL), MAREY_OK);
            assert_int_equal(path.count, query.end - query.start);
            assert_int_equal(path.cells[0].col, first);
            for (int k = 0; k < path.count; k++) {
                int held = path.cells[k].row - 17;
                assert_int_equal(path.cells[k].row, query.start + k);
                assert_int_equal(path.cells[k].col, held < 0 ? 0 : held);
            }
        }
    }
}

/* Rungs between two rails: each of 40 times a sequence may change from one to the other, at no cost
   to its ends. */
TEST_CTX(two_to_the_fortieth_sequences_are_searched_at_once)
{
    enum { RUNGS = 40, STEP = 6 };
    hand_web web = hand_web_start(ctx, 400, 400, false);
    float costs[400];
    marey_cell cells[2][400];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 300; i++) {
            cells[k][i] = (marey_cell){ i, i + 2 * k };
            costs[i] = (i / STEP + k) % 2 ? 5 : 1; /* the cheap rail is now this, now that one */
        }
        hand_chain(&web, 300, cells[k], costs);
    }
    for (int i = 0; i < RUNGS; i++) {
        int at = STEP * (i + 1) - 1;
        hand_bridge(&web, 0, at, 1, at + 1, 1);
        hand_bridge(&web, 1, at, 0, at + 3, 1);
    }
    OWNED(hand_library) library = { .clips = 2, .webs = { [0] = { [1] = hand_web_make(&web) } } };
    int count;
    marey_search_def def = { .threshold = 2 };
    OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 0, 245 }, def);
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 2);
    assert_true(found[1].distance < 1.2);
}

/* ---- against the judge ----------------------------------------------------------------------- */

static const judged_match *judged_with_ends(const judged_match *all, int count, const mry_hit *hit)
{
    for (int i = 0; i < count; i++) {
        if (!memcmp(&all[i].first, &hit->first, sizeof hit->first) &&
            !memcmp(&all[i].last, &hit->last, sizeof hit->last))
            return &all[i];
    }
    return NULL;
}

TEST_CTX(between_any_two_ends_the_least_mean_of_all_sequences_is_found)
{
    uint32_t seed = 7;
    for (int round = 0; round < 400; round++) {
        bool self = round % 3 == 0;
        OWNED(hand_library) library = { .clips = 1 };
        library.webs[0][0] = hand_web_random(ctx, 30, 30, self, 8, round % 4 == 1 ? 30 : 14, &seed);
        for (int i = 0; i < 6; i++) {
            int start = 1 + (round * 7 + i * 5) % 20, length = 1 + (round + i * 3) % 9;
            marey_segment query = { 0, start, start + length };
            /* No two overlap enough to be the same here, so every pair of ends comes out. */
            const marey_web *web = library.webs[0][0];
            bool flipped = i % 2;
            double threshold = i < 3 ? 100 : 6.5;
            int loose = i % 3 == 2 ? length / 2 : 0;
            int count, seen = 0;
            FREED judged_match *all =
                judge_sequences(web, flipped, query, 1, threshold, loose, &count);
            mry_picker picker = mry_picker_make(ctx);
            assert_true(mry_pick_matches(
                &picker, &(mry_pick){ web, flipped, query, { 1, 1 }, 1, threshold, 2, loose }));
            const mry_hit *hits = picker.hits.items;
            for (int k = 0; k < picker.hits.count; k++) {
                const judged_match *same = judged_with_ends(all, count, &hits[k]);
                assert_non_null(same);
                if (k > 0) assert_true(hits[k].mean >= hits[k - 1].mean);
                bool again = false; /* by other paths between the same cells */
                for (int m = 0; m < k; m++) again |= judged_with_ends(same, 1, &hits[m]) != NULL;
                if (again) continue;
                assert_true(fabs(hits[k].mean - same->mean) < 1e-12 * (1 + same->mean));
                assert_int_equal(hits[k].cells, same->cells);
                seen++;
            }
            assert_int_equal(seen, count);
            mry_picker_free(&picker);
        }
    }
}

static int judged_node_of(const judged_graph *judged, const marey_found *found)
{
    for (int i = 0; i < judged->nodes; i++) {
        const marey_found *other = &judged->found[i];
        if (!memcmp(&other->at, &found->at, sizeof found->at) && other->tier == found->tier &&
            fabs(other->distance - found->distance) < 1e-12 * (1 + found->distance))
            return i;
    }
    return -1;
}

static void check_edges(const judged_graph *judged, const marey_found *found,
                        const marey_match_edge *edge)
{
    for (int i = 0; i < judged->edges; i++) {
        int a = judged_node_of(judged, &found[edge[i].from]);
        int b = judged_node_of(judged, &found[edge[i].to]);
        bool known = false;
        for (int k = 0; k < judged->edges; k++) {
            const int *ends = judged->ends[k];
            if (ends[0] != (a < b ? a : b) || ends[1] != (a < b ? b : a)) continue;
            known = fabs(judged->costs[k] - edge[i].distance) < 1e-12 * (1 + edge[i].distance);
        }
        assert_true(known);
    }
    /* Distances along edges cannot be shortened, and those of neighbours explain them. */
    for (int i = 0; i < judged->nodes; i++) {
        double least = i == 0 ? 0 : INFINITY;
        for (int k = 0; k < judged->edges; k++) {
            if (edge[k].from != i && edge[k].to != i) continue;
            int other = edge[k].from == i ? edge[k].to : edge[k].from;
            double sum = found[other].path_distance + edge[k].distance;
            if (i > 0 && sum < least) least = sum;
        }
        assert_true(found[i].path_distance == least);
        if (i > 1) assert_true(found[i].path_distance >= found[i - 1].path_distance);
    }
}

/* Steps are of one cell, and the ends are as the edge says. Costs of cells that lie on two paths
   may differ, so only that each cell is one of the web's is looked at. */
static void check_alignment(hand_library *library, const marey_match_graph *graph, int edge)
{
    int count;
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    const marey_match_edge *of = marey_match_graph_edges(graph, &count) + edge;
    int a = found[of->from].at.clip, b = found[of->to].at.clip;
    const marey_web *web = library->webs[a < b ? a : b][a < b ? b : a];
    OWNED(marey_path) path = { 0 };
    assert_int_equal(marey_match_graph_path(graph, edge, &path, NULL), MAREY_OK);
    assert_int_equal(path.count, of->cells);
    assert_memory_equal(&path.cells[0], &of->first, sizeof(marey_cell));
    assert_memory_equal(&path.cells[path.count - 1], &of->last, sizeof(marey_cell));
    assert_true(path.mean == of->distance);
    for (int k = 0; k < path.count; k++) {
        marey_cell at = path.cells[k];
        if (a > b || (a == b && at.row > at.col)) at = (marey_cell){ at.col, at.row };
        int64_t i = 0;
        while (i < web->cell_count && (web->cells[i].row != at.row || web->cells[i].col != at.col))
            i++;
        assert_true(i < web->cell_count);
    }
}

TEST_CTX(tiers_merging_and_edges_are_those_of_trying_everything)
{
    uint32_t seed = 99;
    int most = 0, tiers = 0;
    for (int round = 0; round < 150; round++) {
        OWNED(hand_library) library = { .clips = 3 };
        for (int a = 0; a < 3; a++) {
            for (int b = a; b < 3; b++) {
                library.webs[a][b] = hand_web_random(ctx, 40, 40, a == b, 7, 10, &seed);
            }
        }
        marey_search_def def = { .threshold = 3 + round % 5, .same = 0.8, .distinct = 0.2 };
        if (round % 3 == 1) def.distinct = 0.6;
        if (round % 4 == 2) def.tiers = 2;
        if (round % 5 == 3) def.loose = 0.4;
        marey_segment query = { round % 3, 5 + round % 20, 10 + round % 20 };
        judged_graph judged = judge_search(&library, query, &def);
        OWNED(marey_match_graph) *graph = hand_find(ctx, &library, query, def);
        int count, edges;
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        const marey_match_edge *edge = marey_match_graph_edges(graph, &edges);
        assert_int_equal(count, judged.nodes);
        assert_int_equal(edges, judged.edges);
        for (int i = 0; i < count; i++) assert_true(judged_node_of(&judged, &found[i]) >= 0);
        check_edges(&judged, found, edge);
        for (int i = 0; i < edges && def.loose == 0; i++) check_alignment(&library, graph, i);
        most = count > most ? count : most;
        tiers += marey_match_graph_report(graph).tiers;
        judged_graph_free(&judged);
    }
    assert_true(most > 15 && tiers > 300); /* or this tests little */
}

/* ---- ways to lie ----------------------------------------------------------------------------- */

static marey_web *turned(marey_ctx *ctx, const marey_web *web)
{
    hand_web copy = hand_web_start(ctx, web->cols, web->rows, false);
    marey_web *out = hand_web_make(&copy);
    out->chain_count = web->chain_count;
    out->bridge_count = web->bridge_count;
    out->cell_count = web->cell_count;
    out->costs = web->costs;
    out->paths = web->paths;
    out->cells = MRY_NEW(&out->mem, marey_cell, web->cell_count);
    for (int64_t i = 0; i < web->cell_count; i++) {
        out->cells[i] = (marey_cell){ web->cells[i].col, web->cells[i].row };
    }
    assert_int_equal(mry_web_index_make(out, NULL), MAREY_OK);
    return out;
}

TEST_CTX(a_web_and_its_mirror_image_find_the_same)
{
    uint32_t seed = 3;
    for (int round = 0; round < 50; round++) {
        marey_web *web = hand_web_random(ctx, 30, 44, false, 9, 12, &seed);
        OWNED(hand_library) library = { .clips = 2, .webs = { [0] = { turned(ctx, web), web } } };
        marey_segment query = { 0, 4 + round % 15, 12 + round % 15 };
        mry_picker one = mry_picker_make(ctx), two = mry_picker_make(ctx);
        assert_true(
            mry_pick_matches(&one, &(mry_pick){ web, false, query, { 1, 1 }, 1, 9, 0.8, 2 }));
        assert_true(mry_pick_matches(
            &two, &(mry_pick){ library.webs[0][0], true, query, { 1, 1 }, 1, 9, 0.8, 2 }));
        assert_int_equal(one.hits.count, two.hits.count);
        if (one.hits.count > 0)
            assert_memory_equal(one.hits.items, two.hits.items,
                                (size_t)one.hits.count * sizeof(mry_hit));
        mry_picker_free(&one);
        mry_picker_free(&two);
    }
}

TEST_CTX(a_motion_with_itself_finds_before_and_after_but_not_itself)
{
    OWNED(hand_library) library = { .clips = 1 };
    hand_web web = hand_web_start(ctx, HAND_LENGTH, HAND_LENGTH, true);
    hand_line(&web, 5, 35, 60, 2);  /* 30 frames later */
    hand_line(&web, 10, 70, 30, 3); /* 60 frames later */
    library.webs[0][0] = hand_web_make(&web);
    int count, edges;
    OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 40, 60 },
                                                (marey_search_def){ .threshold = 2.5 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 3);
    hand_check_match(&found[1], (marey_segment){ 0, 10, 30 }, 2, 1);
    hand_check_match(&found[2], (marey_segment){ 0, 70, 90 }, 2, 1);
    marey_match_graph_edges(graph, &edges);
    assert_int_equal(edges, 2);
    marey_match_graph_free(graph);
    graph = hand_find(ctx, &library, (marey_segment){ 0, 40, 60 },
                      (marey_search_def){ .threshold = 3 });
    marey_match_graph_edges(graph, &edges);
    assert_int_equal(edges, 3); /* the first with the last, too */
}

TEST_GROUP_OF_CASES(test_search, NULL, NULL)
