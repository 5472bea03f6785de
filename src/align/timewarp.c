/* timewarp.c - dynamic timewarping of limited slope, the fast form (Kovar & Gleicher 2003, 4.2.1).

   A legal path has at most L steps across in a row and at most L steps down in a row; a step across and a step down may be
   neighbours, so the textbook form keeps the length of the run that a path ends with: 2 L + 1 numbers a cell, each of which
   waits for the cell to its left. But no cheapest path needs such neighbours:

       Let a legal path have a step across directly followed by one down (or the other way round), by way of the cell x
       between them. Replace both by one diagonal step. The ends stay, and x leaves the sum; costs are not negative,
       so the path is not dearer, and it has one cell less. It is legal: the two runs that met at x are one step
       shorter each, and a diagonal step lies between them. Paths are finite, so this comes to an end, at a path
       without such neighbours.

   So it is enough to look at paths whose runs lie between diagonal steps. Cut behind every run, they are made of the pieces

       diagonal,  diagonal and 1 .. L across,  diagonal and 1 .. L down

   with one exception: the first run has no diagonal step in front of it, since it begins at the start cell. Here the start
   cell counts as reached by a diagonal step from outside, where the sum is 0. No piece waits for a neighbour in its own
   row that is not yet known, which is what timewarp_row.c lives on.

   Rounding does not spoil the argument: sums are added up from the start on, and a + c rounded is never less than b + c
   rounded if a is not less than b. Both forms therefore find the same sum bit for bit.

   Which cells. d diagonal steps have room for d + 1 runs. To (r, c) with c >= r it is best to have none down, so d = r and
   c - r <= L (r + 1), of which the first run's L may be limited to less; likewise for r >= c; and from the end backwards
   the same. All other cells are on no path: with both ends at the corners of a square and L = 2 that is half of them. */
#include "align/timewarp.h"
#include "align/timewarp_row.h"
#include "base/fail.h"

#include <math.h>
#include <string.h>

typedef struct band {
    int from, to; /* columns; none if to < from */
} band;

typedef struct table {
    const mry_warp *warp;
    int rows;         /* that have cells that a path can use */
    int64_t *base;    /* choice of (row, col): choices[base[row] + col] */
    uint8_t *choices; /* as mry_warp_row_fn writes them */
    mry_warp_row row;
    mry_warp_end end;
} table;

/* ---- which cells --------------------------------------------------------------------------------- */

/* a / b for b > 0, rounded up; a <= 0 gives 0, as no column lies in front of the first. */
static int64_t divide_up(int64_t a, int64_t b)
{
    return a <= 0 ? 0 : (a + b - 1) / b;
}

static band find_band(const mry_warp *warp, int row)
{
    int64_t slope = warp->slope, last = warp->cols - 1;
    int64_t from = divide_up((int64_t)row - warp->first_down, slope + 1);
    int64_t to = (slope + 1) * row + warp->first_across;
    if (!warp->open) {
        int64_t left = (int64_t)warp->rows - 1 - row;
        int64_t near = last - divide_up(left - slope, slope + 1);
        int64_t far = last - (slope + 1) * left - slope;
        if (to > near) to = near;
        if (from < far) from = far;
    }
    return (band){ (int)(from > last + 1 ? last + 1 : from), (int)(to > last ? last : to) };
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* An array of one number for each column, with the margins that timewarp_row.h asks for. */
static double *take_array(mry_arena *tmp, int cols, double value)
{
    size_t room = (size_t)cols + 1 + MRY_WARP_LANES;
    double *array = MRY_NEW_RAW(tmp, double, room);
    if (!array) return NULL;
    for (size_t i = 0; i < room; i++) array[i] = value;
    return array + 1;
}

static bool take_sums(mry_arena *tmp, const mry_warp *warp, double value, mry_warp_sums *sums)
{
    sums->best = take_array(tmp, warp->cols, value);
    sums->fresh = take_array(tmp, warp->cols, value);
    sums->fresh_before = take_array(tmp, warp->cols, value);
    if (!sums->best || !sums->fresh || !sums->fresh_before) return false;
    for (int k = 1; k < warp->slope; k++) {
        sums->down[k] = take_array(tmp, warp->cols, value);
        if (!sums->down[k]) return false;
    }
    return true;
}

static bool take_table(mry_arena *tmp, const mry_warp *warp, table *t)
{
    int64_t used = 0;
    *t = (table){ .warp = warp, .base = MRY_NEW_RAW(tmp, int64_t, warp->rows) };
    if (!t->base) return false;
    for (; t->rows < warp->rows; t->rows++) {
        band cells = find_band(warp, t->rows);
        if (cells.from >= warp->cols) break; /* an open one that has left the grid at its side */
        t->base[t->rows] = used - cells.from;
        used += cells.to - cells.from + 1;
    }
    t->choices = MRY_NEW_RAW(tmp, uint8_t, used + MRY_WARP_LANES);
    t->row.cost = take_array(tmp, warp->cols, 0);
    if (!t->choices || !t->row.cost) return false;
    if (warp->open && !take_sums(tmp, warp, 0, &t->row.counts)) return false;
    return take_sums(tmp, warp, INFINITY, &t->row.sums);
}

/* ---- the rows ------------------------------------------------------------------------------------- */

/* Costs that are fine have, as whole numbers, bits below those of infinity. Minus zero has not, and is fine: whoever gets
   true looks closer. */
static bool may_be_bad(const float *costs, int count)
{
    uint32_t most = 0;
    for (int j = 0; j < count; j++) {
        uint32_t bits;
        memcpy(&bits, costs + j, sizeof bits);
        most = bits > most ? bits : most;
    }
    return most >= 0x7f800000u;
}

static void widen(double *restrict out, const float *restrict costs, int count)
{
    for (int j = 0; j < count; j++) out[j] = (double)costs[j];
}

static void widen_backwards(double *restrict out, const float *restrict costs, int count)
{
    for (int j = 0; j < count; j++) out[j] = (double)costs[count - 1 - j];
}

static marey_status read_costs(table *t, int row, band cells, marey_error *error)
{
    const mry_warp *warp = t->warp;
    int count = cells.to - cells.from + 1;
    double *out = t->row.cost + cells.from;
    const float *costs = mry_warp_cell(warp, row, warp->way > 0 ? cells.from : cells.to);
    if (may_be_bad(costs, count)) {
        for (int j = cells.from; j <= cells.to; j++) {
            if (!mry_warp_cost_is_fine(*mry_warp_cell(warp, row, j)))
                return mry_warp_fail_cost(warp, row, j, error);
        }
    }
    (warp->way > 0 ? widen : widen_backwards)(out, costs, count);
    for (int j = 0; j < MRY_WARP_LANES; j++) out[count + j] = INFINITY;
    return MAREY_OK;
}

static void step_diagonally(double *restrict fresh, const double *restrict best,
                            const double *restrict cost, int from, int to)
{
    for (int j = from; j <= to; j++) fresh[j] = best[j - 1] + cost[j];
}

static void count_diagonally(double *restrict fresh, const double *restrict best, int from, int to)
{
    for (int j = from; j <= to; j++) fresh[j] = best[j - 1] + 1;
}

static void next_row(mry_warp_sums *sums)
{
    double *fresh = sums->fresh;
    sums->fresh = sums->fresh_before;
    sums->fresh_before = fresh;
}

/* Bands never go back to the left, so what lies behind them is still infinite and what lies in front must be made so. */
static void do_row(table *t, int row, band cells, mry_warp_row_fn *fill)
{
    mry_warp_row *r = &t->row;
    if (row > 0) {
        next_row(&r->sums);
        if (t->warp->open) next_row(&r->counts);
    }
    step_diagonally(r->sums.fresh, r->sums.best, r->cost, cells.from, cells.to);
    if (t->warp->open) count_diagonally(r->counts.fresh, r->counts.best, cells.from, cells.to);
    r->sums.fresh[cells.from - 1] = INFINITY;
    fill(r, cells.from, cells.to, t->choices + t->base[row] + cells.from);
    r->sums.best[cells.from - 1] = INFINITY;
}

static void offer_ends(table *t, int row, band cells)
{
    const mry_warp *warp = t->warp;
    const double *sums = t->row.sums.best, *counts = t->row.counts.best;
    int from = row == warp->rows - 1 ? cells.from : warp->cols - 1;
    for (int j = from; j <= cells.to; j++) {
        mry_warp_end_offer(&t->end, row, j, sums[j], counts[j]);
    }
}

static marey_status do_rows(marey_ctx *ctx, table *t, marey_error *error)
{
    const mry_warp *warp = t->warp;
    mry_warp_row_fn *fill = mry_warp_row_find(warp->slope, warp->open);
    t->row.sums.best[-1] = 0; /* the start cell is reached from here */
    for (int row = 0; row < t->rows; row++) {
        band cells = find_band(warp, row);
        if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
        marey_status status = read_costs(t, row, cells, error);
        if (status) return status;
        do_row(t, row, cells, fill);
        if (warp->open) offer_ends(t, row, cells);
    }
    return MAREY_OK;
}

/* ---- the path back -------------------------------------------------------------------------------- */

/* Written from the end of the room to its front, so that it comes out in the order of time. */
static int trace(const table *t, marey_cell at, marey_cell *cells, int room)
{
    int slope = t->warp->slope, place = room;
    for (;;) {
        int choice = t->choices[t->base[at.row] + at.col];
        int across = choice <= slope ? choice : 0, down = choice - across > 0 ? choice - slope : 0;
        cells[--place] = at;
        for (int k = 0; k < across + down; k++) {
            at.col -= across > 0;
            at.row -= down > 0;
            cells[--place] = at;
        }
        if (at.row == 0 && at.col == 0) return place;
        at = (marey_cell){ at.row - 1, at.col - 1 };
    }
}

marey_status mry_warp_fast(mry_arena *tmp, const mry_warp *warp, mry_warped *out,
                           marey_error *error)
{
    table t;
    if (!take_table(tmp, warp, &t)) return mry_fail_memory(error, NULL);
    marey_status status = do_rows(tmp->ctx, &t, error);
    if (status) return status;
    marey_cell end = { warp->rows - 1, warp->cols - 1 };
    if (warp->open) end = (marey_cell){ t.end.row, t.end.col };
    int room = end.row + end.col + 1;
    marey_cell *cells = MRY_NEW_RAW(tmp, marey_cell, room);
    if (!cells) return mry_fail_memory(error, NULL);
    int first = trace(&t, end, cells, room);
    *out = (mry_warped){ .count = room - first, .cells = cells + first };
    return MAREY_OK;
}
