/* grid_pairs.c - the pairs of frames that are most alike (Guan & Yang, 4.2.1). */
#include "base/fail.h"
#include "grid/grid_data.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

/* Cells that were no candidates are as dear as the worst that was one, so they must be told apart. */
static int64_t shut_others(const marey_grid *grid, int64_t open)
{
    int64_t left = 0;
    if (!grid->candidates) return open;
    for (int i = 0; i < grid->rows; i++) {
        const uint8_t *candidate = grid->candidates + (size_t)i * (size_t)grid->cols;
        float *row = grid->cells + (size_t)i * grid->stride;
        for (int j = 0; j < grid->cols; j++) {
            if (!candidate[j]) row[j] = INFINITY;
            left += candidate[j];
        }
    }
    return left;
}

static int collect(const marey_grid *grid, mry_cut cut, marey_pair *pairs)
{
    int found = 0;
    for (int i = 0; i < grid->rows; i++) {
        const float *row = grid->cells + (size_t)i * grid->stride;
        for (int j = 0; j < grid->cols; j++) {
            if (row[j] < cut.value || (row[j] == cut.value && cut.ties-- > 0))
                pairs[found++] = (marey_pair){ i, j, row[j] };
        }
    }
    return found;
}

marey_status marey_grid_pairs(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                              int count, marey_pair *pairs, int *found, marey_error *error)
{
    marey_grid *grid;
    marey_status status = marey_grid_build(ctx, a, b, &grid, error);
    if (status) return status;
    int64_t open = mry_shut_marked(a, b, grid->cells, grid->stride);
    open = shut_others(grid, open);
    int taken = 0;
    if (count > open) count = (int)open;
    if (count > 0) {
        taken = collect(grid, mry_select(grid->cells, grid->rows, grid->cols, grid->stride, count),
                        pairs);
        qsort(pairs, (size_t)taken, sizeof *pairs, compare);
    }
    marey_grid_free(grid);
    *found = taken;
    return MAREY_OK;
}
