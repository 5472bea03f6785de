/* puppet_run_body.h - a whole body that goes where a behaviour goes, as a new clip: a job. Read after puppet_asked.h. */
#ifndef STUDIO_PUPPET_RUN_BODY_H
#define STUDIO_PUPPET_RUN_BODY_H

#include "puppet_asked.h"

/* LIMIT: the path takes more than `times` as many steps, times the samples of the puppet, as one request may. */
marey_status puppet_check_work(const puppet_asked *of, const marey_puppet *puppet, int times,
                               marey_error *error);

/* Starts the job, or says why not. Takes what is in `body` over in any case. */
void puppet_run_body_start(studio_worker *worker, puppet_asked *body, studio_response *response);

#endif
