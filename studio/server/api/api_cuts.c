/* api_cuts.c - parts of clips as clips of their own: what was found becomes motion that can be used. */
#include "api_common.h"
#include "json_search.h"

enum { NAME_JSON = 6 * MAREY_NAME_ROOM + 64 }; /* a name, whatever is in it, and a number */

/* What the library takes and gives, in one piece of memory. */
typedef struct cut_list {
    marey_clip_cut *cuts;
    marey_named *got;
    char (*numbers)[API_NUMBER_ROOM];
    size_t room;
} cut_list;

static bool list_make(heap *memory, const cuts_body *body, cut_list *out)
{
    size_t count = (size_t)body->cut_count;
    out->room = count * (sizeof *out->cuts + sizeof *out->got + sizeof *out->numbers);
    out->cuts = heap_resize(memory, NULL, 0, out->room);
    if (!out->cuts) return false;
    out->got = (void *)(out->cuts + count);
    out->numbers = (void *)(out->got + count);
    for (size_t i = 0; i < count; i++) {
        const body_cut *cut = &body->cuts[i];
        out->cuts[i] = (marey_clip_cut){ .clip = api_number(cut->clip, out->numbers[i]),
                                         .start = cut->start,
                                         .end = cut->end,
                                         .name = cut->name };
    }
    return true;
}

static json_t *describe_cuts(heap *memory, const marey_named *got, int count)
{
    json_t *value = json_object(), *clips = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(got[i].id));
        describe_put(&one, "name", describe_text(memory, got[i].name));
        describe_append(&clips, one);
    }
    describe_put(&value, "clips", clips);
    return value;
}

static void cut(studio_worker *worker, const cuts_body *body, studio_response *response)
{
    heap *memory = &worker->of->memory;
    cut_list list;
    marey_error error;
    marey_clip_cuts_def def = { .labels = body->labels,
                                .label_count = body->label_count,
                                .source_labels = body->source_labels,
                                .source_label_count = body->source_label_count };
    /* Room for the answer is made before the change, so that what was done can be said. */
    if (!bytes_extend(&response->body, (size_t)body->cut_count * NAME_JSON) ||
        !list_make(memory, body, &list)) {
        api_fail_memory(response);
        return;
    }
    if (marey_library_cut_clips(worker->library, list.cuts, body->cut_count, &def, list.got,
                                &error) == MAREY_OK) {
        api_changed(worker);
        answer_json(response, 200, describe_cuts(memory, list.got, body->cut_count));
    } else {
        answer_fail(response, &error);
    }
    heap_resize(memory, list.cuts, list.room, 0);
}

void api_cuts(studio_worker *worker, studio_request *request, studio_response *response)
{
    cuts_body body;
    marey_error error;
    if (cuts_body_read(&body, &worker->of->memory, request->body, request->body_count, &error) !=
        MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    cut(worker, &body, response);
    cuts_body_free(&body);
}
