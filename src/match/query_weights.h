/* query_weights.h - what a query says of itself: which parts of the body count, and how much better
   than standing still a match must be. Read by the searcher. */
#ifndef MRY_QUERY_WEIGHTS_H
#define MRY_QUERY_WEIGHTS_H

#include "match/query_scan.h"

/* The weight of each point: the root of how much it moves in rows [first, end), seen from the body,
   and no less than the root of a twentieth of what moves most; they sum to one. by_roles: only of
   roles that `has` has a bit for, as the other clip may lack some. False: out of memory. */
bool mry_query_weights(mry_arena *tmp, const mry_poses *poses, int first, int end, uint32_t has,
                       float *weights);

/* The still cost of a query: the least mean distance of its rows to a single one of them, in cm2.
   `unit` and first as for the query. Negative: out of memory. */
float mry_still_cost(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses, int first,
                     float unit);
/* The same, or more, if what was found is below `enough`. */
float mry_still_at_most(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses,
                        int first, float unit, float enough);

#endif
