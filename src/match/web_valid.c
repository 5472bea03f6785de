/* web_valid.c - the valid region: cells near a minimum that are hardly worse than it (webs, 6.2.1, figure 6.4). */
#include "match/web_work.h"

#include <stddef.h>

enum { PART_ROWS = 32, PART_WORDS = 4 };

typedef struct range {
    mry_web_work *work;
    int from, to; /* rows whose minima are extended */
} range;

/* Walks from a minimum along its row. Another minimum on the way that is not less reaches further than this one. */
static void walk_across(const mry_web_plan *plan, const float *cells, const uint64_t *least,
                        uint64_t *valid, int col, int step, int first_col)
{
    float value = cells[col], limit = plan->grow * value;
    int at = col + step;
    for (int left = plan->reach - 1; left > 0; left--, at += step) {
        if (at < first_col || at >= plan->cols || !(cells[at] < limit)) break;
        if (mry_bit(least, at) && cells[at] >= value) break;
        valid[at >> 6] |= UINT64_C(1) << (at & 63);
    }
}

static void extend_rows(void *user, int64_t part)
{
    const range *of = user;
    const mry_web_work *work = of->work;
    const mry_web_ring *ring = &work->ring;
    int first = of->from + (int)part * PART_ROWS;
    int end = first + PART_ROWS < of->to ? first + PART_ROWS : of->to;
    for (int row = first; row < end; row++) {
        const float *cells = mry_ring_row(ring, row);
        const uint64_t *across = mry_ring_bits(ring, ring->least_in_row, row);
        const uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        uint64_t *valid = mry_ring_bits(ring, ring->valid, row);
        int first_col = work->plan.self ? row + 1 : 0;
        for (size_t w = 0; w < ring->words; w++) {
            valid[w] |= across[w] | down[w];
            for (uint64_t left = across[w]; left; left &= left - 1) {
                int col = (int)(w * 64) + __builtin_ctzll(left);
                walk_across(&work->plan, cells, across, valid, col, -1, first_col);
                walk_across(&work->plan, cells, across, valid, col, 1, first_col);
            }
        }
    }
}

static void walk_down(const mry_web_work *work, int row, int col, int step)
{
    const mry_web_ring *ring = &work->ring;
    float value = mry_ring_row(ring, row)[col], limit = work->plan.grow * value;
    int end = work->plan.self && col < work->plan.rows ? col : work->plan.rows;
    int slot = row % ring->room;
    for (int at = row + step, left = work->plan.reach - 1; left > 0; left--, at += step) {
        slot += step;
        if (slot == ring->room) slot = 0;
        if (slot < 0) slot = ring->room - 1;
        if (at < 0 || at >= end) break;
        float cell = ring->cells[(size_t)slot * ring->stride + (size_t)col];
        if (!(cell < limit)) break;
        size_t word = (size_t)slot * ring->words + (size_t)(col >> 6);
        uint64_t bit = UINT64_C(1) << (col & 63);
        if (cell >= value && ring->least_in_col[word] & bit) break;
        ring->valid[word] |= bit;
    }
}

/* Words of columns are a thread's own: walks down a column write to no other. */
static void extend_cols(void *user, int64_t part)
{
    const range *of = user;
    const mry_web_ring *ring = &of->work->ring;
    size_t first = (size_t)part * PART_WORDS;
    size_t end = first + PART_WORDS < ring->words ? first + PART_WORDS : ring->words;
    for (int row = of->from; row < of->to; row++) {
        const uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        for (size_t w = first; w < end; w++) {
            for (uint64_t left = down[w]; left; left &= left - 1) {
                int col = (int)(w * 64) + __builtin_ctzll(left);
                walk_down(of->work, row, col, -1);
                walk_down(of->work, row, col, 1);
            }
        }
    }
}

void mry_valid_extend(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int back = work->plan.reach - 1;
    bool all = ring->flagged == work->plan.rows;
    range of = { work, ring->extended, all ? ring->flagged : ring->flagged - back };
    if (of.to > of.from) {
        marey_ctx_run(work->ctx, (of.to - of.from + PART_ROWS - 1) / PART_ROWS, extend_rows, &of);
        marey_ctx_run(work->ctx, ((int64_t)ring->words + PART_WORDS - 1) / PART_WORDS, extend_cols,
                      &of);
        ring->extended = of.to;
    }
    ring->known = all ? ring->extended : ring->extended - back;
}
