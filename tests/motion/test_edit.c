/* test_edit.c - trim, resample, mirror, in place, scale, concatenate, restate: identities, round
   trips, and a mirror judged by reflecting the joints' positions themselves. */
#include "support.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    marey_ctx *ctx;
    marey_clip *clip;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    f->clip = test_person_clip(f->ctx, 60);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    marey_clip_free(f->clip);
    marey_ctx_close(f->ctx); /* asserts that nothing is left */
    return 0;
}

static int joint_count(const marey_clip *clip)
{
    return marey_clip_skeleton(clip)->joint_count;
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

CASE(a_part_has_the_frames_and_numbers_of_the_whole)
{
    OWNED(marey_clip) *part = NULL;
    test_ok(marey_clip_trim(f->clip, 10, 25, &part, NULL));
    assert_int_equal(marey_clip_frames(part), 15);
    size_t row = sizeof(double) * (size_t)marey_clip_skeleton(part)->channel_count;
    for (int i = 0; i < 15; i++) {
        assert_memory_equal(marey_clip_channels(part, i), marey_clip_channels(f->clip, 10 + i),
                            row);
        assert_true(test_pose_apart(part, i, f->clip, 10 + i) == 0);
    }
}

CASE(parts_that_are_not_there_are_refused_by_name)
{
    static const int wrong[][2] = { { -1, 5 }, { 5, 5 }, { 6, 5 }, { 0, 61 }, { 60, 61 } };
    for (int i = 0; i < 5; i++) {
        marey_clip *part = NULL;
        assert_int_equal(marey_clip_trim(f->clip, wrong[i][0], wrong[i][1], &part, &test_error),
                         MAREY_ERR_REQUEST);
        assert_null(part);
        assert_non_null(strstr(test_error.message, "0-60"));
    }
}

CASE(resampling_to_the_same_rate_changes_nothing)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_resample(f->clip, 60, &made, NULL));
    assert_int_equal(marey_clip_frames(made), 60);
    for (int i = 0; i < 60; i++) assert_true(test_pose_apart(made, i, f->clip, i) < 1e-4);
}

CASE(half_the_rate_keeps_every_second_frame)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_resample(f->clip, 30, &made, NULL));
    assert_int_equal(marey_clip_frames(made), 30);
    assert_true(marey_clip_fps(made) == 30);
    for (int i = 0; i < 30; i++) assert_true(test_pose_apart(made, i, f->clip, 2 * i) < 1e-4);
}

CASE(a_higher_rate_lies_between_the_frames)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_resample(f->clip, 144, &made, NULL));
    assert_int_equal(marey_clip_frames(made), 142); /* the last frame at or before 59/60 s */
    for (int i = 0; i < 142; i++) {
        int before = (int)(i * 60.0 / 144.0), after = before < 59 ? before + 1 : 59;
        double step = test_pose_apart(f->clip, before, f->clip, after);
        assert_true(test_pose_apart(made, i, f->clip, before) <= step * 1.01 + 1e-4);
    }
}

CASE(rates_that_make_no_sense_are_refused)
{
    static const double wrong[] = { 0, -30, NAN, INFINITY, 1e9, 0.01 };
    for (int i = 0; i < 6; i++) {
        marey_clip *made = NULL;
        assert_int_equal(marey_clip_resample(f->clip, wrong[i], &made, NULL), MAREY_ERR_REQUEST);
        assert_null(made);
    }
}

/* ---- mirror ---------------------------------------------------------------------------------- */

CASE(mirroring_twice_gives_the_same_motion)
{
    OWNED(marey_clip) *once = NULL, *twice = NULL;
    test_ok(marey_clip_mirror(f->clip, &once, NULL));
    test_ok(marey_clip_mirror(once, &twice, NULL));
    assert_true(test_pose_apart(once, 20, f->clip, 20) > 5);
    for (int i = 0; i < 60; i++) assert_true(test_pose_apart(twice, i, f->clip, i) < 1e-3);
}

/* Where a symmetric skeleton's joint of one role is in the mirrored clip, the joint of the other
   side was, with x turned round. For real, slightly uneven bodies the bones' differences add up
   along a limb. */
static double mirror_error(const marey_clip *clip, const marey_clip *made, int frame)
{
    const int *roles = marey_clip_skeleton(clip)->roles;
    FREED double *before = test_positions(clip, frame), *after = test_positions(made, frame);
    double worst = 0;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        int shift = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR;
        int other = r < MAREY_ROLE_LEFT_COLLAR    ? r
                    : r < MAREY_ROLE_RIGHT_COLLAR ? r + shift
                                                  : r - shift;
        if (roles[r] < 0 || roles[other] < 0) continue;
        double expected[3];
        memcpy(expected, before + 3 * roles[other], sizeof expected);
        expected[0] = -expected[0];
        worst = fmax(worst, mry_distance3(expected, after + 3 * roles[r]));
    }
    return worst;
}

CASE(a_mirrored_joint_is_where_the_other_side_was_reflected)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_mirror(f->clip, &made, NULL));
    for (int i = 0; i < 60; i++) assert_true(mirror_error(f->clip, made, i) < 1e-3);
}

typedef struct mirror_sweep {
    marey_ctx *ctx;
    double worst_share; /* of the body's height */
    int seen;
} mirror_sweep;

static void mirror_real(void *user, const char *path)
{
    mirror_sweep *sweep = user;
    OWNED(marey_clip) *clip = test_clip_load(sweep->ctx, path), *made = NULL, *back = NULL;
    if (marey_clip_skeleton(clip)->roles[MAREY_ROLE_LEFT_KNEE] < 0) return;
    test_ok(marey_clip_mirror(clip, &made, NULL));
    test_ok(marey_clip_mirror(made, &back, NULL));
    double height = marey_clip_report(clip)->height_cm;
    for (int i = 0; i < marey_clip_frames(clip); i += 7) {
        double share = mirror_error(clip, made, i) / height;
        if (share > 0.08) fail_msg("%s frame %d: %.1f %% of the height off", path, i, 100 * share);
        sweep->worst_share = fmax(sweep->worst_share, share);
        if (test_pose_apart(back, i, clip, i) > 1e-2) fail_msg("%s: twice is not once", path);
    }
    sweep->seen++;
}

CASE(real_skeletons_mirror_to_their_reflection)
{
    test_need_mocap();
    mirror_sweep sweep = { .ctx = f->ctx };
    test_mocap_each("bandai", ".bvh", mirror_real, &sweep);
    test_mocap_each("accad", ".bvh", mirror_real, &sweep);
    test_mocap_each("format_zoo", ".bvh", mirror_real, &sweep);
    test_mocap_each("cmu", "2.bvh", mirror_real, &sweep);
    assert_in_range(sweep.seen, 40, 200);
    print_message("%d clips mirrored; uneven bodies are off by at most %.1f %% of the height\n",
                  sweep.seen, 100 * sweep.worst_share);
}

/* The bones at the hips of these skeletons have no length. Mirrored with a hip that is turned
   round, and a spine and legs turned back, joints are where they should be, but nothing can be
   mixed with such a clip. */
TEST_CTX(hips_of_real_clips_face_the_mirrored_way)
{
    test_need_mocap();
    static const char *const names[] = { "cmu/38_03.bvh", "cmu/144_33.bvh", "cmu/02_02.bvh",
                                         "cmu/143_32.bvh" };
    for (int n = 0; n < 4; n++) {
        OWNED(marey_clip) *clip = test_mocap_load(ctx, names[n]), *made = NULL;
        test_ok(marey_clip_mirror(clip, &made, NULL));
        for (int i = 1; i < marey_clip_frames(clip); i += 9) {
            float forward[3] = { 0, 0, 1 }, mirrored[3] = { 0, 0, 1 };
            mry_quat_rotate(marey_clip_rotations(clip, i), forward, forward);
            mry_quat_rotate(marey_clip_rotations(made, i), mirrored, mirrored);
            float along = forward[2] * mirrored[2] + forward[1] * mirrored[1];
            if (along - forward[0] * mirrored[0] < 0.9f) fail_msg("%s, frame %d", names[n], i);
        }
    }
}

static const char stick_text[] =
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2 3\n";

CASE(a_skeleton_without_sides_cannot_be_mirrored)
{
    OWNED(marey_clip) *made = NULL, *stick = test_clip(f->ctx, stick_text);
    test_refused_about(marey_clip_mirror(stick, &made, &test_error), MAREY_ERR_REQUEST,
                       "left and right");
    assert_null(made);
}

/* ---- the others ------------------------------------------------------------------------------ */

CASE(in_place_keeps_height_and_pose_and_stays_over_one_point)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_in_place(f->clip, &made, NULL));
    for (int i = 0; i < 60; i++) {
        const double *before = marey_clip_root(f->clip, i), *after = marey_clip_root(made, i);
        assert_true(fabs(after[0] - marey_clip_root(f->clip, 0)[0]) < 1e-9);
        assert_true(fabs(after[2] - marey_clip_root(f->clip, 0)[2]) < 1e-9);
        assert_true(before[1] == after[1]);
    }
}

/* Its joints are where they were; the new one is on the floor below the hips, and faces where they do. */
CASE(a_root_on_the_floor_carries_the_body)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_add_root(f->clip, "root", &made, NULL));
    const marey_skeleton *was = marey_clip_skeleton(f->clip), *is = marey_clip_skeleton(made);
    assert_int_equal(is->joint_count, was->joint_count + 1);
    assert_string_equal(is->joints[0].name, "root");
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        assert_int_equal(is->roles[r], was->roles[r] < 0 ? -1 : was->roles[r] + 1);
    for (int i = 0; i < 60; i++) {
        FREED double *before = test_positions(f->clip, i), *after = test_positions(made, i);
        for (int k = 0; k < 3 * was->joint_count; k++) test_near(after[k + 3], before[k], 1e-3);
        const double *hips = before + 3 * was->roles[MAREY_ROLE_HIPS];
        test_near(after[0], hips[0], 1e-9);
        test_near(after[1], 0, 0);
        test_near(after[2], hips[2], 1e-9);
        const double *left = before + 3 * was->roles[MAREY_ROLE_LEFT_HIP];
        const double *right = before + 3 * was->roles[MAREY_ROLE_RIGHT_HIP];
        double side[3] = { 1, 0, 0 };
        mry_quat_rotate_double(mry_turn(made, i), side, side);
        assert_true(side[0] * (left[0] - right[0]) + side[2] * (left[2] - right[2]) > 0);
        double facing = marey_clip_facing_rad(f->clip, i, before), ahead[3] = { 0, 0, 1 };
        mry_quat_rotate_double(mry_turn(made, i), ahead, ahead);
        assert_true(fabs(facing) < 3.1416);
        test_near(ahead[0], sin(facing), 1e-6);
        test_near(ahead[2], cos(facing), 1e-6);
    }
}

CASE(scaling_scales_every_position_and_the_height)
{
    OWNED(marey_clip) *made = NULL, *back = NULL;
    test_ok(marey_clip_scale(f->clip, 2.5, &made, NULL));
    FREED double *small = test_positions(f->clip, 30), *large = test_positions(made, 30);
    for (int i = 0; i < 3 * joint_count(made); i++)
        assert_true(fabs(large[i] - 2.5 * small[i]) < 1e-3);
    double ratio = marey_clip_report(made)->height_cm / marey_clip_report(f->clip)->height_cm;
    assert_true(fabs(ratio - 2.5) < 1e-9);
    test_ok(marey_clip_scale(made, 0.4, &back, NULL));
    for (int i = 0; i < 60; i++) assert_true(test_pose_apart(back, i, f->clip, i) < 1e-3);
    assert_int_equal(marey_clip_scale(f->clip, 0, &made, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(marey_clip_scale(f->clip, NAN, &made, NULL), MAREY_ERR_REQUEST);
}

CASE(joined_clips_follow_each_other)
{
    const marey_clip *both[] = { f->clip, f->clip };
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_concatenate(both, 2, false, &made, NULL));
    assert_int_equal(marey_clip_frames(made), 120);
    for (int i = 0; i < 120; i++) assert_true(test_pose_apart(made, i, f->clip, i % 60) == 0);
}

CASE(clips_of_another_rate_are_joined_at_the_first_ones)
{
    OWNED(marey_clip) *slow = NULL, *made = NULL;
    test_ok(marey_clip_resample(f->clip, 30, &slow, NULL));
    const marey_clip *both[] = { slow, f->clip };
    test_ok(marey_clip_concatenate(both, 2, false, &made, NULL));
    assert_int_equal(marey_clip_frames(made), 60);
    assert_true(marey_clip_fps(made) == 30);
}

CASE(clips_with_other_joints_cannot_be_joined)
{
    OWNED(marey_clip) *made = NULL, *stick = test_clip(f->ctx, stick_text);
    const marey_clip *both[] = { f->clip, stick };
    assert_int_equal(marey_clip_concatenate(both, 2, false, &made, &test_error), MAREY_ERR_SHAPE);
    assert_null(made);
}

CASE(other_units_and_axes_are_written_and_read_back_as_the_same_motion)
{
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/z.bvh", folder);
    for (int u = MAREY_UNITS_MM; u < MAREY_UNITS_RAW; u++) {
        OWNED(marey_clip) *made = NULL, *back = NULL;
        test_ok(marey_clip_restate(f->clip, u, MAREY_UP_Z, &made, &test_error));
        test_ok(marey_clip_save(made, path, &test_error));
        back = test_clip_load(f->ctx, path);
        assert_int_equal(marey_clip_units(back), u);
        assert_int_equal(marey_clip_up(back), MAREY_UP_Z);
        for (int i = 0; i < 60; i += 5) assert_true(test_pose_apart(back, i, f->clip, i) < 1e-2);
    }
    test_folder_remove(folder);
}

/* ---- refused memory -------------------------------------------------------------------------- */

static marey_status edit(const marey_clip *clip, int which, marey_clip **out, marey_error *error)
{
    const marey_clip *both[] = { clip, clip };
    switch (which) {
    case 0: return marey_clip_trim(clip, 1, 5, out, error);
    case 1: return marey_clip_resample(clip, 24, out, error);
    case 2: return marey_clip_mirror(clip, out, error);
    case 3: return marey_clip_in_place(clip, out, error);
    case 4: return marey_clip_scale(clip, 2, out, error);
    case 5: return marey_clip_concatenate(both, 2, true, out, error);
    case 6: return marey_clip_add_root(clip, "root", out, error);
    default: return marey_clip_restate(clip, MAREY_UNITS_M, MAREY_UP_Z, out, error);
    }
}

TEST(every_refused_allocation_of_an_edit_is_reported_and_leaks_nothing)
{
    for (int which = 0; which <= 7; which++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        OWNED(marey_clip) *clip = test_person_clip(ctx, 60);
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_clip) *made = NULL;
            status = edit(clip, which, &made, NULL);
            assert_true((made != NULL) == (status == MAREY_OK));
        }
    }
}

TEST_GROUP_OF_CASES(test_edit, NULL, NULL)
