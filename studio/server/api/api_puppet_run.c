/* api_puppet_run.c - how a behaviour reacts to a whole path: as rows or a table at once, as a body that goes there by a job. What
   `marey puppet run` does. */
#include "export_file.h"
#include "json_inside.h"
#include "puppet_run_body.h"
#include "puppet_told.h"

#include "made_of.h"
#include "provenance_text.h"

#include <stdio.h>
#include <string.h>

/* ---- rows ----------------------------------------------------------------------------------------- */

static json_t *describe_played(const marey_played *played, const puppet_sourced *from)
{
    json_t *value = json_object(), *start = json_array(), *notes = json_array();
    describe_append(&start, describe_number(played->start.x_cm));
    describe_append(&start, describe_number(played->start.y_cm));
    describe_append(&start, describe_number(played->start.direction_rad));
    describe_put(&value, "steps", json_integer(played->steps));
    describe_put(&value, "balance", describe_number(played->balance));
    describe_put(&value, "changes", json_integer(played->changes));
    describe_put(&value, "start", start);
    describe_limits(from, &notes);
    describe_put(&value, "notes", notes);
    return value;
}

static void answer_rows(const puppet_asked *of, const marey_played *played,
                        const puppet_sourced *from, studio_response *response)
{
    int count = 0;
    const marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    json_t *head = describe_played(played, from);
    bool whole = bytes_add_json(&response->body, head);
    json_decref(head);
    if (whole) {
        response->body.count--; /* the brace */
        provenance_text(&response->body, ",\"rows\":[");
        for (int i = 0; i < count; i++) {
            if (i > 0) bytes_add(&response->body, ",", 1);
            puppet_write_row(&response->body, &samples[i]);
        }
        provenance_text(&response->body, "]}");
    }
    response->status = 200;
    response->type = "application/json";
    if (!whole || response->body.failed) api_fail_memory(response);
}

static void answer_table(studio_worker *worker, const puppet_asked *of, studio_response *response)
{
    int count = 0;
    const marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    uint8_t *text = NULL;
    size_t size = 0;
    marey_error error;
    if (marey_paths_write(worker->ctx, samples, count, true, &text, &size, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    response->status = 200;
    response->type = "text/csv; charset=utf-8";
    export_file_name(of->puppet, "csv", response->file_name, sizeof response->file_name);
    bytes_add(&response->body, text, size);
    if (response->body.failed) api_fail_memory(response);
    marey_graph_bytes_free(worker->ctx, text, size);
}

static marey_status play(studio_worker *worker, puppet_asked *of, marey_played *played,
                         puppet_sourced *from, marey_error *error)
{
    marey_puppet *puppet = NULL;
    int count = 0;
    marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    marey_status status = puppet_open_kept(worker, of->puppet, &puppet, NULL, error);
    if (status == MAREY_OK) status = puppet_sourced_kept(from, worker, of->puppet, error);
    if (status == MAREY_OK) status = puppet_check_work(of, puppet, 1, error);
    if (status == MAREY_OK)
        status = marey_puppet_play(worker->ctx, puppet, samples, count, &of->def, played, error);
    marey_puppet_free(puppet);
    return status;
}

/* ---- the address ---------------------------------------------------------------------------------- */

void api_puppet_run(studio_worker *worker, studio_request *request, studio_response *response)
{
    const char *as = asked_query(request, "as");
    puppet_asked body;
    marey_played played;
    marey_error error;
    if (as && strcmp(as, "csv") != 0 && strcmp(as, "json") != 0) {
        answer_refuse(response, 400, "request", "as is csv or json");
        return;
    }
    if (puppet_asked_read(&body, &worker->of->memory, request->body, request->body_count, &error) !=
        MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (body.name[0]) {
        puppet_run_body_start(worker, &body, response);
        return;
    }
    puppet_sourced from = puppet_sourced_begin(&worker->of->memory);
    if (play(worker, &body, &played, &from, &error) != MAREY_OK)
        answer_fail(response, &error);
    else if (as && strcmp(as, "csv") == 0)
        answer_table(worker, &body, response);
    else
        answer_rows(&body, &played, &from, response);
    puppet_sourced_free(&from);
    puppet_asked_free(&body);
}
