/* find_search.c - `search`: everything in a library that is like one piece of motion. */
#include "find_motion.h"

#include "operations.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const app_param rows[] = {
    { .name = "query",
      .type = APP_SEGMENT,
      .at = offsetof(app_search_params, query),
      .place = 1,
      .needed = true,
      .value = "CLIP[#A-B]",
      .help = "what is searched for" },
    APP_ALSO_PARAM(app_search_params, also),
    APP_SEARCHING_PARAMS(app_search_params, NULL),
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_search_params, searching.label),
      .help = "only in clips with this label, or where at least half of a match has it; the query "
              "may be any" },
    { .name = "mirror",
      .type = APP_SWITCH,
      .at = offsetof(app_search_params, searching.mirror),
      .help = "also find what is done with the other side; --cut and -o mirror it back" },
    { .name = "limit",
      .type = APP_WHOLE,
      .at = offsetof(app_search_params, searching.limit),
      .least = 1,
      .most = 1000000,
      .value = "N",
      .help = "at most this many matches, by default 10000" },
    { .name = "paths",
      .type = APP_SWITCH,
      .at = offsetof(app_search_params, paths),
      .help = "with --json, also which frames go together in every edge" },
    { .name = "cut",
      .type = APP_NAME,
      .at = offsetof(app_search_params, cut),
      .value = "NAME",
      .help = "make a clip of every match, in the library, called NAME-1, NAME-2 and so on" },
    { .name = "add",
      .type = APP_TEXTS,
      .at = offsetof(app_search_params, add),
      .repeats = true,
      .value = "LABEL",
      .only_if = "cut",
      .help = "a label for its clips; may be given several times" },
    { .name = "label-matches",
      .type = APP_TEXT,
      .at = offsetof(app_search_params, label_matches),
      .most = MAREY_NAME_ROOM - 1,
      .value = "LABEL",
      .help = "label the frames of the query and of every match" },
    APP_OWN_METRIC_PARAM(app_search_params, searching.metric),
    APP_READING_PARAMS(app_search_params, app_units_word),
    { 0 },
};

static bool changes_library(const void *params)
{
    const app_search_params *request = params;
    return request->cut || request->label_matches;
}

marey_status app_search_metric(const app_env *env, const app_searching *options, const char **name,
                               marey_error *error)
{
    marey_index_state state;
    *name = options->metric.own ? options->metric.own : "poses";
    if (!options->web) return MAREY_OK;
    marey_status status = marey_library_index_state(env->library, &state, error);
    if (status == MAREY_OK && !state.exists) {
        const char *path = marey_library_path(env->library);
        return app_fail(error, MAREY_ERR_STALE, path,
                        "no match webs yet; run marey index --web %.900s", path);
    }
    /* It is no fault of the query, which can be asked again when there is one. */
    if (marey_status_group(status) == MAREY_ERR_INPUT) status = error->status = MAREY_ERR_STALE;
    if (status == MAREY_OK) *name = state.metric;
    return status;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_search_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if (request->cut && request->label_matches)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%scut and %slabel%cmatches must be asked for one after the other", dashes,
                        dashes, *dashes ? '-' : '_');
    if (request->also.count > 0 && changes_library(request))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s changes the library that is searched, so it must be one alone",
                        dashes,
                        request->cut ? "cut"
                        : *dashes    ? "label-matches"
                                     : "label_matches");
    return app_searching_check(rows, &request->given, &request->searching, dialect, error);
}

marey_status app_searching_check(const app_param *table, const app_params *given,
                                 const app_searching *options, app_dialect dialect,
                                 marey_error *error)
{
    static const char *const of_both[] = { "web", "own-size", "mirror", "like", "unlike", "loose" };
    static const char *const of_webs[] = { "loose" }, *const of_poses[] = { "nearest", "own-size",
                                                                            "mirror", "like",
                                                                            "unlike" };
    const char *const *names = options->web ? of_poses : of_webs;
    size_t count = options->web ? sizeof of_poses / sizeof *of_poses : 1;
    for (size_t i = 0; options->metric.own && i < sizeof of_both / sizeof *of_both; i++) {
        if (!app_given(table, given, of_both[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s is for searches without an own metric",
                        of_both[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (!app_given(table, given, names[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s is for searches %s match webs",
                        dialect == APP_COMMAND_LINE ? "--" : "", names[i],
                        options->web ? "without" : "by");
    }
    return MAREY_OK;
}

/* Clips of the libraries alone: a number in JSON, "#34", is one too. */
static marey_status open_examples(const app_env *env, const app_libraries *libraries,
                                  const app_segments *given, const marey_query **out,
                                  marey_error *error)
{
    marey_query *all = APP_NEW(env->scope, marey_query, given->count);
    marey_status status = app_check(!all, error);
    for (int i = 0; i < given->count && status == MAREY_OK; i++) {
        app_env library_only = *env;
        app_query of;
        library_only.reads_files = false;
        status =
            app_query_open(&library_only, libraries, NULL, &given->values[i], false, &of, error);
        if (status == MAREY_OK)
            all[i] = (marey_query){
                .clip = of.name, .start = of.start, .end = of.end, .library = of.library
            };
    }
    *out = all;
    return status;
}

static marey_status open_searcher(const app_libraries *of, marey_searcher **out, marey_error *error)
{
    marey_library *libraries[MAREY_MOST_LIBRARIES];
    for (int i = 0; i < of->count; i++) libraries[i] = of->all[i].library;
    return marey_searcher_open_all(libraries, of->count, out, error);
}

marey_status app_search_run(const app_env *env, const app_libraries *libraries,
                            const app_param *table, const app_params *given,
                            const app_searching *options, const marey_query *query, app_found *out,
                            marey_error *error)
{
    marey_searcher *searcher = NULL;
    marey_finding *finding = NULL;
    app_metric metric;
    marey_status status = app_metric_define(env, &options->metric, APP_BODY, &metric, error);
    marey_find_def def = { .search = { .threshold = options->threshold,
                                       .tiers = options->tiers,
                                       .limit = options->limit,
                                       .same = options->same,
                                       .distinct = options->distinct,
                                       .loose = options->loose },
                           .web = options->web,
                           .nearest = options->nearest,
                           .own_size = options->own_size,
                           .mirror = options->mirror,
                           .like_count = options->like.count,
                           .unlike_count = options->unlike.count,
                           .metric = options->metric.own ? &metric.def : NULL,
                           .label = options->label,
                           .clip_count = options->in.count };
    /* Zero stands for the default there. */
    if (app_given(table, given, "distinct") && options->distinct == 0)
        def.search.distinct = DBL_MIN;
    if (app_given(table, given, "loose") && options->loose == 0) def.search.loose = -1;
    if (status == MAREY_OK && options->in.count > 0)
        status = app_clip_ids(env, libraries, &options->in, &def.clips, &def.clip_libraries, error);
    if (status == MAREY_OK && def.like_count > 0)
        status = open_examples(env, libraries, &options->like, &def.like, error);
    if (status == MAREY_OK && def.unlike_count > 0)
        status = open_examples(env, libraries, &options->unlike, &def.unlike, error);
    if (status != MAREY_OK) return status;
    if (env->finder)
        return env->finder->search(env->finder->user, env->scope, libraries, query, &def, out,
                                   error);
    status = open_searcher(libraries, &searcher, error);
    if (status == MAREY_OK) status = marey_searcher_find(searcher, query, &def, &finding, error);
    marey_searcher_free(searcher);
    if (status == MAREY_OK) status = app_own_finding(env, finding, error);
    if (status == MAREY_OK) *out = (app_found){ .finding = finding };
    return status;
}

static void release_path(void *path)
{
    marey_path_free(path);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_search_params *request = params;
    app_search_result *out = result;
    out->library = marey_library_path(env->library);
    marey_status status = app_libraries_open(env, &request->also, &out->libraries, error);
    if (status == MAREY_OK)
        status = app_query_open(env, &out->libraries, &request->reading, &request->query, false,
                                &out->query, error);
    if (status != MAREY_OK) return status;

    const app_query *of = &out->query;
    app_query_warn(env, of->end - of->start, of->fps);
    marey_query query = { of->name, of->clip, of->start, of->end, of->library };
    status = app_search_metric(env, &request->searching, &out->metric, error);
    if (status == MAREY_OK) {
        const char *own = request->searching.metric.own;
        const marey_metric *metric = marey_metric_named(out->metric);
        const marey_own_metric *lent = NULL;
        if (own) status = app_own_metric_find(env, own, &lent, error);
        out->squared = lent ? lent->metric.squared : !metric || metric->squared;
    }
    if (status == MAREY_OK) {
        status = app_search_run(env, &out->libraries, rows, &request->given, &request->searching,
                                &query, &out->found, error);
    }
    /* The library knows a file's clip by its name only. */
    if (status != MAREY_OK && of->clip && strcmp(error->path, marey_clip_name(of->clip)) == 0)
        snprintf(error->path, sizeof error->path, "%.1000s", of->name);
    if (status != MAREY_OK) return status;
    out->report = marey_finding_report_of(out->found.finding);
    out->matches = marey_finding_matches(out->found.finding, &out->count);
    if (out->report.past_ceiling) {
        app_warn(env,
                 "warning: the webs have nothing above %.6g, so matches may be missing; marey "
                 "index --web --ceiling %.6g makes them again with more",
                 out->report.ceiling, 1.5 * out->report.threshold);
    }
    if (out->report.clips_missing > 0) {
        app_warn(env,
                 "warning: %d clip%s not all in the index and may not have been searched; run "
                 "marey index --web %s",
                 out->report.clips_missing, out->report.clips_missing == 1 ? " is" : "s are",
                 out->libraries.count > 1 ? "on every library" : out->library);
    }
    if (request->paths) {
        int count;
        marey_finding_edges(out->found.finding, &count);
        out->paths = APP_NEW(env->scope, marey_path, count);
        status = app_check(!out->paths, error);
        for (int i = 0; i < count && status == MAREY_OK; i++) {
            status = marey_finding_path(out->found.finding, i, &out->paths[i], error);
            if (status == MAREY_OK)
                status = app_own(env->scope, &out->paths[i], release_path, error);
        }
    }
    if (status != MAREY_OK || !changes_library(request)) return status;
    /* The query too, unless it is a file's. The names, which only the library knows, are at most
       this long. */
    out->clip_count = out->count - (of->clip ? 1 : 0);
    if (!request->cut) return MAREY_OK;
    out->clips = APP_NEW(env->scope, marey_named, out->clip_count);
    for (int i = 0; i < out->clip_count && out->clips; i++)
        memset(out->clips[i].name, 1, MAREY_NAME_ROOM - 1);
    return app_check(!out->clips, error);
}

/* ---- cutting out, and labels ----------------------------------------------------------------- */

static marey_status change_library(const app_env *env, const void *params, void *result,
                                   marey_error *error)
{
    const app_search_params *request = params;
    app_search_result *out = result;
    enum { CLIP_ROOM = 24, NAME_ROOM = MAREY_NAME_ROOM + 16 };
    marey_clip_cuts_def def = { .labels = request->add.values, .label_count = request->add.count };
    marey_edit_def label = { .add = &request->label_matches, .add_count = 1 };
    if (!changes_library(request)) return MAREY_OK;
    int count = out->clip_count;
    const marey_match *matches = out->matches + (out->count - count);
    marey_clip_cut *cuts = APP_NEW(env->scope, marey_clip_cut, count);
    marey_clip_range *frames = APP_NEW(env->scope, marey_clip_range, count);
    char *texts = APP_NEW(env->scope, char, (size_t)count *(CLIP_ROOM + NAME_ROOM));
    if (!cuts || !frames || !texts) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        char *clip = texts + (size_t)i * (CLIP_ROOM + NAME_ROOM), *name = clip + CLIP_ROOM;
        snprintf(clip, CLIP_ROOM, "#%lld", (long long)matches[i].clip);
        snprintf(name, NAME_ROOM, "%s-%d", request->cut ? request->cut : "", i + 1);
        cuts[i] =
            (marey_clip_cut){ clip, matches[i].start, matches[i].end, name, matches[i].mirrored };
        frames[i] = (marey_clip_range){ clip, matches[i].start, matches[i].end };
    }
    if (request->label_matches)
        return marey_library_edit_frames(env->library, frames, count, &label, error);
    return marey_library_cut_clips(env->library, cuts, count, &def, out->clips, error);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void write(const void *params, const void *result, json *out)
{
    const app_search_result *of = result;
    const marey_finding_report *report = &of->report;
    int edge_count;
    const marey_match_edge *edges = marey_finding_edges(of->found.finding, &edge_count);
    const app_search_params *request = params;
    json_open(out, "matches", '[');
    for (int i = 0; i < of->count; i++) {
        const marey_match *match = &of->matches[i];
        int dropped = i == 0 ? of->query.dropped : 0;
        json_open(out, NULL, '{');
        json_put_string(out, "clip", match->name);
        if (match->clip) json_put_integer(out, "id", match->clip);
        if (!match->clip) json_put_null(out, "id");
        json_put_integer(out, "start", match->start + dropped);
        json_put_integer(out, "end", match->end + dropped);
        json_put_number(out, "distance", match->distance);
        if (of->squared) json_put_number(out, "distance_cm", sqrt(match->distance));
        json_put_number(out, "path_distance", match->path_distance);
        json_put_integer(out, "tier", match->tier);
        json_put_boolean(out, "mirrored", match->mirrored);
        if (of->libraries.count > 1 && match->clip)
            json_put_string(out, "library", of->libraries.all[match->library].name);
        else if (of->libraries.count > 1)
            json_put_null(out, "library");
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "edges", '[');
    for (int i = 0; i < edge_count; i++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "from", edges[i].from);
        json_put_integer(out, "to", edges[i].to);
        json_put_number(out, "distance", edges[i].distance);
        if (of->paths) json_open(out, "cells", '[');
        for (int c = 0; of->paths && c < of->paths[i].count; c++) {
            const marey_cell *cell = &of->paths[i].cells[c];
            json_open(out, NULL, '[');
            json_put_integer(out, NULL, cell->row + (edges[i].from == 0 ? of->query.dropped : 0));
            json_put_integer(out, NULL, cell->col + (edges[i].to == 0 ? of->query.dropped : 0));
            json_close(out, ']');
        }
        if (of->paths) json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_number(out, "seconds", report->seconds);
    json_put_string(out, "metric", of->metric);
    json_put_number(out, "threshold", report->threshold);
    json_put_boolean(out, "chosen", report->chosen);
    if (report->still_cost > 0) json_put_number(out, "still_cost", report->still_cost);
    json_put_number(out, "ceiling", report->ceiling); /* null: none */
    json_put_boolean(out, "past_ceiling", report->past_ceiling);
    json_put_integer(out, "tiers", report->tiers);
    json_put_boolean(out, "limited", report->limited);
    json_put_integer(out, "clips_missing", report->clips_missing);
    json_put_number(out, "fps", report->fps);
    if (of->found.number) {
        json_put_integer(out, "search", of->found.number);
        json_put_boolean(out, "stopped", of->found.stopped);
    }
    if (request->label_matches) json_put_integer(out, "labelled", of->clip_count);
    if (!of->clips) return;
    json_open(out, "clips", '[');
    for (int i = 0; i < of->clip_count; i++) json_put_string(out, NULL, of->clips[i].name);
    json_close(out, ']');
}

const app_operation app_search = {
    .name = "search",
    .summary = "find everything in a library that is like one piece of motion",
    .description = { "CLIP#120-300 is what is searched for: frames 120 to 299 of a clip of the "
                     "library, or of a file, if no clip of the library has that name; "
                     "CLIP#1.5s-3s names times, CLIP all of it. Less than a quarter of a second "
                     "may be like almost anything.",
                     "The query says by itself what counts. Joints that move in it weigh more, and "
                     "a match must be nearer to it than a body that stands still in its best pose "
                     "would be, clearly nearer where many other things come at once; if nothing "
                     "is, it may be a little farther and stand alone. --threshold says how near "
                     "instead, and --nearest how many. A match's distance is the mean over the "
                     "frames of the query of how far places and velocities are from those of the "
                     "frames they are matched with, when one body is turned and shifted onto the "
                     "other; what moves less than the query is farther, what moves more nearer. "
                     "Everything up to the threshold is found.",
                     "The query is listed first, then the matches by their distance. Where they "
                     "are "
                     "few, what is very like a match is one too, and so on, unless that is like "
                     "many other things; its distance is then that on the way from the query. "
                     "--tiers 1 leaves it out. With a threshold, --tiers 2 searches for what is "
                     "like the matches, whatever it is. --web does it by the match webs that "
                     "marey index --web makes.",
                     "--like and --unlike say of matches, or of any motion of the library, that "
                     "they are meant or not. Each liked one is a query too, with joint weights and "
                     "a threshold of its own; it is listed with distance 0, and what is like it by "
                     "the distance from it, in the query's measure. What is nearer to an unliked "
                     "one is left out. The threshold rises to the nearest match that is unliked, "
                     "by a third at most.",
                     "--cut makes clips of the query and its matches, which can be blended, "
                     "transitioned and so on; -o writes them as files; --label-matches labels "
                     "their frames. A clip that was cut from another one is not searched where "
                     "that one is, or everything in it would be "
                     "found twice; --label and --in that leave the other out search it. The "
                     "options for reading are for a query out of a file.",
                     "Several libraries in a row are searched as one that had the clips of all; "
                     "matches say which library they are of. A clip's name is that of the first "
                     "library that has it; LIB:CLIP, with the library's name as it was given, its "
                     "file's, or that without .marey, names another's. --cut and --label-matches "
                     "take one library." },
    .params = rows,
    .params_size = sizeof(app_search_params),
    .result_size = sizeof(app_search_result),
    .library = APP_WRITES,
    .writes = changes_library,
    .check = check,
    .run = run,
    .write = write,
    .pictures = app_search_pictures,
    .commit = change_library,
    .libraries_option = "also",
    .names_follow = true,
};
