/* api_graph_build.c - a new motion graph for the library, and what thresholds are worth before one is chosen: both are jobs,
   since they take from a moment to minutes. */
#include "graph_building.h"
#include "jobs.h"

#include <string.h>

typedef struct graph_job {
    heap *memory;
    graph_body body;
} graph_job;

static marey_status write_result(json_t *value, studio_bytes *result, marey_error *error)
{
    marey_status status = MAREY_OK;
    if (!bytes_add_json(result, value)) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    json_decref(value);
    return status;
}

/* What is kept for short requests makes way: the jobs' own worker is seldom asked. */
static marey_status prepare(graph_building *all, marey_error *error)
{
    marey_status status = graph_building_prepare(all, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(all->by);
    graph_building_free(all);
    *all = graph_building_begin(all->by, all->body);
    return graph_building_prepare(all, error);
}

/* ---- building ----------------------------------------------------------------------------------- */

static json_t *describe_built(const graph_building *all)
{
    json_t *value =
        describe_graph(&all->by->of->memory, all->body->name, all->graph, all->parts, &all->stats);
    describe_put(&value, "policy", json_null());
    describe_put(&value, "seconds", describe_number(all->seconds));
    describe_put(&value, "left_out", json_integer(all->left_out));
    return value;
}

/* The result is written before the change, so that what was done can be said. */
static marey_status run_build(studio_worker *worker, void *user, studio_bytes *result,
                              marey_error *error)
{
    const graph_job *of = user;
    graph_building all = graph_building_begin(worker, &of->body);
    marey_status status = prepare(&all, error);
    if (status == MAREY_OK) status = graph_building_run(&all, error);
    if (status == MAREY_OK) status = write_result(describe_built(&all), result, error);
    if (status == MAREY_OK) status = graph_building_keep(&all, error);
    graph_building_free(&all);
    return status;
}

/* ---- thresholds --------------------------------------------------------------------------------- */

static json_t *describe_rows(const graph_building *all, const marey_graph_stats *rows)
{
    const marey_metric *metric = all->body->metric ? all->body->metric : marey_metric_find(0);
    json_t *value = json_object(), *list = json_array();
    for (int i = 0; i < all->body->threshold_count; i++)
        describe_append(&list, describe_stats(&rows[i]));
    describe_put(&value, "rows", list);
    describe_put(&value, "unit", json_string(metric->unit));
    describe_put(&value, "left_out", json_integer(all->left_out));
    return value;
}

static marey_status run_sweep(studio_worker *worker, void *user, studio_bytes *result,
                              marey_error *error)
{
    const graph_job *of = user;
    const graph_body *body = &of->body;
    marey_graph_stats rows[GRAPH_BODY_THRESHOLDS];
    graph_building all = graph_building_begin(worker, body);
    marey_status status = prepare(&all, error);
    if (status == MAREY_OK) {
        status = marey_graph_sweep(worker->ctx, all.parts->clips, all.parts->count,
                                   all.parts->contacts, &all.def, body->thresholds,
                                   body->threshold_count, body->quick, rows, error);
    }
    if (status == MAREY_OK) status = write_result(describe_rows(&all, rows), result, error);
    graph_building_free(&all);
    return status;
}

/* ---- the addresses ------------------------------------------------------------------------------ */

static void drop_job(void *user)
{
    graph_job *of = user;
    graph_body_free(&of->body);
    heap_resize(of->memory, of, sizeof *of, 0);
}

/* Takes the body over. */
static void start(studio_worker *worker, const job_def *planned, graph_body *body,
                  studio_response *response)
{
    heap *memory = &worker->of->memory;
    int64_t number = 0;
    marey_error error;
    job_def def = *planned;
    graph_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (!of) {
        graph_body_free(body);
        api_fail_memory(response);
        return;
    }
    *of = (graph_job){ memory, *body };
    def.user = of;
    if (jobs_add(worker->of->jobs, &def, &number, &error) == MAREY_OK) {
        json_t *value = json_object();
        describe_put(&value, "job", json_integer(number));
        answer_json(response, 202, value);
    } else {
        answer_fail(response, &error);
    }
}

void api_graph_build(studio_worker *worker, studio_request *request, studio_response *response)
{
    static const job_def work = { "graph", run_build, drop_job, NULL };
    graph_body body;
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 400, "request",
                      "the library can only be read, so no graph can be kept");
    } else if (graph_body_read(&body, &worker->of->memory, false, request->body,
                               request->body_count, &error) == MAREY_OK) {
        start(worker, &work, &body, response);
    } else {
        answer_fail(response, &error);
    }
}

void api_graph_sweep(studio_worker *worker, studio_request *request, studio_response *response)
{
    static const job_def work = { "sweep", run_sweep, drop_job, NULL };
    graph_body body;
    marey_error error;
    if (graph_body_read(&body, &worker->of->memory, true, request->body, request->body_count,
                        &error) == MAREY_OK) {
        start(worker, &work, &body, response);
    } else {
        answer_fail(response, &error);
    }
}
