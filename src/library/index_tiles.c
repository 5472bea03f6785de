/* index_tiles.c - an index that several machines make: a tile is a pair of clips, and what it gives is
   their web. Tiles are in the order of the clips' numbers, so that a shard, which is a run of them,
   reads few rows of clips and all columns. */
#include "library/index_work.h"

#include "base/fail.h"
#include "match/web_data.h"

#include <string.h>

static int64_t tile_of(const mry_indexing *work, int i, int j)
{
    int64_t n = work->count, row = i;
    return row * n - row * (row - 1) / 2 + (j - i);
}

marey_status mry_index_tiles_begin(mry_indexing *work, marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    int64_t count = (int64_t)work->count * (work->count + 1) / 2;
    mry_arena tmp = mry_arena_make(work->ctx);
    double *costs = MRY_NEW(&tmp, double, count);
    marey_status status = costs ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < work->count && !status; i++) {
        if (!mry_progress(work->ctx, "planning", i, work->count))
            status = mry_fail_cancelled(error);
        for (int j = i; j < work->count; j++)
            costs[tile_of(work, i, j)] = mry_index_cost(work, i, j);
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
