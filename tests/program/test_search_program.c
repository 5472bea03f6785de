/* test_search_program.c - index and search as a program: the keys that other programs count on,
   matches as the library finds them, what is made of them, errors and warnings, refused memory and
   Ctrl-C. What they print is in tests/cli. */
#include "program_lines.h"

#include <dirent.h>
#include <math.h>

static void expect_said(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("no \"%s\" in: %s", words, text);
}

/* Kicks, and a fight with kicks and punches in it; 30 rows a second, so that it is quick. */
static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    test_run_well("marey demo . --take kicks --take small_fight --quiet");
    test_run_well("marey add moves.marey kicks.bvh small_fight.bvh --quiet");
    test_run_well("marey label moves.marey small_fight --add fight --quiet");
    test_run_well("marey index moves.marey --fps 30 --quiet");
    *state = &place;
    return 0;
}

static void copy_library(const char *to)
{
    size_t count;
    FREED char *bytes = test_file_read("moves.marey", &count);
    test_file_write(to, bytes, count);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Only "matches" have tiers, but for the number of them all. */
static int match_count(const char *answer)
{
    return test_parts_count(answer, "\"tier\":");
}

TEST(index_says_what_it_made)
{
    static const char *const keys[] = { "fps",         "cells",   "seconds",      "chains",
                                        "bridges",     "bytes",   "clips",        "pairs",
                                        "pairs_built", "ceiling", "pairs_dropped" };
    unlink("new.marey");
    test_run_well("marey add new.marey kicks.bvh small_fight.bvh --quiet");
    char *first = test_reply("marey index new.marey --fps 15 --json");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) test_number(first, keys[i]);
    assert_true(test_number(first, "fps") == 15 && test_number(first, "clips") == 2);
    assert_true(test_number(first, "pairs") == 3 && test_number(first, "pairs_built") == 3);
    assert_true(test_number(first, "chains") > 2 && test_number(first, "bytes") > 100);
    expect_said(first, "\"metric\":\"points\"");
    char *again = test_reply("marey index new.marey --json");
    assert_true(test_number(again, "fps") == 15 && test_number(again, "pairs_built") == 0);
    assert_true(test_number(again, "chains") == test_number(first, "chains"));
    char *shown = test_reply("marey index new.marey --show --json");
    expect_said(shown, "\"exists\":true");
    assert_true(test_number(shown, "bytes") == test_number(first, "bytes"));
    test_run_well("marey index new.marey --drop");
    char *gone = test_reply("marey index new.marey --show --json");
    expect_said(gone, "{\"exists\":false");
    free(first);
}

TEST(settings_stay_until_others_are_given)
{
    copy_library("kept.marey");
    char *same = test_reply("marey index kept.marey --json");
    assert_true(test_number(same, "fps") == 30 && test_number(same, "pairs_built") == 0);
    char *other = test_reply("marey index kept.marey --fps 15 --ceiling 50 --json");
    assert_true(test_number(other, "pairs_built") == 3 && test_number(other, "ceiling") == 50);
    expect_said(other, "\"rebuilt\":\"");
    char *angles = test_reply("marey index kept.marey --metric angles --ceiling none --json");
    expect_said(angles, "\"metric\":\"angles\"");
    expect_said(angles, "\"ceiling\":null");
    assert_true(test_number(angles, "fps") == 15);
    test_fails("marey search kept.marey kicks#122-252", 1, "a threshold must be given");
    test_run_well("marey search kept.marey kicks#122-252 --threshold 0.1 --tiers 1");
}

TEST(a_search_answers_in_the_promised_keys)
{
    static const char *const keys[] = { "start", "end", "distance", "path_distance", "tier" };
    char *all = test_reply("marey search moves.marey kicks#122-252 --json");
    const char *first = "{\"matches\":[{\"clip\":\"kicks\",\"id\":1,\"start\":122,\"end\":252,"
                        "\"distance\":0,\"path_distance\":0,\"tier\":0},";
    assert_memory_equal(all, first, strlen(first));
    int count = match_count(all);
    assert_true(count >= 3);
    double last = 0;
    const char *at = all;
    for (int i = 0; i < count; i++) {
        at = strstr(at + 1, "{\"clip\":");
        for (size_t k = 0; k < 5; k++) test_number(at, keys[k]);
        assert_true(test_number(at, "path_distance") >= last);
        last = test_number(at, "path_distance");
    }
    at = strstr(all, "\"edges\":[");
    assert_true(test_parts_count(at, "\"from\":") >= count - 1);
    assert_true(test_number(at, "distance") <= 100 && test_number(at, "to") >= 0);
    assert_true(test_number(all, "seconds") > 0 &&
                test_number(all, "threshold") == MAREY_FIND_THRESHOLD);
    assert_null(strstr(all, "\"cells\""));
}

TEST(paths_go_from_frame_to_frame)
{
    char *all = test_reply("marey search moves.marey kicks#122-252 --json --paths --tiers 1");
    const char *at = strstr(all, "\"cells\":[[");
    int row = 0, col = 0, before_row = 100, before_col = 0;
    assert_non_null(at);
    for (at += 9; sscanf(at, "[%d,%d]", &row, &col) == 2; at = strchr(at, ']') + 2) {
        assert_true(row >= before_row && row <= before_row + 30 && row < 260);
        assert_true(col >= before_col);
        before_row = row;
        before_col = col;
    }
    assert_true(before_row > 230);
}

TEST(seconds_are_frames)
{
    char *frames = test_reply("marey search moves.marey kicks#120-252 --json --tiers 1");
    char *times = test_reply("marey search moves.marey kicks#2s-4.2s --json --tiers 1");
    char *number = test_reply("marey search moves.marey '#1#120-252' --json --tiers 1");
    *strstr(frames, "\"seconds\"") = *strstr(times, "\"seconds\"") =
        *strstr(number, "\"seconds\"") = 0;
    assert_string_equal(frames, times);
    assert_string_equal(frames, number);
}

TEST(options_restrict_what_is_found)
{
    char *all = test_reply("marey search moves.marey kicks#122-252 --threshold 400 --json");
    char *fight =
        test_reply("marey search moves.marey kicks#122-252 --threshold 400 --label fight --json");
    char *in = test_reply(
        "marey search moves.marey kicks#122-252 --threshold 400 --in small_fight --json");
    char *one = test_reply("marey search moves.marey kicks#122-252 --limit 1 --json");
    assert_true(match_count(all) > match_count(fight) && match_count(fight) > 1);
    assert_int_equal(match_count(fight), match_count(in));
    assert_int_equal(test_parts_count(fight, "\"clip\":\"kicks\""), 1);
    assert_int_equal(match_count(one), 2);
    expect_said(one, "\"limited\":true");
}

/* But for the query itself, which the library has too, and its name's number. */
TEST(a_file_finds_what_its_clip_finds)
{
    char *inside = test_reply("marey search moves.marey kicks#122-252 --tiers 1 --json");
    test_run_well("marey convert kicks.bvh other.bvh");
    char *outside = test_reply("marey search moves.marey other.bvh#122-252 --tiers 1 --json");
    const char *first = "{\"matches\":[{\"clip\":\"other\",\"id\":null,\"start\":122,\"end\":252,";
    assert_memory_equal(outside, first, strlen(first));
    assert_int_equal(match_count(outside), match_count(inside) + 1);
    /* A name of the library wins over a file of that name. */
    rename("other.bvh", "kicks");
    char *named = test_reply("marey search moves.marey kicks#122-252 --tiers 1 --json");
    expect_said(named, "\"clip\":\"kicks\",\"id\":1,");
    unlink("kicks");
}

TEST(frames_of_a_file_count_from_its_first)
{
    char *whole = test_reply("marey search moves.marey kicks.bvh#122-252 --tiers 1 --json");
    char *less =
        test_reply("marey search moves.marey kicks.bvh#122-252 --skip-first --tiers 1 --json");
    expect_said(less, "\"start\":122,\"end\":252,\"distance\":0,");
    assert_int_equal(match_count(whole), match_count(less));
}

/* ---- what is made of matches ----------------------------------------------------------------- */

static int files_in(const char *folder, const char *ending)
{
    DIR *open = opendir(folder);
    int count = 0;
    if (!open) return -1;
    for (struct dirent *one; (one = readdir(open));) count += strstr(one->d_name, ending) != NULL;
    closedir(open);
    return count;
}

TEST(matches_become_clips_files_and_a_sheet)
{
    copy_library("cut.marey");
    char *made = test_reply("marey search cut.marey kicks#122-252 --cut kick --add found --add "
                            "'right foot' -o pieces --sheet found.png --json");
    int matches = match_count(made);
    expect_said(made, "\"clips\":[\"kick-1\",\"kick-2\",");
    expect_said(made, "\"sheet\":\"found.png\"");
    char *list = test_reply("marey ls cut.marey --label found --json");
    assert_int_equal(test_parts_count(list, "\"name\":\"kick-"), matches);
    assert_int_equal(test_parts_count(list, "\"right foot\""), matches);
    assert_true(test_number(strstr(list, "kick-1"), "frames") == 130);
    assert_int_equal(files_in("pieces", ".bvh"), matches);
    FREED char *first = test_file_read("pieces/kicks-122-252.bvh", NULL);
    expect_said(first, "Frames: 130");
    FREED char *png = test_file_read("found.png", NULL);
    assert_memory_equal(png, "\x89PNG", 4);
    char *warned = test_reply("marey search cut.marey kicks#122-252 --json");
    /* their frames are searched where they were cut from */
    assert_true(test_number(warned, "clips_missing") == 0);
    assert_int_equal(match_count(warned), matches);
}

TEST(the_query_from_a_file_is_not_cut)
{
    copy_library("cut.marey");
    char *made = test_reply("marey search cut.marey kicks.bvh#122-252 --tiers 1 --cut kick --json");
    assert_int_equal(test_parts_count(strstr(made, "\"clips\":["), "\"kick-"),
                     match_count(made) - 1);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

TEST(mistakes_are_told)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } wrong[] = {
        { "marey search moves.marey kick#122-252", 1, "kicks" },
        { "marey search moves.marey none.bvh#122-252", 1, "none.bvh: cannot open this file" },
        { "marey search moves.marey kicks#122-9999", 1, "outside the clip, which has 1623" },
        { "marey search moves.marey kicks#122", 1, "too few" },
        { "marey search moves.marey truth.json#1-50", 1, "truth.json" },
        { "marey search moves.marey kicks#1-50 --label none", 1, "no clip has the label none" },
        { "marey search moves.marey kicks#1-50 --in small_fights", 1, "small_fight" },
        { "marey search nowhere.marey kicks#1-50", 1, "nowhere.marey" },
        { "marey search moves.marey", 2, "missing argument" },
        { "marey search moves.marey kicks --threshold 0", 2, "--threshold must be a number" },
        { "marey search moves.marey kicks --tiers 0", 2, "--tiers must be a whole number" },
        { "marey search moves.marey kicks --same 1.5", 2, "--same must be a number" },
        { "marey search moves.marey kicks#1-50 --same 0.5 --distinct 0.6", 1, "distinct" },
        { "marey search moves.marey kicks --paths", 2, "--paths is for --json" },
        { "marey search moves.marey kicks --add x", 2, "--add is only for --cut" },
        { "marey search moves.marey kicks --format glb", 2, "--format is for" },
        { "marey search moves.marey kicks --sheet x.gif", 2, "--sheet takes a name" },
        { "marey search moves.marey kicks -o x.png", 2, "--sheet draws them" },
        { "marey index moves.marey --show --fps 30", 2, "--show builds nothing" },
        { "marey index moves.marey --ceiling much", 2, "--ceiling must be a number" },
        { "marey index moves.marey --metric angles --window 5", 2, "compares single frames" },
        { "marey index moves.marey --bridge 0.1", 1, "bridge" },
        { "marey index nowhere.marey", 1, "nowhere.marey" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_fails(wrong[i].line, wrong[i].status, wrong[i].words);
    unlink("bare.marey");
    test_run_well("marey add bare.marey kicks.bvh --quiet");
    test_fails("marey search bare.marey kicks#122-252", 1,
               "bare.marey: no index yet; run marey index bare.marey");
}

TEST(what_may_be_missing_is_said)
{
    copy_library("more.marey");
    test_run_well("marey convert small_fight.bvh#0-200 more.marey:part --quiet");
    test_fails("marey search more.marey kicks#122-252 --threshold 1200 --tiers 1", 0,
               "nothing above 1000, so matches may be missing");
    test_fails("marey search more.marey kicks#122-252", 0, "run marey index more.marey");
    test_run run = test_run_make();
    test_run_line(&run, "marey search more.marey kicks#122-252 --quiet");
    assert_string_equal(run.err.bytes, "");
    test_run_free(&run);
}

TEST(people_are_told_what_to_do_next)
{
    char *found = test_reply("marey search moves.marey kicks#122-252");
    expect_said(found, "the query");
    expect_said(found, " cm");
    expect_said(found, "--sheet found.png");
    char *nothing = test_reply("marey search moves.marey kicks#122-252 --threshold 0.001");
    expect_said(nothing, "0 matches");
    expect_said(nothing, "--threshold 0.002 may find more");
}

TEST(progress_says_what_is_left)
{
    unlink("slow.marey");
    test_run_well("marey add slow.marey kicks.bvh small_fight.bvh --quiet");
    test_run run = test_run_make();
    run.err_is_terminal = true;
    assert_int_equal(test_run_line(&run, "marey index slow.marey --fps 30"), 0);
    expect_said(run.err.bytes, "indexing");
    expect_said(run.out.bytes, "built 3 pairs in ");
    test_run_free(&run);
}

TEST(an_interrupted_index_goes_on)
{
    unlink("part.marey");
    test_run_well("marey add part.marey kicks.bvh small_fight.bvh --quiet");
    test_run run = test_run_make();
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey index part.marey --fps 30 --json"), 130);
    expect_said(run.err.bytes, "what was indexed stays");
    assert_true(is_one_json_object(run.out.bytes));
    test_run_free(&run);
    char *then = test_reply("marey index part.marey --fps 30 --json");
    assert_true(test_number(then, "pairs") == 3);
    run = test_run_make();
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey search part.marey kicks#122-252"), 130);
    test_run_free(&run);
}

/* Clips that take few allocations to read: every one of them is refused in turn. */
TEST(refused_memory_ends_a_search_well)
{
    unlink("small.marey");
    write_person("a.bvh", 40);
    test_run_well("marey add small.marey a.bvh --quiet");
    test_run_well("marey convert a.bvh small.marey:b --quiet");
    test_run_well("marey index small.marey --fps 30 --quiet");
    sweep_memory("marey search small.marey a#2-38 --json --paths --threshold 50", NULL, NULL);
    sweep_memory("marey search small.marey a.bvh#2-38 --tiers 1", NULL, NULL);
}

TEST_GROUP_OF_CASES(test_search_program, enter, test_leave_place)
