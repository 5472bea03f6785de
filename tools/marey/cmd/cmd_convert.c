/* cmd_convert.c - `marey convert`: reads clips, changes them in a fixed order, writes one. */
#include "commands.h"
#include "json.h"
#include "provenance.h"
#include "shelf.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The library's range for marey_clip_scale. */
static const double SMALLEST_SCALE = 1e-3, LARGEST_SCALE = 1e3;

typedef struct conversion {
    session *run;
    const request *asked;
    const char *out_path;
    input from;
    provenance made_of;
    buffer settings; /* the provenance as JSON, with an ending zero */
    frame_range trim;
    bool mirror, in_place, align;
    double scale, fps; /* 0: as they are */
    marey_units out_units;
    marey_up out_up;
    marey_error error;
} conversion;

static int read_options(conversion *all, const request *asked)
{
    session *run = all->run;
    const char *trim = asked->values[OPTION_TRIM];
    all->mirror = request_has(asked, OPTION_MIRROR);
    all->in_place = request_has(asked, OPTION_IN_PLACE);
    all->align = request_has(asked, OPTION_ALIGN);
    int status = input_rate(run, asked, &all->fps);
    if (status == PROGRAM_DONE) {
        status =
            options_number(run, asked, OPTION_SCALE, SMALLEST_SCALE, LARGEST_SCALE, &all->scale);
    }
    if (status == PROGRAM_DONE)
        status = options_units(run, asked, OPTION_OUT_UNITS, &all->out_units);
    if (status == PROGRAM_DONE) status = options_up(run, asked, OPTION_OUT_UP, &all->out_up);
    if (status == PROGRAM_DONE && trim && !range_parse(trim, &all->trim)) {
        status = session_usage(
            run, "--trim takes frames as 120-300 or times as 1.5s-3s, not \"%s\"", trim);
    }
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static marey_status read_input(conversion *all, const char *text, marey_clip **out)
{
    input_source source;
    marey_status status = input_load(&all->from, text, &all->trim, out, &source, &all->error);
    if (status == MAREY_OK) provenance_add(&all->made_of, &source);
    return status;
}

/* All inputs as one clip. On failure *out is not written. */
static marey_status join(conversion *all, marey_clip **clips, marey_clip **out)
{
    marey_status status = MAREY_OK;
    int count = all->asked->operand_count - 1, loaded = 0;
    while (loaded < count && status == MAREY_OK) {
        status = read_input(all, all->asked->operands[loaded], &clips[loaded]);
        if (status == MAREY_OK) loaded++;
    }
    if (status == MAREY_OK) {
        status = marey_clip_concatenate((const marey_clip *const *)clips, count, all->align, out,
                                        &all->error);
    }
    if (status == MAREY_OK) {
        input_say_warnings(all->run, all->out_path, *out,
                           marey_clip_report(clips[0])->warning_count);
    }
    for (int i = 0; i < loaded; i++) marey_clip_free(clips[i]);
    return status;
}

static marey_status read_inputs(conversion *all, marey_clip **out)
{
    int count = all->asked->operand_count - 1;
    size_t bytes = (size_t)count * sizeof(marey_clip *);
    if (count == 1) return read_input(all, all->asked->operands[0], out);
    marey_clip **clips = session_resize(all->run, NULL, 0, bytes);
    if (!clips) {
        all->error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    marey_status status = join(all, clips, out);
    session_resize(all->run, clips, bytes, 0);
    return status;
}

/* ---- changing -------------------------------------------------------------------------------- */

/* *clip is replaced by each step, and freed and NULL if one fails. */
static marey_status change(conversion *all, marey_clip **clip, const char *path)
{
    marey_error *error = &all->error;
    marey_clip *fresh = NULL;
    marey_status status = MAREY_OK;
    if (all->mirror) {
        status = marey_clip_mirror(*clip, &fresh, error);
        status = input_replace(clip, fresh, status, path, error);
    }
    if (status == MAREY_OK && all->in_place) {
        status = marey_clip_in_place(*clip, &fresh, error);
        status = input_replace(clip, fresh, status, path, error);
    }
    if (status == MAREY_OK && all->scale > 0) {
        status = marey_clip_scale(*clip, all->scale, &fresh, error);
        status = input_replace(clip, fresh, status, path, error);
    }
    if (status == MAREY_OK && all->fps > 0) {
        status = marey_clip_resample(*clip, all->fps, &fresh, error);
        status = input_replace(clip, fresh, status, path, error);
    }
    if (status == MAREY_OK && (all->out_units || all->out_up)) {
        status = marey_clip_restate(*clip, all->out_units, all->out_up, &fresh, error);
        status = input_replace(clip, fresh, status, path, error);
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A GLB is in metres with y up, whatever the clip came in. */
static bool is_glb(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".glb") == 0;
}

static const char *written_units(const char *path, const marey_clip *clip)
{
    return marey_units_name(is_glb(path) ? MAREY_UNITS_M : marey_clip_units(clip));
}

static const char *written_up(const char *path, const marey_clip *clip)
{
    return !is_glb(path) && marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y";
}

static void describe(conversion *all, const marey_clip *clip, const char *path)
{
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        json_put_string(&to, "path", path);
        json_put_integer(&to, "frames", marey_clip_frames(clip));
        json_put_number(&to, "fps", marey_clip_fps(clip));
        json_put_number(&to, "seconds", marey_clip_seconds(clip));
        json_put_integer(&to, "joints", marey_clip_skeleton(clip)->joint_count);
        json_put_string(&to, "units", written_units(path, clip));
        json_put_string(&to, "up", written_up(path, clip));
        json_close(&to, '}');
        buffer_byte(out, '\n');
        return;
    }
    if (all->run->quiet) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, path);
    int frames = marey_clip_frames(clip);
    buffer_print(out, ": %d frame%s at %.6g a second, %d joints, %s, %s up\n", frames,
                 frames == 1 ? "" : "s", marey_clip_fps(clip),
                 marey_clip_skeleton(clip)->joint_count, written_units(path, clip),
                 written_up(path, clip));
}

/* The answer is put together before the file is written: after that only sending it can fail. */
static int write_file(conversion *all, const marey_clip *clip)
{
    marey_error *error = &all->error;
    describe(all, clip, all->out_path);
    marey_status status = shelf_ready(all->run, error);
    if (status == MAREY_OK) {
        status = marey_clip_save_with(clip, all->out_path, all->settings.bytes, error);
    }
    if (status == MAREY_OK && request_has(all->asked, OPTION_PROVENANCE)) {
        all->settings.bytes[all->settings.used - 1] = '\n'; /* the zero */
        status = provenance_save(all->run, all->out_path, all->settings.bytes, all->settings.used,
                                 error);
    }
    if (status == MAREY_OK) return session_finish(all->run, PROGRAM_DONE);
    all->run->out.used = 0;
    return session_fail(all->run, error);
}

/* The clip's name may become another one when it is put in, so the room for the answer is made
   before and the answer itself behind. */
static int write_to_library(conversion *all, const marey_clip *clip, const char *path,
                            const char *name)
{
    enum { ANSWER_ROOM = 6 * 4096 + 6 * CLIP_NAME_ROOM + 512 };
    char got[CLIP_NAME_ROOM], shown[4096 + CLIP_NAME_ROOM + 2];
    shelf at;
    marey_error *error = &all->error;
    const char *licence = all->made_of.licences.bytes;
    marey_status status = shelf_open(all->run, path, MAREY_LIBRARY_CREATE, &at, error);
    if (status != MAREY_OK) return session_fail(all->run, error);
    status = shelf_ready_for(all->run, ANSWER_ROOM, error);
    if (status == MAREY_OK) {
        marey_put_def def = { .provenance = all->settings.bytes, .licence = licence };
        status = marey_library_put(at.library, clip, name, &def, got, sizeof got, error);
    }
    if (status == MAREY_OK) {
        snprintf(shown, sizeof shown, "%s:%s", path, got);
        describe(all, clip, shown);
    }
    return shelf_end(&at, status, error);
}

static int write_clip(conversion *all, const marey_clip *clip)
{
    char path[4096];
    const char *name = shelf_target(all->out_path, path, sizeof path);
    provenance_write(&all->made_of, all->asked, &all->settings);
    /* The library that was read may be the one that is written. */
    input_close(&all->from);
    if (all->settings.failed) return session_fail_memory(all->run);
    return name ? write_to_library(all, clip, path, name) : write_file(all, clip);
}

static int convert(conversion *all)
{
    marey_clip *clip = NULL;
    if (read_inputs(all, &clip) != MAREY_OK ||
        change(all, &clip, all->asked->operands[0]) != MAREY_OK) {
        return session_fail(all->run, &all->error);
    }
    int status = write_clip(all, clip);
    marey_clip_free(clip);
    return status;
}

int command_convert(session *run, const request *asked)
{
    conversion all = { .run = run,
                       .asked = asked,
                       .out_path = asked->operands[asked->operand_count - 1],
                       .settings = buffer_make(&run->host->def) };
    int status = read_options(&all, asked);
    if (status == PROGRAM_DONE) status = input_open(run, asked, &all.from);
    if (status != PROGRAM_DONE) return status;
    provenance_make(&all.made_of, run);
    status = convert(&all);
    provenance_free(&all.made_of);
    buffer_free(&all.settings);
    input_close(&all.from);
    return status;
}
