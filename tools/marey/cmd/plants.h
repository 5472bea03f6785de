/* plants.h - the foot plants of a clip on the command line: those that its library keeps, or those that are found.
   Read after input.h; render and the commands that make clips use it. */
#ifndef MAREY_TOOL_PLANTS_H
#define MAREY_TOOL_PLANTS_H

#include "foot_plants.h"
#include "input.h"
#include "json.h"

/* Frames are those of the clip in hand: a range of an address counts from its own first frame. */
typedef struct plants {
    app_scope scope;
    marey_contact *items; /* by joint, then start */
    int count;
    bool stored; /* the library's; else found in the motion */
} plants;

/* What the library keeps for the clip, cut to the frames that `source` says; where it keeps none, or the clip is
   a file, or `find` is set, what is found in `clip`. After MAREY_OK plants_free must follow. */
marey_status plants_get(input *from, const input_source *source, const marey_clip *clip, bool find,
                        plants *out, marey_error *error);

void plants_free(plants *all); /* {0} is allowed */

#endif
