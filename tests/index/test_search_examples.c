/* test_search_examples.c - searching with motions that are liked and not liked. The judge has every
   end of the whole grid of each of them, and takes the nearest of all, one after the other, with
   what is in its place. Distances are judged in test_query_scan.c. */
#include "searcher_bench.h"

#include "match/query_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

/* Of "kicks": with the other foot, and another of the query's. Of the others: punches. */
static const marey_query left_kick = { .clip = "kicks", .start = 372, .end = 502 };
static const marey_query third_kick = { .clip = "kicks", .start = 1137, .end = 1263 };
static const marey_query punch = { .clip = "punches", .start = 130, .end = 331 };
static const marey_query blow = { .clip = "fight", .start = 60, .end = 150 };

static bool is_same(const char *name, int start, int end, const char *other, int from, int to)
{
    int first = start > from ? start : from, last = end < to ? end : to;
    int own = end - start, whole = to - from;
    return strcmp(name, other) == 0 && last > first &&
           2 * (last - first) >= (own < whole ? own : whole);
}

/* ---- the judge ------------------------------------------------------------------------------- */

enum { CLIPS = 3, MOST = 40000 };
static const char *const names[CLIPS] = { "kicks", "fight", "punches" };

/* An end that a whole grid has. All clips have 60 frames a second: rows are frames. */
typedef struct judged {
    const char *name;
    int start, end;
    double distance;
    bool unliked, gone, won;
} judged;

typedef struct pool {
    judged all[MOST];
    int count, left_out;
    double threshold, still; /* of the query */
} pool;

static bool is_example(const judged *one, const marey_query *examples, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_same(one->name, one->start, one->end, examples[i].clip, examples[i].start,
                    examples[i].end))
            return true;
    }
    return false;
}

/* Of an example, in the measure of the query, which is the first. `threshold` 0: 4/3 of 0.6 of what
   standing still scores. */
static void add_ends(test_library *f, marey_query of, bool mirror, bool unliked, double threshold,
                     pool *out)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    mry_poses poses[CLIPS], turned;
    int own = 0;
    for (int i = 0; i < CLIPS; i++) {
        OWNED(marey_clip) *clip = test_library_load(f, names[i]);
        test_ok(mry_poses_make(&mem, clip, 60, &poses[i], &test_error));
        if (strcmp(names[i], of.clip) == 0) own = i;
    }
    assert_true(mry_poses_mirror(&mem, &poses[own], &turned));
    double still = 0;
    for (int i = 0; i < 2 * CLIPS; i++) {
        const mry_poses *in = &poses[i % CLIPS], *side = i < CLIPS ? &poses[own] : &turned;
        float weights[MAREY_ROLE_COUNT];
        mry_scan_query query;
        mry_scan_strip strip;
        mry_scan_ends ends;
        if (i >= CLIPS && !mirror) break;
        assert_true(mry_query_weights(&mem, side, of.start, of.end, in->has, weights));
        assert_true(mry_scan_query_make(&mem, side, of.start, of.end, 2, weights, 1, &query));
        if (i == 0) still = (double)mry_still_cost(&mem, &query, side, of.start, 1);
        if (out->count == 0) out->still = still;
        double measure = out->still / still, most = threshold > 0 ? threshold : 0.8 * out->still;
        assert_true(mry_scan_measure(&mem, &query, in, 1, (float)(most / measure),
                                     (mry_stretch){ 0, 0, in->rows, NULL }, &strip, &ends));
        for (int k = 0; k < ends.count; k++) {
            assert_true(out->count < MOST);
            out->all[out->count++] = (judged){ .name = names[i % CLIPS],
                                               .start = ends.items[k].start,
                                               .end = ends.items[k].end + 1,
                                               .distance = (double)ends.items[k].cost * measure,
                                               .unliked = unliked };
        }
    }
}

/* Takes what is in the place of one away; true: something that is liked was. */
static bool take_place(pool *of, const char *name, int start, int end)
{
    bool any = false;
    for (int i = 0; i < of->count; i++) {
        judged *one = &of->all[i];
        if (one->gone || one->won || !is_same(one->name, one->start, one->end, name, start, end))
            continue;
        one->gone = true;
        any |= !one->unliked;
    }
    return any;
}

static void put_together(test_library *f, marey_query query, const marey_find_def *def, pool *out)
{
    double given = def->search.threshold;
    out->count = out->left_out = 0;
    add_ends(f, query, def->mirror, false, given, out);
    for (int i = 0; i < def->like_count; i++)
        add_ends(f, def->like[i], def->mirror, false, given, out);
    /* As wide as the nearest that is not liked is far, but by no more than a third. */
    out->threshold = given > 0 ? given : (def->unlike_count > 0 ? 0.8 : 0.6) * out->still;
    for (int i = 0; i < out->count && !(given > 0); i++) {
        if (is_example(&out->all[i], def->unlike, def->unlike_count))
            out->threshold = fmin(out->threshold, out->all[i].distance);
    }
    if (!(given > 0)) out->threshold = fmax(out->threshold, 0.6 * out->still);
    for (int i = 0; i < def->unlike_count; i++)
        add_ends(f, def->unlike[i], def->mirror, true, given, out);
    for (int i = 0; i < out->count; i++) out->all[i].gone = out->all[i].distance > out->threshold;
    take_place(out, query.clip, query.start, query.end);
    for (int i = 0; i < def->like_count; i++)
        take_place(out, def->like[i].clip, def->like[i].start, def->like[i].end);
    for (int i = 0; i < def->unlike_count; i++)
        out->left_out +=
            take_place(out, def->unlike[i].clip, def->unlike[i].start, def->unlike[i].end);
    for (;;) {
        int least = -1;
        for (int i = 0; i < out->count; i++) {
            if (out->all[i].gone || out->all[i].won) continue;
            if (least < 0 || out->all[i].distance < out->all[least].distance) least = i;
        }
        if (least < 0) break;
        judged *by = &out->all[least];
        by->won = true;
        out->left_out += take_place(out, by->name, by->start, by->end) && by->unliked;
    }
}

/* The query, what is liked at no distance, then what the judge has. */
static void check(test_library *f, marey_query query, const marey_find_def *def, pool *judge)
{
    OWNED(marey_finding) *finding = test_searcher_find(f, query, def);
    marey_finding_report report = marey_finding_report_of(finding);
    int count, expected = 1 + def->like_count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    put_together(f, query, def, judge);
    test_near(report.threshold, judge->threshold, 1e-4 * judge->threshold);
    assert_true(report.chosen == (def->search.threshold == 0) && report.tiers <= 1);
    assert_int_equal(report.liked, def->like_count);
    assert_int_equal(report.unliked, def->unlike_count);
    assert_int_equal(report.left_out, judge->left_out);
    for (int i = 0; i < judge->count; i++)
        expected += !judge->all[i].gone && !judge->all[i].unliked;
    assert_int_equal(count, expected);
    for (int i = 1; i < count; i++) {
        const marey_match *match = &matches[i];
        judged as = { .name = match->name, .start = match->start, .end = match->end };
        bool liked = is_example(&as, def->like, def->like_count), found = liked;
        assert_false(is_example(&as, def->unlike, def->unlike_count));
        assert_true(liked == (i <= def->like_count) && match->tier == 1);
        assert_true(match->path_distance == match->distance && (!liked || match->distance == 0));
        assert_true(match->distance >= matches[i - 1].distance);
        for (int k = 0; k < judge->count && !found; k++) {
            const judged *one = &judge->all[k];
            found = one->won && !one->unliked && strcmp(one->name, match->name) == 0 &&
                    one->start == match->start && one->end == match->end &&
                    fabs(one->distance - match->distance) <= 1e-4 * one->distance;
        }
        assert_true(found);
    }
}

CASE(a_match_is_like_what_is_liked_and_more_so_than_like_what_is_not)
{
    const marey_query both[] = { left_kick, punch }, blows[] = { blow, third_kick };
    const marey_find_def rows[] = {
        { .like = &left_kick, .like_count = 1 },
        { .unlike = &left_kick, .unlike_count = 1 },
        { .unlike = &third_kick, .unlike_count = 1 },
        { .like = both, .like_count = 2, .unlike = &third_kick, .unlike_count = 1 },
        { .like = &left_kick, .like_count = 1, .unlike = blows, .unlike_count = 2 },
        { .like = &punch,
          .like_count = 1,
          .unlike = &blow,
          .unlike_count = 1,
          .search = { .threshold = 900 } },
        { .like = &left_kick, .like_count = 1, .unlike = &blow, .unlike_count = 1, .mirror = true },
    };
    FREED pool *judge = malloc(sizeof *judge);
    int left_out = 0, wider = 0, found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(f, test_kick, &rows[i], judge);
        left_out += judge->left_out;
        for (int k = 0; k < judge->count; k++) found += judge->all[k].won;
        wider += judge->threshold > 1.01 * 0.6 * judge->still;
    }
    assert_true(left_out > 2 && wider > 2 && found > 20);
}

CASE(likes_find_what_the_query_alone_does_not_and_unlikes_take_it_out_again)
{
    marey_find_def def = { .like = &left_kick, .like_count = 1 };
    OWNED(marey_finding) *plain = test_searcher_find(f, test_kick, NULL);
    OWNED(marey_finding) *more = test_searcher_find(f, test_kick, &def);
    assert_true(!test_found(plain, "kicks", 875, 997) && test_found(more, "kicks", 875, 997));
    assert_true(test_found(more, "kicks", 1137, 1263));
    marey_query right = { .clip = "kicks", .start = 621, .end = 749 };
    def.unlike = &right;
    def.unlike_count = 1;
    OWNED(marey_finding) *fewer = test_searcher_find(f, test_kick, &def);
    assert_true(!test_found(fewer, "kicks", 621, 749) && test_found(fewer, "kicks", 875, 997));
    /* From outside the same; in a cut it is the frames of its source. */
    OWNED(marey_clip) *kicks = test_library_load(f, "kicks");
    marey_query outside = { .outside = kicks, .start = test_kick.start, .end = test_kick.end };
    def.nearest = 5;
    OWNED(marey_finding) *from_outside = test_searcher_find(f, outside, &def);
    assert_int_equal(test_found_count(from_outside), 1 + 1 + 5);
    def.nearest = 0;
    test_ok(marey_library_cut(f->library, "kicks", left_kick.start, left_kick.end, "left", NULL, 0,
                              &test_error));
    def.like = &(marey_query){ .clip = "left", .end = left_kick.end - left_kick.start };
    OWNED(marey_finding) *by_cut = test_searcher_find(f, test_kick, &def);
    test_same_findings(fewer, by_cut);
    /* And at another rate, the same motion. */
    marey_clip *paced = NULL;
    test_ok(marey_clip_resample(kicks, 30, &paced, &test_error));
    test_searcher_put(f->library, paced, "paced", NULL);
    def.like =
        &(marey_query){ .clip = "paced", .start = left_kick.start / 2, .end = left_kick.end / 2 };
    OWNED(marey_finding) *by_pace = test_searcher_find(f, test_kick, &def);
    assert_true(test_found(by_pace, "kicks", left_kick.start, left_kick.end));
    assert_true(test_found(by_pace, "kicks", 875, 997) && test_found(by_pace, "paced", 438, 498));
    assert_false(test_found(by_pace, "kicks", 621, 749) || test_found(by_pace, "paced", 311, 374));
}

/* Every edge leads from end to end of what it connects, those of what is liked too. */
CASE(what_is_liked_is_aligned_with_the_query_whatever_its_length)
{
    const marey_query liked[] = { left_kick,
                                  { .clip = "punches", .start = 10, .end = 20 },
                                  { .clip = "fight", .start = 0, .end = 590 } };
    marey_find_def def = { .like = liked, .like_count = 3, .mirror = true };
    OWNED(marey_finding) *finding = test_searcher_find(f, test_kick, &def);
    int count, edges, direct = 0;
    const marey_match *matches = marey_finding_matches(finding, &count);
    const marey_match_edge *edge = marey_finding_edges(finding, &edges);
    assert_int_equal(edges, count - 1);
    for (int e = 0; e < edges; e++) {
        const marey_match *from = &matches[edge[e].from], *to = &matches[edge[e].to];
        OWNED(marey_path) path = { 0 };
        test_ok(marey_finding_path(finding, e, &path, &test_error));
        const marey_cell *first = &path.cells[0], *last = &path.cells[path.count - 1];
        assert_true(first->row == from->start && last->row == from->end - 1);
        assert_true(first->col == to->start && last->col == to->end - 1);
        direct += edge[e].from == 0;
        if (edge[e].from == 0 && strcmp(to->name, "kicks") == 0 && to->start == left_kick.start)
            assert_true(to->mirrored && to->distance == 0);
    }
    assert_true(direct >= 3 && direct < edges);
    /* A later tier goes on from what was found, and comes to nothing that is not liked. */
    def.search.tiers = 2;
    def.like_count = 1;
    def.unlike = &third_kick;
    def.unlike_count = 1;
    OWNED(marey_finding) *deeper = test_searcher_find(f, test_kick, &def);
    assert_false(test_found(deeper, "kicks", 1137, 1263));
    assert_true(test_found(deeper, "kicks", 372, 502));
}

CASE(what_is_said_twice_counts_once_and_contradictions_are_refused)
{
    const marey_query again[] = { left_kick,
                                  { .clip = "kicks", .start = 375, .end = 500 },
                                  test_kick };
    marey_find_def def = { .like = again, .like_count = 1 };
    OWNED(marey_finding) *once = test_searcher_find(f, test_kick, &def);
    def.like_count = 3;
    OWNED(marey_finding) *twice = test_searcher_find(f, test_kick, &def);
    test_same_findings(once, twice);
    assert_int_equal(marey_finding_report_of(twice).liked, 1);

    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    test_searcher_put_thing(f->library, "thing", "lid", 1);
    const struct {
        marey_query like, unlike;
        marey_status status;
        const char *words;
    } rows[] = {
        { left_kick, again[1], MAREY_ERR_REQUEST, "frames 375-500 are both liked and unliked" },
        { left_kick, test_kick, MAREY_ERR_REQUEST, "frames 122-252 are the query and unliked" },
        { { .clip = "nix", .end = 9 }, punch, MAREY_ERR_NOT_FOUND, "nix" },
        { { .clip = "kicks", .start = 9000, .end = 9010 }, punch, MAREY_ERR_REQUEST, "outside" },
        { punch, { .clip = "kicks", .start = 5, .end = 6 }, MAREY_ERR_REQUEST, "too few" },
        { { .outside = clip, .end = 60 }, punch, MAREY_ERR_REQUEST, "must be in the library" },
        { punch, { .clip = "thing", .end = 40 }, MAREY_ERR_SHAPE, "in common with the query" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        def = (marey_find_def){
            .like = &rows[i].like, .like_count = 1, .unlike = &rows[i].unlike, .unlike_count = 1
        };
        test_searcher_refuses(f, test_kick, &def, rows[i].status, rows[i].words);
    }
    test_searcher_index(f->library, 30);
    def.web = true;
    test_searcher_refuses(f, test_kick, &def, MAREY_ERR_REQUEST, "by poses");
}

TEST_GROUP_OF_CASES(test_search_examples, test_searcher_base_make, test_searcher_base_remove)
