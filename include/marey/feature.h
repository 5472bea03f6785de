/* feature.h - what is compared when two frames are: the table of metrics, the sets of joint weights, and the rows of
   numbers that stand for the frames of a clip.
   Read after io.h; grid.h measures pairs of frames with what this makes. */
#ifndef MAREY_FEATURE_H
#define MAREY_FEATURE_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- joint weights ---------------------------------------------------------------------------- */

/* How much each joint counts. Weights are used relative to their sum. */
typedef struct marey_joint_weights {
    const char *name; /* "equal", "lee", "wang"; "own" if parsed */
    const char *description;
    bool every_joint;               /* all joints of the skeleton alike; `roles` does not matter */
    double roles[MAREY_ROLE_COUNT]; /* otherwise: of the joint in each role, others count nothing */
} marey_joint_weights;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_joint_weights *marey_joint_weights_find(int index);

/* From a row's name, or from "hips=1,left_knee=0.5" (roles and weights >= 0, not all 0; "knee=1" means both).
   REQUEST: neither. */
MAREY_API marey_status marey_joint_weights_parse(const char *text, marey_joint_weights *out,
                                                 marey_error *error);

/* ---- metrics ---------------------------------------------------------------------------------- */

enum { MAREY_MOST_ATTRIBUTES = 4, MAREY_MOST_WINDOW = 31 };

/* Where `points` draws its lines unless the caller does, cm2. */
#define MAREY_CUT_LIMIT 30.0                /* transitions, loops: docs/results/curves.md */
#define MAREY_WEB_CEILING 1000.0            /* search: farther minima are left out of the index */
#define MAREY_FIND_THRESHOLD 64.0           /* search: a match */
#define MAREY_GRAPH_CEILING MAREY_CUT_LIMIT /* graphs: motions farther apart are not alike */
#define MAREY_GRAPH_CONNECTED_THRESHOLD 0.5 /* well-connected graphs: a transition */
#define MAREY_GRAPH_SIGMA 300.0             /* graphs: quality exp(-distance / sigma) */
#define MAREY_CLUSTER_THRESHOLD 200.0       /* cluster graphs: docs/decisions/0017-clusters.md */

/* Defaults of the stages that must draw a line, in the metric's unit; 0: no default, the caller gives one. */
typedef struct marey_metric_thresholds {
    double cut, web_ceiling, find, graph, graph_connected, graph_sigma, cluster;
} marey_metric_thresholds;

/* Fields of marey_metric_def that only some metrics read. */
typedef enum marey_metric_option {
    MAREY_METRIC_FIXED_ROOT = 1, /* fixed_root */
    MAREY_METRIC_STEPS = 2,      /* terms are divided by the largest steps of the layout's clips */
    MAREY_METRIC_CANDIDATES = 4  /* candidates, smooth_s, normalised */
} marey_metric_option;

/* A way to measure how far two frames are from each other. Rows of a table: commands, menus and tests list it, and
   nothing asks for a metric by its name. */
typedef struct marey_metric {
    const char *name;        /* "points" */
    const char *description; /* one line */
    const char *unit;        /* of a distance: "cm2", "" for none */
    /* Frames it looks at by default, and at least; 1 by default: single frames, no window. */
    int window, least_window;
    /* Terms whose weights can be chosen: "root", "angles", "velocities". */
    int attribute_count;
    const char *attributes[MAREY_MOST_ATTRIBUTES];
    bool squared;     /* distances are squares of lengths: their roots are what adds up */
    bool can_bound;   /* what lies above a bound can be left out without being computed */
    bool whole_grid;  /* a distance depends on the whole grid; marey_distance gives NaN */
    bool is_judge;    /* D_p, by which the others are judged */
    unsigned options; /* marey_metric_option */
    marey_metric_thresholds thresholds;
} marey_metric;

/* points (the default), angles, positions, curvature, and transition (the judge's D_p as a metric of its own); NULL
   past the last. */
MAREY_API const marey_metric *marey_metric_find(int index);
MAREY_API const marey_metric *marey_metric_named(const char *name); /* NULL if there is none */

typedef struct marey_metric_def {      /* leave a field zero for its default */
    const marey_metric *metric;        /* default: points */
    const marey_joint_weights *joints; /* default: equal */
    int window; /* frames, 1 .. 31; if even, one more follow than go before; default:
                                          the metric's own, and no other if that is 1. curvature: the
                                          mask's length, at least 2 */
    double fps; /* the layout's rate is at most this; default: only what the clips' rates say */
    bool
        bounded; /* points: be ready to find minima below a bound without computing what lies above it, for 3 % more
                     memory and some time at the start */
    bool common_size; /* clips with the same joints are brought to a common scale too, as those of
                         different joints always are: a child's kick is a kick; default: as they are */
    bool tapered;     /* frames of the window count less towards its ends; default: alike */
    bool attributes_given;                    /* use the next; default: every term counts 1 */
    double attributes[MAREY_MOST_ATTRIBUTES]; /* >= 0, not all 0 */
    bool fixed_root;   /* angles: the root's place and orientation in the world instead of
                                          its velocity */
    double candidates; /* curvature: share of pairs kept by D_rp, (0, 1]; default 0.2 */
    double smooth_s;   /* curvature: width (sigma) of the Gaussian; default 0.05 s */
    bool normalised;   /* curvature: correlation, not covariance */
} marey_metric_def;

/* ---- layout: what the clips have in common ---------------------------------------------------- */

/* Which joints of the clips are compared, how much each counts, at what scale and rate, and for `positions` by what each
   term is divided. */
typedef struct marey_layout marey_layout;

/* For clips that will be compared with each other. If all have the same joints (names, parents, order) every joint is
   compared as it is, whatever the proportions (but see common_size); otherwise the roles that all of them have, at a
   common scale (the length of the legs, or the height), and marey_layout_by_roles says so. The rate is the lowest of the clips'. The terms of
   `positions` are divided by the largest step between neighbouring frames in all of `clips` - give the whole
   library to get the library's. Marked frames do not count for that. The root is the joint in the role of the hips, or
   else the first. Only what it needs is copied. `def` may be NULL. On failure *out is not written.
   REQUEST: an invalid definition; no clip; no joint has a weight. SHAPE: no common roles. INPUT: as for features.
   MEMORY, CANCELLED. */
MAREY_API marey_status marey_layout_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                          const marey_metric_def *def, marey_layout **out,
                                          marey_error *error);
/* For bodies that will be laid on each other, as cuts, loops, registrations and graphs do: a root that the body leaves behind is no joint
   then, even where every joint counts. It may be metres away, and its place says nothing about the pose. */
MAREY_API marey_status marey_layout_build_bodies(marey_ctx *ctx, const marey_clip *const *clips,
                                                 int count, const marey_metric_def *def,
                                                 marey_layout **out, marey_error *error);
MAREY_API void marey_layout_free(marey_layout *layout); /* NULL is allowed */
MAREY_API bool marey_layout_by_roles(const marey_layout *layout);
MAREY_API double marey_layout_fps(const marey_layout *layout);
MAREY_API int marey_layout_window(const marey_layout *layout); /* frames */
/* With every default filled in. Borrowed until free. */
MAREY_API const marey_metric_def *marey_layout_def(const marey_layout *layout);
MAREY_API int marey_layout_joints(const marey_layout *layout); /* that are compared */
/* The name of a compared joint: the joint's, or the role's. Borrowed until free. */
MAREY_API const char *marey_layout_joint(const marey_layout *layout, int index);
MAREY_API double marey_layout_weight(const marey_layout *layout, int index); /* they sum to one */

/* ---- features: rows of numbers ---------------------------------------------------------------- */

/* The frames of one clip as numbers, at the layout's rate. Keeps the clip's positions in double beside the floats that the
   grid works on: about (joints + 10) * 40 bytes a frame. */
typedef struct marey_features marey_features;

/* A clip of a higher rate is sampled at the layout's: every so many frames if that is a whole number, else between
   frames. Marked frames keep their rows, so that the grid stays frames by frames, but such a row holds the pose of the
   nearest captured frame, and similar pairs leave it out. The layout must live as long as the features.
   SHAPE: the clip does not fit the layout. INPUT: a joint is not within 1e9 cm of the origin, or its place is no finite
   number. MEMORY. */
MAREY_API marey_status marey_features_build(const marey_layout *layout, const marey_clip *clip,
                                            marey_features **out, marey_error *error);
MAREY_API void marey_features_free(marey_features *features);      /* NULL is allowed */
MAREY_API int marey_features_rows(const marey_features *features); /* frames at the layout's rate */
MAREY_API const marey_layout *marey_features_layout(const marey_features *features);

/* The frame of the clip that a row stands for, and the row nearest to a frame. */
MAREY_API int marey_features_frame(const marey_features *features, int row);
MAREY_API int marey_features_row(const marey_features *features, int frame);

#ifdef __cplusplus
}
#endif
#endif
