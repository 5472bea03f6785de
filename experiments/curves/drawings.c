/* drawings.c - root paths from above, and limbs from the side, as PNG. */
#include "stage.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 16, PATHS_PX = 420, KEY_PX = 18, ROW_PX = 130, LIMBS_PX = 1100, LIMB_JOINTS = 4 };

/* Inputs are grey, what is made is coloured: the order in which clips are named. */
static const double colours[][3] = { { 0.62, 0.62, 0.64 }, { 0.33, 0.34, 0.37 },
                                     { 0.05, 0.36, 0.70 }, { 0.93, 0.49, 0.05 },
                                     { 0.10, 0.60, 0.40 }, { 0.75, 0.15, 0.30 },
                                     { 0.50, 0.30, 0.65 }, { 0.10, 0.65, 0.75 } };

static void set_colour(cairo_t *to, int number)
{
    const double *c = colours[number % (int)(sizeof colours / sizeof colours[0])];
    cairo_set_source_rgb(to, c[0], c[1], c[2]);
}

static cairo_t *begin(int width, int height)
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

static void end(cairo_t *to, const char *out)
{
    cairo_status_t status = cairo_surface_write_to_png(cairo_get_target(to), out);
    cairo_destroy(to);
    if (status == CAIRO_STATUS_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", out, cairo_status_to_string(status));
    exit(1);
}

static void text(cairo_t *to, double x, double y, const char *what)
{
    cairo_move_to(to, x, y);
    cairo_show_text(to, what);
    cairo_new_path(to); /* the text left a point that the next line would start from */
}

/* ---- from above ------------------------------------------------------------------------------ */

/* The floor seen so that a clip starts at 0, 0 and faces up. The first frame alone would not do:
   hips sway by ten degrees in a step, so where a body faces is taken over its first half second. */
typedef struct view {
    double x, z, cosine, sine;
} view;

static view look_down(const actor *of)
{
    const double *root = marey_clip_root(of->clip, 0);
    double sum[2] = { 0 };
    for (int f = 0; f < of->frames && f < of->fps / 2; f++) {
        sum[0] += sin(actor_heading(of, f));
        sum[1] += cos(actor_heading(of, f));
    }
    double length = hypot(sum[0], sum[1]);
    return (view){ root[0], root[2], sum[1] / length, sum[0] / length };
}

/* x to the right, y up the picture. */
static void seen(const view *by, const double *place, double *x, double *y)
{
    double dx = place[0] - by->x, dz = place[2] - by->z;
    *x = -(dx * by->cosine - dz * by->sine);
    *y = dx * by->sine + dz * by->cosine;
}

typedef struct frame_box {
    double low[2], high[2];
} frame_box;

static frame_box box_of(const actor *actors, int count, marey_role role)
{
    frame_box box = { { -20, -20 }, { 20, 20 } };
    for (int n = 0; n < count; n++) {
        view by = look_down(&actors[n]);
        for (int f = 0; f < actors[n].frames; f++) {
            double at[2];
            seen(&by, actor_place(&actors[n], f, role), &at[0], &at[1]);
            for (int k = 0; k < 2; k++) {
                box.low[k] = fmin(box.low[k], at[k]);
                box.high[k] = fmax(box.high[k], at[k]);
            }
        }
    }
    return box;
}

static void draw_triangle(cairo_t *to, double x, double y, double turn, double px)
{
    for (int k = 0; k < 3; k++) {
        double at = turn + k * 8 * atan(1) / 3, far = k == 0 ? px : 0.7 * px;
        cairo_line_to(to, x + far * sin(at), y - far * cos(at));
    }
    cairo_close_path(to);
    cairo_fill(to);
}

static void draw_path(cairo_t *to, const actor *of, marey_role role, const frame_box *box,
                      double scale)
{
    view by = look_down(of);
    double zero = atan2(by.sine, by.cosine), x, y;
    int every = (int)fmax(1, of->fps / 4), passes = role == MAREY_ROLE_HIPS ? 2 : 1;
    for (int pass = 0; pass < passes; pass++) {
        for (int f = 0; f < of->frames; f++) {
            seen(&by, actor_place(of, f, role), &x, &y);
            x = MARGIN + (x - box->low[0]) * scale;
            y = MARGIN + (box->high[1] - y) * scale;
            if (pass == 0) {
                cairo_line_to(to, x, y);
            } else if (f % every == 0) {
                /* Turning left is a growing heading and must go left in the picture. */
                draw_triangle(to, x, y, zero - actor_heading(of, f), 6);
            }
        }
        if (pass == 0) cairo_stroke(to);
    }
}

static marey_role role_find(const char *name)
{
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (strcmp(marey_role_name((marey_role)r), name) == 0) return (marey_role)r;
    }
    fprintf(stderr, "there is no role '%s'\n", name);
    exit(2);
}

void draw_paths(const char *out, const char *name, const actor *actors, int count)
{
    marey_role role = role_find(name);
    frame_box box = box_of(actors, count, role);
    double wide = box.high[0] - box.low[0], tall = box.high[1] - box.low[1];
    double scale = (PATHS_PX - 2 * MARGIN) / fmax(wide, tall);
    int floor_px = (int)(tall * scale) + 2 * MARGIN;
    int width = (int)fmax(wide * scale + 2 * MARGIN, 300);
    cairo_t *to = begin(width, floor_px + count * KEY_PX + 2 * MARGIN);
    cairo_set_line_width(to, 1.5);
    for (int n = 0; n < count; n++) {
        set_colour(to, n);
        draw_path(to, &actors[n], role, &box, scale);
        text(to, MARGIN, floor_px + (n + 1) * KEY_PX, actors[n].label);
    }
    cairo_set_source_rgb(to, 0.4, 0.4, 0.4);
    cairo_move_to(to, MARGIN, floor_px + count * KEY_PX + MARGIN);
    double bar_cm = wide > 100 || tall > 100 ? 50 : 10;
    cairo_rel_line_to(to, bar_cm * scale, 0);
    cairo_stroke(to);
    text(to, MARGIN + bar_cm * scale + 6, floor_px + count * KEY_PX + MARGIN + 4,
         bar_cm > 10 ? "50 cm" : "10 cm");
    end(to, out);
}

/* ---- from the side --------------------------------------------------------------------------- */

typedef struct limb {
    const char *name;
    double low_cm, high_cm; /* heights that are shown */
    marey_role roles[LIMB_JOINTS];
} limb;

static const limb limbs[] = {
    { "right-leg",
      0,
      110,
      { MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE,
        MAREY_ROLE_RIGHT_TOE } },
    { "right-arm",
      75,
      150,
      { MAREY_ROLE_CHEST, MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW,
        MAREY_ROLE_RIGHT_WRIST } },
};

static const limb *limb_find(const char *name)
{
    for (size_t n = 0; n < sizeof limbs / sizeof limbs[0]; n++) {
        if (strcmp(limbs[n].name, name) == 0) return &limbs[n];
    }
    fprintf(stderr, "there is no limb '%s'\n", name);
    exit(2);
}

/* How far in front of the root a joint is, in the direction in which the clip begins. */
static double ahead(const view *by, const actor *of, int frame, marey_role role)
{
    double side, here, root;
    seen(by, actor_place(of, frame, role), &side, &here);
    seen(by, marey_clip_root(of->clip, frame), &side, &root);
    return here - root;
}

/* Moments stand side by side, equally far apart, whether the body walks or stays. */
static void draw_row(cairo_t *to, const limb *which, const actor *of, int every, double top)
{
    view by = look_down(of);
    double scale = (ROW_PX - 20) / (which->high_cm - which->low_cm), base = top + ROW_PX - 8;
    int shown = (of->frames + every - 1) / every;
    double apart = (LIMBS_PX - 160) / (double)(shown > 1 ? shown - 1 : 1);
    cairo_set_source_rgb(to, 0.75, 0.75, 0.75);
    cairo_set_line_width(to, 1);
    cairo_move_to(to, 0, base);
    cairo_line_to(to, LIMBS_PX, base);
    cairo_stroke(to);
    cairo_set_line_width(to, 2);
    for (int k = 0; k < shown; k++) {
        set_colour(to, 2 + k % 2);
        for (int j = 0; j < LIMB_JOINTS; j++) {
            int frame = k * every;
            double height = actor_place(of, frame, which->roles[j])[1] - which->low_cm;
            cairo_line_to(to, 60 + k * apart + ahead(&by, of, frame, which->roles[j]) * scale,
                          base - height * scale);
        }
        cairo_stroke(to);
    }
    cairo_set_source_rgb(to, 0.2, 0.2, 0.2);
    text(to, 4, top + 12, of->label);
}

void draw_limbs(const char *out, const char *name, int every, const actor *actors, int count)
{
    const limb *which = limb_find(name);
    cairo_t *to = begin(LIMBS_PX, count * ROW_PX + 4);
    for (int n = 0; n < count; n++) draw_row(to, which, &actors[n], every, n * ROW_PX);
    end(to, out);
}
