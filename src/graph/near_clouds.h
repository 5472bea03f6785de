/* near_clouds.h - the point clouds of all nodes, and a few numbers of each that bound distances from below. Read by
   near_clouds.c and graph_near.c. */
#ifndef MRY_NEAR_CLOUDS_H
#define MRY_NEAR_CLOUDS_H

#include "graph/graph_data.h"

enum { MRY_NEAR_DIMS = 8 };

/* Windows of frames around each node, ends of sequences repeated; less their means on the floor, times the roots of the
   weights. A cloud is `points` numbers x, then z, then y, padded with zeros. */
typedef struct mry_clouds {
    int nodes, points; /* a multiple of 4 */
    float *clouds;     /* nodes x 3 points */
    float *size;       /* sum of x^2 + z^2 */
    /* Heights and distances from the mean on the floor do not change when a cloud is turned and shifted, so the distance of
       what they are is not more than the clouds' (root), nor is that of its parts along a few directions. */
    float *low; /* nodes x MRY_NEAR_DIMS */
} mry_clouds;

/* Lives in mem. */
marey_status mry_clouds_open(mry_clouds *out, mry_arena *mem, const mry_bodies *bodies,
                             marey_error *error);

/* The metric's distance of two nodes: Kovar & Gleicher 2003, eq. 1, as S + S' - 2 |R| on the floor. */
static inline float mry_cloud_distance(const mry_clouds *of, int a, int b)
{
    size_t n = (size_t)of->points;
    const float *p = of->clouds + (size_t)a * 3 * n, *q = of->clouds + (size_t)b * 3 * n;
    float dot[4] = { 0 }, cross[4] = { 0 }, up[4] = { 0 };
    for (size_t i = 0; i < n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            float x = p[i + k], z = p[n + i + k], x2 = q[i + k], z2 = q[n + i + k];
            float y = p[2 * n + i + k] - q[2 * n + i + k];
            dot[k] += x * x2 + z * z2;
            cross[k] += x * z2 - z * x2;
            up[k] += y * y;
        }
    }
    float along = dot[0] + dot[1] + dot[2] + dot[3];
    float across = cross[0] + cross[1] + cross[2] + cross[3];
    float flat = of->size[a] + of->size[b] - 2 * sqrtf(along * along + across * across);
    return up[0] + up[1] + up[2] + up[3] + (flat > 0 ? flat : 0);
}

#endif
