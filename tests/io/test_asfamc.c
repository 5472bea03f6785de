/* test_asfamc.c - ASF/AMC by poses that can be worked out by hand; how a motion finds its skeleton;
   what edits and BVH make of angles about a bone's own axes. Real files are judged in
   test_asfamc_judge.c. */
#include "reader_bench.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- small skeletons ------------------------------------------------------------------------- */

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

#define CASE(name) TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b, name)

static marey_clip *load_arm(reader_bench *b, const char *angle, const char *root, const char *axis,
                            const char *dof, const char *motion)
{
    char text[2048];
    snprintf(text, sizeof text, arm, angle, root, axis, dof);
    test_text_write(b->asf, text);
    test_text_write(b->amc, motion);
    return test_clip_load_raw(b->ctx, b->amc);
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

CASE(angles_turn_about_the_axes_of_the_bone)
{
    static const char turn_z[] = ":DEGREES\n1\nroot 1 2 3 0 0 0\nupper 90\n";
    expect_tip(load_arm(b, "deg", plain_root, "0 0 0 XYZ", "rz", turn_z), 1, 17, 3);
    /* z of axes that are turned by 90 degrees about x is the parent's -y. */
    expect_tip(load_arm(b, "deg", plain_root, "90 0 0 XYZ", "rz", turn_z), 1, 2, 18);
    static const char root_too[] = "1\nroot 0 0 0 0 0 90\nupper 90\n";
    expect_tip(load_arm(b, "deg", plain_root, "0 0 0 XYZ", "rz", root_too), -15, 0, 0);
}

CASE(the_named_order_of_axes_is_kept)
{
    /* x first does nothing to a bone along x; z first leaves it along y, which x turns to z. */
    static const char turns[] = "7\nroot 0 0 0 0 0 0\nupper 90 90\n";
    expect_tip(load_arm(b, "deg", plain_root, "0 0 0 XYZ", "rx rz", turns), 0, 15, 0);
    expect_tip(load_arm(b, "deg", plain_root, "0 0 0 ZYX", "rx rz", turns), 0, 0, 15);
    static const char root_turns[] = "7\nroot 90 90 0 5 6 7\nupper 0 0\n";
    static const char root_zyx[] = "order RX RZ RY TZ TX TY\n axis ZYX";
    expect_tip(load_arm(b, "deg", root_zyx, "0 0 0 XYZ", "rx rz", root_turns), 6, 7, 20);
}

CASE(radians_become_degrees)
{
    static const char turn[] = ":FULLY-SPECIFIED\n1\nroot 0 0 0 0 0 0\nupper 1.5707963267949\n";
    marey_clip *clip = load_arm(b, "rad", plain_root, "1.5707963267949 0 0 XYZ", "rz", turn);
    assert_true(fabs(marey_clip_channels(clip, 0)[6] - 90) < 1e-9);
    assert_true(test_warnings_with(clip, "radians"));
    expect_tip(clip, 0, 0, 15);
    static const char degrees[] = ":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 90\n";
    clip = load_arm(b, "rad", plain_root, "1.5707963267949 0 0 XYZ", "rz", degrees);
    assert_false(test_warnings_with(clip, "radians"));
    expect_tip(clip, 0, 0, 15);
}

CASE(a_root_that_stands_elsewhere_is_added)
{
    static const char moved[] = "order TX TY TZ RX RY RZ\n axis XYZ\n position 100 200 300\n"
                                " orientation 0 0 0";
    static const char still[] = "order RX\n axis XYZ\n position 100 200 300";
    marey_clip *clip = load_arm(b, "deg", moved, "0 0 0 XYZ", "", "1\nroot 1 2 3 0 0 0\n");
    assert_true(test_warnings_with(clip, "100 200 300"));
    expect_tip(clip, 116, 202, 303);
    clip = load_arm(b, "deg", still, "0 0 0 XYZ", "", "1\nroot 0\n");
    expect_tip(clip, 115, 200, 300);
    static const char turned[] = "order TX TY TZ RX RY RZ\n axis XYZ\n orientation 90 0 0";
    clip = load_arm(b, "deg", turned, "0 0 0 XYZ", "", "1\nroot 0 0 0 0 0 90\n");
    expect_tip(clip, 0, 0, 15);
    clip = test_clip_load_raw(b->ctx, b->asf);
    assert_true(test_warnings_with(clip, "without motion"));
    expect_tip(clip, 15, 0, 0);
}

CASE(frame_numbers_may_start_anywhere_and_leave_some_out)
{
    static const char gaps[] = "#!OML:ASF X:\\f\xfcr Bonn\\a.ASF\n:DEGREES\n"
                               "41\nroot 0 0 0 0 0 0\nupper 1\n42\nupper 2\nroot 0 0 0 0 0 0\n"
                               "# a pause\n45\nroot 0 0 0 0 0 0\nupper 3\n\n47\nlower\nupper 4\n"
                               "root 0 0 0 0 0 0";
    OWNED(marey_clip) *clip = load_arm(b, "deg", plain_root, "0 0 0 XYZ", "rz", gaps);
    assert_int_equal(marey_clip_frames(clip), 4);
    for (int f = 0; f < 4; f++) assert_true(marey_clip_channels(clip, f)[6] == f + 1);
    assert_true(test_warnings_with(clip, "in 2 places, the first behind 42"));
}

CASE(a_bone_may_begin_with_a_digit)
{
    test_text_write(b->asf,
                    ":version 1\n:root\norder TX\n:bonedata\nbegin\nname 2ndToe\ndirection 1 0 0\n"
                    "length 1\naxis 0 0 0 XYZ\ndof rx\nend\n:hierarchy\nbegin\nroot 2ndToe\nend\n");
    test_text_write(b->amc, "1\nroot 1\n2ndToe 5\n2\n2ndToe 6\nroot 2\n");
    OWNED(marey_clip) *clip = test_clip_load_raw(b->ctx, b->amc);
    assert_int_equal(marey_clip_frames(clip), 2);
    assert_true(marey_clip_channels(clip, 1)[1] == 6);
}

/* ---- edits and writing ----------------------------------------------------------------------- */

CASE(written_as_bvh_it_is_the_same_motion)
{
    static const char *const files[] = { "cmu_asfamc/02_02.amc", "cmu_asfamc/49_06.amc",
                                         "cmu_asfamc/141_01.amc", "cmu_asfamc/kit_01.asf" };
    test_need_mocap();
    for (int i = 0; i < 4; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(b->ctx, files[i]);
        marey_load_def as_it_was = { .units = marey_clip_units(clip), .up = marey_clip_up(clip) };
        test_ok(marey_clip_save(clip, b->bvh, &test_error));
        OWNED(marey_clip) *again = NULL;
        test_ok(marey_clip_load(b->ctx, b->bvh, &as_it_was, &again, &test_error));
        double worst = test_clip_apart(clip, again);
        print_message("%s as BVH: at most %.1e cm apart\n", files[i], worst);
        assert_true(worst < 1e-3);
        assert_true(marey_clip_fps(again) == 120);
    }
}

CASE(a_trimmed_clip_keeps_numbers_and_axes)
{
    marey_clip *part = NULL, *same = NULL;
    static const char motion[] = "1\nroot 0 0 0 0 0 0\nupper 10\n2\nroot 1 2 3 0 0 0\nupper 90\n"
                                 "3\nroot 1 2 3 0 0 0\nupper 80\n";
    marey_clip *clip = load_arm(b, "deg", plain_root, "90 0 0 XYZ", "rz", motion);
    test_ok(marey_clip_trim(clip, 1, 3, &part, &test_error));
    assert_int_equal(marey_clip_skeleton(part)->channel_count, 7);
    assert_int_equal(marey_clip_skeleton(part)->joints[1].channel_count, 1);
    assert_int_equal(marey_clip_skeleton(part)->joints[1].channels[0], MAREY_CHANNEL_Z_ROTATION);
    assert_true(marey_clip_channels(part, 0)[6] == 90);
    /* Written and read again it is the same: the axes came along. */
    test_ok(marey_clip_save(part, b->bvh, &test_error));
    same = test_clip_load_raw(b->ctx, b->bvh);
    assert_true(test_clip_apart(part, same) < 1e-4);
    marey_clip_free(same);
    marey_clip_free(clip);
    expect_tip(part, 1, 2, 18);
}

CASE(an_edited_clip_has_plain_channels)
{
    test_need_mocap();
    OWNED(marey_clip) *clip = test_mocap_load(b->ctx, "cmu_asfamc/02_02.amc"), *once = NULL,
                      *twice = NULL, *again = NULL;
    test_ok(marey_clip_mirror(clip, &once, &test_error));
    /* Its channels are plain. */
    const marey_skeleton *skeleton = marey_clip_skeleton(once);
    assert_null(marey_clip_channels(once, 0));
    assert_int_equal(skeleton->channel_count, 3 * skeleton->joint_count + 3);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        assert_int_equal(joint->channel_count, j ? 3 : 6);
        assert_int_equal(joint->first_channel, j ? 3 * j + 3 : 0);
        assert_int_equal(joint->channels[j ? 0 : 3], MAREY_CHANNEL_Z_ROTATION);
    }
    test_ok(marey_clip_mirror(once, &twice, &test_error));
    assert_true(test_clip_apart(clip, twice) < 1e-2);
    test_ok(marey_clip_save(once, b->bvh, &test_error));
    again = test_clip_load(b->ctx, b->bvh);
    assert_true(test_clip_apart(once, again) < 1e-3);
}

/* ---- which skeleton belongs to a motion ------------------------------------------------------ */

/* Skeletons are told apart by the length of "upper". */
static void write_skeleton(const reader_bench *b, const char *name, int length)
{
    char path[1200], text[400];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    snprintf(
        text, sizeof text,
        ":version 1.10\n:root\norder TX TY TZ RX RY RZ\n:bonedata\nbegin\nname upper\n"
        "direction 1 0 0\nlength %d\naxis 0 0 0 XYZ\nend\n:hierarchy\nbegin\nroot upper\nend\n",
        length);
    test_text_write(path, text);
}

/* Which skeleton was taken, by its length; 0 for none. */
static int taken(reader_bench *b, const char *motion, const marey_load_def *asked)
{
    char path[1200];
    OWNED(marey_clip) *clip = NULL;
    marey_error error = { 0 };
    marey_load_def def = asked ? *asked : (marey_load_def){ 0 };
    def.units = MAREY_UNITS_RAW;
    snprintf(path, sizeof path, "%s/%s", b->folder, motion);
    test_text_write(path, "1\nroot 0 0 0 0 0 0\n");
    if (marey_clip_load(b->ctx, path, &def, &clip, &error)) {
        assert_int_equal(error.status, MAREY_ERR_INPUT);
        assert_non_null(strstr(error.message, "--skeleton"));
        return 0;
    }
    double length = marey_clip_skeleton(clip)->joints[1].end_cm[0];
    assert_int_equal(test_warnings_with(clip, "the only one there"), (int)length == 9);
    return (int)length;
}

CASE(the_longest_common_beginning_decides)
{
    char below[600], deeper[700];
    snprintf(below, sizeof below, "%s/a", b->folder);
    snprintf(deeper, sizeof deeper, "%s/a/b", b->folder);
    mkdir(below, 0700);
    mkdir(deeper, 0700);
    assert_int_equal(taken(b, "a/b/run_1.amc", NULL), 0);
    write_skeleton(b, "run.asf", 1);
    assert_int_equal(taken(b, "a/b/run_1.amc", NULL), 0); /* two folders up is too far */
    assert_int_equal(taken(b, "a/run_1.amc", NULL), 1);
    assert_int_equal(taken(b, "run_1.amc", NULL), 1);
    write_skeleton(b, "run_1x.ASF", 2);
    write_skeleton(b, "run_1a.asf", 3);
    assert_int_equal(taken(b, "run_1.amc", NULL), 3); /* alphabetically first of two equals */
    assert_int_equal(taken(b, "run_1xy.amc", NULL), 2);
    assert_int_equal(taken(b, "a/run_2.amc", NULL), 3);
    assert_int_equal(taken(b, "walk.amc", NULL), 0); /* several, and none fits */
    assert_int_equal(taken(b, "run", NULL), 1);      /* of no ending, as long as it is */
    write_skeleton(b, "trot.asf", 4);
    write_skeleton(b, "trot.ax.asf", 5);
    assert_int_equal(taken(b, "trot.amc", NULL), 4); /* endings have nothing in common */
    write_skeleton(b, "a/jump.asf", 9);
    assert_int_equal(taken(b, "a/run_1.amc", NULL), 9); /* its own folder goes before the parent */
    char path[700];
    snprintf(path, sizeof path, "%s/run.asf", b->folder);
    assert_int_equal(taken(b, "a/run_1.amc", &(marey_load_def){ .skeleton_path = path }), 1);
}

/* The folder above one that is named by dots, or not at all. */
CASE(a_skeleton_is_found_from_where_the_user_stands)
{
    static const char *const motions[] = { "run.amc",        "./run.amc",
                                           "../a/run.amc",   "../b/.././a/run.amc",
                                           "..//a//run.amc", "b/../run.amc",
                                           "b/./run.amc" };
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(mkdir(reader_path(b, "a"), 0700), 0);
    assert_int_equal(mkdir(reader_path(b, "b"), 0700), 0);
    assert_int_equal(mkdir(reader_path(b, "a/b"), 0700), 0);
    write_skeleton(b, "run.asf", 1);
    assert_int_equal(chdir(reader_path(b, "a")), 0);
    for (int near = 0; near < 2; near++) { /* above, then beside */
        for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
            OWNED(marey_clip) *clip = NULL;
            bool deep = !near && i == 6; /* two folders below it */
            test_text_write(motions[i], "1\nroot 0 0 0 0 0 0\n");
            marey_status status = marey_clip_load(b->ctx, motions[i], NULL, &clip, &test_error);
            if (status != (deep ? MAREY_ERR_INPUT : MAREY_OK)) fail_msg("%s", motions[i]);
        }
        write_skeleton(b, "a/run.asf", 2);
    }
    assert_int_equal(chdir(before), 0);
}

CASE(what_is_wrong_in_the_skeleton_is_said_of_the_skeleton)
{
    marey_clip *clip = NULL;
    test_text_write(b->asf, ":version 1.10\n:root\n order TX RQ\n");
    test_text_write(b->amc, "1\nroot 0 0 0 0 0 0\n");
    assert_int_equal(marey_clip_load(b->ctx, b->amc, NULL, &clip, &test_error), MAREY_ERR_INPUT);
    assert_string_equal(test_error.path, b->asf);
    assert_int_equal(test_error.line, 3);
    assert_int_equal(test_error.column, 11);
    marey_load_def wrong = { .skeleton_path = "no/such.asf" };
    assert_int_equal(marey_clip_load(b->ctx, b->amc, &wrong, &clip, &test_error), MAREY_ERR_INPUT);
    assert_string_equal(test_error.path, "no/such.asf");
    assert_null(clip);
}

TEST_GROUP_OF_CASES(test_asfamc, NULL, NULL)
