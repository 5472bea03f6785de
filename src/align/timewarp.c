/* timewarp.c - dynamic timewarping of limited slope, the fast form (Kovar & Gleicher 2003, 4.2.1).

   A legal path has at most L steps across in a row and at most L steps down in a row; a step across
   and a step down may be neighbours, so the textbook form keeps the length of the run that a path
   ends with: 2 L + 1 numbers a cell, each of which waits for the cell to its left. But no cheapest
   path needs such neighbours:

       Let a legal path have a step across directly followed by one down (or the other way round), by way of the cell x
       between them. Replace both by one diagonal step. The ends stay, and x leaves the sum; costs are not negative,
       so the path is not dearer, and it has one cell less. It is legal: the two runs that met at x are one step
       shorter each, and a diagonal step lies between them. Paths are finite, so this comes to an end, at a path
       without such neighbours.

   So it is enough to look at paths whose runs lie between diagonal steps. Cut behind every run,
   they are made of the pieces

       diagonal,  diagonal and 1 .. L across,  diagonal and 1 .. L down

   with one exception: the first run has no diagonal step in front of it, since it begins at the
   start cell. Here the start cell counts as reached by a diagonal step from outside, where the sum
   is 0. No piece waits for a neighbour in its own row that is not yet known, which is what one row
   lives on.

   Rounding does not spoil the argument: sums are added up from the start on, and a + c rounded is
   never less than b + c rounded if a is not less than b. The textbook form of the tests therefore
   finds the same sum bit for bit.

   Which cells. d diagonal steps have room for d + 1 runs. To (r, c) with c >= r it is best to have
   none down, so d = r and c - r <= L (r + 1), of which the first run's L may be limited to less;
   likewise for r >= c; and from the end backwards the same. All other cells are on no path: with
   both ends at the corners of a square and L = 2 that is half of them. */
#include "align/timewarp.h"
#include "base/fail.h"

#include <math.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- one row --------------------------------------------------------------------------------- */

/* Eight columns at a time. Nothing in it waits for a neighbour that is finished only at the end: a
   run across starts from a sum that the row before has given, and is as long as the slope allows,
   so it is added up beside the others.

   For every cell of a row there are the least sums of paths that arrive

       fresh     by a diagonal step (or start there)
       down[k]   by a diagonal step and k steps down behind it, k = 1 .. slope - 1
       best      by any way that is allowed

   Arrays have a number for every column, with one more in front and LANES behind, and are infinite
   outside what was computed. Written with the compilers' vectors of two, since loops that they find
   by themselves come out four times slower. */
enum { LANES = 8 }; /* columns at once */

typedef struct row_sums {
    double *best;                      /* of the row before; then of this one */
    double *fresh;                     /* of this row */
    double *fresh_before;              /* of the row before */
    double *down[MRY_WARP_MOST_SLOPE]; /* of the row before; then of this one. [0] is not used */
} row_sums;

typedef struct warp_row {
    double *cost;    /* of this row; infinite in LANES columns behind `to` */
    row_sums sums;   /* fresh is done, and infinite in front of `from` and behind `to` */
    row_sums counts; /* of the cells on those paths; not read or written unless counted */
} warp_row;

/* Fills best and down of columns from .. to, and a number for each column of how the best path
   arrives: 0 by a diagonal step, k by k steps across behind one, slope + k by k steps down behind
   one. The diagonal is preferred, then steps across; of counted paths the one with the fewest
   cells. Writes up to LANES - 1 numbers too many. */
typedef void row_fn(const warp_row *row, int from, int to, uint8_t *choices);

typedef double pair __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));
typedef int32_t words __attribute__((vector_size(16)));
typedef int16_t halves __attribute__((vector_size(16)));
typedef int8_t bytes __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE pair load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(double *p, pair v)
{
    memcpy(p, &v, sizeof v);
}

INLINE mask select_bits(mask which, mask yes, mask no)
{
    return (yes & which) | (no & ~which);
}

INLINE pair lesser(pair a, pair b)
{
#if defined(__aarch64__)
    return (pair)vminq_f64((float64x2_t)a, (float64x2_t)b);
#elif defined(__SSE2__)
    return (pair)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return (pair)select_bits(a < b, (mask)a, (mask)b);
#endif
}

/* The column before each: the last of the pair before, then the first of this one. */
INLINE pair one_before(pair before, pair now)
{
    return __builtin_shufflevector(before, now, 1, 2);
}

typedef struct winner {
    pair sum, count;
    mask choice;
} winner;

INLINE void offer(winner *best, bool counted, pair sum, pair count, int64_t choice)
{
    mask better = sum < best->sum;
    if (counted) {
        better |= (sum <= best->sum) & (count < best->count);
        best->count = (pair)select_bits(better, (mask)count, (mask)best->count);
    }
    best->sum = lesser(sum, best->sum);
    best->choice = select_bits(better, (mask){ choice, choice }, best->choice);
}

/* Runs across that ended in the two columns before, by their length. */
typedef struct runs {
    pair sum[MRY_WARP_MOST_SLOPE + 1], count[MRY_WARP_MOST_SLOPE + 1];
} runs;

/* A run across is one step longer than the one that ended a column before it. */
INLINE void offer_across(const warp_row *row, int slope, bool counted, int j, runs *before,
                         winner *best)
{
    const pair cost = load(row->cost + j), one = { 1, 1 };
    pair sum = load(row->sums.fresh + j - 1) + cost, count = one;
    if (counted) count += load(row->counts.fresh + j - 1);
    offer(best, counted, sum, count, 1);
#pragma GCC unroll 8
    for (int k = 2; k <= slope; k++) {
        pair longer = one_before(before->sum[k], sum) + cost, more = one;
        before->sum[k] = sum;
        if (counted) {
            more += one_before(before->count[k], count);
            before->count[k] = count;
        }
        sum = longer;
        count = more;
        offer(best, counted, sum, count, k);
    }
}

/* The row before has what runs down were; they move on by one. */
INLINE void offer_down(const warp_row *row, int slope, bool counted, int j, winner *best)
{
    const pair cost = load(row->cost + j), one = { 1, 1 };
    pair sum = load(row->sums.fresh_before + j) + cost, count = one;
    if (counted) count += load(row->counts.fresh_before + j);
    offer(best, counted, sum, count, slope + 1);
#pragma GCC unroll 8
    for (int k = 1; k < slope; k++) {
        pair longer = load(row->sums.down[k] + j) + cost, more = one;
        store(row->sums.down[k] + j, sum);
        if (counted) {
            more += load(row->counts.down[k] + j);
            store(row->counts.down[k] + j, count);
        }
        sum = longer;
        count = more;
        offer(best, counted, sum, count, slope + 1 + k);
    }
}

INLINE mask do_pair(const warp_row *row, int slope, bool counted, int j, runs *before)
{
    winner best = { .sum = load(row->sums.fresh + j) };
    if (counted) best.count = load(row->counts.fresh + j);
    offer_across(row, slope, counted, j, before, &best);
    offer_down(row, slope, counted, j, &best);
    store(row->sums.best + j, best.sum);
    if (counted) store(row->counts.best + j, best.count);
    return best.choice;
}

/* The low bytes of eight 64-bit numbers. Compilers know this by shuffles; both ends of bytes are
   looked after. */
INLINE void write_choices(mask a, mask b, mask c, mask d, uint8_t *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    words ab = __builtin_shufflevector((words)a, (words)b, 0, 2, 4, 6);
    words cd = __builtin_shufflevector((words)c, (words)d, 0, 2, 4, 6);
    halves all = __builtin_shufflevector((halves)ab, (halves)cd, 0, 2, 4, 6, 8, 10, 12, 14);
    bytes low = __builtin_shufflevector((bytes)all, (bytes)all, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4,
                                        6, 8, 10, 12, 14);
    memcpy(out, &low, LANES);
#else
    const mask of[] = { a, b, c, d };
    for (int i = 0; i < LANES; i++) out[i] = (uint8_t)of[i / 2][i % 2];
#endif
}

INLINE void fill_row(const warp_row *given, int slope, bool counted, int from, int to,
                     uint8_t *choices)
{
    const warp_row row = *given; /* so that compilers see that nothing written is a pointer */
    runs before;
    for (int k = 0; k <= slope; k++) {
        before.sum[k] = (pair){ INFINITY, INFINITY };
        before.count[k] = (pair){ 0, 0 };
    }
    for (int j = from; j <= to; j += LANES) {
        mask a = do_pair(&row, slope, counted, j, &before);
        mask b = do_pair(&row, slope, counted, j + 2, &before);
        mask c = do_pair(&row, slope, counted, j + 4, &before);
        mask d = do_pair(&row, slope, counted, j + 6, &before);
        write_choices(a, b, c, d, choices + (j - from));
    }
}

/* One function for every slope, so that its loops have constant bounds and are unrolled. */
#define ROW(slope)                                                                                 \
    static void row##slope(const warp_row *row, int from, int to, uint8_t *choices)                \
    {                                                                                              \
        fill_row(row, slope, false, from, to, choices);                                            \
    }                                                                                              \
    static void counted##slope(const warp_row *row, int from, int to, uint8_t *choices)            \
    {                                                                                              \
        fill_row(row, slope, true, from, to, choices);                                             \
    }

ROW(1)
ROW(2)
ROW(3)
ROW(4)
ROW(5)
ROW(6)
ROW(7)
ROW(8)

/* ---- the rows -------------------------------------------------------------------------------- */

typedef struct band {
    int from, to; /* columns; none if to < from */
} band;

typedef struct table {
    const mry_warp *warp;
    int rows;         /* that have cells that a path can use */
    int64_t *base;    /* choice of (row, col): choices[base[row] + col] */
    uint8_t *choices; /* as row_fn writes them */
    warp_row row;
    mry_warp_end end;
} table;

/* a / b for b > 0, rounded up; a <= 0 gives 0, as no column lies in front of the first. */
static int64_t divide_up(int64_t a, int64_t b)
{
    return a <= 0 ? 0 : (a + b - 1) / b;
}

static band find_band(const mry_warp *warp, int row)
{
    int64_t slope = warp->slope, last = warp->cols - 1;
    int64_t from = divide_up((int64_t)row - warp->first_down, slope + 1);
    int64_t to = (slope + 1) * row + warp->first_across;
    if (!warp->open) {
        int64_t left = (int64_t)warp->rows - 1 - row;
        int64_t near = last - divide_up(left - slope, slope + 1);
        int64_t far = last - (slope + 1) * left - slope;
        if (to > near) to = near;
        if (from < far) from = far;
    }
    return (band){ (int)(from > last + 1 ? last + 1 : from), (int)(to > last ? last : to) };
}

/* An array of one number for each column, with its margins. */
static double *take_array(mry_arena *tmp, int cols, double value)
{
    size_t room = (size_t)cols + 1 + LANES;
    double *array = MRY_NEW_RAW(tmp, double, room);
    if (!array) return NULL;
    for (size_t i = 0; i < room; i++) array[i] = value;
    return array + 1;
}

static bool take_sums(mry_arena *tmp, const mry_warp *warp, double value, row_sums *sums)
{
    sums->best = take_array(tmp, warp->cols, value);
    sums->fresh = take_array(tmp, warp->cols, value);
    sums->fresh_before = take_array(tmp, warp->cols, value);
    if (!sums->best || !sums->fresh || !sums->fresh_before) return false;
    for (int k = 1; k < warp->slope; k++) {
        sums->down[k] = take_array(tmp, warp->cols, value);
        if (!sums->down[k]) return false;
    }
    return true;
}

static void widen(double *restrict out, const float *restrict costs, int count)
{
    for (int j = 0; j < count; j++) out[j] = (double)costs[j];
}

static void widen_backwards(double *restrict out, const float *restrict costs, int count)
{
    for (int j = 0; j < count; j++) out[j] = (double)costs[count - 1 - j];
}

static void step_diagonally(double *restrict fresh, const double *restrict best,
                            const double *restrict cost, int first, int last)
{
    for (int j = first; j <= last; j++) fresh[j] = best[j - 1] + cost[j];
}

static void count_diagonally(double *restrict fresh, const double *restrict best, int first,
                             int last)
{
    for (int j = first; j <= last; j++) fresh[j] = best[j - 1] + 1;
}

static void next_row(row_sums *sums)
{
    double *fresh = sums->fresh;
    sums->fresh = sums->fresh_before;
    sums->fresh_before = fresh;
}

static marey_status do_rows(marey_ctx *ctx, table *t, marey_error *error)
{
    const mry_warp *warp = t->warp;
    static row_fn *const rows[MRY_WARP_MOST_SLOPE][2] = {
        { row1, counted1 }, { row2, counted2 }, { row3, counted3 }, { row4, counted4 },
        { row5, counted5 }, { row6, counted6 }, { row7, counted7 }, { row8, counted8 },
    };
    row_fn *fill = rows[warp->slope - 1][warp->open];
    t->row.sums.best[-1] = 0; /* the start cell is reached from here */
    for (int row = 0; row < t->rows; row++) {
        band cells = find_band(warp, row);
        if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
        int count = cells.to - cells.from + 1;
        warp_row *r = &t->row;
        double *out = r->cost + cells.from;
        const float *costs = mry_warp_cell(warp, row, warp->way > 0 ? cells.from : cells.to);
        /* As whole numbers, costs that are fine have bits below those of infinity. Minus zero has
           not, and is fine. */
        uint32_t most = 0;
        for (int j = 0; j < count; j++) {
            uint32_t bits;
            memcpy(&bits, costs + j, sizeof bits);
            most = bits > most ? bits : most;
        }
        if (most >= 0x7f800000u) {
            for (int j = cells.from; j <= cells.to; j++) {
                if (!mry_warp_cost_is_fine(*mry_warp_cell(warp, row, j)))
                    return mry_warp_fail_cost(warp, row, j, error);
            }
        }
        (warp->way > 0 ? widen : widen_backwards)(out, costs, count);
        for (int j = 0; j < LANES; j++) out[count + j] = INFINITY;
        /* Bands never go back to the left, so what lies behind them is still infinite and what lies
           in front must be made so. */
        if (row > 0) {
            next_row(&r->sums);
            if (warp->open) next_row(&r->counts);
        }
        step_diagonally(r->sums.fresh, r->sums.best, r->cost, cells.from, cells.to);
        if (warp->open) count_diagonally(r->counts.fresh, r->counts.best, cells.from, cells.to);
        r->sums.fresh[cells.from - 1] = INFINITY;
        fill(r, cells.from, cells.to, t->choices + t->base[row] + cells.from);
        r->sums.best[cells.from - 1] = INFINITY;
        int from = row == warp->rows - 1 ? cells.from : warp->cols - 1;
        for (int j = from; j <= cells.to && warp->open; j++)
            mry_warp_end_offer(&t->end, row, j, r->sums.best[j], r->counts.best[j]);
    }
    return MAREY_OK;
}

marey_status mry_warp_fast(mry_arena *tmp, const mry_warp *warp, mry_warped *out,
                           marey_error *error)
{
    int64_t used = 0;
    table t = { .warp = warp, .base = MRY_NEW_RAW(tmp, int64_t, warp->rows) };
    if (!t.base) return mry_fail_memory(error, NULL);
    for (; t.rows < warp->rows; t.rows++) {
        band cells = find_band(warp, t.rows);
        if (cells.from >= warp->cols) break; /* an open one that has left the grid at its side */
        t.base[t.rows] = used - cells.from;
        used += cells.to - cells.from + 1;
    }
    t.choices = MRY_NEW_RAW(tmp, uint8_t, used + LANES);
    t.row.cost = take_array(tmp, warp->cols, 0);
    if (!t.choices || !t.row.cost || (warp->open && !take_sums(tmp, warp, 0, &t.row.counts)) ||
        !take_sums(tmp, warp, INFINITY, &t.row.sums))
        return mry_fail_memory(error, NULL);
    marey_status status = do_rows(tmp->ctx, &t, error);
    if (status) return status;
    marey_cell end = { warp->rows - 1, warp->cols - 1 };
    if (warp->open) end = (marey_cell){ t.end.row, t.end.col };
    int room = end.row + end.col + 1;
    marey_cell *cells = MRY_NEW_RAW(tmp, marey_cell, room);
    if (!cells) return mry_fail_memory(error, NULL);
    /* The path back, written from the end of the room to its front, so that it comes out in the
       order of time. */
    int slope = warp->slope, first = room;
    for (marey_cell at = end;; at = (marey_cell){ at.row - 1, at.col - 1 }) {
        int choice = t.choices[t.base[at.row] + at.col];
        int across = choice <= slope ? choice : 0, down = choice - across > 0 ? choice - slope : 0;
        cells[--first] = at;
        for (int k = 0; k < across + down; k++) {
            at.col -= across > 0;
            at.row -= down > 0;
            cells[--first] = at;
        }
        if (at.row == 0 && at.col == 0) break;
    }
    *out = (mry_warped){ .count = room - first, .cells = cells + first };
    return MAREY_OK;
}
