/* walk.c - walks through a motion graph: from a node to another, and who answers what is asked
   for. */
#include "base/fail.h"
#include "graph/walk_data.h"

/* ---- from here to there ---------------------------------------------------------------------- */

/* Walks from `from` to `to` in one piece, or begins so and is free at near's start. */
static marey_status go(marey_ctx *ctx, mry_arena *tmp, const mry_ways *ways,
                       const marey_walk_def *def, marey_walk *out, marey_error *error)
{
    const marey_graph *graph = ways->graph;
    int start = mry_dwell_begin(graph, &ways->dwell, def->from), lead = 1;
    for (int n = def->from; n != start && n != def->to; n = graph->next[n]) lead++;
    mry_nearest near;
    uint8_t *goal = MRY_NEW(tmp, uint8_t, graph->nodes);
    if (!goal || !mry_nearest_open(&near, tmp, graph)) return mry_fail_memory(error, NULL);
    /* Where it stands when it may leave the piece it begins with; or the piece leads there. */
    int at = mry_dwell_along(graph, def->from, lead - 1), count = lead;
    near.cost[at] = 0;
    goal[def->to] = 1;
    if (at != def->to && mry_nearest_run(&near, ways, goal) < 0)
        return mry_fail_cancelled(error); /* the free nodes lead to each other, all of them */
    for (int n = def->to; near.came[n] >= 0; n = near.came[n])
        count -= mry_walk_back(graph, near.over[n], n, NULL, 0);
    int *nodes = MRY_NEW_RAW(tmp, int, count);
    if (!nodes) return mry_fail_memory(error, NULL);
    for (int n = def->to, k = count; near.came[n] >= 0; n = near.came[n])
        k = mry_walk_back(graph, near.over[n], n, nodes, k);
    for (int n = def->from, k = 0; k < lead; n = graph->next[n]) nodes[k++] = n;
    out->arrived = true;
    out->expanded = out->first_after = near.expanded;
    return mry_walk_keep(ctx, ways, nodes, count, out, error);
}

marey_status mry_walk_to(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                         marey_walk *out, marey_error *error)
{
    if (!def->from_given || !def->to_given)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "from and to must both be given");
    mry_arena tmp = mry_arena_make(ctx);
    marey_status status = go(ctx, &tmp, ways, def, out, error);
    mry_arena_free(&tmp);
    return status;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

typedef marey_status (*walk_fn)(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                                marey_walk *out, marey_error *error);

static const walk_fn kinds[MAREY_WALK_KIND_COUNT] = {
    [MAREY_WALK_TO] = mry_walk_to,
    [MAREY_WALK_LENGTH] = mry_walk_length,
    [MAREY_WALK_LABELS] = mry_walk_labels,
};

marey_status marey_graph_walk(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                              marey_walk *out, marey_error *error)
{
    if ((unsigned)def->kind >= MAREY_WALK_KIND_COUNT)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no such kind of walk");
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    if (def->kind == MAREY_WALK_PATH || def->kind == MAREY_WALK_GOALS)
        return mry_walk_path(ctx, graph, def, out, error);
    mry_arena tmp = mry_arena_make(ctx);
    mry_ways ways;
    marey_walk found = { 0 };
    marey_status status = mry_ways_open(&ways, &tmp, graph, def, error);
    if (!status) status = kinds[def->kind](ctx, &ways, def, &found, error);
    mry_arena_free(&tmp);
    if (status)
        marey_walk_free(&found);
    else
        *out = found;
    return status;
}

/* ---- looking at one -------------------------------------------------------------------------- */

int marey_walk_pieces(const marey_graph *graph, const marey_walk *walk, marey_walk_piece *pieces,
                      int room)
{
    int count = 0;
    for (int at = 0, end; at < walk->count; at = end) {
        for (end = at + 1; end < walk->count; end++) {
            if (graph->next[walk->nodes[end - 1]] != walk->nodes[end]) break;
        }
        if (count < room) {
            pieces[count] =
                (marey_walk_piece){ .at = at,
                                    .frames = end - at,
                                    .first = marey_graph_node_of(graph, walk->nodes[at]),
                                    .last = marey_graph_node_of(graph, walk->nodes[end - 1]) };
        }
        count++;
    }
    return count;
}
