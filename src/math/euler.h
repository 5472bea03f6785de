/* euler.h - channel angles to quaternions and back, in any order of axes. BVH and AMC readers turn
   whole rows; writers turn single joints back. */
#ifndef MRY_EULER_H
#define MRY_EULER_H

/* How one joint's rotation is put together: first angle about axis[0], then about axis[1] as turned
   by the first, then axis[2] as turned by both. Axes are 0, 1, 2 for x, y, z, all different; an
   axis that the file does not name stands at the end with a column whose angle is always 0. */
typedef struct mry_euler {
    int axis[3];
    int column[3]; /* where in the row the angle in degrees is */
    int given;     /* how many of the three the file has: 0 .. 3 */
} mry_euler;

/* Completes axis[] behind the `given` ones, and points the columns of the added ones at `zero`. */
void mry_euler_complete(mry_euler *euler, int zero);

/* Sines and cosines of half of `count` angles in degrees; within 2e-9, exact at 0. */
void mry_half_angles(const double *degrees, int count, double *sines, double *cosines);

/* The quaternion of one joint from the half-angle rows. */
void mry_euler_to_quat(const mry_euler *euler, const double *sines, const double *cosines,
                       float *quat);

/* Angles in degrees about axis[0], axis[1], axis[2]. Of the two ways to say one rotation, and of
   all whole turns, the one nearest to `reference` (3 degrees) is taken, so that written motion has
   no jumps. Only the first `given` angles will be kept: the way that says least with the others
   comes first. */
void mry_euler_from_quat(const int *axis, int given, const float *quat, const double *reference,
                         double *degrees);

#endif
