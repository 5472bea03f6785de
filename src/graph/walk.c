/* walk.c - walks through a motion graph: from a node to another, through a list of actions, and who
   answers what is asked for. */
#include "base/fail.h"
#include "graph/walk_data.h"

#include <math.h>

/* ---- from here to there ---------------------------------------------------------------------- */

marey_status mry_walk_to(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                         marey_walk *out, marey_error *error)
{
    if (!def->from_given || !def->to_given)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "from and to must both be given");
    mry_arena tmp = mry_arena_make(ctx);
    mry_nearest near;
    marey_status status = MAREY_OK;
    uint8_t *goal = MRY_NEW(&tmp, uint8_t, ways->graph->nodes);
    if (goal && mry_nearest_open(&near, &tmp, ways->graph)) {
        near.cost[def->from] = 0;
        goal[def->to] = 1;
        if (mry_nearest_run(&near, ways, goal) < 0) {
            /* the nodes that are used lead to each other, all of them */
            status = mry_fail_cancelled(error);
        } else {
            /* From the end back to the beginning, then turned round. */
            int count = 1;
            for (int n = def->to; near.came[n] >= 0; n = near.came[n]) ++count;
            int *nodes = MRY_NEW_RAW(&tmp, int, count);
            for (int k = count - 1, n = def->to; nodes && k >= 0; k--, n = near.came[n])
                nodes[k] = n;
            out->arrived = true;
            out->expanded = out->first_after = near.expanded;
            status = nodes ? mry_walk_keep(ctx, ways, nodes, count, out, error)
                           : mry_fail_memory(error, NULL);
        }
    } else {
        status = mry_fail_memory(error, NULL);
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- through a list of actions --------------------------------------------------------------- */

/* A walk through a list of actions, at least cost. An action is done by playing a whole instance of
   it, or a second if it is longer, without a cut; on the way to it anything goes.

   A layer for every action: what it costs to be at each node with all the actions before it done.
   Where one is done at a node, its steps lead into the next layer:

       layer 0     from ... -> begins ... is done
                                            \
       layer 1                               -> ... -> begins ... is done

   Playing an instance costs its frames, so a layer is an ordinary search that begins at many
   nodes. */

typedef struct stage {
    int label;
    /* Of each node: the one before; -1: the walk begins; ENTERED - n: n, in the stage before. */
    int *came;
    int *began; /* of each node the action can end with: where it begins; else -1 */
} stage;

/* In came[]: from here down are nodes of the stage before. */
enum { ENTERED = -2 };

typedef struct acting {
    const mry_ways *ways;
    int second;    /* frames */
    int count;     /* of actions */
    stage *stages; /* one more than actions: what comes behind the last */
    mry_nearest near;
    double *entry; /* of each node: cost to come into the stage there */
} acting;

/* A run of nodes with one label, as long as it is, and a window in it. */
typedef struct window {
    int first, last, length;
    int unused; /* nodes in it that walks cannot use */
} window;

static bool is_labelled(const marey_graph *graph, int node, int label)
{
    return graph->labelled[node] >> label & 1;
}

/* Where the action can end, if it begins with this run's nodes. */
static void note_ends(const acting *a, int start, stage *s)
{
    const marey_graph *graph = a->ways->graph;
    const uint8_t *use = a->ways->use;
    int length = 0, last = start;
    for (int n = start; n >= 0 && is_labelled(graph, n, s->label); n = graph->next[n]) {
        last = n;
        length++;
    }
    /* What is left of an interpolation when nodes were dropped is no action as a whole. */
    if (length < a->second && (graph->origin[start].other >= 0 || graph->origin[last].other >= 0))
        return;
    window w = { start, start, 1, !use[start] };
    int need = length < a->second ? length : a->second;
    for (int k = 1;; k++) {
        if (w.length > need) {
            w.unused -= !use[w.first];
            w.first = graph->next[w.first];
            w.length--;
        }
        if (w.length == need && w.unused == 0) s->began[w.last] = w.first;
        if (k == length) break;
        w.last = graph->next[w.last];
        w.unused += !use[w.last];
        w.length++;
    }
}

/* From where the stage's action begins to where it is done. */
static double cost_done(const acting *a, const stage *s, int end)
{
    const marey_graph *graph = a->ways->graph;
    double cost = a->near.cost[s->began[end]];
    for (int n = s->began[end]; n != end; n = graph->next[n]) cost += a->ways->frame;
    return cost;
}

static void search(acting *a, stage *s)
{
    for (int n = 0; n < a->ways->graph->nodes; n++) a->near.cost[n] = a->entry[n];
    a->near.came = s->came;
    mry_nearest_run(&a->near, a->ways, NULL);
}

/* The whole walk likewise, that ends with a node in a stage; `acted`: with the action of that
   stage. */
static int put_walk(const acting *a, int number, int node, bool acted, int *nodes, int at)
{
    for (;;) {
        const stage *s = &a->stages[number];
        if (acted) {
            /* The action that ends with the node, written before place `at`; nodes NULL: only
               counted. */
            const marey_graph *graph = a->ways->graph;
            int length = 1;
            for (int n = s->began[node]; n != node; n = graph->next[n]) length++;
            for (int n = s->began[node], k = 0; nodes && k < length; n = graph->next[n], k++)
                nodes[at - length + k] = n;
            at = at - length;
            node = s->came[s->began[node]];
        } else {
            at--;
            if (nodes) nodes[at] = node;
            node = s->came[node];
        }
        acted = node <= ENTERED;
        if (node == -1) return at;
        if (!acted) continue;
        node = ENTERED - node;
        number--;
    }
}

static marey_status open_stages(acting *a, mry_arena *tmp, const marey_walk_def *def,
                                marey_error *error)
{
    int nodes = a->ways->graph->nodes;
    a->second = (int)fmax(1, round(a->ways->graph->fps));
    a->count = def->label_count;
    a->stages = MRY_NEW(tmp, stage, a->count + 1);
    a->entry = MRY_NEW_RAW(tmp, double, nodes);
    if (!a->stages || !a->entry || !mry_nearest_open(&a->near, tmp, a->ways->graph))
        return mry_fail_memory(error, NULL);
    for (int i = 0; i <= a->count; i++) {
        stage *s = &a->stages[i];
        s->came = MRY_NEW_RAW(tmp, int, nodes);
        s->began = MRY_NEW_RAW(tmp, int, nodes);
        if (!s->came || !s->began) return mry_fail_memory(error, NULL);
        if (i == a->count) break;
        marey_status status = mry_walk_label(a->ways->graph, def->labels[i], &s->label, error);
        if (status) return status;
        /* Where the action can end. */
        const marey_graph *graph = a->ways->graph;
        bool any = false;
        for (int n = 0; n < graph->nodes; n++) s->began[n] = -1;
        for (int n = 0; n < graph->nodes; n++) {
            if (!is_labelled(graph, n, s->label)) continue;
            int before = graph->before[n];
            if (before < 0 || !is_labelled(graph, before, s->label)) note_ends(a, n, s);
        }
        for (int n = 0; n < graph->nodes && !any; n++) any = s->began[n] >= 0;
        if (!any)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "no walk reaches the whole of %s, nor a second of it", def->labels[i]);
    }
    return MAREY_OK;
}

/* Where it ends: with the last action, or behind it at `to`, unless the action ends there as
   cheaply. */
static marey_status keep(marey_ctx *ctx, mry_arena *tmp, acting *a, const marey_walk_def *def,
                         marey_walk *out, marey_error *error)
{
    const stage *last = &a->stages[a->count - 1];
    bool acted = true;
    int node = def->to_given ? def->to : -1;
    if (def->to_given) {
        double with_it = last->began[node] >= 0 ? cost_done(a, last, node) : INFINITY;
        search(a, &a->stages[a->count]);
        acted = with_it <= a->near.cost[node];
    } else {
        /* Where the last action is done at the least cost. */
        double least = INFINITY;
        for (int n = 0; n < a->ways->graph->nodes; n++) {
            if (last->began[n] < 0) continue;
            double cost = cost_done(a, last, n);
            if (node >= 0 && !(cost < least)) continue;
            node = n;
            least = cost;
        }
    }
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    int number = acted ? a->count - 1 : a->count;
    int count = -put_walk(a, number, node, acted, NULL, 0);
    int *nodes = MRY_NEW_RAW(tmp, int, count);
    if (!nodes) return mry_fail_memory(error, NULL);
    put_walk(a, number, node, acted, nodes, count);
    out->arrived = true;
    out->expanded = out->first_after = a->near.expanded;
    return mry_walk_keep(ctx, a->ways, nodes, count, out, error);
}

marey_status mry_walk_labels(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                             marey_walk *out, marey_error *error)
{
    if (def->label_count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a walk through actions must have at least 1");
    const marey_graph *graph = ways->graph;
    mry_arena tmp = mry_arena_make(ctx);
    acting a = { .ways = ways };
    marey_status status = open_stages(&a, &tmp, def, error);
    /* The walk begins anywhere, or where it is asked to. */
    for (int n = 0; n < graph->nodes && !status; n++) {
        bool here = def->from_given ? n == def->from : ways->use[n];
        a.entry[n] = here ? 0 : INFINITY;
        a.stages[0].came[n] = -1;
    }
    for (int i = 0; i < a.count && !status; i++) {
        stage *s = &a.stages[i];
        bool cancelled = !mry_progress(ctx, "finding a walk", i, a.count);
        if (!cancelled) search(&a, s);
        if (cancelled || mry_cancelled(ctx)) /* then the search is not complete */
            status = mry_fail_cancelled(error);
        if (status || (i + 1 == a.count && !def->to_given)) break;
        /* Behind a stage: into the next one. */
        for (int n = 0; n < graph->nodes; n++) {
            a.entry[n] = INFINITY;
            s[1].came[n] = -1;
        }
        for (int n = 0; n < graph->nodes; n++) {
            if (s->began[n] < 0) continue;
            double cost = cost_done(&a, s, n);
            for (int k = 0; k < mry_step_count(graph, n); k++) {
                mry_step step = mry_step_at(ways, n, k);
                if (step.to < 0 || !(cost + step.cost < a.entry[step.to])) continue;
                a.entry[step.to] = cost + step.cost;
                s[1].came[step.to] = ENTERED - n;
            }
        }
    }
    if (!status) status = keep(ctx, &tmp, &a, def, out, error);
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
    if (def->kind == MAREY_WALK_PATH) return mry_walk_path(ctx, graph, def, out, error);
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
