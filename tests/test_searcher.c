/* test_searcher.c - searching a library by its index: what is found and in whose frames, queries from outside and from clips
   that are not indexed, labels, changes of the library between searches, webs that have to go, refused memory. The
   matches themselves are judged in test_search*.c. */
#include "support.h"

#include "library/searcher_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the take "kicks": a kick with the right foot, and the others with it. */
enum { START = 122, END = 252 };

typedef struct fixture {
    char folder[512], path[600];
    marey_ctx *ctx;
    marey_library *library;
    marey_searcher *searcher;
} fixture;

static void fine(marey_status status, const marey_error *error)
{
    if (status) fail_msg("%s", error->message);
}

/* ---- the library ------------------------------------------------------------------------------ */

static int number_of_take(const char *name)
{
    for (int i = 0; i < marey_demo_count(); i++)
        if (strcmp(marey_demo_name(i), name) == 0) return i;
    fail_msg("no take %s", name);
    return -1;
}

static marey_clip *part_of_take(marey_ctx *ctx, const char *name, int start, int end)
{
    marey_demo_take *take = NULL;
    marey_clip *part = NULL;
    marey_error error;
    fine(marey_demo_build(ctx, number_of_take(name), 1, &take, &error), &error);
    fine(marey_clip_trim(marey_demo_clip(take), start, end, &part, &error), &error);
    marey_demo_free(take);
    return part;
}

static void put(marey_library *library, marey_clip *clip, const char *name, const char *label)
{
    marey_error error;
    marey_put_def def = { .labels = &label, .label_count = label ? 1 : 0 };
    fine(marey_library_put(library, clip, name, &def, NULL, 0, &error), &error);
    marey_clip_free(clip);
}

static void index_it(marey_library *library, double fps)
{
    marey_index_report report;
    marey_error error;
    fine(marey_library_index(library, &(marey_index_def){ .fps = fps }, &report, &error), &error);
}

static char base[512], base_path[600];

/* Half of the kicks, a fight of a smaller body, punches: 30 rows a second, so that it is quick. */
static int make_base(void **state)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    marey_error error;
    (void)state;
    test_folder_make(base, sizeof base);
    snprintf(base_path, sizeof base_path, "%s/base.marey", base);
    fine(marey_library_open(ctx, base_path, MAREY_LIBRARY_CREATE, &library, &error), &error);
    put(library, part_of_take(ctx, "kicks", 0, 1300), "kicks", "kick");
    put(library, part_of_take(ctx, "small_fight", 0, 600), "fight", "mixed");
    put(library, part_of_take(ctx, "punches", 0, 500), "punches", "punch");
    index_it(library, 30);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return 0;
}

static int remove_base(void **state)
{
    (void)state;
    test_folder_remove(base);
    return 0;
}

static int enter(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    size_t count;
    char *bytes = test_file_read(base_path, &count);
    marey_error error;
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    test_file_write(f->path, bytes, count);
    free(bytes);
    f->ctx = test_ctx();
    fine(marey_library_open(f->ctx, f->path, MAREY_LIBRARY_WRITE, &f->library, &error), &error);
    fine(marey_searcher_open(f->library, &f->searcher, &error), &error);
    *state = f;
    return 0;
}

static int leave(void **state)
{
    fixture *f = *state;
    marey_searcher_free(f->searcher);
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

/* ---- searching -------------------------------------------------------------------------------- */

static const marey_query a_kick = { .clip = "kicks", .start = START, .end = END };

/* Like the first of the three and unlike the second, which is like the first: with this threshold it is two tiers off. */
static const marey_query third_kick = { .clip = "kicks", .start = 1137, .end = 1263 };
static const double two_tiers = 35;

static marey_finding *find(fixture *f, marey_query query, const marey_find_def *def)
{
    marey_finding *finding = NULL;
    marey_error error;
    fine(marey_searcher_find(f->searcher, &query, def, &finding, &error), &error);
    return finding;
}

static int count_of(const marey_finding *finding)
{
    int count;
    marey_finding_matches(finding, &count);
    return count;
}

static void expect_failure(fixture *f, marey_query query, const marey_find_def *def,
                           marey_status status, const char *words)
{
    marey_finding *finding = NULL;
    marey_error error = { 0 };
    assert_int_equal(marey_searcher_find(f->searcher, &query, def, &finding, &error), status);
    if (!strstr(error.message, words)) fail_msg("%s", error.message);
    assert_null(finding);
    assert_int_equal(marey_searcher_find(f->searcher, &query, def, &finding, NULL), status);
}

static bool has(const marey_finding *finding, const char *name, int start, int end)
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

static void a_kick_finds_the_kicks_with_that_foot(void **state)
{
    fixture *f = *state;
    marey_finding *finding = find(f, a_kick, NULL);
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    assert_int_equal(matches[0].start, START);
    assert_int_equal(matches[0].end, END);
    assert_string_equal(matches[0].name, "kicks");
    assert_true(matches[0].distance == 0 && matches[0].path_distance == 0 && matches[0].tier == 0);
    for (int i = 1; i < count; i++) {
        assert_true(matches[i].path_distance >= matches[i - 1].path_distance);
        assert_true(matches[i].distance <= MAREY_FIND_THRESHOLD);
        assert_true(matches[i].tier >= 1 && matches[i].start < matches[i].end);
    }
    assert_true(has(finding, "kicks", 621, 749));
    assert_true(has(finding, "kicks", 1137, 1263));
    assert_false(has(finding, "kicks", 372, 502));
    marey_finding_report report = marey_finding_report_of(finding);
    assert_true(report.threshold == MAREY_FIND_THRESHOLD && report.fps == 30);
    assert_true(report.ceiling == MAREY_WEB_CEILING && !report.past_ceiling);
    assert_int_equal(report.clips_missing, 0);
    assert_true(report.tiers >= 1 && !report.limited && report.seconds > 0);
    marey_finding_free(finding);
}

static void a_finding_stays_when_all_else_is_gone(void **state)
{
    fixture *f = *state;
    marey_finding *finding = find(f, a_kick, NULL);
    marey_path path;
    int count, edges;
    marey_searcher_free(f->searcher);
    marey_library_close(f->library);
    f->searcher = NULL;
    f->library = NULL;
    const marey_match *matches = marey_finding_matches(finding, &count);
    const marey_match_edge *all = marey_finding_edges(finding, &edges);
    assert_true(count > 1 && edges >= count - 1);
    for (int i = 0; i < edges; i++) {
        assert_int_equal(marey_finding_path(finding, i, &path, NULL), MAREY_OK);
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
    marey_finding_free(finding);
}

/* ---- from outside ----------------------------------------------------------------------------- */

static marey_clip *load(fixture *f, const char *name)
{
    marey_clip *clip = NULL;
    marey_error error;
    fine(marey_library_load(f->library, name, &clip, &error), &error);
    return clip;
}

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

static void a_query_from_outside_finds_what_it_finds_inside(void **state)
{
    fixture *f = *state;
    marey_find_def first = { .search = { .tiers = 1 } };
    marey_clip *clip = load(f, "kicks");
    /* What is compared begins with the clip for the one, and later for the other. */
    static const marey_part parts[] = { { 0, START, END }, { 0, 621, 749 } };
    for (int i = 0; i < 2; i++) {
        marey_query here = { .clip = "kicks", .start = parts[i].start, .end = parts[i].end };
        marey_query there = { .outside = clip, .start = parts[i].start, .end = parts[i].end };
        marey_finding *inside = find(f, here, &first), *outside = find(f, there, &first);
        int count;
        const marey_match *matches = marey_finding_matches(outside, &count);
        assert_int_equal(matches[0].clip, 0);
        assert_string_equal(matches[0].name, marey_clip_name(clip));
        assert_int_equal(matches[0].start, parts[i].start);
        const marey_match_edge *edges = marey_finding_edges(outside, &count);
        assert_in_range(edges[0].first.row, parts[i].start - 10, parts[i].start + 20);
        expect_same_but_itself(inside, outside);
        marey_finding_free(inside);
        marey_finding_free(outside);
    }
    marey_clip_free(clip);
}

static void a_clip_that_is_not_indexed_can_be_the_query(void **state)
{
    fixture *f = *state;
    marey_find_def first = { .search = { .tiers = 1 } };
    marey_finding *inside = find(f, a_kick, &first);
    put(f->library, load(f, "kicks"), "again", NULL);
    marey_query query = { .clip = "again", .start = START, .end = END };
    marey_finding *again = find(f, query, &first);
    int count;
    const marey_match *matches = marey_finding_matches(again, &count);
    assert_true(matches[0].clip > 0);
    assert_string_equal(matches[0].name, "again");
    assert_int_equal(marey_finding_report_of(again).clips_missing, 1);
    expect_same_but_itself(inside, again);
    marey_finding_free(inside);
    marey_finding_free(again);
}

static void a_query_that_has_nothing_in_common_with_any_clip_is_refused(void **state)
{
    fixture *f = *state;
    static const char bvh[] = "HIERARCHY\nROOT thing\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                              "Yposition Zposition Zrotation Xrotation Yrotation\nEnd "
                              "Site\n{\nOFFSET 0 10 0\n}\n}\nMOTION\nFrames: 60\nFrame Time: "
                              "0.0166667\n";
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", bvh);
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d 50 1 0 %d 0\n", i, i);
    marey_clip *clip = test_clip(f->ctx, text);
    expect_failure(f, (marey_query){ .outside = clip, .start = 0, .end = 60 }, NULL,
                   MAREY_ERR_SHAPE, "in common");
    marey_clip_free(clip);
}

/* ---- where ------------------------------------------------------------------------------------ */

static int64_t id_of(fixture *f, const char *name)
{
    marey_listing *listing = NULL;
    marey_error error;
    int count;
    int64_t id = 0;
    fine(marey_library_list(f->library, NULL, &listing, &error), &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    marey_listing_free(listing);
    return id;
}

static void labels_and_lists_restrict_where_is_searched(void **state)
{
    fixture *f = *state;
    int64_t fight = id_of(f, "fight"), both[2] = { fight, id_of(f, "kicks") };
    marey_find_def defs[] = {
        { .search = { .threshold = 400 }, .label = "mixed" },
        { .search = { .threshold = 400 }, .clips = &fight, .clip_count = 1 },
        { .search = { .threshold = 400 }, .label = "mixed", .clips = both, .clip_count = 2 },
    };
    for (int i = 0; i < 3; i++) {
        marey_finding *finding = find(f, a_kick, &defs[i]);
        int count;
        const marey_match *matches = marey_finding_matches(finding, &count);
        assert_string_equal(matches[0].name, "kicks");
        assert_true(count > 1);
        for (int k = 1; k < count; k++) assert_string_equal(matches[k].name, "fight");
        marey_finding_free(finding);
    }
    marey_find_def nowhere = { .label = "kick", .clips = &fight, .clip_count = 1 };
    marey_finding *finding = find(f, a_kick, &nowhere);
    assert_int_equal(count_of(finding), 1);
    marey_finding_free(finding);
    int64_t none = 4711;
    expect_failure(f, a_kick, &(marey_find_def){ .label = "dance" }, MAREY_ERR_REQUEST,
                   "no clip has the label dance");
    expect_failure(f, a_kick, &(marey_find_def){ .clips = &none, .clip_count = 1 }, MAREY_ERR_INPUT,
                   "no clip #4711");
}

static void tiers_and_limit_are_kept(void **state)
{
    fixture *f = *state;
    marey_find_def def = { .search = { .threshold = 300, .limit = 1 } };
    marey_finding *finding = find(f, a_kick, &def);
    assert_int_equal(count_of(finding), 2);
    assert_true(marey_finding_report_of(finding).limited);
    marey_finding_free(finding);
    for (int tiers = 1; tiers <= 2; tiers++) {
        def.search = (marey_search_def){ .threshold = two_tiers, .tiers = tiers };
        finding = find(f, third_kick, &def);
        assert_int_equal(count_of(finding), tiers + 1);
        assert_int_equal(marey_finding_report_of(finding).tiers, tiers);
        marey_finding_free(finding);
    }
    def.search = (marey_search_def){ .threshold = 2 * MAREY_WEB_CEILING, .tiers = 1 };
    finding = find(f, a_kick, &def);
    assert_true(marey_finding_report_of(finding).past_ceiling);
    marey_finding_free(finding);
}

typedef struct watch {
    int tiers, count, stop_at;
    bool ordered;
} watch;

static bool see_tier(void *user, int tier, const marey_match *matches, int count)
{
    watch *w = user;
    w->tiers = tier;
    w->count = count;
    w->ordered = matches[0].distance == 0 && matches[0].tier == 0;
    for (int i = 1; i < count; i++)
        w->ordered &=
            matches[i].name[0] && matches[i].path_distance >= matches[i - 1].path_distance;
    return tier != w->stop_at;
}

static void every_tier_is_shown_and_can_be_the_last(void **state)
{
    fixture *f = *state;
    watch w = { 0 };
    marey_find_def def = { .search = { .threshold = two_tiers }, .found = see_tier, .user = &w };
    marey_finding *finding = find(f, third_kick, &def);
    int all = count_of(finding), tiers = marey_finding_report_of(finding).tiers;
    assert_int_equal(w.count, all);
    assert_true(w.ordered && w.tiers >= tiers && tiers > 1);
    marey_finding_free(finding);
    w = (watch){ .stop_at = 1 };
    finding = find(f, third_kick, &def);
    assert_int_equal(w.tiers, 1);
    assert_int_equal(w.count, count_of(finding));
    assert_true(w.count < all);
    marey_finding_free(finding);
}

/* ---- what cannot be --------------------------------------------------------------------------- */

static void queries_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        marey_query query;
        marey_status status;
        const char *words;
    } wrong[] = {
        { { .clip = "kick", .start = 0, .end = 9 }, MAREY_ERR_INPUT, "kicks" },
        { { .clip = "#77", .start = 0, .end = 9 }, MAREY_ERR_INPUT, "77" },
        { { .clip = "kicks", .start = 1290, .end = 1301 }, MAREY_ERR_REQUEST, "which has 1300" },
        { { .clip = "kicks", .start = -1, .end = 100 }, MAREY_ERR_REQUEST, "outside" },
        { { .clip = "kicks", .start = 100, .end = 100 }, MAREY_ERR_REQUEST, "no segment" },
        { { .clip = "kicks", .start = 100, .end = 102 }, MAREY_ERR_REQUEST, "too few" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_failure(f, wrong[i].query, NULL, wrong[i].status, wrong[i].words);
    expect_failure(f, a_kick, &(marey_find_def){ .search = { .threshold = -1 } }, MAREY_ERR_REQUEST,
                   "threshold");
    marey_ctx_cancel(f->ctx);
    expect_failure(f, a_kick, NULL, MAREY_ERR_CANCELLED, "");
    marey_ctx_resume(f->ctx);
}

static void without_an_index_the_message_says_how_to_make_one(void **state)
{
    fixture *f = *state;
    marey_searcher *searcher = NULL;
    marey_error error;
    fine(marey_library_index_drop(f->library, &error), &error);
    expect_failure(f, a_kick, NULL, MAREY_ERR_INPUT, "no index yet; run marey index");
    assert_int_equal(marey_searcher_open(f->library, &searcher, &error), MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, f->path));
    assert_null(searcher);
}

static void metrics_without_a_usual_threshold_need_one(void **state)
{
    fixture *f = *state;
    marey_index_report report;
    marey_error error;
    marey_metric_def metric = { .metric = marey_metric_named("angles") };
    marey_index_def def = { .fps = 15, .metric = &metric };
    fine(marey_library_index(f->library, &def, &report, &error), &error);
    expect_failure(f, a_kick, NULL, MAREY_ERR_REQUEST, "angles");
    marey_finding *finding =
        find(f, a_kick, &(marey_find_def){ .search = { .threshold = 0.1, .tiers = 1 } });
    assert_true(marey_finding_report_of(finding).fps == 15);
    assert_true(isinf(marey_finding_report_of(finding).ceiling));
    marey_finding_free(finding);
}

/* ---- frames ----------------------------------------------------------------------------------- */

static void the_last_row_ends_where_the_clip_does(void **state)
{
    mry_ruler ruler = { { .frames = 132, .fps = 60, .rate = 30, .rows = 66 }, 100 };
    (void)state;
    assert_int_equal(mry_ruler_frame(&ruler, 10), 120);
    assert_int_equal(mry_ruler_end(&ruler, 65), 230);
    assert_int_equal(mry_ruler_end(&ruler, 66), 232);
}

/* The same kick at 120 frames a second is at twice the frames. */
static void matches_are_in_the_frames_of_their_own_clips(void **state)
{
    fixture *f = *state;
    marey_clip *clip = load(f, "kicks"), *quick = NULL;
    marey_error error;
    fine(marey_clip_resample(clip, 120, &quick, &error), &error);
    marey_clip_free(clip);
    put(f->library, quick, "quick", NULL);
    index_it(f->library, 30);
    marey_finding *finding = find(f, a_kick, &(marey_find_def){ .search = { .tiers = 1 } });
    assert_true(has(finding, "quick", 2 * START, 2 * END));
    assert_true(has(finding, "quick", 2 * 621, 2 * 749));
    marey_finding_free(finding);
    marey_query query = { .clip = "quick", .start = 2 * START, .end = 2 * END };
    finding = find(f, query, &(marey_find_def){ .search = { .tiers = 1 } });
    assert_true(has(finding, "kicks", START, END) && has(finding, "kicks", 621, 749));
    int count;
    const marey_match_edge *edges = marey_finding_edges(finding, &count);
    for (int i = 0; i < count; i++)
        assert_in_range(edges[i].first.row, 2 * START - 40, 2 * START + 40);
    marey_finding_free(finding);
}

/* A first frame that a converter invented, and tracking that was lost. */
static char *marked_person(int frames, int lost_from)
{
    char *bvh = test_person(frames), *out = malloc(strlen(bvh) + 1), *to = out;
    const char *at = strchr(strstr(bvh, "Frame Time:"), '\n') + 1;
    memcpy(to, bvh, (size_t)(at - bvh));
    to += at - bvh;
    for (int i = 0; i < frames; i++) {
        const char *end = strchr(at, '\n') + 1;
        if (i >= lost_from) {
            char *rest = NULL;
            strtod(at, &rest);
            strtod(rest, &rest);
            strtod(rest, &rest);
            memcpy(to, "0 0 0", 5);
            to += 5;
            at = rest;
        }
        memcpy(to, at, (size_t)(end - at));
        to += end - at;
        at = end;
    }
    *to = 0;
    free(bvh);
    return out;
}

static void frames_that_nobody_captured_are_no_part_of_a_query(void **state)
{
    fixture *f = *state;
    char *bvh = marked_person(120, 90);
    put(f->library, test_clip(f->ctx, bvh), "lost", NULL);
    free(bvh);
    index_it(f->library, 30);
    marey_query query = { .clip = "lost", .start = 20, .end = 120 };
    marey_finding *finding = find(f, query, NULL);
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    assert_int_equal(matches[0].start, 20);
    assert_int_equal(matches[0].end, 90);
    marey_finding_free(finding);
    query.start = 95;
    expect_failure(f, query, NULL, MAREY_ERR_REQUEST, "none of the frames 95-120 is captured");
}

/* ---- changes ---------------------------------------------------------------------------------- */

static void the_next_search_sees_what_changed(void **state)
{
    fixture *f = *state;
    const char *punches = "punches", *again = "again";
    marey_error error;
    marey_finding *before = find(f, a_kick, NULL), *after;
    fine(marey_library_rename(f->library, "kicks", "feet", &error), &error);
    expect_failure(f, a_kick, NULL, MAREY_ERR_INPUT, "kicks");
    marey_query query = { .clip = "feet", .start = START, .end = END };
    after = find(f, query, NULL);
    assert_true(has(after, "feet", 621, 749));
    assert_int_equal(count_of(after), count_of(before));
    marey_finding_free(after);
    put(f->library, load(f, "feet"), again, NULL);
    after = find(f, query, NULL);
    assert_int_equal(marey_finding_report_of(after).clips_missing, 1);
    assert_int_equal(count_of(after), count_of(before));
    marey_finding_free(after);
    /* As if an index had been interrupted between the clip and its pairs. */
    const mry_held_web *held = NULL;
    fine(mry_held_get(&f->searcher->held, f->library, id_of(f, "feet"), id_of(f, again), 0, &held,
                      &error),
         &error);
    assert_int_equal(held->state, MRY_WEB_MISSING);
    index_it(f->library, 30);
    after = find(f, query, NULL);
    assert_true(has(after, again, START, END) && has(after, again, 621, 749));
    assert_int_equal(marey_finding_report_of(after).clips_missing, 0);
    marey_finding_free(after);
    fine(marey_library_remove(f->library, &again, 1, &error), &error);
    fine(marey_library_remove(f->library, &punches, 1, &error), &error);
    after = find(f, query, NULL);
    assert_false(has(after, again, START, END));
    marey_finding_free(after);
    marey_finding_free(before);
}

static void expect_equal(const marey_finding *a, const marey_finding *b)
{
    int first, second;
    const marey_match *left = marey_finding_matches(a, &first);
    const marey_match *right = marey_finding_matches(b, &second);
    assert_int_equal(first, second);
    for (int i = 0; i < first; i++) {
        assert_true(left[i].clip == right[i].clip && left[i].start == right[i].start &&
                    left[i].end == right[i].end && left[i].distance == right[i].distance &&
                    left[i].path_distance == right[i].path_distance &&
                    left[i].tier == right[i].tier);
    }
}

/* Their settings decide what webs are: none of those that were held may be used. */
static void an_index_of_another_rate_is_seen(void **state)
{
    fixture *f = *state;
    marey_finding_free(find(f, a_kick, NULL));
    index_it(f->library, 20);
    marey_finding *finding = find(f, a_kick, NULL);
    assert_true(marey_finding_report_of(finding).fps == 20);
    assert_true(has(finding, "kicks", 621, 749));
    marey_searcher_free(f->searcher);
    assert_int_equal(marey_searcher_open(f->library, &f->searcher, NULL), MAREY_OK);
    marey_finding *fresh = find(f, a_kick, NULL);
    expect_equal(finding, fresh);
    marey_finding_free(fresh);
    marey_finding_free(finding);
}

static void webs_that_take_too_much_go_and_nothing_else_changes(void **state)
{
    fixture *f = *state;
    marey_find_def def = { .search = { .threshold = 300 } };
    marey_finding *roomy = find(f, a_kick, &def);
    size_t all = f->searcher->held.bytes;
    assert_true(f->searcher->held.count >= 5 && all > 0);
    f->searcher->held.most_bytes = 1;
    f->searcher->slot_count = 0; /* the last two queries are then no reason to keep any */
    f->searcher->version = 0;
    marey_finding *tight = find(f, a_kick, &def);
    expect_equal(roomy, tight);
    mry_held *held = &f->searcher->held;
    for (int i = 0; i < 20; i++) {
        const mry_held_web *one = NULL;
        int64_t a = f->searcher->slots[i % 3].clip.id, b = f->searcher->slots[i / 3 % 3].clip.id;
        assert_int_equal(mry_held_get(held, f->library, a, b, 1, &one, NULL), MAREY_OK);
        assert_non_null(one->web);
        assert_true(held->count <= 2);
    }
    marey_finding_free(roomy);
    marey_finding_free(tight);
}

/* ---- refused memory --------------------------------------------------------------------------- */

/* Opens, searches from inside and from outside, and says whether all went well. */
static bool search_all(marey_ctx *ctx, const char *path)
{
    marey_library *library = NULL;
    marey_searcher *searcher = NULL;
    marey_finding *inside = NULL, *outside = NULL;
    marey_clip *clip = NULL;
    marey_path cells = { 0 };
    watch w = { 0 };
    marey_find_def def = {
        .search = { .tiers = 1 }, .label = "kick", .found = see_tier, .user = &w
    };
    marey_error error;
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &error);
    if (!status) status = marey_searcher_open(library, &searcher, &error);
    if (!status) status = marey_searcher_find(searcher, &a_kick, &def, &inside, &error);
    if (!status) status = marey_finding_path(inside, 0, &cells, &error);
    if (!status) status = marey_library_load(library, "kicks", &clip, &error);
    marey_query query = { .outside = clip, .start = START, .end = END };
    if (!status) status = marey_searcher_find(searcher, &query, &def, &outside, &error);
    if (status) assert_int_equal(status, MAREY_ERR_MEMORY);
    if (!status) assert_int_equal(count_of(outside), count_of(inside) + 1);
    marey_path_free(&cells);
    marey_finding_free(inside);
    marey_finding_free(outside);
    marey_clip_free(clip);
    marey_searcher_free(searcher);
    marey_library_close(library);
    return !status;
}

static void running_out_of_memory_is_reported_and_nothing_is_held(void **state)
{
    bool whole = false;
    (void)state;
    for (long refuse = 0, step = 1; !whole; refuse += step) {
        test_memory memory = { .refuse = refuse };
        marey_ctx_def def = { .resize = test_memory_resize, .resize_user = &memory, .threads = 1 };
        marey_ctx *ctx = NULL;
        if (marey_ctx_open(&def, &ctx) == MAREY_OK) {
            whole = search_all(ctx, base_path) && memory.calls <= refuse;
            marey_ctx_close(ctx);
        }
        assert_int_equal(memory.live, 0);
        assert_int_equal(memory.held, 0);
        if (refuse > 150) step = 13; /* decoding clips and building webs have sweeps of their own */
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        CASE(a_kick_finds_the_kicks_with_that_foot),
        CASE(a_finding_stays_when_all_else_is_gone),
        CASE(a_query_from_outside_finds_what_it_finds_inside),
        CASE(a_clip_that_is_not_indexed_can_be_the_query),
        CASE(a_query_that_has_nothing_in_common_with_any_clip_is_refused),
        CASE(labels_and_lists_restrict_where_is_searched),
        CASE(tiers_and_limit_are_kept),
        CASE(every_tier_is_shown_and_can_be_the_last),
        CASE(queries_that_cannot_be_are_refused),
        CASE(without_an_index_the_message_says_how_to_make_one),
        CASE(metrics_without_a_usual_threshold_need_one),
        cmocka_unit_test(the_last_row_ends_where_the_clip_does),
        CASE(matches_are_in_the_frames_of_their_own_clips),
        CASE(frames_that_nobody_captured_are_no_part_of_a_query),
        CASE(the_next_search_sees_what_changed),
        CASE(an_index_of_another_rate_is_seen),
        CASE(webs_that_take_too_much_go_and_nothing_else_changes),
        cmocka_unit_test(running_out_of_memory_is_reported_and_nothing_is_held),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
