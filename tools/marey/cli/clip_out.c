/* clip_out.c - writing a made clip. */
#include "clip_out.h"

#include "shelf.h"

#include <stdio.h>
#include <string.h>

void clip_out_make(clip_out *out, session *run, const char *target, bool beside)
{
    *out = (clip_out){
        .run = run, .target = target, .beside = beside, .settings = buffer_make(&run->host->def)
    };
    provenance_make(&out->made_of, run);
}

void clip_out_free(clip_out *out)
{
    buffer_free(&out->settings);
    provenance_free(&out->made_of);
}

marey_status clip_out_note(clip_out *out, const request *settings, marey_error *error)
{
    provenance_write(&out->made_of, settings, &out->settings);
    if (!out->settings.failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static marey_status save_file(const clip_out *out, marey_error *error)
{
    marey_status status = marey_clip_save_with(out->clip, out->target, out->settings.bytes, error);
    if (status != MAREY_OK || !out->beside) return status;
    return provenance_save(out->run, out->target, out->settings.bytes, out->settings.used - 1,
                           error);
}

/* The name may become another one when the clip is put in, so the room for the answer is made before. */
static marey_status put(const clip_out *out, shelf *at, const char *name, char *shown, size_t room,
                        marey_error *error)
{
    enum { ANSWER_ROOM = 6 * 4096 + 6 * CLIP_NAME_ROOM + 512 };
    char got[CLIP_NAME_ROOM];
    marey_put_def def = { .provenance = out->settings.bytes,
                          .licence = out->made_of.licences.bytes,
                          .contacts = out->contacts,
                          .contact_count = out->contact_count,
                          .contacts_set = out->contacts != NULL };
    marey_status status = shelf_ready_for(at->run, ANSWER_ROOM, error);
    if (status != MAREY_OK) return status;
    status = marey_library_put(at->library, out->clip, name, &def, got, sizeof got, error);
    if (status == MAREY_OK) snprintf(shown, room, "%s:%s", at->path, got);
    return status;
}

static int fail(session *run, const marey_error *error)
{
    run->out.used = 0;
    return session_fail(run, error);
}

static int save_in_library(clip_out *out, const char *path, const char *name, clip_out_tell *tell,
                           void *user)
{
    char shown[4096 + CLIP_NAME_ROOM + 2];
    shelf at;
    marey_error error;
    marey_status status = shelf_open(out->run, path, MAREY_LIBRARY_CREATE, &at, &error);
    if (status != MAREY_OK) return fail(out->run, &error);
    status = put(out, &at, name, shown, sizeof shown, &error);
    if (status == MAREY_OK) tell(user, out, shown);
    return shelf_end(&at, status, &error);
}

int clip_out_save(clip_out *out, clip_out_tell *tell, void *user)
{
    char path[4096];
    marey_error error;
    const char *name = out->target ? shelf_target(out->target, path, sizeof path) : NULL;
    if (name) return save_in_library(out, path, name, tell, user);
    tell(user, out, out->target);
    marey_status status = shelf_ready(out->run, &error);
    if (status == MAREY_OK && out->target) status = save_file(out, &error);
    return status == MAREY_OK ? session_finish(out->run, PROGRAM_DONE) : fail(out->run, &error);
}

static void describe_json(const clip_out *out, const char *path)
{
    json to = { .out = &out->run->out, .comma = true };
    if (path) {
        json_put_string(&to, "path", path);
        json_put_integer(&to, "frames", marey_clip_frames(out->clip));
        json_put_number(&to, "fps", marey_clip_fps(out->clip));
        json_put_number(&to, "seconds", marey_clip_seconds(out->clip));
    }
    json_close(&to, '}');
    buffer_byte(to.out, '\n');
}

void clip_out_describe(void *user, const clip_out *out, const char *path)
{
    buffer *text = &out->run->out;
    (void)user;
    if (out->run->json) {
        describe_json(out, path);
    } else if (path && !out->run->quiet) {
        int frames = marey_clip_frames(out->clip);
        buffer_text(text, "wrote ");
        buffer_shown(text, path);
        buffer_print(text, ": %d frame%s at %.6g a second\n", frames, frames == 1 ? "" : "s",
                     marey_clip_fps(out->clip));
    }
}
