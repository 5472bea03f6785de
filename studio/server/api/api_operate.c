/* api_operate.c - every operation by its name: POST /api/do/graph-build. A body becomes its parameters by their rows; what
   takes long becomes a job, everything else is answered at once. */
#include "api_common.h"
#include "job_start.h"
#include "json_inside.h"
#include "operation.h"

#include <string.h>

/* What is open only to save time makes way before an operation fails for memory. */
static marey_status run_call(studio_worker *worker, app_call *call, marey_error *error)
{
    marey_status status = app_call_run(call, worker->ctx, worker->library, &worker->saved, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_forget_blend(worker);
    worker_make_room(worker);
    return app_call_run(call, worker->ctx, worker->library, &worker->saved, error);
}

/* The answer is written before the library is changed, so that what was done can be said. */
static marey_status answer_call(studio_worker *worker, app_call *call, studio_bytes *body,
                                bool *committing, marey_error *error)
{
    buffer text = buffer_make(&worker->of->allocator);
    marey_status status = run_call(worker, call, error);
    if (status == MAREY_OK) app_call_write(call, &text);
    bytes_add(body, text.bytes, text.used);
    if (status == MAREY_OK) status = app_check(text.failed || body->failed, error);
    buffer_free(&text);
    if (status != MAREY_OK) return status;
    *committing = true;
    status = app_call_commit(call, worker->ctx, worker->library, &worker->saved, error);
    if (status == MAREY_OK && call->operation->library == APP_WRITES) api_changed(worker);
    return status;
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    bool committing = false;
    marey_status status = answer_call(worker, user, result, &committing, error);
    worker_forget_saved(worker); /* the jobs' own worker is seldom asked again */
    return status;
}

static void drop_job(void *user)
{
    app_call *call = user;
    const marey_ctx_def *memory = call->scope.memory;
    app_call_close(call);
    memory->resize(memory->resize_user, call, sizeof *call, 0);
}

/* Takes the call over. */
static void start_job(studio_worker *worker, app_call *call, studio_response *response)
{
    const marey_ctx_def *memory = call->scope.memory;
    app_call *own = memory->resize(memory->resize_user, NULL, 0, sizeof *own);
    if (!own) {
        app_call_close(call);
        api_fail_memory(response);
        return;
    }
    *own = *call;
    job_start(worker, &(job_def){ own->operation->name, run_job, drop_job, own }, response);
}

/* ---- the address --------------------------------------------------------------------------------- */

static marey_status read_body(app_call *call, const studio_request *request, marey_error *error)
{
    json_t *root = NULL;
    const app_param *rows = call->operation->params;
    marey_status status = json_parse(request->body, request->body_count, &root, error);
    if (status == MAREY_OK) status = app_params_json(&call->scope, rows, root, call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    json_decref(root);
    return status;
}

void api_operate(studio_worker *worker, studio_request *request, studio_response *response)
{
    const app_operation *operation = app_operation_at((int)request->id - 1);
    app_call call;
    bool committing = false;
    marey_error error;
    if (operation->library == APP_WRITES && !worker->of->can_write) {
        answer_refuse(response, 409, "request", "the library can only be read");
        return;
    }
    marey_status status = app_call_open(&call, operation, &worker->of->allocator, &error);
    if (status == MAREY_OK) status = read_body(&call, request, &error);
    if (status == MAREY_OK && operation->takes_long) {
        start_job(worker, &call, response);
        return;
    }
    if (status == MAREY_OK)
        status = answer_call(worker, &call, &response->body, &committing, &error);
    app_call_close(&call);
    app_cache_trim(&worker->saved);
    if (status == MAREY_OK) {
        response->status = 200;
        response->type = "application/json";
        return;
    }
    answer_fail(response, &error);
    /* What the library refuses to change was asked for rightly, and is in conflict with what it holds. */
    if (committing && response->status == 400 && marey_status_group(status) == MAREY_ERR_INPUT)
        answer_refuse(response, 409, "input", "%s", error.message);
}

/* Every operation with its parameters: the page makes its command bar and its forms from these. */
void api_operations(studio_worker *worker, studio_request *request, studio_response *response)
{
    const app_operation *operation;
    buffer text = buffer_make(&worker->of->allocator);
    json out = json_make(&text);
    (void)request;
    json_open(&out, NULL, '{');
    json_open(&out, "operations", '[');
    for (int i = 0; (operation = app_operation_at(i)); i++) {
        json_open(&out, NULL, '{');
        json_put_string(&out, "name", operation->name);
        json_put_string(&out, "summary", operation->summary);
        json_put_boolean(&out, "library", operation->library != APP_NO_LIBRARY);
        json_put_boolean(&out, "takes_long", operation->takes_long);
        app_params_describe(&out, "params", operation->params);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    bytes_add(&response->body, text.bytes, text.used);
    response->status = 200;
    response->type = "application/json";
    if (text.failed || response->body.failed) api_fail_memory(response);
    buffer_free(&text);
}
