/* body.h - a body for a skeleton: round cones around its bones, as strips and videos draw them.
   Read after motion.h. A skeleton whose roles are known becomes a person with volumes by the
   proportions of an adult; any other becomes sticks along its own tree. */
#ifndef MRY_BODY_H
#define MRY_BODY_H

#include "base/arena.h"

#include <marey/motion.h>

/* What is drawn in one piece and one colour. */
typedef enum mry_group {
    MRY_GROUP_TRUNK, /* and everything that has no side */
    MRY_GROUP_HEAD,
    MRY_GROUP_LEFT_ARM,
    MRY_GROUP_RIGHT_ARM,
    MRY_GROUP_LEFT_LEG,
    MRY_GROUP_RIGHT_LEG,
    MRY_GROUP_COUNT
} mry_group;

/* The hull of two balls. */
typedef struct mry_part {
    double a[3], b[3];
    double radius_a, radius_b;
    mry_group group;
    bool nose; /* shows where the head looks, from a to b */
} mry_part;

typedef struct mry_body {
    const marey_skeleton *skeleton;
    bool volumes;     /* a person; otherwise sticks */
    double height_cm; /* of the standing person, or the size of what is there; > 0 */
    int most_parts;   /* room that mry_body_parts needs */
    uint8_t *groups;  /* of each joint, for sticks */
    /* Joint that the left and right hand reach to, -1: none; the wrist: its End Site. */
    int hands[2];
    double face[3];     /* where the head looks, in the head's own axes */
    bool face_by_chest; /* the head's axes do not tell */
    float *turns;       /* room for one frame's global rotations */
} mry_body;

/* `like` is a frame with a sound pose. False when out of memory. */
bool mry_body_find(mry_body *body, mry_arena *mem, const marey_clip *clip, int like);

/* The parts of one pose: global positions (3 doubles a joint) and local rotations (4 floats a
   joint). Returns how many. Uses body->turns, so each thread needs a body of its own
   (mry_body_copy). */
int mry_body_parts(const mry_body *body, const double *positions, const float *turns,
                   mry_part *parts);
bool mry_body_copy(const mry_body *body, mry_arena *mem, mry_body *out);

/* Fills body->turns with the global rotations of a pose. */
void mry_body_chain(const mry_body *body, const float *turns);

/* Where the chest faces in a pose, unit length. Needs volumes. */
void mry_body_facing(const mry_body *body, const double *positions, double *out);

#endif
