/* test_example_program.c - query by example as a program: what it finds is what the library finds,
   the answer counts frames as the clips do, a drawn curve finds the clip it was drawn from, and the
   best way becomes a clip with the times of the query. Wrong curves and requests are refused by
   line and name; refused memory, full disks and Ctrl-C. */
#include "program_lines.h"

#include <math.h>
#include <sys/stat.h>

static void make_demo(void)
{
    test_run_well("marey demo . --take walk_straight --take walk_left --take idles --take jumps "
                  "--quiet");
}

static int enter_demo(void **state)
{
    return test_enter_copy(state, make_demo);
}

/* ---- judging --------------------------------------------------------------------------------- */

typedef struct opened {
    marey_ctx *ctx;
    marey_library *library;
    marey_listing *listing;
    const marey_entry *entries;
    int count;
    marey_clip *clips[16];
} opened;

static opened open_all(const char *path)
{
    opened of = { .ctx = test_ctx() };
    marey_error error;
    if (marey_library_open(of.ctx, path, MAREY_LIBRARY_READ, &of.library, &error) ||
        marey_library_list(of.library, NULL, &of.listing, &error))
        fail_msg("%s", error.message);
    of.entries = marey_listing_entries(of.listing, &of.count);
    assert_true(of.count <= 16);
    for (int i = 0; i < of.count; i++) {
        test_fine(marey_library_load(of.library, of.entries[i].name, &of.clips[i], &error), &error);
    }
    return of;
}

static void close_all(opened *of)
{
    for (int i = 0; i < of->count; i++) marey_clip_free(of->clips[i]);
    marey_listing_free(of->listing);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}

static int number_of(const opened *of, const char *name)
{
    for (int i = 0; i < of->count; i++) {
        if (strcmp(of->entries[i].name, name) == 0) return i;
    }
    fail_msg("no %s", name);
    return -1;
}

static void check_path(const opened *of, const char **at, const marey_example_path *path, int parts)
{
    const char *text = strstr(*at, "\"error\":");
    assert_true(fabs(test_number(text, "error") - path->error) <= 1e-9 * path->error);
    assert_true(test_number(text, "jumps") == path->jumps);
    text = strstr(text, "\"parts\":[");
    for (int i = 0; i < parts; i++) {
        char clip[300];
        text = strstr(text + 1, "{\"clip\":");
        snprintf(clip, sizeof clip, "{\"clip\":\"%s\"", of->entries[path->parts[i].clip].name);
        assert_memory_equal(text, clip, strlen(clip));
        assert_true(test_number(text, "start") == path->parts[i].at.start);
        assert_true(test_number(text, "end") == path->parts[i].at.end);
    }
    *at = strstr(text, "]");
}

#define DEMO(name) TEST_IN(enter_demo, test_leave_place, name)

DEMO(the_answer_is_what_the_library_finds)
{
    enum { START = 200, END = 380, FRAMES = END - START };
    static const char dofs_text[] = "left_knee.Xrotation,Hips.Yposition";
    char *text = test_reply("marey example demo.marey walk_left#200-380 --dof "
                            "left_knee.Xrotation,Hips.Yposition --k 4 --best 3 --noise 2 --json");
    opened of = open_all("demo.marey");
    marey_dof dofs[MAREY_MOST_DOFS];
    marey_examples *examples = NULL;
    marey_example_found *found = NULL;
    marey_error error;
    int count, paths, clips, parts;
    double signal[4096], values[2 * FRAMES];
    const marey_clip *query = of.clips[number_of(&of, "walk_left")];
    test_fine(marey_dofs_parse(dofs_text, dofs, &count, &error), &error);
    for (int d = 0; d < count; d++) {
        test_fine(marey_clip_signal(query, &dofs[d], signal, &error), &error);
        memcpy(values + d * FRAMES, signal + START, FRAMES * sizeof *values);
    }
    marey_example_def def = { .noise = 2 };
    marey_example_find_def find = { .k = 4, .best = 3 };
    marey_example_query asked = { .samples = FRAMES, .fps = 60, .values = values };
    test_fine(marey_examples_open(of.ctx, (const marey_clip *const *)of.clips, of.count, dofs,
                                  count, &def, &examples, &error),
              &error);
    test_fine(marey_examples_find(of.ctx, examples, &asked, &find, &found, &error), &error);
    const marey_fragment *fragments = marey_example_fragments(found, &parts);
    const char *at = strstr(text, "\"fragments\":[");
    for (int i = 0; i < parts; i++) {
        at = strstr(at + 1, "{\"start\":");
        assert_true(test_number(at, "start") == START + fragments[i].start);
        assert_true(test_number(at, "end") == START + fragments[i].end);
        assert_true(fabs(test_number(at, "end_s") - (START + fragments[i].end) / 60) < 1e-9);
    }
    assert_true(parts > 3);
    const marey_example_path *best = marey_example_paths(found, &paths);
    assert_int_equal(paths, 3);
    at = strstr(text, "\"paths\":[");
    for (int i = 0; i < paths; i++) check_path(&of, &at, &best[i], parts);
    const marey_example_clip *alone = marey_example_clips(found, &clips);
    assert_int_equal(clips, of.count);
    at = strstr(text, "\"clips\":[");
    for (int i = 0; i < clips; i++) check_path(&of, &at, &alone[i].path, parts);
    assert_non_null(strstr(text, "\"clips\":[{\"clip\":\"walk_left\""));
    assert_true(test_number(strstr(text, "\"searched\":"), "fragments") ==
                marey_examples_fragments(examples));
    marey_example_found_free(found);
    marey_examples_free(examples);
    close_all(&of);
}

/* The same take as a file, where frames count as they do there. */
DEMO(a_clip_is_found_by_its_name_number_file_or_time)
{
    static const char *const lines[] = {
        "marey example demo.marey walk_left#120-300 --json",
        "marey example demo.marey walk_left#2s-5s --json",
        "marey example demo.marey walk_left.bvh#120-300 --json",
    };
    char *first = NULL;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *text = test_reply(lines[i]);
        char *fragments = strstr(text, "\"fragments\":["), *end = strstr(fragments, "\"paths\":");
        assert_non_null(strstr(text, "\"clips\":[{\"clip\":\"walk_left\""));
        assert_non_null(strstr(text, "\"dofs\":[\"left_hip.Xrotation\",\"right_hip.Xrotation\","
                                     "\"left_knee.Xrotation\",\"right_knee.Xrotation\"]"));
        *end = 0;
        if (first && strcmp(fragments, strstr(first, "\"fragments\":[")) != 0)
            fail_msg("%s: %s", lines[i], fragments);
        if (!first) first = text;
    }
}

/* A part of a fragment is like others than the whole; without such parts a clip finds itself. */
DEMO(whole_fragments_find_the_clip_they_are_from)
{
    for (int start = 150; start < 320; start += 17) {
        char line[128];
        snprintf(line, sizeof line, "marey example demo.marey walk_left#%d-%d --whole --json",
                 start, start + 200);
        char *text = test_reply(line);
        const char *clips = strstr(text, "\"clips\":[");
        assert_memory_equal(clips, "\"clips\":[{\"clip\":\"walk_left\"", 28);
        assert_true(test_number(clips, "jumps") == 0);
        int count = test_parts_count(text, "\"rising\":");
        assert_true(count >= 3 && test_number(clips, "error") < 0.5 * count);
        const char *first = strstr(text, "\"fragments\":[{");
        assert_true(test_number(first, "start") > start);
        assert_true(fabs(test_number(strstr(clips, "\"parts\""), "start") -
                         test_number(first, "start")) < 1.5);
    }
}

DEMO(where_it_is_looked_for_can_be_chosen)
{
    char *text = test_reply("marey example demo.marey walk_left#120-300 --others --json");
    assert_null(strstr(strstr(text, "\"paths\":"), "\"walk_left\""));
    assert_non_null(strstr(text, "\"clips\":[{\"clip\":\"walk_straight\""));
    text = test_reply("marey example demo.marey walk_left#120-300 --label jump --json");
    assert_int_equal(test_parts_count(strstr(text, "\"paths\":"), "\"walk_"), 0);
    assert_non_null(strstr(text, "\"searched\":{\"clips\":1,"));
    /* Of a clip without the label only where frames have it, in frames of the clip. */
    test_run_well("marey label demo.marey walk_straight#200-420 walk_straight#600-800 "
                  "idles#100-101 --add here --quiet");
    text = test_reply("marey example demo.marey walk_left#120-300 --label here --json -o here.bvh");
    assert_non_null(strstr(text, "\"searched\":{\"clips\":3,"));
    int parts = 0;
    for (const char *at = strstr(text, "\"paths\":"); (at = strstr(at, "{\"clip\":")); at++) {
        if (strncmp(at + 8, "\"walk_straight\",\"id\":", 21) != 0) continue;
        const char *start = strstr(at, "\"start\":");
        double from = test_number(start, "start"), to = test_number(start, "end");
        assert_true((from >= 200 && to <= 420) || (from >= 600 && to <= 800));
        parts++;
    }
    assert_true(parts > 4);
    text = test_reply("marey example demo.marey walk_left#120-300 --label here");
    assert_non_null(strstr(text, "  walk_straight#2"));
    text = test_reply("marey example demo.marey walk_left#120-300 --in idles --in jumps --json");
    assert_non_null(strstr(text, "\"searched\":{\"clips\":2,"));
    text = test_reply("marey example demo.marey walk_left#120-300");
    assert_non_null(strstr(text, "the best clips, each alone"));
    assert_non_null(strstr(text, "walk_left#"));
}

/* ---- drawn curves ---------------------------------------------------------------------------- */

/* Frames of a clip's signal as lines of a file, every `every`-th. */
static void draw(const char *path, const char *heading, const char *clip_name, int start, int end,
                 int every, double times)
{
    opened of = open_all("demo.marey");
    marey_dof dof = { .joint = "left_hip", .channel = MAREY_CHANNEL_X_ROTATION };
    double signal[4096];
    marey_error error;
    FILE *file = fopen(path, "wb");
    test_fine(marey_clip_signal(of.clips[number_of(&of, clip_name)], &dof, signal, &error), &error);
    fputs(heading, file);
    for (int f = start; f < end; f += every)
        fprintf(file, "%.6f,%.6f\n", times * (f - start) / 60.0, signal[f]);
    fclose(file);
    close_all(&of);
}

/* Drawn twice as slowly, with half the lines, it is still the same movement. */
DEMO(a_drawn_curve_finds_what_it_was_drawn_from)
{
    draw("a.csv", "", "walk_left", 200, 500, 1, 1);
    draw("b.csv", "time,left_hip.Xrotation\r\n", "walk_left", 200, 500, 2, 2);
    for (int i = 0; i < 2; i++) {
        char line[128];
        snprintf(line, sizeof line, "marey example demo.marey %c.csv --json", 'a' + i);
        char *text = test_reply(line);
        assert_non_null(strstr(text, "\"dofs\":[\"left_hip.Xrotation\"]"));
        assert_non_null(strstr(text, "\"clips\":[{\"clip\":\"walk_left\""));
        assert_true(fabs(test_number(text, "fps") - (i ? 15 : 60)) < 1e-3);
        /* Fragments that the drawing cuts off may be found elsewhere; what is between them is found
           where it was. */
        const char *fragment = strstr(text, "\"fragments\":["), *part = strstr(text, "\"parts\":[");
        assert_true(test_number(strstr(text, "\"paths\":["), "jumps") <= 2);
        for (int k = 0; k < 3; k++) {
            fragment = strstr(fragment + 1, "{\"start\":");
            part = strstr(part + 1, "{\"clip\":");
        }
        double drawn_at = 200 + (i ? 2 : 1) * test_number(fragment, "start");
        assert_true(fabs(test_number(part, "start") - drawn_at) < 1.5);
    }
}

/* As the page asks: the same numbers as JSON. */
DEMO(a_curve_may_be_json)
{
    static const char lines[] = "time,left_hip.Xrotation\n0,0\n0.1,20\n0.2,-10\n0.3,15\n0.4,0\n";
    static const char values[] = "{\"fps\": 10, \"values\": [[0, 20, -10, 15, 0]]}";
    test_file_write("c.csv", lines, sizeof lines - 1);
    test_file_write("c.json", values, sizeof values - 1);
    char *one = test_reply("marey example demo.marey c.csv --json");
    char *other =
        test_reply("marey example demo.marey --curve c.json --dof left_hip.Xrotation --json");
    char *paths = strstr(one, "\"paths\":"), *same = strstr(other, "\"paths\":");
    *strstr(paths, "\"searched\":") = *strstr(same, "\"searched\":") = 0;
    assert_string_equal(paths, same);
    test_fails("marey example demo.marey walk_left --curve c.json", 2, "one of these");
    test_fails("marey example demo.marey --curve c.csv", 1, "JSON object");
    test_fails("marey example demo.marey --curve c.json --dof Hips.Yposition,Hips.Xposition", 1,
               "dof names 2");
}

DEMO(uneven_times_are_made_even)
{
    static const char few[] = "t;a\n0; 0\n0.35;30\n\n0.6;-5\n1.1;40\n1.2;0\n";
    test_file_write("few.csv", few, sizeof few - 1);
    char *text = test_reply("marey example demo.marey few.csv --dof LeftUpLeg.Xrotation --json");
    assert_true(test_number(text, "fps") == 60);
    assert_true(test_number(text, "samples") == 73);
    assert_int_equal(test_parts_count(text, "\"rising\":"), 4);
    const char *second = strstr(strstr(text, "\"rising\":"), "{\"start\":");
    assert_true(fabs(test_number(second, "start_s") - 0.35) < 0.02);
    assert_true(fabs(test_number(second, "end_s") - 0.6) < 0.02);
}

DEMO(wrong_curves_are_refused_where_they_are_wrong)
{
    static const test_wrong_file wrong[] = {
        { "", "there is no line of a time and values" },
        { "time,value\n", "there is no line of a time and values" },
        { "0\n1\n", "c.csv:1:1: a drawn curve has 2 to 17 numbers in a line, here are 1" },
        { "0,1\n", "a curve has two lines at least" },
        { "0,1\n1,nan\n", "c.csv:2:3: expected value 1, found \"nan\"" },
        { "nan,1\n1,2\n", "c.csv:1:1: expected a time in seconds, found \"nan\"" },
        { "0,1\n1,inf\n", "expected value 1, found \"inf\"" },
        { "0,1\n1,1e400\n", "expected value 1" },
        { "0,1\n1\n", "expected value 1, found the end of the line" },
        { "0,1\n1,2,3\n", "more values than the first" },
        { "0,1\n1,2\n1,3\n", "c.csv:3:1: times must rise: 1 s comes behind 1 s" },
        { "0,1,\n1,2,\n", "found the end of the line" },
        { "0,5\n1,5\n2,5\n", "c.csv: the driving signal never moves" },
        { "0,1\n1e-7,20\n2e6,3\n", "is too long" },
        { "time,left_hip.Xrotation,left_hip.Yrotaton\n0,1,2\n1,2,3\n", "c.csv:1" },
    };
    TEST_FAIL_FILES(wrong, "c.csv", "marey example demo.marey c.csv");
}

/* ---- the way as a clip ----------------------------------------------------------------------- */

/* The fragments of the query and nothing more, at the clips' rate. */
DEMO(the_best_way_becomes_a_clip_with_the_times_of_the_query)
{
    char *text = test_reply("marey example demo.marey walk_left#200-500 --others -o way.bvh "
                            "--provenance --json");
    const char *first = strstr(text, "\"fragments\":[{"), *end = strstr(text, "\"paths\":");
    const char *last = first;
    for (const char *at = first; (at = strstr(at + 1, "{\"start\":")) && at < end;) last = at;
    double seconds = test_number(last, "end_s") - test_number(first, "start_s");
    double frames = test_number(strstr(text, "\"constraints\":"), "frames");
    assert_true(fabs(frames / 60 - seconds) < 0.1);
    assert_true(test_number(text, "made_path") == 0);
    assert_true(test_number(text, "jump_ratio") < 1.2);
    assert_true(test_number(text, "slide_after_cm") < 0.5);
    FREED char *from = test_file_read("way.bvh.provenance.json", NULL);
    assert_non_null(strstr(from, "\"made_by\":\"example\""));
    assert_non_null(strstr(from, "\"clip\":\"walk_straight\""));
    test_run_well("marey example demo.marey walk_left#200-500 --in walk_straight --fps 30 -o "
                  "demo.marey:slow --quiet");
    text = test_reply("marey ls demo.marey slow --json");
    assert_true(test_number(text, "fps") == 30);
    text = test_reply("marey contacts -L demo.marey slow --json");
    assert_true(test_parts_count(text, "\"joint\":") > 0);
}

/* ---- what is refused ------------------------------------------------------------------------- */

DEMO(wrong_requests_are_refused_by_name)
{
    static const test_wrong_line wrong[] = {
        { "marey example demo.marey", 2, "QUERY" },
        { "marey example demo.marey walk_lef#0-90", 1, "is it walk_left?" },
        { "marey example demo.marey walk_left#0-99999", 1, "walk_left" },
        { "marey example demo.marey walk_left#20", 1, "one frame is no movement" },
        { "marey example demo.marey no.csv", 1, "no.csv: cannot read" },
        { "marey example demo.marey no.bvh", 1, "no.bvh: cannot open" },
        { "marey example demo.marey walk_left#0-90 --k 0", 2, "--k must be a whole number" },
        { "marey example demo.marey walk_left#0-90 --k 65", 2, "--k must be a whole number" },
        { "marey example demo.marey walk_left#0-90 --best 101", 2, "--best must be" },
        { "marey example demo.marey walk_left#0-90 --noise -1", 2, "--noise must be" },
        { "marey example demo.marey walk_left#0-90 --dof LeftLeg", 2, "--dof: " },
        { "marey example demo.marey walk_left#0-90 --dof Tail.Xrotation", 1, "LeftUpLeg" },
        { "marey example demo.marey walk_left#0-90 --dof LeftLeg.Xposition", 1, "rotation" },
        { "marey example demo.marey walk_left#0-90 --label fly", 1, "no clip to look in" },
        { "marey example demo.marey walk_left#0-90 --in idle", 1, "is it idles?" },
        { "marey example demo.marey walk_left#0-90 --rough", 2, "--rough is for -o OUT" },
        { "marey example no.marey walk_left#0-90", 1, "no.marey" },
    };
    TEST_FAIL_ALL(wrong);
    static const char two[] = "0,1,2\n1,5,6\n2,1,2\n";
    test_file_write("two.csv", two, sizeof two - 1);
    test_fails("marey example demo.marey two.csv --dof left_hip.Xrotation", 1,
               "this curve has 2 rows of values, and dof names 1");
    test_fails("marey example demo.marey two.csv --dof Tail.Xrotation,left_hip.Xrotation", 1,
               "LeftUpLeg");
    static const char five[] = "0,1,2,3,4,5\n1,5,6,7,8,9\n";
    test_file_write("five.csv", five, sizeof five - 1);
    test_fails("marey example demo.marey five.csv", 1, "--dof must name 5 signals");
}

/* Two ways of naming joints cannot be put together: the best way that can be is taken, or none. */
DEMO(clips_with_other_joints_are_searched_but_not_mixed)
{
    static const char wave[] = "HIERARCHY\nROOT Stick\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                               "Yposition Zposition Zrotation Xrotation Yrotation\nEnd "
                               "Site\n{\nOFFSET 0 10 0\n}\n}\nMOTION\nFrames: 4\nFrame Time: "
                               "0.1\n0 1 0 0 0 0\n0 9 0 0 30 0\n0 2 0 0 0 0\n0 7 0 0 20 0\n";
    test_file_write("wave.bvh", wave, sizeof wave - 1);
    test_run_well("marey add demo.marey wave.bvh --quiet");
    char *text = test_reply("marey example demo.marey walk_left#120-300 --json");
    assert_non_null(strstr(text, "\"searched\":{\"clips\":4,\"left_out\":1,"));
    test_fails("marey example demo.marey wave", 1, "--dof is needed");
    text = test_reply("marey example demo.marey wave --dof Stick.Xrotation --json");
    assert_non_null(strstr(text, "\"searched\":{\"clips\":1,\"left_out\":4,"));
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey example m.marey a#0-140 --json",
    "marey example m.marey a#20-130 --in b --k 2 -o out.bvh --provenance --json",
    "marey example m.marey c.csv --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static void make_persons(void)
{
    static const char curve[] = "time,left_hip.Xrotation\n0,0\n0.2,20\n0.45,-10\n0.7,15\n";
    write_person("a.bvh", 140);
    test_write_dropouts("b.bvh", 150, 60, 63);
    test_file_write("c.csv", curve, sizeof curve - 1);
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
}

static int enter_persons(void **state)
{
    return test_enter_copy(state, make_persons);
}

static void check_files(const test_run *run, void *user)
{
    (void)run;
    (void)user;
    unlink("out.bvh");
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 4);
}

#define PERSONS(name) TEST_IN(enter_persons, test_leave_place, name)

PERSONS(refused_memory_ends_with_status_3)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
    test_run_well("marey label m.marey a#10-100 b#70-140 --add here --quiet");
    sweep_memory("marey example m.marey a#20-60 --dof Hips.Zposition --label here", check_files,
                 NULL);
}

PERSONS(a_full_disk_and_a_cancelled_run_are_told)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
        check_files(NULL, NULL);
    }
    test_run disk = test_run_make();
    disk.files.kinds = TEST_IO_WRITE;
    disk.files.fail = 0;
    disk.files.with_errno = ENOSPC;
    assert_int_equal(test_run_line(&disk, lines[1]), 3);
    assert_non_null(strstr(disk.err.bytes, "out.bvh"));
    assert_int_not_equal(access("out.bvh", F_OK), 0);
    test_run_free(&disk);
    for (int i = 0; i < LINES; i++) {
        test_cancelled(lines[i]);
    }
}

/* Nothing is written there, so that need not be possible. */
PERSONS(a_library_that_cannot_be_written_is_enough)
{
    assert_int_equal(chmod("m.marey", 0444), 0);
    assert_int_equal(chmod(".", 0555), 0);
    test_run_well(lines[0]);
    assert_int_equal(chmod(".", 0755), 0);
}

TEST_GROUP_OF_CASES(test_example_program, NULL, NULL)
