/* graph_describe.c - a motion graph and its measures as JSON, by the same keys as `marey graph stats --json`. */
#include "graph_kept.h"

json_t *describe_numbers(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) describe_append(&list, describe_number(values[i]));
    return list;
}

json_t *describe_stats(const marey_graph_stats *of)
{
    json_t *value = json_object();
    describe_put(&value, "frames", json_integer(of->frames));
    describe_put(&value, "nodes", json_integer(of->nodes));
    describe_put(&value, "edges", json_integer(of->edges));
    describe_put(&value, "transitions", json_integer(of->transitions));
    describe_put(&value, "threshold", describe_number(of->threshold));
    describe_put(&value, "scc_percent", describe_number(of->scc_percent));
    describe_put(&value, "connectivity_percent", describe_number(of->connectivity_percent));
    describe_put(&value, "mean_transition_s", describe_number(of->mean_transition_s));
    describe_put(&value, "sources", json_integer(of->sources));
    describe_put(&value, "local_maneuverability_s", describe_number(of->local_maneuverability_s));
    describe_put(&value, "bytes", json_integer(of->bytes));
    describe_put(&value, "nodes_before", json_integer(of->nodes_before));
    describe_put(&value, "edges_before", json_integer(of->edges_before));
    describe_put(&value, "worst_jump", describe_number(of->worst_jump));
    return value;
}

json_t *describe_graph_labels(heap *memory, const marey_graph *graph)
{
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) describe_append(&list, describe_text(memory, labels[i]));
    return list;
}

static json_t *describe_settings(const marey_graph_def *def)
{
    json_t *value = json_object();
    describe_put(&value, "threshold", describe_number(def->threshold));
    describe_put(&value, "smooth", json_boolean(def->smooth));
    describe_put(&value, "jump", describe_number(def->jump));
    describe_put(&value, "spread_s", describe_number(def->spread_s));
    if (def->kind != MAREY_GRAPH_CONNECTED) return value;
    describe_put(&value, "mu", describe_number(def->suboptimality));
    describe_put(&value, "smoothness", describe_number(def->smoothness < 0 ? 0 : def->smoothness));
    describe_put(&value, "weights",
                 def->weight_count > 0 ? describe_numbers(def->weights, def->weight_count)
                                       : json_null());
    describe_put(&value, "unreduced", json_boolean(def->unreduced));
    return value;
}

/* Originals come clip after clip. */
static json_t *describe_clips(heap *memory, const marey_graph *graph, const marey_parts *parts)
{
    json_t *list = json_array();
    int node = 0, originals = marey_graph_originals(graph);
    for (int i = 0; i < parts->count; i++) {
        int first = node;
        while (node < originals && marey_graph_node_of(graph, node).clip == i) node++;
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(parts->parts[i].clip));
        describe_put(&one, "name", describe_text(memory, parts->names[i].name));
        describe_put(&one, "start", json_integer(parts->parts[i].start));
        describe_put(&one, "end", json_integer(parts->parts[i].end));
        describe_put(&one, "node", json_integer(first));
        describe_put(&one, "nodes", json_integer(node - first));
        describe_append(&list, one);
    }
    return list;
}

json_t *describe_graph(heap *memory, const char *name, const marey_graph *graph,
                       const marey_parts *parts, const marey_graph_stats *stats)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    const marey_metric_def *metric = def->metric;
    json_t *value = json_object(), *skeleton = json_object();
    describe_put(&value, "name", describe_text(memory, name));
    describe_put(&value, "kind", json_string(marey_graph_kind_name(def->kind)));
    describe_put(&value, "fps", describe_number(marey_graph_fps(graph)));
    describe_put(&value, "metric", json_string(metric->metric->name));
    describe_put(&value, "unit", json_string(metric->metric->unit));
    describe_put(&value, "joints", json_string(metric->joints ? metric->joints->name : "equal"));
    describe_put(&value, "sigma", describe_number(def->sigma));
    describe_put(&value, "labels", describe_graph_labels(memory, graph));
    describe_put(&value, "settings", describe_settings(def));
    describe_put(&value, "stats", stats ? describe_stats(stats) : json_null());
    describe_put(&value, "clips", describe_clips(memory, graph, parts));
    describe_put(&skeleton, "id", json_integer(parts->parts[0].clip));
    describe_put(&value, "skeleton", skeleton);
    return value;
}
