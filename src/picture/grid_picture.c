/* grid_picture.c - a grid of distances as an image between the two clips that it compares. */
#include "picture/grid_picture.h"

#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_SIDE = 120, MOST_SIDE = 8192, DEFAULT_SIDE = 900 };

/* ---- places ---------------------------------------------------------------------------------------- */

/* A whole number of pixels a cell where that fits; the shorter side never becomes too thin to see. */
static void size_grid(mry_grid_plan *plan)
{
    int longer = plan->cells.rows > plan->cells.cols ? plan->cells.rows : plan->cells.cols;
    int side = plan->def->side_px ? plan->def->side_px : DEFAULT_SIDE;
    double cell = side / (double)longer;
    if (cell > 1) cell = fmin(floor(cell), 64);
    plan->width = fmax(round(cell * plan->cells.cols), LEAST_SIDE);
    plan->height = fmax(round(cell * plan->cells.rows), LEAST_SIDE);
    plan->left = 16 + MRY_GRID_FIGURE + 66;
    plan->top = 40 + MRY_GRID_FIGURE + 14;
    bool dots = plan->def->pair_count > 0 || plan->def->minima;
    plan->page_width = (int)fmax(plan->left + plan->width + 116, 640); /* the title needs it */
    plan->page_height = (int)(plan->top + plan->height + 44 + (dots ? 22 : 0));
}

static void fill_axis(mry_grid_axis *axis, const marey_grid_side *side)
{
    const marey_clip *clip = side->clip;
    axis->side = side;
    axis->rows = marey_features_rows(side->features);
    axis->fps = marey_layout_fps(marey_features_layout(side->features));
    axis->shown_fps = side->shown_fps > 0 ? side->shown_fps : marey_clip_fps(clip);
    axis->start_s = side->first_frame / axis->shown_fps;
    axis->title = side->title ? side->title : marey_clip_name(clip);
}

static bool make_plan(mry_grid_plan *plan, mry_arena *tmp)
{
    mry_grid_shades(plan->shades);
    if (!mry_grid_range(plan, tmp)) return false;
    double lengths[2] = { plan->height, plan->width };
    plan->scale = INFINITY;
    for (int i = 0; i < 2; i++) {
        if (!mry_grid_figures(&plan->axes[i], tmp, lengths[i])) return false;
        plan->scale = fmin(plan->scale, mry_grid_figure_scale(&plan->axes[i]));
    }
    return true;
}

/* ---- the image ------------------------------------------------------------------------------------- */

static uint32_t shade_of(const mry_grid_plan *plan, float value)
{
    double shown = plan->rooted ? sqrt(value) : value, span = plan->high - plan->low;
    double t = span > 0 ? (shown - plan->low) / span : 0;
    return plan->shades[(int)mry_clamp(t * (MRY_GRID_SHADES - 1) + 0.5, 0, MRY_GRID_SHADES - 1)];
}

/* The least value of each column of pixels over rows [first, end). */
static void least_of_rows(const mry_grid_plan *plan, int first, int end, int width, float *least)
{
    int64_t cols = plan->cells.cols;
    for (int x = 0; x < width; x++) least[x] = INFINITY;
    for (int i = first; i < end; i++) {
        const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
        for (int x = 0; x < width; x++) {
            int64_t from = x * cols / width, to = (x + 1) * cols / width;
            for (int64_t j = from; j < to; j++) least[x] = row[j] < least[x] ? row[j] : least[x];
        }
    }
}

/* A cell a pixel, or less. NULL: out of memory. */
static uint32_t *paint(const mry_grid_plan *plan, mry_arena *tmp, int width, int height)
{
    uint32_t *pixels = MRY_NEW_RAW(tmp, uint32_t, (size_t)width * (size_t)height);
    float *least = MRY_NEW_RAW(tmp, float, width);
    if (!pixels || !least) return NULL;
    for (int y = 0; y < height; y++) {
        int64_t rows = plan->cells.rows;
        least_of_rows(plan, (int)(y * rows / height), (int)((y + 1) * rows / height), width, least);
        uint32_t *out = pixels + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) out[x] = shade_of(plan, least[x]);
    }
    return pixels;
}

static marey_status draw_image(const mry_grid_plan *plan, mry_arena *tmp, cairo_t *cr)
{
    int width = (int)fmin(plan->cells.cols, plan->width);
    int height = (int)fmin(plan->cells.rows, plan->height);
    uint32_t *pixels = paint(plan, tmp, width, height);
    if (!pixels) return MAREY_ERR_MEMORY;
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
    cairo_save(cr);
    cairo_translate(cr, plan->left, plan->top);
    cairo_scale(cr, plan->width / width, plan->height / height);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, width, height);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
    return cairo_status(cr) ? MAREY_ERR_MEMORY : MAREY_OK;
}

/* ---- dots ------------------------------------------------------------------------------------------ */

static void draw_dot(cairo_t *cr, double x, double y, double radius, mry_colour fill,
                     mry_colour edge)
{
    cairo_new_path(cr); /* letters leave a point from which a line would be drawn */
    cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
    mry_ink(cr, edge);
    cairo_set_line_width(cr, 0.55 * radius);
    cairo_stroke_preserve(cr);
    mry_ink(cr, fill);
    cairo_fill(cr);
}

static bool is_minimum(const marey_rows *of, int i, int j)
{
    const float *at = of->values + (size_t)i * of->stride + (size_t)j;
    return (j == 0 || at[0] < at[-1]) && (j + 1 == of->cols || at[0] < at[1]) &&
           (i == 0 || at[0] < *(at - of->stride)) && (i + 1 == of->rows || at[0] < at[of->stride]);
}

static int draw_minima(const mry_grid_plan *plan, cairo_t *cr)
{
    int count = 0;
    for (int i = 0; i < plan->cells.rows && plan->def->minima; i++) {
        for (int j = 0; j < plan->cells.cols; j++) {
            if (!is_minimum(&plan->cells, i, j)) continue;
            draw_dot(cr, mry_grid_x(plan, j), mry_grid_y(plan, i), 1.8, MRY_WHITE, MRY_TEXT);
            count++;
        }
    }
    return count;
}

/* Many pairs lie side by side, so their dots are small. */
static double pair_radius(const mry_grid_plan *plan)
{
    return mry_clamp(7.5 / sqrt(sqrt(fmax(plan->def->pair_count, 1))), 1.3, 4);
}

/* Twice, so that it shows on dark and on light. */
static void draw_joined(const mry_grid_plan *plan, cairo_t *cr)
{
    cairo_new_path(cr);
    for (int i = 0; i < plan->def->pair_count; i++) {
        const marey_pair *pair = &plan->def->pairs[i];
        cairo_line_to(cr, mry_grid_x(plan, pair->col), mry_grid_y(plan, pair->row));
    }
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    mry_ink(cr, MRY_WHITE);
    cairo_set_line_width(cr, 4);
    cairo_stroke_preserve(cr);
    mry_ink(cr, MRY_RIGHT);
    cairo_set_line_width(cr, 2);
    cairo_stroke(cr);
}

static void draw_pairs(const mry_grid_plan *plan, cairo_t *cr)
{
    if (plan->def->joined) {
        draw_joined(plan, cr);
        return;
    }
    double radius = pair_radius(plan);
    for (int i = plan->def->pair_count - 1; i >= 0; i--) { /* the best on top */
        const marey_pair *pair = &plan->def->pairs[i];
        draw_dot(cr, mry_grid_x(plan, pair->col), mry_grid_y(plan, pair->row), radius, MRY_RIGHT,
                 MRY_WHITE);
    }
}

/* What the dots are, below the axis. */
static void draw_legend(const mry_grid_plan *plan, cairo_t *cr, int minima)
{
    char text[96];
    double x = plan->left + 5, y = plan->page_height - 14;
    if (plan->def->pair_count > 0) {
        draw_dot(cr, x, y - 4, fmax(pair_radius(plan), 2.5), MRY_RIGHT, MRY_FAINT);
        snprintf(text, sizeof text, plan->def->joined ? "path of %d cell%s" : "%d similar pair%s",
                 plan->def->pair_count, plan->def->pair_count == 1 ? "" : "s");
        x += 10 + mry_text(cr, x + 10, y, 12, MRY_TEXT, 0, 0, text) + 26;
    }
    if (!plan->def->minima) return;
    draw_dot(cr, x, y - 4, 2.2, MRY_WHITE, MRY_TEXT);
    snprintf(text, sizeof text, "%d minim%s", minima, minima == 1 ? "um" : "a");
    mry_text(cr, x + 10, y, 12, MRY_TEXT, 0, 0, text);
}

/* ---- the file -------------------------------------------------------------------------------------- */

static marey_status draw(mry_canvas *canvas, void *user)
{
    const mry_grid_plan *plan = user;
    cairo_t *cr = canvas->cr;
    marey_status status = draw_image(plan, canvas->tmp, cr);
    if (status) return status;
    cairo_set_tolerance(cr, 0.15);
    int minima = draw_minima(plan, cr);
    draw_pairs(plan, cr);
    mry_grid_draw_figures(plan, cr);
    mry_grid_draw_axes(plan, cr);
    mry_grid_draw_scale(plan, cr);
    mry_grid_draw_title(plan, cr);
    draw_legend(plan, cr, minima);
    return MAREY_OK;
}

static marey_status save(mry_grid_plan *plan, mry_arena *tmp, const char *path, marey_error *error)
{
    int side = plan->def->side_px;
    if (side && (side < LEAST_SIDE || side > MOST_SIDE)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a grid is drawn with %d to %d pixels on its longer side, not %d",
                        LEAST_SIDE, MOST_SIDE, side);
    }
    size_grid(plan);
    if (mry_cancelled(tmp->ctx)) return mry_fail_cancelled(error);
    if (!make_plan(plan, tmp)) return mry_fail_memory(error, path);
    return mry_canvas_draw(tmp, path, plan->page_width, plan->page_height, draw, plan, error);
}

marey_status marey_grid_picture_save(const marey_grid *grid, const marey_grid_side *a,
                                     const marey_grid_side *b, const marey_grid_picture_def *def,
                                     const char *path, marey_error *error)
{
    static const marey_grid_picture_def plain = { 0 };
    mry_arena tmp = mry_arena_make(a->clip->mem.ctx);
    mry_grid_plan *plan = MRY_NEW(&tmp, mry_grid_plan, 1);
    if (!plan) return mry_fail_memory(error, path);
    plan->cells = marey_grid_cost(grid);
    plan->def = def ? def : &plain;
    plan->metric = marey_layout_def(marey_features_layout(a->features))->metric;
    plan->rooted = plan->metric->squared;
    fill_axis(&plan->axes[0], a);
    fill_axis(&plan->axes[1], b);
    marey_status status = save(plan, &tmp, path, error);
    mry_arena_free(&tmp);
    return status;
}
