/* hooks.c - allocators and files that refuse on purpose, and which refusals a sweep tries. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* several threads may allocate */

bool test_is_long(void)
{
    return getenv("MAREY_LONG") != NULL;
}

long test_next(long at)
{
    enum { EACH = TEST_SANITIZED ? 16 : 40, STRIDE = TEST_SANITIZED ? 17 : 7 };
#if defined(__has_feature)
    enum { OFFSET = __has_feature(thread_sanitizer) ? 11 : 5 };
#else
    enum { OFFSET = 0 };
#endif
    if (test_is_long() || at + 1 < EACH) return at + 1;
    if (at < EACH) return at + 1 + OFFSET;
    return at + STRIDE + at / (TEST_SANITIZED ? 16 : 24);
}

int test_trials(int usual, int all)
{
    return test_is_long() ? all : TEST_SANITIZED ? (usual + 3) / 4 : usual;
}

static bool is_hit(long number, long chosen, bool from_then_on)
{
    return chosen >= 0 && (number == chosen || (from_then_on && number > chosen));
}

void *test_memory_resize(void *user, void *old, size_t old_size, size_t size)
{
    test_memory *memory = user;
    void *fresh = NULL;
    pthread_mutex_lock(&lock);
    if (size == 0) {
        free(old);
        if (old) memory->live--;
        memory->held -= old_size;
    } else if (!is_hit(memory->calls++, memory->refuse, memory->from_then_on)) {
        fresh = realloc(old, size);
        if (!old) memory->live++;
        memory->held += size - old_size;
        if (memory->held > memory->most) memory->most = memory->held;
    }
    pthread_mutex_unlock(&lock);
    return fresh;
}

/* Zero to go on, or the negative errno to answer with. */
static int check(test_files *files, int kind)
{
    if (!(files->kinds & kind)) return 0;
    pthread_mutex_lock(&lock);
    bool hit = is_hit(files->calls++, files->fail, files->from_then_on);
    pthread_mutex_unlock(&lock);
    return hit ? -(files->with_errno ? files->with_errno : EIO) : 0;
}

static size_t at_most(const test_files *files, size_t count)
{
    return files->most_at_once && count > files->most_at_once ? files->most_at_once : count;
}

static int test_open(void *user, const char *path, marey_io_mode mode)
{
    test_files *files = user;
    int failed = check(files, TEST_IO_OPEN);
    if (failed) return failed;
    int handle = marey_io_system()->open(NULL, path, mode);
    if (handle >= 0) __atomic_fetch_add(&files->open_handles, 1, __ATOMIC_SEQ_CST);
    return handle;
}

static int64_t test_size(void *user, int handle)
{
    (void)user;
    return marey_io_system()->size(NULL, handle);
}

static int64_t test_read(void *user, int handle, void *bytes, size_t room)
{
    int failed = check(user, TEST_IO_READ);
    return failed ? failed : marey_io_system()->read(NULL, handle, bytes, at_most(user, room));
}

static int64_t test_write(void *user, int handle, const void *bytes, size_t count)
{
    int failed = check(user, TEST_IO_WRITE);
    return failed ? failed : marey_io_system()->write(NULL, handle, bytes, at_most(user, count));
}

static int test_sync(void *user, int handle)
{
    int failed = check(user, TEST_IO_SYNC);
    return failed ? failed : marey_io_system()->sync(NULL, handle);
}

/* A close that fails has closed all the same, as on Linux. */
static int test_close(void *user, int handle)
{
    test_files *files = user;
    int failed = check(files, TEST_IO_CLOSE);
    int closed = marey_io_system()->close(NULL, handle);
    __atomic_fetch_sub(&files->open_handles, 1, __ATOMIC_SEQ_CST);
    return failed ? failed : closed;
}

static int test_rename(void *user, const char *from, const char *to)
{
    int failed = check(user, TEST_IO_RENAME);
    return failed ? failed : marey_io_system()->rename(NULL, from, to);
}

static int test_remove(void *user, const char *path)
{
    (void)user;
    return marey_io_system()->remove(NULL, path);
}

static int test_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    return marey_io_system()->resolve(NULL, path, resolved, room);
}

static int test_list(void *user, const char *folder, void (*found)(void *, const char *),
                     void *found_user)
{
    int failed = check(user, TEST_IO_LIST);
    return failed ? failed : marey_io_system()->list(NULL, folder, found, found_user);
}

const marey_io *test_files_io(test_files *files)
{
    files->io =
        (marey_io){ files,      test_open,   test_size,   test_read,    test_write, test_sync,
                    test_close, test_rename, test_remove, test_resolve, test_list };
    return &files->io;
}

void test_fine(marey_status status, const marey_error *error)
{
    if (status) fail_msg("%s: %s", error->path, error->message);
}
