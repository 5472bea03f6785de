/* figure.h - the figure of one pose, as strips, grids and cards draw it. Read after body.h and
   ink.h. */
#ifndef MRY_FIGURE_H
#define MRY_FIGURE_H

#include "picture/body.h"
#include "picture/ink.h"

mry_colour mry_colour_of(mry_group group);

/* An orthographic camera that looks slightly down. Unit vectors of the picture in the world. */
typedef struct mry_view {
    double right[3], up[3], toward[3]; /* toward: to the camera */
} mry_view;

/* So far a camera looks down, so that the floor has depth: as in strips, so everywhere. */
#define MRY_PITCH_RAD 0.2

mry_view mry_view_make(double yaw_rad, double pitch_rad);

/* Where a figure stands in the picture. */
typedef struct mry_stage {
    mry_view view;
    double origin[3]; /* the point of the world (on the floor) that is drawn at (x, y) */
    double x, y;
    double scale; /* pixels per cm */
} mry_stage;

/* left, top, right, bottom of the figure about its origin in cm of the picture, y down. */
void mry_figure_extent(const mry_view *view, const double *origin, const mry_part *parts, int count,
                       double *box);

void mry_figure_shadow(cairo_t *cr, const mry_stage *stage, const mry_part *parts, int count);

/* Groups from far to near, each with a thin light edge; of a left and a right limb the farther one
   is paler. `height_cm` is the body's. */
void mry_figure_draw(cairo_t *cr, const mry_stage *stage, const mry_part *parts, int count,
                     double height_cm);

#endif
