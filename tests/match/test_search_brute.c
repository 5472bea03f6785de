/* test_search_brute.c - searching with webs against the paper's expensive method: what dynamic timewarping of the query with
   every segment finds best, the web finds too. Best are those that no better one overlaps by more than a fifth (sigma_0
   bar): segments that are merely shifted by a few frames are found by the score by that method, and are no matches of
   their own. */
#include "match/search_index.h"
#include "match/search_pick.h"
#include "web_judge.h"

#include <stdlib.h>

enum { SLOPE = 2 };

typedef struct pair {
    marey_rows cost;
    const uint8_t *valid;
    const marey_web *web;
} pair;

typedef struct tally {
    int queries, best, found, dearer;
    double worst;
} tally;

static double overlap(const brute_match *a, marey_segment b)
{
    return mry_overlap((marey_segment){ b.clip, a->start, a->end }, b);
}

/* The best of the hits that overlap a match by 80 %; NULL: none. */
static const mry_hit *same_hit(const mry_picker *picker, const brute_match *match)
{
    const mry_hit *hits = picker->hits.items, *best = NULL;
    for (int i = 0; i < picker->hits.count; i++) {
        if (overlap(match, hits[i].at) < 0.8) continue;
        if (!best || hits[i].mean < best->mean) best = &hits[i];
    }
    return best;
}

static void compare(marey_ctx *ctx, const pair *p, int start, int end, double threshold, tally *all)
{
    int count;
    FREED brute_match *best =
        brute_search(p->cost, p->valid, SLOPE, start, end, threshold, 0.2, &count);
    mry_picker picker = mry_picker_make(ctx);
    marey_segment query = { 0, start, end };
    assert_true(mry_pick_matches(
        &picker,
        &(mry_pick){
            p->web, false, query, { 1, 1 }, 1, 1.05 * threshold, 0.8, (end - start) / 10 }));
    for (int i = 0; i < count; i++) {
        const mry_hit *hit = same_hit(&picker, &best[i]);
        all->best++;
        if (!hit) {
            print_message("rows %d to %d: no match for columns %d to %d, mean %.3f\n", start, end,
                          best[i].start, best[i].end, best[i].mean);
            continue;
        }
        all->found++;
        double ratio = hit->mean / best[i].mean;
        if (ratio > all->worst) all->worst = ratio;
        all->dearer += ratio > 1.05;
    }
    all->queries++;
    mry_picker_free(&picker);
}

typedef struct demo_pair {
    int a, b;             /* takes */
    int rows[2], cols[2]; /* what is cut out of each: [start, end) */
    int queries[4][2];    /* rows of the first cut */
    double threshold;
} demo_pair;

static marey_features *cut_features(const marey_layout *layout, const marey_demo_take *take,
                                    const int *part)
{
    OWNED(marey_clip) *clip = NULL;
    marey_features *features;
    assert_int_equal(marey_clip_trim(marey_demo_clip(take), part[0], part[1], &clip, NULL),
                     MAREY_OK);
    assert_int_equal(marey_features_build(layout, clip, &features, NULL), MAREY_OK);
    return features;
}

static void compare_takes(marey_ctx *ctx, const demo_pair *of, tally *all)
{
    marey_demo_take *takes[2];
    assert_int_equal(marey_demo_build(ctx, of->a, 1, &takes[0], NULL), MAREY_OK);
    assert_int_equal(marey_demo_build(ctx, of->b, 1, &takes[1], NULL), MAREY_OK);
    const marey_clip *clips[] = { marey_demo_clip(takes[0]), marey_demo_clip(takes[1]) };
    marey_layout *layout;
    marey_grid *grid;
    marey_web *web;
    assert_int_equal(marey_layout_build(ctx, clips, 2, NULL, &layout, NULL), MAREY_OK);
    marey_features *a = cut_features(layout, takes[0], of->rows);
    marey_features *b = cut_features(layout, takes[1], of->cols);
    assert_int_equal(marey_grid_build(ctx, a, b, &grid, NULL), MAREY_OK);
    assert_int_equal(marey_web_build(ctx, a, b, NULL, &web, NULL), MAREY_OK);
    marey_rows cost = marey_grid_cost(grid);
    marey_web_def def = { .ceiling = MAREY_WEB_CEILING };
    uint8_t *valid = web_judge_valid(cost, false, marey_layout_fps(layout), &def);
    pair p = { cost, valid, web };
    for (int i = 0; i < 4 && of->queries[i][1] > 0; i++) {
        compare(ctx, &p, of->queries[i][0], of->queries[i][1], of->threshold, all);
    }
    free(valid);
    marey_web_free(web);
    marey_grid_free(grid);
    marey_features_free(a);
    marey_features_free(b);
    marey_layout_free(layout);
    marey_demo_free(takes[0]);
    marey_demo_free(takes[1]);
}

TEST_CTX(what_brute_force_finds_best_is_found_in_made_motion)
{
    static const demo_pair pairs[] = {
        { 0, 3, { 148, 508 }, { 100, 500 }, { { 100, 190 }, { 30, 120 }, { 200, 290 } }, 30 },
        { 6, 7, { 128, 428 }, { 155, 455 }, { { 60, 150 }, { 150, 240 } }, 30 },
        { 15, 23, { 100, 500 }, { 450, 850 }, { { 63, 128 }, { 295, 356 } }, 30 },
        { 16, 23, { 90, 520 }, { 920, 1220 }, { { 58, 136 } }, 80 },
        { 17, 24, { 140, 560 }, { 440, 740 }, { { 33, 113 }, { 290, 370 } }, 80 },
        { 10, 11, { 150, 690 }, { 152, 692 }, { { 150, 240 }, { 300, 390 } }, 30 },
    };
    tally all = { 0 };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) compare_takes(ctx, &pairs[i], &all);
    print_message(
        "%d queries: %d best matches, %d found, %d of them dearer by more than 5 %%, worst "
        "%.3f\n",
        all.queries, all.best, all.found, all.dearer, all.worst);
    assert_int_equal(all.found, all.best);
    assert_int_equal(all.dearer, 0);
    assert_true(all.best >= all.queries);
}

TEST_GROUP_OF_CASES(test_search_brute, NULL, NULL)
