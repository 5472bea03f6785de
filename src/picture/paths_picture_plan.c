/* paths_picture_plan.c - the floor of a picture of ways, with a grid in metres and a scale, and the ways on it: pale where they begin,
   full where they end. */
#include "picture/paths_picture.h"
#include "picture/ticks.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

enum { SHADES = 32 }; /* of a way, from its beginning to its end */
#define GRID_PX 62.0  /* from line to line, at least */
#define SCALE_PX 70.0 /* the scale is as long at least */
#define CLOSE_PX 1.2  /* places of a way that are closer are one */
#define PALEST 0.55   /* of white, where a way begins */
#define CROWDED 14.0  /* floors' widths that a way may be long before it is drawn thinner */

void mry_paths_line(cairo_t *cr, double x0, double y0, double x1, double y1, mry_colour colour,
                    double width)
{
    cairo_new_path(cr);
    mry_ink(cr, colour);
    cairo_set_line_width(cr, width);
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

/* ---- the floor --------------------------------------------------------------------------------------------- */

static mry_span metres_across(const mry_paths_plan *p, int axis)
{
    double half = (axis ? p->floor.height : p->floor.width) / 2 / p->scale;
    return (mry_span){ (p->middle[axis] - half) / 100, (p->middle[axis] + half) / 100 };
}

/* One grid for both directions. */
static mry_ticks grid_of(const mry_paths_plan *p, int axis)
{
    return mry_ticks_by(metres_across(p, axis), mry_round_step(GRID_PX / p->scale / 100));
}

/* Lines sit on whole pixels, so that they are sharp. */
static double sharp(double at)
{
    return floor(at) + 0.5;
}

static void draw_grid(const mry_paths_plan *p, cairo_t *cr)
{
    const mry_rectangle *f = &p->floor;
    for (int axis = 0; axis < 2; axis++) {
        mry_ticks grid = grid_of(p, axis);
        for (int i = 0; i < grid.count; i++) {
            char text[32];
            double cm = 100 * mry_tick_at(&grid, i), x, y;
            marey_entity at = { axis ? p->middle[0] : cm, axis ? cm : p->middle[1], 0 };
            mry_paths_point(p, &at, &x, &y);
            mry_tick_text(&grid, i, text, sizeof text);
            if (axis) {
                mry_paths_line(cr, f->x, sharp(y), f->x + f->width, sharp(y), MRY_FAINT, 1);
                mry_text(cr, f->x - 8, y + 4, MRY_PATHS_SMALL, MRY_PALE, 1, f->x - 10, text);
            } else {
                mry_paths_line(cr, sharp(x), f->y, sharp(x), f->y + f->height, MRY_FAINT, 1);
                if (x < f->x + f->width - 24)
                    mry_text(cr, x, f->y + f->height + 16, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0, text);
            }
        }
    }
}

static void draw_scale(const mry_paths_plan *p, cairo_t *cr)
{
    char text[32];
    double cm = mry_round_step(fmin(SCALE_PX, 0.15 * p->floor.width) / p->scale),
           px = cm * p->scale;
    double x = p->floor.x, y = p->scale_y;
    snprintf(text, sizeof text, cm >= 100 ? "%.6g m" : "%.6g cm", cm >= 100 ? cm / 100 : cm);
    mry_paths_line(cr, x, y, x + px, y, MRY_TEXT, 2);
    mry_paths_line(cr, x, y - 4, x, y + 4, MRY_TEXT, 1.5);
    mry_paths_line(cr, x + px, y - 4, x + px, y + 4, MRY_TEXT, 1.5);
    mry_text(cr, x + px + 8, y + 4, MRY_PATHS_SMALL, MRY_TEXT, 0, 0, text);
}

void mry_paths_draw_floor(const mry_paths_plan *p, cairo_t *cr)
{
    const mry_rectangle *f = &p->floor;
    draw_grid(p, cr);
    cairo_rectangle(cr, f->x + 0.5, f->y + 0.5, f->width - 1, f->height - 1);
    mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_PALE, 0.4));
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
    mry_text(cr, f->x + f->width, f->y + f->height + 16, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "m");
    draw_scale(p, cr);
}

/* ---- ways -------------------------------------------------------------------------------------------------- */

/* Places [first, last] as one line. */
static void trace(const mry_paths_plan *p, cairo_t *cr, const marey_paths_walker *walker, int first,
                  int last)
{
    double x, y, from_x, from_y;
    cairo_new_path(cr);
    mry_paths_point(p, &walker->places[first], &from_x, &from_y);
    cairo_move_to(cr, from_x, from_y);
    for (int i = first + 1; i <= last; i++) {
        mry_paths_point(p, &walker->places[i], &x, &y);
        if (i < last && hypot(x - from_x, y - from_y) < CLOSE_PX) continue;
        cairo_line_to(cr, x, y);
        from_x = x;
        from_y = y;
    }
}

/* Thinner where there is so much of it that it would hide itself. */
static double width_of(const mry_paths_plan *p, const marey_paths_walker *walker)
{
    double px = 0;
    for (int i = 1; i < walker->count; i++)
        px += p->scale * hypot(walker->places[i].x_cm - walker->places[i - 1].x_cm,
                               walker->places[i].y_cm - walker->places[i - 1].y_cm);
    double crowd = px / (CROWDED * p->floor.width);
    return p->size * (crowd <= 1 ? 2.2 : fmax(2.2 / sqrt(crowd), 0.9));
}

/* A light edge below, so that it is seen which of two that cross is above. */
static void draw_way(const mry_paths_plan *p, cairo_t *cr, int number)
{
    const marey_paths_walker *walker = &p->walkers[number];
    double width = width_of(p, walker);
    mry_colour colour = mry_paths_colour(number);
    int shades = walker->count - 1 < SHADES ? walker->count - 1 : SHADES;
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    trace(p, cr, walker, 0, walker->count - 1);
    cairo_set_source_rgba(cr, 1, 1, 1, 0.7);
    cairo_set_line_width(cr, width + 2 * p->size);
    cairo_stroke(cr);
    cairo_set_line_width(cr, width);
    for (int s = 0; s < shades; s++) {
        int first = (int)((int64_t)(walker->count - 1) * s / shades);
        int last = (int)((int64_t)(walker->count - 1) * (s + 1) / shades);
        double pale = shades > 1 ? PALEST * (1 - s / (shades - 1.0)) : 0;
        trace(p, cr, walker, first, last);
        mry_ink(cr, mry_colour_mix(colour, MRY_WHITE, pale));
        cairo_stroke(cr);
    }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

void mry_paths_draw_ways(const mry_paths_plan *p, cairo_t *cr)
{
    for (int w = 0; w < p->count; w++) draw_way(p, cr, w);
}
