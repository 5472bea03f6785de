/* test_blend_edges.c - skeletons whose root stays, numbers of threads, what is refused. */
#include "blend_clips.h"

#include "math/quat.h"
#include "metric_clips.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- odd skeletons, threads ------------------------------------------------------------------ */

static const char *const still_root =
    "HIERARCHY\nROOT floor\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
    "Zrotation Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 0 50 0\nCHANNELS 3 Zrotation Xrotation "
    "Yrotation\nEnd Site\n{\nOFFSET 0 30 0\n}\n}\nJOINT LeftUpLeg\n{\nOFFSET 10 -5 0\nCHANNELS 3 "
    "Zrotation Xrotation Yrotation\nJOINT LeftLeg\n{\nOFFSET 0 -45 0\nCHANNELS 3 Zrotation "
    "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -45 0\n}\n}\n}\n}\n}\n";

/* Walks a circle; the root stays. */
static marey_clip *still_walker(marey_ctx *ctx, int frames, double pace, double radius)
{
    size_t room = 4096 + (size_t)frames * 200;
    FREED char *text = malloc(room);
    int at =
        snprintf(text, room, "%sMOTION\nFrames: %d\nFrame Time: 0.0166667\n", still_root, frames);
    for (int f = 0; f < frames; f++) {
        double a = pace * f / frames, swing = 25 * sin(f * 0.2);
        at += snprintf(text + at, room - (size_t)at,
                       "5 0 7 0 0 30 %.5f 95 %.5f 0 0 %.5f 0 5 0 0 %.4f 0 0 %.4f 0\n",
                       radius * sin(a), radius * cos(a), 90 + a * 57.29578, swing, 10 - swing / 3);
    }
    marey_clip *clip = test_clip(ctx, text);
    clip->skeleton.roles[MAREY_ROLE_HIPS] = 1; /* with so few joints it would not be guessed */
    return clip;
}

TEST_CTX(a_root_that_never_moves_stays)
{
    OWNED(marey_clip) *a = still_walker(ctx, 120, 1.5, 200), *b = still_walker(ctx, 130, -2, 150);
    OWNED(marey_registration) *of = test_register(ctx, (const marey_clip *const[]){ a, b }, 2);
    for (int n = 0; n <= 2; n++) {
        double weights[2] = { 1 - n / 2.0, n / 2.0 }, cm, degrees;
        OWNED(marey_made) made = test_blend_plain(ctx, of, MAREY_BLEND_REGISTERED, weights);
        for (int f = 0; f < made.clip->frames; f++) {
            assert_memory_equal(mry_place(made.clip, f), mry_place(a, 0), 3 * sizeof(double));
            assert_true(mry_quat_angle(mry_turn(made.clip, f), mry_turn(a, 0)) < 1e-6f);
        }
        test_clips_differ(made.clip, n == 2 ? b : a, &cm, &degrees);
        assert_true(n == 1 ? cm > 5 : cm < 0.01 && degrees < 0.01);
    }
}

#define WITH(name) TEST_OF_IN(test_walks_set_up, test_walks_tear_down, test_walks *w, name)

WITH(any_number_of_threads_makes_the_same_bytes)
{
    const double weights[3] = { 0.2, 0.5, 0.3 };
    marey_blend_def def = { .weights = weights };
    OWNED(marey_made) one = test_blend(w->ctx, w->of, &def);
    for (int threads = 2; threads <= 5; threads += 3) {
        marey_ctx_def ctx_def = { .threads = threads };
        OWNED(marey_ctx) *ctx = NULL;
        assert_int_equal(marey_ctx_open(&ctx_def, &ctx), MAREY_OK);
        const marey_clip *clips[] = { w->walk, w->slow, w->jog };
        OWNED(marey_registration) *of = test_register(ctx, clips, 3);
        OWNED(marey_made) many = test_blend(ctx, of, &def);
        size_t frames = (size_t)one.clip->frames, joints = (size_t)one.clip->skeleton.joint_count;
        assert_int_equal(many.clip->frames, one.clip->frames);
        assert_memory_equal(many.clip->turn, one.clip->turn, frames * joints * 4 * sizeof(float));
        assert_memory_equal(many.clip->place, one.clip->place,
                            frames * (size_t)one.clip->mover_count * 3 * sizeof(double));
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_refused(test_walks *w, marey_blend_def def)
{
    marey_made made = { .from_a_end = 77 };
    marey_error error = { 0 };
    assert_int_equal(marey_blend_make(w->ctx, w->of, &def, &made, &error), MAREY_ERR_REQUEST);
    assert_true(made.clip == NULL && made.from_a_end == 77 && strlen(error.message) > 10);
}

WITH(what_cannot_be_blended_is_refused)
{
    const double good[3] = { 1, 1, 1 }, none[3] = { 1, -2, 1 }, bad[3] = { 1, NAN, 0 };
    const double huge[3] = { INFINITY, 1, 0 }, zero[3] = { 0 };
    const double keys[] = { 1, 1, 0, 0, 1, 0, 1, 0 }, late[] = { NAN, 1, 0, 0 };
    expect_refused(w, (marey_blend_def){ 0 });
    expect_refused(w, (marey_blend_def){ .weights = none });
    expect_refused(w, (marey_blend_def){ .weights = bad });
    expect_refused(w, (marey_blend_def){ .weights = huge });
    expect_refused(w, (marey_blend_def){ .weights = zero });
    expect_refused(w, (marey_blend_def){ .key_count = 2, .keys = keys });
    expect_refused(w, (marey_blend_def){ .key_count = 1, .keys = late });
    expect_refused(w, (marey_blend_def){ .key_count = -1, .weights = good });
    expect_refused(w, (marey_blend_def){ .weights = good, .fps = -5 });
    expect_refused(w, (marey_blend_def){ .weights = good, .fps = 1e9 });
    expect_refused(w, (marey_blend_def){ .weights = good, .place_of = 4 });
    expect_refused(w, (marey_blend_def){ .weights = good, .method = (marey_blend_method)9 });
}

WITH(cancelling_stops_a_blend)
{
    const double good[3] = { 1, 1, 1 };
    marey_blend_def def = { .weights = good, .fps = 1000 };
    marey_made made = { 0 };
    marey_ctx_cancel(w->ctx);
    assert_int_equal(marey_blend_make(w->ctx, w->of, &def, &made, NULL), MAREY_ERR_CANCELLED);
    assert_null(made.clip);
    marey_ctx_resume(w->ctx);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    test_memory memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *a = test_mover(ctx, 50, 3), *b = test_mover(ctx, 60, 4);
    OWNED(marey_registration) *of = test_register(ctx, (const marey_clip *const[]){ a, b }, 2);
    const double weights[2] = { 0.5, 0.5 };
    long live = memory.live;
    for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
        marey_blend_def def = { .method = (marey_blend_method)method, .weights = weights };
        marey_status status = MAREY_ERR_MEMORY;
        for (long n = 0; status; n++) {
            marey_made made = { .from_a_end = 5 };
            memory.refuse = memory.calls + n;
            status = marey_blend_make(ctx, of, &def, &made, NULL);
            memory.refuse = -1;
            assert_true(status == MAREY_OK || (status == MAREY_ERR_MEMORY && !made.clip));
            if (status == MAREY_OK) marey_made_free(&made);
            assert_int_equal(memory.live, live);
        }
    }
}

TEST_GROUP_OF_CASES(test_blend_edges, NULL, NULL)
