/* reader_bench.h - what the tests of readers and writers share: a folder with names for files, a
   context that counts memory, a small skeleton as ASF, and texts with their outcomes. */
#ifndef MAREY_TEST_READER_BENCH_H
#define MAREY_TEST_READER_BENCH_H

#include "asf_bench.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct reader_bench {
    test_memory memory;
    marey_ctx *ctx; /* takes from it */
    long idle;      /* pieces the context itself holds */
    long loaded, refused;
    char folder[256];
    char asf[300], amc[300], bvh[300], glb[300]; /* names of files in it, a.asf .. */
} reader_bench;

int reader_bench_make(void **state);     /* the folder is empty */
int reader_bench_make_asf(void **state); /* GOOD is in a.asf */
int reader_bench_free(void **state);     /* nothing may be held */

/* The path of a file in its folder; four of them are kept. */
const char *reader_path(const reader_bench *b, const char *name);
void reader_clear(const reader_bench *b); /* the folder */

void test_text_write(const char *path, const char *text);

/* Loads bytes as a file called a with this ending, from memory of exactly their size, so that a
   sanitizer sees a read past the end. The skeleton of an .amc is a.asf. NULL if that fails: then
   test_error says why, and nothing is held. */
marey_clip *reader_load(reader_bench *b, const char *ending, const char *bytes, size_t count,
                        double source_fps);

typedef enum reader_outcome {
    ACCEPTED,  /* with as many warnings as usual */
    WARNING,   /* accepted, and `text` is in one of the warnings */
    REFUSED,   /* INPUT at line and column, and `text` is in the message */
    PAST_LIMIT /* the same, but LIMIT */
} reader_outcome;

typedef struct reader_row {
    const char *what, *bytes;
    reader_outcome outcome;
    int line, column; /* 0: anywhere */
    const char *text;
} reader_row;

/* Fails unless the bytes have that outcome; `quiet`: the usual number of warnings. Returns how many
   frames there are. */
int reader_check(reader_bench *b, const char *ending, const char *bytes, size_t count,
                 const reader_row *row, int quiet);

/* Loads something large: within a second, holding at most so many bytes. */
marey_status reader_load_large(const char *name, const char *asf, const char *text, size_t count,
                               size_t most, int *frames);

#endif
