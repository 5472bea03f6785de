/* test_transition_program.c - transition as a program: its cuts are the library's, marked frames
   are never used, and what is around a transition stays. What it prints is in tests/cli. */
#include "made_clips.h"
#include "program_lines.h"

#include <math.h>

#define DEMO(name) TEST_IN(test_enter_demo, test_leave_place, name)

DEMO(cuts_are_the_librarys)
{
    enum { MOST = 10 };
    marey_cut cuts[MOST];
    int found = 0;
    two_files of = test_two_files("walk_straight.bvh", "jog_straight.bvh");
    marey_cuts_def def = {
        .half = 10, .below = 200, .near_given = { true, false }, .near = { 300 }, .keep_s = 1
    };
    assert_int_equal(marey_cuts_find(of.ctx, of.a, of.b, &def, MOST, cuts, &found, NULL), MAREY_OK);
    assert_true(found > 0);
    char *text =
        test_reply("marey transition walk_straight.bvh jog_straight.bvh --half 10 --below 200 "
                   "--near 300, --json");
    const char *at = text;
    for (int i = 0; i < found && i < MOST; i++) {
        at = strstr(at + 1, "{\"a\":");
        assert_non_null(at);
        assert_true(test_number(at, "a") == cuts[i].a);
        assert_true(test_number(at, "b") == cuts[i].b);
        assert_true(test_number(at, "cost") == cuts[i].cost);
    }
    test_two_files_free(&of);
}

/* The cheapest is from standing to standing, before the walk: only where it is asked for. */
DEMO(a_transition_leaves_what_the_clips_are_about)
{
    char *text = test_reply("marey transition walk_straight.bvh jog_straight.bvh -o a.bvh --json");
    char *any =
        test_reply("marey transition walk_straight.bvh jog_straight.bvh --anywhere -o b.bvh "
                   "--json");
    assert_true(test_number(any, "cost") <= test_number(text, "cost"));
    assert_non_null(strstr(text, "\"skips\":false"));
    assert_non_null(strstr(text, "\"over_limit\":false"));
    double fps = test_number(text, "fps");
    assert_true(test_number(text, "from_a_end") >= fps);
    assert_true(test_number(text, "frames") - test_number(text, "from_b_start") >= fps);
    free(text);
    free(any);
    /* Labelled stretches are not cut, and one stays of each. */
    test_run_well("marey label demo.marey walk_straight#520-640 --add step --quiet");
    text =
        test_reply("marey transition -L demo.marey walk_straight jog_straight --count 30 --json");
    int count = 0;
    for (const char *at = strstr(text, "{\"a\":"); at; at = strstr(at + 1, "{\"a\":"), count++)
        assert_true(test_number(at, "a") >= 640);
    assert_true(count > 0);
    free(text);
    /* A limit that was not asked for is a warning, one that was is kept. */
    text = test_reply(
        "marey transition walk_straight.bvh#250-420 jog_straight.bvh#250-420 -o c.bvh --json");
    assert_non_null(strstr(text, "\"over_limit\":true"));
    free(text);
    static const test_wrong_line wrong[] = {
        { "marey transition walk_straight.bvh#250-420 jog_straight.bvh#250-420 --below 1 -o c.bvh",
          1, "no cut costs less than 1 cm2" },
        { "marey transition walk_left.bvh#200 jog_straight.bvh#120 --anywhere -o c.bvh", 2,
          "nothing for --anywhere to choose" },
    };
    TEST_FAIL_ALL(wrong);
}

/* First clip, transition, second clip: what is not the transition is as it was. */
DEMO(a_transition_keeps_what_is_around_it)
{
    char *text = test_reply("marey transition walk_straight.bvh walk_left.bvh#620-900 --near 300, "
                            "-o out.bvh --json");
    int frames = (int)test_number(text, "frames"), end = (int)test_number(text, "from_a_end");
    int start = (int)test_number(text, "from_b_start");
    two_files of = test_two_files("walk_straight.bvh", "walk_left.bvh");
    marey_clip *out = test_clip_load(of.ctx, "out.bvh");
    assert_int_equal(marey_clip_frames(out), frames);
    assert_true(end > 0 && start > end && start < frames);
    assert_true(start - end == 2 * test_number(text, "half") + 1);
    assert_true(fabs(test_number(text, "a") - (end + start - 1) / 2) <= 2);
    /* Held feet are eased in and out, so the frames beside the transition may have changed. */
    for (int f = 0; f < end - 100; f += 7) assert_true(test_frame_apart(out, f, of.a, f) < 0.01);
    for (int f = start + 100; f < frames; f += 7) {
        assert_true(test_shape_apart(out, f, of.b, 900 - (frames - f)) < 0.01);
    }
    assert_true(test_number(text, "jump_ratio") <= 1.1);
    assert_true(test_number(text, "slide_after_cm") <= 0.3);
    assert_true(test_number(text, "slide_before_cm") >= test_number(text, "slide_after_cm"));
    marey_clip_free(out);
    test_two_files_free(&of);
}

DEMO(named_frames_are_the_centre)
{
    char *named =
        test_reply("marey transition walk_straight.bvh#300 walk_left.bvh#5s --half 12 --json "
                   "-o one.bvh");
    assert_true(test_number(named, "a") == 300 && test_number(named, "b") == 300);
    test_run_well(
        "marey transition walk_straight.bvh walk_left.bvh --at 300,300 --half 12 -o two.bvh "
        "--quiet");
    test_run_well(
        "marey transition walk_straight.bvh#0-600#300 walk_left.bvh#100-1000#300 --half 12 "
        "-o three.bvh --quiet");
    test_same_file("one.bvh", "two.bvh");
    two_files of = test_two_files("one.bvh", "three.bvh");
    assert_int_equal(marey_clip_frames(of.a) - marey_clip_frames(of.b), 1084 - 1000);
    test_two_files_free(&of);
    /* The cheapest frame of the other clip is really the cheapest. */
    char *sought =
        test_reply("marey transition walk_straight.bvh#300 walk_left.bvh --below inf --json");
    double best = test_number(sought, "cost");
    assert_true(test_number(sought, "a") == 300);
    for (int f = 20; f < 1000; f += 50) {
        char line[128];
        snprintf(line, sizeof line,
                 "marey transition walk_straight.bvh#300 walk_left.bvh#%d --json", f);
        char *other = test_reply(line);
        assert_true(test_number(other, "cost") >= best - 1e-9);
    }
}

#define PERSONS(name) TEST_IN(test_enter_persons, test_leave_place, name)

PERSONS(a_clip_does_not_go_over_into_where_it_is)
{
    char *text = test_reply("marey transition a.bvh a.bvh --half 6 --below inf --json");
    for (const char *at = text; (at = strstr(at + 1, "{\"a\":"));) {
        assert_true(fabs(test_number(at, "a") - test_number(at, "b")) > 6);
    }
}

PERSONS(cuts_never_use_marked_frames)
{
    char *text =
        test_reply("marey transition lost.bvh b.bvh --half 5 --below inf --count 1000 --json "
                   "--quiet");
    for (const char *at = text; (at = strstr(at + 1, "\"a\":"));) {
        double a = test_number(at, "a");
        assert_false(a >= 30 && a < 34);
    }
    text = test_refusal("marey transition lost.bvh#31 b.bvh#10 --half 5 --quiet", 1);
    assert_non_null(strstr(text, "frame 31 is no captured motion"));
    /* Frames are those of the file also behind the gap, and the made clip has none of the
       marked. */
    text =
        test_reply("marey transition lost.bvh#60 b.bvh#20 --half 5 --method cut -o out.bvh --json "
                   "--quiet");
    assert_true(test_number(text, "a") == 60 && test_number(text, "from_a_end") == 56);
    assert_true(test_number(text, "frames") == 56 + 40);
}

DEMO(every_method_makes_another_clip)
{
    static const char *const methods[] = { "registered", "untimed", "linear", "cut" };
    char *texts[4];
    for (int m = 0; m < 4; m++) {
        char line[256], path[32];
        snprintf(path, sizeof path, "%s.bvh", methods[m]);
        snprintf(line, sizeof line,
                 "marey transition walk_straight.bvh#300 jog_straight.bvh#250 --half 20 --no-clean "
                 "--method %s -o %s --json",
                 methods[m], path);
        texts[m] = test_answer(line);
    }
    assert_true(test_number(texts[3], "half") == 0);
    assert_true(test_number(texts[1], "half") == 20);
    assert_true(test_number(texts[0], "jump_ratio") < test_number(texts[3], "jump_ratio"));
    for (int m = 0; m < 4; m++) {
        assert_true(test_number(texts[m], "slide_before_cm") ==
                    test_number(texts[m], "slide_after_cm"));
        free(texts[m]);
    }
}

/* The file again, with one joint more above its root: a point of the floor that stays. */
static void hang(const char *from, const char *to)
{
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char *line = NULL;
    size_t room = 0;
    bool rows = false;
    assert_true(in && out);
    while (getline(&line, &room, in) > 0) {
        if (strncmp(line, "ROOT", 4) == 0)
            fprintf(out,
                    "ROOT floor\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
                    "Zrotation Xrotation Yrotation\nJOINT%s",
                    line + 4);
        else if (strncmp(line, "MOTION", 6) == 0)
            fprintf(out, "}\n%s", line);
        else
            fprintf(out, "%s%s", rows ? "500 0 -300 0 0 0 " : "", line);
        rows = rows || strncmp(line, "Frame Time", 10) == 0;
    }
    free(line);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Below a root that stays metres away: it is no part of what is compared, whoever asks. */
DEMO(named_frames_cost_what_the_list_says)
{
    char line[128];
    hang("walk_straight.bvh", "hung_a.bvh");
    hang("walk_left.bvh", "hung_b.bvh");
    char *list = test_reply("marey transition hung_a.bvh hung_b.bvh --count 1 --json");
    int a = (int)test_number(list, "a"), b = (int)test_number(list, "b");
    double cost = test_number(list, "cost");
    assert_true(cost < 30);
    snprintf(line, sizeof line, "marey transition hung_a.bvh#%d hung_b.bvh#%d --json", a, b);
    char *named = test_reply(line);
    assert_true(fabs(test_number(named, "cost") - cost) < 0.01);
    char *loops = test_reply("marey loop hung_a.bvh --count 1 --json");
    snprintf(line, sizeof line, "marey loop hung_a.bvh --at %d,%d --json",
             (int)test_number(loops, "start"), (int)test_number(loops, "end"));
    char *loop = test_reply(line);
    assert_true(fabs(test_number(loop, "cost") - test_number(loops, "cost")) < 0.01);
}

TEST_GROUP_OF_CASES(test_transition_program, NULL, NULL)
