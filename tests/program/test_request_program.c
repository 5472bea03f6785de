/* test_request_program.c - `graph walk --do` and `graph control --do`: what is asked for is done where
   and when it should be, named in the answer and in what the clip remembers; wrong requests are refused by
   name. */
#include "program_lines.h"

#include <math.h>

/* A character that walks and kicks, and a family of its kicks. */
static void make_demo(void)
{
    static const char inputs[] = "0,0,120\n3,1.5,120\n6,0,0\n9,0,120\n";
    test_run_well("marey demo . --take walk_left --take walk_straight --take kicks --quiet");
    test_run_well("marey param build demo.marey high --query kicks#2s-4s --feature "
                  "'height(right_ankle, highest)' --quiet");
    test_run_well("marey param build demo.marey placed --query kicks#2s-4s --feature "
                  "'position(right_ankle, apex, start)' --feature 'duration()' --quiet");
    test_run_well("marey label demo.marey kicks#2s-4s --add kick --quiet");
    test_run_well("marey graph build demo.marey g --quiet");
    test_run_well("marey graph train demo.marey g --quiet");
    test_file_write("in.csv", inputs, strlen(inputs));
}

static int enter_demo(void **state)
{
    return test_enter_copy(state, make_demo);
}

#define DEMO(name) TEST_IN(enter_demo, test_leave_place, name)

DEMO(what_is_asked_for_is_done_on_the_way_along_a_path)
{
    char *text = test_reply("marey graph walk demo.marey g --path '0,0 300,0 500,0' --do "
                            "'high(height=85)@250' --effort 15000 -o w.bvh --provenance --json");
    assert_non_null(strstr(text, "\"kind\":\"path\""));
    const char *one = strstr(text, "\"requests\":[{\"family\":\"high\",\"target\":[85]");
    assert_non_null(one);
    assert_true(test_number(one, "error_cm") < 1);
    assert_true(test_number(one, "away_cm") < 40);
    assert_non_null(strstr(one, "\"outside\":false"));
    /* A piece of its own, where the request says. */
    const char *piece = strstr(text, "\"label\":\"high\",\"family\":\"high\"");
    assert_non_null(piece);
    /* The clip remembers the examples. */
    test_file_has("w.bvh.provenance.json", "\"clip\":\"kicks\"");
    test_file_has("w.bvh.provenance.json", "\"weight\":");
    free(text);
}

DEMO(without_a_path_they_are_done_one_after_the_other)
{
    char *text =
        test_reply("marey graph walk demo.marey g --do 'high(height=80)' --do 'high(y=100)' "
                   "--do high -o w.bvh --json");
    assert_non_null(strstr(text, "\"kind\":\"do\""));
    const char *at = strstr(text, "\"requests\":[");
    double last = -1;
    static const double targets[] = { 80, 100 };
    for (int i = 0; i < 3; i++) {
        at = strstr(at + 1, "\"target\":[");
        assert_non_null(at);
        double target = strtod(at + strlen("\"target\":["), NULL), frame = test_number(at, "at");
        if (i < 2) assert_true(target == targets[i]);
        assert_true(frame > last);
        assert_true(test_number(at, "error") < 1);
        last = frame;
    }
    free(text);
    /* All numbers of a family at once, by the feature's name or by one of its axes. */
    text = test_reply("marey graph walk demo.marey g --do 'placed(y=80, duration=1.6)' -o w.bvh "
                      "--json");
    assert_non_null(strstr(text, ",80,"));
    assert_non_null(strstr(text, ",1.6]"));
    free(text);
}

/* Frames of the clip are those of the request: the kick is 2 s long. */
DEMO(a_steered_character_does_what_it_is_asked_for_at_times)
{
    char *text =
        test_reply("marey graph control demo.marey g --script in.csv --do "
                   "'high(height=95)@1s' --do kick@4s --do 'high(height=70)@4.1s' -o c.bvh "
                   "--json");
    const char *first = strstr(text, "\"requests\":[{\"family\":\"high\",\"target\":[95]");
    assert_non_null(first);
    assert_true(test_number(first, "error_cm") < 0.5);
    assert_true(test_number(first, "at") >= 60);
    const char *kick = strstr(first, "{\"action\":\"kick\"");
    assert_non_null(kick);
    assert_true(test_number(kick, "at") >= 240);
    assert_true(test_number(kick, "length") == 120);
    assert_true(test_number(kick, "waited_s") >= 0 && test_number(kick, "waited_s") < 5);
    /* It waits for the kick. */
    const char *last = strstr(kick, "\"target\":[70]");
    assert_non_null(last);
    assert_true(test_number(last, "error_cm") < 0.5);
    assert_true(test_number(last, "at") >= test_number(kick, "at") + 120);
    assert_non_null(strstr(text, "\"label\":\"kick\""));
    free(text);
    /* What begins late goes on beyond the end. */
    text = test_reply("marey graph control demo.marey g --script in.csv --do kick@1.9s --length 2s "
                      "-o d.bvh --json");
    kick = strstr(text, "{\"action\":\"kick\"");
    assert_non_null(kick);
    assert_true(test_number(kick, "length") == 120);
    assert_true(test_number(text, "frames") > 170);
    free(text);
}

DEMO(requests_that_make_no_sense_are_refused_by_name)
{
    static const test_wrong_line wrong[] = {
        { "marey graph walk demo.marey g --do 'high(height=85' -o a.bvh", 2, "is not closed" },
        { "marey graph walk demo.marey g --do 'high(height)' -o a.bvh", 2, "names and numbers" },
        { "marey graph control demo.marey g --script in.csv --do high -o a.bvh", 2,
          "must be @ a time in seconds" },
        { "marey graph control demo.marey g --script in.csv --do high@300 -o a.bvh", 2,
          "must be @ a time in seconds" },
        { "marey graph control demo.marey g --script in.csv --do high@3s --do high@2s -o a.bvh", 2,
          "times must rise: 2 s comes behind 3 s" },
        { "marey graph control demo.marey g --script in.csv --controller matching --do high@3s -o "
          "a.bvh",
          2, "not with --controller matching" },
        { "marey graph control demo.marey g --script in.csv --do hop@3s -o a.bvh", 1,
          "hop is neither a family of the library nor an action of the graph g" },
        { "marey graph control demo.marey g --script in.csv --do high@30s -o a.bvh", 1,
          "is behind the end" },
        { "marey graph walk demo.marey g --do 'high(=3)' -o a.bvh", 2, "names and numbers" },
        { "marey graph walk demo.marey g --do 'high(height=x)' -o a.bvh", 2, "names and numbers" },
        { "marey graph walk demo.marey g --do '(height=3)' -o a.bvh", 2, "there is no name" },
        { "marey graph walk demo.marey g --do 'high()@far' -o a.bvh", 2, "behind @ comes where" },
        { "marey graph walk demo.marey g --do 'high()@300' -o a.bvh", 2, "there is no path" },
        { "marey graph walk demo.marey g --path '0,0 300,0' --do 'high()@4s' -o a.bvh", 2,
          "centimetres along the path" },
        { "marey graph walk demo.marey g --length 4s --do 'high()' -o a.bvh", 2, "--do is for" },
        { "marey graph walk demo.marey g --do 'hgih()' -o a.bvh", 1, "high" },
        { "marey graph walk demo.marey g --do 'high(speed=3)' -o a.bvh", 1,
          "speed is no number of the family high; it has at, height" },
        { "marey graph walk demo.marey g --do 'placed(at=1,2)' -o a.bvh", 1,
          "at of the family placed must be 4 numbers, got 2" },
        { "marey graph walk demo.marey g --path '0,0 300,0' --do 'high()@400' -o a.bvh", 1,
          "request 1 must be on the path, of 300 cm" },
    };
    TEST_FAIL_ALL(wrong);
}

TEST_GROUP_OF_CASES(test_request_program, NULL, NULL)
