/* sqlite_faults.c - a VFS between SQLite (or the store's VFS) and the operating system's, and an
   allocator. */
#include "sqlite_faults.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the disk -------------------------------------------------------------------------------- */

static test_disk disk = { .fail = -1 };

typedef struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real;
    const char *path; /* SQLite's own, which lives as long as the file is open; NULL: nameless */
} faulty_file;

static sqlite3_file *real(sqlite3_file *file)
{
    return ((faulty_file *)file)->real;
}

/* SQLITE_OK, or what this call must fail with. */
static int check(int kind, int code)
{
    if (!(disk.kinds & kind)) return SQLITE_OK;
    long call = __atomic_fetch_add(&disk.calls, 1, __ATOMIC_SEQ_CST);
    if (disk.fail < 0 || (disk.from_then_on ? call < disk.fail : call != disk.fail))
        return SQLITE_OK;
    if (disk.kill) raise(SIGKILL);
    bool full = disk.full && (kind == TEST_DISK_WRITE || kind == TEST_DISK_TRUNCATE);
    errno = full ? ENOSPC : EIO;
    return full ? SQLITE_FULL : code;
}

static void tell(test_disk_deed deed)
{
    if (disk.watch && deed.path) disk.watch(disk.watch_user, &deed);
}

static const char *path_of(sqlite3_file *file)
{
    return ((faulty_file *)file)->path;
}

static int faulty_close(sqlite3_file *file)
{
    __atomic_fetch_sub(&disk.open_files, 1, __ATOMIC_SEQ_CST);
    return real(file)->pMethods->xClose(real(file));
}

static int faulty_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 start)
{
    /* What the system's VFS says where a disk does not read (EIO). */
    int failed = check(TEST_DISK_READ, SQLITE_IOERR_CORRUPTFS);
    return failed ? failed : real(file)->pMethods->xRead(real(file), bytes, count, start);
}

/* A write that fails has written its first half, as a full disk does. */
static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 start)
{
    int failed = check(TEST_DISK_WRITE, SQLITE_IOERR_WRITE), number = errno;
    int rc =
        real(file)->pMethods->xWrite(real(file), bytes, failed ? (count + 1) / 2 : count, start);
    if (failed) errno = number;
    if (!failed && rc == SQLITE_OK)
        tell((test_disk_deed){ .kind = TEST_DISK_WRITE,
                               .path = path_of(file),
                               .bytes = bytes,
                               .start = start,
                               .count = count });
    return failed ? failed : rc;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int failed = check(TEST_DISK_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    int rc = failed ? failed : real(file)->pMethods->xTruncate(real(file), size);
    if (rc == SQLITE_OK)
        tell((test_disk_deed){ .kind = TEST_DISK_TRUNCATE, .path = path_of(file), .start = size });
    return rc;
}

static int faulty_sync(sqlite3_file *file, int flags)
{
    int failed = check(TEST_DISK_SYNC, SQLITE_IOERR_FSYNC);
    int rc = failed ? failed : real(file)->pMethods->xSync(real(file), flags);
    if (rc == SQLITE_OK) tell((test_disk_deed){ .kind = TEST_DISK_SYNC, .path = path_of(file) });
    return rc;
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size)
{
    int failed = check(TEST_DISK_SIZE, SQLITE_IOERR_FSTAT);
    return failed ? failed : real(file)->pMethods->xFileSize(real(file), size);
}

static int faulty_lock(sqlite3_file *file, int level)
{
    int failed = check(TEST_DISK_LOCK, SQLITE_IOERR_LOCK);
    return failed ? failed : real(file)->pMethods->xLock(real(file), level);
}

/* Methods that only pass on. */
#define PASS(name, method, parameters, ...)                                                        \
    static int name parameters                                                                     \
    {                                                                                              \
        return real(file)->pMethods->method(real(file) __VA_OPT__(, ) __VA_ARGS__);                \
    }
PASS(faulty_unlock, xUnlock, (sqlite3_file * file, int level), level)
PASS(faulty_check_reserved, xCheckReservedLock, (sqlite3_file * file, int *taken), taken)
PASS(faulty_control, xFileControl, (sqlite3_file * file, int code, void *argument), code, argument)
PASS(faulty_sector_size, xSectorSize, (sqlite3_file * file))
PASS(faulty_characteristics, xDeviceCharacteristics, (sqlite3_file * file))
PASS(faulty_shm_unmap, xShmUnmap, (sqlite3_file * file, int remove), remove)

static int faulty_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **map)
{
    int failed = check(TEST_DISK_SHM, SQLITE_IOERR_SHMMAP);
    *map = NULL;
    return failed ? failed : real(file)->pMethods->xShmMap(real(file), region, size, extend, map);
}

static int faulty_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    int failed =
        flags & SQLITE_SHM_UNLOCK ? SQLITE_OK : check(TEST_DISK_LOCK, SQLITE_IOERR_SHMLOCK);
    return failed ? failed : real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void faulty_shm_barrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static const sqlite3_io_methods faulty_methods = {
    2,
    faulty_close,
    faulty_read,
    faulty_write,
    faulty_truncate,
    faulty_sync,
    faulty_size,
    faulty_lock,
    faulty_unlock,
    faulty_check_reserved,
    faulty_control,
    faulty_sector_size,
    faulty_characteristics,
    faulty_shm_map,
    faulty_shm_lock,
    faulty_shm_barrier,
    faulty_shm_unmap,
    NULL,
    NULL,
};

static sqlite3_vfs *operating_system;

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *out_flags)
{
    (void)vfs;
    faulty_file *faulty = (faulty_file *)file;
    faulty->base.pMethods = NULL;
    int failed = check(TEST_DISK_OPEN, SQLITE_CANTOPEN);
    if (failed) return failed;
    faulty->real = (sqlite3_file *)(faulty + 1);
    faulty->real->pMethods = NULL;
    int rc = operating_system->xOpen(operating_system, name, faulty->real, flags, out_flags);
    if (!faulty->real->pMethods) return rc;
    faulty->base.pMethods = &faulty_methods;
    faulty->path = name;
    if (rc == SQLITE_OK && flags & SQLITE_OPEN_CREATE)
        tell((test_disk_deed){ .kind = TEST_DISK_OPEN, .path = name });
    __atomic_fetch_add(&disk.open_files, 1, __ATOMIC_SEQ_CST);
    return rc;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    (void)vfs;
    int failed = check(TEST_DISK_DELETE, SQLITE_IOERR_DELETE);
    if (!failed) tell((test_disk_deed){ .kind = TEST_DISK_DELETE, .path = name });
    return failed ? failed : operating_system->xDelete(operating_system, name, sync_folder);
}

/* SQLite opens a folder only to sync it. */
static int (*open_folder)(const char *path, int *handle);

static int watched_open_folder(const char *path, int *handle)
{
    tell((test_disk_deed){ .kind = TEST_DISK_FOLDER, .path = path });
    return open_folder(path, handle);
}

/* All but opening and deleting is the operating system's own; none of it looks at the VFS it is
   given. */
test_disk *test_disk_install(void)
{
    static sqlite3_vfs faulty;
    if (operating_system) return &disk;
    operating_system = sqlite3_vfs_find(NULL);
    if (!operating_system) abort();
    faulty = *operating_system;
    faulty.zName = "test-disk";
    faulty.pNext = NULL;
    faulty.szOsFile += (int)sizeof(faulty_file);
    faulty.xOpen = faulty_open;
    faulty.xDelete = faulty_delete;
    if (sqlite3_vfs_register(&faulty, 1) != SQLITE_OK) abort();
    open_folder = (int (*)(const char *, int *))operating_system->xGetSystemCall(operating_system,
                                                                                 "openDirectory");
    if (!open_folder ||
        operating_system->xSetSystemCall(operating_system, "openDirectory",
                                         (sqlite3_syscall_ptr)watched_open_folder) != SQLITE_OK)
        abort();
    return &disk;
}

void test_disk_heal(void)
{
    disk = (test_disk){ .fail = -1, .open_files = disk.open_files };
}

/* ---- the memory ------------------------------------------------------------------------------ */

static test_sqlite_memory memory = { .refuse = -1 };

/* Each piece begins with its size, in a place that keeps malloc's alignment. */
enum { PREFIX = 16 };

static bool refused(void)
{
    long call = __atomic_fetch_add(&memory.calls, 1, __ATOMIC_SEQ_CST);
    if (memory.refuse < 0) return false;
    return memory.from_then_on ? call >= memory.refuse : call == memory.refuse;
}

static void *counted(char *piece, int size)
{
    if (!piece) return NULL;
    memcpy(piece, &size, sizeof size);
    return piece + PREFIX;
}

static void *counting_malloc(int size)
{
    if (refused()) return NULL;
    void *piece = counted(malloc((size_t)size + PREFIX), size);
    if (piece) __atomic_fetch_add(&memory.live, 1, __ATOMIC_SEQ_CST);
    return piece;
}

static void counting_free(void *piece)
{
    if (!piece) return;
    __atomic_fetch_sub(&memory.live, 1, __ATOMIC_SEQ_CST);
    free((char *)piece - PREFIX);
}

static int counting_size(void *piece)
{
    int size = 0;
    if (piece) memcpy(&size, (char *)piece - PREFIX, sizeof size);
    return size;
}

static void *counting_realloc(void *piece, int size)
{
    return refused() ? NULL : counted(realloc((char *)piece - PREFIX, (size_t)size + PREFIX), size);
}

static int counting_roundup(int size)
{
    return (size + 7) & ~7;
}

static int counting_init(void *user)
{
    (void)user;
    return SQLITE_OK;
}

static void counting_shutdown(void *user)
{
    (void)user;
}

test_sqlite_memory *test_sqlite_memory_install(void)
{
    static const sqlite3_mem_methods methods = { counting_malloc,   counting_free,
                                                 counting_realloc,  counting_size,
                                                 counting_roundup,  counting_init,
                                                 counting_shutdown, NULL };
    sqlite3_shutdown();
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK) {
        abort();
    }
    return &memory;
}
