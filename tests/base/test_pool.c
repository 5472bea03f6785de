/* test_pool.c - the thread pool: every number once, the same answer for any number of threads. Run
   under ThreadSanitizer too. */
#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 10000 };

typedef struct job {
    marey_ctx *ctx;
    int seen[COUNT];
    atomic_llong sum;
} job;

/* A fresh job; close its context. */
static job *start(int threads, test_memory *memory)
{
    static job j;
    marey_ctx_def def = { .threads = threads };
    if (memory) def.resize = test_memory_resize, def.resize_user = memory;
    memset(&j, 0, sizeof j);
    test_ok(marey_ctx_open(&def, &j.ctx));
    return &j;
}

static void note(void *user, int64_t i)
{
    job *j = user;
    j->seen[i]++; /* each i belongs to one call, so this needs no lock */
    atomic_fetch_add(&j->sum, i);
}

TEST(every_number_is_done_once_for_any_number_of_threads)
{
    static const int threads[] = { 1, 2, 3, 8 };
    for (int t = 0; t < 4; t++) {
        job *j = start(threads[t], NULL);
        marey_ctx_run(j->ctx, COUNT, note, j);
        for (int i = 0; i < COUNT; i++) assert_int_equal(j->seen[i], 1);
        assert_int_equal(j->sum, (long long)COUNT * (COUNT - 1) / 2);
        marey_ctx_close(j->ctx);
    }
}

/* Short jobs one after another are where a helper wakes late for a job that is over. */
TEST(many_short_jobs_in_a_row_lose_nothing)
{
    job *j = start(4, NULL);
    for (int n = 0; n < 3000; n++) marey_ctx_run(j->ctx, n % 7, note, j);
    long long expected = 0;
    for (int n = 0; n < 3000; n++) expected += (long long)(n % 7) * (n % 7 - 1) / 2;
    assert_int_equal(j->sum, expected);
    marey_ctx_close(j->ctx);
}

static void nested(void *user, int64_t i)
{
    (void)i;
    marey_ctx_run(((job *)user)->ctx, 10, note, user);
}

TEST(a_run_inside_a_run_is_done_by_the_same_thread)
{
    job *j = start(1, NULL);
    marey_ctx_run(j->ctx, 100, nested, j);
    assert_int_equal(j->sum, 4500);
    marey_ctx_close(j->ctx);
}

static void nested_alone(void *user, int64_t i)
{
    job mine = { .ctx = ((job *)user)->ctx };
    (void)i;
    marey_ctx_run(mine.ctx, 10, note, &mine);
    atomic_fetch_add(&((job *)user)->sum, mine.sum);
}

TEST(a_run_inside_a_run_of_many_threads_works)
{
    job *j = start(4, NULL);
    marey_ctx_run(j->ctx, 100, nested_alone, j);
    assert_int_equal(j->sum, 4500);
    marey_ctx_close(j->ctx);
}

TEST(without_memory_for_threads_the_loop_is_done_all_the_same)
{
    OWNED(test_memory) memory = { .refuse = 1 }; /* the pool; 0 is the context */
    job *j = start(4, &memory);
    marey_ctx_run(j->ctx, 100, note, j);
    assert_int_equal(j->sum, 4950);
    marey_ctx_close(j->ctx);
}

typedef struct load_job {
    marey_ctx *ctx;
    const char *text;
    marey_clip *clips[16];
} load_job;

static void load_one(void *user, int64_t i)
{
    load_job *j = user;
    marey_clip_load_bytes(j->ctx, "person.bvh", j->text, strlen(j->text), NULL, &j->clips[i], NULL);
}

TEST(clips_can_be_read_by_several_threads_of_one_run)
{
    load_job j = { 0 };
    char *text = test_person(40);
    j.text = text;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &j.ctx));
    marey_ctx_run(j.ctx, 16, load_one, &j);
    for (int i = 0; i < 16; i++) {
        assert_non_null(j.clips[i]);
        assert_memory_equal(marey_clip_rotations(j.clips[i], 39),
                            marey_clip_rotations(j.clips[0], 39), 21 * 4 * sizeof(float));
    }
    for (int i = 0; i < 16; i++) marey_clip_free(j.clips[i]);
    marey_ctx_close(j.ctx);
    free(text);
}

TEST_GROUP_OF_CASES(test_pool, NULL, NULL)
