/* test_studio_edges.c - what the studio tells of a match's alignment when memory is short: each answer says so, nothing is
   kept of it, and with enough it is the same as ever. */
#include "search_bench.h"

/* ask_edge again and again with a little more memory, until it is enough. */
static studio_response starve_edge(search_bench *all, api_run run, int64_t search, int *refused)
{
    heap *memory = &all->b.of.memory;
    size_t limit = memory->limit;
    for (size_t more = 0; more < limit; more += more / 16 + 128) {
        worker_make_room(&all->b.by); /* or the clips of the last try were there already */
        memory->limit = atomic_load(&memory->used) + more;
        studio_response to = ask_edge(all, run, search, 0);
        memory->limit = limit;
        if (to.status == 200) return to;
        if (!to.body.failed) {
            json_t *value = answer_take_json(&to, 500);
            const json_t *error = json_object_get(value, "error");
            assert_string_equal(json_string_value(json_object_get(error, "status")), "memory");
            json_decref(value);
        }
        bytes_free(&to.body);
        ++*refused;
    }
    fail_msg("it never has enough");
    return (studio_response){ .status = 0 };
}

static void starved(void **state, api_run run)
{
    search_bench *all = *state;
    int refused = 0;
    json_t *found = search_found(all, ", 'threshold': 400, 'tiers': 1");
    int64_t search = whole(found, "search");
    json_decref(found);
    studio_response fed = ask_edge(all, run, search, 0);
    assert_int_equal(fed.status, 200);
    worker_make_room(&all->b.by);
    size_t used = atomic_load(&all->b.of.memory.used);
    studio_response to = starve_edge(all, run, search, &refused);
    assert_true(refused > 20);
    assert_int_equal(to.body.count, fed.body.count);
    assert_memory_equal(to.body.data, fed.body.data, fed.body.count);
    bytes_free(&to.body);
    worker_make_room(&all->b.by);
    assert_int_equal(atomic_load(&all->b.of.memory.used), used);
    bytes_free(&fed.body);
}

#define CASE(name) TEST_IN(search_bench_indexed, search_bench_close, name)

CASE(the_alignment_of_an_edge_without_memory_says_so)
{
    starved(state, api_search_edge);
}

CASE(the_grid_of_an_edge_without_memory_says_so)
{
    starved(state, api_search_grid);
}

/* Numbers that no search ever gets. */
CASE(there_is_no_search_before_the_first)
{
    search_bench *all = *state;
    static const int64_t none[] = { 0, -1, -5, INT64_MIN };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        studio_response to = ask_edge(all, api_search_edge, none[i], 0);
        json_decref(answer_take_json(&to, 404));
    }
}

TEST_GROUP_OF_CASES(test_studio_edges, NULL, NULL)
