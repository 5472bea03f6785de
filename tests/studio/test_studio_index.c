/* test_studio_index.c - making the index through the studio's addresses, and cutting out what was
   found by it. */
#include "search_bench.h"

#include <sqlite3.h>

/* ---- the index ------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, the_index_is_described_as_the_library_has_it)
{
    marey_index_state is;
    marey_pose_report poses;
    assert_int_equal(marey_library_pose_state(b->by.library, &poses, NULL), MAREY_OK);
    const json_t *none = ask(b, api_index, "/");
    expect(none,
           "{'exists': true, 'web': false, 'fps': 60, 'clips': 4, 'clips_missing': 0, 'pairs': 0, "
           "'bytes': %lld}",
           (long long)poses.bytes);
    assert_null(json_object_get(none, "metric"));
    assert_null(json_object_get(none, "pairs_missing"));
    const json_t *made = ask_job(b, do_index, "{'fps': 30}"), *state_of = ask(b, api_index, "/");
    assert_int_equal(marey_library_index_state(b->by.library, &is, NULL), MAREY_OK);
    const json_t *both[] = { made, state_of };
    for (int i = 0; i < 2; i++)
        expect(both[i],
               "{'web': true, 'fps': 30, 'clips': 4, 'pairs': 10, 'pairs_missing': 0, 'cells': "
               "%lld, 'chains': "
               "%lld, 'bridges': %lld, 'bytes': %lld, 'ceiling': %.17g, 'metric': 'points'}",
               (long long)is.size.cells, (long long)is.size.chains, (long long)is.size.bridges,
               (long long)(poses.bytes + is.size.bytes), (double)is.size.ceiling);
    assert_true(is.size.chains > 0);
    expect(made, "{'clips_made': 0, 'pairs_built': 10, 'rebuilt': null}");
    expect(state_of, "{'exists': true, 'unit': 'cm2', 'threshold': %.17g, 'about': {}}",
           (double)MAREY_FIND_THRESHOLD);
}

/* The numbers are those of `marey index --json`, but for the time it took. */
TEST_OF(api_bench *b, the_result_of_the_job_is_what_the_program_says)
{
    json_t *said = program_json("marey index lib.marey --web --rebuild --json");
    json_t *made = ask_job(b, do_index, "{'web': true, 'rebuild': true}");
    json_object_del(made, "job");
    json_t *both[] = { said, made };
    for (int i = 0; i < 2; i++) {
        assert_true(json_object_del(both[i], "seconds") == 0);
        json_object_del(both[i], "rebuilt"); /* the first time there was nothing to be made again */
        json_object_del(both[i], "pairs_dropped");
    }
    assert_true(same_json(said, made));
}

TEST_OF_IN(search_bench_open, api_bench_close, api_bench *b, webs_are_made_only_if_asked_for)
{
    static const char *const bodies[] = { "{}", "{'rebuild': true}" };
    for (int i = 0; i < 2; i++) {
        const json_t *made = ask_job(b, do_index, "%s", bodies[i]);
        expect(made, "{'web': false, 'clips': 4, 'clips_made': %d, 'pairs': 0}", 4 * i);
        assert_null(json_object_get(made, "pairs_built"));
    }
    expect(ask_job(b, do_index, "{'web': true}"), "{'web': true, 'pairs_built': 10}");
    /* from then on they are kept up */
    bench_program("marey rm lib.marey small");
    expect(ask_job(b, do_index, "{}"), "{'web': true, 'clips': 3, 'pairs': 6, 'pairs_dropped': 4}");
}

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const api_refusal rows[] = {
        { " ", "no JSON" },
        { "{'fps': 0}", "fps must be a number" },
        { "{'fps': '60'}", "fps must be a number" },
        { "{'metric': 'nearness'}", "metric" },
        { "{'metric': 3}", "metric" },
        { "{'rebuild': 1}", "rebuild must be true or false" },
        { "{'clip': 1}", "unknown field clip" },
        { "{'show': true, 'fps': 30}", "show builds nothing" },
    };
    REFUSED(b, 400, "request", do_index, rows);
}

TEST_OF(api_bench *b, another_metric_has_no_threshold_of_its_own)
{
    ask_job(b, do_index, "{'metric': 'angles', 'fps': 15}");
    expect(ask(b, api_index, "/"), "{'metric': 'angles', 'threshold': null, 'ceiling': null}");
    refused(b, 400, "request", "threshold", do_search, "{" QUERY ", 'web': true}");
    const json_t *found = search_found(b, ", 'web': true, 'threshold': 5, 'tiers': 1");
    expect(found, "{'metric': 'angles'}");
    assert_null(json_object_get(item(found, "matches", 1), "distance_cm"));
    expect(search_found(b, ""), "{'metric': 'poses', 'chosen': true}"); /* it needs none */
    assert_true(size_of(found, "matches") > 1);
    const json_t *edge = ask(b, api_search_edge, "/%" PRId64 "/0", whole(found, "search"));
    assert_true(json_is_number(item(edge, "costs", 0)));
    ask_job(b, do_index, "{'metric': 'points', 'fps': 60}");
}

TEST_OF(api_bench *b, webs_that_are_damaged_are_as_good_as_none)
{
    sqlite3 *db = NULL;
    ask_job(b, do_index, "{'web': true}");
    assert_int_equal(sqlite3_open("lib.marey", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE web_settings SET settings = x'00'", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    const json_t *damaged = ask(b, api_index, "/");
    expect(damaged, "{'exists': false}");
    assert_non_null(strstr(word(damaged, "why"), "index"));
    refused(b, 409, "input", "index", do_search, "{" QUERY ", 'web': true}");
    int64_t search = whole(search_found(b, ""), "search"); /* by poses */
    ask_status(b, 409, api_search_edge, "/%" PRId64 "/0", search);
    const json_t *made = ask_job(b, do_index, "{}");
    assert_true(json_is_string(json_object_get(made, "rebuilt")));
    search_found(b, ", 'web': true");
    ask(b, api_search_edge, "/%" PRId64 "/0", search);
}

TEST_OF(api_bench *b, a_library_that_can_only_be_read_is_not_indexed)
{
    b->of.can_write = false;
    refused(b, 409, "request", "only be read", do_index, "{}");
    b->of.can_write = true;
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* Enough clips that indexing takes a moment. */
static void put_many(api_bench *b, int count)
{
    FREED char *text = test_person(900);
    OWNED(marey_clip) *clip = test_clip(b->by.ctx, text);
    for (int i = 0; i < count; i++)
        assert_int_equal(marey_library_put(b->by.library, clip, "many", NULL, NULL, 0, NULL),
                         MAREY_OK);
}

/* Cancels a job as soon as it reports that it has begun; what it came to. */
static json_t *cancel_midway(api_bench *b, const char *body)
{
    int64_t id = job_begin(b, do_index, "%s", body);
    for (int i = 0; i < 60000; i++) {
        const json_t *now = ask(b, api_job, "/%" PRId64, id);
        char is = word(now, "state")[0];
        bool begun = number(now, "done") > 0 || (is != 'w' && is != 'r');
        if (begun && is == 'r') {
            assert_true(number(now, "total") >= number(now, "done"));
            assert_string_equal(word(now, "what"), "indexing");
            assert_true(is_null(now, "seconds_left") || number(now, "seconds_left") >= 0);
        }
        if (begun) break;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    ask(b, api_job_cancel, "/%" PRId64 " {}", id);
    return api_wait(b, id);
}

TEST_OF_IN(search_bench_open, api_bench_close, api_bench *b, a_cancelled_index_goes_on_where_it_was)
{
    bool cancelled = false;
    put_many(b, 8);
    for (int i = 0; i < 10 && !cancelled; i++) { /* it may have been done before it was cancelled */
        const json_t *over = cancel_midway(b, i == 0 ? "{'web': true}" : "{'rebuild': true}");
        cancelled = strcmp(word(over, "state"), "cancelled") == 0;
        assert_true(!cancelled || is_null(over, "seconds_left"));
    }
    assert_true(cancelled);
    int64_t missing = whole(ask(b, api_index, "/"), "pairs_missing");
    expect(ask_job(b, do_index, "{}"),
           "{'pairs': %d, 'pairs_built': %" PRId64 ", 'pairs_missing': 0}", 12 * 13 / 2, missing);
    expect(ask_job(b, do_index, "{}"), "{'pairs_built': 0}");
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static bool has_label(const json_t *clip, const char *label)
{
    bool found = false;
    for (size_t i = 0; i < size_of(clip, "labels"); i++)
        found |= strcmp(json_string_value(item(clip, "labels", i)), label) == 0;
    return found;
}

TEST_OF(api_bench *b, what_was_found_becomes_clips)
{
    static const char *const names[] = { "cycle", "cycle-2" };
    static const int frames[] = { 120, 80 };
    const json_t *got = ask(b, do_cut,
                            "{'cuts': [{'clip': $walk, 'start': 60, 'end': 180, 'name': 'cycle'}, "
                            "{'clip': $jog, 'start': 10, 'end': 90, 'name': 'cycle'}], "
                            "'label': ['cycles', 'found'], 'source_label': ['has cycles']}");
    assert_int_equal(size_of(got, "clips"), 2);
    for (size_t i = 0; i < 2; i++) {
        expect(item(got, "clips", i), "{'name': '%s', 'id': %" PRId64 "}", names[i],
               bench_id(b, names[i]));
        const json_t *clip = ask(b, api_clip, "/%" PRId64, bench_id(b, names[i]));
        assert_int_equal(number(clip, "frames"), frames[i]);
        assert_true(has_label(clip, "cycles") && has_label(clip, "found"));
        assert_false(has_label(clip, "has cycles"));
    }
    const json_t *source = ask(b, api_clip, "/$walk");
    assert_true(has_label(source, "has cycles") && !has_label(source, "found"));
    bench_program("marey rm lib.marey cycle cycle-2");
}

TEST_OF(api_bench *b, invalid_cuts_leave_none)
{
#define GOOD_CUT "{'cuts': [{'clip': $walk, 'start': 0, 'end': 9, 'name': 'x'}"
    static const api_refusal rows[] = {
        { "{}", "cuts is missing" },
        { "{'cuts': []}", "cuts must be" },
        { "{'cuts': [3]}", "cuts must be" },
        { "{'cuts': [{'clip': $walk, 'start': 0, 'end': 9}]}", "cuts must be" },
        { "{'cuts': [{'clip': $walk, 'start': 0, 'end': 9, 'name': 7}]}", "cuts must be" },
        { "{'cuts': [{'clip': $walk, 'start': 0, 'end': 9, 'name': 'x', 'y': 1}]}",
          "cuts must be" },
        { GOOD_CUT "], 'label': [1]}", "label must be" },
        { GOOD_CUT "], 'source_label': ['']}", "source_label must be" },
        { GOOD_CUT ", {'clip': $walk, 'start': 290, 'end': 301, 'name': 'x'}]}", "301" },
        { GOOD_CUT ", {'clip': $walk, 'start': 0, 'end': 9, 'name': 'x#y'}]}", "#" },
    };
    int64_t before = 0, after = 0;
    marey_library_version(b->by.library, &before, NULL);
    REFUSED(b, 400, "request", do_cut, rows);
    refused(b, 404, "input", "999", do_cut,
            GOOD_CUT ", {'clip': 999, 'start': 0, 'end': 9, 'name': 'x'}]}");
    marey_library_version(b->by.library, &after, NULL);
    assert_int_equal(before, after);
    assert_int_equal(bench_id(b, "x"), 0);
}

TEST_OF(api_bench *b, starved_cuts_are_whole_or_not_there)
{
    studio_response response =
        api_starve(b, do_cut,
                   "{'cuts': [{'clip': $walk, 'start': 0, 'end': 9, 'name': 'x'}, "
                   "{'clip': $jog, 'start': 0, 'end': 9, 'name': 'x'}]}");
    assert_int_equal(size_of(answer_take_json(&response, 200), "clips"), 2);
    assert_true(bench_id(b, "x-2") > 0);
    assert_int_equal(bench_id(b, "x-3"), 0); /* nothing was left of the tries before */
}

TEST_GROUP_OF_CASES(test_studio_index, search_bench_open, api_bench_close)
