/* api_clean.c - a clip whose planted feet stay where they are planted. What `marey clean` does, with the same provenance. */
#include "made_answer.h"

static marey_status make(made_answer *all, marey_error *error)
{
    /* A list that is not NULL: an empty one must not be taken for one that is to be found. */
    static const marey_contact none = { 0 };
    const marey_parts *parts = all->of->parts;
    const marey_contacts *plants = &parts->contacts[0];
    marey_status status =
        marey_clip_clean(parts->clips[0], plants->count > 0 ? plants->items : &none, plants->count,
                         NULL, &all->made.clip, &all->made.clean, error);
    if (status != MAREY_OK) return status;
    all->made.contacts = (marey_contacts){ .count = plants->count, .items = plants->items };
    all->raw = parts->clips[0];
    all->cleaned = true;
    all->end = marey_clip_frames(all->made.clip);
    return MAREY_OK;
}

static void answer_clean(studio_worker *worker, struct blend_kept *of, const json_body *body,
                         studio_response *response)
{
    const marey_part *part = &of->parts->parts[0];
    made_answer all = made_answer_begin(worker, of, "clean");
    marey_error error;
    json_t *value = NULL;
    marey_status status = make(&all, &error);
    if (status == MAREY_OK) status = made_answer_describe(&all, &value, &error);
    if (status == MAREY_OK) {
        made_of_part(&all.from, part->clip, part->start, part->end);
        made_answer_send(&all, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    all.made.contacts = (marey_contacts){ 0 }; /* they were borrowed */
    made_answer_free(&all);
}

void api_clean(studio_worker *worker, studio_request *request, studio_response *response)
{
    struct blend_kept *of = NULL;
    json_body body;
    if (!api_body(worker, request, FIELD_CLIP, FIELD_START | FIELD_END | FIELD_NAME, &body,
                  response))
        return;
    blend_wish wish = { .count = 1, .parts = { { body.clip, body.start, -1 } } };
    if (body.given & FIELD_END) wish.parts[0].end = body.end;
    if (blend_prepare(worker, &wish, &of, response)) answer_clean(worker, of, &body, response);
    blend_let_go(worker);
    json_body_free(&body);
}
