/* strip_draw.c - the figures of a strip on their floor, the title, and the order in which all is drawn. */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <stdio.h>

static mry_stage stage_of(const mry_strip *strip, const mry_strip_pose *pose)
{
    mry_stage stage = {
        .view = strip->view, .x = pose->x, .y = strip->layout.floor_y, .scale = strip->scale
    };
    for (int k = 0; k < 3; k++) stage.origin[k] = pose->origin[k];
    return stage;
}

static void draw_floor(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    mry_ink(cr, MRY_FAINT);
    cairo_set_line_width(cr, l->small ? 0.7 : 1.2);
    cairo_move_to(cr, l->left, l->floor_y);
    cairo_line_to(cr, l->right, l->floor_y);
    cairo_stroke(cr);
}

/* From each figure to its time. Who stands over it needs only a hint; who had to step aside, a line that can be followed. */
static void draw_leaders(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    double near = l->small ? 2 : 5;
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
}

/* A bar on the ground below every planted point of the feet. */
static void draw_plants(const mry_strip *strip, cairo_t *cr, const mry_strip_pose *pose)
{
    mry_stage stage = stage_of(strip, pose);
    double half = 0.028 * strip->body.height_cm * strip->scale;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(cr, mry_clamp(0.022 * strip->body.height_cm * strip->scale, 1, 5));
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        if (pose->frame < contact->start || pose->frame >= contact->end) continue;
        bool heel =
            contact->joint == MAREY_CONTACT_LEFT_HEEL || contact->joint == MAREY_CONTACT_RIGHT_HEEL;
        double off[3];
        mry_add3(pose->feet[contact->joint], -1, stage.origin, off);
        off[1] -= (heel ? 0.055 : 0.027) * strip->body.height_cm; /* the sole below the joint */
        double x = stage.x + stage.scale * mry_dot3(off, stage.view.right);
        double y = stage.y - stage.scale * mry_dot3(off, stage.view.up);
        mry_ink(cr, contact->joint < MAREY_CONTACT_RIGHT_HEEL ? MRY_LEFT : MRY_RIGHT);
        cairo_move_to(cr, x - half, y);
        cairo_line_to(cr, x + half, y);
        cairo_stroke(cr);
    }
}

static void draw_title(const mry_strip *strip, cairo_t *cr)
{
    const mry_strip_layout *l = &strip->layout;
    char about[96];
    double size = l->title_size, most = strip->width - l->left;
    snprintf(about, sizeof about, l->small ? "%.4g s" : "%.4g s \xc2\xb7 %d frames at %.4g Hz",
             marey_clip_seconds(strip->clip), marey_clip_frames(strip->clip),
             marey_clip_fps(strip->clip));
    double x = l->small ? l->left : l->left - 24;
    x += mry_text(cr, x, l->title_y, size, MRY_TEXT, 0, 0.55 * most, strip->title) + size;
    x += mry_text(cr, x, l->title_y, 0.82 * size, MRY_PALE, 0, 0.3 * most, about);
    if (l->small || !strip->body.volumes) return;
    double end = strip->width - 12;
    end -= mry_text(cr, end, l->title_y, 0.82 * size, MRY_RIGHT, 1, 0, "right") + size;
    mry_text(cr, end, l->title_y, 0.82 * size, MRY_LEFT, 1, 0, "left");
}

void mry_strip_draw(const mry_strip *strip, cairo_t *cr)
{
    cairo_save(cr);
    cairo_set_tolerance(cr, 0.15);
    draw_leaders(strip, cr);
    for (int i = 0; i < strip->pose_count; i++) {
        mry_stage stage = stage_of(strip, &strip->poses[i]);
        mry_figure_shadow(cr, &stage, strip->poses[i].parts, strip->poses[i].part_count);
    }
    draw_floor(strip, cr);
    for (int i = 0; i < strip->pose_count; i++) draw_plants(strip, cr, &strip->poses[i]);
    for (int i = 0; i < strip->pose_count; i++) {
        mry_stage stage = stage_of(strip, &strip->poses[i]);
        mry_figure_draw(cr, &stage, strip->poses[i].parts, strip->poses[i].part_count,
                        strip->body.height_cm);
    }
    mry_strip_axis(strip, cr);
    if (strip->layout.plan_size > 0) mry_strip_plan(strip, cr);
    if (strip->layout.title_size > 0) draw_title(strip, cr);
    cairo_restore(cr);
}
