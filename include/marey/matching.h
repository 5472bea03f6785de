/* matching.h - motion matching: a character that is steered by finding, ten times a second, the
   pose of all clips whose feet and hips go on from where the body is and whose next second leads
   where the input does. It needs no policy and no transitions. Read after control.h, whose
   interface it shares: the same inputs, steps, frames and scores. */
#ifndef MAREY_MATCHING_H
#define MAREY_MATCHING_H

#include <marey/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What chooses the next move. Rows of a table: --controller, menus and tests read it. */
typedef enum marey_controller_kind {
    MAREY_CONTROLLER_GRAPH,    /* a trained policy */
    MAREY_CONTROLLER_MATCHING, /* a search */
    MAREY_CONTROLLER_KIND_COUNT
} marey_controller_kind;

/* A kind's name, "graph". Lives forever. */
MAREY_API const char *marey_controller_kind_name(marey_controller_kind kind);

/* What it is, in one line. Lives forever. */
MAREY_API const char *marey_controller_kind_about(marey_controller_kind kind);

/* What poses are compared by, seen from where the body is and faces. */
typedef enum marey_matching_feature {
    MAREY_MATCHING_FEET,       /* where both ankles are */
    MAREY_MATCHING_FEET_SPEED, /* their velocities */
    MAREY_MATCHING_HIPS_SPEED, /* the velocity of the hips */
    MAREY_MATCHING_PATH,       /* where the body will be in 1/3, 2/3 and 1 s */
    MAREY_MATCHING_FACING,     /* where it will face then */
    MAREY_MATCHING_FEATURE_COUNT
} marey_matching_feature;

/* A feature's name, "feet". Lives forever. */
MAREY_API const char *marey_matching_feature_name(marey_matching_feature feature);

/* How poses are matched: leave a field zero for its default. */
typedef struct marey_matching_def {
    /* What each feature counts for, after division by its spread over all poses, at most 100;
       negative: nothing. Defaults: marey_matching_settings. */
    double weight[MAREY_MATCHING_FEATURE_COUNT];
    /* Seconds between two searches, up to 1; default 0.1. Where the input changes by more than 10
       degrees or 20 cm/s there is one at once. */
    double search_s;
    /* 0 .. 1: a pose must be closer than going on by this share, and a little, to be jumped to; default 0.05;
       negative: 0. */
    double margin;
    /* Half-life with which the wanted path bends from how the body moves to the input, 0.01 .. 2;
       default 0.06. */
    double bend_s;
    /* Half-life of the difference at a jump, 0.01 .. 1; default 0.12. */
    double fade_s;
} marey_matching_def;

/* The poses of a graph's clips, ready to be searched. Never changes once made; any thread may read
   it. */
typedef struct marey_matching marey_matching;

/* Makes a matching of the captured frames of a graph; its transitions are not used. Poses that are
   followed by less than a second of their sequence are played, but not jumped to. Feet that a
   skeleton does not have count for nothing. `def` may be NULL.
   Errors: REQUEST: an invalid definition; no sequence lasts longer than a second. MEMORY,
     CANCELLED.
   Ownership: free with marey_matching_free. The graph must live as long.
   Cost: poses * log(poses): 0.2 s for 36,000. */
MAREY_API marey_status marey_matching_build(marey_ctx *ctx, const marey_graph *graph,
                                            const marey_matching_def *def, marey_matching **out,
                                            marey_error *error);

/* Frees a matching. */
MAREY_API void marey_matching_free(marey_matching *matching);

/* The settings, with every default filled in. Borrowed until free. */
MAREY_API const marey_matching_def *marey_matching_settings(const marey_matching *matching);

/* Poses that can be jumped to. */
MAREY_API int marey_matching_poses(const marey_matching *matching);

/* Bytes in memory, without the graph. */
MAREY_API size_t marey_matching_bytes(const marey_matching *matching);

/* Speeds that its motions have, cm/s, rising from 0, as a policy's default. Borrowed until free. */
MAREY_API const double *marey_matching_speeds(const marey_matching *matching, int *count);

/* Opens a controller that matches. Steps, frames, scores and marey_controller_free are those of
   graph.h; the node to start with may be any captured frame.
   Errors: REQUEST: no such node to start with; a start position that is not finite. MEMORY.
   Ownership: free with marey_controller_free. The matching and its graph must live as long. */
MAREY_API marey_status marey_controller_open_matching(marey_ctx *ctx,
                                                      const marey_matching *matching,
                                                      const marey_controller_def *def,
                                                      marey_controller **out, marey_error *error);

/* What the searches of a controller cost so far; zeros if it follows a policy. */
typedef struct marey_controller_searches {
    int count;
    /* Poses whose features were compared with the wanted ones, of all there are: mean and most. */
    double compared;
    int most_compared;
} marey_controller_searches;

MAREY_API marey_controller_searches marey_controller_searched(const marey_controller *controller);

/* Makes a clip of what a matching controller showed, as marey_walk_make does of a walk through the
   graph: differences at jumps spread over both sides, planted feet held. The walk has the nodes of
   its frames, `places` how each was laid (marey_controller_place). `about` may be NULL.
   Errors: REQUEST: a node that is no captured frame, or has none before it to be matched; as
     marey_walk_make. LIMIT, MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_matching_make(marey_ctx *ctx, const marey_matching *matching,
                                           const marey_walk *walk, const marey_placement *places,
                                           const marey_walk_make_def *def, marey_made *out,
                                           marey_walk_made *about, marey_error *error);

#ifdef __cplusplus
}
#endif

#endif
