/* test_demo.c - the demo clips: the truth about them is true, plants hold still, nothing goes
   through the floor or jumps, and the same seed gives the same clip on every machine. */
#include "support.h"

#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every take with seed 1, and where its joints are in each frame. */
typedef struct shown {
    marey_demo_take *take;
    const marey_clip *clip;
    int frames;
    size_t joints;
    double *at;
} shown;

typedef struct all_takes {
    marey_ctx *ctx;
    int count;
    shown takes[64];
} all_takes;

static marey_demo_take *build(marey_ctx *ctx, int number, uint64_t seed)
{
    marey_demo_take *take = NULL;
    test_ok(marey_demo_build(ctx, number, seed, &take, &test_error));
    return take;
}

static int set_up(void **state)
{
    all_takes *all = calloc(1, sizeof *all);
    all->ctx = test_ctx();
    all->count = marey_demo_count();
    assert_true(all->count <= (int)(sizeof all->takes / sizeof *all->takes));
    for (int n = 0; n < all->count; n++) {
        shown *s = &all->takes[n];
        s->take = build(all->ctx, n, 1);
        s->clip = marey_demo_clip(s->take);
        s->frames = marey_clip_frames(s->clip);
        s->joints = (size_t)marey_clip_skeleton(s->clip)->joint_count;
        s->at = malloc(sizeof *s->at * 3 * (size_t)s->frames * s->joints);
        marey_clip_positions(s->clip, 0, s->frames, s->at);
    }
    *state = all;
    return 0;
}

static int tear_down(void **state)
{
    FREED all_takes *all = *state;
    for (int n = 0; n < all->count; n++) {
        free(all->takes[n].at);
        marey_demo_free(all->takes[n].take);
    }
    marey_ctx_close(all->ctx);
    return 0;
}

#define CASE(name) TEST_OF(const all_takes *all, name)

static int joint_of(const marey_clip *clip, marey_contact_joint joint)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
                                        MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_RIGHT_WRIST };
    return marey_clip_skeleton(clip)->roles[roles[joint]];
}

CASE(every_plant_of_the_truth_holds_still)
{
    double worst = 0;
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        int count;
        const marey_contact *contacts = marey_demo_contacts(s->take, &count);
        assert_true(count >= 4);
        for (int i = 0; i < count; i++) {
            size_t joint = (size_t)joint_of(s->clip, contacts[i].joint);
            const double *first = s->at + 3 * ((size_t)contacts[i].start * s->joints + joint);
            for (int f = contacts[i].start; f < contacts[i].end; f++) {
                const double *here = s->at + 3 * ((size_t)f * s->joints + joint);
                double slide = mry_distance3(first, here);
                worst = fmax(worst, slide);
                if (slide > 0.1) {
                    fail_msg("%s: %s slides %.2f cm at frame %d of plant %d-%d", marey_demo_name(n),
                             marey_contact_name(contacts[i].joint), slide, f, contacts[i].start,
                             contacts[i].end);
                }
            }
        }
    }
    print_message("planted points move by at most %.4f cm\n", worst);
}

CASE(nothing_goes_through_the_floor)
{
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        for (size_t i = 0; i < (size_t)s->frames * s->joints; i++) {
            if (s->at[3 * i + 1] < -0.5)
                fail_msg("%s frame %d joint %d is at %.2f cm", marey_demo_name(n),
                         (int)(i / s->joints), (int)(i % s->joints), s->at[3 * i + 1]);
        }
    }
}

/* The fastest there is are the feet of a cartwheel, at 12 m/s. */
CASE(nothing_jumps)
{
    double worst = 0;
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        size_t row = 3 * s->joints;
        for (size_t f = 1; f < (size_t)s->frames; f++) {
            for (size_t j = 0; j < s->joints; j++) {
                const double *here = s->at + f * row + 3 * j;
                double step = mry_distance3(here, here - row);
                worst = fmax(worst, step);
                if (step > 21) {
                    fail_msg("%s: joint %d moves %.1f cm into frame %d", marey_demo_name(n), (int)j,
                             step, (int)f);
                }
            }
        }
    }
    print_message("the largest step of any joint between frames is %.1f cm\n", worst);
}

/* A joint may be thrown or set down within a few frames, but what stands still in the frames around
   one goes less than a centimetre in it, and nothing goes much farther than in either of those. */
CASE(no_joint_pops)
{
    double worst = 0;
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        size_t row = 3 * s->joints;
        for (size_t f = 2; f + 1 < (size_t)s->frames; f++) {
            for (size_t j = 0; j < s->joints; j++) {
                const double *here = s->at + f * row + 3 * j;
                double step = mry_distance3(here, here - row);
                double before = mry_distance3(here - row, here - 2 * row);
                double next = mry_distance3(here + row, here), around = fmax(before, next);
                worst = fmax(worst, step - around);
                if (step - around > 0.9 + 0.8 * around) {
                    fail_msg("%s: joint %d goes %.2f cm into frame %d, but %.2f before that and "
                             "%.2f behind it",
                             marey_demo_name(n), (int)j, step, (int)f, before, next);
                }
            }
        }
    }
    print_message("a joint goes at most %.2f cm farther than in the frames around it\n", worst);
}

CASE(segments_cover_the_take_and_name_what_is_in_the_table)
{
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        int count, at = 0;
        const marey_demo_segment *segments = marey_demo_segments(s->take, &count);
        for (int i = 0; i < count; i++) {
            const marey_demo_action *row;
            int known = strcmp(segments[i].label, "step_down") == 0;
            for (int k = 0; (row = marey_demo_action_find(k)); k++)
                known |= strcmp(row->name, segments[i].label) == 0;
            assert_true(known);
            assert_int_equal(segments[i].start, at);
            assert_true(segments[i].end > segments[i].start);
            at = segments[i].end;
        }
        assert_int_equal(at, s->frames);
    }
}

/* Where the body stands and faces in a frame: the middle of the ankles, and the way from right to
   left. */
static void to_body_axes(const marey_clip *clip, const double *pose, const double *place,
                         double *out)
{
    const int *roles = marey_clip_skeleton(clip)->roles;
    const double *left = pose + 3 * roles[MAREY_ROLE_LEFT_ANKLE],
                 *right = pose + 3 * roles[MAREY_ROLE_RIGHT_ANKLE];
    double x = left[0] - right[0], z = left[2] - right[2], length = sqrt(x * x + z * z);
    double dx = place[0] - (left[0] + right[0]) / 2, dz = place[2] - (left[2] + right[2]) / 2;
    out[0] = (dx * x + dz * z) / length;
    out[1] = place[1];
    out[2] = (dz * x - dx * z) / length;
}

CASE(the_wrist_of_a_reach_gets_to_its_target)
{
    int reaches = 0;
    double sum = 0, worst = 0;
    for (int n = 0; n < all->count; n++) {
        const shown *s = &all->takes[n];
        const int *roles = marey_clip_skeleton(s->clip)->roles;
        int count;
        const marey_demo_segment *segments = marey_demo_segments(s->take, &count);
        for (int i = 0; i < count; i++) {
            if (strcmp(segments[i].label, "reach") != 0) continue;
            int wrist =
                roles[segments[i].side[0] == 'l' ? MAREY_ROLE_LEFT_WRIST : MAREY_ROLE_RIGHT_WRIST];
            double nearest = INFINITY;
            for (int f = segments[i].start; f < segments[i].end; f++) {
                const double *pose = s->at + 3 * (size_t)f * s->joints;
                double place[3];
                to_body_axes(s->clip, pose, pose + 3 * wrist, place);
                nearest = fmin(nearest, mry_distance3(place, segments[i].param_values));
            }
            reaches++;
            sum += nearest;
            worst = fmax(worst, nearest);
        }
    }
    print_message("%d reaches: %.2f cm from the target on average, %.2f at worst\n", reaches,
                  sum / reaches, worst);
    assert_true(reaches > 20);
    assert_true(worst < 1.0);
}

CASE(the_same_seed_gives_the_same_clip_and_another_one_does_not)
{
    for (int n = 0; n < marey_demo_count(); n += 5) {
        OWNED(marey_demo_take) *a = build(all->ctx, n, 7), *b = build(all->ctx, n, 7);
        OWNED(marey_demo_take) *c = build(all->ctx, n, 8);
        const marey_clip *ca = marey_demo_clip(a), *cb = marey_demo_clip(b),
                         *cc = marey_demo_clip(c);
        size_t row = sizeof(double) * (size_t)marey_clip_skeleton(ca)->channel_count;
        assert_int_equal(marey_clip_frames(ca), marey_clip_frames(cb));
        for (int f = 0; f < marey_clip_frames(ca); f++)
            assert_memory_equal(marey_clip_channels(ca, f), marey_clip_channels(cb, f), row);
        assert_memory_not_equal(marey_clip_channels(ca, 5), marey_clip_channels(cc, 5), row);
    }
}

CASE(a_jump_falls_as_gravity_wants)
{
    for (int n = 0; n < all->count; n++) {
        const marey_clip *clip = all->takes[n].clip;
        if (strcmp(marey_demo_name(n), "jumps") != 0) continue;
        int count;
        const marey_demo_segment *segments = marey_demo_segments(all->takes[n].take, &count);
        for (int i = 0; i < count; i++) {
            if (strcmp(segments[i].label, "jump") != 0) continue;
            int top = segments[i].start;
            for (int f = segments[i].start; f < segments[i].end; f++)
                if (marey_clip_root(clip, f)[1] > marey_clip_root(clip, top)[1]) top = f;
            double a = marey_clip_root(clip, top - 3)[1], b = marey_clip_root(clip, top)[1];
            double c = marey_clip_root(clip, top + 3)[1], fall = -(a - 2 * b + c) / 9 * 3600;
            assert_true(fabs(fall - 981) < 30);
        }
    }
}

TEST(refused_memory_is_reported_and_leaks_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_demo_take) *take = NULL;
        status = marey_demo_build(ctx, 0, 1, &take, NULL);
        assert_int_equal(take != NULL, !status);
    }
}

TEST_GROUP_OF_CASES(test_demo, set_up, tear_down)
