/* example_nest.c - fragments within fragments. Whether a swing that is about as high as the noise counts is chance: at another rate, or
   drawn by hand, it does not. Then three fragments are one, it is like none of the three, and the path jumps. So the clips that are
   searched are cut at all levels of noise from the given one on (the persistence of a signal's extremes; Edelsbrunner et al.
   2002): the lowest swing vanishes first, and the one before it, itself and the one behind it become one fragment. About
   half as many fragments again, in O(n log n).

   Invariants: the turns that are left are linked in the order of time, tops and bottoms in turn, and no swing between two of them is
   lower than any that has vanished. */
#include "match/example_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct swing {
    double height;
    int from, to; /* turns; it is no longer there if they are no neighbours any more */
} swing;

typedef struct nest {
    double *tops;
    int *before, *behind; /* of each turn, the one that is left; -1: none */
    swing *heap;
    int waiting;
} nest;

/* ---- the lowest swing ------------------------------------------------------------------------------------ */

static bool is_lower(swing a, swing b)
{
    return a.height != b.height ? a.height < b.height : a.from < b.from;
}

static void put(nest *n, int from, int to)
{
    swing one = { fabs(n->tops[from] - n->tops[to]), from, to };
    int at = n->waiting++;
    for (; at > 0 && is_lower(one, n->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        n->heap[at] = n->heap[(at - 1) / 2];
    }
    n->heap[at] = one;
}

static swing take(nest *n)
{
    swing lowest = n->heap[0], last = n->heap[--n->waiting];
    int at = 0;
    for (int child = 1; child < n->waiting; child = 2 * at + 1) {
        if (child + 1 < n->waiting && is_lower(n->heap[child + 1], n->heap[child])) child++;
        if (!is_lower(n->heap[child], last)) break;
        n->heap[at] = n->heap[child];
        at = child;
    }
    n->heap[at] = last;
    return lowest;
}

/* ---- vanishing ------------------------------------------------------------------------------------------- */

static void link_turns(nest *n, int from, int to)
{
    n->behind[from] = to;
    n->before[to] = from;
}

static void join(nest *n, int from, int to, mry_spans *out)
{
    link_turns(n, from, to);
    put(n, from, to);
    out->items[out->count++] = (mry_span){ from, to };
}

/* At an end the swing goes into the one beside it, which then begins or ends where the signal does, but is no higher for that. */
static void vanish(nest *n, swing one, mry_spans *out)
{
    int first = n->before[one.from], last = n->behind[one.to];
    if (first < 0 && last < 0) return;
    n->behind[one.from] = -1;
    if (first < 0) {
        n->tops[one.from] = n->tops[one.to];
        n->behind[one.to] = -1;
        join(n, one.from, last, out);
    } else if (last < 0) {
        n->tops[one.to] = n->tops[one.from];
        join(n, first, one.to, out);
    } else {
        n->behind[one.to] = -1;
        join(n, first, last, out);
    }
}

static int compare_spans(const void *a, const void *b)
{
    const mry_span *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                          : (x->from < y->from) - (x->from > y->from);
}

bool mry_spans_find(const mry_cuts *cuts, bool nested, mry_arena *mem, mry_spans *out)
{
    size_t room = 2 * (size_t)cuts->count + 1;
    nest n = { .tops = MRY_NEW_RAW(mem, double, room),
               .before = MRY_NEW_RAW(mem, int, room),
               .behind = MRY_NEW_RAW(mem, int, room),
               .heap = MRY_NEW_RAW(mem, swing, room) };
    *out = (mry_spans){ .items = MRY_NEW_RAW(mem, mry_span, room) };
    if (!n.tops || !n.before || !n.behind || !n.heap || !out->items) return false;
    for (int i = 0; i + 1 < cuts->count; i++) out->items[out->count++] = (mry_span){ i, i + 1 };
    if (!nested || cuts->count == 0) return true;
    memcpy(n.tops, cuts->tops, (size_t)cuts->count * sizeof *n.tops);
    n.before[0] = n.behind[cuts->count - 1] = -1;
    for (int i = 0; i + 1 < cuts->count; i++) {
        link_turns(&n, i, i + 1);
        put(&n, i, i + 1);
    }
    while (n.waiting > 0) {
        swing one = take(&n);
        if (n.behind[one.from] == one.to) vanish(&n, one, out);
    }
    qsort(out->items, (size_t)out->count, sizeof *out->items, compare_spans);
    return true;
}
