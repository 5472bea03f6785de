/* points_minima.c - the cells of the grid of point clouds that are least in their row or column,
   without the grid.

   Rows are done in blocks, several at once by the threads; a block is done strip after strip. A
   cell needs its four neighbours: a block also computes the row before and behind it, and the last
   two columns of a strip are kept for the next one, which then judges the last of them. */
#include "grid/points_grid.h"

#include "base/fail.h"
#include "grid/points_bound.h"
#include "grid/points_card.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512, CHUNK = 16384, WORDS = (MRY_POINTS_STRIP + 63) / 64 };

typedef struct chunk {
    struct chunk *before;
    int count;
    marey_minimum items[CHUNK];
} chunk;

/* One block of rows [first, end). */
typedef struct block {
    struct minima *of;
    int first, end;
    int low; /* the first row that is computed */
    chunk *last;
    int count;
    marey_minimum *sorted;
    float *edge;      /* last two columns of the strip before, for rows from `low` on */
    float *next_edge; /* of this one */
    float *start;     /* its first column */
    float *none;      /* a row of infinities: what lies outside the grid */
    int swept_row;    /* the first row of the panel in hand */
    mry_run runs[MRY_SWEEP_RUNS], runs_before[MRY_SWEEP_RUNS];
    int run_count, run_count_before;
} block;

typedef struct minima {
    marey_ctx *ctx;
    const mry_points *a, *b;
    float below;
    block *blocks;
    atomic_bool failed;
} minima;

static void note(block *part, int row, int col, float value, int least)
{
    chunk *to = part->last;
    if (!to || to->count == CHUNK) {
        to = mry_alloc(part->of->ctx, sizeof *to);
        if (!to) {
            part->of->failed = true;
            return;
        }
        to->before = part->last;
        to->count = 0;
        part->last = to;
    }
    to->items[to->count++] = (marey_minimum){ row, col, value, least };
    part->count++;
}

static void judge_row(block *part, int row, int col, int cols, const float *above,
                      const float *cells, const float *under)
{
    bool is_last = col + cols == part->of->b->rows;
    int judged = is_last ? cols : cols - 1; /* the last one waits for its right neighbour */
    const mry_run *runs = row < part->swept_row ? part->runs_before : part->runs;
    int count = row < part->swept_row ? part->run_count_before : part->run_count;
    for (int i = 0; i < count; i++) {
        int to = runs[i].to < judged ? runs[i].to : judged;
        int from = runs[i].from, width = to - from;
        if (width <= 0) continue;
        uint64_t across[WORDS], down[WORDS];
        part->of->a->kernel->minima(above + from, cells + from, under + from, width,
                                    part->of->below, across, down);
        for (int j = 0; j < width; j += 64) {
            uint64_t use = width - j < 64 ? (UINT64_C(1) << (width - j)) - 1 : UINT64_MAX;
            uint64_t in_row = across[j / 64] & use, in_column = down[j / 64] & use;
            for (uint64_t left = in_row | in_column; left; left &= left - 1) {
                int bit = __builtin_ctzll(left), at = from + j + bit;
                int least = (in_row >> bit & 1 ? MAREY_LEAST_IN_ROW : 0) |
                            (in_column >> bit & 1 ? MAREY_LEAST_IN_COLUMN : 0);
                note(part, row, col + at, cells[at], least);
            }
        }
    }
}

static void use_rows(void *user, const mry_swept *swept)
{
    block *part = user;
    int row = swept->row, rows = swept->rows, col = swept->col, cols = swept->cols;
    /* The runs of the panel before are those of the row that waits for this panel's first. */
    memcpy(part->runs_before, part->runs, sizeof part->runs);
    part->run_count_before = part->run_count;
    memcpy(part->runs, swept->runs, (size_t)swept->run_count * sizeof *part->runs);
    part->run_count = swept->run_count;
    part->swept_row = swept->row;
    if (swept->run_count == 0) {
        /* A panel that cannot hold a minimum: only the row that waited for it is left to judge. */
        int i = row - 1;
        if (part->run_count_before > 0 && i >= part->first && i < part->end) {
            const float *at = swept->cells - MRY_SWEEP_STRIDE;
            judge_row(part, i, col, cols, i ? at - MRY_SWEEP_STRIDE : part->none, at, part->none);
        }
        for (int r = 0; r < rows; r++) {
            size_t edge = (size_t)(row + r - part->low);
            part->next_edge[2 * edge] = part->next_edge[2 * edge + 1] = part->start[edge] =
                INFINITY;
        }
        return;
    }
    /* Column -1 is that of the strip before, or infinite; so is what lies right of the last strip.
       Keeps what the next strip needs of this one. */
    bool is_last = col + cols == part->of->b->rows;
    for (int r = 0; r < rows; r++) {
        float *at = swept->cells + (size_t)r * MRY_SWEEP_STRIDE;
        size_t edge = (size_t)(row + r - part->low);
        at[-1] = col ? part->edge[2 * edge + 1] : INFINITY;
        part->next_edge[2 * edge] = cols > 1 ? at[cols - 2] : at[-1];
        part->next_edge[2 * edge + 1] = at[cols - 1];
        part->start[edge] = at[0];
        if (is_last) at[cols] = INFINITY;
    }
    /* Each row waits for the one below it. */
    for (int i = row - 1; i < row + rows - 1; i++) {
        if (i < part->first || i >= part->end) continue;
        const float *at = swept->cells + (ptrdiff_t)(i - row) * MRY_SWEEP_STRIDE;
        judge_row(part, i, col, cols, i ? at - MRY_SWEEP_STRIDE : part->none, at,
                  at + MRY_SWEEP_STRIDE);
    }
    if (row + rows == part->of->a->rows && part->end == row + rows) {
        const float *at = swept->cells + (size_t)(rows - 1) * MRY_SWEEP_STRIDE;
        int i = row + rows - 1;
        judge_row(part, i, col, cols, i ? at - MRY_SWEEP_STRIDE : part->none, at, part->none);
    }
}

/* Strips come one after the other and each is nearly in order, so a stable sort by rows brings all
   close to it. */
static bool sort_rows(block *part, mry_arena *tmp)
{
    int *at = MRY_NEW(tmp, int, part->end - part->first + 1);
    part->sorted =
        mry_alloc(part->of->ctx, (size_t)(part->count ? part->count : 1) * sizeof *part->sorted);
    if (!at || !part->sorted) return false;
    for (const chunk *c = part->last; c; c = c->before) {
        for (int i = 0; i < c->count; i++) at[c->items[i].row - part->first]++;
    }
    for (int r = 0, sum = 0; r < part->end - part->first; r++) at[r] = sum += at[r];
    for (const chunk *c = part->last; c; c = c->before) { /* from the last to the first */
        for (int i = c->count - 1; i >= 0; i--) {
            part->sorted[--at[c->items[i].row - part->first]] = c->items[i];
        }
    }
    for (int r = 0; r < part->end - part->first; r++) {
        /* Of one row's minima only those at the edges of strips are out of order, by a few
           places. */
        int behind = r + 1 < part->end - part->first ? at[r + 1] : part->count;
        marey_minimum *items = part->sorted + at[r];
        for (int k = 1; k < behind - at[r]; k++) {
            marey_minimum one = items[k];
            int to = k;
            for (; to > 0 && items[to - 1].col > one.col; to--) items[to] = items[to - 1];
            items[to] = one;
        }
    }
    return true;
}

static bool sweep_block(block *part, mry_arena *mem)
{
    const minima *all = part->of;
    mry_sweep sweep;
    int high = part->end < all->a->rows ? part->end + 1 : part->end;
    size_t rows = (size_t)(high - part->low) + 1;
    part->edge = MRY_NEW(mem, float, 2 * rows);
    part->next_edge = MRY_NEW(mem, float, 2 * rows);
    part->start = MRY_NEW(mem, float, rows);
    part->none = MRY_NEW(mem, float, MRY_SWEEP_STRIDE);
    if (!part->edge || !part->next_edge || !part->start || !part->none ||
        !mry_sweep_make(&sweep, mem, all->a, all->b)) {
        return false;
    }
    for (int j = 0; j < MRY_SWEEP_STRIDE; j++) part->none[j] = INFINITY;
    part->none += MRY_SWEEP_MARGIN;
    bool bounded = isfinite(all->below) && all->a->fused && all->a->low && all->b->low;
    mry_need need;
    if (bounded && !mry_bound_find(mem, all->a, all->b, all->below, part->low, high, &need)) {
        return false;
    }
    for (int col = 0; col < all->b->rows && !all->failed; col += MRY_POINTS_STRIP) {
        part->run_count = 0;
        mry_sweep_strip(&sweep, col, part->low, high, bounded ? &need : NULL, use_rows, part);
        /* The last column of the strip before, once this strip is done: its right neighbours are
           known now. */
        for (int row = part->first; col > 0 && row < part->end; row++) {
            const float *at = part->edge + 2 * (size_t)(row - part->low);
            float d = at[1];
            if (!(d < all->below)) continue;
            float above = row > 0 ? at[-1] : INFINITY;
            float under = row + 1 < all->a->rows ? at[3] : INFINITY;
            int least = (d < at[0] && d < part->start[row - part->low] ? MAREY_LEAST_IN_ROW : 0) |
                        (d < above && d < under ? MAREY_LEAST_IN_COLUMN : 0);
            if (least) note(part, row, col - 1, d, least);
        }
        float *done = part->edge;
        part->edge = part->next_edge;
        part->next_edge = done;
    }
    return !all->failed;
}

static void do_block(void *user, int64_t number)
{
    minima *all = user;
    block *part = &all->blocks[number];
    mry_arena mem = mry_arena_make(all->ctx);
    if (!mry_cancelled(all->ctx) && !all->failed) {
        if (!sweep_block(part, &mem) || !sort_rows(part, &mem)) all->failed = true;
    }
    while (part->last) {
        chunk *before = part->last->before;
        mry_release(part->of->ctx, part->last, sizeof *part->last);
        part->last = before;
    }
    mry_arena_free(&mem);
}

/* Blocks begin one row behind a panel's first, since they compute the row before them too. */
static int block_start(const mry_points *a, int64_t number, int rows)
{
    int64_t at = number == 0 ? 0 : number * rows + 1;
    return at < a->rows ? (int)at : a->rows;
}

marey_status mry_points_minima(marey_ctx *ctx, const mry_points *a, const mry_points *b,
                               const marey_minima_def *def, marey_error *error)
{
    mry_card_hold *card = a->fused ? mry_card_for(ctx, (int64_t)a->rows * b->rows) : NULL;
    if (card) {
        bool done = false;
        marey_status status = mry_card_minima(ctx, card, a, b, def, &done, error);
        if (done || status) return status;
    }
    mry_arena mem = mry_arena_make(ctx);
    /* As many rows that the threads have equally many blocks to do, at most BLOCK. */
    int threads = marey_ctx_threads(ctx), mr = a->kernel->mr;
    int rounds = (a->rows + threads * BLOCK - 1) / (threads * BLOCK);
    int rows = (a->rows + threads * rounds - 1) / (threads * rounds);
    rows = (rows + mr - 1) / mr * mr;
    minima all = { .ctx = ctx, .a = a, .b = b, .below = def->below > 0 ? def->below : INFINITY };
    all.blocks = MRY_NEW(&mem, block, threads);
    if (!all.blocks) return mry_fail_memory(error, NULL);
    for (int64_t done = 0; block_start(a, done, rows) < a->rows && !all.failed;) {
        int count = 0;
        for (; count < threads && block_start(a, done, rows) < a->rows; count++, done++) {
            int first = block_start(a, done, rows);
            all.blocks[count] = (block){ .of = &all,
                                         .first = first,
                                         .end = block_start(a, done + 1, rows),
                                         .low = first ? first - 1 : 0 };
        }
        marey_ctx_run(ctx, count, do_block, &all);
        bool wanted = !all.failed && !mry_cancelled(ctx);
        for (int i = 0; i < count; i++) {
            block *part = &all.blocks[i];
            if (wanted && part->count > 0) def->found(def->user, part->sorted, part->count);
            mry_release(all.ctx, part->sorted,
                        (size_t)(part->count ? part->count : 1) * sizeof *part->sorted);
        }
        if (!mry_progress(ctx, "comparing frames", block_start(a, done, rows), a->rows)) break;
    }
    mry_arena_free(&mem);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    return all.failed ? mry_fail_memory(error, NULL) : MAREY_OK;
}
