/* library_bench.h - a library in a folder of its own, and clips put into it and compared. */
#ifndef MAREY_TEST_LIBRARY_BENCH_H
#define MAREY_TEST_LIBRARY_BENCH_H

#include "support.h"

typedef struct test_library {
    char folder[256];
    char path[300];
    marey_ctx *ctx;
    marey_library *library; /* open for writing, empty at first */
} test_library;

int test_library_make(void **state); /* a set-up and a tear-down: *state is a test_library */
int test_library_free(void **state);

/* Writes the small person into the folder; `change` is put for a digit of the last number. */
void test_library_person(const test_library *f, const char *name, int frames, const char *change);
void test_library_add(test_library *f, const char *file, const marey_add_def *def);
int test_library_count(test_library *f, const marey_list_def *def); /* clips that are listed */

/* Fails unless everything that a caller can see of two clips is the same. */
void test_same_clip(const marey_clip *a, const marey_clip *b);

#endif
