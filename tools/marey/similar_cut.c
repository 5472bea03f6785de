/* similar_cut.c - cut and smooth (Guan & Yang, 4.3) on the command line. */
#include "similar_cut.h"

#include "provenance.h"
#include "shelf.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SMOOTH = 100000 };

int cutting_options(cutting_out *out, session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } extras[] = { { OPTION_SMOOTH, "smooth" },
                   { OPTION_FULL, "full" },
                   { OPTION_PROVENANCE, "provenance" } };
    const char *units = asked->values[OPTION_UNITS];
    int64_t smooth = 0;
    *out = (cutting_out){ .target = asked->values[OPTION_CUT],
                          .provenance = request_has(asked, OPTION_PROVENANCE) };
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        if (out->target || !request_has(asked, extras[i].key)) continue;
        return session_usage(run, "--%s is for a cut: --cut OUT", extras[i].name);
    }
    if (out->target && units && strcmp(units, marey_units_name(MAREY_UNITS_RAW)) == 0) {
        return session_usage(run, "--units raw cannot be cut: nothing says how long anything is");
    }
    int status = options_whole(run, asked, OPTION_SMOOTH, 0, MOST_SMOOTH, &smooth);
    out->def = (marey_stitch_def){ (int)smooth, request_has(asked, OPTION_FULL) };
    return status;
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* Made clips leave marked frames out. */
static marey_status leave_marked_out(marey_clip **clip, int *seam, marey_error *error)
{
    marey_clip *fresh = NULL;
    marey_status status = marey_clip_unmarked(*clip, seam, &fresh, error);
    marey_clip_free(*clip);
    *clip = fresh;
    return status;
}

static char *keep(session *run, const buffer *text, size_t *bytes)
{
    char *copy = text->failed ? NULL : session_resize(run, NULL, 0, text->used);
    if (!copy) return NULL;
    memcpy(copy, text->bytes, text->used);
    *bytes = text->used;
    return copy;
}

/* Which frames of which clip, and by which options. */
static marey_status note_sources(cutting_out *out, marey_error *error)
{
    const comparison *all = out->all;
    session *run = all->run;
    request settings = *all->asked;
    provenance made_of;
    buffer text = buffer_make(&run->host->def);
    input_source first = all->sources[0], second = all->sources[1];
    first.end = out->frames[0];
    second.start = out->frames[1];
    settings.values[OPTION_CUT] = NULL; /* where it is written says nothing about how it is made */
    provenance_make(&made_of, run);
    if (first.end > first.start) provenance_add(&made_of, &first);
    provenance_add(&made_of, &second);
    provenance_write(&made_of, &settings, &text);
    out->settings = keep(run, &text, &out->settings_bytes);
    if (out->settings) out->licence = keep(run, &made_of.licences, &out->licence_bytes);
    buffer_free(&text);
    provenance_free(&made_of);
    if (out->licence) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

marey_status cutting_make(cutting_out *out, const comparison *all, int i, int j, marey_error *error)
{
    int at[2];
    out->all = all;
    out->frames[0] = i;
    out->frames[1] = j;
    for (int side = 0; side < 2; side++) at[side] = out->frames[side] - all->sources[side].start;
    out->seam = at[0];
    marey_status status = marey_clip_stitch(comparison_own(all, 0), at[0], comparison_own(all, 1),
                                            at[1], &out->def, &out->clip, error);
    if (status == MAREY_OK) status = leave_marked_out(&out->clip, &out->seam, error);
    return status == MAREY_OK ? note_sources(out, error) : status;
}

void cutting_free(cutting_out *out, session *run)
{
    marey_clip_free(out->clip);
    session_resize(run, out->settings, out->settings_bytes, 0);
    session_resize(run, out->licence, out->licence_bytes, 0);
}

/* ---- writing --------------------------------------------------------------------------------------- */

static marey_status save_file(const cutting_out *out, session *run, marey_error *error)
{
    marey_status status = marey_clip_save_with(out->clip, out->target, out->settings, error);
    if (status != MAREY_OK || !out->provenance) return status;
    return provenance_save(run, out->target, out->settings, out->settings_bytes - 1, error);
}

/* The name may become another one when the clip is put in, so the room for the answer is made before. */
static marey_status put(const cutting_out *out, shelf *at, const char *name, char *shown,
                        size_t room, marey_error *error)
{
    enum { ANSWER_ROOM = 6 * 4096 + 6 * CLIP_NAME_ROOM + 512 };
    char got[CLIP_NAME_ROOM];
    marey_put_def def = { .provenance = out->settings, .licence = out->licence };
    marey_status status = shelf_ready_for(at->run, ANSWER_ROOM, error);
    if (status != MAREY_OK) return status;
    status = marey_library_put(at->library, out->clip, name, &def, got, sizeof got, error);
    if (status == MAREY_OK) snprintf(shown, room, "%s:%s", at->path, got);
    return status;
}

int cutting_save(cutting_out *out, session *run,
                 void (*describe)(const cutting_out *out, session *run, const char *path))
{
    char path[4096], shown[4096 + CLIP_NAME_ROOM + 2];
    const char *name = shelf_target(out->target, path, sizeof path);
    marey_error error;
    marey_status status;
    if (name) {
        shelf at;
        status = shelf_open(run, path, MAREY_LIBRARY_CREATE, &at, &error);
        if (status == MAREY_OK) {
            status = put(out, &at, name, shown, sizeof shown, &error);
            if (status == MAREY_OK) describe(out, run, shown);
            return shelf_end(&at, status, &error);
        }
    } else {
        describe(out, run, out->target);
        status = shelf_ready(run, &error);
        if (status == MAREY_OK) status = save_file(out, run, &error);
    }
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, &error);
}
