/* timewarp_row.c - one row of the fast timewarp, eight columns at a time. Nothing in it waits for a neighbour that is
   finished only at the end: a run across starts from a sum that the row before has given, and is as long as the slope
   allows, so it is added up beside the others.

   Written with the compilers' vectors of two, since loops that they find by themselves come out four times slower. */
#include "align/timewarp_row.h"

#include <math.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* ---- two columns --------------------------------------------------------------------------------- */

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
INLINE void offer_across(const mry_warp_row *row, int slope, bool counted, int j, runs *before,
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
INLINE void offer_down(const mry_warp_row *row, int slope, bool counted, int j, winner *best)
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

INLINE mask do_pair(const mry_warp_row *row, int slope, bool counted, int j, runs *before)
{
    winner best = { .sum = load(row->sums.fresh + j) };
    if (counted) best.count = load(row->counts.fresh + j);
    offer_across(row, slope, counted, j, before, &best);
    offer_down(row, slope, counted, j, &best);
    store(row->sums.best + j, best.sum);
    if (counted) store(row->counts.best + j, best.count);
    return best.choice;
}

/* ---- a row --------------------------------------------------------------------------------------- */

/* The low bytes of eight 64-bit numbers. Compilers know this by shuffles; both ends of bytes are looked after. */
INLINE void write_choices(mask a, mask b, mask c, mask d, uint8_t *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    words ab = __builtin_shufflevector((words)a, (words)b, 0, 2, 4, 6);
    words cd = __builtin_shufflevector((words)c, (words)d, 0, 2, 4, 6);
    halves all = __builtin_shufflevector((halves)ab, (halves)cd, 0, 2, 4, 6, 8, 10, 12, 14);
    bytes low = __builtin_shufflevector((bytes)all, (bytes)all, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4,
                                        6, 8, 10, 12, 14);
    memcpy(out, &low, MRY_WARP_LANES);
#else
    const mask of[] = { a, b, c, d };
    for (int i = 0; i < MRY_WARP_LANES; i++) out[i] = (uint8_t)of[i / 2][i % 2];
#endif
}

INLINE void do_row(const mry_warp_row *given, int slope, bool counted, int from, int to,
                   uint8_t *choices)
{
    const mry_warp_row row = *given; /* so that compilers see that nothing written is a pointer */
    runs before;
    for (int k = 0; k <= slope; k++) {
        before.sum[k] = (pair){ INFINITY, INFINITY };
        before.count[k] = (pair){ 0, 0 };
    }
    for (int j = from; j <= to; j += MRY_WARP_LANES) {
        mask a = do_pair(&row, slope, counted, j, &before);
        mask b = do_pair(&row, slope, counted, j + 2, &before);
        mask c = do_pair(&row, slope, counted, j + 4, &before);
        mask d = do_pair(&row, slope, counted, j + 6, &before);
        write_choices(a, b, c, d, choices + (j - from));
    }
}

/* One function for every slope, so that its loops are none. */
#define ROW(slope)                                                                                 \
    static void row##slope(const mry_warp_row *row, int from, int to, uint8_t *choices)            \
    {                                                                                              \
        do_row(row, slope, false, from, to, choices);                                              \
    }                                                                                              \
    static void counted##slope(const mry_warp_row *row, int from, int to, uint8_t *choices)        \
    {                                                                                              \
        do_row(row, slope, true, from, to, choices);                                               \
    }

ROW(1)
ROW(2)
ROW(3)
ROW(4)
ROW(5)
ROW(6)
ROW(7)
ROW(8)

mry_warp_row_fn *mry_warp_row_find(int slope, bool counted)
{
    static mry_warp_row_fn *const table[MRY_WARP_MOST_SLOPE][2] = {
        { row1, counted1 }, { row2, counted2 }, { row3, counted3 }, { row4, counted4 },
        { row5, counted5 }, { row6, counted6 }, { row7, counted7 }, { row8, counted8 },
    };
    return table[slope - 1][counted];
}
