/* points_sweep.c - a strip of the grid, panel by panel. The layout of the planes, with mr = 8:

       rows 0 .. 3    products of the last four frames of the panel before
       rows 4 .. 11   products of this panel's frames r0 .. r0 + 7

   A sum along the diagonal from row r takes rows r .. r + 4, so this panel finishes the grid's rows
   r0 - 4 .. r0 + 3: the sums take the place of rows 0 .. 7, and rows 8 .. 11 are the next panel's
   history. */
#include "grid/points_sweep.h"

#include <math.h>
#include <string.h>

enum {
    HISTORY = MRY_KERNEL_WINDOW - 1,
    SIDE = 16,
    PLANE_STRIDE = SIDE + MRY_POINTS_STRIP_FRAMES + 32
};

bool mry_sweep_make(mry_sweep *sweep, mry_arena *mem, const mry_points *a, const mry_points *b)
{
    int mr = a->kernel->mr;
    *sweep = (mry_sweep){ .a = a, .b = b };
    float *cells =
        mry_arena_zero(mem, (size_t)(mr + HISTORY + 2) * MRY_SWEEP_STRIDE, sizeof(float));
    size_t numbers = (size_t)(mr + HISTORY + 1) * PLANE_STRIDE + 64;
    float *planes = mry_arena_zero(mem, 3 * numbers, sizeof(float));
    if (!cells || !planes) return false;
    sweep->planes = (mry_planes){ .b = planes + SIDE,
                                  .c = planes + numbers + SIDE,
                                  .y = planes + 2 * numbers + SIDE,
                                  .stride = PLANE_STRIDE };
    /* The first panel of a strip has rows before the first that are not wanted. */
    sweep->cells = cells + MRY_SWEEP_MARGIN + (HISTORY + 2) * MRY_SWEEP_STRIDE;
    return true;
}

static mry_planes plane_rows(mry_planes planes, int rows, int cols)
{
    size_t at = (size_t)rows * planes.stride + (size_t)cols;
    return (mry_planes){ planes.b + at, planes.c + at, planes.y + at, planes.stride };
}

/* The columns that the last panel's products were needed in; all of them without `need`. */
static void keep_history(mry_planes planes, int mr, int nr, const uint8_t *need)
{
    int from = 0, to = MRY_POINTS_STRIP_FRAMES;
    if (need) {
        while (from < to && !need[from / nr]) from += nr;
        while (to > from && !need[to / nr - 1]) to -= nr;
    }
    size_t bytes = (size_t)(to - from) * sizeof(float);
    for (size_t r = 0; bytes && r < HISTORY; r++) {
        size_t at = r * planes.stride + (size_t)from, last = at + (size_t)mr * planes.stride;
        memcpy(planes.b + at, planes.b + last, bytes);
        memcpy(planes.c + at, planes.c + last, bytes);
        memcpy(planes.y + at, planes.y + last, bytes);
    }
}

/* `need` has a byte for every tile of the strip; NULL: all are needed. */
static void multiply(const mry_sweep *sweep, int row, int col, int cols, const uint8_t *need,
                     mry_planes out)
{
    const mry_kernel *kernel = sweep->a->kernel;
    int k = sweep->a->k, nr = kernel->nr;
    const float *a = sweep->a->first + (size_t)row * 4 * (size_t)k;
    int start = col / MRY_POINTS_STRIP * MRY_POINTS_STRIP_FRAMES;
    for (int j = 0; j < cols; j += nr) {
        if (need && !need[j / nr]) continue;
        const float *b = sweep->b->second + (size_t)(start + j) * 4 * (size_t)k;
        kernel->tile(a, b, k, plane_rows(out, 0, j));
    }
}

/* The needed tiles that lie side by side. */
static int find_runs(mry_sweep *sweep, int cols, const uint8_t *need)
{
    int nr = sweep->a->kernel->nr, count = 0;
    if (!need) {
        sweep->runs[0] = (mry_run){ 0, cols };
        return 1;
    }
    for (int j = 0; j < cols; j += nr) {
        int to = j + nr < cols ? j + nr : cols;
        if (!need[j / nr]) continue;
        if (count > 0 && sweep->runs[count - 1].to == j) {
            sweep->runs[count - 1].to = to;
        } else {
            sweep->runs[count++] = (mry_run){ j, to };
        }
    }
    return count;
}

/* Distances of the mr rows from `from` on, of which swept's are wanted; then the two rows of
   history. */
static void finish(mry_sweep *sweep, int from, mry_swept *swept, mry_sweep_fn use, void *user)
{
    const mry_points *a = sweep->a, *b = sweep->b;
    float *cells = sweep->cells - (ptrdiff_t)(swept->row - from) * MRY_SWEEP_STRIDE;
    if (sweep->left_out && swept->run_count > 0) {
        float *at = sweep->cells - MRY_SWEEP_MARGIN - 2 * MRY_SWEEP_STRIDE;
        for (int i = 0; i < 2 * MRY_SWEEP_STRIDE; i++) at[i] = INFINITY;
        sweep->left_out = false;
    }
    for (int i = 0; i < swept->run_count; i++) {
        mry_run run = sweep->runs[i];
        int col = swept->col + run.from;
        mry_cells_def def = { .size_a = a->size + from, .size_b = b->size + col };
        if (a->fused) {
            def.path_a = a->path + from;
            def.path_a_stride = a->path_stride;
            def.path_b = b->path + col;
            def.path_b_stride = b->path_stride;
        }
        a->kernel->cells(&def, plane_rows(sweep->planes, 0, run.from), run.to - run.from,
                         cells + run.from, MRY_SWEEP_STRIDE);
    }
    swept->cells = sweep->cells;
    swept->runs = sweep->runs;
    if (swept->run_count == 0) {
        use(user, swept);
        sweep->left_out = true;
        return;
    }
    for (int r = 0; r < swept->rows; r++) {
        float *row = swept->cells + (size_t)r * MRY_SWEEP_STRIDE;
        if (r == 0 || r == swept->rows - 1) {
            /* Everything that no run covers, in one row. */
            int at = 0;
            for (int i = 0; i <= swept->run_count; i++) {
                int end = i < swept->run_count ? swept->runs[i].from : swept->cols;
                for (; at < end; at++) row[at] = INFINITY;
                if (i < swept->run_count) at = swept->runs[i].to;
            }
        } else {
            /* Only what may be looked at: see points_sweep.h. */
            const mry_run *runs = swept->runs, *last = &runs[swept->run_count - 1];
            if (runs[0].from > 0) row[0] = INFINITY;
            for (int i = 0; i < swept->run_count; i++) {
                if (runs[i].from > 0) row[runs[i].from - 1] = INFINITY;
                if (runs[i].to < swept->cols) row[runs[i].to] = INFINITY;
            }
            for (int j = swept->cols - 2; j < swept->cols; j++) {
                if (j >= last->to) row[j] = INFINITY;
            }
        }
    }
    use(user, swept);
    size_t bytes = (2 * MRY_SWEEP_STRIDE) * sizeof(float);
    float *last = sweep->cells - MRY_SWEEP_MARGIN + (ptrdiff_t)(swept->rows - 2) * MRY_SWEEP_STRIDE;
    memmove(sweep->cells - MRY_SWEEP_MARGIN - 2 * MRY_SWEEP_STRIDE, last, bytes);
}

void mry_sweep_strip(mry_sweep *sweep, int col, int first, int end, const mry_need *need,
                     mry_sweep_fn use, void *user)
{
    int cols = sweep->b->rows - col;
    if (cols > MRY_POINTS_STRIP) cols = MRY_POINTS_STRIP;
    const mry_kernel *kernel = sweep->a->kernel;
    int mr = kernel->mr;
    if (!sweep->a->fused) { /* a product is a cell */
        for (int row = first; row < end; row += mr) {
            mry_swept swept = { .row = row,
                                .rows = end - row < mr ? end - row : mr,
                                .col = col,
                                .cols = cols,
                                .run_count = find_runs(sweep, cols, NULL) };
            multiply(sweep, row, col, cols, NULL, sweep->planes);
            finish(sweep, row, &swept, use, user);
        }
        return;
    }
    int tile = col / MRY_POINTS_STRIP * (MRY_POINTS_STRIP_FRAMES / kernel->nr);
    sweep->left_out = false;
    for (int r0 = first; r0 - HISTORY < end; r0 += mr) {
        size_t at = need ? (size_t)((r0 - first) / mr) * need->stride + (size_t)tile : 0;
        if (r0 > first) {
            keep_history(sweep->planes, mr, kernel->nr, need ? need->in + at - need->stride : NULL);
        }
        multiply(sweep, r0, col, cols + HISTORY, need ? need->in + at : NULL,
                 plane_rows(sweep->planes, HISTORY, 0));
        int from = r0 - HISTORY, row = from < first ? first : from;
        int behind = from + mr > end ? end : from + mr;
        if (row >= behind) continue;
        mry_swept swept = { .row = row, .rows = behind - row, .col = col, .cols = cols };
        swept.run_count = find_runs(sweep, cols, need ? need->out + at : NULL);
        for (int i = 0; i < swept.run_count; i++) {
            mry_run run = sweep->runs[i];
            kernel->diagonals(plane_rows(sweep->planes, 0, run.from), run.to - run.from);
        }
        finish(sweep, from, &swept, use, user);
    }
}
