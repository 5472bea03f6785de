/* strip_draw.c - a strip drawn: the figures on their floor, when each foot is planted, seconds and
   frames, and in the corner the root's path and the foot prints seen from above. What is to the
   right in the strip is to the right there; what is far from the camera is at the top. */
#include "picture/strip.h"

#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>

typedef struct plan {
    const mry_strip *strip;
    double middle[2]; /* of what is shown, in cm across and away from the camera */
    double x, y;      /* where that is drawn */
    double scale;
} plan;

static void draw_axis(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    /* Frames that are no captured motion. */
    int count, last = marey_clip_frames(strip->clip) - 1;
    const marey_mark *marks = marey_clip_marks(strip->clip, &count);
    mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_WHITE, 0.3));
    for (int i = 0; i < count; i++) {
        double x0 = mry_strip_x(strip, mry_clamp(marks[i].start, 0, last));
        double x1 = mry_strip_x(strip, mry_clamp(marks[i].end, 0, last));
        cairo_rectangle(cr, x0, l->bars_y, fmax(x1 - x0, 1), l->axis_y - l->bars_y);
    }
    cairo_fill(cr);
    /* A row for each point: left heel, left toe, right heel, right toe, left hand, right hand.
       Heels are paler. */
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        bool heel =
            contact->joint == MAREY_CONTACT_LEFT_HEEL || contact->joint == MAREY_CONTACT_RIGHT_HEEL;
        mry_colour colour = mry_contact_is_right(contact->joint) ? MRY_RIGHT : MRY_LEFT;
        if (heel) colour = mry_colour_mix(colour, MRY_WHITE, 0.4);
        double x0 = mry_strip_x(strip, mry_clamp(contact->start, 0, last));
        double x1 = mry_strip_x(strip, mry_clamp(contact->end, 0, last));
        mry_ink(cr, colour);
        cairo_rectangle(cr, x0, l->bars_y + contact->joint * l->bar_step, fmax(x1 - x0, 1),
                        l->bar_height);
        cairo_fill(cr);
    }
    if (!l->small && strip->body.volumes) {
        double size = 1.9 * l->bar_step;
        mry_text(cr, l->left - 6, l->bars_y + 1.75 * l->bar_step, size, MRY_LEFT, 1, 0, "L");
        mry_text(cr, l->left - 6, l->bars_y + 3.75 * l->bar_step, size, MRY_RIGHT, 1, 0, "R");
    }
    mry_line(cr, l->left, l->axis_y, l->right, l->axis_y, MRY_PALE, l->small ? 0.6 : 1);
    for (int i = 0; i < strip->pose_count; i++) { /* when the figures are */
        double x = mry_strip_x(strip, strip->poses[i].frame);
        mry_ink(cr, l->small ? MRY_PALE : MRY_TEXT);
        cairo_arc(cr, x, l->axis_y, l->small ? 1 : 2.2, 0, 2 * M_PI);
        cairo_fill(cr);
    }
    if (l->small) return;
    /* Seconds and frames; never finer than a frame. */
    const double apart = 70;
    double fps = marey_clip_fps(strip->clip), end = (marey_clip_frames(strip->clip) - 1) / fps;
    double letters = mry_clamp(0.034 * strip->height, 10, 16), width = l->right - l->left;
    double step = mry_round_step(fmax(end * apart / fmax(width, apart), 1 / fps));
    int ticks = (int)mry_clamp(floor(end / step + 1e-9), 0, width);
    for (int i = 0; i <= ticks; i++) {
        char text[32];
        double frame = i * step * fps, x = mry_strip_x(strip, frame);
        mry_line(cr, x, l->axis_y, x, l->axis_y + 4, MRY_PALE, 1);
        double align = x + 20 > l->right ? 1 : i == 0 && ticks > 0 ? 0 : 0.5;
        snprintf(text, sizeof text, "%.6g s", i * step);
        mry_text(cr, x, l->axis_y + 4 + letters, letters, MRY_TEXT, align, 0, text);
        snprintf(text, sizeof text, "%.0f", frame);
        mry_text(cr, x, l->axis_y + 4 + 2.1 * letters, 0.85 * letters, MRY_PALE, align, 0, text);
    }
}

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

static void spot(const plan *p, double x, double z, double *px, double *py)
{
    double across, away;
    floor_place(p->strip, x, z, &across, &away);
    *px = p->x + p->scale * (across - p->middle[0]);
    *py = p->y - p->scale * (away - p->middle[1]);
}

/* How long a metre, or another round length, is. */
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
    mry_line(cr, x, y, x + length, y, MRY_PALE, 1.5);
    snprintf(text, sizeof text, "%g m", *best / 100);
    mry_text(cr, x, y - 4, 10, MRY_PALE, 0, 0, text);
}

static void draw_plan(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    plan p = { .strip = strip,
               .x = l->plan_left + l->plan_size / 2,
               .y = l->top + l->plan_size / 2 };
    const double *roots = strip->track.roots, *prints = strip->print_at;
    double box[4] = { INFINITY, INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < strip->track.count; i++) {
        widen(strip, roots[3 * (size_t)i], roots[3 * (size_t)i + 2], box);
    }
    for (int i = 0; i < strip->prints; i++) widen(strip, prints[2 * i], prints[2 * i + 1], box);
    const double *low = box, *high = box + 2;
    for (int k = 0; k < 2; k++) p.middle[k] = (low[k] + high[k]) / 2;
    double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), 0.5 * strip->body.height_cm);
    p.scale = 0.8 * l->plan_size / size;
    cairo_save(cr);
    cairo_rectangle(cr, l->plan_left, l->top, l->plan_size, l->plan_size);
    mry_ink(cr, (mry_colour){ 0.975, 0.977, 0.98 });
    cairo_fill_preserve(cr);
    mry_ink(cr, MRY_FAINT);
    cairo_set_line_width(cr, 1);
    cairo_stroke_preserve(cr);
    cairo_clip(cr);
    /* The path, pale at the start, dark at the end. */
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    for (int i = 1; i < strip->track.count; i++) {
        double x0, y0, x1, y1;
        spot(&p, roots[3 * i - 3], roots[3 * i - 1], &x0, &y0);
        spot(&p, roots[3 * i], roots[3 * i + 2], &x1, &y1);
        mry_line(cr, x0, y0, x1, y1,
                 mry_colour_mix(MRY_FAINT, MRY_TEXT, (double)i / strip->track.count), 1.8);
    }
    /* Foot prints, and where the figures are. */
    double x, y;
    for (int i = 0; i < strip->prints; i++) {
        spot(&p, prints[2 * i], prints[2 * i + 1], &x, &y);
        mry_ink(cr, strip->print_right[i] ? MRY_RIGHT : MRY_LEFT);
        cairo_arc(cr, x, y, 1.8, 0, 2 * M_PI);
        cairo_fill(cr);
    }
    for (int i = 0; i < strip->pose_count; i++) {
        spot(&p, strip->poses[i].origin[0], strip->poses[i].origin[2], &x, &y);
        bool last = i == strip->pose_count - 1;
        cairo_arc(cr, x, y, i == 0 || last ? 4 : 2.2, 0, 2 * M_PI);
        mry_ink(cr, i == 0 ? MRY_WHITE : MRY_TEXT);
        cairo_fill_preserve(cr);
        mry_ink(cr, MRY_TEXT);
        cairo_set_line_width(cr, 1);
        cairo_stroke(cr);
    }
    draw_ruler(&p, cr);
    cairo_restore(cr);
}

static mry_stage stage_of(const mry_strip *strip, const mry_strip_pose *pose)
{
    mry_stage stage = {
        .view = strip->view, .x = pose->x, .y = strip->layout.floor_y, .scale = strip->scale
    };
    for (int k = 0; k < 3; k++) stage.origin[k] = pose->origin[k];
    return stage;
}

/* A bar on the ground below every planted point. */
static void draw_plants(const mry_strip *strip, cairo_t *cr, const mry_strip_pose *pose)
{
    mry_stage stage = stage_of(strip, pose);
    double half = 0.028 * strip->body.height_cm * strip->scale;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    double width = mry_clamp(0.022 * strip->body.height_cm * strip->scale, 1, 5);
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        if (pose->frame < contact->start || pose->frame >= contact->end) continue;
        bool toe =
            contact->joint == MAREY_CONTACT_LEFT_TOE || contact->joint == MAREY_CONTACT_RIGHT_TOE;
        double off[3];
        mry_add3(pose->points + 3 * contact->joint, -1, stage.origin, off);
        off[1] -= (toe ? 0.027 : 0.055) * strip->body.height_cm; /* the sole below the joint */
        double x = stage.x + stage.scale * mry_dot3(off, stage.view.right);
        double y = stage.y - stage.scale * mry_dot3(off, stage.view.up);
        mry_line(cr, x - half, y, x + half, y,
                 mry_contact_is_right(contact->joint) ? MRY_RIGHT : MRY_LEFT, width);
    }
}

void mry_strip_draw(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    double near = l->small ? 2 : 5;
    cairo_save(cr);
    cairo_set_tolerance(cr, 0.15);
    /* From each figure to its time. A figure over its time needs only a hint; one that had to step
       aside, a line that can be followed. */
    for (int i = 0; i < strip->pose_count; i++) {
        double x = mry_strip_x(strip, strip->poses[i].frame), from = strip->poses[i].x;
        double share = mry_clamp(fabs(x - from) / near, 0, 1);
        mry_ink(cr, mry_colour_mix(MRY_FAINT, MRY_PALE, share));
        cairo_set_line_width(cr, (l->small ? 0.6 : 1) + (l->small ? 0.1 : 0.2) * share);
        cairo_move_to(cr, from, l->floor_y);
        cairo_line_to(cr, x, l->bars_y - 1);
        cairo_line_to(cr, x, l->axis_y);
        cairo_stroke(cr);
    }
    for (int i = 0; i < strip->pose_count; i++) {
        mry_stage stage = stage_of(strip, &strip->poses[i]);
        mry_figure_shadow(cr, &stage, strip->poses[i].parts, strip->poses[i].part_count);
    }
    mry_line(cr, l->left, l->floor_y, l->right, l->floor_y, MRY_FAINT, l->small ? 0.7 : 1.2);
    for (int i = 0; i < strip->pose_count; i++) draw_plants(strip, cr, &strip->poses[i]);
    for (int i = 0; i < strip->pose_count; i++) {
        mry_stage stage = stage_of(strip, &strip->poses[i]);
        mry_figure_draw(cr, &stage, strip->poses[i].parts, strip->poses[i].part_count,
                        strip->body.height_cm);
    }
    draw_axis(strip, cr);
    if (l->plan_size > 0) draw_plan(strip, cr);
    if (l->title_size > 0) {
        char about[96];
        double size = l->title_size, most = strip->width - l->left, end = strip->width - 12;
        snprintf(about, sizeof about, l->small ? "%.4g s" : "%.4g s \xc2\xb7 %d frames at %.4g Hz",
                 marey_clip_seconds(strip->clip), marey_clip_frames(strip->clip),
                 marey_clip_fps(strip->clip));
        double x = l->small ? l->left : l->left - 24;
        x += mry_text(cr, x, l->title_y, size, MRY_TEXT, 0, 0.55 * most, strip->title) + size;
        mry_text(cr, x, l->title_y, 0.82 * size, MRY_PALE, 0, 0.3 * most, about);
        if (!l->small && strip->body.volumes) {
            end -= mry_text(cr, end, l->title_y, 0.82 * size, MRY_RIGHT, 1, 0, "right") + size;
            mry_text(cr, end, l->title_y, 0.82 * size, MRY_LEFT, 1, 0, "left");
        }
    }
    cairo_restore(cr);
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    mry_strip_draw(user, canvas->cr);
    return MAREY_OK;
}

marey_status marey_strip_save(const marey_clip *clip, const marey_strip_def *def, const char *path,
                              marey_error *error)
{
    enum { LEAST = 48, MOST = 16384 };
    int width = def && def->width_px ? def->width_px : 1600;
    int height = def && def->height_px ? def->height_px : 320;
    if (width < LEAST || width > MOST || height < LEAST || height > MOST) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "sides of a strip must be %d to %d pixels, got %d x %d", LEAST, MOST, width,
                        height);
    }
    if (def && def->poses < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "poses must be at least 0, got %d",
                        def->poses);
    mry_strip strip;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_status status = mry_strip_find(&strip, &tmp, clip, def, 0, width, height, true);
    if (status) {
        mry_fail(error, status, path, "%s", marey_status_name(status));
    } else {
        status = mry_canvas_draw(&tmp, path, width, height, draw, &strip, error);
    }
    mry_arena_free(&tmp);
    return status;
}
