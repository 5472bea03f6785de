/* walk_sources.h - the pieces of clips that a walk through a motion graph is made of, as its provenance names them. Read after graph_kept.h
   and made_of.h. */
#ifndef STUDIO_WALK_SOURCES_H
#define STUDIO_WALK_SOURCES_H

#include "graph_kept.h"
#include "made_of.h"

typedef struct walk_sources { /* {0} may be freed */
    marey_walk_piece *items;
    int count;
    size_t bytes;
} walk_sources;

/* MEMORY. */
marey_status walk_sources_find(heap *memory, const marey_graph *graph, const marey_walk *walk,
                               walk_sources *out, marey_error *error);
void walk_sources_free(heap *memory, walk_sources *of);

/* What was taken of which clip, in its own frames. */
void walk_sources_note(const walk_sources *of, const marey_parts *parts, made_of *from);

#endif
