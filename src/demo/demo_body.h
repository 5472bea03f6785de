/* demo_body.h - the demo's body: a skeleton, a pose said the way an animator thinks of one (where
   the hips are, where the feet stand, where the hands are), and the way from there to joint
   rotations. Actions fill poses. */
#ifndef MRY_DEMO_BODY_H
#define MRY_DEMO_BODY_H

#include "math/turn.h"
#include "motion/clip_data.h"

enum { MRY_LEFT, MRY_RIGHT };

/* Of x, on that side of the body. */
static inline double mry_side_sign(int side)
{
    return side == MRY_LEFT ? 1 : -1;
}

/* Lengths in centimetres. */
typedef struct mry_body {
    double size; /* 1: 172 cm tall */
    double hip_x, hip_drop, thigh, shin, ankle_high, foot_long, ball_high;
    double hips_high; /* of the hips joint when standing */
    double waist, chest, neck_base, neck, head;
    double collar_x, collar_y, shoulder_x, upper_arm, forearm, hand;
    double stance; /* half the distance between the ankles */
} mry_body;

mry_body mry_body_make(double size);

/* x is to the left, y up, z forward. */
typedef struct mry_pose {
    mry_vec hips;
    mry_rot hips_turn;
    double spine[3],
        head[3]; /* lean forward, turn, lean to the side: radians, spread over the joints */
    mry_vec ankle[2];
    mry_rot foot[2];     /* of the whole foot; the identity stands flat, facing z */
    double toes[2];      /* bent up, radians */
    mry_vec knee_out[2]; /* which way the knees point, in the hips' axes */
    mry_vec wrist[2];    /* from the shoulder, in the chest's axes */
    mry_vec elbow_out[2];
    mry_vec wrist_at[2];   /* a place in space to reach for instead ... */
    double wrist_share[2]; /* ... to this share */
    bool heel_down[2], toe_down[2];
    bool hand_down[2]; /* that place is on the floor */
    /* 1 on the floor, less in the air, smoothly: how much the hips must stay within its reach. */
    double carries[2];
} mry_pose;

/* Standing at ease at the origin. */
void mry_pose_stand(const mry_body *body, mry_pose *pose);

/* The arm hanging and swung forward by `swing` radians, `bend` of its length shorter, `out` to the
   side. */
void mry_pose_arm(const mry_body *body, mry_pose *pose, int side, double swing, double bend,
                  double out);

/* Turns an elbow from where it points to this share towards `out`. Actions go from 0 to 1 and back:
   an elbow that points elsewhere all at once jumps, however still shoulder and hand are. */
void mry_pose_elbow(mry_pose *pose, int side, mry_vec out, double share);

/* Lowers the hips until both planted feet can be reached. Smooth: nothing snaps when a leg gets
   straight. */
void mry_pose_reach_floor(const mry_body *body, mry_pose *pose);

/* Where the ball of a foot is. */
mry_vec mry_pose_ball(const mry_body *body, const mry_pose *pose, int side);

/* Where a shoulder is. */
mry_vec mry_pose_shoulder(const mry_body *body, const mry_pose *pose, int side);

/* A foot that lifts off, moves and comes down again. */
typedef struct mry_footstep {
    mry_vec from, to; /* of the ankle when the foot stands flat */
    double from_yaw, to_yaw;
    double off, on;            /* when the ball leaves the floor, when the ankle arrives */
    double roll_s, settle_s;   /* heel up before `off`; toes down after `on` */
    double roll_rad, land_rad; /* how far the heel is up at `off`; how far the toes are at `on` */
    double lift;               /* height of the arc, cm */
} mry_footstep;

/* Fills ankle, foot, toes and what is planted for one side. Before roll and after settling the foot
   stands flat. */
void mry_footstep_pose(const mry_body *body, const mry_footstep *step, double t, int side,
                       mry_pose *pose);

/* A clip with the demo's skeleton and room for `frames` frames; NULL when out of memory. */
marey_clip *mry_body_clip(marey_ctx *ctx, const mry_body *body, const char *name, int frames,
                          double fps);

/* Solves the limbs and writes one frame of the clip's tracks; hand_stands: left and right, a hand
   that goes to the floor has arrived there. */
void mry_body_write(const mry_body *body, const mry_pose *pose, marey_clip *clip, int frame,
                    bool hand_stands[2]);

#endif
