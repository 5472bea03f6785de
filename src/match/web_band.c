/* web_band.c - narrow parts of a grid: where they are, what they cost, the best path through one. */
#include "grid/points_bound.h"
#include "grid/points_grid.h"
#include "match/web_level.h"

#include <math.h>
#include <string.h>

/* ---- where ---------------------------------------------------------------------------------------- */

static int held(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Cells are those of a path, so those of three rows lie side by side. */
static void set_row(const mry_level *level, const marey_cell *coarse, int count, int factor,
                    mry_band *band, int i)
{
    int row = band->row + i, from = level->cols, to = 0;
    for (int k = 0; k < count; k++) {
        int near = row / factor - coarse[k].row;
        if (near < -1 || near > 1) continue;
        int low = factor * (coarse[k].col - 1), high = factor * (coarse[k].col + 2);
        if (low < from) from = low;
        if (high > to) to = high;
    }
    band->from[i] = held(from, level->self ? row + 1 : 0, level->cols);
    band->to[i] = held(to, band->from[i], level->cols);
}

bool mry_band_make(mry_arena *mem, const mry_level *level, const marey_cell *coarse, int count,
                   int factor, mry_band *out)
{
    int row = held(factor * (coarse[0].row - 1), 0, level->rows - 1);
    int end = held(factor * (coarse[count - 1].row + 2), row + 1, level->rows);
    mry_band band = { .row = row, .rows = end - row };
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
        set_row(level, coarse + low, high - low, factor, &band, i);
        band.first[i] = cells;
        cells += band.to[i] - band.from[i];
    }
    band.first[band.rows] = cells;
    band.costs = MRY_NEW_RAW(mem, float, cells + 1);
    *out = band;
    return band.costs != NULL;
}

/* ---- what they cost --------------------------------------------------------------------------------- */

static void copy_row(const mry_level *level, mry_band *band, int row, const float *cells, int every)
{
    int i = row - band->row, from = band->from[i];
    float *costs = band->costs + band->first[i];
    bool shut = level->marked_rows && level->marked_rows[row];
    for (int j = from; j < band->to[i]; j++) {
        bool marked = shut || (level->marked_cols && level->marked_cols[j]);
        costs[j - from] = marked ? INFINITY : cells[(size_t)j * (size_t)every];
    }
}

static void each_row(const mry_level *level, mry_band *bands, int count, int first, int end,
                     const float *cells, size_t stride)
{
    for (int k = 0; k < count; k++) {
        mry_band *band = &bands[k];
        int from = band->row > first ? band->row : first;
        int to = band->row + band->rows < end ? band->row + band->rows : end;
        for (int row = from; row < to; row++) {
            copy_row(level, band, row, cells + (size_t)(row - first) * stride, 1);
        }
    }
}

static bool measure_slab(const mry_level *level, mry_band *bands, int count, int first,
                         float *cells, size_t stride)
{
    mry_arena tmp = mry_arena_make(level->ctx);
    mry_need need;
    int end = level->rows - first < MRY_ROWS_BLOCK ? level->rows : first + MRY_ROWS_BLOCK;
    bool made = mry_need_make(&tmp, level->a, level->b, first, end, &need);
    for (int k = 0; made && k < count; k++) {
        const mry_band *band = &bands[k];
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
    if (made) each_row(level, bands, count, first, end, cells, stride);
    mry_arena_free(&tmp);
    return made;
}

bool mry_bands_measure(const mry_level *level, mry_band *bands, int count)
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
        made =
            !mry_cancelled(level->ctx) && measure_slab(level, bands, count, first, cells, stride);
    }
    mry_arena_free(&tmp);
    return made;
}

/* ---- the best path ---------------------------------------------------------------------------------- */

/* States as in web_way.c: 0 a diagonal step, 1 .. slope across, slope + 1 .. 2 slope down. Sums of all cells are kept. */
typedef struct search {
    const mry_band *band;
    int slope, states;
    marey_cell start, end;
    double *sums;
} search;

static double *sums_of(const search *of, marey_cell at)
{
    int i = at.row - of->band->row;
    return of->sums + (of->band->first[i] + at.col - of->band->from[i]) * of->states;
}

static int least_of(const search *of, marey_cell at)
{
    const double *sums = sums_of(of, at);
    int best = 0;
    for (int k = 1; k < of->states; k++) {
        if (sums[k] < sums[best]) best = k;
    }
    return best;
}

/* Rows before the start were never reached. */
static bool is_open(const search *of, marey_cell at)
{
    return at.row >= of->start.row && mry_band_has(of->band, at);
}

static void reach(const search *of, marey_cell at)
{
    double *sums = sums_of(of, at), cost = (double)mry_band_cost(of->band, at);
    marey_cell before[3] = { { at.row - 1, at.col - 1 },
                             { at.row, at.col - 1 },
                             { at.row - 1, at.col } };
    for (int k = 0; k < of->states; k++) sums[k] = INFINITY;
    if (at.row == of->start.row && at.col == of->start.col) {
        sums[0] = cost;
        return;
    }
    if (at.row < of->start.row || at.col < of->start.col) return;
    if (is_open(of, before[0])) {
        sums[0] = cost + sums_of(of, before[0])[least_of(of, before[0])];
    }
    for (int way = 0; way < 2; way++) {
        if (!is_open(of, before[1 + way])) continue;
        const double *from = sums_of(of, before[1 + way]);
        int first = way * of->slope + 1;
        sums[first] = cost + from[0];
        for (int k = 1; k < of->slope; k++) sums[first + k] = cost + from[first + k - 1];
    }
}

static int trace(const search *of, marey_cell *cells)
{
    marey_cell at = of->end;
    int state = least_of(of, at), count = 0;
    for (;;) {
        cells[count++] = at;
        if (at.row == of->start.row && at.col == of->start.col) break;
        at.row -= state == 0 || state > of->slope;
        at.col -= state <= of->slope;
        if (state == 0)
            state = least_of(of, at);
        else
            state = state == of->slope + 1 ? 0 : state - 1;
    }
    for (int i = 0; i < count / 2; i++) {
        marey_cell swap = cells[i];
        cells[i] = cells[count - 1 - i];
        cells[count - 1 - i] = swap;
    }
    return count;
}

marey_cell *mry_band_path(mry_arena *mem, const mry_level *level, const mry_band *band,
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
    if (room > 1 && isfinite(sums_of(&of, end)[least_of(&of, end)])) *count = trace(&of, cells);
    mry_arena_free(&tmp);
    return cells;
}
