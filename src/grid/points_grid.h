/* points_grid.h - the grid of point clouds, whole or only where it is least. Read by
   grid_build.c. */
#ifndef MRY_POINTS_GRID_H
#define MRY_POINTS_GRID_H

#include "grid/points_sweep.h"

#include <marey/grid.h>

/* All cells; rows `stride` floats apart. MEMORY, CANCELLED. */
marey_status mry_points_grid(marey_ctx *ctx, const mry_points *a, const mry_points *b, float *cells,
                             size_t stride, marey_error *error);

/* Some rows of it, for who goes over the grid without keeping it. Cells that surely are not less
   than `below`, or that `need` does not mark, may be infinite: they were never computed. */
typedef struct mry_rows_job {
    int first, end;                     /* `first` is a multiple of MRY_ROWS_BLOCK */
    int from_col;                       /* columns before it are not wanted and may hold anything */
    float below;                        /* infinity: all are computed */
    const mry_need *need;               /* of these rows, instead of a bound; NULL: none */
    const struct mry_card_marks *marks; /* by a card, instead of the bound; NULL: none */
    float *cells;                       /* of row `first` */
    size_t stride;                      /* floats from row to row */
} mry_rows_job;

enum { MRY_ROWS_BLOCK = 192 }; /* a multiple of every kernel's mr */

/* By the calling thread alone. False: out of memory. */
bool mry_points_rows(marey_ctx *ctx, const mry_points *a, const mry_points *b,
                     const mry_rows_job *job);

/* As marey_grid_minima. MEMORY, CANCELLED. */
marey_status mry_points_minima(marey_ctx *ctx, const mry_points *a, const mry_points *b,
                               const marey_minima_def *def, marey_error *error);

#endif
