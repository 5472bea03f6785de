/* test_blend_program.c - blend, clean, loop and kept curves as a program: what is made is what the
   answer says, and it remembers what it was made of. What they print is in tests/cli. */
#include "made_clips.h"

#include <math.h>

/* ---- blend ----------------------------------------------------------------------------------- */

static const char *const two_walks = "walk_straight.bvh#180-420 walk_left.bvh#180-420";

#define DEMO(name) TEST_IN(test_enter_demo, test_leave_place, name)

DEMO(all_the_weight_on_one_clip_gives_that_clip)
{
    for (int which = 0; which < 2; which++) {
        char line[256];
        snprintf(line, sizeof line, "marey blend %s --weights %s --no-clean -o out.bvh --json",
                 two_walks, which ? "0,1" : "1,0");
        char *text = test_reply(line);
        two_files of = test_two_files(which ? "walk_left.bvh" : "walk_straight.bvh", "out.bvh");
        assert_true(test_number(text, "frames") == 240);
        for (int f = 0; f < 240; f++) {
            double apart = test_frame_apart(of.a, 180 + f, of.b, f);
            if (apart > 0.01) fail_msg("clip %d, frame %d: %g cm", which, f, apart);
        }
        test_two_files_free(&of);
    }
}

DEMO(a_file_of_weights_says_what_a_list_says)
{
    static const char *const files[] = {
        "0,0.3,0.7\n",
        "time,straight,left\n0,3,7\n1,0.3,0.7\n",
        "\xef\xbb\xbftime;a;b\r\n\r\n 0 ; 0.3 ; 0.7 \r\n2;0.6;1.4",
        "0\t3\t7",
    };
    char line[256];
    snprintf(line, sizeof line, "marey blend %s --weights 0.3,0.7 -o list.bvh --quiet", two_walks);
    test_run_well(line);
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv -o file.bvh --quiet",
             two_walks);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        test_file_write("w.csv", files[i], strlen(files[i]));
        test_run_well(line);
        two_files of = test_two_files("list.bvh", "file.bvh");
        assert_int_equal(marey_clip_frames(of.a), marey_clip_frames(of.b));
        for (int f = 0; f < marey_clip_frames(of.a); f += 9) {
            assert_true(test_frame_apart(of.a, f, of.b, f) < 0.01);
        }
        test_two_files_free(&of);
    }
}

DEMO(a_wrong_file_of_weights_is_refused_where_it_is_wrong)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "w.csv:1:1: there is no line of weights" },
        { "time,a,b\n\n", "w.csv:3:1: there is no line of weights" },
        { "0,1,0\n1,x,0\n", "w.csv:2:3: expected the weight of clip 1, found \"x\"" },
        { "0,1,0\n1,1\n", "w.csv:2:4: expected the weight of clip 2, found the end of the line" },
        { "0,1,0\n1,1,", "w.csv:2:5: expected the weight of clip 2, found the end of the line" },
        { "0,1,0\n1,1,0,0\n", "w.csv:2:6: there are more weights in this line than in the first" },
        { "0,1,0\n0,0,1\n", "w.csv:2:1: times must rise: 0 s comes behind 0 s" },
        { "0,1,-1\n", "w.csv:1:1: the sum of these weights is 0" },
        { "0,1000000,-999999\n", "w.csv:1:1: the sum of these weights is 0" },
        { "nan,1,0\n1,0,1\n", "w.csv:1:1: expected a time in seconds, found \"nan\"" },
        { "inf,1,0\n1,0,1\n", "w.csv:1:1: expected a time in seconds, found \"inf\"" },
        { "0,nan,1\n", "w.csv:1:3: expected the weight of clip 1, found \"nan\"" },
        { "0 1 2\n", "w.csv:1:1: a file of weights has 2 to 257 numbers in a line, here are 1" },
        { "a,b\nc,d\n", "w.csv:2:1: expected a time in seconds, found \"c\"" },
        { "0,1e99,1\n", "w.csv:1:3: expected the weight of clip 1, found \"1e99\"" },
    };
    char line[256];
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv -o no.bvh --quiet", two_walks);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_file_write("w.csv", wrong[i].text, strlen(wrong[i].text));
        char *said = test_refusal(line, 1);
        if (!strstr(said, wrong[i].message)) fail_msg("%s, not %s", said, wrong[i].message);
    }
    assert_int_equal(access("no.bvh", F_OK), -1);
}

DEMO(weights_that_change_go_from_one_clip_to_the_other)
{
    static const char rows[] = "0,1,0\n1,1,0\n2,0,1\n";
    char line[256];
    test_file_write("w.csv", rows, sizeof rows - 1);
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv --no-clean -o out.bvh --json",
             two_walks);
    char *text = test_reply(line);
    assert_non_null(strstr(text, "\"weights\":null,\"weight_rows\":3"));
    two_files of = test_two_files("walk_straight.bvh", "out.bvh");
    for (int f = 0; f <= 60; f += 10) assert_true(test_frame_apart(of.a, 180 + f, of.b, f) < 0.01);
    assert_true(test_number(text, "jump_ratio") < 1.5);
    test_two_files_free(&of);
}

DEMO(a_kept_curve_makes_the_same_clip)
{
    test_run_well(
        "marey align -L demo.marey walk_straight#180-420 walk_left#180-420 jog_straight#170-380 "
        "--save gaits --quiet");
    char *named = test_reply("marey blend -L demo.marey walk_straight#180-420 walk_left#180-420 "
                             "jog_straight#170-380 --weights 1,1,1 -o named.bvh --json");
    char *kept =
        test_reply("marey blend -L demo.marey --curve gaits --weights 2,2,2 -o kept.bvh --json");
    test_same_file("named.bvh", "kept.bvh");
    assert_true(test_number(named, "slide_after_cm") == test_number(kept, "slide_after_cm"));
    assert_non_null(strstr(kept, "\"curve\":\"gaits\""));
    /* Renamed clips are found, removed ones are missed, by name. */
    test_run_well("marey rename demo.marey walk_left bend --quiet");
    test_run_well("marey blend -L demo.marey --curve gaits --weights 2,2,2 -o again.bvh --quiet");
    test_same_file("again.bvh", "kept.bvh");
    test_run_well("marey rm demo.marey bend --quiet");
    char *said =
        test_refusal("marey blend -L demo.marey --curve gaits --weights 1,1,1 -o no.bvh", 1);
    assert_non_null(strstr(said, "bend"));
    test_run_well("marey restore demo.marey bend --quiet");
    test_run_well("marey curves demo.marey --rm gaits --quiet");
    test_run_well("marey verify demo.marey --quiet");
}

DEMO(constraints_lie_in_the_clip_and_are_kept_with_it)
{
    char *text = test_reply("marey blend -L demo.marey walk_straight#180-420 jog_straight#170-380 "
                            "--weights 1,1 -o demo.marey:mix --json");
    char *kept = test_reply("marey contacts -L demo.marey mix --json");
    double frames = test_number(text, "frames");
    const char *one = strstr(text, "\"constraints\":["), *other = strstr(kept, "\"contacts\":[");
    int count = 0;
    assert_non_null(strstr(kept, "\"from\":\"library\""));
    while ((one = strstr(one + 1, "{\"joint\":")) && (other = strstr(other + 1, "{\"joint\":"))) {
        assert_true(test_number(one, "start") == test_number(other, "start"));
        assert_true(test_number(one, "end") == test_number(other, "end"));
        assert_true(test_number(one, "start") >= 0 && test_number(one, "end") <= frames);
        count++;
    }
    assert_true(count > 4 && count == test_number(text, "plants"));
}

/* ---- bodies, feet, loops --------------------------------------------------------------------- */

DEMO(another_body_is_put_on_the_first_ones_bones)
{
    test_run run = test_run_make();
    test_run_line(&run,
                  "marey transition walk_straight.bvh small_walk.bvh --near 300,300 --below inf "
                  "-o out.bvh");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out.bytes, "small_walk.bvh has other bones: it was put on those of "
                                          "walk_straight.bvh"));
    test_run_free(&run);
    two_files of = test_two_files("walk_straight.bvh", "out.bvh");
    const marey_skeleton *left = marey_clip_skeleton(of.a), *right = marey_clip_skeleton(of.b);
    for (int i = 1; i < left->joint_count; i++) {
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(left->joints[i].offset_cm[k] - right->joints[i].offset_cm[k]) < 1e-4);
        }
    }
    test_two_files_free(&of);
    char *text = test_reply("marey align walk_straight.bvh#180-420 small_walk.bvh#180-420 --json");
    assert_non_null(strstr(text, "\"refitted\":true"));
}

/* A clip whose feet slide: it moves forward by half as much again. */
DEMO(clean_holds_feet)
{
    test_run_well(
        "marey blend walk_straight.bvh#180-420 jog_straight.bvh#170-380 --weights 1,1 --no-clean "
        "--method linear -o demo.marey:slides --quiet");
    char *text = test_reply("marey clean -L demo.marey slides -o demo.marey:held --json");
    assert_non_null(strstr(text, "\"from\":\"library\""));
    assert_true(test_number(text, "slide_before_cm") > 1);
    assert_true(test_number(text, "slide_after_cm") <= 0.3);
    assert_true(test_number(text, "slide_mean_after_cm") <= test_number(text, "slide_after_cm"));
    char *measured = test_reply("marey quality -L demo.marey held --json");
    assert_true(fabs(test_number(measured, "slide_max_cm") - test_number(text, "slide_after_cm")) <
                0.01);
    assert_true(fabs(test_number(measured, "slide_cm") - test_number(text, "slide_mean_after_cm")) <
                0.01);
    text = test_reply("marey clean -L demo.marey slides --found -o held.bvh --json");
    assert_non_null(strstr(text, "\"from\":\"found\""));
}

DEMO(a_loop_is_as_long_as_it_says)
{
    char *text = test_reply("marey loop walk_straight.bvh#180-420 -o out.bvh --json");
    double start = test_number(text, "start"), end = test_number(text, "end");
    assert_true(start >= 180 && end <= 420 && end - start >= 30);
    assert_true(test_number(text, "frames") == end - start);
    assert_true(test_number(text, "seam_ratio") < 1.2);
    text = test_reply("marey loop walk_straight.bvh#180-420 -o out.bvh --in-place --json");
    marey_ctx *ctx = test_ctx();
    marey_clip *clip = test_clip_load(ctx, "out.bvh");
    const double *first = marey_clip_root(clip, 0);
    double x = first[0], z = first[2];
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        const double *at = marey_clip_root(clip, f);
        if (hypot(at[0] - x, at[2] - z) > 10) fail_msg("frame %d is elsewhere", f);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

/* The floor goes by under somebody who stays, and planted feet with it. */
DEMO(feet_of_a_loop_in_place_are_not_said_to_slide)
{
    static const char *const lines[] = {
        "marey loop walk_straight.bvh#180-420 -o out.bvh --in-place",
        "marey loop walk_straight.bvh#180-420 -o out.bvh --in-place --no-clean",
        "marey loop walk_straight.bvh#180-420 -o out.bvh",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_run run = test_run_make();
        assert_int_equal(test_run_line(&run, lines[i]), 0);
        assert_string_equal(run.err.bytes, "");
        assert_non_null(strstr(run.out.bytes, " plants"));
        test_run_free(&run);
    }
    char *text = test_reply("marey loop walk_straight.bvh#180-420 -o out.bvh --in-place --json");
    assert_true(test_number(text, "slide_after_cm") < 0.3);
    assert_non_null(strstr(text, "\"faults\":[]"));
}

/* ---- what it was made of --------------------------------------------------------------------- */

DEMO(a_made_clip_remembers_its_sources)
{
    size_t count;
    test_run_well(
        "marey transition -L demo.marey walk_straight#300 walk_left#310 --half 12 -o t.glb "
        "--provenance --quiet");
    char *text = test_file_read("t.glb.provenance.json", &count);
    assert_non_null(strstr(text, "\"made_by\":\"transition\""));
    assert_non_null(strstr(text, "\"clip\":\"walk_straight\",\"start\":0,\"end\":"));
    assert_non_null(
        strstr(text, "\"end\":1084,\"licence\":\"made by marey demo; free for any use\""));
    assert_non_null(strstr(text, "\"at\":\"300,310\""));
    assert_non_null(strstr(text, "\"half\":\"12\""));
    FREED char *inside = test_file_read("t.glb", &count);
    bool found = false;
    for (size_t i = 0; i + 20 < count && !found; i++) {
        found = memcmp(inside + i, "\"made_by\":\"transition\"", 20) == 0;
    }
    assert_true(found);
    free(text);
    test_run_well("marey blend walk_straight.bvh#180-420 walk_left.bvh#180-420 --weights 1,1 "
                  "-o new.marey:mix --quiet");
    test_run_well("marey loop -L new.marey mix -o new.marey:round --quiet");
    text = test_answer("marey ls new.marey --long");
    assert_non_null(strstr(text, "{\"file\":\"walk_left.bvh\",\"start\":180,\"end\":420"));
    assert_non_null(strstr(text, "\"weights\":\"1,1\""));
    assert_non_null(strstr(text, "\"made_by\":\"loop\""));
    free(text);
}

TEST_GROUP_OF_CASES(test_blend_program, NULL, NULL)
