/* test_query_scan.c - the distance of poses is what it says, blocks bound it, and the scan finds
   every end up to the cut-off and nothing else: against all alignments of small grids, and against
   the whole grid of clips. */
#include "support.h"

#include "base/context.h"
#include "match/query_scan.h"

#include <marey/demo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cost, by trying everything ---------------------------------------------------------- */

typedef struct tried {
    marey_rows cost;
    mry_scan_steps steps;
    double least[16][16]; /* of alignments from a column to a column */
} tried;

static void try_all(tried *t, int start, int row, int col, int stays, double sum)
{
    sum += (double)t->cost.values[(size_t)row * t->cost.stride + (size_t)col];
    if (row == t->cost.rows - 1) {
        t->least[start][col] = fmin(t->least[start][col], sum / t->cost.rows);
        return;
    }
    if (stays < t->steps.stays) try_all(t, start, row + 1, col, stays + 1, sum);
    for (int d = 1; d <= t->steps.most && col + d < t->cost.cols; d++)
        try_all(t, start, row + 1, col + d, 0, sum);
}

TEST_CTX(the_least_of_all_alignments_is_found)
{
    enum { MOST = 10 };
    uint32_t seed = 1;
    for (int round = 0; round < 60; round++) {
        mry_arena mem = mry_arena_make(ctx);
        float values[8 * MOST + 16];
        tried t = { .cost = { values, 1 + round % 7, 1 + round % MOST, MOST },
                    .steps = { 1 + round % 4, round % 3 } };
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            values[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 20);
        for (int s = 0; s < t.cost.cols; s++) {
            for (int e = 0; e < t.cost.cols; e++) t.least[s][e] = (double)INFINITY;
            try_all(&t, s, 0, s, 0, 0);
        }
        const mry_kernel *kernel;
        for (int k = 0; (kernel = mry_kernel_find(k)); k++) {
            mry_row_warp warp, bare;
            assert_true(mry_row_warp_make(&mem, kernel, t.cost.cols, t.steps, true, &warp));
            assert_true(mry_row_warp_make(&mem, kernel, t.cost.cols, t.steps, false, &bare));
            for (int i = 0; i < t.cost.rows; i++) {
                mry_row_warp_add(&warp, values + i * MOST);
                mry_row_warp_add(&bare, values + i * MOST);
            }
            for (int e = 0; e < t.cost.cols; e++) {
                double least = (double)INFINITY, cost = (double)warp.best[e] / t.cost.rows;
                for (int s = 0; s < t.cost.cols; s++) least = fmin(least, t.least[s][e]);
                assert_true(isinf(cost) == isinf(least) && warp.best[e] == bare.best[e]);
                if (isinf(least)) continue;
                test_near(cost, least, 1e-4 * least);
                test_near(t.least[warp.best_from[e]][e], least, 1e-4 * least);
            }
        }
        mry_arena_free(&mem);
    }
}

/* ---- takes as poses -------------------------------------------------------------------------- */

static mry_poses take_poses(mry_arena *mem, int number, double rate)
{
    marey_demo_take *take;
    mry_poses out;
    test_ok(marey_demo_build(mem->ctx, number, 1, &take, NULL));
    test_ok(mry_poses_make(mem, marey_demo_clip(take), rate, &out, NULL));
    marey_demo_free(take);
    return out;
}

/* The same motion, so many times as slow. */
static mry_poses slower(mry_arena *mem, const mry_poses *of, double factor)
{
    mry_poses out = *of;
    size_t row = 3 * (size_t)of->points;
    out.rows = (int)(factor * (of->rows - 1));
    out.places = MRY_NEW(mem, float, (size_t)out.rows *row);
    out.centres = MRY_NEW(mem, double, (size_t)out.rows * 3);
    out.marked = MRY_NEW(mem, uint8_t, out.rows);
    for (int i = 0; i < out.rows; i++) {
        double at = i / factor, share = at - floor(at);
        const float *from = of->places + (size_t)at * row;
        const double *centre = of->centres + (size_t)at * 3;
        for (size_t k = 0; k < row; k++)
            out.places[(size_t)i * row + k] =
                (float)((1 - share) * (double)from[k] + share * (double)from[row + k]);
        for (size_t k = 0; k < 3; k++)
            out.centres[(size_t)i * 3 + k] = (1 - share) * centre[k] + share * centre[k + 3];
    }
    return out;
}

static uint32_t test_seed = 7;

static double next_random(void)
{
    return (test_seed = test_seed * 1664525u + 1013904223u) / 4294967296.0;
}

static void make_weights(int points, double evenness, float *weights)
{
    double sum = 0, all[64];
    assert_true(points <= 64);
    for (int p = 0; p < points; p++) sum += all[p] = evenness + next_random() * next_random();
    for (int p = 0; p < points; p++) weights[p] = (float)(all[p] / sum);
}

/* ---- the distance, by turning and shifting --------------------------------------------------- */

/* Of a row turned by an angle; the best shift takes the weighted means to one place. */
static double turned(int points, const float *weights, const float *a, const float *b, double angle)
{
    double mean[3] = { 0 }, sum = 0, c = cos(angle), s = sin(angle);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2 * points; i++) {
            double w = (double)weights[i % points];
            double x = (double)b[3 * i], z = (double)b[3 * i + 1];
            double way[3] = { (double)a[3 * i] - (c * x - s * z),
                              (double)a[3 * i + 1] - (s * x + c * z),
                              (double)a[3 * i + 2] - (double)b[3 * i + 2] };
            for (int k = 0; k < 3; k++) {
                if (pass == 0 && i < points) mean[k] += w * way[k];
                double rest = way[k] - (i < points ? mean[k] : 0);
                if (pass == 1) sum += w * rest * rest;
            }
        }
    }
    return sum;
}

static double judge_distance(int points, const float *weights, const float *a, const float *b)
{
    enum { ANGLES = 720 };
    const double step = 2 * 3.14159265358979323846 / ANGLES;
    double least = (double)INFINITY, at = 0;
    for (int k = 0; k < ANGLES; k++) {
        double d = turned(points, weights, a, b, k * step);
        if (d < least) at = k * step;
        least = fmin(least, d);
    }
    double low = at - step, high = at + step;
    for (int k = 0; k < 60; k++) {
        double one = low + (high - low) / 3, two = high - (high - low) / 3;
        if (turned(points, weights, a, b, one) < turned(points, weights, a, b, two))
            high = two;
        else
            low = one;
    }
    return turned(points, weights, a, b, (low + high) / 2);
}

/* One cell by the kernels. */
static double one_distance(mry_arena *mem, const mry_poses *a, int i, const mry_poses *b, int j,
                           const float *weights)
{
    mry_scan_query query;
    mry_scan_strip strip;
    mry_scan_ends ends;
    assert_true(mry_scan_query_make(mem, a, i, i + 1, 1, weights, 1, &query));
    assert_true(mry_scan_measure(mem, &query, b, 1, 1e9f, (mry_stretch){ 0, j, j + 1, NULL },
                                 &strip, &ends));
    assert_int_equal(ends.count, 1);
    return (double)ends.items[0].cost;
}

TEST_CTX(a_distance_is_the_least_over_turns_and_shifts)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses a = take_poses(&mem, 3, 60), b = take_poses(&mem, 14, 60);
    float weights[64], *one = MRY_NEW(&mem, float, 6 * a.points),
                       *two = MRY_NEW(&mem, float, 6 * a.points);
    assert_int_equal(a.points, MAREY_ROLE_COUNT);
    for (int round = 0; round < 60; round++) {
        int i = (int)(next_random() * a.rows), j = (int)(next_random() * b.rows);
        make_weights(a.points, round % 3 * 0.1, weights);
        mry_pose_row(&a, i, 1, one);
        mry_pose_row(&b, j, 1, two);
        double right = judge_distance(a.points, weights, one, two);
        test_near(one_distance(&mem, &a, i, &b, j, weights), right, 1e-4 * right + 4e-3);
    }
    mry_arena_free(&mem);
}

/* A velocity is a way over time; what stands still has none, and neither does the end of what was
   captured reach beyond it. */
TEST_CTX(rows_know_how_their_points_move)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses of = take_poses(&mem, 0, 60);
    size_t numbers = 3 * (size_t)of.points;
    float *row = MRY_NEW(&mem, float, 2 * numbers);
    for (int i = 0; i < of.rows; i++) {
        memcpy(of.places + (size_t)i * numbers, of.places, numbers * sizeof(float));
        of.centres[3 * (size_t)i] = 1000 + 2.0 * i; /* 120 cm/s along x */
        of.centres[3 * (size_t)i + 1] = -5;
        of.centres[3 * (size_t)i + 2] = 90;
    }
    of.marked[50] = 1;
    for (int i = 0; i < 60; i++) {
        mry_pose_row(&of, i, 0.5f, row);
        double speed = i == 50 ? 0 : 120;
        test_near((double)row[numbers], 0.5 * MRY_POSE_S * speed, 1e-3);
        test_near((double)row[numbers + 1], 0, 1e-6);
        test_near((double)row[numbers + 2], 0, 1e-6);
        test_near((double)row[4], 0.5 * (double)of.places[4], 1e-6);
    }
    of.centres[3 * 49] += 5; /* only rows before the one that is not captured see it */
    mry_pose_row(&of, 51, 1, row);
    test_near((double)row[numbers], MRY_POSE_S * 120, 1e-3);
    mry_pose_row(&of, 48, 1, row);
    assert_true((double)row[numbers] > MRY_POSE_S * 125);
    mry_arena_free(&mem);
}

/* Rows that are packed together are those that are packed one by one, to the last bit. */
TEST_CTX(packed_rows_are_the_same_together_and_one_by_one)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses of = take_poses(&mem, 3, 60);
    const mry_kernel *kernel;
    of.marked[70] = of.marked[201] = 1;
    for (int k = 0; (kernel = mry_kernel_find(k)); k++) {
        static const int ranges[][2] = { { 0, 130 }, { 5, 6 }, { 74, 197 }, { 190, 240 } };
        for (size_t r = 0; r <= sizeof ranges / sizeof *ranges; r++) {
            bool last = r == sizeof ranges / sizeof *ranges;
            int from = last ? of.rows - 60 : ranges[r][0], to = last ? of.rows : ranges[r][1];
            size_t size = mry_pose_panels(of.points, to - from, kernel->nr);
            float *room = MRY_NEW(&mem, float, 6 * of.points);
            float *all = MRY_NEW(&mem, float, size), *each = MRY_NEW(&mem, float, size);
            mry_pose_pack_rows(kernel, &of, from, to, 0.9f, room, all);
            for (int i = from; i < to; i++) {
                mry_pose_row(&of, i, 0.9f, room);
                mry_pose_pack_clip(kernel, of.points, room, i - from, each);
            }
            for (size_t i = 0; i < size; i++)
                assert_true(each[i] == 0 || all[i] == each[i]); /* 0: behind the last one */
        }
    }
    mry_arena_free(&mem);
}

/* ---- the scan, by the whole grid ------------------------------------------------------------- */

typedef struct tally {
    int64_t rows, left;
    int ends, queries;
} tally;

/* Cut-offs by what share of the ends are to be found. */
static const double shares[] = { 0, 0.001, 0.01, 0.1, 0.5, 1 };

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A path costs what its end says, and goes as alignments may. */
static void check_path(mry_arena *mem, const mry_scan_strip *strip, const mry_poses *a, int first,
                       int last, const mry_poses *b, const mry_scan_end *end)
{
    const mry_scan_query *query = strip->query;
    mry_scan_steps steps = query->steps;
    int *path = MRY_NEW(mem, int, query->rows), stays = 0;
    double sum = 0;
    assert_true(mry_scan_path(mem, strip, end->start, end->end, path));
    assert_int_equal(path[0], end->start);
    assert_int_equal(path[query->rows - 1], end->end);
    for (int i = 0; i < query->rows; i++) {
        int row = i < query->rows - 1 ? first + i * query->every : last;
        sum += one_distance(mem, a, row, b, path[i], query->weights);
        if (i == 0) continue;
        stays = path[i] == path[i - 1] ? stays + 1 : 0;
        assert_true(stays <= steps.stays && path[i] >= path[i - 1] &&
                    path[i] - path[i - 1] <= steps.most);
    }
    test_near((double)end->cost, sum / query->rows, 1e-4 * (double)end->cost + 2e-3);
}

static void check_query(marey_ctx *ctx, const mry_poses *a, const mry_poses *b, int first, int end,
                        int every, mry_scan_steps steps, tally *all)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_scan_query query;
    mry_pose_blocks blocks;
    mry_scan_shelf shelf;
    mry_scan_strip strip;
    mry_scan_ends whole;
    float weights[64];
    make_weights(a->points, 0.2, weights);
    assert_true(mry_scan_query_make(&mem, a, first, end, every, weights, 1, &query));
    assert_int_equal(query.rows, (end - first - 1 + every - 1) / every + 1);
    if (steps.most > 0) query.steps = steps;
    assert_true(mry_pose_blocks_make(&mem, b, &blocks));
    /* Twice, so that it is seen when one clip goes on in the other, and with blocks of no clip
       before both, so that no panel begins with them. */
    mry_scan_part parts[2] = { { 3, b->rows }, { 3 + blocks.blocks + 1, b->rows } };
    assert_true(mry_scan_shelf_make(&mem, b->points, 5 + 2 * blocks.blocks, &shelf));
    for (int p = 0; p < 2; p++) mry_scan_shelf_put(&shelf, parts[p].block, &blocks, 1);
    assert_true(mry_scan_measure(&mem, &query, b, 1, 1e9f, (mry_stretch){ 0, 0, b->rows, NULL },
                                 &strip, &whole));
    float *sorted = MRY_NEW(&mem, float, whole.count);
    for (int i = 0; i < whole.count; i++) sorted[i] = whole.items[i].cost;
    qsort(sorted, (size_t)whole.count, sizeof *sorted, by_value);
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        float cutoff = sorted[(size_t)(shares[s] * (whole.count - 1))] * (1 + 1e-5f);
        mry_stretches left;
        int i = 0;
        assert_true(mry_scan_rule_out(&mem, &query, &shelf, parts, 2, cutoff, NULL, &left));
        for (int part = 0; part < 2; part++) {
            int at = 0;
            for (; i < left.count && left.items[i].part == part; i++) {
                mry_scan_ends found;
                assert_true(
                    mry_scan_measure(&mem, &query, b, 1, cutoff, left.items[i], &strip, &found));
                all->left += left.items[i].to - left.items[i].from;
                all->ends += found.count;
                for (int k = 0; k < found.count; k++, at++) {
                    while (at < whole.count && whole.items[at].cost > cutoff) at++;
                    assert_true(at < whole.count);
                    assert_int_equal(found.items[k].end, whole.items[at].end);
                    assert_true(found.items[k].cost == whole.items[at].cost);
                    if (s == 0 && part == 0)
                        check_path(&mem, &strip, a, first, end - 1, b, &found.items[k]);
                }
            }
            while (at < whole.count) assert_true(whole.items[at++].cost > cutoff);
            all->rows += b->rows;
        }
        assert_int_equal(i, left.count);
    }
    all->queries++;
    mry_arena_free(&mem);
}

/* Every row is as near to its block's middle as the block says, and to its guess; and so is the next
   middle. */
TEST_CTX(blocks_say_how_far_their_rows_are)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses of = take_poses(&mem, 14, 60);
    mry_pose_blocks blocks;
    size_t numbers = 6 * (size_t)of.points;
    float *row = MRY_NEW(&mem, float, numbers), *guess = MRY_NEW(&mem, float, numbers);
    float *near = MRY_NEW(&mem, float, 4 * numbers), weights[64];
    assert_true(mry_pose_blocks_make(&mem, &of, &blocks));
    for (int r = 0; r < of.rows; r += TEST_SANITIZED ? 37 : 7) {
        int b = r / MRY_POSE_BLOCK;
        double most[3] = { 0 };
        const mry_pose_between *by = &mry_pose_guesses[r % MRY_POSE_BLOCK];
        make_weights(of.points, 0, weights);
        for (int p = 0; p < of.points; p++) {
            const uint8_t *widths[3] = { blocks.radii, blocks.rests, blocks.steps };
            for (int k = 0; k < 3; k++) {
                double root = widths[k][p * blocks.blocks + b];
                double width = root < MRY_POSE_FAR ? root * root / MRY_POSE_ROOT_PARTS : 1e9;
                most[k] += (double)weights[p] * width * width;
            }
        }
        memset(guess, 0, numbers * sizeof *guess);
        for (int m = 0; m < 4; m++) {
            int at = b - by->first + m;
            mry_pose_middle(&blocks,
                            at < 0               ? 0
                            : at < blocks.blocks ? at
                                                 : blocks.blocks - 1,
                            near + (size_t)m * numbers);
            for (size_t i = 0; i < numbers; i++)
                guess[i] += by->shares[m] * near[(size_t)m * numbers + i];
        }
        const float *middle = near + (size_t)by->first * numbers, *next = middle + numbers;
        mry_pose_row(&of, r, 1, row);
        assert_true(judge_distance(of.points, weights, row, middle) <= most[0]);
        assert_true(judge_distance(of.points, weights, row, guess) <= most[1]);
        if (b + 1 < blocks.blocks)
            assert_true(turned(of.points, weights, middle, next, 0) <= most[2]);
    }
    mry_arena_free(&mem);
}

TEST_CTX(every_end_up_to_the_cut_off_is_found_and_no_other)
{
    static const int takes[][2] = { { 0, 1 }, { 3, 3 }, { 5, 11 }, { 12, 20 }, { 14, 6 } };
    tally all = { 0 };
    size_t pairs = TEST_SANITIZED ? 2 : sizeof takes / sizeof *takes;
    for (size_t p = 0; p < pairs; p++) {
        mry_arena mem = mry_arena_make(ctx);
        mry_poses a = take_poses(&mem, takes[p][0], 60), b = take_poses(&mem, takes[p][1], 60);
        for (int q = 0; q < 3; q++) {
            int first = a.rows / 10 + a.rows / 5 * q, length = 1 + 44 * q;
            mry_scan_steps steps = { 2 + q, 1 + q }, own = { 0 };
            check_query(ctx, &a, &b, first, first + length, 1, steps, &all);
            /* Alignments as steep as they may be, one way and the other. */
            mry_poses slow = slower(&mem, &a, 1.9 + q);
            check_query(ctx, &a, &slow, first, first + length, 1, steps, &all);
            check_query(ctx, &slow, &a, 2 * first, 2 * first + length, 1, steps, &all);
            /* By every other row, and by those and the last. */
            slow = slower(&mem, &a, 1.9);
            check_query(ctx, &a, &slow, first, first + length, 2, own, &all);
            check_query(ctx, &slow, &a, 2 * first, 2 * first + length + 1, 2, own, &all);
        }
        mry_arena_free(&mem);
    }
    print_message("%d queries, %d ends; blocks left %.3f of the rows\n", all.queries, all.ends,
                  (double)all.left / (double)all.rows);
    assert_true(all.ends > 1000 && 5 * all.left < 4 * all.rows);
}

/* What was not captured is in no match, and does not come near to one. */
TEST_CTX(marked_rows_are_in_no_alignment)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses of = take_poses(&mem, 3, 60);
    mry_scan_query query;
    mry_scan_strip strip;
    mry_scan_ends found;
    float weights[64];
    make_weights(of.points, 1, weights);
    assert_true(mry_scan_query_make(&mem, &of, 100, 160, 1, weights, 1, &query));
    for (int r = 120; r < 124; r++) of.marked[r] = 1;
    assert_true(mry_scan_measure(&mem, &query, &of, 1, 1e9f, (mry_stretch){ 0, 0, of.rows, NULL },
                                 &strip, &found));
    assert_true(found.count > 0);
    for (int i = 0; i < found.count; i++)
        assert_true(found.items[i].end < 120 || found.items[i].start >= 124);
    mry_arena_free(&mem);
}

/* ---- blocks as bytes ------------------------------------------------------------------------- */

TEST_CTX(blocks_come_back_from_their_bytes_and_damage_is_told)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses of = take_poses(&mem, 5, 60);
    mry_pose_blocks made, read;
    const uint8_t *bytes;
    size_t size;
    assert_true(mry_pose_blocks_make(&mem, &of, &made));
    assert_true(mry_pose_blocks_write(&mem, &made, &bytes, &size));
    assert_true((double)size / of.rows < 64);
    assert_true(mry_pose_blocks_read(bytes, size, &read));
    assert_int_equal(read.rows, of.rows);
    assert_int_equal(read.blocks, made.blocks);
    assert_int_equal(read.points, of.points);
    assert_true(read.by_roles && read.has == of.has && read.rate == 60 && read.scale == of.scale);
    assert_memory_equal(read.middles, made.middles, mry_pose_blocks_size(made.blocks, of.points));
    assert_int_equal(read.steps - read.middles, made.steps - made.middles);
    for (size_t less = 1; less < 40; less++)
        assert_false(mry_pose_blocks_read(bytes, size - less, &read));
    assert_false(mry_pose_blocks_read(bytes, 0, &read));
    uint8_t *other = MRY_NEW(&mem, uint8_t, size);
    memcpy(other, bytes, size);
    other[0] = 9; /* of a later marey */
    assert_false(mry_pose_blocks_read(other, size, &read));
    mry_arena_free(&mem);
}

TEST_CTX(without_memory_nothing_is_found_and_nothing_is_left)
{
    mry_arena all = mry_arena_make(ctx);
    mry_poses of = take_poses(&all, 3, 60);
    float weights[64];
    bool found = false;
    make_weights(of.points, 1, weights);
    for (size_t limit = 0; !found; limit += 50000) {
        mry_arena mem = mry_arena_make(ctx);
        mry_scan_query query;
        mry_pose_blocks blocks;
        mry_scan_shelf shelf;
        mry_stretches left;
        mry_scan_strip strip;
        mry_scan_ends ends;
        mry_scan_part part = { 0, of.rows };
        int path[60];
        size_t before = ctx->def.byte_limit;
        ctx->def.byte_limit = marey_ctx_bytes(ctx) + limit;
        found = mry_scan_query_make(&mem, &of, 100, 160, 1, weights, 1, &query) &&
                mry_pose_blocks_make(&mem, &of, &blocks) &&
                mry_scan_shelf_make(&mem, of.points, blocks.blocks + 1, &shelf);
        if (found) mry_scan_shelf_put(&shelf, 0, &blocks, 1);
        found = found && mry_scan_rule_out(&mem, &query, &shelf, &part, 1, 30, NULL, &left) &&
                mry_scan_measure(&mem, &query, &of, 1, 30, (mry_stretch){ 0, 0, of.rows, NULL },
                                 &strip, &ends) &&
                mry_scan_path(&mem, &strip, 100, 159, path);
        ctx->def.byte_limit = before;
        if (found) assert_true(left.count > 0 && ends.count > 0 && path[59] == 159);
        mry_arena_free(&mem);
        assert_true(limit < 1u << 30);
    }
    mry_arena_free(&all);
}

TEST_GROUP_OF_CASES(test_query_scan, NULL, NULL)
