/* grid_picture_axes.c - the numbers around a grid: seconds and frames, the scale of its colours, what it shows. */
#include "picture/grid_picture.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>
#include <string.h>

static const double LETTERS = 12;

/* 1, 2 or 5 times a power of ten, and at least `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double digit = least / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* ---- seconds and frames ---------------------------------------------------------------------------- */

static void draw_tick_down(const mry_grid_plan *plan, cairo_t *cr, double row, const char *seconds,
                           const char *frame)
{
    double y = mry_grid_y(plan, row), x = plan->left;
    double lift = mry_clamp(y, plan->top + 8, plan->top + plan->height - 8) - y;
    cairo_move_to(cr, x - 4, y);
    cairo_line_to(cr, x, y);
    cairo_stroke(cr);
    mry_text(cr, x - 11, y + lift + 1, LETTERS, MRY_TEXT, 1, 0, seconds);
    mry_text(cr, x - 11, y + lift + 1 + 0.95 * LETTERS, 0.85 * LETTERS, MRY_PALE, 1, 0, frame);
}

static void draw_tick_across(const mry_grid_plan *plan, cairo_t *cr, double col,
                             const char *seconds, const char *frame)
{
    double x = mry_grid_x(plan, col), y = plan->top + plan->height;
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x, y + 4);
    cairo_stroke(cr);
    mry_text(cr, x, y + 6 + LETTERS, LETTERS, MRY_TEXT, 0.5, 0, seconds);
    mry_text(cr, x, y + 6 + 2.1 * LETTERS, 0.85 * LETTERS, MRY_PALE, 0.5, 0, frame);
}

static void draw_tick(const mry_grid_plan *plan, cairo_t *cr, bool down, double time)
{
    const mry_grid_axis *axis = &plan->axes[down ? 0 : 1];
    double row = (time - axis->start_s) * axis->fps;
    char seconds[32], frame[32];
    snprintf(seconds, sizeof seconds, "%.4g s", time);
    snprintf(frame, sizeof frame, "%.0f", time * axis->shown_fps);
    mry_ink(cr, MRY_PALE);
    if (down) {
        draw_tick_down(plan, cr, row, seconds, frame);
    } else {
        draw_tick_across(plan, cr, row, seconds, frame);
    }
}

static void draw_ticks(const mry_grid_plan *plan, cairo_t *cr, bool down)
{
    const mry_grid_axis *axis = &plan->axes[down ? 0 : 1];
    double length = down ? plan->height : plan->width, apart = down ? 60 : 64;
    double span = (axis->rows - 1) / axis->fps;
    /* Never finer than a row. */
    double step = round_step(fmax(span * apart / length, 1 / axis->fps));
    double first = ceil(axis->start_s / step - 1e-9);
    double last = floor((axis->start_s + span) / step + 1e-9);
    int count = (int)mry_clamp(last - first + 1, 0, length);
    cairo_set_line_width(cr, 1);
    for (int i = 0; i < count; i++) draw_tick(plan, cr, down, (first + i) * step);
    /* No round time falls into a clip this short. */
    if (count == 0) draw_tick(plan, cr, down, axis->start_s);
}

void mry_grid_draw_axes(const mry_grid_plan *plan, cairo_t *cr)
{
    draw_ticks(plan, cr, true);
    draw_ticks(plan, cr, false);
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, plan->left - 0.5, plan->top - 0.5, plan->width + 1, plan->height + 1);
    cairo_stroke(cr);
}

/* ---- the scale ------------------------------------------------------------------------------------- */

static void draw_bar(const mry_grid_plan *plan, cairo_t *cr, double x, double y, double height)
{
    const double wide = 14;
    for (int i = 0; i < MRY_GRID_SHADES; i++) {
        uint32_t shade = plan->shades[i];
        double top = y + height * (1 - (i + 1) / (double)MRY_GRID_SHADES);
        cairo_set_source_rgb(cr, (shade >> 16 & 255) / 255.0, (shade >> 8 & 255) / 255.0,
                             (shade & 255) / 255.0);
        /* A little over the next, so that no gap shines through. */
        cairo_rectangle(cr, x, top, wide, fmin(height / MRY_GRID_SHADES + 1, y + height - top));
        cairo_fill(cr);
    }
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x - 0.5, y - 0.5, wide + 1, height + 1);
    cairo_stroke(cr);
}

void mry_grid_draw_scale(const mry_grid_plan *plan, cairo_t *cr)
{
    double x = plan->left + plan->width + 26, height = fmin(plan->height - 20, 320);
    double y = plan->top + 20, span = plan->high - plan->low;
    bool raw = marey_clip_units(plan->axes[0].side->clip) == MAREY_UNITS_RAW;
    const char *unit = plan->rooted ? "cm" : plan->metric->unit;
    if (raw && *unit) unit = "units of the file";
    char text[64];
    draw_bar(plan, cr, x, y, height);
    mry_text(cr, x - 1, y - 8, LETTERS, MRY_TEXT, 0, 0, *unit ? unit : "distance");
    double step = span > 0 ? round_step(span * 40 / height) : 1;
    double first = ceil(plan->low / step - 1e-9);
    for (int i = 0; i < 64; i++) {
        double value = (first + i) * step;
        if (value > plan->high + 1e-9 * step) break;
        double at = y + height * (span > 0 ? 1 - (value - plan->low) / span : 0.5);
        mry_ink(cr, MRY_PALE);
        cairo_move_to(cr, x + 14, at);
        cairo_line_to(cr, x + 18, at);
        cairo_stroke(cr);
        snprintf(text, sizeof text, "%.4g", value);
        mry_text(cr, x + 22, at + 4, LETTERS, MRY_TEXT, 0, 0, text);
    }
    snprintf(text, sizeof text, "least %.4g", plan->low);
    mry_text(cr, x - 1, y + height + 18, 0.9 * LETTERS, MRY_PALE, 0, 0, text);
    if (plan->high_is_greatest) return;
    snprintf(text, sizeof text, "1 %% above");
    mry_text(cr, x - 1, y + height + 33, 0.9 * LETTERS, MRY_PALE, 0, 0, text);
}

/* ---- what it shows --------------------------------------------------------------------------------- */

void mry_grid_draw_title(const mry_grid_plan *plan, cairo_t *cr)
{
    const double size = 15;
    char text[512], about[96];
    double x = 16, most = plan->page_width - 32;
    snprintf(text, sizeof text, "%.200s \xe2\x86\x93  \xc3\x97  %.200s \xe2\x86\x92",
             plan->axes[0].title, plan->axes[1].title);
    int length = snprintf(about, sizeof about, "%s", plan->metric->name);
    const marey_layout *layout = marey_features_layout(plan->axes[0].side->features);
    if (marey_layout_window(layout) > 1) {
        snprintf(about + length, sizeof about - (size_t)length, ", window %d",
                 marey_layout_window(layout));
    }
    x += mry_text(cr, x, 26, size, MRY_TEXT, 0, 0.72 * most, text) + size;
    mry_text(cr, x, 26, 0.82 * size, MRY_PALE, 0, 0.28 * most - size, about);
}
