/* test_store_calls.c - every place where the store calls SQLite, zstd or the system fails in turn, whatever the reason:
   what fails says so, holds nothing afterwards and leaves a file that is as before or after. The disk below SQLite and
   its memory fail in test_store_faults; here it is the calls themselves, so that one run reaches each of them. */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "small_store.h"
#include "store/store_inside.h"

/* ---- calls that fail -------------------------------------------------------------------------- */

enum { MOST_PLACES = 400 };

/* Calls that fail with a code of SQLite or an errno; that can only fail for want of memory. */
typedef enum kind { OF_SQLITE, OF_SYSTEM, OF_MEMORY } kind;

/* A place is where a call returns to. */
typedef struct place {
    const void *at;
    const char *name;
    long calls;
} place;

static struct {
    bool on;
    kind of;
    place places[MOST_PLACES];
    int count;
    const void *chosen; /* calls from there fail: number `call` of them, or with `lasting` all from it on; NULL: none */
    long call, seen;
    bool lasting;
    int code;
    bool failed;        /* it did */
    const void *stopped; /* what a step failed of: ending it says so again */
} calls;

/* SQLite calls itself and the system, which is its own affair. */
static bool is_ours(const void *at)
{
    Dl_info about = { 0 };
    return !dladdr(at, &about) || !about.dli_fname || !strstr(about.dli_fname, "libsqlite3");
}

static bool fails(kind of, const char *name, const void *at)
{
    int i = 0;
    if (!calls.on || calls.of != of) return false;
    while (i < calls.count && (calls.places[i].at != at || calls.places[i].name != name)) i++;
    if (i == calls.count) {
        if (!is_ours(at) || i == MOST_PLACES) return false;
        calls.places[calls.count++] = (place){ at, name, 0 };
    }
    calls.places[i].calls++;
    if (at != calls.chosen) return false;
    long call = calls.seen++;
    bool hit = calls.lasting ? call >= calls.call : call == calls.call;
    calls.failed |= hit;
    if (hit && of == OF_SYSTEM) errno = calls.code;
    return hit;
}

/* Takes the place of a function of a library in this program. */
#define FAILS(of, type, name, parameters, arguments, failed)                                       \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        void *found = next ? NULL : dlsym(RTLD_NEXT, #name);                                       \
        if (found) memcpy(&next, &found, sizeof found);                                            \
        return fails(of, #name, __builtin_return_address(0)) ? failed : next arguments;            \
    }
#define SQLITE_FAILS(name, parameters, arguments)                                                  \
    FAILS(OF_SQLITE, int, name, parameters, arguments, calls.code)

SQLITE_FAILS(sqlite3_exec,
             (sqlite3 * db, const char *sql, int (*each)(void *, int, char **, char **), void *user,
              char **message),
             (db, sql, each, user, message))
SQLITE_FAILS(sqlite3_open_v2, (const char *path, sqlite3 **db, int flags, const char *vfs),
             (path, db, flags, vfs))
SQLITE_FAILS(sqlite3_prepare_v2,
             (sqlite3 * db, const char *sql, int count, sqlite3_stmt **out, const char **rest),
             (db, sql, count, out, rest))
SQLITE_FAILS(sqlite3_prepare_v3,
             (sqlite3 * db, const char *sql, int count, unsigned flags, sqlite3_stmt **out,
              const char **rest),
             (db, sql, count, flags, out, rest))
SQLITE_FAILS(sqlite3_bind_int64, (sqlite3_stmt * rows, int at, sqlite3_int64 value),
             (rows, at, value))
SQLITE_FAILS(sqlite3_bind_double, (sqlite3_stmt * rows, int at, double value), (rows, at, value))
SQLITE_FAILS(sqlite3_bind_null, (sqlite3_stmt * rows, int at), (rows, at))
SQLITE_FAILS(sqlite3_bind_text64,
             (sqlite3_stmt * rows, int at, const char *text, sqlite3_uint64 count,
              void (*end)(void *), unsigned char encoding),
             (rows, at, text, count, end, encoding))
SQLITE_FAILS(sqlite3_bind_blob64,
             (sqlite3_stmt * rows, int at, const void *bytes, sqlite3_uint64 count,
              void (*end)(void *)),
             (rows, at, bytes, count, end))
SQLITE_FAILS(sqlite3_file_control, (sqlite3 * db, const char *name, int operation, void *argument),
             (db, name, operation, argument))
SQLITE_FAILS(sqlite3_wal_checkpoint_v2,
             (sqlite3 * db, const char *name, int mode, int *log, int *moved),
             (db, name, mode, log, moved))
SQLITE_FAILS(sqlite3session_create, (sqlite3 * db, const char *name, sqlite3_session **out),
             (db, name, out))
SQLITE_FAILS(sqlite3session_attach, (sqlite3_session * session, const char *table),
             (session, table))
SQLITE_FAILS(sqlite3session_changeset, (sqlite3_session * session, int *size, void **bytes),
             (session, size, bytes))
SQLITE_FAILS(sqlite3changeset_apply_v2,
             (sqlite3 * db, int size, void *bytes, int (*is_listed)(void *, const char *),
              int (*conflict)(void *, int, sqlite3_changeset_iter *), void *user, void **rebase,
              int *rebase_size, int flags),
             (db, size, bytes, is_listed, conflict, user, rebase, rebase_size, flags))
FAILS(OF_SQLITE, sqlite3_backup *, sqlite3_backup_init,
      (sqlite3 * to, const char *to_name, sqlite3 *from, const char *from_name),
      (to, to_name, from, from_name), NULL)
FAILS(OF_MEMORY, unsigned char *, sqlite3_serialize,
      (sqlite3 * db, const char *name, sqlite3_int64 *size, unsigned flags),
      (db, name, size, flags), NULL)
FAILS(OF_MEMORY, const unsigned char *, sqlite3_column_text, (sqlite3_stmt * rows, int column),
      (rows, column), NULL)
FAILS(OF_MEMORY, const void *, sqlite3_column_blob, (sqlite3_stmt * rows, int column),
      (rows, column), NULL)

#define FAILED_AND_STOPPED(of) (calls.stopped = (of), calls.code)
FAILS(OF_SQLITE, int, sqlite3_step, (sqlite3_stmt * rows), (rows), FAILED_AND_STOPPED(rows))
FAILS(OF_SQLITE, int, sqlite3_backup_step, (sqlite3_backup * backup, int pages), (backup, pages),
      FAILED_AND_STOPPED(backup))

/* As SQLite does it. */
#define ENDS(name, type)                                                                           \
    int name(type *stopped)                                                                        \
    {                                                                                              \
        static int (*next)(type *);                                                                \
        void *found = next ? NULL : dlsym(RTLD_NEXT, #name);                                       \
        if (found) memcpy(&next, &found, sizeof found);                                            \
        int rc = next(stopped);                                                                    \
        return stopped && stopped == calls.stopped ? calls.code : rc;                              \
    }
ENDS(sqlite3_finalize, sqlite3_stmt)
ENDS(sqlite3_backup_finish, sqlite3_backup)

/* What failed is what SQLite says of itself afterwards. */
int sqlite3_extended_errcode(sqlite3 *db)
{
    static int (*next)(sqlite3 *);
    void *found = next ? NULL : dlsym(RTLD_NEXT, "sqlite3_extended_errcode");
    if (found) memcpy(&next, &found, sizeof found);
    return calls.failed && calls.of != OF_SYSTEM ? calls.code : next(db);
}

/* The errno that SQLite kept. */
static int kept_errno;

int sqlite3_system_errno(sqlite3 *db)
{
    static int (*next)(sqlite3 *);
    void *found = next ? NULL : dlsym(RTLD_NEXT, "sqlite3_system_errno");
    if (found) memcpy(&next, &found, sizeof found);
    return kept_errno ? kept_errno : next(db);
}

FAILS(OF_MEMORY, size_t, ZSTD_compress,
      (void *to, size_t room, const void *from, size_t count, int level),
      (to, room, from, count, level), (size_t)-ZSTD_error_memory_allocation)
FAILS(OF_MEMORY, size_t, ZSTD_decompress, (void *to, size_t room, const void *from, size_t count),
      (to, room, from, count), (size_t)-ZSTD_error_memory_allocation)

#define SYSTEM_FAILS(type, name, parameters, call)                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        return fails(OF_SYSTEM, #name, __builtin_return_address(0)) ? -1 : (type)(call);           \
    }

SYSTEM_FAILS(int, stat, (const char *path, struct stat *about),
             fstatat(AT_FDCWD, path, about, 0))
SYSTEM_FAILS(int, access, (const char *path, int mode), faccessat(AT_FDCWD, path, mode, 0))
SYSTEM_FAILS(int, link, (const char *from, const char *to),
             syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0))
SYSTEM_FAILS(int, linkat, (int from_at, const char *from, int to_at, const char *to, int flags),
             syscall(SYS_linkat, from_at, from, to_at, to, flags))
SYSTEM_FAILS(int, renameat2,
             (int from_at, const char *from, int to_at, const char *to, unsigned flags),
             syscall(SYS_renameat2, from_at, from, to_at, to, flags))
SYSTEM_FAILS(ssize_t, write, (int file, const void *bytes, size_t count),
             syscall(SYS_write, file, bytes, count))
SYSTEM_FAILS(ssize_t, pread, (int file, void *bytes, size_t count, off_t at),
             syscall(SYS_pread64, file, bytes, count, at))

int open(const char *path, int flags, ...)
{
    int mode = 0;
    va_list more;
    va_start(more, flags);
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) mode = va_arg(more, int);
    va_end(more);
    return fails(OF_SYSTEM, "open", __builtin_return_address(0))
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void heal(void)
{
    calls.on = calls.failed = false;
    calls.chosen = calls.stopped = NULL;
    kept_errno = 0;
}

/* ---- a store of rows of every kind ------------------------------------------------------------ */

static const char *const steps[] = {
    "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, weight REAL, rest BLOB,"
    " blob INTEGER NOT NULL REFERENCES blob (id))",
    "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
};
static const mry_schema schema = { .application_id = 0x63616c6c, .step_count = 1, .steps = steps };
static const mry_schema schema_2 = { 0x63616c6c, 2, steps };
static const char *const tables[] = { "note", NULL };

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    long idle;
    char folder[256], path[300], fresh[300];
    char *original; /* of one note */
    size_t original_count;
} bench;

static marey_status add_note(mry_store *store, const char *text, marey_error *error)
{
    static const char bytes[] = "what belongs to a note, as bytes that can be packed";
    OWNED(mry_arena) tmp = mry_arena_make(store->ctx);
    mry_packed packed;
    int64_t blob = 0, found = 0;
    void *back;
    size_t count;
    if (!mry_blob_pack(&tmp, bytes, sizeof bytes, 0, &packed)) return mry_fail_memory(error, NULL);
    marey_status status = mry_blob_put(store, "note", text, &packed, &blob, error);
    if (!status) status = mry_blob_find(store, "note", text, &found, error);
    if (!status) assert_int_equal(found, blob);
    if (!status) status = mry_blob_replace(store, blob, &packed, error);
    if (!status) status = mry_blob_get(store, blob, sizeof bytes, &tmp, &back, &count, error);
    if (!status) assert_memory_equal(back, bytes, sizeof bytes);
    if (!status) status = mry_blob_add(store, "other", &packed, NULL, error);
    if (!status)
        status = mry_store_run_with(
            store, error, NULL, "INSERT INTO note (text, weight, rest, blob) VALUES (?, ?, ?, ?)",
            mry_text(text), mry_real(0.5), mry_text(NULL), mry_integer(blob));
    return status;
}

static marey_status read_notes(mry_store *store, int64_t *count, marey_error *error)
{
    *count = 0;
    marey_status status = mry_store_snapshot(store, error);
    if (status) return status;
    mry_query row = mry_query_start(store, "SELECT id, text, weight, rest, 'x' FROM note");
    for (; mry_query_next(&row); ++*count) {
        size_t size;
        const char *text = mry_column_text(&row, 1);
        if (!row.status) assert_true(memcmp(text, "note", 4) == 0);
        double weight = mry_column_number(&row, 2);
        if (!row.status) assert_true(weight == 0.5 && mry_column_is_null(&row, 3));
        mry_column_bytes(&row, 4, &size);
        if (!row.status) assert_int_equal(size, 1);
    }
    status = mry_query_end(&row, error);
    mry_store_rollback(store);
    return status;
}

/* ---- what is tried ----------------------------------------------------------------------------- */

/* A new store, with a folder in front of its name. */
static marey_status make(bench *b, marey_error *error)
{
    OWNED(mry_store) *store = NULL;
    return mry_store_open(b->ctx, b->fresh, MRY_STORE_CREATE, &schema, &store, error);
}

/* Changes that are noted, and taken back. */
static marey_status change(bench *b, marey_error *error)
{
    OWNED(mry_store) *store = NULL;
    OWNED(mry_arena) tmp = mry_arena_make(b->ctx);
    void *bytes = NULL;
    size_t size = 0;
    mry_conflict conflict;
    marey_status status =
        mry_store_open(b->ctx, b->path, MRY_STORE_KEEP, &schema, &store, error);
    if (!status) status = mry_store_begin_now(store, error);
    if (!status) status = mry_changes_note(store, tables, error);
    if (!status) status = add_note(store, "note 2", error);
    if (!status) status = mry_changes_noted(store, &tmp, &bytes, &size, error);
    if (!status) status = mry_store_commit(store, error);
    if (!status) status = mry_store_begin(store, error);
    if (!status)
        status = mry_changes_apply(store, tables, bytes, size, true, &conflict, error);
    if (!status) status = mry_store_commit(store, error);
    if (!status) mry_store_clear_log(store);
    if (store) mry_store_rollback(store);
    return status;
}

/* Two readers, and the check of all there is. */
static marey_status look(bench *b, marey_error *error)
{
    OWNED(mry_store) *store = NULL;
    OWNED(mry_store) *beside = NULL;
    mry_verify_def def = { 0 };
    int64_t notes, problems = 0;
    marey_status status =
        mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema, &store, error);
    if (!status)
        status = mry_store_open_beside(b->ctx, store, b->path, MRY_STORE_READ, &schema, &beside,
                                       error);
    if (!status) status = read_notes(beside, &notes, error);
    if (!status) status = mry_store_verify(store, &def, &problems, error);
    if (!status) status = mry_store_verify_pages(b->ctx, b->path, &def, &problems, error);
    return status;
}

static marey_status look_at_an_older_one(bench *b, marey_error *error)
{
    OWNED(mry_store) *store = NULL;
    mry_verify_def def = { 0 };
    int64_t notes, problems = 0;
    marey_status status =
        mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema_2, &store, error);
    if (!status) status = read_notes(store, &notes, error);
    if (!status) status = mry_store_verify(store, &def, &problems, error);
    if (!status) mry_store_clear_log(store);
    return status;
}

static marey_status migrate(bench *b, marey_error *error)
{
    OWNED(mry_store) *store = NULL;
    return mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema_2, &store, error);
}

typedef marey_status story(bench *b, marey_error *error);

static int bench_make(void **state)
{
    bench *b = *state = calloc(1, sizeof *b);
    mry_store *store = NULL;
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    b->idle = b->memory.live;
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->path, sizeof b->path, "%s/calls.marey", b->folder);
    snprintf(b->fresh, sizeof b->fresh, "%s/new.marey", b->folder);
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_CREATE, &schema, &store, &test_error));
    test_ok(mry_store_begin(store, &test_error));
    test_ok(add_note(store, "note 1", &test_error));
    test_ok(mry_store_commit(store, &test_error));
    mry_store_close(store);
    b->original = test_file_read(b->path, &b->original_count);
    return 0;
}

static int bench_free(void **state)
{
    bench *b = *state;
    heal();
    free(b->original);
    test_folder_remove(b->folder);
    marey_ctx_close(b->ctx);
    long live = b->memory.live;
    free(b);
    return live == 0 ? 0 : -1;
}

#define CASE(name) TEST_OF_IN(bench_make, bench_free, bench *b, name)

/* Whatever failed, the file is sound, has one note or two, and a writer leaves nothing beside it. */
static void judge(bench *b, const place *where)
{
    mry_store *store = NULL;
    int64_t notes = 0, problems = -1;
    mry_verify_def def = { 0 };
    if (b->memory.live != b->idle) fail_msg("%s: something is held", where->name);
    heal();
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema_2, &store, &test_error));
    test_ok(read_notes(store, &notes, &test_error));
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    mry_store_close(store);
    if (problems != 0 || notes < 1 || notes > 2)
        fail_msg("%s: %d problems, %d notes", where->name, (int)problems, (int)notes);
    unlink(b->fresh);
    if (test_folder_count(b->folder) != 1) fail_msg("%s: something was left", where->name);
    test_file_write(b->path, b->original, b->original_count);
}

typedef struct reason {
    int code;
    marey_status means; /* what is said of it, if anything; OK: depends on what was tried */
} reason;

/* Each place fails at its first call, alone and with all that follow, and at its last. Each for one reason after the other,
   with MAREY_LONG for all. */
static void fail_each(bench *b, story *told, kind of, const reason *reasons, int count)
{
    static place places[MOST_PLACES];
    marey_error error = { 0 };
    calls.count = 0;
    calls.of = of;
    calls.on = true;
    marey_status status = told(b, &error);
    heal();
    if (status) fail_msg("%s", error.message);
    int found = calls.count, next = 0, failures = 0;
    memcpy(places, calls.places, sizeof places);
    assert_true(found > 0 && found < MOST_PLACES);
    judge(b, &places[0]);
    for (int i = 0; i < found; i++) {
        for (int way = 0; way < 3; way++) {
            if (way == 2 && places[i].calls == 1) continue;
            for (int r = 0; r < count; r++) {
                const reason *why = &reasons[r];
                if (!test_is_long() && r != next % count) continue;
                calls.chosen = places[i].at;
                calls.call = way < 2 ? 0 : places[i].calls - 1;
                calls.lasting = way == 1;
                calls.code = why->code;
                calls.seen = 0;
                calls.count = 0;
                calls.on = true;
                error = (marey_error){ 0 };
                status = told(b, &error);
                calls.on = false;
                if (getenv("MAREY_SHOW"))
                    print_message("%s %d: code %d: %s\n", places[i].name, way, why->code,
                                  status ? error.message : "OK");
                if (status && (error.status != status || !error.message[0]))
                    fail_msg("%s fails without a word", places[i].name);
                if (status && why->means && status != why->means)
                    fail_msg("%s, code %d: %s", places[i].name, why->code, error.message);
                failures += status != MAREY_OK;
                judge(b, &places[i]);
            }
            next++;
        }
    }
    print_message("%d places, %d failures\n", found, failures);
    assert_true(failures > 0);
}

/* ---- cases ------------------------------------------------------------------------------------- */

static const reason of_sqlite[] = {
    { SQLITE_NOMEM, MAREY_ERR_MEMORY },    { SQLITE_IOERR_FSTAT, MAREY_ERR_IO },
    { SQLITE_FULL, MAREY_ERR_IO },         { SQLITE_BUSY, MAREY_ERR_BUSY },
    { SQLITE_IOERR_NOMEM, MAREY_ERR_MEMORY }, { SQLITE_INTERRUPT, MAREY_OK },
    { SQLITE_CORRUPT, MAREY_OK },
};

static void fail_sqlite(bench *b, story *told)
{
    fail_each(b, told, OF_SQLITE, of_sqlite, sizeof of_sqlite / sizeof *of_sqlite);
}

CASE(every_call_of_sqlite_fails_while_a_store_is_made)
{
    fail_sqlite(b, make);
}

CASE(every_call_of_sqlite_fails_while_it_is_changed)
{
    fail_sqlite(b, change);
}

CASE(every_call_of_sqlite_fails_while_it_is_read)
{
    fail_sqlite(b, look);
}

CASE(every_call_of_sqlite_fails_while_an_older_one_is_read)
{
    fail_sqlite(b, look_at_an_older_one);
}

CASE(every_call_of_sqlite_fails_while_it_is_brought_up_to_date)
{
    fail_sqlite(b, migrate);
}

static story *const stories[] = { make, change, look, look_at_an_older_one, migrate };
enum { STORIES = sizeof stories / sizeof *stories };

CASE(every_call_that_takes_memory_is_refused_it)
{
    static const reason reasons[] = { { SQLITE_NOMEM, MAREY_ERR_MEMORY } };
    for (int i = 0; i < STORIES; i++) fail_each(b, stories[i], OF_MEMORY, reasons, 1);
}

CASE(every_call_of_the_system_fails)
{
    static const reason reasons[] = { { EIO, MAREY_OK },    { EACCES, MAREY_OK },
                                      { ENOSPC, MAREY_OK }, { ENOENT, MAREY_OK },
                                      { EDQUOT, MAREY_OK }, { EROFS, MAREY_OK } };
    for (int i = 0; i < STORIES; i++)
        fail_each(b, stories[i], OF_SYSTEM, reasons, sizeof reasons / sizeof *reasons);
}

TEST_GROUP_OF_CASES(test_store_calls, NULL, NULL)
