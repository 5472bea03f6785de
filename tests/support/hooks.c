/* hooks.c - allocators and files that refuse on purpose, and which refusals a sweep tries. */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* several threads may allocate */

bool test_is_long(void)
{
    return getenv("MAREY_LONG") != NULL;
}

long test_next(long at)
{
    enum { EACH = TEST_SANITIZED ? 12 : 24, STRIDE = TEST_SANITIZED ? 29 : 11 };
#if defined(__has_feature)
    enum { OFFSET = __has_feature(thread_sanitizer) ? 11 : 5 };
#else
    enum { OFFSET = 0 };
#endif
    if (test_is_long() || at + 1 < EACH) return at + 1;
    if (at < EACH) return at + 1 + OFFSET;
    return at + STRIDE + at / (TEST_SANITIZED ? 8 : 12);
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

void test_memory_empty(const test_memory *memory)
{
    assert_int_equal(memory->live, 0);
    assert_int_equal(memory->held, 0);
}

bool test_refuse(test_refusals *sweep, marey_status status)
{
    test_memory *memory = sweep->memory;
    if (!sweep->begun) sweep->live = memory->live;
    if (sweep->begun) {
        bool refused = memory->calls > sweep->at;
        memory->refuse = -1;
        if (status != (refused ? MAREY_ERR_MEMORY : MAREY_OK))
            fail_msg("allocation %ld was%s refused: status %d", sweep->at, refused ? "" : " not",
                     (int)status);
        assert_int_equal(memory->live, sweep->live);
        if (!refused) {
            assert_true(sweep->at > 0);
            return false;
        }
        sweep->at = sweep->each                     ? sweep->at + 1
                    : sweep->few && !test_is_long() ? 2 * sweep->at + 1
                                                    : test_next(sweep->at);
    }
    sweep->begun = true;
    memory->calls = 0;
    memory->refuse = sweep->at;
    memory->from_then_on = sweep->then_all && sweep->at % 2;
    return true;
}

void test_stops_report(void *user, const char *what, int64_t done, int64_t total)
{
    test_stops *stops = user;
    (void)what;
    assert_true(done >= 0 && done <= total);
    if (stops->begun && stops->seen++ == stops->at) marey_ctx_cancel(stops->ctx);
}

bool test_stop(test_stops *stops, marey_status status)
{
    if (!stops->begun) {
        stops->live = stops->memory->live;
        stops->at = -1;
    } else {
        bool cancelled = stops->at >= 0;
        if (status != (cancelled ? MAREY_ERR_CANCELLED : MAREY_OK))
            fail_msg("report %d: status %d", stops->at, (int)status);
        assert_int_equal(stops->memory->live, stops->live);
        if (!cancelled) stops->reports = stops->seen;
        assert_true(stops->reports > 2);
        marey_ctx_resume(stops->ctx);
        if (++stops->at == stops->reports) return false;
    }
    stops->begun = true;
    stops->seen = 0;
    return true;
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

_Thread_local marey_error test_error;

void test_ok_at(marey_status status, const char *call, const char *file, int line)
{
    if (!status) return;
    char text[2048];
    marey_error_text(&test_error, text, sizeof text);
    print_error("%s: %s\n%s\n", marey_status_name(status), text, call);
    _fail(file, line);
}

void test_refused_at(marey_status status, marey_status wanted, const char *words, bool whole,
                     const char *call, const char *file, int line)
{
    const char *message = test_error.message;
    if (status == wanted && (whole ? strcmp(message, words) == 0 : strstr(message, words) != NULL))
        return;
    print_error("%s, \"%s\"; expected %s, \"%s\"\n%s\n", marey_status_name(status), message,
                marey_status_name(wanted), words, call);
    _fail(file, line);
}

void test_near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off))
        fail_msg("%.12g is not within %g of %.12g", value, off, wanted);
}

double test_chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

double test_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
