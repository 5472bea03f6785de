/* blend_constraints.c - which feet a blend should hold (Kovar & Gleicher 2003, 5.3): the starts and ends of matching plants
   are blended like everything else, and a frame whose u lies between them has the plant. */
#include "blend/blender.h"

#include <stdlib.h>

static bool is_planted(const mry_blend_run *run, const marey_constraint_match *match, int frame)
{
    int motions = marey_registration_count(run->of);
    const double *weights = run->weights + (size_t)frame * (size_t)motions;
    double start = 0, end = 0;
    for (int j = 0; j < motions; j++) {
        start += weights[j] * match->spans[j].start;
        end += weights[j] * match->spans[j].end;
    }
    return run->u[frame] >= start && run->u[frame] < end;
}

/* The greatest sum of the sizes of a frame's weights: 1 as long as they are convex. */
static double greatest_weight(const mry_blend_run *run)
{
    int motions = marey_registration_count(run->of);
    double most = 0;
    for (int i = 0; i < run->count; i++) {
        double sum = 0;
        for (int j = 0; j < motions; j++) sum += fabs(run->weights[(size_t)i * motions + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* The first frame at u or behind it. */
static int frame_from(const mry_blend_run *run, double u)
{
    int low = 0, high = run->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run->u[middle] < u) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The frames that a match can reach: weights that sum to 1, of a size of at most `most`, lead no further from the middle
   of its spans than so many times as far as they do themselves. */
static void find_window(const mry_blend_run *run, const marey_constraint_match *match, double most,
                        int *start, int *end)
{
    double low = match->spans[0].start, high = match->spans[0].end;
    for (int j = 1; j < marey_registration_count(run->of); j++) {
        low = fmin(low, match->spans[j].start);
        high = fmax(high, match->spans[j].end);
    }
    double middle = (low + high) / 2, reach = most * (high - low) / 2 + 1e-6;
    *start = frame_from(run, middle - reach);
    *end = frame_from(run, middle + reach);
}

/* Writes all plants to `items`, or only counts them if that is NULL. */
static int find_plants(const mry_blend_run *run, int first, marey_contact *items)
{
    double most = greatest_weight(run);
    int count, found = 0;
    const marey_constraint_match *matches = marey_registration_matches(run->of, &count);
    for (int m = 0; m < count; m++) {
        int at, end;
        for (find_window(run, &matches[m], most, &at, &end); at < end; at++) {
            int start = at;
            while (at < end && is_planted(run, &matches[m], at)) at++;
            if (at == start) continue;
            if (items)
                items[found] = (marey_contact){ matches[m].joint, first + start, first + at };
            found++;
        }
    }
    return found;
}

static int compare(const void *a, const void *b)
{
    const marey_contact *x = a, *y = b;
    if (x->joint != y->joint) return x->joint < y->joint ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Blended spans of neighbouring matches can overlap: the earlier plant ends in its own time, the later starts then. */
static int part(marey_contact *items, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        marey_contact item = items[i];
        const marey_contact *last = kept ? &items[kept - 1] : NULL;
        if (last && last->joint == item.joint && item.start < last->end) item.start = last->end;
        if (item.start < item.end) items[kept++] = item;
    }
    return kept;
}

bool mry_blend_constraints(const mry_blend_run *run, int first, marey_contacts *out)
{
    int more = find_plants(run, first, NULL);
    if (more == 0) return true;
    size_t bytes = (size_t)(out->count + more) * sizeof *out->items;
    marey_contact *items = mry_resize(out->ctx, out->items, out->bytes, bytes);
    if (!items) return false;
    find_plants(run, first, items + out->count);
    qsort(items, (size_t)(out->count + more), sizeof *items, compare);
    out->items = items;
    out->bytes = bytes;
    out->count = part(items, out->count + more);
    return true;
}
