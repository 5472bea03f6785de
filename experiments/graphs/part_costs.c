/* part_costs.c - what well-connected graphs cost: c3, and as many frames as eight long clips have. */
#include "graphs_parts.h"

enum { FRAMES = 8 * 5000 };

static void row(const lab *of, const lab_set *set, int clips, const char *what, double threshold)
{
    marey_graph_stats stats;
    marey_error error;
    lab_cost cost;
    int frames = 0;
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED, .threshold = threshold };
    for (int c = 0; c < clips; c++) frames += marey_clip_frames(set->clips[c]);
    marey_graph *graph = lab_build(of, set, clips, def, &cost);
    double built = lab_memory_gb(), start = lab_clock_s();
    lab_need(marey_graph_measure(of->ctx, graph, &stats, &error), &error);
    printf("| %s | %d | %d | %g | %.1f | %.1f | %.1f | %.2f | %d | %lld | %.0f |\n", what, frames,
           stats.frames, marey_graph_settings(graph)->threshold, stats.scc_percent, cost.clock_s,
           lab_clock_s() - start, built, stats.nodes, (long long)stats.transitions,
           (double)stats.bytes / 1e6);
    marey_graph_free(graph);
}

static int longest_first(const void *a, const void *b)
{
    return marey_clip_frames(*(marey_clip *const *)b) - marey_clip_frames(*(marey_clip *const *)a);
}

void part_costs(const lab *of)
{
    static const char *const groups[] = { "cartwheel",  "fighting", "reaching",
                                          "locomotion", "jumphop",  "misc_sit_step" };
    lab_set set = { 0 };
    int clips = 0;
    printf(
        "\n## Time and memory of well-connected graphs\n\nTwo threads, by the clock; memory: the "
        "most that the process has held by then, clips included. The long clips are the longest of "
        "[a_kovar], %d frames at 120 Hz together.\n\n"
        "| set | captured frames | at 30 Hz | cm² | component, %% | building, s | measuring, s | "
        "GB | nodes | transitions | MB |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        (int)FRAMES);
    lab_load(of, lab_rows[LAB_C3].set, lab_rows[LAB_C3].fps, &set);
    row(of, &set, set.count, "c3", 0.2);
    row(of, &set, set.count, "c3, the default", 0);
    lab_set_free(&set);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) lab_load(of, groups[i], 0, &set);
    qsort(set.clips, (size_t)set.count, sizeof *set.clips, longest_first);
    for (int frames = 0; clips < set.count && frames < FRAMES; clips++)
        frames += marey_clip_frames(set.clips[clips]);
    row(of, &set, clips, "long clips", 0.2);
    row(of, &set, clips, "long clips, the default", 0);
    lab_set_free(&set);
}
