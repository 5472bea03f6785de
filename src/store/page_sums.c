/* page_sums.c - the VFS "marey-sums". It opens every file by the VFS below it and stands between SQLite and
   the main database file only; the log and all other files pass untouched, because SQLite keeps sums of its
   own over the log.

   memory SQLite gives for one open file:   [ sums_file | file of the VFS below ]

   Reads of parts of a page are answered out of the whole, checked page: newer SQLites read the content of long
   rows that way. Only the first 100 bytes of the file pass unchecked, since SQLite looks there before it
   holds any lock; it reads the whole page before it believes anything else. */
#include "store/page_sums.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#include "store/store.h"

typedef struct sums_file {
    sqlite3_file base; /* first: SQLite sees this */
    sqlite3_file *below;
} sums_file;

enum { HEADER_BYTES = 100, SUMMED = MRY_PAGE_BYTES - MRY_PAGE_SUM_BYTES };

/* SQLite locks bytes of the page at 1 GiB and so never writes it. */
static const int64_t lock_page = 0x40000000 / MRY_PAGE_BYTES;

static sqlite3_file *below(sqlite3_file *file)
{
    return ((sums_file *)file)->below;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static uint64_t page_sum(const unsigned char *page, int64_t index)
{
    return mry_hash64(page, SUMMED, (uint64_t)index);
}

bool mry_page_sum_holds(const unsigned char *page, int64_t index)
{
    uint64_t stored = 0;
    for (int i = MRY_PAGE_SUM_BYTES - 1; i >= 0; i--) stored = stored << 8 | page[SUMMED + i];
    if (stored == page_sum(page, index)) return true;
    static const unsigned char zeros[MRY_PAGE_BYTES];
    return index == lock_page && memcmp(page, zeros, MRY_PAGE_BYTES) == 0;
}

void mry_page_sum_put(unsigned char *page, int64_t index)
{
    uint64_t sum = page_sum(page, index);
    for (int i = 0; i < MRY_PAGE_SUM_BYTES; i++) page[SUMMED + i] = (unsigned char)(sum >> 8 * i);
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* The whole page, checked. A page behind the end of the file reads as zeros and SQLITE_IOERR_SHORT_READ, as
   SQLite expects; a page that the end cuts in two is damage. */
static int read_page(sqlite3_file *file, unsigned char *page, int64_t index)
{
    int64_t size, start = index * MRY_PAGE_BYTES;
    int rc = below(file)->pMethods->xRead(below(file), page, MRY_PAGE_BYTES, start);
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
    /* Several pages at once are read by the store's own check only, which wants them as they are. */
    if (start + count <= HEADER_BYTES || inside + count > MRY_PAGE_BYTES) {
        return below(file)->pMethods->xRead(below(file), bytes, count, start);
    }
    unsigned char page[MRY_PAGE_BYTES];
    int rc = read_page(file, page, index);
    if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
        memcpy(bytes, page + inside, (size_t)count);
    return rc;
}

/* SQLite's buffer is its own; the sum goes into a copy. Nothing but whole pages is ever written to a database
   whose page size is ours, so anything else is refused before it can leave a page without a sum. */
static int sums_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 start)
{
    if (count != MRY_PAGE_BYTES || start % MRY_PAGE_BYTES != 0) return SQLITE_IOERR_WRITE;
    unsigned char page[MRY_PAGE_BYTES];
    memcpy(page, bytes, SUMMED);
    mry_page_sum_put(page, start / MRY_PAGE_BYTES);
    return below(file)->pMethods->xWrite(below(file), page, count, start);
}

/* ---- all the rest is handed down -------------------------------------------------------------- */

static int sums_close(sqlite3_file *file)
{
    int rc = below(file)->pMethods->xClose(below(file));
    file->pMethods = NULL;
    return rc;
}

static int sums_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return below(file)->pMethods->xTruncate(below(file), size);
}

static int sums_sync(sqlite3_file *file, int flags)
{
    return below(file)->pMethods->xSync(below(file), flags);
}

static int sums_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return below(file)->pMethods->xFileSize(below(file), size);
}

static int sums_lock(sqlite3_file *file, int level)
{
    return below(file)->pMethods->xLock(below(file), level);
}

static int sums_unlock(sqlite3_file *file, int level)
{
    return below(file)->pMethods->xUnlock(below(file), level);
}

static int sums_check_reserved_lock(sqlite3_file *file, int *taken)
{
    return below(file)->pMethods->xCheckReservedLock(below(file), taken);
}

static int sums_file_control(sqlite3_file *file, int operation, void *argument)
{
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int sums_sector_size(sqlite3_file *file)
{
    return below(file)->pMethods->xSectorSize(below(file));
}

static int sums_device_characteristics(sqlite3_file *file)
{
    return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

static int sums_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **map)
{
    return below(file)->pMethods->xShmMap(below(file), region, size, extend, map);
}

static int sums_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

static void sums_shm_barrier(sqlite3_file *file)
{
    below(file)->pMethods->xShmBarrier(below(file));
}

static int sums_shm_unmap(sqlite3_file *file, int remove)
{
    return below(file)->pMethods->xShmUnmap(below(file), remove);
}

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

/* ---- the VFS ---------------------------------------------------------------------------------- */

static int sums_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    sqlite3_vfs *lower = vfs->pAppData;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return lower->xOpen(lower, name, file, flags, out_flags);
    sums_file *sums = (sums_file *)file;
    sums->base.pMethods = NULL;
    sums->below = (sqlite3_file *)(sums + 1);
    sums->below->pMethods = NULL;
    int rc = lower->xOpen(lower, name, sums->below, flags, out_flags);
    /* A failed open may still want to be closed; SQLite does that through pMethods. */
    if (sums->below->pMethods) sums->base.pMethods = &sums_methods;
    if (rc == SQLITE_OK && sums->below->pMethods->iVersion < 2) rc = SQLITE_CANTOPEN;
    return rc;
}

static int sums_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xDelete(lower, name, sync_folder);
}

static int sums_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xAccess(lower, name, flags, answer);
}

static int sums_full_pathname(sqlite3_vfs *vfs, const char *name, int room, char *full)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xFullPathname(lower, name, room, full);
}

static int sums_randomness(sqlite3_vfs *vfs, int count, char *bytes)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xRandomness(lower, count, bytes);
}

static int sums_sleep(sqlite3_vfs *vfs, int microseconds)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xSleep(lower, microseconds);
}

static int sums_current_time(sqlite3_vfs *vfs, double *days)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xCurrentTime(lower, days);
}

static int sums_last_error(sqlite3_vfs *vfs, int room, char *text)
{
    sqlite3_vfs *lower = vfs->pAppData;
    return lower->xGetLastError ? lower->xGetLastError(lower, room, text) : 0;
}

/* SQLite keeps its list of VFSs for the whole process and by address, so this one object must be static. It
   is written once, before SQLite learns of it. */
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
