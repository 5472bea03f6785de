/* purge.c - clips that go for good, and with them what they were called. Their rows, labels,
   contacts, pictures and webs go with the clip, its motion if no other clip has it. The words of
   full-text search are made anew, since FTS5 keeps terms that were deleted until it happens to
   merge them. What else remembers the clip (kept things, what puppets were trained on, the
   provenance of clips that were made of it) calls it by its number from then on: '#' begins no
   name. The history goes as a whole: any of its steps may name the clip, or bring it back. SQLite overwrites what it frees, and the log is cut to nothing behind the change. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lost {
    int64_t clip;
    const char *name;
} lost;

typedef struct purging {
    marey_library *library;
    mry_arena mem; /* of what is listed here, until the end */
    lost *names;   /* of the clips that go; from forget_names on in order, each once */
    int count, room;
    int purged;
} purging;

static marey_status note(purging *purge, int64_t clip, const char *name, marey_error *error)
{
    const char *copy = mry_arena_text(&purge->mem, name, strlen(name));
    if (!copy || !mry_grow_in(&purge->mem, &purge->names, &purge->room, purge->count + 1,
                              sizeof *purge->names))
        return mry_fail_memory(error, NULL);
    purge->names[purge->count++] = (lost){ clip, copy };
    return MAREY_OK;
}

/* Notes the rows (clip, name) of a query. */
static marey_status note_all(purging *purge, const char *sql, marey_error *error)
{
    marey_status noted = MAREY_OK;
    mry_query row = mry_query_start(purge->library->store, sql);
    while (!noted && mry_query_next(&row)) {
        const char *name = mry_column_text(&row, 1);
        if (row.status == MAREY_OK) noted = note(purge, mry_column_integer(&row, 0), name, error);
    }
    marey_status read = mry_query_end(&row, noted ? NULL : error);
    return noted ? noted : read;
}

static int by_name(const void *a, const void *b)
{
    const lost *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : (one->clip > two->clip) - (one->clip < two->clip);
}

static const lost *find_name(const purging *purge, const char *name)
{
    int first = 0, end = purge->count;
    while (first < end) {
        int middle = first + (end - first) / 2, order = strcmp(purge->names[middle].name, name);
        if (order == 0) return &purge->names[middle];
        if (order < 0) first = middle + 1;
        if (order > 0) end = middle;
    }
    return NULL;
}

/* Bytes that may be part of a longer name: "walk" is not in "walk-2". */
static bool goes_on(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (unsigned char)c >= 0x80;
}

/* The longest name that stands here as a word of its own. */
static const lost *find_word(const purging *purge, const char *text, const char *p)
{
    const lost *longest = NULL;
    if (p > text && goes_on(p[-1])) return NULL;
    for (int i = 0; i < purge->count; i++) {
        size_t length = strlen(purge->names[i].name);
        if (strncmp(p, purge->names[i].name, length) != 0 || goes_on(p[length])) continue;
        if (!longest || length > strlen(longest->name)) longest = &purge->names[i];
    }
    return longest;
}

/* The text with numbers in place of names: in JSON where a "clip" is named, elsewhere where they
   are words. Itself where it has none of them, NULL without memory. */
static const char *without_names(const purging *purge, mry_arena *tmp, const char *text,
                                 bool is_json)
{
    static const char key[] = "\"clip\":";
    enum { LONGEST_NUMBER = 24 };
    bool changed = false;
    size_t length = strlen(text);
    char *name = mry_arena_take(tmp, length + 1, 1);
    char *out = mry_arena_take(tmp, length + 1, LONGEST_NUMBER), *to = out;
    if (!name || !out) return NULL;
    for (const char *p = text; *p;) {
        const lost *found = NULL;
        const char *end = p;
        if (!is_json) {
            found = find_word(purge, text, p);
            if (found) end = p + strlen(found->name);
        } else if (strncmp(p, key, sizeof key - 1) == 0) {
            to = stpcpy(to, key);
            for (p += sizeof key - 1; *p == ' '; p++) *to++ = *p;
            size_t used = 0;
            for (end = p + (*p == '"'); *end && *end != '"'; end++) {
                if (*end == '\\' && end[1]) end++;
                name[used++] = *end;
            }
            name[used] = 0;
            if (*p == '"' && *end == '"') found = find_name(purge, name);
            end++;
        }
        if (found) {
            const char *quote = is_json ? "\"" : "";
            to += sprintf(to, "%s#%" PRId64 "%s", quote, found->clip, quote);
            p = end;
            changed = true;
        } else if (*p) {
            *to++ = *p++;
        }
    }
    *to = 0;
    return changed ? out : text;
}

/* What a puppet was trained on is in its bytes. */
static marey_status forget_in_bytes(purging *purge, mry_arena *tmp, const char *name,
                                    marey_error *error)
{
    marey_ctx *ctx = purge->library->ctx;
    marey_kept *kept = NULL;
    marey_puppet *puppet = NULL;
    marey_puppet_sources *sources = NULL;
    marey_puppet_source *others = NULL;
    mry_packed packed;
    uint8_t *again = NULL;
    size_t size = 0, again_size = 0;
    int count = 0;
    bool changed = false;
    marey_status status = mry_read_kept(purge->library, MAREY_KEPT_PUPPET, name, &kept, error);
    const uint8_t *bytes = status ? NULL : marey_kept_bytes(kept, &size);
    if (!status) status = marey_puppet_sources_read(ctx, bytes, size, &sources, error);
    if (!status) {
        const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
        others = MRY_NEW(tmp, marey_puppet_source, count + 1);
        if (!others) status = mry_fail_memory(error, NULL);
        for (int i = 0; i < count && !status; i++) {
            const lost *found = find_name(purge, items[i].name);
            others[i] = items[i];
            if (!found) continue;
            others[i].name = mry_arena_print(tmp, "#%" PRId64, found->clip);
            if (!others[i].name) status = mry_fail_memory(error, NULL);
            changed = true;
        }
    }
    if (!status && changed) status = marey_puppet_read(ctx, bytes, size, &puppet, error);
    if (!status && changed)
        status = marey_puppet_write_from(puppet, others, count, &again, &again_size, error);
    if (!status && changed && !mry_blob_pack(tmp, again, again_size, 0, &packed))
        status = mry_fail_memory(error, NULL);
    int64_t blob = 0;
    if (!status && changed)
        status = mry_store_run_with(purge->library->store, error, &blob,
                                    "SELECT blob FROM kept WHERE kind = '" MAREY_KEPT_PUPPET
                                    "' AND name = ?",
                                    mry_text(name));
    if (!status && changed) status = mry_blob_replace(purge->library->store, blob, &packed, error);
    marey_graph_bytes_free(ctx, again, again_size);
    marey_puppet_free(puppet);
    marey_puppet_sources_free(sources);
    marey_kept_free(kept);
    return status;
}

/* The text about a puppet says by default what it was trained on; that of other kept things has no
   names. Bytes that are damaged cannot be read by anything, and stay as they are. */
static marey_status forget_in_puppets(purging *purge, marey_error *error)
{
    mry_query row =
        mry_query_start(purge->library->store, "SELECT id, name, about FROM kept WHERE kind = "
                                               "'" MAREY_KEPT_PUPPET "' ORDER BY id");
    marey_status status = MAREY_OK;
    while (!status && mry_query_next(&row)) {
        mry_arena tmp = mry_arena_make(purge->library->ctx);
        marey_error why = { 0 };
        const char *name = mry_column_copy(&row, 1, &tmp), *text = mry_column_text(&row, 2);
        const char *about = without_names(purge, &tmp, text, false);
        if (!name || !about) status = mry_fail_memory(&why, NULL);
        if (!status) status = forget_in_bytes(purge, &tmp, name, &why);
        if (marey_status_group(status) == MAREY_ERR_INPUT) status = MAREY_OK;
        if (!status && about != text) {
            status = mry_run_for(purge->library, "UPDATE kept SET about = ?2 WHERE id = ?1",
                                 mry_column_integer(&row, 0), about, &why);
        }
        if (status && error) *error = why;
        mry_arena_free(&tmp);
    }
    marey_status read = mry_query_end(&row, status ? NULL : error);
    return status ? status : read;
}

/* After the clips are gone. Parts of clips that went before are seen to as well: purging used to
   leave their names. */
static marey_status forget_names(purging *purge, marey_error *error)
{
    marey_library *library = purge->library;
    int kept = 0;
    marey_status status =
        note_all(purge,
                 "SELECT DISTINCT clip, called FROM kept_part WHERE clip NOT IN (SELECT id FROM"
                 " clip) AND called <> '#' || clip",
                 error);
    if (!status) {
        status = mry_store_run(library->store,
                               "UPDATE kept_part SET called = '#' || clip WHERE clip NOT IN"
                               " (SELECT id FROM clip) AND called <> '#' || clip",
                               error);
    }
    if (!status && purge->count)
        qsort(purge->names, (size_t)purge->count, sizeof *purge->names, by_name);
    for (int i = 0; i < purge->count && !status; i++) {
        const char *name = purge->names[i].name;
        if (kept > 0 && strcmp(purge->names[kept - 1].name, name) == 0) continue;
        /* A name that a clip still has, or that a kept thing knows such a clip by, is not that of a
           purged one alone. */
        int64_t used = 0;
        status = mry_store_run_with(library->store, error, &used,
                                    "SELECT 1 FROM clip WHERE name = ?1 AND removed = 0"
                                    " UNION ALL SELECT 1 FROM clip WHERE name = ?1 AND removed = 1"
                                    " UNION ALL SELECT 1 FROM kept_part JOIN clip ON clip.id = "
                                    "clip WHERE called = ?1 LIMIT 1",
                                    mry_text(name));
        if (!used) purge->names[kept++] = purge->names[i];
    }
    purge->count = kept;
    if (status || !kept) return status;
    mry_query row = mry_query_start(library->store, "SELECT id, provenance FROM clip"
                                                    " WHERE instr(provenance, '\"clip\":')");
    while (!status && mry_query_next(&row)) {
        mry_arena tmp = mry_arena_make(library->ctx);
        const char *text = mry_column_text(&row, 1),
                   *other = without_names(purge, &tmp, text, true);
        if (!other) status = mry_fail_memory(error, NULL);
        if (!status && other != text) {
            status = mry_run_for(library, "UPDATE clip SET provenance = ?2 WHERE id = ?1",
                                 mry_column_integer(&row, 0), other, error);
        }
        mry_arena_free(&tmp);
    }
    marey_status read = mry_query_end(&row, status ? NULL : error);
    if (!status) status = read;
    return status ? status : forget_in_puppets(purge, error);
}

marey_status marey_library_purge(marey_library *library, const char *const *names, int count,
                                 int *purged, marey_error *error)
{
    mry_store *store = library->store;
    purging purge = { .library = library, .mem = mry_arena_make(library->ctx) };
    marey_status status = mry_store_begin(store, error);
    if (status) return status;
    /* The highest numbers there are now may be among those that go. */
    status = mry_remember_numbers(library, error);
    if (!status) status = mry_history_clear(library, error);
    for (int i = 0; i < count && !status; i++) {
        /* A name may mean a clip, a removed one, or both; the ones in use go first. */
        marey_named clip;
        status = mry_clip_find(library, names[i], false, &clip, error);
        if (status == MAREY_ERR_NOT_FOUND)
            status = mry_clip_find(library, names[i], true, &clip, error);
        if (!status) status = note(&purge, clip.id, clip.name, error);
        if (!status)
            status =
                mry_run_for(library, "DELETE FROM words WHERE rowid = ?1", clip.id, NULL, error);
        if (!status)
            status = mry_run_for(library, "DELETE FROM clip WHERE id = ?1", clip.id, NULL, error);
        if (!status) purge.purged++;
    }
    if (!status && count == 0) { /* all that are removed, which have no words */
        status = note_all(&purge, "SELECT id, name FROM clip WHERE removed = 1", error);
        if (!status) status = mry_store_run(store, "DELETE FROM clip WHERE removed = 1", error);
        if (!status) purge.purged = (int)mry_store_changes(store);
    }
    if (!status) {
        status = mry_store_run(store,
                               "DELETE FROM blob WHERE kind = 'motion' AND id NOT IN"
                               " (SELECT motion FROM clip);"
                               "DELETE FROM skeleton WHERE id NOT IN (SELECT skeleton FROM clip);"
                               "INSERT INTO words(words) VALUES('rebuild')",
                               error);
    }
    if (!status) status = forget_names(&purge, error);
    mry_arena_free(&purge.mem);
    status = mry_library_end(library, status, error);
    if (status) return status;
    mry_store_clear_log(store);
    if (purged) *purged = purge.purged;
    return MAREY_OK;
}

bool marey_library_purge_pending(const marey_library *library)
{
    return mry_store_log_pending(library->store);
}
