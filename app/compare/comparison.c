/* comparison.c - from two segments and a metric to layout, features and grid. */
#include "comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- clips ----------------------------------------------------------------------------------- */

static void close_library(void *library)
{
    marey_library_close(library);
}

/* Clips with other joints are left out where the two have the same ones, so that these stay what is
   compared. The layout takes the lowest rate of all its clips; a slow clip of the library shall not
   change the grid. */
marey_status app_comparison_normalize(const app_env *env, const char *path, app_comparison *out,
                                      marey_error *error)
{
    bool alike = have_same_joints(out->clips[0], out->clips[1]);
    double fps = fmin(marey_clip_fps(out->clips[0]), marey_clip_fps(out->clips[1]));
    marey_library *library = NULL;
    marey_listing *listing = NULL;
    int count = 0;
    if (!env->reads_files) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "normalize names a file: it is for the command line");
    }
    marey_status status = marey_library_open(env->ctx, path, MAREY_LIBRARY_READ, &library, error);
    if (status == MAREY_OK) status = app_own(env->scope, library, close_library, error);
    if (status == MAREY_OK) status = marey_library_list(library, NULL, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    out->with = APP_NEW(env->scope, const marey_clip *, count + 2);
    if (!out->with) return app_fail_memory(error);
    /* The two come first: the layout's scale is that of the first clip. */
    for (int side = 0; side < 2; side++) out->with[out->with_count++] = out->clips[side];
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        marey_clip *clip = NULL, *slow = NULL;
        app_progress(env, "reading", i, count, -1);
        status = marey_library_load(library, entries[i].name, &clip, error);
        if (status == MAREY_OK && marey_clip_fps(clip) < fps) {
            slow = clip;
            clip = NULL;
            status = marey_clip_resample(slow, fps, &clip, error);
            if (status != MAREY_OK)
                snprintf(error->path, sizeof error->path, "%.1000s", entries[i].name);
            marey_clip_free(slow);
        }
        if (status == MAREY_OK && alike && !have_same_joints(out->clips[0], clip)) {
            marey_clip_free(clip);
            continue;
        }
        if (status == MAREY_OK) status = app_own_clip(env, clip, error);
        out->with[out->with_count++] = clip;
    }
    if (status != MAREY_OK || out->with_count > 2) return status;
    return app_fail(error, MAREY_ERR_REQUEST, path,
                    "no clip of this library has the joints of the two");
}

marey_status app_comparison_load(const app_env *env, const app_compared *request,
                                 app_comparison *out, marey_error *error)
{
    out->scope = env->scope;
    marey_status status = app_metric_define(env, &request->metric, APP_BODY, &out->metric, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        marey_clip *clip = NULL;
        out->texts[side] = app_segment_text(env->scope, &request->clips[side]);
        status = app_check(!out->texts[side], error);
        if (status == MAREY_OK)
            status = app_clip_read(env, &request->reading, &request->clips[side], &clip,
                                   &out->sources[side], error);
        out->own[side] = out->clips[side] = clip;
    }
    for (int side = 0; side < 2 && status == MAREY_OK && request->fps > 0; side++) {
        marey_clip *clip = NULL;
        if (marey_clip_fps(out->own[side]) == request->fps) continue;
        status = marey_clip_resample(out->own[side], request->fps, &clip, error);
        if (status != MAREY_OK)
            snprintf(error->path, sizeof error->path, "%.1000s", out->texts[side]);
        if (status == MAREY_OK) status = app_own_clip(env, clip, error);
        out->clips[side] = clip;
    }
    if (status == MAREY_OK && request->normalize)
        status = app_comparison_normalize(env, request->normalize, out, error);
    return status;
}

/* ---- measures -------------------------------------------------------------------------------- */

marey_status app_comparison_measure(const app_env *env, app_comparison *comparison,
                                    const marey_metric_def *def, marey_error *error)
{
    double start = app_seconds();
    bool normalized = comparison->with && def->metric->options & MAREY_METRIC_STEPS;
    marey_status status = marey_layout_build(
        env->ctx, normalized ? comparison->with : comparison->clips,
        normalized ? comparison->with_count : 2, def, &comparison->layout, error);
    if (status == MAREY_OK) status = app_own_layout(env, comparison->layout, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = marey_features_build(comparison->layout, comparison->clips[side],
                                      &comparison->features[side], error);
        if (status == MAREY_OK) status = app_own_features(env, comparison->features[side], error);
    }
    comparison->seconds = app_seconds() - start;
    return status;
}

/* A comparison that is kept weighs as much as its grid would: one of 16 million cells fills the
   cache. */
static marey_status open_comparison(const app_env *env, const char *name, void *object,
                                    int64_t *weight, marey_error *error)
{
    app_comparison *comparison = object;
    (void)name;
    marey_status status = app_comparison_load(env, env->wanted, comparison, error);
    if (status == MAREY_OK)
        status = app_comparison_measure(env, comparison, &comparison->metric.def, error);
    if (status != MAREY_OK) return status;
    *weight = (int64_t)marey_features_rows(comparison->features[0]) *
              marey_features_rows(comparison->features[1]) / 256;
    return MAREY_OK;
}

marey_status app_comparison_open(const app_env *env, const app_compared *request,
                                 app_comparison **out, marey_error *error)
{
    const app_metric_params *metric = &request->metric;
    static const app_saved_kind kind = { "comparison", sizeof(app_comparison), open_comparison };
    char room[4 * MAREY_NAME_ROOM] = "";
    buffer name = buffer_fixed(room, sizeof room - 1);
    void *found = NULL;
    /* The whole request is the key in the cache; a result whose key is too long is not kept. */
    for (int side = 0; side < 2; side++) {
        const frame_range *range = &request->clips[side].range;
        buffer_print(&name, "%s#%d%d%d%.17g-%.17g ", request->clips[side].clip, range->given,
                     range->in_seconds, range->one_frame, range->start, range->end);
    }
    buffer_print(&name, "%d %d %d%d%d %.17g %.17g %.17g", metric->metric, metric->window,
                 metric->tapered, metric->fixed_root, metric->normalised, metric->candidates,
                 metric->gaussian, request->fps);
    for (int i = 0; i < metric->attributes.count; i++)
        buffer_print(&name, ",%.17g", metric->attributes.values[i]);
    buffer_print(&name, " %s", metric->joints ? metric->joints : "");
    app_env inside = *env;
    inside.wanted = request;
    /* What the program lends may be another metric of that name the next time. */
    if (request->normalize || metric->own || name.failed) inside.cache = NULL;
    marey_status status = app_saved_open(&inside, &kind, room, &found, error);
    if (status == MAREY_OK) *out = found;
    return status;
}

marey_status app_comparison_grid(const app_env *env, app_comparison *comparison, marey_error *error)
{
    marey_features **features = comparison->features;
    app_env inside = *env;
    marey_grid *grid = NULL;
    if (comparison->grid) return MAREY_OK;
    inside.scope = comparison->scope;
    marey_status status = app_pairs_check(
        env, (double)marey_features_rows(features[0]) * marey_features_rows(features[1]), error);
    if (status == MAREY_OK)
        status = marey_grid_build(env->ctx, features[0], features[1], &grid, error);
    if (status == MAREY_OK) status = app_own_grid(&inside, grid, error);
    if (status == MAREY_OK) comparison->grid = grid;
    return status;
}

marey_status app_comparison_draw(const app_env *env, app_comparison *comparison,
                                 const marey_grid_picture_def *def, const char *path,
                                 marey_error *error)
{
    marey_grid_side sides[2];
    marey_status status = app_comparison_grid(env, comparison, error);
    if (status != MAREY_OK) return status;
    for (int s = 0; s < 2; s++) {
        sides[s] = (marey_grid_side){ .features = comparison->features[s],
                                      .clip = comparison->clips[s],
                                      .first_frame = app_comparison_frame(comparison, s, 0),
                                      .shown_fps = marey_clip_fps(comparison->own[s]) };
    }
    return marey_grid_picture_save(comparison->grid, &sides[0], &sides[1], def, path, error);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Counted from the first frame of the clip in hand. */
static int own_frame(const app_comparison *comparison, int side, int row)
{
    const marey_clip *own = comparison->own[side];
    int frame = marey_features_frame(comparison->features[side], row);
    if (own != comparison->clips[side])
        frame = (int)lround(frame * marey_clip_fps(own) / marey_clip_fps(comparison->clips[side]));
    return frame < marey_clip_frames(own) ? frame : marey_clip_frames(own) - 1;
}

int app_comparison_frame(const app_comparison *comparison, int side, int row)
{
    int frame = own_frame(comparison, side, row);
    const marey_clip *marked = comparison->marked[side];
    return comparison->sources[side].start + (marked ? captured_frame(marked, frame) : frame);
}

int app_comparison_row(const app_comparison *comparison, int side, int frame)
{
    const marey_clip *own = comparison->own[side], *clip = comparison->clips[side];
    int at = frame - comparison->sources[side].start, last = marey_clip_frames(clip) - 1;
    if (comparison->marked[side]) at = captured_before(comparison->marked[side], at);
    if (own != clip) at = (int)lround(at * marey_clip_fps(clip) / marey_clip_fps(own));
    return marey_features_row(comparison->features[side], at < last ? at : last);
}

bool app_comparison_captured(const app_comparison *comparison, int side, int row)
{
    return is_captured(comparison->own[side], own_frame(comparison, side, row));
}

/* ---- the answer ------------------------------------------------------------------------------ */

bool app_comparison_raw(const app_comparison *comparison)
{
    return marey_clip_units(comparison->clips[0]) == MAREY_UNITS_RAW;
}

const char *app_comparison_unit(const app_comparison *comparison)
{
    const char *unit = marey_layout_def(comparison->layout)->metric->unit;
    if (!app_comparison_raw(comparison) || !*unit) return unit;
    return strcmp(unit, "cm2") == 0 ? "raw2" : "raw";
}

void app_comparison_write(const app_comparison *comparison, json *out)
{
    const marey_metric_def *def = marey_layout_def(comparison->layout);
    json_put_string(out, "metric", def->metric->name);
    json_put_string(out, "unit", app_comparison_unit(comparison));
    json_put_integer(out, "window", def->window);
    json_put_string(out, "joints", def->joints->name);
    json_put_number(out, "fps", marey_layout_fps(comparison->layout));
    json_put_boolean(out, "by_roles", marey_layout_by_roles(comparison->layout));
    if (comparison->with) json_put_integer(out, "normalized_by", comparison->with_count - 2);
}
