/* graph_edges.c - transitions out of pairs of nodes that are alike: where i and j are, i leads to the node behind j and j
   to the one behind i (slides, "Standard Motion Graphs"). */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256 };

/* ---- making them --------------------------------------------------------------------------------- */

typedef struct linking {
    marey_graph *graph;
    const mry_bodies *bodies;
    const uint8_t *use; /* NULL: all */
} linking;

/* Kept as floats, so that a graph that is read is the one that was written. */
static mry_floor rounded(mry_floor place)
{
    return (mry_floor){ (float)place.angle, (float)place.x, (float)place.z };
}

static void judge_some(void *user, int64_t i)
{
    linking *l = user;
    marey_graph *g = l->graph;
    int from = (int)i * AT_ONCE, to = from + AT_ONCE;
    if (to > g->transition_count) to = g->transition_count;
    for (int n = from; n < to; n++) {
        if (l->use && !l->use[n]) continue;
        marey_graph_transition *one = &g->transitions[n];
        int like = g->before[one->to];
        mry_floor place = mry_graph_lay(l->bodies, one->from, like);
        g->places[n] = rounded(place);
        int half = 0;
        one->jump = (float)mry_graph_jump(l->bodies, one->from, like, place, &half);
        g->half[n] = (uint8_t)(half < UINT8_MAX ? half : UINT8_MAX);
    }
}

void mry_graph_judge(marey_graph *graph, const mry_bodies *bodies, const uint8_t *use)
{
    linking work = { graph, bodies, use };
    marey_ctx_run(graph->ctx, (graph->transition_count + AT_ONCE - 1) / AT_ONCE, judge_some, &work);
}

static int by_ends(const void *left, const void *right)
{
    const marey_graph_transition *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

void mry_graph_drop_rough(marey_graph *graph)
{
    int kept = 0;
    for (int i = 0; i < graph->transition_count; i++) {
        if (!((double)graph->transitions[i].jump <= graph->def.jump)) continue;
        graph->transitions[kept] = graph->transitions[i];
        graph->places[kept] = graph->places[i];
        graph->half[kept++] = graph->half[i];
    }
    graph->transition_count = kept;
    mry_graph_count_leaving(graph);
}

void mry_graph_count_leaving(marey_graph *graph)
{
    memset(graph->leaving, 0, ((size_t)graph->nodes + 1) * sizeof *graph->leaving);
    for (int i = 0; i < graph->transition_count; i++)
        graph->leaving[graph->transitions[i].from + 1]++;
    for (int n = 0; n < graph->nodes; n++) graph->leaving[n + 1] += graph->leaving[n];
}

static int64_t count_below(const marey_graph *graph, const mry_near_list *near, double threshold)
{
    int64_t count = 0;
    for (int64_t i = 0; i < near->count; i++) {
        const mry_near *one = &near->items[i];
        if (!(one->value < threshold)) continue;
        count += (graph->next[one->a] >= 0) + (graph->next[one->b] >= 0);
    }
    return count;
}

static void put(marey_graph *graph, int from, int to, float distance)
{
    if (to < 0) return;
    graph->transitions[graph->transition_count++] =
        (marey_graph_transition){ .from = from, .to = to, .distance = distance };
}

bool mry_graph_take_transitions(marey_graph *graph, int count)
{
    size_t room = (size_t)count + 1;
    graph->transition_count = 0;
    graph->transitions = MRY_NEW_RAW(&graph->data, marey_graph_transition, room);
    graph->places = MRY_NEW_RAW(&graph->data, mry_floor, room);
    graph->half = MRY_NEW(&graph->data, uint8_t, room);
    graph->leaving = MRY_NEW(&graph->data, int, (size_t)graph->nodes + 1);
    return graph->transitions && graph->places && graph->half && graph->leaving;
}

marey_status mry_graph_connect(marey_graph *graph, const mry_near_list *near, double threshold,
                               marey_error *error)
{
    int64_t count = count_below(graph, near, threshold);
    if (count > INT32_MAX - 1) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "more than 2^31 transitions; a lower threshold has fewer");
    }
    if (!mry_graph_take_transitions(graph, (int)count)) return mry_fail_memory(error, NULL);
    for (int64_t i = 0; i < near->count; i++) {
        const mry_near *one = &near->items[i];
        if (!(one->value < threshold)) continue;
        put(graph, one->a, graph->next[one->b], one->value);
        put(graph, one->b, graph->next[one->a], one->value);
    }
    qsort(graph->transitions, (size_t)graph->transition_count, sizeof *graph->transitions, by_ends);
    mry_graph_count_leaving(graph);
    return MAREY_OK;
}
