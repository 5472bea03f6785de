/* test_studio_api_edit.c - changing clips through the studio's addresses, and every body that is
   refused. */
#include "api_bench.h"

static bool has_label(api_bench *b, const char *name, const char *label)
{
    const json_t *list = ask(b, api_clips, "?label=%s", label);
    bool found = false;
    for (size_t i = 0; i < size_of(list, "clips"); i++)
        found |= strcmp(word(item(list, "clips", i), "name"), name) == 0;
    return found;
}

/* ---- what is done ---------------------------------------------------------------------------- */

TEST_BENCH(labels_and_texts_are_edited_together)
{
    const json_t *edited = ask(b, do_label,
                               "{'clips': [$walk], 'add': ['slow', 'old'], 'drop': "
                               "['walking'], 'describe': 'tired', 'licence': ''}");
    assert_int_equal(size_of(edited, "added"), 2);
    assert_true(has_label(b, "walk", "slow"));
    assert_false(has_label(b, "walk", "walking"));
    expect(ask(b, api_clip, "/$walk"), "{'description': 'tired', 'licence': ''}");
}

TEST_BENCH(frames_are_labelled_and_listed_with_their_clip)
{
    ask(b, do_label, "{'clips': [{'clip': $walk, 'start': 2, 'end': 6}], 'add': ['kick']}");
    expect(ask(b, do_label, "{'clips': [{'clip': $walk, 'start': 3, 'end': 4}], 'drop': ['kick']}"),
           "{'stretches': [{'start': 3, 'end': 4}], 'dropped': ['kick']}");
    assert_true(has_label(b, "walk", "kick"));
    const json_t *clip = ask(b, api_clip, "/$walk");
    expect(item(clip, "stretches", 0), "{'label': 'kick', 'start': 2, 'end': 3}");
    expect(item(clip, "stretches", 1), "{'label': 'kick', 'start': 4, 'end': 6}");
    refused(b, 400, "request", "outside the clip", do_label,
            "{'clips': [{'clip': $walk, 'start': 0, 'end': 99999}], 'add': ['kick']}");
}

TEST_BENCH(an_edit_of_several_is_all_or_nothing)
{
    refused(b, 404, "input", "no clip number 999", do_label,
            "{'clips': [$walk, 999], 'add': ['new']}");
    refused(b, 400, "request", "add must be a list of texts", do_label,
            "{'clips': [$walk], 'add': ['new', '']}");
    assert_false(has_label(b, "walk", "new"));
}

TEST_BENCH(a_clip_is_renamed)
{
    int64_t walk = bench_id(b, "walk");
    expect(ask(b, do_rename, "{'clip': $walk, 'to': 'stroll'}"), "{'name': 'stroll'}");
    assert_int_equal(bench_id(b, "stroll"), walk);
    refused(b, 400, "request", "already", do_rename, "{'clip': $run, 'to': 'stroll'}");
    refused(b, 400, "request", "", do_rename, "{'clip': $run, 'to': 'a/b'}");
    refused(b, 400, "request", "", do_rename, "{'clip': $run, 'to': ''}");
    refused(b, 404, "input", "no clip number 999", do_rename, "{'clip': 999, 'to': 'x'}");
}

TEST_BENCH(a_cut_is_a_clip_of_its_own)
{
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "step-2" : "step";
        const json_t *cut =
            ask(b, do_cut, "{'cuts': [{'clip': $walk, 'start': 10, 'end': 30, 'name': 'step'}]}");
        expect(cut, "{'name': '%s', 'id': %" PRId64 "}", name, bench_id(b, name));
        expect(ask(b, api_clip, "/%" PRId64, whole(cut, "id")),
               "{'frames': 20, 'made': true, 'provenance': {'made_by': 'cut'}}");
    }
    static const char *const wrong[] = { "'start': 10, 'end': 61, 'name': 'x'",
                                         "'start': 10, 'end': 10, 'name': 'x'",
                                         "'start': 1, 'end': 2, 'name': '#'" };
    for (size_t i = 0; i < 3; i++)
        refused(b, 400, "request", "", do_cut, "{'cuts': [{'clip': $walk, %s}]}", wrong[i]);
}

TEST_BENCH(contacts_are_set_and_found_again)
{
    const json_t *found = ask(b, api_clip, "/$walk");
    const json_t *set =
        ask(b, do_contacts,
            "{'clip': $walk, 'set': {'contacts': [{'joint': 'right_toe', 'start': 2, 'end': 9},"
            "{'joint': 'left_heel', 'start': 0, 'end': 60}]}}");
    assert_string_equal(word(item(set, "contacts", 0), "joint"), "left_heel");
    for (int again = 0; again < 2; again++, set = ask(b, api_clip, "/$walk")) {
        assert_true(is_true(set, "contacts_set"));
        assert_int_equal(size_of(set, "contacts"), 2);
    }
    set = ask(b, do_contacts, "{'clip': $walk, 'forget': true}");
    assert_true(json_equal(json_object_get(set, "contacts"), json_object_get(found, "contacts")));
    expect(set, "{'contacts_set': false}");
    expect(ask(b, do_contacts, "{'clip': $walk, 'set': {'contacts': []}}"),
           "{'contacts_set': true, 'contacts': []}");
    refused(b, 400, "request", "", do_contacts,
            "{'clip': $walk, 'set': {'contacts': [{'joint': 'left_toe', 'start': 2, 'end': 61}]}}");
    refused(b, 400, "request", "overlap", do_contacts,
            "{'clip': $walk, 'set': {'contacts': [{'joint': 'left_toe', 'start': 2, 'end': 9}, "
            "{'joint': 'left_toe', 'start': 8, 'end': 12}]}}");
}

/* Two clips swap their names between two requests: what goes by number still means the same one. */
TEST_BENCH(a_number_means_its_clip_whatever_it_is_called)
{
    const marey_clip *kept = NULL, *again = NULL;
    int64_t walk = bench_id(b, "walk"), run = bench_id(b, "run");
    assert_int_equal(worker_clip(&b->by, walk, &kept, NULL), MAREY_OK);
    bench_program("marey rename lib.marey walk x");
    bench_program("marey rename lib.marey run walk");
    bench_program("marey rename lib.marey x run");
    ask(b, do_label, "{'clips': [%" PRId64 "], 'add': ['meant']}", walk);
    assert_int_equal(worker_clip(&b->by, walk, &again, NULL), MAREY_OK);
    assert_ptr_equal(kept, again); /* no change of names or labels makes the worker read it anew */
    assert_true(has_label(b, "run", "meant"));
    assert_false(has_label(b, "walk", "meant"));
    expect(ask(b, api_clip, "/%" PRId64, walk), "{'name': 'run'}");
    const json_t *cut = ask(
        b, do_cut, "{'cuts': [{'clip': %" PRId64 ", 'start': 1, 'end': 5, 'name': 'walk'}]}", walk);
    int64_t part = whole(cut, "id");
    assert_int_equal(part, bench_id(b, "walk-2"));
    ask(b, do_rm, "{'clips': [%" PRId64 ", %" PRId64 "], 'purge': true}", walk, part);
    assert_int_equal(bench_id(b, "walk"), run);
    bench_program("marey cut lib.marey walk#1-7 new");
    assert_true(bench_id(b, "new") > part); /* no number is given twice */
    refused(b, 404, "input", "no clip number", api_clip, "/%" PRId64, walk);
}

TEST_BENCH(several_are_restored_and_purged_at_once_or_none)
{
    int64_t walk = bench_id(b, "walk"), run = bench_id(b, "run");
    refused(b, 404, "input", "no clip number 999", do_rm, "{'clips': [$walk, 999], 'purge': true}");
    assert_int_equal(bench_id(b, "walk"), walk);
    ask(b, do_rm, "{'clips': [$walk]}");
    refused(b, 404, "input", "run is not removed", do_restore, "{'clips': [$walk, $run]}");
    assert_int_equal(bench_id(b, "walk"), 0);
    ask(b, do_rm, "{'clips': [$run]}");
    assert_int_equal(size_of(ask(b, do_restore, "{'clips': [$walk, $run]}"), "clips"), 2);
    assert_int_equal(bench_id(b, "walk"), walk);
    assert_int_equal(bench_id(b, "run"), run);
}

TEST_BENCH(a_removed_clip_is_restored_under_a_free_name)
{
    int64_t walk = bench_id(b, "walk");
    ask(b, do_rm, "{'clips': [$walk]}");
    assert_int_equal(bench_id(b, "walk"), 0);
    ask_status(b, 404, do_rm, "{'clips': [%" PRId64 "]}", walk);
    ask(b, do_rename, "{'clip': $run, 'to': 'walk'}");
    expect(ask(b, do_restore, "{'clips': [%" PRId64 "]}", walk),
           "{'clips': [{'id': %" PRId64 ", 'name': 'walk-2'}]}", walk);
    ask_status(b, 404, do_restore, "{'clips': [%" PRId64 "]}", walk);
}

/* Three clips of one name: one in use, two removed. Only the one that is meant goes. */
TEST_BENCH(a_purge_takes_the_clip_of_the_number_and_not_one_of_its_name)
{
    int64_t walk = bench_id(b, "walk"), run = bench_id(b, "run"), slide = bench_id(b, "slide");
    ask(b, do_rm, "{'clips': [$walk]}");
    ask(b, do_rename, "{'clip': $run, 'to': 'walk'}");
    ask(b, do_rm, "{'clips': [%" PRId64 "]}", run);
    ask(b, do_rename, "{'clip': $slide, 'to': 'walk'}");
    expect(ask(b, do_rm, "{'clips': [%" PRId64 "], 'purge': true}", walk), "{'purged': 1}");
    assert_int_equal(bench_id(b, "walk"), slide);
    ask_status(b, 404, do_restore, "{'clips': [%" PRId64 "]}", walk);
    ask(b, do_restore, "{'clips': [%" PRId64 "]}", run);
    assert_int_equal(bench_id(b, "walk-2"), run);
    ask(b, do_rm, "{'clips': [%" PRId64 "], 'purge': true}", slide);
    assert_int_equal(bench_id(b, "walk"), 0);
    refused(b, 400, "request", "clips", do_rm, "{'clips': [], 'purge': true}");
    refused(b, 400, "request", "clips", do_rm, "{}");
}

TEST_BENCH(nothing_is_changed_in_a_library_for_reading_only)
{
    int64_t walk = bench_id(b, "walk");
    api_bench_stop(b);
    api_bench_start(b, false);
    OWNED(studio_response) to = api_ask(b, do_rm, "{'clips': [$walk]}");
    assert_true(to.status >= 400);
    refused(b, 409, "request", "can only be read", do_add, "{'demo': true}");
    assert_int_equal(bench_id(b, "walk"), walk);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

TEST_BENCH(invalid_bodies_are_refused_with_a_reason)
{
    static const api_refusal rows[] = {
        { "", "no JSON" },
        { "{", "no JSON" },
        { "[]", "must be a JSON object" },
        { " null", "no JSON" },
        { "{} x", "no JSON" },
        { "{'clips': [1], 'clips': [2]}", "twice" },
        { "{'clips': [1], 'add': ['a\\u0000b']}", "zero byte" },
        { "{'clips': [1], 'colour': 1}", "unknown field colour" },
        { "{'clips': [1], 'name': 'x'}", "unknown field name" },
        { "{'clips': [1], '\\u001b\\u00e4': 1}", "unknown field" },
        { "{'add': []}", "clips is missing" },
        { "{'clips': 1}", "clips must be" },
        { "{'clips': []}", "clips must be a list of frames of clips, got []" },
        { "{'clips': [0]}", "clips must be a list of frames of clips, got [0]" },
        { "{'clips': [1.0]}", "clips must be a list of frames of clips" },
        { "{'clips': ['']}", "clips must be a list of frames of clips" },
        { "{'clips': [true]}", "clips must be a list of frames of clips" },
        { "{'clips': [99999999999999999999999]}", "no JSON" },
        { "{'clips': [1], 'add': 'x'}", "add must be" },
        { "{'clips': [1], 'add': [1]}", "add must be" },
        { "{'clips': [1], 'describe': null}", "describe must be a text" },
        { "{'clips': [1], 'licence': {}}", "licence must be a text" },
        { "{'clips': [1], 'add': ['\xff']}", "no JSON" },
    };
    static const api_refusal contacts[] = {
        { "{'clip': 1, 'set': {'contacts': {}}}", "list" },
        { "{'clip': 1, 'set': {'contacts': [1]}}", "a plant" },
        { "{'clip': 1, 'set': {'contacts': [{'joint': 'nose', 'start': 0, 'end': 1}]}}",
          "left_heel" },
        { "{'clip': 1, 'set': {'contacts': [{'joint': 'left_toe', 'start': 0, 'stop': 1}]}}",
          "end" },
    };
    REFUSED(b, 400, "request", do_label, rows);
    REFUSED(b, 400, "input", do_contacts, contacts);
}

TEST_BENCH(bodies_nested_too_deep_are_refused_before_they_are_read)
{
    char open[LIMIT_JSON_DEPTH + 2] = "", close[LIMIT_JSON_DEPTH + 2] = "";
    memset(open, '[', LIMIT_JSON_DEPTH);
    memset(close, ']', LIMIT_JSON_DEPTH);
    refused(b, 400, "request", "nested", do_label, "{'add': %s%s}", open, close);
    refused(b, 400, "request", "add must be", do_label, "{'add': %s%s}", open + 1, close + 1);
}

/* ---- refused memory -------------------------------------------------------------------------- */

TEST_BENCH(changing_with_too_little_memory_says_so)
{
    static const api_request rows[] = {
        { do_cut, "{'cuts': [{'clip': $walk, 'start': 1, 'end': 9, 'name': 'c'}]}" },
        { do_contacts, "{'clip': $walk, 'set': {'contacts': [{'joint': 'left_toe', 'start': 1, "
                       "'end': 4}]}}" },
        { do_contacts, "{'clip': $run, 'forget': true}" },
        { do_label, "{'clips': [$run], 'add': ['x']}" },
        { do_rm, "{'clips': [$run]}" },
        { do_restore, "{'clips': [$run]}" },
        { do_rm, "{'clips': [$run], 'purge': true}" },
        { do_rename, "{'clip': $walk, 'to': 'w'}" }
    };
    int64_t walk = bench_id(b, "walk");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        STARVE(b, rows[i].run, "%s", rows[i].text);
    assert_int_equal(bench_id(b, "w"), walk);
    assert_int_equal(bench_id(b, "run"), 0);
}

TEST_GROUP_OF_CASES(test_studio_api_edit, NULL, NULL)
