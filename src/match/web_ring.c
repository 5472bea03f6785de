/* web_ring.c - rows of the grid as they come, and which of their cells are minima. */
#include "grid/points_grid.h"
#include "match/web_work.h"

#include <math.h>
#include <string.h>

enum { MOST_BLOCKS = 8 }; /* filled at once; more would take memory without end on large machines */

/* Rows behind `filled` that something still looks at; see web_work.h. */
static int rows_held(const mry_web_plan *plan)
{
    int back = plan->tail > 0 ? plan->reach : 0;
    return 3 * plan->reach + back + MRY_WEB_PIECE + plan->shortest + 2;
}

static int whole_blocks(int rows)
{
    return (rows + MRY_ROWS_BLOCK - 1) / MRY_ROWS_BLOCK * MRY_ROWS_BLOCK;
}

static void blank(float *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) cells[i] = INFINITY;
}

bool mry_ring_make(mry_web_work *work, int slab)
{
    mry_web_ring *ring = &work->ring;
    const mry_web_plan *plan = &work->plan;
    int threads = marey_ctx_threads(work->ctx);
    if (slab <= 0) slab = MRY_ROWS_BLOCK * (threads < MOST_BLOCKS ? threads : MOST_BLOCKS);
    ring->slab = whole_blocks(slab);
    int room = whole_blocks(rows_held(plan) + ring->slab), all = whole_blocks(plan->rows);
    ring->room = room < all ? room : all;
    ring->words = ((size_t)plan->cols + 63) / 64;
    ring->stride = MRY_RING_MARGIN + ring->words * 64 + 16;
    size_t bits = (size_t)ring->room * ring->words;
    float *cells = MRY_NEW_RAW(&work->mem, float, (size_t)ring->room * ring->stride);
    ring->none = MRY_NEW_RAW(&work->mem, float, ring->stride);
    ring->least_in_row = MRY_NEW(&work->mem, uint64_t, bits);
    ring->least_in_col = MRY_NEW(&work->mem, uint64_t, bits);
    ring->valid = MRY_NEW(&work->mem, uint64_t, bits);
    ring->lists = MRY_NEW(&work->mem, mry_web_list, ring->room);
    if (!cells || !ring->none || !ring->least_in_row || !ring->least_in_col || !ring->valid ||
        !ring->lists) {
        return false;
    }
    blank(cells, (size_t)ring->room * ring->stride);
    blank(ring->none, ring->stride);
    ring->cells = cells + MRY_RING_MARGIN;
    ring->none += MRY_RING_MARGIN;
    return true;
}

void mry_ring_free(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    for (int i = 0; ring->lists && i < ring->room; i++) {
        mry_web_list *list = &ring->lists[i];
        mry_release(work->ctx, list->items, (size_t)list->room * sizeof *list->items);
    }
}

/* ---- filling -------------------------------------------------------------------------------------- */

static void shut_marked(const mry_web_work *work, int row, float *cells)
{
    const mry_web_source *source = &work->source;
    int cols = work->plan.cols;
    if (source->marked_rows && source->marked_rows[row]) blank(cells, (size_t)cols);
    for (int j = 0; source->marked_cols && j < cols; j++) {
        if (source->marked_cols[j]) cells[j] = INFINITY;
    }
}

static void fill_block(void *user, int64_t block)
{
    mry_web_work *work = user;
    mry_web_ring *ring = &work->ring;
    int first = ring->filled + (int)block * MRY_ROWS_BLOCK, end = first + MRY_ROWS_BLOCK;
    if (end > work->plan.rows) end = work->plan.rows;
    if (work->failed || mry_cancelled(work->ctx)) return;
    if (!work->source.fill(work->source.user, first, end, mry_ring_row(ring, first),
                           ring->stride)) {
        work->failed = true;
        return;
    }
    for (int row = first; row < end; row++) {
        shut_marked(work, row, mry_ring_row(ring, row));
        memset(mry_ring_bits(ring, ring->valid, row), 0, ring->words * sizeof(uint64_t));
        ring->lists[row % ring->room].count = 0;
    }
}

bool mry_ring_fill(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int end =
        work->plan.rows - ring->filled < ring->slab ? work->plan.rows : ring->filled + ring->slab;
    marey_ctx_run(work->ctx, (end - ring->filled + MRY_ROWS_BLOCK - 1) / MRY_ROWS_BLOCK, fill_block,
                  work);
    ring->filled = end;
    return !work->failed;
}

/* ---- flagging ------------------------------------------------------------------------------------- */

enum { FLAG_ROWS = 32 };

/* Bits of columns [0, end). */
static void clear_to(uint64_t *bits, int end)
{
    memset(bits, 0, (size_t)(end / 64) * sizeof *bits);
    if (end % 64) bits[end / 64] &= UINT64_MAX << (end % 64);
}

static void flag_rows(void *user, int64_t part)
{
    mry_web_work *work = user;
    mry_web_ring *ring = &work->ring;
    int rows = work->plan.rows, cols = work->plan.cols;
    int ready = ring->filled == rows ? rows : ring->filled - 1;
    int first = ring->flagged + (int)part * FLAG_ROWS, end = first + FLAG_ROWS;
    const mry_kernel *kernel = mry_kernel_best();
    for (int row = first; row < end && row < ready; row++) {
        uint64_t *across = mry_ring_bits(ring, ring->least_in_row, row);
        uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        kernel->minima(row > 0 ? mry_ring_row(ring, row - 1) : ring->none, mry_ring_row(ring, row),
                       row + 1 < rows ? mry_ring_row(ring, row + 1) : ring->none, cols,
                       work->plan.ceiling, across, down);
        if (!work->plan.self) continue;
        clear_to(across, row + 1 < cols ? row + 1 : cols);
        clear_to(down, row + 1 < cols ? row + 1 : cols);
    }
}

void mry_ring_flag(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int ready = ring->filled == work->plan.rows ? ring->filled : ring->filled - 1;
    marey_ctx_run(work->ctx, (ready - ring->flagged + FLAG_ROWS - 1) / FLAG_ROWS, flag_rows, work);
    ring->flagged = ready;
}
