/* cluster_ways.c - the cheapest way from clip to clip through a cluster graph (Dijkstra 1959): seconds of what is played between
   the two clips, and for each switch what it counts for and its distance. Costs of switches are reckoned as they are needed. */
#include "graph/cluster_ways.h"
#include "base/fail.h"

#include <math.h>

/* The part of the way that a row is played in. */
enum { FIRST, BETWEEN, LAST, PARTS };

typedef struct searching {
    const mry_crossing *x;
    const marey_clusters *c;
    mry_arena *tmp;
    mry_pairing pairing;
    bool one;      /* a single switch */
    int layers;    /* 1 + nodes to pass through */
    float **cloud; /* of each node; NULL: not looked at yet */
    int *at;       /* of each sequence: where its rows begin there */
    double *cost;  /* of each state; INFINITY: not reached */
    int *came;     /* the state before; -1: none */
    int *heap, *place;
    int count;
    int64_t states;
} searching;

/* ---- states -------------------------------------------------------------------------------------------------------- */

static int state_of(const searching *s, int row, int part, int layer)
{
    return (layer * PARTS + part) * s->x->rows + row;
}

static int row_of(const searching *s, int state)
{
    return state % s->x->rows;
}

/* How many of the nodes were passed through when a row is played, too; before the first switch none is. */
static int pass(const searching *s, int row, int layer)
{
    const marey_route_def *def = &s->x->def;
    while (layer + 1 < s->layers && mry_row_node(s->c, row) == def->nodes[layer]) layer++;
    return layer;
}

/* ---- a heap with the cheapest on top ---------------------------------------------------------------------------------- */

static void put(searching *s, int at, int state)
{
    s->heap[at] = state;
    s->place[state] = at;
}

static void rise(searching *s, int at, int state)
{
    for (int up; at > 0 && s->cost[s->heap[up = (at - 1) / 2]] > s->cost[state]; at = up)
        put(s, at, s->heap[up]);
    put(s, at, state);
}

static int take_cheapest(searching *s)
{
    int top = s->heap[0], last = s->heap[--s->count], at = 0;
    s->place[top] = -1;
    for (int child; (child = 2 * at + 1) < s->count; at = child) {
        if (child + 1 < s->count && s->cost[s->heap[child + 1]] < s->cost[s->heap[child]]) child++;
        if (!(s->cost[s->heap[child]] < s->cost[last])) break;
        put(s, at, s->heap[child]);
    }
    if (s->count > 0) put(s, at, last);
    return top;
}

static void reach(searching *s, int state, double cost, int from)
{
    if (!(cost < s->cost[state])) return;
    if (s->cost[state] == INFINITY) s->place[state] = s->count++;
    s->cost[state] = cost;
    s->came[state] = from;
    rise(s, s->place[state], state);
}

/* ---- steps --------------------------------------------------------------------------------------------------------------- */

/* The rows of a node, sequence after sequence. NULL: out of memory. */
static const float *cloud_of(searching *s, int node)
{
    const marey_cluster_node *of = &s->c->nodes[node];
    size_t stride = s->pairing.stride;
    if (s->cloud[node]) return s->cloud[node];
    float *all = MRY_NEW_RAW(s->tmp, float, (size_t)of->rows *stride);
    if (!all) return NULL;
    for (int n = of->first, at = 0; n < of->first + of->sequences; n++) {
        const marey_cluster_sequence *one = &s->c->sequences[n];
        mry_pairing_fill(&s->pairing, one->clip, s->c->sequence_row[n], one->rows,
                         all + (size_t)at * stride);
        s->at[n] = at;
        at += one->rows;
    }
    s->cloud[node] = all;
    return all;
}

/* To the row behind `to`. */
static void try_switch(searching *s, int state, const float *from, int to, const float *cloud)
{
    const mry_crossing *x = s->x;
    int layer = state / x->rows / PARTS;
    bool between = !s->one && mry_row_goes_on(s->c, to) && x->lead[to + 1];
    if (!between && !x->enter[to]) return;
    int next = layer == 0 && s->layers > 1 ? 1 : layer; /* the first switch is in the first node */
    next = pass(s, to + 1, next);
    int on = state_of(s, to + 1, BETWEEN, next), end = state_of(s, to + 1, LAST, next);
    double least = s->cost[state] + x->def.switch_cost;
    if (!(between && least < s->cost[on]) && !(x->enter[to] && least < s->cost[end])) return;
    double cost = least + mry_pairing_cost(&s->pairing, from, cloud) / MRY_SECOND_CM2;
    if (between) reach(s, on, cost + 1 / s->c->fps, state);
    if (x->enter[to]) reach(s, end, cost, state);
}

static bool try_switches(searching *s, int state)
{
    const marey_clusters *c = s->c;
    int row = row_of(s, state), own = c->sequence[row], node = mry_row_node(c, row);
    size_t stride = s->pairing.stride;
    const float *cloud = cloud_of(s, node);
    if (!cloud) return false;
    int in_own = row - c->first_row[c->sequences[own].clip] - c->sequence_row[own];
    const float *from = cloud + (size_t)(s->at[own] + in_own) * stride;
    for (int n = c->nodes[node].first; n < c->nodes[node].first + c->nodes[node].sequences; n++) {
        if (n == own) continue;
        int first = c->first_row[c->sequences[n].clip] + c->sequence_row[n];
        const float *to = cloud + (size_t)s->at[n] * stride;
        for (int r = 0; r < c->sequences[n].rows; r++, to += stride)
            try_switch(s, state, from, first + r, to);
    }
    return true;
}

/* What can follow a state. false: out of memory. */
static bool expand(searching *s, int state)
{
    const mry_crossing *x = s->x;
    int row = row_of(s, state), part = state / x->rows % PARTS, layer = state / x->rows / PARTS;
    if (mry_row_goes_on(s->c, row)) {
        int next = part == FIRST ? 0 : pass(s, row + 1, layer);
        double time = part == BETWEEN ? 1 / s->c->fps : 0;
        if (part != BETWEEN || x->lead[row + 1])
            reach(s, state_of(s, row + 1, part, next), s->cost[state] + time, state);
    }
    if (part == LAST) return true;
    if (part == FIRST && !x->leave[row]) return true;
    if (part == FIRST && s->layers > 1 && mry_row_node(s->c, row) != x->def.nodes[0]) return true;
    return try_switches(s, state);
}

static bool is_end(const searching *s, int state)
{
    const mry_crossing *x = s->x;
    int row = row_of(s, state), part = state / x->rows % PARTS, layer = state / x->rows / PARTS;
    if (part != LAST || layer + 1 < s->layers) return false;
    return x->to >= 0 ? row == x->to : !mry_row_goes_on(s->c, row);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

static bool searching_open(searching *s)
{
    const marey_clusters *c = s->c;
    size_t states = (size_t)s->x->rows * (size_t)s->layers * PARTS;
    if (states > INT32_MAX) return false;
    s->states = (int64_t)states;
    s->cloud = MRY_NEW(s->tmp, float *, c->node_count);
    s->at = MRY_NEW(s->tmp, int, c->sequence_count);
    s->cost = MRY_NEW_RAW(s->tmp, double, states);
    s->came = MRY_NEW_RAW(s->tmp, int, states);
    s->heap = MRY_NEW_RAW(s->tmp, int, states);
    s->place = MRY_NEW_RAW(s->tmp, int, states);
    if (!s->cloud || !s->at || !s->cost || !s->came || !s->heap || !s->place) return false;
    for (size_t n = 0; n < states; n++) {
        s->cost[n] = INFINITY;
        s->came[n] = -1;
    }
    int clip = s->x->def.from_clip;
    for (int row = c->first_row[clip]; row < c->first_row[clip + 1]; row++) {
        if (c->sequence[row] < 0) continue;
        if (s->x->from >= 0 ? row == s->x->from : mry_row_begins(c, row))
            reach(s, state_of(s, row, FIRST, 0), 0, -1);
    }
    return true;
}

/* Rows follow each other but where one switches. */
static bool trace(const searching *s, int end, mry_arena *mem, mry_crossed *out)
{
    int count = 0;
    for (int n = end; s->came[n] >= 0; n = s->came[n])
        count += row_of(s, n) != row_of(s, s->came[n]) + 1;
    out->from = MRY_NEW_RAW(mem, int, count);
    out->to = MRY_NEW_RAW(mem, int, count);
    if (!out->from || !out->to) return false;
    out->switches = count;
    out->cost = s->cost[end];
    out->last = out->first = row_of(s, end);
    for (int n = end; s->came[n] >= 0; n = s->came[n]) {
        int before = row_of(s, s->came[n]);
        out->first = before;
        if (row_of(s, n) == before + 1) continue;
        out->from[--count] = before;
        out->to[count] = row_of(s, n) - 1;
    }
    return true;
}

static marey_status run(searching *s, mry_arena *mem, mry_crossed *out, marey_error *error)
{
    *out = (mry_crossed){ 0 };
    if (!searching_open(s)) return mry_fail_memory(error, NULL);
    for (int64_t n = 0; s->count > 0; n++) {
        int state = take_cheapest(s);
        if (n % 256 == 0 && !mry_progress(mem->ctx, "looking for a way", n, s->states))
            return mry_fail_cancelled(error);
        if (is_end(s, state))
            return trace(s, state, mem, out) ? MAREY_OK : mry_fail_memory(error, NULL);
        if (!expand(s, state)) return mry_fail_memory(error, NULL);
    }
    return MAREY_OK;
}

marey_status mry_crossing_find(const mry_crossing *crossing, mry_arena *mem, bool one,
                               mry_crossed *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    searching s = { .x = crossing,
                    .c = crossing->of,
                    .tmp = &tmp,
                    .pairing = mry_pairing_open(crossing->of),
                    .one = one,
                    .layers = 1 + crossing->def.node_count };
    marey_status status = run(&s, mem, out, error);
    mry_arena_free(&tmp);
    return status;
}
