/* test_studio_api_edit.c - changing clips through the studio's addresses, and every body that is refused. */
#include "api_bench.h"

static bool has_label(api_bench *b, const char *name, const char *label)
{
    marey_listing *listing = NULL;
    marey_list_def def = { .label = label };
    assert_int_equal(marey_library_list(b->by.library, &def, &listing, NULL), MAREY_OK);
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    bool found = false;
    for (int i = 0; i < count; i++) found |= strcmp(entries[i].name, name) == 0;
    marey_listing_free(listing);
    return found;
}

/* For one clip; `more` is what the body has beside its number. */
static studio_response ask_for(api_bench *b, api_run run, int64_t clip, const char *more)
{
    char body[512];
    snprintf(body, sizeof body, "{\"clips\": [%lld]%s}", (long long)clip, more);
    return api_ask(b, run, 0, NULL, body);
}

static json_t *json_for(api_bench *b, api_run run, int64_t clip, const char *more)
{
    studio_response to = ask_for(b, run, clip, more);
    return answer_take_json(&to, 200);
}

/* ---- what is done ------------------------------------------------------------------------------- */

TEST(labels_and_texts_are_edited_together)
{
    api_bench b;
    api_bench_open(&b);
    json_t *done = json_for(&b, do_label, b.walk,
                            ", \"add\": [\"slow\", \"old\"], \"drop\": [\"walking\"],"
                            " \"describe\": \"tired\", \"licence\": \"\"");
    assert_int_equal(json_array_size(json_object_get(done, "added")), 2);
    json_decref(done);
    assert_true(has_label(&b, "walk", "slow"));
    assert_false(has_label(&b, "walk", "walking"));
    json_t *one = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    assert_string_equal(json_string_value(json_object_get(one, "description")), "tired");
    assert_string_equal(json_string_value(json_object_get(one, "licence")), "");
    json_decref(one);
    api_bench_close(&b);
}

TEST(an_edit_of_several_is_all_or_nothing)
{
    char body[128];
    api_bench b;
    api_bench_open(&b);
    snprintf(body, sizeof body, "{\"clips\": [%lld, 999], \"add\": [\"new\"]}", (long long)b.walk);
    api_refused(&b, do_label, 0, NULL, body, 404, "input", "no clip number 999");
    assert_false(has_label(&b, "walk", "new"));
    snprintf(body, sizeof body, "{\"clips\": [%lld], \"add\": [\"new\", \"\"]}", (long long)b.walk);
    api_refused(&b, do_label, 0, NULL, body, 400, "request", "add must be a list of texts");
    assert_false(has_label(&b, "walk", "new"));
    api_bench_close(&b);
}

TEST(a_clip_is_renamed)
{
    api_bench b;
    api_bench_open(&b);
    json_t *done = api_json(&b, do_rename, b.walk, NULL, "{\"to\": \"stroll\"}", 200);
    assert_string_equal(json_string_value(json_object_get(done, "name")), "stroll");
    json_decref(done);
    assert_int_equal(bench_id(&b, "stroll"), b.walk);
    api_refused(&b, do_rename, b.run, NULL, "{\"to\": \"stroll\"}", 400, "request", "already");
    api_refused(&b, do_rename, b.run, NULL, "{\"to\": \"a/b\"}", 400, "request", "");
    api_refused(&b, do_rename, b.run, NULL, "{\"to\": \"\"}", 400, "request", "");
    api_refused(&b, do_rename, 999, NULL, "{\"to\": \"x\"}", 404, "input", "no clip number 999");
    api_bench_close(&b);
}

/* The body of a cut of the walk; `more` is what it has beside the clip. */
static const char *cut_text(const api_bench *b, const char *more)
{
    static char body[256];
    snprintf(body, sizeof body, "{\"cuts\": [{\"clip\": %lld, %s}]}", (long long)b->walk, more);
    return body;
}

static json_t *cut_walk(api_bench *b, const char *more)
{
    return api_json(b, do_cut, 0, NULL, cut_text(b, more), 200);
}

static void cut_refused(api_bench *b, const char *more)
{
    api_refused(b, do_cut, 0, NULL, cut_text(b, more), 400, "request", "");
}

TEST(a_cut_is_a_clip_of_its_own)
{
    api_bench b;
    api_bench_open(&b);
    const char *body = "\"start\": 10, \"end\": 30, \"name\": \"step\"";
    for (int i = 0; i < 2; i++) {
        json_t *done = cut_walk(&b, body);
        const char *name = json_string_value(json_object_get(done, "name"));
        assert_string_equal(name, i ? "step-2" : "step");
        int64_t id = json_integer_value(json_object_get(done, "id"));
        assert_int_equal(id, bench_id(&b, name));
        json_t *one = api_json(&b, api_clip, id, NULL, NULL, 200);
        assert_int_equal(json_integer_value(json_object_get(one, "frames")), 20);
        assert_true(json_is_true(json_object_get(one, "made")));
        const json_t *provenance = json_object_get(one, "provenance");
        assert_string_equal(json_string_value(json_object_get(provenance, "made_by")), "cut");
        json_decref(one);
        json_decref(done);
    }
    cut_refused(&b, "\"start\": 10, \"end\": 61, \"name\": \"x\"");
    cut_refused(&b, "\"start\": 10, \"end\": 10, \"name\": \"x\"");
    cut_refused(&b, "\"start\": 1, \"end\": 2, \"name\": \"#\"");
    api_bench_close(&b);
}

TEST(contacts_are_set_and_found_again)
{
    static const char body[] =
        "{\"set\": {\"contacts\": [{\"joint\": \"right_toe\", \"start\": 2, \"end\": 9},"
        "{\"joint\": \"left_heel\", \"start\": 0, \"end\": 60}]}}";
    api_bench b;
    api_bench_open(&b);
    json_t *found = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    json_t *set = api_json(&b, do_contacts, b.walk, NULL, body, 200);
    const json_t *first = json_array_get(json_object_get(set, "contacts"), 0);
    assert_true(json_is_true(json_object_get(set, "contacts_set")));
    assert_int_equal(json_array_size(json_object_get(set, "contacts")), 2);
    assert_string_equal(json_string_value(json_object_get(first, "joint")), "left_heel");
    json_decref(set);
    set = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    assert_true(json_is_true(json_object_get(set, "contacts_set")));
    assert_int_equal(json_array_size(json_object_get(set, "contacts")), 2);
    json_decref(set);
    set = api_json(&b, do_contacts, b.walk, NULL, "{\"forget\": true}", 200);
    assert_true(json_equal(json_object_get(set, "contacts"), json_object_get(found, "contacts")));
    assert_true(json_is_false(json_object_get(set, "contacts_set")));
    json_decref(set);
    set = api_json(&b, do_contacts, b.walk, NULL, "{\"set\": {\"contacts\": []}}", 200);
    assert_true(json_is_true(json_object_get(set, "contacts_set")));
    assert_int_equal(json_array_size(json_object_get(set, "contacts")), 0);
    json_decref(set);
    json_decref(found);
    api_refused(&b, do_contacts, b.walk, NULL,
                "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 2, \"end\": 61}]}}",
                400, "request", "");
    api_refused(&b, do_contacts, b.walk, NULL,
                "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 2, \"end\": 9}, "
                "{\"joint\": "
                "\"left_toe\", \"start\": 8, \"end\": 12}]}}",
                400, "request", "overlap");
    api_bench_close(&b);
}

/* Two clips swap their names between two requests: what goes by number still means the same one. */
TEST(a_number_means_its_clip_whatever_it_is_called)
{
    char body[128];
    api_bench b;
    api_bench_open(&b);
    const marey_clip *kept = NULL, *again = NULL;
    assert_int_equal(worker_clip(&b.by, b.walk, &kept, NULL), MAREY_OK);
    bench_program("marey rename lib.marey walk x");
    bench_program("marey rename lib.marey run walk");
    bench_program("marey rename lib.marey x run");
    json_decref(json_for(&b, do_label, b.walk, ", \"add\": [\"meant\"]"));
    assert_int_equal(worker_clip(&b.by, b.walk, &again, NULL), MAREY_OK);
    assert_ptr_equal(kept, again); /* no change of names or labels makes the worker read it anew */
    assert_true(has_label(&b, "run", "meant"));
    assert_false(has_label(&b, "walk", "meant"));
    json_t *clip = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    assert_string_equal(json_string_value(json_object_get(clip, "name")), "run");
    json_decref(clip);
    json_t *cut = cut_walk(&b, "\"start\": 1, \"end\": 5, \"name\": \"walk\"");
    int64_t part = json_integer_value(json_object_get(cut, "id"));
    assert_int_equal(part, bench_id(&b, "walk-2"));
    json_decref(cut);
    snprintf(body, sizeof body, "{\"clips\": [%lld, %lld], \"purge\": true}", (long long)b.walk,
             (long long)part);
    json_decref(api_json(&b, do_rm, 0, NULL, body, 200));
    assert_int_equal(bench_id(&b, "walk"), b.run);
    bench_program("marey cut lib.marey walk#1-7 new");
    assert_true(bench_id(&b, "new") > part); /* no number is given twice */
    api_refused(&b, api_clip, b.walk, NULL, NULL, 404, "input", "no clip number");
    api_bench_close(&b);
}

TEST(several_are_restored_and_purged_at_once_or_none)
{
    char both[64], wrong[64];
    api_bench b;
    api_bench_open(&b);
    snprintf(both, sizeof both, "{\"clips\": [%lld, %lld]}", (long long)b.walk, (long long)b.run);
    snprintf(wrong, sizeof wrong, "{\"clips\": [%lld, 999], \"purge\": true}", (long long)b.walk);
    api_refused(&b, do_rm, 0, NULL, wrong, 404, "input", "no clip number 999");
    assert_int_equal(bench_id(&b, "walk"), b.walk);
    json_decref(json_for(&b, do_rm, b.walk, ""));
    api_refused(&b, do_restore, 0, NULL, both, 404, "input", "run is not removed");
    assert_int_equal(bench_id(&b, "walk"), 0);
    json_decref(json_for(&b, do_rm, b.run, ""));
    json_t *done = api_json(&b, do_restore, 0, NULL, both, 200);
    assert_int_equal(json_array_size(json_object_get(done, "clips")), 2);
    json_decref(done);
    assert_int_equal(bench_id(&b, "walk"), b.walk);
    assert_int_equal(bench_id(&b, "run"), b.run);
    api_bench_close(&b);
}

TEST(a_removed_clip_is_restored_under_a_free_name)
{
    api_bench b;
    api_bench_open(&b);
    json_decref(json_for(&b, do_rm, b.walk, ""));
    assert_int_equal(bench_id(&b, "walk"), 0);
    studio_response again = ask_for(&b, do_rm, b.walk, "");
    json_decref(answer_take_json(&again, 404));
    json_decref(api_json(&b, do_rename, b.run, NULL, "{\"to\": \"walk\"}", 200));
    json_t *done = json_for(&b, do_restore, b.walk, "");
    const json_t *one = json_array_get(json_object_get(done, "clips"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "id")), b.walk);
    assert_string_equal(json_string_value(json_object_get(one, "name")), "walk-2");
    json_decref(done);
    again = ask_for(&b, do_restore, b.walk, "");
    json_decref(answer_take_json(&again, 404));
    api_bench_close(&b);
}

/* Three clips of one name: one in use, two removed. Only the one that is meant goes. */
TEST(a_purge_takes_the_clip_of_the_number_and_not_one_of_its_name)
{
    api_bench b;
    api_bench_open(&b);
    json_decref(json_for(&b, do_rm, b.walk, ""));
    json_decref(api_json(&b, do_rename, b.run, NULL, "{\"to\": \"walk\"}", 200));
    json_decref(json_for(&b, do_rm, b.run, ""));
    json_decref(api_json(&b, do_rename, b.slide, NULL, "{\"to\": \"walk\"}", 200));
    json_t *done = json_for(&b, do_rm, b.walk, ", \"purge\": true");
    assert_int_equal(json_integer_value(json_object_get(done, "purged")), 1);
    json_decref(done);
    assert_int_equal(bench_id(&b, "walk"), b.slide);
    studio_response gone = ask_for(&b, do_restore, b.walk, "");
    json_decref(answer_take_json(&gone, 404));
    json_decref(json_for(&b, do_restore, b.run, ""));
    assert_int_equal(bench_id(&b, "walk-2"), b.run);
    done = json_for(&b, do_rm, b.slide, ", \"purge\": true");
    json_decref(done);
    assert_int_equal(bench_id(&b, "walk"), 0);
    api_refused(&b, do_rm, 0, NULL, "{\"clips\": [], \"purge\": true}", 400, "request", "clips");
    api_refused(&b, do_rm, 0, NULL, "{}", 400, "request", "clips");
    api_bench_close(&b);
}

TEST(nothing_is_changed_in_a_library_for_reading_only)
{
    api_bench b;
    api_bench_open(&b);
    api_bench_stop(&b);
    api_bench_start(&b, false);
    studio_response to = ask_for(&b, do_rm, b.walk, "");
    assert_true(to.status >= 400);
    bytes_free(&to.body);
    api_refused(&b, do_add, 0, NULL, "{\"demo\": true}", 409, "request", "can only be read");
    assert_int_equal(bench_id(&b, "walk"), b.walk);
    api_bench_close(&b);
}

/* ---- bodies ------------------------------------------------------------------------------------- */

TEST(bodies_that_cannot_be_are_refused_with_a_reason)
{
    static const struct {
        const char *body, *part;
    } bodies[] = {
        { "", "no JSON" },
        { "{", "no JSON" },
        { "[]", "must be a JSON object" },
        { "null", "no JSON" },
        { "{} x", "no JSON" },
        { "{\"clips\": [1], \"clips\": [2]}", "twice" },
        { "{\"clips\": [1], \"add\": [\"a\\u0000b\"]}", "zero byte" },
        { "{\"clips\": [1], \"colour\": 1}", "unknown field colour" },
        { "{\"clips\": [1], \"name\": \"x\"}", "unknown field name" },
        { "{\"clips\": [1], \"\\u001b\\u00e4\": 1}", "unknown field" },
        { "{\"add\": []}", "clips is missing" },
        { "{\"clips\": 1}", "clips must be" },
        { "{\"clips\": [0]}", "clips must be a list of clips, got [0]" },
        { "{\"clips\": [1.0]}", "clips must be a list of clips" },
        { "{\"clips\": [\"\"]}", "clips must be a list of clips" },
        { "{\"clips\": [true]}", "clips must be a list of clips" },
        { "{\"clips\": [99999999999999999999999]}", "no JSON" },
        { "{\"clips\": [1], \"add\": \"x\"}", "add must be" },
        { "{\"clips\": [1], \"add\": [1]}", "add must be" },
        { "{\"clips\": [1], \"describe\": null}", "describe must be a text" },
        { "{\"clips\": [1], \"licence\": {}}", "licence must be a text" },
        { "{\"clips\": [1], \"add\": [\"\xff\"]}", "no JSON" },
    };
    api_bench b;
    api_bench_open(&b);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        api_refused(&b, do_label, 0, NULL, bodies[i].body, 400, "request", bodies[i].part);
    }
    api_refused(&b, do_contacts, b.walk, NULL, "{\"set\": {\"contacts\": {}}}", 400, "input",
                "list");
    api_refused(&b, do_contacts, b.walk, NULL, "{\"set\": {\"contacts\": [1]}}", 400, "input",
                "a plant");
    api_refused(&b, do_contacts, b.walk, NULL,
                "{\"set\": {\"contacts\": [{\"joint\": \"nose\", \"start\": 0, \"end\": 1}]}}", 400,
                "input", "left_heel");
    api_refused(&b, do_contacts, b.walk, NULL,
                "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 0, \"stop\": 1}]}}",
                400, "input", "end");
    api_bench_close(&b);
}

TEST(bodies_nested_too_deep_are_refused_before_they_are_read)
{
    char body[256];
    api_bench b;
    api_bench_open(&b);
    for (int depth = LIMIT_JSON_DEPTH; depth <= LIMIT_JSON_DEPTH + 1; depth++) {
        size_t used = (size_t)snprintf(body, sizeof body, "{\"add\": ");
        for (int i = 1; i < depth; i++) body[used++] = '[';
        for (int i = 1; i < depth; i++) body[used++] = ']';
        snprintf(body + used, sizeof body - used, "}");
        api_refused(&b, do_label, 0, NULL, body, 400, "request",
                    depth > LIMIT_JSON_DEPTH ? "nested" : "add must be");
    }
    assert_true(json_is_shallow("\"[[[\\\"[[\" []", 12, 1));
    api_bench_close(&b);
}

/* ---- refused memory ----------------------------------------------------------------------------- */

TEST(changing_with_too_little_memory_says_so)
{
    char label[96], remove[64], purge[96];
    api_bench b;
    api_bench_open(&b);
    snprintf(label, sizeof label, "{\"clips\": [%lld], \"add\": [\"x\"]}", (long long)b.run);
    snprintf(remove, sizeof remove, "{\"clips\": [%lld]}", (long long)b.run);
    snprintf(purge, sizeof purge, "{\"clips\": [%lld], \"purge\": true}", (long long)b.run);
    struct {
        api_run run;
        int64_t id;
        const char *body;
    } all[] = {
        { do_rename, b.walk, "{\"to\": \"w\"}" },
        { do_cut, 0, cut_text(&b, "\"start\": 1, \"end\": 9, \"name\": \"c\"") },
        { do_contacts, b.walk,
          "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 1, \"end\": 4}]}}" },
        { do_contacts, b.run, "{\"forget\": true}" },
        { do_label, 0, label },
        { do_rm, 0, remove },
        { do_restore, 0, remove },
        { do_rm, 0, purge }
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        studio_response to = api_starve(&b, all[i].run, all[i].id, NULL, all[i].body);
        json_decref(answer_take_json(&to, 200));
    }
    assert_int_equal(bench_id(&b, "w"), b.walk);
    assert_int_equal(bench_id(&b, "run"), 0);
    api_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_api_edit, NULL, NULL)
