/* motion_graphs.h - parameters and results of the operations of motion graphs. Read after
   operation.h; the program shows the results. */
#ifndef MAREY_APP_MOTION_GRAPHS_H
#define MAREY_APP_MOTION_GRAPHS_H

#include "made.h"
#include "metric_params.h"
#include "operation.h"
#include "saved.h"
#include "saved_things.h"
#include "shards.h"

/* ---- saved graphs ---------------------------------------------------------------------------- */

/* One that is open. What is worked out on the way is kept with it. */
typedef struct app_saved_graph {
    const char *name;
    marey_parts *parts;
    marey_graph *graph;
    bool measured;
    marey_graph_stats stats; /* if measured */
    bool timed;
    marey_speeds speeds; /* the fastest of its clips, if timed */
} app_saved_graph;

/* Through env->cache; see app_saved_open. INPUT: a clip of it is gone. NOT_FOUND: there is none
   of that name. */
marey_status app_graph_open(const app_env *env, const char *name, app_saved_graph **out,
                            marey_error *error);

/* What is noted of the policy that is saved with a graph. */
typedef struct app_policy_notes {
    bool there;
    double directions;  /* NaN: not noted */
    app_numbers speeds; /* none: not noted */
    int64_t bytes;
} app_policy_notes;

marey_status app_graph_policy_notes(const app_env *env, const char *name, app_policy_notes *out,
                                    marey_error *error);

/* ---- build, sweep ---------------------------------------------------------------------------- */

enum { APP_GRAPH_THRESHOLDS = 64 };

/* Which clips, and how a graph is made of them. */
typedef struct app_graph_recipe {
    app_params given;
    const char *name; /* NULL of a sweep */
    app_texts clips;  /* none: those with the label, or all */
    const char *label, *onto;
    int kind;
    double threshold, sigma, fps; /* 0: the default */
    double dwell;
    app_document behaviours;
    app_numbers weights;
    double mu, smoothness;
    bool only_smooth, unreduced;
    app_numbers sweep;
    bool quick; /* a sweep without the mean time */
    app_metric_params metric;
    app_shard_params share;
} app_graph_recipe;

/* Measures of graphs with the thresholds of a sweep. */
typedef struct app_graph_sweep_rows {
    marey_graph_stats *rows;
    int count;
} app_graph_sweep_rows;

typedef struct app_graph_built {
    marey_parts *parts;
    marey_graph *graph; /* NULL of a sweep */
    marey_graph_stats stats;
    app_graph_sweep_rows sweep;
    double seconds;
} app_graph_built;

/* In graph_pictures.c. */
extern const app_drawing app_graph_built_pictures[], app_graph_measured_pictures[];

/* ---- stats ----------------------------------------------------------------------------------- */

/* Graphs with more nodes are not measured where that should be quick. */
enum { APP_GRAPH_QUICK_NODES = 20000 };

typedef struct app_graph_stats_params {
    app_params given;
    const char *name;
    app_numbers sweep;
    bool quick;
} app_graph_stats_params;

typedef struct app_graph_measured {
    const app_saved_graph *saved;
    bool measured;
    app_policy_notes policy;
    app_graph_sweep_rows sweep;
} app_graph_measured;

/* ---- ls -------------------------------------------------------------------------------------- */

/* By what was noted when it was built: it is not opened. */
typedef struct app_graph_listed {
    const char *name;
    const char *kind; /* NULL, NaN: not noted */
    double fps, threshold, frames, nodes, transitions;
    app_texts labels;
    bool policy; /* there is one */
    int64_t bytes;
    app_made_of_list made_of;
} app_graph_listed;

typedef struct app_graph_list {
    const app_graph_listed *graphs;
    int count;
} app_graph_list;

/* ---- train ----------------------------------------------------------------------------------- */

enum { APP_POLICY_SPEEDS = 8 };

typedef struct app_graph_train_params {
    app_params given;
    const char *name;
    int directions;
    app_numbers speeds;
    double discount, poor;
} app_graph_train_params;

typedef struct app_graph_trained {
    marey_policy *policy;
    double seconds;
} app_graph_trained;

/* ---- walk, control --------------------------------------------------------------------------- */

/* What both have. */
typedef struct app_walk_making {
    const char *graph;
    /* "20s", "600" frames of what is made; NULL: as long as the walk, or the script. */
    const char *length;
    app_segment from;
    double fps, stretch;
    bool rough, leave_feet;
} app_walk_making;

typedef struct app_walk_params {
    app_params given;
    app_walk_making making;
    app_segment to;
    app_texts through, style, requests;
    app_table path;      /* x, z */
    app_texts at, avoid; /* "4s:200,300,90"; "120,150,40" */
    app_pair over;
    double around, dwell, bend;
    int seed, effort;
} app_walk_params;

/* `graph path`: what a walk along a path would follow. */
typedef struct app_path_params {
    app_params given;
    const char *graph;
    app_table path;
    app_texts avoid, style;
    double bend;
} app_path_params;

typedef struct app_control_params {
    app_params given;
    app_walk_making making;
    app_table script; /* time, direction, speed */
    int controller;   /* marey_controller_kind */
    app_texts requests;
    bool replace;
} app_control_params;

/* A clip that goes through a graph. */
typedef struct app_graph_clip {
    app_saved_graph *saved;
    bool saves; /* the answer gets the name of the clip, and has none of the graph */
    marey_walk walk;
    /* Of one that was matched: how its frames are laid. */
    marey_matching *matching;
    marey_placement *places;
    marey_walk_piece *pieces;
    int piece_count;
    app_texts actions; /* that it goes through: labels of pieces are these first */
    /* Motions of families that are done in it; then the walk is through the graph with these. */
    struct app_request *requests;
    int request_count;
    marey_performance *performance;
    marey_walk_made about;
    app_made made;
} app_graph_clip;

enum { APP_WALK_MOST_FAULTS = 64 };

/* Places at times and obstacles of a walk, and what came of them. */
typedef struct app_walk_floor {
    marey_walk_goal *goals;
    int goal_count;
    marey_walk_obstacle *obstacles;
    int obstacle_count;
    marey_goal_reached *reached; /* of each goal */
    double clearance_cm;         /* NaN: without obstacles */
} app_walk_floor;

typedef struct app_walked {
    app_graph_clip clip;
    app_walk_floor floor;
    marey_walk_fault faults[APP_WALK_MOST_FAULTS]; /* that are left */
    int fault_count;
    marey_walk_path *followed; /* NULL: not along a path */
    int searches; /* one more for every time that it was searched again without what had one */
    int kind;     /* marey_walk_kind; APP_WALK_OVER */
} app_walked;

typedef struct app_path {
    const char *graph;
    double drawn_cm; /* how long it was drawn */
    marey_walk_path *followed;
} app_path;

/* The table of points of a path; a row of it. */
extern const app_table_def app_path_points;
#define APP_BEND_PARAM(owner)                                                                      \
    {                                                                                              \
        .name = "bend", .type = APP_NUMBER, .at = offsetof(owner, bend), .value = "CM",            \
        .least = 0, .most = 10000, .unit = "cm", .standard = "50",                                 \
        .help = "the tightest bend that is added to what the actors turn, as a radius; 0: none, "  \
                "walks turn as they were captured and paths are not rounded"                       \
    }

/* As a definition has it. */
double app_walk_bend(double bend_cm);

/* The path that a walk follows, which the scope owns. */
marey_status app_path_follow(const app_env *env, const marey_graph *graph,
                             const marey_walk_def *def, marey_walk_path **out, marey_error *error);
/* "radius_cm", "rounded_cm" and "rounded". */
void app_path_write_rounded(const marey_walk_path *followed, json *out);

enum { APP_WALK_OVER = MAREY_WALK_KIND_COUNT, APP_WALK_REQUESTS };

typedef struct app_controlled {
    app_graph_clip clip;
    marey_control_score score;
    double response_s; /* the median; NaN: not even half of the turns were answered */
    marey_controller_searches searches;
} app_controlled;

/* Rows for the member `making` of the struct `owner`. */
#define APP_WALK_GRAPH_PARAM(owner)                                                                \
    {                                                                                              \
        .name = "graph", .type = APP_TEXT, .at = offsetof(owner, making.graph), .place = 1,        \
        .needed = true, .value = "NAME", .help = "which graph"                                     \
    }

#define APP_WALK_MAKING_PARAMS(owner)                                                              \
    { .name = "fps",                                                                               \
      .type = APP_NUMBER,                                                                          \
      .at = offsetof(owner, making.fps),                                                           \
      .value = "N",                                                                                \
      .least = 0.1,                                                                                \
      .most = 10000,                                                                               \
      .help = "frames a second of what is made (default: those of the graph's first clip)" },      \
        { .name = "rough",                                                                         \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, making.rough),                                                     \
          .help = "the pieces as they are, laid on each other, and nothing more: no spreading "    \
                  "of differences, no feet" },                                                     \
        { .name = "leave-feet",                                                                    \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, making.leave_feet),                                                \
          .help = "do not hold planted feet in place" },                                           \
        APP_STRETCH_PARAM_AT(offsetof(owner, making.stretch))

/* REQUEST: the length is invalid. */
marey_status app_walk_check(const app_walk_making *making, app_dialect dialect, marey_error *error);

/* Opens the graph. */
marey_status app_graph_clip_open(const app_env *env, const app_walk_making *making,
                                 app_graph_clip *out, marey_error *error);
double app_graph_clip_fps(const app_walk_making *making, const app_graph_clip *clip);
/* *frames of the clip, if a length is given, and so many nodes that they come of them. LIMIT. */
marey_status app_graph_clip_length(const app_env *env, const app_walk_making *making,
                                   const app_graph_clip *clip, int *frames, int *nodes,
                                   marey_error *error);

/* What a frame is for. */
typedef enum app_node_use { APP_NODE_BEGINS, APP_NODE_ENDS, APP_NODE_CAPTURED } app_node_use;

/* The node of one frame of a clip, with which a walk begins or ends, or that is only shown. REQUEST,
   INPUT: what is wrong with it, and the nearest frame that would do. */
marey_status app_graph_node(const app_saved_graph *saved, const app_segment *segment,
                            app_node_use use, int *node, marey_error *error);

/* REQUEST: what is wrong with --at or --avoid. */
marey_status app_walk_floor_check(const app_texts *at, const app_texts *avoid, app_dialect dialect,
                                  marey_error *error);
/* Reads what was checked. fps of the clip that will be made: a time without s is a frame of it. */
marey_status app_walk_floor_read(app_scope *scope, const app_texts *at, const app_texts *avoid,
                                 double fps, app_walk_floor *out, marey_error *error);
/* Fills what came of them in a clip, with a warning where a goal is *missed or an obstacle entered. */
marey_status app_walk_floor_measure(const app_env *env, const marey_graph *graph,
                                    const marey_clip *made, app_walk_floor *floor, bool *missed,
                                    marey_error *error);
/* "goals": [...], "clearance_cm". */
void app_walk_floor_write(const app_walk_floor *floor, json *out);

/* The policy that is saved with a graph, in the scope. NOT_FOUND: it has none yet, and what
   makes one. */
marey_status app_graph_policy(const app_env *env, const app_saved_graph *saved, marey_policy **out,
                              marey_error *error);

/* A matching of its captured frames, in the scope. REQUEST: no clip of it is long enough. */
marey_status app_graph_matching(const app_env *env, const app_saved_graph *saved,
                                marey_matching **out, marey_error *error);

/* The controller of a name: marey_controller_kind; the count of them: there is none. */
int app_controller_named(const char *name);

/* What was taken of which clip, in its own frames, as sources of `note`. */
marey_status app_walk_sources(const app_env *env, const app_saved_graph *saved,
                              const marey_walk_piece *pieces, int count, app_provenance *note,
                              marey_error *error);

/* Makes the clip of clip->walk as `def` says, and all that is said of it, for `operation`. */
marey_status app_graph_clip_make(const app_env *env, const app_operation *operation,
                                 const app_params *params, const app_walk_making *making,
                                 marey_walk_make_def *def, app_graph_clip *clip,
                                 marey_error *error);
/* What eyes see in a walk, in a clip that is made for that alone; at most APP_WALK_MOST_FAULTS. */
marey_status app_walk_find_faults(const app_env *env, const marey_graph *graph,
                                  const marey_walk *walk, marey_walk_fault *faults, int *count,
                                  marey_error *error);
/* The transitions at fault by their numbers in the graph, and how many: of nodes that are not its
   own, none. */
int app_walk_bar(const marey_graph *graph, const marey_walk *walk, const marey_walk_fault *faults,
                 int count, int *barred);

/* The graph that its walk goes through. */
const marey_graph *app_graph_clip_graph(const app_graph_clip *clip);
/* Which of its requests a node belongs to; -1: it is the graph's own. */
int app_graph_clip_request(const app_graph_clip *clip, const marey_graph_node *node);
/* What a frame of the walk is in the clip. */
int app_graph_clip_frame(const app_graph_clip *clip, int frame);
/* "transitions", "pieces" and so on. */
void app_graph_clip_write(const app_graph_clip *clip, json *out);

/* Frames of the clip, as it is in its library, that a node shows; of the other that it is
   interpolated with. */
int app_graph_frame(const marey_parts *parts, const marey_graph_node *node);
int app_graph_other_frame(const marey_parts *parts, const marey_graph_node *node);

/* ---- what they share ------------------------------------------------------------------------- */

/* "name": ..., and what the graph is. */
void app_graph_write(json *out, const char *name, const marey_graph *graph,
                     const marey_parts *parts);
/* Its measures. */
void app_graph_write_stats(json *out, const marey_graph_stats *stats);
/* Its settings, its stretches of clips, and on whose bones its motion is. */
void app_graph_write_content(json *out, const marey_graph *graph, const marey_parts *parts);
/* "sweep": [...]; nothing where no thresholds were given. */
void app_graph_write_sweep(json *out, const app_graph_sweep_rows *sweep);

marey_status app_graph_sweep_measure(const app_env *env, const marey_parts *parts,
                                     const marey_graph_def *def, const app_numbers *thresholds,
                                     bool quick, app_graph_sweep_rows *out, marey_error *error);

/* Puts a graph into the library, in place of one of that name, noting that `maker` made it with
   these parameters; rows NULL: with none. */
marey_status app_graph_save(const app_env *env, const char *maker, const char *name,
                            const marey_graph *graph, const marey_parts *parts,
                            const app_param *rows, const app_params *params, marey_error *error);

#endif
