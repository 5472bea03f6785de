/* puppet_demos.h - what a puppet is trained on: tables of paths, and the floor paths of two clips that are played at the same time.
   Read after puppet_notes.h; train uses it. */
#ifndef MAREY_TOOL_PUPPET_DEMOS_H
#define MAREY_TOOL_PUPPET_DEMOS_H

#include "puppet_notes.h"
#include "puppet_origin.h"

typedef struct puppet_demo {
    const char *name, *other; /* a table's path, or the main clip and the one that reacts */
    marey_paths *paths;       /* of a table; NULL: of two clips */
    marey_puppet_sample *own; /* of two clips */
    size_t own_bytes;
    const marey_puppet_sample *samples;
    int count;
    int pieces, left_out; /* between gaps; those that are shorter than a step */
    double left_out_s;    /* when the first of these is */
} puppet_demo;

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct puppet_demos {
    session *run;
    marey_puppet_def def; /* rate and gap, settled */
    buffer rows;          /* puppet_demo */
    buffer parts;         /* marey_part: of clips of the library that -L names */
    puppet_origin origin; /* of clips */
    puppet_notes notes;
} puppet_demos;

void puppet_demos_make(puppet_demos *all, session *run, const marey_puppet_def *def);
void puppet_demos_free(puppet_demos *all);

/* Reads all that the command names. Returns an exit status, the reason being said. */
int puppet_demos_read(puppet_demos *all, const request *asked);

int puppet_demos_count(const puppet_demos *all);
const puppet_demo *puppet_demos_at(const puppet_demos *all, int i);

marey_status puppet_demos_train(puppet_demos *all, marey_puppet **out, marey_error *error);

#endif
