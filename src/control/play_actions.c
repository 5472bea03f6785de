/* play_actions.c - labelled actions in play: the whole of one, from its first frame to its last.

   A way begins an action where it goes on to its first frame, or where a transition leads so near to
   it that the character is not free again before:

       free ------ transition -----> to . . first . . . . . . last, free
       free, next: first . . . . . . last, free

   Which is begun is known at the node before; what lies between is played as it is. */
#include "base/fail.h"
#include "control/play.h"

/* A way from a node that begins an action, if it is better than what is known. */
typedef struct beginning {
    double *cost;
    mry_play_item *item;
} beginning;

static void begin(const beginning *b, int node, int way, double cost, int instance)
{
    if (!(cost < b->cost[node])) return;
    b->cost[node] = cost;
    b->item->way[node] = way;
    b->item->begins[node] = instance;
}

/* Over a transition to a node so many frames before the first one. */
static void begin_over(const marey_graph *graph, const beginning *b, int over, int before, int i)
{
    const mry_dwell *dwell = &graph->dwell;
    const mry_instance *is = &b->item->instances[i];
    int from = graph->transitions[over].from, lands = dwell->lands[over];
    int stay = mry_dwell_stay(graph, over, dwell->least);
    bool late = stay > before, whole = stay > before + is->last - is->first;
    if (lands < 0 || !late || !dwell->free[from] || (!whole && !dwell->free[is->last])) return;
    double poor = mry_play_cost(graph, (double)graph->transitions[over].distance);
    begin(b, from, over, 1 + before + poor, i);
}

/* All ways that begin an action. false: out of memory. */
static bool find_beginnings(const marey_graph *graph, mry_arena *tmp, const beginning *b)
{
    const mry_dwell *dwell = &graph->dwell;
    int *into_first = MRY_NEW(tmp, int, (size_t)graph->nodes + 2), longest = 0;
    int *into = MRY_NEW_RAW(tmp, int, (size_t)graph->transition_count + 1);
    if (!into_first || !into) return false;
    for (int i = 0; i < graph->transition_count; i++) {
        int stay = mry_dwell_stay(graph, i, dwell->least);
        if (stay > longest) longest = stay;
        into_first[graph->transitions[i].to + 2]++;
    }
    for (int n = 0; n < graph->nodes; n++) into_first[n + 2] += into_first[n + 1];
    for (int i = 0; i < graph->transition_count; i++)
        into[into_first[graph->transitions[i].to + 1]++] = i;
    for (int i = 0; i < b->item->instance_count; i++) {
        const mry_instance *is = &b->item->instances[i];
        int on = graph->before[is->first], at = is->first;
        if (on >= 0 && dwell->free[on] && dwell->free[is->last]) begin(b, on, -1, 1, i);
        for (int before = 0; before < longest && at >= 0 && at == is->first - before;
             before++, at = graph->before[at])
            for (int k = into_first[at]; k < into_first[at + 1]; k++)
                begin_over(graph, b, into[k], before, i);
    }
    return true;
}

/* The best ways to begin any of them. */
static marey_status find_ways(const marey_graph *graph, const char *label, mry_arena *tmp,
                              mry_play_item *one, marey_error *error)
{
    double *cost = MRY_NEW_RAW(tmp, double, graph->nodes);
    bool any = false;
    if (!cost) return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes; n++) {
        cost[n] = INFINITY;
        one->way[n] = -2;
        one->begins[n] = -1;
    }
    if (!find_beginnings(graph, tmp, &(beginning){ cost, one }))
        return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes && !any; n++) any = one->begins[n] >= 0;
    if (!any)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no way leads to the whole of %s and on from there", label);
    bool room = mry_play_ways(graph, tmp, cost, one->way, one->begins);
    return room ? MAREY_OK : mry_fail_memory(error, NULL);
}

marey_status mry_play_join_action(mry_play *play, const char *label, int *number,
                                  marey_error *error)
{
    const marey_graph *graph = play->graph;
    mry_play_item one = { .mem = mry_arena_make(play->ctx) };
    mry_arena tmp = mry_arena_make(play->ctx);
    marey_status status = mry_action_instances(graph, graph->dwell.allowed, label, &one.mem,
                                               &one.instances, &one.instance_count, error);
    one.way = status ? NULL : MRY_NEW_RAW(&one.mem, int, graph->nodes);
    one.begins = one.way ? MRY_NEW_RAW(&one.mem, int, graph->nodes) : NULL;
    if (!status)
        status =
            one.begins ? find_ways(graph, label, &tmp, &one, error) : mry_fail_memory(error, NULL);
    mry_arena_free(&tmp);
    return mry_play_keep(play, &one, status, number, error);
}
