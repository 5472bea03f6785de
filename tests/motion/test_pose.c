/* test_pose.c - angles and quaternions, forward kinematics, poses between frames. The judge of the
   angles is a product of plain rotation matrices. */
#include "support.h"

#include "math/euler.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                  { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

static uint64_t seed = 11;

static double random_between(double low, double high)
{
    return low + (high - low) * test_chance(&seed);
}

/* ---- the judge: matrices --------------------------------------------------------------------- */

static void rotate_about(int axis, double degrees, double *v)
{
    double s = sin(degrees * M_PI / 180), c = cos(degrees * M_PI / 180);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double x = c * v[a] - s * v[b], y = s * v[a] + c * v[b];
    v[a] = x;
    v[b] = y;
}

static void judge_rotate(const int *order, const double *degrees, double *v)
{
    for (int i = 2; i >= 0; i--) rotate_about(order[i], degrees[i], v);
}

static void quat_of(const int *order, const double *degrees, float *quat)
{
    mry_euler euler = { .column = { 0, 1, 2 }, .given = 3 };
    double sines[3], cosines[3];
    memcpy(euler.axis, order, sizeof euler.axis);
    mry_half_angles(degrees, 3, sines, cosines);
    mry_euler_to_quat(&euler, sines, cosines, quat);
}

/* ---- angles ---------------------------------------------------------------------------------- */

TEST(half_angles_agree_with_the_c_library)
{
    double worst = 0;
    for (double d = -1500; d < 1500; d += 0.37) {
        double s, c;
        mry_half_angles(&d, 1, &s, &c);
        worst = fmax(worst, fmax(fabs(s - sin(d * M_PI / 360)), fabs(c - cos(d * M_PI / 360))));
    }
    assert_true(worst < 2e-9);
    double zero = 0, s, c;
    mry_half_angles(&zero, 1, &s, &c);
    assert_true(s == 0 && c == 1);
}

TEST(every_order_of_axes_turns_as_matrices_do)
{
    for (int n = 0; n < 6000; n++) {
        double degrees[3], v[3] = { 1, 2, 3 }, w[3] = { 1, 2, 3 };
        float quat[4];
        for (int i = 0; i < 3; i++) degrees[i] = random_between(-400, 400);
        quat_of(orders[n % 6], degrees, quat);
        mry_quat_rotate_double(quat, v, v);
        judge_rotate(orders[n % 6], degrees, w);
        assert_true(mry_distance3(v, w) < 2e-6);
        assert_true(fabs(mry_quat_dot(quat, quat) - 1) < 1e-6);
    }
}

TEST(angles_out_of_a_quaternion_turn_as_it_does)
{
    for (int n = 0; n < 6000; n++) {
        double degrees[3], back[3], near[3], v[3] = { 1, 2, 3 }, w[3] = { 1, 2, 3 };
        float quat[4];
        for (int i = 0; i < 3; i++) degrees[i] = random_between(-180, 180);
        if (n % 5 == 0) degrees[1] = n % 10 ? 90 : -90; /* gimbal lock */
        for (int i = 0; i < 3; i++) near[i] = random_between(-500, 500);
        quat_of(orders[n % 6], degrees, quat);
        mry_euler_from_quat(orders[n % 6], 3, quat, near, back);
        judge_rotate(orders[n % 6], degrees, v);
        judge_rotate(orders[n % 6], back, w);
        assert_true(mry_distance3(v, w) < 1e-5);
        assert_true(fabs(back[0] - near[0]) <= 361); /* the nearest turn, up to the other reading */
    }
}

TEST(angles_stay_near_the_ones_before_them)
{
    for (int n = 0; n < 6000; n++) {
        double degrees[3], back[3], near[3];
        float quat[4];
        degrees[0] = random_between(-900, 900);
        degrees[1] = random_between(-80, 80);
        degrees[2] = random_between(-900, 900);
        for (int i = 0; i < 3; i++) near[i] = degrees[i] + random_between(-3, 3);
        quat_of(orders[n % 6], degrees, quat);
        mry_euler_from_quat(orders[n % 6], 3, quat, near, back);
        for (int i = 0; i < 3; i++) assert_true(fabs(back[i] - degrees[i]) < 1e-2);
    }
}

/* ---- between orientations -------------------------------------------------------------------- */

TEST(slerp_meets_both_ends_and_goes_the_shorter_way_at_constant_speed)
{
    for (int n = 0; n < 2000; n++) {
        float a[4], b[4], middle[4];
        for (int i = 0; i < 4; i++) {
            a[i] = (float)random_between(-1, 1);
            b[i] = n % 3 ? (float)random_between(-1, 1) : a[i] + (float)random_between(-1e-3, 1e-3);
        }
        mry_quat_normalize(a);
        mry_quat_normalize(b);
        float whole = mry_quat_angle(a, b);
        assert_true(whole <= (float)M_PI + 1e-5f);
        for (float t = 0; t <= 1; t += 0.25f) {
            mry_quat_slerp(a, b, t, middle);
            assert_true(fabsf(mry_quat_angle(a, middle) - t * whole) < 2e-3f);
            assert_true(fabsf(mry_quat_angle(middle, b) - (1 - t) * whole) < 2e-3f);
        }
    }
}

TEST(a_quaternion_of_no_length_becomes_the_identity)
{
    float q[4] = { 0 };
    mry_quat_normalize(q);
    assert_true(q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0);
}

/* ---- clips ----------------------------------------------------------------------------------- */

TEST_CTX(a_sample_at_a_frame_is_that_frame_and_halfway_is_between)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 10);
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    double places[3 * 21], exact[3 * 21], sampled[3 * 21], next[3 * 21];
    float turns[4 * 21];
    assert_int_equal(skeleton->joint_count, 21);
    for (int f = 0; f < 10; f++) {
        marey_clip_sample(clip, f / marey_clip_fps(clip), places, turns);
        marey_pose_positions(skeleton, places, turns, sampled);
        marey_clip_positions(clip, f, 1, exact);
        for (int i = 0; i < 3 * 21; i++) assert_true(fabs(sampled[i] - exact[i]) < 1e-4);
    }
    marey_clip_sample(clip, 3.5 / marey_clip_fps(clip), places, turns);
    marey_pose_positions(skeleton, places, turns, sampled);
    marey_clip_positions(clip, 3, 1, exact);
    marey_clip_positions(clip, 4, 1, next);
    for (int i = 0; i < 3 * 21; i++) assert_true(fabs(sampled[i] - (exact[i] + next[i]) / 2) < 0.1);
}

TEST_CTX(a_sample_outside_the_clip_is_its_first_or_last_frame)
{
    static const double times[] = { -1e300, -1, 1e9, INFINITY, NAN };
    for (int frames = 1; frames <= 3; frames += 2) {
        OWNED(marey_clip) *clip = test_person_clip(ctx, frames);
        for (int i = 0; i < 5; i++) {
            double places[3 * 21];
            float turns[4 * 21];
            marey_clip_sample(clip, times[i], places, turns);
            const double *root = marey_clip_root(clip, times[i] > 0 ? frames - 1 : 0);
            assert_true(mry_distance3(places, root) < 1e-9);
        }
    }
}

/* Long chains that go on from somewhere above, so that the pass comes back from far below; then
   parents in any order. */
TEST(large_skeletons_are_posed_as_joint_by_joint)
{
    enum { JOINTS = 3000 };
    static marey_joint joints[JOINTS];
    static double places[3 * JOINTS], want[3 * JOINTS], got[3 * JOINTS];
    static float turns[4 * JOINTS], world[4 * JOINTS];
    marey_skeleton skeleton = { .joint_count = JOINTS, .joints = joints };
    for (int any = 0; any < 2; any++) {
        for (int j = 0; j < JOINTS; j++) {
            int parent = j - 1;
            int up = j % 290 == 289 ? (int)random_between(0, j) : (int)random_between(0, 1.1);
            while (up-- > 0 && parent > 0) parent = joints[parent].parent;
            joints[j].parent = any && j > 0 ? (int)random_between(0, j) : parent;
            for (int i = 0; i < 3; i++) places[3 * j + i] = random_between(-1, 1);
            for (int i = 0; i < 4; i++) turns[4 * j + i] = (float)random_between(-1, 1);
            mry_quat_normalize(turns + 4 * j);
        }
        for (int j = 0; j < JOINTS; j++) {
            int parent = joints[j].parent;
            double *at = want + 3 * j;
            memcpy(at, places + 3 * j, 3 * sizeof *at);
            memcpy(world + 4 * j, turns + 4 * j, 4 * sizeof *world);
            if (parent < 0) continue;
            mry_quat_rotate_double(world + 4 * parent, places + 3 * j, at);
            for (int i = 0; i < 3; i++) at[i] += want[3 * parent + i];
            mry_quat_multiply(world + 4 * parent, turns + 4 * j, world + 4 * j);
        }
        marey_pose_positions(&skeleton, places, turns, got);
        assert_memory_equal(got, want, sizeof want);
    }
}

TEST_GROUP_OF_CASES(test_pose, NULL, NULL)
