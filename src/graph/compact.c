/* compact.c - a graph without the nodes and transitions that it can do without, and without their memory. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <string.h>

/* New numbers of the nodes that stay; -1 for others. */
static int number_nodes(const marey_graph *graph, const uint8_t *nodes, int *number)
{
    int count = 0;
    for (int n = 0; n < graph->nodes; n++) number[n] = nodes[n] ? count++ : -1;
    return count;
}

static int renamed(const int *number, int node)
{
    return node < 0 ? -1 : number[node];
}

static void move_nodes(marey_graph *graph, const int *number)
{
    for (int n = 0; n < graph->nodes; n++) {
        int to = number[n];
        if (to < 0) continue; /* never to a higher number: nothing is overwritten */
        graph->origin[to] = graph->origin[n];
        graph->next[to] = renamed(number, graph->next[n]);
        graph->before[to] = renamed(number, graph->before[n]);
        graph->contacts[to] = graph->contacts[n];
        graph->labelled[to] = graph->labelled[n];
        mry_clip_copy_frames(graph->motion, to, graph->motion, n, to == n ? 0 : 1);
    }
}

static int move_transitions(marey_graph *graph, const int *number, const uint8_t *transitions)
{
    int kept = 0;
    for (int i = 0; i < graph->transition_count; i++) {
        if (!transitions[i]) continue;
        graph->transitions[kept] = graph->transitions[i];
        graph->transitions[kept].from = number[graph->transitions[i].from];
        graph->transitions[kept].to = number[graph->transitions[i].to];
        graph->places[kept] = graph->places[i];
        graph->half[kept++] = graph->half[i];
    }
    return kept;
}

/* The first so many nodes and transitions, in memory of their own. */
static bool shrink(marey_graph *graph, int nodes, int transitions, mry_arena *tmp)
{
    size_t count = (size_t)transitions;
    marey_graph_transition *links = MRY_NEW_RAW(tmp, marey_graph_transition, count + 1);
    mry_floor *places = MRY_NEW_RAW(tmp, mry_floor, count + 1);
    uint8_t *half = MRY_NEW_RAW(tmp, uint8_t, count + 1);
    if (!links || !places || !half) return false;
    memcpy(links, graph->transitions, count * sizeof *links);
    memcpy(places, graph->places, count * sizeof *places);
    memcpy(half, graph->half, count);
    graph->nodes = nodes;
    if (!mry_graph_grow(graph, nodes) || !mry_graph_take_transitions(graph, transitions))
        return false;
    memcpy(graph->transitions, links, count * sizeof *links);
    memcpy(graph->places, places, count * sizeof *places);
    memcpy(graph->half, half, count);
    graph->transition_count = transitions;
    return true;
}

marey_status mry_graph_compact(marey_graph *graph, const uint8_t *nodes, const uint8_t *transitions,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    int *number = MRY_NEW_RAW(&tmp, int, graph->nodes);
    bool done = false;
    if (number) {
        int count = number_nodes(graph, nodes, number);
        int links = move_transitions(graph, number, transitions);
        move_nodes(graph, number);
        done = shrink(graph, count, links, &tmp);
    }
    if (done) mry_graph_count_leaving(graph);
    mry_arena_free(&tmp);
    return done ? MAREY_OK : mry_fail_memory(error, NULL);
}
