/* test_steady_time.c - time along a registration curve with weights that stay, against the
   integration that blends use. */
#include "blend_clips.h"

#include "align/registration_data.h"
#include "blend/blender.h"
#include "blend/steady_time.h"
#include "math/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };

typedef struct fixture {
    marey_ctx *ctx;
    marey_clip *clips[MOST];
    marey_registration *of[2]; /* of the first 2, and all */
} fixture;

static int set_up(void **state)
{
    static const char *const takes[MOST] = { "walk_straight", "walk_slow", "jog_straight",
                                             "walk_left", "walk_fast" };
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    for (int i = 0; i < MOST; i++) f->clips[i] = test_demo_part(f->ctx, takes[i], 0, 0);
    for (int n = 0; n < 2; n++)
        f->of[n] = test_register(f->ctx, (const marey_clip *const *)f->clips, n ? MOST : 2);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    for (int n = 0; n < 2; n++) marey_registration_free(f->of[n]);
    for (int i = 0; i < MOST; i++) marey_clip_free(f->clips[i]);
    marey_ctx_close(f->ctx);
    return 0;
}

static double largest_slope(const marey_registration *registration, double u)
{
    double slopes[MOST], most = 0;
    marey_registration_times(registration, u, NULL, slopes);
    for (int j = 0; j < marey_registration_count(registration); j++) most = fmax(most, slopes[j]);
    return most;
}

/* Frames of so many rows each, both ways of finding their times. In rows of the fastest motion. */
static double apart(const marey_registration *registration, const double *weights, double rows,
                    int *frames)
{
    double left = 0, past = 0, worst = 0, u = registration->first, quick;
    mry_steady steady;
    mry_steady_start(&steady, registration, weights);
    for (*frames = 0; left <= 1e-6; ++*frames) {
        past = mry_steady_at(&steady, *frames * rows, &quick);
        assert_true(past <= 1e-3);
        worst = fmax(worst, fabs(quick - u) * largest_slope(registration, u));
        u = mry_blend_advance_by(registration, u, weights, weights, rows, &left);
    }
    past = mry_steady_at(&steady, *frames * rows, &quick);
    assert_true(fabs(past - left) < 1e-3);
    assert_true(quick == registration->last);
    return worst;
}

/* Kinds: convex, with negative ones, and one motion alone. */
static void take_weights(uint64_t *seed, int kind, int count, double *out)
{
    double sum = 0;
    memset(out, 0, MOST * sizeof *out);
    if (kind == 2) {
        out[count - 1] = 1;
        return;
    }
    for (int j = 0; j < count; j++) sum += out[j] = mry_random_between(seed, kind ? -0.3 : 0, 1);
    if (kind) sum += 2, out[0] += 2;
    for (int j = 0; j < count; j++) out[j] /= sum;
    if (count > 3) { /* one has no vote */
        out[0] += out[2];
        out[2] = 0;
    }
}

TEST_OF(fixture *f, times_are_those_of_the_blend_that_is_made)
{
    static const double rates[3] = { 1, 0.37, 5.3 };
    uint64_t seed = 9;
    double worst = 0;
    for (int n = 0; n < 54; n++) {
        const marey_registration *of = f->of[n % 2];
        double weights[MOST];
        int frames;
        take_weights(&seed, n / 2 % 3, marey_registration_count(of), weights);
        worst = fmax(worst, apart(of, weights, rates[n / 6 % 3], &frames));
        assert_true(frames > 10);
    }
    print_message("farthest from the blend's times: %.2g rows\n", worst);
    assert_true(worst < 1e-4);
}

/* A slope of nothing is passed in a moment, and never backwards. */
TEST(times_rise_where_a_motion_stands_still)
{
    double points[12] = { 0, 0, 4, 2, 8, 2, 12, 2, 16, 5, 20, 9 };
    double weights[2] = { 0.3, 0.7 }, before = -1, u;
    marey_registration of = { .count = 2, .fps = 60, .times = { 2, 6, 0, 20, points }, .last = 20 };
    mry_steady steady;
    mry_steady_start(&steady, &of, weights);
    for (int i = 0; mry_steady_at(&steady, 0.25 * i, &u) <= 0; i++) {
        assert_true(isfinite(u) && u > before && u <= 20);
        before = u;
        assert_true(i < 200);
    }
    assert_true(before > 19);
}

TEST_GROUP_OF_CASES(test_steady_time, set_up, tear_down)
