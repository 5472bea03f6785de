/* carrier.h - the joint that carries the body: its place is where the body is, and it is what is
   moved when the body is. Read by every stage that takes a place, a path or a speed of a body, or
   puts one somewhere.

   It is the root, unless that is a point of the floor from which the body walks away. Then it is
   the pelvis, which must be the root's child and have places of its own; the root stays where it
   is, and is no part of the body. */
#ifndef MRY_CARRIER_H
#define MRY_CARRIER_H

#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"

typedef struct mry_carrier {
    int joint; /* 0: the root, and nothing else is said here */
    /* where the root stays */
    double place[3];
    float turn[4];
} mry_carrier;

/* Of clips with the joints of the first. The pelvis carries the body if the root stays in each of
   them, be it at different places; or in one of them while the pelvis leaves it. A clip whose root
   goes along under the body does not go with such a one otherwise. */
mry_carrier mry_carrier_find(const marey_clip *const *clips, int count);

/* The root is in the same place, and turned alike, in every captured frame. */
bool mry_root_stays(const marey_clip *clip);

/* What is said of the carrier below the root as it is in the world, and back. Of a root nothing
   changes. `turn` may be NULL. */
void mry_carrier_out(const mry_carrier *carrier, double *place, float *turn);
void mry_carrier_in(const mry_carrier *carrier, double *place, float *turn);

/* Brings a root that is elsewhere to where it stays; the body is where it was. A pose whose root is
   there keeps its bytes. places, turns: as in the tracks of `clip`. */
void mry_carrier_hold(const mry_carrier *carrier, const marey_clip *clip, double *places,
                      float *turns);

/* The first joint of the body. A root that stays is not part of the body. */
static inline int mry_carrier_first(const mry_carrier *carrier)
{
    return carrier->joint > 0 ? 1 : 0;
}

/* Where the carrier is in the world, in a frame whose root is where it stays. */
static inline mry_vec mry_carrier_at(const mry_carrier *carrier, const marey_clip *clip, int frame)
{
    const double *p = mry_place(clip, frame);
    double at[3];
    if (carrier->joint == 0) return (mry_vec){ p[0], p[1], p[2] };
    mry_quat_rotate_double(carrier->turn, p + 3 * clip->slot[carrier->joint], at);
    return (mry_vec){ at[0] + carrier->place[0], at[1] + carrier->place[1],
                      at[2] + carrier->place[2] };
}

#endif
