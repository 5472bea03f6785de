/* test_asfamc.c - ASF/AMC by poses that can be worked out by hand; how a motion finds its skeleton; what edits
   and BVH make of angles about a bone's own axes. Real files are judged in test_asfamc_judge.c. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void mocap_path(char *path, size_t room, const char *file)
{
    snprintf(path, room, "%s/%s", test_mocap_folder(), file);
}

/* ---- small skeletons -------------------------------------------------------------------------- */

/* An arm along x from a root; %s: units, root, axis of the upper bone, dof. */
static const char arm[] = ":version 1.10\n:name arm\n:units\n mass 1\n length 1\n angle %s\n"
                          ":documentation\n nothing\n:root\n %s\n:bonedata\n begin\n id 1\n"
                          " name upper\n direction 1 0 0\n length 10\n axis %s\n dof %s\n"
                          " limits (-1 1)\n (-2 2)\n  (-3 3)\n end\n begin\n id 2\n name lower\n"
                          " direction 1 0 0\n length 5\n axis 0 0 0 XYZ\n end\n begin\n name tip\n"
                          " direction 0 1 0\n length 2\n axis 0 0 0 XYZ\n end\n:hierarchy\n begin\n"
                          " root upper\n upper lower\n lower tip\n end\n";
static const char plain_root[] = "order TX TY TZ RX RY RZ\n axis XYZ\n position 0 0 0\n"
                                 " orientation 0 0 0";

typedef struct desk {
    char folder[512], asf[600], amc[600], bvh[600];
    marey_ctx *ctx;
} desk;

static void desk_open(desk *d)
{
    test_folder_make(d->folder, sizeof d->folder);
    snprintf(d->asf, sizeof d->asf, "%s/arm.asf", d->folder);
    snprintf(d->amc, sizeof d->amc, "%s/arm_1.amc", d->folder);
    snprintf(d->bvh, sizeof d->bvh, "%s/arm.bvh", d->folder);
    d->ctx = test_ctx();
}

static void desk_close(desk *d)
{
    marey_ctx_close(d->ctx);
    test_folder_remove(d->folder);
}
OWNED_VALUE(desk, desk_close)

static void write_text(const char *path, const char *text)
{
    test_file_write(path, text, strlen(text));
}

static marey_clip *load_arm(desk *d, const char *angle, const char *root, const char *axis,
                            const char *dof, const char *motion)
{
    char text[2048];
    snprintf(text, sizeof text, arm, angle, root, axis, dof);
    write_text(d->asf, text);
    write_text(d->amc, motion);
    return test_clip_load_raw(d->ctx, d->amc);
}

/* Takes and frees the clip; its joint "tip" in frame 0 must be at x y z. */
static void expect_tip(marey_clip *clip, double x, double y, double z)
{
    double points[12], at[3] = { x, y, z };
    marey_clip_positions(clip, 0, 1, points);
    for (int i = 0; i < 3; i++) {
        if (fabs(points[9 + i] - at[i]) > 1e-5) {
            fail_msg("the tip is at %g %g %g, not at %g %g %g", points[9], points[10], points[11],
                     x, y, z);
        }
    }
    marey_clip_free(clip);
}

TEST(angles_turn_about_the_axes_of_the_bone)
{
    OWNED(desk) d;
    desk_open(&d);
    static const char turn_z[] = ":DEGREES\n1\nroot 1 2 3 0 0 0\nupper 90\n";
    expect_tip(load_arm(&d, "deg", plain_root, "0 0 0 XYZ", "rz", turn_z), 1, 17, 3);
    /* z of axes that are turned by 90 degrees about x is the parent's -y. */
    expect_tip(load_arm(&d, "deg", plain_root, "90 0 0 XYZ", "rz", turn_z), 1, 2, 18);
    static const char root_too[] = "1\nroot 0 0 0 0 0 90\nupper 90\n";
    expect_tip(load_arm(&d, "deg", plain_root, "0 0 0 XYZ", "rz", root_too), -15, 0, 0);
}

TEST(the_named_order_of_axes_is_kept)
{
    OWNED(desk) d;
    desk_open(&d);
    /* x first does nothing to a bone along x; z first leaves it along y, which x turns to z. */
    static const char turns[] = "7\nroot 0 0 0 0 0 0\nupper 90 90\n";
    expect_tip(load_arm(&d, "deg", plain_root, "0 0 0 XYZ", "rx rz", turns), 0, 15, 0);
    expect_tip(load_arm(&d, "deg", plain_root, "0 0 0 ZYX", "rx rz", turns), 0, 0, 15);
    static const char root_turns[] = "7\nroot 90 90 0 5 6 7\nupper 0 0\n";
    static const char root_zyx[] = "order RX RZ RY TZ TX TY\n axis ZYX";
    expect_tip(load_arm(&d, "deg", root_zyx, "0 0 0 XYZ", "rx rz", root_turns), 6, 7, 20);
}

TEST(radians_become_degrees)
{
    OWNED(desk) d;
    desk_open(&d);
    static const char turn[] = ":FULLY-SPECIFIED\n1\nroot 0 0 0 0 0 0\nupper 1.5707963267949\n";
    marey_clip *clip = load_arm(&d, "rad", plain_root, "1.5707963267949 0 0 XYZ", "rz", turn);
    assert_true(fabs(marey_clip_channels(clip, 0)[6] - 90) < 1e-9);
    assert_true(test_warnings_with(clip, "radians"));
    expect_tip(clip, 0, 0, 15);
    static const char degrees[] = ":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 90\n";
    clip = load_arm(&d, "rad", plain_root, "1.5707963267949 0 0 XYZ", "rz", degrees);
    assert_false(test_warnings_with(clip, "radians"));
    expect_tip(clip, 0, 0, 15);
}

TEST(a_root_that_stands_elsewhere_is_added)
{
    OWNED(desk) d;
    desk_open(&d);
    static const char moved[] = "order TX TY TZ RX RY RZ\n axis XYZ\n position 100 200 300\n"
                                " orientation 0 0 0";
    static const char still[] = "order RX\n axis XYZ\n position 100 200 300";
    marey_clip *clip = load_arm(&d, "deg", moved, "0 0 0 XYZ", "", "1\nroot 1 2 3 0 0 0\n");
    assert_true(test_warnings_with(clip, "100 200 300"));
    expect_tip(clip, 116, 202, 303);
    clip = load_arm(&d, "deg", still, "0 0 0 XYZ", "", "1\nroot 0\n");
    expect_tip(clip, 115, 200, 300);
    static const char turned[] = "order TX TY TZ RX RY RZ\n axis XYZ\n orientation 90 0 0";
    clip = load_arm(&d, "deg", turned, "0 0 0 XYZ", "", "1\nroot 0 0 0 0 0 90\n");
    expect_tip(clip, 0, 0, 15);
    clip = test_clip_load_raw(d.ctx, d.asf);
    assert_true(test_warnings_with(clip, "without motion"));
    expect_tip(clip, 15, 0, 0);
}

TEST(frame_numbers_may_start_anywhere_and_leave_some_out)
{
    OWNED(desk) d;
    desk_open(&d);
    static const char gaps[] = "#!OML:ASF X:\\f\xfcr Bonn\\a.ASF\n:DEGREES\n"
                               "41\nroot 0 0 0 0 0 0\nupper 1\n42\nupper 2\nroot 0 0 0 0 0 0\n"
                               "# a pause\n45\nroot 0 0 0 0 0 0\nupper 3\n\n47\nlower\nupper 4\n"
                               "root 0 0 0 0 0 0";
    OWNED(marey_clip) *clip = load_arm(&d, "deg", plain_root, "0 0 0 XYZ", "rz", gaps);
    assert_int_equal(marey_clip_frames(clip), 4);
    for (int f = 0; f < 4; f++) assert_true(marey_clip_channels(clip, f)[6] == f + 1);
    assert_true(test_warnings_with(clip, "in 2 places, the first behind 42"));
}

TEST(a_bone_may_begin_with_a_digit)
{
    OWNED(desk) d;
    desk_open(&d);
    write_text(d.asf,
               ":version 1\n:root\norder TX\n:bonedata\nbegin\nname 2ndToe\ndirection 1 0 0\n"
               "length 1\naxis 0 0 0 XYZ\ndof rx\nend\n:hierarchy\nbegin\nroot 2ndToe\nend\n");
    write_text(d.amc, "1\nroot 1\n2ndToe 5\n2\n2ndToe 6\nroot 2\n");
    OWNED(marey_clip) *clip = test_clip_load_raw(d.ctx, d.amc);
    assert_int_equal(marey_clip_frames(clip), 2);
    assert_true(marey_clip_channels(clip, 1)[1] == 6);
}

/* ---- edits and writing ------------------------------------------------------------------------ */

static double most_apart(const marey_clip *a, const marey_clip *b)
{
    int joints = marey_clip_skeleton(a)->joint_count;
    size_t count = (size_t)joints * 3;
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y), worst = 0;
    assert_int_equal(marey_clip_skeleton(b)->joint_count, joints);
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    for (int f = 0; f < marey_clip_frames(a); f++) {
        marey_clip_positions(a, f, 1, x);
        marey_clip_positions(b, f, 1, y);
        for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    }
    free(x);
    free(y);
    return worst;
}

TEST(written_as_bvh_it_is_the_same_motion)
{
    static const char *const files[] = { "cmu_asfamc/02_02.amc", "cmu_asfamc/49_06.amc",
                                         "cmu_asfamc/141_01.amc", "cmu_asfamc/kit_01.asf" };
    OWNED(desk) d;
    test_need_mocap();
    desk_open(&d);
    for (int i = 0; i < 4; i++) {
        char path[2048];
        mocap_path(path, sizeof path, files[i]);
        OWNED(marey_clip) *clip = test_clip_load(d.ctx, path);
        marey_load_def as_it_was = { .units = marey_clip_units(clip), .up = marey_clip_up(clip) };
        test_ok(marey_clip_save(clip, d.bvh, &test_error));
        OWNED(marey_clip) *again = NULL;
        test_ok(marey_clip_load(d.ctx, d.bvh, &as_it_was, &again, &test_error));
        double worst = most_apart(clip, again);
        print_message("%s as BVH: at most %.1e cm apart\n", files[i], worst);
        assert_true(worst < 1e-3);
        assert_true(marey_clip_fps(again) == 120);
    }
}

TEST(a_trimmed_clip_keeps_numbers_and_axes)
{
    OWNED(desk) d;
    marey_clip *part = NULL, *same = NULL;
    desk_open(&d);
    static const char motion[] = "1\nroot 0 0 0 0 0 0\nupper 10\n2\nroot 1 2 3 0 0 0\nupper 90\n"
                                 "3\nroot 1 2 3 0 0 0\nupper 80\n";
    marey_clip *clip = load_arm(&d, "deg", plain_root, "90 0 0 XYZ", "rz", motion);
    test_ok(marey_clip_trim(clip, 1, 3, &part, &test_error));
    assert_int_equal(marey_clip_skeleton(part)->channel_count, 7);
    assert_int_equal(marey_clip_skeleton(part)->joints[1].channel_count, 1);
    assert_int_equal(marey_clip_skeleton(part)->joints[1].channels[0], MAREY_CHANNEL_Z_ROTATION);
    assert_true(marey_clip_channels(part, 0)[6] == 90);
    /* Written and read again it is the same: the axes came along. */
    test_ok(marey_clip_save(part, d.bvh, &test_error));
    same = test_clip_load_raw(d.ctx, d.bvh);
    assert_true(most_apart(part, same) < 1e-4);
    marey_clip_free(same);
    marey_clip_free(clip);
    expect_tip(part, 1, 2, 18);
}

static void check_plain(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    assert_null(marey_clip_channels(clip, 0));
    assert_int_equal(skeleton->channel_count, 3 * skeleton->joint_count + 3);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        assert_int_equal(joint->channel_count, j ? 3 : 6);
        assert_int_equal(joint->first_channel, j ? 3 * j + 3 : 0);
        assert_int_equal(joint->channels[j ? 0 : 3], MAREY_CHANNEL_Z_ROTATION);
    }
}

TEST(an_edited_clip_has_plain_channels)
{
    char path[2048];
    OWNED(desk) d;
    test_need_mocap();
    desk_open(&d);
    mocap_path(path, sizeof path, "cmu_asfamc/02_02.amc");
    OWNED(marey_clip) *clip = test_clip_load(d.ctx, path), *once = NULL, *twice = NULL,
                      *again = NULL;
    test_ok(marey_clip_mirror(clip, &once, &test_error));
    check_plain(once);
    test_ok(marey_clip_mirror(once, &twice, &test_error));
    assert_true(most_apart(clip, twice) < 1e-2);
    test_ok(marey_clip_save(once, d.bvh, &test_error));
    again = test_clip_load(d.ctx, d.bvh);
    assert_true(most_apart(once, again) < 1e-3);
}

/* ---- which skeleton belongs to a motion ------------------------------------------------------- */

/* Skeletons are told apart by the length of "upper". */
static void write_skeleton(const desk *d, const char *name, int length)
{
    char path[1200], text[400];
    snprintf(path, sizeof path, "%s/%s", d->folder, name);
    snprintf(
        text, sizeof text,
        ":version 1.10\n:root\norder TX TY TZ RX RY RZ\n:bonedata\nbegin\nname upper\n"
        "direction 1 0 0\nlength %d\naxis 0 0 0 XYZ\nend\n:hierarchy\nbegin\nroot upper\nend\n",
        length);
    write_text(path, text);
}

/* Which skeleton was taken, by its length; 0 for none. */
static int taken(desk *d, const char *motion, const marey_load_def *asked)
{
    char path[1200];
    OWNED(marey_clip) *clip = NULL;
    marey_error error = { 0 };
    marey_load_def def = asked ? *asked : (marey_load_def){ 0 };
    def.units = MAREY_UNITS_RAW;
    snprintf(path, sizeof path, "%s/%s", d->folder, motion);
    write_text(path, "1\nroot 0 0 0 0 0 0\n");
    if (marey_clip_load(d->ctx, path, &def, &clip, &error)) {
        assert_int_equal(error.status, MAREY_ERR_INPUT);
        assert_non_null(strstr(error.message, "--skeleton"));
        return 0;
    }
    double length = marey_clip_skeleton(clip)->joints[1].end_cm[0];
    assert_int_equal(test_warnings_with(clip, "the only one there"), (int)length == 9);
    return (int)length;
}

TEST(the_longest_common_beginning_decides)
{
    OWNED(desk) d;
    char below[600], deeper[700];
    desk_open(&d);
    snprintf(below, sizeof below, "%s/a", d.folder);
    snprintf(deeper, sizeof deeper, "%s/a/b", d.folder);
    mkdir(below, 0700);
    mkdir(deeper, 0700);
    assert_int_equal(taken(&d, "a/b/run_1.amc", NULL), 0);
    write_skeleton(&d, "run.asf", 1);
    assert_int_equal(taken(&d, "a/b/run_1.amc", NULL), 0); /* two folders up is too far */
    assert_int_equal(taken(&d, "a/run_1.amc", NULL), 1);
    assert_int_equal(taken(&d, "run_1.amc", NULL), 1);
    write_skeleton(&d, "run_1x.ASF", 2);
    write_skeleton(&d, "run_1a.asf", 3);
    assert_int_equal(taken(&d, "run_1.amc", NULL), 3); /* alphabetically first of two equals */
    assert_int_equal(taken(&d, "run_1xy.amc", NULL), 2);
    assert_int_equal(taken(&d, "a/run_2.amc", NULL), 3);
    assert_int_equal(taken(&d, "walk.amc", NULL), 0); /* several, and none fits */
    write_skeleton(&d, "a/jump.asf", 9);
    assert_int_equal(taken(&d, "a/run_1.amc", NULL), 9); /* its own folder goes before the parent */
    char path[700];
    snprintf(path, sizeof path, "%s/run.asf", d.folder);
    assert_int_equal(taken(&d, "a/run_1.amc", &(marey_load_def){ .skeleton_path = path }), 1);
}

TEST(what_is_wrong_in_the_skeleton_is_said_of_the_skeleton)
{
    OWNED(desk) d;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    desk_open(&d);
    write_text(d.asf, ":version 1.10\n:root\n order TX RQ\n");
    write_text(d.amc, "1\nroot 0 0 0 0 0 0\n");
    assert_int_equal(marey_clip_load(d.ctx, d.amc, NULL, &clip, &error), MAREY_ERR_INPUT);
    assert_string_equal(error.path, d.asf);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 11);
    marey_load_def wrong = { .skeleton_path = "no/such.asf" };
    assert_int_equal(marey_clip_load(d.ctx, d.amc, &wrong, &clip, &error), MAREY_ERR_INPUT);
    assert_string_equal(error.path, "no/such.asf");
    assert_null(clip);
}

TEST_GROUP_OF_CASES(test_asfamc, NULL, NULL)
