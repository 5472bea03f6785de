/* web_drawings.h - drawing on grids of distances, and figures on a plain ground, as PNG. */
#ifndef MAREY_EXPERIMENTS_WEB_DRAWINGS_H
#define MAREY_EXPERIMENTS_WEB_DRAWINGS_H

#include "web_lab.h"

#include <cairo.h>

typedef struct ink {
    double red, green, blue;
} ink;

extern const ink ink_yellow, ink_magenta, ink_orange, ink_blue, ink_grey, ink_black;

cairo_t *drawing_begin(int width, int height);
void drawing_end(cairo_t *to, const char *folder, const char *name); /* FOLDER/NAME.png */
void drawing_ink(cairo_t *to, ink colour);
void drawing_text(cairo_t *to, double x, double y, const char *what);

/* A part of a grid: rows run down, columns to the right. */
typedef struct panel {
    cairo_t *to;
    double x, y, cell_px;
    int row, col, rows, cols; /* the part */
} panel;

/* Dark where frames are alike; white from `white` on, by the root of the distance. */
void panel_cost(const panel *p, marey_rows cost, double white);
void panel_cell(const panel *p, int row, int col, ink colour); /* outside the part: nothing */
void panel_path(const panel *p, const marey_cell *cells, int count, ink colour);
void panel_frame(const panel *p, const char *title);

/* A body as sticks, its hips in the middle, about so many pixels high; turned so that its first
   frame faces right. */
void draw_body(cairo_t *to, const marey_clip *clip, int frame, int facing_frame, double x, double y,
               double height_px, ink colour);

#endif
