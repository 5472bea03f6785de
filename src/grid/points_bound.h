/* points_bound.h - which tiles of the grid can hold a cell below a bound; the others are never
   computed. The bound of low.h is a lower one, so no such cell is missed. Read by
   points_minima.c. */
#ifndef MRY_POINTS_BOUND_H
#define MRY_POINTS_BOUND_H

#include "feature/low.h"
#include "grid/points_sweep.h"

/* The tiles that a sweep over rows [first, end) needs; `first` is a multiple of the kernel's mr.
   Lives in mem. False when out of memory. */
bool mry_bound_find(mry_arena *mem, const mry_points *a, const mry_points *b, float below,
                    int first, int end, mry_need *out);

/* The same by hand: no tile at first, then those with columns [from, to) of a row, then what goes
   into these. */
bool mry_need_make(mry_arena *mem, const mry_points *a, const mry_points *b, int first, int end,
                   mry_need *out);
void mry_need_mark(const mry_need *need, const mry_points *a, int first, int row, int first_col,
                   int end_col);
void mry_need_close(const mry_need *need, const mry_points *a, const mry_points *b, int first,
                    int end);

#endif
