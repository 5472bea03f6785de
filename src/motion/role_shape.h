/* role_shape.h - roles from the shape of a skeleton whose names say nothing. Read by roles.c. */
#ifndef MRY_ROLE_SHAPE_H
#define MRY_ROLE_SHAPE_H

#include "motion/clip_data.h"

/* Fills roles[] if the skeleton is built like a person: two pairs of limbs of like bones, three
   joints or more each, at different places of the trunk. *found says whether it is. Time is n log n
   in the joints. Units and up axis need not be known. False only when out of memory. */
bool mry_roles_from_shape(const marey_clip *clip, mry_arena *tmp, int *roles, bool *found);

/* The joint from which both hang, perhaps one of them; -1 if one is -1. */
int mry_common_ancestor(const marey_joint *joints, int a, int b);

#endif
