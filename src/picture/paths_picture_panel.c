/* paths_picture_panel.c - around a plan of ways: what the colours and marks mean, and how far the others are from the first over
   time. */
#include "picture/paths_picture.h"
#include "picture/ticks.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_LINE = 28, KEY_GAP = 18, NAME_PX = 240, MARKS_KEY_PX = 240 };
#define PI 3.14159265358979323846

/* ---- what is what ------------------------------------------------------------------------------------------ */

static bool has_marks_key(const mry_paths_plan *p)
{
    return p->width >= 560;
}

static void draw_marks_key(const mry_paths_plan *p, cairo_t *cr)
{
    char text[64];
    double x = p->floor.x + p->floor.width, y = p->key_y;
    snprintf(text, sizeof text, "a dot each %.6g s", p->every_s);
    x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, text) + 18;
    x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "end") + 12;
    mry_paths_arrow(cr, x, y - 4, 0, 0.55, MRY_PALE);
    x -= 20;
    x -= mry_text(cr, x, y, MRY_PATHS_SMALL, MRY_PALE, 1, 0, "begin") + 9;
    cairo_new_path(cr);
    cairo_arc(cr, x, y - 4, 3.6, 0, 2 * PI);
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1.5);
    cairo_stroke(cr);
}

/* Where a line of names has to end. */
static double row_end(const mry_paths_plan *p, int row)
{
    double end = p->floor.x + p->floor.width;
    return row == 0 && has_marks_key(p) ? end - MARKS_KEY_PX : end;
}

/* About how wide a name is: letters cannot be measured before there is a page. */
static double about_wide(const char *name)
{
    size_t letters = strlen(name);
    return KEY_LINE + KEY_GAP + fmin(8.0 * (double)letters, NAME_PX);
}

int mry_paths_key_rows(const mry_paths_plan *p)
{
    int rows = 1;
    double x = p->floor.x;
    for (int w = 0; w < p->count; w++) {
        if (!p->walkers[w].name) continue;
        double wide = about_wide(p->walkers[w].name);
        if (x > p->floor.x && x + wide > row_end(p, rows - 1)) {
            rows++;
            x = p->floor.x;
        }
        x += wide;
    }
    return rows;
}

static void draw_names(const mry_paths_plan *p, cairo_t *cr)
{
    double x = p->floor.x, y = p->key_y;
    int row = 0;
    for (int w = 0; w < p->count; w++) {
        if (!p->walkers[w].name) continue;
        double wide = about_wide(p->walkers[w].name);
        if (x > p->floor.x && x + wide > row_end(p, row)) {
            if (++row == p->key_rows) return;
            x = p->floor.x;
            y += MRY_PATHS_KEY_ROW;
        }
        double most = fmin(row_end(p, row) - x - KEY_LINE, NAME_PX);
        mry_paths_line(cr, x, y - 4, x + KEY_LINE - 6, y - 4, mry_paths_colour(w), 3);
        x += KEY_LINE + KEY_GAP +
             mry_text(cr, x + KEY_LINE, y, MRY_PATHS_LETTERS, MRY_TEXT, 0, fmax(most, 1),
                      p->walkers[w].name);
    }
}

void mry_paths_draw_key(const mry_paths_plan *p, cairo_t *cr)
{
    if (has_marks_key(p)) draw_marks_key(p, cr);
    draw_names(p, cr);
}

/* ---- distances --------------------------------------------------------------------------------------------- */

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

/* Times at which a walker is looked at: one for each pixel. */
static int times_of(const mry_paths_plan *p, int walker)
{
    return (int)ceil(p->panel.width * both_last(p, walker) / p->seconds) + 1;
}

static double time_at(const mry_paths_plan *p, int walker, int i)
{
    return both_last(p, walker) * i / (times_of(p, walker) - 1);
}

static mry_span metres_of(const mry_paths_plan *p)
{
    mry_span of = { 0, 0.5 };
    for (int w = 1; w < p->count; w++) {
        for (int i = 0; i < times_of(p, w); i++)
            of.high = fmax(of.high, 1.05 * metres_away(p, w, time_at(p, w, i)));
    }
    return of;
}

static double x_of(const mry_paths_plan *p, double time_s)
{
    return p->panel.x + time_s / p->seconds * p->panel.width;
}

static double y_of(const mry_paths_plan *p, mry_span metres, double at)
{
    return p->panel.y + (metres.high - at) / (metres.high - metres.low) * p->panel.height;
}

static void draw_axes(const mry_paths_plan *p, cairo_t *cr, mry_span metres)
{
    char text[64];
    const mry_rectangle *r = &p->panel;
    mry_ticks up = mry_ticks_of(metres, r->height / 34);
    for (int i = 0; i < up.count; i++) {
        double y = y_of(p, metres, mry_tick_at(&up, i));
        mry_paths_line(cr, r->x, floor(y) + 0.5, r->x + r->width, floor(y) + 0.5, MRY_FAINT, 1);
        mry_tick_text(&up, i, text, sizeof text);
        mry_text(cr, r->x - 8, y + 4, MRY_PATHS_SMALL, MRY_PALE, 1, r->x - 10, text);
    }
    mry_ticks along = mry_ticks_of((mry_span){ 0, p->seconds }, r->width / 62);
    for (int i = 0; i < along.count; i++) {
        double x = x_of(p, mry_tick_at(&along, i));
        mry_paths_line(cr, floor(x) + 0.5, r->y, floor(x) + 0.5, r->y + r->height, MRY_FAINT, 1);
        mry_tick_text(&along, i, text, sizeof text);
        mry_text(cr, x, r->y + r->height + 16, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0, text);
    }
    snprintf(text, sizeof text, "distance from %s, m",
             p->walkers[0].name ? p->walkers[0].name : "the main character");
    mry_text(cr, r->x, r->y - 8, MRY_PATHS_LETTERS, MRY_TEXT, 0, r->width, text);
    mry_text(cr, r->x + r->width / 2, r->y + r->height + 34, MRY_PATHS_SMALL, MRY_PALE, 0.5, 0,
             "seconds");
}

void mry_paths_draw_distances(const mry_paths_plan *p, cairo_t *cr)
{
    if (p->panel.height <= 0) return;
    mry_span metres = metres_of(p);
    draw_axes(p, cr, metres);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (int w = 1; w < p->count; w++) {
        int count = times_of(p, w);
        cairo_new_path(cr);
        for (int i = 0; i < count; i++) {
            double time_s = time_at(p, w, i);
            cairo_line_to(cr, x_of(p, time_s), y_of(p, metres, metres_away(p, w, time_s)));
        }
        mry_ink(cr, mry_paths_colour(w));
        cairo_set_line_width(cr, 1.7 * p->size);
        cairo_stroke(cr);
    }
}
