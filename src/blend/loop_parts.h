/* loop_parts.h - what is done to a loop that is made: it stays in place, and its seam is judged. Read by loop. */
#ifndef MRY_LOOP_PARTS_H
#define MRY_LOOP_PARTS_H

#include "blend/seam.h"

/* A share of a floor motion: taken 1 / share times in a row it is the whole. (loop_stay.c) */
mry_floor mry_loop_share(mry_floor whole, double share);

/* Takes the travel out of a loop that goes on moved by `onwards`: after it, it goes on where it is. The clip is changed;
   its first frame stays where it stands. false: out of memory. (loop_stay.c) */
bool mry_loop_stay(marey_clip *loop, const mry_trunk *body, mry_floor onwards);

/* The largest step of a joint from the last frame to the first, which is moved by `onwards`, over the largest step inside.
   false: out of memory. (loop_judge.c) */
bool mry_loop_judge(const marey_clip *loop, mry_floor onwards, double *ratio);

#endif
