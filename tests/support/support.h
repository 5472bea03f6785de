/* support.h - what the tests share: hooks that refuse, real data if it is there, small clips. */
#ifndef MAREY_TEST_SUPPORT_H
#define MAREY_TEST_SUPPORT_H

/* cmocka needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <marey/marey.h>

#include "owned.h"

/* A file of tests begins here what it runs: a group of its stage's program, which takes the names
   of groups to run as arguments (all without) and hands the rest on. */
#define TEST_GROUP(name)                                                                           \
    int name##_group(void);                                                                        \
    int name##_group(void)

/* A case: TEST(its_name) { .. }, or TEST_IN(set_up, tear_down, its_name) with a fixture of its own.
   Its name is a sentence that is true when it passes. It lists itself, to be run in the order of
   the file. */
typedef struct test_case {
    const char *file;
    int line;
    struct CMUnitTest unit;
    struct test_case *next;
} test_case;

void test_case_add(test_case *added);

#define TEST_IN(set_up, tear_down, name)                                                           \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void name##_add(void)                                      \
    {                                                                                              \
        static test_case self = {                                                                  \
            __FILE__, __LINE__, { #name, name, set_up, tear_down, NULL }, NULL                     \
        };                                                                                         \
        test_case_add(&self);                                                                      \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_IN(NULL, NULL, name)

/* A case that is handed what its fixture made: TEST_OF(bench *b, its_name) { .. b->ctx .. }, where
   the fixture is the group's. */
#define TEST_OF_IN(set_up, tear_down, fixture, name)                                               \
    static void name##_of(fixture);                                                                \
    TEST_IN(set_up, tear_down, name)                                                               \
    {                                                                                              \
        name##_of(*state);                                                                         \
    }                                                                                              \
    static void name##_of(__attribute__((unused)) fixture)
#define TEST_OF(fixture, name) TEST_OF_IN(NULL, NULL, fixture, name)

/* The group of all cases of this file, with a fixture for all of them, which may be NULL. */
#define TEST_GROUP_OF_CASES(name, set_up, tear_down)                                               \
    TEST_GROUP(name)                                                                               \
    {                                                                                              \
        return test_cases_run(#name, __FILE__, set_up, tear_down);                                 \
    }
int test_cases_run(const char *group, const char *file, CMFixtureFunction set_up,
                   CMFixtureFunction tear_down);

bool test_has_argument(const char *text); /* was it given to the program? */

/* ---- how much is tried ----------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0 /* everything takes three to five times as long with one */
#endif

bool test_is_long(void); /* MAREY_LONG is set: sweeps leave nothing out */

/* The case after case `at` of a sweep, whose cases are numbered from 0: the first ones each, then
   every 11th, then fewer and fewer; under a sanitizer every 29th. Each build begins its strides
   elsewhere, so together they try more than one does. All of them with MAREY_LONG. */
long test_next(long at);

/* How often something random is tried: `all` times with MAREY_LONG, a quarter of `usual` under a
   sanitizer. */
int test_trials(int usual, int all);

/* ---- hooks that refuse ----------------------------------------------------------------------- */

/* An allocator that refuses call number `refuse` (counted from 0; -1: none), or every call from it
   on if `from_then_on`. Counts what is held, so that a leak shows. */
typedef struct test_memory {
    long refuse;
    bool from_then_on;
    long calls;  /* allocations and growths so far */
    long live;   /* pieces held now */
    size_t held; /* bytes held now */
    size_t most; /* bytes held at once so far */
} test_memory;

void *test_memory_resize(void *user, void *old, size_t old_size, size_t size);

/* OWNED(test_memory) before the context that takes from it: nothing may be held at the end. */
void test_memory_empty(const test_memory *memory);
OWNED_VALUE(test_memory, test_memory_empty)

/* A sweep that refuses one allocation after another:

       for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) status = what_is_tried();

   A round that was refused one must have said MEMORY, the last one, which was not, OK; no round
   leaves anything behind. */
typedef struct test_refusals {
    test_memory *memory;
    bool each;     /* none is left out; else as test_next has it */
    bool few;      /* in ever larger steps: for what takes long */
    bool then_all; /* every second round refuses all that follow, too */
    long at;       /* the allocation that is refused, counted from 0 */
    bool begun;
    long live;
} test_refusals;

bool test_refuse(test_refusals *sweep, marey_status status);

/* A sweep that cancels at one report of progress after another, of a context opened with these
   hooks:

       .progress = test_stops_report, .progress_user = &stops

       while (test_stop(&stops, status)) status = what_is_tried();

   The first round is left alone: it must end well and have more than two reports; every other one
   must say CANCELLED. No round leaves anything behind. */
typedef struct test_stops {
    marey_ctx *ctx;
    const test_memory *memory;
    bool begun;
    int at; /* the report that cancels, counted from 0; what is not begun cancels nothing */
    int seen, reports;
    long live;
} test_stops;

void test_stops_report(void *user, const char *what, int64_t done, int64_t total);
bool test_stop(test_stops *stops, marey_status status);

/* File access that fails call number `fail` of the kinds in `kinds` with `with_errno` (default
   EIO); everything else goes to the operating system. */
enum {
    TEST_IO_OPEN = 1,
    TEST_IO_READ = 2,
    TEST_IO_WRITE = 4,
    TEST_IO_SYNC = 8,
    TEST_IO_CLOSE = 16,
    TEST_IO_RENAME = 32,
    TEST_IO_LIST = 64,
    TEST_IO_ALL = 127
};

typedef struct test_files {
    int kinds;
    long fail; /* -1: none */
    bool from_then_on;
    int with_errno;
    size_t most_at_once; /* reads and writes move at most this many bytes; 0: no limit */
    long calls;          /* calls of the chosen kinds so far */
    int open_handles;
    marey_io io; /* filled by test_files_io */
} test_files;

const marey_io *test_files_io(test_files *files); /* borrowed from *files */

/* Ends the test as skipped. ./dev test prints the line, so that what was not tested is seen;
   cmocka's own skip says nothing, and scripts/check_words refuses it. */
#define test_skip(...) (print_message("skipped: " __VA_ARGS__), print_message("\n"), skip())

/* Fails the test with the error's text where there is one. */
void test_fine(marey_status status, const marey_error *error);

/* What failed last, of calls that were given &test_error. One a thread. */
extern _Thread_local marey_error test_error;

/* The call ends well:                                    test_ok(marey_library_list(library, NULL, &listing, &test_error));
   it ends with this status and this message in test_error: test_refused(marey_library_list(..),
   MAREY_ERR_REQUEST, "..");
   or with a message that has these words in it:           test_refused_about(..). */
#define test_ok(call) test_ok_at(call, #call, __FILE__, __LINE__)
#define test_refused(call, status, message)                                                        \
    (test_error = (marey_error){ 0 },                                                              \
     test_refused_at(call, status, message, true, #call, __FILE__, __LINE__))
#define test_refused_about(call, status, words)                                                    \
    (test_error = (marey_error){ 0 },                                                              \
     test_refused_at(call, status, words, false, #call, __FILE__, __LINE__))
void test_ok_at(marey_status status, const char *call, const char *file, int line);
void test_refused_at(marey_status status, marey_status wanted, const char *words, bool whole,
                     const char *call, const char *file, int line);

void test_near(double value, double wanted, double off); /* no farther from it than that */

double test_chance(uint64_t *seed); /* 0 .. 1 */
double test_seconds(void);          /* on a clock that only goes forward */

/* ---- real data ------------------------------------------------------------------------------- */

/* $MAREY_MOCAP, else ../shared/mocap beside the source tree; NULL if it is not there. */
const char *test_mocap_folder(void);

/* Calls visit(user, path) for every file under the folder `below` of the real data whose name ends
   in `ending`, in sorted order. Returns how many; 0 where there is no data. */
int test_mocap_each(const char *below, const char *ending,
                    void (*visit)(void *user, const char *path), void *user);

/* The same for the BVH files of cmu, bandai, accad and format_zoo. */
int test_mocap_each_bvh(void (*visit)(void *user, const char *path), void *user);
marey_clip *test_mocap_load(marey_ctx *ctx, const char *below); /* "cmu/02_02.bvh" */
const char *test_base_name(const char *path);

/* Ends the test as skipped, and says where the data can be had, if there is no real data. */
void test_need_mocap(void);

/* ---- files ----------------------------------------------------------------------------------- */

/* A fresh empty folder under the system's temporary folder; removed with test_folder_remove. */
void test_folder_make(char *path, size_t room);
void test_folder_remove(const char *path); /* with everything in it */
int test_folder_count(const char *path);   /* entries in it */

/* The whole file, with a zero behind it; free() it. Fails the test if it cannot be read. */
char *test_file_read(const char *path, size_t *count);
void test_file_write(const char *path, const void *bytes, size_t count);
void test_file_copy(const char *from, const char *path);
void test_same_file(const char *a, const char *b); /* fails unless both hold the same bytes */

/* ---- clips ----------------------------------------------------------------------------------- */

marey_ctx *test_ctx(void); /* one thread, system hooks; fails the test if it cannot be opened */

/* A case with such a context of its own, called ctx. */
#define TEST_CTX(name) TEST_OF_IN(test_ctx_set_up, test_ctx_tear_down, marey_ctx *ctx, name)
/* Closes a context. One that still holds objects stays open and fails its tear-down: a case that
   failed could not free them, and its own message is what counts. */
void test_ctx_close(marey_ctx *ctx);
int test_ctx_set_up(void **state);
int test_ctx_tear_down(void **state);

marey_ctx *test_ctx_refusing(test_memory *memory);               /* the same with this allocator */
marey_status test_ctx_try(test_memory *memory, marey_ctx **out); /* which may refuse that, too */

/* Reads a clip from BVH text; fails the test with the error's text if it cannot be read. */
marey_clip *test_clip(marey_ctx *ctx, const char *bvh);
marey_clip *test_clip_load(marey_ctx *ctx, const char *path); /* the same from a file */
marey_clip *test_clip_raw(marey_ctx *ctx, const char *bvh);   /* in the file's own units */
marey_clip *test_clip_load_raw(marey_ctx *ctx, const char *path);

int test_warnings_with(const marey_clip *clip, const char *words); /* of its report: how many */
int test_marks(const marey_clip *clip);                            /* how many */
void test_check_mark(const marey_clip *clip, int index, marey_mark_kind kind, int start, int end);
void test_same_numbers(const marey_clip *a,
                       const marey_clip *b); /* in all channels; as many warnings */

double *test_positions(const marey_clip *clip, int frame); /* of its joints; free() it */

/* The largest distance between the joints of two frames, or of any frame of two clips of as
   many. */
double test_pose_apart(const marey_clip *a, int a_frame, const marey_clip *b, int b_frame);
double test_clip_apart(const marey_clip *a, const marey_clip *b);

int test_compare_doubles(const void *a, const void *b); /* for qsort */

marey_demo_take *test_demo_take(marey_ctx *ctx, const char *name); /* with seed 1 */

/* BVH text of a small person: 21 joints in centimetres, MotionBuilder names, `frames` frames at 60
   Hz of swinging arms and legs while walking along z; free() it. */
char *test_person(int frames);
marey_clip *test_person_clip(marey_ctx *ctx, int frames); /* that, read */

/* The same body in other poses: x y z of the root, then z y x degrees of every joint in each row.
   With z up a turn about y becomes one about z, and one about z one the other way about y. Lengths
   are multiplied by `scale`. free() it. */
enum { TEST_PERSON_JOINTS = 21, TEST_PERSON_ROW = 3 + 3 * TEST_PERSON_JOINTS };
char *test_person_posed(const double *rows, int frames, double rate_hz, double scale, bool z_up);

#endif
