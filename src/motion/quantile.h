/* quantile.h - order statistics in linear time. Read by motion, blend and graph. */
#ifndef MRY_QUANTILE_H
#define MRY_QUANTILE_H

#include <stddef.h>

/* The element that a share `q` (0 .. 1) of the others lies below, once sorted: number
   floor(q * (count - 1)). Reorders the values. count is at least 1. Linear time but for inputs made
   to be hard. */
double mry_quantile(double *values, size_t count, double q);

/* The element number `rank` (from 0, below count) once sorted; likewise. */
double mry_nth(double *values, size_t count, size_t rank);

#endif
