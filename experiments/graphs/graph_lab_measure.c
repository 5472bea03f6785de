/* graph_lab_measure.c - see graph_lab.h: how well a graph is connected, by plain searches. */
#include "graph_lab.h"

#include <math.h>
#include <string.h>

/* Arcs of a graph as rows, forwards or backwards: node n leads to to[first[n]] .. to[first[n + 1] - 1]. */
typedef struct arcs {
    int nodes;
    int *first, *to;
} arcs;

static void *room(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void put(arcs *of, bool place, int from, int to)
{
    if (place)
        of->to[of->first[from + 1]++] = to;
    else
        of->first[from + 2]++;
}

/* Once to count, once to put them in their places. */
static void go_over(arcs *of, const marey_graph *graph, bool back, bool place)
{
    int count;
    const marey_graph_transition *t = marey_graph_transitions(graph, &count);
    for (int n = 0; n < of->nodes; n++) {
        int next = marey_graph_node_of(graph, n).next;
        if (next >= 0) put(of, place, back ? next : n, back ? n : next);
    }
    for (int i = 0; i < count; i++)
        put(of, place, back ? t[i].to : t[i].from, back ? t[i].from : t[i].to);
}

static arcs arcs_of(const marey_graph *graph, bool back)
{
    int count, nodes = marey_graph_nodes(graph);
    marey_graph_transitions(graph, &count);
    arcs out = { .nodes = nodes,
                 .first = room(((size_t)nodes + 2) * sizeof(int)),
                 .to = room(((size_t)nodes + (size_t)count) * sizeof(int)) };
    go_over(&out, graph, back, false);
    for (int n = 0; n < nodes; n++) out.first[n + 2] += out.first[n + 1];
    go_over(&out, graph, back, true);
    return out;
}

static void arcs_free(arcs *of)
{
    free(of->first);
    free(of->to);
}

/* Frames from the nodes that have 0 in `when` to all others, -1: never. */
static void flood(const arcs *of, int *when, int *queue)
{
    int head = 0, tail = 0;
    for (int n = 0; n < of->nodes; n++) {
        if (when[n] == 0) queue[tail++] = n;
    }
    while (head < tail) {
        int n = queue[head++];
        for (int k = of->first[n]; k < of->first[n + 1]; k++) {
            if (when[of->to[k]] >= 0) continue;
            when[of->to[k]] = when[n] + 1;
            queue[tail++] = of->to[k];
        }
    }
}

static double mean_time(const marey_graph *graph, int sources)
{
    int originals = marey_graph_originals(graph), nodes = marey_graph_nodes(graph);
    double sum = 0, count = 0;
    arcs forwards = arcs_of(graph, false);
    int *when = room((size_t)nodes * sizeof *when), *queue = room((size_t)nodes * sizeof *queue);
    if (sources > originals) sources = originals;
    for (int i = 0; i < sources; i++) {
        memset(when, -1, (size_t)nodes * sizeof *when);
        when[(int64_t)i * originals / sources] = 0;
        flood(&forwards, when, queue);
        for (int n = 0; n < originals; n++) {
            sum += when[n] > 0 ? when[n] : 0;
            count += when[n] > 0;
        }
    }
    free(when);
    free(queue);
    arcs_free(&forwards);
    return sum / count / marey_graph_fps(graph);
}

/* Reitsma & Pollard: half a segment and the least time from its end on, the mean over the segments; those are stretches of
   captured frames with the same contacts, as far as they are in the largest component. */
static double time_to(const marey_graph *graph, const int *when)
{
    int originals = marey_graph_originals(graph), segments = 0;
    double sum = 0;
    for (int n = 0, length = 0; n < originals; n++) {
        marey_graph_node node = marey_graph_node_of(graph, n);
        length = node.core ? length + 1 : 0;
        if (!node.core) continue;
        if (node.next >= 0) {
            marey_graph_node next = marey_graph_node_of(graph, node.next);
            if (next.core && next.contacts == node.contacts) continue;
        }
        if (when[n] < 0) return NAN;
        sum += 0.5 * length + when[n];
        segments++;
        length = 0;
    }
    return sum / segments / marey_graph_fps(graph);
}

/* The mean over the behaviours that can be reached from every segment. */
static double maneuverability(const marey_graph *graph, int *reached)
{
    int labels, nodes = marey_graph_nodes(graph);
    double sum = 0;
    marey_graph_labels(graph, &labels);
    *reached = 0;
    arcs back = arcs_of(graph, true);
    int *when = room((size_t)nodes * sizeof *when), *queue = room((size_t)nodes * sizeof *queue);
    for (int label = 0; label < labels; label++) {
        for (int n = 0; n < nodes; n++) when[n] = marey_graph_has_label(graph, n, label) ? 0 : -1;
        flood(&back, when, queue);
        double time = time_to(graph, when);
        if (!isfinite(time)) continue;
        sum += time;
        ++*reached;
    }
    free(when);
    free(queue);
    arcs_free(&back);
    return *reached ? sum / *reached : NAN;
}

static double pairs_percent(const lab *of, const marey_graph *graph)
{
    marey_error error;
    size_t originals = (size_t)marey_graph_originals(graph), row = (originals + 7) / 8;
    uint8_t *bits = room(originals * row);
    double reached = 0;
    lab_need(marey_graph_closure(of->ctx, graph, bits, &error), &error);
    for (size_t i = 0; i < originals; i++) {
        for (size_t j = 0; j < originals; j++)
            reached += i != j && (bits[i * row + j / 8] >> (j % 8) & 1);
    }
    free(bits);
    return 100 * reached / ((double)originals * ((double)originals - 1));
}

lab_measure lab_measure_graph(const lab *of, const marey_graph *graph, int sources)
{
    int count, smooth = 0, core = 0, originals = marey_graph_originals(graph);
    const marey_graph_transition *t = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++) smooth += (double)t[i].jump <= MAREY_GRAPH_JUMP;
    for (int n = 0; n < originals; n++) core += marey_graph_node_of(graph, n).core;
    const marey_graph_def *def = marey_graph_settings(graph);
    bool reduced = def->kind == MAREY_GRAPH_CONNECTED && !def->unreduced;
    int reached;
    double time = maneuverability(graph, &reached);
    return (lab_measure){
        .component_percent = 100.0 * core / originals,
        .pairs_percent = pairs_percent(of, graph),
        .time_s = mean_time(graph, sources),
        .maneuver_s = time,
        .behaviours = reached,
        .smooth_percent = count ? 100.0 * smooth / count : 100,
        .bare_percent = reduced ? NAN : lab_bare_percent(graph),
        .nodes = marey_graph_nodes(graph),
        .component = core,
        .transitions = count,
    };
}
