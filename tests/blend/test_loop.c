/* test_loop.c - loops: they last whole gait cycles, go on without a jump, stay in place if they are
   asked to, and feet stay planted over their seam. */
#include "frame_measures.h"
#include "metric_clips.h"

#include "blend/seam.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, MOST_JOINTS = 64 };

typedef struct fixture {
    marey_ctx *ctx;
    marey_demo_take *take;
    marey_clip *walk; /* what is walked of it, without what stands around it */
} fixture;

static void load(fixture *f, const char *name)
{
    int count, longest = 0;
    marey_clip_free(f->walk);
    marey_demo_free(f->take);
    f->take = test_demo_take(f->ctx, name);
    const marey_demo_segment *s = marey_demo_segments(f->take, &count);
    for (int n = 1; n < count; n++) {
        if (s[n].end - s[n].start > s[longest].end - s[longest].start) longest = n;
    }
    f->walk = test_trimmed(marey_demo_clip(f->take), s[longest].start, s[longest].end);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    load(f, "walk_straight");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    marey_clip_free(f->walk);
    marey_demo_free(f->take);
    marey_ctx_close(f->ctx);
    return 0;
}

static int find(const fixture *f, const marey_clip *clip, const marey_loops_def *def,
                marey_loop *loops)
{
    int found = -1;
    marey_error error = { 0 };
    if (marey_loops_find(f->ctx, clip, def, MOST, loops, &found, &error))
        fail_msg("%s", error.message);
    return found;
}

static marey_made make(const fixture *f, const marey_clip *clip, marey_loop_def def,
                       marey_loop *loop)
{
    marey_made made = { 0 };
    marey_error error = { 0 };
    if (marey_loop_make(f->ctx, clip, NULL, &def, loop, &made, &error))
        fail_msg("%s", error.message);
    return made;
}

/* From one touch-down of the left heel to the next, on average. */
static double gait_cycle(const marey_clip *clip)
{
    OWNED(marey_contacts) plants = { 0 };
    int first = -1, last = -1, steps = -1;
    assert_int_equal(marey_contacts_find(clip, NULL, &plants), MAREY_OK);
    for (int n = 0; n < plants.count; n++) {
        if (plants.items[n].joint != MAREY_CONTACT_LEFT_HEEL || plants.items[n].start == 0)
            continue;
        if (first < 0) first = plants.items[n].start;
        last = plants.items[n].start;
        steps++;
    }
    assert_true(steps >= 2);
    return (double)(last - first) / steps;
}

/* Three rounds, each moved to where the one before ended. */
static marey_clip *play(const marey_clip *loop, bool align)
{
    const marey_clip *rounds[3] = { loop, loop, loop };
    marey_clip *played = NULL;
    assert_int_equal(marey_clip_concatenate(rounds, 3, align, &played, NULL), MAREY_OK);
    return played;
}

/* ---- finding --------------------------------------------------------------------------------- */

#define WITH(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

WITH(loops_of_a_walk_last_whole_gait_cycles)
{
    static const char *const names[] = { "walk_straight", "walk_fast", "jog_straight" };
    for (int n = 0; n < 3; n++) {
        marey_loop loops[MOST];
        load(f, names[n]);
        double cycle = gait_cycle(f->walk);
        int count = find(f, f->walk, NULL, loops);
        assert_true(count > 0);
        for (int k = 0; k < count && k < 5; k++) {
            double cycles = (loops[k].end - loops[k].start) / cycle;
            assert_true(fabs(cycles - round(cycles)) < 0.06 * fmax(1, cycles / 2));
            assert_true(round(cycles) >= 1);
        }
    }
}

WITH(the_best_come_first_and_no_two_are_alike)
{
    marey_loop loops[MOST];
    marey_loops_def def = { .half = 10 };
    int count = find(f, f->walk, &def, loops);
    assert_true(count > 1);
    for (int n = 1; n < count; n++) {
        assert_true(loops[n].cost >= loops[n - 1].cost);
        for (int k = 0; k < n; k++) {
            assert_true(abs(loops[n].start - loops[k].start) > 10 ||
                        abs(loops[n].end - loops[k].end) > 10);
        }
    }
}

WITH(lengths_are_kept_to)
{
    marey_loop loops[MOST];
    double fps = marey_clip_fps(f->walk);
    marey_loops_def def = { .shortest_s = 1.6, .longest_s = 2.6 };
    int count = find(f, f->walk, &def, loops);
    assert_true(count > 0);
    for (int n = 0; n < count; n++) {
        assert_true(loops[n].end - loops[n].start >= 1.6 * fps - 1e-6);
        assert_true(loops[n].end - loops[n].start <= 2.6 * fps + 1e-6);
    }
}

WITH(a_clip_without_good_loops_still_has_a_best_one)
{
    marey_loop loops[MOST];
    OWNED(marey_clip) *wild = test_mover(f->ctx, 150, 7);
    int count = find(f, wild, NULL, loops);
    assert_true(count > 0 && loops[0].cost > MAREY_CUT_LIMIT);
}

/* The whole take stands, walks and stands. */
WITH(standing_still_is_no_loop_unless_asked_for)
{
    const marey_clip *take = marey_demo_clip(f->take);
    marey_loop loops[MOST];
    for (int still = 0; still < 2; still++) {
        marey_loops_def def = { .longest_s = 2, .still = still };
        int count = find(f, take, &def, loops), moving = 0;
        assert_true(count > 0);
        for (int n = 0; n < count; n++) {
            const double *a = marey_clip_root(take, loops[n].start);
            const double *b = marey_clip_root(take, loops[n].end);
            moving += hypot(a[0] - b[0], a[2] - b[2]) > 10;
        }
        assert_true(still ? moving < count : moving == count);
    }
}

/* The whole take stands, walks and stands; the most alike are its ends. */
WITH(a_loop_is_a_cycle_of_motion_that_never_stands)
{
    const marey_clip *take = marey_demo_clip(f->take);
    marey_loop loops[MOST];
    int count = find(f, take, NULL, loops), stands = 0;
    assert_true(count > 0);
    for (int n = 0; n < count; n++) {
        for (int k = loops[n].start; k < loops[n].end; k += 7)
            assert_true(test_seen_speed(take, k) > 10 - 1e-6);
    }
    /* One that stands says for how long. */
    OWNED(marey_made) made = { 0 };
    marey_loop whole = { .start = 60, .end = take->frames - 60 };
    assert_int_equal(marey_loop_make(f->ctx, take, NULL, NULL, &whole, &made, NULL), MAREY_OK);
    for (int k = whole.start; k < whole.end; k++) stands += test_seen_speed(take, k) < 10;
    assert_true(stands > 60);
    assert_true(fabs(whole.still_s - stands / take->fps) < 1e-9);
}

/* Kicks with long pauses have no loop without one: better that than none. */
WITH(where_every_loop_stands_the_best_of_them_is_found)
{
    OWNED(marey_clip) *nods = test_mover(f->ctx, 400, 3);
    for (int k = 0; k < nods->frames; k++) {
        /* It moves for half a second and rests for two. */
        int from = k % 75 < 15 ? k % 75 : 0;
        mry_clip_copy_frames(nods, k, nods, from, 1);
    }
    marey_loop loops[MOST];
    int count = find(f, nods, &(marey_loops_def){ .shortest_s = 2 }, loops);
    assert_true(count > 0);
}

WITH(a_body_that_hardly_moves_all_along_has_loops)
{
    marey_loop loops[MOST];
    load(f, "idles");
    assert_true(find(f, marey_demo_clip(f->take), NULL, loops) > 0);
}

/* A body that stands and drifts by 3 cm a second: the foot that is held cannot be left behind. */
WITH(a_loop_that_stands_does_not_drift)
{
    marey_loop loop = { .start = 60, .end = 200 };
    load(f, "idles");
    OWNED(marey_clip) *drifting = test_trimmed(marey_demo_clip(f->take), 0, 300);
    for (int n = 0; n < 300; n++) mry_place(drifting, n)[0] += 3 * n / drifting->fps;
    marey_contact_joint both[] = { MAREY_CONTACT_LEFT_HEEL, MAREY_CONTACT_RIGHT_HEEL };
    marey_contact planted[2];
    for (int n = 0; n < 2; n++) planted[n] = (marey_contact){ both[n], 0, 300 };
    marey_contacts plants = { 2, planted, sizeof planted, f->ctx };
    OWNED(marey_made) made = { 0 };
    marey_error error = { 0 };
    if (marey_loop_make(f->ctx, drifting, &plants, NULL, &loop, &made, &error))
        fail_msg("%s", error.message);
    assert_true(loop.seam_ratio < 1.5);
}

/* A leap inside of it does not hide a seam that jumps. */
WITH(a_seam_is_judged_by_steps_that_a_body_makes)
{
    marey_loop whole = { .start = 20, .end = 100 }, leaps = whole;
    load(f, "walk_straight");
    OWNED(marey_made) sound = make(f, f->walk, (marey_loop_def){ .leave_feet = true }, &whole);
    mry_place(f->walk, 60)[1] += 39;
    OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ .leave_feet = true }, &leaps);
    assert_true(test_largest_step(made.clip) > 3 * test_largest_step(sound.clip));
    test_near(leaps.seam_ratio, whole.seam_ratio, 1e-3);
}

WITH(loops_hold_no_marked_frames)
{
    marey_loop loops[MOST], whole = { .start = 20, .end = 100 };
    marey_made made = { 0 };
    assert_true(mry_clip_add_mark(f->walk, MAREY_MARK_DROPOUT, 60, 62));
    int count = find(f, f->walk, NULL, loops);
    assert_true(count > 0);
    for (int n = 0; n < count; n++) assert_true(loops[n].end < 60 || loops[n].start > 61);
    assert_int_equal(marey_loop_make(f->ctx, f->walk, NULL, NULL, &whole, &made, NULL),
                     MAREY_ERR_REQUEST);
}

/* ---- making ---------------------------------------------------------------------------------- */

WITH(a_loop_goes_on_without_a_jump)
{
    static const char *const names[] = { "walk_straight", "walk_left", "jog_straight",
                                         "sneak_straight" };
    for (int n = 0; n < 4; n++) {
        marey_loop loops[MOST];
        load(f, names[n]);
        assert_true(find(f, f->walk, NULL, loops) > 0);
        OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ 0 }, &loops[0]);
        int frames = marey_clip_frames(made.clip);
        assert_true(abs(frames - (loops[0].end - loops[0].start)) <= 2);
        assert_true(loops[0].seam_ratio > 0 && loops[0].seam_ratio <= 1.1);
        assert_true(test_largest_step(made.clip) <= 1.1 * test_largest_step(f->walk));
        OWNED(marey_clip) *played = play(made.clip, true);
        for (int r = 1; r < 3; r++)
            assert_true(test_step_into(played, r * frames) <= 1.1 * test_largest_step(made.clip));
    }
}

WITH(feet_stay_planted_over_the_seam)
{
    marey_loop loops[MOST];
    assert_true(find(f, f->walk, NULL, loops) > 0);
    OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ 0 }, &loops[0]);
    assert_true(made.contacts.count >= 4);
    for (int n = 0; n < made.contacts.count; n++) {
        const marey_contact *plant = &made.contacts.items[n];
        assert_true(plant->end <= marey_clip_frames(made.clip) && plant->start < plant->end);
        assert_true(test_slide(made.clip, plant, 1) <= 0.3);
    }
}

/* The clip's frame that a made loop begins with, feet left alone. */
static int first_frame(const fixture *f, const marey_made *made)
{
    int first = 0;
    while (memcmp(marey_clip_root(made->clip, 0), marey_clip_root(f->walk, first), 24) != 0)
        first++;
    return first;
}

/* The clip's own frames come first, where they were. */
WITH(it_begins_with_frames_of_the_clip)
{
    marey_loop loops[MOST];
    assert_true(find(f, f->walk, NULL, loops) > 0);
    OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ .leave_feet = true }, &loops[0]);
    assert_true(made.from_a_end > 0 && made.from_b_start == marey_clip_frames(made.clip));
    int first = first_frame(f, &made);
    assert_true(first > loops[0].start);
    for (int t = 0; t < made.from_a_end; t++) {
        assert_true(test_frame_apart(made.clip, t, f->walk, first + t) == 0);
    }
}

/* How a loop goes on: its last frame is the clip's frame before its first one, moved. */
static mry_floor onwards_of(const fixture *f, const marey_made *plain)
{
    int last = marey_clip_frames(plain->clip) - 1, before = first_frame(f, plain) - 1;
    const double *to = marey_clip_root(plain->clip, last), *from = marey_clip_root(f->walk, before);
    const float *q = marey_clip_rotations(plain->clip, last);
    const float *r = marey_clip_rotations(f->walk, before);
    float back[4] = { r[0], -r[1], -r[2], -r[3] }, turn[4];
    mry_quat_multiply(q, back, turn);
    mry_floor by = { 2 * atan2((double)turn[2], (double)turn[0]), 0, 0 };
    double x = from[0], z = from[2];
    mry_floor_turn(by.angle, &x, &z);
    by.x = to[0] - x;
    by.z = to[2] - z;
    return by;
}

static bool planted_at(const marey_made *made, int joint, int frame)
{
    for (int n = 0; n < made->contacts.count; n++) {
        const marey_contact *plant = &made->contacts.items[n];
        if ((int)plant->joint == joint && plant->start <= frame && plant->end > frame) return true;
    }
    return false;
}

WITH(a_foot_that_is_planted_at_the_end_goes_on_at_its_place)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    int held = 0;
    for (int n = 0; n < 3; n++) {
        marey_loop loops[MOST];
        assert_true(find(f, f->walk, NULL, loops) > n);
        loops[n].end += 4; /* feet do not come down where they would have to by themselves */
        OWNED(marey_made) plain =
            make(f, f->walk, (marey_loop_def){ .leave_feet = true }, &loops[n]);
        OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ 0 }, &loops[n]);
        mry_floor onwards = onwards_of(f, &plain);
        int last = marey_clip_frames(made.clip) - 1;
        double p[3 * MOST_JOINTS] = { 0 }, q[3 * MOST_JOINTS] = { 0 };
        marey_clip_positions(made.clip, last, 1, p);
        marey_clip_positions(made.clip, 0, 1, q);
        for (int k = 0; k < 4; k++) {
            int joint = marey_clip_skeleton(made.clip)->roles[roles[k]];
            if (!planted_at(&made, k, 0) || !planted_at(&made, k, last)) continue;
            mry_floor_apply(onwards, &q[3 * joint], &q[3 * joint + 2]);
            assert_true(mry_distance3(p + 3 * joint, q + 3 * joint) < 0.05);
            held++;
        }
    }
    assert_true(held > 0);
}

/* Played without being moved, it neither jumps nor drifts, and the body stays near where it
   started. */
WITH(in_place_it_stays)
{
    static const char *const names[] = { "walk_straight", "walk_left", "walk_eight",
                                         "sneak_curve" };
    for (int n = 0; n < 4; n++) {
        marey_loop loops[MOST];
        load(f, names[n]);
        assert_true(find(f, f->walk, NULL, loops) > 0);
        OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ .in_place = true }, &loops[0]);
        int frames = marey_clip_frames(made.clip);
        OWNED(marey_clip) *played = play(made.clip, false);
        assert_true(loops[0].seam_ratio <= 1.1);
        assert_true(test_step_into(played, frames) <= 1.1 * test_largest_step(made.clip));
        const double *start = marey_clip_root(made.clip, 0);
        for (int t = 0; t < frames; t++) {
            const double *at = marey_clip_root(made.clip, t);
            assert_true(hypot(at[0] - start[0], at[2] - start[2]) < 15);
        }
        float turned = mry_quat_angle(marey_clip_rotations(made.clip, frames - 1),
                                      marey_clip_rotations(made.clip, 0));
        assert_true(turned < 0.1f);
    }
}

/* Walking to and fro: what is taken out is the way, not the turns. */
WITH(in_place_a_round_trip_keeps_its_turns)
{
    OWNED(marey_clip) *clip = test_mover(f->ctx, 240, 3);
    mry_trunk body = mry_trunk_find((const marey_clip *const[]){ clip }, 1);
    for (int t = 0; t < 240; t++) { /* a circle of 2 m in one round */
        double angle = 2 * 3.14159265358979 * t / 240;
        mry_rot turn = mry_rot_about(0, 1, 0, angle);
        float *q = mry_turn(clip, t);
        for (int i = 0; i < 4; i++) q[i] = (float)((const double *)&turn)[i];
        mry_place(clip, t)[0] = -100 * cos(angle);
        mry_place(clip, t)[2] = 100 * sin(angle);
    }
    assert_true(mry_loop_stay(clip, &body, (mry_floor){ 2 * 3.14159265358979, 0, 0 }));
    for (int t = 0; t < 240; t++) {
        const double *at = mry_place(clip, t);
        assert_true(hypot(at[0] + 100, at[2]) < 100); /* 4 s around a point, and not 2 m away */
        mry_rot turn = mry_rot_about(0, 1, 0, 2 * 3.14159265358979 * t / 240);
        float want[4];
        for (int i = 0; i < 4; i++) want[i] = (float)((const double *)&turn)[i];
        assert_true(mry_quat_angle(mry_turn(clip, t), want) < 1e-3f);
    }
}

/* A share of the way, taken twice, is twice the share: a clip that moves by the same turn and shift
   in every frame stands still afterwards. */
WITH(an_even_way_is_taken_out_wholly)
{
    enum { FRAMES = 50 };
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clip) *clip = test_mover(f->ctx, FRAMES, 3);
        mry_trunk body = mry_trunk_find((const marey_clip *const[]){ clip }, 1);
        mry_floor step = { n == 1 ? 0.03 : n == 2 ? -0.05 : 0, 3, -1.5 }, all = step;
        for (int t = 1; t < FRAMES; t++) {
            mry_seam_copy(&body, clip, 0, all, clip, t);
            all = mry_floor_times(step, all);
        }
        assert_true(mry_loop_stay(clip, &body, all));
        for (int t = 1; t < FRAMES; t++) {
            assert_true(mry_distance3(mry_place(clip, t), mry_place(clip, 0)) < 1e-3);
            assert_true(mry_quat_angle(mry_turn(clip, t), mry_turn(clip, 0)) < 1e-3f);
        }
    }
}

/* Between frames that are not alike time is warped as well, so the length is only nearly what was
   asked for. */
WITH(short_loops_shrink_their_seam)
{
    for (int length = 3; length < 40; length += 5) {
        marey_loop loop = { .start = 60, .end = 60 + length };
        OWNED(marey_made) made = make(f, f->walk, (marey_loop_def){ .half = 30 }, &loop);
        int frames = marey_clip_frames(made.clip);
        assert_true(abs(frames - length) <= 2 + length / 3 && made.from_a_end >= 0);
        assert_true(isfinite(loop.seam_ratio));
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

WITH(what_cannot_be_is_refused)
{
    marey_made made = { 0 };
    marey_error error = { 0 };
    int found = -1, frames = marey_clip_frames(f->walk);
    static const marey_loops_def bad[] = { { .half = -1 },
                                           { .shortest_s = -1 },
                                           { .shortest_s = 2, .longest_s = 1 },
                                           { .longest_s = NAN } };
    for (int n = 0; n < 4; n++) {
        marey_loop loop;
        assert_int_equal(marey_loops_find(f->ctx, f->walk, &bad[n], 1, &loop, &found, &error),
                         MAREY_ERR_REQUEST);
        assert_int_equal(found, -1);
    }
    const marey_loop wrong[] = { { .start = -1, .end = 50 }, { .start = 50, .end = 52 },
                                 { .start = 80, .end = 20 }, { .start = 50, .end = frames },
                                 { .start = 0, .end = 60 },  { .start = 20, .end = frames - 1 } };
    for (int n = 0; n < 6; n++) {
        marey_loop loop = wrong[n];
        assert_int_equal(marey_loop_make(f->ctx, f->walk, NULL, NULL, &loop, &made, &error),
                         MAREY_ERR_REQUEST);
        assert_null(made.clip);
        assert_true(loop.seam_ratio == 0);
    }
    marey_loop loop = { .start = 30, .end = 90 };
    marey_loop_def def = { .half = -1 };
    assert_int_equal(marey_loop_make(f->ctx, f->walk, NULL, &def, &loop, &made, &error),
                     MAREY_ERR_REQUEST);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    marey_loop_def how = { .half = 3, .in_place = true };
    marey_loops_def which = { .half = 3, .shortest_s = 0.3 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_mover(ctx, 70, 1);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_made) made = { 0 };
        marey_loop loop = { 0 };
        int found = -1;
        status = marey_loops_find(ctx, clip, &which, 1, &loop, &found, NULL);
        if (status) continue;
        loop = (marey_loop){ .start = 20, .end = 45 };
        status = marey_loop_make(ctx, clip, NULL, &how, &loop, &made, NULL);
    }
}

TEST_GROUP_OF_CASES(test_loop, NULL, NULL)
