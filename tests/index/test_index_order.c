/* test_index_order.c - the order of pairs in an index: every pair has a place of its own, and a run of
   places is of few clips. */
#include "support.h"

#include "base/context.h"
#include "index/index_order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CLIPS = 100 };

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
} bench;

static int bench_make(void **state)
{
    bench *b = *state = calloc(1, sizeof *b);
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    return 0;
}

static int bench_free(void **state)
{
    bench *b = *state;
    marey_ctx_close(b->ctx);
    long live = b->memory.live;
    free(b);
    return live == 0 ? 0 : -1;
}

#define CASE(name) TEST_OF_IN(bench_make, bench_free, bench *b, name)

typedef struct pair {
    int i, j;
} pair;

/* Clips of many lengths: all alike, each longer than the one before, one longer than all others
   together, and a mixture. */
static void make_rows(int *rows, int count, int kind)
{
    for (int i = 0; i < count; i++) {
        const int kinds[] = { 1, 10 * (i + 1), i == count / 3 ? 1000000 : 7,
                              50 + (i * 7919 + 13) % 997 };
        rows[i] = kinds[kind];
    }
}

/* All pairs by their places; each has one, and only it. */
static pair *list_pairs(const mry_index_order *order, int count)
{
    int64_t all = (int64_t)count * (count + 1) / 2;
    pair *pairs = malloc((size_t)all * sizeof *pairs);
    for (int64_t k = 0; k < all; k++) pairs[k].i = -1;
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            int64_t place = mry_index_order_place(order, i, j);
            assert_true(place >= 0 && place < all);
            assert_int_equal(pairs[place].i, -1);
            pairs[place] = (pair){ i, j };
        }
    }
    return pairs;
}

CASE(every_pair_has_a_place_and_every_place_a_pair)
{
    int rows[MOST_CLIPS];
    for (int kind = 0; kind < 4; kind++) {
        for (int count = 1; count <= 40; count++) {
            OWNED(mry_arena) mem = mry_arena_make(b->ctx);
            make_rows(rows, count, kind);
            mry_index_order order = mry_index_order_make(&mem, rows, count);
            assert_non_null(order.runs);
            free(list_pairs(&order, count));
        }
    }
}

CASE(no_clips_have_no_pairs)
{
    OWNED(mry_arena) mem = mry_arena_make(b->ctx);
    assert_non_null(mry_index_order_make(&mem, NULL, 0).runs);
}

/* A square of pairs of a shard's area has sides of sqrt(1 / (2 N)) of the clips, and there are two of them:
   for 16 shards 0.35 of all. In the order of rows it would be 0.7. */
CASE(a_shard_is_of_few_clips)
{
    static const struct {
        int shards;
        double mean, most;
    } expected[] = { { 4, 0.75, 1 }, { 16, 0.47, 0.62 }, { 64, 0.27, 0.42 } };
    int rows[MOST_CLIPS];
    for (int kind = 0; kind < 4; kind++) {
        OWNED(mry_arena) mem = mry_arena_make(b->ctx);
        if (kind == 2)
            continue; /* one clip is nearly all of the work, and part of nearly all pairs */
        make_rows(rows, MOST_CLIPS, kind);
        mry_index_order order = mry_index_order_make(&mem, rows, MOST_CLIPS);
        FREED pair *pairs = list_pairs(&order, MOST_CLIPS);
        double all_rows = 0, work = 0;
        for (int i = 0; i < MOST_CLIPS; i++) all_rows += rows[i];
        for (size_t n = 0; n < sizeof expected / sizeof *expected; n++) {
            int shards = expected[n].shards, at = 0;
            double done = 0, mean = 0, most = 0;
            work = all_rows * all_rows / 2;
            for (int shard = 0; shard < shards; shard++) {
                bool read[MOST_CLIPS] = { false };
                double share = 0;
                for (; at < MOST_CLIPS * (MOST_CLIPS + 1) / 2; at++) {
                    int i = pairs[at].i, j = pairs[at].j;
                    double cost = (double)rows[i] * rows[j] / (i == j ? 2 : 1);
                    if (done + cost / 2 > work * (shard + 1) / shards) break;
                    done += cost;
                    read[i] = read[j] = true;
                }
                for (int i = 0; i < MOST_CLIPS; i++) share += read[i] ? rows[i] / all_rows : 0;
                mean += share / shards;
                if (share > most) most = share;
            }
            if (mean > expected[n].mean || most > expected[n].most)
                fail_msg("kind %d, %d shards: %.2f of the clips, at most %.2f", kind, shards, mean,
                         most);
        }
    }
}

CASE(refused_memory_gives_no_order)
{
    int rows[] = { 1, 2, 3 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &b->memory }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(b->ctx);
        mry_index_order order = mry_index_order_make(&mem, rows, 3);
        status = order.runs ? MAREY_OK : MAREY_ERR_MEMORY;
    }
}

TEST_GROUP_OF_CASES(test_index_order, NULL, NULL)
