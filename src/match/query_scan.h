/* query_scan.h - where in a clip the motion is like a query, exactly, without comparing all of it.

   An alignment gives each row i of the query one row j of the clip, j(0) <= j(1) <= ... At most
   slope + 1 rows of the clip lie from one to the next, and at most `slope` times in a row j stays.
   It costs the mean over the query's rows of D(i, j(i)): the number it is divided by is the same
   for all alignments, so a sum of lower bounds of D, divided likewise, bounds the least cost from
   below, and nothing is diluted by frames that are repeated.

   So frames are ruled out in blocks, then one by one, by the bounds of feature/low.h, and distances
   are computed only around what is left. Every end with a cost of at most the cut-off is found.
   Read after low.h. */
#ifndef MRY_QUERY_SCAN_H
#define MRY_QUERY_SCAN_H

#include "base/arena.h"
#include "feature/low.h"

#include <marey/align.h>

enum { MRY_SCAN_BLOCK = 8, MRY_SCAN_MOST_SLOPE = 8 };

/* ---- the cost -------------------------------------------------------------------------------- */

/* Of every column of a grid: the least cost of an alignment of all rows that ends there, INFINITY
   if there is none, and the column where it starts. `room` is for (slope + 2) x cols floats and as
   many numbers. `starts` may be NULL, and then so may its room. */
typedef struct mry_row_warp {
    int slope;
    float *sums;
    int *from;
} mry_row_warp;

void mry_row_warp_costs(const mry_row_warp *room, marey_rows cost, float *costs, int *starts);

/* ---- the scan -------------------------------------------------------------------------------- */

/* What a clip is scanned by; made once. */
typedef struct mry_scanned {
    const mry_points *points;
    mry_low frames; /* a row each */
    mry_low blocks; /* of MRY_SCAN_BLOCK rows */
} mry_scanned;

bool mry_scanned_make(mry_arena *mem, const mry_points *points, const mry_basis *basis,
                      mry_scanned *out);

/* Rows [first, end) of some clip. */
typedef struct mry_scan_query {
    const mry_points *points;
    int first, end;
    mry_low frames, blocks;
} mry_scan_query;

bool mry_scan_query_make(mry_arena *mem, const mry_points *points, const mry_basis *basis,
                         int first, int end, mry_scan_query *out);

/* An alignment's first and last row of the clip. */
typedef struct mry_scan_end {
    int start, end;
    float cost;
} mry_scan_end;

typedef struct mry_scan_result {
    mry_scan_end *ends; /* by their last row */
    int count;
    int64_t checked_rows, exact_rows; /* of the clip, left by blocks and by frames */
} mry_scan_result;

/* All ends that cost at most `cutoff`; the result lives in mem. False: out of memory. */
bool mry_scan(mry_arena *mem, const mry_scan_query *query, const mry_scanned *clip, int slope,
              float cutoff, mry_scan_result *out);

#endif
