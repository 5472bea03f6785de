/* test_family_judge.c - which motions belong to a family: reaches do, with whatever else is thrown
   in among them it is left out; distances against poses that are turned step by step. */
#include "frame_measures.h"
#include "reaches.h"

#include "match/query_weights.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

enum { MOST = 32 };

/* Motions of several kinds, the first `right` of which are what is wanted. */
typedef struct mixed {
    int count, right;
    const marey_clip *clips[MOST];
    marey_contacts contacts[MOST];
} mixed;

static void put(mixed *to, const test_examples *from)
{
    for (int i = 0; i < from->count; i++) {
        to->clips[to->count] = from->clips[i];
        to->contacts[to->count++] = from->contacts[i];
    }
}

static void judge(marey_ctx *ctx, const mixed *of, const marey_contacts *contacts, bool named,
                  marey_oddity *odd)
{
    OWNED(marey_registration) *registration = NULL;
    marey_registration_def def = { .reference = 1 };
    test_ok(marey_registration_build(ctx, of->clips, of->count, of->contacts, &def, &registration,
                                     &test_error));
    test_ok(marey_family_judge(ctx, registration, contacts, named, odd, &test_error));
}

TEST(what_is_thrown_in_among_reaches_is_odd_and_every_reach_belongs)
{
    static const struct {
        const char *label, *side;
        int count;
    } wrong[] = { { "walk", "", 3 },      { "sit", "", 3 },        { "reach", "left", 3 },
                  { "kick", "right", 2 }, { "punch", "right", 2 }, { "turn", "left", 2 },
                  { "idle", "", 2 },      { "jump", "", 2 } };
    enum { KINDS = sizeof wrong / sizeof *wrong };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(test_examples) reaches = { 0 };
    test_examples others[KINDS] = { 0 };
    mixed all = { 0 };
    marey_oddity odd[MOST];
    test_examples_make(ctx, "reach", "right", 12, &reaches);
    put(&all, &reaches);
    mixed with = all;
    for (int i = 0; i < KINDS; i++) {
        test_examples_make(ctx, wrong[i].label, wrong[i].side, wrong[i].count, &others[i]);
        put(&with, &others[i]);
    }
    judge(ctx, &with, with.contacts, true, odd);
    for (int k = 0; k < with.count; k++) {
        if ((odd[k].kind != MAREY_ODD_NONE) != (k >= all.count))
            fail_msg("%d: %s, %g", k, marey_odd_name(odd[k].kind, NULL), odd[k].value);
        assert_true(odd[k].kind == MAREY_ODD_NONE || odd[k].value > odd[k].limit);
    }
    for (int i = 0; i < KINDS; i++) test_examples_free(&others[i]);
    /* Of what a search found as being like the first, those that are not near to it are odd. */
    judge(ctx, &all, all.contacts, false, odd);
    int near = 0;
    for (int k = 0; k < all.count; k++) {
        near += odd[k].kind == MAREY_ODD_NONE;
        assert_true(odd[k].kind == MAREY_ODD_NONE || odd[k].value > odd[k].limit);
    }
    assert_true(near > 3 && near < all.count);
    assert_null(marey_odd_name(MAREY_ODD_COUNT, NULL));
}

TEST(feet_tell_what_climbs)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(test_examples) kicks = { 0 };
    mixed all = { 0 };
    marey_oddity odd[MOST];
    test_examples_make(ctx, "kick", "right", 4, &kicks);
    put(&all, &kicks);
    judge(ctx, &all, all.contacts, false, odd);
    for (int i = 0; i < 4; i++) assert_int_equal(odd[i].kind, MAREY_ODD_NONE);
    /* One stands on something where its foot is highest. */
    int frames = marey_clip_frames(kicks.clips[2]);
    marey_contact toes[2] = { { MAREY_CONTACT_RIGHT_TOE, 0, frames / 10 },
                              { MAREY_CONTACT_RIGHT_TOE, frames / 2 - 2, frames / 2 + 2 } };
    marey_contact level[2] = { { MAREY_CONTACT_RIGHT_TOE, 0, frames / 10 },
                               { MAREY_CONTACT_RIGHT_TOE, frames / 10, frames / 8 } };
    marey_contact down = { MAREY_CONTACT_LEFT_HEEL, 0, marey_clip_frames(kicks.clips[0]) };
    marey_contact list[2][3] = { { down, level[0], level[1] }, { down, toes[0], toes[1] } };
    marey_contacts feet[4];
    memcpy(feet, all.contacts, sizeof feet);
    feet[0] = (marey_contacts){ .items = list[0], .count = 3 };
    feet[2] = (marey_contacts){ .items = list[1], .count = 3 };
    judge(ctx, &all, feet, false, odd);
    assert_int_equal(odd[1].kind, MAREY_ODD_NONE);
    assert_int_equal(odd[2].kind, MAREY_ODD_FLOOR);
    assert_true(odd[2].value > 20 && odd[2].value < 200);
    assert_int_equal(odd[3].kind, MAREY_ODD_NONE);
    judge(ctx, &all, NULL, false, odd); /* no feet are looked at */
    for (int i = 0; i < 4; i++) assert_int_equal(odd[i].kind, MAREY_ODD_NONE);
}

/* One kick over and over, thrown up and down three times a second by 2 cm: so are the first two, the
   third the other way round, the last not at all. Half as much is never near to flying. */
TEST(hips_tell_what_is_in_the_air_at_other_times)
{
    static const double way[2][4] = { { 2, 2, -2, 0 }, { 0.5, 0.5, -0.5, 0 } };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(test_examples) kick = { 0 };
    test_examples_make(ctx, "kick", "right", 1, &kick);
    for (int t = 0; t < 2; t++) {
        mixed all = { 0 };
        marey_oddity odd[MOST];
        marey_clip *thrown[4];
        for (int i = 0; i < 4; i++) {
            thrown[i] = test_trimmed(kick.clips[0], 0, marey_clip_frames(kick.clips[0]));
            for (int f = 0; f < thrown[i]->frames; f++)
                mry_place(thrown[i], f)[1] += way[t][i] * cos(6 * M_PI * f / thrown[i]->fps);
            all.clips[all.count] = thrown[i];
            all.contacts[all.count++] = kick.contacts[0];
        }
        judge(ctx, &all, NULL, false, odd);
        for (int i = 0; i < 4; i++) {
            bool flies = t == 0 && i > 1;
            assert_int_equal(odd[i].kind, flies ? MAREY_ODD_FLIGHT : MAREY_ODD_NONE);
            assert_true(!flies || fabs(odd[i].value - (i == 2 ? 2 : 1)) < 0.2);
            marey_clip_free(thrown[i]);
        }
    }
}

/* ---- the judge: turned step by step ---------------------------------------------------------- */

static double plain_distance(int points, const float *weights, const float *a, const float *b)
{
    double best = INFINITY;
    for (int step = 0; step < 3600; step++) {
        double c = cos(step * M_PI / 1800), s = sin(step * M_PI / 1800), shift[3] = { 0 }, sum = 0;
        for (int i = 0; i < 2 * points; i++) {
            double w = (double)weights[i % points], x = (double)b[3 * i], z = (double)b[3 * i + 1];
            double off[3] = { (double)a[3 * i] - (c * x + s * z),
                              (double)a[3 * i + 1] - (c * z - s * x),
                              (double)a[3 * i + 2] - (double)b[3 * i + 2] };
            for (int k = 0; k < 3; k++) {
                sum += w * off[k] * off[k];
                if (i < points) shift[k] += w * off[k];
            }
        }
        for (int k = 0; k < 3; k++) sum -= shift[k] * shift[k];
        best = fmin(best, sum);
    }
    return best;
}

TEST(the_distance_of_two_is_that_of_poses_that_are_turned_step_by_step)
{
    enum { LOOKS = 32 };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    OWNED(test_examples) kick = { 0 }, reach = { 0 };
    OWNED(marey_registration) *registration = NULL;
    marey_oddity odd[2];
    test_examples_make(ctx, "kick", "right", 1, &kick);
    test_examples_make(ctx, "reach", "right", 1, &reach);
    const marey_clip *clips[2] = { kick.clips[0], reach.clips[0] };
    test_ok(marey_registration_build(ctx, clips, 2, NULL,
                                     &(marey_registration_def){ .reference = 1 }, &registration,
                                     &test_error));
    test_ok(marey_family_judge(ctx, registration, NULL, false, odd, &test_error));
    mry_poses poses[2];
    double shares[2] = { 0 }, rows[2], first, last;
    marey_registration_range(registration, &first, &last);
    for (int by = 0; by < 2; by++)
        test_ok(mry_poses_make(&mem, clips[by], 60, &poses[by], &test_error));
    for (int by = 0; by < 2; by++) {
        int points = poses[by].points;
        float weights[MAREY_ROLE_COUNT], row[2][6 * MAREY_ROLE_COUNT];
        mry_scan_query query;
        assert_true(mry_query_weights(&mem, &poses[by], 0, poses[by].rows, poses[by].has, weights));
        assert_true(
            mry_scan_query_make(&mem, &poses[by], 0, poses[by].rows, 1, weights, 1, &query));
        for (int i = 0; i < LOOKS; i++) {
            marey_registration_times(registration, first + (last - first) * (i + 0.5) / LOOKS, rows,
                                     NULL);
            for (int k = 0; k < 2; k++) mry_pose_row(&poses[k], (int)lround(rows[k]), 1, row[k]);
            shares[by] += plain_distance(points, weights, row[0], row[1]) / LOOKS;
        }
        shares[by] /= (double)mry_still_cost(&mem, &query, &poses[by], 0, 1);
    }
    assert_int_equal(odd[0].kind, MAREY_ODD_NONE);
    assert_int_equal(odd[1].kind, MAREY_ODD_MOTION);
    assert_true(fabs(odd[1].value / fmax(shares[0], shares[1]) - 1) < 1e-3);
}

/* ---- when the machine fails ------------------------------------------------------------------ */

TEST(refused_memory_and_cancelling_are_said_and_write_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    test_stops stops = { .memory = &memory };
    marey_ctx_def hooks = { .resize = test_memory_resize,
                            .resize_user = &memory,
                            .progress = test_stops_report,
                            .progress_user = &stops };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&hooks, &ctx));
    stops.ctx = ctx;
    OWNED(test_examples) few = { 0 };
    OWNED(marey_registration) *registration = NULL;
    test_examples_make(ctx, "punch", "right", 3, &few);
    test_ok(marey_registration_build(ctx, few.clips, 3, few.contacts,
                                     &(marey_registration_def){ .reference = 1 }, &registration,
                                     &test_error));
    marey_oddity odd[3] = { { MAREY_ODD_COUNT, 0, 0 } };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        assert_int_equal(odd[0].kind, MAREY_ODD_COUNT);
        status = marey_family_judge(ctx, registration, few.contacts, false, odd, NULL);
    }
    while (test_stop(&stops, status))
        status = marey_family_judge(ctx, registration, few.contacts, false, odd, NULL);
}

TEST_GROUP_OF_CASES(test_family_judge, NULL, NULL)
