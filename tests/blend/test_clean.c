/* test_clean.c - clean-up of plants of made clips: what is held, what is left alone, what skeletons
   it knows, what it refuses. */
#include "frame_measures.h"

#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"
#include "motion/feet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A demo take whose body drifts, so that its feet slide. */
typedef struct drifting {
    marey_ctx *ctx;
    marey_demo_take *take;
    const marey_contact *contacts;
    int count;
    marey_clip *clip;
} drifting;

/* Under a sanitizer every fourth take is tried. */
#define EACH_TAKE (TEST_SANITIZED && !test_is_long() ? 4 : 1)

static marey_clip *copy_of(const marey_clip *clip)
{
    marey_clip *copy = test_trimmed(clip, 0, marey_clip_frames(clip));
    return copy;
}

/* A copy that stands as the clip does in a frame. */
static marey_clip *standing_at(const marey_clip *clip, int frame)
{
    marey_clip *still = copy_of(clip);
    for (int f = 0; f < still->frames; f++) {
        memcpy(mry_turn(still, f), mry_turn(clip, frame),
               4 * (size_t)still->skeleton.joint_count * sizeof(float));
        memcpy(mry_place(still, f), mry_place(clip, frame), 3 * sizeof(double));
    }
    return still;
}

static void drift(marey_clip *clip, double size)
{
    for (int f = 0; f < clip->frames; f++) {
        double t = f / clip->fps, *p = mry_place(clip, f);
        p[0] += size * sin(2.1 * t);
        p[1] += 0.2 * size * sin(2.9 * t + 2);
        p[2] += size * sin(1.7 * t + 1);
    }
}

static drifting open_take(int number, double size)
{
    drifting d = { .ctx = test_ctx() };
    assert_int_equal(marey_demo_build(d.ctx, number, 3, &d.take, NULL), MAREY_OK);
    d.contacts = marey_demo_contacts(d.take, &d.count);
    d.clip = copy_of(marey_demo_clip(d.take));
    drift(d.clip, size);
    return d;
}

static void close_take(drifting *d)
{
    marey_clip_free(d->clip);
    marey_demo_free(d->take);
    marey_ctx_close(d->ctx);
}
OWNED_VALUE(drifting, close_take)

static marey_clip *clean(const marey_clip *clip, const marey_contact *contacts, int count,
                         const marey_clean_def *def, marey_clean_result *result)
{
    marey_clip *made = NULL;
    marey_error error = { 0 };
    if (marey_clip_clean(clip, contacts, count, def, &made, result, &error))
        fail_msg("%s", error.message);
    return made;
}

static bool same_frame(const marey_clip *a, const marey_clip *b, int frame)
{
    return memcmp(mry_turn(a, frame), mry_turn(b, frame),
                  4 * (size_t)a->skeleton.joint_count * sizeof(float)) == 0 &&
           memcmp(mry_place(a, frame), mry_place(b, frame),
                  3 * (size_t)a->mover_count * sizeof(double)) == 0;
}

static int frames_to_plant(const marey_contact *contacts, int count, int frame)
{
    int nearest = 1000000;
    for (int n = 0; n < count; n++) {
        int to = contacts[n].start > frame     ? contacts[n].start - frame
                 : contacts[n].end - 1 < frame ? frame - contacts[n].end + 1
                                               : 0;
        if (to < nearest) nearest = to;
    }
    return nearest;
}

/* ---- what it does ---------------------------------------------------------------------------- */

TEST(planted_feet_and_hands_of_every_take_stay_put_and_nothing_jumps)
{
    for (int n = 0; n < marey_demo_count(); n += EACH_TAKE) {
        OWNED(drifting) d = open_take(n, 3);
        marey_clean_result result;
        marey_quality before, after;
        OWNED(marey_clip) *made = clean(d.clip, d.contacts, d.count, NULL, &result);
        assert_int_equal(marey_clip_quality(d.clip, d.contacts, d.count, &before), MAREY_OK);
        assert_int_equal(marey_clip_quality(made, d.contacts, d.count, &after), MAREY_OK);
        if (after.slide_max_cm > 0.3 || test_largest_step(made) > 1.1 * test_largest_step(d.clip))
            fail_msg("%s: slide %.2f -> %.2f cm, step %.2f -> %.2f cm", marey_demo_name(n),
                     before.slide_max_cm, after.slide_max_cm, test_largest_step(d.clip),
                     test_largest_step(made));
        assert_true(before.slide_max_cm > 0.4);
        assert_true(fabs(result.slide_before_cm - before.slide_max_cm) < 1e-9);
        assert_true(fabs(result.slide_after_cm - after.slide_max_cm) < 1e-9);
        assert_int_equal(result.plants, d.count);
        assert_int_equal(result.plants_left, 0);
        assert_true(result.stretched == 0);
    }
}

static bool is_leg(const marey_clip *clip, int joint)
{
    for (; joint >= 0; joint = clip->joints[joint].parent) {
        if (joint == clip->skeleton.roles[MAREY_ROLE_LEFT_HIP] ||
            joint == clip->skeleton.roles[MAREY_ROLE_RIGHT_HIP])
            return true;
    }
    return false;
}

/* Of the legs, hips' own places included, only turns may change; bones keep their length. */
TEST(only_legs_and_the_roots_place_change)
{
    OWNED(drifting) d = open_take(0, 3);
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(d.clip, d.contacts, d.count, NULL, &result);
    double moved = 0;
    for (int f = 0; f < made->frames; f++) {
        const double *from = mry_place(d.clip, f), *to = mry_place(made, f);
        moved = fmax(moved, mry_distance3(from, to));
        assert_memory_equal(from + 3, to + 3, 24 * (size_t)(made->mover_count - 1));
        for (int j = 0; j < made->skeleton.joint_count; j++) {
            if (!is_leg(made, j))
                assert_memory_equal(mry_turn(made, f) + 4 * j, mry_turn(d.clip, f) + 4 * j, 16);
        }
    }
    assert_true(moved > 0 && moved < 8);
    assert_true(fabs(moved - result.root_moved_cm) < 1e-9);
}

/* Where the elbow stands out to from the line from shoulder to wrist. */
static mry_vec elbow_out(const double *at, const int *arm)
{
    mry_vec p[3];
    for (int i = 0; i < 3; i++) {
        const double *q = at + 3 * arm[i];
        p[i] = (mry_vec){ q[0], q[1], q[2] };
    }
    mry_vec along = mry_vec_unit(mry_vec_sub(p[2], p[0])), way = mry_vec_sub(p[1], p[0]);
    return mry_vec_sub(way, mry_vec_scale(along, mry_vec_dot(way, along)));
}

/* Near its plants an arm bends as it did, and elsewhere it is as it was to the bit. */
TEST(a_planted_hand_is_held_by_its_arm)
{
    static const marey_role roles[2][3] = {
        { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST },
        { MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST },
    };
    int number = 0, bent = 0;
    while (strcmp(marey_demo_name(number), "cartwheels") != 0) number++;
    OWNED(drifting) d = open_take(number, 5);
    OWNED(marey_clip) *made = clean(d.clip, d.contacts, d.count, NULL, NULL);
    FREED double *cm = calloc((size_t)d.count, sizeof *cm);
    double was[64 * 3], is[64 * 3];
    test_ok(marey_clip_drifts(made, d.contacts, d.count, cm));
    for (int n = 0; n < d.count; n++) assert_true(cm[n] < 0.01);
    for (int side = 0; side < 2; side++) {
        int first = 0, count, arm[3];
        while ((int)d.contacts[first].joint != MAREY_CONTACT_LEFT_HAND + side) first++;
        for (count = first; count < d.count && d.contacts[count].joint == d.contacts[first].joint;)
            count++;
        assert_int_equal(count - first, 3);
        for (int i = 0; i < 3; i++) arm[i] = made->skeleton.roles[roles[side][i]];
        for (int f = 0; f < made->frames; f++) {
            bool far = frames_to_plant(d.contacts + first, count - first, f) > 12;
            for (int i = 0; i < 3 && far; i++)
                assert_memory_equal(mry_turn(made, f) + 4 * arm[i],
                                    mry_turn(d.clip, f) + 4 * arm[i], 16);
            marey_clip_positions(d.clip, f, 1, was);
            marey_clip_positions(made, f, 1, is);
            mry_vec before = elbow_out(was, arm), after = elbow_out(is, arm);
            if (far || mry_vec_length(before) < 2) continue;
            assert_true(mry_vec_dot(before, after) > 0.9 * mry_vec_length(before));
            bent++;
        }
    }
    assert_true(bent > 40);
}

TEST(frames_farther_than_the_ease_from_plants_are_untouched)
{
    int far = 0;
    for (int n = 0; n < marey_demo_count(); n += EACH_TAKE) {
        OWNED(drifting) d = open_take(n, 3);
        marey_contact few[2] = { { MAREY_CONTACT_LEFT_HEEL, 40, 60 },
                                 { MAREY_CONTACT_RIGHT_TOE, 70, 90 } };
        marey_clean_def def = { .ease_s = 0.1 };
        OWNED(marey_clip) *made = clean(d.clip, few, 2, &def, NULL);
        for (int f = 0; f < made->frames; f++) {
            if (frames_to_plant(few, 2, f) <= (int)round(0.1 * made->fps)) continue;
            assert_true(same_frame(made, d.clip, f));
            far++;
        }
        assert_false(same_frame(made, d.clip, 40));
        assert_false(same_frame(made, d.clip, 35));
    }
    assert_true(far > 100);
}

/* One of the two plants slides; the other must be left alone, since nothing near it changes. */
TEST(plants_that_are_still_stay_as_they_are)
{
    OWNED(drifting) d = open_take(0, 0);
    OWNED(marey_clip) *still = standing_at(d.clip, 30);
    marey_contact all[4];
    for (int n = 0; n < 4; n++)
        all[n] = (marey_contact){ (marey_contact_joint)n, n, still->frames - n };
    marey_clean_result result;
    OWNED(marey_clip) *same = clean(still, all, 4, NULL, &result);
    for (int f = 0; f < same->frames; f++) assert_true(same_frame(same, still, f));
    assert_true(result.slide_after_cm == 0 && result.root_moved_cm == 0);
    for (int f = 150; f < 200; f++) mry_place(still, f)[0] += 0.02 * (f - 150);
    for (int f = 200; f < still->frames; f++) mry_place(still, f)[0] += 1;
    marey_contact two[2] = { { MAREY_CONTACT_LEFT_HEEL, 0, 60 },
                             { MAREY_CONTACT_LEFT_HEEL, 150, 200 } };
    OWNED(marey_clip) *made = clean(still, two, 2, &(marey_clean_def){ .ease_s = 0.2 }, NULL);
    for (int f = 0; f < 60; f++) assert_true(same_frame(made, still, f));
    assert_false(same_frame(made, still, 151));
}

TEST(plants_at_the_ends_short_ones_and_one_as_long_as_the_clip_are_held)
{
    OWNED(drifting) d = open_take(1, 2);
    int last = d.clip->frames;
    marey_contact odd[] = {
        { MAREY_CONTACT_LEFT_HEEL, 0, 2 },           { MAREY_CONTACT_LEFT_HEEL, 3, 4 },
        { MAREY_CONTACT_LEFT_HEEL, last - 1, last }, { MAREY_CONTACT_LEFT_TOE, 0, 1 },
        { MAREY_CONTACT_RIGHT_HEEL, 10, 12 },
    };
    marey_contact whole[] = { { MAREY_CONTACT_RIGHT_TOE, 0, last } };
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(d.clip, odd, 5, NULL, &result);
    assert_true(result.slide_after_cm < 0.3);
    test_clip_is_finite(made);
    OWNED(marey_clip) *standing = standing_at(d.clip, 0);
    drift(standing, 3);
    OWNED(marey_clip) *held = clean(standing, whole, 1, NULL, &result);
    assert_true(result.slide_before_cm > 3 && result.slide_after_cm < 0.01);
}

/* A foot that slides steadily, in two plants that follow each other at once: with a place each at
   its own mean it would jump by half of what it slides. Far apart, each has its mean. */
TEST(plants_that_follow_each_other_closely_do_not_tear_the_foot)
{
    OWNED(drifting) d = open_take(0, 0);
    int ankle = d.clip->skeleton.roles[MAREY_ROLE_LEFT_ANKLE];
    OWNED(marey_clip) *sliding = standing_at(d.clip, 30);
    for (int f = 0; f < sliding->frames; f++) mry_place(sliding, f)[0] += 0.02 * f;
    for (int close = 0; close < 2; close++) {
        marey_contact two[2] = { { MAREY_CONTACT_LEFT_HEEL, 20, 80 },
                                 { MAREY_CONTACT_LEFT_HEEL, close ? 80 : 180, close ? 140 : 240 } };
        OWNED(marey_clip) *made = clean(sliding, two, 2, &(marey_clean_def){ .ease_s = 0.2 }, NULL);
        double p[3 * 128], q[3 * 128], r[3 * 128];
        marey_clip_positions(made, 79, 1, p);
        marey_clip_positions(made, 80, 1, q);
        marey_clip_positions(sliding, 50, 1, r);
        assert_true(fabs(p[3 * ankle] - q[3 * ankle]) < 0.3);
        if (!close) assert_true(fabs(p[3 * ankle] - r[3 * ankle] + 0.01) < 1e-3);
    }
}

/* A walk whose feet may never move: no root reaches both. */
TEST(what_cannot_be_reached_leaves_sound_motion)
{
    OWNED(drifting) d = open_take(0, 0);
    int last = d.clip->frames;
    marey_contact both[] = { { MAREY_CONTACT_LEFT_HEEL, 0, last },
                             { MAREY_CONTACT_LEFT_TOE, 0, last },
                             { MAREY_CONTACT_RIGHT_HEEL, 0, last / 3 },
                             { MAREY_CONTACT_RIGHT_TOE, last / 3, last } };
    for (int n = 0; n < 3; n++) {
        marey_clean_def def = { .keep_root = n == 1, .stretch = n == 2 ? 0.2 : 0 };
        marey_clean_result result;
        OWNED(marey_clip) *made = clean(d.clip, both, 4, &def, &result);
        test_clip_is_finite(made);
        assert_true(result.stretched <= 0.2);
        if (n == 1) assert_true(result.root_moved_cm == 0);
    }
}

TEST(one_frame_is_enough)
{
    OWNED(drifting) d = open_take(0, 0);
    OWNED(marey_clip) *one = test_trimmed(d.clip, 30, 31);
    marey_contact at = { MAREY_CONTACT_LEFT_HEEL, 0, 1 };
    OWNED(marey_clip) *made = clean(one, &at, 1, NULL, NULL);
    assert_true(same_frame(one, made, 0));
    OWNED(marey_clip) *unplanted = clean(one, NULL, 0, NULL, NULL);
}

TEST(marked_frames_are_left_out_and_left_alone)
{
    OWNED(drifting) d = open_take(0, 2);
    assert_true(mry_clip_add_mark(d.clip, MAREY_MARK_DROPOUT, 44, 50));
    for (int f = 44; f < 50; f++) memset(mry_place(d.clip, f), 0, 3 * sizeof(double));
    marey_contact plants[2] = { { MAREY_CONTACT_LEFT_HEEL, 40, 60 },
                                { MAREY_CONTACT_RIGHT_HEEL, 45, 48 } };
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(d.clip, plants, 2, NULL, &result);
    for (int f = 44; f < 50; f++) assert_true(same_frame(made, d.clip, f));
    assert_true(result.slide_after_cm < 0.3);
    assert_int_equal(result.plants, 1);
    assert_int_equal(result.plants_left, 1);
    assert_int_equal(made->mark_count, 1);
}

/* ---- skeletons ------------------------------------------------------------------------------- */

TEST(legs_that_are_not_whole_leave_their_plants)
{
    OWNED(drifting) d = open_take(0, 2);
    int left = 0;
    for (int n = 0; n < d.count; n++) left += d.contacts[n].joint <= MAREY_CONTACT_LEFT_TOE;
    static const marey_role missing[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_KNEE,
                                          MAREY_ROLE_LEFT_ANKLE };
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clip) *lame = copy_of(d.clip);
        int ankle = lame->skeleton.roles[MAREY_ROLE_LEFT_ANKLE];
        lame->skeleton.roles[missing[n]] = -1;
        marey_clean_result result;
        OWNED(marey_clip) *made = clean(lame, d.contacts, d.count, NULL, &result);
        assert_int_equal(result.plants_left, left);
        assert_int_equal(result.plants, d.count - left);
        for (int f = 0; f < made->frames; f++)
            assert_memory_equal(mry_turn(made, f) + 4 * ankle, mry_turn(lame, f) + 4 * ankle, 16);
    }
    OWNED(marey_clip) *bare = copy_of(d.clip);
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) bare->skeleton.roles[i] = -1;
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(bare, d.contacts, d.count, NULL, &result);
    assert_int_equal(result.plants, 0);
    for (int f = 0; f < made->frames; f++) assert_true(same_frame(made, bare, f));
}

TEST(the_tip_of_a_foot_without_a_toe_joint_is_held)
{
    OWNED(drifting) d = open_take(0, 2);
    d.clip->skeleton.roles[MAREY_ROLE_LEFT_TOE] = d.clip->skeleton.roles[MAREY_ROLE_RIGHT_TOE] = -1;
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(d.clip, d.contacts, d.count, NULL, &result);
    assert_int_equal(result.plants, d.count);
    assert_true(result.slide_before_cm > 1 && result.slide_after_cm < 0.3);
}

/* A pelvis below a root that never moves, and legs with joints in the middle of their bones that do
   not lie on the line. */
static const char twisted[] =
    "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "JOINT Hips\n{\nOFFSET 0 90 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "JOINT LeftUpLeg\n{\nOFFSET 9 -3 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "JOINT LeftUpLegRoll\n{\nOFFSET 0 -20 3\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "JOINT LeftLeg\n{\nOFFSET 1 -21 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "JOINT LeftLegRoll\n{\nOFFSET 0 -20 -2\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "JOINT LeftFoot\n{\nOFFSET 0 -19 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "JOINT LeftToeBase\n{\nOFFSET 0 -6 12\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "End Site\n{\nOFFSET 0 0 6\n}\n}\n}\n}\n}\n}\n}\n"
    "JOINT Spine\n{\nOFFSET 0 20 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
    "End Site\n{\nOFFSET 0 30 0\n}\n}\n}\n}\n";

static marey_clip *twisted_clip(marey_ctx *ctx)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%sMOTION\nFrames: 120\nFrame Time: 0.0083333333\n", twisted);
    for (int f = 0; f < 120; f++) {
        fprintf(out, "5 0 7 0 40 0 %.4f %.4f %.4f 2 %.3f 4", 0.05 * f, 88 + 7 * sin(f * 0.05), 3.0,
                0.1 * f);
        fputs(" 3 2 -25 0 8 5 1 2 30 2 -9 6 0 4 -8 0 0 3 1 2 3\n", out);
    }
    fclose(out);
    marey_clip *clip = test_clip(ctx, text);
    free(text);
    static const int joints[] = { 1, 2, 4, 6, 7 };
    static const marey_role roles[] = { MAREY_ROLE_HIPS, MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_KNEE,
                                        MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE };
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) clip->skeleton.roles[i] = -1;
    for (int i = 0; i < 5; i++) clip->skeleton.roles[roles[i]] = joints[i];
    return clip;
}

TEST_CTX(a_still_root_stays_and_joints_inside_bones_keep_their_turns)
{
    OWNED(marey_clip) *clip = twisted_clip(ctx);
    marey_contact plants[2] = { { MAREY_CONTACT_LEFT_HEEL, 20, 100 },
                                { MAREY_CONTACT_LEFT_TOE, 20, 110 } };
    marey_clean_result result;
    OWNED(marey_clip) *made = clean(clip, plants, 2, NULL, &result);
    assert_true(result.slide_before_cm > 3 && result.slide_after_cm < 0.01);
    assert_true(result.root_moved_cm > 0.1);
    double p[27], q[27];
    for (int f = 0; f < 120; f++) {
        assert_memory_equal(mry_place(made, f), mry_place(clip, 0), 24);
        static const int kept[] = { 0, 1, 3, 5, 8 };
        for (int i = 0; i < 5; i++)
            assert_memory_equal(mry_turn(made, f) + 4 * kept[i], mry_turn(clip, f) + 4 * kept[i],
                                16);
        marey_clip_positions(clip, f, 1, p);
        marey_clip_positions(made, f, 1, q);
        double shift[3];
        for (int i = 0; i < 3; i++) shift[i] = q[3 + i] - p[3 + i];
        assert_true(fabs(mry_length3(shift)) <= result.root_moved_cm + 1e-6);
        for (int i = 0; i < 3; i++) assert_true(fabs(q[24 + i] - p[24 + i] - shift[i]) < 1e-4);
    }
}

static bool has_positions(const marey_clip *clip, marey_role role)
{
    return clip->slot[clip->skeleton.roles[role]] >= 0;
}

TEST(legs_get_channels_to_stretch_and_files_keep_them)
{
    char folder[512], path[600];
    OWNED(drifting) d = open_take(0, 8);
    marey_clean_result none, some, again;
    OWNED(marey_clip) *sunk = clean(d.clip, d.contacts, d.count, NULL, &none);
    OWNED(marey_clip) *made =
        clean(d.clip, d.contacts, d.count, &(marey_clean_def){ .stretch = 0.05 }, &some);
    assert_false(has_positions(sunk, MAREY_ROLE_LEFT_ANKLE));
    assert_true(has_positions(made, MAREY_ROLE_LEFT_ANKLE));
    assert_true(has_positions(made, MAREY_ROLE_RIGHT_KNEE));
    assert_true(none.stretched == 0 && none.root_moved_cm > 1);
    assert_true(some.stretched > 0.01 && some.stretched <= 0.05);
    assert_true(some.root_moved_cm < 0.7 * none.root_moved_cm && some.slide_after_cm < 0.3);
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/stretched.bvh", folder);
    assert_int_equal(marey_clip_save(made, path, NULL), MAREY_OK);
    OWNED(marey_clip) *read = test_clip_load(d.ctx, path);
    assert_int_equal(read->mover_count, made->mover_count);
    for (int f = 0; f < made->frames; f += 7) {
        assert_true(test_frame_apart(made, f, read, f) < 0.01);
    }
    OWNED(marey_clip) *twice =
        clean(read, d.contacts, d.count, NULL, &again); /* it has channels now */
    assert_true(again.slide_before_cm < 0.3 && again.slide_after_cm < 0.01);
    OWNED(marey_clip) *never =
        clean(read, d.contacts, d.count, &(marey_clean_def){ .stretch = -1 }, &again);
    assert_true(again.stretched == 0);
    test_folder_remove(folder);
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(what_cannot_be_is_refused)
{
    OWNED(drifting) d = open_take(0, 1);
    int last = d.clip->frames;
    const marey_contact bad[][2] = {
        { { MAREY_CONTACT_LEFT_HEEL, -1, 5 }, { MAREY_CONTACT_LEFT_HEEL, 6, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, 1, 5 }, { MAREY_CONTACT_LEFT_HEEL, 6, last + 1 } },
        { { MAREY_CONTACT_LEFT_HEEL, 5, 5 }, { MAREY_CONTACT_LEFT_HEEL, 6, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, 1, 5 }, { MAREY_CONTACT_LEFT_HEEL, 4, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, 8, 9 }, { MAREY_CONTACT_LEFT_HEEL, 1, 5 } },
        { { MAREY_CONTACT_RIGHT_HEEL, 1, 5 }, { MAREY_CONTACT_LEFT_HEEL, 6, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, 1, 5 }, { MAREY_CONTACT_JOINT_COUNT, 6, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, 1, 5 }, { (marey_contact_joint)-1, 6, 9 } },
        { { MAREY_CONTACT_LEFT_HEEL, INT32_MAX, INT32_MIN }, { MAREY_CONTACT_LEFT_TOE, 6, 9 } },
    };
    const marey_clean_def odd[] = { { .ease_s = -1 },
                                    { .ease_s = 11 },
                                    { .ease_s = (double)NAN },
                                    { .stretch = 0.21 },
                                    { .stretch = (double)NAN } };
    marey_clip *made = NULL;
    marey_error error;
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        error = (marey_error){ 0 };
        assert_int_equal(marey_clip_clean(d.clip, bad[n], 2, NULL, &made, NULL, &error),
                         MAREY_ERR_REQUEST);
        assert_true(error.message[0]);
    }
    assert_int_equal(marey_clip_clean(d.clip, bad[0], -1, NULL, &made, NULL, NULL),
                     MAREY_ERR_REQUEST);
    for (size_t n = 0; n < sizeof odd / sizeof *odd; n++)
        assert_int_equal(marey_clip_clean(d.clip, NULL, 0, &odd[n], &made, NULL, &error),
                         MAREY_ERR_REQUEST);
    assert_null(made);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    for (int way = 0; way < 3; way++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        OWNED(marey_clip) *clip = twisted_clip(ctx);
        marey_contact plants[2] = { { MAREY_CONTACT_LEFT_HEEL, 20, 100 },
                                    { MAREY_CONTACT_LEFT_HAND, 20, 100 } };
        marey_clean_def with = { .stretch = way == 1 ? 0.1 : 0 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_clip) *made = NULL;
            marey_clean_result result = { .plants = -1 };
            status =
                marey_clip_clean(clip, way == 2 ? NULL : plants, 2, &with, &made, &result, NULL);
            assert_int_equal(result.plants == -1, status != MAREY_OK);
        }
    }
}

TEST_GROUP_OF_CASES(test_clean, NULL, NULL)
