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
/* What the compiler makes of __fsqrt_rn for ordinary numbers, without its branch to what it does for
   others, beside which no other cell's work may be done. Tiny ones are made larger by a power of four
   first; the root of what is infinite is no number, which a distance takes for one that is too great. */
CARD_FN float root_(float a)
{
    bool tiny = a < 0x1p-90f;
    float x = tiny ? a * 0x1p96f : a, inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    float root = __fmul_rn(x, inverse);
    float off = __fmaf_rn(-root, root, x);
    root = __fmaf_rn(off, __fmul_rn(0.5f, inverse), root);
    root = tiny ? root * 0x1p-48f : root;
    return a == 0 ? 0 : root;
}
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

/* ---- shared memory --------------------------------------------------------------------------- */

#ifdef __CUDACC__
/* To so many floats behind where a thread's shared memory begins. */
typedef unsigned shared_at;
enum { SHARED_FLOAT = 4 };
CARD_FN shared_at shared_of(const float *to) { return (unsigned)__cvta_generic_to_shared(to); }
CARD_FN void copy_16(shared_at to, int behind, const float *from)
{
    unsigned at = to + 4u * (unsigned)behind;
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
typedef float *shared_at;
enum { SHARED_FLOAT = 1 };
static inline shared_at shared_of(float *to) { return to; }
static inline void copy_16(shared_at to, int behind, const float *from) { memcpy(to + behind, from, 16); }
static inline void copy_close(void) {}
static inline void copy_wait(void) {}
static inline void load_4(float *to, const float *from) { memcpy(to, from, 16); }
static inline void store_4(float *to, const float *from) { memcpy(to, from, 16); }
#endif

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
    const float *next_a, *next_b; /* the thread's share of the next chunk, and where chunks go */
    shared_at to;
    int any[V::COLS];
};

/* The rows that a block decides: the last has one row more below it. */
template <class V> CARD_FN int block_rows(int steps)
{
    return V::TM * steps - 12;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Passes take these planes of the first clip with these of the second. */
CARD_FN int plane_of_a(int pass)
{
    return pass == 0 ? 0 : pass == 1 ? 1 : pass == 2 ? 3 : 2;
}
CARD_FN int plane_of_b(int pass)
{
    return pass == 0 ? 0 : pass == 1 ? 1 : pass == 2 ? 4 : 2;
}

/* Which rows of a chunk a thread copies 16 bytes of: of a from tid / A4 on, A_DOWN further each time, of
   b likewise. Where they come from goes on from chunk to chunk, as working it out anew took as many
   operations as the products. */
template <class V> struct grid_copies {
    enum { A4 = V::TM / 4, B4 = V::TN / 4, A_DOWN = V::THREADS / A4, B_DOWN = V::THREADS / B4 };
};

/* The next chunk will be the first of a pass. */
template <class V>
CARD_FN void aim(grid_state<V> &s, const grid_args &g, int tid, int pass, int row, int col0)
{
    typedef grid_copies<V> C;
    s.next_a = g.a.planes +
               (size_t)(plane_of_a(pass) * g.joints + tid / C::A4) * (size_t)g.a.stride +
               (FRONT + row + tid % C::A4 * 4);
    s.next_b = g.b.planes +
               (size_t)(plane_of_b(pass) * g.joints + tid / C::B4) * (size_t)g.b.stride +
               (FRONT + col0 + tid % C::B4 * 4);
}

/* Begins to copy the next chunk, whose first joint is k0: TM numbers of a and TN of b for each. */
template <class V>
CARD_FN void fetch(grid_state<V> &s, const grid_args &g, int tid, int k0, int turn)
{
    typedef grid_copies<V> C;
    const shared_at to = s.to + turn * V::OPERANDS * SHARED_FLOAT;
    UNROLL for (int m = 0; m * C::A_DOWN < V::KC; m++)
    {
        int k = tid / C::A4 + m * C::A_DOWN;
        if (k < V::KC && k0 + k < g.joints)
            copy_16(to, 4 * m * V::THREADS, s.next_a + (size_t)(m * C::A_DOWN) * g.a.stride);
    }
    UNROLL for (int m = 0; m * C::B_DOWN < V::KC; m++)
    {
        int k = tid / C::B4 + m * C::B_DOWN;
        if (k < V::KC && k0 + k < g.joints)
            copy_16(to, V::KC * V::TM + 4 * m * V::THREADS,
                    s.next_b + (size_t)(m * C::B_DOWN) * g.b.stride);
    }
    s.next_a += (size_t)V::KC * g.a.stride;
    s.next_b += (size_t)V::KC * g.b.stride;
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
template <class V, int PASS> CARD_FN void close_pass(grid_state<V> &s, int tid, float *planes)
{
    float *to = planes + (PASS == 1 ? 0 : PASS == 3 ? 2 : 1) * V::PLANE;
    const float *kept = planes + V::PLANE;
    UNROLL for (int r = 0; r < 8; r++)
    {
        UNROLL for (int h = 0; h < V::MC / 4; h++)
        {
            int at = (part_row<V>(tid) + r) * V::TN + h * (V::TN / 2) + part_col<V>(tid);
            store_4(to + at, &s.sum[r][4 * h]);
            if (PASS == 1) { /* from xx' and xx' + zz' to xx' - zz' */
                float xx[4];
                load_4(xx, kept + at);
                UNROLL for (int c = 0; c < 4; c++)
                    s.sum[r][4 * h + c] = fma_(2.0f, xx[c], -s.sum[r][4 * h + c]);
            } else if (PASS > 1) {
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
        int c = (tid + n * V::THREADS + step * V::TM) & (V::TN - 1), wraps = V::TN - c;
        float *right = planes + c, *left = right - V::TN;
#ifdef __CUDACC__
#pragma unroll 8
#endif
        for (int q = 0; q < V::TM; q++) {
            float *at = (q < wraps ? right : left) + q * (V::TN + 1);
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

/* Bits of the rows [from, end) among TM from `row` on. */
template <class V> CARD_FN uint32_t rows_within(int row, int from, int end)
{
    int first = from > row ? from - row : 0, behind = end - row < V::TM ? end - row : V::TM;
    if (first >= behind) return 0;
    return (0xffffffffu >> (32 - (behind - first))) << first;
}

/* The numbers of a column that every step needs. */
template <class V>
CARD_FN void begin_columns(grid_state<V> &s, const grid_args &g, int tid, int col0, float *operands)
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
    s.to = shared_of(operands + 4 * tid);
}

/* Paths and sizes of the rows of a step. */
template <class V>
CARD_FN void fetch_rows(const grid_args &g, int tid, int row, float *paths, float *sizes)
{
    const int at = FRONT + row - 4;
    UNROLL for (int m = 0; m * V::THREADS < 8 * V::TM; m++)
    {
        int i = tid + m * V::THREADS, q = i / V::TM, r = i % V::TM;
        if (q < 8) paths[r * 8 + q] = g.a.path[(size_t)q * g.a.stride + at + r];
    }
    if (tid < V::TM) sizes[tid] = g.a.size[at + tid];
}

/* WHOLE: all cells are inside the grid but those of the first columns, which have none. */
template <class V, bool WHOLE>
CARD_FN void cells(grid_state<V> &s, const grid_args &g, int tid, int row, int col0, float *planes,
                   const float *paths, const float *sizes)
{
    enum { AT_ONCE = 8 };
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS, j = col0 + x - 4;
        bool there = x >= 4 && j >= 0 && j < g.b.rows;
        uint32_t rows = there ? rows_within<V>(row - 4, 0, g.a.rows) : 0u;
        for (int q0 = 0; q0 < V::TM; q0 += AT_ONCE) {
            float row_sizes[AT_ONCE];
            UNROLL for (int q = 0; q < AT_ONCE; q += 4) load_4(row_sizes + q, sizes + q0 + q);
            UNROLL for (int q = 0; q < AT_ONCE; q++)
            {
                float *at = planes + (q0 + q) * V::TN + x;
                float b = at[0], c = at[V::PLANE], y = at[2 * V::PLANE], a[8];
                load_4(a, paths + (q0 + q) * 8);
                load_4(a + 4, paths + (q0 + q) * 8 + 4);
                UNROLL for (int k = 0; k < 8; k += 2)
                {
                    b = fma_(a[k], s.path[n][k], b);
                    c = fma_(a[k], s.path[n][k + 1], c);
                    b = fma_(a[k + 1], s.path[n][k + 1], b);
                    c = fma_(-a[k + 1], s.path[n][k], c);
                }
                float both = add_(y, root_(fma_(b, b, mul_(c, c))));
                float d = fma_(-2.0f, both, add_(row_sizes[q], s.size[n]));
                d = d > 0 ? d : 0;
                at[0] = WHOLE || (rows >> (q0 + q) & 1u) ? d : CARD_INF;
            }
        }
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* Flags of a cell where bits are not the processor's; 0: it is no minimum, whatever rounding does. */
CARD_FN int judge_cell(float d, float side, float over, float below, float slack)
{
    int flags = (d < side ? MRY_CARD_IN_ROW : 0) | (d < over ? MRY_CARD_IN_COLUMN : 0);
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
    const uint32_t within = rows_within<V>(row - 5, from, end); /* each waits for the one below it */
    float waited[V::COLS];
    int found = 0;
    UNROLL for (int n = 0; n < V::COLS; n++)
    {
        int x = tid + n * V::THREADS, j = col0 + x - 4;
        int left = x > 0 ? x - 1 : 0, right = x < V::TN - 1 ? x + 1 : x;
        bool decides = x >= 5 && x <= V::TN - 4 && j >= 0 && j < g.b.rows;
        float up = s.up[n], now = s.now[n], side = s.side[n];
        uint32_t across = 0, down = 0, near = 0;
        waited[n] = now;
        if (g.slack == 0) {
            /* To be below a bound and both neighbours is to be below the least of them. */
            UNROLL for (int q = 0; q < V::TM; q++)
            {
                const float *at = distances + q * V::TN;
                float d = at[x];
                across |= now < fminf(side, g.below) ? 1u << q : 0u;
                down |= now < fminf(fminf(up, d), g.below) ? 1u << q : 0u;
                side = fminf(at[left], at[right]);
                up = now;
                now = d;
            }
        } else {
            for (int q = 0; q < V::TM; q++) {
                const float *at = distances + q * V::TN;
                float d = at[x];
                uint32_t flags =
                    (uint32_t)judge_cell(now, side, fminf(up, d), g.below, g.slack);
                across |= (flags & 1u) << q;
                down |= (flags >> 1 & 1u) << q;
                near |= (flags >> 2 & 1u) << q;
                side = fminf(at[left], at[right]);
                up = now;
                now = d;
            }
        }
        s.up[n] = up;
        s.now[n] = now;
        s.side[n] = side;
        uint32_t counts = decides ? within : 0u;
        in_row[n] = across & counts;
        in_column[n] = down & counts;
        near_by[n] = near & counts;
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

/* EACH is for what no other thread sees before the end of the next phase. */
#ifdef __CUDACC__
#define EACH(...) __VA_ARGS__
#define PHASE(...)                                                                                 \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        __syncthreads();                                                                           \
    } while (0)
#else
#define EACH(...) PHASE(__VA_ARGS__)
#define PHASE(...)                                                                                 \
    for (int tid = 0; tid < V::THREADS; tid++) {                                                   \
        grid_state<V> &s = states[tid];                                                            \
        (void)s;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#endif

enum { NO_ROW = -1000 }; /* rows begin at -4 */

/* A pass over all joints, a chunk after the other; the next one, of the next pass at the end, comes in
   while one is multiplied. next_row: of the first chunk of the next pass. The pass is a constant, so
   that a chunk asks for nothing that it does not depend on. */
template <class V, int PASS>
CARD_FN int grid_pass(const grid_args &g, grid_state<V> *states, int col0, int next_row, int turn,
                      float *operands, float *planes)
{
#ifdef __CUDACC__
    const int tid = (int)threadIdx.x;
    grid_state<V> &s = *states;
#endif
    for (int k0 = 0; k0 < g.joints; k0 += V::KC, turn ^= 1) {
        const bool closes = k0 + V::KC >= g.joints;
        const int deep = closes ? g.joints - k0 : V::KC;
        const float *here = operands + turn * V::OPERANDS;
        PHASE(if (closes && next_row != NO_ROW) aim<V>(s, g, tid, (PASS + 1) % 4, next_row, col0);
              if (!closes || next_row != NO_ROW) fetch<V>(s, g, tid, closes ? 0 : k0 + V::KC, turn ^ 1);
              multiply<V>(s, tid, deep, here);
              if (closes) close_pass<V, PASS>(s, tid, planes); copy_wait());
    }
    return turn;
}

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

    PHASE(begin_columns<V>(s, g, tid, col0, operands); aim<V>(s, g, tid, 0, row0, col0);
          fetch<V>(s, g, tid, 0, 0); copy_wait());
    for (int step = 0, turn = 0; step < steps; step++) {
        const int row = row0 + step * V::TM, next_row = step + 1 < steps ? row + V::TM : NO_ROW;
        EACH(fetch_rows<V>(g, tid, row, paths, sizes));
        turn = grid_pass<V, 0>(g, states, col0, row, turn, operands, planes);
        turn = grid_pass<V, 1>(g, states, col0, row, turn, operands, planes);
        turn = grid_pass<V, 2>(g, states, col0, row, turn, operands, planes);
        turn = grid_pass<V, 3>(g, states, col0, next_row, turn, operands, planes);
        PHASE(skew<V>(s, tid, step, planes));
        const bool whole = col0 >= 0 && col0 + V::TN - 4 <= g.b.rows && row >= 4 &&
                           row + V::TM - 4 <= g.a.rows;
        if (whole) {
            PHASE(cells<V, true>(s, g, tid, row, col0, planes, paths, sizes));
        } else {
            PHASE(cells<V, false>(s, g, tid, row, col0, planes, paths, sizes));
        }
        if (WORK == WORK_MARKS) {
            PHASE(judge_marks<V>(s, g, tid, row, col0, from, end, planes));
        } else {
            PHASE(judge_minima<V>(s, g, tid, row, col0, from, end, planes));
        }
    }
}

/* ---- bounds of a search ---------------------------------------------------------------------- */

/* First a thread has a block of poses: its code by the query's directions, its size, its radius. */
struct code_args {
    const uint8_t *tiles; /* mry_card_shelf_def */
    const float *units;
    int blocks, points, wide;
    const float *query; /* MRY_CARD_CODE_NUMBERS for each of 2 x points, then the points' weights */
    float place, speed, radius, rounding;
    float *codes; /* CODE_ROWS rows, `stride` apart: numbers, size, radius */
    size_t stride;
};

enum { CODE_THREADS = 256, CODE_ROWS = MRY_CARD_CODE_NUMBERS + 2, POINT_NUMBERS = 2 * MRY_CARD_CODE_NUMBERS + 1 /* of a query */ };

CARD_FN void code_point(float *number, const float *of, float x, float z, float y)
{
    UNROLL for (int k = 0; k < MRY_CARD_CODES; k++)
    {
        float e = of[k], f = of[MRY_CARD_CODES + k];
        number[k] = fma_(f, z, fma_(e, x, number[k]));
        number[MRY_CARD_CODES + k] = fma_(-f, x, fma_(e, z, number[MRY_CARD_CODES + k]));
        number[2 * MRY_CARD_CODES + k] =
            fma_(of[2 * MRY_CARD_CODES + k], y, number[2 * MRY_CARD_CODES + k]);
    }
}

CARD_FN float signed_square(float root)
{
    return root < 0 ? -root * root : root * root;
}

CARD_FN void code_block(const code_args &c, const float *query, int block)
{
    const int points = c.points, wide = c.wide, plane = points * wide;
    const uint8_t *tile = c.tiles + (size_t)(block / wide) * 12 * (size_t)plane;
    const int16_t *places = (const int16_t *)(const void *)tile + block % wide;
    const int8_t *roots = (const int8_t *)(tile + 6 * plane) + block % wide;
    const uint8_t *radii = tile + 9 * plane + block % wide;
    const float *weights = query + 2 * points * MRY_CARD_CODE_NUMBERS;
    const float unit = c.units[block], far = 1e15f;
    float number[MRY_CARD_CODE_NUMBERS] = {}, size = 0, mean_x = 0, mean_z = 0, mean_y = 0, wander = 0;
    for (int i = 0; i < points; i++) {
        const int16_t *at = places + 3 * i * wide;
        float one = unit * c.place, x = one * at[0], z = one * at[wide], y = one * at[2 * wide];
        size += weights[i] * (x * x + z * z + y * y);
        mean_x += weights[i] * x;
        mean_z += weights[i] * z;
        mean_y += weights[i] * y;
        code_point(number, query + i * MRY_CARD_CODE_NUMBERS, x, z, y);
    }
    for (int i = 0; i < points; i++) {
        const int8_t *at = roots + 3 * i * wide;
        float one = unit * c.speed, x = one * signed_square(at[0]);
        float z = one * signed_square(at[wide]), y = one * signed_square(at[2 * wide]);
        float root = radii[i * wide], width = root == 255 ? far : root * root * c.radius;
        size += weights[i] * (x * x + z * z + y * y);
        wander += weights[i] * (width * width);
        code_point(number, query + (points + i) * MRY_CARD_CODE_NUMBERS, x, z, y);
    }
    size -= mean_x * mean_x + mean_z * mean_z + mean_y * mean_y;
    float left = size * (1 + c.rounding), *to = c.codes + block;
    UNROLL for (int k = 0; k < MRY_CARD_CODE_NUMBERS - 1; k++) left -= number[k] * number[k];
    number[MRY_CARD_CODE_NUMBERS - 1] = root_(left > 0 ? left : 0);
    UNROLL for (int k = 0; k < MRY_CARD_CODE_NUMBERS; k++) to[(size_t)k * c.stride] = number[k];
    to[(size_t)MRY_CARD_CODE_NUMBERS * c.stride] = unit == 0 ? far * far : size;
    to[(size_t)(MRY_CARD_CODE_NUMBERS + 1) * c.stride] = unit * root_(wander);
}

/* Then sums along alignments, of queries of at most ENDS_MOST rows. A group of threads has 2 x ENDS_THREADS columns, of which the first
   `halo` are only there for those behind them: an alignment of all rows of the query comes from at
   most rows - 1 columns back. */
enum { ENDS_THREADS = 512, ENDS_COLS = 2, ENDS_WIDTH = ENDS_THREADS * ENDS_COLS, ENDS_MOST = 768 };

static inline int ends_halo(int rows)
{
    return (rows - 1 + 31) / 32 * 32;
}

static inline int ends_blocks(int count, int halo)
{
    return (count + ENDS_WIDTH - halo - 1) / (ENDS_WIDTH - halo);
}

struct ends_args {
    int count;
    size_t stride;
    const float *codes;
    int rows, halo;     /* halo: a multiple of 32 */
    const float *query; /* 24 numbers and the size of each row, and 7 more */
    float keep, off, limit;
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
        float root = e.off * root_(square > 0 ? square : 0) - s.radius[n];
        float cost = root > 0 ? root * root : 0;
        int at = tid + n * ENDS_THREADS;
        float least = row > 0 ? fminf(before[at], at > 0 ? before[at - 1] : CARD_INF) : 0;
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
