/* check_library.c - `verify`: is every stored byte of a library as it was written? The library need
   not be open: a file can be too damaged for that. */
#include "check_library.h"

#include "operations.h"

#include <inttypes.h>
#include <stdio.h>

static const app_param verify_rows[] = {
    { .name = "hash",
      .type = APP_SWITCH,
      .at = offsetof(app_verify_params, hash),
      .help = "also a hash of what the library holds: the same for the same clips, webs, saved "
              "things and findings, in whatever order they came" },
    { 0 },
};

typedef struct problem {
    struct problem *next;
    const char *text;
} problem;

typedef struct problem_list {
    app_scope *scope;
    problem *first, **last;
    int count;
    bool failed;
} problem_list;

static void add_problem(void *user, const char *text)
{
    problem_list *list = user;
    problem *fresh = APP_NEW(list->scope, problem, 1);
    if (fresh) fresh->text = app_copy(list->scope, text);
    if (!fresh || !fresh->text) {
        list->failed = true;
        return;
    }
    *list->last = fresh;
    list->last = &fresh->next;
    list->count++;
}

static marey_status run_verify(const app_env *env, const void *params, void *result,
                               marey_error *error)
{
    const app_verify_params *request = params;
    app_verify_result *done = result;
    problem_list list = { .scope = env->scope, .last = &list.first };
    int64_t count = 0;
    marey_status status =
        marey_library_verify(env->ctx, env->library_path, add_problem, &list, &count, error);
    if (status != MAREY_OK) return status;
    const char **texts = APP_NEW(env->scope, const char *, list.count + 1);
    if (list.failed || !texts) return app_fail_memory(error);
    for (const problem *one = list.first; one; one = one->next)
        texts[done->problems.count++] = one->text;
    done->problems.values = texts;
    if (!request->hash || done->problems.count > 0) return MAREY_OK;
    marey_library *library = NULL;
    status = marey_library_open(env->ctx, env->library_path, MAREY_LIBRARY_READ, &library, error);
    if (status == MAREY_OK) status = marey_library_content(library, &done->content, error);
    marey_library_close(library);
    done->hashed = status == MAREY_OK;
    return status;
}

static void put_hash(json *out, const char *key, uint64_t hash)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    json_put_string(out, key, digits);
}

static void write_verified(const void *params, const void *result, json *out)
{
    const app_verify_result *done = result;
    (void)params;
    json_put_boolean(out, "ok", done->problems.count == 0);
    json_open(out, "problems", '[');
    for (int i = 0; i < done->problems.count; i++)
        json_put_string(out, NULL, done->problems.values[i]);
    json_close(out, ']');
    if (!done->hashed) return;
    put_hash(out, "hash", done->content.hash);
    json_open(out, "hashes", '{');
    put_hash(out, "clips", done->content.clips);
    put_hash(out, "webs", done->content.webs);
    put_hash(out, "saved", done->content.kept);
    put_hash(out, "findings", done->content.findings);
    json_close(out, '}');
}

const app_operation app_verify = {
    .name = "verify",
    .summary = "check every stored byte of a library",
    .description = { "Finds any changed bit in what is stored, and clips that are not sound, and "
                     "names the clip. Works on files too damaged to be opened. The exit status "
                     "is 0 if all is well and 1 if there are problems.",
                     "--hash tells two libraries apart by what is in them: not by SQLite's own "
                     "bytes, the history, pictures, or the numbers of clips." },
    .params = verify_rows,
    .params_size = sizeof(app_verify_params),
    .result_size = sizeof(app_verify_result),
    .library = APP_LIBRARY_FILE,
    .takes_long = true,
    .run = run_verify,
    .write = write_verified,
};
