/* api_puppet.c - a puppet as files: its bytes, and its demonstrations as a table. */
#include "export_file.h"
#include "puppets.h"

/* The licences of its clips go with it, as they are now. */
static marey_status write_bytes(const app_env *env, const app_puppet *of, uint8_t **data,
                                size_t *count, marey_error *error)
{
    (void)env;
    return marey_puppet_write_from(of->puppet, of->sources.items, of->sources.count, data, count,
                                   error);
}

static marey_status write_table(const app_env *env, const app_puppet *of, uint8_t **data,
                                size_t *count, marey_error *error)
{
    marey_puppet_sample *samples = app_puppet_demonstrated(env->scope, of->puppet);
    if (!samples) return app_fail_memory(error);
    return marey_paths_write(env->ctx, samples, marey_puppet_samples(of->puppet), true, data, count,
                             error);
}

static void answer_file(studio_worker *worker, const studio_request *request,
                        studio_response *response, const char *ending, const char *type,
                        marey_status (*write)(const app_env *env, const app_puppet *of,
                                              uint8_t **data, size_t *count, marey_error *error))
{
    const char *name = asked_query(request, "name");
    app_scope scope = app_scope_open(&worker->of->allocator);
    app_env env = { .ctx = worker->ctx, .library = worker->library, .scope = &scope };
    const app_puppet *of = NULL;
    uint8_t *data = NULL;
    size_t count = 0;
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name is missing");
        return;
    }
    marey_status status = app_puppet_open(&env, name, &of, &error);
    if (status == MAREY_OK) status = write(&env, of, &data, &count, &error);
    if (status == MAREY_OK) {
        response->status = 200;
        response->type = type;
        export_file_name(name, ending, response->file_name, sizeof response->file_name);
        bytes_add(&response->body, data, count);
        marey_graph_bytes_free(worker->ctx, data, count);
        if (response->body.failed) status = app_fail_memory(&error);
    }
    app_scope_close(&scope);
    if (status != MAREY_OK) answer_fail(response, &error);
}

void api_puppet_file(studio_worker *worker, studio_request *request, studio_response *response)
{
    answer_file(worker, request, response, "puppet", "application/octet-stream", write_bytes);
}

void api_puppet_csv(studio_worker *worker, studio_request *request, studio_response *response)
{
    answer_file(worker, request, response, "csv", "text/csv; charset=utf-8", write_table);
}
