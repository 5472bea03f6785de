/* feet_clip.h - clips whose heels, toes and hands are exactly where a test wants them: a small
   person whose ankles, toes and wrists have position channels. Read by the tests of contacts and
   quality. */
#ifndef MAREY_TEST_FEET_CLIP_H
#define MAREY_TEST_FEET_CLIP_H

#include "support.h"

typedef struct test_feet {
    double point[4][3]; /* by marey_contact_joint; cm */
    double hand[2][3];  /* left and right; all 0: spread, moving with the hips */
    double hips[3];     /* all 0: the frame becomes a marked dropout */
} test_feet;

/* A foot that stands: heels 9 cm above the floor and 20 cm apart, toes 3 cm, hips at 95 cm. */
test_feet test_feet_standing(void);

/* Calls place(user, frame, feet) with standing feet for each frame and reads what it made of
   them. */
marey_clip *test_feet_clip(marey_ctx *ctx, int frames, double fps,
                           void (*place)(void *user, int frame, test_feet *feet), void *user);

/* The same as BVH text, which may be changed; free() it. */
char *test_feet_text(int frames, double fps, void (*place)(void *user, int frame, test_feet *feet),
                     void *user);

#endif
