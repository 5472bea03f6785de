/* grid.h - how far every frame of one clip is from every frame of another, where that is least, and how good the
   pairs of frames are that a metric finds.
   Read after feature.h; align.h, match.h and graph.h read what this makes. */
#ifndef MAREY_GRID_H
#define MAREY_GRID_H

#include <marey/feature.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the whole grid --------------------------------------------------------------------------- */

typedef struct marey_grid
    marey_grid; /* row i: row i of the first features; column j: of the second */

typedef struct marey_rows { /* borrowed */
    const float *values;    /* row after row */
    int rows, cols;
    size_t stride; /* floats from one row to the next */
} marey_rows;

/* Measures all pairs. The same bytes for any number of threads. 4 bytes a cell. `curvature` has the greatest value
   of all in the cells that were no candidates.
   SHAPE: the two are of different layouts. LIMIT: more than 2^31 - 1 cells in a row, or 2^40 in all. MEMORY,
   CANCELLED. On failure *out is not written. */
MAREY_API marey_status marey_grid_build(marey_ctx *ctx, const marey_features *a,
                                        const marey_features *b, marey_grid **out,
                                        marey_error *error);
MAREY_API void marey_grid_free(marey_grid *grid);             /* NULL is allowed */
MAREY_API marey_rows marey_grid_cost(const marey_grid *grid); /* borrowed until free */

/* One cell in double, by the metric's formula as it is written in the papers: the judge of the grid. Not for
   curvature, whose cells depend on all the others: NaN. */
MAREY_API double marey_distance(const marey_features *a, int i, const marey_features *b, int j);

/* ---- where it is least ------------------------------------------------------------------------ */

enum {
    MAREY_LEAST_IN_ROW = 1,   /* less than the cells left and right of it */
    MAREY_LEAST_IN_COLUMN = 2 /* less than the cells above and below */
};

typedef struct marey_minimum {
    int row, col;
    float value;
    int least; /* MAREY_LEAST_IN_ROW, MAREY_LEAST_IN_COLUMN or both */
} marey_minimum;

typedef struct marey_minima_def {
    float
        below; /* only minima less than this; 0: all. A bound makes it faster: cells that cannot be below it are never
                    computed, and no minimum below it is missed */
    /* Called in the order of rows, then columns, from the thread that asked. */
    void (*found)(void *user, const marey_minimum *items, int count);
    void *user;
} marey_minima_def;

/* Finds the cells that are least in their row or column among their neighbours (outside the grid is infinite), without
   keeping the grid: at most 3 kB a frame and 64 MB. `points` only is fused and bounded; the other metrics go by the
   whole grid. The same minima for any number of threads. */
MAREY_API marey_status marey_grid_minima(marey_ctx *ctx, const marey_features *a,
                                         const marey_features *b, const marey_minima_def *def,
                                         marey_error *error);

/* ---- similar pairs ----------------------------------------------------------------------------- */

typedef struct marey_pair {
    int row, col;
    float value;
} marey_pair;

/* The `count` cells with the least values, in the order of value, row, column; fewer if there are not so many (for
   curvature: candidates only). Pairs of marked frames are left out. pairs has room for count; *found is how many. */
MAREY_API marey_status marey_grid_pairs(marey_ctx *ctx, const marey_features *a,
                                        const marey_features *b, int count, marey_pair *pairs,
                                        int *found, marey_error *error);

/* ---- one cell, closer -------------------------------------------------------------------------- */

/* How the second cloud is turned about the vertical and moved on the floor to lie on the first one best (curves,
   eq. 2-4): x -> x cos + z sin + x0, z -> -x sin + z cos + z0. In double. Any layout. */
typedef struct marey_placement {
    double angle_rad;
    double x_cm, z_cm;
    bool sure; /* the angle means something: the clouds are not round */
} marey_placement;

MAREY_API marey_placement marey_place(const marey_features *a, int i, const marey_features *b,
                                      int j);

/* What each compared joint and each frame of the window adds to a cell: joints has marey_layout_joints numbers, frames
   as many as the window has; any may be NULL. Both sum to the cell's distance with *rest, which is what belongs to no
   joint, such as the root's velocity. For curvature they sum to the correlation, of which more is better. */
MAREY_API void marey_explain(const marey_features *a, int i, const marey_features *b, int j,
                             double *joints, double *frames, double *rest);

/* ---- the judge --------------------------------------------------------------------------------- */

/* How good pairs of frames are for a transition (metrics, eq. 4.1-4.3); means over the pairs, weights of joints and
   frames summing to one. D_p looks at 5 frames, all alike, whatever the metric's own window is, so that metrics can be
   compared. */
typedef struct marey_judgement {
    double
        position_cm; /* D_p: clouds laid on each other by the roots' full transforms; not squared */
    double velocity; /* D_v: squared, (cm/s)^2, in root coordinates */
    double acceleration; /* D_a: squared, (cm/s2)^2 */
    int pairs;
} marey_judgement;

MAREY_API marey_judgement marey_judge(const marey_features *a, const marey_features *b,
                                      const marey_pair *pairs, int count);

/* ---- attribute weights -------------------------------------------------------------------------- */

typedef enum marey_weight_space {
    MAREY_WEIGHTS_UNIFORM,     /* `steps` values a weight, evenly in (0, 1], all combinations */
    MAREY_WEIGHTS_NON_UNIFORM, /* `steps` values a weight: 1, 0.5, 0.2, 0.1, 0.05 and so on */
    MAREY_WEIGHTS_OPTIMISED    /* by a direct search instead of all combinations */
} marey_weight_space;

typedef struct marey_weights_def { /* leave a field zero for its default */
    marey_weight_space space;      /* default: uniform */
    int steps;                     /* 2 .. 40; default 10 */
    int refinements; /* how often the space is made finer around the best; default 0 */
    int pairs;       /* similar pairs that are judged; default: 1 % of the cells, at least 10 */
} marey_weights_def;

typedef struct marey_weights_result {
    int count;
    double weights[MAREY_MOST_ATTRIBUTES]; /* the greatest is 1 */
    double position_cm;                    /* D_p with them */
    int64_t evaluations;                   /* sets of weights that were judged */
    int64_t combinations; /* of the space, those of one direction counted each; 0 if optimised */
} marey_weights_result;

/* Finds the weights of a metric's terms (angles: three, positions: four) whose similar pairs have the least D_p (metrics,
   4.2.2). Only the direction of the weights matters, so of combinations with one direction one is judged. Optimised
   takes at most 42 evaluations for three weights and 460 for four. The same for any number of threads. `def` may be
   NULL. REQUEST: the metric has no terms to weigh; the definition is invalid. LIMIT: more than 2^31 - 1 pairs of frames.
   MEMORY, CANCELLED: then *out is not written. */
MAREY_API marey_status marey_weights_search(marey_ctx *ctx, const marey_features *a,
                                            const marey_features *b, const marey_weights_def *def,
                                            marey_weights_result *out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
