/* bridge_context.c - contexts of Python: memory whose refusal can be tried, progress that does not wait for
   Python's lock too often, and Ctrl-C. */
#include "bridge_inside.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static atomic_int_fast64_t refused = -1;

void bridge_refuse(int64_t after)
{
    atomic_store(&refused, after);
}

/* Counts down to the one that is refused. */
static bool is_refused(void)
{
    if (atomic_load_explicit(&refused, memory_order_relaxed) < 0) return false;
    return atomic_fetch_sub(&refused, 1) == 0;
}

void *bridge_resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user, (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return is_refused() ? NULL : realloc(old, size);
}

/* ---- progress -------------------------------------------------------------------------------- */

void bridge_progress(void *user, const char *text, int64_t done, int64_t total, double seconds_left)
{
    bridge *to = user;
    (void)seconds_left;
    double now = to->progress ? app_seconds() : 0;
    if (!to->progress || now - to->reported < to->apart_s) return;
    to->reported = now;
    to->progress(to->progress_user, text, done, total);
}

static void context_progress(void *user, const char *text, int64_t done, int64_t total)
{
    bridge_progress(user, text, done, total, -1);
}

void bridge_report(bridge *to, bridge_progress_fn progress, void *user, double apart_s)
{
    to->apart_s = apart_s;
    to->progress = progress;
    to->progress_user = user;
    to->reported = app_seconds(); /* what is over at once is not reported at all */
}

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

/* Signals come to the main thread alone, so one context listens at a time; again and again, where
   a function of the user's that is asked during a call calls others. */
static marey_ctx *volatile listening;
static int times;
static struct sigaction python_action;

static void interrupt(int number, siginfo_t *about, void *machine)
{
    marey_ctx *ctx = listening;
    if (ctx) marey_ctx_cancel(ctx);
    /* Python notes it and raises KeyboardInterrupt once the call is over. */
    if (python_action.sa_flags & SA_SIGINFO)
        python_action.sa_sigaction(number, about, machine);
    else
        python_action.sa_handler(number);
}

void bridge_listen(bridge *to)
{
    struct sigaction now;
    if (listening == to->ctx) times++;
    if (listening || getpid() != gettid() || sigaction(SIGINT, NULL, &now) != 0) return;
    if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
        return;
    struct sigaction own = { .sa_sigaction = interrupt, .sa_flags = now.sa_flags | SA_SIGINFO };
    own.sa_mask = now.sa_mask;
    python_action = now;
    listening = to->ctx;
    times = 1;
    if (sigaction(SIGINT, &own, NULL) != 0) listening = NULL;
}

void bridge_unlisten(bridge *to)
{
    if (listening != to->ctx || --times > 0) return;
    sigaction(SIGINT, &python_action, NULL);
    listening = NULL;
    marey_ctx_resume(to->ctx);
}

/* ---- opening --------------------------------------------------------------------------------- */

bridge *bridge_open(int threads, size_t byte_limit)
{
    bridge *to = bridge_resize(NULL, NULL, 0, sizeof *to);
    if (!to) return NULL;
    *to = (bridge){ .def = { .resize = bridge_resize,
                             .byte_limit = byte_limit,
                             .threads = threads,
                             .progress = context_progress,
                             .progress_user = to },
                    .holders = 1 };
    if (marey_ctx_open(&to->def, &to->ctx) == MAREY_OK) return to;
    free(to);
    return NULL;
}

void bridge_keep(bridge *to)
{
    atomic_fetch_add(&to->holders, 1);
}

void bridge_close(bridge *to)
{
    if (!to || atomic_fetch_sub(&to->holders, 1) > 1) return;
    marey_ctx_close(to->ctx);
    free(to);
}

marey_ctx *bridge_ctx(bridge *to)
{
    return to->ctx;
}
