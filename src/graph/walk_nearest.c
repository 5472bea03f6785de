/* walk_nearest.c - what it costs to get from some nodes to all others. Dijkstra 1959, with a heap that knows where each node
   lies in it. Equal costs go by the nodes' numbers, so that there is one answer. */
#include "graph/walk_data.h"

#include <math.h>
#include <string.h>

enum { ASK_EVERY = 4096 };

bool mry_nearest_open(mry_nearest *near, mry_arena *mem, const marey_graph *graph)
{
    size_t nodes = (size_t)graph->nodes;
    *near = (mry_nearest){ .cost = MRY_NEW_RAW(mem, double, nodes),
                           .came = MRY_NEW_RAW(mem, int, nodes),
                           .heap = MRY_NEW_RAW(mem, int, nodes),
                           .at = MRY_NEW_RAW(mem, int, nodes),
                           .ctx = mem->ctx };
    if (!near->cost || !near->came || !near->heap || !near->at) return false;
    mry_nearest_clear(near, graph);
    return true;
}

void mry_nearest_clear(mry_nearest *near, const marey_graph *graph)
{
    for (int n = 0; n < graph->nodes; n++) {
        near->cost[n] = INFINITY;
        near->came[n] = -1;
    }
}

static bool is_less(const mry_nearest *near, int a, int b)
{
    return near->cost[a] != near->cost[b] ? near->cost[a] < near->cost[b] : a < b;
}

static void put(mry_nearest *near, int place, int node)
{
    near->heap[place] = node;
    near->at[node] = place;
}

static void rise(mry_nearest *near, int node)
{
    int place = near->at[node];
    while (place > 0) {
        int above = (place - 1) / 2;
        if (!is_less(near, node, near->heap[above])) break;
        put(near, place, near->heap[above]);
        place = above;
    }
    put(near, place, node);
}

static void sink(mry_nearest *near, int node)
{
    int place = near->at[node];
    for (;;) {
        int below = 2 * place + 1;
        if (below >= near->count) break;
        if (below + 1 < near->count && is_less(near, near->heap[below + 1], near->heap[below]))
            below++;
        if (!is_less(near, near->heap[below], node)) break;
        put(near, place, near->heap[below]);
        place = below;
    }
    put(near, place, node);
}

static int take_first(mry_nearest *near)
{
    int first = near->heap[0], last = near->heap[--near->count];
    if (near->count > 0) {
        put(near, 0, last);
        sink(near, last);
    }
    near->at[first] = -1;
    return first;
}

static void reach(mry_nearest *near, int from, mry_step step)
{
    double cost = near->cost[from] + step.cost;
    if (!(cost < near->cost[step.to])) return;
    if (near->at[step.to] < 0) near->at[step.to] = near->count++;
    near->cost[step.to] = cost;
    near->came[step.to] = from;
    rise(near, step.to);
}

int mry_nearest_run(mry_nearest *near, const mry_ways *ways, const uint8_t *goals)
{
    const marey_graph *graph = ways->graph;
    near->count = 0;
    for (int n = 0; n < graph->nodes; n++) near->at[n] = -1;
    for (int n = 0; n < graph->nodes; n++) {
        if (near->cost[n] == INFINITY) continue;
        near->at[n] = near->count++;
        rise(near, n);
    }
    while (near->count > 0) {
        int node = take_first(near), steps = mry_step_count(graph, node);
        if (near->expanded++ % ASK_EVERY == 0 && mry_cancelled(near->ctx)) return -1;
        if (goals && goals[node]) return node;
        for (int k = 0; k < steps; k++) {
            mry_step step = mry_step_at(ways, node, k);
            if (step.to >= 0) reach(near, node, step);
        }
    }
    return -1;
}
