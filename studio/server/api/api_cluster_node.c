/* api_cluster_node.c - inside a cluster graph: a node with its sequences and tuples, places to switch, loops, and how nodes
   look. */
#include "cluster_kept.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SEQUENCES = 1024, /* of a node, that are told */
    MOST_TUPLED = 256,     /* sequences of a node whose tuples are told */
    MOST_SWITCHES = 100,
    DEFAULT_SWITCHES = 12,
    MOST_OTHERS = 256, /* sequences that switches are told to */
    DEFAULT_LOOPS = 12,
    MOST_PAIRS = 320
};

/* ---- one node ----------------------------------------------------------------------------------- */

static json_t *whole_or_null(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *describe_sequence(heap *memory, const struct cluster_kept *of,
                                 const marey_cluster_sequence *all, int number)
{
    const marey_cluster_sequence *one = &all[number];
    json_t *value = json_object();
    describe_put(&value, "sequence", json_integer(number));
    describe_put(&value, "clip", json_integer(cluster_clip(of->parts, one->clip)));
    describe_put(&value, "name", describe_text(memory, of->parts->names[one->clip].name));
    describe_put(&value, "start", json_integer(cluster_frame(of->parts, one->clip, one->start)));
    describe_put(&value, "end", json_integer(cluster_frame(of->parts, one->clip, one->end)));
    describe_put(&value, "rows", json_integer(one->rows));
    describe_put(&value, "next", whole_or_null(one->next));
    describe_put(&value, "before", whole_or_null(one->before));
    describe_put(&value, "next_node", whole_or_null(one->next < 0 ? -1 : all[one->next].node));
    describe_put(&value, "before_node",
                 whole_or_null(one->before < 0 ? -1 : all[one->before].node));
    return value;
}

static json_t *describe_tuple(const struct cluster_kept *of, const marey_cluster_node *node,
                              const marey_tuples *tuples, int row)
{
    int count;
    const marey_cluster_sequence *all = marey_clusters_sequences(of->clusters, &count);
    const int *frames = tuples->frames + (size_t)row * (size_t)tuples->sequences;
    json_t *value = json_object(), *list = json_array();
    for (int i = 0; i < tuples->sequences; i++) {
        int clip = all[node->first + i].clip;
        describe_append(&list, json_integer(cluster_frame(of->parts, clip, frames[i])));
    }
    describe_put(&value, "frames", list);
    describe_put(&value, "cost", describe_number(tuples->costs[row]));
    return value;
}

static marey_status put_tuples(studio_worker *worker, const struct cluster_kept *of, int number,
                               int pairs, json_t **to, marey_error *error)
{
    int count;
    const marey_cluster_node *node = &marey_clusters_nodes(of->clusters, &count)[number];
    marey_tuples tuples = { .count = 0 };
    marey_tuples_def def = { .pairs = pairs };
    if (node->sequences < 2 || node->sequences > MOST_TUPLED) {
        describe_put(to, "tuples", json_null());
        return MAREY_OK;
    }
    marey_status status =
        marey_clusters_tuples(worker->ctx, of->clusters, number, &def, &tuples, error);
    if (status != MAREY_OK) return status;
    json_t *value = json_object(), *rows = json_array();
    for (int i = 0; i < tuples.count; i++)
        describe_append(&rows, describe_tuple(of, node, &tuples, i));
    describe_put(&value, "rows", rows);
    describe_put(&value, "pairs", json_integer(tuples.pairs));
    describe_put(&value, "by_pairs", json_boolean(tuples.by_pairs));
    describe_put(to, "tuples", value);
    marey_tuples_free(&tuples);
    return MAREY_OK;
}

static json_t *describe_one(heap *memory, const struct cluster_kept *of, int number)
{
    int count;
    const marey_cluster_node *node = &marey_clusters_nodes(of->clusters, &count)[number];
    const marey_cluster_sequence *all = marey_clusters_sequences(of->clusters, &count);
    json_t *value = json_object(), *list = json_array();
    put_node(of->parts, of->clusters, number, &value);
    for (int i = 0; i < node->sequences && i < MOST_SEQUENCES; i++)
        describe_append(&list, describe_sequence(memory, of, all, node->first + i));
    describe_put(&value, "sequences", list);
    describe_put(&value, "sequence_count", json_integer(node->sequences));
    return value;
}

static void answer_node(studio_worker *worker, const struct cluster_kept *of, int number, int pairs,
                        studio_response *response)
{
    marey_error error;
    json_t *value = describe_one(&worker->of->memory, of, number);
    if (put_tuples(worker, of, number, pairs, &value, &error) == MAREY_OK) {
        answer_json(response, 200, value);
    } else {
        json_decref(value);
        answer_fail(response, &error);
    }
}

void api_cluster_node(studio_worker *worker, studio_request *request, studio_response *response)
{
    struct cluster_kept *of = NULL;
    int number = -1, pairs = 0, count;
    if (!api_query_whole(request, "pairs", 1, MOST_PAIRS, &pairs, response)) return;
    if (cluster_open_query(worker, request, &of, response)) {
        marey_clusters_nodes(of->clusters, &count);
        if (!asked_query(request, "node"))
            answer_refuse(response, 400, "request", "node says which one");
        else if (api_query_whole(request, "node", 0, count - 1, &number, response))
            answer_node(worker, of, number, pairs, response);
    }
    cluster_let_go(worker);
}

/* ---- places to switch --------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b)
{
    const marey_cluster_switch *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->to_sequence > y->to_sequence) - (x->to_sequence < y->to_sequence);
}

/* The best one to each of the others. */
static marey_status switch_to_all(studio_worker *worker, const struct cluster_kept *of, int from,
                                  marey_cluster_switch *out, int *count, marey_error *error)
{
    int all;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(of->clusters, &all);
    const marey_cluster_node *node =
        &marey_clusters_nodes(of->clusters, &all)[sequences[from].node];
    marey_status status = MAREY_OK;
    int tried = 0;
    for (int i = node->first; i < node->first + node->sequences && status == MAREY_OK; i++) {
        int found = 0;
        if (i == from) continue;
        if (tried++ == MOST_OTHERS) break;
        status = marey_clusters_switches(worker->ctx, of->clusters, from, i, 1, out + *count,
                                         &found, error);
        if (status == MAREY_OK) *count += found;
    }
    qsort(out, (size_t)*count, sizeof *out, by_cost);
    return status;
}

static void answer_switches(studio_worker *worker, const struct cluster_kept *of, int from,
                            int to_sequence, int most, studio_response *response)
{
    marey_cluster_switch found[MOST_OTHERS];
    marey_error error;
    int count = 0;
    marey_status status = to_sequence < 0
                              ? switch_to_all(worker, of, from, found, &count, &error)
                              : marey_clusters_switches(worker->ctx, of->clusters, from,
                                                        to_sequence, most, found, &count, &error);
    if (status != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object(), *list = json_array();
    for (int i = 0; i < count; i++)
        describe_append(&list, describe_switch(of->parts, of->clusters, &found[i]));
    describe_put(&value, "switches", list);
    describe_put(&value, "unit", json_string("cm2")); /* whatever the metric */
    answer_json(response, 200, value);
}

void api_cluster_switches(studio_worker *worker, studio_request *request, studio_response *response)
{
    struct cluster_kept *of = NULL;
    int from = -1, to_sequence = -1, most = DEFAULT_SWITCHES, count;
    if (!api_query_whole(request, "count", 1, MOST_SWITCHES, &most, response)) return;
    if (cluster_open_query(worker, request, &of, response)) {
        marey_clusters_sequences(of->clusters, &count);
        if (!asked_query(request, "from"))
            answer_refuse(response, 400, "request", "from says which sequence");
        else if (api_query_whole(request, "from", 0, count - 1, &from, response) &&
                 api_query_whole(request, "to", 0, count - 1, &to_sequence, response))
            answer_switches(worker, of, from, to_sequence, most, response);
    }
    cluster_let_go(worker);
}

/* ---- loops -------------------------------------------------------------------------------------- */

static json_t *describe_loop(const struct cluster_kept *of, int part, const marey_loop *loop)
{
    int count;
    const marey_cluster_sequence *all = marey_clusters_sequences(of->clusters, &count);
    int sequence = marey_clusters_find(of->clusters, part, loop->start);
    json_t *one = json_object();
    describe_put(&one, "start", json_integer(cluster_frame(of->parts, part, loop->start)));
    describe_put(&one, "end", json_integer(cluster_frame(of->parts, part, loop->end)));
    describe_put(&one, "cost", describe_number(loop->cost));
    describe_put(&one, "node", whole_or_null(sequence < 0 ? -1 : all[sequence].node));
    return one;
}

static void answer_loops(studio_worker *worker, const struct cluster_kept *of, int64_t id,
                         const marey_cluster_loops_def *def, int most, studio_response *response)
{
    marey_loop loops[CLUSTER_LOOPS];
    marey_error error;
    int found = 0, part = -1;
    if (cluster_find_loops(worker, of, id, -1, def, most, loops, &found, &part, &error) !=
        MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object(), *list = json_array();
    for (int i = 0; i < found; i++) describe_append(&list, describe_loop(of, part, &loops[i]));
    describe_put(&value, "loops", list);
    describe_put(&value, "unit",
                 json_string(marey_clusters_settings(of->clusters)->metric->metric->unit));
    describe_put(&value, "fps", describe_number(marey_clip_fps(of->parts->clips[part])));
    answer_json(response, 200, value);
}

void api_cluster_loops(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_cluster_loops_def def = { .shortest_s = 0 };
    struct cluster_kept *of = NULL;
    int64_t id = 0;
    int most = DEFAULT_LOOPS;
    if (!api_query_clip(request, "clip", &id, response) ||
        !api_query_whole(request, "count", 1, CLUSTER_LOOPS, &most, response) ||
        !api_query_number(request, "shortest_s", 0.001, 1e6, &def.shortest_s, response) ||
        !api_query_number(request, "longest_s", 0.001, 1e6, &def.longest_s, response))
        return;
    if (cluster_open_query(worker, request, &of, response))
        answer_loops(worker, of, id, &def, most, response);
    cluster_let_go(worker);
}

/* ---- how nodes look ----------------------------------------------------------------------------- */

static void write_poses(const struct cluster_kept *of, const int *chosen, int count,
                        double *scratch, uint8_t *out)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(of->parts->clips[0]);
    uint32_t header[3] = { 1, (uint32_t)count, (uint32_t)skeleton->joint_count };
    memcpy(out, "MRYP", 4);
    memcpy(out + 4, header, sizeof header);
    out += 16;
    for (int j = 0; j < skeleton->joint_count; j++, out += sizeof(int32_t)) {
        int32_t parent = skeleton->joints[j].parent;
        memcpy(out, &parent, sizeof parent);
    }
    for (int i = 0; i < count; i++, out += sizeof(uint32_t)) {
        uint32_t node = (uint32_t)chosen[i];
        memcpy(out, &node, sizeof node);
    }
    cluster_poses(of->parts, of->clusters, chosen, count, scratch, (float *)(void *)out);
}

static void answer_poses(studio_worker *worker, const struct cluster_kept *of,
                         const studio_bytes *chosen, studio_response *response)
{
    heap *memory = &worker->of->memory;
    const int *nodes = (const int *)(const void *)chosen->data;
    size_t joints = (size_t)marey_clip_skeleton(of->parts->clips[0])->joint_count;
    size_t count = chosen->count / sizeof *nodes;
    size_t size = 16 + 4 * joints + 4 * count + 12 * joints * count;
    size_t room = 3 * joints * sizeof(double);
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "these poses are more than %d MiB: ask for fewer nodes",
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    double *scratch = heap_resize(memory, NULL, 0, room);
    uint8_t *out = scratch ? bytes_extend(&response->body, size) : NULL;
    if (out) {
        write_poses(of, nodes, (int)count, scratch, out);
        response->status = 200;
        response->type = "application/octet-stream";
    } else {
        api_fail_memory(response);
    }
    if (scratch) heap_resize(memory, scratch, room, 0);
}

void api_cluster_poses(studio_worker *worker, studio_request *request, studio_response *response)
{
    studio_bytes chosen = { .memory = &worker->of->memory };
    struct cluster_kept *of = NULL;
    int nodes = CLUSTER_NODES;
    if (!api_query_whole(request, "nodes", 1, LIMIT_CLUSTER_NODES, &nodes, response)) return;
    if (cluster_open_query(worker, request, &of, response)) {
        if (cluster_choose(&worker->of->memory, of->clusters, nodes, &chosen))
            answer_poses(worker, of, &chosen, response);
        else
            api_fail_memory(response);
    }
    cluster_let_go(worker);
    bytes_free(&chosen);
}
