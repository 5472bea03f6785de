/* two_clips.h - a library of two short clips in a folder of its own, for tests of what it keeps beside them. */
#ifndef MAREY_TEST_TWO_CLIPS_H
#define MAREY_TEST_TWO_CLIPS_H

#include "support.h"

#include "library/library_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct two_clips {
    char folder[256];
    char path[300];
    marey_ctx *ctx;
    marey_library *library; /* open for writing */
    int64_t walk, run;      /* numbers of the clips: 1 and 2 */
} two_clips;

enum { WALK = 1, RUN = 2, WALK_FRAMES = 60, RUN_FRAMES = 75 }; /* numbers of the clips */
enum { LONG_WALK = 130, LONG_RUN = 150 };

two_clips *two_clips_open(int walk_frames, int run_frames);
int two_clips_set_up(void **state);       /* a fixture of WALK_FRAMES and RUN_FRAMES */
int two_clips_set_up_long(void **state);  /* of LONG_WALK and LONG_RUN */
int two_clips_set_up_small(void **state); /* of 70 and 75: the least that graphs are made of */
int two_clips_tear_down(void **state);
marey_parts *two_clips_parts(two_clips *f, const marey_part *parts, int count);
int test_kept_count(marey_library *library, const char *kind);
void two_clips_close(two_clips *f);
marey_library *two_clips_again(two_clips *f, marey_library_mode mode); /* a second time */

marey_clip *two_clips_person(two_clips *f, int frames); /* as those of the library */
void two_clips_put(two_clips *f, const marey_clip *clip, const char *name);
int64_t two_clips_add(two_clips *f, const char *name, int frames); /* a person's number */
int64_t two_clips_number(two_clips *f, const char *name);          /* 0: there is none */

int64_t test_version(marey_library *library);
int64_t two_clips_verify(two_clips *f,
                         char said[4096]); /* the number of problems; `said`: a line for each */

void test_keep(marey_library *library, const char *kind, const char *name, const char *text);
bool test_is_kept(marey_library *library, const char *kind, const char *name, const char *text);

/* Opens the library, does `use` and verifies it, with each allocation refused in turn: it says so, gives everything back and leaves
   a sound library. */
typedef marey_status two_clips_use(marey_library *library, marey_ctx *ctx, const two_clips *f,
                                   marey_error *error);
void two_clips_refuse_memory(two_clips *f, two_clips_use *use);

#endif
