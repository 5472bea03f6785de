/* made_export.c - made motion as a file that is not put into the library, with its provenance. */
#include "made_export.h"

#include "cluster_kept.h"
#include "export_file.h"
#include "job_start.h"

#include <string.h>

typedef struct made_job {
    made_by_body make;
    const char *verb;
    char path[API_NAME_ROOM + 8]; /* whose ending says the format */
    size_t count;
    uint8_t body[]; /* as it came */
} made_job;

static marey_status save(studio_worker *worker, const made_answer *all, const char *path,
                         marey_error *error)
{
    studio_bytes text = { .memory = &worker->of->memory };
    marey_status status = made_of_write(worker, &all->from, &text, NULL, error);
    if (status == MAREY_OK)
        status = marey_clip_save_with(all->made.clip, path, (const char *)text.data, error);
    bytes_free(&text);
    return status;
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    const made_job *of = job_planned(user);
    made_answer all = made_answer_begin(worker, of->verb);
    memory_files_clear(worker->files);
    marey_status status = of->make(worker, of->body, of->count, &all, error);
    if (status == MAREY_OK) status = save(worker, &all, of->path, error);
    made_answer_free(&all);
    cluster_let_go(worker); /* whose name was noted */
    if (status == MAREY_OK) status = export_file_keep(worker, of->path, result, error);
    memory_files_clear(worker->files);
    return status;
}

void made_export_start(studio_worker *worker, made_by_body make, const char *verb, const char *name,
                       const char *format, const studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    size_t room = sizeof(made_job) + request->body_count;
    if (strcmp(format, "bvh") != 0 && strcmp(format, "glb") != 0) {
        answer_refuse(response, 400, "request", "format is bvh or glb");
        return;
    }
    made_job *planned = heap_resize(memory, NULL, 0, room);
    if (!planned) {
        api_fail_memory(response);
        return;
    }
    *planned = (made_job){ .make = make, .verb = verb, .count = request->body_count };
    export_file_name(name, format, planned->path, sizeof planned->path);
    memcpy(planned->body, request->body, request->body_count);
    job_start_copy(worker, "export", run_job, planned, room, response);
    heap_resize(memory, planned, room, 0);
}
