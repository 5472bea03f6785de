/* grid_minima.c - cells that are least in their row or column among their neighbours: point clouds without ever keeping
   the grid, the other metrics by the whole grid. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "grid/points_grid.h"

enum { BATCH = 1024 };

typedef struct batch {
    const marey_minima_def *def;
    marey_minimum items[BATCH];
    int count;
} batch;

static void flush(batch *b)
{
    if (b->count > 0) b->def->found(b->def->user, b->items, b->count);
    b->count = 0;
}

static float cell_at(marey_rows rows, int i, int j)
{
    if (i < 0 || j < 0 || i >= rows.rows || j >= rows.cols) return INFINITY;
    return rows.values[(size_t)i * rows.stride + (size_t)j];
}

static int least_of(marey_rows rows, int i, int j, float value)
{
    float left = cell_at(rows, i, j - 1), right = cell_at(rows, i, j + 1);
    float up = cell_at(rows, i - 1, j), down = cell_at(rows, i + 1, j);
    return (value < left && value < right ? MAREY_LEAST_IN_ROW : 0) |
           (value < up && value < down ? MAREY_LEAST_IN_COLUMN : 0);
}

static void scan(marey_rows rows, batch *b)
{
    for (int i = 0; i < rows.rows; i++) {
        for (int j = 0; j < rows.cols; j++) {
            float value = cell_at(rows, i, j);
            if (b->def->below > 0 && !(value < b->def->below)) continue;
            int least = least_of(rows, i, j, value);
            if (!least) continue;
            b->items[b->count++] = (marey_minimum){ i, j, value, least };
            if (b->count == BATCH) flush(b);
        }
    }
    flush(b);
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
    batch found = { .def = def };
    scan(marey_grid_cost(grid), &found);
    marey_grid_free(grid);
    return MAREY_OK;
}
