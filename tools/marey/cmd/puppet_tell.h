/* puppet_tell.h - what a puppet has learned, for people and programs: how far from the main character it stays, how fast it goes,
   where it looks. Read after json.h; train and show use it. */
#ifndef MAREY_TOOL_PUPPET_TELL_H
#define MAREY_TOOL_PUPPET_TELL_H

#include "json.h"

typedef struct puppet_measures {
    double seconds; /* of all runs */
    double distance_cm, distance_spread_cm, distance_least_cm, distance_most_cm;
    double main_speed_cm_s, speed_cm_s, speed_most_cm_s; /* means over all steps; the highest */
    double moving;                                       /* the share of steps in which it moves */
    double faces_main; /* the share in which it looks at the main character, about .. */
    double faces_way;  /* .. and of those in which it moves, in which it looks where it goes */
    double behind;     /* the share in which it is behind the main character's back */
} puppet_measures;

puppet_measures puppet_measure(const marey_puppet *puppet);

/* "samples", "runs", "seconds", "rate" and so on, inside an object. */
void json_puppet(json *to, const marey_puppet *puppet);
/* Some lines. */
void buffer_learned(buffer *out, const marey_puppet *puppet);

#endif
