/* knots.h - control points that rise in every motion: appendix A of Kovar & Gleicher 2003. Read by
   registration. */
#ifndef MRY_KNOTS_H
#define MRY_KNOTS_H

#include "base/arena.h"

typedef struct mry_knots_result {
    int base;      /* the motion whose steps the others are held to */
    double change; /* sum of squares of what was moved */
} mry_knots_result;

/* Moves points (count x dims) as little as it can so that eq. 5 holds between all neighbours:
   epsilon <= step of any motion / step of the base <= 1 / epsilon, every step of the base > 0;
   epsilon in (0, 1). Every motion is tried as the base, and the one with the least change kept, of
   equals the first. With `ends` the first and last points stay where they are. Points that obey
   already are left alone to the bit. Finite numbers only. Time is count x dims for every base; as a
   rule a few dozen times that where much must be moved.

   It holds to 1e-12 of the base's step. Only where `ends` leave lengths whose own ratio is epsilon
   to a millionth, so that steps have no play, to the rounding of the points if that is more. A base
   that does not rise is given steps of a thousandth of its mean step.

   REQUEST: with `ends`, lengths whose ratio lies outside [epsilon, 1 / epsilon] for every base, or
   a motion that ends where it starts or before; points so close that no numbers lie between.
   MEMORY. On failure points and *out are as they were. */
marey_status mry_knots_adjust(marey_ctx *ctx, double *points, int count, int dims, double epsilon,
                              bool ends, mry_knots_result *out, marey_error *error);

#endif
