/* graphs_experiment.c - the experiments of Zhao & Safonova, "Achieving Good Connectivity in Motion
   Graphs" (slides), on real clips: one part of them at a time, so that each can be run on its own.
   usage: graphs_experiment MOCAP LABELS.json FOLDER PART. Writes Markdown to standard output,
   pictures to FOLDER. */
#include "graphs_parts.h"

#include <string.h>

static const struct {
    const char *name;
    void (*run)(const lab *of);
} parts[] = {
    { "thresholds", part_thresholds },
    { "small", part_small },
    { "c3", part_c3 },
    { "c3-rest", part_c3_rest },
    { "no-dwell", part_no_dwell },
    { "suboptimality", part_suboptimality },
    { "sizes", part_sizes },
    { "control", part_control },
    { "larger", part_larger },
    { "costs", part_costs },
    { "ways", part_ways },
    { "goals", part_goals },
    { "goals-stops", part_goals_stops },
};

int main(int argc, char **argv)
{
    lab of = { 0 };
    bool found = false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 5 || marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &of.ctx)) return 2;
    of.mocap = argv[1];
    of.labels = argv[2];
    of.folder = argv[3];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, argv[4]) != 0) continue;
        parts[i].run(&of);
        found = true;
    }
    marey_ctx_close(of.ctx);
    return found ? 0 : 2;
}
