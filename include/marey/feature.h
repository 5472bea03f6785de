/* feature.h - what is compared when two frames are: the table of metrics, the sets of joint
   weights, and the rows of numbers that stand for the frames of a clip. Read after io.h; grid.h
   measures pairs of frames with what this makes. */
#ifndef MAREY_FEATURE_H
#define MAREY_FEATURE_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- joint weights --------------------------------------------------------------------------- */

/* How much each joint counts, relative to the sum of all. */
typedef struct marey_joint_weights {
    const char *name; /* "equal", "lee", "wang"; "own" if parsed */
    const char *description;
    /* All joints of the skeleton count alike; `roles` does not matter. */
    bool every_joint;
    /* Otherwise: the weight of the joint in each role; other joints count nothing. */
    double roles[MAREY_ROLE_COUNT];
} marey_joint_weights;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_joint_weights *marey_joint_weights_find(int index);

/* Weights from a row's name, or from "hips=1,left_knee=0.5": roles with weights >= 0, not all 0;
   "knee=1" means both knees.
   Errors: REQUEST: the text is neither. */
MAREY_API marey_status marey_joint_weights_parse(const char *text, marey_joint_weights *out,
                                                 marey_error *error);

/* ---- metrics --------------------------------------------------------------------------------- */

enum { MAREY_MOST_ATTRIBUTES = 4, MAREY_MOST_WINDOW = 31 };

/* Default thresholds of the metric `points`, in cm2. */
#define MAREY_CUT_LIMIT 30.0                /* transitions, loops: docs/results/curves.md */
#define MAREY_WEB_CEILING 1000.0            /* search: farther minima are left out of the index */
#define MAREY_FIND_THRESHOLD 64.0           /* search: a match */
#define MAREY_GRAPH_CEILING MAREY_CUT_LIMIT /* graphs: motions farther apart are not alike */
#define MAREY_GRAPH_CONNECTED_THRESHOLD 0.5 /* well-connected graphs: a transition */
#define MAREY_GRAPH_SIGMA 300.0             /* graphs: quality exp(-distance / sigma) */
#define MAREY_CLUSTER_THRESHOLD 200.0       /* cluster graphs: docs/decisions/0017-clusters.md */

/* A metric's default thresholds for each stage, in its unit; 0: no default, the caller gives
   one. */
typedef struct marey_metric_thresholds {
    double cut, web_ceiling, find, graph, graph_connected, graph_sigma, cluster;
} marey_metric_thresholds;

/* Fields of marey_metric_def that only some metrics read. */
typedef enum marey_metric_option {
    MAREY_METRIC_FIXED_ROOT = 1, /* fixed_root */
    MAREY_METRIC_STEPS = 2,      /* terms are divided by the largest steps of the layout's clips */
    MAREY_METRIC_CANDIDATES = 4  /* candidates, smooth_s, normalised */
} marey_metric_option;

/* A way to measure the distance of two frames: a row of a table that commands, menus and tests
   list. Nothing asks for a metric by its name. */
typedef struct marey_metric {
    const char *name;        /* "points" */
    const char *description; /* one line */
    const char *unit;        /* of a distance: "cm2", "" for none */
    /* Frames it looks at by default, and at least; 1 by default: single frames, no window. */
    int window, least_window;
    /* Terms whose weights can be chosen: "root", "angles", "velocities". */
    int attribute_count;
    const char *attributes[MAREY_MOST_ATTRIBUTES];
    /* Distances are squares of lengths: their roots add up. */
    bool squared;
    /* What lies above a bound can be left out without being computed. */
    bool can_bound;
    /* A distance depends on the whole grid; marey_distance gives NaN. */
    bool whole_grid;
    /* The position error D_p, by which the other metrics are judged. */
    bool is_judge;
    /* marey_metric_option. */
    unsigned options;
    marey_metric_thresholds thresholds;
} marey_metric;

/* Row `index` of the table: points (the default), angles, positions, curvature, and transition (the
   position error as a metric of its own); NULL past the last. Lives forever. */
MAREY_API const marey_metric *marey_metric_find(int index);

/* The row of that name, or NULL. Lives forever. */
MAREY_API const marey_metric *marey_metric_named(const char *name);

/* ---- own metrics ----------------------------------------------------------------------------- */

enum { MAREY_MOST_COLUMNS = 4096 };

/* A metric of the caller's own, which is in no table: a row of numbers for each frame. The distance
   of two frames is the sum over the window's frames, by their shares, of the weighted squared
   differences of their rows. It is borrowed by all that is made with it: by layouts, features,
   registrations and graphs until they are freed. */
typedef struct marey_own_metric {
    /* What later stages see of it. Required: name and unit. window and least_window may be 0 for 1;
       unlike others it may have a window where that is 1. `squared` is for distances in "cm2". Where
       a stage has no threshold here the caller gives one. No attributes, no options, and neither
       can_bound, whole_grid nor is_judge. */
    marey_metric metric;
    /* Numbers of a row, 1 .. MAREY_MOST_COLUMNS. */
    int columns;
    /* How much each counts, 0 .. 1e12, not all 0; NULL: 1 each. */
    const double *weights;
    /* Writes the rows of all frames of a clip, marey_clip_frames x columns numbers. Asked once when
       features are made, from the thread that makes them, with the clip that is then compared: it may
       be a part of one that is in a file, without its marked frames, or at another rate. The same
       clip must give the same numbers. An error that it returns is handed on with its message. */
    marey_status (*rows)(void *user, const marey_clip *clip, float *out, marey_error *error);
    void *user;
} marey_own_metric;

/* Whether an own metric is one.
   Errors: REQUEST: what is wrong with it. */
MAREY_API marey_status marey_own_metric_check(const marey_own_metric *own, marey_error *error);

/* ---- a metric and its settings --------------------------------------------------------------- */

/* A metric and its settings: leave a field zero for its default. */
typedef struct marey_metric_def {
    /* Default: points, or that of `own`. */
    const marey_metric *metric;
    /* Instead of a row of the table; `metric` is then NULL or &own->metric. Joints, their weights
       and common_size do not change what it says. */
    const marey_own_metric *own;
    /* Default: equal. */
    const marey_joint_weights *joints;
    /* Frames, 1 .. 31; if even, one more follow than go before. Default: the metric's own, and no
       other if that is 1. curvature: the mask's length, at least 2. */
    int window;
    /* The layout's rate is at most this; default: the clips' rates alone decide. */
    double fps;
    /* points: prepare to find minima below a bound without computing what lies above it, for 3 %
       more memory and some time at the start. */
    bool bounded;
    /* Clips with the same joints are brought to a common scale too, as those of different joints
       always are: a child's kick is a kick. Default: as they are. */
    bool common_size;
    /* Frames of the window count less towards its ends; default: alike. */
    bool tapered;
    /* The weights of the terms, >= 0, not all 0, if given; default: every term counts 1. */
    bool attributes_given;
    double attributes[MAREY_MOST_ATTRIBUTES];
    /* angles: the root's position and orientation in the world instead of its velocity. */
    bool fixed_root;
    /* curvature: share of pairs kept by D_rp, (0, 1]; default 0.2. */
    double candidates;
    /* curvature: width (sigma) of the Gaussian; default 0.05 s. */
    double smooth_s;
    /* curvature: correlation, not covariance. */
    bool normalised;
} marey_metric_def;

/* ---- layout: what the clips have in common --------------------------------------------------- */

/* Which joints of the clips are compared, how much each counts, at what scale and rate, and for
   `positions` by what each term is divided. */
typedef struct marey_layout marey_layout;

/* Makes a layout for clips that will be compared with each other. If all have the same joints
   (names, parents, order) every joint is compared as it is, whatever the proportions (but see
   common_size); otherwise the roles that all of them have, at a common scale (the length of the
   legs, or the height), and marey_layout_by_roles returns true. The rate is the lowest of the
   clips'. The terms of `positions` are divided by the largest step between neighbouring unmarked
   frames in all of `clips`: give the whole library to get the library's. The root is the joint in
   the role of the hips, or else the first.
   Errors: REQUEST: an invalid definition; no clip; no joint has a weight. SHAPE: no common roles.
     INPUT: as for marey_features_build. MEMORY, CANCELLED.
   Ownership: free with marey_layout_free. The clips need not outlive it. */
MAREY_API marey_status marey_layout_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                          const marey_metric_def *def, marey_layout **out,
                                          marey_error *error);

/* Makes a layout for bodies that will be laid on each other, as cuts, loops, registrations and
   graphs do. A root that the body leaves behind is then no joint, even where every joint counts: it
   may be metres away, and its position says nothing about the pose.
   Errors, Ownership: as marey_layout_build. */
MAREY_API marey_status marey_layout_build_bodies(marey_ctx *ctx, const marey_clip *const *clips,
                                                 int count, const marey_metric_def *def,
                                                 marey_layout **out, marey_error *error);

/* Frees a layout. Features made with it must go first. */
MAREY_API void marey_layout_free(marey_layout *layout);

/* Whether roles are compared, not joints. */
MAREY_API bool marey_layout_by_roles(const marey_layout *layout);

/* The rate at which frames are compared. */
MAREY_API double marey_layout_fps(const marey_layout *layout);

/* Frames of the window. */
MAREY_API int marey_layout_window(const marey_layout *layout);

/* The settings, with every default filled in. Borrowed until free. */
MAREY_API const marey_metric_def *marey_layout_def(const marey_layout *layout);

/* How many joints are compared. */
MAREY_API int marey_layout_joints(const marey_layout *layout);

/* The name of a compared joint, or its role's. Borrowed until free. */
MAREY_API const char *marey_layout_joint(const marey_layout *layout, int index);

/* The weight of a compared joint; all sum to one. */
MAREY_API double marey_layout_weight(const marey_layout *layout, int index);

/* ---- features: rows of numbers --------------------------------------------------------------- */

/* The frames of one clip as numbers, at the layout's rate. Keeps the clip's positions in double
   beside the floats that the grid works on. */
typedef struct marey_features marey_features;

/* Makes the features of a clip. A clip of a higher rate is sampled at the layout's: every so many
   frames if that is a whole number, else between frames, where the rows of an own metric are mixed
   of those of the two frames beside it. Marked frames keep their rows, so that the
   grid stays frames by frames, but such a row holds the pose of the nearest captured frame, and
   similar pairs leave it out.
   Errors: SHAPE: the clip does not fit the layout. INPUT: a joint is not within 1e9 cm of the
     origin, or its position is no finite number; so is a number of an own metric, or times the root
     of its weight it is beyond 1e15. MEMORY, and what an own metric returns.
   Ownership: free with marey_features_free, before the layout. The clip need not outlive it.
   Cost: about (joints + 10) * 40 bytes a frame. */
MAREY_API marey_status marey_features_build(const marey_layout *layout, const marey_clip *clip,
                                            marey_features **out, marey_error *error);

/* Frees features. */
MAREY_API void marey_features_free(marey_features *features);

/* How many rows there are: frames at the layout's rate. */
MAREY_API int marey_features_rows(const marey_features *features);

/* The layout they were made with. */
MAREY_API const marey_layout *marey_features_layout(const marey_features *features);

/* The frame of the clip that a row stands for. */
MAREY_API int marey_features_frame(const marey_features *features, int row);

/* The row nearest to a frame of the clip. */
MAREY_API int marey_features_row(const marey_features *features, int frame);

#ifdef __cplusplus
}
#endif
#endif
