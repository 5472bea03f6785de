/* test_still_root.c - skeletons that hang from a joint which is no part of the body. The judge is
   the same motion without it: whatever is made of either, the body is in the same places. */
#include "blend_clips.h"
#include "hung_clip.h"

#include "motion/carrier.h"

TEST_OF(const test_hung_walks *f, hung_clips_show_the_same_body)
{
    for (int n = 0; n < 2 * TEST_HUNG_PAIRS; n++)
        assert_true(test_hung_apart(f->clips[n % 2], f->hung[n / 2][n % 2]) < 0.001);
}

/* ---- which joint it is ----------------------------------------------------------------------- */

static int carrier_of(const marey_clip *a, const marey_clip *b)
{
    return mry_carrier_find((const marey_clip *const[]){ a, b }, b ? 2 : 1).joint;
}

TEST_OF(const test_hung_walks *f, the_root_carries_the_body_unless_the_body_leaves_it)
{
    OWNED(marey_clip) *under = test_hung(f->clips[0], TEST_HUNG_UNDER);
    OWNED(marey_clip) *still = test_hung(f->clips[1], TEST_HUNG_STILL);
    OWNED(marey_clip) *begins = test_hung(f->clips[1], TEST_HUNG_AT_FEET), *stands = NULL;
    test_ok(marey_clip_trim(begins, 0, 8, &stands, NULL));
    assert_int_equal(carrier_of(f->clips[0], NULL), 0);
    assert_int_equal(carrier_of(under, NULL), 0);
    assert_int_equal(carrier_of(still, NULL), 1);
    assert_int_equal(carrier_of(still, under), 1);
    assert_int_equal(carrier_of(under, still), 1);
    assert_int_equal(carrier_of(under, begins), 1);
    assert_int_equal(carrier_of(under, stands),
                     0); /* a body that stands over a root that would go along */
    assert_int_equal(carrier_of(stands, NULL), 1);
}

TEST_OF(const test_hung_walks *f, frames_that_were_not_captured_do_not_count)
{
    OWNED(marey_clip) *still = test_hung(f->clips[0], TEST_HUNG_STILL);
    mry_place(still, 0)[0] += 3;
    assert_int_equal(carrier_of(still, NULL), 0);
    assert_true(mry_clip_add_mark(still, MAREY_MARK_INVENTED, 0, 1));
    mry_carrier found = mry_carrier_find((const marey_clip *const[]){ still }, 1);
    assert_int_equal(found.joint, 1);
    assert_memory_equal(found.place, mry_place(still, 1), sizeof found.place);
}

TEST_OF(const test_hung_walks *f, a_pose_is_held_without_moving_the_body)
{
    OWNED(marey_clip) *pose = NULL, *under = test_hung(f->clips[0], TEST_HUNG_UNDER);
    const marey_clip *still = f->hung[0][1];
    mry_carrier carrier = mry_carrier_find(&still, 1);
    test_ok(marey_clip_trim(under, 0, under->frames, &pose, NULL));
    for (int t = 0; t < pose->frames; t++)
        mry_carrier_hold(&carrier, pose, mry_place(pose, t), mry_turn(pose, t));
    test_hung_assert(f->clips[0], pose);
    assert_memory_equal(mry_place(pose, 9), mry_place(still, 0), 3 * sizeof(double));
    mry_vec at = mry_carrier_at(&carrier, pose, 9);
    const double *pelvis = mry_place(f->clips[0], 9);
    test_near(at.x, pelvis[0], 1e-3);
    test_near(at.y, pelvis[1], 1e-3);
    test_near(at.z, pelvis[2], 1e-3);
}

/* ---- edits ----------------------------------------------------------------------------------- */

TEST_OF(const test_hung_walks *f, in_place_the_pelvis_is_held_and_not_the_root)
{
    OWNED(marey_clip) *plain = NULL, *hung = NULL;
    test_ok(marey_clip_in_place(f->clips[1], &plain, NULL));
    test_ok(marey_clip_in_place(f->hung[0][1], &hung, NULL));
    test_hung_assert(plain, hung);
}

TEST_OF(const test_hung_walks *f, end_to_end_the_body_goes_on_where_it_was)
{
    OWNED(marey_clip) *plain = NULL;
    const marey_clip *const *clips = (const marey_clip *const *)f->clips;
    test_ok(marey_clip_concatenate(clips, 2, true, &plain, NULL));
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_clip) *hung = NULL;
        const marey_clip *const *both = (const marey_clip *const *)f->hung[n];
        test_ok(marey_clip_concatenate(both, 2, true, &hung, NULL));
        test_hung_assert(plain, hung);
    }
}

/* ---- blends ---------------------------------------------------------------------------------- */

TEST_OF(const test_hung_walks *f, seams_are_where_the_body_is)
{
    for (int full = 0; full < 2; full++) {
        marey_stitch_def def = { .smooth_frames = 30, .full = full };
        OWNED(marey_clip) *plain = NULL;
        test_ok(marey_clip_stitch(f->clips[0], 100, f->clips[1], 80, &def, &plain, NULL));
        for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
            OWNED(marey_clip) *hung = NULL;
            test_ok(marey_clip_stitch(f->hung[n][0], 100, f->hung[n][1], 80, &def, &hung, NULL));
            test_hung_assert(plain, hung);
        }
    }
}

static marey_made transition(const test_hung_walks *f, marey_clip *const *clips)
{
    marey_made made = { 0 };
    test_ok(marey_transition_make(f->ctx, clips[0], 120, clips[1], 110, NULL, NULL, &made,
                                  &test_error));
    return made;
}

TEST_OF(const test_hung_walks *f, transitions_are_where_the_body_is)
{
    OWNED(marey_made) plain = transition(f, f->clips);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_made) hung = transition(f, f->hung[n]);
        test_hung_assert(plain.clip, hung.clip);
    }
}

static marey_made mixed(const test_hung_walks *f, marey_clip *const *clips)
{
    const double weights[2] = { 0.4, 0.6 };
    OWNED(marey_registration) *of = test_register(f->ctx, (const marey_clip *const *)clips, 2);
    return test_blend(f->ctx, of, &(marey_blend_def){ .weights = weights });
}

TEST_OF(const test_hung_walks *f, blends_are_where_the_body_is)
{
    OWNED(marey_made) plain = mixed(f, f->clips);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_made) hung = mixed(f, f->hung[n]);
        test_hung_assert(plain.clip, hung.clip);
    }
}

typedef struct looped {
    marey_loop loop;
    marey_made made;
} looped;

static looped best_loop(const test_hung_walks *f, const marey_clip *clip, bool in_place)
{
    looped out = { .made = { 0 } };
    marey_loop_def def = { .in_place = in_place };
    int found = 0;
    test_ok(marey_loops_find(f->ctx, clip, NULL, 1, &out.loop, &found, &test_error));
    assert_int_equal(found, 1);
    test_ok(marey_loop_make(f->ctx, clip, NULL, &def, &out.loop, &out.made, &test_error));
    return out;
}

TEST_OF(const test_hung_walks *f, loops_are_found_and_close_as_the_body_does)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        looped plain = best_loop(f, f->clips[1], in_place);
        looped hung = best_loop(f, f->hung[0][1], in_place);
        assert_int_equal(hung.loop.start, plain.loop.start);
        assert_int_equal(hung.loop.end, plain.loop.end);
        test_near(hung.loop.cost, plain.loop.cost, 1e-3 * plain.loop.cost);
        test_near(hung.loop.seam_ratio, plain.loop.seam_ratio, 1e-3);
        test_hung_assert(plain.made.clip, hung.made.clip);
        marey_made_free(&plain.made);
        marey_made_free(&hung.made);
    }
}

/* ---- floor paths ----------------------------------------------------------------------------- */

TEST_OF(const test_hung_walks *f, a_demonstration_is_the_path_of_the_body)
{
    enum { MOST = 400 };
    static marey_puppet_sample plain[MOST], hung[MOST];
    int count = 0, others = 0;
    assert_true(marey_clip_pair_samples(f->clips[0], f->clips[1]) <= MOST);
    test_ok(marey_clip_pair(f->clips[0], f->clips[1], plain, &count, NULL));
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        test_ok(marey_clip_pair(f->hung[n][0], f->hung[n][1], hung, &others, NULL));
        assert_int_equal(others, count);
        for (int i = 0; i < count; i++) {
            test_near(hung[i].main.x_cm, plain[i].main.x_cm, TEST_HUNG_NEAR_CM);
            test_near(hung[i].react.y_cm, plain[i].react.y_cm, TEST_HUNG_NEAR_CM);
            test_near(hung[i].react.direction_rad, plain[i].react.direction_rad, 1e-3);
        }
    }
}

TEST_GROUP_OF_CASES(test_still_root, test_hung_set_up, test_hung_tear_down)
