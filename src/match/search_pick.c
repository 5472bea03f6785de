/* search_pick.c - see search_pick.h. The paper sorts all sequences by their mean, takes the first,
   strikes out what overlaps it, and so on. Here pairs of a start and an end wait in a heap with a
   bound that no sequence between them is below; only when a pair is first in the heap and not
   struck out is its least mean looked for, and it goes back with that. So the order is the paper's,
   but few pairs are ever looked at closely.

   The bound: one sweep at the threshold t gives the least V of sum - t * count between the two, so
   that for every sequence mean >= t + V / count, with V <= 0, and none has fewer cells than the
   longer side of the rectangle it crosses. */
#include "match/search_pick.h"

#include "base/binary_heap.h"

#include <math.h>

/* Room for rounding: sums of costs are compared in two orders. Relative to the threshold. */
#define ROUNDING 1e-9

typedef struct pair {
    double least; /* the bound, or the mean itself */
    bool exact;
    int start, end; /* of the strip; end -1: on one bridge */
    int first_col, last_col;
    mry_sum sum;
    int trail, trail_count; /* first bridge last */
} pair;

double mry_overlap(marey_segment a, marey_segment b)
{
    int start = a.start > b.start ? a.start : b.start, end = a.end < b.end ? a.end : b.end;
    int first = a.end - a.start, second = b.end - b.start;
    if (a.clip != b.clip || end <= start) return 0;
    return (double)(end - start) / (first < second ? first : second);
}

/* ---- the heap -------------------------------------------------------------------------------- */

/* A bound goes before an equal mean, so that equal means meet each other and the earlier one is
   taken. */
static bool goes_before(const void *user, const void *one, const void *other)
{
    const pair *a = one, *b = other;
    (void)user;
    if (a->least != b->least) return a->least < b->least;
    if (a->exact != b->exact) return b->exact;
    if (a->first_col != b->first_col) return a->first_col < b->first_col;
    if (a->last_col != b->last_col) return a->last_col < b->last_col;
    if (a->start != b->start) return a->start < b->start;
    return a->end < b->end;
}

static bool heap_add(marey_ctx *ctx, mry_list *pairs, const pair *item)
{
    if (!mry_list_add(ctx, pairs, sizeof *item)) return false;
    mry_heap heap = { pairs->items, pairs->count - 1, sizeof *item, .before = goes_before };
    mry_heap_push(&heap, item);
    return true;
}

static marey_segment segment_of(const mry_pick *pick, const pair *p)
{
    return (marey_segment){ pick->clip, p->first_col, p->last_col + 1 };
}

static bool struck_out(const mry_picker *picker, const mry_pick *pick, const pair *p, int first_hit)
{
    marey_segment at = segment_of(pick, p);
    if (mry_overlap(at, pick->query) >= pick->same) return true;
    const mry_hit *hits = picker->hits.items;
    for (int i = first_hit; i < picker->hits.count; i++) {
        if (mry_overlap(at, hits[i].at) >= pick->same) return true;
    }
    return false;
}

static bool add_pairs(mry_picker *picker, const mry_pick *pick, int start, double slack)
{
    const mry_strip *strip = &picker->strip;
    marey_cell first = mry_strip_start_at(strip, start)->at;
    mry_strip_sweep(&picker->strip, start, pick->threshold);
    for (int i = 0; i < strip->met.count; i++) {
        int end = ((const int *)strip->met.items)[i];
        marey_cell last = mry_strip_end_at(strip, end)->at;
        pair p = { .start = start, .end = end, .first_col = first.col, .last_col = last.col };
        mry_strip_least_at(strip, end, &p.sum);
        double above = mry_sum_above(p.sum, pick->threshold);
        if (above > slack) continue;
        int rows = last.row - first.row + 1, cols = last.col - first.col + 1;
        double least = above / (rows > cols ? rows : cols);
        p.least = pick->threshold * (1 - ROUNDING) + (least < 0 ? least : 0);
        if (!heap_add(strip->ctx, &picker->pairs, &p)) return false;
    }
    return true;
}

/* The first sweep at the mean that is known finds a sequence at least as good, so there is always
   one. */
static bool look_closely(mry_picker *picker, pair *p)
{
    double mean = p->sum.sum / p->sum.count;
    for (bool first = true;; first = false) {
        mry_sum sum = p->sum;
        mry_strip_sweep(&picker->strip, p->start, mean);
        mry_strip_least_at(&picker->strip, p->end, &sum);
        bool better = sum.sum / sum.count < mean;
        if (better || first) {
            p->sum = sum;
            const mry_strip *strip = &picker->strip;
            p->trail = picker->trails.count;
            int last = mry_strip_last_bridge(strip, p->end);
            for (int i = last; i >= 0; i = mry_strip_bridge_at(strip, i)->came_by) {
                int *to = mry_list_add(strip->ctx, &picker->trails, sizeof *to);
                if (!to) return false;
                *to = i;
            }
            p->trail_count = picker->trails.count - p->trail;
        }
        if (!better) break;
        mean = sum.sum / sum.count;
    }
    p->least = p->sum.sum / p->sum.count;
    p->exact = true;
    return true;
}

/* ---- its cells ------------------------------------------------------------------------------- */

typedef struct writer {
    mry_picker *picker;
    mry_hit *hit;
    bool failed;
} writer;

static void write_cell(writer *w, marey_cell at)
{
    mry_hit *hit = w->hit;
    mry_list *steps = &w->picker->steps;
    if (hit->cells == 0) {
        hit->first = at;
    } else {
        bool down = at.row > hit->last.row, across = at.col > hit->last.col;
        int step = down && across ? MRY_MOVE_BOTH : across ? MRY_MOVE_ACROSS : MRY_MOVE_DOWN;
        int place = hit->cells - 1;
        if (place % 4 == 0) {
            uint8_t *byte = mry_list_add(w->picker->strip.ctx, steps, 1);
            if (byte) *byte = 0;
            w->failed |= !byte;
        }
        if (!w->failed)
            ((uint8_t *)steps->items)[steps->count - 1] |= (uint8_t)(step << place % 4 * 2);
    }
    hit->last = at;
    hit->cells++;
}

static void write_cells(writer *w, int path, int axis, int first, int stop)
{
    for (int i = first; i < stop; i++) {
        write_cell(w, mry_strip_cell(&w->picker->strip, path, axis, i));
    }
}

/* What a chain lacks at an end of the query: so many rows before or behind one of its cells, first
   and last of them. */
static void write_lacking(writer *w, int axis, marey_cell at, int first, int last)
{
    const mry_strip *strip = &w->picker->strip;
    for (int i = first; i <= last; i++) write_cell(w, mry_strip_beside(strip, axis, at, i));
}

static void write_chain(writer *w, int chain, int first, int last)
{
    const mry_strip_chain *part = mry_strip_chain_at(&w->picker->strip, chain);
    write_cells(w, part->chain, part->axis, first, last + 1);
}

static void write_pair(writer *w, const pair *p)
{
    const mry_strip *strip = &w->picker->strip;
    const int *trails = w->picker->trails.items;
    const mry_strip_start *start = mry_strip_start_at(strip, p->start);
    int chain = start->chain, cell = start->cell;
    if (start->path >= 0) {
        write_cells(w, start->path, start->axis, start->path_cell, start->path_end + 1);
    } else {
        const mry_strip_chain *on = mry_strip_chain_at(strip, chain);
        marey_cell at = mry_strip_cell(strip, on->chain, on->axis, cell);
        write_lacking(w, on->axis, at, -start->lacks, -1);
    }
    for (int i = p->trail_count - 1; i >= 0; i--) {
        const mry_strip_bridge *bridge = mry_strip_bridge_at(strip, trails[p->trail + i]);
        write_chain(w, chain, cell, bridge->leaves);
        write_cells(w, bridge->path, bridge->axis, 0, (int)bridge->own.count);
        chain = bridge->to;
        cell = bridge->arrives;
    }
    if (chain < 0) return;
    const mry_strip_chain *last = mry_strip_chain_at(strip, chain);
    write_chain(w, chain, cell, last->end);
    marey_cell end = w->hit->last;
    write_lacking(w, last->axis, end, 1, last->lacks);
}

bool mry_pick_matches(mry_picker *picker, const mry_pick *pick)
{
    int first_row = pick->query.start, last_row = pick->query.end - 1;
    double slack = ROUNDING * pick->threshold * 4 * (last_row - first_row + 1);
    if (!mry_strip_fill(&picker->strip, pick->web, pick->flipped, first_row, last_row, pick->loose))
        return false;
    picker->pairs.count = picker->trails.count = 0;
    mry_strip_prune(&picker->strip, pick->threshold, slack);
    const mry_strip *strip = &picker->strip;
    for (int i = 0; i < strip->starts.count; i++) {
        const mry_strip_start *start = mry_strip_start_at(strip, i);
        if (start->rest > slack) continue;
        if (start->chain >= 0) {
            if (!add_pairs(picker, pick, i, slack)) return false;
            continue;
        }
        /* It begins and ends on one bridge. */
        marey_cell last = mry_strip_cell(strip, start->path, start->axis, start->path_end);
        pair p = { .least = start->own.sum / start->own.count, .exact = true, .start = i };
        p.end = -1;
        p.first_col = start->at.col;
        p.last_col = last.col;
        p.sum = start->own;
        if (p.least > pick->threshold) continue;
        if (!heap_add(strip->ctx, &picker->pairs, &p)) return false;
    }
    int first_hit = picker->hits.count;
    while (picker->pairs.count > 0) {
        pair best;
        mry_heap heap = { picker->pairs.items, picker->pairs.count, sizeof best,
                          .before = goes_before };
        mry_heap_pop(&heap, &best);
        picker->pairs.count = heap.count;
        if (struck_out(picker, pick, &best, first_hit)) continue;
        if (best.exact) {
            mry_hit *hit = mry_list_add(strip->ctx, &picker->hits, sizeof *hit);
            if (!hit) return false;
            *hit = (mry_hit){ .at = segment_of(pick, &best),
                              .mean = best.least,
                              .steps = picker->steps.count };
            writer to = { picker, hit, false };
            write_pair(&to, &best);
            if (to.failed) return false;
        } else {
            if (!look_closely(picker, &best)) return false;
            if (best.least <= pick->threshold && !heap_add(strip->ctx, &picker->pairs, &best))
                return false;
        }
    }

    /* From the web's rows to the clips'. */
    mry_rates rates = pick->rates;
    for (int i = first_hit; i < picker->hits.count; i++) {
        mry_hit *hit = (mry_hit *)picker->hits.items + i;
        hit->begin = hit->first;
        hit->rates = rates;
        hit->at.start = mry_from_web(hit->at.start, rates.cols);
        hit->at.end = mry_from_web(hit->at.end - 1, rates.cols) + 1;
        hit->first.row = mry_from_web(hit->first.row, rates.rows);
        hit->first.col = mry_from_web(hit->first.col, rates.cols);
        hit->last.row = mry_from_web(hit->last.row, rates.rows);
        hit->last.col = mry_from_web(hit->last.col, rates.cols);
    }
    return true;
}

void mry_picker_free(mry_picker *p)
{
    marey_ctx *ctx = p->strip.ctx;
    mry_list *lists[] = { &p->pairs, &p->trails, &p->hits, &p->steps };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mry_list_free(ctx, lists[i]);
    mry_strip_free(&p->strip);
}
