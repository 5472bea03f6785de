/* api_graph_train.c - the policy by which a motion graph is steered, as a job. What `marey graph train` does. */
#include "graph_body.h"
#include "graph_kept.h"

#include "graph_building.h"
#include "jobs.h"

#include <stdio.h>
#include <string.h>

typedef struct train_job {
    heap *memory;
    train_body body;
} train_job;

static void put_settings(const marey_policy *policy, json_t **to)
{
    const marey_policy_def *def = marey_policy_settings(policy);
    describe_put(to, "directions", json_integer(def->directions));
    describe_put(to, "speeds", describe_numbers(def->speeds, def->speed_count));
    describe_put(to, "discount", describe_number(def->discount));
    describe_put(to, "poor", describe_number(def->poor));
}

static json_t *describe_about(const marey_policy *policy)
{
    json_t *about = json_object();
    describe_put(&about, "made_by", json_string("graph train"));
    describe_put(&about, "version", json_string(marey_version()));
    put_settings(policy, &about);
    return about;
}

static json_t *describe_trained(const marey_policy *policy, const char *graph, heap *memory,
                                double seconds)
{
    json_t *value = json_object();
    describe_put(&value, "graph", describe_text(memory, graph));
    put_settings(policy, &value);
    describe_put(&value, "rounds", json_integer(marey_policy_rounds(policy)));
    describe_put(&value, "bytes", json_integer((json_int_t)marey_policy_bytes(policy)));
    describe_put(&value, "seconds", describe_number(seconds));
    return value;
}

/* The result is written before the change, so that what was done can be said. */
static marey_status keep(studio_worker *worker, const struct graph_kept *of,
                         const marey_policy *policy, double seconds, studio_bytes *result,
                         marey_error *error)
{
    studio_bytes about = { .memory = &worker->of->memory };
    json_t *said = describe_trained(policy, of->name, &worker->of->memory, seconds);
    json_t *noted = describe_about(policy);
    marey_status status = MAREY_ERR_MEMORY;
    *error = (marey_error){ .status = status, .message = "out of memory" };
    if (bytes_add_json(&about, noted)) bytes_add(&about, "", 1);
    if (noted && !about.failed && bytes_add_json(result, said)) {
        status = marey_library_keep_policy(worker->library, of->name, policy,
                                           (const char *)about.data, error);
    }
    json_decref(noted);
    json_decref(said);
    bytes_free(&about);
    return status;
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    const train_body *body = &((const train_job *)user)->body;
    struct graph_kept *of = NULL;
    marey_policy *policy = NULL;
    marey_policy_def def = { .directions = body->directions,
                             .speeds = body->speed_count > 0 ? body->speeds : NULL,
                             .speed_count = body->speed_count,
                             .discount = body->discount,
                             .poor = body->poor };
    double start = graph_seconds_now();
    marey_status status = graph_open(worker, body->graph, &of, error);
    if (status == MAREY_OK)
        status = marey_policy_train(worker->ctx, of->graph, &def, &policy, error);
    if (status == MAREY_OK)
        status = keep(worker, of, policy, graph_seconds_now() - start, result, error);
    marey_policy_free(policy);
    worker_forget_graph(worker); /* the jobs' own worker is seldom asked again */
    return status;
}

static void drop_job(void *user)
{
    train_job *of = user;
    train_body_free(&of->body);
    heap_resize(of->memory, of, sizeof *of, 0);
}

/* Takes the body over. */
static void start_job(studio_worker *worker, train_body *body, studio_response *response)
{
    int64_t number = 0;
    marey_error error;
    heap *memory = &worker->of->memory;
    train_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (!of) {
        train_body_free(body);
        api_fail_memory(response);
        return;
    }
    *of = (train_job){ memory, *body };
    job_def def = { "train", run_job, drop_job, of };
    if (jobs_add(worker->of->jobs, &def, &number, &error) == MAREY_OK) {
        json_t *value = json_object();
        describe_put(&value, "job", json_integer(number));
        answer_json(response, 202, value);
    } else {
        answer_fail(response, &error);
    }
}

void api_graph_train(studio_worker *worker, studio_request *request, studio_response *response)
{
    train_body body;
    struct graph_kept *of = NULL;
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 400, "request",
                      "the library can only be read, so no policy can be kept");
        return;
    }
    if (train_body_read(&body, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    /* Refuses what cannot be before a job is made of it. */
    if (graph_open(worker, body.graph, &of, &error) == MAREY_OK) {
        start_job(worker, &body, response);
    } else {
        answer_fail(response, &error);
        train_body_free(&body);
    }
    graph_let_go(worker);
}
