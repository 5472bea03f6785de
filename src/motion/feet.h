/* feet.h - where the heels, toes and hands of a clip are in every frame, and which frames count.
   Read by contacts and quality. */
#ifndef MRY_FEET_H
#define MRY_FEET_H

#include "motion/clip_data.h"

/* The points of the feet come first, heel and toe of the left one, then of the right one. */
enum { MRY_FOOT_POINTS = MAREY_CONTACT_LEFT_HAND, MRY_POINTS = MAREY_CONTACT_JOINT_COUNT };

typedef struct mry_feet {
    int frames;
    bool has_hips;
    bool has[MRY_POINTS];   /* by marey_contact_joint */
    double *at[MRY_POINTS]; /* frames x 3, cm; NULL where the skeleton has no such point */
    double *hips_cm;        /* height of the hips in every frame, if has_hips */
    uint8_t *marked;        /* a byte a frame */
} mry_feet;

/* The toe of a skeleton without toe joints is the tip of the ankle's bone, if it has one: its first
   child, else its End Site. false: out of memory. */
bool mry_feet_build(mry_arena *mem, const marey_clip *clip, mry_feet *out);

/* A byte a frame, 1 where it is marked as no captured motion; NULL: out of memory. */
uint8_t *mry_clip_marked(mry_arena *mem, const marey_clip *clip);

/* Either point of a foot, given the other; -1: a hand has no other. */
static inline int mry_foot_other_point(int point)
{
    return point < MRY_FOOT_POINTS ? point ^ 1 : -1;
}

/* Of the points of feet only. */
static inline int mry_foot_side(int point)
{
    return point >> 1;
}

static inline bool mry_foot_is_toe(int point)
{
    return point < MRY_FOOT_POINTS && (point & 1);
}

static inline double mry_foot_height(const mry_feet *feet, int point, int frame)
{
    return feet->at[point][3 * (size_t)frame + 1];
}

#endif
