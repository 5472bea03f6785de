/* merge_shards.c - `merge`: the shards of an operation, put together. The operation is asked for once more,
   as the shards say it was; its tiles come from them, and it does the rest. */
#include "merge_shards.h"

#include "operations.h"

#include <stddef.h>

static const app_param rows[] = {
    { .name = "files",
      .type = APP_TEXTS,
      .at = offsetof(app_merge_params, files),
      .place = APP_REST,
      .needed = true,
      .repeats = true,
      .of_file = true,
      .value = "PART",
      .help = "what --shard I/N --out PART of marey index, graph build, cluster build, motifs or "
              "doctor wrote" },
    { .name = "missing",
      .type = APP_SWITCH,
      .at = offsetof(app_merge_params, missing),
      .note = true,
      .help = "only list which shards are still to be worked out, and change nothing" },
    { 0 },
};

static bool writes(const void *params)
{
    return !((const app_merge_params *)params)->missing;
}

static void free_shards(void *shards)
{
    marey_shards_free(shards);
}

static void close_call(void *call)
{
    app_call_close(call);
}

void app_merge_list_missing(const app_merge_result *of, buffer *out)
{
    for (int i = 0; i < of->missing_count;) {
        int end = i;
        while (end + 1 < of->missing_count && of->missing[end + 1] == of->missing[end] + 1) end++;
        buffer_print(out, "%s%d", i ? ", " : "", of->missing[i]);
        if (end > i) buffer_print(out, "%s%d", end > i + 1 ? " to " : ", ", of->missing[end]);
        i = end + 1;
    }
}

static marey_status check_missing(const app_merge_result *of, marey_error *error)
{
    char room[200] = "";
    buffer text = buffer_fixed(room, sizeof room - 1);
    if (of->missing_count == 0 || of->call->operation->shards_one_by_one) return MAREY_OK;
    app_merge_list_missing(of, &text);
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%s needs all %d shards; these are missing: %s%s", of->call->operation->name,
                    of->items[0].count, room, text.failed ? " and more" : "");
}

static marey_status open_shards(const app_env *env, const app_merge_params *request,
                                app_merge_result *out, marey_error *error)
{
    uint64_t state = 0;
    marey_status status = marey_shards_open(env->ctx, request->files.values, request->files.count,
                                            &out->shards, error);
    if (status == MAREY_OK) status = app_own(env->scope, out->shards, free_shards, error);
    if (status != MAREY_OK) return status;
    out->items = marey_shards_list(out->shards, &out->count);
    out->missing = marey_shards_missing(out->shards, &out->missing_count);
    out->call = APP_NEW(env->scope, app_call, 1);
    if (!out->call) return app_fail_memory(error);
    status =
        app_shard_recall(marey_shards_about(out->shards), env->scope->memory, out->call, error);
    marey_status owned = app_own(env->scope, out->call, close_call, status ? NULL : error);
    if (status == MAREY_OK) status = owned;
    if (status == MAREY_OK)
        status = marey_library_state(env->library, out->call->operation->shards_by_motion, &state,
                                     error);
    if (status == MAREY_OK && state != marey_shards_state(out->shards))
        return app_fail(error, MAREY_ERR_STALE, out->items[0].path,
                        "the shards are of another state of the library: its clips changed since; "
                        "work them out again");
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_merge_params *request = params;
    app_merge_result *out = result;
    app_env own = *env;
    if (!env->reads_files)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "shards are files: use the program");
    marey_status status = open_shards(env, request, out, error);
    if (status != MAREY_OK || request->missing) return status;
    status = check_missing(out, error);
    own.tiles = marey_shards_tiles(out->shards);
    out->call->library_path = env->library_path;
    if (status == MAREY_OK) status = app_call_run(out->call, own, error);
    out->ran = status == MAREY_OK;
    return status;
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_merge_result *of = result;
    (void)params;
    return of->ran ? app_call_commit(of->call, *env, error) : MAREY_OK;
}

static void write(const void *params, const void *result, json *out)
{
    const app_merge_result *of = result;
    (void)params;
    json_put_string(out, "operation", of->call->operation->name);
    json_put_integer(out, "shards", of->items[0].count);
    json_open(out, "parts", '[');
    for (int i = 0; i < of->count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "path", of->items[i].path);
        json_put_integer(out, "shard", of->items[i].number);
        json_put_integer(out, "tiles", of->items[i].tiles);
        json_put_integer(out, "bytes", of->items[i].bytes);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "missing", '[');
    for (int i = 0; i < of->missing_count; i++) json_put_integer(out, NULL, of->missing[i]);
    json_close(out, ']');
    if (!of->ran) return;
    json_open(out, "result", '{');
    of->call->operation->write(of->call->params, of->call->result, out);
    json_close(out, '}');
}

const app_operation app_merge = {
    .name = "merge",
    .summary = "put together what several machines worked out",
    .description = { "Long work on a library can be shared: every machine runs the same command "
                     "with --shard I/N --out PART, each with another I, on the library or a copy "
                     "of it. merge reads the parts and does what is left: the library has then "
                     "what the command alone would have put in, whatever N was and in whatever "
                     "order the parts came; marey verify --hash shows it.",
                     "A part is complete or not there. One that was worked out twice does no "
                     "harm. Parts that were made before the library's clips changed are refused. "
                     "Webs and findings can be put in part by part; a graph, a cluster graph and "
                     "motifs need all of them at once.",
                     "--missing lists the shards that are not among the parts. Memory: what the "
                     "command needs for its last step, and one tile at a time." },
    .params = rows,
    .params_size = sizeof(app_merge_params),
    .result_size = sizeof(app_merge_result),
    .library = APP_WRITES,
    .takes_long = true,
    .writes = writes,
    .run = run,
    .write = write,
    .commit = commit,
};
