/* web_refine.c - the paths of a coarse web among more frames (webs, figure 6.7): a path is padded and made finer, its
   ends move to the least cells close by - a bridge's to those of its chains - and the best path joins them. */
#include "match/web_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct refined {
    int from, to, from_cell,
        to_cell;       /* bridges: numbers of the coarse chains; cells of the fine ones */
    int count;         /* 0: it could not be */
    marey_cell *cells; /* bridges: without ends */
    float *costs;
    int number; /* chains: in the fine web */
} refined;

typedef struct refiner {
    const marey_web *coarse;
    int factor;
    const mry_level *level;
    mry_band *bands; /* of all paths */
    refined *paths;
    mry_arena mem;
} refiner;

static bool is_near(marey_cell fine, marey_cell coarse, int factor)
{
    int down = fine.row / factor - coarse.row, across = fine.col / factor - coarse.col;
    return down >= -1 && down <= 1 && across >= -1 && across <= 1;
}

/* ---- bands ------------------------------------------------------------------------------------------ */

/* The cells of a coarse path, a bridge's with its ends. NULL: no memory. */
static marey_cell *coarse_cells(mry_arena *tmp, const marey_web *web, int path, int *count)
{
    marey_web_path p = marey_web_path_at(web, path);
    marey_cell *cells = MRY_NEW_RAW(tmp, marey_cell, p.count + 2);
    if (!cells) return NULL;
    *count = 0;
    if (p.bridge) cells[(*count)++] = marey_web_path_at(web, p.from).cells[p.from_cell];
    for (int i = 0; i < p.count; i++) cells[(*count)++] = p.cells[i];
    if (p.bridge) cells[(*count)++] = marey_web_path_at(web, p.to).cells[p.to_cell];
    return cells;
}

static bool make_bands(refiner *of)
{
    int count = marey_web_paths(of->coarse), first = of->coarse->self;
    of->bands = MRY_NEW(&of->mem, mry_band, count + 1);
    of->paths = MRY_NEW(&of->mem, refined, count + 1);
    if (!of->bands || !of->paths) return false;
    for (int i = first; i < count; i++) {
        mry_arena tmp = mry_arena_make(of->level->ctx);
        int cells;
        marey_cell *path = coarse_cells(&tmp, of->coarse, i, &cells);
        bool made =
            path && mry_band_make(&of->mem, of->level, path, cells, of->factor, &of->bands[i]);
        mry_arena_free(&tmp);
        if (!made) return false;
    }
    return mry_bands_measure(of->level, of->bands + first, count - first);
}

/* ---- chains ------------------------------------------------------------------------------------------ */

/* The least cell of a band near a coarse one; false: there is none. */
static bool find_end(const refiner *of, const mry_band *band, marey_cell coarse, marey_cell *out)
{
    float least = INFINITY;
    for (int i = 0; i < band->rows; i++) {
        int near = (band->row + i) / of->factor - coarse.row;
        if (near < -1 || near > 1) continue;
        for (int col = band->from[i]; col < band->to[i]; col++) {
            marey_cell at = { band->row + i, col };
            if (!is_near(at, coarse, of->factor) || !(mry_band_cost(band, at) < least)) continue;
            least = mry_band_cost(band, at);
            *out = at;
        }
    }
    return isfinite(least);
}

/* Copies what a path costs. */
static bool set_costs(refiner *of, const mry_band *band, refined *path)
{
    path->costs = MRY_NEW_RAW(&of->mem, float, path->count + 1);
    if (!path->costs) return false;
    for (int i = 0; i < path->count; i++) path->costs[i] = mry_band_cost(band, path->cells[i]);
    return true;
}

static bool refine_chain(refiner *of, int chain)
{
    marey_web_path old = marey_web_path_at(of->coarse, chain);
    const mry_band *band = &of->bands[chain];
    refined *path = &of->paths[chain];
    marey_cell start, end;
    if (!find_end(of, band, old.cells[0], &start) ||
        !find_end(of, band, old.cells[old.count - 1], &end)) {
        return true;
    }
    path->cells = mry_band_path(&of->mem, of->level, band, start, end, &path->count);
    return path->cells && set_costs(of, band, path);
}

/* ---- bridges ------------------------------------------------------------------------------------------ */

/* The least cell of a fine chain near a coarse one and inside a band; -1: there is none. */
static int find_on_chain(const refiner *of, const mry_band *band, int chain, marey_cell coarse)
{
    const refined *path = &of->paths[chain];
    int best = -1;
    for (int i = 0; i < path->count; i++) {
        if (!is_near(path->cells[i], coarse, of->factor)) continue;
        if (!mry_band_has(band, path->cells[i])) continue;
        if (best < 0 || path->costs[i] < path->costs[best]) best = i;
    }
    return best;
}

static bool refine_bridge(refiner *of, int bridge)
{
    marey_web_path old = marey_web_path_at(of->coarse, bridge);
    const mry_band *band = &of->bands[bridge];
    refined *path = &of->paths[bridge];
    marey_cell left = marey_web_path_at(of->coarse, old.from).cells[old.from_cell];
    marey_cell reached = marey_web_path_at(of->coarse, old.to).cells[old.to_cell];
    path->from = old.from;
    path->to = old.to;
    path->from_cell = find_on_chain(of, band, old.from, left);
    path->to_cell = find_on_chain(of, band, old.to, reached);
    if (path->from_cell < 0 || path->to_cell < 0) return true;
    int count;
    marey_cell *cells =
        mry_band_path(&of->mem, of->level, band, of->paths[old.from].cells[path->from_cell],
                      of->paths[old.to].cells[path->to_cell], &count);
    if (!cells) return false;
    if (count < 2) path->from_cell = -1; /* there is no way */
    path->count = count < 2 ? 0 : count - 2;
    path->cells = cells + 1;
    return set_costs(of, band, path);
}

/* ---- the web ----------------------------------------------------------------------------------------- */

static int by_first_cell(const void *a, const void *b)
{
    const refined *x = *(refined *const *)a, *y = *(refined *const *)b;
    marey_cell p = x->cells[0], q = y->cells[0];
    if (p.row != q.row) return p.row < q.row ? -1 : 1;
    if (p.col != q.col) return p.col < q.col ? -1 : 1;
    return (x > y) - (x < y);
}

static int by_chains(const void *a, const void *b)
{
    const refined *x = *(refined *const *)a, *y = *(refined *const *)b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void add_path(marey_web *web, const refined *path, bool bridge)
{
    mry_web_path *to = &web->paths[web->chain_count + web->bridge_count];
    *to = (mry_web_path){ web->cell_count, path->count, -1, -1, -1, -1 };
    if (bridge) {
        *to = (mry_web_path){ web->cell_count, path->count,     path->from,
                              path->to,        path->from_cell, path->to_cell };
    }
    for (int i = 0; i < path->count; i++) {
        web->cells[web->cell_count] = path->cells[i];
        web->costs[web->cell_count++] = mry_web_round_cost(path->costs[i]);
    }
    if (bridge)
        web->bridge_count++;
    else
        web->chain_count++;
}

/* Chains that could be refined, in order; then bridges between them. Returns how many there are of both. */
static int sort_paths(refiner *of, refined **sorted, int *chains)
{
    int self = of->coarse->self, count = 0, all = marey_web_paths(of->coarse);
    for (int i = self; i < of->coarse->chain_count; i++) {
        if (of->paths[i].count > 0) sorted[count++] = &of->paths[i];
    }
    if (count > 1) qsort(sorted, (size_t)count, sizeof *sorted, by_first_cell);
    for (int i = 0; i < count; i++) sorted[i]->number = i + self;
    *chains = count;
    for (int i = of->coarse->chain_count; i < all; i++) {
        refined *path = &of->paths[i];
        if (path->from_cell < 0 || path->to_cell < 0 || !path->cells) continue;
        path->from = of->paths[path->from].number;
        path->to = of->paths[path->to].number;
        sorted[count++] = path;
    }
    if (count - *chains > 1)
        qsort(sorted + *chains, (size_t)(count - *chains), sizeof *sorted, by_chains);
    return count;
}

static marey_web *make_web(refiner *of)
{
    const mry_level *level = of->level;
    refined **sorted = MRY_NEW(&of->mem, refined *, marey_web_paths(of->coarse) + 1);
    if (!sorted) return NULL;
    int chains, count = sort_paths(of, sorted, &chains), self = level->self;
    int64_t cells = self ? level->rows : 0;
    for (int i = 0; i < count; i++) cells += sorted[i]->count;
    marey_web head = { .rows = level->rows,
                       .cols = level->cols,
                       .self = self,
                       .fps = level->fps,
                       .ceiling = of->coarse->ceiling,
                       .chain_count = chains + self,
                       .bridge_count = count - chains };
    marey_web *web = mry_web_make(level->ctx, &head, cells);
    if (!web) return NULL;
    web->chain_count = web->bridge_count = 0;
    if (self) mry_web_add_diagonal(web);
    for (int i = 0; i < count; i++) add_path(web, sorted[i], i >= chains);
    return web;
}

marey_web *mry_web_refine(const marey_web *coarse, int factor, const mry_level *level)
{
    refiner of = {
        .coarse = coarse, .factor = factor, .level = level, .mem = mry_arena_make(level->ctx)
    };
    bool made = make_bands(&of);
    for (int i = coarse->self; made && i < coarse->chain_count; i++) made = refine_chain(&of, i);
    for (int i = coarse->chain_count; made && i < marey_web_paths(coarse); i++) {
        made = refine_bridge(&of, i);
    }
    marey_web *web = made ? make_web(&of) : NULL;
    mry_arena_free(&of.mem);
    return web;
}
