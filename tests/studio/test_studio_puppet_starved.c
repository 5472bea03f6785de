/* test_studio_puppet_starved.c - the addresses of puppets called directly: with too little memory they say so and lose nothing, and a
   library that can only be read is not changed. */
#include "api_bench.h"

static int open_bench(void **state)
{
    static api_bench bench;
    api_bench_open(&bench);
    json_decref(api_job_done(&bench, api_json(&bench, do_puppet_train, 0, NULL,
                                              "{\"name\": \"shy\", \"demonstrations\": "
                                              "[{\"ready\": \"shy\"}]}",
                                              202)));
    *state = &bench;
    return 0;
}

static int close_bench(void **state)
{
    api_bench_close(*state);
    return 0;
}

static const char run_body[] =
    "{\"puppet\": \"shy\", \"main\": [[0, 0, 0, 0], [0.5, 20, 0, 0], [1, 50, 10, 0.3]]}";
static const char train_body[] =
    "{\"name\": \"more\", \"demonstrations\": [{\"puppet\": \"shy\"}, {\"csv\": \"time,main_x,"
    "main_y,main_dir,react_x,react_y,react_dir\\r\\n0,0,0,0,50,0,0\\r\\n0.4,9,0,0,50,0,0\\r\\n\"}, "
    "{\"samples\": [[0, 0, 0, 0, 50, 0, 0], [0.4, 9, 0, 0, 60, 0, 0]]}]}";

TEST(without_memory_every_address_says_so_and_loses_nothing)
{
    static const struct {
        api_run run;
        const char *query, *body;
    } rows[] = { { do_puppet_ls, "", "{}" },
                 { do_puppet_show, "", "{\"name\": \"shy\", \"points\": 2000}" },
                 { api_puppet_file, "name=shy", NULL },
                 { api_puppet_csv, "name=shy", NULL } };
    api_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worker_make_room(&b->by);
        studio_response to = api_starve(b, rows[i].run, 0, rows[i].query, rows[i].body);
        if (to.status != 200)
            fail_msg("row %zu: %d: %.*s", i, to.status, (int)to.body.count,
                     (const char *)to.body.data);
        bytes_free(&to.body);
    }
    worker_make_room(&b->by);
    json_decref(api_starve_job(b, do_puppet_train, train_body));
    json_decref(api_starve_job(b, do_puppet_run, run_body));
}

/* What was listed while memory was short is not taken for what there is. */
TEST(the_list_is_whole_behind_a_shortage)
{
    api_bench *b = *state;
    json_t *got = api_json(b, do_puppet_ls, 0, "", "{}", 200);
    const json_t *one = json_array_get(json_object_get(got, "puppets"), 0);
    assert_true(json_is_integer(json_object_get(one, "samples")));
    json_decref(got);
}

/* The job itself, with a limit for all of its allocations: it fails for memory, or is done, and leaves the puppet as it was. */
TEST(a_job_without_memory_fails_and_keeps_nothing)
{
    api_bench *b = *state;
    size_t limit = b->of.memory.limit;
    int failed = 0;
    for (size_t more = 200000;; more += more / 3) {
        json_t *started = api_json(b, do_puppet_train, 0, NULL, train_body, 202);
        int64_t number = json_integer_value(json_object_get(started, "job"));
        json_decref(api_wait(b, number));
        json_decref(started);
        b->of.memory.limit = atomic_load(&b->of.memory.used) + more;
        studio_response to = api_ask(b, do_puppet_train, 0, NULL, train_body);
        bool begun = to.status == 202;
        json_t *told = begun ? answer_take_json(&to, 202) : NULL, *over = NULL;
        number = json_integer_value(json_object_get(told, "job"));
        if (begun) json_decref(api_wait(b, number));
        b->of.memory.limit = limit;
        if (begun) over = api_wait(b, number); /* with room for its error now */
        const char *word = json_string_value(json_object_get(over, "state"));
        bool done = word && strcmp(word, "done") == 0;
        const json_t *error = json_object_get(over, "error");
        if (begun && !done)
            assert_string_equal(json_string_value(json_object_get(error, "status")), "memory");
        failed += begun && !done;
        bytes_free(&to.body);
        json_decref(told);
        json_decref(over);
        if (done) break;
    }
    assert_true(failed > 0);
    json_decref(api_json(b, do_puppet_show, 0, NULL, "{\"name\": \"more\"}", 200));
}

TEST(a_library_that_can_only_be_read_is_not_changed)
{
    static const char body[] = "{\"puppet\": \"shy\", \"graph\": \"g\", \"name\": \"n\", \"main\": "
                               "[[0, 0, 0, 0], [0.5, 20, 0, 0]]}";
    api_bench *b = *state;
    b->of.can_write = false;
    api_refused(b, do_puppet_train, 0, NULL, train_body, 409, "request", "read");
    api_refused(b, do_puppet_rm, 0, NULL, "{\"name\": \"shy\"}", 409, "request", "read");
    api_refused(b, do_puppet_rename, 0, NULL, "{\"name\": \"shy\", \"to\": \"x\"}", 409, "request",
                "read");
    api_refused(b, do_puppet_run, 0, NULL, body, 409, "request", "read");
    json_decref(api_json(b, do_puppet_ls, 0, "", "{}", 200));
    json_decref(api_job_done(b, api_json(b, do_puppet_run, 0, NULL, run_body, 202)));
    b->of.can_write = true;
}

TEST_GROUP_OF_CASES(test_studio_puppet_starved, open_bench, close_bench)
