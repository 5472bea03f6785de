/* test_studio_program.c - `marey studio` as a command: what it says on the terminal. Each run is
   cancelled before it begins, so it opens, prints its address and stops. */
#include "program_lines.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static test_place place;

static int enter(void **state)
{
    place_enter(&place);
    *state = &place;
    return 0;
}

OWNED_VALUE(test_run, test_run_free)

#define CASE(name) TEST_IN(enter, test_leave_place, name)

/* Runs the studio until it has said where it is. */
static test_run opened(const char *line)
{
    test_run run = test_run_make();
    run.cancel = true;
    if (test_run_line(&run, line) != PROGRAM_INTERRUPTED)
        fail_msg("%s: %d, %s", line, run.status, run.err.bytes);
    return run;
}

CASE(a_library_that_was_not_there_is_called_new_and_empty_once)
{
    OWNED(test_run) first = opened("marey studio nope.marey --no-browser");
    assert_non_null(strstr(first.err.bytes, "nope.marey was not there: it is new and empty"));
    assert_int_equal(strncmp(first.out.bytes, "http://127.0.0.1:", 17), 0);
    assert_int_equal(access("nope.marey", R_OK), 0);
    OWNED(test_run) second = opened("marey studio nope.marey --no-browser");
    assert_null(strstr(second.err.bytes, "new and empty"));
}

CASE(other_programs_read_one_object_and_quiet_ones_read_nothing_else)
{
    OWNED(test_run) json = opened("marey studio a.marey --no-browser --json");
    assert_true(is_one_json_object(json.out.bytes));
    assert_non_null(strstr(json.err.bytes, "a.marey was not there"));
    OWNED(test_run) quiet = opened("marey studio b.marey --no-browser --quiet");
    assert_null(strstr(quiet.err.bytes, "b.marey"));
}

CASE(a_folder_that_is_not_there_is_named_and_nothing_is_made)
{
    test_fails("marey studio nowhere/new.marey --no-browser", PROGRAM_WRONG,
               "nowhere: there is no such folder to begin the library new.marey in");
    assert_int_not_equal(access("nowhere", F_OK), 0);
    test_fails("marey studio no/where/new.marey --no-browser", PROGRAM_WRONG,
               "no/where: there is no such folder");
}

/* The port is taken by a socket that listens there as long as the command is tried. */
CASE(a_port_that_is_taken_leaves_no_library_behind)
{
    char line[128], said[64];
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t size = sizeof at;
    int taken = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(taken, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&at, &size), 0);
    int port = ntohs(at.sin_port);
    snprintf(line, sizeof line, "marey studio fresh.marey --no-browser --port %d", port);
    snprintf(said, sizeof said, "cannot listen on port %d", port);
    test_fails(line, PROGRAM_WRONG, said);
    close(taken);
    assert_int_not_equal(access("fresh.marey", F_OK), 0);
}

/* The opener is a script that notes its arguments and its surroundings: what other users can read
   of it (or could, were it theirs). */
CASE(the_browsers_opener_gets_a_code_and_no_token)
{
    static const char script[] = "#!/bin/sh\nprintf '%s\\n' \"$@\" > opened\nenv >> opened\n";
    char path[4096], token[64], wanted[64];
    const char *before = getenv("PATH");
    FREED char *kept = strdup(before ? before : "");
    assert_int_equal(mkdir("bin", 0755), 0);
    test_file_write("bin/xdg-open", script, sizeof script - 1);
    assert_int_equal(chmod("bin/xdg-open", 0755), 0);
    assert_true(snprintf(path, sizeof path, "bin:%s", kept) < (int)sizeof path);
    setenv("PATH", path, 1);
    OWNED(test_run) run = opened("marey studio a.marey");
    setenv("PATH", kept, 1);
    int status = -1;
    assert_true(wait(&status) > 0); /* the opener is this process's only child */
    assert_int_equal(status, 0);
    size_t size;
    FREED char *said = test_file_read("opened", &size);
    const char *at = strstr(run.out.bytes, "/?token=");
    assert_non_null(at);
    snprintf(token, sizeof token, "%.32s", at + strlen("/?token="));
    assert_int_equal(strspn(token, "0123456789abcdef"), 32);
    assert_null(strstr(said, token));
    snprintf(wanted, sizeof wanted, "%.*s/open?code=", (int)(at - run.out.bytes), run.out.bytes);
    assert_int_equal(strncmp(said, wanted, strlen(wanted)), 0);
    assert_int_equal(strspn(said + strlen(wanted), "0123456789abcdef"), 32);
    assert_null(strstr(run.out.bytes, "code="));
    assert_null(strstr(run.err.bytes, "code="));
    assert_null(strstr(run.err.bytes, token));
}

TEST_GROUP_OF_CASES(test_studio_program, NULL, NULL)
