/* points_grid.c - every cell of the grid of point clouds. Blocks of rows are spread over the threads; a cell's bits do
   not depend on the block it is computed in. */
#include "grid/points_grid.h"

#include "base/fail.h"
#include "grid/points_sweep.h"

#include <string.h>

enum { BLOCK = 192 }; /* rows; a multiple of every kernel's mr */

typedef struct whole {
    marey_ctx *ctx;
    const mry_points *a, *b;
    float *cells;
    size_t stride;
    atomic_bool failed; /* no memory */
} whole;

static void copy_rows(void *user, const mry_swept *swept)
{
    const whole *all = user;
    for (int r = 0; r < swept->rows; r++) {
        memcpy(all->cells + (size_t)(swept->row + r) * all->stride + (size_t)swept->col,
               swept->cells + (size_t)r * MRY_SWEEP_STRIDE, (size_t)swept->cols * sizeof(float));
    }
}

static void do_block(void *user, int64_t block)
{
    whole *all = user;
    mry_arena mem = mry_arena_make(all->ctx);
    mry_sweep sweep;
    int first = (int)(block * BLOCK);
    int end = all->a->rows - first < BLOCK ? all->a->rows : first + BLOCK;
    if (mry_cancelled(all->ctx) || all->failed) return;
    if (mry_sweep_make(&sweep, &mem, all->a, all->b)) {
        for (int col = 0; col < all->b->rows; col += MRY_POINTS_STRIP) {
            mry_sweep_strip(&sweep, col, first, end, NULL, copy_rows, all);
        }
    } else {
        all->failed = true;
    }
    mry_arena_free(&mem);
}

marey_status mry_points_grid(marey_ctx *ctx, const mry_points *a, const mry_points *b, float *cells,
                             size_t stride, marey_error *error)
{
    whole all = { .ctx = ctx, .a = a, .b = b, .cells = cells, .stride = stride };
    marey_ctx_run(ctx, (a->rows + BLOCK - 1) / BLOCK, do_block, &all);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    return all.failed ? mry_fail_memory(error, NULL) : MAREY_OK;
}
