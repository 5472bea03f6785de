/* paths_picture.h - ways on a plan, laid out before they are drawn. Read after ink.h. */
#ifndef MRY_PATHS_PICTURE_H
#define MRY_PATHS_PICTURE_H

#include "picture/ink.h"

#include <marey/picture.h>

enum {
    MRY_PATHS_MOST_WALKERS = 64,
    MRY_PATHS_MOST_DOTS = 2000,
    MRY_PATHS_LETTERS = 12,
    MRY_PATHS_SMALL = 11,
    MRY_PATHS_KEY_ROW = 18
};

typedef struct mry_rectangle {
    double x, y, width, height;
} mry_rectangle;

typedef struct mry_paths_plan {
    const marey_paths_walker *walkers;
    int count;
    const marey_paths_picture_def *def;
    int width, height;
    double size;           /* of dots and lines: 1 in a picture of the default width */
    double title_y, key_y; /* baselines */
    int key_rows;
    mry_rectangle floor; /* pixels: the plan, .. */
    double scale_y;      /* .. the scale's line below it .. */
    mry_rectangle panel; /* .. and the distances; no height: there is nobody to be far from */
    double middle[2];    /* cm: what is in the middle of the floor */
    double scale;        /* pixels per cm */
    double seconds;      /* of the longest way */
    double every_s;      /* a dot .. */
    double joins_s;      /* .. and lines that join the same moments, with the time */
} mry_paths_plan;

/* ---- paths_picture_layout.c -------------------------------------------------------------------------------- */

void mry_paths_lay_out(mry_paths_plan *p);
double mry_paths_seconds(const marey_paths_walker *walker);
marey_entity mry_paths_at(const marey_paths_walker *walker, double time_s);
/* Where a place is in the picture. */
void mry_paths_point(const mry_paths_plan *p, const marey_entity *at, double *x, double *y);
mry_colour mry_paths_colour(int walker);

/* ---- paths_picture_plan.c ---------------------------------------------------------------------------------- */

void mry_paths_draw_floor(const mry_paths_plan *p, cairo_t *cr);
void mry_paths_draw_ways(const mry_paths_plan *p, cairo_t *cr);

/* ---- paths_picture_marks.c --------------------------------------------------------------------------------- */

void mry_paths_draw_joins(const mry_paths_plan *p, cairo_t *cr);
void mry_paths_draw_marks(const mry_paths_plan *p, cairo_t *cr);
/* One that points along `look`, 20 pixels long if k is 1. */
void mry_paths_arrow(cairo_t *cr, double x, double y, double look, double k, mry_colour colour);

/* ---- paths_picture_panel.c --------------------------------------------------------------------------------- */

/* How many lines of names there are, at most. */
int mry_paths_key_rows(const mry_paths_plan *p);
void mry_paths_draw_key(const mry_paths_plan *p, cairo_t *cr);
void mry_paths_draw_distances(const mry_paths_plan *p, cairo_t *cr);

void mry_paths_line(cairo_t *cr, double x0, double y0, double x1, double y1, mry_colour colour,
                    double width);

#endif
