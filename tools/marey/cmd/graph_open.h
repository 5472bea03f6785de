/* graph_open.h - a motion graph on the command line: one that a library keeps, its frames by clip and number, and how it is
   told to people and programs. Read after shelf.h; the commands of `marey graph` use it. */
#ifndef MAREY_TOOL_GRAPH_OPEN_H
#define MAREY_TOOL_GRAPH_OPEN_H

#include "shelf.h"

typedef struct kept_graph {
    shelf at;
    const char *name;
    marey_parts *parts;
    marey_graph *graph;
} kept_graph;

/* Opens a library and a graph of it by their names. After MAREY_OK kept_graph_close must follow. */
marey_status kept_graph_find(session *run, const char *path, const char *name,
                             marey_library_mode mode, kept_graph *out, marey_error *error);
void kept_graph_close(kept_graph *of);

/* The policy that steers it. INPUT: it has none yet, and what makes one. */
marey_status kept_graph_policy(const kept_graph *of, marey_policy **out, marey_error *error);

/* ---- frames ---------------------------------------------------------------------------------------- */

/* The frame of the clip, as it is in its library, that a node shows; of the other that it is interpolated with. */
int graph_frame(const marey_parts *parts, const marey_graph_node *node);
int graph_other_frame(const marey_parts *parts, const marey_graph_node *node);

/* ---- clips ------------------------------------------------------------------------------------------ */

/* Is the clip of a part the one that is meant? "#34" is a number, as in a library. */
bool parts_is_clip(const marey_parts *parts, int i, const char *name);

int parts_clips(
    const marey_parts *parts); /* how many clips they are of; those of one follow each other */

marey_status fail_graph(marey_error *error, marey_status status, const char *path,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
