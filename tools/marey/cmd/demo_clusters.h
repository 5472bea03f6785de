/* demo_clusters.h - the cluster graph that `marey demo` puts into its library. Read after session.h. */
#ifndef MAREY_TOOL_DEMO_CLUSTERS_H
#define MAREY_TOOL_DEMO_CLUSTERS_H

#include "session.h"

#define DEMO_CLUSTERS "moves"

/* Builds and keeps it, of some of the takes, unless too few of these were made. */
marey_status demo_clusters_keep(session *run, marey_library *library, bool *kept,
                                marey_error *error);

/* Did demo keep this? */
bool demo_made_clusters(const marey_kept_entry *entry);

#endif
