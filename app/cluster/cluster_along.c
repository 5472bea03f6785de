/* cluster_along.c - the cheapest way along nodes, by a table: for each node in turn, what it costs
   to leave it by each of its sequences that go on to the next one. A node is entered at the
   beginning of a sequence; if that does not go on to the next node the motion switches, inside the
   node, to one that does. */
#include "cluster_graphs.h"

#include <math.h>
#include <string.h>

enum {
    MOST_LEAVING = 32, /* sequences of a node that are tried */
    MOST_STEPS = 1024  /* nodes, with those in between */
};

/* A switch of this cost counts for a second, as for marey_clusters_route. */
static const double second_cm2 = 100;

/* To leave a node by a sequence. */
typedef struct leaving {
    int sequence;
    double cost; /* so far; infinite: not reached */
    int before;  /* row of the node before */
    bool switched;
    marey_cluster_switch at; /* if it is */
} leaving;

typedef struct step {
    int node;
    leaving rows[MOST_LEAVING];
    int count;
} step;

typedef struct table {
    const app_env *env;
    const marey_clusters *graph;
    const marey_cluster_sequence *sequences;
    const marey_cluster_node *nodes;
    double switch_cost;
    step *steps;
    int count;
} table;

/* ---- nodes in between ------------------------------------------------------------------------ */

/* By edges, fewest first: from[n] is the node before n. -1: not reached. */
static void spread(const marey_clusters *graph, int start, int goal, int *from, int *queue)
{
    int count, edge_count, head = 0, tail = 0;
    const marey_cluster_edge *edges = marey_clusters_edges(graph, &edge_count);
    marey_clusters_nodes(graph, &count);
    for (int i = 0; i < count; i++) from[i] = -1;
    from[start] = start;
    queue[tail++] = start;
    while (head < tail && from[goal] < 0) {
        int node = queue[head++], low = 0, high = edge_count;
        while (low < high) { /* edges are sorted by `from` */
            int middle = (low + high) / 2;
            if (edges[middle].from < node) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (; low < edge_count && edges[low].from == node; low++) {
            if (from[edges[low].to] >= 0) continue;
            from[edges[low].to] = node;
            queue[tail++] = edges[low].to;
        }
    }
}

/* The nodes with all that lie between them. */
static marey_status find_steps(table *route, const int *nodes, int count, marey_error *error)
{
    int known, way[MOST_STEPS];
    marey_clusters_nodes(route->graph, &known);
    int *from = APP_NEW(route->env->scope, int, known),
        *queue = APP_NEW(route->env->scope, int, known);
    if (!from || !queue) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        if (nodes[i] >= known) {
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "there is no node %d; the nodes are 0 to %d", nodes[i], known - 1);
        }
        int start = i > 0 ? way[route->count - 1] : nodes[0], length = 0;
        if (i == 0) way[route->count++] = start;
        if (start == nodes[i]) continue;
        spread(route->graph, start, nodes[i], from, queue);
        if (from[nodes[i]] < 0) {
            return app_fail(error, MAREY_ERR_INPUT, NULL, "no edges lead from node %d to node %d",
                            start, nodes[i]);
        }
        for (int node = nodes[i]; node != start; node = from[node]) length++;
        if (route->count + length > MOST_STEPS) {
            return app_fail(error, MAREY_ERR_LIMIT, NULL,
                            "the way along these nodes is too long: more than %d nodes",
                            MOST_STEPS);
        }
        route->count += length;
        for (int node = nodes[i], k = route->count; node != start; node = from[node])
            way[--k] = node;
    }
    if (route->count < 2) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "nodes must be at least two for a way along them");
    }
    route->steps = APP_NEW(route->env->scope, step, route->count);
    if (!route->steps) return app_fail_memory(error);
    for (int i = 0; i < route->count; i++) route->steps[i].node = way[i];
    return MAREY_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The longest sequences of a step's node that go on to the next step's. */
static void list_leaving(const table *route, int number)
{
    step *at = &route->steps[number];
    const marey_cluster_node *node = &route->nodes[at->node];
    int goal = route->steps[number + 1].node;
    for (int i = node->first; i < node->first + node->sequences; i++) {
        const marey_cluster_sequence *one = &route->sequences[i];
        int place = at->count;
        if (one->next < 0 || route->sequences[one->next].node != goal) continue;
        while (place > 0 && route->sequences[at->rows[place - 1].sequence].rows < one->rows)
            place--;
        if (place == MOST_LEAVING) continue;
        int moved = at->count < MOST_LEAVING ? at->count - place : MOST_LEAVING - 1 - place;
        memmove(at->rows + place + 1, at->rows + place, (size_t)moved * sizeof *at->rows);
        at->rows[place] =
            (leaving){ .sequence = i, .cost = number > 0 ? (double)INFINITY : 0, .before = -1 };
        if (at->count < MOST_LEAVING) at->count++;
    }
}

/* What it costs to leave by `out`, coming from the node before by its row `before`. */
static marey_status reach(const table *route, const step *came_by, int before, leaving *out,
                          marey_error *error)
{
    const leaving *came = &came_by->rows[before];
    int entered = route->sequences[came->sequence].next, found = 0;
    marey_cluster_switch at;
    if (entered == out->sequence) {
        if (came->cost < out->cost)
            *out = (leaving){ .sequence = out->sequence, .cost = came->cost, .before = before };
        return MAREY_OK;
    }
    if (!(came->cost + route->switch_cost < out->cost)) return MAREY_OK;
    marey_status status = marey_clusters_switches(route->env->ctx, route->graph, entered,
                                                  out->sequence, 1, &at, &found, error);
    if (status != MAREY_OK || found == 0) return status;
    double cost = came->cost + route->switch_cost + at.cost / second_cm2;
    if (cost < out->cost) *out = (leaving){ out->sequence, cost, before, true, at };
    return MAREY_OK;
}

/* ---- the way --------------------------------------------------------------------------------- */

marey_status app_cluster_along(const app_env *env, const marey_clusters *graph, const int *nodes,
                               int count, double switch_cost, app_stitch_way *out,
                               marey_error *error)
{
    int unused, best = -1;
    table route = { .env = env,
                    .graph = graph,
                    .sequences = marey_clusters_sequences(graph, &unused),
                    .nodes = marey_clusters_nodes(graph, &unused),
                    .switch_cost = switch_cost };
    marey_status status = find_steps(&route, nodes, count, error);
    for (int s = 0; s + 1 < route.count && status == MAREY_OK; s++) {
        step *at = &route.steps[s];
        list_leaving(&route, s);
        int came = s > 0 ? at[-1].count : 0;
        for (int i = 0; i < at->count * came && status == MAREY_OK; i++)
            status = reach(&route, at - 1, i % came, &at->rows[i / came], error);
        if (status == MAREY_OK && marey_ctx_cancelled(env->ctx))
            status = app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled");
    }
    if (status != MAREY_OK) return status;

    /* Which row the last node but one is left by. */
    const step *last = &route.steps[route.count - 2];
    for (int i = 0; i < last->count; i++) {
        if (last->rows[i].cost < INFINITY &&
            (best < 0 || last->rows[i].cost < last->rows[best].cost))
            best = i;
    }
    if (best < 0)
        return app_fail(error, MAREY_ERR_INPUT, NULL, "there is no way along these nodes");

    /* From the last step to the first, so that switches come in order in the end. */
    int switches = 0;
    for (int s = route.count - 2, row = best; s >= 0; row = route.steps[s].rows[row].before, s--)
        switches += route.steps[s].rows[row].switched;
    marey_cluster_switch *list = APP_NEW(env->scope, marey_cluster_switch, switches);
    marey_piece *pieces = APP_NEW(env->scope, marey_piece, switches + 1);
    if (!list || !pieces) return app_fail_memory(error);
    const marey_cluster_sequence *end =
        &route.sequences[route.sequences[last->rows[best].sequence].next];
    pieces[switches] = (marey_piece){ .clip = end->clip, .end = end->end };
    for (int s = route.count - 2, row = best, at = switches; s >= 0; s--) {
        const leaving *one = &route.steps[s].rows[row];
        if (s == 0) pieces[0].start = route.sequences[one->sequence].start;
        if (one->switched) {
            list[--at] = one->at;
            pieces[at + 1].start = one->at.to + 1;
            pieces[at] = (marey_piece){ .clip = route.sequences[one->at.from_sequence].clip,
                                        .end = one->at.from + 1 };
        }
        row = one->before;
    }
    *out = (app_stitch_way){ .switches = list,
                             .switch_count = switches,
                             .pieces = pieces,
                             .piece_count = switches + 1,
                             .cost = last->rows[best].cost,
                             .direct = switches == 1 };
    return MAREY_OK;
}
