/* channels.h - between a file's numbers and a clip's tracks: a row of channels becomes rotations
   and translations, and back. Readers use the first, writers and the library both. */
#ifndef MRY_CHANNELS_H
#define MRY_CHANNELS_H

#include "math/euler.h"
#include "motion/clip_data.h"

/* How a row of channels becomes a row of each track. */
typedef struct mry_plan {
    mry_euler *turns; /* J */
    int *columns;     /* movers x 3: column of that axis, or -1 for the offset */
    double *sines;    /* C + 1: the last is the angle that the file does not name, 0 */
    double *cosines;
} mry_plan;

/* For a clip whose joints and movers are known; lives in mem. False when out of memory. */
bool mry_plan_make(mry_plan *plan, const marey_clip *clip, mry_arena *mem);

/* Fills frame `frame` of the tracks from the clip's own channels, in file units and axes. */
void mry_plan_derive(const mry_plan *plan, marey_clip *clip, int frame);

/* The channels of one frame out of its tracks, in file units and axes. `joints` says which channels
   there are (usually the clip's own). `row` holds the frame before, and each angle comes out near
   it, so that no channel jumps by a whole turn; before the first frame it is zeros. */
void mry_channels_from_tracks(const marey_clip *clip, const marey_joint *joints, int frame,
                              double *row);

/* The same of joint j alone, at row + joint->first_channel. */
void mry_joint_from_tracks(const marey_clip *clip, const marey_joint *joint, int frame, int j,
                           double *row);

#endif
