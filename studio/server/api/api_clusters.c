/* api_clusters.c - the cluster graphs that the library keeps, and each as a picture. What `marey cluster ls` and `rm` do. */
#include "cluster_kept.h"
#include "describe_kept.h"

#include <string.h>

/* ---- the list ----------------------------------------------------------------------------------- */

/* From what was noted when it was built: it is not opened, so that those whose clips are gone are listed too. */
static void put_about(heap *memory, const char *text, json_t **to)
{
    json_t *about = json_loads(text, 0, NULL);
    describe_noted_text(memory, about, "link", to);
    describe_noted_text(memory, json_object_get(about, "settings"), "metric", to);
    if (json_is_null(json_object_get(*to, "metric")))
        describe_put(to, "metric", json_string(marey_metric_find(0)->name));
    describe_noted_number(about, "fps", to);
    describe_noted_number(about, "threshold", to);
    describe_noted_whole(about, "frames", to);
    describe_noted_whole(about, "nodes", to);
    describe_noted_whole(about, "sequences", to);
    json_decref(about);
}

static json_t *list_clusters(studio_worker *worker, const marey_kept *kept)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "name", describe_text(&worker->of->memory, entries[i].name));
        put_about(&worker->of->memory, entries[i].about, &one);
        describe_put(&one, "bytes", json_integer(entries[i].size));
        describe_put(&one, "clips", describe_kept_clips(worker, &entries[i]));
        describe_append(&list, one);
    }
    return list;
}

static json_t *list_links(void)
{
    json_t *list = json_array();
    for (int k = 0; k < MAREY_LINK_COUNT; k++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(marey_link_name((marey_link)k)));
        describe_put(&one, "about", json_string(marey_link_about((marey_link)k)));
        describe_append(&list, one);
    }
    return list;
}

void api_clusters(studio_worker *worker, studio_request *request, studio_response *response)
{
    const marey_metric *metric = marey_metric_find(0);
    marey_kept *kept = NULL;
    marey_error error;
    (void)request;
    if (marey_library_kept_list(worker->library, MAREY_KEPT_CLUSTERS, &kept, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object();
    describe_put(&value, "links", list_links());
    describe_put(&value, "metric", json_string(metric->name));
    describe_put(&value, "unit", json_string(metric->unit));
    describe_put(&value, "threshold", describe_number(MAREY_CLUSTER_THRESHOLD));
    describe_put(&value, "fps", describe_number(MAREY_CLUSTER_FPS));
    describe_put(&value, "clusters", list_clusters(worker, kept));
    answer_json(response, 200, value);
    marey_kept_free(kept);
}

/* ---- one of them -------------------------------------------------------------------------------- */

void api_cluster(studio_worker *worker, studio_request *request, studio_response *response)
{
    cluster_view view = { CLUSTER_NODES, CLUSTER_EDGES };
    struct cluster_kept *of = NULL;
    if (!api_query_whole(request, "nodes", 1, LIMIT_CLUSTER_NODES, &view.nodes, response) ||
        !api_query_whole(request, "edges", 0, LIMIT_ARCS, &view.edges, response))
        return;
    if (cluster_open_query(worker, request, &of, response)) {
        answer_json(
            response, 200,
            describe_clusters(&worker->of->memory, of->name, of->clusters, of->parts, &view));
    }
    cluster_let_go(worker);
}
