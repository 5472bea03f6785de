/* job_start.c - from a request to a job. */
#include "job_start.h"

#include <string.h>

void job_start(studio_worker *worker, const job_def *def, studio_response *response)
{
    int64_t number = 0;
    marey_error error;
    if (jobs_add(worker->of->jobs, def, &number, &error) == MAREY_OK) {
        json_t *value = json_object();
        describe_put(&value, "job", json_integer(number));
        answer_json(response, 202, value);
    } else {
        answer_fail(response, &error);
    }
}

/* The copy lies behind what is needed to free it. */
typedef struct planned_job {
    heap *memory;
    size_t room;
    _Alignas(max_align_t) unsigned char copy[];
} planned_job;

static void drop_planned(void *user)
{
    planned_job *plan = user;
    heap_resize(plan->memory, plan, plan->room, 0);
}

const void *job_planned(const void *user)
{
    return ((const planned_job *)user)->copy;
}

void job_start_copy(studio_worker *worker, const char *kind,
                    marey_status (*run)(studio_worker *worker, void *user, studio_bytes *result,
                                        marey_error *error),
                    const void *planned, size_t size, studio_response *response)
{
    heap *memory = &worker->of->memory;
    size_t room = sizeof(planned_job) + size;
    planned_job *plan = heap_resize(memory, NULL, 0, room);
    if (!plan) {
        api_fail_memory(response);
        return;
    }
    plan->memory = memory;
    plan->room = room;
    memcpy(plan->copy, planned, size);
    job_start(worker, &(job_def){ kind, run, drop_planned, plan }, response);
}
