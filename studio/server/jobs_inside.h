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
    int64_t number; /* 0: the place is free */
    struct jobs *all;
    job_def def;
    bool dropped; /* def.drop was called */
    job_state state;
    char what[64];
    int64_t done, total;
    double seconds_left; /* negative: nobody knows */
    bool tells;          /* by itself: what its context says is not told */
    int64_t told_ms;
    bytes result; /* JSON; empty: none */
    marey_error error;
};

enum { JOB_PLACES = LIMIT_JOBS + 1 }; /* one runs while as many as may wait */

struct jobs {
    shared *of;
    pthread_mutex_t lock; /* for all that follows but self */
    pthread_cond_t changed;
    pthread_t thread;
    worker self;
    bool closing;
    int64_t last_number;
    job places[JOB_PLACES];
    kept_file files[LIMIT_FILES];
};

int64_t jobs_now_ms(void);

/* Each with the lock held. */
void jobs_expire_files(jobs *all);
bool jobs_have_files(const jobs *all);
void jobs_drop_files(jobs *all);

#endif
