/* search_hits.h - the matches of one query, wherever they were found, and searching by them. Read by
   match and by the searcher. */
#ifndef MRY_SEARCH_HITS_H
#define MRY_SEARCH_HITS_H

#include "match/search_list.h"

#include <marey/match.h>

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
    bool mirrored; /* it is like the query seen in a mirror */
    int of;    /* in the first tier: the number of the liked hit that it is like; 0: the query */
    int liked; /* it is a query like the first, by the number that others know it by; 0: it is none */
    int cells;
    int steps; /* in the list of steps: four to a byte, from the first cell on */
} mry_hit;

/* Steps of a path as two bits each. */
enum { MRY_MOVE_BOTH = 0, MRY_MOVE_ACROSS = 1, MRY_MOVE_DOWN = 2 };

/* The hits of one query, in any order, and their steps. */
typedef struct mry_hits {
    mry_hit *hits;
    int count;
    const mry_list *steps;
} mry_hits;

/* Where hits come from. */
typedef struct mry_hit_source {
    int clips;
    const double *fps; /* rows a second of each clip; NULL: the same for all */
    /* Called from the thread that searches, for each query once. What it hands out is borrowed
       until the next call. */
    marey_status (*find)(void *user, marey_segment query, mry_hits *out, marey_error *error);
    void *user;
    /* Not 0: only while there are at most so many matches is it searched for what is like them; and
       if that is much more than was found before, it is something else and left out. Distances
       are then those on the way from the query. */
    int few;
    /* Not NULL: nearer matches are not searched for, as what is like them is like the query. Known
       when the query's hits are. */
    const double *near;
    const double *ceiling; /* what the report says of it, when all is found; NULL: there is none */
} mry_hit_source;

/* marey_search by hits from anywhere; of `def` threshold, loose, allowed and wanted are ignored, `same` and
   `distinct` have no default. (search.c) */
marey_status mry_search(marey_ctx *ctx, const mry_hit_source *source, marey_segment query,
                        const marey_search_def *def, marey_match_graph **out, marey_error *error);

#endif
