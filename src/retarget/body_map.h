/* body_map.h - roles of joints that two bodies have in common, and bodies with those that a map gives
   them. Read by retarget. */
#ifndef MRY_BODY_MAP_H
#define MRY_BODY_MAP_H

#include "base/arena.h"

#include <marey/retarget.h>

/* Of every joint the role that it or the nearest joint above has, -1: none; NULL: out of memory. */
int *mry_roles_above(const marey_skeleton *skeleton, mry_arena *mem);

/* Copies of both clips whose joints have the map's roles, and no others. Errors: REQUEST: a joint that
   is not there, or twice; a role twice. MEMORY. */
marey_status mry_give_roles(const marey_clip *clip, const marey_clip *onto,
                            const marey_body_map *map, marey_clip **source, marey_clip **target,
                            marey_error *error);

#endif
