/* test_program.c - the program when the machine fails: memory refused, files failing, standard
   output full, a signal. What it answers when all is well is in tests/cli. */
#include "program_lines.h"

#include "commands.h"

#include <sys/stat.h>

static const char *const writing_commands[] = {
    "marey convert walk.bvh out --mirror --fps 30",
    "marey convert walk.bvh walk.bvh out --align --out-units m --json",
    "marey positions walk.bvh -o out",
};
enum { WRITING = sizeof writing_commands / sizeof *writing_commands };

/* Puts the name of the file to write, with the ending its format needs, in the place of "out". */
static void name_output(const char *line, char *path, char *named, size_t room)
{
    const char *at = strstr(line, " out");
    strcpy(path, strstr(line, "positions") ? "out.npy" : "out.bvh");
    snprintf(named, room, "%.*s %s%s", (int)(at - line), line, path, at + 4);
}

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("walk.bvh", 3);
    *state = &place;
    return 0;
}

/* What must hold however a command that writes `path` ended: the whole file, or the one that was
   there before, and nothing beside it. */
static void check_output(const test_run *run, const char *path, const char *whole, size_t count)
{
    size_t got;
    FREED char *bytes = test_file_read(path, &got);
    assert_int_equal(test_folder_count("."), 2);
    if (run->status == 0) {
        assert_int_equal(got, count);
        assert_memory_equal(bytes, whole, count);
    } else {
        assert_string_equal(bytes, "older");
        assert_true(run->err.used > 0);
    }
}

/* Runs a line as it should go, and keeps what it wrote. */
static char *written_by(const char *line, const char *path, size_t *count)
{
    test_run run = test_run_make();
    assert_int_equal(test_run_line(&run, line), 0);
    test_run_free(&run);
    return test_file_read(path, count);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct expected {
    const char *path;
    char *bytes;
    size_t count;
} expected;

static void check_file(const test_run *run, void *user)
{
    const expected *whole = user;
    check_output(run, whole->path, whole->bytes, whole->count);
    test_file_write(whole->path, "older", 5);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(refused_memory_ends_a_report_with_status_3)
{
    sweep_memory("marey info walk.bvh", NULL, NULL);
    sweep_memory("marey info walk.bvh --json", NULL, NULL);
    sweep_memory("marey info . --long", NULL, NULL);
    sweep_memory("marey convert --help", NULL, NULL);
    sweep_memory("marey --version --json", NULL, NULL);
}

CASE(refused_memory_leaves_an_older_output_as_it_was)
{
    for (int i = 0; i < WRITING; i++) {
        char path[16], line[256];
        name_output(writing_commands[i], path, line, sizeof line);
        expected whole = { .path = path };
        whole.bytes = written_by(line, path, &whole.count);
        test_file_write(path, "older", 5);
        sweep_memory(line, check_file, &whole);
        free(whole.bytes);
        unlink(path);
    }
}

CASE(no_folder_is_left_half_listed_when_memory_is_refused)
{
    char name[32];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "take-%02d.bvh", i);
        write_person(name, 1);
    }
    sweep_memory("marey info . --json", NULL, NULL);
}

CASE(refused_memory_ends_solving_with_status_3)
{
    test_run_well("marey positions walk.bvh -o p.npz");
    test_file_write("map.csv", "a,,Hips\nb,a,Spine+Neck\n", 22);
    test_file_copy(MAREY_TEST_DATA "/finds/amass/turn.npz", "turn.npz");
    test_run_well("marey solve turn.npz -o bones.bvh");
    sweep_memory("marey solve p.npz -o out.bvh --fps 30 --json", NULL, NULL);
    sweep_memory("marey solve p.npz -o out.bvh --map map.csv", NULL, NULL);
    sweep_memory("marey solve turn.npz -o out.bvh --bones bones.bvh", NULL, NULL);
}

static void check_manual(const test_run *run, void *user)
{
    int pages = 1, others = 5; /* marey.1; completions, the pages of commands and operations */
    (void)user;
    while (command_page(pages - 1)) pages++;
    if (run->status == 0) assert_int_equal(test_folder_count("manual"), pages + others);
}

CASE(the_manual_is_written_or_the_reason_given)
{
    if (mkdir("manual", 0777) != 0) fail_msg("cannot make a folder");
    sweep_memory("marey --write-manual manual", check_manual, NULL);
    test_run run = test_run_make();
    assert_int_equal(test_run_line(&run, "marey --write-manual missing"), 1);
    test_run_free(&run);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Fails file call 0, 1, ... until one run makes fewer calls. Among thousands of calls of seven
   bytes each, later ones are much alike, and steps grow. */
static void sweep_files(const char *line, const expected *whole, size_t most_at_once,
                        bool from_then_on)
{
    bool is_hit = true;
    for (long fail = 0; is_hit; fail += most_at_once ? 1 + fail / 16 : 1) {
        test_run run = test_run_make();
        run.files.fail = fail;
        run.files.from_then_on = from_then_on;
        run.files.most_at_once = most_at_once;
        test_run_line(&run, line);
        is_hit = run.files.calls > fail;
        if (run.status != 0) assert_int_equal(run.status, 3);
        if (!is_hit) assert_int_equal(run.status, 0);
        if (strstr(line, "--json")) assert_true(is_one_json_object(run.out.bytes));
        if (whole) {
            check_output(&run, whole->path, whole->bytes, whole->count);
            test_file_write(whole->path, "older", 5);
        }
        test_run_free(&run);
    }
}

CASE(failing_files_leave_an_older_output_as_it_was)
{
    for (int i = 0; i < WRITING; i++) {
        char path[16], line[256];
        name_output(writing_commands[i], path, line, sizeof line);
        expected whole = { .path = path };
        whole.bytes = written_by(line, path, &whole.count);
        test_file_write(path, "older", 5);
        for (int way = 0; way < 4; way++) sweep_files(line, &whole, way & 2 ? 7 : 0, way & 1);
        free(whole.bytes);
        unlink(path);
    }
}

CASE(failing_files_end_a_report_with_status_3)
{
    for (int way = 0; way < 4; way++) {
        sweep_files("marey info walk.bvh", NULL, way & 2 ? 7 : 0, way & 1);
        sweep_files("marey info . --json", NULL, way & 2 ? 7 : 0, way & 1);
    }
}

CASE(a_full_disk_leaves_no_new_file)
{
    for (int i = 0; i < WRITING; i++) {
        char path[16], line[256];
        name_output(writing_commands[i], path, line, sizeof line);
        test_run run = test_run_make();
        run.files.kinds = TEST_IO_WRITE;
        run.files.fail = 0;
        run.files.with_errno = ENOSPC;
        assert_int_equal(test_run_line(&run, line), 3);
        assert_non_null(strstr(run.err.bytes, "No space left"));
        assert_int_equal(test_folder_count("."), 1);
        test_run_free(&run);
    }
}

/* ---- standard output ------------------------------------------------------------------------- */

CASE(a_full_standard_output_ends_with_status_3)
{
    static const char *const lines[] = { "marey --version",           "marey convert --help",
                                         "marey info walk.bvh",       "marey info walk.bvh --json",
                                         "marey info nowhere --json", "marey nonsense --json",
                                         "marey info . --long" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_run good = test_run_make();
        test_run_line(&good, lines[i]);
        assert_true(good.out.used > 0);
        for (size_t room = 0; room < good.out.used; room++) {
            test_run run = test_run_make();
            run.out.room = (long)room;
            assert_int_equal(test_run_line(&run, lines[i]), 3);
            assert_non_null(strstr(run.err.bytes, "standard output: No space left"));
            test_run_free(&run);
        }
        test_run_free(&good);
    }
}

CASE(a_clip_is_whole_even_if_nobody_could_be_told)
{
    size_t count, got;
    char *whole = written_by("marey convert walk.bvh out.bvh --mirror", "out.bvh", &count);
    unlink("out.bvh");
    test_run run = test_run_make();
    run.out.room = 0;
    assert_int_equal(test_run_line(&run, "marey convert walk.bvh out.bvh --mirror"), 3);
    FREED char *bytes = test_file_read("out.bvh", &got);
    assert_int_equal(got, count);
    assert_memory_equal(bytes, whole, count);
    free(whole);
    test_run_free(&run);
}

/* ---- signals and terminals ------------------------------------------------------------------- */

CASE(a_cancelled_command_ends_with_status_130_and_writes_nothing)
{
    write_person("walk.bvh", 1500); /* the library looks once in 1024 frames */
    for (int i = 0; i < WRITING; i++) {
        char path[16], line[256];
        name_output(writing_commands[i], path, line, sizeof line);
        test_run run = test_run_make();
        run.cancel = true;
        assert_int_equal(test_run_line(&run, line), 130);
        assert_int_equal(test_folder_count("."), 1);
        test_run_free(&run);
    }
    test_run run = test_run_make();
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey info walk.bvh --json"), 130);
    assert_true(is_one_json_object(run.out.bytes));
    assert_non_null(strstr(run.out.bytes, "\"cancelled\""));
    test_run_free(&run);
}

CASE(progress_is_shown_on_a_terminal_only_and_is_wiped_away)
{
    for (int way = 0; way < 4; way++) {
        test_run run = test_run_make();
        bool is_quiet = way & 1;
        run.err_is_terminal = way & 2;
        assert_int_equal(test_run_line(&run, is_quiet ? "marey info . --quiet" : "marey info ."),
                         0);
        if (run.err_is_terminal && !is_quiet) {
            assert_non_null(strstr(run.err.bytes, "reading files"));
            assert_string_equal(run.err.bytes + run.err.used - 4, "\r\033[K");
        } else {
            assert_string_equal(run.err.bytes, "");
        }
        test_run_free(&run);
    }
}

TEST_GROUP_OF_CASES(test_program, NULL, NULL)
