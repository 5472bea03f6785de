/* test_search_brute.c - searching with webs against the paper's expensive method: what dynamic
   timewarping of the query with every segment finds best, the web finds too. Best are those that no
   better one overlaps by more than a fifth (sigma_0 bar): segments that are merely shifted by a few
   frames are found by the score by that method, and are no matches of their own. */
#include "frame_measures.h"
#include "match/search_index.h"
#include "match/search_pick.h"
#include "web_judge.h"

#include <stdlib.h>

enum { SLOPE = 2 };

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

typedef struct demo_pair {
    int a, b;             /* takes */
    int rows[2], cols[2]; /* what is cut out of each: [start, end) */
    int queries[4][2];    /* rows of the first cut */
    double threshold;
} demo_pair;

static marey_features *cut_features(const marey_layout *layout, const marey_demo_take *take,
                                    const int *part)
{
    marey_features *features;
    OWNED(marey_clip) *clip = test_trimmed(marey_demo_clip(take), part[0], part[1]);
    assert_int_equal(marey_features_build(layout, clip, &features, NULL), MAREY_OK);
    return features;
}

static void compare_takes(marey_ctx *ctx, const demo_pair *of, tally *all)
{
    marey_demo_take *takes[2];
    assert_int_equal(marey_demo_build(ctx, of->a, 1, &takes[0], NULL), MAREY_OK);
    assert_int_equal(marey_demo_build(ctx, of->b, 1, &takes[1], NULL), MAREY_OK);
    const marey_clip *clips[] = { marey_demo_clip(takes[0]), marey_demo_clip(takes[1]) };
    OWNED(marey_layout) *layout = NULL;
    OWNED(marey_grid) *grid = NULL;
    OWNED(marey_web) *web = NULL;
    assert_int_equal(marey_layout_build(ctx, clips, 2, NULL, &layout, NULL), MAREY_OK);
    OWNED(marey_features) *a = cut_features(layout, takes[0], of->rows);
    OWNED(marey_features) *b = cut_features(layout, takes[1], of->cols);
    assert_int_equal(marey_grid_build(ctx, a, b, &grid, NULL), MAREY_OK);
    assert_int_equal(marey_web_build(ctx, a, b, NULL, &web, NULL), MAREY_OK);
    marey_rows cost = marey_grid_cost(grid);
    marey_web_def def = { .ceiling = MAREY_WEB_CEILING };
    FREED uint8_t *valid = web_judge_valid(cost, false, marey_layout_fps(layout), &def);
    for (int i = 0; i < 4 && of->queries[i][1] > 0; i++) {
        int start = of->queries[i][0], end = of->queries[i][1], count;
        FREED brute_match *best =
            brute_search(cost, valid, SLOPE, start, end, of->threshold, 0.2, &count);
        mry_picker picker = mry_picker_make(ctx);
        marey_segment query = { 0, start, end };
        assert_true(mry_pick_matches(
            &picker,
            &(mry_pick){
                web, false, query, { 1, 1 }, 1, 1.05 * of->threshold, 0.8, (end - start) / 10 }));
        for (int k = 0; k < count; k++) {
            const mry_hit *hit = same_hit(&picker, &best[k]);
            all->best++;
            if (!hit) {
                print_message("rows %d to %d: no match for columns %d to %d, mean %.3f\n", start,
                              end, best[k].start, best[k].end, best[k].mean);
                continue;
            }
            all->found++;
            double ratio = hit->mean / best[k].mean;
            if (ratio > all->worst) all->worst = ratio;
            all->dearer += ratio > 1.05;
        }
        all->queries++;
        mry_picker_free(&picker);
    }
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
    size_t step = TEST_SANITIZED && !test_is_long() ? 3 : 1;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += step)
        compare_takes(ctx, &pairs[i], &all);
    print_message(
        "%d queries: %d best matches, %d found, %d of them dearer by more than 5 %%, worst "
        "%.3f\n",
        all.queries, all.best, all.found, all.dearer, all.worst);
    assert_int_equal(all.found, all.best);
    assert_int_equal(all.dearer, 0);
    assert_true(all.best >= all.queries);
}

TEST_GROUP_OF_CASES(test_search_brute, NULL, NULL)
