/* cluster_loops.h - trying loops before one of them is called the best. Read by cluster_loops.c and cluster_loop_try.c. */
#ifndef MRY_CLUSTER_LOOPS_H
#define MRY_CLUSTER_LOOPS_H

#include "graph/cluster_data.h"

/* Steps of a clip above this share of its own are large. */
#define MRY_LOOP_LARGE 0.95

typedef struct mry_loop_trial {
    marey_ctx *ctx;
    const marey_clip *clip;
    marey_contacts plants;
    double large; /* step, cm */
} mry_loop_trial;

/* Close it also if it could not be opened. */
marey_status mry_loop_trial_open(mry_loop_trial *trial, marey_ctx *ctx, const marey_clip *clip,
                                 marey_error *error);
void mry_loop_trial_close(mry_loop_trial *trial);

/* Does a made loop have no large step in its seam? MEMORY, CANCELLED. */
marey_status mry_loop_try(const mry_loop_trial *trial, const marey_loop *loop, bool *fits,
                          marey_error *error);

#endif
