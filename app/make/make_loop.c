/* make_loop.c - `loop`: the stretches of a clip that close into a seamless loop, and the best of
   them as a clip. */
#include "make.h"
#include "operations.h"

#include <stddef.h>
#include <string.h>

enum { MOST_LOOPS = 1000 };

static const app_param rows[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_loop_params, clip),
      .place = 1,
      .needed = true,
      .help = "the clip that has loops in it" },
    { .name = "count",
      .type = APP_WHOLE,
      .at = offsetof(app_loop_params, count),
      .value = "N",
      .least = 1,
      .most = MOST_LOOPS,
      .standard = "5",
      .note = true,
      .help = "how many loops are listed" },
    { .name = "in-place",
      .type = APP_SWITCH,
      .at = offsetof(app_loop_params, in_place),
      .help = "keep the body over one point; otherwise it travels" },
    APP_HALF_PARAM(app_loop_params),
    { .name = "shortest",
      .type = APP_NUMBER,
      .at = offsetof(app_loop_params, shortest),
      .value = "S",
      .least = 0.001,
      .most = 1e6,
      .unit = "s",
      .standard = "0.5",
      .help = "the shortest loop" },
    { .name = "longest",
      .type = APP_NUMBER,
      .at = offsetof(app_loop_params, longest),
      .value = "S",
      .least = 0.001,
      .most = 1e6,
      .unit = "s",
      .help = "the longest loop (default: no limit)" },
    { .name = "at",
      .type = APP_PAIR,
      .at = offsetof(app_loop_params, at),
      .value = "F,G",
      .help = "the loop from frame F to frame G, as they are in the file, and no other" },
    { .name = "still",
      .type = APP_SWITCH,
      .at = offsetof(app_loop_params, still),
      .help = "also look where the body stands still; otherwise such loops are left out" },
    APP_NO_CLEAN_PARAM(app_loop_params),
    APP_STRETCH_PARAM(app_loop_params),
    APP_SLOPE_PARAM(app_loop_params),
    APP_METRIC_PARAMS(app_loop_params, metric, "equal"),
    APP_OWN_METRIC_PARAM(app_loop_params, metric),
    APP_FOUND_PARAM(app_loop_params),
    APP_READING_PARAMS(app_loop_params, app_units_word),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_loop_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    app_metric unused;
    bool chooses = app_given(rows, &request->given, "count") || request->still ||
                   app_given(rows, &request->given, "shortest") || request->longest > 0;
    if (request->at.given[0] && chooses && dialect == APP_COMMAND_LINE) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat names the loop: there is nothing left to choose", dashes);
    }
    if (request->at.given[0] && request->at.values[0] >= request->at.values[1]) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat: end frame must come after start frame, got %d,%d", dashes,
                        request->at.values[0], request->at.values[1]);
    }
    if (request->longest > 0 && request->longest < request->shortest) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%slongest must be at least %sshortest, %g s, got %g s", dashes, dashes,
                        request->shortest, request->longest);
    }
    return app_metric_define(NULL, &request->metric, dialect, &unused, error);
}

/* The loop that `at` names, with what marey_loops_find would say of its cost. */
static marey_status find_named(const app_env *env, const app_loop_params *request,
                               app_loop_result *out, marey_error *error)
{
    const marey_clip *clip = out->all.clips[0];
    marey_loop *loop = &out->loops[0];
    marey_layout *layout = NULL;
    marey_features *features = NULL;
    marey_status status =
        app_material_find(&out->all, 0, request->at.values[0], "at", &loop->start, error);
    if (status == MAREY_OK)
        status = app_material_find(&out->all, 0, request->at.values[1], "at", &loop->end, error);
    if (status == MAREY_OK)
        status = marey_layout_build_bodies(env->ctx, &clip, 1, &out->metric.def, &layout, error);
    if (status == MAREY_OK) status = marey_features_build(layout, clip, &features, error);
    if (status == MAREY_OK) {
        loop->cost = marey_distance(features, marey_features_row(features, loop->start), features,
                                    marey_features_row(features, loop->end));
        out->count = 1;
    }
    marey_features_free(features);
    marey_layout_free(layout);
    return status;
}

static marey_status find(const app_env *env, const app_loop_params *request, app_loop_result *out,
                         marey_error *error)
{
    const marey_clip *clip = out->all.clips[0];
    double frames = marey_clip_frames(clip);
    marey_loops_def def = { .metric = &out->metric.def,
                            .half = request->half,
                            .shortest_s = request->shortest,
                            .longest_s = request->longest,
                            .still = request->still };
    int found = 0;
    out->half = marey_transition_half(clip, request->half);
    out->loops = APP_NEW(env->scope, marey_loop, request->count);
    if (!out->loops) return app_fail_memory(error);
    if (request->at.given[0]) return find_named(env, request, out, error);
    marey_status status = app_pairs_check(env, frames * frames, error);
    if (status == MAREY_OK)
        status = marey_loops_find(env->ctx, clip, &def, request->count, out->loops, &found, error);
    out->count = found < request->count ? found : request->count;
    double limit = out->metric.def.metric->thresholds.cut;
    out->over_limit = out->count > 0 && limit > 0 && out->loops[0].cost >= limit;
    if (status == MAREY_OK && out->over_limit)
        app_warn(env,
                 "warning: the best loop costs %.4g %s where it begins again, and up to %g hardly "
                 "shows: look at it",
                 out->loops[0].cost, out->metric.def.metric->unit, limit);
    return status;
}

/* How well a loop closes is known when it is made, so all of the list are; the first is what is
   asked for. */
static marey_status make(const app_env *env, const app_loop_params *request, app_loop_result *out,
                         marey_error *error)
{
    const marey_clip *clip = out->all.clips[0];
    app_made *made = &out->made;
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_loop_def def = { .metric = &out->metric.def,
                           .half = request->half,
                           .slope = request->slope,
                           .in_place = request->in_place,
                           .leave_feet = request->no_clean,
                           .clean = &clean };
    marey_status status = MAREY_OK;
    for (int i = 0; i < out->count && status == MAREY_OK; i++) {
        marey_made one = { 0 };
        status = marey_loop_make(env->ctx, clip, &out->all.contacts[0], &def, &out->loops[i], &one,
                                 error);
        if (i == 0 && status == MAREY_OK && env->wants_clip) {
            made->made = one;
            status = app_made_own(env, made, error);
        } else {
            marey_made_free(&one);
        }
    }
    if (status != MAREY_OK || !env->wants_clip) return status;
    if (out->count == 0) return app_fail(error, MAREY_ERR_REQUEST, NULL, "no loop was found");
    made->cleaned = !request->no_clean;
    made->in_place = request->in_place;
    made->end = marey_clip_frames(made->made.clip);
    if (!made->cleaned || made->in_place) return MAREY_OK;
    app_made left = { .made = { 0 } };
    marey_loop again = out->loops[0];
    def.leave_feet = true;
    status =
        marey_loop_make(env->ctx, clip, &out->all.contacts[0], &def, &again, &left.made, error);
    if (status == MAREY_OK) status = app_made_own(env, &left, error);
    made->raw = left.made.clip;
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_loop_params *request = params;
    app_loop_result *out = result;
    app_material_def how = { .reading = &request->reading, .found = request->found };
    marey_status status = app_metric_define(env, &request->metric, APP_BODY, &out->metric, error);
    if (status == MAREY_OK)
        status = app_materials_load(env, &how, &request->clip, 1, &out->all, error);
    if (status == MAREY_OK) status = find(env, request, out, error);
    if (status == MAREY_OK) status = make(env, request, out, error);
    if (status != MAREY_OK || !env->wants_clip) return status;
    status = app_materials_speeds(&out->all, &out->made.inputs, error);
    if (status != MAREY_OK) return status;
    app_source source = out->all.items[0].source;
    source.start = app_material_frame(&out->all, 0, out->loops[0].start);
    source.end = app_material_frame(&out->all, 0, out->loops[0].end);
    app_provenance_source(&out->made.from, env->scope, &source);
    return app_made_finish(env, &app_loop, &request->given, &out->made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_loop_params *request = params;
    const app_loop_result *of = result;
    json_open(out, "loops", '[');
    for (int i = 0; i < of->count; i++) {
        const marey_loop *one = &of->loops[i];
        json_open(out, NULL, '{');
        json_put_integer(out, "start", app_material_frame(&of->all, 0, one->start));
        json_put_integer(out, "end", app_material_frame(&of->all, 0, one->end));
        json_put_number(out, "cost", one->cost);
        json_put_number(out, "seam_ratio", one->seam_ratio);
        json_put_number(out, "still_s", one->still_s);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_string(out, "metric", of->metric.def.metric->name);
    json_put_string(out, "unit", of->metric.def.metric->unit);
    json_put_boolean(out, "over_limit", of->over_limit);
    json_put_boolean(out, "in_place", request->in_place);
    json_put_integer(out, "half", of->half);
    if (of->made.made.clip) {
        app_made_write(&of->made, out);
    } else {
        json_put_number(out, "fps", marey_clip_fps(of->all.clips[0]));
    }
}

APP_MADE_OF(app_loop_result, made)

const app_operation app_loop = {
    .name = "loop",
    .summary = "find the stretches of a clip that close into a seamless loop",
    .description = { "Lists frames from which the clip could go on with an earlier one, the most "
                     "alike first, and for each how well it closes: peak joint speed over "
                     "the seam, over that inside the loop. About 1 or less does "
                     "not show.",
                     "-o OUT writes the best loop as a clip whose last frame goes on into its "
                     "first. It travels: a player moves it on by where it got to. With --in-place "
                     "it stays over one point. OUT may be LIB.marey:NAME, as in marey convert." },
    .params = rows,
    .params_size = sizeof(app_loop_params),
    .result_size = sizeof(app_loop_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "loop of",
};
