/* index_bench.h - small libraries to be indexed, and all webs of one as text that two libraries can
   be compared by. */
#ifndef MAREY_TEST_INDEX_BENCH_H
#define MAREY_TEST_INDEX_BENCH_H

#include "library_bench.h"
#include "metric_clips.h"

#include "index/index_work.h"

enum { TEST_INDEX_CLIPS = 5 };

void test_index_reopen(test_library *f, int threads); /* with a context of so many threads */

/* Clip `number` of the small set, called "clip0" .. "clip4": four that walk, and a mover (clip3),
   of 50 to 90 frames. */
void test_index_put(test_library *f, int number);
void test_index_put_all(test_library *f);
void test_index_put_clip(test_library *f, marey_clip *clip, const char *name); /* frees the clip */

/* Indexes; fails the test if that fails. Both may be NULL. */
marey_index_report test_index_run(test_library *f, const marey_index_def *def,
                                  const mry_index_tuning *tuning);
marey_index_state test_index_state(test_library *f);

/* A line for each web, by the names of its clips: counts and all bytes. free() it. */
char *test_index_webs(test_library *f);

#endif
