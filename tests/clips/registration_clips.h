/* registration_clips.h - motions whose registration is known, for the tests of align and blend. */
#ifndef MAREY_TEST_REGISTRATION_CLIPS_H
#define MAREY_TEST_REGISTRATION_CLIPS_H

#include "demo_parts.h"
#include "metric_clips.h"

/* Frame f of what is made shows the clip at its frame map(user, f). */
marey_clip *test_warped(const marey_clip *clip, int frames, double (*map)(void *user, double f),
                        void *user);

/* A map for it: evenly from the first frame to the last, swaying about that. */
typedef struct test_sway {
    double frames, length; /* of what is made, of what it is made from */
    double sway;           /* frames */
} test_sway;

double test_sway_map(void *sway, double f);
marey_clip *test_swayed(const marey_clip *clip, test_sway *how, double ratio, double sway);

/* Where a placement puts a point of the floor. */
void test_put(marey_placement by, const double from[2], double to[2]);
/* The root of a clip between frames, on the floor. */
void test_root_at(const marey_clip *clip, double frame, double out[2]);

/* Walks of the demo library: the state of a test. */
typedef struct test_walks {
    marey_ctx *ctx;
    marey_clip *walk, *slow, *fast, *left, *right;
} test_walks;

int test_walks_make(void **state);
int test_walks_free(void **state);

#define WITH_WALKS(test) TEST_OF_IN(test_walks_make, test_walks_free, test_walks *f, test)

/* Fails the test with the error's text if it cannot be built. */
marey_registration *test_registered(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                    const marey_registration_def *def);
marey_registration *test_registered_pair(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                                         const marey_registration_def *def);

/* Whatever the motions, this must hold: S rises, is inside the clips, has the derivative and the
   inverse that it says, eq. 5 between control points, epsilon^2 <= dS_i/dS_j <= 1/epsilon^2; every
   number is finite; matches have connected spans inside the range. */
void test_registration_is_sound(const marey_registration *registration);

#endif
