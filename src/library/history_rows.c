/* history_rows.c - what was changed, step by step, and how it is taken back. Every change of the library
   ends in mry_library_end, which writes down what it did to the tables that hold what people make:
   the rows before and after (store.h, "changes"), as a part of a step. What follows from these rows
   (words, poses, flaws, pictures, webs) is not written down but made again, and motion and the bytes
   of saved things are not copied: a step holds on to the blobs that nothing else needs any more,
   and lets them go when it is forgotten. Bytes of saved things are never replaced for that reason;
   what is saved again gets a new blob.

   Steps are undone from the last one backwards, and redone forwards, so that each finds what it
   left. One further back can be undone by itself where no later one touched the same rows: by a new
   step that does the opposite. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "base/grow.h"

#include <marey/history.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 200, BATCH = 32 /* clips that are loaded together */ };
static const int64_t most_held_bytes = (int64_t)64 << 20;
static const size_t most_part_bytes = (size_t)1 << 30;

/* Those that refer to others come first. Skeletons are shared and never change: they stay. */
const char *const mry_recorded_tables[] = { "label",     "contact", "stretch", "layer",
                                            "kept_part", "clip",    "kept",    NULL };
enum { LABEL, CONTACT, STRETCH, LAYER, KEPT_PART, CLIP, KEPT };
/* Columns: the first of all but KEPT_PART and KEPT is the clip. */
enum { CLIP_MOTION = 6, CLIP_CONTACTS_SET = 13, CLIP_LAYER_SUM = 14, KEPT_BLOB = 4 };

/* ---- titles ---------------------------------------------------------------------------------- */

void mry_title(marey_library *library, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(library->title, sizeof library->title, format, list);
    va_end(list);
}

void mry_title_clips(marey_library *library, const char *verb, int64_t clip, int count)
{
    char name[MAREY_NAME_ROOM] = "";
    if (count == 1 && mry_clip_name(library, clip, name, sizeof name, NULL, NULL) == MAREY_OK)
        mry_title(library, "%s %s", verb, name);
    else
        mry_title(library, "%s %d clips", verb, count);
}

void marey_library_group(marey_library *library, const char *title)
{
    library->grouped = title != NULL;
    library->group_step = 0;
    if (title) snprintf(library->group_title, sizeof library->group_title, "%s", title);
}

int64_t marey_library_step(const marey_library *library)
{
    return library->step;
}

/* ---- blobs that only the history needs ------------------------------------------------------- */

typedef struct holding {
    marey_library *library;
    int64_t step;
    bool back; /* the changes are being taken back */
} holding;

/* Bytes that a row no longer refers to once the change is made, or taken back. */
static marey_status hold_blob(void *user, const mry_change *change, marey_error *error)
{
    const holding *job = user;
    int column = change->table == CLIP ? CLIP_MOTION : KEPT_BLOB;
    const int64_t *gone = job->back ? change->after : change->before;
    if ((change->table != CLIP && change->table != KEPT) || !change->differs[column] ||
        gone[column] == 0)
        return MAREY_OK;
    return mry_store_run_with(job->library->store, error, NULL,
                              "INSERT OR IGNORE INTO history_blob(step, blob)"
                              " SELECT ?1, id FROM blob WHERE id = ?2",
                              mry_integer(job->step), mry_integer(gone[column]));
}

/* Forgets the steps that `undone` is 2 of, and the blobs that only they need. */
static marey_status drop_doomed(marey_library *library, marey_error *error)
{
    return mry_store_run(
        library->store,
        "DELETE FROM blob WHERE id IN (SELECT blob FROM history_blob JOIN history ON"
        " history.id = step WHERE undone = 2)"
        " AND NOT EXISTS (SELECT 1 FROM clip WHERE motion = blob.id)"
        " AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.blob = blob.id)"
        " AND NOT EXISTS (SELECT 1 FROM history_blob JOIN history ON history.id = step"
        " WHERE history_blob.blob = blob.id AND undone < 2);"
        "DELETE FROM history WHERE undone = 2",
        error);
}

/* The oldest go until the rest is few and small enough; the last one stays whatever it is. */
static marey_status trim(marey_library *library, marey_error *error)
{
    for (;;) {
        int64_t steps = 0, bytes = 0;
        mry_query row = mry_query_start(
            library->store, "SELECT (SELECT count(*) FROM history),"
                            " coalesce((SELECT sum(length(bytes)) FROM history_part), 0) +"
                            " coalesce((SELECT sum(length(bytes)) FROM blob WHERE id IN"
                            " (SELECT blob FROM history_blob)"
                            " AND NOT EXISTS (SELECT 1 FROM clip WHERE motion = blob.id)"
                            " AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.blob = blob.id)), 0)");
        if (mry_query_next(&row)) {
            steps = mry_column_integer(&row, 0);
            bytes = mry_column_integer(&row, 1);
        }
        marey_status status = mry_query_end(&row, error);
        if (status || steps <= 1 || (steps <= MOST_STEPS && bytes <= most_held_bytes))
            return status;
        status = mry_store_run(
            library->store,
            "UPDATE history SET undone = 2 WHERE id = (SELECT min(id) FROM history)", error);
        if (!status) status = drop_doomed(library, error);
        if (status) return status;
    }
}

marey_status mry_history_clear(marey_library *library, marey_error *error)
{
    marey_status status = mry_store_run(library->store, "UPDATE history SET undone = 2", error);
    return status ? status : drop_doomed(library, error);
}

/* ---- every change ---------------------------------------------------------------------------- */

marey_status mry_remember_numbers(marey_library *library, marey_error *error)
{
    /* Behind an edition of 1 this change will be counted as every other one is. */
    return mry_store_run(
        library->store,
        "INSERT INTO edition(id, number, last_clip, last_kept, last_step)"
        " SELECT 1, 1, coalesce((SELECT max(id) FROM clip), 0),"
        " coalesce((SELECT max(id) FROM kept), 0), coalesce((SELECT max(id) FROM history), 0)"
        " WHERE true ON CONFLICT(id) DO UPDATE SET"
        " last_clip = max(last_clip, excluded.last_clip),"
        " last_kept = max(last_kept, excluded.last_kept),"
        " last_step = max(last_step, excluded.last_step)",
        error);
}

static marey_status begin(marey_library *library, bool records, marey_error *error)
{
    marey_status status = mry_store_begin(library->store, error);
    if (status) return status;
    mry_title(library, "change");
    status = mry_remember_numbers(library, error);
    if (!status && records) status = mry_changes_note(library->store, mry_recorded_tables, error);
    if (status) mry_store_rollback(library->store);
    return status;
}

marey_status mry_library_begin(marey_library *library, marey_error *error)
{
    return begin(library, true, error);
}

/* Now, unless who runs this wants the same bytes every time
   (https://reproducible-builds.org/specs/source-date-epoch). */
static int64_t time_of_step(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    return fixed && *fixed ? strtoll(fixed, NULL, 10) : (int64_t)time(NULL);
}

/* A new step, or the one of the group if no other came behind it. */
static marey_status find_step(marey_library *library, int64_t *step, marey_error *error)
{
    int64_t last = 0;
    marey_status status =
        mry_store_run(library->store, "UPDATE history SET undone = 2 WHERE undone = 1", error);
    if (!status) status = drop_doomed(library, error);
    if (!status)
        status = mry_query_finish(mry_query_start(library->store, "SELECT max(id) FROM history"),
                                  &last, error);
    if (status) return status;
    *step = last;
    if (library->grouped && last != 0 && library->group_step == last) return MAREY_OK;
    return mry_store_run_with(
        library->store, error, step,
        "INSERT INTO history(id, time, title) SELECT 1 + max(coalesce((SELECT max(id) FROM"
        " history), 0), last_step), ?1, ?2 FROM edition RETURNING id",
        mry_integer(time_of_step()),
        mry_text(library->grouped ? library->group_title : library->title));
}

/* Writes down what the open transaction did, if it did anything. */
static marey_status write_step(marey_library *library, int64_t *step, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    void *bytes = NULL;
    size_t size = 0;
    int64_t rows = 0;
    marey_status status = mry_changes_noted(library->store, &tmp, &bytes, &size, error);
    if (!status && size > 0) {
        status = mry_blob_pack(&tmp, bytes, size, 0, &packed)
                     ? find_step(library, step, error)
                     : mry_fail_memory(error, mry_store_path(library->store));
        if (!status)
            status = mry_store_run_with(
                library->store, error, NULL,
                "INSERT INTO history_part(step, place, size, sum, bytes) SELECT ?1,"
                " coalesce((SELECT 1 + max(place) FROM history_part WHERE step = ?1), 0), ?2, ?3,"
                " ?4",
                mry_integer(*step), mry_integer((int64_t)packed.size),
                mry_integer((int64_t)packed.sum), mry_bytes(packed.bytes, packed.packed_size));
        holding job = { library, *step, false };
        if (!status)
            status = mry_changes_read(library->store, mry_recorded_tables, bytes, size, hold_blob,
                                      &job, &rows, error);
        if (!status)
            status = mry_store_run_with(library->store, error, NULL,
                                        "UPDATE history SET rows = rows + ?2 WHERE id = ?1",
                                        mry_integer(*step), mry_integer(rows));
        if (!status) status = trim(library, error);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_library_end(marey_library *library, marey_status status, marey_error *error)
{
    int64_t step = 0;
    if (!status) status = write_step(library, &step, error);
    if (!status) {
        status = mry_query_finish(
            mry_query_start(library->store, "INSERT INTO edition(id, number) VALUES(1, 2)"
                                            " ON CONFLICT(id) DO UPDATE SET number = number + 1"),
            NULL, error);
    }
    if (status) {
        mry_store_rollback(library->store);
        return status;
    }
    status = mry_store_commit(library->store, error);
    if (!status && step) library->step = library->group_step = step;
    return status;
}

/* ---- what a step touched --------------------------------------------------------------------- */

/* Clips and saved things, each perhaps several times until they are sorted. */
typedef struct thing {
    int64_t id;
    bool saved; /* a saved thing, not a clip */
    bool looks; /* its pictures may show something else now */
    bool moves; /* its frames, too: it came, or has other layers */
} thing;

typedef struct things {
    mry_arena *mem;
    thing *items;
    int count, room;
} things;

static marey_status note_thing(void *user, const mry_change *change, marey_error *error)
{
    things *all = user;
    thing one = { .id = change->kind == MRY_CHANGE_INSERT ? change->after[0] : change->before[0],
                  .saved = change->table == KEPT_PART || change->table == KEPT };
    if (change->table == CLIP) {
        one.moves = change->kind != MRY_CHANGE_UPDATE || change->differs[CLIP_LAYER_SUM];
        one.looks = one.moves || change->differs[CLIP_CONTACTS_SET];
    }
    one.looks |= change->table == CONTACT || change->table == LAYER;
    if (!mry_grow_in(all->mem, &all->items, &all->room, all->count + 1, sizeof one))
        return mry_fail_memory(error, NULL);
    all->items[all->count++] = one;
    return MAREY_OK;
}

static int by_thing(const void *a, const void *b)
{
    const thing *one = a, *two = b;
    if (one->saved != two->saved) return one->saved - two->saved;
    return (one->id > two->id) - (one->id < two->id);
}

/* Each once, in order. */
static void sort_things(things *all)
{
    int kept = 0;
    if (all->count > 0) qsort(all->items, (size_t)all->count, sizeof *all->items, by_thing);
    for (int i = 0; i < all->count; i++) {
        thing *last = kept > 0 ? &all->items[kept - 1] : NULL;
        if (last && by_thing(last, &all->items[i]) == 0) {
            last->looks |= all->items[i].looks;
            last->moves |= all->items[i].moves;
        } else {
            all->items[kept++] = all->items[i];
        }
    }
    all->count = kept;
}

/* ---- parts ----------------------------------------------------------------------------------- */

typedef marey_status part_fn(void *user, const void *bytes, size_t count, marey_error *error);

static marey_status fail_damaged(marey_library *library, int64_t step, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_DAMAGED, mry_store_path(library->store),
                    "step %" PRId64 " of the history is damaged; run marey verify", step);
}

/* The parts of a step in the order in which they were made, or from the last one. */
static marey_status each_part(marey_library *library, int64_t step, bool back, part_fn *each,
                              void *user, marey_error *error)
{
    marey_status status = MAREY_OK;
    int found = 0;
    mry_query row = mry_query_with(
        library->store,
        back ? "SELECT size, sum, bytes FROM history_part WHERE step = ? ORDER BY place DESC"
             : "SELECT size, sum, bytes FROM history_part WHERE step = ? ORDER BY place",
        mry_integer(step));
    while (!status && mry_query_next(&row)) {
        mry_arena tmp = mry_arena_make(library->ctx);
        mry_packed packed = { .size = (size_t)mry_column_integer(&row, 0),
                              .sum = (uint64_t)mry_column_integer(&row, 1) };
        void *bytes = NULL;
        size_t size = 0;
        packed.bytes = mry_column_bytes(&row, 2, &packed.packed_size);
        status = row.status;
        if (!status)
            status = mry_blob_unpack(library->store, step, &packed, most_part_bytes, &tmp, &bytes,
                                     &size, error);
        if (!status) status = each(user, bytes, size, error);
        if (status == MAREY_ERR_DAMAGED) status = fail_damaged(library, step, error);
        mry_arena_free(&tmp);
        found++;
    }
    marey_status read = mry_query_end(&row, status ? NULL : error);
    if (!status && !read && found == 0) return fail_damaged(library, step, error);
    return status ? status : read;
}

typedef struct playing {
    marey_library *library;
    int64_t step;
    bool back;
    things *touched;
    mry_conflict conflict;
} playing;

static marey_status play_part(void *user, const void *bytes, size_t count, marey_error *error)
{
    playing *job = user;
    mry_store *store = job->library->store;
    holding held = { job->library, job->step, job->back };
    marey_status status = mry_changes_apply(store, mry_recorded_tables, bytes, count, job->back,
                                            &job->conflict, error);
    if (!status)
        status = mry_changes_read(store, mry_recorded_tables, bytes, count, note_thing,
                                  job->touched, NULL, error);
    if (!status)
        status = mry_changes_read(store, mry_recorded_tables, bytes, count, hold_blob, &held, NULL,
                                  error);
    return status;
}

static marey_status list_part(void *user, const void *bytes, size_t count, marey_error *error)
{
    playing *job = user;
    return mry_changes_read(job->library->store, mry_recorded_tables, bytes, count, note_thing,
                            job->touched, NULL, error);
}

marey_status mry_check_step(marey_library *library, int64_t step, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    things all = { .mem = &tmp };
    playing job = { .library = library, .touched = &all };
    marey_status status = each_part(library, step, false, list_part, &job, error);
    mry_arena_free(&tmp);
    return status;
}

/* ---- what follows from the clips ------------------------------------------------------------- */

typedef struct batch {
    int64_t ids[BATCH];
    mry_arena mems[BATCH];
    const uint8_t *poses[BATCH], *flaws[BATCH];
    size_t pose_sizes[BATCH], flaw_sizes[BATCH];
    int flaw_counts[BATCH], count;
} batch;

static marey_status look_at(void *user, int i, const marey_clip *clip, marey_error *error)
{
    batch *b = user;
    bool fits =
        mry_pose_bytes(clip, &b->mems[i], &b->poses[i], &b->pose_sizes[i]) &&
        mry_flaw_bytes(clip, &b->mems[i], &b->flaws[i], &b->flaw_sizes[i], &b->flaw_counts[i]);
    return fits ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* Poses and flaws of clips that came back or move otherwise now. A clip that does not open keeps
   the undo from nothing: what is missing is found again by searches and the doctor. */
static marey_status remake(marey_library *library, batch *b, marey_error *error)
{
    marey_error why = { 0 };
    for (int i = 0; i < b->count; i++) b->mems[i] = mry_arena_make(library->ctx);
    marey_status status =
        mry_load_clips(library, b->ids, b->count, MRY_OPEN_WHOLE, look_at, b, &why);
    bool opened = status == MAREY_OK;
    if (marey_status_group(status) == MAREY_ERR_INPUT) status = MAREY_OK;
    if (status && error) *error = why;
    for (int i = 0; i < b->count; i++) {
        int64_t layers = 0;
        if (!status && opened)
            status = mry_store_run_with(library->store, error, &layers,
                                        "SELECT layer_sum FROM clip WHERE id = ?",
                                        mry_integer(b->ids[i]));
        if (!status && opened && b->pose_sizes[i] > 0)
            status = mry_pose_row_put(library, b->ids[i], b->poses[i], b->pose_sizes[i], error);
        if (!status && opened)
            status = mry_flaw_row_put(library, b->ids[i], layers, b->flaws[i], b->flaw_sizes[i],
                                      b->flaw_counts[i], error);
        mry_arena_free(&b->mems[i]);
    }
    *b = (batch){ .count = 0 };
    return status;
}

static marey_status follow(marey_library *library, things *touched, marey_error *error)
{
    marey_status status = MAREY_OK;
    batch b = { .count = 0 };
    sort_things(touched);
    for (int i = 0; i < touched->count && !status; i++) {
        const thing *one = &touched->items[i];
        int64_t there = 0;
        if (one->saved) break;
        if (!mry_progress(library->ctx, "bringing the index up to date", i, touched->count))
            return mry_fail_cancelled(error);
        status = mry_update_words(library, one->id, error);
        if (!status && one->looks)
            status =
                mry_run_for(library, "DELETE FROM picture WHERE clip = ?", one->id, NULL, error);
        if (status || !one->moves) continue;
        status =
            mry_run_for(library, "DELETE FROM web WHERE a = ?1 OR b = ?1", one->id, NULL, error);
        if (!status)
            status =
                mry_run_for(library, "DELETE FROM pose_block WHERE clip = ?", one->id, NULL, error);
        if (!status)
            status = mry_run_for(library, "DELETE FROM flaw WHERE clip = ?", one->id, NULL, error);
        if (!status)
            status = mry_store_run_with(library->store, error, &there,
                                        "SELECT 1 FROM clip WHERE id = ?", mry_integer(one->id));
        if (!status && there) b.ids[b.count++] = one->id;
        if (!status && b.count == BATCH) status = remake(library, &b, error);
    }
    return status || b.count == 0 ? status : remake(library, &b, error);
}

/* ---- undo and redo --------------------------------------------------------------------------- */

/* Is there such a step, and is it undone? */
static marey_status read_step(marey_library *library, int64_t step, bool *undone, char *title,
                              marey_error *error)
{
    mry_query row = mry_query_with(library->store, "SELECT undone, title FROM history WHERE id = ?",
                                   mry_integer(step));
    bool there = mry_query_next(&row);
    if (there) {
        *undone = mry_column_integer(&row, 0) != 0;
        snprintf(title, MAREY_TITLE_ROOM, "%s", mry_column_text(&row, 1));
    }
    marey_status status = mry_query_end(&row, error);
    if (status || there) return status;
    return mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                    "there is no step %" PRId64 " in the history", step);
}

/* Undoes or redoes the steps that `sql` lists: (id, title). */
static marey_status move(marey_library *library, const char *sql, int64_t limit, bool back,
                         marey_history_move *done, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    things touched = { .mem = &tmp };
    marey_status status = MAREY_OK;
    int64_t *steps = NULL;
    int count = 0, room = 0;
    mry_query row = mry_query_with(library->store, sql, mry_integer(limit));
    while (!status && mry_query_next(&row)) {
        if (!mry_grow_in(&tmp, &steps, &room, count + 1, sizeof *steps)) {
            status = mry_fail_memory(error, mry_store_path(library->store));
            break;
        }
        steps[count++] = mry_column_integer(&row, 0);
        done->step = steps[count - 1];
        snprintf(done->title, sizeof done->title, "%s", mry_column_text(&row, 1));
    }
    marey_status read = mry_query_end(&row, status ? NULL : error);
    if (!status) status = read;
    for (int i = 0; i < count && !status; i++) {
        playing job = { library, steps[i], back, &touched, { 0 } };
        if (!mry_progress(library->ctx, back ? "undoing" : "redoing", i, count))
            status = mry_fail_cancelled(error);
        if (!status) status = each_part(library, steps[i], back, play_part, &job, error);
        /* No program but one that forges it leaves a history that does not fit. */
        if (status == MAREY_ERR_STALE) status = fail_damaged(library, steps[i], error);
        if (!status)
            status = mry_store_run_with(library->store, error, NULL,
                                        "UPDATE history SET undone = ?2 WHERE id = ?1",
                                        mry_integer(steps[i]), mry_integer(back));
    }
    if (!status) status = follow(library, &touched, error);
    done->count = count;
    mry_arena_free(&tmp);
    return status;
}

/* Which later step is in the way of undoing one. */
static marey_status explain(marey_library *library, int64_t step, const mry_conflict *conflict,
                            marey_error *error)
{
    const char *path = mry_store_path(library->store);
    mry_arena tmp = mry_arena_make(library->ctx);
    things own = { .mem = &tmp };
    playing job = { .library = library, .touched = &own };
    int64_t in_the_way = 0;
    char title[MAREY_TITLE_ROOM] = "";
    marey_status status = each_part(library, step, false, list_part, &job, error);
    sort_things(&own);
    mry_query row = mry_query_with(library->store,
                                   "SELECT id, title FROM history WHERE id > ? ORDER BY id DESC",
                                   mry_integer(step));
    while (!status && !in_the_way && mry_query_next(&row)) {
        things other = { .mem = &tmp };
        int64_t id = mry_column_integer(&row, 0);
        snprintf(title, sizeof title, "%s", mry_column_text(&row, 1));
        job.touched = &other;
        status = each_part(library, id, false, list_part, &job, error);
        for (int i = 0; i < other.count && !in_the_way && own.count > 0; i++) {
            if (bsearch(&other.items[i], own.items, (size_t)own.count, sizeof *own.items, by_thing))
                in_the_way = id;
        }
    }
    marey_status read = mry_query_end(&row, status ? NULL : error);
    mry_arena_free(&tmp);
    if (status || read) return status ? status : read;
    if (in_the_way)
        return mry_fail(error, MAREY_ERR_STALE, path,
                        "step %" PRId64 " (%.300s) changed the same since: undo that first",
                        in_the_way, title);
    if (conflict->taken)
        return mry_fail(error, MAREY_ERR_STALE, path,
                        "another %s has the name now that step %" PRId64
                        " would give back: rename that one first",
                        conflict->table == CLIP ? "clip" : "saved thing", step);
    return mry_fail(error, MAREY_ERR_STALE, path,
                    "later steps need what step %" PRId64 " made: undo those first", step);
}

/* The opposite of a step that is not the last one, as a new step. */
static marey_status revert(marey_library *library, int64_t step, const char *title,
                           marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    things touched = { .mem = &tmp };
    playing job = { library, step, true, &touched, { 0 } };
    marey_error why = { 0 };
    marey_status status = mry_changes_note(library->store, mry_recorded_tables, error);
    if (!status) {
        status = each_part(library, step, true, play_part, &job, &why);
        if (status && error) *error = why;
        if (status == MAREY_ERR_STALE) status = explain(library, step, &job.conflict, error);
    }
    if (!status) status = follow(library, &touched, error);
    mry_title(library, "undo: %.480s", title);
    mry_arena_free(&tmp);
    return status;
}

/* The answer of a move that was made. */
static marey_status end_move(marey_library *library, const marey_history_move *made,
                             marey_status status, marey_history_move *done, marey_error *error)
{
    status = mry_library_end(library, status, error);
    if (!status && done) *done = *made;
    return status;
}

marey_status marey_library_undo(marey_library *library, int64_t step, marey_history_move *done,
                                marey_error *error)
{
    const char *path = mry_store_path(library->store);
    marey_history_move made = { .count = 0 };
    int64_t last = 0;
    bool undone = false;
    marey_status status = begin(library, false, error);
    if (status) return status;
    status = mry_query_finish(
        mry_query_start(library->store, "SELECT max(id) FROM history WHERE undone = 0"), &last,
        error);
    if (!status && step == 0 && last == 0)
        status = mry_fail(error, MAREY_ERR_NOT_FOUND, path, "there is nothing to undo");
    made.step = step ? step : last;
    if (!status) status = read_step(library, made.step, &undone, made.title, error);
    if (!status && undone)
        status = mry_fail(error, MAREY_ERR_REQUEST, path, "step %" PRId64 " is undone already",
                          made.step);
    if (!status && made.step == last) {
        status =
            move(library, "SELECT id, title FROM history WHERE id = ?", last, true, &made, error);
    } else if (!status) {
        made.count = 1;
        status = revert(library, made.step, made.title, error);
    }
    return end_move(library, &made, status, done, error);
}

marey_status marey_library_redo(marey_library *library, marey_history_move *done,
                                marey_error *error)
{
    marey_history_move made = { .count = 0 };
    marey_status status = begin(library, false, error);
    if (status) return status;
    status = move(library,
                  "SELECT id, title FROM history WHERE undone = 1 AND id > ?"
                  " ORDER BY id LIMIT 1",
                  0, false, &made, error);
    if (!status && made.count == 0)
        status = mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                          "there is nothing to redo");
    return end_move(library, &made, status, done, error);
}

marey_status marey_library_go_to(marey_library *library, int64_t step, marey_history_move *done,
                                 marey_error *error)
{
    marey_history_move made = { .count = 0 };
    char title[MAREY_TITLE_ROOM];
    bool undone = false;
    marey_status status = begin(library, false, error);
    if (status) return status;
    if (step) status = read_step(library, step, &undone, title, error);
    if (!status && undone)
        status =
            move(library, "SELECT id, title FROM history WHERE undone = 1 AND id <= ? ORDER BY id",
                 step, false, &made, error);
    else if (!status)
        status = move(library,
                      "SELECT id, title FROM history WHERE undone = 0 AND id > ?"
                      " ORDER BY id DESC",
                      step, true, &made, error);
    return end_move(library, &made, status, done, error);
}
