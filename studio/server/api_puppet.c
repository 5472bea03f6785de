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

void api_puppet(worker *by, asked *what, answer *to)
{
    const char *name = NULL;
    int points = PUPPET_POINTS;
    marey_puppet *puppet = NULL;
    marey_kept *kept = NULL;
    marey_error error;
    if (!read_name(what, &name, to) ||
        !api_query_whole(what, "points", 1, LIMIT_PUPPET_POINTS, &points, to))
        return;
    if (puppet_open_kept(by, name, &puppet, &kept, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    to->status = 200;
    to->type = "application/json";
    if (!puppet_write(&by->of->memory, name, puppet_about(kept), puppet, points, NULL, &to->body))
        api_fail_memory(to);
    marey_kept_free(kept);
    marey_puppet_free(puppet);
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

/* Opened too, so that what is damaged is not handed out. */
void api_puppet_file(worker *by, asked *what, answer *to)
{
    const char *name = NULL;
    marey_puppet *puppet = NULL;
    marey_kept *kept = NULL;
    marey_error error;
    size_t count = 0;
    if (!read_name(what, &name, to)) return;
    if (puppet_open_kept(by, name, &puppet, &kept, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    const void *data = marey_kept_bytes(kept, &count);
    answer_file(name, "puppet", "application/octet-stream", data, count, to);
    marey_kept_free(kept);
    marey_puppet_free(puppet);
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
