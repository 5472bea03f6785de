/* test_searcher.c - searching a library by its match webs: what is found, queries from outside and
   from clips that are not indexed, labels, tiers, invalid requests. The matches themselves are judged
   in test_search*.c, searches by poses in test_pose_search.c. */
#include "searcher_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const marey_find_def by_web = { .web = true };

/* ---- searching ------------------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

CASE(a_kick_finds_the_kicks_with_that_foot)
{
    OWNED(marey_finding) *finding = test_searcher_find(f, test_kick, &by_web);
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    assert_int_equal(matches[0].start, TEST_KICK_START);
    assert_int_equal(matches[0].end, TEST_KICK_END);
    assert_string_equal(matches[0].name, "kicks");
    assert_true(matches[0].distance == 0 && matches[0].path_distance == 0 && matches[0].tier == 0);
    for (int i = 1; i < count; i++) {
        assert_true(matches[i].path_distance >= matches[i - 1].path_distance);
        assert_true(matches[i].distance <= MAREY_FIND_THRESHOLD);
        assert_true(matches[i].tier >= 1 && matches[i].start < matches[i].end);
    }
    assert_true(test_found(finding, "kicks", 621, 749));
    assert_true(test_found(finding, "kicks", 1137, 1263));
    assert_false(test_found(finding, "kicks", 372, 502));
    marey_finding_report report = marey_finding_report_of(finding);
    assert_true(report.threshold == MAREY_FIND_THRESHOLD && report.fps == 30);
    assert_true(report.ceiling == MAREY_WEB_CEILING && !report.past_ceiling);
    assert_int_equal(report.clips_missing, 0);
    assert_true(report.tiers >= 1 && !report.limited && report.seconds > 0);
}

CASE(a_finding_stays_when_all_else_is_gone)
{
    OWNED(marey_finding) *finding = test_searcher_find(f, test_kick, &by_web);
    marey_path path;
    int count, edges;
    marey_searcher_free(f->searcher);
    test_library_close(f);
    f->searcher = NULL;
    f->library = NULL;
    const marey_match *matches = marey_finding_matches(finding, &count);
    const marey_match_edge *all = marey_finding_edges(finding, &edges);
    assert_true(count > 1 && edges >= count - 1);
    for (int i = 0; i < edges; i++) {
        test_ok(marey_finding_path(finding, i, &path, NULL));
        const marey_match *from = &matches[all[i].from], *to = &matches[all[i].to];
        assert_int_equal(path.count, all[i].cells);
        assert_memory_equal(&path.cells[0], &all[i].first, sizeof all[i].first);
        assert_memory_equal(&path.cells[path.count - 1], &all[i].last, sizeof all[i].last);
        /* Averaged intervals are a few frames off. */
        assert_in_range(path.cells[0].row + 20, from->start, from->end + 40);
        assert_in_range(path.cells[0].col + 20, to->start, to->end + 40);
        marey_path_free(&path);
    }
    assert_int_equal(marey_finding_path(finding, edges, &path, NULL), MAREY_ERR_REQUEST);
}

/* ---- from outside ---------------------------------------------------------------------------- */

/* But for the query itself, which the library has too. */
static void expect_same_but_itself(const marey_finding *inside, const marey_finding *outside)
{
    enum { NEAR = 8 };
    int in_count, out_count, k = 1;
    const marey_match *in = marey_finding_matches(inside, &in_count);
    const marey_match *out = marey_finding_matches(outside, &out_count);
    assert_int_equal(out_count, in_count + 1);
    for (int i = 1; i < out_count; i++) {
        bool itself =
            strcmp(out[i].name, in[0].name) == 0 && abs(out[i].start - in[0].start) <= NEAR;
        if (itself) {
            assert_in_range(out[i].end, in[0].end - NEAR, in[0].end + NEAR);
            assert_true(out[i].distance < 0.1);
            continue;
        }
        assert_string_equal(out[i].name, in[k].name);
        assert_int_equal(out[i].start, in[k].start);
        assert_int_equal(out[i].end, in[k].end);
        assert_true(fabs(out[i].distance - in[k].distance) < 1e-3 * in[k].distance);
        k++;
    }
}

CASE(a_query_from_outside_finds_what_it_finds_inside)
{
    marey_find_def first = { .search = { .tiers = 1 }, .web = true };
    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    /* What is compared begins with the clip for the one, and later for the other. */
    static const marey_part parts[] = { { 0, TEST_KICK_START, TEST_KICK_END }, { 0, 621, 749 } };
    for (int i = 0; i < 2; i++) {
        marey_query here = { .clip = "kicks", .start = parts[i].start, .end = parts[i].end };
        marey_query there = { .outside = clip, .start = parts[i].start, .end = parts[i].end };
        OWNED(marey_finding) *inside = test_searcher_find(f, here, &first),
                             *outside = test_searcher_find(f, there, &first);
        int count;
        const marey_match *matches = marey_finding_matches(outside, &count);
        assert_int_equal(matches[0].clip, 0);
        assert_string_equal(matches[0].name, marey_clip_name(clip));
        assert_int_equal(matches[0].start, parts[i].start);
        const marey_match_edge *edges = marey_finding_edges(outside, &count);
        assert_in_range(edges[0].first.row, parts[i].start - 10, parts[i].start + 20);
        expect_same_but_itself(inside, outside);
    }
}

/* The index has every second frame of the clip. What is compared of a query from outside must have
   the same ones, also where it would begin with the clip's second frame. */
CASE(a_query_from_outside_is_sampled_where_the_clip_is)
{
    marey_find_def first = { .search = { .tiers = 1 }, .web = true };
    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    marey_finding_free(test_searcher_find(f, test_kick, &first)); /* it has its settings now */
    const mry_index_settings *settings = &f->searcher->settings;
    double step = marey_clip_fps(clip) / settings->fps;
    assert_true(fabs(step - 2) < 1e-6 && settings->web.tail_s > 0);
    int before =
        (int)ceil((settings->web.bridge_s + settings->web.tail_s + 0.5) * marey_clip_fps(clip) +
                  settings->metric.window * step);
    for (int later = -2; later <= 4; later++) {
        int start = before + later, cut = (621 - start) / 2 * 2, count, found = 0;
        OWNED(marey_clip) *part = NULL;
        test_ok(marey_clip_trim(clip, cut, marey_clip_frames(clip), &part, &test_error));
        marey_query query = { .outside = part, .start = start, .end = start + 128 };
        OWNED(marey_finding) *finding = test_searcher_find(f, query, &first);
        const marey_match *matches = marey_finding_matches(finding, &count);
        for (int i = 1; i < count; i++) {
            if (strcmp(matches[i].name, "kicks") != 0 || abs(matches[i].start - cut - start) > 8)
                continue;
            assert_true(matches[i].distance < 1e-4);
            found++;
        }
        assert_int_equal(found, 1);
    }
}

CASE(a_clip_that_is_not_indexed_can_be_the_query)
{
    marey_find_def first = { .search = { .tiers = 1 }, .web = true };
    OWNED(marey_finding) *inside = test_searcher_find(f, test_kick, &first);
    test_searcher_put(f->library, test_library_load(f, "kicks"), "again", NULL);
    marey_query query = { .clip = "again", .start = TEST_KICK_START, .end = TEST_KICK_END };
    OWNED(marey_finding) *again = test_searcher_find(f, query, &first);
    int count;
    const marey_match *matches = marey_finding_matches(again, &count);
    assert_true(matches[0].clip > 0);
    assert_string_equal(matches[0].name, "again");
    assert_int_equal(marey_finding_report_of(again).clips_missing, 1);
    expect_same_but_itself(inside, again);
}

CASE(a_query_that_has_nothing_in_common_with_any_clip_is_refused)
{
    static const char bvh[] = "HIERARCHY\nROOT thing\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                              "Yposition Zposition Zrotation Xrotation Yrotation\nEnd "
                              "Site\n{\nOFFSET 0 10 0\n}\n}\nMOTION\nFrames: 60\nFrame Time: "
                              "0.0166667\n";
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", bvh);
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 50 1 0 %d 0\n", i, i);
    OWNED(marey_clip) *clip = test_clip(f->ctx, text);
    test_searcher_refuses(f, (marey_query){ .outside = clip, .start = 0, .end = 60 }, &by_web,
                          MAREY_ERR_SHAPE, "in common");
}

/* ---- where, and how far ---------------------------------------------------------------------- */

CASE(labels_and_lists_restrict_where_is_searched)
{
    int64_t fight = test_library_number(f, "fight"),
            both[2] = { fight, test_library_number(f, "kicks") };
    marey_find_def defs[] = {
        { .search = { .threshold = 400 }, .web = true, .label = "mixed" },
        { .search = { .threshold = 400 }, .web = true, .clips = &fight, .clip_count = 1 },
        { .search = { .threshold = 400 },
          .web = true,
          .label = "mixed",
          .clips = both,
          .clip_count = 2 },
    };
    for (int i = 0; i < 3; i++) {
        marey_finding *finding = test_searcher_find(f, test_kick, &defs[i]);
        int count;
        const marey_match *matches = marey_finding_matches(finding, &count);
        assert_string_equal(matches[0].name, "kicks");
        assert_true(count > 1);
        for (int k = 1; k < count; k++) assert_string_equal(matches[k].name, "fight");
        marey_finding_free(finding);
    }
    /* Of frames: one of the three kicks with the right foot. */
    marey_clip_range frames = { "kicks", 600, 740 };
    marey_edit_def second = { .add = (const char *const[]){ "second" }, .add_count = 1 };
    test_ok(marey_library_edit_frames(f->library, &frames, 1, &second, &test_error));
    marey_find_def of_frames = { .web = true, .label = "second" };
    OWNED(marey_finding) *one = test_searcher_find(f, test_kick, &of_frames);
    assert_true(test_found_count(one) == 2 && test_found(one, "kicks", 621, 749));
    marey_find_def nowhere = { .web = true, .label = "kick", .clips = &fight, .clip_count = 1 };
    marey_finding *finding = test_searcher_find(f, test_kick, &nowhere);
    assert_int_equal(test_found_count(finding), 1);
    marey_finding_free(finding);
    int64_t none = 4711;
    test_searcher_refuses(f, test_kick, &(marey_find_def){ .web = true, .label = "dance" },
                          MAREY_ERR_REQUEST, "no clip has the label dance");
    test_searcher_refuses(f, test_kick,
                          &(marey_find_def){ .web = true, .clips = &none, .clip_count = 1 },
                          MAREY_ERR_NOT_FOUND, "no clip #4711");
}

/* Like the first of the three and unlike the second, which is like the first: with this threshold
   it is two tiers off. */
static const marey_query third_kick = { .clip = "kicks", .start = 1137, .end = 1263 };
static const double two_tiers = 35;

CASE(tiers_and_limit_are_kept)
{
    marey_find_def def = { .search = { .threshold = 300, .limit = 1 }, .web = true };
    marey_finding *finding = test_searcher_find(f, test_kick, &def);
    assert_int_equal(test_found_count(finding), 2);
    assert_true(marey_finding_report_of(finding).limited);
    marey_finding_free(finding);
    for (int tiers = 1; tiers <= 2; tiers++) {
        def.search = (marey_search_def){ .threshold = two_tiers, .tiers = tiers };
        finding = test_searcher_find(f, third_kick, &def);
        assert_int_equal(test_found_count(finding), tiers + 1);
        assert_int_equal(marey_finding_report_of(finding).tiers, tiers);
        marey_finding_free(finding);
    }
    def.search = (marey_search_def){ .threshold = 2 * MAREY_WEB_CEILING, .tiers = 1 };
    finding = test_searcher_find(f, test_kick, &def);
    assert_true(marey_finding_report_of(finding).past_ceiling);
    marey_finding_free(finding);
}

CASE(every_tier_is_shown_and_can_be_the_last)
{
    test_watch w = { 0 };
    marey_find_def def = {
        .search = { .threshold = two_tiers }, .web = true, .found = test_see_tier, .user = &w
    };
    marey_finding *finding = test_searcher_find(f, third_kick, &def);
    int all = test_found_count(finding), tiers = marey_finding_report_of(finding).tiers;
    assert_int_equal(w.count, all);
    assert_true(w.ordered && w.tiers >= tiers && tiers > 1);
    marey_finding_free(finding);
    w = (test_watch){ .stop_at = 1 };
    finding = test_searcher_find(f, third_kick, &def);
    assert_int_equal(w.tiers, 1);
    assert_int_equal(w.count, test_found_count(finding));
    assert_true(w.count < all);
    marey_finding_free(finding);
}

/* ---- invalid requests ------------------------------------------------------------------------ */

CASE(invalid_queries_are_refused)
{
    static const struct {
        marey_query query;
        marey_status status;
        const char *words;
    } wrong[] = {
        { { .clip = "kick", .start = 0, .end = 9 }, MAREY_ERR_NOT_FOUND, "kicks" },
        { { .clip = "#77", .start = 0, .end = 9 }, MAREY_ERR_NOT_FOUND, "77" },
        { { .clip = "kicks", .start = 1290, .end = 1301 }, MAREY_ERR_REQUEST, "which has 1300" },
        { { .clip = "kicks", .start = -1, .end = 100 }, MAREY_ERR_REQUEST, "outside" },
        { { .clip = "kicks", .start = 100, .end = 100 }, MAREY_ERR_REQUEST, "no segment" },
        { { .clip = "kicks", .start = 100, .end = 102 }, MAREY_ERR_REQUEST, "too few" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_searcher_refuses(f, wrong[i].query, &by_web, wrong[i].status, wrong[i].words);
    test_searcher_refuses(f, test_kick,
                          &(marey_find_def){ .search = { .threshold = -1 }, .web = true },
                          MAREY_ERR_REQUEST, "threshold");
    marey_ctx_cancel(f->ctx);
    test_searcher_refuses(f, test_kick, &by_web, MAREY_ERR_CANCELLED, "");
    marey_ctx_resume(f->ctx);
}

CASE(without_webs_the_message_says_how_to_make_them)
{
    test_ok(marey_library_index_drop(f->library, &test_error));
    test_searcher_refuses(f, test_kick, &by_web, MAREY_ERR_INPUT,
                          "no match web yet; run marey index --web");
    marey_finding_free(test_searcher_find(f, test_kick, NULL)); /* poses need none */
    test_searcher_refuses(f, test_kick, &by_web, MAREY_ERR_INPUT, "no match web yet");
}

CASE(metrics_without_a_usual_threshold_need_one)
{
    marey_index_report report;
    marey_metric_def metric = { .metric = marey_metric_named("angles") };
    marey_index_def def = { .fps = 15, .metric = &metric };
    test_ok(marey_library_index(f->library, &def, &report, &test_error));
    test_searcher_refuses(f, test_kick, &by_web, MAREY_ERR_REQUEST, "angles");
    OWNED(marey_finding) *finding = test_searcher_find(
        f, test_kick, &(marey_find_def){ .search = { .threshold = 0.1, .tiers = 1 }, .web = true });
    assert_true(marey_finding_report_of(finding).fps == 15);
    assert_true(isinf(marey_finding_report_of(finding).ceiling));
}

TEST_GROUP_OF_CASES(test_searcher, test_searcher_base_make, test_searcher_base_remove)
