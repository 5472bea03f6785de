/* points_grid.c - every cell of the grid of point clouds, or some rows of it. Blocks of rows are
   spread over the threads; a cell's bits do not depend on the block it is computed in. */
#include "grid/points_grid.h"
#include "base/fail.h"
#include "grid/points_bound.h"
#include "grid/points_card.h"
#include "grid/points_sweep.h"

#include <math.h>
#include <string.h>

/* ---- all rows -------------------------------------------------------------------------------- */

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

/* ---- some rows ------------------------------------------------------------------------------- */

/* Without the tiles that hold nothing below a bound. */

static void fill(float *cells, int count)
{
    for (int i = 0; i < count; i++) cells[i] = INFINITY;
}

static void copy_runs(void *user, const mry_swept *swept)
{
    const mry_rows_job *job = user;
    for (int r = 0; r < swept->rows; r++) {
        float *to =
            job->cells + (size_t)(swept->row + r - job->first) * job->stride + (size_t)swept->col;
        const float *from = swept->cells + (size_t)r * MRY_SWEEP_STRIDE;
        int at = 0;
        for (int i = 0; i < swept->run_count; i++) {
            mry_run run = swept->runs[i];
            fill(to + at, run.from - at);
            memcpy(to + run.from, from + run.from, (size_t)(run.to - run.from) * sizeof *to);
            at = run.to;
        }
        fill(to + at, swept->cols - at);
    }
}

bool mry_points_rows(marey_ctx *ctx, const mry_points *a, const mry_points *b,
                     const mry_rows_job *job)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_sweep sweep;
    mry_need need;
    mry_rows_job copy = *job;
    bool marked = !job->need && job->marks && a->fused;
    bool bounded = !job->need && !marked && isfinite(job->below) && a->fused && a->low && b->low;
    bool made = mry_sweep_make(&sweep, &mem, a, b);
    if (made && marked)
        made = mry_card_need(&mem, job->marks, a, b, job->first, job->end, &need);
    else if (made && bounded)
        made = mry_bound_find(&mem, a, b, job->below, job->first, job->end, &need);
    const mry_need *use = bounded || marked ? &need : a->fused ? job->need : NULL;
    int col = job->from_col / MRY_POINTS_STRIP * MRY_POINTS_STRIP;
    for (; made && col < b->rows; col += MRY_POINTS_STRIP) {
        mry_sweep_strip(&sweep, col, job->first, job->end, use, copy_runs, &copy);
    }
    mry_arena_free(&mem);
    return made;
}
