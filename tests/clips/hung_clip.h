/* hung_clip.h - a clip again, on a skeleton that hangs from one joint more: the same motion of the
   same body, written as some files have it. */
#ifndef MAREY_TEST_HUNG_CLIP_H
#define MAREY_TEST_HUNG_CLIP_H

#include "support.h"

#include "motion/clip_data.h"

typedef enum test_hanging {
    TEST_HUNG_STILL, /* the new root stays, metres away and tilted; what was the root moves below it */
    TEST_HUNG_ASIDE,  /* the same at another place */
    TEST_HUNG_UNDER,  /* it goes along on the floor under the body */
    TEST_HUNG_AT_FEET /* it stays on the floor where the body is in the first frame */
} test_hanging;

/* Joint j of the clip is joint j + 1 of what comes back. The clip's root must be its pelvis. */
marey_clip *test_hung(const marey_clip *clip, test_hanging how);

/* The largest distance of a joint of the clip from the same one of a hung clip, in all their
   frames, whose numbers must be the same. cm */
double test_hung_apart(const marey_clip *clip, const marey_clip *hung);

/* Is the hung clip's root in the same place, and turned alike, in all frames? */
bool test_root_stays(const marey_clip *hung);

/* ---- a fixture: two walks, and both hung in several ways: alike, apart, and one that goes along with one that is left behind */

enum { TEST_HUNG_PAIRS = 4 };

#define TEST_HUNG_NEAR_CM 0.02 /* turns are floats, and some hang metres away */

typedef struct test_hung_walks {
    marey_ctx *ctx;
    marey_clip *clips[2];
    marey_clip *hung[TEST_HUNG_PAIRS][2];
} test_hung_walks;

int test_hung_set_up(void **state);
int test_hung_tear_down(void **state);

/* The body is where it is without what it hangs from, and that stays. */
void test_hung_assert(const marey_clip *clip, const marey_clip *hung);
#endif
