/* cluster.h - reuse clips in pieces of half a dozen frames: cluster graphs, and switching from clip
   to clip inside their nodes (clusters, 3.2 and 3.3). Read after graph.h; library.h keeps them. */
#ifndef MAREY_CLUSTER_H
#define MAREY_CLUSTER_H

#include <marey/graph.h>
#include <marey/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- building a cluster graph ---------------------------------------------------------------- */

/* Every frame of the clips, at the graph's rate, is in one node; a node's frames are alike. Frames
   of a node that follow each other in a clip are a clip-frame sequence. From a sequence the motion
   goes on to the one that follows in its clip, which is in another node: these are the edges.
   Within a node it can switch to any other sequence. Marked frames are in no node. Never changes
   once made; any thread may read it. */
typedef struct marey_clusters marey_clusters;

/* How near frames must be to be in one node. Rows of a table: --link, menus and tests read it. */
typedef enum marey_link {
    MAREY_LINK_COMPLETE, /* any two frames of a node are within the threshold */
    MAREY_LINK_SINGLE,   /* each is within it of another: chains */
    MAREY_LINK_COUNT
} marey_link;

/* A link's name, "complete". Lives forever. */
MAREY_API const char *marey_link_name(marey_link link);

/* What it does, in one line. Lives forever. */
MAREY_API const char *marey_link_about(marey_link link);

#define MAREY_CLUSTER_FPS 30.0
#define MAREY_CLUSTER_DERIVATIVE_S 0.1

/* How frames are clustered: leave a field zero for its default. */
typedef struct marey_clusters_def {
    /* Default: complete. */
    marey_link link;
    /* Default: points, equal weights; its fps is ignored. */
    const marey_metric_def *metric;
    /* At most, 1 .. 1000; default MAREY_CLUSTER_FPS, or the lowest of the clips'. */
    double fps;
    /* In the metric's unit, at most 1e12; default MAREY_CLUSTER_THRESHOLD; only points has a
       default. */
    double threshold;
    /* A tile is some frames, which are compared with all others. Making: *out is NULL. Default: all is
       worked out here. */
    const marey_tiles *tiles;
} marey_clusters_def;

/* Clusters frames by agglomeration: of all pairs of nodes the two with the least distance (the
   largest, or for single link the least, of their frames'; then the earlier first frames) are
   joined until none is within the threshold. Clips of other people are put on the first clip's
   bones before they are compared. The same for any number of threads.
   Errors: REQUEST: no clip; no captured frame; an invalid definition. SHAPE: as marey_clip_fit. LIMIT:
     too many clips; more than 2^22 frames; 12 million pairs of frames that are all equally far
     apart. MEMORY, CANCELLED.
   Ownership: free with marey_clusters_free. The clips must live as long.
   Cost: grows with the square of the frames. Memory: at most 250 MB, 6 kB a frame and 2 kB a frame
     and thread (less under a byte limit), whatever the threshold: where the pairs within it do not
     fit, nearer ones are joined first, and the rest is looked for among what is left, with the same
     outcome. */
MAREY_API marey_status marey_clusters_build(marey_ctx *ctx, const marey_clip *const *clips,
                                            int count, const marey_clusters_def *def,
                                            marey_clusters **out, marey_error *error);

/* Frees a cluster graph; the clips stay. */
MAREY_API void marey_clusters_free(marey_clusters *clusters);

/* ---- what is in it --------------------------------------------------------------------------- */

/* All pointers here are borrowed until marey_clusters_free. */

/* The settings, with every default filled in. */
MAREY_API const marey_clusters_def *marey_clusters_settings(const marey_clusters *clusters);

/* How many clips it is made of. */
MAREY_API int marey_clusters_clip_count(const marey_clusters *clusters);

/* Its rate. */
MAREY_API double marey_clusters_fps(const marey_clusters *clusters);

/* How many frames it has, at its rate, in all. */
MAREY_API int marey_clusters_frames(const marey_clusters *clusters);

/* Frames of one clip in a row that are in one node. */
typedef struct marey_cluster_sequence {
    int node;
    int clip;
    /* Frames of the clip itself, end exclusive; none of them is marked. */
    int start, end;
    /* Frames at the graph's rate. */
    int rows;
    /* The sequence that follows in the clip, its out-transition, and the one before; -1: the clip
       ends or begins, or marked frames are there. */
    int next;
    int before;
} marey_cluster_sequence;

/* All sequences, by node, then clip, then start. */
MAREY_API const marey_cluster_sequence *marey_clusters_sequences(const marey_clusters *clusters,
                                                                 int *count);

/* A node. */
typedef struct marey_cluster_node {
    /* Its sequences: [first, first + sequences). */
    int first, sequences;
    /* Frames at the graph's rate. */
    int rows;
    /* How many clips have frames in it. */
    int clips;
    /* A clip has several sequences in it: it can be played as an endless loop. */
    bool loops;
    /* Its middle: of the middle frames of its sequences the one with the least mean distance to the
       others (to 48 of them, evenly chosen, if there are more); what to draw for it. */
    int clip, frame;
    /* The largest distance of two of its frames; single link: of two that were joined. */
    double widest;
} marey_cluster_node;

/* All nodes, in the order of their first frames. */
MAREY_API const marey_cluster_node *marey_clusters_nodes(const marey_clusters *clusters,
                                                         int *count);

/* An edge. */
typedef struct marey_cluster_edge {
    /* Nodes. */
    int from, to;
    /* Sequences that go on so. */
    int count;
} marey_cluster_edge;

/* All edges, by from, then to. */
MAREY_API const marey_cluster_edge *marey_clusters_edges(const marey_clusters *clusters,
                                                         int *count);

/* The sequence that a frame of a clip is in; -1: the frame is marked, outside the clip, or between
   marks too close for a frame at the graph's rate. */
MAREY_API int marey_clusters_find(const marey_clusters *clusters, int clip, int frame);

/* ---- switching inside a node ----------------------------------------------------------------- */

/* A switch: frames of two sequences of a node that are alike, in position and in movement. The
   first is played up to `from`, inclusive, the second from `to` + 1 on. Frames of the clips
   themselves. */
typedef struct marey_cluster_switch {
    int from_sequence, to_sequence;
    int from, to;
    /* cm2, whatever the metric: the weighted mean squared distance of the joints over a few frames,
       laid on each other, and that of the ways they move in MAREY_CLUSTER_DERIVATIVE_S there. */
    double cost;
} marey_cluster_switch;

/* How shared switch points are found: leave a field zero for its default. */
typedef struct marey_tuples_def {
    /* k, candidates: pairs in each list L; default 5. */
    int pairs;
    /* Switch points that are kept; default 20. */
    int most;
    /* How far k grows where no switch point is found; default 320. */
    int most_pairs;
} marey_tuples_def;

/* Shared switch points (tuples in the paper, figure 4): for each sequence of a node a frame, so
   that all of them are alike and one can switch from any to any. */
typedef struct marey_tuples {
    int count;
    /* m, the node's sequences. */
    int sequences;
    /* count x m: frames of the clips, in the order of the node's sequences. */
    int *frames;
    /* Of each: the sum over neighbouring sequences; rising. */
    double *costs;
    /* The k it took; 0: there is but one sequence. */
    int pairs;
    /* No frame suits all: switches are found pair by pair. */
    bool by_pairs;
    /* For marey_tuples_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_tuples;

/* Finds the shared switch points of a node. Each list L has the k pairs of frames of neighbouring
   sequences that cost least as switches; frames that end a clip are in none. k is doubled up to
   most_pairs until there is a switch point; with none by then, count is 0. Of more than `most` the
   best are kept. A node of one sequence has nothing to switch to, and count is 0.
   Errors: REQUEST: no such node; an invalid definition. MEMORY, CANCELLED.
   Ownership: free with marey_tuples_free.
   Cost: grows with the pairs, however many switch points there are. */
MAREY_API marey_status marey_clusters_tuples(marey_ctx *ctx, const marey_clusters *clusters,
                                             int node, const marey_tuples_def *def,
                                             marey_tuples *out, marey_error *error);

/* Frees switch points; {0} is allowed. */
MAREY_API void marey_tuples_free(marey_tuples *tuples);

/* Finds the best switches from one sequence of a node to another, best first, no two that share a
   frame. `switches` has room for `most`; *found is how many were written.
   Errors: REQUEST: not two sequences of one node. MEMORY. */
MAREY_API marey_status marey_clusters_switches(marey_ctx *ctx, const marey_clusters *clusters,
                                               int from_sequence, int to_sequence, int most,
                                               marey_cluster_switch *switches, int *found,
                                               marey_error *error);

/* ---- from clip to clip ----------------------------------------------------------------------- */

/* Which route is looked for: leave a field zero for its default. */
typedef struct marey_route_def {
    int from_clip, to_clip;
    /* Frame of from_clip to begin with; default: its first. Frame of to_clip to end with,
       inclusive; default: its last. */
    bool from_given, to_given;
    int from;
    int to;
    /* Leave the first clip at this frame .. */
    bool leave_given;
    int leave;
    /* .. or so long before or after it; default 0.3. */
    double within_s;
    /* Enter the last clip there, likewise. */
    bool enter_given;
    int enter;
    /* Pass through these nodes, in this order; the first switch is in the first of them. */
    const int *nodes;
    int node_count;
    /* What a switch counts for, in seconds, besides its cost over 100 cm2; default 1. */
    double switch_cost;
    /* What the first frames of the two clips are called in messages; default 0. */
    int from_first, to_first;
} marey_route_def;

/* Switches that lead from one clip to another. */
typedef struct marey_route {
    int switch_count;
    /* In order. */
    marey_cluster_switch *switches;
    /* switch_count + 1, for marey_pieces_make. */
    int piece_count;
    marey_piece *pieces;
    /* Of the switches, and the seconds that are played between the first clip and the last. */
    double cost;
    /* One switch was enough. */
    bool direct;
    /* For marey_route_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_route;

/* Finds the cheapest route from one clip to another by switches inside nodes: one if a node has
   both (with the given frames), else through other clips. A clip is left only after where it was
   entered. Ends that are not given are those of what is captured without a gap. `def` is required.
   Errors: INPUT: no route; the message says how near one comes (the nearest frame at which the clip
     can be left, or that the two are nowhere connected). REQUEST: an invalid definition. MEMORY,
     CANCELLED.
   Ownership: free with marey_route_free. */
MAREY_API marey_status marey_clusters_route(marey_ctx *ctx, const marey_clusters *clusters,
                                            const marey_route_def *def, marey_route *out,
                                            marey_error *error);

/* Frees a route; {0} is allowed. */
MAREY_API void marey_route_free(marey_route *route);

/* Which loops are looked for: leave a field zero for its default. */
typedef struct marey_cluster_loops_def {
    /* Default 0.5. */
    double shortest_s;
    /* Default: no limit. */
    double longest_s;
} marey_cluster_loops_def;

/* Finds loops of one clip, best first, for marey_loop_make: from a frame of one of its sequences to
   the like one of a later sequence in the same node, none nearly the same as another. First those
   whose seam has no step above the 95th percentile of the clip's own, by the cost of the switch.
   `loops` has room for `most`; *found is how many were written.
   Errors: REQUEST: no such clip; lengths that no loop has; `most` below 1. MEMORY, CANCELLED. */
MAREY_API marey_status marey_clusters_loops(marey_ctx *ctx, const marey_clusters *clusters,
                                            int clip, const marey_cluster_loops_def *def, int most,
                                            marey_loop *loops, int *found, marey_error *error);

/* ---- keeping them ---------------------------------------------------------------------------- */

/* Writes a cluster graph as bytes, without the clips.
   Errors: REQUEST: its metric is the caller's own. MEMORY.
   Ownership: free *bytes with marey_graph_bytes_free. */
MAREY_API marey_status marey_clusters_write(const marey_clusters *clusters, uint8_t **bytes,
                                            size_t *size, marey_error *error);

/* Reads a cluster graph. The same clips must be given again, in the same order.
   Errors: INPUT: the bytes are damaged or of another version; other clips. MEMORY.
   Ownership: as marey_clusters_build; the bytes may go after the call. */
MAREY_API marey_status marey_clusters_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                           const marey_clip *const *clips, int count,
                                           marey_clusters **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
