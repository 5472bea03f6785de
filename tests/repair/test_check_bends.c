/* test_check_bends.c - a knee or an elbow that bends the other way in every frame is found, and no
   other joint with it; one that does so for a moment is a flip. */
#include "support.h"

#include "seeded_flaws.h"

#include <math.h>

/* The joint of the only finding of this kind; -1: there is none. */
static int bent_joint(const marey_clip *clip)
{
    OWNED(marey_flaws) flaws = { 0 };
    int joint = -1;
    test_ok(marey_flaws_find(clip, &flaws));
    for (int i = 0; i < flaws.count; i++) {
        const marey_flaw *flaw = &flaws.items[i];
        if (flaw->kind != MAREY_FLAW_BEND) continue;
        assert_int_equal(joint, -1);
        assert_true(flaw->size > 20 && flaw->size < 160 && !flaw->mendable);
        assert_true(flaw->certainty >= 0.5 && flaw->certainty <= 1);
        joint = flaw->joint;
    }
    return joint;
}

static void check_hinge(const marey_clip *clip, marey_role hinge)
{
    OWNED(marey_clip) *wrong = seeded_bend_back(clip, hinge);
    OWNED(marey_clip) *again = seeded_bend_back(wrong, hinge);
    assert_int_equal(bent_joint(wrong), marey_clip_skeleton(clip)->roles[hinge]);
    assert_int_equal(bent_joint(again), -1);
}

TEST_CTX(hinges_that_bend_back_all_the_time_are_found)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "run_straight");
    const marey_clip *clip = marey_demo_clip(take);
    assert_int_equal(bent_joint(clip), -1);
    check_hinge(clip, MAREY_ROLE_LEFT_KNEE);
    check_hinge(clip, MAREY_ROLE_RIGHT_KNEE);
    check_hinge(clip, MAREY_ROLE_LEFT_ELBOW);
    check_hinge(clip, MAREY_ROLE_RIGHT_ELBOW);
}

/* Bows, crawls, kneels, feet that are turned out. */
TEST_CTX(hinges_of_real_clips_are_right_and_found_when_bent_back)
{
    static const char *const names[] = { "cmu/07_01.bvh", "cmu/49_06.bvh",
                                         "accad/Male2_Form_1.bvh" };
    test_need_mocap();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(ctx, names[i]);
        assert_int_equal(bent_joint(clip), -1);
        check_hinge(clip, MAREY_ROLE_RIGHT_KNEE);
    }
}

TEST_CTX(a_body_without_shoulders_or_toes_is_left_alone)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "run_straight");
    OWNED(marey_clip) *wrong = seeded_bend_back(marey_demo_clip(take), MAREY_ROLE_LEFT_KNEE);
    static const marey_role without[] = { MAREY_ROLE_LEFT_TOE, MAREY_ROLE_RIGHT_SHOULDER };
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *less = NULL;
        marey_layer layer = { MAREY_LAYER_ROLE, -1, 0, 0, { without[i] } };
        test_ok(marey_clip_repair(wrong, &layer, 1, &less, NULL));
        assert_int_equal(bent_joint(less), -1);
    }
}

TEST_GROUP_OF_CASES(test_check_bends, NULL, NULL)
