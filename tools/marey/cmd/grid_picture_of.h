/* grid_picture_of.h - the picture of a comparison's grid. Read after metric_options.h; grid and similar draw it. */
#ifndef MAREY_TOOL_GRID_PICTURE_OF_H
#define MAREY_TOOL_GRID_PICTURE_OF_H

#include "metric_options.h"

bool is_picture(const char *path); /* by its ending */

/* Axes count the frames of the clips as they are in their files. */
marey_status grid_picture_of(const comparison *all, const marey_grid *grid,
                             const marey_grid_picture_def *def, const char *path,
                             marey_error *error);

#endif
