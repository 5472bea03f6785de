/* api_clusters.c - the cluster graphs that the library keeps, and each as a picture. What `marey cluster ls` and `rm` do. */
#include "cluster_kept.h"

#include <string.h>

/* ---- the list ----------------------------------------------------------------------------------- */

static void put_text(heap *memory, const json_t *about, const char *key, json_t **to)
{
    const char *text = json_string_value(json_object_get(about, key));
    describe_put(to, key, text ? describe_text(memory, text) : json_null());
}

static void put_number(const json_t *about, const char *key, json_t **to)
{
    const json_t *value = json_object_get(about, key);
    describe_put(to, key,
                 json_is_number(value) ? describe_number(json_number_value(value)) : json_null());
}

static void put_whole(const json_t *about, const char *key, json_t **to)
{
    const json_t *value = json_object_get(about, key);
    describe_put(to, key,
                 json_is_integer(value) ? json_integer(json_integer_value(value)) : json_null());
}

/* From what was noted when it was built: it is not opened, so that those whose clips are gone are listed too. */
static void put_about(heap *memory, const char *text, json_t **to)
{
    json_t *about = json_loads(text, 0, NULL);
    put_text(memory, about, "link", to);
    put_text(memory, json_object_get(about, "settings"), "metric", to);
    if (json_is_null(json_object_get(*to, "metric")))
        describe_put(to, "metric", json_string(marey_metric_find(0)->name));
    put_number(about, "fps", to);
    put_number(about, "threshold", to);
    put_whole(about, "frames", to);
    put_whole(about, "nodes", to);
    put_whole(about, "sequences", to);
    json_decref(about);
}

/* Each clip once, though dropouts cut it into several parts. A clip that was purged has only the name it had. */
static json_t *describe_clips(worker *by, const marey_kept_entry *entry)
{
    json_t *list = json_array();
    for (int i = 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        int64_t id = entry->parts[i].clip;
        if (i > 0 && entry->parts[i - 1].clip == id) continue;
        marey_status status =
            marey_library_name(by->library, id, name, sizeof name, &removed, NULL);
        const char *called = status == MAREY_OK ? name : entry->part_names[i];
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(id));
        describe_put(&one, "name", describe_text(&by->of->memory, called));
        describe_put(&one, "removed", json_boolean(removed || status != MAREY_OK));
        describe_append(&list, one);
    }
    return list;
}

static json_t *list_clusters(worker *by, const marey_kept *kept)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "name", describe_text(&by->of->memory, entries[i].name));
        put_about(&by->of->memory, entries[i].about, &one);
        describe_put(&one, "bytes", json_integer(entries[i].size));
        describe_put(&one, "clips", describe_clips(by, &entries[i]));
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

void api_clusters(worker *by, asked *what, answer *to)
{
    const marey_metric *metric = marey_metric_find(0);
    marey_kept *kept = NULL;
    marey_error error;
    (void)what;
    if (marey_library_kept_list(by->library, MAREY_KEPT_CLUSTERS, &kept, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    json_t *value = json_object();
    describe_put(&value, "links", list_links());
    describe_put(&value, "metric", json_string(metric->name));
    describe_put(&value, "unit", json_string(metric->unit));
    describe_put(&value, "threshold", describe_number(MAREY_CLUSTER_THRESHOLD));
    describe_put(&value, "fps", describe_number(MAREY_CLUSTER_FPS));
    describe_put(&value, "clusters", list_clusters(by, kept));
    answer_json(to, 200, value);
    marey_kept_free(kept);
}

/* ---- one of them -------------------------------------------------------------------------------- */

void api_cluster(worker *by, asked *what, answer *to)
{
    cluster_view view = { CLUSTER_NODES, CLUSTER_EDGES };
    struct cluster_kept *of = NULL;
    if (!api_query_whole(what, "nodes", 1, LIMIT_CLUSTER_NODES, &view.nodes, to) ||
        !api_query_whole(what, "edges", 0, LIMIT_ARCS, &view.edges, to))
        return;
    if (cluster_open_query(by, what, &of, to)) {
        answer_json(to, 200,
                    describe_clusters(&by->of->memory, of->name, of->clusters, of->parts, &view));
    }
    cluster_let_go(by);
}

void api_cluster_remove(worker *by, asked *what, answer *to)
{
    marey_error error;
    json_body body;
    if (!api_body(by, what, FIELD_NAME, 0, &body, to)) return;
    answer_json(to, 200, json_object());
    if (to->status == 200) {
        if (marey_library_forget(by->library, MAREY_KEPT_CLUSTERS, body.name, &error) == MAREY_OK)
            api_changed(by);
        else
            answer_fail(to, &error);
    }
    json_body_free(&body);
}
