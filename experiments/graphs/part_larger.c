/* part_larger.c - a larger set of ours: walks and runs of several people. */
#include "graphs_parts.h"

static void row(const lab *of, const lab_set *set, marey_graph_def def)
{
    lab_cost cost;
    marey_graph *graph = lab_build(of, set, set->count, def, &cost);
    lab_measure m = lab_measure_graph(of, graph);
    printf("| MG | %g | %.1f | %.1f | %.2f | %.0f | %d | %lld | %.1f |\n", def.threshold,
           m.stats.scc_percent, m.stats.connectivity_percent, m.stats.mean_transition_s,
           m.bare_percent, m.stats.nodes, (long long)m.stats.transitions, cost.cpu_s);
    marey_graph_free(graph);
}

void part_larger(const lab *of)
{
    static const double thresholds[] = { 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30 };
    lab_set set = { 0 };
    lab_load(of, "locomotion", 0, &set);
    printf("\n## A larger set: locomotion of [a_kovar]\n\n%d clips of several people.\n\n"
           "| graph | cm² | component, %% | pairs, %% | time, s | smooth as they are, %% | nodes | "
           "transitions | CPU s |\n|---|---|---|---|---|---|---|---|---|\n",
           set.count);
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        row(of, &set, (marey_graph_def){ .threshold = thresholds[i] });
    lab_set_free(&set);
}
