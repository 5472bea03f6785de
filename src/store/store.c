/* store.c - closing, and transactions. */
#include <assert.h>
#include <string.h>

#include "store/store_inside.h"

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

static void retry_log(mry_store *store)
{
    if (store->log_pending) clear_log(store, 0);
}

bool mry_store_clear_log(mry_store *store)
{
    return clear_log(store, MRY_LOG_PATIENCE_MS);
}

bool mry_store_log_pending(const mry_store *store)
{
    return store->log_pending;
}

/* The last connection to close moves the log into the file and removes it. What goes wrong then is no loss: the
   log stays and the next to open reads it. */
void mry_store_close(mry_store *store)
{
    if (!store) return;
    marey_ctx *ctx = store->ctx;
    for (int i = 0; i < store->statement_count; i++) sqlite3_finalize(store->statements[i].handle);
    if (store->db) {
        mry_store_rollback(store);
        retry_log(store);
        sqlite3_close(store->db);
    }
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

static marey_status run(mry_store *store, const char *sql, marey_error *error)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK) return MAREY_OK;
    /* A wait that a cancel ended. */
    if ((rc & 0xff) == SQLITE_BUSY && mry_cancelled(store->ctx)) rc = SQLITE_INTERRUPT;
    return mry_store_note(store, rc, error);
}

marey_status mry_store_run(mry_store *store, const char *sql, marey_error *error)
{
    return run(store, sql, error);
}

/* A rollback can fail for want of memory; it is made good before the next transaction begins. */
static marey_status end_the_last(mry_store *store, marey_error *error)
{
    assert(sqlite3_get_autocommit(store->db) || store->rollback_failed);
    mry_store_rollback(store);
    return store->rollback_failed ? mry_store_note(store, SQLITE_NOMEM, error) : MAREY_OK;
}

/* IMMEDIATE: a transaction that turned to writing only later could find its view of the file outdated. */
marey_status mry_store_begin(mry_store *store, marey_error *error)
{
    marey_status status = end_the_last(store, error);
    if (status) return status;
    if (!store->can_write) return mry_store_note(store, SQLITE_READONLY, error);
    store->failure.status = MAREY_OK;
    return run(store, "BEGIN IMMEDIATE", error);
}

marey_status mry_store_begin_now(mry_store *store, marey_error *error)
{
    store->patience_ms = 0;
    marey_status status = mry_store_begin(store, error);
    store->patience_ms = MRY_PATIENCE_MS;
    return status;
}

/* SQLite ends a transaction by itself after some failures (disk, memory). Committing then would look like
   success of what is not there, so the failure is reported again. */
marey_status mry_store_commit(mry_store *store, marey_error *error)
{
    if (sqlite3_get_autocommit(store->db)) {
        if (store->failure.status == MAREY_OK) mry_store_note(store, SQLITE_IOERR, NULL);
        if (error) *error = store->failure;
        return store->failure.status;
    }
    marey_status status = run(store, "COMMIT", error);
    if (status != MAREY_OK) mry_store_rollback(store);
    if (status == MAREY_OK) retry_log(store);
    return status;
}

void mry_store_rollback(mry_store *store)
{
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
    status = run(store, "BEGIN; SELECT count(*) FROM sqlite_schema", error);
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
