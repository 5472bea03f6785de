/* listing.c - what is in a library, and clips out of it again. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/json_text.h"

#include <stdio.h>
#include <string.h>

struct marey_listing {
    mry_arena mem;
    marey_entry *entries;
    int count, room;
};

const marey_entry *marey_listing_entries(const marey_listing *listing, int *count)
{
    *count = listing->count;
    return listing->entries;
}

void marey_listing_free(marey_listing *listing)
{
    if (!listing) return;
    mry_arena mem = listing->mem; /* the listing goes with its arena */
    mry_arena_free(&mem);
}

static const char *copy_text(marey_listing *listing, mry_query *query, int column)
{
    const char *text = mry_column_text(query, column);
    return mry_arena_text(&listing->mem, text, strlen(text));
}

static bool read_row(marey_listing *listing, mry_query *query)
{
    if (listing->count == listing->room) {
        int room = listing->room ? 2 * listing->room : 64;
        marey_entry *longer = MRY_NEW(&listing->mem, marey_entry, room);
        if (!longer) return false;
        if (listing->count)
            memcpy(longer, listing->entries, (size_t)listing->count * sizeof *longer);
        listing->entries = longer;
        listing->room = room;
    }
    marey_entry *entry = &listing->entries[listing->count++];
    *entry = (marey_entry){ .id = mry_column_integer(query, 0),
                            .name = copy_text(listing, query, 1),
                            .frames = (int)mry_column_integer(query, 2),
                            .fps = mry_column_number(query, 3),
                            .skeleton = copy_text(listing, query, 4),
                            .description = copy_text(listing, query, 5),
                            .licence = copy_text(listing, query, 6),
                            .source = copy_text(listing, query, 7),
                            .provenance = "",
                            .removed = mry_column_integer(query, 9) };
    const char *provenance = mry_column_text(query, 8);
    marey_status parsed =
        *provenance ? mry_json_rewrite(&listing->mem, provenance, &entry->provenance) : MAREY_OK;
    entry->provenance_damaged = parsed == MAREY_ERR_INPUT;
    return entry->name && entry->skeleton && entry->description && entry->licence &&
           entry->source && parsed != MAREY_ERR_MEMORY;
}

/* One statement for every combination; a question that is not asked is NULL and lets everything pass. */
static marey_status read_rows(marey_library *library, const marey_list_def *def,
                              marey_listing *listing, marey_error *error)
{
    static const char blanks[] = " \t\n\r\f\v";
    static const char sql[] =
        "SELECT clip.id, clip.name, frames, fps, skeleton.name, description, licence, source, "
        "provenance,"
        " removed FROM clip JOIN skeleton ON skeleton.id = clip.skeleton WHERE removed = ?1"
        " AND (?2 IS NULL OR clip.id IN (SELECT rowid FROM words WHERE words MATCH ?2))"
        " AND (?3 IS NULL OR clip.id IN (SELECT clip FROM label WHERE label = ?3))"
        " AND (?4 IS NULL OR instr(clip.name, ?4)) ORDER BY clip.name, clip.id";
    const char *path = mry_store_path(library->store), *text = def->text;
    char *match = NULL;
    bool asks = text && text[strspn(text, blanks)], fits = true;
    if (asks && !def->removed) {
        /* Words as a question to the full-text index: every one in quotes, so that none is an operator, with a star behind
           it, as it may be a beginning. */
        char *p = match = mry_arena_take(&listing->mem, 4 * strlen(text) + 8, 1);
        if (!match) return mry_fail_memory(error, path);
        for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
            *p++ = '"';
            for (size_t left = strcspn(text, blanks); left > 0; left--) {
                if (*text == '"') *p++ = '"';
                *p++ = *text++;
            }
            memcpy(p, "\"* ", 3);
            p += 3;
        }
        *p = 0;
    }
    mry_query query = mry_query_start(library->store, sql);
    mry_bind_integer(&query, 1, def->removed);
    mry_bind_text(&query, 2, match);
    mry_bind_text(&query, 3, def->label);
    mry_bind_text(&query, 4, asks && def->removed ? def->text : NULL);
    while (fits && mry_query_next(&query)) fits = read_row(listing, &query);
    marey_status status = mry_query_end(&query, error);
    return status || fits ? status : mry_fail_memory(error, path);
}

marey_status marey_library_list(marey_library *library, const marey_list_def *def,
                                marey_listing **out, marey_error *error)
{
    static const marey_list_def defaults = { 0 };
    mry_arena mem = mry_arena_make(library->ctx);
    marey_listing *listing = MRY_NEW(&mem, marey_listing, 1);
    if (!listing) return mry_fail_memory(error, mry_store_path(library->store));
    listing->mem = mem;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = read_rows(library, def ? def : &defaults, listing, error);
    for (int i = 0; i < listing->count && !status; i++) {
        marey_entry *entry = &listing->entries[i];
        mry_query query = mry_query_start(library->store,
                                          "SELECT label, count(*) OVER () FROM label WHERE clip = ?"
                                          " ORDER BY label");
        const char **labels = NULL;
        bool fits = true;
        mry_bind_integer(&query, 1, entry->id);
        while (fits && mry_query_next(&query)) {
            if (!labels)
                labels = MRY_NEW(&listing->mem, const char *, mry_column_integer(&query, 1));
            const char *label = labels ? copy_text(listing, &query, 0) : NULL;
            fits = label != NULL;
            if (fits) labels[entry->label_count++] = label;
        }
        entry->labels = labels;
        status = mry_query_end(&query, error);
        if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    }
    mry_store_rollback(library->store);
    if (status) {
        marey_listing_free(listing);
        return status;
    }
    *out = listing;
    return MAREY_OK;
}

marey_status mry_load_clip(marey_library *library, int64_t id, const char *name, marey_clip **out,
                           marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_status status = MAREY_OK;
    mry_query row = mry_query_start(
        library->store,
        "SELECT clip.name, pack, about, motion,"
        " (SELECT length(bytes) FROM blob WHERE blob.id = motion)"
        " FROM clip JOIN skeleton ON skeleton.id = clip.skeleton WHERE clip.id = ?");
    mry_bind_integer(&row, 1, id);
    bool there = mry_query_next(&row);
    if (there) {
        void *columns = NULL;
        mry_stored stored = { .name = mry_column_text(&row, 0) };
        stored.skeleton = mry_column_bytes(&row, 1, &stored.skeleton_size);
        stored.about = mry_column_bytes(&row, 2, &stored.about_size);
        status = mry_blob_get(library->store, mry_column_integer(&row, 3), mry_most_motion_bytes,
                              &tmp, &columns, &stored.columns_size, error);
        stored.columns = columns;
        stored.packed_size = (size_t)mry_column_integer(&row, 4);
        if (!status) status = mry_record_open(library->ctx, &stored, out, error);
    }
    marey_status ended = mry_query_end(&row, status ? NULL : error);
    if (!status) status = ended;
    if (!status && !there) {
        status =
            mry_fail(error, MAREY_ERR_INPUT, name, "its skeleton is missing; run marey verify");
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_library_load(marey_library *library, const char *name, marey_clip **out,
                                marey_error *error)
{
    int64_t id = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_clip_id(library, name, false, &id, error);
    if (!status) status = mry_load_clip(library, id, name, out, error);
    mry_store_rollback(library->store);
    return status;
}
