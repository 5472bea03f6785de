/* points_rows.c - some rows of the grid of point clouds, without the tiles that hold nothing below a bound. */
#include "grid/points_bound.h"
#include "grid/points_grid.h"

#include <math.h>
#include <string.h>

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
    bool bounded = !job->need && isfinite(job->below) && a->fused && a->low && b->low;
    bool made = mry_sweep_make(&sweep, &mem, a, b) &&
                (!bounded || mry_bound_find(&mem, a, b, job->below, job->first, job->end, &need));
    const mry_need *use = bounded ? &need : a->fused ? job->need : NULL;
    int col = job->from_col / MRY_POINTS_STRIP * MRY_POINTS_STRIP;
    for (; made && col < b->rows; col += MRY_POINTS_STRIP) {
        mry_sweep_strip(&sweep, col, job->first, job->end, use, copy_runs, &copy);
    }
    mry_arena_free(&mem);
    return made;
}
