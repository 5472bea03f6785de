/* library_bench.h - a library in a folder of its own, empty or of two short clips, with what is put
   into it, read and verified. */
#ifndef MAREY_TEST_LIBRARY_BENCH_H
#define MAREY_TEST_LIBRARY_BENCH_H

#include "support.h"

#include "library/library_data.h"

#include <stdio.h>
#include <string.h>

typedef struct test_library {
    char folder[256];
    char path[300];
    marey_ctx *ctx;
    marey_library *library;   /* open for writing; NULL while a test has closed it */
    marey_searcher *searcher; /* NULL but in tests of searching */
} test_library;

/* Fixtures: an empty library, or one of the clips walk and run with so many frames. */
enum { WALK = 1, RUN = 2, WALK_FRAMES = 60, RUN_FRAMES = 75, LONG_WALK = 130, LONG_RUN = 150 };
test_library *test_library_new(void);
test_library *two_clips_new(int walk_frames, int run_frames);
int test_library_make(void **state);
int two_clips_make(void **state);
int two_clips_make_long(void **state);  /* of LONG_WALK and LONG_RUN */
int two_clips_make_small(void **state); /* of 70 and 75: the least that graphs are made of */
int test_library_free(void **state);

void test_library_open(test_library *f, marey_library_mode mode); /* anew, if it is open */
void test_library_close(test_library *f);
marey_library *test_library_second(test_library *f, marey_library_mode mode); /* besides */

/* Writes the small person into the folder; adds a file of it. */
void test_library_person(const test_library *f, const char *name, int frames);
void test_library_add(test_library *f, const char *file, const marey_add_def *def);
void test_library_put(test_library *f, const char *name, int frames); /* both, as name.bvh */

int64_t test_library_put_clip(test_library *f, const marey_clip *clip, const char *name);

int test_library_count(test_library *f, const marey_list_def *def); /* clips that are listed */
int64_t test_library_number(test_library *f, const char *name);     /* 0: there is none */
/* "kick 10-15, run 20-30", until the next call. */
const char *test_stretches(marey_library *library, const char *name);
marey_clip *test_library_load(test_library *f, const char *name);
marey_parts *test_library_parts(test_library *f, const marey_part *parts, int count);
int64_t test_version(marey_library *library);

/* Writes a library's file as it was, without what lies beside it. */
void test_library_restore(const char *path, const char *bytes, size_t size);

/* Problems that verify finds; `said`: a line for each. */
int test_library_verify(const test_library *f, char said[4096]);
void test_library_sound(const test_library *f); /* there are none */

void test_keep(marey_library *library, const char *kind, const char *name, const char *text);
bool test_is_kept(marey_library *library, const char *kind, const char *name, const char *text);
int test_kept_count(marey_library *library, const char *kind);

/* Opens the library, does `use` and verifies it, with each allocation refused in turn: it says so,
   gives everything back and leaves a sound library. */
typedef marey_status test_library_use(marey_library *library, marey_ctx *ctx, marey_error *error);
void test_library_refuse_memory(test_library *f, test_library_use *use);

/* Lets go what is held for an undo: bytes that were replaced, damaged ones too. */
void test_history_clear(test_library *f);

/* Each damage, by SQL, is found by verify, with these words. `renew` makes everything sound before
   each. */
typedef struct test_damage {
    const char *sql, *said;
} test_damage;
void test_library_find_damage(test_library *f, const test_damage *damage, int count,
                              void (*renew)(test_library *f));

/* Fails unless everything that a caller can see of two clips is the same. */
void test_same_clip(const marey_clip *a, const marey_clip *b);

#endif
