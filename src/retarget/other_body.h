/* other_body.h - what one body's motion on another is made with. Read by retarget. */
#ifndef MRY_OTHER_BODY_H
#define MRY_OTHER_BODY_H

#include "retarget/body_frames.h"

#include <marey/retarget.h>

/* What turns a joint of the target. */
typedef struct mry_drive {
    int role;     /* -1: none */
    int from;     /* the joint of the source; -1: none */
    bool local;   /* its local rotation is copied */
    mry_rot q;    /* from the source's axes to its own */
    int to;       /* the source's joint that its bone points to; -1: its bone is not aimed */
    mry_vec bone; /* where it points, in its own axes */
    /* Between two roles of the trunk: those joints of the target, how it is turned below the first on
       average, and which share of the way it is; first -1: it is not between any. */
    int first, second;
    mry_rot below, second_below;
    double share;
} mry_drive;

typedef struct mry_limb {
    bool whole;
    int from[3], to[3]; /* joints of the source and of the target */
    double upper, lower;
    int toe;      /* of the source; -1: none in both */
    mry_vec foot; /* to the toe, in the axes of the target's ankle */
} mry_limb;

typedef struct mry_retargeting {
    const marey_clip *clip, *onto;
    const marey_retarget_def *def;
    mry_arena *tmp;
    mry_common common;
    mry_body_frames source, target;
    mry_drive *drives; /* of each joint of the target */
    mry_limb limbs[MRY_LIMBS];
    mry_rot *means;            /* local rotations of the target */
    double *mean_at;           /* movers x 3 */
    int mover;                 /* the joint that is moved */
    double ratio, lift, along; /* of heights, and of ways along the floor */
    float *turns;              /* of the source, in the world */
    double *places;
    mry_rot *world; /* of the target */
    mry_vec *at;
    bool bends; /* there are joints between the ends of a bone that is aimed */
    int straight_frames;
} mry_retargeting;

static inline mry_vec mry_vec_of(const double *p)
{
    return (mry_vec){ p[0], p[1], p[2] };
}

/* What turns each joint of the target, once `source`, `target` and `common` are known; false: no
   memory. */
bool mry_retarget_plan(mry_retargeting *r, const marey_body_map *map);

#endif
