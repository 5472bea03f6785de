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
                        const puppet_sourced *from, answer *to)
{
    int count = 0;
    const marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    json_t *head = describe_played(played, from);
    bool whole = bytes_add_json(&to->body, head);
    json_decref(head);
    if (whole) {
        to->body.count--; /* the brace */
        provenance_text(&to->body, ",\"rows\":[");
        for (int i = 0; i < count; i++) {
            if (i > 0) bytes_add(&to->body, ",", 1);
            puppet_write_row(&to->body, &samples[i]);
        }
        provenance_text(&to->body, "]}");
    }
    to->status = 200;
    to->type = "application/json";
    if (!whole || to->body.failed) api_fail_memory(to);
}

static void answer_table(worker *by, const puppet_asked *of, answer *to)
{
    int count = 0;
    const marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    uint8_t *text = NULL;
    size_t size = 0;
    marey_error error;
    if (marey_paths_write(by->ctx, samples, count, true, &text, &size, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    to->status = 200;
    to->type = "text/csv; charset=utf-8";
    export_file_name(of->puppet, "csv", to->file_name, sizeof to->file_name);
    bytes_add(&to->body, text, size);
    if (to->body.failed) api_fail_memory(to);
    marey_graph_bytes_free(by->ctx, text, size);
}

static marey_status play(worker *by, puppet_asked *of, marey_played *played, puppet_sourced *from,
                         marey_error *error)
{
    marey_puppet *puppet = NULL;
    int count = 0;
    marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    marey_status status = puppet_open_kept(by, of->puppet, &puppet, NULL, error);
    if (status == MAREY_OK) status = puppet_sourced_kept(from, by, of->puppet, error);
    if (status == MAREY_OK) status = puppet_check_work(of, puppet, 1, error);
    if (status == MAREY_OK)
        status = marey_puppet_play(by->ctx, puppet, samples, count, &of->def, played, error);
    marey_puppet_free(puppet);
    return status;
}

/* ---- the address ---------------------------------------------------------------------------------- */

void api_puppet_run(worker *by, asked *what, answer *to)
{
    const char *as = asked_query(what, "as");
    puppet_asked body;
    marey_played played;
    marey_error error;
    if (as && strcmp(as, "csv") != 0 && strcmp(as, "json") != 0) {
        answer_refuse(to, 400, "request", "as is csv or json");
        return;
    }
    if (puppet_asked_read(&body, &by->of->memory, what->body, what->body_count, &error) !=
        MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    if (body.name[0]) {
        puppet_run_body_start(by, &body, to);
        return;
    }
    puppet_sourced from = puppet_sourced_begin(&by->of->memory);
    if (play(by, &body, &played, &from, &error) != MAREY_OK)
        answer_fail(to, &error);
    else if (as && strcmp(as, "csv") == 0)
        answer_table(by, &body, to);
    else
        answer_rows(&body, &played, &from, to);
    puppet_sourced_free(&from);
    puppet_asked_free(&body);
}
