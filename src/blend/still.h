/* still.h - where a body stands still. Read by loop.c and cut_search.c. */
#ifndef MRY_STILL_H
#define MRY_STILL_H

#include "base/arena.h"
#include "motion/clip_data.h"

typedef struct mry_still {
    /* Of each frame: how far the joints came until then, on their mean, cm; and how many frames
       before it stand. */
    const double *way;
    const int *standing; /* one more than frames */
    int side;            /* frames to a side that are looked at */
    double least_step;   /* of what counts as moving, cm a frame */
    double moving_step;  /* of the frames that do not stand, on their mean */
} mry_still;

/* Slower than 10 cm/s, or half the clip's own mean if that is less, on the mean of all joints and
   over half a second, a body stands. Lives in mem. false: out of memory. */
bool mry_still_find(mry_arena *mem, const marey_clip *clip, mry_still *out);

/* How many of the frames from `first` up to `end`, exclusive, stand. */
static inline int mry_still_frames(const mry_still *still, int first, int end)
{
    return still->standing[end] - still->standing[first];
}

#endif
