/* test_web_clips.c - match webs of clips: what is never computed is not missed, marked frames are
   in no path, all metrics, and how far the paper's resolutions lead from the web of all frames. */
#include "frame_measures.h"
#include "metric_clips.h"
#include "web_fields.h"

#include "feature/feature_data.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 420 };

/* Two takes of the demo library: many actions, some of them alike. */
static marey_clip *demo_clip(marey_ctx *ctx, const char *name)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, name);
    int frames = marey_clip_frames(marey_demo_clip(take));
    marey_clip *clip = test_trimmed(marey_demo_clip(take), 0, frames < FRAMES ? frames : FRAMES);
    return clip;
}

static test_pair demo_pair(marey_ctx *ctx, const marey_metric_def *def)
{
    OWNED(marey_clip) *a = demo_clip(ctx, "walk_straight"), *b = demo_clip(ctx, "walk_fast");
    return test_pair_make(ctx, a, b, def);
}

static marey_web *build(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                        const marey_web_def *def)
{
    marey_web *web = NULL;
    marey_error error = { 0 };
    marey_status status = marey_web_build(ctx, a, b, def, &web, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, MAREY_OK);
    return web;
}

/* The web of the whole grid, built before. */
static marey_web *build_whole(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                              const marey_web_def *def)
{
    OWNED(marey_grid) *grid = NULL;
    marey_web *web = NULL;
    assert_int_equal(marey_grid_build(ctx, a, b, &grid, NULL), MAREY_OK);
    assert_int_equal(mry_web_from_rows(ctx, marey_grid_cost(grid), a == b,
                                       marey_layout_fps(marey_features_layout(a)), def, 0, &web,
                                       NULL),
                     MAREY_OK);
    return web;
}

/* ---- points ---------------------------------------------------------------------------------- */

TEST_CTX(a_web_of_clouds_is_that_of_their_whole_grid)
{
    for (int turn = 0; turn < 8; turn++) {
        marey_metric_def metric = { .bounded = turn % 2 };
        OWNED(test_pair) pair = demo_pair(ctx, &metric);
        const marey_features *b = turn & 2 ? pair.a : pair.b;
        marey_web_def def = { .ceiling = turn & 4 ? 60 : INFINITY };
        OWNED(marey_web) *web = build(ctx, pair.a, b, &def),
                         *whole = build_whole(ctx, pair.a, b, &def);
        assert_true(web->chain_count > 3);
        check_same_web(web, whole);
    }
}

TEST_CTX(a_motion_with_itself_has_the_chains_above_the_diagonal_of_it_with_its_copy)
{
    OWNED(marey_clip) *clip = demo_clip(ctx, "walk_straight");
    OWNED(test_pair) pair = test_pair_make(ctx, clip, clip, NULL);
    OWNED(marey_web) *self = build(ctx, pair.a, pair.a, NULL),
                     *both = build(ctx, pair.a, pair.b, NULL);
    marey_web_path diagonal = marey_web_path_at(self, 0);
    assert_int_equal(diagonal.count, self->rows);
    for (int i = 0; i < diagonal.count; i++) {
        assert_true(diagonal.cells[i].row == i && diagonal.cells[i].col == i);
        assert_true(diagonal.costs[i] == 0);
    }
    int next = 1;
    for (int i = 0; i < both->chain_count - both->tail_count; i++) {
        marey_web_path path = marey_web_path_at(both, i);
        if (path.cells[0].col <= path.cells[0].row) continue;
        assert_true(next < self->chain_count - self->tail_count);
        marey_web_path own = marey_web_path_at(self, next++);
        assert_int_equal(own.count, path.count);
        assert_memory_equal(own.cells, path.cells, sizeof *own.cells * (size_t)own.count);
        assert_memory_equal(own.costs, path.costs, sizeof *own.costs * (size_t)own.count);
    }
    assert_int_equal(next, self->chain_count - self->tail_count);
    assert_true(next > 5);
}

TEST(threads_do_not_matter)
{
    OWNED(marey_ctx) *one = test_ctx();
    OWNED(marey_ctx) *four = NULL;
    assert_int_equal(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &four), MAREY_OK);
    marey_metric_def metric = { .bounded = true };
    OWNED(test_pair) pair = demo_pair(one, &metric);
    for (int turn = 0; turn < 4; turn++) {
        const marey_features *b = turn & 1 ? pair.a : pair.b;
        marey_web_def def = { .levels = turn & 2 };
        OWNED(marey_web) *web = build(one, pair.a, b, &def), *other = build(four, pair.a, b, &def);
        check_same_web(web, other);
    }
}

TEST_CTX(marked_frames_are_in_no_path)
{
    marey_metric_def metric = { .bounded = true };
    OWNED(test_pair) pair = demo_pair(ctx, &metric);
    OWNED(marey_web) *before = build(ctx, pair.a, pair.b, NULL);
    for (int i = 100; i < 110; i++) pair.a->marked[i] = 1;
    for (int i = 50; i < 55; i++) pair.b->marked[i] = 1;
    for (int turn = 0; turn < 2; turn++) {
        marey_web_def def = { .levels = turn };
        OWNED(marey_web) *web = build(ctx, pair.a, pair.b, &def);
        assert_true(web->chain_count > 3);
        assert_true(web->cell_count != before->cell_count);
        for (int64_t i = 0; i < web->cell_count; i++) {
            assert_false(pair.a->marked[web->cells[i].row]);
            assert_false(pair.b->marked[web->cells[i].col]);
        }
    }
}

/* ---- the others ------------------------------------------------------------------------------ */

TEST_CTX(every_metric_has_webs)
{
    const marey_metric *metric;
    for (int i = 0; (metric = marey_metric_find(i)); i++) {
        marey_metric_def def = { .metric = metric };
        OWNED(test_pair) pair = demo_pair(ctx, &def);
        marey_web_def asked = { .ceiling = INFINITY, .levels = true };
        OWNED(marey_web) *levels = build(ctx, pair.a, pair.b, &asked);
        asked.levels = false;
        OWNED(marey_web) *web = build(ctx, pair.a, pair.b, &asked);
        OWNED(marey_web) *whole = build_whole(ctx, pair.a, pair.b, &asked);
        check_same_web(web, whole);
        assert_true(web->chain_count > 0);
    }
}

TEST_CTX(different_layouts_are_refused)
{
    marey_metric_def metric = { .bounded = true };
    OWNED(test_pair) one = demo_pair(ctx, &metric), other = demo_pair(ctx, &metric);
    marey_web *web = NULL;
    assert_int_equal(marey_web_build(ctx, one.a, other.b, NULL, &web, NULL), MAREY_ERR_SHAPE);
    assert_null(web);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Steps, slope and bounds of everything in a web, whatever built it. */
static void check_paths(const marey_web *web, int slope)
{
    for (int i = 0; i < marey_web_paths(web); i++) {
        marey_web_path path = marey_web_path_at(web, i);
        int run[2] = { 0, 0 };
        for (int k = 1; k < path.count; k++) {
            int down = path.cells[k].row - path.cells[k - 1].row;
            int across = path.cells[k].col - path.cells[k - 1].col;
            assert_true((down == 1 || across == 1) && down >= 0 && down < 2 && across >= 0 &&
                        across < 2);
            run[0] = across == 0 ? run[0] + 1 : 0;
            run[1] = down == 0 ? run[1] + 1 : 0;
            assert_true(run[0] <= slope && run[1] <= slope);
        }
    }
}

/* The share of the chains' cells of one web that have a cell of the other within `near` frames. */
static double share_near(const marey_web *of, const marey_web *other, int near)
{
    FREED uint8_t *map = calloc((size_t)of->rows * (size_t)of->cols, 1);
    double hits = 0, all = 0;
    for (int64_t i = 0; i < other->cell_count; i++) {
        for (int r = other->cells[i].row - near; r <= other->cells[i].row + near; r++) {
            for (int c = other->cells[i].col - near; c <= other->cells[i].col + near; c++) {
                if (r < 0 || c < 0 || r >= of->rows || c >= of->cols) continue;
                map[(size_t)r * (size_t)of->cols + (size_t)c] = 1;
            }
        }
    }
    for (int i = of->self; i < of->chain_count - of->tail_count; i++) {
        marey_web_path path = marey_web_path_at(of, i);
        for (int k = 0; k < path.count; k++) {
            all++;
            hits += map[(size_t)path.cells[k].row * (size_t)of->cols + (size_t)path.cells[k].col];
        }
    }
    return hits / all;
}

/* The shares are what was measured, less some room: of two made walks nearly all chains are found
   again, but up to 42 % of what is found is near no path of all frames. Captured motions differ
   more. */
TEST_CTX(levels_find_most_of_what_all_frames_do)
{
    marey_metric_def metric = { .bounded = true };
    OWNED(test_pair) pair = demo_pair(ctx, &metric);
    for (int turn = 0; turn < 2; turn++) {
        const marey_features *b = turn ? pair.a : pair.b;
        OWNED(marey_web) *web = build(ctx, pair.a, b, NULL);
        OWNED(marey_web) *levels = build(ctx, pair.a, b, &(marey_web_def){ .levels = true });
        double found = share_near(web, levels, 3), right = share_near(levels, web, 3);
        print_message("levels: %.3f of the chains are found, %.3f of what is found is right\n",
                      found, right);
        assert_true(found > 0.9 && right > 0.5);
        check_paths(web, 2);
        check_paths(levels, 2);
    }
}

TEST(running_out_of_memory_is_reported_and_writes_nothing)
{
    for (int turn = 0; turn < 2; turn++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        marey_metric_def metric = { .bounded = true };
        OWNED(test_pair) pair = demo_pair(ctx, &metric);
        marey_web_def def = { .levels = turn, .bridge_s = 0.5, .ceiling = 40 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
            OWNED(marey_web) *web = NULL;
            status = marey_web_build(ctx, pair.a, pair.b, &def, &web, NULL);
            assert_true((web != NULL) == (status == MAREY_OK));
        }
    }
}

TEST_GROUP_OF_CASES(test_web_clips, NULL, NULL)
