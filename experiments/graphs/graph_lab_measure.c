/* graph_lab_measure.c - see graph_lab.h: what the library measures on a graph, and how many of its
   transitions are smooth. */
#include "graph_lab.h"

#include <math.h>

lab_measure lab_measure_graph(const lab *of, const marey_graph *graph)
{
    int count, smooth = 0, core = 0;
    marey_error error;
    lab_measure out = { .bare_percent = NAN };
    const marey_graph_transition *t = marey_graph_transitions(graph, &count);
    const marey_graph_def *def = marey_graph_settings(graph);
    lab_need(marey_graph_measure(of->ctx, graph, &out.stats, &error), &error);
    for (int i = 0; i < count; i++) smooth += (double)t[i].jump <= MAREY_GRAPH_JUMP;
    for (int n = 0; n < marey_graph_originals(graph); n++)
        core += marey_graph_node_of(graph, n).core;
    out.smooth_percent = count ? 100.0 * smooth / count : 100;
    out.component = core;
    bool reduced = def->kind == MAREY_GRAPH_CONNECTED && !def->unreduced;
    if (!reduced) out.bare_percent = lab_bare_percent(graph);
    return out;
}
