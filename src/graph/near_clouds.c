/* near_clouds.c - the point clouds of all nodes of a graph, and what bounds their distances from
   below: heights, and distances from the middle on the floor, along the directions in which these
   differ most (principal components by orthogonal iteration; any directions at right angles would
   be a bound, these are a good one). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1024, STEPS = 8, AT_ONCE = 256, DIMS = MRY_NEAR_DIMS };

typedef struct maker {
    const mry_bodies *bodies;
    mry_clouds *out;
    int window, before;
    const double *frame_weight;
    int joint_count;
    int *joint; /* that have weight */
    double *root_weight;
    /* 2 points numbers a node */
    double *mean;
    double *axes; /* DIMS x 2 points */
} maker;

static void fill_some(void *user, int64_t job)
{
    const maker *m = user;
    const mry_bodies *b = m->bodies;
    size_t points = (size_t)m->out->points;
    int first = (int)job * AT_ONCE, end = first + AT_ONCE;
    if (end > m->out->nodes) end = m->out->nodes;
    for (int node = first; node < end; node++) {
        float *x = m->out->clouds + (size_t)node * 3 * points, *z = x + points, *y = z + points;
        double mean_x = 0, mean_z = 0, size = 0;
        size_t i = 0;
        for (int pass = 0; pass < 2; pass++) {
            i = 0;
            for (int f = 0; f < m->window; f++) {
                int offset = f - m->before, near = node;
                const int *go = offset < 0 ? b->graph->before : b->graph->next;
                for (int k = 0; k < (offset < 0 ? -offset : offset) && go[near] >= 0; k++)
                    near = go[near];
                const float *at = mry_body(b, near);
                for (int k = 0; k < m->joint_count; k++, i++) {
                    const float *p = at + 3 * m->joint[k];
                    double w = m->root_weight[k] * sqrt(m->frame_weight[f]);
                    if (pass == 0) {
                        mean_x += w * w * p[0];
                        mean_z += w * w * p[2];
                        continue;
                    }
                    x[i] = (float)(w * (p[0] - mean_x));
                    z[i] = (float)(w * (p[2] - mean_z));
                    y[i] = (float)(w * p[1]);
                    size += (double)x[i] * x[i] + (double)z[i] * z[i];
                }
            }
        }
        for (; i < points; i++) x[i] = z[i] = y[i] = 0;
        m->out->size[node] = (float)size;
    }
}

/* ---- what does not change when it is turned -------------------------------------------------- */

static void outline(const maker *m, int node, double *out)
{
    size_t points = (size_t)m->out->points;
    const float *x = m->out->clouds + (size_t)node * 3 * points, *z = x + points, *y = z + points;
    for (size_t i = 0; i < points; i++) {
        out[i] = sqrt((double)x[i] * x[i] + (double)z[i] * z[i]);
        out[points + i] = y[i];
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Gram-Schmidt, twice; a direction that is nothing stays 0, which bounds nothing and harms
   nothing. */
static void straighten(double *axes, size_t size)
{
    for (int r = 0; r < DIMS; r++) {
        double *v = axes + (size_t)r * size;
        for (int pass = 0; pass < 2; pass++) {
            for (int q = 0; q < r; q++) {
                const double *w = axes + (size_t)q * size;
                double t = dot(w, v, size);
                for (size_t i = 0; i < size; i++) v[i] -= t * w[i];
            }
            double length = dot(v, v, size), scale = length > 1e-12 ? 1 / sqrt(length) : 0;
            for (size_t i = 0; i < size; i++) v[i] *= scale;
        }
    }
}

static bool learn(maker *m)
{
    size_t size = 2 * (size_t)m->out->points;
    int count = m->out->nodes < SAMPLES ? m->out->nodes : SAMPLES;
    mry_arena tmp = mry_arena_make(m->bodies->graph->ctx);
    double *rows = MRY_NEW(&tmp, double, (size_t)count *size);
    double *next = MRY_NEW(&tmp, double, DIMS *size);
    if (rows && next) {
        for (int n = 0; n < count; n++)
            outline(m, (int)((int64_t)n * m->out->nodes / count), rows + (size_t)n * size);
        /* Their mean. */
        memset(m->mean, 0, size * sizeof *m->mean);
        for (int n = 0; n < count; n++) {
            for (size_t i = 0; i < size; i++) m->mean[i] += rows[(size_t)n * size + i] / count;
        }
        for (int n = 0; n < count; n++) {
            for (size_t i = 0; i < size; i++) rows[(size_t)n * size + i] -= m->mean[i];
        }
        /* Rows have the mean taken off. */
        for (int r = 0; r < DIMS; r++)
            memcpy(m->axes + (size_t)r * size, rows + (size_t)((int64_t)r * count / DIMS) * size,
                   size * sizeof *rows);
        straighten(m->axes, size);
        for (int step = 0; step < STEPS; step++) {
            memset(next, 0, DIMS * size * sizeof *next);
            for (int n = 0; n < count; n++) {
                const double *row = rows + (size_t)n * size;
                for (int r = 0; r < DIMS; r++) {
                    double t = dot(row, m->axes + (size_t)r * size, size);
                    for (size_t i = 0; i < size; i++) next[(size_t)r * size + i] += t * row[i];
                }
            }
            straighten(next, size);
            memcpy(m->axes, next, DIMS * size * sizeof *next);
        }
    }
    mry_arena_free(&tmp);
    return rows && next;
}

static void project_some(void *user, int64_t i)
{
    enum { MOST = 2048 };
    const maker *m = user;
    size_t size = 2 * (size_t)m->out->points;
    double row[MOST];
    int from = (int)i * AT_ONCE, to = from + AT_ONCE;
    if (to > m->out->nodes) to = m->out->nodes;
    for (int n = from; n < to; n++) {
        float *low = m->out->low + (size_t)n * DIMS;
        if (size > MOST) {
            memset(low, 0, DIMS * sizeof *low); /* bounds nothing */
            continue;
        }
        outline(m, n, row);
        for (size_t k = 0; k < size; k++) row[k] -= m->mean[k];
        for (int r = 0; r < DIMS; r++) low[r] = (float)dot(row, m->axes + (size_t)r * size, size);
    }
}

marey_status mry_clouds_open(mry_clouds *out, mry_arena *mem, const mry_bodies *bodies,
                             marey_error *error)
{
    const marey_graph *graph = bodies->graph;
    const marey_clip *motion = graph->motion;
    marey_metric_def metric = graph->metric;
    marey_layout *layout = NULL;
    metric.fps = graph->fps;
    maker m = { .bodies = bodies,
                .out = out,
                .joint = MRY_NEW(mem, int, bodies->joints),
                .root_weight = MRY_NEW(mem, double, bodies->joints) };
    if (!m.joint || !m.root_weight) return mry_fail_memory(error, NULL);
    for (int j = 0; j < bodies->joints; j++) {
        if (bodies->weight[j] == 0) continue;
        m.joint[m.joint_count] = j;
        m.root_weight[m.joint_count++] = sqrt((double)bodies->weight[j]);
    }
    marey_status status =
        marey_layout_build_bodies(graph->ctx, &motion, 1, &metric, &layout, error);
    if (!status) {
        m.window = layout->window;
        m.before = layout->before;
        m.frame_weight = layout->frame_weight;
        out->nodes = graph->nodes;
        out->points = (m.window * m.joint_count + 3) / 4 * 4;
        size_t nodes = (size_t)out->nodes, points = (size_t)out->points;
        out->clouds = MRY_NEW_RAW(mem, float, nodes * 3 * points);
        out->size = MRY_NEW_RAW(mem, float, nodes);
        out->low = MRY_NEW_RAW(mem, float, nodes *DIMS);
        m.mean = MRY_NEW(mem, double, 2 * points);
        m.axes = MRY_NEW(mem, double, DIMS * 2 * points);
        if (!out->clouds || !out->size || !out->low || !m.mean || !m.axes)
            status = mry_fail_memory(error, NULL);
    }
    if (!status) {
        int64_t jobs = (out->nodes + AT_ONCE - 1) / AT_ONCE;
        marey_ctx_run(graph->ctx, jobs, fill_some, &m);
        if (!learn(&m))
            status = mry_fail_memory(error, NULL);
        else
            marey_ctx_run(graph->ctx, jobs, project_some, &m);
    }
    marey_layout_free(layout);
    return status;
}
