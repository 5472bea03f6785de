/* test_param_files.c - `marey param build` with files: one command for what add and build do. */
#include "reach_demo.h"

#include <sys/stat.h>
#include <unistd.h>

#define THRESHOLD " --threshold 10cm"
#define FEATURE " --feature 'position(right_wrist)' --samples 20 --json"

/* "reach_right#131-276" as "reach_right.bvh#131-276". */
static void query_of_file(char *out, size_t room)
{
    char name[64];
    test_reach_names(1, "right", name, sizeof name);
    snprintf(out, room, "reach_right.bvh%s", strchr(name, '#'));
}

static char *examples_of(const char *answer)
{
    const char *from = test_value(answer, "examples"), *to = strstr(answer, ",\"samples\":");
    assert_true(from && to && to > from);
    return strndup(from, (size_t)(to - from));
}

static char *build_from_files(const char *library)
{
    char query[64], line[512];
    query_of_file(query, sizeof query);
    snprintf(line, sizeof line,
             "marey param build %s mine reach_right.bvh kicks.bvh --query %s" THRESHOLD FEATURE,
             library, query);
    return test_answer(line);
}

#define DEMO(name) TEST_IN(test_reach_demo_make, test_leave_place, name)

DEMO(one_command_does_what_two_do)
{
    char query[64], line[512];
    FREED char *one = build_from_files("one.marey");
    assert_int_equal(test_parts_count(one, "\"path\":\"reach_right.bvh\""), 1);
    assert_non_null(strstr(one, "\"duplicates\":[],\"skipped\":[],\"errors\":[]"));
    test_run_well("marey add two.marey reach_right.bvh kicks.bvh --quiet");
    query_of_file(query, sizeof query);
    snprintf(line, sizeof line,
             "marey param build two.marey mine --query reach_right%s" THRESHOLD FEATURE,
             strchr(query, '#'));
    FREED char *two = test_answer(line);
    char *examples[2] = { examples_of(one), examples_of(two) };
    assert_string_equal(examples[0], examples[1]);
    assert_true(test_parts_count(examples[0], "\"clip\":\"reach_right\"") > 3);
    assert_null(strstr(two, "\"added\""));
    for (int i = 0; i < 2; i++) free(examples[i]);
}

DEMO(done_again_nothing_is_put_in_twice)
{
    char *first = build_from_files("one.marey"), *again = build_from_files("one.marey");
    assert_int_equal(test_parts_count(test_value(again, "added"), "\"frames\""), 0);
    assert_int_equal(test_parts_count(test_value(again, "duplicates"), "\"path\""), 2);
    char *examples[2] = { examples_of(first), examples_of(again) };
    assert_string_equal(examples[0], examples[1]);
    for (int i = 0; i < 2; i++) free(examples[i]);
    free(first);
    free(again);
    FREED char *list = test_answer("marey ls one.marey --json");
    assert_int_equal(test_parts_count(list, "\"frames\":"), 2);
}

/* A file's path counts before a clip's name, so that the second of one name is found. */
DEMO(clips_are_named_by_their_files)
{
    char clips[256], line[1024];
    assert_int_equal(mkdir("takes", 0700), 0);
    test_run_well("marey convert kicks.bvh takes/reach_right.bvh --quiet");
    test_run_well("marey add one.marey takes/reach_right.bvh --quiet"); /* it has the name now */
    test_reach_names(3, "right", clips, sizeof clips);
    size_t used = (size_t)snprintf(line, sizeof line,
                                   "marey param build one.marey mine reach_right.bvh --clips ");
    for (const char *one = strtok(clips, ","); one; one = strtok(NULL, ","))
        used += (size_t)snprintf(line + used, sizeof line - used, "reach_right.bvh%s,",
                                 strchr(one, '#'));
    snprintf(line + used - 1, sizeof line - used, FEATURE);
    FREED char *text = test_answer(line);
    assert_int_equal(test_parts_count(text, "\"clip\":\"reach_right-2\""), 3);
    free(text);
    /* What was put in can be searched, and no webs were built. */
    text = test_answer("marey index one.marey --show --json");
    assert_non_null(strstr(text, "\"exists\":true,\"web\":false"));
    assert_true(test_number(text, "clips") == 2 && test_number(text, "clips_missing") == 0);
}

DEMO(what_cannot_be_read_is_said_and_the_rest_goes_on)
{
    char query[64], line[512];
    query_of_file(query, sizeof query);
    snprintf(line, sizeof line,
             "marey param build one.marey mine none.bvh reach_right.bvh --query %s" THRESHOLD
             " --feature 'position(right_wrist)' --samples 20",
             query);
    test_fails(line, 1, "none.bvh");
    char *list = test_answer("marey param ls one.marey --json");
    assert_non_null(strstr(list, "\"name\":\"mine\""));
    free(list);
    /* Nothing came of it: no library is left behind. */
    test_fails("marey param build two.marey mine none.bvh --query none#0-9 --feature 'duration()'",
               1, "none.bvh");
    assert_int_not_equal(access("two.marey", F_OK), 0);
    /* Without files no library is made. */
    test_fails("marey param build two.marey mine --query none#0-9 --feature 'duration()'", 1,
               "two.marey");
    assert_int_not_equal(access("two.marey", F_OK), 0);
}

/* Webs are only for those who ask for them, and are made by nothing but the index. */
DEMO(files_are_not_put_into_webs)
{
    char query[64], line[512];
    query_of_file(query, sizeof query);
    test_run_well("marey add one.marey reach_right.bvh --quiet");
    test_run_well("marey index one.marey --web --fps 30 --quiet");
    snprintf(line, sizeof line,
             "marey param build one.marey mine kicks.bvh --query reach_right%s --web --threshold "
             "25" FEATURE,
             strchr(query, '#'));
    FREED char *text = test_answer(line);
    assert_true(test_parts_count(test_value(text, "examples"), "\"clip\":\"reach_right\"") > 3);
    FREED char *shown = test_answer("marey index one.marey --show --json");
    assert_true(test_number(shown, "pairs") == 1 && test_number(shown, "pairs_missing") == 2);
    assert_true(test_number(shown, "clips") == 2 && test_number(shown, "clips_missing") == 0);
}

TEST_GROUP_OF_CASES(test_param_files, NULL, NULL)
