/* path.c - time alignments as they are asked for: which ends, forwards, backwards or both, and
   which requests are invalid. */
#include "align/timewarp.h"
#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what timewarp.h shares ------------------------------------------------------------------ */

marey_status mry_warp_fail_cost(const mry_warp *warp, int row, int col, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the cell at row %d, column %d costs %g; costs must be finite and not negative",
                    warp->start.row + warp->way * row, warp->start.col + warp->way * col,
                    (double)*mry_warp_cell(warp, row, col));
}

void mry_warp_end_offer(mry_warp_end *end, int row, int col, double sum, double count)
{
    double mean = sum / count;
    if (end->any) {
        if (mean > end->mean || (mean == end->mean && sum > end->sum)) return;
        if (mean == end->mean && sum == end->sum && abs(row - col) >= abs(end->row - end->col)) {
            return;
        }
    }
    *end = (mry_warp_end){ .any = true, .row = row, .col = col, .sum = sum, .mean = mean };
}

typedef struct job {
    mry_arena *tmp;
    marey_rows cost;
    marey_align_def def; /* defaults filled in */
    mry_warp_solve *solve;
} job;

/* From the start to a boundary of the grid. */
static mry_warp open_warp(const job *j, int way)
{
    marey_cell start = j->def.start;
    return (mry_warp){ .cost = j->cost,
                       .start = start,
                       .way = way,
                       .rows = way > 0 ? j->cost.rows - start.row : start.row + 1,
                       .cols = way > 0 ? j->cost.cols - start.col : start.col + 1,
                       .slope = j->def.slope,
                       .first_across = j->def.slope,
                       .first_down = j->def.slope,
                       .open = true };
}

/* Steps across and down directly at the start. */
static marey_cell first_run(const mry_warped *half)
{
    marey_cell run = { 0, 0 };
    while (run.col + 1 < half->count && half->cells[run.col + 1].row == 0) run.col++;
    while (run.row + 1 < half->count && half->cells[run.row + 1].col == 0) run.row++;
    return run;
}

static double sum_of(const mry_warp *warp, const mry_warped *half)
{
    double sum = 0;
    for (int i = 0; i < half->count; i++) {
        sum += (double)*mry_warp_cell(warp, half->cells[i].row, half->cells[i].col);
    }
    return sum;
}

typedef struct halves {
    mry_warp back_warp, fore_warp;
    mry_warped back, fore;
} halves;

static double joined_mean(const halves *h)
{
    double start = (double)*mry_warp_cell(&h->fore_warp, 0, 0);
    double sum = sum_of(&h->back_warp, &h->back) + sum_of(&h->fore_warp, &h->fore) - start;
    return sum / (h->back.count + h->fore.count - 1);
}

/* Each half is the best by itself. Where both run along one clip at the start, and together for
   longer than the slope allows, one of them is found again with what the other leaves it; that one
   which makes the joined mean less. */
static marey_status solve_around(const job *j, halves *out, marey_error *error)
{
    halves free = { .back_warp = open_warp(j, -1), .fore_warp = open_warp(j, 1) }, a, b;
    marey_status status = j->solve(j->tmp, &free.back_warp, &free.back, error);
    if (!status) status = j->solve(j->tmp, &free.fore_warp, &free.fore, error);
    if (status) return status;
    *out = a = b = free;
    marey_cell back = first_run(&free.back), fore = first_run(&free.fore);
    if (back.col + fore.col <= j->def.slope && back.row + fore.row <= j->def.slope) return MAREY_OK;
    /* The run at the start of one half may be as long as that of the other leaves room for. */
    a.back_warp.first_across = j->def.slope - fore.col;
    a.back_warp.first_down = j->def.slope - fore.row;
    b.fore_warp.first_across = j->def.slope - back.col;
    b.fore_warp.first_down = j->def.slope - back.row;
    status = j->solve(j->tmp, &a.back_warp, &a.back, error);
    if (!status) status = j->solve(j->tmp, &b.fore_warp, &b.fore, error);
    if (!status) *out = joined_mean(&b) < joined_mean(&a) ? b : a;
    return status;
}

static marey_status check_cell(const job *j, marey_cell cell, const char *which, marey_error *error)
{
    if (cell.row >= 0 && cell.row < j->cost.rows && cell.col >= 0 && cell.col < j->cost.cols)
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the %s, row %d, column %d, is not in the grid of %d rows and %d columns",
                    which, cell.row, cell.col, j->cost.rows, j->cost.cols);
}

static marey_status check(job *j, marey_error *error)
{
    marey_align_def *def = &j->def;
    if (!def->slope) def->slope = 2;
    if (def->slope < 1 || def->slope > MRY_WARP_MOST_SLOPE)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "slope must be 1 to %d, got %d",
                        MRY_WARP_MOST_SLOPE, def->slope);
    if ((int)def->ends < MAREY_ALIGN_WHOLE || def->ends > MAREY_ALIGN_AROUND)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there are no ends of kind %d",
                        (int)def->ends);
    bool whole = def->ends == MAREY_ALIGN_WHOLE;
    if (whole) {
        def->start = (marey_cell){ 0, 0 };
        def->end = (marey_cell){ j->cost.rows - 1, j->cost.cols - 1 };
    }
    marey_cell start = def->start, end = def->end;
    marey_status status = check_cell(j, start, "start", error);
    if (status || (!whole && def->ends != MAREY_ALIGN_BETWEEN)) return status;
    status = check_cell(j, end, "end", error);
    if (status) return status;
    if (end.row < start.row || end.col < start.col)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the end, row %d, column %d, lies before the start, row %d, column %d",
                        end.row, end.col, start.row, start.col);
    /* n rows and m columns have a path of slope L if neither is more than L + 1 times the other:
       see timewarp.c. */
    int64_t rows = (int64_t)end.row - start.row + 1, cols = (int64_t)end.col - start.col + 1;
    int64_t most = def->slope + 1;
    if (rows <= most * cols && cols <= most * rows) return MAREY_OK;
    int64_t less = rows < cols ? rows : cols, more = rows < cols ? cols : rows;
    int64_t slope = (more + less - 1) / less - 1;
    char would_do[64] = "";
    if (slope <= MRY_WARP_MOST_SLOPE)
        snprintf(would_do, sizeof would_do, "; slope %d would do", (int)slope);
    return mry_fail(
        error, MAREY_ERR_REQUEST, NULL,
        "these clips differ too much in length to align: at slope %d, %lld frames align with %lld "
        "to %lld, got %lld%s",
        def->slope, (long long)rows, (long long)((rows + most - 1) / most),
        (long long)(rows * most), (long long)cols, would_do);
}

marey_status mry_align_with(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                            mry_warp_solve *solve, marey_path *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    job j = { .tmp = &tmp, .cost = cost, .solve = solve };
    if (def) j.def = *def;
    marey_status status = check(&j, error);
    if (status) return status;
    marey_cell start = j.def.start;
    halves h = { .back_warp = open_warp(&j, -1), .fore_warp = open_warp(&j, 1) };
    switch (j.def.ends) {
    case MAREY_ALIGN_AROUND: status = solve_around(&j, &h, error); break;
    case MAREY_ALIGN_BACKWARDS: status = solve(&tmp, &h.back_warp, &h.back, error); break;
    case MAREY_ALIGN_FORWARDS: status = solve(&tmp, &h.fore_warp, &h.fore, error); break;
    default:
        h.fore_warp.open = false;
        h.fore_warp.rows = j.def.end.row - start.row + 1;
        h.fore_warp.cols = j.def.end.col - start.col + 1;
        status = solve(&tmp, &h.fore_warp, &h.fore, error);
    }
    /* Cells of both halves in the order of time; the start once. Either half may be empty. */
    bool both = h.back.count > 0 && h.fore.count > 0;
    marey_path path = { .count = h.back.count + h.fore.count - both, .ctx = ctx };
    path.bytes = (size_t)path.count * sizeof *path.cells;
    if (!status) path.cells = mry_alloc(ctx, path.bytes);
    if (!status && !path.cells) status = mry_fail_memory(error, NULL);
    if (!status) {
        marey_cell *to = path.cells;
        for (int i = h.back.count - 1; i >= 0; i--) {
            marey_cell at = h.back.cells[i];
            *to++ = (marey_cell){ start.row - at.row, start.col - at.col };
        }
        for (int i = both; i < h.fore.count; i++) {
            marey_cell at = h.fore.cells[i];
            *to++ = (marey_cell){ start.row + at.row, start.col + at.col };
        }
        for (int i = 0; i < path.count; i++) {
            marey_cell at = path.cells[i];
            path.sum += (double)cost.values[(size_t)at.row * cost.stride + (size_t)at.col];
        }
        path.mean = path.sum / path.count;
        *out = path;
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_align(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                         marey_path *out, marey_error *error)
{
    return mry_align_with(ctx, cost, def, mry_warp_fast, out, error);
}

void marey_path_free(marey_path *path)
{
    if (!path || !path->ctx) return;
    mry_release(path->ctx, path->cells, path->bytes);
    *path = (marey_path){ 0 };
}
