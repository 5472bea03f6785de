/* api_graph_draw.c - a motion graph to be drawn: its segments as bars, its transitions as arcs, and
   which frames can be reached from which. Bounded, the best first: a picture of everything shows
   nothing. */
#include "api_common.h"
#include "motion_graphs.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ARCS = 2000, DEFAULT_SIDE = 512, HEADER_BYTES = 16, LAYOUT = 1 };

/* The graph of the query's name, borrowed until app_cache_trim, which must follow, also after
   false. False: the response says why not. */
static bool open_graph(studio_worker *worker, const studio_request *request, app_saved_graph **out,
                       studio_response *response)
{
    const char *name = query_text(request, "name");
    app_env env = { .ctx = worker->ctx, .library = worker->library, .cache = &worker->saved };
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name says which graph");
        return false;
    }
    if (strlen(name) >= MAREY_NAME_ROOM) {
        answer_refuse(response, 404, marey_status_word(MAREY_ERR_NOT_FOUND),
                      "no graph has so long a name");
        return false;
    }
    app_cache_trim(&worker->saved); /* so that it has a place */
    marey_status status = app_graph_open(&env, name, out, &error);
    if (status == MAREY_ERR_MEMORY) {
        /* What is kept of other requests makes way before this one fails. */
        worker_make_room(worker);
        status = app_graph_open(&env, name, out, &error);
    }
    if (status == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

/* ---- bars ------------------------------------------------------------------------------------ */

/* A run of nodes that follow each other. Originals have the lowest numbers, and so come first. */
static void put_segments(const app_saved_graph *saved, int most, json_t **value)
{
    const marey_part *parts = saved->parts->parts;
    int nodes = marey_graph_nodes(saved->graph), count = 0;
    json_t *list = json_array();
    for (int start = 0, end; start < nodes; start = end, count++) {
        marey_graph_node first = marey_graph_node_of(saved->graph, start), last = first;
        int core = first.core;
        for (end = start + 1; last.next == end && end < nodes; end++) {
            last = marey_graph_node_of(saved->graph, end);
            core += last.core;
        }
        if (count >= most) continue;
        json_t *one = json_object();
        describe_put(&one, "node", json_integer(start));
        describe_put(&one, "nodes", json_integer(end - start));
        describe_put(&one, "clip", json_integer(parts[first.clip].clip));
        describe_put(&one, "start", json_integer(app_graph_frame(saved->parts, &first)));
        describe_put(&one, "end", json_integer(app_graph_frame(saved->parts, &last) + 1));
        describe_put(&one, "core", describe_number((double)core / (end - start)));
        if (first.other >= 0) {
            int other_start = app_graph_other_frame(saved->parts, &first);
            int other_end = app_graph_other_frame(saved->parts, &last) + 1;
            describe_put(&one, "other", json_integer(parts[first.other].clip));
            describe_put(&one, "other_start", json_integer(other_start));
            describe_put(&one, "other_end", json_integer(other_end));
            describe_put(&one, "weight", describe_number(first.weight));
        }
        describe_append(&list, one);
    }
    describe_put(value, "segments", list);
    describe_put(value, "segment_count", json_integer(count));
}

/* ---- arcs ------------------------------------------------------------------------------------ */

typedef struct arc {
    float distance;
    int at; /* number of the transition; settles ties */
} arc;

static bool is_before(arc a, arc b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.at < b.at);
}

static int by_distance(const void *a, const void *b)
{
    return is_before(*(const arc *)a, *(const arc *)b) ? -1 : 1;
}

/* The `count` least distances of all, in time n log count and memory for `count`. */
static void choose_arcs(const marey_graph_transition *transitions, int n, arc *out, int count)
{
    for (int i = 0; i < count; i++) out[i] = (arc){ transitions[i].distance, i };
    qsort(out, (size_t)count, sizeof *out, by_distance);
    /* The worst of those that are kept is at the top of a heap; the worst first is one. */
    for (int i = 0; i < count / 2; i++) {
        arc swapped = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = swapped;
    }
    for (int k = count; k < n && count > 0; k++) {
        arc one = { transitions[k].distance, k };
        if (!is_before(one, out[0])) continue;
        int i = 0;
        for (int child = 1; child < count; child = 2 * i + 1) {
            if (child + 1 < count && is_before(out[child], out[child + 1])) child++;
            if (!is_before(one, out[child])) break;
            out[i] = out[child];
            i = child;
        }
        out[i] = one;
    }
    qsort(out, (size_t)count, sizeof *out, by_distance);
}

static void put_arcs(heap *memory, const marey_graph *graph, int most, json_t **value)
{
    int n;
    const marey_graph_transition *all = marey_graph_transitions(graph, &n);
    int count = n < most ? n : most;
    size_t room = ((size_t)count + 1) * sizeof(arc);
    arc *chosen = heap_resize(memory, NULL, 0, room);
    json_t *list = chosen ? json_array() : NULL;
    if (chosen) choose_arcs(all, n, chosen, count);
    for (int i = 0; i < count && list; i++) {
        const marey_graph_transition *one = &all[chosen[i].at];
        json_t *row = json_array();
        describe_append(&row, json_integer(one->from));
        describe_append(&row, json_integer(one->to));
        describe_append(&row, describe_number((double)one->distance));
        describe_append(&row, describe_number((double)one->jump));
        describe_append(&list, row);
    }
    heap_resize(memory, chosen, chosen ? room : 0, 0);
    describe_put(value, "arcs", list);
    describe_put(value, "arc_count", json_integer(n));
}

void api_graph_arcs(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_saved_graph *saved = NULL;
    int arcs = DEFAULT_ARCS, segments = LIMIT_SEGMENTS;
    if (!api_query_whole(request, "count", 0, LIMIT_ARCS, &arcs, response) ||
        !api_query_whole(request, "segments", 0, LIMIT_SEGMENTS, &segments, response)) {
        return;
    }
    if (open_graph(worker, request, &saved, response)) {
        json_t *value = json_object();
        put_segments(saved, segments, &value);
        put_arcs(&worker->of->memory, saved->graph, arcs, &value);
        answer_json(response, 200, value);
    }
    app_cache_trim(&worker->saved);
}

/* ---- the closure ----------------------------------------------------------------------------- */

/* The share of pairs of frames that are connected, a byte for each of side x side pixels. Each
   frame belongs to one pixel: that whose edges are around it. */
static void write_pixels(const uint8_t *bits, int frames, int side, uint8_t *out)
{
    size_t row_bytes = ((size_t)frames + 7) / 8;
    for (int y = 0; y < side; y++, out += side) {
        int top = (int)((int64_t)y * frames / side);
        int bottom = (int)((int64_t)(y + 1) * frames / side);
        for (int x = 0; x < side; x++) {
            int left = (int)((int64_t)x * frames / side);
            int right = (int)((int64_t)(x + 1) * frames / side);
            uint32_t sum = 0;
            for (int i = top; i < bottom; i++) {
                const uint8_t *row = bits + (size_t)i * row_bytes;
                for (int j = left; j < right; j++) sum += row[j / 8] >> (j % 8) & 1;
            }
            double share = sum / ((double)(bottom - top) * (right - left));
            /* 0 and 255 mean none and all, so what is between stays between. */
            int shade = (int)(share * 255 + 0.5);
            if (shade == 0 && share > 0) shade = 1;
            if (shade == 255 && share < 1) shade = 254;
            out[x] = (uint8_t)shade;
        }
    }
}

static void send_closure(studio_worker *worker, const marey_graph *graph, int side,
                         studio_response *response)
{
    heap *memory = &worker->of->memory;
    int frames = marey_graph_originals(graph);
    marey_error error = { .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    if (frames > LIMIT_CLOSURE_FRAMES) {
        answer_refuse(response, 413, "limit",
                      "the graph has %d frames, and pairs of more than %d are not shown", frames,
                      LIMIT_CLOSURE_FRAMES);
        return;
    }
    if (side > frames) side = frames;
    size_t bits_bytes = ((size_t)frames + 7) / 8 * (size_t)frames;
    size_t pixels = (size_t)side * (size_t)side;
    uint8_t *bits = heap_resize(memory, NULL, 0, bits_bytes);
    uint8_t *out = bytes_extend(&response->body, HEADER_BYTES + pixels);
    if (bits && out && marey_graph_closure(worker->ctx, graph, bits, &error) == MAREY_OK) {
        uint32_t numbers[3] = { LAYOUT, (uint32_t)side, (uint32_t)frames };
        memcpy(out, "MRYC", 4);
        memcpy(out + 4, numbers, sizeof numbers);
        write_pixels(bits, frames, side, out + HEADER_BYTES);
        response->status = 200;
        response->type = "application/octet-stream";
    } else {
        answer_fail(response, &error);
    }
    heap_resize(memory, bits, bits ? bits_bytes : 0, 0);
}

void api_graph_closure(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_saved_graph *saved = NULL;
    int side = DEFAULT_SIDE;
    if (!api_query_whole(request, "side", 1, LIMIT_CLOSURE_SIDE, &side, response)) return;
    if (open_graph(worker, request, &saved, response))
        send_closure(worker, saved->graph, side, response);
    app_cache_trim(&worker->saved);
}
