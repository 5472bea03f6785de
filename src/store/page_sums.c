/* page_sums.c - the VFS "marey-sums". It opens every file by the VFS below it and stands between
   SQLite and the main database file; the log's bytes pass untouched, because SQLite keeps sums of
   its own over it, and all other files pass altogether.

   memory SQLite gives for one open file:   [ sums_file | file of the VFS below ]

   Reads of parts of a page are answered out of the whole, checked page: newer SQLites read the
   content of long rows that way. Only the first 100 bytes of the file pass unchecked, since SQLite
   looks there before it holds any lock; it reads the whole page before it believes anything
   else. */
#include "store/page_sums.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#include "store/store.h"

typedef struct sums_file {
    sqlite3_file base; /* first: SQLite sees this */
    sqlite3_file *below;
    int refused; /* result of the last read that the disk refused, until it is asked for */
} sums_file;

enum { HEADER_BYTES = 100, SUMMED = MRY_PAGE_BYTES - MRY_PAGE_SUM_BYTES };

/* SQLite locks bytes of the page at 1 GiB and so never writes it. */
static const int64_t lock_page = 0x40000000 / MRY_PAGE_BYTES;

static sqlite3_file *below(sqlite3_file *file)
{
    return ((sums_file *)file)->below;
}

/* ---- sums ------------------------------------------------------------------------------------ */

bool mry_page_sum_holds(const unsigned char *page, int64_t index)
{
    uint64_t stored = 0;
    for (int i = MRY_PAGE_SUM_BYTES - 1; i >= 0; i--) stored = stored << 8 | page[SUMMED + i];
    if (stored == mry_hash64(page, SUMMED, (uint64_t)index)) return true;
    static const unsigned char zeros[MRY_PAGE_BYTES];
    return index == lock_page && memcmp(page, zeros, MRY_PAGE_BYTES) == 0;
}

void mry_page_sum_put(unsigned char *page, int64_t index)
{
    uint64_t sum = mry_hash64(page, SUMMED, (uint64_t)index);
    for (int i = 0; i < MRY_PAGE_SUM_BYTES; i++) page[SUMMED + i] = (unsigned char)(sum >> 8 * i);
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* SQLite takes a disk that fails to read for a damaged file system, and that for a damaged database.
   It is neither: the bytes were not seen. */
static int read_below(sqlite3_file *file, void *bytes, int count, sqlite3_int64 start)
{
    int rc = below(file)->pMethods->xRead(below(file), bytes, count, start);
    if (rc == SQLITE_IOERR_CORRUPTFS) rc = SQLITE_IOERR_READ;
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) ((sums_file *)file)->refused = rc;
    return rc;
}

/* The whole page, checked. A page behind the end of the file reads as zeros and
   SQLITE_IOERR_SHORT_READ, as SQLite expects; a page that the end cuts in two is damage. */
static int read_page(sqlite3_file *file, unsigned char *page, int64_t index)
{
    int64_t size, start = index * MRY_PAGE_BYTES;
    int rc = read_below(file, page, MRY_PAGE_BYTES, start);
    if (rc == SQLITE_IOERR_SHORT_READ) {
        int sized = below(file)->pMethods->xFileSize(below(file), (sqlite3_int64 *)&size);
        if (sized != SQLITE_OK) return sized;
        return size > start ? SQLITE_IOERR_DATA : rc;
    }
    if (rc != SQLITE_OK) return rc;
    return mry_page_sum_holds(page, index) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int sums_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 start)
{
    int64_t index = start / MRY_PAGE_BYTES, inside = start % MRY_PAGE_BYTES;
    if (inside == 0 && count == MRY_PAGE_BYTES) return read_page(file, bytes, index);
    /* Several pages at once are read by the store's own check only, which wants them as they
       are. */
    if (start + count <= HEADER_BYTES || inside + count > MRY_PAGE_BYTES) {
        return read_below(file, bytes, count, start);
    }
    unsigned char page[MRY_PAGE_BYTES];
    int rc = read_page(file, page, index);
    if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
        memcpy(bytes, page + inside, (size_t)count);
    return rc;
}

/* SQLite's buffer is its own; the sum goes into a copy. Nothing but whole pages is ever written to
   a database whose page size is ours, so anything else is refused before it can leave a page
   without a sum. */
static int sums_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 start)
{
    if (count != MRY_PAGE_BYTES || start % MRY_PAGE_BYTES != 0) return SQLITE_IOERR_WRITE;
    unsigned char page[MRY_PAGE_BYTES];
    memcpy(page, bytes, SUMMED);
    mry_page_sum_put(page, start / MRY_PAGE_BYTES);
    return below(file)->pMethods->xWrite(below(file), page, count, start);
}

/* ---- all the rest is handed down ------------------------------------------------------------- */

static int sums_close(sqlite3_file *file)
{
    int rc = below(file)->pMethods->xClose(below(file));
    file->pMethods = NULL;
    return rc;
}

static void sums_shm_barrier(sqlite3_file *file)
{
    below(file)->pMethods->xShmBarrier(below(file));
}

/* A method that calls the same one of the file below. */
#define HAND_DOWN(name, method, parameters, arguments)                                             \
    static int name parameters                                                                     \
    {                                                                                              \
        return below(file)->pMethods->method arguments;                                            \
    }

HAND_DOWN(log_write, xWrite,
          (sqlite3_file * file, const void *bytes, int count, sqlite3_int64 start),
          (below(file), bytes, count, start))
HAND_DOWN(sums_truncate, xTruncate, (sqlite3_file * file, sqlite3_int64 size), (below(file), size))
HAND_DOWN(sums_sync, xSync, (sqlite3_file * file, int flags), (below(file), flags))
HAND_DOWN(sums_file_size, xFileSize, (sqlite3_file * file, sqlite3_int64 *size),
          (below(file), size))
HAND_DOWN(sums_lock, xLock, (sqlite3_file * file, int level), (below(file), level))
HAND_DOWN(sums_unlock, xUnlock, (sqlite3_file * file, int level), (below(file), level))
HAND_DOWN(sums_check_reserved_lock, xCheckReservedLock, (sqlite3_file * file, int *taken),
          (below(file), taken))
HAND_DOWN(sums_file_control, xFileControl, (sqlite3_file * file, int operation, void *argument),
          (below(file), operation, argument))
HAND_DOWN(sums_sector_size, xSectorSize, (sqlite3_file * file), (below(file)))
HAND_DOWN(sums_device_characteristics, xDeviceCharacteristics, (sqlite3_file * file), (below(file)))
HAND_DOWN(sums_shm_map, xShmMap,
          (sqlite3_file * file, int region, int size, int extend, void volatile **map),
          (below(file), region, size, extend, map))
HAND_DOWN(sums_shm_lock, xShmLock, (sqlite3_file * file, int offset, int count, int flags),
          (below(file), offset, count, flags))
HAND_DOWN(sums_shm_unmap, xShmUnmap, (sqlite3_file * file, int remove), (below(file), remove))

/* Version 2: shared memory for the log, but no xFetch, since mapped pages could not be checked. */
static const sqlite3_io_methods sums_methods = {
    .iVersion = 2,
    .xClose = sums_close,
    .xRead = sums_read,
    .xWrite = sums_write,
    .xTruncate = sums_truncate,
    .xSync = sums_sync,
    .xFileSize = sums_file_size,
    .xLock = sums_lock,
    .xUnlock = sums_unlock,
    .xCheckReservedLock = sums_check_reserved_lock,
    .xFileControl = sums_file_control,
    .xSectorSize = sums_sector_size,
    .xDeviceCharacteristics = sums_device_characteristics,
    .xShmMap = sums_shm_map,
    .xShmLock = sums_shm_lock,
    .xShmBarrier = sums_shm_barrier,
    .xShmUnmap = sums_shm_unmap,
};

/* Of the log. */
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = sums_close,
    .xRead = read_below,
    .xWrite = log_write,
    .xTruncate = sums_truncate,
    .xSync = sums_sync,
    .xFileSize = sums_file_size,
    .xLock = sums_lock,
    .xUnlock = sums_unlock,
    .xCheckReservedLock = sums_check_reserved_lock,
    .xFileControl = sums_file_control,
    .xSectorSize = sums_sector_size,
    .xDeviceCharacteristics = sums_device_characteristics,
};

/* ---- the VFS --------------------------------------------------------------------------------- */

static int sums_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    sqlite3_vfs *lower = vfs->pAppData;
    if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
        return lower->xOpen(lower, name, file, flags, out_flags);
    sums_file *sums = (sums_file *)file;
    sums->base.pMethods = NULL;
    sums->below = (sqlite3_file *)(sums + 1);
    sums->below->pMethods = NULL;
    sums->refused = SQLITE_OK;
    int rc = lower->xOpen(lower, name, sums->below, flags, out_flags);
    /* A failed open may still want to be closed; SQLite does that through pMethods. */
    bool is_log = flags & SQLITE_OPEN_WAL;
    if (sums->below->pMethods) sums->base.pMethods = is_log ? &log_methods : &sums_methods;
    if (rc == SQLITE_OK && !is_log && sums->below->pMethods->iVersion < 2) rc = SQLITE_CANTOPEN;
    return rc;
}

/* The same for the VFS below. */
#define PASS_ON(name, method, parameters, arguments)                                               \
    static int name parameters                                                                     \
    {                                                                                              \
        sqlite3_vfs *lower = vfs->pAppData;                                                        \
        return lower->method arguments;                                                            \
    }

PASS_ON(sums_delete, xDelete, (sqlite3_vfs * vfs, const char *name, int sync), (lower, name, sync))
PASS_ON(sums_access, xAccess, (sqlite3_vfs * vfs, const char *name, int flags, int *answer),
        (lower, name, flags, answer))
PASS_ON(sums_full_pathname, xFullPathname,
        (sqlite3_vfs * vfs, const char *name, int room, char *full), (lower, name, room, full))
PASS_ON(sums_randomness, xRandomness, (sqlite3_vfs * vfs, int count, char *bytes),
        (lower, count, bytes))
PASS_ON(sums_sleep, xSleep, (sqlite3_vfs * vfs, int microseconds), (lower, microseconds))
PASS_ON(sums_current_time, xCurrentTime, (sqlite3_vfs * vfs, double *days), (lower, days))

static int sums_last_error(sqlite3_vfs *vfs, int room, char *text)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xGetLastError ? lower->xGetLastError(lower, room, text) : 0;
}

/* SQLite keeps its list of VFSs for the whole process and by address, so this one object must be
   static. It is written once, before SQLite learns of it. */
const char *mry_page_sums_vfs(void)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    static sqlite3_vfs sums = {
        .iVersion = 1,
        .zName = "marey-sums",
        .xOpen = sums_open,
        .xDelete = sums_delete,
        .xAccess = sums_access,
        .xFullPathname = sums_full_pathname,
        .xRandomness = sums_randomness,
        .xSleep = sums_sleep,
        .xCurrentTime = sums_current_time,
        .xGetLastError = sums_last_error,
    };
    pthread_mutex_lock(&once);
    if (!sqlite3_vfs_find(sums.zName)) {
        sqlite3_vfs *lower = sqlite3_vfs_find(NULL);
        if (lower) {
            sums.szOsFile = (int)sizeof(sums_file) + lower->szOsFile;
            sums.mxPathname = lower->mxPathname;
            sums.pAppData = lower;
            sqlite3_vfs_register(&sums, 0);
        }
    }
    bool there = sqlite3_vfs_find(sums.zName) != NULL;
    pthread_mutex_unlock(&once);
    return there ? sums.zName : NULL;
}

int mry_page_sums_refused(sqlite3 *db)
{
    static const int asked[] = { SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER };
    int refused = SQLITE_OK;
    for (int i = 0; i < 2; i++) {
        sqlite3_file *file = NULL;
        sqlite3_file_control(db, "main", asked[i], &file);
        if (!file || (file->pMethods != &sums_methods && file->pMethods != &log_methods)) continue;
        if (refused == SQLITE_OK) refused = ((sums_file *)file)->refused;
        ((sums_file *)file)->refused = SQLITE_OK;
    }
    return refused;
}
