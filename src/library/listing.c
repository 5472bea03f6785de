/* listing.c - what is in a library, and clips out of it again. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"
#include "base/json_text.h"
#include "library/pose_rows.h"

#include <stdio.h>
#include <stdlib.h>
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

static bool read_row(marey_listing *listing, mry_query *query)
{
    mry_arena *mem = &listing->mem;
    if (!mry_grow_in(mem, &listing->entries, &listing->room, listing->count + 1,
                     sizeof *listing->entries))
        return false;
    marey_entry *entry = &listing->entries[listing->count++];
    *entry = (marey_entry){ .id = mry_column_integer(query, 0),
                            .name = mry_column_copy(query, 1, mem),
                            .frames = (int)mry_column_integer(query, 2),
                            .fps = mry_column_number(query, 3),
                            .skeleton = mry_column_copy(query, 4, mem),
                            .description = mry_column_copy(query, 5, mem),
                            .licence = mry_column_copy(query, 6, mem),
                            .source = mry_column_copy(query, 7, mem),
                            .provenance = "",
                            .removed = mry_column_integer(query, 9),
                            .repairs = mry_column_copy(query, 10, mem),
                            .repair_count = (int)mry_column_integer(query, 11),
                            .flaw_count = (int)mry_column_integer(query, 12) };
    const char *provenance = mry_column_text(query, 8);
    marey_status parsed =
        *provenance ? mry_json_rewrite(mem, provenance, &entry->provenance) : MAREY_OK;
    entry->provenance_damaged = parsed == MAREY_ERR_INPUT;
    return entry->name && entry->skeleton && entry->description && entry->licence &&
           entry->source && entry->repairs && parsed != MAREY_ERR_MEMORY;
}

/* One statement for every combination; a question that is not asked is NULL and lets everything
   pass. */
static marey_status read_rows(marey_library *library, const marey_list_def *def, const int64_t *id,
                              marey_listing *listing, marey_error *error)
{
    static const char blanks[] = " \t\n\r\f\v";
    static const char sql[] =
        "SELECT clip.id, clip.name, frames, fps, skeleton.name, description, licence, source, "
        "provenance, removed, CASE layer_sum WHEN 0 THEN '[]' ELSE " MRY_REPAIRS_JSON
        " END, CASE layer_sum WHEN 0 THEN 0 ELSE"
        " (SELECT count(*) FROM layer WHERE layer.clip = clip.id) END,"
        " coalesce((SELECT count FROM flaw WHERE flaw.clip = clip.id AND edition = ?5), -1)"
        " FROM clip JOIN skeleton ON skeleton.id = clip.skeleton"
        " WHERE clip.id BETWEEN ?6 AND ?7 AND removed = ?1"
        " AND (?2 IS NULL OR clip.id IN (SELECT rowid FROM words WHERE words MATCH ?2))"
        " AND (?3 IS NULL OR clip.id IN (SELECT clip FROM label WHERE label = ?3"
        " UNION ALL SELECT clip FROM stretch WHERE label = ?3))"
        " AND (?4 IS NULL OR instr(clip.name, ?4)) ORDER BY clip.name, clip.id";
    const char *path = mry_store_path(library->store), *text = def->text;
    char *match = NULL;
    bool asks = text && text[strspn(text, blanks)], fits = true;
    if (asks && !def->removed) {
        /* Words as a question to the full-text index: every one in quotes, so that none is an
           operator, with a star behind it, as it may be a beginning. */
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
    mry_query query = mry_query_with(
        library->store, sql, mry_integer(def->removed), mry_text(match), mry_text(def->label),
        mry_text(asks && def->removed ? def->text : NULL), mry_integer(MRY_FLAW_EDITION),
        mry_integer(id ? *id : 0), mry_integer(id ? *id : INT64_MAX));
    while (fits && mry_query_next(&query)) fits = read_row(listing, &query);
    marey_status status = mry_query_end(&query, error);
    return status || fits ? status : mry_fail_memory(error, path);
}

/* An entry by its clip, and the labels of it that are among all. */
typedef struct place {
    int64_t id;
    marey_entry *entry;
    int first, count;
} place;

static int by_id(const void *a, const void *b)
{
    int64_t one = ((const place *)a)->id, other = ((const place *)b)->id;
    return (one > other) - (one < other);
}

/* The entry that a row of a clip belongs to, where rows come in the order of the clips too; NULL: it
   is not listed. */
static place *advance(place *places, int count, int *at, int64_t id)
{
    while (*at < count && places[*at].id < id) ++*at;
    return *at < count && places[*at].id == id ? &places[*at] : NULL;
}

/* Labels of all entries by one query: one for each would take most of the time of a long list. */
static marey_status read_labels(marey_library *library, marey_listing *listing, place *places,
                                marey_error *error)
{
    int count = listing->count, at = 0, found = 0, room = 0;
    const char **labels = NULL;
    bool fits = true;
    mry_query query = mry_query_with(library->store,
                                     "SELECT clip, label FROM label WHERE clip BETWEEN ? AND ?"
                                     " ORDER BY clip, label",
                                     mry_integer(places[0].id), mry_integer(places[count - 1].id));
    while (fits && mry_query_next(&query)) {
        place *of = advance(places, count, &at, mry_column_integer(&query, 0));
        if (!of) continue;
        fits = mry_grow_in(&listing->mem, &labels, &room, found + 1, sizeof *labels);
        if (!fits) break;
        if (of->count++ == 0) of->first = found;
        labels[found] = mry_column_copy(&query, 1, &listing->mem);
        fits = labels[found++] != NULL;
    }
    marey_status status = mry_query_end(&query, error);
    if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    for (int i = 0; i < count && !status; i++) {
        place *of = &places[i];
        of->entry->labels = of->count ? labels + of->first : NULL;
        of->entry->label_count = of->count;
        of->count = 0;
    }
    return status;
}

/* Labels of frames likewise; damaged ones, outside of their clip, are left out. */
static marey_status read_stretches(marey_library *library, marey_listing *listing, place *places,
                                   marey_error *error)
{
    int count = listing->count, at = 0, found = 0, room = 0;
    marey_stretch *stretches = NULL;
    bool fits = true;
    mry_query query =
        mry_query_with(library->store,
                       "SELECT clip, label, start, stop FROM stretch WHERE clip BETWEEN ? AND ? AND"
                       " start >= 0 AND start < stop AND"
                       " stop <= (SELECT frames FROM clip AS its WHERE its.id = clip)"
                       " ORDER BY clip, start, label",
                       mry_integer(places[0].id), mry_integer(places[count - 1].id));
    while (fits && mry_query_next(&query)) {
        place *of = advance(places, count, &at, mry_column_integer(&query, 0));
        if (!of) continue;
        fits = mry_grow_in(&listing->mem, &stretches, &room, found + 1, sizeof *stretches);
        if (!fits) break;
        if (of->count++ == 0) of->first = found;
        stretches[found] = (marey_stretch){ .label = mry_column_copy(&query, 1, &listing->mem),
                                            .start = (int)mry_column_integer(&query, 2),
                                            .end = (int)mry_column_integer(&query, 3) };
        fits = stretches[found++].label != NULL;
    }
    marey_status status = mry_query_end(&query, error);
    if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    for (int i = 0; i < count && !status; i++) {
        place *of = &places[i];
        of->entry->stretches = of->count ? stretches + of->first : NULL;
        of->entry->stretch_count = of->count;
    }
    return status;
}

/* Entries, and what they have in other tables. */
static marey_status read_entries(marey_library *library, const marey_list_def *def,
                                 marey_listing *listing, marey_error *error)
{
    int64_t id = 0;
    int removed = 0;
    if (def->removed) { /* mostly there is none, and a look at every clip is saved */
        marey_status counted = marey_library_count(library, true, &removed, error);
        if (counted || removed == 0) return counted;
    }
    if (def->clip) {
        marey_status found = mry_clip_id(library, def->clip, def->removed, &id, error);
        if (found) return found == MAREY_ERR_NOT_FOUND ? MAREY_OK : found;
    }
    marey_status status = read_rows(library, def, def->clip ? &id : NULL, listing, error);
    if (status || listing->count == 0) return status;
    mry_arena tmp = mry_arena_make(library->ctx);
    place *places = MRY_NEW(&tmp, place, listing->count);
    if (!places) return mry_fail_memory(error, mry_store_path(library->store));
    for (int i = 0; i < listing->count; i++)
        places[i] = (place){ .id = listing->entries[i].id, .entry = &listing->entries[i] };
    qsort(places, (size_t)listing->count, sizeof *places, by_id);
    status = read_labels(library, listing, places, error);
    if (!status) status = read_stretches(library, listing, places, error);
    mry_arena_free(&tmp);
    return status;
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
    if (!status) status = read_entries(library, def ? def : &defaults, listing, error);
    mry_store_rollback(library->store);
    if (status) {
        marey_listing_free(listing);
        return status;
    }
    *out = listing;
    return MAREY_OK;
}

marey_status marey_library_count(marey_library *library, bool removed, int *count,
                                 marey_error *error)
{
    /* Each has an index of its own names, which is all that is read. */
    const char *sql = removed ? "SELECT count(*) FROM clip WHERE removed = 1"
                              : "SELECT count(*) FROM clip WHERE removed = 0";
    int64_t found = 0;
    marey_status status = mry_query_finish(mry_query_start(library->store, sql), &found, error);
    if (!status) *count = (int)found;
    return status;
}

/* What is stored of a clip: its row, its repairs, and its motion still packed. */
typedef struct packed_clip {
    mry_stored row;
    int64_t motion_id;
    mry_packed motion;
    marey_repair *repairs;
    int repair_count;
} packed_clip;

/* Lives in mem. */
static marey_status read_packed(marey_library *library, int64_t id, const char *name,
                                mry_open_as as, mry_arena *mem, packed_clip *clip,
                                marey_error *error)
{
    mry_stored *out = &clip->row;
    marey_status status = MAREY_OK;
    mry_query row =
        mry_query_with(library->store,
                       "SELECT clip.name, pack, about, motion,"
                       " (SELECT length(bytes) FROM blob WHERE blob.id = motion)"
                       " FROM clip JOIN skeleton ON skeleton.id = clip.skeleton WHERE clip.id = ?",
                       mry_integer(id));
    bool there = mry_query_next(&row);
    if (there) {
        const char *own = mry_column_text(&row, 0);
        const void *skeleton = mry_column_bytes(&row, 1, &out->skeleton_size);
        const void *about = mry_column_bytes(&row, 2, &out->about_size);
        out->name = mry_arena_text(mem, own, strlen(own));
        out->skeleton = mry_arena_text(mem, skeleton, out->skeleton_size);
        out->about = mry_arena_text(mem, about, out->about_size);
        out->packed_size = (size_t)mry_column_integer(&row, 4);
        if (!out->name || !out->skeleton || !out->about) status = mry_fail_memory(error, name);
        clip->motion_id = mry_column_integer(&row, 3);
        if (!status)
            status = mry_blob_read(library->store, clip->motion_id, mem, &clip->motion, error);
    }
    marey_status ended = mry_query_end(&row, status ? NULL : error);
    if (!status) status = ended;
    if (!status && !there) {
        status =
            mry_fail(error, MAREY_ERR_INPUT, name, "its skeleton is missing; run marey verify");
    }
    if (status || as == MRY_OPEN_CAPTURED) return status;
    return mry_read_repairs(library, id, mem, &clip->repairs, &clip->repair_count, error);
}

/* By any thread. A clip with repairs is made of all its frames: what fills a gap looks at the frames
   around it. */
static marey_status open_packed(const marey_library *library, packed_clip *clip, double most_fps,
                                marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_clip *captured = NULL;
    void *columns = NULL;
    marey_status status =
        mry_blob_unpack(library->store, clip->motion_id, &clip->motion, mry_most_motion_bytes, &tmp,
                        &columns, &clip->row.columns_size, error);
    clip->row.columns = columns;
    if (!status)
        status = mry_record_open(library->ctx, &clip->row, clip->repair_count == 0 ? most_fps : 0,
                                 &captured, error);
    mry_arena_free(&tmp);
    if (status || clip->repair_count == 0) {
        if (!status) *out = captured;
        return status;
    }
    status = mry_repair_clip(captured, clip->repairs, clip->repair_count, out, error);
    if (status == MAREY_ERR_REQUEST) {
        status = MAREY_ERR_INPUT; /* they were for this clip when they were put in */
        if (error) error->status = status;
    }
    marey_clip_free(captured);
    return status;
}

static marey_status load_as(marey_library *library, int64_t id, const char *name, mry_open_as as,
                            double most_fps, marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    packed_clip packed = { 0 };
    marey_status status = read_packed(library, id, name, as, &tmp, &packed, error);
    if (!status) status = open_packed(library, &packed, most_fps, out, error);
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_load_clip(marey_library *library, int64_t id, const char *name, marey_clip **out,
                           marey_error *error)
{
    return load_as(library, id, name, MRY_OPEN_WHOLE, 0, out, error);
}

marey_status mry_load_clip_within(marey_library *library, int64_t id, double most_fps,
                                  marey_clip **out, marey_error *error)
{
    return load_as(library, id, "", MRY_OPEN_WHOLE, most_fps, out, error);
}

typedef struct opening {
    const marey_library *library;
    mry_open_as as;
    mry_clip_opened_fn *opened;
    void *user;
    packed_clip *packed;
    marey_status *statuses;
    marey_error *errors;
} opening;

static void open_one(void *user, int64_t i)
{
    opening *of = user;
    marey_clip *clip = NULL;
    double most_fps = of->as == MRY_OPEN_FOR_POSES ? MRY_POSE_FPS : 0;
    of->statuses[i] = open_packed(of->library, &of->packed[i], most_fps, &clip, &of->errors[i]);
    if (!of->statuses[i]) of->statuses[i] = of->opened(of->user, (int)i, clip, &of->errors[i]);
    marey_clip_free(clip);
}

marey_status mry_load_clips(marey_library *library, const int64_t *ids, int count, mry_open_as as,
                            mry_clip_opened_fn *opened, void *user, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    opening of = { library,
                   as,
                   opened,
                   user,
                   MRY_NEW(&tmp, packed_clip, count),
                   MRY_NEW(&tmp, marey_status, count),
                   MRY_NEW(&tmp, marey_error, count) };
    marey_status status =
        of.packed && of.statuses && of.errors ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < count && !status; i++)
        status = read_packed(library, ids[i], "", as, &tmp, &of.packed[i], error);
    if (!status) marey_ctx_run(library->ctx, count, open_one, &of);
    for (int i = 0; i < count && !status; i++) {
        status = of.statuses[i];
        if (status && error) *error = of.errors[i];
    }
    mry_arena_free(&tmp);
    return status;
}

static marey_status load_named(marey_library *library, const char *name, mry_open_as as,
                               marey_clip **out, marey_error *error)
{
    int64_t id = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_clip_id(library, name, false, &id, error);
    if (!status) status = load_as(library, id, name, as, 0, out, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_load(marey_library *library, const char *name, marey_clip **out,
                                marey_error *error)
{
    return load_named(library, name, MRY_OPEN_WHOLE, out, error);
}

marey_status marey_library_load_captured(marey_library *library, const char *name, marey_clip **out,
                                         marey_error *error)
{
    return load_named(library, name, MRY_OPEN_CAPTURED, out, error);
}

marey_status marey_library_sum(marey_library *library, uint64_t *sum, marey_error *error)
{
    static const char sql[] =
        "SELECT name, hash, about, fps || ' ' || layer_sum || ' ' || contacts_set, description,"
        " (SELECT group_concat(label, char(10)) FROM"
        " (SELECT label FROM label WHERE clip = of.id ORDER BY label)),"
        " (SELECT group_concat(start || ' ' || stop || ' ' || label, char(10)) FROM"
        " (SELECT * FROM stretch WHERE clip = of.id ORDER BY label, start)),"
        " (SELECT group_concat(joint || ' ' || start || ' ' || stop, char(10)) FROM"
        " (SELECT * FROM contact WHERE clip = of.id ORDER BY joint, start))"
        " FROM clip AS of WHERE removed = 0 ORDER BY name";
    enum { COLUMNS = 8 };
    uint64_t all = 0;
    mry_query query = mry_query_start(library->store, sql);
    while (mry_query_next(&query)) {
        for (int column = 0; column < COLUMNS; column++) {
            size_t count;
            const void *bytes = mry_column_bytes(&query, column, &count);
            all = mry_hash64(bytes, count, all + 1); /* which knows how many they are */
        }
    }
    marey_status status = mry_query_end(&query, error);
    if (!status) *sum = all;
    return status;
}
