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

static int fail(session *run, const marey_error *error)
{
    run->out.used = 0;
    return session_fail(run, error);
}

int clip_out_save(clip_out *out, clip_out_tell *tell, void *user)
{
    enum { ANSWER_ROOM = 6 * 4096 + 6 * CLIP_NAME_ROOM + 512 };
    session *run = out->run;
    const char *settings = out->settings.bytes;
    char path[4096];
    marey_error error;
    marey_status status = MAREY_OK;
    const char *name = out->target ? shelf_target(out->target, path, sizeof path) : NULL;
    if (name) {
        shelf at;
        status = shelf_open(run, path, MAREY_LIBRARY_CREATE, &at, &error);
        if (status != MAREY_OK) return fail(run, &error);
        /* The name may become another one when the clip is put in, so the room for the answer is made before. */
        status = shelf_ready_for(run, ANSWER_ROOM, &error);
        char given[CLIP_NAME_ROOM], shown[sizeof path + CLIP_NAME_ROOM + 2];
        marey_put_def def = { .provenance = settings,
                              .licence = out->made_of.licences.bytes,
                              .contacts = out->contacts,
                              .contact_count = out->contact_count,
                              .contacts_set = out->contacts != NULL };
        if (status == MAREY_OK)
            status =
                marey_library_put(at.library, out->clip, name, &def, given, sizeof given, &error);
        if (status == MAREY_OK) {
            snprintf(shown, sizeof shown, "%s:%s", at.path, given);
            tell(user, out, shown);
        }
        return shelf_end(&at, status, &error);
    }
    tell(user, out, out->target);
    status = shelf_ready(run, &error);
    if (status == MAREY_OK && out->target) {
        status = marey_clip_save_with(out->clip, out->target, settings, &error);
        if (status == MAREY_OK && out->beside)
            status = provenance_save(run, out->target, settings, out->settings.used - 1, &error);
    }
    return status == MAREY_OK ? session_finish(run, PROGRAM_DONE) : fail(run, &error);
}

void clip_out_describe(void *user, const clip_out *out, const char *path)
{
    buffer *text = &out->run->out;
    int frames = path ? marey_clip_frames(out->clip) : 0;
    (void)user;
    if (out->run->json) {
        json to = { .out = text, .comma = true };
        if (path) {
            json_put_string(&to, "path", path);
            json_put_integer(&to, "frames", frames);
            json_put_number(&to, "fps", marey_clip_fps(out->clip));
            json_put_number(&to, "seconds", marey_clip_seconds(out->clip));
        }
        json_close(&to, '}');
        buffer_byte(text, '\n');
    } else if (path && !out->run->quiet) {
        buffer_text(text, "wrote ");
        buffer_shown(text, path);
        buffer_print(text, ": %d frame%s at %.6g a second\n", frames, frames == 1 ? "" : "s",
                     marey_clip_fps(out->clip));
    }
}
