/* fbx_child.c - runs marey-fbx. The file's bytes go to it through a socket and its answer comes back
   the same way: a write to a socket can be made not to raise SIGPIPE, and a library must not change a
   program's signals. It is watched by the clock and killed when its time is over, whether it works,
   hangs or was stopped, and in any case before this returns. */
#include "io/fbx_child.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a small file, and for each megabyte of a large one; a second is for two of them. */
enum { SECONDS = 8, MEGABYTES = 2048, MEGABYTES_EACH = 64, MEGABYTE = 1 << 20 };
enum { SLICE_MS = 100, NOT_FOUND = 127, ABOVE = 16 };

typedef struct child {
    pid_t pid;
    int socket; /* both ways */
} child;

/* ---- starting -------------------------------------------------------------------------------- */

/* Where the program may be: named by the environment, beside this program, installed with it, or
   where the library was built to be installed. NULL past the last; "": nothing there. `here`: the
   folder of this program, "" if it is not known. */
static const char *program_at(int place, const char *here, char *room, size_t size)
{
    const char *named = getenv("MAREY_FBX_READER");
    *room = 0;
    if (named && *named) return place == 0 ? named : NULL;
    switch (place) {
    case 0: return room;
    case 1:
        if (*here) snprintf(room, size, "%s/marey-fbx", here);
        return room;
    case 2:
        if (*here) snprintf(room, size, "%s/../libexec/marey/marey-fbx", here);
        return room;
    case 3: return MAREY_LIBEXEC "/marey-fbx";
    default: return NULL;
    }
}

static marey_status not_there(const mry_scan *scan)
{
    return mry_fail(scan->error, MAREY_ERR_REQUEST, scan->path,
                    "FBX files are read with the library assimp, which is not there; on Debian and "
                    "Ubuntu: apt-get install libassimp5 (to build marey: libassimp-dev)");
}

static marey_status start(child *c, const mry_scan *scan, size_t count)
{
    char here[1024] = "", room[1100], megabytes[24], seconds[24];
    int ends[2], failed = ENOENT;
    size_t size = count / MEGABYTE;
    snprintf(megabytes, sizeof megabytes, "%zu", MEGABYTES + MEGABYTES_EACH * size);
    snprintf(seconds, sizeof seconds, "%zu", SECONDS + size / 2);
    char name[] = "marey-fbx", *words[] = { name, megabytes, seconds, NULL };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return mry_fail_errno(scan->error, -errno, "start a reader of", scan->path);
    /* The child's end gets a number that dup2 cannot hit. */
    int end = fcntl(ends[1], F_DUPFD_CLOEXEC, ABOVE);
    if (end < 0) failed = errno;
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length < 0 && errno != ENOENT && end >= 0) failed = errno;
    char *slash = length > 0 ? strrchr(here, '/') : NULL;
    *(slash ? slash : here) = 0;
    const char *program;
    for (int i = 0;
         end >= 0 && failed == ENOENT && (program = program_at(i, here, room, sizeof room)); i++) {
        if (*program) failed = mry_spawn(program, words, (const int[]){ end, end, -1 }, 3, &c->pid);
    }
    close(ends[1]);
    if (end >= 0) close(end);
    c->socket = ends[0];
    if (!failed) return MAREY_OK;
    close(ends[0]);
    if (failed == ENOENT || failed == EACCES || failed == ENOTDIR) return not_there(scan);
    return mry_fail_errno(scan->error, -failed, "start a reader of", scan->path);
}

/* ---- talking --------------------------------------------------------------------------------- */

typedef struct talk {
    const uint8_t *bytes; /* to be said */
    size_t count, said;
    uint8_t *heard;
    size_t room, length, most;
    int64_t until; /* by the clock */
    int failed;    /* the errno of the talk itself, unless the other side was gone */
} talk;

typedef enum ending { WHOLE, LATE, TOO_LONG, NO_MEMORY, STOPPED, BROKEN } ending;

/* Says and hears until the other side has closed. */
static ending converse(const child *c, const mry_scan *scan, mry_arena *tmp, talk *t)
{
    for (;;) {
        bool saying = t->said < t->count;
        struct pollfd one = { .fd = c->socket, .events = (short)(POLLIN | (saying ? POLLOUT : 0)) };
        if (mry_cancelled(scan->ctx)) return STOPPED;
        if (mry_clock_ns() > t->until) return LATE;
        if (poll(&one, 1, SLICE_MS) <= 0) continue;
        if (saying && (one.revents & POLLOUT)) {
            ssize_t sent = send(c->socket, t->bytes + t->said, t->count - t->said,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) t->said += (size_t)sent;
            if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                if (errno != EPIPE && errno != ECONNRESET) {
                    t->failed = errno;
                    return BROKEN;
                }
                t->said = t->count; /* it is gone */
            }
            if (t->said == t->count) shutdown(c->socket, SHUT_WR);
        }
        if (!(one.revents & (POLLIN | POLLHUP | POLLERR))) continue;
        if (t->length == t->room) {
            size_t room = t->room ? 2 * t->room : 1 << 16;
            if (room > t->most) return TOO_LONG;
            uint8_t *more = MRY_NEW_RAW(tmp, uint8_t, room);
            if (!more) return NO_MEMORY;
            if (t->length) memcpy(more, t->heard, t->length);
            t->heard = more;
            t->room = room;
        }
        ssize_t got = recv(c->socket, t->heard + t->length, t->room - t->length, MSG_DONTWAIT);
        if (got > 0) t->length += (size_t)got;
        if (got == 0) return WHOLE;
        if (got < 0 && errno != EAGAIN && errno != EINTR) {
            t->failed = errno;
            return errno == ECONNRESET ? WHOLE
                                       : BROKEN; /* it may have died: how it ended says more */
        }
    }
}

marey_status mry_fbx_ask(mry_scan *scan, mry_arena *tmp, const uint8_t *bytes, size_t count,
                         const uint8_t **answer, size_t *length)
{
    child c;
    int64_t seconds = SECONDS + (int64_t)(count / MEGABYTE / 2);
    talk t = { .bytes = bytes, .count = count };
    t.until = mry_clock_ns() + seconds * 1000000000;
    t.most = 256 * (size_t)MEGABYTE + 64 * count;
    marey_status status = start(&c, scan, count);
    if (status) return status;
    ending ended = converse(&c, scan, tmp, &t);
    close(c.socket);
    if (ended != WHOLE) kill(c.pid, SIGKILL);
    /* One that closed its end and stays is not waited for beyond its time. */
    int state = 0;
    pid_t gone;
    while ((gone = waitpid(c.pid, &state, WNOHANG)) == 0 || (gone < 0 && errno == EINTR)) {
        if (mry_clock_ns() > t.until) kill(c.pid, SIGKILL);
        poll(NULL, 0, 1);
    }
    if (gone != c.pid) state = 0;
    *answer = t.heard;
    *length = t.length;
    switch (ended) {
    case STOPPED: return mry_fail_cancelled(scan->error);
    case NO_MEMORY: return mry_fail_memory(scan->error, scan->path);
    case TOO_LONG:
        return mry_fail(scan->error, MAREY_ERR_LIMIT, scan->path, "its motion is more than %zu MB",
                        t.most / MEGABYTE);
    case LATE:
        return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                        "reading it took longer than %d s, so it was given up", (int)seconds);
    case BROKEN: return mry_fail_errno(scan->error, -t.failed, "talk to the reader of", scan->path);
    case WHOLE: break;
    }
    bool done = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    bool cut_off = WIFSIGNALED(state) && WTERMSIG(state) == SIGPIPE; /* by the end of the talk */
    if ((done || cut_off) && t.failed)
        return mry_fail_errno(scan->error, -t.failed, "talk to the reader of", scan->path);
    if (done) return MAREY_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND) return not_there(scan);
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU)
        return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                        "reading it took longer than %d s, so it was given up", (int)seconds);
    return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                    "assimp failed on it (%s %d); it may be damaged",
                    WIFSIGNALED(state) ? "signal" : "status",
                    WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
}
