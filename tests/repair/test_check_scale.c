/* test_check_scale.c - clips read in wrong units or with the wrong axis up are found, and what is
   named gives back the clip as it was; bodies that lie, hang or stand on their hands are left alone. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>

/* The only finding; of kind COUNT where there is none. */
static marey_flaw only_flaw(const marey_clip *clip)
{
    OWNED(marey_flaws) flaws = { 0 };
    marey_flaw only = { .kind = MAREY_FLAW_COUNT };
    test_ok(marey_flaws_find(clip, &flaws));
    for (int i = 0; i < flaws.count; i++) {
        marey_flaw_kind kind = flaws.items[i].kind;
        if (kind == MAREY_FLAW_UNITS || kind == MAREY_FLAW_UP) {
            assert_int_equal(only.kind, MAREY_FLAW_COUNT);
            only = flaws.items[i];
        }
    }
    return only;
}

static marey_clip *with_layer(const marey_clip *clip, marey_layer layer)
{
    marey_clip *made = NULL;
    test_ok(marey_clip_repair(clip, &layer, 1, &made, NULL));
    return made;
}

static void check_same(const marey_clip *a, const marey_clip *b)
{
    for (int f = 0; f < a->frames; f += 7) {
        FREED double *x = test_positions(a, f), *y = test_positions(b, f);
        for (int i = 0; i < 3 * a->skeleton.joint_count; i++) test_near(x[i], y[i], 1e-3);
    }
}

/* Every wrong unit and the wrong axis: one finding, and its repair is the clip again. */
static void check_misread(const marey_clip *clip, bool in_units_only)
{
    assert_int_equal(only_flaw(clip).kind, MAREY_FLAW_COUNT);
    for (int units = MAREY_UNITS_MM; units <= MAREY_UNITS_CMU; units++) {
        if (units == (int)clip->units) continue;
        OWNED(marey_clip) *wrong =
            with_layer(clip, (marey_layer){ MAREY_LAYER_UNITS, -1, 0, 0, { units } });
        marey_flaw flaw = only_flaw(wrong);
        assert_int_equal(flaw.kind, MAREY_FLAW_UNITS);
        assert_true(flaw.mendable && flaw.repair.kind == MAREY_LAYER_UNITS);
        OWNED(marey_clip) *mended = with_layer(wrong, flaw.repair);
        check_same(clip, mended);
    }
    if (in_units_only) return;
    marey_up other = clip->up == MAREY_UP_Y ? MAREY_UP_Z : MAREY_UP_Y;
    OWNED(marey_clip) *wrong =
        with_layer(clip, (marey_layer){ MAREY_LAYER_UP, -1, 0, 0, { other } });
    marey_flaw flaw = only_flaw(wrong);
    assert_int_equal(flaw.kind, MAREY_FLAW_UP);
    assert_int_equal(flaw.repair.kind, MAREY_LAYER_UP);
    OWNED(marey_clip) *mended = with_layer(wrong, flaw.repair);
    check_same(clip, mended);
}

TEST_CTX(takes_of_the_demo_that_are_misread_are_found_and_put_right)
{
    static const char *const names[] = { "walk_straight", "kicks", "cartwheels" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_demo_take) *take = test_demo_take(ctx, names[i]);
        check_misread(marey_demo_clip(take), false);
    }
}

TEST_CTX(real_clips_that_are_misread_are_found_and_put_right)
{
    static const char *const names[] = { "cmu/07_01.bvh", "cmu/49_06.bvh", "cmu/144_01.bvh",
                                         "accad/Male1_B3_Walk.bvh" };
    test_need_mocap();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(ctx, names[i]);
        check_misread(clip, false);
    }
    /* It stands on one spot, and its rest pose is along no axis: as if it lay there. */
    OWNED(marey_clip) *still =
        test_mocap_load(ctx, "bandai/dataset-2_wave-left-hand_normal_001.bvh");
    check_misread(still, true);
}

/* The body is turned about its middle in all frames, and its rest pose is not. */
TEST_CTX(a_body_that_lies_or_stands_on_its_hands_is_left_alone)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "reach_left");
    const marey_clip *clip = marey_demo_clip(take);
    const double *root = marey_clip_root(clip, 0);
    const double half = sqrt(0.5);
    const double turns[][4] = { { half, half, 0, 0 }, { half, 0, 0, -half }, { 0, 1, 0, 0 } };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        marey_layer turn = { MAREY_LAYER_LEVEL, -1, 0, clip->frames, { 0 } };
        for (int k = 0; k < 4; k++) turn.value[k] = turns[i][k];
        for (int k = 0; k < 3; k++) turn.value[4 + k] = root[k];
        OWNED(marey_clip) *lies = with_layer(clip, turn);
        assert_int_equal(only_flaw(lies).kind, MAREY_FLAW_COUNT);
    }
}

/* Walking about, no floor is kept but along x: a quarter turn puts it right. */
TEST_CTX(a_walk_along_an_axis_that_no_file_has_is_turned)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    const marey_clip *clip = marey_demo_clip(take);
    const double half = sqrt(0.5);
    marey_layer onto_side = { MAREY_LAYER_LEVEL, -1, 0, clip->frames, { half, 0, 0, -half } };
    OWNED(marey_clip) *wrong = with_layer(clip, onto_side);
    marey_flaw flaw = only_flaw(wrong);
    assert_int_equal(flaw.kind, MAREY_FLAW_UP);
    assert_int_equal(flaw.repair.kind, MAREY_LAYER_LEVEL);
    OWNED(marey_clip) *mended = with_layer(wrong, flaw.repair);
    check_same(clip, mended);
}

TEST_CTX(a_body_the_size_of_a_person_in_no_unit_is_found_and_not_mended)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    OWNED(marey_clip) *giant = NULL;
    test_ok(marey_clip_scale(marey_demo_clip(take), 4, &giant, NULL));
    marey_flaw flaw = only_flaw(giant);
    assert_int_equal(flaw.kind, MAREY_FLAW_UNITS);
    assert_true(!flaw.mendable && flaw.size > 600);
}

TEST_GROUP_OF_CASES(test_check_scale, NULL, NULL)
