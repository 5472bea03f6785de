/* cluster_poses.c - how the nodes of a cluster graph look, and where similar ones are drawn near each other: the first two
   principal directions of their middles' poses, found by the power method. */
#include "cluster_kept.h"

#include <math.h>
#include <string.h>

/* ---- poses -------------------------------------------------------------------------------------- */

/* From one side of the body to the other, on the floor; false: it has no sides. */
static bool across(const marey_skeleton *skeleton, const double *places, double out[2])
{
    static const marey_role pairs[][2] = { { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP },
                                           { MAREY_ROLE_LEFT_SHOULDER,
                                             MAREY_ROLE_RIGHT_SHOULDER } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int left = skeleton->roles[pairs[i][0]], right = skeleton->roles[pairs[i][1]];
        if (left < 0 || right < 0) continue;
        double x = places[3 * left] - places[3 * right];
        double z = places[3 * left + 2] - places[3 * right + 2];
        double length = hypot(x, z);
        if (!(length > 1e-6)) continue;
        out[0] = x / length;
        out[1] = z / length;
        return true;
    }
    return false;
}

/* Who faces along z has the left side along x. What the pelvis hangs from, perhaps metres away, is no part of the pose. */
static void stand_up(const marey_skeleton *skeleton, const double *places, float *out)
{
    int pelvis = skeleton->roles[MAREY_ROLE_HIPS] > 0 ? skeleton->roles[MAREY_ROLE_HIPS] : 0;
    const double *middle = places + 3 * pelvis;
    double side[2] = { 1, 0 };
    across(skeleton, places, side);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const double *at = j == 0 ? middle : places + 3 * j;
        double x = at[0] - middle[0], z = at[2] - middle[2];
        out[3 * j] = (float)(x * side[0] + z * side[1]);
        out[3 * j + 1] = (float)at[1];
        out[3 * j + 2] = (float)(z * side[0] - x * side[1]);
    }
}

void cluster_poses(const marey_parts *parts, const marey_clusters *clusters, const int *chosen,
                   int count, double *scratch, float *out)
{
    int nodes;
    const marey_cluster_node *all = marey_clusters_nodes(clusters, &nodes);
    for (int i = 0; i < count; i++) {
        const marey_cluster_node *node = &all[chosen[i]];
        const marey_clip *clip = parts->clips[node->clip];
        const marey_skeleton *skeleton = marey_clip_skeleton(clip);
        marey_clip_positions(clip, node->frame, 1, scratch);
        stand_up(skeleton, scratch, out);
        out += 3 * skeleton->joint_count;
    }
}

/* ---- where to draw them ------------------------------------------------------------------------- */

static double dot_row(const float *row, const double *mean, const double *v, int dims)
{
    double sum = 0;
    for (int d = 0; d < dims; d++) sum += ((double)row[d] - mean[d]) * v[d];
    return sum;
}

static double normalise(double *v, int dims)
{
    double sum = 0;
    for (int d = 0; d < dims; d++) sum += v[d] * v[d];
    double length = sqrt(sum);
    for (int d = 0; d < dims && length > 0; d++) v[d] /= length;
    return length;
}

/* One step of the power method, without what lies along `before` (NULL: nothing). */
static double multiply(const float *poses, int count, int dims, const double *mean,
                       const double *before, double *v, double *next)
{
    memset(next, 0, (size_t)dims * sizeof *next);
    for (int i = 0; i < count; i++) {
        const float *row = poses + (size_t)i * (size_t)dims;
        double along = dot_row(row, mean, v, dims);
        for (int d = 0; d < dims; d++) next[d] += along * ((double)row[d] - mean[d]);
    }
    double same = 0;
    for (int d = 0; before && d < dims; d++) same += next[d] * before[d];
    for (int d = 0; before && d < dims; d++) next[d] -= same * before[d];
    memcpy(v, next, (size_t)dims * sizeof *v);
    return normalise(v, dims);
}

static void find_direction(const float *poses, int count, int dims, const double *mean,
                           const double *before, double *v, double *next)
{
    enum { STEPS = 24 }; /* as a picture it need not be exact */
    for (int d = 0; d < dims; d++) v[d] = 1 + 0.1 * (d % 7) - 0.3 * (d % 3);
    normalise(v, dims);
    for (int i = 0; i < STEPS; i++) {
        if (multiply(poses, count, dims, mean, before, v, next) == 0) break;
    }
}

static void put_axis(const float *poses, int count, int dims, const double *mean, const double *v,
                     double *out)
{
    for (int i = 0; i < count; i++)
        out[2 * i] = dot_row(poses + (size_t)i * (size_t)dims, mean, v, dims);
}

/* By one measure, so that what is far apart in one direction is as far in the other. */
static void fit(double *places, int count)
{
    double most = 0;
    for (int i = 0; i < 2 * count; i++) {
        if (fabs(places[i]) > most) most = fabs(places[i]);
    }
    for (int i = 0; i < 2 * count && most > 0; i++) places[i] /= most;
}

void cluster_places(const float *poses, int count, int dims, double *scratch, double *out)
{
    double *mean = scratch, *first = mean + dims, *second = first + dims, *next = second + dims;
    memset(mean, 0, (size_t)dims * sizeof *mean);
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < dims; d++)
            mean[d] += (double)poses[(size_t)i * (size_t)dims + (size_t)d] / count;
    }
    find_direction(poses, count, dims, mean, NULL, first, next);
    find_direction(poses, count, dims, mean, first, second, next);
    put_axis(poses, count, dims, mean, first, out);
    put_axis(poses, count, dims, mean, second, out + 1);
    fit(out, count);
}
