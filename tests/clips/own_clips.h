/* own_clips.h - metrics of the tests' own, which are in no table. */
#ifndef MAREY_TEST_OWN_CLIPS_H
#define MAREY_TEST_OWN_CLIPS_H

#include "support.h"

#include <marey/feature.h>

/* What the function of one is lent, and what it was asked. */
typedef struct test_own {
    int asked;
    int bad_frame, bad_column; /* with `bad`: where its numbers are none */
    float bad;                 /* 0: nowhere */
    marey_status fails;
} test_own;

enum { TEST_OWN_COLUMNS = 4 };

/* Three numbers of the left hand as seen from the hips' place, without their turn, and how high the
   hips are, in millimetres; of a body without roles those of its last and first joint. */
void test_own_numbers(const marey_clip *clip, int frame, double numbers[TEST_OWN_COLUMNS]);

/* That as a metric, with these weights; NULL: 1 each. */
marey_own_metric test_own_metric(test_own *user, const double *weights);

#endif
