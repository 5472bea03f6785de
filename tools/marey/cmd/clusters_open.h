/* clusters_open.h - a cluster graph on the command line: one that a library keeps, its frames by clip and number, and how it is
   told to people and programs. Read after shelf.h; the commands of `marey cluster` use it. */
#ifndef MAREY_TOOL_CLUSTERS_OPEN_H
#define MAREY_TOOL_CLUSTERS_OPEN_H

#include "address.h"
#include "shelf.h"

typedef struct kept_clusters {
    session *run;
    shelf at;
    const char *name;
    marey_parts *parts;
    marey_clusters *graph;
} kept_clusters;

/* Opens the library and the cluster graph of it that the command's first two operands name. After MAREY_OK kept_clusters_close or
   kept_clusters_end must follow. */
marey_status kept_clusters_open(session *run, const request *asked, kept_clusters *out,
                                marey_error *error);
void kept_clusters_close(kept_clusters *of);

/* Ends a command, as shelf_end. */
int kept_clusters_end(kept_clusters *of, marey_status status, marey_error *error);

/* ---- frames ---------------------------------------------------------------------------------------- */

/* A clip of the graph is a part of a clip of the library: which one, by its name or number. `frame`, as the library counts, says
   which part of a clip with dropouts; negative: the longest. INPUT, REQUEST: what is wrong with it. */
marey_status clusters_part(const kept_clusters *of, const char *clip, int frame, int *part,
                           marey_error *error);

/* "CLIP", "CLIP#120" or "CLIP#20-120": the name, and the frames as the library counts them, -1 for those that are not
   given; one frame is `start`. The clip need not be known. REQUEST, INPUT. */
typedef struct clip_place {
    address at;
    int start, end; /* exclusive */
} clip_place;
marey_status clusters_place(const kept_clusters *of, const char *text, clip_place *out,
                            marey_error *error);

/* A frame of a part as the library counts. */
int clusters_frame(const marey_parts *parts, int part, int frame);

/* ---- the answer (clusters_tell.c) ---------------------------------------------------------------------- */

/* What a graph comes to in numbers. */
typedef struct clusters_sum {
    int nodes, sequences, edges;
    int shared, looping; /* nodes with several clips; with several sequences of one */
    int64_t switches;    /* from any sequence of a node to any other */
} clusters_sum;
clusters_sum clusters_count(const marey_clusters *graph, const marey_parts *parts);
/* How many clips of the library a node has, and whether one of them has several sequences in it. */
int clusters_node_clips(const marey_clusters *graph, const marey_parts *parts, int node);

/* The nodes that are most worth looking at first: those with most clips, then frames. `order` has room for all. */
void clusters_rank(const marey_clusters *graph, const marey_parts *parts, int *order);

/* "link", "clips", "frames", "fps" and so on, inside an object. */
void json_clusters(json *to, const marey_clusters *graph, const marey_parts *parts);
/* An object: "node", "frames", "sequences":[{"sequence","clip","start","end","next_node"}], ... */
void json_cluster_node(json *to, const marey_clusters *graph, const marey_parts *parts, int node);
/* An object: "node", "pairs", "by_pairs", "frames":[[..]..], "costs". */
void json_cluster_tuples(json *to, const marey_tuples *tuples, const marey_clusters *graph,
                         const marey_parts *parts, int node);

/* Some lines. */
void buffer_clusters(buffer *out, const char *name, const marey_clusters *graph,
                     const marey_parts *parts);
/* "31.4 cm2, root 5.6 cm": by the graph's metric; of a switch, whose unit is always that. */
void buffer_distance(buffer *out, const marey_clusters *graph, double distance);
void buffer_switch_cost(buffer *out, double cost);

/* "tuples":[...] of all nodes with several sequences, or of those that are listed; at most `most` of each. */
marey_status json_all_tuples(session *run, json *to, const marey_clusters *graph,
                             const marey_parts *parts, const int *nodes, int count, int most,
                             marey_error *error);

#endif
