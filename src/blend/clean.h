/* clean.h - the parts of the clean-up of plants: what the legs are, where their plants go, what is
   asked of each frame, where the root goes, and how a leg is solved. Read by clean*.c and their
   tests.

   A frame asks three things of each leg: `shift`, how far its ankle goes from where it is; `tilt`,
   a turn of its foot in the world, as an axis times radians; and `grip`, 1 where a plant holds the
   foot, easing to 0 away from plants. `form` is the same, but of plants that change something:
   there the knee must bend the right way, even if it was overstretched.

   An arm whose hand is planted is held as a leg without a toe: its shoulder is the hip, its elbow
   the knee, its wrist the ankle. Its bones never get longer. */
#ifndef MRY_CLEAN_H
#define MRY_CLEAN_H

#include "math/turn.h"
#include "motion/feet.h"

#include <marey/blend.h>

/* The legs come first, then the arms. */
enum { MRY_LEGS = 2, MRY_LIMBS_HELD = 4 };

/* What is moved less than this stays as it is to the bit: rotations are floats, which moves places
   by about as much. */
#define MRY_CLEAN_STILL_CM 0.001

typedef struct mry_clean_leg {
    bool whole;   /* hip, knee and ankle are there, one below the other */
    bool has_toe; /* its toe goes where its ankle goes: toes can be held */
    int hip, knee, ankle;
    int toe; /* a joint of its own; -1: there is none */
    /* the axis that its knee bends about, in the hip's axes: the mean over the clip */
    mry_vec hinge;
    double *hip_at;                  /* frames x 3 */
    double *length;                  /* frames: thigh and shin together */
    const double *ankle_at, *toe_at; /* frames x 3; toe_at only if has_toe */
    double *shift, *tilt;            /* frames x 3 */
    double *grip, *form;             /* frames */
    int *heel_plant, *toe_plant;     /* frames: the plant that holds it, or -1 */
} mry_clean_leg;

/* A plant and its place. */
typedef struct mry_plant {
    int leg;
    bool is_toe;
    int start, end;
    mry_vec place;
} mry_plant;

typedef struct mry_clean {
    const marey_clip *clip;
    mry_feet feet;
    mry_clean_leg legs[MRY_LIMBS_HELD];
    int ease;       /* frames, at least 1 */
    double stretch; /* of legs: share, 0: none */
    bool move_root;
    int mover; /* the joint that moves the body: the root, or a pelvis below a root that never moves */
    double *root; /* frames x 3: how far the body is moved, in the world */
    int plant_count;
    mry_plant *plants; /* those that are held, legs one after the other, each by start */
} mry_clean;

static inline mry_vec mry_vec_at(const double *track, int frame)
{
    const double *p = track + 3 * (size_t)frame;
    return (mry_vec){ p[0], p[1], p[2] };
}

static inline void mry_vec_put(double *track, int frame, mry_vec v)
{
    double *p = track + 3 * (size_t)frame;
    p[0] = v.x;
    p[1] = v.y;
    p[2] = v.z;
}

static inline bool mry_clean_is_held(const mry_clean_leg *leg, int frame)
{
    return leg->heel_plant[frame] >= 0 || leg->toe_plant[frame] >= 0;
}

static inline double mry_clean_stretch(const mry_clean *c, int limb)
{
    return limb < MRY_LEGS ? c->stretch : 0;
}

/* The share of the body's shift that a limb goes along with because of what holds it or not: a free
   arm all of it, a free leg as much as hands carry the body. */
static inline double mry_clean_follow(const mry_clean *c, int limb, int frame)
{
    double free = 1;
    for (int n = MRY_LEGS; n < MRY_LIMBS_HELD && limb < MRY_LEGS; n++) {
        if (c->legs[n].whole) free *= 1 - c->legs[n].grip[frame];
    }
    return (limb < MRY_LEGS ? 1 - free : 1) * (1 - c->legs[limb].grip[frame]);
}

/* An axis times radians, as a rotation. */
static inline mry_rot mry_clean_rot(mry_vec turn)
{
    double angle = mry_vec_length(turn);
    mry_vec axis = mry_vec_unit(turn);
    return angle > 0 ? mry_rot_about(axis.x, axis.y, axis.z, angle) : (mry_rot){ 1, 0, 0, 0 };
}

static inline bool mry_vec_is_zero(mry_vec v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

/* 0 below 0, 1 above 1, and smooth in between, at most 1.5 times as steep as a line. */
static inline double mry_clean_ease(double t)
{
    if (t <= 0) return 0;
    if (t >= 1) return 1;
    return t * t * (3 - 2 * t);
}

/* ---- clean_leg.c */

/* Which joints the legs and arms are; nothing is posed yet. */
void mry_clean_find_legs(const marey_clip *clip, mry_clean_leg *legs);
/* Tracks of hips and lengths, and the knees' hinges. false: out of memory. */
bool mry_clean_pose_legs(mry_arena *tmp, mry_clean *c);
/* Every joint from below the hip down to the ankle has positions of its own to be written to. */
bool mry_clean_leg_moves(const marey_clip *clip, const mry_clean_leg *leg);
/* The joint that moves the body, or -1 if its place cannot be written. Arms that it does not move
   are not whole any more. */
int mry_clean_find_mover(const marey_clip *clip, mry_clean_leg *legs);

/* ---- filters: clean_root.c */

/* The mean over up to `half` frames on both sides, of each of `width` numbers a frame. */
void mry_clean_average(const double *values, int frames, int width, int half, double *out);
/* The largest over up to `half` frames on both sides. queue: room for as many numbers as frames. */
void mry_clean_largest(const double *values, int frames, int half, int *queue, double *out);

/* The root's way. false: out of memory. */
bool mry_clean_find_root(mry_arena *tmp, mry_clean *c);

/* ---- one leg in one frame: clean_leg.c */

typedef struct mry_leg_pose {
    mry_vec hip, knee, ankle;
} mry_leg_pose;

/* How far a leg reaches. All are shares of its length. */
typedef struct mry_leg_reach {
    double free;    /* up to here it does what is asked */
    double soft;    /* the width of what is left for the knee to straighten beyond that */
    double stretch; /* the most its bones may get longer */
    double most;    /* up to here it arrives, by getting longer */
} mry_leg_reach;

/* The knee may get as straight as MRY_KNEE_FREE, or as it is in the motion if its ankle is hardly
   moved. Near full extension a knee moves far for a little way of the ankle, so what is beyond
   comes from the root or the bones. `extension`: the way from hip to ankle in the motion; `moved`:
   how far the ankle is moved from there. */
#define MRY_KNEE_FREE 0.98
mry_leg_reach mry_leg_reach_of(double extension, double moved, double stretch);

typedef struct mry_leg_aim {
    mry_vec hip, ankle; /* where they should be */
    mry_vec hinge; /* the knee is on the side of hinge x the way from hip to ankle, in the motion */
    double form;   /* 1: the knee bends that way even if it was overstretched; 0: as it did */
    double stretch;
} mry_leg_aim;

typedef struct mry_leg_turns {
    mry_rot thigh, shin; /* in the world, before what they were */
    double longer;       /* share by which both bones get longer */
    mry_leg_pose to;     /* where the joints come to lie */
} mry_leg_turns;

/* The plane the knee bends in turns only as much as the way from hip to ankle does, and as `form`
   says. */
mry_leg_turns mry_leg_solve(const mry_leg_pose *from, const mry_leg_aim *aim);

/* The shortest turn from one direction to another. */
mry_rot mry_rot_between(mry_vec from, mry_vec goal);

/* ---- the cleaned frames, into a clip that has a copy of the motion: clean_leg.c */

typedef struct mry_clean_done {
    double root_moved_cm, stretched;
} mry_clean_done;

/* false: out of memory. */
bool mry_clean_write(mry_arena *tmp, const mry_clean *c, marey_clip *made, mry_clean_done *done);

/* A copy of the clip whose legs have position channels if `longer`. NULL: out of memory. */
marey_clip *mry_clean_copy(const mry_clean *c, bool longer);

#endif
