/* test_blend_control.c - weights over time and beyond 0 and 1, rates, methods. */
#include "blend_clips.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double speed_at(const marey_clip *clip, int frame)
{
    const double *a = marey_clip_root(clip, frame), *b = marey_clip_root(clip, frame + 30);
    return hypot(b[0] - a[0], b[2] - a[2]) * marey_clip_fps(clip) / 30;
}

/* ---- weights --------------------------------------------------------------------------------- */

#define WITH(name) TEST_OF_IN(test_walks_set_up, test_walks_tear_down, test_walks *w, name)

WITH(weights_over_time_are_followed)
{
    const double keys[] = { 1, 1, 0, 0, 3, 0, 0, 1 }; /* walks for a second, jogs from the third */
    marey_blend_def def = { .key_count = 2, .keys = keys, .leave_feet = true };
    OWNED(marey_made) made = test_blend(w->ctx, w->of, &def);
    assert_true(fabs(speed_at(made.clip, 20) / speed_at(w->walk, 20) - 1) < 0.02);
    assert_true(speed_at(made.clip, 190) > 1.4 * speed_at(w->walk, 100));
    for (int f = 0; f < 60; f++) /* one motion alone until then */
        assert_true(test_frame_apart(made.clip, f, w->walk, f) < 0.01);
}

WITH(one_key_is_a_constant_weight)
{
    const double key[] = { -3, 0.2, 0.5, 0.3 }, scaled[] = { 2, 5, 3 };
    marey_blend_def by_key = { .key_count = 1, .keys = key, .leave_feet = true };
    OWNED(marey_made) a = test_blend(w->ctx, w->of, &by_key);
    OWNED(marey_made) b = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, scaled);
    double cm, degrees;
    assert_int_equal(a.clip->frames, b.clip->frames);
    test_clips_differ(a.clip, b.clip, &cm, &degrees);
    assert_true(cm < 1e-6 && degrees < 1e-3);
}

WITH(durations_lie_between_those_of_the_motions)
{
    int last = w->walk->frames;
    for (int n = 1; n < 5; n++) {
        double weights[3] = { 1 - n / 5.0, n / 5.0, 0 };
        OWNED(marey_made) made = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
        assert_true(made.clip->frames > last && made.clip->frames < w->slow->frames);
        last = made.clip->frames;
    }
}

WITH(weights_beyond_one_exaggerate)
{
    const double beyond[3] = { -0.5, 0, 1.5 };
    OWNED(marey_made) made = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, beyond);
    assert_true(speed_at(made.clip, 100) > 1.03 * speed_at(w->jog, 100));
    test_clip_is_finite(made.clip);
}

/* ---- rates and methods ----------------------------------------------------------------------- */

WITH(another_rate_shows_the_same_motion)
{
    const double weights[3] = { 0.4, 0.3, 0.3 };
    OWNED(marey_made) usual = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
    marey_blend_def def = { .weights = weights, .leave_feet = true, .fps = 120 };
    OWNED(marey_made) twice = test_blend(w->ctx, w->of, &def);
    assert_true(twice.clip->fps == 120);
    assert_true(abs(twice.clip->frames - 2 * usual.clip->frames) <= 1);
    for (int f = 0; f < usual.clip->frames; f++)
        assert_true(mry_distance3(mry_place(usual.clip, f), mry_place(twice.clip, 2 * f)) < 0.2);
}

WITH(motions_of_two_rates_are_blended)
{
    OWNED(marey_clip) *fine = test_resampled(w->walk, 120);
    OWNED(marey_registration) *of =
        test_register(w->ctx, (const marey_clip *const[]){ fine, w->jog }, 2);
    for (int j = 0; j < 2; j++) {
        double weights[2] = { j == 0, j == 1 }, cm, degrees;
        marey_blend_def def = { .weights = weights, .leave_feet = true };
        if (j) def.fps = 60;
        OWNED(marey_made) made = test_blend(w->ctx, of, &def);
        assert_int_equal(made.clip->frames, (j ? w->jog : fine)->frames);
        test_clips_differ(made.clip, j ? w->jog : fine, &cm, &degrees);
        assert_true(cm < 0.01 && degrees < 0.01);
    }
}

WITH(without_timewarp_frames_go_with_frames)
{
    const double half[3] = { 0.5, 0.5, 0 }, first[3] = { 1, 0, 0 };
    int shortest = w->jog->frames < w->walk->frames ? w->jog->frames : w->walk->frames;
    for (int m = MAREY_BLEND_UNTIMED; m <= MAREY_BLEND_LINEAR; m++) {
        OWNED(marey_made) mixed = test_blend_plain(w->ctx, w->of, (marey_blend_method)m, half);
        OWNED(marey_made) alone = test_blend_plain(w->ctx, w->of, (marey_blend_method)m, first);
        double cm, degrees;
        assert_int_equal(mixed.clip->frames, shortest);
        test_clips_differ(alone.clip, w->walk, &cm, &degrees);
        assert_true(cm < 0.01 && degrees < 0.01);
    }
}

TEST(every_method_has_a_name_of_its_own)
{
    for (int m = 0; m < MAREY_BLEND_METHOD_COUNT; m++) {
        assert_true(strlen(marey_blend_method_about((marey_blend_method)m)) > 10);
        for (int n = 0; n < m; n++)
            assert_string_not_equal(marey_blend_method_name((marey_blend_method)m),
                                    marey_blend_method_name((marey_blend_method)n));
    }
    assert_string_equal(marey_blend_method_name(MAREY_BLEND_REGISTERED), "registered");
}

TEST_GROUP_OF_CASES(test_blend_control, NULL, NULL)
