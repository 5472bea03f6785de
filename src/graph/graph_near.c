/* graph_near.c - which nodes are alike: the local minima of the grid of all nodes by all nodes,
   without the grid.

   Every sequence is a clip of its own for the grid, so that no window and no velocity reaches from
   one into another, and what is beside its ends is not there. Sequences are compared with
   themselves and with those behind them; a grid is symmetric, so that is all. The search says which
   cells are least in their row and column; along a valley that is every cell of its floor, so the
   four corners are looked at too. */
#include "base/bytes.h"
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

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

bool mry_near_put(mry_near_list *list, mry_near pair)
{
    if (list->count == list->room) {
        int64_t room = list->room ? 2 * list->room : FIRST_ROOM;
        mry_near *items = mry_resize(list->ctx, list->items, (size_t)list->room * sizeof pair,
                                     (size_t)room * sizeof pair);
        if (!items) return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = pair;
    return true;
}

/* ---- shared with other machines -------------------------------------------------------------- */

/* What a tile found, as bytes. */
static marey_status put_near(const marey_tiles *tiles, int64_t tile, const mry_near *items,
                             int64_t count, mry_arena *tmp, marey_error *error)
{
    mry_bytes_writer out = { .mem = tmp };
    for (int64_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, &items[i].value, sizeof value);
        mry_put_fixed(&out, (uint64_t)items[i].a, 4);
        mry_put_fixed(&out, (uint64_t)items[i].b, 4);
        mry_put_fixed(&out, value, 4);
    }
    marey_status status = out.failed ? mry_fail_memory(error, NULL)
                                     : tiles->put(tiles->user, tile, out.bytes, out.used, error);
    mry_arena_free(tmp);
    return status;
}

typedef struct near_taking {
    mry_near_list *out;
    int nodes;
    float below;
} near_taking;

/* A shard may come from anywhere. */
static marey_status take_near(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    near_taking *to = user;
    mry_bytes_reader in = { .p = bytes, .end = bytes + size, .failed = size % 12 != 0 };
    (void)tile;
    while (in.p < in.end && !in.failed) {
        uint64_t a = mry_get_fixed(&in, 4), b = mry_get_fixed(&in, 4);
        uint32_t bits = (uint32_t)mry_get_fixed(&in, 4);
        mry_near one = { .a = (int)a, .b = (int)b };
        memcpy(&one.value, &bits, sizeof bits);
        in.failed |= a >= b || b >= (uint64_t)to->nodes || !(one.value < to->below);
        if (!in.failed && !mry_near_put(to->out, one)) return mry_fail_memory(error, NULL);
    }
    if (!in.failed) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                    "a shard holds what is not of these clips; work it out again");
}

/* ---- by the grid ---------------------------------------------------------------------------- */

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

typedef struct corners {
    const finder *f;
    uint8_t *least;
} corners;

enum { PAIRS_AT_ONCE = 512 };

static void judge_some(void *user, int64_t i)
{
    corners *c = user;
    int64_t from = i * PAIRS_AT_ONCE, to = from + PAIRS_AT_ONCE;
    if (to > c->f->raw.count) to = c->f->raw.count;
    const sequence *a = &c->f->sequences[c->f->a], *b = &c->f->sequences[c->f->b];
    for (int64_t n = from; n < to; n++) {
        /* In double; outside of the sequences, or where a metric has no formula for a single cell,
           nothing speaks against it. */
        const mry_near *item = &c->f->raw.items[n];
        double here = marey_distance(a->features, item->a, b->features, item->b);
        c->least[n] = 1;
        for (int corner = 0; corner < 4 && c->least[n]; corner++) {
            int row = item->a + (corner & 1 ? 1 : -1), col = item->b + (corner & 2 ? 1 : -1);
            if (row < 0 || col < 0 || row >= a->count || col >= b->count) continue;
            c->least[n] = !(marey_distance(a->features, row, b->features, col) < here);
        }
    }
}

/* A tile is a pair of sequences. */
static marey_status begin_pairs(finder *f, const marey_tiles *tiles, marey_error *error)
{
    mry_arena tmp = mry_arena_make(f->graph->ctx);
    int64_t total = (int64_t)f->count * (f->count + 1) / 2, at = 0;
    double *costs = MRY_NEW_RAW(&tmp, double, total);
    for (int a = 0; a < f->count && costs; a++)
        for (int b = a; b < f->count; b++)
            costs[at++] = (double)f->sequences[a].count * f->sequences[b].count;
    marey_status status =
        costs ? tiles->begin(tiles->user, costs, total, error) : mry_fail_memory(error, NULL);
    mry_arena_free(&tmp);
    return status;
}

static marey_status find(finder *f, marey_error *error)
{
    const marey_graph *g = f->graph;
    const marey_clip *motion = g->motion;
    marey_metric_def metric = g->metric;
    metric.bounded = isfinite(f->below);
    metric.fps = g->fps;
    marey_status status = marey_layout_build_bodies(g->ctx, &motion, 1, &metric, &f->layout, error);
    if (status) return status;
    f->apart = mry_graph_apart(g);
    /* Where each sequence begins, and how long it is. */
    int starts = 0;
    for (int n = 0; n < g->nodes; n++) starts += g->before[n] < 0;
    f->sequences = MRY_NEW(&f->mem, sequence, starts);
    if (!f->sequences) return mry_fail_memory(error, NULL);
    for (int n = 0; n < g->nodes; n++) {
        if (g->before[n] < 0) f->sequences[f->count++].first = n;
        f->sequences[f->count - 1].count++;
    }
    for (int i = 0; i < f->count; i++) {
        sequence *one = &f->sequences[i];
        marey_clip *clip = mry_clip_make_like(motion, one->count, motion->fps);
        if (!clip) return mry_fail_memory(error, NULL);
        mry_clip_copy_frames(clip, 0, motion, one->first, one->count);
        status = marey_features_build(f->layout, clip, &one->features, error);
        marey_clip_free(clip);
        if (status) return status;
    }
    marey_minima_def def = { .below = f->below, .found = on_found, .user = f };
    const marey_tiles *tiles = g->def.tiles;
    if (tiles) status = begin_pairs(f, tiles, error);
    if (!status && tiles && !tiles->wants) {
        near_taking to = { f->out, g->nodes, f->below };
        return tiles->read(tiles->user, take_near, &to, error);
    }
    int64_t done = 0, total = (int64_t)f->count * (f->count + 1) / 2;
    for (int a = 0; a < f->count && !status; a++) {
        for (int b = a; b < f->count && !status; b++) {
            if (!mry_progress(g->ctx, "finding transitions", done++, total))
                return mry_fail_cancelled(error);
            if (tiles && !tiles->wants(tiles->user, done - 1)) continue;
            f->out->count = tiles ? 0 : f->out->count; /* of this tile */
            f->a = a;
            f->b = b;
            status = marey_grid_minima(g->ctx, f->sequences[a].features, f->sequences[b].features,
                                       &def, error);
            if (!status && f->full) status = mry_fail_memory(error, NULL);
            if (status) return status;
            /* Those that are less than their corners, too. */
            int64_t count = f->raw.count;
            mry_arena tmp = mry_arena_make(g->ctx);
            corners c = { f, MRY_NEW(&tmp, uint8_t, count ? count : 1) };
            if (!c.least) return mry_fail_memory(error, NULL);
            marey_ctx_run(g->ctx, (count + PAIRS_AT_ONCE - 1) / PAIRS_AT_ONCE, judge_some, &c);
            for (int64_t n = 0; n < count && !status; n++) {
                const mry_near *item = &f->raw.items[n];
                if (!c.least[n]) continue;
                mry_near one = { f->sequences[a].first + item->a, f->sequences[b].first + item->b,
                                 item->value };
                if (!mry_near_put(f->out, one)) status = mry_fail_memory(error, NULL);
            }
            mry_arena_free(&tmp);
            f->raw.count = 0;
            if (!status && tiles)
                status = put_near(tiles, done - 1, f->out->items, f->out->count, &tmp, error);
        }
    }
    return status;
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
    if (out->count) qsort(out->items, (size_t)out->count, sizeof *out->items, mry_by_ends);
    return MAREY_OK;
}

/* ---- by sorting, for point clouds ----------------------------------------------------------- */

/* All pairs of nodes that are alike, for point clouds: the same pairs as those of the grid, found
   without it.

   Distances are bounded from below by those of a few numbers of each node (near_clouds.c). Nodes
   are sorted into boxes by three of these, as wide as the distance that is looked for, so that only
   neighbouring boxes can hold a pair; the other numbers rule out most of what is left, and only
   then a distance is reckoned. A pair is kept if none of the eight cells around it is less. */

enum { SORTED_BY = 3, NODES_AT_ONCE = 128, MOST_BOXES = 1 << 20 };

/* Rounding of floats must not lift a bound above what it bounds. */
#define SLACK 1.001f

typedef struct boxed {
    int64_t box;
    int node;
} boxed;

typedef struct join {
    const marey_graph *graph;
    const uint8_t *wanted; /* a byte for each job; NULL: all are done here */
    const mry_clouds *clouds;
    const int *sequence;
    int apart;
    float below, reach2; /* squared, with its slack */
    float low[SORTED_BY], width;
    int boxes[SORTED_BY];
    boxed *sorted;
    int64_t *key;         /* of the sorted nodes */
    float *low_of;        /* MRY_NEAR_DIMS numbers of each of them, side by side */
    mry_near_list *found; /* of each job */
    atomic_bool failed;
} join;

static int box_along(const join *j, int node, int dim)
{
    float at =
        (j->clouds->low[(size_t)node * MRY_NEAR_DIMS + (size_t)dim] - j->low[dim]) / j->width;
    if (!(at > 0)) return 0;
    return at < (float)(j->boxes[dim] - 1) ? (int)at : j->boxes[dim] - 1;
}

static int64_t key_of(const join *j, const int *box)
{
    return ((int64_t)box[0] * j->boxes[1] + box[1]) * j->boxes[2] + box[2];
}

static int by_box(const void *left, const void *right)
{
    const boxed *a = left, *b = right;
    if (a->box != b->box) return a->box < b->box ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool sort_nodes(join *j, mry_arena *mem)
{
    int nodes = j->graph->nodes;
    j->sorted = MRY_NEW_RAW(mem, boxed, nodes);
    j->key = MRY_NEW_RAW(mem, int64_t, nodes);
    j->low_of = MRY_NEW_RAW(mem, float, (size_t)nodes *MRY_NEAR_DIMS);
    if (!j->sorted || !j->key || !j->low_of) return false;
    /* How many boxes there are along each number. */
    for (int d = 0; d < SORTED_BY; d++) {
        float low = INFINITY, high = -INFINITY;
        for (int n = 0; n < nodes; n++) {
            float at = j->clouds->low[(size_t)n * MRY_NEAR_DIMS + (size_t)d];
            if (at < low) low = at;
            if (at > high) high = at;
        }
        j->low[d] = low;
        float count = (high - low) / j->width + 1;
        j->boxes[d] = count < MOST_BOXES ? (int)count : MOST_BOXES;
    }
    for (int n = 0; n < nodes; n++) {
        int box[SORTED_BY];
        for (int d = 0; d < SORTED_BY; d++) box[d] = box_along(j, n, d);
        j->sorted[n] = (boxed){ key_of(j, box), n };
    }
    qsort(j->sorted, (size_t)nodes, sizeof *j->sorted, by_box);
    for (int n = 0; n < nodes; n++) {
        j->key[n] = j->sorted[n].box;
        memcpy(j->low_of + (size_t)n * MRY_NEAR_DIMS,
               j->clouds->low + (size_t)j->sorted[n].node * MRY_NEAR_DIMS,
               MRY_NEAR_DIMS * sizeof(float));
    }
    return true;
}

/* The first of the sorted nodes whose box is not before this one. */
static int first_at(const join *j, int64_t key)
{
    int low = 0, high = j->graph->nodes;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (j->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Is any of the cells around it less? Of equal ones the first counts. */
static bool is_least(const join *j, int a, int b, float distance)
{
    /* along the valley first: there it mostly is */
    static const int steps[8][2] = { { 1, 1 },  { -1, -1 }, { 1, 0 },  { 0, 1 },
                                     { -1, 0 }, { 0, -1 },  { 1, -1 }, { -1, 1 } };
    const int *next = j->graph->next, *before = j->graph->before;
    for (int k = 0; k < 8; k++) {
        int da = steps[k][0], db = steps[k][1];
        int i = da > 0 ? next[a] : da < 0 ? before[a] : a;
        int o = db > 0 ? next[b] : db < 0 ? before[b] : b;
        if (i < 0 || o < 0) continue;
        float there = mry_cloud_distance(j->clouds, i, o);
        bool earlier = da < 0 || (da == 0 && db < 0);
        if (earlier ? there <= distance : there < distance) return false;
    }
    return true;
}

static inline float low_distance(const float *p, const float *q)
{
    float sum[4];
    for (int d = 0; d < 4; d++) {
        float first = p[d] - q[d], second = p[4 + d] - q[4 + d];
        sum[d] = first * first + second * second;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

_Static_assert(MRY_NEAR_DIMS == 8, "low_distance adds up eight");

static void join_some(void *user, int64_t i)
{
    join *j = user;
    int first = (int)i * NODES_AT_ONCE, end = first + NODES_AT_ONCE;
    if (end > j->graph->nodes) end = j->graph->nodes;
    if (j->wanted && !j->wanted[i]) return;
    for (int at = first; at < end && !j->failed; at++) {
        int box[SORTED_BY], a = j->sorted[at].node;
        const float *p = j->low_of + (size_t)at * MRY_NEAR_DIMS;
        for (int d = 0; d < SORTED_BY; d++) box[d] = box_along(j, a, d);
        /* The boxes around it; those beside each other along the last number are one range. */
        for (int near = 0; near < 9; near++) {
            int x = box[0] + near / 3 - 1, y = box[1] + near % 3 - 1;
            if (x < 0 || y < 0 || x >= j->boxes[0] || y >= j->boxes[1]) continue;
            int z0 = box[2] > 0 ? box[2] - 1 : 0;
            int z1 = box[2] + 1 < j->boxes[2] ? box[2] + 1 : box[2];
            int from = first_at(j, key_of(j, (int[3]){ x, y, z0 }));
            int to = first_at(j, key_of(j, (int[3]){ x, y, z1 }) + 1);
            for (int k = from; k < to; k++) {
                if (!(low_distance(p, j->low_of + (size_t)k * MRY_NEAR_DIMS) <= j->reach2))
                    continue;
                /* Each pair is met twice, and counts where the first node comes first. */
                int b = j->sorted[k].node;
                if (b <= a || (j->sequence[a] == j->sequence[b] && b - a < j->apart)) continue;
                float d = mry_cloud_distance(j->clouds, a, b);
                if (!(d < j->below) || !is_least(j, a, b, d)) continue;
                if (!mry_near_put(&j->found[i], (mry_near){ a, b, d })) j->failed = true;
            }
        }
        if (mry_cancelled(j->graph->ctx)) j->failed = true;
    }
}

/* A job is a tile: nodes that are met in the boxes around it are what it costs. */
static marey_status begin_jobs(join *j, const marey_tiles *tiles, int64_t jobs, mry_arena *mem,
                               marey_error *error)
{
    double *costs = MRY_NEW(mem, double, jobs);
    uint8_t *wanted = MRY_NEW(mem, uint8_t, jobs);
    if (!costs || !wanted) return mry_fail_memory(error, NULL);
    for (int at = 0; at < j->graph->nodes; at++) {
        int box[SORTED_BY];
        for (int d = 0; d < SORTED_BY; d++) box[d] = box_along(j, j->sorted[at].node, d);
        for (int near = 0; near < 9; near++) {
            int x = box[0] + near / 3 - 1, y = box[1] + near % 3 - 1;
            if (x < 0 || y < 0 || x >= j->boxes[0] || y >= j->boxes[1]) continue;
            int z0 = box[2] > 0 ? box[2] - 1 : 0;
            int z1 = box[2] + 1 < j->boxes[2] ? box[2] + 1 : box[2];
            costs[at / NODES_AT_ONCE] += first_at(j, key_of(j, (int[3]){ x, y, z1 }) + 1) -
                                         first_at(j, key_of(j, (int[3]){ x, y, z0 }));
        }
    }
    marey_status status = tiles->begin(tiles->user, costs, jobs, error);
    for (int64_t i = 0; i < jobs && !status && tiles->wants; i++)
        wanted[i] = tiles->wants(tiles->user, i);
    j->wanted = wanted;
    return status;
}

/* What all jobs found, in one list. */
static marey_status join_lists(join *j, int64_t jobs, mry_near_list *out, marey_error *error)
{
    int64_t count = 0;
    for (int64_t i = 0; i < jobs; i++) count += j->found[i].count;
    if (count > 0) {
        out->items = mry_alloc(out->ctx, (size_t)count * sizeof *out->items);
        out->room = out->items ? count : 0;
        if (!out->items) return mry_fail_memory(error, NULL);
    }
    for (int64_t i = 0; i < jobs; i++) {
        const mry_near_list *one = &j->found[i];
        if (one->count > 0)
            memcpy(out->items + out->count, one->items, (size_t)one->count * sizeof *one->items);
        out->count += one->count;
    }
    return MAREY_OK;
}

/* All jobs, those of a shard, or what shards have. */
static marey_status run_jobs(join *j, int64_t jobs, mry_near_list *out, marey_error *error)
{
    const marey_graph *graph = j->graph;
    const marey_tiles *tiles = graph->def.tiles;
    mry_arena tmp = mry_arena_make(graph->ctx);
    marey_status status = tiles ? begin_jobs(j, tiles, jobs, &tmp, error) : MAREY_OK;
    if (!status && tiles && !tiles->wants) {
        near_taking to = { out, graph->nodes, j->below };
        status = tiles->read(tiles->user, take_near, &to, error);
    } else if (!status) {
        marey_ctx_run(graph->ctx, jobs, join_some, j);
        if (mry_cancelled(graph->ctx))
            status = mry_fail_cancelled(error);
        else if (j->failed)
            status = mry_fail_memory(error, NULL);
        for (int64_t i = 0; i < jobs && !status && tiles; i++) {
            mry_arena own = mry_arena_make(graph->ctx);
            if (j->wanted[i])
                status = put_near(tiles, i, j->found[i].items, j->found[i].count, &own, error);
        }
        if (!status && !tiles) status = join_lists(j, jobs, out, error);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_graph_near_join(const mry_bodies *bodies, double below, const mry_near_list *rungs,
                                 mry_near_list *out, marey_error *error)
{
    const marey_graph *graph = bodies->graph;
    marey_ctx *ctx = graph->ctx;
    mry_arena tmp = mry_arena_make(ctx);
    int64_t jobs = (graph->nodes + NODES_AT_ONCE - 1) / NODES_AT_ONCE;
    mry_clouds clouds = { 0 };
    join j = { .graph = graph,
               .clouds = &clouds,
               .below = (float)below,
               .reach2 = (float)below * SLACK + 1e-4f,
               .apart = mry_graph_apart(graph),
               .sequence = mry_graph_sequences(graph, &tmp),
               .found = MRY_NEW(&tmp, mry_near_list, jobs) };
    j.width = sqrtf(j.reach2);
    *out = (mry_near_list){ .ctx = ctx };
    marey_status status = j.sequence && j.found ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int64_t i = 0; i < jobs && !status; i++) j.found[i].ctx = ctx;
    if (!mry_progress(ctx, "finding transitions", 0, 1)) status = mry_fail_cancelled(error);
    if (!status) status = mry_clouds_open(&clouds, &tmp, bodies, error);
    if (!status && !sort_nodes(&j, &tmp)) status = mry_fail_memory(error, NULL);
    if (!status) status = run_jobs(&j, jobs, out, error);
    for (int64_t i = 0; j.found && i < jobs; i++) mry_near_free(&j.found[i]);
    /* Rungs that are close enough join the pairs, each once. */
    bool ends = marey_tiles_made(graph->def.tiles);
    for (int64_t i = 0; rungs && i < rungs->count && !status && !ends; i++) {
        mry_near one = rungs->items[i];
        one.value = mry_cloud_distance(&clouds, one.a, one.b);
        if (one.value < j.below && !mry_near_put(out, one)) status = mry_fail_memory(error, NULL);
    }
    if (!status && out->count > 0) {
        qsort(out->items, (size_t)out->count, sizeof *out->items, mry_by_ends);
        int64_t kept = 1;
        for (int64_t i = 1; i < out->count; i++) {
            const mry_near *last = &out->items[kept - 1], *one = &out->items[i];
            if (one->a != last->a || one->b != last->b) out->items[kept++] = *one;
        }
        out->count = kept;
    }
    if (status) mry_near_free(out);
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_graph_near(marey_graph *graph, const mry_bodies *bodies, double below,
                            const mry_near_list *rungs, mry_near_list *out, marey_error *error)
{
    if (graph->metric.metric->can_bound && isfinite(below))
        return mry_graph_near_join(bodies, below, rungs, out, error);
    return mry_graph_near_grid(graph, below, out, error);
}
