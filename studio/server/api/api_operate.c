/* api_operate.c - every operation by its name: POST /api/do/graph-build. A body becomes its
   parameters by their rows; what takes long becomes a job, everything else is answered at once. */
#include "api_common.h"
#include "example_store.h"
#include "export_file.h"
#include "frames_binary.h"
#include "hub.h"
#include "jobs.h"
#include "made.h"
#include "operations.h"
#include "searching.h"

#include <stdio.h>
#include <string.h>

static void report_progress(void *user, const char *text, int64_t done, int64_t total,
                            double seconds_left)
{
    studio_worker *worker = user;
    if (worker->job) jobs_report(worker, text, done, total, seconds_left);
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

/* ,"step":123} */
enum { STEP_ROOM = 40 };

static bool reserve_answer(void *user, size_t bytes)
{
    const answer_room *room = user;
    bytes += STEP_ROOM;
    buffer_reserve(room->text, bytes);
    bool fits = !room->text->failed && bytes_extend(room->body, bytes);
    if (fits) room->body->count -= bytes;
    room->text->failed = false; /* it may be run again when there is more room */
    room->body->failed = false;
    return fits;
}

/* ---- generated clips ------------------------------------------------------------------------- */

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

/* The text is there before the change, with room for what it will say of it: what was done can be
   said. */
static marey_status save_clip(studio_worker *worker, const app_made *made, const char *name,
                              buffer *text, marey_error *error)
{
    char got[MAREY_NAME_ROOM];
    int64_t id = 0;
    buffer_blanks(text, SAVED_ROOM);
    marey_status status = app_check(text->failed, error);
    if (status == MAREY_OK) status = app_made_put(made, worker->library, name, got, &id, error);
    if (status != MAREY_OK) return status;
    text->used -= SAVED_ROOM + 1; /* the brace as well */
    json out = { .out = text, .comma = true };
    json_put_integer(&out, "id", id);
    json_put_string(&out, "name", got);
    json_close(&out, '}');
    api_changed(worker);
    return MAREY_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* A call on its way to an answer. */
typedef struct studio_call {
    app_call call;
    bool wants_clip;
    /* Under which a generated clip is saved in the library, or which file it becomes; both "": its
       frames are sent. */
    char name[MAREY_NAME_ROOM];
    char output[MAREY_NAME_ROOM + 8];
    bool
        many; /* each clip becomes a file of its own, several of them an archive: "output" is its name */
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

/* Behind a change: which step of the history it is. There is room for it. */
static void add_step(studio_bytes *body, int64_t step)
{
    char text[STEP_ROOM];
    bool first = body->count < 2 || body->data[body->count - 2] == '{';
    int length = snprintf(text, sizeof text, "%s\"step\":%lld}", first ? "" : ",", (long long)step);
    body->count--; /* the brace */
    bytes_add(body, text, (size_t)length);
}

/* What an operation has here: the worker's library and what it keeps between calls, within the
   studio's limits. */
static app_env make_env(studio_worker *worker, studio_call *order, const app_finder *finder,
                        answer_room *room)
{
    const studio_neighbours *neighbours = worker->of->neighbours;
    return (app_env){ .ctx = worker->ctx,
                      .finder = finder,
                      .library = worker->library,
                      .library_name = neighbours ? neighbours->all[neighbours->own].name : NULL,
                      .other = neighbours ? worker_neighbour : NULL,
                      .other_user = worker,
                      .cache = &worker->saved,
                      .wants_clip = order->wants_clip,
                      .saves_clip = order->name[0] != 0,
                      .output = order->output[0] && !order->many ? order->output : NULL,
                      .reserve = reserve_answer,
                      .reserve_user = room,
                      .progress = report_progress,
                      .progress_user = worker,
                      .most_frames = LIMIT_BLEND_FRAMES,
                      .most_pairs = LIMIT_BLEND_PAIRS,
                      .most_samples = LIMIT_PUPPET_SAMPLES,
                      .most_steps = LIMIT_WALK_STEPS };
}

/* Once more where memory was short, without what is open only to save time. */
static marey_status run_call(studio_worker *worker, studio_call *order, app_env env,
                             marey_error *error)
{
    if (order->many) memory_files_clear(worker->files);
    marey_status status = app_call_run(&order->call, env, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(worker);
    if (order->many) memory_files_clear(worker->files);
    return app_call_run(&order->call, env, error);
}

/* Of two bodies only the map may have been asked for: then there is no clip to send. */
static marey_status check_made(studio_call *order, marey_error *error)
{
    const app_call *call = &order->call;
    bool wants = order->wants_clip || order->output[0];
    if (!wants || !call->operation->made || call->operation->made(call->result)->made.clip)
        return MAREY_OK;
    order->wants_clip = false;
    if (!order->name[0] && !order->output[0]) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "this makes no clip to be saved");
}

/* A generated clip as a file that is fetched when the job is done, with its provenance in it. */
static marey_status send_clip_file(studio_worker *worker, const studio_call *order,
                                   studio_bytes *body, marey_error *error)
{
    const app_made *made = order->call.operation->made(order->call.result);
    memory_files_clear(worker->files);
    marey_status status = marey_clip_save_with(made->made.clip, order->output, made->origin, error);
    if (status == MAREY_OK) status = export_file_keep(worker, order->output, body, error);
    memory_files_clear(worker->files);
    return status;
}

/* With room behind it for the step of the change that comes next. */
static marey_status send_text(const buffer *text, studio_bytes *body, marey_error *error)
{
    bool fits = bytes_extend(body, text->used + STEP_ROOM);
    if (fits) body->count -= text->used + STEP_ROOM;
    bytes_add(body, text->bytes, text->used);
    return app_check(body->failed, error);
}

/* A generated clip is put into the library, or is the answer, as a file or as frames; else the
   answer is what the operation says. */
static marey_status send_result(studio_worker *worker, const studio_call *order, buffer *text,
                                studio_bytes *body, marey_error *error)
{
    const app_call *call = &order->call;
    const app_operation *operation = call->operation;
    if (order->wants_clip && order->name[0]) {
        marey_status status =
            save_clip(worker, operation->made(call->result), order->name, text, error);
        if (status != MAREY_OK) return status;
    }
    if (operation->made && order->output[0]) return send_clip_file(worker, order, body, error);
    if (order->wants_clip && !order->name[0])
        return write_frames(operation->made(call->result), text, body, error);
    return send_text(text, body, error);
}

/* Changes the library, and puts what is known only then into the answer. */
static marey_status commit(studio_worker *worker, studio_call *order, app_env env, buffer *text,
                           studio_bytes *body, marey_error *error)
{
    app_call *call = &order->call;
    bool writes_file = call->operation->writes_file;
    if (writes_file) memory_files_clear(worker->files);
    marey_status status = app_call_commit(call, env, error);
    if (writes_file) {
        body->count = 0;
        if (status == MAREY_OK) status = export_file_keep(worker, order->output, body, error);
    }
    if (status == MAREY_OK && call->operation->names_follow) {
        status = write_answer(call, text, error);
        body->count = 0;
        bytes_add(body, text->bytes, text->used);
    }
    return status;
}

/* The answer is written before the library is changed. *committing: what fails now is the
   change. */
static marey_status answer_call(studio_worker *worker, studio_call *order, studio_bytes *body,
                                bool *committing, marey_error *error)
{
    app_call *call = &order->call;
    int64_t before = marey_library_step(worker->library);
    buffer text = buffer_make(&worker->of->allocator);
    app_finder finder = { .user = worker,
                          .search = searching_find,
                          .recall = searching_lend,
                          .examples = example_store_use,
                          .most_samples = LIMIT_EXAMPLE_FRAMES };
    app_env env = make_env(worker, order, &finder, &(answer_room){ &text, body });
    marey_status status = run_call(worker, order, env, error);
    if (status == MAREY_OK) status = write_answer(call, &text, error);
    if (order->many) {
        if (status == MAREY_OK)
            status = export_files_keep(worker, order->output, &text, body, error);
        memory_files_clear(worker->files);
        buffer_free(&text);
        return status;
    }
    if (status == MAREY_OK) status = check_made(order, error);
    *committing = status == MAREY_OK;
    if (status == MAREY_OK) status = send_result(worker, order, &text, body, error);
    if (status == MAREY_OK) status = commit(worker, order, env, &text, body, error);
    if (call->operation->writes_file) memory_files_clear(worker->files);
    buffer_free(&text);
    int64_t step = marey_library_step(worker->library);
    bool is_json = !call->operation->writes_file && !order->output[0] &&
                   !(order->wants_clip && !order->name[0]);
    if (status == MAREY_OK && step != before && is_json) add_step(body, step);
    if (status == MAREY_OK && app_call_writes(call)) api_changed(worker);
    return status;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* The worker's context reads from the worker's own files only. */
static bool move_files(memory_files *source, memory_files *target)
{
    memory_files_clear(target);
    while (memory_files_count(source) > 0) {
        const char *name = memory_files_name(source, 0);
        studio_bytes content = { 0 };
        char copy[4096];
        size_t length = strlen(name);
        if (length >= sizeof copy) return false;
        memcpy(copy, name, length + 1);
        if (!memory_files_take(source, copy, &content)) return false;
        if (memory_files_put(target, copy, &content) != 0) {
            bytes_free(&content);
            return false;
        }
    }
    return true;
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    studio_call *order = user;
    bool committing = false;
    marey_status status = MAREY_OK;
    if (order->files) status = app_check(!move_files(order->files, worker->files), error);
    if (status == MAREY_OK) status = answer_call(worker, order, result, &committing, error);
    if (order->files) memory_files_clear(worker->files);
    worker_forget_saved(worker); /* the jobs' own worker is seldom asked again */
    return status;
}

static void drop_job(void *user)
{
    studio_call *order = user;
    const marey_ctx_def *memory = order->call.scope.memory;
    app_call_close(&order->call);
    memory_files_free(order->files);
    memory->resize(memory->resize_user, order, sizeof *order, 0);
}

/* Takes the call over. */
static void start_job(studio_worker *worker, studio_call *order, studio_response *response)
{
    const marey_ctx_def *memory = order->call.scope.memory;
    studio_call *own = memory->resize(memory->resize_user, NULL, 0, sizeof *own);
    if (!own) {
        app_call_close(&order->call);
        memory_files_free(order->files);
        api_fail_memory(response);
        return;
    }
    *own = *order;
    int64_t number = 0;
    marey_error error;
    job_def def = { own->call.operation->name, run_job, drop_job, own };
    if (jobs_add(worker->of->jobs, &def, &number, &error) == MAREY_OK)
        answer_json(response, 202, json_pack("{s:I}", "job", (json_int_t)number));
    else
        answer_fail(response, &error);
}

/* ---- the address ----------------------------------------------------------------------------- */

/* "output": "kick.glb". */
static marey_status read_output(studio_call *order, json_t *root, marey_error *error)
{
    const char *text = NULL, *many = order->call.operation->many_option;
    bool writes_file = order->call.operation->writes_file;
    marey_status status = json_text(json_object_get(root, "output"), "output", &text, error);
    if (status != MAREY_OK) return status;
    if (many && json_object_get(root, many)) { /* of an archive, perhaps; the rows check the rest */
        size_t length = strlen(text);
        if (length == 0 || length >= MAREY_NAME_ROOM || strchr(text, '/'))
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "output must be a name without '/', got %.100s", text);
        snprintf(order->output, sizeof order->output, "%s", text);
        order->many = true;
        return MAREY_OK;
    }
    const char *ending = strrchr(text, '.');
    const marey_format *format = marey_format_of(text);
    bool known =
        ending && (writes_file || (format && format->writes && !format->points && !format->beside));
    size_t length = known ? (size_t)(ending - text) : 0;
    if (length == 0 || length >= MAREY_NAME_ROOM) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "output must be a file's name%s, got %.100s",
                        writes_file ? " with an ending" : " that ends in .bvh, .glb or .fbx", text);
    }
    char stem[MAREY_NAME_ROOM];
    snprintf(stem, sizeof stem, "%.*s", (int)length, text);
    export_file_name(stem, ending + 1, order->output, sizeof order->output);
    json_object_del(root, "output");
    if (!writes_file) return MAREY_OK;
    return app_check(json_object_set_new(root, "output", json_string(order->output)) != 0, error);
}

/* Of operations that make clips a body may also say under which name the clip is to be saved, or
   which file it becomes. */
static marey_status read_body(studio_call *order, const studio_request *request, marey_error *error)
{
    app_call *call = &order->call;
    json_t *root = NULL;
    marey_status status = json_parse(request->body, request->body_count, &root, error);
    const char *name = NULL;
    if (status == MAREY_OK && call->operation->made && json_object_get(root, "name")) {
        status = json_text(json_object_get(root, "name"), "name", &name, error);
        if (status == MAREY_OK) status = json_kept_name(name, "a clip's name", error);
        if (status == MAREY_OK) snprintf(order->name, sizeof order->name, "%s", name);
        json_object_del(root, "name");
    }
    if (status == MAREY_OK && (call->operation->made || call->operation->writes_file) &&
        json_object_get(root, "output"))
        status = read_output(order, root, error);
    if (status == MAREY_OK && order->name[0] && order->output[0])
        status = app_fail(error, MAREY_ERR_REQUEST, NULL, "name and output exclude each other");
    /* Frames are sent at once, or never. */
    order->wants_clip = call->operation->made && !query_text(request, "list") && !order->many &&
                        (!call->operation->takes_long || order->name[0] || order->output[0]);
    if (status == MAREY_OK)
        status = app_params_json(&call->scope, call->operation->params, root, call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    json_decref(root);
    return status;
}

void api_operate(studio_worker *worker, studio_request *request, studio_response *response)
{
    const app_operation *operation = app_operation_at((int)request->id - 1);
    studio_call order = { .wants_clip = false };
    bool committing = false;
    marey_error error;
    marey_status status = app_call_open(&order.call, operation, &worker->of->allocator, &error);
    order.call.library_path = worker->of->library_path;
    if (status == MAREY_OK) status = read_body(&order, request, &error);
    bool writes = status == MAREY_OK && (app_call_writes(&order.call) || order.name[0]);
    if (writes && !worker->of->can_write) {
        answer_refuse(response, 409, "request", "the library can only be read");
        app_call_close(&order.call);
        return;
    }
    if (status == MAREY_OK && (operation->takes_long || order.output[0])) {
        start_job(worker, &order, response);
        return;
    }
    if (status == MAREY_OK)
        status = answer_call(worker, &order, &response->body, &committing, &error);
    app_call_close(&order.call);
    app_cache_trim(&worker->saved);
    if (status == MAREY_OK) {
        bool binary = order.wants_clip && !order.name[0];
        response->status = 200;
        response->type = binary ? "application/octet-stream" : "application/json";
        return;
    }
    answer_fail(response, &error);
    /* What the library refuses to change was asked for rightly, and is in conflict with what it
       holds. */
    if (committing && response->status == 400 && marey_status_group(status) == MAREY_ERR_INPUT)
        answer_refuse(response, 409, "input", "%s", error.message);
}

/* ---- dropped files --------------------------------------------------------------------------- */

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
    studio_call order = { .wants_clip = false };
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 409, "request", "the library can only be read");
        return;
    }
    if (!request->files || memory_files_count(request->files) == 0) {
        answer_refuse(response, 400, "request", "no file came with the request");
        return;
    }
    marey_status status = app_call_open(&order.call, &app_add, &worker->of->allocator, &error);
    for (int i = 0; i < memory_files_count(request->files) && status == MAREY_OK; i++)
        status = read_text(&order.call, "files", memory_files_name(request->files, i), &error);
    for (int i = 0; i < request->query_count && status == MAREY_OK; i++) {
        const query_row *row = &request->query[i];
        bool known = strcmp(row->name, "label") == 0 || strcmp(row->name, "licence") == 0;
        if (known && *row->value) status = read_text(&order.call, row->name, row->value, &error);
    }
    if (status != MAREY_OK) {
        app_call_close(&order.call);
        answer_fail(response, &error);
        return;
    }
    order.files = request->files;
    request->files = NULL;
    start_job(worker, &order, response);
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
