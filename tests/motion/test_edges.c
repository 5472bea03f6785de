/* test_edges.c - edits of clips where a careless line would pass the plain cases: tilted bodies
   joined, marks under every edit, angles at gimbal lock, joints with few channels, bones with axes
   of their own. */
#include "support.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = TEST_PERSON_JOINTS, MOST_VALUES = 160 };

static const double pi = 3.14159265358979323846;

/* ---- clips written on the spot --------------------------------------------------------------- */

/* Fills the row of frame f. */
typedef void (*pose_fn)(const void *user, int f, double *row);

/* The small person in other poses: x y z of the root, then z y x degrees of every joint. */
static marey_clip *person(marey_ctx *ctx, int frames, double rate_hz, pose_fn pose,
                          const void *user)
{
    FREED double *rows = calloc((size_t)frames * TEST_PERSON_ROW, sizeof *rows);
    for (int f = 0; f < frames; f++) pose(user, f, rows + f * TEST_PERSON_ROW);
    FREED char *text = test_person_posed(rows, frames, rate_hz, 1, false);
    return test_clip(ctx, text);
}

static bool is_marked(const marey_clip *clip, int frame)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (int i = 0; i < count; i++)
        if (frame >= marks[i].start && frame < marks[i].end) return true;
    return false;
}

/* What the file of an edited clip reads back as. */
static marey_clip *written_and_read(marey_ctx *ctx, const marey_clip *clip)
{
    char folder[512], path[600];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/clip.bvh", folder);
    test_ok(marey_clip_save(clip, path, NULL));
    marey_clip *back = test_clip_load(ctx, path);
    test_folder_remove(folder);
    return back;
}

/* The same through an edit that changes nothing, so that the angles are made anew. */
static marey_clip *said_anew(marey_ctx *ctx, const marey_clip *clip)
{
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_scale(clip, 1, &made, NULL));
    return written_and_read(ctx, made);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Walks where it heads, leaning forward; a turn about z comes first in the file's order, so it is
   0. */
typedef struct walker {
    double heading, x, z, lean;
} walker;

static void walk(const void *user, int f, double *row)
{
    const walker *w = user;
    double radians = w->heading * pi / 180;
    row[0] = w->x + 3 * f * sin(radians);
    row[1] = 95 + sin(f * 0.3);
    row[2] = w->z + 3 * f * cos(radians);
    row[4] = w->heading;
    row[5] = w->lean;
    for (int j = 1; j < JOINTS; j++) row[3 + 3 * j + 2] = 8 * sin(0.2 * f + j);
}

static const walker north_east = { 65, 120, -40, 20 }, back_again = { -150, -310, 75, 20 };
static const walker upright = { 200, 15, 500, -5 }, plain = { 30, 200, 300, 0 };
static const walker odd_places = { 37.1234567, 1.0 / 3, 2.0 / 7, 11.7654321 };

/* Frames lean alike at the seam, so the second walk is turned by exactly the difference in
   heading. */
TEST_CTX(an_aligned_clip_is_moved_as_a_whole_and_walks_on)
{
    enum { FRAMES = 30 };
    OWNED(marey_clip) *a = person(ctx, FRAMES, 60, walk, &north_east), *made = NULL;
    OWNED(marey_clip) *b = person(ctx, FRAMES, 60, walk, &back_again);
    const marey_clip *both[] = { a, b };
    double turn = (65 + 150) * pi / 180, c = cos(turn), s = sin(turn);
    test_ok(marey_clip_concatenate(both, 2, true, &made, NULL));
    const double *end = marey_clip_root(a, FRAMES - 1), *start = marey_clip_root(b, 0);
    for (int f = 0; f < FRAMES; f++) {
        FREED double *before = test_positions(b, f), *after = test_positions(made, FRAMES + f);
        for (int j = 0; j < JOINTS; j++) {
            double x = before[3 * j] - start[0], z = before[3 * j + 2] - start[2];
            test_near(after[3 * j], end[0] + c * x + s * z, 1e-3);
            test_near(after[3 * j + 1], before[3 * j + 1], 1e-3);
            test_near(after[3 * j + 2], end[2] - s * x + c * z, 1e-3);
        }
    }
    const double *last = marey_clip_root(made, 2 * FRAMES - 1);
    test_near(atan2(last[0] - end[0], last[2] - end[2]) * 180 / pi, 65, 1e-3);
}

TEST_CTX(an_aligned_clip_keeps_its_heights_and_lengths_whatever_the_lean)
{
    enum { FRAMES = 12 };
    OWNED(marey_clip) *a = person(ctx, FRAMES, 60, walk, &north_east), *made = NULL;
    OWNED(marey_clip) *b = person(ctx, FRAMES, 60, walk, &upright);
    const marey_clip *both[] = { a, b };
    test_ok(marey_clip_concatenate(both, 2, true, &made, NULL));
    test_near(marey_clip_root(made, FRAMES)[0], marey_clip_root(a, FRAMES - 1)[0], 1e-4);
    test_near(marey_clip_root(made, FRAMES)[2], marey_clip_root(a, FRAMES - 1)[2], 1e-4);
    for (int f = 0; f < FRAMES; f++) {
        FREED double *before = test_positions(b, f), *after = test_positions(made, FRAMES + f);
        for (int j = 0; j < JOINTS; j++) {
            test_near(after[3 * j + 1], before[3 * j + 1], 1e-3);
            test_near(mry_distance3(after + 3 * j, after), mry_distance3(before + 3 * j, before),
                      1e-3);
        }
    }
}

/* Two children of the root, with these channels each. */
static marey_clip *forked_clip(marey_ctx *ctx, const char *b_channels, const char *c_channels)
{
    char text[1024];
    snprintf(text, sizeof text,
             "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
             "JOINT b\n{\nOFFSET 0 9 0\nCHANNELS 3 %s\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
             "JOINT c\n{\nOFFSET 9 0 0\nCHANNELS 3 %s\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n"
             "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n",
             b_channels, c_channels);
    return test_clip(ctx, text);
}

TEST_CTX(clips_in_which_other_joints_move_are_not_joined)
{
    static const char moves[] = "Xposition Yposition Zposition",
                      turns[] = "Zrotation Xrotation Yrotation";
    marey_clip *made = NULL;
    OWNED(marey_clip) *b_moves = forked_clip(ctx, moves, turns),
                      *c_moves = forked_clip(ctx, turns, moves);
    const marey_clip *both[] = { b_moves, c_moves };
    assert_int_equal(marey_clip_concatenate(both, 2, false, &made, NULL), MAREY_ERR_SHAPE);
    assert_null(made);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Frame 0 is a T-pose far from the walk, and in frame 7 tracking was lost. */
static void walk_with_marks(const void *user, int f, double *row)
{
    (void)user;
    if (f == 7) return;
    walk(&plain, f, row);
    if (f > 0) {
        for (int j = 0; j < JOINTS; j++) row[3 + 3 * j + 2] = 25 + 2 * sin(0.1 * f);
        return;
    }
    memset(row, 0, TEST_PERSON_ROW * sizeof *row);
    row[0] = -5000;
    row[1] = 95;
    row[2] = 7000;
}

static marey_clip *marked_walk(marey_ctx *ctx)
{
    marey_clip *clip = person(ctx, 20, 100, walk_with_marks, NULL);
    test_check_mark(clip, 0, MAREY_MARK_INVENTED, 0, 1);
    test_check_mark(clip, 1, MAREY_MARK_DROPOUT, 7, 8);
    return clip;
}

TEST_CTX(marks_of_a_part_count_from_its_start)
{
    static const int parts[][2] = { { 5, 12 }, { 2, 20 }, { 7, 8 }, { 8, 20 } };
    OWNED(marey_clip) *clip = marked_walk(ctx);
    for (int i = 0; i < 4; i++) {
        OWNED(marey_clip) *part = NULL;
        test_ok(marey_clip_trim(clip, parts[i][0], parts[i][1], &part, NULL));
        assert_int_equal(test_marks(part), parts[i][0] <= 7);
        int at = 7 - parts[i][0];
        if (at >= 0) test_check_mark(part, 0, MAREY_MARK_DROPOUT, at, at + 1);
    }
}

/* Each made frame, mark and pose alike, belongs to the nearer source frame; halves go up. */
TEST_CTX(resampled_marks_and_poses_agree_at_every_rate)
{
    static const double rates[] = { 200, 300, 400, 150, 50, 1000, 100 };
    OWNED(marey_clip) *clip = marked_walk(ctx);
    for (int r = 0; r < 7; r++) {
        OWNED(marey_clip) *made = NULL;
        int dropouts = 0, invented = 0, count;
        test_ok(marey_clip_resample(clip, rates[r], &made, NULL));
        for (int f = 0; f < marey_clip_frames(made); f++) {
            int nearest = (int)floor(f * 100 / rates[r] + 0.5 + 1e-9);
            const double *root = marey_clip_root(made, f);
            assert_int_equal(is_marked(made, f), is_marked(clip, nearest));
            if (is_marked(made, f)) {
                assert_true(test_pose_apart(made, f, clip, nearest) < 1e-3);
            } else {
                assert_true(root[0] > 200 - 1 && root[1] > 90); /* nothing of 0 0 0, or of -5000 */
            }
        }
        const marey_mark *marks = marey_clip_marks(made, &count);
        for (int i = 0; i < count; i++) {
            dropouts += marks[i].kind == MAREY_MARK_DROPOUT;
            invented += marks[i].kind == MAREY_MARK_INVENTED;
        }
        assert_int_equal(invented, 1);
        assert_int_equal(dropouts, rates[r] == 50 ? 0 : 1); /* frame 7 is between two of those */
    }
}

/* 125 frames at 100 Hz are 30 at 24 Hz, though the division says 29.999999999999996. */
TEST_CTX(the_last_frame_is_not_lost_to_rounding)
{
    static const struct {
        double from, to;
        int frames, made;
    } cases[] = { { 100, 24, 126, 31 },
                  { 30, 30000 / 1001.0, 1002, 1001 },
                  { 60, 30000 / 1001.0, 1002, 501 },
                  { 120, 60, 121, 61 },
                  { 60, 120, 61, 121 } };
    for (int i = 0; i < 5; i++) {
        OWNED(marey_clip) *clip = person(ctx, cases[i].frames, cases[i].from, walk, &plain),
                          *made = NULL;
        test_ok(marey_clip_resample(clip, cases[i].to, &made, NULL));
        assert_int_equal(marey_clip_frames(made), cases[i].made);
        assert_true(test_pose_apart(made, cases[i].made - 1, clip, cases[i].frames - 1) < 1e-2);
    }
}

TEST_CTX(in_place_stays_over_the_first_captured_frame_and_keeps_marked_ones)
{
    OWNED(marey_clip) *clip = marked_walk(ctx), *made = NULL;
    test_ok(marey_clip_in_place(clip, &made, NULL));
    for (int f = 0; f < 20; f++) {
        const double *root = marey_clip_root(made, f);
        if (is_marked(clip, f)) {
            assert_memory_equal(root, marey_clip_root(clip, f), 3 * sizeof *root);
        } else {
            test_near(root[0], marey_clip_root(clip, 1)[0], 1e-9);
            test_near(root[2], marey_clip_root(clip, 1)[2], 1e-9);
        }
        assert_int_equal(is_marked(made, f), is_marked(clip, f));
    }
}

/* ---- angles ---------------------------------------------------------------------------------- */

/* Largest change of one channel from a frame to the next. */
static double largest_jump(const marey_clip *clip)
{
    double worst = 0;
    for (int f = 1; f < marey_clip_frames(clip); f++) {
        const double *before = marey_clip_channels(clip, f - 1),
                     *row = marey_clip_channels(clip, f);
        for (int c = 3; c < marey_clip_skeleton(clip)->channel_count; c++)
            worst = fmax(worst, fabs(row[c] - before[c]));
    }
    return worst;
}

/* With the middle angle at 90 degrees only the sum or the difference of the others is known. */
static void stay_locked(const void *user, int f, double *row)
{
    (void)user;
    row[1] = 95;
    for (int j = 1; j < JOINTS; j++) {
        row[3 + 3 * j] = 0.7 * f + j;
        row[3 + 3 * j + 1] = j % 2 ? 90 : -90;
    }
}

static void pass_the_lock(const void *user, int f, double *row)
{
    (void)user;
    row[1] = 95;
    for (int j = 1; j < JOINTS; j++) {
        row[3 + 3 * j] = j;
        row[3 + 3 * j + 1] = (j % 2 ? 1 : -1) * (50 + 1.37 * f);
        row[3 + 3 * j + 2] = -2 * j;
    }
}

static void spin(const void *user, int f, double *row)
{
    (void)user;
    row[1] = 95;
    for (int j = 1; j < JOINTS; j++) {
        row[3 + 3 * j] = (j % 2 ? 10 : -10) * f;
        row[3 + 3 * j + 1] = 20;
        row[3 + 3 * j + 2] = -8 * f;
    }
}

TEST_CTX(angles_go_on_in_gimbal_lock_past_ninety_degrees_and_past_whole_turns)
{
    enum { FRAMES = 60 };
    static const struct {
        pose_fn pose;
        double most; /* degrees a frame */
    } rows[] = { { stay_locked, 1 }, { pass_the_lock, 1.4 }, { spin, 10 } };
    for (int i = 0; i < 3; i++) {
        OWNED(marey_clip) *clip = person(ctx, FRAMES, 60, rows[i].pose, NULL);
        OWNED(marey_clip) *back = said_anew(ctx, clip);
        assert_true(largest_jump(clip) <= rows[i].most);
        for (int f = 0; f < FRAMES; f++) assert_true(test_pose_apart(clip, f, back, f) < 1e-2);
        double jump = largest_jump(back);
        if (jump > rows[i].most + 0.5) fail_msg("a channel jumps by %g degrees", jump);
    }
}

static const char few_channels[] =
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT b\n{\nOFFSET 3 40 1\nCHANNELS 2 Zrotation Xrotation\n"
    "JOINT c\n{\nOFFSET 30 4 5\nCHANNELS 1 Yrotation\n"
    "JOINT d\n{\nOFFSET 6 7 30\nCHANNELS 6 Yrotation Xrotation Zrotation Xscale Yscale Zscale\n"
    "JOINT e\n{\nOFFSET 10 20 30\nCHANNELS 1 Zscale\nEnd Site\n{\nOFFSET 1 2 3\n}\n}\n}\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.01\n"
    "1 90 3 10 20 30 170 170 200 5 6 7 1.5 2 3 4\n"
    "2 91 4 11 21 31 -165 120 -100 6 7 8 1.5 2 3 4\n"
    "3 92 5 12 22 32 20 -175 359 7 8 9 1.5 2 3 4\n";

TEST_CTX(joints_with_few_channels_keep_their_pose_and_scales_become_one)
{
    OWNED(marey_clip) *clip = test_clip(ctx, few_channels), *back = said_anew(ctx, clip);
    for (int f = 0; f < 3; f++) {
        assert_true(test_pose_apart(clip, f, back, f) < 1e-3);
        for (int c = 12; c < 16; c++) test_near(marey_clip_channels(back, f)[c], 1, 0);
    }
    test_near(marey_clip_channels(clip, 0)[14], 3, 0);
}

TEST_CTX(an_edited_clip_loses_next_to_nothing_in_a_file)
{
    enum { FRAMES = 40 };
    OWNED(marey_clip) *clip = person(ctx, FRAMES, 60, walk, &odd_places), *made = NULL;
    test_ok(marey_clip_mirror(clip, &made, NULL));
    OWNED(marey_clip) *back = written_and_read(ctx, made);
    for (int f = 0; f < FRAMES; f++) {
        assert_true(test_pose_apart(made, f, back, f) < 1e-4);
        for (int i = 0; i < 3; i++)
            test_near(marey_clip_root(back, f)[i], marey_clip_root(made, f)[i], 1e-6);
    }
}

/* ---- mirroring bones with axes of their own -------------------------------------------------- */

/* Bones point along their own x, as in Bandai Namco's files, and axes differ from the parent's by
   a turn about z (at_rest). Both sides' axes are each other's reflection with y turned round. The
   legs hang on joints whose names tell no side, hands have fingers, and joints below the root
   move. */
typedef struct bone {
    const char *name;
    int depth;
    double x, y, z;
    double at_rest;
    bool moves;
} bone;

static const bone own_axes[] = {
    { "Root", 0, 0, 0, 0, 0, true },
    { "Hips", 1, 0, 95, 0, 90, true },
    { "CarrierA", 2, -4, -5, 1, 180, false },
    { "LeftUpLeg", 3, 2, 5, 2, 0, false },
    { "LeftLeg", 4, 42, 0, 0, 0, false },
    { "LeftFoot", 5, 41, 0, 0, 0, false },
    { "LeftToeBase", 6, 6, 0, 13, 0, false },
    { "CarrierB", 2, -4, 5, 1, 180, false },
    { "RightUpLeg", 3, 2, -5, 2, 0, false },
    { "RightLeg", 4, 42, 0, 0, 0, false },
    { "RightFoot", 5, 41, 0, 0, 0, false },
    { "RightToeBase", 6, 6, 0, 13, 0, false },
    { "Spine", 2, 12, 0, 1, 0, false },
    { "Spine1", 3, 18, 0, 2, 0, false },
    { "Neck", 4, 22, 0, 1, 0, false },
    { "Head", 5, 9, 0, 1, 0, false },
    { "LeftShoulder", 4, 16, -4, 1, -90, false },
    { "LeftArm", 5, 13, 2, 3, 0, true },
    { "LeftForeArm", 6, 28, 0, 0, 0, false },
    { "LeftHand", 7, 25, 0, 0, 0, false },
    { "LeftHandThumb1", 8, 3, 2, 3, 0, false },
    { "LeftHandThumb2", 9, 4, 1, 1, 0, true },
    { "LeftHandIndex1", 8, 9, 1, 2, 0, false },
    { "LeftHandIndex2", 9, 4, 0, 1, 0, false },
    { "RightShoulder", 4, 16, 4, 1, 90, false },
    { "RightArm", 5, 13, -2, 3, 0, true },
    { "RightForeArm", 6, 28, 0, 0, 0, false },
    { "RightHand", 7, 25, 0, 0, 0, false },
    { "RightHandThumb1", 8, 3, -2, 3, 0, false },
    { "RightHandThumb2", 9, 4, -1, 1, 0, true },
    { "RightHandIndex1", 8, 9, -1, 2, 0, false },
    { "RightHandIndex2", 9, 4, 0, 1, 0, false },
};
enum { OWN = sizeof own_axes / sizeof *own_axes };

/* Every joint turns in its own time, the two sides differently. */
static void turn_everything(int f, double *row)
{
    for (int i = 0; i < OWN; i++) {
        const bone *b = &own_axes[i];
        if (b->moves) {
            *row++ = b->x + (i ? 1 : 50) * sin(0.11 * f + i);
            *row++ = b->y + sin(0.13 * f + 2 * i);
            *row++ = b->z + (i ? 1 : 80) * cos(0.07 * f + 3 * i);
        }
        *row++ = b->at_rest + 12 * sin(0.15 * f + 1.7 * i);
        *row++ = 10 * sin(0.12 * f + 2.3 * i);
        *row++ = 14 * sin(0.17 * f + 0.9 * i);
    }
}

static marey_clip *own_axes_clip(marey_ctx *ctx, int frames)
{
    FREED char *text = NULL;
    size_t size;
    int values = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("HIERARCHY\n", out);
    for (int i = 0; i < OWN; i++) {
        const bone *b = &own_axes[i];
        int next = i + 1 < OWN ? own_axes[i + 1].depth : 0;
        fprintf(out, "%s %s\n{\nOFFSET %g %g %g\n", i ? "JOINT" : "ROOT", b->name, b->x, b->y,
                b->z);
        fprintf(out, "CHANNELS %s Zrotation Yrotation Xrotation\n",
                b->moves ? "6 Xposition Yposition Zposition" : "3");
        values += b->moves ? 6 : 3;
        if (next > b->depth) continue;
        fputs("End Site\n{\nOFFSET 2 0 0\n}\n", out);
        for (int d = b->depth; d >= next; d--) fputs("}\n", out);
    }
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: %.9g\n", frames, 1.0 / 60);
    for (int f = 0; f < frames; f++) {
        double row[MOST_VALUES] = { 0 };
        turn_everything(f, row);
        for (int i = 0; i < values; i++) fprintf(out, i ? " %.9g" : "%.9g", row[i]);
        fputc('\n', out);
    }
    fclose(out);
    return test_clip(ctx, text);
}

static int other_side(int joint)
{
    static const char *const sides[][2] = { { "Left", "Right" },
                                            { "Right", "Left" },
                                            { "CarrierA", "CarrierB" },
                                            { "CarrierB", "CarrierA" } };
    const char *name = own_axes[joint].name;
    for (int s = 0; s < 4; s++) {
        char other[64];
        size_t count = strlen(sides[s][0]);
        if (strncmp(name, sides[s][0], count) != 0) continue;
        snprintf(other, sizeof other, "%s%s", sides[s][1], name + count);
        for (int j = 0; j < OWN; j++)
            if (strcmp(own_axes[j].name, other) == 0) return j;
        fail_msg("no joint %s", other);
    }
    return joint;
}

TEST_CTX(every_joint_with_axes_of_its_own_is_reflected_fingers_and_movers_too)
{
    enum { FRAMES = 64 };
    OWNED(marey_clip) *clip = own_axes_clip(ctx, FRAMES), *made = NULL, *back = NULL;
    assert_int_equal(marey_clip_skeleton(clip)->joint_count, OWN);
    test_ok(marey_clip_mirror(clip, &made, NULL));
    test_ok(marey_clip_mirror(made, &back, NULL));
    for (int f = 0; f < FRAMES; f++) {
        FREED double *before = test_positions(clip, f), *after = test_positions(made, f);
        for (int j = 0; j < OWN; j++) {
            double wanted[3];
            memcpy(wanted, before + 3 * other_side(j), sizeof wanted);
            wanted[0] = -wanted[0];
            double off = mry_distance3(wanted, after + 3 * j);
            if (off > 1e-3) fail_msg("frame %d: %s is %g cm off", f, own_axes[j].name, off);
        }
        double again = test_pose_apart(back, f, clip, f);
        if (again > 5e-3) fail_msg("frame %d: mirrored twice, a joint is %g cm off", f, again);
    }
}

/* ---- what a pair's reflection goes by -------------------------------------------------------- */

enum { LEFT_HAND = 16, RIGHT_HAND = 20 };

/* The right hand never turns; the left is turned by half about z in three frames of four. Seen
   from the left alone, two reflections fit; seen from both, one keeps the right hand as it always
   is. */
static void turn_the_left_hand(const void *user, int f, double *row)
{
    (void)user;
    row[1] = 95;
    row[3 + 3 * LEFT_HAND] = f % 4 ? 180 : 0;
}

TEST_CTX(a_hand_keeps_to_the_turns_that_both_sides_know)
{
    enum { FRAMES = 32 };
    static const float straight[4] = { 1, 0, 0, 0 };
    OWNED(marey_clip) *clip = person(ctx, FRAMES, 60, turn_the_left_hand, NULL), *made = NULL;
    assert_string_equal(marey_clip_skeleton(clip)->joints[RIGHT_HAND].name, "RightHand");
    test_ok(marey_clip_mirror(clip, &made, NULL));
    for (int f = 0; f < FRAMES; f++) {
        const float *right = marey_clip_rotations(made, f) + 4 * RIGHT_HAND;
        if (f % 4) test_near((double)mry_quat_angle(right, straight), 0, 1e-3);
    }
}

TEST_GROUP_OF_CASES(test_edges, NULL, NULL)
