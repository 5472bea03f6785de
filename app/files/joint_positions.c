/* joint_positions.c - `positions`: where every joint is in every frame, for NumPy. */
#include "clip_info.h"
#include "files.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>

enum { BLOCK_FRAMES = 1024 };

static const app_param params_rows[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_positions_params, clip),
      .place = 1,
      .needed = true,
      .help = "which clip" },
    { .name = "output",
      .type = APP_TEXT,
      .at = offsetof(app_positions_params, output),
      .letter = 'o',
      .needed = true,
      .note = true,
      .value = "FILE.npy",
      .help = "the NumPy file to write: .npy, or .npz with names, parents and rate" },
    APP_READING_PARAMS(app_positions_params, app_units_or_raw_word),
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_positions_params, fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "resample to this many frames a second" },
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_positions_params *request = params;
    if (path_ends_in(request->output, ".npy") || path_ends_in(request->output, ".npz"))
        return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "%soutput must end in .npy or .npz, got %s",
                    dialect == APP_COMMAND_LINE ? "--" : "", request->output);
}

static void place_block(void *user, int64_t block)
{
    const app_positions_result *of = user;
    int frames = marey_clip_frames(of->clip), first = (int)block * BLOCK_FRAMES;
    int count = frames - first < BLOCK_FRAMES ? frames - first : BLOCK_FRAMES;
    size_t row = (size_t)marey_clip_skeleton(of->clip)->joint_count * 3;
    marey_clip_positions_float(of->clip, first, count, of->values + (size_t)first * row);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_positions_params *request = params;
    app_positions_result *out = result;
    app_source source;
    marey_clip *clip = NULL, *fresh = NULL;
    marey_status status =
        app_clip_read(env, &request->reading, &request->clip, &clip, &source, error);
    if (status == MAREY_OK && request->fps > 0) {
        status = marey_clip_resample(clip, request->fps, &fresh, error);
        if (status == MAREY_OK) status = app_own_clip(env, fresh, error);
        if (status != MAREY_OK)
            snprintf(error->path, sizeof error->path, "%.1000s", request->clip.clip);
        clip = fresh;
    }
    if (status != MAREY_OK) return status;
    int frames = marey_clip_frames(clip);
    out->clip = clip;
    out->values = APP_NEW(env->scope, float,
                          (size_t)frames *(size_t)marey_clip_skeleton(clip)->joint_count * 3);
    if (!out->values) return app_fail_memory(error);
    marey_ctx_run(env->ctx, (frames + BLOCK_FRAMES - 1) / BLOCK_FRAMES, place_block, out);
    return MAREY_OK;
}

static void write(const void *params, const void *result, json *out)
{
    const app_positions_result *of = result;
    const marey_skeleton *skeleton = marey_clip_skeleton(of->clip);
    json_put_string(out, "path", ((const app_positions_params *)params)->output);
    json_open(out, "shape", '[');
    json_put_integer(out, NULL, marey_clip_frames(of->clip));
    json_put_integer(out, NULL, skeleton->joint_count);
    json_put_integer(out, NULL, 3);
    json_close(out, ']');
    json_put_number(out, "fps", marey_clip_fps(of->clip));
    json_put_string(out, "units", marey_clip_units(of->clip) == MAREY_UNITS_RAW ? "raw" : "cm");
    json_open(out, "joints", '[');
    for (int i = 0; i < skeleton->joint_count; i++)
        json_put_string(out, NULL, skeleton->joints[i].name);
    json_close(out, ']');
    json_open(out, "parents", '[');
    for (int i = 0; i < skeleton->joint_count; i++)
        json_put_integer(out, NULL, skeleton->joints[i].parent);
    json_close(out, ']');
    app_marks_write(of->clip, out);
}

static marey_status save(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_positions_result *of = result;
    const marey_skeleton *skeleton = marey_clip_skeleton(of->clip);
    int count = skeleton->joint_count;
    bool raw = marey_clip_units(of->clip) == MAREY_UNITS_RAW;
    const char **names = APP_NEW(env->scope, const char *, (size_t)count);
    int *parents = APP_NEW(env->scope, int, (size_t)count);
    if (!names || !parents) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        names[i] = skeleton->joints[i].name;
        parents[i] = skeleton->joints[i].parent;
    }
    marey_points points = { .frames = marey_clip_frames(of->clip),
                            .count = count,
                            .fps = marey_clip_fps(of->clip),
                            .names = names,
                            .at = of->values,
                            .parents = parents,
                            .units = raw ? MAREY_UNITS_RAW : MAREY_UNITS_CM,
                            .up = raw ? MAREY_UP_GUESS : MAREY_UP_Y };
    return marey_points_save(env->ctx, &points, ((const app_positions_params *)params)->output,
                             error);
}

const app_operation app_positions = {
    .name = "positions",
    .summary = "write the place of every joint in every frame as a NumPy file",
    .description = { "The file holds frames x joints x 3 float32 numbers: centimetres, y up. "
                     "With --units raw they are as in the file, unscaled and unturned. Tips of "
                     "bones (End Sites) are left out. An .npz has the array as positions, and "
                     "names, "
                     "parents (-1: the root), fps, units and up.",
                     "CLIP may name some of its frames: walk.bvh#120-300 (the end is not "
                     "included), walk.bvh#1.5s-3s, walk.bvh#120. With -L it is the name of a "
                     "clip in a library." },
    .params = params_rows,
    .params_size = sizeof(app_positions_params),
    .result_size = sizeof(app_positions_result),
    .library = APP_MAY_READ,
    .takes_long = true,
    .check = check,
    .run = run,
    .write = write,
    .commit = save,
    .writes_file = true,
};
