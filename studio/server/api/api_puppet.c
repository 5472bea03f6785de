/* api_puppet.c - one behaviour: what it learned, its bytes, and its demonstrations as a table. What `marey puppet show` does. */
#include "export_file.h"
#include "json_inside.h"
#include "puppet_told.h"

static bool read_name(const studio_request *request, const char **name, studio_response *response)
{
    *name = asked_query(request, "name");
    if (*name) return true;
    answer_refuse(response, 400, "request", "name says which puppet");
    return false;
}

static marey_status tell(studio_worker *worker, const char *name, int points,
                         studio_response *response, marey_error *error)
{
    puppet_sourced from = puppet_sourced_begin(&worker->of->memory);
    marey_puppet *puppet = NULL;
    marey_kept *kept = NULL;
    marey_status status = puppet_open_kept(worker, name, &puppet, &kept, error);
    if (status == MAREY_OK) status = puppet_sourced_kept(&from, worker, name, error);
    if (status == MAREY_OK &&
        !puppet_write(name, puppet_about(kept), puppet, &from, points, NULL, &response->body))
        status = json_fail_memory(error);
    marey_kept_free(kept);
    marey_puppet_free(puppet);
    puppet_sourced_free(&from);
    return status;
}

void api_puppet(studio_worker *worker, studio_request *request, studio_response *response)
{
    const char *name = NULL;
    int points = PUPPET_POINTS;
    marey_error error;
    if (!read_name(request, &name, response) ||
        !api_query_whole(request, "points", 1, LIMIT_PUPPET_POINTS, &points, response))
        return;
    if (tell(worker, name, points, response, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    response->status = 200;
    response->type = "application/json";
}

/* ---- as files ----------------------------------------------------------------------------------- */

static void answer_file(const char *name, const char *ending, const char *type, const void *data,
                        size_t count, studio_response *response)
{
    response->status = 200;
    response->type = type;
    export_file_name(name, ending, response->file_name, sizeof response->file_name);
    bytes_add(&response->body, data, count);
    if (response->body.failed) api_fail_memory(response);
}

static marey_status write_file(studio_worker *worker, const marey_puppet *puppet, const char *name,
                               const puppet_sourced *from, studio_response *response,
                               marey_error *error)
{
    uint8_t *data = NULL;
    size_t count = 0, room = (size_t)from->count * sizeof(marey_puppet_source);
    marey_puppet_source *sources = puppet_sourced_list(from);
    if (room > 0 && !sources) return json_fail_memory(error);
    marey_status status =
        marey_puppet_write_from(puppet, sources, from->count, &data, &count, error);
    heap_resize(&worker->of->memory, sources, room, 0);
    if (status != MAREY_OK) return status;
    answer_file(name, "puppet", "application/octet-stream", data, count, response);
    marey_graph_bytes_free(worker->ctx, data, count);
    return MAREY_OK;
}

/* Not the bytes that are kept: the licences of its clips go with it, as they are now. */
void api_puppet_file(studio_worker *worker, studio_request *request, studio_response *response)
{
    puppet_sourced from = puppet_sourced_begin(&worker->of->memory);
    const char *name = NULL;
    marey_puppet *puppet = NULL;
    marey_error error;
    if (!read_name(request, &name, response)) return;
    marey_status status = puppet_open_kept(worker, name, &puppet, NULL, &error);
    if (status == MAREY_OK) status = puppet_sourced_kept(&from, worker, name, &error);
    if (status == MAREY_OK) status = write_file(worker, puppet, name, &from, response, &error);
    if (status != MAREY_OK) answer_fail(response, &error);
    marey_puppet_free(puppet);
    puppet_sourced_free(&from);
}

/* A second and the puppet's own gap apart, so that reading cuts them again. */
static void list_samples(const marey_puppet *puppet, marey_puppet_sample *out)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    double begins = 0;
    for (int run = 0; run < marey_puppet_runs(puppet); run++) {
        int count = marey_puppet_run_samples(puppet, run);
        for (int i = 0; i < count; i++) {
            *out = marey_puppet_sample_at(puppet, run, i);
            (out++)->time_s += begins;
        }
        begins += (count - 1) / def->rate + 1 + def->gap_s;
    }
}

static marey_status write_table(studio_worker *worker, const marey_puppet *puppet, const char *name,
                                studio_response *response, marey_error *error)
{
    int count = marey_puppet_samples(puppet);
    size_t room = (size_t)count * sizeof(marey_puppet_sample), size = 0;
    marey_puppet_sample *samples = heap_resize(&worker->of->memory, NULL, 0, room);
    uint8_t *text = NULL;
    if (!samples) return json_fail_memory(error);
    list_samples(puppet, samples);
    marey_status status = marey_paths_write(worker->ctx, samples, count, true, &text, &size, error);
    heap_resize(&worker->of->memory, samples, room, 0);
    if (status != MAREY_OK) return status;
    answer_file(name, "csv", "text/csv; charset=utf-8", text, size, response);
    marey_graph_bytes_free(worker->ctx, text, size);
    return MAREY_OK;
}

void api_puppet_csv(studio_worker *worker, studio_request *request, studio_response *response)
{
    const char *name = NULL;
    marey_puppet *puppet = NULL;
    marey_error error;
    if (!read_name(request, &name, response)) return;
    marey_status status = puppet_open_kept(worker, name, &puppet, NULL, &error);
    if (status == MAREY_OK) status = write_table(worker, puppet, name, response, &error);
    if (status != MAREY_OK) answer_fail(response, &error);
    marey_puppet_free(puppet);
}
