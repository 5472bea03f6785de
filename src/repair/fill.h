/* fill.h - frames made from those around them. Read by layers and by the checks that ask what a
   frame should have been. */
#ifndef MRY_FILL_H
#define MRY_FILL_H

#include "math/turn.h"
#include "motion/clip_data.h"

/* Frames [start, end) of one joint's rotation, and of its positions if it has any, from the frames
   before and behind them: a cubic with their values and speeds. At an end of the clip the one value
   there is is held; a clip without other frames stays as it is. */
void mry_fill(marey_clip *clip, int joint, int start, int end);

/* Where the cubic is that begins at 0 with speed v0 (a frame) and reaches `to` with speed v1 after n
   frames, `at` frames from its beginning. */
static inline mry_vec mry_cubic(mry_vec to, mry_vec v0, mry_vec v1, int n, int at)
{
    double t = (double)at / n, u = 1 - t;
    mry_vec p = mry_vec_scale(to, t * t * (3 - 2 * t));
    p = mry_vec_add(p, mry_vec_scale(v0, n * t * u * u));
    return mry_vec_add(p, mry_vec_scale(v1, -n * t * t * u));
}

/* A joint's rotation in one frame. */
static inline mry_rot mry_rot_in(const marey_clip *clip, int frame, int joint)
{
    const float *q = mry_turn(clip, frame) + 4 * joint;
    return (mry_rot){ (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
}

/* The rotation vector (axis times angle in radians, the shorter way) of a unit quaternion. */
static inline mry_vec mry_rot_vector(mry_rot q)
{
    double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1;
    double scale = sine > 1e-12 ? 2 * atan2(sine, fabs(q.w)) / sine : 2;
    return (mry_vec){ sign * scale * q.x, sign * scale * q.y, sign * scale * q.z };
}

/* The rotation by such a vector. */
static inline mry_rot mry_vector_rot(mry_vec v)
{
    double angle = mry_vec_length(v), scale = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    return (mry_rot){ cos(angle / 2), scale * v.x, scale * v.y, scale * v.z };
}

#endif
