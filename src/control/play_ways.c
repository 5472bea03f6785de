/* play_ways.c - the best way from every node to where something can be done that a controller was
   asked for: found backwards from there, by least time, with what a transition costs for being less
   smooth than another (Dijkstra 1959). */
#include "base/binary_heap.h"
#include "control/play.h"

/* What a transition at the ceiling costs, seconds: so long one goes on for a perfect one. */
#define POOR_S 0.5

double mry_play_cost(const marey_graph *graph, double distance)
{
    return POOR_S * graph->fps * distance / MAREY_FAMILY_CEILING;
}

typedef struct waiting {
    double cost;
    int node;
} waiting;

static bool is_before(const void *user, const void *left, const void *right)
{
    const waiting *a = left, *b = right;
    (void)user;
    return a->cost < b->cost || (a->cost == b->cost && a->node < b->node);
}

/* The arcs that lead to each free node: the transition, or -1: it is the next of its sequence. */
typedef struct arriving {
    int *first, *from, *over;
} arriving;

static bool list_arriving(const marey_graph *graph, mry_arena *tmp, arriving *out)
{
    const mry_dwell *dwell = &graph->dwell;
    size_t nodes = (size_t)graph->nodes, arcs = nodes + (size_t)graph->transition_count;
    *out = (arriving){ MRY_NEW(tmp, int, nodes + 2), MRY_NEW_RAW(tmp, int, arcs + 1),
                       MRY_NEW_RAW(tmp, int, arcs + 1) };
    if (!out->first || !out->from || !out->over) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < graph->nodes; n++) {
            if (!dwell->free[n]) continue;
            for (int i = graph->leaving[n] - 1; i < graph->leaving[n + 1]; i++) {
                int over = i < graph->leaving[n] ? -1 : i;
                int to = over < 0 ? graph->next[n] : dwell->lands[i];
                if (to < 0 || !dwell->free[to]) continue;
                if (pass == 0) {
                    out->first[to + 2]++;
                    continue;
                }
                int at = out->first[to + 1]++;
                out->from[at] = n;
                out->over[at] = over;
            }
        }
        for (int n = 0; n < graph->nodes && pass == 0; n++) out->first[n + 2] += out->first[n + 1];
    }
    return true;
}

bool mry_play_ways(const marey_graph *graph, mry_arena *tmp, double *cost, int *way, int *begins)
{
    arriving arcs;
    if (!list_arriving(graph, tmp, &arcs)) return false;
    size_t room = 2 * (size_t)graph->nodes + (size_t)graph->transition_count;
    waiting *items = MRY_NEW_RAW(tmp, waiting, room);
    if (!items) return false;
    mry_heap heap = { items, 0, sizeof *items, is_before, NULL, NULL };
    for (int n = 0; n < graph->nodes; n++) {
        if (isfinite(cost[n])) mry_heap_push(&heap, &(waiting){ cost[n], n });
    }
    for (waiting now; mry_heap_pop(&heap, &now);) {
        if (now.cost > cost[now.node]) continue;
        for (int k = arcs.first[now.node]; k < arcs.first[now.node + 1]; k++) {
            int from = arcs.from[k], over = arcs.over[k];
            double more = over < 0 ? 1 : mry_dwell_stay(graph, over, graph->dwell.least);
            if (over >= 0) more += mry_play_cost(graph, (double)graph->transitions[over].distance);
            if (!(now.cost + more < cost[from])) continue;
            cost[from] = now.cost + more;
            way[from] = over;
            if (begins) begins[from] = -1;
            mry_heap_push(&heap, &(waiting){ cost[from], from });
        }
    }
    return true;
}
