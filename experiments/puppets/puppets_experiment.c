/* puppets_experiment.c - does a character that learned from a demonstration behave as was shown?
   Young, Igarashi & Sharlin asked artists and players; here it is measured, one part at a time.
   usage: puppets_experiment FOLDER PART. Writes Markdown to standard output, pictures to FOLDER. */
#include "puppet_lab.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(const puppet_lab *lab);
} parts[] = {
    { "identity", part_identity }, { "measures", part_measures }, { "naming", part_naming },
    { "loops", part_loops },       { "jitter", part_jitter },     { "texture", part_texture },
    { "drawings", part_drawings }, { "bodies", part_bodies },
};

int main(int argc, char **argv)
{
    puppet_lab lab;
    bool found = false;
    if (argc != 3) return 2;
    lab_open(&lab, argv[1]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, argv[2]) != 0) continue;
        parts[i].run(&lab);
        found = true;
    }
    lab_close(&lab);
    return found ? 0 : 2;
}
