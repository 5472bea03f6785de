/* crossings.h - pieces that lead from one captured motion into another. Read by crossings.c and
   graph_build.c. */
#ifndef MRY_CROSSINGS_H
#define MRY_CROSSINGS_H

#include "graph/graph_data.h"

/* Builds a connected graph with a dwell out of one that has its originals: transitions between them,
   and pieces that lead from one to another where they are too far apart for a transition. `near`:
   pairs of originals, below MAREY_GRAPH_CEILING. MEMORY, CANCELLED, LIMIT. */
marey_status mry_crossings_build(marey_graph *graph, const mry_bodies *bodies,
                                 const mry_near_list *near, marey_error *error);

#endif
