/* jobs.h - what takes long: one thread does one job after the other, in the order they came,
   reports how far it is, and can be cancelled. A job that was, and does not end within
   LIMIT_DEAF_MS, is left to itself: it counts as cancelled, and another thread does the jobs behind
   it. Read after worker.h. */
#ifndef STUDIO_JOBS_H
#define STUDIO_JOBS_H

#include "worker.h"

typedef enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED } job_state;

typedef struct job job;

typedef struct job_def {
    const char *kind; /* "import"; lives forever */
    /* On the jobs' thread. Writes its result, the text of a JSON object, to `result` (empty, with
       its memory), or fails. */
    marey_status (*run)(studio_worker *worker, void *user, studio_bytes *result,
                        marey_error *error);
    void (*drop)(void *user); /* frees user; called exactly once, whatever happens */
    void *user;
} job_def;

typedef struct jobs jobs;

/* `threads`: of the context that long work uses. */
marey_status jobs_open(shared *common, int threads, jobs **out, marey_error *error);
void jobs_close(jobs *queue); /* cancels, joins, frees */

/* Takes def->user over in any case. MEMORY, LIMIT (64 are waiting). */
marey_status jobs_add(jobs *queue, const job_def *def, int64_t *number, marey_error *error);

/* The fields of a job as documented, JSON, behind what is in `bytes`. False if there is none of
   that number; look at bytes->failed too. */
bool jobs_describe(jobs *queue, int64_t number, studio_bytes *bytes);

/* All that are remembered, as messages have them, the newest first: {"jobs": [...]}; look at
   bytes->failed. */
void jobs_list(jobs *queue, studio_bytes *bytes);

/* False if there is none; one that is over stays as it is. */
bool jobs_cancel(jobs *queue, int64_t number);

/* Leaves a job that should have ended, if it is time. From any thread; asking for jobs does it too.
   NULL is allowed. */
void jobs_look(jobs *queue);

/* On the jobs' thread, from inside run, by a job that knows better than its context how far it is:
   from then on what the context says is not sent. seconds_left negative: unknown. */
void jobs_report(studio_worker *worker, const char *activity, int64_t done, int64_t total,
                 double seconds_left);

/* ---- files that jobs made -------------------------------------------------------------------- */

/* On the jobs' thread, from inside run: keeps a file for the job that runs; takes over the
   bytes. */
marey_status jobs_keep_file(studio_worker *worker, const char *name, const char *type,
                            studio_bytes *content, marey_error *error);

/* Lends it to an answer; false if there is none (any more). */
bool jobs_file(jobs *queue, int64_t number, studio_response *response);

#endif
