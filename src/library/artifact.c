/* artifact.c - things that were made of clips, under their names: bytes in a blob, a text for
   people, and of which parts of which clips they are. The maker of a kind of thing knows its bytes;
   nothing here looks into them. Each change is one transaction. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_KIND = 31, LONGEST_PICTURE_KIND = 63, LONGEST_ABOUT = 1 << 20 };
static const size_t most_bytes = (size_t)1 << 30, most_picture_bytes = (size_t)16 << 20;

struct marey_kept {
    mry_arena mem;
    marey_kept_entry *entries;
    int count, room;
    const void *bytes; /* of the one entry, where it was asked for */
    size_t size;
};

const marey_kept_entry *marey_kept_entries(const marey_kept *kept, int *count)
{
    *count = kept->count;
    return kept->entries;
}

const void *marey_kept_bytes(const marey_kept *kept, size_t *count)
{
    *count = kept->size;
    return kept->bytes;
}

void marey_kept_free(marey_kept *kept)
{
    if (!kept) return;
    mry_arena mem = kept->mem; /* it goes with its arena */
    mry_arena_free(&mem);
}

/* REQUEST if nothing of this kind can have this name, or nothing can be of this kind. */
static marey_status check_kept_name(const char *kind, const char *name, marey_error *error)
{
    size_t length = strlen(kind);
    bool fine = length > 0 && length <= LONGEST_KIND &&
                strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
    if (!fine) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a kind of saved things has 1 to %d small letters, digits and '-'",
                        LONGEST_KIND);
    }
    if (mry_check_name(name, NULL) == MAREY_OK) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the name of a %s has 1 to %d bytes and no '/', '#' or control character", kind,
                    MRY_LONGEST_CLIP_NAME);
}

marey_status mry_forget_kept(marey_library *library, const char *kind, const char *name,
                             bool *there, marey_error *error)
{
    static const char sql[] = "DELETE FROM kept WHERE kind = ? AND name = ? RETURNING id";
    int64_t id = 0;
    marey_status status =
        mry_store_run_with(library->store, error, &id, sql, mry_text(kind), mry_text(name));
    *there = id != 0;
    return status;
}

/* A policy says which way to take at every node of a graph: it has that one's name, and without it
   it says nothing. */
static marey_status forget_policy(marey_library *library, const char *kind, const char *name,
                                  marey_error *error)
{
    bool there;
    if (strcmp(kind, MAREY_KEPT_GRAPH) != 0) return MAREY_OK;
    return mry_forget_kept(library, MAREY_KEPT_POLICY, name, &there, error);
}

marey_status mry_keep_pack(marey_library *library, const char *kind, const char *name,
                           const void *bytes, size_t count, const marey_keep_def *def,
                           mry_arena *mem, mry_packed *out, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    marey_status status = check_kept_name(kind, name, error);
    if (status) return status;
    if (count > most_bytes) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a %s has at most %zu bytes", kind,
                        most_bytes);
    }
    if (def->about && strlen(def->about) > LONGEST_ABOUT) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "the text about a %s has at most %d bytes",
                        kind, LONGEST_ABOUT);
    }
    return mry_blob_pack(mem, bytes, count, 0, out) ? MAREY_OK : mry_fail_memory(error, path);
}

/* For the history; most kinds are called as in the file. */
static const char *kept_word(const char *kind)
{
    return strcmp(kind, MAREY_KEPT_REGISTRATION) == 0 ? "alignment"
           : strcmp(kind, MAREY_KEPT_CLUSTERS) == 0   ? "cluster graph"
           : strcmp(kind, MAREY_KEPT_POLICY) == 0     ? "policy of graph"
                                                      : kind;
}

marey_status mry_keep(marey_library *library, const char *kind, const char *name,
                      const mry_packed *packed, const marey_keep_def *def, marey_error *error)
{
    char blob_kind[LONGEST_KIND + sizeof MRY_KEPT_PREFIX];
    int64_t blob = 0, id = 0;
    snprintf(blob_kind, sizeof blob_kind, MRY_KEPT_PREFIX "%s", kind);
    mry_title(library, "save %s %s", kept_word(kind), name);
    /* Never in place of those that were there, to which the history goes back. */
    marey_status status = mry_blob_add(library->store, blob_kind, packed, &blob, error);
    /* The row, new or the one that was there, and none of its parts. */
    if (!status)
        status = mry_store_run_with(library->store, error, &id,
                                    "INSERT INTO kept(kind, name, about, blob, id) VALUES(?, ?, ?,"
                                    " ?, 1 + max(coalesce((SELECT max(id) FROM kept), 0),"
                                    " coalesce((SELECT last_kept FROM edition), 0)))"
                                    " ON CONFLICT(kind, name) DO UPDATE SET about = excluded.about,"
                                    " blob = excluded.blob RETURNING id",
                                    mry_text(kind), mry_text(name),
                                    mry_text(def->about ? def->about : ""), mry_integer(blob));
    if (status) return status;
    status = mry_run_for(library, "DELETE FROM kept_part WHERE kept = ?", id, NULL, error);
    /* Before them, in place -1, whose body they have. */
    const marey_part body = { def->onto, 0, 1 };
    for (int i = def->onto ? -1 : 0; i < def->part_count && !status; i++) {
        const marey_part *part = i < 0 ? &body : &def->parts[i];
        char clip[MAREY_NAME_ROOM];
        bool removed = false;
        status = mry_clip_name(library, part->clip, clip, sizeof clip, &removed, error);
        if (status) return status;
        if (removed)
            return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                            "clip %.100s is removed", clip);
        status = mry_check_seen(library, part->clip, clip, error);
        if (status) return status;
        int64_t frames = 0;
        status =
            mry_store_run_with(library->store, error, &frames,
                               "SELECT frames FROM clip WHERE id = ?", mry_integer(part->clip));
        if (status) return status;
        if (part->start < 0 || part->start >= part->end || part->end > frames)
            return mry_fail(error, MAREY_ERR_REQUEST, clip, "frames %d-%d are not inside its 0-%d",
                            part->start, part->end, (int)frames);
        status =
            mry_store_run_with(library->store, error, NULL,
                               "INSERT INTO kept_part(kept, place, clip, called, start, stop,"
                               " layer_sum) SELECT ?1, ?2, ?3, ?4, ?5, ?6, layer_sum FROM clip"
                               " WHERE id = ?3",
                               mry_integer(id), mry_integer(i), mry_integer(part->clip),
                               mry_text(clip), mry_integer(part->start), mry_integer(part->end));
    }
    return status ? status : forget_policy(library, kind, name, error);
}

marey_status marey_library_keep(marey_library *library, const char *kind, const char *name,
                                const void *bytes, size_t count, const marey_keep_def *def,
                                marey_error *error)
{
    static const marey_keep_def nothing = { 0 };
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    if (!def) def = &nothing;
    marey_status status =
        mry_keep_pack(library, kind, name, bytes, count, def, &tmp, &packed, error);
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = mry_keep(library, kind, name, &packed, def, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&tmp);
    return status;
}

static marey_status damaged(marey_library *library, const char *kind, const char *name,
                            marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                    "the %.40s %.200s is damaged; run marey verify", kind, name);
}

/* (clip, start, stop, called, how many, stale, place) */
static marey_status read_parts(marey_library *library, marey_kept *kept, int64_t id,
                               marey_kept_entry *entry, marey_error *error)
{
    marey_part *parts = NULL;
    const char **names = NULL;
    bool fits = true, sound = true;
    mry_query query = mry_query_with(library->store,
                                     "SELECT clip, start, stop, called, count(*) OVER (),"
                                     " clip.id IS NULL OR removed OR clip.layer_sum <>"
                                     " kept_part.layer_sum, place FROM kept_part LEFT JOIN clip ON"
                                     " clip.id = clip WHERE kept = ? ORDER BY place",
                                     mry_integer(id));
    while (fits && sound && mry_query_next(&query)) {
        int64_t start = mry_column_integer(&query, 1), stop = mry_column_integer(&query, 2);
        int64_t room = mry_column_integer(&query, 4);
        if (!parts) parts = MRY_NEW(&kept->mem, marey_part, room);
        if (!names) names = MRY_NEW(&kept->mem, const char *, room);
        const char *called = mry_column_copy(&query, 3, &kept->mem);
        fits = parts && names && called;
        sound = start >= 0 && start < stop && stop <= INT32_MAX;
        if (!fits || !sound) break;
        entry->stale |= mry_column_integer(&query, 5) != 0;
        if (mry_column_integer(&query, 6) < 0) {
            entry->onto = mry_column_integer(&query, 0);
            continue;
        }
        parts[entry->part_count] =
            (marey_part){ mry_column_integer(&query, 0), (int)start, (int)stop };
        names[entry->part_count++] = called;
    }
    entry->parts = parts;
    entry->part_names = names;
    marey_status status = mry_query_end(&query, error);
    if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    return status || sound ? status : damaged(library, entry->kind, entry->name, error);
}

/* Of a kind and a name, or of all where they are NULL, into a new listing; *blob is the last
   one's. */
static marey_status read_rows(marey_library *library, const char *kind, const char *name,
                              marey_kept **out, int64_t *blob, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    mry_arena mem = mry_arena_make(library->ctx);
    marey_kept *kept = MRY_NEW(&mem, marey_kept, 1);
    marey_status read = MAREY_OK;
    if (!kept) return mry_fail_memory(error, path);
    kept->mem = mem;
    mry_query row =
        mry_query_with(library->store,
                       "SELECT kept.id, kept.kind, kept.name, about, size, blob FROM kept"
                       " LEFT JOIN blob ON blob.id = kept.blob WHERE (?1 IS NULL OR kept.kind = ?1)"
                       " AND (?2 IS NULL OR kept.name = ?2) ORDER BY kept.kind, kept.name",
                       mry_text(kind), mry_text(name));
    while (!read && mry_query_next(&row)) {
        *blob = mry_column_integer(&row, 5);
        marey_kept_entry one = { .kind = mry_column_copy(&row, 1, &kept->mem),
                                 .name = mry_column_copy(&row, 2, &kept->mem),
                                 .about = mry_column_copy(&row, 3, &kept->mem),
                                 .size = mry_column_integer(&row, 4) };
        bool fits =
            one.kind && one.name && one.about &&
            mry_grow_in(&kept->mem, &kept->entries, &kept->room, kept->count + 1, sizeof one);
        if (!fits) {
            read = mry_fail_memory(error, path);
            break;
        }
        marey_kept_entry *entry = &kept->entries[kept->count++];
        *entry = one;
        read = read_parts(library, kept, mry_column_integer(&row, 0), entry, error);
    }
    marey_status status = mry_query_end(&row, read ? NULL : error);
    if (!read && !status) {
        *out = kept;
        return MAREY_OK;
    }
    marey_kept_free(kept);
    return read ? read : status;
}

static marey_status fail_no_kept(marey_library *library, const char *kind, const char *name,
                                 marey_error *error)
{
    char nearest[MAREY_NAME_ROOM] = "";
    int least = 4;
    mry_query query =
        mry_query_with(library->store, "SELECT name FROM kept WHERE kind = ?", mry_text(kind));
    while (mry_query_next(&query)) {
        const char *other = mry_column_text(&query, 0);
        int distance = mry_edit_distance(name, other);
        if (distance >= least) continue;
        least = distance;
        snprintf(nearest, sizeof nearest, "%s", other);
    }
    marey_status status = mry_query_end(&query, error);
    if (status) return status;
    return mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                    "no %.40s is called %.100s%s%s%s", kind, name, *nearest ? "; is it " : "",
                    nearest, *nearest ? "?" : "");
}

marey_status mry_read_kept(marey_library *library, const char *kind, const char *name,
                           marey_kept **out, marey_error *error)
{
    marey_kept *kept = NULL;
    void *bytes = NULL;
    int64_t blob = 0;
    marey_status status = read_rows(library, kind, name, &kept, &blob, error);
    if (!status && kept->count == 0) status = fail_no_kept(library, kind, name, error);
    if (!status) {
        status =
            mry_blob_get(library->store, blob, most_bytes, &kept->mem, &bytes, &kept->size, error);
        kept->bytes = bytes;
        if (marey_status_group(status) == MAREY_ERR_INPUT)
            status = damaged(library, kept->entries->kind, kept->entries->name, error);
    }
    if (status) {
        marey_kept_free(kept);
        return status;
    }
    *out = kept;
    return MAREY_OK;
}

marey_status marey_library_kept(marey_library *library, const char *kind, const char *name,
                                marey_kept **out, marey_error *error)
{
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_read_kept(library, kind, name, out, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_kept_list(marey_library *library, const char *kind, marey_kept **out,
                                     marey_error *error)
{
    int64_t blob = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = read_rows(library, kind, NULL, out, &blob, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status mry_check_kept(marey_library *library, const char *kind, const char *name,
                            marey_error *error)
{
    marey_kept *kept = NULL;
    int64_t blob = 0;
    marey_status status = read_rows(library, kind, name, &kept, &blob, error);
    if (!status && kept->count != 1) status = damaged(library, kind, name, error);
    marey_kept_free(kept);
    return status;
}

marey_status marey_library_forget(marey_library *library, const char *kind, const char *name,
                                  marey_error *error)
{
    bool there = false;
    marey_status status = mry_library_begin(library, error);
    if (status) return status;
    status = mry_forget_kept(library, kind, name, &there, error);
    if (!status && !there) status = fail_no_kept(library, kind, name, error);
    if (!status) status = forget_policy(library, kind, name, error);
    mry_title(library, "remove %s %s", kept_word(kind), name);
    return mry_library_end(library, status, error);
}

static marey_status find_row(marey_library *library, const char *kind, const char *name,
                             bool *there, marey_error *error)
{
    static const char sql[] = "SELECT 1 FROM kept WHERE kind = ? AND name = ?";
    int64_t found = 0;
    marey_status status =
        mry_store_run_with(library->store, error, &found, sql, mry_text(kind), mry_text(name));
    *there = found != 0;
    return status;
}

static marey_status rename_row(marey_library *library, const char *kind, const char *name,
                               const char *new_name, marey_error *error)
{
    return mry_store_run_with(library->store, error, NULL,
                              "UPDATE kept SET name = ?1 WHERE kind = ?2 AND name = ?3",
                              mry_text(new_name), mry_text(kind), mry_text(name));
}

marey_status marey_library_rename_kept(marey_library *library, const char *kind, const char *name,
                                       const char *new_name, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    bool there = false, taken = false;
    marey_status status = check_kept_name(kind, new_name, error);
    if (!status && strcmp(kind, MAREY_KEPT_POLICY) == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a policy has the name of its graph: rename that");
    }
    if (!status) status = mry_library_begin(library, error);
    if (status) return status;
    status = find_row(library, kind, name, &there, error);
    if (!status && !there) status = fail_no_kept(library, kind, name, error);
    if (!status && strcmp(name, new_name) != 0) {
        status = find_row(library, kind, new_name, &taken, error);
        if (!status && taken) {
            status = mry_fail(error, MAREY_ERR_INPUT, path,
                              "there is a %.40s called %.100s already; choose another name, or "
                              "remove that one first",
                              kind, new_name);
        }
        if (!status) status = rename_row(library, kind, name, new_name, error);
        /* one that follows nothing makes room for the graph's own */
        if (!status) status = forget_policy(library, kind, new_name, error);
        if (!status && strcmp(kind, MAREY_KEPT_GRAPH) == 0)
            status = rename_row(library, MAREY_KEPT_POLICY, name, new_name, error);
    }
    mry_title(library, "rename %s %s to %s", kept_word(kind), name, new_name);
    return mry_library_end(library, status, error);
}

/* Pictures of clips that were drawn once are files that are compressed already, so they lie in a
   table of their own, as they are, with a sum; the store's blobs would pack them for nothing.
   Whether the picture is outdated can only be known where no other program can write. The version
   stays as it is: a program that watches it would otherwise look again for every picture that was
   drawn. */
marey_status marey_library_keep_picture(marey_library *library, int64_t id, const char *kind,
                                        int64_t version, const void *bytes, size_t count,
                                        marey_error *error)
{
    const char *path = mry_store_path(library->store);
    size_t length = strlen(kind);
    bool fine = length > 0 && length <= LONGEST_PICTURE_KIND;
    for (size_t i = 0; i < length; i++) fine &= kind[i] > 0x20 && kind[i] < 0x7f;
    if (!mry_store_can_write(library->store)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "this library is open for reading only");
    }
    if (!fine) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "the kind of a picture has 1 to %d letters, digits and signs",
                        LONGEST_PICTURE_KIND);
    }
    if (count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a picture must have at least 1 byte");
    if (count > most_picture_bytes) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a picture has at most %zu bytes",
                        most_picture_bytes);
    }

    char name[MRY_LONGEST_CLIP_NAME + 1];
    int64_t now = 0;
    marey_status status = mry_store_begin_now(library->store, error);
    if (status) return status;
    status = marey_library_version(library, &now, error);
    bool outdated = version != 0 && version != now;
    if (!status && !outdated) status = mry_clip_name(library, id, name, sizeof name, NULL, error);
    if (!status && !outdated) {
        status = mry_store_run_with(library->store, error, NULL,
                                    "INSERT INTO picture(clip, kind, sum, bytes)"
                                    " VALUES(?, ?, ?, ?) ON CONFLICT(clip, kind) DO UPDATE SET"
                                    " sum = excluded.sum, bytes = excluded.bytes",
                                    mry_integer(id), mry_text(kind),
                                    mry_integer((int64_t)mry_hash64(bytes, count, 0)),
                                    mry_bytes(bytes, count));
    }
    if (!status && !outdated) return mry_store_commit(library->store, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_picture(marey_library *library, int64_t id, const char *kind,
                                   void *bytes, size_t room, size_t *count, marey_error *error)
{
    mry_query query =
        mry_query_with(library->store, "SELECT sum, bytes FROM picture WHERE clip = ? AND kind = ?",
                       mry_integer(id), mry_text(kind));
    size_t found = 0;
    bool sound = true;
    if (mry_query_next(&query)) {
        uint64_t sum = (uint64_t)mry_column_integer(&query, 0);
        const void *saved = mry_column_bytes(&query, 1, &found);
        sound = found > 0 && mry_hash64(saved, found, 0) == sum;
        if (sound && query.status == MAREY_OK && found <= room) memcpy(bytes, saved, found);
    }
    marey_status status = mry_query_end(&query, error);
    if (!status && !sound) {
        return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                        "the kept picture %.63s is damaged", kind);
    }
    if (!status) *count = found;
    return status;
}
