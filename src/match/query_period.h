/* query_period.h - does the motion of a query begin again within it, as the steps of a walk do?
   Read by the library's motifs. */
#ifndef MRY_QUERY_PERIOD_H
#define MRY_QUERY_PERIOD_H

#include "match/query_scan.h"

/* The fewest rows, `shortest` at least, after which the rows of a query are again what they were:
   the mean distance of rows that are so far apart, of which there must be `overlap`, is at most
   `most` cm2. All of its rows if it does not begin again. `first` and `unit` as for the query.
   Negative: out of memory. */
int mry_query_period(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses, int first,
                     float unit, int shortest, int overlap, float most);

#endif
