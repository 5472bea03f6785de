/* paths_picture_marks.c - moments in a picture of ways: a dot and a look every so often, a ring where somebody begins, an arrow where
   they end, and lines that join where all were at one time. */
#include "picture/paths_picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

enum { MOST_LABELS = 64 };
#define NEAR_PX 5.0   /* a dot as near as that to the last one, with the same look, is left out */
#define SAME_LOOK 0.4 /* radians */
#define PI 3.14159265358979323846

/* ---- joined moments ---------------------------------------------------------------------------------------- */

void mry_paths_draw_joins(const mry_paths_plan *p, cairo_t *cr)
{
    int joins = (int)floor(p->seconds / p->joins_s + 1e-9);
    for (int w = 1; w < p->count; w++) {
        double lasts = fmin(mry_paths_seconds(&p->walkers[0]), mry_paths_seconds(&p->walkers[w]));
        mry_colour colour = mry_colour_mix(mry_paths_colour(w), MRY_WHITE, 0.7);
        for (int i = 0; i <= joins && i * p->joins_s <= lasts + 1e-9; i++) {
            double x0, y0, x1, y1;
            marey_entity a = mry_paths_at(&p->walkers[0], i * p->joins_s);
            marey_entity b = mry_paths_at(&p->walkers[w], i * p->joins_s);
            mry_paths_point(p, &a, &x0, &y0);
            mry_paths_point(p, &b, &x1, &y1);
            mry_paths_line(cr, x0, y0, x1, y1, colour, p->size);
        }
    }
}

/* ---- marks ------------------------------------------------------------------------------------------------- */

static void draw_look(cairo_t *cr, double x, double y, double look, double from, double to,
                      mry_colour colour, double width)
{
    double c = cos(look), s = -sin(look);
    mry_paths_line(cr, x + from * c, y + from * s, x + to * c, y + to * s, colour, width);
}

/* A disc with a nose. */
static void draw_dot(const mry_paths_plan *p, cairo_t *cr, double x, double y, double look,
                     mry_colour colour)
{
    double radius = 3.4 * p->size, side = acos(radius / (10.5 * p->size));
    cairo_new_path(cr);
    cairo_arc(cr, x, y, radius, side - look, 2 * PI - side - look);
    cairo_line_to(cr, x + 10.5 * p->size * cos(look), y - 10.5 * p->size * sin(look));
    cairo_close_path(cr);
    mry_ink(cr, MRY_WHITE);
    cairo_set_line_width(cr, 1.6 * p->size);
    cairo_stroke_preserve(cr);
    mry_ink(cr, colour);
    cairo_fill(cr);
}

static void draw_dots(const mry_paths_plan *p, cairo_t *cr, int number)
{
    const marey_paths_walker *walker = &p->walkers[number];
    mry_colour colour = mry_paths_colour(number);
    int dots = (int)floor(mry_paths_seconds(walker) / p->every_s + 1e-9);
    double last[3];
    mry_paths_point(p, &walker->places[0], &last[0], &last[1]);
    last[2] = walker->places[0].direction_rad;
    for (int i = 1; i <= dots; i++) {
        marey_entity at = mry_paths_at(walker, i * p->every_s);
        double x, y, turned = fabs(remainder(at.direction_rad - last[2], 2 * PI));
        mry_paths_point(p, &at, &x, &y);
        if (hypot(x - last[0], y - last[1]) < NEAR_PX * p->size && turned < SAME_LOOK) continue;
        draw_dot(p, cr, x, y, at.direction_rad, colour);
        last[0] = x;
        last[1] = y;
        last[2] = at.direction_rad;
    }
}

/* So large that it is seen around the arrow where somebody ends where they began. */
static double ring_of(const mry_paths_plan *p, const marey_paths_walker *walker)
{
    double x0, y0, x1, y1;
    mry_paths_point(p, &walker->places[0], &x0, &y0);
    mry_paths_point(p, &walker->places[walker->count - 1], &x1, &y1);
    return (hypot(x1 - x0, y1 - y0) < 10 * p->size ? 16 : 6) * p->size;
}

static void draw_begin(const mry_paths_plan *p, cairo_t *cr, int number)
{
    const marey_entity *at = &p->walkers[number].places[0];
    double x, y, k = p->size, ring = ring_of(p, &p->walkers[number]);
    mry_colour colour = mry_paths_colour(number);
    mry_paths_point(p, at, &x, &y);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    draw_look(cr, x, y, at->direction_rad, ring, ring + 8 * k, MRY_WHITE, 4.4 * k);
    draw_look(cr, x, y, at->direction_rad, ring, ring + 8 * k, colour, 2.2 * k);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_new_path(cr);
    cairo_arc(cr, x, y, ring, 0, 2 * PI);
    mry_ink(cr, MRY_WHITE);
    cairo_fill_preserve(cr);
    mry_ink(cr, colour);
    cairo_set_line_width(cr, 2.2 * k);
    cairo_stroke(cr);
}

void mry_paths_arrow(cairo_t *cr, double x, double y, double look, double k, mry_colour colour)
{
    static const double shape[4][2] = { { 12, 0 }, { -8, 8 }, { -4, 0 }, { -8, -8 } };
    double c = cos(look), s = sin(look);
    cairo_new_path(cr);
    for (int i = 0; i < 4; i++)
        cairo_line_to(cr, x + k * (c * shape[i][0] - s * shape[i][1]),
                      y - k * (s * shape[i][0] + c * shape[i][1]));
    cairo_close_path(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    mry_ink(cr, MRY_WHITE);
    cairo_set_line_width(cr, 3 * k);
    cairo_stroke_preserve(cr);
    mry_ink(cr, colour);
    cairo_fill(cr);
}

static void draw_end(const mry_paths_plan *p, cairo_t *cr, int number)
{
    const marey_paths_walker *walker = &p->walkers[number];
    const marey_entity *at = &walker->places[walker->count - 1];
    double x, y;
    mry_paths_point(p, at, &x, &y);
    mry_paths_arrow(cr, x, y, at->direction_rad, p->size, mry_paths_colour(number));
}

/* ---- times ------------------------------------------------------------------------------------------------- */

/* Letters with a light edge, so that they are read on lines. */
static void draw_time(cairo_t *cr, double x, double y, double align, double time_s)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g s", time_s);
    for (int i = 0; i < 8; i++)
        mry_text(cr, x + 1.5 * cos(i * PI / 4), y + 1.5 * sin(i * PI / 4), MRY_PATHS_SMALL,
                 MRY_WHITE, align, 0, text);
    mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_NEUTRAL, align, 0, text);
}

/* Which side of the main character is away from the first of the others: 1 is its left. */
static double free_side(const mry_paths_plan *p, const marey_entity *at, double time_s)
{
    if (p->count < 2) return 1;
    marey_entity other = mry_paths_at(&p->walkers[1], time_s);
    double left = (other.y_cm - at->y_cm) * cos(at->direction_rad) -
                  (other.x_cm - at->x_cm) * sin(at->direction_rad);
    return left > 0 ? -1 : 1;
}

/* Beside the main character; left out where it would lie on another, or inside of the ring. */
static void draw_times(const mry_paths_plan *p, cairo_t *cr)
{
    double places[MOST_LABELS][2], begin[2], ring = ring_of(p, &p->walkers[0]);
    mry_paths_point(p, &p->walkers[0].places[0], &begin[0], &begin[1]);
    int used = 0, joins = (int)floor(mry_paths_seconds(&p->walkers[0]) / p->joins_s + 1e-9);
    for (int i = 1; i <= joins && used < MOST_LABELS; i++) {
        marey_entity at = mry_paths_at(&p->walkers[0], i * p->joins_s);
        double x, y, side = at.direction_rad + free_side(p, &at, i * p->joins_s) * PI / 2;
        mry_paths_point(p, &at, &x, &y);
        bool free = hypot(x - begin[0], y - begin[1]) > ring - 10 * p->size;
        x += 10 * p->size * cos(side);
        y += 4 - (9 * p->size + 3) * sin(side);
        for (int k = 0; k < used; k++)
            free = free && (fabs(x - places[k][0]) > 36 || fabs(y - places[k][1]) > 13);
        if (!free) continue;
        draw_time(cr, x, y, 0.5 - 0.5 * cos(side), i * p->joins_s);
        places[used][0] = x;
        places[used++][1] = y;
    }
}

void mry_paths_draw_marks(const mry_paths_plan *p, cairo_t *cr)
{
    for (int w = 0; w < p->count; w++) draw_dots(p, cr, w);
    for (int w = 0; w < p->count; w++) draw_begin(p, cr, w);
    for (int w = 0; w < p->count; w++) draw_end(p, cr, w);
    draw_times(p, cr);
}
