/* grid_picture.c - a grid of distances as an image between the two clips that it compares: which
   colour stands for which distance, poses of both clips where their time is on the axes, seconds
   and frames, dots for pairs and minima. */
#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/figure.h"
#include "picture/track.h"
#include "picture/vec3.h"

#include <marey/picture.h>

#include <cairo.h>
#include <stdio.h>
#include <string.h>

enum {
    FIGURE = 84, /* pixels that a figure may be high, and its slot wide */
    MOST_FIGURES = 24,
    LETTERS = 12,
    BINS = 4096 /* of distances */
};
enum { LEAST_SIDE = 120, MOST_SIDE = 8192, DEFAULT_SIDE = 900 };

typedef struct grid_figure {
    int sample;   /* of the track */
    double share; /* where it is along the axis, 0 .. 1 */
    double origin[3];
    double box[4]; /* left, top, right, bottom about the origin, in cm of the picture */
    mry_part *parts;
    int part_count;
} grid_figure;

/* One clip along its axis. */
typedef struct grid_axis {
    const marey_grid_side *side;
    int rows;
    double fps;     /* of the rows */
    double start_s; /* the time of the first row */
    double shown_fps;
    const char *title;
    mry_body body;
    mry_track track;
    mry_view view;
    grid_figure figures[MOST_FIGURES];
    int figure_count;
} grid_axis;

/* What is where, in pixels:

       title
                 figures of the second clip
       figures   +---------------------------+   scale
       of the    |  grid                     |
       first     +---------------------------+
                   seconds, frames
                   what the dots are                         */
typedef struct grid_plan {
    marey_rows cells;
    const marey_grid_picture_def *def;
    const marey_metric *metric;
    bool rooted;                     /* colours and scale go by the root of the distance */
    double low, high;                /* what the darkest and the lightest colour stand for */
    bool high_is_greatest;           /* otherwise there are cells above it */
    double left, top, width, height; /* of the grid */
    int page_width, page_height;
    double scale; /* pixels per cm of the figures */
    grid_axis axes[2];
    uint32_t shades[MRY_SHADES]; /* 0x00RRGGBB, dark to light */
} grid_plan;

/* The place of the middle of a cell. */
static double x_of(const grid_plan *plan, double col)
{
    return plan->left + (col + 0.5) * plan->width / plan->cells.cols;
}

static double y_of(const grid_plan *plan, double row)
{
    return plan->top + (row + 0.5) * plan->height / plan->cells.rows;
}

/* From the least distance to the one that 99 of 100 cells do not exceed. */
static bool find_range(grid_plan *plan, mry_arena *tmp)
{
    int64_t *bins = MRY_NEW(tmp, int64_t, BINS);
    float least = INFINITY, greatest = -INFINITY;
    if (!bins) return false;
    for (int i = 0; i < plan->cells.rows; i++) {
        const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
        for (int j = 0; j < plan->cells.cols; j++) {
            least = row[j] < least ? row[j] : least;
            greatest = row[j] > greatest ? row[j] : greatest;
        }
    }
    double high = greatest, cells = (double)plan->cells.rows * plan->cells.cols;
    plan->high_is_greatest = true;
    if (greatest > least) {
        float factor = (float)((BINS - 1) / ((double)greatest - least));
        double below = 0;
        int bin = 0;
        for (int i = 0; i < plan->cells.rows; i++) {
            const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
            for (int j = 0; j < plan->cells.cols; j++) bins[(int)(factor * (row[j] - least))]++;
        }
        while (bin < BINS - 1 && (below += (double)bins[bin]) < 0.99 * cells) bin++;
        /* Rounding may put the greatest into the last bin but one. */
        plan->high_is_greatest = bin >= BINS - 2;
        if (!plan->high_is_greatest) high = least + (bin + 1) / (double)factor;
    }
    plan->low = plan->rooted ? sqrt(least) : least;
    plan->high = plan->rooted ? sqrt(high) : high;
    return true;
}

static double share_of(const grid_axis *axis, int sample)
{
    return (marey_features_row(axis->side->features, axis->track.frames[sample]) + 0.5) /
           axis->rows;
}

/* Is there room for a figure here, beside those that are there? */
static bool has_room(const grid_axis *axis, double share, double length)
{
    const double half = FIGURE / 2.0;
    if (axis->figure_count == MOST_FIGURES) return false;
    if (share * length < half - 1 || (1 - share) * length < half - 1) return false;
    for (int i = 0; i < axis->figure_count; i++) {
        if (fabs(axis->figures[i].share - share) * length < FIGURE) return false;
    }
    return true;
}

static void take_sample(grid_axis *axis, int sample)
{
    grid_figure *figure = &axis->figures[axis->figure_count++];
    figure->sample = sample;
    figure->share = share_of(axis, sample);
}

/* The figures of an axis that is `length` pixels long. False when out of memory. */
static bool find_figures(grid_axis *axis, mry_arena *mem, double length)
{
    const marey_clip *clip = axis->side->clip;
    if (!mry_track_find(&axis->track, &axis->body, mem, clip)) return false;
    axis->view = mry_view_make(mry_track_yaw(&axis->track, &axis->body, 0), MRY_PITCH_RAD);
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)axis->body.skeleton->joint_count);
    if (!positions) return false;
    /* First the poses that tell the motion best, each at its time; then whatever fits in
       between. */
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
    for (int i = 0; i < axis->figure_count; i++) {
        grid_figure *figure = &axis->figures[i];
        int frame = axis->track.frames[figure->sample];
        figure->parts = MRY_NEW_RAW(mem, mry_part, axis->body.most_parts);
        if (!figure->parts) return false;
        marey_clip_positions(clip, frame, 1, positions);
        figure->part_count = mry_body_parts(&axis->body, positions,
                                            marey_clip_rotations(clip, frame), figure->parts);
        memcpy(figure->origin, axis->track.roots + 3 * (size_t)figure->sample,
               sizeof figure->origin);
        figure->origin[1] = axis->track.floor_cm;
        mry_figure_extent(&axis->view, figure->origin, figure->parts, figure->part_count,
                          figure->box);
    }
    return true;
}

static void draw_figure(const grid_plan *plan, const grid_axis *axis, cairo_t *cr, int i, double x,
                        double floor_y)
{
    const grid_figure *figure = &axis->figures[i];
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

static void draw_figures(const grid_plan *plan, cairo_t *cr)
{
    const grid_axis *down = &plan->axes[0], *across = &plan->axes[1];
    double column = plan->left - 66 - FIGURE / 2.0;
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

static void draw_tick(const grid_plan *plan, cairo_t *cr, bool down, double time)
{
    const grid_axis *axis = &plan->axes[down ? 0 : 1];
    double row = (time - axis->start_s) * axis->fps;
    char seconds[32], frame[32];
    snprintf(seconds, sizeof seconds, "%.4g s", time);
    snprintf(frame, sizeof frame, "%.0f", time * axis->shown_fps);
    if (down) {
        double y = y_of(plan, row), left = plan->left;
        double lift = mry_clamp(y, plan->top + 8, plan->top + plan->height - 8) - y;
        mry_line(cr, left - 4, y, left, y, MRY_PALE, 1);
        mry_text(cr, left - 11, y + lift + 1, LETTERS, MRY_TEXT, 1, 0, seconds);
        mry_text(cr, left - 11, y + lift + 1 + 0.95 * LETTERS, 0.85 * LETTERS, MRY_PALE, 1, 0,
                 frame);
    } else {
        double x = x_of(plan, row), y = plan->top + plan->height;
        mry_line(cr, x, y, x, y + 4, MRY_PALE, 1);
        mry_text(cr, x, y + 6 + LETTERS, LETTERS, MRY_TEXT, 0.5, 0, seconds);
        mry_text(cr, x, y + 6 + 2.1 * LETTERS, 0.85 * LETTERS, MRY_PALE, 0.5, 0, frame);
    }
}

static void draw_ticks(const grid_plan *plan, cairo_t *cr, bool down)
{
    const grid_axis *axis = &plan->axes[down ? 0 : 1];
    double length = down ? plan->height : plan->width, apart = down ? 60 : 64;
    double span = (axis->rows - 1) / axis->fps;
    /* Never finer than a row. */
    double step = mry_round_step(fmax(span * apart / length, 1 / axis->fps));
    double first = ceil(axis->start_s / step - 1e-9);
    double last = floor((axis->start_s + span) / step + 1e-9);
    int count = (int)mry_clamp(last - first + 1, 0, length);
    for (int i = 0; i < count; i++) draw_tick(plan, cr, down, (first + i) * step);
    /* No round time falls into a clip this short. */
    if (count == 0) draw_tick(plan, cr, down, axis->start_s);
}

static void draw_scale(const grid_plan *plan, cairo_t *cr)
{
    double x = plan->left + plan->width + 26, height = fmin(plan->height - 20, 320);
    double y = plan->top + 20, span = plan->high - plan->low;
    bool raw = marey_clip_units(plan->axes[0].side->clip) == MAREY_UNITS_RAW;
    const char *unit = plan->rooted ? "cm" : plan->metric->unit;
    if (raw && *unit) unit = "units of the file";
    char text[64];
    mry_shades_draw(cr, plan->shades, x, y, 14, height);
    mry_frame(cr, x, y, 14, height);
    mry_text(cr, x - 1, y - 8, LETTERS, MRY_TEXT, 0, 0, *unit ? unit : "distance");
    double step = span > 0 ? mry_round_step(span * 40 / height) : 1;
    double first = ceil(plan->low / step - 1e-9);
    for (int i = 0; i < 64; i++) {
        double value = (first + i) * step;
        if (value > plan->high + 1e-9 * step) break;
        double at = y + height * (span > 0 ? 1 - (value - plan->low) / span : 0.5);
        mry_line(cr, x + 14, at, x + 18, at, MRY_PALE, 1);
        snprintf(text, sizeof text, "%.4g", value);
        mry_text(cr, x + 22, at + 4, LETTERS, MRY_TEXT, 0, 0, text);
    }
    snprintf(text, sizeof text, "least %.4g", plan->low);
    mry_text(cr, x - 1, y + height + 18, 0.9 * LETTERS, MRY_PALE, 0, 0, text);
    if (plan->high_is_greatest) return;
    snprintf(text, sizeof text, "1 %% above");
    mry_text(cr, x - 1, y + height + 33, 0.9 * LETTERS, MRY_PALE, 0, 0, text);
}

/* A cell a pixel, or less: the least value of the cells that fall on one. */
static marey_status draw_image(const grid_plan *plan, mry_arena *tmp, cairo_t *cr)
{
    int width = (int)fmin(plan->cells.cols, plan->width);
    int height = (int)fmin(plan->cells.rows, plan->height);
    int64_t rows = plan->cells.rows, cols = plan->cells.cols;
    double span = plan->high - plan->low;
    uint32_t *pixels = MRY_NEW_RAW(tmp, uint32_t, (size_t)width * (size_t)height);
    float *least = MRY_NEW_RAW(tmp, float, width);
    if (!pixels || !least) return MAREY_ERR_MEMORY;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) least[x] = INFINITY;
        for (int64_t i = y * rows / height; i < (y + 1) * rows / height; i++) {
            const float *row = plan->cells.values + (size_t)i * plan->cells.stride;
            for (int x = 0; x < width; x++) {
                int64_t from = x * cols / width, to = (x + 1) * cols / width;
                for (int64_t j = from; j < to; j++)
                    least[x] = row[j] < least[x] ? row[j] : least[x];
            }
        }
        uint32_t *out = pixels + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) {
            double shown = plan->rooted ? sqrt(least[x]) : least[x];
            double t = span > 0 ? (shown - plan->low) / span : 0;
            out[x] = plan->shades[(int)mry_clamp(t * (MRY_SHADES - 1) + 0.5, 0, MRY_SHADES - 1)];
        }
    }
    bool fine = mry_pixels_draw(cr, pixels, width, height, plan->left, plan->top, plan->width,
                                plan->height);
    return fine ? MAREY_OK : MAREY_ERR_MEMORY;
}

static void draw_dot(cairo_t *cr, double x, double y, double radius, mry_colour fill,
                     mry_colour edge)
{
    cairo_new_path(cr); /* letters leave a point from which a line would be drawn */
    cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
    mry_ink(cr, edge);
    cairo_set_line_width(cr, 0.55 * radius);
    cairo_stroke_preserve(cr);
    mry_ink(cr, fill);
    cairo_fill(cr);
}

static bool is_minimum(const marey_rows *cells, int i, int j)
{
    const float *at = cells->values + (size_t)i * cells->stride + (size_t)j;
    return (j == 0 || at[0] < at[-1]) && (j + 1 == cells->cols || at[0] < at[1]) &&
           (i == 0 || at[0] < *(at - cells->stride)) &&
           (i + 1 == cells->rows || at[0] < at[cells->stride]);
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const grid_plan *plan = user;
    const marey_grid_picture_def *def = plan->def;
    cairo_t *cr = canvas->cr;
    char text[512], about[96];
    marey_status status = draw_image(plan, canvas->tmp, cr);
    if (status) return status;
    cairo_set_tolerance(cr, 0.15);
    int minima = 0;
    for (int i = 0; i < plan->cells.rows && def->minima; i++) {
        for (int j = 0; j < plan->cells.cols; j++) {
            if (!is_minimum(&plan->cells, i, j)) continue;
            draw_dot(cr, x_of(plan, j), y_of(plan, i), 1.8, MRY_WHITE, MRY_TEXT);
            minima++;
        }
    }
    /* Many pairs lie side by side, so their dots are small; the best are on top. */
    double radius = mry_clamp(7.5 / sqrt(sqrt(fmax(def->pair_count, 1))), 1.3, 4);
    for (int i = def->pair_count - 1; i >= 0 && !def->joined; i--) {
        const marey_pair *pair = &def->pairs[i];
        draw_dot(cr, x_of(plan, pair->col), y_of(plan, pair->row), radius, MRY_RIGHT, MRY_WHITE);
    }
    if (def->joined) {
        /* Twice, so that the line shows on dark and on light. */
        cairo_new_path(cr);
        for (int i = 0; i < def->pair_count; i++)
            cairo_line_to(cr, x_of(plan, def->pairs[i].col), y_of(plan, def->pairs[i].row));
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
        mry_ink(cr, MRY_WHITE);
        cairo_set_line_width(cr, 4);
        cairo_stroke_preserve(cr);
        mry_ink(cr, MRY_RIGHT);
        cairo_set_line_width(cr, 2);
        cairo_stroke(cr);
    }
    draw_figures(plan, cr);
    draw_ticks(plan, cr, true);
    draw_ticks(plan, cr, false);
    mry_frame(cr, plan->left, plan->top, plan->width, plan->height);
    draw_scale(plan, cr);
    /* The title: both clips and how they are compared. */
    const double size = 15;
    double x = 16, most = plan->page_width - 32, y = plan->page_height - 14;
    int window = marey_layout_window(marey_features_layout(plan->axes[0].side->features));
    snprintf(text, sizeof text, "%.200s \xe2\x86\x93  \xc3\x97  %.200s \xe2\x86\x92",
             plan->axes[0].title, plan->axes[1].title);
    int length = snprintf(about, sizeof about, "%s", plan->metric->name);
    if (window > 1) snprintf(about + length, sizeof about - (size_t)length, ", window %d", window);
    x += mry_text(cr, x, 26, size, MRY_TEXT, 0, 0.72 * most, text) + size;
    mry_text(cr, x, 26, 0.82 * size, MRY_PALE, 0, 0.28 * most - size, about);
    /* What the dots are, below the axis. */
    x = plan->left + 5;
    if (def->pair_count > 0) {
        draw_dot(cr, x, y - 4, fmax(radius, 2.5), MRY_RIGHT, MRY_FAINT);
        snprintf(text, sizeof text, def->joined ? "path of %d cell%s" : "%d similar pair%s",
                 def->pair_count, def->pair_count == 1 ? "" : "s");
        x += 10 + mry_text(cr, x + 10, y, 12, MRY_TEXT, 0, 0, text) + 26;
    }
    if (def->minima) {
        draw_dot(cr, x, y - 4, 2.2, MRY_WHITE, MRY_TEXT);
        snprintf(text, sizeof text, "%d minim%s", minima, minima == 1 ? "um" : "a");
        mry_text(cr, x + 10, y, 12, MRY_TEXT, 0, 0, text);
    }
    return MAREY_OK;
}

static void fill_axis(grid_axis *axis, const marey_grid_side *side)
{
    const marey_clip *clip = side->clip;
    axis->side = side;
    axis->rows = marey_features_rows(side->features);
    axis->fps = marey_layout_fps(marey_features_layout(side->features));
    axis->shown_fps = side->shown_fps > 0 ? side->shown_fps : marey_clip_fps(clip);
    axis->start_s = side->first_frame / axis->shown_fps;
    axis->title = side->title ? side->title : marey_clip_name(clip);
}

marey_status marey_grid_picture_save(const marey_grid *grid, const marey_grid_side *a,
                                     const marey_grid_side *b, const marey_grid_picture_def *def,
                                     const char *path, marey_error *error)
{
    static const marey_grid_picture_def plain = { 0 };
    if (!def) def = &plain;
    int side = def->side_px ? def->side_px : DEFAULT_SIDE;
    marey_ctx *ctx = a->clip->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    grid_plan *plan = MRY_NEW(&tmp, grid_plan, 1);
    if (!plan) return mry_fail_memory(error, path);
    if (side < LEAST_SIDE || side > MOST_SIDE) {
        mry_arena_free(&tmp);
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "longer side must be %d to %d pixels, got %d", LEAST_SIDE, MOST_SIDE, side);
    }
    plan->cells = marey_grid_cost(grid);
    plan->def = def;
    plan->metric = marey_layout_def(marey_features_layout(a->features))->metric;
    plan->rooted = plan->metric->squared;
    fill_axis(&plan->axes[0], a);
    fill_axis(&plan->axes[1], b);
    /* A whole number of pixels a cell where that fits; the shorter side never becomes too thin to
       see. */
    int longer = plan->cells.rows > plan->cells.cols ? plan->cells.rows : plan->cells.cols;
    double cell = side / (double)longer;
    if (cell > 1) cell = fmin(floor(cell), 64);
    plan->width = fmax(round(cell * plan->cells.cols), LEAST_SIDE);
    plan->height = fmax(round(cell * plan->cells.rows), LEAST_SIDE);
    plan->left = 16 + FIGURE + 66;
    plan->top = 40 + FIGURE + 14;
    bool dots = def->pair_count > 0 || def->minima;
    plan->page_width = (int)fmax(plan->left + plan->width + 116, 640); /* the title needs it */
    plan->page_height = (int)(plan->top + plan->height + 44 + (dots ? 22 : 0));
    marey_status status = mry_cancelled(ctx) ? mry_fail_cancelled(error) : MAREY_OK;
    mry_shades(plan->shades);
    bool fine = status || find_range(plan, &tmp);
    double lengths[2] = { plan->height, plan->width };
    plan->scale = INFINITY;
    for (int i = 0; i < 2 && fine && !status; i++) {
        grid_axis *axis = &plan->axes[i];
        fine = find_figures(axis, &tmp, lengths[i]);
        /* The scale at which all figures of both axes fit. */
        double above = 0.3 * axis->body.height_cm, below = 0.03 * axis->body.height_cm, wide = 1;
        for (int k = 0; k < axis->figure_count && fine; k++) {
            const double *box = axis->figures[k].box;
            above = fmax(above, -box[1]);
            below = fmax(below, box[3]);
            wide = fmax(wide, 2 * fmax(-box[0], box[2]));
        }
        plan->scale = fmin(plan->scale, fmin((FIGURE - 4) / (above + below), FIGURE / wide));
    }
    if (!fine) status = mry_fail_memory(error, path);
    if (!status)
        status =
            mry_canvas_draw(&tmp, path, plan->page_width, plan->page_height, draw, plan, error);
    mry_arena_free(&tmp);
    return status;
}
