/* tables.c - opening a library, its tables, and the steps that all changes share. */
#include "library/library_data.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names are unique among the clips that are not removed. Motion is a blob of its own, so that
   listing a library does not touch it. words is the text search over what people read; its row ids
   are the clips'. edition counts the changes; its one row is made by the first of them. last_clip
   is the highest number that a purged clip may have had: numbers are never given twice. kept are
   things that were made of clips; kept_part says of which, and what each was called then. It does
   not refer to the table of clips: a thing outlives a clip that is purged, and says so. web has a
   row for every pair of clips that was indexed, a <= b, whose settings are the one row of
   web_settings. Rows of the web are frames of a, or of b if it is turned. Two clips without
   anything in common have a size of 0 and no bytes. Bytes are apart, so that counting webs does not
   touch them; they are not packed again, since they are as good as random. pose_block has what
   searches look at first: see pose_rows.h. stretch has labels of frames [start, stop); those of one
   label of a clip neither overlap nor touch. layer has what changes a clip since it was captured, in
   its order, and why; a clip's layer_sum is a hash of them, 0 without any, its fps is the one with
   them and its hash that of the captured motion. kept_part has the layer_sum that its clip had.
   flaw has the flaws of a clip with its layers, as that edition of the checks found them. history
   has the steps that can be undone or, where `undone` is 1, redone; history_part what each changed,
   transaction by transaction, history_blob the bytes that it needs beside that (see history_rows.c).
   last_kept and last_step are as last_clip. */
static const char *const steps[] = {
    "CREATE TABLE skeleton("
    " id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, name TEXT NOT NULL, pack BLOB NOT NULL);"
    "CREATE INDEX skeleton_hash ON skeleton(hash);"
    "CREATE TABLE clip("
    " id INTEGER PRIMARY KEY, name TEXT NOT NULL, skeleton INTEGER NOT NULL REFERENCES "
    "skeleton(id),"
    " frames INTEGER NOT NULL, fps REAL NOT NULL, hash BLOB NOT NULL,"
    " motion INTEGER NOT NULL REFERENCES blob(id), about BLOB NOT NULL, source TEXT NOT NULL,"
    " description TEXT NOT NULL, licence TEXT NOT NULL, provenance TEXT NOT NULL,"
    " removed INTEGER NOT NULL DEFAULT 0, contacts_set INTEGER NOT NULL DEFAULT 0);"
    "CREATE UNIQUE INDEX clip_name ON clip(name) WHERE removed = 0;"
    "CREATE INDEX clip_removed ON clip(name) WHERE removed = 1;"
    "CREATE INDEX clip_hash ON clip(hash);"
    "CREATE INDEX clip_motion ON clip(motion);"
    "CREATE INDEX clip_skeleton ON clip(skeleton);"
    "CREATE TABLE label("
    " clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE, label TEXT NOT NULL,"
    " PRIMARY KEY(clip, label)) WITHOUT ROWID;"
    "CREATE INDEX label_label ON label(label, clip);"
    "CREATE TABLE contact("
    " clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE, joint INTEGER NOT NULL,"
    " start INTEGER NOT NULL, stop INTEGER NOT NULL, PRIMARY KEY(clip, joint, start)) WITHOUT "
    "ROWID;"
    "CREATE VIRTUAL TABLE words USING fts5(name, labels, description, prefix = '2 3');",
    "CREATE TABLE picture("
    " clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE, kind TEXT NOT NULL,"
    " sum INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(clip, kind));"
    "CREATE TABLE edition(id INTEGER PRIMARY KEY CHECK(id = 1), number INTEGER NOT NULL,"
    " last_clip INTEGER NOT NULL DEFAULT 0);",
    "CREATE TABLE kept("
    " id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,"
    " blob INTEGER NOT NULL REFERENCES blob(id), UNIQUE(kind, name));"
    "CREATE INDEX kept_blob ON kept(blob);"
    "CREATE TABLE kept_part("
    " kept INTEGER NOT NULL REFERENCES kept(id) ON DELETE CASCADE, place INTEGER NOT NULL,"
    " clip INTEGER NOT NULL, called TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,"
    " PRIMARY KEY(kept, place)) WITHOUT ROWID;"
    "CREATE INDEX kept_part_clip ON kept_part(clip);",
    "CREATE TABLE web_settings("
    " id INTEGER PRIMARY KEY CHECK(id = 1), settings BLOB NOT NULL, normals BLOB NOT NULL,"
    " about TEXT NOT NULL);"
    "CREATE TABLE web("
    " id INTEGER PRIMARY KEY,"
    " a INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE,"
    " b INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE CHECK(a <= b),"
    " turned INTEGER NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,"
    " chains INTEGER NOT NULL, bridges INTEGER NOT NULL, size INTEGER NOT NULL, UNIQUE(a, b));"
    "CREATE INDEX web_b ON web(b);"
    "CREATE TABLE web_bytes("
    " web INTEGER PRIMARY KEY REFERENCES web(id) ON DELETE CASCADE, bytes BLOB NOT NULL);",
    "CREATE TABLE pose_block("
    " clip INTEGER PRIMARY KEY REFERENCES clip(id) ON DELETE CASCADE, size INTEGER NOT NULL,"
    " sum INTEGER NOT NULL, bytes BLOB NOT NULL);",
    "CREATE TABLE stretch("
    " clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE, label TEXT NOT NULL,"
    " start INTEGER NOT NULL, stop INTEGER NOT NULL, PRIMARY KEY(clip, label, start)) WITHOUT "
    "ROWID;"
    "CREATE INDEX stretch_label ON stretch(label, clip);",
    "CREATE TABLE layer("
    " clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE CASCADE, place INTEGER NOT NULL,"
    " kind TEXT NOT NULL, joint INTEGER NOT NULL, joint_name TEXT NOT NULL, start INTEGER NOT NULL,"
    " stop INTEGER NOT NULL, numbers BLOB NOT NULL, flaw TEXT NOT NULL, size REAL NOT NULL,"
    " unit TEXT NOT NULL, certainty REAL NOT NULL, PRIMARY KEY(clip, place)) WITHOUT ROWID;"
    "CREATE TABLE flaw("
    " clip INTEGER PRIMARY KEY REFERENCES clip(id) ON DELETE CASCADE, edition INTEGER NOT NULL,"
    " count INTEGER NOT NULL, sum INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "ALTER TABLE clip ADD COLUMN layer_sum INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE kept_part ADD COLUMN layer_sum INTEGER NOT NULL DEFAULT 0;",
    "CREATE TABLE history("
    " id INTEGER PRIMARY KEY, time INTEGER NOT NULL, title TEXT NOT NULL,"
    " undone INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE history_part("
    " step INTEGER NOT NULL REFERENCES history(id) ON DELETE CASCADE, place INTEGER NOT NULL,"
    " size INTEGER NOT NULL, sum INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(step, place));"
    "CREATE TABLE history_blob("
    " step INTEGER NOT NULL REFERENCES history(id) ON DELETE CASCADE,"
    " blob INTEGER NOT NULL REFERENCES blob(id) DEFERRABLE INITIALLY DEFERRED,"
    " PRIMARY KEY(step, blob)) WITHOUT ROWID;"
    "CREATE INDEX history_blob_blob ON history_blob(blob);"
    "ALTER TABLE edition ADD COLUMN last_kept INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE edition ADD COLUMN last_step INTEGER NOT NULL DEFAULT 0;",
};

const mry_schema mry_library_schema = {
    .application_id = 0x4d617279, /* "Mary" */
    .step_count = sizeof steps / sizeof *steps,
    .steps = steps,
};

static marey_status open_beside(marey_ctx *ctx, const mry_store *beside, const char *path,
                                marey_library_mode mode, marey_library **out, marey_error *error)
{
    static const mry_store_mode modes[] = { MRY_STORE_READ, MRY_STORE_WRITE, MRY_STORE_CREATE,
                                            MRY_STORE_KEEP };
    marey_library *library = mry_alloc(ctx, sizeof *library);
    if (!library) return mry_fail_memory(error, path);
    *library = (marey_library){ .ctx = ctx,
                                .index_about = mry_arena_make(ctx),
                                .seen_mem = mry_arena_make(ctx) };
    marey_status status = mry_store_open_beside(ctx, beside, path, modes[mode], &mry_library_schema,
                                                &library->store, error);
    if (status) {
        mry_release(ctx, library, sizeof *library);
        return status;
    }
    *out = library;
    return MAREY_OK;
}

marey_status marey_library_open(marey_ctx *ctx, const char *path, marey_library_mode mode,
                                marey_library **out, marey_error *error)
{
    return open_beside(ctx, NULL, path, mode, out, error);
}

marey_status marey_library_open_beside(marey_library *beside, const char *path,
                                       marey_library_mode mode, marey_library **out,
                                       marey_error *error)
{
    return open_beside(beside->ctx, beside->store, path, mode, out, error);
}

void marey_library_close(marey_library *library)
{
    if (!library) return;
    mry_store_close(library->store);
    mry_arena_free(&library->index_about);
    mry_arena_free(&library->seen_mem);
    mry_release(library->ctx, library, sizeof *library);
}

const char *marey_library_path(const marey_library *library)
{
    return mry_store_path(library->store);
}

/* A count in the file rather than SQLite's data_version: that one knows only of other connections,
   and would also change with every picture that is kept. */
marey_status marey_library_version(marey_library *library, int64_t *version, marey_error *error)
{
    int64_t number = 0;
    marey_status status = mry_query_finish(
        mry_query_start(library->store, "SELECT number FROM edition"), &number, error);
    if (!status) *version = number ? number : 1;
    return status;
}

marey_status mry_run_for(marey_library *library, const char *sql, int64_t id, const char *text,
                         marey_error *error)
{
    mry_query query = mry_query_start(library->store, sql);
    mry_bind_integer(&query, 1, id);
    if (text) mry_bind_text(&query, 2, text);
    mry_query_next(&query);
    return mry_query_end(&query, error);
}

marey_status mry_check_name(const char *name, marey_error *error)
{
    size_t length = strlen(name);
    bool fine = length > 0 && length <= MRY_LONGEST_CLIP_NAME;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        fine &= c >= 0x20 && c != 0x7f && c != '/' && c != '#';
    }
    if (fine) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a clip's name has 1 to %d bytes and no '/', '#' or control character",
                    MRY_LONGEST_CLIP_NAME);
}

marey_status mry_check_label(const char *label, marey_error *error)
{
    size_t length = strlen(label);
    bool fine = length > 0 && length <= MRY_LONGEST_CLIP_NAME;
    for (size_t i = 0; i < length; i++) fine &= (unsigned char)label[i] >= 0x20 && label[i] != 0x7f;
    if (fine) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a label has 1 to %d bytes and no control character", MRY_LONGEST_CLIP_NAME);
}

static marey_status find_id(marey_library *library, const char *name, bool removed, int64_t *id,
                            marey_error *error)
{
    const char *sql = removed ? "SELECT id FROM clip WHERE name = ? AND removed = 1"
                                " ORDER BY id DESC LIMIT 1"
                              : "SELECT id FROM clip WHERE name = ? AND removed = 0";
    return mry_store_run_with(library->store, error, id, sql, mry_text(name));
}

int mry_edit_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    int row[MOST + 1], n = (int)strnlen(a, MOST), m = (int)strnlen(b, MOST);
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int above = row[j], best = corner + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = above;
            row[j] = best;
        }
    }
    return row[m];
}

marey_status mry_clip_id(marey_library *library, const char *name, bool removed, int64_t *id,
                         marey_error *error)
{
    enum { MOST_DIGITS = 18 };
    char near[MRY_LONGEST_CLIP_NAME + 1] = "";
    const char *path = mry_store_path(library->store), *kind = removed ? "removed " : "";
    /* 34 for "#34", in the one way to write it. */
    size_t digits = name[0] == '#' ? strspn(name + 1, "0123456789") : 0;
    if (digits > 0 && digits <= MOST_DIGITS && name[1] != '0' && !name[1 + digits]) {
        bool is_removed = false;
        *id = 0;
        for (size_t i = 1; i <= digits; i++) *id = 10 * *id + (name[i] - '0');
        marey_status status = mry_clip_name(library, *id, near, sizeof near, &is_removed, error);
        if (status || is_removed == removed) return status;
        return mry_fail(error, MAREY_ERR_NOT_FOUND, path,
                        "there is no %sclip number %" PRId64 ": %.100s is %sremoved", kind, *id,
                        near, removed ? "not " : "");
    }
    marey_status status = find_id(library, name, removed, id, error);
    if (status || *id) return status;
    int least = 4;
    mry_query query = mry_query_with(library->store, "SELECT name FROM clip WHERE removed = ?",
                                     mry_integer(removed));
    while (mry_query_next(&query)) {
        int distance = mry_edit_distance(name, mry_column_text(&query, 0));
        if (distance >= least) continue;
        least = distance;
        snprintf(near, sizeof near, "%s", mry_column_text(&query, 0));
    }
    status = mry_query_end(&query, error);
    if (status) return status;
    return mry_fail(error, MAREY_ERR_NOT_FOUND, path, "no %sclip is called %.100s%s%s%s", kind,
                    name, *near ? "; is it " : "", near, *near ? "?" : "");
}

marey_status mry_clip_find(marey_library *library, const char *name, bool removed, marey_named *out,
                           marey_error *error)
{
    marey_status status = mry_clip_id(library, name, removed, &out->id, error);
    if (status) return status;
    return mry_clip_name(library, out->id, out->name, sizeof out->name, NULL, error);
}

marey_status mry_clip_name(marey_library *library, int64_t id, char *name, size_t room,
                           bool *removed, marey_error *error)
{
    mry_query query = mry_query_with(library->store, "SELECT name, removed FROM clip WHERE id = ?",
                                     mry_integer(id));
    bool there = mry_query_next(&query);
    bool is_removed = mry_column_integer(&query, 1) != 0;
    const char *found = mry_column_text(&query, 0);
    if (there && query.status == MAREY_OK) {
        snprintf(name, room, "%s", found);
        if (removed) *removed = is_removed;
    }
    marey_status status = mry_query_end(&query, error);
    if (status || there) return status;
    return mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                    "there is no clip number %" PRId64, id);
}

marey_status marey_library_name(marey_library *library, int64_t id, char *name, size_t room,
                                bool *removed, marey_error *error)
{
    return mry_clip_name(library, id, name, room, removed, error);
}

marey_status mry_free_name(marey_library *library, const char *name, char *free_name, size_t room,
                           marey_error *error)
{
    int64_t id = 0;
    snprintf(free_name, room, "%.*s", MRY_LONGEST_CLIP_NAME, name);
    for (int n = 2;; n++) {
        marey_status status = find_id(library, free_name, false, &id, error);
        if (status || !id) return status;
        snprintf(free_name, room, "%.*s-%d", MRY_LONGEST_CLIP_NAME - 12, name, n);
    }
}

marey_status mry_update_words(marey_library *library, int64_t clip, marey_error *error)
{
    marey_status status =
        mry_run_for(library, "DELETE FROM words WHERE rowid = ?", clip, NULL, error);
    if (status) return status;
    return mry_run_for(library,
                       "INSERT INTO words(rowid, name, labels, description)"
                       " SELECT id, name, coalesce((SELECT group_concat(label, ' ') FROM"
                       " (SELECT label FROM label WHERE clip = ?1 UNION SELECT label FROM stretch"
                       " WHERE clip = ?1)), ''), description FROM clip WHERE id = ?1"
                       " AND removed = 0",
                       clip, NULL, error);
}

marey_status mry_add_label(marey_library *library, int64_t clip, const char *label,
                           marey_error *error)
{
    return mry_run_for(library, "INSERT OR IGNORE INTO label(clip, label) VALUES(?, ?)", clip,
                       label, error);
}
