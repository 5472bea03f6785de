/* web_level.h - webs by the paper's resolutions (webs, 6.2.2, figures 6.7 and 6.8): one of few
   frames first, whose paths are then looked for again among more frames, close to where they were.
   Read by web_build.c and web_refine.c. */
#ifndef MRY_WEB_LEVEL_H
#define MRY_WEB_LEVEL_H

#include "match/web_work.h"

#include "grid/points_sweep.h"

/* The grid at one resolution. */
typedef struct mry_level {
    marey_ctx *ctx;
    int rows, cols;
    bool self;
    int slope;
    double fps;
    float below;             /* greater cells need not be measured; infinity at first */
    int every;               /* frames of the full rate to a row */
    const mry_points *a, *b; /* points; else NULL */
    const marey_rows *whole; /* the others: all cells at the full rate */
    const uint8_t *marked_rows, *marked_cols; /* of this level; NULL: none */
    const struct mry_card_marks *card; /* cells below `below`, by a graphics card; NULL: none */
} mry_level;

/* Every so many rows of two features: `whole` is their grid, if they are no points. Borrows all,
   but for what it has to make from them; that lives in mem. False: no memory. */
bool mry_level_make(mry_arena *mem, const marey_features *a, const marey_features *b,
                    const marey_rows *whole, int every, mry_level *out);

/* For mry_web_source; `user` is a mry_level. Cells that are not less than below may be infinite. */
bool mry_level_fill(void *user, int first, int end, float *cells, size_t stride);

/* The web of a level from that of a level `factor` times as coarse. NULL: no memory, or
   cancelled. */
marey_web *mry_web_refine(const marey_web *coarse, int factor, const mry_level *level);

#endif
