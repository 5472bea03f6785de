/* api_jobs.c - how far a job is, what it made, and stopping it. */
#include "api_common.h"
#include "jobs.h"

static void refuse(const studio_request *request, studio_response *response)
{
    answer_refuse(response, 404, "input", "there is no job %lld", (long long)request->id);
}

void api_job(studio_worker *worker, studio_request *request, studio_response *response)
{
    if (!jobs_describe(worker->of->jobs, request->id, &response->body)) {
        refuse(request, response);
    } else if (response->body.failed) {
        api_fail_memory(response);
    } else {
        response->status = 200;
        response->type = "application/json";
    }
}

void api_jobs(studio_worker *worker, studio_request *request, studio_response *response)
{
    (void)request;
    jobs_list(worker->of->jobs, &response->body);
    if (response->body.failed) {
        api_fail_memory(response);
        return;
    }
    response->status = 200;
    response->type = "application/json";
}

void api_job_file(studio_worker *worker, studio_request *request, studio_response *response)
{
    if (jobs_file(worker->of->jobs, request->id, response)) return;
    answer_refuse(response, 404, "input", "job %lld has no file, or has it no more",
                  (long long)request->id);
}

void api_job_cancel(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_error error;
    if (json_parse_empty(request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (jobs_cancel(worker->of->jobs, request->id)) {
        answer_json(response, 200, json_object());
    } else {
        refuse(request, response);
    }
}
