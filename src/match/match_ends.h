/* match_ends.h - which ends of a scan are matches: one of those in one place, those that move, and
   those before others begin. Docs: decisions/0022-exact-search.md. Read by library. */
#ifndef MRY_MATCH_ENDS_H
#define MRY_MATCH_ENDS_H

#include "match/query_scan.h"
#include "match/search_hits.h"

/* Of ends that are near each other the best is the match: the others overlap it by `same`. The
   query itself is the best in its clip (`own`; NULL: it is in another). Returns how many stay, the
   best first. */
int mry_ends_apart(mry_scan_end *ends, int count, const marey_segment *own, double same);

/* What moves less than the query is as many times farther: a character that hardly moves is near to
   every slow movement. `still` is the query's still cost. Returns how many of the ends stay within
   the cut-off; -1: out of memory. */
int mry_ends_moving(mry_arena *mem, const mry_scan_query *query, float still,
                    const mry_poses *poses, float unit, float cutoff, mry_scan_end *ends,
                    int count);

/* By their means, then by clip and start. */
int mry_hit_by_mean(const void *left, const void *right);

/* Up to `sure` hits are matches, beyond `most` they are not. */
typedef struct mry_hit_shares {
    double sure, most;
    double window; /* in which others come at once */
} mry_hit_shares;

/* Sorts hits and drops those from where on others come: more within the window than a share of
   those before. Returns the threshold. */
double mry_hits_cut(mry_hit *hits, int *count, mry_hit_shares shares);

#endif
