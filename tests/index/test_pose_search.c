/* test_pose_search.c - searching a library by poses: everything that the whole grid of every clip
   has up to the threshold is found and nothing else, of bodies of any size and clips of any rate.
   Distances and bounds are judged in test_query_scan.c. */
#include "card_plain.h"
#include "program_lines.h"
#include "searcher_bench.h"

#include "card/card_hold.h"
#include "match/query_weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

/* Share of the shorter one. */
static double shared(int start, int end, int other_start, int other_end)
{
    int from = start > other_start ? start : other_start, to = end < other_end ? end : other_end;
    int own = end - start, other = other_end - other_start;
    return to > from ? (double)(to - from) / (own < other ? own : other) : 0;
}

/* INFINITY: it was not found. */
static double distance_at(const marey_finding *finding, const char *name, int start, int end)
{
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 1; i < count; i++) {
        if (strcmp(matches[i].name, name) == 0 &&
            shared(matches[i].start, matches[i].end, start, end) > 0.8)
            return matches[i].distance;
    }
    return INFINITY;
}

static int count_in(const marey_finding *finding, const char *name)
{
    int count, in = 0;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 1; i < count; i++) in += strcmp(matches[i].name, name) == 0;
    return in;
}

/* ---- against the whole grid ------------------------------------------------------------------ */

enum { CLIPS = 3, ROWS = 2400 };
static const char *const names[CLIPS] = { "kicks", "fight", "punches" };

/* A match by the whole grid. All clips have 60 frames a second: rows are frames. */
typedef struct judged {
    int clip, start, end;
    double cost;
} judged;

typedef struct whole {
    judged ends[ROWS];
    int count;
    double still;
} whole;

static int by_cost(const void *a, const void *b)
{
    double x = ((const judged *)a)->cost, y = ((const judged *)b)->cost;
    return (x > y) - (x < y);
}

/* Of ends, or of those with half of their rows in `has`, that share a half the best stays. Distances
   are by how much both move, but what moves more than the query counts no more than 1.5 times. The
   best first. */
static void measure_whole(test_library *f, marey_query asked, double cutoff, uint8_t (*has)[ROWS],
                          whole *out)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    mry_poses poses[CLIPS];
    float weights[MAREY_ROLE_COUNT];
    mry_scan_query query;
    int own = 0, kept = 0, near = 0;
    out->count = 0;
    for (int i = 0; i < CLIPS; i++) {
        OWNED(marey_clip) *clip = test_library_load(f, names[i]);
        assert_true(marey_clip_fps(clip) == 60);
        test_ok(mry_poses_make(&mem, clip, 60, &poses[i], &test_error));
        if (strcmp(names[i], asked.clip) == 0) own = i;
    }
    assert_true(poses[0].has == poses[1].has && poses[1].has == poses[2].has);
    const mry_poses *of = &poses[own];
    assert_true(mry_query_weights(&mem, of, asked.start, asked.end, of->has, weights));
    assert_true(mry_scan_query_make(&mem, of, asked.start, asked.end, 2, weights, 1, &query));
    out->still = (double)mry_still_cost(&mem, &query, of, asked.start, 1);
    for (int i = 0; i < CLIPS; i++) {
        mry_scan_ends ends;
        mry_scan_strip strip;
        assert_true(mry_scan_measure(&mem, &query, &poses[i], 1, 1.25f * (float)cutoff,
                                     (mry_stretch){ 0, 0, poses[i].rows, NULL }, &strip, &ends));
        for (int k = 0; k < ends.count; k++) {
            judged end = { i, ends.items[k].start, ends.items[k].end + 1,
                           (double)ends.items[k].cost };
            int inside = 0;
            for (int row = end.start; has && row < end.end; row++) inside += has[i][row];
            if (has && 2 * inside < end.end - end.start) continue;
            assert_true(out->count < ROWS);
            out->ends[out->count++] = end;
        }
    }
    qsort(out->ends, (size_t)out->count, sizeof *out->ends, by_cost);
    for (int i = 0; i < out->count; i++) {
        judged one = out->ends[i];
        bool alone = one.clip != own || shared(one.start, one.end, asked.start, asked.end) < 0.5;
        for (int k = 0; k < kept; k++)
            alone &= out->ends[k].clip != one.clip ||
                     shared(one.start, one.end, out->ends[k].start, out->ends[k].end) < 0.5;
        if (alone) out->ends[kept++] = one;
    }
    for (int i = 0; i < kept; i++) {
        judged one = out->ends[i];
        mry_scan_query it;
        assert_true(
            mry_scan_query_make(&mem, &poses[one.clip], one.start, one.end, 2, weights, 1, &it));
        double still = (double)mry_still_cost(&mem, &it, &poses[one.clip], one.start, 1);
        one.cost *= out->still / ((out->still + fmin(still, 1.5 * out->still)) / 2);
        if (one.cost <= cutoff) out->ends[near++] = one;
    }
    out->count = near;
    qsort(out->ends, (size_t)near, sizeof *out->ends, by_cost);
}

static bool is_match(const judged *end, const marey_match *match)
{
    return strcmp(names[end->clip], match->name) == 0 && end->start == match->start &&
           end->end == match->end;
}

/* The finding has all of them in its first tier, but for those that are at the threshold, and others
   behind it. */
static void check_all(const whole *all, const marey_finding *finding)
{
    int count, tier = 0, near = 0;
    const marey_match *matches = marey_finding_matches(finding, &count);
    double threshold = marey_finding_report_of(finding).threshold;
    for (int i = 1; i < count; i++) {
        const marey_match *one = &matches[i];
        int k = 0;
        assert_true(one->distance >= matches[i - 1].distance);
        if (one->tier != 1) continue;
        while (k < all->count && !is_match(&all->ends[k], one)) k++;
        assert_true(k < all->count && one->path_distance == one->distance);
        test_near(one->distance, all->ends[k].cost, 1e-4 * all->ends[k].cost);
        tier++;
    }
    for (int k = 0; k < all->count; k++) near += all->ends[k].cost <= (1 - 1e-5) * threshold;
    assert_true(tier >= near);
}

/* Is the threshold where others begin? Of all distances from 0.5 of the still cost on, it is before
   the first from which on more than 6 come in 0.15 of it, at most 0.8 of it; if there is nothing up
   to there, before the first from which on more than one come in 0.3, at most 1.5. More than 40 up
   to 0.5 are enough. */
static bool is_chosen(const whole *all, double threshold)
{
    static const double from[] = { 0.5, 0.8, 1.5 }, window[] = { 0.15, 0.3 };
    static const int few[] = { 6, 1 };
    int sure = 0, nearer = 0;
    for (int k = 0; k < all->count; k++) {
        sure += all->ends[k].cost <= from[0] * all->still;
        nearer += all->ends[k].cost <= from[1] * all->still;
    }
    int stage = nearer == 0;
    double low = from[stage] * all->still, at = from[stage + 1] * all->still, before = low;
    if (sure > 40) return fabs(threshold - low) < 1e-4 * low;
    for (int i = -1; i < all->count; i++) {
        double begin = i < 0 ? low : all->ends[i].cost;
        int more = 0;
        if (begin < low || begin > at) continue;
        for (int k = 0; k < all->count; k++)
            more += (i < 0 ? all->ends[k].cost > begin : k >= i) &&
                    all->ends[k].cost < begin + window[stage] * all->still;
        if (more > few[stage]) at = fmin(at, begin);
    }
    if (at == from[stage + 1] * all->still) return fabs(threshold - at) < 1e-4 * at;
    for (int k = 0; k < all->count; k++)
        if (all->ends[k].cost < at) before = fmax(before, all->ends[k].cost);
    return threshold < at * (1 + 1e-4) && threshold > before * (1 - 1e-4);
}

static const marey_query queries[] = {
    { .clip = "kicks", .start = TEST_KICK_START, .end = TEST_KICK_END },
    { .clip = "kicks", .start = 700, .end = 705 },
    { .clip = "fight", .start = 60, .end = 150 },
    { .clip = "punches", .start = 130, .end = 331 },
    { .clip = "punches", .start = 0, .end = 40 },
    { .clip = "fight", .start = 560, .end = 600 },
};
enum { QUERIES = TEST_SANITIZED ? 3 : sizeof queries / sizeof *queries };

CASE(every_end_of_the_whole_grid_is_found_and_nothing_else)
{
    static const double thresholds[] = { 0, 20, 150, 2000 }; /* 0: chosen */
    FREED whole *all = malloc(sizeof *all);
    int found = 0;
    for (int q = 0; q < QUERIES; q++) {
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
            marey_find_def def = { .search = { .threshold = thresholds[t] } };
            OWNED(marey_finding) *finding = test_searcher_find(f, queries[q], &def);
            marey_finding_report report = marey_finding_report_of(finding);
            int count = test_found_count(finding);
            measure_whole(f, queries[q], t == 0 ? 1.5 * report.still_cost : report.threshold, NULL,
                          all);
            test_near(report.still_cost, all->still, 1e-4 * all->still);
            assert_true(report.chosen == (t == 0) && (t == 0 || report.tiers == (count > 1)));
            assert_true(t == 0 ? is_chosen(all, report.threshold)
                               : report.threshold == thresholds[t]);
            assert_true(report.poses >= ROWS && report.poses_left <= report.poses);
            check_all(all, finding);
            found += count - 1;
        }
    }
    assert_true(found > 5 * QUERIES);
    OWNED(marey_finding) *kicks = test_searcher_find(f, test_kick, NULL);
    assert_true(test_found(kicks, "kicks", 621, 749) && test_found(kicks, "kicks", 1137, 1263));
    assert_false(test_found(kicks, "kicks", 372, 502)); /* with the other foot */
    assert_int_equal(count_in(kicks, "punches"), 0);
}

CASE(a_search_stops_where_others_begin)
{
    enum { TRIED = TEST_SANITIZED ? 6 : 60, SHORTEST = 16 };
    static const int frames[CLIPS] = { 1300, 600, 500 };
    FREED whole *all = malloc(sizeof *all);
    uint64_t seed = 7;
    for (int i = 0; i < TRIED; i++) {
        int clip = i % CLIPS, length = SHORTEST + (int)(120 * test_chance(&seed));
        int start = (int)(test_chance(&seed) * (frames[clip] - length));
        marey_query query = { .clip = names[clip], .start = start, .end = start + length };
        OWNED(marey_finding) *finding = test_searcher_find(f, query, NULL);
        marey_finding_report report = marey_finding_report_of(finding);
        measure_whole(f, query, 1.5 * report.still_cost, NULL, all);
        assert_true(is_chosen(all, report.threshold));
    }
}

static void check_same(const marey_finding *a, const marey_finding *b)
{
    int count, others, edges, other_edges;
    const marey_match *x = marey_finding_matches(a, &count), *y = marey_finding_matches(b, &others);
    const marey_match_edge *e = marey_finding_edges(a, &edges);
    const marey_match_edge *o = marey_finding_edges(b, &other_edges);
    marey_finding_report of = marey_finding_report_of(a), other = marey_finding_report_of(b);
    assert_true(count == others && edges == other_edges);
    for (int i = 0; i < count; i++) {
        assert_true(x[i].clip == y[i].clip && x[i].start == y[i].start && x[i].end == y[i].end);
        assert_true(x[i].distance == y[i].distance && x[i].mirrored == y[i].mirrored);
    }
    for (int i = 0; i < edges; i++) {
        OWNED(marey_path) path = { 0 }, same = { 0 };
        assert_true(e[i].from == o[i].from && e[i].to == o[i].to && e[i].distance == o[i].distance);
        assert_int_equal(e[i].cells, o[i].cells);
        test_ok(marey_finding_path(a, i, &path, &test_error));
        test_ok(marey_finding_path(b, i, &same, &test_error));
        assert_memory_equal(path.cells, same.cells, (size_t)path.count * sizeof *path.cells);
    }
    assert_true(of.threshold == other.threshold && of.still_cost == other.still_cost);
}

/* The same questions in any order, to a searcher that remembers and to one that is new each time. */
CASE(what_was_found_before_is_what_would_be_found_again)
{
    static const double thresholds[] = { 900, 300, 300, 20, 0, 60, 2000, 5 };
    int64_t only[] = { test_library_number(f, "punches"), test_library_number(f, "fight") };
    int remembered = 0;
    for (int q = 0; q < 2; q++) {
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
            marey_find_def def = { .search = { .threshold = thresholds[t] } };
            def.mirror = t % 8 > 5;
            if (t == 2 || t == 3)
                def = (marey_find_def){ .search = def.search, .clips = only, .clip_count = 2 };
            OWNED(marey_finding) *kept = test_searcher_find(f, queries[q], &def);
            OWNED(marey_searcher) *fresh = NULL;
            OWNED(marey_finding) *anew = NULL;
            test_ok(marey_searcher_open(f->library, &fresh, &test_error));
            test_ok(marey_searcher_find(fresh, &queries[q], &def, &anew, &test_error));
            check_same(kept, anew);
            remembered += marey_finding_report_of(kept).scan_seconds == 0;
            if (t != 3) continue;
            OWNED(marey_clip) *clip = test_library_load(f, "kicks");
            test_library_put_clip(f, clip, "again");
        }
        test_ok(marey_library_purge(f->library, (const char *const[]){ "again" }, 1, NULL,
                                    &test_error));
    }
    assert_true(remembered >= 6 && remembered < 12);
}

static int shelves_there, times_asked;

static mry_card_result note_put(mry_card *card, const mry_card_shelf_def *def, mry_card_shelf **out)
{
    shelves_there++;
    return mry_card_plain.put_shelf(card, def, out);
}

static void note_drop(mry_card *card, mry_card_shelf *shelf)
{
    shelves_there--;
    mry_card_plain.drop_shelf(card, shelf);
}

static mry_card_result note_ends(mry_card *card, const mry_card_shelf *shelf,
                                 const mry_card_query *query)
{
    times_asked++;
    return mry_card_plain.ends(card, shelf, query);
}

static marey_finding *find_anew(marey_library *library, marey_query query, double threshold,
                                bool mirror)
{
    marey_find_def def = { .search = { .threshold = threshold }, .mirror = mirror };
    OWNED(marey_searcher) *searcher = NULL;
    marey_finding *finding = NULL;
    test_ok(marey_searcher_open(library, &searcher, &test_error));
    test_ok(marey_searcher_find(searcher, &query, &def, &finding, &test_error));
    return finding;
}

CASE(with_a_graphics_card_the_same_is_found)
{
    static const double thresholds[] = { 0, 20, 900 };
    OWNED(marey_ctx) *ctx = test_ctx(); /* a card stays with its context */
    OWNED(marey_library) *library = NULL;
    static mry_card_module noted; /* until the context is closed */
    noted = mry_card_plain;
    noted.put_shelf = note_put;
    noted.drop_shelf = note_drop;
    noted.ends = note_ends;
    shelves_there = times_asked = 0;
    test_ok(marey_library_open(ctx, f->path, 0, &library, &test_error));
    assert_true(mry_card_take(ctx, &noted));
    for (int i = 0; i < 6; i++) {
        OWNED(marey_finding) *alone =
            find_anew(f->library, queries[i % 2], thresholds[i % 3], i > 2);
        OWNED(marey_finding) *with = find_anew(library, queries[i % 2], thresholds[i % 3], i > 2);
        check_same(with, alone);
        assert_int_equal(marey_finding_report_of(with).poses_left,
                         marey_finding_report_of(alone).poses_left);
    }
    assert_int_equal(shelves_there, 0);
    assert_true(times_asked >= 9);
}

/* Labels of frames at random: what is found is what the whole grid has with half of it labelled. */
CASE(with_a_label_of_frames_a_match_has_it_for_half_its_length)
{
    static const char *const label[] = { "some" };
    static uint8_t has[CLIPS][ROWS];
    FREED whole *all = malloc(sizeof *all);
    marey_edit_def add = { .add = label, .add_count = 1 };
    marey_find_def def = { .search = { .threshold = 150 }, .label = "some" };
    uint64_t seed = 6;
    int found = 0;
    for (int i = 0; i < 6; i++) {
        marey_clip_range one = { .clip = names[i % CLIPS] };
        one.start = (int)(test_chance(&seed) * 500);
        one.end = one.start + 1 + (int)(test_chance(&seed) * 150);
        test_ok(marey_library_edit_frames(f->library, &one, 1, &add, &test_error));
        memset(&has[i % CLIPS][one.start], 1, (size_t)(one.end - one.start));
        for (int q = 0; q < QUERIES; q++) {
            OWNED(marey_finding) *finding = test_searcher_find(f, queries[q], &def);
            measure_whole(f, queries[q], 150, has, all);
            check_all(all, finding);
            found += test_found_count(finding) - 1;
        }
    }
    assert_true(found > 10);
}

CASE(a_cut_is_searched_in_its_source_unless_it_has_the_label_where_that_has_not)
{
    static const char *const label[] = { "some" };
    static const struct {
        marey_clip_range frames;
        bool on;
        int in_kicks, in_cut;
    } steps[] = {
        { { "kicks", 621, 749 }, true, 1, 0 },  { { "cut", 0, 160 }, true, 1, 1 },
        { { "cut", 0, 10 }, false, 1, 1 },      { { "kicks", 600, 760 }, true, 1, 0 },
        { { "kicks", 600, 760 }, false, 0, 1 }, { { "cut", 0, 160 }, false, 0, 0 },
    };
    marey_find_def def = { .label = "some" };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        marey_edit_def edit = {
            .add = label, .add_count = steps[i].on, .drop = label, .drop_count = !steps[i].on
        };
        test_ok(marey_library_edit_frames(f->library, &steps[i].frames, 1, &edit, &test_error));
        if (i == 0)
            test_ok(marey_library_cut(f->library, "kicks", 600, 760, "cut", NULL, 0, &test_error));
        if (steps[i].in_kicks + steps[i].in_cut == 0) {
            test_searcher_refuses(f, test_kick, &def, MAREY_ERR_REQUEST, "no clip has the label");
            break;
        }
        OWNED(marey_finding) *finding = test_searcher_find(f, test_kick, &def);
        assert_int_equal(count_in(finding, "kicks"), steps[i].in_kicks);
        assert_int_equal(count_in(finding, "cut"), steps[i].in_cut);
    }
}

CASE(the_nearest_are_those_whatever_the_threshold)
{
    static const struct {
        double threshold;
        int nearest;
    } rows[] = { { 0, 1 }, { 1, 7 }, { 2000, 7 }, { 0, 20 } };
    FREED whole *all = malloc(sizeof *all);
    int fewer = 0; /* than are asked for: there are no more */
    for (int q = 0; q < QUERIES; q++) {
        measure_whole(f, queries[q], 1e8, NULL, all);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            marey_find_def def = { .search = { .threshold = rows[r].threshold },
                                   .nearest = rows[r].nearest };
            OWNED(marey_finding) *finding = test_searcher_find(f, queries[q], &def);
            int count;
            const marey_match *matches = marey_finding_matches(finding, &count);
            assert_int_equal(count - 1,
                             all->count < rows[r].nearest ? all->count : rows[r].nearest);
            for (int i = 1; i < count; i++) assert_true(is_match(&all->ends[i - 1], &matches[i]));
            assert_true(marey_finding_report_of(finding).poses == ROWS);
            fewer += count <= rows[r].nearest;
        }
    }
    assert_true(fewer < QUERIES);
}

/* ---- bodies, rates, clips from outside ------------------------------------------------------- */

CASE(bodies_are_of_one_size_unless_their_own_is_asked_for)
{
    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    marey_clip *large = NULL;
    test_ok(marey_clip_scale(clip, 1.3, &large, &test_error));
    test_searcher_put(f->library, large, "large", NULL);
    marey_find_def def = { .search = { .threshold = 4000 } };
    OWNED(marey_finding) *alike = test_searcher_find(f, test_kick, &def);
    assert_true(distance_at(alike, "large", TEST_KICK_START, TEST_KICK_END) < 0.01);
    def.own_size = true;
    OWNED(marey_finding) *own = test_searcher_find(f, test_kick, &def);
    double away = distance_at(own, "large", TEST_KICK_START, TEST_KICK_END);
    assert_true(away > 20 && away < 4000);
    OWNED(marey_finding) *again = test_searcher_find(f, test_kick, &(marey_find_def){ 0 });
    assert_true(distance_at(again, "large", TEST_KICK_START, TEST_KICK_END) < 0.01);
}

/* At half the rate, and at one that is no whole part of the other. */
CASE(clips_of_any_rate_and_from_outside_are_found_and_find)
{
    static const double rates[] = { 30, 50, 120 };
    marey_query other = { .clip = "kicks", .start = 621, .end = 749 };
    OWNED(marey_clip) *clip = test_library_load(f, "kicks");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double step = rates[i] / 60;
        int start = (int)(621 * step), end = (int)(749 * step);
        OWNED(marey_clip) *paced = NULL;
        test_ok(marey_clip_resample(clip, rates[i], &paced, &test_error));
        marey_query outside = { .outside = paced, .start = start, .end = end };
        marey_find_def there = { .search = { .threshold = 60 } };
        OWNED(marey_finding) *from_outside = test_searcher_find(f, outside, &there);
        int64_t number = test_library_put_clip(f, paced, "paced");
        OWNED(marey_finding) *in = test_searcher_find(f, other, NULL);
        assert_true(distance_at(in, "paced", start, end) < 1);
        double alike = distance_at(in, "kicks", TEST_KICK_START, TEST_KICK_END);
        int first = (int)(TEST_KICK_START * step), last = (int)(TEST_KICK_END * step);
        test_near(distance_at(in, "paced", first, last), alike, 0.15 * alike);
        marey_query inside = { .clip = "paced", .start = start, .end = end };
        there.clips = (int64_t[]){ test_library_number(f, "kicks") };
        there.clip_count = 1;
        OWNED(marey_finding) *from_inside = test_searcher_find(f, inside, &there);
        assert_true(distance_at(from_inside, "kicks", 621, 749) < 1);
        int count, within;
        const marey_match *out = marey_finding_matches(from_outside, &count);
        const marey_match *same = marey_finding_matches(from_inside, &within);
        assert_int_equal(count_in(from_outside, "kicks"), within - 1);
        for (int k = 1, at = 1; k < count; k++) {
            if (strcmp(out[k].name, "kicks") != 0) continue;
            assert_true(out[k].start == same[at].start && out[k].end == same[at].end);
            test_near(out[k].distance, same[at].distance, 1e-4 + 1e-4 * same[at].distance);
            at++;
        }
        assert_true(out[0].clip == 0 && same[0].clip == number);
        test_ok(marey_library_purge(f->library, (const char *const[]){ "paced" }, 1, NULL,
                                    &test_error));
    }
}

/* The small person, but for frames where tracking is lost; twice as fast, of twice the rate, too. */
static void put_lost(test_library *f, const char *name, bool fast, int frames, int lost, int back)
{
    char path[800];
    snprintf(path, sizeof path, "%s/%s.bvh", f->folder, name);
    test_write_dropouts(path, frames, lost, back);
    FREED char *text = test_file_read(path, NULL);
    char *time = strstr(text, "0.0166667");
    assert_non_null(time);
    if (fast) memcpy(time, "0.0083333", 9);
    test_searcher_put(f->library, test_clip(f->ctx, text), name, NULL);
}

/* Where two motions are the same, one frame belongs to one frame. */
static void check_diagonal(const marey_finding *finding, const char *name, int start)
{
    int count, edges, met = 0;
    const marey_match *matches = marey_finding_matches(finding, &count);
    const marey_match_edge *all = marey_finding_edges(finding, &edges);
    for (int e = 0; e < edges; e++) {
        const marey_match *to = &matches[all[e].to];
        OWNED(marey_path) path = { 0 };
        if (all[e].from != 0 || strcmp(to->name, name) != 0 || to->start != start) continue;
        test_ok(marey_finding_path(finding, e, &path, &test_error));
        for (int i = 0; i < path.count; i++)
            assert_int_equal(path.cells[i].col - path.cells[i].row,
                             path.cells[0].col - path.cells[0].row);
        met++;
    }
    assert_int_equal(met, 1);
}

CASE(no_match_has_frames_that_were_not_captured)
{
    enum { FRAMES = 300, LOST = 120, BACK = 150 };
    put_lost(f, "lost", false, FRAMES, LOST, BACK);
    put_lost(f, "sound", false, FRAMES, 0, 0);
    put_lost(f, "fast_lost", true, FRAMES, LOST, BACK);
    put_lost(f, "fast", true, FRAMES, 0, 0);
    marey_query fast = { .clip = "fast", .start = 20, .end = 80 };
    OWNED(marey_finding) *quick = test_searcher_find(f, fast, &(marey_find_def){ .nearest = 60 });
    int found;
    const marey_match *ones = marey_finding_matches(quick, &found);
    for (int i = 1; i < found; i++) {
        if (strcmp(ones[i].name, "fast_lost") != 0) continue;
        assert_true(ones[i].end <= LOST || ones[i].start >= BACK);
    }
    assert_true(distance_at(quick, "fast_lost", 20, 80) < 0.01);
    check_diagonal(quick, "fast_lost", 20);
    marey_query query = { .clip = "sound", .start = 100, .end = 160 };
    marey_find_def def = { .nearest = 60 };
    OWNED(marey_finding) *finding = test_searcher_find(f, query, &def);
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 1; i < count; i++) {
        if (strcmp(matches[i].name, "lost") != 0) continue;
        assert_true(matches[i].end <= LOST || matches[i].start >= BACK);
    }
    assert_true(count_in(finding, "lost") > 2 && count_in(finding, "sound") > 2);
    query = (marey_query){ .clip = "lost", .start = LOST - 40, .end = BACK - 5 };
    OWNED(marey_finding) *narrowed = test_searcher_find(f, query, NULL);
    matches = marey_finding_matches(narrowed, &count);
    assert_true(matches[0].start == LOST - 40 && matches[0].end == LOST);
    /* Not 0: the last velocities of what is lost are those of fewer frames. */
    assert_true(distance_at(narrowed, "sound", LOST - 40, LOST) < 2);
}

/* Nothing is nearer than standing still then: only the very same pose is found, in every tier. */
CASE(a_query_that_stands_still_is_a_query)
{
    enum { FRAMES = 90 };
    double rows[FRAMES * TEST_PERSON_ROW] = { 0 };
    for (int i = 0; i < FRAMES; i++) rows[i * TEST_PERSON_ROW + 1] = 90;
    FREED char *text = test_person_posed(rows, FRAMES, 60, 1, false);
    for (int i = 0; i < 2; i++)
        test_searcher_put(f->library, test_clip(f->ctx, text), i ? "still" : "again", NULL);
    marey_query query = { .clip = "still", .start = 20, .end = 60 };
    marey_find_def def = { .search = { .tiers = 3 }, .nearest = 4 };
    OWNED(marey_finding) *finding = test_searcher_find(f, query, &def);
    marey_finding_report report = marey_finding_report_of(finding);
    assert_true(report.still_cost >= 0 && report.still_cost < 1e-2 && report.chosen);
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    assert_true(count_in(finding, "again") > 0 && count >= 5);
    for (int i = 0; i < count; i++) assert_true(matches[i].distance < 1e-3);
}

CASE(bodies_without_roles_are_compared_with_their_like_only)
{
    marey_query query = { .clip = "one", .start = 10, .end = 50 };
    marey_find_def all = { .search = { .threshold = 1e6 } };
    test_searcher_put_thing(f->library, "one", "lid", 1);
    test_searcher_put_thing(f->library, "two", "lid", 1.02);
    test_searcher_put_thing(f->library, "three", "arm", 1);
    OWNED(marey_finding) *things = test_searcher_find(f, query, &all);
    assert_true(test_found(things, "two", 10, 50));
    assert_int_equal(count_in(things, "one") + count_in(things, "two"),
                     test_found_count(things) - 1);
    all.nearest = 1000;
    OWNED(marey_finding) *people = test_searcher_find(f, test_kick, &all);
    assert_int_equal(count_in(people, "kicks") + count_in(people, "fight") +
                         count_in(people, "punches"),
                     test_found_count(people) - 1);
    OWNED(marey_clip) *clip = test_library_load(f, "one");
    static const char *const gone[] = { "one", "two" };
    test_ok(marey_library_remove(f->library, gone, 2, &test_error));
    test_searcher_refuses(f, (marey_query){ .outside = clip, .start = 0, .end = 60 }, NULL,
                          MAREY_ERR_SHAPE, "in common");
}

/* ---- tiers ----------------------------------------------------------------------------------- */

/* `off`: averaged intervals are a few frames off. */
static void check_paths(const marey_finding *finding, double threshold, int off)
{
    int count, edges;
    const marey_match *matches = marey_finding_matches(finding, &count);
    const marey_match_edge *edge = marey_finding_edges(finding, &edges);
    assert_true(edges >= count - 1);
    for (int e = 0; e < edges; e++) {
        const marey_match *from = &matches[edge[e].from], *to = &matches[edge[e].to];
        OWNED(marey_path) path = { 0 };
        test_ok(marey_finding_path(finding, e, &path, &test_error));
        const marey_cell *first = &path.cells[0], *last = &path.cells[path.count - 1];
        assert_true(edge[e].distance <= threshold && path.mean == edge[e].distance);
        assert_int_equal(path.count, edge[e].cells);
        assert_memory_equal(first, &edge[e].first, sizeof *first);
        assert_memory_equal(last, &edge[e].last, sizeof *last);
        for (int i = 1; i < path.count; i++) {
            const marey_cell *before = &path.cells[i - 1], *cell = &path.cells[i];
            int down = cell->row - before->row, across = cell->col - before->col;
            assert_true(down >= 0 && across >= 0 && down <= 1 && across <= 1 && down + across > 0);
        }
        assert_in_range(first->row + off, from->start, from->start + 2 * off);
        assert_in_range(last->row + 1 + off, from->end, from->end + 2 * off);
        assert_in_range(first->col + off, to->start, to->start + 2 * off);
        assert_in_range(last->col + 1 + off, to->end, to->end + 2 * off);
    }
    test_refused_about(marey_finding_path(finding, edges, &(marey_path){ 0 }, &test_error),
                       MAREY_ERR_REQUEST, "no edge");
}

CASE(a_second_tier_finds_what_is_like_the_matches)
{
    test_watch w = { 0 };
    marey_query third = { .clip = "kicks", .start = 1137, .end = 1263 };
    marey_find_def def = { .search = { .threshold = 60 }, .found = test_see_tier, .user = &w };
    OWNED(marey_finding) *one = test_searcher_find(f, third, &def);
    check_paths(one, 60, 0);
    assert_int_equal(w.tiers, 1);
    def.search.tiers = 2;
    OWNED(marey_finding) *two = test_searcher_find(f, third, &def);
    check_paths(two, 60, 20);
    assert_true(w.tiers == 2 && w.ordered && w.count == test_found_count(two));
    assert_int_equal(marey_finding_report_of(two).tiers, 2);
    int count, first, nearer = 0;
    const marey_match *matches = marey_finding_matches(two, &count);
    const marey_match *known = marey_finding_matches(one, &first);
    assert_true(count > first && first > 1);
    for (int i = 1; i < first; i++)
        assert_true(distance_at(two, known[i].name, known[i].start, known[i].end) <= 60);
    for (int i = 1; i < count; i++) {
        nearer += matches[i].tier == 1;
        assert_true(matches[i].tier == 1 || matches[i].path_distance > matches[i].distance);
    }
    assert_int_equal(nearer, first - 1);
    w = (test_watch){ .stop_at = 1 };
    OWNED(marey_finding) *stopped = test_searcher_find(f, third, &def);
    assert_int_equal(test_found_count(stopped), first);
}

/* ---- the other side -------------------------------------------------------------------------- */

/* A clip seen in a mirror is the same motion with the other side; cut out and mirrored back it is
   the very motion again. */
CASE(the_other_side_is_found_and_mirrored_back)
{
    OWNED(marey_clip) *kicks = test_library_load(f, "kicks");
    marey_clip *mirrored;
    marey_named got;
    test_ok(marey_clip_mirror(kicks, &mirrored, &test_error));
    test_searcher_put(f->library, mirrored, "turned", "mirror");
    marey_find_def both = { .mirror = true };
    OWNED(marey_finding) *plain = test_searcher_find(f, test_kick, NULL);
    OWNED(marey_finding) *found = test_searcher_find(f, test_kick, &both);
    int count, turned = 0;
    const marey_match *matches = marey_finding_matches(found, &count);
    /* The one behind the query is itself in the mirror. */
    assert_string_equal(matches[1].name, "turned");
    assert_true(matches[1].mirrored && matches[1].distance < 0.01 && !matches[0].mirrored);
    test_near(matches[1].start, test_kick.start, 2);
    test_near(matches[1].end, test_kick.end, 2);
    for (int i = 1; i < count; i++) turned += matches[i].mirrored;
    assert_true(turned > 1 && turned < count - 1);
    assert_true(distance_at(plain, "turned", test_kick.start, test_kick.end) > 10);
    marey_finding_matches(plain, &count);
    for (int i = 0; i < count; i++) assert_false(marey_finding_matches(plain, &count)[i].mirrored);

    /* What is like it both ways is found once. */
    marey_find_def far = { .mirror = true, .search.threshold = 1e5 };
    OWNED(marey_finding) *everything = test_searcher_find(f, test_kick, &far);
    matches = marey_finding_matches(everything, &count);
    assert_true(count > 20);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(matches[i].name, matches[k].name) != 0) continue;
            assert_true(shared(matches[i].start, matches[i].end, matches[k].start, matches[k].end) <
                        0.5);
        }
    }

    marey_contact planted[2] = {
        { MAREY_CONTACT_LEFT_HEEL, test_kick.start + 5, test_kick.start + 9 },
        { MAREY_CONTACT_LEFT_HAND, test_kick.start + 6, test_kick.start + 9 },
    };
    test_ok(marey_library_set_contacts(f->library, "turned", planted, 2, &test_error));
    marey_clip_cut cut = { "turned", test_kick.start, test_kick.end, "back", true };
    test_ok(marey_library_cut_clips(f->library, &cut, 1, NULL, &got, &test_error));
    test_ok(marey_library_contacts(f->library, "back", planted, 2, &count, &test_error));
    assert_true(count == 2 && planted[0].joint == MAREY_CONTACT_RIGHT_HEEL);
    assert_true(planted[0].start == 5 && planted[1].joint == MAREY_CONTACT_RIGHT_HAND);
    OWNED(marey_clip) *back = test_library_load(f, "back");
    int joints = marey_clip_skeleton(back)->joint_count;
    double one[3 * 64], other[3 * 64];
    assert_true(joints <= 64);
    for (int frame = 0; frame < marey_clip_frames(back); frame += 10) {
        marey_clip_positions(back, frame, 1, one);
        marey_clip_positions(kicks, test_kick.start + frame, 1, other);
        for (int k = 0; k < 3 * joints; k++) test_near(one[k], other[k], 0.01);
    }
    /* It is not taken for the frames that it was cut from. */
    OWNED(marey_finding) *again = test_searcher_find(f, test_kick, NULL);
    assert_true(distance_at(again, "back", 0, marey_clip_frames(back)) < 30);
}

TEST_GROUP_OF_CASES(test_pose_search, test_searcher_base_make, test_searcher_base_remove)
