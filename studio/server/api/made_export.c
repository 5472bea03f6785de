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

static marey_status save(worker *by, const made_answer *all, const char *path, marey_error *error)
{
    bytes text = { .memory = &by->of->memory };
    marey_status status = made_of_write(by, &all->from, &text, NULL, error);
    if (status == MAREY_OK)
        status = marey_clip_save_with(all->made.clip, path, (const char *)text.data, error);
    bytes_free(&text);
    return status;
}

static marey_status run_job(worker *by, void *user, bytes *result, marey_error *error)
{
    const made_job *of = job_planned(user);
    made_answer all = made_answer_begin(by, NULL, of->verb);
    memory_files_clear(by->files);
    marey_status status = of->make(by, of->body, of->count, &all, error);
    if (status == MAREY_OK) status = save(by, &all, of->path, error);
    made_answer_free(&all);
    cluster_let_go(by); /* whose name was noted */
    if (status == MAREY_OK) status = export_file_keep(by, of->path, result, error);
    memory_files_clear(by->files);
    return status;
}

void made_export_start(worker *by, made_by_body make, const char *verb, const char *name,
                       const char *format, const asked *what, answer *to)
{
    heap *memory = &by->of->memory;
    size_t room = sizeof(made_job) + what->body_count;
    if (strcmp(format, "bvh") != 0 && strcmp(format, "glb") != 0) {
        answer_refuse(to, 400, "request", "format is bvh or glb");
        return;
    }
    made_job *planned = heap_resize(memory, NULL, 0, room);
    if (!planned) {
        api_fail_memory(to);
        return;
    }
    *planned = (made_job){ .make = make, .verb = verb, .count = what->body_count };
    export_file_name(name, format, planned->path, sizeof planned->path);
    memcpy(planned->body, what->body, what->body_count);
    job_start_copy(by, "export", run_job, planned, room, to);
    heap_resize(memory, planned, room, 0);
}
