/* failure_list.c - collects failures for the end of an answer. */
#include "failure_list.h"

void app_failures_add(const app_env *env, app_failures *failures, const char *path,
                      const marey_error *error)
{
    app_failure one = { .path = app_copy(env->scope, path),
                        .message = app_copy(env->scope, error->message),
                        .status = error->status,
                        .line = error->line,
                        .column = error->column };
    if (env->failed) env->failed(env->warn_user, error);
    app_failure *items = app_grow(env->scope, failures->items, failures->count, sizeof one);
    if (!items || !one.path || !one.message) failures->failed = true;
    if (failures->failed) return;
    failures->items = items;
    items[failures->count++] = one;
}

bool app_failure_ends_all(const marey_error *error)
{
    return error->status == MAREY_ERR_MEMORY || error->status == MAREY_ERR_CANCELLED;
}

void app_failures_write(const app_failures *failures, json *out)
{
    app_failures_write_as(failures, "errors", out);
}

void app_failures_write_as(const app_failures *failures, const char *key, json *out)
{
    json_open(out, key, '[');
    for (int i = 0; i < failures->count; i++) {
        const app_failure *one = &failures->items[i];
        json_open(out, NULL, '{');
        json_put_string(out, "status", marey_status_word(one->status));
        json_put_string(out, "path", one->path);
        json_put_integer(out, "line", one->line);
        json_put_integer(out, "column", one->column);
        json_put_string(out, "message", one->message);
        json_close(out, '}');
    }
    json_close(out, ']');
}
