/* test_mixed_program.c - a library with several skeletons as a program: graphs, cluster graphs, families and
   bodies of puppets take all of its clips, say which were retargeted, which were left out and why, and
   have the body that is asked for. */
#include "metric_clips.h"
#include "reach_demo.h"

#include "motion/clip_data.h"

/* The same take as clip NAME of the library: other joints, other axes, 0.8 times as large. */
static void put_odd(marey_ctx *ctx, const char *path, const char *name)
{
    OWNED(marey_clip) *clip = test_clip_load(ctx, path), *odd = test_other_axes(clip, 0.8);
    marey_library *library = NULL;
    test_ok(marey_library_open(ctx, "demo.marey", MAREY_LIBRARY_WRITE, &library, &test_error));
    test_ok(marey_library_put(library, odd, name, NULL, NULL, 0, &test_error));
    marey_library_close(library);
}

static void make_mixed(void)
{
    test_run_well("marey demo . --take walk_straight --take walk_left --take reach_right --quiet");
    OWNED(marey_ctx) *ctx = test_ctx();
    put_odd(ctx, "walk_left.bvh", "small_walk");
    put_odd(ctx, "reach_right.bvh", "small_reach");
    OWNED(marey_clip) *thing = test_nameless(ctx, 40);
    test_ok(marey_clip_save(thing, "thing.bvh", &test_error));
    test_run_well("marey add demo.marey thing.bvh --quiet");
}

static int enter_mixed(void **state)
{
    return test_enter_copy(state, make_mixed);
}

#define CASE(name) TEST_IN(enter_mixed, test_leave_place, name)

static void has(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("%s is not in %.2000s", words, text);
}

CASE(graphs_take_all_skeletons_and_say_what_they_did)
{
    char *text = test_reply("marey graph build demo.marey all --json");
    has(text, "\"retargeted\":[{\"clip\":\"small_reach\"");
    has(text, "{\"clip\":\"small_walk\"");
    has(text, "\"left_out\":1,");
    has(text, "\"left_out_clips\":[{\"clip\":\"thing\"");
    has(text, "\"why\":\"thing: its body has no hips");
    test_fails("marey graph build demo.marey named walk_straight thing", 1, "its body has no hips");
    has(test_reply("marey graph stats demo.marey all --json"),
        "\"retargeted\":[{\"clip\":\"small_reach\"");
    /* All that uses one. */
    test_run_well("marey graph build demo.marey two walk_straight small_walk --quiet");
    test_run_well("marey graph walk demo.marey two --length 10s -o walk.bvh --quiet");
    test_run_well("marey graph train demo.marey two --directions 8 --quiet");
    test_run_well(
        "marey puppet train --clips walk_straight small_walk -L demo.marey -o p.puppet --quiet");
    test_run_well("marey puppet show p.puppet --csv main.csv --quiet");
    has(test_reply(
            "marey puppet run p.puppet main.csv -L demo.marey --graph two --body body.bvh --json"),
        "\"jump_ratio\"");
    test_run_well("marey cluster build demo.marey two walk_straight small_walk --quiet");
}

CASE(all_get_the_body_that_is_asked_for)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    test_run_well(
        "marey graph build demo.marey two walk_straight walk_left --onto small_walk --quiet");
    has(test_reply("marey graph stats demo.marey two --json"),
        "\"retargeted\":[{\"clip\":\"walk_straight\"");
    test_run_well("marey graph walk demo.marey two --length 5s -o walk.bvh --quiet");
    OWNED(marey_clip) *made = test_clip_load(ctx, "walk.bvh");
    assert_string_equal(marey_clip_skeleton(made)->joints[0].name, "j_Hips");
    test_run_well(
        "marey cluster build demo.marey two walk_straight walk_left --onto small_walk --quiet");
    test_fails("marey graph build demo.marey none walk_left --onto nowhere", 1, "nowhere");
    test_fails("marey graph build demo.marey none walk_left --onto thing", 1,
               "its body has no hips");
    /* What it is on is part of it. */
    test_run_well("marey rm demo.marey small_walk --quiet");
    test_fails("marey graph stats demo.marey two", 1, "needs the clip small_walk");
    test_run_well("marey restore demo.marey small_walk --quiet");
    test_run_well("marey graph stats demo.marey two --quiet");
    test_run_well("marey verify demo.marey --quiet");
    char *map = test_reply("marey map -L demo.marey walk_left small_walk");
    test_file_write("map.json", map, strlen(map));
    test_run_well("marey map -L demo.marey walk_left small_walk --set map.json --quiet");
    test_fails("marey graph stats demo.marey two", 1, "build it again");
    test_run_well("marey map -L demo.marey walk_left small_walk --forget --quiet");
    test_run_well("marey graph stats demo.marey two --quiet");
}

CASE(a_family_takes_examples_of_another_body)
{
    char names[2000], line[5000];
    test_reach_names(4, "right", names, sizeof names);
    int used = snprintf(line, sizeof line,
                        "marey param build demo.marey mixed --feature "
                        "'position(right_wrist, apex, start)' --json --clips %s",
                        names);
    for (const char *at = names; (at = strchr(at, '#')); at++)
        used += snprintf(line + used, sizeof line - (size_t)used, ",small_reach%.*s",
                         (int)strcspn(at, ","), at);
    char *text = test_reply(line);
    has(text, "\"retargeted\":[{\"clip\":\"small_reach\"");
    has(text, "\"left_out\":[]");
    has(test_reply("marey param make demo.marey mixed --at 20,120,45 -o reach.bvh --json"),
        "\"jump_ratio\"");
    test_run_well("marey param build demo.marey odd --feature 'position(right_wrist, apex, start)' "
                  "--query small_reach#131-276 --threshold 400 --quiet --onto reach_right");
}

TEST_GROUP_OF_CASES(test_mixed_program, NULL, NULL)
