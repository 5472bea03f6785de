/* steps.h - how far joints move from frame to frame, and which steps no body makes. Read by blend,
   param and graph. */
#ifndef MRY_STEPS_H
#define MRY_STEPS_H

#include "motion/clip_data.h"

/* The largest step of any joint from each frame to the next, cm, marked frames or not; lives in
   `mem`. `knees` (may be NULL) gets those of the knees: room for a number a frame. NULL: no
   memory. */
double *mry_clip_steps(mry_arena *mem, const marey_clip *clip, double *knees);

/* The largest of some steps in a row, `per_s` a second, that is no leap: at most three times the
   median of those before it, or of those after it. 0 without any. */
double mry_sound_peak(const double *steps, int count, double per_s);

#endif
