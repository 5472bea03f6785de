/* grid_picture_of.h - which files are pictures. Read alone. */
#ifndef MAREY_TOOL_GRID_PICTURE_OF_H
#define MAREY_TOOL_GRID_PICTURE_OF_H

#include <stdbool.h>

bool is_picture(const char *path); /* by its ending */

#endif
