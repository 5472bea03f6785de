/* api_puppet.c - one behaviour: what it learned, its bytes, and its demonstrations as a table. What `marey puppet show` does. */
#include "export_file.h"
#include "json_inside.h"
#include "puppet_told.h"

static bool read_name(const asked *what, const char **name, answer *to)
{
    *name = asked_query(what, "name");
    if (*name) return true;
    answer_refuse(to, 400, "request", "name says which puppet");
    return false;
}

static marey_status tell(worker *by, const char *name, int points, answer *to, marey_error *error)
{
    puppet_sourced from = puppet_sourced_begin(&by->of->memory);
    marey_puppet *puppet = NULL;
    marey_kept *kept = NULL;
    marey_status status = puppet_open_kept(by, name, &puppet, &kept, error);
    if (status == MAREY_OK) status = puppet_sourced_kept(&from, by, name, error);
    if (status == MAREY_OK &&
        !puppet_write(name, puppet_about(kept), puppet, &from, points, NULL, &to->body))
        status = json_fail_memory(error);
    marey_kept_free(kept);
    marey_puppet_free(puppet);
    puppet_sourced_free(&from);
    return status;
}

void api_puppet(worker *by, asked *what, answer *to)
{
    const char *name = NULL;
    int points = PUPPET_POINTS;
    marey_error error;
    if (!read_name(what, &name, to) ||
        !api_query_whole(what, "points", 1, LIMIT_PUPPET_POINTS, &points, to))
        return;
    if (tell(by, name, points, to, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    to->status = 200;
    to->type = "application/json";
}

/* ---- as files ----------------------------------------------------------------------------------- */

static void answer_file(const char *name, const char *ending, const char *type, const void *data,
                        size_t count, answer *to)
{
    to->status = 200;
    to->type = type;
    export_file_name(name, ending, to->file_name, sizeof to->file_name);
    bytes_add(&to->body, data, count);
    if (to->body.failed) api_fail_memory(to);
}

static marey_status write_file(worker *by, const marey_puppet *puppet, const char *name,
                               const puppet_sourced *from, answer *to, marey_error *error)
{
    uint8_t *data = NULL;
    size_t count = 0, room = (size_t)from->count * sizeof(marey_puppet_source);
    marey_puppet_source *sources = puppet_sourced_list(from);
    if (room > 0 && !sources) return json_fail_memory(error);
    marey_status status =
        marey_puppet_write_from(puppet, sources, from->count, &data, &count, error);
    heap_resize(&by->of->memory, sources, room, 0);
    if (status != MAREY_OK) return status;
    answer_file(name, "puppet", "application/octet-stream", data, count, to);
    marey_graph_bytes_free(by->ctx, data, count);
    return MAREY_OK;
}

/* Not the bytes that are kept: the licences of its clips go with it, as they are now. */
void api_puppet_file(worker *by, asked *what, answer *to)
{
    puppet_sourced from = puppet_sourced_begin(&by->of->memory);
    const char *name = NULL;
    marey_puppet *puppet = NULL;
    marey_error error;
    if (!read_name(what, &name, to)) return;
    marey_status status = puppet_open_kept(by, name, &puppet, NULL, &error);
    if (status == MAREY_OK) status = puppet_sourced_kept(&from, by, name, &error);
    if (status == MAREY_OK) status = write_file(by, puppet, name, &from, to, &error);
    if (status != MAREY_OK) answer_fail(to, &error);
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

static marey_status write_table(worker *by, const marey_puppet *puppet, const char *name,
                                answer *to, marey_error *error)
{
    int count = marey_puppet_samples(puppet);
    size_t room = (size_t)count * sizeof(marey_puppet_sample), size = 0;
    marey_puppet_sample *samples = heap_resize(&by->of->memory, NULL, 0, room);
    uint8_t *text = NULL;
    if (!samples) return json_fail_memory(error);
    list_samples(puppet, samples);
    marey_status status = marey_paths_write(by->ctx, samples, count, true, &text, &size, error);
    heap_resize(&by->of->memory, samples, room, 0);
    if (status != MAREY_OK) return status;
    answer_file(name, "csv", "text/csv; charset=utf-8", text, size, to);
    marey_graph_bytes_free(by->ctx, text, size);
    return MAREY_OK;
}

void api_puppet_csv(worker *by, asked *what, answer *to)
{
    const char *name = NULL;
    marey_puppet *puppet = NULL;
    marey_error error;
    if (!read_name(what, &name, to)) return;
    marey_status status = puppet_open_kept(by, name, &puppet, NULL, &error);
    if (status == MAREY_OK) status = write_table(by, puppet, name, to, &error);
    if (status != MAREY_OK) answer_fail(to, &error);
    marey_puppet_free(puppet);
}
