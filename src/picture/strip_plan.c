/* strip_plan.c - the root's path and the foot prints seen from above, in the corner of a strip. What is to the
   right in the strip is to the right here; what is far from the camera is at the top. */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>

typedef struct plan {
    const mry_strip *strip;
    double middle[2]; /* of what is shown, in cm across and away from the camera */
    double x, y;      /* where that is drawn */
    double scale;
} plan;

static void floor_place(const mry_strip *strip, double x, double z, double *across, double *away)
{
    const double *right = strip->view.right;
    *across = x * right[0] + z * right[2];
    *away = -(z * right[0] - x * right[2]);
}

/* low[0], low[1], high[0], high[1] */
static void widen(const mry_strip *strip, double x, double z, double *box)
{
    double at[2];
    floor_place(strip, x, z, &at[0], &at[1]);
    for (int k = 0; k < 2; k++) {
        if (at[k] < box[k]) box[k] = at[k];
        if (at[k] > box[2 + k]) box[2 + k] = at[k];
    }
}

static void find_scale(plan *p)
{
    const mry_strip *strip = p->strip;
    const double *roots = strip->track.roots, *prints = strip->print_at;
    double box[4] = { INFINITY, INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < strip->track.count; i++) {
        widen(strip, roots[3 * (size_t)i], roots[3 * (size_t)i + 2], box);
    }
    for (int i = 0; i < strip->prints; i++) widen(strip, prints[2 * i], prints[2 * i + 1], box);
    const double *low = box, *high = box + 2;
    for (int k = 0; k < 2; k++) p->middle[k] = (low[k] + high[k]) / 2;
    double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), 0.5 * strip->body.height_cm);
    p->scale = 0.8 * strip->layout.plan_size / size;
}

static void spot(const plan *p, double x, double z, double *px, double *py)
{
    double across, away;
    floor_place(p->strip, x, z, &across, &away);
    *px = p->x + p->scale * (across - p->middle[0]);
    *py = p->y - p->scale * (away - p->middle[1]);
}

/* Pale at the start, dark at the end. */
static void draw_path(const plan *p, cairo_t *cr)
{
    const mry_track *track = &p->strip->track;
    cairo_set_line_width(cr, 1.8);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    for (int i = 1; i < track->count; i++) {
        double x0, y0, x1, y1;
        spot(p, track->roots[3 * i - 3], track->roots[3 * i - 1], &x0, &y0);
        spot(p, track->roots[3 * i], track->roots[3 * i + 2], &x1, &y1);
        mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_TEXT, (double)i / track->count));
        cairo_move_to(cr, x0, y0);
        cairo_line_to(cr, x1, y1);
        cairo_stroke(cr);
    }
}

static void draw_dots(const plan *p, cairo_t *cr)
{
    const mry_strip *strip = p->strip;
    double x, y;
    for (int i = 0; i < strip->prints; i++) {
        spot(p, strip->print_at[2 * i], strip->print_at[2 * i + 1], &x, &y);
        mry_ink(cr, strip->print_right[i] ? MRY_RIGHT : MRY_LEFT);
        cairo_arc(cr, x, y, 1.8, 0, 2 * M_PI);
        cairo_fill(cr);
    }
    for (int i = 0; i < strip->pose_count; i++) {
        spot(p, strip->poses[i].origin[0], strip->poses[i].origin[2], &x, &y);
        bool last = i == strip->pose_count - 1;
        cairo_arc(cr, x, y, i == 0 || last ? 4 : 2.2, 0, 2 * M_PI);
        mry_ink(cr, i == 0 ? MRY_WHITE : MRY_TEXT);
        cairo_fill_preserve(cr);
        mry_ink(cr, MRY_TEXT);
        cairo_set_line_width(cr, 1);
        cairo_stroke(cr);
    }
}

/* How long a metre, or whatever is a round length, is. */
static void draw_ruler(const plan *p, cairo_t *cr)
{
    static const double lengths_cm[] = { 1, 10, 50, 100, 200, 500, 1000, 2000, 5000, 10000 };
    const mry_strip_layout *l = &p->strip->layout;
    const double *best = lengths_cm;
    const double *last = lengths_cm + sizeof lengths_cm / sizeof *lengths_cm - 1;
    while (best < last && best[1] * p->scale < 0.45 * l->plan_size) best++;
    double length = *best * p->scale, x = l->plan_left + 8;
    double y = l->top + l->plan_size - 7;
    char text[32];
    if (length > l->plan_size) return; /* a clip of a kilometre */
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1.5);
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + length, y);
    cairo_stroke(cr);
    snprintf(text, sizeof text, "%g m", *best / 100);
    mry_text(cr, x, y - 4, 10, MRY_PALE, 0, 0, text);
}

void mry_strip_plan(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    plan p = { .strip = strip,
               .x = l->plan_left + l->plan_size / 2,
               .y = l->top + l->plan_size / 2 };
    find_scale(&p);
    cairo_save(cr);
    cairo_rectangle(cr, l->plan_left, l->top, l->plan_size, l->plan_size);
    mry_ink(cr, (mry_colour){ 0.975, 0.977, 0.98 });
    cairo_fill_preserve(cr);
    mry_ink(cr, MRY_FAINT);
    cairo_set_line_width(cr, 1);
    cairo_stroke_preserve(cr);
    cairo_clip(cr);
    draw_path(&p, cr);
    draw_dots(&p, cr);
    draw_ruler(&p, cr);
    cairo_restore(cr);
}
