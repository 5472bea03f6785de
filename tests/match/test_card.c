/* test_card.c - grids, webs and searches with a graphics card: the processor's decisions, whatever the card's
   rounding is; and no harm where there is no card, a broken one, or a module of another version. On machines
   without a card this tries everything but the kernels, with the stand-in in plain C; scripts/check_card tries
   the kernels' text. */
#include "card_plain.h"
#include "frame_measures.h"
#include "metric_clips.h"
#include "web_fields.h"

#include "feature/feature_data.h"
#include "grid/points_card.h"
#include "grid/points_grid.h"
#include "match/query_scan.h"
#include "match/query_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static test_pair demo_pair(marey_ctx *ctx, int frames, int other_frames)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight"),
                           *other = test_demo_take(ctx, "walk_fast");
    OWNED(marey_clip) *a = test_trimmed(marey_demo_clip(take), 0, frames),
                      *b = test_trimmed(marey_demo_clip(other), 0, other_frames);
    marey_metric_def def = { .bounded = true };
    return test_pair_make(ctx, a, b, &def);
}

typedef struct list {
    marey_minimum *items;
    int count, room;
} list;

static void keep(void *user, const marey_minimum *items, int count)
{
    list *to = user;
    if (to->count + count > to->room) {
        to->room = 2 * (to->count + count);
        to->items = realloc(to->items, (size_t)to->room * sizeof *to->items);
        assert_non_null(to->items);
    }
    memcpy(to->items + to->count, items, (size_t)count * sizeof *items);
    to->count += count;
}

static list minima_of(marey_ctx *ctx, const marey_features *a, const marey_features *b, float below)
{
    list out = { 0 };
    marey_minima_def def = { .below = below, .found = keep, .user = &out };
    assert_int_equal(marey_grid_minima(ctx, a, b, &def, NULL), MAREY_OK);
    return out;
}

static void check_same_minima(const list *got, const list *right, float tolerance)
{
    assert_int_equal(got->count, right->count);
    for (int i = 0; i < got->count; i++) {
        assert_int_equal(got->items[i].row, right->items[i].row);
        assert_int_equal(got->items[i].col, right->items[i].col);
        assert_int_equal(got->items[i].least, right->items[i].least);
        assert_true(fabsf(got->items[i].value - right->items[i].value) <=
                    tolerance * (1 + right->items[i].value));
    }
}

/* Once by the processor alone, once with a module, whose distances may be off by a share. */
static void compare(marey_ctx *ctx, const mry_card_module *module, int frames, int other_frames,
                    float below, float share)
{
    OWNED(test_pair) pair = demo_pair(ctx, frames, other_frames);
    list right = minima_of(ctx, pair.a, pair.b, below);
    marey_ctx *with;
    marey_ctx_def def = { .threads = 2 };
    assert_int_equal(marey_ctx_open(&def, &with), MAREY_OK);
    assert_true(mry_card_take(with, module));
    list got = minima_of(with, pair.a, pair.b, below);
    assert_true(right.count > 0);
    check_same_minima(&got, &right, share);
    free(right.items);
    free(got.items);
    marey_ctx_close(with);
}

TEST_CTX(minima_with_a_card_are_the_processors)
{
    print_message("with the stand-in in plain C: no kernel of a card ran here\n");
    compare(ctx, &mry_card_plain, 260, 190, 0, 1e-3f);
    compare(ctx, &mry_card_plain, 33, 400, 300, 1e-3f);
    compare(ctx, &mry_card_plain, 200, 7, 1000, 1e-3f);
}

TEST_CTX(cells_that_a_card_is_not_sure_of_are_settled)
{
    compare(ctx, &mry_card_plain_off, 260, 190, 0, 1);
    compare(ctx, &mry_card_plain_off, 100, 400, 300, 1);
}

TEST_CTX(a_patch_has_the_bits_of_the_grid)
{
    OWNED(test_pair) pair = demo_pair(ctx, 210, 400);
    const mry_points *a = pair.a->points, *b = pair.b->points;
    OWNED(marey_grid) *grid = NULL;
    mry_arena mem = mry_arena_make(ctx);
    assert_int_equal(marey_grid_build(ctx, pair.a, pair.b, &grid, NULL), MAREY_OK);
    marey_rows rows = marey_grid_cost(grid);
    float *room = mry_arena_zero(&mem, mry_points_patch_room(a), sizeof(float)), near[9];
    assert_non_null(room);
    for (int i = 0; i < a->rows; i += i < 12 || i > a->rows - 12 ? 1 : 17) {
        for (int j = 0; j < b->rows; j++) {
            mry_points_patch(a, b, i, j, room, near);
            for (int n = 0; n < 9; n++) {
                int row = i - 1 + n / 3, col = j - 1 + n % 3;
                bool inside = row >= 0 && row < a->rows && col >= 0 && col < b->rows;
                float right =
                    inside ? rows.values[(size_t)row * rows.stride + (size_t)col] : INFINITY;
                assert_memory_equal(&near[n], &right, sizeof right);
            }
        }
    }
    mry_arena_free(&mem);
}

static marey_web *web_of(marey_ctx *ctx, const marey_features *a, const marey_features *b)
{
    marey_web *web = NULL;
    marey_web_def def = { .ceiling = 120 };
    assert_int_equal(marey_web_build(ctx, a, b, &def, &web, NULL), MAREY_OK);
    return web;
}

TEST_CTX(webs_with_a_card_are_the_same)
{
    OWNED(test_pair) pair = demo_pair(ctx, 420, 390);
    const mry_card_module *modules[] = { &mry_card_plain, &mry_card_plain_off };
    for (int turn = 0; turn < 4; turn++) {
        const marey_features *b = turn & 1 ? pair.a : pair.b;
        OWNED(marey_web) *right = web_of(ctx, pair.a, b);
        marey_ctx *with;
        assert_int_equal(marey_ctx_open(NULL, &with), MAREY_OK);
        assert_true(mry_card_take(with, modules[turn / 2]));
        marey_web *web = web_of(with, pair.a, b);
        assert_true(web->chain_count > 3);
        check_same_web(web, right);
        marey_web_free(web);
        marey_ctx_close(with);
    }
}

/* ---- no card, or a bad one ------------------------------------------------------------------- */

static void expect_text(const char *wanted, const char *part, bool there)
{
    marey_ctx *ctx;
    assert_int_equal(setenv("MAREY_CARD", wanted, 1), 0);
    assert_int_equal(marey_ctx_open(NULL, &ctx), MAREY_OK);
    mry_card_hold *hold = mry_card_for(ctx, MRY_CARD_LEAST);
    assert_int_equal(hold != NULL, there);
    if (!strstr(mry_card_text(ctx), part)) fail_msg("%s: %s", wanted, mry_card_text(ctx));
    marey_ctx_close(ctx);
    unsetenv("MAREY_CARD");
}

TEST(modules_that_are_absent_or_of_another_version_are_named_and_not_used)
{
    expect_text("none", "not wanted", false);
    expect_text("/nowhere/libmarey_cuda.so", "/nowhere/libmarey_cuda.so", false);
    expect_text("libm.so.6", "has no marey_card_module", false);
    expect_text(MAREY_CARD_TOMORROW, "version 7, this marey needs version 2; the processor is used",
                false);
    expect_text(MAREY_CARD_STANDIN, "plain C", true);
    expect_text("auto", "too little work", false);
}

TEST(portable_distances_are_the_processors_alone)
{
    marey_ctx *ctx;
    marey_ctx_def def = { .portable = true };
    assert_int_equal(setenv("MAREY_CARD", MAREY_CARD_STANDIN, 1), 0);
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    assert_null(mry_card_for(ctx, (int64_t)1 << 40));
    marey_ctx_close(ctx);
    unsetenv("MAREY_CARD");
}

static int failures;

static mry_card_result fail_minima(mry_card *card, const mry_card_job *job, mry_card_cell *cells,
                                   int64_t room, int64_t *count)
{
    (void)card, (void)job, (void)cells, (void)room, (void)count;
    failures++;
    return MRY_CARD_FAILED;
}

static mry_card_result refuse_clip(mry_card *card, const mry_card_points *points,
                                   mry_card_clip **out)
{
    (void)card, (void)points, (void)out;
    failures++;
    return MRY_CARD_NO_MEMORY;
}

TEST_CTX(a_card_that_fails_leaves_the_work_to_the_processor)
{
    mry_card_module broken = mry_card_plain, full = mry_card_plain;
    broken.minima = fail_minima;
    full.put_clip = refuse_clip;
    failures = 0;
    compare(ctx, &broken, 100, 90, 0, 1e-3f);
    assert_int_equal(failures, 1); /* it is not asked again */
    compare(ctx, &full, 100, 90, 0, 1e-3f);
    assert_int_equal(failures, 2);
}

TEST_CTX(refused_memory_is_reported_or_does_not_matter)
{
    OWNED(test_pair) pair = demo_pair(ctx, 120, 100);
    list right = minima_of(ctx, pair.a, pair.b, 500);
    int refused = 0, done = 0;
    for (size_t room = 20000; done < 3; room += room / 3) {
        marey_ctx *with;
        marey_ctx_def def = { .threads = 1, .byte_limit = room };
        if (marey_ctx_open(&def, &with)) continue;
        list got = { 0 };
        marey_minima_def minima = { .below = 500, .found = keep, .user = &got };
        if (mry_card_take(with, &mry_card_plain_off)) {
            marey_status status = marey_grid_minima(with, pair.a, pair.b, &minima, NULL);
            assert_true(status == MAREY_OK || status == MAREY_ERR_MEMORY);
            refused += status != MAREY_OK;
            done += status == MAREY_OK;
            if (!status) check_same_minima(&got, &right, 1);
        }
        free(got.items);
        marey_ctx_close(with);
        assert_true(room < (size_t)1 << 30);
    }
    assert_true(refused > 0);
    free(right.items);
}

/* ---- bounds of a search ---------------------------------------------------------------------- */

static mry_poses poses_of(mry_arena *mem, const char *name)
{
    mry_poses out;
    OWNED(marey_demo_take) *take = test_demo_take(mem->ctx, name);
    assert_int_equal(mry_poses_make(mem, marey_demo_clip(take), 30, &out, NULL), MAREY_OK);
    return out;
}

typedef struct searched {
    mry_arena mem;
    mry_scan_shelf shelf;
    mry_scan_part parts[3]; /* two, and a short one */
    mry_scan_query query;
    float cutoff;
} searched;

/* A second and a half of a take, beside all of it and another one. */
static void make_searched(searched *s, marey_ctx *ctx, int every)
{
    mry_pose_blocks blocks[3];
    s->mem = mry_arena_make(ctx);
    mry_poses poses[3] = { poses_of(&s->mem, "kicks"), poses_of(&s->mem, "idles"), { 0 } };
    poses[2] = poses[1];
    poses[2].rows = 50;
    float *weights = MRY_NEW(&s->mem, float, poses->points);
    int first = 30, end = first + 45, at = 5;
    assert_non_null(weights);
    for (int i = 0; i < 3; i++) {
        assert_true(mry_pose_blocks_make(&s->mem, &poses[i], &blocks[i]));
        s->parts[i] = (mry_scan_part){ at, poses[i].rows };
        at += blocks[i].blocks + 1;
    }
    assert_true(mry_scan_shelf_make(&s->mem, poses->points, at, &s->shelf));
    for (int i = 0; i < 3; i++) mry_scan_shelf_put(&s->shelf, s->parts[i].block, &blocks[i], 1);
    assert_true(mry_query_weights(&s->mem, poses, first, end, poses->has, weights));
    assert_true(mry_scan_query_make(&s->mem, poses, first, end, every, weights, 1, &s->query));
    s->cutoff = mry_still_cost(&s->mem, &s->query, poses, first, 1);
}

static void check_same_left(const mry_stretches *a, const mry_stretches *b, int rows)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const mry_stretch *one = &a->items[i], *other = &b->items[i];
        assert_int_equal(one->part, other->part);
        assert_int_equal(one->from, other->from);
        assert_int_equal(one->to, other->to);
        assert_memory_equal(one->live, other->live, (size_t)rows * (size_t)(one->to - one->from));
    }
}

static int blocks_of(const uint32_t *ends, const mry_scan_shelf *shelf)
{
    int count = 0;
    for (int b = 0; b < shelf->blocks; b++) count += ends[b / 32] >> b % 32 & 1;
    return count;
}

TEST_CTX(what_a_card_leaves_of_a_search_is_what_the_processor_leaves)
{
    assert_true(mry_card_take(ctx, &mry_card_plain));
    for (int turn = 0; turn < 8; turn++) {
        static const float shares[] = { 0.02f, 0.2f, 0.5f, 1 };
        searched s;
        mry_scan_card card = { 0 };
        mry_stretches alone, with;
        make_searched(&s, ctx, 1 + turn / 4);
        float cutoff = s.cutoff * shares[turn % 4];
        int mr = s.query.kernel->mr, groups = (s.query.rows + mr - 1) / mr;
        const uint32_t *ends = mry_scan_card_ends(&s.mem, &s.query, &s.shelf, cutoff, &card);
        assert_non_null(ends);
        for (int first = 0; first < 3; first++) { /* from a tile's beginning or not */
            assert_true(mry_scan_rule_out(&s.mem, &s.query, &s.shelf, s.parts + first, 3 - first,
                                          cutoff, NULL, &alone));
            assert_true(mry_scan_rule_out(&s.mem, &s.query, &s.shelf, s.parts + first, 3 - first,
                                          cutoff, ends, &with));
            check_same_left(&with, &alone, groups);
            assert_true(first > 0 || alone.count > 0);
        }
        /* It is near enough to be of use: of most blocks it says that nothing ends there. */
        assert_in_range(blocks_of(ends, &s.shelf), 1, s.shelf.blocks / (turn % 4 < 2 ? 3 : 1));
        mry_scan_card_drop(&card);
        mry_arena_free(&s.mem);
    }
}

static mry_card_result refuse_shelf(mry_card *card, const mry_card_shelf_def *def,
                                    mry_card_shelf **out)
{
    (void)card, (void)def, (void)out;
    failures++;
    return MRY_CARD_NO_MEMORY;
}

static mry_card_result fail_ends(mry_card *card, const mry_card_shelf *shelf,
                                 const mry_card_query *query)
{
    (void)card, (void)shelf;
    memset(query->ends, 0, sizeof *query->ends); /* which must not be believed */
    failures++;
    return MRY_CARD_FAILED;
}

TEST_CTX(a_card_that_fails_leaves_the_search_to_the_processor)
{
    static mry_card_module broken, full; /* until the context is closed */
    broken = full = mry_card_plain;
    broken.ends = fail_ends;
    full.put_shelf = refuse_shelf;
    searched s;
    make_searched(&s, ctx, 1);
    for (int turn = 0; turn < 2; turn++) {
        mry_scan_card card = { 0 };
        assert_true(mry_card_take(ctx, turn ? &full : &broken));
        failures = 0;
        for (int again = 0; again < 3; again++)
            assert_null(mry_scan_card_ends(&s.mem, &s.query, &s.shelf, s.cutoff, &card));
        assert_int_equal(failures, 1); /* it is not asked again */
        mry_scan_card_drop(&card);
    }
    mry_arena_free(&s.mem);
}

TEST_GROUP_OF_CASES(test_card, NULL, NULL)
