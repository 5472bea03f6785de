/* api_puppet.c - a puppet as files: its bytes, and its demonstrations as a table. */
#include "export_file.h"
#include "puppets.h"

/* As bytes, or as a table of samples. */
static marey_status write_puppet(const app_env *env, const char *name, bool as_table,
                                 uint8_t **data, size_t *count, marey_error *error)
{
    const app_puppet *found = NULL;
    marey_status status = app_puppet_open(env, name, &found, error);
    if (status != MAREY_OK) return status;
    /* The licences of its clips go with it, as they are now. */
    if (!as_table)
        return marey_puppet_write_from(found->puppet, found->sources.items, found->sources.count,
                                       data, count, error);
    marey_puppet_sample *samples = app_puppet_demonstrated(env->scope, found->puppet);
    if (!samples) return app_fail_memory(error);
    return marey_paths_write(env->ctx, samples, marey_puppet_samples(found->puppet), true, data,
                             count, error);
}

static void answer_file(studio_worker *worker, const studio_request *request,
                        studio_response *response, bool as_table)
{
    const char *name = query_text(request, "name");
    app_scope scope = app_scope_open(&worker->of->allocator);
    app_env env = { .ctx = worker->ctx, .library = worker->library, .scope = &scope };
    uint8_t *data = NULL;
    size_t count = 0;
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name is missing");
        return;
    }
    marey_status status = write_puppet(&env, name, as_table, &data, &count, &error);
    if (status == MAREY_OK) {
        response->status = 200;
        response->type = as_table ? "text/csv; charset=utf-8" : "application/octet-stream";
        export_file_name(name, as_table ? "csv" : "puppet", response->file_name,
                         sizeof response->file_name);
        bytes_add(&response->body, data, count);
        marey_graph_bytes_free(worker->ctx, data, count);
        if (response->body.failed) status = app_fail_memory(&error);
    }
    app_scope_close(&scope);
    if (status != MAREY_OK) answer_fail(response, &error);
}

void api_puppet_file(studio_worker *worker, studio_request *request, studio_response *response)
{
    answer_file(worker, request, response, false);
}

void api_puppet_csv(studio_worker *worker, studio_request *request, studio_response *response)
{
    answer_file(worker, request, response, true);
}
