/* test_studio_puppet_licence.c - what puppets in the studio were trained on: clips and their
   licences are shown, go with the file and into more of the same, also when the clips are gone. */
#include "puppet_studio.h"

/* The first clip may not be used for money, the second has no licence. */
static int open_marked(void **state)
{
    static const char *const licences[] = { "CC BY-NC 4.0", "", "CC BY 4.0" };
    open_puppet_bench(state);
    const studio_bench *b = *state;
    for (int i = 0; i < BENCH_CLIPS; i++)
        studio_post(b, 200, "/api/do/label", "{'clips': [%" PRId64 "], 'licence': '%s'}", b->ids[i],
                    licences[i]);
    return 0;
}

static int limits(const json_t *of)
{
    int count = 0;
    for (size_t i = 0; i < size_of(of, "notes"); i++)
        count += strstr(json_string_value(item(of, "notes", i)),
                        ": for non-commercial use only: its licence is CC BY-NC 4.0") != NULL;
    return count;
}

static void assert_licences(const json_t *of, const char *first, const char *second)
{
    const char *expected[] = { first, second };
    size_t count = second ? 2 : first ? 1 : 0;
    assert_int_equal(size_of(of, "sources"), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(word(item(of, "sources", i), "licence"), expected[i]);
        assert_true(strlen(word(item(of, "sources", i), "clip")) > 0);
    }
}

/* What is shown of it, and its line in the list. */
static json_t *shown(const studio_bench *b, const char *name, const char *licence)
{
    expect(puppet_named(list_puppets(b), name), "{'licence': '%s'}", licence);
    return studio_post(b, 200, "/api/do/puppet-show", "{'name': '%s'}", name);
}

static int limits_of_run(const studio_bench *b, const char *puppet)
{
    const json_t *run =
        studio_done(b, "/api/do/puppet-run",
                    "{'puppet': '%s', 'main': [[0,0,0,0],[1,90,0,0],[2,180,20,0.2]]}", puppet);
    assert_int_equal(size_of(run, "rows"), 3);
    return limits(run);
}

TEST_OF(studio_bench *b, licences_of_clips_are_shown_wherever_a_puppet_is)
{
    const json_t *result =
        train_puppet(b, "pair", "", "{'clips': [%" PRId64 ", %" PRId64 "]}", b->ids[0], b->ids[2]);
    assert_licences(result, "CC BY-NC 4.0", "CC BY 4.0");
    assert_int_equal(limits(result), 1);
    assert_licences(shown(b, "pair", "CC BY-NC 4.0; CC BY 4.0"), "CC BY-NC 4.0", "CC BY 4.0");
    assert_licences(shown(b, "shy", ""), NULL, NULL);
    assert_int_equal(limits_of_run(b, "pair"), 1);
    assert_int_equal(limits_of_run(b, "shy"), 0);
}

TEST_OF(studio_bench *b, clips_are_listed_once_and_those_without_a_licence_never)
{
    const json_t *result =
        train_puppet(b, "twice", "",
                     "{'clips': [%" PRId64 ", %" PRId64 "]}, {'clips': [%" PRId64 ", %" PRId64 "]}",
                     b->ids[0], b->ids[1], b->ids[1], b->ids[0]);
    assert_licences(result, "CC BY-NC 4.0", NULL);
    assert_int_equal(limits(result), 1);
    assert_licences(shown(b, "twice", "CC BY-NC 4.0"), "CC BY-NC 4.0", NULL);
}

TEST_OF(studio_bench *b, a_file_has_the_licences_in_it)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_puppet_sources) *sources = NULL;
    marey_error error = { 0 };
    int count = 0;
    OWNED(http_answer) got = studio_ask(b, "/api/puppet/file?name=pair", NULL);
    assert_int_equal(got.status, 200);
    test_fine(marey_puppet_sources_read(ctx, (uint8_t *)got.body, got.count, &sources, &error),
              &error);
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    assert_int_equal(count, 2);
    assert_string_equal(items[0].licence, "CC BY-NC 4.0");
    assert_string_equal(items[1].licence, "CC BY 4.0");
}

/* The clip is gone for good; what was learned from it, and on what terms, is not. */
TEST_OF(studio_bench *b, more_of_the_same_is_under_the_same_licences)
{
    for (int i = 0; i < 2; i++) {
        studio_post(b, 200, "/api/do/rm", "{'clips': [%" PRId64 "]%s}", b->ids[0],
                    i ? ", 'purge': true" : "");
        assert_int_equal(limits_of_run(b, "pair"), 1);
    }
    assert_int_equal(
        limits(train_puppet(b, "heir", "", "{'puppet': 'pair'}, {'ready': 'follower'}")), 1);
    assert_int_equal(limits_of_run(b, "heir"), 1);
    shown(b, "heir", "CC BY 4.0; CC BY-NC 4.0");
}

TEST_GROUP_OF_CASES(test_studio_puppet_licence, open_marked, close_bench)
