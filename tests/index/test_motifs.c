/* test_motifs.c - what repeats in a library: what the truth about demo takes says, exactly what a
   search for each example finds, and the same whatever else there is. */
#include "frame_measures.h"
#include "searcher_bench.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

static marey_motifs *find(test_library *f, const marey_motifs_def *def)
{
    marey_motifs *motifs = NULL;
    test_ok(marey_searcher_motifs(f->searcher, def, &motifs, &test_error));
    return motifs;
}

static int count_of(const marey_motifs *motifs)
{
    int count;
    marey_motifs_list(motifs, &count);
    return count;
}

static int shared(const marey_match *a, const marey_match *b)
{
    int from = a->start > b->start ? a->start : b->start, to = a->end < b->end ? a->end : b->end;
    return strcmp(a->name, b->name) == 0 && to > from ? to - from : 0;
}

static void same_motifs(const marey_motifs *a, const marey_motifs *b)
{
    int count = count_of(a);
    const marey_motif *some = marey_motifs_list(a, &count), *others = marey_motifs_list(b, &count);
    assert_int_equal(count, count_of(a));
    for (int i = 0; i < count; i++) {
        assert_int_equal(some[i].count, others[i].count);
        assert_true(some[i].seconds == others[i].seconds);
        assert_true(some[i].threshold == others[i].threshold);
        for (int k = 0; k < some[i].count; k++) {
            const marey_match *x = &some[i].occurrences[k], *y = &others[i].occurrences[k];
            assert_string_equal(x->name, y->name);
            assert_true(x->clip == y->clip && x->start == y->start && x->end == y->end);
            assert_true(x->distance == y->distance);
        }
    }
}

/* ---- the truth ------------------------------------------------------------------------------- */

/* What is done where a match is, for most of it; NULL: nothing. Clips are takes from their first
   frame on. */
static const marey_demo_segment *done_at(marey_demo_take *const takes[3], const marey_match *at)
{
    static const char *const names[] = { "kicks", "fight", "punches" };
    for (int t = 0; t < 3; t++) {
        int count;
        const marey_demo_segment *segments = marey_demo_segments(takes[t], &count);
        for (int i = 0; i < count; i++) {
            marey_match one = { .name = names[t],
                                .start = segments[i].start,
                                .end = segments[i].end };
            if (2 * shared(&one, at) > at->end - at->start) return &segments[i];
        }
    }
    return NULL;
}

CASE(what_repeats_in_fights_is_kicks_and_punches_of_either_side)
{
    static const char *const names[] = { "kicks", "small_fight", "punches" };
    marey_demo_take *takes[3];
    bool kicks[2] = { false, false }, punches = false;
    int count;
    for (int i = 0; i < 3; i++) takes[i] = test_demo_take(f->ctx, names[i]);
    OWNED(marey_motifs) *motifs = find(f, NULL);
    const marey_motif *list = marey_motifs_list(motifs, &count);
    assert_true(count >= 3 && count <= 20);
    for (int i = 0; i < count; i++) {
        const marey_motif *motif = &list[i];
        const marey_demo_segment *of = done_at(takes, &motif->occurrences[0]);
        assert_true(motif->count >= 2 && motif->seconds >= 0.7);
        if (i > 0)
            assert_true(motif->count * motif->seconds <= list[i - 1].count * list[i - 1].seconds);
        if (!of) continue;
        for (int k = 0; k < motif->count; k++) {
            const marey_demo_segment *other = done_at(takes, &motif->occurrences[k]);
            if (!other || strcmp(of->label, other->label) != 0 ||
                strcmp(of->side, other->side) != 0)
                fail_msg("motif %d: %s and %s", i, of->label, other ? other->label : "nothing");
        }
        if (strcmp(of->label, "kick") == 0) kicks[of->side[0] == 'l'] = true;
        punches |= strcmp(of->label, "punch") == 0;
    }
    assert_true(kicks[0] && kicks[1] && punches);
    for (int i = 0; i < 3; i++) marey_demo_free(takes[i]);
}

CASE(a_walk_is_one_motif_of_one_period)
{
    OWNED(marey_demo_take) *take = test_demo_take(f->ctx, "walk_straight");
    int64_t id = test_library_put_clip(f, marey_demo_clip(take), "walk");
    int count;
    OWNED(marey_motifs) *motifs = find(f, &(marey_motifs_def){ .clips = &id, .clip_count = 1 });
    const marey_motif *list = marey_motifs_list(motifs, &count);
    assert_true(count > 0 && list[0].seconds > 0.8 && list[0].seconds < 1.4);
    assert_true(list[0].count >= 5);
    /* Nothing else is for half of it in the walk. */
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < list[i].count; k++) {
            const marey_match *at = &list[i].occurrences[k];
            int in = 0;
            for (int w = 0; w < list[0].count; w++) in += shared(at, &list[0].occurrences[w]);
            assert_true(2 * in <= at->end - at->start);
        }
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

CASE(a_search_for_an_example_finds_its_occurrences_and_others_of_other_lengths)
{
    int count, found = 0;
    OWNED(marey_motifs) *motifs = find(f, NULL);
    const marey_motif *list = marey_motifs_list(motifs, &count);
    for (int i = 0; i < count; i++) {
        const marey_match *example = &list[i].occurrences[0];
        marey_query query = { .clip = example->name, .start = example->start, .end = example->end };
        /* For a search, what moves less than the example is farther, and what moves more nearer. */
        marey_find_def def = { .search = { .threshold = 2 * list[i].threshold } };
        OWNED(marey_finding) *finding = test_searcher_find(f, query, &def);
        int matches, next = 1;
        const marey_match *match = marey_finding_matches(finding, &matches);
        test_near(marey_finding_report_of(finding).still_cost, list[i].still_cost, 1e-9);
        for (int k = 1; k < matches; k++) {
            const marey_match *at = NULL;
            for (int o = 1; o < list[i].count; o++) {
                const marey_match *one = &list[i].occurrences[o];
                if (one->clip == match[k].clip && one->end == match[k].end) at = one;
            }
            if (at)
                assert_true(at->start == match[k].start &&
                            at->distance <= 1.25 * match[k].distance);
            next += at != NULL;
            double times =
                (double)(match[k].end - match[k].start) / (example->end - example->start);
            assert_true(at || 1.25 * match[k].distance > list[i].threshold || times > 5.0 / 3 ||
                        times < 3.0 / 5);
        }
        assert_int_equal(next, list[i].count);
        found += next;
    }
    assert_true(found > 6);
}

CASE(labels_and_clips_say_where)
{
    int64_t kicks = test_library_number(f, "kicks");
    OWNED(marey_motifs) *some = find(f, &(marey_motifs_def){ .label = "kick", .limit = 2 });
    OWNED(marey_motifs) *same =
        find(f, &(marey_motifs_def){ .clips = &kicks, .clip_count = 1, .limit = 2 });
    marey_motifs *none = NULL;
    int64_t missing = 99;
    int count;
    assert_int_equal(count_of(some), 2);
    same_motifs(some, same);
    test_refused_about(marey_searcher_motifs(f->searcher, &(marey_motifs_def){ .label = "fly" },
                                             &none, &test_error),
                       MAREY_ERR_REQUEST, "no clip has the label fly");
    /* Of frames with a label, for half of each. */
    marey_clip_range range = { "kicks", 0, 800 };
    const char *label = "begin";
    marey_edit_def edit = { .add = &label, .add_count = 1 };
    test_ok(marey_library_edit_frames(f->library, &range, 1, &edit, &test_error));
    OWNED(marey_motifs) *begin = find(f, &(marey_motifs_def){ .label = "begin" });
    const marey_motif *list = marey_motifs_list(begin, &count);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < list[i].count; k++) {
            const marey_match *at = &list[i].occurrences[k];
            assert_true(at->clip == kicks && (at->start + at->end) / 2 <= 800);
        }
    }
    marey_motifs_def def = { .clips = &missing, .clip_count = 1 };
    assert_int_equal(marey_searcher_motifs(f->searcher, &def, &none, &test_error),
                     MAREY_ERR_NOT_FOUND);
    assert_null(none);
}

TEST_OF_IN(test_library_make, test_library_free, test_library *f, nothing_repeats_where_little_is)
{
    OWNED(marey_motifs) *empty = NULL, *one = NULL, *still = NULL;
    OWNED(marey_demo_take) *take = test_demo_take(f->ctx, "kicks");
    OWNED(marey_clip) *frame = test_trimmed(marey_demo_clip(take), 130, 131);
    OWNED(marey_clip) *stands = mry_clip_make_like(frame, 400, 60);
    test_ok(marey_searcher_open(f->library, &f->searcher, &test_error));
    empty = find(f, NULL);
    test_library_put_clip(f, frame, "frame");
    one = find(f, NULL);
    for (int i = 0; i < 400; i++) mry_clip_copy_frames(stands, i, frame, 0, 1);
    test_library_put_clip(f, stands, "stands");
    test_searcher_put(f->library, test_trimmed(marey_demo_clip(take), 130, 160), "short", NULL);
    test_searcher_put(f->library, test_trimmed(marey_demo_clip(take), 122, 252), "kick", NULL);
    still = find(f, NULL);
    assert_true(count_of(empty) == 0 && count_of(one) == 0 && count_of(still) == 0);
}

/* ---- threads, memory, cancelling ------------------------------------------------------------- */

CASE(any_number_of_threads_finds_the_same)
{
    OWNED(marey_motifs) *alone = find(f, NULL);
    static const int threads[] = { 1, 2, 5 };
    for (int i = 0; i < (TEST_SANITIZED ? 2 : 3); i++) {
        OWNED(marey_ctx) *ctx = NULL;
        OWNED(marey_library) *library = NULL;
        OWNED(marey_searcher) *searcher = NULL;
        OWNED(marey_motifs) *motifs = NULL;
        test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = threads[i] }, &ctx));
        test_ok(marey_library_open(ctx, f->path, MAREY_LIBRARY_READ, &library, &test_error));
        test_ok(marey_searcher_open(library, &searcher, &test_error));
        test_ok(marey_searcher_motifs(searcher, NULL, &motifs, &test_error));
        same_motifs(alone, motifs);
    }
}

static marey_status find_punches(marey_library *library, marey_searcher *searcher)
{
    OWNED(marey_motifs) *motifs = NULL;
    marey_motifs_def def = { .label = "punch" };
    marey_status status = marey_searcher_motifs(searcher, &def, &motifs, &test_error);
    assert_true((motifs == NULL) == (status != MAREY_OK));
    (void)library;
    return status;
}

CASE(refused_memory_and_cancelling_are_reported_and_nothing_is_held)
{
    test_searcher_starve(f, find_punches);
}

TEST_GROUP_OF_CASES(test_motifs, test_searcher_base_make, test_searcher_base_remove)
