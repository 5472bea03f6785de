/* example_run.c - a sketch, or a part of a clip, against the fragments of the library. */
#include "example_run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

example_run example_run_begin(studio_worker *worker, const example_body *body)
{
    return (example_run){ .by = worker, .body = body, .values = { .memory = &worker->of->memory } };
}

void example_run_free(example_run *all)
{
    marey_example_found_free(all->found);
    if (all->set.kept) example_store_leave(all->by, &all->set);
    bytes_free(&all->values);
    *all = (example_run){ .by = all->by };
}

static marey_status refuse_frames(const example_body *body, int end, int frames, marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    bool long_one = body->start < end && end <= frames;
    if (long_one) error->status = MAREY_ERR_LIMIT;
    snprintf(error->message, sizeof error->message,
             long_one ? "the query has %d frames, and %d are the most"
                      : "frames %d-%d are not in the clip, which has 0-%d",
             long_one ? end - body->start : body->start, long_one ? LIMIT_EXAMPLE_FRAMES : end,
             frames);
    return error->status;
}

/* Signals are of whole clips: unwrapping goes from the first frame on. */
static marey_status read_clip(example_run *all, marey_error *error)
{
    const example_body *body = all->body;
    const marey_clip *clip = NULL;
    marey_status status = worker_clip(all->by, body->clip, &clip, error);
    if (status != MAREY_OK) return status;
    int frames = marey_clip_frames(clip), end = body->end < 0 ? frames : body->end;
    int count = end - body->start;
    if (count < 1 || end > frames || count > LIMIT_EXAMPLE_FRAMES)
        return refuse_frames(body, end, frames, error);
    size_t row = (size_t)count * sizeof(double), whole = (size_t)frames * sizeof(double);
    uint8_t *room = bytes_extend(&all->values, (size_t)body->dof_count * row + whole);
    if (!room) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    double *values = (double *)(void *)(room + whole), *signal = (double *)(void *)room;
    for (int i = 0; i < body->dof_count && status == MAREY_OK; i++) {
        status = marey_clip_signal(clip, &body->dofs[i], signal, error);
        if (status == MAREY_OK)
            memcpy(values + (size_t)i * (size_t)count, signal + body->start, row);
    }
    all->first = body->start;
    all->query =
        (marey_example_query){ .samples = count, .fps = marey_clip_fps(clip), .values = values };
    snprintf(all->query_name, sizeof all->query_name, "%s", marey_clip_name(clip));
    return status;
}

marey_status example_run_find(example_run *all, marey_error *error)
{
    const example_body *body = all->body;
    example_wish wish = { .dofs = body->dofs,
                          .dof_count = body->dof_count,
                          .def = { .noise = body->noise, .shape = body->shape },
                          .label = body->label,
                          .clips = body->clips,
                          .clip_count = body->clip_count,
                          .without = body->others ? body->clip : 0 };
    marey_example_find_def def = { .k = body->k, .best = body->best };
    marey_status status = MAREY_OK;
    all->query =
        (marey_example_query){ .samples = body->samples, .fps = body->fps, .values = body->values };
    if (body->clip > 0) status = read_clip(all, error);
    if (status == MAREY_OK) status = example_store_use(all->by, &wish, &all->set, error);
    if (status != MAREY_OK) return status;
    double start = seconds_now();
    status =
        marey_examples_find(all->by->ctx, all->set.examples, &all->query, &def, &all->found, error);
    all->seconds = seconds_now() - start;
    return status;
}
