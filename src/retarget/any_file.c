/* any_file.c - a clip out of whatever holds motion: of points a body is made, and the rotations of
   AMASS archives get one. */
#include "base/fail.h"
#include "motion/clip_data.h"

#include <marey/retarget.h>

#include <stdio.h>

static marey_status solve_file(marey_ctx *ctx, const char *path, const marey_load_def *def,
                               marey_clip **out, marey_error *error)
{
    marey_points *points = NULL;
    marey_clip *clip = NULL;
    marey_solve_report report = { 0 };
    marey_solve_def how = { .fps = def->source_fps, .units = def->units, .up = def->up };
    marey_amass_def body = { .fps = def->source_fps, .up = def->up };
    marey_status status = marey_amass_load(ctx, path, &body, &clip, error);
    bool amass = status != MAREY_ERR_UNKNOWN_FORMAT;
    if (!amass) status = marey_points_load(ctx, path, &points, error);
    if (!amass && !status) status = marey_points_solve(ctx, points, &how, &clip, &report, error);
    if (status && error) snprintf(error->path, sizeof error->path, "%.1000s", path);
    bool fits = status || amass ||
                mry_clip_warn(clip,
                              "a body was made of its %d points, from which it is %.2f cm "
                              "off on average; marey solve has settings for that",
                              points->count, report.mean_error_cm);
    if (!fits) status = mry_fail_memory(error, path);
    if (!status && def->skip_first) {
        int frames = marey_clip_frames(clip);
        status = frames > 1
                     ? marey_clip_trim(clip, 1, frames, out, error)
                     : mry_fail(error, MAREY_ERR_REQUEST, path,
                                "a clip must have 2 frames or more to skip the first, got 1");
        marey_clip_free(clip);
        clip = NULL;
    }
    marey_points_free(points);
    marey_solve_report_free(&report);
    if (status) marey_clip_free(clip);
    if (!status && clip) *out = clip;
    return status;
}

marey_status marey_motion_load(marey_ctx *ctx, const char *path, const marey_load_def *def,
                               marey_clip **out, marey_error *error)
{
    static const marey_load_def defaults = { 0 };
    marey_error other;
    marey_status status = marey_clip_load(ctx, path, def, out, error);
    if (status != MAREY_ERR_UNKNOWN_FORMAT) return status;
    marey_status solved = solve_file(ctx, path, def ? def : &defaults, out, &other);
    if (solved == MAREY_ERR_UNKNOWN_FORMAT) return status; /* as it was said at first */
    if (error) *error = solved ? other : (marey_error){ 0 };
    return solved;
}
