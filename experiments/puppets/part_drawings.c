/* part_drawings.c - paths as pictures: as shown, by the rule and as learned, for each behaviour. */
#include "puppet_lab.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PANEL = 300, EDGE = 14, SHOWN = 20 * LAB_RATE, TICK = LAB_RATE / 2 };

typedef struct panel {
    const char *title;
    const marey_entity *main, *react;
    double left, x, y, scale; /* pixels; the plan's middle, cm; pixels a cm */
} panel;

static void fit(panel *p)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int i = 0; i < SHOWN; i++) {
        low[0] = fmin(low[0], fmin(p->main[i].x_cm, p->react[i].x_cm));
        high[0] = fmax(high[0], fmax(p->main[i].x_cm, p->react[i].x_cm));
        low[1] = fmin(low[1], fmin(p->main[i].y_cm, p->react[i].y_cm));
        high[1] = fmax(high[1], fmax(p->main[i].y_cm, p->react[i].y_cm));
    }
    p->x = (low[0] + high[0]) / 2;
    p->y = (low[1] + high[1]) / 2;
    p->scale = (PANEL - 2 * EDGE) / fmax(high[0] - low[0], high[1] - low[1]);
}

static void place(const panel *p, const marey_entity *at, double *x, double *y)
{
    *x = p->left + PANEL / 2.0 + (at->x_cm - p->x) * p->scale;
    *y = PANEL / 2.0 + EDGE - (at->y_cm - p->y) * p->scale;
}

static void draw_path(cairo_t *to, const panel *p, const marey_entity *path)
{
    double x, y;
    cairo_new_path(to);
    for (int i = 0; i < SHOWN; i++) {
        place(p, &path[i], &x, &y);
        cairo_line_to(to, x, y);
    }
    cairo_stroke(to);
    for (int i = 0; i < SHOWN; i += TICK) {
        place(p, &path[i], &x, &y);
        cairo_arc(to, x, y, 1.6, 0, 6.3);
        cairo_fill(to);
        cairo_move_to(to, x, y);
        cairo_rel_line_to(to, 9 * cos(path[i].direction_rad), -9 * sin(path[i].direction_rad));
        cairo_stroke(to);
    }
}

static void draw_panel(cairo_t *to, panel *p)
{
    fit(p);
    cairo_set_source_rgb(to, 0.2, 0.2, 0.2);
    cairo_move_to(to, p->left + 6, 12);
    cairo_show_text(to, p->title);
    cairo_set_line_width(to, 1);
    cairo_set_source_rgb(to, 0.6, 0.6, 0.6);
    draw_path(to, p, p->main);
    cairo_set_source_rgb(to, 0.75, 0.1, 0.1);
    draw_path(to, p, p->react);
}

static void draw(const puppet_lab *lab, int k, uint64_t path)
{
    static marey_entity main[2][SHOWN], react[3][SHOWN];
    char file[2048], titles[3][80];
    static const char *const what[] = { "as shown", "the rule, unseen path",
                                        "learned, unseen path" };
    for (int i = 0; i < SHOWN; i++) {
        main[0][i] = lab->shown[k][i].main;
        react[0][i] = lab->shown[k][i].react;
    }
    lab_wander(path, main[1], SHOWN);
    marey_ready_puppet_react(lab->ready[k], main[1], SHOWN, react[1]);
    lab_react(lab, lab->puppets[k], NULL, main[1], SHOWN, react[2]);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, 3 * PANEL, PANEL + EDGE);
    cairo_t *to = cairo_create(surface);
    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    cairo_set_font_size(to, 12);
    for (int i = 0; i < 3; i++) {
        snprintf(titles[i], sizeof titles[i], "%s, %s", lab->ready[k]->name, what[i]);
        panel p = { .title = titles[i], .main = main[i > 0], .react = react[i], .left = i * PANEL };
        draw_panel(to, &p);
    }
    cairo_destroy(to);
    snprintf(file, sizeof file, "%s/puppets-%s.png", lab->folder, lab->ready[k]->name);
    cairo_status_t status = cairo_surface_write_to_png(surface, file);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", file, cairo_status_to_string(status));
    exit(1);
}

void part_drawings(const puppet_lab *lab)
{
    for (int k = 0; k < LAB_READY; k++) draw(lab, k, 7);
}
