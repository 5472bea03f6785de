/* grid_binary.h - a grid as bytes: the layout that docs/studio-api.md calls MRYG. Read after
   api_common.h. */
#ifndef STUDIO_GRID_BINARY_H
#define STUDIO_GRID_BINARY_H

#include "api_common.h"

/* Fills the answer with a grid, no larger than rows x cols: larger ones are reduced by the least of
   each block. */
void grid_answer(marey_rows cost, double fps, int rows, int cols, studio_response *response);

#endif
