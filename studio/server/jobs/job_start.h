/* job_start.h - from a request to a job: what every address shares that begins one. Read after api_common.h and jobs.h. */
#ifndef STUDIO_JOB_START_H
#define STUDIO_JOB_START_H

#include "api_common.h"
#include "jobs.h"

/* Adds the job and answers with its number, or says why there is none. Takes def->user over in any case. */
void job_start(studio_worker *worker, const job_def *def, studio_response *response);

/* The same for a job that needs no more than a copy of what was planned, whose bytes are all there is to free. Its run finds
   the copy by job_planned(user). */
void job_start_copy(studio_worker *worker, const char *kind,
                    marey_status (*run)(studio_worker *worker, void *user, studio_bytes *result,
                                        marey_error *error),
                    const void *planned, size_t size, studio_response *response);
const void *job_planned(const void *user);

#endif
