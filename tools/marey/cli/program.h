/* program.h - the whole program as one function, so that tests can run it with memory that is
   refused, files that fail and streams of their own. main.c is its host in real life. */
#ifndef MAREY_TOOL_PROGRAM_H
#define MAREY_TOOL_PROGRAM_H

#include <marey/marey.h>

/* Takes all of the bytes and returns 0, or a negative errno. */
typedef struct program_sink {
    int (*write)(void *user, const char *bytes, size_t count);
    void *user;
} program_sink;

/* Waits a moment, a tenth of a second or so, for bytes, and returns how many it took; 0: there will be no more; -EAGAIN:
   none came. Another negative errno: it failed. */
typedef struct program_source {
    int64_t (*read)(void *user, char *bytes, size_t room);
    void *user;
} program_source;

typedef struct program_host {
    marey_ctx_def def; /* resize must be set; threads and progress are set by the program */
    program_source in; /* read NULL: it is at its end */
    program_sink out;
    program_sink err;
    bool err_is_terminal; /* progress may be shown there */

    /* Told the context while commands run, and NULL before it closes; may be NULL. This is what a
       signal handler needs to cancel. */
    void (*running)(void *user, marey_ctx *ctx);
    void *running_user;

    /* From so many seconds on, calls of the system that wait are interrupted now and then, so that a
       command whose time is over finds that out; may be NULL. */
    void (*interrupt_after)(double seconds);
} program_host;

/* What the program ends with. */
enum {
    PROGRAM_DONE = 0,
    PROGRAM_WRONG = 1,   /* the input or the request */
    PROGRAM_USAGE = 2,   /* the command line */
    PROGRAM_MACHINE = 3, /* disk, memory */
    PROGRAM_INTERRUPTED = 130
};

/* Runs one command line and returns the exit status. The pointers in argv are put into another
   order; the texts stay as they are. */
int program_run(const program_host *host, int argc, char **argv);

#endif
