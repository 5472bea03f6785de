/* components.c - strongly connected components (Tarjan 1972), without recursion: a graph of a
   million frames is a path of a million steps. Each node is put on the path, its arcs are followed
   one by one, and where nothing in it leads further back than itself, what lies above it on the
   stack is a component. */
#include "graph/graph_data.h"

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
