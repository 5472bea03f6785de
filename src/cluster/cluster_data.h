/* cluster_data.h - the inside of a cluster graph. Read by everything in cluster.

   Rows are frames at the graph's rate, as the features of each clip have them (row r of clip c
   stands for frame features[c]->frame[r]). A sequence is a run of rows of one clip; marked rows are
   in none. */
#ifndef MRY_CLUSTER_DATA_H
#define MRY_CLUSTER_DATA_H

#include "base/arena.h"
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <marey/cluster.h>

enum { MRY_CLUSTER_MOST_ROWS = 1 << 22 };

struct marey_clusters {
    mry_arena mem; /* everything below lives here, and so does the graph itself */
    marey_ctx *ctx;
    marey_clusters_def def; /* every default filled in; what it points at lives here */
    marey_metric_def metric;
    marey_joint_weights joint_weights;
    int clip_count;
    const marey_clip *const *clips;
    double fps; /* the layout's */
    marey_layout *layout;
    marey_features **features; /* of each clip; any thread may read them */
    int *first_row; /* clip_count + 1: rows of all clips one behind the other, marked ones too */
    int rows;       /* that are in nodes */
    int *sequence;  /* of each of all rows; -1: marked */

    int node_count;
    marey_cluster_node *nodes;
    int sequence_count;
    marey_cluster_sequence *sequences;
    int *sequence_row; /* of each: its first row in its clip; it has sequences[s].rows of them */
    int edge_count;
    marey_cluster_edge *edges;
};

/* ---- cluster_build.c ------------------------------------------------------------------------- */

/* An empty one: definition settled, features made; nodes are missing. `search`: it will be searched
   for pairs of frames that are near, for which features have more. */
marey_status mry_clusters_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_clusters_def *request, bool search, marey_clusters **out,
                               marey_error *error);

/* ---- rows and frames ------------------------------------------------------------------------- */

/* The frame of its clip that a row of a sequence stands for; row 0 is the sequence's first. */
static inline int mry_sequence_frame(const marey_clusters *c, int sequence, int row)
{
    const marey_features *f = c->features[c->sequences[sequence].clip];
    return f->frame[c->sequence_row[sequence] + row];
}

/* The distance of rows of two sequences, counted from their first, in double, by the metric's
   formula. NaN: the metric has none for a single pair (curvature). */
static inline double mry_sequence_distance(const marey_clusters *c, int a, int row_a, int b,
                                           int row_b)
{
    return marey_distance(c->features[c->sequences[a].clip], c->sequence_row[a] + row_a,
                          c->features[c->sequences[b].clip], c->sequence_row[b] + row_b);
}

/* Fills nodes, sequences and edges from the node of each of all rows (-1: none), any numbers below
   `rows`, which are changed to those of the graph. */
marey_status mry_clusters_order(marey_clusters *c, int *node_of_row, const float *widest,
                                marey_error *error);

#endif
