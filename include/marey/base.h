/* base.h - what every part of marey stands on: statuses, errors, the context.
   Read first; everybody includes it. Knows nothing of motion. */
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

MAREY_API const char *marey_version(void); /* "0.1.0"; lives forever */

/* ---- status and error ----------------------------------------------------------------------- */

typedef enum marey_status {
    MAREY_OK = 0,
    MAREY_ERR_INPUT,     /* a file is damaged, missing, or not understood */
    MAREY_ERR_REQUEST,   /* an invalid request: frames outside the clip, no such joint */
    MAREY_ERR_SHAPE,     /* two things that must fit together do not */
    MAREY_ERR_LIMIT,     /* larger than marey accepts; the message names the limit */
    MAREY_ERR_MEMORY,    /* no memory, or the context's byte limit is reached */
    MAREY_ERR_IO,        /* the machine failed: disk full, write or read error */
    MAREY_ERR_CANCELLED, /* marey_ctx_cancel was called; nothing was changed */
    /* Cases of INPUT and IO that callers treat in ways of their own. */
    MAREY_ERR_UNKNOWN_FORMAT, /* INPUT: a file of no format that marey reads */
    MAREY_ERR_NOT_FOUND,      /* INPUT: a library has no clip, or nothing saved, of that name */
    MAREY_ERR_STALE,          /* INPUT: what it was made of is gone from the library */
    MAREY_ERR_DAMAGED,        /* INPUT: stored bytes are not those that were written */
    MAREY_ERR_BUSY            /* IO: another program is writing; trying again may help */
} marey_status;

MAREY_API const char *marey_status_name(marey_status status); /* "out of memory"; lives forever */

/* What a status is a case of, INPUT or IO; every other is its own group. */
MAREY_API marey_status marey_status_group(marey_status status);

/* The word for a status's group in JSON: "ok", "input", "request", "shape", "limit", "memory", "io", "cancelled". */
MAREY_API const char *marey_status_word(marey_status status);

/* Where and why something failed. Functions that can say more than a status take one last,
   optional `marey_error *`; it is written on failure only. line and column count from 1; 0 means
   that the place is unknown or that there is none. The column counts bytes. */
typedef struct marey_error {
    marey_status status;
    int64_t line;
    int64_t column;
    char path[1024];
    char message[512];
} marey_error;

/* Writes "walk.bvh:214:7: expected a number" into text, cut to room bytes with the ending zero. */
MAREY_API void marey_error_text(const marey_error *error, char *text, size_t room);

/* ---- hooks ---------------------------------------------------------------------------------- */

/* One function for all of memory. old == NULL allocates, size == 0 frees (and returns NULL),
   otherwise resizes. Must align as malloc does and be safe to call from several threads. */
typedef void *(*marey_resize_fn)(void *user, void *old, size_t old_size, size_t size);

typedef enum marey_io_mode {
    MAREY_IO_READ,  /* an existing file */
    MAREY_IO_CREATE /* a new file; fails with EEXIST if the path exists */
} marey_io_mode;

/* All of marey's file access goes through one of these. Calls return a negative errno on failure.
   NULL in marey_ctx_def means the operating system. */
typedef struct marey_io {
    void *user;
    int (*open)(void *user, const char *path, marey_io_mode mode); /* a handle >= 0 */
    int64_t (*size)(void *user, int handle); /* bytes, or -ENOTSUP for a pipe or device */
    int64_t (*read)(void *user, int handle, void *bytes, size_t room); /* 0 at the end */
    int64_t (*write)(void *user, int handle, const void *bytes, size_t count);
    int (*sync)(void *user, int handle); /* data has reached the disk */
    int (*close)(void *user, int handle);
    int (*rename)(void *user, const char *from, const char *to); /* replaces `to`, keeps its mode */
    int (*remove)(void *user, const char *path);
    /* Where a file that is saved as `path` belongs: the same, or what it leads to if it is a link. -EINVAL if
       there is something else than a file (a folder, a device). */
    int (*resolve)(void *user, const char *path, char *resolved, size_t room);
    /* Calls found(found_user, name) for every entry of a folder but "." and "..", in any order. */
    int (*list)(void *user, const char *folder, void (*found)(void *found_user, const char *name),
                void *found_user);
} marey_io;

MAREY_API const marey_io *marey_io_system(void); /* the operating system's; lives forever */

/* Called now and then from the thread that asked for the work. total is 0 if it is unknown. */
typedef void (*marey_progress_fn)(void *user, const char *what, int64_t done, int64_t total);

/* ---- context -------------------------------------------------------------------------------- */

typedef struct marey_ctx_def { /* leave a field zero for its default */
    marey_resize_fn resize;    /* default: realloc and free */
    void *resize_user;
    size_t byte_limit;          /* most bytes held at once; default: no limit */
    int threads;                /* 1 .. 256; default: the number of processors */
    const marey_io *io;         /* default: marey_io_system() */
    marey_progress_fn progress; /* default: none */
    void *progress_user;
} marey_ctx_def;

/* Carries memory, files, threads and progress; there are no globals. Objects made with a context
   must be freed before it. A context may be used from one thread at a time, except for cancel. */
typedef struct marey_ctx marey_ctx;

/* `def` may be NULL and is copied. On failure (MEMORY) *out is not written. */
MAREY_API marey_status marey_ctx_open(const marey_ctx_def *def, marey_ctx **out);
MAREY_API void marey_ctx_close(marey_ctx *ctx); /* NULL is allowed; joins the threads */

/* Asks whatever runs to stop soon with MAREY_ERR_CANCELLED. Safe from any thread and from a signal
   handler. Stays in force until marey_ctx_resume. */
MAREY_API void marey_ctx_cancel(marey_ctx *ctx);
MAREY_API void marey_ctx_resume(marey_ctx *ctx);
MAREY_API bool marey_ctx_cancelled(const marey_ctx *ctx); /* since then; safe from any thread */

MAREY_API int marey_ctx_threads(const marey_ctx *ctx);
MAREY_API size_t marey_ctx_bytes(const marey_ctx *ctx);      /* held now */
MAREY_API size_t marey_ctx_bytes_peak(const marey_ctx *ctx); /* most ever held at once */

/* Calls work(user, i) for every i in [0, count), spread over the context's threads; returns when
   all are done. Which thread does which i is not defined, so work(i) must not depend on it. Called
   from inside a running work, it runs in that thread alone. Never fails: without threads it loops. */
MAREY_API void marey_ctx_run(marey_ctx *ctx, int64_t count, void (*work)(void *user, int64_t i),
                             void *user);

#ifdef __cplusplus
}
#endif
#endif
