/* test_query_scan.c - the scan finds every end up to the cut-off, and nothing else: against all
   alignments of small grids, and against the whole grid of clips. */
#include "support.h"

#include "base/context.h"
#include "feature/feature_data.h"
#include "grid/points_grid.h"
#include "match/query_scan.h"

#include <marey/demo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cost, by trying everything ---------------------------------------------------------- */

typedef struct tried {
    marey_rows cost;
    int slope;
    double least[16][16]; /* of alignments from a column to a column */
} tried;

static void try_all(tried *t, int start, int row, int col, int stays, double sum)
{
    sum += (double)t->cost.values[(size_t)row * t->cost.stride + (size_t)col];
    if (row == t->cost.rows - 1) {
        t->least[start][col] = fmin(t->least[start][col], sum / t->cost.rows);
        return;
    }
    if (stays < t->slope) try_all(t, start, row + 1, col, stays + 1, sum);
    for (int d = 1; d <= t->slope + 1 && col + d < t->cost.cols; d++)
        try_all(t, start, row + 1, col + d, 0, sum);
}

TEST_CTX(the_least_of_all_alignments_is_found)
{
    enum { MOST = 10 };
    uint32_t seed = 1;
    (void)ctx;
    for (int round = 0; round < 60; round++) {
        float values[8 * MOST], sums[10 * MOST], costs[MOST];
        int from[10 * MOST], starts[MOST];
        tried t = { .cost = { values, 1 + round % 7, 1 + round % MOST, MOST },
                    .slope = 1 + round % 3 };
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            values[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 20);
        for (int s = 0; s < t.cost.cols; s++) {
            for (int e = 0; e < t.cost.cols; e++) t.least[s][e] = (double)INFINITY;
            try_all(&t, s, 0, s, 0, 0);
        }
        mry_row_warp_costs(&(mry_row_warp){ t.slope, sums, from }, t.cost, costs, starts);
        for (int e = 0; e < t.cost.cols; e++) {
            double least = (double)INFINITY;
            for (int s = 0; s < t.cost.cols; s++) least = fmin(least, t.least[s][e]);
            if (isinf(least)) {
                assert_true(isinf(costs[e]));
                continue;
            }
            test_near((double)costs[e], least, 1e-4 * least);
            test_near(t.least[starts[e]][e], least, 1e-4 * least);
        }
        float bare[MOST];
        mry_row_warp_costs(&(mry_row_warp){ t.slope, sums, NULL }, t.cost, bare, NULL);
        assert_memory_equal(bare, costs, (size_t)t.cost.cols * sizeof *bare);
    }
}

/* ---- the scan, by the whole grid ------------------------------------------------------------- */

typedef struct tally {
    int64_t rows, checked, exact;
    int ends, queries;
} tally;

/* Cut-offs by what share of the ends are to be found. */
static const double shares[] = { 0, 0.001, 0.01, 0.1, 0.5, 1 };

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void check_query(marey_ctx *ctx, const mry_basis *basis, const mry_points *a,
                        const mry_points *b, int first, int end, int slope, tally *all)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_scan_query query;
    mry_scanned clip;
    int cols = b->rows;
    size_t stride = (size_t)cols + 64;
    float *values = MRY_NEW(&mem, float, (size_t)a->rows *stride);
    test_ok(mry_points_grid(ctx, a, b, values, stride, NULL));
    marey_rows cells = { values + (size_t)first * stride, end - first, cols, stride };
    float *costs = MRY_NEW(&mem, float, cols), *sorted = MRY_NEW(&mem, float, cols);
    size_t room = (size_t)(slope + 2) * (size_t)cols;
    mry_row_warp warp = { slope, MRY_NEW(&mem, float, room), NULL };
    assert_true(mry_scan_query_make(&mem, a, basis, first, end, &query));
    assert_true(mry_scanned_make(&mem, b, basis, &clip));
    mry_row_warp_costs(&warp, cells, costs, NULL);
    memcpy(sorted, costs, (size_t)cols * sizeof *costs);
    qsort(sorted, (size_t)cols, sizeof *sorted, by_value);
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        mry_scan_result found;
        float cutoff = sorted[(size_t)(shares[s] * (cols - 1))];
        int at = 0;
        if (isinf(cutoff)) continue;
        assert_true(mry_scan(&mem, &query, &clip, slope, cutoff, &found));
        for (int j = 0; j < cols; j++) {
            if (costs[j] > cutoff * (1 + 1e-4f)) continue;
            /* What is as good as the cut-off may be on either side of it. */
            if (at < found.count && found.ends[at].end == j) {
                test_near((double)found.ends[at].cost, (double)costs[j],
                          1e-4 * (double)costs[j] + 1e-4);
                assert_true(found.ends[at].start <= j);
                at++;
            } else {
                assert_true(costs[j] > cutoff * (1 - 1e-4f) - 1e-4f);
            }
        }
        assert_int_equal(at, found.count);
        all->rows += cols;
        all->checked += found.checked_rows;
        all->exact += found.exact_rows;
        all->ends += found.count;
    }
    all->queries++;
    mry_arena_free(&mem);
}

/* The same motion, so many times as slow. */
static mry_points slower(mry_arena *mem, const marey_features *features, double factor)
{
    mry_points_def *def = MRY_NEW(mem, mry_points_def, 1);
    size_t row = 3 * (size_t)features->points_def.joints;
    mry_points out;
    *def = features->points_def;
    def->rows = (int)(factor * (features->rows - 1));
    double *positions = MRY_NEW(mem, double, (size_t)def->rows *row);
    for (int i = 0; i < def->rows; i++) {
        double at = i / factor, share = at - floor(at);
        const double *from = features->points_def.positions + (size_t)at * row;
        for (size_t k = 0; k < row; k++)
            positions[(size_t)i * row + k] = (1 - share) * from[k] + share * from[row + k];
    }
    def->positions = positions;
    assert_true(mry_points_build(mem, def, &out));
    return out;
}

TEST_CTX(every_end_up_to_the_cut_off_is_found_and_no_other)
{
    static const int takes[][2] = { { 0, 1 }, { 3, 3 }, { 5, 11 }, { 12, 20 }, { 14, 6 } };
    tally all = { 0 };
    size_t pairs = TEST_SANITIZED ? 2 : sizeof takes / sizeof *takes;
    for (size_t p = 0; p < pairs; p++) {
        marey_demo_take *made[2];
        marey_features *features[2];
        OWNED(marey_layout) *layout = NULL;
        for (int i = 0; i < 2; i++) test_ok(marey_demo_build(ctx, takes[p][i], 1, &made[i], NULL));
        const marey_clip *clips[] = { marey_demo_clip(made[0]), marey_demo_clip(made[1]) };
        test_ok(marey_layout_build(ctx, clips, 2, NULL, &layout, NULL));
        test_ok(mry_layout_find_basis(layout, clips, 2, NULL));
        for (int i = 0; i < 2; i++)
            test_ok(marey_features_build(layout, clips[i], &features[i], NULL));
        for (int q = 0; q < 3; q++) {
            int first = 100 + 230 * q, length = 1 + 44 * q;
            check_query(ctx, layout->basis, features[0]->points, features[1]->points, first,
                        first + length, 1 + q, &all);
            /* Alignments as steep as they may be, one way and the other. */
            mry_arena mem = mry_arena_make(ctx);
            mry_points slow = slower(&mem, features[0], 1.9 + q);
            check_query(ctx, layout->basis, features[0]->points, &slow, first, first + length,
                        1 + q, &all);
            check_query(ctx, layout->basis, &slow, features[0]->points, 2 * first,
                        2 * first + length, 1 + q, &all);
            mry_arena_free(&mem);
        }
        for (int i = 0; i < 2; i++) {
            marey_features_free(features[i]);
            marey_demo_free(made[i]);
        }
    }
    print_message("%d queries, %d ends; of the rows blocks left %.3f, frames %.3f\n", all.queries,
                  all.ends, (double)all.checked / (double)all.rows,
                  (double)all.exact / (double)all.rows);
    assert_true(all.ends > 1000 && all.exact < all.rows / 2);
}

TEST_CTX(without_memory_nothing_is_found_and_nothing_is_left)
{
    marey_demo_take *take;
    OWNED(marey_layout) *layout = NULL;
    OWNED(marey_features) *features = NULL;
    test_ok(marey_demo_build(ctx, 3, 1, &take, NULL));
    const marey_clip *clip = marey_demo_clip(take);
    test_ok(marey_layout_build(ctx, &clip, 1, NULL, &layout, NULL));
    test_ok(mry_layout_find_basis(layout, &clip, 1, NULL));
    test_ok(marey_features_build(layout, clip, &features, NULL));
    bool found = false;
    for (size_t limit = 0; !found; limit += 50000) {
        mry_arena mem = mry_arena_make(ctx);
        mry_scan_query query;
        mry_scanned scanned;
        mry_scan_result result;
        size_t before = ctx->def.byte_limit;
        ctx->def.byte_limit = marey_ctx_bytes(ctx) + limit;
        found = mry_scan_query_make(&mem, features->points, layout->basis, 100, 160, &query) &&
                mry_scanned_make(&mem, features->points, layout->basis, &scanned) &&
                mry_scan(&mem, &query, &scanned, 2, 30, &result);
        ctx->def.byte_limit = before;
        if (found) assert_true(result.count > 0);
        mry_arena_free(&mem);
        assert_true(limit < 1u << 30);
    }
    marey_demo_free(take);
}

TEST_GROUP_OF_CASES(test_query_scan, NULL, NULL)
