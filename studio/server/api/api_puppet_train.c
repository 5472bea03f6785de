/* api_puppet_train.c - a new behaviour for the library, or more of one, learned from demonstrations: a job. What `marey puppet train`
   does. */
#include "job_start.h"
#include "json_rows.h"
#include "puppet_gather.h"
#include "puppet_told.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct train_job {
    heap *memory;
    char name[MAREY_NAME_ROOM];
    marey_puppet_def def;
    puppet_gather gather;
} train_job;

/* ---- the job -------------------------------------------------------------------------------------- */

static marey_status keep(studio_worker *worker, const train_job *of, const marey_puppet *puppet,
                         const char *about, marey_error *error)
{
    const puppet_gather *from = &of->gather;
    const marey_part *parts = (const marey_part *)(const void *)from->parts.data;
    int count = from->sources.count;
    size_t room = (size_t)count * sizeof(marey_puppet_source);
    marey_puppet_source *sources = puppet_sourced_list(&from->sources);
    if (room > 0 && !sources) return json_fail_memory(error);
    marey_status status =
        marey_library_keep_puppet_from(worker->library, of->name, puppet, sources, count, parts,
                                       (int)(from->parts.count / sizeof *parts), about, error);
    heap_resize(of->memory, sources, room, 0);
    return status;
}

/* The result is written before the change, so that what was done can be said. */
static marey_status tell_and_keep(studio_worker *worker, train_job *of, const marey_puppet *puppet,
                                  studio_bytes *result, marey_error *error)
{
    puppet_gather *from = &of->gather;
    const char *about = from->about.count > 0 ? (const char *)from->about.data : "";
    describe_limits(&from->sources, &from->notes);
    if (!from->notes ||
        !puppet_write(of->name, about, puppet, &from->sources, 0, json_incref(from->notes), result))
        return json_fail_memory(error);
    return keep(worker, of, puppet, about, error);
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    train_job *of = user;
    marey_puppet *puppet = NULL;
    marey_status status = puppet_gather_load(&of->gather, worker, &of->def, error);
    if (status == MAREY_OK)
        status = puppet_gather_train(&of->gather, worker, &of->def, &puppet, error);
    if (status == MAREY_OK) status = tell_and_keep(worker, of, puppet, result, error);
    marey_puppet_free(puppet);
    return status;
}

static void drop_job(void *user)
{
    train_job *of = user;
    puppet_gather_free(&of->gather);
    heap_resize(of->memory, of, sizeof *of, 0);
}

/* ---- the body ------------------------------------------------------------------------------------- */

typedef struct train_fields {
    const char *name, *about;
    double rate, window_s;
    json_t *list;
} train_fields;

static marey_status take_list(void *to, json_t *value, marey_error *error)
{
    (void)error;
    ((train_fields *)to)->list = value;
    return MAREY_OK;
}

static marey_status read_fields(json_t *root, train_fields *out, marey_error *error)
{
#define AT(name) offsetof(train_fields, name)
    static const json_row rows[] = {
        { "name", "name", ROW_TEXT, true, AT(name), 0, 0, 0 },
        { "about", "about", ROW_TEXT, false, AT(about), 0, 0, 0 },
        { "rate", "rate", ROW_NUMBER, false, AT(rate), 5, 240, 0 },
        { "window_s", "window_s", ROW_NUMBER, false, AT(window_s), 0.01, 30, 0 },
        { "demonstrations", "demonstrations", ROW_OWN, true, 0, 0, 0, take_list },
    };
#undef AT
    marey_status status = json_rows(root, JSON_ROWS(rows), out, error);
    return status == MAREY_OK ? json_kept_name(out->name, "a puppet's name", error) : status;
}

/* The rate and the window go together, and what they cannot be is said before the job. */
static marey_status check_window(const train_fields *fields, marey_error *error)
{
    double rate = fields->rate > 0 ? fields->rate : MAREY_PUPPET_RATE;
    double window_s = fields->window_s > 0 ? fields->window_s : MAREY_PUPPET_WINDOW;
    double steps = window_s * rate;
    if (steps >= 3.5 && steps < MAREY_PUPPET_MOST_WINDOW + 0.5) return MAREY_OK;
    return json_refuse(error, "a window of %g s is not 4 to %d steps at %g a second", window_s,
                       MAREY_PUPPET_MOST_WINDOW, rate);
}

static marey_status read_body(studio_worker *worker, const studio_request *request, train_job *of,
                              marey_error *error)
{
    train_fields fields = { 0 };
    json_t *root = NULL;
    marey_status status = json_parse(request->body, request->body_count, &root, error);
    if (status == MAREY_OK) status = read_fields(root, &fields, error);
    if (status == MAREY_OK) status = check_window(&fields, error);
    if (status == MAREY_OK) status = puppet_gather_read(&of->gather, worker, fields.list, error);
    if (status == MAREY_OK) {
        of->def = (marey_puppet_def){ .rate = fields.rate, .window_s = fields.window_s };
        snprintf(of->name, sizeof of->name, "%s", fields.name);
    }
    if (status == MAREY_OK && fields.about) {
        of->gather.about.count = 0;
        bytes_add(&of->gather.about, fields.about, strlen(fields.about) + 1);
        if (of->gather.about.failed) status = json_fail_memory(error);
    }
    json_decref(root);
    return status;
}

void api_puppet_train(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 409, "request",
                      "the library can only be read, so no puppet can be kept");
        return;
    }
    train_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (!of) {
        api_fail_memory(response);
        return;
    }
    *of = (train_job){ .memory = memory };
    marey_status status = puppet_gather_begin(&of->gather, memory)
                              ? read_body(worker, request, of, &error)
                              : json_fail_memory(&error);
    if (status == MAREY_OK) {
        job_start(worker, &(job_def){ "puppet", run_job, drop_job, of }, response);
        return;
    }
    answer_fail(response, &error);
    drop_job(of);
}
