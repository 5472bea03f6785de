/* search_least.h - the match sequence of least mean between a start and an end of a strip, of all there are. Read by match.

   The number of sequences through a strip can be exponential, but its junctions are not many, and the graph of them has no
   circles. For a given mean m the sequence with the least sum of (cost - m) is found by one sweep over the strip's
   events; if that least sum is negative, the sequence found has a mean less than m, and is the next guess; if it is 0, none
   is better (Dinkelbach 1967). Each guess is the mean of another sequence and less than the one before, so it ends, in
   practice after two or three sweeps.

   What can never be good enough is left out before: a sweep backwards at the threshold says for every part what is at
   least above it from there to any end, one forwards from all starts at once what is above it until there. */
#ifndef MRY_SEARCH_LEAST_H
#define MRY_SEARCH_LEAST_H

#include "match/search_strip.h"

/* Leaves out of the strip's events, starts' events and bridges what no sequence with at most that mean goes through. A
   start without such a sequence has rest > slack. */
void mry_strip_prune(mry_strip *strip, double threshold, double slack);

/* Sweeps from one start: what is least above `mean` at every part. strip->met has the ends that it got to; ask with
   mry_strip_least_at. Costs what lies between the start and the last event that it leads to, not all of the strip. */
void mry_strip_sweep(mry_strip *strip, int start, double mean);

/* After a sweep: the best sequence to an end; false: none leads there. */
bool mry_strip_least_at(const mry_strip *strip, int end, mry_sum *out);

/* The bridges of that sequence, last first, -1 behind the first one of them: follow came_by from this. */
int mry_strip_last_bridge(const mry_strip *strip, int end);

#endif
