/* main.c - the program's host: the process's memory, streams and signals. */
#include "program.h"

#include "json_reserve.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* A signal handler is given nothing but a number, so what it may touch has to be found here. */
static _Atomic(marey_ctx *) running_ctx;

static void set_running(void *user, marey_ctx *ctx)
{
    (void)user;
    atomic_store(&running_ctx, ctx);
}

/* The first signal asks what runs to stop and clean up; a second one takes the system's way. */
static void on_signal(int number)
{
    marey_ctx *ctx = atomic_load(&running_ctx);
    (void)number;
    if (!ctx) _exit(PROGRAM_INTERRUPTED);
    marey_ctx_cancel(ctx);
}

/* What waits returns with EINTR; nothing else is meant by it. */
static void on_alarm(int number)
{
    (void)number;
}

/* Again and again: what begins to wait behind the first is interrupted by the next. */
static void interrupt_after(double seconds)
{
    const struct timeval again = { .tv_usec = 200000 };
    struct sigaction action = { .sa_handler = on_alarm };
    struct itimerval when = { .it_interval = again };
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    when.it_value.tv_sec = (time_t)seconds;
    when.it_value.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 999999) + 1;
    setitimer(ITIMER_REAL, &when, NULL);
}

static void catch_signal(int number)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* `user` is the handle. */
static int write_all(void *user, const char *bytes, size_t count)
{
    int handle = *(const int *)user;
    while (count > 0) {
        ssize_t put = write(handle, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -errno;
        bytes += put;
        count -= (size_t)put;
    }
    return 0;
}

/* `user` is the handle. */
static int64_t read_some(void *user, char *bytes, size_t room)
{
    enum { MOMENT_MS = 100 };
    struct pollfd input = { .fd = *(const int *)user, .events = POLLIN };
    int ready = poll(&input, 1, MOMENT_MS);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return -EAGAIN;
    if (ready < 0) return -errno;
    ssize_t got = read(input.fd, bytes, room);
    if (got < 0) return errno == EINTR ? -EAGAIN : -errno;
    return got;
}

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size) return realloc(old, size);
    free(old);
    return NULL;
}

int main(int argc, char **argv)
{
    int in = STDIN_FILENO, out = STDOUT_FILENO, err = STDERR_FILENO;
    program_host host = {
        .def = { .resize = resize },
        .in = { read_some, &in },
        .out = { write_all, &out },
        .err = { write_all, &err },
        .err_is_terminal = isatty(STDERR_FILENO),
        .running = set_running,
        .interrupt_after = interrupt_after,
    };
    json_reserve_lend();
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error where it is written */
    return program_run(&host, argc, argv);
}
