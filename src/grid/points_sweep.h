/* points_sweep.h - goes over a grid of point clouds: a strip of columns from top to bottom, a panel
   of rows at a time. Products of frames are computed once and summed along the diagonals while they
   are in the cache; distances are handed on and forgotten. Each thread has a sweep of its own. Read
   by points_grid.c and points_minima.c. */
#ifndef MRY_POINTS_SWEEP_H
#define MRY_POINTS_SWEEP_H

#include "feature/points.h"

enum {
    MRY_SWEEP_MARGIN = 64, /* floats before the first column of a row of distances */
    MRY_SWEEP_STRIDE = MRY_SWEEP_MARGIN + MRY_POINTS_STRIP_FRAMES + 80
};

/* Columns [from, to) of a strip, counted from its first. */
typedef struct mry_run {
    int from, to;
} mry_run;

enum {
    MRY_SWEEP_TILES = MRY_POINTS_STRIP_FRAMES / 8, /* more than a strip has */
    MRY_SWEEP_RUNS = MRY_SWEEP_TILES
};

/* Rows [row, row + rows) of a strip. Only the columns of `runs` were computed. Infinite are: all
   other cells of the first and the last of these rows; in every row the cells beside a run, and the
   strip's first and last two if they are in no run. The rest is not defined. Without any run no
   cell is: what is before `row` is, and in place of the rows that were left out the next ones will
   find infinite ones before them. */
typedef struct mry_swept {
    int row, rows;
    int col, cols; /* the strip */
    /* row `row`; rows are MRY_SWEEP_STRIDE apart. The two rows before it are the two before `row`,
       and there is room for MRY_SWEEP_MARGIN floats before and 64 behind each row that may be
       written */
    float *cells;
    const mry_run *runs;
    int run_count;
} mry_swept;

typedef void (*mry_sweep_fn)(void *user, const mry_swept *swept);

/* Which tiles are needed: a byte for every panel from the sweep's first row on, and every tile of
   every strip. */
typedef struct mry_need {
    uint8_t *out; /* its cells */
    uint8_t *in;  /* its products */
    size_t stride;
} mry_need;

typedef struct mry_sweep {
    const mry_points *a, *b;
    mry_planes planes; /* of the last four rows of the panel before, then the panel */
    float *cells;      /* two rows that were, then the panel's */
    bool left_out;     /* the panel before was */
    mry_run runs[MRY_SWEEP_RUNS];
} mry_sweep;

/* False when out of memory. */
bool mry_sweep_make(mry_sweep *sweep, mry_arena *mem, const mry_points *a, const mry_points *b);

/* One strip: `col` is a multiple of MRY_POINTS_STRIP, `first` one of the kernel's mr. `need` may be
   NULL: all. Points that are not fused take none. */
void mry_sweep_strip(mry_sweep *sweep, int col, int first, int end, const mry_need *need,
                     mry_sweep_fn use, void *user);

#endif
