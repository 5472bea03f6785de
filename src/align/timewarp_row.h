/* timewarp_row.h - one row of the fast timewarp. Read by timewarp.c.

   For every cell of a row there are the least sums of paths that arrive

       fresh     by a diagonal step (or start there)
       down[k]   by a diagonal step and k steps down behind it, k = 1 .. slope - 1
       best      by any way that is allowed

   Arrays have a number for every column, with one more in front and MRY_WARP_LANES behind, and are infinite outside what was
   computed. */
#ifndef MRY_TIMEWARP_ROW_H
#define MRY_TIMEWARP_ROW_H

#include "align/timewarp.h"

enum { MRY_WARP_LANES = 8 }; /* columns at once */

typedef struct mry_warp_sums {
    double *best;                      /* of the row before; then of this one */
    double *fresh;                     /* of this row */
    double *fresh_before;              /* of the row before */
    double *down[MRY_WARP_MOST_SLOPE]; /* of the row before; then of this one. [0] is not used */
} mry_warp_sums;

typedef struct mry_warp_row {
    double *cost;         /* of this row; infinite in MRY_WARP_LANES columns behind `to` */
    mry_warp_sums sums;   /* fresh is done, and infinite in front of `from` and behind `to` */
    mry_warp_sums counts; /* of the cells on those paths; not read or written unless counted */
} mry_warp_row;

/* Fills best and down of columns from .. to, and a number for each column of how the best path arrives: 0 by a diagonal
   step, k by k steps across behind one, slope + k by k steps down behind one. The diagonal is preferred, then steps
   across; of counted paths the one with the fewest cells. Writes up to MRY_WARP_LANES - 1 numbers too many. */
typedef void mry_warp_row_fn(const mry_warp_row *row, int from, int to, uint8_t *choices);

mry_warp_row_fn *mry_warp_row_find(int slope, bool counted);

#endif
