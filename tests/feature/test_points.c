/* test_points.c - the grid of point clouds against the papers' formulas in double, its minima
   against a search through the whole grid, and the minima under a bound against all minima. */
#include "support.h"

#include "feature/low.h"
#include "grid/points_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 9 };

typedef struct made {
    mry_arena mem;
    mry_points_def def;
    mry_points points;
    mry_low low;
    double *places;
    double frame_weights[MAREY_MOST_WINDOW];
} made;

static const double weights[JOINTS] = { 0.2, 0.1, 0.05, 0.05, 0.1, 0.2, 0.1, 0.15, 0.05 };
static const double heights[JOINTS] = { 90, 80, 10, 10, 120, 140, 100, 90, 5 };

static double chance(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

/* Something that swings, wanders and trembles a little, away_cm from the origin. */
static double *make_places(int rows, uint32_t seed, double away_cm)
{
    double *places = malloc(sizeof *places * (size_t)rows * JOINTS * 3);
    assert_non_null(places);
    for (int c = 0; c < 3 * JOINTS; c++) {
        double base = 80 * chance(&seed), size = 60 * chance(&seed),
               rate = 0.05 + 0.1 * chance(&seed);
        for (int i = 0; i < rows; i++) {
            places[(size_t)i * JOINTS * 3 + (size_t)c] = base + size * sin(rate * i + c) +
                                                         (c % 3 == 1 ? 90 : 1.7 * i + away_cm) +
                                                         0.05 * chance(&seed);
        }
    }
    return places;
}

static void make(made *m, marey_ctx *ctx, int rows, uint32_t seed, double away_cm, int window,
                 bool tapered)
{
    double sum = 0;
    *m = (made){ .mem = mry_arena_make(ctx), .places = make_places(rows, seed, away_cm) };
    for (int s = 0; s < window; s++) {
        m->frame_weights[s] = tapered ? 1 + fmin(s, window - 1 - s) : 1;
        sum += m->frame_weights[s];
    }
    for (int s = 0; s < window; s++) m->frame_weights[s] /= sum;
    m->def = (mry_points_def){ .rows = rows,
                               .joints = JOINTS,
                               .positions = m->places,
                               .weights = weights,
                               .height_cm = heights,
                               .window = window,
                               .frame_weights = m->frame_weights };
    assert_true(mry_points_build(&m->mem, &m->def, &m->points));
    assert_int_equal(m->points.fused, window == 5 && !tapered);
}

static void drop(made *m)
{
    mry_arena_free(&m->mem);
    free(m->places);
}

/* ---- the formulas ---------------------------------------------------------------------------- */

static const double *frame_of(const mry_points_def *def, int i)
{
    int held = i < 0 ? 0 : i >= def->rows ? def->rows - 1 : i;
    return def->positions + (size_t)held * JOINTS * 3;
}

/* The weighted mean of x and z over the window of row i, summed about one of its points: far from
   the origin that keeps the digits. */
static void find_mean(const mry_points_def *of, int i, double *mean)
{
    const double *origin = frame_of(of, i);
    mean[0] = mean[1] = 0;
    for (int f = 0; f < of->window; f++) {
        const double *p = frame_of(of, i - (of->window - 1) / 2 + f);
        for (int k = 0; k < JOINTS; k++) {
            mean[0] += of->frame_weights[f] * weights[k] * (p[3 * k] - origin[0]);
            mean[1] += of->frame_weights[f] * weights[k] * (p[3 * k + 2] - origin[2]);
        }
    }
    mean[0] += origin[0];
    mean[1] += origin[2];
}

/* Kovar & Gleicher's eq. 1-4 about the means. Passes: the angle's tangent, then the distance. *size
   is the S + S' that errors are measured by. */
static double formula(const mry_points_def *a, int i, const mry_points_def *b, int j, double *size)
{
    double m[2], n[2], top = 0, low = 0, d = 0;
    int half = (a->window - 1) / 2;
    find_mean(a, i, m);
    find_mean(b, j, n);
    *size = 0;
    for (int pass = 0; pass < 2; pass++) {
        double c = cos(atan2(top, low)), s = sin(atan2(top, low));
        for (int f = 0; f < a->window; f++) {
            const double *p = frame_of(a, i - half + f), *q = frame_of(b, j - half + f);
            for (int k = 0; k < JOINTS; k++, p += 3, q += 3) {
                double w = a->frame_weights[f] * weights[k];
                double x = p[0] - m[0], z = p[2] - m[1], u = q[0] - n[0], v = q[2] - n[1];
                double y = p[1] - heights[k], h = q[1] - heights[k];
                double dx = x - (u * c + v * s), dz = z - (-u * s + v * c);
                if (pass == 0) {
                    top += w * (x * v - u * z);
                    low += w * (x * u + z * v);
                } else {
                    d += w * (dx * dx + (y - h) * (y - h) + dz * dz);
                    *size += w * (x * x + z * z + u * u + v * v + y * y + h * h);
                }
            }
        }
    }
    return d;
}

static float *whole_grid(marey_ctx *ctx, const made *a, const made *b)
{
    float *cells = malloc(sizeof *cells * (size_t)a->def.rows * (size_t)b->def.rows);
    assert_non_null(cells);
    test_ok(mry_points_grid(ctx, &a->points, &b->points, cells, (size_t)b->def.rows, NULL));
    return cells;
}

static void assert_near_formula(marey_ctx *ctx, const made *a, const made *b, int step)
{
    FREED float *cells = whole_grid(ctx, a, b);
    for (int i = 0; i < a->def.rows; i += i < 8 ? 1 : step) {
        for (int j = 0; j < b->def.rows; j += j < 8 ? 1 : step) {
            double size, d = formula(&a->def, i, &b->def, j, &size);
            double off = fabs((double)cells[(size_t)i * (size_t)b->def.rows + (size_t)j] - d);
            if (off > 1e-6 * size) fail_msg("cell %d, %d: off by %g of %g", i, j, off, size);
        }
    }
}

TEST_OF(marey_ctx *ctx, cells_are_what_the_formulas_say_also_a_kilometre_away)
{
    static const struct {
        int rows, cols, window;
        bool tapered;
    } cases[] = { { 200, 400, 5, false }, { 61, 59, 5, true }, { 70, 200, 1, false },
                  { 50, 60, 8, false },   { 40, 50, 9, true }, { 3, 4, 5, false },
                  { 1, 1, 5, false },     { 1, 9, 31, true } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int far = 0; far < 2; far++) {
            made a, b;
            make(&a, ctx, cases[c].rows, 1, far ? 1e5 : 0, cases[c].window, cases[c].tapered);
            make(&b, ctx, cases[c].cols, 2, far ? -3e4 : 0, cases[c].window, cases[c].tapered);
            assert_near_formula(ctx, &a, &b, 7);
            drop(&b);
            drop(&a);
        }
    }
}

/* ---- minima ---------------------------------------------------------------------------------- */

typedef struct list {
    marey_minimum *items;
    int count, room;
} list;

static void collect(void *user, const marey_minimum *items, int count)
{
    list *to = user;
    if (to->count + count > to->room) {
        to->room = 2 * (to->count + count);
        to->items = realloc(to->items, (size_t)to->room * sizeof *to->items);
        assert_non_null(to->items);
    }
    memcpy(to->items + to->count, items, (size_t)count * sizeof *items);
    to->count += count;
}

static float at(const float *cells, int rows, int cols, int i, int j)
{
    return i < 0 || j < 0 || i >= rows || j >= cols ? INFINITY
                                                    : cells[(size_t)i * (size_t)cols + (size_t)j];
}

static list search(const float *cells, int rows, int cols, float below)
{
    list found = { 0 };
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            float d = at(cells, rows, cols, i, j);
            bool across =
                d < at(cells, rows, cols, i, j - 1) && d < at(cells, rows, cols, i, j + 1);
            bool down = d < at(cells, rows, cols, i - 1, j) && d < at(cells, rows, cols, i + 1, j);
            marey_minimum one = {
                i, j, d, (across ? MAREY_LEAST_IN_ROW : 0) | (down ? MAREY_LEAST_IN_COLUMN : 0)
            };
            if (one.least && d < below) collect(&found, &one, 1);
        }
    }
    return found;
}

static void add_low(made *m, const mry_basis *basis)
{
    assert_true(
        mry_low_build(&m->mem, &m->points, basis, 0, m->points.rows, MRY_LOW_ROWS, &m->low));
    m->points.low = &m->low;
}

static mry_basis make_basis(made *m)
{
    enum { SAMPLES = 40 };
    int rows[SAMPLES], dims = mry_points_sample(&m->mem, &m->def, NULL, 0, NULL);
    mry_basis basis;
    double *clouds = MRY_NEW(&m->mem, double, (size_t)SAMPLES * 3 * (size_t)dims);
    assert_non_null(clouds);
    for (int i = 0; i < SAMPLES; i++) rows[i] = i * m->def.rows / SAMPLES;
    assert_int_equal(mry_points_sample(&m->mem, &m->def, rows, SAMPLES, clouds), dims);
    assert_true(mry_basis_build(&m->mem, clouds, SAMPLES, dims, &basis));
    return basis;
}

static void check_minima(int threads, int rows, int cols)
{
    static const float bounds[] = { INFINITY, 3000, 1200, 500, 100, 1e-3f };
    OWNED(marey_ctx) *ctx = NULL;
    made a, b;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx));
    make(&a, ctx, rows, 3, 0, 5, false);
    make(&b, ctx, cols, 4, 500, 5, false);
    mry_basis basis = make_basis(&b);
    float *cells = whole_grid(ctx, &a, &b);
    add_low(&a, &basis);
    add_low(&b, &basis);
    for (size_t n = 0; n < sizeof bounds / sizeof *bounds; n++) {
        list found = { 0 }, expected = search(cells, rows, cols, bounds[n]);
        marey_minima_def def = { .below = isinf(bounds[n]) ? 0 : bounds[n],
                                 .found = collect,
                                 .user = &found };
        test_ok(mry_points_minima(ctx, &a.points, &b.points, &def, NULL));
        assert_int_equal(found.count, expected.count);
        for (int i = 0; i < found.count; i++) {
            assert_int_equal(found.items[i].row, expected.items[i].row);
            assert_int_equal(found.items[i].col, expected.items[i].col);
            assert_int_equal(found.items[i].least, expected.items[i].least);
            assert_memory_equal(&found.items[i].value, &expected.items[i].value, sizeof(float));
        }
        free(found.items);
        free(expected.items);
    }
    free(cells);
    drop(&b);
    drop(&a);
}

/* Around the sizes of panels, strips and blocks. */
TEST(minima_under_any_bound_are_those_of_the_whole_grid)
{
    static const int sizes[][2] = { { 1, 1 },     { 1, 400 },   { 400, 1 },   { 2, 3 },
                                    { 7, 188 },   { 8, 189 },   { 9, 187 },   { 16, 376 },
                                    { 17, 377 },  { 100, 191 }, { 513, 190 }, { 514, 193 },
                                    { 1030, 40 }, { 300, 600 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int threads = 1; threads <= 3; threads++)
            check_minima(threads, sizes[i][0], sizes[i][1]);
    }
}

/* Clouds that rise 15 cm a row, against one that stays at the height of row 30, the first of its
   block: only that row is near enough, and the middle of its block is not. */
TEST(a_bound_reaches_from_the_middle_of_a_block_to_its_ends)
{
    enum { ROWS = 60, HIT = 30 };
    static const int rows[2] = { ROWS, 1 };
    const float below = 460; /* the window alone makes 450 of it, one row beside it 675 */
    marey_ctx *ctx = *state;
    made m[2];
    for (int n = 0; n < 2; n++) {
        make(&m[n], ctx, rows[n], 7, 0, 5, false);
        for (int i = 0; i < rows[n] * JOINTS; i++) {
            for (int c = 0; c < 3; c++) m[n].places[3 * i + c] = 10.0 * (i % JOINTS) * (c + 1);
            m[n].places[3 * i + 1] += 15.0 * (n ? HIT : i / JOINTS);
        }
        assert_true(mry_points_build(&m[n].mem, &m[n].def, &m[n].points));
    }
    mry_basis basis = make_basis(&m[0]);
    list found = { 0 };
    add_low(&m[0], &basis);
    add_low(&m[1], &basis);
    marey_minima_def def = { .below = below, .found = collect, .user = &found };
    test_ok(mry_points_minima(ctx, &m[0].points, &m[1].points, &def, NULL));
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].row, HIT);
    free(found.items);
    drop(&m[1]);
    drop(&m[0]);
}

/* ---- the bound ------------------------------------------------------------------------------- */

TEST_OF(marey_ctx *ctx, bounds_never_rise_above_a_distance)
{
    made a, b;
    make(&a, ctx, 90, 5, 0, 5, false);
    make(&b, ctx, 120, 6, 0, 5, false);
    mry_basis basis = make_basis(&a);
    double plane[2][2 * MRY_BASIS_RANK], up[2][MRY_BASIS_RANK], rest[2][2];
    double *x = malloc(sizeof *x * 6 * 5 * JOINTS);
    for (int i = 0; i < 90; i += 3) {
        for (int j = 0; j < 120; j += 5) {
            double size[2] = { 0, 0 }, dot = 0, re = 0, im = 0, ignored;
            for (int n = 0; n < 2; n++) {
                int dims =
                    mry_points_cloud(n ? &b.points : &a.points, n ? j : i, x, x + 45, x + 90);
                for (int q = 0; q < dims; q++)
                    size[n] += x[q] * x[q] + x[45 + q] * x[45 + q] + x[90 + q] * x[90 + q];
                mry_basis_project(&basis, x, x + 45, x + 90, plane[n], up[n], &rest[n][0],
                                  &rest[n][1]);
            }
            for (int q = 0; q < MRY_BASIS_RANK; q++) {
                dot += up[0][q] * up[1][q];
                re += plane[0][2 * q] * plane[1][2 * q] + plane[0][2 * q + 1] * plane[1][2 * q + 1];
                im += plane[0][2 * q] * plane[1][2 * q + 1] - plane[0][2 * q + 1] * plane[1][2 * q];
            }
            double bound = size[0] + size[1] - 2 * (dot + rest[0][1] * rest[1][1]) -
                           2 * (sqrt(re * re + im * im) + rest[0][0] * rest[1][0]);
            assert_true(bound <= formula(&a.def, i, &b.def, j, &ignored) + 1e-9);
        }
    }
    free(x);
    drop(&b);
    drop(&a);
}

static int open_ctx(void **state)
{
    return (int)marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, (marey_ctx **)state);
}

static int close_ctx(void **state)
{
    marey_ctx_close(*state);
    return 0;
}

TEST_GROUP_OF_CASES(test_points, open_ctx, close_ctx)
