/* jobs_inside.h - what jobs.c and jobs_files.c know of each other. Read after jobs.h. */
#ifndef STUDIO_JOBS_INSIDE_H
#define STUDIO_JOBS_INSIDE_H

#include "jobs.h"

typedef struct kept_file {
    int64_t job;     /* 0: the place is free */
    int64_t made_ms; /* by the clock that never goes back */
    char name[512];
    const char *type;
    held *content;
} kept_file;

struct job {
    int64_t number; /* 0: the place is free; negative: it was left, and its thread still uses it */
    struct jobs *all;
    job_def def;
    bool dropped; /* def.drop was called */
    job_state state;
    char what[64];
    int64_t done, total;
    double seconds_left; /* negative: nobody knows */
    bool tells;          /* by itself: what its context says is not told */
    int64_t told_ms;
    int64_t cancelled_ms; /* when it was told to stop; 0: it was not */
    studio_bytes result;  /* JSON; empty: none */
    marey_error error;
};

/* One runs while as many as may wait, and those that were left have places that are not seen. */
enum { JOB_SEEN = LIMIT_JOBS + 1, JOB_PLACES = JOB_SEEN + LIMIT_LEFT_JOBS };

/* A thread that does jobs, and what it works with. There is one at a time, and those that were left with a job that does
   not stop; these end with it. */
typedef struct crew {
    struct crew *next; /* of those that were left */
    struct jobs *all;
    studio_worker self;
    pthread_t thread;
    bool left, over; /* over: it can be joined without waiting */
} crew;

struct jobs {
    shared *of;
    int threads;          /* of a crew's context */
    pthread_mutex_t lock; /* for all that follows, but the worker of a crew */
    pthread_cond_t changed;
    crew *now;  /* does the jobs */
    crew *left; /* LIMIT_LEFT_JOBS at most */
    int left_count;
    bool closing;
    int64_t last_number;
    job places[JOB_PLACES];
    kept_file files[LIMIT_FILES];
};

static inline int64_t jobs_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Each with the lock held. */
void jobs_expire_files(jobs *all);
bool jobs_have_files(const jobs *all);
void jobs_drop_files(jobs *all);

#endif
