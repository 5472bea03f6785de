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

typedef struct mry_body_frames {
    bool has[MAREY_ROLE_COUNT]; /* the role has a joint, and its axes can be told */
    mry_rot offset
        [MAREY_ROLE_COUNT]; /* a joint's rotation in the world is that of its axes, then this */
    double leg_cm;          /* hip to ankle along the bones, mean of both; 0: no whole leg */
} mry_body_frames;

/* The role that a role's bone points to; -1: none. */
int mry_next_role(marey_role role);

/* Of a clip, over its captured frames. False: no memory. */
bool mry_body_frames_find(const marey_clip *clip, mry_body_frames *out);

/* World rotations (4 floats each) and places (3 doubles each) of all joints in a frame. */
void mry_body_pose(const marey_clip *clip, int frame, float *turns, double *places);

/* The mean of many orientations, signs apart: sums of MRY_MEAN_SUMS numbers. */
enum { MRY_MEAN_SUMS = 16 };
void mry_mean_begin(double *sums);
void mry_mean_add(double *sums, const float *turn);
mry_rot mry_mean_end(const double *sums);

#endif
