/* api_index.c - what searches go by, poses and match webs: what `marey index --show` says. Making it is the
   operation `index`. */
#include "api_common.h"
#include "find_motion.h"
#include "operations.h"

void api_index(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_call call;
    marey_error error;
    buffer text = buffer_make(&worker->of->allocator);
    app_env env = { .ctx = worker->ctx, .library = worker->library };
    (void)request;
    marey_status status = app_call_open(&call, &app_index, &worker->of->allocator, &error);
    if (status == MAREY_OK) {
        ((app_index_params *)(void *)call.params)->show = true;
        status = app_call_run(&call, env, &error);
    }
    if (status == MAREY_OK) {
        app_call_write(&call, &text);
        bytes_add(&response->body, text.bytes, text.used);
        status = app_check(text.failed || response->body.failed, &error);
    }
    buffer_free(&text);
    app_call_close(&call);
    response->status = 200;
    response->type = "application/json";
    if (marey_status_group(status) == MAREY_ERR_INPUT) {
        /* One of another version, or a damaged one, is as good as none: making it replaces it. */
        json_t *value = json_object();
        describe_put(&value, "exists", json_false());
        describe_put(&value, "pairs_missing", json_integer(0));
        describe_put(&value, "why", describe_text(&worker->of->memory, error.message));
        answer_json(response, 200, value);
    } else if (status != MAREY_OK) {
        answer_fail(response, &error);
    }
}
