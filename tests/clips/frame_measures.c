#include "frame_measures.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>

enum { MOST_JOINTS = 128 };

static int both_poses(const marey_clip *a, int i, const marey_clip *b, int j,
                      double places[2][3 * MOST_JOINTS])
{
    int joints = marey_clip_skeleton(a)->joint_count;
    assert_true(joints <= MOST_JOINTS && joints == marey_clip_skeleton(b)->joint_count);
    marey_clip_positions(a, i, 1, places[0]);
    marey_clip_positions(b, j, 1, places[1]);
    return joints;
}

double test_frame_apart(const marey_clip *a, int i, const marey_clip *b, int j)
{
    double p[2][3 * MOST_JOINTS], most = 0;
    int joints = both_poses(a, i, b, j, p);
    for (int k = 0; k < 3 * joints; k += 3) most = fmax(most, mry_distance3(p[0] + k, p[1] + k));
    return most;
}

double test_shape_apart(const marey_clip *a, int i, const marey_clip *b, int j)
{
    double p[2][3 * MOST_JOINTS], most = 0;
    int joints = both_poses(a, i, b, j, p);
    for (int k = 3; k < 3 * joints; k += 3)
        most = fmax(most, fabs(mry_distance3(p[0], p[0] + k) - mry_distance3(p[1], p[1] + k)));
    return most;
}

double test_step_into(const marey_clip *clip, int frame)
{
    return test_frame_apart(clip, frame - 1, clip, frame);
}

double test_largest_step(const marey_clip *clip)
{
    double most = 0;
    for (int f = 1; f < marey_clip_frames(clip); f++) most = fmax(most, test_step_into(clip, f));
    return most;
}

double test_slide(const marey_clip *clip, const marey_contact *plants, int count)
{
    marey_quality quality;
    assert_int_equal(marey_clip_quality(clip, plants, count, &quality), MAREY_OK);
    return quality.slide_max_cm;
}

void test_clip_is_finite(const marey_clip *clip)
{
    size_t frames = (size_t)clip->frames;
    for (size_t i = 0; i < frames * (size_t)clip->skeleton.joint_count * 4; i++)
        assert_true(isfinite(clip->turn[i]));
    for (size_t i = 0; i < frames * (size_t)clip->mover_count * 3; i++)
        assert_true(isfinite(clip->place[i]));
}

marey_clip *test_trimmed(const marey_clip *clip, int start, int end)
{
    marey_clip *made = NULL;
    marey_error error = { 0 };
    test_fine(marey_clip_trim(clip, start, end, &made, &error), &error);
    return made;
}

marey_clip *test_resampled(const marey_clip *clip, double fps)
{
    marey_clip *made = NULL;
    marey_error error = { 0 };
    test_fine(marey_clip_resample(clip, fps, &made, &error), &error);
    return made;
}

marey_clip *test_refitted(const marey_clip *clip, const marey_clip *bones)
{
    marey_clip *made = NULL;
    marey_error error = { 0 };
    test_fine(marey_clip_refit(clip, bones, &made, &error), &error);
    return made;
}

marey_cut test_best_cut(marey_ctx *ctx, const marey_clip *a, const marey_clip *b)
{
    marey_cut cut = { 0 };
    marey_cuts_def def = { .below = INFINITY };
    int found = 0;
    assert_int_equal(marey_cuts_find(ctx, a, b, &def, 1, &cut, &found, NULL), MAREY_OK);
    assert_int_equal(found, 1);
    return cut;
}

marey_clip *test_captured(marey_ctx *ctx, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s.bvh", test_mocap_folder(), name);
    return test_clip_load(ctx, path);
}

marey_clip *test_captured_unmarked(marey_ctx *ctx, const char *name)
{
    OWNED(marey_clip) *whole = test_captured(ctx, name);
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    test_fine(marey_clip_unmarked(whole, NULL, &clip, &error), &error);
    return clip;
}

double test_seen_speed(const marey_clip *clip, int frame)
{
    double before[MOST_JOINTS][3], here[MOST_JOINTS][3], sum = 0;
    int side = (int)lround(0.25 * clip->fps), joints = clip->skeleton.joint_count;
    int from = frame > side ? frame - side : 0;
    int to = frame + side < clip->frames ? frame + side : clip->frames - 1;
    for (int f = from + 1; f <= to; f++) {
        marey_clip_positions(clip, f - 1, 1, &before[0][0]);
        marey_clip_positions(clip, f, 1, &here[0][0]);
        for (int j = 0; j < joints; j++) sum += mry_distance3(before[j], here[j]) / joints;
    }
    return sum * clip->fps / (to - from);
}
