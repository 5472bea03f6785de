/* test_several.c - several libraries searched as one. The judge is one library of all: whatever is
   searched for, ten libraries have the same matches as it, in the same order, at the same distances
   to the last bit, by poses, by webs, by a metric of the caller's own. Of the demo's clips, and of
   real ones. Then what changes, what is refused, refused memory. */
#include "own_clips.h"
#include "searcher_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 10, MOST_CLIPS = 64 };

/* Clips dealt out to libraries in turn, and all of them in one, library after library. */
typedef struct dealt {
    char folder[256];
    marey_ctx *ctx;
    marey_library *parts[PARTS], *whole;
    marey_searcher *several, *one;
    marey_clip *clips[MOST_CLIPS];
    const char *names[MOST_CLIPS];
    int count;
} dealt;

static marey_library *make_library(dealt *d, const char *name)
{
    char path[300];
    marey_library *library = NULL;
    snprintf(path, sizeof path, "%s/%s.marey", d->folder, name);
    test_ok(marey_library_open(d->ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
    return library;
}

static int part_of(const dealt *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->names[i], name) == 0) return i % PARTS;
    return -1;
}

static int64_t number_of(marey_library *library, const char *name)
{
    marey_named named;
    test_ok(mry_clip_find(library, name, false, &named, &test_error));
    return named.id;
}

static void put(marey_library *library, const marey_clip *clip, const char *name)
{
    /* "walk_slow" is a walk. */
    char label[32];
    const char *labels[] = { label };
    snprintf(label, sizeof label, "%.*s", (int)strcspn(name, "_"), name);
    marey_put_def def = { .labels = labels, .label_count = 1 };
    test_ok(marey_library_put(library, clip, name, &def, NULL, 0, &test_error));
}

static void deal(dealt *d)
{
    d->whole = make_library(d, "whole");
    for (int part = 0; part < PARTS; part++) {
        char name[8];
        snprintf(name, sizeof name, "%d", part);
        d->parts[part] = make_library(d, name);
        for (int i = part; i < d->count; i += PARTS) {
            put(d->parts[part], d->clips[i], d->names[i]);
            put(d->whole, d->clips[i], d->names[i]);
        }
    }
    test_ok(marey_searcher_open_all(d->parts, PARTS, &d->several, &test_error));
    test_ok(marey_searcher_open(d->whole, &d->one, &test_error));
}

static dealt *dealt_new(void)
{
    dealt *d = calloc(1, sizeof *d);
    test_folder_make(d->folder, sizeof d->folder);
    d->ctx = test_ctx();
    return d;
}

static void dealt_free(dealt *d)
{
    marey_searcher_free(d->several);
    marey_searcher_free(d->one);
    for (int i = 0; i < PARTS; i++) marey_library_close(d->parts[i]);
    marey_library_close(d->whole);
    for (int i = 0; i < d->count; i++) marey_clip_free(d->clips[i]);
    test_ctx_close(d->ctx);
    test_folder_remove(d->folder);
    free(d);
}

static int deal_demo(void **state)
{
    dealt *d = dealt_new();
    for (int i = 0; i < marey_demo_count(); i++) {
        OWNED(marey_demo_take) *take = test_demo_take(d->ctx, marey_demo_name(i));
        const marey_clip *clip = marey_demo_clip(take);
        int frames = marey_clip_frames(clip);
        d->names[d->count] = marey_demo_name(i);
        test_ok(marey_clip_trim(clip, 0, frames < 900 ? frames : 900, &d->clips[d->count++],
                                &test_error));
    }
    deal(d);
    *state = d;
    return 0;
}

static int drop_demo(void **state)
{
    dealt_free(*state);
    return 0;
}

#define CASE(name) TEST_OF(dealt *d, name)

/* ---- the judge ------------------------------------------------------------------------------- */

enum { MOST_QUERIES = 4 };

/* The query, and what is liked or not, by the clips' names: each in its own library. */
static void place(const dealt *d, const marey_query *asked, int count, marey_query *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = asked[i];
        if (!asked[i].outside) out[i].library = part_of(d, asked[i].clip);
    }
}

/* Returns how many matches there are. */
static int same_as_one(const dealt *d, marey_query query, const marey_find_def *def)
{
    marey_query placed, like[MOST_QUERIES], unlike[MOST_QUERIES];
    marey_find_def there = *def;
    place(d, &query, 1, &placed);
    place(d, def->like, def->like_count, like);
    place(d, def->unlike, def->unlike_count, unlike);
    there.like = like;
    there.unlike = unlike;
    OWNED(marey_finding) *one = NULL, *several = NULL;
    test_ok(marey_searcher_find(d->one, &query, def, &one, &test_error));
    test_ok(marey_searcher_find(d->several, &placed, &there, &several, &test_error));
    test_same_findings(one, several);
    int count, edges;
    const marey_match *matches = marey_finding_matches(several, &count);
    for (int i = 0; i < count; i++)
        assert_int_equal(matches[i].library, matches[i].clip ? part_of(d, matches[i].name) : 0);
    marey_finding_edges(several, &edges);
    for (int i = 0; i < edges; i++) {
        OWNED(marey_path) path = { 0 }, other = { 0 };
        test_ok(marey_finding_path(one, i, &path, &test_error));
        test_ok(marey_finding_path(several, i, &other, &test_error));
        assert_int_equal(path.count, other.count);
        assert_memory_equal(path.cells, other.cells, (size_t)path.count * sizeof *path.cells);
    }
    marey_finding_report here = marey_finding_report_of(one);
    marey_finding_report said = marey_finding_report_of(several);
    assert_true(here.threshold == said.threshold && here.still_cost == said.still_cost &&
                here.tiers == said.tiers && here.limited == said.limited &&
                here.poses == said.poses && here.poses_left == said.poses_left &&
                here.clips_missing == said.clips_missing && here.left_out == said.left_out);
    return count;
}

/* ---- the demo -------------------------------------------------------------------------------- */

static const marey_query kick = { .clip = "kicks", .start = 122, .end = 252 };
static const marey_query walk = { .clip = "walk_slow", .start = 60, .end = 120 };
static const marey_query punch = { .clip = "punches", .start = 100, .end = 160 };

CASE(ten_libraries_have_the_matches_of_one_that_has_all_clips)
{
    const marey_find_def plain = { 0 };
    int kicks = same_as_one(d, kick, &plain), walks = same_as_one(d, walk, &plain);
    assert_true(kicks > 1 && walks > 20);
    same_as_one(d, walk, &(marey_find_def){ .search = { .threshold = 60, .limit = 30 } });
    same_as_one(d, kick, &(marey_find_def){ .search = { .threshold = 100, .tiers = 2 } });
    same_as_one(d, punch, &(marey_find_def){ .mirror = true });
    same_as_one(d, kick, &(marey_find_def){ .own_size = true });
    assert_int_equal(same_as_one(d, punch, &(marey_find_def){ .nearest = 25 }), 26);
    same_as_one(d, walk, &(marey_find_def){ .label = "run" });
}

CASE(what_is_liked_or_not_may_be_in_any_of_them)
{
    const marey_query like[] = { { .clip = "small_fight", .start = 80, .end = 200 } };
    const marey_query unlike[] = { { .clip = "mixed_fight", .start = 700, .end = 790 } };
    int both = same_as_one(
        d, kick,
        &(marey_find_def){ .like = like, .like_count = 1, .unlike = unlike, .unlike_count = 1 });
    assert_true(both > 1);
    same_as_one(d, walk, &(marey_find_def){ .unlike = &punch, .unlike_count = 1, .nearest = 10 });
}

CASE(a_motion_from_outside_is_found_in_all_of_them)
{
    OWNED(marey_demo_take) *take = test_demo_take(d->ctx, "turns");
    const marey_query outside = { .outside = marey_demo_clip(take), .start = 300, .end = 400 };
    assert_true(same_as_one(d, outside, &(marey_find_def){ 0 }) > 1);
}

CASE(only_the_clips_that_are_named_are_searched)
{
    const char *names[] = { "walk_fast", "jog_curve" };
    int64_t ids[2], whole[2];
    int libraries[2];
    marey_query query = walk;
    for (int i = 0; i < 2; i++) {
        libraries[i] = part_of(d, names[i]);
        ids[i] = number_of(d->parts[libraries[i]], names[i]);
        whole[i] = number_of(d->whole, names[i]);
    }
    query.library = part_of(d, query.clip);
    OWNED(marey_finding) *one = NULL, *several = NULL;
    test_ok(marey_searcher_find(d->one, &walk, &(marey_find_def){ .clips = whole, .clip_count = 2 },
                                &one, &test_error));
    test_ok(marey_searcher_find(
        d->several, &query,
        &(marey_find_def){ .clips = ids, .clip_libraries = libraries, .clip_count = 2 }, &several,
        &test_error));
    test_same_findings(one, several);
    assert_true(test_found_count(one) > 1);
}

CASE(webs_of_two_clips_of_two_libraries_are_those_that_one_would_have)
{
    const marey_index_def index = { .fps = 12 };
    for (int i = 0; i < PARTS; i++)
        test_ok(marey_library_index(d->parts[i], &index, NULL, &test_error));
    test_ok(marey_library_index(d->whole, &index, NULL, &test_error));
    assert_true(same_as_one(d, kick, &(marey_find_def){ .web = true }) > 1);
    same_as_one(d, walk, &(marey_find_def){ .web = true, .search = { .tiers = 1 } });
    OWNED(marey_demo_take) *take = test_demo_take(d->ctx, "hops");
    const marey_query outside = { .outside = marey_demo_clip(take), .start = 100, .end = 200 };
    same_as_one(d, outside, &(marey_find_def){ .web = true, .search = { .tiers = 1 } });
}

CASE(a_metric_of_ones_own_measures_all_of_them)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own, .fps = 15 };
    assert_int_equal(same_as_one(d, kick, &(marey_find_def){ .metric = &metric, .nearest = 20 }),
                     21);
}

CASE(what_repeats_is_the_same)
{
    OWNED(marey_motifs) *one = NULL, *several = NULL;
    int count, other;
    const marey_motifs_def def = { .limit = 5, .label = "walk" };
    test_ok(marey_searcher_motifs(d->one, &def, &one, &test_error));
    test_ok(marey_searcher_motifs(d->several, &def, &several, &test_error));
    const marey_motif *here = marey_motifs_list(one, &count);
    const marey_motif *there = marey_motifs_list(several, &other);
    assert_true(count > 0);
    assert_int_equal(count, other);
    for (int i = 0; i < count; i++) {
        assert_int_equal(here[i].count, there[i].count);
        for (int k = 0; k < here[i].count; k++) {
            const marey_match *a = &here[i].occurrences[k], *b = &there[i].occurrences[k];
            assert_string_equal(a->name, b->name);
            assert_true(a->start == b->start && a->end == b->end && a->distance == b->distance);
            assert_int_equal(b->library, part_of(d, b->name));
        }
    }
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Leaves all as it was before it. */
CASE(the_next_search_sees_what_changed_in_any_of_them)
{
    const char *name = "small_fight";
    int part = part_of(d, name);
    const marey_find_def def = { .nearest = 30 };
    int before = same_as_one(d, kick, &def);
    test_ok(marey_library_remove(d->parts[part], &name, 1, &test_error));
    test_ok(marey_library_remove(d->whole, &name, 1, &test_error));
    same_as_one(d, kick, &def);
    test_ok(marey_library_restore(d->parts[part], &name, 1, &test_error));
    test_ok(marey_library_restore(d->whole, &name, 1, &test_error));
    assert_int_equal(same_as_one(d, kick, &def), before);
}

/* As of a library that an earlier marey made. */
CASE(poses_that_one_of_them_lacks_are_made)
{
    int part = part_of(d, "mixed_fight");
    test_ok(mry_store_run(d->parts[part]->store, "DELETE FROM pose_block", &test_error));
    assert_true(same_as_one(d, kick, &(marey_find_def){ 0 }) > 1);
    test_ok(marey_library_index_poses(d->parts[part], false, NULL, &test_error));
}

/* A cut is searched where its source is not; each library knows its own. */
CASE(a_cut_is_not_found_beside_its_source)
{
    int part = part_of(d, "kicks");
    marey_clip_cut cut = { .clip = "kicks", .start = 100, .end = 300, .name = "one kick" };
    marey_named named;
    test_ok(marey_library_cut_clips(d->parts[part], &cut, 1, NULL, &named, &test_error));
    test_ok(marey_library_cut_clips(d->whole, &cut, 1, NULL, &named, &test_error));
    assert_true(same_as_one(d, kick, &(marey_find_def){ 0 }) > 1);
    const char *name = "one kick";
    test_ok(marey_library_remove(d->parts[part], &name, 1, &test_error));
    test_ok(marey_library_remove(d->whole, &name, 1, &test_error));
}

/* ---- what is refused ------------------------------------------------------------------------- */

CASE(what_does_not_go_together_is_refused)
{
    marey_searcher *none = NULL;
    marey_library *twice[] = { d->parts[0], d->parts[1], d->parts[0] };
    test_refused_about(marey_searcher_open_all(twice, 3, &none, &test_error), MAREY_ERR_REQUEST,
                       "twice");
    test_refused_about(marey_searcher_open_all(twice, 0, &none, &test_error), MAREY_ERR_REQUEST,
                       "1 to 256");
    test_refused_about(marey_searcher_open_all(twice, 257, &none, &test_error), MAREY_ERR_REQUEST,
                       "got 257");
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *other = NULL;
    test_ok(marey_library_open(ctx, marey_library_path(d->parts[1]), MAREY_LIBRARY_READ, &other,
                               &test_error));
    twice[2] = other;
    test_refused_about(marey_searcher_open_all(twice, 3, &none, &test_error), MAREY_ERR_REQUEST,
                       "one context");
    assert_null(none);

    marey_finding *finding = NULL;
    marey_query query = kick;
    const int64_t clip = 1;
    int library = PARTS;
    marey_find_def def = { .clips = &clip, .clip_libraries = &library, .clip_count = 1 };
    query.library = part_of(d, "kicks");
    test_refused_about(marey_searcher_find(d->several, &query, &def, &finding, &test_error),
                       MAREY_ERR_NOT_FOUND, "#1");
    query.library = PARTS;
    test_refused_about(marey_searcher_find(d->several, &query, NULL, &finding, &test_error),
                       MAREY_ERR_REQUEST, "no library 10 of 10");
    query.library = -1;
    test_refused_about(marey_searcher_find(d->several, &query, NULL, &finding, &test_error),
                       MAREY_ERR_REQUEST, "no library -1");
    query.library = part_of(d, "kicks") == 0 ? 1 : 0;
    test_refused_about(marey_searcher_find(d->several, &query, NULL, &finding, &test_error),
                       MAREY_ERR_NOT_FOUND, "kicks");
    query.library = part_of(d, "kicks");
    def = (marey_find_def){ .label = "swim" };
    test_refused_about(marey_searcher_find(d->several, &query, &def, &finding, &test_error),
                       MAREY_ERR_REQUEST, "swim");
    assert_null(finding);
}

CASE(webs_of_other_settings_are_not_mixed)
{
    int last = PARTS - 1;
    marey_finding *finding = NULL;
    marey_query query = kick;
    marey_find_def def = { .web = true };
    query.library = part_of(d, "kicks");
    for (int i = 0; i < PARTS; i++)
        test_ok(marey_library_index(d->parts[i], &(marey_index_def){ .fps = i == last ? 10 : 12 },
                                    NULL, &test_error));
    test_refused_about(marey_searcher_find(d->several, &query, &def, &finding, &test_error),
                       MAREY_ERR_REQUEST, "other settings");
    test_ok(marey_library_index_drop(d->parts[last], &test_error));
    test_refused_about(marey_searcher_find(d->several, &query, &def, &finding, &test_error),
                       MAREY_ERR_INPUT, "no match web yet");
    assert_null(finding);
}

/* ---- refused memory -------------------------------------------------------------------------- */

static marey_status search_two(marey_ctx *ctx, const char *const paths[2], bool web)
{
    OWNED(marey_library) *first = NULL, *second = NULL;
    OWNED(marey_searcher) *searcher = NULL;
    OWNED(marey_finding) *finding = NULL;
    const marey_find_def def = { .web = web, .search = { .tiers = 1 } };
    marey_status status =
        marey_library_open(ctx, paths[0], MAREY_LIBRARY_READ, &first, &test_error);
    if (!status)
        status = marey_library_open(ctx, paths[1], MAREY_LIBRARY_READ, &second, &test_error);
    marey_library *both[] = { first, second };
    if (!status) status = marey_searcher_open_all(both, 2, &searcher, &test_error);
    if (!status) status = marey_searcher_find(searcher, &test_kick, &def, &finding, &test_error);
    if (!status) assert_true(test_found_count(finding) > 3);
    return status;
}

TEST_IN(test_searcher_base_make, test_searcher_base_remove, refused_memory_leaves_nothing_open)
{
    char folder[256], copy[300];
    test_folder_make(folder, sizeof folder);
    snprintf(copy, sizeof copy, "%s/copy.marey", folder);
    test_file_copy(test_searcher_base(), copy);
    const char *paths[] = { test_searcher_base(), copy };
    for (int web = 0; web < 2; web++) {
        OWNED(test_memory) memory = { 0 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .few = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_ctx) *ctx = NULL;
            status = test_ctx_try(&memory, &ctx);
            if (!status) status = search_two(ctx, paths, web);
        }
    }
    test_folder_remove(folder);
}

/* ---- real clips ------------------------------------------------------------------------------ */

enum { REAL = 30 };

static void take_real(void *user, const char *path)
{
    dealt *d = user;
    if (d->count == REAL) return;
    OWNED(marey_clip) *clip = test_clip_load(d->ctx, path);
    int frames = marey_clip_frames(clip);
    test_ok(
        marey_clip_trim(clip, 0, frames < 1200 ? frames : 1200, &d->clips[d->count], &test_error));
    d->names[d->count] = strdup(test_base_name(path));
    d->count++;
}

TEST(real_clips_in_ten_libraries_are_found_as_in_one)
{
    test_need_mocap();
    if (TEST_SANITIZED) test_skip("takes a minute with a sanitizer; the demo's clips are found so");
    dealt *d = dealt_new();
    test_mocap_each("cmu", ".bvh", take_real, d);
    assert_int_equal(d->count, REAL);
    deal(d);
    for (int i = 0; i < REAL; i += 7) {
        marey_query query = { .clip = d->names[i], .start = 100, .end = 220 };
        same_as_one(d, query, &(marey_find_def){ 0 });
        same_as_one(d, query, &(marey_find_def){ .nearest = 12, .mirror = true });
    }
    char *names[REAL];
    for (int i = 0; i < REAL; i++) names[i] = (char *)(uintptr_t)d->names[i];
    dealt_free(d);
    for (int i = 0; i < REAL; i++) free(names[i]);
}

TEST_GROUP_OF_CASES(test_several, deal_demo, drop_demo)
