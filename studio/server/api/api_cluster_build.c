/* api_cluster_build.c - a new cluster graph for the library: a job, since it takes from a moment to minutes. */
#include "cluster_building.h"
#include "job_start.h"

typedef struct cluster_job {
    heap *memory;
    cluster_body body;
} cluster_job;

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
static marey_status prepare(cluster_building *all, marey_error *error)
{
    marey_status status = cluster_building_prepare(all, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(all->by);
    cluster_building_free(all);
    *all = cluster_building_begin(all->by, all->body);
    return cluster_building_prepare(all, error);
}

static json_t *describe_built(const cluster_building *all)
{
    cluster_view view = { CLUSTER_NODES, CLUSTER_EDGES };
    json_t *value =
        describe_clusters(&all->by->of->memory, all->body->name, all->clusters, all->parts, &view);
    describe_put(&value, "seconds", describe_number(all->seconds));
    describe_put(&value, "left_out", json_integer(all->left_out));
    return value;
}

/* The result is written before the change, so that what was done can be said. */
static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    const cluster_job *of = user;
    cluster_building all = cluster_building_begin(worker, &of->body);
    marey_status status = prepare(&all, error);
    if (status == MAREY_OK) status = cluster_building_run(&all, error);
    if (status == MAREY_OK) status = write_result(describe_built(&all), result, error);
    if (status == MAREY_OK) status = cluster_building_keep(&all, error);
    cluster_building_free(&all);
    return status;
}

static void drop_job(void *user)
{
    cluster_job *of = user;
    cluster_body_free(&of->body);
    heap_resize(of->memory, of, sizeof *of, 0);
}

void api_cluster_build(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    cluster_body body;
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 400, "request",
                      "the library can only be read, so no cluster graph can be kept");
        return;
    }
    if (cluster_body_read(&body, memory, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    cluster_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (of) {
        *of = (cluster_job){ memory, body };
        job_start(worker, &(job_def){ "clusters", run_job, drop_job, of }, response);
    } else {
        cluster_body_free(&body);
        api_fail_memory(response);
    }
}
