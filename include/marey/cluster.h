/* cluster.h - reuse clips in pieces of half a dozen frames: cluster graphs, and switching from clip to clip inside their nodes
   (clusters, 3.2 and 3.3). Read after graph.h; library.h keeps them. */
#ifndef MAREY_CLUSTER_H
#define MAREY_CLUSTER_H

#include <marey/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a cluster graph is ------------------------------------------------------------------------ */

/* Every frame of the clips, at the graph's rate, is in one node; a node's frames are alike. Frames of a node that follow each
   other in a clip are a clip-frame sequence. From a sequence the motion goes on to the one that follows in its clip, which
   is in another node: these are the edges. Within a node it can switch to any other sequence. Marked frames are in no
   node. A graph never changes once made; any thread may read it. */
typedef struct marey_clusters marey_clusters;

/* How near frames must be to be in one node. Rows of a table: --link, menus and tests read it. */
typedef enum marey_link {
    MAREY_LINK_COMPLETE, /* any two frames of a node are within the threshold */
    MAREY_LINK_SINGLE,   /* each is within it of another: chains */
    MAREY_LINK_COUNT
} marey_link;

MAREY_API const char *marey_link_name(marey_link link);  /* "complete" */
MAREY_API const char *marey_link_about(marey_link link); /* one line */

#define MAREY_CLUSTER_FPS 30.0
#define MAREY_CLUSTER_DERIVATIVE_S 0.1

typedef struct marey_clusters_def { /* leave a field zero for its default */
    marey_link link;
    const marey_metric_def *metric; /* default: points, equal weights; its fps is not looked at */
    double fps; /* at most; default MAREY_CLUSTER_FPS, or the lowest of the clips' */
    double
        threshold; /* in the metric's unit; default MAREY_CLUSTER_THRESHOLD; only points has a default */
} marey_clusters_def;

/* Agglomeration: of all pairs of nodes the two with the least distance (the largest, or for single link the least, of their
   frames'; then the earlier first frames) are joined until none is within the threshold. Clips of other people are brought
   onto the first clip's bones before they are compared. Time grows with the square of the frames; memory is at most 250 MB,
   6 kB a frame and 2 kB a frame and thread (less under a byte limit), whatever the threshold: where the pairs within it do not fit, nearer ones are
   joined first, and the rest is looked for among what is left, with the same outcome. `clips` must live as long as the graph. The
   same for any number of threads. `def` may be NULL. On failure *out is not written. REQUEST: no clip, no captured frame, an
   invalid definition. SHAPE: joints differ. LIMIT: more than 2^22 frames, or 12 million pairs of frames that are all
   equally far apart. MEMORY, CANCELLED. */
MAREY_API marey_status marey_clusters_build(marey_ctx *ctx, const marey_clip *const *clips,
                                            int count, const marey_clusters_def *def,
                                            marey_clusters **out, marey_error *error);
MAREY_API void marey_clusters_free(marey_clusters *clusters); /* NULL is allowed */

/* With every default filled in. Here and below: borrowed until free. */
MAREY_API const marey_clusters_def *marey_clusters_settings(const marey_clusters *clusters);
MAREY_API int marey_clusters_clip_count(const marey_clusters *clusters);
MAREY_API double marey_clusters_fps(const marey_clusters *clusters);
MAREY_API int marey_clusters_frames(const marey_clusters *clusters); /* at its rate, in all */

typedef struct marey_cluster_sequence {
    int node;
    int clip;
    int start, end; /* frames of the clip itself, end exclusive; none of them is marked */
    int rows;       /* frames at the graph's rate */
    int next; /* the sequence that follows in the clip, its out-transition; -1: the clip ends, or marked frames follow */
    int before;
} marey_cluster_sequence;

/* By node, then clip, then start. */
MAREY_API const marey_cluster_sequence *marey_clusters_sequences(const marey_clusters *clusters,
                                                                 int *count);

typedef struct marey_cluster_node {
    int first, sequences; /* its sequences: [first, first + sequences) */
    int rows;             /* frames at the graph's rate */
    int clips;            /* different ones */
    bool loops;           /* a clip has several sequences in it: it can be played for ever */
    int clip,
        frame; /* its middle: of the middle frames of its sequences the one with the least mean distance to the others (to 48
                   of them, evenly chosen, if there are more); what to draw for it */
    double
        widest; /* the largest distance of two of its frames; single link: of two that were joined */
} marey_cluster_node;

/* In the order of their first frames. */
MAREY_API const marey_cluster_node *marey_clusters_nodes(const marey_clusters *clusters,
                                                         int *count);

typedef struct marey_cluster_edge {
    int from, to; /* nodes */
    int count;    /* of sequences that go on so */
} marey_cluster_edge;

/* By from, then to. */
MAREY_API const marey_cluster_edge *marey_clusters_edges(const marey_clusters *clusters,
                                                         int *count);

/* The sequence that a frame of a clip is in; -1: marked, or no such frame, or one between marks too close for a frame at the
   graph's rate. */
MAREY_API int marey_clusters_find(const marey_clusters *clusters, int clip, int frame);

/* ---- switching inside a node ------------------------------------------------------------------------- */

/* Frames of two sequences of a node that are alike, in place and in movement: the first is played up to `from`, inclusive, the
   second from `to` + 1 on. Frames of the clips themselves. */
typedef struct marey_cluster_switch {
    int from_sequence, to_sequence;
    int from, to;
    double
        cost; /* cm2, whatever the metric: the weighted mean squared distance of the joints over a few frames, laid on each
                  other, and that of the ways they move in MAREY_CLUSTER_DERIVATIVE_S there */
} marey_cluster_switch;

typedef struct marey_tuples_def { /* leave a field zero for its default */
    int pairs;                    /* k: of each list L; default 5 */
    int most;                     /* tuples that are kept; default 20 */
    int most_pairs;               /* how far k grows where there is no tuple; default 320 */
} marey_tuples_def;

/* For each sequence of a node a frame, so that all of them are alike: at these one can switch from any to any (figure 4).
   Each list L has the k pairs of frames of neighbouring sequences that cost least as switches; frames that end a clip are in
   none. k is doubled until there is a tuple, up to most_pairs; if there is none then, count is 0, and switches are found pair by
   pair. Of more tuples than `most` the best are kept; that takes no more time than there are pairs, however many tuples
   there are. A node of one sequence has no tuple, and nothing to switch to. */
typedef struct marey_tuples {
    int count;
    int sequences; /* m */
    int *frames;   /* count x m: frames of the clips, in the order of the node's sequences */
    double *costs; /* of each: the sum over neighbouring sequences; rising */
    int pairs;     /* the k it took; 0: there is but one sequence */
    bool by_pairs; /* there is no tuple */
    size_t bytes;
    marey_ctx *ctx;
} marey_tuples;

MAREY_API marey_status marey_clusters_tuples(marey_ctx *ctx, const marey_clusters *clusters,
                                             int node, const marey_tuples_def *def,
                                             marey_tuples *out, marey_error *error);
MAREY_API void marey_tuples_free(marey_tuples *tuples); /* {0} is allowed */

/* The best places to switch from one sequence of a node to another, best first, no two that share a frame. *found is how many
   were written to `switches`, which has room for `most`. REQUEST: not in one node. */
MAREY_API marey_status marey_clusters_switches(marey_ctx *ctx, const marey_clusters *clusters,
                                               int from_sequence, int to_sequence, int most,
                                               marey_cluster_switch *switches, int *found,
                                               marey_error *error);

/* ---- from clip to clip -------------------------------------------------------------------------------- */

typedef struct marey_route_def { /* leave a field zero for its default */
    int from_clip, to_clip;
    bool from_given, to_given;
    int from;         /* frame to begin with; default: the clip's first */
    int to;           /* frame of to_clip to end with, inclusive; default: its last */
    bool leave_given; /* leave the first clip at this frame .. */
    int leave;
    double within_s;  /* .. or so long before or behind it; default 0.3 */
    bool enter_given; /* enter the last clip there, likewise */
    int enter;
    const int
        *nodes; /* pass through these, in this order; the first switch is in the first of them */
    int node_count;
    double
        switch_cost; /* what a switch counts for, in seconds, besides its cost over 100 cm2; default 1 */
    int from_first,
        to_first; /* what the first frames of the two clips are called in messages; default 0 */
} marey_route_def;

typedef struct marey_route {
    int switch_count;
    marey_cluster_switch *switches; /* in order */
    int piece_count;                /* switch_count + 1 */
    marey_piece *pieces;            /* for marey_pieces_make */
    double
        cost; /* of the switches, and the seconds that are played between the first clip and the last */
    bool direct; /* one switch was enough */
    size_t bytes;
    marey_ctx *ctx;
} marey_route;

/* From one clip to another by way of switches inside nodes: one if there is a node that has both (with the frames that are
   wished), else the cheapest way through others: the least cost. What is entered is left only behind where it was entered. Ends
   that are not given are those of what is captured without a gap. INPUT: there is none; the message says how near one comes (the nearest
   frame at which the clip can be left, or that the two are nowhere connected). REQUEST, MEMORY, CANCELLED. */
MAREY_API marey_status marey_clusters_route(marey_ctx *ctx, const marey_clusters *clusters,
                                            const marey_route_def *def, marey_route *out,
                                            marey_error *error);
MAREY_API void marey_route_free(marey_route *route); /* {0} is allowed */

typedef struct marey_cluster_loops_def { /* leave a field zero for its default */
    double shortest_s;                   /* default 0.5 */
    double longest_s;                    /* default: no limit */
} marey_cluster_loops_def;

/* Loops of one clip, best first: from a frame of one of its sequences to the like one of a later sequence in the same node, none
   nearly the same as another. First those whose seam has no step above the 95th percentile of the clip's own, by how well one can
   switch there. For marey_loop_make. loops has room for `most`. REQUEST, MEMORY, CANCELLED. */
MAREY_API marey_status marey_clusters_loops(marey_ctx *ctx, const marey_clusters *clusters,
                                            int clip, const marey_cluster_loops_def *def, int most,
                                            marey_loop *loops, int *found, marey_error *error);

/* ---- keeping them --------------------------------------------------------------------------------------- */

/* As bytes, without the clips; free with marey_graph_bytes_free. */
MAREY_API marey_status marey_clusters_write(const marey_clusters *clusters, uint8_t **bytes,
                                            size_t *size, marey_error *error);
/* INPUT: damaged, of another version (which says so), or other clips. */
MAREY_API marey_status marey_clusters_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                           const marey_clip *const *clips, int count,
                                           marey_clusters **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
