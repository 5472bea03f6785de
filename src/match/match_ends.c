/* match_ends.c - from the ends of alignments to matches. */
#include "match/match_ends.h"

#include "match/query_weights.h"

#include <math.h>
#include <stdlib.h>

static int by_cost(const void *left, const void *right)
{
    const mry_scan_end *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

int mry_ends_apart(mry_scan_end *ends, int count, const marey_segment *own, double same)
{
    int kept = 0;
    if (count > 1) qsort(ends, (size_t)count, sizeof *ends, by_cost);
    for (int i = 0; i < count; i++) {
        marey_segment one = { 0, ends[i].start, ends[i].end + 1 };
        bool is_new = !own || mry_overlap((marey_segment){ 0, own->start, own->end }, one) < same;
        for (int k = 0; k < kept && is_new; k++)
            is_new = mry_overlap((marey_segment){ 0, ends[k].start, ends[k].end + 1 }, one) < same;
        if (is_new) ends[kept++] = ends[i];
    }
    return kept;
}

int mry_ends_moving(mry_arena *mem, const mry_scan_query *query, float still,
                    const mry_poses *poses, float unit, float cutoff, mry_scan_end *ends, int count)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        mry_arena tmp = mry_arena_make(mem->ctx);
        mry_scan_query it;
        float own = -1;
        /* Below that it is too far, whatever it is. */
        float enough = cutoff > 0 ? 0.9999f * ends[k].cost * still / cutoff : 0;
        if (mry_scan_rows_make(&tmp, poses, ends[k].start, ends[k].end + 1, query->weights, unit,
                               &it))
            own = mry_still_at_most(&tmp, &it, poses, ends[k].start, unit, fminf(enough, still));
        mry_arena_free(&tmp);
        if (own < 0) return -1;
        if (own < still) ends[k].cost *= still / own;
        if (ends[k].cost <= cutoff) ends[kept++] = ends[k];
    }
    return kept;
}

int mry_hit_by_mean(const void *left, const void *right)
{
    const mry_hit *a = left, *b = right;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    if (a->at.clip != b->at.clip) return a->at.clip < b->at.clip ? -1 : 1;
    return (a->at.start > b->at.start) - (a->at.start < b->at.start);
}

double mry_hits_cut(mry_hit *hits, int *count, mry_hit_shares shares)
{
    static const double fewest = 6, share = 0.3;
    int all = *count, sure = 0;
    if (all > 1) qsort(hits, (size_t)all, sizeof *hits, mry_hit_by_mean);
    while (sure < all && hits[sure].mean <= shares.sure) sure++;
    /* From the first that is not sure on, and from where they begin to be not. */
    bool begins = true;
    for (int i = sure, end = sure; i < all; i += !begins, begins = false) {
        double from = begins ? shares.sure : hits[i].mean;
        while (end < all && hits[end].mean < from + shares.window) end++;
        if (end - i <= fmax(fewest, share * (i + 1))) continue;
        *count = i;
        return i == sure ? shares.sure : (hits[i - 1].mean + hits[i].mean) / 2;
    }
    return shares.most;
}
