/* walk_length.c - a walk of so many frames, at random, with few repeats.

   In every round each free node is fresh until it was passed once; when none is left, the next
   round begins. Where fresh nodes can be reached with one step, one of them is chosen at random;
   where there are no such, the walk goes to a fresh one that can be reached with little repeating
   and few transitions. Behind a transition it stays in its piece longer than it must: motion that
   is cut all the time looks like it. */
#include "base/fail.h"
#include "base/grow.h"
#include "graph/walk_data.h"
#include "math/turn.h"

#include <math.h>
#include <string.h>

/* ---- ending at a node after so many steps --------------------------------------------------- */

/* From which free nodes a walk can still end as it should, free and with exactly so many frames
   left: with a given node, or with any.

   The set for k frames is that of the nodes with a step of f frames into the set for k - f. What
   follows depends on the last few sets alone, as many as the longest step has frames, and there are
   only so many of these rows of sets: they come again from some number on (in nearly every graph
   they are "all nodes" from there); Brent's method notices that with a comparison a set (Brent
   1980). So it does not matter how long a walk is. */

enum { WORD = 64 };

typedef struct arrival_sets {
    size_t words;
    uint64_t **sets; /* sets[k]: a bit for each node from which it ends well with k frames left */
    int count, room;
    int base, period; /* from sets[base] on they come again every so many; period 0: not that far */
} arrival_sets;

static bool set_has(const uint64_t *set, int node)
{
    return set[node / WORD] >> (node % WORD) & 1;
}

static uint64_t *append_set(arrival_sets *a, mry_arena *mem)
{
    if (!mry_grow_in(mem, &a->sets, &a->room, a->count + 1, sizeof *a->sets)) return NULL;
    uint64_t *set = MRY_NEW(mem, uint64_t, a->words);
    if (set) a->sets[a->count++] = set;
    return set;
}

/* The nodes with a step into a set so many frames before. */
static void fill_set(const arrival_sets *a, const mry_ways *ways, int number, uint64_t *set)
{
    const marey_graph *graph = ways->graph;
    for (int n = 0; n < graph->nodes; n++) {
        int steps_on = ways->dwell.free[n] ? mry_step_count(graph, n) : 0;
        for (int k = 0; k < steps_on; k++) {
            mry_step step = mry_step_at(ways, n, k);
            if (step.to < 0 || step.frames > number ||
                !set_has(a->sets[number - step.frames], step.to))
                continue;
            set[n / WORD] |= UINT64_C(1) << (n % WORD);
            break;
        }
    }
}

/* For up to `frames` frames; `goal`: the node to end with, or -1. Lives in mem. MEMORY,
   CANCELLED. */
static marey_status arrivals_open(arrival_sets *a, mry_arena *mem, const mry_ways *ways, int goal,
                                  int frames, marey_error *error)
{
    const marey_graph *graph = ways->graph;
    *a = (arrival_sets){ .words = ((size_t)graph->nodes + WORD - 1) / WORD };
    uint64_t *set = append_set(a, mem);
    if (!set) return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes; n++) {
        if (ways->dwell.free[n] && (goal < 0 || n == goal))
            set[n / WORD] |= UINT64_C(1) << (n % WORD);
    }
    int longest = 1;
    for (int i = 0; i < graph->transition_count; i++) {
        int stay = mry_dwell_stay(graph, i, ways->dwell.least);
        if (ways->dwell.lands[i] >= 0 && stay > longest) longest = stay;
    }
    /* Sets that are the same as those `period` before, so many in a row. */
    int marker = 0, next_marker = 2, period = 0, same = 0;
    while (a->count <= frames) {
        if (mry_cancelled(mem->ctx)) return mry_fail_cancelled(error);
        int number = a->count;
        set = append_set(a, mem);
        if (!set) return mry_fail_memory(error, NULL);
        fill_set(a, ways, number, set);
        size_t bytes = a->words * sizeof *set;
        if (same > 0 && memcmp(set, a->sets[number - period], bytes) != 0) same = 0;
        if (same > 0) {
            same++;
        } else if (memcmp(set, a->sets[marker], bytes) == 0) {
            period = number - marker;
            same = 1;
        }
        if (same >= longest) {
            a->base = number - period - longest + 1;
            a->period = period;
            break;
        }
        if (number == next_marker && same == 0) marker = number;
        if (number == next_marker) next_marker *= 2;
    }
    return MAREY_OK;
}

static bool arrives(const arrival_sets *a, int node, int frames)
{
    if (frames >= a->count) frames = a->base + (frames - a->base) % a->period;
    return set_has(a->sets[frames], node);
}

/* ---- roving --------------------------------------------------------------------------------- */

#define STAY_S 0.4 /* in a piece, at least .. */
#define MORE_S 1.0 /* .. and so much more on the mean, if there is more of it that is fresh */
#define CUT_S 0.5  /* a transition on the way to a fresh node counts for so much repeating .. */
#define POOR_S 0.5 /* .. and one as poor as can be for so much more */

typedef struct rover {
    const mry_ways *ways;
    mry_ways wide; /* the same, with costs for ways to fresh nodes */
    arrival_sets arrivals;
    uint64_t seed;
    uint8_t *fresh; /* of each node */
    int fresh_left;
    int *taken; /* how often each transition was */
    mry_nearest near;
    int *plan; /* transitions to a fresh node, the next one last; -1: to the next of its sequence */
    int planned;
    int stay, since; /* frames in the piece: wanted, and so far */
    int more;        /* frames to stay on the mean besides */
} rover;

static int random_below(rover *r, int count)
{
    return (int)(mry_random_next(&r->seed) % (uint64_t)count);
}

static bool can_take(const rover *r, mry_step step, int left)
{
    return step.to >= 0 && step.frames <= left &&
           arrives(&r->arrivals, step.to, left - step.frames);
}

/* Of the transitions that can be taken those taken least often, and of these one at random. fresh:
   only to fresh nodes. to == -1: none. */
static mry_step choose_transition(rover *r, int node, int left, bool fresh)
{
    const marey_graph *graph = r->ways->graph;
    mry_step best = { .to = -1 };
    double sum = 0;
    for (int k = 1; k < mry_step_count(graph, node); k++) {
        mry_step step = mry_step_at(r->ways, node, k);
        if (!can_take(r, step, left) || (fresh && !r->fresh[step.to])) continue;
        int more = best.to < 0 ? -1 : r->taken[step.transition] - r->taken[best.transition];
        if (more > 0) continue;
        /* Good ones are chosen more often, and such where the same feet are planted on both
           sides. */
        double distance = (double)graph->transitions[step.transition].distance;
        double good = graph->def.threshold > 0 ? 1.1 - distance / graph->def.threshold : 1;
        double weight = good * (graph->contacts[node] == graph->contacts[step.to] ? 1 : 0.2);
        sum = more < 0 ? weight : sum + weight;
        if (mry_random_between(&r->seed, 0, sum) < weight) best = step;
    }
    return best;
}

static mry_step planned_step(rover *r, int node, int left)
{
    mry_step step = { .to = -1 };
    if (r->planned == 0) {
        /* To the fresh node that is cheapest to reach. */
        mry_nearest_clear(&r->near, r->ways->graph);
        r->near.cost[node] = 0;
        int goal = mry_nearest_run(&r->near, &r->wide, r->fresh);
        for (int n = goal; n >= 0 && n != node; n = r->near.came[n])
            r->plan[r->planned++] = r->near.over[n];
    }
    if (r->planned == 0) return step;
    int over = r->plan[--r->planned];
    step = mry_step_at(r->ways, node, over < 0 ? 0 : over - r->ways->graph->leaving[node] + 1);
    if (can_take(r, step, left)) return step;
    r->planned = 0;
    return (mry_step){ .to = -1 };
}

static mry_step choose(rover *r, int node, int left)
{
    mry_step on = mry_step_at(r->ways, node, 0), cut;
    bool can_go_on = can_take(r, on, left);
    if (r->planned > 0) {
        cut = planned_step(r, node, left);
        if (cut.to >= 0) return cut;
    }
    if (can_go_on && r->since < r->stay) return on;
    bool stays = can_go_on && r->fresh[on.to];
    if (stays && random_below(r, r->more) > 0) return on;
    cut = choose_transition(r, node, left, true);
    if (cut.to >= 0) return cut;
    if (stays) return on;
    cut = planned_step(r, node, left);
    if (cut.to >= 0) return cut;
    /* Whatever still arrives. */
    cut = choose_transition(r, node, left, false);
    return can_go_on && (cut.to < 0 || random_below(r, 2) == 0) ? on : cut;
}

static void pass(rover *r, int node)
{
    r->fresh_left -= r->fresh[node];
    r->fresh[node] = 0;
    if (r->fresh_left > 0) return;
    const uint8_t *use = r->ways->dwell.free;
    for (int n = 0; n < r->ways->graph->nodes; n++) r->fresh[n] = use[n];
    r->fresh_left = r->ways->dwell.free_count;
    if (r->fresh_left > 1) {
        r->fresh[node] = 0;
        r->fresh_left--;
    }
}

static marey_status rove(marey_ctx *ctx, rover *r, const marey_walk_def *def, int *nodes,
                         marey_error *error)
{
    /* A node to begin with; -1: from none there is an end in time. */
    const mry_ways *ways = r->ways;
    const marey_graph *graph = ways->graph;
    int at = -1, found = 0, lead = ways->dwell.least > 1 ? ways->dwell.least - 1 : 0;
    if (lead > def->frames - 1) lead = def->frames - 1; /* it is all one piece */
    for (int n = 0; n < graph->nodes; n++) {
        int free = mry_dwell_begin(graph, &ways->dwell, n);
        if (lead + 1 < ways->dwell.least) free = free < 0 ? -1 : mry_dwell_along(graph, n, lead);
        bool ends = lead == def->frames - 1
                        ? !def->to_given || free == def->to
                        : free >= 0 && arrives(&r->arrivals, free, def->frames - 1 - lead);
        if (free < 0 || !ends) continue;
        if (def->from_given ? n == def->from : random_below(r, ++found) == 0) at = n;
    }
    if (at < 0 && def->to_given)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no walk of exactly %d frames ends with node %d%s", def->frames, def->to,
                        def->from_given ? " and begins there" : "");
    if (at < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there is no way on for %d frames: the graph has too few transitions; a "
                        "higher threshold has more",
                        def->frames);
    int count = 0;
    for (; count <= lead; at = graph->next[at]) nodes[count++] = at;
    at = nodes[count - 1];
    pass(r, at);
    r->since = count;
    while (count < def->frames) {
        if (count % 1024 == 0 && !mry_progress(ctx, "finding a walk", count, def->frames))
            return mry_fail_cancelled(error);
        mry_step step = choose(r, at, def->frames - count);
        if (mry_cancelled(ctx)) return mry_fail_cancelled(error); /* a plan may be none for that */
        if (step.to < 0)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "there is no way on: the graph has no transition back; a higher "
                            "threshold has more");
        if (step.transition >= 0) r->taken[step.transition]++;
        r->since = step.transition >= 0 ? step.frames : r->since + 1;
        count += step.frames;
        mry_walk_back(graph, step.transition, step.to, nodes, count);
        at = step.to;
        pass(r, at);
    }
    return MAREY_OK;
}

marey_status mry_walk_length(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                             marey_walk *out, marey_error *error)
{
    if (def->frames < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "frames of a walk must be at least 1, got %d", def->frames);
    if (def->frames > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "frames of a walk must be at most %d, got %d",
                        (int)MRY_WALK_MOST_FRAMES, def->frames);
    mry_arena tmp = mry_arena_make(ctx);
    const marey_graph *graph = ways->graph;
    double threshold = graph->def.threshold;
    int *nodes = MRY_NEW_RAW(&tmp, int, def->frames);
    rover r = { .ways = ways,
                .wide = *ways,
                .seed = def->seed ? def->seed : 1,
                .fresh = MRY_NEW_RAW(&tmp, uint8_t, graph->nodes),
                .fresh_left = ways->dwell.free_count,
                .taken = MRY_NEW(&tmp, int, graph->transition_count + 1),
                .plan = MRY_NEW_RAW(&tmp, int, graph->nodes),
                .stay = (int)ceil(STAY_S * graph->fps),
                .more = (int)ceil(MORE_S * graph->fps) };
    r.wide.frame = 1;
    r.wide.per_cut = CUT_S * graph->fps;
    r.wide.per_distance = threshold > 0 ? POOR_S * graph->fps / threshold : 0;
    bool room = nodes && r.fresh && r.taken && r.plan && mry_nearest_open(&r.near, &tmp, graph);
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes && room; n++) r.fresh[n] = ways->dwell.free[n];
    if (!status)
        status = arrivals_open(&r.arrivals, &tmp, ways, def->to_given ? def->to : -1,
                               def->frames - 1, error);
    if (!status) status = rove(ctx, &r, def, nodes, error);
    if (!status) {
        out->arrived = true;
        out->expanded = out->first_after = r.near.expanded;
        status = mry_walk_keep(ctx, ways, nodes, def->frames, out, error);
    }
    mry_arena_free(&tmp);
    return status;
}
