/* part_larger.c - a larger set of ours: walks and runs of several people. */
#include "graphs_parts.h"

enum { SOURCES = 60 };

static void row(const lab *of, const lab_set *set, marey_graph_def def)
{
    lab_cost cost;
    marey_graph *graph = lab_build(of, set, set->count, def, &cost);
    lab_measure m = lab_measure_graph(of, graph, SOURCES);
    printf("| %s | %g | %.1f | %.1f | %.2f | %.0f | %d | %lld | %.1f |\n",
           def.kind == MAREY_GRAPH_STANDARD ? "MG" : "wcMG, not reduced", def.threshold,
           m.component_percent, m.pairs_percent, m.time_s, m.bare_percent, m.nodes,
           (long long)m.transitions, cost.cpu_s);
    marey_graph_free(graph);
}

void part_larger(const lab *of)
{
    static const double standard[] = { 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30 }, connected[] = { 0.2 };
    lab_set set = { 0 };
    lab_load(of, "locomotion", 0, &set);
    printf("\n## A larger set: locomotion of [a_kovar]\n\n%d clips of several people. "
           "Times from %d frames.\n\n"
           "| graph | cm² | component, %% | pairs, %% | time, s | smooth as they are, %% | nodes | "
           "transitions | CPU s |\n|---|---|---|---|---|---|---|---|---|\n",
           set.count, (int)SOURCES);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        row(of, &set, (marey_graph_def){ .threshold = standard[i] });
    for (size_t i = 0; i < sizeof connected / sizeof *connected; i++) {
        row(of, &set,
            (marey_graph_def){
                .kind = MAREY_GRAPH_CONNECTED, .threshold = connected[i], .unreduced = true });
    }
    lab_set_free(&set);
}
