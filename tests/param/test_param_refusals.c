/* test_param_refusals.c - the commands of families where they cannot do what is asked: wrong
   requests are refused by name; refused memory, full disks and Ctrl-C. */
#include "reach_demo.h"

#define DEMO(name) TEST_IN(test_reach_demo_make, test_leave_place, name)

DEMO(wrong_requests_are_refused_by_name)
{
    static const struct {
        const char *line;
        int status;
        const char *message;
    } wrong[] = {
        { "marey param", 2, "say which: param features, build, make" },
        { "marey param biuld", 2, "did you mean \"param build\"" },
        { "marey param features more", 2, "too many arguments, from \"more\" on" },
        { "marey param build demo.marey a --clips reach_right#0-90,reach_right#100-190", 2,
          "--feature is missing" },
        { "marey param build demo.marey a --feature 'duration()'", 2, "which examples? --clips" },
        { "marey param build demo.marey a --feature 'positon(right_wrist)' --label reach", 2,
          "position" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --label kick", 2,
          "--clips names all examples" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --threshold 3", 2,
          "--threshold is only for --query" },
        { "marey param build demo.marey a --feature 'duration()' --clips kick#0-90,kicks", 1,
          "kicks" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-9000,kicks", 1,
          "kicks: " },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-90,,kicks", 1,
          "a comma without a clip" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-90", 1,
          "examples must be 2 to 256, got 1; parts of one clip will do" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --in kicks", 2,
          "--in is only for --query" },
        { "marey param build demo.marey a --feature 'duration()' --feature 'duration ( )' --clips "
          "kicks#0-90,kicks#5-99",
          2, "--feature duration ( ) is there twice" },
        { "marey param build demo.marey a --feature 'duration()' --label kick --label punch", 2,
          "--label is given twice" },
        { "marey param build demo.marey a --feature 'duration()' --query kicks#0-90 --threshold "
          "8mm",
          2, "--threshold must be a number from 1e-09 to 1e+12, got 8mm" },
        { "marey param build demo.marey a --feature 'duration()' --query kicks#0-90 --loose 0.1", 2,
          "--loose is for searches by match webs" },
        { "marey param build demo.marey a --feature 'duration()' --query kicks#0-90 --nearest 3 "
          "--web",
          2, "--nearest is for searches without match webs" },
        { "marey param build demo.marey a --feature 'duration()' --query kicks#0-90 --web", 1,
          "demo.marey: no match webs yet; run marey index --web demo.marey" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --web", 2,
          "--web is only for --query" },
        { "marey param build demo.marey a --feature 'duration()' --label none", 1,
          "no clip has the label none" },
        { "marey param build demo.marey a --feature 'position(tail)' --clips "
          "kicks#0-90,kicks#5-99",
          1, "tail" },
        { "marey param build demo.marey a --feature 'height(head)' --clips kicks#0-90,kicks#0-90",
          1, "same" },
        { "marey param build none.marey a --feature 'duration()' --label kick", 1, "none.marey" },
        { "marey param build demo.marey a#b --feature 'duration()' --clips kicks#0-90,kicks#5-99",
          1, "#" },
        { "marey param make demo.marey reach --at 1,2,3", 2, "-o OUT is needed" },
        { "marey param make demo.marey reach -o a.bvh", 2, "--at X,Y,... or --grid" },
        { "marey param make demo.marey reach --at 1,2 -o a.bvh", 1,
          "at must be 3 numbers for this family (position(right_wrist, apex, start).x cm, " },
        { "marey param make demo.marey reach --at 1,2,nan -o a.bvh", 2, "--at must be numbers" },
        { "marey param make demo.marey reach --at 1,2,3,4 -o a.bvh", 1, "at must be 3 numbers" },
        { "marey param make demo.marey reach --at 1,2,3 --grid 2 -o a", 2, "one of these" },
        { "marey param make demo.marey reach --grid 2x2 -o a", 1, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 2x2x -o a", 1, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 2 -o a", 1, "as in 5x5x5, got 2" },
        { "marey param make demo.marey reach --grid 2x2x2x2 -o a", 1, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 0x1x1 -o a", 1, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 100x100x2 -o a", 1, "at most 10000 motions" },
        { "marey param make demo.marey reach --at 1,2,3 --format glb -o a.bvh", 2,
          "--format is for the files of --grid" },
        { "marey param make demo.marey raech --at 1,2,3 -o a.bvh", 1, "reach" },
        { "marey param make demo.marey reach --at 1,2,3 -o a.xyz", 1, "a.xyz" },
        { "marey param check demo.marey reach --count 0", 2, "--count" },
        { "marey param prune demo.marey reach", 2, "--tolerance is missing" },
        { "marey param prune demo.marey reach --tolerance 0", 2, "--tolerance" },
        { "marey param examine demo.marey none", 1, "none" },
        { "marey param rm demo.marey none", 1, "none" },
        { "marey param ls none.marey", 1, "none.marey" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_fails(wrong[i].line, wrong[i].status, wrong[i].message);
    assert_int_equal(access("a.bvh", F_OK), -1);
    assert_int_equal(access("a", F_OK), -1);
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char build_line[] =
    "marey param build m.marey f --clips a#0-12,b#0-10 --clips a#20-35 --feature 'duration()' "
    "--samples 4 --prune 0.0001 --drop-faulty --through a#6,b#5 --json";

static const char *const lines[] = {
    "marey param features --json",
    "marey param make m.marey f --at 0.2 -o out.bvh --provenance --json",
    "marey param make m.marey f --grid 2 -o out --json",
    "marey param check m.marey f --count 2 --json",
    "marey param examine m.marey f --json",
    "marey param ls m.marey --json",
    "marey param show m.marey f --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static int enter_persons(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("a.bvh", 60);
    write_person("b.bvh", 40);
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    test_run_well(build_line);
    *state = &place;
    return 0;
}

static void check_files(const test_run *run, void *user)
{
    (void)user;
    if (run->status != 0 && access("out/grid.json", F_OK) == 0) fail_msg("a grid that failed");
    if (access("out", F_OK) == 0) test_folder_remove("out");
    unlink("out.bvh");
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 3); /* two clips and the library */
}

#define PERSONS(name) TEST_IN(enter_persons, test_leave_place, name)

PERSONS(refused_memory_ends_with_status_3)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

PERSONS(a_family_is_kept_or_not_at_all)
{
    char other[512];
    snprintf(other, sizeof other, "%s", build_line);
    *strstr(other, " f ") = ' ';
    strstr(other, " f ")[1] = 'g';
    sweep_change("marey param ls m.marey --json", other, "\"name\":\"g\"",
                 "marey param rm m.marey g --quiet");
    sweep_change("marey param ls m.marey --json",
                 "marey param prune m.marey f --tolerance 90 --as h --json", "\"name\":\"h\"",
                 "marey param rm m.marey h --quiet");
}

PERSONS(full_standard_output_and_a_cancelled_run_are_reported)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
    }
    static const char *const long_lines[] = {
        "marey param make m.marey f --at 0.2 -o out.bvh",
        "marey param make m.marey f --grid 2 -o out",
        "marey param check m.marey f",
        "marey param build m.marey f --clips a#0-12,b#0-10 --feature 'duration()'",
    };
    for (size_t i = 0; i < sizeof long_lines / sizeof *long_lines; i++) {
        test_cancelled(long_lines[i]);
    }
}

TEST_GROUP_OF_CASES(test_param_refusals, NULL, NULL)
