/* worker.h - a thread that works: its own context, its own handle on the library, the clips it read
   last. Contexts and libraries belong to one thread each, so nothing of this is shared. Read after
   routes.h. */
#ifndef STUDIO_WORKER_H
#define STUDIO_WORKER_H

#include "routes.h"
#include "saved.h"
#include "studio.h"

#include <pthread.h>

struct jobs;
struct hub;
struct searching;
struct clip_lists;

/* What all threads of a studio share. Filled before the first thread starts, and not changed
   afterwards. */
typedef struct shared {
    heap memory;
    marey_ctx_def allocator; /* the same, as operations ask for it */
    const char *library_path;
    bool can_write;
    const studio_neighbours *neighbours; /* NULL: it has none */
    double most_seconds;                 /* of a request or a job; 0: any time */
    /* Most of them; 0: LIMIT_ROLE_SAMPLES and LIMIT_REACT_SAMPLES. Tests use few. */
    int64_t role_samples, react_samples;
    /* For tests: the clock of deadlines (NULL: the monotonic one), and what the jobs' thread calls
       before each job. */
    int64_t (*clock_ms)(void);
    void (*before_job)(void);
    int64_t (*clock_ns)(void *user); /* of most_seconds; NULL: the monotonic one */
    struct jobs *jobs;
    struct hub *hub;
    struct searching *searching;
    struct clip_lists *lists;
    /* Frees what searching keeps only to save time; NULL: there is none yet. */
    void (*make_searching_room)(struct searching *searching);
} shared;

enum { WORKER_CLIPS = 4 };

typedef struct kept_clip {
    int64_t id;     /* no other clip ever gets its number */
    int64_t layers; /* which repairs it has: they may have changed since */
    marey_clip *clip;
    uint64_t used; /* when, by the worker's own count */
} kept_clip;

typedef struct studio_worker {
    shared *of;
    marey_ctx *ctx;
    marey_library *library;
    memory_files *files; /* of its context */
    kept_clip clips[WORKER_CLIPS];
    uint64_t count;
    app_cache saved; /* saved things that it was asked about last */
    struct job *job; /* that it works on; NULL for short requests */
} studio_worker;

/* Opens context and library. `threads`: of the context. progress may be NULL. */
marey_status worker_open(studio_worker *worker, shared *common, int threads,
                         marey_progress_fn progress, marey_error *error);
void worker_close(studio_worker *worker);

/* Around a request or a job: how long it may take. The second makes a LIMIT of what was stopped for
   that, and leaves any other error as it is. */
void worker_begin(studio_worker *worker);
void worker_end(studio_worker *worker, marey_error *error);

/* A clip by its number, borrowed until the next call with this worker. marey_clip_name is what it
   was called when it was read. INPUT: there is none, or it is removed. */
marey_status worker_clip(studio_worker *worker, int64_t id, const marey_clip **out,
                         marey_error *error);

/* Two at once. */
marey_status worker_two_clips(studio_worker *worker, const int64_t ids[2], const marey_clip *out[2],
                              marey_error *error);

/* As app_env has it: lends a neighbour by its name until the scope closes. REQUEST: there is none. */
marey_status worker_neighbour(void *worker, app_scope *scope, const char *name, marey_library **out,
                              marey_error *error);
/* Its number among them; -1: there is none. */
int worker_neighbour_find(const shared *common, const char *name);

void worker_forget_saved(studio_worker *worker);

/* Everything that is kept only to save time. */
void worker_make_room(studio_worker *worker);

/* ---- short requests: a queue and some threads ------------------------------------------------ */

typedef struct task {
    struct task *next;
    void (*run)(studio_worker *worker, struct task *self); /* must not keep the worker */
} task;

typedef struct pool pool;

/* `progress` of their contexts is none. NULL, with a status, on failure. */
marey_status pool_open(shared *common, int count, pool **out, marey_error *error);

/* Cancels what runs, runs the rest as cancelled contexts do, joins. */
void pool_close(pool *workers);

/* From any thread; first come, first served. */
void pool_add(pool *workers, task *added);

#endif
