/* The measures of quality, on clips made to have a known slide, jump and penetration. */
#include "feet_clip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 60 };
static const double FPS = 60;

static marey_quality measure(const marey_clip *clip, const marey_contact *contacts, int count)
{
    marey_quality quality;
    test_ok(marey_clip_quality(clip, contacts, count, &quality));
    return quality;
}

static marey_quality measure_made(int frames, void (*place)(void *, int, test_feet *),
                                  const marey_contact *contacts, int count)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_feet_clip(ctx, frames, FPS, place, NULL);
    return measure(clip, contacts, count);
}

static void stand(void *user, int frame, test_feet *feet)
{
    (void)user, (void)frame, (void)feet;
}

/* ---- slide ----------------------------------------------------------------------------------- */

/* The left heel goes 3 cm along x and 4 cm along z in the first half, at an even pace, then back;
   it rises too, which is no slide. */
static void slide_heel(void *user, int frame, test_feet *feet)
{
    (void)user;
    double way = frame <= 30 ? frame / 30.0 : (60 - frame) / 30.0;
    feet->point[0][0] += 3 * way;
    feet->point[0][2] += 4 * way;
    feet->point[0][1] += way;
}

TEST(a_known_slide_is_measured)
{
    const marey_contact both[] = { { MAREY_CONTACT_LEFT_HEEL, 0, FRAMES },
                                   { MAREY_CONTACT_RIGHT_HEEL, 0, FRAMES } };
    marey_quality one = measure_made(FRAMES, slide_heel, both, 1);
    test_near(one.slide_cm, 5, 1e-6);
    test_near(one.slide_max_cm, 5, 1e-6);
    test_near(one.slide_cm_per_s, 10, 1e-6); /* 5 cm in half a second, both ways */
    marey_quality two = measure_made(FRAMES, slide_heel, both, 2);
    assert_int_equal(two.plants, 2);
    test_near(two.slide_cm, 2.5, 1e-6);
    test_near(two.slide_max_cm, 5, 1e-6);
    test_near(two.slide_cm_per_s, 5, 1e-6);
}

TEST(only_planted_frames_slide)
{
    const marey_contact part[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 13 },
                                   { MAREY_CONTACT_LEFT_TOE, 0, FRAMES } };
    marey_quality quality = measure_made(FRAMES, slide_heel, part, 2);
    test_near(quality.slide_max_cm, 2, 1e-6);
    test_near(quality.slide_cm, 1, 1e-6);
}

/* Each as if it were the only one; the mean and the largest are what the measures say of all. */
TEST_CTX(every_plant_has_its_own_drift)
{
    const marey_contact plants[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 13 },
                                     { MAREY_CONTACT_LEFT_HEEL, 13, FRAMES },
                                     { MAREY_CONTACT_RIGHT_HEEL, 5, FRAMES },
                                     { MAREY_CONTACT_LEFT_TOE, 0, 7 } };
    enum { COUNT = sizeof plants / sizeof *plants };
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, slide_heel, NULL);
    double cm[COUNT], sum = 0, most = 0;
    test_ok(marey_clip_drifts(clip, plants, COUNT, cm));
    for (int i = 0; i < COUNT; i++) {
        assert_true(cm[i] == measure(clip, &plants[i], 1).slide_max_cm);
        sum += cm[i];
        most = fmax(most, cm[i]);
    }
    marey_quality all = measure(clip, plants, COUNT);
    test_near(cm[0], 2, 1e-6);
    test_near(all.slide_cm, sum / COUNT, 1e-12);
    assert_true(all.slide_max_cm == most);
    test_ok(marey_clip_drifts(clip, NULL, 0, NULL));
}

TEST(a_plant_of_one_frame_does_not_slide)
{
    const marey_contact brief = { MAREY_CONTACT_LEFT_HEEL, 5, 6 };
    marey_quality quality = measure_made(FRAMES, slide_heel, &brief, 1);
    assert_int_equal(quality.plants, 1);
    assert_true(quality.slide_cm == 0 && quality.slide_cm_per_s == 0);
}

/* ---- penetration ----------------------------------------------------------------------------- */

/* Plants at heights 9 and -8 (down a stair), and a dip between them to 1.5 cm under the lower
   one. */
static void walk_down(void *user, int frame, test_feet *feet)
{
    (void)user;
    if (frame >= 20) feet->point[0][1] = frame < 40 ? 2 : -8;
    if (frame == 30) feet->point[0][1] = -9.5;
}

TEST(a_known_penetration_is_measured_from_the_lower_plant)
{
    const marey_contact steps[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 20 },
                                    { MAREY_CONTACT_LEFT_HEEL, 40, FRAMES } };
    test_near(measure_made(FRAMES, walk_down, steps, 2).penetration_cm, 1.5, 1e-6);
    test_near(measure_made(FRAMES, walk_down, steps, 1).penetration_cm, 18.5, 1e-6);
    test_near(measure_made(FRAMES, walk_down, steps + 1, 1).penetration_cm, 1.5, 1e-6);
}

static void sink_in_plant(void *user, int frame, test_feet *feet)
{
    (void)user;
    if (frame >= 50) feet->point[3][1] -= 0.7;
}

TEST(a_plant_that_sinks_is_below_its_own_floor)
{
    const marey_contact whole = { MAREY_CONTACT_RIGHT_TOE, 0, FRAMES };
    test_near(measure_made(FRAMES, sink_in_plant, &whole, 1).penetration_cm, 0.7, 1e-6);
    test_near(measure_made(FRAMES, stand, &whole, 1).penetration_cm, 0, 1e-6);
}

/* ---- jump and jerk --------------------------------------------------------------------------- */

/* Everything moves 1 cm a frame; in frame 30 the whole body leaps *user cm further. */
static void leap(void *user, int frame, test_feet *feet)
{
    double way = frame + (frame >= 30 ? *(const double *)user : 0);
    for (int i = 0; i < 4; i++) feet->point[i][2] += way;
    feet->hips[2] += way;
}

TEST_CTX(a_known_jump_is_measured)
{
    double leaps[] = { 0, 6, 24 };
    for (int i = 0; i < 3; i++) {
        OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, leap, &leaps[i]);
        marey_quality quality = measure(clip, NULL, 0);
        test_near(quality.jump_ratio, 1 + leaps[i], 1e-6);
        /* A leap of d is a third difference of d, 2 d, d; all others are 0, and count as 0.001. */
        test_near(quality.jerk_ratio, fmax(1, 2 * leaps[i] / 0.001), 1e-3);
    }
}

static void sway(void *user, int frame, test_feet *feet)
{
    (void)user;
    feet->hips[0] += 5 * sin(frame * 0.2) + (frame == 40 ? 2 : 0);
    for (int i = 0; i < 4; i++) feet->point[i][1] += 3 * sin(frame * 0.11 + i);
}

/* The definition, word for word, over places of the whole clip. */
static double judge(const marey_clip *clip, int order)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    FREED double *at = malloc((size_t)(frames * joints * 3) * sizeof *at);
    FREED double *size = malloc((size_t)(frames * joints) * sizeof *size);
    int count = 0;
    marey_clip_positions(clip, 0, frames, at);
    for (int f = 0; f + order < frames; f++) {
        for (int j = 0; j < joints; j++, count++) {
            size[count] = 0;
            for (int k = 0; k < 3; k++) {
                const double *p = at + (f * joints + j) * 3 + k;
                int n = joints * 3;
                double d = order == 1 ? p[n] - p[0] : p[3 * n] - 3 * p[2 * n] + 3 * p[n] - p[0];
                size[count] += d * d;
            }
            size[count] = sqrt(size[count]);
        }
    }
    qsort(size, (size_t)count, sizeof *size, test_compare_doubles);
    return size[count - 1] / ((size[count / 2] + size[(count - 1) / 2]) / 2);
}

TEST_CTX(ratios_are_those_of_the_sorted_list)
{
    for (int frames = 8; frames < 50; frames += 5) {
        FREED char *text = test_person(frames);
        marey_clip *clips[2] = { test_clip(ctx, text),
                                 test_feet_clip(ctx, frames, FPS, sway, NULL) };
        for (int i = 0; i < 2; i++) {
            int marks;
            marey_clip_marks(clips[i], &marks);
            assert_int_equal(marks, 0);
            marey_quality quality = measure(clips[i], NULL, 0);
            test_near(quality.jump_ratio / judge(clips[i], 1), 1, 1e-9);
            test_near(quality.jerk_ratio / judge(clips[i], 3), 1, 1e-9);
            marey_clip_free(clips[i]);
        }
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

TEST(a_still_clip_has_nothing_wrong)
{
    const marey_contact heel = { MAREY_CONTACT_LEFT_HEEL, 0, FRAMES };
    marey_quality quality = measure_made(FRAMES, stand, &heel, 1);
    assert_true(quality.slide_cm == 0 && quality.slide_max_cm == 0 && quality.slide_cm_per_s == 0);
    assert_true(quality.penetration_cm == 0);
    assert_true(quality.jump_ratio == 1 && quality.jerk_ratio == 1);
}

TEST(few_frames_have_ratios_of_one)
{
    const marey_contact heel = { MAREY_CONTACT_LEFT_HEEL, 0, 1 };
    marey_quality one = measure_made(1, slide_heel, &heel, 1);
    assert_true(one.jump_ratio == 1 && one.jerk_ratio == 1 && one.slide_cm == 0);
    marey_quality two = measure_made(2, slide_heel, &heel, 1);
    assert_true(two.jump_ratio > 1 && two.jerk_ratio == 1);
}

TEST_CTX(a_skeleton_without_feet_has_no_plants)
{
    OWNED(marey_clip) *clip =
        test_clip(ctx, "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition "
                       "Yposition Zposition\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n"
                       "MOTION\nFrames: 3\nFrame Time: 0.01\n1 0 0\n2 0 0\n5 0 0\n");
    const marey_contact heel = { MAREY_CONTACT_LEFT_HEEL, 0, 3 };
    marey_quality quality = measure(clip, &heel, 1);
    assert_int_equal(quality.plants, 0);
    assert_true(quality.slide_cm == 0 && quality.penetration_cm == 0);
    test_near(quality.jump_ratio, 1.5, 1e-9); /* steps of 1 and 3 units */
    double cm = 0;
    test_ok(marey_clip_drifts(clip, &heel, 1, &cm));
    assert_true(isnan(cm));
}

/* Tracking is lost in frames 20 to 23, where the root falls to 0 0 0. */
static void lose(void *user, int frame, test_feet *feet)
{
    int from = *(const int *)user;
    if (frame >= from && frame < from + 4) memset(feet->hips, 0, sizeof feet->hips);
    if (frame >= from && frame < from + 4) feet->point[0][0] += 50;
    if (frame >= from + 4) feet->point[0][0] += 1;
}

TEST_CTX(marked_frames_are_left_out)
{
    int from = 20, marks;
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, lose, &from);
    const marey_contact heel = { MAREY_CONTACT_LEFT_HEEL, 0, FRAMES },
                        lost = { MAREY_CONTACT_LEFT_HEEL, 20, 24 };
    marey_clip_marks(clip, &marks);
    assert_int_equal(marks, 1);
    marey_quality quality = measure(clip, &heel, 1);
    test_near(quality.slide_cm, 1, 1e-6);     /* between before and behind the gap */
    assert_true(quality.slide_cm_per_s == 0); /* which no path leads over */
    assert_true(quality.penetration_cm == 0);
    assert_true(quality.jump_ratio == 1);
    assert_int_equal(measure(clip, &lost, 1).plants, 0);
}

TEST(refused_memory_is_reported_and_writes_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, slide_heel, NULL);
    const marey_contact heel = { MAREY_CONTACT_LEFT_HEEL, 0, FRAMES };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_quality quality = { .plants = -1 };
        status = marey_clip_quality(clip, &heel, 1, &quality);
        assert_int_equal(quality.plants, status ? -1 : 1);
    }
    double cm = -1;
    memory.refuse = memory.calls;
    assert_int_equal(marey_clip_drifts(clip, &heel, 1, &cm), MAREY_ERR_MEMORY);
    assert_true(cm == -1);
}

TEST_GROUP_OF_CASES(test_quality, NULL, NULL)
