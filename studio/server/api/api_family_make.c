/* api_family_make.c - motions of a family that do what is asked for: to be looked at, for the library, or as a file. What
   `marey param make` does, with the same provenance. */
#include "export_file.h"
#include "family_kept.h"
#include "job_start.h"
#include "made_answer.h"
#include "provenance_text.h"

#include <stdio.h>
#include <string.h>

/* ---- where it comes from ------------------------------------------------------------------------ */

static void note(made_of *from, const struct family_kept *of, const member_body *body,
                 const marey_answer *member)
{
    char at[MAREY_MOST_PARAM_DIMS * NUMBER_ROOM] = "";
    size_t used = 0;
    from->family = of->name;
    for (int i = 0; i < member->count; i++) {
        const marey_part *part = &of->parts->parts[member->motions[i]];
        made_of_share(from, part->clip, part->start, part->end, member->weights[i]);
    }
    for (int i = 0; i < body->at_count; i++) {
        char text[NUMBER_ROOM];
        number_text(body->at[i], text);
        used += (size_t)snprintf(at + used, sizeof at - used, i > 0 ? ",%s" : "%s", text);
    }
    made_of_text(from, "at", at);
    if (body->table) made_of_true(from, "table");
    if (!body->clean) made_of_true(from, "no-clean");
}

/* ---- asking ------------------------------------------------------------------------------------- */

static void answer_member(studio_worker *worker, struct family_kept *of, const member_body *body,
                          studio_response *response)
{
    made_answer all = made_answer_begin(worker, "param make");
    marey_answer member;
    marey_error error;
    json_t *value = NULL;
    all.cleaned = body->clean;
    marey_status status = family_member(worker, of, body, &all.made, &member, &error);
    if (status == MAREY_OK) {
        all.end = marey_clip_frames(all.made.clip);
        status = family_speeds(worker, of, &member, &all.inputs, &error);
    }
    if (status == MAREY_OK) status = made_answer_describe(&all, &value, &error);
    if (status == MAREY_OK) {
        status = describe_member(of, body, &all.made, &member, &value, &error);
        if (status != MAREY_OK) json_decref(value);
    }
    if (status == MAREY_OK) {
        if (body->name) note(&all.from, of, body, &member);
        made_answer_send(&all, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    made_answer_free(&all);
}

void api_family_ask(studio_worker *worker, studio_request *request, studio_response *response)
{
    struct family_kept *of = NULL;
    member_body body;
    marey_error error;
    if (member_body_read(&body, false, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (family_open(worker, body.family, &of, &error) == MAREY_OK) {
        answer_member(worker, of, &body, response);
    } else {
        answer_fail(response, &error);
    }
    family_let_go(worker);
    member_body_free(&body);
}

/* ---- as a file ---------------------------------------------------------------------------------- */

typedef struct member_job {
    const char *format; /* and ending; lives forever */
    char family[MAREY_NAME_ROOM];
    member_body body; /* its texts are not used */
} member_job;

static marey_status save(studio_worker *worker, const struct family_kept *of,
                         const member_job *of_file, const char *path, marey_error *error)
{
    marey_made made = { 0 };
    marey_answer member;
    made_of from = made_of_begin(worker, "param make");
    studio_bytes text = { .memory = &worker->of->memory };
    marey_status status = family_member(worker, of, &of_file->body, &made, &member, error);
    if (status == MAREY_OK) {
        note(&from, of, &of_file->body, &member);
        status = made_of_write(worker, &from, &text, NULL, error);
    }
    if (status == MAREY_OK) {
        status = marey_clip_save_with(made.clip, path, (const char *)text.data, error);
    }
    bytes_free(&text);
    made_of_free(&from);
    marey_made_free(&made);
    return status;
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    const member_job *of_file = job_planned(user);
    struct family_kept *of = NULL;
    char path[API_NAME_ROOM + 8];
    export_file_name(of_file->family, of_file->format, path, sizeof path);
    memory_files_clear(worker->files);
    marey_status status = family_open(worker, of_file->family, &of, error);
    if (status == MAREY_OK) status = save(worker, of, of_file, path, error);
    worker_forget_family(worker); /* the jobs' own worker is seldom asked again */
    if (status == MAREY_OK) status = export_file_keep(worker, path, result, error);
    memory_files_clear(worker->files);
    return status;
}

/* Refuses what cannot be before a job is made of it. */
static bool plan(studio_worker *worker, const member_body *body, member_job *out,
                 studio_response *response)
{
    static const char *const formats[] = { "bvh", "glb" };
    struct family_kept *of = NULL;
    marey_error error;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i], body->format) == 0) out->format = formats[i];
    }
    if (!out->format) {
        answer_refuse(response, 400, "request", "format is bvh or glb");
        return false;
    }
    if (family_open(worker, body->family, &of, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    if (body->at_count != marey_family_dims(of->family)) {
        answer_refuse(response, 400, "request", "at needs %d numbers for this family, and has %d",
                      marey_family_dims(of->family), body->at_count);
        return false;
    }
    memcpy(out->family, of->name, sizeof out->family);
    out->body = *body;
    return true;
}

void api_family_export(studio_worker *worker, studio_request *request, studio_response *response)
{
    member_job planned = { .format = NULL };
    member_body body;
    marey_error error;
    if (member_body_read(&body, true, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    bool can_be = plan(worker, &body, &planned, response);
    family_let_go(worker);
    if (can_be) job_start_copy(worker, "export", run_job, &planned, sizeof planned, response);
    member_body_free(&body);
}
