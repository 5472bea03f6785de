/* forge_host.c - where a forged library is used: memory that is counted and bounded, files that go
   nowhere, a clock after which a call is cancelled, and some more after which that is a finding. */
#include "forge.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

forge_tally forge_tallied;

/* ---- memory and files ------------------------------------------------------------------------ */

/* Of so few frames of so few joints. */
static const size_t most_held = (size_t)700 << 20, most_written = (size_t)256 << 20;
static size_t held, written;

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    if (!size) {
        held -= old_size;
        free(old);
        return NULL;
    }
    if (held - old_size + size > most_held) return NULL;
    void *out = realloc(old, size);
    if (out) held += size - old_size;
    if (held > forge_tallied.most_bytes) forge_tallied.most_bytes = held;
    return out;
}

/* What can be read: a clip, a shard of webs, and a script of inputs. Everything that is written goes nowhere. */
typedef struct reading {
    const char *bytes;
    size_t size, at;
    bool open;
} reading;
enum { READINGS = 16, WRITES = 1000 };
static reading readings[READINGS];

static int file_open(void *user, const char *path, marey_io_mode mode)
{
    (void)user;
    if (mode == MAREY_IO_CREATE) return WRITES;
    static const char script[] = "0,0,90\n0.5,1,50\n1,1,0\n";
    reading found = { 0 };
    if (strcmp(path, "in.bvh") == 0)
        found = (reading){ forge_sound.clip, strlen(forge_sound.clip), 0, true };
    if (strcmp(path, "in.shard") == 0)
        found = (reading){ forge_sound.shard, forge_sound.shard_size, 0, true };
    if (strcmp(path, "s.csv") == 0) found = (reading){ script, strlen(script), 0, true };
    for (int i = 0; i < READINGS && found.open; i++) {
        if (readings[i].open) continue;
        readings[i] = found;
        return i;
    }
    return -ENOENT;
}

static int64_t file_size(void *user, int handle)
{
    (void)user;
    return handle < READINGS ? (int64_t)readings[handle].size : 0;
}

static int64_t file_read(void *user, int handle, void *bytes, size_t room)
{
    (void)user;
    if (handle >= READINGS) return 0;
    reading *from = &readings[handle];
    size_t left = from->size - from->at, count = left < room ? left : room;
    if (count) memcpy(bytes, from->bytes + from->at, count);
    from->at += count;
    return (int64_t)count;
}

static int64_t file_write(void *user, int handle, const void *bytes, size_t count)
{
    (void)user, (void)handle, (void)bytes;
    written += count;
    forge_require(written < most_written, "what is written has an end");
    return (int64_t)count;
}

static int file_close(void *user, int handle)
{
    (void)user;
    if (handle < READINGS) readings[handle].open = false;
    return 0;
}

static int file_done(void *user, int handle)
{
    (void)user, (void)handle;
    return 0;
}

static int file_rename(void *user, const char *from, const char *to)
{
    (void)user, (void)from, (void)to;
    return 0;
}

static int file_remove(void *user, const char *path)
{
    (void)user, (void)path;
    return 0;
}

static int file_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    return (size_t)snprintf(resolved, room, "%s", path) < room ? 0 : -ENAMETOOLONG;
}

static int file_list(void *user, const char *folder, void (*found)(void *, const char *),
                     void *found_user)
{
    (void)user, (void)folder, (void)found, (void)found_user;
    return -ENOTDIR;
}

static const marey_io files = { .open = file_open,
                                .size = file_size,
                                .read = file_read,
                                .write = file_write,
                                .sync = file_done,
                                .close = file_close,
                                .rename = file_rename,
                                .remove = file_remove,
                                .resolve = file_resolve,
                                .list = file_list };

const marey_ctx_def forge_host = { .resize = resize, .threads = 1, .io = &files };

size_t forge_held(void)
{
    return held;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Time of this process alone, so that a busy machine changes nothing. */
enum { CANCEL_AFTER_S = 1, STUCK_AFTER_S = 30 };
static marey_ctx *volatile running;
static volatile int seconds_of_call;
static const char *volatile calling = "";

static void tick(int number)
{
    (void)number;
    if (!running) return;
    seconds_of_call++;
    marey_ctx_cancel(running);
    if (seconds_of_call < STUCK_AFTER_S) return;
    static const char text[] = "fuzz: not so: a call that is cancelled ends: ";
    if (write(2, text, sizeof text - 1) < 0 || write(2, calling, strlen(calling)) < 0) _exit(1);
    abort();
}

void forge_clock_start(marey_ctx *ctx, const char *what)
{
    static bool installed;
    if (!installed) signal(SIGVTALRM, tick);
    installed = true;
    seconds_of_call = 0;
    written = 0;
    calling = what;
    running = ctx;
    struct itimerval each = { { CANCEL_AFTER_S, 0 }, { CANCEL_AFTER_S, 0 } };
    setitimer(ITIMER_VIRTUAL, &each, NULL);
}

void forge_clock_stop(marey_ctx *ctx)
{
    struct itimerval none = { 0 };
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    running = NULL;
    forge_tallied.cancelled += seconds_of_call > 0;
    marey_ctx_resume(ctx);
}

double forge_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void forge_check(const char *what, marey_status status, const marey_error *error)
{
    forge_tallied.calls++;
    if (status == MAREY_OK) {
        forge_tallied.done++;
        return;
    }
    forge_require(status > 0 && status <= MAREY_ERR_BUSY, what);
    forge_tallied.refused[status]++;
    static int shown = -1;
    if (shown < 0) shown = getenv("MAREY_SHOW_CALLS") != NULL;
    if (shown && error) fprintf(stderr, "  %s: %s\n", what, error->message);
    forge_require(!error || error->status == status, "an error has the status of the call");
    forge_require(!error || memchr(error->message, 0, sizeof error->message) != error->message,
                  "a failure says why");
}
