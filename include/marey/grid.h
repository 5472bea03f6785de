/* grid.h - how far every frame of one clip is from every frame of another, where that is least, and
   how good the pairs of frames are that a metric finds. Read after feature.h; align.h, match.h and
   graph.h read what this makes. */
#ifndef MAREY_GRID_H
#define MAREY_GRID_H

#include <marey/feature.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the whole grid -------------------------------------------------------------------------- */

/* The distances of all pairs of frames. Row i: row i of the first features; column j: of the
   second. */
typedef struct marey_grid marey_grid;

/* Rows of numbers, borrowed. */
typedef struct marey_rows {
    const float *values;
    int rows, cols;
    /* Floats from one row to the next. */
    size_t stride;
} marey_rows;

/* Measures all pairs of rows. The same bytes for any number of threads. `curvature` has the
   greatest value of all in cells that were no candidates.
   Errors: SHAPE: features of different layouts. LIMIT: more than 2^31 - 1 cells in a row, or 2^40
     in all. MEMORY, CANCELLED.
   Ownership: free with marey_grid_free. The features need not outlive it.
   Cost: rows * cols, about 7 ns a pair on one core for `points`; 4 bytes a cell. */
MAREY_API marey_status marey_grid_build(marey_ctx *ctx, const marey_features *a,
                                        const marey_features *b, marey_grid **out,
                                        marey_error *error);

/* Frees a grid. */
MAREY_API void marey_grid_free(marey_grid *grid);

/* Which graphics card a context compares frames with, or why none: "none: ..." (docs/card.md). One is
   looked for when there is work enough. Borrowed until the context is closed. */
MAREY_API const char *marey_grid_card(const marey_ctx *ctx);

/* The distances. Borrowed until free. */
MAREY_API marey_rows marey_grid_cost(const marey_grid *grid);

/* Measures one cell in double, by the metric's formula as it is written in the papers: the
   reference for the grid. NaN for curvature, whose cells depend on all the others. */
MAREY_API double marey_distance(const marey_features *a, int i, const marey_features *b, int j);

/* ---- where it is least ----------------------------------------------------------------------- */

enum {
    MAREY_LEAST_IN_ROW = 1,   /* less than the cells left and right of it */
    MAREY_LEAST_IN_COLUMN = 2 /* less than the cells above and below */
};

/* A cell that is less than its neighbours. */
typedef struct marey_minimum {
    int row, col;
    float value;
    /* MAREY_LEAST_IN_ROW, MAREY_LEAST_IN_COLUMN or both. */
    int least;
} marey_minimum;

/* Which minima are reported, and to whom. */
typedef struct marey_minima_def {
    /* Only minima less than this; 0: all. A bound makes it faster: cells above it are never
       computed, and no minimum below it is missed. */
    float below;
    /* Called in the order of rows, then columns, from the thread that asked. Required. */
    void (*found)(void *user, const marey_minimum *items, int count);
    void *user;
} marey_minima_def;

/* Finds the cells that are least in their row or column among their neighbours (outside the grid is
   infinite). The same minima for any number of threads. `def` is required.
   Errors: as marey_grid_build; minima may have been reported by then.
   Cost: for `points` the grid is not kept: at most 3 kB a frame and 64 MB. The other metrics build
     the whole grid. */
MAREY_API marey_status marey_grid_minima(marey_ctx *ctx, const marey_features *a,
                                         const marey_features *b, const marey_minima_def *def,
                                         marey_error *error);

/* ---- similar pairs --------------------------------------------------------------------------- */

/* A cell of the grid. */
typedef struct marey_pair {
    int row, col;
    float value;
} marey_pair;

/* Finds the `count` cells with the least values, in the order of value, row, column; fewer if there
   are not so many (for curvature: candidates only). Pairs of marked frames are left out. `pairs`
   has room for count; *found is how many were written.
   Errors, Cost: as marey_grid_build. */
MAREY_API marey_status marey_grid_pairs(marey_ctx *ctx, const marey_features *a,
                                        const marey_features *b, int count, marey_pair *pairs,
                                        int *found, marey_error *error);

/* ---- one cell, closer ------------------------------------------------------------------------ */

/* How one cloud of points is turned about the vertical and moved on the floor: x -> x cos + z sin +
   x_cm, z -> -x sin + z cos + z_cm. */
typedef struct marey_placement {
    double angle_rad;
    double x_cm, z_cm;
    /* The angle means something: the clouds are not round. */
    bool sure;
} marey_placement;

/* The placement that lays the second cloud best on the first one (curves, eq. 2-4), in double. Any
   layout. */
MAREY_API marey_placement marey_place(const marey_features *a, int i, const marey_features *b,
                                      int j);

/* Writes what each compared joint and each frame of the window adds to a cell: `joints` has
   marey_layout_joints numbers, `frames` as many as the window has; any may be NULL. Both sum to the
   cell's distance with *rest, which belongs to no joint, such as the root's velocity. For curvature
   they sum to the correlation, of which more is better. */
MAREY_API void marey_explain(const marey_features *a, int i, const marey_features *b, int j,
                             double *joints, double *frames, double *rest);

/* ---- the judge ------------------------------------------------------------------------------- */

/* How good pairs of frames are for a transition (metrics, eq. 4.1-4.3); means over the pairs,
   weights of joints and frames summing to one. The position error looks at 5 frames, all alike,
   whatever the metric's own window is, so that metrics can be compared. */
typedef struct marey_judgement {
    /* D_p: clouds laid on each other by the roots' full transforms; not squared. */
    double position_cm;
    /* D_v: squared, (cm/s)^2, in root coordinates. */
    double velocity;
    /* D_a: squared, (cm/s2)^2. */
    double acceleration;
    int pairs;
} marey_judgement;

/* Judges pairs of frames by position, velocity and acceleration error. */
MAREY_API marey_judgement marey_judge(const marey_features *a, const marey_features *b,
                                      const marey_pair *pairs, int count);

/* ---- attribute weights ----------------------------------------------------------------------- */

/* Which sets of weights are tried. */
typedef enum marey_weight_space {
    MAREY_WEIGHTS_UNIFORM,     /* `steps` values a weight, evenly in (0, 1], all combinations */
    MAREY_WEIGHTS_NON_UNIFORM, /* `steps` values a weight: 1, 0.5, 0.2, 0.1, 0.05 and so on */
    MAREY_WEIGHTS_OPTIMISED    /* by a direct search instead of all combinations */
} marey_weight_space;

/* How weights are searched for: leave a field zero for its default. */
typedef struct marey_weights_def {
    /* Default: uniform. */
    marey_weight_space space;
    /* 2 .. 40; default 10. */
    int steps;
    /* How often the space is made finer around the best; default 0. */
    int refinements;
    /* Similar pairs that are judged; default: 1 % of the cells, at least 10. */
    int pairs;
} marey_weights_def;

/* The best weights. */
typedef struct marey_weights_result {
    int count;
    /* The greatest is 1. */
    double weights[MAREY_MOST_ATTRIBUTES];
    /* The position error with them. */
    double position_cm;
    /* Sets of weights that were judged. */
    int64_t evaluations;
    /* Combinations in the space, those of one direction counted each; 0 if optimised. */
    int64_t combinations;
} marey_weights_result;

/* Finds the weights of a metric's terms (angles: three, positions: four) whose similar pairs have
   the least position error (metrics, 4.2.2). Only the direction of the weights matters, so of
   combinations with one direction one is judged. The same for any number of threads.
   Errors: REQUEST: the metric has no terms to weigh; an invalid definition. LIMIT: more than 2^31 -
     1 pairs of frames. MEMORY, CANCELLED.
   Cost: a grid for every evaluation; optimised takes at most 42 of them for three weights and 460
     for four. */
MAREY_API marey_status marey_weights_search(marey_ctx *ctx, const marey_features *a,
                                            const marey_features *b, const marey_weights_def *def,
                                            marey_weights_result *out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
