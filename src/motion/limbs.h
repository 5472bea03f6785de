/* limbs.h - forward kinematics of a few joints, for those who need no more.
   Read by steps of the import that look at many frames. */
#ifndef MRY_LIMBS_H
#define MRY_LIMBS_H

#include "motion/clip_data.h"

/* Some joints and all their ancestors. */
typedef struct mry_limbs {
    int count;
    int *joint;   /* rising */
    int *above;   /* place of the parent in joint[]; -1 for the root */
    bool *turns;  /* something in joint[] hangs on it */
    int *index;   /* of every joint of the skeleton in joint[]; -1: not in it */
    float *world; /* count x 4, rotations in the frame posed last */
    double *at;   /* count x 3, positions in it */
} mry_limbs;

/* The joints of some roles; a role that is missing is left out. false: out of memory. */
bool mry_limbs_build(mry_arena *mem, const marey_clip *clip, const marey_role *roles, int count,
                     mry_limbs *out);

/* Fills at[] for one frame. */
void mry_limbs_pose(const marey_clip *clip, mry_limbs *set, int frame);

#endif
