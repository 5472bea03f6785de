/* test_kernel.c - every kernel that this processor can run against sums in double, on ordinary and
   extreme numbers. With --time it says how long each takes beside plain C. */
#include "support.h"

#include "kernel/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { K = 31, WIDE = 512, SIDE = 32, ROWS = 16, MOST = 64 };

/* Numbers of one kind that the loops are tried with. */
typedef struct kind {
    const char *name;
    double size;  /* of the numbers */
    double share; /* of them that are not 0 */
} kind;

static const kind kinds[] = {
    { "ordinary", 30, 1 },     { "large", 1e8, 1 }, { "small", 1e-12, 1 },
    { "mostly zero", 5, 0.1 }, { "zero", 0, 1 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct ground {
    float *a, *b;      /* panels: 4 K x mr and 4 K x nr */
    float *memory;     /* three planes */
    mry_planes planes; /* inside it */
    float *cells;      /* ROWS x WIDE, with room on the left */
} ground;

static float pick(uint32_t *state, const kind *of)
{
    *state = *state * 1664525u + 1013904223u;
    double unit = (double)(*state >> 8) / (1 << 24);
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) < of->share ? (float)((2 * unit - 1) * of->size) : 0;
}

static float *aligned(size_t count)
{
    float *memory = aligned_alloc(64, (count * sizeof *memory + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0, count * sizeof *memory);
    return memory;
}

static ground make_ground(const mry_kernel *kernel)
{
    ground g = { .a = aligned(4 * K * (size_t)kernel->mr),
                 .b = aligned(4 * K * (size_t)kernel->nr) };
    size_t plane = ROWS * WIDE;
    g.memory = aligned(3 * plane);
    g.planes =
        (mry_planes){ g.memory + SIDE, g.memory + plane + SIDE, g.memory + 2 * plane + SIDE, WIDE };
    g.cells = aligned(ROWS * WIDE);
    return g;
}

static void ground_free(ground *g)
{
    free(g->a);
    free(g->b);
    free(g->memory);
    free(g->cells);
}
OWNED_VALUE(ground, ground_free)

static void fill(float *to, size_t count, uint32_t seed, const kind *of)
{
    for (size_t i = 0; i < count; i++) to[i] = pick(&seed, of);
}

static void assert_close(double value, double expected, double size, const mry_kernel *kernel,
                         const char *what, const kind *of)
{
    double room = 2e-6 * size + 1e-35;
    if (fabs(value - expected) <= room) return;
    fail_msg("%s of %s, %s: %.9g, expected %.9g within %.2g", what, kernel->name, of->name, value,
             expected, room);
}

/* ---- tile ------------------------------------------------------------------------------------ */

static double product(const ground *g, const mry_kernel *kernel, int part, int r, int c,
                      double *size)
{
    double sum = 0;
    for (int i = 0; i < K; i++) {
        double one = (double)g->a[(part * K + i) * kernel->mr + r] *
                     (double)g->b[(part * K + i) * kernel->nr + c];
        sum += one;
        *size += fabs(one);
    }
    return sum;
}

static void check_tile(const mry_kernel *kernel, const kind *of)
{
    OWNED(ground) g = make_ground(kernel);
    fill(g.a, 4 * K * (size_t)kernel->mr, 1, of);
    fill(g.b, 4 * K * (size_t)kernel->nr, 2, of);
    kernel->tile(g.a, g.b, K, g.planes);
    for (int r = 0; r < kernel->mr; r++) {
        for (int c = 0; c < kernel->nr; c++) {
            size_t at = (size_t)r * WIDE + (size_t)c;
            double size = 0, up_size = 0, xx = product(&g, kernel, 0, r, c, &size);
            double zz = product(&g, kernel, 1, r, c, &size);
            double cross = product(&g, kernel, 2, r, c, &size);
            double up = product(&g, kernel, 3, r, c, &up_size);
            assert_close((double)g.planes.b[at], xx + zz, size, kernel, "B", of);
            assert_close((double)g.planes.c[at], xx - zz + cross, size, kernel, "C", of);
            assert_close((double)g.planes.y[at], up, up_size, kernel, "Y", of);
        }
    }
}

/* ---- diagonals ------------------------------------------------------------------------------- */

static void check_diagonals(const mry_kernel *kernel, const kind *of, int cols)
{
    OWNED(ground) g = make_ground(kernel);
    FREED float *before = aligned(3 * ROWS * WIDE);
    fill(g.memory, 3 * ROWS * WIDE, 3, of);
    memcpy(before, g.memory, 3 * ROWS * WIDE * sizeof *before);
    kernel->diagonals(g.planes, cols);
    for (size_t plane = 0; plane < 3; plane++) {
        for (int r = 0; r < kernel->mr; r++) {
            for (int j = 0; j < cols; j++) {
                size_t at = plane * ROWS * WIDE + SIDE + (size_t)r * WIDE + (size_t)j;
                double sum = 0, size = 0;
                for (size_t s = 0; s < MRY_KERNEL_WINDOW; s++) {
                    sum += (double)before[at + s * (WIDE + 1)];
                    size += fabs((double)before[at + s * (WIDE + 1)]);
                }
                assert_close((double)g.memory[at], sum, size, kernel, "the diagonal", of);
            }
        }
        for (size_t r = (size_t)kernel->mr; r < (size_t)kernel->mr + 4; r++) {
            size_t at = plane * ROWS * WIDE + SIDE + r * WIDE;
            assert_memory_equal(&g.memory[at], &before[at], (size_t)cols * sizeof *before);
        }
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct sides {
    float size_a[ROWS], size_b[WIDE], path_a[MRY_KERNEL_PATH][ROWS], path_b[MRY_KERNEL_PATH][WIDE];
} sides;

static double cell(const ground *g, const sides *s, bool with_path, int r, int j, double *size)
{
    size_t at = (size_t)r * WIDE + (size_t)j;
    double b = (double)g->planes.b[at], c = (double)g->planes.c[at], y = (double)g->planes.y[at];
    double long_b = fabs(b), long_c = fabs(c);
    for (int q = 0; with_path && q < MRY_KERNEL_PATH; q += 2) {
        double ax = (double)s->path_a[q][r], az = (double)s->path_a[q + 1][r];
        double bx = (double)s->path_b[q][j], bz = (double)s->path_b[q + 1][j];
        b += ax * bx + az * bz;
        c += ax * bz - az * bx;
        long_b += fabs(ax * bx) + fabs(az * bz);
        long_c += fabs(ax * bz) + fabs(az * bx);
    }
    *size =
        fabs((double)s->size_a[r]) + fabs((double)s->size_b[j]) + 2 * (fabs(y) + long_b + long_c);
    return fmax(0, (double)s->size_a[r] + (double)s->size_b[j] - 2 * y - 2 * sqrt(b * b + c * c));
}

static void check_cells(const mry_kernel *kernel, const kind *of, bool with_path, int cols)
{
    static sides s;
    OWNED(ground) g = make_ground(kernel);
    fill(g.memory, 3 * ROWS * WIDE, 4, of);
    fill(s.size_a, ROWS, 5, &(kind){ "", 50 * of->size, 1 });
    fill(s.size_b, WIDE, 6, &(kind){ "", 50 * of->size, 1 });
    fill(s.path_a[0], MRY_KERNEL_PATH * ROWS, 7, &(kind){ "", sqrt(of->size), 1 });
    fill(s.path_b[0], MRY_KERNEL_PATH * WIDE, 8, &(kind){ "", sqrt(of->size), 1 });
    mry_cells_def def = { .size_a = s.size_a,
                          .size_b = s.size_b,
                          .path_a = with_path ? s.path_a[0] : NULL,
                          .path_b = s.path_b[0],
                          .path_a_stride = ROWS,
                          .path_b_stride = WIDE };
    kernel->cells(&def, g.planes, cols, g.cells, WIDE);
    for (int r = 0; r < kernel->mr; r++) {
        for (int j = 0; j < cols; j++) {
            double size, expected = cell(&g, &s, with_path, r, j, &size);
            assert_close((double)g.cells[(size_t)r * WIDE + (size_t)j], expected, size, kernel,
                         "a cell", of);
        }
    }
}

/* ---- minima ---------------------------------------------------------------------------------- */

/* Few different values, so that many neighbours are equal: equal is not less. */
static void check_minima(const mry_kernel *kernel, uint32_t seed, float below, int cols)
{
    FREED float *rows = aligned(3 * WIDE);
    float *row = rows + WIDE + MOST;
    uint64_t across[WIDE / 64] = { 0 }, down[WIDE / 64] = { 0 };
    for (int i = 0; i < 3 * WIDE; i++) {
        seed = seed * 1664525u + 1013904223u;
        rows[i] = seed >> 28 == 0 ? INFINITY : (float)(seed >> 29);
    }
    kernel->minima(row - WIDE, row, row + WIDE, cols, below, across, down);
    for (int j = 0; j < cols; j++) {
        bool fits = row[j] < below;
        bool in_row = fits && row[j] < row[j - 1] && row[j] < row[j + 1];
        bool in_column = fits && row[j] < row[j - WIDE] && row[j] < row[j + WIDE];
        assert_int_equal(across[j / 64] >> (j % 64) & 1, in_row);
        assert_int_equal(down[j / 64] >> (j % 64) & 1, in_column);
    }
}

/* ---- the cases ------------------------------------------------------------------------------- */

TEST(every_kernel_multiplies_as_sums_in_double_do)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++)
        for (int n = 0; n < KINDS; n++) check_tile(kernel, &kinds[n]);
    assert_true(mry_kernel_find(0) == &mry_kernel_plain);
}

TEST(every_kernel_sums_along_diagonals_in_place)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (int n = 0; n < KINDS; n++) check_diagonals(kernel, &kinds[n], 188);
        for (int cols = 1; cols < 40; cols++) check_diagonals(kernel, &kinds[0], cols);
    }
}

TEST(every_kernel_measures_cells_with_and_without_a_path)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (int n = 0; n < KINDS; n++) {
            check_cells(kernel, &kinds[n], false, 188);
            check_cells(kernel, &kinds[n], true, 188);
        }
        for (int cols = 1; cols < 40; cols++) check_cells(kernel, &kinds[0], true, cols);
    }
}

TEST(every_kernel_finds_the_same_minima)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (uint32_t seed = 0; seed < 200; seed++) {
            check_minima(kernel, seed, INFINITY, 1 + (int)seed);
            check_minima(kernel, seed, 3, 188);
        }
    }
}

/* ---- alignments ------------------------------------------------------------------------------ */

/* Bounds are not above what is bounded, and not much below it. */
static void check_bounds(const mry_kernel *kernel, const kind *of, int rows)
{
    OWNED(ground) g = make_ground(kernel);
    FREED float *sums = aligned(ROWS * WIDE);
    float size_a[ROWS], size_b[MOST], radii[MOST], *first = sums + WIDE + SIDE;
    fill(g.memory, 3 * ROWS * WIDE, 14, of);
    fill(size_a, ROWS, 15, &(kind){ "", 50 * of->size, 1 });
    fill(size_b, MOST, 16, &(kind){ "", 50 * of->size, 1 });
    fill(radii, MOST, 17, &(kind){ "", sqrt(of->size), 1 });
    fill(sums, ROWS * WIDE, 18, of);
    for (int j = 0; j < MOST; j++) radii[j] = fabsf(radii[j]);
    mry_bounds_def def = { .size_a = size_a,
                           .size_b = size_b,
                           .keep = 0.75f,
                           .radii = radii,
                           .costs = g.cells,
                           .before = rows ? first - WIDE : NULL,
                           .sums = first,
                           .stride = WIDE,
                           .rows = rows };
    kernel->bounds(&def, g.planes);
    for (int r = 0; r < kernel->mr; r++) {
        for (int j = 0; j < kernel->nr; j++) {
            size_t at = (size_t)r * WIDE + (size_t)j;
            double b = (double)g.planes.b[at], c = (double)g.planes.c[at];
            double length = sqrt(b * b + c * c), y = (double)g.planes.y[at];
            double a = (double)size_a[r], square = a + 0.75 * (double)size_b[j] - 2 * (y + length);
            double size = fabs(a) + fabs((double)size_b[j]) + 2 * (fabs(y) + length);
            double root = fmax(sqrt(fmax(square, 0)) - (double)radii[j], 0);
            double cost = (double)g.cells[at];
            assert_true(cost <= root * root + 1e-6 * size + 1e-35);
            assert_true(cost >= root * root - 3e-4 * size - 1e-28);
            if (r >= rows) continue;
            const float *before = first + at - WIDE;
            assert_true(first[at] == g.cells[at] + fminf(before[-1], before[0]));
        }
    }
}

static void check_guess(const mry_kernel *kernel, int blocks)
{
    enum { CODES = 4, PART = 3 * CODES, MOST_BLOCKS = 24, STRIDE = MOST_BLOCKS + 4 };
    static _Alignas(64) float panels[4 * CODES * (4 * MOST_BLOCKS + MOST)];
    _Alignas(64) float sizes[4 * MOST_BLOCKS + MOST];
    float numbers[PART * STRIDE], steps[STRIDE], off[STRIDE], shares[20], middle[8], outer[8];
    fill(numbers, PART * STRIDE, 21, &kinds[0]);
    fill(steps, STRIDE, 22, &(kind){ "", 3, 1 });
    fill(off, STRIDE, 23, &(kind){ "", 1, 1 });
    fill(shares, 20, 24, &(kind){ "", 1, 1 });
    fill(middle, 8, 25, &(kind){ "", 1, 1 });
    fill(outer, 8, 26, &(kind){ "", 1, 1 });
    mry_guess_def def = { CODES,  blocks, numbers, STRIDE, steps, shares,
                          middle, outer,  off,     panels, sizes };
    kernel->guess(&def);
    for (int j = 0; j < 4 * blocks; j++) {
        const float *panel = panels + (size_t)(j / kernel->nr) * 4 * CODES * (size_t)kernel->nr;
        const float *step = steps + j / 4;
        double size = 0, left = -(double)off[j / 4], x = 0;
        panel += j % kernel->nr;
        for (int n = 0; n < PART; n++) {
            double sum = 0, square = 0;
            for (int t = 0; t < 5; t++) {
                double one = (double)numbers[n * STRIDE + j / 4 + t];
                sum += (double)shares[4 * t + j % 4] * one;
                square += (double)shares[4 * t + j % 4] * one * one;
            }
            if (n == PART - 1) left += square;
            if (n == PART - 1) break;
            test_near((double)panel[(n < 2 * CODES ? n : n + CODES) * kernel->nr], sum, 1e-4);
            size += sum * sum;
            if (n == 0) x = sum;
            if (n == CODES) test_near((double)panel[2 * CODES * kernel->nr], x - sum, 1e-4);
        }
        for (int t = 0; t < 2; t++) {
            double far = (double)step[t] + (double)step[t + 1] + (double)step[t + 2];
            left -= (double)middle[4 * t + j % 4] * (double)step[t + 1] * (double)step[t + 1];
            left -= (double)outer[4 * t + j % 4] * far * far;
        }
        left = fmax(left, 0);
        float root = panel[(4 * CODES - 1) * kernel->nr];
        test_near((double)root * (double)root, left, 1e-2);
        test_near((double)sizes[j], size + left, 1e-2);
    }
}

static void check_any(const mry_kernel *kernel)
{
    float row[MOST];
    for (int at = -1; at < MOST; at++) {
        for (int j = 0; j < MOST; j++) row[j] = j == at ? 2 : j % 3 ? INFINITY : 3;
        assert_int_equal(kernel->any(row, MOST, 2), at >= 0);
    }
}

static void check_back(const mry_kernel *kernel, int reach, int cols)
{
    enum { ROOM = MOST + 48 };
    float sums[ROOM], costs[ROOM], behind[ROOM], through[ROOM], room[ROOM], was[2][ROOM];
    uint32_t state = 5 + (uint32_t)(cols + reach);
    mry_back_def def = { sums, costs, behind, through, room, reach };
    for (int j = 0; j < ROOM; j++) {
        sums[j] = fabsf(pick(&state, &kinds[0]));
        costs[j] = j < cols ? fabsf(pick(&state, &kinds[0])) : INFINITY;
        was[0][j] = behind[j] = fabsf(pick(&state, &kinds[0]));
        was[1][j] = through[j] = fabsf(pick(&state, &kinds[0]));
        room[j] = INFINITY;
    }
    kernel->back(&def, cols);
    for (int j = 0; j < cols; j++) {
        float least = INFINITY;
        for (int d = 0; d <= reach; d++) least = fminf(least, costs[j + d] + was[0][j + d]);
        assert_true(behind[j] == least && through[j] == fminf(was[1][j], sums[j] + was[0][j]));
    }
}

static void check_warp(const mry_kernel *kernel, int most, int stays, int cols, bool starts)
{
    enum { ROOM = MOST + 48, FRONT = 16 };
    float c[ROOM], sums[4 * ROOM], before[ROOM], best[ROOM], right[4 * ROOM];
    int32_t from[4 * ROOM], before_from[ROOM], best_from[ROOM], right_from[4 * ROOM];
    uint32_t state = 11 + (uint32_t)(cols + stays);
    mry_warp_def def = { sums,
                         ROOM,
                         most,
                         stays,
                         before + FRONT,
                         best + FRONT,
                         starts ? from : NULL,
                         best_from + FRONT,
                         before_from + FRONT };
    for (int j = 0; j < ROOM; j++) {
        c[j] = fabsf(pick(&state, &kinds[0]));
        before[j] = j < FRONT || j % 11 == 0 ? INFINITY : fabsf(pick(&state, &kinds[0]));
        if (j % 7 == 3) before[j] = before[j - 1]; /* equal ones */
        before_from[j] = j;
        for (int z = 0; z < 4; z++) {
            sums[z * ROOM + j] = fabsf(pick(&state, &kinds[0]));
            from[z * ROOM + j] = 1000 * (z + 1) + j;
        }
    }
    memcpy(right, sums, sizeof right);
    memcpy(right_from, from, sizeof right_from);
    kernel->warp(c, &def, cols);
    for (int j = 0; j < cols; j++) {
        float least = INFINITY;
        int32_t start = before_from[FRONT + j - 1];
        for (int d = 1; d <= most; d++) {
            if (before[FRONT + j - d] < least) start = before_from[FRONT + j - d];
            least = fminf(least, before[FRONT + j - d]);
        }
        least += c[j];
        assert_true(sums[j] == least || (isinf(sums[j]) && isinf(least)));
        if (starts) assert_int_equal(from[j], start);
        for (int z = 1; z <= stays; z++) {
            assert_true(sums[z * ROOM + j] == right[(z - 1) * ROOM + j] + c[j]);
            if (sums[z * ROOM + j] < least) start = right_from[(z - 1) * ROOM + j];
            least = fminf(least, sums[z * ROOM + j]);
        }
        assert_true(best[FRONT + j] == least);
        if (starts) assert_int_equal(best_from[FRONT + j], start);
    }
}

TEST(every_kernel_goes_on_with_alignments_alike)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (int n = 0; n < KINDS; n++) check_bounds(kernel, &kinds[n], n % 2 ? 0 : kernel->mr - n);
        for (int blocks = 1; blocks <= 24; blocks++) check_guess(kernel, blocks);
        check_any(kernel);
        for (int cols = 1; cols <= MOST; cols++) {
            for (int stays = 0; stays <= 3; stays++) {
                int most = stays > 0 ? stays + 1 : 4;
                check_back(kernel, most, cols);
                check_warp(kernel, most, stays, cols, false);
                check_warp(kernel, most, stays, cols, true);
            }
        }
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

enum { WAYS_SLOPE = 4, WAYS_COLS = 40, WAYS_FRONT = 8, WAYS_ROOM = WAYS_FRONT + WAYS_COLS + 16 };

typedef struct ways_row { /* a state in every plane, by columns from WAYS_FRONT on */
    double sums[(WAYS_SLOPE + 1) * WAYS_ROOM];
    int64_t tags[(WAYS_SLOPE + 1) * WAYS_ROOM];
} ways_row;

/* One state of a cell from that of the cell before it. */
static bool go_on(const ways_row *from, int plane, int col, float cost, int64_t oldest, bool tagged,
                  double *sum, int64_t *tag)
{
    int at = plane * WAYS_ROOM + WAYS_FRONT + col;
    *sum = from->sums[at] + (double)cost;
    *tag = from->tags[at] + 1;
    if (tagged && from->tags[at] < oldest) *sum = INFINITY;
    return *sum < INFINITY;
}

/* Cell by cell and state by state, from the neighbours, against a row at once. Costs are small whole
   numbers, so that many sums are equal. */
static void check_ways(const mry_kernel *kernel, int slope, int cols, bool tagged)
{
    static ways_row before, after;
    float costs[WAYS_ROOM];
    double least[WAYS_ROOM], was_least[WAYS_ROOM];
    int64_t oldest[WAYS_ROOM], least_at[WAYS_ROOM];
    uint8_t states[WAYS_ROOM];
    uint32_t seed = (uint32_t)(77 + 5 * slope + 3 * cols + tagged);
    for (int i = 0; i < WAYS_ROOM; i++) {
        bool in = i >= WAYS_FRONT && i < WAYS_FRONT + cols;
        costs[i] = in && i % 7 ? floorf(fabsf(pick(&seed, &(kind){ "", 4, 1 }))) : INFINITY;
        oldest[i] = i < WAYS_FRONT + cols / 2 ? 100 : 300;
        was_least[i] = least[i] = i % 3 ? 3 : INFINITY;
        least_at[i] = -1;
        for (int k = 0; k <= slope; k++) {
            double sum = floor((double)fabsf(pick(&seed, &(kind){ "", 5, 1 })));
            before.sums[k * WAYS_ROOM + i] = in && (i + k) % 5 ? sum : INFINITY;
            before.tags[k * WAYS_ROOM + i] = 90 + 30 * ((i * 7 + k) % 9);
            after.sums[k * WAYS_ROOM + i] = INFINITY;
            after.tags[k * WAYS_ROOM + i] = 0;
        }
    }
    int first = cols > 2 ? 2 : 0;
    mry_way_start starts[] = { { first, 1.5, 12345 } };
    costs[WAYS_FRONT + first] = INFINITY;
    mry_ways_def def = { .slope = slope,
                         .stride = WAYS_ROOM,
                         .costs = costs + WAYS_FRONT,
                         .before = before.sums + WAYS_FRONT,
                         .sums = after.sums + WAYS_FRONT,
                         .tags_before = tagged ? before.tags + WAYS_FRONT : NULL,
                         .tags = tagged ? after.tags + WAYS_FRONT : NULL,
                         .oldest = tagged ? oldest + WAYS_FRONT : NULL,
                         .starts = starts,
                         .start_count = 1,
                         .least = cols % 2 ? least + WAYS_FRONT : NULL,
                         .least_at = least_at + WAYS_FRONT,
                         .row = 9,
                         .states = states + WAYS_FRONT };
    kernel->ways(&def, cols);
    ways_row across = { 0 }; /* plane k: k steps across; 0: S */
    for (int i = 0; i < (WAYS_SLOPE + 1) * WAYS_ROOM; i++) across.sums[i] = INFINITY;
    for (int j = 0; j < cols; j++) {
        int at = WAYS_FRONT + j, state = 0;
        float cost = costs[at];
        double best, sum;
        int64_t best_tag, tag;
        go_on(&before, 0, j - 1, cost, oldest[at], tagged, &best, &best_tag);
        if (j == first) {
            best = starts[0].sum;
            best_tag = starts[0].tag;
        }
        across.sums[at] = best;
        across.tags[at] = best_tag;
        if (best < INFINITY) assert_true(after.sums[WAYS_ROOM + at] == best);
        for (int k = slope; k >= 1; k--) {
            if (go_on(&across, k - 1, j - 1, cost, oldest[at], tagged, &sum, &tag)) {
                across.sums[k * WAYS_ROOM + at] = sum;
                across.tags[k * WAYS_ROOM + at] = tag;
                if (sum < best) best = sum, best_tag = tag, state = k;
            }
            bool goes = go_on(&before, k, j, cost, oldest[at], tagged, &sum, &tag);
            if (k < slope) assert_true(after.sums[(k + 1) * WAYS_ROOM + at] == sum);
            if (k < slope && goes && tagged)
                assert_int_equal(after.tags[(k + 1) * WAYS_ROOM + at], tag);
            if (goes && sum < best) best = sum, best_tag = tag, state = slope + k;
        }
        assert_true(after.sums[at] == best);
        bool less = cols % 2 && best < was_least[at];
        assert_true(least[at] == (less ? best : was_least[at]) && least_at[at] == (less ? 9 : -1));
        if (!(best < INFINITY)) continue;
        assert_int_equal(states[at], state);
        if (tagged) assert_int_equal(after.tags[at], best_tag);
    }
}

TEST(every_kernel_finds_the_same_ways_as_a_step_at_a_time)
{
    const mry_kernel *kernel;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (int cols = 1; cols <= WAYS_COLS; cols++) {
            for (int slope = 1; slope <= WAYS_SLOPE; slope++) {
                check_ways(kernel, slope, cols, false);
                check_ways(kernel, slope, cols, true);
            }
        }
    }
}

TEST(every_kernel_knows_which_of_64_cells_are_below_a_limit)
{
    _Alignas(64) float cells[64];
    const mry_kernel *kernel;
    uint32_t seed = 3;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        for (int turn = 0; turn < 20; turn++) {
            uint64_t expected = 0;
            for (int j = 0; j < 64; j++) {
                cells[j] = floorf(pick(&seed, &(kind){ "", 4, 1 }));
                if ((j + turn) % 9 == 0) cells[j] = INFINITY;
                if (cells[j] < 1) expected |= UINT64_C(1) << j;
            }
            assert_true(kernel->below(cells, 1) == expected);
        }
    }
}

/* ---- rounded rows ---------------------------------------------------------------------------- */

TEST(every_kernel_unpacks_rounded_rows)
{
    enum { POINTS = 5, BOTH = 2 * POINTS, ROOM = MRY_KERNEL_MOST_NR };
    static _Alignas(64) float panel[4 * BOTH * ROOM];
    int16_t places[3 * POINTS * ROOM];
    int8_t speeds[3 * POINTS * ROOM];
    uint8_t roots[POINTS * ROOM];
    float units[ROOM], sizes[ROOM], widths[ROOM],
        weights[POINTS] = { 0.5f, 0, 0.25f, 0.125f, 0.125f };
    const mry_kernel *kernel;
    uint32_t seed = 17;
    for (int i = 0; (kernel = mry_kernel_find(i)); i++) {
        int nr = kernel->nr;
        mry_unpack_def def = { POINTS, places, speeds, units, weights, 0.25f, 0.125f, 1e30f };
        mry_widths_def wide = { POINTS, roots, units, weights, 0.25f };
        for (int n = 0; n < 3 * POINTS * nr; n++) {
            places[n] = (int16_t)(100 * pick(&seed, &kinds[0]));
            speeds[n] = (int8_t)(n * 37); /* all there are, of both signs */
        }
        for (int c = 0; c < nr; c++) units[c] = c % 5 == 4 ? 0 : 1 + 0.1f * (float)c;
        kernel->unpack(&def, panel, sizes);
        for (int c = 0; c < nr; c++) {
            double size = 0, mean[3] = { 0 };
            for (int p = 0; p < BOTH; p++) {
                double at[3], unit = (double)units[c] * (p < POINTS ? 0.25 : 0.125);
                for (int a = 0; a < 3; a++) {
                    int root = p < POINTS ? 0 : speeds[(3 * (p - POINTS) + a) * nr + c];
                    at[a] = unit * (p < POINTS ? places[(3 * p + a) * nr + c] : root * abs(root));
                    size += (double)weights[p % POINTS] * at[a] * at[a];
                    if (p < POINTS) mean[a] += (double)weights[p] * at[a];
                }
                const double right[4] = { at[0], at[1], at[0] - at[1], at[2] };
                for (int a = 0; a < 4; a++)
                    test_near((double)panel[(a * BOTH + p) * nr + c], right[a], 1e-3);
            }
            for (int a = 0; a < 3; a++) size -= mean[a] * mean[a];
            test_near((double)sizes[c], units[c] > 0 ? size : 1e30, 1e-5 * size + 1e25);
            if (units[c] > 0) test_near((double)sizes[c], size, 1e-5 * size + 1e-3);
        }
        for (int n = 0; n < POINTS * nr; n++) roots[n] = (uint8_t)(n * 37 % 255);
        roots[0] = 255;          /* a weight that is there */
        roots[1 * nr + 1] = 255; /* one that is not */
        kernel->widths(&wide, widths);
        assert_true((double)widths[0] > 1e14);
        for (int c = 1; c < nr; c++) {
            double sum = 0;
            for (int p = 0; p < POINTS; p++)
                sum += (double)weights[p] * pow(0.25 * roots[p * nr + c] * roots[p * nr + c], 2);
            test_near((double)widths[c], (double)units[c] * sqrt(sum), 1e-5 * sqrt(sum) * 64);
        }
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

enum { TURNS = 2000 };

static void time_kernel(const mry_kernel *kernel)
{
    static sides s;
    OWNED(ground) g = make_ground(kernel);
    uint64_t across[WIDE / 64], down[WIDE / 64];
    mry_cells_def def = { s.size_a, s.size_b, s.path_a[0], s.path_b[0], ROWS, WIDE };
    double cells = (double)kernel->mr * 188, start = now_ns();
    fill(g.a, 4 * K * (size_t)kernel->mr, 1, &kinds[0]);
    for (int i = 0; i < TURNS; i++) kernel->tile(g.a, g.b, K, g.planes);
    double tile = (now_ns() - start) / TURNS / (kernel->mr * kernel->nr);
    start = now_ns();
    for (int i = 0; i < TURNS; i++) {
        memset(g.memory, 0,
               3 * ROWS * WIDE * sizeof *g.memory); /* or they would grow without end */
        kernel->diagonals(g.planes, 188);
    }
    double sums = (now_ns() - start) / TURNS / cells;
    start = now_ns();
    for (int i = 0; i < TURNS; i++) kernel->cells(&def, g.planes, 188, g.cells, WIDE);
    double measured = (now_ns() - start) / TURNS / cells;
    start = now_ns();
    for (int i = 0; i < TURNS; i++) {
        kernel->minima(g.cells + MOST, g.cells + WIDE + MOST, g.cells + 2 * WIDE + MOST, 188,
                       INFINITY, across, down);
    }
    double minima = (now_ns() - start) / TURNS / 188;
    printf("%-8s ns a cell: products %6.2f, diagonals %5.2f, distances %5.2f, minima %5.2f\n",
           kernel->name, tile, sums, measured, minima);
}

TEST_GROUP(test_kernel)
{
    const mry_kernel *kernel;
    if (test_has_argument("--time"))
        for (int i = 0; (kernel = mry_kernel_find(i)); i++) time_kernel(kernel);
    return test_cases_run("test_kernel", __FILE__, NULL, NULL);
}
