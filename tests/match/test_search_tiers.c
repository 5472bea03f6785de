/* test_search_tiers.c - matches of matches: tiers, merging and dropping, the order, what can be
   asked, and what goes wrong. */
#include "search_judge.h"

#include "match/match_ends.h"
#include "match/web_data.h"

#include <math.h>
#include <string.h>

/* ---- tiers ----------------------------------------------------------------------------------- */

/* Clip 1 is like 0, clip 2 is like 1, and both are something like each other. */
static hand_library relay(marey_ctx *ctx, float direct)
{
    hand_library library = { .clips = 3 };
    library.webs[0][1] = hand_line_web(ctx, false, 0, 5, 95, 2);
    library.webs[1][2] = hand_line_web(ctx, false, 0, 10, 90, 3);
    library.webs[0][2] = hand_line_web(ctx, false, 0, 15, 85, direct);
    return library;
}

TEST_CTX(a_match_of_a_match_is_found_in_the_next_tier)
{
    OWNED(hand_library) library = relay(ctx, 9);
    for (int tiers = 0; tiers < 3; tiers++) {
        int count;
        marey_search_def def = { .threshold = 4, .tiers = tiers };
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, (marey_segment){ 0, 20, 40 }, def);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, tiers == 1 ? 2 : 3);
        hand_check_match(&found[1], (marey_segment){ 1, 25, 45 }, 2, 1);
        if (tiers != 1) hand_check_match(&found[2], (marey_segment){ 2, 35, 55 }, 5, 2);
        if (tiers != 1) assert_true(found[2].distance == 3);
        assert_int_equal(marey_match_graph_report(graph).tiers, tiers == 1 ? 1 : 2);
    }
}

TEST_CTX(matches_are_ordered_by_the_cheapest_way_to_the_query)
{
    OWNED(hand_library) library = relay(ctx, 6);
    int count;
    OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 20, 40 },
                                                (marey_search_def){ .threshold = 7 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 3);
    hand_check_match(&found[2], (marey_segment){ 2, 35, 55 }, 5,
                     1); /* found at 6, but 2 + 3 is less */
    assert_true(found[2].distance == 6);
    marey_match_graph_edges(graph, &count);
    assert_int_equal(count, 3);
}

/* The query 0:20-40 finds 1:20-40. That finds clip 2 with a shift, and the query finds clip 2
   itself. */
static hand_library meeting(marey_ctx *ctx, int shift)
{
    hand_library library = { .clips = 3 };
    library.webs[0][1] = hand_line_web(ctx, false, 0, 0, HAND_LENGTH, 1);
    library.webs[0][2] = hand_line_web(ctx, false, 20, 30, 20, 2);
    library.webs[1][2] = hand_line_web(ctx, false, 20, 30 + shift, 20, 3);
    return library;
}

TEST_CTX(what_overlaps_a_known_match_is_merged_dropped_or_new)
{
    static const struct {
        int shift, nodes, edges, start;
    } rows[] = {
        { 0, 3, 3, 30 },  { 2, 3, 3, 31 },  { 4, 3, 3, 32 }, /* 80 %: merged and averaged */
        { 5, 3, 2, 30 },  { 15, 3, 2, 30 },                  /* dropped */
        { 16, 4, 3, 30 }, { 25, 4, 3, 30 },                  /* 20 %: new */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(hand_library) library = meeting(ctx, rows[i].shift);
        int count, start = 30 + rows[i].shift;
        OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 20, 40 },
                                                    (marey_search_def){ .threshold = 4 });
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, rows[i].nodes);
        hand_check_match(&found[2], (marey_segment){ 2, rows[i].start, rows[i].start + 20 }, 2, 1);
        if (count > 3) hand_check_match(&found[3], (marey_segment){ 2, start, start + 20 }, 4, 2);
        marey_match_graph_edges(graph, &count);
        assert_int_equal(count, rows[i].edges);
    }
}

TEST_CTX(same_and_distinct_move_these_bounds)
{
    OWNED(hand_library) library = meeting(ctx, 10); /* 50 % */
    const double shares[][3] = { { 0, 0, 3 }, { 0.5, 0, 3 }, { 0, 0.5, 4 }, { 0.6, 0.49, 3 } };
    const int edges[] = { 2, 3, 3, 2 };
    for (int i = 0; i < 4; i++) {
        int count;
        marey_search_def def = { .threshold = 4, .same = shares[i][0], .distinct = shares[i][1] };
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, (marey_segment){ 0, 20, 40 }, def);
        marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, (int)shares[i][2]);
        marey_match_graph_edges(graph, &count);
        assert_int_equal(count, edges[i]);
    }
}

TEST_CTX(the_query_stays_what_was_asked_for)
{
    OWNED(hand_library) library = { .clips = 3 };
    library.webs[0][1] = hand_line_web(ctx, false, 0, 0, HAND_LENGTH, 1);
    library.webs[1][2] = hand_line_web(ctx, false, 0, 0, HAND_LENGTH, 1);
    library.webs[0][2] =
        hand_line_web(ctx, false, 2, 0, HAND_LENGTH - 2, 3); /* two frames off, and dearer */
    int count;
    OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 20, 40 },
                                                (marey_search_def){ .threshold = 4 });
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 3);
    hand_check_match(&found[0], (marey_segment){ 0, 20, 40 }, 0, 0);
    hand_check_match(&found[2], (marey_segment){ 2, 19, 39 }, 2, 1); /* 18 and 20 met */
}

/* ---- what is asked --------------------------------------------------------------------------- */

TEST_CTX(clips_that_are_not_allowed_are_not_searched)
{
    OWNED(hand_library) library = relay(ctx, 3.5f);
    const uint8_t allowed[] = { 0, 0, 1 }; /* not even the query's own */
    int count;
    marey_search_def def = { .threshold = 4, .allowed = allowed };
    OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 20, 40 }, def);
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    assert_int_equal(count, 2);
    hand_check_match(&found[1], (marey_segment){ 2, 35, 55 }, 3.5, 1);
    assert_int_equal(library.calls, 2);
}

TEST_CTX(a_limit_keeps_the_nearest_and_is_reported)
{
    OWNED(hand_library) library = relay(ctx, 3.5f);
    for (int limit = 1; limit <= 3; limit++) {
        int count;
        marey_search_def def = { .threshold = 4, .limit = limit };
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, (marey_segment){ 0, 20, 40 }, def);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, limit < 2 ? 2 : 3);
        assert_int_equal(found[1].at.clip, 1);
        assert_int_equal(marey_match_graph_report(graph).limited, limit < 2);
    }
}

typedef struct told {
    int calls, stop_at;
    int counts[4];
} told;

static bool tell(void *user, int tier, const marey_found *found, int count)
{
    told *t = user;
    assert_int_equal(tier, ++t->calls);
    assert_int_equal(found[0].tier, 0);
    t->counts[tier - 1] = count;
    return tier != t->stop_at;
}

TEST_CTX(each_tier_is_reported_and_the_search_can_be_ended_there)
{
    OWNED(hand_library) library = relay(ctx, 9);
    for (int stop = 0; stop < 2; stop++) {
        told t = { .stop_at = stop };
        int count;
        marey_search_def def = { .threshold = 4, .tier_done = tell, .user = &t };
        OWNED(marey_match_graph) *graph =
            hand_find(ctx, &library, (marey_segment){ 0, 20, 40 }, def);
        marey_match_graph_nodes(graph, &count);
        assert_int_equal(t.calls, stop ? 1 : 3); /* the third finds nothing new */
        assert_int_equal(t.counts[0], 2);
        assert_int_equal(count, stop ? 2 : 3);
    }
}

TEST_CTX(the_least_ceiling_of_the_webs_is_reported)
{
    OWNED(hand_library) library = relay(ctx, 9);
    for (int i = 0; i < 2; i++) {
        OWNED(marey_match_graph) *graph = hand_find(ctx, &library, (marey_segment){ 0, 20, 40 },
                                                    (marey_search_def){ .threshold = 4 });
        assert_true(marey_match_graph_report(graph).ceiling == (i ? 50.0 : (double)INFINITY));
        ((marey_web *)(uintptr_t)library.webs[1][2])->ceiling = 50;
    }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

TEST_CTX(what_cannot_be_is_refused)
{
    OWNED(hand_library) library = relay(ctx, 9);
    marey_webs webs = hand_library_webs(&library);
    const marey_segment fine = { 0, 20, 40 };
    const marey_segment segments[] = { { 3, 0, 9 }, { -1, 0, 9 },  { 0, -1, 9 },
                                       { 0, 9, 9 }, { 0, 9, 101 }, { 1, 90, 101 } };
    const marey_search_def defs[] = { { 0 },
                                      { .threshold = -1 },
                                      { .threshold = (double)INFINITY },
                                      { .threshold = (double)NAN },
                                      { .threshold = 1, .same = 1.1 },
                                      { .threshold = 1, .same = -0.1 },
                                      { .threshold = 1, .distinct = 0.9 },
                                      { .threshold = 1, .distinct = -1 },
                                      { .threshold = 1, .loose = 0.6 },
                                      { .threshold = 1, .tiers = -1 },
                                      { .threshold = 1, .limit = -1 } };
    marey_match_graph *graph = NULL;
    marey_error error;
    marey_search_def plain = { .threshold = 1 };
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        assert_int_equal(marey_search(ctx, &webs, segments[i], &plain, &graph, &error),
                         MAREY_ERR_REQUEST);
    }
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        assert_int_equal(marey_search(ctx, &webs, fine, &defs[i], &graph, NULL), MAREY_ERR_REQUEST);
    }
    assert_int_equal(marey_search(ctx, &webs, fine, NULL, &graph, NULL), MAREY_ERR_REQUEST);
    library.calls = 0;
    library.fail_at = 2;
    assert_int_equal(marey_search(ctx, &webs, fine, &plain, &graph, NULL), MAREY_ERR_IO);
    marey_ctx_cancel(ctx);
    library.fail_at = 0;
    assert_int_equal(marey_search(ctx, &webs, fine, &plain, &graph, NULL), MAREY_ERR_CANCELLED);
    assert_null(graph);
    marey_match_graph_free(NULL);
}

TEST(refused_memory_is_reported_and_leaves_nothing_behind)
{
    OWNED(marey_ctx) *plain = test_ctx();
    uint32_t seed = 5;
    OWNED(hand_library) library = { .clips = 2 };
    library.webs[0][0] = hand_web_random(plain, 40, 40, true, 9, 20, &seed);
    library.webs[0][1] = hand_web_random(plain, 40, 40, false, 9, 20, &seed);
    marey_webs webs = hand_library_webs(&library);
    marey_search_def def = { .threshold = 12 };
    bool done = false;
    for (long refuse = 0; !done && refuse < 1000; refuse = test_next(refuse)) {
        test_memory memory = { .refuse = refuse };
        marey_ctx *ctx;
        marey_ctx_def with = { .resize = test_memory_resize, .resize_user = &memory, .threads = 1 };
        if (marey_ctx_open(&with, &ctx) != MAREY_OK) continue;
        marey_match_graph *graph = NULL;
        marey_status status =
            marey_search(ctx, &webs, (marey_segment){ 0, 10, 20 }, &def, &graph, NULL);
        done = status == MAREY_OK;
        if (!done) {
            assert_int_equal(status, MAREY_ERR_MEMORY);
            assert_null(graph);
        } else {
            marey_path path = { .count = -1 };
            int edges;
            marey_match_graph_edges(graph, &edges);
            assert_true(edges > 2);
            memory.refuse = memory.calls;
            assert_int_equal(marey_match_graph_path(graph, 1, &path, NULL), MAREY_ERR_MEMORY);
            assert_int_equal(path.count, -1);
        }
        marey_match_graph_free(graph);
        marey_ctx_close(ctx);
        assert_int_equal(memory.live, 0);
        if (done) assert_true(refuse > 15);
    }
    assert_true(done);
}

/* ---- only while there are few ----------------------------------------------------------------- */

/* Which clips are like which, all of them whole, in ones; the last is what is like the third. */
static const char *const alike[] = { "12", "3", "456789:;", "5", "", "", "" };

typedef struct asked_for {
    mry_hit hits[16];
    mry_list steps;
    int times;
} asked_for;

static marey_status find_alike(void *user, marey_segment query, mry_hits *out, marey_error *error)
{
    asked_for *a = user;
    const char *like = alike[query.clip];
    int count = (int)strlen(like);
    (void)error;
    a->times++;
    for (int i = 0; i < count; i++)
        a->hits[i] = (mry_hit){ .at = { like[i] - '0', 0, 20 }, .mean = i + 1, .cells = 1 };
    *out = (mry_hits){ a->hits, count, &a->steps };
    return MAREY_OK;
}

TEST_CTX(what_is_like_a_match_is_left_out_where_it_is_much_more_than_was_found)
{
    static const struct {
        int few, tiers;
        const char *found;
        int times;
        double near; /* what is nearer is not asked: the first is 1 away */
    } rows[] = { { 9, 0, "01235", 5, 0 },
                 { 9, 0, "01235", 5, 1 },
                 { 9, 0, "012", 2, 1.5 },
                 { 9, 2, "0123", 3, 0 },
                 { 2, 0, "012", 1, 0 } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        asked_for a = { 0 };
        mry_hit_source source = {
            .clips = 16, .find = find_alike, .user = &a, .few = rows[r].few, .near = &rows[r].near
        };
        marey_search_def def = { .same = 0.5, .distinct = 0.2, .tiers = rows[r].tiers };
        OWNED(marey_match_graph) *graph = NULL;
        int count;
        test_ok(mry_search(ctx, &source, (marey_segment){ 0, 0, 20 }, &def, &graph, &test_error));
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        assert_int_equal(count, strlen(rows[r].found));
        for (int i = 0; i < count; i++) {
            /* The first of each is 1 away, so the way to a clip is as long as its tier; but the
               query's second. */
            assert_non_null(strchr(rows[r].found, '0' + found[i].at.clip));
            assert_true(found[i].distance == found[i].tier + (found[i].at.clip == 2));
            assert_true(found[i].path_distance == found[i].distance);
        }
        assert_int_equal(a.times, rows[r].times);
    }
}

/* ---- where others begin ------------------------------------------------------------------------ */

static const mry_hit_stage stages[] = { { 0.5, 0.8, 0.15, 6 }, { 0.8, 1.5, 0.3, 1 } };

/* Of a still cost of 10: surely up to 5; from there on not more than 6 within 1.5; and from 8 to 15, if
   there is nothing before, not two within 3. What is known tells no more than all would, and at some
   step as much. */
TEST(matches_end_where_others_begin)
{
    static const double steps[] = { 0.65, 0.95, 1.5 };
    static const struct {
        int sure, others; /* sure ones at 4; others from `from` on, one every `each` */
        double from, each;
        int kept;
        double threshold;
        int step; /* the first that tells */
    } rows[] = {
        { 0, 0, 0, 0, 0, 15, 2 },     { 3, 0, 0, 0, 3, 8, 1 },       { 3, 6, 6, 0.1, 9, 8, 1 },
        { 3, 7, 5.8, 0.1, 3, 5, 0 },  { 3, 7, 6.6, 0.1, 3, 5, 1 },   { 3, 7, 5.1, 0.3, 10, 8, 1 },
        { 30, 7, 6, 0.05, 30, 5, 0 }, { 0, 2, 8.5, 0.1, 0, 8, 1 },   { 0, 3, 8.1, 3.1, 3, 15, 2 },
        { 0, 3, 9, 2.9, 0, 8, 2 },    { 0, 9, 14.9, 0.01, 0, 8, 2 }, { 0, 1, 15, 0, 1, 15, 2 },
        { 3, 1, 9, 0, 3, 8, 1 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (int step = 0; step < 3; step++) {
            mry_hit hits[64] = { 0 };
            int count = 0;
            double threshold = 0;
            for (int i = rows[r].others; i-- > 0;) { /* in any order */
                double mean = rows[r].from + i * rows[r].each;
                if (mean <= 10 * steps[step]) hits[count++].mean = mean;
            }
            for (int i = 0; i < rows[r].sure; i++) hits[count++].mean = 4;
            bool tells = mry_hits_cut(hits, &count, 10, stages, 2, steps[step], &threshold);
            assert_int_equal(tells, step >= rows[r].step);
            if (!tells) continue;
            assert_int_equal(count, rows[r].kept);
            test_near(threshold, rows[r].threshold, 1e-9);
            for (int i = 1; i < count; i++) assert_true(hits[i].mean >= hits[i - 1].mean);
        }
    }
    /* One alone, then many: between the two. */
    mry_hit hits[9] = { { .mean = 0.52 } };
    int count = 9;
    double threshold;
    for (int i = 1; i < 9; i++) hits[i].mean = 0.7 + 0.001 * i;
    assert_true(mry_hits_cut(hits, &count, 1, stages, 2, 0.95, &threshold));
    test_near(threshold, (0.52 + 0.701) / 2, 1e-9);
    assert_int_equal(count, 1);
}

TEST_GROUP_OF_CASES(test_search_tiers, NULL, NULL)
