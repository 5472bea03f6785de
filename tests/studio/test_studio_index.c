/* test_studio_index.c - making the index through the studio's addresses, and cutting out what was found by it. */
#include "search_bench.h"

#include <sqlite3.h>

/* ---- the index ---------------------------------------------------------------------------------- */

#define CASE(name) TEST_IN(search_bench_open, search_bench_close, name)

CASE(the_index_is_told_as_the_library_has_it)
{
    search_bench *all = *state;
    json_t *none = api_json(&all->b, api_index, 0, NULL, NULL, 200);
    assert_true(json_is_false(json_object_get(none, "exists")));
    assert_null(json_object_get(none, "fps"));
    json_decref(none);
    json_t *made =
        api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{\"fps\": 30}", 202));
    json_t *told = api_json(&all->b, api_index, 0, NULL, NULL, 200);
    marey_index_state is;
    assert_int_equal(marey_library_index_state(all->b.by.library, &is, NULL), MAREY_OK);
    const json_t *both[] = { made, told };
    for (int i = 0; i < 2; i++) {
        assert_true(number(both[i], "fps") == 30);
        assert_int_equal(number(both[i], "clips"), 4);
        assert_int_equal(number(both[i], "pairs"), 10);
        assert_int_equal(number(both[i], "pairs_missing"), 0);
        assert_int_equal(number(both[i], "cells"), is.size.cells);
        assert_int_equal(number(both[i], "chains"), is.size.chains);
        assert_int_equal(number(both[i], "bridges"), is.size.bridges);
        assert_int_equal(number(both[i], "bytes"), is.size.bytes);
        assert_true(number(both[i], "ceiling") == is.size.ceiling);
        assert_string_equal(json_string_value(json_object_get(both[i], "metric")), "points");
    }
    assert_true(is.size.chains > 0);
    assert_int_equal(number(made, "pairs_built"), 10);
    assert_true(json_is_null(json_object_get(made, "rebuilt")));
    assert_true(json_is_true(json_object_get(told, "exists")));
    assert_string_equal(json_string_value(json_object_get(told, "unit")), "cm2");
    assert_true(number(told, "threshold") == MAREY_FIND_THRESHOLD);
    assert_true(json_is_object(json_object_get(told, "about")));
    json_decref(made);
    json_decref(told);
}

/* The numbers are those of `marey index --json`, but for the time it took. */
CASE(the_result_of_the_job_is_what_the_program_says)
{
    search_bench *all = *state;
    test_run run = test_run_make();
    if (test_run_line(&run, "marey index lib.marey --rebuild --json") != 0) {
        fail_msg("%s", run.err.bytes);
    }
    json_t *said = json_loads(run.out.bytes, 0, NULL);
    json_t *made =
        api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{\"rebuild\": true}", 202));
    json_object_del(made, "job");
    json_t *both[] = { said, made };
    for (int i = 0; i < 2; i++) {
        assert_true(json_object_del(both[i], "seconds") == 0);
        json_object_del(both[i], "rebuilt"); /* the first time there was nothing to be made again */
        json_object_del(both[i], "pairs_dropped");
    }
    const char *key;
    const json_t *value;
    json_object_foreach(said, key, value)
    {
        const json_t *ours = json_object_get(made, key);
        if (!json_equal(value, ours) && json_number_value(value) != json_number_value(ours)) {
            fail_msg("%s is another", key);
        }
        assert_int_equal(json_is_number(value), json_is_number(ours));
    }
    assert_int_equal(json_object_size(said), json_object_size(made));
    json_decref(said);
    json_decref(made);
    test_run_free(&run);
}

CASE(bodies_that_cannot_be_are_refused)
{
    search_bench *all = *state;
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "", "no JSON" },
        { "{\"fps\": 0}", "fps must be a number" },
        { "{\"fps\": \"60\"}", "fps must be a number" },
        { "{\"metric\": \"nearness\"}", "metric" },
        { "{\"metric\": 3}", "metric" },
        { "{\"rebuild\": 1}", "rebuild must be true or false" },
        { "{\"clip\": 1}", "unknown field clip" },
        { "{\"show\": true, \"fps\": 30}", "show builds nothing" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&all->b, do_index, 0, NULL, rows[i].body, 400, "request", rows[i].says);
    }
}

CASE(another_metric_has_no_threshold_of_its_own)
{
    search_bench *all = *state;
    json_decref(api_job_done(
        &all->b, api_json(&all->b, do_index, 0, NULL, "{\"metric\": \"angles\"}", 202)));
    json_t *told = api_json(&all->b, api_index, 0, NULL, NULL, 200);
    assert_string_equal(json_string_value(json_object_get(told, "metric")), "angles");
    assert_true(json_is_null(json_object_get(told, "threshold")));
    assert_true(json_is_null(json_object_get(told, "ceiling")));
    json_decref(told);
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ""), 400, "request", "threshold");
    json_t *found = search_found(all, ", 'threshold': 5");
    assert_true(json_array_size(json_object_get(found, "matches")) > 1);
    studio_response to = ask_edge(all, api_search_edge, whole(found, "search"), 0);
    json_t *edge = answer_take_json(&to, 200);
    assert_true(json_is_number(json_array_get(json_object_get(edge, "costs"), 0)));
    json_decref(edge);
    json_decref(found);
}

CASE(an_index_that_cannot_be_read_is_as_good_as_none)
{
    search_bench *all = *state;
    sqlite3 *db = NULL;
    json_decref(api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202)));
    assert_int_equal(sqlite3_open("lib.marey", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE web_settings SET settings = x'00'", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    json_t *told = api_json(&all->b, api_index, 0, NULL, NULL, 200);
    assert_true(json_is_false(json_object_get(told, "exists")));
    assert_non_null(strstr(json_string_value(json_object_get(told, "why")), "index"));
    json_decref(told);
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ""), 409, "input", "index");
    json_t *made = api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202));
    assert_true(json_is_string(json_object_get(made, "rebuilt")));
    json_decref(made);
    json_decref(search_found(all, ""));
}

CASE(a_library_that_cannot_be_written_is_not_indexed)
{
    search_bench *all = *state;
    api_bench_stop(&all->b);
    api_bench_start(&all->b, false);
    api_refused(&all->b, do_index, 0, NULL, "{}", 409, "request", "only be read");
}

/* ---- cancelling --------------------------------------------------------------------------------- */

/* Enough clips that indexing takes a moment. */
static void put_many(search_bench *all, int count)
{
    char *text = test_person(900);
    marey_clip *clip = test_clip(all->b.by.ctx, text);
    for (int i = 0; i < count; i++) {
        assert_int_equal(marey_library_put(all->b.by.library, clip, "many", NULL, NULL, 0, NULL),
                         MAREY_OK);
    }
    marey_clip_free(clip);
    free(text);
}

/* Cancels a job as soon as it tells that it has begun; what it came to. */
static json_t *cancel_midway(search_bench *all, const char *body)
{
    json_t *begun_job = api_json(&all->b, do_index, 0, NULL, body, 202);
    int64_t id = whole(begun_job, "job");
    json_decref(begun_job);
    for (int i = 0; i < 60000; i++) {
        json_t *now = api_json(&all->b, api_job, id, NULL, NULL, 200);
        const char *is = json_string_value(json_object_get(now, "state"));
        bool begun = number(now, "done") > 0 || (is[0] != 'w' && is[0] != 'r');
        if (begun && is[0] == 'r') {
            assert_true(number(now, "total") >= number(now, "done"));
            assert_string_equal(json_string_value(json_object_get(now, "what")), "indexing");
            const json_t *left = json_object_get(now, "seconds_left");
            assert_true(json_is_null(left) || json_number_value(left) >= 0);
        }
        json_decref(now);
        if (begun) break;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    json_decref(api_json(&all->b, api_job_cancel, id, NULL, "{}", 200));
    return api_wait(&all->b, id);
}

CASE(a_cancelled_index_goes_on_where_it_was)
{
    search_bench *all = *state;
    bool cancelled = false;
    put_many(all, 8);
    for (int i = 0; i < 10 && !cancelled; i++) { /* it may have been done before it was cancelled */
        json_t *over = cancel_midway(all, i == 0 ? "{}" : "{\"rebuild\": true}");
        cancelled = strcmp(json_string_value(json_object_get(over, "state")), "cancelled") == 0;
        assert_true(!cancelled || json_is_null(json_object_get(over, "seconds_left")));
        json_decref(over);
    }
    assert_true(cancelled);
    json_t *part = api_json(&all->b, api_index, 0, NULL, NULL, 200);
    int missing = whole(part, "pairs_missing");
    json_decref(part);
    json_t *made = api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202));
    assert_int_equal(number(made, "pairs"), 12 * 13 / 2);
    assert_int_equal(number(made, "pairs_built"), missing);
    assert_int_equal(number(made, "pairs_missing"), 0);
    json_decref(made);
    made = api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202));
    assert_int_equal(number(made, "pairs_built"), 0);
    json_decref(made);
}

/* ---- cuts --------------------------------------------------------------------------------------- */

static const char *cuts_text(const search_bench *all, const char *text)
{
    static char out[1024];
    size_t used = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '$') {
            used += (size_t)snprintf(out + used, sizeof out - used, "%" PRId64,
                                     at[1] == 'w' ? all->walk : all->jog);
            at++;
        } else {
            out[used++] = *at == '\'' ? '"' : *at;
        }
        assert_true(used < sizeof out - 32);
    }
    out[used] = 0;
    return out;
}

CASE(what_was_found_becomes_clips)
{
    search_bench *all = *state;
    const char *body =
        cuts_text(all, "{'cuts': [{'clip': $w, 'start': 60, 'end': 180, 'name': 'cycle'}, "
                       "{'clip': $j, 'start': 10, 'end': 90, 'name': 'cycle'}], "
                       "'label': ['cycles', 'found'], 'source_label': ['has cycles']}");
    json_t *got = api_json(&all->b, do_cut, 0, NULL, body, 200);
    const json_t *clips = json_object_get(got, "clips");
    static const char *const names[] = { "cycle", "cycle-2" };
    static const int frames[] = { 120, 80 };
    assert_int_equal(json_array_size(clips), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(clips, i);
        assert_string_equal(json_string_value(json_object_get(one, "name")), names[i]);
        assert_int_equal(number(one, "id"), bench_id(&all->b, names[i]));
        json_t *clip = api_json(&all->b, api_clip, whole(one, "id"), NULL, NULL, 200);
        char *labels = json_dumps(json_object_get(clip, "labels"), 0);
        assert_int_equal(number(clip, "frames"), frames[i]);
        assert_non_null(strstr(labels, "\"cycles\""));
        assert_non_null(strstr(labels, "\"found\""));
        assert_null(strstr(labels, "\"has cycles\""));
        free(labels);
        json_decref(clip);
    }
    json_t *source = api_json(&all->b, api_clip, all->walk, NULL, NULL, 200);
    char *labels = json_dumps(json_object_get(source, "labels"), 0);
    assert_non_null(strstr(labels, "\"has cycles\""));
    assert_null(strstr(labels, "\"found\""));
    free(labels);
    json_decref(source);
    json_decref(got);
}

CASE(cuts_that_cannot_be_leave_none)
{
    search_bench *all = *state;
    static const struct {
        const char *body;
        int status;
        const char *word, *says;
    } rows[] = {
        { "{}", 400, "request", "cuts is missing" },
        { "{'cuts': []}", 400, "request", "cuts must be" },
        { "{'cuts': [3]}", 400, "request", "cuts must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9}]}", 400, "request", "cuts must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 7}]}", 400, "request",
          "cuts must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x', 'y': 1}]}", 400, "request",
          "cuts must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}], 'label': [1]}", 400,
          "request", "label must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}], 'source_label': ['']}", 400,
          "request", "source_label must be" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}, "
          "{'clip': $w, 'start': 290, 'end': 301, 'name': 'x'}]}",
          400, "request", "301" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}, "
          "{'clip': 999, 'start': 0, 'end': 9, 'name': 'x'}]}",
          404, "input", "999" },
        { "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}, "
          "{'clip': $w, 'start': 0, 'end': 9, 'name': 'x#y'}]}",
          400, "request", "#" },
    };
    int64_t before = 0, after = 0;
    marey_library_version(all->b.by.library, &before, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&all->b, do_cut, 0, NULL, cuts_text(all, rows[i].body), rows[i].status,
                    rows[i].word, rows[i].says);
    }
    marey_library_version(all->b.by.library, &after, NULL);
    assert_int_equal(before, after);
    assert_int_equal(bench_id(&all->b, "x"), 0);
}

CASE(starved_cuts_are_whole_or_not_there)
{
    search_bench *all = *state;
    const char *body = cuts_text(all, "{'cuts': [{'clip': $w, 'start': 0, 'end': 9, 'name': 'x'}, "
                                      "{'clip': $j, 'start': 0, 'end': 9, 'name': 'x'}]}");
    studio_response to = api_starve(&all->b, do_cut, 0, NULL, body);
    json_t *got = answer_take_json(&to, 200);
    assert_int_equal(json_array_size(json_object_get(got, "clips")), 2);
    json_decref(got);
    assert_true(bench_id(&all->b, "x-2") > 0);
    assert_int_equal(bench_id(&all->b, "x-3"), 0); /* nothing was left of the tries before */
}

TEST_GROUP_OF_CASES(test_studio_index, NULL, NULL)
