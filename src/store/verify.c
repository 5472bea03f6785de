/* verify.c - the check of every stored byte, in three passes that know more and more: the sum of
   each page, straight from the file, used or not; the list of tables against the one that belongs
   there, and SQLite's own look at its trees and at foreign keys; each blob unpacked and hashed. A
   pass that damage stops does not stop the next, and what one page hides from the table is still
   listed by the index, so that a damaged blob is named. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/page_sums.h"
#include "store/store_inside.h"

enum {
    PAGES_AT_ONCE = 256, /* 1 MiB */
    MOST_REPORTED = 1000,
    MOST_STRUCTURE = 100, /* of what SQLite finds */
    RETRIES = 3
};

static const size_t most_blob = (size_t)8 << 30;

typedef struct check {
    marey_ctx *ctx;
    mry_store *store; /* NULL where the file could not be opened */
    const mry_verify_def *def;
    marey_error *error;
    bool has_log; /* a log with something in it lies beside the file */
    int64_t problems;
    int64_t first_bad, bad; /* pages in a row that are damaged, not yet reported */
} check;

__attribute__((format(printf, 2, 3))) static void report(check *c, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ') *p = ' ';
    }
    if (++c->problems <= MOST_REPORTED && c->def->found) c->def->found(c->def->user, text);
}

/* Reports why a statement ended early, or fails the check with it: damage and a failing disk are
   what was looked for; without memory there is no check. */
static marey_status settle(check *c, marey_status status, const marey_error *why,
                           const char *subject)
{
    marey_status group = marey_status_group(status);
    if (status == MAREY_OK) return MAREY_OK;
    if (group == MAREY_ERR_INPUT || group == MAREY_ERR_IO || status == MAREY_ERR_LIMIT ||
        status == MAREY_ERR_REQUEST) {
        report(c, "%s: %s", subject, why->message);
        return MAREY_OK;
    }
    if (c->error) *c->error = *why;
    return status;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Those in a row are one problem: what fell over a file seldom fell over a single page. */
static void report_pages(check *c, int64_t pages)
{
    int64_t first = c->first_bad, end = first + c->bad;
    if (c->bad > 0 && c->bad == pages)
        report(c, "this is no library of marey, or nothing is left of it: no page is whole");
    else if (c->bad == 1)
        report(c, "page %" PRId64 " is damaged (bytes %" PRId64 " to %" PRId64 ")", first + 1,
               first * MRY_PAGE_BYTES, end * MRY_PAGE_BYTES - 1);
    else if (c->bad > 1)
        report(c, "pages %" PRId64 " to %" PRId64 " are damaged (bytes %" PRId64 " to %" PRId64 ")",
               first + 1, end, first * MRY_PAGE_BYTES, end * MRY_PAGE_BYTES - 1);
    c->bad = 0;
}

/* Only while there is a log does any program write to the file itself. A page that is new in the
   log may be a hole in the file until readers allow the rest to be moved; the passes that read
   through SQLite see it in the log. And another program may be at this page just now; its locks are
   not ours to wait for, so look again. */
static void check_page(check *c, sqlite3_file *file, unsigned char *page, int64_t index)
{
    static const unsigned char zeros[MRY_PAGE_BYTES];
    if (c->bad > 0 && c->first_bad + c->bad != index) report_pages(c, 0);
    if (mry_page_sum_holds(page, index)) return;
    if (c->has_log && memcmp(page, zeros, MRY_PAGE_BYTES) == 0) return;
    int tries = c->has_log && c->problems + c->bad < MOST_REPORTED ? RETRIES : 0;
    for (int i = 0; i < tries; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 1000000L << 2 * i }, NULL);
        int rc = file->pMethods->xRead(file, page, MRY_PAGE_BYTES, index * MRY_PAGE_BYTES);
        /* Short: a checkpoint has made the file shorter meanwhile. */
        if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ) return;
    }
    if (c->bad == 0) c->first_bad = index;
    c->bad++;
}

static marey_status check_pages(check *c, sqlite3 *db, const char *path)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc == SQLITE_OK) rc = file->pMethods->xFileSize(file, &size);
    if (rc != SQLITE_OK) return mry_sqlite_fail(db, rc, path, c->error);
    c->has_log = mry_store_has_log(db);
    mry_arena tmp = mry_arena_make(c->ctx);
    unsigned char *chunk = mry_arena_zero(&tmp, PAGES_AT_ONCE, MRY_PAGE_BYTES);
    marey_status status = chunk ? MAREY_OK : mry_fail_memory(c->error, path);
    int64_t pages = size / MRY_PAGE_BYTES;
    for (int64_t first = 0; first < pages && status == MAREY_OK; first += PAGES_AT_ONCE) {
        int64_t count = pages - first < PAGES_AT_ONCE ? pages - first : PAGES_AT_ONCE;
        rc =
            file->pMethods->xRead(file, chunk, (int)count * MRY_PAGE_BYTES, first * MRY_PAGE_BYTES);
        /* A single page read through the VFS is filled in even where the VFS finds its sum
           wrong. */
        bool readable = rc == SQLITE_OK || rc == SQLITE_IOERR_DATA;
        for (int64_t i = 0; readable && i < count; i++)
            check_page(c, file, chunk + i * MRY_PAGE_BYTES, first + i);
        for (int64_t i = 0; !readable && i < count; i++) { /* the disk refuses some of these */
            rc = file->pMethods->xRead(file, chunk, MRY_PAGE_BYTES, (first + i) * MRY_PAGE_BYTES);
            if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ) continue;
            report(c, "page %" PRId64 " %s", first + i + 1,
                   rc == SQLITE_IOERR_DATA ? "is damaged" : "does not read: the disk failed");
        }
        /* With a log beside the file, the file may be shorter or longer than the library for a
           while. */
        if (first == 0 && !c->has_log) {
            uint32_t stated = 0;
            for (int i = 28; i < 32; i++) stated = stated << 8 | chunk[i];
            if (size % MRY_PAGE_BYTES != 0) {
                report(c, "the file ends inside page %" PRId64, pages + 1);
            } else if (stated != pages && mry_page_sum_holds(chunk, 0)) {
                report(c, "the file has %" PRId64 " pages and should have %" PRIu32, pages, stated);
            }
        }
        if (!mry_progress(c->ctx, "checking pages", first, pages))
            status = mry_fail_cancelled(c->error);
    }
    report_pages(c, pages);
    if (pages == 0) report(c, size == 0 ? "the file is empty" : "the file is too short");
    mry_arena_free(&tmp);
    return status;
}

/* ---- content --------------------------------------------------------------------------------- */

static void report_difference(void *user, const char *difference)
{
    report(user, "%s", difference);
}

/* Every blob that `sql` lists; *stopped: damage ended the list early. */
static marey_status check_blobs(check *c, const char *sql, bool *stopped)
{
    const mry_verify_def *def = c->def;
    marey_error why = { 0 };
    marey_status status = MAREY_OK;
    int64_t done = 0;
    mry_round list = { 0 };
    bool goes_round = false;
    mry_query query = mry_query_start(c->store, sql);
    while (status == MAREY_OK && mry_query_next(&query)) {
        char kind[64], name[128]; /* only for messages; a cut name still says which */
        snprintf(kind, sizeof kind, "%s", mry_column_text(&query, 1));
        snprintf(name, sizeof name, "%s", mry_column_text(&query, 2));
        int64_t id = mry_column_integer(&query, 0);
        goes_round = mry_goes_round(&list, (uint64_t)id);
        if (query.status != MAREY_OK || goes_round) break;
        mry_arena tmp = mry_arena_make(c->ctx);
        void *bytes;
        size_t count;
        status = mry_blob_get(c->store, id, most_blob, &tmp, &bytes, &count, &why);
        mry_arena_free(&tmp);
        if (status != MAREY_OK) {
            char plain[256];
            snprintf(plain, sizeof plain, "%s %s", kind, name);
            const char *better =
                def->name_blob ? def->name_blob(def->user, c->store, kind, name, id) : NULL;
            status = settle(c, status, &why, better ? better : plain);
        }
        if (status == MAREY_OK && !mry_progress(c->ctx, "checking stored data", done++, 0))
            status = mry_fail_cancelled(c->error);
    }
    marey_status ended = mry_query_end(&query, &why);
    if (goes_round) report(c, "list of stored data: it has no end");
    *stopped = ended != MAREY_OK || goes_round;
    return status != MAREY_OK ? status : settle(c, ended, &why, "list of stored data");
}

/* SQLite says of a page that it had no memory for, or that did not read, what it says of damage. So
   only what it says twice is reported, and beside it that the disk failed. */
static marey_status check_structure(check *c)
{
    marey_error why = { 0 };
    marey_status status = MAREY_OK;
    bool sound = false;
    mry_page_sums_refused(c->store->db);
    for (int round = 0; round < 2 && !sound && status == MAREY_OK; round++) {
        mry_query query = mry_query_start(c->store, "PRAGMA integrity_check(100)");
        sound = true;
        for (int left = MOST_STRUCTURE; left > 0 && mry_query_next(&query); left--) {
            const char *text = mry_column_text(&query, 0);
            if (strcmp(text, "ok") == 0) continue;
            if (round > 0) report(c, "structure: %s", text);
            sound = false;
        }
        status = mry_query_end(&query, &why);
    }
    if (mry_page_sums_refused(c->store->db) != SQLITE_OK)
        report(c, "structure: a page does not read: the disk failed");
    return settle(c, status, &why, "structure");
}

static marey_status check_content(check *c)
{
    mry_store *store = c->store;
    mry_schema_found found = { report_difference, c };
    marey_error why = { 0 };
    bool own_view = sqlite3_get_autocommit(store->db), stopped = false;
    marey_status status = own_view ? mry_store_snapshot(store, &why) : MAREY_OK;
    if (status != MAREY_OK) return settle(c, status, &why, "content");
    /* The schema once more after opening: another program may have been at it since. */
    status = mry_schema_compare(c->ctx, store->db, NULL, store->schema, store->schema->step_count,
                                store->path, &found, &why);
    status = settle(c, status, &why, "schema");
    if (status == MAREY_OK) status = check_structure(c);
    if (status == MAREY_OK) {
        mry_query query = mry_query_start(store, "PRAGMA foreign_key_check");
        for (int left = MOST_STRUCTURE; left > 0 && mry_query_next(&query); left--) {
            char table[64], parent[64]; /* one column's text may move when the next is asked for */
            snprintf(table, sizeof table, "%s", mry_column_text(&query, 0));
            snprintf(parent, sizeof parent, "%s", mry_column_text(&query, 2));
            report(c, "row %" PRId64 " of %s refers to a row of %s that is not there",
                   mry_column_integer(&query, 1), table, parent);
        }
        status = settle(c, mry_query_end(&query, &why), &why, "references");
    }
    /* The index holds id, kind and name by itself; the table is asked only where damage cut that
       list short. */
    if (status == MAREY_OK)
        status = check_blobs(c,
                             "SELECT id, kind, name FROM blob"
                             " INDEXED BY sqlite_autoindex_blob_1 ORDER BY kind, name",
                             &stopped);
    if (status == MAREY_OK && stopped)
        status =
            check_blobs(c, "SELECT id, kind, name FROM blob NOT INDEXED ORDER BY id", &stopped);
    if (own_view) mry_store_rollback(store);
    return status;
}

/* What lies in the log only is moved into the file first, as far as readers allow, since a page
   that a dead program left half written in the file is whole in the log. */
marey_status mry_store_verify(mry_store *store, const mry_verify_def *def, int64_t *problems,
                              marey_error *error)
{
    check c = { .ctx = store->ctx, .store = store, .def = def, .error = error };
    if (store->is_copy) {
        marey_status raw = mry_store_verify_pages(store->ctx, store->path, def, &c.problems, error);
        if (raw != MAREY_OK) return raw;
    } else {
        sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        marey_status raw = check_pages(&c, store->db, store->path);
        if (raw != MAREY_OK) return raw;
    }
    marey_status status = check_content(&c);
    if (status == MAREY_OK) *problems = c.problems;
    return status;
}

marey_status mry_store_verify_pages(marey_ctx *ctx, const char *path, const mry_verify_def *def,
                                    int64_t *problems, marey_error *error)
{
    check c = { .ctx = ctx, .def = def, .error = error };
    marey_status status = mry_store_check_path(path, error);
    if (status != MAREY_OK) return status;
    mry_arena tmp = mry_arena_make(ctx);
    sqlite3 *db = NULL;
    int rc = mry_connect(&tmp, path, SQLITE_OPEN_READONLY, "", &db);
    status = rc == SQLITE_OK ? check_pages(&c, db, path) : mry_sqlite_fail(db, rc, path, error);
    sqlite3_close(db);
    mry_arena_free(&tmp);
    if (status == MAREY_OK) *problems = c.problems;
    return status;
}
