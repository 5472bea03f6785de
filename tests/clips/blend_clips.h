/* blend_clips.h - clips, registrations and blends for the tests of blending. */
#ifndef MAREY_TEST_BLEND_CLIPS_H
#define MAREY_TEST_BLEND_CLIPS_H

#include "demo_parts.h"
#include "frame_measures.h"

/* The same walk along a curve: it starts in the world's origin along z and turns by `radians` on
   its way. */
marey_clip *test_bent(const marey_clip *clip, double radians);

/* Turned about the vertical and moved on the floor. */
marey_clip *test_elsewhere(const marey_clip *clip, double radians, double x, double z);

/* Both fail the test with the error's text if they cannot be. */
marey_registration *test_register(marey_ctx *ctx, const marey_clip *const *clips, int count);
marey_made test_blend(marey_ctx *ctx, const marey_registration *registration,
                      const marey_blend_def *def);

/* Constant weights, feet left alone. */
marey_made test_blend_plain(marey_ctx *ctx, const marey_registration *registration,
                            marey_blend_method method, const double *weights);

/* The largest distance of a joint and the largest angle between rotations of a joint, in cm and
   degrees, over frames that both have. */
void test_clips_differ(const marey_clip *a, const marey_clip *b, double *cm, double *degrees);

double test_path_length(const marey_clip *clip); /* of the root on the floor, at 10 Hz */

/* ---- a fixture: a walk, the same walk more slowly, and a jog */

typedef struct test_walks {
    marey_ctx *ctx;
    marey_clip *walk, *slow, *jog;
    marey_registration *of; /* of all three */
} test_walks;

int test_walks_set_up(void **state);
int test_walks_tear_down(void **state);

#endif
