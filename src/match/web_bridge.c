/* web_bridge.c - bridges and tails of many pieces of chains at once: the threads look for ways, then the best of every pair
   of chains is kept, in the order of the pieces. A chain's first piece has its tails back, its last those on. */
#include "match/web_tail.h"
#include "match/web_way.h"

#include <string.h>

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

/* ---- lists of kept chains -------------------------------------------------------------------------- */

/* Nothing but cells of chains that stay is looked for in rows that are known. */
static void clean_lists(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    for (; ring->listed < ring->known; ring->listed++) {
        mry_web_list *list = &ring->lists[ring->listed % ring->room];
        int kept = 0;
        for (int i = 0; i < list->count; i++) {
            if (work->links.chains[list->items[i].chain].count < work->plan.shortest) continue;
            list->items[kept++] = list->items[i];
        }
        list->count = kept;
    }
}

/* ---- looking --------------------------------------------------------------------------------------- */

static bool note(mry_arena *mem, const mry_pass *pass, const mry_target *to, found *in)
{
    const mry_web_piece *piece = pass->piece;
    int count = (int)(to->tag & 0xffff) - 2;
    mry_web_bridge *bridge = MRY_NEW(mem, mry_web_bridge, 1);
    marey_cell *cells = MRY_NEW_RAW(mem, marey_cell, count + 1);
    if (!bridge || !cells) return false;
    mry_pass_trace(pass, to, cells);
    *bridge = (mry_web_bridge){ .next = in->bridges,
                                .to = to->chain,
                                .from_cell = piece->first + (int)(to->tag >> 16),
                                .to_cell = to->cell,
                                .mean = to->mean,
                                .count = count,
                                .cells = cells };
    in->bridges = bridge;
    return true;
}

static bool same_cells(const mry_web_tail *a, const marey_cell *cells, int count)
{
    return a->count == count && memcmp(a->cells, cells, (size_t)count * sizeof *cells) == 0;
}

/* Both tails of one end of a chain, the second if it is not the first again. */
static bool note_tails(mry_arena *mem, mry_tail_pass *pass, marey_cell end, int way,
                       mry_web_tail *to)
{
    mry_tails_run(pass, end, way);
    for (int axis = 0; axis < 2; axis++) {
        marey_cell *cells = MRY_NEW_RAW(mem, marey_cell, pass->work->plan.reach);
        if (!cells) return false;
        int count = mry_tails_trace(pass, axis, cells);
        if (axis == 1 && same_cells(&to[0], cells, count)) count = 0;
        to[axis] = (mry_web_tail){ count, cells, NULL };
    }
    return true;
}

static bool find_tails(mry_arena *mem, mry_tail_pass *pass, const mry_web_piece *piece, found *in)
{
    if (pass->work->plan.tail == 0) return true;
    if (!piece->next &&
        !note_tails(mem, pass, piece->cells[piece->count - 1], 1, &in->tails[MRY_TAIL_ON_ROWS])) {
        return false;
    }
    return piece->first > 0 ||
           note_tails(mem, pass, piece->cells[0], -1, &in->tails[MRY_TAIL_BACK_ROWS]);
}

static void do_batch(void *user, int64_t number)
{
    batches *all = user;
    mry_web_work *work = all->work;
    mry_pass pass;
    mry_tail_pass tails;
    int from = (int)number * BATCH, to = from + BATCH < all->count ? from + BATCH : all->count;
    if (work->failed || mry_cancelled(work->ctx)) return;
    bool made = mry_pass_make(&pass, work);
    made = mry_tails_make(&tails, work) && made;
    for (int i = from; made && i < to; i++) {
        mry_pass_run(&pass, work->links.waiting[i]);
        made = !pass.failed;
        for (int t = 0; made && t < pass.target_count; t++) {
            if (!pass.targets[t].set) continue;
            made = note(&all->mem[number], &pass, &pass.targets[t], &all->found[i]);
        }
        made =
            made && find_tails(&all->mem[number], &tails, work->links.waiting[i], &all->found[i]);
    }
    if (!made) work->failed = true;
    mry_pass_free(&pass);
    mry_tails_free(&tails);
}

/* ---- keeping --------------------------------------------------------------------------------------- */

static bool copy_bridge(mry_web_work *work, const mry_web_bridge *from, mry_web_bridge *to)
{
    marey_cell *cells = MRY_NEW_RAW(&work->mem, marey_cell, from->count + 1);
    float *costs = MRY_NEW_RAW(&work->mem, float, from->count + 1);
    if (!cells || !costs) return false;
    for (int i = 0; i < from->count; i++) {
        cells[i] = from->cells[i];
        costs[i] = mry_ring_row(&work->ring, cells[i].row)[cells[i].col];
    }
    mry_web_bridge *next = to->next;
    *to = *from;
    to->next = next;
    to->cells = cells;
    to->costs = costs;
    return true;
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
    return copy_bridge(work, one, at);
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

static int count_ready(const mry_web_work *work)
{
    const mry_web_links *links = &work->links;
    int count = 0;
    while (count < links->waiting_count) {
        const mry_web_piece *piece = links->waiting[count];
        int needed = piece->cells[piece->count - 1].row + work->plan.reach;
        if (work->ring.known < (needed < work->plan.rows ? needed : work->plan.rows)) break;
        count++;
    }
    return count;
}

static bool keep_all(batches *all)
{
    mry_web_work *work = all->work;
    for (int i = 0; i < all->count; i++) {
        if (!keep_tails(work, work->links.waiting[i]->chain, all->found[i].tails)) return false;
        for (const mry_web_bridge *b = all->found[i].bridges; b; b = b->next) {
            if (!keep(work, work->links.waiting[i]->chain, b)) return false;
        }
    }
    return true;
}

bool mry_bridges_find(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    mry_arena tmp = mry_arena_make(work->ctx);
    clean_lists(work);
    batches all = { .work = work, .count = count_ready(work) };
    int parts = (all.count + BATCH - 1) / BATCH;
    all.found = MRY_NEW(&tmp, found, all.count + 1);
    all.mem = MRY_NEW(&tmp, mry_arena, parts + 1);
    bool done = all.found && all.mem;
    for (int i = 0; done && i < parts; i++) all.mem[i] = mry_arena_make(work->ctx);
    if (done) {
        marey_ctx_run(work->ctx, parts, do_batch, &all);
        done = !work->failed && (mry_cancelled(work->ctx) || keep_all(&all));
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
