/* web_bridge.c - ways from one chain to others (webs, 6.2.2), by dynamic programming from all cells
   of a piece of the chain at once; and bridges and tails of many pieces: the threads look for ways,
   then the best of every pair of chains is kept, in the order of the pieces. A chain's first piece
   has its tails back, its last those on. The rules are in web_data.h. */
#include "match/web_tail.h"
#include "match/web_ways.h"

#include "base/grow.h"

#include <math.h>
#include <string.h>

/* ---- ways from one piece of a chain ---------------------------------------------------------- */

/* A way's tag is the number in the piece of the cell it began at, times 65536, plus how many cells it
   has. */

typedef struct target { /* the best way to another chain so far */
    int chain, cell;
    double mean;
    marey_cell at;
    int64_t tag;
    bool set;
} target;

/* What one thread needs, for one piece after the other. */
typedef struct passing {
    const mry_web_work *work;
    const mry_web_piece *piece;
    int height, width; /* what can be reached from the piece's first cell */
    uint8_t *states;   /* of cells, `width` to a row; ON_CHAIN: another chain leads through it */
    int64_t *oldest;   /* by rows + columns from the piece's first cell: lesser tags are too long */
    mry_web_ways ways;
    target *targets; /* chains that were reached */
    int target_count, target_room;
    mry_arena mem;
    bool failed; /* no memory */
} passing;

enum { FIRST_ROOM = 64, ON_CHAIN = 0x80 };

static bool make_pass(passing *pass, mry_web_work *work)
{
    int side = MRY_WEB_PIECE + work->plan.reach;
    *pass = (passing){ .work = work, .mem = mry_arena_make(work->ctx) };
    pass->states = MRY_NEW_RAW(&pass->mem, uint8_t, (size_t)side * (size_t)side + MRY_KERNEL_WAYS);
    pass->oldest = MRY_NEW_RAW(&pass->mem, int64_t, 2 * side + MRY_KERNEL_WAYS);
    pass->targets = MRY_NEW_RAW(&pass->mem, target, FIRST_ROOM);
    pass->target_room = FIRST_ROOM;
    return pass->states && pass->oldest && pass->targets &&
           mry_web_ways_make(&pass->ways, &pass->mem, work->plan.slope, side, true);
}

static uint8_t *state_at(const passing *pass, marey_cell at)
{
    marey_cell first = pass->piece->cells[0];
    return &pass->states[(size_t)(at.row - first.row) * (size_t)pass->width +
                         (size_t)(at.col - first.col)];
}

static int state_of(const passing *pass, marey_cell at)
{
    return *state_at(pass, at) & ~ON_CHAIN;
}

/* The cell before `at`, whose state is *state; then that of the one before. */
static marey_cell step_back(const passing *pass, marey_cell at, int *state)
{
    int slope = pass->work->plan.slope, now = *state;
    at.row -= mry_ways_came_down(now, slope);
    at.col -= mry_ways_came_across(now, slope);
    *state = mry_ways_state_before(now, slope);
    if (*state < 0) *state = state_of(pass, at);
    return at;
}

static void reach_target(passing *pass, const mry_web_entry *entry, int row, double sum,
                         int64_t tag)
{
    const mry_web_ring *ring = &pass->work->ring;
    marey_cell at = { row, entry->col };
    double mean = sum / (double)(tag & 0xffff);
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
    int state = state_of(pass, at);
    for (int64_t left = (tag & 0xffff) - 1; left > 1; left--) {
        back = step_back(pass, back, &state);
        if (!(*state_at(pass, back) & ON_CHAIN)) continue;
        const mry_web_list *list = &ring->lists[back.row % ring->room];
        const mry_web_entry *on = mry_list_find(list, back.col);
        if (on < mry_list_end(list) && on->col == back.col && on->chain == entry->chain) return;
    }
    *to = (target){ entry->chain, entry->index, mean, at, tag, true };
}

/* Columns, counted from the piece's first, that cells of the piece have in a row. */
typedef struct span {
    int first, behind;
} span;

static void scan_row(passing *pass, int y, span own)
{
    const mry_web_piece *piece = pass->piece;
    const mry_web_ring *ring = &pass->work->ring;
    const int row = piece->cells[0].row + y, first_col = piece->cells[0].col;
    const float *cells = mry_ring_row(ring, row) + first_col;
    mry_way_start starts[MRY_WEB_MOST_SLOPE + 1];
    mry_ways_def def = { .starts = starts,
                         .oldest = pass->oldest + y,
                         .states = pass->states + (size_t)y * (size_t)pass->width };
    mry_web_ways_open(&pass->ways, cells, 1, own.first, own.behind, pass->width);
    int lo = pass->ways.now->lo, hi = pass->ways.now->hi;
    const mry_web_list *list = &ring->lists[row % ring->room];
    const mry_web_entry *on_first = mry_list_find(list, first_col + lo), *on_end = on_first;
    for (; on_end < mry_list_end(list) && on_end->col < first_col + hi; on_end++) {
        if (on_end->chain != piece->chain) continue;
        int x = on_end->col - first_col, number = on_end->index - piece->first;
        pass->ways.costs[x] = INFINITY; /* no way leads through the chain itself */
        if (number >= 0 && number < piece->count)
            starts[def.start_count++] =
                (mry_way_start){ x - lo, (double)cells[x], (int64_t)number << 16 | 1 };
    }
    mry_web_ways_close(&pass->ways, &def);
    for (const mry_web_entry *on = on_first; on < on_end; on++) {
        if (on->chain == piece->chain) continue;
        def.states[on->col - first_col] |= ON_CHAIN;
        double sum = mry_web_ways_sum(&pass->ways, on->col - first_col);
        if (sum < INFINITY)
            reach_target(pass, on, row, sum, pass->ways.now->tags[on->col - first_col]);
    }
}

/* Finds pass->targets. All rows that can be reached must be known. */
static void run_pass(passing *pass, const mry_web_piece *piece)
{
    const mry_web_plan *plan = &pass->work->plan;
    marey_cell first = piece->cells[0], last = piece->cells[piece->count - 1];
    pass->piece = piece;
    pass->target_count = 0;
    pass->height = last.row - first.row + plan->reach;
    pass->width = last.col - first.col + plan->reach;
    if (pass->height > plan->rows - first.row) pass->height = plan->rows - first.row;
    if (pass->width > plan->cols - first.col) pass->width = plan->cols - first.col;
    /* Ways that began at a cell of the piece `reach` steps before another one, or still earlier, are
       too long there. */
    int steps = 0, end = pass->height + pass->width + MRY_KERNEL_WAYS;
    for (int i = 0; i <= piece->count; i++) {
        marey_cell at = piece->cells[i < piece->count ? i : 0];
        int until = i < piece->count ? at.row - first.row + at.col - first.col + plan->reach : end;
        for (; steps < until && steps < end; steps++) pass->oldest[steps] = (int64_t)i << 16;
    }
    mry_web_ways_clear(&pass->ways);
    int next = 0; /* cell of the piece */
    for (int y = 0; y < pass->height; y++) {
        span own = { pass->ways.now->lo, pass->ways.now->lo };
        if (next < piece->count) { /* every row up to the last one has cells of it */
            own.first = piece->cells[next].col - first.col;
            while (next < piece->count && piece->cells[next].row == first.row + y) next++;
            own.behind = piece->cells[next - 1].col - first.col + 1;
        } else if (mry_web_ways_over(&pass->ways)) {
            break;
        }
        scan_row(pass, y, own);
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
            int state = state_of(&pass, here);
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
