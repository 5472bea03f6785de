/* weight_search.h - what the searches for attribute weights share. Read by weight_*.c only. */
#ifndef MRY_WEIGHT_SEARCH_H
#define MRY_WEIGHT_SEARCH_H

#include "grid/grid_data.h"

/* The terms of every pair of captured frames, and how good a cut there would be: with these a set of weights is judged
   without measuring anything again. */
typedef struct mry_weighing {
    marey_ctx *ctx;
    int terms;
    int64_t cells;
    float *term[MAREY_MOST_ATTRIBUTES]; /* cells numbers each */
    float *judged;                      /* D_p of each cell */
    int64_t pairs;                      /* that are judged */
    int lanes;
    float **sums; /* room for cells numbers for each lane of the work */
    int64_t evaluations;
} mry_weighing;

typedef struct mry_weights {
    double value[MAREY_MOST_ATTRIBUTES];
} mry_weights;

/* Mean D_p of the pairs that each set of weights finds. Counts them as evaluations. Spread over the threads. CANCELLED. */
marey_status mry_weighing_judge(mry_weighing *w, const mry_weights *sets, int count, double *out,
                                marey_error *error);

/* weight_space.c: all combinations. weight_optimise.c: a few chosen ones. Each returns the best set and its D_p. */
marey_status mry_weights_exhaust(mry_weighing *w, mry_arena *tmp, const marey_weights_def *def,
                                 mry_weights *best, double *judged, int64_t *combinations,
                                 marey_error *error);
marey_status mry_weights_optimise(mry_weighing *w, mry_arena *tmp, mry_weights *best,
                                  double *judged, marey_error *error);

#endif
