/* clusters_experiment.c - the experiments of Basu, Shanbhag & Chandran, "Search and Transitioning
   for Motion Captured Sequences", on real clips: one part of them at a time. usage:
   clusters_experiment MOCAP FOLDER PART. Writes Markdown to standard output. */
#include "clusters_parts.h"

#include <string.h>

static const struct {
    const char *name;
    void (*run)(const lab *of);
} parts[] = {
    { "table", part_table },
    { "ways", part_ways },
    { "degrees", part_degrees },
    { "finer", part_finer },
};

int main(int argc, char **argv)
{
    lab of = { 0 };
    bool found = false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 4 || marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &of.ctx)) return 2;
    of.mocap = argv[1];
    of.folder = argv[2];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, argv[3]) != 0) continue;
        parts[i].run(&of);
        found = true;
    }
    marey_ctx_close(of.ctx);
    return found ? 0 : 2;
}
