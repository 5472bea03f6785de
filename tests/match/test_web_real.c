/* test_web_real.c - match webs of captured walks: slabs of the fused grid give the web of the whole
   one, bytes bring it back, and searching finds what brute force does. Skipped where there are no
   captured clips. */
#include "blend_clips.h"
#include "brute_search.h"
#include "web_fields.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 400 };

typedef struct walks {
    marey_ctx *ctx;
    marey_clip *clips[2];
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid;
    marey_web *web;
} walks;

static marey_clip *part_of(marey_ctx *ctx, const char *name, int first)
{
    OWNED(marey_clip) *clip = test_captured_unmarked(ctx, name);
    OWNED(marey_clip) *slow = NULL;
    marey_clip *part;
    slow = test_resampled(clip, 60);
    part = test_trimmed(slow, first, first + FRAMES);
    return part;
}

static walks walks_make(void)
{
    walks w = { .ctx = test_ctx() };
    w.clips[0] = part_of(w.ctx, "cmu/91_01", 10);
    w.clips[1] = part_of(w.ctx, "cmu/91_01", 800);
    assert_int_equal(marey_layout_build(w.ctx, (const marey_clip *const *)w.clips, 2,
                                        &(marey_metric_def){ .bounded = true }, &w.layout, NULL),
                     MAREY_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(marey_features_build(w.layout, w.clips[i], &w.features[i], NULL),
                         MAREY_OK);
    }
    assert_int_equal(marey_grid_build(w.ctx, w.features[0], w.features[1], &w.grid, NULL),
                     MAREY_OK);
    assert_int_equal(marey_web_build(w.ctx, w.features[0], w.features[1],
                                     &(marey_web_def){ .tail_s = 1 }, &w.web, NULL),
                     MAREY_OK);
    return w;
}

static void walks_free(walks *w)
{
    marey_web_free(w->web);
    marey_grid_free(w->grid);
    for (int i = 0; i < 2; i++) {
        marey_features_free(w->features[i]);
        marey_clip_free(w->clips[i]);
    }
    marey_layout_free(w->layout);
    marey_ctx_close(w->ctx);
}
OWNED_VALUE(walks, walks_free)

TEST(a_web_of_captured_walks_is_that_of_their_grid_and_comes_back_from_bytes)
{
    test_need_mocap();
    OWNED(walks) w = walks_make();
    OWNED(marey_web) *whole = NULL, *again = NULL;
    uint8_t *bytes;
    size_t size;
    marey_web_def def = { .ceiling = MAREY_WEB_CEILING, .tail_s = 1 };
    assert_int_equal(mry_web_from_rows(w.ctx, marey_grid_cost(w.grid), false,
                                       marey_layout_fps(w.layout), &def, 0, &whole, NULL),
                     MAREY_OK);
    check_same_web(w.web, whole);
    assert_int_equal(marey_web_write(w.web, &bytes, &size, NULL), MAREY_OK);
    assert_int_equal(marey_web_read(w.ctx, bytes, size, &again, NULL), MAREY_OK);
    check_same_web(w.web, again);
    assert_true(w.web->chain_count - w.web->tail_count > 20);
    assert_true(w.web->tail_count > w.web->chain_count / 2);
    marey_web_bytes_free(w.ctx, bytes, size);
}

static marey_status give_web(void *user, int a, int b, const marey_web **out, bool *flipped,
                             marey_error *error)
{
    (void)error;
    *out = a != b ? user : NULL;
    *flipped = a > b;
    return MAREY_OK;
}

static double overlap(const brute_match *a, marey_segment b)
{
    int start = a->start > b.start ? a->start : b.start, end = a->end < b.end ? a->end : b.end;
    int first = a->end - a->start, second = b.end - b.start;
    return end <= start ? 0 : (double)(end - start) / (first < second ? first : second);
}

/* How many of the best matches are found, without continuing chains by guess. Their costs are
   within a tenth; within a twentieth they are in ten of twelve: a tail is the best way to its end,
   not to every row before (bench/bench_brute.c). */
static int count_found(walks *w, const brute_match *best, int count, marey_segment query,
                       double threshold)
{
    marey_webs webs = { .clips = 2, .web = give_web, .user = w->web };
    marey_search_def def = { .threshold = 1.05 * threshold, .tiers = 1, .loose = -1 };
    OWNED(marey_match_graph) *graph = NULL;
    int nodes, found = 0;
    assert_int_equal(marey_search(w->ctx, &webs, query, &def, &graph, NULL), MAREY_OK);
    const marey_found *all = marey_match_graph_nodes(graph, &nodes);
    for (int i = 0; i < count; i++) {
        double least = INFINITY;
        for (int k = 1; k < nodes; k++) {
            if (overlap(&best[i], all[k].at) >= 0.8) least = fmin(least, all[k].distance);
        }
        bool fine = least <= 1.1 * best[i].mean;
        if (!fine)
            print_message("rows %d to %d: columns %d to %d at %.1f, found at %.1f\n", query.start,
                          query.end, best[i].start, best[i].end, best[i].mean, least);
        found += fine;
    }
    return found;
}

TEST(what_brute_force_finds_best_in_captured_walks_is_found)
{
    test_need_mocap();
    static const int queries[][2] = { { 20, 80 }, { 130, 205 }, { 200, 260 }, { 300, 390 } };
    OWNED(walks) w = walks_make();
    marey_rows cost = marey_grid_cost(w.grid);
    FREED uint8_t *valid = web_judge_valid(cost, false, marey_layout_fps(w.layout),
                                           &(marey_web_def){ .ceiling = MAREY_WEB_CEILING });
    int all = 0, found = 0;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        marey_segment query = { 0, queries[i][0], queries[i][1] };
        int count;
        FREED brute_match *best =
            brute_search(cost, valid, 2, query.start, query.end, 40, 0.2, &count);
        all += count;
        found += count_found(&w, best, count, query, 40);
    }
    print_message("%d best matches, %d found\n", all, found);
    assert_true(all >= 8);
    assert_int_equal(found, all);
}

TEST_GROUP_OF_CASES(test_web_real, NULL, NULL)
