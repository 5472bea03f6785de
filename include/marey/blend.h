/* blend.h - new motion out of old: a cut from one clip to another.
   Read after grid.h, which finds the frames where a cut shows least. */
#ifndef MAREY_BLEND_H
#define MAREY_BLEND_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct marey_stitch_def { /* leave a field zero for its default */
    int smooth_frames; /* frames around the seam over which one clip fades into the other, linearly;
                          0 .. 100000; default: none, a plain cut. Fewer where the clips end */
    bool
        full; /* the second clip is laid on the first by the root's whole transform, as D_p does, tilt and
                  height included; default: by its turn about the vertical and its place on the floor, so that what
                  was upright stays upright */
} marey_stitch_def;

/* Cut and smooth (metrics, 4.3): the first clip before frame i, then the second from frame j on, which is moved so that
   its frame j stands where the first one's frame i was. With smoothing, frames around the seam are mixed from frames of
   both that are equally far from it. At the first clip's rate: the second is resampled if it has another, and j is
   then taken to the nearest frame. The bones are the first clip's. Marks are carried over.
   `def` may be NULL. REQUEST: i or j is not a frame; the definition cannot be. SHAPE: joints differ. LIMIT, MEMORY. */
MAREY_API marey_status marey_clip_stitch(const marey_clip *a, int i, const marey_clip *b, int j,
                                         const marey_stitch_def *def, marey_clip **out,
                                         marey_error *error);

/* The clip without its marked frames, which are no captured motion: what is made of clips leaves them out. *frame (may be
   NULL) is a frame of `clip`, and becomes the one that it is in *out, or the one that comes in its place. On failure
   neither is written. REQUEST: every frame is marked. LIMIT: more than 64 pieces between marked frames. MEMORY. */
MAREY_API marey_status marey_clip_unmarked(const marey_clip *clip, int *frame, marey_clip **out,
                                           marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
