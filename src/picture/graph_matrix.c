/* graph_matrix.c - the distances of all frames of a motion graph, a pixel each, without a grid of all of them.

   The frames are taken in batches of whole or cut sequences. Where one begins or ends, frames are put beside it that are
   not shown: those that come before and behind it, or its ends again, so that a window sees what it saw when the
   graph was built. */
#include "picture/graph_picture.h"

#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2048, LONGEST_PIECE = 1024 };

typedef struct batch {
    int from, to; /* nodes */
    int rows;
    int *node; /* of each row; -1 - node: it is not shown */
    marey_features *features;
} batch;

typedef struct matrix {
    const marey_graph *graph;
    mry_arena mem;
    marey_layout *layout;
    int pad, side;
    batch *batches;
    int count;
    float *out;
} matrix;

/* ---- batches ---------------------------------------------------------------------------------------- */

/* Does a piece of a sequence begin here? Long sequences are cut, so that no batch is much larger than others. */
static bool begins(const matrix *m, int n)
{
    return n == 0 || m->graph->before[n] != n - 1 || n % LONGEST_PIECE == 0;
}

static int neighbour(const marey_graph *graph, int n, int steps)
{
    const int *way = steps < 0 ? graph->before : graph->next;
    for (int k = steps < 0 ? -steps : steps; k > 0 && way[n] >= 0; k--) n = way[n];
    return n;
}

static void number_rows(const matrix *m, batch *one)
{
    int originals = m->graph->originals;
    one->rows = 0;
    for (int n = one->from; n < one->to; n++) {
        bool first = begins(m, n), last = n + 1 == originals || begins(m, n + 1);
        for (int k = m->pad; first && k > 0; k--)
            one->node[one->rows++] = -1 - neighbour(m->graph, n, -k);
        one->node[one->rows++] = n;
        for (int k = 1; last && k <= m->pad; k++)
            one->node[one->rows++] = -1 - neighbour(m->graph, n, k);
    }
}

static marey_status fill_batch(matrix *m, batch *one, marey_error *error)
{
    const marey_clip *motion = m->graph->motion;
    int pieces = 0;
    for (int n = one->from; n < one->to; n++) pieces += begins(m, n);
    one->node = MRY_NEW_RAW(&m->mem, int, one->to - one->from + 2 * m->pad * pieces);
    if (!one->node) return mry_fail_memory(error, NULL);
    number_rows(m, one);
    marey_clip *clip = mry_clip_make_like(motion, one->rows, motion->fps);
    if (!clip) return mry_fail_memory(error, NULL);
    for (int r = 0; r < one->rows; r++) {
        int n = one->node[r] < 0 ? -1 - one->node[r] : one->node[r];
        memcpy(mry_turn(clip, r), mry_turn(motion, n),
               (size_t)motion->skeleton.joint_count * 4 * sizeof(float));
        memcpy(mry_place(clip, r), mry_place(motion, n),
               (size_t)motion->mover_count * 3 * sizeof(double));
    }
    marey_status status = marey_features_build(m->layout, clip, &one->features, error);
    marey_clip_free(clip);
    return status;
}

static marey_status make_batches(matrix *m, marey_error *error)
{
    int originals = m->graph->originals;
    m->batches = MRY_NEW(&m->mem, batch, originals / (BATCH - LONGEST_PIECE) + 2);
    if (!m->batches) return mry_fail_memory(error, NULL);
    for (int from = 0; from < originals;) {
        int to = from + 1;
        for (int n = to; n <= originals && n - from <= BATCH; n++) {
            if (n == originals || begins(m, n)) to = n;
        }
        batch *one = &m->batches[m->count++];
        *one = (batch){ .from = from, .to = to };
        marey_status status = fill_batch(m, one, error);
        if (status) return status;
        from = to;
    }
    return MAREY_OK;
}

/* ---- pixels ----------------------------------------------------------------------------------------- */

static void lower(float *at, float value)
{
    if (value < *at) *at = value;
}

static void put_cells(matrix *m, const batch *a, const batch *b, marey_rows cells)
{
    for (int i = 0; i < cells.rows; i++) {
        if (a->node[i] < 0) continue;
        const float *row = cells.values + (size_t)i * cells.stride;
        size_t y = (size_t)mry_graph_pixel(m->graph->originals, m->side, a->node[i]);
        for (int j = 0; j < cells.cols; j++) {
            if (b->node[j] < 0) continue;
            size_t x = (size_t)mry_graph_pixel(m->graph->originals, m->side, b->node[j]);
            lower(&m->out[y * (size_t)m->side + x], row[j]);
            lower(&m->out[x * (size_t)m->side + y], row[j]);
        }
    }
}

static marey_status compare_all(matrix *m, marey_error *error)
{
    marey_status status = MAREY_OK;
    int64_t done = 0, total = (int64_t)m->count * (m->count + 1) / 2;
    for (int a = 0; a < m->count && !status; a++) {
        for (int b = a; b < m->count && !status; b++) {
            marey_grid *grid = NULL;
            if (!mry_progress(m->graph->ctx, "comparing frames", done++, total))
                return mry_fail_cancelled(error);
            status = marey_grid_build(m->graph->ctx, m->batches[a].features, m->batches[b].features,
                                      &grid, error);
            if (!status) put_cells(m, &m->batches[a], &m->batches[b], marey_grid_cost(grid));
            marey_grid_free(grid);
        }
    }
    return status;
}

marey_status mry_graph_distances(const marey_graph *graph, int side, float *out, marey_error *error)
{
    matrix m = { .graph = graph, .mem = mry_arena_make(graph->ctx), .side = side, .out = out };
    marey_metric_def metric = graph->metric;
    const marey_clip *motion = graph->motion;
    metric.fps = graph->fps;
    for (size_t i = 0; i < (size_t)side * (size_t)side; i++) out[i] = INFINITY;
    marey_status status =
        marey_layout_build_bodies(graph->ctx, &motion, 1, &metric, &m.layout, error);
    if (!status) {
        m.pad = marey_layout_window(m.layout) / 2;
        status = make_batches(&m, error);
    }
    if (!status) status = compare_all(&m, error);
    for (int i = 0; i < m.count; i++) marey_features_free(m.batches[i].features);
    marey_layout_free(m.layout);
    mry_arena_free(&m.mem);
    return status;
}
