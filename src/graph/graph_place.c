/* graph_place.c - where the joints of all nodes are, and how one node is laid on another: the turn about the vertical and
   the shift on the floor that bring the weighted point clouds of a few frames around both closest (Kovar & Gleicher
   2003, eq. 2-4). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

enum { AROUND = 2 };

/* ---- where the joints are ---------------------------------------------------------------------------- */

typedef struct posing {
    const mry_bodies *bodies;
    int at_once;
} posing;

static void pose_some(void *user, int64_t i)
{
    const posing *p = user;
    const marey_graph *g = p->bodies->graph;
    int first = (int)i * p->at_once, count = g->nodes - first;
    if (count > p->at_once) count = p->at_once;
    size_t row = (size_t)p->bodies->joints * 3;
    float *at = p->bodies->positions + (size_t)first * row;
    marey_clip_positions_float(g->motion, first, count, at);
    /* A root that stays goes with the body: laid on another it would be metres away. */
    for (int n = 0; n < count && g->body.joint > 0; n++, at += row)
        memcpy(at, at + 3 * g->body.joint, 3 * sizeof *at);
}

/* The metric's joint weights, as its layout has them. */
static marey_status find_weights(mry_bodies *bodies, marey_error *error)
{
    const marey_graph *g = bodies->graph;
    const marey_clip *motion = g->motion;
    marey_metric_def metric = g->metric;
    marey_layout *layout = NULL;
    metric.fps = g->fps;
    marey_status status = marey_layout_build_bodies(g->ctx, &motion, 1, &metric, &layout, error);
    for (int i = 0; !status && i < layout->joints; i++)
        bodies->weight[layout->joint[i]] += (float)layout->weight[i];
    marey_layout_free(layout);
    return status;
}

/* At least one, however slow the clips are, and as many as a graph has room to note. */
static int frames_spread(const marey_graph *graph)
{
    return (int)fmin(fmax(round(graph->def.spread_s * graph->fps), 1), UINT8_MAX);
}

marey_status mry_bodies_open(mry_bodies *bodies, mry_arena *mem, const marey_graph *graph,
                             marey_error *error)
{
    int joints = graph->motion->skeleton.joint_count;
    *bodies = (mry_bodies){ .graph = graph,
                            .joints = joints,
                            .half = frames_spread(graph),
                            .still_cm = MAREY_GRAPH_STILL / graph->fps };
    bodies->weight = MRY_NEW(mem, float, joints);
    bodies->positions = MRY_NEW_RAW(mem, float, (size_t)graph->nodes *(size_t)joints * 3);
    if (!bodies->weight || !bodies->positions) return mry_fail_memory(error, NULL);
    posing work = { bodies, 256 };
    marey_ctx_run(graph->ctx, (graph->nodes + work.at_once - 1) / work.at_once, pose_some, &work);
    return find_weights(bodies, error);
}

/* ---- one on another ---------------------------------------------------------------------------------- */

/* Sums over the points of both clouds; the second's are those with a 2. */
typedef struct sums {
    double weight;
    double x, z, x2, z2;
    double dot, cross; /* of w (x x2 + z z2), w (x z2 - z x2) */
} sums;

static void add_frame(const mry_bodies *b, int first, int second, sums *s)
{
    const float *p = mry_body(b, first), *q = mry_body(b, second);
    for (int j = 0; j < b->joints; j++, p += 3, q += 3) {
        double w = b->weight[j];
        if (w == 0) continue;
        s->weight += w;
        s->x += w * p[0];
        s->z += w * p[2];
        s->x2 += w * q[0];
        s->z2 += w * q[2];
        s->dot += w * ((double)p[0] * q[0] + (double)p[2] * q[2]);
        s->cross += w * ((double)p[0] * q[2] - (double)p[2] * q[0]);
    }
}

mry_floor mry_graph_lay(const mry_bodies *bodies, int a, int b)
{
    const marey_graph *g = bodies->graph;
    sums s = { 0 };
    add_frame(bodies, a, b, &s);
    for (int side = 0; side < 2; side++) {
        const int *go = side ? g->next : g->before;
        for (int k = 0, i = a, j = b; k < AROUND; k++) {
            i = go[i] >= 0 ? go[i] : i;
            j = go[j] >= 0 ? go[j] : j;
            add_frame(bodies, i, j, &s);
        }
    }
    double across = s.cross - (s.x * s.z2 - s.z * s.x2) / s.weight;
    double along = s.dot - (s.x * s.x2 + s.z * s.z2) / s.weight;
    mry_floor lay = { .angle = atan2(across, along) };
    double x = s.x2 / s.weight, z = s.z2 / s.weight;
    mry_floor_turn(lay.angle, &x, &z);
    lay.x = s.x / s.weight - x;
    lay.z = s.z / s.weight - z;
    return lay;
}
