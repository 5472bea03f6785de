/* api_graph_draw.c - a motion graph to be drawn: its segments as bars, its transitions as arcs, and which frames can be
   reached from which. Bounded, the best first: a picture of everything shows nothing. */
#include "graph_kept.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ARCS = 2000, DEFAULT_SIDE = 512, HEADER_BYTES = 16, LAYOUT = 1 };

/* ---- bars --------------------------------------------------------------------------------------- */

typedef struct run {
    int first, end; /* nodes */
    int core;       /* how many of them */
} run;

static run next_run(const marey_graph *graph, int first)
{
    run one = { first, first, 0 };
    int nodes = marey_graph_nodes(graph);
    for (;;) {
        marey_graph_node node = marey_graph_node_of(graph, one.end++);
        one.core += node.core;
        if (node.next != one.end || one.end == nodes) return one;
    }
}

static json_t *describe_run(const app_saved_graph *of, const run *one)
{
    marey_graph_node first = marey_graph_node_of(of->graph, one->first);
    marey_graph_node last = marey_graph_node_of(of->graph, one->end - 1);
    const marey_part *parts = of->parts->parts;
    json_t *value = json_object();
    describe_put(&value, "node", json_integer(one->first));
    describe_put(&value, "nodes", json_integer(one->end - one->first));
    describe_put(&value, "clip", json_integer(parts[first.clip].clip));
    describe_put(&value, "start", json_integer(app_graph_frame(of->parts, &first)));
    describe_put(&value, "end", json_integer(app_graph_frame(of->parts, &last) + 1));
    describe_put(&value, "core", describe_number((double)one->core / (one->end - one->first)));
    if (first.other < 0) return value;
    describe_put(&value, "other", json_integer(parts[first.other].clip));
    describe_put(&value, "other_start", json_integer(app_graph_other_frame(of->parts, &first)));
    describe_put(&value, "other_end", json_integer(app_graph_other_frame(of->parts, &last) + 1));
    describe_put(&value, "weight", describe_number(first.weight));
    return value;
}

/* Originals have the lowest numbers, and so come first. */
static void put_segments(const app_saved_graph *of, int most, json_t **to)
{
    json_t *list = json_array();
    int count = 0;
    for (int node = 0; node < marey_graph_nodes(of->graph); count++) {
        run one = next_run(of->graph, node);
        if (count < most) describe_append(&list, describe_run(of, &one));
        node = one.end;
    }
    describe_put(to, "segments", list);
    describe_put(to, "segment_count", json_integer(count));
}

/* ---- arcs --------------------------------------------------------------------------------------- */

typedef struct arc {
    float distance;
    int at; /* number of the transition; settles ties */
} arc;

static bool is_before(arc a, arc b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.at < b.at);
}

/* The worst of those that are kept is at the top of a heap. */
static void sink(arc *heap_of, int count, arc one)
{
    int i = 0;
    for (int child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && is_before(heap_of[child], heap_of[child + 1])) child++;
        if (!is_before(one, heap_of[child])) break;
        heap_of[i] = heap_of[child];
        i = child;
    }
    heap_of[i] = one;
}

static int by_distance(const void *a, const void *b)
{
    return is_before(*(const arc *)a, *(const arc *)b) ? -1 : 1;
}

/* The `count` least distances of all, in time n log count and memory for `count`. */
static void choose_arcs(const marey_graph_transition *all, int n, arc *out, int count)
{
    for (int i = 0; i < count; i++) out[i] = (arc){ all[i].distance, i };
    qsort(out, (size_t)count, sizeof *out, by_distance);
    for (int i = 0; i < count / 2; i++) { /* the worst first is a heap */
        arc swapped = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = swapped;
    }
    for (int i = count; i < n && count > 0; i++) {
        arc one = { all[i].distance, i };
        if (is_before(one, out[0])) sink(out, count, one);
    }
    qsort(out, (size_t)count, sizeof *out, by_distance);
}

static void put_arcs(heap *memory, const marey_graph *graph, int most, json_t **to)
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
    describe_put(to, "arcs", list);
    describe_put(to, "arc_count", json_integer(n));
}

void api_graph_arcs(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_saved_graph *of = NULL;
    int arcs = DEFAULT_ARCS, segments = LIMIT_SEGMENTS;
    if (!api_query_whole(request, "count", 0, LIMIT_ARCS, &arcs, response) ||
        !api_query_whole(request, "segments", 0, LIMIT_SEGMENTS, &segments, response)) {
        return;
    }
    if (graph_open_query(worker, request, &of, response)) {
        json_t *value = json_object();
        put_segments(of, segments, &value);
        put_arcs(&worker->of->memory, of->graph, arcs, &value);
        answer_json(response, 200, value);
    }
    graph_let_go(worker);
}

/* ---- the closure -------------------------------------------------------------------------------- */

typedef struct closure {
    int frames, side;
    size_t row_bytes;
    uint8_t *bits;
    uint32_t *sums; /* of one row of pixels */
} closure;

static int edge(const closure *all, int pixel)
{
    return (int)((int64_t)pixel * all->frames / all->side);
}

/* Each frame belongs to one pixel: that whose edges are around it. */
static void write_row(const closure *all, int y, uint8_t *out)
{
    int top = edge(all, y), bottom = edge(all, y + 1);
    memset(all->sums, 0, (size_t)all->side * sizeof *all->sums);
    for (int i = top; i < bottom; i++) {
        const uint8_t *row = all->bits + (size_t)i * all->row_bytes;
        for (int x = 0; x < all->side; x++) {
            for (int j = edge(all, x); j < edge(all, x + 1); j++)
                all->sums[x] += row[j / 8] >> (j % 8) & 1;
        }
    }
    for (int x = 0; x < all->side; x++) {
        double pairs = (double)(bottom - top) * (edge(all, x + 1) - edge(all, x));
        double share = all->sums[x] / pairs;
        /* 0 and 255 mean none and all, so what is between stays between. */
        int shade = (int)(share * 255 + 0.5);
        if (shade == 0 && share > 0) shade = 1;
        if (shade == 255 && share < 1) shade = 254;
        out[x] = (uint8_t)shade;
    }
}

static marey_status write_closure(studio_worker *worker, const marey_graph *graph, closure *all,
                                  studio_bytes *to, marey_error *error)
{
    uint32_t numbers[3] = { LAYOUT, (uint32_t)all->side, (uint32_t)all->frames };
    size_t pixels = (size_t)all->side * (size_t)all->side;
    uint8_t *out = bytes_extend(to, HEADER_BYTES + pixels);
    if (!all->bits || !all->sums || !out) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    marey_status status = marey_graph_closure(worker->ctx, graph, all->bits, error);
    if (status != MAREY_OK) return status;
    memcpy(out, "MRYC", 4);
    memcpy(out + 4, numbers, sizeof numbers);
    for (int y = 0; y < all->side; y++)
        write_row(all, y, out + HEADER_BYTES + (size_t)y * (size_t)all->side);
    return MAREY_OK;
}

static void send_closure(studio_worker *worker, const marey_graph *graph, int side,
                         studio_response *response)
{
    heap *memory = &worker->of->memory;
    closure all = { .frames = marey_graph_originals(graph) };
    marey_error error;
    if (all.frames > LIMIT_CLOSURE_FRAMES) {
        answer_refuse(response, 413, "limit",
                      "the graph has %d frames, and pairs of more than %d are not shown",
                      all.frames, LIMIT_CLOSURE_FRAMES);
        return;
    }
    all.side = side < all.frames ? side : all.frames;
    all.row_bytes = ((size_t)all.frames + 7) / 8;
    size_t bits = all.row_bytes * (size_t)all.frames, sums = (size_t)all.side * sizeof *all.sums;
    all.bits = heap_resize(memory, NULL, 0, bits);
    all.sums = heap_resize(memory, NULL, 0, sums);
    if (write_closure(worker, graph, &all, &response->body, &error) == MAREY_OK) {
        response->status = 200;
        response->type = "application/octet-stream";
    } else {
        answer_fail(response, &error);
    }
    heap_resize(memory, all.sums, all.sums ? sums : 0, 0);
    heap_resize(memory, all.bits, all.bits ? bits : 0, 0);
}

void api_graph_closure(studio_worker *worker, studio_request *request, studio_response *response)
{
    app_saved_graph *of = NULL;
    int side = DEFAULT_SIDE;
    if (!api_query_whole(request, "side", 1, LIMIT_CLOSURE_SIDE, &side, response)) return;
    if (graph_open_query(worker, request, &of, response))
        send_closure(worker, of->graph, side, response);
    graph_let_go(worker);
}
