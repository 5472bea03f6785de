/* walk_ways.c - where a walk may go: the core of a graph, or of it what is done in some styles. Of
   these the largest strongly connected component, so that there always is a way on. What it costs
   to get there, and keeping what was found. */
#include "base/binary_heap.h"
#include "base/fail.h"
#include "graph/walk_data.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

marey_status mry_walk_label(const marey_graph *graph, const char *label, int *out,
                            marey_error *error)
{
    for (int i = 0; i < graph->label_count; i++) {
        if (strcmp(graph->labels[i], label) != 0) continue;
        *out = i;
        return MAREY_OK;
    }
    /* The message names those there are. */
    char known[256] = "";
    size_t used = 0;
    for (int i = 0; i < graph->label_count && used + 1 < sizeof known; i++) {
        char one[64];
        mry_quote(one, sizeof one, graph->labels[i], strlen(graph->labels[i]));
        size_t length = strlen(one);
        if (used + length + 3 > sizeof known) break;
        if (i) used += (size_t)(stpcpy(known + used, ", ") - (known + used));
        memcpy(known + used, one, length + 1);
        used += length;
    }
    char wanted[64];
    mry_quote(wanted, sizeof wanted, label, strlen(label));
    if (graph->label_count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no frame is labelled %s: this graph was built without labels", wanted);
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no frame is labelled %s; there are: %s",
                    wanted, known);
}

/* May a walk begin with, or end with (`act`), this node? REQUEST: no. */
static marey_status check_end(const mry_ways *ways, bool begins, int node, marey_error *error)
{
    const marey_graph *graph = ways->graph;
    const char *act = begins ? "begin with" : "end with";
    if (node < 0 || node >= graph->nodes)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a walk cannot %s node %d: the graph has 0-%d", act, node,
                        graph->nodes - 1);
    if (begins ? mry_dwell_begin(graph, &ways->dwell, node) >= 0 : ways->dwell.free[node])
        return MAREY_OK;
    if (!graph->dwell.passed[node])
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a walk cannot %s node %d: it is not in the largest part of the graph "
                        "in which everything can be reached",
                        act, node);
    if (begins ? mry_dwell_begin(graph, &graph->dwell, node) < 0 : !graph->dwell.free[node])
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a walk cannot %s node %d: there is no room for a piece of %g s", act, node,
                        ways->dwell.least / graph->fps);
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a walk cannot %s node %d and keep to the styles and the dwell", act, node);
}

/* Bytes of the nodes that walks pass and that have one of the styles; NULL: all. */
static marey_status find_styled(mry_arena *mem, const marey_graph *graph, const marey_walk_def *def,
                                uint8_t **out, marey_error *error)
{
    uint64_t styles = 0; /* a bit for each */
    *out = NULL;
    for (int i = 0; i < def->style_count; i++) {
        int number = 0;
        marey_status status = mry_walk_label(graph, def->styles[i], &number, error);
        if (status) return status;
        styles |= UINT64_C(1) << number;
    }
    if (!styles) return MAREY_OK;
    *out = MRY_NEW_RAW(mem, uint8_t, graph->nodes);
    if (!*out) return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes; n++)
        (*out)[n] = graph->dwell.passed[n] && (graph->labelled[n] & styles);
    return MAREY_OK;
}

marey_status mry_ways_open(mry_ways *ways, mry_arena *mem, const marey_graph *graph,
                           const marey_walk_def *def, marey_error *error)
{
    double threshold = graph->def.threshold, smoothness = graph->def.smoothness;
    *ways = (mry_ways){ .graph = graph,
                        .dwell = graph->dwell,
                        .frame = 1 - smoothness,
                        .per_distance = threshold > 0 ? smoothness / threshold : 0 };
    if (!(def->dwell_s <= MAREY_GRAPH_MOST_DWELL))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "dwell must be at most %g s, got %g",
                        MAREY_GRAPH_MOST_DWELL, def->dwell_s);
    int least = def->dwell_s == 0 ? graph->dwell.least : mry_dwell_frames(graph, def->dwell_s);
    uint8_t *styled;
    marey_status status = find_styled(mem, graph, def, &styled, error);
    for (int i = 0; i < def->barred_count && !status; i++) {
        if (def->barred[i] < 0 || def->barred[i] >= graph->transition_count)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no transition %d to bar",
                              def->barred[i]);
    }
    if (!status && (styled || def->barred_count > 0 || least != graph->dwell.least)) {
        /* Of nodes with a style, with another dwell or fewer transitions, only the largest component
           stays. */
        status = mry_dwell_find(graph, mem, least, INFINITY, styled, def->barred, def->barred_count,
                                &ways->dwell, error);
        if (!status && ways->dwell.free_count < 2)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                              styled ? "with frames of these styles alone there is no way on"
                                     : "with so long a dwell there is no way on");
    }
    if (!status && def->from_given) status = check_end(ways, true, def->from, error);
    if (!status && def->to_given) status = check_end(ways, false, def->to, error);
    return status;
}

/* ---- least costs ---------------------------------------------------------------------------- */

/* What it costs to get from some nodes to all others. Dijkstra 1959, with a heap that knows where
   each node lies in it. Equal costs go by the nodes' numbers, so that there is one answer. */

enum { ASK_EVERY = 4096 };

bool mry_nearest_open(mry_nearest *near, mry_arena *mem, const marey_graph *graph)
{
    size_t nodes = (size_t)graph->nodes;
    *near = (mry_nearest){ .cost = MRY_NEW_RAW(mem, double, nodes),
                           .came = MRY_NEW_RAW(mem, int, nodes),
                           .over = MRY_NEW_RAW(mem, int, nodes),
                           .heap = MRY_NEW_RAW(mem, int, nodes),
                           .at = MRY_NEW_RAW(mem, int, nodes),
                           .ctx = mem->ctx };
    if (!near->cost || !near->came || !near->over || !near->heap || !near->at) return false;
    mry_nearest_clear(near, graph);
    return true;
}

void mry_nearest_clear(mry_nearest *near, const marey_graph *graph)
{
    for (int n = 0; n < graph->nodes; n++) {
        near->cost[n] = INFINITY;
        near->came[n] = near->over[n] = -1;
    }
}

static bool is_less(const void *user, const void *left, const void *right)
{
    const double *cost = ((const mry_nearest *)user)->cost;
    int a = *(const int *)left, b = *(const int *)right;
    return cost[a] != cost[b] ? cost[a] < cost[b] : a < b;
}

static void note_place(void *user, const void *node, int place)
{
    ((mry_nearest *)user)->at[*(const int *)node] = place;
}

int mry_nearest_run(mry_nearest *near, const mry_ways *ways, const uint8_t *goals)
{
    const marey_graph *graph = ways->graph;
    mry_heap heap = { near->heap, 0, sizeof *near->heap, is_less, note_place, near };
    for (int n = 0; n < graph->nodes; n++) near->at[n] = -1;
    for (int n = 0; n < graph->nodes; n++) {
        if (near->cost[n] != INFINITY) mry_heap_push(&heap, &n);
    }
    for (int node; mry_heap_pop(&heap, &node);) {
        int steps = mry_step_count(graph, node);
        near->at[node] = -1;
        if (near->expanded++ % ASK_EVERY == 0 && mry_cancelled(near->ctx)) return -1;
        if (goals && goals[node]) return node;
        for (int k = 0; k < steps; k++) {
            mry_step step = mry_step_at(ways, node, k);
            double cost = near->cost[node] + step.cost;
            if (step.to < 0 || !(cost < near->cost[step.to])) continue;
            /* It is cheaper by way of this node. */
            near->cost[step.to] = cost;
            near->came[step.to] = node;
            near->over[step.to] = step.transition;
            int place = near->at[step.to] < 0 ? heap.count++ : near->at[step.to];
            mry_heap_raise(&heap, place, &step.to);
        }
    }
    return -1;
}

/* ---- handing a walk back -------------------------------------------------------------------- */

int mry_walk_back(const marey_graph *graph, int over, int to, int *nodes, int at)
{
    int first = over >= 0 ? graph->transitions[over].to : to;
    for (int n = to;; n = graph->before[n]) {
        at--;
        if (nodes) nodes[at] = n;
        if (n == first) return at;
    }
}

marey_status mry_walk_keep(marey_ctx *ctx, const mry_ways *ways, const int *nodes, int count,
                           marey_walk *out, marey_error *error)
{
    const marey_graph *graph = ways->graph;
    size_t bytes = (size_t)count * sizeof *nodes;
    int *copy = mry_alloc(ctx, bytes);
    if (!copy) return mry_fail_memory(error, NULL);
    memcpy(copy, nodes, bytes);
    out->ctx = ctx;
    out->nodes = copy;
    out->bytes = bytes;
    out->count = count;
    out->cost = 0;
    for (int k = 1; k < count; k++) {
        int step = mry_walk_step(graph, nodes[k - 1], nodes[k]);
        double distance = step >= 0 ? (double)graph->transitions[step].distance : 0;
        out->cost += ways->frame + ways->per_distance * distance;
    }
    return MAREY_OK;
}

marey_status mry_walk_keep_bends(marey_walk *walk, const double *bends, marey_error *error)
{
    size_t bytes = (size_t)walk->count * sizeof *bends;
    walk->bends = mry_alloc(walk->ctx, bytes);
    if (!walk->bends) return mry_fail_memory(error, NULL);
    memcpy(walk->bends, bends, bytes);
    return MAREY_OK;
}

void marey_walk_free(marey_walk *walk)
{
    if (!walk) return;
    if (walk->bends) mry_release(walk->ctx, walk->bends, (size_t)walk->count * sizeof(double));
    if (walk->nodes) mry_release(walk->ctx, walk->nodes, walk->bytes);
    *walk = (marey_walk){ 0 };
}

mry_floor mry_walk_laid(const marey_graph *graph, const marey_walk *walk, int f, mry_floor before)
{
    int from = walk->nodes[f - 1], step = mry_walk_step(graph, from, walk->nodes[f]);
    mry_floor at = before;
    if (step >= 0) {
        at = mry_floor_times(at, graph->places[step]);
        at.angle = remainder(at.angle, 2 * PI);
    }
    if (walk->bends && walk->bends[f] != 0) {
        mry_vec body = mry_node_at(graph, from);
        mry_floor_apply(before, &body.x, &body.z);
        at = mry_floor_about(at, walk->bends[f], body.x, body.z);
    }
    return at;
}

int marey_walk_frame(const marey_graph *graph, int frame, double fps)
{
    return (int)fmin(ceil(frame * (fps / graph->fps) - MRY_WALK_WHOLE), MRY_MOST_FRAMES);
}
