/* grid_picture_figures.c - poses of the two clips beside the grid, each where its time is on the axis. */
#include "picture/grid_picture.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <string.h>

static const double PITCH_RAD = 0.2; /* as in strips */

static double share_of(const mry_grid_axis *axis, int sample)
{
    return (marey_features_row(axis->side->features, axis->track.frames[sample]) + 0.5) /
           axis->rows;
}

/* Is there room for a figure here, beside those that are there? */
static bool has_room(const mry_grid_axis *axis, double share, double length)
{
    const double half = MRY_GRID_FIGURE / 2.0;
    if (axis->figure_count == MRY_GRID_MOST_FIGURES) return false;
    if (share * length < half - 1 || (1 - share) * length < half - 1) return false;
    for (int i = 0; i < axis->figure_count; i++) {
        if (fabs(axis->figures[i].share - share) * length < MRY_GRID_FIGURE) return false;
    }
    return true;
}

static void take_sample(mry_grid_axis *axis, int sample)
{
    mry_grid_figure *figure = &axis->figures[axis->figure_count++];
    figure->sample = sample;
    figure->share = share_of(axis, sample);
}

/* First the poses that tell the motion best, each at its time; then whatever fits in between. */
static bool choose_samples(mry_grid_axis *axis, mry_arena *mem, double length)
{
    enum { RANKED = 64 };
    int ranked[RANKED];
    bool ok;
    int count = mry_track_rank(&axis->track, mem, RANKED, ranked, &ok);
    if (!ok) return false;
    for (int i = 0; i < count; i++) {
        if (has_room(axis, share_of(axis, ranked[i]), length)) take_sample(axis, ranked[i]);
    }
    for (int i = 0; i < axis->track.count; i++) {
        if (has_room(axis, share_of(axis, i), length)) take_sample(axis, i);
    }
    if (axis->figure_count == 0) take_sample(axis, axis->track.count / 2);
    return true;
}

static bool fill_figure(mry_grid_axis *axis, mry_arena *mem, double *positions,
                        mry_grid_figure *figure)
{
    const marey_clip *clip = axis->side->clip;
    int frame = axis->track.frames[figure->sample];
    figure->parts = MRY_NEW_RAW(mem, mry_part, axis->body.most_parts);
    if (!figure->parts) return false;
    marey_clip_positions(clip, frame, 1, positions);
    figure->part_count =
        mry_body_parts(&axis->body, positions, marey_clip_rotations(clip, frame), figure->parts);
    memcpy(figure->origin, axis->track.roots + 3 * (size_t)figure->sample, sizeof figure->origin);
    figure->origin[1] = axis->track.floor_cm;
    mry_figure_extent(&axis->view, figure->origin, figure->parts, figure->part_count, figure->box);
    return true;
}

bool mry_grid_figures(mry_grid_axis *axis, mry_arena *mem, double length)
{
    const marey_clip *clip = axis->side->clip;
    if (!mry_track_find(&axis->track, &axis->body, mem, clip)) return false;
    axis->view = mry_view_make(mry_track_yaw(&axis->track, &axis->body, 0), PITCH_RAD);
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)axis->body.skeleton->joint_count);
    if (!positions || !choose_samples(axis, mem, length)) return false;
    for (int i = 0; i < axis->figure_count; i++) {
        if (!fill_figure(axis, mem, positions, &axis->figures[i])) return false;
    }
    return true;
}

double mry_grid_figure_scale(const mry_grid_axis *axis)
{
    double above = 0.3 * axis->body.height_cm, below = 0.03 * axis->body.height_cm, wide = 1;
    for (int i = 0; i < axis->figure_count; i++) {
        const double *box = axis->figures[i].box;
        above = fmax(above, -box[1]);
        below = fmax(below, box[3]);
        wide = fmax(wide, 2 * fmax(-box[0], box[2]));
    }
    return fmin((MRY_GRID_FIGURE - 4) / (above + below), MRY_GRID_FIGURE / wide);
}

static void draw_figure(const mry_grid_plan *plan, const mry_grid_axis *axis, cairo_t *cr, int i,
                        double x, double floor_y)
{
    const mry_grid_figure *figure = &axis->figures[i];
    mry_stage stage = { .view = axis->view, .x = x, .y = floor_y, .scale = plan->scale };
    memcpy(stage.origin, figure->origin, sizeof stage.origin);
    mry_figure_shadow(cr, &stage, figure->parts, figure->part_count);
    mry_figure_draw(cr, &stage, figure->parts, figure->part_count, axis->body.height_cm);
}

/* A small arrow at the grid's edge says which time a figure belongs to. */
static void draw_mark(cairo_t *cr, double x, double y, double dx, double dy)
{
    mry_ink(cr, MRY_TEXT);
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x - 6 * dx + 3 * dy, y - 6 * dy + 3 * dx);
    cairo_line_to(cr, x - 6 * dx - 3 * dy, y - 6 * dy - 3 * dx);
    cairo_close_path(cr);
    cairo_fill(cr);
}

void mry_grid_draw_figures(const mry_grid_plan *plan, cairo_t *cr)
{
    const mry_grid_axis *down = &plan->axes[0], *across = &plan->axes[1];
    double column = plan->left - 66 - MRY_GRID_FIGURE / 2.0;
    for (int i = 0; i < down->figure_count; i++) {
        const double *box = down->figures[i].box;
        double y = plan->top + down->figures[i].share * plan->height;
        draw_figure(plan, down, cr, i, column, y - plan->scale * (box[1] + box[3]) / 2);
        draw_mark(cr, plan->left - 1, y, 1, 0);
    }
    double below = 0;
    for (int i = 0; i < across->figure_count; i++) {
        below = fmax(below, across->figures[i].box[3]);
    }
    for (int i = 0; i < across->figure_count; i++) {
        double x = plan->left + across->figures[i].share * plan->width;
        draw_figure(plan, across, cr, i, x, plan->top - 12 - plan->scale * below);
        draw_mark(cr, x, plan->top - 1, 0, 1);
    }
}
