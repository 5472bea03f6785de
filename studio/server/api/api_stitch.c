/* api_stitch.c - a cut from one clip to another, as a new clip of the library: what `marey similar --at I,J --cut LIB:NAME`
   does, with the same provenance. */
#include "api_common.h"
#include "provenance_text.h"

#include <stdio.h>

enum { ANSWER_ROOM = 3 * MAREY_NAME_ROOM + 64 };

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static marey_status make_clip(studio_worker *worker, const json_body *body, marey_clip **out,
                              marey_error *error)
{
    const marey_clip *clips[2];
    marey_clip *whole = NULL;
    marey_stitch_def def = { .smooth_frames = body->smooth };
    marey_status status =
        worker_two_clips(worker, (const int64_t[]){ body->a, body->b }, clips, error);
    if (status == MAREY_OK) {
        status = marey_clip_stitch(clips[0], body->i, clips[1], body->j, &def, &whole, error);
    }
    if (status == MAREY_OK) status = marey_clip_unmarked(whole, NULL, out, error);
    marey_clip_free(whole);
    return status;
}

/* ---- where it comes from ------------------------------------------------------------------------ */

/* Frames of the first up to the cut, frames of the second from there on. */
static void write_provenance(const char *library, const json_body *body, const marey_entry *a,
                             const marey_entry *b, studio_bytes *out)
{
    char text[64];
    provenance_string(out, "{\"made_by\":\"similar\",\"version\":", marey_version());
    provenance_text(out, ",\"sources\":[");
    if (body->i > 0) {
        provenance_source(out, library, a, 0, body->i);
        provenance_text(out, ",");
    }
    provenance_source(out, library, b, body->j, b->frames);
    snprintf(text, sizeof text, "],\"settings\":{\"at\":\"%d,%d\"", body->i, body->j);
    provenance_text(out, text);
    if (body->smooth > 0) {
        snprintf(text, sizeof text, ",\"smooth\":\"%d\"", body->smooth);
        provenance_text(out, text);
    }
    provenance_text(out, "}}");
    bytes_add(out, "", 1);
}

static marey_status note_sources(studio_worker *worker, const json_body *body,
                                 studio_bytes *made_of, studio_bytes *licence, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(worker->library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *a = provenance_entry(listing, body->a),
                      *b = provenance_entry(listing, body->b);
    if (a && b) {
        write_provenance(marey_library_path(worker->library), body, a, b, made_of);
        provenance_licence(licence, body->i > 0 ? a->licence : "");
        provenance_licence(licence, b->licence);
        if (made_of->failed || licence->failed) status = fail_memory(error);
    } else { /* while it was read */
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "the clip was removed" };
        status = MAREY_ERR_INPUT;
    }
    marey_listing_free(listing);
    return status;
}

/* ---- putting it in ------------------------------------------------------------------------------ */

static marey_status stitch(studio_worker *worker, const json_body *body, char *got,
                           marey_error *error)
{
    marey_clip *clip = NULL;
    studio_bytes made_of = { .memory = &worker->of->memory },
                 licence = { .memory = &worker->of->memory };
    marey_status status = make_clip(worker, body, &clip, error);
    if (status == MAREY_OK) status = note_sources(worker, body, &made_of, &licence, error);
    if (status == MAREY_OK) {
        marey_put_def def = { .provenance = (const char *)made_of.data,
                              .licence = (const char *)licence.data };
        status =
            marey_library_put(worker->library, clip, body->name, &def, got, MAREY_NAME_ROOM, error);
    }
    bytes_free(&made_of);
    bytes_free(&licence);
    marey_clip_free(clip);
    return status;
}

void api_stitch(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned needed = FIELD_A | FIELD_B | FIELD_I | FIELD_J | FIELD_NAME;
    char got[MAREY_NAME_ROOM];
    marey_error error;
    json_body body;
    /* Room for the answer is made before the change, so that what was done can be said. */
    if (!bytes_extend(&response->body, ANSWER_ROOM)) {
        api_fail_memory(response);
        return;
    }
    if (!api_body(worker, request, needed, FIELD_SMOOTH, &body, response)) return;
    if (stitch(worker, &body, got, &error) == MAREY_OK) {
        json_t *value = json_object();
        api_changed(worker);
        describe_put(&value, "id", json_integer(api_number_of(worker, got)));
        describe_put(&value, "name", describe_text(&worker->of->memory, got));
        answer_json(response, 200, value);
    } else {
        answer_fail(response, &error);
    }
    json_body_free(&body);
}
