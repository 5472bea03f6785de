/* cluster_graphs.h - saved cluster graphs, and parameters and results of the operations on them.
   Read after find_example.h; the program shows the results, the studio draws the graphs. */
#ifndef MAREY_APP_CLUSTER_GRAPHS_H
#define MAREY_APP_CLUSTER_GRAPHS_H

#include "clip_pieces.h"
#include "find_example.h"
#include "metric_params.h"
#include "saved.h"
#include "saved_things.h"
#include "shards.h"

/* ---- saved cluster graphs -------------------------------------------------------------------- */

typedef struct app_saved_cluster {
    const char *name;
    marey_parts *parts;
    marey_clusters *graph;
} app_saved_cluster;

/* Through env->cache; see app_saved_open. INPUT: a clip of it is gone. NOT_FOUND: there is none
   of that name. */
marey_status app_cluster_open(const app_env *env, const char *name, app_saved_cluster **out,
                              marey_error *error);

/* A clip of the graph is a part of a clip of the library: which one, by its name or "#34".
   `frame`, as the library counts, says which part of a clip with dropouts; negative: the
   longest. REQUEST. */
marey_status app_cluster_part(const app_saved_cluster *saved, const char *clip, int frame,
                              int *part, marey_error *error);

/* A frame of a part as the library counts. */
static inline int app_part_frame(const marey_parts *parts, int part, int frame)
{
    return parts->parts[part].start + frame;
}

/* The node that a frame of a part is in; -1: none. */
int app_cluster_node_at(const marey_clusters *graph, int part, int frame);

/* How many clips of the library a node has; with fewer than its sequences one of them can loop
   in it. */
int app_cluster_node_clips(const marey_clusters *graph, const marey_parts *parts, int node);

/* What a graph comes to in numbers. */
typedef struct app_cluster_sum {
    int nodes, sequences, edges;
    int shared, looping; /* nodes with several clips; with several sequences of one */
    int64_t switches;    /* from any sequence of a node to any other */
} app_cluster_sum;
app_cluster_sum app_cluster_count(const marey_clusters *graph, const marey_parts *parts);

/* Tuples of some nodes that have several sequences. */
typedef struct app_node_tuples {
    int node;
    marey_tuples tuples;
} app_node_tuples;

typedef struct app_tuples_list {
    const app_node_tuples *rows;
    int count;
} app_tuples_list;

/* Of these nodes, or of all (NULL). `def` may be NULL. */
marey_status app_cluster_find_tuples(const app_env *env, const marey_clusters *graph,
                                     const int *nodes, int count, const marey_tuples_def *def,
                                     app_tuples_list *out, marey_error *error);

/* "link", "threshold", "clips", "frames" and so on, and "working_set", the names of the clips. */
void app_cluster_write(json *out, const marey_clusters *graph, const marey_parts *parts);
void app_cluster_write_clips(json *out, const marey_parts *parts);
/* An object: "node", "frames", "sequences":[{"sequence","clip","id","start","end","next"}], ... */
void app_cluster_write_node(json *out, const marey_clusters *graph, const marey_parts *parts,
                            int node);
/* "from_sequence", "to_sequence", "from_clip", "from" and so on, inside an object. */
void app_cluster_write_switch(json *out, const marey_clusters *graph, const marey_parts *parts,
                              const marey_cluster_switch *one);
/* "tuples":[{"node","pairs","by_pairs","frames":[[..]..],"costs"}] */
void app_cluster_write_tuples(json *out, const marey_clusters *graph, const marey_parts *parts,
                              const app_tuples_list *list);

/* ---- build ----------------------------------------------------------------------------------- */

typedef struct app_cluster_recipe {
    app_params given;
    const char *name;
    app_texts clips; /* none: what the example finds, those with the label, or all */
    const char *onto;
    /* Asked by a clip or a curve, or not at all; its label is that of the clips in any case. */
    app_example_request example;
    int count; /* of clips that are taken of what it finds */
    int link;
    double threshold, fps; /* 0: the default */
    app_metric_params metric;
    app_shard_params share;
} app_cluster_recipe;

typedef struct app_cluster_built {
    const char *example; /* the name of the clip that was the example; NULL: none */
    marey_parts *parts;
    marey_clusters *graph;
    double seconds;
    app_tuples_list tuples; /* a few of each node */
} app_cluster_built;

/* Builds one of named clips, of those with a label (not NULL), or of all. */
marey_status app_cluster_assemble(const app_env *env, const app_texts *names, const char *label,
                                  const char *onto, const marey_clusters_def *def,
                                  app_cluster_built *out, marey_error *error);

/* Puts it into the library, in place of one of that name, noting that `maker` made it with these
   parameters, an app_cluster_recipe's; NULL: with none. */
marey_status app_cluster_save(const app_env *env, const char *maker, const char *name,
                              const app_cluster_built *built, const app_params *params,
                              marey_error *error);

/* ---- ls -------------------------------------------------------------------------------------- */

/* By what was noted when it was built: it is not opened. */
typedef struct app_cluster_listed {
    const char *name;
    const char *link;   /* NULL, NaN: not noted */
    const char *metric; /* the default one if none was chosen */
    double fps, threshold, frames, nodes, sequences;
    int64_t bytes;
    app_made_of_list made_of;
} app_cluster_listed;

typedef struct app_cluster_list {
    const app_cluster_listed *clusters;
    int count;
} app_cluster_list;

/* ---- show ------------------------------------------------------------------------------------ */

typedef struct app_cluster_show_params {
    app_params given;
    const char *name;
    int node, limit;
} app_cluster_show_params;

typedef struct app_cluster_shown {
    const app_saved_cluster *saved;
    int node;   /* -1: all */
    int *order; /* of all nodes, those with most clips first, then frames */
    /* Of that one node: */
    app_tuples_list tuples;
    marey_cluster_switch *switches; /* the best from each sequence to each other */
    int switch_count;
} app_cluster_shown;

/* ---- loop ------------------------------------------------------------------------------------ */

typedef struct app_cluster_loop_params {
    app_params given;
    const char *cluster, *clip;
    int count, node;
    double shortest, longest, stretch;
    app_pair at;
    bool in_place, leave_feet;
} app_cluster_loop_params;

typedef struct app_cluster_looped {
    const app_saved_cluster *saved;
    bool saves_clip; /* "name" of the answer is the clip's, not the graph's */
    int part;        /* of the clip */
    /* Best first, in frames of the part; all were made, for how well they close. */
    marey_loop *loops;
    int count;
    app_tuples_list tuples; /* of the first one's node */
    app_made made;          /* the first, if a clip is wanted */
} app_cluster_looped;

/* ---- stitch ---------------------------------------------------------------------------------- */

enum { APP_STITCH_NODES = 256 };

typedef struct app_stitch_params {
    app_params given;
    const char *cluster;
    app_segment a, b;
    frame_range leave, enter;
    app_numbers nodes;
    double within, switch_cost, fps, stretch;
    bool rough, leave_feet;
} app_stitch_params;

/* From clip to clip, or along nodes. */
typedef struct app_stitch_way {
    const marey_cluster_switch *switches; /* in order; perhaps none */
    int switch_count;
    const marey_piece *pieces; /* one more */
    int piece_count;
    double cost;
    bool direct; /* one switch is enough */
} app_stitch_way;

typedef struct app_stitched {
    const app_saved_cluster *saved;
    bool saves_clip; /* "name" of the answer is the clip's, not the graph's */
    app_stitch_way way;
    int *nodes; /* in which switches are, each once */
    int node_count;
    app_tuples_list tuples; /* of these */
    app_pieces pieces;
    app_made made; /* if a clip is wanted */
} app_stitched;

/* In cluster_pictures.c. */
extern const app_drawing app_cluster_built_pictures[], app_cluster_shown_pictures[],
    app_stitch_pictures[];

/* The cheapest way along nodes, whatever clips it takes: it begins with a sequence of the first
   node and ends with one of the last, passes through the nodes in this order and, where no edge
   leads from one to the next, through those on the shortest way between them. The fewest
   switches, then those that cost least: `switch_cost` is what one counts for besides its own.
   REQUEST: there is no such node, or only one. INPUT: no edges lead there. */
marey_status app_cluster_along(const app_env *env, const marey_clusters *graph, const int *nodes,
                               int count, double switch_cost, app_stitch_way *out,
                               marey_error *error);

#endif
