/* quat.c - the slower quaternion functions. */
#include "math/quat.h"

float mry_quat_angle(const float *a, const float *b)
{
    /* atan2 of the relative rotation keeps its precision where acos of the dot loses it. */
    float d[4];
    mry_quat_between(a, b, d);
    float s = sqrtf(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
    return 2.0f * atan2f(s, fabsf(d[0]));
}

void mry_quat_slerp(const float *a, const float *b, float t, float *out)
{
    float dot = mry_quat_dot(a, b);
    float sign = dot < 0.0f ? -1.0f : 1.0f;
    float u = 1.0f - t, v = t;
    if (dot * sign < 0.9995f) {
        float angle = acosf(dot * sign);
        float scale = 1.0f / sinf(angle);
        u = sinf((1.0f - t) * angle) * scale;
        v = sinf(t * angle) * scale;
    }
    for (int i = 0; i < 4; i++) out[i] = u * a[i] + sign * v * b[i];
    mry_quat_normalize(out);
}
