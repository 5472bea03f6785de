/* demo_parts.h - parts of demo takes, for the tests of align and blend. */
#ifndef MAREY_TEST_DEMO_PARTS_H
#define MAREY_TEST_DEMO_PARTS_H

#include "support.h"

/* What is done in segment `segment` of a take of the demo library, its first `frames` frames; 0:
   all of them. */
marey_clip *test_demo_part(marey_ctx *ctx, const char *take, int segment, int frames);

#endif
