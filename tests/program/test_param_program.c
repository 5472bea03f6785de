/* test_param_program.c - the commands that build and judge families as a program: their numbers are
   the library's, searches and labels give examples, faulty ones are found. */
#include "reach_demo.h"

#include <math.h>

/* ---- what can be asked ----------------------------------------------------------------------- */

TEST(features_are_the_librarys)
{
    char *text = test_reply("marey param features"),
         *object = test_reply("marey param features --json");
    const marey_param_kind *kind;
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        char quoted[128];
        assert_non_null(strstr(text, kind->form));
        snprintf(quoted, sizeof quoted, "\"form\":\"%s\"", kind->form);
        assert_non_null(strstr(object, quoted));
    }
    assert_non_null(strstr(object, "\"moments\":[{\"name\":\"start\""));
    assert_non_null(strstr(object, "\"places\":[{\"name\":\"start\""));
    assert_non_null(strstr(object, "\"amounts\":[\"mean\",\"least\",\"greatest\"]"));
}

/* ---- building -------------------------------------------------------------------------------- */

#define DEMO(name) TEST_IN(test_reach_demo_make, test_leave_place, name)

DEMO(the_demo_has_a_ready_family)
{
    char *list = test_reply("marey param ls demo.marey --json");
    assert_non_null(strstr(list, "{\"spaces\":[{\"name\":\"reach\",\"features\":["
                                 "\"position(right_wrist, apex, start)\"],\"examples\":[{"));
    assert_int_equal(test_parts_count(list, "\"clip\":\"reach_right\""), TEST_DEMO_REACHES);
    assert_true(test_number(list, "samples") > 200);
    /* It may be made again, but not over what somebody else kept. */
    test_run_well("marey demo . --take reach_right --take kicks --quiet");
    test_run_well("marey param prune demo.marey reach --tolerance 2 --as mine --quiet");
    test_fails("marey demo . --take reach_right --quiet", 1, "has a saved family, mine");
    test_run_well("marey param rm demo.marey mine --quiet");
    test_run_well("marey demo . --take kicks --quiet");
    list = test_reply("marey param ls demo.marey");
    assert_string_equal(list, "no saved family; marey param build makes one\n");
}

DEMO(a_built_family_is_what_the_answer_says)
{
    char clips[512], line[1024];
    test_reach_names(8, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey mine --clips %s --feature 'position(right_wrist)' "
             "--feature 'duration()' --samples 100 --json",
             clips);
    char *text = test_reply(line);
    assert_int_equal(test_number(text, "dims"), 4);
    assert_int_equal(test_parts_count(text, "\"values\":["), 8);
    assert_true(test_number(text, "samples") > 20 && test_number(text, "samples") <= 108);
    assert_true(test_number(text, "faults") == 0 && test_number(text, "seconds") >= 0);
    assert_non_null(strstr(text, "\"features\":[\"position(right_wrist, apex, start)\","
                                 "\"duration()\"]"));
    char *list = test_reply("marey param ls demo.marey --json");
    const char *at = strstr(list, "\"name\":\"mine\"");
    assert_non_null(at);
    assert_true(test_number(at, "samples") == test_number(text, "samples"));
    assert_true(test_number(at, "bytes") == test_number(text, "bytes"));
    /* The reach's own target, told from under the hips. */
    size_t bytes;
    FREED char *truth = test_file_read("truth.json", &bytes);
    at = strstr(strstr(truth, "\"reach_right\""), "\"label\":\"reach\"");
    double values[4];
    test_numbers(text, "values", 4, values);
    assert_true(fabs(values[0] - test_number(at, "target_x_cm")) < 1);
    assert_true(fabs(values[1] - test_number(at, "target_y_cm")) < 1);
    assert_true(fabs(values[2] - test_number(at, "target_z_cm")) < 1);
    assert_true(fabs(values[3] * 60 - (test_number(at, "end") - test_number(at, "start"))) <= 1);
    test_run_well("marey verify demo.marey --quiet");
}

/* The examples are reaches of the truth, each once; `share` of the two together is in both. */
static void expect_reaches(const char *answer, double share)
{
    bool used[TEST_DEMO_REACHES] = { false };
    char names[512];
    test_reach_names(TEST_DEMO_REACHES, "right", names, sizeof names);
    assert_int_equal(test_parts_count(answer, "\"clip\":\"kicks\""), 0);
    for (const char *at = answer; (at = strstr(at, "\"clip\":\"reach_right\"")); at++) {
        double start = test_number(at, "start"), end = test_number(at, "end");
        const char *name = names;
        int found = -1;
        for (int i = 0; i < TEST_DEMO_REACHES && found < 0; i++) {
            int first, last;
            name = strchr(name, '#') + 1;
            assert_int_equal(sscanf(name, "%d-%d", &first, &last), 2);
            double both = fmin(end, last) - fmax(start, first);
            double either = fmax(end, last) - fmin(start, first);
            if (both > share * either) found = i;
        }
        if (found < 0 || used[found])
            fail_msg("frames %g-%g are no reach, or one again", start, end);
        used[found] = true;
    }
}

/* `how` has a threshold. */
static void expect_found(const char *how, double share)
{
    char clips[32], line[512], start[64];
    test_reach_names(1, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey found --query %s %s --feature "
             "'position(right_wrist)' --samples 50 --json",
             clips, how);
    char *text = test_reply(line);
    /* The query first, and nearly all other reaches, each once and nothing else. */
    int found = test_parts_count(text, "\"clip\":\"reach_right\"");
    assert_true(found >= TEST_DEMO_REACHES - 3 && found <= TEST_DEMO_REACHES);
    expect_reaches(text, share);
    snprintf(start, sizeof start, "[{\"clip\":\"reach_right\",\"id\":1,\"start\":%d,",
             atoi(strchr(clips, '#') + 1));
    assert_true(strncmp(test_value(text, "examples"), start, strlen(start)) == 0);
    assert_true(test_number(text, "faults") == 0);
    /* Or only some of them, by their numbers. */
    snprintf(strstr(line, " --json"), 64, " --matches 3,0,1 --json");
    text = test_reply(line);
    assert_int_equal(test_parts_count(text, "\"clip\":\"reach_right\""), 3);
    assert_true(strncmp(test_value(text, "examples"), start, strlen(start)) == 0);
    snprintf(strstr(line, "--threshold"), 400,
             "--threshold 0.001 --feature 'position(right_wrist)'");
    test_fails(line, 1, "nothing is like the query within 0.001");
}

DEMO(a_search_finds_the_examples)
{
    expect_found("--threshold 10cm", 0.7);
    test_fails("marey param build demo.marey found --query none#0-90 --feature 'duration()'", 1,
               "none");
    test_fails("marey param build demo.marey found --query kicks#0-90 --threshold 0 --feature "
               "'duration()'",
               2, "--threshold");
}

/* What the query says by itself is near enough is fewer, and nothing else. */
DEMO(a_search_without_a_threshold_finds_examples)
{
    char clips[32], line[512];
    test_reach_names(1, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey found --query %s --feature 'position(right_wrist)' "
             "--samples 50 --json",
             clips);
    char *text = test_reply(line);
    assert_true(test_parts_count(text, "\"clip\":\"reach_right\"") > TEST_DEMO_REACHES / 2);
    expect_reaches(text, 0.7);
    snprintf(strstr(line, " --json"), 64, " --nearest 10 --json");
    text = test_reply(line);
    assert_int_equal(test_parts_count(text, "\"clip\":\"reach_right\""), 11);
    expect_reaches(text, 0.7);
}

DEMO(a_search_by_webs_finds_the_examples)
{
    test_run_well("marey index demo.marey --web --fps 30 --common-size --quiet");
    /* Where chains are continued beyond the ends of a reach, a match is longer. */
    expect_found("--web --threshold 25", 0.5);
}

DEMO(numbers_that_people_gave_are_parameters)
{
    char clips[512];
    test_reach_names(4, "right", clips, sizeof clips);
    for (int i = 0; i < 4; i++) {
        char line[256];
        const char *one = strtok(i ? NULL : clips, ",");
        snprintf(line, sizeof line, "marey cut demo.marey %s r%d --quiet", one, i);
        test_run_well(line);
        if (i == 3) break;
        snprintf(line, sizeof line, "marey label demo.marey r%d --add mood=%g --add grab --quiet",
                 i, 0.5 * i);
        test_run_well(line);
    }
    char *text =
        test_reply("marey param build demo.marey mood --label grab --feature 'label(mood)' "
                   "--json");
    assert_int_equal(test_parts_count(text, "\"values\":["), 3);
    assert_non_null(strstr(text, "\"values\":[0.5]"));
    assert_true(test_number(text, "samples") == 3);
    text = test_reply("marey param make demo.marey mood --at 0.75 -o m.bvh --json");
    double reached[1], weights[3];
    test_numbers(text, "reached", 1, reached);
    test_numbers(text, "weights", 3, weights);
    assert_true(fabs(reached[0] - 0.75) < 0.02);
    assert_true(fabs(0.5 * weights[1] + weights[2] - reached[0]) < 1e-6);
    test_fails("marey param build demo.marey mood --clips r0,r1,r3 --feature 'label(mood)'", 1,
               "r3 has no label that says what mood is; marey label --add mood=0.7");
    test_run_well("marey param prune demo.marey mood --tolerance 60 --as less --quiet");
}

DEMO(a_family_is_shown_whole)
{
    char *text = test_reply("marey param show demo.marey reach");
    assert_non_null(strstr(text, "family reach: 13 examples, "));
    assert_non_null(strstr(text, "  position(right_wrist, apex, start).z  "));
    assert_int_equal(test_parts_count(text, "    reach_right#"), TEST_DEMO_REACHES);
    text = test_reply("marey param show demo.marey reach --json");
    char *list = test_reply("marey param ls demo.marey --json");
    assert_true(test_number(text, "samples") == test_number(list, "samples"));
    assert_int_equal(test_parts_count(text, "\"values\":["), TEST_DEMO_REACHES);
}

/* ---- judging --------------------------------------------------------------------------------- */

DEMO(check_tells_how_near_answers_are)
{
    char *text = test_reply("marey param check demo.marey reach --count 60 --json");
    assert_true(test_number(text, "count") == 60 && test_number(text, "invalid") == 0);
    assert_true(test_number(text, "median_error_cm") <= 0.5);
    assert_true(test_number(text, "p95_error_cm") <= 1.5);
    assert_true(test_number(text, "median_error_cm") < test_number(text, "table_median_error_cm"));
    assert_true(test_number(text, "worst_error_cm") >= test_number(text, "p95_error_cm"));
}

DEMO(pruning_keeps_what_is_needed)
{
    char *text = test_reply("marey param prune demo.marey reach --tolerance 2 --as small --json");
    int kept = test_parts_count(text, "\"clip\":");
    assert_true(kept >= 4 && kept < TEST_DEMO_REACHES &&
                test_number(text, "pruned") == TEST_DEMO_REACHES - kept);
    assert_true(test_number(text, "bytes") < test_number(text, "bytes_before"));
    char *list = test_reply("marey param ls demo.marey --long");
    assert_non_null(strstr(list, "reach  (13 examples"));
    assert_non_null(strstr(list, "small  ("));
    assert_int_equal(test_parts_count(list, "    reach_right#"), TEST_DEMO_REACHES + kept);
    text = test_reply("marey param check demo.marey small --count 20 --json");
    assert_true(test_number(text, "p95_error_cm") <= 1.5);
    /* In its own place. */
    test_run_well("marey param prune demo.marey small --tolerance 10 --quiet");
    test_run_well("marey param make demo.marey small --at -15,125,48 -o small.bvh --quiet");
}

/* Of two that are each other's neighbours each fault is there once, not also the other way
   round. */
static void no_fault_is_told_twice(const char *faults)
{
    for (const char *at = faults; (at = strstr(at, "{\"example\":")); at++) {
        int example, with;
        char kind[32], other[128];
        assert_int_equal(
            sscanf(at, "{\"example\":%d,\"with\":%d,\"kind\":\"%31[a-z]\"", &example, &with, kind),
            3);
        snprintf(other, sizeof other, "{\"example\":%d,\"with\":%d,\"kind\":\"%s\"", with, example,
                 kind);
        assert_null(strstr(faults, other));
    }
}

DEMO(a_kick_among_reaches_is_found_and_dropped)
{
    char clips[512], kicks[128], line[1024];
    test_reach_names(8, "right", clips, sizeof clips);
    test_reach_names(1, NULL, kicks, sizeof kicks);
    snprintf(line, sizeof line,
             "marey param build demo.marey odd --clips %s --clips %s --feature "
             "'position(right_wrist)' --samples 50 --json",
             clips, kicks);
    char *text = test_reply(line);
    assert_true(test_number(text, "faults") > 0);
    text = test_reply("marey param examine demo.marey odd --json");
    const char *kick = strstr(text, "\"clip\":\"kicks\"");
    assert_true(test_number(kick, "blamed") > 0.5);
    assert_true(test_number(text, "blamed") <= 0.5);
    assert_non_null(strstr(text, "\"kind\":\"foot\""));
    no_fault_is_told_twice(strstr(text, "\"faults\":["));
    text = test_reply("marey param examine demo.marey odd");
    assert_non_null(strstr(text, " in blends of neighbours among 9 examples; 1 example may not"));
    assert_non_null(strstr(text, "one stands on a foot while the other swings it"));
    assert_non_null(strstr(text, "most blends of kicks#"));
    text = test_reply("marey param examine demo.marey reach");
    assert_string_equal(text, "all 13 examples blend well with their neighbours\n");
    /* It was named, so it stays, and the answer says that it is odd. */
    snprintf(strstr(line, " --json"), 32, " --quiet");
    text = test_reply(line);
    assert_non_null(strstr(text, "  1 may not belong to the others; --drop-faulty leaves such "
                                 "examples out\n    moves otherwise: kicks#"));
    snprintf(strstr(line, " --quiet"), 32, " --drop-faulty --json");
    text = test_reply(line);
    assert_true(test_number(text, "faults") == 0);
    const char *out = strstr(text, "\"left_out\":[{\"clip\":\"kicks\"");
    assert_non_null(out);
    assert_non_null(strstr(out, "\"match\":null,\"reason\":\"motion\""));
    assert_int_equal(test_parts_count(text, "\"values\":["), 8);
    assert_int_equal(test_parts_count(text, "\"odd\":null"), 8);
}

/* The third begins half a step later than the others: it moves as they do, and only its blends show it. */
DEMO(an_example_that_fails_in_most_blends_is_dropped)
{
    test_run_well("marey demo walks --take walk_fast --quiet");
    char *text =
        test_reply("marey param build walks/demo.marey off --clips walk_fast#139-219 --clips "
                   "walk_fast#264-344 --clips walk_fast#308-388 --feature "
                   "'position(right_wrist)' --samples 10 --drop-faulty --json");
    assert_true(test_number(text, "faults") == 0);
    assert_int_equal(test_parts_count(text, "\"values\":["), 2);
    const char *out = strstr(text, "\"left_out\":[");
    assert_int_equal(test_parts_count(out, "\"reason\":"), 1);
    assert_non_null(strstr(out, "\"start\":308,\"end\":388,\"match\":null,\"reason\":\"blends\""));
}

/* ---- pins ------------------------------------------------------------------------------------ */

static bool goes_through(const marey_registration *of, int motion, int row, int col)
{
    const marey_path *path = marey_registration_path(of, motion);
    bool met = false;
    for (int i = 0; i < path->count; i++)
        met |= path->cells[i].row == row && path->cells[i].col == col;
    return met;
}

/* A frame of the query and one of another reach, far from where it would be aligned: it stays in the
   family, aligned with the first, also in one that is pruned, and the family remembers the pin. */
static void expect_pinned(const char *name, int start, int frame)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    marey_parts *parts = NULL;
    marey_family *family = NULL;
    test_ok(marey_library_open(ctx, "demo.marey", MAREY_LIBRARY_READ, &library, &test_error));
    test_ok(marey_library_family(library, name, &parts, &family, &test_error));
    const marey_registration *of = marey_family_registration(family);
    int met = 0;
    for (int i = 1; i < parts->count; i++) {
        if (parts->parts[i].start != start) continue;
        assert_int_equal(marey_registration_parent(of, i), 0);
        assert_true(goes_through(of, i, 60, frame - start));
        met++;
    }
    assert_int_equal(met, 1);
    if (strcmp(name, "pinned") == 0) {
        marey_kept *kept = NULL;
        test_ok(marey_library_kept(library, MAREY_KEPT_FAMILY, name, &kept, &test_error));
        int count;
        assert_non_null(strstr(marey_kept_entries(kept, &count)->about,
                               "\"through\":\"reach_right#191,reach_right#469\""));
        marey_kept_free(kept);
    }
    marey_family_free(family);
    marey_parts_free(parts);
}

DEMO(frames_that_are_pinned_belong_together)
{
    char names[64], line[512];
    int first, start;
    test_reach_names(2, "right", names, sizeof names);
    assert_int_equal(sscanf(names, "reach_right#%d-%*d,reach_right#%d-", &first, &start), 2);
    *strchr(names, ',') = 0;
    snprintf(line, sizeof line,
             "marey param build demo.marey pinned --query %s --tiers 3 --feature "
             "'position(right_wrist)' --samples 9 --through 'reach_right#%d,reach_right#%d' --json",
             names, first + 60, start + 90);
    char *text = test_reply(line);
    /* What was found there need not begin where the truth does. */
    for (const char *at = text; (at = strstr(at, "\"start\":")); at++) {
        int found = (int)test_number(at, "start");
        if (abs(found - start) < 10 && found != first) {
            int pinned = start + 90;
            expect_pinned("pinned", found, pinned);
            test_run_well(
                "marey param prune demo.marey pinned --tolerance 0.000001 --as less --quiet");
            expect_pinned("less", found, pinned);
        }
    }
    snprintf(strstr(line, " --through"), 96, " --through 'reach_right#%d,kicks#3'", first + 60);
    test_fails(line, 1, "through: kicks#3 is in nothing that is aligned");
    snprintf(strstr(line, " --through"), 96, " --through 'reach_right#%d,reach_right#%d'",
             start + 90, start + 91);
    test_fails(line, 1, "are of the same clip");
    snprintf(strstr(line, " --through"), 96, " --through 'reach_right#%d'", start + 90);
    test_fails(line, 1, "through must have a frame of reach_right#131-276 and one of another");
}

/* ---- what is found and does not belong ------------------------------------------------------- */

DEMO(what_a_query_finds_and_does_not_belong_is_left_out_and_said_in_few_lines)
{
    char clips[32], line[512], keep[96];
    test_reach_names(1, "right", clips, sizeof clips);
    /* As many as there are, kicks and standing among them. */
    snprintf(line, sizeof line,
             "marey param build demo.marey odd --query %s --nearest 60 --feature "
             "'position(right_wrist)' --samples 20 --json",
             clips);
    char *text = test_reply(line);
    int examples = test_parts_count(text, "\"values\":[");
    const char *out = strstr(text, "\"left_out\":[");
    int left_out = test_parts_count(out, "\"reason\":");
    assert_true(examples > TEST_DEMO_REACHES / 2 && examples <= TEST_DEMO_REACHES);
    assert_true(left_out > 10);
    assert_true(test_parts_count(out, "\"clip\":\"kicks\"") > 5);
    assert_true(test_parts_count(out, "\"reason\":\"motion\"") > 5);
    assert_true(test_parts_count(out, "\"reason\":\"length\"") > 1);
    FREED char *kept = strndup(text, (size_t)(out - text));
    expect_reaches(kept, 0.7);
    /* In words: a line that says how many, one for each reason, and three names in each. */
    const char *kick = strstr(out, "\"clip\":\"kicks\"");
    snprintf(keep, sizeof keep, "kicks#%g-%g", test_number(kick, "start"),
             test_number(kick, "end"));
    snprintf(strstr(line, " --json"), 16, "%s", "");
    text = test_reply(line);
    char first[64];
    snprintf(first, sizeof first, "  left out %d of %d; --keep CLIP#A-B takes one anyway\n",
             left_out, left_out + examples);
    assert_non_null(strstr(text, first));
    assert_int_equal(test_parts_count(text, "    moves otherwise: "), 1);
    assert_true(test_parts_count(text, "#") <= 1 + 3 * 4);
    assert_true(test_parts_count(text, "\n") <= 10);
    /* One of them anyway; all of them; one that was not found. */
    snprintf(line + strlen(line), 128, " --keep %s --json", keep);
    text = test_reply(line);
    assert_int_equal(test_parts_count(text, "\"values\":["), examples + 1);
    out = strstr(text, "\"left_out\":[");
    assert_int_equal(test_parts_count(out, "\"reason\":"), left_out - 1);
    assert_non_null(strstr(test_reply("marey param ls demo.marey --json"), "\"name\":\"odd\""));
    snprintf(strstr(line, " --keep"), 64, " --in reach_right --keep kicks#0-60");
    test_fails(line, 1, "kicks: keep: no example is at frames 0-60");
    snprintf(strstr(line, " --nearest"), 256,
             " --nearest 20 --keep-all --feature 'position(right_wrist)' --samples 5 --json");
    text = test_reply(line);
    assert_int_equal(test_parts_count(text, "\"values\":["), 21);
    assert_non_null(strstr(text, "\"left_out\":[]"));
    /* Nothing but the query: no family. */
    snprintf(line, sizeof line,
             "marey param build demo.marey none --query %s --in kicks --nearest 3 --feature "
             "'height(head)'",
             clips);
    test_fails(line, 1, "; keep takes one of them anyway, keep-all all");
}

DEMO(a_family_whose_clip_is_removed_is_listed_and_says_which)
{
    test_run_well("marey rm demo.marey reach_right --quiet");
    test_run_well("marey param ls demo.marey --json");
    test_fails("marey param make demo.marey reach --at 1,2,3 -o a.bvh", 1,
               "the family reach needs the clip reach_right");
    test_run_well("marey restore demo.marey reach_right --quiet");
    test_run_well("marey rename demo.marey reach_right arm --quiet");
    char *text = test_reply("marey param make demo.marey reach --at -15,125,48 -o a.bvh --json");
    assert_non_null(strstr(text, "\"clip\":\"arm\""));
}

TEST_GROUP_OF_CASES(test_param_program, NULL, NULL)
