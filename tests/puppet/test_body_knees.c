/* test_body_knees.c - feet of made bodies are lifted where they pass below the floor, and the knees
   above them do not pop: neither where a knee is overstretched, as captured ones often are by a few
   degrees, nor where it passes the straight line. */
#include "support.h"

#include "graph/walk_data.h"
#include "motion/limbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 300, BACK = 90, FORTH = 170, BENT = 230 };

#define FPS 120.0
#define PI 3.14159265358979323846

static const char hierarchy[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT LeftUpLeg\n{\nOFFSET 10 -4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftLeg\n{\nOFFSET 0 -42 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftFoot\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftToeBase\n{\nOFFSET 0 -6 13\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 0 6\n}\n}\n}\n}\n}\n"
    "JOINT RightUpLeg\n{\nOFFSET -10 -4 0\nCHANNELS 0\nJOINT RightLeg\n{\nOFFSET 0 -42 0\n"
    "CHANNELS 0\nJOINT RightFoot\n{\nOFFSET 0 -40 0\nCHANNELS 0\n"
    "JOINT RightToeBase\n{\nOFFSET 0 -6 13\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 0 6\n}\n}\n}\n}\n}\n"
    "JOINT Spine\n{\nOFFSET 0 12 0\nCHANNELS 0\nJOINT Head\n{\nOFFSET 0 50 0\nCHANNELS 0\n"
    "End Site\n{\nOFFSET 0 16 0\n}\n}\n}\n}\n";

/* Between two angles from one frame to another. */
static double swing(double from, double to, int start, int end, int frame)
{
    double t = fmin(fmax((frame - start) / (double)(end - start), 0), 1);
    return from + (to - from) * 0.5 * (1 - cos(PI * t));
}

/* A little bent, overstretched by `over` degrees, and then well bent. */
static double knee_degrees(double over, int frame)
{
    if (frame < FORTH) return swing(12, -over, 50, BACK, frame);
    return swing(-over, 40, FORTH, BENT, frame);
}

/* The ankle is always straight below the hip, the foot level. */
static marey_clip *make_clip(marey_ctx *ctx, double over)
{
    FREED char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "%sMOTION\nFrames: %d\nFrame Time: %.12g\n", hierarchy, (int)FRAMES, 1 / FPS);
    for (int f = 0; f < FRAMES; f++) {
        double knee = knee_degrees(over, f), radians = knee * PI / 180;
        double thigh = atan2(40 * sin(radians), 42 + 40 * cos(radians)) * 180 / PI;
        fprintf(out, "0 95 0 0 %.9g 0 0 %.9g 0 0 %.9g 0\n", -thigh, knee, thigh - knee);
    }
    fclose(out);
    return test_clip(ctx, text);
}

/* ---- lifting --------------------------------------------------------------------------------- */

typedef struct lifted {
    marey_clip *before, *made;
    double knee[FRAMES], heel[FRAMES]; /* how far ahead and how high, cm */
} lifted;

/* The motion it was made of had its feet `raised` cm higher than those of a straight leg, so many
   frames long. */
static mry_walker walker_of(marey_clip *made, double raised, int frames, mry_arena *tmp)
{
    mry_walker w = { .ctx = made->mem.ctx, .made = made };
    assert_true(mry_feet_build(tmp, made, &w.plain));
    for (int f = 0; f < FRAMES; f++) {
        double higher = f < frames ? raised : -5;
        w.plain.at[MAREY_CONTACT_LEFT_HEEL][3 * f + 1] = 9 + higher;
        w.plain.at[MAREY_CONTACT_LEFT_TOE][3 * f + 1] = 3 + higher;
    }
    return w;
}

static lifted lift(marey_ctx *ctx, double over, double raised, int frames)
{
    lifted l = { .before = make_clip(ctx, over), .made = make_clip(ctx, over) };
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_walker w = walker_of(l.made, raised, frames, &tmp);
    assert_true(mry_walk_lift(&w));
    const marey_role roles[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_ANKLE };
    const int *joints = l.made->skeleton.roles;
    mry_limbs legs;
    assert_true(mry_limbs_build(&tmp, l.made, roles, 2, &legs));
    for (int f = 0; f < FRAMES; f++) {
        mry_limbs_pose(l.made, &legs, f);
        l.knee[f] = legs.at[3 * legs.index[joints[MAREY_ROLE_LEFT_KNEE]] + 2];
        l.heel[f] = legs.at[3 * legs.index[joints[MAREY_ROLE_LEFT_ANKLE]] + 1];
    }
    return l;
}

static void lifted_free(lifted *l)
{
    marey_clip_free(l->before);
    marey_clip_free(l->made);
}
OWNED_VALUE(lifted, lifted_free)

/* Without lifting, no step is longer than 0.37 cm; with a knee that bends the way it happens to
   stand they were up to 4.2. */
TEST_CTX(an_overstretched_knee_does_not_pop_where_its_foot_is_lifted)
{
    static const double over[] = { 0, 2, 4, 6 }, raised[] = { 0.05, 0.5, 1.5 };
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            OWNED(lifted) l = lift(ctx, over[i], raised[k], FRAMES);
            double step = 0;
            for (int f = 1; f < FRAMES; f++) step = fmax(step, fabs(l.knee[f] - l.knee[f - 1]));
            if (!(step < 0.5))
                fail_msg("%g degrees, %g cm: the knee goes %.2f cm in a frame", over[i], raised[k],
                         step);
        }
    }
}

TEST_CTX(it_bends_forward_and_the_foot_is_as_high_as_it_should)
{
    OWNED(lifted) l = lift(ctx, 4, 0.3, FRAMES);
    for (int f = BACK; f <= FORTH; f++) {
        assert_true(l.knee[f] > 2);
        assert_true(l.heel[f] > 9.299 && l.heel[f] < 9.36);
    }
}

/* An overstretched knee above a foot that is high enough is what was captured. */
TEST_CTX(nothing_changes_where_no_foot_is_lifted)
{
    OWNED(lifted) l = lift(ctx, 4, 0.3, FRAMES), high = lift(ctx, 4, -1, FRAMES);
    size_t row = 4 * (size_t)l.made->skeleton.joint_count * sizeof(float);
    assert_memory_equal(mry_turn(l.made, 0), mry_turn(l.before, 0), 30 * row);
    assert_memory_equal(mry_turn(l.made, BENT), mry_turn(l.before, BENT), (FRAMES - BENT) * row);
    assert_memory_equal(mry_turn(high.made, 0), mry_turn(high.before, 0), FRAMES * row);
}

/* What lies 0.4 s ahead says where the floor is: from frame 112 on it is lower. */
TEST_CTX(a_knee_stays_overstretched_where_its_foot_is_high_enough)
{
    OWNED(lifted) l = lift(ctx, 4, 0.3, 160);
    size_t row = 4 * (size_t)l.made->skeleton.joint_count * sizeof(float);
    assert_true(l.knee[BACK + 5] > 2);
    assert_memory_equal(mry_turn(l.made, 140), mry_turn(l.before, 140), (FORTH - 140) * row);
}

TEST(refused_memory_is_reported_and_nothing_is_held)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    OWNED(marey_clip) *made = make_clip(ctx, 4);
    mry_walker w = walker_of(made, 0.3, FRAMES, &tmp);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) status = mry_walk_lift(&w) ? MAREY_OK : MAREY_ERR_MEMORY;
    assert_true(sweep.at > 1);
}

TEST_GROUP_OF_CASES(test_body_knees, NULL, NULL)
