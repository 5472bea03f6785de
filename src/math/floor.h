/* floor.h - rigid motions of the floor plane: a turn about the vertical, then a shift in x and z.
   Read by align and blend. The turn is that of curves, eq. 1: x -> x cos + z sin, z -> -x sin + z
   cos, which is a right-handed rotation about y. */
#ifndef MRY_FLOOR_H
#define MRY_FLOOR_H

#include <math.h>

typedef struct mry_floor {
    double angle; /* radians; any number, so that turns can be followed over more than one round */
    double x, z;
} mry_floor;

static inline void mry_floor_turn(double angle, double *x, double *z)
{
    double c = cos(angle), s = sin(angle), from = *x;
    *x = from * c + *z * s;
    *z = *z * c - from * s;
}

static inline void mry_floor_apply(mry_floor motion, double *x, double *z)
{
    mry_floor_turn(motion.angle, x, z);
    *x += motion.x;
    *z += motion.z;
}

/* First b, then a. */
static inline mry_floor mry_floor_times(mry_floor a, mry_floor b)
{
    mry_floor both = { a.angle + b.angle, b.x, b.z };
    mry_floor_apply(a, &both.x, &both.z);
    return both;
}

/* First a, then turned about a place. */
static inline mry_floor mry_floor_about(mry_floor a, double angle, double x, double z)
{
    mry_floor turned = { a.angle + angle, a.x - x, a.z - z };
    mry_floor_turn(angle, &turned.x, &turned.z);
    turned.x += x;
    turned.z += z;
    return turned;
}

static inline mry_floor mry_floor_back(mry_floor a)
{
    mry_floor back = { -a.angle, -a.x, -a.z };
    mry_floor_turn(back.angle, &back.x, &back.z);
    return back;
}

#endif
