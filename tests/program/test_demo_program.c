/* test_demo_program.c - demo, render, contacts and quality: what they leave is true and whole, also
   when the machine fails or the user changes his mind. What they answer when all is well is in
   tests/cli. */
#include "program_lines.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void make_base(void)
{
    write_person("walk.bvh", 90);
    test_run_well("marey add base.marey walk.bvh --label gait");
}

static int enter(void **state)
{
    return test_enter_copy(state, make_base);
}

/* A demo of one take as whole/, and one of another seed as old/. */
static void make_demos(void)
{
    test_run_well("marey demo whole --take sits --quiet");
    test_run_well("marey demo old --take sits --seed 7 --quiet");
}

static int enter_demos(void **state)
{
    return test_enter_copy(state, make_demos);
}

static void copy_folder(const char *from, const char *to)
{
    char line[64];
    snprintf(line, sizeof line, "cp -R %s %s", from, to);
    assert_int_equal(system(line), 0);
}

/* ---- the truth ------------------------------------------------------------------------------- */

/* One element of takes[], found by the keys in the order of the contract. */
typedef struct told_take {
    char name[64];
    double fps;
    const char *segments, *contacts, *end; /* places in the text */
} told_take;

static const char *next_take(const char *at, told_take *out)
{
    at = strstr(at, "{\"clip\":\"");
    if (!at) return NULL;
    if (sscanf(at, "{\"clip\":\"%63[^\"]\",\"fps\":%lf", out->name, &out->fps) != 2) fail();
    out->segments = strstr(at, "\"segments\":[");
    out->contacts = strstr(at, "\"contacts\":[");
    assert_true(out->segments && out->contacts && out->segments < out->contacts);
    out->end = strchr(out->contacts, ']');
    assert_non_null(out->end);
    return out->end;
}

static bool is_known_label(const char *label)
{
    const marey_demo_action *action;
    for (int i = 0; (action = marey_demo_action_find(i)); i++) {
        if (strcmp(action->name, label) == 0) return true;
    }
    return strcmp(label, "step_down") == 0; /* what step_up is called on the way down */
}

/* They follow each other without gaps from the first frame to the last. */
static void check_segments(const told_take *take, int frames)
{
    char label[32], side[32];
    int start, end, before = 0, count = 0;
    for (const char *at = take->segments; (at = strstr(at, "{\"label\":")); at++) {
        if (at > take->contacts) break;
        /* A side may be empty, which scanf does not take. */
        if (sscanf(at,
                   "{\"label\":\"%31[^\"]\",\"side\":%31[^,],\"start\":%d,\"end\":%d,\"params\":{",
                   label, side, &start, &end) != 4) {
            fail_msg("%s: %.80s", take->name, at);
        }
        assert_true(is_known_label(label));
        assert_true(!strcmp(side, "\"\"") || !strcmp(side, "\"left\"") ||
                    !strcmp(side, "\"right\""));
        assert_int_equal(start, before);
        assert_true(end > start);
        before = end;
        count++;
    }
    assert_int_equal(before, frames);
    assert_true(count > 2);
}

static int joint_by_name(const marey_clip *clip, const char *name)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
                                        MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_RIGHT_WRIST };
    for (int i = 0; i < MAREY_CONTACT_JOINT_COUNT; i++) {
        if (strcmp(marey_contact_name((marey_contact_joint)i), name) == 0) {
            return marey_clip_skeleton(clip)->roles[roles[i]];
        }
    }
    fail_msg("no joint is called %s", name);
    return -1;
}

static void place_of(const marey_clip *clip, int frame, int joint, double out[3])
{
    double all[64 * 3];
    assert_true(marey_clip_skeleton(clip)->joint_count <= 64);
    marey_clip_positions(clip, frame, 1, all);
    memcpy(out, all + 3 * joint, 3 * sizeof *out);
}

static void check_plants(const told_take *take, const marey_clip *clip)
{
    char name[32];
    int start, end, count = 0, frames = marey_clip_frames(clip);
    for (const char *at = take->contacts; (at = strstr(at, "{\"joint\":")) && at < take->end;
         at++) {
        double first[3], here[3];
        if (sscanf(at, "{\"joint\":\"%31[^\"]\",\"start\":%d,\"end\":%d}", name, &start, &end) !=
            3) {
            fail_msg("%s: %.80s", take->name, at);
        }
        assert_true(start >= 0 && start < end && end <= frames);
        int joint = joint_by_name(clip, name);
        place_of(clip, start, joint, first);
        for (int f = start; f < end; f++) {
            place_of(clip, f, joint, here);
            for (int i = 0; i < 3; i++) {
                if (fabs(here[i] - first[i]) > 0.1) fail_msg("%s: %s moves", take->name, name);
            }
        }
        count++;
    }
    assert_true(count >= 4); /* two heels and two toes, even of a character that only stands */
}

/* The library keeps the same plants; both are written in the same way. */
static void check_library(const told_take *take)
{
    char line[256];
    snprintf(line, sizeof line, "marey contacts -L out/demo.marey %s --json", take->name);
    char *kept = test_reply(line), *list = strstr(kept, "\"contacts\":[");
    assert_non_null(list);
    assert_non_null(strstr(kept, "\"from\":\"library\""));
    assert_memory_equal(list, take->contacts, (size_t)(take->end - take->contacts));
}

/* As out/. The whole demo is made once for all tests; under a sanitizer, where that takes minutes,
   there is a part of it. */
static void use_whole_demo(void)
{
    if (TEST_SANITIZED) {
        test_run_well(
            "marey demo out --take walk_straight --take turns --take reach_left --take kicks "
            "--take small_walk --quiet");
        return;
    }
    if (!is_there(MAREY_WHOLE_DEMO "/truth.json"))
        test_run_well("marey demo " MAREY_WHOLE_DEMO " --quiet");
    assert_int_equal(symlink(MAREY_WHOLE_DEMO, "out"), 0);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(truth_agrees_with_the_files_and_the_library)
{
    marey_ctx *ctx = test_ctx();
    use_whole_demo();
    char *truth = test_file_read("out/truth.json", NULL);
    told_take take;
    int count = 0;
    assert_true(is_one_json_object(truth));
    assert_memory_equal(truth, "{\"takes\":[{\"clip\":", 18);
    for (const char *at = truth; (at = next_take(at, &take)); count++) {
        char path[128];
        snprintf(path, sizeof path, "out/%s.bvh", take.name);
        marey_clip *clip = test_clip_load(ctx, path);
        if (!TEST_SANITIZED) assert_string_equal(take.name, marey_demo_name(count));
        assert_true(fabs(take.fps - marey_clip_fps(clip)) < 0.01);
        check_segments(&take, marey_clip_frames(clip));
        check_plants(&take, clip);
        check_library(&take);
        marey_clip_free(clip);
    }
    assert_int_equal(count, TEST_SANITIZED ? 5 : marey_demo_count());
    int beside =
        TEST_SANITIZED ? 2 : 3; /* the library, the truth, and where all takes are puppets/ */
    assert_int_equal(test_folder_count("out"), count + beside);
    free(truth);
    marey_ctx_close(ctx);
}

CASE(truth_is_json_to_python)
{
    if (system("python3 -c '' >/dev/null 2>&1") != 0) test_skip("there is no python3");
    test_run_well("marey demo out --take kicks --take reach_left --quiet");
    assert_int_equal(system("python3 -c \"import json; t = json.load(open('out/truth.json'));"
                            "assert [x['clip'] for x in t['takes']] == ['reach_left', 'kicks'];"
                            "assert t['takes'][0]['segments'][1]['params']['target_x_cm'] > 0;"
                            "assert t['takes'][1]['segments'][1]['side'] == 'right'\""),
                     0);
}

/* ---- threads --------------------------------------------------------------------------------- */

CASE(any_number_of_threads_makes_the_same_demo)
{
    static const char *const files[] = { "turns.bvh",       "sits.bvh",   "idles.bvh",
                                         "truth.json",      "demo.marey", "puppets/shy.csv",
                                         "puppets/main.csv" };
    char line[256], path[64];
    for (int threads = 1; threads < (TEST_SANITIZED ? 3 : 5); threads++) {
        snprintf(line, sizeof line,
                 "marey demo out-%d --take turns --take sits --take idles --quiet --threads %d",
                 threads, threads);
        test_run_well(line);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char first[64];
            snprintf(first, sizeof first, "out-1/%s", files[i]);
            snprintf(path, sizeof path, "out-%d/%s", threads, files[i]);
            test_same_file(first, path);
        }
    }
}

CASE(any_number_of_threads_draws_the_same_pictures)
{
    static const char *const lines[] = { "render walk.bvh -o out.png", "render . -o out.png",
                                         "render -L base.marey -o out.svg" };
    static const char *const files[] = { "out.png", "out.png", "out.svg" };
    char line[256];
    for (int i = 0; i < 3; i++) {
        for (int threads = 1; threads < 4; threads++) {
            snprintf(line, sizeof line, "marey %s --threads %d --quiet", lines[i], threads);
            test_run_well(line);
            if (threads == 1) rename(files[i], "first");
            if (threads > 1) test_same_file("first", files[i]);
            unlink(files[i]);
        }
        unlink("first");
    }
}

/* ---- when the machine fails ------------------------------------------------------------------ */

/* Whatever happened, what is in out/ is whole, and nothing that is not asked for lies there. */
static void check_demo(const test_run *run)
{
    struct dirent *entry;
    DIR *here = opendir("out");
    int count = 0;
    if (run->status == 0) assert_non_null(here);
    while (here && (entry = readdir(here))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        bool known =
            !strcmp(name, "sits.bvh") || !strcmp(name, "truth.json") || !strcmp(name, "demo.marey");
        if (!known) fail_msg("%s is left", name);
        count++;
    }
    if (here) closedir(here);
    if (is_there("out/sits.bvh")) test_same_file("whole/sits.bvh", "out/sits.bvh");
    if (is_there("out/truth.json")) test_same_file("whole/truth.json", "out/truth.json");
    if (is_there("out/demo.marey")) test_same_file("whole/demo.marey", "out/demo.marey");
    if (run->status == 0) assert_int_equal(count, 3);
}

static const char demo_line[] = "marey demo out --take sits --json";

/* Runs the line with one call refused, and perhaps all that follow. Every second time an older demo
   is there, and stays or is replaced. Returns whether there was such a call. */
static bool refuse_once(test_run *run, const long *calls, long at, bool again)
{
    if (again) copy_folder("whole", "out");
    test_run_line(run, demo_line);
    bool is_hit = *calls > at;
    if (!is_hit) assert_int_equal(run->status, 0);
    if (run->memory.refuse >= 0 && run->status != 0) check_refusal(run, demo_line);
    assert_true(is_one_json_object(run->out.bytes));
    check_demo(run);
    test_folder_remove("out");
    test_run_free(run);
    return is_hit;
}

#define DEMOS(name) TEST_IN(enter_demos, test_leave_place, name)

DEMOS(refused_memory_leaves_a_demo_whole_or_not_there)
{
    for (int way = 0; way < (test_is_long() ? 2 : 1); way++) {
        bool is_refused = true, again = way;
        for (long at = 0; is_refused; at = test_next(at), again = test_is_long() ? way : !again) {
            test_run run = test_run_make();
            run.memory.refuse = at;
            run.memory.from_then_on = again;
            is_refused = refuse_once(&run, &run.memory.calls, at, again);
            assert_true(run.status == 0 || run.status == 3);
        }
    }
}

DEMOS(failing_files_leave_a_demo_whole_or_not_there)
{
    for (int way = 0; way < (test_is_long() ? 2 : 1); way++) {
        bool is_hit = true, again = way;
        for (long at = 0; is_hit; at = test_next(at), again = test_is_long() ? way : !again) {
            test_run run = test_run_make();
            run.files.fail = at;
            run.files.from_then_on = again;
            is_hit = refuse_once(&run, &run.files.calls, at, again);
            assert_true(run.status == 0 || run.status == 3);
        }
    }
}

DEMOS(ctrl_c_leaves_an_older_demo_as_it_was)
{
    long last = 1, cancelled = 0;
    copy_folder("old", "out");
    for (long at = 0; at < last; at += 1 + at / (TEST_SANITIZED ? 4 : 8)) {
        test_run run = test_run_make();
        run.cancel_at = at;
        test_run_line(&run, demo_line);
        last = run.memory.calls;
        assert_int_equal(test_folder_count("out"), 3);
        if (run.status != 0) {
            assert_int_equal(run.status, 130);
            cancelled++;
            assert_true(is_one_json_object(run.out.bytes));
            test_same_file("old/demo.marey", "out/demo.marey");
        } else {
            test_same_file("whole/demo.marey", "out/demo.marey");
            test_folder_remove("out");
            copy_folder("old", "out");
        }
        test_run_free(&run);
    }
    assert_true(cancelled > 0);
}

DEMOS(a_library_that_is_open_elsewhere_is_not_replaced)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    const char *name = "sits";
    copy_folder("whole", "out");
    assert_int_equal(marey_library_open(ctx, "out/demo.marey", MAREY_LIBRARY_WRITE, &library, NULL),
                     MAREY_OK);
    assert_int_equal(marey_library_label(library, &name, 1, "x", true, NULL), MAREY_OK);
    assert_int_equal(marey_library_label(library, &name, 1, "x", false, NULL), MAREY_OK);
    test_fails(demo_line, 1, "another program has this library open");
    marey_library_close(library);
    marey_ctx_close(ctx);
    test_run_well(demo_line);
}

DEMOS(what_a_user_changed_in_a_demo_library_is_not_thrown_away)
{
    copy_folder("whole", "out");
    test_run_well("marey label out/demo.marey sits --add mine --quiet");
    test_fails(demo_line, 1, "which was changed");
    test_run_well("marey label out/demo.marey sits --drop mine --quiet");
    test_run_well(demo_line);
}

/* ---- pictures and measures ------------------------------------------------------------------- */

static void remove_picture(const test_run *run, void *user)
{
    assert_int_equal(is_there(user), run->status == 0);
    unlink(user);
}

CASE(refused_memory_ends_a_question_or_a_picture_with_status_3)
{
    char png[] = "out.png", svg[] = "out.svg", pdf[] = "out.pdf";
    test_run_well("marey demo d --take sits --quiet");
    sweep_memory("marey contacts walk.bvh", NULL, NULL);
    sweep_memory("marey contacts -L d/demo.marey sits#0-90 --json", NULL, NULL);
    sweep_memory("marey quality walk.bvh --json", NULL, NULL);
    sweep_memory("marey quality -L d/demo.marey sits#0-90", NULL, NULL);
    sweep_memory("marey render walk.bvh -o out.png --json", remove_picture, png);
    sweep_memory("marey render -L base.marey walk -o out.svg", remove_picture, svg);
    sweep_memory("marey render . -o out.pdf --json", remove_picture, pdf);
    sweep_memory("marey render -L base.marey -o out.png", remove_picture, png);
}

CASE(failing_files_leave_no_part_of_a_picture)
{
    static const char *const lines[] = { "marey render walk.bvh -o out.png --json",
                                         "marey render . -o out.png --json",
                                         "marey render -L base.marey -o out.pdf --json" };
    static const char *const files[] = { "out.png", "out.png", "out.pdf" };
    int before = test_folder_count(".");
    for (int i = 0; i < 3; i++) {
        bool is_hit = true;
        for (long fail = 0; is_hit; fail = test_next(fail)) {
            test_run run = test_run_make();
            run.files.fail = fail;
            test_run_line(&run, lines[i]);
            is_hit = run.files.calls > fail;
            if (run.status != 0) assert_in_range(run.status, 1, 3);
            assert_true(is_one_json_object(run.out.bytes));
            unlink(files[i]);
            assert_int_equal(test_folder_count("."), before);
            test_run_free(&run);
        }
    }
}

CASE(a_video_is_made_by_ffmpeg_or_the_lack_of_it_is_said)
{
    static const char line[] =
        "marey render walk.bvh#0-30 -o out.mp4 --width 160 --height 120 --fps 10 "
        "--json";
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    test_run run = test_run_make();
    test_run_line(&run, line);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err.bytes, "ffmpeg"));
    assert_true(is_one_json_object(run.out.bytes));
    assert_false(is_there("out.mp4"));
    test_run_free(&run);
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) test_skip("there is no ffmpeg");
    char *said = test_reply(line);
    assert_string_equal(said, "{\"files\":[\"out.mp4\"],\"kind\":\"video\",\"clips\":"
                              "[\"walk.bvh#0-30\"],\"skipped\":[],\"errors\":[]}\n");
    char *bytes = test_file_read("out.mp4", NULL);
    assert_memory_equal(bytes + 4, "ftyp", 4);
    free(bytes);
}

CASE(a_full_standard_output_ends_with_status_3)
{
    static const char *const lines[] = {
        "marey contacts walk.bvh",          "marey contacts -L base.marey walk --json",
        "marey quality walk.bvh",           "marey quality -L base.marey walk --json",
        "marey render walk.bvh -o out.png", "marey render . -o out.png --json",
        "marey demo out --take sits",       demo_line,
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_run run = test_run_make();
        run.out.room = 3;
        assert_int_equal(test_run_line(&run, lines[i]), 3);
        assert_non_null(strstr(run.err.bytes, "standard output: No space left"));
        test_run_free(&run);
    }
    assert_true(is_there("out.png") && is_there("out/demo.marey"));
}

/* ---- contacts --set -------------------------------------------------------------------------- */

static void set_file(const char *text)
{
    test_file_write("plants.json", text, strlen(text));
}

static const char set_line[] = "marey contacts -L base.marey walk --set plants.json --json";
static const char get_line[] = "marey contacts -L base.marey walk --json";

CASE(plants_that_are_set_are_given_back_in_order)
{
    set_file(" {\"version\": [1, -2.5e3, {\"x\": null}], \"contacts\" : [\n"
             "{\"end\": 30, \"start\": 20, \"joint\": \"right_toe\", \"note\": \"\\u00e9\\n\"},\n"
             "{\"joint\":\"left_heel\",\"start\":40,\"end\":50},"
             "{\"joint\":\"left_heel\",\"start\":0,\"end\":12} ] , \"more\": true }\n");
    static const char expected[] =
        "{\"clip\":\"walk\",\"fps\":60,\"from\":\"library\",\"contacts\":["
        "{\"joint\":\"left_heel\",\"start\":0,\"end\":12},"
        "{\"joint\":\"left_heel\",\"start\":40,\"end\":50},"
        "{\"joint\":\"right_toe\",\"start\":20,\"end\":30}],\"contacts_set\":true}\n";
    char *said = test_reply(set_line), *kept = test_reply(get_line);
    /* What was set is a step of the history besides. */
    char *step = strstr(said, ",\"step\":2}");
    assert_non_null(step);
    strcpy(step, "}\n");
    assert_string_equal(said, expected);
    assert_string_equal(kept, expected);
    /* What it prints is what it reads. */
    set_file(kept);
    said = test_reply(set_line);
    assert_string_equal(said, expected);
    test_run_well("marey render -L base.marey walk -o with.png --quiet");
    set_file("{\"contacts\":[]}");
    test_run_well(set_line);
    kept = test_reply(get_line);
    assert_non_null(strstr(kept, "\"from\":\"library\""));
}

static const struct {
    const char *text, *message;
} wrong_files[] = {
    { "", "plants.json:1:1: expected an object: {\"contacts\": [...]}, found the end of the file" },
    { "[]", "plants.json:1:1: expected an object" },
    { "{}", "plants.json:1:1: there is no \"contacts\"" },
    { "{\"contacts\":{}}", "plants.json:1:13: expected a list of plants: [...], found {" },
    { "{\"contacts\":[],\"contacts\":[]}", "plants.json:1:27: a second list of contacts" },
    { "{\"contacts\":[]} x", "plants.json:1:17: expected nothing more, found x" },
    { "{\"contacts\":[\n 3]}", "plants.json:2:2: expected a plant: " },
    { "{\"contacts\":[{\"joint\":\"left_foot\"}]}",
      "plants.json:1:23: expected left_heel, left_toe, right_heel, right_toe, left_hand or "
      "right_hand, found "
      "\"left_foot\"" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":1}]}",
      "plants.json:1:14: a plant needs \"joint\", \"start\" and \"end\"; this one has no end" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":-1,\"end\":2}]}",
      "plants.json:1:42: expected a frame" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":1.5,\"end\":2}]}",
      "plants.json:1:42: expected a frame" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":1e300,\"end\":2}]}",
      "plants.json:1:42: expected a frame" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":0x1,\"end\":2}]}",
      "plants.json:1:42: expected a number, found 0x1" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":inf,\"end\":2}]}",
      "plants.json:1:42: expected a number, found inf" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":01,\"end\":2}]}",
      "plants.json:1:42: expected a number, found 01" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":5,\"end\":5}]}",
      "plants.json:1:14: end frame must come after start frame, got 5-5" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":5,\"end\":91}]}",
      "not inside the clip's 0-90" },
    { "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":0,\"end\":9},{\"joint\":\"left_toe\","
      "\"start\":8,"
      "\"end\":20}]}",
      "overlap" },
    { "{\"contacts\":[{\"joint\":\"left_toe\" \"start\":5}]}",
      "plants.json:1:34: expected a comma or }, found \"start\"" },
    { "{\"contacts\":[{\"joint\" \"left_toe\"}]}", "expected a colon" },
    { "{\"contacts\":[{},]}", "a plant needs" },
    { "{\"a\":[1,],\"contacts\":[]}", "expected a value, found ]" },
    { "{\"a\":tru,\"contacts\":[]}", "expected a value, found tru" },
    { "{\"a\":1.,\"contacts\":[]}", "digits behind its point" },
    { "{\"a\":\"\\x\",\"contacts\":[]}", "no such escape" },
    { "{\"a\":\"\\u12\",\"contacts\":[]}", "four digits" },
    { "{\"a\":\"x\ny\",\"contacts\":[]}", "control character" },
    { "{\"a", "expected a closing quote, found the end of the file" },
    { "{\"contacts\":[", "expected a plant: " },
};

CASE(a_wrong_file_of_plants_says_where_and_changes_nothing)
{
    char *before = test_reply(get_line);
    for (size_t i = 0; i < sizeof wrong_files / sizeof *wrong_files; i++) {
        test_run run = test_run_make();
        set_file(wrong_files[i].text);
        test_run_line(&run, set_line);
        if (run.status != 1 || !strstr(run.err.bytes, wrong_files[i].message)) {
            fail_msg("%s: status %d, %s", wrong_files[i].text, run.status, run.err.bytes);
        }
        assert_true(is_one_json_object(run.out.bytes));
        test_run_free(&run);
        char *after = test_reply(get_line);
        assert_string_equal(before, after);
    }
}

/* A file of brackets, one with a zero byte in it, and every beginning of a good one. */
CASE(odd_files_of_plants_are_refused_without_a_crash)
{
    static const char good[] = "{\"contacts\":[{\"joint\":\"left_toe\",\"start\":5,\"end\":6}]}";
    static char deep[100000];
    memset(deep, '[', sizeof deep - 1);
    memcpy(deep, "{\"a\":", 5);
    set_file(deep);
    test_fails(set_line, 1, "more than 64 brackets");
    for (size_t length = 0; length < sizeof good; length++) {
        test_run run = test_run_make();
        test_file_write("plants.json", good, length);
        assert_int_equal(test_run_line(&run, set_line), length + 1 < sizeof good);
        test_run_free(&run);
    }
    test_file_write("plants.json", good, sizeof good); /* and its zero */
    test_fails(set_line, 1, "a zero byte");
}

static void check_set(const test_run *run, void *user)
{
    char *kept = test_reply(get_line);
    bool is_set = strstr(kept, "\"start\":5,\"end\":6") != NULL;
    (void)user;
    if (run->status == 0) assert_true(is_set);
    set_file("{\"contacts\":[]}");
    test_run_well(set_line);
    set_file("{\"contacts\":[{\"joint\":\"left_toe\",\"start\":5,\"end\":6}]}");
}

CASE(refused_memory_sets_all_plants_or_none)
{
    set_file("{\"contacts\":[{\"joint\":\"left_toe\",\"start\":5,\"end\":6}]}");
    sweep_memory(set_line, check_set, NULL);
    for (long fail = 0; fail < 3; fail++) {
        test_run run = test_run_make();
        run.files.kinds = TEST_IO_READ;
        run.files.fail = fail;
        test_run_line(&run, set_line);
        if (run.files.calls > fail) assert_int_equal(run.status, 3);
        test_run_free(&run);
    }
}

TEST_GROUP_OF_CASES(test_demo_program, NULL, NULL)
