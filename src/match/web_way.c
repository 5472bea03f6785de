/* web_way.c - ways from one chain to others (webs, 6.2.2), by dynamic programming from all cells of a piece of the chain
   at once. The rules are in web_data.h.

   A cell has a state for every way of the last steps: S (a diagonal one, or the way begins here), k across, k down, k up
   to the slope. A step down after one across, or the other way round, is never needed: the diagonal leaves out a cell,
   and costs are not negative. So only the least of all states goes on diagonally, and only S begins a run:

       S(r, c)        = least of all states of (r - 1, c - 1)    + cost
       across_k(r, c) = across_k-1(r, c - 1), across_0 = S       + cost
       down_k(r, c)   = down_k-1(r - 1, c),   down_0 = S         + cost

   Which state is a cell's least is noted in a byte; the rest follows when a way is traced back. */
#include "match/web_way.h"

#include <math.h>
#include <string.h>

static const mry_way no_way = { INFINITY, 0 };

enum { FIRST_ROOM = 64 };

bool mry_pass_make(mry_pass *pass, mry_web_work *work)
{
    int side = MRY_WEB_PIECE + work->plan.reach, slope = work->plan.slope;
    size_t wide = (size_t)side + 4 + MRY_WEB_MOST_SLOPE;
    *pass = (mry_pass){ .work = work, .mem = mry_arena_make(work->ctx) };
    pass->from = MRY_NEW_RAW(&pass->mem, uint8_t, (size_t)side * (size_t)side);
    mry_way *ways = MRY_NEW_RAW(&pass->mem, mry_way, 2 * ((size_t)slope + 1) * wide);
    pass->targets = MRY_NEW_RAW(&pass->mem, mry_target, FIRST_ROOM);
    pass->target_room = FIRST_ROOM;
    if (!pass->from || !ways || !pass->targets) return false;
    for (int i = 0; i < 2; i++) {
        pass->ways[i].best = ways + 2;
        ways += wide;
        for (int k = 0; k < slope; k++, ways += wide) pass->ways[i].down[k] = ways + 2;
    }
    return true;
}

void mry_pass_free(mry_pass *pass)
{
    mry_arena_free(&pass->mem);
}

/* ---- tracing back ----------------------------------------------------------------------------------- */

static uint8_t *state_of(const mry_pass *pass, marey_cell at)
{
    marey_cell first = pass->piece->cells[0];
    return &pass->from[(size_t)(at.row - first.row) * (size_t)pass->width +
                       (size_t)(at.col - first.col)];
}

/* The cell before `at`, whose state is *state; then that of the one before. */
static marey_cell step_back(const mry_pass *pass, marey_cell at, int *state)
{
    int slope = pass->work->plan.slope, now = *state;
    at.row -= now == 0 || now > slope;
    at.col -= now <= slope;
    if (now == 0)
        *state = *state_of(pass, at);
    else
        *state = now == slope + 1 ? 0 : now - 1;
    return at;
}

static bool is_on(const mry_pass *pass, marey_cell at, int chain)
{
    const mry_web_list *list = &pass->work->ring.lists[at.row % pass->work->ring.room];
    const mry_web_entry *entry = mry_list_find(list, at.col);
    return entry < mry_list_end(list) && entry->col == at.col && entry->chain == chain;
}

static bool touches_before(const mry_pass *pass, marey_cell at, uint32_t tag, int chain)
{
    int state = *state_of(pass, at);
    for (uint32_t left = (tag & 0xffff) - 1; left > 1; left--) {
        at = step_back(pass, at, &state);
        if (is_on(pass, at, chain)) return true;
    }
    return false;
}

void mry_pass_trace(const mry_pass *pass, const mry_target *to, marey_cell *cells)
{
    marey_cell at = to->at;
    int state = *state_of(pass, at);
    for (int i = (int)(to->tag & 0xffff) - 3; i >= 0; i--) {
        at = step_back(pass, at, &state);
        cells[i] = at;
    }
}

/* ---- targets ---------------------------------------------------------------------------------------- */

static mry_target *find_target(mry_pass *pass, int chain)
{
    for (int i = pass->target_count - 1; i >= 0; i--) {
        if (pass->targets[i].chain == chain) return &pass->targets[i];
    }
    if (pass->target_count == pass->target_room) {
        mry_target *more = MRY_NEW_RAW(&pass->mem, mry_target, 2 * pass->target_room);
        if (!more) {
            pass->failed = true;
            return NULL;
        }
        memcpy(more, pass->targets, (size_t)pass->target_count * sizeof *more);
        pass->targets = more;
        pass->target_room *= 2;
    }
    mry_target *made = &pass->targets[pass->target_count++];
    *made = (mry_target){ .chain = chain };
    return made;
}

static void reach_target(mry_pass *pass, const mry_web_entry *entry, int row, mry_way best)
{
    marey_cell at = { row, entry->col };
    double mean = best.sum / (double)(best.tag & 0xffff);
    mry_target *to = find_target(pass, entry->chain);
    if (!to || (to->set && mean >= to->mean)) return;
    if (touches_before(pass, at, best.tag, entry->chain)) return;
    *to = (mry_target){ entry->chain, entry->index, mean, at, best.tag, true };
}

/* ---- cells ------------------------------------------------------------------------------------------ */

typedef struct cursor { /* where the scan of a row is */
    int row, x;
    const float *cells;                     /* at x = 0 */
    const mry_web_entry *entry, *entry_end; /* cells of chains from x on */
    mry_way across[MRY_WEB_MOST_SLOPE + 1]; /* states of the cell to the left; [0]: S */
    uint32_t oldest;                        /* lesser tags began too long ago */
} cursor;

static mry_way go_on(mry_way before, float cost, uint32_t oldest)
{
    if (before.tag < oldest) return no_way;
    return (mry_way){ before.sum + (double)cost, before.tag + 1 };
}

static void blank(const mry_pass *pass, mry_ways *ways, int x)
{
    ways->best[x] = no_way;
    for (int k = 0; k < pass->work->plan.slope; k++) ways->down[k][x] = no_way;
}

static void leave_out(const mry_pass *pass, mry_ways *to, cursor *c)
{
    blank(pass, to, c->x);
    for (int k = 0; k <= pass->work->plan.slope; k++) c->across[k] = no_way;
}

/* All states of the cell at the cursor; the least one is returned. */
static mry_way reach_cell(mry_pass *pass, const mry_ways *before, mry_ways *to, cursor *c)
{
    int slope = pass->work->plan.slope, state = 0, x = c->x;
    float cost = c->cells[x];
    mry_way start = go_on(before->best[x - 1], cost, c->oldest), best = start;
    for (int k = slope; k >= 1; k--) {
        mry_way across = go_on(c->across[k - 1], cost, c->oldest);
        mry_way down = go_on(before->down[k - 1][x], cost, c->oldest);
        c->across[k] = across;
        if (k < slope) to->down[k][x] = down;
        if (across.sum < best.sum) {
            best = across;
            state = k;
        }
        if (down.sum < best.sum) {
            best = down;
            state = slope + k;
        }
    }
    c->across[0] = to->down[0][x] = start;
    to->best[x] = best;
    pass->from[(size_t)(c->row - pass->piece->cells[0].row) * (size_t)pass->width + (size_t)x] =
        (uint8_t)state;
    return best;
}

static void begin_here(mry_pass *pass, mry_ways *to, cursor *c, int number)
{
    mry_way start = { (double)c->cells[c->x], (uint32_t)number << 16 | 1 };
    leave_out(pass, to, c);
    to->best[c->x] = to->down[0][c->x] = c->across[0] = start;
    pass->from[(size_t)(c->row - pass->piece->cells[0].row) * (size_t)pass->width + (size_t)c->x] =
        0;
}

/* Ways that began at a cell `reach` steps before the cursor, or still earlier, are too long now. */
static void move_oldest(const mry_pass *pass, cursor *c)
{
    const mry_web_piece *piece = pass->piece;
    int k = (int)(c->oldest >> 16), at = c->row + piece->cells[0].col + c->x;
    while (k < piece->count &&
           at - piece->cells[k].row - piece->cells[k].col >= pass->work->plan.reach) {
        k++;
    }
    c->oldest = (uint32_t)k << 16;
}

static void scan_cell(mry_pass *pass, const mry_ways *before, mry_ways *to, const uint64_t *valid,
                      cursor *c)
{
    int col = pass->piece->cells[0].col + c->x;
    while (c->entry < c->entry_end && c->entry->col < col) c->entry++;
    const mry_web_entry *on = c->entry < c->entry_end && c->entry->col == col ? c->entry : NULL;
    if (on && on->chain == pass->piece->chain) {
        int number = on->index - pass->piece->first;
        if (number >= 0 && number < pass->piece->count)
            begin_here(pass, to, c, number);
        else
            leave_out(pass, to, c);
    } else if (!mry_bit(valid, col)) {
        leave_out(pass, to, c);
    } else {
        move_oldest(pass, c);
        mry_way best = reach_cell(pass, before, to, c);
        if (on && isfinite(best.sum)) reach_target(pass, on, c->row, best);
    }
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static bool goes_across(const mry_pass *pass, const cursor *c)
{
    for (int k = 0; k < pass->work->plan.slope; k++) {
        if (isfinite(c->across[k].sum)) return true;
    }
    return false;
}

/* From column lo on, at least to `hi`, and as far as a way goes on to the right. */
static void scan_row(mry_pass *pass, int row, int lo, int hi, mry_ways *before, mry_ways *to)
{
    const mry_web_ring *ring = &pass->work->ring;
    const mry_web_list *list = &ring->lists[row % ring->room];
    const uint64_t *valid = mry_ring_bits(ring, ring->valid, row);
    int col = pass->piece->cells[0].col;
    cursor c = { .row = row,
                 .cells = mry_ring_row(ring, row) + col,
                 .entry = mry_list_find(list, col + lo),
                 .entry_end = mry_list_end(list) };
    for (int k = 0; k <= pass->work->plan.slope; k++) c.across[k] = no_way;
    for (int x = lo - 1; x < before->lo; x++) blank(pass, before, x);
    to->lo = to->hi = lo;
    for (c.x = lo; c.x < pass->width && (c.x < hi || goes_across(pass, &c)); c.x++) {
        if (c.x >= before->hi) blank(pass, before, c.x);
        scan_cell(pass, before, to, valid, &c);
        if (!isfinite(to->best[c.x].sum)) continue;
        if (to->hi == to->lo) to->lo = c.x;
        to->hi = c.x + 1;
    }
}

void mry_pass_run(mry_pass *pass, const mry_web_piece *piece)
{
    const mry_web_plan *plan = &pass->work->plan;
    marey_cell first = piece->cells[0], last = piece->cells[piece->count - 1];
    pass->piece = piece;
    pass->target_count = 0;
    pass->height = last.row - first.row + plan->reach;
    pass->width = last.col - first.col + plan->reach;
    if (pass->height > plan->rows - first.row) pass->height = plan->rows - first.row;
    if (pass->width > plan->cols - first.col) pass->width = plan->cols - first.col;
    pass->ways[0].lo = pass->ways[0].hi = 0;
    int next = 0; /* cell of the piece */
    for (int y = 0; y < pass->height; y++) {
        mry_ways *before = &pass->ways[y & 1], *to = &pass->ways[~y & 1];
        bool empty = before->hi == before->lo;
        int lo = before->lo, hi = before->hi + !empty;
        if (next < piece->count) { /* every row up to the last one has cells of it */
            int from = piece->cells[next].col - first.col;
            while (next < piece->count && piece->cells[next].row == first.row + y) next++;
            int behind = piece->cells[next - 1].col - first.col + 1;
            if (empty || from < lo) lo = from;
            if (empty || behind > hi) hi = behind;
        } else if (empty) {
            break;
        }
        if (empty) before->lo = before->hi = lo;
        scan_row(pass, first.row + y, lo, hi, before, to);
    }
}
