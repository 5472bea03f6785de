/* test_random_bodies.c - bodies at random: some joints missing, others between them, any size, any axes, mirrored,
   and trees that are no bodies at all. Their motion goes onto each other, or a message says why not. */
#include "support.h"

#include "math/turn.h"
#include "motion/clip_data.h"

#include <marey/retarget.h>

#include <math.h>
#include <string.h>

typedef struct part {
    marey_role role;
    int above; /* a row of this table; -1: none */
    double at[3];
} part;

static const part parts[] = {
    { MAREY_ROLE_HIPS, -1, { 0, 95, 0 } },
    { MAREY_ROLE_SPINE, 0, { 0, 10, 0 } },
    { MAREY_ROLE_CHEST, 1, { 0, 20, -2 } },
    { MAREY_ROLE_NECK, 2, { 0, 20, 2 } },
    { MAREY_ROLE_HEAD, 3, { 0, 10, 3 } },
    { MAREY_ROLE_LEFT_COLLAR, 2, { 4, 15, 1 } },
    { MAREY_ROLE_LEFT_SHOULDER, 5, { 14, 0, -2 } },
    { MAREY_ROLE_LEFT_ELBOW, 6, { 28, 0, 0 } },
    { MAREY_ROLE_LEFT_WRIST, 7, { 25, 0, 1 } },
    { MAREY_ROLE_RIGHT_COLLAR, 2, { -4, 15, 1 } },
    { MAREY_ROLE_RIGHT_SHOULDER, 9, { -14, 0, -2 } },
    { MAREY_ROLE_RIGHT_ELBOW, 10, { -28, 0, 0 } },
    { MAREY_ROLE_RIGHT_WRIST, 11, { -25, 0, 1 } },
    { MAREY_ROLE_LEFT_HIP, 0, { 9, -5, 0 } },
    { MAREY_ROLE_LEFT_KNEE, 13, { 0, -42, 1 } },
    { MAREY_ROLE_LEFT_ANKLE, 14, { 0, -40, -2 } },
    { MAREY_ROLE_LEFT_TOE, 15, { 0, -6, 13 } },
    { MAREY_ROLE_RIGHT_HIP, 0, { -9, -5, 0 } },
    { MAREY_ROLE_RIGHT_KNEE, 17, { 0, -42, 1 } },
    { MAREY_ROLE_RIGHT_ANKLE, 18, { 0, -40, -2 } },
    { MAREY_ROLE_RIGHT_TOE, 19, { 0, -6, 13 } },
};
enum { PARTS = sizeof parts / sizeof *parts, MOST_JOINTS = 3 * PARTS + 1 };

static bool chance(uint64_t *seed, double share)
{
    return mry_random_between(seed, 0, 1) < share;
}

/* A tree while it grows: joints in depth-first order. */
typedef struct growing {
    uint64_t *seed;
    marey_joint joints[MOST_JOINTS];
    int roles[MAREY_ROLE_COUNT];
    int count;
    double scale, mirror;
} growing;

static int add_joint(growing *g, int parent, const double *at, double scale)
{
    marey_joint *joint = &g->joints[g->count];
    *joint = (marey_joint){ .parent = parent };
    for (int i = 0; i < 3; i++) joint->offset_cm[i] = scale * at[i] * (i == 0 ? g->mirror : 1);
    return g->count++;
}

static void grow(growing *g, int row, int parent)
{
    bool left_out = row > 0 && chance(g->seed, 0.03);
    double scale = g->scale * mry_random_between(g->seed, 0.6, 1.4);
    int here = parent;
    if (chance(g->seed, 0.03)) scale = 0;
    if (!left_out) {
        double between = chance(g->seed, 0.2) ? mry_random_between(g->seed, 0, 1) : 0;
        if (between > 0) here = add_joint(g, here, parts[row].at, scale * between);
        here = add_joint(g, here, parts[row].at, scale * (1 - between));
        g->roles[parts[row].role] = here;
        if (chance(g->seed, 0.2))
            add_joint(g, here, parts[row].at, 0.2 * scale); /* a finger, a prop */
    }
    for (int r = 0; r < PARTS; r++)
        if (parts[r].above == row) grow(g, r, here);
}

/* No body: any tree, and roles anywhere. */
static void grow_wild(growing *g)
{
    int joints = 1 + (int)mry_random_between(g->seed, 0, 30);
    for (int j = 0; j < joints; j++) {
        double at[3] = { mry_random_between(g->seed, -20, 20), mry_random_between(g->seed, -20, 20),
                         mry_random_between(g->seed, -20, 20) };
        int parent = j - 1;
        while (parent > 0 && chance(g->seed, 0.3)) parent = g->joints[parent].parent;
        add_joint(g, parent, at, chance(g->seed, 0.1) ? 0 : g->scale);
    }
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        if (chance(g->seed, 0.9)) g->roles[r] = (int)mry_random_between(g->seed, 0, joints);
}

static marey_clip *random_clip(marey_ctx *ctx, uint64_t *seed)
{
    growing g = { .seed = seed, .mirror = chance(seed, 0.1) ? -1 : 1 };
    g.scale = exp(mry_random_between(seed, -2, 2));
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) g.roles[r] = -1;
    if (chance(seed, 0.2)) {
        grow_wild(&g);
    } else {
        static const double nowhere[3] = { 0, 0, 0 };
        grow(&g, 0, chance(seed, 0.3) ? add_joint(&g, -1, nowhere, 1) : -1);
    }
    marey_clip *clip = mry_clip_make(ctx, "random", g.count);
    assert_non_null(clip);
    bool turned = chance(seed, 0.5);
    for (int j = 0; j < g.count; j++) {
        marey_joint *joint = &clip->joints[j];
        *joint = g.joints[j];
        joint->name = mry_arena_print(&clip->mem, "j%d", j % 40);
        joint->first_channel = clip->skeleton.channel_count;
        bool moves = j == 0 || chance(seed, 0.05);
        for (int c = moves ? 0 : 3; c <= MAREY_CHANNEL_Z_ROTATION; c++)
            joint->channels[joint->channel_count++] = (marey_channel)c;
        clip->skeleton.channel_count += joint->channel_count;
    }
    memcpy(clip->skeleton.roles, g.roles, sizeof g.roles);
    clip->fps = 30;
    int frames = 1 + (int)mry_random_between(seed, 0, 12);
    assert_true(mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, frames));
    double wild = chance(seed, 0.3) ? 3 : 0.4;
    for (int f = 0; f < frames; f++) {
        for (int j = 0; j < g.count; j++) {
            mry_vec axis = { mry_random_between(seed, -1, 1), mry_random_between(seed, -1, 1),
                             mry_random_between(seed, -1, 1) };
            axis = mry_vec_unit(axis);
            double angle = mry_random_between(seed, -wild, wild) + (turned ? j : 0);
            mry_rot q = mry_rot_about(axis.x, axis.y, axis.z, angle);
            memcpy(mry_turn(clip, f) + 4 * j,
                   (float[4]){ (float)q.w, (float)q.x, (float)q.y, (float)q.z }, 4 * sizeof(float));
        }
        for (int m = 0; m < clip->mover_count; m++)
            for (int i = 0; i < 3; i++)
                mry_place(clip, f)[3 * m + i] = clip->joints[clip->mover[m]].offset_cm[i] +
                                                g.scale * mry_random_between(seed, -5, 5);
    }
    return clip;
}

static void check(const marey_clip *made, int frames, const marey_retarget_result *result)
{
    assert_int_equal(made->frames, frames);
    for (int f = 0; f < frames; f++) {
        for (int j = 0; j < made->skeleton.joint_count; j++) {
            const float *q = mry_turn(made, f) + 4 * j;
            double length = 0;
            for (int i = 0; i < 4; i++) length += (double)q[i] * (double)q[i];
            test_near(length, 1, 1e-4);
        }
        for (int i = 0; i < 3 * made->mover_count; i++)
            assert_true(isfinite(mry_place(made, f)[i]));
    }
    assert_true(isfinite(result->reach_percent) && isfinite(result->speed_ratio) &&
                isfinite(result->leg_ratio));
}

TEST_CTX(random_bodies_follow_each_other_or_are_refused)
{
    uint64_t seed = 24;
    int made_of = 0, tries = test_trials(400, 10000);
    for (int i = 0; i < tries; i++) {
        OWNED(marey_clip) *clip = random_clip(ctx, &seed), *onto = random_clip(ctx, &seed);
        marey_clip *made = NULL;
        marey_retarget_result result;
        marey_retarget_def def = { .keep = chance(&seed, 0.5)
                                               ? (unsigned)(mry_random_next(&seed) % 16)
                                               : 0,
                                   .in_place = chance(&seed, 0.2) };
        marey_status status =
            marey_clip_retarget(clip, NULL, 0, onto, &def, &made, &result, &test_error);
        if (status == MAREY_OK) {
            check(made, clip->frames, &result);
            made_of++;
        } else {
            assert_int_equal(marey_status_group(status), MAREY_ERR_INPUT);
            assert_true(*test_error.message);
        }
        marey_clip_free(made);
    }
    assert_true(made_of > tries / 4); /* most are bodies */
}

TEST_GROUP_OF_CASES(test_random_bodies, NULL, NULL)
