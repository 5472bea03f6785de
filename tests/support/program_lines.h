/* program_lines.h - command lines that are run inside a test, and what is read from their
   answers. */
#ifndef MAREY_TEST_PROGRAM_LINES_H
#define MAREY_TEST_PROGRAM_LINES_H

#include "in_process.h"

/* What a line prints that ends well: with --json one object. The caller frees it. */
char *test_answer(const char *line);
void test_run_well(const char *line);
/* The same as test_answer and test_failure; the text is freed when 64 more were asked for, and
   never by the caller. */
char *test_reply(const char *line);
char *test_refusal(const char *line, int status);
char *test_failure(const char *line,
                   int status); /* the message of a run that ends with this status */
void test_fails(const char *line, int status, const char *message); /* with this in its message */

/* A line that ends with this status and this in its message; a file that lets a line end so, with
   status 1. */
typedef struct test_wrong_line {
    const char *line;
    int status;
    const char *message;
} test_wrong_line;

typedef struct test_wrong_file {
    const char *text, *message;
} test_wrong_file;

void test_fail_all(const test_wrong_line *wrong, size_t count);
void test_fail_files(const test_wrong_file *wrong, size_t count, const char *path,
                     const char *line);
#define TEST_FAIL_ALL(wrong) test_fail_all(wrong, sizeof(wrong) / sizeof *(wrong))
#define TEST_FAIL_FILES(wrong, path, line)                                                         \
    test_fail_files(wrong, sizeof(wrong) / sizeof *(wrong), path, line)

void test_full_output(const char *line); /* it ends with status 3 where its answer has no room */
void test_cancelled(const char *line);   /* with 130 where it is cancelled */

double test_number(const char *from, const char *key); /* behind "key":, from `from` on */
const char *test_value(const char *from, const char *key);
void test_numbers(const char *from, const char *key, int count,
                  double *out); /* exactly so many, in brackets */
int test_parts_count(const char *text, const char *part);
void test_file_has(const char *path, const char *part);

/* Runs a line with memory refused at one call after the other. What it changes is there or not at
   all, as its exit status says: then the answer of `list` has `mark` in it. `undo` takes it away
   again. */
void sweep_change(const char *list, const char *line, const char *mark, const char *undo);

/* The person of write_person, but for frames [start, end), where tracking is lost: the root is at 0
   0 0. */
void test_write_dropouts(const char *path, int frames, int start, int end);

/* A set-up: enters a fresh folder with the files that `make` leaves in an empty one. It makes them
   once in a process; every other case gets a copy. */
int test_enter_copy(void **state, void (*make)(void));
int test_leave_place(void **state); /* a tear-down: *state is a test_place */

#endif
