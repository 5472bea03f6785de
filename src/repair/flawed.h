/* flawed.h - frames that no motion should be made of. Read by the library where it opens clips for
   graphs. */
#ifndef MRY_FLAWED_H
#define MRY_FLAWED_H

#include "motion/clip_data.h"

#include <marey/repair.h>

/* Sets the bytes (one a frame) of marked frames and of those that flaws which were not mended spoil:
   joints that are elsewhere for a moment, both sides of a leap, a body that holds still. A joint that
   carries no other may turn as it likes. False: out of memory. */
bool mry_flawed_frames(const marey_clip *clip, uint8_t *spoiled);

#endif
