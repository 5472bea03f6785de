/* scene.h - what scene files (glTF, FBX) have in common: nodes, and takes that move them. A reader
   fills a scene; of it the joints and the take are chosen here, and it becomes a clip. */
#ifndef MRY_SCENE_H
#define MRY_SCENE_H

#include "base/scan.h"
#include "io/rig.h"

#include <marey/io.h>

/* A transform in parts; `matrix` instead of them, if has_matrix. */
typedef struct mry_transform {
    double place[3], turn[4], scale[3]; /* the quaternion as (w, x, y, z) */
    bool has_matrix;
    double matrix[MRY_RIG_NUMBERS];
} mry_transform;

typedef enum mry_track_path { MRY_PLACE, MRY_TURN, MRY_SCALE, MRY_PATHS } mry_track_path;
typedef enum mry_track_way { MRY_LINEAR, MRY_STEP, MRY_CUBIC } mry_track_way;

/* The keys of one path of one node. */
typedef struct mry_track {
    int node;
    mry_track_path to;
    mry_track_way way;
    int keys;
    const float *times;  /* seconds, none before the one before it */
    const float *values; /* 3 a key, of turns 4 as (x, y, z, w); cubic: tangent, value, tangent */
    int at;              /* the key before the moment that was asked for last */
} mry_track;

typedef struct mry_take {
    const char *name;  /* NULL: it has none */
    double start, end; /* seconds; end < start: nothing of the skeleton moves in it */
} mry_take;

typedef struct mry_scene {
    mry_scan *scan; /* for messages */
    mry_arena *tmp; /* all arrays here */
    /* Nodes. */
    int count;
    int *parent; /* of each: -1 */
    int *order;  /* the nodes, depth-first; those in a circle are in no order */
    int order_count;
    const char **names; /* "" or NULL: none */
    bool *is_joint;     /* marked by the reader, made whole by mry_scene_choose_joints */
    mry_transform *rest;
    bool *drops_scale; /* the scale of the node above does not reach it; NULL: it reaches all */
    /* Where nodes were when a skin was put on them, in the world, and of which it is known; NULL: of
       none. */
    double *bind; /* count x MRY_RIG_NUMBERS */
    bool *has_bind;
    /* The take that was chosen: its tracks are of nodes that are posed (mry_scene_poses). */
    mry_track *tracks;
    int track_count;
    /* Made here. */
    int *rig_of; /* of each node; -1: the joints are posed without it */
    int rig_count;
} mry_scene;

/* Takes the arrays for `count` nodes. False: no memory. */
bool mry_scene_begin(mry_scene *scene, int count);

/* Of several trees the one with the most marked nodes is taken, and what lies between them is a joint,
   too; what carries the root is posed with them. Fails if none is marked. */
marey_status mry_scene_choose_joints(mry_scene *scene);

static inline bool mry_scene_poses(const mry_scene *scene, int64_t node)
{
    return node >= 0 && node < scene->count && scene->rig_of[node] >= 0;
}

/* The take that was asked for, by its name or else its number from 1; or the longest. -1: there is
   none. */
marey_status mry_scene_choose_take(const mry_scene *scene, const mry_take *takes, int count,
                                   const char *wanted, int *out);

/* The lowest common rate at which nearly all keys are on frames counted from `start`; else 60. */
double mry_scene_rate(const mry_scene *scene, double start);

/* The clip of the chosen take (-1: one frame of the rest pose), with warnings about takes. */
marey_status mry_scene_clip(mry_scene *scene, const char *name, const marey_load_def *def,
                            const mry_take *takes, int count, int take, double fps,
                            size_t file_size, marey_clip **out);

#endif
