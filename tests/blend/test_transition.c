/* test_transition.c - transitions: what is the clips' own, where it stands, how time flows through
   it, that nothing jumps and planted feet stay, at the ends of clips, beside marked frames, for
   other rates and bodies. */
#include "frame_measures.h"
#include "metric_clips.h"

#include "blend/seam.h"
#include "math/quat.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 70, SECOND = 60, JOINTS = 21, MOST_JOINTS = 64 };

typedef test_movers fixture;

static int set_up(void **state)
{
    return test_movers_make(state, FIRST, SECOND, 31);
}

static marey_made go(marey_ctx *ctx, const marey_clip *a, int i, const marey_clip *b, int j,
                     marey_transition_def def)
{
    marey_made made = { 0 };
    marey_error error = { 0 };
    if (marey_transition_make(ctx, a, i, b, j, NULL, &def, &made, &error))
        fail_msg("%s", error.message);
    return made;
}

static void pose(const marey_clip *clip, int frame, double *out)
{
    assert_true(marey_clip_skeleton(clip)->joint_count <= MOST_JOINTS);
    marey_clip_positions(clip, frame, 1, out);
}

/* Frame f of a clip is frame g of another as a whole, moved on the floor: heights are the same, and
   so are distances, inside the pose and to another pair of frames. */
static void assert_moved(const marey_clip *clip, int f, int f_other, const marey_clip *from, int g,
                         int g_other)
{
    double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], r[3 * MOST_JOINTS], s[3 * MOST_JOINTS];
    int joints = marey_clip_skeleton(clip)->joint_count;
    pose(clip, f, p);
    pose(clip, f_other, r);
    pose(from, g, q);
    pose(from, g_other, s);
    for (int j = 0; j < joints; j++) {
        assert_true(fabs(p[3 * j + 1] - q[3 * j + 1]) < 1e-3);
        assert_true(fabs(mry_distance3(p, p + 3 * j) - mry_distance3(q, q + 3 * j)) < 1e-3);
        assert_true(fabs(mry_distance3(p + 3 * j, r) - mry_distance3(q + 3 * j, s)) < 2e-3);
    }
}

/* ---- the clips' own frames ------------------------------------------------------------------- */

#define WITH(name) TEST_OF_IN(set_up, test_movers_free, fixture *f, name)

WITH(before_and_behind_it_are_the_clips_themselves)
{
    for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
        marey_transition_def def = { .method = (marey_blend_method)method,
                                     .half = 8,
                                     .leave_feet = true };
        OWNED(marey_made) made = go(f->ctx, f->a, 35, f->b, 27, def);
        int frames = marey_clip_frames(made.clip), last = frames - 1;
        assert_int_equal(made.from_b_start - made.from_a_end, 17);
        for (int t = 0; t <= made.from_a_end; t++) /* the first frame of it, too */
            assert_true(test_frame_apart(f->a, t, made.clip, t) == 0);
        for (int t = made.from_b_start - 1; t < frames; t++)
            assert_moved(made.clip, t, last, f->b, SECOND - frames + t, SECOND - 1);
    }
}

WITH(a_clip_with_itself_at_the_same_frame_is_the_clip)
{
    OWNED(marey_clip) *moved = test_moved(f->a, mry_rot_about(0, 1, 0, 2), (mry_vec){ 4e4, 0, 90 });
    const marey_clip *seconds[2] = { f->a, moved };
    for (int n = 0; n < 2; n++) {
        for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
            marey_transition_def def = { .method = (marey_blend_method)method, .half = 10 };
            def.leave_feet = true;
            OWNED(marey_made) made = go(f->ctx, f->a, 30, seconds[n], 30, def);
            assert_int_equal(marey_clip_frames(made.clip), FIRST);
            assert_int_equal(made.from_a_end, 20);
            assert_int_equal(made.from_b_start, 41);
            for (int t = 0; t < FIRST; t++)
                assert_true(test_frame_apart(f->a, t, made.clip, t) < 0.02);
        }
    }
}

/* How far a joint's step out of a frame is from its step into it. */
static double step_change(const marey_clip *clip, int frame, int joint)
{
    double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], r[3 * MOST_JOINTS], next[3];
    pose(clip, frame - 1, p);
    pose(clip, frame, q);
    pose(clip, frame + 1, r);
    for (int i = 0; i < 3; i++) next[i] = 2 * q[3 * joint + i] - p[3 * joint + i];
    return mry_distance3(next, r + 3 * joint);
}

/* Next to its ends a transition is nearly the clip that it comes from or goes to. */
WITH(it_leaves_and_joins_the_clips_smoothly)
{
    for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
        marey_transition_def def = { .method = (marey_blend_method)method,
                                     .half = 20,
                                     .leave_feet = true };
        OWNED(marey_made) made = go(f->ctx, f->a, 35, f->b, 30, def);
        int first = made.from_a_end, last = made.from_b_start - 1;
        assert_true(test_frame_apart(made.clip, first + 1, f->a, first + 1) < 0.5);
        /* on the other side: no joint changes its step by more than it does in the clip */
        int own = last + SECOND - marey_clip_frames(made.clip);
        for (int j = 0; j < JOINTS; j++)
            assert_true(step_change(made.clip, last, j) < step_change(f->b, own, j) + 0.5);
    }
}

/* ---- nothing jumps --------------------------------------------------------------------------- */

static double slide_of(const marey_made *made)
{
    double worst = 0;
    for (int n = 0; n < made->contacts.count; n++) {
        const marey_contact *plant = &made->contacts.items[n];
        if (plant->start >= made->from_b_start || plant->end <= made->from_a_end) continue;
        worst = fmax(worst, test_slide(made->clip, plant, 1));
    }
    return worst;
}

WITH(transitions_between_demo_takes_are_smooth_and_feet_stay)
{
    static const char *const names[][2] = { { "walk_straight", "jog_straight" },
                                            { "jog_straight", "sneak_straight" },
                                            { "walk_left", "walk_right" },
                                            { "kicks", "punches" },
                                            { "walk_fast", "small_walk" } };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        OWNED(marey_demo_take) *one = test_demo_take(f->ctx, names[n][0]),
                               *two = test_demo_take(f->ctx, names[n][1]);
        const marey_clip *a = marey_demo_clip(one), *b = marey_demo_clip(two);
        marey_cut cut = test_best_cut(f->ctx, a, b);
        OWNED(marey_made) made = go(f->ctx, a, cut.a, b, cut.b, (marey_transition_def){ 0 });
        OWNED(marey_clip) *fitted = test_refitted(b, a);
        assert_true(test_largest_step(made.clip) <=
                    1.1 * fmax(test_largest_step(a), test_largest_step(fitted)));
        assert_true(slide_of(&made) <= 0.3);
        int frames = marey_clip_frames(made.clip);
        for (int k = 0; k < made.contacts.count; k++) {
            const marey_contact *plant = &made.contacts.items[k], *last = plant - 1;
            assert_true(plant->start >= 0 && plant->start < plant->end && plant->end <= frames);
            if (k == 0) continue;
            assert_true(plant->joint > last->joint ||
                        (plant->joint == last->joint && plant->start >= last->end));
        }
        for (int j = 1; j < marey_clip_skeleton(a)->joint_count; j++) /* the first one's bones */
            assert_memory_equal(marey_clip_skeleton(made.clip)->joints[j].offset_cm,
                                marey_clip_skeleton(a)->joints[j].offset_cm, 24);
    }
}

/* The second body is smaller: on the first one's bones its pelvis is higher. */
WITH(the_second_clip_is_put_on_the_first_ones_bones)
{
    OWNED(marey_demo_take) *one = test_demo_take(f->ctx, "walk_straight"),
                           *two = test_demo_take(f->ctx, "small_walk");
    const marey_clip *a = marey_demo_clip(one), *b = marey_demo_clip(two);
    OWNED(marey_clip) *fitted = test_refitted(b, a);
    marey_cut cut = test_best_cut(f->ctx, a, b);
    OWNED(marey_made) made =
        go(f->ctx, a, cut.a, b, cut.b, (marey_transition_def){ .leave_feet = true });
    int last = marey_clip_frames(made.clip) - 1, end = marey_clip_frames(b) - 1;
    double height = marey_clip_root(made.clip, last)[1];
    assert_true(fabs(height - marey_clip_root(fitted, end)[1]) < 1e-6);
    assert_true(height > 1.05 * marey_clip_root(b, end)[1]);
}

/* Knees and ankles of the second clip have places of their own, which the first one's do not. */
WITH(other_channels_do_not_matter)
{
    OWNED(marey_demo_take) *one = test_demo_take(f->ctx, "walk_straight");
    const marey_clip *a = marey_demo_clip(one);
    OWNED(marey_clip) *stretched = NULL;
    marey_clean_def def = { .stretch = 0.03 };
    assert_int_equal(marey_clip_clean(a, NULL, 0, &def, &stretched, NULL, NULL), MAREY_OK);
    assert_true(marey_clip_skeleton(stretched)->channel_count >
                marey_clip_skeleton(a)->channel_count);
    OWNED(marey_made) made = go(f->ctx, a, 300, stretched, 300, (marey_transition_def){ 0 });
    assert_int_equal(marey_clip_skeleton(made.clip)->channel_count,
                     marey_clip_skeleton(a)->channel_count);
    assert_true(test_largest_step(made.clip) <= 1.1 * test_largest_step(a));
}

static marey_contacts plants_of(marey_contact *items, int count)
{
    return (marey_contacts){ .count = count, .items = items };
}

WITH(plants_that_are_given_are_used_and_joined_over_the_seam)
{
    marey_contact first[] = { { MAREY_CONTACT_LEFT_HEEL, 2, 6 },
                              { MAREY_CONTACT_LEFT_HEEL, 20, 50 },
                              { MAREY_CONTACT_RIGHT_TOE, 10, 15 } };
    marey_contact second[] = { { MAREY_CONTACT_LEFT_HEEL, 15, 45 },
                               { MAREY_CONTACT_RIGHT_TOE, 50, 55 } };
    marey_contacts plants[2] = { plants_of(first, 3), plants_of(second, 2) };
    marey_transition_def def = { .half = 5, .method = MAREY_BLEND_UNTIMED, .leave_feet = true };
    OWNED(marey_clip) *still = test_trimmed(f->a, 0, SECOND);
    for (int t = 0; t < SECOND; t++) { /* nothing moves, so that no plant is a step */
        memcpy(mry_turn(still, t), mry_turn(still, 0), JOINTS * 16);
        memcpy(mry_place(still, t), mry_place(still, 0), 24);
    }
    OWNED(marey_made) made = { 0 };
    assert_int_equal(marey_transition_make(f->ctx, still, 35, still, 30, plants, &def, &made, NULL),
                     MAREY_OK);
    static const marey_contact want[] = { { MAREY_CONTACT_LEFT_HEEL, 2, 6 },
                                          { MAREY_CONTACT_LEFT_HEEL, 20, 50 },
                                          { MAREY_CONTACT_RIGHT_TOE, 10, 15 },
                                          { MAREY_CONTACT_RIGHT_TOE, 55, 60 } };
    assert_int_equal(made.contacts.count, 4);
    for (int n = 0; n < 4; n++) {
        assert_int_equal(made.contacts.items[n].joint, want[n].joint);
        assert_int_equal(made.contacts.items[n].start, want[n].start);
        assert_int_equal(made.contacts.items[n].end, want[n].end);
    }
}

/* ---- rates, ends, marks ---------------------------------------------------------------------- */

/* None at all is not the same as none given: then nothing is looked for, and nothing held. */
WITH(without_plants_nothing_is_held)
{
    OWNED(marey_demo_take) *one = test_demo_take(f->ctx, "walk_straight");
    const marey_clip *a = marey_demo_clip(one);
    marey_contacts none[2] = { { 0 }, { 0 } };
    OWNED(marey_made) made = { 0 };
    assert_int_equal(marey_transition_make(f->ctx, a, 300, a, 372, none, NULL, &made, NULL),
                     MAREY_OK);
    assert_int_equal(made.clean.plants, 0);
    assert_int_equal(made.contacts.count, 0);
    for (int t = 0; t < made.from_a_end; t++) {
        assert_memory_equal(marey_clip_rotations(a, t), marey_clip_rotations(made.clip, t),
                            4 * sizeof(float) * (size_t)marey_clip_skeleton(a)->joint_count);
    }
}

WITH(a_second_clip_of_another_rate_is_brought_to_the_first_ones)
{
    marey_contact items[2][1] = { { { MAREY_CONTACT_LEFT_TOE, 1, 5 } },
                                  { { MAREY_CONTACT_LEFT_TOE, 104, 112 } } };
    marey_contacts plants[2] = { plants_of(items[0], 1), plants_of(items[1], 1) };
    marey_transition_def def = { .half = 6, .leave_feet = true };
    OWNED(marey_made) made = { 0 };
    OWNED(marey_clip) *fast = test_resampled(f->b, 120);
    assert_int_equal(marey_transition_make(f->ctx, f->a, 35, fast, 60, plants, &def, &made, NULL),
                     MAREY_OK);
    OWNED(marey_made) plain = go(f->ctx, f->a, 35, f->b, 30, def);
    assert_true(marey_clip_fps(made.clip) == 60);
    assert_true(abs(marey_clip_frames(made.clip) - marey_clip_frames(plain.clip)) <= 1);
    assert_int_equal(made.contacts.count, 2);
    int last = marey_clip_frames(made.clip) - 1, end = marey_clip_frames(fast) - 1;
    assert_int_equal(made.contacts.items[1].end, last + 1 - (SECOND - 112 / 2));
    assert_int_equal(made.contacts.items[1].start, made.contacts.items[1].end - 4);
    assert_moved(made.clip, last - 5, last, fast, end / 2 * 2 - 10, end / 2 * 2);
}

WITH(at_the_ends_of_clips_it_is_as_long_as_they_let_it)
{
    static const int places[][3] = { { 3, 30, 3 },         { 35, 2, 2 },
                                     { FIRST - 5, 30, 4 }, { 35, SECOND - 2, 1 },
                                     { 1, 1, 1 },          { FIRST - 2, SECOND - 2, 1 } };
    for (int n = 0; n < 6; n++) {
        for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
            marey_transition_def def = { .method = (marey_blend_method)method, .half = 20 };
            OWNED(marey_made) made = go(f->ctx, f->a, places[n][0], f->b, places[n][1], def);
            int width = made.from_b_start - made.from_a_end;
            assert_true(width >= 3 && width % 2 == 1);
            if (method != MAREY_BLEND_REGISTERED) assert_true(width <= 2 * places[n][2] + 1);
            test_clip_is_finite(made.clip);
        }
    }
}

WITH(marked_frames_are_not_blended_and_marks_go_along)
{
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_INVENTED, 0, 1));
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, 20, 23));
    assert_true(mry_clip_add_mark(f->b, MAREY_MARK_DROPOUT, 37, 40));
    for (int t = 20; t < 23; t++) mry_place(f->a, t)[0] = 1e6;
    for (int t = 37; t < 40; t++) mry_place(f->b, t)[0] = 1e6;
    marey_transition_def def = { .half = 20 };
    OWNED(marey_made) made = go(f->ctx, f->a, 30, f->b, 30, def);
    assert_true(made.from_a_end >= 23);
    int count = 0, behind = SECOND - marey_clip_frames(made.clip);
    assert_true(made.from_b_start - 1 + behind < 37);
    const marey_mark *marks = marey_clip_marks(made.clip, &count);
    assert_int_equal(count, 3);
    assert_true(marks[1].start == 20 && marks[1].end == 23);
    assert_true(marks[2].start == 37 - behind && marks[2].end == 40 - behind);
    for (int t = made.from_a_end; t < made.from_b_start; t++)
        assert_true(t < 1 || test_step_into(made.clip, t) < 100);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static marey_status try_it(const fixture *f, const marey_clip *a, int i, const marey_clip *b, int j,
                           marey_transition_def def, marey_error *error)
{
    marey_made made = { 0 };
    marey_status status = marey_transition_make(f->ctx, a, i, b, j, NULL, &def, &made, error);
    assert_null(made.clip);
    return status;
}

WITH(what_cannot_be_is_refused)
{
    OWNED(marey_clip) *other = test_renamed(f->b, 3, "Ankle_L"), *slow = NULL;
    slow = test_resampled(f->b, 30);
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, 25, 26));
    const marey_transition_def plain = { .half = 4 };
    const struct {
        int i;
        const marey_clip *b;
        int j;
        marey_transition_def def;
        const char *says;
    } wrong[] = {
        { -1, f->b, 20, plain, "" },
        { FIRST, f->b, 20, plain, "" },
        { 20, f->b, SECOND, plain, "0-59" },
        { 0, f->b, 20, plain, "no room" },
        { 20, f->b, SECOND - 1, plain, "" },
        { 20, f->b, 20, { .half = -1 }, "" },
        { 20, f->b, 20, { .half = MAREY_MOST_HALF + 1 }, "" },
        { 20, f->b, 20, { .slope = 9 }, "" },
        { 20, f->b, 20, { .method = MAREY_BLEND_METHOD_COUNT }, "" },
        { 25, f->b, 20, { 0 }, "captured" },
        { 30, slow, 30, { 0 }, "" },
    };
    marey_error error = { 0 };
    assert_int_equal(try_it(f, f->a, 20, other, 20, plain, &error), MAREY_ERR_SHAPE);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        assert_int_equal(try_it(f, f->a, wrong[n].i, wrong[n].b, wrong[n].j, wrong[n].def, &error),
                         MAREY_ERR_REQUEST);
        assert_non_null(strstr(error.message, wrong[n].says));
    }
}

WITH(a_cancelled_transition_leaves_nothing)
{
    marey_error error = { 0 };
    marey_ctx_cancel(f->ctx);
    assert_int_equal(try_it(f, f->a, 30, f->b, 30, (marey_transition_def){ 0 }, &error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    for (int method = 0; method < MAREY_BLEND_METHOD_COUNT; method++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        marey_transition_def how = { .method = (marey_blend_method)method, .half = 3 };
        OWNED(marey_clip) *a = test_mover(ctx, 40, 1), *b = test_mover(ctx, 40, 2), *slow = NULL;
        slow = test_resampled(b, 31);
        assert_true(mry_clip_add_mark(a, MAREY_MARK_INVENTED, 0, 1));
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_made) made = { 0 };
            status = marey_transition_make(ctx, a, 20, slow, 10, NULL, &how, &made, NULL);
        }
    }
}

/* Bandai's skeletons hang from a point on the floor that never moves. */
WITH(a_root_that_never_moves_stays)
{
    test_need_mocap();
    OWNED(marey_clip) *a = test_captured(f->ctx, "bandai/dataset-2_walk_exhausted_004");
    OWNED(marey_clip) *b = test_captured(f->ctx, "bandai/dataset-2_run_elderly_001");
    marey_cut cut = test_best_cut(f->ctx, a, b);
    OWNED(marey_made) made = go(f->ctx, a, cut.a, b, cut.b, (marey_transition_def){ 0 });
    for (int t = 1; t < marey_clip_frames(made.clip); t++)
        assert_memory_equal(marey_clip_root(made.clip, t), marey_clip_root(made.clip, 0), 24);
    assert_true(test_largest_step(made.clip) <=
                1.1 * fmax(test_largest_step(a), test_largest_step(b)));
    assert_true(slide_of(&made) <= 0.3);
}

TEST_GROUP_OF_CASES(test_transition, NULL, NULL)
