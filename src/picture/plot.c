/* plot.c - curves in panels over one axis. */
#include "base/fail.h"
#include "picture/canvas.h"
#include "picture/ink.h"

#include <marey/picture.h>

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 64, RIGHT = 20, TOP = 64, BOTTOM = 48, GAP = 26, LETTERS = 12 };

typedef struct plan {
    const marey_plot_panel *panels;
    int count;
    const marey_plot_def *def;
    int width, height, panel;
    mry_span axis;
} plan;

static void widen(mry_span *span, double value)
{
    if (!isfinite(value)) return;
    if (value < span->low) span->low = value;
    if (value > span->high) span->high = value;
}

static mry_span settle(mry_span span)
{
    if (span.low > span.high) return (mry_span){ 0, 1 };
    double room = span.high > span.low ? 0.06 * (span.high - span.low) : 1;
    return (mry_span){ span.low - room, span.high + room };
}

static double x_of(const plan *p, double at)
{
    return LEFT + (at - p->axis.low) / (p->axis.high - p->axis.low) * (p->width - LEFT - RIGHT);
}

static double top_of(const plan *p, int panel)
{
    return TOP + panel * (double)(p->panel + GAP);
}

static double y_of(const plan *p, int panel, mry_span values, double value)
{
    return top_of(p, panel) + (values.high - value) / (values.high - values.low) * p->panel;
}

static void choose_style(cairo_t *cr, const marey_plot_curve *curve)
{
    static const double dashes[] = { 7, 4 }, dots[] = { 1.5, 3.5 };
    mry_colour colour = mry_palette(curve->colour);
    bool thick = curve->style == MAREY_PLOT_THICK;
    mry_ink(cr, thick ? mry_colour_mix(colour, MRY_WHITE, 0.55) : colour);
    cairo_set_line_width(cr, thick ? 6 : 1.7);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(cr, NULL, 0, 0);
    if (curve->style == MAREY_PLOT_DASHED) cairo_set_dash(cr, dashes, 2, 0);
    if (curve->style == MAREY_PLOT_DOTTED) cairo_set_dash(cr, dots, 2, 0);
}

static void draw_curve(const plan *p, cairo_t *cr, int panel, mry_span values,
                       const marey_plot_curve *curve)
{
    bool drawing = false;
    cairo_new_path(cr);
    for (int i = 0; i < curve->count; i++) {
        if (!isfinite(curve->values[i])) {
            drawing = false;
            continue;
        }
        double x = x_of(p, curve->first + i * curve->step);
        double y = y_of(p, panel, values, curve->values[i]);
        if (drawing) {
            cairo_line_to(cr, x, y);
        } else {
            cairo_move_to(cr, x, y);
        }
        drawing = true;
    }
    choose_style(cr, curve);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* Thick ones first, so that the others are seen on them. */
static void draw_panel(const plan *p, cairo_t *cr, int panel)
{
    const marey_plot_panel *of = &p->panels[panel];
    double top = top_of(p, panel);
    mry_span range = { INFINITY, -INFINITY };
    for (int c = 0; c < of->curve_count; c++) {
        for (int i = 0; i < of->curves[c].count; i++) widen(&range, of->curves[c].values[i]);
    }
    mry_span values = settle(range);
    char text[32];
    mry_ticks up = mry_ticks_of(values, p->panel / 36.0);
    for (int i = 0; i < up.count; i++) {
        double y = y_of(p, panel, values, mry_tick_at(&up, i));
        mry_line(cr, LEFT, y, p->width - RIGHT, y, MRY_FAINT, 1);
        mry_tick_text(&up, i, text, sizeof text);
        mry_text(cr, LEFT - 8, y + 4, LETTERS, MRY_PALE, 1, LEFT - 12, text);
    }
    mry_ticks along = mry_ticks_of(p->axis, (p->width - LEFT - RIGHT) / 70.0);
    for (int i = 0; i < along.count; i++) {
        double x = x_of(p, mry_tick_at(&along, i));
        mry_line(cr, x, top, x, top + p->panel, MRY_FAINT, 1);
        if (panel + 1 < p->count) continue;
        mry_tick_text(&along, i, text, sizeof text);
        mry_text(cr, x, top + p->panel + 16, LETTERS, MRY_PALE, 0.5, 0, text);
    }
    for (int i = 0; i < p->def->mark_count; i++) {
        double x = x_of(p, p->def->marks[i]);
        mry_line(cr, x, top, x, top + p->panel, MRY_NEUTRAL, 1);
    }
    cairo_save(cr);
    cairo_rectangle(cr, LEFT, top, p->width - LEFT - RIGHT, p->panel);
    cairo_clip(cr);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < of->curve_count; c++) {
            bool thick = of->curves[c].style == MAREY_PLOT_THICK;
            if (thick == (pass == 0)) draw_curve(p, cr, panel, values, &of->curves[c]);
        }
    }
    cairo_restore(cr);
    if (of->title)
        mry_text(cr, LEFT, top - 7, LETTERS, MRY_TEXT, 0, p->width - LEFT - RIGHT, of->title);
}

static bool is_named_before(const plan *p, int panel, int curve)
{
    const char *name = p->panels[panel].curves[curve].name;
    for (int k = 0; k <= panel; k++) {
        int end = k < panel ? p->panels[k].curve_count : curve;
        for (int c = 0; c < end; c++) {
            const char *other = p->panels[k].curves[c].name;
            if (other && strcmp(other, name) == 0) return true;
        }
    }
    return false;
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const plan *p = user;
    cairo_t *cr = canvas->cr;
    double middle = LEFT + (p->width - LEFT - RIGHT) / 2.0, x = LEFT, y = 40;
    if (p->def->title)
        mry_text(cr, LEFT, 22, 15, MRY_TEXT, 0, p->width - LEFT - RIGHT, p->def->title);
    /* The curves' names. */
    for (int k = 0; k < p->count; k++) {
        for (int c = 0; c < p->panels[k].curve_count; c++) {
            const marey_plot_curve *curve = &p->panels[k].curves[c];
            if (!curve->name || is_named_before(p, k, c) || x > p->width - 80) continue;
            cairo_new_path(cr);
            cairo_move_to(cr, x, y - 4);
            cairo_line_to(cr, x + 30, y - 4);
            choose_style(cr, curve);
            cairo_stroke(cr);
            cairo_set_dash(cr, NULL, 0, 0);
            x += 36 +
                 mry_text(cr, x + 36, y, LETTERS, MRY_TEXT, 0, p->width - RIGHT - x - 36,
                          curve->name) +
                 20;
        }
    }
    for (int k = 0; k < p->count; k++) draw_panel(p, cr, k);
    if (p->def->axis) mry_text(cr, middle, p->height - 12, LETTERS, MRY_PALE, 0.5, 0, p->def->axis);
    return MAREY_OK;
}

marey_status marey_plot_save(marey_ctx *ctx, const marey_plot_panel *panels, int count,
                             const marey_plot_def *def, const char *path, marey_error *error)
{
    marey_plot_def settled = def ? *def : (marey_plot_def){ 0 };
    if (settled.width_px == 0) settled.width_px = 1000;
    if (settled.panel_px == 0) settled.panel_px = 200;
    if (settled.width_px < 240 || settled.width_px > 8192 || settled.panel_px < 60 ||
        settled.panel_px > 4096 || count < 1 || count > 64) {
        return mry_fail(
            error, MAREY_ERR_REQUEST, path,
            "a plot must have 1 to 64 panels of 60 to 4096 pixels and be 240 to 8192 wide, "
            "got %d of %d, %d wide",
            count, settled.panel_px, settled.width_px);
    }
    plan p = { .panels = panels, .count = count, .def = &settled };
    p.width = settled.width_px;
    p.panel = settled.panel_px;
    p.height = TOP + count * (p.panel + GAP) - GAP + BOTTOM;
    mry_span range = { INFINITY, -INFINITY };
    for (int k = 0; k < p.count; k++) {
        for (int c = 0; c < p.panels[k].curve_count; c++) {
            const marey_plot_curve *curve = &p.panels[k].curves[c];
            if (curve->count == 0) continue;
            widen(&range, curve->first);
            widen(&range, curve->first + (curve->count - 1) * curve->step);
        }
    }
    p.axis = range.low < range.high ? range : settle(range);
    mry_arena tmp = mry_arena_make(ctx);
    marey_status status = mry_canvas_draw(&tmp, path, p.width, p.height, draw, &p, error);
    mry_arena_free(&tmp);
    return status;
}
