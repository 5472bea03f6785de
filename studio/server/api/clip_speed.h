/* clip_speed.h - how fast the joints of a clip get: what a made clip is judged by. Read after api_common.h. */
#ifndef STUDIO_CLIP_SPEED_H
#define STUDIO_CLIP_SPEED_H

#include "api_common.h"

typedef struct fastest {
    double joint_cm_per_s;
    double knee_cm_per_s; /* NaN: the skeleton has none */
} fastest;

marey_status clip_speeds(heap *memory, const marey_clip *clip, fastest *out, marey_error *error);

#endif
