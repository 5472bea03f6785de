/* api_graphs.c - the motion graphs that the library keeps. What `marey graph ls`, `stats` and `rm` do. */
#include "describe_kept.h"
#include "graph_kept.h"

#include <string.h>

/* ---- the list ----------------------------------------------------------------------------------- */

/* From what was noted when it was built: the graph is not opened, so that those whose clips are gone are listed too. */
static void put_about(heap *memory, const char *text, json_t **to)
{
    json_t *about = json_loads(text, 0, NULL), *labels = json_array();
    const json_t *named = json_object_get(about, "labels");
    describe_noted_text(memory, about, "kind", to);
    describe_noted_number(about, "fps", to);
    describe_noted_number(about, "threshold", to);
    describe_noted_whole(about, "frames", to);
    describe_noted_whole(about, "nodes", to);
    describe_noted_whole(about, "transitions", to);
    for (size_t i = 0; i < json_array_size(named); i++) {
        const char *label = json_string_value(json_array_get(named, i));
        if (label) describe_append(&labels, describe_text(memory, label));
    }
    describe_put(to, "labels", labels);
    json_decref(about);
}

static const marey_kept_entry *find_entry(const marey_kept *in, const char *name)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(in, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    }
    return NULL;
}

static json_t *list_graphs(studio_worker *worker, const marey_kept *graphs,
                           const marey_kept *policies)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(graphs, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "name", describe_text(&worker->of->memory, entries[i].name));
        put_about(&worker->of->memory, entries[i].about, &one);
        describe_put(&one, "policy", json_boolean(find_entry(policies, entries[i].name)));
        describe_put(&one, "bytes", json_integer(entries[i].size));
        describe_put(&one, "clips", describe_kept_clips(worker, &entries[i]));
        describe_append(&list, one);
    }
    return list;
}

static json_t *list_kinds(void)
{
    json_t *list = json_array();
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT; k++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(marey_graph_kind_name((marey_graph_kind)k)));
        describe_put(&one, "about", json_string(marey_graph_kind_about((marey_graph_kind)k)));
        describe_append(&list, one);
    }
    return list;
}

void api_graphs(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_kept *graphs = NULL, *policies = NULL;
    const marey_metric *metric = marey_metric_find(0);
    marey_error error;
    (void)request;
    marey_status status =
        marey_library_kept_list(worker->library, MAREY_KEPT_GRAPH, &graphs, &error);
    if (status == MAREY_OK)
        status = marey_library_kept_list(worker->library, MAREY_KEPT_POLICY, &policies, &error);
    if (status == MAREY_OK) {
        json_t *value = json_object();
        describe_put(&value, "kinds", list_kinds());
        describe_put(&value, "metric", json_string(metric->name));
        describe_put(&value, "unit", json_string(metric->unit));
        describe_put(&value, "ceiling", describe_number(MAREY_GRAPH_CEILING));
        describe_put(&value, "graphs", list_graphs(worker, graphs, policies));
        answer_json(response, 200, value);
    } else {
        answer_fail(response, &error);
    }
    marey_kept_free(policies);
    marey_kept_free(graphs);
}

/* ---- one of them -------------------------------------------------------------------------------- */

/* From what was noted when it was trained, so that it need not be opened. */
static json_t *describe_policy(const marey_kept_entry *entry)
{
    if (!entry) return json_null();
    json_t *about = json_loads(entry->about, 0, NULL), *value = json_object();
    const json_t *speeds = json_object_get(about, "speeds");
    describe_noted_whole(about, "directions", &value);
    describe_put(&value, "speeds", json_is_array(speeds) ? json_deep_copy(speeds) : json_null());
    describe_put(&value, "bytes", json_integer(entry->size));
    json_decref(about);
    return value;
}

static marey_status put_policy(studio_worker *worker, const char *name, json_t **to,
                               marey_error *error)
{
    marey_kept *policies = NULL;
    marey_status status =
        marey_library_kept_list(worker->library, MAREY_KEPT_POLICY, &policies, error);
    if (status != MAREY_OK) return status;
    describe_put(to, "policy", describe_policy(find_entry(policies, name)));
    marey_kept_free(policies);
    return MAREY_OK;
}

static marey_status measure(studio_worker *worker, struct graph_kept *of, bool asked_for,
                            marey_error *error)
{
    if (of->measured || (!asked_for && marey_graph_nodes(of->graph) > LIMIT_QUICK_NODES))
        return MAREY_OK;
    marey_status status = marey_graph_measure(worker->ctx, of->graph, &of->stats, error);
    of->measured = status == MAREY_OK;
    return status;
}

void api_graph(studio_worker *worker, studio_request *request, studio_response *response)
{
    struct graph_kept *of = NULL;
    const char *asked_for = asked_query(request, "measure");
    marey_error error;
    json_t *value = NULL;
    if (graph_open_query(worker, request, &of, response)) {
        marey_status status = measure(worker, of, asked_for && strcmp(asked_for, "1") == 0, &error);
        if (status == MAREY_OK) {
            value = describe_graph(&worker->of->memory, of->name, of->graph, of->parts,
                                   of->measured ? &of->stats : NULL);
            status = put_policy(worker, of->name, &value, &error);
        }
        if (status == MAREY_OK) {
            answer_json(response, 200, value);
        } else {
            json_decref(value);
            answer_fail(response, &error);
        }
    }
    graph_let_go(worker);
}
