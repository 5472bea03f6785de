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

/* Calls that fail with a code of SQLite or an errno; that can only fail for want of memory; that only say something. */
typedef enum kind { OF_SQLITE, OF_SYSTEM, OF_MEMORY, OF_RULES } kind;

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
    const void *
        chosen; /* calls from there fail: number `call` of them, or with `lasting` all from it on; NULL: none */
    long call, seen;
    bool lasting;
    int code;
    bool failed;         /* it did */
    const void *stopped; /* what a step failed of: ending it says so again */
} calls;

/* Besides, or instead: one call of this name fails, with those that follow or not. `code` 0: it does nothing. */
typedef struct rule {
    const char *name;
    long call; /* counted from 0 */
    int code;
    bool lasting;
} rule;

enum { MOST_RULES = 3 };

static struct {
    const rule *rules;
    int count;
    long seen[MOST_RULES];
} ruled;

/* SQLite calls itself and the system, which is its own affair. */
static bool is_ours(const void *at)
{
    Dl_info about = { 0 };
    return !dladdr(at, &about) || !about.dli_fname || !strstr(about.dli_fname, "libsqlite3");
}

static bool fails(kind of, const char *name, const void *at)
{
    int i = 0;
    for (int r = 0; r < ruled.count; r++) {
        const rule *one = &ruled.rules[r];
        if (strcmp(one->name, name) != 0 || !is_ours(at)) continue;
        long call = ruled.seen[r]++;
        if (one->lasting ? call < one->call : call != one->call) continue;
        calls.failed = true;
        calls.of = of;
        errno = calls.code = one->code;
        return true;
    }
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

FAILS(OF_RULES, int, sqlite3_db_readonly, (sqlite3 * db, const char *name), (db, name), calls.code)

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
        if (!fails(OF_SYSTEM, #name, __builtin_return_address(0))) return (type)(call);            \
        return calls.code ? -1 : 0;                                                                \
    }

SYSTEM_FAILS(int, stat, (const char *path, struct stat *about), fstatat(AT_FDCWD, path, about, 0))
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
    ruled.count = 0;
}

static void fail_by(const rule *rules, int count)
{
    heal();
    ruled.rules = rules;
    ruled.count = count;
    memset(ruled.seen, 0, sizeof ruled.seen);
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
    marey_status status = mry_store_open(b->ctx, b->path, MRY_STORE_KEEP, &schema, &store, error);
    if (!status) status = mry_store_begin_now(store, error);
    if (!status) status = mry_changes_note(store, tables, error);
    if (!status) status = add_note(store, "note 2", error);
    if (!status) status = mry_changes_noted(store, &tmp, &bytes, &size, error);
    if (!status) status = mry_store_commit(store, error);
    if (!status) status = mry_store_begin(store, error);
    if (!status) status = mry_changes_apply(store, tables, bytes, size, true, &conflict, error);
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
    marey_status status = mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema, &store, error);
    if (!status)
        status =
            mry_store_open_beside(b->ctx, store, b->path, MRY_STORE_READ, &schema, &beside, error);
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
    marey_status status = mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema_2, &store, error);
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
    test_ctx_close(b->ctx);
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

/* Each place fails at one of its first calls, alone and with all that follow, and at its last. Each for one reason after the
   other, with MAREY_LONG for all. */
enum { FIRST_CALLS = 3, WAYS = 2 * FIRST_CALLS + 1 };

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
        for (int way = 0; way < WAYS; way++) {
            long call = way < WAYS - 1 ? way / 2 : places[i].calls - 1;
            if (way == WAYS - 1 ? call < FIRST_CALLS : call >= places[i].calls) continue;
            for (int r = 0; r < count; r++) {
                const reason *why = &reasons[r];
                if (!test_is_long() && r != next % count) continue;
                calls.chosen = places[i].at;
                calls.call = call;
                calls.lasting = way % 2 == 1;
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
    { SQLITE_NOMEM, MAREY_ERR_MEMORY },
    { SQLITE_IOERR_FSTAT, MAREY_ERR_IO },
    { SQLITE_FULL, MAREY_ERR_IO },
    { SQLITE_BUSY, MAREY_ERR_BUSY },
    { SQLITE_IOERR_NOMEM, MAREY_ERR_MEMORY },
    { SQLITE_INTERRUPT, MAREY_OK },
    { SQLITE_CORRUPT, MAREY_OK },
    { SQLITE_ERROR, MAREY_OK },
    { SQLITE_TOOBIG, MAREY_OK },
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

/* ---- one after the other ----------------------------------------------------------------------- */

/* What a code means, and the errno that SQLite kept with it. `path`: 0 the store's, 1 none there, 2 the store's without its
   folder. */
CASE(every_code_of_sqlite_says_whose_fault_it_is)
{
    static const struct {
        int code, number, path;
        marey_status status;
        const char *words;
    } rows[] = {
        { SQLITE_NOMEM, 0, 0, MAREY_ERR_MEMORY, "out of memory" },
        { SQLITE_FULL, 0, 0, MAREY_ERR_IO, "the disk is full" },
        { SQLITE_IOERR_NOMEM, 0, 0, MAREY_ERR_MEMORY, "out of memory" },
        { SQLITE_IOERR_DATA, 0, 0, MAREY_ERR_DAMAGED, "damaged; run marey verify" },
        { SQLITE_IOERR_WRITE, ENOSPC, 0, MAREY_ERR_IO, "the disk is full" },
        { SQLITE_IOERR_WRITE, EDQUOT, 0, MAREY_ERR_IO, "the disk is full" },
        { SQLITE_IOERR_WRITE, EFBIG, 0, MAREY_ERR_IO,
          "this file would be larger than the system allows (see ulimit -f)" },
        { SQLITE_IOERR_WRITE, 0, 0, MAREY_ERR_IO, "cannot write to this library: the disk failed" },
        { SQLITE_IOERR_FSYNC, EIO, 0, MAREY_ERR_IO,
          "cannot write to this library: Input/output error" },
        { SQLITE_IOERR_READ, EIO, 0, MAREY_ERR_IO, "cannot read this library: Input/output error" },
        { SQLITE_IOERR_SHORT_READ, 0, 0, MAREY_ERR_IO,
          "cannot read this library: the disk failed" },
        { SQLITE_IOERR_CORRUPTFS, 0, 0, MAREY_ERR_IO, "cannot read this library: the disk failed" },
        { SQLITE_CORRUPT, 0, 0, MAREY_ERR_DAMAGED, "damaged; run marey verify" },
        { SQLITE_NOTADB, 0, 0, MAREY_ERR_DAMAGED, "damaged; run marey verify" },
        { SQLITE_BUSY_SNAPSHOT, 0, 0, MAREY_ERR_BUSY,
          "another program is writing to this library" },
        { SQLITE_LOCKED, 0, 0, MAREY_ERR_BUSY, "another program is writing to this library" },
        { SQLITE_PROTOCOL, 0, 0, MAREY_ERR_BUSY, "another program is writing to this library" },
        { SQLITE_INTERRUPT, 0, 0, MAREY_ERR_CANCELLED, "cancelled" },
        { SQLITE_READONLY_DIRECTORY, 0, 0, MAREY_ERR_INPUT, "this library is read-only" },
        { SQLITE_PERM, 0, 0, MAREY_ERR_INPUT, "this library is read-only" },
        { SQLITE_AUTH, 0, 0, MAREY_ERR_INPUT, "this library is read-only" },
        { SQLITE_CANTOPEN, 0, 0, MAREY_ERR_INPUT, "cannot open this file" },
        { SQLITE_CANTOPEN, ENOSPC, 0, MAREY_ERR_IO, "the disk is full" },
        { SQLITE_CANTOPEN, EMFILE, 0, MAREY_ERR_IO, "cannot open this file: Too many open files" },
        { SQLITE_CANTOPEN, ENOENT, 1, MAREY_ERR_INPUT,
          "cannot open this file: No such file or directory" },
        { SQLITE_CANTOPEN, ENOENT, 0, MAREY_ERR_IO,
          "cannot open what SQLite keeps beside this library" },
        { SQLITE_CANTOPEN, ENOENT, 2, MAREY_ERR_IO,
          "cannot open what SQLite keeps beside this library" },
        { SQLITE_TOOBIG, 0, 0, MAREY_ERR_LIMIT, "a value is larger than 1 GB" },
        { SQLITE_CONSTRAINT_UNIQUE, 0, 0, MAREY_ERR_REQUEST, "not an error" },
        { SQLITE_ERROR, 0, 0, MAREY_ERR_INPUT, "not as expected (not an error); run marey verify" },
    };
    OWNED(mry_store) *store = NULL;
    char old[1024];
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema, &store, &test_error));
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(b->folder), 0);
    const char *paths[] = { b->path, b->fresh, "calls.marey" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = paths[rows[i].path];
        kept_errno = rows[i].number;
        test_refused(mry_sqlite_fail(store->db, rows[i].code, path, &test_error), rows[i].status,
                     rows[i].words);
        if (rows[i].status != MAREY_ERR_CANCELLED) assert_string_equal(test_error.path, path);
        /* Before there is a connection nothing more is known than the code. */
        bool by_code = rows[i].number == 0 && rows[i].status != MAREY_ERR_REQUEST;
        if (by_code && rows[i].code != SQLITE_ERROR)
            test_refused(mry_sqlite_fail(NULL, rows[i].code, path, &test_error), rows[i].status,
                         rows[i].words);
    }
    /* A folder that allows no new file. */
    const rule locked[] = { { "access", 1, EACCES, false } };
    kept_errno = ENOENT;
    fail_by(locked, 1);
    kept_errno = ENOENT;
    test_refused(mry_sqlite_fail(store->db, SQLITE_CANTOPEN, b->path, &test_error), MAREY_ERR_INPUT,
                 "its folder is read-only");
    heal();
    assert_int_equal(chdir(old), 0);
}

/* The log ends where the limit on the size of files is. */
CASE(a_log_that_the_limit_on_files_cut_off_is_called_that)
{
    OWNED(mry_store) *store = NULL;
    struct rlimit before, most;
    struct stat about;
    char log[320];
    snprintf(log, sizeof log, "%s-wal", b->path);
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema, &store, &test_error));
    test_ok(mry_store_run(store, "UPDATE note SET weight = 0.5", &test_error));
    assert_int_equal(stat(log, &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int spare = 0; spare < 2; spare++) {
        marey_error error = { 0 };
        most = before;
        most.rlim_cur = (rlim_t)about.st_size + (rlim_t)spare;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
        mry_sqlite_fail(store->db, SQLITE_IOERR_WRITE, b->path, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(error.status, MAREY_ERR_IO);
        assert_int_equal(strstr(error.message, "ulimit") != NULL, spare == 0);
    }
}

/* File systems that have no files without a name, that cannot rename without replacing, that write less than asked. */
CASE(a_store_is_made_on_any_file_system)
{
    static const struct {
        rule rules[MOST_RULES];
        const char *words; /* NULL: it is made */
    } rows[] = {
        { { { "open", 0, EOPNOTSUPP, false } }, NULL },
        { { { "open", 0, EISDIR, false } }, NULL },
        { { { "open", 0, EINVAL, false } }, NULL },
        { { { "linkat", 0, ENOENT, false } }, NULL },
        { { { "linkat", 0, EEXIST, false } }, "No such file or directory" }, /* then one is there */
        { { { "linkat", 0, EDQUOT, false } }, "the disk is full" },
        { { { "open", 0, EINVAL, false }, { "renameat2", 0, EINVAL, false } }, NULL },
        { { { "open", 0, EINVAL, false }, { "renameat2", 0, EIO, false } }, "Input/output error" },
        { { { "open", 0, EINVAL, false },
            { "renameat2", 0, EINVAL, false },
            { "link", 0, ENOSPC, false } },
          "the disk is full" },
        { { { "open", 0, EINVAL, false }, { "write", 0, EDQUOT, false } }, "the disk is full" },
        { { { "open", 0, EINVAL, true } }, "Invalid argument" },
        { { { "write", 0, EINTR, false } }, NULL },
        { { { "write", 0, 0, false } }, "the disk is full" },
        { { { "open", 1, EACCES, false } }, NULL }, /* of the folder, to sync it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = 0;
        test_error = (marey_error){ 0 };
        while (count < MOST_RULES && rows[i].rules[count].name) count++;
        fail_by(rows[i].rules, count);
        marey_status status = make(b, &test_error);
        heal();
        if (!rows[i].words != !status || (status && !strstr(test_error.message, rows[i].words)))
            fail_msg("%d: %s", (int)i, status ? test_error.message : "OK");
        assert_int_equal(access(b->fresh, F_OK) == 0, !status);
        judge(b, &(place){ .name = "making" });
    }
}

/* A folder that allows no file beside it is no reason not to go on; a disk that fails is. */
CASE(a_copy_that_cannot_be_made_is_done_without_or_said)
{
    static const struct {
        int code;
        const char *words;
    } rows[] = { { EACCES, NULL },
                 { EPERM, NULL },
                 { EROFS, NULL },
                 { ENAMETOOLONG, NULL },
                 { EEXIST, NULL },
                 { ENOSPC, "the disk is full" },
                 { EDQUOT, "the disk is full" },
                 { EIO, "Input/output error" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rule no_file = { "open", 0, rows[i].code, false };
        test_error = (marey_error){ 0 };
        fail_by(&no_file, 1);
        marey_status status = migrate(b, &test_error);
        heal();
        if (!rows[i].words != !status || (status && !strstr(test_error.message, rows[i].words)))
            fail_msg("%d: %s", (int)i, status ? test_error.message : "OK");
        judge(b, &(place){ .name = "copying" });
    }
}

/* What a step committed is undone by the copy. Where that fails, too, the copy stays, and the message says where. */
CASE(a_copy_that_cannot_be_taken_back_stays)
{
    static const char *const broken[] = {
        steps[0], "DELETE FROM note; PRAGMA user_version = 9; COMMIT; BEGIN IMMEDIATE; nonsense"
    };
    const mry_schema bad = { schema.application_id, 2, broken };
    /* The first step copies the file; the second is the way back. */
    static const rule rules[] = { { "sqlite3_backup_step", 1, SQLITE_IOERR_READ, false },
                                  { "sqlite3_backup_init", 1, SQLITE_NOMEM, false },
                                  { "sqlite3_open_v2", 5, SQLITE_CANTOPEN, true } };
    char copy[340];
    snprintf(copy, sizeof copy, "%s-migrating", b->path);
    for (int i = 0; i < 3; i++) {
        mry_store *store = NULL;
        size_t count;
        for (int told = 0; told < 2; told++) {
            marey_error error = { 0 };
            fail_by(&rules[i], 1);
            marey_status status = mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &bad, &store,
                                                 told ? &error : NULL);
            heal();
            assert_int_equal(status, MAREY_ERR_INPUT);
            if (told && !strstr(error.message, "this library as it was before is in"))
                fail_msg("%d: %s", i, error.message);
            if (told) assert_non_null(strstr(error.message, copy));
            char *bytes = test_file_read(copy, &count);
            test_file_write(b->path, bytes, count);
            free(bytes);
        }
        judge(b, &(place){ .name = "taking back" });
    }
}

/* Its rights say no; its rights say yes, and SQLite opened it for reading all the same, for want of a handle perhaps. */
CASE(a_store_that_opens_for_reading_only_is_not_written)
{
    static const rule rules[] = { { "sqlite3_db_readonly", 0, 1, false },
                                  { "access", 0, EACCES, false } };
    for (int i = 1; i <= 2; i++) {
        mry_store *store = NULL;
        fail_by(rules, i);
        test_refused(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema, &store, &test_error),
                     i == 1 ? MAREY_ERR_IO : MAREY_ERR_INPUT,
                     i == 1 ? "opening this library for writing failed; try again"
                            : "this library is read-only");
        heal();
    }
}

/* What SQLite keeps beside a file is refused by rights, or because the disk is full: one that has no log is read without. */
CASE(a_reader_does_without_files_beside_the_store)
{
    static const int codes[] = { SQLITE_CANTOPEN, SQLITE_READONLY_DIRECTORY, SQLITE_PERM,
                                 SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        OWNED(mry_store) *store = NULL;
        int64_t notes;
        const rule refused = { "sqlite3_exec", 0, codes[i], false };
        fail_by(&refused, 1);
        test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_READ, &schema, &store, &test_error));
        heal();
        test_ok(read_notes(store, &notes, &test_error));
        assert_int_equal(notes, 1);
        fail_by(&refused, 1);
        assert_int_not_equal(migrate(b, &test_error), MAREY_OK); /* a writer cannot */
        heal();
    }
}

/* What could not be rolled back is rolled back before anything else begins. */
CASE(a_rollback_that_failed_is_made_good_first)
{
    OWNED(mry_store) *store = NULL;
    int64_t notes;
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema, &store, &test_error));
    test_ok(mry_store_begin(store, &test_error));
    test_ok(mry_store_run(store, "DELETE FROM note", &test_error));
    static const rule never = { "sqlite3_exec", 0, SQLITE_NOMEM, true };
    fail_by(&never, 1);
    mry_store_rollback(store);
    assert_int_equal(mry_store_begin(store, &test_error), MAREY_ERR_MEMORY);
    assert_int_equal(mry_store_snapshot(store, &test_error), MAREY_ERR_MEMORY);
    heal();
    test_ok(read_notes(store, &notes, &test_error));
    assert_int_equal(notes, 1);
}

/* SQLite ends a transaction by itself after some failures: what failed is said again. */
CASE(a_transaction_that_sqlite_ended_is_not_committed)
{
    OWNED(mry_store) *store = NULL;
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &schema, &store, &test_error));
    for (int known = 0; known < 2; known++) {
        test_ok(mry_store_begin(store, &test_error));
        if (known)
            assert_int_equal(mry_store_run(store, "INSERT INTO note SELECT * FROM note", NULL),
                             MAREY_ERR_REQUEST);
        test_ok(mry_store_run(store, "ROLLBACK", &test_error));
        assert_int_equal(mry_store_commit(store, NULL), known ? MAREY_ERR_REQUEST : MAREY_ERR_IO);
        test_refused_about(mry_store_commit(store, &test_error),
                           known ? MAREY_ERR_REQUEST : MAREY_ERR_IO,
                           known ? "UNIQUE" : "cannot write to this library");
    }
}

TEST_GROUP_OF_CASES(test_store_calls, NULL, NULL)
