/* shards.c - one shard of an operation: what is asked of it, the file it goes to, and what that says of
   the work. */
#include "shards.h"

#include "operation.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const app_shard_params *app_shard_asked(const app_call *call)
{
    size_t at = call->operation->shards;
    const app_shard_params *asked =
        at ? (const app_shard_params *)((const char *)call->params + at) : NULL;
    return asked && asked->shard ? asked : NULL;
}

marey_status app_shard_parse(const char *text, int *number, int *count, marey_error *error)
{
    char *end;
    long i = strtol(text, &end, 10), n = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    bool digits = strspn(text, "0123456789/") == strlen(text);
    if (digits && !*end && i >= 1 && n >= i && n <= MAREY_MOST_SHARDS) {
        *number = (int)i;
        *count = (int)n;
        return MAREY_OK;
    }
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a shard must be I/N, the I-th of N from 1/N to N/N, N at most %d, got %.40s",
                    (int)MAREY_MOST_SHARDS, text);
}

/* ---- what a shard says of its work ----------------------------------------------------------- */

const char *app_shard_about(app_scope *scope, const app_call *call)
{
    buffer text = buffer_make(scope->memory);
    json out = json_make(&text);
    json_open(&out, NULL, '{');
    json_put_string(&out, "operation", call->operation->name);
    json_put_string(&out, "version", marey_version());
    app_params_texts(&out, "values", call->operation->params, call->params);
    json_close(&out, '}');
    buffer_byte(&text, 0);
    const char *about = text.failed ? NULL : app_copy(scope, text.bytes);
    buffer_free(&text);
    return about;
}

marey_status app_shard_recall(const char *about, const marey_ctx_def *memory, app_call *call,
                              marey_error *error)
{
    json_t *object = json_loads(about, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(object, "operation"));
    const char *version = json_string_value(json_object_get(object, "version"));
    const app_operation *operation = name ? app_operation_find(name) : NULL;
    marey_status status = MAREY_OK;
    *call = (app_call){ .scope = app_scope_open(memory) };
    if (!operation || !operation->shards || !version || strcmp(version, marey_version()) != 0) {
        status = app_fail(error, MAREY_ERR_INPUT, NULL,
                          "the shards are of marey %.40s, this is %s; work them out again",
                          version ? version : "of another kind", marey_version());
    } else {
        status = app_call_open(call, operation, memory, error);
    }
    if (status == MAREY_OK)
        status = app_params_texts_read(&call->scope, operation->params,
                                       json_object_get(object, "values"), call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_COMMAND_LINE, error);
    json_decref(object);
    return status;
}

/* ---- working one out ------------------------------------------------------------------------- */

/* Is the file of this very shard there already? What is wrong with it does not matter: it is made
   anew. */
static bool is_there(const app_env *env, const marey_shard_def *def, marey_shard_info *info)
{
    marey_shards *shards = NULL;
    int count;
    if (marey_shards_open(env->ctx, &def->path, 1, &shards, NULL) != MAREY_OK) return false;
    *info = *marey_shards_list(shards, &count);
    bool same = strcmp(marey_shards_about(shards), def->about) == 0 &&
                marey_shards_state(shards) == def->state && info->number == def->number &&
                info->count == def->count;
    info->path = def->path;
    marey_shards_free(shards);
    return same;
}

marey_status app_shard_run(app_call *call, const app_env *env, marey_error *error)
{
    const app_shard_params *asked = app_shard_asked(call);
    app_env own = *env;
    marey_shard_def def = { .path = asked->out };
    marey_shard *shard = NULL;
    if (!env->reads_files)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "shards are files: use the program");
    if (!env->library)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "only work on a library can be shared");
    app_shard_result *result = APP_NEW(env->scope, app_shard_result, 1);
    def.about = app_shard_about(env->scope, call);
    if (!result || !def.about) return app_fail_memory(error);
    marey_status status = app_shard_parse(asked->shard, &def.number, &def.count, error);
    if (status == MAREY_OK)
        status =
            marey_library_state(env->library, call->operation->shards_by_motion, &def.state, error);
    if (status != MAREY_OK) return status;
    result->there_already = is_there(env, &def, &result->info);
    if (!result->there_already) {
        status = marey_shard_create(env->ctx, &def, &shard, error);
        if (status != MAREY_OK) return status;
        own.tiles = marey_shard_tiles(shard);
        status = call->operation->run(&own, call->params, call->result, error);
        if (status == MAREY_OK) status = marey_shard_finish(shard, &result->info, error);
        result->info.path = asked->out;
        marey_shard_free(shard);
    }
    if (status == MAREY_OK) call->shard = result;
    return status;
}

void app_shard_write(const app_shard_result *result, json *out)
{
    const marey_shard_info *info = &result->info;
    json_put_string(out, "out", info->path);
    json_put_integer(out, "shard", info->number);
    json_put_integer(out, "shards", info->count);
    json_put_integer(out, "tiles", info->tiles);
    json_put_integer(out, "all_tiles", info->all_tiles);
    json_put_number(out, "share", info->share);
    json_put_integer(out, "bytes", info->bytes);
    json_put_boolean(out, "there_already", result->there_already);
}
