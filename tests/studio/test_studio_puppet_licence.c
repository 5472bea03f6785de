/* test_studio_puppet_licence.c - what puppets in the studio were trained on: clips and their licences are told, go with the file and
   into more of the same, also when the clips are gone. */
#include "puppet_studio.h"

static const char walked[] = "[[0,0,0,0],[1,90,0,0],[2,180,20,0.2]]";

/* Somebody learns from the first clip, which may not be used for money, and the third. */
static int open_marked(void **state)
{
    char text[160];
    open_puppet_bench(state);
    const studio_bench *b = *state;
    snprintf(text, sizeof text, "{'clips': [%lld], 'licence': 'CC BY-NC 4.0'}",
             (long long)b->ids[0]);
    json_decref(post(b, "/api/do/label", text, 200));
    snprintf(text, sizeof text, "{'clips': [%lld], 'licence': 'CC BY 4.0'}", (long long)b->ids[2]);
    json_decref(post(b, "/api/do/label", text, 200));
    return 0;
}

static json_t *train_on(const studio_bench *b, const char *name, const char *demonstration)
{
    char text[256];
    snprintf(text, sizeof text, "{'name': '%s', 'demonstrations': [%s]}", name, demonstration);
    return post_done(b, "/api/do/puppet-train", text);
}

static int limits(const json_t *of)
{
    const json_t *notes = json_object_get(of, "notes");
    int count = 0;
    for (size_t i = 0; i < json_array_size(notes); i++)
        count += strstr(json_string_value(json_array_get(notes, i)),
                        ": for non-commercial use only: its licence is CC BY-NC 4.0") != NULL;
    return count;
}

static void assert_licences(const json_t *sources, const char *first, const char *second)
{
    const char *expected[] = { first, second };
    size_t count = second ? 2 : first ? 1 : 0;
    assert_int_equal(json_array_size(sources), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(word(json_array_get(sources, i), "licence"), expected[i]);
        assert_true(strlen(word(json_array_get(sources, i), "clip")) > 0);
    }
}

/* In the list, by its name. */
static void assert_listed(const studio_bench *b, const char *name, const char *licence)
{
    json_t *list = list_puppets(b);
    const json_t *found = NULL, *all = json_object_get(list, "puppets");
    for (size_t i = 0; i < json_array_size(all) && !found; i++)
        if (strcmp(word(json_array_get(all, i), "name"), name) == 0) found = json_array_get(all, i);
    assert_non_null(found);
    assert_string_equal(word(found, "licence"), licence);
    json_decref(list);
}

static int limits_of_run(const studio_bench *b, const char *puppet)
{
    char text[256];
    snprintf(text, sizeof text, "{'puppet': '%s', 'main': %s}", puppet, walked);
    json_t *run = post_done(b, "/api/do/puppet-run", text);
    int count = limits(run);
    assert_int_equal(json_array_size(json_object_get(run, "rows")), 3);
    json_decref(run);
    return count;
}

TEST(licences_of_clips_are_told_wherever_a_puppet_is)
{
    const studio_bench *b = *state;
    char text[96];
    snprintf(text, sizeof text, "{'clips': [%lld, %lld]}", (long long)b->ids[0],
             (long long)b->ids[2]);
    json_t *result = train_on(b, "pair", text);
    assert_licences(json_object_get(result, "sources"), "CC BY-NC 4.0", "CC BY 4.0");
    assert_int_equal(limits(result), 1);
    json_decref(result);
    json_t *one = show_puppet_of(b, "pair", 0);
    assert_licences(json_object_get(one, "sources"), "CC BY-NC 4.0", "CC BY 4.0");
    json_decref(one);
    one = show_puppet_of(b, "shy", 0);
    assert_licences(json_object_get(one, "sources"), NULL, NULL);
    json_decref(one);
    assert_listed(b, "pair", "CC BY-NC 4.0; CC BY 4.0");
    assert_listed(b, "shy", "");
    assert_int_equal(limits_of_run(b, "pair"), 1);
    assert_int_equal(limits_of_run(b, "shy"), 0);
}

TEST(clips_are_told_once_and_those_without_a_licence_never)
{
    const studio_bench *b = *state;
    char text[160];
    snprintf(text, sizeof text, "{'clips': [%lld], 'licence': ''}", (long long)b->ids[1]);
    json_decref(post(b, "/api/do/label", text, 200));
    snprintf(text, sizeof text, "{'clips': [%lld, %lld]}, {'clips': [%lld, %lld]}",
             (long long)b->ids[0], (long long)b->ids[1], (long long)b->ids[1],
             (long long)b->ids[0]);
    json_t *result = train_on(b, "twice", text);
    assert_licences(json_object_get(result, "sources"), "CC BY-NC 4.0", NULL);
    assert_int_equal(limits(result), 1);
    json_decref(result);
    json_t *one = show_puppet_of(b, "twice", 0);
    assert_licences(json_object_get(one, "sources"), "CC BY-NC 4.0", NULL);
    json_decref(one);
}

TEST(a_file_has_the_licences_in_it)
{
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "pair");
    marey_puppet_sources *sources = NULL;
    marey_error error = { 0 };
    int count = 0;
    http_answer got = studio_ask(b, "/api/puppet/file?name=pair", NULL);
    assert_int_equal(got.status, 200);
    if (marey_puppet_sources_read(of.ctx, (const uint8_t *)got.body, got.count, &sources, &error))
        fail_msg("%s", error.message);
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    assert_int_equal(count, 2);
    assert_string_equal(items[0].licence, "CC BY-NC 4.0");
    assert_string_equal(items[1].licence, "CC BY 4.0");
    marey_puppet_sources_free(sources);
    wire_free(&got);
    judge_close(&of);
}

/* The clip is gone for good; what was learned from it, and on what terms, is not. */
TEST(more_of_the_same_is_under_the_same_licences)
{
    const studio_bench *b = *state;
    char text[64];
    snprintf(text, sizeof text, "{'clips': [%lld]}", (long long)b->ids[0]);
    json_decref(post(b, "/api/do/rm", text, 200));
    assert_int_equal(limits_of_run(b, "pair"), 1);
    snprintf(text, sizeof text, "{'clips': [%lld], 'purge': true}", (long long)b->ids[0]);
    json_decref(post(b, "/api/do/rm", text, 200));
    assert_int_equal(limits_of_run(b, "pair"), 1);
    json_t *result = train_on(b, "heir", "{'puppet': 'pair'}, {'ready': 'follower'}");
    assert_int_equal(limits(result), 1);
    json_decref(result);
    assert_int_equal(limits_of_run(b, "heir"), 1);
    assert_listed(b, "heir", "CC BY 4.0; CC BY-NC 4.0");
}

TEST_GROUP_OF_CASES(test_studio_puppet_licence, open_marked, close_puppet_bench)
