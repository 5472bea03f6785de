/* card_kernel.cuh - what a block of threads of the card does, written as phases: within a phase
   threads know nothing of each other, and all wait between two. The same text is compiled for the
   card (card_cuda.cu) and, with a loop over the threads for every phase, for the processor
   (tests/card/emulate.cc), where the logic is tested without a card.

   The grid. A block goes down a strip of TN columns, TM rows a step:

       products   TM x TN frames by frames, 8 x MC of them in the registers of a thread, four passes
                  over the joints as in kernel_body.h: xx', + zz', the turned one, yy'; written to
                  three planes in shared memory
       skew       a thread goes along a diagonal, which leaves the strip on the right and comes in
                  again on the left: sums of five, in place; what a diagonal needs of the step before is in
                  registers, so no product is made twice
       cells      a thread has a column: path and size, the distance
       judge      a thread has a column, and sees left and right in shared memory; a row waits for
                  the one below it, in registers

   Slot (q, x) of a plane is first frame p0 + q by frame col0 + x, then the cell (p0 + q - 4,
   col0 + x - 4), whose window ends there. So x < 4 has no cell, and decisions need x in 5 .. TN - 2;
   strips are TN - 8 columns apart, a multiple of four, as copies of 16 bytes want. */
#ifndef CARD_KERNEL_CUH
#define CARD_KERNEL_CUH

#include "card.h"

#ifdef __CUDACC__
#define CARD_FN __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#else
#include <cmath>
#include <cstring>
#define CARD_FN static inline
#define UNROLL
#endif

enum { FRONT = 8, BEHIND = 336 }; /* numbers before and behind a row of frames */

/* ---- arithmetic, rounded as written ---------------------------------------------------------- */

#ifdef __CUDACC__
CARD_FN float fma_(float a, float b, float c) { return __fmaf_rn(a, b, c); }
CARD_FN float add_(float a, float b) { return __fadd_rn(a, b); }
CARD_FN float mul_(float a, float b) { return __fmul_rn(a, b); }
CARD_FN float root_(float a) { return __fsqrt_rn(a); }
CARD_FN int bits_of(uint32_t a) { return __popc(a); }
CARD_FN int first_bit(uint32_t a) { return __ffs((int)a) - 1; }
#else
/* also what the compiler for the card reads when it compiles for the processor */
static inline float fma_(float a, float b, float c) { return fmaf(a, b, c); }
static inline float add_(float a, float b) { return a + b; }
static inline float mul_(float a, float b) { return a * b; }
static inline float root_(float a) { return sqrtf(a); }
static inline int bits_of(uint32_t a) { return __builtin_popcount(a); }
static inline int first_bit(uint32_t a) { return __builtin_ctz(a); }
#endif

#define CARD_INF __builtin_huge_valf()

/* ---- what a launch is given ------------------------------------------------------------------ */

/* planes: x, z, y, -(x + z), x - z, each `joints` rows of `stride` floats; frame f at FRONT + f,
   and so are sizes and the paths' rows. */
struct card_side {
    const float *planes, *size, *path;
    int stride, rows;
};

struct grid_args {
    card_side a, b;
    int joints;
    int first, end; /* rows that are decided */
    int steps;      /* of a block, at most */
    int upper;
    float below, slack;
    /* minima */
    mry_card_cell *list;
    unsigned long long room;
    unsigned long long *count;
    /* marks */
    uint8_t *map;
    size_t map_stride;
};

enum card_work { WORK_MINIMA, WORK_MARKS };

template <int TM_, int TN_, int MC_, int KC_> struct grid_shape {
    enum {
        TM = TM_, TN = TN_, MR = 8, MC = MC_, KC = KC_,
        THREADS = TM * TN / (MR * MC),
        COLS = TN / THREADS, /* columns and diagonals of a thread */
        ACROSS = TN / MC,    /* threads beside each other */
        STEP = TN - 8,
        PLANE = TM * TN,
        OPERANDS = KC * (TM + TN),
        /* floats of shared memory: planes, operands twice, paths, sizes */
        FLOATS = 3 * PLANE + 2 * OPERANDS + 8 * TM + TM
    };
};

template <class V> struct grid_state {
    float sum[8][V::MC];
    float two[V::COLS][3][3], last[V::COLS][3]; /* sums of two, and the last product */
    float path[V::COLS][8], size[V::COLS];
    float up[V::COLS], now[V::COLS], side[V::COLS];
    int any[V::COLS];
};

/* The rows that a block decides: the last has one row more below it. */
template <class V> CARD_FN int block_rows(int steps)
{
    return V::TM * steps - 12;
}

/* ---- products -------------------------------------------------------------------------------- */

#ifdef __CUDACC__
CARD_FN void copy_16(float *to, const float *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(at), "l"(from) : "memory");
}
CARD_FN void copy_close(void) { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
CARD_FN void copy_wait(void) { asm volatile("cp.async.wait_all;\n" ::: "memory"); }
CARD_FN void load_4(float *to, const float *from)
{
    float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}
CARD_FN void store_4(float *to, const float *from)
{
    *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
}
#else
static inline void copy_16(float *to, const float *from) { memcpy(to, from, 16); }
static inline void copy_close(void) {}
static inline void copy_wait(void) {}
static inline void load_4(float *to, const float *from) { memcpy(to, from, 16); }
static inline void store_4(float *to, const float *from) { memcpy(to, from, 16); }
#endif

/* Passes take these planes of the first clip with these of the second. */
CARD_FN int plane_of_a(int pass)
{
    return pass == 0 ? 0 : pass == 1 ? 1 : pass == 2 ? 3 : 2;
}
CARD_FN int plane_of_b(int pass)
{
    return pass == 0 ? 0 : pass == 1 ? 1 : pass == 2 ? 4 : 2;
}

/* Begins to copy rows [k0, k0 + n) of a pass: TM numbers of a and TN of b each. */
template <class V>
CARD_FN void fetch(const grid_args &g, int tid, int pass, int k0, int n, int row, int col,
                   float *operands)
{
    const float *a = g.a.planes +
                     ((size_t)plane_of_a(pass) * g.joints + k0) * (size_t)g.a.stride + (FRONT + row);
    const float *b = g.b.planes +
                     ((size_t)plane_of_b(pass) * g.joints + k0) * (size_t)g.b.stride + (FRONT + col);
    enum { A4 = V::TM / 4, B4 = V::TN / 4 };
    for (int i = tid; i < n * A4; i += V::THREADS) {
        int k = i / A4, at = i % A4 * 4;
        copy_16(operands + k * V::TM + at, a + (size_t)k * g.a.stride + at);
    }
    float *right = operands + V::KC * V::TM;
    for (int i = tid; i < n * B4; i += V::THREADS) {
        int k = i / B4, at = i % B4 * 4;
        copy_16(right + k * V::TN + at, b + (size_t)k * g.b.stride + at);
    }
    copy_close();
}

/* Where thread tid has its products: rows from the first of these, columns from the second, the
   last four of eight half a strip further on. */
template <class V> CARD_FN int part_row(int tid)
{
    return tid / V::ACROSS * V::MR;
}
template <class V> CARD_FN int part_col(int tid)
{
    return tid % V::ACROSS * 4;
}

template <class V> CARD_FN void multiply_one(grid_state<V> &s, const float *a, const float *b)
{
    float left[8], right[V::MC];
    load_4(left, a);
    load_4(left + 4, a + 4);
    load_4(right, b);
    if (V::MC == 8) load_4(right + V::MC - 4, b + V::TN / 2);
    UNROLL for (int r = 0; r < 8; r++)
    {
        UNROLL for (int c = 0; c < V::MC; c++) s.sum[r][c] = fma_(left[r], right[c], s.sum[r][c]);
    }
}

template <class V> CARD_FN void multiply(grid_state<V> &s, int tid, int n, const float *operands)
{
    const float *a = operands + part_row<V>(tid);
    const float *b = operands + V::KC * V::TM + part_col<V>(tid);
    if (n == V::KC) {
        UNROLL for (int k = 0; k < V::KC; k++) multiply_one<V>(s, a + k * V::TM, b + k * V::TN);
    } else {
        for (int k = 0; k < n; k++) multiply_one<V>(s, a + k * V::TM, b + k * V::TN);
    }
}

/* After a pass; `planes` are B, C, Y. C holds xx' meanwhile. */
template <class V> CARD_FN void close_pass(grid_state<V> &s, int tid, int pass, float *planes)
{
    float *to = planes + (pass == 1 ? 0 : pass == 3 ? 2 : 1) * V::PLANE;
    const float *kept = planes + V::PLANE;
    UNROLL for (int r = 0; r < 8; r++)
    {
        UNROLL for (int h = 0; h < V::MC / 4; h++)
        {
            int at = (part_row<V>(tid) + r) * V::TN + h * (V::TN / 2) + part_col<V>(tid);
            store_4(to + at, &s.sum[r][4 * h]);
            if (pass == 1) { /* from xx' and xx' + zz' to xx' - zz' */
                float xx[4];
                load_4(xx, kept + at);
                UNROLL for (int c = 0; c < 4; c++)
                    s.sum[r][4 * h + c] = fma_(2.0f, xx[c], -s.sum[r][4 * h + c]);
            } else if (pass > 1) {
                UNROLL for (int c = 0; c < 4; c++) s.sum[r][4 * h + c] = 0;
            }
        }
    }
}

/* ---- sums along the diagonals ---------------------------------------------------------------- */

template <class V> CARD_FN void skew(grid_state<V> &s, int tid, int step, float *planes)
{
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int c = tid + n * V::THREADS + step * V::TM;
#ifdef __CUDACC__
#pragma unroll 4
#endif
        for (int q = 0; q < V::TM; q++) {
            float *at = planes + q * V::TN + ((c + q) & (V::TN - 1));
            UNROLL for (int p = 0; p < 3; p++)
            {
                float e = at[p * V::PLANE];
                at[p * V::PLANE] = add_(add_(s.two[n][p][0], s.two[n][p][2]), e);
                s.two[n][p][0] = s.two[n][p][1];
                s.two[n][p][1] = s.two[n][p][2];
                s.two[n][p][2] = add_(s.last[n][p], e);
                s.last[n][p] = e;
            }
        }
    }
}

/* ---- distances ------------------------------------------------------------------------------- */

/* The numbers of a column that every step needs. */
template <class V> CARD_FN void begin_columns(grid_state<V> &s, const grid_args &g, int tid, int col0)
{
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int at = FRONT + col0 + tid + n * V::THREADS - 4;
        UNROLL for (int q = 0; q < 8; q++) s.path[n][q] = g.b.path[(size_t)q * g.b.stride + at];
        s.size[n] = g.b.size[at];
        s.up[n] = s.now[n] = s.side[n] = CARD_INF;
        s.any[n] = 0;
        UNROLL for (int p = 0; p < 3; p++)
        {
            s.two[n][p][0] = s.two[n][p][1] = s.two[n][p][2] = s.last[n][p] = 0;
        }
    }
    UNROLL for (int r = 0; r < 8; r++)
    {
        UNROLL for (int c = 0; c < V::MC; c++) s.sum[r][c] = 0;
    }
}

/* Paths and sizes of the rows of a step. */
template <class V>
CARD_FN void fetch_rows(const grid_args &g, int tid, int row, float *paths, float *sizes)
{
    for (int i = tid; i < 9 * V::TM; i += V::THREADS) {
        int q = i / V::TM, r = i % V::TM, at = FRONT + row + r - 4;
        if (q < 8)
            paths[r * 8 + q] = g.a.path[(size_t)q * g.a.stride + at];
        else
            sizes[r] = g.a.size[at];
    }
}

template <class V>
CARD_FN void cells(grid_state<V> &s, const grid_args &g, int tid, int row, int col0, float *planes,
                   const float *paths, const float *sizes)
{
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS, j = col0 + x - 4;
        bool there = x >= 4 && j >= 0 && j < g.b.rows;
#ifdef __CUDACC__
#pragma unroll 4
#endif
        for (int q = 0; q < V::TM; q++) {
            float *at = planes + q * V::TN + x;
            float b = at[0], c = at[V::PLANE], y = at[2 * V::PLANE], a[8];
            load_4(a, paths + q * 8);
            load_4(a + 4, paths + q * 8 + 4);
            UNROLL for (int k = 0; k < 8; k += 2)
            {
                b = fma_(a[k], s.path[n][k], b);
                c = fma_(a[k], s.path[n][k + 1], c);
                b = fma_(a[k + 1], s.path[n][k + 1], b);
                c = fma_(-a[k + 1], s.path[n][k], c);
            }
            float both = add_(y, root_(fma_(b, b, mul_(c, c))));
            float d = fma_(-2.0f, both, add_(sizes[q], s.size[n]));
            int i = row + q - 4;
            at[0] = there && i >= 0 && i < g.a.rows ? (d > 0 ? d : 0) : CARD_INF;
        }
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* Flags of a cell; 0: it is no minimum, whatever rounding does. */
CARD_FN int judge_cell(float d, float side, float over, float below, float slack)
{
    int flags = (d < side ? MRY_CARD_IN_ROW : 0) | (d < over ? MRY_CARD_IN_COLUMN : 0);
    if (slack == 0) return d < below ? flags : 0;
    float most = d + 2 * slack, least = d - 2 * slack;
    if (!(least < below)) return 0;
    int sure = (most < side ? MRY_CARD_IN_ROW : 0) | (most < over ? MRY_CARD_IN_COLUMN : 0);
    int maybe = (least < side ? MRY_CARD_IN_ROW : 0) | (least < over ? MRY_CARD_IN_COLUMN : 0);
    if (!maybe) return 0;
    if (sure == maybe && most < below) return sure;
    return flags | MRY_CARD_NEAR;
}

/* Places in the list of all blocks for what a thread found; its warp asks for them at once. */
CARD_FN unsigned long long take_places(const grid_args &g, int found)
{
#ifdef __CUDACC__
    int lane = (int)(threadIdx.x & 31u), until = found;
    UNROLL for (int d = 1; d < 32; d <<= 1)
    {
        int other = __shfl_up_sync(0xffffffffu, until, d);
        if (lane >= d) until += other;
    }
    unsigned long long base = 0;
    if (lane == 31 && until > 0) base = atomicAdd(g.count, (unsigned long long)until);
    base = __shfl_sync(0xffffffffu, base, 31);
    return base + (unsigned long long)(until - found);
#else
    unsigned long long at = *g.count;
    *g.count += (unsigned long long)found;
    return at;
#endif
}

/* `row` is the first of the step's frames, `from` the first row that is decided, `end` behind the
   last. What the rows of a column are is kept as bits until all are judged, and then put into the
   list; their distances are still in the plane. */
template <class V>
CARD_FN void judge_minima(grid_state<V> &s, const grid_args &g, int tid, int row, int col0, int from,
                          int end, const float *distances)
{
    static_assert(V::TM <= 32, "a bit for each row");
    uint32_t in_row[V::COLS], in_column[V::COLS], near_by[V::COLS];
    float waited[V::COLS];
    int found = 0;
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS, j = col0 + x - 4;
        int left = x > 0 ? x - 1 : 0, right = x < V::TN - 1 ? x + 1 : x;
        bool decides = x >= 5 && x <= V::TN - 4 && j >= 0 && j < g.b.rows;
        in_row[n] = in_column[n] = near_by[n] = 0;
        waited[n] = s.now[n];
#ifdef __CUDACC__
#pragma unroll 8
#endif
        for (int q = 0; q < V::TM; q++) {
            const float *at = distances + q * V::TN;
            float d = at[x], beside = fminf(at[left], at[right]);
            int i = row + q - 5; /* the row that waited for this one */
            if (decides && i >= from && i < end) {
                uint32_t flags = (uint32_t)judge_cell(s.now[n], s.side[n], fminf(s.up[n], d),
                                                      g.below, g.slack);
                in_row[n] |= (flags & 1u) << q;
                in_column[n] |= (flags >> 1 & 1u) << q;
                near_by[n] |= (flags >> 2 & 1u) << q;
            }
            s.up[n] = s.now[n];
            s.now[n] = d;
            s.side[n] = beside;
        }
        found += bits_of(in_row[n] | in_column[n] | near_by[n]);
    }
    unsigned long long at = take_places(g, found);
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS;
        for (uint32_t left = in_row[n] | in_column[n] | near_by[n]; left; left &= left - 1, at++) {
            int q = first_bit(left);
            mry_card_cell cell;
            cell.row = row + q - 5;
            cell.col_flags = (uint32_t)(col0 + x - 4) << 3 | (in_row[n] >> q & 1u) |
                             (in_column[n] >> q & 1u) << 1 | (near_by[n] >> q & 1u) << 2;
            cell.value = q ? distances[(q - 1) * V::TN + x] : waited[n];
            if (at < g.room) g.list[at] = cell;
        }
    }
}

template <class V>
CARD_FN void judge_marks(grid_state<V> &s, const grid_args &g, int tid, int row, int col0, int from,
                         int end, const float *distances)
{
    float most = g.below + g.slack;
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS, j = col0 + x - 4;
        bool decides = x >= 5 && x <= V::TN - 4 && j >= 0 && j < g.b.rows;
        for (int q = 0; q < V::TM; q++) {
            int i = row + q - 4;
            if (i < from || i >= end) continue;
            if (distances[q * V::TN + x] < most) s.any[n] = 1;
            if (((i & 7) == 7 || i == end - 1)) {
                if (s.any[n] && decides)
                    g.map[(size_t)((i - g.first) >> 3) * g.map_stride + (size_t)(j >> 5)] = 1;
                s.any[n] = 0;
            }
        }
    }
}

/* ---- all steps of a block -------------------------------------------------------------------- */

#ifdef __CUDACC__
#define PHASE(work)                                                                                \
    do {                                                                                           \
        work;                                                                                      \
        __syncthreads();                                                                           \
    } while (0)
#else
#define PHASE(work)                                                                                \
    for (int tid = 0; tid < V::THREADS; tid++) {                                                   \
        grid_state<V> &s = states[tid];                                                            \
        (void)s;                                                                                   \
        work;                                                                                      \
    }
#endif

template <class V, int WORK>
CARD_FN void grid_block(const grid_args &g, int strip, int chunk, float *shared,
                        grid_state<V> *states)
{
#ifdef __CUDACC__
    const int tid = (int)threadIdx.x;
    grid_state<V> &s = *states;
#endif
    float *planes = shared, *operands = planes + 3 * V::PLANE;
    float *paths = operands + 2 * V::OPERANDS, *sizes = paths + 8 * V::TM;

    const int col0 = strip * V::STEP - 4;
    const int from = g.first + chunk * block_rows<V>(g.steps), row0 = from - 4;
    int end = from + block_rows<V>(g.steps);
    if (end > g.end) end = g.end;
    if (from >= end || (g.upper && col0 + V::TN + 512 <= from)) return; /* of all threads alike */
    const int steps = (end - row0 + 5 + V::TM - 1) / V::TM;
    const int chunks = (g.joints + V::KC - 1) / V::KC, all = 4 * chunks;

    PHASE(begin_columns<V>(s, g, tid, col0);
          fetch<V>(g, tid, 0, 0, V::KC < g.joints ? V::KC : g.joints, row0, col0, operands);
          copy_wait());
    for (int step = 0; step < steps; step++) {
        const int row = row0 + step * V::TM;
        for (int n = 0; n < all; n++) {
            /* The next chunk comes in while this one is multiplied. */
            int turn = step * all + n, pass = n / chunks, k0 = (n - pass * chunks) * V::KC;
            int deep = g.joints - k0 < V::KC ? g.joints - k0 : V::KC;
            int next = n + 1 < all ? n + 1 : 0, next_pass = next / chunks;
            int next_k = (next - next_pass * chunks) * V::KC;
            int next_deep = g.joints - next_k < V::KC ? g.joints - next_k : V::KC;
            int next_row = n + 1 < all ? row : row + V::TM;
            bool more = n + 1 < all || step + 1 < steps, closes = k0 + V::KC >= g.joints;
            float *here = operands + (turn & 1) * V::OPERANDS;
            float *there = operands + (~turn & 1) * V::OPERANDS;
            PHASE(if (more) fetch<V>(g, tid, next_pass, next_k, next_deep, next_row, col0, there);
                  if (n == 0) fetch_rows<V>(g, tid, row, paths, sizes);
                  multiply<V>(s, tid, deep, here);
                  if (closes) close_pass<V>(s, tid, pass, planes); copy_wait());
        }
        PHASE(skew<V>(s, tid, step, planes));
        PHASE(cells<V>(s, g, tid, row, col0, planes, paths, sizes));
        if (WORK == WORK_MARKS) {
            PHASE(judge_marks<V>(s, g, tid, row, col0, from, end, planes));
        } else {
            PHASE(judge_minima<V>(s, g, tid, row, col0, from, end, planes));
        }
    }
}

/* ---- bounds of a search ---------------------------------------------------------------------- */

/* A block has 2 x ENDS_THREADS columns, of which the first `halo` are only there for those behind
   them: an alignment of all rows of the query comes from at most most x (rows - 1) columns back. */
enum { ENDS_THREADS = 512, ENDS_COLS = 2, ENDS_WIDTH = ENDS_THREADS * ENDS_COLS, ENDS_MOST = 8 };

struct ends_args {
    int count;
    size_t stride;                         /* of codes: numbers, then sizes, then radii */
    const float *codes;
    int rows, halo, most;                  /* halo: a multiple of 32 */
    const float *query;                    /* 24 numbers and the size of each row, and 7 more */
    float keep, limit;
    uint32_t *ends;
};

enum { QUERY_NUMBERS = 32 };

struct ends_state {
    float number[ENDS_COLS][MRY_CARD_CODE_NUMBERS], size[ENDS_COLS], radius[ENDS_COLS];
    float sum[ENDS_COLS];
};

CARD_FN void ends_begin(const ends_args &e, ends_state &s, int block, int tid)
{
    UNROLL for (int n = 0; n < ENDS_COLS; n++)
    {
        long long j = (long long)block * (ENDS_WIDTH - e.halo) - e.halo + tid + n * ENDS_THREADS;
        bool there = j >= 0 && j < e.count;
        const float *from = e.codes + (there ? j : 0);
        UNROLL for (int k = 0; k < MRY_CARD_CODE_NUMBERS; k++)
            s.number[n][k] = there ? from[(size_t)k * e.stride] : 0;
        s.size[n] = there ? from[(size_t)MRY_CARD_CODE_NUMBERS * e.stride] : 1e30f;
        s.radius[n] = there ? from[(size_t)(MRY_CARD_CODE_NUMBERS + 1) * e.stride] : 0;
        s.sum[n] = 0;
    }
}

/* The cost of a row of the query, and the least sum of the row before within reach. */
CARD_FN void ends_row(const ends_args &e, ends_state &s, int tid, int row, const float *query,
                      const float *before, float *sums)
{
    float q[QUERY_NUMBERS];
    UNROLL for (int k = 0; k < 28; k += 4) load_4(q + k, query + row * QUERY_NUMBERS + k);
    UNROLL for (int n = 0; n < ENDS_COLS; n++)
    {
        const float *x = s.number[n], *z = x + MRY_CARD_CODES, *h = z + MRY_CARD_CODES;
        float b = 0, c = 0, y = 0;
        UNROLL for (int k = 0; k < MRY_CARD_CODES; k++)
        {
            b = fma_(q[k], x[k], b);
            b = fma_(q[MRY_CARD_CODES + k], z[k], b);
            c = fma_(q[k], z[k], c);
            c = fma_(-q[MRY_CARD_CODES + k], x[k], c);
            y = fma_(q[2 * MRY_CARD_CODES + k], h[k], y);
        }
        float both = y + root_(fma_(b, b, c * c));
        float square = q[24] + e.keep * s.size[n] - 2 * both;
        float root = root_(square > 0 ? square : 0) - s.radius[n];
        float cost = root > 0 ? root * root : 0;
        int at = tid + n * ENDS_THREADS;
        float least = 0;
        if (row > 0) {
            least = before[at];
            for (int d = 1; d <= e.most; d++)
                least = fminf(least, at >= d ? before[at - d] : CARD_INF);
        }
        s.sum[n] = cost + least;
        sums[at] = s.sum[n];
    }
}

/* Bits of 32 columns at once; ends begins with words of all zeros. */
CARD_FN void ends_write(const ends_args &e, const ends_state &s, int block, int tid)
{
    UNROLL for (int n = 0; n < ENDS_COLS; n++)
    {
        int at = tid + n * ENDS_THREADS;
        long long j = (long long)block * (ENDS_WIDTH - e.halo) - e.halo + at;
        bool within = at >= e.halo && j < e.count && s.sum[n] <= e.limit;
#ifdef __CUDACC__
        unsigned all = __ballot_sync(0xffffffffu, within);
        if ((threadIdx.x & 31u) == 0 && at >= e.halo && j < e.count) e.ends[j >> 5] = all;
#else
        if (within) e.ends[j >> 5] |= 1u << (j & 31);
#endif
    }
}

#endif
