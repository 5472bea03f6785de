/* store_error.c - what SQLite's result codes mean to people: whose fault it is and what to do. */
#include "store/store_inside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_full(int number)
{
    return number == ENOSPC || number == EDQUOT;
}

static marey_status fail_full(const char *path, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_IO, path, "the disk is full");
}

static const char damaged[] = "damaged; run marey verify";

static marey_status fail_io(sqlite3 *db, int rc, const char *path, marey_error *error)
{
    int number = db ? sqlite3_system_errno(db) : 0;
    if (rc == SQLITE_IOERR_NOMEM) return mry_fail_memory(error, path);
    if (rc == SQLITE_IOERR_DATA) return mry_fail(error, MAREY_ERR_DAMAGED, path, damaged);
    if (is_full(number)) return fail_full(path, error);
    /* SQLite keeps the errno of the library's own file only. A log that was cut off by the limit on
       the size of files has exactly that size: the system writes what still fits. */
    struct stat about;
    struct rlimit most;
    const char *log = db ? sqlite3_filename_wal(sqlite3_db_filename(db, "main")) : NULL;
    bool log_is_full = rc == SQLITE_IOERR_WRITE && log && stat(log, &about) == 0 &&
                       getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
                       (rlim_t)about.st_size >= most.rlim_cur;
    if (number == EFBIG || log_is_full) return mry_fail_errno(error, -EFBIG, "write to", path);
    /* SQLite takes EIO at a read for a damaged file system; to a user it is a disk that fails. */
    bool reading =
        rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ || rc == SQLITE_IOERR_CORRUPTFS;
    return mry_fail(error, MAREY_ERR_IO, path, "cannot %s this library: %s",
                    reading ? "read" : "write to", number ? strerror(number) : "the disk failed");
}

/* A folder that allows no new file is the caller's; a machine without handles is not. */
static marey_status fail_beside(const char *path, marey_error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    bool allowed = access(folder, W_OK) == 0;
    return mry_fail(error, allowed ? MAREY_ERR_IO : MAREY_ERR_INPUT, path,
                    allowed ? "cannot open what SQLite keeps beside this library"
                            : "its folder is read-only");
}

marey_status mry_sqlite_fail(sqlite3 *db, int rc, const char *path, marey_error *error)
{
    const char *detail = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
    switch (rc & 0xff) {
    case SQLITE_NOMEM: return mry_fail_memory(error, path);
    case SQLITE_FULL: return fail_full(path, error);
    case SQLITE_IOERR: return fail_io(db, rc, path, error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return mry_fail(error, MAREY_ERR_DAMAGED, path, damaged);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return mry_fail(error, MAREY_ERR_BUSY, path, "another program is writing to this library");
    case SQLITE_INTERRUPT: return mry_fail_cancelled(error);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return mry_fail(error, MAREY_ERR_INPUT, path, "this library is read-only");
    case SQLITE_CANTOPEN: { /* a path that is wrong is the caller's; a machine without room or handles is not */
        int number = db ? sqlite3_system_errno(db) : 0;
        if (is_full(number)) return fail_full(path, error);
        if (number == 0) return mry_fail(error, MAREY_ERR_INPUT, path, "cannot open this file");
        /* A log that could not be made is then looked for, and its errno hides the first one. */
        if (number == ENOENT && access(path, F_OK) == 0) return fail_beside(path, error);
        return mry_fail_errno(error, -number, "open", path);
    }
    case SQLITE_TOOBIG:
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a value is larger than 1 GB");
    case SQLITE_CONSTRAINT: return mry_fail(error, MAREY_ERR_REQUEST, path, "%s", detail);
    default:
        return mry_fail(error, MAREY_ERR_INPUT, path, "not as expected (%s); run marey verify",
                        detail);
    }
}

marey_status mry_store_note(mry_store *store, int rc, marey_error *error)
{
    marey_status status = mry_sqlite_fail(store->db, rc, store->path, &store->failure);
    if (error) *error = store->failure;
    return status;
}

marey_status mry_store_check_path(const char *path, marey_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) return mry_fail_errno(error, -errno, "open", path);
    if (S_ISDIR(about.st_mode)) {
        return mry_fail(error, MAREY_ERR_INPUT, path, "this is a folder, not a library");
    }
    if (!S_ISREG(about.st_mode)) {
        return mry_fail(error, MAREY_ERR_INPUT, path, "this is not an ordinary file");
    }
    return MAREY_OK;
}

bool mry_store_has_log(sqlite3 *db)
{
    struct stat about;
    const char *log = sqlite3_filename_wal(sqlite3_db_filename(db, "main"));
    return log && stat(log, &about) == 0 && about.st_size > 0;
}
