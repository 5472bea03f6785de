/* index_tiles.c - an index that several machines make: a tile is a pair of clips, and what it gives is
   their web. Tiles are in the order of index_order.c, so that a shard, which is a run of them, reads few
   clips. */
#include "index/index_work.h"

#include "base/fail.h"
#include "match/web_data.h"

#include <string.h>

/* What is expected of each tile; NULL where they are read, which needs none of it. */
static marey_status estimate(mry_indexing *work, int64_t count, mry_arena *mem, double **costs,
                             marey_error *error)
{
    *costs = NULL;
    if (!mry_index_making(work)) return MAREY_OK;
    marey_status status = mry_index_costs_begin(work, error);
    if (status) return status;
    *costs = MRY_NEW_RAW(mem, double, count);
    if (!*costs) return mry_fail_memory(error, NULL);
    for (int i = 0; i < work->count; i++) {
        if (!mry_progress(work->ctx, "planning", i, work->count)) return mry_fail_cancelled(error);
        for (int j = i; j < work->count; j++)
            (*costs)[mry_index_order_place(&work->order, i, j)] = mry_index_cost(work, i, j);
    }
    return MAREY_OK;
}

marey_status mry_index_tiles_begin(mry_indexing *work, marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    int64_t count = (int64_t)work->count * (work->count + 1) / 2;
    mry_arena tmp = mry_arena_make(work->ctx);
    double *costs;
    int *rows = MRY_NEW_RAW(&tmp, int, work->count + 1);
    for (int i = 0; i < work->count && rows; i++) rows[i] = work->slots[i].rows;
    if (rows) work->order = mry_index_order_make(&work->mem, rows, work->count);
    marey_status status = work->order.runs ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) status = estimate(work, count, &tmp, &costs, error);
    if (!status) status = tiles->begin(tiles->user, costs, count, error);
    for (int i = 0; i < work->count && !status && tiles->wants; i++) {
        for (int j = i; j < work->count && !status; j++) {
            int64_t tile = mry_index_order_place(&work->order, i, j);
            bool wanted = tiles->wants(tiles->user, tile);
            if (wanted && mry_pair_there(work, i, j))
                status = tiles->put(tiles->user, tile, "", 0, error);
            if (!wanted) mry_pair_set(work, i, j);
        }
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- a web as bytes of a tile ---------------------------------------------------------------- */

enum { ROW_BYTES = 2 * 8 + 4 * 4 }; /* the clips, four numbers; the web's bytes follow */

marey_status mry_index_tile_put(mry_indexing *work, int i, int j, const mry_web_row *row,
                                marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    mry_arena tmp = mry_arena_make(work->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    mry_put_fixed(&out, (uint64_t)row->a, 8);
    mry_put_fixed(&out, (uint64_t)row->b, 8);
    mry_put_fixed(&out, (uint64_t)row->rows, 4);
    mry_put_fixed(&out, (uint64_t)row->cols, 4);
    mry_put_fixed(&out, (uint64_t)row->chains, 4);
    mry_put_fixed(&out, (uint64_t)row->bridges, 4);
    if (row->size > 0) mry_put_bytes(&out, row->bytes, row->size);
    marey_status status = out.failed
                              ? mry_fail_memory(error, NULL)
                              : tiles->put(tiles->user, mry_index_order_place(&work->order, i, j),
                                           out.bytes, out.used, error);
    mry_arena_free(&tmp);
    return status;
}

/* ---- putting them in -------------------------------------------------------------------------- */

typedef struct taking {
    mry_indexing *work;
    int rows; /* put in by the transaction that is open; 0: none is */
    size_t bytes;
} taking;

static marey_status fail_tile(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                    "a shard holds a web that is none of its clips; work it out again");
}

/* What a web says of itself must be what its tile says. Its paths are checked whenever it is read out
   of a library, which may come from anywhere as a shard may; here that would cost more than all the
   rest of merging. */
static marey_status check_web(const mry_indexing *work, int i, int j, const mry_web_row *row,
                              marey_error *error)
{
    int rows = work->slots[row->turned ? j : i].rows, cols = work->slots[row->turned ? i : j].rows;
    if (row->rows != rows || row->cols != cols) return fail_tile(error);
    if (row->size == 0) return MAREY_OK;
    marey_web head;
    marey_status status = mry_web_head(row->bytes, row->size, &head, error);
    if (status) return status;
    bool same = head.rows == rows && head.cols == cols && head.self == (i == j) &&
                head.chain_count - head.tail_count == row->chains &&
                head.bridge_count - head.tail_count == row->bridges;
    return same ? MAREY_OK : fail_tile(error);
}

static marey_status end_transaction(taking *t, marey_status status, marey_error *error)
{
    if (t->rows == 0) return status;
    status = mry_library_end(t->work->library, status, error);
    if (!status) t->work->report.pairs_built += t->rows;
    t->rows = 0;
    t->bytes = 0;
    return status;
}

static marey_status put_in(taking *t, const mry_web_row *row, marey_error *error)
{
    enum { MOST_ROWS = 4096, MOST_BYTES = 64 << 20 };
    marey_status status = MAREY_OK;
    if (t->rows == 0) {
        status = mry_store_begin(t->work->library->store, error);
        if (status) return status;
        t->rows = 1; /* open: from here on it must be ended */
        status = mry_index_unchanged(t->work, error);
    } else {
        t->rows++;
    }
    if (!status) status = mry_web_row_put(t->work->library, row, error);
    t->bytes += row->size;
    if (!status && t->rows < MOST_ROWS && t->bytes < MOST_BYTES) return MAREY_OK;
    return end_transaction(t, status, error);
}

static marey_status take_tile(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    taking *t = user;
    mry_indexing *work = t->work;
    if (size == 0) return MAREY_OK; /* its web was in the library when the shard was made */
    if (size < ROW_BYTES) return fail_tile(error);
    mry_bytes_reader in = { .p = bytes, .end = bytes + ROW_BYTES };
    mry_web_row row = { .a = (int64_t)mry_get_fixed(&in, 8), .b = (int64_t)mry_get_fixed(&in, 8) };
    int i = mry_index_slot_of(work, row.a), j = mry_index_slot_of(work, row.b);
    if (i < 0 || j < i || mry_index_order_place(&work->order, i, j) != tile)
        return fail_tile(error);
    if (mry_pair_there(work, i, j)) return MAREY_OK;
    const mry_index_slot *a = &work->slots[i], *b = &work->slots[j];
    row.turned = memcmp(a->hash, b->hash, sizeof a->hash) > 0;
    row.a_layers = a->layer_sum;
    row.b_layers = b->layer_sum;
    row.rows = (int)mry_get_fixed(&in, 4);
    row.cols = (int)mry_get_fixed(&in, 4);
    row.chains = (int)mry_get_fixed(&in, 4);
    row.bridges = (int)mry_get_fixed(&in, 4);
    row.bytes = bytes + ROW_BYTES;
    row.size = size - ROW_BYTES;
    marey_status status = check_web(work, i, j, &row, error);
    if (!status) status = put_in(t, &row, error);
    if (!status) mry_pair_set(work, i, j);
    return status;
}

marey_status mry_index_tiles_read(mry_indexing *work, marey_error *error)
{
    const marey_tiles *tiles = work->def->tiles;
    taking t = { .work = work };
    marey_status status = tiles->read(tiles->user, take_tile, &t, error);
    return end_transaction(&t, status, error);
}
