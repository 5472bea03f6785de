/* graph_listing.c - `graph ls`: the motion graphs that a library keeps. They are not opened, so
   that those whose clips are gone are listed as well. */
#include "motion_graphs.h"
#include "operations.h"

#include <jansson.h>
#include <string.h>

/* What graph_building.c notes. */
static marey_status read_about(const app_env *env, const char *text, app_graph_listed *out,
                               marey_error *error)
{
    json_t *about = json_loads(text, 0, NULL);
    const json_t *labels = json_object_get(about, "labels");
    const char *kind = json_string_value(json_object_get(about, "kind"));
    const char **names = APP_NEW(env->scope, const char *, json_array_size(labels));
    bool refused = !names;
    int count = 0;
    out->kind = kind ? app_copy(env->scope, kind) : NULL;
    refused |= kind && !out->kind;
    out->fps = app_noted_number(about, "fps");
    out->threshold = app_noted_number(about, "threshold");
    out->frames = app_noted_number(about, "frames");
    out->nodes = app_noted_number(about, "nodes");
    out->transitions = app_noted_number(about, "transitions");
    for (size_t i = 0; i < json_array_size(labels) && !refused; i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (label) names[count++] = app_copy(env->scope, label);
        refused = label && !names[count - 1];
    }
    out->labels = (app_texts){ names, count };
    json_decref(about);
    return app_check(refused, error);
}

static marey_status run_ls(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_graph_list *out = result;
    const marey_kept_entry *entries, *trained;
    int count, policy_count;
    (void)params;
    marey_status status = app_saved_list(env, MAREY_KEPT_GRAPH, &entries, &count, error);
    if (status == MAREY_OK)
        status = app_saved_list(env, MAREY_KEPT_POLICY, &trained, &policy_count, error);
    if (status != MAREY_OK) return status;
    app_graph_listed *rows = APP_NEW(env->scope, app_graph_listed, count);
    if (!rows) return app_fail_memory(error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        rows[i].name = entries[i].name;
        rows[i].bytes = entries[i].size;
        for (int k = 0; k < policy_count; k++)
            rows[i].policy |= strcmp(trained[k].name, entries[i].name) == 0;
        status = read_about(env, entries[i].about, &rows[i], error);
        if (status == MAREY_OK)
            status = app_saved_made_of(env, &entries[i], &rows[i].made_of, error);
    }
    *out = (app_graph_list){ rows, count };
    return status;
}

static void write_ls(const void *params, const void *result, json *out)
{
    const app_graph_list *list = result;
    const marey_metric *metric = marey_metric_find(0);
    (void)params;
    json_open(out, "graphs", '[');
    for (int i = 0; i < list->count; i++) {
        const app_graph_listed *one = &list->graphs[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->name);
        json_put_string(out, "kind", one->kind);
        json_put_number(out, "fps", one->fps);
        json_put_number(out, "threshold", one->threshold);
        json_put_number(out, "frames", one->frames);
        json_put_number(out, "nodes", one->nodes);
        json_put_number(out, "transitions", one->transitions);
        json_put_integer(out, "clips", one->made_of.count);
        json_put_boolean(out, "policy", one->policy);
        json_put_integer(out, "bytes", one->bytes);
        json_put_texts(out, "labels", one->labels.values, one->labels.count);
        app_saved_write_made_of(out, &one->made_of);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "kinds", '[');
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT; k++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", marey_graph_kind_name((marey_graph_kind)k));
        json_put_string(out, "about", marey_graph_kind_about((marey_graph_kind)k));
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "controllers", '[');
    for (int k = 0; k < MAREY_CONTROLLER_KIND_COUNT; k++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", marey_controller_kind_name((marey_controller_kind)k));
        json_put_string(out, "about", marey_controller_kind_about((marey_controller_kind)k));
        json_close(out, '}');
    }
    json_close(out, ']');
    /* Of thresholds, unless another metric is chosen; no default one of a standard graph is above
       the ceiling. */
    json_put_string(out, "metric", metric->name);
    json_put_string(out, "unit", metric->unit);
    json_put_number(out, "ceiling", MAREY_GRAPH_CEILING);
}

const app_operation app_graph_ls = {
    .name = "graph ls",
    .summary = "list the motion graphs that a library keeps",
    .description = { "A graph whose clips were removed is listed as well, unusable until "
                     "they are restored." },
    .params = app_no_params,
    .params_size = sizeof(app_params),
    .result_size = sizeof(app_graph_list),
    .library = APP_READS,
    .run = run_ls,
    .write = write_ls,
};
