/* test_retarget.c - one body's motion on another: the same body, the same body with other axes, real
   bodies there and back, and what is refused. */
#include "metric_clips.h"

#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"

#include <marey/retarget.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_CTX(the_same_body_keeps_its_bytes)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 60), *onto = test_person_clip(ctx, 5);
    OWNED(marey_clip) *made = NULL;
    marey_retarget_result result;
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, &result, &test_error));
    assert_true(result.same_body);
    for (int f = 0; f < 60; f++)
        assert_memory_equal(mry_turn(made, f), mry_turn(clip, f),
                            4 * sizeof(float) * (size_t)made->skeleton.joint_count);
}

static marey_clip *other_axes(marey_ctx *ctx, int frames, double scale)
{
    OWNED(marey_clip) *person = test_person_clip(ctx, frames);
    return test_other_axes(person, scale);
}

TEST_CTX(axes_and_size_of_a_body_do_not_matter)
{
    static const double scales[] = { 1, 0.6 };
    for (int s = 0; s < 2; s++) {
        OWNED(marey_clip) *clip = test_person_clip(ctx, 120);
        OWNED(marey_clip) *onto = other_axes(ctx, 90, scales[s]), *made = NULL, *back = NULL;
        marey_retarget_result result;
        test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, &result, &test_error));
        assert_false(result.same_body);
        test_near(result.leg_ratio, scales[s], 1e-4);
        assert_true(result.reach_percent < 1);
        assert_int_equal(marey_clip_frames(made), 120);
        for (int f = 0; f < 120; f += 7) {
            FREED double *was = test_positions(clip, f), *is = test_positions(made, f);
            for (int i = 0; i < 3 * marey_clip_skeleton(clip)->joint_count; i++)
                test_near(is[i] / scales[s], was[i], 1.5);
        }
        test_ok(marey_clip_retarget(made, NULL, 0, clip, NULL, &back, NULL, &test_error));
        for (int f = 0; f < 120; f += 7) {
            FREED double *was = test_positions(clip, f), *is = test_positions(back, f);
            for (int i = 0; i < 3 * marey_clip_skeleton(clip)->joint_count; i++)
                test_near(is[i], was[i], 1.5);
        }
    }
}

/* Where a bone points, from one role to the next. */
static mry_vec bone(const marey_clip *clip, const double *places, int role)
{
    const int *roles = marey_clip_skeleton(clip)->roles + role;
    const double *a = places + 3 * roles[0], *b = places + 3 * roles[1];
    return mry_vec_unit((mry_vec){ b[0] - a[0], b[1] - a[1], b[2] - a[2] });
}

/* How high ankles are while their heels are planted, on average. */
static double ankle_height(const marey_clip *clip, const marey_contacts *feet)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < feet->count; i++) {
        bool left = feet->items[i].joint == MAREY_CONTACT_LEFT_HEEL;
        if (!left && feet->items[i].joint != MAREY_CONTACT_RIGHT_HEEL) continue;
        int role = left ? MAREY_ROLE_LEFT_ANKLE : MAREY_ROLE_RIGHT_ANKLE;
        for (int f = feet->items[i].start; f < feet->items[i].end; f++, count++) {
            FREED double *places = test_positions(clip, f);
            sum += places[3 * marey_clip_skeleton(clip)->roles[role] + 1];
        }
    }
    return sum / count;
}

typedef struct arm {
    mry_vec reach, plane; /* in lengths of the arm; across the plane that it bends in */
    double bend;          /* as a sine */
} arm;

static arm see_arm(const marey_clip *clip, const double *places, int role)
{
    mry_vec at[3];
    for (int i = 0; i < 3; i++) {
        const double *p = places + 3 * marey_clip_skeleton(clip)->roles[role + i];
        at[i] = (mry_vec){ p[0], p[1], p[2] };
    }
    mry_vec upper = mry_vec_sub(at[1], at[0]), lower = mry_vec_sub(at[2], at[1]);
    mry_vec across = mry_vec_cross(mry_vec_unit(upper), mry_vec_unit(lower));
    double length = mry_vec_length(upper) + mry_vec_length(lower);
    return (arm){ mry_vec_scale(mry_vec_sub(at[2], at[0]), 1 / length), mry_vec_unit(across),
                  mry_vec_length(across) };
}

/* The trunk points where the source's does and bends in all its joints, hands reach as far in proportion, elbows
   bend in the same plane, and feet stand as high as in the target's own clip. */
TEST_CTX(a_real_body_follows_the_other_one)
{
    test_need_mocap();
    OWNED(marey_clip) *clip = test_mocap_load(ctx, "bandai/dataset-1_walk-back_normal_001.bvh");
    OWNED(marey_clip) *onto = test_mocap_load(ctx, "cmu/144_20.bvh"), *made = NULL;
    marey_contacts feet = { 0 }, own = { 0 };
    test_ok(marey_contacts_find(clip, NULL, &feet));
    test_ok(marey_contacts_find(onto, NULL, &own));
    test_ok(
        marey_clip_retarget(clip, feet.items, feet.count, onto, NULL, &made, NULL, &test_error));
    for (int f = 0; f < marey_clip_frames(clip); f += 3) {
        FREED double *was = test_positions(clip, f), *is = test_positions(made, f);
        mry_vec off =
            mry_vec_sub(bone(made, is, MAREY_ROLE_SPINE), bone(clip, was, MAREY_ROLE_SPINE));
        test_near(mry_vec_length(off), 0, 1e-3);
        for (int right = 0; right < 2; right++) {
            int role = right ? MAREY_ROLE_RIGHT_SHOULDER : MAREY_ROLE_LEFT_SHOULDER;
            arm a = see_arm(clip, was, role), b = see_arm(made, is, role);
            test_near(mry_vec_length(mry_vec_sub(a.reach, b.reach)), 0, 1e-3);
            if (a.bend > 0.3) assert_true(mry_vec_dot(a.plane, b.plane) > 0.9999);
        }
    }
    test_near(ankle_height(made, &feet), ankle_height(onto, &own), 0.5);
    const int *roles = marey_clip_skeleton(made)->roles;
    int between = made->joints[roles[MAREY_ROLE_CHEST]].parent;
    assert_true(between != roles[MAREY_ROLE_SPINE] && between != roles[MAREY_ROLE_HIPS]);
    double most = 0;
    for (int f = 1; f < marey_clip_frames(made); f++)
        most = fmax(most, (double)mry_quat_angle(mry_turn(made, 0) + 4 * between,
                                                 mry_turn(made, f) + 4 * between));
    assert_true(most > 0.01);
    marey_contacts_free(&feet);
    marey_contacts_free(&own);
}

/* How far a role's joint is from where it is in the source at most: along the floor, and in height. */
static void off(const marey_clip *clip, const marey_clip *made, int role, double *floor,
                double *high)
{
    *floor = *high = 0;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        FREED double *was = test_positions(clip, f), *is = test_positions(made, f);
        const double *a = was + 3 * marey_clip_skeleton(clip)->roles[role];
        const double *b = is + 3 * marey_clip_skeleton(made)->roles[role];
        *floor = fmax(*floor, hypot(a[0] - b[0], a[2] - b[2]));
        *high = fmax(*high, fabs(a[1] - b[1]));
    }
}

/* A body that is a little smaller, or larger where it has to stand as high. */
TEST_CTX(what_is_kept_is_where_it_was)
{
    static const struct row {
        unsigned keep;
        double scale;
        int role;
        double floor, high; /* cm; -1: it does not matter */
    } rows[] = {
        { MAREY_KEEP_PATH, 0.9, MAREY_ROLE_HIPS, 2, -1 },
        { MAREY_KEEP_PATH, 0.9, MAREY_ROLE_LEFT_ANKLE, 2, -1 },
        { MAREY_KEEP_FEET, 0.95, MAREY_ROLE_RIGHT_ANKLE, 2, 2 },
        { MAREY_KEEP_HANDS, 1.05, MAREY_ROLE_LEFT_WRIST, 1, 1 },
        { MAREY_KEEP_HANDS | MAREY_KEEP_FEET, 1.05, MAREY_ROLE_RIGHT_WRIST, 1, 1 },
        { MAREY_KEEP_HEIGHTS, 1.05, MAREY_ROLE_HIPS, -1, 2 },
        { MAREY_KEEP_HEIGHTS, 1.05, MAREY_ROLE_RIGHT_WRIST, -1, 2 },
    };
    OWNED(marey_clip) *clip = test_person_clip(ctx, 120);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        OWNED(marey_clip) *onto = other_axes(ctx, 120, row->scale), *made = NULL, *scaled = NULL;
        marey_retarget_def def = { .keep = row->keep };
        double floor, high, other_floor, other_high;
        test_ok(marey_clip_retarget(clip, NULL, 0, onto, &def, &made, NULL, &test_error));
        test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &scaled, NULL, &test_error));
        off(clip, made, row->role, &floor, &high);
        off(clip, scaled, row->role, &other_floor, &other_high);
        if (row->floor >= 0) assert_true(floor < row->floor && other_floor > 2 * floor);
        if (row->high >= 0) assert_true(high < row->high && other_high > high);
    }
}

TEST_CTX(a_body_stays_over_its_place)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 50), *onto = other_axes(ctx, 50, 0.8);
    const marey_clip *both[2] = { clip, onto };
    marey_retarget_def def = { .in_place = true };
    for (int same = 0; same < 2; same++) {
        OWNED(marey_clip) *made = NULL;
        test_ok(marey_clip_retarget(clip, NULL, 0, both[!same], &def, &made, NULL, &test_error));
        int hips = made->skeleton.roles[MAREY_ROLE_HIPS];
        FREED double *begin = test_positions(made, 0), *end = test_positions(made, 49);
        test_near(end[3 * hips], begin[3 * hips], 1e-6);
        test_near(end[3 * hips + 2], begin[3 * hips + 2], 1e-6);
    }
}

/* Roles that are wrong or missing are put right by a map; one that is wrong itself is refused. */
TEST_CTX(a_map_says_which_joints_belong_together)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 40), *onto = other_axes(ctx, 40, 0.8);
    OWNED(marey_clip) *wanted = NULL, *made = NULL;
    marey_body_map map = { 0 };
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &wanted, NULL, &test_error));
    test_ok(marey_body_map_find(clip, onto, &map));
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        clip->skeleton.roles[r] = onto->skeleton.roles[r] = -1;
    marey_retarget_def def = { .map = &map };
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, &def, &made, NULL, &test_error));
    for (int f = 0; f < 40; f++)
        assert_memory_equal(mry_turn(made, f), mry_turn(wanted, f),
                            4 * sizeof(float) * (size_t)made->skeleton.joint_count);
    assert_int_equal(made->skeleton.roles[MAREY_ROLE_HIPS], 0);
    marey_clip *none = NULL;
    map.pairs[3].source = map.pairs[4].source;
    test_refused_about(marey_clip_retarget(clip, NULL, 0, onto, &def, &none, NULL, &test_error),
                       MAREY_ERR_REQUEST, "another pair");
    map.pairs[3].source = 1000;
    test_refused_about(marey_clip_retarget(clip, NULL, 0, onto, &def, &none, NULL, &test_error),
                       MAREY_ERR_REQUEST, "not there");
    map.count = 3;
    test_refused_about(marey_clip_retarget(clip, NULL, 0, onto, &def, &none, NULL, &test_error),
                       MAREY_ERR_INPUT, "the map has no pair with the role left_hip");
    marey_body_map_free(&map);
}

/* A target whose clip looks down all the time has a rest pose that looks ahead: that is what counts. */
TEST_CTX(only_the_clip_of_a_target_looks_down)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 60), *onto = test_person_clip(ctx, 60);
    OWNED(marey_clip) *made = NULL;
    const int neck = onto->skeleton.roles[MAREY_ROLE_NECK];
    for (int j = 0; j < onto->skeleton.joint_count; j++) {
        onto->joints[j].name = mry_arena_print(&onto->mem, "j_%s", onto->joints[j].name);
        assert_non_null(onto->joints[j].name);
    }
    for (int f = 0; f < 60; f++) {
        const float down[4] = { 0.966F, 0.2588F, 0, 0 };
        float turn[4];
        mry_quat_multiply(mry_turn(onto, f) + 4 * neck, down, turn);
        memcpy(mry_turn(onto, f) + 4 * neck, turn, sizeof turn);
    }
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, NULL, &test_error));
    for (int f = 0; f < 60; f += 7)
        assert_true((double)mry_quat_angle(mry_turn(made, f) + 4 * neck,
                                           mry_turn(clip, f) + 4 * neck) < 0.02);
}

/* Left is right on the same body: that is no copy. */
TEST_CTX(a_map_counts_on_the_same_body_too)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 40), *made = NULL;
    marey_body_map map = { 0 };
    marey_retarget_def def = { .map = &map };
    marey_retarget_result result;
    test_ok(marey_body_map_find(clip, clip, &map));
    const int *roles = marey_clip_skeleton(clip)->roles;
    for (int i = 0; i < map.count; i++) {
        int by = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR, role = (int)map.pairs[i].role;
        if (role < MAREY_ROLE_LEFT_COLLAR || role >= MAREY_ROLE_COUNT) continue;
        map.pairs[i].source = roles[role < MAREY_ROLE_RIGHT_COLLAR ? role + by : role - by];
    }
    test_ok(marey_clip_retarget(clip, NULL, 0, clip, &def, &made, &result, &test_error));
    assert_false(result.same_body);
    marey_body_map_free(&map);
}

/* As in skeleton files: its feet are below the floor. */
TEST_CTX(a_rest_pose_about_the_origin_is_put_on_the_floor)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 40), *onto = other_axes(ctx, 1, 0.8);
    OWNED(marey_clip) *made = NULL;
    memset(mry_place(onto, 0), 0, 3 * sizeof(double));
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, NULL, &test_error));
    FREED double *at = test_positions(made, 20);
    const int *roles = made->skeleton.roles;
    double low =
        fmin(at[3 * roles[MAREY_ROLE_LEFT_TOE] + 1], at[3 * roles[MAREY_ROLE_RIGHT_TOE] + 1]);
    assert_true(low > -3 && low < 10);
}

/* How much higher a role's joint is than in the source, in proportion, in the frame where it is lowest there. */
static double raised(const marey_clip *clip, const marey_clip *made, double ratio, int role)
{
    double least = HUGE_VAL, above = 0;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        FREED double *was = test_positions(clip, f), *is = test_positions(made, f);
        double low = was[3 * marey_clip_skeleton(clip)->roles[role] + 1];
        if (low >= least) continue;
        least = low;
        above = is[3 * marey_clip_skeleton(made)->roles[role] + 1] - ratio * low;
    }
    return above;
}

/* A hand that puts something on the floor gets there, on a body whose trunk is stiffer, too. */
TEST_CTX(hands_reach_down_to_the_floor)
{
    test_need_mocap();
    OWNED(marey_clip) *clip =
        test_mocap_load(ctx, "hdm05/depositFloorR/HDM_bd_depositFloorR_004_120.amc");
    OWNED(marey_clip) *onto = test_mocap_load(ctx, "bandai/dataset-1_walk_normal_001.bvh");
    OWNED(marey_clip) *made = NULL;
    marey_retarget_result result;
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, &result, &test_error));
    double hand = raised(clip, made, result.leg_ratio, MAREY_ROLE_RIGHT_WRIST);
    double foot = raised(clip, made, result.leg_ratio, MAREY_ROLE_LEFT_ANKLE);
    if (hand - foot > 5.5) fail_msg("%.2f cm too high", hand - foot);
}

/* Knees that are straight in the source keep to their side, and feet whose toes are below their ankles follow shins. */
TEST_CTX(straight_knees_and_short_feet_do_no_harm)
{
    test_need_mocap();
    OWNED(marey_clip) *clip = test_mocap_load(ctx, "cmu/141_12.bvh"), *made = NULL, *other = NULL;
    OWNED(marey_clip) *onto = test_mocap_load(ctx, "bandai/dataset-1_dance-short_normal_001.bvh");
    OWNED(marey_clip) *odd = test_mocap_load(ctx, "format_zoo/pybvh__bvh_test3.bvh");
    marey_retarget_result result;
    test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, &result, &test_error));
    assert_true(result.speed_ratio < 1.1);
    test_ok(marey_clip_retarget(odd, NULL, 0, onto, NULL, &other, &result, &test_error));
    assert_true(result.reach_percent < 0.1);
}

TEST_CTX(a_body_without_legs_is_refused_by_the_role_that_is_missing)
{
    static const char stick[] =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation "
        "Xrotation\nEnd Site\n{\nOFFSET 0 9 0\n}\n}\nMOTION\nFrames: 1\n"
        "Frame Time: 0.1\n0 0 0\n";
    OWNED(marey_clip) *clip = test_person_clip(ctx, 5), *onto = test_clip(ctx, stick);
    marey_clip *made = NULL;
    test_refused_about(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, NULL, &test_error),
                       MAREY_ERR_INPUT, "hips");
    test_refused_about(marey_clip_retarget(onto, NULL, 0, clip, NULL, &made, NULL, &test_error),
                       MAREY_ERR_INPUT, "hips");
    assert_null(made);
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 30), *onto = other_axes(ctx, 10, 2);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_clip *made = NULL;
        status = marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, NULL, &test_error);
        assert_int_equal(made == NULL, status != MAREY_OK);
        marey_clip_free(made);
    }
}

TEST_CTX(real_bodies_there_and_back)
{
    static const char *const pairs[][2] = {
        { "cmu/144_20.bvh", "bandai/dataset-1_walk-back_normal_001.bvh" },
        { "bandai/dataset-1_walk-back_normal_001.bvh", "cmu/144_20.bvh" },
        { "cmu/02_02.bvh", "rigs/gltf/soldier.glb" }
    };
    test_need_mocap();
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        OWNED(marey_clip) *clip = test_mocap_load(ctx, pairs[p][0]);
        OWNED(marey_clip) *onto = test_mocap_load(ctx, pairs[p][1]), *made = NULL, *back = NULL;
        test_ok(marey_clip_retarget(clip, NULL, 0, onto, NULL, &made, NULL, &test_error));
        test_ok(marey_clip_retarget(made, NULL, 0, clip, NULL, &back, NULL, &test_error));
        const marey_skeleton *s = marey_clip_skeleton(clip), *t = marey_clip_skeleton(onto);
        double sum = 0;
        int64_t count = 0;
        for (int f = 1; f < marey_clip_frames(clip); f += 5) {
            FREED double *was = test_positions(clip, f), *is = test_positions(back, f);
            for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
                if (s->roles[r] < 0 || t->roles[r] < 0) continue;
                const double *a = was + 3 * s->roles[r], *b = is + 3 * s->roles[r];
                sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                            (a[2] - b[2]) * (a[2] - b[2]));
                count++;
            }
        }
        if (sum / (double)count > 4) fail_msg("%s: %.2f cm", pairs[p][0], sum / (double)count);
    }
}

TEST_GROUP_OF_CASES(test_retarget, NULL, NULL)
