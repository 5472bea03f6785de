/* points_grid.h - the grid of point clouds, whole or only where it is least. Read by grid_build.c and grid_minima.c. */
#ifndef MRY_POINTS_GRID_H
#define MRY_POINTS_GRID_H

#include "feature/points.h"

#include <marey/grid.h>

/* All cells; rows `stride` floats apart. MEMORY, CANCELLED. */
marey_status mry_points_grid(marey_ctx *ctx, const mry_points *a, const mry_points *b, float *cells,
                             size_t stride, marey_error *error);

/* As marey_grid_minima. MEMORY, CANCELLED. */
marey_status mry_points_minima(marey_ctx *ctx, const mry_points *a, const mry_points *b,
                               const marey_minima_def *def, marey_error *error);

#endif
