/* blend_clips.c - clips, registrations and blends for the tests of blending. */
#include "blend_clips.h"

#include "math/quat.h"
#include "math/turn.h"
#include "metric_clips.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void turn_root(marey_clip *clip, int frame, double radians)
{
    float *q = mry_turn(clip, frame);
    mry_rot by = mry_rot_about(0, 1, 0, radians), turned;
    turned = mry_rot_times(by, (mry_rot){ q[0], q[1], q[2], q[3] });
    q[0] = (float)turned.w;
    q[1] = (float)turned.x;
    q[2] = (float)turned.y;
    q[3] = (float)turned.z;
}

marey_clip *test_bent(const marey_clip *clip, double radians)
{
    const double *a = marey_clip_root(clip, 0), *b = marey_clip_root(clip, clip->frames - 1);
    double heading = atan2(b[0] - a[0], b[2] - a[2]), way = hypot(b[0] - a[0], b[2] - a[2]);
    mry_vec start = mry_rot_apply(mry_rot_about(0, 1, 0, -heading), (mry_vec){ a[0], 0, a[2] });
    marey_clip *bent = test_moved(clip, mry_rot_about(0, 1, 0, -heading), mry_vec_scale(start, -1));
    double radius = way / radians;
    for (int f = 0; f < bent->frames; f++) {
        double *p = mry_place(bent, f), side = p[0], angle = p[2] / radius;
        p[0] = radius * (1 - cos(angle)) + side * cos(angle);
        p[2] = radius * sin(angle) - side * sin(angle);
        turn_root(bent, f, angle);
    }
    return bent;
}

marey_clip *test_elsewhere(const marey_clip *clip, double radians, double x, double z)
{
    return test_moved(clip, mry_rot_about(0, 1, 0, radians), (mry_vec){ x, 0, z });
}

marey_registration *test_register(marey_ctx *ctx, const marey_clip *const *clips, int count)
{
    marey_registration *made = NULL;
    marey_error error = { 0 };
    if (marey_registration_build(ctx, clips, count, NULL, NULL, &made, &error))
        fail_msg("%s", error.message);
    return made;
}

marey_made test_blend(marey_ctx *ctx, const marey_registration *registration,
                      const marey_blend_def *def)
{
    marey_made made = { 0 };
    marey_error error = { 0 };
    if (marey_blend_make(ctx, registration, def, &made, &error)) fail_msg("%s", error.message);
    return made;
}

marey_made test_blend_plain(marey_ctx *ctx, const marey_registration *registration,
                            marey_blend_method method, const double *weights)
{
    marey_blend_def def = { .method = method, .weights = weights, .leave_feet = true };
    return test_blend(ctx, registration, &def);
}

void test_clips_differ(const marey_clip *a, const marey_clip *b, double *cm, double *degrees)
{
    int joints = a->skeleton.joint_count, frames = a->frames < b->frames ? a->frames : b->frames;
    size_t numbers = 3 * (size_t)joints;
    double *p = malloc(2 * numbers * sizeof *p), *q = p + numbers;
    *cm = *degrees = 0;
    for (int f = 0; f < frames; f++) {
        marey_clip_positions(a, f, 1, p);
        marey_clip_positions(b, f, 1, q);
        for (int j = 0; j < joints; j++) {
            float angle = mry_quat_angle(mry_turn(a, f) + 4 * j, mry_turn(b, f) + 4 * j);
            *cm = fmax(*cm, mry_distance3(p + 3 * j, q + 3 * j));
            *degrees = fmax(*degrees, angle * 57.29577951);
        }
    }
    free(p);
}

double test_path_length(const marey_clip *clip)
{
    int step = clip->fps > 20 ? (int)lround(clip->fps / 10) : 1;
    double length = 0;
    for (int f = 0; f + step < clip->frames; f += step) {
        const double *a = marey_clip_root(clip, f), *b = marey_clip_root(clip, f + step);
        length += hypot(b[0] - a[0], b[2] - a[2]);
    }
    return length;
}

/* ---- a fixture ------------------------------------------------------------------------------- */

/* The same motion, `factor` times as long. */
static marey_clip *slower(const marey_clip *clip, double factor)
{
    marey_clip *made = NULL;
    assert_int_equal(marey_clip_resample(clip, clip->fps * factor, &made, NULL), MAREY_OK);
    made->fps = clip->fps;
    return made;
}

int test_walks_set_up(void **state)
{
    test_walks *w = calloc(1, sizeof *w);
    w->ctx = test_ctx();
    w->walk = test_demo_part(w->ctx, "walk_straight", 0, 0);
    w->slow = slower(w->walk, 1.4);
    w->jog = test_demo_part(w->ctx, "jog_straight", 0, 0);
    const marey_clip *clips[] = { w->walk, w->slow, w->jog };
    w->of = test_register(w->ctx, clips, 3);
    *state = w;
    return 0;
}

int test_walks_tear_down(void **state)
{
    test_walks *w = *state;
    marey_registration_free(w->of);
    marey_clip_free(w->walk);
    marey_clip_free(w->slow);
    marey_clip_free(w->jog);
    test_ctx_close(w->ctx);
    free(w);
    return 0;
}
