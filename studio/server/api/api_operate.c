/* api_operate.c - every operation by its name: POST /api/do/graph-build. A body becomes its parameters by their rows; what
   takes long becomes a job, everything else is answered at once. */
#include "api_common.h"
#include "example_store.h"
#include "export_file.h"
#include "frames_binary.h"
#include "hub.h"
#include "job_start.h"
#include "json_inside.h"
#include "made.h"
#include "operations.h"
#include "searching.h"

#include <stdio.h>
#include <string.h>

/* What is open only to save time makes way before an operation fails for memory. */
static marey_status run_call(studio_worker *worker, app_call *call, app_env env, marey_error *error)
{
    marey_status status = app_call_run(call, env, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(worker);
    return app_call_run(call, env, error);
}

static void tell_progress(void *user, const char *text, int64_t done, int64_t total,
                          double seconds_left)
{
    studio_worker *worker = user;
    if (worker->job) jobs_tell(worker, text, done, total, seconds_left);
}

void api_changed(studio_worker *worker)
{
    hub_look(worker->of->hub);
}

/* Of an answer, in the two places that it passes through. */
typedef struct answer_room {
    buffer *text;
    studio_bytes *body;
} answer_room;

static bool reserve_answer(void *user, size_t bytes)
{
    const answer_room *of = user;
    buffer_reserve(of->text, bytes);
    bool fits = !of->text->failed && bytes_extend(of->body, bytes);
    if (fits) of->body->count -= bytes;
    of->text->failed = false; /* it may be run again when there is more room */
    of->body->failed = false;
    return fits;
}

/* ---- generated clips ----------------------------------------------------------------------------- */

enum { HEADER_BYTES = 16, LAYOUT = 1, ALIGNED = 8 };

/* Of the name that a clip got and its number, in an answer. */
enum { SAVED_ROOM = 6 * MAREY_NAME_ROOM + 64 };

/* Frames with the JSON before them: the layout MRYM of docs/studio-api.md. */
static marey_status write_frames(const app_made *made, const buffer *text, studio_bytes *body,
                                 marey_error *error)
{
    const marey_clip *clip = made->made.clip;
    frame_set frames = frame_set_make(clip, 0, marey_clip_frames(clip), 1);
    uint32_t numbers[3] = { LAYOUT, 0, 0 };
    if (frames.size > LIMIT_FRAMES_BYTES) {
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the %d generated frames are more than %d MiB: save them by a name, or "
                        "take shorter clips",
                        frames.count, LIMIT_FRAMES_BYTES >> 20);
    }
    bytes_extend(body, HEADER_BYTES);
    bytes_add(body, text->bytes, text->used);
    while (body->count % ALIGNED != 0 && !body->failed) bytes_add(body, " ", 1);
    if (body->failed) return app_fail_memory(error);
    numbers[1] = (uint32_t)(body->count - HEADER_BYTES);
    memcpy(body->data, "MRYM", 4);
    memcpy(body->data + 4, numbers, sizeof numbers);
    return app_check(!frame_set_write(&frames, body), error);
}

/* The text is there before the change, with room for what it will say of it: what was done can be said. */
static marey_status save_clip(studio_worker *worker, const app_made *made, const char *name,
                              buffer *text, marey_error *error)
{
    char got[MAREY_NAME_ROOM];
    buffer_blanks(text, SAVED_ROOM);
    marey_status status = app_check(text->failed, error);
    if (status == MAREY_OK) status = app_made_put(made, worker->library, name, got, error);
    if (status != MAREY_OK) return status;
    text->used -= SAVED_ROOM + 1; /* the brace as well */
    json out = { .out = text, .comma = true };
    json_put_integer(&out, "id", api_number_of(worker, got));
    json_put_string(&out, "name", got);
    json_close(&out, '}');
    api_changed(worker);
    return MAREY_OK;
}

/* As a file that is fetched when the job is done, with its provenance in it. */
static marey_status export_clip(studio_worker *worker, const app_made *made, const char *path,
                                studio_bytes *body, marey_error *error)
{
    memory_files_clear(worker->files);
    marey_status status = marey_clip_save_with(made->made.clip, path, made->provenance, error);
    if (status == MAREY_OK) status = export_file_keep(worker, path, body, error);
    memory_files_clear(worker->files);
    return status;
}

/* ---- answers ------------------------------------------------------------------------------------- */

/* A call on its way to an answer. */
typedef struct studio_call {
    app_call call;
    bool wants_clip;
    /* Under which a generated clip is saved in the library, or which file it becomes; both "": its frames are sent. */
    char name[MAREY_NAME_ROOM];
    char output[MAREY_NAME_ROOM + 8];
    memory_files *files; /* that came with the request; NULL: none */
} studio_call;

static marey_status write_answer(const app_call *call, buffer *text, marey_error *error)
{
    text->used = 0;
    app_call_write(call, text);
    if (text->failed) return app_fail_memory(error);
    if (text->used <= LIMIT_FOUND_BYTES) return MAREY_OK;
    return app_fail(error, MAREY_ERR_LIMIT, NULL,
                    "what was found is more than %d MiB: ask for less", LIMIT_FOUND_BYTES >> 20);
}

/* The answer is written before the library is changed. *committing: what fails now is the change. */
static marey_status answer_call(studio_worker *worker, studio_call *of, studio_bytes *body,
                                bool *committing, marey_error *error)
{
    app_call *call = &of->call;
    buffer text = buffer_make(&worker->of->allocator);
    app_finder finder = { .user = worker,
                          .search = searching_find,
                          .recall = searching_lend,
                          .examples = example_store_use,
                          .most_samples = LIMIT_EXAMPLE_FRAMES };
    app_env env = { .ctx = worker->ctx,
                    .finder = &finder,
                    .library = worker->library,
                    .cache = &worker->saved,
                    .wants_clip = of->wants_clip,
                    .saves_clip = of->name[0] != 0,
                    .output = of->output[0] ? of->output : NULL,
                    .reserve = reserve_answer,
                    .reserve_user = &(answer_room){ &text, body },
                    .progress = tell_progress,
                    .progress_user = worker,
                    .most_frames = LIMIT_BLEND_FRAMES,
                    .most_pairs = LIMIT_BLEND_PAIRS,
                    .most_samples = LIMIT_PUPPET_SAMPLES,
                    .most_steps = LIMIT_WALK_STEPS };
    marey_status status = run_call(worker, call, env, error);
    if (status == MAREY_OK) status = write_answer(call, &text, error);
    *committing = status == MAREY_OK;
    if (status == MAREY_OK && of->wants_clip && of->name[0])
        status = save_clip(worker, call->operation->made(call->result), of->name, &text, error);
    if (status == MAREY_OK && call->operation->made && of->output[0]) {
        status = export_clip(worker, call->operation->made(call->result), of->output, body, error);
    } else if (status == MAREY_OK && of->wants_clip && !of->name[0]) {
        status = write_frames(call->operation->made(call->result), &text, body, error);
    } else if (status == MAREY_OK) {
        bytes_add(body, text.bytes, text.used);
        status = app_check(body->failed, error);
    }
    if (call->operation->writes_file) memory_files_clear(worker->files);
    if (status == MAREY_OK) status = app_call_commit(call, env, error);
    if (call->operation->writes_file) {
        body->count = 0;
        if (status == MAREY_OK) status = export_file_keep(worker, of->output, body, error);
        memory_files_clear(worker->files);
    }
    if (status == MAREY_OK && call->operation->names_follow) {
        status = write_answer(call, &text, error);
        body->count = 0;
        bytes_add(body, text.bytes, text.used);
    }
    buffer_free(&text);
    if (status == MAREY_OK && app_call_writes(call)) api_changed(worker);
    return status;
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

/* The worker's context reads from the worker's own files only. */
static bool move_files(memory_files *from, memory_files *to)
{
    memory_files_clear(to);
    while (memory_files_count(from) > 0) {
        const char *name = memory_files_name(from, 0);
        studio_bytes content = { 0 };
        char copy[4096];
        size_t length = strlen(name);
        if (length >= sizeof copy) return false;
        memcpy(copy, name, length + 1);
        if (!memory_files_take(from, copy, &content)) return false;
        if (memory_files_put(to, copy, &content) != 0) {
            bytes_free(&content);
            return false;
        }
    }
    return true;
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    studio_call *of = user;
    bool committing = false;
    marey_status status = MAREY_OK;
    if (of->files) status = app_check(!move_files(of->files, worker->files), error);
    if (status == MAREY_OK) status = answer_call(worker, of, result, &committing, error);
    if (of->files) memory_files_clear(worker->files);
    worker_forget_saved(worker); /* the jobs' own worker is seldom asked again */
    return status;
}

static void drop_job(void *user)
{
    studio_call *of = user;
    const marey_ctx_def *memory = of->call.scope.memory;
    app_call_close(&of->call);
    memory_files_free(of->files);
    memory->resize(memory->resize_user, of, sizeof *of, 0);
}

/* Takes the call over. */
static void start_job(studio_worker *worker, studio_call *of, studio_response *response)
{
    const marey_ctx_def *memory = of->call.scope.memory;
    studio_call *own = memory->resize(memory->resize_user, NULL, 0, sizeof *own);
    if (!own) {
        app_call_close(&of->call);
        memory_files_free(of->files);
        api_fail_memory(response);
        return;
    }
    *own = *of;
    job_start(worker, &(job_def){ own->call.operation->name, run_job, drop_job, own }, response);
}

/* ---- the address --------------------------------------------------------------------------------- */

/* "output": "kick.glb". */
static marey_status read_output(studio_call *of, json_t *root, marey_error *error)
{
    const char *text = NULL;
    bool writes_file = of->call.operation->writes_file;
    marey_status status = json_text(json_object_get(root, "output"), "output", &text, error);
    if (status != MAREY_OK) return status;
    const char *ending = strrchr(text, '.');
    bool known =
        ending && (writes_file || strcmp(ending, ".bvh") == 0 || strcmp(ending, ".glb") == 0);
    size_t length = known ? (size_t)(ending - text) : 0;
    if (length == 0 || length >= MAREY_NAME_ROOM) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "output must be a file's name%s, got %.100s",
                        writes_file ? " with an ending" : " that ends in .bvh or .glb", text);
    }
    char stem[MAREY_NAME_ROOM];
    snprintf(stem, sizeof stem, "%.*s", (int)length, text);
    export_file_name(stem, ending + 1, of->output, sizeof of->output);
    json_object_del(root, "output");
    if (!writes_file) return MAREY_OK;
    return app_check(json_object_set_new(root, "output", json_string(of->output)) != 0, error);
}

/* Of operations that make clips a body may also say under which name the clip is to be saved, or which file it becomes. */
static marey_status read_body(studio_call *of, const studio_request *request, marey_error *error)
{
    app_call *call = &of->call;
    json_t *root = NULL;
    marey_status status = json_parse(request->body, request->body_count, &root, error);
    const char *name = NULL;
    if (status == MAREY_OK && call->operation->made && json_object_get(root, "name")) {
        status = json_text(json_object_get(root, "name"), "name", &name, error);
        if (status == MAREY_OK) status = json_kept_name(name, "a clip's name", error);
        if (status == MAREY_OK) snprintf(of->name, sizeof of->name, "%s", name);
        json_object_del(root, "name");
    }
    if (status == MAREY_OK && (call->operation->made || call->operation->writes_file) &&
        json_object_get(root, "output"))
        status = read_output(of, root, error);
    if (status == MAREY_OK && of->name[0] && of->output[0])
        status = app_fail(error, MAREY_ERR_REQUEST, NULL, "name and output exclude each other");
    /* Frames are sent at once, or never. */
    of->wants_clip = call->operation->made && !asked_query(request, "list") &&
                     (!call->operation->takes_long || of->name[0] || of->output[0]);
    if (status == MAREY_OK)
        status = app_params_json(&call->scope, call->operation->params, root, call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    json_decref(root);
    return status;
}

void api_operate(studio_worker *worker, studio_request *request, studio_response *response)
{
    const app_operation *operation = app_operation_at((int)request->id - 1);
    studio_call of = { .wants_clip = false };
    bool committing = false;
    marey_error error;
    marey_status status = app_call_open(&of.call, operation, &worker->of->allocator, &error);
    of.call.library_path = worker->of->library_path;
    if (status == MAREY_OK) status = read_body(&of, request, &error);
    bool writes = status == MAREY_OK && (app_call_writes(&of.call) || of.name[0]);
    if (writes && !worker->of->can_write) {
        answer_refuse(response, 409, "request", "the library can only be read");
        app_call_close(&of.call);
        return;
    }
    if (status == MAREY_OK && (operation->takes_long || of.output[0])) {
        start_job(worker, &of, response);
        return;
    }
    if (status == MAREY_OK) status = answer_call(worker, &of, &response->body, &committing, &error);
    app_call_close(&of.call);
    app_cache_trim(&worker->saved);
    if (status == MAREY_OK) {
        bool binary = of.wants_clip && !of.name[0];
        response->status = 200;
        response->type = binary ? "application/octet-stream" : "application/json";
        return;
    }
    answer_fail(response, &error);
    /* What the library refuses to change was asked for rightly, and is in conflict with what it holds. */
    if (committing && response->status == 400 && marey_status_group(status) == MAREY_ERR_INPUT)
        answer_refuse(response, 409, "input", "%s", error.message);
}

/* ---- dropped files ------------------------------------------------------------------------------- */

static marey_status read_text(app_call *call, const char *name, const char *text,
                              marey_error *error)
{
    const app_param *rows = call->operation->params, *row = rows;
    while (strcmp(row->name, name) != 0) row++;
    return app_params_text(&call->scope, rows, row, text, name, call->params, error);
}

/* `add` with the files of the request, ?label=...&licence=... */
void api_import(studio_worker *worker, studio_request *request, studio_response *response)
{
    studio_call of = { .wants_clip = false };
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 409, "request", "the library can only be read");
        return;
    }
    if (!request->files || memory_files_count(request->files) == 0) {
        answer_refuse(response, 400, "request", "no file came with the request");
        return;
    }
    marey_status status = app_call_open(&of.call, &app_add, &worker->of->allocator, &error);
    for (int i = 0; i < memory_files_count(request->files) && status == MAREY_OK; i++)
        status = read_text(&of.call, "files", memory_files_name(request->files, i), &error);
    for (int i = 0; i < request->query_count && status == MAREY_OK; i++) {
        const query_row *row = &request->query[i];
        bool known = strcmp(row->name, "label") == 0 || strcmp(row->name, "licence") == 0;
        if (known && *row->value) status = read_text(&of.call, row->name, row->value, &error);
    }
    if (status != MAREY_OK) {
        app_call_close(&of.call);
        answer_fail(response, &error);
        return;
    }
    of.files = request->files;
    request->files = NULL;
    start_job(worker, &of, response);
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
        json_put_string(&out, "library",
                        operation->library == APP_NO_LIBRARY ? "none"
                        : operation->library == APP_MAY_READ ? "option"
                                                             : "operand");
        json_put_boolean(&out, "makes_clip", operation->made != NULL);
        json_put_boolean(&out, "output_last", operation->output_last);
        json_put_string(&out, "clip_option", operation->clip_option);
        json_put_boolean(&out, "takes_long", operation->takes_long);
        app_params_describe(&out, "params", operation->params);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    api_answer(response, &text);
}
