/* content.c - what a library holds, as numbers: the same for the same content, whatever the order in
   which it came, its numbers, what else was there once, and SQLite's own bytes. Clips are gone over by
   their names, webs by those of their two clips, saved things by kind and name.

   What can be made again from these at any time does not count: poses, pictures, the text search;
   nor does what people did: the history, and clips that were removed. */
#include "library/library_data.h"

#include <string.h>

/* The columns of a row, a letter each: t text, i whole number, r number, b bytes. */
static marey_status hash_rows(mry_query row, const char *columns, uint64_t *hash,
                              marey_error *error)
{
    while (mry_query_next(&row)) {
        for (int i = 0; columns[i]; i++) {
            size_t size = 0;
            int64_t whole;
            double number;
            switch (columns[i]) {
            case 'i':
                whole = mry_column_integer(&row, i);
                *hash = mry_hash64(&whole, sizeof whole, *hash);
                break;
            case 'r':
                number = mry_column_number(&row, i);
                *hash = mry_hash64(&number, sizeof number, *hash);
                break;
            default: {
                const void *bytes = mry_column_bytes(&row, i, &size);
                *hash = mry_hash64(size ? bytes : "", size, *hash);
            }
            }
        }
        *hash = mry_hash64("row", 3, *hash);
    }
    return mry_query_end(&row, error);
}

/* A table of what counts. */
typedef struct content_rows {
    const char *columns, *sql;
} content_rows;

static const content_rows of_clips[] = {
    { "tiribbttttii",
      "SELECT clip.name, frames, fps, skeleton.hash, clip.hash, about, source, description, "
      "licence,"
      " provenance, layer_sum, contacts_set FROM clip JOIN skeleton ON skeleton.id = skeleton"
      " WHERE removed = 0 ORDER BY clip.name" },
    { "tt", "SELECT name, label FROM label JOIN clip ON id = clip WHERE removed = 0"
            " ORDER BY name, label" },
    { "ttii", "SELECT name, label, start, stop FROM stretch JOIN clip ON id = clip"
              " WHERE removed = 0 ORDER BY name, label, start" },
    { "tiii", "SELECT name, joint, start, stop FROM contact JOIN clip ON id = clip"
              " WHERE removed = 0 ORDER BY name, joint, start" },
    { "titiitibtrtr",
      "SELECT name, place, kind, joint, start, joint_name, stop, numbers, flaw, size, unit,"
      " certainty FROM layer JOIN clip ON id = clip WHERE removed = 0 ORDER BY name, place" },
    { 0 },
};

/* Rows of a web are of the clip with the lesser hash; where both are the same motion, either will
   do. */
static const content_rows of_webs[] = {
    { "bb", "SELECT settings, normals FROM web_settings" },
    { "ttiiiib",
      "SELECT CASE WHEN turned THEN second.name ELSE first.name END AS of_rows,"
      " CASE WHEN turned THEN first.name ELSE second.name END AS of_cols, web.rows, web.cols,"
      " chains, bridges, bytes FROM web JOIN clip AS first ON first.id = a JOIN clip AS second ON"
      " second.id = b LEFT JOIN web_bytes ON web = web.id WHERE first.removed = 0 AND"
      " second.removed = 0 AND first.hash <> second.hash ORDER BY of_rows, of_cols" },
    { "ttiiiib",
      "SELECT min(first.name, second.name) AS one, max(first.name, second.name) AS other, web.rows,"
      " web.cols, chains, bridges, bytes FROM web JOIN clip AS first ON first.id = a JOIN clip AS"
      " second ON second.id = b LEFT JOIN web_bytes ON web = web.id WHERE first.removed = 0 AND"
      " second.removed = 0 AND first.hash = second.hash ORDER BY one, other" },
    { 0 },
};

static const content_rows of_kept[] = {
    { "tttii", "SELECT kept.kind, kept.name, about, blob.size, blob.sum FROM kept"
               " JOIN blob ON blob.id = blob ORDER BY kept.kind, kept.name" },
    { "ttitiii",
      "SELECT kind, kept.name, place, called, start, stop, kept_part.layer_sum FROM kept_part"
      " JOIN kept ON kept.id = kept ORDER BY kind, kept.name, place" },
    { 0 },
};

static const content_rows of_findings[] = {
    { "tiib", "SELECT name, edition, count, bytes FROM flaw JOIN clip ON id = clip"
              " WHERE removed = 0 ORDER BY name" },
    { 0 },
};

/* By numbers, since work that is shared is cut by them. */
static const content_rows of_motion[] = {
    { "iiribi", "SELECT clip.id, frames, fps, skeleton.hash, clip.hash, layer_sum FROM clip"
                " JOIN skeleton ON skeleton.id = skeleton WHERE removed = 0 ORDER BY clip.id" },
    { 0 },
};

static const content_rows of_maps[] = {
    { "ti", "SELECT kept.name, blob.sum FROM kept JOIN blob ON blob.id = blob"
            " WHERE kept.kind = '" MAREY_KEPT_MAP "' ORDER BY kept.name" },
    { 0 },
};

static marey_status hash_tables(marey_library *library, const content_rows *rows, uint64_t *hash,
                                marey_error *error)
{
    marey_status status = MAREY_OK;
    for (; rows->sql && !status; rows++) {
        *hash = mry_hash64("table", 5, *hash);
        status = hash_rows(mry_query_start(library->store, rows->sql), rows->columns, hash, error);
    }
    return status;
}

marey_status marey_library_content(marey_library *library, marey_content *out, marey_error *error)
{
    marey_content found = { 0 };
    marey_status status = mry_store_snapshot(library->store, error);
    if (status) return status;
    status = hash_tables(library, of_clips, &found.clips, error);
    if (!status) status = hash_tables(library, of_webs, &found.webs, error);
    if (!status) status = hash_tables(library, of_kept, &found.kept, error);
    if (!status) status = hash_tables(library, of_findings, &found.findings, error);
    mry_store_rollback(library->store);
    if (status) return status;
    const uint64_t parts[] = { found.clips, found.webs, found.kept, found.findings };
    found.hash = mry_hash64(parts, sizeof parts, 0);
    *out = found;
    return MAREY_OK;
}

marey_status marey_library_state(marey_library *library, bool motion_only, uint64_t *state,
                                 marey_error *error)
{
    uint64_t hash = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (status) return status;
    status = hash_tables(library, of_motion, &hash, error);
    if (!status && !motion_only) status = hash_tables(library, of_clips, &hash, error);
    if (!status && !motion_only) status = hash_tables(library, of_maps, &hash, error);
    mry_store_rollback(library->store);
    if (!status) *state = hash;
    return status;
}
