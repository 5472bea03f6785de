/* graph_pieces.h - the pieces of clips that a walk through a kept motion graph is made of. Read after graph_open.h; clips of walks and bodies of
   puppets are told by it where they come from. */
#ifndef MAREY_TOOL_GRAPH_PIECES_H
#define MAREY_TOOL_GRAPH_PIECES_H

#include "graph_open.h"
#include "provenance.h"

typedef struct graph_pieces { /* {0} may be freed */
    marey_walk_piece *items;
    int count;
    size_t bytes;
} graph_pieces;

/* MEMORY. */
marey_status graph_pieces_find(session *run, const marey_graph *graph, const marey_walk *walk,
                               graph_pieces *out, marey_error *error);
void graph_pieces_free(session *run, graph_pieces *pieces);

/* Notes what was taken of which clip, in its own frames, and says which of these clips are not for commerce. */
void graph_pieces_note(const graph_pieces *pieces, const kept_graph *of,
                       const marey_listing *listing, provenance *to);

#endif
