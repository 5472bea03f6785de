/* search_pick.h - the matches of one query in one web: all that are good enough, less those that
   overlap a better one (webs, 6.2.3). Read by match. */
#ifndef MRY_SEARCH_PICK_H
#define MRY_SEARCH_PICK_H

#include "match/search_hits.h"
#include "match/search_strip.h"

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
