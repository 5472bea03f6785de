/* api_import.c - dropped files, and the demo, into the library: jobs. */
#include "api_common.h"
#include "job_start.h"

#include <errno.h>
#include <string.h>

/* ---- what came of each file --------------------------------------------------------------------- */

static const char *const outcomes[] = { "added", "duplicates", "skipped", "failed" };
enum { OUTCOME_COUNT = sizeof outcomes / sizeof *outcomes };

/* JSON text that grows file by file. Room for the whole is taken before the library commits, so that nothing can fail
   between what was done and saying so. */
typedef struct import_results {
    studio_worker *by;
    studio_bytes lists[OUTCOME_COUNT]; /* by marey_add_outcome: the insides of the arrays */
    studio_bytes *whole;               /* as long as it will be, and not written */
    bool failed;                       /* out of memory */
} import_results;

enum { FRAME_BYTES = 64 }; /* brackets and names of the arrays */

static void results_make(import_results *to, studio_worker *worker, studio_bytes *whole)
{
    *to = (import_results){ .by = worker, .whole = whole };
    for (int i = 0; i < OUTCOME_COUNT; i++) to->lists[i].memory = &worker->of->memory;
    to->failed = !bytes_extend(whole, FRAME_BYTES);
}

static void results_free(import_results *of)
{
    for (int i = 0; i < OUTCOME_COUNT; i++) bytes_free(&of->lists[i]);
}

static json_t *describe_result(heap *memory, const marey_add_result *result)
{
    json_t *one = json_object();
    describe_put(&one, "path", describe_text(memory, result->path));
    if (*result->name) describe_put(&one, "name", describe_text(memory, result->name));
    if (result->id > 0) describe_put(&one, "id", json_integer(result->id));
    if (result->frames > 0) describe_put(&one, "frames", json_integer(result->frames));
    if (result->outcome == MAREY_ADD_FAILED && result->error) {
        char text[sizeof result->error->path + sizeof result->error->message];
        marey_error_text(result->error, text, sizeof text);
        describe_put(&one, "message", describe_text(memory, text));
    }
    if (result->clip) describe_put(&one, "report", describe_report(memory, result->clip));
    return one;
}

/* Nobody could be told what happened if there is no memory for it: better that nothing does. */
static void note_result(void *user, const marey_add_result *result)
{
    import_results *to = user;
    studio_bytes *list = &to->lists[result->outcome];
    size_t before = list->count;
    json_t *one = describe_result(&to->by->of->memory, result);
    if (before > 0) bytes_add(list, ",", 1);
    bool fits = bytes_add_json(list, one) && bytes_extend(to->whole, list->count - before);
    json_decref(one);
    if (fits) return;
    to->failed = true;
    marey_ctx_cancel(to->by->ctx);
}

/* In the room that was taken. */
static void write_whole(import_results *from)
{
    studio_bytes *to = from->whole;
    to->count = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        bytes_add(to, i ? ",\"" : "{\"", 2);
        bytes_add(to, outcomes[i], strlen(outcomes[i]));
        bytes_add(to, "\":[", 3);
        bytes_add(to, from->lists[i].data, from->lists[i].count);
        bytes_add(to, "]", 1);
    }
    bytes_add(to, "}", 1);
}

/* The result of the job, from how the adding ended: after OK there is nothing left that can fail. */
static marey_status results_finish(import_results *to, marey_status status, marey_error *error)
{
    if (status == MAREY_OK) {
        api_changed(to->by);
        write_whole(to);
    } else if (to->failed) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    return status;
}

/* ---- the job of an import ----------------------------------------------------------------------- */

typedef struct import_job {
    heap *memory;
    memory_files *files;
    const char *labels[LIMIT_QUERY], *licence; /* in `texts` */
    int label_count;
    studio_bytes texts;
} import_job;

/* The worker's context reads from the worker's own files only. */
static bool move_files(memory_files *from, memory_files *to)
{
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

static marey_status add_files(studio_worker *worker, const import_job *of, studio_bytes *result,
                              marey_error *error)
{
    int count = memory_files_count(worker->files);
    size_t room = (size_t)count * sizeof(const char *);
    const char **paths = heap_resize(of->memory, NULL, 0, room);
    import_results results;
    if (!paths) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    results_make(&results, worker, result);
    for (int i = 0; i < count; i++) paths[i] = memory_files_name(worker->files, i);
    marey_add_def def = { .labels = of->labels,
                          .label_count = of->label_count,
                          .licence = of->licence,
                          .done = note_result,
                          .user = &results };
    marey_status status = results.failed
                              ? MAREY_ERR_MEMORY
                              : marey_library_add(worker->library, paths, count, &def, error);
    heap_resize(of->memory, paths, room, 0);
    status = results_finish(&results, status, error);
    results_free(&results);
    return status;
}

static marey_status run_import(studio_worker *worker, void *user, studio_bytes *result,
                               marey_error *error)
{
    import_job *of = user;
    marey_status status = MAREY_ERR_MEMORY;
    memory_files_clear(worker->files);
    *error = (marey_error){ .status = status, .message = "out of memory" };
    if (move_files(of->files, worker->files)) status = add_files(worker, of, result, error);
    memory_files_clear(worker->files);
    return status;
}

static void drop_import(void *user)
{
    import_job *of = user;
    memory_files_free(of->files);
    bytes_free(&of->texts);
    heap_resize(of->memory, of, sizeof *of, 0);
}

/* ---- asking for it ------------------------------------------------------------------------------ */

/* The query goes with the request, so its texts are copied. */
static bool copy_query(import_job *to, const studio_request *request)
{
    const char *licence = asked_query(request, "licence");
    size_t starts[LIMIT_QUERY];
    for (int i = 0; i < request->query_count; i++) {
        const query_row *row = &request->query[i];
        if (strcmp(row->name, "label") != 0 || !*row->value) continue;
        starts[to->label_count++] = to->texts.count;
        bytes_add(&to->texts, row->value, strlen(row->value) + 1);
    }
    size_t start = to->texts.count;
    bytes_add(&to->texts, licence ? licence : "", licence ? strlen(licence) + 1 : 1);
    if (to->texts.failed) return false;
    const char *texts = (const char *)to->texts.data;
    for (int i = 0; i < to->label_count; i++) to->labels[i] = texts + starts[i];
    to->licence = texts + start;
    return true;
}

static bool can_write(const studio_worker *worker, studio_response *response)
{
    if (!worker->of->can_write) {
        answer_refuse(response, 400, "request", "this library is open for reading only");
    }
    return worker->of->can_write;
}

void api_import(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    if (!can_write(worker, response)) return;
    if (!request->files || memory_files_count(request->files) == 0) {
        answer_refuse(response, 400, "request", "no file came with the request");
        return;
    }
    import_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (!of) {
        api_fail_memory(response);
        return;
    }
    *of = (import_job){ .memory = memory, .files = request->files, .texts = { .memory = memory } };
    request->files = NULL;
    if (!copy_query(of, request)) {
        drop_import(of);
        api_fail_memory(response);
        return;
    }
    job_start(worker, &(job_def){ "import", run_import, drop_import, of }, response);
}

/* ---- the demo ----------------------------------------------------------------------------------- */

static marey_status run_demo(studio_worker *worker, void *user, studio_bytes *result,
                             marey_error *error)
{
    import_results results;
    (void)user;
    results_make(&results, worker, result);
    marey_add_def def = { .done = note_result, .user = &results };
    marey_status status =
        results.failed ? MAREY_ERR_MEMORY : marey_library_add_demo(worker->library, &def, error);
    status = results_finish(&results, status, error);
    results_free(&results);
    return status;
}

static void drop_nothing(void *user)
{
    (void)user;
}

void api_demo(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_body body;
    if (!api_body(worker, request, 0, 0, &body, response)) return;
    json_body_free(&body);
    if (can_write(worker, response)) {
        job_start(worker, &(job_def){ "demo", run_demo, drop_nothing, NULL }, response);
    }
}
