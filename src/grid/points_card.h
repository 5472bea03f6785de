/* points_card.h - grids of point clouds by the graphics card, with the processor's decisions. Read
   by points_minima.c, points_grid.c and match. */
#ifndef MRY_POINTS_CARD_H
#define MRY_POINTS_CARD_H

#include "card/card_hold.h"
#include "grid/points_sweep.h"

#include <marey/grid.h>

/* Which blocks of 8 rows and 32 columns have a cell below a bound. */
typedef struct mry_card_marks {
    int rows, cols;
    size_t stride;
    const uint8_t *map;
} mry_card_marks;

/* Frames as card.h wants them; they live in mem. False: out of memory. */
bool mry_card_pack(mry_arena *mem, const mry_points *points, mry_card_points *out);

/* What the kernel of the processor has for rows i - 1 .. i + 1 by columns j - 1 .. j + 1; infinite
   outside the grid. Fused points only. */
void mry_points_patch(const mry_points *a, const mry_points *b, int i, int j, float *room,
                      float out[9]);
/* Floats that it needs for room, aligned to 64 bytes. */
size_t mry_points_patch_room(const mry_points *a);

/* How far the card's distances may be off from the processor's; 0: a try gave the same bits. */
float mry_card_slack(marey_ctx *ctx, mry_card_hold *hold, const mry_points *a, const mry_points *b);

/* As mry_points_minima. *done is false if the card did not do it, and then nothing was found yet. */
marey_status mry_card_minima(marey_ctx *ctx, mry_card_hold *hold, const mry_points *a,
                             const mry_points *b, const marey_minima_def *def, bool *done,
                             marey_error *error);

/* Marks of the whole grid; NULL: the card did not do it. `upper`: only right of the diagonal, and
   512 columns left of it. They live in mem. */
const mry_card_marks *mry_card_mark(mry_arena *mem, const mry_points *a, const mry_points *b,
                                    float below, bool upper);

/* The tiles that a sweep over rows [first, end) needs; see points_bound.h. False: out of memory. */
bool mry_card_need(mry_arena *mem, const mry_card_marks *marks, const mry_points *a,
                   const mry_points *b, int first, int end, mry_need *out);

#endif
