/* vec3.h - the few vector operations that drawing needs, on plain arrays of doubles. */
#ifndef MRY_VEC3_H
#define MRY_VEC3_H

#include "math/quat.h"

static inline double mry_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = a + t * b; out may be a or b. */
static inline void mry_add3(const double *a, double t, const double *b, double *out)
{
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * b[k];
}

/* A share t of the way from a to b; out may be a or b. */
static inline void mry_mix3(const double *a, const double *b, double t, double *out)
{
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

/* out must be neither a nor b. */
static inline void mry_cross3(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Unit length; what has none becomes `otherwise`, which may be NULL to leave it as it is. */
static inline void mry_unit3(double *a, const double *otherwise)
{
    double length = mry_length3(a);
    for (int k = 0; k < 3; k++) {
        if (length > 1e-9) {
            a[k] /= length;
        } else if (otherwise) {
            a[k] = otherwise[k];
        }
    }
}

static inline double mry_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
