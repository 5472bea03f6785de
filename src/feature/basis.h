/* basis.h - a few directions in which the point clouds of a library differ most. With them a
   distance is bounded from below by a handful of products: turning a cloud about the vertical
   multiplies all of its x + iz by one complex number, which commutes with complex principal
   components, so what they leave out can be bounded by its length alone. Read by layout.c and
   points.c. */
#ifndef MRY_BASIS_H
#define MRY_BASIS_H

#include "base/arena.h"

enum { MRY_BASIS_RANK = 8 };

typedef struct mry_basis {
    int dims;  /* numbers of a cloud: window x joints */
    double *c; /* MRY_BASIS_RANK x dims x 2: orthonormal complex vectors */
    double *y; /* MRY_BASIS_RANK x dims: orthonormal real ones */
} mry_basis;

/* From `count` clouds, each of dims x, z and y, one behind the other. Any clouds give a basis with
   which the bound holds; those that are like what is compared give a good one. False when out of
   memory. */
bool mry_basis_build(mry_arena *mem, const double *clouds, int count, int dims, mry_basis *out);

/* A cloud in the basis: 2 x rank numbers (re, im) of the plane, rank numbers of the heights, and
   the length of what is left over of each, never less than it is. */
void mry_basis_project(const mry_basis *basis, const double *x, const double *z, const double *y,
                       double *plane, double *heights, double *plane_rest, double *height_rest);

#endif
