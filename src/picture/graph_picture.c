/* graph_picture.c - a motion graph as a square of its frames by its frames: how good transitions
   are (slides, figure 4), and what can be reached from where. The distances of all frames are found
   a pixel each, without a grid of all of them: frames are taken in batches of whole or cut
   sequences. Where one begins or ends, frames are put beside it that are not shown: those that come
   before and behind it, or its ends again, so that a window sees what it saw when the graph was
   built. */
#include "picture/graph_picture.h"

#include "base/fail.h"
#include "graph/graph_data.h"
#include "picture/canvas.h"
#include "picture/ink.h"

#include <marey/picture.h>

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_SIDE = 120, MOST_SIDE = 8192, DEFAULT_SIDE = 900, LETTERS = 12, NAMES = 120 };

typedef struct plan {
    const marey_graph *graph;
    const marey_graph_picture_def *def;
    const char *about, *low, *high; /* what it shows; what dark and bright mean */
    marey_ctx *ctx;
    int frames; /* originals */
    int cells;  /* pixels of the image, each way */
    double side, left, top;
    int width, height;
    float *shown; /* cells x cells, 0 .. 1 */
    bool dots;    /* transitions are drawn */
} plan;

enum { BATCH = 2048, LONGEST_PIECE = 1024 };

typedef struct batch {
    int from, to; /* nodes */
    int rows;
    int *node; /* of each row; -1 - node: it is not shown */
    marey_features *features;
} batch;

typedef struct matrix {
    const marey_graph *graph;
    mry_arena mem;
    marey_layout *layout;
    int pad; /* frames beside a piece */
} matrix;

/* Does a piece of a sequence begin here? Long sequences are cut, so that no batch is much larger
   than others. */
static bool begins(const matrix *m, int n)
{
    return n == 0 || m->graph->before[n] != n - 1 || n % LONGEST_PIECE == 0;
}

static int neighbour(const marey_graph *graph, int n, int steps)
{
    const int *way = steps < 0 ? graph->before : graph->next;
    for (int k = steps < 0 ? -steps : steps; k > 0 && way[n] >= 0; k--) n = way[n];
    return n;
}

/* The features of one batch of frames, with those that are put beside its pieces. */
static marey_status fill_batch(matrix *m, batch *one, marey_error *error)
{
    const marey_clip *motion = m->graph->motion;
    int pieces = 0;
    for (int n = one->from; n < one->to; n++) pieces += begins(m, n);
    one->node = MRY_NEW_RAW(&m->mem, int, one->to - one->from + 2 * m->pad * pieces);
    if (!one->node) return mry_fail_memory(error, NULL);
    int originals = m->graph->originals;
    one->rows = 0;
    for (int n = one->from; n < one->to; n++) {
        bool first = begins(m, n), last = n + 1 == originals || begins(m, n + 1);
        for (int k = m->pad; first && k > 0; k--)
            one->node[one->rows++] = -1 - neighbour(m->graph, n, -k);
        one->node[one->rows++] = n;
        for (int k = 1; last && k <= m->pad; k++)
            one->node[one->rows++] = -1 - neighbour(m->graph, n, k);
    }
    marey_clip *clip = mry_clip_make_like(motion, one->rows, motion->fps);
    if (!clip) return mry_fail_memory(error, NULL);
    for (int r = 0; r < one->rows; r++) {
        int n = one->node[r] < 0 ? -1 - one->node[r] : one->node[r];
        memcpy(mry_turn(clip, r), mry_turn(motion, n),
               (size_t)motion->skeleton.joint_count * 4 * sizeof(float));
        memcpy(mry_place(clip, r), mry_place(motion, n),
               (size_t)motion->mover_count * 3 * sizeof(double));
    }
    marey_status status = marey_features_build(m->layout, clip, &one->features, error);
    marey_clip_free(clip);
    return status;
}

/* Every pixel's least distance of the frames of two batches. */
static marey_status compare_two(const matrix *m, const batch *down, const batch *across, int side,
                                float *out, marey_error *error)
{
    marey_grid *grid;
    int originals = m->graph->originals;
    marey_status status =
        marey_grid_build(m->graph->ctx, down->features, across->features, &grid, error);
    if (status) return status;
    marey_rows cells = marey_grid_cost(grid);
    for (int i = 0; i < cells.rows; i++) {
        if (down->node[i] < 0) continue;
        const float *row = cells.values + (size_t)i * cells.stride;
        size_t y = (size_t)mry_graph_pixel(originals, side, down->node[i]);
        for (int j = 0; j < cells.cols; j++) {
            if (across->node[j] < 0) continue;
            size_t x = (size_t)mry_graph_pixel(originals, side, across->node[j]);
            float *there = &out[y * (size_t)side + x], *back = &out[x * (size_t)side + y];
            if (row[j] < *there) *there = row[j];
            if (row[j] < *back) *back = row[j];
        }
    }
    marey_grid_free(grid);
    return MAREY_OK;
}

marey_status mry_graph_distances(const marey_graph *graph, int side, float *out, marey_error *error)
{
    matrix m = { .graph = graph, .mem = mry_arena_make(graph->ctx) };
    marey_metric_def metric = graph->metric;
    const marey_clip *motion = graph->motion;
    int originals = graph->originals, count = 0;
    metric.fps = graph->fps;
    for (size_t i = 0; i < (size_t)side * (size_t)side; i++) out[i] = INFINITY;
    batch *batches = MRY_NEW(&m.mem, batch, originals / (BATCH - LONGEST_PIECE) + 2);
    if (!batches) return mry_fail_memory(error, NULL);
    marey_status status =
        marey_layout_build_bodies(graph->ctx, &motion, 1, &metric, &m.layout, error);
    if (!status) m.pad = marey_layout_window(m.layout) / 2;
    for (int from = 0; from < originals && !status; from = batches[count++].to) {
        int to = from + 1;
        for (int n = to; n <= originals && n - from <= BATCH; n++) {
            if (n == originals || begins(&m, n)) to = n;
        }
        batches[count] = (batch){ .from = from, .to = to };
        status = fill_batch(&m, &batches[count], error);
    }
    int64_t done = 0, total = (int64_t)count * (count + 1) / 2;
    for (int a = 0; a < count && !status; a++) {
        for (int b = a; b < count && !status; b++) {
            if (mry_progress(graph->ctx, "comparing frames", done++, total)) {
                status = compare_two(&m, &batches[a], &batches[b], side, out, error);
            } else {
                status = mry_fail_cancelled(error);
            }
        }
    }
    for (int i = 0; i < count; i++) marey_features_free(batches[i].features);
    marey_layout_free(m.layout);
    mry_arena_free(&m.mem);
    return status;
}

static void draw_clips(const plan *p, cairo_t *cr)
{
    for (int first = 0; first < p->frames;) {
        int end = first + 1;
        int clip = marey_graph_node_of(p->graph, first).clip;
        while (end < p->frames && marey_graph_node_of(p->graph, end).clip == clip) end++;
        double scale = p->side / p->frames, a = first * scale, b = end * scale;
        const char *name = p->def->names ? p->def->names[clip] : NULL;
        mry_ink(cr, MRY_WHITE);
        cairo_set_line_width(cr, 0.6);
        if (first > 0) {
            cairo_move_to(cr, p->left + a, p->top);
            cairo_line_to(cr, p->left + a, p->top + p->side);
            cairo_move_to(cr, p->left, p->top + a);
            cairo_line_to(cr, p->left + p->side, p->top + a);
            cairo_stroke(cr);
        }
        if (name && b - a >= LETTERS) {
            mry_text(cr, p->left - 6, p->top + (a + b) / 2 + 4, LETTERS, MRY_TEXT, 1, NAMES, name);
            cairo_save(cr);
            cairo_translate(cr, p->left + (a + b) / 2 + 4, p->top - 6);
            cairo_rotate(cr, -M_PI / 3);
            mry_text(cr, 0, 0, LETTERS, MRY_TEXT, 0, NAMES * 0.8, name);
            cairo_restore(cr);
        }
        first = end;
    }
    mry_frame(cr, p->left, p->top, p->side, p->side);
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const plan *p = user;
    cairo_t *cr = canvas->cr;
    uint32_t shades[MRY_SHADES];
    size_t cells = (size_t)p->cells * (size_t)p->cells;
    uint32_t *pixels = MRY_NEW_RAW(canvas->tmp, uint32_t, cells);
    if (!pixels) return MAREY_ERR_MEMORY;
    mry_shades(shades);
    for (size_t i = 0; i < cells; i++)
        pixels[i] = shades[(int)(fmin(fmax(p->shown[i], 0), 1) * (MRY_SHADES - 1) + 0.5)];
    if (!mry_pixels_draw(cr, pixels, p->cells, p->cells, p->left, p->top, p->side, p->side))
        return MAREY_ERR_MEMORY;
    if (p->dots) {
        int count;
        const marey_graph_transition *all = marey_graph_transitions(p->graph, &count);
        double scale = p->side / p->frames, radius = fmin(fmax(1.1 * scale, 1), 3);
        mry_ink(cr, MRY_RIGHT);
        for (int i = 0; i < count; i++) {
            const marey_graph_transition *one = &all[i];
            if (one->from >= p->frames || one->to >= p->frames) continue;
            cairo_new_path(cr);
            cairo_arc(cr, p->left + (one->to + 0.5) * scale, p->top + (one->from + 0.5) * scale,
                      radius, 0, 2 * M_PI);
            cairo_fill(cr);
        }
    }
    draw_clips(p, cr);
    /* What dark and bright mean. */
    double bar_x = p->left + p->side + 26, bar_y = p->top + 20, height = 160;
    mry_shades_draw(cr, shades, bar_x, bar_y, 14, height);
    mry_text(cr, bar_x + 20, bar_y + 10, LETTERS, MRY_TEXT, 0, 0, p->high);
    mry_text(cr, bar_x + 20, bar_y + height, LETTERS, MRY_TEXT, 0, 0, p->low);
    /* Above what is shown, below how many frames there are. */
    char text[256];
    double x = 16, most = p->width - 32;
    if (p->def->title) x += mry_text(cr, x, 26, 15, MRY_TEXT, 0, 0.5 * most, p->def->title) + 15;
    mry_text(cr, x, 26, 12, MRY_PALE, 0, p->width - 16 - x, p->about);
    snprintf(text, sizeof text, "%d frames at %.4g a second; from rows to columns%s", p->frames,
             marey_graph_fps(p->graph), p->dots ? "; dots are transitions" : "");
    mry_text(cr, p->left, p->height - 14, LETTERS, MRY_PALE, 0, p->width - 16 - p->left, text);
    return MAREY_OK;
}

static marey_status show_matrix(plan *p, mry_arena *tmp, marey_error *error)
{
    double sigma = marey_graph_settings(p->graph)->sigma;
    size_t count = (size_t)p->cells * (size_t)p->cells;
    (void)tmp;
    marey_status status = mry_graph_distances(p->graph, p->cells, p->shown, error);
    for (size_t i = 0; i < count && !status; i++) p->shown[i] = (float)exp(-p->shown[i] / sigma);
    return status;
}

static marey_status show_closure(plan *p, mry_arena *tmp, marey_error *error)
{
    size_t bytes = ((size_t)p->frames + 7) / 8, cells = (size_t)p->cells;
    uint8_t *bits = MRY_NEW_RAW(tmp, uint8_t, bytes * (size_t)p->frames);
    int *across = MRY_NEW(tmp, int, cells);
    if (!bits || !across) return mry_fail_memory(error, NULL);
    marey_status status = marey_graph_closure(p->ctx, p->graph, bits, error);
    if (status) return status;
    memset(p->shown, 0, cells * cells * sizeof *p->shown);
    for (int i = 0; i < p->frames; i++) across[mry_graph_pixel(p->frames, p->cells, i)]++;
    for (int i = 0; i < p->frames; i++) {
        const uint8_t *row = bits + bytes * (size_t)i;
        float *out = p->shown + cells * (size_t)mry_graph_pixel(p->frames, p->cells, i);
        for (int j = 0; j < p->frames; j++)
            out[mry_graph_pixel(p->frames, p->cells, j)] += (float)(row[j / 8] >> (j % 8) & 1);
    }
    for (size_t y = 0; y < cells; y++) {
        for (size_t x = 0; x < cells; x++)
            p->shown[y * cells + x] /= (float)across[y] * (float)across[x];
    }
    return MAREY_OK;
}

static marey_status picture(marey_ctx *ctx, plan *p,
                            marey_status (*show)(plan *p, mry_arena *tmp, marey_error *error),
                            const char *path, marey_error *error)
{
    static const marey_graph_picture_def plain = { 0 };
    if (!p->def) p->def = &plain;
    int side = p->def->side_px;
    if (side && (side < LEAST_SIDE || side > MOST_SIDE)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "sides must be %d to %d pixels, got %d",
                        LEAST_SIDE, MOST_SIDE, side);
    }
    mry_arena tmp = mry_arena_make(ctx);
    p->ctx = ctx;
    p->frames = marey_graph_originals(p->graph);
    /* A whole number of pixels a frame where that fits. */
    int frames = p->frames;
    if (!side) side = DEFAULT_SIDE;
    p->cells = frames < side ? frames : side;
    p->side = frames < side ? (double)(side / frames) * frames : side;
    if (p->side < LEAST_SIDE) p->side = LEAST_SIDE;
    p->left = 16 + (p->def->names ? NAMES + 8 : 0);
    p->top = 44 + (p->def->names ? NAMES * 0.75 : 0);
    p->width = (int)(p->left + p->side + 126);
    if (p->width < 480) p->width = 480;
    p->height = (int)(p->top + fmax(p->side, 260) + 40);
    p->shown = MRY_NEW_RAW(&tmp, float, (size_t)p->cells *(size_t)p->cells);
    marey_status status = p->shown ? show(p, &tmp, error) : mry_fail_memory(error, path);
    if (!status) status = mry_canvas_draw(&tmp, path, p->width, p->height, draw, p, error);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_graph_matrix_save(marey_ctx *ctx, const marey_graph *graph,
                                     const marey_graph_picture_def *def, const char *path,
                                     marey_error *error)
{
    plan p = { .graph = graph,
               .def = def,
               .about = "how good transitions are, exp(-s / sigma)",
               .low = "0, poor",
               .high = "1, good",
               .dots = true };
    return picture(ctx, &p, show_matrix, path, error);
}

marey_status marey_graph_closure_save(marey_ctx *ctx, const marey_graph *graph,
                                      const marey_graph_picture_def *def, const char *path,
                                      marey_error *error)
{
    plan p = { .graph = graph,
               .def = def,
               .about = "which frames can be reached from which",
               .low = "never",
               .high = "reached" };
    return picture(ctx, &p, show_closure, path, error);
}
