/* api_example_make.c - what was found for a sketch as one clip: a path through several clips, or one clip's own. What
   `marey example -o` does, with the same provenance. */
#include "example_run.h"
#include "made_export.h"
#include "made_pieces.h"

#include <stdio.h>
#include <string.h>

typedef struct example_making {
    example_run run;
    const example_body *body;
    const marey_example_path *path;
    studio_bytes ids;    /* of the clips in it, in the order they come */
    studio_bytes pieces; /* of marey_piece */
    marey_parts *parts;
    made_pieces row;
} example_making;

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* NULL: there is none of that number. */
static const marey_example_path *path_at(const example_making *all, int number)
{
    int count, clips;
    const marey_example_path *paths = marey_example_paths(all->run.found, &count);
    const marey_example_clip *own = marey_example_clips(all->run.found, &clips);
    for (int i = 0; i < clips && all->body->of > 0 && number == 0; i++) {
        if (all->run.set.clips[own[i].clip].id == all->body->of) return &own[i].path;
    }
    return all->body->of == 0 && number < count ? &paths[number] : NULL;
}

static marey_status fail_no_path(const example_making *all, marey_error *error)
{
    int count;
    marey_example_paths(all->run.found, &count);
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message,
             all->body->of > 0 ? "this clip has no path of its own for the query"
                               : "the query has only %d paths",
             count);
    return MAREY_ERR_REQUEST;
}

/* Each clip once: the first one's bones are what the motion is made on. */
static marey_status load_parts(example_making *all, int count, marey_error *error)
{
    all->ids.count = 0;
    for (int i = 0; i < count; i++) {
        int64_t id = all->run.set.clips[all->path->parts[i].clip].id;
        const int64_t *known = (const int64_t *)(const void *)all->ids.data;
        size_t used = all->ids.count / sizeof id, k = 0;
        while (k < used && known[k] != id) k++;
        if (k == used) bytes_add(&all->ids, &id, sizeof id);
    }
    if (all->ids.failed) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    return marey_library_captured_parts(
        all->run.by->library, (const int64_t *)(const void *)all->ids.data,
        (int)(all->ids.count / sizeof(int64_t)), &all->parts, error);
}

/* The best path may go through clips with different joints, of which none can be made: unless a certain one was asked for it is
   the next one, as for the command. */
static marey_status choose_path(example_making *all, int count, marey_error *error)
{
    bool any = all->body->of == 0 && !json_object_get(all->body->root, "path");
    marey_status status = MAREY_ERR_SHAPE;
    for (int i = all->body->path; status == MAREY_ERR_SHAPE; i++) {
        const marey_example_path *path = path_at(all, i);
        if (!path) return i == all->body->path ? fail_no_path(all, error) : status;
        all->path = path;
        status = load_parts(all, count, error);
        if (!any) break;
    }
    return status;
}

/* Fragments have no marked frames, so each is inside one stretch of its clip. */
static int stretch_with(const marey_parts *parts, int64_t clip, const marey_fragment *at)
{
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        if (part->clip == clip && at->start >= part->start && at->end <= part->end) return i;
    }
    return -1;
}

/* What is made has two frames of each piece at least. */
static double seconds_for(const example_making *all, const marey_fragment *fragment)
{
    double least = 2.5 / marey_clip_fps(all->parts->clips[0]);
    double seconds = (fragment->end - fragment->start) / all->run.query.fps;
    return seconds > least ? seconds : least;
}

static marey_status line_up(example_making *all, int count, marey_error *error)
{
    const marey_fragment *wanted = marey_example_fragments(all->run.found, &count);
    for (int i = 0; i < count; i++) {
        const marey_example_part *part = &all->path->parts[i];
        int64_t id = all->run.set.clips[part->clip].id;
        int clip = stretch_with(all->parts, id, &part->at);
        if (clip < 0) return fail(error, MAREY_ERR_INPUT, "a clip has changed meanwhile");
        double start = all->parts->parts[clip].start;
        marey_piece one = { .clip = clip,
                            .start = part->at.start - start,
                            .end = part->at.end - start };
        if (!all->body->own_pace) one.seconds = seconds_for(all, &wanted[i]);
        bytes_add(&all->pieces, &one, sizeof one);
    }
    return all->pieces.failed ? fail(error, MAREY_ERR_MEMORY, "out of memory") : MAREY_OK;
}

/* ---- where it comes from ------------------------------------------------------------------------ */

static void note_list(const char *option, studio_bytes *text, made_of *from)
{
    bytes_add(text, "", 1);
    if (text->failed)
        from->settings.failed = 1;
    else
        made_of_text(from, option, (const char *)text->data);
    bytes_free(text);
}

static void note_dofs(const example_body *body, made_of *from)
{
    studio_bytes text = { .memory = from->settings.memory };
    for (int i = 0; i < body->dof_count; i++) {
        if (i > 0) bytes_add(&text, ",", 1);
        bytes_add(&text, body->dof_texts[i], strlen(body->dof_texts[i]));
    }
    note_list("dof", &text, from);
}

/* Where it was looked for; a clip's own path is the best one in that clip. */
static void note_clips(const example_set *set, int64_t only, made_of *from)
{
    studio_bytes text = { .memory = from->settings.memory };
    for (int i = 0; i < set->clip_count; i++) {
        if (only > 0 && set->clips[i].id != only) continue;
        if (text.count > 0) bytes_add(&text, ",", 1);
        bytes_add(&text, set->clips[i].name, strlen(set->clips[i].name));
    }
    note_list("in", &text, from);
}

static void note(const example_making *all, made_of *from)
{
    const example_body *body = all->body;
    char number[NUMBER_ROOM];
    if (body->clip == 0) made_of_text(from, "query", "drawn");
    note_dofs(body, from);
    if (body->k > 0) made_of_whole(from, "k", body->k);
    if (body->best > 0) made_of_whole(from, "best", body->best);
    if (body->noise != 0) {
        number_text(body->noise < 0 ? 0 : body->noise, number);
        made_of_text(from, "noise", number);
    }
    if (body->shape) made_of_true(from, "shape");
    if (body->label) made_of_text(from, "label", body->label);
    if (body->clip_count > 0 || body->of > 0) note_clips(&all->run.set, body->of, from);
    if (body->others) made_of_true(from, "others");
    if (body->path > 0) made_of_whole(from, "path", body->path);
    if (body->own_pace) made_of_true(from, "own-pace");
    if (body->rough) made_of_true(from, "rough");
    if (!body->clean) made_of_true(from, "leave-feet");
}

/* ---- making it ---------------------------------------------------------------------------------- */

static example_making begin(studio_worker *worker, const example_body *body)
{
    heap *memory = &worker->of->memory;
    return (example_making){ .run = example_run_begin(worker, body),
                             .body = body,
                             .ids = { .memory = memory },
                             .pieces = { .memory = memory } };
}

static void let_go(example_making *all)
{
    marey_parts_free(all->parts);
    bytes_free(&all->pieces);
    bytes_free(&all->ids);
    example_run_free(&all->run);
}

static marey_status make(example_making *all, made_answer *out, marey_error *error)
{
    int count;
    marey_status status = example_run_find(&all->run, error);
    if (status != MAREY_OK) return status;
    marey_example_fragments(all->run.found, &count);
    status = choose_path(all, count, error);
    if (status == MAREY_OK) status = line_up(all, count, error);
    if (status != MAREY_OK) return status;
    all->row = (made_pieces){ .by = all->run.by,
                              .parts = all->parts,
                              .pieces = (const marey_piece *)(const void *)all->pieces.data,
                              .count = count,
                              .clean = all->body->clean,
                              .rough = all->body->rough };
    status = made_pieces_make(&all->row, out, error);
    if (status == MAREY_OK) note(all, &out->from);
    return status;
}

static marey_status make_by_body(studio_worker *worker, const uint8_t *data, size_t count,
                                 made_answer *out, marey_error *error)
{
    example_body body;
    marey_status status =
        example_body_read(&body, &worker->of->memory, EXAMPLE_MAKE, data, count, error);
    if (status != MAREY_OK) return status;
    example_making all = begin(worker, &body);
    status = make(&all, out, error);
    let_go(&all);
    example_body_free(&body);
    return status;
}

static void answer_made(studio_worker *worker, const example_body *body, studio_response *response)
{
    made_answer out = made_answer_begin(worker, "example");
    example_making all = begin(worker, body);
    json_t *value = NULL;
    marey_error error;
    marey_status status = make(&all, &out, &error);
    if (status == MAREY_OK) status = made_pieces_describe(&all.row, &out, &value, &error);
    if (status == MAREY_OK) {
        describe_put(&value, "error", describe_number(all.path->error));
        describe_put(&value, "jumps", json_integer(all.path->jumps));
        made_answer_send(&out, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    let_go(&all);
    made_answer_free(&out);
}

void api_example_make(studio_worker *worker, studio_request *request, studio_response *response)
{
    example_body body;
    marey_error error;
    if (example_body_read(&body, &worker->of->memory, EXAMPLE_MAKE, request->body,
                          request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (body.format)
        made_export_start(worker, make_by_body, "example", "example", body.format, request,
                          response);
    else
        answer_made(worker, &body, response);
    example_body_free(&body);
}
