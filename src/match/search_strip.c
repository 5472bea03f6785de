/* search_strip.c - see search_strip.h. What can be reached is found chain by chain: a chain that is
   entered earlier than before has more bridges that leave it, and only these are looked at again.
   Then the match sequence of least mean between a start and an end, of all there are. */
#include "match/search_strip.h"

#include <math.h>

typedef struct stretch { /* cells of a chain of the strip whose bridges were not yet followed */
    int chain, first, stop;
} stretch;

/* ---- reaching -------------------------------------------------------------------------------- */

/* The diagonal of a self web is its own mirror image. */
static int axis_of(const mry_strip *s, int chain, int axis)
{
    return s->web->self && chain == 0 ? MRY_ALONG_ROWS : axis;
}

/* The number of a chain in the strip, now that a sequence enters it at a cell; -1: no memory. */
static int reach(mry_strip *s, int chain, int axis, int cell)
{
    axis = axis_of(s, chain, axis);
    int *slot = (int *)s->slots.items + 2 * chain + axis;
    if (!*slot) {
        mry_strip_chain *made = mry_list_add(s->ctx, &s->chains, sizeof *made);
        if (!made) return -1;
        int stop = s->web->paths[chain].count, last = s->web->index->spans[chain].last[axis];
        *made = (mry_strip_chain){ .chain = chain, .axis = axis, .first = stop, .end = -1 };
        if (last >= s->last_row) {
            made->end = mry_path_find(s->web, chain, axis, s->last_row + 1) - 1;
        } else if (s->last_row - last <= s->loose) {
            made->end = stop - 1;
            made->lacks = s->last_row - last;
        }
        *slot = s->chains.count;
    }
    mry_strip_chain *part = mry_strip_chain_at(s, *slot - 1);
    if (cell < part->first) {
        stretch *more = mry_list_add(s->ctx, &s->todo, sizeof *more);
        if (!more) return -1;
        *more = (stretch){ *slot - 1, cell, part->first };
        part->first = cell;
    }
    return *slot - 1;
}

/* ---- starts ---------------------------------------------------------------------------------- */

static mry_sum sum_between(const mry_strip *s, int path, int first, int stop)
{
    const float *costs = s->web->costs + s->web->paths[path].first;
    mry_sum sum = { 0, stop - first };
    for (int i = first; i < stop; i++) sum.sum += (double)costs[i];
    return sum;
}

static bool start_on_chain(mry_strip *s, int chain, int axis)
{
    int cell = mry_path_find(s->web, chain, axis, s->first_row);
    marey_cell at = mry_strip_cell(s, chain, axis, cell);
    int lacks = at.row - s->first_row;
    if (at.row > s->last_row) return true;
    int part = reach(s, chain, axis, cell);
    mry_strip_start *start = part < 0 ? NULL : mry_list_add(s->ctx, &s->starts, sizeof *start);
    if (!start) return false;
    *start = (mry_strip_start){ .chain = part, .cell = cell, .path = -1, .axis = axis };
    float cost = s->web->costs[s->web->paths[chain].first + cell];
    start->lacks = lacks;
    start->own = (mry_sum){ lacks * (double)cost, lacks };
    start->at = mry_strip_beside(s, axis, at, -lacks);
    return true;
}

static bool start_on_bridge(mry_strip *s, int path, int axis)
{
    const mry_web_path *bridge = &s->web->paths[path];
    int cell = mry_path_find(s->web, path, axis, s->first_row), stop = bridge->count, part = -1;
    bool ends = s->web->index->spans[path].last[axis] >= s->last_row;
    if (ends) {
        stop = mry_path_find(s->web, path, axis, s->last_row + 1);
    } else {
        part = reach(s, bridge->to, axis, bridge->to_cell);
        if (part < 0) return false;
    }
    mry_strip_start *start = mry_list_add(s->ctx, &s->starts, sizeof *start);
    if (!start) return false;
    *start = (mry_strip_start){
        .chain = part, .cell = bridge->to_cell, .path = path, .axis = axis, .path_cell = cell
    };
    start->path_end = stop - 1;
    start->own = sum_between(s, path, cell, stop);
    start->at = mry_strip_cell(s, path, axis, cell);
    return true;
}

static bool find_starts(mry_strip *s, int axis)
{
    const mry_web_index *index = s->web->index;
    int last = (s->first_row + s->loose) / MRY_INDEX_BLOCK;
    if (last >= index->blocks[axis]) last = index->blocks[axis] - 1;
    for (int block = s->first_row / MRY_INDEX_BLOCK; block <= last; block++) {
        int stop = index->block_start[axis][block + 1];
        for (int k = index->block_start[axis][block]; k < stop; k++) {
            int path = index->crossing[axis][k];
            /* It has a cell in the first row, or is a chain that begins soon behind it. A path is
               in the lists of several blocks; where it begins counts. */
            bool chain = path < s->web->chain_count;
            int first = index->spans[path].first[axis], row = s->first_row;
            if (chain && axis != axis_of(s, path, axis)) continue;
            if (first <= row ? index->spans[path].last[axis] < row
                             : !chain || first - row > s->loose)
                continue;
            if (block != (first <= row ? row : first) / MRY_INDEX_BLOCK) continue;
            if (!(chain ? start_on_chain : start_on_bridge)(s, path, axis)) return false;
        }
    }
    return true;
}

/* From the last row on a sequence only goes to its end, so no bridge is taken there. */
static bool follow_all(mry_strip *s, stretch cells, int axis)
{
    int chain = mry_strip_chain_at(s, cells.chain)->chain, own = axis_of(s, chain, axis);
    const marey_web *web = s->web;
    int last = web->index->leaving_start[chain + 1];
    int first = web->index->leaving_start[chain], high = last; /* to leave at a cell or past it */
    while (first < high) {
        int middle = first + (high - first) / 2;
        if (web->paths[web->index->leaving[middle]].from_cell < cells.first) {
            first = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int k = first; k < last; k++) {
        int path = web->index->leaving[k], cell = web->paths[path].from_cell;
        if (cell >= cells.stop || mry_strip_cell(s, chain, own, cell).row >= s->last_row) break;
        /* A sequence ends with the first path that has it in the last row: a bridge that gets there
           is not left again. */
        const mry_web_path *bridge = &web->paths[path];
        mry_strip_bridge part = { .path = path, .axis = axis, .from = cells.chain, .to = -1 };
        part.end = -1;
        part.leaves = bridge->from_cell;
        part.arrives = bridge->to_cell;
        if (web->index->spans[path].last[axis] >= s->last_row) {
            part.end = mry_path_find(web, path, axis, s->last_row + 1) - 1;
            part.own = sum_between(s, path, 0, part.end + 1);
        } else {
            part.to = reach(s, bridge->to, axis, bridge->to_cell);
            if (part.to < 0) return false;
            part.own.sum = web->index->bridge_sums[path - web->chain_count];
            part.own.count = bridge->count;
        }
        mry_strip_bridge *added = mry_list_add(s->ctx, &s->bridges, sizeof *added);
        if (!added) return false;
        *added = part;
    }
    return true;
}

/* ---- sums, ends, events ---------------------------------------------------------------------- */

static bool add_end(mry_strip *s, bool on_bridge, int part, marey_cell at, int *number)
{
    *number = s->ends.count;
    mry_strip_end *end = mry_list_add(s->ctx, &s->ends, sizeof *end);
    if (end) *end = (mry_strip_end){ on_bridge, part, at };
    return end;
}

static bool add_ends(mry_strip *s)
{
    for (int i = 0; i < s->chains.count; i++) {
        /* Of the cells down to the last row: sums[k] is that of the first k. */
        mry_strip_chain *chain = mry_strip_chain_at(s, i);
        int stop = chain->end >= 0 ? chain->end + 1 : s->web->paths[chain->chain].count;
        int count = stop - chain->first + 1;
        if (!mry_list_room(s->ctx, &s->sums, s->sums.count + count, sizeof(double))) return false;
        double *to = (double *)s->sums.items + s->sums.count, sum = 0;
        const float *costs = s->web->costs + s->web->paths[chain->chain].first;
        chain->sums = s->sums.count;
        s->sums.count += count;
        for (int k = chain->first; k < stop; k++) {
            *to++ = sum;
            sum += (double)costs[k];
        }
        *to = sum;
        if (chain->end < 0) continue;
        marey_cell at = mry_strip_cell(s, chain->chain, chain->axis, chain->end);
        at = mry_strip_beside(s, chain->axis, at, chain->lacks);
        if (!add_end(s, false, i, at, &chain->end_number)) return false;
    }
    for (int i = 0; i < s->bridges.count; i++) {
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, i);
        if (bridge->end < 0) continue;
        marey_cell at = mry_strip_cell(s, bridge->path, bridge->axis, bridge->end);
        if (!add_end(s, true, i, at, &bridge->end_number)) return false;
    }
    return mry_list_room(s->ctx, &s->met, s->ends.count, sizeof(int));
}

static void add_event(mry_strip *s, int chain, int cell, int kind, int part)
{
    const mry_strip_chain *on = mry_strip_chain_at(s, chain);
    marey_cell at = mry_strip_cell(s, on->chain, on->axis, cell);
    uint64_t when = (uint64_t)at.row + (uint64_t)at.col;
    ((uint64_t *)s->events.items)[s->events.count++] =
        when << 32 | (uint64_t)kind << 30 | (uint64_t)part;
}

static bool add_events(mry_strip *s)
{
    int most = s->starts.count + 2 * s->bridges.count;
    if (!mry_list_room(s->ctx, &s->events, most, sizeof(uint64_t)) ||
        !mry_list_room(s->ctx, &s->sorted, most, sizeof(uint64_t)))
        return false;
    for (int i = 0; i < s->starts.count; i++) {
        const mry_strip_start *start = mry_strip_start_at(s, i);
        if (start->chain >= 0) add_event(s, start->chain, start->cell, MRY_STRIP_STARTS, i);
    }
    for (int i = 0; i < s->bridges.count; i++) {
        const mry_strip_bridge *bridge = mry_strip_bridge_at(s, i);
        if (bridge->to >= 0) add_event(s, bridge->to, bridge->arrives, MRY_STRIP_ARRIVES, i);
    }
    for (int i = 0; i < s->bridges.count; i++) {
        const mry_strip_bridge *bridge = mry_strip_bridge_at(s, i);
        add_event(s, bridge->from, bridge->leaves, MRY_STRIP_LEAVES, i);
    }
    /* They lie in order of kind and part. By row + column, byte after byte, the least one first,
       which keeps the order of equal ones. Two bytes are enough where the clips are not longer than
       some minutes. */
    uint64_t *from = s->events.items, *to = s->sorted.items, latest = 0;
    int count = s->events.count;
    for (int i = 0; i < count; i++) latest = from[i] > latest ? from[i] : latest;
    for (int shift = 32; count > 1 && latest >> shift != 0; shift += 8) {
        int place[257] = { 0 };
        for (int i = 0; i < count; i++) place[(from[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 255; i++) place[i + 1] += place[i];
        for (int i = 0; i < count; i++) to[place[from[i] >> shift & 255]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != s->events.items) {
        mry_list other = s->events;
        s->events = s->sorted;
        s->events.count = count;
        s->sorted = other;
    }
    return true;
}

bool mry_strip_fill(mry_strip *s, const marey_web *web, bool flipped, int first_row, int last_row,
                    int loose)
{
    int *slots = s->slots.items;
    for (int i = 0; i < s->chains.count; i++) {
        const mry_strip_chain *chain = mry_strip_chain_at(s, i);
        slots[2 * chain->chain + chain->axis] = 0;
    }
    s->chains.count = s->bridges.count = s->starts.count = s->ends.count = 0;
    s->events.count = s->sums.count = s->todo.count = s->sweep = 0;
    s->web = web;
    s->first_row = first_row;
    s->last_row = last_row;
    s->loose = loose;
    /* slots.count are those that are known to be 0 between two fillings. */
    if (!mry_list_room(s->ctx, &s->slots, 2 * web->chain_count, sizeof(int))) return false;
    slots = s->slots.items;
    while (s->slots.count < 2 * web->chain_count) slots[s->slots.count++] = 0;
    bool rows = web->self || !flipped, cols = web->self || flipped;
    if (rows && !find_starts(s, MRY_ALONG_ROWS)) return false;
    if (cols && !find_starts(s, MRY_ALONG_COLS)) return false;
    while (s->todo.count > 0) {
        stretch of = ((stretch *)s->todo.items)[--s->todo.count];
        const mry_strip_chain *chain = mry_strip_chain_at(s, of.chain);
        int axis = chain->axis;
        bool diagonal = web->self && chain->chain == 0;
        if (!follow_all(s, of, axis)) return false;
        if (diagonal && !follow_all(s, of, MRY_ALONG_COLS)) return false;
    }
    return add_ends(s) && add_events(s);
}

void mry_strip_free(mry_strip *s)
{
    mry_list *lists[] = { &s->chains, &s->bridges, &s->starts, &s->ends,   &s->events,
                          &s->sums,   &s->slots,   &s->todo,   &s->sorted, &s->met };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mry_list_free(s->ctx, lists[i]);
}

/* ---- the least mean -------------------------------------------------------------------------- */

/* The number of sequences through a strip can be exponential, but its junctions are not many, and
   the graph of them has no circles. For a given mean m the sequence with the least sum of (cost -
   m) is found by one sweep over the strip's events; if that least sum is negative, the sequence
   found has a mean less than m, and is the next guess; if it is 0, none is better (Dinkelbach
   1967). Each guess is the mean of another sequence and less than the one before, so it ends, in
   practice after two or three sweeps.

   What can never be good enough is left out before: a sweep backwards at the threshold says for
   every part what is at least above it from there to any end, one forwards from all starts at once
   what is above it until there. */

static double before_above(const mry_strip *s, const mry_strip_chain *chain, int cell, double mean)
{
    return mry_sum_above(mry_strip_before(s, chain, cell), mean);
}

/* A chain's `rest` holds for any of its cells, less what its cells before cost. */
static void sweep_backwards(mry_strip *s, double mean)
{
    const uint64_t *events = s->events.items;
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

static void note_end(mry_strip *s, int end)
{
    ((int *)s->met.items)[s->met.count++] = end;
}

/* What a sequence that enters a chain at a cell has so far, less the chain's cells before: so it
   holds for all cells behind that one too. */
static void enter(mry_strip *s, mry_strip_chain *chain, int cell, mry_sum so_far, double mean,
                  int number)
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
    chain->best_by = number;
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

static void arrive(mry_strip *s, const mry_strip_bridge *bridge, double mean, int number)
{
    if (bridge->sweep != s->sweep) return;
    enter(s, mry_strip_chain_at(s, bridge->to), bridge->arrives,
          mry_sum_add(bridge->into, bridge->own), mean, number);
}

static void enter_start(mry_strip *s, const mry_strip_start *start, double mean)
{
    enter(s, mry_strip_chain_at(s, start->chain), start->cell, start->own, mean, -1);
}

/* Events behind the last one that what was reached leads to are those of other starts, mostly
   further on in the other motion. */
void mry_strip_sweep(mry_strip *s, int start, double mean)
{
    const uint64_t *events = s->events.items;
    const mry_strip_start *from = mry_strip_start_at(s, start);
    s->sweep++;
    s->met.count = 0;
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

void mry_strip_prune(mry_strip *s, double threshold, double slack)
{
    uint64_t *events = s->events.items;
    sweep_backwards(s, threshold);
    /* The bridges through which nothing good leads are dropped on the way, and so do not spoil what
       comes behind them. */
    s->sweep++;
    s->met.count = 0;
    for (int k = 0; k < s->events.count; k++) {
        int part = mry_event_part(events[k]), kind = mry_event_kind(events[k]);
        if (kind == MRY_STRIP_STARTS) {
            const mry_strip_start *start = mry_strip_start_at(s, part);
            if (start->rest <= slack) enter_start(s, start, threshold);
            continue;
        }
        mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
        if (kind == MRY_STRIP_ARRIVES) {
            arrive(s, bridge, threshold, part);
            continue;
        }
        leave(s, bridge, threshold);
        bridge->kept = bridge->sweep == s->sweep && bridge->into_above + bridge->rest <= slack;
        if (!bridge->kept) bridge->sweep = 0;
    }
    int count = 0;
    for (int i = 0; i < s->chains.count; i++) mry_strip_chain_at(s, i)->horizon = -1;
    for (int k = 0; k < s->events.count; k++) {
        /* Whether an event stays, and gets its place. A bridge leaves before it arrives. */
        int part = mry_event_part(events[k]), kind = mry_event_kind(events[k]);
        if (kind == MRY_STRIP_STARTS) {
            mry_strip_start *start = mry_strip_start_at(s, part);
            start->event = count;
            if (!(start->rest <= slack)) continue;
        } else {
            mry_strip_bridge *bridge = mry_strip_bridge_at(s, part);
            if (!bridge->kept) continue;
            bridge->horizon = kind == MRY_STRIP_ARRIVES ? count : -1;
            if (kind == MRY_STRIP_LEAVES) mry_strip_chain_at(s, bridge->from)->horizon = count;
        }
        events[count++] = events[k];
    }
    s->events.count = count;
}

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
