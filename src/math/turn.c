/* turn.c - the longer functions on rotations. */
#include "math/turn.h"

mry_rot mry_rot_from_axes(mry_vec x, mry_vec y, mry_vec z)
{
    /* Shepperd's choice of the largest component keeps the division away from zero. */
    double trace = x.x + y.y + z.z;
    mry_rot q;
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q = (mry_rot){ s / 4, (y.z - z.y) / s, (z.x - x.z) / s, (x.y - y.x) / s };
    } else if (x.x > y.y && x.x > z.z) {
        double s = 2 * sqrt(1 + x.x - y.y - z.z);
        q = (mry_rot){ (y.z - z.y) / s, s / 4, (y.x + x.y) / s, (z.x + x.z) / s };
    } else if (y.y > z.z) {
        double s = 2 * sqrt(1 + y.y - x.x - z.z);
        q = (mry_rot){ (z.x - x.z) / s, (y.x + x.y) / s, s / 4, (z.y + y.z) / s };
    } else {
        double s = 2 * sqrt(1 + z.z - x.x - y.y);
        q = (mry_rot){ (x.y - y.x) / s, (z.x + x.z) / s, (z.y + y.z) / s, s / 4 };
    }
    return q;
}

mry_rot mry_rot_mix(mry_rot a, mry_rot b, double t)
{
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = dot < 0 ? -1 : 1;
    double angle = acos(fmin(1, fabs(dot))), u = 1 - t, v = t;
    if (angle > 1e-4) {
        u = sin((1 - t) * angle) / sin(angle);
        v = sin(t * angle) / sin(angle);
    }
    v *= sign;
    mry_rot q = { u * a.w + v * b.w, u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z };
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (mry_rot){ q.w / length, q.x / length, q.y / length, q.z / length };
}

mry_vec mry_limb_middle(mry_vec base, mry_vec tip, double upper, double lower, mry_vec pole)
{
    mry_vec way = mry_vec_sub(tip, base), along = mry_vec_unit(way);
    double distance =
        fmax(fmin(mry_vec_length(way), upper + lower - 1e-6), fabs(upper - lower) + 1e-6);
    double forth = (distance * distance + upper * upper - lower * lower) / (2 * distance);
    double out = sqrt(fmax(0, upper * upper - forth * forth));
    mry_vec side = mry_vec_sub(pole, mry_vec_scale(along, mry_vec_dot(pole, along)));
    side = mry_vec_unit(side);
    return mry_vec_add(base, mry_vec_add(mry_vec_scale(along, forth), mry_vec_scale(side, out)));
}
