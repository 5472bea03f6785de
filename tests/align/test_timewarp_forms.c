/* test_timewarp_forms.c - time alignments: the plain form against the fast one on grids of many
   shapes, symmetries, what is refused, refused memory, real motion. */
#include "frame_measures.h"
#include "metric_clips.h"
#include "warp_grids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plain form and the fast one --------------------------------------------------------- */

static void check_both(marey_ctx *ctx, marey_rows grid, marey_align_def def)
{
    OWNED(marey_path) fast = warp_find(ctx, grid, def, WARP_FAST);
    OWNED(marey_path) plain = warp_find(ctx, grid, def, WARP_PLAIN);
    warp_check_path(grid, def, &fast);
    warp_check_path(grid, def, &plain);
    if (def.ends <= MAREY_ALIGN_FORWARDS) {
        assert_true(fast.sum == plain.sum); /* bit for bit: see timewarp.c */
    } else if (def.ends == MAREY_ALIGN_BACKWARDS) {
        assert_true(fabs(fast.sum - plain.sum) <= 1e-12 * plain.sum);
    }
    if (def.ends >= MAREY_ALIGN_FORWARDS) {
        marey_cell a = fast.cells[fast.count - 1], b = plain.cells[plain.count - 1];
        assert_true(warp_same_cell(a, b) && warp_same_cell(fast.cells[0], plain.cells[0]));
        assert_int_equal(fast.count, plain.count);
        assert_true(fabs(fast.mean - plain.mean) <= 1e-12 * plain.mean);
    }
}

static void check_all_ends(marey_ctx *ctx, marey_rows grid, int slope, bool ties, uint32_t *seed)
{
    marey_align_def def = { .slope = slope };
    if (warp_lengths_fit(grid.rows, grid.cols, slope)) check_both(ctx, grid, def);
    def.start =
        (marey_cell){ warp_pick(seed, 0, grid.rows - 1), warp_pick(seed, 0, grid.cols - 1) };
    def.end = (marey_cell){ warp_pick(seed, def.start.row, grid.rows - 1),
                            warp_pick(seed, def.start.col, grid.cols - 1) };
    def.ends = MAREY_ALIGN_BETWEEN;
    if (warp_lengths_fit(def.end.row - def.start.row + 1, def.end.col - def.start.col + 1, slope))
        check_both(ctx, grid, def);
    def.ends = MAREY_ALIGN_FORWARDS;
    check_both(ctx, grid, def);
    def.ends = MAREY_ALIGN_BACKWARDS;
    check_both(ctx, grid, def);
    def.ends = MAREY_ALIGN_AROUND;
    if (!ties) check_both(ctx, grid, def);
}

TEST_CTX(the_fast_form_costs_what_the_plain_one_costs)
{
    uint32_t seed = 4;
    for (int n = 0; n < 600; n++) {
        int most = n % 10 ? 30 : 120,
            slope = n % 2 ? warp_pick(&seed, 1, 8) : warp_pick(&seed, 1, 3);
        warp_kind which = n % WARP_KINDS;
        bool ties = which == WARP_FEW || which == WARP_ZEROS_AND_ONES;
        OWNED(warp_grid) grid = warp_grid_make(warp_pick(&seed, 1, most), warp_pick(&seed, 1, most),
                                               warp_pick(&seed, 0, 20), which, &seed);
        check_all_ends(ctx, grid, slope, ties, &seed);
    }
}

TEST_CTX(lines_and_single_cells_have_their_paths)
{
    static const int shapes[][2] = { { 1, 1 }, { 1, 2 }, { 1, 9 },  { 2, 1 },   { 9, 1 },
                                     { 2, 2 }, { 3, 9 }, { 40, 5 }, { 1, 700 }, { 700, 1 } };
    uint32_t seed = 5;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        OWNED(warp_grid) grid = warp_grid_make(shapes[n][0], shapes[n][1], 0, WARP_NOISE, &seed);
        for (int slope = 1; slope <= 8; slope++) {
            for (int k = 0; k < 5; k++) check_all_ends(ctx, grid, slope, false, &seed);
            marey_align_def stay = { .ends = MAREY_ALIGN_BETWEEN, .slope = slope };
            stay.start = stay.end = (marey_cell){ grid.rows - 1, grid.cols / 2 };
            OWNED(marey_path) path = warp_find(ctx, grid, stay, WARP_FAST);
            assert_int_equal(path.count, 1);
            assert_true(path.sum == (double)*warp_cell(grid, grid.rows - 1, grid.cols / 2));
        }
    }
}

/* ---- symmetries ------------------------------------------------------------------------------ */

TEST_CTX(backwards_is_forwards_seen_from_the_other_corner)
{
    uint32_t seed = 6;
    for (int n = 0; n < 100; n++) {
        OWNED(warp_grid) grid = warp_grid_make(warp_pick(&seed, 1, 40), warp_pick(&seed, 1, 40), 3,
                                               n % WARP_KINDS, &seed);
        OWNED(warp_grid) other = warp_grid_reverse(grid);
        marey_align_def def = { .ends = MAREY_ALIGN_BACKWARDS,
                                .start = { warp_pick(&seed, 0, grid.rows - 1),
                                           warp_pick(&seed, 0, grid.cols - 1) } };
        warp_form form = n % 5 == 0 ? WARP_PLAIN : WARP_FAST;
        OWNED(marey_path) back = warp_find(ctx, grid, def, form);
        def.ends = MAREY_ALIGN_FORWARDS;
        def.start = (marey_cell){ grid.rows - 1 - def.start.row, grid.cols - 1 - def.start.col };
        OWNED(marey_path) fore = warp_find(ctx, other, def, form);
        assert_int_equal(back.count, fore.count);
        for (int i = 0; i < back.count; i++) {
            marey_cell a = back.cells[i], b = fore.cells[fore.count - 1 - i];
            assert_true(a.row == grid.rows - 1 - b.row && a.col == grid.cols - 1 - b.col);
        }
    }
}

/* Where nothing speaks against it clips go along together: identical ones, and such as stand
   still. */
TEST_CTX(equal_clips_are_aligned_frame_by_frame)
{
    uint32_t seed = 7;
    for (int n = 0; n < 60; n++) {
        int size = warp_pick(&seed, 1, 50), at = warp_pick(&seed, 0, size - 1);
        OWNED(warp_grid) grid = warp_grid_make(size, size, 0, WARP_NOISE, &seed);
        marey_align_def def = { .ends = n % 5,
                                .start = { at, at },
                                .end = { size - 1, size - 1 },
                                .slope = 1 + n / 5 % 3 };
        for (int i = 0; i < size * size; i++) {
            int away = abs(i / size - i % size);
            *warp_cell(grid, i / size, i % size) = (n & 4) ? (float)away : (n & 8) ? 0.3f : 0;
        }
        OWNED(marey_path) path = warp_find(ctx, grid, def, WARP_FAST);
        warp_check_path(grid, def, &path);
        for (int i = 0; i < path.count; i++) assert_int_equal(path.cells[i].row, path.cells[i].col);
    }
}

/* A clip that stands still in the middle takes as many frames more as the slope gives it. */
TEST_CTX(a_pause_is_gone_through_at_the_steepest_slope)
{
    enum { ROWS = 30, PAUSE = 20, COLS = ROWS + PAUSE };
    uint32_t seed = 8;
    OWNED(warp_grid) grid = warp_grid_make(ROWS, COLS, 0, WARP_NOISE, &seed);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            int of = j < 10 ? j : j < 10 + PAUSE ? 10 : j - PAUSE; /* the row that it looks like */
            *warp_cell(grid, i, j) = (float)((i - of) * (i - of));
        }
    }
    for (int slope = 1; slope <= 8; slope++) {
        OWNED(marey_path) path =
            warp_find(ctx, grid, (marey_align_def){ .slope = slope }, WARP_FAST);
        int longest = 0, across = 0;
        for (int i = 1; i < path.count; i++) {
            across = path.cells[i].row == path.cells[i - 1].row ? across + 1 : 0;
            longest = across > longest ? across : longest;
        }
        assert_int_equal(longest, slope);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuse(marey_ctx *ctx, marey_rows grid, marey_align_def def, warp_form form,
                   const char *says)
{
    marey_path path = { .count = -7 };
    marey_error error = { 0 };
    assert_int_equal(warp_align(ctx, grid, &def, form, &path, &error), MAREY_ERR_REQUEST);
    if (!strstr(error.message, says)) fail_msg("\"%s\" does not say \"%s\"", error.message, says);
    assert_int_equal(warp_align(ctx, grid, &def, form, &path, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(path.count, -7);
}

TEST_CTX(what_cannot_be_is_refused_in_words)
{
    uint32_t seed = 9;
    OWNED(warp_grid) grid = warp_grid_make(10, 31, 0, WARP_NOISE, &seed);
    marey_rows none = { grid.values, 0, 0, 1 };
    const struct {
        marey_align_def def;
        const char *says;
    } wrong[] = {
        { { 0 }, "at slope 2, 10 frames align with 4 to 30, got 31" },
        { { 0 }, "slope 3 would do" },
        { { .ends = MAREY_ALIGN_BETWEEN, .end = { 0, 9 }, .slope = 8 },
          "1 frames align with 1 to 9, got " },
        { { .ends = MAREY_ALIGN_BETWEEN, .start = { 3, 3 }, .end = { 2, 9 } },
          "lies before the start, row 3, column 3" },
        { { .ends = MAREY_ALIGN_BETWEEN, .end = { 10, 9 } },
          "the end, row 10, column 9, is not in the grid of 10 rows and 31" },
        { { .ends = MAREY_ALIGN_AROUND, .start = { -1, 9 } }, "the start, row -1" },
        { { .slope = 9 }, "slope must be 1 to 8, got 9" },
        { { .slope = -1 }, "slope must be 1 to 8, got -1" },
        { { .ends = (marey_align_ends)5 }, "ends of kind 5" },
    };
    refuse(ctx, none, (marey_align_def){ 0 }, WARP_FAST, "not in the grid of 0 rows and 0 columns");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(ctx, grid, wrong[i].def, WARP_FAST, wrong[i].says);
}

TEST_CTX(costs_that_are_no_costs_are_refused_where_they_are_met)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, -1e-30f };
    uint32_t seed = 10;
    for (int n = 0; n < 80; n++) {
        OWNED(warp_grid) grid = warp_grid_make(20, 24, 0, WARP_NOISE, &seed);
        marey_align_def def = { .ends = n % 5, .start = { 9, 11 }, .end = { 19, 23 } };
        bool at_start = n / 20 % 2;
        *warp_cell(grid, at_start ? 9 : 12, at_start ? 11 : 13) = bad[n % 4];
        if (at_start || def.ends != MAREY_ALIGN_BACKWARDS) {
            refuse(ctx, grid, def, n >= 40 ? WARP_PLAIN : WARP_FAST,
                   at_start ? "row 9, column 11 costs" : "row 12, column 13 costs");
        }
    }
    OWNED(warp_grid) grid = warp_grid_make(20, 24, 0, WARP_NOISE, &seed);
    *warp_cell(grid, 3, 3) = -0.0f;
    *warp_cell(grid, 0, 23) = NAN; /* a corner that no path can get to */
    OWNED(marey_path) path = warp_find(ctx, grid, (marey_align_def){ 0 }, WARP_FAST);
    warp_check_path(grid, (marey_align_def){ 0 }, &path);
}

TEST_CTX(a_cancelled_context_stops_it)
{
    uint32_t seed = 11;
    OWNED(warp_grid) grid = warp_grid_make(20, 20, 0, WARP_NOISE, &seed);
    marey_ctx_cancel(ctx);
    for (int n = 0; n < 10; n++) {
        marey_path path = { .count = -7 };
        marey_align_def def = { .ends = n % 5, .end = { 5, 5 } };
        marey_status status =
            warp_align(ctx, grid, &def, n >= 5 ? WARP_PLAIN : WARP_FAST, &path, NULL);
        assert_int_equal(status, MAREY_ERR_CANCELLED);
        assert_int_equal(path.count, -7);
    }
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    uint32_t seed = 12;
    OWNED(warp_grid) grid =
        warp_grid_make(700, 900, 0, WARP_NOISE, &seed); /* so that arrays are pieces of their own */
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    for (int which = 0; which < 10; which++) {
        marey_align_def def = { .ends = which % 5, .start = { 350, 400 }, .end = { 450, 480 } };
        warp_form form = which >= 5 ? WARP_PLAIN : WARP_FAST;
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            marey_path path = { .count = -7 };
            status = warp_align(ctx, grid, &def, form, &path, NULL);
            if (status) assert_int_equal(path.count, -7);
            if (!status) marey_path_free(&path);
        }
    }
}

TEST(freeing_nothing_is_allowed)
{
    OWNED(marey_path) path = { 0 };
    marey_path_free(NULL);
}

TEST_CTX(real_clips_are_aligned_alike_by_both_forms)
{
    static const char *const names[] = { "cmu/07_01", "cmu/07_12", "cmu/09_12", "cmu/02_02" };
    test_need_mocap();
    for (int n = 0; n < 3; n++) {
        uint32_t seed = 13;
        OWNED(marey_clip) *a = test_captured(ctx, names[n]), *b = test_captured(ctx, names[n + 1]);
        OWNED(marey_clip) *first = test_resampled(a, 60), *second = test_resampled(b, 60);
        OWNED(test_pair) pair = test_pair_make(ctx, first, second, NULL);
        OWNED(marey_grid) *grid = NULL;
        assert_int_equal(marey_grid_build(ctx, pair.a, pair.b, &grid, NULL), MAREY_OK);
        for (int slope = 1; slope <= 3; slope++)
            check_all_ends(ctx, marey_grid_cost(grid), slope, false, &seed);
    }
}

TEST_GROUP_OF_CASES(test_timewarp_forms, NULL, NULL)
