/* demo_graphs.h - the motion graphs that `marey demo` puts into its library. Read after session.h. */
#ifndef MAREY_TOOL_DEMO_GRAPHS_H
#define MAREY_TOOL_DEMO_GRAPHS_H

#include "session.h"

/* Builds and keeps one of every kind, under the name of its kind, of some of the takes, unless too few of these were made.
   `truth` is that of the takes, as it is written into a file. *kept: how many. */
marey_status demo_graphs_keep(session *run, marey_library *library, buffer *truth, int *kept,
                              marey_error *error);

/* Did demo keep this? */
bool demo_made_graph(const marey_kept_entry *entry);

#endif
