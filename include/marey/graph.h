/* graph.h - walk any path, steer with the keys, never a dead end: motion graphs, well-connected motion graphs, walks
   through them, and policies that control them (slides, first half). Read after blend.h; library.h keeps graphs and
   policies. */
#ifndef MAREY_GRAPH_H
#define MAREY_GRAPH_H

#include <marey/blend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a graph is ----------------------------------------------------------------------------- */

/* Nodes are frames at the graph's rate: first those of the clips ("originals", clip after clip, marked frames left out),
   then interpolated ones. From a node the motion goes on to the next one of its sequence, or over a transition to
   another one, turned about the vertical and shifted on the floor so that the bodies lie on each other. All nodes are on
   the first clip's bones. A graph never changes once made; any thread may read it. */
typedef struct marey_graph marey_graph;

/* Rows of a table: --kind, menus and tests read it. */
typedef enum marey_graph_kind {
    MAREY_GRAPH_STANDARD,  /* the frames as they are */
    MAREY_GRAPH_CONNECTED, /* and interpolations of all pairs of segments with the same contacts */
    MAREY_GRAPH_KIND_COUNT
} marey_graph_kind;

MAREY_API const char *marey_graph_kind_name(marey_graph_kind kind);  /* "standard" */
MAREY_API const char *marey_graph_kind_about(marey_graph_kind kind); /* one line */

/* A stretch of a clip in which something is done. */
typedef struct marey_behaviour {
    int clip;       /* number of the clip */
    int start, end; /* its frames */
    const char *label;
} marey_behaviour;

#define MAREY_GRAPH_FPS 30.0
#define MAREY_GRAPH_JUMP                                                                           \
    1.1 /* "smooth": the most that a transition may be faster than the motion around it */
#define MAREY_GRAPH_STILL 30.0 /* cm/s; slower steps, a hand let down gently, jump nowhere */
#define MAREY_GRAPH_SPREAD 0.2 /* seconds */

enum { MAREY_GRAPH_MOST_CLIPS = 4096, MAREY_GRAPH_MOST_WEIGHTS = 15 };

typedef struct marey_graph_def { /* leave a field zero for its default */
    marey_graph_kind kind;
    const marey_metric_def
        *metric; /* default: points with the joint weights "wang"; its fps is not looked at */
    double fps;  /* at most; default MAREY_GRAPH_FPS, or the lowest of the clips' */
    double
        threshold; /* transitions cost less than this, in the metric's unit; default: MAREY_GRAPH_CEILING, for
                      connected ones MAREY_GRAPH_CONNECTED_THRESHOLD, and transitions that are not smooth are left
                      out. Only points has a default */
    bool
        smooth; /* transitions that are not smooth are left out; default: if no threshold is given */
    double
        sigma; /* t = exp(-s / sigma), the quality of a transition of distance s; default: MAREY_GRAPH_SIGMA for points, else
                  10 thresholds */
    double jump; /* default MAREY_GRAPH_JUMP */
    double
        spread_s; /* what differs at a transition is spread over so long before and behind it; default
                         MAREY_GRAPH_SPREAD */
    const marey_behaviour *behaviours;
    int behaviour_count;
    /* connected */
    const double *
        weights; /* of the second segment, each in (0, 1), rising; default: as many evenly spaced ones, up to
                              MAREY_GRAPH_MOST_WEIGHTS, as it takes for the steps between them to be below the threshold
                              where the segments are closest; pairs that would need more are left out, and those that
                              are nowhere closer than MAREY_GRAPH_CEILING */
    int weight_count;
    double
        suboptimality; /* mu, 1 .. 1000: best paths may cost so much more if they use nodes that are chosen already; default
                             1, the optimal graph */
    double
        smoothness; /* 0 .. 1: the cost of a path is (1 - smoothness) frames + smoothness * distances / threshold;
                          default 0.5; negative: 0 */
    bool unreduced; /* keep every interpolated node */
} marey_graph_def;

/* `clips` must live as long as the graph. contacts[i] are the plants of clips[i]; NULL: found. Two runs give the same
   graph, for any number of threads. `def` may be NULL. On failure *out is not written. REQUEST: no clip, an invalid
   definition, fewer than 2 frames in all. SHAPE: joints differ. LIMIT: more than 16 million nodes or 2^31 - 1 transitions.
   MEMORY, CANCELLED. */
MAREY_API marey_status marey_graph_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_graph_def *def,
                                         marey_graph **out, marey_error *error);
MAREY_API void marey_graph_free(marey_graph *graph); /* NULL is allowed */

/* With every default filled in. Here and below: borrowed until free. */
MAREY_API const marey_graph_def *marey_graph_settings(const marey_graph *graph);
MAREY_API int marey_graph_clip_count(const marey_graph *graph);
MAREY_API double marey_graph_fps(const marey_graph *graph);
MAREY_API int marey_graph_originals(const marey_graph *graph);
MAREY_API int marey_graph_nodes(const marey_graph *graph); /* originals included */

/* Frame n shows node n, on the first clip's bones, where its sequence stands. */
MAREY_API const marey_clip *marey_graph_motion(const marey_graph *graph);

typedef struct marey_graph_node {
    int clip;     /* where it is from; */
    double frame; /* of that clip, between frames if the rates differ */
    int other;    /* interpolated with a frame of another clip, or of the same; -1: an original */
    double other_frame;
    double weight; /* of the other */
    int next;      /* the next node of its sequence, -1: there is none */
    int before;
    int contacts; /* bit joint is set: that point of the foot is planted (marey_contact_joint) */
    bool core;    /* in the largest strongly connected component: walks and control stay in it */
} marey_graph_node;

MAREY_API marey_graph_node marey_graph_node_of(const marey_graph *graph, int node);

/* The node that shows a frame of a clip, the nearest one; -1: it was marked, or there is no such frame. */
MAREY_API int marey_graph_find(const marey_graph *graph, int clip, int frame);

typedef struct marey_graph_transition {
    int from, to;
    float distance; /* of `from` and the node before `to`, to which it is similar */
    float jump;     /* how much faster it is than the motion around it; at most 1.1 is smooth */
} marey_graph_transition;

/* Sorted by from, then to. */
MAREY_API const marey_graph_transition *marey_graph_transitions(const marey_graph *graph,
                                                                int *count);
/* Those that leave a node: transitions [*first, *first + count). */
MAREY_API int marey_graph_leaving(const marey_graph *graph, int node, int *first);

/* How `to` is laid behind `from`: the identity for the next node of a sequence. */
MAREY_API marey_placement marey_graph_place(const marey_graph *graph, int from, int to);

/* The labels that were given, each once, in the order they came in. */
MAREY_API const char *const *marey_graph_labels(const marey_graph *graph, int *count);
MAREY_API bool marey_graph_has_label(const marey_graph *graph, int node, int label);

/* ---- measures ------------------------------------------------------------------------------------ */

typedef struct marey_graph_stats {
    int frames;    /* originals */
    int nodes;     /* kept */
    int64_t edges; /* from frame to frame and transitions */
    int64_t transitions;
    double threshold;
    double scc_percent; /* of the originals in the largest strongly connected component */
    double
        connectivity_percent; /* of ordered pairs of originals, the second can be reached from the first */
    double mean_transition_s; /* the mean of the shortest times between these pairs */
    int sources; /* that the mean is over: all originals, or so many, evenly spread, where they are very many */
    double
        local_maneuverability_s; /* the mean over behaviours (labels) of the mean over contact segments of the originals, as
                                    far as they are in the largest component, of half the segment and the least time from
                                    its end to the behaviour. NaN without labels, or if one cannot be reached from somewhere */
    int behaviours;   /* that can be reached from everywhere in the largest component */
    int64_t bytes;    /* in memory, without the clips */
    int nodes_before; /* the reduction */
    int64_t edges_before;
    double worst_jump; /* of its transitions */
} marey_graph_stats;

MAREY_API marey_status marey_graph_measure(marey_ctx *ctx, const marey_graph *graph,
                                           marey_graph_stats *out, marey_error *error);

/* The same for several thresholds, rising: what a threshold is worth before one is chosen. Each row is that of the graph that
   would be built, but not reduced. One graph is built for all of them; of connected ones without weights of their own one for
   each, as the threshold says how many weights there are. `def`'s own threshold is not looked at. quick: without the mean
   time. */
MAREY_API marey_status marey_graph_sweep(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_graph_def *def,
                                         const double *thresholds, int threshold_count, bool quick,
                                         marey_graph_stats *rows, marey_error *error);

/* Which originals can reach which: originals x originals bits, row after row, 8 to a byte, the lowest first; rows begin
   with a byte of their own, (originals + 7) / 8 bytes each. bits has room for them. */
MAREY_API marey_status marey_graph_closure(marey_ctx *ctx, const marey_graph *graph, uint8_t *bits,
                                           marey_error *error);

/* ---- walks --------------------------------------------------------------------------------------- */

/* Nodes one after the other, each the next one of the one before or at the end of a transition. */
typedef struct marey_walk {
    int count;
    int *nodes;
    double cost;    /* as paths are reckoned when a graph is reduced */
    double path_cm; /* path: mean distance of the body from it, over the frames */
    double path_worst_cm;
    bool placed;           /* path: .. */
    marey_placement place; /* .. how its first node is laid for the walk to follow it */
    bool arrived;        /* path: its end was reached; labels: all were done; to: it was reached */
    int64_t expanded;    /* how much work it was, and .. */
    int64_t first_after; /* .. after how much of it the first answer was there */
    size_t bytes;
    marey_ctx *ctx;
} marey_walk;

MAREY_API void marey_walk_free(marey_walk *walk); /* {0} is allowed */

typedef enum marey_walk_kind {
    MAREY_WALK_TO, /* from here to there, at least cost */
    MAREY_WALK_LENGTH, /* so many frames: at random, with as few repeats as there can be; to `to` if that is given */
    MAREY_WALK_LABELS, /* through a list of actions: a whole instance of each, or a second of it if it is longer */
    MAREY_WALK_PATH, /* along a path on the floor */
    MAREY_WALK_KIND_COUNT
} marey_walk_kind;

typedef struct marey_walk_def { /* leave a field zero for its default */
    marey_walk_kind kind;
    bool from_given, to_given;
    int from, to;              /* nodes; default: any. Outside the core: REQUEST */
    int frames;                /* length */
    uint64_t seed;             /* length; default 1 */
    const char *const *labels; /* labels: the actions in order */
    int label_count;
    const char *const
        *styles; /* only nodes with one of these labels (their interpolations too); none: all */
    int style_count;
    const double *path; /* path: x, z of its points, cm */
    int point_count;    /* at least 2 */
    int64_t
        effort; /* path: how many steps the search may take, at most 10^12; each needs 2.5 kB at most; default 100000 */
    /* path: called when a better walk was found; false: that is good enough. */
    bool (*better)(void *user, const marey_walk *walk);
    void *user;
} marey_walk_def;

/* On failure *out is not written. REQUEST: an invalid definition, no such label (the message names those there are),
   a style from which there is no way on. MEMORY, CANCELLED. */
MAREY_API marey_status marey_graph_walk(marey_ctx *ctx, const marey_graph *graph,
                                        const marey_walk_def *def, marey_walk *out,
                                        marey_error *error);

typedef struct marey_walk_make_def { /* leave a field zero for its default */
    bool
        rough; /* pieces as they are, laid on each other, and nothing more: no spreading, no feet */
    bool leave_feet; /* no clean-up */
    const marey_clean_def *clean;
    bool
        place_given; /* where the body stands and faces at the start; default: as the first node; a walk along a path:
                         at its beginning */
    marey_placement place; /* of the first node's frame */
    double
        fps; /* 0.1 .. 10000; default: that of the first clip. Frames between nodes are on a cubic through those around them */
    int frames; /* at most; default: as many as the walk lasts */
} marey_walk_make_def;

typedef struct marey_walk_made {
    int transitions;
    double
        jump_ratio; /* largest step of any joint over the largest of the pieces it is made of, both at the rate of what is
                         made. Steps slower than MAREY_GRAPH_STILL count as that */
    double mean_quality; /* of the transitions, exp(-s / sigma); 1 if there are none */
} marey_walk_made;

/* One clip at the rate asked for: the nodes' frames, each piece laid behind the one before, the differences at transitions spread over both
   sides, planted feet held. out->contacts are its plants. `def`, `about` may be NULL. REQUEST: no walk through this graph, an
   invalid rate. LIMIT, MEMORY, CANCELLED. */
MAREY_API marey_status marey_walk_make(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_walk *walk, const marey_walk_make_def *def,
                                       marey_made *out, marey_walk_made *about, marey_error *error);

/* The first frame of a clip made at a rate that shows a frame of the walk, or what comes behind it. */
MAREY_API int marey_walk_frame(const marey_graph *graph, int frame, double fps);

/* A stretch of a walk without transitions. */
typedef struct marey_walk_piece {
    int at; /* first frame in the walk */
    int frames;
    marey_graph_node first, last;
} marey_walk_piece;

/* How many there are; the first `room` are written. For provenance. */
MAREY_API int marey_walk_pieces(const marey_graph *graph, const marey_walk *walk,
                                marey_walk_piece *pieces, int room);

/* ---- control ------------------------------------------------------------------------------------- */

/* Where one wants to go: a direction on the plan seen from above, radians counter-clockwise from x (so z, which points to
   the bottom of the plan, is -pi / 2), and how fast. */
typedef struct marey_wish {
    double direction_rad;
    double speed_cm_s; /* 0: stand */
} marey_wish;

/* Which way to take at every node for every wish, found by value iteration. Never changes once made. */
typedef struct marey_policy marey_policy;

typedef struct marey_policy_def { /* leave a field zero for its default */
    int directions;               /* of the wish relative to the body's, 8 .. 64; default 24 */
    const double *
        speeds; /* cm/s, rising; default: 0 and up to three, well apart, that the graph's motions do */
    int speed_count; /* at most 8 */
    double discount; /* of a second; default 0.6 */
    double
        poor; /* what the quality lost at a transition, 1 - t, counts for, in seconds of following perfectly;
                           default 1 */
    double close; /* iterated until no value changes by more; default 0.001 */
} marey_policy_def;

MAREY_API marey_status marey_policy_train(marey_ctx *ctx, const marey_graph *graph,
                                          const marey_policy_def *def, marey_policy **out,
                                          marey_error *error);
MAREY_API void marey_policy_free(marey_policy *policy); /* NULL is allowed */
MAREY_API const marey_policy_def *marey_policy_settings(const marey_policy *policy);
MAREY_API int marey_policy_rounds(const marey_policy *policy);   /* of iteration it took */
MAREY_API size_t marey_policy_bytes(const marey_policy *policy); /* in memory */

/* A character that a program steers: step after step, a frame of the graph each. Not for several threads at once; the
   graph and the policy may be shared by many controllers, and must live as long. */
typedef struct marey_controller marey_controller;

typedef struct marey_controller_def { /* leave a field zero for its default */
    bool from_given;
    int from;             /* the node it starts with; default: the one that stands most still */
    double x_cm, z_cm;    /* where it stands */
    double direction_rad; /* where it faces, as in a wish */
    bool rough;           /* poses as they are at transitions; default: what differs fades away */
} marey_controller_def;

typedef struct marey_controller_frame {
    int node;
    bool transition;      /* this frame was reached by one */
    double x_cm, z_cm;    /* the body on the floor */
    double direction_rad; /* where it moves; where it faces while it stands */
    double speed_cm_s;
    /* The pose, borrowed until the next step: local translations, 3 numbers a joint, and rotations, 4 numbers a joint, as
       marey_pose_positions reads them. */
    const double *places;
    const float *turns;
} marey_controller_frame;

typedef struct marey_control_score {
    double control; /* how well wishes were followed, 0 .. 1, the mean over the frames */
    double
        transition; /* mean quality exp(-s / sigma) of the transitions that were taken; 1 if none was */
    double total; /* their product */
    int frames, transitions;
} marey_control_score;

MAREY_API marey_status marey_controller_open(marey_ctx *ctx, const marey_graph *graph,
                                             const marey_policy *policy,
                                             const marey_controller_def *def,
                                             marey_controller **out, marey_error *error);
MAREY_API void marey_controller_free(marey_controller *controller); /* NULL is allowed */

/* The next frame. Allocates nothing, takes microseconds, cannot fail: a wish that is not finite is as before. */
MAREY_API void marey_controller_step(marey_controller *controller, const marey_wish *wish,
                                     marey_controller_frame *out);
MAREY_API marey_control_score marey_controller_score(const marey_controller *controller);
/* How the frame of the node it shows is laid on the floor. */
MAREY_API marey_placement marey_controller_place(const marey_controller *controller);

/* ---- pieces in a row ----------------------------------------------------------------------------- */

/* A stretch of a clip, to be played from `start` up to `end`, exclusive. */
typedef struct marey_piece {
    int clip;
    double start, end; /* its frames, or between them */
    double seconds;    /* how long it is to take; 0: as long as it does */
} marey_piece;

typedef struct marey_pieces_def { /* leave a field zero for its default */
    double fps;                   /* default: that of the first piece's clip */
    double
        spread_s; /* what differs where pieces meet is spread over so long before and behind it; default
                        MAREY_GRAPH_SPREAD, and longer where that is not smooth */
    bool rough, leave_feet; /* as for walks */
    const marey_clean_def *clean;
} marey_pieces_def;

/* One clip, on the first piece's bones: each piece laid behind the one before, so that its first frame goes on from the last one
   of the piece before as its own clip does from the frame before `start`; pieces that follow each other in a clip at one pace
   are one. Differences are spread and planted feet held as in marey_walk_make, and so are feet that look planted in what was made. contacts[i] are the plants of clips[i]; NULL:
   found. `def`, `about` may be NULL. REQUEST: no piece, frames that are not there or marked, shorter than a frame of what is made. SHAPE:
   joints differ. LIMIT, MEMORY, CANCELLED. */
MAREY_API marey_status marey_pieces_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_piece *pieces,
                                         int piece_count, const marey_pieces_def *def,
                                         marey_made *out, marey_walk_made *about,
                                         marey_error *error);

/* ---- keeping them -------------------------------------------------------------------------------- */

/* As bytes, without the clips. */
MAREY_API marey_status marey_graph_write(const marey_graph *graph, uint8_t **bytes, size_t *size,
                                         marey_error *error);
MAREY_API marey_status marey_policy_write(const marey_policy *policy, uint8_t **bytes, size_t *size,
                                          marey_error *error);
MAREY_API void marey_graph_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);
/* INPUT: damaged, or other clips, or another graph. */
MAREY_API marey_status marey_graph_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                        const marey_clip *const *clips, int count,
                                        const marey_contacts *contacts, marey_graph **out,
                                        marey_error *error);
MAREY_API marey_status marey_policy_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         const marey_graph *graph, marey_policy **out,
                                         marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
