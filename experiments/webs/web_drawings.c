/* web_drawings.c - see web_drawings.h. */
#include "web_drawings.h"

#include <math.h>
#include <stdlib.h>

const ink ink_yellow = { 1, 0.85, 0.1 }, ink_magenta = { 0.9, 0.1, 0.7 },
          ink_orange = { 0.95, 0.5, 0.05 }, ink_blue = { 0.05, 0.36, 0.7 },
          ink_grey = { 0.6, 0.6, 0.62 }, ink_black = { 0.15, 0.15, 0.17 };

cairo_t *drawing_begin(int width, int height)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *to = cairo_create(surface);
    cairo_surface_destroy(surface);
    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    cairo_select_font_face(to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(to, 12);
    cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(to, CAIRO_LINE_CAP_ROUND);
    return to;
}

void drawing_end(cairo_t *to, const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    cairo_status_t status = cairo_surface_write_to_png(cairo_get_target(to), path);
    cairo_destroy(to);
    if (status == CAIRO_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", path, cairo_status_to_string(status));
    exit(1);
}

void drawing_ink(cairo_t *to, ink colour)
{
    cairo_set_source_rgb(to, colour.red, colour.green, colour.blue);
}

void drawing_text(cairo_t *to, double x, double y, const char *what)
{
    cairo_move_to(to, x, y);
    cairo_show_text(to, what);
    cairo_new_path(to); /* the text left a point that the next line would start from */
}

/* ---- grids ----------------------------------------------------------------------------------- */

void panel_cell(const panel *p, int row, int col, ink colour)
{
    int r = row - p->row, c = col - p->col;
    if (r < 0 || r >= p->rows || c < 0 || c >= p->cols) return;
    drawing_ink(p->to, colour);
    cairo_rectangle(p->to, p->x + c * p->cell_px, p->y + r * p->cell_px, p->cell_px, p->cell_px);
    cairo_fill(p->to);
}

void panel_cost(const panel *p, marey_rows cost, double white)
{
    cairo_set_antialias(p->to, CAIRO_ANTIALIAS_NONE);
    for (int r = p->row; r < p->row + p->rows; r++) {
        for (int c = p->col; c < p->col + p->cols; c++) {
            double at = sqrt(fmax(0, cost.values[(size_t)r * cost.stride + (size_t)c]) / white);
            double grey = 0.18 + 0.8 * fmin(1, at);
            panel_cell(p, r, c, (ink){ grey, grey, grey });
        }
    }
}

void panel_path(const panel *p, const marey_cell *cells, int count, ink colour)
{
    for (int i = 0; i < count; i++) panel_cell(p, cells[i].row, cells[i].col, colour);
}

void panel_frame(const panel *p, const char *title)
{
    cairo_set_antialias(p->to, CAIRO_ANTIALIAS_DEFAULT);
    drawing_ink(p->to, ink_grey);
    cairo_set_line_width(p->to, 1);
    cairo_rectangle(p->to, p->x - 0.5, p->y - 0.5, p->cols * p->cell_px + 1,
                    p->rows * p->cell_px + 1);
    cairo_stroke(p->to);
    drawing_ink(p->to, ink_black);
    drawing_text(p->to, p->x, p->y - 6, title);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

enum { MOST_JOINTS = 128 };

/* The direction in which hips face, on the floor. */
static void find_facing(const marey_skeleton *s, const double *places, double *x, double *z)
{
    int left = s->roles[MAREY_ROLE_LEFT_HIP], right = s->roles[MAREY_ROLE_RIGHT_HIP];
    *x = 0;
    *z = 1;
    if (left < 0 || right < 0) return;
    double dx = places[3 * left] - places[3 * right];
    double dz = places[3 * left + 2] - places[3 * right + 2], length = hypot(dx, dz);
    if (length < 1e-6) return;
    *x = -dz / length;
    *z = dx / length;
}

void draw_body(cairo_t *to, const marey_clip *clip, int frame, int facing_frame, double x, double y,
               double height_px, ink colour)
{
    const marey_skeleton *s = marey_clip_skeleton(clip);
    double places[3 * MOST_JOINTS], ahead_x, ahead_z;
    if (s->joint_count > MOST_JOINTS) return;
    marey_clip_positions(clip, facing_frame, 1, places);
    find_facing(s, places, &ahead_x, &ahead_z);
    marey_clip_positions(clip, frame, 1, places);
    double scale = height_px / 175; /* cm of a standing body */
    drawing_ink(to, colour);
    cairo_set_line_width(to, fmax(1.2, height_px / 28));
    for (int j = 1; j < s->joint_count; j++) {
        const double *ends[2] = { &places[3 * s->joints[j].parent], &places[3 * j] };
        for (int k = 0; k < 2; k++) {
            double dx = ends[k][0] - places[0], dz = ends[k][2] - places[2];
            cairo_line_to(to, x + scale * (dx * ahead_x + dz * ahead_z),
                          y - scale * (ends[k][1] - places[1]));
        }
        cairo_stroke(to);
    }
}
