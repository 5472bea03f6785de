/* search_least.c - see search_least.h. */
#include "match/search_least.h"

#include <math.h>

/* ---- towards any end --------------------------------------------------------------------------------- */

static double before_above(const mry_strip *s, const mry_strip_chain *chain, int cell, double mean)
{
    return mry_sum_above(mry_strip_before(s, chain, cell), mean);
}

static void begin_backwards(mry_strip *s, double mean)
{
    for (int i = 0; i < s->chains.count; i++) {
        mry_strip_chain *chain = mry_strip_chain_at(s, i);
        chain->rest = INFINITY;
        if (chain->end < 0) continue;
        chain->rest = before_above(s, chain, chain->end + 1, mean) +
                      mry_sum_above(mry_strip_tail(s, chain), mean);
    }
    for (int i = 0; i < s->bridges.count; i++) {
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, i);
        bridge->rest = bridge->end < 0 ? INFINITY : mry_sum_above(bridge->own, mean);
    }
    for (int i = 0; i < s->starts.count; i++) {
        mry_strip_start *start = mry_strip_start_at(s, i);
        start->rest = mry_sum_above(start->own, mean);
    }
}

/* A chain's `rest` holds for any of its cells, less what its cells before cost. */
static void sweep_backwards(mry_strip *s, double mean)
{
    const uint64_t *events = s->events.items;
    begin_backwards(s, mean);
    for (int k = s->events.count - 1; k >= 0; k--) {
        int part = mry_event_part(events[k]), kind = mry_event_kind(events[k]);
        if (kind == MRY_STRIP_STARTS) {
            mry_strip_start *start = mry_strip_start_at(s, part);
            const mry_strip_chain *chain = mry_strip_chain_at(s, start->chain);
            start->rest += chain->rest - before_above(s, chain, start->cell, mean);
            continue;
        }
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
        if (kind == MRY_STRIP_ARRIVES) {
            const mry_strip_chain *to = mry_strip_chain_at(s, bridge->to);
            bridge->rest = mry_sum_above(bridge->own, mean) + to->rest -
                           before_above(s, to, bridge->arrives, mean);
        } else {
            mry_strip_chain *from = mry_strip_chain_at(s, bridge->from);
            double rest = before_above(s, from, bridge->leaves + 1, mean) + bridge->rest;
            if (rest < from->rest) from->rest = rest;
        }
    }
}

/* ---- from a start, or all -------------------------------------------------------------------------------- */

static void note_end(mry_strip *s, int end)
{
    ((int *)s->met.items)[s->met.count++] = end;
}

/* What a sequence that enters a chain at a cell has so far, less the chain's cells before: so it holds for all cells
   behind that one too. */
static void enter(mry_strip *s, mry_strip_chain *chain, int cell, mry_sum so_far, double mean,
                  int by)
{
    mry_sum norm = mry_sum_less(so_far, mry_strip_before(s, chain, cell));
    double above = mry_sum_above(norm, mean);
    if (chain->sweep != s->sweep) {
        chain->sweep = s->sweep;
        if (chain->end >= 0) note_end(s, chain->end_number);
    } else if (!(above < chain->best_above)) {
        return;
    }
    chain->best = norm;
    chain->best_above = above;
    chain->best_by = by;
}

static void leave(mry_strip *s, mry_strip_bridge *bridge, double mean)
{
    const mry_strip_chain *from = mry_strip_chain_at(s, bridge->from);
    if (from->sweep != s->sweep) return;
    bridge->sweep = s->sweep;
    if (bridge->end >= 0) note_end(s, bridge->end_number);
    bridge->into = mry_sum_add(from->best, mry_strip_before(s, from, bridge->leaves + 1));
    bridge->into_above = mry_sum_above(bridge->into, mean);
    bridge->came_by = from->best_by;
}

static void arrive(mry_strip *s, const mry_strip_bridge *bridge, double mean, int by)
{
    if (bridge->sweep != s->sweep) return;
    enter(s, mry_strip_chain_at(s, bridge->to), bridge->arrives,
          mry_sum_add(bridge->into, bridge->own), mean, by);
}

static void begin_sweep(mry_strip *s)
{
    s->sweep++;
    s->met.count = 0;
}

static void enter_start(mry_strip *s, const mry_strip_start *start, double mean)
{
    enter(s, mry_strip_chain_at(s, start->chain), start->cell, start->own, mean, -1);
}

/* Events behind the last one that what was reached leads to are those of other starts, mostly further on in the other
   motion. */
void mry_strip_sweep(mry_strip *s, int start, double mean)
{
    const uint64_t *events = s->events.items;
    const mry_strip_start *from = mry_strip_start_at(s, start);
    begin_sweep(s);
    enter_start(s, from, mean);
    int horizon = mry_strip_chain_at(s, from->chain)->horizon;
    for (int k = from->event + 1; k <= horizon; k++) {
        int part = mry_event_part(events[k]), kind = mry_event_kind(events[k]);
        if (kind == MRY_STRIP_STARTS) continue;
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
        int further = bridge->horizon;
        if (kind == MRY_STRIP_LEAVES) {
            leave(s, bridge, mean);
        } else {
            arrive(s, bridge, mean, part);
            further = mry_strip_chain_at(s, bridge->to)->horizon;
        }
        if (bridge->sweep == s->sweep && further > horizon) horizon = further;
    }
}

/* ---- leaving out ------------------------------------------------------------------------------------------ */

/* The bridges through which nothing good leads are dropped on the way, and so do not spoil what comes behind them. */
static void sweep_all_starts(mry_strip *s, double mean, double slack)
{
    const uint64_t *events = s->events.items;
    begin_sweep(s);
    for (int k = 0; k < s->events.count; k++) {
        int part = mry_event_part(events[k]), kind = mry_event_kind(events[k]);
        if (kind == MRY_STRIP_STARTS) {
            const mry_strip_start *start = mry_strip_start_at(s, part);
            if (start->rest <= slack) enter_start(s, start, mean);
            continue;
        }
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
        if (kind == MRY_STRIP_ARRIVES) {
            arrive(s, bridge, mean, part);
            continue;
        }
        leave(s, bridge, mean);
        bridge->kept = bridge->sweep == s->sweep && bridge->into_above + bridge->rest <= slack;
        if (!bridge->kept) bridge->sweep = 0;
    }
}

/* Whether an event stays, which gets that place. A bridge leaves before it arrives. */
static bool keep_event(mry_strip *s, uint64_t event, int place, double slack)
{
    int part = mry_event_part(event), kind = mry_event_kind(event);
    if (kind == MRY_STRIP_STARTS) {
        mry_strip_start *start = mry_strip_start_at(s, part);
        start->event = place;
        return start->rest <= slack;
    }
    mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
    if (!bridge->kept) return false;
    bridge->horizon = kind == MRY_STRIP_ARRIVES ? place : -1;
    if (kind == MRY_STRIP_LEAVES) mry_strip_chain_at(s, bridge->from)->horizon = place;
    return true;
}

void mry_strip_prune(mry_strip *s, double threshold, double slack)
{
    uint64_t *events = s->events.items;
    sweep_backwards(s, threshold);
    sweep_all_starts(s, threshold, slack);
    int count = 0;
    for (int i = 0; i < s->chains.count; i++) mry_strip_chain_at(s, i)->horizon = -1;
    for (int k = 0; k < s->events.count; k++) {
        if (keep_event(s, events[k], count, slack)) events[count++] = events[k];
    }
    s->events.count = count;
}

/* ---- what was found ----------------------------------------------------------------------------------------- */

bool mry_strip_least_at(const mry_strip *s, int end, mry_sum *out)
{
    const mry_strip_end *at = mry_strip_end_at(s, end);
    if (at->on_bridge) {
        const mry_strip_bridge *bridge = mry_strip_bridge_at(s, at->part);
        *out = mry_sum_add(bridge->into, bridge->own);
        return bridge->sweep == s->sweep;
    }
    const mry_strip_chain *chain = mry_strip_chain_at(s, at->part);
    *out = mry_sum_add(chain->best, mry_strip_before(s, chain, chain->end + 1));
    *out = mry_sum_add(*out, mry_strip_tail(s, chain));
    return chain->sweep == s->sweep;
}

int mry_strip_last_bridge(const mry_strip *s, int end)
{
    const mry_strip_end *at = mry_strip_end_at(s, end);
    return at->on_bridge ? at->part : mry_strip_chain_at(s, at->part)->best_by;
}
