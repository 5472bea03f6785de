/* demo_graph.h - takes of the demo and their motion graph, as a fixture, and what is measured of
   clips that were made of them. */
#ifndef MAREY_TEST_DEMO_GRAPH_H
#define MAREY_TEST_DEMO_GRAPH_H

#include "frame_measures.h"

#include "graph/walk_data.h"
#include "math/quat.h"

#include <math.h>

enum { MOST_JOINTS = 64, MOST_TAKES = 4 };

typedef struct demo_graph {
    marey_ctx *ctx;
    int count;
    marey_demo_take *takes[MOST_TAKES];
    const marey_clip *clips[MOST_TAKES];
    marey_graph *graph; /* NULL where only the clips are needed */
} demo_graph;

/* The takes without a graph. */
static inline demo_graph *demo_graph_takes(const char *const *names, int count)
{
    static demo_graph f;
    f = (demo_graph){ .ctx = test_ctx(), .count = count };
    for (int i = 0; i < count; i++) {
        f.takes[i] = test_demo_take(f.ctx, names[i]);
        f.clips[i] = marey_demo_clip(f.takes[i]);
    }
    return &f;
}

static inline marey_graph *demo_graph_build(marey_ctx *ctx, const marey_clip *const *clips,
                                            int count, const marey_graph_def *def)
{
    marey_graph *graph = NULL;
    marey_error error = { 0 };
    test_fine(marey_graph_build(ctx, clips, count, NULL, def, &graph, &error), &error);
    return graph;
}

static inline int demo_graph_tear_down(void **state)
{
    demo_graph *f = *state;
    marey_graph_free(f->graph);
    for (int i = 0; i < f->count; i++) marey_demo_free(f->takes[i]);
    marey_ctx_close(f->ctx);
    return 0;
}

/* A walk of so many frames. */
static inline marey_walk rove(marey_ctx *ctx, const marey_graph *graph, int frames, uint64_t seed)
{
    marey_walk walk = { 0 };
    marey_error error = { 0 };
    marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = frames, .seed = seed };
    test_fine(marey_graph_walk(ctx, graph, &def, &walk, &error), &error);
    return walk;
}

/* The largest distance of a joint, cm. */
static inline double joints_apart(const double *p, const double *q, int joints)
{
    double most = 0;
    for (int k = 0; k < 3 * joints; k += 3) most = fmax(most, mry_distance3(p + k, q + k));
    return most;
}

#endif
