/* bench_grid.c - the grid of point clouds with its minima, beside the plain form, beside a matrix
   product of the same machine, beside the same grid by matrix products; with threads; under a
   bound; in memory. What is compared takes turns in one run and the best of each counts, since the
   machine is shared. */
#include "bench.h"
#include "feature/feature_data.h"
#include "grid/points_grid.h"

#include <marey/marey.h>

#include <glob.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#ifdef MAREY_BLAS
#include <cblas.h>
#endif

enum { JOINTS = 31, FRAMES = 5000, PLAIN = 256, TURNS = 5, OPERATIONS = 310, SGEMM = 2048 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* ---- made clouds ----------------------------------------------------------------------------- */

/* Numbers that look like a body that goes somewhere; the same on every machine. */
static double wave(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static double *make_places(int frames, uint32_t seed)
{
    double *places = malloc(sizeof *places * (size_t)frames * JOINTS * 3);
    for (int c = 0; c < 3 * JOINTS; c++) {
        double base = 120 * wave(&seed), size = 40 * wave(&seed), phase = 6 * wave(&seed);
        double rate = 0.02 + 0.05 * fabs(wave(&seed));
        for (int i = 0; i < frames; i++) {
            places[(size_t)i * JOINTS * 3 + (size_t)c] = base + (c % 3 == 1 ? 90 : 0) +
                                                         size * sin(rate * i + phase) +
                                                         (c % 3 == 0 ? 1.3 * i : 0);
        }
    }
    return places;
}

static const double frame_weights[5] = { 0.2, 0.2, 0.2, 0.2, 0.2 };
static double weights[JOINTS], heights[JOINTS];

static void make_points(mry_arena *mem, int frames, uint32_t seed, mry_points_def *def,
                        mry_points *out)
{
    for (int k = 0; k < JOINTS; k++) {
        weights[k] = 1.0 / JOINTS;
        heights[k] = 90;
    }
    *def = (mry_points_def){ .rows = frames,
                             .joints = JOINTS,
                             .positions = make_places(frames, seed),
                             .weights = weights,
                             .height_cm = heights,
                             .window = 5,
                             .frame_weights = frame_weights };
    if (!mry_points_build(mem, def, out)) exit(1);
}

/* ---- the plain form -------------------------------------------------------------------------- */

/* Kovar & Gleicher's eq. 1-4 as they are written, in double. */
static double plain_cell(const double *p, const double *q, const double *w, int count)
{
    double xm = 0, zm = 0, xn = 0, zn = 0, top = 0, low = 0, d = 0;
    for (int i = 0; i < count; i++) {
        xm += w[i] * p[3 * i];
        zm += w[i] * p[3 * i + 2];
        xn += w[i] * q[3 * i];
        zn += w[i] * q[3 * i + 2];
    }
    for (int i = 0; i < count; i++) {
        top += w[i] * (p[3 * i] * q[3 * i + 2] - q[3 * i] * p[3 * i + 2]);
        low += w[i] * (p[3 * i] * q[3 * i] + p[3 * i + 2] * q[3 * i + 2]);
    }
    double angle = atan2(top - (xm * zn - xn * zm), low - (xm * xn + zm * zn));
    double c = cos(angle), s = sin(angle), x0 = xm - xn * c - zn * s, z0 = zm + xn * s - zn * c;
    for (int i = 0; i < count; i++) {
        double dx = p[3 * i] - (q[3 * i] * c + q[3 * i + 2] * s + x0),
               dy = p[3 * i + 1] - q[3 * i + 1];
        double dz = p[3 * i + 2] - (-q[3 * i] * s + q[3 * i + 2] * c + z0);
        d += w[i] * (dx * dx + dy * dy + dz * dz);
    }
    return d;
}

static double sink;

/* Seconds a cell, from a square of the grid. */
static double time_plain(const mry_points_def *a, const mry_points_def *b)
{
    double w[5 * JOINTS];
    for (int i = 0; i < 5 * JOINTS; i++) w[i] = 1.0 / (5 * JOINTS);
    double start = now_s();
    for (int i = 0; i < PLAIN; i++) {
        for (int j = 0; j < PLAIN; j++) {
            sink += plain_cell(a->positions + (size_t)i * JOINTS * 3,
                               b->positions + (size_t)j * JOINTS * 3, w, 5 * JOINTS);
        }
    }
    return (now_s() - start) / ((double)PLAIN * PLAIN);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static int64_t found;

static void count_minima(void *user, const marey_minimum *items, int count)
{
    (void)user;
    (void)items;
    found += count;
}

static double time_minima(marey_ctx *ctx, const mry_points *a, const mry_points *b, float below)
{
    marey_minima_def def = { .below = below, .found = count_minima };
    double start = now_s();
    found = 0;
    if (mry_points_minima(ctx, a, b, &def, NULL) != MAREY_OK) exit(1);
    return now_s() - start;
}

/* ---- matrix products ------------------------------------------------------------------------- */

#ifdef MAREY_BLAS
static double time_sgemm(int threads)
{
    static float *a, *b, *c;
    size_t count = (size_t)SGEMM * SGEMM;
    if (!a) {
        a = malloc(count * sizeof *a);
        b = malloc(count * sizeof *b);
        c = malloc(count * sizeof *c);
        for (size_t i = 0; i < count; i++) a[i] = b[i] = 0.001f * (float)(i % 97);
    }
    openblas_set_num_threads(threads);
    double start = now_s();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SGEMM, SGEMM, SGEMM, 1, a, SGEMM, b,
                SGEMM, 0, c, SGEMM);
    return now_s() - start;
}

enum { TILE = 128, HELD = TILE + 4, SIDE = 16, WIDE = SIDE + HELD + 44, CELLS = TILE + 32 };

/* Frames as rows of x, z (and -z, x: the imaginary part), y, for products of whole tiles. */
typedef struct rows {
    float *plane, *turned, *up; /* frames x 2 JOINTS, frames x 2 JOINTS, frames x JOINTS */
    const mry_points *points;
} rows;

static rows make_rows(const mry_points_def *def, const mry_points *points)
{
    int frames = def->rows + 4 + TILE;
    rows made = { calloc((size_t)frames * 2 * JOINTS, 4), calloc((size_t)frames * 2 * JOINTS, 4),
                  calloc((size_t)frames * JOINTS, 4), points };
    for (int f = 0; f < def->rows + 4; f++) {
        int at = f < 2 ? 0 : f - 2 >= def->rows ? def->rows - 1 : f - 2;
        const double *p = def->positions + (size_t)at * JOINTS * 3;
        double mx = 0, mz = 0, root = sqrt(1.0 / JOINTS / 5);
        for (int k = 0; k < JOINTS; k++) {
            mx += p[3 * k] / JOINTS;
            mz += p[3 * k + 2] / JOINTS;
        }
        for (int k = 0; k < JOINTS; k++) {
            float x = (float)(root * (p[3 * k] - mx)), z = (float)(root * (p[3 * k + 2] - mz));
            float *plane = made.plane + (size_t)f * 2 * JOINTS;
            float *turned = made.turned + (size_t)f * 2 * JOINTS;
            plane[k] = x;
            plane[JOINTS + k] = z;
            turned[k] = -z;
            turned[JOINTS + k] = x;
            made.up[(size_t)f * JOINTS + (size_t)k] = (float)(root * (p[3 * k + 1] - heights[k]));
        }
    }
    return made;
}

/* Sums along the diagonals, distances and minima of one tile by our own kernels, panel after panel:
   only the products are the matrix library's. */
static int64_t finish_tile(const rows *a, const rows *b, int i0, int j0, mry_planes planes,
                           float *cells)
{
    const mry_points *pa = a->points, *pb = b->points;
    const mry_kernel *kernel = pa->kernel;
    uint64_t across[TILE / 64], down[TILE / 64];
    int64_t count = 0;
    for (int i = 0; i + kernel->mr <= TILE; i += kernel->mr) {
        size_t at = (size_t)i * planes.stride;
        mry_planes panel = { planes.b + at, planes.c + at, planes.y + at, planes.stride };
        mry_cells_def def = { .size_a = pa->size + i0 + i,
                              .size_b = pb->size + j0,
                              .path_a = pa->path + i0 + i,
                              .path_b = pb->path + j0,
                              .path_a_stride = pa->path_stride,
                              .path_b_stride = pb->path_stride };
        kernel->diagonals(panel, TILE);
        kernel->cells(&def, panel, TILE, cells + (size_t)i * CELLS, CELLS);
    }
    for (int i = 1; i < TILE - 1; i++) {
        const float *d = cells + (size_t)i * CELLS;
        kernel->minima(d - CELLS, d, d + CELLS, TILE, INFINITY, across, down);
        for (int w = 0; w < TILE / 64; w++) count += __builtin_popcountll(across[w] | down[w]);
    }
    return count;
}

/* Three products a tile, then the rest at once while it is in the cache; seconds a cell. */
static double time_products(const rows *a, const rows *b, int frames)
{
    static float held[3][(HELD + 4) * WIDE] __attribute__((aligned(64)));
    static float cells[TILE * CELLS + 64] __attribute__((aligned(64)));
    float *re = held[0] + SIDE, *im = held[1] + SIDE, *up = held[2] + SIDE;
    int64_t count = 0;
    int tiles = frames / TILE;
    openblas_set_num_threads(1);
    double start = now_s();
    for (int ti = 0; ti < tiles; ti++) {
        for (int tj = 0; tj < tiles; tj++) {
            size_t i = (size_t)ti * TILE, j = (size_t)tj * TILE;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, HELD, HELD, 2 * JOINTS, 1,
                        a->plane + i * 2 * JOINTS, 2 * JOINTS, b->plane + j * 2 * JOINTS,
                        2 * JOINTS, 0, re, WIDE);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, HELD, HELD, 2 * JOINTS, 1,
                        a->turned + i * 2 * JOINTS, 2 * JOINTS, b->plane + j * 2 * JOINTS,
                        2 * JOINTS, 0, im, WIDE);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, HELD, HELD, JOINTS, 1,
                        a->up + i * JOINTS, JOINTS, b->up + j * JOINTS, JOINTS, 0, up, WIDE);
            count +=
                finish_tile(a, b, (int)i, (int)j, (mry_planes){ re, im, up, WIDE }, cells + 16);
        }
    }
    sink += (double)count;
    return (now_s() - start) / ((double)tiles * TILE * tiles * TILE);
}
#endif

/* ---- one grid -------------------------------------------------------------------------------- */

static void bench_one(marey_ctx *one, marey_ctx *two)
{
    mry_arena mem = mry_arena_make(one);
    mry_points_def da, db;
    mry_points a, b;
    make_points(&mem, FRAMES, 1, &da, &a);
    make_points(&mem, FRAMES, 2, &db, &b);
    double cells = (double)FRAMES * FRAMES, ours = INFINITY, both = INFINITY, plain = INFINITY;
    double ratio_two = 0;
#ifdef MAREY_BLAS
    rows ra = make_rows(&da, &a), rb = make_rows(&db, &b);
    double product = INFINITY, tiles = INFINITY;
#endif
    for (int turn = 0; turn < TURNS; turn++) {
        double alone = time_minima(one, &a, &b, 0), pair = time_minima(two, &a, &b, 0);
        ours = least(ours, alone);
        both = least(both, pair);
        plain = least(plain, time_plain(&da, &db));
#ifdef MAREY_BLAS
        product = least(product, time_sgemm(1));
        tiles = least(tiles, time_products(&ra, &rb, 1024));
#endif
    }
    ratio_two = ours / both;
    double rate = OPERATIONS * cells / ours;
    printf("points grid with minima, %d x %d, %d joints x 5 frames, kernel %s, %.2f ns a cell\n",
           FRAMES, FRAMES, JOINTS, a.kernel->name, 1e9 * ours / cells);
    bench_figure("  times as fast as eq. 1-4 in double", plain / (ours / cells), "x", 100, true);
#ifdef MAREY_BLAS
    double sgemm = 2.0 * SGEMM * SGEMM * SGEMM / product;
    printf("  SGEMM %d: %.1f GFLOP/s, the grid: %.1f\n", SGEMM, 1e-9 * sgemm, 1e-9 * rate);
#ifdef __aarch64__
    bench_figure("  its rate over SGEMM's", rate / sgemm, "", 0.70, true);
#else
    bench_figure("  its rate over SGEMM's", rate / sgemm, "", 0.50, true);
#endif
    bench_figure("  times as fast as three products a tile", tiles / (ours / cells), "x", 1.3,
                 true);
#else
    printf("  (no OpenBLAS: not compared with matrix products)\n");
    (void)rate;
#endif
    bench_figure("  two threads over one", ratio_two, "x", 1.85, true);
    mry_arena_free(&mem);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void bench_memory(void)
{
    enum { MANY = 20000 };
    marey_ctx *ctx;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &ctx) != MAREY_OK) exit(1);
    mry_arena mem = mry_arena_make(ctx);
    mry_points_def da, db;
    mry_points a, b;
    make_points(&mem, MANY, 3, &da, &a);
    make_points(&mem, MANY, 4, &db, &b);
    double seconds = time_minima(ctx, &a, &b, 0);
    size_t places = 2 * sizeof(double) * MANY * JOINTS * 3; /* held by the features beside */
    double asked = (3e3 * 2 * MANY + 64e6) / 1e6;
    printf("points grid, %d x %d, two threads: %.2f s, %lld minima\n", MANY, MANY, seconds,
           (long long)found);
    bench_figure("  most memory held", (double)(marey_ctx_bytes_peak(ctx) + places) / 1e6, "MB",
                 asked, false);
    mry_arena_free(&mem);
    marey_ctx_close(ctx);
}

/* ---- under a bound, on real motion ----------------------------------------------------------- */

enum { MOST_CLIPS = 128 };

typedef struct library {
    int count;
    marey_clip *clips[MOST_CLIPS];
    marey_features *features[MOST_CLIPS];
    marey_layout *layout;
} library;

static bool load(marey_ctx *ctx, library *all)
{
    char pattern[1024];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/cmu/*.bvh", bench_mocap_folder());
    if (glob(pattern, 0, NULL, &files) != 0) return false;
    for (size_t i = 0; i < files.gl_pathc && all->count < MOST_CLIPS; i++) {
        marey_clip *clip, *slow;
        if (marey_clip_load(ctx, files.gl_pathv[i], NULL, &clip, NULL) != MAREY_OK) continue;
        if (marey_clip_resample(clip, 60, &slow, NULL) != MAREY_OK) exit(1);
        all->clips[all->count++] = slow;
        marey_clip_free(clip);
    }
    globfree(&files);
    marey_metric_def def = { .bounded = true };
    if (marey_layout_build(ctx, (const marey_clip *const *)all->clips, all->count, &def,
                           &all->layout, NULL) != MAREY_OK) {
        exit(1);
    }
    for (int i = 0; i < all->count; i++) {
        if (marey_features_build(all->layout, all->clips[i], &all->features[i], NULL) != MAREY_OK) {
            exit(1);
        }
    }
    return true;
}

static void unload(library *all)
{
    for (int i = 0; i < all->count; i++) {
        marey_features_free(all->features[i]);
        marey_clip_free(all->clips[i]);
    }
    marey_layout_free(all->layout);
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* The distance that a share of all cells lies below, from cells picked evenly from all pairs of
   frames. */
static float find_share(const library *all, double share)
{
    enum { SAMPLES = 100000 };
    float *values = malloc(SAMPLES * sizeof *values);
    int64_t all_rows = 0;
    uint32_t state = 7;
    for (int i = 0; i < all->count; i++) all_rows += marey_features_rows(all->features[i]);
    for (int n = 0; n < SAMPLES; n++) {
        int clip[2] = { 0, 0 }, row[2];
        for (int side = 0; side < 2; side++) {
            int64_t at = (int64_t)((wave(&state) + 0.5) * (double)all_rows);
            while (at >= marey_features_rows(all->features[clip[side]])) {
                at -= marey_features_rows(all->features[clip[side]++]);
            }
            row[side] = (int)at;
        }
        values[n] =
            (float)marey_distance(all->features[clip[0]], row[0], all->features[clip[1]], row[1]);
    }
    qsort(values, SAMPLES, sizeof *values, by_value);
    float value = values[(size_t)(share * SAMPLES)];
    free(values);
    return value;
}

typedef struct tally {
    int64_t count;
    uint64_t hash;
    float below;
} tally;

static void hash_minima(void *user, const marey_minimum *items, int count)
{
    tally *t = user;
    for (int i = 0; i < count; i++) {
        if (!(items[i].value < t->below)) continue;
        uint64_t one =
            (uint64_t)items[i].row << 32 | (uint64_t)items[i].col << 2 | (uint64_t)items[i].least;
        t->hash = (t->hash ^ one) * 1099511628211u;
        t->count++;
    }
}

/* All pairs once; `bound` 0: exact, and what lies above `below` is dropped by the callback. */
static double sweep_pairs(marey_ctx *ctx, const library *all, float bound, tally *t)
{
    double start = bench_cpu_s();
    for (int i = 0; i < all->count; i++) {
        for (int j = i; j < all->count; j++) {
            marey_minima_def def = { .below = bound, .found = hash_minima, .user = t };
            if (marey_grid_minima(ctx, all->features[i], all->features[j], &def, NULL) != MAREY_OK)
                exit(1);
        }
    }
    return bench_cpu_s() - start;
}

static void bench_bound(marey_ctx *ctx)
{
    static const struct {
        double share, asked;
    } cases[] = { { 0.10, 0.40 }, { 0.01, 0.17 } };
    library all = { 0 };
    if (!load(ctx, &all)) {
        printf("skipped: no clips in %s/cmu\n", bench_mocap_folder());
        return;
    }
    for (int c = 0; c < 2; c++) {
        float below = find_share(&all, cases[c].share);
        double exact = INFINITY, bounded = INFINITY;
        tally whole = { 0 }, part = { 0 };
        for (int turn = 0; turn < 2; turn++) {
            whole = (tally){ .hash = 14695981039346656037u, .below = below };
            part = whole;
            exact = least(exact, sweep_pairs(ctx, &all, 0, &whole));
            bounded = least(bounded, sweep_pairs(ctx, &all, below, &part));
        }
        printf("%d clips at 60 Hz, all pairs, minima below %.1f cm2 (%.0f %% of cells): %.2f s "
               "exact\n",
               all.count, (double)below, 100 * cases[c].share, exact);
        bench_figure("  time under the bound over exact", bounded / exact, "", cases[c].asked,
                     false);
        printf("  %lld minima, %s\n", (long long)whole.count,
               whole.count == part.count && whole.hash == part.hash ? "the same ones"
                                                                    : "NOT THE SAME");
    }
    unload(&all);
}

int main(void)
{
    marey_ctx *one, *two;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &one) != MAREY_OK) return 1;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &two) != MAREY_OK) return 1;
    bench_one(one, two);
    bench_memory();
    bench_bound(one);
    marey_ctx_close(two);
    marey_ctx_close(one);
    return sink > 0 ? 0 : 1;
}
