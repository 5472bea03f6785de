/* paths_picture.h - ways on a plan, laid out (paths_layout.c) before they are drawn
   (paths_picture.c). Read after ink.h. */
#ifndef MRY_PATHS_PICTURE_H
#define MRY_PATHS_PICTURE_H

#include "picture/ink.h"

#include <marey/picture.h>

enum {
    MRY_PATHS_MOST_WALKERS = 64,
    MRY_PATHS_MOST_DOTS = 2000,
    MRY_PATHS_LETTERS = 12,
    MRY_PATHS_SMALL = 11,
    MRY_PATHS_KEY_ROW = 18,  /* of the names: from line to line, .. */
    MRY_PATHS_KEY_LINE = 28, /* .. the piece of colour before a name, .. */
    MRY_PATHS_KEY_GAP = 18,  /* .. what is free behind it */
    MRY_PATHS_NAME_PX = 240,
    MRY_PATHS_MARKS_KEY_PX = 240 /* what the marks mean, at the end of the first line */
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
    mry_rectangle panel; /* .. and the distances; no height: there is one character only */
    double middle[2];    /* cm: what is in the middle of the floor */
    double scale;        /* pixels per cm */
    double seconds;      /* of the longest way */
    double every_s;      /* a dot .. */
    double joins_s;      /* .. and lines that join the same moments, with the time */
} mry_paths_plan;

void mry_paths_lay_out(mry_paths_plan *p);
double mry_paths_seconds(const marey_paths_walker *walker);
marey_entity mry_paths_at(const marey_paths_walker *walker, double time_s);
/* Where a place is in the picture. */
void mry_paths_point(const mry_paths_plan *p, const marey_entity *at, double *x, double *y);
mry_colour mry_paths_colour(int walker);

/* Names stand in lines above the plan; what the marks mean is at the end of the first line, if
   there is room. */
bool mry_paths_has_marks_key(const mry_paths_plan *p);
/* Where a line of names has to end. */
double mry_paths_row_end(const mry_paths_plan *p, int row);
/* About how wide a name is: letters are measured only when there is a page. */
double mry_paths_name_px(const char *name);

#endif
