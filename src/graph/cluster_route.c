/* cluster_route.c - from one clip to another by way of switches inside nodes (clusters, 3.3: "play M4 till the j4th frame and then
   switch to the (j7 + 1)th frame in clip M7"): what is asked for, one switch if one is enough, and what to say if there is no
   way. */
#include "base/fail.h"
#include "graph/cluster_ways.h"

#include <math.h>
#include <stdlib.h>

#define WITHIN_S 0.3
#define SWITCH_S 1.0

/* ---- what is asked for --------------------------------------------------------------------------------------------- */

static marey_status check_clip(const marey_clusters *c, int clip, marey_error *error)
{
    if (clip >= 0 && clip < c->clip_count) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no clip %d", clip);
}

/* The last row at or before a frame, or the first one at or behind it. */
static marey_status find_row(const marey_clusters *c, int clip, int frame, bool behind, int *out,
                             marey_error *error)
{
    const marey_features *f = c->features[clip];
    if (frame < 0 || frame >= c->clips[clip]->frames)
        return mry_fail(error, MAREY_ERR_REQUEST, c->clips[clip]->name,
                        "frame %d is none of its %d", frame, c->clips[clip]->frames);
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

static marey_status check_nodes(const marey_clusters *c, const marey_route_def *def,
                                marey_error *error)
{
    if (def->node_count < 0 || (double)def->node_count * c->first_row[c->clip_count] > 1e8)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a way through %d nodes", def->node_count);
    for (int n = 0; n < def->node_count; n++) {
        if (def->nodes[n] < 0 || def->nodes[n] >= c->node_count)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no node %d", def->nodes[n]);
    }
    return MAREY_OK;
}

static marey_status settle(mry_crossing *x, const marey_route_def *given, marey_error *error)
{
    marey_route_def *def = &x->def;
    *def = *given;
    if (def->within_s == 0) def->within_s = WITHIN_S;
    if (def->switch_cost == 0) def->switch_cost = SWITCH_S;
    if (!(def->within_s > 0 && isfinite(def->within_s)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "within %g s of a frame", def->within_s);
    if (!(def->switch_cost > 0 && isfinite(def->switch_cost)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a switch cannot count for %g s",
                        def->switch_cost);
    marey_status status = check_clip(x->of, def->from_clip, error);
    if (!status) status = check_clip(x->of, def->to_clip, error);
    if (!status) status = check_nodes(x->of, def, error);
    x->from = x->to = -1;
    if (!status && def->from_given)
        status = find_row(x->of, def->from_clip, def->from, true, &x->from, error);
    if (!status && def->to_given)
        status = find_row(x->of, def->to_clip, def->to, false, &x->to, error);
    return status;
}

/* ---- why there is none ------------------------------------------------------------------------------------------------ */

/* The row of a clip with a byte that is nearest to a frame; -1: none. */
static int find_nearest(const marey_clusters *c, int clip, const uint8_t *has, int frame)
{
    int best = -1;
    for (int row = c->first_row[clip]; row < c->first_row[clip + 1]; row++) {
        if (!has[row]) continue;
        if (best < 0 || abs(mry_row_frame(c, row) - frame) < abs(mry_row_frame(c, best) - frame))
            best = row;
    }
    return best;
}

static marey_status explain(mry_crossing *x, mry_arena *tmp, marey_error *error)
{
    const marey_clusters *c = x->of;
    const marey_route_def *def = &x->def;
    const char *from = c->clips[def->from_clip]->name, *to = c->clips[def->to_clip]->name;
    bool entering = false; /* where the last is to be entered is what is in the way */
    for (int pass = 0; pass < 2; pass++) {
        bool given = x->def.enter_given;
        x->def.enter_given = given && pass == 0;
        x->def.leave_given = false;
        if (!mry_crossing_reach(x, tmp, false)) return mry_fail_memory(error, NULL);
        x->def.enter_given = given;
        entering = pass == 1;
        int row = find_nearest(c, def->from_clip, x->leave, def->leave);
        if (row < 0) continue;
        if (def->node_count > 0)
            return mry_fail(error, MAREY_ERR_INPUT, from,
                            "there is a way to %s, but none through these nodes in this order", to);
        if (entering)
            return mry_fail(error, MAREY_ERR_INPUT, to,
                            "it cannot be entered within %.2g s of frame %d from %s", def->within_s,
                            def->to_first + def->enter, from);
        return mry_fail(error, MAREY_ERR_INPUT, from,
                        "it cannot be left for %s within %.2g s of frame %d; frame %d is the "
                        "nearest at which it can",
                        to, def->within_s, def->from_first + def->leave,
                        def->from_first + mry_row_frame(c, row));
    }
    return mry_fail(error, MAREY_ERR_INPUT, from,
                    "no node, nor any way through several, leads from there to %s: a higher "
                    "threshold has more",
                    to);
}

/* ---- handing it back ------------------------------------------------------------------------------------------------------ */

static double cost_of(const marey_clusters *c, mry_arena *tmp, int from, int to)
{
    mry_pairing pairing = mry_pairing_open(c);
    int clips[2] = { mry_row_clip(c, from), mry_row_clip(c, to) };
    const float *a = mry_pairing_rows(&pairing, tmp, clips[0], from - c->first_row[clips[0]], 1);
    const float *b = mry_pairing_rows(&pairing, tmp, clips[1], to - c->first_row[clips[1]], 1);
    return a && b ? mry_pairing_cost(&pairing, a, b) : NAN;
}

static bool fill_switches(const mry_crossing *x, mry_arena *tmp, const mry_crossed *found,
                          marey_route *out)
{
    const marey_clusters *c = x->of;
    for (int n = 0; n < found->switches; n++) {
        out->switches[n] =
            (marey_cluster_switch){ .from_sequence = c->sequence[found->from[n]],
                                    .to_sequence = c->sequence[found->to[n]],
                                    .from = mry_row_frame(c, found->from[n]),
                                    .to = mry_row_frame(c, found->to[n]),
                                    .cost = cost_of(c, tmp, found->from[n], found->to[n]) };
        if (isnan(out->switches[n].cost)) return false;
    }
    return true;
}

/* Where the ends were not given: all that is captured there. */
static void fill_pieces(const mry_crossing *x, const mry_crossed *found, marey_route *out)
{
    const marey_clusters *c = x->of;
    const marey_cluster_switch *switches = out->switches;
    int last = c->sequence[found->last];
    double start = x->def.from_given ? x->def.from : c->sequences[c->sequence[found->first]].start;
    for (int n = 0; n <= found->switches; n++) {
        marey_piece *piece = &out->pieces[n];
        *piece = (marey_piece){ .clip = x->def.from_clip, .start = start };
        if (n > 0) {
            piece->clip = c->sequences[switches[n - 1].to_sequence].clip;
            piece->start = switches[n - 1].to + 1;
        }
        if (n < found->switches)
            piece->end = switches[n].from + 1;
        else
            piece->end = x->def.to_given ? x->def.to + 1 : c->sequences[last].end;
    }
}

static marey_status hand_out(marey_ctx *ctx, const mry_crossing *x, mry_arena *tmp,
                             const mry_crossed *found, marey_route *out, marey_error *error)
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
    if (!fill_switches(x, tmp, found, &made)) {
        mry_release(ctx, block, bytes);
        return mry_fail_memory(error, NULL);
    }
    fill_pieces(x, found, &made);
    *out = made;
    return MAREY_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------------------- */

static marey_status find(mry_crossing *x, mry_arena *tmp, mry_crossed *found, marey_error *error)
{
    x->leave = MRY_NEW(tmp, uint8_t, x->rows);
    x->enter = MRY_NEW(tmp, uint8_t, x->rows);
    x->lead = MRY_NEW(tmp, uint8_t, x->rows);
    if (!x->leave || !x->enter || !x->lead || !mry_crossing_reach(x, tmp, false))
        return mry_fail_memory(error, NULL);
    marey_status status = mry_crossing_find(x, tmp, true, found, error);
    if (!status && found->switches == 0) status = mry_crossing_find(x, tmp, false, found, error);
    if (!status && found->switches == 0) status = explain(x, tmp, error);
    return status;
}

marey_status marey_clusters_route(marey_ctx *ctx, const marey_clusters *clusters,
                                  const marey_route_def *def, marey_route *out, marey_error *error)
{
    mry_crossing x = { .of = clusters, .rows = clusters->first_row[clusters->clip_count] };
    mry_crossed found = { 0 };
    marey_status status = settle(&x, def, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    status = find(&x, &tmp, &found, error);
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
