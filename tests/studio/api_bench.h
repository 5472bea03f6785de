/* api_bench.h - the studio's addresses called directly, with a worker on a small library and no HTTP around them.
   Read after in_process.h, whose program makes the library. */
#ifndef MAREY_TEST_API_BENCH_H
#define MAREY_TEST_API_BENCH_H

#include "in_process.h"

#include "api_common.h"
#include "hub.h"
#include "jobs.h"
#include "operations.h"
#include "searching.h"

#include <jansson.h>
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
    int64_t walk, run, slide; /* numbers of its clips */
} api_bench;

typedef void (*api_run)(studio_worker *by, studio_request *what, studio_response *to);

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

/* The same for what is asked of one clip: the request's number goes into the body as "clip". */
#define API_CLIP_OPERATION(function, operation)                                                    \
    API_OPERATION(function##_body, operation)                                                      \
    static inline void function(studio_worker *worker, studio_request *request,                    \
                                studio_response *response)                                         \
    {                                                                                              \
        char body[4096];                                                                           \
        int used = snprintf(body, sizeof body, "{\"clip\": %lld%s%s", (long long)request->id,      \
                            request->body_count > 2 ? ", " : "", (const char *)request->body + 1); \
        studio_request whole = { .body = (const uint8_t *)body, .body_count = (size_t)used };      \
        assert_true(used < (int)sizeof body);                                                      \
        function##_body(worker, &whole, response);                                                 \
    }
API_CLIP_OPERATION(do_rename, app_rename)
API_CLIP_OPERATION(do_contacts, app_contacts)

static inline void bench_program(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    test_run_free(&run);
}

static inline int64_t bench_id(api_bench *b, const char *name)
{
    marey_listing *listing = NULL;
    assert_int_equal(marey_library_list(b->by.library, NULL, &listing, NULL), MAREY_OK);
    int count;
    int64_t id = 0;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    }
    marey_listing_free(listing);
    return id;
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
    assert_int_equal(worker_open(&b->by, &b->of, 1, NULL, &error), MAREY_OK);
}

/* Three clips: walk (60 frames, labelled), run (45), slide (4, whose joints move by themselves). */
static inline void api_bench_open(api_bench *b)
{
    *b = (api_bench){ .walk = 0 };
    place_enter(&b->place);
    write_person("walk.bvh", 60);
    write_person("run.bvh", 45);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey walk.bvh --label walking --licence 'CC BY 4.0'");
    bench_program("marey add lib.marey run.bvh slide.bvh");
    api_bench_start(b, true);
    b->walk = bench_id(b, "walk");
    b->run = bench_id(b, "run");
    b->slide = bench_id(b, "slide");
}

static inline void api_bench_stop(api_bench *b)
{
    jobs_close(b->of.jobs);
    hub_close(b->of.hub);
    searching_close(b->of.searching);
    worker_close(&b->by);
    assert_int_equal(atomic_load(&b->of.memory.used), 0);
}

static inline void api_bench_close(api_bench *b)
{
    api_bench_stop(b);
    place_leave(&b->place);
}

/* ---- asking ------------------------------------------------------------------------------------- */

/* `query` and `body` may be NULL. bytes_free the answer's body. */
static inline studio_response api_ask(api_bench *b, api_run run, int64_t id, const char *query,
                                      const char *body)
{
    char text[4096];
    studio_request what = { .id = id,
                            .body = (const uint8_t *)body,
                            .body_count = body ? strlen(body) : 0 };
    studio_response to = { .tag = "", .body = { .memory = &b->of.memory } };
    snprintf(text, sizeof text, "%s", query ? query : "");
    if (query) assert_true(query_parse(&what, text));
    run(&b->by, &what, &to);
    to.tag = NULL; /* it points into an answer that is copied now; tag_text comes along */
    return to;
}

static inline json_t *answer_take_json(studio_response *from, int status)
{
    if (from->status != status) {
        fail_msg("%d: %.*s", from->status, (int)from->body.count, (const char *)from->body.data);
    }
    json_error_t error;
    json_t *value = json_loadb((const char *)from->body.data, from->body.count, 0, &error);
    if (!value) fail_msg("no JSON: %s", error.text);
    bytes_free(&from->body);
    return value;
}

static inline json_t *api_json(api_bench *b, api_run run, int64_t id, const char *query,
                               const char *body, int status)
{
    studio_response to = api_ask(b, run, id, query, body);
    return answer_take_json(&to, status);
}

/* It is refused with this status and word, and the message says so much. */
static inline void api_refused(api_bench *b, api_run run, int64_t id, const char *query,
                               const char *body, int status, const char *word, const char *part)
{
    json_t *value = api_json(b, run, id, query, body, status);
    json_t *error = json_object_get(value, "error");
    const char *message = json_string_value(json_object_get(error, "message"));
    assert_string_equal(json_string_value(json_object_get(error, "status")), word);
    if (!message) message = "(nothing)";
    if (!strstr(message, part)) fail_msg("\"%s\" does not say \"%s\"", message, part);
    json_decref(value);
}

/* ---- jobs --------------------------------------------------------------------------------------- */

/* Waits until a job is over; json_decref what it came to. */
static inline json_t *api_wait(api_bench *b, int64_t number)
{
    heap own = { .limit = 1 << 22 }; /* the studio's may be all used by the job */
    for (int i = 0; i < 60000; i++) {
        studio_bytes text = { .memory = &own };
        assert_true(jobs_describe(b->of.jobs, number, &text));
        json_t *found = json_loadb((const char *)text.data, text.count, 0, NULL);
        bytes_free(&text);
        assert_non_null(found);
        const char *state = json_string_value(json_object_get(found, "state"));
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) return found;
        json_decref(found);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    fail_msg("job %lld does not end", (long long)number);
    return NULL;
}

/* Runs a job to its end and gives its result, which must be there. */
static inline json_t *api_job_done(api_bench *b, json_t *asked_for)
{
    int64_t number = json_integer_value(json_object_get(asked_for, "job"));
    json_decref(asked_for);
    json_t *over = api_wait(b, number);
    if (strcmp(json_string_value(json_object_get(over, "state")), "done") != 0) {
        char *text = json_dumps(over, 0);
        fail_msg("%s", text);
    }
    json_t *result = json_incref(json_object_get(over, "result"));
    json_object_set_new(result, "job", json_integer(number));
    json_decref(over);
    return result;
}

/* Runs a job to its end, which must be an error that says this. */
static inline void api_job_fails(api_bench *b, json_t *asked_for, const char *part)
{
    int64_t number = json_integer_value(json_object_get(asked_for, "job"));
    json_decref(asked_for);
    json_t *over = api_wait(b, number);
    char *text = json_dumps(over, 0);
    assert_string_equal(json_string_value(json_object_get(over, "state")), "failed");
    if (!strstr(text, part)) fail_msg("%s: %s", part, text);
    free(text);
    json_decref(over);
}

/* ---- refused memory ----------------------------------------------------------------------------- */

/* Asks again and again with a little more memory, until it is enough. Every answer before says that there was none;
   the last one is given back. */
static inline studio_response api_starve(api_bench *b, api_run run, int64_t id, const char *query,
                                         const char *body)
{
    size_t limit = b->of.memory.limit, idle = atomic_load(&b->of.memory.used);
    for (size_t more = 0;; more += more / 16 + 128) {
        b->of.memory.limit = idle + more;
        studio_response to = api_ask(b, run, id, query, body);
        b->of.memory.limit = limit;
        if (to.status != 500) return to;
        const char *text = (const char *)to.body.data;
        if (!to.body.failed) assert_memory_equal(text, "{\"error\": {\"status\": \"memory\"", 28);
        bytes_free(&to.body);
        if (more > limit) fail_msg("it never has enough");
    }
}

/* A job that keeps the others waiting until it is let go. */
typedef struct api_gate {
    atomic_bool shut, open;
} api_gate;

static inline marey_status api_gate_run(studio_worker *by, void *user, studio_bytes *result,
                                        marey_error *error)
{
    api_gate *gate = user;
    (void)by, (void)result, (void)error;
    atomic_store(&gate->shut, true);
    while (!atomic_load(&gate->open)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return MAREY_OK;
}

/* api_starve for what begins a job: only asking for it is refused memory. The job begins when there is enough again, and
   must come to its end. */
static inline json_t *api_starve_job(api_bench *b, api_run run, const char *body)
{
    api_gate gate = { false, false };
    job_def hold = { .kind = "hold", .run = api_gate_run, .user = &gate };
    int64_t number;
    assert_int_equal(jobs_add(b->of.jobs, &hold, &number, NULL), MAREY_OK);
    while (!atomic_load(&gate.shut)) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    studio_response to = api_starve(b, run, 0, NULL, body);
    atomic_store(&gate.open, true);
    json_decref(api_wait(b, number)); /* the gate lives here */
    return api_job_done(b, answer_take_json(&to, 202));
}

#endif
