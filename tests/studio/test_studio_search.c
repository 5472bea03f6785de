/* test_studio_search.c - searching through the studio's addresses: what is found is what the
   library finds, by poses and by webs, however often and by however many it is asked. Making the
   index and cutting out what was found are in test_studio_index.c. */
#include "search_bench.h"

#include "searching_inside.h"

#include <sched.h>

static int search_bench_indexed(void **state)
{
    search_bench_open(state);
    ask_job(*state, do_index, "{'web': true}");
    return 0;
}

/* ---- what the library itself finds ----------------------------------------------------------- */

typedef struct judge {
    marey_searcher *searcher;
    marey_finding *finding;
} judge;

static judge judge_make(api_bench *b, const marey_find_def *def)
{
    judge of = { .searcher = NULL };
    marey_query query = { .clip = "walk", .start = 60, .end = 180 };
    marey_error error;
    if (marey_searcher_open(b->by.library, &of.searcher, &error) != MAREY_OK ||
        marey_searcher_find(of.searcher, &query, def, &of.finding, &error) != MAREY_OK) {
        fail_msg("%s", error.message);
    }
    return of;
}

static void judge_free(judge *of)
{
    marey_finding_free(of->finding);
    marey_searcher_free(of->searcher);
}
OWNED_VALUE(judge, judge_free)

static void same_matches(const json_t *got, const judge *of)
{
    int count = 0;
    const marey_match *match = marey_finding_matches(of->finding, &count);
    assert_int_equal(size_of(got, "matches"), count);
    for (int i = 0; i < count; i++, match++)
        expect(item(got, "matches", (size_t)i),
               "{'id': %" PRId64 ", 'clip': '%s', 'start': %d, 'end': %d, 'distance': %.17g, "
               "'distance_cm': %.17g, 'path_distance': %.17g, 'tier': %d, 'mirrored': %s}",
               match->clip, match->name, match->start, match->end, match->distance,
               sqrt(match->distance), match->path_distance, match->tier,
               match->mirrored ? "true" : "false");
}

static void same_edges(const json_t *got, const judge *of)
{
    int count = 0;
    const marey_match_edge *edge = marey_finding_edges(of->finding, &count);
    assert_int_equal(size_of(got, "edges"), count);
    for (int i = 0; i < count; i++, edge++)
        expect(item(got, "edges", (size_t)i), "{'from': %d, 'to': %d, 'distance': %.17g}",
               edge->from, edge->to, edge->distance);
}

/* `body` and `def` say the same. Asked twice: read, then held. */
static void check_search(api_bench *b, const char *more, const marey_find_def *def, int least)
{
    OWNED(judge) of = judge_make(b, def);
    marey_finding_report report = marey_finding_report_of(of.finding);
    for (int again = 0; again < 2; again++) {
        const json_t *got = search_found(b, more);
        same_matches(got, &of);
        same_edges(got, &of);
        assert_true((int)size_of(got, "matches") >= least);
        expect(got,
               "{'metric': '%s', 'tiers': %d, 'threshold': %.17g, 'chosen': %s, 'limited': %s, "
               "'past_ceiling': %s, 'clips_missing': %d, 'fps': %.17g, 'stopped': false}",
               def->web ? "points" : "poses", report.tiers, report.threshold,
               report.chosen ? "true" : "false", report.limited ? "true" : "false",
               report.past_ceiling ? "true" : "false", report.clips_missing, report.fps);
        if (!def->web) expect(got, "{'still_cost': %.17g}", report.still_cost);
        assert_true(def->web == !json_object_get(got, "still_cost"));
    }
}

TEST_OF(api_bench *b, what_is_found_is_what_the_library_finds)
{
    int64_t two[] = { bench_id(b, "left"), bench_id(b, "jog") };
    const struct {
        const char *more;
        marey_find_def def;
        int least;
    } rows[] = {
        { "", { .label = NULL }, 2 },
        { ", 'threshold': 400", { .search = { .threshold = 400 } }, 3 },
        { ", 'threshold': '20cm'", { .search = { .threshold = 400 } }, 3 },
        { ", 'threshold': 400, 'tiers': 2", { .search = { .threshold = 400, .tiers = 2 } }, 3 },
        { ", 'threshold': 400, 'limit': 2", { .search = { .threshold = 400, .limit = 2 } }, 3 },
        { ", 'threshold': 400, 'same': 0.9, 'distinct': 0.5",
          { .search = { .threshold = 400, .same = 0.9, .distinct = 0.5 } },
          3 },
        { ", 'threshold': 400, 'distinct': 0",
          { .search = { .threshold = 400, .distinct = 1e-12 } },
          2 },
        { ", 'threshold': 1e9", { .search = { .threshold = 1e9 } }, 3 },
        { ", 'nearest': 5", { .nearest = 5 }, 6 },
        { ", 'own_size': true, 'threshold': 400",
          { .search = { .threshold = 400 }, .own_size = true },
          2 },
        { ", 'threshold': 1000, 'label': 'tiny'",
          { .search = { .threshold = 1000 }, .label = "tiny" },
          1 },
        { ", 'threshold': 400, 'in': [$left, $jog]",
          { .search = { .threshold = 400 }, .clips = two, .clip_count = 2 },
          2 },
        { ", 'web': true", { .web = true }, 2 },
        { ", 'web': true, 'threshold': 400", { .search = { .threshold = 400 }, .web = true }, 3 },
        { ", 'web': true, 'threshold': 400, 'tiers': 1",
          { .search = { .threshold = 400, .tiers = 1 }, .web = true },
          3 },
        { ", 'web': true, 'threshold': 400, 'limit': 2",
          { .search = { .threshold = 400, .limit = 2 }, .web = true },
          3 },
        { ", 'web': true, 'threshold': 400, 'same': 0.9, 'distinct': 0.5, 'loose': 0.3",
          { .search = { .threshold = 400, .same = 0.9, .distinct = 0.5, .loose = 0.3 },
            .web = true },
          3 },
        { ", 'web': true, 'threshold': 400, 'distinct': 0, 'loose': 0",
          { .search = { .threshold = 400, .distinct = 1e-12, .loose = -1 }, .web = true },
          2 },
        { ", 'web': true, 'threshold': 1e9", { .search = { .threshold = 1e9 }, .web = true }, 3 },
        { ", 'web': true, 'threshold': 1000, 'label': 'tiny'",
          { .search = { .threshold = 1000 }, .web = true, .label = "tiny" },
          1 },
        { ", 'web': true, 'threshold': 400, 'in': [$left, $jog]",
          { .search = { .threshold = 400 }, .web = true, .clips = two, .clip_count = 2 },
          2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_search(b, rows[i].more, &rows[i].def, rows[i].least);
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const api_refusal rows[] = {
        { " ", "no JSON" },
        { "[]", "a JSON object" },
        { "{}", "query is missing" },
        { "{'query': [3]}", "query must be" },
        { "{'query': {'clip': 'walk', 'start': 0}}", "too few" },
        { "{'query': {'clip': 'walk', 'end': 9}}", "query must be frames" },
        { "{'query': {'clip': 0, 'start': 0, 'end': 9}}", "query must be frames" },
        { "{'query': {'clip': 1, 'start': -1, 'end': 9}}", "query must be frames" },
        { "{'query': {'clip': 1, 'start': 0, 'end': 9, 'x': 1}}", "query must be frames" },
        { "{'query': {'clip': 1, 'start': 0, 'end': 9}, 'query': {}}", "twice" },
        { "{" QUERY ", 'threshold': 0}", "threshold must be a number" },
        { "{" QUERY ", 'threshold': '9'}", "threshold must be a number" },
        { "{" QUERY ", 'threshold': '9 cm'}", "threshold must be a number" },
        { "{" QUERY ", 'nearest': 0}", "nearest must be a whole number" },
        { "{" QUERY ", 'own_size': 1}", "own_size must be true or false" },
        { "{" QUERY ", 'loose': 0.1}", "loose is for searches by match webs" },
        { "{" QUERY ", 'web': true, 'nearest': 3}", "nearest is for searches without match webs" },
        { "{" QUERY ", 'web': true, 'own_size': true}", "size is for searches without match webs" },
        { "{" QUERY ", 'tiers': 0}", "tiers must be a whole number" },
        { "{" QUERY ", 'tiers': 1.5}", "tiers must be a whole number" },
        { "{" QUERY ", 'limit': 1000001}", "limit must be a whole number" },
        { "{" QUERY ", 'same': 1.1}", "same must be a number" },
        { "{" QUERY ", 'distinct': -0.1}", "distinct must be a number" },
        { "{" QUERY ", 'loose': 0.6}", "loose must be a number" },
        { "{" QUERY ", 'label': 3}", "label must be a text" },
        { "{" QUERY ", 'label': 'no clip has this'}", "label" },
        { "{" QUERY ", 'in': []}", "in must be a list" },
        { "{" QUERY ", 'speed': 1}", "unknown field speed" },
        { "{" QUERY ", 'add': ['x']}", "add is only for cut" },
        { "{" QUERY ", 'same': 0.1, 'distinct': 0.9}", "" },
        { "{'query': {'clip': $walk, 'start': 0, 'end': 301}}", "" },
        { "{'query': {'clip': $walk, 'start': 300, 'end': 300}}", "" },
        { "{'query': {'clip': $walk, 'start': 9, 'end': 9}}", "" },
        { "{'query': {'clip': $walk, 'start': 30, 'end': 20}}", "" },
        { "{'query': {'clip': $walk, 'start': 10, 'end': 11}}", "" },
    };
    REFUSED(b, 400, "request", do_search, rows);
    refused(b, 404, "input", "999", do_search, "{'query': {'clip': 999, 'start': 0, 'end': 9}}");
    bench_program("marey rm lib.marey walk");
    refused(b, 404, "input", "clip", do_search, "{" QUERY "}");
    bench_program("marey restore lib.marey walk");
}

TEST_OF_IN(search_bench_open, api_bench_close, api_bench *b, without_webs_poses_are_searched)
{
    static const char by_webs[] = "{" QUERY ", 'web': true}";
    refused(b, 409, "input", "no match webs", do_search, by_webs);
    assert_true(size_of(search_found(b, ""), "matches") > 1);
    ask_job(b, do_index, "{'fps': 30}");
    int64_t search = whole(ask(b, do_search, by_webs), "search");
    ask(b, api_search_edge, "/%" PRId64 "/0", search);
    assert_int_equal(marey_library_index_drop(b->by.library, NULL), MAREY_OK);
    refused(b, 409, "input", "no match webs", do_search, by_webs);
    OWNED(grid_read) grid = grid_of_answer(api_ask(b, api_search_grid, "/%" PRId64 "/0", search));
    assert_true(grid.fps == 60); /* as without webs */
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The cost of a cell is the grid's value at its frames; `means`: and their mean the distance. */
static void check_costs(const json_t *edge, const grid_read *grid, bool means)
{
    double start = number_at(json_object_get(edge, "rows"), 0), sum = 0;
    double left = number_at(json_object_get(edge, "cols"), 0);
    assert_int_equal(size_of(edge, "cells"), size_of(edge, "costs"));
    for (size_t i = 0; i < size_of(edge, "cells"); i++) {
        const json_t *cell = item(edge, "cells", i);
        double cost = number_at(json_object_get(edge, "costs"), i);
        size_t down = (size_t)lround((number_at(cell, 0) - start) * grid->fps / 60);
        size_t along = (size_t)lround((number_at(cell, 1) - left) * grid->fps / 60);
        assert_true(down < grid->rows && along < grid->cols);
        test_near(cost, (double)grid->cells[down * grid->cols + along], 1e-3 * (1 + cost));
        sum += cost;
    }
    double mean = sum / (double)size_of(edge, "costs");
    if (means) test_near(mean, number(edge, "distance"), 0.01 * (1 + mean));
}

static void check_edge(api_bench *b, const json_t *found, const judge *of, int number_of,
                       bool means)
{
    OWNED(marey_path) path;
    const json_t *edge =
        ask(b, api_search_edge, "/%" PRId64 "/%d", whole(found, "search"), number_of);
    OWNED(grid_read) grid = grid_of_answer(
        api_ask(b, api_search_grid, "/%" PRId64 "/%d", whole(found, "search"), number_of));
    assert_int_equal(marey_finding_path(of->finding, number_of, &path, NULL), MAREY_OK);
    assert_int_equal(size_of(edge, "cells"), path.count);
    for (int i = 0; i < path.count; i++)
        expect(item(edge, "cells", (size_t)i), "[%d, %d]", path.cells[i].row, path.cells[i].col);
    assert_true(grid.fps == number(found, "fps"));
    assert_true(grid.rows <= 600 && grid.rows == grid.frames[0] && grid.cols == grid.frames[1]);
    check_costs(edge, &grid, means);
}

/* By webs nothing is continued beyond its path, where the search would count the end's cost again.
   Distances by poses are not those of the grid. */
static void check_edges(api_bench *b, bool web)
{
    OWNED(judge) of =
        judge_make(b, &(marey_find_def){ .search = { .threshold = 400, .loose = -1 }, .web = web });
    const json_t *found =
        search_found(b, web ? ", 'web': true, 'threshold': 400, 'loose': 0" : ", 'threshold': 400");
    size_t count = size_of(found, "edges");
    assert_true(count > 1);
    for (size_t i = 0; i < count && i < 12; i++) check_edge(b, found, &of, (int)i, web);
    ask_status(b, 404, api_search_edge, "/%" PRId64 "/%zu", whole(found, "search"), count);
    ask_status(b, 404, api_search_grid, "/%" PRId64 "/999999999999999", whole(found, "search"));
}

/* At the clips' own rate, at a half, and at one that falls between their frames. */
TEST_OF(api_bench *b, an_edge_has_its_cells_their_costs_and_the_grid_around)
{
    static const char *const bodies[] = { "{'fps': 30}", "{'fps': 24}", "{'fps': 60}" };
    for (int i = 0; i < 3; i++) {
        ask_job(b, do_index, "%s", bodies[i]);
        check_edges(b, true);
    }
}

TEST_OF_IN(search_bench_open, api_bench_close, api_bench *b, an_edge_needs_no_webs)
{
    check_edges(b, false);
}

TEST_OF(api_bench *b, the_last_eight_searches_are_remembered)
{
    int64_t first = 0;
    for (int i = 0; i < LIMIT_FINDINGS + 3; i++) {
        int64_t search = whole(search_found(b, ", 'tiers': 1"), "search");
        if (i == 0) first = search;
        assert_int_equal(search, first + i);
    }
    for (int i = -1; i < LIMIT_FINDINGS + 5; i++) {
        bool there = i >= 3 && i < LIMIT_FINDINGS + 3;
        ask_status(b, there ? 200 : 404, api_search_edge, "/%" PRId64 "/0", first + i);
    }
}

/* ---- changes --------------------------------------------------------------------------------- */

static int matches_in(const json_t *found, int64_t clip)
{
    int count = 0;
    for (size_t i = 0; i < size_of(found, "matches"); i++)
        count += whole(item(found, "matches", i), "id") == clip;
    return count;
}

TEST_OF_IN(search_bench_indexed, api_bench_close, api_bench *b,
           a_search_sees_what_became_of_the_library)
{
    static const char more[] = ", 'threshold': 400", webs[] = ", 'web': true, 'threshold': 400";
    int64_t left = bench_id(b, "left");
    const json_t *before = search_found(b, more);
    assert_true(matches_in(before, left) > 0);
    bench_program("marey rm lib.marey left");
    assert_int_equal(matches_in(search_found(b, more), left), 0);
    bench_program("marey restore lib.marey left");
    bench_program("marey rename lib.marey left lefty");
    const json_t *after = search_found(b, more);
    assert_int_equal(matches_in(after, left), matches_in(before, left));
    FREED char *text = json_dumps(after, 0);
    assert_non_null(strstr(text, "\"lefty\""));
    /* a clip that comes is found by poses; by webs it is reported, and found once it is indexed */
    bench_program("marey convert -L lib.marey lefty#0-240 lib.marey:again");
    after = search_found(b, more);
    expect(after, "{'clips_missing': 0}");
    assert_true(matches_in(after, bench_id(b, "again")) > 0);
    expect(search_found(b, webs), "{'clips_missing': 1}");
    ask_job(b, do_index, "{}");
    after = search_found(b, webs);
    expect(after, "{'clips_missing': 0}");
    assert_true(matches_in(after, bench_id(b, "again")) > 0);
    /* of a search before, edges to what is gone are refused, and the others stay */
    bench_program("marey rm lib.marey lefty");
    for (size_t i = 0; i < size_of(before, "edges"); i++) {
        const json_t *edge = item(before, "edges", i);
        const json_t *from = item(before, "matches", (size_t)whole(edge, "from"));
        const json_t *to = item(before, "matches", (size_t)whole(edge, "to"));
        bool gone = whole(from, "id") == left || whole(to, "id") == left;
        ask_status(b, gone ? 404 : 200, api_search_edge, "/%" PRId64 "/%zu",
                   whole(before, "search"), i);
    }
}

/* ---- several at once ------------------------------------------------------------------------- */

/* What finds something in more than one tier, by webs, where all tiers are the default. */
static const char *deep_fields(api_bench *b)
{
    static char text[128];
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, ", 'web': true, 'threshold': %d, 'distinct': 0.%d",
                 40 + 40 * (i / 4), 5 + i % 4);
        if (number(search_found(b, text), "tiers") > 1) return text;
    }
    fail_msg("nothing has more than one tier");
    return "";
}

typedef struct client {
    api_bench *bench;
    char body[1024];
    pthread_t thread;
    int wrong, stopped;
} client;

/* With a worker of its own, as in a studio. The body's answer but for its number and time is always
   the same, unless another search stopped it. */
static void *search_often(void *user)
{
    client *me = user;
    studio_worker worker;
    char *first = NULL;
    if (worker_open(&worker, &me->bench->of, 1, NULL, NULL) != MAREY_OK) return NULL;
    for (int i = 0; i < test_trials(20, 20); i++) {
        OWNED(studio_response) response = api_ask_text(&worker, do_search, me->body);
        json_t *got = json_loadb((char *)response.body.data, response.body.count, 0, NULL);
        json_object_del(got, "search");
        json_object_del(got, "seconds");
        bool is_whole = json_is_false(json_object_get(got, "stopped"));
        FREED char *text = json_dumps(got, JSON_SORT_KEYS);
        if (!first && is_whole) first = strdup(text);
        me->wrong += response.status != 200 || (is_whole && strcmp(text, first) != 0);
        me->stopped += !is_whole;
        json_decref(got);
    }
    free(first);
    worker_close(&worker);
    return NULL;
}

TEST_OF_IN(search_bench_indexed, api_bench_close, api_bench *b, several_clients_search_at_once)
{
    client clients[4];
    const char *const more[] = { ", 'web': true, 'tiers': 1", "", deep_fields(b),
                                 ", 'threshold': 400, 'tiers': 9" };
    b->of.searching->patience_ms = 1000000;
    for (int i = 0; i < 4; i++) {
        clients[i] = (client){ .bench = b };
        snprintf(clients[i].body, sizeof clients[i].body, "{" QUERY "%s}", more[i]);
        bench_fill(b, clients[i].body, sizeof clients[i].body);
        assert_int_equal(pthread_create(&clients[i].thread, NULL, search_often, &clients[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].wrong, 0);
    }
    assert_int_equal(clients[0].stopped, 0); /* a tier is never taken away */
    assert_int_equal(clients[1].stopped, 0);
    print_message("%d and %d of %d deep searches were stopped\n", clients[2].stopped,
                  clients[3].stopped, test_trials(20, 20));
}

typedef struct intruder {
    searching *at;
    atomic_bool ready, over;
} intruder;

/* Does what a quick one does that comes during a deep search. */
static void *come_in_between(void *user)
{
    intruder *me = user;
    searching *at = me->at;
    atomic_store(&me->ready, true);
    for (bool came = false; !came && !atomic_load(&me->over); sched_yield()) {
        pthread_mutex_lock(&at->lock);
        came = at->busy && at->deep;
        if (came) marey_ctx_cancel(at->self.ctx);
        pthread_mutex_unlock(&at->lock);
    }
    return NULL;
}

TEST_OF(api_bench *b, a_deep_search_that_is_stopped_answers_what_it_had)
{
    bool stopped = false;
    const char *fields = deep_fields(b);
    char quick[256];
    snprintf(quick, sizeof quick, "%s, 'tiers': 1", fields);
    const json_t *tier = search_found(b, quick), *deep = search_found(b, fields);
    int64_t most = whole(deep, "tiers");
    for (int i = 0; i < 200 && !stopped; i++) { /* it may be at its end before it is stopped */
        pthread_t thread;
        intruder other = { .at = b->of.searching };
        assert_int_equal(pthread_create(&thread, NULL, come_in_between, &other), 0);
        while (!atomic_load(&other.ready)) sched_yield();
        const json_t *got = search_found(b, fields);
        atomic_store(&other.over, true);
        pthread_join(thread, NULL);
        stopped = is_true(got, "stopped");
        int64_t tiers = whole(got, "tiers");
        assert_true(tiers >= 1 && tiers <= most && (stopped || tiers == most));
        /* The last tier finds nothing new but may still join what is known: one that was stopped
           before it says as many tiers as the whole search and need not have the same matches. */
        const json_t *same = tiers == 1 ? tier : stopped ? got : deep;
        assert_true(json_equal(json_object_get(got, "matches"), json_object_get(same, "matches")));
    }
    assert_true(stopped);
}

TEST_OF_IN(search_bench_indexed, api_bench_close, api_bench *b,
           a_long_search_lets_others_have_their_turn)
{
    const char *fields = deep_fields(b);
    b->of.searching->patience_ms = 0;
    const json_t *all = search_found(b, fields);
    expect(all, "{'stopped': false}");
    assert_true(number(all, "tiers") > 1);
    b->of.searching->deep_waiting = 1; /* as another that waits does */
    const json_t *part = search_found(b, fields);
    b->of.searching->deep_waiting = 0;
    expect(part, "{'stopped': true, 'tiers': 1}");
    assert_true(size_of(part, "matches") > 1);
}

TEST_OF_IN(search_bench_indexed, api_bench_close, api_bench *b,
           a_studio_that_closes_stops_searching)
{
    searching_stop(b->of.searching);
    refused(b, 409, "cancelled", "", do_search, "{" QUERY ", 'threshold': 400}");
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, refused_memory_is_reported_and_the_next_search_is_whole)
{
    static const char *const bodies[] = { "{" QUERY ", 'threshold': 400}",
                                          "{" QUERY ", 'web': true, 'threshold': 400}" };
    for (int i = 0; i < 2; i++) {
        const json_t *good = ask(b, do_search, "%s", bodies[i]);
        searching_make_room(b->of.searching);
        studio_response response = api_starve(b, do_search, "%s", bodies[i]);
        same_values(answer_take_json(&response, 200), good, "matches edges");
    }
}

TEST_GROUP_OF_CASES(test_studio_search, search_bench_indexed, api_bench_close)
