/* mean_turn.c - exponential and logarithmic maps about the current mean, until that no longer moves
   (Park, Shin & Shin 2002). It starts from the heaviest orientation: a step leaves of the error e
   about e * spread^2 / 12, so that a handful are enough for poses that are worth mixing. Half
   angles throughout: a unit quaternion is (cos h, sin h * axis), and its logarithm h * axis. */
#include "math/mean_turn.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 24 };

/* Behind a half step of this size less than a third of it is left to go, and seldom more than a
   fiftieth. */
#define SMALLEST_STEP 3e-7

/* asin(s) / s for s = sqrt(square), or h / sin h with a cosine that is not negative. Up to a half
   angle of 30 degrees by Taylor's series, whose first missing term is 4e-10 there. */
static inline double angle_over_sine(double square, double cosine)
{
    if (square > 0.25) {
        double sine = sqrt(square);
        return atan2(sine, cosine) / sine;
    }
    double z = square, z2 = z * z, z4 = z2 * z2;
    double low = (1.0 + z * (1.0 / 6)) + z2 * (3.0 / 40 + z * (5.0 / 112));
    double middle = (35.0 / 1152 + z * (63.0 / 2816)) + z2 * (231.0 / 13312 + z * (143.0 / 10240));
    double high = (6435.0 / 557056 + z * (12155.0 / 1245184)) +
                  z2 * (46189.0 / 5505024 + z * (88179.0 / 12058624));
    return low + z4 * (middle + z4 * high);
}

static void normalize(double *q)
{
    double scale = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] *= scale;
}

/* Adds weight times the logarithm of conj(m) q to `sum`; of q and -q the one on m's side counts. */
static inline void add_way(const double *m, const float *q, double weight, double *sum)
{
    double a = q[0], b = q[1], c = q[2], d = q[3];
    double w = m[0] * a + m[1] * b + m[2] * c + m[3] * d;
    double x = m[0] * b - m[1] * a - m[2] * d + m[3] * c;
    double y = m[0] * c + m[1] * d - m[2] * a - m[3] * b;
    double z = m[0] * d - m[1] * c + m[2] * b - m[3] * a;
    double scale = angle_over_sine(x * x + y * y + z * z, fabs(w));
    scale *= w < 0 ? -weight : weight;
    sum[0] += scale * x;
    sum[1] += scale * y;
    sum[2] += scale * z;
}

void mry_turn_between(const float *a, const float *b, double share, float *out)
{
    double dot = 0, square = 0, u, v, q[4];
    for (int i = 0; i < 4; i++) dot += (double)a[i] * b[i];
    double sign = dot < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) { /* |b - (a.b) a| is the sine, and exact where 1 - dot^2 is not */
        double apart = b[i] - dot * a[i];
        square += apart * apart;
    }
    double angle = angle_over_sine(square, fabs(dot)) * sqrt(square);
    if (angle < 1e-7) {
        u = 1 - share;
        v = share;
    } else {
        double scale = 1.0 / sin(angle);
        u = sin((1 - share) * angle) * scale;
        v = sin(share * angle) * scale;
    }
    for (int i = 0; i < 4; i++) q[i] = u * a[i] + sign * v * b[i];
    normalize(q);
    for (int i = 0; i < 4; i++) out[i] = (float)q[i];
}

void mry_mean_turn(const float *turns, size_t stride, const double *weights, int count, float *out)
{
    int start = 0, others = 0;
    for (int i = 1; i < count; i++) {
        if (weights[i] > weights[start]) start = i; /* the heaviest */
    }
    for (int i = 0; i < count; i++) others += i != start && weights[i] != 0;
    const float *first = turns + (size_t)start * stride;
    if (others == 0) {
        memmove(out, first, 4 * sizeof *out);
        return;
    }
    if (count == 2) {
        mry_turn_between(turns, turns + stride, weights[1], out);
        return;
    }
    double m[4] = { first[0], first[1], first[2], first[3] };
    for (int n = 0; n < MOST_STEPS; n++) {
        double way[3] = { 0 };
        for (int i = 0; i < count; i++) add_way(m, turns + (size_t)i * stride, weights[i], way);
        double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        /* m = m exp(way), with s = sin(h) / h */
        double w = cos(length),
               s = length < 1e-4 ? 1.0 - length * length / 6 : sin(length) / length;
        double x = s * way[0], y = s * way[1], z = s * way[2];
        double next[4] = { m[0] * w - m[1] * x - m[2] * y - m[3] * z,
                           m[0] * x + m[1] * w + m[2] * z - m[3] * y,
                           m[0] * y - m[1] * z + m[2] * w + m[3] * x,
                           m[0] * z + m[1] * y - m[2] * x + m[3] * w };
        memcpy(m, next, sizeof next);
        normalize(m);
        if (length < SMALLEST_STEP) break;
    }
    for (int i = 0; i < 4; i++) out[i] = (float)m[i];
}
