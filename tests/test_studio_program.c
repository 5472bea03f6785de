/* test_studio_program.c - `marey studio` as a command: what it says on the terminal. Each run is told to end before it
   begins, so it opens, prints its address and stops. */
#include "program_lines.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static test_place place;

static int enter(void **state)
{
    place_enter(&place);
    *state = &place;
    return 0;
}

/* Runs the studio until it has said where it is. */
static test_run opened(const char *line)
{
    test_run run = test_run_make();
    run.cancel = true;
    if (test_run_line(&run, line) != PROGRAM_INTERRUPTED)
        fail_msg("%s: %d, %s", line, run.status, run.err.bytes);
    return run;
}

static void a_library_that_was_not_there_is_called_new_and_empty_once(void **state)
{
    (void)state;
    test_run first = opened("marey studio nope.marey --no-browser");
    assert_non_null(strstr(first.err.bytes, "nope.marey was not there: it is new and empty"));
    assert_int_equal(strncmp(first.out.bytes, "http://127.0.0.1:", 17), 0);
    assert_int_equal(access("nope.marey", R_OK), 0);
    test_run second = opened("marey studio nope.marey --no-browser");
    assert_null(strstr(second.err.bytes, "new and empty"));
    test_run_free(&first);
    test_run_free(&second);
}

static void other_programs_read_one_object_and_quiet_ones_read_nothing_else(void **state)
{
    (void)state;
    test_run json = opened("marey studio a.marey --no-browser --json");
    assert_true(is_one_json_object(json.out.bytes));
    assert_non_null(strstr(json.err.bytes, "a.marey was not there"));
    test_run quiet = opened("marey studio b.marey --no-browser --quiet");
    assert_null(strstr(quiet.err.bytes, "b.marey"));
    test_run_free(&json);
    test_run_free(&quiet);
}

static void a_folder_that_is_not_there_is_named_and_nothing_is_made(void **state)
{
    (void)state;
    test_fails("marey studio nowhere/new.marey --no-browser", PROGRAM_WRONG,
               "nowhere: there is no such folder to begin the library new.marey in");
    assert_int_not_equal(access("nowhere", F_OK), 0);
    test_fails("marey studio no/where/new.marey --no-browser", PROGRAM_WRONG,
               "no/where: there is no such folder");
}

/* The port is taken by somebody who listens there as long as the command is tried. */
static void a_port_that_is_taken_leaves_no_library_behind(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_library_that_was_not_there_is_called_new_and_empty_once,
                                        enter, test_leave_place),
        cmocka_unit_test_setup_teardown(
            other_programs_read_one_object_and_quiet_ones_read_nothing_else, enter,
            test_leave_place),
        cmocka_unit_test_setup_teardown(a_port_that_is_taken_leaves_no_library_behind, enter,
                                        test_leave_place),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_named_and_nothing_is_made,
                                        enter, test_leave_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
