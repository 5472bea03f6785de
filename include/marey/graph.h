/* graph.h - walk any path, steer with the keys, never a dead end: motion graphs, well-connected
   motion graphs, and walks through them (slides, first half). Read after blend.h; library.h keeps
   graphs. */
#ifndef MAREY_GRAPH_H
#define MAREY_GRAPH_H

#include <marey/blend.h>
#include <marey/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- building a graph ------------------------------------------------------------------------ */

/* Nodes are frames at the graph's rate: first those of the clips ("originals", clip after clip,
   marked frames left out), then interpolated ones. From a node the motion goes on to the next one
   of its sequence, or over a transition to another one, turned about the vertical and shifted on
   the floor so that the bodies lie on each other. All nodes are on the first clip's bones. Never
   changes once made; any thread may read it. */
typedef struct marey_graph marey_graph;

/* Kinds of graphs. Rows of a table: --kind, menus and tests read it. */
typedef enum marey_graph_kind {
    MAREY_GRAPH_STANDARD,  /* the frames as they are */
    MAREY_GRAPH_CONNECTED, /* and interpolations of all pairs of segments with the same contacts */
    MAREY_GRAPH_KIND_COUNT
} marey_graph_kind;

/* A kind's name, "standard". Lives forever. */
MAREY_API const char *marey_graph_kind_name(marey_graph_kind kind);

/* What it is, in one line. Lives forever. */
MAREY_API const char *marey_graph_kind_about(marey_graph_kind kind);

/* An action in a clip. */
typedef struct marey_behaviour {
    /* Number of the clip. */
    int clip;
    /* Its frames, end exclusive. */
    int start, end;
    const char *label;
    /* It goes on and on, like walking in a clip of walks: walks through it play a second of it
       instead of all, if no stretch is an action of that label. */
    bool ongoing;
} marey_behaviour;

#define MAREY_GRAPH_FPS 30.0
/* "Smooth": how much faster a transition may be than the motion around it. */
#define MAREY_GRAPH_JUMP 1.1
/* cm/s; slower steps, a hand let down gently, count as no jump. */
#define MAREY_GRAPH_STILL 30.0
/* Seconds. */
#define MAREY_GRAPH_SPREAD 0.15
#define MAREY_GRAPH_DWELL 0.3
#define MAREY_GRAPH_MOST_DWELL 5.0

enum { MAREY_GRAPH_MOST_CLIPS = 4096, MAREY_GRAPH_MOST_WEIGHTS = 15 };

/* How a graph is built: leave a field zero for its default. */
typedef struct marey_graph_def {
    /* Default: standard. */
    marey_graph_kind kind;
    /* Default: points with the joint weights "wang"; its fps is ignored. Connected: points only. */
    const marey_metric_def *metric;
    /* At most, 1 .. 1000; default MAREY_GRAPH_FPS, or the lowest of the clips'. */
    double fps;
    /* Transitions cost less than this, in the metric's unit. Default: MAREY_GRAPH_CEILING, for
       connected ones MAREY_GRAPH_CONNECTED_THRESHOLD, and transitions that are not smooth are left
       out. Only points has a default. */
    double threshold;
    /* Transitions that are not smooth are left out; default: if no threshold is given. */
    bool smooth;
    /* t = exp(-s / sigma), the quality of a transition of distance s; default: MAREY_GRAPH_SIGMA
       for points, else 10 thresholds. */
    double sigma;
    /* At least 1; default MAREY_GRAPH_JUMP. */
    double jump;
    /* The difference at a transition is spread over so long before and after it, up to 5; default
       MAREY_GRAPH_SPREAD. */
    double spread_s;
    /* Seconds that walks and characters stay in a piece, at least, up to MAREY_GRAPH_MOST_DWELL:
       without, the best ways are through single frames. Longer where what differs at the transition
       into it takes longer to fade. Default MAREY_GRAPH_DWELL; negative: none. */
    double dwell_s;
    /* Actions, for walks by label. */
    const marey_behaviour *behaviours;
    int behaviour_count;
    /* Connected: weights of the second segment, each in (0, 1), rising. Default: as many evenly
       spaced ones, up to MAREY_GRAPH_MOST_WEIGHTS, as it takes for the steps between them to be
       below the threshold where the segments are closest; pairs that would need more are left out,
       and those that are nowhere closer than MAREY_GRAPH_CEILING. */
    const double *weights;
    int weight_count;
    /* Connected: mu, 1 .. 1000: best paths may cost so much more if they use nodes that are chosen
       already; default 1, the optimal graph. */
    double suboptimality;
    /* Connected: 0 .. 1: the cost of a path is (1 - smoothness) frames + smoothness * distances /
       threshold; default 0.5; negative: 0. */
    double smoothness;
    /* Connected: keep every interpolated node. */
    bool unreduced;
    /* A tile is some nodes, which are compared with all others. Making: *out is NULL. Default: all is
       worked out here. */
    const marey_tiles *tiles;
} marey_graph_def;

/* Builds a graph. contacts[i] are the plants of clips[i]; NULL: found. Two runs give the same
   graph, for any number of threads.
   Errors: REQUEST: no clip; an invalid definition; fewer than 2 frames in all. SHAPE: as
     marey_clip_fit. LIMIT: more than MAREY_GRAPH_MOST_CLIPS clips, 16 million nodes or 2^31 - 1
     transitions. MEMORY, CANCELLED.
   Ownership: free with marey_graph_free. The clips must live as long; `def` and contacts need not.
   Cost: grows with the square of the frames. */
MAREY_API marey_status marey_graph_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_graph_def *def,
                                         marey_graph **out, marey_error *error);

/* Frees a graph; the clips stay. */
MAREY_API void marey_graph_free(marey_graph *graph);

/* ---- what is in it --------------------------------------------------------------------------- */

/* All pointers here are borrowed until marey_graph_free. */

/* The settings, with every default filled in. */
MAREY_API const marey_graph_def *marey_graph_settings(const marey_graph *graph);

/* How many clips it is made of. */
MAREY_API int marey_graph_clip_count(const marey_graph *graph);

/* Nodes a second. */
MAREY_API double marey_graph_fps(const marey_graph *graph);

/* How many nodes are frames of the clips. */
MAREY_API int marey_graph_originals(const marey_graph *graph);

/* How many nodes there are, originals included. */
MAREY_API int marey_graph_nodes(const marey_graph *graph);

/* A clip whose frame n shows node n, on the first clip's bones, where its sequence stands. */
MAREY_API const marey_clip *marey_graph_motion(const marey_graph *graph);

/* Where a node comes from and leads to. */
typedef struct marey_graph_node {
    int clip;
    /* Of that clip, between frames if the rates differ. */
    double frame;
    /* Interpolated with a frame of another clip, or of the same; -1: an original. */
    int other;
    double other_frame;
    /* Of the other. */
    double weight;
    /* The next node of its sequence and the one before; -1: none. */
    int next;
    int before;
    /* Bit marey_contact_joint is set: that point is planted. */
    int contacts;
    /* In the largest part of the graph in which everything can be reached: walks and control pass
       it and stay there. */
    bool core;
    /* A walk can begin with it; a walk can end with it. In both cases there is room for a piece. */
    bool begins, ends;
} marey_graph_node;

/* A node by number. */
MAREY_API marey_graph_node marey_graph_node_of(const marey_graph *graph, int node);

/* The node nearest to a frame of a clip; -1: the frame is marked or outside the clip. */
MAREY_API int marey_graph_find(const marey_graph *graph, int clip, int frame);

/* A transition. */
typedef struct marey_graph_transition {
    int from, to;
    /* Of `from` and the node before `to`, to which it is similar. */
    float distance;
    /* How much faster it is than the motion around it; at most 1.1 is smooth. */
    float jump;
} marey_graph_transition;

/* All transitions, sorted by from, then to. */
MAREY_API const marey_graph_transition *marey_graph_transitions(const marey_graph *graph,
                                                                int *count);

/* How many transitions leave a node: numbers [*first, *first + count). */
MAREY_API int marey_graph_leaving(const marey_graph *graph, int node, int *first);

/* How `to` is laid behind `from`: the identity for the next node of a sequence. */
MAREY_API marey_placement marey_graph_place(const marey_graph *graph, int from, int to);

/* The labels that were given, each once, in the order they came in. */
MAREY_API const char *const *marey_graph_labels(const marey_graph *graph, int *count);

/* Whether a label is that of an action, a stretch that begins and ends; not, if it is only given to
   what goes on and on. */
MAREY_API bool marey_graph_is_action(const marey_graph *graph, int label);

/* Whether a node has a label. */
MAREY_API bool marey_graph_has_label(const marey_graph *graph, int node, int label);

/* ---- how well connected it is ---------------------------------------------------------------- */

/* The figures of a graph. */
typedef struct marey_graph_stats {
    /* Originals. */
    int frames;
    /* Kept. */
    int nodes;
    /* From frame to frame and transitions. */
    int64_t edges;
    int64_t transitions;
    double threshold;
    /* Share of the originals in the largest part in which everything can be reached. */
    double scc_percent;
    /* Share of ordered pairs of originals of which the second can be reached from the first. */
    double connectivity_percent;
    /* The mean of the shortest times between these pairs, and the sources that the mean is over:
       all originals, or so many, evenly spread, where they are very many. */
    double mean_transition_s;
    int sources;
    /* Time to any action: the mean over labels of the mean over contact segments of the originals,
       as far as they are in the largest component, of half the segment and the least time from its
       end to the action. NaN without labels, or if one is out of reach from anywhere. */
    double local_maneuverability_s;
    /* Labels that can be reached from everywhere in the largest component. */
    int behaviours;
    /* In memory, without the clips. */
    int64_t bytes;
    /* Before the reduction. */
    int nodes_before;
    int64_t edges_before;
    /* Of its transitions. */
    double worst_jump;
} marey_graph_stats;

/* Measures a graph.
   Errors: MEMORY, CANCELLED.
   Cost: a search for the shortest times from every source. */
MAREY_API marey_status marey_graph_measure(marey_ctx *ctx, const marey_graph *graph,
                                           marey_graph_stats *out, marey_error *error);

/* Measures graphs of several thresholds, which must rise, to choose one by. Each row is that of the
   graph that would be built, but not reduced. `def`'s own threshold is ignored. quick: without the
   mean time. `rows` has room for threshold_count; on failure some may have been written.
   Errors: REQUEST: thresholds that are not positive or do not rise. Otherwise as marey_graph_build.
   Cost: one graph for all thresholds; of connected ones without given weights one for each, as the
     threshold decides how many weights there are. */
MAREY_API marey_status marey_graph_sweep(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_graph_def *def,
                                         const double *thresholds, int threshold_count, bool quick,
                                         marey_graph_stats *rows, marey_error *error);

/* Which originals can reach which: originals x originals bits, row after row, 8 to a byte, the
   lowest first; rows begin with a byte of their own, (originals + 7) / 8 bytes each. `bits` has
   room for them.
   Errors: MEMORY. */
MAREY_API marey_status marey_graph_closure(marey_ctx *ctx, const marey_graph *graph, uint8_t *bits,
                                           marey_error *error);

/* ---- walks ----------------------------------------------------------------------------------- */

/* Nodes one after the other, each the next one of the one before or at the end of a transition. */
typedef struct marey_walk {
    int count;
    int *nodes;
    /* Path: by how much each frame is turned about where the body is in the frame before, radians,
       so that the walk follows the path; NULL: not at all. */
    double *bends;
    /* As paths cost when a graph is reduced. */
    double cost;
    /* Path: mean and largest distance of the body from the route (marey_graph_path), over the
       frames. */
    double path_cm;
    double path_worst_cm;
    /* Path, goals: how its first node is laid for the walk to follow it. */
    bool placed;
    marey_placement place;
    /* Path: its end was reached; labels: all were done; to: it was reached; goals: every one within
       MAREY_WALK_GOAL_CM and MAREY_WALK_GOAL_DEG. */
    bool arrived;
    /* Goals: the largest distance from one at its time. */
    double goal_worst_cm;
    /* Goals: the graph has frames to wait in for as long as it takes, none of which moves. */
    bool stands;
    /* Steps of the search, and after how many the first answer was there. */
    int64_t expanded;
    int64_t first_after;
    /* For marey_walk_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_walk;

/* Frees a walk's nodes; {0} is allowed. */
MAREY_API void marey_walk_free(marey_walk *walk);

/* Path: the tightest bend that is added to what the actors turn, cm of radius, and the least that may
   be asked for. */
#define MAREY_WALK_BEND_CM 50
#define MAREY_WALK_LEAST_BEND_CM 20

/* What a walk is asked to do. */
typedef enum marey_walk_kind {
    /* From one node to another, at least cost. */
    MAREY_WALK_TO,
    /* So many frames: at random, with as few repeats as possible; to `to` if that is given. */
    MAREY_WALK_LENGTH,
    /* Through a list of actions: a whole instance of each, or a second of what goes on and on. */
    MAREY_WALK_LABELS,
    /* Along a path on the floor. */
    MAREY_WALK_PATH,
    /* At places on the floor at times: it goes there, stands until it is time, and goes on. */
    MAREY_WALK_GOALS,
    MAREY_WALK_KIND_COUNT
} marey_walk_kind;

/* A place where the body is to be at a time. */
typedef struct marey_walk_goal {
    double at_s;
    double x_cm, z_cm;
    /* Where it is to face then, as the direction of marey_control_input; default: anywhere. */
    bool heading_given;
    double heading_rad;
} marey_walk_goal;

/* A circle on the floor that the body must not enter. */
typedef struct marey_walk_obstacle {
    double x_cm, z_cm;
    double radius_cm;
} marey_walk_obstacle;

/* Walks keep so far from the edges of obstacles: half the width of a body. */
#define MAREY_WALK_HALF_WIDTH_CM 25.0
/* Goals are reached within so much. */
#define MAREY_WALK_GOAL_CM 30.0
#define MAREY_WALK_GOAL_DEG 30.0
#define MAREY_WALK_MOST_S 3600.0

enum { MAREY_WALK_MOST_GOALS = 256, MAREY_WALK_MOST_OBSTACLES = 64 };

/* Which walk is looked for: leave a field zero for its default. */

typedef struct marey_walk_def {
    marey_walk_kind kind;
    /* Nodes, in the core; default: any. */
    bool from_given, to_given;
    int from, to;
    /* Length. */
    int frames;
    /* Length: default 1. */
    uint64_t seed;
    /* Labels: the actions in order. */
    const char *const *labels;
    int label_count;
    /* Only nodes with one of these labels (their interpolations too); none: all. */
    const char *const *styles;
    int style_count;
    /* Seconds in a piece, at least; default: as the graph has it; negative: none. */
    double dwell_s;
    /* Transitions by number that it must not take. */
    const int *barred;
    int barred_count;
    /* Path: x, z of its points, cm; at least 2. */
    const double *path;
    int point_count;
    /* Path: the tightest bend that is added to what the actors turn, cm of radius; default
       MAREY_WALK_BEND_CM; INFINITY: none, only what was captured. */
    double bend_cm;
    /* Goals: in the order of their times, at most MAREY_WALK_MOST_GOALS, up to MAREY_WALK_MOST_S.
       The walk ends at the last one. It begins at a goal with time 0, otherwise at the origin, and
       looks along its way. */
    const marey_walk_goal *goals;
    int goal_count;
    /* Path, goals: at most MAREY_WALK_MOST_OBSTACLES. */
    const marey_walk_obstacle *obstacles;
    int obstacle_count;
    /* Path, goals: steps that the search may take, at most 10^12; each needs 2.5 kB at most;
       default 30000 if they are bent, 100000 otherwise. */
    int64_t effort;
    /* Path, goals: called when a better walk was found; false: that is good enough. */
    bool (*better)(void *user, const marey_walk *walk);
    void *user;
} marey_walk_def;

/* Finds a walk. `def` is required.
   Errors: REQUEST: an invalid definition; a node outside the core; no such label (the message names
     those there are); a style from which no way leads on. LIMIT: too many frames. MEMORY,
     CANCELLED.
   Ownership: free with marey_walk_free. */
MAREY_API marey_status marey_graph_walk(marey_ctx *ctx, const marey_graph *graph,
                                        const marey_walk_def *def, marey_walk *out,
                                        marey_error *error);

/* Where a path is rounded: a place on what was drawn, and how far from it walks pass. */
typedef struct marey_rounding {
    double along_cm; /* from the beginning of what was drawn */
    double x_cm, z_cm;
    double off_cm;
} marey_rounding;

/* The path that a walk follows: as it was drawn, but rounded where that is tighter than bodies can
   turn at their usual speed, and led round obstacles. */
typedef struct marey_walk_path {
    int count;
    double *points; /* x, z in turn, cm */
    /* Of each stretch that is more than 10 cm from what was drawn, the place where it is farthest. */
    int place_count;
    marey_rounding *places;
    /* No bend is tighter, but round obstacles; 0: nothing was rounded, since walks are not bent. */
    double radius_cm;
    double mean_off_cm, most_off_cm;
    /* For marey_walk_path_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_walk_path;

/* Finds the path that a walk along def->path will follow, which takes no search.
   Errors: REQUEST: an invalid path, bend or obstacle; as marey_graph_walk. MEMORY.
   Ownership: free with marey_walk_path_free. */
MAREY_API marey_status marey_graph_path(marey_ctx *ctx, const marey_graph *graph,
                                        const marey_walk_def *def, marey_walk_path *out,
                                        marey_error *error);
/* Frees a route; {0} is allowed. */
MAREY_API void marey_walk_path_free(marey_walk_path *route);

/* How a walk becomes a clip: leave a field zero for its default. */
typedef struct marey_walk_make_def {
    /* No smoothing: pieces are laid on each other as they are, without spreading or clean-up of the
       feet. */
    bool rough;
    /* No clean-up of the feet. */
    bool leave_feet;
    const marey_clean_def *clean;
    /* Where the body stands and faces at the start; default: as the first node; a walk along a
       path: at its beginning. */
    bool place_given;
    /* Of the first node's frame. */
    marey_placement place;
    /* 0.1 .. 10000; default: that of the first clip. Frames between nodes are on a cubic through
       those around them. */
    double fps;
    /* At most; default: as many as the walk lasts. */
    int frames;
} marey_walk_make_def;

/* How smooth the generated clip is. */
typedef struct marey_walk_made {
    int transitions;
    /* Peak joint step over that of the pieces it is made of, leaps of capture left out of those
       (marey_speeds), both at the rate of the clip. Steps slower than MAREY_GRAPH_STILL count as
       that. */
    double jump_ratio;
    /* The frame of the clip that the peak step leads to; 0 where nothing moves. */
    int jump_frame;
    /* Of the transitions, exp(-s / sigma); 1 without transitions. */
    double mean_quality;
} marey_walk_made;

/* Makes a clip of a walk: the nodes' frames, each piece laid behind the one before, the differences
   at transitions spread over both sides, planted feet held. out->contacts are its plants. `about`
   may be NULL.
   Errors: REQUEST: nodes that are no walk through this graph; an invalid rate. LIMIT: too many
     frames. MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_walk_make(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_walk *walk, const marey_walk_make_def *def,
                                       marey_made *out, marey_walk_made *about, marey_error *error);

/* What eyes see in a generated walk, beside joints that jump. Rows of a table. */
typedef enum marey_walk_fault_kind {
    MAREY_FAULT_TURN,         /* of where the hips face */
    MAREY_FAULT_POSE,         /* of the joints, seen from the hips */
    MAREY_FAULT_SPEED,        /* of the hips */
    MAREY_FAULT_ACCELERATION, /* likewise */
    MAREY_WALK_FAULT_KIND_COUNT
} marey_walk_fault_kind;

/* A kind's name, "turn"; its unit, "degrees/s"; what it means, in a few words. Live forever. */
MAREY_API const char *marey_walk_fault_name(marey_walk_fault_kind kind);
MAREY_API const char *marey_walk_fault_unit(marey_walk_fault_kind kind);
MAREY_API const char *marey_walk_fault_about(marey_walk_fault_kind kind);

/* A rate that is higher at a transition than a body has it: than 1.2 times what all but one of a
   thousand captured frames have, and than 1.1 times what the motions have around there. */
typedef struct marey_walk_fault {
    marey_walk_fault_kind kind;
    /* Of the generated clip. */
    int frame;
    /* Of the walk: that the transition leads to. */
    int transition;
    double value, limit;
} marey_walk_fault;

/* Looks for faults in the clip that was made of a walk: of each transition the worst of each kind, at
   most `room`. A walk with one is best searched again without that transition (`barred`).
   Errors: REQUEST: a clip with other joints. MEMORY. */
MAREY_API marey_status marey_walk_faults(marey_ctx *ctx, const marey_graph *graph,
                                         const marey_walk *walk, const marey_clip *made,
                                         marey_walk_fault *faults, int room, int *count,
                                         marey_error *error);

/* Where the body was at the time of a goal. */
typedef struct marey_goal_reached {
    double x_cm, z_cm;
    /* Where it faced; NaN: the skeleton does not tell. */
    double heading_rad;
    /* Distance from the goal's place; angle from its heading, not negative, NaN if none is asked
       for or known. */
    double error_cm, error_rad;
} marey_goal_reached;

/* Looks where the body is in the clip that was made of a walk, at the times of goals (that of a
   later time: in the last frame). `reached` has room for goal_count. *clearance_cm: the least
   distance of the body from an obstacle's edge over all frames, negative inside, NaN without
   obstacles.
   Errors: REQUEST: a clip with other joints. MEMORY. */
MAREY_API marey_status marey_walk_reached(marey_ctx *ctx, const marey_graph *graph,
                                          const marey_clip *made, const marey_walk_def *def,
                                          marey_goal_reached *reached, double *clearance_cm,
                                          marey_error *error);

/* The first frame of a clip made at a rate that shows a frame of the walk, or what comes after
   it. */
MAREY_API int marey_walk_frame(const marey_graph *graph, int frame, double fps);

/* A part of a walk without transitions. */
typedef struct marey_walk_piece {
    /* First frame in the walk. */
    int at;
    int frames;
    marey_graph_node first, last;
} marey_walk_piece;

/* Counts the pieces of a walk and writes the first `room` of them. For provenance. */
MAREY_API int marey_walk_pieces(const marey_graph *graph, const marey_walk *walk,
                                marey_walk_piece *pieces, int room);

/* ---- pieces in a row ------------------------------------------------------------------------- */

/* A part of a clip, to be played from `start` up to `end`, exclusive. */
typedef struct marey_piece {
    int clip;
    /* Its frames, or between them. */
    double start, end;
    /* How long it is to take; 0: as long as it does. */
    double seconds;
} marey_piece;

#define MAREY_PIECES_SPREAD 0.2

/* How pieces are joined: leave a field zero for its default. */
typedef struct marey_pieces_def {
    /* Default: that of the first piece's clip. */
    double fps;
    /* The difference where pieces meet is spread over so long before and after it; default
       MAREY_PIECES_SPREAD, and longer where that is not smooth. */
    double spread_s;
    /* As for walks. */
    bool rough, leave_feet;
    const marey_clean_def *clean;
} marey_pieces_def;

/* Joins pieces to one clip, on the first piece's bones: each piece laid behind the one before, so
   that its first frame goes on from the last one of the piece before as its own clip does from the
   frame before `start`. Pieces that follow each other in a clip at one pace are one. Differences
   are spread and planted feet held as in marey_walk_make, and so are feet that look planted in the
   generated clip. contacts[i] are the plants of clips[i]; NULL: found. `about` may be NULL.
   Errors: REQUEST: no piece; frames outside their clip or marked; a piece shorter than a frame of
     the clip. SHAPE: as marey_clip_fit. LIMIT: too many frames. MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_pieces_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, const marey_piece *pieces,
                                         int piece_count, const marey_pieces_def *def,
                                         marey_made *out, marey_walk_made *about,
                                         marey_error *error);

/* ---- keeping them ---------------------------------------------------------------------------- */

/* Writes a graph as bytes, without the clips.
   Errors: REQUEST: its metric is the caller's own. MEMORY.
   Ownership: free *bytes with marey_graph_bytes_free. */
MAREY_API marey_status marey_graph_write(const marey_graph *graph, uint8_t **bytes, size_t *size,
                                         marey_error *error);

/* Frees what the functions above wrote, and those of cluster.h and puppet.h. */
MAREY_API void marey_graph_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);

/* Reads a graph. The same clips must be given again, in the same order.
   Errors: INPUT: the bytes are damaged or of another version; other clips. MEMORY.
   Ownership: as marey_graph_build; the bytes may go after the call. */
MAREY_API marey_status marey_graph_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                        const marey_clip *const *clips, int count,
                                        const marey_contacts *contacts, marey_graph **out,
                                        marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
