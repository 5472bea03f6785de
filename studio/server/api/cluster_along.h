/* cluster_along.h - a way along nodes of a cluster graph that somebody clicked on, whatever clips it takes. Read after
   cluster_kept.h. */
#ifndef STUDIO_CLUSTER_ALONG_H
#define STUDIO_CLUSTER_ALONG_H

#include "cluster_kept.h"

typedef struct cluster_along {
    studio_bytes switches; /* of marey_cluster_switch, in order; perhaps none */
    studio_bytes pieces;   /* of marey_piece: one more */
    double cost;
} cluster_along;

/* Begins with a sequence of the first node and ends with one of the last, passes through the nodes in this order and, where no edge
   leads from one to the next, through those on the shortest way between them. The fewest switches, then those that cost least:
   `switch_cost` is what one counts for besides its own (0: 1). cluster_along_free must follow, also after a failure. REQUEST: there
   is no such node, or only one. INPUT: no edges lead there. MEMORY, CANCELLED. */
marey_status cluster_along_find(studio_worker *worker, const marey_clusters *clusters,
                                const int *nodes, int count, double switch_cost, cluster_along *out,
                                marey_error *error);
void cluster_along_free(cluster_along *of);

#endif
