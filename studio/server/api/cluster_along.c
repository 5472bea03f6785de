/* cluster_along.c - the cheapest way along nodes, by a table: for each node in turn, what it costs to leave it by each of its
   sequences that go on to the next one. A node is entered at the beginning of a sequence; if that does not go on to the next
   node the motion switches, inside the node, to one that does. */
#include "cluster_along.h"

#include <math.h>
#include <stdio.h>
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
    double cost;
    int before;              /* which one the node before is left by */
    bool switched;           /* .. or gone on with */
    marey_cluster_switch at; /* if switched */
} leaving;

typedef struct table {
    studio_worker *by;
    const marey_clusters *of;
    const marey_cluster_sequence *sequences;
    const marey_cluster_node *nodes;
    double switch_cost;
    studio_bytes steps; /* int: the nodes, with those in between */
    studio_bytes rows;  /* MOST_LEAVING of leaving for each step */
    studio_bytes counts;
} table;

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* ---- nodes in between --------------------------------------------------------------------------- */

/* By edges, fewest first: from[n] is the node before n. -1: not reached. */
static void spread(const table *all, int start, int goal, int *from, int *queue)
{
    int count, edge_count, head = 0, tail = 0;
    const marey_cluster_edge *edges = marey_clusters_edges(all->of, &edge_count);
    marey_clusters_nodes(all->of, &count);
    for (int i = 0; i < count; i++) from[i] = -1;
    from[start] = start;
    queue[tail++] = start;
    while (head < tail && from[goal] < 0) {
        int node = queue[head++], low = 0, high = edge_count;
        while (low < high) { /* edges are sorted by `from` */
            int middle = (low + high) / 2;
            if (edges[middle].from < node)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < edge_count && edges[low].from == node; low++) {
            if (from[edges[low].to] >= 0) continue;
            from[edges[low].to] = node;
            queue[tail++] = edges[low].to;
        }
    }
}

/* From the node that is the last so far to the next one. */
static marey_status step_to(table *all, int goal, int *from, int *queue, marey_error *error)
{
    const int *steps = (const int *)(const void *)all->steps.data;
    size_t known = all->steps.count / sizeof *steps;
    int start = steps[known - 1], length = 0;
    if (start == goal) return MAREY_OK;
    spread(all, start, goal, from, queue);
    if (from[goal] < 0) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT };
        snprintf(error->message, sizeof error->message, "no edges lead from node %d to node %d",
                 start, goal);
        return MAREY_ERR_INPUT;
    }
    for (int node = goal; node != start; node = from[node]) length++;
    if (known + (size_t)length > MOST_STEPS)
        return fail(error, MAREY_ERR_LIMIT, "the way along these nodes is too long");
    int *out = (int *)(void *)bytes_extend(&all->steps, (size_t)length * sizeof *out);
    if (!out) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    for (int node = goal; node != start; node = from[node]) out[--length] = node;
    return MAREY_OK;
}

static marey_status fill_steps(table *all, const int *nodes, int count, marey_error *error)
{
    heap *memory = &all->by->of->memory;
    int known;
    marey_clusters_nodes(all->of, &known);
    for (int i = 0; i < count; i++) {
        if (nodes[i] >= known) return fail(error, MAREY_ERR_REQUEST, "there is no such node");
    }
    size_t room = 2 * (size_t)known * sizeof(int);
    int *scratch = heap_resize(memory, NULL, 0, room);
    marey_status status = scratch ? MAREY_OK : fail(error, MAREY_ERR_MEMORY, "out of memory");
    bytes_add(&all->steps, nodes, sizeof *nodes);
    for (int i = 1; i < count && status == MAREY_OK && !all->steps.failed; i++)
        status = step_to(all, nodes[i], scratch, scratch + known, error);
    if (scratch) heap_resize(memory, scratch, room, 0);
    if (status == MAREY_OK && all->steps.failed)
        status = fail(error, MAREY_ERR_MEMORY, "out of memory");
    if (status == MAREY_OK && all->steps.count == sizeof *nodes)
        status = fail(error, MAREY_ERR_REQUEST, "a way along nodes has at least two of them");
    return status;
}

/* ---- the table ---------------------------------------------------------------------------------- */

static leaving *row_of(const table *all, int step)
{
    return (leaving *)(void *)all->rows.data + (size_t)step * MOST_LEAVING;
}

static int *count_of(const table *all, int step)
{
    return (int *)(void *)all->counts.data + step;
}

static int node_of(const table *all, int step)
{
    return ((const int *)(const void *)all->steps.data)[step];
}

/* The longest sequences of a step's node that go on to the next step's. */
static int list_leaving(const table *all, int step, leaving *out)
{
    const marey_cluster_node *node = &all->nodes[node_of(all, step)];
    int found = 0, goal = node_of(all, step + 1);
    for (int i = node->first; i < node->first + node->sequences; i++) {
        const marey_cluster_sequence *one = &all->sequences[i];
        int at = found;
        if (one->next < 0 || all->sequences[one->next].node != goal) continue;
        while (at > 0 && all->sequences[out[at - 1].sequence].rows < one->rows) at--;
        if (at == MOST_LEAVING) continue;
        int moved = found < MOST_LEAVING ? found - at : MOST_LEAVING - 1 - at;
        memmove(out + at + 1, out + at, (size_t)moved * sizeof *out);
        out[at] = (leaving){ .sequence = i, .cost = INFINITY, .before = -1 };
        if (found < MOST_LEAVING) found++;
    }
    return found;
}

/* What it costs to leave by `to`, coming from the node before by its row `before`. */
static marey_status reach(const table *all, int step, int before, leaving *to, marey_error *error)
{
    const leaving *came = &row_of(all, step - 1)[before];
    int entered = all->sequences[came->sequence].next, found = 0;
    marey_cluster_switch at;
    if (entered == to->sequence) {
        if (came->cost < to->cost)
            *to = (leaving){ .sequence = to->sequence, .cost = came->cost, .before = before };
        return MAREY_OK;
    }
    if (!(came->cost + all->switch_cost < to->cost)) return MAREY_OK;
    marey_status status = marey_clusters_switches(all->by->ctx, all->of, entered, to->sequence, 1,
                                                  &at, &found, error);
    if (status != MAREY_OK || found == 0) return status;
    double cost = came->cost + all->switch_cost + at.cost / second_cm2;
    if (cost < to->cost) *to = (leaving){ to->sequence, cost, before, true, at };
    return MAREY_OK;
}

static marey_status fill_table(table *all, int steps, marey_error *error)
{
    marey_status status = MAREY_OK;
    size_t room = (size_t)steps * MOST_LEAVING * sizeof(leaving);
    if (!bytes_extend(&all->rows, room) || !bytes_extend(&all->counts, (size_t)steps * sizeof(int)))
        return fail(error, MAREY_ERR_MEMORY, "out of memory");
    for (int s = 0; s + 1 < steps && status == MAREY_OK; s++) {
        leaving *row = row_of(all, s);
        int count = *count_of(all, s) = list_leaving(all, s, row);
        for (int i = 0; i < count && s == 0; i++) row[i].cost = 0;
        int came = s > 0 ? *count_of(all, s - 1) : 0;
        for (int i = 0; i < count * came && status == MAREY_OK; i++)
            status = reach(all, s, i % came, &row[i / came], error);
        if (status == MAREY_OK && marey_ctx_cancelled(all->by->ctx))
            status = fail(error, MAREY_ERR_CANCELLED, "cancelled");
    }
    return status;
}

/* ---- the way ------------------------------------------------------------------------------------ */

/* Which row the last node but one is left by. */
static int find_best(const table *all, int steps)
{
    const leaving *row = row_of(all, steps - 2);
    int best = -1;
    for (int i = 0; i < *count_of(all, steps - 2); i++) {
        if (row[i].cost < INFINITY && (best < 0 || row[i].cost < row[best].cost)) best = i;
    }
    return best;
}

/* From the last step to the first, so that switches come in order in the end. */
static void trace(const table *all, int steps, int best, cluster_along *out)
{
    int count = 0, at = best;
    for (int s = steps - 2; s >= 0; at = row_of(all, s)[at].before, s--)
        count += row_of(all, s)[at].switched;
    const leaving *last = &row_of(all, steps - 2)[best];
    const marey_cluster_sequence *end = &all->sequences[all->sequences[last->sequence].next];
    marey_cluster_switch *switches = (marey_cluster_switch *)(void *)bytes_extend(
        &out->switches, (size_t)(count + 1) * sizeof *switches);
    marey_piece *pieces =
        (marey_piece *)(void *)bytes_extend(&out->pieces, (size_t)(count + 1) * sizeof *pieces);
    if (!switches || !pieces) return;
    out->switches.count -= sizeof *switches; /* room for one, so that there is some */
    out->cost = last->cost;
    pieces[count] = (marey_piece){ .clip = end->clip, .end = end->end };
    at = best;
    for (int s = steps - 2; s >= 0; s--) {
        const leaving *one = &row_of(all, s)[at];
        if (s == 0) pieces[0].start = all->sequences[one->sequence].start;
        if (one->switched) {
            switches[--count] = one->at;
            pieces[count + 1].start = one->at.to + 1;
            pieces[count] = (marey_piece){ .clip = all->sequences[one->at.from_sequence].clip,
                                           .end = one->at.from + 1 };
        }
        at = one->before;
    }
}

marey_status cluster_along_find(studio_worker *worker, const marey_clusters *clusters,
                                const int *nodes, int count, double switch_cost, cluster_along *out,
                                marey_error *error)
{
    heap *memory = &worker->of->memory;
    int all_count;
    table all = { .by = worker,
                  .of = clusters,
                  .sequences = marey_clusters_sequences(clusters, &all_count),
                  .nodes = marey_clusters_nodes(clusters, &all_count),
                  .switch_cost = switch_cost > 0 ? switch_cost : 1,
                  .steps = { .memory = memory },
                  .rows = { .memory = memory },
                  .counts = { .memory = memory } };
    *out = (cluster_along){ .switches = { .memory = memory }, .pieces = { .memory = memory } };
    marey_status status = fill_steps(&all, nodes, count, error);
    int steps = (int)(all.steps.count / sizeof(int)), best = -1;
    if (status == MAREY_OK) status = fill_table(&all, steps, error);
    if (status == MAREY_OK) best = find_best(&all, steps);
    if (status == MAREY_OK && best < 0)
        status = fail(error, MAREY_ERR_INPUT, "there is no way along these nodes");
    if (status == MAREY_OK) trace(&all, steps, best, out);
    if (out->switches.failed || out->pieces.failed)
        status = fail(error, MAREY_ERR_MEMORY, "out of memory");
    bytes_free(&all.counts);
    bytes_free(&all.rows);
    bytes_free(&all.steps);
    return status;
}

void cluster_along_free(cluster_along *of)
{
    bytes_free(&of->pieces);
    bytes_free(&of->switches);
}
