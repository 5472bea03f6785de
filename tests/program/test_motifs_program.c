/* test_motifs_program.c - motifs as a program: where nothing repeats, errors, refused memory, Ctrl-C.
   What it prints is in tests/answers. */
#include "program_lines.h"

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    test_run_well("marey demo . --take punches --quiet");
    test_run_well("marey add moves.marey punches.bvh --quiet");
    write_person("a.bvh", 40);
    test_run_well("marey add small.marey a.bvh --quiet");
    *state = &place;
    return 0;
}

TEST(nothing_repeats_in_one_short_clip)
{
    char *answer = test_reply("marey motifs small.marey --json");
    assert_non_null(strstr(answer, "\"motifs\":[]"));
    test_fails("marey motifs small.marey -o none.png", 1, "no motifs to draw");
}

TEST(mistakes_are_told)
{
    test_fails("marey motifs moves.marey -o motifs.txt", 2, "ends in .png, .svg or .pdf");
    test_fails("marey motifs moves.marey --limit 0", 2, "--limit must be a whole number");
    test_fails("marey motifs moves.marey --label none", 1, "no clip has the label none");
    test_fails("marey motifs moves.marey --in punch", 1, "punches");
    test_fails("marey motifs nowhere.marey", 1, "nowhere.marey");
}

TEST(refused_memory_and_ctrl_c_end_it_well)
{
    sweep_memory("marey motifs small.marey --json", NULL, NULL);
    test_cancelled("marey motifs moves.marey");
}

TEST_GROUP_OF_CASES(test_motifs_program, enter, test_leave_place)
