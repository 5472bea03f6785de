/* test_timewarp.c - time alignments against every legal path of small grids, counted out. */
#include "warp_grids.h"

#include <math.h>
#include <stdlib.h>

/* ---- the judge: all paths -------------------------------------------------------------------- */

enum { SMALL = 6 };

/* The least sum to every cell by legal paths from a start, and the fewest cells among those. */
typedef struct judge {
    marey_rows grid;
    int slope, first_across, first_down;
    bool reached[SMALL][SMALL];
    double sum[SMALL][SMALL];
    int count[SMALL][SMALL];
    int first_run[SMALL][SMALL]; /* of that path: > 0 across, < 0 down */
} judge;

typedef struct walk {
    int row, col, across, down, count, first_run;
    bool in_first_run;
    double sum;
} walk;

static void visit(judge *all, walk at)
{
    if (at.row >= all->grid.rows || at.col >= all->grid.cols) return;
    if (at.across > all->slope || at.down > all->slope) return;
    if (at.in_first_run) {
        at.first_run = at.across - at.down;
        if (at.across > all->first_across || at.down > all->first_down) return;
    }
    at.sum += (double)*warp_cell(all->grid, at.row, at.col);
    at.count++;
    int i = at.row, j = at.col;
    bool same = all->reached[i][j] && at.sum == all->sum[i][j];
    if (!all->reached[i][j] || at.sum < all->sum[i][j] || (same && at.count < all->count[i][j])) {
        all->reached[i][j] = true;
        all->sum[i][j] = at.sum;
        all->count[i][j] = at.count;
        all->first_run[i][j] = at.first_run;
    }
    walk across = at, down = at, both = at;
    across.col++;
    across.across++;
    across.down = 0;
    across.in_first_run = at.in_first_run && at.down == 0;
    down.row++;
    down.down++;
    down.across = 0;
    down.in_first_run = at.in_first_run && at.across == 0;
    both.row++;
    both.col++;
    both.across = both.down = 0;
    both.in_first_run = false;
    visit(all, across);
    visit(all, down);
    visit(all, both);
}

/* From the first cell of a grid. */
static judge count_out(marey_rows grid, int slope, int first_across, int first_down)
{
    judge all = {
        .grid = grid, .slope = slope, .first_across = first_across, .first_down = first_down
    };
    visit(&all, (walk){ .in_first_run = true });
    return all;
}

static marey_rows part(marey_rows grid, marey_cell start)
{
    return (marey_rows){ warp_cell(grid, start.row, start.col), grid.rows - start.row,
                         grid.cols - start.col, grid.stride };
}

/* The best cell of the last row and column, by the rules that timewarp.h states. */
static marey_cell best_end(const judge *all)
{
    marey_cell best = { -1, -1 };
    int rows = all->grid.rows, cols = all->grid.cols;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            if ((i < rows - 1 && j < cols - 1) || !all->reached[i][j]) continue;
            double sum = all->sum[i][j], mean = sum / all->count[i][j];
            if (best.row >= 0) {
                double other = all->sum[best.row][best.col];
                double other_mean = other / all->count[best.row][best.col];
                if (mean > other_mean) continue;
                if (mean == other_mean && sum > other) continue;
                if (mean == other_mean && sum == other && abs(i - j) >= abs(best.row - best.col))
                    continue;
            }
            best = (marey_cell){ i, j };
        }
    }
    return best;
}

static void closed_paths_cost_least(marey_ctx *ctx, marey_rows grid, int slope)
{
    for (int si = 0; si < grid.rows; si++) {
        for (int sj = 0; sj < grid.cols; sj++) {
            judge all = count_out(part(grid, (marey_cell){ si, sj }), slope, slope, slope);
            for (int n = 0; n < 2 * grid.rows * grid.cols; n++) {
                marey_align_def def = { .ends = MAREY_ALIGN_BETWEEN,
                                        .start = { si, sj },
                                        .end = { n / 2 / grid.cols, n / 2 % grid.cols },
                                        .slope = slope };
                int i = def.end.row - si, j = def.end.col - sj;
                OWNED(marey_path) path = { .count = -1 };
                bool can = i >= 0 && j >= 0 && all.reached[i][j];
                marey_status status =
                    warp_align(ctx, grid, &def, n % 2 ? WARP_PLAIN : WARP_FAST, &path, NULL);
                assert_int_equal(status, can ? MAREY_OK : MAREY_ERR_REQUEST);
                assert_true(!(i >= 0 && j >= 0) || can == warp_lengths_fit(i + 1, j + 1, slope));
                if (!can) {
                    assert_int_equal(path.count, -1);
                    continue;
                }
                assert_true(path.sum == all.sum[i][j]);
                warp_check_path(grid, def, &path);
            }
        }
    }
}

TEST_CTX(on_small_grids_no_legal_path_costs_less)
{
    uint32_t seed = 1;
    for (int n = 0; n < 60; n++) {
        OWNED(warp_grid) grid = warp_grid_make(warp_pick(&seed, 1, 5), warp_pick(&seed, 1, 5),
                                               n % 2, n % WARP_KINDS, &seed);
        for (int slope = 1; slope <= 3; slope++) closed_paths_cost_least(ctx, grid, slope);
    }
}

TEST_CTX(on_small_grids_no_end_has_a_lower_mean)
{
    uint32_t seed = 2;
    for (int n = 0; n < 300; n++) {
        OWNED(warp_grid) grid = warp_grid_make(
            warp_pick(&seed, 1, SMALL), warp_pick(&seed, 1, SMALL), n % 3, n % WARP_KINDS, &seed);
        for (int k = 0; k < 6; k++) {
            marey_align_def def = { .start = { warp_pick(&seed, 0, grid.rows - 1),
                                               warp_pick(&seed, 0, grid.cols - 1) },
                                    .slope = 1 + k % 3 };
            if (n % 2) def.start = (marey_cell){ 0, 0 };
            warp_form form = k >= 3 ? WARP_PLAIN : WARP_FAST;
            judge all = count_out(part(grid, def.start), def.slope, def.slope, def.slope);
            marey_cell end = best_end(&all);
            def.ends = MAREY_ALIGN_FORWARDS;
            OWNED(marey_path) path = warp_find(ctx, grid, def, form);
            marey_cell last = path.cells[path.count - 1];
            warp_check_path(grid, def, &path);
            assert_true(path.sum == all.sum[end.row][end.col]);
            assert_int_equal(path.count, all.count[end.row][end.col]);
            assert_int_equal(last.row, def.start.row + end.row);
            assert_int_equal(last.col, def.start.col + end.col);
        }
    }
}

typedef struct half {
    double sum;
    int count, first_run;
} half;

static half best_half(marey_rows grid, int slope, int first_across, int first_down)
{
    judge all = count_out(grid, slope, first_across, first_down);
    marey_cell end = best_end(&all);
    return (half){ all.sum[end.row][end.col], all.count[end.row][end.col],
                   all.first_run[end.row][end.col] };
}

static half leave_room(marey_rows grid, int slope, half other)
{
    int run = other.first_run;
    return best_half(grid, slope, slope - (run > 0 ? run : 0), slope + (run < 0 ? run : 0));
}

static double joined_mean(half a, half b, double start)
{
    return (a.sum + b.sum - start) / (a.count + b.count - 1);
}

/* The mean that the rule of path.c asks for; *again: the halves did not fit together. */
static double judge_around(marey_rows grid, marey_cell start, int slope, bool *again)
{
    OWNED(warp_grid) other = warp_grid_reverse(grid);
    marey_cell mirrored = { grid.rows - 1 - start.row, grid.cols - 1 - start.col };
    marey_rows fore_part = part(grid, start), back_part = part(other, mirrored);
    double cost = (double)*warp_cell(grid, start.row, start.col);
    half fore = best_half(fore_part, slope, slope, slope);
    half back = best_half(back_part, slope, slope, slope);
    double mean = joined_mean(back, fore, cost);
    *again = abs(fore.first_run + back.first_run) > slope;
    if (*again) {
        double a = joined_mean(leave_room(back_part, slope, fore), fore, cost);
        double b = joined_mean(back, leave_room(fore_part, slope, back), cost);
        mean = b < a ? b : a;
    }
    return mean;
}

/* Costs without ties, since the run at the start depends on which of equal paths is taken. */
TEST_CTX(around_joins_the_best_halves_that_fit_together)
{
    uint32_t seed = 3;
    int agains = 0;
    for (int n = 0; n < 600; n++) {
        OWNED(warp_grid) grid = warp_grid_make(warp_pick(&seed, 1, SMALL),
                                               warp_pick(&seed, 1, SMALL), 0, WARP_NOISE, &seed);
        marey_align_def def = { .ends = MAREY_ALIGN_AROUND,
                                .start = { warp_pick(&seed, 0, grid.rows - 1),
                                           warp_pick(&seed, 0, grid.cols - 1) },
                                .slope = 1 + n % 3 };
        bool again;
        for (int j = 0; n % 2 && j < grid.cols; j++) /* runs along a row are tempting */
            *warp_cell(grid, def.start.row, j) *= 0.01f;
        double mean = judge_around(grid, def.start, def.slope, &again);
        OWNED(marey_path) path = warp_find(ctx, grid, def, n % 4 == 3 ? WARP_PLAIN : WARP_FAST);
        warp_check_path(grid, def, &path);
        assert_true(fabs(path.mean - mean) <= 1e-12 * mean);
        agains += again;
    }
    assert_true(agains > 20);
}

TEST_GROUP_OF_CASES(test_timewarp, NULL, NULL)
