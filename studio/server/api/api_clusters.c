/* api_clusters.c - saved cluster graphs to be drawn: a map of their nodes, how these look, what is
   in one of them, and where one can switch. What is done with them are operations. */
#include "api_common.h"
#include "cluster_graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_NODES = 512, /* that are drawn unasked */
    USUAL_EDGES = 4000,
    MOST_TUPLED = 256, /* sequences of a node whose tuples are found */
    MOST_PAIRS = 320,
    MOST_SWITCHES = 100,
    USUAL_SWITCHES = 12,
    MOST_OTHERS = 256 /* sequences that switches are found to */
};

/* ---- the graph that a request is about ------------------------------------------------------- */

typedef struct cluster_view {
    app_env env;
    app_scope scope;
    app_saved_cluster *saved;
} cluster_view;

/* What is too large to be kept goes. */
static void close_view(cluster_view *view)
{
    app_scope_close(&view->scope);
    app_cache_trim(view->env.cache);
}

/* By `name` of the query; false: the answer says why not. Otherwise close_view must follow. */
static bool open_view(cluster_view *view, studio_worker *worker, const studio_request *request,
                      studio_response *response)
{
    const char *name = query_text(request, "name");
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name says which cluster graph");
        return false;
    }
    *view = (cluster_view){ .scope = app_scope_open(&worker->of->allocator) };
    view->env = (app_env){ .ctx = worker->ctx,
                           .library = worker->library,
                           .scope = &view->scope,
                           .cache = &worker->saved };
    app_cache_trim(&worker->saved); /* so that it has a place */
    marey_status status = app_cluster_open(&view->env, name, &view->saved, &error);
    if (status == MAREY_ERR_MEMORY) {
        /* What is kept of other requests makes way before this one fails. */
        worker_make_room(worker);
        app_scope_close(&view->scope);
        status = app_cluster_open(&view->env, name, &view->saved, &error);
    }
    if (status == MAREY_OK) return true;
    answer_fail(response, &error);
    close_view(view);
    return false;
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* The middles of some nodes: count x joints x 3 numbers. `scratch` has room for one pose. */
static void write_middles(const app_saved_cluster *saved, const int *chosen, int count,
                          double *scratch, float *out)
{
    int nodes;
    const marey_cluster_node *all = marey_clusters_nodes(saved->graph, &nodes);
    for (int i = 0; i < count; i++) {
        const marey_cluster_node *node = &all[chosen[i]];
        const marey_clip *clip = saved->parts->clips[node->clip];
        const marey_skeleton *skeleton = marey_clip_skeleton(clip);
        marey_clip_positions(clip, node->frame, 1, scratch);
        /* Over the origin of the floor, facing along z: then the left side is along x. What the
           pelvis hangs from, perhaps metres away, is no part of the pose. */
        static const marey_role pairs[][2] = { { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP },
                                               { MAREY_ROLE_LEFT_SHOULDER,
                                                 MAREY_ROLE_RIGHT_SHOULDER } };
        int pelvis = skeleton->roles[MAREY_ROLE_HIPS] > 0 ? skeleton->roles[MAREY_ROLE_HIPS] : 0;
        const double *middle = scratch + 3 * pelvis;
        double side[2] = { 1, 0 }; /* of a body that has none */
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            int left = skeleton->roles[pairs[k][0]], right = skeleton->roles[pairs[k][1]];
            if (left < 0 || right < 0) continue;
            double x = scratch[3 * left] - scratch[3 * right];
            double z = scratch[3 * left + 2] - scratch[3 * right + 2];
            double length = hypot(x, z);
            if (!(length > 1e-6)) continue;
            side[0] = x / length;
            side[1] = z / length;
            break;
        }
        for (int j = 0; j < skeleton->joint_count; j++) {
            const double *at = j == 0 ? middle : scratch + 3 * j;
            double x = at[0] - middle[0], z = at[2] - middle[2];
            out[3 * j] = (float)(x * side[0] + z * side[1]);
            out[3 * j + 1] = (float)at[1];
            out[3 * j + 2] = (float)(z * side[0] - x * side[1]);
        }
        out += 3 * skeleton->joint_count;
    }
}

/* ---- where to draw them ---------------------------------------------------------------------- */

static double dot_row(const float *row, const double *mean, const double *v, int dims)
{
    double sum = 0;
    for (int d = 0; d < dims; d++) sum += ((double)row[d] - mean[d]) * v[d];
    return sum;
}

static double normalise(double *v, int dims)
{
    double sum = 0;
    for (int d = 0; d < dims; d++) sum += v[d] * v[d];
    double length = sqrt(sum);
    for (int d = 0; d < dims && length > 0; d++) v[d] /= length;
    return length;
}

/* Where to draw them, x and y of each, -1 to 1: along the two directions in which poses differ
   most, found by the power method. `scratch` has room for four poses. */
static void find_places(const float *poses, int count, int dims, double *scratch, double *out)
{
    enum { STEPS = 24 }; /* as a picture it need not be exact */
    double *mean = scratch, *axes[2] = { mean + dims, mean + 2 * dims }, *next = mean + 3 * dims;
    double most = 0;
    memset(mean, 0, (size_t)dims * sizeof *mean);
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < dims; d++)
            mean[d] += (double)poses[(size_t)i * (size_t)dims + (size_t)d] / count;
    }
    for (int k = 0; k < 2; k++) {
        const double *before = k ? axes[0] : NULL; /* what lies along it counts no more */
        double *v = axes[k];
        for (int d = 0; d < dims; d++) v[d] = 1 + 0.1 * (d % 7) - 0.3 * (d % 3);
        normalise(v, dims);
        for (int step = 0; step < STEPS; step++) {
            memset(next, 0, (size_t)dims * sizeof *next);
            for (int i = 0; i < count; i++) {
                const float *row = poses + (size_t)i * (size_t)dims;
                double along = dot_row(row, mean, v, dims);
                for (int d = 0; d < dims; d++) next[d] += along * ((double)row[d] - mean[d]);
            }
            double same = 0;
            for (int d = 0; before && d < dims; d++) same += next[d] * before[d];
            for (int d = 0; before && d < dims; d++) next[d] -= same * before[d];
            memcpy(v, next, (size_t)dims * sizeof *v);
            if (normalise(v, dims) == 0) break;
        }
        for (int i = 0; i < count; i++)
            out[2 * i + k] = dot_row(poses + (size_t)i * (size_t)dims, mean, v, dims);
    }
    /* By one measure, so that what is far apart in one direction is as far in the other. */
    for (int i = 0; i < 2 * count; i++) most = fmax(most, fabs(out[i]));
    for (int i = 0; i < 2 * count && most > 0; i++) out[i] /= most;
}

/* ---- which nodes ----------------------------------------------------------------------------- */

typedef struct sized {
    int node, rows;
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Those with the most frames, by their numbers; NULL: out of memory. */
static int *choose_nodes(cluster_view *view, int most, int *count)
{
    const marey_cluster_node *nodes = marey_clusters_nodes(view->saved->graph, count);
    sized *all = APP_NEW(&view->scope, sized, *count);
    int *chosen = APP_NEW(&view->scope, int, *count);
    if (!all || !chosen) return NULL;
    for (int i = 0; i < *count; i++) all[i] = (sized){ i, nodes[i].rows };
    qsort(all, (size_t)*count, sizeof *all, compare_sizes);
    if (*count > most) *count = most;
    for (int i = 0; i < *count; i++) chosen[i] = all[i].node;
    qsort(chosen, (size_t)*count, sizeof *chosen, compare_numbers);
    return chosen;
}

/* ---- the map --------------------------------------------------------------------------------- */

static void write_parts(json *out, const app_saved_cluster *saved, int *used)
{
    const marey_parts *parts = saved->parts;
    int count;
    const marey_cluster_sequence *all = marey_clusters_sequences(saved->graph, &count);
    for (int i = 0; i < count; i++) used[all[i].clip]++;
    json_open(out, "parts", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "id", parts->parts[i].clip);
        json_put_string(out, "name", parts->names[i].name);
        json_put_integer(out, "start", parts->parts[i].start);
        json_put_integer(out, "end", parts->parts[i].end);
        json_put_integer(out, "sequences", used[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "skeleton", '{');
    json_put_integer(out, "id", app_parts_body(parts));
    json_close(out, '}');
}

static void write_nodes(json *out, const app_saved_cluster *saved, const int *chosen, int count,
                        const double *places)
{
    int all;
    const marey_cluster_node *nodes = marey_clusters_nodes(saved->graph, &all);
    json_open(out, "nodes", '[');
    for (int i = 0; i < count; i++) {
        const marey_cluster_node *one = &nodes[chosen[i]];
        int clips = app_cluster_node_clips(saved->graph, saved->parts, chosen[i]);
        json_open(out, NULL, '{');
        json_put_integer(out, "node", chosen[i]);
        json_put_integer(out, "frames", one->rows);
        json_put_integer(out, "sequences", one->sequences);
        json_put_integer(out, "clips", clips);
        json_put_boolean(out, "loops", clips < one->sequences);
        json_put_number(out, "widest", one->widest);
        json_put_integer(out, "id", saved->parts->parts[one->clip].clip);
        json_put_integer(out, "frame", app_part_frame(saved->parts, one->clip, one->frame));
        json_put_number(out, "x", places[2 * i]);
        json_put_number(out, "y", places[2 * i + 1]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static int compare_edges(const void *a, const void *b)
{
    const marey_cluster_edge *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

/* Between nodes that are drawn, the most frequent first; `room` is for all edges. */
static void write_edges(json *out, const marey_clusters *graph, const int *chosen, int chosen_count,
                        int most, marey_cluster_edge *room)
{
    int count, found = 0;
    const marey_cluster_edge *edges = marey_clusters_edges(graph, &count);
    size_t size = sizeof *chosen, n = (size_t)chosen_count;
    for (int i = 0; i < count; i++) {
        if (bsearch(&edges[i].from, chosen, n, size, compare_numbers) &&
            bsearch(&edges[i].to, chosen, n, size, compare_numbers))
            room[found++] = edges[i];
    }
    qsort(room, (size_t)found, sizeof *room, compare_edges);
    json_open(out, "edges", '[');
    for (int i = 0; i < found && i < most; i++) {
        json_open(out, NULL, '[');
        json_put_integer(out, NULL, room[i].from);
        json_put_integer(out, NULL, room[i].to);
        json_put_integer(out, NULL, room[i].count);
        json_close(out, ']');
    }
    json_close(out, ']');
}

void api_cluster(studio_worker *worker, studio_request *request, studio_response *response)
{
    int most_nodes = USUAL_NODES, most_edges = USUAL_EDGES, count, edge_count;
    cluster_view view;
    if (!api_query_whole(request, "nodes", 1, LIMIT_CLUSTER_NODES, &most_nodes, response) ||
        !api_query_whole(request, "edges", 0, LIMIT_ARCS, &most_edges, response) ||
        !open_view(&view, worker, request, response))
        return;
    const app_saved_cluster *saved = view.saved;
    size_t dims = 3 * (size_t)marey_clip_skeleton(saved->parts->clips[0])->joint_count;
    marey_clusters_edges(saved->graph, &edge_count);
    int *chosen = choose_nodes(&view, most_nodes, &count);
    int *used = APP_NEW(&view.scope, int, saved->parts->count);
    double *scratch = APP_NEW(&view.scope, double, 4 * dims);
    double *places = APP_NEW(&view.scope, double, 2 * count);
    float *poses = app_alloc(&view.scope, dims * (size_t)count, sizeof *poses);
    marey_cluster_edge *edges = APP_NEW(&view.scope, marey_cluster_edge, edge_count);
    if (chosen && used && scratch && places && poses && edges) {
        buffer text = buffer_make(view.scope.memory);
        json out = json_make(&text);
        write_middles(saved, chosen, count, scratch, poses);
        find_places(poses, count, (int)dims, scratch, places);
        json_open(&out, NULL, '{');
        json_put_string(&out, "name", saved->name);
        app_cluster_write(&out, saved->graph, saved->parts);
        write_parts(&out, saved, used);
        write_nodes(&out, saved, chosen, count, places);
        write_edges(&out, saved->graph, chosen, count, most_edges, edges);
        json_close(&out, '}');
        api_answer(response, &text);
    } else {
        api_fail_memory(response);
    }
    close_view(&view);
}

/* ---- how nodes look -------------------------------------------------------------------------- */

void api_cluster_poses(studio_worker *worker, studio_request *request, studio_response *response)
{
    int most = USUAL_NODES, count;
    cluster_view view;
    if (!api_query_whole(request, "nodes", 1, LIMIT_CLUSTER_NODES, &most, response) ||
        !open_view(&view, worker, request, response))
        return;
    size_t joints = (size_t)marey_clip_skeleton(view.saved->parts->clips[0])->joint_count;
    int *chosen = choose_nodes(&view, most, &count);
    double *scratch = APP_NEW(&view.scope, double, 3 * joints);
    size_t size = 16 + 4 * joints + (4 + 12 * joints) * (size_t)count;
    uint8_t *out = NULL;
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "these poses are more than %d MiB: ask for fewer nodes",
                      LIMIT_FRAMES_BYTES >> 20);
    } else if (chosen && scratch && (out = bytes_extend(&response->body, size))) {
        const marey_skeleton *skeleton = marey_clip_skeleton(view.saved->parts->clips[0]);
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
        write_middles(view.saved, chosen, count, scratch, (float *)(void *)out);
        response->status = 200;
        response->type = "application/octet-stream";
    } else {
        api_fail_memory(response);
    }
    close_view(&view);
}

/* ---- one node -------------------------------------------------------------------------------- */

/* As `cluster show --node`, but without its switches, of which there may be many. */
void api_cluster_node(studio_worker *worker, studio_request *request, studio_response *response)
{
    int number = -1, pairs = 0, count;
    app_tuples_list tuples;
    cluster_view view;
    marey_error error;
    if (!api_query_whole(request, "pairs", 1, MOST_PAIRS, &pairs, response) ||
        !open_view(&view, worker, request, response))
        return;
    const marey_clusters *graph = view.saved->graph;
    const marey_cluster_node *nodes = marey_clusters_nodes(graph, &count);
    if (!query_text(request, "node")) {
        answer_refuse(response, 400, "request", "node says which one");
    } else if (!api_query_whole(request, "node", 0, count - 1, &number, response)) {
        /* it is refused */
    } else if (app_cluster_find_tuples(
                   &view.env, graph, &number, nodes[number].sequences <= MOST_TUPLED ? 1 : 0,
                   &(marey_tuples_def){ .pairs = pairs }, &tuples, &error) == MAREY_OK) {
        buffer text = buffer_make(view.scope.memory);
        json out = json_make(&text);
        json_open(&out, NULL, '{');
        json_open(&out, "nodes", '[');
        app_cluster_write_node(&out, graph, view.saved->parts, number);
        json_close(&out, ']');
        app_cluster_write_tuples(&out, graph, view.saved->parts, &tuples);
        json_close(&out, '}');
        api_answer(response, &text);
    } else {
        answer_fail(response, &error);
    }
    close_view(&view);
}

/* ---- places to switch ------------------------------------------------------------------------ */

static int compare_costs(const void *a, const void *b)
{
    const marey_cluster_switch *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->to_sequence > y->to_sequence) - (x->to_sequence < y->to_sequence);
}

/* To one sequence, or with -1 the best one to each other of the node. `out` has room for
   MOST_OTHERS. */
static marey_status find_switches(const cluster_view *view, int source, int target, int most,
                                  marey_cluster_switch *out, int *count, marey_error *error)
{
    const marey_clusters *graph = view->saved->graph;
    marey_ctx *ctx = view->env.ctx;
    int all, tried = 0;
    if (target >= 0)
        return marey_clusters_switches(ctx, graph, source, target, most, out, count, error);
    const marey_cluster_sequence *sequences = marey_clusters_sequences(graph, &all);
    const marey_cluster_node *node = &marey_clusters_nodes(graph, &all)[sequences[source].node];
    marey_status status = MAREY_OK;
    for (int i = node->first; i < node->first + node->sequences && status == MAREY_OK; i++) {
        int found = 0;
        if (i == source) continue;
        if (tried++ == MOST_OTHERS) break;
        status = marey_clusters_switches(ctx, graph, source, i, 1, out + *count, &found, error);
        if (status == MAREY_OK) *count += found;
    }
    qsort(out, (size_t)*count, sizeof *out, compare_costs);
    return status;
}

void api_cluster_switches(studio_worker *worker, studio_request *request, studio_response *response)
{
    int from = -1, to = -1, most = USUAL_SWITCHES, sequences, count = 0;
    marey_cluster_switch found[MOST_OTHERS];
    cluster_view view;
    marey_error error;
    if (!api_query_whole(request, "count", 1, MOST_SWITCHES, &most, response) ||
        !open_view(&view, worker, request, response))
        return;
    const app_saved_cluster *saved = view.saved;
    marey_clusters_sequences(saved->graph, &sequences);
    if (!query_text(request, "from")) {
        answer_refuse(response, 400, "request", "from says which sequence");
    } else if (!api_query_whole(request, "from", 0, sequences - 1, &from, response) ||
               !api_query_whole(request, "to", 0, sequences - 1, &to, response)) {
        /* one of them is refused */
    } else if (find_switches(&view, from, to, most, found, &count, &error) == MAREY_OK) {
        buffer text = buffer_make(view.scope.memory);
        json out = json_make(&text);
        json_open(&out, NULL, '{');
        json_open(&out, "switches", '[');
        for (int i = 0; i < count; i++) {
            json_open(&out, NULL, '{');
            app_cluster_write_switch(&out, saved->graph, saved->parts, &found[i]);
            json_close(&out, '}');
        }
        json_close(&out, ']');
        json_put_string(&out, "unit", "cm2"); /* whatever the metric */
        json_close(&out, '}');
        api_answer(response, &text);
    } else {
        answer_fail(response, &error);
    }
    close_view(&view);
}
