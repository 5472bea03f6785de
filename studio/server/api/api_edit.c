/* api_edit.c - everything that changes clips at once, without a job. Requests have numbers, and so the library gets
   numbers: it looks for the clips inside the transaction that changes them. */
#include "api_common.h"

/* ---- the clips of a request --------------------------------------------------------------------- */

typedef struct clip_names {
    heap *memory;
    const char **names;
    char (*texts)[API_NUMBER_ROOM];
    int count;
} clip_names;

enum { NAME_BYTES = API_NUMBER_ROOM + sizeof(const char *) };

static void names_free(clip_names *of)
{
    heap_resize(of->memory, of->names, (size_t)of->count * NAME_BYTES, 0);
}

/* All clips of a body, as the library takes them. One piece of memory: pointers, then texts. */
static bool names_make(studio_worker *worker, const json_body *body, clip_names *out,
                       studio_response *response)
{
    heap *memory = &worker->of->memory;
    int count = body->clip_count;
    void *piece = heap_resize(memory, NULL, 0, (size_t)count * NAME_BYTES);
    if (!piece) {
        api_fail_memory(response);
        return false;
    }
    *out = (clip_names){ .memory = memory, .names = piece, .count = count };
    out->texts = (void *)(out->names + count);
    for (int i = 0; i < count; i++) out->names[i] = api_number(body->clips[i], out->texts[i]);
    return true;
}

/* Room for the answer is made before the change, so that what was done can be said. */
static bool make_room(studio_response *response, size_t count)
{
    if (bytes_extend(&response->body, count)) return true;
    api_fail_memory(response);
    return false;
}

enum { NAME_ROOM = 3 * MAREY_NAME_ROOM + 64 }; /* a name as JSON, whatever is in it, and a number */

/* Ends a change: what came of it, and everybody is told. Takes `value` over. */
static void finish(studio_worker *worker, marey_status status, const marey_error *error,
                   json_t *value, studio_response *response)
{
    if (status == MAREY_OK) {
        api_changed(worker);
        answer_json(response, 200, value);
    } else {
        json_decref(value);
        answer_fail(response, error);
    }
}

/* ---- labels and texts --------------------------------------------------------------------------- */

void api_edit(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned allowed = FIELD_ADD | FIELD_DROP | FIELD_DESCRIPTION | FIELD_LICENCE;
    json_body body;
    clip_names all;
    marey_error error;
    if (!make_room(response, NAME_ROOM) ||
        !api_body(worker, request, FIELD_CLIPS, allowed, &body, response))
        return;
    if (names_make(worker, &body, &all, response)) {
        marey_edit_def def = { .drop = body.drop,
                               .drop_count = body.drop_count,
                               .add = body.add,
                               .add_count = body.add_count,
                               .description = body.description,
                               .licence = body.licence };
        marey_status status =
            marey_library_edit(worker->library, all.names, all.count, &def, &error);
        finish(worker, status, &error, json_object(), response);
        names_free(&all);
    }
    json_body_free(&body);
}

/* ---- cutting ------------------------------------------------------------------------------------ */

void api_cut(studio_worker *worker, studio_request *request, studio_response *response)
{
    char name[API_NUMBER_ROOM];
    marey_named got;
    marey_error error;
    json_body body;
    if (!make_room(response, NAME_ROOM)) return;
    if (!api_body(worker, request, FIELD_START | FIELD_END | FIELD_NAME, 0, &body, response))
        return;
    marey_status status = marey_library_cut_clip(worker->library, api_number(request->id, name),
                                                 body.start, body.end, body.name, &got, &error);
    json_t *value = json_object();
    if (status == MAREY_OK) {
        describe_put(&value, "id", json_integer(got.id));
        describe_put(&value, "name", describe_text(&worker->of->memory, got.name));
    }
    finish(worker, status, &error, value, response);
    json_body_free(&body);
}

/* ---- contacts ----------------------------------------------------------------------------------- */

/* What the clip has now: kept, or found in the motion. */
static marey_status tell_contacts(studio_worker *worker, int64_t id, json_t **value,
                                  marey_error *error)
{
    const marey_clip *clip = NULL;
    feet_kept feet;
    marey_status status = worker_clip(worker, id, &clip, error);
    if (status == MAREY_OK) status = feet_find(worker, id, clip, 0, INT32_MAX, &feet, error);
    if (status != MAREY_OK) return status;
    describe_put(value, "contacts", describe_contacts(feet.items, feet.count));
    describe_put(value, "contacts_set", json_boolean(feet.kept));
    feet_free(&feet);
    return MAREY_OK;
}

void api_contacts(studio_worker *worker, studio_request *request, studio_response *response)
{
    char name[API_NUMBER_ROOM];
    json_body body;
    marey_error error;
    if (!api_body(worker, request, FIELD_CONTACTS, 0, &body, response)) return;
    json_t *value = json_object();
    marey_status status = marey_library_set_contacts(worker->library, api_number(request->id, name),
                                                     body.contacts, body.contact_count, &error);
    if (status == MAREY_OK) {
        api_changed(worker); /* even if nothing more can be said about it */
        status = tell_contacts(worker, request->id, &value, &error);
    }
    finish(worker, status, &error, value, response);
    json_body_free(&body);
}

/* ---- removing and bringing back ----------------------------------------------------------------- */

void api_remove(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_body body;
    clip_names all;
    marey_error error;
    if (!make_room(response, NAME_ROOM) ||
        !api_body(worker, request, FIELD_CLIPS, 0, &body, response))
        return;
    if (names_make(worker, &body, &all, response)) {
        marey_status status = marey_library_remove(worker->library, all.names, all.count, &error);
        finish(worker, status, &error, json_object(), response);
        names_free(&all);
    }
    json_body_free(&body);
}

static json_t *describe_restored(heap *memory, const marey_named *got, int count)
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

static void restore(studio_worker *worker, const clip_names *all, studio_response *response)
{
    size_t room = (size_t)all->count * sizeof(marey_named);
    marey_error error;
    if (!make_room(response, (size_t)all->count * NAME_ROOM)) return;
    marey_named *got = heap_resize(all->memory, NULL, 0, room);
    if (!got) {
        api_fail_memory(response);
        return;
    }
    marey_status status =
        marey_library_restore_clips(worker->library, all->names, all->count, got, &error);
    json_t *value =
        status == MAREY_OK ? describe_restored(all->memory, got, all->count) : json_object();
    finish(worker, status, &error, value, response);
    heap_resize(all->memory, got, room, 0);
}

void api_restore(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_body body;
    clip_names all;
    if (!make_room(response, NAME_ROOM) ||
        !api_body(worker, request, FIELD_CLIPS, 0, &body, response))
        return;
    if (names_make(worker, &body, &all, response)) {
        restore(worker, &all, response);
        names_free(&all);
    }
    json_body_free(&body);
}

void api_purge(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_body body;
    clip_names all;
    marey_error error;
    if (!make_room(response, NAME_ROOM) ||
        !api_body(worker, request, FIELD_CLIPS, 0, &body, response))
        return;
    if (names_make(worker, &body, &all, response)) {
        int purged = 0;
        json_t *value = json_object();
        marey_status status =
            marey_library_purge(worker->library, all.names, all.count, &purged, &error);
        describe_put(&value, "purged", json_integer(purged));
        finish(worker, status, &error, value, response);
        names_free(&all);
    }
    json_body_free(&body);
}
