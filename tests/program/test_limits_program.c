/* test_limits_program.c - what --max-seconds and --max-memory stop: a clean error, and nothing half
   done. No test waits: the clock of a run is late from a chosen look on, and each look is
   chosen. */
#include "program_lines.h"

#include <sys/stat.h>
#include <unistd.h>

static void fill(void)
{
    write_person("walk.bvh", 90);
    write_person("step.bvh", 40);
    test_run_well("marey add moves.marey walk.bvh step.bvh --quiet");
    test_run_well("marey cut moves.marey walk#10-60 part --quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, fill);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

/* What a command that is done leaves beside the files that are there; NULL: nothing. With `keeps` it
   may keep what was whole when it was stopped: pairs of an index, files of many. Others leave all as
   it was. */
typedef struct trial {
    const char *line, *makes;
    bool keeps;
} trial;

static const trial trials[] = {
    { "marey info walk.bvh", NULL, false },
    { "marey convert walk.bvh out.bvh", "out.bvh", false },
    { "marey convert walk.bvh out.glb", "out.glb", false },
    { "marey convert walk.bvh out.fbx", "out.fbx", false },
    { "marey positions walk.bvh -o out.npy", "out.npy", false },
    { "marey render walk.bvh -o out.png", "out.png", false },
    { "marey contacts walk.bvh", NULL, false },
    { "marey quality walk.bvh", NULL, false },
    { "marey grid walk.bvh step.bvh -o out.npy", "out.npy", false },
    { "marey similar walk.bvh step.bvh", NULL, false },
    { "marey compare walk.bvh step.bvh", NULL, false },
    { "marey align walk.bvh step.bvh", NULL, false },
    { "marey blend walk.bvh step.bvh --weights 1,1 -o out.bvh", "out.bvh", false },
    { "marey clean walk.bvh -o out.bvh", "out.bvh", false },
    { "marey retarget walk.bvh --onto step.bvh -o out.bvh", "out.bvh", false },
    { "marey doctor walk.bvh", NULL, false },
    { "marey add moves.marey more", NULL, false },
    { "marey ls moves.marey", NULL, false },
    { "marey export moves.marey --all -o out", "out", true },
    { "marey verify moves.marey --hash", NULL, false },
    { "marey index moves.marey --web", NULL, true },
    { "marey search moves.marey part", NULL, true },
    { "marey motifs moves.marey", NULL, true },
    { "marey doctor moves.marey", NULL, true },
    { "marey graph build moves.marey g", NULL, false },
    { "marey cluster build moves.marey c", NULL, true },
};

static void stop_at(const trial *one, long look, test_run *run)
{
    char line[300];
    snprintf(line, sizeof line, "%s --quiet --json --max-seconds 20", one->line);
    *run = test_run_make();
    run->timed = true;
    run->late_at = look;
    test_run_line(run, line);
    if (!is_one_json_object(run->out.bytes)) fail_msg("%s: %s", line, run->out.bytes);
}

/* Stopped, it is as if it had not begun; done, all of it is there. Returns whether it was done. */
static bool check_end(const trial *one, const test_run *run, const char *held)
{
    bool done = run->status == 0, made = one->makes && access(one->makes, F_OK) == 0;
    if (done) {
        assert_true(made == (one->makes != NULL));
    } else {
        if (run->status != 1 || !strstr(run->out.bytes, "\"status\":\"limit\"") ||
            !strstr(run->err.bytes, "not done within 20 s, the most that it may take"))
            fail_msg("%s at look %ld: status %d, %s", one->line, run->late_at, run->status,
                     run->err.bytes);
        if (made && !one->keeps)
            fail_msg("%s at look %ld left %s", one->line, run->late_at, one->makes);
        FREED char *now = one->keeps ? NULL : test_answer("marey verify moves.marey --hash --json");
        if (now && strcmp(now, held) != 0)
            fail_msg("%s at look %ld changed the library", one->line, run->late_at);
        if (one->keeps) test_run_well("marey verify moves.marey --quiet");
    }
    return done;
}

/* A look after the other: until none is late any more. What was done is put back. */
CASE(a_command_that_takes_too_long_leaves_everything_as_it_was)
{
    long stops = 0;
    test_run_well("marey convert walk.bvh more.bvh --mirror --quiet");
    assert_int_equal(mkdir("more", 0777), 0);
    assert_int_equal(rename("more.bvh", "more/more.bvh"), 0);
    test_file_copy("moves.marey", "before.marey");
    int files = test_folder_count(".");
    FREED char *held = test_answer("marey verify moves.marey --hash --json");
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *one = &trials[i];
        bool done = false, all = false;
        for (long look = 1; !all; look = test_next(look)) {
            test_run run;
            stop_at(one, look, &run);
            done = check_end(one, &run, held);
            all = run.looks <= look;
            if (all && !done) fail_msg("%s is not done in time: %s", one->line, run.err.bytes);
            stops += !done;
            test_run_free(&run);
            if (!done && one->keeps && look < 40) continue; /* goes on from what was kept */
            if (done || one->keeps) test_file_copy("before.marey", "moves.marey");
            if (one->makes && access(one->makes, F_OK) == 0 && unlink(one->makes) != 0)
                test_folder_remove(one->makes);
            if (test_folder_count(".") != files) fail_msg("%s leaves a file", one->line);
        }
    }
    assert_true(stops > 200);
    print_message("%ld commands were stopped by their time\n", stops);
}

/* A look finds it late before anything was done, whatever the command. */
CASE(an_interrupt_is_said_where_time_is_over_too)
{
    test_run run = test_run_make();
    run.timed = true;
    run.late_at = 1;
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey convert walk.bvh out.bvh --max-seconds 3"), 130);
    assert_null(strstr(run.err.bytes, "not done within"));
    test_run_free(&run);
}

CASE(a_command_without_a_limit_does_not_look_at_the_clock)
{
    test_run run = test_run_make();
    run.timed = true;
    assert_int_equal(test_run_line(&run, "marey index moves.marey --web --quiet"), 0);
    assert_int_equal(run.looks, 0);
    test_run_free(&run);
}

/* Of an earlier schema, too: reading one takes a copy in memory. */
CASE(a_command_that_needs_too_much_memory_leaves_everything_as_it_was)
{
    static const char *const lines[] = {
        "marey grid long.bvh long.bvh -o out.npy",
        "marey convert long.bvh out.glb",
        "marey blend long.bvh long.bvh --weights 1,1 -o out.bvh",
        "marey add moves.marey long.bvh",
        "marey convert long.bvh moves.marey:longer",
        "marey render long.bvh -o out.png",
    };
    write_person("long.bvh", 6000);
    FREED char *held = test_answer("marey verify moves.marey --hash --json");
    int files = test_folder_count(".");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (int alias = 0; alias < 2; alias++) {
            char line[200];
            snprintf(line, sizeof line, "%s --json --quiet --%smemory 1M", lines[i],
                     alias ? "" : "max-");
            test_run run = test_run_make();
            test_run_line(&run, line);
            check_refusal(&run, line);
            assert_non_null(strstr(run.err.bytes, "more is needed than --max-memory allows"));
            test_run_free(&run);
            FREED char *now = test_answer("marey verify moves.marey --hash --json");
            assert_string_equal(now, held);
            assert_int_equal(test_folder_count("."), files);
        }
    }
}

TEST_GROUP_OF_CASES(test_limits_program, NULL, NULL)
