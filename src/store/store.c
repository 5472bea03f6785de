/* store.c - statements, transactions, and closing. */
#include "store/store_inside.h"

#include "base/grow.h"

#include <assert.h>
#include <string.h>

/* ---- cached statements ----------------------------------------------------------------------- */

mry_query mry_query_start(mry_store *store, const char *sql)
{
    mry_query query = { .store = store };
    mry_statement *cached = NULL;
    for (int i = 0; i < store->statement_count && !cached; i++) {
        mry_statement *one = &store->statements[i];
        if (one->sql == sql && !one->in_use) cached = one;
    }
    if (!cached) {
        int rc = SQLITE_NOMEM;
        if (mry_grow(store->ctx, &store->statements, &store->statement_room,
                     store->statement_count + 1, sizeof *store->statements)) {
            cached = &store->statements[store->statement_count];
            *cached = (mry_statement){ .sql = sql };
            rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &cached->handle,
                                    NULL);
        }
        if (rc != SQLITE_OK) {
            query.status = mry_store_note(store, rc, NULL);
            return query;
        }
        store->statement_count++;
    }
    cached->in_use = true;
    query.statement = cached->handle;
    return query;
}

marey_status mry_query_end(mry_query *query, marey_error *error)
{
    mry_store *store = query->store;
    for (int i = 0; i < store->statement_count && query->statement; i++) {
        if (store->statements[i].handle == query->statement) store->statements[i].in_use = false;
    }
    if (query->statement) {
        sqlite3_reset(query->statement);
        sqlite3_clear_bindings(query->statement); /* borrowed bytes may go now */
    }
    query->statement = NULL;
    if (query->status != MAREY_OK && error) *error = store->failure;
    return query->status;
}

/* ---- values in ------------------------------------------------------------------------------- */

static void note(mry_query *query, int rc)
{
    if (rc != SQLITE_OK) query->status = mry_store_note(query->store, rc, NULL);
}

void mry_bind_integer(mry_query *query, int index, int64_t value)
{
    if (query->status == MAREY_OK) note(query, sqlite3_bind_int64(query->statement, index, value));
}

void mry_bind_number(mry_query *query, int index, double value)
{
    if (query->status == MAREY_OK) note(query, sqlite3_bind_double(query->statement, index, value));
}

void mry_bind_text(mry_query *query, int index, const char *text)
{
    if (query->status != MAREY_OK) return;
    if (!text) {
        note(query, sqlite3_bind_null(query->statement, index));
        return;
    }
    note(query, sqlite3_bind_text64(query->statement, index, text, strlen(text), SQLITE_TRANSIENT,
                                    SQLITE_UTF8));
}

void mry_bind_bytes(mry_query *query, int index, const void *bytes, size_t count)
{
    if (query->status != MAREY_OK) return;
    /* No bytes are still bytes: a NULL pointer would bind null. */
    note(query,
         sqlite3_bind_blob64(query->statement, index, count ? bytes : "", count, SQLITE_STATIC));
}

mry_query mry_query_bind(mry_store *store, const char *sql, const mry_value *values, int count)
{
    mry_query query = mry_query_start(store, sql);
    for (int i = 0; i < count; i++) {
        const mry_value *value = &values[i];
        switch (value->kind) {
        case MRY_INTEGER: mry_bind_integer(&query, i + 1, value->integer); break;
        case MRY_REAL: mry_bind_number(&query, i + 1, value->real); break;
        case MRY_TEXT: mry_bind_text(&query, i + 1, value->bytes); break;
        case MRY_BYTES: mry_bind_bytes(&query, i + 1, value->bytes, value->count); break;
        }
    }
    return query;
}

marey_status mry_query_finish(mry_query query, int64_t *result, marey_error *error)
{
    if (result) *result = 0;
    while (mry_query_next(&query)) {
        if (result) *result = mry_column_integer(&query, 0);
    }
    return mry_query_end(&query, error);
}

/* ---- rows out -------------------------------------------------------------------------------- */

bool mry_query_next(mry_query *query)
{
    if (query->status != MAREY_OK) return false;
    int rc = sqlite3_step(query->statement);
    if (rc == SQLITE_ROW) return true;
    if (rc != SQLITE_DONE) note(query, rc);
    return false;
}

int64_t mry_column_integer(mry_query *query, int column)
{
    return query->status == MAREY_OK ? sqlite3_column_int64(query->statement, column) : 0;
}

double mry_column_number(mry_query *query, int column)
{
    return query->status == MAREY_OK ? sqlite3_column_double(query->statement, column) : 0;
}

bool mry_column_is_null(mry_query *query, int column)
{
    return query->status != MAREY_OK ||
           sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}

/* A value that is there but cannot be had means that SQLite had no memory, or met a damaged page
   while it followed a long value: either way the error code says which. */
static void note_missing(mry_query *query)
{
    note(query, sqlite3_extended_errcode(query->store->db));
}

const char *mry_column_text(mry_query *query, int column)
{
    if (query->status != MAREY_OK) return "";
    bool null = sqlite3_column_type(query->statement, column) == SQLITE_NULL;
    const char *text = (const char *)sqlite3_column_text(query->statement, column);
    if (!text && !null) note_missing(query);
    return text ? text : "";
}

const char *mry_column_copy(mry_query *query, int column, mry_arena *mem)
{
    const char *text = mry_column_text(query, column);
    return mry_arena_text(mem, text, strlen(text));
}

const void *mry_column_bytes(mry_query *query, int column, size_t *count)
{
    *count = 0;
    if (query->status != MAREY_OK) return "";
    const void *bytes = sqlite3_column_blob(query->statement, column);
    int length = sqlite3_column_bytes(query->statement, column);
    if (!bytes) {
        if (length != 0) note_missing(query);
        return "";
    }
    *count = (size_t)length;
    return bytes;
}

/* TRUNCATE also waits for readers of what is in the log; by then it is in the file as well. */
static bool clear_log(mry_store *store, int patience_ms)
{
    store->patience_ms = patience_ms;
    int rc = store->is_copy ? SQLITE_OK
                            : sqlite3_wal_checkpoint_v2(store->db, "main",
                                                        SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    store->patience_ms = MRY_PATIENCE_MS;
    store->log_pending = rc != SQLITE_OK;
    return rc == SQLITE_OK;
}

bool mry_store_clear_log(mry_store *store)
{
    return clear_log(store, MRY_LOG_PATIENCE_MS);
}

bool mry_store_log_pending(const mry_store *store)
{
    return store->log_pending;
}

/* The last connection to close moves the log into the file and removes it. What goes wrong then is
   no loss: the log stays and the next to open reads it. */
void mry_store_close(mry_store *store)
{
    if (!store) return;
    marey_ctx *ctx = store->ctx;
    for (int i = 0; i < store->statement_count; i++) sqlite3_finalize(store->statements[i].handle);
    if (store->db) {
        mry_store_rollback(store);
        mry_store_stop_recording(store);
        if (store->log_pending) clear_log(store, 0);
        sqlite3_close(store->db);
    }
    mry_uncount_bytes(ctx, store->copy_bytes);
    mry_release(ctx, store->statements, (size_t)store->statement_room * sizeof *store->statements);
    mry_arena_free(&store->mem);
    mry_release(ctx, store, sizeof *store);
}

const char *mry_store_path(const mry_store *store)
{
    return store->path;
}

bool mry_store_can_write(const mry_store *store)
{
    return store->can_write;
}

marey_status mry_store_run(mry_store *store, const char *sql, marey_error *error)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK) return MAREY_OK;
    /* A wait that a cancel ended. */
    if ((rc & 0xff) == SQLITE_BUSY && mry_cancelled(store->ctx)) rc = SQLITE_INTERRUPT;
    return mry_store_note(store, rc, error);
}

/* A rollback can fail for want of memory; it is made good before the next transaction begins. */
static marey_status end_the_last(mry_store *store, marey_error *error)
{
    assert(sqlite3_get_autocommit(store->db) || store->rollback_failed);
    mry_store_rollback(store);
    return store->rollback_failed ? mry_store_note(store, SQLITE_NOMEM, error) : MAREY_OK;
}

/* IMMEDIATE: a transaction that turned to writing only later could find its view of the file
   outdated. */
marey_status mry_store_begin(mry_store *store, marey_error *error)
{
    marey_status status = end_the_last(store, error);
    if (status) return status;
    if (!store->can_write) return mry_store_note(store, SQLITE_READONLY, error);
    store->failure.status = MAREY_OK;
    return mry_store_run(store, "BEGIN IMMEDIATE", error);
}

marey_status mry_store_begin_now(mry_store *store, marey_error *error)
{
    store->patience_ms = 0;
    marey_status status = mry_store_begin(store, error);
    store->patience_ms = MRY_PATIENCE_MS;
    return status;
}

/* SQLite ends a transaction by itself after some failures (disk, memory). Committing then would
   look like success of what is not there, so the failure is reported again. */
marey_status mry_store_commit(mry_store *store, marey_error *error)
{
    mry_store_stop_recording(store);
    if (sqlite3_get_autocommit(store->db)) {
        if (store->failure.status == MAREY_OK) mry_store_note(store, SQLITE_IOERR, NULL);
        if (error) *error = store->failure;
        return store->failure.status;
    }
    marey_status status = mry_store_run(store, "COMMIT", error);
    if (status != MAREY_OK) mry_store_rollback(store);
    if (status == MAREY_OK && store->log_pending) clear_log(store, 0);
    return status;
}

void mry_store_rollback(mry_store *store)
{
    mry_store_stop_recording(store);
    if (!sqlite3_get_autocommit(store->db)) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    store->rollback_failed = !sqlite3_get_autocommit(store->db);
}

/* BEGIN alone takes no view; the first read does. */
marey_status mry_store_snapshot(mry_store *store, marey_error *error)
{
    marey_status status = end_the_last(store, error);
    if (status) return status;
    status = mry_store_run(store, "BEGIN; SELECT count(*) FROM sqlite_schema", error);
    if (status != MAREY_OK) mry_store_rollback(store);
    return status;
}

int64_t mry_store_last_id(mry_store *store)
{
    return sqlite3_last_insert_rowid(store->db);
}

int64_t mry_store_changes(mry_store *store)
{
    return sqlite3_changes64(store->db);
}
