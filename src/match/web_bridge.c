/* web_bridge.c - ways from one chain to others (webs, 6.2.2), by dynamic programming from all cells
   of a piece of the chain at once; and bridges and tails of many pieces: the threads look for ways,
   then the best of every pair of chains is kept, in the order of the pieces. A chain's first piece
   has its tails back, its last those on. The rules are in web_data.h. */
#include "match/web_tail.h"

#include "base/grow.h"

#include <math.h>
#include <string.h>

/* ---- ways from one piece of a chain ---------------------------------------------------------- */

/* A cell has a state for every way of the last steps: S (a diagonal one, or the way begins here), k
   across, k down, k up to the slope. A step down after one across, or the other way round, is never
   needed: the diagonal leaves out a cell, and costs are not negative. So only the least of all
   states goes on diagonally, and only S begins a run:

       S(r, c)        = least of all states of (r - 1, c - 1)    + cost
       across_k(r, c) = across_k-1(r, c - 1), across_0 = S       + cost
       down_k(r, c)   = down_k-1(r - 1, c),   down_0 = S         + cost

   Which state is a cell's least is noted in a byte; the rest follows when a way is traced back. */

typedef struct way { /* a state's best; see above */
    double sum;      /* infinite: none */
    uint32_t
        tag; /* number in the piece of the cell it began at, times 65536, plus how many cells it has */
} way;

typedef struct target { /* the best way to another chain so far */
    int chain, cell;
    double mean;
    marey_cell at;
    uint32_t tag;
    bool set;
} target;

/* One row of states. Columns are counted from the piece's first. */
typedef struct way_row {
    way *states; /* of each column: the best of all, S, and down_1 to down_(slope - 1) */
    int lo, hi;  /* columns [lo, hi) may hold ways */
} way_row;

/* What one thread needs, for one piece after the other. */
typedef struct passing {
    const mry_web_work *work;
    const mry_web_piece *piece;
    int height, width; /* what can be reached from the piece's first cell */
    uint8_t *
        from; /* the state that is a cell's least: 0, 1 .. slope across, slope + 1 .. 2 slope down */
    way_row ways[2];
    int expired;     /* so many of the piece's cells are too long ago for the row that is scanned */
    target *targets; /* chains that were reached */
    int target_count, target_room;
    mry_arena mem;
    bool failed; /* no memory */
} passing;

static const way no_way = { INFINITY, 0 };

enum { FIRST_ROOM = 64 };

static bool make_pass(passing *pass, mry_web_work *work)
{
    int side = MRY_WEB_PIECE + work->plan.reach, slope = work->plan.slope;
    size_t wide = (size_t)side + 4 + MRY_WEB_MOST_SLOPE;
    *pass = (passing){ .work = work, .mem = mry_arena_make(work->ctx) };
    pass->from = MRY_NEW_RAW(&pass->mem, uint8_t, (size_t)side * (size_t)side);
    way *ways = MRY_NEW_RAW(&pass->mem, way, 2 * ((size_t)slope + 1) * wide);
    pass->targets = MRY_NEW_RAW(&pass->mem, target, FIRST_ROOM);
    pass->target_room = FIRST_ROOM;
    if (!pass->from || !ways || !pass->targets) return false;
    for (int i = 0; i < 2; i++)
        pass->ways[i].states = ways + ((size_t)i * wide + 2) * ((size_t)slope + 1);
    return true;
}

static uint8_t *state_of(const passing *pass, marey_cell at)
{
    marey_cell first = pass->piece->cells[0];
    return &pass->from[(size_t)(at.row - first.row) * (size_t)pass->width +
                       (size_t)(at.col - first.col)];
}

/* The cell before `at`, whose state is *state; then that of the one before. */
static marey_cell step_back(const passing *pass, marey_cell at, int *state)
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

static void reach_target(passing *pass, const mry_web_entry *entry, int row, way best)
{
    marey_cell at = { row, entry->col };
    double mean = best.sum / (double)(best.tag & 0xffff);
    int known = pass->target_count - 1;
    while (known >= 0 && pass->targets[known].chain != entry->chain) known--;
    if (known < 0) {
        if (!mry_grow_in(&pass->mem, &pass->targets, &pass->target_room, pass->target_count + 1,
                         sizeof *pass->targets)) {
            pass->failed = true;
            return;
        }
        known = pass->target_count++;
        pass->targets[known] = (target){ .chain = entry->chain };
    }
    target *to = &pass->targets[known];
    if (to->set && mean >= to->mean) return;
    /* One that touches the chain before ends there. */
    marey_cell back = at;
    int state = *state_of(pass, at);
    for (uint32_t left = (best.tag & 0xffff) - 1; left > 1; left--) {
        back = step_back(pass, back, &state);
        const mry_web_list *list = &pass->work->ring.lists[back.row % pass->work->ring.room];
        const mry_web_entry *on = mry_list_find(list, back.col);
        if (on < mry_list_end(list) && on->col == back.col && on->chain == entry->chain) return;
    }
    *to = (target){ entry->chain, entry->index, mean, at, best.tag, true };
}

MRY_EACH_CELL way go_on(way before, double cost, uint32_t oldest)
{
    double sum = before.sum + cost;
    return (way){ before.tag < oldest ? INFINITY : sum, before.tag + 1 };
}

MRY_EACH_CELL void blank(way *states, int slope)
{
    for (int k = 0; k <= slope; k++) states[k] = no_way;
}

/* All states of a cell, from those of the cells before it and above it; across[k] are of the cell to
   the left, and then of this one. Which is the least is not to be foreseen, so there are no branches.
   Returns the number of the least. */
MRY_EACH_CELL int reach_cell(const way *diagonal, const way *above, way *across, way *to,
                             double cost, uint32_t oldest, int slope)
{
    int state = 0;
    way start = go_on(diagonal[0], cost, oldest), best = start;
#pragma GCC unroll 8
    for (int k = slope; k >= 1; k--) {
        way right = go_on(across[k - 1], cost, oldest), down = go_on(above[k], cost, oldest);
        across[k] = right;
        if (k < slope) to[k + 1] = down;
        bool less = right.sum < best.sum;
        best.sum = less ? right.sum : best.sum;
        best.tag = less ? right.tag : best.tag;
        state = less ? k : state;
        less = down.sum < best.sum;
        best.sum = less ? down.sum : best.sum;
        best.tag = less ? down.tag : best.tag;
        state = less ? slope + k : state;
    }
    across[0] = to[1] = start;
    to[0] = best;
    return state;
}

MRY_EACH_CELL bool goes_across(const way *across, int slope)
{
    bool any = false;
    for (int k = 0; k < slope; k++) any |= across[k].sum < INFINITY;
    return any;
}

/* Ways that began at a cell of the piece `reach` steps before this one, or still earlier, are too long
   now: how many cells that are. */
MRY_EACH_CELL int count_expired(const mry_web_piece *piece, int expired, int steps)
{
    while (expired < piece->count &&
           steps - piece->cells[expired].row - piece->cells[expired].col >= 0)
        expired++;
    return expired;
}

/* From column lo on, at least to `hi`, and as far as a way goes on to the right. */
MRY_EACH_CELL void scan_row(passing *pass, int row, int lo, int hi, way_row *before, way_row *after,
                            int slope)
{
    const mry_web_ring *ring = &pass->work->ring;
    const mry_web_list *list = &ring->lists[row % ring->room];
    const uint64_t *valid = mry_ring_bits(ring, ring->valid, row);
    const mry_web_piece *piece = pass->piece;
    const int first_col = piece->cells[0].col, width = pass->width, above_hi = before->hi;
    const int reach = pass->work->plan.reach, each = slope + 1;
    const float *cells = mry_ring_row(ring, row) + first_col;
    const mry_web_entry *on = mry_list_find(list, first_col + lo), *on_end = mry_list_end(list);
    uint8_t *from = pass->from + (size_t)(row - piece->cells[0].row) * (size_t)width;
    way across[MRY_WEB_MOST_SLOPE + 1];
    int expired = pass->expired, first = lo, end = lo;
    for (int k = 0; k <= slope; k++) across[k] = no_way;
    for (int x = lo - 1; x < before->lo; x++) blank(before->states + x * each, slope);
    while (expired > 0 && row + first_col + lo - reach <
                              piece->cells[expired - 1].row + piece->cells[expired - 1].col)
        expired--;
    pass->expired = expired = count_expired(piece, expired, row + first_col + lo - reach);
    for (int x = lo; x < width && (x < hi || goes_across(across, slope)); x++) {
        way *above = before->states + x * each, *to = after->states + x * each;
        int col = first_col + x;
        if (x >= above_hi) blank(above, slope);
        while (on < on_end && on->col < col) on++;
        bool is_on = on < on_end && on->col == col;
        if (is_on && on->chain == piece->chain) {
            int number = on->index - piece->first;
            blank(to, slope);
            for (int k = 0; k <= slope; k++) across[k] = no_way;
            if (number < 0 || number >= piece->count) continue;
            /* a way begins here */
            to[0] = to[1] = across[0] = (way){ (double)cells[x], (uint32_t)number << 16 | 1 };
            from[x] = 0;
        } else if (!mry_bit(valid, col)) {
            blank(to, slope);
            for (int k = 0; k <= slope; k++) across[k] = no_way;
            continue;
        } else {
            expired = count_expired(piece, expired, row + col - reach);
            from[x] = (uint8_t)reach_cell(above - each, above, across, to, (double)cells[x],
                                          (uint32_t)expired << 16, slope);
            if (is_on && to[0].sum < INFINITY) reach_target(pass, on, row, to[0]);
        }
        if (!(to[0].sum < INFINITY)) continue;
        if (end == lo) first = x;
        end = x + 1;
    }
    after->lo = first;
    after->hi = end;
}

/* Finds pass->targets. All rows that can be reached must be known. */
static void run_pass(passing *pass, const mry_web_piece *piece)
{
    const mry_web_plan *plan = &pass->work->plan;
    marey_cell first = piece->cells[0], last = piece->cells[piece->count - 1];
    pass->piece = piece;
    pass->target_count = 0;
    pass->expired = 0;
    pass->height = last.row - first.row + plan->reach;
    pass->width = last.col - first.col + plan->reach;
    if (pass->height > plan->rows - first.row) pass->height = plan->rows - first.row;
    if (pass->width > plan->cols - first.col) pass->width = plan->cols - first.col;
    pass->ways[0].lo = pass->ways[0].hi = 0;
    int next = 0; /* cell of the piece */
    for (int y = 0; y < pass->height; y++) {
        way_row *before = &pass->ways[y & 1], *to = &pass->ways[~y & 1];
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
        if (plan->slope == MRY_WEB_USUAL_SLOPE)
            scan_row(pass, first.row + y, lo, hi, before, to, MRY_WEB_USUAL_SLOPE);
        else
            scan_row(pass, first.row + y, lo, hi, before, to, plan->slope);
    }
}

/* ---- many pieces at once --------------------------------------------------------------------- */

enum { BATCH = 8 }; /* pieces a thread takes at once */

typedef struct found {
    mry_web_bridge *bridges;            /* next: of the same piece */
    mry_web_tail tails[MRY_TAIL_KINDS]; /* without costs */
} found;

typedef struct batches {
    mry_web_work *work;
    int count; /* pieces that are ready */
    found *found;
    mry_arena *mem; /* of each batch */
} batches;

/* Both tails of one end of a chain, the second if it is not the first again. */
static bool note_tails(mry_arena *mem, mry_tail_pass *pass, marey_cell end, int direction,
                       mry_web_tail *out)
{
    mry_tails_run(pass, end, direction);
    for (int axis = 0; axis < 2; axis++) {
        marey_cell *cells = MRY_NEW_RAW(mem, marey_cell, pass->work->plan.reach);
        if (!cells) return false;
        int count = mry_tails_trace(pass, axis, cells);
        bool same = axis == 1 && out[0].count == count &&
                    memcmp(out[0].cells, cells, (size_t)count * sizeof *cells) == 0;
        if (same) count = 0;
        out[axis] = (mry_web_tail){ count, cells, NULL };
    }
    return true;
}

static void do_batch(void *user, int64_t number)
{
    batches *all = user;
    mry_web_work *work = all->work;
    passing pass;
    mry_tail_pass tails;
    mry_arena *mem = &all->mem[number];
    int from = (int)number * BATCH, end = from + BATCH < all->count ? from + BATCH : all->count;
    if (work->failed || mry_cancelled(work->ctx)) return;
    bool made = make_pass(&pass, work);
    made = mry_tails_make(&tails, work) && made;
    for (int i = from; made && i < end; i++) {
        const mry_web_piece *piece = work->links.waiting[i];
        found *to = &all->found[i];
        run_pass(&pass, piece);
        made = !pass.failed;
        for (int t = 0; made && t < pass.target_count; t++) {
            const target *goal = &pass.targets[t];
            if (!goal->set) continue;
            int count = (int)(goal->tag & 0xffff) - 2;
            mry_web_bridge *bridge = MRY_NEW(mem, mry_web_bridge, 1);
            marey_cell *cells = MRY_NEW_RAW(mem, marey_cell, count + 1), here = goal->at;
            made = bridge && cells;
            if (!made) break;
            /* The cells of the way without its ends, in the order of time: all but two that the tag
               counts. */
            int state = *state_of(&pass, here);
            for (int k = count - 1; k >= 0; k--) cells[k] = here = step_back(&pass, here, &state);
            *bridge = (mry_web_bridge){ .next = to->bridges,
                                        .to = goal->chain,
                                        .from_cell = piece->first + (int)(goal->tag >> 16),
                                        .to_cell = goal->cell,
                                        .mean = goal->mean,
                                        .count = count,
                                        .cells = cells };
            to->bridges = bridge;
        }
        if (made && work->plan.tail > 0 && !piece->next)
            made = note_tails(mem, &tails, piece->cells[piece->count - 1], 1,
                              &to->tails[MRY_TAIL_ON_ROWS]);
        if (made && work->plan.tail > 0 && piece->first == 0)
            made = note_tails(mem, &tails, piece->cells[0], -1, &to->tails[MRY_TAIL_BACK_ROWS]);
    }
    if (!made) work->failed = true;
    mry_arena_free(&pass.mem);
    mry_tails_free(&tails);
}

static bool keep(mry_web_work *work, int chain, const mry_web_bridge *one)
{
    mry_web_chain *of = &work->links.chains[chain];
    mry_web_bridge *at = of->bridges;
    while (at && at->to != one->to) at = at->next;
    if (at && at->mean <= one->mean) return true;
    if (!at) {
        at = MRY_NEW(&work->mem, mry_web_bridge, 1);
        if (!at) return false;
        at->next = of->bridges;
        of->bridges = at;
    }
    marey_cell *cells = MRY_NEW_RAW(&work->mem, marey_cell, one->count + 1);
    float *costs = MRY_NEW_RAW(&work->mem, float, one->count + 1);
    if (!cells || !costs) return false;
    for (int i = 0; i < one->count; i++) {
        cells[i] = one->cells[i];
        costs[i] = mry_ring_row(&work->ring, cells[i].row)[cells[i].col];
    }
    mry_web_bridge *next = at->next;
    *at = *one;
    at->next = next;
    at->cells = cells;
    at->costs = costs;
    return true;
}

static bool keep_tails(mry_web_work *work, int chain, const mry_web_tail *from)
{
    mry_web_chain *of = &work->links.chains[chain];
    if (!of->tails) of->tails = MRY_NEW(&work->mem, mry_web_tail, MRY_TAIL_KINDS);
    if (!of->tails) return false;
    for (int i = 0; i < MRY_TAIL_KINDS; i++) {
        int count = from[i].count;
        if (count == 0) continue;
        marey_cell *cells = MRY_NEW_RAW(&work->mem, marey_cell, count);
        float *costs = MRY_NEW_RAW(&work->mem, float, count);
        if (!cells || !costs) return false;
        for (int k = 0; k < count; k++) {
            cells[k] = from[i].cells[k];
            costs[k] = mry_ring_row(&work->ring, cells[k].row)[cells[k].col];
        }
        of->tails[i] = (mry_web_tail){ count, cells, costs };
    }
    return true;
}

bool mry_bridges_find(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    mry_arena tmp = mry_arena_make(work->ctx);
    mry_web_ring *ring = &work->ring;
    batches all = { .work = work };
    /* Nothing but cells of chains that stay is looked for in rows that are known. */
    for (; ring->listed < ring->known; ring->listed++) {
        mry_web_list *list = &ring->lists[ring->listed % ring->room];
        int kept = 0;
        for (int i = 0; i < list->count; i++) {
            if (links->chains[list->items[i].chain].count < work->plan.shortest) continue;
            list->items[kept++] = list->items[i];
        }
        list->count = kept;
    }
    for (; all.count < links->waiting_count; all.count++) {
        const mry_web_piece *piece = links->waiting[all.count];
        int needed = piece->cells[piece->count - 1].row + work->plan.reach;
        if (ring->known < (needed < work->plan.rows ? needed : work->plan.rows)) break;
    }
    int parts = (all.count + BATCH - 1) / BATCH;
    all.found = MRY_NEW(&tmp, found, all.count + 1);
    all.mem = MRY_NEW(&tmp, mry_arena, parts + 1);
    bool done = all.found && all.mem;
    for (int i = 0; done && i < parts; i++) all.mem[i] = mry_arena_make(work->ctx);
    if (done) {
        marey_ctx_run(work->ctx, parts, do_batch, &all);
        done = !work->failed;
        bool cancelled = mry_cancelled(work->ctx);
        for (int i = 0; done && !cancelled && i < all.count; i++) {
            int chain = links->waiting[i]->chain;
            done = keep_tails(work, chain, all.found[i].tails);
            for (const mry_web_bridge *b = all.found[i].bridges; done && b; b = b->next)
                done = keep(work, chain, b);
        }
        for (int i = 0; i < parts; i++) mry_arena_free(&all.mem[i]);
    }
    links->waiting_count -= all.count;
    if (links->waiting_count > 0) {
        memmove(links->waiting, links->waiting + all.count,
                (size_t)links->waiting_count * sizeof(mry_web_piece *));
    }
    mry_arena_free(&tmp);
    return done;
}
