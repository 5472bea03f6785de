/* body_map.h - bodies with the roles that a map gives them. Read by retarget. */
#ifndef MRY_BODY_MAP_H
#define MRY_BODY_MAP_H

#include <marey/retarget.h>

/* Copies of both clips whose joints have the map's roles, and no others. Errors: REQUEST: a joint that
   is not there, or twice; a role twice. MEMORY. */
marey_status mry_give_roles(const marey_clip *clip, const marey_clip *onto,
                            const marey_body_map *map, marey_clip **source, marey_clip **target,
                            marey_error *error);

#endif
