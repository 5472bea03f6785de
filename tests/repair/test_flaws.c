/* test_flaws.c - flaws of joints: sound motion has none, what is put in is found where it is and
   called what it is, and its repair gives back what was there. */
#include "support.h"

#include "seeded_score.h"

#include "math/quat.h"
#include "motion/clip_data.h"
#include "repair/flawed.h"

#include <math.h>
#include <string.h>

/* All rows and sizes on one clip. */
static void try_all(const marey_clip *clip, uint64_t *seed, seeded_score *sum)
{
    OWNED(marey_flaws) before = { 0 };
    test_ok(marey_flaws_find(clip, &before));
    for (int r = 0; r < seeded_joints_count; r++) {
        for (int size = 0; size < SEEDED_SIZES; size++)
            seeded_try(clip, &before, &seeded_joints[r], size, seed, sum, NULL);
    }
}

/* The toes of the demo snap back in one frame, which is near to a flaw itself. */
static void check_score(const seeded_score *sum, double precision)
{
    print_message("%d due, recall %.3f, precision %.3f, mean error %.2f cm\n", sum->due,
                  seeded_recall(sum), seeded_precision(sum), sum->error_cm / sum->repaired);
    assert_true(seeded_recall(sum) >= 0.98);
    assert_true(seeded_precision(sum) >= precision);
    assert_true(sum->error_cm / sum->repaired < 1 && sum->worst_cm < 10);
    assert_int_equal(sum->changed, 0);
}

TEST_CTX(takes_of_the_demo_have_no_flaws)
{
    static const char *const names[] = { "walk_straight", "kicks", "reach_left", "run_straight" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_demo_take) *take = test_demo_take(ctx, names[i]);
        OWNED(marey_flaws) found = { 0 };
        test_ok(marey_flaws_find(marey_demo_clip(take), &found));
        assert_int_equal(found.count, 0);
    }
}

TEST_CTX(flaws_put_into_the_demo_are_found_and_mended)
{
    static const char *const names[] = { "walk_straight", "kicks", "reach_left", "run_straight" };
    seeded_score sum = { 0 };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_demo_take) *take = test_demo_take(ctx, names[i]);
        try_all(marey_demo_clip(take), &seed, &sum);
    }
    check_score(&sum, 0.95);
}

typedef struct real {
    marey_ctx *ctx;
    int number;
    uint64_t seed;
    seeded_score sum;
} real;

static void try_real(void *user, const char *path)
{
    real *r = user;
    if (r->number++ % (test_is_long() ? 1 : 9) != 0) return;
    OWNED(marey_clip) *clip = test_clip_load(r->ctx, path);
    try_all(clip, &r->seed, &r->sum);
}

TEST_CTX(flaws_put_into_real_clips_are_found_and_mended)
{
    test_need_mocap();
    real r = { .ctx = ctx, .seed = 11 };
    test_mocap_each("cmu", ".bvh", try_real, &r);
    test_mocap_each("bandai", ".bvh", try_real, &r);
    check_score(&r.sum, 0.98);
}

/* One layer put on a walk of the demo, and the one flaw of that kind that is found then. */
static marey_flaw only_flaw(marey_ctx *ctx, const marey_layer *layer, marey_flaw_kind kind,
                            marey_clip **broken)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    OWNED(marey_flaws) found = { 0 };
    test_ok(marey_clip_repair(marey_demo_clip(take), layer, 1, broken, NULL));
    test_ok(marey_flaws_find(*broken, &found));
    marey_flaw only = { 0 };
    int count = 0;
    for (int i = 0; i < found.count; i++) {
        if (found.items[i].kind != kind) continue;
        only = found.items[i];
        count++;
    }
    assert_int_equal(count, 1);
    return only;
}

TEST_CTX(the_bone_that_is_wrong_is_the_one_that_is_mended)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    const int *roles = marey_clip_skeleton(marey_demo_clip(take))->roles;
    int joints[] = { roles[MAREY_ROLE_LEFT_KNEE], roles[MAREY_ROLE_RIGHT_WRIST] };
    int frames = marey_clip_frames(marey_demo_clip(take));
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *broken = NULL;
        marey_layer layer = { MAREY_LAYER_BONE, joints[i], 0, frames, { 1.25 } };
        marey_flaw flaw = only_flaw(ctx, &layer, MAREY_FLAW_BONE, &broken);
        assert_int_equal(flaw.joint, joints[i]);
        test_near(flaw.repair.value[0], 0.8, 0.04);
    }
}

TEST_CTX(what_is_before_a_leap_at_the_beginning_is_the_flaw)
{
    OWNED(marey_clip) *broken = NULL;
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    int arm = marey_clip_skeleton(marey_demo_clip(take))->roles[MAREY_ROLE_LEFT_SHOULDER];
    marey_layer layer = { MAREY_LAYER_TURN, arm, 0, 5, { 0.8, 0, 0, 0.6 } };
    marey_flaw flaw = only_flaw(ctx, &layer, MAREY_FLAW_STEP, &broken);
    assert_int_equal(flaw.start, 0);
    assert_int_equal(flaw.end, 5);
    assert_int_equal(flaw.repair.kind, MAREY_LAYER_MARK);
}

TEST_CTX(frames_that_a_flaw_spoils_are_those_around_it)
{
    OWNED(marey_clip) *broken = NULL;
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    int knee = marey_clip_skeleton(marey_demo_clip(take))->roles[MAREY_ROLE_LEFT_KNEE];
    marey_layer layer = { MAREY_LAYER_TURN, knee, 300, 301, { 0.8, 0.6 } };
    marey_flaw flaw = only_flaw(ctx, &layer, MAREY_FLAW_SPIKE, &broken);
    assert_int_equal(flaw.start, 300);
    int frames = marey_clip_frames(broken);
    FREED uint8_t *spoiled = malloc((size_t)frames);
    assert_true(mry_flawed_frames(broken, spoiled));
    for (int f = 0; f < frames; f++) assert_int_equal(spoiled[f], f >= 299 && f < 302);
}

/* For a while a hip is turned by an angle and its knee back by it, as trackers do: the foot hardly
   moves. Whatever is mended then, the foot must not be thrown about. */
TEST_CTX(a_limb_whose_joints_cancel_is_not_thrown_about)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    const marey_clip *was = marey_demo_clip(take);
    const marey_skeleton *body = marey_clip_skeleton(was);
    int hip = body->roles[MAREY_ROLE_LEFT_HIP], knee = body->roles[MAREY_ROLE_LEFT_KNEE];
    int foot = body->roles[MAREY_ROLE_LEFT_ANKLE];
    for (int degrees = 30; degrees <= 150; degrees += 40) {
        OWNED(marey_clip) *broken = NULL, *mended = NULL;
        OWNED(marey_flaws) found = { 0 };
        float half = (float)degrees * 0.00872665f;
        float by[4] = { cosf(half), 0, sinf(half), 0 }, back[4] = { by[0], 0, -by[2], 0 };
        test_ok(marey_clip_repair(was, NULL, 0, &broken, NULL));
        for (int f = 300; f < 420; f++) {
            float *turns = mry_turn(broken, f);
            mry_quat_multiply(turns + 4 * hip, by, turns + 4 * hip);
            mry_quat_multiply(back, turns + 4 * knee, turns + 4 * knee);
        }
        test_ok(marey_flaws_find(broken, &found));
        assert_true(found.count > 0);
        marey_layer layers[64];
        int count = 0;
        for (int i = 0; i < found.count && count < 64; i++) {
            if (found.items[i].mendable) layers[count++] = found.items[i].repair;
        }
        test_ok(marey_clip_repair(broken, layers, count, &mended, NULL));
        for (int f = 1; f < marey_clip_frames(was); f++) {
            if (mry_clip_is_marked(mended, f) || mry_clip_is_marked(mended, f - 1)) continue;
            FREED double *a = test_positions(mended, f - 1), *b = test_positions(mended, f);
            assert_true(mry_distance3(a + 3 * foot, b + 3 * foot) < 12); /* 7 m/s */
        }
    }
}

/* A leg that whips for three frames, and a thumb that turns round. */
TEST_CTX(known_flaws_of_a_real_clip_are_found)
{
    test_need_mocap();
    OWNED(marey_clip) *clip = test_mocap_load(ctx, "cmu/144_01.bvh");
    OWNED(marey_flaws) found = { 0 };
    test_ok(marey_flaws_find(clip, &found));
    bool whip = false, thumb = false;
    for (int i = 0; i < found.count; i++) {
        const marey_flaw *flaw = &found.items[i];
        if (flaw->joint < 0) continue;
        const char *name = marey_clip_skeleton(clip)->joints[flaw->joint].name;
        whip |= strcmp(name, "RightLeg") == 0 && abs(flaw->start - 349) <= 3;
        thumb |= strcmp(name, "LThumb") == 0 && flaw->kind == MAREY_FLAW_FLIP && flaw->size > 170;
    }
    assert_true(whip);
    assert_true(thumb);
}

TEST_CTX(clips_with_hardly_anything_in_them_are_fine)
{
    for (int frames = 1; frames <= 12; frames++) {
        OWNED(marey_clip) *clip = test_person_clip(ctx, frames);
        OWNED(marey_flaws) found = { 0 };
        test_ok(marey_flaws_find(clip, &found));
        assert_int_equal(found.count, 0);
    }
    OWNED(marey_clip) *point = test_clip(ctx, "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"
                                              "CHANNELS 3 Xposition Yposition Zposition\n}\n"
                                              "MOTION\nFrames: 3\nFrame Time: 0.01\n"
                                              "0 0 0\n1 1 1\n2 2 2\n");
    OWNED(marey_flaws) found = { 0 };
    test_ok(marey_flaws_find(point, &found));
    assert_int_equal(found.count, 0);
}

TEST(every_kind_has_a_name_that_finds_it)
{
    for (int kind = 0; kind < MAREY_FLAW_COUNT; kind++) {
        marey_flaw_kind found = MAREY_FLAW_COUNT;
        assert_true(marey_flaw_named(marey_flaw_name((marey_flaw_kind)kind), &found));
        assert_int_equal(found, kind);
        assert_true(strlen(marey_flaw_about((marey_flaw_kind)kind)) > 10);
        assert_true(*marey_flaw_unit((marey_flaw_kind)kind));
    }
    marey_flaw_kind found;
    assert_false(marey_flaw_named("spikes", &found));
}

TEST(refused_memory_is_said_and_leaves_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 60);
    uint64_t seed = 3;
    seeded_flaw what;
    OWNED(marey_clip) *broken = seeded_joints[0].put(clip, 45, &seed, &what);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_flaws found = { .count = -1 };
        status = marey_flaws_find(broken, &found);
        assert_true(status ? found.count == -1 : found.count > 0);
        if (!status) marey_flaws_free(&found);
    }
}

TEST_GROUP_OF_CASES(test_flaws, NULL, NULL)
