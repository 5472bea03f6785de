/* turn.h - rotations in double for making motion: quaternions (w, x, y, z), axes, easing, seeded
   random numbers. Read by demo; clips themselves hold floats (quat.h). */
#ifndef MRY_TURN_H
#define MRY_TURN_H

#include <math.h>
#include <stdint.h>

typedef struct mry_vec {
    double x, y, z;
} mry_vec;

typedef struct mry_rot {
    double w, x, y, z;
} mry_rot;

static inline mry_vec mry_vec_add(mry_vec a, mry_vec b)
{
    return (mry_vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline mry_vec mry_vec_sub(mry_vec a, mry_vec b)
{
    return (mry_vec){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline mry_vec mry_vec_scale(mry_vec a, double s)
{
    return (mry_vec){ a.x * s, a.y * s, a.z * s };
}

static inline mry_vec mry_vec_mix(mry_vec a, mry_vec b, double t)
{
    return mry_vec_add(mry_vec_scale(a, 1 - t), mry_vec_scale(b, t));
}

static inline double mry_vec_dot(mry_vec a, mry_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mry_vec mry_vec_cross(mry_vec a, mry_vec b)
{
    return (mry_vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double mry_vec_length(mry_vec a)
{
    return sqrt(mry_vec_dot(a, a));
}

static inline mry_vec mry_vec_unit(mry_vec a)
{
    double length = mry_vec_length(a);
    return length > 1e-12 ? mry_vec_scale(a, 1 / length) : (mry_vec){ 0, 1, 0 };
}

/* First b, then a. */
static inline mry_rot mry_rot_times(mry_rot a, mry_rot b)
{
    return (mry_rot){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static inline mry_rot mry_rot_back(mry_rot a)
{
    return (mry_rot){ a.w, -a.x, -a.y, -a.z };
}

static inline mry_vec mry_rot_apply(mry_rot q, mry_vec v)
{
    mry_vec u = { q.x, q.y, q.z };
    mry_vec t = mry_vec_scale(mry_vec_cross(u, v), 2);
    return mry_vec_add(mry_vec_add(v, mry_vec_scale(t, q.w)), mry_vec_cross(u, t));
}

static inline mry_rot mry_rot_about(double x, double y, double z, double radians)
{
    double s = sin(radians / 2);
    return (mry_rot){ cos(radians / 2), x * s, y * s, z * s };
}

/* Heading (about y), then lean forward (about x), then lean to the side (about z), each in the axes
   so far. */
static inline mry_rot mry_rot_body(double yaw, double pitch, double roll)
{
    mry_rot q = mry_rot_times(mry_rot_about(0, 1, 0, yaw), mry_rot_about(1, 0, 0, pitch));
    return mry_rot_times(q, mry_rot_about(0, 0, 1, roll));
}

/* The rotation that carries x, y, z to three given axes at right angles. */
mry_rot mry_rot_from_axes(mry_vec x, mry_vec y, mry_vec z);

/* The shorter way from a to b; both of unit length. */
mry_rot mry_rot_mix(mry_rot a, mry_rot b, double t);

/* Two bones from `base` towards `tip`: where the joint between them is. The joint lies on the side
   of `pole`. What is too far is reached for as far as it goes. Law of cosines. */
mry_vec mry_limb_middle(mry_vec base, mry_vec tip, double upper, double lower, mry_vec pole);

/* 0 below 0, 1 above 1, and smooth up to the second derivative in between. */
static inline double mry_ease(double t)
{
    if (t <= 0) return 0;
    if (t >= 1) return 1;
    return t * t * t * (t * (6 * t - 15) + 10);
}

/* Up from 0 at a to 1 at b, and down again from c to d. */
static inline double mry_ease_window(double t, double a, double b, double c, double d)
{
    return mry_ease((t - a) / (b - a)) * (1 - mry_ease((t - c) / (d - c)));
}

/* splitmix64 (Steele, Lea & Flood 2014). */
static inline uint64_t mry_random_next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double mry_random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(mry_random_next(seed) >> 11) / 9007199254740992.0;
}

#endif
