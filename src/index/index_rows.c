/* index_rows.c - the tables of webs: clips as an index looks at them, one web, all of them, and
   whether they are sound. */
#include "index/index_rows.h"
#include "index/index_settings.h"
#include "library/pose_rows.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "match/web_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

marey_status mry_index_clips_read(marey_library *library, const mry_index_settings *settings,
                                  mry_arena *mem, mry_index_clip **out, int *count,
                                  marey_error *error)
{
    const char *path = mry_store_path(library->store);
    mry_query row = mry_query_start(
        library->store, "SELECT clip.id, frames, fps, web.rows, count(*) OVER (), layer_sum"
                        " FROM clip LEFT JOIN web ON web.a = clip.id AND web.b = clip.id"
                        " WHERE removed = 0 ORDER BY clip.id");
    mry_index_clip *clips = NULL;
    int found = 0, room = 0;
    bool sound = true;
    int64_t id = 0;
    while (sound && mry_query_next(&row)) {
        if (!clips) {
            room = (int)mry_column_integer(&row, 4);
            clips = MRY_NEW(mem, mry_index_clip, room);
            if (!clips) break;
        }
        /* No row is believed; the rows are those of its web with itself. */
        int64_t frames = mry_column_integer(&row, 1), rows = mry_column_integer(&row, 3);
        double fps = mry_column_number(&row, 2);
        bool indexed = !mry_column_is_null(&row, 3);
        id = mry_column_integer(&row, 0);
        sound = found < room && frames >= 1 && frames <= INT32_MAX && fps >= 0.01 && fps <= 20000;
        if (!sound) break;
        mry_index_clip *clip = &clips[found++];
        *clip = (mry_index_clip){
            .id = id, .fps = fps, .frames = (int)frames, .layer_sum = mry_column_integer(&row, 5)
        };
        clip->rate = mry_rate_within(fps, settings ? settings->fps : MRY_POSE_FPS);
        if (indexed || !settings) clip->rows = mry_rows_at(clip->frames, fps, clip->rate);
        sound = !indexed || !settings || rows == clip->rows;
    }
    marey_status status = mry_query_end(&row, error);
    if (status) return status;
    if (room > 0 && !clips) return mry_fail_memory(error, path);
    if (!sound)
        return mry_fail(error, MAREY_ERR_INPUT, path,
                        "clip number %" PRId64 " is damaged; run marey verify", id);
    *out = clips;
    *count = found;
    return MAREY_OK;
}

int mry_index_frame(const mry_index_clip *clip, int row)
{
    int frame = (int)lround(row * mry_frames_a_row(clip->fps, clip->rate));
    return frame < 0 ? 0 : frame >= clip->frames ? clip->frames - 1 : frame;
}

int mry_index_row(const mry_index_clip *clip, int frame)
{
    int row = (int)lround(frame / mry_frames_a_row(clip->fps, clip->rate));
    return row < 0 ? 0 : row >= clip->rows ? clip->rows - 1 : row;
}

/* The clips may have gone or been repaired while their web was made. */
marey_status mry_web_row_put(marey_library *library, const mry_web_row *row, marey_error *error)
{
    int64_t id = 0;
    marey_status status = mry_store_run_with(
        library->store, error, &id,
        "INSERT OR REPLACE INTO web(a, b, turned, rows, cols, chains, bridges, size)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS(SELECT 1 FROM clip WHERE id = ?1 AND"
        " removed = 0 AND layer_sum = ?9) AND EXISTS(SELECT 1 FROM clip WHERE id = ?2 AND"
        " removed = 0 AND layer_sum = ?10)"
        " RETURNING id",
        mry_integer(row->a), mry_integer(row->b), mry_integer(row->turned), mry_integer(row->rows),
        mry_integer(row->cols), mry_integer(row->chains), mry_integer(row->bridges),
        mry_integer((int64_t)row->size), mry_integer(row->a_layers), mry_integer(row->b_layers));
    if (status || id == 0 || row->size == 0) return status;
    return mry_store_run_with(library->store, error, NULL,
                              "INSERT INTO web_bytes(web, bytes) VALUES(?, ?)", mry_integer(id),
                              mry_bytes(row->bytes, row->size));
}

/* (turned, rows, cols, size, bytes, a, b) to a web, which must be what the row says. *out is NULL
   if it has none. */
static marey_status open_web(marey_library *library, mry_query *row, marey_web **out, bool *sound,
                             marey_error *error)
{
    int64_t a = mry_column_integer(row, 5), b = mry_column_integer(row, 6);
    int64_t rows = mry_column_integer(row, 1), cols = mry_column_integer(row, 2);
    int64_t size = mry_column_integer(row, 3);
    bool none = mry_column_is_null(row, 4);
    size_t count;
    const uint8_t *bytes = mry_column_bytes(row, 4, &count);
    *out = NULL;
    *sound = row->status != MAREY_OK || (size == (int64_t)count && none == (size == 0));
    if (row->status != MAREY_OK || !*sound || none) return MAREY_OK;
    marey_web *web = NULL;
    marey_status status = marey_web_read(library->ctx, bytes, count, &web, error);
    *sound = marey_status_group(status) != MAREY_ERR_INPUT;
    if (status) return *sound ? status : MAREY_OK;
    *sound = web->rows == rows && web->cols == cols && web->self == (a == b);
    if (*sound)
        *out = web;
    else
        marey_web_free(web);
    return MAREY_OK;
}

marey_status mry_index_web_read(marey_library *library, int64_t a, int64_t b, marey_web **out,
                                bool *flipped, mry_index_web_state *state, marey_error *error)
{
    mry_query row = mry_query_with(library->store,
                                   "SELECT turned, rows, cols, size, bytes, a, b FROM web"
                                   " LEFT JOIN web_bytes ON web = id WHERE a = min(?1, ?2)"
                                   " AND b = max(?1, ?2)",
                                   mry_integer(a), mry_integer(b));
    marey_status read = MAREY_OK;
    marey_web *web = NULL;
    bool sound = true;
    bool there = mry_query_next(&row);
    bool turned = mry_column_integer(&row, 0) != 0;
    if (there) read = open_web(library, &row, &web, &sound, error);
    marey_status status = mry_query_end(&row, read ? NULL : error);
    if (!status) status = read;
    if (!status && !sound) {
        status = mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                          "the web of clips number %" PRId64 " and %" PRId64
                          " is damaged; make the index again with marey index --rebuild",
                          a, b);
    }
    if (status) {
        marey_web_free(web);
        return status;
    }
    *out = web;
    *flipped = a != b && turned != (a > b);
    *state = web ? MRY_WEB_THERE : there ? MRY_WEB_NOTHING : MRY_WEB_MISSING;
    return MAREY_OK;
}

marey_status mry_web_rows_count(marey_library *library, marey_index_state *out, marey_error *error)
{
    mry_query row = mry_query_start(
        library->store,
        "SELECT count(*), sum(a = b), sum(CASE WHEN a = b THEN rows * (rows - 1) / 2"
        " ELSE rows * cols END), sum(chains), sum(bridges), sum(size),"
        " (SELECT count(*) FROM clip WHERE removed = 0) FROM web"
        " JOIN clip AS first ON first.id = a JOIN clip AS second ON second.id = b"
        " WHERE first.removed = 0 AND second.removed = 0");
    marey_index_report *size = &out->size;
    mry_query_next(&row);
    int64_t pairs = mry_column_integer(&row, 0), clips = mry_column_integer(&row, 6);
    size->pairs = (int)pairs;
    size->clips = (int)mry_column_integer(&row, 1);
    size->cells = mry_column_integer(&row, 2);
    size->chains = mry_column_integer(&row, 3);
    size->bridges = mry_column_integer(&row, 4);
    size->bytes = mry_column_integer(&row, 5);
    out->pairs_missing = (int)(clips * (clips + 1) / 2 - pairs);
    return mry_query_end(&row, error);
}

marey_status mry_web_rows_drop(marey_library *library, bool whole, int *dropped, marey_error *error)
{
    static const char gone[] = "DELETE FROM web WHERE a IN (SELECT id FROM clip WHERE removed = 1)"
                               " OR b IN (SELECT id FROM clip WHERE removed = 1)";
    marey_status status = mry_store_run(library->store, whole ? "DELETE FROM web" : gone, error);
    if (!status) *dropped = (int)mry_store_changes(library->store);
    return status;
}

/* Reports what is damaged to `found`; all else stops the check. */
static marey_status report_damage(void (*found)(void *user, const char *problem), void *user,
                                  marey_status status, const marey_error *why, const char *subject,
                                  marey_error *error)
{
    char problem[2 * MAREY_NAME_ROOM + sizeof why->message + 64];
    if (!status) return MAREY_OK;
    if (marey_status_group(status) != MAREY_ERR_INPUT) {
        if (error) *error = *why;
        return status;
    }
    snprintf(problem, sizeof problem, "%s: %s", subject, why->message);
    found(user, problem);
    return MAREY_OK;
}

/* Is its web what a row says it is? INPUT: no. */
static marey_status check_row(marey_library *library, int64_t web_id, marey_error *error)
{
    mry_query row =
        mry_query_with(library->store,
                       "SELECT turned, rows, cols, size, bytes, a, b, chains, bridges FROM web"
                       " LEFT JOIN web_bytes ON web = id WHERE id = ?",
                       mry_integer(web_id));
    marey_status read = MAREY_OK;
    marey_web *web = NULL;
    bool sound = true;
    bool there = mry_query_next(&row);
    if (there) read = open_web(library, &row, &web, &sound, error);
    if (web) {
        sound = web->chain_count - web->tail_count == mry_column_integer(&row, 7) &&
                web->bridge_count - web->tail_count == mry_column_integer(&row, 8);
    }
    marey_web_free(web);
    marey_status status = mry_query_end(&row, read ? NULL : error);
    if (status || read) return status ? status : read;
    if (there && sound) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store), "it is damaged");
}

static void name_clip(marey_library *library, int64_t id, char name[MAREY_NAME_ROOM])
{
    snprintf(name, MAREY_NAME_ROOM, "number %" PRId64, id);
    mry_clip_name(library, id, name, MAREY_NAME_ROOM, NULL, NULL); /* that may be hit too */
}

/* Its settings can be read, and each web is what its row says. Whether pages are damaged and rows
   point to nothing is the store's to find. */
/* Listed from the index of the table, which damaged rows do not cut short. */
marey_status mry_check_index(marey_library *library, void (*found)(void *user, const char *problem),
                             void *user, marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_index_settings settings;
    mry_index_kept kept;
    marey_error why = { 0 };
    bool exists;
    marey_status status = mry_index_settings_read(library, &tmp, &settings, &exists, &why);
    /* The index may be another marey's, and so are its webs. That is no damage. */
    bool other = marey_status_group(status) == MAREY_ERR_INPUT &&
                 mry_index_kept_read(library, &tmp, &kept, NULL) == MAREY_OK &&
                 mry_index_unpack(&tmp, &kept.settings, &settings) == MRY_UNPACKED_OTHER;
    mry_arena_free(&tmp);
    if (other) return MAREY_OK;
    status = report_damage(found, user, status, &why, "the index", error);
    if (status) return status;
    mry_query row = mry_query_start(library->store, "SELECT id, a, b FROM web INDEXED BY"
                                                    " sqlite_autoindex_web_1 ORDER BY a, b");
    mry_round list = { 0 };
    while (!status && mry_query_next(&row)) {
        if (mry_goes_round(&list, (uint64_t)mry_column_integer(&row, 0))) {
            found(user, "the table of webs has no end");
            break;
        }
        char first[MAREY_NAME_ROOM], second[MAREY_NAME_ROOM], subject[2 * MAREY_NAME_ROOM + 32];
        marey_error damage = { 0 };
        if (mry_cancelled(library->ctx)) {
            status = mry_fail_cancelled(error);
            break;
        }
        marey_status sound = check_row(library, mry_column_integer(&row, 0), &damage);
        if (!sound) continue;
        name_clip(library, mry_column_integer(&row, 1), first);
        name_clip(library, mry_column_integer(&row, 2), second);
        snprintf(subject, sizeof subject, "the web of %s and %s", first, second);
        status = report_damage(found, user, sound, &damage, subject, error);
    }
    why = (marey_error){ 0 };
    marey_status ended = mry_query_end(&row, &why);
    if (status) return status;
    return report_damage(found, user, ended, &why, "the table of webs ends early", error);
}
