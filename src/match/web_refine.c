/* web_refine.c - webs by the paper's resolutions (webs, 6.2.2, figures 6.7 and 6.8). A level is a
   grid of every so many rows and columns; windows are of the frames that are left, as if the
   motions had been captured at that rate. The paths of a coarse web are looked for again among more
   frames: a path is padded and made finer, its ends move to the least cells close by - a bridge's
   to those of its chains - and the best path joins them. Bands are narrow parts of a grid: where
   they are, what they cost, the best path through one. */
#include "match/web_level.h"

#include "feature/feature_data.h"
#include "grid/points_bound.h"
#include "grid/points_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rows_left(int rows, int every)
{
    return (rows + every - 1) / every;
}

/* NULL in *out: no row is marked. */
static bool thin_marks(mry_arena *mem, const marey_features *features, int every,
                       const uint8_t **out)
{
    *out = NULL;
    if (!features->marked || !memchr(features->marked, 1, (size_t)features->rows)) return true;
    uint8_t *marks = MRY_NEW_RAW(mem, uint8_t, rows_left(features->rows, every));
    for (int i = 0; marks && i < features->rows; i += every) marks[i / every] = features->marked[i];
    *out = marks;
    return marks != NULL;
}

static const mry_points *thin_points(mry_arena *mem, const marey_features *features, int every)
{
    if (every == 1) return features->points;
    size_t numbers = 3 * (size_t)features->points_def.joints;
    int rows = rows_left(features->rows, every);
    mry_points_def *def = MRY_NEW(mem, mry_points_def, 1);
    mry_points *points = MRY_NEW(mem, mry_points, 1);
    double *positions = MRY_NEW_RAW(mem, double, (size_t)rows *numbers);
    if (!def || !points || !positions) return NULL;
    for (int i = 0; i < rows; i++) {
        memcpy(positions + (size_t)i * numbers,
               features->points_def.positions + (size_t)i * (size_t)every * numbers,
               numbers * sizeof *positions);
    }
    *def = features->points_def;
    def->rows = rows;
    def->positions = positions;
    return mry_points_build(mem, def, points) ? points : NULL;
}

bool mry_level_make(mry_arena *mem, const marey_features *a, const marey_features *b,
                    const marey_rows *whole, int every, mry_level *out)
{
    mry_level level = { .ctx = mem->ctx,
                        .rows = rows_left(a->rows, every),
                        .cols = rows_left(b->rows, every),
                        .self = a == b,
                        .fps = a->layout->fps / every,
                        .below = INFINITY,
                        .every = every,
                        .whole = whole };
    if (!thin_marks(mem, a, every, &level.marked_rows) ||
        !thin_marks(mem, b, every, &level.marked_cols)) {
        return false;
    }
    if (!whole) {
        level.a = thin_points(mem, a, every);
        level.b = a == b ? level.a : thin_points(mem, b, every);
        if (!level.a || !level.b) return false;
    }
    *out = level;
    return true;
}

bool mry_level_fill(void *user, int first, int end, float *cells, size_t stride)
{
    const mry_level *level = user;
    if (!level->whole) {
        mry_rows_job job = { .first = first,
                             .end = end,
                             .from_col = level->self ? first : 0,
                             .below = level->below,
                             .marks = level->card,
                             .cells = cells,
                             .stride = stride };
        return mry_points_rows(level->ctx, level->a, level->b, &job);
    }
    size_t every = (size_t)level->every;
    for (int row = first; row < end; row++, cells += stride) {
        const float *from = level->whole->values + (size_t)row * every * level->whole->stride;
        for (int j = 0; j < level->cols; j++) cells[j] = from[(size_t)j * every];
    }
    return true;
}

/* ---- bands: where they are ------------------------------------------------------------------- */

/* What a path is looked for in: columns [from[i], to[i]) of row `row` + i. */
typedef struct path_band {
    int row, rows;
    int *from, *to;
    int64_t *first; /* of the row's costs */
    float *costs;
} path_band;

static bool band_has(const path_band *band, marey_cell at)
{
    int i = at.row - band->row;
    return i >= 0 && i < band->rows && at.col >= band->from[i] && at.col < band->to[i];
}

static float band_cost(const path_band *band, marey_cell at)
{
    int i = at.row - band->row;
    return band->costs[band->first[i] + at.col - band->from[i]];
}

static int held(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* The surroundings of cells of a level that is `factor` times as coarse: those cells and their
   neighbours. Costs are not measured. False: no memory. */
static bool make_band(mry_arena *mem, const mry_level *level, const marey_cell *coarse, int count,
                      int factor, path_band *out)
{
    int row = held(factor * (coarse[0].row - 1), 0, level->rows - 1);
    int end = held(factor * (coarse[count - 1].row + 2), row + 1, level->rows);
    path_band band = { .row = row, .rows = end - row };
    band.from = MRY_NEW_RAW(mem, int, band.rows);
    band.to = MRY_NEW_RAW(mem, int, band.rows);
    band.first = MRY_NEW_RAW(mem, int64_t, band.rows + 1);
    if (!band.from || !band.to || !band.first) return false;
    int64_t cells = 0;
    int low = 0, high = 0; /* coarse cells that matter for a row: rows go on */
    for (int i = 0; i < band.rows; i++) {
        int at = (row + i) / factor;
        while (low < count && coarse[low].row < at - 1) low++;
        while (high < count && coarse[high].row <= at + 1) high++;
        /* Cells are those of a path, so those of three rows lie side by side. */
        int from = level->cols, to = 0;
        for (int k = low; k < high; k++) {
            int near = at - coarse[k].row;
            if (near < -1 || near > 1) continue;
            int left = factor * (coarse[k].col - 1), right = factor * (coarse[k].col + 2);
            if (left < from) from = left;
            if (right > to) to = right;
        }
        band.from[i] = held(from, level->self ? row + i + 1 : 0, level->cols);
        band.to[i] = held(to, band.from[i], level->cols);
        band.first[i] = cells;
        cells += band.to[i] - band.from[i];
    }
    band.first[band.rows] = cells;
    band.costs = MRY_NEW_RAW(mem, float, cells + 1);
    *out = band;
    return band.costs != NULL;
}

/* ---- what they cost -------------------------------------------------------------------------- */

static void copy_row(const mry_level *level, path_band *band, int row, const float *cells,
                     int every)
{
    int i = row - band->row, from = band->from[i];
    float *costs = band->costs + band->first[i];
    bool shut = level->marked_rows && level->marked_rows[row];
    for (int j = from; j < band->to[i]; j++) {
        bool marked = shut || (level->marked_cols && level->marked_cols[j]);
        costs[j - from] = marked ? INFINITY : cells[(size_t)j * (size_t)every];
    }
}

/* Measures all bands, and no more of the grid than tiles around them. False: no memory, or
   cancelled. */
static bool measure_bands(const mry_level *level, path_band *bands, int count)
{
    if (level->whole) {
        for (int k = 0; k < count; k++) {
            for (int i = 0; i < bands[k].rows; i++) {
                int row = bands[k].row + i;
                copy_row(level, &bands[k], row,
                         level->whole->values +
                             (size_t)row * (size_t)level->every * level->whole->stride,
                         level->every);
            }
        }
        return true;
    }
    mry_arena tmp = mry_arena_make(level->ctx);
    size_t stride = ((size_t)level->cols + 31) / 16 * 16;
    float *cells = MRY_NEW_RAW(&tmp, float, MRY_ROWS_BLOCK *stride);
    bool made = cells != NULL;
    for (int first = 0; made && first < level->rows; first += MRY_ROWS_BLOCK) {
        mry_arena mem = mry_arena_make(level->ctx);
        mry_need need;
        int end = level->rows - first < MRY_ROWS_BLOCK ? level->rows : first + MRY_ROWS_BLOCK;
        made = !mry_cancelled(level->ctx) &&
               mry_need_make(&mem, level->a, level->b, first, end, &need);
        for (int k = 0; made && k < count; k++) {
            const path_band *band = &bands[k];
            int from = band->row > first ? band->row : first;
            int to = band->row + band->rows < end ? band->row + band->rows : end;
            for (int row = from; row < to; row++) {
                int i = row - band->row;
                mry_need_mark(&need, level->a, first, row, band->from[i], band->to[i]);
            }
        }
        if (made) {
            mry_need_close(&need, level->a, level->b, first, end);
            mry_rows_job job = { .first = first,
                                 .end = end,
                                 .below = INFINITY,
                                 .need = &need,
                                 .cells = cells,
                                 .stride = stride };
            made = mry_points_rows(level->ctx, level->a, level->b, &job);
        }
        for (int k = 0; made && k < count; k++) {
            path_band *band = &bands[k];
            int from = band->row > first ? band->row : first;
            int to = band->row + band->rows < end ? band->row + band->rows : end;
            for (int row = from; row < to; row++)
                copy_row(level, band, row, cells + (size_t)(row - first) * stride, 1);
        }
        mry_arena_free(&mem);
    }
    mry_arena_free(&tmp);
    return made;
}

/* ---- the best path --------------------------------------------------------------------------- */

/* States as in web_ways.h: 0 a diagonal step, 1 .. slope across, slope + 1 .. 2 slope down. Sums
   of all cells are kept. */
typedef struct search {
    const path_band *band;
    int slope, states;
    marey_cell start, end;
    double *sums;
} search;

static double *sums_of(const search *s, marey_cell at)
{
    int i = at.row - s->band->row;
    return s->sums + (s->band->first[i] + at.col - s->band->from[i]) * s->states;
}

static int least_of(const search *s, marey_cell at)
{
    const double *sums = sums_of(s, at);
    int best = 0;
    for (int k = 1; k < s->states; k++) {
        if (sums[k] < sums[best]) best = k;
    }
    return best;
}

/* Rows before the start were never reached. */
static bool is_open(const search *s, marey_cell at)
{
    return at.row >= s->start.row && band_has(s->band, at);
}

static void reach(const search *s, marey_cell at)
{
    double *sums = sums_of(s, at), cost = (double)band_cost(s->band, at);
    marey_cell before[3] = { { at.row - 1, at.col - 1 },
                             { at.row, at.col - 1 },
                             { at.row - 1, at.col } };
    for (int k = 0; k < s->states; k++) sums[k] = INFINITY;
    if (at.row == s->start.row && at.col == s->start.col) {
        sums[0] = cost;
        return;
    }
    if (at.row < s->start.row || at.col < s->start.col) return;
    if (is_open(s, before[0])) {
        sums[0] = cost + sums_of(s, before[0])[least_of(s, before[0])];
    }
    for (int way = 0; way < 2; way++) {
        if (!is_open(s, before[1 + way])) continue;
        const double *from = sums_of(s, before[1 + way]);
        int first = way * s->slope + 1;
        sums[first] = cost + from[0];
        for (int k = 1; k < s->slope; k++) sums[first + k] = cost + from[first + k - 1];
    }
}

/* The path with the least sum from one cell of a band to another, ends included; *count is 0 if the
   slope allows none. NULL: no memory. */
static marey_cell *best_path(mry_arena *mem, const mry_level *level, const path_band *band,
                             marey_cell start, marey_cell end, int *count)
{
    mry_arena tmp = mry_arena_make(level->ctx);
    search of = { band, level->slope, 2 * level->slope + 1, start, end, NULL };
    of.sums = MRY_NEW_RAW(&tmp, double, (size_t)band->first[band->rows] * (size_t)of.states + 1);
    size_t room = end.row >= start.row && end.col >= start.col
                      ? (size_t)(end.row - start.row) + (size_t)(end.col - start.col) + 1
                      : 1;
    marey_cell *cells = MRY_NEW_RAW(mem, marey_cell, room);
    *count = 0;
    if (!of.sums || !cells) {
        mry_arena_free(&tmp);
        return NULL;
    }
    for (int row = start.row; row <= end.row; row++) {
        int i = row - band->row;
        for (int col = band->from[i]; col < band->to[i]; col++)
            reach(&of, (marey_cell){ row, col });
    }
    if (room > 1 && isfinite(sums_of(&of, end)[least_of(&of, end)])) {
        marey_cell at = end;
        int state = least_of(&of, at), found = 0;
        for (;;) {
            cells[found++] = at;
            if (at.row == start.row && at.col == start.col) break;
            at.row -= state == 0 || state > of.slope;
            at.col -= state <= of.slope;
            state = state == 0 ? least_of(&of, at) : state == of.slope + 1 ? 0 : state - 1;
        }
        for (int i = 0; i < found / 2; i++) {
            marey_cell swap = cells[i];
            cells[i] = cells[found - 1 - i];
            cells[found - 1 - i] = swap;
        }
        *count = found;
    }
    mry_arena_free(&tmp);
    return cells;
}

/* ---- paths among more frames ----------------------------------------------------------------- */

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
    path_band *bands; /* of all paths */
    refined *paths;
    mry_arena mem;
} refiner;

static bool is_near(marey_cell fine, marey_cell coarse, int factor)
{
    int down = fine.row / factor - coarse.row, across = fine.col / factor - coarse.col;
    return down >= -1 && down <= 1 && across >= -1 && across <= 1;
}

static bool make_bands(refiner *r)
{
    int count = marey_web_paths(r->coarse), first = r->coarse->self;
    r->bands = MRY_NEW(&r->mem, path_band, count + 1);
    r->paths = MRY_NEW(&r->mem, refined, count + 1);
    if (!r->bands || !r->paths) return false;
    for (int i = first; i < count; i++) {
        mry_arena tmp = mry_arena_make(r->level->ctx);
        /* The cells of a coarse path, a bridge's with its ends. */
        marey_web_path p = marey_web_path_at(r->coarse, i);
        marey_cell *cells = MRY_NEW_RAW(&tmp, marey_cell, p.count + 2);
        bool made = cells != NULL;
        if (made) {
            int used = 0;
            if (p.bridge) cells[used++] = marey_web_path_at(r->coarse, p.from).cells[p.from_cell];
            for (int k = 0; k < p.count; k++) cells[used++] = p.cells[k];
            if (p.bridge) cells[used++] = marey_web_path_at(r->coarse, p.to).cells[p.to_cell];
            made = make_band(&r->mem, r->level, cells, used, r->factor, &r->bands[i]);
        }
        mry_arena_free(&tmp);
        if (!made) return false;
    }
    return measure_bands(r->level, r->bands + first, count - first);
}

/* The least cell of a band near a coarse one; false: there is none. */
static bool find_end(const refiner *r, const path_band *band, marey_cell coarse, marey_cell *out)
{
    float least = INFINITY;
    for (int i = 0; i < band->rows; i++) {
        int near = (band->row + i) / r->factor - coarse.row;
        if (near < -1 || near > 1) continue;
        for (int col = band->from[i]; col < band->to[i]; col++) {
            marey_cell at = { band->row + i, col };
            if (!is_near(at, coarse, r->factor) || !(band_cost(band, at) < least)) continue;
            least = band_cost(band, at);
            *out = at;
        }
    }
    return isfinite(least);
}

/* Copies what a path costs. */
static bool set_costs(refiner *r, const path_band *band, refined *path)
{
    path->costs = MRY_NEW_RAW(&r->mem, float, path->count + 1);
    if (!path->costs) return false;
    for (int i = 0; i < path->count; i++) path->costs[i] = band_cost(band, path->cells[i]);
    return true;
}

/* The least cell of a fine chain near a coarse one and inside a band; -1: there is none. */
static int find_on_chain(const refiner *r, const path_band *band, int chain, marey_cell coarse)
{
    const refined *path = &r->paths[chain];
    int best = -1;
    for (int i = 0; i < path->count; i++) {
        if (!is_near(path->cells[i], coarse, r->factor)) continue;
        if (!band_has(band, path->cells[i])) continue;
        if (best < 0 || path->costs[i] < path->costs[best]) best = i;
    }
    return best;
}

/* ---- the web --------------------------------------------------------------------------------- */

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

/* Chains that could be refined, in order; then bridges between them. */
static marey_web *make_web(refiner *r)
{
    const mry_level *level = r->level;
    const marey_web *coarse = r->coarse;
    int self = level->self, count = 0, all = marey_web_paths(coarse);
    refined **sorted = MRY_NEW(&r->mem, refined *, all + 1);
    if (!sorted) return NULL;
    for (int i = self; i < coarse->chain_count; i++) {
        if (r->paths[i].count > 0) sorted[count++] = &r->paths[i];
    }
    if (count > 1) qsort(sorted, (size_t)count, sizeof *sorted, by_first_cell);
    for (int i = 0; i < count; i++) sorted[i]->number = i + self;
    int chains = count;
    for (int i = coarse->chain_count; i < all; i++) {
        refined *path = &r->paths[i];
        if (path->from_cell < 0 || path->to_cell < 0 || !path->cells) continue;
        path->from = r->paths[path->from].number;
        path->to = r->paths[path->to].number;
        sorted[count++] = path;
    }
    if (count - chains > 1)
        qsort(sorted + chains, (size_t)(count - chains), sizeof *sorted, by_chains);
    int64_t cells = self ? level->rows : 0;
    for (int i = 0; i < count; i++) cells += sorted[i]->count;
    marey_web head = { .rows = level->rows,
                       .cols = level->cols,
                       .self = self,
                       .fps = level->fps,
                       .ceiling = coarse->ceiling,
                       .chain_count = chains + self,
                       .bridge_count = count - chains };
    marey_web *web = mry_web_make(level->ctx, &head, cells);
    if (!web) return NULL;
    web->chain_count = web->bridge_count = 0;
    if (self) mry_web_add_diagonal(web);
    for (int i = 0; i < count; i++) {
        const refined *path = sorted[i];
        mry_web_path *to = &web->paths[web->chain_count + web->bridge_count];
        *to = (mry_web_path){ web->cell_count, path->count, -1, -1, -1, -1 };
        if (i >= chains) {
            *to = (mry_web_path){ web->cell_count, path->count,     path->from,
                                  path->to,        path->from_cell, path->to_cell };
        }
        for (int k = 0; k < path->count; k++) {
            web->cells[web->cell_count] = path->cells[k];
            web->costs[web->cell_count++] = mry_web_round_cost(path->costs[k]);
        }
        if (i >= chains)
            web->bridge_count++;
        else
            web->chain_count++;
    }
    return web;
}

marey_web *mry_web_refine(const marey_web *coarse, int factor, const mry_level *level)
{
    refiner of = {
        .coarse = coarse, .factor = factor, .level = level, .mem = mry_arena_make(level->ctx)
    };
    bool made = make_bands(&of);
    for (int i = coarse->self; made && i < coarse->chain_count; i++) {
        marey_web_path old = marey_web_path_at(coarse, i);
        const path_band *band = &of.bands[i];
        refined *path = &of.paths[i];
        marey_cell start, end;
        if (!find_end(&of, band, old.cells[0], &start) ||
            !find_end(&of, band, old.cells[old.count - 1], &end))
            continue;
        path->cells = best_path(&of.mem, level, band, start, end, &path->count);
        made = path->cells && set_costs(&of, band, path);
    }
    for (int i = coarse->chain_count; made && i < marey_web_paths(coarse); i++) {
        marey_web_path old = marey_web_path_at(coarse, i);
        const path_band *band = &of.bands[i];
        refined *path = &of.paths[i];
        marey_cell left = marey_web_path_at(coarse, old.from).cells[old.from_cell];
        marey_cell reached = marey_web_path_at(coarse, old.to).cells[old.to_cell];
        path->from = old.from;
        path->to = old.to;
        path->from_cell = find_on_chain(&of, band, old.from, left);
        path->to_cell = find_on_chain(&of, band, old.to, reached);
        if (path->from_cell < 0 || path->to_cell < 0) continue;
        marey_cell start = of.paths[old.from].cells[path->from_cell];
        marey_cell end = of.paths[old.to].cells[path->to_cell];
        int count;
        marey_cell *cells = best_path(&of.mem, level, band, start, end, &count);
        made = cells != NULL;
        if (!made) break;
        if (count < 2) path->from_cell = -1; /* there is no way */
        path->count = count < 2 ? 0 : count - 2;
        path->cells = cells + 1;
        made = set_costs(&of, band, path);
    }
    marey_web *web = made ? make_web(&of) : NULL;
    mry_arena_free(&of.mem);
    return web;
}
