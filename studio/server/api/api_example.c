/* api_example.c - clips that do what somebody drew. What `marey example` does. */
#include "example_run.h"
#include "json_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct telling {
    const example_run *of;
    json_list list;
    studio_bytes named; /* a byte for each clip: its name is needed */
} telling;

static json_t *describe_part(const telling *all, const marey_example_part *part)
{
    json_t *one = json_object();
    all->named.data[part->clip] = 1;
    describe_put(&one, "clip", json_integer(all->of->set.clips[part->clip].id));
    describe_put(&one, "start", describe_number(part->at.start));
    describe_put(&one, "end", describe_number(part->at.end));
    describe_put(&one, "rising", json_boolean(part->at.rising));
    describe_put(&one, "fragment", json_integer(part->fragment));
    describe_put(&one, "error", describe_number(part->error));
    return one;
}

static void put_path(const telling *all, const marey_example_path *path, json_t **to)
{
    json_t *parts = json_array();
    int count;
    marey_example_fragments(all->of->found, &count);
    for (int i = 0; i < count; i++) describe_append(&parts, describe_part(all, &path->parts[i]));
    describe_put(to, "error", describe_number(path->error));
    describe_put(to, "jumps", json_integer(path->jumps));
    describe_put(to, "parts", parts);
}

static void write_fragments(telling *all)
{
    int count;
    const marey_fragment *fragments = marey_example_fragments(all->of->found, &count);
    json_list_begin(&all->list, "fragments");
    for (int i = 0; i < count && json_list_goes_on(&all->list); i++) {
        json_t *one = json_object();
        describe_put(&one, "start", describe_number(all->of->first + fragments[i].start));
        describe_put(&one, "end", describe_number(all->of->first + fragments[i].end));
        describe_put(&one, "rising", json_boolean(fragments[i].rising));
        json_list_add(&all->list, i == 0, one);
    }
    json_list_end(&all->list);
}

static void write_paths(telling *all)
{
    int count;
    const marey_example_path *paths = marey_example_paths(all->of->found, &count);
    json_list_begin(&all->list, "paths");
    for (int i = 0; i < count && json_list_goes_on(&all->list); i++) {
        json_t *one = json_object();
        put_path(all, &paths[i], &one);
        json_list_add(&all->list, i == 0, one);
    }
    json_list_end(&all->list);
}

static void write_clips(telling *all)
{
    heap *memory = all->named.memory;
    int count, limit = all->of->body->limit;
    const marey_example_clip *clips = marey_example_clips(all->of->found, &count);
    json_list_begin(&all->list, "clips");
    for (int i = 0; i < count && i < limit && json_list_goes_on(&all->list); i++) {
        const marey_named *clip = &all->of->set.clips[clips[i].clip];
        json_t *one = json_object();
        describe_put(&one, "clip", json_integer(clip->id));
        describe_put(&one, "name", describe_text(memory, clip->name));
        put_path(all, &clips[i].path, &one);
        json_list_add(&all->list, i == 0, one);
    }
    json_list_end(&all->list);
}

static void write_names(telling *all)
{
    json_t *names = json_object();
    for (int i = 0; i < all->of->set.clip_count; i++) {
        const marey_named *clip = &all->of->set.clips[i];
        char number[32];
        if (!all->named.data[i]) continue;
        snprintf(number, sizeof number, "%" PRId64, clip->id);
        describe_put(&names, number, describe_text(all->named.memory, clip->name));
    }
    json_list_put(&all->list, "names", names);
}

static json_t *describe_run(const example_run *of)
{
    const example_body *body = of->body;
    const example_set *set = &of->set;
    json_t *value = json_object(), *dofs = json_array();
    int clips, left_out = marey_examples_left_out(set->examples);
    marey_example_clips(of->found, &clips);
    for (int i = 0; i < body->dof_count; i++)
        describe_append(&dofs, json_string(body->dof_texts[i]));
    describe_put(&value, "dofs", dofs);
    describe_put(&value, "fps", describe_number(of->query.fps));
    describe_put(&value, "samples", json_integer(of->query.samples));
    describe_put(&value, "clip_count", json_integer(clips));
    describe_put(&value, "searched", json_integer(set->clip_count - left_out));
    describe_put(&value, "left_out", json_integer(left_out));
    describe_put(&value, "library_fragments",
                 json_integer(marey_examples_fragments(set->examples)));
    describe_put(&value, "seconds", describe_number(of->seconds));
    describe_put(&value, "opened_s", describe_number(set->opened_s));
    return value;
}

static void tell(const example_run *of, studio_response *response)
{
    telling all = { .of = of,
                    .list = { .to = &response->body },
                    .named = { .memory = &of->by->of->memory } };
    uint8_t *named = bytes_extend(&all.named, (size_t)of->set.clip_count);
    if (named) {
        memset(named, 0, (size_t)of->set.clip_count);
        answer_json(response, 200, describe_run(of));
    } else {
        api_fail_memory(response);
    }
    if (response->status == 200) {
        write_fragments(&all);
        write_paths(&all);
        write_clips(&all);
        write_names(&all);
        json_list_check(&all.list, "ask for fewer paths and clips", response);
    }
    bytes_free(&all.named);
}

void api_example(studio_worker *worker, studio_request *request, studio_response *response)
{
    example_body body;
    marey_error error;
    if (example_body_read(&body, &worker->of->memory, EXAMPLE_FIND, request->body,
                          request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    example_run run = example_run_begin(worker, &body);
    if (example_run_find(&run, &error) == MAREY_OK)
        tell(&run, response);
    else
        answer_fail(response, &error);
    example_run_free(&run);
    example_body_free(&body);
}
