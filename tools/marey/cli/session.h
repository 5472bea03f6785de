/* session.h - one run of the program: its streams, its context, how it reports what went wrong.
   Read after program.h and buffer.h; all commands take one. */
#ifndef MAREY_TOOL_SESSION_H
#define MAREY_TOOL_SESSION_H

#include "buffer.h"
#include "program.h"

#include <time.h>

struct command;

typedef struct session {
    const program_host *host;
    marey_ctx *ctx;
    const struct command *command; /* NULL before the verb is known */
    bool json;
    bool quiet;
    size_t most_bytes;   /* --max-memory; 0: no limit */
    double most_seconds; /* --max-seconds, of a command, or of each request; 0: no limit */
    buffer out;          /* for standard output, not sent yet */
    int out_failed;      /* negative errno of standard output, or 0 */
    bool own_progress; /* the command itself shows how far it is; the library's word is not shown */
    bool progress_shown;
    int64_t progress_ns; /* when it was last drawn, or last logged */
    /* what is being done, since when, and how much of it was done then */
    char activity[64];
    int64_t activity_ns, activity_done;
} session;

/* Sends what is in `out`. Returns false, having said so, if that or putting it together failed. */
bool session_flush(session *run);

/* Sends the rest and returns the exit status: `status`, or what sending made of it. */
int session_finish(session *run, int status);

/* Ends the run with an error: "marey: ..." on standard error, and with --json an object that holds
   it on standard output in place of what was put together. Returns the exit status. */
int session_fail(session *run, const marey_error *error);
int session_fail_memory(session *run);

/* The same for a command line that is wrong; says how to get help. */
__attribute__((format(printf, 2, 3))) int session_usage(session *run, const char *format, ...);

/* One line on standard error. Never fails. */
__attribute__((format(printf, 2, 3))) void session_say(session *run, const char *format, ...);
void session_say_error(session *run, const marey_error *error);
void session_failed(void *run, const marey_error *error); /* the same, for app_env */

int session_exit_status(marey_status status);

/* Says "indexing 37%, 2 min 05 s left" on standard error: on a terminal in place, a few times a second,
   else as a line a minute. Negative: the time left follows from what was done so far. The other
   clears the line. */
void session_progress(session *run, const char *activity, int64_t done, int64_t total,
                      double seconds_left);
void session_progress_clear(session *run);

#endif
