/* test_studio_edges.c - what the studio answers of a match's alignment when memory is short: each
   answer says so, nothing is kept of it, and with enough it is the same as ever. */
#include "search_bench.h"

/* An edge again and again with a little more memory, until it is enough. */
static void starve_edge(api_bench *b, api_run run, const char *fields)
{
    heap *memory = &b->of.memory;
    char text[64];
    size_t limit = memory->limit;
    int refusals = 0;
    snprintf(text, sizeof text, "/%" PRId64 "/0", whole(search_found(b, fields), "search"));
    OWNED(studio_response) fed = api_ask(b, run, "%s", text);
    assert_int_equal(fed.status, 200);
    worker_make_room(&b->by);
    size_t used = atomic_load(&memory->used);
    for (size_t more = 0;; more += more / (TEST_SANITIZED ? 4 : 16) + 128, refusals++) {
        assert_true(more < limit);
        worker_make_room(&b->by); /* or the clips of the last try were there already */
        memory->limit = atomic_load(&memory->used) + more;
        OWNED(studio_response) response = api_ask_text(&b->by, run, text);
        memory->limit = limit;
        if (response.status == 200) {
            assert_int_equal(response.body.count, fed.body.count);
            assert_memory_equal(response.body.data, fed.body.data, fed.body.count);
            break;
        }
        if (!response.body.failed) error_says(answer_take_json(&response, 500), "memory", "");
    }
    assert_true(refusals > 20);
    worker_make_room(&b->by);
    assert_int_equal(atomic_load(&memory->used), used);
}

TEST_OF(api_bench *b, the_alignment_of_an_edge_without_memory_says_so)
{
    starve_edge(b, api_search_edge, ", 'threshold': 400");
}

TEST_OF(api_bench *b, the_grid_of_an_edge_without_memory_says_so)
{
    starve_edge(b, api_search_grid, ", 'threshold': 400");
}

TEST_OF(api_bench *b, an_edge_by_webs_without_memory_says_so)
{
    static const char fields[] = ", 'web': true, 'threshold': 400, 'tiers': 1";
    ask_job(b, do_index, "{'web': true}");
    starve_edge(b, api_search_edge, fields);
    starve_edge(b, api_search_grid, fields);
}

/* Numbers that no search ever gets. */
TEST_OF(api_bench *b, there_is_no_search_before_the_first)
{
    static const int64_t none[] = { 0, -1, -5, INT64_MIN };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ask_status(b, 404, api_search_edge, "/%" PRId64 "/0", none[i]);
}

TEST_GROUP_OF_CASES(test_studio_edges, search_bench_open, api_bench_close)
