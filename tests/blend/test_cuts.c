/* test_cuts.c - places to go from one clip to another: against a plain search of the whole grid,
   near a frame, away from ends and marked frames, at different rates, below a cost. */
#include "frame_measures.h"
#include "metric_clips.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 90, SECOND = 80, HALF = 6, MOST = 400, BELOW = 600 };

typedef test_movers fixture;

static int set_up(void **state)
{
    return test_movers_make(state, FIRST, SECOND, 31);
}

static int find(const fixture *f, const marey_clip *a, const marey_clip *b,
                const marey_cuts_def *def, marey_cut *cuts)
{
    int found = -1;
    marey_error error = { 0 };
    if (marey_cuts_find(f->ctx, a, b, def, MOST, cuts, &found, &error))
        fail_msg("%s", error.message);
    return found;
}

typedef struct judge {
    const float *cells;
    int rows, cols;
    int low[2], high[2]; /* rows and columns that may be used, both included */
    int half, apart;     /* frames between the two, for a clip with itself */
    float below;
} judge;

static bool is_least(const judge *j, int row, int col)
{
    float here = j->cells[row * j->cols + col];
    for (int r = row - 1; r <= row + 1; r++) {
        for (int c = col - 1; c <= col + 1; c++) {
            if (r < 0 || c < 0 || r >= j->rows || c >= j->cols || (r == row && c == col)) continue;
            if (j->cells[r * j->cols + c] <= here) return false;
        }
    }
    return here < j->below;
}

static bool is_taken(const judge *j, const marey_cut *cuts, int count, int row, int col)
{
    if (j->apart && abs(row - col) <= j->apart) return true;
    for (int n = 0; n < count; n++) {
        if (abs(cuts[n].a - row) <= j->half && abs(cuts[n].b - col) <= j->half) return true;
    }
    return false;
}

/* Takes the best cell that is left, again and again. */
static int judge_find(const judge *j, marey_cut *cuts)
{
    for (int count = 0;; count++) {
        marey_cut best = { .cost = INFINITY };
        for (int r = j->low[0]; r <= j->high[0]; r++) {
            for (int c = j->low[1]; c <= j->high[1]; c++) {
                double cost = (double)j->cells[r * j->cols + c];
                if (cost < best.cost && is_least(j, r, c) && !is_taken(j, cuts, count, r, c))
                    best = (marey_cut){ r, c, cost };
            }
        }
        if (isinf(best.cost)) return count;
        cuts[count] = best;
    }
}

static void expect(const fixture *f, const marey_clip *a, const marey_clip *b,
                   const marey_cuts_def *def, judge *j)
{
    marey_cut want[MOST], got[MOST];
    OWNED(test_pair) pair = test_pair_make(f->ctx, a, b, def->metric);
    FREED float *cells = test_cells(&pair);
    j->cells = cells;
    j->rows = marey_clip_frames(a);
    j->cols = marey_clip_frames(b);
    int count = judge_find(j, want);
    assert_true(count > 0);
    assert_int_equal(find(f, a, b, def, got), count);
    for (int n = 0; n < count; n++) {
        assert_int_equal(got[n].a, want[n].a);
        assert_int_equal(got[n].b, want[n].b);
        assert_true(fabs(got[n].cost - want[n].cost) <= 1e-3 * (1 + want[n].cost));
    }
}

static judge judge_of(int rows, int cols)
{
    return (judge){ .low = { HALF, HALF },
                    .high = { rows - 1 - HALF, cols - 1 - HALF },
                    .half = HALF,
                    .below = INFINITY };
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define WITH(name) TEST_OF_IN(set_up, test_movers_free, fixture *f, name)

WITH(cuts_are_the_best_of_their_neighbourhood)
{
    marey_metric_def angles = test_metric("angles");
    for (int n = 0; n < 3; n++) {
        marey_cuts_def def = { .half = HALF, .below = n == 2 ? BELOW : INFINITY };
        judge j = judge_of(FIRST, SECOND);
        if (n == 1) def.metric = &angles;
        if (n == 2) j.below = BELOW;
        expect(f, f->a, f->b, &def, &j);
    }
}

WITH(from_a_clip_to_itself_the_diagonal_does_not_count)
{
    marey_cuts_def def = { .half = HALF, .below = INFINITY };
    judge j = judge_of(FIRST, FIRST);
    j.apart = HALF;
    for (int t = 0; t < FIRST; t++) /* alike every five frames: within half, and further apart */
        mry_place(f->a, t)[1] += 20 * sin(2 * 3.14159265358979 * t / 5);
    expect(f, f->a, f->a, &def, &j);
}

/* Seconds from `first` up to `end` in which the body does not stand, by hand. */
static double moving_s(const marey_clip *clip, int first, int end)
{
    double before[64][3], here[64][3], mean = 0;
    int moving = 0, joints = clip->skeleton.joint_count;
    for (int f = 1; f < clip->frames; f++) {
        marey_clip_positions(clip, f - 1, 1, &before[0][0]);
        marey_clip_positions(clip, f, 1, &here[0][0]);
        for (int j = 0; j < joints; j++)
            mean += mry_distance3(before[j], here[j]) / joints * clip->fps / (clip->frames - 1);
    }
    for (int f = first; f < end; f++) moving += test_seen_speed(clip, f) >= fmin(10, mean / 2);
    return moving / clip->fps;
}

/* It stands, reaches for something and stands, again and again; the other walks. The cheapest cuts are
   from standing to standing. */
WITH(cuts_leave_what_the_clips_are_about)
{
    marey_demo_take *takes[] = { test_demo_take(f->ctx, "reach_right"),
                                 test_demo_take(f->ctx, "walk_straight") };
    OWNED(marey_clip) *reach = test_trimmed(marey_demo_clip(takes[0]), 60, 420);
    const marey_clip *walk = marey_demo_clip(takes[1]);
    marey_cut all[MOST], cuts[MOST];
    marey_cuts_def def = { .half = 10, .below = INFINITY };
    int before = find(f, reach, walk, &def, all), skip = 0;
    def.keep_s = 1;
    int count = find(f, reach, walk, &def, cuts);
    assert_true(count > 0 && count < before);
    for (int n = 0; n < count; n++) {
        assert_true(moving_s(reach, 0, cuts[n].a - 10) >= 1 - 1e-9);
        assert_true(moving_s(walk, cuts[n].b + 10, walk->frames) >= 1 - 1e-9);
    }
    for (int n = 0; n < before; n++) skip += moving_s(reach, 0, all[n].a - 10) < 1;
    assert_true(skip > 0);
    /* A frame that is given counts more. */
    def.near_given[0] = true;
    def.near[0] = 20;
    assert_true(find(f, reach, walk, &def, cuts) > 0 && cuts[0].a < 60);
    marey_demo_free(takes[0]);
    marey_demo_free(takes[1]);
}

/* Frame of what is done at frame f of a clip that does it in turns: a second and a half of it, two
   seconds of rest, and so on. */
static int paused(const marey_clip *clip, int f)
{
    int burst = (int)lround(1.5 * clip->fps), rest = (int)lround(2 * clip->fps);
    int turn = f / (burst + rest), into = f % (burst + rest) - rest;
    return turn * burst + (into > 0 ? into : 0);
}

/* Between its rests each action is whole: a cut is where the body stands, or at the edges, a quarter
   of a second wide, at which standing is seen. */
WITH(an_action_between_two_rests_is_not_cut)
{
    enum { FRAMES = 540 }; /* at 60 a second it begins and ends with a rest */
    OWNED(marey_clip) *moves = test_mover(f->ctx, FRAMES, 5);
    OWNED(marey_clip) *turns = test_mover(f->ctx, FRAMES, 5);
    int edge = (int)ceil(0.25 * turns->fps) + 1, inside[2] = { 0 };
    for (int t = 0; t < FRAMES; t++) {
        memcpy(mry_place(turns, t), mry_place(moves, paused(moves, t)), 3 * sizeof(double));
        memcpy(mry_turn(turns, t), mry_turn(moves, paused(moves, t)),
               4 * sizeof(float) * (size_t)turns->skeleton.joint_count);
    }
    for (int keeps = 0; keeps < 2; keeps++) {
        marey_cut cuts[MOST];
        marey_cuts_def def = { .half = HALF, .below = INFINITY, .keep_s = keeps ? 0.5 : 0 };
        int count = find(f, turns, f->b, &def, cuts);
        assert_true(count > 0);
        for (int n = 0; n < count; n++) {
            int first = cuts[n].a - edge, last = cuts[n].a + edge;
            bool within = first >= 0 && last < FRAMES;
            inside[keeps] += within && paused(turns, last) - paused(turns, first) == 2 * edge;
        }
    }
    assert_true(inside[0] > 0);
    assert_int_equal(inside[1], 0);
}

WITH(frames_that_may_not_be_cut_are_not)
{
    static uint8_t some[FIRST];
    marey_cut all[MOST], cuts[MOST];
    marey_cuts_def def = { .half = HALF, .below = BELOW };
    int before = find(f, f->a, f->b, &def, all), same = 0;
    for (int n = 0; n < FIRST; n++) some[n] = n % 3 == 0;
    def.allowed[0] = some;
    int count = find(f, f->a, f->b, &def, cuts);
    assert_true(count > 0 && count < before);
    for (int n = 0; n < count; n++) {
        assert_int_equal(cuts[n].a % 3, 0);
        for (int k = 0; k < before; k++) same += all[k].a == cuts[n].a && all[k].b == cuts[n].b;
    }
    assert_true(same > 0);
}

WITH(near_a_frame_only_cuts_near_it_are_found)
{
    marey_cut all[MOST];
    marey_cuts_def everywhere = { .half = HALF, .below = INFINITY };
    assert_true(find(f, f->a, f->b, &everywhere, all) > 1);
    for (int side = 0; side < 3; side++) {
        marey_cuts_def def = { .half = HALF, .below = INFINITY, .within_s = 0.3 };
        judge j = judge_of(FIRST, SECOND);
        for (int n = 0; n < 2; n++) {
            if (side != 2 && side != n) continue;
            def.near_given[n] = true;
            def.near[n] = (n ? all[1].b : all[1].a) + 5;
            j.low[n] = def.near[n] - 18 > HALF ? def.near[n] - 18 : HALF; /* 0.3 s at 60 Hz */
            if (def.near[n] + 18 < j.high[n]) j.high[n] = def.near[n] + 18;
        }
        expect(f, f->a, f->b, &def, &j);
    }
}

/* Both stand and are exactly alike for a while: no cell is less than those around it. */
WITH(near_frames_without_a_minimum_the_least_cell_is_taken)
{
    OWNED(marey_demo_take) *jog = test_demo_take(f->ctx, "jog_straight");
    OWNED(marey_demo_take) *walk = test_demo_take(f->ctx, "walk_straight");
    marey_cuts_def def = { .near_given = { true, true }, .near = { 128, 639 } };
    marey_cut cuts[4];
    int found = 0;
    assert_int_equal(marey_cuts_find(f->ctx, marey_demo_clip(jog), marey_demo_clip(walk), &def, 4,
                                     cuts, &found, NULL),
                     MAREY_OK);
    assert_true(found > 0 && cuts[0].cost < 0.01);
    assert_true(abs(cuts[0].a - 128) <= 30 && abs(cuts[0].b - 639) <= 30);
}

WITH(cuts_keep_away_from_marked_frames)
{
    marey_cut cuts[MOST];
    marey_cuts_def def = { .half = HALF, .below = INFINITY };
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_INVENTED, 0, 1));
    assert_true(mry_clip_add_mark(f->b, MAREY_MARK_DROPOUT, 40, 44));
    int count = find(f, f->a, f->b, &def, cuts);
    assert_true(count > 0);
    for (int n = 0; n < count; n++) {
        assert_true(cuts[n].a > HALF && cuts[n].a < FIRST - HALF);
        assert_true(cuts[n].b <= 39 - HALF || cuts[n].b >= 44 + HALF);
    }
}

WITH(clips_of_two_rates_are_compared_at_the_lower_one)
{
    marey_cut same[MOST], other[MOST];
    marey_cuts_def def = { .half = HALF, .below = INFINITY };
    OWNED(marey_clip) *slow = test_resampled(f->b, 30);
    int count = find(f, f->a, slow, &def, other);
    assert_true(count > 0 && find(f, f->a, f->b, &def, same) > 0);
    for (int n = 0; n < count; n++) {
        assert_true(other[n].a >= HALF && other[n].a % 2 == 0);
        assert_true(other[n].b >= HALF / 2 && other[n].b < marey_clip_frames(slow) - HALF / 2);
    }
    assert_true(abs(other[0].a - same[0].a) <= 4 && abs(2 * other[0].b - same[0].b) <= 4);
}

WITH(the_default_limit_is_for_points_alone)
{
    marey_cut cuts[MOST];
    marey_metric_def positions = test_metric("positions");
    marey_cuts_def def = { .half = HALF };
    int count = find(f, f->a, f->b, &def, cuts);
    for (int n = 0; n < count; n++) assert_true(cuts[n].cost < MAREY_CUT_LIMIT);
    def.metric = &positions;
    assert_true(find(f, f->a, f->b, &def, cuts) > 0);
}

WITH(fewer_are_handed_out_if_there_is_no_room)
{
    marey_cut all[MOST], some[3] = { 0 };
    marey_cuts_def def = { .half = HALF, .below = INFINITY };
    int found = 0;
    assert_true(find(f, f->a, f->b, &def, all) > 2);
    assert_int_equal(marey_cuts_find(f->ctx, f->a, f->b, &def, 2, some, &found, NULL), MAREY_OK);
    assert_int_equal(found, 2);
    assert_memory_equal(some, all, 2 * sizeof *some);
    assert_int_equal(some[2].a, 0);
    assert_int_equal(marey_cuts_find(f->ctx, f->a, f->b, &def, 0, NULL, &found, NULL), MAREY_OK);
    assert_int_equal(found, 0);
}

WITH(clips_that_are_too_short_have_no_cuts)
{
    marey_cut cuts[MOST];
    marey_cuts_def def = { .half = SECOND, .below = INFINITY };
    assert_int_equal(find(f, f->a, f->b, &def, cuts), 0);
}

WITH(what_cannot_be_is_refused)
{
    marey_cut cuts[4];
    int found = -1;
    marey_error error = { 0 };
    static const marey_cuts_def bad[] = { { .half = -1 },
                                          { .below = -1 },
                                          { .below = NAN },
                                          { .within_s = -1 },
                                          { .near_given = { true }, .near = { FIRST } },
                                          { .near_given = { false, true }, .near = { 0, -1 } } };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        assert_int_equal(marey_cuts_find(f->ctx, f->a, f->b, &bad[n], 4, cuts, &found, &error),
                         MAREY_ERR_REQUEST);
        assert_int_equal(found, -1);
    }
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *a = test_mover(ctx, FIRST, 1), *b = test_mover(ctx, 30, 2);
    marey_cuts_def cuts = { .half = 2, .near_given = { true }, .near = { 40 }, .below = 1e4 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_cut items[4];
        int found = -1;
        status = marey_cuts_find(ctx, a, b, &cuts, 4, items, &found, NULL);
        assert_int_equal(found >= 0, status == MAREY_OK);
    }
}

TEST_GROUP_OF_CASES(test_cuts, NULL, NULL)
