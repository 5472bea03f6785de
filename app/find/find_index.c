/* find_index.c - `index`: what `search` goes by, the poses of a library, and its match webs. */
#include "find_motion.h"

#include "operations.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* The rows stand in groups: what is not given stays as the index was made; what is given makes the
   rest of its group the default. Those of shards come last and are no settings. */
enum { REBUILD_ROW = 1, SHOW_ROW = 2, DROP_ROW = 3, WEB_ROW = 5, METRIC_ROW = 12 };

static const app_param rows[] = {
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, fps),
      .least = 1,
      .most = 1000,
      .value = "N",
      .help = "webs look at clips this many frames a second, or at their own rate if that is "
              "lower (default: as they were made, at first 60)" },
    { .name = "rebuild",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, rebuild),
      .help = "make everything again, not only what is missing" },
    { .name = "show",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, show),
      .help = "only say what there is, and how far it is behind the library" },
    { .name = "drop",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, drop),
      .help = "take the match webs out of the library" },
    { .name = "web",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, web),
      .help = "also the match webs, for marey search --web; all options below are for them, and "
              "give them too" },
    { .name = "ceiling",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, ceiling),
      .least = 1e-9,
      .most = (double)INFINITY,
      .value = "E",
      .help = "frames that are further from each other are not looked at, so searching with a "
              "threshold above it may miss matches; none: no such bound (default: points 1000 "
              "cm2, the others none)" },
    { .name = "levels",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, levels),
      .help = "look at a sixth and a third of the rate first: fewer frames, and not exact" },
    { .name = "valid",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, valid),
      .least = 1e-6,
      .most = 100,
      .value = "SHARE",
      .help = "how far above a minimum its surroundings still count, by default 0.15" },
    { .name = "shortest",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, shortest),
      .least = 0.01,
      .most = 60,
      .unit = "s",
      .value = "S",
      .help = "shorter chains of minima are dropped, by default 0.25" },
    { .name = "bridge",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, bridge),
      .least = 0.01,
      .most = 60,
      .unit = "s",
      .value = "S",
      .help = "the longest bridge between chains, of both clips together, by default 2" },
    { .name = "tail",
      .type = APP_NUMBER,
      .at = offsetof(app_index_params, tail),
      .least = 0,
      .most = 60,
      .unit = "s",
      .value = "S",
      .help = "how far chains are continued beyond their ends, by default 0.7" },
    { .name = "slope",
      .type = APP_WHOLE,
      .at = offsetof(app_index_params, slope),
      .least = 1,
      .most = 8,
      .value = "L",
      .help = "at most this many steps in a row along one clip alone, by default 2" },
    { .name = "common-size",
      .type = APP_SWITCH,
      .at = offsetof(app_index_params, common_size),
      .help = "bring people of different sizes to one length of leg before they are compared; "
              "distances are then those at legs of 80 cm" },
    APP_METRIC_PARAMS(app_index_params, metric, "equal"),
    APP_SHARD_PARAMS(app_index_params, share),
    { 0 },
};

static bool changes_index(const void *params)
{
    return !((const app_index_params *)params)->show;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_index_params *request = params;
    uint64_t chosen = request->given.given & ((uint64_t)1 << SHOW_ROW | (uint64_t)1 << DROP_ROW);
    app_metric metric;
    if (request->share.shard && !request->web)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sshard is for %sweb: what searches go by takes seconds",
                        dialect == APP_COMMAND_LINE ? "--" : "",
                        dialect == APP_COMMAND_LINE ? "--" : "");
    if ((request->show || request->drop) &&
        (request->given.given != chosen || (request->show && request->drop))) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s builds nothing and must be given alone",
                        dialect == APP_COMMAND_LINE ? "--" : "", request->show ? "show" : "drop");
    }
    return app_metric_define(NULL, &request->metric, dialect, &metric, error);
}

static bool tell_progress(void *user, const marey_index_progress *progress)
{
    const app_env *env = user;
    app_progress(env, "indexing", (int64_t)(1000 * progress->share), 1000, progress->seconds_left);
    return !marey_ctx_cancelled(env->ctx);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_index_params *request = params;
    app_index_result *out = result;
    uint64_t given = app_given_settings(rows, &request->given);
    app_metric metric;
    marey_web_def web = { .ceiling = request->ceiling,
                          .slope = request->slope,
                          .valid = request->valid,
                          .shortest_s = request->shortest,
                          .bridge_s = request->bridge,
                          .tail_s = request->tail,
                          .levels = request->levels };
    marey_index_def def = { .fps = request->fps,
                            .rebuild = request->rebuild,
                            .progress = tell_progress,
                            .user = (void *)(uintptr_t)env,
                            .tiles = env->tiles };
    marey_status status = MAREY_OK;
    out->library = marey_library_path(env->library);
    if (request->show || request->drop || request->share.shard) {
        status = marey_library_pose_state(env->library, &out->poses, error);
    } else {
        app_progress(env, "indexing", 0, 0, -1); /* before the context tells of its first clip */
        status = marey_library_index_poses(env->library, request->rebuild, &out->poses, error);
    }
    if (status == MAREY_OK) {
        status = marey_library_index_state(env->library, &out->state, error);
        /* Damaged ones, or those of another marey, are made again. */
        if (marey_status_group(status) == MAREY_ERR_INPUT && !request->show && !request->drop) {
            out->state.exists = true;
            status = MAREY_OK;
        }
    }
    /* Webs that are there are kept up with the library. */
    bool others = given & ~(uint64_t)(1 << REBUILD_ROW | 1 << SHOW_ROW | 1 << DROP_ROW);
    out->webs = status == MAREY_OK && (others || out->state.exists);
    if (status == MAREY_OK && out->webs && !request->show && !request->drop) {
        /* Zero stands for the default there. */
        if (app_given(rows, &request->given, "tail") && request->tail == 0) web.tail_s = -1;
        if (given >> WEB_ROW & (((uint64_t)1 << (METRIC_ROW - WEB_ROW)) - 1)) def.web = &web;
        if (given >> METRIC_ROW) {
            status = app_metric_define(NULL, &request->metric, APP_COMMAND_LINE, &metric, error);
            metric.def.common_size = request->common_size;
            def.metric = &metric.def;
        }
        if (status == MAREY_OK)
            status = marey_library_index(env->library, &def, &out->report, error);
        if (status == MAREY_OK && !request->share.shard)
            status = marey_library_index_state(env->library, &out->state, error);
    }
    if (status == MAREY_ERR_CANCELLED && !request->share.shard)
        return app_fail(error, status, NULL,
                        "interrupted; what was indexed stays, and marey index goes on from there");
    return status;
}

static void write(const void *params, const void *result, json *out)
{
    const app_index_params *request = params;
    const app_index_result *of = result;
    const marey_index_state *state = &of->state;
    const marey_index_report *size = request->show ? &state->size : &of->report;
    if (request->drop) {
        json_put_boolean(out, "dropped", state->exists);
        json_put_integer(out, "bytes", state->exists ? state->size.bytes : 0);
        return;
    }
    if (request->show) json_put_boolean(out, "exists", of->poses.clips > 0 || state->exists);
    json_put_boolean(out, "web", of->webs);
    json_put_number(out, "fps", of->webs ? size->fps : 60);
    json_put_integer(out, "clips", of->poses.clips);
    json_put_integer(out, request->show ? "clips_missing" : "clips_made", of->poses.clips_made);
    json_put_integer(out, "pairs", of->webs ? size->pairs : 0);
    json_put_integer(out, "cells", of->webs ? size->cells : 0);
    json_put_number(out, "seconds", of->poses.seconds + (of->webs ? size->seconds : 0));
    json_put_integer(out, "chains", of->webs ? size->chains : 0);
    json_put_integer(out, "bridges", of->webs ? size->bridges : 0);
    json_put_integer(out, "bytes", of->poses.bytes + (of->webs ? size->bytes : 0));
    if (!of->webs) return;
    json_put_string(out, "metric", state->metric);
    json_put_number(out, "ceiling", size->ceiling); /* null: none */
    if (!request->show) {
        json_put_integer(out, "pairs_built", size->pairs_built);
        json_put_integer(out, "pairs_dropped", size->pairs_dropped);
        json_put_string(out, "rebuilt", *size->rebuilt ? size->rebuilt : NULL);
    }
    json_put_integer(out, "pairs_missing", state->pairs_missing);
    if (request->show && state->exists) {
        const marey_metric *metric = marey_metric_named(state->metric);
        json_put_string(out, "unit", metric ? metric->unit : "");
        if (metric && metric->thresholds.find > 0)
            json_put_number(out, "threshold", metric->thresholds.find);
        else
            json_put_null(out, "threshold");               /* one must be given */
        json_t *about = json_loads(state->about, 0, NULL); /* a library may be damaged */
        json_put_value(out, "about", about ? state->about : "null");
        json_decref(about);
    }
}

static marey_status drop(const app_env *env, const void *params, void *result, marey_error *error)
{
    (void)result;
    if (!((const app_index_params *)params)->drop) return MAREY_OK;
    return marey_library_index_drop(env->library, error);
}

const app_operation app_index = {
    .name = "index",
    .summary = "get a library ready to be searched, and build its match webs",
    .description = { "What marey search goes by is made when clips are added: their poses, 60 a "
                     "second, 40 bytes each. This makes it for clips of older libraries, which "
                     "otherwise every search has to make anew.",
                     "--web also compares every clip with every other and with itself and keeps "
                     "all pieces of motion that can be alike: the match webs of the paper. They "
                     "are for searches over several tiers by another metric than poses (search "
                     "--web). Time goes with the square of the library's length: ten minutes of "
                     "motion take seconds. Webs that are there are kept up with the library.",
                     "Ctrl-C leaves what was done; the next marey index goes on from there.",
                     "Settings of webs stay as they were made, until others are given; then all "
                     "are made again. --fps N looks at fewer frames, which is quicker and "
                     "smaller. A distance above the ceiling is in no match, so that much is not "
                     "looked at at all. The metrics and their options are those of marey grid." },
    .params = rows,
    .params_size = sizeof(app_index_params),
    .result_size = sizeof(app_index_result),
    .library = APP_WRITES,
    .takes_long = true,
    .shards = offsetof(app_index_params, share),
    .shards_by_motion = true,
    .shards_one_by_one = true,
    .writes = changes_index,
    .check = check,
    .run = run,
    .write = write,
    .commit = drop,
};
