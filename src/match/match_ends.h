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

/* From what an alignment costs to how far the match is: by how much both move instead of how much
   the query does. `still` is the query's still cost; of a match it counts up to MRY_MOST_MOTION times
   that. A character that hardly moves is near to every slow movement, and becomes up to twice as
   far; a larger movement of the same kind becomes nearer. Returns how many of the ends stay within
   the cut-off, if all that cost up to mry_reach_of it were there; -1: out of memory. */
#define MRY_MOST_MOTION 1.5f
static inline double mry_reach_of(double cutoff)
{
    return cutoff * (1 + (double)MRY_MOST_MOTION) / 2;
}
int mry_ends_moving(mry_arena *mem, const mry_scan_query *query, float still,
                    const mry_poses *poses, float unit, float cutoff, mry_scan_end *ends,
                    int count);

/* By their means, then by clip and start. */
int mry_hit_by_mean(const void *left, const void *right);

/* From a distance to another hits are matches, until more than `few` come within a window: these
   are others. Shares of the still cost. Later stages are for when nothing was found before. */
typedef struct mry_hit_stage {
    double from, to, window;
    int few;
} mry_hit_stage;

/* Sorts hits and drops those from where others begin; up to where the first stage begins all are
   matches. Stages follow each other. All hits up to `known` are there, which is a share too: false if
   more must be known to tell, but never if it is where the last stage ends. */
bool mry_hits_cut(mry_hit *hits, int *count, double still, const mry_hit_stage *stages,
                  int stage_count, double known, double *threshold);

#endif
