/* walk_actions.c - a walk through a list of actions, at least cost. An action is played whole, from
   its first frame to its last, without a cut; of a label that is only given to what goes on and on a
   second will do. On the way to it anything goes.

   A layer for every action: what it costs to be free at each node with all the actions before it
   done and behind it. Playing an instance costs its frames; the steps on from where the walk is free
   then lead into the next layer:

       layer 0     from ... -> [ first ... last ]
                                              \
       layer 1                                 -> ... -> [ first ... last ]

   An instance may begin while the walk is not free yet: then the transition before it leads to its
   first frame, or to one a little before. */
#include "base/fail.h"
#include "base/grow.h"
#include "graph/walk_data.h"

#include <math.h>

/* The cheapest walk that is free at a node having just played an action, its last frame there or a
   little before. */
typedef struct played {
    int instance; /* -1: there is none */
    int enters;   /* the node that it goes on from to get to the action */
    int over;     /* a transition of the way to it that is not yet faded; -1: it is free .. */
    bool begins;  /* .. or begins with `enters` */
    bool at_once; /* `enters` is where it has just played the action before */
    double cost;
} played;

typedef struct stage {
    mry_instance *items;
    int count;
    played *ends; /* of each node */
    int *came;    /* of each free node, as mry_nearest; ENTERED - n: the action before ends at n */
    int *over;    /* likewise */
    int *began;   /* of each: the node that the walk begins with, if it does; else -1 */
} stage;

/* In came[]: from here down are nodes of the stage before. */
enum { ENTERED = -2 };

typedef struct acting {
    const mry_ways *ways;
    const marey_walk_def *def;
    int count;     /* of actions */
    stage *stages; /* one more than actions: what comes behind the last */
    mry_nearest near;
    double *entry; /* of each node: cost to be free in the stage there */
    int longest;   /* frames until a walk is free again behind any transition */
    /* Transitions by where they arrive. */
    int *into_first, *into;
} acting;

/* ---- what there is to be played ------------------------------------------------------------- */

static bool is_allowed(const uint8_t *allowed, int first, int last)
{
    for (int n = first; n <= last; n++) {
        if (!allowed[n]) return false;
    }
    return true;
}

marey_status mry_action_instances(const marey_graph *graph, const uint8_t *allowed,
                                  const char *label, mry_arena *mem, mry_instance **items,
                                  int *count, marey_error *error)
{
    int number, room = 0;
    marey_status status = mry_walk_label(graph, label, &number, error);
    int second = (int)fmax(1, round(graph->fps));
    bool action = !status && marey_graph_is_action(graph, number);
    *items = NULL;
    *count = 0;
    for (int i = 0; i < graph->action_count && !status; i++) {
        const mry_action *one = &graph->actions[i];
        if (one->label != number || (one->ongoing && action)) continue;
        int length = one->last - one->first + 1;
        int need = one->ongoing && length > second ? second : length;
        for (int first = one->first; first + need - 1 <= one->last; first++) {
            mry_instance is = { .first = first, .last = first + need - 1 };
            if (!is_allowed(allowed, is.first, is.last)) continue;
            if (!mry_grow_in(mem, items, &room, *count + 1, sizeof is))
                return mry_fail_memory(error, NULL);
            (*items)[(*count)++] = is;
        }
    }
    if (!status && *count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no action labelled %s is whole in this graph, in frames that walks may "
                        "use",
                        label);
    return status;
}

static marey_status open_stages(acting *a, mry_arena *tmp, marey_error *error)
{
    const marey_graph *graph = a->ways->graph;
    int nodes = graph->nodes;
    a->count = a->def->label_count;
    a->stages = MRY_NEW(tmp, stage, a->count + 1);
    a->entry = MRY_NEW_RAW(tmp, double, nodes);
    a->into_first = MRY_NEW(tmp, int, (size_t)nodes + 2);
    a->into = MRY_NEW_RAW(tmp, int, (size_t)graph->transition_count + 1);
    if (!a->stages || !a->entry || !a->into_first || !a->into ||
        !mry_nearest_open(&a->near, tmp, graph))
        return mry_fail_memory(error, NULL);
    for (int i = 0; i < graph->transition_count; i++) {
        int stay = mry_dwell_stay(graph, i, a->ways->dwell.least);
        if (stay > a->longest) a->longest = stay;
        a->into_first[graph->transitions[i].to + 2]++;
    }
    for (int n = 0; n < nodes; n++) a->into_first[n + 2] += a->into_first[n + 1];
    for (int i = 0; i < graph->transition_count; i++)
        a->into[a->into_first[graph->transitions[i].to + 1]++] = i;
    marey_status status = MAREY_OK;
    for (int i = 0; i <= a->count && !status; i++) {
        stage *s = &a->stages[i];
        s->came = MRY_NEW_RAW(tmp, int, nodes);
        s->over = MRY_NEW_RAW(tmp, int, nodes);
        s->began = MRY_NEW_RAW(tmp, int, nodes);
        s->ends = MRY_NEW_RAW(tmp, played, nodes);
        if (!s->came || !s->over || !s->began || !s->ends) return mry_fail_memory(error, NULL);
        for (int n = 0; n < nodes; n++) {
            s->came[n] = s->over[n] = s->began[n] = -1;
            s->ends[n] = (played){ .instance = -1, .cost = INFINITY };
        }
        if (i < a->count)
            status = mry_action_instances(graph, a->ways->dwell.allowed, a->def->labels[i], tmp,
                                          &s->items, &s->count, error);
    }
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Plays an instance on from a node of its sequence at or before its first one, with so many frames to
   go until the walk is free. how.cost: that of being at the node. */
static void play(const acting *a, stage *s, played how, int at, int to_free)
{
    const mry_ways *ways = a->ways;
    bool last = s == &a->stages[a->count - 1];
    int end = s->items[how.instance].last, frames = end - at;
    if (frames < to_free) {
        int behind = mry_dwell_along(ways->graph, end, to_free - frames);
        if (behind < 0 || !is_allowed(ways->dwell.allowed, end, behind)) return;
        end = behind;
        frames = to_free;
    }
    /* Behind the last action a walk may end where there is no way on. */
    if ((!last || a->def->to_given) && !ways->dwell.free[end]) return;
    how.cost += frames * ways->frame;
    if (how.cost < s->ends[end].cost) s->ends[end] = how;
}

/* Over the transitions that lead to a node. */
static void play_over(const acting *a, stage *s, int number, int at)
{
    const mry_ways *ways = a->ways;
    const marey_graph *graph = ways->graph;
    for (int k = a->into_first[at]; k < a->into_first[at + 1]; k++) {
        int over = a->into[k], from = graph->transitions[over].from;
        int to_free = mry_dwell_stay(graph, over, ways->dwell.least) - 1;
        double cut = ways->frame + ways->per_cut +
                     ways->per_distance * (double)graph->transitions[over].distance;
        played how = { number, from, over, .cost = a->near.cost[from] + cut };
        if (isfinite(how.cost)) play(a, s, how, at, to_free);
        if (s == a->stages || s[-1].ends[from].instance < 0) continue;
        how.cost = s[-1].ends[from].cost + cut;
        how.at_once = true;
        play(a, s, how, at, to_free);
    }
}

/* The cheapest ways to play the instances of a stage that was searched. */
static void play_all(acting *a, stage *s)
{
    const mry_ways *ways = a->ways;
    const marey_graph *graph = ways->graph;
    int least = ways->dwell.least > 0 ? ways->dwell.least : 1;
    for (int i = 0; i < s->count; i++) {
        /* From its first node back, as far as a walk that comes there is not free yet, or would not
           get away any more. */
        int at = s->items[i].first;
        for (int back = 0; at >= 0 && ways->dwell.allowed[at]; back++, at = graph->before[at]) {
            bool begins = !a->def->from_given || at == a->def->from;
            if (back >= a->longest && ways->dwell.free[at] && ways->dwell.free[at + 1]) break;
            played how = { i, at, -1, .cost = a->near.cost[at] };
            if (isfinite(how.cost)) play(a, s, how, at, 0);
            how.begins = true;
            how.cost = 0;
            if (s == a->stages && begins && back < least) play(a, s, how, at, least - 1);
            play_over(a, s, i, at);
        }
    }
}

static void search(acting *a, stage *s)
{
    for (int n = 0; n < a->ways->graph->nodes; n++) a->near.cost[n] = a->entry[n];
    a->near.came = s->came;
    a->near.over = s->over;
    mry_nearest_run(&a->near, a->ways, NULL);
}

/* Where a walk may begin, and be free. */
static void begin(acting *a)
{
    const mry_ways *ways = a->ways;
    int least = ways->dwell.least > 0 ? ways->dwell.least : 1;
    for (int n = 0; n < ways->graph->nodes; n++) a->entry[n] = INFINITY;
    for (int n = 0; n < ways->graph->nodes; n++) {
        if (a->def->from_given && n != a->def->from) continue;
        int at = mry_dwell_begin(ways->graph, &ways->dwell, n);
        if (at < 0) continue;
        a->entry[at] = (least - 1) * ways->frame;
        a->stages[0].began[at] = n;
    }
}

/* Behind a stage: into the next one. What is played ends with a frame; the next action begins with a
   later one. */
static void enter_next(acting *a, stage *s)
{
    for (int n = 0; n < a->ways->graph->nodes; n++) a->entry[n] = INFINITY;
    for (int n = 0; n < a->ways->graph->nodes; n++) {
        bool ends = s->ends[n].instance >= 0;
        for (int k = 0; ends && k < mry_step_count(a->ways->graph, n); k++) {
            mry_step step = mry_step_at(a->ways, n, k);
            double cost = s->ends[n].cost + step.cost;
            if (step.to < 0 || !(cost < a->entry[step.to])) continue;
            a->entry[step.to] = cost;
            s[1].came[step.to] = ENTERED - n;
            s[1].over[step.to] = step.transition;
        }
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Nodes from `first` to `last` of a sequence, written before place `at`; nodes NULL: only
   counted. */
static int put_run(const marey_graph *graph, int first, int last, int *nodes, int at)
{
    for (int n = last;; n = graph->before[n]) {
        at--;
        if (nodes) nodes[at] = n;
        if (n == first) return at;
    }
}

/* The whole walk that ends with being free at a node of a stage, before place `at`; `acted`: having
   just played its action. */
static int put_walk(const acting *a, int number, int node, bool acted, int *nodes, int at)
{
    const marey_graph *graph = a->ways->graph;
    for (;;) {
        const stage *s = &a->stages[number];
        if (acted) {
            const played *how = &s->ends[node];
            int first = how->over >= 0 ? graph->transitions[how->over].to : how->enters;
            at = put_run(graph, first, node, nodes, at);
            if (how->begins) return at;
            node = how->enters;
            acted = how->at_once;
            number -= how->at_once;
            /* A free way in begins with the node that is free. */
            if (how->over < 0) at++;
            continue;
        }
        int came = s->came[node];
        if (came == -1) return put_run(graph, s->began[node], node, nodes, at);
        at = mry_walk_back(graph, s->over[node], node, nodes, at);
        acted = came <= ENTERED;
        number -= acted;
        node = acted ? ENTERED - came : came;
    }
}

/* Where it ends: with the last action, or behind it at `to`. */
static marey_status keep(marey_ctx *ctx, mry_arena *tmp, acting *a, marey_walk *out,
                         marey_error *error)
{
    const stage *last = &a->stages[a->count - 1];
    int node = a->def->to;
    bool acted = true;
    if (a->def->to_given) {
        search(a, &a->stages[a->count]);
        if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
        acted = last->ends[node].cost <= a->near.cost[node];
    } else {
        node = 0;
        for (int n = 1; n < a->ways->graph->nodes; n++) {
            if (last->ends[n].cost < last->ends[node].cost) node = n;
        }
    }
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
    mry_arena tmp = mry_arena_make(ctx);
    acting a = { .ways = ways, .def = def };
    marey_status status = open_stages(&a, &tmp, error);
    if (!status) begin(&a);
    for (int i = 0; i < a.count && !status; i++) {
        stage *s = &a.stages[i];
        bool cancelled = !mry_progress(ctx, "finding a walk", i, a.count);
        if (!cancelled) search(&a, s);
        if (cancelled || mry_cancelled(ctx)) { /* then the search is not complete */
            status = mry_fail_cancelled(error);
            break;
        }
        bool last = i + 1 == a.count, any = false;
        play_all(&a, s);
        for (int n = 0; n < ways->graph->nodes && !any; n++) any = s->ends[n].instance >= 0;
        if (!any)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "no walk gets to the whole of %s%s",
                              def->labels[i], last ? "" : " and on from there");
        if (!status && (!last || def->to_given)) enter_next(&a, s);
    }
    if (!status) status = keep(ctx, &tmp, &a, out, error);
    mry_arena_free(&tmp);
    return status;
}
