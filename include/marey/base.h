/* base.h - what every part of marey stands on: statuses, errors, the context.
   Read first; every header includes it. Knows nothing of motion.

   Rules that hold in every header:

   Errors     A call that can fail returns a marey_status. Comments name statuses without their
              prefix: REQUEST is MAREY_ERR_REQUEST. On failure results are not written, unless the
              comment says so. `error`, always last, may be NULL. What the caller broke asserts: a
              NULL object, a frame outside the clip where the comment lists no REQUEST for it.
   Options    `def` may be NULL unless the comment says that it is required. A field that is zero
              has its default.
   Ownership  What ends with _free or _close accepts NULL. Borrowed pointers belong to the object
              they were asked of and end with it. Options are copied, or read during the call
              only, unless the comment says how long they must live.
   Numbers    Frames, rows and clips count from 0; of a range start, end the end is exclusive. */
#ifndef MAREY_BASE_H
#define MAREY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAREY_API __attribute__((visibility("default")))

#define MAREY_VERSION_MAJOR 0
#define MAREY_VERSION_MINOR 1
#define MAREY_VERSION_PATCH 0

/* The version of the library that is linked: "0.1.0". Lives forever. */
MAREY_API const char *marey_version(void);

/* ---- status and error ------------------------------------------------------------------------ */

/* Why a call failed. A program decides by this alone; messages are for people. */
typedef enum marey_status {
    MAREY_OK = 0,
    MAREY_ERR_INPUT,     /* a file is damaged, missing, or not understood */
    MAREY_ERR_REQUEST,   /* an invalid request: frames outside the clip, no such joint */
    MAREY_ERR_SHAPE,     /* two things that must fit together do not */
    MAREY_ERR_LIMIT,     /* larger than marey accepts; the message names the limit */
    MAREY_ERR_MEMORY,    /* no memory, or the context's byte limit is reached */
    MAREY_ERR_IO,        /* the machine failed: disk full, write or read error */
    MAREY_ERR_CANCELLED, /* marey_ctx_cancel was called, or the time is over; nothing was changed */
    /* Cases of INPUT and IO that callers treat in ways of their own. */
    MAREY_ERR_UNKNOWN_FORMAT, /* INPUT: a file of no format that marey reads */
    MAREY_ERR_NOT_FOUND,      /* INPUT: a library has no clip, or nothing saved, of that name */
    MAREY_ERR_STALE,          /* INPUT: what it was made of is gone from the library */
    MAREY_ERR_DAMAGED,        /* INPUT: stored bytes are not those that were written */
    MAREY_ERR_BUSY            /* IO: another program is writing; trying again may help */
} marey_status;

/* A status in words: "out of memory". Lives forever. */
MAREY_API const char *marey_status_name(marey_status status);

/* What a status is a case of, INPUT or IO; every other is its own group. Where a comment says INPUT
   or IO, its cases are meant too. */
MAREY_API marey_status marey_status_group(marey_status status);

/* The group's word in JSON: "ok", "input", "request", "shape", "limit", "memory", "io",
   "cancelled". Lives forever. */
MAREY_API const char *marey_status_word(marey_status status);

/* Where and why a call failed. Written on failure only. */
typedef struct marey_error {
    marey_status status;
    /* Both count from 1, columns in bytes; 0: no place, or an unknown one. */
    int64_t line;
    int64_t column;
    /* The file, or the name of the clip; "" if the error has none. */
    char path[1024];
    /* "subject must be rule, got value". */
    char message[512];
} marey_error;

/* Writes an error as one line, "walk.bvh:214:7: expected a number", cut to `room` bytes with the
   ending zero. */
MAREY_API void marey_error_text(const marey_error *error, char *text, size_t room);

/* ---- hooks ----------------------------------------------------------------------------------- */

/* One function for all of memory: old == NULL allocates, size == 0 frees (and returns NULL),
   otherwise resizes. Must align as malloc does and be safe to call from several threads. */
typedef void *(*marey_resize_fn)(void *user, void *old, size_t old_size, size_t size);

/* How a file is opened. */
typedef enum marey_io_mode {
    MAREY_IO_READ,  /* an existing file */
    MAREY_IO_CREATE /* a new file; fails with EEXIST if the path exists */
} marey_io_mode;

/* All of marey's file access. Functions return a negative errno on failure. A library's own file is
   not among it: SQLite opens that. */
typedef struct marey_io {
    void *user;
    /* A handle >= 0. */
    int (*open)(void *user, const char *path, marey_io_mode mode);
    /* Bytes of the file, or -ENOTSUP for a pipe or device. */
    int64_t (*size)(void *user, int handle);
    /* Bytes read; 0 at the end. */
    int64_t (*read)(void *user, int handle, void *bytes, size_t room);
    /* Bytes written. */
    int64_t (*write)(void *user, int handle, const void *bytes, size_t count);
    /* Returns when the data has reached the disk. */
    int (*sync)(void *user, int handle);
    int (*close)(void *user, int handle);
    /* Replaces `to` and keeps its mode. */
    int (*rename)(void *user, const char *from, const char *to);
    int (*remove)(void *user, const char *path);
    /* Where a file that is saved as `path` belongs: the same, or what a link leads to. -EINVAL if
       there is something else than a file (a folder, a device). */
    int (*resolve)(void *user, const char *path, char *resolved, size_t room);
    /* Calls found(found_user, name) for every entry of a folder but "." and "..", in any order. */
    int (*list)(void *user, const char *folder, void (*found)(void *found_user, const char *name),
                void *found_user);
} marey_io;

/* The operating system's files. Lives forever. */
MAREY_API const marey_io *marey_io_system(void);

/* Called now and then from the thread that asked for the work. total is 0 if it is unknown. */
typedef void (*marey_progress_fn)(void *user, const char *what, int64_t done, int64_t total);

/* ---- context --------------------------------------------------------------------------------- */

/* How a context is set up: leave a field zero for its default. */
typedef struct marey_ctx_def {
    /* Default: realloc and free. */
    marey_resize_fn resize;
    void *resize_user;
    /* Most bytes held at once; default: no limit. */
    size_t byte_limit;
    /* 1 .. 256; default: the number of processors. */
    int threads;
    /* Distances come from plain C, in the same order of sums on every kind of processor: for
       answers that are compared between machines. Slower. */
    bool portable;
    /* Default: marey_io_system(). Must live as long as the context. */
    const marey_io *io;
    /* Default: none. */
    marey_progress_fn progress;
    void *progress_user;
    /* Nanoseconds on a clock that only goes forward, for marey_ctx_limit_time. Safe from several
       threads. Default: the system's monotonic clock. */
    int64_t (*clock_ns)(void *user);
    void *clock_user;
} marey_ctx_def;

/* Carries memory, files, threads and progress; there are no globals. Objects made with a context
   must be freed before it. A context may be used from one thread at a time, except for cancel. */
typedef struct marey_ctx marey_ctx;

/* Opens a context.
   Errors: MEMORY.
   Ownership: close with marey_ctx_close. `def` is copied. */
MAREY_API marey_status marey_ctx_open(const marey_ctx_def *def, marey_ctx **out);

/* Closes a context and joins its threads. */
MAREY_API void marey_ctx_close(marey_ctx *ctx);

/* Asks running calls to stop soon with CANCELLED; later calls stop too, until marey_ctx_resume.
   Safe from any thread and from a signal handler. */
MAREY_API void marey_ctx_cancel(marey_ctx *ctx);

/* Ends a cancellation; a limit of time goes on. */
MAREY_API void marey_ctx_resume(marey_ctx *ctx);

/* Whether it was cancelled and not resumed, or its time is over. Safe from any thread. */
MAREY_API bool marey_ctx_cancelled(const marey_ctx *ctx);

/* Gives the calls that follow so many seconds together, from now on: once they are over, what runs
   stops with CANCELLED as after marey_ctx_cancel, and so do later calls until this is called again.
   0, or less: no limit, as at first. A call that ends well has ended in time or was past its last
   look at the clock. Not while a call runs. */
MAREY_API void marey_ctx_limit_time(marey_ctx *ctx, double seconds);

/* The limit that was given last; 0: none. */
MAREY_API double marey_ctx_seconds(const marey_ctx *ctx);

/* Whether CANCELLED means that this time is over: false after marey_ctx_cancel. Safe from any
   thread. */
MAREY_API bool marey_ctx_timed_out(const marey_ctx *ctx);

/* How many threads work for it. */
MAREY_API int marey_ctx_threads(const marey_ctx *ctx);

/* Bytes held now. */
MAREY_API size_t marey_ctx_bytes(const marey_ctx *ctx);

/* Most bytes ever held at once. */
MAREY_API size_t marey_ctx_bytes_peak(const marey_ctx *ctx);

/* Calls work(user, i) for every i in [0, count), spread over the context's threads, and returns
   when all are done. Which thread does which i is not defined, so work(i) must not depend on it.
   Called from inside a running work, it runs in that thread alone. Never fails: without threads it
   loops. */
MAREY_API void marey_ctx_run(marey_ctx *ctx, int64_t count, void (*work)(void *user, int64_t i),
                             void *user);

#ifdef __cplusplus
}
#endif
#endif
