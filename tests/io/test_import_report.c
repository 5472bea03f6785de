/* test_import_report.c - what is noticed while a file is read: its units and up axis, frames that
   were never captured, and a rate that gravity does not agree with. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- small files ----------------------------------------------------------------------------- */

enum { JOINTS = TEST_PERSON_JOINTS };

typedef struct row {
    double root[3];
    double turn[3 * JOINTS]; /* z, y, x of every joint */
} row;

/* Frames first .. first + count - 1 of the small person. */
static row *person_rows(int first, int count)
{
    FREED char *text = test_person(first + count);
    row *rows = calloc((size_t)count, sizeof *rows);
    assert_non_null(rows);
    char *at = strchr(strstr(text, "Frame Time:"), '\n') + 1;
    for (int f = 0; f < first; f++) at = strchr(at, '\n') + 1;
    for (int f = 0; f < count; f++) {
        for (int i = 0; i < 3; i++) rows[f].root[i] = strtod(at, &at);
        for (int i = 0; i < 3 * JOINTS; i++) rows[f].turn[i] = strtod(at, &at);
    }
    return rows;
}

static marey_clip *clip_of(marey_ctx *ctx, const row *rows, int count)
{
    FREED char *text = test_person_posed(rows->root, count, 60, 1, false);
    return test_clip(ctx, text);
}

/* ---- units ----------------------------------------------------------------------------------- */

TEST_CTX(every_known_unit_is_found_from_the_size_of_the_body)
{
    FREED row *rows = person_rows(0, 30);
    for (marey_units u = MAREY_UNITS_MM; u <= MAREY_UNITS_CMU; u++) {
        FREED char *text = test_person_posed(rows->root, 30, 60, 1 / marey_units_cm(u), false);
        OWNED(marey_clip) *clip = test_clip(ctx, text);
        double knee = marey_clip_skeleton(clip)->joints[2].offset_cm[1];
        assert_int_equal(marey_clip_units(clip), u);
        test_near(marey_clip_report(clip)->height_cm, 161, 8);
        test_near(knee, -42, 1e-6);
        test_near(marey_clip_root(clip, 3)[1], rows[3].root[1], 1e-6);
        assert_non_null(strstr(marey_clip_report(clip)->units_why, "assuming "));
    }
}

TEST_CTX(given_units_are_taken_and_raw_changes_nothing)
{
    FREED char *text = test_person(8);
    OWNED(marey_clip) *inch = NULL, *raw = NULL;
    marey_load_def as_inch = { .units = MAREY_UNITS_INCH };
    marey_load_def as_raw = { .units = MAREY_UNITS_RAW, .up = MAREY_UP_Z };
    size_t size = strlen(text);
    assert_int_equal(marey_clip_load_bytes(ctx, "a.bvh", text, size, &as_inch, &inch, NULL), 0);
    assert_int_equal(marey_clip_load_bytes(ctx, "a.bvh", text, size, &as_raw, &raw, NULL), 0);
    test_near(marey_clip_skeleton(inch)->joints[2].offset_cm[1], -42 * 2.54, 1e-9);
    test_near(marey_clip_skeleton(raw)->joints[2].offset_cm[1], -42, 0);
    assert_int_equal(marey_clip_up(raw), MAREY_UP_Y);
}

TEST_CTX(a_body_of_no_human_size_is_left_in_centimetres_with_a_warning)
{
    FREED row *rows = person_rows(0, 8);
    FREED char *text = test_person_posed(rows->root, 8, 60, 1e6, false);
    OWNED(marey_clip) *clip = test_clip(ctx, text);
    assert_int_equal(marey_clip_units(clip), MAREY_UNITS_CM);
    assert_int_equal(test_warnings_with(clip, "in no known unit"), 1);
}

TEST(the_names_of_units_and_marks_come_from_their_tables)
{
    assert_string_equal(marey_units_name(MAREY_UNITS_GUESS), "");
    assert_string_equal(marey_units_name(MAREY_UNITS_CMU), "cmu");
    test_near(marey_units_cm(MAREY_UNITS_CMU), 5.6444444, 1e-6);
    test_near(marey_units_cm(MAREY_UNITS_RAW), 1, 0);
    assert_string_equal(marey_mark_name(MAREY_MARK_INVENTED), "invented-first-frame");
    assert_string_equal(marey_mark_name(MAREY_MARK_DROPOUT), "dropout");
}

/* ---- up axis --------------------------------------------------------------------------------- */

TEST_CTX(a_file_with_z_up_gives_the_same_motion_as_with_y_up)
{
    enum { FRAMES = 40 };
    FREED row *rows = person_rows(0, FRAMES);
    FREED char *lying = test_person_posed(rows->root, FRAMES, 60, 1, true);
    OWNED(marey_clip) *a = clip_of(ctx, rows, FRAMES), *b = test_clip(ctx, lying);
    double pa[3 * JOINTS], pb[3 * JOINTS];
    assert_int_equal(marey_clip_up(a), MAREY_UP_Y);
    assert_int_equal(marey_clip_up(b), MAREY_UP_Z);
    for (int f = 0; f < FRAMES; f++) {
        marey_clip_positions(a, f, 1, pa);
        marey_clip_positions(b, f, 1, pb);
        for (int i = 0; i < 3 * JOINTS; i++) test_near(pa[i], pb[i], 2e-4);
    }
    test_near(marey_clip_channels(b, 5)[2], rows[5].root[1], 1e-6); /* as in the file */
}

/* Lies on the back along z, far from the origin: a quarter turn of the root about x. */
TEST_CTX(a_body_that_lies_down_does_not_turn_the_world)
{
    enum { FRAMES = 40 };
    FREED row *rows = calloc(FRAMES, sizeof *rows);
    for (int f = 0; f < FRAMES; f++) {
        rows[f].root[1] = 12;
        rows[f].root[2] = 400 + 0.1 * f;
        rows[f].turn[2] = 90;
        rows[f].turn[5] = 0.1 * f;
    }
    OWNED(marey_clip) *clip = clip_of(ctx, rows, FRAMES);
    assert_int_equal(marey_clip_up(clip), MAREY_UP_Y);
}

TEST_CTX(a_body_that_stands_and_then_lies_keeps_to_the_floor)
{
    enum { FRAMES = 80 };
    FREED row *rows = calloc(FRAMES, sizeof *rows);
    for (int f = 0; f < FRAMES; f++) {
        double lain = f < 20 ? 0 : f > 40 ? 1 : (f - 20) / 20.0;
        double angle = lain * acos(-1) / 2;
        rows[f].root[1] = 2 + 93 * cos(angle) + 13 * sin(angle);
        rows[f].root[2] = 10 + 93 * sin(angle) + f;
        rows[f].turn[2] = 90 * lain;
        rows[f].turn[5] = 0.37;
    }
    for (int z_up = 0; z_up < 2; z_up++) {
        FREED char *text = test_person_posed(rows->root, FRAMES, 60, 1, z_up);
        OWNED(marey_clip) *clip = test_clip(ctx, text);
        assert_int_equal(marey_clip_up(clip), z_up ? MAREY_UP_Z : MAREY_UP_Y);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

TEST_CTX(a_t_pose_put_in_front_is_marked)
{
    FREED row *rows = person_rows(11, 50);
    memset(rows[0].turn, 0, sizeof rows[0].turn);
    memcpy(rows[0].root, rows[1].root, sizeof rows[0].root);
    OWNED(marey_clip) *clip = clip_of(ctx, rows, 50);
    assert_int_equal(test_marks(clip), 1);
    test_check_mark(clip, 0, MAREY_MARK_INVENTED, 0, 1);
    assert_int_equal(test_warnings_with(clip, "T-pose"), 1);
}

TEST_CTX(a_motion_that_begins_in_a_t_pose_or_with_a_cut_is_not_marked)
{
    FREED row *rows = person_rows(0, 60), *cut = person_rows(16, 60);
    OWNED(marey_clip) *begins = clip_of(ctx, rows, 60);
    assert_int_equal(test_marks(begins), 0);
    memcpy(cut[0].turn, cut[31].turn, sizeof cut[0].turn);
    OWNED(marey_clip) *jumps = clip_of(ctx, cut, 60);
    assert_int_equal(test_marks(jumps), 0);
}

TEST_CTX(frames_with_the_root_at_zero_are_marked_as_dropouts)
{
    FREED row *rows = person_rows(0, 60);
    for (int f = 20; f < 23; f++) memset(&rows[f], 0, sizeof rows[f]);
    memset(&rows[59], 0, sizeof rows[59]);
    OWNED(marey_clip) *clip = clip_of(ctx, rows, 60);
    assert_int_equal(test_marks(clip), 2);
    test_check_mark(clip, 0, MAREY_MARK_DROPOUT, 20, 23);
    test_check_mark(clip, 1, MAREY_MARK_DROPOUT, 59, 60);
    assert_int_equal(test_warnings_with(clip, "lost in 4 frames, the first of them 20"), 1);
}

TEST_CTX(an_invented_frame_and_dropouts_behind_it_are_distinguished)
{
    FREED row *rows = person_rows(10, 60);
    memset(rows, 0, 3 * sizeof *rows);
    OWNED(marey_clip) *clip = clip_of(ctx, rows, 60);
    assert_int_equal(test_marks(clip), 2);
    test_check_mark(clip, 0, MAREY_MARK_INVENTED, 0, 1);
    test_check_mark(clip, 1, MAREY_MARK_DROPOUT, 1, 3);
}

TEST_CTX(a_body_that_walks_through_the_origin_is_no_dropout)
{
    FREED row *rows = person_rows(0, 40);
    for (int f = 0; f < 40; f++) {
        rows[f].root[0] = rows[f].root[1] = 0;
        rows[f].root[2] = 2.0 * (f - 20);
    }
    OWNED(marey_clip) *clip = clip_of(ctx, rows, 40);
    assert_int_equal(test_marks(clip), 0);
    for (int f = 0; f < 40; f++) rows[f].root[2] = 0;
    OWNED(marey_clip) *still = clip_of(ctx, rows, 40);
    assert_int_equal(test_marks(still), 0);
}

TEST_CTX(clips_of_one_or_two_frames_have_no_marks)
{
    FREED row *rows = person_rows(16, 2);
    memset(&rows[0], 0, sizeof rows[0]);
    for (int count = 1; count <= 2; count++) {
        OWNED(marey_clip) *clip = clip_of(ctx, rows, count);
        assert_int_equal(test_marks(clip), 0);
        assert_int_equal(test_warnings_with(clip, "only one frame"), count == 1);
    }
}

/* ---- the rate -------------------------------------------------------------------------------- */

enum { JUMPS = 3 };

/* Stands for half a second, then jumps half a second up and along, three times. */
static row *jumping_rows(double true_hz, int *count)
{
    const double up = 245, period = 1.0, air = 2 * up / 981;
    *count = (int)(true_hz * period * JUMPS) + 10;
    row *rows = calloc((size_t)*count, sizeof *rows);
    for (int f = 0; f < *count; f++) {
        double t = f / true_hz, in = fmod(t, period) - 0.5, done = floor(t / period) * air;
        bool flies = in > 0 && in < air && t < period * JUMPS;
        rows[f].root[1] = 95 + (flies ? up * in - 981 * in * in / 2 : 0);
        rows[f].root[2] = 120 * (done + (flies ? in : in >= air ? air : 0));
        rows[f].turn[5] = 0.37; /* no pose of whole degrees */
    }
    return rows;
}

static marey_clip *jumping_clip(marey_ctx *ctx, double true_hz, double claimed_hz)
{
    int count;
    FREED row *rows = jumping_rows(true_hz, &count);
    FREED char *text = test_person_posed(rows->root, count, claimed_hz, 1, false);
    return test_clip(ctx, text);
}

TEST_CTX(gravity_tells_the_true_rate_whatever_the_file_claims)
{
    static const double rates[] = { 30, 50, 60, 120 };
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            char words[64];
            bool doubtful = fabs(log(rates[i] / rates[j])) > log(1.3); /* 50 for 60 is let pass */
            OWNED(marey_clip) *clip = jumping_clip(ctx, rates[i], rates[j]);
            const marey_report *report = marey_clip_report(clip);
            assert_int_equal(report->flight_count, JUMPS);
            test_near(report->flight_fps, rates[i], 0.02 * rates[i]);
            test_near(marey_clip_fps(clip), rates[j], 0.01); /* a warning changes nothing */
            snprintf(words, sizeof words, "--source-fps %g corrects it", rates[i]);
            assert_int_equal(test_warnings_with(clip, words), doubtful);
            assert_int_equal(test_warnings_with(clip, " as if recorded at "), doubtful);
        }
    }
}

TEST_CTX(walking_and_standing_say_nothing_about_the_rate)
{
    FREED row *rows = person_rows(0, 300);
    OWNED(marey_clip) *clip = clip_of(ctx, rows, 300);
    assert_int_equal(marey_clip_report(clip)->flight_count, 0);
    test_near(marey_clip_report(clip)->flight_fps, 0, 0);
}

TEST_CTX(lengths_as_in_the_file_say_nothing_about_the_rate)
{
    int count;
    FREED row *rows = jumping_rows(60, &count);
    FREED char *text = test_person_posed(rows->root, count, 120, 1, false);
    OWNED(marey_clip) *clip = test_clip_raw(ctx, text);
    assert_int_equal(marey_clip_report(clip)->flight_count, 0);
}

/* Every allocation of an import that finds a T-pose, a dropout and a false rate is refused in
   turn. */
TEST(refused_memory_is_reported_and_nothing_leaks)
{
    int count;
    FREED row *rows = jumping_rows(60, &count), *walk = person_rows(16, 1);
    memcpy(rows[0].turn, walk[0].turn, sizeof rows[0].turn);
    memset(rows[0].turn, 0, sizeof rows[0].turn);
    memset(rows[count - 1].root, 0, sizeof rows[0].root);
    for (int f = 1; f < count; f++) memcpy(rows[f].turn, walk[0].turn, sizeof rows[f].turn);
    FREED char *text = test_person_posed(rows->root, count, 120, 1, false);
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        OWNED(marey_clip) *clip = NULL;
        status = test_ctx_try(&memory, &ctx);
        if (!status)
            status = marey_clip_load_bytes(ctx, "a.bvh", text, strlen(text), NULL, &clip, NULL);
        if (!status) assert_int_equal(test_marks(clip), 2);
    }
}

/* ---- real files ------------------------------------------------------------------------------ */

typedef struct seen {
    marey_ctx *ctx;
    int false_alarms, found, missed;
} seen;

/* Head tip above the lowest joint, at its highest over the frames. */
static double tallest(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, head = skeleton->roles[MAREY_ROLE_HEAD];
    const marey_joint *joint = &skeleton->joints[head];
    double *at = malloc(sizeof *at * 3 * (size_t)joints), most = 0;
    double tip = sqrt(joint->end_cm[0] * joint->end_cm[0] + joint->end_cm[1] * joint->end_cm[1] +
                      joint->end_cm[2] * joint->end_cm[2]);
    for (int f = 0; f < marey_clip_frames(clip); f += 4) {
        if (mry_clip_is_marked(clip, f)) continue;
        marey_clip_positions(clip, f, 1, at);
        double low = at[1];
        for (int j = 1; j < joints; j++) low = fmin(low, at[3 * j + 1]);
        most = fmax(most, at[3 * head + 1] - low);
    }
    free(at);
    return most + tip;
}

/* These were captured at 60 Hz and leave the ground; sets/cmu_sets.txt beside the data has the
   rates of all. */
static bool flies_at_60(const char *name)
{
    static const char *const names[] = { "143_01.bvh", "143_02.bvh", "143_03.bvh", "143_05.bvh" };
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static void visit_cmu(void *user, const char *path)
{
    seen *s = user;
    OWNED(marey_clip) *clip = test_clip_load(s->ctx, path);
    const char *name = test_base_name(path);
    bool drops = strcmp(name, "07_12.bvh") == 0,
         warned = test_warnings_with(clip, " as if recorded at ") > 0;
    double height = marey_clip_report(clip)->height_cm;
    assert_int_equal(marey_clip_units(clip), MAREY_UNITS_CMU);
    assert_int_equal(marey_clip_up(clip), MAREY_UP_Y);
    assert_int_equal(test_marks(clip), drops ? 2 : 1);
    test_check_mark(clip, 0, MAREY_MARK_INVENTED, 0, 1);
    if (drops) test_check_mark(clip, 1, MAREY_MARK_DROPOUT, 1, 2);
    test_near(height, tallest(clip), 0.09 * height);
    assert_int_equal(test_warnings_with(clip, "no length"), 1);
    /* That is how the skeleton is made, and no other warning is of this kind. */
    const marey_report *report = marey_clip_report(clip);
    for (int i = 0; i < report->warning_count; i++)
        assert_int_equal(report->remarks >> i & 1,
                         strstr(report->warnings[i], "no length") != NULL);
    if (warned) assert_int_equal(test_warnings_with(clip, "recorded at 60 fps"), 1);
    s->found += warned && flies_at_60(name);
    s->missed += !warned && flies_at_60(name);
    s->false_alarms += warned && !flies_at_60(name);
}

TEST(cmu_files_are_reported_as_they_are)
{
    test_need_mocap();
    seen s = { .ctx = test_ctx() };
    assert_true(test_mocap_each("cmu", ".bvh", visit_cmu, &s) > 0);
    assert_int_equal(s.false_alarms, 0);
    assert_int_equal(s.missed, 0);
    assert_int_equal(s.found, 4);
    marey_ctx_close(s.ctx);
}

static void visit_plain(void *user, const char *path)
{
    seen *s = user;
    OWNED(marey_clip) *clip = test_clip_load(s->ctx, path);
    assert_int_equal(marey_clip_units(clip), MAREY_UNITS_CM);
    assert_int_equal(marey_clip_up(clip), MAREY_UP_Y);
    assert_int_equal(test_marks(clip), 0);
    assert_int_equal(test_warnings_with(clip, " as if recorded at "), 0);
}

TEST(bandai_and_accad_files_give_no_false_alarm)
{
    test_need_mocap();
    seen s = { .ctx = test_ctx() };
    assert_true(test_mocap_each("bandai", ".bvh", visit_plain, &s) > 0);
    assert_true(test_mocap_each("accad", ".bvh", visit_plain, &s) > 0);
    marey_ctx_close(s.ctx);
}

typedef struct odd_file {
    const char *name;
    marey_units units;
    marey_up up;
    int marks;
} odd_file;

static const odd_file odd_files[] = {
    { "AnimatedDrawings__jumping_jacks.bvh", MAREY_UNITS_CMU, MAREY_UP_Y, 0 },
    { "bvh-python__test_freebvh.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "bvh-python__test_mocapbank.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "bvh11__131_01.bvh", MAREY_UNITS_CMU, MAREY_UP_Y, 0 },
    { "bvhviewer__debug_axes.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "fairmotion__sinusoidal.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "possumwood__141_01.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 1 },
    { "pybvh__bvh_test2.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "pybvh__bvh_test3.bvh", MAREY_UNITS_INCH, MAREY_UP_Z, 0 },
    { "pybvh__full_precision_frame_time.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "pybvh__rotation_first_root.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 0 },
    { "three.js__pirouette.bvh", MAREY_UNITS_CM, MAREY_UP_Y, 1 },
};

static void visit_odd(void *user, const char *path)
{
    seen *s = user;
    for (size_t i = 0; i < sizeof odd_files / sizeof *odd_files; i++) {
        if (strcmp(odd_files[i].name, test_base_name(path)) != 0) continue;
        OWNED(marey_clip) *clip = test_clip_load(s->ctx, path);
        assert_int_equal(marey_clip_units(clip), odd_files[i].units);
        assert_int_equal(marey_clip_up(clip), odd_files[i].up);
        assert_int_equal(test_marks(clip), odd_files[i].marks);
        assert_int_equal(test_warnings_with(clip, " as if recorded at "), 0);
        s->found++;
    }
}

TEST(odd_files_come_out_right)
{
    test_need_mocap();
    seen s = { .ctx = test_ctx() };
    test_mocap_each("format_zoo", ".bvh", visit_odd, &s);
    assert_int_equal(s.found, sizeof odd_files / sizeof *odd_files);
    marey_ctx_close(s.ctx);
}

TEST_GROUP_OF_CASES(test_import_report, NULL, NULL)
