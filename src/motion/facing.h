/* facing.h - where a body faces on the floor. Read by graph and puppet. */
#ifndef MRY_FACING_H
#define MRY_FACING_H

#include <marey/motion.h>

/* At right angles to the line through hips and shoulders; where there are none, as the root's z
   axis. On a plan seen from above, x to the right and z down: counter-clockwise from x. `places`
   are all joints' at that frame. */
double mry_facing(const marey_clip *clip, int frame, const double *places);

#endif
