/* frame_measures.h - how far frames of clips are apart, and what is judged of clips that were made:
   steps, plants that slide. */
#ifndef MAREY_TEST_FRAME_MEASURES_H
#define MAREY_TEST_FRAME_MEASURES_H

#include "support.h"

/* The largest distance of a joint between a frame of one clip and a frame of another, cm. */
double test_frame_apart(const marey_clip *a, int i, const marey_clip *b, int j);

/* The same of the joints' distances from the root, which do not change where a clip is only
   moved. */
double test_shape_apart(const marey_clip *a, int i, const marey_clip *b, int j);

double test_step_into(const marey_clip *clip, int frame); /* the largest of a joint, cm */
double test_largest_step(const marey_clip *clip);

/* How far the worst of some plants drifts, cm. */
double test_slide(const marey_clip *clip, const marey_contact *plants, int count);

void test_clip_is_finite(const marey_clip *clip); /* else the test fails */

/* What edits of clips make; each fails the test if it is refused. */
marey_clip *test_trimmed(const marey_clip *clip, int start, int end);
marey_clip *test_resampled(const marey_clip *clip, double fps);
marey_clip *test_refitted(const marey_clip *clip, const marey_clip *bones);

/* The best place to go from one clip to another. */
marey_cut test_best_cut(marey_ctx *ctx, const marey_clip *a, const marey_clip *b);

/* A captured clip: "cmu/07_01". */
marey_clip *test_captured(marey_ctx *ctx, const char *name);
marey_clip *test_captured_unmarked(marey_ctx *ctx, const char *name); /* without marked frames */

/* Mean over the joints of how fast they are over half a second around a frame, cm/s, by hand. */
double test_seen_speed(const marey_clip *clip, int frame);

#endif
