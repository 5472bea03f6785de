/* index_tiles.c - an index that several machines make: a tile is a pair of clips, and what it gives is
   their web. Tiles are in the order of the clips' numbers, so that a shard, which is a run of them,
   reads few rows of clips and all columns. What a pair will cost follows from how much of it lies
   below the ceiling: that is seen from the codes of poses that the library has for searches, before
   anything is compared. */
#include "library/index_work.h"

#include "base/fail.h"
#include "library/pose_rows.h"
#include "match/web_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t tile_of(const mry_indexing *work, int i, int j)
{
    int64_t n = work->count, row = i;
    return row * n - row * (row - 1) / 2 + (j - i);
}

/* ---- what a pair will cost ------------------------------------------------------------------- */

enum { SAMPLES = 6 }; /* poses of a clip */

/* A cell that is near costs so many times one that a bound rules out: chains, their surroundings and
   bridges. Fitted to the CMU library (docs/results/scale.md). */
#define NEAR_COST 24.0

/* Poses of a clip, about their middles. */
typedef struct sample {
    int count, points;
    uint64_t kind; /* of what their points are: only equal ones are compared */
    double *at;    /* count x points x (x, z, y) */
    double sizes[SAMPLES];
} sample;

typedef struct sampling {
    mry_indexing *work;
    sample *samples;
    int next;
    bool full;
} sampling;

/* Sums in doubles of whole numbers of codes, so that every machine cuts alike. */
static bool take_poses(void *user, int64_t clip, const mry_pose_blocks *blocks)
{
    sampling *all = user;
    while (all->next < all->work->count && all->work->slots[all->next].id < clip) all->next++;
    if (all->next >= all->work->count || all->work->slots[all->next].id != clip || !blocks)
        return true;
    sample *to = &all->samples[all->next];
    int points = blocks->points, count = blocks->blocks < SAMPLES ? blocks->blocks : SAMPLES;
    mry_arena tmp = mry_arena_make(all->work->ctx);
    float *values = MRY_NEW_RAW(&tmp, float, 6 * (size_t)points);
    to->at = MRY_NEW(&all->work->mem, double, (size_t)count *(size_t)points * 3);
    all->full = !values || !to->at;
    to->points = points;
    to->kind = blocks->by_roles ? blocks->has : blocks->joints | UINT64_C(1) << 63;
    for (int s = 0; s < count && !all->full; s++) {
        double middle[3] = { 0 }, *at = to->at + (size_t)s * (size_t)points * 3;
        mry_pose_middle(blocks, (int)((int64_t)(2 * s + 1) * blocks->blocks / (2 * count)), values);
        for (int k = 0; k < 3 * points; k++) middle[k % 3] += (double)values[k] / points;
        for (int k = 0; k < 3 * points; k++) {
            at[k] = (double)values[k] - middle[k % 3];
            to->sizes[s] += at[k] * at[k];
        }
    }
    to->count = all->full ? 0 : count;
    mry_arena_free(&tmp);
    return !all->full;
}

/* Mean squared distance of two poses' points, laid on each other by a turn and a shift. */
static double pose_distance(const sample *a, int i, const sample *b, int j)
{
    const double *p = a->at + (size_t)i * (size_t)a->points * 3;
    const double *q = b->at + (size_t)j * (size_t)b->points * 3;
    double along = 0, across = 0, up = 0;
    for (int k = 0; k < 3 * a->points; k += 3) {
        along += p[k] * q[k] + p[k + 1] * q[k + 1];
        across += p[k] * q[k + 1] - p[k + 1] * q[k];
        up += p[k + 2] * q[k + 2];
    }
    double turned = sqrt(along * along + across * across);
    return (a->sizes[i] + b->sizes[j] - 2 * up - 2 * turned) / a->points;
}

/* The part of a pair that is near, by samples. Without poses: all of it. */
static double near_share(const sample *a, const sample *b, double ceiling)
{
    int near = 0, all = a->count * b->count;
    if (all == 0 || a->kind != b->kind || a->points != b->points) return 1;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) near += pose_distance(a, i, b, j) < ceiling;
    return (double)near / all;
}

marey_status mry_index_tiles_begin(mry_indexing *work, marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    int64_t count = (int64_t)work->count * (work->count + 1) / 2;
    mry_arena tmp = mry_arena_make(work->ctx);
    sampling all = { .work = work, .samples = MRY_NEW(&tmp, sample, work->count) };
    double *costs = MRY_NEW(&tmp, double, count);
    marey_status status = all.samples && costs ? MAREY_OK : mry_fail_memory(error, NULL);
    /* Ceilings of other metrics are in other units; these are compared whole anyway. */
    bool points = strcmp(work->settings.metric.metric->name, "points") == 0;
    double ceiling =
        points && work->settings.web.ceiling > 0 ? work->settings.web.ceiling : INFINITY;
    if (!status && tiles->wants && isfinite(ceiling))
        status = mry_pose_rows_read(work->library, take_poses, &all, error);
    if (!status && all.full) status = mry_fail_memory(error, NULL);
    for (int i = 0; i < work->count && !status; i++) {
        if (!mry_progress(work->ctx, "planning", i, work->count))
            status = mry_fail_cancelled(error);
        for (int j = i; j < work->count; j++) {
            const mry_index_slot *a = &work->slots[i], *b = &work->slots[j];
            double share = i == j ? 1 : near_share(&all.samples[i], &all.samples[j], ceiling);
            costs[tile_of(work, i, j)] =
                (double)mry_web_cells(a->rows, b->rows, i == j) * (1 + NEAR_COST * share);
        }
    }
    if (!status) status = tiles->begin(tiles->user, costs, count, error);
    for (int i = 0; i < work->count && !status && tiles->wants; i++) {
        for (int j = i; j < work->count && !status; j++) {
            bool wanted = tiles->wants(tiles->user, tile_of(work, i, j));
            if (wanted && mry_pair_there(work, i, j))
                status = tiles->put(tiles->user, tile_of(work, i, j), "", 0, error);
            if (!wanted) mry_pair_set(work, i, j);
        }
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- a web as bytes of a tile ---------------------------------------------------------------- */

enum { ROW_BYTES = 16 }; /* four numbers; the web's bytes follow */

marey_status mry_index_tile_put(mry_indexing *work, int i, int j, const mry_web_row *row,
                                marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    mry_arena tmp = mry_arena_make(work->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    mry_put_fixed(&out, (uint64_t)row->rows, 4);
    mry_put_fixed(&out, (uint64_t)row->cols, 4);
    mry_put_fixed(&out, (uint64_t)row->chains, 4);
    mry_put_fixed(&out, (uint64_t)row->bridges, 4);
    if (row->size > 0) mry_put_bytes(&out, row->bytes, row->size);
    marey_status status =
        out.failed ? mry_fail_memory(error, NULL)
                   : tiles->put(tiles->user, tile_of(work, i, j), out.bytes, out.used, error);
    mry_arena_free(&tmp);
    return status;
}

typedef struct taking {
    mry_indexing *work;
    int rows; /* put in by the transaction that is open */
    size_t bytes;
} taking;

static marey_status fail_tile(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                    "a shard holds a web that is none of its clips; work it out again");
}

/* Tiles of a shard come in any order. */
static void find_pair(taking *t, int64_t tile, int *i, int *j)
{
    int low = 0, high = t->work->count - 1;
    while (low < high) {
        int middle = high - (high - low) / 2;
        if (tile_of(t->work, middle, middle) <= tile)
            low = middle;
        else
            high = middle - 1;
    }
    *i = low;
    *j = low + (int)(tile - tile_of(t->work, low, low));
}

static marey_status end_batch(taking *t, marey_status status, marey_error *error)
{
    if (t->rows == 0) return status;
    status = mry_library_end(t->work->library, status, error);
    if (!status) t->work->report.pairs_built += t->rows;
    t->rows = 0;
    t->bytes = 0;
    return status;
}

static marey_status take_tile(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    enum { MOST_ROWS = 4096, MOST_BYTES = 64 << 20 };
    taking *t = user;
    mry_indexing *work = t->work;
    int i, j;
    find_pair(t, tile, &i, &j);
    if (size == 0 || mry_pair_there(work, i, j)) return MAREY_OK;
    if (size < ROW_BYTES) return fail_tile(error);
    const mry_index_slot *a = &work->slots[i], *b = &work->slots[j];
    mry_bytes_reader in = { bytes, bytes + ROW_BYTES, false };
    mry_web_row row = { .a = a->id,
                        .b = b->id,
                        .turned = memcmp(a->hash, b->hash, sizeof a->hash) > 0,
                        .a_layers = a->layer_sum,
                        .b_layers = b->layer_sum,
                        .bytes = bytes + ROW_BYTES,
                        .size = size - ROW_BYTES };
    row.rows = (int)mry_get_fixed(&in, 4);
    row.cols = (int)mry_get_fixed(&in, 4);
    row.chains = (int)mry_get_fixed(&in, 4);
    row.bridges = (int)mry_get_fixed(&in, 4);
    marey_status status = MAREY_OK;
    if (row.size > 0) { /* it must be what it says: a shard may come from anywhere */
        marey_web *web = NULL;
        status = marey_web_read(work->ctx, row.bytes, row.size, &web, error);
        bool same = !status && web->rows == row.rows && web->cols == row.cols &&
                    web->self == (i == j) && web->chain_count - web->tail_count == row.chains &&
                    web->bridge_count - web->tail_count == row.bridges;
        marey_web_free(web);
        if (!status && !same) status = fail_tile(error);
        if (status) return status;
    }
    bool fits = row.rows == (row.turned ? b : a)->rows && row.cols == (row.turned ? a : b)->rows;
    if (!fits) return fail_tile(error);
    if (t->rows == 0) {
        status = mry_store_begin(work->library->store, error);
        if (status) return status;
        t->rows = 1; /* open: from here on it must be ended */
        status = mry_index_unchanged(work, error);
    } else {
        t->rows++;
    }
    if (!status) status = mry_web_row_put(work->library, &row, error);
    t->bytes += size;
    if (!status) mry_pair_set(work, i, j);
    if (!status && t->rows < MOST_ROWS && t->bytes < MOST_BYTES) return MAREY_OK;
    return end_batch(t, status, error);
}

marey_status mry_index_tiles_read(mry_indexing *work, marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    taking t = { .work = work };
    marey_status status = tiles->read(tiles->user, take_tile, &t, error);
    return end_batch(&t, status, error);
}
