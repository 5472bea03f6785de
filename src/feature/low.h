/* low.h - the clouds of a clip in a few numbers, a block of rows at a time, to bound distances from
   below:

       D(i, j) >= S + S' - 2 (sum of h h' + rho_y rho_y') - 2 (|sum of conj(c) c'| + rho_u rho_u')

   and, since the root of D is a metric between clouds up to motions of the floor, for rows i', j'
   of the same blocks

       root D(i', j') >= root D(i, j) - r_i - r_j,     r: how far the rows of a block are from its middle one.

   Read by features.c, points_bound.c and query_scan.c. */
#ifndef MRY_LOW_H
#define MRY_LOW_H

#include "feature/basis.h"
#include "feature/points.h"

enum {
    MRY_LOW_ROWS = 3, /* of a block of a grid's bound */
    MRY_LOW_K =
        MRY_BASIS_RANK + 2 /* products a block: the basis, and the two rests among the heights */
};

typedef struct mry_low {
    int rows; /* of a block; the last may have fewer */
    int blocks;
    float *first, *second; /* panels as in kernel.h, with k = MRY_LOW_K */
    /* of each block's middle row: S, a little less, so that rounding cannot lift the bound */
    float *size;
    float *radius; /* r of each block, a little more */
} mry_low;

/* Rows [first, end), `rows` of them a block. False when out of memory. */
bool mry_low_build(mry_arena *mem, const mry_points *points, const mry_basis *basis, int first,
                   int end, int rows, mry_low *out);

#endif
