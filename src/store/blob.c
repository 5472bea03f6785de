/* blob.c - named byte strings: packed by zstd, with their length and hash beside them. The hash is
   over the bytes before packing, so it also answers for zstd and for the memory in between. zstd's
   own working memory while a call runs (1 MB at level 3, 50 MB at level 19) is not counted by the
   context: the interface that would allow it is not a stable one. */
#include <inttypes.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "store/store_inside.h"

enum { DEFAULT_LEVEL = 3 };

bool mry_blob_pack(mry_arena *mem, const void *bytes, size_t count, int level, mry_packed *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    size_t room = ZSTD_compressBound(count);
    void *work = ZSTD_isError(room) ? NULL : mry_arena_take(&tmp, room, 1);
    size_t packed = 0;
    char *copy = NULL;
    if (work) packed = ZSTD_compress(work, room, bytes, count, level ? level : DEFAULT_LEVEL);
    if (work && !ZSTD_isError(packed)) copy = mry_arena_text(mem, work, packed);
    mry_arena_free(&tmp);
    if (!copy) return false;
    *out = (mry_packed){ count, mry_hash64(bytes, count, 0), copy, packed };
    return true;
}

/* An id that exists stays: rows elsewhere point to it. */
marey_status mry_blob_put(mry_store *store, const char *kind, const char *name,
                          const mry_packed *packed, int64_t *id, marey_error *error)
{
    static const char sql[] = "INSERT INTO blob (kind, name, size, sum, bytes)"
                              " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (kind, name) DO UPDATE"
                              " SET size = excluded.size, sum = excluded.sum,"
                              " bytes = excluded.bytes RETURNING id";
    int64_t got = 0;
    marey_status status = mry_store_run_with(
        store, error, &got, sql, mry_text(kind), mry_text(name), mry_integer((int64_t)packed->size),
        mry_integer((int64_t)packed->sum), mry_bytes(packed->bytes, packed->packed_size));
    if (status == MAREY_OK && id) *id = got;
    return status;
}

marey_status mry_blob_add(mry_store *store, const char *kind, const mry_packed *packed, int64_t *id,
                          marey_error *error)
{
    static const char sql[] = "INSERT INTO blob (id, kind, name, size, sum, bytes)"
                              " SELECT n, ?1, '#' || n, ?2, ?3, ?4 FROM"
                              " (SELECT 1 + coalesce(max(id), 0) AS n FROM blob) RETURNING id";
    return mry_store_run_with(store, error, id, sql, mry_text(kind),
                              mry_integer((int64_t)packed->size), mry_integer((int64_t)packed->sum),
                              mry_bytes(packed->bytes, packed->packed_size));
}

marey_status mry_blob_replace(mry_store *store, int64_t id, const mry_packed *packed,
                              marey_error *error)
{
    return mry_store_run_with(
        store, error, NULL, "UPDATE blob SET size = ?2, sum = ?3, bytes = ?4 WHERE id = ?1",
        mry_integer(id), mry_integer((int64_t)packed->size), mry_integer((int64_t)packed->sum),
        mry_bytes(packed->bytes, packed->packed_size));
}

/* ---- reading --------------------------------------------------------------------------------- */

static marey_status fail_damaged(const mry_store *store, int64_t id, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_DAMAGED, store->path,
                    "stored data %" PRId64 " is damaged; run marey verify", id);
}

size_t mry_most_unpacked(size_t packed_size)
{
    const size_t still = (size_t)640 << 20, most = 256;
    return packed_size < (SIZE_MAX - still) / most ? still + most * packed_size : SIZE_MAX;
}

/* What the row and the frame say must agree, and be possible, before memory is asked for. A block
   of zstd takes 4 bytes or more and gives 128 KiB at most. */
marey_status mry_blob_unpack(const mry_store *store, int64_t id, const mry_packed *packed,
                             size_t most, mry_arena *mem, void **bytes, size_t *count,
                             marey_error *error)
{
    uint64_t size = packed->size;
    if (ZSTD_getFrameContentSize(packed->bytes, packed->packed_size) != size ||
        ZSTD_findFrameCompressedSize(packed->bytes, packed->packed_size) != packed->packed_size ||
        size / 32768 > packed->packed_size || size > mry_most_unpacked(packed->packed_size)) {
        return fail_damaged(store, id, error);
    }
    if (size > most) {
        return mry_fail(error, MAREY_ERR_INPUT, store->path,
                        "stored data %" PRId64 " has %" PRIu64 " bytes where at most %zu belong",
                        id, size, most);
    }
    void *out = mry_arena_take(mem, (size_t)size, 1);
    if (!out) return mry_fail_memory(error, store->path);
    size_t got = ZSTD_decompress(out, (size_t)size, packed->bytes, packed->packed_size);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation) {
        return mry_fail_memory(error, store->path);
    }
    if (got != size || mry_hash64(out, got, 0) != packed->sum)
        return fail_damaged(store, id, error);
    *bytes = out;
    *count = got;
    return MAREY_OK;
}

marey_status mry_blob_read(mry_store *store, int64_t id, mry_arena *mem, mry_packed *out,
                           marey_error *error)
{
    mry_query query =
        mry_query_with(store, "SELECT size, sum, bytes FROM blob WHERE id = ?1", mry_integer(id));
    marey_status status = MAREY_OK;
    bool there = mry_query_next(&query);
    if (there) {
        *out = (mry_packed){ .size = (size_t)mry_column_integer(&query, 0),
                             .sum = (uint64_t)mry_column_integer(&query, 1) };
        const char *bytes = mry_column_bytes(&query, 2, &out->packed_size);
        status = query.status;
        if (!status) out->bytes = mry_arena_text(mem, bytes, out->packed_size);
        if (!status && !out->bytes) status = mry_fail_memory(error, store->path);
    }
    marey_status read = mry_query_end(&query, error);
    if (read != MAREY_OK) return read;
    if (!there) {
        return mry_fail(error, MAREY_ERR_INPUT, store->path, "there is no stored data %" PRId64,
                        id);
    }
    return status;
}

marey_status mry_blob_get(mry_store *store, int64_t id, size_t most, mry_arena *mem, void **bytes,
                          size_t *count, marey_error *error)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    mry_packed packed;
    marey_status status = mry_blob_read(store, id, &tmp, &packed, error);
    if (!status) status = mry_blob_unpack(store, id, &packed, most, mem, bytes, count, error);
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_blob_find(mry_store *store, const char *kind, const char *name, int64_t *id,
                           marey_error *error)
{
    static const char sql[] = "SELECT id FROM blob WHERE kind = ?1 AND name = ?2";
    int64_t found = 0;
    marey_status status =
        mry_store_run_with(store, error, &found, sql, mry_text(kind), mry_text(name));
    if (status == MAREY_OK) *id = found;
    return status;
}

marey_status mry_blob_remove(mry_store *store, int64_t id, marey_error *error)
{
    return mry_store_run_with(store, error, NULL, "DELETE FROM blob WHERE id = ?1",
                              mry_integer(id));
}
