/* timewarp.h - the cheapest path of limited slope from one cell of a grid: path.c asks, timewarp.c
   answers. The tests judge it by the textbook form (tests/judges/timewarp_plain.c).

   A path goes by steps of one column, one row, or both. Cells are counted from the start here, in
   the direction in which the path goes, so that going backwards is the same problem on the grid
   seen from the other corner. */
#ifndef MRY_TIMEWARP_H
#define MRY_TIMEWARP_H

#include "base/arena.h"

#include <marey/align.h>

enum { MRY_WARP_MOST_SLOPE = 8 };

typedef struct mry_warp {
    marey_rows cost;
    marey_cell start; /* in the grid */
    int way;          /* 1: forwards in time, -1: backwards */
    int rows, cols;   /* of the part that may be used, the start's included */
    int slope;        /* steps in a row along rows or columns alone, 1 .. MRY_WARP_MOST_SLOPE */
    int first_across, first_down; /* such steps directly at the start, 0 .. slope */
    /* ends at the cell of the last row or column with the least mean; otherwise at the last cell */
    bool open;
} mry_warp;

typedef struct mry_warped {
    int count;
    marey_cell *cells; /* from the start's 0, 0 on; in the arena */
} mry_warped;

/* REQUEST: a cost that was met is negative or no finite number; cells that no path can go through
   are not met. MEMORY, CANCELLED. For a closed warp a path must exist; the sum is the least, added
   up in double from the start on. An open warp ends at the cell that mry_warp_end_offer likes best,
   with the fewest cells among paths of one sum. */
typedef marey_status mry_warp_solve(mry_arena *tmp, const mry_warp *warp, mry_warped *out,
                                    marey_error *error);
mry_warp_solve mry_warp_fast;

/* marey_align by another form of the same answer. */
marey_status mry_align_with(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                            mry_warp_solve *solve, marey_path *out, marey_error *error);

/* ---- what every form needs ------------------------------------------------------------------- */

static inline const float *mry_warp_cell(const mry_warp *warp, int row, int col)
{
    ptrdiff_t i = warp->start.row + (ptrdiff_t)warp->way * row;
    ptrdiff_t j = warp->start.col + (ptrdiff_t)warp->way * col;
    return warp->cost.values + i * (ptrdiff_t)warp->cost.stride + j;
}

static inline bool mry_warp_cost_is_fine(float cost)
{
    return cost >= 0 && cost <= 3.402823466e38f;
}

/* What to say of a cost that is not. */
marey_status mry_warp_fail_cost(const mry_warp *warp, int row, int col, marey_error *error);

/* The best end of an open warp so far; cells are offered in the order of rows, then columns. */
typedef struct mry_warp_end {
    bool any;
    int row, col;
    double sum, mean;
} mry_warp_end;

/* The least mean; then the least sum; then the cell nearest to the diagonal through the start, so
   that clips that stand still go along together; then the first one offered. */
void mry_warp_end_offer(mry_warp_end *end, int row, int col, double sum, double count);

#endif
