/* convert_clips.c - `convert`: clips are put end to end, changed in a fixed order, and written as
   one. */
#include "files.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_convert_params, clips),
      .place = APP_REST,
      .needed = true,
      .value = "IN",
      .help = "clips, or some of their frames; several are put end to end" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_convert_params, fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "resample to this many frames a second" },
    { .name = "trim",
      .type = APP_TEXT,
      .at = offsetof(app_convert_params, trim),
      .value = "A-B",
      .help = "keep frames A to B, B not included: 120-300, or 1.5s-3s" },
    { .name = "mirror",
      .type = APP_SWITCH,
      .at = offsetof(app_convert_params, mirror),
      .help = "exchange left and right" },
    { .name = "in-place",
      .type = APP_SWITCH,
      .at = offsetof(app_convert_params, in_place),
      .help = "keep the body over the spot where it starts" },
    { .name = "scale",
      .type = APP_NUMBER,
      .at = offsetof(app_convert_params, scale),
      .value = "F",
      .least = 1e-3,
      .most = 1e3,
      .help = "make the body and its path F times as large" },
    { .name = "align",
      .type = APP_SWITCH,
      .at = offsetof(app_convert_params, align),
      .help = "turn and move every further clip to start where the one before it ended" },
    { .name = "out-units",
      .type = APP_WORD,
      .at = offsetof(app_convert_params, out_units),
      .value = "UNITS",
      .word = app_units_word,
      .help = "the unit of length to write (default: that of the first input)" },
    { .name = "out-up",
      .type = APP_WORD,
      .at = offsetof(app_convert_params, out_up),
      .value = "AXIS",
      .word = app_up_word,
      .help = "the axis that points up in what is written (default: that of the first input)" },
    APP_READING_PARAMS(app_convert_params, app_units_word),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_convert_params *request = params;
    frame_range trim;
    if (!request->trim || range_parse(request->trim, &trim)) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%strim must be frames as 120-300 or times as 1.5s-3s, got %s",
                    dialect == APP_COMMAND_LINE ? "--" : "", request->trim);
}

/* Behind the frames that a segment names, --trim counts those that are left. */
static marey_status trim(const app_env *env, const app_convert_params *request,
                         const app_segment *segment, marey_clip **clip, app_source *source,
                         marey_error *error)
{
    int dropped = segment->range.given ? 0 : source->start, start, end;
    frame_range range;
    marey_clip *part = NULL;
    if (!request->trim || !range_parse(request->trim, &range)) return MAREY_OK;
    marey_status status = range_find(&range, *clip, dropped, &start, &end, error);
    if (status == MAREY_OK) status = marey_clip_trim(*clip, start, end, &part, error);
    if (status == MAREY_OK) status = app_own_clip(env, part, error);
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%.1000s", segment->clip);
        return status;
    }
    *clip = part;
    source->end = source->start + end;
    source->start += start;
    return MAREY_OK;
}

/* One clip of all of them. */
static marey_status join(const app_env *env, const app_convert_params *request,
                         app_provenance *from, marey_clip **out, marey_error *error)
{
    int count = request->clips.count;
    marey_clip **clips = APP_NEW(env->scope, marey_clip *, count);
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        const app_segment *segment = &request->clips.values[i];
        app_source source;
        marey_status status =
            app_clip_read(env, &request->reading, segment, &clips[i], &source, error);
        if (status == MAREY_OK) status = trim(env, request, segment, &clips[i], &source, error);
        if (status != MAREY_OK) return status;
        app_provenance_source(from, env->scope, &source);
    }
    *out = clips[0];
    if (count == 1) return MAREY_OK;
    marey_status status =
        marey_clip_concatenate((const marey_clip *const *)clips, count, request->align, out, error);
    if (status == MAREY_OK) status = app_own_clip(env, *out, error);
    if (status != MAREY_OK) return status;
    const marey_report *report = marey_clip_report(*out);
    for (int i = marey_clip_report(clips[0])->warning_count; i < report->warning_count; i++)
        app_warn(env, "%s: warning: %s", env->output ? env->output : marey_clip_name(*out),
                 report->warnings[i]);
    return MAREY_OK;
}

/* Takes the place of *clip, if it could be made. */
static marey_status replace(const app_env *env, marey_status status, marey_clip *fresh,
                            marey_clip **clip, marey_error *error)
{
    if (status != MAREY_OK) return status;
    *clip = fresh;
    return app_own_clip(env, fresh, error);
}

static marey_status change(const app_env *env, const app_convert_params *request, marey_clip **clip,
                           marey_error *error)
{
    marey_clip *fresh = NULL;
    marey_status status = MAREY_OK;
    if (request->mirror) {
        status = marey_clip_mirror(*clip, &fresh, error);
        status = replace(env, status, fresh, clip, error);
    }
    if (status == MAREY_OK && request->in_place) {
        status = marey_clip_in_place(*clip, &fresh, error);
        status = replace(env, status, fresh, clip, error);
    }
    if (status == MAREY_OK && request->scale > 0) {
        status = marey_clip_scale(*clip, request->scale, &fresh, error);
        status = replace(env, status, fresh, clip, error);
    }
    if (status == MAREY_OK && request->fps > 0) {
        status = marey_clip_resample(*clip, request->fps, &fresh, error);
        status = replace(env, status, fresh, clip, error);
    }
    if (status == MAREY_OK && (request->out_units || request->out_up)) {
        status = marey_clip_restate(*clip, (marey_units)request->out_units,
                                    (marey_up)request->out_up, &fresh, error);
        status = replace(env, status, fresh, clip, error);
    }
    if (status != MAREY_OK)
        snprintf(error->path, sizeof error->path, "%.1000s", request->clips.values[0].clip);
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_convert_params *request = params;
    app_convert_result *out = result;
    app_made *made = &out->made;
    marey_clip *clip = NULL;
    marey_status status = join(env, request, &made->from, &clip, error);
    if (status == MAREY_OK) status = change(env, request, &clip, error);
    if (status != MAREY_OK) return status;
    const marey_format *format = env->output ? marey_format_of(env->output) : NULL;
    marey_units written = format ? format->written_units : MAREY_UNITS_GUESS;
    made->made.clip = clip;
    made->no_plants = true;
    out->units = marey_units_name(written ? written : marey_clip_units(clip));
    out->up = !written && marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y";
    return app_made_note(env, &app_convert, &request->given, made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_convert_result *of = result;
    const marey_clip *clip = of->made.made.clip;
    (void)params;
    json_put_integer(out, "frames", marey_clip_frames(clip));
    json_put_number(out, "fps", marey_clip_fps(clip));
    json_put_number(out, "seconds", marey_clip_seconds(clip));
    json_put_integer(out, "joints", marey_clip_skeleton(clip)->joint_count);
    json_put_string(out, "units", of->units);
    json_put_string(out, "up", of->up);
}

APP_MADE_OF(app_convert_result, made)

const app_operation app_convert = {
    .name = "convert",
    .summary = "write a clip again, changed or in another format",
    .description = { "IN may name some of its frames: walk.bvh#120-300 (the end is not "
                     "included), walk.bvh#1.5s-3s, walk.bvh#120. Several inputs with the same "
                     "joints are put end to end. The format of OUT goes by its ending.",
                     "The changes are made in this order: frames named by IN, trim, end to "
                     "end, mirror, in place, scale, rate, units and axes. A clip that nothing "
                     "changes is written with the numbers of its file.",
                     "OUT appears when it is whole; it may be the same file as IN. "
                     "LIB.marey:NAME puts the clip into a library, which is made if it is not "
                     "there, under NAME or, if that is taken, NAME-2, with its sources, frames, "
                     "settings and licences.",
                     "With -L the inputs are names of clips in a library. If one of them is "
                     "marked as non-commercial, that is said." },
    .params = params_rows,
    .params_size = sizeof(app_convert_params),
    .result_size = sizeof(app_convert_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .output_last = true,
};
