/* test_puppet_refusals.c - what the commands of puppets refuse, and how they fail: wrong requests
   are refused by name and with what to do, nothing that is read is overwritten, refused memory,
   full disks and Ctrl-C leave what was there. */
#include "puppet_tables.h"

static test_place place;

static int enter(void **state)
{
    place_enter(&place);
    test_table_write("x.csv", &(table_form){ .seconds = 2, .rate = 20 });
    test_table_write("main.csv", &(table_form){ .seconds = 1, .rate = 20, .main_only = true });
    write_person("a.bvh", 80);
    write_person("b.bvh", 90);
    test_run_well("marey add m.marey a.bvh b.bvh --licence 'CC BY-NC 4.0' --quiet");
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    test_run_well("marey puppet train -L m.marey x.csv --clips a b -o follower --quiet");
    *state = &place;
    return 0;
}

static int leave(void **state)
{
    place_leave(*state);
    return 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

typedef struct wrong_line {
    const char *line;
    int status;
    const char *message;
} wrong_line;

static void check_all(const wrong_line *wrong, size_t count)
{
    int before = test_folder_count(".");
    for (size_t i = 0; i < count; i++) {
        test_fails(wrong[i].line, wrong[i].status, wrong[i].message);
        if (test_folder_count(".") != before) fail_msg("%s left something", wrong[i].line);
    }
}

#define PLACE(name) TEST_IN(enter, leave, name)

PLACE(wrong_training_is_refused_by_name)
{
    static const wrong_line wrong[] = {
        { "marey puppet", 2, "say which: puppet train, run" },
        { "marey puppet trian x.csv", 2, "did you mean \"puppet train\"" },
        { "marey puppet train -o q.puppet", 2, "a demonstration is needed: DEMO.csv, or --clips" },
        { "marey puppet train x.csv", 2, "-o P.puppet is needed" },
        { "marey puppet train x.csv -o q.csv", 2, "-o takes a file that ends in .puppet" },
        { "marey puppet train x.csv -o m.marey", 2, "LIB.marey:NAME, or with -L LIB a name, not" },
        { "marey puppet train x.csv -o mine", 2, "or with -L LIB a name, not \"mine\"" },
        { "marey puppet train -L m.marey x.csv -o mine.csv", 2, "not \"mine.csv\"" },
        { "marey puppet train -L m.marey x.csv -o a/b", 2, "not \"a/b\"" },
        { "marey puppet train -L m.marey x.csv -o q.puppet", 2, "-L is for --clips A B, or for" },
        { "marey puppet train x.csv -o q.puppet --about hello", 2,
          "--about is saved by a library" },
        { "marey puppet train x.csv -o q.puppet --up z", 2, "--up is for --clips" },
        { "marey puppet train x.csv -o q.puppet --rate 300", 2,
          "--rate must be a number from 5 to 240, got 300" },
        { "marey puppet train x.csv -o q.puppet --window 9", 2,
          "--window must be 4 to 128 steps of the rate, got 9 s" },
        { "marey puppet train x.csv -o q.puppet --gap 0", 2,
          "--gap must be a number from 0.001 to 3600, got 0" },
        { "marey puppet train p.puppet -o q.puppet", 1,
          "p.puppet: this is a trained puppet, not a table of paths; marey puppet show p.puppet "
          "--csv" },
        { "marey puppet train a.bvh b.bvh -o q.puppet", 1,
          "a.bvh: this is a clip, not a table of paths; marey puppet train --clips A B" },
        { "marey puppet train m.marey -o q.puppet", 1, "this is a library, not a table of paths" },
        { "marey puppet train x.csv walk -o q.puppet", 1,
          "walk: cannot read: No such file or directory; clips are named with --clips A B" },
        { "marey puppet train none.csv -o q.puppet", 1,
          "none.csv: cannot read: No such file or directory\n" },
        { "marey puppet train main.csv -o q.puppet", 1, "main.csv:1" },
        { "marey puppet train --clips a.bvh -o q.puppet", 2, "--clips needs two values" },
        { "marey puppet train -o q.puppet --clips a.bvh", 2, "--clips needs two values" },
        { "marey puppet train --clips a b -o q.puppet", 1,
          "with -L LIB clips are taken by name from a library" },
        { "marey puppet train -L m.marey --clips a c -o q", 1, "no clip is called c" },
        { "marey puppet train -L m.marey --clips a b --up z -o q", 1,
          "are for files; a library's clips were read" },
        { "marey puppet train --clips a.bvh#3 b.bvh -o q.puppet", 1, "single frame" },
        { "marey puppet train x.csv -L none.marey -o q", 1, "none.marey" },
        { "marey puppet train x.csv -o x.csv:NAME", 2, "-o takes a file that ends in .puppet" },
    };
    check_all(wrong, sizeof wrong / sizeof *wrong);
}

PLACE(wrong_runs_are_refused_by_name)
{
    static const wrong_line wrong[] = {
        { "marey puppet run p.puppet", 2, "missing argument" },
        { "marey puppet run p.puppet main.csv", 2, "-o OUT.csv is needed" },
        { "marey puppet run p.puppet main.csv -o out.txt", 2, "-o takes a name that ends in .csv" },
        { "marey puppet run p.puppet main.csv --picture out.csv", 2, "--picture takes a name" },
        { "marey puppet run follower main.csv -o out.csv", 1,
          "follower: cannot read: No such file or directory; with -L LIB it would be one that a "
          "library keeps" },
        { "marey puppet run -L m.marey folower main.csv -o out.csv", 1, "is it follower?" },
        { "marey puppet run -L m.marey zzzzzzzzzz main.csv -o out.csv", 1,
          "marey puppet ls lists those there are, marey puppet train makes one" },
        { "marey puppet run x.csv main.csv -o out.csv", 1,
          "x.csv: this is no trained puppet; marey puppet train makes one" },
        { "marey puppet run m.marey main.csv -o out.csv", 1,
          "this is a library, not a puppet; m.marey:NAME is one that it keeps" },
        { "marey puppet run p.puppet p.puppet -o out.csv", 1, "this is a trained puppet, not" },
        { "marey puppet run p.puppet none.csv -o out.csv", 1, "none.csv: cannot read" },
        { "marey puppet run p.puppet ages.csv -o out.csv", 1,
          "ages.csv: a path must have at most 4194304 steps" },
        { "marey puppet run p.puppet main.csv -o out.csv --start 1,2", 2,
          "--start must be x,y,direction" },
        { "marey puppet run p.puppet main.csv -o out.csv --start 1,2,nan", 2,
          "--start must be numbers" },
        { "marey puppet run p.puppet main.csv -o out.csv --start 1,2e9,0", 2,
          "--start must be x,y,direction" },
        { "marey puppet run p.puppet main.csv -o out.csv --balance 1.5", 2,
          "--balance must be a number from" },
        { "marey puppet run p.puppet main.csv -o out.csv --weight 0", 2,
          "--weight must be a number from" },
        { "marey puppet run p.puppet main.csv -o out.csv --weight 2 --balance 0.5", 2,
          "--weight holds what --balance would adjust" },
        { "marey puppet run p.puppet main.csv -o out.csv -L m.marey", 2, "p.puppet is a file" },
        { "marey puppet run p.puppet main.csv -o out.csv --body b.glb", 2,
          "--body needs a motion graph to walk with: -L LIB --graph NAME" },
        { "marey puppet run p.puppet main.csv -o out.csv -L m.marey --graph g", 2,
          "--graph is for --body" },
        { "marey puppet run p.puppet main.csv -o out.csv --leave-feet", 2,
          "--leave-feet is only for --graph" },
        { "marey puppet run p.puppet main.csv -L m.marey --graph g --body b.txt", 2,
          "--body takes a clip's file" },
        { "marey puppet run p.puppet main.csv -L m.marey --graph g --body b.bvh --fps 0", 2,
          "--fps must be a number from" },
        { "marey puppet run p.puppet main.csv -L m.marey --graph g --body out.bvh", 1,
          "no graph is called g" },
    };
    static const char ages[] = "time,main_x,main_y,main_dir\n0,0,0,0\n100000,9,0,0\n";
    test_file_write("ages.csv", ages, sizeof ages - 1);
    check_all(wrong, sizeof wrong / sizeof *wrong);
}

PLACE(wrong_housekeeping_is_refused_by_name)
{
    static const wrong_line wrong[] = {
        { "marey puppet show none.puppet", 1, "with -L LIB it would be one that a library keeps" },
        { "marey puppet show p.puppet --picture a.txt", 2, "--picture takes a name" },
        { "marey puppet show p.puppet --csv a.txt", 2, "--csv takes a name that ends in .csv" },
        { "marey puppet show p.puppet -L m.marey", 2, "-L is for a puppet saved in a library" },
        { "marey puppet show p.puppet -L nowhere.marey", 2, "p.puppet is a file" },
        { "marey puppet show p.puppet --run 1", 2, "--run says what --picture draws" },
        { "marey puppet show p.puppet --run 2 --picture a.png", 1, "there is no run 2; the runs " },
        { "marey puppet ls none.marey", 1, "none.marey" },
        { "marey puppet rm m.marey folower", 1, "is it follower?" },
        { "marey puppet rm m.marey zzzzzzzzzz", 1, "marey puppet ls lists those there are" },
        { "marey puppet rename m.marey zzzzzzzzzz x", 1, "marey puppet ls lists those there are" },
        { "marey puppet rename m.marey follower a/b", 1, "name" },
    };
    check_all(wrong, sizeof wrong / sizeof *wrong);
    test_run_well("marey puppet train x.csv -o m.marey:other --quiet");
    test_fails("marey puppet rename m.marey other follower", 1, "follower");
    FREED char *list = test_answer("marey puppet ls m.marey --json");
    assert_int_equal(test_parts_count(list, "\"samples\":"), 2);
}

/* By the same name, through a link, by another path. */
PLACE(nothing_that_is_read_is_overwritten)
{
    size_t size, now;
    static const wrong_line wrong[] = {
        { "marey puppet run p.puppet main.csv -o main.csv", 2,
          "-o would overwrite main.csv, which is read" },
        { "marey puppet run p.puppet main.csv -o ./main.csv", 2, "-o would overwrite main.csv" },
        { "marey puppet run p.puppet main.csv -o link.csv", 2, "-o would overwrite main.csv" },
        { "marey puppet run p.puppet main.csv -o hard.csv", 2, "-o would overwrite main.csv" },
        { "marey puppet run table.csv main.csv -o table.csv", 2, "-o would overwrite table.csv" },
        { "marey puppet train table.puppet -o table.puppet", 2, "-o would overwrite table.puppet" },
        { "marey puppet show table.csv --csv table.csv", 2, "--csv would overwrite table.csv" },
    };
    FREED char *before = test_file_read("main.csv", &size);
    assert_int_equal(symlink("main.csv", "link.csv"), 0);
    assert_int_equal(link("main.csv", "hard.csv"), 0);
    assert_int_equal(link("x.csv", "table.puppet"), 0);
    assert_int_equal(link("p.puppet", "table.csv"), 0);
    check_all(wrong, sizeof wrong / sizeof *wrong);
    FREED char *after = test_file_read("main.csv", &now);
    assert_true(size == now);
    assert_memory_equal(before, after, size);
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey puppet train x.csv --clips a.bvh b.bvh -o out.puppet --json",
    "marey puppet run p.puppet main.csv -o out.csv --json",
    "marey puppet run -L m.marey follower main.csv -o out.csv --picture out.png --json",
    "marey puppet show -L m.marey follower --csv out.csv --json",
    "marey puppet show p.puppet --picture out.png",
    "marey puppet ls m.marey --json",
    "marey puppet run -L m.marey follower main.csv --graph g --body out.bvh --provenance --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static int enter_graph(void **state)
{
    enter(state);
    test_run_well("marey graph build m.marey g a b --threshold 3 --quiet");
    test_run_well("marey graph train m.marey g --directions 8 --speeds 0,100 --quiet");
    return 0;
}

static void check_files(void)
{
    static const char *const made[] = { "out.puppet", "out.csv", "out.png", "out.bvh",
                                        "out.bvh.provenance.json" };
    for (int i = 0; i < 5; i++) unlink(made[i]);
    assert_int_equal(test_folder_count("."), 6);
}

#define GRAPH(name) TEST_IN(enter_graph, leave, name)

static void check_no_file_is_left(const test_run *run, void *user)
{
    (void)run;
    (void)user;
    check_files();
}

GRAPH(refused_memory_ends_with_status_3)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_no_file_is_left, NULL);
}

PLACE(a_change_is_made_or_not_at_all)
{
    sweep_change("marey puppet ls m.marey --json",
                 "marey puppet train -L m.marey x.csv --clips a b -o fresh --json",
                 "\"name\":\"fresh\"", "marey puppet rm m.marey fresh --quiet");
    sweep_change("marey puppet ls m.marey --json",
                 "marey puppet rename m.marey follower fresh --json", "\"name\":\"fresh\"",
                 "marey puppet rename m.marey fresh follower --quiet");
    sweep_change("marey puppet ls m.marey --json", "marey puppet rm m.marey follower --json",
                 "\"puppets\":[]", "marey puppet train x.csv -o m.marey:follower --quiet");
}

/* A library that a command makes has what it was made for, or nothing. */
PLACE(a_new_library_is_not_left_behind_with_half_of_it)
{
    for (long refuse = 0;; refuse = test_next(refuse)) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        test_run_line(&run, "marey puppet train x.csv -o new.marey:p --quiet");
        bool done = run.memory.calls <= refuse, there = access("new.marey", F_OK) == 0;
        assert_true(there || run.status != 0);
        char *list = there ? test_answer("marey puppet ls new.marey --json") : NULL;
        if (list) assert_true((strstr(list, "\"name\":\"p\"") != NULL) == (run.status == 0));
        free(list);
        unlink("new.marey");
        test_run_free(&run);
        if (done) break;
    }
}

/* What was there stays when what should take its place cannot be written. */
GRAPH(a_full_disk_loses_nothing)
{
    static const char *const written[] = { "out.puppet", "out.csv", "out.png", "out.csv",
                                           "out.png",    NULL,      "out.bvh" };
    for (int i = 0; i < LINES; i++) {
        size_t size;
        if (!written[i]) continue;
        test_file_write(written[i], "older", 5);
        test_run disk = test_run_make();
        disk.files.kinds = TEST_IO_WRITE;
        disk.files.fail = 0;
        disk.files.with_errno = ENOSPC;
        if (test_run_line(&disk, lines[i]) != 3) fail_msg("%s: %d", lines[i], disk.status);
        test_run_free(&disk);
        char *kept = test_file_read(written[i], &size);
        assert_true(size == 5);
        assert_memory_equal(kept, "older", 5);
        free(kept);
        check_files();
    }
}

GRAPH(full_standard_output_and_a_cancelled_run_are_reported)
{
    static const int takes_long[] = { 0, 1, 6 };
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
        check_files();
    }
    for (size_t i = 0; i < sizeof takes_long / sizeof *takes_long; i++) {
        test_cancelled(lines[takes_long[i]]);
        check_files();
    }
}

TEST_GROUP_OF_CASES(test_puppet_refusals, NULL, NULL)
