/* api_compare.c - how alike the frames of two clips are: the metrics there are, and the grid as
   bytes. What else is asked of two clips are the operations grid, similar, compare and weights. */
#include "comparison.h"
#include "grid_binary.h"
#include "operations.h"

enum { MOST_SIDE = 1024 };

void api_metrics(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_t *value = json_object(), *metrics = json_array(), *joints = json_array();
    (void)worker;
    (void)request;
    const marey_metric *metric;
    for (int i = 0; (metric = marey_metric_find(i)); i++) {
        json_t *one = json_object(), *attributes = json_array();
        for (int k = 0; k < metric->attribute_count; k++)
            describe_append(&attributes, json_string(metric->attributes[k]));
        describe_put(&one, "name", json_string(metric->name));
        describe_put(&one, "description", json_string(metric->description));
        describe_put(&one, "unit", json_string(metric->unit));
        describe_put(&one, "window", json_integer(metric->window));
        describe_put(&one, "attributes", attributes);
        describe_append(&metrics, one);
    }
    for (int i = 0; marey_joint_weights_find(i); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(marey_joint_weights_find(i)->name));
        describe_put(&one, "description", json_string(marey_joint_weights_find(i)->description));
        describe_append(&joints, one);
    }
    describe_put(&value, "metrics", metrics);
    describe_put(&value, "joints", joints);
    answer_json(response, 200, value);
}

/* The body is that of the operation grid, and how many rows and columns are wanted at most. */
static marey_status read_body(const studio_request *request, app_call *call, json_int_t sides[2],
                              marey_error *error)
{
    static const char *const names[] = { "rows", "cols" };
    json_t *root = NULL;
    marey_status status = json_parse(request->body, request->body_count, &root, error);
    for (int i = 0; i < 2 && status == MAREY_OK; i++) {
        const json_t *value = json_object_get(root, names[i]);
        sides[i] = MOST_SIDE;
        if (value) status = json_whole(value, names[i], 1, MOST_SIDE, &sides[i], error);
        json_object_del(root, names[i]);
    }
    if (status == MAREY_OK)
        status = app_params_json(&call->scope, app_grid.params, root, call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    json_decref(root);
    return status;
}

static marey_status open_grid(const app_env *env, const app_grid_params *params,
                              app_comparison **out, marey_error *error)
{
    marey_status status = app_comparison_open(env, &params->compared, out, error);
    return status == MAREY_OK ? app_comparison_grid(env, *out, error) : status;
}

void api_grid(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_call call;
    app_comparison *compared = NULL;
    json_int_t sides[2];
    marey_error error;
    app_env env = { .ctx = worker->ctx,
                    .library = worker->library,
                    .scope = &call.scope,
                    .cache = &worker->saved,
                    .most_pairs = LIMIT_BLEND_PAIRS };
    marey_status status = app_call_open(&call, &app_grid, &worker->of->allocator, &error);
    if (status == MAREY_OK) status = read_body(request, &call, sides, &error);
    if (status == MAREY_OK) {
        const app_grid_params *params = (const void *)call.params;
        status = open_grid(&env, params, &compared, &error);
        if (status == MAREY_ERR_MEMORY) { /* what is open only to save time makes way */
            worker_make_room(worker);
            status = open_grid(&env, params, &compared, &error);
        }
    }
    if (status == MAREY_OK) {
        grid_answer(marey_grid_cost(compared->grid), marey_layout_fps(compared->layout),
                    (int)sides[0], (int)sides[1], response);
    } else {
        answer_fail(response, &error);
    }
    app_call_close(&call);
    app_cache_trim(&worker->saved);
}
