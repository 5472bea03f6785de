/* test_blend.c - blends: that one motion alone is itself, where blends go on the floor, what the
   weights do, which plants they have, what is refused. Time is in test_blend_time.c, turns are in
   test_mean_turn.c. */
#include "blend_clips.h"

#include "blend/blender.h"
#include "math/quat.h"
#include "math/turn.h"
#include "metric_clips.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 9 };

/* ---- one motion alone ------------------------------------------------------------------------ */

/* Each motion in turn has all the weight: it must come out as it went in, wherever it was. */
static void expect_each_alone(marey_ctx *ctx, const marey_clip *const *clips, int count)
{
    OWNED(marey_registration) *of = test_register(ctx, clips, count);
    for (int j = 0; j < count; j++) {
        double weights[MOST] = { 0 }, cm, degrees;
        weights[j] = 3; /* scaled to sum 1 */
        OWNED(marey_made) made = test_blend_plain(ctx, of, MAREY_BLEND_REGISTERED, weights);
        assert_int_equal(marey_clip_frames(made.clip), marey_clip_frames(clips[j]));
        test_clips_differ(made.clip, clips[j], &cm, &degrees);
        if (cm > 0.01 || degrees > 0.01)
            fail_msg("motion %d of %d alone is off by %g cm, %g degrees", j, count, cm, degrees);
        /* Whole frames are copied: but for the root, which is moved, not a bit differs. */
        size_t bytes = 4 * (size_t)(made.clip->skeleton.joint_count - 1) * sizeof(float);
        for (int f = 0; f < made.clip->frames; f++)
            assert_memory_equal(mry_turn(made.clip, f) + 4, mry_turn(clips[j], f) + 4, bytes);
    }
}

TEST_CTX(one_motion_alone_is_that_motion)
{
    static const char *const takes[MOST] = { "walk_straight", "walk_left",  "jog_straight",
                                             "walk_slow",     "walk_right", "walk_fast",
                                             "jog_curve",     "walk_eight", "walk_straight" };
    static const int counts[] = { 2, 3, 9 };
    marey_clip *clips[MOST];
    for (int i = 0; i < MOST; i++) clips[i] = test_demo_part(ctx, takes[i], i >= 7, 0);
    for (int moved = 0; moved < 2; moved++) {
        for (int n = 0; n < 3; n++)
            expect_each_alone(ctx, (const marey_clip *const *)clips, counts[n]);
        marey_clip *far = test_elsewhere(clips[1], 2.5, 100000, -40000); /* 1 km, and turned */
        marey_clip_free(clips[1]);
        clips[1] = far;
    }
    for (int i = 0; i < MOST; i++) marey_clip_free(clips[i]);
}

TEST_CTX(one_real_motion_alone_is_that_motion)
{
    static const char *const names[] = { "cmu/07_01", "cmu/16_15", "cmu/08_10" };
    test_need_mocap();
    marey_clip *clips[3];
    for (int i = 0; i < 3; i++) clips[i] = test_captured_unmarked(ctx, names[i]);
    for (int i = 1; i < 3; i++) {
        OWNED(marey_clip) *fitting = test_refitted(clips[i], clips[0]);
        marey_clip_free(clips[i]);
        clips[i] = test_elsewhere(fitting, i, i * 70000, 123);
    }
    expect_each_alone(ctx, (const marey_clip *const *)clips, 2);
    expect_each_alone(ctx, (const marey_clip *const *)clips, 3);
    for (int i = 0; i < 3; i++) marey_clip_free(clips[i]);
}

/* ---- where it goes --------------------------------------------------------------------------- */

typedef struct walks {
    marey_ctx *ctx;
    marey_clip *straight, *left, *right;
    marey_registration *of; /* of left and right */
} walks;

static int set_up(void **state)
{
    walks *w = calloc(1, sizeof *w);
    w->ctx = test_ctx();
    w->straight = test_demo_part(w->ctx, "walk_straight", 0, 0);
    w->left = test_bent(w->straight, 2.4);
    w->right = test_bent(w->straight, -2.4);
    w->of = test_register(w->ctx, (const marey_clip *const[]){ w->left, w->right }, 2);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    FREED walks *w = *state;
    marey_registration_free(w->of);
    marey_clip_free(w->straight);
    marey_clip_free(w->left);
    marey_clip_free(w->right);
    marey_ctx_close(w->ctx);
    return 0;
}

/* The largest turn about the vertical from a frame to the next. */
static double largest_turn(const marey_clip *clip)
{
    double most = 0;
    for (int f = 0; f + 1 < marey_clip_frames(clip); f++) {
        float d[4];
        mry_quat_between(marey_clip_rotations(clip, f), marey_clip_rotations(clip, f + 1), d);
        most = fmax(most, 2 * atan2(fabsf(d[2]), fabsf(d[0])));
    }
    return most;
}

#define WITH(name) TEST_OF_IN(set_up, tear_down, walks *w, name)

WITH(curving_walks_keep_the_length_of_their_ways)
{
    double own = fmax(largest_turn(w->left), largest_turn(w->right));
    for (int n = 0; n <= 10; n++) {
        double weights[2] = { n / 10.0, 1 - n / 10.0 };
        double want =
            weights[0] * test_path_length(w->left) + weights[1] * test_path_length(w->right);
        OWNED(marey_made) good = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
        double length = test_path_length(good.clip);
        assert_true(fabs(length / want - 1) < 0.05);
        assert_true(largest_turn(good.clip) < 1.5 * own);
    }
}

WITH(linear_blends_of_curving_walks_collapse_and_flip)
{
    const double weights[2] = { 0.5, 0.5 };
    OWNED(marey_made) bad = test_blend_plain(w->ctx, w->of, MAREY_BLEND_LINEAR, weights);
    assert_true(test_path_length(bad.clip) < 0.8 * test_path_length(w->left));
    assert_true(largest_turn(bad.clip) > 1);
}

WITH(half_left_and_half_right_is_straight_on)
{
    const double weights[2] = { 0.5, 0.5 };
    OWNED(marey_made) made = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
    const double *a = marey_clip_root(made.clip, 0);
    const double *b = marey_clip_root(made.clip, marey_clip_frames(made.clip) - 1);
    assert_true(hypot(b[0] - a[0], b[2] - a[2]) > 0.97 * test_path_length(made.clip));
    assert_true(fabs(mry_distance3(a, marey_clip_root(w->left, 0))) < 5);
}

WITH(the_blend_starts_at_the_given_place)
{
    OWNED(marey_clip) *far = test_elsewhere(w->right, 1, 500, 300);
    OWNED(marey_registration) *of =
        test_register(w->ctx, (const marey_clip *const[]){ w->left, far }, 2);
    const double weights[2] = { 0.999999, 0.000001 };
    for (int place = 0; place <= 2; place++) {
        marey_blend_def def = { .weights = weights, .leave_feet = true, .place_of = place };
        OWNED(marey_made) made = test_blend(w->ctx, of, &def);
        const double *start = marey_clip_root(place == 2 ? far : w->left, 0);
        assert_true(mry_distance3(marey_clip_root(made.clip, 0), start) < 3);
    }
}

/* Wherever the inputs are and whichever is the reference, the blend is the same motion. */
WITH(moving_an_input_by_1_km_changes_no_blend)
{
    const double weights[2] = { 0.4, 0.6 };
    for (int moved = 0; moved < 2; moved++) {
        const marey_clip *clips[2] = { w->left, w->right };
        OWNED(marey_clip) *far = test_elsewhere(clips[moved], -2, 80000, 60000);
        clips[moved] = far;
        OWNED(marey_registration) *of = test_register(w->ctx, clips, 2);
        marey_blend_def def = { .weights = weights, .leave_feet = true, .place_of = 2 - moved };
        OWNED(marey_made) made = test_blend(w->ctx, of, &def),
                          there = test_blend(w->ctx, w->of, &def);
        double cm, degrees;
        test_clips_differ(made.clip, there.clip, &cm, &degrees);
        assert_int_equal(marey_clip_frames(made.clip), marey_clip_frames(there.clip));
        assert_true(cm < 0.01 && degrees < 0.01);
    }
}

/* ---- eq. 8 and 9 by matrices ----------------------------------------------------------------- */

typedef struct matrix {
    double m[2][3]; /* (x, z) -> m (x, z, 1) */
} matrix;

static matrix as_matrix(mry_floor f)
{
    double c = cos(f.angle), s = sin(f.angle);
    return (matrix){ { { c, s, f.x }, { -s, c, f.z } } };
}

static matrix product(matrix a, matrix b)
{
    matrix p;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            p.m[i][k] = a.m[i][0] * b.m[0][k] + a.m[i][1] * b.m[1][k] + (k == 2 ? a.m[i][2] : 0);
    }
    return p;
}

static matrix inverse(matrix a)
{
    matrix v = { { { a.m[0][0], a.m[1][0], 0 }, { a.m[0][1], a.m[1][1], 0 } } };
    for (int i = 0; i < 2; i++) v.m[i][2] = -v.m[i][0] * a.m[0][2] - v.m[i][1] * a.m[1][2];
    return v;
}

static void times_point(matrix a, double *p)
{
    double x = p[0], z = p[1];
    p[0] = a.m[0][0] * x + a.m[0][1] * z + a.m[0][2];
    p[1] = a.m[1][0] * x + a.m[1][1] * z + a.m[1][2];
}

/* Votes as eq. 8 has them; their turns, and where they take the pelvises that lie on each other,
   are averaged. */
static matrix judge_place(const walks *w, matrix last, double before, double now,
                          const double *weights)
{
    matrix vote[2];
    double origin[2] = { 0 }, turn = 0, goal[2] = { 0 }, rows[2];
    marey_registration_times(w->of, now, rows, NULL);
    for (int j = 0; j < 2; j++) {
        matrix a = as_matrix(mry_blend_floor(w->of, j, before));
        matrix b = as_matrix(mry_blend_floor(w->of, j, now));
        double place[3 * 64], at[2];
        float turns[4 * 64];
        marey_clip_sample(j ? w->right : w->left, rows[j] / 60, place, turns);
        at[0] = place[0];
        at[1] = place[2];
        vote[j] = product(product(last, a), inverse(b));
        times_point(b, at);
        for (int i = 0; i < 2; i++)
            origin[i] += fabs(weights[j]) / (fabs(weights[0]) + fabs(weights[1])) * at[i];
    }
    for (int j = 0; j < 2; j++) {
        matrix apart = product(inverse(last), vote[j]);
        double at[2] = { origin[0], origin[1] };
        times_point(vote[j], at);
        turn += weights[j] * atan2(apart.m[0][1], apart.m[0][0]);
        for (int i = 0; i < 2; i++) goal[i] += weights[j] * at[i];
    }
    matrix to = { { { 1, 0, goal[0] }, { 0, 1, goal[1] } } };
    matrix from = { { { 1, 0, -origin[0] }, { 0, 1, -origin[1] } } };
    last.m[0][2] = last.m[1][2] = 0;
    return product(to, product(product(last, as_matrix((mry_floor){ .angle = turn })), from));
}

WITH(frames_are_placed_as_by_matrices)
{
    enum { COUNT = 120 };
    double u[COUNT], weights[2 * COUNT], first, last;
    mry_floor places[COUNT];
    marey_registration_range(w->of, &first, &last);
    for (int i = 0; i < COUNT; i++) {
        u[i] = first + 20 + 1.1 * i;
        weights[2 * i] = 1.6 * sin(i / 20.0); /* also beyond 0 and 1 */
        weights[2 * i + 1] = 1 - weights[2 * i];
    }
    mry_blend_run run = { .of = w->of,
                          .count = COUNT,
                          .u = u,
                          .weights = weights,
                          .fixed = 50,
                          .place = { 0.7, 300, -90 },
                          .places = places };
    OWNED(marey_clip) *made = mry_clip_make_like(w->left, COUNT, 60);
    assert_true(mry_blend_frames(&run, made, 0));
    for (int i = 0; i < COUNT; i++) {
        if (i == 50) continue;
        int from = i > 50 ? i - 1 : i + 1;
        matrix want = judge_place(w, as_matrix(places[from]), u[from], u[i], weights + 2 * i);
        matrix got = as_matrix(places[i]);
        for (int k = 0; k < 6; k++)
            assert_true(fabs(want.m[k / 3][k % 3] - got.m[k / 3][k % 3]) <
                        (k % 3 == 2 ? 1e-6 : 1e-9));
    }
}

/* The same blend from its end back lies on the one from its start, but for terms of third order. */
WITH(backwards_leads_along_the_same_way)
{
    enum { COUNT = 300 };
    double u[COUNT], weights[2 * COUNT], first, last;
    mry_floor places[2][COUNT];
    marey_registration_range(w->of, &first, &last);
    for (int i = 0; i < COUNT; i++) {
        u[i] = first + i;
        weights[2 * i] = 0.3;
        weights[2 * i + 1] = 0.7;
    }
    OWNED(marey_clip) *made = mry_clip_make_like(w->left, COUNT, 60);
    mry_blend_run run = {
        .of = w->of, .count = COUNT, .u = u, .weights = weights, .places = places[0]
    };
    assert_true(mry_blend_frames(&run, made, 0));
    run.fixed = COUNT - 1;
    run.place = places[0][COUNT - 1];
    run.places = places[1];
    assert_true(mry_blend_frames(&run, made, 0));
    for (int i = 0; i < COUNT; i++) {
        double p[2][2] = { { 0 } };
        for (int k = 0; k < 2; k++) {
            const double *root = marey_clip_root(w->left, i);
            p[k][0] = root[0];
            p[k][1] = root[2];
            times_point(as_matrix(mry_floor_times(places[k][i], mry_blend_floor(w->of, 0, u[i]))),
                        p[k]);
        }
        assert_true(hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]) < 0.01);
    }
}

TEST(a_jump_is_measured_against_the_inputs_and_standing_still_has_none)
{
    assert_true(marey_jump_ratio(300, 200, 60) == 1.5);
    assert_true(marey_jump_ratio(0.01, 0, 60) == 1); /* 0.06 cm/s is a step of 0.001 cm */
    assert_true(marey_jump_ratio(0.12, 0.03, 60) == 2);
    assert_true(isnan(marey_jump_ratio(NAN, 1, 60)) && isnan(marey_jump_ratio(1, NAN, 60)));
}

TEST_GROUP_OF_CASES(test_blend, NULL, NULL)
