/* steering_picture.c - paths of turns seen from above, and how many are answered how soon. */
#include "steering_lab.h"

#include <cairo.h>
#include <math.h>

enum { SIDE = 330, TOP = 40, GAP = 20 };

static const struct {
    const char *name;
    double red, green, blue;
} kinds[2] = { { "graph", 0.16, 0.38, 0.70 }, { "matching", 0.85, 0.35, 0.10 } };

static void put_text(cairo_t *to, double x, double y, const char *text)
{
    cairo_set_source_rgb(to, 0.2, 0.2, 0.2);
    cairo_move_to(to, x, y);
    cairo_show_text(to, text);
}

/* The body comes from below, at the cross the input turns to the left. */
static void draw_paths(cairo_t *to, double left, int kind, const outcome *of)
{
    const double scale = 1.6, x0 = left + 0.9 * SIDE, y0 = TOP + 0.6 * SIDE;
    put_text(to, left, TOP - 14, kinds[kind].name);
    cairo_save(to);
    cairo_rectangle(to, left, TOP, SIDE, SIDE);
    cairo_clip(to);
    cairo_set_line_width(to, 1);
    for (int t = 0; t < SHOWN_TURNS; t++) {
        cairo_set_source_rgba(to, kinds[kind].red, kinds[kind].green, kinds[kind].blue, 0.35);
        for (int f = 0; f < SHOWN_FRAMES; f++)
            cairo_line_to(to, x0 + scale * of->path[t][f][0], y0 - scale * of->path[t][f][1]);
        cairo_stroke(to);
        /* Half a second later. */
        const double *at = of->path[t][15];
        cairo_arc(to, x0 + scale * at[0], y0 - scale * at[1], 2, 0, 7);
        cairo_fill(to);
    }
    cairo_set_source_rgb(to, 0, 0, 0);
    cairo_move_to(to, x0 - 6, y0);
    cairo_line_to(to, x0 + 6, y0);
    cairo_move_to(to, x0, y0 - 6);
    cairo_line_to(to, x0, y0 + 6);
    cairo_stroke(to);
    cairo_restore(to);
    cairo_set_source_rgb(to, 0.7, 0.7, 0.7);
    cairo_rectangle(to, left, TOP, SIDE, SIDE);
    cairo_stroke(to);
    cairo_set_source_rgb(to, 0.2, 0.2, 0.2);
    cairo_move_to(to, left + 10, TOP + SIDE - 12);
    cairo_rel_line_to(to, 50 * scale, 0);
    cairo_stroke(to);
    put_text(to, left + 10, TOP + SIDE - 18, "50 cm");
}

static void draw_shares(cairo_t *to, double left, const outcome *const *of)
{
    const double longest = 1.5;
    put_text(to, left, TOP - 14, "turns half done, after seconds");
    cairo_set_line_width(to, 1);
    for (int i = 0; i <= 3; i++) {
        char text[16];
        double x = left + SIDE * i / 3.0;
        cairo_set_source_rgb(to, 0.85, 0.85, 0.85);
        cairo_move_to(to, x, TOP);
        cairo_rel_line_to(to, 0, SIDE);
        cairo_move_to(to, left, TOP + SIDE * i / 3.0);
        cairo_rel_line_to(to, SIDE, 0);
        cairo_stroke(to);
        snprintf(text, sizeof text, "%.1f", longest * i / 3);
        put_text(to, x - 8, TOP + SIDE + 16, text);
    }
    for (int k = 0; k < 2; k++) {
        cairo_set_source_rgb(to, kinds[k].red, kinds[k].green, kinds[k].blue);
        cairo_set_line_width(to, 2.5);
        cairo_move_to(to, left, TOP + SIDE);
        for (int i = 0; i < TURNS && of[k]->response[i] <= longest; i++)
            cairo_line_to(to, left + SIDE * of[k]->response[i] / longest,
                          TOP + SIDE * (1 - (i + 1.0) / TURNS));
        cairo_stroke(to);
        cairo_move_to(to, left + SIDE - 80, TOP + SIDE - 34 + 18 * k);
        cairo_show_text(to, kinds[k].name);
    }
}

void draw_turns(const char *folder, const char *name, const outcome *graph, const outcome *poses)
{
    char path[2048];
    const outcome *both[2] = { graph, poses };
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, 3 * SIDE + 4 * GAP, SIDE + TOP + 2 * GAP);
    cairo_t *to = cairo_create(surface);
    cairo_set_source_rgb(to, 1, 1, 1);
    cairo_paint(to);
    cairo_select_font_face(to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(to, 13);
    for (int k = 0; k < 2; k++) draw_paths(to, GAP + k * (SIDE + GAP), k, both[k]);
    draw_shares(to, 3 * GAP + 2 * SIDE, both);
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_destroy(to);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", path, cairo_status_to_string(status));
    exit(1);
}
