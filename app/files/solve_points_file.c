/* solve_points_file.c - `solve`: joint positions, markers, or the rotations of an SMPL body become a
   clip. */
#include "file_text.h"
#include "files.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>

enum { LARGEST_TEXT_MIB = 1 };

static const char *preset_word(int index)
{
    return index == 0 ? "guess" : marey_solve_preset_name(index - 1);
}

static const app_param params_rows[] = {
    { .name = "input",
      .type = APP_TEXT,
      .at = offsetof(app_solve_params, input),
      .place = 1,
      .needed = true,
      .note = true,
      .value = "IN",
      .help = "the file of points: .npy, .npz, .c3d or .trc; or an AMASS archive, .npz" },
    { .name = "preset",
      .type = APP_WORD,
      .at = offsetof(app_solve_params, preset),
      .value = "ORDER",
      .word = preset_word,
      .help = "which joints the points are (default: by the file's parents, the points' names, or "
              "their number)" },
    { .name = "map",
      .type = APP_TEXT,
      .at = offsetof(app_solve_params, map),
      .value = "FILE",
      .help = "which points make up which joint, a line each: joint,parent,point+point" },
    { .name = "bones",
      .type = APP_TEXT,
      .at = offsetof(app_solve_params, bones),
      .value = "FILE",
      .help = "of AMASS archives: joint,x,y,z in lines of a .csv, cm from the joint's parent, or a "
              "skeleton file whose joints have the names of SMPL (default: a body of 170 cm)" },
    APP_MEASURE_PARAMS(app_solve_params, reading, app_units_word),
    { .name = "onto",
      .type = APP_SEGMENT,
      .at = offsetof(app_solve_params, onto),
      .value = "CLIP",
      .help = "put what was solved on the body of this clip or file, as marey retarget does" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_solve_params, fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "resample to this many frames a second" },
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_solve_params *request = params;
    if (!request->map || request->preset == 0) return MAREY_OK;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "%smap and %spreset exclude each other", dashes,
                    dashes);
}

static void release_points(void *points)
{
    marey_points_free(points);
}

static void release_report(void *report)
{
    marey_solve_report_free(report);
}

/* The offsets of a skeleton's joints, or a table of them, as marey_amass_def has them. */
static marey_status read_bones(const app_env *env, const char *path, buffer *text,
                               marey_error *error)
{
    if (path_ends_in(path, ".csv") || path_ends_in(path, ".txt"))
        return app_file_text(env->scope->memory, path, LARGEST_TEXT_MIB, "a table of bones", text,
                             error);
    marey_clip *clip = NULL;
    marey_status status = marey_clip_load(env->ctx, path, NULL, &clip, error);
    if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    if (status != MAREY_OK) return status;
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    for (int j = 1; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        buffer_print(text, "%s,%.9g,%.9g,%.9g\n", joint->name, joint->offset_cm[0],
                     joint->offset_cm[1], joint->offset_cm[2]);
    }
    buffer_byte(text, 0);
    return app_check(text->failed, error);
}

static marey_status read_amass(const app_env *env, const app_solve_params *request,
                               marey_clip **clip, marey_error *error)
{
    buffer bones = buffer_make(env->scope->memory);
    marey_amass_def def = { .fps = request->reading.source_fps,
                            .up = (marey_up)request->reading.up };
    marey_status status = MAREY_OK;
    if (request->bones) status = read_bones(env, request->bones, &bones, error);
    if (request->bones) def.bones = bones.bytes;
    if (status == MAREY_OK) status = marey_amass_load(env->ctx, request->input, &def, clip, error);
    buffer_free(&bones);
    if (status == MAREY_OK && (request->map || request->preset || request->reading.units)) {
        marey_clip_free(*clip);
        *clip = NULL;
        return app_fail(error, MAREY_ERR_REQUEST, request->input,
                        "map, preset and units are for points; this file holds rotations");
    }
    return status;
}

static marey_status read_points(const app_env *env, const app_solve_params *request,
                                marey_solve_report *report, marey_clip **clip, marey_error *error)
{
    marey_points *points = NULL;
    marey_solve_def def = { .preset = request->preset ? preset_word(request->preset) : NULL,
                            .fps = request->reading.source_fps,
                            .units = (marey_units)request->reading.units,
                            .up = (marey_up)request->reading.up };
    buffer map = buffer_make(env->scope->memory);
    marey_status status = MAREY_OK;
    if (request->bones)
        status = app_fail(error, MAREY_ERR_REQUEST, request->input,
                          "bones are for AMASS archives; this file holds points");
    if (status == MAREY_OK && request->map)
        status =
            app_file_text(env->scope->memory, request->map, LARGEST_TEXT_MIB, "a map", &map, error);
    if (request->map) def.map = map.bytes;
    if (status == MAREY_OK) status = marey_points_load(env->ctx, request->input, &points, error);
    if (status == MAREY_OK) status = app_own(env->scope, points, release_points, error);
    if (status == MAREY_OK) {
        status = marey_points_solve(env->ctx, points, &def, clip, report, error);
        if (status != MAREY_OK)
            snprintf(error->path, sizeof error->path, "%.1000s", request->input);
    }
    buffer_free(&map);
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_solve_params *request = params;
    app_solve_result *out = result;
    app_made *made = &out->made;
    marey_clip *clip = NULL, *fresh = NULL;
    if (!env->reads_files)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "points are read from files: marey solve does so on a command line");
    out->report.preset = "smpl22";
    marey_status status = read_amass(env, request, &clip, error);
    out->amass = status == MAREY_OK;
    if (status == MAREY_ERR_UNKNOWN_FORMAT)
        status = read_points(env, request, &out->report, &clip, error);
    if (status != MAREY_OK) return status;
    status = app_own(env->scope, &out->report, release_report, error);
    if (status != MAREY_OK) marey_clip_free(clip);
    if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    if (status != MAREY_OK) return status;
    const marey_report *notes = marey_clip_report(clip);
    for (int i = 0; i < notes->warning_count; i++)
        app_warn(env, "%s: warning: %s", request->input, notes->warnings[i]);
    out->clip = clip;
    app_source source = { .licence = "", .name = request->input, .end = marey_clip_frames(clip) };
    if (request->onto.clip) {
        marey_clip *body = NULL, *put = NULL;
        status = app_body_read(env, &request->onto, &body, error);
        if (status == MAREY_OK)
            status = marey_clip_retarget(clip, NULL, 0, body, NULL, &put, NULL, error);
        if (status == MAREY_OK) status = app_own_clip(env, put, error);
        if (status != MAREY_OK) return status;
        clip = put;
    }
    if (request->fps > 0) {
        status = marey_clip_resample(clip, request->fps, &fresh, error);
        if (status == MAREY_OK) status = app_own_clip(env, fresh, error);
        if (status != MAREY_OK) return status;
        clip = fresh;
    }
    made->made.clip = clip;
    made->no_plants = true;
    app_provenance_source(&made->from, env->scope, &source);
    return app_made_note(env, &app_solve, &request->given, made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_solve_result *of = result;
    const marey_skeleton *skeleton = marey_clip_skeleton(of->clip);
    (void)params;
    app_made_write_length(&of->made, out);
    json_put_integer(out, "joints", skeleton->joint_count);
    json_put_string(out, "preset", of->report.preset);
    json_put_number(out, "mean_error_cm", of->report.mean_error_cm);
    json_put_number(out, "p99_error_cm", of->report.p99_error_cm);
    json_put_number(out, "noise_cm", of->report.noise_cm);
    json_open(out, "gaps", '[');
    for (int i = 0; i < of->report.gap_count; i++) {
        const marey_solve_gap *gap = &of->report.gaps[i];
        json_open(out, NULL, '{');
        json_put_string(out, "joint", skeleton->joints[gap->joint].name);
        json_put_integer(out, "start", gap->start);
        json_put_integer(out, "end", gap->end);
        json_close(out, '}');
    }
    json_close(out, ']');
}

APP_MADE_OF(app_solve_result, made)

const app_operation app_solve = {
    .name = "solve",
    .summary = "turn joint positions or markers into a skeleton with rotations",
    .description = { "Points say where joints are and not how bones are turned. marey finds a tree "
                     "over them, bones of constant length, a T-pose (y up, facing z) and "
                     "rotations: "
                     "knees and elbows bend as hinges, and nothing turns further than it has to.",
                     "Which point is which joint: --map, --preset, else the file's own parents, "
                     "the "
                     "names of the points, their number, or what keeps its distance. A map has a "
                     "line for every joint, parents first: left_knee,left_hip,LKNE+LKNI (the mean "
                     "of two markers); the root has no parent: pelvis,,LASI+RASI.",
                     "Noise is measured by what bones' lengths do from frame to frame, and "
                     "smoothed "
                     "by as much; clean points are followed as they are. Gaps are filled and "
                     "listed; "
                     "frames in which no point was seen are marked.",
                     "The format of OUT goes by its ending; LIB.marey:NAME puts the clip into a "
                     "library. A .npy file does not say its rate: --source-fps does.",
                     "An AMASS archive (poses, trans) has rotations already: they become a clip of "
                     "SMPL's 22 body joints, with the bones of --bones or of a standard body." },
    .params = params_rows,
    .params_size = sizeof(app_solve_params),
    .result_size = sizeof(app_solve_result),
    .library = APP_NO_LIBRARY,
    .takes_long = true,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "solved from",
};
