/* test_signals.c - the real program as a child, and what signals do to it while it reads, writes a
   file, or waits for the reader of its output. */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000, INTERRUPTED = 130, MACHINE = 3, MOST_WORDS = 12 };

typedef struct fixture {
    char folder[512];
    char program[1024];
    char walk[600], made[600];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    char *person = test_person(1200);
    /* Tests lie in BUILD/tests, the program in BUILD. */
    size_t room = sizeof f->program;
    ssize_t used = readlink("/proc/self/exe", f->program, room - 1);
    assert_true(used > 0);
    f->program[used] = 0;
    *strrchr(f->program, '/') = 0;
    strcpy(strrchr(f->program, '/'), "/marey");
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->walk, sizeof f->walk, "%s/walk.bvh", f->folder);
    snprintf(f->made, sizeof f->made, "%s/made.bvh", f->folder);
    test_file_write(f->walk, person, strlen(person));
    free(person);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    test_folder_remove(f->folder);
    return 0;
}

static void need_program(const fixture *f)
{
    if (access(f->program, X_OK) == 0) return;
    test_skip("%s is not built", f->program);
}

static void pause_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

/* Starts the program; in, out and err are its standard streams, or -1 for none. No file it writes
   may have more than `most` bytes; RLIM_INFINITY: no limit. */
static pid_t start_limited(const fixture *f, const char *const *words, int in, int out, int err,
                           rlim_t most)
{
    const struct rlimit limit = { most, most };
    char *arguments[MOST_WORDS] = { NULL };
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    int nothing = open("/dev/null", O_RDWR);
    dup2(in >= 0 ? in : nothing, STDIN_FILENO);
    dup2(out >= 0 ? out : nothing, STDOUT_FILENO);
    dup2(err >= 0 ? err : nothing, STDERR_FILENO);
    for (int handle = 3; handle < 256; handle++) close(handle);
    for (int i = 0; words[i]; i++) arguments[i] = strdup(words[i]);
    if (most != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(126);
    execv(f->program, arguments);
    _exit(127);
}

static pid_t start(const fixture *f, const char *const *words, int in, int out)
{
    return start_limited(f, words, in, out, -1, RLIM_INFINITY);
}

/* Kills a child that does not end by itself, so that a test never hangs. */
static int wait_for(pid_t child)
{
    int status;
    for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
        if (waitpid(child, &status, WNOHANG) == child) return status;
        pause_ms(5);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fail_msg("the program did not end");
    return status;
}

static void check_interrupted(int status)
{
    if (!WIFEXITED(status)) fail_msg("ended by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), INTERRUPTED);
}

static bool has_part_of(const char *folder, off_t least)
{
    DIR *dir = opendir(folder);
    struct stat info;
    bool found = false;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        found |= strstr(entry->d_name, ".part") != NULL &&
                 (least == 0 ||
                  (fstatat(dirfd(dir), entry->d_name, &info, 0) == 0 && info.st_size >= least));
    closedir(dir);
    return found;
}

static bool has_part(const char *folder)
{
    return has_part_of(folder, 0);
}

/* ---- while it reads -------------------------------------------------------------------------- */

/* Waits until `pipe_end` holds `wanted` bytes: for 0 the other side has read all, for its size it
   is stuck. */
static void wait_for_bytes(pid_t child, int pipe_end, int wanted)
{
    for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
        int held = -1;
        if (ioctl(pipe_end, FIONREAD, &held) == 0 && held == wanted) return;
        pause_ms(5);
    }
    kill(child, SIGKILL);
    fail_msg("the pipe never held %d bytes", wanted);
}

static void check_reading(const fixture *f, int number)
{
    const char *const words[] = { "marey", "info", "/dev/stdin", NULL };
    static const char text[] = "HIERARCHY\nROOT a\n{\n";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = start(f, words, ends[0], -1);
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    wait_for_bytes(child, ends[0], 0);
    pause_ms(100); /* it has read what there is, and now waits for more */
    assert_int_equal(kill(child, number), 0);
    check_interrupted(wait_for(child));
    close(ends[0]);
    close(ends[1]);
}

#define CASE(name) TEST_IN(set_up, tear_down, name)

CASE(a_signal_ends_reading_from_a_pipe_that_never_closes)
{
    need_program(*state);
    check_reading(*state, SIGINT);
    check_reading(*state, SIGTERM);
}

/* Nothing is timed here: without a limit it would wait for ever. */
CASE(a_limit_of_time_ends_waiting_for_a_pipe)
{
    const fixture *f = *state;
    need_program(f);
    char pipe_name[600];
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe", f->folder);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    const char *const opens[] = { "marey", "info", pipe_name, "--max-seconds", "0.2", NULL };
    const char *const reads[] = { "marey", "info", "/dev/stdin", "--max-seconds", "0.2", NULL };
    for (int way = 0; way < 2; way++) {
        int in[2], err[2];
        char said[400] = "";
        assert_true(pipe(in) == 0 && pipe(err) == 0);
        pid_t child = start_limited(f, way ? reads : opens, in[0], -1, err[1], RLIM_INFINITY);
        close(err[1]);
        int status = wait_for(child);
        assert_true(read(err[0], said, sizeof said - 1) >= 0);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != 1 || !strstr(said, "not done within 0.2 s"))
            fail_msg("status %d: %s", WEXITSTATUS(status), said);
        close(in[0]);
        close(in[1]);
        close(err[0]);
    }
}

/* ---- while it writes ------------------------------------------------------------------------- */

/* Starts a conversion that takes long, 1200 frames at 10000 Hz become 200000, which is some hundred
   megabytes of text, and comes back while it writes. */
static pid_t start_writing(const fixture *f)
{
    const char *const words[] = { "marey", "convert", f->walk, f->made, "--fps", "10000", NULL };
    pid_t child = start(f, words, -1, -1);
    int status, waited = 0;
    while (!has_part_of(f->folder, 1)) { /* an empty one may not be locked yet */
        if (waitpid(child, &status, WNOHANG) == child) fail_msg("it ended before it wrote");
        if (waited++ > PATIENCE_MS) {
            kill(child, SIGKILL);
            fail_msg("it never wrote");
        }
        pause_ms(1);
    }
    return child;
}

static void check_writing(const fixture *f, int number)
{
    pid_t child = start_writing(f);
    assert_int_equal(kill(child, number), 0);
    check_interrupted(wait_for(child));
    assert_false(has_part(f->folder));
    assert_int_equal(test_folder_count(f->folder), 1);
}

CASE(a_signal_while_writing_leaves_no_part_of_a_file)
{
    need_program(*state);
    check_writing(*state, SIGINT);
    check_writing(*state, SIGTERM);
}

/* A part is known by its lock, so it makes no difference that the number of the process that left
   it may be in use again. */
CASE(the_next_write_removes_what_a_killed_one_left_and_nothing_else)
{
    const fixture *f = *state;
    char other[600], folder[600], link[600], alike[600];
    need_program(f);
    snprintf(other, sizeof other, "%s/other.bvh", f->folder);
    snprintf(folder, sizeof folder, "%s/.marey-1-0.part", f->folder);
    snprintf(link, sizeof link, "%s/.marey-1-1.part", f->folder);
    snprintf(alike, sizeof alike, "%s/.marey-1-2.part.bvh", f->folder);
    const char *const words[] = { "marey", "convert", f->walk, other, NULL };
    pid_t killed = start_writing(f);
    kill(killed, SIGKILL);
    assert_true(WIFSIGNALED(wait_for(killed)));
    assert_int_equal(test_folder_count(f->folder), 2); /* the clip and the part */
    assert_int_equal(wait_for(start(f, words, -1, -1)), 0);
    assert_false(has_part(f->folder));
    assert_int_equal(test_folder_count(f->folder), 2); /* the clip and the other */

    pid_t living = start_writing(f);
    kill(living, SIGSTOP);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(symlink(f->walk, link), 0);
    test_file_write(alike, "x", 1);
    assert_int_equal(test_folder_count(f->folder), 6);
    assert_int_equal(wait_for(start(f, words, -1, -1)), 0);
    assert_int_equal(test_folder_count(f->folder), 6);
    kill(living, SIGCONT);
    kill(living, SIGTERM);
    check_interrupted(wait_for(living)); /* it removes its own part */
    assert_int_equal(test_folder_count(f->folder), 5);
}

/* ---- files that would be too large ----------------------------------------------------------- */

/* The exit status; what is said on standard error, which fits into a pipe, goes to `said`. */
static int run_limited(const fixture *f, const char *const *words, rlim_t most, char *said,
                       size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_limited(f, words, -1, -1, ends[1], most);
    close(ends[1]);
    int status = wait_for(child);
    ssize_t got = read(ends[0], said, room - 1);
    said[got > 0 ? got : 0] = 0;
    close(ends[0]);
    if (!WIFEXITED(status)) fail_msg("%s: ended by signal %d", words[1], WTERMSIG(status));
    return WEXITSTATUS(status);
}

CASE(a_file_that_would_be_too_large_is_an_error_and_leaves_nothing)
{
    const fixture *f = *state;
    char picture[600], table[600], made[600], library[600], other[600], said[1024];
    need_program(f);
    snprintf(picture, sizeof picture, "%s/made.png", f->folder);
    snprintf(table, sizeof table, "%s/made.npy", f->folder);
    snprintf(made, sizeof made, "%s/made.marey", f->folder);
    snprintf(library, sizeof library, "%s/kept.marey", f->folder);
    snprintf(other, sizeof other, "%s/other.bvh", f->folder);
    const char *const lines[][MOST_WORDS] = {
        { "marey", "convert", f->walk, f->made, NULL },
        { "marey", "render", f->walk, "-o", picture, NULL },
        { "marey", "positions", f->walk, "-o", table, NULL },
        { "marey", "add", made, f->walk, NULL }, /* a new library */
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(run_limited(f, lines[i], 4096, said, sizeof said), MACHINE);
        if (!strstr(said, "would be larger than the system allows"))
            fail_msg("%s: %s", lines[i][1], said);
        assert_int_equal(test_folder_count(f->folder), 1);
    }
    /* A library that is there keeps what it has. */
    const char *const add[] = { "marey", "add", library, f->walk, NULL };
    const char *const more[] = { "marey", "add", library, other, NULL };
    const char *const verify[] = { "marey", "verify", library, NULL };
    assert_int_equal(run_limited(f, add, RLIM_INFINITY, said, sizeof said), 0);
    char *person = test_person(900);
    test_file_write(other, person, strlen(person));
    free(person);
    size_t before, after;
    FREED char *bytes = test_file_read(library, &before);
    assert_int_equal(run_limited(f, more, 64 * 1024, said, sizeof said), MACHINE);
    if (!strstr(said, "would be larger than the system allows")) fail_msg("%s", said);
    assert_int_equal(run_limited(f, verify, RLIM_INFINITY, said, sizeof said), 0);
    FREED char *again = test_file_read(library, &after);
    assert_int_equal(after, before);
    assert_memory_equal(again, bytes, before);
}

/* ---- while it cannot go on ------------------------------------------------------------------- */

/* No process reads its output, which is more than the pipe holds. A first signal does not take the
   program away from there; a second one does. */
static void check_stuck(const fixture *f, int number)
{
    const char *const words[] = { "marey", "info",  f->walk, f->walk,  f->walk, f->walk,
                                  f->walk, f->walk, f->walk, "--json", NULL };
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    int room = fcntl(ends[1], F_SETPIPE_SZ, 4096);
    pid_t child = start(f, words, -1, ends[1]);
    wait_for_bytes(child, ends[0], room);
    kill(child, number);
    /* Two signals of a kind that are sent before the first has arrived are one. */
    char path[64], line[128];
    bool is_pending = true;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    for (int waited = 0; is_pending && waited < PATIENCE_MS; waited += 5) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file))
            if (strncmp(line, "ShdPnd:", 7) == 0)
                is_pending = strtoull(line + 7, NULL, 16) >> (number - 1) & 1;
        fclose(file);
        pause_ms(5);
    }
    pid_t ended = waitpid(child, &status, WNOHANG);
    kill(child, number);
    assert_int_equal(ended, 0);
    status = wait_for(child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
    close(ends[0]);
    close(ends[1]);
}

CASE(a_second_signal_ends_a_program_that_is_stuck)
{
    need_program(*state);
    check_stuck(*state, SIGINT);
    check_stuck(*state, SIGTERM);
}

TEST_GROUP_OF_CASES(test_signals, NULL, NULL)
