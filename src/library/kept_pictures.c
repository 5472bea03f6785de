/* kept_pictures.c - pictures of clips that were drawn once. They are files that are compressed already, so they lie in
   a table of their own, as they are, with a sum; the store's blobs would pack them for nothing. */
#include "library/library_data.h"

#include "base/fail.h"

#include <string.h>

enum { LONGEST_KIND = 63 };
static const size_t most_bytes = (size_t)16 << 20;

static marey_status check_picture(const marey_library *library, const char *kind, size_t count,
                                  marey_error *error)
{
    const char *path = mry_store_path(library->store);
    size_t length = strlen(kind);
    bool fine = length > 0 && length <= LONGEST_KIND;
    for (size_t i = 0; i < length; i++) fine &= kind[i] > 0x20 && kind[i] < 0x7f;
    if (!mry_store_can_write(library->store)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "this library is open for reading only");
    }
    if (!fine) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "the kind of a picture has 1 to %d letters, digits and signs",
                        LONGEST_KIND);
    }
    if (count == 0) return mry_fail(error, MAREY_ERR_REQUEST, path, "a picture of no bytes");
    if (count > most_bytes) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a picture has at most %zu bytes",
                        most_bytes);
    }
    return MAREY_OK;
}

static marey_status insert_picture(marey_library *library, int64_t id, const char *kind,
                                   const void *bytes, size_t count, marey_error *error)
{
    char name[MRY_LONGEST_CLIP_NAME + 1];
    marey_status status = mry_clip_name(library, id, name, sizeof name, NULL, error);
    if (status) return status;
    mry_query query =
        mry_query_start(library->store, "INSERT INTO picture(clip, kind, sum, bytes)"
                                        " VALUES(?, ?, ?, ?) ON CONFLICT(clip, kind) DO UPDATE SET"
                                        " sum = excluded.sum, bytes = excluded.bytes");
    mry_bind_integer(&query, 1, id);
    mry_bind_text(&query, 2, kind);
    mry_bind_integer(&query, 3, (int64_t)mry_hash64(bytes, count, 0));
    mry_bind_bytes(&query, 4, bytes, count);
    mry_query_next(&query);
    return mry_query_end(&query, error);
}

/* Whether the picture is outdated can only be known where nobody else can write. The version stays as it is:
   whoever watches it would otherwise look again for every picture that was drawn. */
marey_status marey_library_keep_picture(marey_library *library, int64_t id, const char *kind,
                                        int64_t version, const void *bytes, size_t count,
                                        marey_error *error)
{
    int64_t now = 0;
    marey_status status = check_picture(library, kind, count, error);
    if (!status) status = mry_store_begin_now(library->store, error);
    if (status) return status;
    status = marey_library_version(library, &now, error);
    bool outdated = version != 0 && version != now;
    if (!status && !outdated) status = insert_picture(library, id, kind, bytes, count, error);
    if (!status && !outdated) return mry_store_commit(library->store, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_picture(marey_library *library, int64_t id, const char *kind,
                                   void *bytes, size_t room, size_t *count, marey_error *error)
{
    mry_query query = mry_query_start(library->store,
                                      "SELECT sum, bytes FROM picture WHERE clip = ? AND kind = ?");
    size_t found = 0;
    bool sound = true;
    mry_bind_integer(&query, 1, id);
    mry_bind_text(&query, 2, kind);
    if (mry_query_next(&query)) {
        uint64_t sum = (uint64_t)mry_column_integer(&query, 0);
        const void *kept = mry_column_bytes(&query, 1, &found);
        sound = found > 0 && mry_hash64(kept, found, 0) == sum;
        if (sound && query.status == MAREY_OK && found <= room) memcpy(bytes, kept, found);
    }
    marey_status status = mry_query_end(&query, error);
    if (!status && !sound) {
        return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                        "the kept picture %.63s is damaged", kind);
    }
    if (!status) *count = found;
    return status;
}
