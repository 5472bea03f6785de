/* paths_picture.c - ways seen from above, drawn as paths_layout.c lays them out: a floor with a
   grid in metres and a scale; the ways on it, pale where they begin, full where they end; a dot and
   a look every so often, a ring where a character begins, an arrow where it ends, lines that join
   where all were at one time; and below, how far the others are from the first over time. */
#include "picture/paths_picture.h"

#include "base/fail.h"
#include "picture/canvas.h"
#include "picture/ink.h"
#include "puppet/puppet_data.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHADES = 32, MOST_LABELS = 64 }; /* shades of a way, from its beginning to its end */
#define GRID_PX 62.0                    /* from line to line, at least */
#define SCALE_PX 70.0                   /* the scale is as long at least */
#define CLOSE_PX 1.2                    /* places of a way that are closer are one */
#define PALEST 0.55                     /* of white, where a way begins */
#define CROWDED 14.0  /* floors' widths that a way may be long before it is drawn thinner */
#define NEAR_PX 5.0   /* a dot as near as that to the last one, with the same look, is left out */
#define SAME_LOOK 0.4 /* radians */
#define PI 3.14159265358979323846

/* Lines sit on whole pixels, so that they are sharp. */
static double sharp(double at)
{
    return floor(at) + 0.5;
}

/* A grid in metres, one for both directions. */
static void draw_floor(const mry_paths_plan *p, cairo_t *cr)
{
    const mry_rectangle *f = &p->floor;
    for (int axis = 0; axis < 2; axis++) {
        double half = (axis ? p->floor.height : p->floor.width) / 2 / p->scale;
        mry_ticks grid = mry_ticks_by(
            (mry_span){ (p->middle[axis] - half) / 100, (p->middle[axis] + half) / 100 },
            mry_round_step(GRID_PX / p->scale / 100));
        for (int i = 0; i < grid.count; i++) {
            char text[32];
            double cm = 100 * mry_tick_at(&grid, i), x, y;
            marey_entity at = { axis ? p->middle[0] : cm, axis ? cm : p->middle[1], 0 };
            mry_paths_point(p, &at, &x, &y);
            mry_tick_text(&grid, i, text, sizeof text);
            if (axis) {
                mry_line(cr, f->x, sharp(y), f->x + f->width, sharp(y), MRY_FAINT, 1);
                mry_text(cr, f->x - 8, y + 4, MRY_PATHS_SMALL, MRY_PALE, 1, f->x - 10, text);
            } else {
                mry_line(cr, sharp(x), f->y, sharp(x), f->y + f->height, MRY_FAINT, 1);
                if (x < f->x + f->width - 24)
                    mry_text(cr, x, f->y + f->height + 16, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0, text);
            }
        }
    }

    cairo_rectangle(cr, f->x + 0.5, f->y + 0.5, f->width - 1, f->height - 1);
    mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_PALE, 0.4));
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
    mry_text(cr, f->x + f->width, f->y + f->height + 16, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "m");
    /* The scale. */
    char length[32];
    double cm = mry_round_step(fmin(SCALE_PX, 0.15 * p->floor.width) / p->scale),
           px = cm * p->scale;
    double x = p->floor.x, y = p->scale_y;
    snprintf(length, sizeof length, cm >= 100 ? "%.6g m" : "%.6g cm", cm >= 100 ? cm / 100 : cm);
    mry_line(cr, x, y, x + px, y, MRY_TEXT, 2);
    mry_line(cr, x, y - 4, x, y + 4, MRY_TEXT, 1.5);
    mry_line(cr, x + px, y - 4, x + px, y + 4, MRY_TEXT, 1.5);
    mry_text(cr, x + px + 8, y + 4, MRY_PATHS_SMALL, MRY_TEXT, 0, 0, length);
}

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

static void draw_ways(const mry_paths_plan *p, cairo_t *cr)
{
    for (int w = 0; w < p->count; w++) {
        const marey_paths_walker *walker = &p->walkers[w];
        /* Thinner where there is so much of it that it would hide itself. */
        double px = 0;
        for (int i = 1; i < walker->count; i++)
            px += p->scale * hypot(walker->places[i].x_cm - walker->places[i - 1].x_cm,
                                   walker->places[i].y_cm - walker->places[i - 1].y_cm);
        double crowd = px / (CROWDED * p->floor.width);
        double width = p->size * (crowd <= 1 ? 2.2 : fmax(2.2 / sqrt(crowd), 0.9));
        mry_colour colour = mry_paths_colour(w);
        int shades = walker->count - 1 < SHADES ? walker->count - 1 : SHADES;
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
        /* A light edge below, so that it is seen which of two that cross is above. */
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
}

static void draw_look(cairo_t *cr, double x, double y, double look, double start, double end,
                      mry_colour colour, double width)
{
    double c = cos(look), s = -sin(look);
    mry_line(cr, x + start * c, y + start * s, x + end * c, y + end * s, colour, width);
}

/* So large that it is seen around the arrow where a way ends where it began. */
static double ring_of(const mry_paths_plan *p, const marey_paths_walker *walker)
{
    double x0, y0, x1, y1;
    mry_paths_point(p, &walker->places[0], &x0, &y0);
    mry_paths_point(p, &walker->places[walker->count - 1], &x1, &y1);
    return (hypot(x1 - x0, y1 - y0) < 10 * p->size ? 16 : 6) * p->size;
}

static void draw_arrow(cairo_t *cr, double x, double y, double look, double k, mry_colour colour)
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

static void draw_marks(const mry_paths_plan *p, cairo_t *cr)
{
    for (int w = 0; w < p->count; w++) {
        const marey_paths_walker *walker = &p->walkers[w];
        mry_colour colour = mry_paths_colour(w);
        int dots = (int)floor(mry_paths_seconds(walker) / p->every_s + 1e-9);
        double last[3];
        mry_paths_point(p, &walker->places[0], &last[0], &last[1]);
        last[2] = walker->places[0].direction_rad;
        for (int i = 1; i <= dots; i++) {
            marey_entity at = mry_paths_at(walker, i * p->every_s);
            double x, y, turned = fabs(remainder(at.direction_rad - last[2], 2 * PI));
            mry_paths_point(p, &at, &x, &y);
            if (hypot(x - last[0], y - last[1]) < NEAR_PX * p->size && turned < SAME_LOOK) continue;
            /* A disc with a nose. */
            double look = at.direction_rad;
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

            last[0] = x;
            last[1] = y;
            last[2] = at.direction_rad;
        }
    }

    for (int w = 0; w < p->count; w++) {
        const marey_entity *at = &p->walkers[w].places[0];
        double x, y, k = p->size, ring = ring_of(p, &p->walkers[w]);
        mry_colour colour = mry_paths_colour(w);
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

    for (int w = 0; w < p->count; w++) {
        const marey_paths_walker *walker = &p->walkers[w];
        const marey_entity *at = &walker->places[walker->count - 1];
        double x, y;
        mry_paths_point(p, at, &x, &y);
        draw_arrow(cr, x, y, at->direction_rad, p->size, mry_paths_colour(w));
    }
}

/* Beside the main character; left out where it would lie on another, or inside of the ring. */
static void draw_times(const mry_paths_plan *p, cairo_t *cr)
{
    double places[MOST_LABELS][2], begin[2], ring = ring_of(p, &p->walkers[0]);
    mry_paths_point(p, &p->walkers[0].places[0], &begin[0], &begin[1]);
    int used = 0, joins = (int)floor(mry_paths_seconds(&p->walkers[0]) / p->joins_s + 1e-9);
    for (int i = 1; i <= joins && used < MOST_LABELS; i++) {
        marey_entity at = mry_paths_at(&p->walkers[0], i * p->joins_s);
        double x, y, other_side = 0; /* how far the first of the others is to its left */
        if (p->count > 1) {
            marey_entity other = mry_paths_at(&p->walkers[1], i * p->joins_s);
            other_side = (other.y_cm - at.y_cm) * cos(at.direction_rad) -
                         (other.x_cm - at.x_cm) * sin(at.direction_rad);
        }
        double side = at.direction_rad + (other_side > 0 ? -1 : 1) * PI / 2;
        mry_paths_point(p, &at, &x, &y);
        bool free = hypot(x - begin[0], y - begin[1]) > ring - 10 * p->size;
        x += 10 * p->size * cos(side);
        y += 4 - (9 * p->size + 3) * sin(side);
        for (int k = 0; k < used; k++)
            free = free && (fabs(x - places[k][0]) > 36 || fabs(y - places[k][1]) > 13);
        if (!free) continue;
        /* Letters with a light edge, so that they are read on lines. */
        double align = 0.5 - 0.5 * cos(side);
        char text[32];
        snprintf(text, sizeof text, "%.6g s", i * p->joins_s);
        for (int k = 0; k < 8; k++)
            mry_text(cr, x + 1.5 * cos(k * PI / 4), y + 1.5 * sin(k * PI / 4), MRY_PATHS_SMALL,
                     MRY_WHITE, align, 0, text);
        mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_NEUTRAL, align, 0, text);

        places[used][0] = x;
        places[used++][1] = y;
    }
}

static void draw_key(const mry_paths_plan *p, cairo_t *cr)
{
    if (mry_paths_has_marks_key(p)) {
        char text[64];
        double x = p->floor.x + p->floor.width, y = p->key_y;
        snprintf(text, sizeof text, "a dot each %.6g s", p->every_s);
        x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, text) + 18;
        x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "end") + 12;
        draw_arrow(cr, x, y - 4, 0, 0.55, MRY_PALE);
        x -= 20;
        x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "begin") + 9;
        cairo_new_path(cr);
        cairo_arc(cr, x, y - 4, 3.6, 0, 2 * PI);
        mry_ink(cr, MRY_PALE);
        cairo_set_line_width(cr, 1.5);
        cairo_stroke(cr);
    }

    double x = p->floor.x, y = p->key_y;
    int row = 0;
    for (int w = 0; w < p->count; w++) {
        if (!p->walkers[w].name) continue;
        double wide = mry_paths_name_px(p->walkers[w].name);
        if (x > p->floor.x && x + wide > mry_paths_row_end(p, row)) {
            if (++row == p->key_rows) return;
            x = p->floor.x;
            y += MRY_PATHS_KEY_ROW;
        }
        double most = fmin(mry_paths_row_end(p, row) - x - MRY_PATHS_KEY_LINE, MRY_PATHS_NAME_PX);
        mry_line(cr, x, y - 4, x + MRY_PATHS_KEY_LINE - 6, y - 4, mry_paths_colour(w), 3);
        x += MRY_PATHS_KEY_LINE + MRY_PATHS_KEY_GAP +
             mry_text(cr, x + MRY_PATHS_KEY_LINE, y, MRY_PATHS_LETTERS, MRY_TEXT, 0, fmax(most, 1),
                      p->walkers[w].name);
    }
}

static double both_last(const mry_paths_plan *p, int walker)
{
    return fmin(mry_paths_seconds(&p->walkers[0]), mry_paths_seconds(&p->walkers[walker]));
}

static double metres_away(const mry_paths_plan *p, int walker, double time_s)
{
    marey_entity a = mry_paths_at(&p->walkers[0], time_s);
    marey_entity b = mry_paths_at(&p->walkers[walker], time_s);
    return hypot(a.x_cm - b.x_cm, a.y_cm - b.y_cm) / 100;
}

static void draw_distances(const mry_paths_plan *p, cairo_t *cr)
{
    if (p->panel.height <= 0) return;
    mry_span metres = { 0, 0.5 };
    const mry_rectangle *r = &p->panel;
    for (int w = 1; w < p->count; w++) {
        /* The others are looked at once for each pixel. */
        double last = both_last(p, w);
        int count = (int)ceil(r->width * last / p->seconds) + 1;
        for (int i = 0; i < count; i++)
            metres.high = fmax(metres.high, 1.05 * metres_away(p, w, last * i / (count - 1)));
    }
    /* The axes. */
    char text[64];
    mry_ticks up = mry_ticks_of(metres, r->height / 34);
    for (int i = 0; i < up.count; i++) {
        double y = r->y + (metres.high - mry_tick_at(&up, i)) / metres.high * r->height;
        mry_line(cr, r->x, sharp(y), r->x + r->width, sharp(y), MRY_FAINT, 1);
        mry_tick_text(&up, i, text, sizeof text);
        mry_text(cr, r->x - 8, y + 4, MRY_PATHS_SMALL, MRY_PALE, 1, r->x - 10, text);
    }
    mry_ticks along = mry_ticks_of((mry_span){ 0, p->seconds }, r->width / 62);
    for (int i = 0; i < along.count; i++) {
        double x = r->x + mry_tick_at(&along, i) / p->seconds * r->width;
        mry_line(cr, sharp(x), r->y, sharp(x), r->y + r->height, MRY_FAINT, 1);
        mry_tick_text(&along, i, text, sizeof text);
        mry_text(cr, x, r->y + r->height + 16, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0, text);
    }
    snprintf(text, sizeof text, "distance from %s, m",
             p->walkers[0].name ? p->walkers[0].name : "the main character");
    mry_text(cr, r->x, r->y - 8, MRY_PATHS_LETTERS, MRY_TEXT, 0, r->width, text);
    mry_text(cr, r->x + r->width / 2, r->y + r->height + 34, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0,
             "seconds");

    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (int w = 1; w < p->count; w++) {
        double last = both_last(p, w);
        int count = (int)ceil(r->width * last / p->seconds) + 1;
        cairo_new_path(cr);
        for (int i = 0; i < count; i++) {
            double time_s = last * i / (count - 1), away = metres_away(p, w, time_s);
            cairo_line_to(cr, r->x + time_s / p->seconds * r->width,
                          r->y + (metres.high - away) / metres.high * r->height);
        }
        mry_ink(cr, mry_paths_colour(w));
        cairo_set_line_width(cr, 1.7 * p->size);
        cairo_stroke(cr);
    }
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const mry_paths_plan *p = user;
    cairo_t *cr = canvas->cr;
    if (p->def->title)
        mry_text(cr, p->floor.x, p->title_y, 16, MRY_TEXT, 0, p->floor.width, p->def->title);
    draw_key(p, cr);
    draw_floor(p, cr);
    /* Lines that join where all were at one time. */
    int joins = (int)floor(p->seconds / p->joins_s + 1e-9);
    for (int w = 1; w < p->count; w++) {
        mry_colour colour = mry_colour_mix(mry_paths_colour(w), MRY_WHITE, 0.7);
        for (int i = 0; i <= joins && i * p->joins_s <= both_last(p, w) + 1e-9; i++) {
            double x0, y0, x1, y1;
            marey_entity a = mry_paths_at(&p->walkers[0], i * p->joins_s);
            marey_entity b = mry_paths_at(&p->walkers[w], i * p->joins_s);
            mry_paths_point(p, &a, &x0, &y0);
            mry_paths_point(p, &b, &x1, &y1);
            mry_line(cr, x0, y0, x1, y1, colour, p->size);
        }
    }
    draw_ways(p, cr);
    draw_marks(p, cr);
    draw_times(p, cr);
    draw_distances(p, cr);
    return MAREY_OK;
}

marey_status marey_paths_picture_save(marey_ctx *ctx, const marey_paths_walker *walkers, int count,
                                      const marey_paths_picture_def *def, const char *path,
                                      marey_error *error)
{
    marey_paths_picture_def settled = def ? *def : (marey_paths_picture_def){ 0 };
    if (settled.width_px == 0) settled.width_px = 1000;
    mry_paths_plan p = {
        .walkers = walkers, .count = count, .def = &settled, .width = settled.width_px
    };
    if (p.count < 1 || p.count > MRY_PATHS_MOST_WALKERS)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "paths must be 1 to %d, got %d",
                        (int)MRY_PATHS_MOST_WALKERS, p.count);
    if (p.width < 240 || p.width > 8192)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "width must be 240 to 8192 pixels, got %d",
                        p.width);
    for (int w = 0; w < p.count; w++) {
        const marey_paths_walker *walker = &p.walkers[w];
        if (walker->count < 2)
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "path %d must have at least 2 positions, got %d", w, walker->count);
        if (!(walker->rate >= 1e-3 && walker->rate <= 1e5))
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "rate of path %d must be 0.001 to 1e5 Hz, got %g", w, walker->rate);
        for (int i = 0; i < walker->count; i++) {
            if (!mry_entity_can_be(&walker->places[i]))
                return mry_fail(error, MAREY_ERR_REQUEST, path,
                                "path %d: position %d must be finite and within 1e6 cm", w, i);
        }
        double dots = mry_paths_seconds(walker) / settled.every_s;
        if (settled.every_s != 0 && !(settled.every_s > 0 && dots <= MRY_PATHS_MOST_DOTS))
            return mry_fail(
                error, MAREY_ERR_REQUEST, path,
                "dot interval must be positive, with at most %d dots on a path, got %g s",
                (int)MRY_PATHS_MOST_DOTS, settled.every_s);
    }
    mry_paths_lay_out(&p);
    mry_arena tmp = mry_arena_make(ctx);
    marey_status status = mry_canvas_draw(&tmp, path, p.width, p.height, draw, &p, error);
    mry_arena_free(&tmp);
    return status;
}
