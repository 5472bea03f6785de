/* strip_axis.c - the lower edge of a strip: when each foot is planted, seconds and frames. */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>

static void draw_bar(const mry_strip *strip, cairo_t *cr, double row, double start, double end,
                     mry_colour colour)
{
    const mry_strip_layout *l = &strip->layout;
    double x0 = mry_strip_x(strip, start), x1 = mry_strip_x(strip, end);
    mry_ink(cr, colour);
    cairo_rectangle(cr, x0, l->bars_y + row * l->bar_step, fmax(x1 - x0, 1), l->bar_height);
    cairo_fill(cr);
}

/* Four rows: left heel, left toe, right heel, right toe. Heels are paler. */
static void draw_bars(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    int last = marey_clip_frames(strip->clip) - 1;
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        bool right = contact->joint >= MAREY_CONTACT_RIGHT_HEEL;
        bool heel = (contact->joint & 1) == 0;
        mry_colour colour = right ? MRY_RIGHT : MRY_LEFT;
        if (heel) colour = mry_colour_mix(colour, MRY_WHITE, 0.4);
        draw_bar(strip, cr, contact->joint, mry_clamp(contact->start, 0, last),
                 mry_clamp(contact->end, 0, last), colour);
    }
    if (l->small || !strip->body.volumes) return;
    double size = 1.9 * l->bar_step;
    mry_text(cr, l->left - 6, l->bars_y + 1.75 * l->bar_step, size, MRY_LEFT, 1, 0, "L");
    mry_text(cr, l->left - 6, l->bars_y + 3.75 * l->bar_step, size, MRY_RIGHT, 1, 0, "R");
}

/* Frames that are no captured motion. */
static void draw_marks(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    int count, last = marey_clip_frames(strip->clip) - 1;
    const marey_mark *marks = marey_clip_marks(strip->clip, &count);
    mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_WHITE, 0.3));
    for (int i = 0; i < count; i++) {
        double x0 = mry_strip_x(strip, mry_clamp(marks[i].start, 0, last));
        double x1 = mry_strip_x(strip, mry_clamp(marks[i].end, 0, last));
        cairo_rectangle(cr, x0, l->bars_y, fmax(x1 - x0, 1), l->axis_y - l->bars_y);
    }
    cairo_fill(cr);
}

/* 1, 2 or 5 times a power of ten, and at least `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double digit = least / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void draw_ticks(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    const double apart = 70;
    double fps = marey_clip_fps(strip->clip), end = (marey_clip_frames(strip->clip) - 1) / fps;
    double letters = mry_clamp(0.034 * strip->height, 10, 16), width = l->right - l->left;
    /* Never finer than a frame. */
    double step = round_step(fmax(end * apart / fmax(width, apart), 1 / fps));
    int count = (int)mry_clamp(floor(end / step + 1e-9), 0, width);
    for (int i = 0; i <= count; i++) {
        char text[32];
        double frame = i * step * fps, x = mry_strip_x(strip, frame);
        mry_ink(cr, MRY_PALE);
        cairo_set_line_width(cr, 1);
        cairo_move_to(cr, x, l->axis_y);
        cairo_line_to(cr, x, l->axis_y + 4);
        cairo_stroke(cr);
        double align = x + 20 > l->right ? 1 : i == 0 && count > 0 ? 0 : 0.5;
        snprintf(text, sizeof text, "%.6g s", i * step);
        mry_text(cr, x, l->axis_y + 4 + letters, letters, MRY_TEXT, align, 0, text);
        snprintf(text, sizeof text, "%.0f", frame);
        mry_text(cr, x, l->axis_y + 4 + 2.1 * letters, 0.85 * letters, MRY_PALE, align, 0, text);
    }
}

void mry_strip_axis(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    draw_marks(strip, cr);
    draw_bars(strip, cr);
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, l->small ? 0.6 : 1);
    cairo_move_to(cr, l->left, l->axis_y);
    cairo_line_to(cr, l->right, l->axis_y);
    cairo_stroke(cr);
    for (int i = 0; i < strip->pose_count; i++) { /* when the figures are */
        double x = mry_strip_x(strip, strip->poses[i].frame);
        mry_ink(cr, l->small ? MRY_PALE : MRY_TEXT);
        cairo_arc(cr, x, l->axis_y, l->small ? 1 : 2.2, 0, 2 * M_PI);
        cairo_fill(cr);
    }
    if (!l->small) draw_ticks(strip, cr);
}
