/* clusters_tell.c - cluster graphs for people and programs. */
#include "clusters_open.h"

#include "graph_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------------- */

/* Sequences of a node are sorted by clip. */
int clusters_node_clips(const marey_clusters *graph, const marey_parts *parts, int node)
{
    int count, clips = 0;
    const marey_cluster_node *one = &marey_clusters_nodes(graph, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(graph, &count) + one->first;
    for (int i = 0; i < one->sequences; i++)
        clips += i == 0 || parts->parts[all[i].clip].clip != parts->parts[all[i - 1].clip].clip;
    return clips;
}

clusters_sum clusters_count(const marey_clusters *graph, const marey_parts *parts)
{
    clusters_sum sum = { 0 };
    const marey_cluster_node *nodes = marey_clusters_nodes(graph, &sum.nodes);
    marey_clusters_sequences(graph, &sum.sequences);
    marey_clusters_edges(graph, &sum.edges);
    for (int n = 0; n < sum.nodes; n++) {
        int clips = clusters_node_clips(graph, parts, n);
        sum.shared += clips > 1;
        sum.looping += clips < nodes[n].sequences;
        sum.switches += (int64_t)nodes[n].sequences * (nodes[n].sequences - 1);
    }
    return sum;
}

static int compare(const marey_clusters *graph, const marey_parts *parts, int a, int b)
{
    int count;
    const marey_cluster_node *nodes = marey_clusters_nodes(graph, &count);
    int clips = clusters_node_clips(graph, parts, b) - clusters_node_clips(graph, parts, a);
    if (clips != 0) return clips;
    int rows = nodes[b].rows - nodes[a].rows;
    return rows != 0 ? rows : a - b;
}

/* By halves: there may be thousands of nodes, and qsort takes no context. */
static void sift(const marey_clusters *graph, const marey_parts *parts, int *heap, int at,
                 int count)
{
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(graph, parts, heap[child + 1], heap[child]) > 0) child++;
        if (compare(graph, parts, heap[child], heap[at]) <= 0) return;
        int swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

void clusters_rank(const marey_clusters *graph, const marey_parts *parts, int *order)
{
    int count;
    marey_clusters_nodes(graph, &count);
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count / 2 - 1; i >= 0; i--) sift(graph, parts, order, i, count);
    for (int left = count - 1; left > 0; left--) {
        int last = order[0];
        order[0] = order[left];
        order[left] = last;
        sift(graph, parts, order, 0, left);
    }
}

/* ---- as JSON --------------------------------------------------------------------------------------- */

void json_clusters(json *to, const marey_clusters *graph, const marey_parts *parts)
{
    const marey_clusters_def *def = marey_clusters_settings(graph);
    clusters_sum sum = clusters_count(graph, parts);
    json_put_string(to, "link", marey_link_name(def->link));
    json_put_number(to, "threshold", def->threshold);
    json_put_number(to, "fps", marey_clusters_fps(graph));
    json_put_string(to, "metric", def->metric->metric->name);
    json_put_string(to, "unit", def->metric->metric->unit);
    json_put_string(to, "joints", def->metric->joints ? def->metric->joints->name : "equal");
    json_put_integer(to, "clips", parts_clips(parts));
    json_put_integer(to, "frames", marey_clusters_frames(graph));
    json_put_integer(to, "node_count", sum.nodes);
    json_put_integer(to, "sequence_count", sum.sequences);
    json_put_integer(to, "edge_count", sum.edges);
    json_put_integer(to, "shared", sum.shared);
    json_put_integer(to, "looping", sum.looping);
    json_put_integer(to, "switches", sum.switches);
}

static void put_place(json *to, const char *name, const marey_parts *parts, int part, int frame)
{
    json_open(to, name, '{');
    json_put_string(to, "clip", parts->names[part].name);
    json_put_integer(to, "id", parts->parts[part].clip);
    json_put_integer(to, "frame", clusters_frame(parts, part, frame));
    json_close(to, '}');
}

void json_cluster_node(json *to, const marey_clusters *graph, const marey_parts *parts, int node)
{
    int count;
    const marey_cluster_node *one = &marey_clusters_nodes(graph, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(graph, &count);
    int clips = clusters_node_clips(graph, parts, node);
    json_open(to, NULL, '{');
    json_put_integer(to, "node", node);
    json_put_integer(to, "frames", one->rows);
    json_put_integer(to, "clips", clips);
    json_put_boolean(to, "loops", clips < one->sequences);
    json_put_number(to, "widest", one->widest);
    put_place(to, "middle", parts, one->clip, one->frame);
    json_open(to, "sequences", '[');
    for (int s = one->first; s < one->first + one->sequences; s++) {
        json_open(to, NULL, '{');
        json_put_integer(to, "sequence", s);
        json_put_string(to, "clip", parts->names[all[s].clip].name);
        json_put_integer(to, "id", parts->parts[all[s].clip].clip);
        json_put_integer(to, "start", clusters_frame(parts, all[s].clip, all[s].start));
        json_put_integer(to, "end", clusters_frame(parts, all[s].clip, all[s].end));
        if (all[s].next < 0) {
            json_put_null(to, "next");
        } else {
            json_put_integer(to, "next", all[all[s].next].node);
        }
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
}

void json_cluster_tuples(json *to, const marey_tuples *tuples, const marey_clusters *graph,
                         const marey_parts *parts, int node)
{
    int count;
    const marey_cluster_node *one = &marey_clusters_nodes(graph, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(graph, &count) + one->first;
    json_open(to, NULL, '{');
    json_put_integer(to, "node", node);
    json_put_integer(to, "pairs", tuples->pairs);
    json_put_boolean(to, "by_pairs", tuples->by_pairs);
    json_open(to, "frames", '[');
    for (int t = 0; t < tuples->count; t++) {
        json_open(to, NULL, '[');
        for (int s = 0; s < tuples->sequences; s++) {
            int frame = tuples->frames[(size_t)t * (size_t)tuples->sequences + (size_t)s];
            json_put_integer(to, NULL, clusters_frame(parts, all[s].clip, frame));
        }
        json_close(to, ']');
    }
    json_close(to, ']');
    json_open(to, "costs", '[');
    for (int t = 0; t < tuples->count; t++) json_put_number(to, NULL, tuples->costs[t]);
    json_close(to, ']');
    json_close(to, '}');
}

static marey_status put_tuples(session *run, json *to, const marey_clusters *graph,
                               const marey_parts *parts, int node, int most, marey_error *error)
{
    marey_tuples tuples = { 0 };
    marey_tuples_def def = { .most = most };
    marey_status status = marey_clusters_tuples(run->ctx, graph, node, &def, &tuples, error);
    if (status == MAREY_OK) json_cluster_tuples(to, &tuples, graph, parts, node);
    marey_tuples_free(&tuples);
    return status;
}

marey_status json_all_tuples(session *run, json *to, const marey_clusters *graph,
                             const marey_parts *parts, const int *nodes, int count, int most,
                             marey_error *error)
{
    int all;
    const marey_cluster_node *of = marey_clusters_nodes(graph, &all);
    marey_status status = MAREY_OK;
    if (!nodes) count = all;
    json_open(to, "tuples", '[');
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        int node = nodes ? nodes[i] : i;
        bool seen = false;
        for (int j = 0; j < i && nodes && !seen; j++) seen = nodes[j] == node;
        if (of[node].sequences < 2 || seen) continue;
        session_progress(run, "aligning sequences", i, count);
        status = put_tuples(run, to, graph, parts, node, most, error);
    }
    json_close(to, ']');
    return status;
}

/* ---- for people ------------------------------------------------------------------------------------ */

void buffer_distance(buffer *out, const marey_clusters *graph, double distance)
{
    const char *unit = marey_clusters_settings(graph)->metric->metric->unit;
    buffer_print(out, "%.4g%s%s", distance, *unit ? " " : "", unit);
    if (strcmp(unit, "cm2") == 0) buffer_print(out, ", root %.3g cm", sqrt(distance));
}

void buffer_switch_cost(buffer *out, double cost)
{
    buffer_print(out, "%.4g cm2, root %.3g cm", cost, sqrt(cost));
}

void buffer_clusters(buffer *out, const char *name, const marey_clusters *graph,
                     const marey_parts *parts)
{
    const marey_clusters_def *def = marey_clusters_settings(graph);
    clusters_sum sum = clusters_count(graph, parts);
    double fps = marey_clusters_fps(graph);
    int frames = marey_clusters_frames(graph);
    buffer_text(out, "cluster graph ");
    buffer_shown(out, name);
    buffer_print(out, ": %s link, ", marey_link_name(def->link));
    buffer_clips(out, parts_clips(parts));
    buffer_print(out, ", %d frames at %.4g a second\n  threshold  ", frames, fps);
    buffer_distance(out, graph, def->threshold);
    buffer_print(out,
                 "\n  nodes      %d; %d have several clips, %d let one go on for ever\n"
                 "  sequences  %d, of %.1f frames (%.2f s) on average\n"
                 "  switches   %lld, from any sequence of a node to any other; %d edges\n",
                 sum.nodes, sum.shared, sum.looping, sum.sequences,
                 sum.sequences ? (double)frames / sum.sequences : 0,
                 sum.sequences ? frames / fps / sum.sequences : 0, (long long)sum.switches,
                 sum.edges);
}
