/* components.c - strongly connected components (Tarjan 1972), without recursion: a graph of a
   million frames is a path of a million steps. Each node is put on the path, its arcs are followed
   one by one, and where nothing in it leads further back than itself, what lies above it on the
   stack is a component. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const mry_arcs *arcs;
    int *order; /* when a node was reached, from 1 on; 0: not yet */
    int *low;   /* the earliest that it leads back to */
    int *at;    /* the arc to follow next; first - 1 is that to `next` */
    int *path, *stack;
    int depth, height, reached, found;
} search;

static bool used(const mry_arcs *arcs, int node)
{
    return !arcs->use || arcs->use[node];
}

static void enter(search *s, int node)
{
    s->order[node] = s->low[node] = ++s->reached;
    s->at[node] = s->arcs->first[node] - 1;
    s->path[s->depth++] = node;
    s->stack[s->height++] = node;
}

int mry_components(mry_arena *tmp, const mry_arcs *arcs, int *component)
{
    int *room = MRY_NEW(tmp, int, 5 * (size_t)arcs->nodes + 1);
    if (!room) return -1;
    size_t n = (size_t)arcs->nodes;
    search s = { .arcs = arcs,
                 .order = room,
                 .low = room + n,
                 .at = room + 2 * n,
                 .path = room + 3 * n,
                 .stack = room + 4 * n };
    for (int node = 0; node < arcs->nodes; node++) component[node] = -1;
    for (int node = 0; node < arcs->nodes; node++) {
        if (!used(arcs, node) || s.order[node] != 0) continue;
        /* Depth first, without recursion. */
        enter(&s, node);
        while (s.depth > 0) {
            /* The next arc to a node that is there; -1: none is left. */
            int at = s.path[s.depth - 1], to = -1;
            while (s.at[at] < arcs->first[at + 1] && (to < 0 || !used(arcs, to))) {
                int i = s.at[at]++;
                to = i >= arcs->first[at] ? arcs->to[i] : arcs->next ? arcs->next[at] : -1;
            }
            if (to < 0 || !used(arcs, to)) {
                s.depth--;
                if (s.low[at] == s.order[at]) {
                    /* What is on the stack above it is one component. */
                    for (int top = -1; top != at;) {
                        top = s.stack[--s.height];
                        component[top] = s.found;
                    }
                    s.found++;
                }
                int from = s.depth > 0 ? s.path[s.depth - 1] : at;
                if (s.low[at] < s.low[from]) s.low[from] = s.low[at];
            } else if (s.order[to] == 0) {
                enter(&s, to);
            } else if (component[to] < 0 && s.order[to] < s.low[at]) {
                s.low[at] = s.order[to];
            }
        }
    }
    return s.found;
}

/* ---- of a motion graph ----------------------------------------------------------------------- */

bool mry_graph_arcs(const marey_graph *graph, mry_arena *mem, double threshold, mry_arcs *out)
{
    int *first = MRY_NEW_RAW(mem, int, (size_t)graph->nodes + 1);
    int *to = MRY_NEW_RAW(mem, int, (size_t)graph->transition_count + 1);
    if (!first || !to) return false;
    int count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        first[n] = count;
        for (int i = graph->leaving[n]; i < graph->leaving[n + 1]; i++) {
            if (graph->transitions[i].distance < threshold) to[count++] = graph->transitions[i].to;
        }
    }
    first[graph->nodes] = count;
    *out = (mry_arcs){ .nodes = graph->nodes, .first = first, .to = to, .next = graph->next };
    return true;
}

marey_status mry_graph_find_core(marey_graph *graph, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_arcs arcs;
    int *component = MRY_NEW_RAW(&tmp, int, graph->nodes), found = -1, *size = NULL;
    if (component && mry_graph_arcs(graph, &tmp, INFINITY, &arcs))
        found = mry_components(&tmp, &arcs, component);
    if (found >= 0) size = MRY_NEW(&tmp, int, (size_t)found + 1);
    if (size) {
        int best = -1;
        for (int n = 0; n < graph->originals; n++) size[component[n]]++;
        for (int n = 0; n < graph->originals; n++) {
            if (best < 0 || size[component[n]] > size[best]) best = component[n];
        }
        graph->core_count = 0;
        for (int n = 0; n < graph->nodes; n++) {
            graph->core[n] = component[n] == best;
            graph->core_count += graph->core[n];
        }
    }
    mry_arena_free(&tmp);
    return size ? MAREY_OK : mry_fail_memory(error, NULL);
}
