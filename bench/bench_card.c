/* bench_card.c - grids, webs and bounds on a graphics card beside the processor's, on the demo's
   motion: first whether they are the same, then how long they take. Arguments: the module (default:
   what MAREY_CARD says or libmarey_cuda.so), a step (small, grid, bounds, web; default: all), the
   frames of the web. Figures also go to $OUT/card.jsonl. scripts/try_card runs it on a machine that
   has nvcc and nothing else. */
#include "bench.h"
#include "card_plain.h"

#include "feature/feature_data.h"
#include "grid/points_card.h"
#include "grid/points_grid.h"
#include "match/query_scan.h"
#include "match/query_weights.h"
#include "match/web_data.h"

#include <marey/demo.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct tried {
    marey_ctx *cpu, *ctx; /* without and with the card */
    mry_card_hold *hold;
    int wrong;
} tried;

static void figure(const char *what, double value, const char *unit)
{
    printf("  %-56s %12.5g %s\n", what, value, unit);
    fflush(stdout);
    const char *folder = getenv("OUT");
    char path[1200];
    snprintf(path, sizeof path, "%s/card.jsonl", folder ? folder : "");
    FILE *file = folder ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "{\"what\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", what, value, unit);
    fclose(file);
}

static void check(tried *t, bool right, const char *what)
{
    if (!right) t->wrong++;
    if (!right) printf("  WRONG: %s\n", what);
    fflush(stdout);
}

static float chance(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24) - 0.5f;
}

/* ---- points ---------------------------------------------------------------------------------- */

typedef struct made {
    mry_arena mem;
    mry_points_def def;
    mry_points points;
} made;

/* A body that swings and wanders: joints about a root, all with rhythms of their own. */
static void make(made *m, marey_ctx *ctx, int rows, int joints, uint32_t seed)
{
    static const double alike[5] = { 0.2, 0.2, 0.2, 0.2, 0.2 };
    *m = (made){ .mem = mry_arena_make(ctx) };
    double *places = MRY_NEW(&m->mem, double, (size_t)rows *(size_t)joints * 3);
    double *weights = MRY_NEW(&m->mem, double, joints), *heights = MRY_NEW(&m->mem, double, joints);
    if (!places || !weights || !heights) exit(1);
    for (int k = 0; k < joints; k++) {
        weights[k] = 1.0 / joints;
        heights[k] = 90;
        for (int c = 0; c < 3; c++) {
            double base = 80 * (double)chance(&seed), size = 50 * (double)chance(&seed);
            double rate = 0.05 + 0.02 * (double)((k + c) % 3), phase = 6 * (double)chance(&seed);
            for (int i = 0; i < rows; i++)
                places[((size_t)i * (size_t)joints + (size_t)k) * 3 + (size_t)c] =
                    base + size * sin(rate * i + phase) + (c == 1 ? 90 : 1.7 * i) +
                    0.05 * (double)chance(&seed);
        }
    }
    m->def = (mry_points_def){ .rows = rows,
                               .joints = joints,
                               .positions = places,
                               .weights = weights,
                               .height_cm = heights,
                               .window = 5,
                               .frame_weights = alike };
    if (!mry_points_build(&m->mem, &m->def, &m->points)) exit(1);
}

/* ---- the demo's motion ----------------------------------------------------------------------- */

typedef struct library {
    marey_clip **clips;
    marey_demo_take **takes;
    marey_features **features;
    int count;
    int64_t frames;
    marey_layout *layout;
} library;

typedef struct making {
    library *all;
    marey_ctx *ctx;
} making;

static void make_take(void *user, int64_t i)
{
    making *of = user;
    if (marey_demo_build(of->ctx, (int)(i % marey_demo_count()), (uint64_t)(7 + i),
                         &of->all->takes[i], NULL))
        exit(1);
}

static void make_features(void *user, int64_t i)
{
    making *of = user;
    if (marey_features_build(of->all->layout, marey_demo_clip(of->all->takes[i]),
                             &of->all->features[i], NULL))
        exit(1);
}

/* Takes until there are so many frames at the index's rate. */
static void load_demo(library *all, marey_ctx *ctx, int64_t frames)
{
    enum { ROUND = 64 };
    marey_metric_def def = { .bounded = true };
    making of = { all, ctx };
    const marey_clip *some[ROUND];
    int most = (int)(frames / 100 + 2 * ROUND);
    *all = (library){ 0 };
    all->takes = calloc((size_t)most, sizeof *all->takes);
    all->features = calloc((size_t)most, sizeof *all->features);
    if (!all->takes || !all->features) exit(1);
    int64_t clip_frames = 0;
    while (clip_frames < frames && all->count + ROUND < most) {
        for (int i = 0; i < ROUND; i++) make_take(&of, all->count + i);
        for (int i = 0; i < ROUND && clip_frames < frames; i++, all->count++)
            clip_frames += marey_clip_frames(marey_demo_clip(all->takes[all->count]));
    }
    int based = all->count < ROUND ? all->count : ROUND;
    for (int i = 0; i < based; i++) some[i] = marey_demo_clip(all->takes[i]);
    marey_error error;
    if (marey_layout_build(ctx, some, based, &def, &all->layout, &error)) {
        printf("no layout: %s\n", error.message);
        exit(1);
    }
    marey_ctx_run(ctx, all->count, make_features, &of);
    for (int i = 0; i < all->count; i++) all->frames += marey_features_rows(all->features[i]);
}

static void unload(library *all)
{
    for (int i = 0; i < all->count; i++) marey_features_free(all->features[i]);
    for (int i = 0; all->takes && all->takes[i]; i++) marey_demo_free(all->takes[i]);
    marey_layout_free(all->layout);
    free(all->takes);
    free(all->features);
}

/* ---- real motion, of scripts/card_extract ---------------------------------------------------- */

/* Everything that all clips need alike, as features and webs look at it. */
static marey_layout *make_layout(marey_ctx *ctx, int joints)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_layout *layout = MRY_NEW(&mem, marey_layout, 1);
    if (!layout) exit(1);
    *layout = (marey_layout){ .fps = 30, .joints = joints, .window = 5, .before = 2 };
    layout->weight = MRY_NEW(&mem, double, joints);
    layout->height_cm = MRY_NEW(&mem, double, joints);
    layout->merged = MRY_NEW(&mem, int, joints);
    layout->frame_weight = MRY_NEW(&mem, double, 5);
    if (!layout->weight || !layout->height_cm || !layout->merged || !layout->frame_weight) exit(1);
    for (int k = 0; k < joints; k++) layout->weight[k] = 1.0 / joints;
    for (int s = 0; s < 5; s++) layout->frame_weight[s] = 0.2;
    layout->mem = mem;
    return layout;
}

static marey_features *make_clip(marey_ctx *ctx, const marey_layout *layout, int rows,
                                 const int16_t *steps)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_features *f = MRY_NEW(&mem, marey_features, 1);
    size_t series = 3 * (size_t)layout->joints;
    double *places = MRY_NEW(&mem, double, (size_t)rows *series);
    if (!f || !places) exit(1);
    for (size_t n = 0; n < series; n++) {
        int at = 0;
        for (size_t i = 0; i < (size_t)rows; i++) {
            at += steps[n * (size_t)rows + i];
            places[i * series + n] = at / 16.0;
        }
    }
    *f = (marey_features){
        .layout = layout, .rows = rows, .frames = rows, .per_row = 1, .positions = places
    };
    f->points_def = (mry_points_def){ .rows = rows,
                                      .joints = layout->joints,
                                      .positions = places,
                                      .weights = layout->weight,
                                      .height_cm = layout->height_cm,
                                      .merged_into = layout->merged,
                                      .window = 5,
                                      .frame_weights = layout->frame_weight };
    f->mem = mem;
    return f;
}

/* Joints that are at the same place in all clips. */
static void find_merged(const library *all)
{
    marey_layout *layout = all->layout;
    for (int k = 0; k < layout->joints; k++) {
        layout->merged[k] = k;
        for (int to = 0; to < k && layout->merged[k] == k; to++) {
            bool alike = true;
            for (int i = 0; i < all->count && alike; i++) {
                const marey_features *f = all->features[i];
                for (int r = 0; r < f->rows && alike; r++) {
                    const double *row = f->positions + (size_t)r * 3 * (size_t)layout->joints;
                    alike = memcmp(row + 3 * k, row + 3 * to, 3 * sizeof *row) == 0;
                }
            }
            if (alike) layout->merged[k] = layout->merged[to];
        }
    }
}

typedef struct building {
    const library *all;
    bool bounds; /* in the second round, when there is a basis */
} building;

static void build_points(void *user, int64_t i)
{
    const building *of = user;
    marey_features *f = of->all->features[i];
    if (!of->bounds) {
        f->points = MRY_NEW(&f->mem, mry_points, 1);
        if (!f->points || !mry_points_build(&f->mem, &f->points_def, f->points)) exit(1);
        return;
    }
    mry_low *low = MRY_NEW(&f->mem, mry_low, 1);
    if (!low ||
        !mry_low_build(&f->mem, f->points, of->all->layout->basis, 0, f->rows, MRY_LOW_ROWS, low))
        exit(1);
    f->points->low = low;
}

static void make_basis(const library *all, marey_ctx *ctx)
{
    enum { SAMPLES = 400 };
    mry_arena tmp = mry_arena_make(ctx);
    int dims = mry_points_sample(&tmp, &all->features[0]->points_def, NULL, 0, NULL), found = 0;
    size_t each = 3 * (size_t)dims;
    double *clouds = MRY_NEW(&tmp, double, SAMPLES *each);
    for (int n = 0; n < SAMPLES && clouds; n++, found++) {
        const marey_features *f = all->features[(int64_t)n * all->count / SAMPLES];
        int row = (int)((int64_t)n * 7919 % f->rows);
        mry_points_sample(&tmp, &f->points_def, &row, 1, clouds + (size_t)n * each);
    }
    all->layout->basis = MRY_NEW(&all->layout->mem, mry_basis, 1);
    if (!clouds || !all->layout->basis ||
        !mry_basis_build(&all->layout->mem, clouds, found, dims, all->layout->basis))
        exit(1);
    mry_arena_free(&tmp);
}

static bool load_extract(library *all, marey_ctx *ctx, int64_t frames, const char *path)
{
    char command[1200], line[100];
    int rows, joints, room = 0;
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *pipe = popen(command, "r");
    *all = (library){ 0 };
    if (!pipe || !fgets(line, sizeof line, pipe) || strcmp(line, "marey card extract\n") != 0)
        return false;
    while (all->frames < frames && fgets(line, sizeof line, pipe) &&
           sscanf(line, "%d %d", &rows, &joints) == 2 && rows > 0 && joints > 0) {
        size_t numbers = 3 * (size_t)rows * (size_t)joints;
        int16_t *steps = malloc(numbers * sizeof *steps);
        if (!steps || fread(steps, sizeof *steps, numbers, pipe) != numbers) exit(1);
        if (!all->layout) all->layout = make_layout(ctx, joints);
        if (joints != all->layout->joints) exit(1);
        if (all->count == room) {
            room = 2 * room + 64;
            all->features = realloc(all->features, (size_t)room * sizeof *all->features);
            if (!all->features) exit(1);
        }
        all->features[all->count++] = make_clip(ctx, all->layout, rows, steps);
        all->frames += rows;
        free(steps);
    }
    pclose(pipe);
    if (all->count == 0) return false;
    find_merged(all);
    building of = { all, false };
    marey_ctx_run(ctx, all->count, build_points, &of);
    make_basis(all, ctx);
    of.bounds = true;
    marey_ctx_run(ctx, all->count, build_points, &of);
    return true;
}

static void load(library *all, marey_ctx *ctx, int64_t frames)
{
    const char *path = getenv("BENCH_CARD_EXTRACT");
    if (path && load_extract(all, ctx, frames, path)) {
        printf("  motion: real, %d clips\n", all->count);
        return;
    }
    load_demo(all, ctx, frames);
    printf("  motion: the demo's, %d takes\n", all->count);
}

/* Clips one behind the other, as one of `rows` rows; places where they meet are jumps. `merge`: with
   joints that always are at the same place as one. */
static void join(const library *all, marey_ctx *ctx, int rows, bool merge, made *m)
{
    const mry_points_def *def = &all->features[0]->points_def;
    size_t each = 3 * (size_t)def->joints;
    *m = (made){ .mem = mry_arena_make(ctx), .def = *def };
    double *places = MRY_NEW_RAW(&m->mem, double, (size_t)rows *each);
    if (!places) exit(1);
    for (int at = 0, i = 0; at < rows; i = (i + 1) % all->count) {
        const mry_points_def *from = &all->features[i]->points_def;
        int take = from->rows < rows - at ? from->rows : rows - at;
        memcpy(places + (size_t)at * each, from->positions, (size_t)take * each * sizeof *places);
        at += take;
    }
    m->def.rows = rows;
    m->def.positions = places;
    if (!merge) m->def.merged_into = NULL;
    if (!mry_points_build(&m->mem, &m->def, &m->points)) exit(1);
}

/* ---- sums of decisions, in whatever order they come ------------------------------------------ */

typedef struct sums {
    int64_t count;
    uint64_t decisions, values;
} sums;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void add(sums *to, int row, int col, int least, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t place = (uint64_t)(uint32_t)row << 34 | (uint64_t)(uint32_t)col << 3 | (uint64_t)least;
    to->count++;
    to->decisions += mix(place);
    to->values += mix(place ^ (uint64_t)bits << 32);
}

static void add_found(void *user, const marey_minimum *items, int count)
{
    for (int i = 0; i < count; i++)
        add(user, items[i].row, items[i].col, items[i].least, items[i].value);
}

static bool same(const sums *a, const sums *b, bool values)
{
    return a->count == b->count && a->decisions == b->decisions &&
           (!values || a->values == b->values);
}

static sums processor_sums(tried *t, const made *a, const made *b, float below)
{
    sums out = { 0 };
    marey_minima_def def = { .below = isfinite(below) ? below : 0,
                             .found = add_found,
                             .user = &out };
    if (mry_points_minima(t->cpu, &a->points, &b->points, &def, NULL)) exit(1);
    return out;
}

/* ---- small grids ----------------------------------------------------------------------------- */

static void small_grid(tried *t, int rows, int cols, int joints, float below, bool exact)
{
    made a, b;
    char what[120];
    make(&a, t->ctx, rows, joints, 1);
    make(&b, t->ctx, cols, joints, 2);
    sums right = processor_sums(t, &a, &b, below), got = { 0 };
    marey_minima_def def = { .below = isfinite(below) ? below : 0,
                             .found = add_found,
                             .user = &got };
    bool done = false;
    if (!exact) t->hold->bits = 2;
    marey_status status = mry_card_minima(t->ctx, t->hold, &a.points, &b.points, &def, &done, NULL);
    int bits = t->hold->bits;
    snprintf(what, sizeof what, "%d x %d, %d joints, below %g, %s: %lld minima, %lld right", rows,
             cols, joints, (double)below, bits == 1 ? "same bits" : "settled", (long long)got.count,
             (long long)right.count);
    check(t, status == MAREY_OK && done && same(&got, &right, bits == 1), what);
    /* Marks, against all cells. */
    const mry_card_marks *marks = mry_card_mark(&a.mem, &a.points, &b.points, 900, false);
    float *cells = malloc((size_t)rows * (size_t)cols * sizeof *cells);
    int missed = 0, idle = 0;
    if (!cells || mry_points_grid(t->cpu, &a.points, &b.points, cells, (size_t)cols, NULL)) exit(1);
    for (int r = 0; marks && r < rows; r += 8) {
        for (int c = 0; c < cols; c += 32) {
            bool any = false,
                 marked = marks->map[(size_t)(r / 8) * marks->stride + (size_t)(c / 32)];
            for (int i = r; i < r + 8 && i < rows; i++)
                for (int j = c; j < c + 32 && j < cols; j++)
                    any |= cells[(size_t)i * (size_t)cols + (size_t)j] < 900;
            missed += any && !marked;
            idle += marked && !any;
        }
    }
    snprintf(what, sizeof what, "marks of %d x %d: %d missed, %d too many", rows, cols, missed,
             idle);
    check(t, marks && missed == 0 && (bits != 1 || idle == 0), what);
    free(cells);
    if (!exact) t->hold->bits = 0;
    mry_arena_free(&a.mem);
    mry_arena_free(&b.mem);
}

static void step_small(tried *t)
{
    static const int sizes[][3] = { { 1, 1, 1 },     { 5, 300, 7 },    { 300, 3, 8 },
                                    { 130, 250, 3 }, { 257, 513, 21 }, { 517, 249, 31 },
                                    { 64, 1000, 5 }, { 700, 744, 14 }, { 90, 121, 64 } };
    int shapes = t->hold->module->shapes(t->hold->card), before;
    t->hold->least = 0;
    for (int shape = 0; shape < shapes; shape++) {
        before = t->wrong;
        t->hold->module->use_shape(t->hold->card, shape);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            small_grid(t, sizes[i][0], sizes[i][1], sizes[i][2], INFINITY, true);
            small_grid(t, sizes[i][0], sizes[i][1], sizes[i][2], 900, true);
            if (i % 2) small_grid(t, sizes[i][0], sizes[i][1], sizes[i][2], 900, false);
        }
        printf("  shape %d: %s; bits %s\n", shape, t->wrong == before ? "right" : "WRONG",
               t->hold->bits == 1 ? "the processor's" : "NOT the processor's");
        fflush(stdout);
    }
}

/* ---- a billion cells ------------------------------------------------------------------------- */

/* Of a list of the card; -1 near ones: it had none. */
static sums list_sums(const mry_card_cell *cells, int64_t count, int64_t *near)
{
    sums out = { 0 };
    *near = 0;
    for (int64_t i = 0; i < count; i++) {
        *near += (cells[i].col_flags & MRY_CARD_NEAR) != 0;
        add(&out, cells[i].row, (int)(cells[i].col_flags >> 3), (int)(cells[i].col_flags & 3),
            cells[i].value);
    }
    return out;
}

static void time_grid(tried *t, const made *m, const char *name, float below)
{
    const mry_card_module *module = t->hold->module;
    int rows = m->points.rows, shapes = module->shapes(t->hold->card), best_shape = -1;
    double cells = (double)rows * rows, best = 1e30, start;
    int64_t room = isfinite(below) ? 1 << 25 : (int64_t)(0.12 * cells) + (1 << 20), count = 0, near;
    mry_card_cell *list = malloc((size_t)room * sizeof *list);
    mry_arena tmp = mry_arena_make(t->ctx);
    mry_card_points packed;
    mry_card_clip *clip = NULL;
    char what[160];
    if (!list || !mry_card_pack(&tmp, &m->points, &packed)) exit(1);
    start = bench_wall_s();
    if (module->put_clip(t->hold->card, &packed, &clip)) exit(1);
    figure("putting the clip there", 1e3 * (bench_wall_s() - start), "ms");
    mry_card_job job = { .a = clip, .b = clip, .end = rows, .below = below };
    for (int shape = 0; shape < shapes; shape++) {
        double least = 1e30;
        module->use_shape(t->hold->card, shape);
        for (int turn = 0; turn < 3; turn++) {
            if (module->minima(t->hold->card, &job, NULL, room, &count)) exit(1);
            least = fmin(least, module->last_ms(t->hold->card));
        }
        snprintf(what, sizeof what, "%s, shape %d: minima, a cell", name, shape);
        figure(what, 1e9 * least / cells, "ps");
        if (least < best) best = least, best_shape = shape;
    }
    module->use_shape(t->hold->card, best_shape);
    snprintf(what, sizeof what, "%s: minima, a cell, best", name);
    figure(what, 1e9 * best / cells, "ps (asked: 10)");
    start = bench_wall_s();
    if (module->minima(t->hold->card, &job, list, room, &count)) exit(1);
    figure("the same with the list fetched", 1e12 * (bench_wall_s() - start) / cells, "ps");
    figure("minima", (double)count, "cells");
    if (count <= room) {
        sums got = list_sums(list, count, &near);
        start = bench_wall_s();
        sums right = processor_sums(t, m, m, below);
        figure("the processor, a cell", 1e12 * (bench_wall_s() - start) / cells, "ps");
        printf("  decisions on %.3g cells: %s, values: %s (%lld and %lld minima)\n", cells,
               same(&got, &right, false) ? "identical" : "DIFFERENT",
               got.values == right.values ? "the same bits" : "DIFFERENT", (long long)got.count,
               (long long)right.count);
        check(t, same(&got, &right, true), name);
    } else {
        printf("  more minima than there is room for\n");
    }
    fflush(stdout);
    module->drop_clip(t->hold->card, clip);
    mry_arena_free(&tmp);
    free(list);
}

/* With cells that are near, as if the bits were others. */
static void time_settled(tried *t, const made *m, float below)
{
    sums got = { 0 }, right = processor_sums(t, m, m, below);
    marey_minima_def def = { .below = isfinite(below) ? below : 0,
                             .found = add_found,
                             .user = &got };
    double start = bench_wall_s(), cells = (double)m->points.rows * m->points.rows;
    bool done;
    int bits = t->hold->bits;
    t->hold->bits = 2;
    if (mry_card_minima(t->ctx, t->hold, &m->points, &m->points, &def, &done, NULL)) exit(1);
    t->hold->bits = bits;
    figure("all of it with near cells settled, a cell", 1e12 * (bench_wall_s() - start) / cells,
           "ps");
    printf("  its decisions: %s\n", same(&got, &right, false) ? "identical" : "DIFFERENT");
    check(t, done && same(&got, &right, false), "near cells settled");
}

static void step_grid(tried *t, int rows)
{
    library all;
    made m, whole, few;
    char name[80];
    load(&all, t->ctx, 20000);
    join(&all, t->ctx, rows, true, &m);
    join(&all, t->ctx, rows, false, &whole);
    snprintf(name, sizeof name, "%d joints, below 1000", m.points.k);
    time_grid(t, &m, name, 1000);
    snprintf(name, sizeof name, "%d joints, all", m.points.k);
    time_grid(t, &m, name, INFINITY);
    make(&few, t->ctx, rows < 6000 ? rows : 6000, 21, 4);
    time_settled(t, &few, 1000);
    mry_arena_free(&few.mem);
    if (whole.points.k != m.points.k) {
        snprintf(name, sizeof name, "%d joints, below 1000", whole.points.k);
        time_grid(t, &whole, name, 1000);
    }
    mry_arena_free(&m.mem);
    mry_arena_free(&whole.mem);
    unload(&all);
}

/* ---- bounds of a search ---------------------------------------------------------------------- */

/* Blocks of the demo's takes, again and again on bodies of other sizes, and one query. */
typedef struct stock {
    marey_ctx *ctx;
    mry_arena mem;
    mry_scan_shelf shelf;
    mry_scan_part *parts;
    int part_count;
    mry_scan_query query;
    float cutoff;
    const uint32_t *ends;
    _Atomic uint64_t hash, rows; /* of what is left */
} stock;

enum { STOCK_TAKES = 60, WORK_PARTS = 16 };

/* False: the take is too short for a query, or stands. */
static bool make_question(stock *s, const mry_poses *poses, int rows)
{
    int first = poses->rows / 3, end = first + rows;
    float *weights = MRY_NEW(&s->mem, float, poses->points);
    if (end > poses->rows) return false;
    if (!weights || !mry_query_weights(&s->mem, poses, first, end, poses->has, weights) ||
        !mry_scan_query_make(&s->mem, poses, first, end, 1, weights, 1, &s->query))
        exit(1);
    s->cutoff = mry_still_cost(&s->mem, &s->query, poses, first, 1);
    return s->cutoff > 40;
}

static void fill_stock(stock *s, mry_poses *poses, int frames)
{
    mry_pose_blocks *blocks = MRY_NEW(&s->mem, mry_pose_blocks, STOCK_TAKES);
    int all = 0, rows = 0;
    for (int i = 0; i < STOCK_TAKES; i++) {
        marey_demo_take *take;
        if (marey_demo_build(s->ctx, i % marey_demo_count(), (uint64_t)(7 + i), &take, NULL) ||
            mry_poses_make(&s->mem, marey_demo_clip(take), 30, &poses[i], NULL) || !blocks ||
            !mry_pose_blocks_make(&s->mem, &poses[i], &blocks[i]))
            exit(1);
        all += blocks[i].blocks + 1;
        rows += blocks[i].rows;
        marey_demo_free(take);
    }
    int rounds = frames / rows + 1;
    s->parts = MRY_NEW(&s->mem, mry_scan_part, rounds * STOCK_TAKES);
    if (!s->parts || !mry_scan_shelf_make(&s->mem, poses[0].points, rounds * all, &s->shelf))
        exit(1);
    for (int round = 0, at = 0; round < rounds; round++) {
        for (int i = 0; i < STOCK_TAKES; i++, at += blocks[i - 1].blocks + 1) {
            s->parts[s->part_count++] = (mry_scan_part){ at, blocks[i].rows };
            mry_scan_shelf_put(&s->shelf, at, &blocks[i],
                               0.9f + 0.2f * (float)round / (float)rounds);
        }
    }
}

static void rule_out_some(void *user, int64_t i)
{
    stock *s = user;
    int from = (int)i * WORK_PARTS, count = s->part_count - from;
    mry_arena mem = mry_arena_make(s->ctx);
    mry_stretches left;
    if (!mry_scan_rule_out(&mem, &s->query, &s->shelf, s->parts + from,
                           count < WORK_PARTS ? count : WORK_PARTS, s->cutoff, s->ends, &left))
        exit(1);
    for (int k = 0; k < left.count; k++) {
        const mry_stretch *one = &left.items[k];
        size_t live = (size_t)((s->query.rows + s->query.kernel->mr - 1) / s->query.kernel->mr) *
                      (size_t)(one->to - one->from);
        uint64_t hash = mix(((uint64_t)(from + one->part) << 40) ^ ((uint64_t)one->from << 20) ^
                            (uint64_t)one->to);
        for (size_t b = 0; one->live && b < live; b++) hash = mix(hash ^ one->live[b]);
        s->hash += hash;
        s->rows += (uint64_t)(one->to - one->from);
    }
    mry_arena_free(&mem);
}

/* Milliseconds that it takes all threads. */
static double rule_out_all(stock *s, const uint32_t *ends)
{
    double start = bench_wall_s();
    s->ends = ends;
    s->hash = s->rows = 0;
    marey_ctx_run(s->ctx, (s->part_count + WORK_PARTS - 1) / WORK_PARTS, rule_out_some, s);
    return 1e3 * (bench_wall_s() - start);
}

/* Milliseconds of queries up to a share of their still costs. */
static void time_bounds(tried *t, stock *s, const mry_poses *poses, float share,
                        mry_scan_card *card)
{
    enum { QUERIES = 12, TURNS = 5 };
    double there = 0, alone = 0, with = 0, own = 0, rows = 0;
    int queries = 0;
    for (int i = 0; i < STOCK_TAKES && queries < QUERIES; i += 3) {
        if (!make_question(s, &poses[i], 45)) continue;
        float still = s->cutoff;
        s->cutoff = share * still;
        for (int turn = 0; turn < TURNS; turn++) {
            double start = bench_wall_s();
            const uint32_t *ends =
                mry_scan_card_ends(&s->mem, &s->query, &s->shelf, s->cutoff, card);
            there += 1e3 * (bench_wall_s() - start);
            own += t->hold->module->last_ms(t->hold->card);
            with += rule_out_all(s, ends);
            uint64_t hash = s->hash, left = s->rows;
            alone += rule_out_all(s, NULL);
            rows += (double)left;
            check(t, ends && hash == s->hash && left == s->rows && left > 0,
                  "what is left of a search");
        }
        queries++;
    }
    double each = queries * TURNS;
    printf("  up to %g of the still cost\n", (double)share);
    figure("bound search: a query, there and back", there / each, "ms (asked: 2)");
    figure("bound search: the card's own time", own / each, "ms");
    figure("bound search: left of the frames", 25 * rows / each / s->shelf.blocks, "%");
    figure("bound search: the processor's part behind it", with / each, "ms");
    figure("bound search: the processor alone", alone / each, "ms");
}

static void step_bounds(tried *t, int frames)
{
    stock s = { .ctx = t->ctx, .mem = mry_arena_make(t->ctx) };
    mry_scan_card card = { 0 };
    mry_poses *poses = MRY_NEW(&s.mem, mry_poses, STOCK_TAKES);
    if (!poses) exit(1);
    t->hold->least = 0;
    fill_stock(&s, poses, frames);
    for (int i = 0; !make_question(&s, &poses[i], 45);) i++;
    double start = bench_wall_s();
    check(t, mry_scan_card_ends(&s.mem, &s.query, &s.shelf, 1, &card) != NULL, "the blocks");
    figure("bound search: frames", 4.0 * s.shelf.blocks, "frames");
    figure("bound search: putting the blocks on the card, once", 1e3 * (bench_wall_s() - start),
           "ms");
    time_bounds(t, &s, poses, 0.5f, &card);
    time_bounds(t, &s, poses, 0.1f, &card);
    mry_scan_card_drop(&card);
    mry_arena_free(&s.mem);
}

/* ---- a web ----------------------------------------------------------------------------------- */

typedef struct web_work {
    marey_ctx *ctx;
    const library *all;
    const int *first, *second; /* of each pair */
    double until_s;
    bool chains_only;
    _Atomic int64_t cells, pairs, found;
    _Atomic uint64_t hash;
} web_work;

static void build_pair(void *user, int64_t p)
{
    web_work *work = user;
    int i = work->first[p], j = work->second[p];
    const marey_features *a = work->all->features[i], *b = work->all->features[j];
    marey_web *web;
    uint64_t hash = 0;
    if (bench_wall_s() > work->until_s) return;
    if (mry_web_of(work->ctx, a, b, NULL, work->chains_only, 0, &web, NULL)) exit(1);
    for (int64_t c = 0; c < web->cell_count; c++) {
        uint32_t bits;
        memcpy(&bits, &web->costs[c], sizeof bits);
        hash += mix((uint64_t)(uint32_t)web->cells[c].row << 40 ^
                    (uint64_t)(uint32_t)web->cells[c].col << 20 ^ bits ^ (uint64_t)c << 7);
    }
    work->found += web->chain_count + web->bridge_count;
    work->hash += mix(hash ^ (uint64_t)p);
    work->cells += i == j ? (int64_t)a->rows * a->rows / 2 : (int64_t)a->rows * b->rows;
    work->pairs++;
    marey_web_free(web);
}

static web_work web_of(const library *all, marey_ctx *ctx, const int *pairs, int64_t first,
                       int64_t count, bool chains_only, double limit_s, double *took)
{
    double start = bench_wall_s();
    web_work work = { .ctx = ctx,
                      .all = all,
                      .first = pairs + 2 * first,
                      .second = pairs + 2 * first + count,
                      .chains_only = chains_only,
                      .until_s = start + limit_s };
    marey_ctx_run(ctx, count, build_pair, &work);
    *took = bench_wall_s() - start;
    return work;
}

/* The grid of all clips with each other, right of the diagonal, as one: its minima, fetched. Windows at
   ends of clips reach into the next one here, which is a few cells of each pair. */
static void time_all(tried *t, const library *all)
{
    const mry_card_module *module = t->hold->module;
    enum { ROOM = 1 << 27 };
    made m;
    mry_card_points packed;
    mry_card_clip *clip = NULL;
    mry_card_cell *list = malloc((size_t)ROOM * sizeof *list);
    double ms = 0, found = 0, most = 0, start = bench_wall_s();
    join(all, t->ctx, (int)all->frames, true, &m);
    int rows = m.points.rows, each = (int)((int64_t)1 << 30) / rows / 8 * 8 + 8;
    if (!list || !mry_card_pack(&m.mem, &m.points, &packed)) exit(1);
    figure("the whole grid: packing frames", bench_wall_s() - start, "s");
    start = bench_wall_s();
    if (module->put_clip(t->hold->card, &packed, &clip)) exit(1);
    for (int first = 0; first < rows && bench_wall_s() - start < 8; first += each) {
        int64_t count;
        mry_card_job job = { .a = clip,
                             .b = clip,
                             .first = first,
                             .end = rows - first < each ? rows : first + each,
                             .below = 1000,
                             .upper = 1 };
        if (module->minima(t->hold->card, &job, list, ROOM, &count)) exit(1);
        ms += module->last_ms(t->hold->card);
        found += (double)count;
        most = fmax(most, (double)count);
    }
    figure("the whole grid, right of the diagonal: the card's own time", 1e-3 * ms, "s");
    figure("the same with all minima fetched", bench_wall_s() - start, "s");
    figure("its minima below 1000 (and 512 columns left of it)", found, "cells");
    figure("the longest list, of 134 million", most, "cells");
    module->drop_clip(t->hold->card, clip);
    mry_arena_free(&m.mem);
    free(list);
}

static void step_web(tried *t, int64_t frames)
{
    library all;
    double start = bench_wall_s(), took, took_cpu;
    load(&all, t->ctx, frames);
    figure("the web's frames", (double)all.frames, "frames");
    figure("making them", bench_wall_s() - start, "s");
    int64_t pairs = (int64_t)all.count * (all.count + 1) / 2, at = 0;
    int *both = malloc((size_t)(2 * pairs) * sizeof *both),
        *sample = malloc(2 * 4096 * sizeof *sample);
    if (!both || !sample) exit(1);
    for (int i = 0; i < all.count; i++)
        for (int j = i; j < all.count; j++, at++) both[at] = i, both[pairs + at] = j;
    for (int64_t i = pairs - 1; i > 0; i--) { /* in no order, so that some are like all */
        uint64_t pick = mix((uint64_t)i) % (uint64_t)(i + 1);
        int a = both[i], b = both[pairs + i];
        both[i] = both[pick], both[pairs + i] = both[pairs + (int64_t)pick];
        both[pick] = a, both[pairs + (int64_t)pick] = b;
    }
    if (t->hold) time_all(t, &all);
    /* Some pairs with and without: the same webs? */
    int64_t some = pairs < 2000 ? pairs : 2000;
    for (int64_t i = 0; i < some; i++) sample[i] = both[i], sample[some + i] = both[pairs + i];
    if (t->hold) t->hold->least = 0;
    web_work with = web_of(&all, t->ctx, sample, 0, some, false, 5, &took);
    if (t->hold) t->hold->least = MRY_CARD_LEAST;
    web_work without = web_of(&all, t->cpu, sample, 0, some, false, 5, &took_cpu);
    figure("some pairs with the card", took, "s");
    figure("the same without", took_cpu, "s");
    figure("their cells", (double)with.cells, "cells");
    if (with.pairs == some && without.pairs == some) {
        printf("  their webs: %s, %lld chains and bridges\n",
               with.hash == without.hash ? "the same bits" : "DIFFERENT", (long long)with.found);
        check(t, with.hash == without.hash, "webs of some pairs");
    }
    for (int turn = 0; turn < 2; turn++) {
        char what[100];
        const char *kind = turn ? "with bridges and tails" : "chains alone";
        web_work whole = web_of(&all, t->ctx, both, 0, pairs, !turn, turn ? 12 : 15, &took);
        double share = (double)whole.cells / (0.5 * (double)all.frames * (double)all.frames);
        snprintf(what, sizeof what, "web, %s: that was done", kind);
        figure(what, share, "of all cells");
        snprintf(what, sizeof what, "web, %s: so all of it takes", kind);
        figure(what, took / share, "s (asked: 60)");
        snprintf(what, sizeof what, "web, %s: chains and bridges", kind);
        figure(what, (double)whole.found, "");
    }
    unload(&all);
    free(both);
    free(sample);
}

/* ---- all ------------------------------------------------------------------------------------- */

int main(int count, char **words)
{
    const char *module = count > 1 ? words[1] : getenv("MAREY_CARD");
    const char *step = count > 2 ? words[2] : "all";
    int64_t frames = count > 3 ? atoll(words[3]) : 20000;
    int rows = getenv("BENCH_CARD_ROWS") ? atoi(getenv("BENCH_CARD_ROWS")) : 31640;
    int columns = getenv("BENCH_CARD_COLUMNS") ? atoi(getenv("BENCH_CARD_COLUMNS")) : 4000000;
    tried t = { 0 };
    if (marey_ctx_open(NULL, &t.cpu) || marey_ctx_open(NULL, &t.ctx)) return 1;
    setenv("MAREY_CARD", "none", 1);
    mry_card_for(t.cpu, 0);
    setenv("MAREY_CARD", module ? module : "libmarey_cuda.so", 1);
    double start = bench_wall_s();
    t.hold = mry_card_for(t.ctx, INT64_MAX / 2);
    printf("  card: %s (kernel %s, %d threads)\n", mry_card_text(t.ctx), mry_kernel_best()->name,
           marey_ctx_threads(t.ctx));
    if (!t.hold && strcmp(step, "web") == 0) step_web(&t, frames); /* what the processor takes */
    if (t.hold) {
        bool all = strcmp(step, "all") == 0;
        figure("opening it", bench_wall_s() - start, "s");
        if (all || strcmp(step, "small") == 0) step_small(&t);
        if (all || strcmp(step, "grid") == 0) step_grid(&t, rows);
        if (all || strcmp(step, "bounds") == 0) step_bounds(&t, columns);
        if (all || strcmp(step, "web") == 0) step_web(&t, frames);
        printf("  %s: %d wrong\n", step, t.wrong);
    }
    marey_ctx_close(t.ctx);
    marey_ctx_close(t.cpu);
    return t.wrong > 0;
}
