/* test_example_paths.c - the best ways through the candidates of a query, by the table, are exactly
   those that trying all of them gives, in the same order, ties too. The judge writes down all k^n
   ways and sorts them. */
#include "support.h"

#include "example_clips.h"
#include "match/example_data.h"

#include <stdlib.h>

enum { MOST_FRAGMENTS = 7, MOST_WAYS = 4096, CASES = 10000 };

typedef struct way {
    int jumps;
    uint64_t error;
    int ranks[MOST_FRAGMENTS];
} way;

static int compare_ways(const void *a, const void *b)
{
    const way *x = a, *y = b;
    if (x->jumps != y->jumps) return x->jumps < y->jumps ? -1 : 1;
    if (x->error != y->error) return x->error < y->error ? -1 : 1;
    for (int i = 0; i < MOST_FRAGMENTS; i++) {
        if (x->ranks[i] != y->ranks[i]) return x->ranks[i] < y->ranks[i] ? -1 : 1;
    }
    return 0;
}

static int compare_errors(const void *a, const void *b)
{
    const mry_candidate *x = a, *y = b;
    return (x->error > y->error) - (x->error < y->error);
}

/* Few clips, turns and errors, so that much follows each other and much is equal. */
static void make_candidates(uint64_t *seed, int fragments, int k, int held, mry_candidate *out)
{
    int errors = example_random(seed) % 3 == 0 ? 2 : example_random(seed) % 2 ? 10 : 1000000;
    int turns = 2 + (int)(example_random(seed) % 8);
    for (int i = 0; i < fragments; i++) {
        for (int c = 0; c < held; c++) {
            int from = (int)(example_random(seed) % (uint64_t)turns);
            out[i * k + c] =
                (mry_candidate){ .error = example_random(seed) % (uint64_t)errors << 20,
                                 .clip = (int)(example_random(seed) % 2),
                                 .from = from,
                                 .to = from + (example_random(seed) % 4 ? 1 : 3) };
        }
        qsort(out + i * k, (size_t)held, sizeof *out, compare_errors);
    }
}

static void compare_case(uint64_t *seed, way *all)
{
    int fragments = 1 + (int)(example_random(seed) % MOST_FRAGMENTS);
    int k = 1 + (int)(example_random(seed) % 5), best = 1 + (int)(example_random(seed) % 12);
    if (fragments > 5 && k > 3) k = 3;
    int held = example_random(seed) % 4 ? k : 1 + (int)(example_random(seed) % (uint64_t)k);
    mry_candidate candidates[MOST_FRAGMENTS * 5];
    make_candidates(seed, fragments, k, held, candidates);
    int count = 1;
    for (int i = 0; i < fragments; i++) count *= held;
    for (int number = 0; number < count; number++) {
        way *w = &all[number];
        *w = (way){ 0 };
        for (int i = 0, rest = number; i < fragments; i++, rest /= held) {
            const mry_candidate *one = &candidates[i * k + rest % held];
            w->ranks[i] = rest % held;
            w->error += one->error;
            if (i == 0) continue;
            const mry_candidate *before = &candidates[(i - 1) * k + w->ranks[i - 1]];
            w->jumps += before->clip != one->clip || before->to != one->from;
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_ways);
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_path_table table;
    assert_true(mry_path_table_make(&mem, fragments, k, best, &table));
    int found = mry_paths_find(&table, candidates, held);
    assert_int_equal(found, count < best ? count : best);
    for (int p = 0; p < found; p++) {
        int ranks[MOST_FRAGMENTS] = { 0 };
        mry_path_read(&table, p, ranks);
        assert_memory_equal(ranks, all[p].ranks, sizeof ranks);
        assert_int_equal(table.first[p].jumps, all[p].jumps);
        assert_true(table.first[p].error == all[p].error);
    }
}

TEST(the_table_gives_what_trying_all_ways_gives)
{
    uint64_t seed = 11;
    FREED way *all = calloc(MOST_WAYS, sizeof *all);
    for (int i = test_trials(CASES, CASES); i > 0; i--) compare_case(&seed, all);
}

/* More jumps first, then the error: a way without jumps wins however bad it is. */
TEST_CTX(a_jump_weighs_more_than_any_error)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_candidate candidates[2][2] = {
        { { .error = 0, .from = 5, .to = 6 }, { .error = (uint64_t)1 << 52, .from = 1, .to = 2 } },
        { { .error = 1, .from = 9, .to = 10 }, { .error = (uint64_t)1 << 52, .from = 2, .to = 3 } }
    };
    mry_path_table table;
    int ranks[2];
    assert_true(mry_path_table_make(&mem, 2, 2, 1, &table));
    assert_int_equal(mry_paths_find(&table, candidates[0], 2), 1);
    mry_path_read(&table, 0, ranks);
    assert_int_equal(ranks[0], 1);
    assert_int_equal(ranks[1], 1);
    assert_int_equal(table.first[0].jumps, 0);
}

/* As many of all as there may be. */
TEST_CTX(the_largest_table_has_paths_that_are_sorted_and_all_different)
{
    enum { N = 40, K = MAREY_EXAMPLE_MOST_K, P = MAREY_EXAMPLE_MOST_BEST };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    uint64_t seed = 5;
    FREED mry_candidate *candidates = calloc(N * K, sizeof *candidates);
    int(*ranks)[N] = calloc(P, sizeof *ranks);
    mry_path_table table;
    make_candidates(&seed, N, K, K, candidates);
    assert_true(mry_path_table_make(&mem, N, K, P, &table));
    assert_int_equal(mry_paths_find(&table, candidates, K), P);
    for (int p = 0; p < P; p++) {
        mry_path_read(&table, p, ranks[p]);
        uint64_t error = 0;
        for (int i = 0; i < N; i++) error += candidates[i * K + ranks[p][i]].error;
        assert_true(error == table.first[p].error);
        for (int q = 0; q < p; q++) assert_memory_not_equal(ranks[p], ranks[q], sizeof *ranks);
        if (p == 0) continue;
        const mry_way *a = &table.first[p - 1], *b = &table.first[p];
        assert_true(a->jumps < b->jumps || (a->jumps == b->jumps && a->error <= b->error));
    }
    free(ranks);
}

TEST_GROUP_OF_CASES(test_example_paths, NULL, NULL)
