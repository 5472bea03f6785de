/* cmd_convert.c - `marey convert`: reads clips, changes them in a fixed order, writes one. */
#include "commands.h"
#include "input.h"
#include "json.h"

/* The library's range for marey_clip_scale. */
static const double SMALLEST_SCALE = 1e-6, LARGEST_SCALE = 1e6;

typedef struct conversion {
    session *run;
    const char *out_path;
    marey_load_def def;
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
    int status = input_options(run, asked, &all->def);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &all->fps);
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

/* All inputs as one clip. On failure *out is not written. */
static marey_status join(conversion *all, marey_clip **clips, const request *asked,
                         marey_clip **out)
{
    marey_status status = MAREY_OK;
    int count = asked->operand_count - 1, loaded = 0;
    while (loaded < count && status == MAREY_OK) {
        status = input_load(all->run, asked->operands[loaded], &all->def, &all->trim,
                            &clips[loaded], &all->error);
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

static marey_status read_inputs(conversion *all, const request *asked, marey_clip **out)
{
    int count = asked->operand_count - 1;
    size_t bytes = (size_t)count * sizeof(marey_clip *);
    if (count == 1) {
        return input_load(all->run, asked->operands[0], &all->def, &all->trim, out, &all->error);
    }
    marey_clip **clips = session_resize(all->run, NULL, 0, bytes);
    if (!clips) {
        all->error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    marey_status status = join(all, clips, asked, out);
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

static void describe(conversion *all, const marey_clip *clip)
{
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        json_string(&to, "path", all->out_path);
        json_integer(&to, "frames", marey_clip_frames(clip));
        json_number(&to, "fps", marey_clip_fps(clip));
        json_number(&to, "seconds", marey_clip_seconds(clip));
        json_integer(&to, "joints", marey_clip_skeleton(clip)->joint_count);
        json_string(&to, "units", marey_units_name(marey_clip_units(clip)));
        json_string(&to, "up", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y");
        json_close(&to, '}');
        buffer_byte(out, '\n');
        return;
    }
    if (all->run->quiet) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, all->out_path);
    int frames = marey_clip_frames(clip);
    buffer_print(out, ": %d frame%s at %.6g a second, %d joints, %s, %s up\n", frames,
                 frames == 1 ? "" : "s", marey_clip_fps(clip),
                 marey_clip_skeleton(clip)->joint_count, marey_units_name(marey_clip_units(clip)),
                 marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y");
}

/* The answer is put together before the file is written: after that only sending it can fail. */
static int write_clip(conversion *all, const marey_clip *clip)
{
    describe(all, clip);
    if (all->run->out.failed) return session_fail_memory(all->run);
    if (marey_clip_save(clip, all->out_path, &all->error) == MAREY_OK) {
        return session_finish(all->run, PROGRAM_DONE);
    }
    all->run->out.used = 0;
    return session_fail(all->run, &all->error);
}

int command_convert(session *run, const request *asked)
{
    conversion all = { .run = run, .out_path = asked->operands[asked->operand_count - 1] };
    marey_clip *clip = NULL;
    int status = read_options(&all, asked);
    if (status != PROGRAM_DONE) return status;
    if (read_inputs(&all, asked, &clip) != MAREY_OK ||
        change(&all, &clip, asked->operands[0]) != MAREY_OK) {
        return session_fail(run, &all.error);
    }
    status = write_clip(&all, clip);
    marey_clip_free(clip);
    return status;
}
