/* grid_data.h - the inside of grids, and what the files of grid share. */
#ifndef MRY_GRID_DATA_H
#define MRY_GRID_DATA_H

#include "feature/feature_data.h"

#include <marey/grid.h>

struct marey_grid {
    mry_arena mem; /* everything below lives here, and so does the grid itself */
    int rows, cols;
    size_t stride; /* floats from one row to the next */
    float *cells;
    uint8_t *candidates; /* curvature: a byte a cell, rows `cols` bytes apart; else NULL */
};

/* A grid without values. NULL: out of memory. */
marey_grid *mry_grid_make(marey_ctx *ctx, int rows, int cols);

/* Sums of terms, each times its attribute's weight: a term without weight is not computed; and
   point clouds. (grid_build.c) */
mry_grid_fn mry_terms_grid, mry_clouds_grid;

/* ---- term_grid.c ----------------------------------------------------------------------------- */

/* cells = factor * (what the term says of every pair of rows), or cells += that. The sum of a cell
   runs in the order of the vectors, whatever the number of threads. MEMORY, CANCELLED. */
typedef struct mry_term_job {
    const mry_term *a, *b;
    int rows, cols;
    float factor;
    bool add;
    float *cells;
    size_t stride;
} mry_term_job;

marey_status mry_term_grid(marey_ctx *ctx, const mry_term_job *job, marey_error *error);

/* ---- curvature_grid.c ------------------------------------------------------------------------ */

/* Fills cells and candidates of a grid. */
mry_grid_fn mry_curvature_grid;

/* ---- grid_build.c ---------------------------------------------------------------------------- */

/* The cells that belong to the `count` least: those less than `value`, and the first `ties` of
   those equal to it, in the order of rows and columns. Cells are >= 0 or infinite, and there are at
   least `count` >= 1 of them. */
typedef struct mry_cut {
    float value;
    int64_t ties;
} mry_cut;

mry_cut mry_select(const float *cells, int rows, int cols, size_t stride, int64_t count);

/* Makes the cells of marked rows and columns infinite; returns how many are left. */
int64_t mry_shut_marked(const marey_features *a, const marey_features *b, float *cells,
                        size_t stride);

/* ---- place.c --------------------------------------------------------------------------------- */

/* The weighted mean of the window of a row. */
mry_vec mry_window_mean(const marey_features *f, int row);
/* The same of every row at once, but for rounding; false: out of memory. */
bool mry_window_means(const marey_features *f, mry_arena *tmp, mry_vec *out);

/* marey_place for who knows the means of both windows already. */
marey_placement mry_place_about(const marey_features *a, int i, mry_vec mean,
                                const marey_features *b, int j, mry_vec other);

/* ---- distance.c ------------------------------------------------------------------------------ */

/* One cell of each metric, as mry_metric_row says. */
mry_distance_fn mry_points_distance, mry_angles_distance, mry_positions_distance;
mry_distance_fn mry_curvature_distance, mry_transition_distance, mry_own_distance;

extern const double mry_judge_frames[MRY_JUDGE_WINDOW]; /* frame weights of the judge, all alike */

#endif
