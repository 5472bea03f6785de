/* matches.c - which constraints of several motions are the same one. Kovar & Gleicher 2003, 4.4 and
   appendix B.

   Each motion is a queue. While every queue has a head: if the heads are not connected, the one
   that starts first is dropped; otherwise they are matched. Before that, heads that reach over two
   constraints of another motion may get a gap: only the part before it is matched, the part behind
   it is the new head. Every round drops or uses up at least one constraint, so there are at most as
   many rounds as constraints; a round takes motions^2 steps.

   Which heads are split. A subsumes B if A reaches into B's next constraint and A's next one starts
   behind that; it is never mutual. S1, the heads to be split, must subsume all the others, S2. The
   paper makes an S1 from every head and keeps the one with the largest overlap, an S2 head counting
   up to the end of its next constraint. As subsuming is never mutual, the possible S1 lie inside
   each other like dolls, and a smaller S1 lets more heads count longer: so the smallest one wins
   always, and splitting nothing (S1 = all) wins only if there is no other. No overlap has to be
   measured for that. The smallest is what grows from the head that subsumes most others: every head
   in S1 subsumes all of S2, and no head in S2 subsumes as many. */
#include "align/matches.h"

#include "base/grow.h"

#include <string.h>

typedef struct queue {
    const mry_span *items; /* with start < end, all of them */
    int count, next;       /* items[next] comes behind the head */
    mry_span head;
    bool waiting; /* there is a head */
    bool used; /* a part of the head's constraint is in a match, so it is not lost with the rest */
} queue;

typedef struct work {
    mry_arena *tmp;
    queue *queues;
    int motions;
    int *subsumed; /* by each: how many others */
    int *joined;   /* motions in S1, in the order they came */
    bool *in_s1;
    mry_span *gaps;  /* of S1; start > end for none */
    mry_span *match; /* what the round makes */
    bool *reached;
    mry_span *found; /* in tmp */
    int found_room;
    mry_matches out; /* without spans until the end */
} work;

/* More than an end in common: of two plants of which one ends just where the other starts, neither
   is the other. */
static bool overlap(mry_span a, mry_span b)
{
    return a.start < b.end && b.start < a.end;
}

/* The constraint behind the head, or the one behind that; NULL: there is none. */
static const mry_span *behind(const queue *q, int steps)
{
    return q->next + steps <= q->count ? q->items + q->next + steps - 1 : NULL;
}

static bool subsumes(const queue *a, const queue *b)
{
    const mry_span *a2 = behind(a, 1), *b2 = behind(b, 1);
    return b2 && a->head.end > b2->start && (!a2 || a2->start > b2->end);
}

/* The head is done with; false: it was the last. */
static bool queue_advance(queue *q)
{
    q->waiting = q->next < q->count;
    if (q->waiting) q->head = q->items[q->next++];
    q->used = false;
    return q->waiting;
}

/* Grows one interval from the first span until it takes in no more. */
static bool connected(const work *w, const mry_span *spans)
{
    mry_span whole = spans[0];
    int left = w->motions - 1;
    memset(w->reached, 0, (size_t)w->motions * sizeof *w->reached);
    for (bool grown = true; grown && left;) {
        grown = false;
        for (int m = 1; m < w->motions; m++) {
            if (w->reached[m] || !overlap(whole, spans[m])) continue;
            if (spans[m].start < whole.start) whole.start = spans[m].start;
            if (spans[m].end > whole.end) whole.end = spans[m].end;
            w->reached[m] = grown = true;
            left--;
        }
    }
    return !left;
}

/* The next larger S1: the head outside it that subsumes most, and everything that follows from it.
   Returns its size. */
static int grow_s1(work *w, int size)
{
    int seed = -1;
    for (int m = 0; m < w->motions; m++)
        if (!w->in_s1[m] && (seed < 0 || w->subsumed[m] > w->subsumed[seed])) seed = m;
    int done = size;
    w->joined[size++] = seed;
    w->in_s1[seed] = true;
    for (; done < size; done++) {
        for (int m = 0; m < w->motions; m++) {
            if (w->in_s1[m] || subsumes(w->queues + w->joined[done], w->queues + m)) continue;
            w->joined[size++] = m;
            w->in_s1[m] = true;
        }
    }
    return size;
}

/* The mean of the votes of S2. A gap may have no width, as between plants that follow at once;
   parts may not. */
static mry_span gap_of(const work *w, int motion)
{
    mry_span sum = { 0, 0 }, head = w->queues[motion].head;
    int votes = 0;
    for (int m = 0; m < w->motions; m++) {
        if (w->in_s1[m]) continue;
        /* Where this motion would have the gap (eq. 10): from the start of its head to the end of
           its next constraint, laid on the head to be split from the start to p. Where that leaves
           a part that misses the constraint it is meant for - p lies far behind the end of the next
           one, say - the gap is where this motion has it. */
        const queue *other = w->queues + m;
        mry_span one = other->head, two = *behind(other, 1);
        const mry_span *three = behind(other, 2);
        double p = three && three->start < head.end && two.end > head.start ? two.end : head.end;
        double scale = (p - head.start) / (two.end - one.start);
        mry_span vote = { head.start + scale * (one.end - one.start),
                          head.start + scale * (two.start - one.start) };
        bool meets = overlap((mry_span){ head.start, vote.start }, one) &&
                     overlap((mry_span){ vote.end, head.end }, two);
        if (!meets && head.start < one.end) vote = (mry_span){ one.end, two.start };
        sum.start += vote.start;
        sum.end += vote.end;
        votes++;
    }
    mry_span gap = { sum.start / votes, sum.end / votes };
    bool fits = head.start < gap.start && gap.start <= gap.end && gap.end < head.end;
    return fits ? gap : (mry_span){ 1, 0 };
}

static bool is_gap(mry_span gap)
{
    return gap.start <= gap.end;
}

/* Fills gaps and match. The first parts must be connected as the heads were; if they are not, a
   larger S1 is tried, and at last no split. */
static void decide(work *w)
{
    for (int a = 0; a < w->motions; a++) {
        w->subsumed[a] = 0;
        for (int b = 0; b < w->motions; b++)
            w->subsumed[a] += b != a && subsumes(w->queues + a, w->queues + b);
    }
    for (int m = 0; m < w->motions; m++) w->in_s1[m] = false;
    for (int size = grow_s1(w, 0); size < w->motions; size = grow_s1(w, size)) {
        for (int m = 0; m < w->motions; m++) {
            w->gaps[m] = w->in_s1[m] ? gap_of(w, m) : (mry_span){ 1, 0 };
            w->match[m] = w->queues[m].head;
            if (is_gap(w->gaps[m])) w->match[m].end = w->gaps[m].start;
        }
        if (connected(w, w->match)) return;
    }
    for (int m = 0; m < w->motions; m++) {
        w->gaps[m] = (mry_span){ 1, 0 };
        w->match[m] = w->queues[m].head;
    }
}

static bool make_rounds(work *w)
{
    bool more = true;
    for (int m = 0; m < w->motions; m++)
        if (!queue_advance(w->queues + m)) more = false;
    while (more) {
        for (int m = 0; m < w->motions; m++) w->match[m] = w->queues[m].head;
        if (connected(w, w->match)) {
            decide(w);
            size_t motions = (size_t)w->motions;
            if (!mry_grow_in(w->tmp, &w->found, &w->found_room, w->out.count + 1,
                             motions * sizeof *w->found))
                return false;
            memcpy(w->found + (size_t)w->out.count++ * motions, w->match,
                   motions * sizeof *w->match);
            /* On behind the match: what is behind a gap is the new head. */
            for (int m = 0; m < w->motions; m++) {
                queue *q = w->queues + m;
                if (is_gap(w->gaps[m])) {
                    w->out.split += !q->used;
                    q->head.start = w->gaps[m].end;
                    q->used = true;
                } else if (!queue_advance(q)) {
                    more = false;
                }
            }
        } else {
            /* Of two that start together the one that ends first: the other can still meet what
               follows. */
            int best = 0;
            for (int m = 1; m < w->motions; m++) {
                mry_span a = w->queues[m].head, b = w->queues[best].head;
                if (a.start < b.start || (a.start == b.start && a.end < b.end)) best = m;
            }
            queue *q = w->queues + best;
            w->out.dropped += !q->used;
            more = queue_advance(q);
        }
    }
    for (int m = 0; m < w->motions; m++) {
        const queue *q = w->queues + m;
        w->out.dropped += q->count - q->next + (q->waiting && !q->used);
    }
    return true;
}

bool mry_matches_find(mry_arena *mem, const mry_spans *motions, int motion_count, mry_matches *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    work w = { .tmp = &tmp, .motions = motion_count };
    w.queues = MRY_NEW(&tmp, queue, motion_count);
    w.subsumed = MRY_NEW(&tmp, int, motion_count);
    w.joined = MRY_NEW(&tmp, int, motion_count);
    w.in_s1 = MRY_NEW(&tmp, bool, motion_count);
    w.reached = MRY_NEW(&tmp, bool, motion_count);
    w.gaps = MRY_NEW(&tmp, mry_span, motion_count);
    w.match = MRY_NEW(&tmp, mry_span, motion_count);
    bool done = w.queues && w.subsumed && w.joined && w.in_s1 && w.reached && w.gaps && w.match;
    for (int m = 0; m < motion_count && done; m++) {
        mry_span *items = MRY_NEW_RAW(&tmp, mry_span, motions[m].count);
        w.queues[m] = (queue){ .items = items };
        done = items != NULL;
        for (int c = 0; c < motions[m].count && done; c++) {
            mry_span span = motions[m].items[c];
            if (span.start < span.end) items[w.queues[m].count++] = span;
        }
        w.out.dropped += motions[m].count - w.queues[m].count;
    }
    done = done && make_rounds(&w);
    if (done) {
        size_t spans = (size_t)w.out.count * (size_t)motion_count;
        w.out.spans = MRY_NEW_RAW(mem, mry_span, spans);
        done = w.out.spans != NULL;
        if (done && spans) memcpy(w.out.spans, w.found, spans * sizeof *w.found);
    }
    mry_arena_free(&tmp);
    if (done) *out = w.out;
    return done;
}
