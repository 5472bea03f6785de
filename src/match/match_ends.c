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
        float enough = cutoff > 0 ? 0.9999f * still * (2 * ends[k].cost / cutoff - 1) : 0;
        if (mry_scan_rows_make(&tmp, poses, ends[k].start, ends[k].end + 1, query->every,
                               query->weights, unit, &it))
            own = mry_still_at_most(&tmp, &it, poses, ends[k].start, unit, enough);
        mry_arena_free(&tmp);
        if (own < 0) return -1;
        if (still > 0) ends[k].cost *= 2 * still / (still + fminf(own, MRY_MOST_MOTION * still));
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

bool mry_hits_cut(mry_hit *hits, int *count, double still, const mry_hit_stage *stages,
                  int stage_count, double known, double *threshold)
{
    int all = *count, i = 0;
    double most = stages[stage_count - 1].to;
    if (all > 1) qsort(hits, (size_t)all, sizeof *hits, mry_hit_by_mean);
    for (const mry_hit_stage *stage = stages; stage < stages + stage_count; stage++) {
        double begin = stage->from * still, from = begin;
        while (i < all && hits[i].mean <= begin) i++;
        if (stage > stages && i > 0) {
            *count = i;
            *threshold = begin;
            return true;
        }
        /* From where the stage begins, then from each hit on. */
        for (int first = i, end = i;; from = hits[i].mean) {
            while (end < all && hits[end].mean < from + stage->window * still) end++;
            if (end - i > stage->few) {
                *count = i;
                *threshold = i > first ? (hits[i - 1].mean + from) / 2 : begin;
                return true;
            }
            if (known < most && known * still < from + stage->window * still) return false;
            if (from > begin) i++;
            if (i == all || hits[i].mean > stage->to * still) break;
        }
        if (known < stage->to) return false;
    }
    *count = i;
    *threshold = most * still;
    return true;
}
