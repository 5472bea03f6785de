/* api_edit.c - everything that changes clips at once, without a job. Requests have numbers, and so the library gets
   numbers: it looks for the clips inside the transaction that changes them. */
#include "api_common.h"

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
    if (status == MAREY_OK) {
        answer_json(response, 200, value);
    } else {
        json_decref(value);
        answer_fail(response, &error);
    }
    json_body_free(&body);
}
