/* test_studio_puppet_starved.c - the addresses of puppets called directly: with too little memory
   they say so and lose nothing, and a library that can only be read is not changed. */
#include "api_bench.h"

static int open_bench(void **state)
{
    api_bench_open(state);
    ask_job(*state, do_puppet_train, "{'name': 'shy', 'demonstrations': [{'ready': 'shy'}]}");
    return 0;
}

#define RUN_BODY "{'puppet': 'shy', 'main': [[0, 0, 0, 0], [0.5, 20, 0, 0], [1, 50, 10, 0.3]]}"
#define TRAIN_BODY                                                                                 \
    "{'name': 'more', 'demonstrations': [{'puppet': 'shy'}, {'csv': "                              \
    "'time,main_x,main_y,main_dir,react_x,react_y,react_dir\\r\\n0,0,0,0,50,0,0\\r\\n"             \
    "0.4,9,0,0,50,0,0\\r\\n'}, {'samples': [[0, 0, 0, 0, 50, 0, 0], [0.4, 9, 0, 0, 60, 0, 0]]}]}"

TEST_OF(api_bench *b, without_memory_every_address_says_so_and_loses_nothing)
{
    static const api_request rows[] = { { do_puppet_ls, "{}" },
                                        { do_puppet_show, "{'name': 'shy', 'points': 2000}" },
                                        { api_puppet_file, "?name=shy" },
                                        { api_puppet_csv, "?name=shy" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worker_make_room(&b->by);
        STARVE(b, rows[i].run, "%s", rows[i].text);
    }
    worker_make_room(&b->by);
    api_starve_job(b, do_puppet_train, TRAIN_BODY);
    api_starve_job(b, do_puppet_run, RUN_BODY);
    /* What was listed while memory was short is not taken for what there is. */
    assert_true(whole(item(ask(b, do_puppet_ls, "{}"), "puppets", 0), "samples") > 0);
}

/* The job itself, with a limit for all of its allocations: it fails for memory, or is done, and
   leaves the puppet as it was. */
TEST_OF(api_bench *b, a_job_without_memory_fails_and_keeps_nothing)
{
    size_t limit = b->of.memory.limit;
    int failed = 0;
    bool done = false;
    for (size_t more = 200000; !done; more += more / 3) {
        ask_job(b, do_puppet_train, TRAIN_BODY);
        b->of.memory.limit = atomic_load(&b->of.memory.used) + more;
        OWNED(studio_response) response = api_ask(b, do_puppet_train, TRAIN_BODY);
        bool begun = response.status == 202;
        int64_t number_of = 0;
        if (begun) {
            number_of =
                whole(json_hold_text((char *)response.body.data, response.body.count), "job");
            api_wait(b, number_of);
        }
        b->of.memory.limit = limit;
        if (!begun) continue;
        const json_t *over = api_wait(b, number_of); /* with room for its error now */
        done = strcmp(word(over, "state"), "done") == 0;
        if (!done) error_says(over, "memory", "");
        failed += !done;
    }
    assert_true(failed > 0);
    ask(b, do_puppet_show, "{'name': 'more'}");
}

TEST_OF(api_bench *b, a_library_that_can_only_be_read_is_not_changed)
{
    b->of.can_write = false;
    refused(b, 409, "request", "read", do_puppet_train, TRAIN_BODY);
    refused(b, 409, "request", "read", do_puppet_rm, "{'name': 'shy'}");
    refused(b, 409, "request", "read", do_puppet_rename, "{'name': 'shy', 'to': 'x'}");
    refused(
        b, 409, "request", "read", do_puppet_run,
        "{'puppet': 'shy', 'graph': 'g', 'name': 'n', 'main': [[0, 0, 0, 0], [0.5, 20, 0, 0]]}");
    ask(b, do_puppet_ls, "{}");
    ask_job(b, do_puppet_run, RUN_BODY);
    b->of.can_write = true;
}

TEST_GROUP_OF_CASES(test_studio_puppet_starved, open_bench, api_bench_close)
