/* points_sweep.h - goes over a grid of point clouds: a strip of columns from top to bottom, a panel of rows at a time.
   Products of frames are computed once and summed along the diagonals while they are in the cache; distances are handed
   on and forgotten. Each thread has a sweep of its own. Read by points_grid.c and points_minima.c. */
#ifndef MRY_POINTS_SWEEP_H
#define MRY_POINTS_SWEEP_H

#include "feature/points.h"

enum {
    MRY_SWEEP_COLUMNS = 384, /* of a strip; a multiple of every kernel's nr */
    MRY_SWEEP_MARGIN = 64,   /* floats before the first column of a row of distances */
    MRY_SWEEP_STRIDE = MRY_SWEEP_MARGIN + MRY_SWEEP_COLUMNS + 80
};

/* Rows [row, row + rows) of the strip, columns [col, col + cols). `cells` is the first of them; rows are
   MRY_SWEEP_STRIDE apart; the two rows before it are the two before `row`, and there is room for MRY_SWEEP_MARGIN
   floats before and 64 behind each row that may be written. */
typedef void (*mry_sweep_fn)(void *user, int row, int rows, int col, int cols, float *cells);

typedef struct mry_sweep {
    const mry_points *a, *b;
    mry_planes planes; /* of the last four rows of the panel before, then the panel */
    float *cells;      /* two rows that were, then the panel's */
} mry_sweep;

/* False when out of memory. */
bool mry_sweep_make(mry_sweep *sweep, mry_arena *mem, const mry_points *a, const mry_points *b);

/* One strip: `col` is a multiple of MRY_SWEEP_COLUMNS, `first` one of the kernel's mr. */
void mry_sweep_strip(mry_sweep *sweep, int col, int first, int end, mry_sweep_fn use, void *user);

#endif
