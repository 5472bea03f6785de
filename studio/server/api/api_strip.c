/* api_strip.c - a small film strip of a clip: drawn once, then kept in the library. */
#include "api_common.h"

#include <inttypes.h>
#include <stdio.h>

/* The last number goes up whenever the same clip would be drawn in another way. */
static const char kind[] = "strip-480x96-1";
enum { STRIP_WIDTH = 480, STRIP_HEIGHT = 96 };

/* What the library keeps, into `out`; nothing if it keeps none, or what it keeps is damaged: it is
   drawn again. */
static void read_kept(studio_worker *worker, int64_t id, studio_bytes *out)
{
    size_t room = 0, count = 0;
    if (marey_library_picture(worker->library, id, kind, NULL, 0, &room, NULL) != MAREY_OK ||
        !room) {
        return;
    }
    uint8_t *place = bytes_extend(out, room);
    if (!place) return;
    marey_status status =
        marey_library_picture(worker->library, id, kind, place, room, &count, NULL);
    if (status != MAREY_OK || count != room) bytes_free(out); /* replaced in this very moment */
}

static marey_status draw(studio_worker *worker, int64_t id, const marey_clip *clip,
                         studio_bytes *out, marey_error *error)
{
    static const char path[] = "strip.png", untitled[] = ""; /* clips are renamed, pictures stay */
    feet_kept feet;
    marey_status status = feet_find(worker, id, NULL, 0, marey_clip_frames(clip), &feet, error);
    if (status != MAREY_OK) return status;
    marey_strip_def def = { .width_px = STRIP_WIDTH,
                            .height_px = STRIP_HEIGHT,
                            .contacts = feet.kept ? feet.items : NULL,
                            .contact_count = feet.count,
                            .title = untitled };
    status = marey_strip_save(clip, &def, path, error);
    feet_free(&feet);
    if (status == MAREY_OK) memory_files_take(worker->files, path, out);
    return status;
}

/* The picture is what counts: that it cannot be kept, since the library is for reading only or
   another program writes, is no failure. */
static bool draw_and_keep(studio_worker *worker, int64_t id, studio_response *response)
{
    const marey_clip *clip = NULL;
    marey_error error;
    int64_t version = 0;
    marey_status status = marey_library_version(worker->library, &version, &error);
    if (status == MAREY_OK && !api_open(worker, id, &clip, response)) return false;
    if (status == MAREY_OK) status = draw(worker, id, clip, &response->body, &error);
    if (status != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    if (worker->of->can_write) {
        marey_library_keep_picture(worker->library, id, kind, version, response->body.data,
                                   response->body.count, NULL);
    }
    return true;
}

void api_strip(studio_worker *worker, studio_request *request, studio_response *response)
{
    read_kept(worker, request->id, &response->body);
    if (response->body.failed) {
        api_fail_memory(response);
        return;
    }
    if (response->body.count == 0) {
        /* A removed clip cannot be read until it is restored. */
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        marey_error error;
        marey_status status =
            marey_library_name(worker->library, request->id, name, sizeof name, &removed, &error);
        if (status != MAREY_OK) {
            answer_fail(response, &error);
            return;
        }
        if (removed) {
            response->status = 204;
            response->type = "image/png";
            return;
        }
        if (!draw_and_keep(worker, request->id, response)) return;
    }
    response->status = 200;
    response->type = "image/png";
    /* FNV-1a: it tells pictures apart, and does not prevent making two alike. */
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < response->body.count; i++)
        sum = (sum ^ response->body.data[i]) * 0x100000001b3u;
    snprintf(response->tag_text, sizeof response->tag_text, "\"%016" PRIx64 "\"", sum);
    response->tag = response->tag_text;
}
