/* weave_time.c - which frames of two strands of phases belong together, and how long the motion between them takes. */
#include "graph/near_clouds.h"
#include "graph/weave.h"

#include <math.h>
#include <string.h>

/* At most so many frames in a row of one phase alone belong to one frame of the other. */
enum { SLOPE = 2 };

typedef struct aligning {
    const mry_clouds *clouds;
    mry_arena *mem;
    mry_knots *out;
    int phase;
} aligning;

static void put(aligning *w, double a, double b, bool flight)
{
    mry_knots *to = w->out;
    to->a[to->count] = a;
    to->b[to->count] = b;
    to->flight[to->count] = flight;
    to->phase[to->count] = w->phase;
    to->close[to->count++] = 0;
}

/* The knot that was put last is one of whole nodes, at which one can change over. */
static void is_close(aligning *w, double distance)
{
    mry_knots *to = w->out;
    to->close[to->count - 1] = 1;
    to->distance[to->count - 1] = distance;
}

static void find_closest(mry_knots *of)
{
    of->least = INFINITY;
    for (int k = 0; k + 1 < of->count; k++) {
        if (!of->close[k] || !(of->distance[k] < of->least)) continue;
        of->least = of->distance[k];
        of->closest = k;
    }
}

mry_knots mry_knots_of(const mry_knots *knots, int from, int to)
{
    int first = 0, last = 0;
    while (knots->phase[first] < from) first++;
    for (last = first; last + 1 < knots->count && knots->phase[last] < to;) last++;
    mry_knots some = { .count = last - first + 1,
                       .a = knots->a + first,
                       .b = knots->b + first,
                       .flight = knots->flight + first,
                       .close = knots->close + first,
                       .distance = knots->distance + first,
                       .phase = knots->phase + first };
    find_closest(&some);
    return some;
}

/* Knots along the longer one's frames; those that are whole nodes of both may be the closest. */
static void align_evenly(aligning *w, const mry_phase *a, const mry_phase *b)
{
    int64_t longer = a->count > b->count ? a->count : b->count, best = 0;
    double least = INFINITY;
    for (int64_t k = 0; k < longer; k++) {
        if (k * a->count % longer || k * b->count % longer) continue;
        double d = (double)mry_cloud_distance(w->clouds, a->first + (int)(k * a->count / longer),
                                              b->first + (int)(k * b->count / longer));
        if (!(d < least)) continue;
        least = d;
        best = k;
    }
    put(w, a->first, b->first, a->feet == 0);
    if (best > 0)
        put(w, (double)(a->first + best * a->count / longer),
            (double)(b->first + best * b->count / longer), a->feet == 0);
    is_close(w, least);
}

/* The first frames, and the pair on the best path that is closest. false: out of memory. */
static bool align_frames(aligning *w, const mry_phase *a, const mry_phase *b)
{
    mry_arena tmp = mry_arena_make(w->mem->ctx);
    float *cost = MRY_NEW_RAW(&tmp, float, (size_t)a->count *(size_t)b->count);
    for (int i = 0; cost && i < a->count; i++) {
        for (int j = 0; j < b->count; j++)
            cost[(size_t)i * (size_t)b->count + (size_t)j] =
                mry_cloud_distance(w->clouds, a->first + i, b->first + j);
    }
    marey_path path = { 0 };
    marey_rows rows = { cost, a->count, b->count, (size_t)b->count };
    marey_align_def def = { .slope = SLOPE };
    bool done = cost && marey_align(w->mem->ctx, rows, &def, &path, NULL) == MAREY_OK;
    marey_cell best = { 0, 0 };
    float least = INFINITY;
    for (int k = 0; done && k < path.count; k++) {
        marey_cell at = path.cells[k];
        float d = cost[(size_t)at.row * (size_t)b->count + (size_t)at.col];
        if (!(d < least) || (k > 0 && (at.row == 0 || at.col == 0))) continue;
        least = d;
        best = at;
    }
    mry_arena_free(&tmp);
    marey_path_free(&path);
    if (!done) return false;
    put(w, a->first, b->first, false);
    if (best.row > 0) put(w, a->first + best.row, b->first + best.col, false);
    is_close(w, (double)least);
    return true;
}

/* Whether a path of that slope leads through both. */
static bool can_align(const mry_phase *a, const mry_phase *b)
{
    int shorter = a->count < b->count ? a->count : b->count;
    int longer = a->count < b->count ? b->count : a->count;
    return a->feet != 0 && shorter > 1 && longer - 1 <= (SLOPE + 1) * (shorter - 1);
}

bool mry_weave_align(const mry_clouds *clouds, const mry_phase *phases, const mry_strand *strand,
                     mry_arena *mem, mry_knots *out)
{
    size_t room = 2 * (size_t)strand->count + 1;
    *out = (mry_knots){ .a = MRY_NEW_RAW(mem, double, room),
                        .b = MRY_NEW_RAW(mem, double, room),
                        .flight = MRY_NEW(mem, uint8_t, room),
                        .close = MRY_NEW(mem, uint8_t, room),
                        .distance = MRY_NEW(mem, double, room),
                        .phase = MRY_NEW(mem, int, room) };
    aligning w = { clouds, mem, out, 0 };
    if (!out->a || !out->b || !out->flight || !out->close || !out->distance || !out->phase)
        return false;
    for (int k = 0; k < strand->count; k++) {
        const mry_phase *a = &phases[strand->a + k], *b = &phases[strand->b + k];
        w.phase = k;
        if (!can_align(a, b))
            align_evenly(&w, a, b);
        else if (!align_frames(&w, a, b))
            return false;
    }
    const mry_phase *a = &phases[strand->a + strand->count - 1];
    const mry_phase *b = &phases[strand->b + strand->count - 1];
    w.phase = strand->count;
    put(&w, a->first + a->count, b->first + b->count, false);
    find_closest(out);
    return true;
}

/* ---- at a weight --------------------------------------------------------------------------------------- */

/* In frames, from a knot to the next. */
static double way_between(const mry_knots *of, int k, double weight)
{
    double a = of->a[k + 1] - of->a[k], b = of->b[k + 1] - of->b[k];
    if (of->flight[k]) return sqrt((1 - weight) * a * a + weight * b * b);
    return (1 - weight) * a + weight * b;
}

/* The pair of nodes at a time, `reach` knots' times being known. */
static void pair_at(const mry_knots *of, const double *when, double time, int *k, double *a,
                    double *b)
{
    while (*k + 2 < of->count && time >= when[*k + 1]) ++*k;
    double length = when[*k + 1] - when[*k];
    double share = length > 0 ? fmin(fmax((time - when[*k]) / length, 0), 1) : 0;
    *a = of->a[*k] + share * (of->a[*k + 1] - of->a[*k]);
    *b = of->b[*k] + share * (of->b[*k + 1] - of->b[*k]);
}

bool mry_weave_times_find(const mry_knots *knots, double weight, mry_arena *mem,
                          mry_weave_times *out)
{
    double *when = MRY_NEW(mem, double, knots->count);
    *out = (mry_weave_times){ .at = MRY_NEW(mem, int, knots->count) };
    if (!when || !out->at) return false;
    for (int k = 0; k + 1 < knots->count; k++)
        when[k + 1] = when[k] + way_between(knots, k, weight);
    double first = when[knots->closest] - floor(when[knots->closest] + 1e-9);
    if (first < 0) first = 0;
    double total = when[knots->count - 1];
    int frames = (int)ceil(total - first - 1e-9);
    out->frames = frames < 1 ? 1 : frames;
    out->a = MRY_NEW(mem, double, out->frames);
    out->b = MRY_NEW(mem, double, out->frames);
    if (!out->a || !out->b) return false;
    for (int f = 0, k = 0; f < out->frames; f++)
        pair_at(knots, when, first + f, &k, &out->a[f], &out->b[f]);
    for (int k = 0; k < knots->count; k++) {
        int at = (int)lround(when[k] - first);
        out->at[k] = at >= 0 && at < out->frames ? at : -1;
    }
    return true;
}
