/* test_repair_kills.c - `marey doctor --fix`, its `--undo`, and `marey set`, whose program is killed in
   front of every write, sync, truncate and delete in turn: the library verifies, and all its clips
   are as they were before the command, or as they should be after it. */
#include "program_lines.h"
#include "sqlite_faults.h"

#include <signal.h>
#include <sys/wait.h>

static void make_files(void)
{
    test_write_dropouts("one.bvh", 60, 20, 22);
    test_write_dropouts("two.bvh", 80, 30, 33);
    write_person("three.bvh", 40);
    test_run_well("marey add base.marey one.bvh two.bvh three.bvh --quiet");
    /* What changes with the clips: their webs. */
    test_run_well("marey index base.marey --web --quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, make_files);
}

/* Findings and repairs of every clip, what the library is made of besides, and the bytes that the
   clips become. */
static char *state_now(void)
{
    static const char *const looks[] = { "marey doctor lib.marey --undo all --dry-run --json",
                                         "marey ls lib.marey --long --json",
                                         "marey index lib.marey --show --json" };
    static const char *const files[] = { "out/one.bvh", "out/two.bvh", "out/three.bvh" };
    char *all = strdup("");
    test_run_well("marey verify lib.marey --quiet");
    test_run_well("marey export lib.marey --all -o out --quiet");
    for (size_t i = 0; i < 6; i++) {
        FREED char *before = all;
        FREED char *own = i < 3 ? test_answer(looks[i]) : test_file_read(files[i - 3], NULL);
        all = malloc(strlen(before) + strlen(own) + 1);
        strcat(strcpy(all, before), own);
    }
    return all;
}

/* A child runs the line and is killed in front of its n-th call to the disk. */
static bool run_and_be_killed(const char *line, long n)
{
    int how = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        test_disk *disk = test_disk_install();
        test_disk_heal();
        disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE | TEST_DISK_DELETE;
        disk->fail = n;
        disk->kill = true;
        test_run run = test_run_make();
        test_run_line(&run, line);
        _exit(run.status);
    }
    waitpid(child, &how, 0);
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL) return true;
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    return false;
}

static void copy_library(const char *from, const char *to)
{
    static const char *const beside[] = { "-wal", "-shm" };
    for (size_t i = 0; i < 2; i++) {
        char log[256];
        snprintf(log, sizeof log, "%s%s", to, beside[i]);
        unlink(log);
    }
    test_file_copy(from, to);
}

static void kill_everywhere(const char *base, const char *line)
{
    long kills = 0, old = 0;
    copy_library(base, "lib.marey");
    FREED char *before = state_now();
    test_run_well(line);
    FREED char *after = state_now();
    assert_string_not_equal(before, after);
    for (long n = 0;; n = test_next(n), kills++) {
        copy_library(base, "lib.marey");
        if (!run_and_be_killed(line, n)) break;
        FREED char *now = state_now();
        bool is_before = strcmp(now, before) == 0;
        if (!is_before && strcmp(now, after) != 0)
            fail_msg("%s, killed at call %ld: %s", line, n, now);
        old += is_before;
    }
    FREED char *whole = state_now();
    assert_string_equal(whole, after);
    print_message("%s: %ld kills, %ld left it before\n", line, kills, old);
    assert_true(kills > 3 && old > 0);
}

TEST_IN(enter, test_leave_place, a_kill_at_any_write_leaves_clips_before_or_after_their_repair)
{
    kill_everywhere("base.marey", "marey doctor lib.marey --fix all --quiet");
    kill_everywhere("base.marey", "marey doctor lib.marey one#0-30 --fix dropout --quiet");
    kill_everywhere("base.marey", "marey set lib.marey one three --source-fps 60 --mark 0-5 "
                                  "--roles left_knee= --quiet");
    copy_library("base.marey", "mended.marey");
    test_run_well("marey set mended.marey two --units m --quiet");
    test_run_well("marey doctor mended.marey --fix dropout --quiet");
    kill_everywhere("mended.marey", "marey doctor lib.marey --undo all --quiet");
}

TEST_GROUP(test_repair_kills)
{
    test_disk_install();
    return test_cases_run("test_repair_kills", __FILE__, NULL, NULL);
}
