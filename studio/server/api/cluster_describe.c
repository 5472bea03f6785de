/* cluster_describe.c - a cluster graph as JSON. */
#include "cluster_kept.h"

#include <stdlib.h>

int cluster_loops_count(const marey_parts *parts, const marey_clusters *clusters)
{
    int count, loops = 0;
    const marey_cluster_node *nodes = marey_clusters_nodes(clusters, &count);
    for (int i = 0; i < count; i++)
        loops += cluster_node_clips(parts, clusters, i) < nodes[i].sequences;
    return loops;
}

/* ---- which nodes -------------------------------------------------------------------------------- */

typedef struct sized {
    int node, rows;
} sized;

static int by_rows(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool cluster_choose(heap *memory, const marey_clusters *clusters, int most, studio_bytes *out)
{
    int count;
    const marey_cluster_node *nodes = marey_clusters_nodes(clusters, &count);
    size_t room = (size_t)count * sizeof(sized);
    sized *all = heap_resize(memory, NULL, 0, room);
    if (!all) return false;
    for (int i = 0; i < count; i++) all[i] = (sized){ i, nodes[i].rows };
    qsort(all, (size_t)count, sizeof *all, by_rows);
    int chosen = count < most ? count : most;
    int *to = (int *)(void *)bytes_extend(out, (size_t)chosen * sizeof *to);
    for (int i = 0; to && i < chosen; i++) to[i] = all[i].node;
    if (to) qsort(to, (size_t)chosen, sizeof *to, by_number);
    heap_resize(memory, all, room, 0);
    return to != NULL;
}

/* ---- pieces of it ------------------------------------------------------------------------------- */

void put_node(const marey_parts *parts, const marey_clusters *clusters, int node, json_t **to)
{
    int count, clips = cluster_node_clips(parts, clusters, node);
    const marey_cluster_node *of = &marey_clusters_nodes(clusters, &count)[node];
    describe_put(to, "node", json_integer(node));
    describe_put(to, "rows", json_integer(of->rows));
    describe_put(to, "clips", json_integer(clips));
    describe_put(to, "loops", json_boolean(clips < of->sequences));
    describe_put(to, "clip", json_integer(cluster_clip(parts, of->clip)));
    describe_put(to, "frame", json_integer(cluster_frame(parts, of->clip, of->frame)));
    describe_put(to, "widest", describe_number(of->widest));
}

json_t *describe_switch(const marey_parts *parts, const marey_clusters *clusters,
                        const marey_cluster_switch *of)
{
    int count;
    const marey_cluster_sequence *all = marey_clusters_sequences(clusters, &count);
    int from = all[of->from_sequence].clip, to = all[of->to_sequence].clip;
    json_t *one = json_object();
    describe_put(&one, "from_sequence", json_integer(of->from_sequence));
    describe_put(&one, "to_sequence", json_integer(of->to_sequence));
    describe_put(&one, "from_clip", json_integer(cluster_clip(parts, from)));
    describe_put(&one, "to_clip", json_integer(cluster_clip(parts, to)));
    describe_put(&one, "from", json_integer(cluster_frame(parts, from, of->from)));
    describe_put(&one, "to", json_integer(cluster_frame(parts, to, of->to)));
    describe_put(&one, "cost", describe_number(of->cost));
    return one;
}

static json_t *describe_clips(heap *memory, const marey_clusters *clusters,
                              const marey_parts *parts)
{
    int count;
    const marey_cluster_sequence *all = marey_clusters_sequences(clusters, &count);
    size_t room = (size_t)parts->count * sizeof(int);
    int *used = heap_resize(memory, NULL, 0, room);
    json_t *list = used ? json_array() : NULL;
    for (int i = 0; used && i < parts->count; i++) used[i] = 0;
    for (int i = 0; used && i < count; i++) used[all[i].clip]++;
    for (int i = 0; used && i < parts->count; i++) {
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(parts->parts[i].clip));
        describe_put(&one, "name", describe_text(memory, parts->names[i].name));
        describe_put(&one, "start", json_integer(parts->parts[i].start));
        describe_put(&one, "end", json_integer(parts->parts[i].end));
        describe_put(&one, "sequences", json_integer(used[i]));
        describe_append(&list, one);
    }
    if (used) heap_resize(memory, used, room, 0);
    return list;
}

static int by_count(const void *a, const void *b)
{
    const marey_cluster_edge *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static json_t *list_edges(const marey_cluster_edge *edges, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_array();
        describe_append(&one, json_integer(edges[i].from));
        describe_append(&one, json_integer(edges[i].to));
        describe_append(&one, json_integer(edges[i].count));
        describe_append(&list, one);
    }
    return list;
}

/* Between nodes that are told; `chosen` rises. */
static json_t *describe_edges(heap *memory, const marey_clusters *clusters, const int *chosen,
                              int chosen_count, int most)
{
    int count;
    const marey_cluster_edge *edges = marey_clusters_edges(clusters, &count);
    studio_bytes told = { .memory = memory };
    size_t size = sizeof *chosen, n = (size_t)chosen_count;
    for (int i = 0; i < count; i++) {
        if (bsearch(&edges[i].from, chosen, n, size, by_number) &&
            bsearch(&edges[i].to, chosen, n, size, by_number))
            bytes_add(&told, &edges[i], sizeof edges[i]);
    }
    size_t found = told.count / sizeof *edges;
    if (found > 0 && !told.failed) qsort(told.data, found, sizeof *edges, by_count);
    if (found > (size_t)most) found = (size_t)most;
    json_t *list =
        told.failed ? NULL : list_edges((const marey_cluster_edge *)(const void *)told.data, found);
    bytes_free(&told);
    return list;
}

/* ---- nodes, with their places ------------------------------------------------------------------- */

static json_t *list_nodes(const marey_clusters *clusters, const marey_parts *parts,
                          const int *chosen, int count, const double *places)
{
    int all;
    const marey_cluster_node *nodes = marey_clusters_nodes(clusters, &all);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        put_node(parts, clusters, chosen[i], &one);
        describe_put(&one, "sequences", json_integer(nodes[chosen[i]].sequences));
        describe_put(&one, "x", describe_number(places[2 * i]));
        describe_put(&one, "y", describe_number(places[2 * i + 1]));
        describe_append(&list, one);
    }
    return list;
}

/* In one piece: what is computed with, places, poses. */
static json_t *describe_nodes(heap *memory, const marey_clusters *clusters,
                              const marey_parts *parts, const int *chosen, int count)
{
    size_t dims = 3 * (size_t)marey_clip_skeleton(parts->clips[0])->joint_count;
    size_t numbers = 4 * dims + 2 * (size_t)count;
    size_t room = numbers * sizeof(double) + dims * (size_t)count * sizeof(float);
    double *scratch = heap_resize(memory, NULL, 0, room);
    if (!scratch) return NULL;
    double *places = scratch + 4 * dims;
    float *poses = (float *)(scratch + numbers);
    cluster_poses(parts, clusters, chosen, count, scratch, poses);
    cluster_places(poses, count, (int)dims, scratch, places);
    json_t *list = list_nodes(clusters, parts, chosen, count, places);
    heap_resize(memory, scratch, room, 0);
    return list;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static json_t *describe_settings(heap *memory, const char *name, const marey_clusters *clusters,
                                 const marey_parts *parts)
{
    const marey_clusters_def *def = marey_clusters_settings(clusters);
    const marey_metric_def *metric = def->metric;
    int nodes, sequences, edges;
    json_t *value = json_object(), *skeleton = json_object();
    marey_clusters_nodes(clusters, &nodes);
    marey_clusters_sequences(clusters, &sequences);
    marey_clusters_edges(clusters, &edges);
    describe_put(&value, "name", describe_text(memory, name));
    describe_put(&value, "link", json_string(marey_link_name(def->link)));
    describe_put(&value, "fps", describe_number(marey_clusters_fps(clusters)));
    describe_put(&value, "metric", json_string(metric->metric->name));
    describe_put(&value, "unit", json_string(metric->metric->unit));
    describe_put(&value, "joints", json_string(metric->joints ? metric->joints->name : "equal"));
    describe_put(&value, "threshold", describe_number(def->threshold));
    describe_put(&value, "frames", json_integer(marey_clusters_frames(clusters)));
    describe_put(&value, "node_count", json_integer(nodes));
    describe_put(&value, "sequence_count", json_integer(sequences));
    describe_put(&value, "edge_count", json_integer(edges));
    describe_put(&value, "loops", json_integer(cluster_loops_count(parts, clusters)));
    describe_put(&value, "clips", describe_clips(memory, clusters, parts));
    describe_put(&skeleton, "id", json_integer(parts->parts[0].clip));
    describe_put(&value, "skeleton", skeleton);
    return value;
}

json_t *describe_clusters(heap *memory, const char *name, const marey_clusters *clusters,
                          const marey_parts *parts, const cluster_view *view)
{
    studio_bytes chosen = { .memory = memory };
    json_t *value = NULL;
    if (cluster_choose(memory, clusters, view->nodes, &chosen)) {
        const int *nodes = (const int *)(const void *)chosen.data;
        int count = (int)(chosen.count / sizeof *nodes);
        value = describe_settings(memory, name, clusters, parts);
        describe_put(&value, "nodes", describe_nodes(memory, clusters, parts, nodes, count));
        describe_put(&value, "edges", describe_edges(memory, clusters, nodes, count, view->edges));
    }
    bytes_free(&chosen);
    return value;
}
