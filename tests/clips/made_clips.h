/* made_clips.h - clips to make others of by command lines, and how far what is made is from
   them. */
#ifndef MAREY_TEST_MADE_CLIPS_H
#define MAREY_TEST_MADE_CLIPS_H

#include "frame_measures.h"
#include "program_lines.h"

/* Set-ups; test_leave_place tears down. */
int test_enter_demo(
    void **state); /* takes of the demo as files, and demo.marey, which also knows their plants */
int test_enter_persons(
    void **state); /* a.bvh of 100 frames, b.bvh of 60, and lost.bvh: a.bvh with [30, 34) lost */

typedef struct two_files {
    marey_ctx *ctx;
    marey_clip *a, *b;
} two_files;

two_files test_two_files(const char *a, const char *b);
void test_two_files_free(two_files *of);

#endif
