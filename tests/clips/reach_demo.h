/* reach_demo.h - a demo library with a family of reaches, for lines of the program. */
#ifndef MAREY_TEST_REACH_DEMO_H
#define MAREY_TEST_REACH_DEMO_H

#include "program_lines.h"

enum { TEST_DEMO_REACHES = 13 }; /* to the right, in the take reach_right */

/* A set-up: right reaches and kicks, and the family of the reaches that the demo makes, as
   demo.marey in the current folder. test_leave_place is the tear-down. */
int test_reach_demo_make(void **state);

/* "reach_right#131-276,..." from the truth; kicks with the right foot where `side` is NULL. */
void test_reach_names(int count, const char *side, char *text, size_t room);

#endif
