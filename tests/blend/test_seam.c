/* test_seam.c - the steps of a transition one by one: when its frames are, which frames belong
   together, joints that are half a turn apart, steps that were taken for plants. */
#include "frame_measures.h"
#include "metric_clips.h"

#include "blend/seam.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { FIRST = 70, SECOND = 60 };

typedef test_movers fixture;

static int set_up(void **state)
{
    return test_movers_make(state, FIRST, SECOND, 31);
}

/* The clip that has the weight plays at its own pace: next to the ends a frame takes about a frame
   of its clip, as far as the way to the next whole frame allows. */
static void check_pace(const marey_registration *registration, const mry_seam_times *times)
{
    double first[2], second[2];
    int last = 2 * times->half;
    marey_registration_times(registration, times->u[0], first, NULL);
    marey_registration_times(registration, times->u[1], second, NULL);
    assert_true(fabs(second[0] - first[0] - 1) < 0.2);
    marey_registration_times(registration, times->u[last - 1], first, NULL);
    marey_registration_times(registration, times->u[last], second, NULL);
    assert_true(fabs(second[1] - first[1] - 1) < 0.2);
}

#define WITH(name) TEST_OF_IN(set_up, test_movers_free, fixture *f, name)

WITH(time_flows_forwards_from_whole_frame_to_whole_frame)
{
    double u[101], weights[202];
    for (int n = 0; n < 12; n++) {
        OWNED(marey_registration) *of = NULL;
        const marey_clip *clips[2] = { f->a, f->b };
        int centres[2] = { 20 + 3 * n, 45 - 2 * n };
        marey_registration_def def = { .reference = 1, .centres = centres };
        assert_int_equal(marey_registration_build(f->ctx, clips, 2, NULL, &def, &of, NULL),
                         MAREY_OK);
        for (int half = 1; half <= 50; half += half < 8 ? 1 : 7) {
            mry_seam_times times = { .half = half, .centre = { centres[0], centres[1] } };
            times.u = u;
            times.weights = weights;
            mry_seam_times_find(of, &times);
            assert_true(times.half >= 1 && times.half <= half);
            double rows[2], before[2] = { -1, -1 };
            int last = 2 * times.half;
            for (int i = 0; i <= last; i++) {
                const double *w = times.weights + 2 * i;
                assert_true(fabs(w[0] + w[1] - 1) < 1e-12);
                assert_true(i == 0 || (times.u[i] > times.u[i - 1] && w[1] > w[-1]));
                marey_registration_times(of, times.u[i], rows, NULL);
                for (int j = 0; j < 2; j++) {
                    assert_true(rows[j] > before[j]);
                    before[j] = rows[j];
                }
                if (i == 0) assert_true(fabs(rows[0] - times.ends[0]) < 1e-6);
                if (i == last) assert_true(fabs(rows[1] - times.ends[1]) < 1e-6);
            }
            /* slow at both ends, so that nothing starts or stops all at once */
            assert_true(last < 6 || (times.weights[3] < 0.6 / last &&
                                     times.weights[2 * last - 2] < 0.6 / last));
            assert_true(times.weights[0] == 1 && times.weights[1] == 0);
            assert_true(times.weights[2 * last] == 0 && times.weights[2 * last + 1] == 1);
            if (times.half >= 8) check_pace(of, &times);
        }
    }
}

/* ---- which frames belong together ------------------------------------------------------------ */

/* Every path from a corner of a small table to the other, with at most two steps in a row along one
   side. */
static double cheapest(const double *table, int size, int i, int j, int run_i, int run_j)
{
    double here = table[i * size + j], best = INFINITY;
    if (i == size - 1 && j == size - 1) return here;
    if (i + 1 < size && j + 1 < size) best = cheapest(table, size, i + 1, j + 1, 0, 0);
    if (i + 1 < size && run_i < 2) best = fmin(best, cheapest(table, size, i + 1, j, run_i + 1, 0));
    if (j + 1 < size && run_j < 2) best = fmin(best, cheapest(table, size, i, j + 1, 0, run_j + 1));
    return here + best;
}

static double bounded(const test_pair *pair, int i, int j, double bound)
{
    double cost = marey_distance(pair->a, i, pair->b, j);
    return 3 + cost / (1 + cost / bound);
}

static double bound_of(const test_pair *pair, const int *centre)
{
    double sum = 0;
    for (int i = 0; i < FIRST; i++) {
        for (int j = 0; j < SECOND; j++) sum += marey_distance(pair->a, i, pair->b, j);
    }
    return fmax(sum / (FIRST * SECOND) / 8,
                2 * marey_distance(pair->a, centre[0], pair->b, centre[1]));
}

WITH(the_path_costs_least_of_all_that_go_as_far)
{
    enum { REACH = 6, SIZE = REACH + 1 };
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, NULL);
    for (int n = 0; n < 40; n++) {
        OWNED(mry_arena) mem = mry_arena_make(f->ctx);
        mry_seam_path_def def = {
            .clips = { f->a, f->b }, .centre = { 8 + n, 50 - n }, .slope = 2, .reach = REACH
        };
        marey_path path;
        double table[SIZE * SIZE], want = 0, got = 0, bound = bound_of(&pair, def.centre);
        assert_int_equal(mry_seam_path_find(&mem, &def, &path, NULL), MAREY_OK);
        for (int way = -1; way <= 1; way += 2) {
            for (int i = 0; i < SIZE * SIZE; i++) {
                int down = i / SIZE, right = i % SIZE, row = def.centre[0] + way * down;
                int col = def.centre[1] + way * right;
                table[i] = down + right <= REACH ? bounded(&pair, row, col, bound) : 0;
            }
            want += cheapest(table, SIZE, 0, 0, 0, 0);
        }
        for (int i = 0; i < path.count; i++) {
            marey_cell at = path.cells[i];
            bool centre = at.row == def.centre[0] && at.col == def.centre[1];
            got += bounded(&pair, at.row, at.col, bound) * (centre ? 2 : 1);
        }
        assert_true(fabs(got - want) < 1e-3 * want);
    }
}

WITH(clips_that_are_not_alike_go_frame_with_frame)
{
    for (int n = 0; n < 20; n++) {
        OWNED(mry_arena) mem = mry_arena_make(f->ctx);
        mry_seam_path_def def = {
            .clips = { f->a, f->b }, .centre = { 20 + n, 40 - n }, .slope = 2, .reach = 30
        };
        marey_path path;
        int aside = 0;
        assert_int_equal(mry_seam_path_find(&mem, &def, &path, NULL), MAREY_OK);
        for (int i = 1; i < path.count; i++)
            aside += path.cells[i].row == path.cells[i - 1].row ||
                     path.cells[i].col == path.cells[i - 1].col;
        assert_true(aside <= 2);
    }
}

WITH(the_same_motion_at_another_pace_is_followed)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    OWNED(marey_clip) *fast = test_resampled(f->a, 40);
    fast->fps = 60; /* half as fast again */
    mry_seam_path_def def = {
        .clips = { f->a, fast }, .centre = { 36, 24 }, .slope = 2, .reach = 50
    };
    marey_path path;
    assert_int_equal(mry_seam_path_find(&mem, &def, &path, NULL), MAREY_OK);
    assert_true(path.cells[0].row < 8 && path.cells[path.count - 1].row > 64);
    for (int i = 0; i < path.count; i++)
        assert_true(fabs(path.cells[i].row / 1.5 - path.cells[i].col) < 1.5);
}

/* A joint that the clips have about half a turn apart, once a little more and once a little
   less. */
WITH(a_joint_half_a_turn_apart_does_not_flip)
{
    enum { HAND = 9 };
    for (int t = 0; t < FIRST; t++) {
        mry_rot q = mry_rot_about(1, 0, 0, 0.05 * sin(0.3 * t));
        mry_rot r = mry_rot_about(1, 0, 0, 3.14159265358979 + 0.05 * cos(0.4 * t));
        float *one = mry_turn(f->a, t) + 4 * HAND;
        for (int i = 0; i < 4; i++) one[i] = (float)((const double *)&q)[i];
        if (t >= SECOND) continue;
        float *two = mry_turn(f->b, t) + 4 * HAND;
        for (int i = 0; i < 4; i++) two[i] = (float)((const double *)&r)[i];
    }
    marey_transition_def def = { .half = 15, .leave_feet = true };
    OWNED(marey_made) made = { 0 };
    assert_int_equal(marey_transition_make(f->ctx, f->a, 35, f->b, 30, NULL, &def, &made, NULL),
                     MAREY_OK);
    for (int t = made.from_a_end; t <= made.from_b_start; t++) {
        const float *last = mry_turn(made.clip, t - 1) + 4 * HAND;
        assert_true(mry_quat_angle(last, mry_turn(made.clip, t) + 4 * HAND) < 0.3f);
    }
}

/* ---- plants ---------------------------------------------------------------------------------- */

static marey_contacts plants_of(marey_contact *items, int count)
{
    return (marey_contacts){ .count = count, .items = items };
}

WITH(a_step_inside_a_plant_parts_it)
{
    OWNED(marey_demo_take) *walk = test_demo_take(f->ctx, "walk_straight");
    const marey_clip *clip = marey_demo_clip(walk);
    int count;
    const marey_contact *truth = marey_demo_contacts(walk, &count), *first = NULL, *next = NULL;
    for (int n = 0; n + 1 < count && !next; n++) { /* two plants of a heel with a step between */
        if (truth[n].start < 200 || truth[n].joint != truth[n + 1].joint) continue;
        first = &truth[n];
        next = &truth[n + 1];
    }
    assert_non_null(next);
    OWNED(marey_contacts) plants = { .ctx = f->ctx };
    marey_contact whole = { first->joint, first->start, next->end };
    marey_contacts one = plants_of(&whole, 1);
    assert_true(mry_seam_take_plants(&one, 0, INT32_MAX, 0, &plants));
    mry_seam_rounds seams = { first->start + 2, next->end - 2, 0, 1 };
    assert_true(mry_seam_part_plants(clip, &seams, &plants));
    assert_int_equal(plants.count, 2);
    assert_true(plants.items[0].start == first->start && plants.items[1].end == next->end);
    assert_true(plants.items[0].end >= first->end && plants.items[0].end < next->start);
    assert_true(plants.items[1].start > first->end && plants.items[1].start <= next->start);
    mry_seam_rounds inside = { first->start + 1, first->end - 1, 0, 1 };
    plants.count = 0;
    whole.end = first->end;
    assert_true(mry_seam_take_plants(&one, 0, INT32_MAX, 0, &plants));
    assert_true(mry_seam_part_plants(clip, &inside, &plants));
    assert_int_equal(plants.count, 1);
}

/* A foot that comes back near to where it was, seven centimetres a frame, is near both of its
   places at once. */
WITH(parted_plants_do_not_overlap)
{
    static const double way[] = { 0, 7, 14, 21, 14 };
    OWNED(marey_demo_take) *walk = test_demo_take(f->ctx, "walk_straight");
    OWNED(marey_clip) *clip = test_trimmed(marey_demo_clip(walk), 0, 60);
    size_t turns = 4 * sizeof(float) * (size_t)clip->skeleton.joint_count;
    for (int n = 1; n < 60; n++) {
        memcpy(mry_turn(clip, n), mry_turn(clip, 0), turns);
        memcpy(mry_place(clip, n), mry_place(clip, 0), 3 * sizeof(double));
        mry_place(clip, n)[0] += n < 20 ? 0 : n < 24 ? way[n - 20] : way[4];
    }
    OWNED(marey_contacts) plants = { .ctx = f->ctx };
    marey_contact whole = { MAREY_CONTACT_LEFT_HEEL, 5, 50 };
    marey_contacts one = plants_of(&whole, 1);
    assert_true(mry_seam_take_plants(&one, 0, INT32_MAX, 0, &plants));
    mry_seam_rounds seams = { 15, 35, 0, 1 };
    assert_true(mry_seam_part_plants(clip, &seams, &plants));
    assert_int_equal(plants.count, 2);
    assert_true(plants.items[0].end <= plants.items[1].start);
}

/* The right toe is in the seam, the left heel within the ease of it, and the left toe is planted
   while that heel is. */
WITH(both_points_of_a_foot_are_held_together)
{
    marey_contact items[] = { { MAREY_CONTACT_LEFT_HEEL, 33, 60 },
                              { MAREY_CONTACT_LEFT_TOE, 50, 90 },
                              { MAREY_CONTACT_LEFT_TOE, 95, 120 },
                              { MAREY_CONTACT_RIGHT_HEEL, 70, 90 },
                              { MAREY_CONTACT_RIGHT_TOE, 10, 30 } };
    static const int wanted[] = { 0, 1, 4 };
    OWNED(marey_contacts) held = { .ctx = f->ctx };
    marey_contacts plants = plants_of(items, 5);
    plants.ctx = f->ctx;
    mry_seam_rounds seams = { 20, 26, 0, 1 };
    assert_true(mry_seam_held_plants(&plants, &seams, 5, &held));
    assert_int_equal(held.count, 3);
    for (int n = 0; n < 3; n++)
        assert_memory_equal(&held.items[n], &items[wanted[n]], sizeof *items);
}

TEST_GROUP_OF_CASES(test_seam, NULL, NULL)
