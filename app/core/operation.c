/* operation.c - running operations. Their table is in operation_table.c, which knows them all. */
#include "operation.h"

#include "shards.h"

#include <string.h>

const app_param app_no_params[] = { { 0 } };

marey_status app_run_nothing(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    (void)env, (void)params, (void)result, (void)error;
    return MAREY_OK;
}

const app_operation *app_operation_find(const char *name)
{
    const app_operation *operation;
    for (int i = 0; (operation = app_operation_at(i)); i++)
        if (strcmp(operation->name, name) == 0) return operation;
    return NULL;
}

marey_status app_call_open(app_call *call, const app_operation *operation,
                           const marey_ctx_def *memory, marey_error *error)
{
    *call = (app_call){ .operation = operation, .scope = app_scope_open(memory) };
    call->params = app_alloc(&call->scope, 1, operation->params_size);
    call->result = app_alloc(&call->scope, 1, operation->result_size);
    if (!call->params || !call->result) return app_fail_memory(error);
    return app_params_defaults(&call->scope, operation->params, call->params, error);
}

void app_call_close(app_call *call)
{
    app_scope_close(&call->scope);
}

marey_status app_call_check(const app_call *call, app_dialect dialect, marey_error *error)
{
    const app_operation *operation = call->operation;
    marey_status status = app_params_check(operation->params, call->params, dialect, error);
    const app_shard_params *shard = app_shard_asked(call);
    if (status == MAREY_OK && shard) {
        int number, count;
        status = app_shard_parse(shard->shard, &number, &count, error);
        if (status == MAREY_OK && !shard->out)
            status =
                app_fail(error, MAREY_ERR_REQUEST, NULL, "%sout is missing: where the shard goes",
                         dialect == APP_COMMAND_LINE ? "--" : "");
    }
    if (status != MAREY_OK || !operation->check) return status;
    return operation->check(call->params, dialect, error);
}

bool app_call_writes(const app_call *call)
{
    const app_operation *operation = call->operation;
    if (app_shard_asked(call)) return false;
    if (operation->writes) return operation->writes(call->params);
    return operation->library == APP_WRITES || operation->library == APP_CREATES;
}

bool app_call_keeps(const app_call *call)
{
    const app_operation *operation = call->operation;
    return operation->keeps && !app_shard_asked(call) && operation->keeps(call->params);
}

marey_status app_call_run(app_call *call, app_env env, marey_error *error)
{
    env.scope = &call->scope;
    env.library_path = call->library_path;
    struct app_block *mark = call->scope.blocks;
    marey_status status = app_shard_asked(call)
                              ? app_shard_run(call, &env, error)
                              : call->operation->run(&env, call->params, call->result, error);
    if (status == MAREY_OK) return status;
    app_scope_rewind(&call->scope, mark);
    memset(call->result, 0, call->operation->result_size);
    return status;
}

void app_call_write(const app_call *call, buffer *out)
{
    json to = json_make(out);
    json_open(&to, NULL, '{');
    if (call->shard)
        app_shard_write(call->shard, &to);
    else
        call->operation->write(call->params, call->result, &to);
    json_close(&to, '}');
}

marey_status app_call_commit(app_call *call, app_env env, marey_error *error)
{
    env.scope = &call->scope;
    env.library_path = call->library_path;
    if (!call->operation->commit || call->shard) return MAREY_OK;
    return call->operation->commit(&env, call->params, call->result, error);
}

marey_status app_call_draw(const app_call *call, app_env env, const char *kind,
                           const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_operation *operation = call->operation;
    const app_drawing *row = operation->pictures;
    const app_drawing_def usual = { 0 };
    char names[256] = "";
    buffer list = buffer_fixed(names, sizeof names - 1);
    if (!row)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s has no pictures", operation->name);
    while (kind && row->name && strcmp(row->name, kind) != 0) row++;
    if (!row->name) {
        for (row = operation->pictures; row->name; row++)
            buffer_named(&list, row == operation->pictures ? "" : ", ", row->name, "");
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s has no picture \"%.60s\"; it has %s",
                        operation->name, kind, names);
    }
    app_scope scope = app_scope_open(call->scope.memory);
    env.scope = &scope;
    env.library_path = call->library_path;
    marey_status status =
        row->draw(&env, call->params, call->result, def ? def : &usual, path, error);
    app_scope_close(&scope);
    return status;
}
