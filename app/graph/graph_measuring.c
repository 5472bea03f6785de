/* graph_measuring.c - opening saved motion graphs; `graph stats`: how well one is connected. */
#include "motion_graphs.h"
#include "operations.h"
#include "saved_things.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

static marey_status open_graph(const app_env *env, const char *name, void *object, int64_t *weight,
                               marey_error *error)
{
    app_saved_graph *out = object;
    marey_status status = marey_library_graph(env->library, name, &out->parts, &out->graph, error);
    if (status != MAREY_OK) return app_saved_hint("graph", "build", error);
    out->name = app_copy(env->scope, name);
    *weight = marey_graph_nodes(out->graph);
    /* The graph goes before its clips. */
    status = app_own_parts(env, out->parts, error);
    if (status == MAREY_OK) {
        status = app_own_graph(env, out->graph, error);
    } else {
        marey_graph_free(out->graph);
    }
    return status == MAREY_OK ? app_check(!out->name, error) : status;
}

marey_status app_graph_open(const app_env *env, const char *name, app_saved_graph **out,
                            marey_error *error)
{
    static const app_saved_kind graphs = { MAREY_KEPT_GRAPH, sizeof(app_saved_graph), open_graph };
    void *object = NULL;
    marey_status status = app_saved_open(env, &graphs, name, &object, error);
    if (status == MAREY_OK) *out = object;
    return status;
}

marey_status app_graph_policy_notes(const app_env *env, const char *name, app_policy_notes *out,
                                    marey_error *error)
{
    const marey_kept_entry *entry;
    int count;
    *out = (app_policy_notes){ .directions = NAN };
    marey_status status = app_saved_list(env, MAREY_KEPT_POLICY, &entry, &count, error);
    if (status != MAREY_OK) return status;
    while (count > 0 && strcmp(entry->name, name) != 0) entry++, count--;
    if (count == 0) return MAREY_OK;
    out->there = true;
    out->bytes = entry->size;
    json_t *about = json_loads(entry->about, 0, NULL);
    const json_t *directions = json_object_get(about, "directions");
    const json_t *speeds = json_object_get(about, "speeds");
    size_t speed_count = json_array_size(speeds);
    double *values = APP_NEW(env->scope, double, speed_count);
    if (json_is_integer(directions)) out->directions = json_number_value(directions);
    for (size_t i = 0; i < speed_count && values; i++)
        values[i] = json_number_value(json_array_get(speeds, i));
    out->speeds = (app_numbers){ values, (int)speed_count };
    json_decref(about);
    return app_check(!values, error);
}

/* ---- stats ----------------------------------------------------------------------------------- */

static const app_param stats_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_graph_stats_params, name),
      .place = 1,
      .needed = true,
      .help = "which graph" },
    { .name = "sweep",
      .type = APP_NUMBERS,
      .at = offsetof(app_graph_stats_params, sweep),
      .rising = true,
      .note = true,
      .least = 1e-9,
      .most = 1e9,
      .most_count = APP_GRAPH_THRESHOLDS,
      .value = "E,E,...",
      .help = "also measure what graphs of these thresholds would be worth, before any reduction; "
              "of connected ones each takes as long as to build it" },
    { .name = "quick",
      .type = APP_SWITCH,
      .at = offsetof(app_graph_stats_params, quick),
      .help = "leave out the measures of a graph of more than 20000 nodes, which take seconds" },
    { 0 },
};

static marey_status run_stats(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_graph_stats_params *request = params;
    app_graph_measured *out = result;
    app_saved_graph *saved = NULL;
    marey_status status = app_graph_open(env, request->name, &saved, error);
    if (status != MAREY_OK) return status;
    out->saved = saved;
    bool large = marey_graph_nodes(saved->graph) > APP_GRAPH_QUICK_NODES;
    if (!saved->measured && !(request->quick && large)) {
        status = marey_graph_measure(env->ctx, saved->graph, &saved->stats, error);
        saved->measured = status == MAREY_OK;
    }
    out->measured = saved->measured;
    if (status == MAREY_OK)
        status = app_graph_policy_notes(env, request->name, &out->policy, error);
    if (status != MAREY_OK) return status;
    return app_graph_sweep_measure(env, saved->parts, marey_graph_settings(saved->graph),
                                   &request->sweep, false, &out->sweep, error);
}

static void write_stats(const void *params, const void *result, json *out)
{
    static const char *const unknown[] = { "edges",
                                           "scc_percent",
                                           "connectivity_percent",
                                           "mean_transition_s",
                                           "sources",
                                           "local_maneuverability_s",
                                           "bytes",
                                           "nodes_before",
                                           "edges_before",
                                           "worst_jump" };
    const app_graph_measured *of = result;
    const marey_graph *graph = of->saved->graph;
    (void)params;
    app_graph_write(out, of->saved->name, graph, of->saved->parts);
    if (of->measured) {
        app_graph_write_stats(out, &of->saved->stats);
    } else {
        int transitions;
        marey_graph_transitions(graph, &transitions);
        json_put_integer(out, "frames", marey_graph_originals(graph));
        json_put_integer(out, "nodes", marey_graph_nodes(graph));
        json_put_integer(out, "transitions", transitions);
        json_put_number(out, "threshold", marey_graph_settings(graph)->threshold);
        for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
            json_put_null(out, unknown[i]);
    }
    app_graph_write_content(out, graph, of->saved->parts);
    json_put_boolean(out, "measured", of->measured);
    if (of->policy.there) {
        json_open(out, "policy", '{');
        json_put_number(out, "directions", of->policy.directions);
        if (of->policy.speeds.count > 0) {
            json_put_numbers(out, "speeds", of->policy.speeds.values, of->policy.speeds.count);
        } else {
            json_put_null(out, "speeds");
        }
        json_put_integer(out, "bytes", of->policy.bytes);
        json_close(out, '}');
    } else {
        json_put_null(out, "policy");
    }
    app_graph_write_sweep(out, &of->sweep);
}

const app_operation app_graph_stats = {
    .name = "graph stats",
    .summary = "measure how well a motion graph is connected",
    .description = { "Says how many of its frames can all reach each other, which share of all "
                     "pairs of frames are connected and how long that takes on average, and, if "
                     "there are labels, how long it takes from anywhere to whatever is wanted "
                     "(local maneuverability)." },
    .params = stats_params,
    .params_size = sizeof(app_graph_stats_params),
    .result_size = sizeof(app_graph_measured),
    .library = APP_READS,
    .run = run_stats,
    .write = write_stats,
    .pictures = app_graph_measured_pictures,
};
