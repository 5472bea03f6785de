/* quat.h - vectors and unit quaternions (w, x, y, z) as plain arrays. Every stage above reads
   it. */
#ifndef MRY_QUAT_H
#define MRY_QUAT_H

#include <math.h>

/* out = a * b: first b, then a. out may be a or b. */
static inline void mry_quat_multiply(const float *a, const float *b, float *out)
{
    float w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    float x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    float y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    float z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* out = conj(a) * b: the rotation that leads from a to b, seen from a. */
static inline void mry_quat_between(const float *a, const float *b, float *out)
{
    float inverse[4] = { a[0], -a[1], -a[2], -a[3] };
    mry_quat_multiply(inverse, b, out);
}

/* out = q v q*. With u = 2 (q.xyz x v): v + w u + q.xyz x u. out may be v. */
static inline void mry_quat_rotate(const float *q, const float *v, float *out)
{
    float ux = 2.0f * (q[2] * v[2] - q[3] * v[1]);
    float uy = 2.0f * (q[3] * v[0] - q[1] * v[2]);
    float uz = 2.0f * (q[1] * v[1] - q[2] * v[0]);
    float x = v[0] + q[0] * ux + (q[2] * uz - q[3] * uy);
    float y = v[1] + q[0] * uy + (q[3] * ux - q[1] * uz);
    float z = v[2] + q[0] * uz + (q[1] * uy - q[2] * ux);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void mry_quat_rotate_double(const float *q, const double *v, double *out)
{
    double w = q[0], a = q[1], b = q[2], c = q[3];
    double ux = 2.0 * (b * v[2] - c * v[1]);
    double uy = 2.0 * (c * v[0] - a * v[2]);
    double uz = 2.0 * (a * v[1] - b * v[0]);
    double x = v[0] + w * ux + (b * uz - c * uy);
    double y = v[1] + w * uy + (c * ux - a * uz);
    double z = v[2] + w * uz + (a * uy - b * ux);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline float mry_quat_dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Unit length again; a quaternion of no length becomes the identity. */
static inline void mry_quat_normalize(float *q)
{
    float length = sqrtf(mry_quat_dot(q, q));
    if (!(length > 0.0f)) {
        q[0] = 1.0f;
        q[1] = q[2] = q[3] = 0.0f;
        return;
    }
    for (int i = 0; i < 4; i++) q[i] /= length;
}

/* Angle in radians, 0 .. pi, between two orientations. */
float mry_quat_angle(const float *a, const float *b);

/* The shorter way from a (t = 0) to b (t = 1) at constant speed. out may be a or b. */
void mry_quat_slerp(const float *a, const float *b, float t, float *out);

static inline double mry_distance3(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static inline double mry_length3(const double *a)
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

#endif
