/* api_export.c - clips to files for others: jobs. The bytes are those that the program writes by
   `marey convert -L LIB NAME#a-b NAME.bvh` and `marey render -L LIB NAME#a-b -o NAME.png`. */
#include "export_file.h"
#include "export_provenance.h"
#include "job_start.h"

#include <stdio.h>
#include <string.h>

typedef struct export_job {
    const struct export_format *format;
    int64_t clip;
    bool whole;
    int start, end; /* unless it is the whole clip */
} export_job;

/* A clip on its way out. */
typedef struct outgoing {
    studio_worker *by;
    const export_job *of;
    char name[API_NAME_ROOM];
    char path[API_NAME_ROOM + 8];
    const marey_clip *clip; /* the frames that were asked for */
    int start, end;         /* which these are */
} outgoing;

/* ---- formats ------------------------------------------------------------------------------------ */

static marey_status save_motion(const outgoing *to, marey_error *error)
{
    studio_bytes made_of = { .memory = &to->by->of->memory };
    marey_status status =
        provenance_of_export(to->by->library, to->of->clip, to->start, to->end, &made_of, error);
    if (status == MAREY_OK) {
        status = marey_clip_save_with(to->clip, to->path, (const char *)made_of.data, error);
    }
    bytes_free(&made_of);
    return status;
}

static marey_status save_video(const outgoing *to, marey_error *error)
{
    return marey_video_save(to->clip, NULL, to->path, error);
}

/* A part of a clip says which; a whole one is called by its name. */
static marey_status save_picture(const outgoing *to, marey_error *error)
{
    char title[API_NAME_ROOM + 32];
    feet_kept feet;
    marey_status status =
        feet_find(to->by, to->of->clip, to->clip, to->start, to->end, &feet, error);
    if (status != MAREY_OK) return status;
    snprintf(title, sizeof title, "%s#%d-%d", to->name, to->start, to->end);
    marey_strip_def def = { .contacts = feet.items,
                            .contact_count = feet.count,
                            .title = to->of->whole ? NULL : title };
    status = marey_strip_save(to->clip, &def, to->path, error);
    feet_free(&feet);
    return status;
}

typedef struct export_format {
    const char *name; /* and ending */
    marey_status (*save)(const outgoing *to, marey_error *error);
} export_format;

static const export_format formats[] = {
    { "bvh", save_motion },
    { "glb", save_motion },
    { "mp4", save_video },
    { "png", save_picture },
};

static const export_format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    }
    return NULL;
}

/* ---- the job ------------------------------------------------------------------------------------ */

static marey_status save_and_keep(outgoing *to, studio_bytes *result, marey_error *error)
{
    const export_format *format = to->of->format;
    export_file_name(to->name, format->name, to->path, sizeof to->path);
    memory_files_clear(to->by->files);
    marey_status status = format->save(to, error);
    if (status != MAREY_OK) return status;
    return export_file_keep(to->by, to->path, result, error);
}

/* Read anew, not from the worker's kept clips: a file of motion carries the name that the clip has now. */
static marey_status run_export(studio_worker *worker, void *user, studio_bytes *result,
                               marey_error *error)
{
    const export_job *of = job_planned(user);
    outgoing to = { .by = worker, .of = of };
    marey_clip *whole = NULL, *part = NULL;
    char text[API_NUMBER_ROOM];
    marey_status status =
        marey_library_load(worker->library, api_number(of->clip, text), &whole, error);
    if (status == MAREY_OK) snprintf(to.name, sizeof to.name, "%s", marey_clip_name(whole));
    if (status == MAREY_OK && !of->whole) {
        status = marey_clip_trim(whole, of->start, of->end, &part, error);
    }
    if (status == MAREY_OK) {
        to.clip = of->whole ? whole : part;
        to.start = of->whole ? 0 : of->start;
        to.end = of->whole ? marey_clip_frames(whole) : of->end;
        status = save_and_keep(&to, result, error);
    }
    marey_clip_free(part);
    marey_clip_free(whole);
    memory_files_clear(worker->files);
    return status;
}

/* ---- asking for it ------------------------------------------------------------------------------ */

/* Fills what is to be done, or refuses what cannot be before a job is made of it. */
static bool plan(studio_worker *worker, const json_body *body, export_job *out,
                 studio_response *response)
{
    const marey_clip *clip = NULL;
    out->format = find_format(body->format);
    if (!out->format) {
        answer_refuse(response, 400, "request", "format is bvh, glb, mp4 or png");
        return false;
    }
    if (!api_open(worker, body->clip, &clip, response)) return false;
    out->clip = body->clip;
    out->whole = !(body->given & (FIELD_START | FIELD_END));
    out->start = body->start;
    out->end = body->given & FIELD_END ? body->end : marey_clip_frames(clip);
    return api_check_range(out->start, out->end, marey_clip_frames(clip), response);
}

void api_export(studio_worker *worker, studio_request *request, studio_response *response)
{
    export_job planned = { .format = NULL };
    json_body body;
    if (!api_body(worker, request, FIELD_CLIP | FIELD_FORMAT, FIELD_START | FIELD_END, &body,
                  response))
        return;
    bool can_be = plan(worker, &body, &planned, response);
    json_body_free(&body);
    if (can_be) job_start_copy(worker, "export", run_export, &planned, sizeof planned, response);
}
