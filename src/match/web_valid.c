/* web_valid.c - the valid region: cells near a minimum that are hardly worse than it (webs, 6.2.1, figure
   6.4). The rules are in web_data.h.

   From a minimum the region goes along a line, its row or its column, until a cell is not below the
   minimum's limit. Cells of a line lie in words of 64, which a kernel compares with the limit at once;
   so there is no step from cell to cell. Columns have their cells beside each other in a second ring,
   of blocks of 64 rows whose columns come one after the other:

       cells:    row 0: col 0 1 2 ..          turned:   col 0: row 0 1 2 .. 63
                 row 1: col 0 1 2 ..                    col 1: row 0 1 2 .. 63
                 ..                                     .. and behind the last column the next block

   Valid cells along columns are noted there likewise, and put to those along rows when no minimum can
   reach a row any more. */
#include "match/web_work.h"

#include "grid/points_grid.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { WORD = 64, PART_ROWS = 32, PART_WORDS = 4 };

_Static_assert(MRY_ROWS_BLOCK % WORD == 0, "rows are filled in whole blocks that can be turned");

/* ---- the turned ring ------------------------------------------------------------------------- */

/* The number of a column of a block, from the first one of the ring on. */
static size_t turned_at(const mry_web_ring *ring, int row, int col)
{
    return (size_t)(row % ring->room / WORD) * ring->words * WORD + (size_t)col;
}

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

/* Four rows of four cells. */
static inline void turn_four(const float *const from[4], size_t at, float *to)
{
    four a = *(const four *)(from[0] + at), b = *(const four *)(from[1] + at);
    four c = *(const four *)(from[2] + at), d = *(const four *)(from[3] + at);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
         cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    four AB = __builtin_shufflevector(a, b, 2, 6, 3, 7),
         CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(to + WORD) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(four *)(to + 2 * WORD) = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);
    *(four *)(to + 3 * WORD) = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}

void mry_valid_turn(mry_web_work *work, int first, int end)
{
    enum { SIDE = 16 }; /* columns at once: a line of the cache in each row */
    mry_web_ring *ring = &work->ring;
    const size_t cols = ring->words * WORD;
    for (int top = first; top < end; top += WORD) {
        float *to = ring->turned + turned_at(ring, top, 0) * WORD;
        const float *rows[WORD];
        for (int r = 0; r < WORD; r++)
            rows[r] = top + r < end ? mry_ring_row(ring, top + r) : ring->none;
        for (size_t col = 0; col < cols; col += SIDE, to += SIDE * WORD) {
            for (int r = 0; r < WORD; r += 4) {
                for (size_t c = 0; c < SIDE; c += 4)
                    turn_four(rows + r, col + c, to + c * WORD + r);
            }
        }
        memset(ring->turned_valid + turned_at(ring, top, 0), 0, cols * sizeof *ring->turned_valid);
    }
}

/* Rows become columns and columns rows: the halves change places across the diagonal, then the
   quarters, and so on. */
static void turn_bits(uint64_t *words)
{
    uint64_t mask = UINT64_MAX >> 32;
    for (int side = 32; side > 0; side >>= 1, mask ^= mask << side) {
        for (int r = 0; r < WORD; r = ((r | side) + 1) & ~side) {
            uint64_t swap = (words[r] >> side ^ words[r | side]) & mask;
            words[r] ^= swap << side;
            words[r | side] ^= swap;
        }
    }
}

/* ---- from minima along lines ----------------------------------------------------------------- */

/* A row or a column, as words of 64 cells. */
typedef struct line {
    const float *cells; /* `step` words of 64 cells from one word to the next, and likewise: */
    uint64_t *valid;
    size_t step;
    int wrap;       /* so many words lie in a ring; 0: they do not */
    int first, end; /* cells that there are */
} line;

static size_t word_at(const line *of, int word)
{
    return (size_t)(of->wrap ? word % of->wrap : word) * of->step;
}

/* Bits [from, to) of a word. */
static uint64_t bits_between(int from, int to)
{
    return from >= to ? 0 : UINT64_MAX >> (WORD - (to - from)) << from;
}

/* Cells beside the minimum, both ways, that are below the limit: at most `most`. */
static void spread(const mry_kernel *kernel, const line *of, int at, float limit, int most)
{
    int word = at / WORD, last = at + most < of->end - 1 ? at + most : of->end - 1;
    size_t here = word_at(of, word);
    uint64_t below = kernel->below(of->cells + here * WORD, limit), under = below;
    for (int from = at + 1; from <= last;) { /* on */
        int start = from % WORD;
        if (start == 0) {
            size_t next = here = word_at(of, from / WORD);
            below = kernel->below(of->cells + next * WORD, limit);
        }
        uint64_t closed = ~below & bits_between(start, WORD);
        int stop = closed ? __builtin_ctzll(closed) : WORD;
        int room = last + 1 - (from - start);
        if (stop > room) stop = room;
        of->valid[here] |= bits_between(start, stop);
        if (stop < WORD) break;
        from += stop - start;
    }
    int lowest = at - most > of->first ? at - most : of->first;
    here = word_at(of, word);
    below = under;
    for (int to = at; to > lowest;) { /* back */
        int behind = (to - 1) % WORD + 1;
        if (behind == WORD) {
            here = word_at(of, (to - 1) / WORD);
            below = kernel->below(of->cells + here * WORD, limit);
        }
        uint64_t closed = ~below & bits_between(0, behind);
        int stop = closed ? WORD - __builtin_clzll(closed) : 0;
        int room = lowest - (to - behind);
        if (stop < room) stop = room;
        of->valid[here] |= bits_between(stop, behind);
        if (stop > 0) break;
        to -= behind;
    }
}

typedef struct range {
    mry_web_work *work;
    int from, to; /* rows whose minima are extended, or that are known now */
} range;

static void extend_rows(void *user, int64_t part)
{
    const range *of = user;
    const mry_web_work *work = of->work;
    const mry_web_ring *ring = &work->ring;
    const mry_kernel *kernel = mry_kernel_best();
    int first = of->from + (int)part * PART_ROWS;
    int end = first + PART_ROWS < of->to ? first + PART_ROWS : of->to;
    for (int row = first; row < end; row++) {
        const uint64_t *across = mry_ring_bits(ring, ring->least_in_row, row);
        const uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        const line along = { .cells = mry_ring_row(ring, row),
                             .valid = mry_ring_bits(ring, ring->valid, row),
                             .step = 1,
                             .first = work->plan.self ? row + 1 : 0,
                             .end = work->plan.cols };
        for (size_t w = 0; w < ring->words; w++) {
            along.valid[w] |= across[w] | down[w];
            for (uint64_t left = across[w]; left; left &= left - 1) {
                int col = (int)(w * WORD) + __builtin_ctzll(left);
                spread(kernel, &along, col, work->plan.grow * along.cells[col],
                       work->plan.reach - 1);
            }
        }
    }
}

/* Words of columns are a thread's own: what goes along a column writes to no other. */
static void extend_cols(void *user, int64_t part)
{
    const range *of = user;
    const mry_web_work *work = of->work;
    const mry_web_ring *ring = &work->ring;
    const mry_kernel *kernel = mry_kernel_best();
    size_t first = (size_t)part * PART_WORDS;
    size_t end = first + PART_WORDS < ring->words ? first + PART_WORDS : ring->words;
    for (int row = of->from; row < of->to; row++) {
        const uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        const float *cells = mry_ring_row(ring, row);
        for (size_t w = first; w < end; w++) {
            for (uint64_t left = down[w]; left; left &= left - 1) {
                int col = (int)(w * WORD) + __builtin_ctzll(left);
                const line along = { .cells = ring->turned + (size_t)col * WORD,
                                     .valid = ring->turned_valid + col,
                                     .step = ring->words * WORD,
                                     .wrap = ring->room / WORD,
                                     .end = work->plan.self && col < work->plan.rows
                                                ? col
                                                : work->plan.rows };
                spread(kernel, &along, row, work->plan.grow * cells[col], work->plan.reach - 1);
            }
        }
    }
}

/* ---- known rows ------------------------------------------------------------------------------ */

/* Ways lead through the valid region only: other cells need no values any more. */
static void close_words(void *user, int64_t word)
{
    const range *of = user;
    const mry_web_ring *ring = &of->work->ring;
    for (int top = of->from / WORD * WORD; top < of->to; top += WORD) {
        uint64_t rows[WORD];
        memcpy(rows, ring->turned_valid + turned_at(ring, top, (int)word * WORD), sizeof rows);
        turn_bits(rows);
        int first = of->from > top ? of->from : top;
        int end = of->to < top + WORD ? of->to : top + WORD;
        for (int row = first; row < end; row++) {
            uint64_t *valid = mry_ring_bits(ring, ring->valid, row) + word;
            float *cells = mry_ring_row(ring, row) + word * WORD;
            *valid |= rows[row - top];
            for (uint64_t left = ~*valid; left; left &= left - 1)
                cells[__builtin_ctzll(left)] = INFINITY;
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
        int64_t parts = ((int64_t)ring->words + PART_WORDS - 1) / PART_WORDS;
        marey_ctx_run(work->ctx, (of.to - of.from + PART_ROWS - 1) / PART_ROWS, extend_rows, &of);
        marey_ctx_run(work->ctx, parts, extend_cols, &of);
        ring->extended = of.to;
    }
    range known = { work, ring->known, all ? ring->extended : ring->extended - back };
    if (known.to <= known.from) return;
    marey_ctx_run(work->ctx, (int64_t)ring->words, close_words, &known);
    ring->known = known.to;
}
