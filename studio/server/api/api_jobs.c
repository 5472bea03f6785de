/* api_jobs.c - how far a job is, what it made, and stopping it. */
#include "api_common.h"
#include "jobs.h"

static void refuse(const asked *what, answer *to)
{
    answer_refuse(to, 404, "input", "there is no job %lld", (long long)what->id);
}

void api_job(worker *by, asked *what, answer *to)
{
    if (!jobs_describe(by->of->jobs, what->id, &to->body)) {
        refuse(what, to);
    } else if (to->body.failed) {
        api_fail_memory(to);
    } else {
        to->status = 200;
        to->type = "application/json";
    }
}

void api_job_file(worker *by, asked *what, answer *to)
{
    if (jobs_file(by->of->jobs, what->id, to)) return;
    answer_refuse(to, 404, "input", "job %lld has no file, or has it no more", (long long)what->id);
}

void api_job_cancel(worker *by, asked *what, answer *to)
{
    json_body body;
    if (!api_body(by, what, 0, 0, &body, to)) return;
    json_body_free(&body);
    if (jobs_cancel(by->of->jobs, what->id)) {
        answer_json(to, 200, json_object());
    } else {
        refuse(what, to);
    }
}
