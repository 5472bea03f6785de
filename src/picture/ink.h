/* ink.h - colours and letters of every picture, and the figure of one pose. Read after body.h. */
#ifndef MRY_INK_H
#define MRY_INK_H

#include "picture/body.h"

/* cairo's own types, so that whoever includes this need not know where cairo is. */
typedef struct _cairo cairo_t;

typedef struct mry_colour {
    double r, g, b;
} mry_colour;

/* Blue and orange are told apart with every common kind of colour blindness, and as grey. */
static const mry_colour MRY_LEFT = { 0.07, 0.37, 0.71 };
static const mry_colour MRY_RIGHT = { 0.93, 0.51, 0.05 };
static const mry_colour MRY_NEUTRAL = { 0.33, 0.35, 0.39 };
static const mry_colour MRY_TEXT = { 0.15, 0.16, 0.18 };
static const mry_colour MRY_PALE = { 0.56, 0.58, 0.62 };  /* axes, small text */
static const mry_colour MRY_FAINT = { 0.86, 0.87, 0.89 }; /* helping lines */
static const mry_colour MRY_SHADOW = { 0.90, 0.905, 0.915 };
static const mry_colour MRY_WHITE = { 1, 1, 1 };

mry_colour mry_colour_mix(mry_colour a, mry_colour b, double t);
mry_colour mry_colour_of(mry_group group);
void mry_ink(cairo_t *cr, mry_colour colour);

/* ---- letters --------------------------------------------------------------------------------- */

/* DejaVu Sans, as it lay on the machine that built the library; lives forever. */
const unsigned char *mry_font(size_t *count);

/* In the font face of cr. align: 0 begins at x, 0.5 is centred on it, 1 ends there. Text wider than `most` is cut with an ellipsis; 0:
   no limit. Bytes that are no UTF-8 are shown as '?'. Returns the width. */
double mry_text(cairo_t *cr, double x, double y, double size, mry_colour colour, double align,
                double most, const char *text);

/* ---- the figure ------------------------------------------------------------------------------ */

/* An orthographic camera that looks slightly down. Unit vectors of the picture in the world. */
typedef struct mry_view {
    double right[3], up[3], toward[3]; /* toward: to the camera */
} mry_view;

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

/* Groups from far to near, each with a thin light edge; of a left and a right limb the farther one is paler.
   `height_cm` is the body's. */
void mry_figure_draw(cairo_t *cr, const mry_stage *stage, const mry_part *parts, int count,
                     double height_cm);

#endif
