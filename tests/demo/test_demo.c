/* test_demo.c - the demo clips: the truth about them is true, plants hold still, nothing goes through the floor or
   jumps, and the same seed gives the same clip whoever computes it. */
#include "support.h"

#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static marey_demo_take *build(marey_ctx *ctx, int number, uint64_t seed)
{
    marey_demo_take *take = NULL;
    if (marey_demo_build(ctx, number, seed, &take, &test_error)) fail_msg("%s", test_error.message);
    return take;
}

static int joint_of(const marey_clip *clip, marey_contact_joint joint)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    return marey_clip_skeleton(clip)->roles[roles[joint]];
}

static double *all_positions(const marey_clip *clip)
{
    int frames = marey_clip_frames(clip), joints = marey_clip_skeleton(clip)->joint_count;
    double *out = malloc(sizeof *out * 3 * (size_t)frames * (size_t)joints);
    marey_clip_positions(clip, 0, frames, out);
    return out;
}

TEST_CTX(every_plant_of_the_truth_holds_still)
{
    double worst = 0;
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        int count, joints = marey_clip_skeleton(clip)->joint_count;
        const marey_contact *contacts = marey_demo_contacts(take, &count);
        FREED double *at = all_positions(clip);
        assert_true(count >= 4);
        for (int i = 0; i < count; i++) {
            int joint = joint_of(clip, contacts[i].joint);
            const double *first =
                at + 3 * ((size_t)contacts[i].start * (size_t)joints + (size_t)joint);
            for (int f = contacts[i].start; f < contacts[i].end; f++) {
                const double *here = at + 3 * ((size_t)f * (size_t)joints + (size_t)joint);
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

TEST_CTX(nothing_goes_through_the_floor)
{
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        int frames = marey_clip_frames(clip), joints = marey_clip_skeleton(clip)->joint_count;
        FREED double *at = all_positions(clip);
        for (int f = 0; f < frames; f++) {
            for (int j = 0; j < joints; j++) {
                double y = at[3 * ((size_t)f * (size_t)joints + (size_t)j) + 1];
                if (y < -0.5)
                    fail_msg("%s frame %d joint %d is at %.2f cm", marey_demo_name(n), f, j, y);
            }
        }
    }
}

/* The fastest there is are the feet of a cartwheel, at 12 m/s. */
TEST_CTX(nothing_jumps)
{
    double worst = 0;
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        size_t frames = (size_t)marey_clip_frames(clip);
        size_t joints = (size_t)marey_clip_skeleton(clip)->joint_count;
        FREED double *at = all_positions(clip);
        for (size_t f = 1; f < frames; f++) {
            for (size_t j = 0; j < joints; j++) {
                double step =
                    mry_distance3(at + 3 * (f * joints + j), at + 3 * ((f - 1) * joints + j));
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

/* A joint may be thrown or set down within a few frames, but what stands still in the frames around one goes less than a
   centimetre in it, and nothing goes much farther than in either of those. */
TEST_CTX(no_joint_pops)
{
    double worst = 0;
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        size_t frames = (size_t)marey_clip_frames(clip);
        size_t joints = (size_t)marey_clip_skeleton(clip)->joint_count, row = 3 * joints;
        FREED double *at = all_positions(clip);
        for (size_t f = 2; f + 1 < frames; f++) {
            for (size_t j = 0; j < joints; j++) {
                const double *here = at + f * row + 3 * j;
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

TEST_CTX(segments_cover_the_take_and_name_what_is_in_the_table)
{
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        int count, at = 0;
        const marey_demo_segment *segments = marey_demo_segments(take, &count);
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
        assert_int_equal(at, marey_clip_frames(marey_demo_clip(take)));
    }
}

/* Where the body stands and faces in a frame: the middle of the ankles, and the way from right to left. */
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

TEST_CTX(the_wrist_of_a_reach_gets_to_its_target)
{
    int reaches = 0;
    double sum = 0, worst = 0;
    for (int n = 0; n < marey_demo_count(); n++) {
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        const int *roles = marey_clip_skeleton(clip)->roles;
        size_t joints = (size_t)marey_clip_skeleton(clip)->joint_count;
        FREED double *at = all_positions(clip);
        int count;
        const marey_demo_segment *segments = marey_demo_segments(take, &count);
        for (int i = 0; i < count; i++) {
            if (strcmp(segments[i].label, "reach") != 0) continue;
            int wrist =
                roles[segments[i].side[0] == 'l' ? MAREY_ROLE_LEFT_WRIST : MAREY_ROLE_RIGHT_WRIST];
            double nearest = INFINITY;
            for (int f = segments[i].start; f < segments[i].end; f++) {
                const double *pose = at + 3 * (size_t)f * joints;
                double place[3];
                to_body_axes(clip, pose, pose + 3 * wrist, place);
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

TEST_CTX(the_same_seed_gives_the_same_clip_and_another_one_does_not)
{
    for (int n = 0; n < marey_demo_count(); n += 5) {
        marey_demo_take *a = build(ctx, n, 7), *b = build(ctx, n, 7), *c = build(ctx, n, 8);
        const marey_clip *ca = marey_demo_clip(a), *cb = marey_demo_clip(b),
                         *cc = marey_demo_clip(c);
        size_t row = sizeof(double) * (size_t)marey_clip_skeleton(ca)->channel_count;
        assert_int_equal(marey_clip_frames(ca), marey_clip_frames(cb));
        for (int f = 0; f < marey_clip_frames(ca); f++) {
            assert_memory_equal(marey_clip_channels(ca, f), marey_clip_channels(cb, f), row);
        }
        assert_memory_not_equal(marey_clip_channels(ca, 5), marey_clip_channels(cc, 5), row);
        marey_demo_free(a);
        marey_demo_free(b);
        marey_demo_free(c);
    }
}

TEST_CTX(a_jump_falls_as_gravity_wants)
{
    for (int n = 0; n < marey_demo_count(); n++) {
        if (strcmp(marey_demo_name(n), "jumps") != 0) continue;
        OWNED(marey_demo_take) *take = build(ctx, n, 1);
        const marey_clip *clip = marey_demo_clip(take);
        int count;
        const marey_demo_segment *segments = marey_demo_segments(take, &count);
        for (int i = 0; i < count; i++) {
            if (strcmp(segments[i].label, "jump") != 0) continue;
            int top = segments[i].start;
            for (int f = segments[i].start; f < segments[i].end; f++) {
                if (marey_clip_root(clip, f)[1] > marey_clip_root(clip, top)[1]) top = f;
            }
            double a = marey_clip_root(clip, top - 3)[1], b = marey_clip_root(clip, top)[1];
            double c = marey_clip_root(clip, top + 3)[1], fall = -(a - 2 * b + c) / 9 * 3600;
            assert_true(fabs(fall - 981) < 30);
        }
    }
}

TEST(refused_memory_is_reported_and_leaks_nothing)
{
    for (long n = 0;; n++) {
        test_memory memory = { .refuse = n + 1 };
        marey_demo_take *take = NULL;
        marey_ctx *ctx = test_ctx_refusing(&memory);
        marey_status status = marey_demo_build(ctx, 0, 1, &take, NULL);
        if (status) assert_null(take);
        marey_demo_free(take);
        marey_ctx_close(ctx);
        assert_int_equal(memory.live, 0);
        if (status == MAREY_OK) {
            assert_true(n > 3);
            return;
        }
        assert_int_equal(status, MAREY_ERR_MEMORY);
    }
}

TEST_GROUP_OF_CASES(test_demo, NULL, NULL)
