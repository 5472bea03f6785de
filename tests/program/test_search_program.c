/* test_search_program.c - index and search as a program, by poses and by match webs: the keys that
   other programs count on, matches as the library finds them, what is made of them, errors and
   warnings, refused memory and Ctrl-C. What they print is in tests/cli. */
#include "program_lines.h"

#include <dirent.h>
#include <math.h>

static void expect_said(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("no \"%s\" in: %s", words, text);
}

/* Kicks, and a fight with kicks and punches in it: moves.marey as `add` leaves it, webs.marey with
   match webs; 30 rows a second, so that it is quick. */
static void copy_library(const char *from, const char *copy)
{
    size_t count;
    FREED char *bytes = test_file_read(from, &count);
    test_file_write(copy, bytes, count);
}

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    test_run_well("marey demo . --take kicks --take small_fight --quiet");
    test_run_well("marey add moves.marey kicks.bvh small_fight.bvh --quiet");
    test_run_well("marey label moves.marey small_fight --add fight --quiet");
    copy_library("moves.marey", "webs.marey");
    test_run_well("marey index webs.marey --web --fps 30 --quiet");
    *state = &place;
    return 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Only "matches" have tiers, but for the number of them all. */
static int match_count(const char *answer)
{
    return test_parts_count(answer, "\"tier\":");
}

/* The keys of every match are there; distances rise, and their roots are lengths. Returns how many
   there are, with the query. */
static int expect_rising(const char *answer)
{
    static const char *const keys[] = { "start", "end", "distance", "path_distance", "tier" };
    int count = match_count(answer);
    double last = 0;
    const char *at = answer;
    for (int i = 0; i < count; i++) {
        at = strstr(at + 1, "{\"clip\":");
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) test_number(at, keys[k]);
        assert_true(test_number(at, "path_distance") >= last);
        last = test_number(at, "path_distance");
        double distance = test_number(at, "distance"), cm = test_number(at, "distance_cm");
        assert_true(fabs(cm * cm - distance) <= 1e-9 * distance);
    }
    return count;
}

TEST(index_says_what_it_made)
{
    static const char *const keys[] = { "fps",     "cells",       "seconds", "chains",
                                        "bridges", "bytes",       "clips",   "clips_made",
                                        "pairs",   "pairs_built", "ceiling", "pairs_dropped" };
    unlink("new.marey");
    test_run_well("marey add new.marey kicks.bvh small_fight.bvh --quiet");
    char *first = test_reply("marey index new.marey --web --fps 15 --json");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) test_number(first, keys[i]);
    assert_true(test_number(first, "fps") == 15 && test_number(first, "clips") == 2);
    assert_true(test_number(first, "pairs") == 3 && test_number(first, "pairs_built") == 3);
    assert_true(test_number(first, "chains") > 2 && test_number(first, "bytes") > 100);
    expect_said(first, "{\"web\":true,");
    expect_said(first, "\"metric\":\"points\"");
    char *again = test_reply("marey index new.marey --json");
    assert_true(test_number(again, "fps") == 15 && test_number(again, "pairs_built") == 0);
    assert_true(test_number(again, "chains") == test_number(first, "chains"));
    char *shown = test_reply("marey index new.marey --show --json");
    expect_said(shown, "{\"exists\":true,\"web\":true,");
    assert_true(test_number(shown, "bytes") == test_number(first, "bytes"));
    char *dropped = test_reply("marey index new.marey --drop --json");
    expect_said(dropped, "{\"dropped\":true,");
    char *gone = test_reply("marey index new.marey --show --json");
    expect_said(gone, "{\"exists\":true,\"web\":false,");
    assert_true(test_number(gone, "bytes") ==
                test_number(first, "bytes") - test_number(dropped, "bytes"));
    test_fails("marey search new.marey kicks#122-252 --web", 1, "no match webs yet");
}

/* What `add` leaves is all that a search needs. */
TEST(a_library_without_webs_is_ready_to_be_searched)
{
    static const char *const none[] = { "pairs", "cells", "chains", "bridges" };
    static const char *const of_webs[] = { "metric",  "ceiling", "pairs_built", "pairs_missing",
                                           "rebuilt", "unit",    "about" };
    copy_library("moves.marey", "added.marey");
    char *shown = test_reply("marey index added.marey --show --json");
    expect_said(shown,
                "{\"exists\":true,\"web\":false,\"fps\":60,\"clips\":2,\"clips_missing\":0,");
    assert_true(test_number(shown, "bytes") > 37 * (1623 + 1113) / 2);
    char *made = test_reply("marey index added.marey --json");
    expect_said(made, "{\"web\":false,\"fps\":60,\"clips\":2,\"clips_made\":0,");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(test_number(shown, none[i]) == 0 && test_number(made, none[i]) == 0);
    for (size_t i = 0; i < sizeof of_webs / sizeof *of_webs; i++) {
        char key[32];
        snprintf(key, sizeof key, "\"%s\":", of_webs[i]);
        assert_null(strstr(shown, key));
        assert_null(strstr(made, key));
    }
    char *again = test_reply("marey index added.marey --rebuild --json");
    assert_true(test_number(again, "clips_made") == 2 && test_number(again, "pairs") == 0);
    assert_true(test_number(again, "bytes") == test_number(shown, "bytes"));
    char *found = test_reply("marey search added.marey kicks#122-252 --json");
    assert_true(match_count(found) >= 3 && test_number(found, "clips_missing") == 0);
    /* A clip that is removed is in no search; it comes back with its poses. */
    test_run_well("marey rm added.marey kicks small_fight --quiet");
    char *empty = test_reply("marey index added.marey --show --json");
    expect_said(empty, "{\"exists\":false,\"web\":false,\"fps\":60,\"clips\":0,");
    test_run_well("marey restore added.marey kicks --quiet");
    char *back = test_reply("marey index added.marey --show --json");
    assert_true(test_number(back, "clips") == 1 && test_number(back, "clips_missing") == 0);
}

TEST(webs_that_are_there_are_kept_up)
{
    copy_library("webs.marey", "more.marey");
    test_run_well("marey convert small_fight.bvh#0-200 more.marey:part --quiet");
    char *shown = test_reply("marey index more.marey --show --json");
    assert_true(test_number(shown, "pairs_missing") == 3 && test_number(shown, "clips") == 3 &&
                test_number(shown, "clips_missing") == 0);
    char *built = test_reply("marey index more.marey --json");
    assert_true(test_number(built, "pairs_built") == 3 && test_number(built, "pairs") == 6);
    assert_true(test_number(built, "fps") == 30 && test_number(built, "clips_made") == 0);
}

TEST(settings_stay_until_others_are_given)
{
    copy_library("webs.marey", "kept.marey");
    char *same = test_reply("marey index kept.marey --json");
    assert_true(test_number(same, "fps") == 30 && test_number(same, "pairs_built") == 0);
    char *other = test_reply("marey index kept.marey --fps 15 --ceiling 50 --json");
    assert_true(test_number(other, "pairs_built") == 3 && test_number(other, "ceiling") == 50);
    expect_said(other, "\"rebuilt\":\"");
    char *angles = test_reply("marey index kept.marey --metric angles --ceiling none --json");
    expect_said(angles, "\"metric\":\"angles\"");
    expect_said(angles, "\"ceiling\":null");
    assert_true(test_number(angles, "fps") == 15);
    test_fails("marey search kept.marey kicks#122-252 --web", 1, "a threshold must be given");
    char *found =
        test_reply("marey search kept.marey kicks#122-252 --web --threshold 0.1 --tiers 1 --json");
    expect_said(found, "\"metric\":\"angles\"");
    assert_null(strstr(found, "\"distance_cm\"")); /* they are no areas */
    /* Poses do not go by them. */
    char *poses = test_reply("marey search kept.marey kicks#122-252 --json");
    char *bare = test_reply("marey search moves.marey kicks#122-252 --json");
    *strstr(poses, "\"seconds\"") = *strstr(bare, "\"seconds\"") = 0;
    assert_string_equal(poses, bare);
}

static const char first_match[] =
    "{\"matches\":[{\"clip\":\"kicks\",\"id\":1,\"start\":122,\"end\":252,\"distance\":0,"
    "\"distance_cm\":0,\"path_distance\":0,\"tier\":0,\"mirrored\":false},";

TEST(a_search_answers_in_the_promised_keys)
{
    char *all = test_reply("marey search moves.marey kicks#122-252 --json");
    assert_memory_equal(all, first_match, strlen(first_match));
    int count = expect_rising(all);
    assert_int_equal(count, 4); /* two kicks more with this foot, and that of the fight */
    assert_int_equal(test_parts_count(all, "\"clip\":\"small_fight\""), 1);
    const char *at = strstr(all, "\"edges\":[");
    assert_int_equal(test_parts_count(at, "\"from\":0,"), count - 1);
    assert_true(test_number(at, "to") == 1);
    assert_true(test_number(at, "distance") == test_number(strstr(all, "\"tier\":0,"), "distance"));
    assert_true(test_number(all, "seconds") > 0 && test_number(all, "tiers") == 1);
    assert_true(test_number(all, "fps") == 60);
    expect_said(all, "\"metric\":\"poses\"");
    expect_said(all, "\"ceiling\":null,\"past_ceiling\":false");
    assert_null(strstr(all, "\"cells\""));
}

TEST(a_search_by_webs_answers_in_the_promised_keys)
{
    char *all = test_reply("marey search webs.marey kicks#122-252 --web --json");
    assert_memory_equal(all, first_match, strlen(first_match));
    int count = expect_rising(all);
    assert_true(count >= 3);
    const char *at = strstr(all, "\"edges\":[");
    assert_true(test_parts_count(at, "\"from\":") >= count - 1);
    assert_true(test_number(at, "distance") <= 100 && test_number(at, "to") >= 0);
    assert_true(test_number(all, "seconds") > 0 &&
                test_number(all, "threshold") == MAREY_FIND_THRESHOLD);
    assert_true(test_number(all, "fps") == 30 && test_number(all, "ceiling") == 1000);
    expect_said(all, "\"metric\":\"points\"");
    expect_said(all, "\"chosen\":false");
    assert_null(strstr(all, "\"still_cost\""));
    assert_null(strstr(all, "\"cells\""));
}

TEST(the_query_chooses_a_threshold)
{
    char *chosen = test_reply("marey search moves.marey kicks#122-252 --json");
    double still = test_number(chosen, "still_cost");
    expect_said(chosen, "\"chosen\":true");
    assert_true(still > 0);
    assert_true(test_number(chosen, "threshold") == 0.8 * still); /* nothing else is near */
    char *given = test_reply("marey search moves.marey kicks#122-252 --threshold 40 --json");
    expect_said(given, "\"chosen\":false");
    assert_true(test_number(given, "threshold") == 40);
    assert_true(test_number(given, "still_cost") == still);
    assert_int_equal(match_count(given), 3);
    /* Later tiers do not change it. */
    char *once = test_reply("marey search moves.marey kicks#0-2 --tiers 1 --json --quiet");
    char *on = test_reply("marey search moves.marey kicks#0-2 --json --quiet");
    assert_true(match_count(once) > 1 && match_count(on) >= match_count(once));
    assert_true(test_number(on, "threshold") == test_number(once, "threshold"));
    char *text = test_reply("marey search moves.marey kicks#122-252");
    expect_said(text, " cm, chosen by the query)");
    text = test_reply("marey search moves.marey kicks#122-252 --threshold 40");
    assert_null(strstr(text, "chosen"));
}

TEST(thresholds_may_be_lengths)
{
    char *length = test_reply("marey search moves.marey kicks#122-252 --threshold 8cm --json");
    char *area = test_reply("marey search moves.marey kicks#122-252 --threshold 64 --json");
    assert_true(test_number(length, "threshold") == 64);
    *strstr(length, "\"seconds\"") = *strstr(area, "\"seconds\"") = 0;
    assert_string_equal(length, area);
    char *by_webs =
        test_reply("marey search webs.marey kicks#122-252 --web --threshold 8cm --json");
    assert_true(test_number(by_webs, "threshold") == 64);
}

/* However far they are: 3 are within what the query chooses, more are not. */
TEST(as_many_as_asked_for_are_found)
{
    char *all = test_reply("marey search moves.marey kicks#122-252 --nearest 12 --json");
    assert_int_equal(expect_rising(all), 1 + 12);
    expect_said(all, "\"chosen\":false");
    assert_true(test_number(all, "threshold") > 0.6 * test_number(all, "still_cost"));
    for (int count = 1; count <= 3; count++) {
        char line[128];
        snprintf(line, sizeof line, "marey search moves.marey kicks#122-252 --nearest %d --json",
                 count);
        char *some = test_reply(line);
        assert_int_equal(match_count(some), 1 + count);
        /* The first of them all. */
        size_t bytes = (size_t)(strstr(some, "],\"edges\"") - some);
        assert_memory_equal(some, all, bytes);
    }
    char *text = test_reply("marey search moves.marey kicks#122-252 --nearest 5");
    expect_said(text, "\n5 matches up to ");
    assert_null(strstr(text, "chosen"));
    assert_null(strstr(text, "there are more"));
    assert_null(strstr(text, "--threshold"));
}

/* The kicks with the other foot are found too, say so, and are files of kicks with this one. */
TEST(the_other_side_is_found_if_asked_for)
{
    char *one = test_reply("marey search moves.marey kicks#122-252 --json");
    char *both = test_reply("marey search moves.marey kicks#122-252 --mirror --json");
    assert_null(strstr(one, "\"mirrored\":true"));
    expect_said(both, "\"mirrored\":true");
    assert_true(expect_rising(both) > match_count(one));
    expect_said(test_reply("marey search moves.marey kicks#122-252 --mirror"), "  mirrored\n");
    /* As files: what is found of a mirrored one is like the query again. */
    test_run_well("marey search moves.marey kicks#122-252 --mirror -o sides --quiet");
    test_run_well("marey add sides.marey sides --quiet");
    char *again = test_reply("marey search sides.marey kicks-122-252 --json");
    assert_null(strstr(again, "\"mirrored\":true"));
    assert_true(match_count(again) >= match_count(both) - 1);
}

static void expect_paths(const char *line)
{
    char *all = test_reply(line);
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

TEST(paths_go_from_frame_to_frame)
{
    expect_paths("marey search moves.marey kicks#122-252 --json --paths");
    expect_paths("marey search webs.marey kicks#122-252 --web --json --paths --tiers 1");
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
    copy_library("moves.marey", "cut.marey");
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
    copy_library("moves.marey", "cut.marey");
    char *made = test_reply("marey search cut.marey kicks.bvh#122-252 --tiers 1 --cut kick --json");
    assert_int_equal(test_parts_count(strstr(made, "\"clips\":["), "\"kick-"),
                     match_count(made) - 1);
}

TEST(matches_are_labelled_once_however_often_they_are_found)
{
    copy_library("moves.marey", "cut.marey");
    FREED char *before = NULL;
    for (int i = 0; i < 2; i++) {
        char *found = test_reply("marey search cut.marey kicks#122-252 --label-matches 'a kick' "
                                 "--json");
        char *list = test_reply("marey ls cut.marey --label 'a kick' --json");
        assert_true(test_number(found, "labelled") == match_count(found));
        assert_int_equal(test_parts_count(list, "{\"label\":\"a kick\""), match_count(found));
        if (before) assert_string_equal(list, before);
        if (!before) before = strdup(list);
    }
    char *again = test_reply("marey search cut.marey kicks.bvh#122-252 --label-matches x --json");
    assert_true(test_number(again, "labelled") == match_count(again) - 1);
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
        { "marey search moves.marey kicks --cut x --label-matches x", 2,
          "--cut and --label-matches must be asked for one after the other" },
        { "marey search moves.marey kicks --format glb", 2, "--format is for" },
        { "marey search moves.marey kicks --sheet x.gif", 2, "--sheet takes a name" },
        { "marey search moves.marey kicks -o x.png", 2, "--sheet draws them" },
        { "marey search moves.marey kicks --threshold 8mm", 2, "--threshold must be a number" },
        { "marey search moves.marey kicks --threshold 0cm", 2, "--threshold must be a number" },
        { "marey search moves.marey kicks --nearest 0", 2, "--nearest must be a whole number" },
        { "marey search moves.marey kicks#1-50 --web", 1,
          "moves.marey: no match webs yet; run marey index --web moves.marey" },
        { "marey search webs.marey kicks#1-50 --loose 0.1", 2,
          "--loose is for searches by match webs" },
        { "marey search webs.marey kicks#1-50 --nearest 3 --web", 2,
          "--nearest is for searches without match webs" },
        { "marey search webs.marey kicks#1-50 --own-size --web", 2,
          "--own-size is for searches without match webs" },
        { "marey search webs.marey kicks#1-50 --mirror --web", 2,
          "--mirror is for searches without match webs" },
        { "marey search webs.marey kicks#1-50 --unlike kicks#90-120 --web", 2,
          "--unlike is for searches without match webs" },
        { "marey search moves.marey kicks#1-50 --like small_fight.bvh#90-120", 1,
          "no clip is called small_fight.bvh" },
        { "marey search moves.marey kicks#1-50 --like kicks#9-9000", 1, "kicks: frame" },
        { "marey search moves.marey kicks#1-50 --like kicks#90-140 --unlike kicks#95-140", 1,
          "kicks: frames 95-140 are both liked and unliked" },
        { "marey index moves.marey --show --fps 30", 2, "--show builds nothing" },
        { "marey index moves.marey --ceiling much", 2, "--ceiling must be a number" },
        { "marey index moves.marey --metric angles --window 5", 2, "compares single frames" },
        { "marey index moves.marey --bridge 0.1", 1, "bridge" },
        { "marey index nowhere.marey", 1, "nowhere.marey" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_fails(wrong[i].line, wrong[i].status, wrong[i].words);
}

TEST(what_may_be_missing_in_webs_is_said)
{
    copy_library("webs.marey", "more.marey");
    test_run_well("marey convert small_fight.bvh#0-200 more.marey:part --quiet");
    test_fails("marey search more.marey kicks#122-252 --web --threshold 1200 --tiers 1", 0,
               "nothing above 1000, so matches may be missing");
    test_fails("marey search more.marey kicks#122-252 --web", 0,
               "run marey index --web more.marey");
    test_run run = test_run_make();
    test_run_line(&run, "marey search more.marey kicks#122-252 --web --quiet");
    assert_string_equal(run.err.bytes, "");
    test_run_free(&run);
}

TEST(by_poses_nothing_is_missing)
{
    copy_library("webs.marey", "more.marey");
    test_run_well("marey convert small_fight.bvh#140-300 more.marey:part --quiet");
    test_run run = test_run_make();
    assert_int_equal(
        test_run_line(&run, "marey search more.marey kicks#122-252 --threshold 1200 --json"), 0);
    assert_string_equal(run.err.bytes, "");
    expect_said(run.out.bytes, "\"clip\":\"part\",\"id\":3,");
    expect_said(run.out.bytes, "\"past_ceiling\":false");
    assert_true(test_number(run.out.bytes, "clips_missing") == 0);
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
    assert_int_equal(test_run_line(&run, "marey index slow.marey --web --fps 30"), 0);
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
    assert_int_equal(test_run_line(&run, "marey index part.marey --web --fps 30 --json"), 130);
    expect_said(run.err.bytes, "what was indexed stays");
    assert_true(is_one_json_object(run.out.bytes));
    test_run_free(&run);
    char *then = test_reply("marey index part.marey --web --fps 30 --json");
    assert_true(test_number(then, "pairs") == 3);
    test_cancelled("marey search part.marey kicks#122-252");
    test_cancelled("marey search part.marey kicks#122-252 --web");
}

/* Clips that take few allocations to read: every one of them is refused in turn. */
TEST(refused_memory_ends_a_search_well)
{
    unlink("small.marey");
    write_person("a.bvh", 40);
    test_run_well("marey add small.marey a.bvh --quiet");
    test_run_well("marey convert a.bvh small.marey:b --quiet");
    sweep_memory("marey search small.marey a#2-38 --json --paths --threshold 50", NULL, NULL);
    sweep_memory("marey search small.marey a.bvh#2-38 --nearest 3", NULL, NULL);
    sweep_memory("marey search small.marey a#2-38 --label-matches x --json", NULL, NULL);
    sweep_memory("marey search small.marey a#2-38 --label x", NULL, NULL);
    test_run_well("marey index small.marey --web --fps 30 --quiet");
    sweep_memory("marey search small.marey a#2-38 --web --json --paths --threshold 50", NULL, NULL);
    sweep_memory("marey search small.marey a.bvh#2-38 --web --tiers 1", NULL, NULL);
}

TEST_GROUP_OF_CASES(test_search_program, enter, test_leave_place)
