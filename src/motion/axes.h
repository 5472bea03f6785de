/* axes.h - between a file's axes and marey's (y up). A turn of the axes by a quarter is an exchange
   of numbers, so nothing is lost either way. Read by motion and by writers. */
#ifndef MRY_AXES_H
#define MRY_AXES_H

#include <marey/motion.h>

/* File (x, y, z) with z up is (x, z, -y) with y up. `out` may be `in`. */
static inline void mry_vector_from_file(marey_up up, const double *in, double *out)
{
    double y = up == MAREY_UP_Z ? in[2] : in[1], z = up == MAREY_UP_Z ? -in[1] : in[2];
    out[0] = in[0];
    out[1] = y;
    out[2] = z;
}

static inline void mry_vector_to_file(marey_up up, const double *in, double *out)
{
    double y = up == MAREY_UP_Z ? -in[2] : in[1], z = up == MAREY_UP_Z ? in[1] : in[2];
    out[0] = in[0];
    out[1] = y;
    out[2] = z;
}

/* A rotation's axis turns like any vector. */
static inline void mry_turn_from_file(marey_up up, const float *in, float *out)
{
    float y = up == MAREY_UP_Z ? in[3] : in[2], z = up == MAREY_UP_Z ? -in[2] : in[3];
    out[0] = in[0];
    out[1] = in[1];
    out[2] = y;
    out[3] = z;
}

static inline void mry_turn_to_file(marey_up up, const float *in, float *out)
{
    float y = up == MAREY_UP_Z ? -in[3] : in[2], z = up == MAREY_UP_Z ? in[2] : in[3];
    out[0] = in[0];
    out[1] = in[1];
    out[2] = y;
    out[3] = z;
}

#endif
