/* body_frames.h - how the parts of a body are turned, told by where its joints are. Read by retarget.

   Skeletons turn their joints about axes of their own: of one the bones lie along x at rest, another
   stands in a T-pose, a third hangs its arms. What they have in common is where a knee is between hip
   and ankle. So every role gets axes from places alone, the same way in every body: along the bone,
   and about which it bends. What is constant between these axes and a joint's own (its `offset`) is
   found from the motion, or from the rest pose where there is no other. */
#ifndef MRY_BODY_FRAMES_H
#define MRY_BODY_FRAMES_H

#include "math/turn.h"
#include "motion/clip_data.h"

/* Limbs, each three roles in a row: shoulder, elbow, wrist, and hip, knee, ankle. */
enum { MRY_LIMBS = 4, MRY_FIRST_LEG = 2 };
extern const marey_role mry_limb_roles[MRY_LIMBS];

/* What two bodies have in common: only that is looked at, or the axes of one would mean something else
   than those of the other. */
typedef struct mry_common {
    bool role[MAREY_ROLE_COUNT];
    bool bone[MAREY_ROLE_COUNT]; /* from a role to the next there is some way in both */
} mry_common;

typedef struct mry_body_frames {
    bool has[MAREY_ROLE_COUNT]; /* both bodies have the role, and its axes can be told */
    mry_rot offset
        [MAREY_ROLE_COUNT];    /* a joint's rotation in the world is that of its axes, then this */
    double limb_cm[MRY_LIMBS]; /* along the bones; 0: not whole */
    double leg_cm;             /* mean of both; 0: no whole leg */
    double stands_cm;          /* how high ankles are over the floor when feet stand on it */
    double foot_cm;            /* ankle to toe, mean of both; 0: toes are not in both bodies */
    double drop_cm;            /* how much lower toes are than ankles then */
    bool rests;                /* its rest pose stands upright .. */
    mry_rot chest_at_rest;     /* .. and that is the chest's offset there */
    bool steep;                /* so much that toes do not tell where feet point */
} mry_body_frames;

mry_common mry_find_common(const marey_clip *a, const marey_clip *b);
void mry_forget_toes(mry_common *common); /* feet follow shins */

/* Of a clip, over its captured frames, with its plants. False: no memory. */
bool mry_body_frames_find(const marey_clip *clip, const marey_contact *plants, int count,
                          const mry_common *common, mry_body_frames *out);

/* Neck and head of bodies that both stand upright at rest are meant to be alike there, however their
   clips hunch; so is a chest whose direction places do not tell. */
void mry_meet_at_rest(const mry_common *common, mry_body_frames *a, mry_body_frames *b);

/* World rotations (4 floats each) and places (3 doubles each) of all joints in a frame. */
void mry_body_pose(const marey_clip *clip, int frame, float *turns, double *places);

/* The mean of many orientations, signs apart: sums of MRY_MEAN_SUMS numbers. */
enum { MRY_MEAN_SUMS = 16 };
void mry_mean_begin(double *sums);
void mry_mean_add(double *sums, const float *turn);
mry_rot mry_mean_end(const double *sums);

#endif
