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

static marey_status make_clip(worker *by, const json_body *body, marey_clip **out,
                              marey_error *error)
{
    const marey_clip *clips[2];
    marey_clip *whole = NULL;
    marey_stitch_def def = { .smooth_frames = body->smooth };
    marey_status status = worker_two_clips(by, (const int64_t[]){ body->a, body->b }, clips, error);
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
                             const marey_entry *b, bytes *out)
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

static marey_status note_sources(worker *by, const json_body *body, bytes *made_of, bytes *licence,
                                 marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(by->library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *a = provenance_entry(listing, body->a),
                      *b = provenance_entry(listing, body->b);
    if (a && b) {
        write_provenance(marey_library_path(by->library), body, a, b, made_of);
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

static marey_status stitch(worker *by, const json_body *body, char *got, marey_error *error)
{
    marey_clip *clip = NULL;
    bytes made_of = { .memory = &by->of->memory }, licence = { .memory = &by->of->memory };
    marey_status status = make_clip(by, body, &clip, error);
    if (status == MAREY_OK) status = note_sources(by, body, &made_of, &licence, error);
    if (status == MAREY_OK) {
        marey_put_def def = { .provenance = (const char *)made_of.data,
                              .licence = (const char *)licence.data };
        status =
            marey_library_put(by->library, clip, body->name, &def, got, MAREY_NAME_ROOM, error);
    }
    bytes_free(&made_of);
    bytes_free(&licence);
    marey_clip_free(clip);
    return status;
}

void api_stitch(worker *by, asked *what, answer *to)
{
    unsigned needed = FIELD_A | FIELD_B | FIELD_I | FIELD_J | FIELD_NAME;
    char got[MAREY_NAME_ROOM];
    marey_error error;
    json_body body;
    /* Room for the answer is made before the change, so that what was done can be said. */
    if (!bytes_extend(&to->body, ANSWER_ROOM)) {
        api_fail_memory(to);
        return;
    }
    if (!api_body(by, what, needed, FIELD_SMOOTH, &body, to)) return;
    if (stitch(by, &body, got, &error) == MAREY_OK) {
        json_t *value = json_object();
        api_changed(by);
        describe_put(&value, "id", json_integer(api_number_of(by, got)));
        describe_put(&value, "name", describe_text(&by->of->memory, got));
        answer_json(to, 200, value);
    } else {
        answer_fail(to, &error);
    }
    json_body_free(&body);
}
