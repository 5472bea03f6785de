/* web_finish.c - from what was found to a web: chains numbered by their first cells, bridges by the chains they connect,
   tails by the chains they continue, costs rounded to what bytes keep. */
#include "match/web_work.h"

#include <stdlib.h>
#include <string.h>

float mry_web_round_cost(float cost)
{
    enum { DROPPED = 23 - MRY_WEB_COST_BITS };
    uint32_t bits;
    memcpy(&bits, &cost, sizeof bits);
    bits = (bits + (UINT32_C(1) << (DROPPED - 1))) >> DROPPED << DROPPED;
    memcpy(&cost, &bits, sizeof cost);
    return cost;
}

typedef struct counts {
    int chains, tails, bridges;
    int64_t cells;
} counts;

/* Numbers the chains that stay; the others are -1. */
static counts number_chains(const mry_web_work *work, int *number)
{
    const mry_web_links *links = &work->links;
    bool self = work->plan.self;
    counts all = { .chains = self, .cells = self ? work->plan.rows : 0 };
    for (int i = 0; i < links->count; i++) {
        const mry_web_chain *chain = &links->chains[i];
        number[i] = chain->count > 0 ? all.chains++ : -1;
        all.cells += chain->count;
        for (int k = 0; chain->tails && k < MRY_TAIL_KINDS; k++) {
            all.tails += chain->tails[k].count > 0;
            all.cells += chain->tails[k].count;
        }
        for (const mry_web_bridge *b = chain->bridges; b; b = b->next) {
            all.bridges++;
            all.cells += b->count;
        }
    }
    return all;
}

static mry_web_path *add_path(marey_web *web, int count)
{
    mry_web_path *path = &web->paths[web->chain_count + web->bridge_count];
    *path = (mry_web_path){ web->cell_count, count, -1, -1, -1, -1 };
    web->cell_count += count;
    return path;
}

void mry_web_add_diagonal(marey_web *web)
{
    add_path(web, web->rows);
    web->chain_count++;
    for (int i = 0; i < web->rows; i++) {
        web->cells[i] = (marey_cell){ i, i };
        web->costs[i] = 0;
    }
}

static void add_cells(marey_web *web, int64_t at, const marey_cell *cells, const float *costs,
                      int count)
{
    for (int i = 0; i < count; i++) {
        web->cells[at + i] = cells[i];
        web->costs[at + i] = mry_web_round_cost(costs[i]);
    }
}

static void add_chain(marey_web *web, const mry_web_chain *chain)
{
    int64_t at = add_path(web, chain->count)->first;
    web->chain_count++;
    for (const mry_web_piece *p = chain->first; p; p = p->next) {
        add_cells(web, at, p->cells, p->costs, p->count);
        at += p->count;
    }
}

static void add_tails(marey_web *web, const mry_web_chain *chain)
{
    for (int k = 0; chain->tails && k < MRY_TAIL_KINDS; k++) {
        const mry_web_tail *tail = &chain->tails[k];
        if (tail->count == 0) continue;
        int64_t at = add_path(web, tail->count)->first;
        web->chain_count++;
        web->tail_count++;
        add_cells(web, at, tail->cells, tail->costs, tail->count);
    }
}

mry_web_path mry_web_joint(const marey_web *web, int chain, int tail, bool back)
{
    int from = back ? tail : chain, to = back ? chain : tail;
    return (mry_web_path){ web->paths[to].first, 0, from, to, web->paths[from].count - 1, 0 };
}

static void add_joints(marey_web *web, const mry_web_chain *chain, int number, int *tail)
{
    for (int k = 0; chain->tails && k < MRY_TAIL_KINDS; k++) {
        if (chain->tails[k].count == 0) continue;
        *add_path(web, 0) = mry_web_joint(web, number, (*tail)++, k >= MRY_TAIL_BACK_ROWS);
        web->bridge_count++;
    }
}

static int by_target(const void *a, const void *b)
{
    const mry_web_bridge *left = *(mry_web_bridge *const *)a, *right = *(mry_web_bridge *const *)b;
    return (left->to > right->to) - (left->to < right->to);
}

/* `sorted` has room for the bridges of any chain. Numbers of chains grow as their first ones did. */
static void add_bridges(marey_web *web, const mry_web_chain *chain, int from, const int *number,
                        const mry_web_bridge **sorted)
{
    size_t count = 0;
    for (const mry_web_bridge *b = chain->bridges; b; b = b->next) sorted[count++] = b;
    if (count > 1) qsort(sorted, count, sizeof *sorted, by_target);
    for (size_t i = 0; i < count; i++) {
        const mry_web_bridge *b = sorted[i];
        mry_web_path *path = add_path(web, b->count);
        web->bridge_count++;
        path->from = from;
        path->to = number[b->to];
        path->from_cell = b->from_cell;
        path->to_cell = b->to_cell;
        add_cells(web, path->first, b->cells, b->costs, b->count);
    }
}

marey_web *mry_web_make(marey_ctx *ctx, const marey_web *head, int64_t cells)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_web *web = MRY_NEW(&mem, marey_web, 1);
    if (!web) return NULL;
    *web = *head;
    web->paths =
        MRY_NEW(&mem, mry_web_path, (size_t)head->chain_count + (size_t)head->bridge_count + 1);
    web->cells = MRY_NEW_RAW(&mem, marey_cell, cells + 1);
    web->costs = MRY_NEW_RAW(&mem, float, cells + 1);
    web->mem = mem;
    if (web->paths && web->cells && web->costs) return web;
    mry_arena_free(&mem);
    return NULL;
}

static marey_web *make_web(const mry_web_work *work, counts all)
{
    const mry_web_plan *plan = &work->plan;
    marey_web head = { .rows = plan->rows,
                       .cols = plan->cols,
                       .self = plan->self,
                       .fps = plan->fps,
                       .ceiling = (double)plan->ceiling,
                       .chain_count = all.chains + all.tails,
                       .bridge_count = all.bridges + all.tails };
    marey_web *web = mry_web_make(work->ctx, &head, all.cells);
    if (web) web->chain_count = web->bridge_count = 0;
    return web;
}

marey_web *mry_web_finish(mry_web_work *work)
{
    const mry_web_links *links = &work->links;
    mry_arena tmp = mry_arena_make(work->ctx);
    int *number = MRY_NEW_RAW(&tmp, int, links->count + 1);
    counts all = { 0 };
    marey_web *web = NULL;
    if (number) all = number_chains(work, number);
    const mry_web_bridge **sorted = MRY_NEW(&tmp, const mry_web_bridge *, all.bridges + 1);
    if (number && sorted) web = make_web(work, all);
    if (web) {
        if (web->self) mry_web_add_diagonal(web);
        for (int i = 0; i < links->count; i++) {
            if (number[i] >= 0) add_chain(web, &links->chains[i]);
        }
        int tail = web->chain_count;
        for (int i = 0; i < links->count; i++) {
            if (number[i] >= 0) add_tails(web, &links->chains[i]);
        }
        for (int i = 0; i < links->count; i++) {
            if (number[i] >= 0) add_bridges(web, &links->chains[i], number[i], number, sorted);
        }
        for (int i = 0; i < links->count; i++) {
            if (number[i] >= 0) add_joints(web, &links->chains[i], number[i], &tail);
        }
    }
    mry_arena_free(&tmp);
    return web;
}

/* ---- what others see ------------------------------------------------------------------------------ */

void marey_web_free(marey_web *web)
{
    if (!web) return;
    mry_arena mem = web->mem;
    mry_arena_free(&mem);
}

int marey_web_paths(const marey_web *web)
{
    return web->chain_count + web->bridge_count;
}

marey_web_path marey_web_path_at(const marey_web *web, int index)
{
    const mry_web_path *path = &web->paths[index];
    return (marey_web_path){ .bridge = index >= web->chain_count,
                             .tail = index < web->chain_count &&
                                     index >= web->chain_count - web->tail_count,
                             .from = path->from,
                             .to = path->to,
                             .from_cell = path->from_cell,
                             .to_cell = path->to_cell,
                             .count = path->count,
                             .cells = web->cells + path->first,
                             .costs = web->costs + path->first };
}

void marey_web_size(const marey_web *web, int *rows, int *cols, int *chains, int *bridges,
                    int64_t *cells)
{
    *rows = web->rows;
    *cols = web->cols;
    *chains = web->chain_count - web->tail_count;
    *bridges = web->bridge_count - web->tail_count;
    *cells = web->cell_count;
}
