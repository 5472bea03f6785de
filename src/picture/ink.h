/* ink.h - colours, letters and round numbers of every picture. */
#ifndef MRY_INK_H
#define MRY_INK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cairo's own type, so that a reader of this need not know where cairo is. */
typedef struct _cairo cairo_t;

typedef struct mry_colour {
    double r, g, b;
} mry_colour;

/* Blue and orange differ visibly with every common kind of colour blindness, and as grey. */
static const mry_colour MRY_LEFT = { 0.07, 0.37, 0.71 };
static const mry_colour MRY_RIGHT = { 0.93, 0.51, 0.05 };
static const mry_colour MRY_NEUTRAL = { 0.33, 0.35, 0.39 };
static const mry_colour MRY_TEXT = { 0.15, 0.16, 0.18 };
static const mry_colour MRY_PALE = { 0.56, 0.58, 0.62 };  /* axes, small text */
static const mry_colour MRY_FAINT = { 0.86, 0.87, 0.89 }; /* helping lines */
static const mry_colour MRY_SHADOW = { 0.90, 0.905, 0.915 };
static const mry_colour MRY_WHITE = { 1, 1, 1 };

mry_colour mry_colour_mix(mry_colour a, mry_colour b, double t);
void mry_ink(cairo_t *cr, mry_colour colour);

/* Draws a line from (x0, y0) to (x1, y1). */
void mry_line(cairo_t *cr, double x0, double y0, double x1, double y1, mry_colour colour,
              double width);
/* Draws a line of one pixel around a part of the page. */
void mry_frame(cairo_t *cr, double x, double y, double width, double height);

/* Colours for things that are many of a kind: clips, curves. The first eight differ visibly with
   every common kind of colour blindness (Okabe and Ito 2008), without the yellow, which is hard to
   see on white; others go round the wheel. */
mry_colour mry_palette(int number);

enum { MRY_SHADES = 256 };

/* Colours for distances, 0x00RRGGBB: blue over green to yellow, evenly lighter from step to
   step. */
void mry_shades(uint32_t *shades);
/* All of them in a bar, the lightest on top. */
void mry_shades_draw(cairo_t *cr, const uint32_t *shades, double x, double y, double width,
                     double height);

/* An image of 0x00RRGGBB pixels, each a sharp rectangle, over a part of the page. false: out of
   memory. */
bool mry_pixels_draw(cairo_t *cr, uint32_t *pixels, int columns, int rows, double x, double y,
                     double width, double height);

/* ---- round numbers along an axis ------------------------------------------------------------- */

typedef struct mry_span {
    double low, high;
} mry_span;

/* Counted, since a step may be too small beside a large number to get on by it. */
typedef struct mry_ticks {
    double step, first;
    int count; /* at most 100 */
} mry_ticks;

/* 1, 2 or 5 times a power of ten: the least that is not less. */
double mry_round_step(double least);

/* At most about `most` of them. */
mry_ticks mry_ticks_of(mry_span span, double most);
mry_ticks mry_ticks_by(mry_span span, double step);
double mry_tick_at(const mry_ticks *ticks, int i);
void mry_tick_text(const mry_ticks *ticks, int i, char *text, size_t room);

/* ---- letters --------------------------------------------------------------------------------- */

/* DejaVu Sans, as it lay on the machine that built the library; lives forever. */
const unsigned char *mry_font(size_t *count);

/* In the font face of cr. align: 0 begins at x, 0.5 is centred on it, 1 ends there. Text wider than
   `most` is cut with an ellipsis; 0: no limit. Bytes that are no UTF-8 are shown as '?'. Returns
   the width. */
double mry_text(cairo_t *cr, double x, double y, double size, mry_colour colour, double align,
                double most, const char *text);

#endif
