/* cluster_route.c - from one clip to another by way of switches inside nodes (clusters, 3.3: "play
   M4 till the j4th frame and then switch to the (j7 + 1)th frame in clip M7"): what is asked for,
   one switch if one is enough, and what to say if there is no way. */
#include "base/binary_heap.h"
#include "base/fail.h"
#include "cluster/cluster_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows here are those of all clips one behind the other, as in marey_clusters. A way plays rows of
   the first clip, switches, plays on, .. switches to the last clip and plays that. It is searched
   for in states: a row, in which of these parts of the way it is played, and how many of the nodes
   that are to be passed through were. */

/* A switch that costs so much counts for a second more. */
#define SECOND_CM2 100.0

typedef struct crossing {
    const marey_clusters *of;
    marey_route_def def; /* every default filled in */
    int rows;            /* of all clips */
    int from; /* row to begin with; -1: where the first clip, or a captured part of it, begins */
    int to;   /* row to end with; -1: where the last clip, or a captured part of it, ends */
    uint8_t *leave; /* of each row: the first switch may be from there */
    uint8_t *enter; /* the last one may be to it: what is behind it is played to the end */
    uint8_t *lead;  /* from there, played between the clips, the end can be reached */
} crossing;

static int row_clip(const marey_clusters *c, int row)
{
    return c->sequences[c->sequence[row]].clip;
}

static int row_node(const marey_clusters *c, int row)
{
    return c->sequences[c->sequence[row]].node;
}

/* Is the row behind it what the clip goes on with? */
static bool row_goes_on(const marey_clusters *c, int row)
{
    int sequence = c->sequence[row];
    const marey_cluster_sequence *of = &c->sequences[sequence];
    return mry_sequence_goes_on(c, sequence,
                                row - c->first_row[of->clip] - c->sequence_row[sequence]);
}

/* Does the clip, or a captured part of it, begin with it? */
static bool row_begins(const marey_clusters *c, int row)
{
    int sequence = c->sequence[row];
    const marey_cluster_sequence *of = &c->sequences[sequence];
    return of->before < 0 && row == c->first_row[of->clip] + c->sequence_row[sequence];
}

static int row_frame(const marey_clusters *c, int row)
{
    int clip = row_clip(c, row);
    return c->features[clip]->frame[row - c->first_row[clip]];
}

typedef struct crossed {
    int switches;
    int *from, *to; /* rows: of each switch; played are those up to `from`, and from `to` + 1 on */
    int first, last;
    double cost;
} crossed;

/* ---- which ways there are ------------------------------------------------------------------- */

/* Which rows of a cluster graph lead from a clip to another: where the first can be left, where the
   last can be entered, and what is worth playing between. Without any distances: in a node one can
   switch from any sequence to any other. */

/* Which sequences of a node have a row that is worth switching to. */
typedef struct worth {
    int sequence; /* -1: none */
    bool several;
} worth;

static bool is_near(const crossing *x, int clip, int row, bool bound, int frame)
{
    if (!bound) return true;
    double apart = row_frame(x->of, row) - frame;
    return fabs(apart) <= x->def.within_s * x->of->clips[clip]->fps + 1e-6;
}

static bool can_switch(const crossing *x, const worth *nodes, int row)
{
    const worth *of = &nodes[row_node(x->of, row)];
    return of->several || (of->sequence >= 0 && of->sequence != x->of->sequence[row]);
}

/* Fills leave, enter and lead, which have room for all rows, as if no nodes were asked for.
   anywhere: wherever the clips can be left and entered. false: out of memory. */
static bool find_reach(crossing *x, mry_arena *tmp, bool anywhere)
{
    worth *nodes = MRY_NEW_RAW(tmp, worth, x->of->node_count);
    if (!nodes) return false;
    memset(x->leave, 0, (size_t)x->rows);
    memset(x->enter, 0, (size_t)x->rows);
    memset(x->lead, 0, (size_t)x->rows);
    /* Rows from the beginning on, without a gap. */
    const marey_clusters *c = x->of;
    const marey_route_def *def = &x->def;
    bool played = false;
    for (int row = c->first_row[def->from_clip]; row < c->first_row[def->from_clip + 1]; row++) {
        if (c->sequence[row] < 0) continue;
        if (row_begins(c, row)) played = x->from < 0;
        if (row == x->from) played = true;
        x->leave[row] =
            played && (anywhere || is_near(x, def->from_clip, row, def->leave_given, def->leave));
    }
    /* Rows with something behind them that goes on to the end without a gap. */
    bool ends = false;
    for (int row = c->first_row[def->to_clip + 1] - 1; row >= c->first_row[def->to_clip]; row--) {
        if (c->sequence[row] < 0) continue;
        if (!row_goes_on(c, row)) ends = false;
        x->enter[row] =
            ends && (anywhere || is_near(x, def->to_clip, row, def->enter_given, def->enter));
        if (x->to < 0 || row == x->to) ends = true;
    }
    /* Until nothing more leads there: every round takes one switch more. */
    for (bool more = true; more;) {
        more = false;
        /* What is worth switching to in each node. */
        for (int n = 0; n < c->node_count; n++) nodes[n] = (worth){ .sequence = -1 };
        for (int row = 0; row < x->rows; row++) {
            if (c->sequence[row] < 0) continue;
            if (x->enter[row] || (row_goes_on(c, row) && x->lead[row + 1])) {
                worth *of = &nodes[row_node(c, row)];
                if (of->sequence < 0)
                    of->sequence = c->sequence[row];
                else if (of->sequence != c->sequence[row])
                    of->several = true;
            }
        }
        for (int row = x->rows - 1; row >= 0; row--) {
            if (c->sequence[row] < 0 || x->lead[row]) continue;
            if (!can_switch(x, nodes, row) && !(row_goes_on(c, row) && x->lead[row + 1])) continue;
            x->lead[row] = 1;
            more = true;
        }
    }
    for (int row = 0; row < x->rows; row++) {
        if (x->leave[row]) x->leave[row] = can_switch(x, nodes, row);
    }
    return true;
}

/* ---- the cheapest --------------------------------------------------------------------------- */

/* The cheapest way from clip to clip through a cluster graph (Dijkstra 1959): seconds of what is
   played between the two clips, and for each switch what it counts for and its distance. Costs of
   switches are reckoned as they are needed. */

/* The part of the way that a row is played in. */
enum { FIRST, BETWEEN, LAST, PARTS };

typedef struct searching {
    const crossing *x;
    const marey_clusters *c;
    mry_arena *tmp;
    mry_pairing pairing;
    bool one;      /* a single switch */
    int layers;    /* 1 + nodes to pass through */
    float **cloud; /* of each node; NULL: not looked at yet */
    int *at;       /* of each sequence: where its rows begin there */
    double *cost;  /* of each state; INFINITY: not reached */
    int *came;     /* the state before; -1: none */
    int *place;    /* of each state in the heap of those that wait; -1: not there */
    mry_heap heap;
} searching;

static int state_of(const searching *s, int row, int part, int layer)
{
    return (layer * PARTS + part) * s->x->rows + row;
}

static int row_of(const searching *s, int state)
{
    return state % s->x->rows;
}

/* How many of the nodes were passed through when a row is played, too; before the first switch none
   is. */
static int pass(const searching *s, int row, int layer)
{
    const marey_route_def *def = &s->x->def;
    while (layer + 1 < s->layers && row_node(s->c, row) == def->nodes[layer]) layer++;
    return layer;
}

static bool is_cheaper(const void *user, const void *a, const void *b)
{
    const double *cost = ((const searching *)user)->cost;
    return cost[*(const int *)a] < cost[*(const int *)b];
}

static void note_place(void *user, const void *state, int place)
{
    ((searching *)user)->place[*(const int *)state] = place;
}

static void reach(searching *s, int state, double cost, int from)
{
    if (!(cost < s->cost[state])) return;
    int place = s->cost[state] == INFINITY ? s->heap.count++ : s->place[state];
    s->cost[state] = cost;
    s->came[state] = from;
    mry_heap_raise(&s->heap, place, &state);
}

/* What can follow a state. false: out of memory. */
static bool expand(searching *s, int state)
{
    const crossing *x = s->x;
    const marey_clusters *c = s->c;
    int row = row_of(s, state), part = state / x->rows % PARTS, layer = state / x->rows / PARTS;
    if (row_goes_on(c, row)) {
        int next = part == FIRST ? 0 : pass(s, row + 1, layer);
        double time = part == BETWEEN ? 1 / c->fps : 0;
        if (part != BETWEEN || x->lead[row + 1])
            reach(s, state_of(s, row + 1, part, next), s->cost[state] + time, state);
    }
    int own = c->sequence[row], node = row_node(c, row);
    if (part == LAST) return true;
    if (part == FIRST && !x->leave[row]) return true;
    if (part == FIRST && s->layers > 1 && node != x->def.nodes[0]) return true;
    size_t stride = s->pairing.stride;
    int first = c->nodes[node].first, end = first + c->nodes[node].sequences;
    if (!s->cloud[node]) {
        /* The rows of the node, sequence after sequence. */
        float *all = MRY_NEW_RAW(s->tmp, float, (size_t)c->nodes[node].rows *stride);
        if (!all) return false;
        for (int n = first, at = 0; n < end; n++) {
            const marey_cluster_sequence *one = &c->sequences[n];
            mry_pairing_fill(&s->pairing, one->clip, c->sequence_row[n], one->rows,
                             all + (size_t)at * stride);
            s->at[n] = at;
            at += one->rows;
        }
        s->cloud[node] = all;
    }
    int in_own = row - c->first_row[c->sequences[own].clip] - c->sequence_row[own];
    const float *from = s->cloud[node] + (size_t)(s->at[own] + in_own) * stride;
    int passed =
        layer == 0 && s->layers > 1 ? 1 : layer; /* the first switch is in the first node */
    double least = s->cost[state] + x->def.switch_cost;
    for (int n = first; n < end; n++) {
        if (n == own) continue;
        int to = c->first_row[c->sequences[n].clip] + c->sequence_row[n];
        const float *cloud = s->cloud[node] + (size_t)s->at[n] * stride;
        for (int r = 0; r < c->sequences[n].rows; r++, to++, cloud += stride) {
            /* To the row behind `to`. */
            bool between = !s->one && row_goes_on(c, to) && x->lead[to + 1];
            if (!between && !x->enter[to]) continue;
            int next = pass(s, to + 1, passed);
            int on = state_of(s, to + 1, BETWEEN, next), last = state_of(s, to + 1, LAST, next);
            if (!(between && least < s->cost[on]) && !(x->enter[to] && least < s->cost[last]))
                continue;
            double cost = least + mry_pairing_cost(&s->pairing, from, cloud) / SECOND_CM2;
            if (between) reach(s, on, cost + 1 / c->fps, state);
            if (x->enter[to]) reach(s, last, cost, state);
        }
    }
    return true;
}

/* With one switch, or with any number of them. Lives in mem. switches is 0 if no way was found.
   MEMORY, CANCELLED. */
static marey_status find_way(const crossing *x, mry_arena *mem, bool single, crossed *out,
                             marey_error *error)
{
    const marey_clusters *c = x->of;
    mry_arena tmp = mry_arena_make(mem->ctx);
    int layers = 1 + x->def.node_count, end = -1;
    size_t states = (size_t)x->rows * (size_t)layers * PARTS;
    *out = (crossed){ 0 };
    if (states > INT32_MAX) return mry_fail_memory(error, NULL);
    searching s = { .x = x,
                    .c = c,
                    .tmp = &tmp,
                    .pairing = mry_pairing_open(c),
                    .one = single,
                    .layers = layers,
                    .cloud = MRY_NEW(&tmp, float *, c->node_count),
                    .at = MRY_NEW(&tmp, int, c->sequence_count),
                    .cost = MRY_NEW_RAW(&tmp, double, states),
                    .came = MRY_NEW_RAW(&tmp, int, states),
                    .place = MRY_NEW_RAW(&tmp, int, states) };
    s.heap =
        (mry_heap){ MRY_NEW_RAW(&tmp, int, states), 0, sizeof(int), is_cheaper, note_place, &s };
    bool room = s.cloud && s.at && s.cost && s.came && s.heap.items && s.place;
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    /* Nothing is reached but where it begins. */
    for (size_t n = 0; n < states && room; n++) {
        s.cost[n] = INFINITY;
        s.came[n] = -1;
    }
    int clip = x->def.from_clip;
    for (int row = c->first_row[clip]; row < c->first_row[clip + 1] && room; row++) {
        if (c->sequence[row] < 0) continue;
        if (x->from >= 0 ? row == x->from : row_begins(c, row))
            reach(&s, state_of(&s, row, FIRST, 0), 0, -1);
    }
    for (int64_t n = 0; s.heap.count > 0 && !status && end < 0; n++) {
        int state;
        mry_heap_pop(&s.heap, &state);
        int row = row_of(&s, state);
        bool last = state / x->rows % PARTS == LAST && state / x->rows / PARTS + 1 == layers;
        if (n % 256 == 0 && !mry_progress(mem->ctx, "looking for a way", n, (int64_t)states))
            status = mry_fail_cancelled(error);
        else if (last && (x->to >= 0 ? row == x->to : !row_goes_on(c, row)))
            end = state;
        else if (!expand(&s, state))
            status = mry_fail_memory(error, NULL);
    }
    if (end >= 0) {
        /* Rows follow each other but where one switches. */
        int count = 0;
        for (int n = end; s.came[n] >= 0; n = s.came[n])
            count += row_of(&s, n) != row_of(&s, s.came[n]) + 1;
        int first = row_of(&s, end);
        *out = (crossed){ .switches = count,
                          .from = MRY_NEW_RAW(mem, int, count),
                          .to = MRY_NEW_RAW(mem, int, count),
                          .last = first,
                          .cost = s.cost[end] };
        if (!out->from || !out->to) status = mry_fail_memory(error, NULL);
        for (int n = end; s.came[n] >= 0 && !status; n = s.came[n]) {
            first = row_of(&s, s.came[n]);
            if (row_of(&s, n) == first + 1) continue;
            out->from[--count] = first;
            out->to[count] = row_of(&s, n) - 1;
        }
        out->first = first;
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- routes --------------------------------------------------------------------------------- */

#define WITHIN_S 0.3
#define SWITCH_S 1.0

/* The last row at or before a frame, or the first one at or behind it. */
static marey_status find_row(const marey_clusters *c, int clip, int frame, bool behind, int *out,
                             marey_error *error)
{
    const marey_features *f = c->features[clip];
    if (frame < 0 || frame >= c->clips[clip]->frames)
        return mry_fail(error, MAREY_ERR_REQUEST, c->clips[clip]->name,
                        "frame must be 0 to %d, got %d", c->clips[clip]->frames - 1, frame);
    int row = behind ? 0 : f->rows - 1;
    if (behind)
        while (row + 1 < f->rows && f->frame[row] < frame) row++;
    else
        while (row > 0 && f->frame[row] > frame) row--;
    *out = c->first_row[clip] + row;
    if (behind && f->frame[row] < frame)
        return mry_fail(error, MAREY_ERR_REQUEST, c->clips[clip]->name,
                        "behind frame %d there is nothing at the graph's rate", frame);
    int first = frame < f->frame[row] ? frame : f->frame[row];
    int last = frame < f->frame[row] ? f->frame[row] : frame;
    for (int at = first; at <= last; at++) {
        if (mry_clip_is_marked(c->clips[clip], at))
            return mry_fail(error, MAREY_ERR_REQUEST, c->clips[clip]->name,
                            "frame %d is marked as not captured", at);
    }
    return MAREY_OK;
}

/* Why there is no way. */
static marey_status explain(crossing *x, mry_arena *tmp, marey_error *error)
{
    const marey_clusters *c = x->of;
    const marey_route_def *def = &x->def;
    const char *from = c->clips[def->from_clip]->name, *to = c->clips[def->to_clip]->name;
    bool entering = false; /* where the last is to be entered is what is in the way */
    for (int pass = 0; pass < 2; pass++) {
        bool given = x->def.enter_given;
        x->def.enter_given = given && pass == 0;
        x->def.leave_given = false;
        if (!find_reach(x, tmp, false)) return mry_fail_memory(error, NULL);
        x->def.enter_given = given;
        entering = pass == 1;
        /* Of the rows that the first clip can be left at, the nearest to where it should be. */
        int row = -1;
        for (int r = c->first_row[def->from_clip]; r < c->first_row[def->from_clip + 1]; r++) {
            if (!x->leave[r]) continue;
            if (row < 0 || abs(row_frame(c, r) - def->leave) < abs(row_frame(c, row) - def->leave))
                row = r;
        }
        if (row < 0) continue;
        if (def->node_count > 0)
            return mry_fail(error, MAREY_ERR_INPUT, from,
                            "there is a way to %s, but none through these nodes in this order", to);
        if (entering)
            return mry_fail(error, MAREY_ERR_INPUT, to,
                            "no switch to it from %s within %.2g s of frame %d", from,
                            def->within_s, def->to_first + def->enter);
        return mry_fail(
            error, MAREY_ERR_INPUT, from,
            "no switch from it to %s within %.2g s of frame %d; the nearest is at frame %d", to,
            def->within_s, def->from_first + def->leave, def->from_first + row_frame(c, row));
    }
    return mry_fail(error, MAREY_ERR_INPUT, from,
                    "no node, nor any way through several, leads from there to %s: a higher "
                    "threshold has more",
                    to);
}

static marey_status hand_out(marey_ctx *ctx, const crossing *x, mry_arena *tmp,
                             const crossed *found, marey_route *out, marey_error *error)
{
    size_t count = (size_t)found->switches;
    size_t first = count * sizeof *out->switches;
    size_t bytes = first + (count + 1) * sizeof *out->pieces;
    marey_cluster_switch *block = mry_alloc(ctx, bytes);
    if (!block) return mry_fail_memory(error, NULL);
    marey_route made = { .switch_count = found->switches,
                         .switches = block,
                         .piece_count = found->switches + 1,
                         .pieces = (marey_piece *)(block + count),
                         .cost = found->cost,
                         .direct = found->switches == 1,
                         .bytes = bytes,
                         .ctx = ctx };
    const marey_clusters *c = x->of;
    mry_pairing pairing = mry_pairing_open(c);
    for (int n = 0; n < found->switches; n++) {
        /* What the switch costs, its rows laid on each other. */
        int from = found->from[n], to = found->to[n];
        int clips[2] = { row_clip(c, from), row_clip(c, to) };
        const float *a =
            mry_pairing_rows(&pairing, tmp, clips[0], from - c->first_row[clips[0]], 1);
        const float *b = mry_pairing_rows(&pairing, tmp, clips[1], to - c->first_row[clips[1]], 1);
        double cost = a && b ? mry_pairing_cost(&pairing, a, b) : NAN;
        block[n] = (marey_cluster_switch){ .from_sequence = c->sequence[from],
                                           .to_sequence = c->sequence[to],
                                           .from = row_frame(c, from),
                                           .to = row_frame(c, to),
                                           .cost = cost };
        if (!isnan(cost)) continue;
        mry_release(ctx, block, bytes);
        return mry_fail_memory(error, NULL);
    }
    /* Where the ends were not given: all that is captured there. */
    int last = c->sequence[found->last];
    double start = x->def.from_given ? x->def.from : c->sequences[c->sequence[found->first]].start;
    for (int n = 0; n <= found->switches; n++) {
        marey_piece *piece = &made.pieces[n];
        *piece = (marey_piece){ .clip = x->def.from_clip, .start = start };
        if (n > 0) {
            piece->clip = c->sequences[block[n - 1].to_sequence].clip;
            piece->start = block[n - 1].to + 1;
        }
        if (n < found->switches)
            piece->end = block[n].from + 1;
        else
            piece->end = x->def.to_given ? x->def.to + 1 : c->sequences[last].end;
    }
    *out = made;
    return MAREY_OK;
}

marey_status marey_clusters_route(marey_ctx *ctx, const marey_clusters *clusters,
                                  const marey_route_def *request, marey_route *out,
                                  marey_error *error)
{
    crossing x = {
        .of = clusters, .rows = clusters->first_row[clusters->clip_count], .from = -1, .to = -1
    };
    crossed found = { 0 };
    marey_route_def *def = &x.def;
    *def = *request;
    if (def->within_s == 0) def->within_s = WITHIN_S;
    if (def->switch_cost == 0) def->switch_cost = SWITCH_S;
    if (!(def->within_s > 0 && isfinite(def->within_s)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "within_s must be positive and finite, got %g", def->within_s);
    if (!(def->switch_cost > 0 && isfinite(def->switch_cost)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "switch cost must be positive and finite, got %g s", def->switch_cost);
    for (int n = 0; n < 2; n++) {
        int clip = n ? def->to_clip : def->from_clip;
        if (clip < 0 || clip >= clusters->clip_count)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no clip %d", clip);
    }
    if (def->node_count < 0 || (double)def->node_count * x.rows > 1e8)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "nodes must be at least 0, and at most 1e8 with their rows, got %d",
                        def->node_count);
    for (int n = 0; n < def->node_count; n++) {
        if (def->nodes[n] < 0 || def->nodes[n] >= clusters->node_count)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no node %d", def->nodes[n]);
    }
    marey_status status = MAREY_OK;
    if (def->from_given)
        status = find_row(clusters, def->from_clip, def->from, true, &x.from, error);
    if (!status && def->to_given)
        status = find_row(clusters, def->to_clip, def->to, false, &x.to, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    x.leave = MRY_NEW(&tmp, uint8_t, x.rows);
    x.enter = MRY_NEW(&tmp, uint8_t, x.rows);
    x.lead = MRY_NEW(&tmp, uint8_t, x.rows);
    if (!x.leave || !x.enter || !x.lead || !find_reach(&x, &tmp, false))
        status = mry_fail_memory(error, NULL);
    if (!status) status = find_way(&x, &tmp, true, &found, error);
    if (!status && found.switches == 0) status = find_way(&x, &tmp, false, &found, error);
    if (!status && found.switches == 0) status = explain(&x, &tmp, error);
    if (!status) status = hand_out(ctx, &x, &tmp, &found, out, error);
    mry_arena_free(&tmp);
    return status;
}

void marey_route_free(marey_route *route)
{
    if (!route) return;
    if (route->switches) mry_release(route->ctx, route->switches, route->bytes);
    *route = (marey_route){ 0 };
}
