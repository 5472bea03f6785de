/* euler.c - angles in degrees to unit quaternions and back. The sine and cosine are polynomials in
   the square of the angle in turns, fitted over half a turn either way, instead of the C library's:
   the loop has no branch, so the compiler makes it wide, and it gives the same bits with every
   compiler and C library. */
#include "math/euler.h"

#include <math.h>
#include <stdbool.h>

static const double degrees_per_radian = 57.29577951308232;

void mry_euler_complete(mry_euler *euler, int zero)
{
    int n = euler->given, named = 0;
    for (int i = 0; i < n; i++) named |= 1 << euler->axis[i];
    for (int axis = 0; axis < 3; axis++) {
        if (named >> axis & 1) continue;
        euler->axis[n] = axis;
        euler->column[n] = zero;
        n++;
    }
}

void mry_half_angles(const double *restrict degrees, int count, double *restrict sines,
                     double *restrict cosines)
{
    /* Adding and taking away 1.5 * 2^52 rounds to a whole number. */
    const double rounder = 6755399441055744.0;
    for (int i = 0; i < count; i++) {
        double t = degrees[i] * (1.0 / 720.0); /* half the angle, in turns */
        double r = t - ((t + rounder) - rounder);
        double z = r * r;
        double s = 3.199693476359847;
        s = s * z - 14.868610848168801;
        s = s * z + 42.01616577624581;
        s = s * z - 76.7015511694883;
        s = s * z + 81.60502462208764;
        s = s * z - 41.34169706894093;
        s = s * z + 6.283185272722298;
        double c = -1.4556178106586135;
        c = c * z + 7.802461968201598;
        c = c * z - 26.40553362923717;
        c = c * z + 60.24229454314604;
        c = c * z - 85.45667472403076;
        c = c * z + 64.93938991625875;
        c = c * z - 19.739208762125056;
        sines[i] = s * r;
        cosines[i] = c * z + 1.0;
    }
}

/* +1 if the axes follow each other as x, y, z do, else -1: e_a x e_b = sign * e_c. */
static double handedness(const int *axis)
{
    return (axis[1] - axis[0] + 3) % 3 == 1 ? 1.0 : -1.0;
}

void mry_euler_to_quat(const mry_euler *euler, const double *sines, const double *cosines,
                       float *quat)
{
    const int *column = euler->column;
    double s1 = sines[column[0]], s2 = sines[column[1]], s3 = sines[column[2]];
    double c1 = cosines[column[0]], c2 = cosines[column[1]], c3 = cosines[column[2]];
    double e = handedness(euler->axis);
    double w = c1 * c2, a = s1 * c2, b = c1 * s2, c = e * (s1 * s2); /* the first two axes */
    quat[0] = (float)(w * c3 - c * s3);
    quat[1 + euler->axis[0]] = (float)(a * c3 + e * (b * s3));
    quat[1 + euler->axis[1]] = (float)(b * c3 - e * (a * s3));
    quat[1 + euler->axis[2]] = (float)(c * c3 + w * s3);
}

/* Moves each angle by whole turns and says how far off the three are; what would be dropped weighs
   most. */
static double move_near(double *degrees, const double *reference, int given)
{
    double distance = 0;
    for (int i = 0; i < 3; i++) {
        double aim = i < given ? reference[i] : 0;
        degrees[i] += 360.0 * nearbyint((aim - degrees[i]) / 360.0);
        distance += fabs(degrees[i] - aim) * (i < given ? 1.0 : 1e3);
    }
    return distance;
}

/* With h the half angles and e the handedness, the quaternion's parts combine to
       w + b = (c2 + s2) cos(h1 + e h3)    a + e c = (c2 + s2) sin(h1 + e h3)
       w - b = (c2 - s2) cos(h1 - e h3)    a - e c = (c2 - s2) sin(h1 - e h3)
   so sum and difference of the outer angles come apart cleanly, and near gimbal lock, where one of
   the two is lost, the other keeps its precision (Bernardes & Viollet 2022). */
void mry_euler_from_quat(const int *axis, int given, const float *quat, const double *reference,
                         double *degrees)
{
    double w = quat[0], a = quat[1 + axis[0]], b = quat[1 + axis[1]], c = quat[1 + axis[2]];
    double e = handedness(axis), lost = 1e-6;
    double plus = hypot(a + e * c, w + b), minus = hypot(a - e * c, w - b);
    double sum = atan2(a + e * c, w + b) * degrees_per_radian;        /* (first + e third) / 2 */
    double difference = atan2(a - e * c, w - b) * degrees_per_radian; /* (first - e third) / 2 */
    if (minus < lost) difference = sum - e * reference[2];
    if (plus < lost) sum = difference + e * reference[2];
    double first[3] = { sum + difference, 2.0 * atan2(plus, minus) * degrees_per_radian - 90.0,
                        e * (sum - difference) };
    double second[3] = { first[0] + 180.0, 180.0 - first[1], first[2] + 180.0 };
    const double *best =
        move_near(first, reference, given) <= move_near(second, reference, given) ? first : second;
    for (int i = 0; i < 3; i++) degrees[i] = best[i];
}
