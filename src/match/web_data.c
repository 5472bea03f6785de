/* web_data.c - what a match web holds, for those that make one (web_build.c, web_refine.c,
   web_bytes.c) and for callers. */
#include "match/web_data.h"

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

void mry_web_add_diagonal(marey_web *web)
{
    web->paths[0] = (mry_web_path){ 0, web->rows, -1, -1, -1, -1 };
    web->cell_count = web->rows;
    web->chain_count = 1;
    for (int i = 0; i < web->rows; i++) {
        web->cells[i] = (marey_cell){ i, i };
        web->costs[i] = 0;
    }
}

mry_web_path mry_web_joint(const marey_web *web, int chain, int tail, bool back)
{
    int from = back ? tail : chain, to = back ? chain : tail;
    return (mry_web_path){ web->paths[to].first, 0, from, to, web->paths[from].count - 1, 0 };
}

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
