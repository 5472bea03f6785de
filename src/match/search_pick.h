/* search_pick.h - the matches of one query in one web: all that are good enough, less those that
   overlap a better one (webs, 6.2.3). Read by match. */
#ifndef MRY_SEARCH_PICK_H
#define MRY_SEARCH_PICK_H

#include "match/search_strip.h"

/* Share of the shorter of two intervals that the other covers (webs, eq. 6.1). */
double mry_overlap(marey_segment a, marey_segment b);

/* Rows of a clip to one of the web's, for the two clips of a web: 1 and 1 unless the web has a
   lower rate. */
typedef struct mry_rates {
    double rows, cols; /* the query's clip, the match's */
} mry_rates;

/* The row of a clip at the time of a row of a web, and back. */
static inline int mry_from_web(int row, double rate)
{
    return rate == 1 ? row : (int)(row * rate + 0.5);
}

static inline int mry_to_web(int row, double rate)
{
    return rate == 1 ? row : (int)(row / rate + 0.5);
}

typedef struct mry_hit { /* counted in the clips' rows */
    marey_segment at;
    double mean;
    marey_cell first, last; /* rows: the query's frames; columns: the match's */
    marey_cell begin;       /* the first cell in the web's rows and columns: steps are of these */
    mry_rates rates;
    int cells;
    int steps; /* in the list of steps: four to a byte, from the first cell on */
} mry_hit;

/* Steps of a path as two bits each. */
enum { MRY_MOVE_BOTH = 0, MRY_MOVE_ACROSS = 1, MRY_MOVE_DOWN = 2 };

typedef struct mry_picker {
    mry_strip strip;
    mry_list pairs;  /* of a start and an end: a heap */
    mry_list trails; /* int: bridges of the pairs that were looked at closely */
    mry_list hits;   /* mry_hit: what was found since the list was emptied */
    mry_list steps;  /* bytes */
} mry_picker;

static inline mry_picker mry_picker_make(marey_ctx *ctx)
{
    return (mry_picker){ .strip = { .ctx = ctx } };
}
void mry_picker_free(mry_picker *picker);

typedef struct mry_pick {
    const marey_web *web;
    bool flipped;
    marey_segment query; /* in the web's rows */
    mry_rates rates;
    int clip; /* whose segments are found */
    double threshold, same;
    int loose; /* rows that a sequence may lack at either end of the query */
} mry_pick;

/* Adds to the hits, best first. A query's own segment counts as the best match in its clip, and is
   not added. False: no memory. */
bool mry_pick_matches(mry_picker *picker, const mry_pick *pick);

#endif
