/* graph_plots.c - see graph_plots.h. */
#include "graph_plots.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 420, LEFT = 74, RIGHT = 20, TOP = 40, BOTTOM = 54 };

void plot_add(plot_line *line, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || line->count == PLOT_MOST) return;
    line->x[line->count] = x;
    line->y[line->count++] = y;
}

static void save(cairo_surface_t *surface, const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", path, cairo_status_to_string(status));
    exit(1);
}

/* ---- axes ------------------------------------------------------------------------------------ */

typedef struct axis {
    bool log;
    double least, most;
    double from_px, to_px;
} axis;

static double at(const axis *a, double value)
{
    double share = a->log ? log(value / a->least) / log(a->most / a->least)
                          : (value - a->least) / (a->most - a->least);
    return a->from_px + share * (a->to_px - a->from_px);
}

static axis axis_of(const plot *of, bool up)
{
    axis a = { .log = up ? of->log_up : of->log_across, .least = INFINITY, .most = -INFINITY };
    for (int l = 0; l < of->line_count; l++) {
        for (int i = 0; i < of->lines[l].count; i++) {
            double value = up ? of->lines[l].y[i] : of->lines[l].x[i];
            a.least = fmin(a.least, value);
            a.most = fmax(a.most, value);
        }
    }
    if (!a.log) a.least = 0;
    if (!(a.most > a.least)) a.most = a.least + 1;
    a.most *= a.log ? 1.3 : 1.05;
    if (a.log) a.least /= 1.3;
    a.from_px = up ? HEIGHT - BOTTOM : LEFT;
    a.to_px = up ? TOP : WIDTH - RIGHT;
    return a;
}

/* 1, 2 and 5 times powers of ten: all of them, or for plain axes steps of one that give four to
   nine. */
static void ticks(cairo_t *to, const axis *a, bool up)
{
    static const double leads[] = { 1, 2, 5 };
    char text[32];
    double step = pow(10, floor(log10(a->most / 4)));
    if (a->most / step > 9) step *= a->most / step > 18 ? 5 : 2;
    for (int i = 0; i < 200; i++) {
        double value = a->log ? leads[i % 3] * pow(10, i / 3 - 6) : i * step;
        if (value < a->least || value > a->most) continue;
        double px = at(a, value);
        cairo_set_source_rgb(to, 0.88, 0.88, 0.9);
        cairo_move_to(to, up ? LEFT : px, up ? px : TOP);
        cairo_line_to(to, up ? WIDTH - RIGHT : px, up ? px : HEIGHT - BOTTOM);
        cairo_stroke(to);
        cairo_set_source_rgb(to, 0.2, 0.2, 0.22);
        snprintf(text, sizeof text, value >= 1e5 ? "%.0e" : "%g", value);
        cairo_move_to(to, up ? 22 : px - 10, up ? px + 4 : HEIGHT - BOTTOM + 16);
        cairo_show_text(to, text);
        cairo_new_path(to);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void draw_line(cairo_t *to, const plot_line *line, const axis *x, const axis *y, int number)
{
    cairo_set_source_rgb(to, line->red, line->green, line->blue);
    for (int i = 0; i < line->count; i++) cairo_line_to(to, at(x, line->x[i]), at(y, line->y[i]));
    cairo_set_line_width(to, 2);
    cairo_stroke(to);
    for (int i = 0; i < line->count; i++) {
        cairo_arc(to, at(x, line->x[i]), at(y, line->y[i]), 3.5, 0, 7);
        cairo_fill(to);
    }
    cairo_rectangle(to, LEFT + 12 + 160 * number, TOP - 14, 10, 10);
    cairo_fill(to);
    cairo_move_to(to, LEFT + 27 + 160 * number, TOP - 5);
    cairo_show_text(to, line->name);
    cairo_new_path(to);
}

void plot_save(const plot *of, const char *folder, const char *name)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *to = cairo_create(surface);
    axis x = axis_of(of, false), y = axis_of(of, true);
    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    cairo_select_font_face(to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(to, 12);
    cairo_set_line_width(to, 1);
    ticks(to, &x, false);
    ticks(to, &y, true);
    cairo_move_to(to, LEFT, 16);
    cairo_show_text(to, of->title);
    cairo_move_to(to, WIDTH / 2.0 - 60, HEIGHT - 12);
    cairo_show_text(to, of->across);
    cairo_move_to(to, 14, HEIGHT / 2.0 + 60);
    cairo_rotate(to, -1.5707963);
    cairo_show_text(to, of->up);
    cairo_identity_matrix(to);
    cairo_new_path(to);
    for (int i = 0; i < of->line_count; i++) draw_line(to, &of->lines[i], &x, &y, i);
    cairo_destroy(to);
    save(surface, folder, name);
}

/* ---- side by side ---------------------------------------------------------------------------- */

static cairo_surface_t *open_picture(const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
    if (cairo_surface_status(picture) != CAIRO_STATUS_SUCCESS) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    remove(path);
    return picture;
}

void pictures_beside(const char *folder, const char *const *names, int count, const char *name)
{
    cairo_surface_t *pictures[PLOT_MOST];
    int width = 0, height = 0;
    for (int i = 0; i < count; i++) {
        pictures[i] = open_picture(folder, names[i]);
        width += cairo_image_surface_get_width(pictures[i]);
        if (cairo_image_surface_get_height(pictures[i]) > height)
            height = cairo_image_surface_get_height(pictures[i]);
    }
    cairo_surface_t *all = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *to = cairo_create(all);
    for (int i = 0, x = 0; i < count; i++) {
        cairo_set_source_surface(to, pictures[i], x, 0);
        cairo_paint(to);
        x += cairo_image_surface_get_width(pictures[i]);
        cairo_surface_destroy(pictures[i]);
    }
    cairo_destroy(to);
    save(all, folder, name);
}
