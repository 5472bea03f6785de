/* mean_turn.h - the weighted mean of several orientations. Read by blend. */
#ifndef MRY_MEAN_TURN_H
#define MRY_MEAN_TURN_H

#include <stddef.h>

/* The mean of `count` unit quaternions, `stride` floats from one to the next (Park, Shin & Shin
   2002): the orientation m for which the turns that lead from it to the others, as rotation vectors
   times their weights, sum to nothing. Weights sum to 1 and may be negative. q and -q are the same
   orientation. A weight of 1 beside zeros gives that quaternion bit by bit; two give what lies on
   the shorter way between them. Within 1e-6 rad as long as the orientations lie less than a right
   angle from their mean; whatever they are, the result is of unit length. `out` may be one of
   them. */
void mry_mean_turn(const float *turns, size_t stride, const double *weights, int count, float *out);

/* Two orientations, `share` of the way from a to b; also below 0 and above 1. out may be a or b. */
void mry_turn_between(const float *a, const float *b, double share, float *out);

#endif
