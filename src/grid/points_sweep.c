/* points_sweep.c - a strip of the grid, panel by panel. The layout of `in`, with mr = 8:

       rows 0 .. 3    products of the last four frames of the panel before
       rows 4 .. 11   products of this panel's frames r0 .. r0 + 7

   A sum along the diagonal from row r takes rows r .. r + 4, so this panel finishes the grid's rows r0 - 4 .. r0 + 3: the
   sums take the place of rows 0 .. 7, and rows 8 .. 11 are the next panel's history. */
#include "grid/points_sweep.h"

#include <string.h>

enum { HISTORY = MRY_KERNEL_WINDOW - 1, SIDE = 16, PLANE_STRIDE = SIDE + MRY_SWEEP_COLUMNS + 96 };

static bool take_planes(mry_arena *mem, int rows, mry_planes *out)
{
    size_t numbers = (size_t)rows * PLANE_STRIDE + 64;
    float *all = mry_arena_zero(mem, 3 * numbers, sizeof(float));
    if (!all) return false;
    *out = (mry_planes){ .b = all + SIDE,
                         .c = all + numbers + SIDE,
                         .y = all + 2 * numbers + SIDE,
                         .stride = PLANE_STRIDE };
    return true;
}

bool mry_sweep_make(mry_sweep *sweep, mry_arena *mem, const mry_points *a, const mry_points *b)
{
    int mr = a->kernel->mr;
    *sweep = (mry_sweep){ .a = a, .b = b };
    float *cells =
        mry_arena_zero(mem, (size_t)(mr + HISTORY + 2) * MRY_SWEEP_STRIDE, sizeof(float));
    if (!cells || !take_planes(mem, mr + HISTORY + 1, &sweep->planes)) return false;
    /* The first panel of a strip has rows before the first that are not wanted. */
    sweep->cells = cells + MRY_SWEEP_MARGIN + (HISTORY + 2) * MRY_SWEEP_STRIDE;
    return true;
}

static mry_planes plane_rows(mry_planes of, int rows, int cols)
{
    size_t at = (size_t)rows * of.stride + (size_t)cols;
    return (mry_planes){ of.b + at, of.c + at, of.y + at, of.stride };
}

static void keep_history(mry_planes in, int mr)
{
    size_t bytes = ((HISTORY - 1) * in.stride + PLANE_STRIDE - SIDE) * sizeof(float);
    size_t from = (size_t)mr * in.stride;
    memmove(in.b, in.b + from, bytes);
    memmove(in.c, in.c + from, bytes);
    memmove(in.y, in.y + from, bytes);
}

static void multiply(const mry_sweep *sweep, int row, int col, int cols, mry_planes to)
{
    const mry_kernel *kernel = sweep->a->kernel;
    int k = sweep->a->k, nr = kernel->nr;
    const float *a = sweep->a->first + (size_t)row * 4 * (size_t)k;
    for (int j = 0; j < cols; j += nr) {
        const float *b = sweep->b->second + (size_t)(col + j) * 4 * (size_t)k;
        kernel->tile(a, b, k, plane_rows(to, 0, j));
    }
}

/* Distances of the mr rows from `from` on, of which [row, row + rows) are wanted; then the two rows of history. */
static void finish(mry_sweep *sweep, int from, int row, int rows, int col, int cols,
                   mry_sweep_fn use, void *user)
{
    const mry_points *a = sweep->a, *b = sweep->b;
    mry_cells_def def = { .size_a = a->size + from, .size_b = b->size + col };
    float *cells = sweep->cells - (ptrdiff_t)(row - from) * MRY_SWEEP_STRIDE;
    if (a->fused) {
        def.path_a = a->path + from;
        def.path_a_stride = a->path_stride;
        def.path_b = b->path + col;
        def.path_b_stride = b->path_stride;
    }
    a->kernel->cells(&def, sweep->planes, cols, cells, MRY_SWEEP_STRIDE);
    use(user, row, rows, col, cols, sweep->cells);
    size_t bytes = (2 * MRY_SWEEP_STRIDE) * sizeof(float);
    float *last = sweep->cells - MRY_SWEEP_MARGIN + (ptrdiff_t)(rows - 2) * MRY_SWEEP_STRIDE;
    memmove(sweep->cells - MRY_SWEEP_MARGIN - 2 * MRY_SWEEP_STRIDE, last, bytes);
}

static void sweep_fused(mry_sweep *sweep, int col, int cols, int first, int end, mry_sweep_fn use,
                        void *user)
{
    const mry_kernel *kernel = sweep->a->kernel;
    int mr = kernel->mr;
    for (int r0 = first; r0 - HISTORY < end; r0 += mr) {
        keep_history(sweep->planes, mr);
        multiply(sweep, r0, col, cols + HISTORY, plane_rows(sweep->planes, HISTORY, 0));
        int from = r0 - HISTORY, row = from < first ? first : from;
        int behind = from + mr > end ? end : from + mr;
        if (row >= behind) continue;
        kernel->diagonals(sweep->planes, cols);
        finish(sweep, from, row, behind - row, col, cols, use, user);
    }
}

static void sweep_whole(mry_sweep *sweep, int col, int cols, int first, int end, mry_sweep_fn use,
                        void *user)
{
    int mr = sweep->a->kernel->mr;
    for (int row = first; row < end; row += mr) {
        multiply(sweep, row, col, cols, sweep->planes);
        finish(sweep, row, row, end - row < mr ? end - row : mr, col, cols, use, user);
    }
}

void mry_sweep_strip(mry_sweep *sweep, int col, int first, int end, mry_sweep_fn use, void *user)
{
    int cols = sweep->b->rows - col;
    if (cols > MRY_SWEEP_COLUMNS) cols = MRY_SWEEP_COLUMNS;
    if (sweep->a->fused) {
        sweep_fused(sweep, col, cols, first, end, use, user);
    } else {
        sweep_whole(sweep, col, cols, first, end, use, user);
    }
}
