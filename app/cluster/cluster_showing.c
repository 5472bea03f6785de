/* cluster_showing.c - `cluster ls`: the cluster graphs that a library keeps; `cluster show`: what
   is in one of them, or in one of its nodes. */
#include "cluster_graphs.h"
#include "operations.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- ls -------------------------------------------------------------------------------------- */

/* They are not opened, so that those whose clips are gone are listed as well. */
static marey_status run_ls(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_cluster_list *out = result;
    const marey_kept_entry *entries;
    int count;
    (void)params;
    marey_status status = app_saved_list(env, MAREY_KEPT_CLUSTERS, &entries, &count, error);
    if (status != MAREY_OK) return status;
    app_cluster_listed *rows = APP_NEW(env->scope, app_cluster_listed, count);
    if (!rows) return app_fail_memory(error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        app_cluster_listed *one = &rows[i];
        json_t *about = json_loads(entries[i].about, 0, NULL);
        const char *link = json_string_value(json_object_get(about, "link"));
        const char *metric =
            json_string_value(json_object_get(json_object_get(about, "settings"), "metric"));
        one->name = entries[i].name;
        one->bytes = entries[i].size;
        one->link = link ? app_copy(env->scope, link) : NULL;
        one->metric = metric ? app_copy(env->scope, metric) : marey_metric_find(0)->name;
        one->fps = app_noted_number(about, "fps");
        one->threshold = app_noted_number(about, "threshold");
        one->frames = app_noted_number(about, "frames");
        one->nodes = app_noted_number(about, "nodes");
        one->sequences = app_noted_number(about, "sequences");
        status = app_check((link && !one->link) || !one->metric, error);
        json_decref(about);
        if (status == MAREY_OK) status = app_saved_made_of(env, &entries[i], &one->made_of, error);
    }
    *out = (app_cluster_list){ rows, count };
    return status;
}

static void write_ls(const void *params, const void *result, json *out)
{
    const app_cluster_list *list = result;
    const marey_metric *metric = marey_metric_find(0);
    (void)params;
    json_open(out, "clusters", '[');
    for (int i = 0; i < list->count; i++) {
        const app_cluster_listed *one = &list->clusters[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->name);
        json_put_string(out, "link", one->link);
        json_put_number(out, "fps", one->fps);
        json_put_number(out, "threshold", one->threshold);
        json_put_number(out, "frames", one->frames);
        json_put_number(out, "nodes", one->nodes);
        json_put_number(out, "sequences", one->sequences);
        json_put_integer(out, "clips", one->made_of.count);
        json_put_integer(out, "bytes", one->bytes);
        json_put_string(out, "metric", one->metric);
        app_saved_write_made_of(out, &one->made_of);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "links", '[');
    for (int k = 0; k < MAREY_LINK_COUNT; k++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", marey_link_name((marey_link)k));
        json_put_string(out, "about", marey_link_about((marey_link)k));
        json_close(out, '}');
    }
    json_close(out, ']');
    /* The defaults of a new one; the threshold is that of this metric. */
    json_put_string(out, "metric", metric->name);
    json_put_string(out, "unit", metric->unit);
    json_put_number(out, "threshold", MAREY_CLUSTER_THRESHOLD);
    json_put_number(out, "fps", MAREY_CLUSTER_FPS);
}

const app_operation app_cluster_ls = {
    .name = "cluster ls",
    .summary = "list the cluster graphs that a library keeps",
    .description = { "A cluster graph whose clips were removed is listed as well, unusable until "
                     "they are restored." },
    .params = app_no_params,
    .params_size = sizeof(app_params),
    .result_size = sizeof(app_cluster_list),
    .library = APP_READS,
    .run = run_ls,
    .write = write_ls,
};

/* ---- show ------------------------------------------------------------------------------------ */

static const app_param show_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_cluster_show_params, name),
      .place = 1,
      .needed = true,
      .help = "which one" },
    { .name = "node",
      .type = APP_WHOLE,
      .at = offsetof(app_cluster_show_params, node),
      .least = 0,
      .most = INT32_MAX,
      .value = "N",
      .help = "what is in this node: its sequences, and where one can switch" },
    { .name = "limit",
      .type = APP_WHOLE,
      .at = offsetof(app_cluster_show_params, limit),
      .least = 1,
      .most = 1000000,
      .value = "N",
      .note = true,
      .help = "how many nodes are listed for people (default: 20), or drawn (default: 40, at most "
              "200)" },
    { 0 },
};

/* Nodes with most clips first, then frames. */
typedef struct ranked {
    int node, clips, rows;
} ranked;

static int compare_ranks(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->clips != y->clips) return y->clips - x->clips;
    return x->rows != y->rows ? y->rows - x->rows : x->node - y->node;
}

static marey_status run_show(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    const app_cluster_show_params *request = params;
    app_cluster_shown *out = result;
    app_saved_cluster *saved = NULL;
    int count;
    marey_status status = app_cluster_open(env, request->name, &saved, error);
    if (status != MAREY_OK) return status;
    const marey_cluster_node *nodes = marey_clusters_nodes(saved->graph, &count);
    out->saved = saved;
    out->node = app_given(show_params, &request->given, "node") ? request->node : -1;
    if (out->node >= count) {
        return app_fail(error, MAREY_ERR_REQUEST, request->name,
                        "there is no node %d; the nodes are 0 to %d", out->node, count - 1);
    }
    ranked *ranks = APP_NEW(env->scope, ranked, count);
    out->order = APP_NEW(env->scope, int, count);
    if (!ranks || !out->order) return app_fail_memory(error);
    for (int n = 0; n < count; n++) {
        int clips = app_cluster_node_clips(saved->graph, saved->parts, n);
        ranks[n] = (ranked){ n, clips, nodes[n].rows };
    }
    qsort(ranks, (size_t)count, sizeof *ranks, compare_ranks);
    for (int n = 0; n < count; n++) out->order[n] = ranks[n].node;
    if (out->node < 0) return MAREY_OK;

    const marey_cluster_node *node = &nodes[out->node];
    int end = node->first + node->sequences;
    status = app_cluster_find_tuples(env, saved->graph, &out->node, 1, NULL, &out->tuples, error);
    if (status != MAREY_OK) return status;
    out->switches = APP_NEW(env->scope, marey_cluster_switch,
                            (size_t)node->sequences * (size_t)node->sequences);
    if (!out->switches) return app_fail_memory(error);
    for (int a = node->first; a < end; a++) {
        for (int b = node->first; b < end; b++) {
            int found = 0;
            if (a == b) continue;
            status = marey_clusters_switches(env->ctx, saved->graph, a, b, 1,
                                             &out->switches[out->switch_count], &found, error);
            if (status != MAREY_OK) return status;
            out->switch_count += found;
        }
    }
    return MAREY_OK;
}

static void write_show(const void *params, const void *result, json *out)
{
    const app_cluster_shown *of = result;
    const marey_clusters *graph = of->saved->graph;
    const marey_parts *parts = of->saved->parts;
    int node_count, edge_count;
    const marey_cluster_edge *edges = marey_clusters_edges(graph, &edge_count);
    (void)params;
    marey_clusters_nodes(graph, &node_count);
    json_put_string(out, "name", of->saved->name);
    app_cluster_write(out, graph, parts);
    app_cluster_write_clips(out, parts);
    json_open(out, "nodes", '[');
    for (int n = 0; n < node_count; n++)
        if (of->node < 0 || n == of->node) app_cluster_write_node(out, graph, parts, n);
    json_close(out, ']');
    json_open(out, "edges", '[');
    for (int i = 0; i < edge_count; i++) {
        if (of->node >= 0 && edges[i].from != of->node && edges[i].to != of->node) continue;
        json_open(out, NULL, '{');
        json_put_integer(out, "from", edges[i].from);
        json_put_integer(out, "to", edges[i].to);
        json_put_integer(out, "count", edges[i].count);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (of->node < 0) return;
    app_cluster_write_tuples(out, graph, parts, &of->tuples);
    json_open(out, "best_switches", '['); /* "switches" counts those of the graph */
    for (int i = 0; i < of->switch_count; i++) {
        json_open(out, NULL, '{');
        app_cluster_write_switch(out, graph, parts, &of->switches[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_cluster_show = {
    .name = "cluster show",
    .summary = "say what is in a cluster graph, and draw it",
    .description = { "Lists the nodes, those with most clips first; with --node the sequences of "
                     "one, where each goes on, and the frames at which one can switch from any of "
                     "them to any other.",
                     "The picture has nodes as cards, larger where they have more frames, with the "
                     "pose of their middle and a bar for each clip." },
    .params = show_params,
    .params_size = sizeof(app_cluster_show_params),
    .result_size = sizeof(app_cluster_shown),
    .library = APP_READS,
    .run = run_show,
    .write = write_show,
    .pictures = app_cluster_shown_pictures,
};
