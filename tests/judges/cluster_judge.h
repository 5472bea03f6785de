/* cluster_judge.h - cluster graphs judged by trying everything: textbook clustering of a table of
   distances, and sequences, edges and loops counted frame by frame. Knows nothing of how the
   library does it. */
#ifndef MAREY_TEST_CLUSTER_JUDGE_H
#define MAREY_TEST_CLUSTER_JUDGE_H

#include "cluster/cluster_near.h"
#include "graph_judge.h"

marey_clusters *cluster_rig_build(graph_rig *rig, const marey_clusters_def *def);

/* Agglomeration as textbooks have it, in O(n^3): of all pairs of clusters the two that are least
   apart, then with the earliest first frames, are joined until none is within the threshold. table:
   n x n, symmetric. label[i] becomes the first of i's cluster, widest[label] the largest distance
   in a cluster (single: of the joins). */
void judge_agglomerate(const float *table, int n, double threshold, marey_link link, int *label,
                       float *widest);

/* Distances of all frames, in the order of clips; *n: how many there are. As the library measures
   them; free() it. */
float *judge_table(const marey_clusters *clusters, int *n);

/* Sequences, next and before, edges, counts, loops, frames found: everything that follows from who
   is in which node. Also that a complete link's nodes are within the threshold, by the formula in
   double. */
void judge_clusters(const marey_clusters *clusters);

/* The same nodes, sequences and edges, to the last bit. */
void judge_same_clusters(const marey_clusters *a, const marey_clusters *b);

#endif
