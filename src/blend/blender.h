/* blender.h - the steps that blends, transitions and loops share: time flows along a registration
   curve, frames are placed and mixed, constraints follow (curves, section 5). Read by blend_make,
   transition and loop. */
#ifndef MRY_BLENDER_H
#define MRY_BLENDER_H

#include "math/floor.h"
#include "motion/clip_data.h"

#include <marey/blend.h>

/* ---- 5.1: time ---- blend_time.c */

/* The u that lies `rows` rows of time behind u (before it, if negative), with weights going
   linearly from `weights` to `next_weights` on the way: eq. 6 integrated to 1e-4 of a row; weights
   that are not convex vote by their size. Held to the curve's range. */
double mry_blend_advance(const marey_registration *registration, double u, const double *weights,
                         const double *next_weights, double rows);

/* The same; *left is how many of the rows lie beyond the range's end. */
double mry_blend_advance_by(const marey_registration *registration, double u, const double *weights,
                            const double *next_weights, double rows, double *left);

/* ---- 5.2 and 5.3: frames ---- blend_make.c */

/* A run of frames to be made: count of them, u rising, a weight per frame and motion. LINEAR: no
   frame is moved on the floor, and places are identities. REGISTERED and UNTIMED are made in the
   same way: without timewarp, `of` is a registration by mry_blend_straight. */
typedef struct mry_blend_run {
    const marey_registration *of;
    marey_blend_method method;
    int count;
    const double *u;       /* count */
    const double *weights; /* count x motions, each row sums to 1 */
    int fixed;       /* the frame whose place is given; the others follow from it, to both sides */
    mry_floor place; /* T of that frame */
    mry_floor *places; /* count: T of every frame, filled in */
} mry_blend_run;

/* Fills frames [first, first + count) of `made`, which has the first motion's skeleton, and
   run->places. A weight of 1 gives that motion's own frame, moved. false: out of memory, or
   cancelled, which mry_cancelled tells apart. */
bool mry_blend_frames(mry_blend_run *run, marey_clip *made, int first);

/* A_j(u), as floor motion. */
mry_floor mry_blend_floor(const marey_registration *registration, int motion, double u);

/* ---- constraints ---- blend_plants.c */

/* Appends the plants of the run's frames to `out` (frames of the made clip, from `first` on), which
   is sorted by joint and start after that, without overlaps. out->ctx must be set. false: out of
   memory, and *out is as it was. */
bool mry_blend_constraints(const mry_blend_run *run, int first, marey_contacts *out);

/* Takes out of the plants of a blend what is no rest in it: where the foot is on its way, see
   blend_plants.c. A plant may end up shorter, in several pieces, or gone. false: out of memory, and
   *plants is as it was. */
bool mry_blend_keep_rests(mry_arena *tmp, const marey_clip *made, marey_contacts *plants);

/* ---- without timewarp ---- blend_make.c */

/* The same clips, frame with frame: S_j(u) rises by one row a row in all of them, from their first
   frames on as far as the shortest goes; or, if `centres` (a row of each) are given, on both sides
   of those. contacts as for registrations. */
marey_status mry_blend_straight(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                const marey_contacts *contacts, const int *centres,
                                marey_registration **out, marey_error *error);

#endif
