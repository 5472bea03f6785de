/* grid_picture.h - the pieces of a grid's picture: where everything is, the colours, the figures along the axes.
   Read after track.h and ink.h. */
#ifndef MRY_GRID_PICTURE_H
#define MRY_GRID_PICTURE_H

#include "picture/ink.h"
#include "picture/track.h"

#include <marey/picture.h>

enum { MRY_GRID_SHADES = 256, MRY_GRID_MOST_FIGURES = 24 };

typedef struct mry_grid_figure {
    int sample;   /* of the track */
    double share; /* where it is along the axis, 0 .. 1 */
    double origin[3];
    double box[4]; /* left, top, right, bottom about the origin, in cm of the picture */
    mry_part *parts;
    int part_count;
} mry_grid_figure;

/* One clip along its axis. */
typedef struct mry_grid_axis {
    const marey_grid_side *side;
    int rows;
    double fps;     /* of the rows */
    double start_s; /* the time of the first row */
    double shown_fps;
    const char *title;
    mry_body body;
    mry_track track;
    mry_view view;
    mry_grid_figure figures[MRY_GRID_MOST_FIGURES];
    int figure_count;
} mry_grid_axis;

/* What is where, in pixels:

       title
                 figures of the second clip
       figures   +---------------------------+   scale
       of the    |  grid                     |
       first     +---------------------------+
                   seconds, frames
                   what the dots are                         */
typedef struct mry_grid_plan {
    marey_rows cells;
    const marey_grid_picture_def *def;
    const marey_metric *metric;
    bool rooted;                     /* colours and scale go by the root of the distance */
    double low, high;                /* what the darkest and the lightest colour stand for */
    bool high_is_greatest;           /* otherwise there are cells above it */
    double left, top, width, height; /* of the grid */
    int page_width, page_height;
    double scale; /* pixels per cm of the figures */
    mry_grid_axis axes[2];
    uint32_t shades[MRY_GRID_SHADES]; /* 0x00RRGGBB, dark to light */
} mry_grid_plan;

/* Blue over green to yellow, evenly lighter from step to step. */
void mry_grid_shades(uint32_t *shades);

/* The range of values that the colours are spread over. */
bool mry_grid_range(mry_grid_plan *plan, mry_arena *tmp);

/* The figures of an axis that is `length` pixels long. False when out of memory. */
bool mry_grid_figures(mry_grid_axis *axis, mry_arena *mem, double length);
/* The scale at which they all fit. */
double mry_grid_figure_scale(const mry_grid_axis *axis);

void mry_grid_draw_figures(const mry_grid_plan *plan, cairo_t *cr);
void mry_grid_draw_axes(const mry_grid_plan *plan, cairo_t *cr);
void mry_grid_draw_scale(const mry_grid_plan *plan, cairo_t *cr);
void mry_grid_draw_title(const mry_grid_plan *plan, cairo_t *cr);

/* The place of the middle of a cell. */
static inline double mry_grid_x(const mry_grid_plan *plan, double col)
{
    return plan->left + (col + 0.5) * plan->width / plan->cells.cols;
}

static inline double mry_grid_y(const mry_grid_plan *plan, double row)
{
    return plan->top + (row + 0.5) * plan->height / plan->cells.rows;
}

enum { MRY_GRID_FIGURE = 84 }; /* pixels that a figure may be high, and its slot wide */

#endif
