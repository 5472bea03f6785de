/* test_refit.c - motion on another person's bones. */
#include "blend_clips.h"

#include "math/quat.h"
#include "math/turn.h"
#include "metric_clips.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_CTX(the_same_bones_give_a_copy)
{
    OWNED(marey_clip) *a = test_demo_part(ctx, "walk_left", 0, 0),
                      *b = test_demo_part(ctx, "sits", 0, 0);
    OWNED(marey_clip) *made = test_refitted(a, b);
    double cm, degrees;
    assert_int_equal(made->frames, a->frames);
    test_clips_differ(made, a, &cm, &degrees);
    assert_true(cm == 0);
}

/* On a body of half the size the motion is half as large, as if it had been scaled, but for where
   it starts. */
TEST_CTX(a_scaled_body_moves_as_if_the_motion_were_scaled)
{
    OWNED(marey_clip) *walk = test_demo_part(ctx, "walk_left", 0, 0), *half = NULL, *other = NULL;
    OWNED(marey_clip) *moved = test_elsewhere(walk, 1, 900, -300);
    assert_int_equal(marey_clip_scale(moved, 0.5, &half, NULL), MAREY_OK);
    assert_int_equal(marey_clip_scale(walk, 0.5, &other, NULL), MAREY_OK);
    OWNED(marey_clip) *made = test_refitted(moved, other);
    const double *start = mry_place(moved, 0), *half_start = mry_place(half, 0);
    double p[3 * 64], q[3 * 64];
    assert_true(fabs(mry_place(made, 0)[0] - start[0]) < 1e-9); /* it starts where it did */
    assert_true(fabs(mry_place(made, 0)[2] - start[2]) < 1e-9);
    for (int f = 0; f < made->frames; f += 7) {
        marey_clip_positions(made, f, 1, p);
        marey_clip_positions(half, f, 1, q);
        for (int j = 0; j < made->skeleton.joint_count; j++) {
            q[3 * j] += start[0] - half_start[0];
            q[3 * j + 2] += start[2] - half_start[2];
            assert_true(mry_distance3(p + 3 * j, q + 3 * j) < 1e-3);
        }
    }
    assert_string_equal(marey_clip_name(made), marey_clip_name(moved));
}

TEST_CTX(another_person_walks_without_sliding_more)
{
    OWNED(marey_clip) *walk = test_demo_part(ctx, "walk_straight", 0, 0);
    OWNED(marey_clip) *small = test_demo_part(ctx, "small_walk", 0, 0);
    OWNED(marey_clip) *made = test_refitted(walk, small);
    OWNED(marey_contacts) plants = { 0 };
    assert_int_equal(marey_contacts_find(walk, NULL, &plants), MAREY_OK);
    assert_true(test_slide(made, plants.items, plants.count) <
                test_slide(walk, plants.items, plants.count) + 0.5);
    for (int j = 1; j < made->skeleton.joint_count; j++)
        assert_true(mry_distance3(made->joints[j].offset_cm, small->joints[j].offset_cm) == 0);
}

/* Six channels a joint, and a root that stays where it is: the pelvis below it goes the scaled
   way. */
TEST_CTX(bones_given_by_channels_and_still_roots_are_fitted)
{
    test_need_mocap();
    OWNED(marey_clip) *clip = test_captured_unmarked(ctx, "bandai/dataset-2_walk_exhausted_004"),
                      *large = NULL;
    assert_int_equal(marey_clip_scale(clip, 1.2, &large, NULL), MAREY_OK);
    OWNED(marey_clip) *made = test_refitted(clip, large);
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS], joints = clip->skeleton.joint_count;
    FREED double *p = malloc(9 * (size_t)joints * sizeof *p);
    double *q = p + 3 * joints, *r = q + 3 * joints;
    marey_clip_positions(clip, 0, 1, r);
    for (int f = 0; f < made->frames; f += 5) {
        marey_clip_positions(made, f, 1, p);
        marey_clip_positions(clip, f, 1, q);
        for (int j = hips; j < joints; j++) {
            double want[3] = { r[3 * hips] + 1.2 * (q[3 * j] - r[3 * hips]), 1.2 * q[3 * j + 1],
                               r[3 * hips + 2] + 1.2 * (q[3 * j + 2] - r[3 * hips + 2]) };
            assert_true(mry_distance3(p + 3 * j, want) < 0.01);
        }
        assert_memory_equal(mry_place(made, f), mry_place(clip, f), 3 * sizeof(double));
    }
}

TEST_CTX(marks_go_along_and_other_joints_are_refused)
{
    OWNED(marey_clip) *a = test_mover(ctx, 30, 1);
    OWNED(marey_clip) *b = NULL;
    OWNED(marey_clip) *other = test_renamed(a, 3, "tail");
    marey_clip *out = NULL;
    marey_error error = { 0 };
    assert_true(mry_clip_add_mark(a, MAREY_MARK_DROPOUT, 4, 6));
    assert_int_equal(marey_clip_scale(a, 2, &b, NULL), MAREY_OK);
    assert_int_equal(marey_clip_refit(a, other, &out, &error), MAREY_ERR_SHAPE);
    assert_true(out == NULL && strlen(error.message) > 10);
    OWNED(marey_clip) *made = test_refitted(a, b);
    int count;
    const marey_mark *marks = marey_clip_marks(made, &count);
    assert_true(count == 1 && marks[0].start == 4 && marks[0].end == 6);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    test_memory memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *a = test_mover(ctx, 30, 1), *b = NULL;
    assert_int_equal(marey_clip_scale(a, 1.1, &b, NULL), MAREY_OK);
    long live = memory.live;
    marey_status status = MAREY_ERR_MEMORY;
    for (long n = 0; status; n++) {
        marey_clip *out = NULL;
        memory.refuse = memory.calls + n;
        status = marey_clip_refit(a, b, &out, NULL);
        memory.refuse = -1;
        assert_true(status == MAREY_OK || (status == MAREY_ERR_MEMORY && !out));
        marey_clip_free(out);
        assert_int_equal(memory.live, live);
    }
}

TEST_GROUP_OF_CASES(test_refit, NULL, NULL)
