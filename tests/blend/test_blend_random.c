/* test_blend_random.c - random blends of random demo clips: every number that comes out is one. A
   few hundred of them, and 10,000 with MAREY_LONG. */
#include "blend_clips.h"

#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

enum { CLIPS = 24, MOST = 9, BLENDS_A_SET = 20 };

typedef struct pile {
    marey_ctx *ctx;
    marey_clip *clips[CLIPS];
    uint64_t seed;
    int refused; /* sets whose lengths do not go together */
    int blends;
    int64_t frames;
} pile;

static int below(pile *p, int limit)
{
    return (int)(mry_random_next(&p->seed) % (uint64_t)limit);
}

static double between(pile *p, double low, double high)
{
    return mry_random_between(&p->seed, low, high);
}

/* One to three seconds of a take, anywhere on the floor. */
static marey_clip *random_clip(pile *p)
{
    OWNED(marey_demo_take) *take = NULL;
    marey_clip *moved;
    int number = below(p, marey_demo_count());
    if (strncmp(marey_demo_name(number), "small", 5) == 0) number = 0; /* another body */
    assert_int_equal(marey_demo_build(p->ctx, number, 1 + below(p, 4), &take, NULL), MAREY_OK);
    int frames = marey_clip_frames(marey_demo_clip(take)), length = 60 + below(p, 120);
    int start = below(p, frames - length);
    OWNED(marey_clip) *part = test_trimmed(marey_demo_clip(take), start, start + length);
    moved = test_elsewhere(part, between(p, -3, 3), between(p, -5000, 5000), between(p, -9, 9e4));
    return moved;
}

static void blend_once(pile *p, const marey_registration *registration)
{
    int count = marey_registration_count(registration);
    double keys[4 * (MOST + 1)], time = between(p, -0.5, 0.5);
    marey_blend_def def = { .place_of = below(p, count + 1), .leave_feet = below(p, 3) == 0 };
    /* without timewarp a registration is built for each blend, so seldom */
    if (below(p, 20) == 0) def.method = (marey_blend_method)below(p, MAREY_BLEND_METHOD_COUNT);
    def.key_count = 1 + below(p, 4);
    def.keys = keys;
    for (int k = 0; k < def.key_count; k++, time += between(p, 0.01, 1)) {
        keys[k * (count + 1)] = time;
        /* Convex, beyond it, one alone, or over time. */
        double *out = keys + k * (count + 1) + 1;
        int kind = below(p, 4);
        double sum = 0;
        for (int j = 0; j < count; j++) sum += out[j] = between(p, kind == 1 ? -0.7 : 0, 1);
        if (kind == 1 && fabs(sum) < 0.5) out[0] += 1;
        if (kind == 2) {
            for (int j = 0; j < count; j++) out[j] = 0;
            out[below(p, count)] = 1;
        }
    }
    OWNED(marey_made) made = test_blend(p->ctx, registration, &def);
    const marey_clip *clip = made.clip;
    size_t frames = (size_t)clip->frames, joints = (size_t)clip->skeleton.joint_count;
    for (size_t i = 0; i < frames * joints * 4; i++) assert_true(isfinite(clip->turn[i]));
    for (size_t i = 0; i < frames * joints; i++) {
        const float *q = clip->turn + 4 * i;
        assert_true(fabsf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-4f);
    }
    for (size_t i = 0; i < frames * (size_t)clip->mover_count * 3; i++)
        assert_true(fabs(clip->place[i]) < 1e7);
    assert_true(isfinite(made.clean.slide_after_cm) && isfinite(made.clean.root_moved_cm));
    for (int i = 1; i < made.contacts.count; i++) {
        const marey_contact *c = &made.contacts.items[i];
        assert_true(c->joint > c[-1].joint || (c->joint == c[-1].joint && c->start >= c[-1].end));
    }
    p->frames += clip->frames;
    p->blends++;
}

static void blend_some(pile *p, int most)
{
    const marey_clip *clips[MOST];
    int count = 2 + (below(p, 3) == 0 ? below(p, MOST - 1) : below(p, 2));
    OWNED(marey_registration) *of = NULL;
    marey_error error = { 0 };
    for (int j = 0; j < count; j++) clips[j] = p->clips[below(p, CLIPS)];
    marey_status status = marey_registration_build(p->ctx, clips, count, NULL, NULL, &of, &error);
    if (status == MAREY_ERR_REQUEST) { /* lengths that the slope does not allow */
        p->refused++;
        return;
    }
    if (status) fail_msg("%s", error.message);
    for (int i = 0; i < most; i++) blend_once(p, of);
}

TEST(random_blends_are_made_of_numbers)
{
    int want = test_trials(200, 10000);
    pile p = { .ctx = test_ctx(), .seed = 2003 };
    for (int i = 0; i < CLIPS; i++) p.clips[i] = random_clip(&p);
    while (p.blends < want) {
        blend_some(&p, BLENDS_A_SET < want - p.blends ? BLENDS_A_SET : want - p.blends);
        assert_true(p.refused < 10 + p.blends);
    }
    print_message("%d blends of %lld frames; %d sets of clips could not be registered\n", p.blends,
                  (long long)p.frames, p.refused);
    for (int i = 0; i < CLIPS; i++) marey_clip_free(p.clips[i]);
    marey_ctx_close(p.ctx);
}

TEST_GROUP_OF_CASES(test_blend_random, NULL, NULL)
