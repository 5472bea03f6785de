/* reaches.h - examples for families of motions: demo reaches and what else the demo takes have many
   of. */
#ifndef MAREY_TEST_REACHES_H
#define MAREY_TEST_REACHES_H

#include "support.h"

enum { TEST_MOST_EXAMPLES = 64 };

typedef struct test_examples {
    int count;
    const marey_clip *clips[TEST_MOST_EXAMPLES];
    marey_contacts contacts[TEST_MOST_EXAMPLES]; /* the true ones */
    double truth[TEST_MOST_EXAMPLES][4];         /* the segments' own parameters */
} test_examples;

/* The first `count` segments with this label and side, of the larger body, from as many seeds as it
   takes. */
void test_examples_make(marey_ctx *ctx, const char *label, const char *side, int count,
                        test_examples *out);
void test_examples_free(test_examples *examples);
OWNED_VALUE(test_examples, test_examples_free)
OWNED_POINTER(marey_family, marey_family_free)

#endif
