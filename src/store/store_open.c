/* store_open.c - from a path to a connection that can be trusted: is it one of our files, which
   version, may it be written, does its folder allow the log that SQLite keeps beside it. A new
   library appears whole, with its schema, or not at all. */
#include "store/page_sums.h"
#include "store/store_inside.h"

#include "base/clock.h"
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Offsets in the header: https://www.sqlite.org/fileformat2.html, 1.3. */
enum { WRITE_VERSION = 18, READ_VERSION = 19, WAL_VERSION = 2 };

enum {
    NAP_MS = 5, /* between two looks */
    STEPS_A_LOOK =
        20000, /* of SQLite's machine between two looks for a cancel: a millisecond or so */
    OPENING_STEPS = 4000, /* of one statement while the schema is not yet compared: ours take 400 */
    OPENING_LENGTH = 1 << 16, /* of one value then; the longest of ours has 500 bytes */
    LONGEST_VALUE = 1 << 30
};

/* ---- a new library --------------------------------------------------------------------------- */

/* The database is made in memory, where nothing can be half done, and its bytes are written to a
   file without a name, which gets its name when they have reached the disk. Linking never replaces
   a file, so of two programs that create the same library one does and the other opens what the
   first made. A kill leaves nothing behind. */

/* The image as it will lie in the file: in WAL mode and with sums. Free it with sqlite3_free. */
static marey_status make_image(const char *path, const mry_schema *schema, unsigned char **image,
                               sqlite3_int64 *size, marey_error *error)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (db) sqlite3_extended_result_codes(db, 1);
    int reserve = MRY_PAGE_SUM_BYTES;
    if (rc == SQLITE_OK)
        rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    char text[96];
    snprintf(text, sizeof text, "PRAGMA page_size = %d; PRAGMA application_id = %d", MRY_PAGE_BYTES,
             schema->application_id);
    if (rc == SQLITE_OK) rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    marey_status status = rc == SQLITE_OK
                              ? mry_schema_make(db, schema, schema->step_count, path, error)
                              : mry_sqlite_fail(db, rc, path, error);
    *image = status == MAREY_OK ? sqlite3_serialize(db, "main", size, 0) : NULL;
    if (status == MAREY_OK && !*image) status = mry_fail_memory(error, path);
    sqlite3_close(db);
    if (status != MAREY_OK) return status;
    (*image)[WRITE_VERSION] = (*image)[READ_VERSION] = WAL_VERSION;
    for (int64_t i = 0; i < *size / MRY_PAGE_BYTES; i++) {
        mry_page_sum_put(*image + i * MRY_PAGE_BYTES, i);
    }
    return MAREY_OK;
}

static int write_all(int file, const unsigned char *bytes, int64_t count)
{
    while (count > 0) {
        ssize_t put = write(file, bytes, (size_t)count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? -errno : -ENOSPC;
        bytes += put;
        count -= put;
    }
    return fsync(file) != 0 ? -errno : 0;
}

marey_status mry_store_make(marey_ctx *ctx, const char *path, const mry_schema *schema,
                            marey_error *error)
{
    if (access(path, F_OK) == 0) return MAREY_OK;
    if (errno != ENOENT) return mry_fail_errno(error, -errno, "create", path);
    mry_arena tmp = mry_arena_make(ctx);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mry_arena_text(&tmp, path, (size_t)(slash - path) + 1)
                         : mry_arena_text(&tmp, ".", 1);
    size_t room = strlen(path) + MRY_PART_ROOM;
    char *part = mry_arena_take(&tmp, room, 1);
    unsigned char *image = NULL;
    sqlite3_int64 size = 0;
    marey_status status = folder && part ? make_image(path, schema, &image, &size, error)
                                         : mry_fail_memory(error, path);
    if (status == MAREY_OK) {
        char handle[64];
        int file = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
        int failed = file >= 0 ? write_all(file, image, size) : -errno;
        bool nameless =
            file >= 0 || (failed != -EOPNOTSUPP && failed != -EISDIR && failed != -EINVAL);
        snprintf(handle, sizeof handle, "/proc/self/fd/%d", file);
        if (!failed && linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0) {
            failed = -errno;
            nameless = failed != -ENOENT;
        }
        if (file >= 0) close(file);
        if (!nameless) { /* file systems without such files */
            file = mry_part_open(ctx, marey_io_system(), path, part, room);
            failed = file < 0 ? file : write_all(file, image, size);
            bool renamed =
                !failed && renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
            if (!failed && !renamed) failed = -errno;
            if (failed == -EINVAL && file >= 0) failed = link(part, path) != 0 ? -errno : 0;
            if (file >= 0 && !renamed) unlink(part);
            if (file >= 0) close(file); /* last: its lock says that the part is in use */
        }
        if (failed == -ENOSPC || failed == -EDQUOT) {
            status = mry_fail(error, MAREY_ERR_IO, path, "the disk is full");
        } else if (failed && failed != -EEXIST) {
            status = mry_fail_errno(error, failed, "create", path);
        }
        /* The name must reach the disk as well. A folder that fails to sync was asked at least. */
        int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (opened >= 0) fsync(opened);
        if (opened >= 0) close(opened);
    }
    sqlite3_free(image);
    mry_arena_free(&tmp);
    return status;
}

/* ---- connecting ------------------------------------------------------------------------------ */

int mry_connect(mry_arena *tmp, const char *path, int flags, const char *options, sqlite3 **db)
{
    *db = NULL;
    const char *vfs = mry_page_sums_vfs();
    size_t length = strlen(path);
    char *uri = mry_arena_take(tmp, 3, length + strlen(options) + 16);
    if (!vfs || !uri) return SQLITE_NOMEM;
    /* The path as a URI, whatever it is made of: "file:" and ":memory:" mean something to SQLite
       elsewhere, and behind "./" or an empty host nothing does. */
    char *out = stpcpy(uri, path[0] == '/' ? "file://" : "file:./");
    for (size_t i = 0; i < length; i++) {
        static const char digits[] = "0123456789abcdef";
        unsigned char c = (unsigned char)path[i];
        if (c == '%' || c == '?' || c == '#') {
            *out++ = '%';
            *out++ = digits[c >> 4];
            *out++ = digits[c & 15];
        } else {
            *out++ = (char)c;
        }
    }
    *out = 0;
    if (options[0]) stpcpy(stpcpy(out, "?"), options);
    int rc = sqlite3_open_v2(uri, db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, vfs);
    if (*db) sqlite3_extended_result_codes(*db, 1);
    return rc != SQLITE_OK && *db ? sqlite3_extended_errcode(*db) : rc;
}

/* SQLite's own waiting sleeps whole seconds on some systems, and does not know of our cancel. */
static int wait_for_lock(void *user, int tries)
{
    mry_store *store = user;
    int64_t now_ms = mry_clock_ns() / 1000000;
    if (tries == 0) store->busy_since_ms = now_ms;
    if (store->patience_ms == 0 || mry_cancelled(store->ctx) ||
        now_ms - store->busy_since_ms > store->patience_ms)
        return 0;
    nanosleep(&(struct timespec){ .tv_nsec = (tries < NAP_MS ? 1 : NAP_MS) * 1000000L }, NULL);
    return 1;
}

/* Without a context at once, else when its work was cancelled. */
static int stops(void *ctx)
{
    return !ctx || mry_cancelled(ctx);
}

/* The file may come from anywhere, so nothing in it may do more than hold rows: no triggers, no
   views, no functions out of its schema, no writing past SQL, no code loaded. Reading the schema,
   which the last of these does, takes little time and memory or is given up: SQLite keeps all of
   it. secure_delete writes zeros to freed pages; so every page of the file has been written and has
   a sum, and what was purged is gone. */
static int configure(mry_store *store)
{
    sqlite3 *db = store->db;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, OPENING_LENGTH);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_busy_handler(db, wait_for_lock, store);
    sqlite3_progress_handler(db, OPENING_STEPS, stops, NULL);
    return sqlite3_exec(db,
                        "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;"
                        "PRAGMA secure_delete = ON; PRAGMA cache_size = -8192;"
                        "PRAGMA synchronous = FULL; SELECT count(*) FROM main.sqlite_master",
                        NULL, NULL, NULL);
}

/* From here on rows are what is read. */
static void allow_rows(mry_store *store)
{
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_progress_handler(store->db, STEPS_A_LOOK, stops, store->ctx);
}

/* ---- is it ours? ----------------------------------------------------------------------------- */

static uint32_t big_endian(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
}

static int read_pragma(sqlite3 *db, const char *sql, uint32_t *value)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        *value = (uint32_t)sqlite3_column_int64(statement, 0);
    int finished = sqlite3_finalize(statement);
    return rc == SQLITE_OK ? finished : rc;
}

/* Where the power failed while a log was moved into the file, the first page there may be torn and
   is whole in the log: SQLite says what it finds in it. *right: as many fields as of a header. The
   log of a database that is not ours is not moved into its file: our sums would go along. */
static int check_logged_header(mry_store *store, const mry_schema *schema, int *right)
{
    uint32_t id = 0, page_bytes = 0;
    int reserve = -1; /* asks */
    sqlite3_busy_handler(store->db, wait_for_lock, store);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    int rc = read_pragma(store->db, "PRAGMA main.application_id", &id);
    if (rc == SQLITE_OK) rc = read_pragma(store->db, "PRAGMA main.page_size", &page_bytes);
    if (rc == SQLITE_OK)
        rc = sqlite3_file_control(store->db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    if (rc == SQLITE_OK && id == (uint32_t)schema->application_id && page_bytes == MRY_PAGE_BYTES &&
        reserve == MRY_PAGE_SUM_BYTES) {
        *right = 4;
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    }
    int kind = rc & 0xff;
    return kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT ? SQLITE_OK : rc;
}

/* Looks at the header before SQLite believes it, since SQLite would follow any page size. One wrong
   field out of four is damage to one of ours; more, and it is something else. Read through SQLite's
   own handle: closing a second one of this process would drop the locks it holds on the file. */
static marey_status check_header(mry_store *store, const mry_schema *schema, marey_error *error)
{
    unsigned char header[100] = { 0 };
    sqlite3_file *file = NULL;
    int rc = sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc == SQLITE_OK) rc = file->pMethods->xRead(file, header, sizeof header, 0);
    if (rc == SQLITE_IOERR_SHORT_READ) rc = SQLITE_OK; /* the rest is zeros */
    int right = (memcmp(header, "SQLite format 3", 16) == 0) +
                (big_endian(header + 16, 2) == MRY_PAGE_BYTES) +
                (header[20] == MRY_PAGE_SUM_BYTES) +
                (big_endian(header + 68, 4) == (uint32_t)schema->application_id);
    bool is_named = big_endian(header + 68, 4) == (uint32_t)schema->application_id;
    if (rc == SQLITE_OK && right < 4 && mry_store_has_log(store->db))
        rc = check_logged_header(store, schema, &right);
    if (rc != SQLITE_OK) return mry_sqlite_fail(store->db, rc, store->path, error);
    if (right == 4) return MAREY_OK;
    if (right == 3 && is_named) {
        return mry_fail(error, MAREY_ERR_INPUT, store->path,
                        "the header is damaged; run marey verify");
    }
    return mry_fail(error, MAREY_ERR_INPUT, store->path, "not a marey library");
}

/* ---- schema ---------------------------------------------------------------------------------- */

static marey_status fail_large(const mry_store *store, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, store->path,
                    "the library's schema is larger than that of any library");
}

/* A schema that SQLite does not believe, or that was given up as too large for one of ours. */
static marey_status fail_schema(mry_store *store, int rc, marey_error *error)
{
    char why[200];
    const char *detail = sqlite3_errmsg(store->db);
    int kind = rc & 0xff;
    if (kind == SQLITE_INTERRUPT || kind == SQLITE_TOOBIG) return fail_large(store, error);
    if (kind != SQLITE_CORRUPT && kind != SQLITE_ERROR)
        return mry_sqlite_fail(store->db, rc, store->path, error);
    mry_quote(why, sizeof why, detail, strlen(detail));
    return mry_fail(error, MAREY_ERR_INPUT, store->path, "the library's schema is damaged: %s",
                    why);
}

typedef struct differences {
    char first[200];
    int count;
} differences;

static void note_difference(void *user, const char *difference)
{
    differences *all = user;
    if (all->count++ == 0) sqlite3_snprintf(sizeof all->first, all->first, "%s", difference);
}

/* Version and objects are read in one transaction: another program may be bringing the file up to
   date. */
static marey_status check_schema(mry_store *store, const mry_schema *schema,
                                 const mry_store *beside, int *version, marey_error *error)
{
    differences all = { .count = 0 };
    mry_schema_found found = { note_difference, &all };
    int rc = sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = mry_schema_version(store->db, version);
    marey_status status = rc == SQLITE_OK ? MAREY_OK : fail_schema(store, rc, error);
    if (!status && *version > schema->step_count) {
        status = mry_fail(error, MAREY_ERR_INPUT, store->path,
                          "made by a newer marey (schema %d; this one knows %d); open it with that "
                          "one, or bring this one up to date",
                          *version, schema->step_count);
    } else if (!status && *version < 1) {
        status = mry_fail(error, MAREY_ERR_INPUT, store->path, "not a marey library");
    }
    if (!status) {
        status = mry_schema_compare(store->ctx, store->db, beside ? beside->db : NULL, schema,
                                    *version, store->path, &found, error);
    }
    /* Only the steps and lengths allowed above can stop it so. */
    if (status == MAREY_ERR_CANCELLED || status == MAREY_ERR_LIMIT)
        status = fail_large(store, error);
    if (!status && all.count == 1)
        status = mry_fail(error, MAREY_ERR_INPUT, store->path, "%s", all.first);
    if (!status && all.count > 1) {
        status = mry_fail(error, MAREY_ERR_INPUT, store->path, "%s (and %d more difference%s)",
                          all.first, all.count - 1, all.count == 2 ? "" : "s");
    }
    if (!sqlite3_get_autocommit(store->db))
        rc = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    if (!status && rc != SQLITE_OK) status = mry_sqlite_fail(store->db, rc, store->path, error);
    return status;
}

/* An older file that is only read: a copy of it climbs. It is all of the file, so it counts as our
   memory; all pages are of one moment. */
static marey_status continue_in_copy(mry_store *store, const mry_schema *schema, marey_error *error)
{
    sqlite3 *copy = NULL;
    uint32_t pages = 0;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int rc =
        sqlite3_exec(store->db, "BEGIN; SELECT count(*) FROM main.sqlite_master", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = read_pragma(store->db, "PRAGMA main.page_count", &pages);
    if (rc != SQLITE_OK) return mry_sqlite_fail(store->db, rc, store->path, error);
    size_t bytes = (size_t)pages * MRY_PAGE_BYTES;
    if (!mry_count_bytes(store->ctx, bytes)) return mry_fail_memory(error, store->path);
    store->copy_bytes = bytes;
    rc = sqlite3_open_v2(":memory:", &copy, flags, NULL);
    if (rc == SQLITE_OK)
        rc = mry_copy_pages(store->ctx, "reading a library of an earlier version", store->db, copy);
    if (rc != SQLITE_OK) {
        marey_status status = mry_sqlite_fail(copy, rc, store->path, error);
        sqlite3_close(copy);
        return status;
    }
    sqlite3_close(store->db);
    store->db = copy;
    store->is_copy = true;
    sqlite3_extended_result_codes(copy, 1);
    rc = configure(store);
    if (rc != SQLITE_OK) return mry_sqlite_fail(copy, rc, store->path, error);
    allow_rows(store);
    return mry_schema_make(copy, schema, schema->step_count, store->path, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Readers ask for writing as well, if they may: the last to close then clears the log away. */
static marey_status connect(mry_store *store, const mry_schema *schema, marey_error *error)
{
    mry_arena tmp = mry_arena_make(store->ctx);
    int rc = mry_connect(&tmp, store->path, SQLITE_OPEN_READWRITE, "", &store->db);
    marey_status status = rc == SQLITE_OK ? check_header(store, schema, error)
                                          : mry_sqlite_fail(store->db, rc, store->path, error);
    if (status == MAREY_OK) {
        bool alone = !store->can_write && !mry_store_has_log(store->db);
        bool refused = alone && access(store->path, W_OK) != 0;
        rc = refused ? SQLITE_READONLY : configure(store);
        /* The files that SQLite keeps beside a database are refused by rights, or because the disk
           is full. */
        int kind = rc & 0xff;
        if (alone && (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY || kind == SQLITE_PERM ||
                      rc == SQLITE_IOERR_SHMOPEN || rc == SQLITE_IOERR_SHMSIZE)) {
            /* Without a log beside it the file is all there is, and can be read without locks and
               without a log of our own: from a folder, or with rights, that allow no writing. */
            sqlite3_close(store->db);
            rc = mry_connect(&tmp, store->path, SQLITE_OPEN_READONLY, "immutable=1", &store->db);
            if (rc == SQLITE_OK) rc = configure(store);
        }
        if (rc == SQLITE_OK && store->can_write && sqlite3_db_readonly(store->db, "main")) {
            rc = SQLITE_READONLY;
        }
        if (rc == SQLITE_READONLY && store->can_write && access(store->path, W_OK) == 0) {
            /* It may be written, so opening it for that failed before SQLite tried the other way. */
            status = mry_fail(error, MAREY_ERR_IO, store->path,
                              "opening this library for writing failed; try again");
        } else if (rc != SQLITE_OK) {
            status = fail_schema(store, rc, error);
        }
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_store_open(marey_ctx *ctx, const char *path, mry_store_mode mode,
                            const mry_schema *schema, mry_store **out, marey_error *error)
{
    return mry_store_open_beside(ctx, NULL, path, mode, schema, out, error);
}

marey_status mry_store_open_beside(marey_ctx *ctx, const mry_store *beside, const char *path,
                                   mry_store_mode mode, const mry_schema *schema, mry_store **out,
                                   marey_error *error)
{
    assert(schema->step_count >= 1 && schema->application_id != 0);
    marey_status status = MAREY_OK;
    if (mode == MRY_STORE_CREATE) status = mry_store_make(ctx, path, schema, error);
    if (status == MAREY_OK) status = mry_store_check_path(path, error);
    if (status != MAREY_OK) return status;

    mry_store *store = mry_alloc(ctx, sizeof *store);
    if (!store) return mry_fail_memory(error, path);
    memset(store, 0, sizeof *store);
    store->ctx = ctx;
    store->schema = schema;
    store->patience_ms = MRY_PATIENCE_MS;
    store->mem = mry_arena_make(ctx);
    store->can_write = mode == MRY_STORE_WRITE || mode == MRY_STORE_CREATE;
    store->path = mry_arena_text(&store->mem, path, strlen(path));
    status = store->path ? connect(store, schema, error) : mry_fail_memory(error, path);
    int version = 0;
    if (status == MAREY_OK) status = check_schema(store, schema, beside, &version, error);
    if (status == MAREY_OK) {
        allow_rows(store);
        if (version < schema->step_count) {
            status = store->can_write ? mry_store_migrate(store, error)
                                      : continue_in_copy(store, schema, error);
        } else if (store->can_write) {
            status = mry_store_forget_copy(store, error);
        }
    }
    if (mode == MRY_STORE_KEEP && status == MAREY_OK && !store->is_copy)
        store->can_write = sqlite3_db_readonly(store->db, "main") == 0;
    if (status == MAREY_OK) {
        /* Foreign keys come last: a step may have to take a table apart that others point to. */
        const char *last = store->can_write ? "PRAGMA foreign_keys = ON"
                                            : "PRAGMA foreign_keys = ON; PRAGMA query_only = ON";
        int rc = sqlite3_exec(store->db, last, NULL, NULL, NULL);
        if (rc != SQLITE_OK) status = mry_sqlite_fail(store->db, rc, store->path, error);
    }
    if (status != MAREY_OK) {
        mry_store_close(store);
        return status;
    }
    *out = store;
    return MAREY_OK;
}
