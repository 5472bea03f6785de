/* store_inside.h - what only the files of the store share. */
#ifndef MRY_STORE_INSIDE_H
#define MRY_STORE_INSIDE_H

/* What sqlite3.h has of sessions it shows only to those who ask. */
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

#include "base/fail.h"
#include "store/store.h"

/* A prepared statement that is kept. The same text is prepared again where it is needed inside
   itself. */
typedef struct mry_statement {
    const char *sql; /* found by address */
    sqlite3_stmt *handle;
    bool in_use;
} mry_statement;

struct mry_store {
    marey_ctx *ctx;
    sqlite3 *db;
    mry_arena mem; /* holds path */
    const char *path;
    bool can_write;
    bool rollback_failed; /* a transaction is still open that was given up */
    bool is_copy;         /* db is a migrated copy in memory, not the file */
    size_t copy_bytes;    /* counted for it */
    const mry_schema *schema;
    mry_statement *statements;
    int statement_count;
    int statement_room;
    int patience_ms;          /* how long other programs' locks are waited for */
    bool log_pending;         /* the log could not be cleared while others read it */
    int64_t busy_since_ms;    /* when the wait for another program's lock began */
    sqlite3_session *session; /* what this transaction changes is noted; NULL: it is not */
    marey_error failure;      /* of the statement that failed last; status MAREY_OK: none did */
};

/* Translates an SQLite result code (extended) into a status and a sentence. `db` may be NULL. */
marey_status mry_sqlite_fail(sqlite3 *db, int rc, const char *path, marey_error *error);

/* Notes a failure of `store` and gives its status. */
marey_status mry_store_note(mry_store *store, int rc, marey_error *error);

/* Opens a connection to the file as it is: no schema, no settings, nothing read yet. `options` are
   URI parameters ("immutable=1") or "". *db is NULL or to be closed by sqlite3_close, also on
   failure. */
int mry_connect(mry_arena *tmp, const char *path, int flags, const char *options, sqlite3 **db);

/* Ends what mry_changes_note began. (changes.c) */
void mry_store_stop_recording(mry_store *store);

/* ---- schema.c -------------------------------------------------------------------------------- */

int mry_schema_version(sqlite3 *db, int *version); /* gives an SQLite result code */

/* Takes the steps that lead from version `at` (0: an empty database) to `version`, inside the
   transaction that is open. An SQLite result code. */
int mry_schema_climb(sqlite3 *db, const mry_schema *schema, int at, int version);

/* Brings a database in memory, empty or of an earlier version, to this version in one transaction.
   `path` is for messages. */
marey_status mry_schema_make(sqlite3 *db, const mry_schema *schema, int version, const char *path,
                             marey_error *error);

/* Gets the differences: "the library's schema has an unexpected trigger evil". */
typedef struct mry_schema_found {
    void (*call)(void *user, const char *difference);
    void *user;
} mry_schema_found;

/* Reports every object of the database that this version of the schema does not make, makes
   otherwise, or makes and the database lacks. Reads nothing but the list of objects; 0.5 ms or so.
   OK however many differences there were. What ANALYZE leaves (sqlite_stat1, sqlite_stat4) does not
   count. `checked`: a database of this schema that was compared when it was opened; of the same
   version its list is taken, instead of one that is made for this, which is a tenth of the time.
   NULL: there is none. */
marey_status mry_schema_compare(marey_ctx *ctx, sqlite3 *db, sqlite3 *checked,
                                const mry_schema *schema, int version, const char *path,
                                const mry_schema_found *found, marey_error *error);

/* ---- migrate.c ------------------------------------------------------------------------------- */

/* Brings the file of an earlier version up to date, behind a copy of it that lies beside it for so
   long. On failure the file is as it was. */
marey_status mry_store_migrate(mry_store *store, marey_error *error);

/* All pages of a database into another one, in one transaction of that. With a context it can be
   cancelled, and reports `activity`. An SQLite result code. */
int mry_copy_pages(marey_ctx *ctx, const char *activity, sqlite3 *from, sqlite3 *to);

/* Removes the copy that a program left which died when the file was up to date already. For a file
   that is. */
marey_status mry_store_forget_copy(mry_store *store, marey_error *error);

/* ---- store_error.c, store_open.c ------------------------------------------------ */

/* Makes a new library under `path`, whole or not at all; one that is there already is left
   alone. */
marey_status mry_store_make(marey_ctx *ctx, const char *path, const mry_schema *schema,
                            marey_error *error);

/* INPUT unless the path leads to an ordinary file. */
marey_status mry_store_check_path(const char *path, marey_error *error);

enum { MRY_PATIENCE_MS = 5000, MRY_LOG_PATIENCE_MS = 1000 };

/* Is there a log beside the file with something in it? */
bool mry_store_has_log(sqlite3 *db);

#endif
