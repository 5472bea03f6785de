/* timewarp_plain.c - dynamic timewarping of limited slope, the textbook form: the judge of
   timewarp.c, and what its speed is measured against. For every cell there is the least sum of
   paths that end with each kind and length of run:

       state 0                     a diagonal step, or the start
       states 1 .. L               so many steps across
       states L + 1 .. L + L       so many steps down

   and for each of these the state that the path had a step before. */
#include "timewarp_plain.h"

#include "align/timewarp.h"
#include "base/fail.h"

#include <math.h>

/* The states of one cell. */
typedef struct reach {
    double *sum;
    int *count;    /* cells on the paths; NULL: not counted */
    uint8_t *from; /* the states before */
} reach;

typedef struct table {
    const mry_warp *warp;
    int states;
    double *sums[2]; /* of the row before and of this one, or the other way round: cols x states */
    int *counts[2];  /* NULL unless the warp is open */
    uint8_t *from;   /* rows x cols x states */
    mry_warp_end end;
    int end_state;
} table;

static bool take_table(mry_arena *tmp, const mry_warp *warp, table *t)
{
    int states = 2 * warp->slope + 1;
    size_t row = (size_t)warp->cols * (size_t)states;
    *t = (table){ .warp = warp, .states = states };
    for (int i = 0; i < 2; i++) {
        t->sums[i] = MRY_NEW_RAW(tmp, double, row);
        if (warp->open) t->counts[i] = MRY_NEW(tmp, int, row);
        if (!t->sums[i] || (warp->open && !t->counts[i])) return false;
    }
    t->from = mry_arena_take(tmp, row, (size_t)warp->rows);
    return t->from;
}

static reach at_cell(const table *t, int row, int col)
{
    size_t at = (size_t)col * (size_t)t->states;
    size_t cell = (size_t)row * (size_t)t->warp->cols + (size_t)col;
    return (reach){ .sum = t->sums[row % 2] + at,
                    .count = t->warp->open ? t->counts[row % 2] + at : NULL,
                    .from = t->from + cell * (size_t)t->states };
}

/* ---- one cell -------------------------------------------------------------------------------- */

/* The functions of a cell are put together by the compiler twice, with and without counting, and
   choose without branches, as what is chosen cannot be foretold: the textbook form should not be
   slower than it must be. */
#define INLINE static inline __attribute__((always_inline))

/* The best of state 0 and the states first .. last. */
INLINE int best_state(reach r, bool counted, int first, int last)
{
    double least = r.sum[0];
    int best = 0;
    for (int s = first; s <= last; s++) {
        double sum = r.sum[s];
        bool better = sum < least;
        if (counted) better |= (sum == least) & (r.count[s] < r.count[best]);
        least = better ? sum : least;
        best = better ? s : best;
    }
    return best;
}

INLINE void step(reach before, int state_before, bool counted, double cost, reach now, int state)
{
    now.sum[state] = before.sum[state_before] + cost;
    if (counted) now.count[state] = before.count[state_before] + 1;
    now.from[state] = (uint8_t)state_before;
}

INLINE void step_across(reach left, int slope, bool counted, double cost, reach now)
{
    step(left, best_state(left, counted, slope + 1, 2 * slope), counted, cost, now, 1);
    for (int k = 2; k <= slope; k++) step(left, k - 1, counted, cost, now, k);
}

INLINE void step_down(reach above, int slope, bool counted, double cost, reach now)
{
    step(above, best_state(above, counted, 1, slope), counted, cost, now, slope + 1);
    for (int k = 2; k <= slope; k++) step(above, slope + k - 1, counted, cost, now, slope + k);
}

/* The first row is reached by steps across alone, and the first column by steps down. */
static void do_side_cell(const table *t, int row, int col, double cost)
{
    const mry_warp *warp = t->warp;
    reach now = at_cell(t, row, col);
    for (int s = 0; s < t->states; s++) now.sum[s] = INFINITY;
    if (row == 0 && col == 0) {
        now.sum[0] = cost;
        if (now.count) now.count[0] = 1;
    } else if (row == 0 && col <= warp->first_across) {
        step_across(at_cell(t, row, col - 1), warp->slope, warp->open, cost, now);
    } else if (col == 0 && row <= warp->first_down) {
        step_down(at_cell(t, row - 1, col), warp->slope, warp->open, cost, now);
    }
}

INLINE reach column_before(const table *t, reach of)
{
    return (reach){ of.sum - t->states, of.count ? of.count - t->states : NULL, NULL };
}

INLINE void do_inner_cell(const table *t, int row, int col, bool counted, double cost)
{
    int slope = t->warp->slope;
    reach now = at_cell(t, row, col), above = at_cell(t, row - 1, col);
    reach left = column_before(t, now), corner = column_before(t, above);
    step(corner, best_state(corner, counted, 1, 2 * slope), counted, cost, now, 0);
    step_across(left, slope, counted, cost, now);
    step_down(above, slope, counted, cost, now);
}

/* ---- all cells ------------------------------------------------------------------------------- */

static void offer_end(table *t, int row, int col)
{
    reach here = at_cell(t, row, col);
    int state = best_state(here, t->warp->open, 1, t->states - 1);
    if (!(here.sum[state] < INFINITY)) return;
    mry_warp_end_offer(&t->end, row, col, here.sum[state], here.count ? here.count[state] : 1);
    if (t->end.row == row && t->end.col == col) t->end_state = state;
}

static marey_status do_row(table *t, int row, marey_error *error)
{
    const mry_warp *warp = t->warp;
    for (int col = 0; col < warp->cols; col++) {
        float cost = *mry_warp_cell(warp, row, col);
        if (!mry_warp_cost_is_fine(cost)) return mry_warp_fail_cost(warp, row, col, error);
        if (row == 0 || col == 0) {
            do_side_cell(t, row, col, (double)cost);
        } else if (warp->open) {
            do_inner_cell(t, row, col, true, (double)cost);
        } else {
            do_inner_cell(t, row, col, false, (double)cost);
        }
        bool last_row = row == warp->rows - 1, last_col = col == warp->cols - 1;
        if (warp->open ? last_row || last_col : last_row && last_col) offer_end(t, row, col);
    }
    return MAREY_OK;
}

/* Written from the end of the room to its front, so that it comes out in the order of time. */
static int trace(const table *t, marey_cell *cells, int room)
{
    int slope = t->warp->slope, state = t->end_state, place = room;
    marey_cell at = { t->end.row, t->end.col };
    while (at.row > 0 || at.col > 0) {
        uint8_t before = at_cell(t, at.row, at.col).from[state];
        cells[--place] = at;
        at.row -= state == 0 || state > slope;
        at.col -= state <= slope;
        state = before;
    }
    cells[--place] = at;
    return place;
}

/* Meets all cells of the part, also those that no path can go through. */
static marey_status solve(mry_arena *tmp, const mry_warp *warp, mry_warped *out, marey_error *error)
{
    table t;
    if (!take_table(tmp, warp, &t)) return mry_fail_memory(error, NULL);
    for (int row = 0; row < warp->rows; row++) {
        if (mry_cancelled(tmp->ctx)) return mry_fail_cancelled(error);
        marey_status status = do_row(&t, row, error);
        if (status) return status;
    }
    int room = t.end.row + t.end.col + 1;
    marey_cell *cells = MRY_NEW_RAW(tmp, marey_cell, room);
    if (!cells) return mry_fail_memory(error, NULL);
    int first = trace(&t, cells, room);
    *out = (mry_warped){ .count = room - first, .cells = cells + first };
    return MAREY_OK;
}

marey_status warp_align_plain(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                              marey_path *out, marey_error *error)
{
    return mry_align_with(ctx, cost, def, solve, out, error);
}
