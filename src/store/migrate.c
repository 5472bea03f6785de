/* migrate.c - a file of an earlier version is brought up to date. That is one transaction, so a
   program that dies or a power loss leaves the old file or the new one; and since it goes over
   every table, once in a library's life, it does not rest on that alone:

       1  lock the file against other writers
       2  copy it to NAME-migrating, as one transaction too, synced with its folder
       3  take the steps, and check the outcome as verify does, all before anything is committed
       4  commit, remove the copy

   Where 3 or 4 fails the transaction is rolled back, and what is there then is looked at: if it is
   not the old library any more, the copy is taken back, by a transaction that replaces every page,
   so that other programs that have the file open see nothing but a change. A copy is in the way of
   nothing: a later migration makes it anew, and a writer that finds the file up to date removes
   it. */
#include "store/page_sums.h"
#include "store/store_inside.h"

#include "base/context.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = "-migrating", log_ending[] = "-journal";

enum { PAGES_AT_ONCE = 4096 }; /* 16 MiB between two looks for a cancel */

typedef struct copying {
    mry_store *store;
    mry_arena tmp;
    /* Of the copy, beside the file itself, as SQLite follows links; of the journal of making it. */
    const char *path, *journal;
    bool made;
} copying;

static bool open_copying(mry_store *store, copying *c)
{
    const char *file = sqlite3_db_filename(store->db, "main");
    size_t length = strlen(file), room = length + sizeof ending + sizeof log_ending;
    *c = (copying){ .store = store, .tmp = mry_arena_make(store->ctx) };
    char *path = mry_arena_take(&c->tmp, room, 1), *journal = mry_arena_take(&c->tmp, room, 1);
    if (!path || !journal) return false;
    stpcpy(stpcpy(path, file), ending);
    stpcpy(stpcpy(journal, path), log_ending);
    c->path = path;
    c->journal = journal;
    return true;
}

/* The journal first, and for certain: found by itself it would be rolled back into the next
   copy. */
static void remove_copy(const copying *c)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(mry_page_sums_vfs());
    if (access(c->journal, F_OK) == 0) vfs->xDelete(vfs, c->journal, 1);
    vfs->xDelete(vfs, c->path, 1);
}

/* ---- the copy -------------------------------------------------------------------------------- */

int mry_copy_pages(marey_ctx *ctx, const char *activity, sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    int rc = backup ? SQLITE_OK : sqlite3_extended_errcode(to);
    while (rc == SQLITE_OK) {
        rc = sqlite3_backup_step(backup, PAGES_AT_ONCE);
        int total = sqlite3_backup_pagecount(backup);
        if (ctx && !mry_progress(ctx, activity, total - sqlite3_backup_remaining(backup), total))
            rc = SQLITE_INTERRUPT;
    }
    int finished = backup ? sqlite3_backup_finish(backup) : SQLITE_OK;
    return rc == SQLITE_DONE ? finished : rc;
}

/* An empty file for the copy, with the rights of the file. A folder that allows no new file is no
   reason to refuse a file that can be written: the transaction alone has to do. */
static marey_status reserve_name(copying *c, bool *refused, marey_error *error)
{
    const char *file = sqlite3_db_filename(c->store->db, "main");
    sqlite3_vfs *vfs = sqlite3_vfs_find(mry_page_sums_vfs());
    struct stat about;
    *refused = strlen(c->journal) > (size_t)vfs->mxPathname;
    if (*refused) return MAREY_OK;
    int failed = stat(file, &about) != 0 ? errno : 0, handle = -1;
    if (!failed) {
        handle =
            open(c->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, about.st_mode & 0666);
        failed = handle < 0 ? errno : 0;
    }
    if (handle >= 0) close(handle);
    *refused = failed == EACCES || failed == EPERM || failed == EROFS || failed == ENAMETOOLONG ||
               failed == EEXIST; /* one that was left could not be removed */
    if (!failed || *refused) return MAREY_OK;
    if (failed == ENOSPC || failed == EDQUOT)
        return mry_sqlite_fail(NULL, SQLITE_FULL, c->store->path, error);
    return mry_fail_errno(error, -failed, "create", c->path);
}

/* A connection of its own reads the file: the one that holds the lock may not be read while it
   does. */
static marey_status make_copy(copying *c, marey_error *error)
{
    bool refused = false;
    remove_copy(c); /* of a program that died */
    marey_status status = reserve_name(c, &refused, error);
    if (status || refused) return status;
    sqlite3 *from = NULL, *to = NULL;
    const char *file = sqlite3_db_filename(c->store->db, "main");
    int rc = mry_connect(&c->tmp, file, SQLITE_OPEN_READWRITE, "", &from);
    if (rc != SQLITE_OK) status = mry_sqlite_fail(from, rc, c->store->path, error);
    if (!status) {
        rc = mry_connect(&c->tmp, c->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", &to);
        if (rc == SQLITE_OK) rc = sqlite3_exec(to, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
        if (rc == SQLITE_OK)
            rc = mry_copy_pages(c->store->ctx,
                                "copying the library before its format is brought up to date", from,
                                to);
        if (rc != SQLITE_OK) status = mry_sqlite_fail(to, rc, c->store->path, error);
    }
    sqlite3_close(to);
    sqlite3_close(from);
    if (status) remove_copy(c);
    c->made = !status;
    return status;
}

/* ---- is it what it should be? ---------------------------------------------------------------- */

static void count_difference(void *user, const char *difference)
{
    (void)difference;
    ++*(int *)user;
}

/* Whether the file is one of this version, as far as the list of its tables tells. */
typedef enum answer { NO, YES, UNKNOWN } answer;

static answer is_of_version(mry_store *store, int version)
{
    int at = 0, differences = 0;
    mry_schema_found found = { count_difference, &differences };
    if (!sqlite3_get_autocommit(store->db) || mry_schema_version(store->db, &at) != SQLITE_OK ||
        mry_schema_compare(store->ctx, store->db, NULL, store->schema, version, store->path, &found,
                           NULL) != MAREY_OK)
        return UNKNOWN;
    return at == version && differences == 0 ? YES : NO;
}

/* One row that says ok, or none at all. */
static int check_rows(sqlite3 *db, const char *sql, bool *sound)
{
    sqlite3_stmt *rows = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(rows, 0);
        if (text && strcmp(text, "ok") != 0) *sound = false;
        rc = text ? SQLITE_OK : SQLITE_NOMEM; /* none of them is null */
    }
    int finished = sqlite3_finalize(rows);
    return rc == SQLITE_DONE ? finished : rc;
}

/* What the steps made, while it can still be rolled back. */
static marey_status check_outcome(mry_store *store, marey_error *error)
{
    int differences = 0;
    bool sound = true;
    mry_schema_found found = { count_difference, &differences };
    marey_status status = mry_schema_compare(store->ctx, store->db, NULL, store->schema,
                                             store->schema->step_count, store->path, &found, error);
    if (status) return status;
    mry_page_sums_refused(store->db); /* forgets what was before */
    int rc = check_rows(store->db, "PRAGMA integrity_check(1)", &sound);
    if (rc == SQLITE_OK && !sound) rc = mry_page_sums_refused(store->db);
    if (rc == SQLITE_OK && !sound) { /* it says the same where it had no memory for a page */
        sound = true;
        rc = check_rows(store->db, "PRAGMA integrity_check(1)", &sound);
    }
    if (rc == SQLITE_OK) rc = check_rows(store->db, "PRAGMA foreign_key_check", &sound);
    if (rc != SQLITE_OK) return mry_sqlite_fail(store->db, rc, store->path, error);
    if (sound && differences == 0) return MAREY_OK;
    return mry_sqlite_fail(store->db, SQLITE_CORRUPT, store->path, error);
}

/* ---- there and back -------------------------------------------------------------------------- */

/* False: the copy could not be taken back, and stays. */
static bool take_back(copying *c, int version)
{
    sqlite3 *from = NULL;
    int rc = mry_connect(&c->tmp, c->path, SQLITE_OPEN_READONLY, "immutable=1", &from);
    if (rc == SQLITE_OK) rc = mry_copy_pages(NULL, NULL, from, c->store->db);
    sqlite3_close(from);
    return rc == SQLITE_OK && is_of_version(c->store, version) == YES;
}

marey_status mry_store_migrate(mry_store *store, marey_error *error)
{
    sqlite3 *db = store->db;
    const mry_schema *schema = store->schema;
    copying c;
    int at = 0;
    if (!open_copying(store, &c)) {
        mry_arena_free(&c.tmp);
        return mry_fail_memory(error, store->path);
    }
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = mry_schema_version(db, &at);
    marey_status status = rc == SQLITE_OK ? MAREY_OK : mry_sqlite_fail(db, rc, store->path, error);
    if (!status && at < schema->step_count) { /* else another program was faster */
        status = make_copy(&c, error);
        if (!status) {
            rc = mry_schema_climb(db, schema, at, schema->step_count);
            if (rc != SQLITE_OK) status = mry_sqlite_fail(db, rc, store->path, error);
        }
        if (!status) status = check_outcome(store, error);
        if (!status) {
            rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
            if (rc != SQLITE_OK) status = mry_sqlite_fail(db, rc, store->path, error);
        }
    }
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (c.made) {
        /* Where memory or disk fail so badly that it cannot be seen, the copy stays. */
        answer old = status ? is_of_version(store, at) : YES;
        if (old == YES || (old == NO && take_back(&c, at))) {
            remove_copy(&c);
        } else if (old == NO) {
            marey_error why = error ? *error : (marey_error){ 0 };
            status =
                mry_fail(error, status, store->path,
                         "%.200s; this library as it was before is in %.200s", why.message, c.path);
        }
    }
    mry_arena_free(&c.tmp);
    return status;
}

/* Only one of an earlier version than the file has: another is being used just now by a newer
   program. */
marey_status mry_store_forget_copy(mry_store *store, marey_error *error)
{
    enum { VERSION_AT = 60 }; /* in the header, big-endian */
    copying c;
    unsigned char bytes[4] = { 0 };
    uint32_t version = 0;
    bool known = open_copying(store, &c);
    int handle = known ? open(c.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    bool there = handle >= 0 && pread(handle, bytes, 4, VERSION_AT) == 4;
    if (handle >= 0) close(handle);
    for (int i = 0; i < 4; i++) version = version << 8 | bytes[i];
    if (there && version > 0 && version < (uint32_t)store->schema->step_count) remove_copy(&c);
    mry_arena_free(&c.tmp);
    return known ? MAREY_OK : mry_fail_memory(error, store->path);
}
