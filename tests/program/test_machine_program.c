/* test_machine_program.c - where the machine fails, operations say so: no list says of a clip that it
   is gone since it was not read, and what was refused memory can be asked for again. Beside these
   scripts/check_torture fails every call of the program that is shipped. */
#include "reach_demo.h"

#include "operations.h"
#include "sqlite_faults.h"

#include <jansson.h>

/* ---- a disk that fails ----------------------------------------------------------------------- */

#define DEMO(name) TEST_IN(test_reach_demo_make, test_leave_place, name)

/* Each call to the disk fails in turn: then the answer is the same, or there is none. */
static void expect_whole_or_refused(const char *line)
{
    test_disk *disk = test_disk_install();
    const char *whole = test_reply(line);
    int refused = 0;
    bool reached = true;
    for (long n = 0; reached; n = test_next(n)) {
        test_run run = test_run_make();
        test_disk_heal();
        disk->kinds = TEST_DISK_ALL;
        disk->fail = n;
        test_run_line(&run, line);
        reached = disk->calls > n;
        refused += run.status != 0;
        if (run.status == 0)
            assert_string_equal(run.out.bytes, whole);
        else if (run.status != 3)
            fail_msg("%s: call %ld: status %d: %s", line, n, run.status, run.err.bytes);
        test_run_free(&run);
    }
    test_disk_heal();
    assert_true(refused > 0);
}

DEMO(lists_of_saved_things_are_whole_or_refused)
{
    write_person("a.bvh", 100);
    write_person("b.bvh", 90);
    test_run_well("marey add demo.marey a.bvh b.bvh --quiet");
    test_run_well("marey cluster build demo.marey moves a b --fps 10 --quiet");
    test_run_well("marey graph build demo.marey small a b --fps 10 --quiet");
    expect_whole_or_refused("marey param ls demo.marey --json");
    expect_whole_or_refused("marey cluster ls demo.marey --json");
    expect_whole_or_refused("marey graph ls demo.marey --json");
}

DEMO(what_cannot_be_looked_at_is_not_called_missing)
{
    assert_int_equal(symlink("round.bvh", "round.bvh"), 0);
    test_fails("marey convert kicks.bvh round.bvh", 1, strerror(ELOOP));
    assert_int_equal(symlink("round", "round"), 0);
    test_fails("marey export demo.marey --all -o round", 1, "cannot look at this folder");
    test_file_write("file", "", 0);
    test_fails("marey export demo.marey --all -o file", 1, "this is no folder");
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct refusal {
    int calls, refused; /* the one that is refused, counted from 0 */
} refusal;

static bool refuse_once(void *user, size_t bytes)
{
    refusal *of = user;
    (void)bytes;
    return of->calls++ != of->refused;
}

static void enter_fresh(test_place *place)
{
    place_enter(place);
    write_person("one.bvh", 60);
    test_file_write("broken.bvh", "HIERARCHY", 9);
}

/* As the studio does it. The library is asked to stop where there is no room to say what it did; the
   next try must not be stopped by that. */
TEST(an_addition_that_was_refused_memory_can_be_tried_again)
{
    test_place place;
    enter_fresh(&place);
    int refused = 0;
    for (int n = 0; n == refused; n++) {
        refusal room = { .refused = n };
        marey_library *library = NULL;
        app_call call;
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx();
        marey_ctx_def memory = { .resize = test_memory_resize, .resize_user = &held };
        unlink("lib.marey");
        test_ok(marey_library_open(ctx, "lib.marey", MAREY_LIBRARY_CREATE, &library, &test_error));
        app_env env = { .ctx = ctx,
                        .library = library,
                        .reads_files = true,
                        .reserve = refuse_once,
                        .reserve_user = &room };
        json_t *body = json_pack("{s:[s,s]}", "files", "one.bvh", "broken.bvh");
        test_ok(app_call_open(&call, app_operation_find("add"), &memory, &test_error));
        test_ok(
            app_params_json(&call.scope, call.operation->params, body, call.params, &test_error));
        json_decref(body);
        marey_status status = app_call_run(&call, env, &test_error);
        if (room.calls > n) {
            assert_int_equal(status, MAREY_ERR_MEMORY);
            test_ok(app_call_run(&call, env, &test_error));
            refused++;
        } else {
            test_ok(status);
        }
        int count = 0;
        test_ok(marey_library_count(library, false, &count, &test_error));
        assert_int_equal(count, 1);
        app_call_close(&call);
        marey_library_close(library);
    }
    assert_true(refused > 2); /* before, for the clip, for the broken file */
    place_leave(&place);
}

TEST_GROUP(test_machine_program)
{
    test_disk_install(); /* before the first library is opened */
    return test_cases_run("test_machine_program", __FILE__, NULL, NULL);
}
