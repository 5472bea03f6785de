/* graph_writing.c - a motion graph and its measures as JSON. */
#include "chosen_clips.h"
#include "motion_graphs.h"
#include "saved_things.h"

void app_graph_write(json *out, const char *name, const marey_graph *graph,
                     const marey_parts *parts)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    int label_count;
    const char *const *labels = marey_graph_labels(graph, &label_count);
    json_put_string(out, "name", name);
    json_put_string(out, "kind", marey_graph_kind_name(def->kind));
    json_put_integer(out, "clips", app_clip_count(parts->parts, parts->count));
    json_put_number(out, "fps", marey_graph_fps(graph));
    json_put_string(out, "metric", def->metric->metric->name);
    json_put_string(out, "unit", def->metric->metric->unit);
    json_put_string(out, "joints", def->metric->joints ? def->metric->joints->name : "equal");
    json_put_number(out, "sigma", def->sigma);
    json_put_texts(out, "labels", labels, label_count);
    json_open(out, "actions", '[');
    for (int i = 0; i < label_count; i++)
        if (marey_graph_is_action(graph, i)) json_put_string(out, NULL, labels[i]);
    json_close(out, ']');
}

void app_graph_write_stats(json *out, const marey_graph_stats *stats)
{
    json_put_integer(out, "frames", stats->frames);
    json_put_integer(out, "nodes", stats->nodes);
    json_put_integer(out, "edges", stats->edges);
    json_put_integer(out, "transitions", stats->transitions);
    json_put_number(out, "threshold", stats->threshold);
    json_put_number(out, "scc_percent", stats->scc_percent);
    json_put_number(out, "connectivity_percent", stats->connectivity_percent);
    json_put_number(out, "mean_transition_s", stats->mean_transition_s);
    json_put_integer(out, "sources", stats->sources);
    json_put_number(out, "local_maneuverability_s", stats->local_maneuverability_s);
    json_put_integer(out, "bytes", stats->bytes);
    json_put_integer(out, "nodes_before", stats->nodes_before);
    json_put_integer(out, "edges_before", stats->edges_before);
    json_put_number(out, "worst_jump", stats->worst_jump);
}

void app_graph_write_content(json *out, const marey_graph *graph, const marey_parts *parts)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    json_open(out, "settings", '{');
    json_put_number(out, "threshold", def->threshold);
    json_put_boolean(out, "only_smooth", def->smooth);
    json_put_number(out, "jump", def->jump);
    json_put_number(out, "spread_s", def->spread_s);
    json_put_number(out, "dwell_s", def->dwell_s < 0 ? 0 : def->dwell_s);
    if (def->kind == MAREY_GRAPH_CONNECTED) {
        json_put_number(out, "mu", def->suboptimality);
        json_put_number(out, "smoothness", def->smoothness < 0 ? 0 : def->smoothness);
        if (def->weight_count > 0) {
            json_put_numbers(out, "weights", def->weights, def->weight_count);
        } else {
            json_put_null(out, "weights"); /* chosen for each pair of segments */
        }
        json_put_boolean(out, "unreduced", def->unreduced);
    }
    json_close(out, '}');

    /* Originals come part after part. */
    int node = 0, originals = marey_graph_originals(graph);
    json_open(out, "parts", '[');
    for (int i = 0; i < parts->count; i++) {
        int first = node, core = 0;
        for (; node < originals && marey_graph_node_of(graph, node).clip == i; node++)
            core += marey_graph_node_of(graph, node).core;
        json_open(out, NULL, '{');
        json_put_integer(out, "id", parts->parts[i].clip);
        json_put_string(out, "name", parts->names[i].name);
        json_put_integer(out, "start", parts->parts[i].start);
        json_put_integer(out, "end", parts->parts[i].end);
        json_put_integer(out, "node", first);
        json_put_integer(out, "nodes", node - first);
        json_put_integer(out, "core", core);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "skeleton", '{');
    json_put_integer(out, "id", app_parts_body(parts));
    json_close(out, '}');
    app_fits_write(out, parts);
}

void app_graph_write_sweep(json *out, const app_graph_sweep_rows *sweep)
{
    if (sweep->count == 0) return;
    json_open(out, "sweep", '[');
    for (int i = 0; i < sweep->count; i++) {
        json_open(out, NULL, '{');
        app_graph_write_stats(out, &sweep->rows[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}
