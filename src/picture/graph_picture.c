/* graph_picture.c - a motion graph as a square of its frames by its frames: how good transitions are (slides, figure 4), and
   what can be reached from where. */
#include "picture/graph_picture.h"

#include "base/fail.h"
#include "picture/canvas.h"
#include "picture/grid_picture.h"

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

/* ---- places ----------------------------------------------------------------------------------------- */

/* A whole number of pixels a frame where that fits. */
static void size_it(plan *p)
{
    int side = p->def->side_px ? p->def->side_px : DEFAULT_SIDE, frames = p->frames;
    p->cells = frames < side ? frames : side;
    p->side = frames < side ? (double)(side / frames) * frames : side;
    if (p->side < LEAST_SIDE) p->side = LEAST_SIDE;
    p->left = 16 + (p->def->names ? NAMES + 8 : 0);
    p->top = 44 + (p->def->names ? NAMES * 0.75 : 0);
    p->width = (int)(p->left + p->side + 126);
    if (p->width < 480) p->width = 480;
    p->height = (int)(p->top + fmax(p->side, 260) + 40);
}

/* ---- drawing ---------------------------------------------------------------------------------------- */

static marey_status draw_image(const plan *p, mry_arena *tmp, cairo_t *cr)
{
    size_t count = (size_t)p->cells * (size_t)p->cells;
    uint32_t shades[MRY_GRID_SHADES], *pixels = MRY_NEW_RAW(tmp, uint32_t, count);
    if (!pixels) return MAREY_ERR_MEMORY;
    mry_grid_shades(shades);
    for (size_t i = 0; i < count; i++)
        pixels[i] = shades[(int)(fmin(fmax(p->shown[i], 0), 1) * (MRY_GRID_SHADES - 1) + 0.5)];
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, p->cells, p->cells, 4 * p->cells);
    cairo_save(cr);
    cairo_translate(cr, p->left, p->top);
    cairo_scale(cr, p->side / p->cells, p->side / p->cells);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, p->cells, p->cells);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
    return cairo_status(cr) ? MAREY_ERR_MEMORY : MAREY_OK;
}

static void draw_dots(const plan *p, cairo_t *cr)
{
    int count;
    const marey_graph_transition *all = marey_graph_transitions(p->graph, &count);
    double scale = p->side / p->frames, radius = fmin(fmax(1.1 * scale, 1), 3);
    mry_ink(cr, MRY_RIGHT);
    for (int i = 0; i < count; i++) {
        const marey_graph_transition *one = &all[i];
        if (one->from >= p->frames || one->to >= p->frames) continue;
        cairo_new_path(cr);
        cairo_arc(cr, p->left + (one->to + 0.5) * scale, p->top + (one->from + 0.5) * scale, radius,
                  0, 2 * M_PI);
        cairo_fill(cr);
    }
}

/* From node `first` on, up to `end`: one clip. */
static void draw_clip(const plan *p, cairo_t *cr, int first, int end)
{
    double scale = p->side / p->frames, a = first * scale, b = end * scale;
    const char *name =
        p->def->names ? p->def->names[marey_graph_node_of(p->graph, first).clip] : NULL;
    mry_ink(cr, MRY_WHITE);
    cairo_set_line_width(cr, 0.6);
    if (first > 0) {
        cairo_move_to(cr, p->left + a, p->top);
        cairo_line_to(cr, p->left + a, p->top + p->side);
        cairo_move_to(cr, p->left, p->top + a);
        cairo_line_to(cr, p->left + p->side, p->top + a);
        cairo_stroke(cr);
    }
    if (!name || b - a < LETTERS) return;
    mry_text(cr, p->left - 6, p->top + (a + b) / 2 + 4, LETTERS, MRY_TEXT, 1, NAMES, name);
    cairo_save(cr);
    cairo_translate(cr, p->left + (a + b) / 2 + 4, p->top - 6);
    cairo_rotate(cr, -M_PI / 3);
    mry_text(cr, 0, 0, LETTERS, MRY_TEXT, 0, NAMES * 0.8, name);
    cairo_restore(cr);
}

static void draw_clips(const plan *p, cairo_t *cr)
{
    for (int first = 0; first < p->frames;) {
        int end = first + 1;
        int clip = marey_graph_node_of(p->graph, first).clip;
        while (end < p->frames && marey_graph_node_of(p->graph, end).clip == clip) end++;
        draw_clip(p, cr, first, end);
        first = end;
    }
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, p->left - 0.5, p->top - 0.5, p->side + 1, p->side + 1);
    cairo_stroke(cr);
}

static void draw_scale(const plan *p, cairo_t *cr)
{
    uint32_t shades[MRY_GRID_SHADES];
    double x = p->left + p->side + 26, y = p->top + 20, height = 160;
    mry_grid_shades(shades);
    for (int i = 0; i < MRY_GRID_SHADES; i++) {
        double top = y + height * (1 - (i + 1) / (double)MRY_GRID_SHADES);
        cairo_set_source_rgb(cr, (shades[i] >> 16 & 255) / 255.0, (shades[i] >> 8 & 255) / 255.0,
                             (shades[i] & 255) / 255.0);
        cairo_rectangle(cr, x, top, 14, fmin(height / MRY_GRID_SHADES + 1, y + height - top));
        cairo_fill(cr);
    }
    mry_text(cr, x + 20, y + 10, LETTERS, MRY_TEXT, 0, 0, p->high);
    mry_text(cr, x + 20, y + height, LETTERS, MRY_TEXT, 0, 0, p->low);
}

static void draw_words(const plan *p, cairo_t *cr)
{
    char text[256];
    double x = 16, most = p->width - 32;
    if (p->def->title) x += mry_text(cr, x, 26, 15, MRY_TEXT, 0, 0.5 * most, p->def->title) + 15;
    mry_text(cr, x, 26, 12, MRY_PALE, 0, p->width - 16 - x, p->about);
    snprintf(text, sizeof text, "%d frames at %.4g a second; from rows to columns%s", p->frames,
             marey_graph_fps(p->graph), p->dots ? "; dots are transitions" : "");
    mry_text(cr, p->left, p->height - 14, LETTERS, MRY_PALE, 0, p->width - 16 - p->left, text);
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const plan *p = user;
    cairo_t *cr = canvas->cr;
    marey_status status = draw_image(p, canvas->tmp, cr);
    if (status) return status;
    if (p->dots) draw_dots(p, cr);
    draw_clips(p, cr);
    draw_scale(p, cr);
    draw_words(p, cr);
    return MAREY_OK;
}

/* ---- what is shown ---------------------------------------------------------------------------------- */

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

/* ---- the files -------------------------------------------------------------------------------------- */

static marey_status picture(marey_ctx *ctx, plan *p,
                            marey_status (*show)(plan *p, mry_arena *tmp, marey_error *error),
                            const char *path, marey_error *error)
{
    static const marey_graph_picture_def plain = { 0 };
    if (!p->def) p->def = &plain;
    int side = p->def->side_px;
    if (side && (side < LEAST_SIDE || side > MOST_SIDE)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a graph is drawn with %d to %d pixels on a side, not %d", LEAST_SIDE,
                        MOST_SIDE, side);
    }
    mry_arena tmp = mry_arena_make(ctx);
    p->ctx = ctx;
    p->frames = marey_graph_originals(p->graph);
    size_it(p);
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
