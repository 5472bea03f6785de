/* example_clips.h - clips whose signals are given, and random curves, for the tests of query by
   example. */
#ifndef MAREY_TEST_EXAMPLE_CLIPS_H
#define MAREY_TEST_EXAMPLE_CLIPS_H

#include "support.h"

enum { EXAMPLE_DOFS = 4 };

/* "Arm.Xrotation,Arm.Yrotation,Arm.Zrotation,Leg.Xrotation": the signals of example_clip, in this
   order. */
extern const char example_dofs[];

/* A body of three joints; values: EXAMPLE_DOFS rows of `frames` degrees. Frames with `lost` set
   (may be NULL) have the root at 0 0 0. */
marey_clip *example_clip(marey_ctx *ctx, int frames, double fps, const double *values,
                         const bool *lost);

uint64_t example_random(uint64_t *seed);
double example_share(uint64_t *seed); /* from 0 to 1 */

/* A curve of a few sines and a tremble, at most `high` from 0. */
void example_curve(uint64_t *seed, int count, double high, double tremble, double *out);

/* A query of one row, or of EXAMPLE_DOFS, with k candidates and `best` paths; fails the test if it
   cannot be asked. */
marey_example_found *example_ask(marey_ctx *ctx, const marey_examples *in, int samples,
                                 const double *values, int k, int best);

#endif
