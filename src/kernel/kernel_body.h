/* kernel_body.h - the hot loops with vectors, written once for every instruction set. A file that
   includes it defines:

       LANES            floats of a vector
       MR               rows of a tile, 6 or 8
       VECTORS          vectors of a tile's row
       KERNEL_NAME      its name, a string
       SPREAD(a, p)     declares what AT needs of the numbers p[0 .. MR), by the name a
       AT(a, r)         number r of them, as a scalar to multiply a vector by
       LEAST(a, b), MOST(a, b), ROOT(a)     of vectors
       NEAR_ROOT(a)     of numbers above 0, off by at most NEAR_ROOT_OFF of it
       FLOATS(p)        the 16-bit numbers p[0 .. LANES) as a vector
       FLOATS_8(p), FLOATS_U8(p)            of 8 bits, with and without a sign
       DOUBLES(p)       the numbers p[0 .. LANES / 2) as a vector of doubles
       CHOOSE(mask, a, b)   of doubles, CHOOSE_BITS(mask, a, b) of 64-bit numbers: a where the mask's
                        bits are ones, b where they are zeros
       BITS(v)          the sign bits of a vector of comparison results, as an unsigned number

   and gets `static const mry_kernel kernel`. Sums are kept in registers: a tile has MR x VECTORS of
   them. */
#include "kernel/kernel.h"

#ifdef LANES /* on its own, this is nothing */

#include <math.h>
#include <string.h>

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float vec_any __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vec_bits __attribute__((vector_size(4 * LANES)));

enum { NR = VECTORS * LANES };

static inline vec load(const float *p)
{
    return *(const vec *)p;
}

static inline vec load_any(const float *p)
{
    return *(const vec_any *)p;
}

/* ---- tile ------------------------------------------------------------------------------------ */

#if MR == 8
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#else
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#endif

#if VECTORS == 3
#define EACH_VECTOR(DO, r) DO(r, 0) DO(r, 1) DO(r, 2)
#else
#define EACH_VECTOR(DO, r) DO(r, 0) DO(r, 1)
#endif

/* The sums are named variables and not an array: compilers keep those in registers. */
#define DECLARE_ONE(r, v) vec sum##r##v = { 0 };
#define ADD_ONE(r, v) sum##r##v += AT(spread, r) * column##v;
#define KEEP_ONE(r, v) *(vec *)(kept + (r)*NR + (v)*LANES) = sum##r##v;
#define WRITE_ONE(r, v) *(vec_any *)(to + (size_t)(r)*out.stride + (v)*LANES) = sum##r##v;
/* From xx' (kept) and xx' + zz' to xx' - zz'. */
#define TURN_ONE(r, v) sum##r##v = 2 * load(kept + (r)*NR + (v)*LANES) - sum##r##v;
#define CLEAR_ONE(r, v) sum##r##v = (vec){ 0 };

#define DECLARE_ROW(r) EACH_VECTOR(DECLARE_ONE, r)
#define ADD_ROW(r) EACH_VECTOR(ADD_ONE, r)
#define KEEP_ROW(r) EACH_VECTOR(KEEP_ONE, r)
#define WRITE_ROW(r) EACH_VECTOR(WRITE_ONE, r)
#define TURN_ROW(r) EACH_VECTOR(TURN_ONE, r)
#define CLEAR_ROW(r) EACH_VECTOR(CLEAR_ONE, r)
#define COLUMN(r, v) vec column##v = load(b + (v)*LANES);

#define MULTIPLY                                                                                   \
    for (int i = 0; i < k; i++, a += MR, b += NR) {                                                \
        EACH_VECTOR(COLUMN, 0)                                                                     \
        SPREAD(spread, a)                                                                          \
        EACH_ROW(ADD_ROW)                                                                          \
    }

static void tile(const float *a, const float *b, int k, mry_planes out)
{
    float kept[MR * NR] __attribute__((aligned(64)));
    float *to = out.b;
    EACH_ROW(DECLARE_ROW)
    MULTIPLY
    EACH_ROW(KEEP_ROW)
    MULTIPLY
    EACH_ROW(WRITE_ROW)
    EACH_ROW(TURN_ROW)
    MULTIPLY
    to = out.c;
    EACH_ROW(WRITE_ROW)
    EACH_ROW(CLEAR_ROW)
    MULTIPLY
    to = out.y;
    EACH_ROW(WRITE_ROW)
}

/* ---- diagonals ------------------------------------------------------------------------------- */

/* Along the skew: all rows of the panel at once, column j + r of row r. Sums of two are shared by
   sums of four, so that a cell takes 3.25 additions instead of four. A number is used by sums of
   its own diagonal only, and those are all made in the same step, so they can take its place. */
#define TAKE(r) vec in##r = load_any(at + (size_t)(r) * (stride + 1));
#define PAIR(r, next) vec pair##r = in##r + in##next;
#define SUM(r, two, last)                                                                          \
    *(vec_any *)(at + (size_t)(r) * (stride + 1)) = pair##r + pair##two + in##last;

/* clang-format off */
static void sum_plane(float *plane, size_t stride, int cols)
{
    /* Row r begins at column r, so the first columns of the last rows need a start before the
       first. */
    for (int j = -LANES * ((MR - 2 + LANES) / LANES); j < cols; j += LANES) {
        float *at = plane + j;
        TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7) TAKE(8) TAKE(9)
        PAIR(0, 1) PAIR(1, 2) PAIR(2, 3) PAIR(3, 4) PAIR(4, 5) PAIR(5, 6) PAIR(6, 7) PAIR(7, 8)
        SUM(0, 2, 4) SUM(1, 3, 5) SUM(2, 4, 6) SUM(3, 5, 7) SUM(4, 6, 8) SUM(5, 7, 9)
#if MR == 8
        TAKE(10) TAKE(11)
        PAIR(8, 9) PAIR(9, 10)
        SUM(6, 8, 10) SUM(7, 9, 11)
#endif
    }
}
/* clang-format on */

static void diagonals(mry_planes planes, int cols)
{
    sum_plane(planes.b, planes.stride, cols);
    sum_plane(planes.c, planes.stride, cols);
    sum_plane(planes.y, planes.stride, cols);
}

/* ---- cells ----------------------------------------------------------------------------------- */

#define TAKE_CELL(r)                                                                               \
    vec b##r = load(in.b + (size_t)(r)*in.stride + j);                                             \
    vec c##r = load(in.c + (size_t)(r)*in.stride + j);
#define ADD_PATH(r)                                                                                \
    b##r += AT(px, r) * x;                                                                         \
    c##r += AT(px, r) * z;                                                                         \
    b##r += AT(pz, r) * z;                                                                         \
    c##r -= AT(pz, r) * x;
#define WRITE_CELL(r)                                                                              \
    {                                                                                              \
        vec both = load(in.y + (size_t)(r)*in.stride + j) + ROOT(b##r * b##r + c##r * c##r);       \
        vec d = (of.size_a[r] + size) - 2 * both;                                                  \
        *(vec *)(out + (size_t)(r)*out_stride + j) = MOST(d, (vec){ 0 });                          \
    }

/* All rows of a panel at once: their sums are independent of each other, so none waits for
   another. */
static void cells(const mry_cells_def *def, mry_planes in, int cols, float *out, size_t out_stride)
{
    const mry_cells_def of = *def;
    for (int j = 0; j < cols; j += LANES) {
        EACH_ROW(TAKE_CELL)
        if (of.path_a) {
            for (int q = 0; q < MRY_KERNEL_PATH; q += 2) {
                const float *a = of.path_a + (size_t)q * of.path_a_stride;
                const float *b = of.path_b + (size_t)q * of.path_b_stride + j;
                vec x = load_any(b), z = load_any(b + of.path_b_stride);
                SPREAD(px, a)
                SPREAD(pz, a + of.path_a_stride)
                EACH_ROW(ADD_PATH)
            }
        }
        vec size = load_any(of.size_b + j);
        EACH_ROW(WRITE_CELL)
    }
}

/* ---- alignments ------------------------------------------------------------------------------ */

static void bounds(const mry_bounds_def *def, mry_planes in)
{
    const mry_bounds_def of = *def;
    const vec least = (vec){ 0 } + 1e-30f;
    const float up = 2 * (1 + NEAR_ROOT_OFF), down = 1 - NEAR_ROOT_OFF;
    for (int r = 0; r < MR; r++) {
        const float *pb = in.b + (size_t)r * in.stride, *pc = in.c + (size_t)r * in.stride;
        const float *py = in.y + (size_t)r * in.stride;
        float *costs = of.costs + (size_t)r * of.stride, *sums = of.sums + (size_t)r * of.stride;
        const float *before = r ? sums - of.stride : of.before;
        for (int j = 0; j < NR; j += LANES) {
            vec b = load(pb + j), c = load(pc + j), product = b * b + c * c;
            vec square = of.size_a[r] + of.keep * load_any(of.size_b + j) - 2 * load(py + j);
            square -= up * NEAR_ROOT(MOST(product, least));
            vec root = down * NEAR_ROOT(MOST(square, least)) - load_any(of.radii + j);
            root = MOST(root - 2e-15f, (vec){ 0 }); /* 0 where there was nothing */
            root *= root;
            *(vec_any *)(costs + j) = root;
            if (!of.before || r >= of.rows) continue;
            vec came = LEAST(load_any(before + j - 1), load_any(before + j));
            *(vec_any *)(sums + j) = root + came;
        }
    }
}

static bool any(const float *row, int cols, float most)
{
    const vec bound = (vec){ 0 } + most;
    vec_bits all = { 0 };
    for (int j = 0; j < cols; j += LANES) all |= load_any(row + j) <= bound;
    return !NONE(all);
}

static void back(const mry_back_def *def, int cols)
{
    const mry_back_def of = *def;
    for (int j = 0; j < cols; j += LANES) {
        vec behind = load_any(of.behind + j), sum = load_any(of.sums + j) + behind;
        *(vec_any *)(of.through + j) = LEAST(load_any(of.through + j), sum);
        *(vec_any *)(of.room + j) = load_any(of.costs + j) + behind;
    }
    for (int j = 0; j < cols; j += LANES) {
        vec least = load_any(of.room + j);
        for (int d = 1; d <= of.reach; d++) least = LEAST(least, load_any(of.room + j + d));
        *(vec_any *)(of.behind + j) = least;
    }
}

/* ---- rounded rows ---------------------------------------------------------------------------- */

static inline void put_point(float *to, int k, vec x, vec z, vec y)
{
    *(vec *)to = x;
    *(vec *)(to + k * NR) = z;
    *(vec *)(to + 2 * k * NR) = x - z;
    *(vec *)(to + 3 * k * NR) = y;
}

/* Shelves are read once from the first to the last byte: what comes next is fetched meanwhile. */
static inline void ahead(const void *from, int bytes)
{
    for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)from + 4096 + i);
}

static void unpack(const mry_unpack_def *def, float *panel, float *sizes)
{
    const mry_unpack_def of = *def;
    const int k = 2 * of.points;
    for (int c = 0; c < NR; c += LANES) {
        vec unit = load_any(of.units + c), size = { 0 }, mean_x = { 0 }, mean_z = { 0 };
        vec mean_y = { 0 }, one = unit * of.place;
        for (int i = 0; i < of.points; i++) {
            const int16_t *from = of.places + 3 * i * NR + c;
            float weight = of.weights[i];
            if (c == 0) ahead(from, 6 * NR);
            vec x = FLOATS(from) * one, z = FLOATS(from + NR) * one;
            vec y = FLOATS(from + 2 * NR) * one;
            size += weight * (x * x + z * z + y * y);
            mean_x += weight * x;
            mean_z += weight * z;
            mean_y += weight * y;
            put_point(panel + i * NR + c, k, x, z, y);
        }
        one = unit * of.speed;
        for (int i = 0; i < of.points; i++) {
            const int8_t *from = of.roots + 3 * i * NR + c;
            if (c == 0) ahead(from, 3 * NR);
            vec x = FLOATS_8(from), z = FLOATS_8(from + NR), y = FLOATS_8(from + 2 * NR);
            x *= MOST(x, -x) * one;
            z *= MOST(z, -z) * one;
            y *= MOST(y, -y) * one;
            size += of.weights[i] * (x * x + z * z + y * y);
            put_point(panel + (of.points + i) * NR + c, k, x, z, y);
        }
        size -= mean_x * mean_x + mean_z * mean_z + mean_y * mean_y;
        vec absent = (vec)((unit == 0) & (vec_bits)((vec){ 0 } + of.absent));
        *(vec_any *)(sizes + c) = MOST(size, absent);
    }
}

static void widths(const mry_widths_def *def, float *out)
{
    const mry_widths_def of = *def;
    for (int c = 0; c < NR; c += LANES) {
        vec sum = { 0 };
        for (int p = 0; p < of.points; p++) {
            vec root = FLOATS_U8(of.roots + p * NR + c);
            vec far = (vec)((root == 255) & (vec_bits)((vec){ 0 } + MRY_KERNEL_FAR));
            vec width = MOST(root * root * of.width, far);
            sum += of.weights[p] * (width * width);
        }
        *(vec_any *)(out + c) = load_any(of.units + c) * ROOT(sum);
    }
}

typedef float four __attribute__((vector_size(16)));

/* With shares c that sum to one, |sum of c l|^2 is the sum of c |l|^2 without that of c c' |l - l'|^2
   over pairs; those whose product is negative may be left out. */
static void guess(const mry_guess_def *def)
{
    const mry_guess_def of = *def;
    four shares[5], middle[2], outer[2];
    memcpy(shares, of.shares, sizeof shares);
    memcpy(middle, of.middle, sizeof middle);
    memcpy(outer, of.outer, sizeof outer);
    const int k = of.complex;
    for (int b = 0; b < of.blocks; b++) {
        float *panel = of.panels + (size_t)(4 * b / NR) * 4 * (size_t)(k * NR) + 4 * b % NR;
        four size = { 0 }, left = { 0 };
        for (int n = 0; n < 3 * k - 1; n++) {
            const float *at = of.numbers + (size_t)n * of.stride + b;
            four one = at[0] * shares[0] + at[1] * shares[1] + at[2] * shares[2] +
                       at[3] * shares[3] + at[4] * shares[4];
            *(four *)(panel + (n < 2 * k ? n : n + k) * NR) = one;
            size += one * one;
        }
        for (int n = 0; n < k; n++)
            *(four *)(panel + (2 * k + n) * NR) =
                *(four *)(panel + n * NR) - *(four *)(panel + (k + n) * NR);
        const float *at = of.numbers + (size_t)(3 * k - 1) * of.stride + b, *step = of.steps + b;
        for (int t = 0; t < 5; t++) left += at[t] * at[t] * shares[t];
        for (int t = 0; t < 2; t++) {
            float far = step[t] + step[t + 1] + step[t + 2];
            left -= step[t + 1] * step[t + 1] * middle[t] + far * far * outer[t];
        }
        for (int r = 0; r < 4; r++) {
            float one = left[r] - of.sizes[b];
            left[r] = one > 0 ? one : 0;
            panel[(4 * k - 1) * NR + r] = sqrtf(left[r]);
        }
        *(four *)(of.row_sizes + 4 * b) = size + left;
    }
}

typedef int32_t bits_any __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline vec_bits pick(vec_bits mask, vec_bits yes, vec_bits no)
{
    return (mask & yes) | (~mask & no);
}

static void warp_from(const float *c, const mry_warp_def *def, int cols)
{
    const mry_warp_def of = *def;
    const size_t stride = of.sums_stride;
    for (int j = 0; j < cols; j += LANES) {
        vec cost = load_any(c + j), least = load_any(of.before + j - 1);
        vec_bits from = *(const bits_any *)(of.before_from + j - 1);
        for (int d = 2; d <= of.most; d++) {
            vec other = load_any(of.before + j - d);
            from = pick(other < least, *(const bits_any *)(of.before_from + j - d), from);
            least = LEAST(least, other);
        }
        float *sum = of.sums + j;
        int32_t *start = of.from + j;
        for (size_t z = (size_t)of.stays; z > 0; z--) {
            *(vec_any *)(sum + z * stride) = load_any(sum + (z - 1) * stride) + cost;
            *(bits_any *)(start + z * stride) = *(const bits_any *)(start + (z - 1) * stride);
        }
        least += cost;
        *(vec_any *)sum = least;
        *(bits_any *)start = from;
        for (size_t z = 1; z <= (size_t)of.stays; z++) {
            vec stays = load_any(sum + z * stride);
            from = pick(stays < least, *(const bits_any *)(start + z * stride), from);
            least = LEAST(least, stays);
        }
        *(vec_any *)(of.best + j) = least;
        *(bits_any *)(of.best_from + j) = from;
    }
}

static void warp(const float *c, const mry_warp_def *def, int cols)
{
    const mry_warp_def of = *def;
    if (of.from) {
        warp_from(c, def, cols);
        return;
    }
    for (int j = 0; j < cols; j += LANES) {
        vec cost = load_any(c + j), least = load_any(of.before + j - 1);
        for (int d = 2; d <= of.most; d++) least = LEAST(least, load_any(of.before + j - d));
        least += cost;
        vec moved = least;
        float *sum = of.sums + j;
        for (size_t z = (size_t)of.stays; z > 0; z--) {
            vec stays = load_any(sum + (z - 1) * of.sums_stride) + cost;
            *(vec_any *)(sum + z * of.sums_stride) = stays;
            least = LEAST(least, stays);
        }
        *(vec_any *)sum = moved;
        *(vec_any *)(of.best + j) = least;
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

enum { WAYS = LANES / 2 };

typedef double wide __attribute__((vector_size(4 * LANES)));
typedef double wide_any __attribute__((vector_size(4 * LANES), aligned(8), may_alias));
typedef int64_t wide_bits __attribute__((vector_size(4 * LANES)));
typedef int64_t wide_bits_any __attribute__((vector_size(4 * LANES), aligned(8), may_alias));
typedef uint8_t bytes_any __attribute__((vector_size(LANES / 2), aligned(1), may_alias));

static inline wide wide_of(const double *p)
{
    return *(const wide_any *)p;
}

static inline wide_bits tags_of(const int64_t *p)
{
    return *(const wide_bits_any *)p;
}

/* A state that is less takes the place of the best so far. */
#define TAKE_LESS(sum, sum_tag, number)                                                            \
    {                                                                                              \
        wide_bits less = (sum) < best;                                                             \
        best = CHOOSE(less, sum, best);                                                            \
        state = CHOOSE_BITS(less, (wide_bits){ 0 } + (number), state);                             \
        if (tagged) tag = CHOOSE_BITS(less, sum_tag, tag);                                         \
    }

/* No state waits for one of its own row but S: sums across are added up from there once more for
   every column, in the order of the steps. */
static inline __attribute__((always_inline)) void
ways_of(const mry_ways_def *def, int cols, const int slope, const bool tagged, const bool noted)
{
    const mry_ways_def of = *def;
    const wide none = (wide){ 0 } + INFINITY;
    double *start = of.sums + of.stride;
    int64_t *start_tags = tagged ? of.tags + of.stride : NULL;
    for (int j = 0; j < cols; j += WAYS) {
        wide sum = wide_of(of.before + j - 1) + DOUBLES(of.costs + j);
        if (tagged) {
            wide_bits from = tags_of(of.tags_before + j - 1);
            sum = CHOOSE(from < tags_of(of.oldest + j), none, sum);
            *(wide_bits_any *)(start_tags + j) = from + 1;
        }
        *(wide_any *)(start + j) = sum;
    }
    for (int i = 0; i < of.start_count; i++) {
        start[of.starts[i].col] = of.starts[i].sum;
        if (tagged) start_tags[of.starts[i].col] = of.starts[i].tag;
    }
    for (int j = 0; j < cols; j += WAYS) {
        wide best = wide_of(start + j), cost = DOUBLES(of.costs + j);
        wide_bits tag = { 0 }, state = { 0 }, oldest = { 0 };
        if (tagged) {
            tag = tags_of(start_tags + j);
            oldest = tags_of(of.oldest + j);
        }
#pragma GCC unroll 2
        for (int k = slope; k >= 1; k--) {
            size_t plane = (size_t)k * of.stride + (size_t)j;
            wide across = wide_of(start + j - k), down = wide_of(of.before + plane) + cost;
            wide_bits across_tag = { 0 }, down_tag = { 0 };
            for (int i = j - k + 1; i < j; i++) across += DOUBLES(of.costs + i);
            across += cost;
            if (tagged) {
                across_tag = tags_of(start_tags + j - k) + k;
                down_tag = tags_of(of.tags_before + plane) + 1;
                across = CHOOSE(across_tag < oldest, none, across);
                down = CHOOSE(down_tag < oldest, none, down);
            }
            if (k < slope) *(wide_any *)(of.sums + plane + of.stride) = down;
            if (k < slope && tagged) *(wide_bits_any *)(of.tags + plane + of.stride) = down_tag;
            TAKE_LESS(across, across_tag, k)
            TAKE_LESS(down, down_tag, slope + k)
        }
        *(wide_any *)(of.sums + j) = best;
        if (tagged) *(wide_bits_any *)(of.tags + j) = tag;
        *(bytes_any *)(of.states + j) = __builtin_convertvector(state, bytes_any);
        if (!noted) continue;
        wide least = wide_of(of.least + j);
        wide_bits less = best < least;
        *(wide_any *)(of.least + j) = CHOOSE(less, best, least);
        *(wide_bits_any *)(of.least_at + j) =
            CHOOSE_BITS(less, (wide_bits){ 0 } + of.row, tags_of(of.least_at + j));
    }
}

/* The usual slope has its own text, without loops over states. */
static void ways(const mry_ways_def *def, int cols)
{
    const bool tagged = def->tags_before != NULL, noted = def->least != NULL;
    if (def->slope != 2)
        ways_of(def, cols, def->slope, tagged, noted);
    else if (tagged)
        ways_of(def, cols, 2, true, noted);
    else
        ways_of(def, cols, 2, false, noted);
}

/* ---- minima ---------------------------------------------------------------------------------- */

static uint64_t below(const float *cells, float limit)
{
    const vec bound = (vec){ 0 } + limit;
    uint64_t less = 0;
    for (int j = 0; j < 64; j += LANES) less |= (uint64_t)BITS(load(cells + j) < bound) << j;
    return less;
}

static void minima(const float *above, const float *row, const float *under, int cols, float below,
                   uint64_t *in_row, uint64_t *in_column)
{
    const vec bound = (vec){ 0 } + below;
    for (int first = 0; first < cols; first += 64) {
        uint64_t across = 0, down = 0;
        for (int j = 0; j < 64; j += LANES) {
            const float *at = row + first + j;
            vec d = load(at);
            vec beside = LEAST(LEAST(load_any(at - 1), load_any(at + 1)), bound);
            vec over = LEAST(LEAST(load(above + first + j), load(under + first + j)), bound);
            vec_bits either = d < MOST(beside, over);
            if (NONE(either)) continue;
            across |= (uint64_t)BITS(d < beside) << j;
            down |= (uint64_t)BITS(d < over) << j;
        }
        in_row[first / 64] = across;
        in_column[first / 64] = down;
    }
}

static const mry_kernel kernel = { .name = KERNEL_NAME,
                                   .mr = MR,
                                   .nr = NR,
                                   .tile = tile,
                                   .diagonals = diagonals,
                                   .cells = cells,
                                   .bounds = bounds,
                                   .guess = guess,
                                   .any = any,
                                   .back = back,
                                   .unpack = unpack,
                                   .widths = widths,
                                   .warp = warp,
                                   .ways = ways,
                                   .below = below,
                                   .minima = minima };

#endif
