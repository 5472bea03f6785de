/* graph_near.c - which nodes are alike: the local minima of the grid of all nodes by all nodes, without the grid.

   Every sequence is a clip of its own for the grid, so that no window and no velocity reaches from one into another, and
   what is beside its ends is not there. Sequences are compared with themselves and with those behind them; a grid is
   symmetric, so that is all. The search says which cells are least in their row and column; along a valley that is every
   cell of its floor, so the four corners are looked at too. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

/* Nodes of one sequence closer than this are no pair. */
#define APART_S 0.4

typedef struct sequence {
    int first, count; /* nodes */
    marey_features *features;
} sequence;

typedef struct finder {
    marey_graph *graph;
    mry_arena mem;
    marey_layout *layout;
    sequence *sequences;
    int count;
    int apart;
    float below;
    int a, b; /* the sequences in hand */
    mry_near_list raw;
    mry_near_list *out;
    bool full;
} finder;

int mry_graph_apart(const marey_graph *graph)
{
    return (int)ceil(APART_S * graph->fps);
}

int *mry_graph_sequences(const marey_graph *graph, mry_arena *mem)
{
    int *numbers = MRY_NEW_RAW(mem, int, graph->nodes);
    for (int n = 0, at = -1; numbers && n < graph->nodes; n++) {
        if (graph->before[n] < 0) at++;
        numbers[n] = at;
    }
    return numbers;
}

void mry_near_free(mry_near_list *list)
{
    if (list->items) mry_release(list->ctx, list->items, (size_t)list->room * sizeof *list->items);
    *list = (mry_near_list){ 0 };
}

bool mry_near_put(mry_near_list *list, mry_near one)
{
    if (list->count == list->room) {
        int64_t room = list->room ? 2 * list->room : FIRST_ROOM;
        mry_near *items = mry_resize(list->ctx, list->items, (size_t)list->room * sizeof one,
                                     (size_t)room * sizeof one);
        if (!items) return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = one;
    return true;
}

/* ---- sequences ------------------------------------------------------------------------------------- */

static bool list_sequences(finder *f)
{
    const marey_graph *g = f->graph;
    int starts = 0;
    for (int n = 0; n < g->nodes; n++) starts += g->before[n] < 0;
    f->sequences = MRY_NEW(&f->mem, sequence, starts);
    if (!f->sequences) return false;
    for (int n = 0; n < g->nodes; n++) {
        if (g->before[n] < 0) f->sequences[f->count++].first = n;
        f->sequences[f->count - 1].count++;
    }
    return true;
}

static marey_status look_at_sequences(finder *f, marey_error *error)
{
    if (!list_sequences(f)) return mry_fail_memory(error, NULL);
    const marey_clip *motion = f->graph->motion;
    for (int i = 0; i < f->count; i++) {
        sequence *one = &f->sequences[i];
        marey_clip *clip = mry_clip_make_like(motion, one->count, motion->fps);
        if (!clip) return mry_fail_memory(error, NULL);
        mry_clip_copy_frames(clip, 0, motion, one->first, one->count);
        marey_status status = marey_features_build(f->layout, clip, &one->features, error);
        marey_clip_free(clip);
        if (status) return status;
    }
    return MAREY_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------------- */

static void on_found(void *user, const marey_minimum *items, int count)
{
    finder *f = user;
    const int both = MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN;
    for (int n = 0; n < count && !f->full; n++) {
        int row = items[n].row, col = items[n].col;
        if (items[n].least != both || (f->a == f->b && col - row < f->apart)) continue;
        f->full = !mry_near_put(&f->raw, (mry_near){ row, col, items[n].value });
    }
}

/* In double; outside of the sequences, or where a metric has no formula for a single cell, nothing speaks against it. */
static bool least_of_corners(const finder *f, const mry_near *item)
{
    const sequence *a = &f->sequences[f->a], *b = &f->sequences[f->b];
    double here = marey_distance(a->features, item->a, b->features, item->b);
    for (int corner = 0; corner < 4; corner++) {
        int row = item->a + (corner & 1 ? 1 : -1), col = item->b + (corner & 2 ? 1 : -1);
        if (row < 0 || col < 0 || row >= a->count || col >= b->count) continue;
        if (marey_distance(a->features, row, b->features, col) < here) return false;
    }
    return true;
}

typedef struct corners {
    const finder *f;
    uint8_t *least;
} corners;

enum { AT_ONCE = 512 };

static void judge_some(void *user, int64_t i)
{
    corners *c = user;
    int64_t from = i * AT_ONCE, to = from + AT_ONCE;
    if (to > c->f->raw.count) to = c->f->raw.count;
    for (int64_t n = from; n < to; n++) c->least[n] = least_of_corners(c->f, &c->f->raw.items[n]);
}

static marey_status keep_least(finder *f, marey_error *error)
{
    int64_t count = f->raw.count;
    mry_arena tmp = mry_arena_make(f->graph->ctx);
    corners c = { f, MRY_NEW(&tmp, uint8_t, count ? count : 1) };
    marey_status status = c.least ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) marey_ctx_run(f->graph->ctx, (count + AT_ONCE - 1) / AT_ONCE, judge_some, &c);
    for (int64_t n = 0; n < count && !status; n++) {
        const mry_near *item = &f->raw.items[n];
        if (!c.least[n]) continue;
        mry_near one = { f->sequences[f->a].first + item->a, f->sequences[f->b].first + item->b,
                         item->value };
        if (!mry_near_put(f->out, one)) status = mry_fail_memory(error, NULL);
    }
    mry_arena_free(&tmp);
    f->raw.count = 0;
    return status;
}

static marey_status compare(finder *f, int a, int b, marey_error *error)
{
    marey_minima_def def = { .below = f->below, .found = on_found, .user = f };
    f->a = a;
    f->b = b;
    marey_status status = marey_grid_minima(f->graph->ctx, f->sequences[a].features,
                                            f->sequences[b].features, &def, error);
    if (!status && f->full) status = mry_fail_memory(error, NULL);
    return status ? status : keep_least(f, error);
}

static int by_nodes(const void *left, const void *right)
{
    const mry_near *a = left, *b = right;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static marey_status find(finder *f, marey_error *error)
{
    const marey_graph *g = f->graph;
    marey_metric_def metric = g->metric;
    metric.bounded = isfinite(f->below);
    metric.fps = g->fps;
    const marey_clip *motion = g->motion;
    marey_status status = marey_layout_build_bodies(g->ctx, &motion, 1, &metric, &f->layout, error);
    if (status) return status;
    f->apart = mry_graph_apart(g);
    status = look_at_sequences(f, error);
    int64_t done = 0, total = (int64_t)f->count * (f->count + 1) / 2;
    for (int a = 0; a < f->count && !status; a++) {
        for (int b = a; b < f->count && !status; b++) {
            if (!mry_progress(g->ctx, "finding transitions", done++, total))
                status = mry_fail_cancelled(error);
            if (!status) status = compare(f, a, b, error);
        }
    }
    return status;
}

marey_status mry_graph_near(marey_graph *graph, const mry_bodies *bodies, double below,
                            const mry_near_list *rungs, mry_near_list *out, marey_error *error)
{
    if (graph->metric.metric->can_bound && isfinite(below))
        return mry_graph_near_join(bodies, below, rungs, out, error);
    return mry_graph_near_grid(graph, below, out, error);
}

marey_status mry_graph_near_grid(marey_graph *graph, double below, mry_near_list *out,
                                 marey_error *error)
{
    finder f = { .graph = graph,
                 .mem = mry_arena_make(graph->ctx),
                 .below = (float)below,
                 .raw = { .ctx = graph->ctx },
                 .out = out };
    *out = (mry_near_list){ .ctx = graph->ctx };
    marey_status status = find(&f, error);
    for (int i = 0; i < f.count; i++) marey_features_free(f.sequences[i].features);
    marey_layout_free(f.layout);
    mry_near_free(&f.raw);
    mry_arena_free(&f.mem);
    if (status) {
        mry_near_free(out);
        return status;
    }
    if (out->count) qsort(out->items, (size_t)out->count, sizeof *out->items, by_nodes);
    return MAREY_OK;
}
