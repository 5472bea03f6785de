/* api_bench.h - the studio's addresses called directly, with a worker on a small library and no
   HTTP around them. Read after in_process.h, whose program makes the library. */
#ifndef MAREY_TEST_API_BENCH_H
#define MAREY_TEST_API_BENCH_H

#include "in_process.h"

#include "api_common.h"
#include "clip_lists.h"
#include "hub.h"
#include "jobs.h"
#include "json_look.h"
#include "operations.h"
#include "searching.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* A person that slides: a joint below the root has a place of its own. */
static const char sliding_bvh[] =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\n JOINT Spine\n {\n  OFFSET 0 20 1\n  CHANNELS 3 Zrotation Xrotation "
    "Yrotation\n  JOINT Slide\n  {\n   OFFSET 0 30 0\n   CHANNELS 6 Xposition Yposition Zposition "
    "Zrotation Xrotation Yrotation\n   End Site\n   {\n    OFFSET 0 10 0\n   }\n  }\n }\n}\n"
    "MOTION\nFrames: 4\nFrame Time: 0.033333\n"
    "0 90 0 0 0 0 10 20 30 0 30 0 5 -5 5\n1 90 0 3 0 0 12 20 31 1 31.3 0 6 -5 5\n"
    "2 91 0.1 6 0 9 14 20 32 2 32.9 0.7 7 -5 5\n3 90 0.2 9 0 7 16 20 33 3 33.1 0 8 -5 5\n";

typedef struct api_bench {
    test_place place;
    shared of;
    studio_worker by;
} api_bench;

typedef void (*api_run)(studio_worker *worker, studio_request *request, studio_response *response);

/* What is asked of an address: for tables. */
typedef struct api_request {
    api_run run;
    const char *text; /* as for ask */
} api_request;

/* Operations as addresses of their own: do_graph_rm is POST /api/do/graph-rm. */
#define API_OPERATION(function, operation)                                                         \
    static inline void function(studio_worker *worker, studio_request *request,                    \
                                studio_response *response)                                         \
    {                                                                                              \
        int number = 0;                                                                            \
        while (app_operation_at(number) != &(operation))                                           \
            assert_non_null(app_operation_at(number++));                                           \
        request->id = number + 1;                                                                  \
        api_operate(worker, request, response);                                                    \
    }
API_OPERATION(do_index, app_index)
API_OPERATION(do_search, app_search)
API_OPERATION(do_align, app_align)
API_OPERATION(do_curves, app_curves)
API_OPERATION(do_blend, app_blend)
API_OPERATION(do_similar, app_similar)
API_OPERATION(do_example, app_example)
API_OPERATION(do_clean, app_clean)
API_OPERATION(do_transition, app_transition)
API_OPERATION(do_loop, app_loop)
API_OPERATION(do_retarget, app_retarget)
API_OPERATION(do_map, app_map_joints)
API_OPERATION(do_label, app_label)
API_OPERATION(do_rm, app_rm)
API_OPERATION(do_restore, app_restore)
API_OPERATION(do_cut, app_cut_clips)
API_OPERATION(do_param_features, app_param_features)
API_OPERATION(do_param_build, app_param_build)
API_OPERATION(do_param_make, app_param_make)
API_OPERATION(do_param_check, app_param_check)
API_OPERATION(do_param_examine, app_param_examine)
API_OPERATION(do_param_prune, app_param_prune)
API_OPERATION(do_param_show, app_param_show)
API_OPERATION(do_param_ls, app_param_ls)
API_OPERATION(do_param_rm, app_param_rm)
API_OPERATION(do_graph_build, app_graph_build)
API_OPERATION(do_graph_sweep, app_graph_sweep)
API_OPERATION(do_graph_stats, app_graph_stats)
API_OPERATION(do_add, app_add)
API_OPERATION(do_convert, app_convert)
API_OPERATION(do_render, app_render)
API_OPERATION(do_graph_train, app_graph_train)
API_OPERATION(do_graph_walk, app_graph_walk)
API_OPERATION(do_graph_control, app_graph_control)
API_OPERATION(do_graph_ls, app_graph_ls)
API_OPERATION(do_graph_rm, app_graph_rm)
API_OPERATION(do_cluster_build, app_cluster_build)
API_OPERATION(do_cluster_stitch, app_cluster_stitch)
API_OPERATION(do_cluster_loop, app_cluster_loop)
API_OPERATION(do_cluster_ls, app_cluster_ls)
API_OPERATION(do_cluster_rm, app_cluster_rm)
API_OPERATION(do_puppet_train, app_puppet_train)
API_OPERATION(do_puppet_run, app_puppet_run)
API_OPERATION(do_puppet_show, app_puppet_show)
API_OPERATION(do_puppet_ls, app_puppet_ls)
API_OPERATION(do_puppet_rm, app_puppet_rm)
API_OPERATION(do_puppet_rename, app_puppet_rename)
API_OPERATION(do_rename, app_rename)
API_OPERATION(do_contacts, app_contacts)

OWNED_VALUE(studio_response, answer_clear)

/* ---- the program ----------------------------------------------------------------------------- */

/* Runs a line, as printf has it, which must do well. */
__attribute__((format(printf, 1, 2))) static inline test_run bench_run(const char *format, ...)
{
    char line[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    return run;
}

/* What it prints with --json. */
static inline json_t *run_end(test_run run, bool is_json)
{
    json_t *value = is_json ? json_hold_text(run.out.bytes, run.out.used) : NULL;
    test_run_free(&run);
    return value;
}
#define bench_program(...) run_end(bench_run(__VA_ARGS__), false)
#define program_json(...) run_end(bench_run(__VA_ARGS__), true)

/* ---- opening --------------------------------------------------------------------------------- */

static inline int64_t bench_find(api_bench *b, const char *name, bool removed)
{
    OWNED(marey_listing) *listing = NULL;
    const marey_list_def def = { .removed = removed };
    assert_int_equal(marey_library_list(b->by.library, &def, &listing, NULL), MAREY_OK);
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) return entries[i].id;
    }
    return 0;
}

/* The number of a clip; 0 if there is none of this name. */
static inline int64_t bench_id(api_bench *b, const char *name)
{
    return bench_find(b, name, false);
}

/* marey_clip_free it. */
static inline marey_clip *bench_load(api_bench *b, const char *name)
{
    marey_clip *clip = NULL;
    assert_int_equal(marey_library_load(b->by.library, name, &clip, NULL), MAREY_OK);
    return clip;
}

/* Context, library and threads on top of whatever is in the folder. */
static inline void api_bench_start(api_bench *b, bool can_write)
{
    marey_error error = { 0 };
    b->of.memory.limit = (size_t)1 << 30;
    b->of.allocator = (marey_ctx_def){ .resize = heap_resize, .resize_user = &b->of.memory };
    b->of.library_path = "lib.marey";
    b->of.can_write = can_write;
    assert_int_equal(hub_open(&b->of, &b->of.hub, &error), MAREY_OK);
    assert_int_equal(jobs_open(&b->of, 2, &b->of.jobs, &error), MAREY_OK);
    assert_int_equal(searching_open(&b->of, &b->of.searching, &error), MAREY_OK);
    assert_int_equal(clip_lists_open(&b->of, &b->of.lists, &error), MAREY_OK);
    assert_int_equal(worker_open(&b->by, &b->of, 1, NULL, &error), MAREY_OK);
}

static inline void api_bench_stop(api_bench *b)
{
    jobs_close(b->of.jobs);
    hub_close(b->of.hub);
    searching_close(b->of.searching);
    clip_lists_close(b->of.lists);
    worker_close(&b->by);
    json_drop_held();
    assert_int_equal(atomic_load(&b->of.memory.used), 0);
}

/* A bench in a folder of its own, without a library so far. */
static inline api_bench *api_bench_enter(void **state)
{
    api_bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    place_enter(&b->place);
    *state = b;
    return b;
}

/* Three clips: walk (60 frames, labelled), run (45), slide (4, whose joints move by themselves). */
static inline int api_bench_open(void **state)
{
    api_bench *b = api_bench_enter(state);
    write_person("walk.bvh", 60);
    write_person("run.bvh", 45);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey walk.bvh --label walking --licence 'CC BY 4.0'");
    bench_program("marey add lib.marey run.bvh slide.bvh");
    api_bench_start(b, true);
    return 0;
}

static inline int api_bench_close(void **state)
{
    api_bench *b = *state;
    api_bench_stop(b);
    place_leave(&b->place);
    free(b);
    return 0;
}

/* A case with such a bench of its own, called b. */
#define TEST_BENCH(name) TEST_OF_IN(api_bench_open, api_bench_close, api_bench *b, name)

/* ---- asking ---------------------------------------------------------------------------------- */

/* Fills a pattern in place: $name is the number of the clip of this name, which may be removed, '
   is ". */
static inline void bench_fill(api_bench *b, char *text, size_t room)
{
    json_quote(text);
    for (char *at = text; (at = strchr(at, '$'));) {
        char name[64], number_of[32];
        size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        int64_t id = bench_id(b, name);
        if (!id) id = bench_find(b, name, true);
        if (!id) fail_msg("no clip %s", name);
        size_t count = (size_t)snprintf(number_of, sizeof number_of, "%" PRId64, id);
        assert_true(strlen(text) + count < room);
        memmove(at + count, at + 1 + length, strlen(at + 1 + length) + 1);
        memcpy(at, number_of, count);
        at += count;
    }
}

/* What is asked of an address, as at the end of a line of HTTP: "/ID/SECOND?QUERY {BODY}", each of
   which may be left out. */
static inline studio_response api_ask_text(studio_worker *worker, api_run run, char *text)
{
    char *body = strpbrk(text, "{[ "), *query = strchr(text, '?'), values[4096];
    studio_request request = { .id = 0 };
    studio_response response = { .tag = "", .body = { .memory = &worker->of->memory } };
    if (!body) body = text + strlen(text);
    request.body = (const uint8_t *)(*body == ' ' ? body + 1 : body);
    request.body_count = strlen((const char *)request.body);
    if (*text == '/') {
        char *end;
        request.id = strtoll(text + 1, &end, 10);
        if (*end == '/') request.second = strtoll(end + 1, NULL, 10);
    }
    if (query && query < body) {
        snprintf(values, sizeof values, "%.*s", (int)(body - query - 1), query + 1);
        assert_true(query_parse(&request, values));
    }
    run(worker, &request, &response);
    response.tag = NULL; /* it points into an answer that is copied now; tag_text comes along */
    return response;
}

enum { API_TEXT = 32768 };

#define API_FILL(b, text, format)                                                                  \
    char text[API_TEXT];                                                                           \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    assert_true(vsnprintf(text, sizeof text, format, values) < (int)sizeof text);                  \
    va_end(values);                                                                                \
    bench_fill(b, text, sizeof text)

/* All of these take a pattern as printf does, then as bench_fill does. answer_clear what comes. */
__attribute__((format(printf, 3, 4))) static inline studio_response
api_ask(api_bench *b, api_run run, const char *format, ...)
{
    API_FILL(b, text, format);
    return api_ask_text(&b->by, run, text);
}

/* The JSON of an answer, which must have this status. */
static inline json_t *answer_take_json(studio_response *from, int status)
{
    if (from->status != status)
        fail_msg("%d: %.*s", from->status, (int)from->body.count, (const char *)from->body.data);
    const studio_bytes *body = from->lent ? &from->lent->content : &from->body;
    json_t *value = json_hold_text((const char *)body->data, body->count);
    answer_clear(from);
    return value;
}

__attribute__((format(printf, 4, 5))) static inline json_t *
ask_status(api_bench *b, int status, api_run run, const char *format, ...)
{
    API_FILL(b, text, format);
    studio_response response = api_ask_text(&b->by, run, text);
    return answer_take_json(&response, status);
}

#define ask(b, run, ...) ask_status(b, 200, run, __VA_ARGS__)

/* An error of this word, whose message says so much. */
static inline void error_says(const json_t *value, const char *name, const char *part)
{
    const json_t *error = json_object_get(value, "error");
    if (strcmp(word(error, "status"), name) != 0 || !strstr(word(error, "message"), part))
        fail_msg("%s: \"%s\" does not say %s: %s", word(error, "status"), word(error, "message"),
                 name, part);
}

/* It is refused with this status and word, and the message says so much. */
#define refused(b, status, name, part, run, ...)                                                   \
    error_says(ask_status(b, status, run, __VA_ARGS__), name, part)

/* A table of these: what is asked, and what the message says. */
typedef const char *api_refusal[2];
static inline void refused_rows(api_bench *b, int status, const char *name, api_run run,
                                const api_refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) refused(b, status, name, rows[i][1], run, "%s", rows[i][0]);
}
#define REFUSED(b, status, name, run, rows)                                                        \
    refused_rows(b, status, name, run, rows, sizeof(rows) / sizeof *(rows))

/* ---- what a worker keeps open ---------------------------------------------------------------- */

/* The latest of a kind that its cache has, under a key or any: NULL. */
static inline const app_cached *cached(const studio_worker *worker, const char *kind,
                                       const char *key)
{
    const app_cached *found = NULL;
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *one = &worker->saved.entries[i];
        if (!one->object || one->old || strcmp(one->kind, kind) != 0) continue;
        if (key && strcmp(one->key, key) != 0) continue;
        if (!found || one->used > found->used) found = one;
    }
    return found;
}

/* ---- grids ----------------------------------------------------------------------------------- */

typedef struct grid_read {
    uint32_t layout, rows, cols, frames[2];
    float least, greatest;
    double fps;
    const float *cells;
    studio_response from;
} grid_read;

static inline void grid_free(grid_read *grid)
{
    answer_clear(&grid->from);
}
OWNED_VALUE(grid_read, grid_free)

static inline grid_read grid_of_answer(studio_response from)
{
    grid_read got = { .from = from };
    const uint8_t *data = from.body.data;
    if (from.status != 200) fail_msg("%s", (const char *)data);
    assert_memory_equal(data, "MRYG", 4);
    memcpy(&got.layout, data + 4, 5 * sizeof(uint32_t));
    memcpy(&got.least, data + 24, 2 * sizeof(float));
    memcpy(&got.fps, data + 32, sizeof got.fps);
    got.cells = (const float *)(const void *)(data + 40);
    assert_int_equal(got.layout, 1);
    assert_int_equal(from.body.count, 40 + (size_t)got.rows * got.cols * sizeof(float));
    return got;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Waits until a job is over; what it came to. */
static inline json_t *api_wait(api_bench *b, int64_t number_of)
{
    heap own = { .limit = 1 << 24 }; /* the studio's may be all used by the job */
    for (int i = 0; i < 300000; i++) {
        studio_bytes text = { .memory = &own };
        assert_true(jobs_describe(b->of.jobs, number_of, &text));
        json_t *found = json_loadb((const char *)text.data, text.count, 0, NULL);
        bytes_free(&text);
        assert_non_null(found);
        const char *state = word(found, "state");
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) return json_hold(found);
        json_decref(found);
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    fail_msg("job %" PRId64 " does not end", number_of);
    return NULL;
}

/* The result of a job that was begun, which must be there; with the job's number. */
static inline json_t *api_job_done(api_bench *b, const json_t *begun)
{
    json_t *over = api_wait(b, whole(begun, "job")), *result = json_object_get(over, "result");
    if (strcmp(word(over, "state"), "done") != 0) fail_msg("%s", json_dumps(over, 0));
    json_object_set_new(result, "job", json_integer(whole(begun, "job")));
    return result;
}

/* Runs a job to its end and gives its result; begins one and gives its number. */
#define ask_job(b, run, ...) api_job_done(b, ask_status(b, 202, run, __VA_ARGS__))
#define job_begin(b, run, ...) whole(ask_status(b, 202, run, __VA_ARGS__), "job")

/* A job that was begun comes to an error of this word that says so much. */
static inline void api_job_failed(api_bench *b, const json_t *begun, const char *name,
                                  const char *part)
{
    const json_t *over = api_wait(b, whole(begun, "job"));
    assert_string_equal(word(over, "state"), "failed");
    error_says(over, name, part);
}
#define job_fails(b, name, part, run, ...)                                                         \
    api_job_failed(b, ask_status(b, 202, run, __VA_ARGS__), name, part)

/* What a job exports has the bytes of a file that the program wrote. */
static inline void same_export(api_bench *b, const json_t *result, const char *path)
{
    size_t count;
    FREED char *theirs = test_file_read(path, &count);
    OWNED(studio_response) file = api_ask(b, api_job_file, "/%" PRId64, whole(result, "job"));
    assert_int_equal(file.status, 200);
    assert_string_equal(file.file_name, word(result, "name"));
    assert_int_equal(number(result, "bytes"), count);
    assert_int_equal(file.lent->content.count, count);
    assert_memory_equal(file.lent->content.data, theirs, count);
}

/* ---- refused memory -------------------------------------------------------------------------- */

/* Asks again and again with a little more memory, until it is enough: an eighth more each time, a
   third under a sanitizer, a sixteenth with MAREY_LONG. Every answer before says that there was
   none; the last one is given back. */
__attribute__((format(printf, 3, 4))) static inline studio_response
api_starve(api_bench *b, api_run run, const char *format, ...)
{
    API_FILL(b, text, format);
    enum { PART = TEST_SANITIZED ? 3 : 8 };
    size_t limit = b->of.memory.limit, idle = atomic_load(&b->of.memory.used);
    for (size_t more = 0;; more += more / (test_is_long() ? 16 : PART) + 128) {
        b->of.memory.limit = idle + more;
        studio_response response = api_ask_text(&b->by, run, text);
        b->of.memory.limit = limit;
        if (response.status != 500) return response;
        const char *said = (const char *)response.body.data;
        if (!response.body.failed)
            assert_memory_equal(said, "{\"error\": {\"status\": \"memory\"", 28);
        bytes_free(&response.body);
        if (more > limit) fail_msg("it never has enough");
    }
}

/* A job that keeps the others waiting until it is let go. */
typedef struct api_gate {
    atomic_bool shut, open;
} api_gate;

static inline marey_status api_gate_run(studio_worker *worker, void *user, studio_bytes *result,
                                        marey_error *error)
{
    api_gate *gate = user;
    (void)worker, (void)result, (void)error;
    atomic_store(&gate->shut, true);
    while (!atomic_load(&gate->open)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return MAREY_OK;
}

/* api_starve for what begins a job: only asking for it is refused memory. The job begins when there
   is enough again, and must come to its end. */
__attribute__((format(printf, 3, 4))) static inline json_t *
api_starve_job(api_bench *b, api_run run, const char *format, ...)
{
    API_FILL(b, text, format);
    api_gate gate = { false, false };
    job_def hold = { .kind = "hold", .run = api_gate_run, .user = &gate };
    int64_t number_of;
    assert_int_equal(jobs_add(b->of.jobs, &hold, &number_of, NULL), MAREY_OK);
    while (!atomic_load(&gate.shut)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    studio_response response = api_starve(b, run, "%s", text);
    atomic_store(&gate.open, true);
    api_wait(b, number_of); /* the gate lives here */
    return api_job_done(b, answer_take_json(&response, 202));
}

/* Starves what is asked; it must come to an answer of 200. */
#define STARVE(b, ...)                                                                             \
    do {                                                                                           \
        OWNED(studio_response) starved = api_starve(b, __VA_ARGS__);                               \
        if (starved.status != 200) fail_msg("%d: %s", starved.status, starved.body.data);          \
    } while (0)

#endif
