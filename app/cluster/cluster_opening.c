/* cluster_opening.c - saved cluster graphs: opened, their frames by clip and number, and described
   as JSON. */
#include "chosen_clips.h"
#include "cluster_graphs.h"
#include "near_name.h"

#include <stdio.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

static marey_status open_cluster(const app_env *env, const char *name, void *object,
                                 int64_t *weight, marey_error *error)
{
    app_saved_cluster *out = object;
    marey_status status =
        marey_library_clusters(env->library, name, &out->parts, &out->graph, error);
    if (status != MAREY_OK) return app_saved_hint("cluster", "build", error);
    out->name = app_copy(env->scope, name);
    /* A frame of it takes about a quarter of what a node of a motion graph does. */
    *weight = marey_clusters_frames(out->graph) / 4;
    /* The graph goes before its clips. */
    status = app_own_parts(env, out->parts, error);
    if (status == MAREY_OK) {
        status = app_own_clusters(env, out->graph, error);
    } else {
        marey_clusters_free(out->graph);
    }
    return status == MAREY_OK ? app_check(!out->name, error) : status;
}

marey_status app_cluster_open(const app_env *env, const char *name, app_saved_cluster **out,
                              marey_error *error)
{
    static const app_saved_kind clusters = { MAREY_KEPT_CLUSTERS, sizeof(app_saved_cluster),
                                             open_cluster };
    void *object = NULL;
    marey_status status = app_saved_open(env, &clusters, name, &object, error);
    if (status == MAREY_OK) *out = object;
    return status;
}

/* ---- clips and frames ------------------------------------------------------------------------ */

marey_status app_cluster_part(const app_saved_cluster *saved, const char *clip, int frame,
                              int *part, marey_error *error)
{
    const marey_parts *parts = saved->parts;
    const char *nearest = NULL;
    int longest = -1, most = 0;
    for (int i = 0; i < parts->count; i++) {
        const marey_part *one = &parts->parts[i];
        if (!nearest && is_near(clip, parts->names[i].name)) nearest = parts->names[i].name;
        if (!app_part_is_of(parts, i, clip)) continue;
        if (frame >= one->start && frame < one->end) {
            *part = i;
            return MAREY_OK;
        }
        if (one->end - one->start <= most) continue;
        most = one->end - one->start;
        longest = i;
    }
    if (longest < 0) {
        marey_status status =
            app_fail(error, MAREY_ERR_REQUEST, NULL,
                     "the cluster graph %.100s has no clip %.200s%s%.200s%s", saved->name, clip,
                     nearest ? "; is it " : "", nearest ? nearest : "", nearest ? "?" : "");
        address_explain(clip, error);
        return status;
    }
    if (frame >= 0) {
        return app_fail(error, MAREY_ERR_REQUEST, clip,
                        "frame %d is no captured frame of this clip in the cluster graph %.100s, "
                        "which has %d to %d",
                        frame, saved->name, parts->parts[longest].start,
                        parts->parts[longest].end - 1);
    }
    *part = longest;
    return MAREY_OK;
}

int app_cluster_node_at(const marey_clusters *graph, int part, int frame)
{
    int count, sequence = marey_clusters_find(graph, part, frame);
    return sequence < 0 ? -1 : marey_clusters_sequences(graph, &count)[sequence].node;
}

/* Sequences of a node are sorted by clip, and parts of one clip follow each other. */
int app_cluster_node_clips(const marey_clusters *graph, const marey_parts *parts, int node)
{
    int count, clips = 0;
    const marey_cluster_node *one = &marey_clusters_nodes(graph, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(graph, &count) + one->first;
    for (int i = 0; i < one->sequences; i++)
        clips += i == 0 || parts->parts[all[i].clip].clip != parts->parts[all[i - 1].clip].clip;
    return clips;
}

app_cluster_sum app_cluster_count(const marey_clusters *graph, const marey_parts *parts)
{
    app_cluster_sum sum = { 0 };
    const marey_cluster_node *nodes = marey_clusters_nodes(graph, &sum.nodes);
    marey_clusters_sequences(graph, &sum.sequences);
    marey_clusters_edges(graph, &sum.edges);
    for (int n = 0; n < sum.nodes; n++) {
        int clips = app_cluster_node_clips(graph, parts, n);
        sum.shared += clips > 1;
        sum.looping += clips < nodes[n].sequences;
        sum.switches += (int64_t)nodes[n].sequences * (nodes[n].sequences - 1);
    }
    return sum;
}

/* ---- tuples ---------------------------------------------------------------------------------- */

static void release_tuples(void *tuples)
{
    marey_tuples_free(tuples);
}

marey_status app_cluster_find_tuples(const app_env *env, const marey_clusters *graph,
                                     const int *nodes, int count, const marey_tuples_def *def,
                                     app_tuples_list *out, marey_error *error)
{
    int all;
    const marey_cluster_node *of = marey_clusters_nodes(graph, &all);
    marey_status status = MAREY_OK;
    if (!nodes) count = all;
    app_node_tuples *rows = APP_NEW(env->scope, app_node_tuples, count);
    if (!rows) return app_fail_memory(error);
    *out = (app_tuples_list){ .rows = rows };
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        app_node_tuples *one = &rows[out->count];
        one->node = nodes ? nodes[i] : i;
        if (of[one->node].sequences < 2) continue;
        app_progress(env, "aligning sequences", i, count, -1);
        status = marey_clusters_tuples(env->ctx, graph, one->node, def, &one->tuples, error);
        if (status == MAREY_OK) status = app_own(env->scope, &one->tuples, release_tuples, error);
        out->count++;
    }
    return status;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

void app_cluster_write(json *out, const marey_clusters *graph, const marey_parts *parts)
{
    const marey_clusters_def *def = marey_clusters_settings(graph);
    app_cluster_sum sum = app_cluster_count(graph, parts);
    json_put_string(out, "link", marey_link_name(def->link));
    json_put_number(out, "threshold", def->threshold);
    json_put_number(out, "fps", marey_clusters_fps(graph));
    json_put_string(out, "metric", def->metric->metric->name);
    json_put_string(out, "unit", def->metric->metric->unit);
    json_put_string(out, "joints", def->metric->joints ? def->metric->joints->name : "equal");
    json_put_integer(out, "clips", app_clip_count(parts->parts, parts->count));
    json_put_integer(out, "frames", marey_clusters_frames(graph));
    json_put_integer(out, "node_count", sum.nodes);
    json_put_integer(out, "sequence_count", sum.sequences);
    json_put_integer(out, "edge_count", sum.edges);
    json_put_integer(out, "shared", sum.shared);
    json_put_integer(out, "looping", sum.looping);
    json_put_integer(out, "switches", sum.switches);
}

void app_cluster_write_clips(json *out, const marey_parts *parts)
{
    json_open(out, "working_set", '[');
    for (int i = 0; i < parts->count; i++) {
        if (i == 0 || parts->parts[i].clip != parts->parts[i - 1].clip)
            json_put_string(out, NULL, parts->names[i].name);
    }
    json_close(out, ']');
    app_fits_write(out, parts);
}

void app_cluster_write_node(json *out, const marey_clusters *graph, const marey_parts *parts,
                            int node)
{
    int count;
    const marey_cluster_node *one = &marey_clusters_nodes(graph, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(graph, &count);
    int clips = app_cluster_node_clips(graph, parts, node);
    json_open(out, NULL, '{');
    json_put_integer(out, "node", node);
    json_put_integer(out, "frames", one->rows);
    json_put_integer(out, "clips", clips);
    json_put_boolean(out, "loops", clips < one->sequences);
    json_put_number(out, "widest", one->widest);
    json_open(out, "middle", '{');
    json_put_string(out, "clip", parts->names[one->clip].name);
    json_put_integer(out, "id", parts->parts[one->clip].clip);
    json_put_integer(out, "frame", app_part_frame(parts, one->clip, one->frame));
    json_close(out, '}');
    json_open(out, "sequences", '[');
    for (int s = one->first; s < one->first + one->sequences; s++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "sequence", s);
        json_put_string(out, "clip", parts->names[all[s].clip].name);
        json_put_integer(out, "id", parts->parts[all[s].clip].clip);
        json_put_integer(out, "start", app_part_frame(parts, all[s].clip, all[s].start));
        json_put_integer(out, "end", app_part_frame(parts, all[s].clip, all[s].end));
        if (all[s].next < 0) {
            json_put_null(out, "next");
        } else {
            json_put_integer(out, "next", all[all[s].next].node);
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

void app_cluster_write_switch(json *out, const marey_clusters *graph, const marey_parts *parts,
                              const marey_cluster_switch *one)
{
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(graph, &count);
    int a = sequences[one->from_sequence].clip, b = sequences[one->to_sequence].clip;
    json_put_integer(out, "from_sequence", one->from_sequence);
    json_put_integer(out, "to_sequence", one->to_sequence);
    json_put_string(out, "from_clip", parts->names[a].name);
    json_put_integer(out, "from_id", parts->parts[a].clip);
    json_put_integer(out, "from", app_part_frame(parts, a, one->from));
    json_put_string(out, "to_clip", parts->names[b].name);
    json_put_integer(out, "to_id", parts->parts[b].clip);
    json_put_integer(out, "to", app_part_frame(parts, b, one->to));
    json_put_number(out, "cost", one->cost);
}

void app_cluster_write_tuples(json *out, const marey_clusters *graph, const marey_parts *parts,
                              const app_tuples_list *list)
{
    int count;
    const marey_cluster_node *nodes = marey_clusters_nodes(graph, &count);
    const marey_cluster_sequence *sequences = marey_clusters_sequences(graph, &count);
    json_open(out, "tuples", '[');
    for (int i = 0; i < list->count; i++) {
        const marey_tuples *tuples = &list->rows[i].tuples;
        const marey_cluster_sequence *first = sequences + nodes[list->rows[i].node].first;
        const int *frame = tuples->frames;
        json_open(out, NULL, '{');
        json_put_integer(out, "node", list->rows[i].node);
        json_put_integer(out, "pairs", tuples->pairs);
        json_put_boolean(out, "by_pairs", tuples->by_pairs);
        json_open(out, "frames", '[');
        for (int t = 0; t < tuples->count; t++) {
            json_open(out, NULL, '[');
            for (int s = 0; s < tuples->sequences; s++)
                json_put_integer(out, NULL, app_part_frame(parts, first[s].clip, *frame++));
            json_close(out, ']');
        }
        json_close(out, ']');
        json_put_numbers(out, "costs", tuples->costs, tuples->count);
        json_close(out, '}');
    }
    json_close(out, ']');
}
