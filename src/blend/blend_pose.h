/* blend_pose.h - one frame of a motion as it is moved and mixed: taken from between two frames,
   with the pelvis in the world. Read by blend_frames, seam, stitch, loop and refit. */
#ifndef MRY_BLEND_POSE_H
#define MRY_BLEND_POSE_H

#include "math/floor.h"
#include "math/turn.h"
#include "motion/carrier.h"
#include "motion/clip_data.h"

/* first turn, then shift */
typedef struct mry_rigid {
    mry_rot turn;
    mry_vec shift;
} mry_rigid;

/* The skeleton that frames are made for. A pose is its joints' turns (4 floats each) and its
   movers' places (3 doubles each), as in a clip's tracks. */
typedef struct mry_trunk {
    const marey_clip *clip;
    int pelvis;
    /* Some skeletons hang from a point on the floor that never moves. Moving it would take it
       metres away from one frame to the next, and programs that read the file would show that: it
       stays, and the pelvis below it moves. */
    bool still_root;
    mry_rigid root; /* where it stays */
    mry_carrier carrier;
} mry_trunk;

/* Where a joint is from its parent in a frame; one that stands still is at its bone's end. */
static inline const double *mry_joint_place(const marey_clip *clip, int joint, int frame)
{
    int slot = clip->slot[joint];
    return slot >= 0 ? mry_place(clip, frame) + 3 * slot : clip->joints[joint].offset_cm;
}

/* The marks of frames [start, end) of a clip, for those of `made` from `first` on. false: out of
   memory. */
bool mry_marks_carry(const marey_clip *clip, int start, int end, int first, marey_clip *made);

/* For poses of `clips`, whose joints are those of the first; and for those of one of which it is
   known what carries the body. */
mry_trunk mry_trunk_find(const marey_clip *const *clips, int count);
mry_trunk mry_trunk_of(const marey_clip *clip, const mry_carrier *carrier);

/* Frames of the clip to a row at a rate; nearly whole numbers are whole, as for features. */
double mry_frames_per_row(const marey_clip *clip, double rows_per_s);

/* A frame between frames, held to the clip; nearly whole numbers are whole, so that those frames
   come out as they are. */
void mry_pose_sample(const mry_trunk *body, const marey_clip *clip, double frame, double *places,
                     float *turns);

/* The same for some joints only: of the others, `turns` stays as it was. NULL: the first
   `count`. */
void mry_pose_sample_some(const mry_trunk *body, const marey_clip *clip, double frame,
                          const int *joints, int count, double *places, float *turns);

mry_rigid mry_pose_pelvis(const mry_trunk *body, const double *places, const float *turns);

/* Puts the pelvis somewhere in the world; the root follows, unless it stays. */
void mry_pose_set_pelvis(const mry_trunk *body, mry_rigid pelvis, double *places, float *turns);

/* Moves a pose as a whole, or as a whole on the floor. */
void mry_pose_carry(const mry_trunk *body, mry_rigid move, double *places, float *turns);
void mry_pose_move(const mry_trunk *body, mry_floor move, double *places, float *turns);

mry_rigid mry_rigid_on_floor(mry_floor move);
mry_rigid mry_rigid_times(mry_rigid a, mry_rigid b); /* first b, then a */
mry_rigid mry_rigid_back(mry_rigid a);

#endif
