/* matches.h - which constraints of several motions are the same one: section 4.4 and appendix B of
   Kovar & Gleicher 2003. Read by registration. */
#ifndef MRY_MATCHES_H
#define MRY_MATCHES_H

#include "base/arena.h"

typedef struct mry_span {
    double start, end; /* in the common time; start < end */
} mry_span;

typedef struct mry_spans {
    int count;
    const mry_span *items; /* sorted, disjoint */
} mry_spans;

typedef struct mry_matches {
    int count;
    mry_span *spans; /* count x motions, in `mem` */
    int dropped;     /* constraints of which no part belongs to a match */
    int split;       /* constraints that got a gap, or several */
} mry_matches;

/* One kind of constraint of all motions (1 or more). Every match has one span of every motion, and
   the union of its spans is one interval; spans that only touch are not connected. Matches are in
   the order of time. What has no length is dropped. Time is constraints * motions^2. false: out of
   memory, and *out is not written. */
bool mry_matches_find(mry_arena *mem, const mry_spans *motions, int motion_count, mry_matches *out);

#endif
