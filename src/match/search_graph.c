/* search_graph.c - a match graph as it is handed out: matches by their least sum of edges to the query (Dijkstra 1959),
   and the cells of edges unpacked when asked for. */
#include "match/search_graph.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order ------------------------------------------------------------------------------------------ */

static void relax(mry_grower *g, int node)
{
    double so_far = mry_node_at(g, node)->found.path_distance;
    for (int e = mry_node_at(g, node)->first_edge; e >= 0;) {
        const mry_edge *edge = mry_edge_at(g, e);
        bool out = edge->edge.from == node;
        marey_found *other = &mry_node_at(g, out ? edge->edge.to : edge->edge.from)->found;
        double sum = so_far + edge->edge.distance;
        if (sum < other->path_distance) other->path_distance = sum;
        e = edge->next[!out];
    }
}

/* order[0 .. done) are finished. The nearest of the others is looked for among all: that is as many steps as there are pairs of
   nodes, of which most have an edge anyway. */
static void find_distances(mry_grower *g)
{
    int *order = g->order.items, count = g->nodes.count;
    for (int i = 0; i < count; i++) {
        order[i] = i;
        mry_node_at(g, i)->found.path_distance = i == 0 ? 0 : INFINITY;
    }
    for (int done = 0; done < count; done++) {
        int least = done;
        for (int k = done + 1; k < count; k++) {
            if (mry_node_at(g, order[k])->found.path_distance <
                mry_node_at(g, order[least])->found.path_distance) {
                least = k;
            }
        }
        int node = order[least];
        order[least] = order[done];
        order[done] = node;
        relax(g, node);
    }
}

typedef struct placed {
    marey_found found;
    int node;
} placed;

static int by_distance(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if ((a->node == 0) != (b->node == 0)) return a->node == 0 ? -1 : 1;
    const marey_found *x = &a->found, *y = &b->found;
    if (x->path_distance != y->path_distance) return x->path_distance < y->path_distance ? -1 : 1;
    if (x->at.clip != y->at.clip) return x->at.clip < y->at.clip ? -1 : 1;
    if (x->at.start != y->at.start) return x->at.start < y->at.start ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

bool mry_grower_arrange(mry_grower *g)
{
    int count = g->nodes.count;
    if (!mry_list_room(g->ctx, &g->order, count, sizeof(int)) ||
        !mry_list_room(g->ctx, &g->founds, count, sizeof(marey_found)))
        return false;
    mry_list sorted = { 0 };
    if (!mry_list_room(g->ctx, &sorted, count, sizeof(placed))) return false;
    find_distances(g);
    placed *all = sorted.items;
    for (int i = 0; i < count; i++) all[i] = (placed){ mry_node_at(g, i)->found, i };
    qsort(all, (size_t)count, sizeof *all, by_distance);
    for (int i = 0; i < count; i++) {
        ((marey_found *)g->founds.items)[i] = all[i].found;
        ((int *)g->order.items)[i] = all[i].node;
    }
    mry_list_free(g->ctx, &sorted);
    return true;
}

/* ---- handing out ------------------------------------------------------------------------------------------- */

static bool take_room(marey_match_graph *graph, const mry_grower *g, int **place)
{
    mry_arena *mem = &graph->mem;
    graph->founds = MRY_NEW_RAW(mem, marey_found, graph->found_count);
    graph->edges = MRY_NEW_RAW(mem, marey_match_edge, graph->edge_count);
    graph->steps_start = MRY_NEW_RAW(mem, int, graph->edge_count);
    graph->begin = MRY_NEW_RAW(mem, marey_cell, graph->edge_count);
    graph->rates = MRY_NEW_RAW(mem, mry_rates, graph->edge_count);
    graph->steps = MRY_NEW_RAW(mem, uint8_t, g->steps.count);
    *place = MRY_NEW_RAW(mem, int, graph->found_count);
    return graph->founds && graph->edges && graph->steps_start && graph->begin && graph->rates &&
           graph->steps && *place;
}

static void fill(marey_match_graph *graph, const mry_grower *g, int *place)
{
    const int *order = g->order.items;
    for (int i = 0; i < graph->found_count; i++) {
        graph->founds[i] = ((const marey_found *)g->founds.items)[i];
        place[order[i]] = i;
    }
    for (int i = 0; i < graph->edge_count; i++) {
        const mry_edge *edge = mry_edge_at(g, i);
        graph->edges[i] = edge->edge;
        graph->edges[i].from = place[edge->edge.from];
        graph->edges[i].to = place[edge->edge.to];
        graph->steps_start[i] = edge->steps;
        graph->begin[i] = edge->begin;
        graph->rates[i] = edge->rates;
    }
    if (g->steps.count > 0) memcpy(graph->steps, g->steps.items, (size_t)g->steps.count);
}

marey_match_graph *mry_match_graph_make(const mry_grower *g, marey_search_report report)
{
    mry_arena mem = mry_arena_make(g->ctx);
    marey_match_graph *graph = MRY_NEW(&mem, marey_match_graph, 1);
    int *place = NULL;
    if (!graph) return NULL;
    *graph = (marey_match_graph){ .mem = mem, .report = report };
    graph->found_count = g->nodes.count;
    graph->edge_count = g->edges.count;
    if (!take_room(graph, g, &place)) {
        marey_match_graph_free(graph);
        return NULL;
    }
    fill(graph, g, place);
    return graph;
}

void marey_match_graph_free(marey_match_graph *graph)
{
    if (!graph) return;
    mry_arena mem = graph->mem; /* it lies in there itself */
    mry_arena_free(&mem);
}

const marey_found *marey_match_graph_nodes(const marey_match_graph *graph, int *count)
{
    *count = graph->found_count;
    return graph->founds;
}

const marey_match_edge *marey_match_graph_edges(const marey_match_graph *graph, int *count)
{
    *count = graph->edge_count;
    return graph->edges;
}

marey_search_report marey_match_graph_report(const marey_match_graph *graph)
{
    return graph->report;
}

/* ---- cells -------------------------------------------------------------------------------------------------- */

marey_status marey_match_graph_path(const marey_match_graph *graph, int edge, marey_path *out,
                                    marey_error *error)
{
    const marey_match_edge *of = &graph->edges[edge];
    const uint8_t *steps = graph->steps + graph->steps_start[edge];
    marey_path path = { .count = of->cells, .mean = of->distance, .ctx = graph->mem.ctx };
    path.sum = of->distance * of->cells;
    path.bytes = (size_t)of->cells * sizeof *path.cells;
    path.cells = mry_alloc(path.ctx, path.bytes);
    if (!path.cells) return mry_fail_memory(error, NULL);
    marey_cell at = graph->begin[edge];
    mry_rates rates = graph->rates[edge];
    path.cells[0] = of->first;
    for (int i = 0; i + 1 < of->cells; i++) {
        int step = steps[i / 4] >> i % 4 * 2 & 3;
        at.row += step != MRY_MOVE_ACROSS;
        at.col += step != MRY_MOVE_DOWN;
        path.cells[i + 1] =
            (marey_cell){ mry_from_web(at.row, rates.rows), mry_from_web(at.col, rates.cols) };
    }
    *out = path;
    return MAREY_OK;
}
