/* test_words_program.c - what generated clips are called in a library: how they were made and of
   what, with the labels of that. */
#include "made_clips.h"

#define DEMO(name) TEST_IN(test_enter_demo, test_leave_place, name)

/* A library of two walks and a jog with words of their own, the jog with a labelled
   stretch. */
static void fill_library(void)
{
    test_run_well("marey add own.marey walk_straight.bvh walk_left.bvh jog_straight.bvh --quiet");
    test_run_well("marey label own.marey walk_straight walk_left --add gait --quiet");
    test_run_well("marey label own.marey walk_straight --describe 'along a line' --quiet");
    test_run_well("marey label own.marey walk_left --describe 'to the left' --quiet");
    test_run_well("marey label own.marey 'jog_straight#200-300' --add kick --quiet");
}

/* What `marey ls --long` says of a clip, from its name on. */
static const char *said_of(const char *name)
{
    char *text = test_reply("marey ls own.marey --long --json"), wanted[128];
    snprintf(wanted, sizeof wanted, "\"name\":\"%s\"", name);
    char *at = strstr(text, wanted), *end = at ? strstr(at, "\"removed\"") : NULL;
    if (!end) fail_msg("no clip %s in %s", name, text);
    *end = 0;
    return at;
}

static void assert_says(const char *name, const char *part)
{
    const char *said = said_of(name);
    if (!strstr(said, part)) fail_msg("%s should say %s: %s", name, part, said);
}

DEMO(generated_clips_say_how_they_were_made_and_have_the_labels_of_their_sources)
{
    fill_library();
    test_run_well("marey loop -L own.marey walk_straight -o own.marey:cycle --quiet");
    assert_says("cycle", "\"description\":\"loop of walk_straight: along a line\"");
    assert_says("cycle", "\"labels\":[\"gait\"]");
    test_run_well("marey blend -L own.marey walk_straight#180-420 walk_left#180-420 --weights 1,1 "
                  "-o own.marey:mix --quiet");
    assert_says("mix", "\"description\":\"blend of walk_straight, walk_left: along a line; to the "
                       "left\"");
    assert_says("mix", "\"labels\":[\"gait\"]");
}

/* Only what is in the frames that were taken. */
DEMO(labels_of_frames_become_labels_of_what_is_made_of_them)
{
    fill_library();
    test_run_well(
        "marey transition -L own.marey jog_straight#250 walk_left#300 -o own.marey:both --quiet");
    assert_says("both", "\"labels\":[\"gait\",\"kick\"]");
    test_run_well(
        "marey transition -L own.marey jog_straight#0-180 walk_left -o own.marey:before --quiet");
    assert_says("before", "\"labels\":[\"gait\"]");
}

/* A file has a name and nothing more. */
DEMO(of_files_there_is_only_the_name)
{
    test_run_well("marey loop ./walk_straight.bvh -o own.marey:cycle --quiet");
    assert_says("cycle", "\"description\":\"loop of walk_straight\"");
    assert_says("cycle", "\"labels\":[]");
}

/* In a list it is one line, and characters stay whole. */
DEMO(a_long_description_is_cut_between_characters)
{
    char line[1024], about[512] = "";
    fill_library();
    for (int i = 0; i < 100; i++) strcat(about, "é");
    snprintf(line, sizeof line, "marey label own.marey walk_left --describe 'x%s' --quiet", about);
    test_run_well(line);
    test_run_well("marey loop -L own.marey walk_left -o own.marey:cycle --quiet");
    const char *said = said_of("cycle");
    assert_non_null(strstr(said, "é…\""));
    assert_null(strstr(said, about));
}

TEST_GROUP_OF_CASES(test_words_program, NULL, NULL)
