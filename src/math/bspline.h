/* bspline.h - uniform quadratic B-splines with clamped ends, their least-squares fits and the
   inverse of a rising one. Read by align.

   A spline of n control points (n >= 3) over [first, last] has n - 2 equal spans; the end knots are
   triple, so that it starts in its first control point and ends in its last. Whatever holds for all
   steps between neighbouring control points and is convex holds for its derivative: that is what
   keeps timewarps rising. */
#ifndef MRY_BSPLINE_H
#define MRY_BSPLINE_H

#include "base/arena.h"

typedef struct mry_spline {
    int dims;
    int count; /* control points, at least 3 */
    double first, last;
    double *points; /* count x dims */
} mry_spline;

/* How many control points for `samples` samples, so many a knot; at least 3. */
int mry_spline_size(int samples, int samples_per_knot);

/* Value and derivative at u, which is held to the range; either may be NULL. */
void mry_spline_at(const mry_spline *spline, double u, double *value, double *slope);

/* Fits count >= 1 samples (u in any order, values count x dims) over [first, last] by least
   squares. Where samples leave gaps, or are fewer than the points, the curve is bent least, and in
   gaps of more than some ten spans goes straight; straight samples give straight curves anywhere,
   one place a level one. With `ends` (u in order) it goes through the first and the last sample to
   the bit, which must lie at first and last. Time is (count + points) x dims. false: out of
   memory. */
bool mry_spline_fit(mry_arena *mem, const double *u, const double *values, int count, int dims,
                    int points, double first, double last, bool ends, mry_spline *out);

/* The u at which dimension `dim`, which rises strictly, has a value; held to the range. In closed
   form. */
double mry_spline_find(const mry_spline *spline, int dim, double value);

#endif
