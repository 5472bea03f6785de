/* family_picture.c - the space of a family's numbers: what its examples do, and what their blends
   do, seen along pairs of axes. */
#include "base/fail.h"
#include "picture/canvas.h"
#include "picture/ink.h"

#include <marey/picture.h>

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEFT = 62,
    RIGHT = 24,
    TOP = 84,
    BOTTOM = 54,
    GAP_X = 70,
    GAP_Y = 74,
    COLUMNS = 3,
    LETTERS = 12,
    MOST_AXES = 4,
    MOST_VIEWS = 6,
    MOST_DOTS = 5000,    /* more cannot be told apart */
    MOST_NUMBERED = 100, /* examples */
    BINS = 32,
    NAME_ROOM = 160
};

/* One number of the family. */
typedef struct axis {
    mry_span span;
    char name[NAME_ROOM];
} axis;

/* A panel: one axis to the right and one up; the same twice: how many samples are where. */
typedef struct view {
    int right, up;
    double x, y;
} view;

typedef struct plan {
    const marey_family *family;
    const double *values;
    int dims, examples, samples, dots;
    int width, height, side;
    const char *title;
    char about[NAME_ROOM];
    axis axes[MOST_AXES];
    int axis_count;
    view views[MOST_VIEWS];
    int view_count;
} plan;

/* ---- what is drawn where --------------------------------------------------------------------- */

static double value_at(const plan *p, int sample, int dim)
{
    return p->values[(size_t)sample * (size_t)p->dims + (size_t)dim];
}

/* Numbers of one parameter have one unit: they get one scale, so that a space is not distorted. */
static void settle_axes(plan *p)
{
    int param_count, first = 0;
    const marey_param *params = marey_family_params(p->family, &param_count);
    bool only = param_count == 1 && params[0].kind->dims > 1;
    if (only) marey_param_text(&params[0], p->about, sizeof p->about);
    for (int k = 0; k < param_count && first < p->axis_count; k++) {
        double half = 0;
        int end = first + params[k].kind->dims;
        if (end > p->axis_count) end = p->axis_count;
        for (int d = first; d < end; d++) {
            axis *one = &p->axes[d];
            const char *unit, *name = marey_family_dim(p->family, d, &unit);
            snprintf(one->name, sizeof one->name, *unit ? "%s, %s" : "%s",
                     only ? params[k].kind->axes[d - first] : name, unit);
            one->span = (mry_span){ INFINITY, -INFINITY };
            for (int i = 0; i < p->samples; i++) {
                one->span.low = fmin(one->span.low, value_at(p, i, d));
                one->span.high = fmax(one->span.high, value_at(p, i, d));
            }
            half = fmax(half, 0.54 * (one->span.high - one->span.low));
        }
        if (half == 0) half = 1;
        for (int d = first; d < end; d++) {
            double middle = (p->axes[d].span.low + p->axes[d].span.high) / 2;
            p->axes[d].span = (mry_span){ middle - half, middle + half };
        }
        first = end;
    }
}

/* Of x, y and z: from the front, from above, from the side. */
static void settle_views(plan *p)
{
    static const int pairs[MOST_VIEWS][2] = { { 0, 1 }, { 0, 2 }, { 2, 1 },
                                              { 0, 3 }, { 1, 3 }, { 2, 3 } };
    if (p->axis_count == 1) p->views[p->view_count++] = (view){ 0, 0, 0, 0 };
    for (int i = 0; i < MOST_VIEWS && p->axis_count > 1; i++) {
        if (pairs[i][0] >= p->axis_count || pairs[i][1] >= p->axis_count) continue;
        p->views[p->view_count++] = (view){ pairs[i][0], pairs[i][1], 0, 0 };
    }
    int columns = p->view_count < COLUMNS ? p->view_count : COLUMNS;
    int rows = (p->view_count + columns - 1) / columns;
    for (int i = 0; i < p->view_count; i++) {
        p->views[i].x = LEFT + i % columns * (double)(p->side + GAP_X);
        p->views[i].y = TOP + i / columns * (double)(p->side + GAP_Y);
    }
    p->width = LEFT + columns * (p->side + GAP_X) - GAP_X + RIGHT;
    p->height = TOP + rows * (p->side + GAP_Y) - GAP_Y + BOTTOM;
    if (p->width < LEFT + RIGHT + 420) p->width = LEFT + RIGHT + 420; /* the words above */
}

/* ---- drawing --------------------------------------------------------------------------------- */

static double x_of(const plan *p, const view *v, double value)
{
    mry_span span = p->axes[v->right].span;
    return v->x + (value - span.low) / (span.high - span.low) * p->side;
}

static double y_of(const plan *p, const view *v, double value)
{
    mry_span span = p->axes[v->up].span;
    return v->y + (span.high - value) / (span.high - span.low) * p->side;
}

static void draw_dot(cairo_t *cr, double x, double y, double radius, mry_colour colour)
{
    cairo_new_path(cr);
    cairo_arc(cr, x, y, radius, 0, 2 * 3.14159265358979323846);
    mry_ink(cr, colour);
    cairo_fill(cr);
}

static void draw_example(cairo_t *cr, double x, double y)
{
    draw_dot(cr, x, y, 5.5, MRY_WHITE);
    draw_dot(cr, x, y, 4.5, MRY_RIGHT);
}

static mry_colour sample_colour(void)
{
    return mry_colour_mix(MRY_LEFT, MRY_WHITE, 0.55);
}

/* Of all samples as many as are drawn, evenly spread. */
static int sample_of_dot(const plan *p, int dot)
{
    int64_t rest = p->samples - p->examples;
    return p->examples + (int)(dot * rest / p->dots);
}

static void draw_axes(const plan *p, cairo_t *cr, const view *v)
{
    char text[32];
    double bottom = v->y + p->side;
    mry_ticks along = mry_ticks_of(p->axes[v->right].span, p->side / 60.0);
    for (int i = 0; i < along.count; i++) {
        double x = x_of(p, v, mry_tick_at(&along, i));
        mry_line(cr, x, v->y, x, bottom, MRY_FAINT, 1);
        mry_tick_text(&along, i, text, sizeof text);
        mry_text(cr, x, bottom + 16, LETTERS, MRY_PALE, 0.5, 0, text);
    }
    mry_text(cr, v->x + p->side / 2.0, bottom + 34, LETTERS, MRY_TEXT, 0.5, p->side + GAP_X - 12,
             p->axes[v->right].name);
    if (v->up == v->right) {
        mry_text(cr, v->x, v->y - 8, LETTERS, MRY_TEXT, 0, 0, "how many blends");
        return;
    }
    mry_ticks up = mry_ticks_of(p->axes[v->up].span, p->side / 44.0);
    for (int i = 0; i < up.count; i++) {
        double y = y_of(p, v, mry_tick_at(&up, i));
        mry_line(cr, v->x, y, v->x + p->side, y, MRY_FAINT, 1);
        mry_tick_text(&up, i, text, sizeof text);
        mry_text(cr, v->x - 8, y + 4, LETTERS, MRY_PALE, 1, LEFT - 12, text);
    }
    mry_text(cr, v->x, v->y - 8, LETTERS, MRY_TEXT, 0, p->side + GAP_X - 12, p->axes[v->up].name);
}

/* One number alone: bars of how many samples are where. */
static void draw_bars(const plan *p, cairo_t *cr, const view *v)
{
    int bins[BINS] = { 0 }, most = 1;
    mry_span span = p->axes[v->right].span;
    for (int i = p->examples; i < p->samples; i++) {
        double share = (value_at(p, i, v->right) - span.low) / (span.high - span.low);
        int bin = (int)fmin(share * BINS, BINS - 1);
        if (++bins[bin] > most) most = bins[bin];
    }
    double wide = (double)p->side / BINS, room = p->side - 24;
    mry_ink(cr, sample_colour());
    for (int b = 0; b < BINS; b++) {
        double high = room * bins[b] / most;
        cairo_rectangle(cr, v->x + b * wide + 0.5, v->y + p->side - high, wide - 1, high);
        cairo_fill(cr);
    }
}

static void draw_view(const plan *p, cairo_t *cr, const view *v)
{
    char text[16];
    bool alone = v->up == v->right;
    draw_axes(p, cr, v);
    if (alone) draw_bars(p, cr, v);
    for (int i = 0; i < p->dots && !alone; i++) {
        int sample = sample_of_dot(p, i);
        draw_dot(cr, x_of(p, v, value_at(p, sample, v->right)),
                 y_of(p, v, value_at(p, sample, v->up)), 2, sample_colour());
    }
    mry_frame(cr, v->x, v->y, p->side, p->side);
    for (int pass = 0; pass < 2; pass++) { /* numbers lie over the dots */
        for (int i = 0; i < p->examples; i++) {
            double x = x_of(p, v, value_at(p, i, v->right));
            double y = alone ? v->y + p->side - 8 : y_of(p, v, value_at(p, i, v->up));
            if (pass == 0) draw_example(cr, x, y);
            if (pass == 0 || p->examples > MOST_NUMBERED) continue;
            snprintf(text, sizeof text, "%d", i + 1);
            mry_text(cr, x + 6, y - 4, 10, MRY_TEXT, 0, 0, text);
        }
    }
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const plan *p = user;
    cairo_t *cr = canvas->cr;
    char text[NAME_ROOM];
    double x = LEFT, most = p->width - LEFT - RIGHT;
    if (p->title) x += mry_text(cr, x, 24, 15, MRY_TEXT, 0, most, p->title) + 16;
    if (*p->about) mry_text(cr, x, 24, LETTERS, MRY_PALE, 0, p->width - RIGHT - x, p->about);

    draw_example(cr, LEFT + 5, 44);
    snprintf(text, sizeof text, "%d examples", p->examples);
    x = LEFT + 16 + mry_text(cr, LEFT + 16, 48, LETTERS, MRY_TEXT, 0, 0, text) + 20;
    int rest = p->samples - p->examples;
    if (rest > 0) {
        draw_dot(cr, x + 4, 44, 3, sample_colour());
        if (p->axis_count > 1 && p->dots < rest)
            snprintf(text, sizeof text, "what blends of them do: %d of %d", p->dots, rest);
        else
            snprintf(text, sizeof text, "what blends of them do: %d", rest);
        x += 14 + mry_text(cr, x + 14, 48, LETTERS, MRY_TEXT, 0, 0, text) + 20;
    }
    if (p->dims > p->axis_count) {
        snprintf(text, sizeof text, "the first %d of %d numbers", p->axis_count, p->dims);
        mry_text(cr, x, 48, LETTERS, MRY_PALE, 0, p->width - RIGHT - x, text);
    }
    for (int i = 0; i < p->view_count; i++) draw_view(p, cr, &p->views[i]);
    return MAREY_OK;
}

marey_status marey_family_picture_save(marey_ctx *ctx, const marey_family *family,
                                       const marey_family_picture_def *def, const char *path,
                                       marey_error *error)
{
    marey_family_picture_def settled = def ? *def : (marey_family_picture_def){ 0 };
    if (settled.panel_px == 0) settled.panel_px = 280;
    if (settled.panel_px < 120 || settled.panel_px > 2048)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a panel must be 120 to 2048 pixels wide, got %d", settled.panel_px);
    plan p = { .family = family, .side = settled.panel_px, .title = settled.title };
    p.values = marey_family_samples(family, &p.samples);
    p.dims = marey_family_dims(family);
    p.examples = marey_registration_count(marey_family_registration(family));
    p.dots = p.samples - p.examples < MOST_DOTS ? p.samples - p.examples : MOST_DOTS;
    p.axis_count = p.dims < MOST_AXES ? p.dims : MOST_AXES;
    settle_axes(&p);
    settle_views(&p);
    mry_arena tmp = mry_arena_make(ctx);
    marey_status status = mry_canvas_draw(&tmp, path, p.width, p.height, draw, &p, error);
    mry_arena_free(&tmp);
    return status;
}
