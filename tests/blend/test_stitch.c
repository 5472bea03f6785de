/* test_stitch.c - cut and smooth: where the parts come from, where they stand, how far joints jump,
   what is refused. */
#include "frame_measures.h"
#include "metric_clips.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 40, SECOND = 50 };

typedef test_movers fixture;

static int set_up(void **state)
{
    return test_movers_make(state, FIRST, SECOND, 31);
}

static marey_clip *stitch(const marey_clip *a, int i, const marey_clip *b, int j, int smooth,
                          bool full)
{
    marey_stitch_def def = { .smooth_frames = smooth, .full = full };
    marey_clip *made = NULL;
    marey_error error = { 0 };
    if (marey_clip_stitch(a, i, b, j, &def, &made, &error)) fail_msg("%s", error.message);
    return made;
}

static void pose(const marey_clip *clip, int frame, double *out)
{
    marey_clip_positions(clip, frame, 1, out);
}

#define WITH(name) TEST_OF_IN(set_up, test_movers_free, fixture *f, name)

WITH(a_cut_keeps_both_parts_as_they_were)
{
    for (int full = 0; full < 2; full++) {
        OWNED(marey_clip) *made = stitch(f->a, 15, f->b, 20, 0, full);
        assert_int_equal(marey_clip_frames(made), 15 + SECOND - 20);
        for (int t = 0; t < 15; t++) assert_true(test_frame_apart(f->a, t, made, t) == 0);
        for (int t = 20; t < SECOND; t++) { /* distances inside a pose and along its way stay */
            double p[63], q[63], r[63], s[63];
            pose(f->b, t, p);
            pose(made, t - 5, q);
            pose(f->b, 20, r);
            pose(made, 15, s);
            for (int j = 0; j < 21; j++) {
                assert_true(fabs(mry_distance3(p, p + 3 * j) - mry_distance3(q, q + 3 * j)) < 1e-3);
                assert_true(fabs(mry_distance3(p + 3 * j, r) - mry_distance3(q + 3 * j, s)) < 1e-3);
            }
        }
    }
}

WITH(the_roots_coincide_at_the_seam)
{
    OWNED(marey_clip) *floor = stitch(f->a, 15, f->b, 20, 0, false);
    OWNED(marey_clip) *full = stitch(f->a, 15, f->b, 20, 0, true);
    const double *want = marey_clip_root(f->a, 15), *got = marey_clip_root(floor, 15);
    assert_true(fabs(want[0] - got[0]) < 1e-4 && fabs(want[2] - got[2]) < 1e-4);
    assert_true(fabs(got[1] - marey_clip_root(f->b, 20)[1]) < 1e-9); /* heights stay heights */
    assert_true(mry_distance3(want, marey_clip_root(full, 15)) < 1e-4);
    assert_true(mry_quat_angle(marey_clip_rotations(f->a, 15), marey_clip_rotations(full, 15)) <
                1e-3f);
}

WITH(the_floor_form_keeps_what_is_upright_upright)
{
    OWNED(marey_clip) *made = stitch(f->a, 10, f->b, 12, 0, false);
    for (int t = 12; t < SECOND; t++) {
        double p[63], q[63];
        pose(f->b, t, p);
        pose(made, t - 2, q);
        for (int j = 0; j < 21; j++) assert_true(fabs(p[3 * j + 1] - q[3 * j + 1]) < 1e-3);
    }
}

WITH(a_clip_cut_at_the_same_frame_is_itself)
{
    for (int smooth = 0; smooth <= 10; smooth += 5) {
        OWNED(marey_clip) *moved =
            test_moved(f->a, mry_rot_about(0, 1, 0, 2), (mry_vec){ 400, 0, 90 });
        OWNED(marey_clip) *made = stitch(f->a, 18, moved, 18, smooth, false);
        for (int t = 0; t < FIRST; t++) assert_true(test_frame_apart(f->a, t, made, t) < 1e-2);
    }
}

WITH(smoothing_spreads_the_jump_over_the_seam)
{
    OWNED(marey_clip) *cut = stitch(f->a, 20, f->b, 20, 0, false);
    OWNED(marey_clip) *smooth = stitch(f->a, 20, f->b, 20, 12, false);
    double worst = 0;
    for (int t = 10; t < 30; t++) worst = fmax(worst, test_step_into(smooth, t + 1));
    assert_true(worst < 0.6 * test_step_into(cut, 20));
    for (int t = 0; t < marey_clip_frames(cut); t++) /* twelve frames are touched and no others */
        assert_int_equal(test_frame_apart(cut, t, smooth, t) > 0, t >= 14 && t < 26);
}

WITH(seams_at_the_ends_of_clips_are_smoothed_as_far_as_they_go)
{
    static const int places[][2] = { { 0, 0 },         { 0, SECOND - 1 },
                                     { FIRST - 1, 0 }, { FIRST - 1, SECOND - 1 },
                                     { 3, 4 },         { FIRST - 2, SECOND - 3 } };
    for (int n = 0; n < 6; n++) {
        for (int smooth = 0; smooth < 90; smooth += 11) {
            OWNED(marey_clip) *made =
                stitch(f->a, places[n][0], f->b, places[n][1], smooth, smooth & 1);
            assert_int_equal(marey_clip_frames(made), places[n][0] + SECOND - places[n][1]);
            test_clip_is_finite(made);
        }
    }
}

WITH(another_rate_is_brought_to_the_first_ones)
{
    OWNED(marey_clip) *fast = test_resampled(f->b, 2 * marey_clip_fps(f->b));
    OWNED(marey_clip) *made = stitch(f->a, 15, fast, 40, 0, false),
                      *plain = stitch(f->a, 15, f->b, 20, 0, false);
    assert_int_equal(marey_clip_frames(made), marey_clip_frames(plain));
    for (int t = 0; t < marey_clip_frames(made); t++)
        assert_true(test_frame_apart(made, t, plain, t) < 0.05);
}

WITH(marks_go_along)
{
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_INVENTED, 0, 1));
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, 14, 18));
    assert_true(mry_clip_add_mark(f->b, MAREY_MARK_DROPOUT, 18, 23));
    OWNED(marey_clip) *made = stitch(f->a, 15, f->b, 20, 0, false);
    int count = 0;
    const marey_mark *marks = marey_clip_marks(made, &count);
    assert_int_equal(count, 3);
    assert_true(marks[0].start == 0 && marks[0].end == 1);
    assert_true(marks[1].start == 14 && marks[1].end == 15);
    assert_true(marks[2].start == 15 && marks[2].end == 18);
}

WITH(marked_frames_are_left_out_and_a_frame_is_followed)
{
    OWNED(marey_clip) *made = NULL;
    int frame = 20, inside = 16;
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_INVENTED, 0, 1));
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, 14, 18));
    assert_int_equal(marey_clip_unmarked(f->a, &frame, &made, NULL), MAREY_OK);
    assert_int_equal(marey_clip_frames(made), FIRST - 5);
    assert_int_equal(frame, 15);
    assert_true(test_frame_apart(f->a, 20, made, 15) == 0);
    marey_clip_free(made);
    assert_int_equal(marey_clip_unmarked(f->a, &inside, &made, NULL), MAREY_OK);
    assert_int_equal(inside, 13); /* the one that comes in its place */
    marey_clip_free(made);
    int behind = FIRST - 1;
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, FIRST - 3, FIRST));
    assert_int_equal(marey_clip_unmarked(f->a, &behind, &made, NULL), MAREY_OK);
    assert_int_equal(behind, marey_clip_frames(made) - 1); /* none comes: the last one */
}

WITH(a_clip_of_marked_frames_alone_is_refused)
{
    marey_clip *made = NULL;
    marey_error error = { 0 };
    int frame = 3;
    assert_true(mry_clip_add_mark(f->a, MAREY_MARK_DROPOUT, 0, FIRST));
    assert_int_equal(marey_clip_unmarked(f->a, &frame, &made, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "captured"));
    assert_null(made);
    assert_int_equal(frame, 3);
}

WITH(clips_in_too_many_pieces_are_refused)
{
    OWNED(marey_clip) *many = test_mover(f->ctx, 140, 5);
    marey_clip *made = NULL;
    for (int i = 1; i < 130; i += 2) {
        assert_true(mry_clip_add_mark(many, MAREY_MARK_DROPOUT, i, i + 1));
    }
    assert_int_equal(marey_clip_unmarked(many, NULL, &made, NULL), MAREY_ERR_LIMIT);
    assert_null(made);
}

WITH(what_cannot_be_stitched_is_refused)
{
    OWNED(marey_clip) *other = test_renamed(f->b, 3, "Ankle_L");
    marey_clip *made = NULL;
    marey_stitch_def bad = { .smooth_frames = -1 };
    marey_error error = { 0 };
    assert_int_equal(marey_clip_stitch(f->a, 0, other, 0, NULL, &made, &error), MAREY_ERR_SHAPE);
    assert_int_equal(marey_clip_stitch(f->a, -1, f->b, 0, NULL, &made, &error), MAREY_ERR_REQUEST);
    assert_int_equal(marey_clip_stitch(f->a, FIRST, f->b, 0, NULL, &made, &error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_clip_stitch(f->a, 0, f->b, SECOND, NULL, &made, &error),
                     MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "0-49"));
    assert_int_equal(marey_clip_stitch(f->a, 0, f->b, 0, &bad, &made, &error), MAREY_ERR_REQUEST);
    assert_null(made);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *a = test_mover(ctx, 12, 1), *b = test_mover(ctx, 12, 2), *slow = NULL;
    slow = test_resampled(b, 31);
    assert_true(mry_clip_add_mark(a, MAREY_MARK_INVENTED, 0, 1));
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_clip) *made = NULL;
        status = marey_clip_stitch(a, 6, slow, 3, NULL, &made, NULL);
    }
}

/* Bandai's skeletons hang from a point on the floor that never moves. */
TEST_CTX(a_root_that_never_moves_stays_and_the_seam_is_smooth)
{
    marey_quality quality[2];
    test_need_mocap();
    OWNED(marey_clip) *walk = test_captured(ctx, "bandai/dataset-2_walk_exhausted_004");
    OWNED(marey_clip) *run = test_captured(ctx, "bandai/dataset-2_run_elderly_001");
    for (int n = 0; n < 2; n++) {
        OWNED(marey_clip) *made = stitch(walk, 100, run, 60, n ? 20 : 0, false);
        for (int f = 1; f < marey_clip_frames(made); f++) {
            assert_memory_equal(marey_clip_root(made, f), marey_clip_root(made, 0), 24);
        }
        assert_int_equal(marey_clip_quality(made, NULL, 0, &quality[n]), MAREY_OK);
    }
    assert_true(quality[1].jerk_ratio < 0.5 * quality[0].jerk_ratio);
}

/* ---- roots that are far from the body -------------------------------------------------------- */

/* The small person, hanging from a point two metres away, which stays, or goes and turns. Which
   turns more, the point or the pelvis below it, is another for each `seed`. */
static marey_clip *hanging(marey_ctx *ctx, int frames, int seed, bool still)
{
    static const char top[] = "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                              "Yposition Zposition Zrotation Xrotation Yrotation\nJOINT";
    char *person = test_person(frames), *at = strstr(person, "MOTION");
    char *text = malloc(2 * strlen(person) + 1024), *to = text;
    to +=
        sprintf(to, "%s%.*s}\n", top, (int)(at - strstr(person, " Hips")), strstr(person, " Hips"));
    char *line = strchr(strstr(at, "Frame Time:"), '\n') + 1;
    to += sprintf(to, "%.*s", (int)(line - at), at);
    for (int f = 0; f < frames; f++) {
        double way = still ? 0 : f, turn = still ? 0 : seed ? 50 - 3 * f : 2 * f;
        char *rest = line;
        for (int n = 0; n < 6; n++) strtod(rest, &rest); /* the pelvis is put elsewhere */
        to += sprintf(to, "%g 0 %g 0 0 %g %g %g %g 0 %d %g", way, 2 * way, turn, 5 * seed + 0.3 * f,
                      90 + 0.1 * f, 200 - 2.0 * f * seed, 4 + seed, (seed ? -20.0 : 60.0) + f);
        line = strchr(rest, '\n') + 1;
        to += sprintf(to, "%.*s", (int)(line - rest), rest);
    }
    marey_clip *clip = test_clip(ctx, text);
    assert_int_equal(marey_clip_skeleton(clip)->roles[MAREY_ROLE_HIPS], 1);
    free(person);
    free(text);
    return clip;
}

/* Behind the seam the pelvis goes straight from where the first clip has it to where the second one
   does, not about the root. */
static void pelvis_is_mixed_in_the_world(marey_ctx *ctx, bool still)
{
    enum { FRAMES = 40, AT = 15, INTO = 18, SMOOTH = 10, HIPS = 1 };
    OWNED(marey_clip) *a = hanging(ctx, FRAMES, 0, still), *b = hanging(ctx, FRAMES, 1, still);
    OWNED(marey_clip) *cut = stitch(a, AT, b, INTO, 0, false),
                      *smooth = stitch(a, AT, b, INTO, SMOOTH, false);
    double apart = 0;
    for (int t = AT; t < AT + SMOOTH / 2; t++) {
        double from[66], to[66], got[66], share = (t - AT + SMOOTH / 2 + 1.0) / (SMOOTH + 1);
        marey_clip_positions(a, t, 1, from);
        marey_clip_positions(cut, t, 1, to);
        marey_clip_positions(smooth, t, 1, got);
        for (int n = 3 * HIPS; n < 3 * HIPS + 3; n++)
            assert_true(fabs(from[n] + share * (to[n] - from[n]) - got[n]) < 1e-3);
        apart = fmax(apart, mry_distance3(from + 3 * HIPS, to + 3 * HIPS));
    }
    assert_true(apart > 5); /* or there was nothing to mix */
    for (int t = 1; t < marey_clip_frames(smooth) && still; t++) {
        const double *root = marey_clip_root(smooth, t);
        for (int n = 0; n < 3; n++) assert_true(root[n] == 0); /* -0 is 0 */
    }
}

TEST_CTX(below_a_root_that_goes_the_pelvis_is_mixed_in_the_world)
{
    pelvis_is_mixed_in_the_world(ctx, false);
}

TEST_CTX(a_root_that_stays_is_left_there_and_the_pelvis_is_mixed)
{
    pelvis_is_mixed_in_the_world(ctx, true);
}

TEST_GROUP_OF_CASES(test_stitch, NULL, NULL)
