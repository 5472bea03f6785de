/* grid_build.c - the whole grid of any metric, the pairs of frames that are most alike (Guan &
   Yang, 4.2.1), and cells that are least among their neighbours. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "grid/points_card.h"
#include "grid/points_grid.h"

#include <stdlib.h>
#include <string.h>

/* ---- the least cells ------------------------------------------------------------------------- */

/* Without sorting them. The bits of floats >= 0 are ordered as the floats are, so three counts of
   11, 11 and 10 bits find the last value that belongs to them. */

enum { BINS = 2048 };

mry_cut mry_select(const float *cells, int rows, int cols, size_t stride, int64_t count)
{
    static const struct {
        int shift, width;
    } digits[] = { { 21, 11 }, { 10, 11 }, { 0, 10 } };
    int64_t bins[BINS], left = count;
    uint32_t prefix = 0;
    for (int d = 0; d < 3; d++) {
        /* Counts the cells whose bits above `shift + width` are those of `prefix`, by the `width`
           bits from `shift` on. */
        int shift = digits[d].shift, width = digits[d].width;
        uint32_t bin = 0, mask = (1u << width) - 1;
        memset(bins, 0, BINS * sizeof *bins);
        for (int i = 0; i < rows; i++) {
            const float *row = cells + (size_t)i * stride;
            for (int j = 0; j < cols; j++) {
                uint32_t bits;
                memcpy(&bits, &row[j], sizeof bits);
                bits >>= shift;
                if (bits >> width == prefix) bins[bits & mask]++;
            }
        }
        while (left > bins[bin]) left -= bins[bin++];
        prefix = prefix << width | bin;
    }
    mry_cut cut = { .ties = left };
    memcpy(&cut.value, &prefix, sizeof cut.value);
    return cut;
}

int64_t mry_shut_marked(const marey_features *a, const marey_features *b, float *cells,
                        size_t stride)
{
    int64_t rows = 0, cols = 0;
    for (int j = 0; j < b->rows; j++) cols += !b->marked[j];
    for (int i = 0; i < a->rows; i++) {
        float *row = cells + (size_t)i * stride;
        rows += !a->marked[i];
        for (int j = 0; j < b->rows; j++) {
            if (a->marked[i] || b->marked[j]) row[j] = INFINITY;
        }
    }
    return rows * cols;
}

/* ---- the card -------------------------------------------------------------------------------- */

const char *marey_grid_card(const marey_ctx *ctx)
{
    return mry_card_text(ctx);
}

/* ---- grids ----------------------------------------------------------------------------------- */

#define MOST_CELLS ((int64_t)1 << 40)

marey_grid *mry_grid_make(marey_ctx *ctx, int rows, int cols)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_grid *grid = MRY_NEW(&mem, marey_grid, 1);
    if (!grid) return NULL;
    grid->rows = rows;
    grid->cols = cols;
    grid->stride = ((size_t)cols + 15) / 16 * 16; /* rows begin at whole vectors */
    grid->cells = MRY_NEW(&mem, float, (size_t)rows * grid->stride);
    grid->mem = mem;
    if (grid->cells) return grid;
    mry_arena_free(&mem);
    return NULL;
}

marey_status mry_terms_grid(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                            marey_grid *grid, marey_error *error)
{
    bool add = false;
    for (int t = 0; t < a->term_count; t++) {
        mry_term_job job = { .a = &a->terms[t],
                             .b = &b->terms[t],
                             .rows = a->rows,
                             .cols = b->rows,
                             .factor = (float)a->layout->def.attributes[t],
                             .add = add,
                             .cells = grid->cells,
                             .stride = grid->stride };
        if (!(job.factor > 0)) continue;
        marey_status status = mry_term_grid(ctx, &job, error);
        if (status) return status;
        add = true;
    }
    return MAREY_OK;
}

marey_status mry_clouds_grid(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                             marey_grid *grid, marey_error *error)
{
    return mry_points_grid(ctx, a->points, b->points, grid->cells, grid->stride, error);
}

marey_status marey_grid_build(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                              marey_grid **out, marey_error *error)
{
    int64_t cells = (int64_t)a->rows * b->rows;
    if (a->layout != b->layout)
        return mry_fail(error, MAREY_ERR_SHAPE, NULL,
                        "the two clips' features are of different layouts");
    if (cells > MOST_CELLS)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "a grid must have at most 2^40 cells, got %d x %d", a->rows, b->rows);
    marey_grid *grid = mry_grid_make(ctx, a->rows, b->rows);
    if (!grid) return mry_fail_memory(error, NULL);
    marey_status status = a->layout->row->grid(ctx, a, b, grid, error);
    if (status) {
        marey_grid_free(grid);
        return status;
    }
    *out = grid;
    return MAREY_OK;
}

void marey_grid_free(marey_grid *grid)
{
    if (!grid) return;
    mry_arena mem = grid->mem;
    mry_arena_free(&mem);
}

marey_rows marey_grid_cost(const marey_grid *grid)
{
    return (marey_rows){ grid->cells, grid->rows, grid->cols, grid->stride };
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

marey_status marey_grid_pairs(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                              int count, marey_pair *pairs, int *found, marey_error *error)
{
    marey_grid *grid;
    marey_status status = marey_grid_build(ctx, a, b, &grid, error);
    if (status) return status;
    int64_t open = mry_shut_marked(a, b, grid->cells, grid->stride);
    if (grid->candidates) {
        /* Cells that were no candidates are as dear as the worst that was one, so they must be told
           apart. */
        open = 0;
        for (int i = 0; i < grid->rows; i++) {
            const uint8_t *candidate = grid->candidates + (size_t)i * (size_t)grid->cols;
            float *row = grid->cells + (size_t)i * grid->stride;
            for (int j = 0; j < grid->cols; j++) {
                if (!candidate[j]) row[j] = INFINITY;
                open += candidate[j];
            }
        }
    }
    int taken = 0;
    if (count > open) count = (int)open;
    if (count > 0) {
        mry_cut cut = mry_select(grid->cells, grid->rows, grid->cols, grid->stride, count);
        for (int i = 0; i < grid->rows; i++) {
            const float *row = grid->cells + (size_t)i * grid->stride;
            for (int j = 0; j < grid->cols; j++) {
                if (row[j] < cut.value || (row[j] == cut.value && cut.ties-- > 0))
                    pairs[taken++] = (marey_pair){ i, j, row[j] };
            }
        }
        qsort(pairs, (size_t)taken, sizeof *pairs, compare);
    }
    marey_grid_free(grid);
    *found = taken;
    return MAREY_OK;
}

/* ---- minima ---------------------------------------------------------------------------------- */

/* Point clouds without ever keeping the grid, the other metrics by the whole grid. */

enum { BATCH = 1024 };

static float cell_at(marey_rows rows, int i, int j)
{
    if (i < 0 || j < 0 || i >= rows.rows || j >= rows.cols) return INFINITY;
    return rows.values[(size_t)i * rows.stride + (size_t)j];
}

marey_status marey_grid_minima(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                               const marey_minima_def *def, marey_error *error)
{
    if (a->layout != b->layout)
        return mry_fail(error, MAREY_ERR_SHAPE, NULL,
                        "the two clips' features are of different layouts");
    if (a->points) return mry_points_minima(ctx, a->points, b->points, def, error);
    marey_grid *grid;
    marey_status status = marey_grid_build(ctx, a, b, &grid, error);
    if (status) return status;
    marey_rows rows = marey_grid_cost(grid);
    marey_minimum items[BATCH];
    int count = 0;
    for (int i = 0; i < rows.rows; i++) {
        for (int j = 0; j < rows.cols; j++) {
            float value = cell_at(rows, i, j);
            if (def->below > 0 && !(value < def->below)) continue;
            float left = cell_at(rows, i, j - 1), right = cell_at(rows, i, j + 1);
            float up = cell_at(rows, i - 1, j), down = cell_at(rows, i + 1, j);
            int least = (value < left && value < right ? MAREY_LEAST_IN_ROW : 0) |
                        (value < up && value < down ? MAREY_LEAST_IN_COLUMN : 0);
            if (!least) continue;
            items[count++] = (marey_minimum){ i, j, value, least };
            if (count < BATCH) continue;
            def->found(def->user, items, count);
            count = 0;
        }
    }
    if (count > 0) def->found(def->user, items, count);
    marey_grid_free(grid);
    return MAREY_OK;
}
