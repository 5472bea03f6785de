/* grid_build.c - the whole grid of any metric. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "grid/points_grid.h"

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
                        "a grid of %d by %d cells is more than the 2^40 that are accepted", a->rows,
                        b->rows);
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
