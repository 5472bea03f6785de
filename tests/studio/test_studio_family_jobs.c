/* test_studio_family_jobs.c - a family is built by a job: it tells how far it is, can be stopped, and leaves nothing behind then. */
#include "family_bench.h"

/* Takes long enough to be met on its way. */
#define LONG_BODY(name)                                                                            \
    "{'name': '" name "', " WRIST ", " FIVE_PARTS ", 'samples': 10000, 'delta': 0.3}"

static int64_t begin(family_bench *all, const char *body)
{
    json_t *begun = ask_json(all, do_param_build, body, 202);
    int64_t id = (int64_t)number(begun, "job");
    json_decref(begun);
    return id;
}

static bool is_kept(family_bench *all, const char *name)
{
    json_t *list = ask_json(all, do_param_ls, "{}", 200);
    bool found = false;
    for (size_t i = 0; i < size_of(list, "spaces"); i++)
        found |= strcmp(word(item(list, "spaces", i), "name"), name) == 0;
    json_decref(list);
    return found;
}

static void stop(family_bench *all, int64_t id)
{
    json_decref(api_json(&all->b, api_job_cancel, id, NULL, "{}", 200));
}

/* Stops it as soon as it tells of its samples; what it came to. */
static json_t *stop_midway(family_bench *all)
{
    int64_t id = begin(all, LONG_BODY("stopped"));
    for (int i = 0; i < 60000; i++) {
        json_t *now = api_json(&all->b, api_job, id, NULL, NULL, 200);
        const char *is = word(now, "state");
        bool over = is[0] != 'w' && is[0] != 'r';
        bool sampling = strcmp(word(now, "what"), "sampling") == 0 && number(now, "done") > 0;
        assert_string_equal(word(now, "kind"), "param build");
        if (sampling) assert_true(number(now, "total") == 10000);
        json_decref(now);
        if (over || sampling) break;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    stop(all, id);
    return api_wait(&all->b, id);
}

#define CASE(name) TEST_IN(family_bench_open, family_bench_close, name)

CASE(one_that_is_stopped_leaves_nothing)
{
    family_bench *all = *state;
    bool stopped = false;
    for (int i = 0; i < 10 && !stopped; i++) { /* it may have been done before */
        json_t *over = stop_midway(all);
        stopped = strcmp(word(over, "state"), "cancelled") == 0;
        if (!stopped) json_decref(ask_json(all, do_param_rm, "{'name': 'stopped'}", 200));
        json_decref(over);
    }
    assert_true(stopped);
    assert_false(is_kept(all, "stopped"));
    /* and the next one is as if there had been none */
    json_t *built = build_family(all, "{'name': 'next', " WRIST ", " FIVE_PARTS ", 'samples': 0}");
    assert_int_equal(size_of(built, "examples"), 5);
    json_decref(built);
    assert_true(is_kept(all, "next"));
}

/* It never begins, and whatever it was to be built of is let go. */
CASE(one_that_waits_can_be_stopped)
{
    family_bench *all = *state;
    int64_t first = begin(all, LONG_BODY("first")), second = begin(all, LONG_BODY("second"));
    stop(all, second);
    stop(all, first);
    json_t *over = api_wait(&all->b, second);
    assert_string_equal(word(over, "state"), "cancelled");
    json_decref(over);
    json_decref(api_wait(&all->b, first));
    assert_false(is_kept(all, "second"));
}

/* Clips may go between the request and the job. */
CASE(a_clip_that_goes_meanwhile_is_said)
{
    family_bench *all = *state;
    int64_t first = begin(all, LONG_BODY("first"));
    int64_t second = begin(all, "{'name': 'second', " WRIST ", " FIVE_PARTS "}");
    bench_program("marey rm lib.marey reach_right --purge");
    stop(all, first);
    json_decref(api_wait(&all->b, first));
    json_t *over = api_wait(&all->b, second);
    assert_string_equal(word(over, "state"), "failed");
    assert_string_equal(word(json_object_get(over, "error"), "status"), "input");
    json_decref(over);
    assert_false(is_kept(all, "second"));
}

/* ---- memory ------------------------------------------------------------------------------------- */

/* What a job came to, asked for with memory of the test's own. */
static json_t *wait_beside(family_bench *all, int64_t id)
{
    heap own = { .limit = 1 << 24 };
    for (int i = 0; i < 60000; i++) {
        studio_bytes text = { .memory = &own };
        assert_true(jobs_describe(all->b.of.jobs, id, &text));
        json_t *now = json_loadb((const char *)text.data, text.count, 0, NULL);
        bytes_free(&text);
        assert_non_null(now);
        const char *is = word(now, "state");
        if (is[0] != 'w' && is[0] != 'r') return now;
        json_decref(now);
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    fail_msg("job %" PRId64 " does not end", id);
    return NULL;
}

/* With so much memory; NULL: it was not enough, and that was told. */
static json_t *build_within(family_bench *all, size_t more, const char *body)
{
    heap *memory = &all->b.of.memory;
    size_t limit = memory->limit;
    memory->limit = atomic_load(&memory->used) + more;
    studio_response to = api_ask(&all->b, do_param_build, 0, NULL, text_of(all, body));
    json_t *over = NULL;
    if (to.status == 202) {
        json_t *begun = json_loadb((const char *)to.body.data, to.body.count, 0, NULL);
        over = wait_beside(all, (int64_t)number(begun, "job"));
        json_decref(begun);
    }
    memory->limit = limit;
    if (to.status != 202) assert_int_equal(to.status, 500);
    bytes_free(&to.body);
    if (!over) return NULL;
    json_t *result = json_incref(json_object_get(over, "result"));
    if (strcmp(word(over, "state"), "done") != 0) {
        const json_t *error = json_object_get(over, "error"); /* it may not have been room for it */
        if (json_is_object(error)) assert_string_equal(word(error, "status"), "memory");
        json_decref(result);
        result = NULL;
    }
    json_decref(over);
    return result;
}

CASE(refused_memory_is_told)
{
    family_bench *all = *state;
    json_t *built = NULL;
    for (size_t more = 0; !built; more += more / 8 + 128) {
        assert_true(more < all->b.of.memory.limit);
        built = build_within(all, more, "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'samples': 10}");
        assert_int_equal(is_kept(all, "x"), built != NULL);
    }
    assert_int_equal(size_of(built, "examples"), 5);
    json_decref(built);
}

TEST_GROUP_OF_CASES(test_studio_family_jobs, NULL, NULL)
