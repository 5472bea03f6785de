/* warp_grids.h - grids for the tests of time alignment, and what a path through one must be. */
#ifndef MAREY_TEST_WARP_GRIDS_H
#define MAREY_TEST_WARP_GRIDS_H

#include "support.h"

int warp_pick(uint32_t *state, int first, int last); /* a number from first to last */

typedef enum warp_kind {
    WARP_SMOOTH,
    WARP_NOISE,
    WARP_FEW, /* 0 to 3, so that many paths cost the same */
    WARP_ZEROS_AND_ONES,
    WARP_WIDE_RANGE, /* so wide that sums round */
    WARP_KINDS
} warp_kind;

/* Allocated to the last float, so that reading too far shows under a sanitizer; the gap between
   rows is no number. */
marey_rows warp_grid_make(int rows, int cols, int gap, warp_kind which, uint32_t *state);
marey_rows warp_grid_reverse(marey_rows grid); /* a copy, seen from the other corner */
void warp_grid_free(marey_rows grid);
typedef marey_rows warp_grid; /* OWNED(warp_grid) grid = warp_grid_make(..) */
static inline void warp_grid_end(warp_grid *grid)
{
    warp_grid_free(*grid);
}
OWNED_VALUE(warp_grid, warp_grid_end)
float *warp_cell(marey_rows grid, int row, int col);

/* marey_align, or its judge: plain is the textbook form (timewarp_plain.h). */
typedef enum warp_form { WARP_FAST, WARP_PLAIN } warp_form;
marey_status warp_align(marey_ctx *ctx, marey_rows grid, const marey_align_def *def, warp_form form,
                        marey_path *out, marey_error *error);

/* Fails the test if there is no path. */
marey_path warp_find(marey_ctx *ctx, marey_rows grid, marey_align_def def, warp_form form);

/* Fails the test unless the path is continuous, never goes back, keeps to the slope, has the ends
   it should have and costs what its cells cost. */
void warp_check_path(marey_rows grid, marey_align_def def, const marey_path *path);

bool warp_same_cell(marey_cell a, marey_cell b);
bool warp_lengths_fit(int rows, int cols, int slope); /* is there a path from corner to corner? */

#endif
