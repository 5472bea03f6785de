/* test_studio_family_jobs.c - a family is built by a job: it tells how far it is, can be stopped,
   and leaves nothing behind then. */
#include "family_bench.h"

/* Takes long enough to be met on its way. */
#define LONG_BODY(name)                                                                            \
    "{'name': '" name "', " WRIST ", " FIVE_PARTS ", 'samples': 10000, 'delta': 0.3}"

static bool is_kept(api_bench *b, const char *name)
{
    const json_t *list = ask(b, do_param_ls, "{}");
    bool found = false;
    for (size_t i = 0; i < size_of(list, "spaces"); i++)
        found |= strcmp(word(item(list, "spaces", i), "name"), name) == 0;
    return found;
}

static void stop(api_bench *b, int64_t id)
{
    ask(b, api_job_cancel, "/%" PRId64 " {}", id);
}

/* Stops it as soon as it reports its samples; what it came to. */
static json_t *stop_midway(api_bench *b)
{
    int64_t id = job_begin(b, do_param_build, LONG_BODY("stopped"));
    for (int i = 0; i < 60000; i++) {
        const json_t *now = ask(b, api_job, "/%" PRId64, id);
        bool over = !strchr("wr", word(now, "state")[0]);
        bool sampling = strcmp(word(now, "what"), "sampling") == 0 && number(now, "done") > 0;
        assert_string_equal(word(now, "kind"), "param build");
        if (sampling) assert_true(number(now, "total") == 10000);
        if (over || sampling) break;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    stop(b, id);
    return api_wait(b, id);
}

TEST_OF(api_bench *b, one_that_is_stopped_leaves_nothing)
{
    bool stopped = false;
    for (int i = 0; i < 10 && !stopped; i++) { /* it may have been done before */
        stopped = strcmp(word(stop_midway(b), "state"), "cancelled") == 0;
        if (!stopped) ask(b, do_param_rm, "{'name': 'stopped'}");
    }
    assert_true(stopped);
    assert_false(is_kept(b, "stopped"));
    /* and the next one is as if there had been none */
    const json_t *built =
        build_family(b, "{'name': 'next', " WRIST ", " FIVE_PARTS ", 'samples': 0}");
    assert_int_equal(size_of(built, "examples"), 5);
    assert_true(is_kept(b, "next"));
}

/* It never begins, and whatever it was to be built of is let go. */
TEST_OF(api_bench *b, one_that_waits_can_be_stopped)
{
    int64_t first = job_begin(b, do_param_build, LONG_BODY("first"));
    int64_t second = job_begin(b, do_param_build, LONG_BODY("second"));
    stop(b, second);
    stop(b, first);
    assert_string_equal(word(api_wait(b, second), "state"), "cancelled");
    api_wait(b, first);
    assert_false(is_kept(b, "second"));
}

/* Clips may go between the request and the job. */
TEST_OF_IN(family_bench_open, api_bench_close, api_bench *b, a_clip_that_goes_meanwhile_is_reported)
{
    int64_t first = job_begin(b, do_param_build, LONG_BODY("first"));
    int64_t second = job_begin(b, do_param_build, "{'name': 'second', " WRIST ", " FIVE_PARTS "}");
    bench_program("marey rm lib.marey reach_right --purge");
    stop(b, first);
    api_wait(b, first);
    expect(api_wait(b, second), "{'state': 'failed', 'error': {'status': 'input'}}");
    assert_false(is_kept(b, "second"));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* With so much memory; NULL: it was not enough, and that was reported. */
static json_t *build_within(api_bench *b, size_t more, char *text)
{
    heap *memory = &b->of.memory;
    size_t limit = memory->limit;
    memory->limit = atomic_load(&memory->used) + more;
    OWNED(studio_response) response = api_ask_text(&b->by, do_param_build, text);
    json_t *over = NULL;
    if (response.status == 202) {
        const json_t *begun = json_hold_text((char *)response.body.data, response.body.count);
        over = api_wait(b, whole(begun, "job"));
    }
    memory->limit = limit;
    if (response.status != 202) assert_int_equal(response.status, 500);
    if (!over || strcmp(word(over, "state"), "done") == 0) return json_object_get(over, "result");
    const json_t *error = json_object_get(over, "error"); /* it may not have been room for it */
    if (json_is_object(error)) assert_string_equal(word(error, "status"), "memory");
    return NULL;
}

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    char text[2048] = "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'samples': 10}";
    const json_t *built = NULL;
    bench_fill(b, text, sizeof text);
    for (size_t more = 0; !built; more += more / (TEST_SANITIZED ? 3 : 8) + 128) {
        assert_true(more < b->of.memory.limit);
        built = build_within(b, more, text);
        assert_int_equal(is_kept(b, "x"), built != NULL);
    }
    assert_int_equal(size_of(built, "examples"), 5);
}

TEST_GROUP_OF_CASES(test_studio_family_jobs, family_bench_open, api_bench_close)
