/* main.c - the program's host: the process's memory, streams and signals. */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
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
    int out = STDOUT_FILENO, err = STDERR_FILENO;
    program_host host = {
        .def = { .resize = resize },
        .out = { write_all, &out },
        .err = { write_all, &err },
        .err_is_terminal = isatty(STDERR_FILENO),
        .running = set_running,
    };
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error where it is written */
    return program_run(&host, argc, argv);
}
