/* test_studio_lists.c - the list of all clips: kept while the library does not change, tagged for the
   browser, and sent as what changed since an earlier one. */
#include "api_bench.h"

/* Clips of two lists of one library, the second by what changed since the first: the same as whole. */
static void same_as_merged(const json_t *before, const json_t *changes, const json_t *now)
{
    json_t *merged = json_object(), *wanted = json_object();
    json_t *one, *id;
    size_t i;
    char key[24];
#define KEY(value) (snprintf(key, sizeof key, "%lld", (long long)json_integer_value(value)), key)
    json_array_foreach(json_object_get(before, "clips"), i, one)
        json_object_set(merged, KEY(json_object_get(one, "id")), one);
    json_array_foreach(json_object_get(changes, "gone"), i, id) json_object_del(merged, KEY(id));
    json_array_foreach(json_object_get(changes, "clips"), i, one)
        json_object_set(merged, KEY(json_object_get(one, "id")), one);
    json_array_foreach(json_object_get(now, "clips"), i, one)
        json_object_set(wanted, KEY(json_object_get(one, "id")), one);
#undef KEY
    assert_true(json_equal(merged, wanted));
    json_decref(merged);
    json_decref(wanted);
}

TEST_BENCH(a_list_says_what_changed_since_an_earlier_one)
{
    const json_t *first = ask(b, api_clips, "?");
    long long version = (long long)whole(first, "version");
    const json_t *same = ask(b, api_clips, "?since=%lld", version);
    assert_int_equal(size_of(same, "clips"), 0);
    assert_int_equal(size_of(same, "gone"), 0);
    assert_int_equal(whole(same, "since"), version);
    ask(b, do_label, " {'clips': ['walk'], 'add': ['new']}");
    const json_t *labelled = ask(b, api_clips, "?since=%lld", version);
    assert_int_equal(size_of(labelled, "clips"), 1);
    expect(item(labelled, "clips", 0), "{'name': 'walk'}");
    same_as_merged(first, labelled, ask(b, api_clips, "?"));
    ask(b, do_rm, " {'clips': ['walk']}");
    ask(b, do_cut, " {'cuts': [{'clip': 'run', 'start': 0, 'end': 10, 'name': 'piece'}]}");
    const json_t *both = ask(b, api_clips, "?since=%lld", version);
    assert_int_equal(size_of(both, "gone"), 1);
    expect(item(both, "clips", 0), "{'name': 'piece'}");
    same_as_merged(first, both, ask(b, api_clips, "?"));
    same_as_merged(labelled, both, both);
}

/* A version of which nothing is known, or not any more, is answered with all clips. */
TEST_BENCH(a_version_that_is_not_known_gives_the_whole_list)
{
    long long version = (long long)whole(ask(b, api_clips, "?"), "version");
    const json_t *later = ask(b, api_clips, "?since=%lld", version + 5);
    assert_int_equal(size_of(later, "clips"), 3);
    assert_null(json_object_get(later, "since"));
    for (int i = 0; i < 9; i++) {
        ask(b, do_label, " {'clips': ['walk'], 'add': ['label %d']}", i);
        const json_t *list = ask(b, api_clips, "?since=%lld", version);
        assert_int_equal(size_of(list, "clips"), i < 7 ? 1 : 3);
    }
    clip_lists_make_room(b->of.lists);
    version = (long long)whole(ask(b, api_clips, "?"), "version");
    assert_int_equal(size_of(ask(b, api_clips, "?since=%lld", version), "clips"), 0);
    refused(b, 400, "request", "since", api_clips, "?since=-1");
}

/* The browser keeps a list, and is answered 304 for as long as it is the same. */
TEST_BENCH(a_list_has_another_tag_when_it_is_another)
{
    char tags[3][64];
    for (int i = 0; i < 3; i++) {
        studio_response response = api_ask(b, api_clips, "?");
        assert_true(strlen(response.tag_text) > 8);
        snprintf(tags[i], sizeof tags[i], "%s", response.tag_text);
        answer_clear(&response);
        if (i == 1) ask(b, do_label, " {'clips': ['walk'], 'add': ['new']}");
    }
    assert_string_equal(tags[0], tags[1]);
    assert_string_not_equal(tags[1], tags[2]);
}

TEST_BENCH(a_list_without_memory_is_refused_and_comes_when_there_is_some)
{
    size_t limit = b->of.memory.limit, used = atomic_load(&b->of.memory.used);
    int refusals = 0;
    for (size_t room = 0;; room += 256) {
        clip_lists_make_room(b->of.lists);
        b->of.memory.limit = used + room;
        studio_response response = api_ask(b, api_clips, "?");
        bool whole = response.status == 200;
        b->of.memory.limit = limit;
        answer_clear(&response);
        if (whole) break;
        refusals++;
    }
    assert_true(refusals > 3);
    assert_int_equal(size_of(ask(b, api_clips, "?"), "clips"), 3);
}

TEST_GROUP_OF_CASES(test_studio_lists, NULL, NULL)
