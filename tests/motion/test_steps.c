/* How fast joints get, and which steps are leaps that no clip made of this one is measured by. */
#include "feet_clip.h"
#include "motion/steps.h"

#include <math.h>

enum { FRAMES = 60 };
static const double FPS = 120;

/* The body swings to and fro, at most about 2 cm a frame; from frame *user on it is 40 cm aside. */
static void leap(void *user, int frame, test_feet *feet)
{
    double way = 20 * sin(frame * 0.1) + (frame >= *(const int *)user ? 40 : 0);
    for (int i = 0; i < 4; i++) feet->point[i][2] += way;
    feet->hips[2] += way;
}

static marey_speeds measure(const marey_clip *clip, const marey_clip *marked)
{
    marey_speeds speeds;
    test_ok(marey_clip_speeds(clip, marked, &speeds));
    return speeds;
}

TEST_CTX(a_leap_is_the_fastest_step_and_no_sound_one)
{
    int never = FRAMES, moments[] = { 1, 2, 30, FRAMES - 2, FRAMES - 1 };
    OWNED(marey_clip) *sound = test_feet_clip(ctx, FRAMES, FPS, leap, &never);
    double own = measure(sound, NULL).joint_cm_per_s;
    assert_true(own > FPS * 1.9 && own < FPS * 2.1);
    test_near(measure(sound, NULL).sound_joint_cm_per_s, own, 1e-9);
    for (int i = 0; i < 5; i++) {
        OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, leap, &moments[i]);
        marey_speeds speeds = measure(clip, NULL);
        assert_true(speeds.joint_cm_per_s > FPS * 38);
        test_near(speeds.sound_joint_cm_per_s, own, 0.02 * own);
    }
}

/* Of a limb that gets fast and slow again within a tenth of a second, or stops at once, or is cut
   off while it is fastest, nothing is a leap; there and back is one, also for two frames. */
TEST(quick_motion_is_no_leap)
{
    static const struct {
        double steps[16], sound;
    } rows[] = {
        { { 1, 1, 1, 2, 4, 9, 16, 20, 16, 9, 4, 2, 1, 1, 1, 1 }, 20 },
        { { 1, 1, 1, 2, 4, 9, 16, 20, 0, 0, 0, 0, 0, 0, 0, 0 }, 20 },
        { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 6, 9, 12, 16, 20 }, 20 },
        { { 20, 16, 12, 9, 6, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 20 },
        { { 1, 1, 1, 1, 1, 1, 1, 20, 20, 1, 1, 1, 1, 1, 1, 1 }, 1 },
        { { 1, 1, 1, 1, 1, 1, 1, 20, 2, 20, 1, 1, 1, 1, 1, 1 }, 2 },
        { { 20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20 }, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_near(mry_sound_peak(rows[i].steps, 16, 60), rows[i].sound, 1e-12);
    assert_true(mry_sound_peak(rows[0].steps, 0, 60) == 0);
    assert_true(mry_sound_peak(rows[0].steps + 7, 1, 60) == 20);
    assert_true(mry_sound_peak(rows[0].steps + 7, 2, 1e4) == 20);
}

/* Frame 0 is a T-pose 40 cm away: no step leads from it, nor over the gap where it was cut out of
   the middle. */
TEST_CTX(no_step_leads_over_a_gap)
{
    int first = 1, from = 20, never = FRAMES;
    OWNED(marey_clip) *posed = test_feet_clip(ctx, FRAMES, FPS, leap, &first);
    OWNED(marey_clip) *other = test_feet_clip(ctx, FRAMES, FPS, leap, &from);
    OWNED(marey_clip) *sound = test_feet_clip(ctx, FRAMES, FPS, leap, &never), *cut = NULL;
    double own = measure(sound, NULL).joint_cm_per_s;
    assert_true(mry_clip_add_mark(posed, MAREY_MARK_INVENTED, 0, 1));
    assert_true(measure(posed, NULL).joint_cm_per_s <= own + 1e-6);
    assert_true(mry_clip_add_mark(other, MAREY_MARK_DROPOUT, 18, 22));
    test_ok(marey_clip_unmarked(other, NULL, &cut, NULL));
    assert_true(measure(cut, NULL).joint_cm_per_s > 3 * own);
    assert_true(measure(cut, other).joint_cm_per_s <= own + 1e-6);
}

TEST(refused_memory_is_reported_and_writes_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    int from = 30;
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, leap, &from);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_speeds speeds = { .joint_cm_per_s = -1 };
        status = marey_clip_speeds(clip, NULL, &speeds);
        assert_true(status ? speeds.joint_cm_per_s == -1 : speeds.joint_cm_per_s > 0);
    }
}

TEST_GROUP_OF_CASES(test_steps, NULL, NULL)
