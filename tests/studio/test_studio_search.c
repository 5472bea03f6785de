/* test_studio_search.c - searching through the studio's addresses: what is found is what the library finds, however often
   and by however many it is asked. Making the index and cutting out what was found are in test_studio_index.c. */
#include "search_bench.h"

#include "searching_inside.h"

#include <sched.h>

/* ---- what the library itself finds -------------------------------------------------------------- */

typedef struct judge {
    marey_searcher *searcher;
    marey_finding *finding;
} judge;

static judge judge_make(search_bench *all, const marey_find_def *def)
{
    judge of = { .searcher = NULL };
    marey_query query = { .clip = "walk", .start = 60, .end = 180 };
    marey_error error;
    if (marey_searcher_open(all->b.by.library, &of.searcher, &error) != MAREY_OK ||
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

static void same_matches(const json_t *got, const judge *of)
{
    int count = 0;
    const marey_match *matches = marey_finding_matches(of->finding, &count);
    const json_t *list = json_object_get(got, "matches");
    assert_int_equal(json_array_size(list), count);
    for (int i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        assert_int_equal(number(one, "id"), matches[i].clip);
        assert_string_equal(json_string_value(json_object_get(one, "clip")), matches[i].name);
        assert_int_equal(number(one, "start"), matches[i].start);
        assert_int_equal(number(one, "end"), matches[i].end);
        assert_true(number(one, "distance") == matches[i].distance);
        assert_true(number(one, "path_distance") == matches[i].path_distance);
        assert_int_equal(number(one, "tier"), matches[i].tier);
    }
}

static void same_edges(const json_t *got, const judge *of)
{
    int count = 0;
    const marey_match_edge *edges = marey_finding_edges(of->finding, &count);
    const json_t *list = json_object_get(got, "edges");
    assert_int_equal(json_array_size(list), count);
    for (int i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        assert_int_equal(number(one, "from"), edges[i].from);
        assert_int_equal(number(one, "to"), edges[i].to);
        assert_true(number(one, "distance") == edges[i].distance);
    }
}

/* `body` and `def` say the same. Asked twice: read, then held. */
static void check_search(search_bench *all, const char *body, const marey_find_def *def, int least)
{
    judge of = judge_make(all, def);
    marey_finding_report report = marey_finding_report_of(of.finding);
    for (int again = 0; again < 2; again++) {
        json_t *got = search_found(all, body);
        same_matches(got, &of);
        same_edges(got, &of);
        assert_true((int)json_array_size(json_object_get(got, "matches")) >= least);
        assert_int_equal(number(got, "tiers"), report.tiers);
        assert_true(number(got, "threshold") == report.threshold);
        assert_int_equal(json_is_true(json_object_get(got, "limited")), report.limited);
        assert_int_equal(json_is_true(json_object_get(got, "past_ceiling")), report.past_ceiling);
        assert_int_equal(number(got, "clips_missing"), report.clips_missing);
        assert_true(number(got, "fps") == report.fps);
        assert_true(json_is_false(json_object_get(got, "stopped")));
        json_decref(got);
    }
    judge_free(&of);
}

#define CASE(name) TEST_IN(search_bench_indexed, search_bench_close, name)

CASE(what_is_found_is_what_the_library_finds)
{
    search_bench *all = *state;
    char text[128];
    int64_t two[] = { all->left, all->jog };
    check_search(all, "", &(marey_find_def){ 0 }, 2);
    check_search(all, ", 'threshold': 400", &(marey_find_def){ .search = { .threshold = 400 } }, 3);
    check_search(all, ", 'threshold': 400, 'tiers': 1",
                 &(marey_find_def){ .search = { .threshold = 400, .tiers = 1 } }, 3);
    check_search(all, ", 'threshold': 400, 'limit': 2",
                 &(marey_find_def){ .search = { .threshold = 400, .limit = 2 } }, 3);
    check_search(all, ", 'threshold': 400, 'same': 0.9, 'distinct': 0.5, 'loose': 0.3",
                 &(marey_find_def){
                     .search = { .threshold = 400, .same = 0.9, .distinct = 0.5, .loose = 0.3 } },
                 3);
    check_search(
        all, ", 'threshold': 400, 'distinct': 0, 'loose': 0",
        &(marey_find_def){ .search = { .threshold = 400, .distinct = 1e-12, .loose = -1 } }, 2);
    check_search(all, ", 'threshold': 1e9", &(marey_find_def){ .search = { .threshold = 1e9 } }, 3);
    check_search(all, ", 'threshold': 1000, 'label': 'tiny'",
                 &(marey_find_def){ .search = { .threshold = 1000 }, .label = "tiny" }, 1);
    snprintf(text, sizeof text, ", 'threshold': 400, 'in': [%" PRId64 ", %" PRId64 "]", two[0],
             two[1]);
    check_search(all, text,
                 &(marey_find_def){ .search = { .threshold = 400 }, .clips = two, .clip_count = 2 },
                 2);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

CASE(bodies_that_cannot_be_are_refused)
{
    search_bench *all = *state;
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "", "no JSON" },
        { "[]", "a JSON object" },
        { "{}", "query is missing" },
        { "{\"query\": [3]}", "query must be" },
        { "{\"query\": {\"clip\": \"walk\", \"start\": 0}}", "too few" },
        { "{\"query\": {\"clip\": \"walk\", \"end\": 9}}", "query must be frames" },
        { "{\"query\": {\"clip\": 0, \"start\": 0, \"end\": 9}}", "query must be frames" },
        { "{\"query\": {\"clip\": 1, \"start\": -1, \"end\": 9}}", "query must be frames" },
        { "{\"query\": {\"clip\": 1, \"start\": 0, \"end\": 9, \"x\": 1}}",
          "query must be frames" },
        { "{\"query\": {\"clip\": 1, \"start\": 0, \"end\": 9}, \"query\": {}}", "twice" },
    };
    static const struct {
        const char *more, *says;
    } fields[] = {
        { ", 'threshold': 0", "threshold must be a number" },
        { ", 'threshold': '9'", "threshold must be a number" },
        { ", 'tiers': 0", "tiers must be a whole number" },
        { ", 'tiers': 1.5", "tiers must be a whole number" },
        { ", 'limit': 1000001", "limit must be a whole number" },
        { ", 'same': 1.1", "same must be a number" },
        { ", 'distinct': -0.1", "distinct must be a number" },
        { ", 'loose': 0.6", "loose must be a number" },
        { ", 'label': 3", "label must be a text" },
        { ", 'label': 'nobody has this'", "label" },
        { ", 'in': []", "in must be a list" },
        { ", 'speed': 1", "unknown field speed" },
        { ", 'add': ['x']", "add is only for cut" },
        { ", 'same': 0.1, 'distinct': 0.9", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&all->b, do_search, 0, NULL, rows[i].body, 400, "request", rows[i].says);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        api_refused(&all->b, do_search, 0, NULL, search_text(all, fields[i].more), 400, "request",
                    fields[i].says);
    }
}

CASE(frames_and_clips_that_are_not_there_are_refused)
{
    search_bench *all = *state;
    char text[128];
    static const int ranges[][2] = { { 0, 301 }, { 300, 300 }, { 9, 9 }, { 30, 20 }, { 10, 11 } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        snprintf(text, sizeof text,
                 "{\"query\": {\"clip\": %" PRId64 ", \"start\": %d, \"end\": %d}}", all->walk,
                 ranges[i][0], ranges[i][1]);
        api_refused(&all->b, do_search, 0, NULL, text, 400, "request", "");
    }
    api_refused(&all->b, do_search, 0, NULL,
                "{\"query\": {\"clip\": 999, \"start\": 0, \"end\": 9}}", 404, "input", "999");
    bench_program("marey rm lib.marey walk");
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ""), 404, "input", "clip");
}

TEST_IN(search_bench_open, search_bench_close, without_an_index_nothing_is_searched)
{
    search_bench *all = *state;
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ""), 409, "input", "no index");
    json_decref(api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202)));
    json_t *found = search_found(all, "");
    studio_response to = ask_edge(all, api_search_edge, whole(found, "search"), 0);
    json_decref(answer_take_json(&to, 200));
    assert_int_equal(marey_library_index_drop(all->b.by.library, NULL), MAREY_OK);
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ""), 409, "input", "no index");
    to = ask_edge(all, api_search_grid, whole(found, "search"), 0);
    json_decref(answer_take_json(&to, 409));
    json_decref(found);
}

/* ---- edges -------------------------------------------------------------------------------------- */

typedef struct grid_read {
    uint32_t layout, rows, cols, whole[2];
    double fps;
    const float *cells;
    studio_response from;
} grid_read;

static grid_read read_grid(search_bench *all, int64_t search, int edge)
{
    grid_read got = { .from = ask_edge(all, api_search_grid, search, edge) };
    const uint8_t *data = got.from.body.data;
    if (got.from.status != 200) fail_msg("%s", (const char *)data);
    assert_memory_equal(data, "MRYG", 4);
    memcpy(&got.layout, data + 4, 5 * sizeof(uint32_t));
    memcpy(&got.fps, data + 32, sizeof got.fps);
    got.cells = (const float *)(const void *)(data + 40);
    assert_int_equal(got.layout, 1);
    assert_int_equal(got.from.body.count, 40 + (size_t)got.rows * got.cols * sizeof(float));
    return got;
}

/* The cost of a cell is the grid's value at its frames. */
static void check_costs(const json_t *edge, const grid_read *grid)
{
    const json_t *rows = json_object_get(edge, "rows"), *cols = json_object_get(edge, "cols");
    const json_t *cells = json_object_get(edge, "cells"), *costs = json_object_get(edge, "costs");
    int start = (int)json_integer_value(json_array_get(rows, 0));
    int left = (int)json_integer_value(json_array_get(cols, 0));
    double sum = 0;
    assert_int_equal(json_array_size(cells), json_array_size(costs));
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        int row = (int)json_integer_value(json_array_get(cell, 0)) - start;
        int col = (int)json_integer_value(json_array_get(cell, 1)) - left;
        double cost = json_number_value(json_array_get(costs, i));
        size_t down = (size_t)lround(row * grid->fps / 60);
        size_t along = (size_t)lround(col * grid->fps / 60);
        assert_true(down < grid->rows && along < grid->cols);
        assert_true(fabs(cost - (double)grid->cells[down * grid->cols + along]) <=
                    1e-3 * (1 + cost));
        sum += cost;
    }
    double mean = sum / (double)json_array_size(costs);
    assert_true(fabs(mean - number(edge, "distance")) < 0.01 * (1 + mean));
}

static void check_edge(search_bench *all, const json_t *found, const judge *of, int number_of)
{
    marey_path path;
    studio_response to = ask_edge(all, api_search_edge, whole(found, "search"), number_of);
    json_t *edge = answer_take_json(&to, 200);
    const json_t *cells = json_object_get(edge, "cells");
    grid_read grid = read_grid(all, whole(found, "search"), number_of);
    assert_int_equal(marey_finding_path(of->finding, number_of, &path, NULL), MAREY_OK);
    assert_int_equal(json_array_size(cells), path.count);
    for (int i = 0; i < path.count; i++) {
        const json_t *cell = json_array_get(cells, (size_t)i);
        assert_int_equal(json_integer_value(json_array_get(cell, 0)), path.cells[i].row);
        assert_int_equal(json_integer_value(json_array_get(cell, 1)), path.cells[i].col);
    }
    assert_true(grid.fps == number(found, "fps"));
    assert_true(grid.rows <= 600 && grid.rows == grid.whole[0] && grid.cols == grid.whole[1]);
    check_costs(edge, &grid);
    marey_path_free(&path);
    bytes_free(&grid.from.body);
    json_decref(edge);
}

/* Nothing is continued beyond its path, where the search would count the end's cost again. */
static void check_edges(search_bench *all)
{
    judge of = judge_make(all, &(marey_find_def){ .search = { .threshold = 400, .loose = -1 } });
    json_t *found = search_found(all, ", 'threshold': 400, 'loose': 0");
    size_t count = json_array_size(json_object_get(found, "edges"));
    assert_true(count > 1);
    for (size_t i = 0; i < count && i < 12; i++) check_edge(all, found, &of, (int)i);
    studio_response to = ask_edge(all, api_search_edge, whole(found, "search"), (int64_t)count);
    json_decref(answer_take_json(&to, 404));
    to = ask_edge(all, api_search_grid, whole(found, "search"), 999999999999999);
    json_decref(answer_take_json(&to, 404));
    json_decref(found);
    judge_free(&of);
}

/* At the clips' own rate, at a half, and at one that falls between their frames. */
CASE(an_edge_has_its_cells_their_costs_and_the_grid_around)
{
    search_bench *all = *state;
    static const char *const bodies[] = { "{}", "{\"fps\": 30}", "{\"fps\": 24}" };
    for (int i = 0; i < 3; i++) {
        json_decref(api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, bodies[i], 202)));
        check_edges(all);
    }
}

CASE(the_last_eight_searches_are_remembered)
{
    search_bench *all = *state;
    int64_t first = 0;
    for (int i = 0; i < LIMIT_FINDINGS + 3; i++) {
        json_t *found = search_found(all, ", 'tiers': 1");
        if (i == 0) first = whole(found, "search");
        assert_int_equal(number(found, "search"), first + i);
        json_decref(found);
    }
    for (int i = -1; i < LIMIT_FINDINGS + 5; i++) {
        bool there = i >= 3 && i < LIMIT_FINDINGS + 3;
        studio_response to = ask_edge(all, api_search_edge, first + i, 0);
        json_decref(answer_take_json(&to, there ? 200 : 404));
    }
}

/* ---- changes ------------------------------------------------------------------------------------ */

CASE(a_search_sees_what_became_of_the_library)
{
    search_bench *all = *state;
    json_t *before = search_found(all, ", 'threshold': 400");
    assert_true(matches_in(before, all->left) > 0);
    bench_program("marey rm lib.marey left");
    json_t *after = search_found(all, ", 'threshold': 400");
    assert_int_equal(matches_in(after, all->left), 0);
    json_decref(after);
    bench_program("marey restore lib.marey left");
    bench_program("marey rename lib.marey left lefty");
    after = search_found(all, ", 'threshold': 400");
    assert_int_equal(matches_in(after, all->left), matches_in(before, all->left));
    char *text = json_dumps(after, 0);
    assert_non_null(strstr(text, "\"lefty\""));
    free(text);
    json_decref(after);
    /* a clip that comes is told, and found once it is indexed */
    bench_program("marey convert -L lib.marey lefty#0-240 lib.marey:again");
    after = search_found(all, ", 'threshold': 400");
    assert_int_equal(number(after, "clips_missing"), 1);
    json_decref(after);
    json_decref(api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202)));
    after = search_found(all, ", 'threshold': 400");
    assert_int_equal(number(after, "clips_missing"), 0);
    assert_true(matches_in(after, bench_id(&all->b, "again")) > 0);
    /* of a search before, edges to what is gone are refused, and the others stay */
    bench_program("marey rm lib.marey lefty");
    int64_t search = whole(before, "search");
    const json_t *edges = json_object_get(before, "edges");
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *edge = json_array_get(edges, i);
        const json_t *matches = json_object_get(before, "matches");
        bool gone =
            whole(json_array_get(matches, (size_t)whole(edge, "from")), "id") == all->left ||
            whole(json_array_get(matches, (size_t)whole(edge, "to")), "id") == all->left;
        studio_response to = ask_edge(all, api_search_edge, search, (int64_t)i);
        json_decref(answer_take_json(&to, gone ? 404 : 200));
    }
    json_decref(after);
    json_decref(before);
}

/* ---- several at once ---------------------------------------------------------------------------- */

/* What finds something in more than one tier. */
static const char *deep_wish(search_bench *all)
{
    static char text[128];
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, ", 'threshold': %d, 'distinct': 0.%d", 40 + 40 * (i / 4),
                 5 + i % 4);
        json_t *found = search_found(all, text);
        bool deep = number(found, "tiers") > 1;
        json_decref(found);
        if (deep) return text;
    }
    fail_msg("nothing has more than one tier");
    return "";
}

typedef struct client {
    search_bench *all;
    const char *body;
    pthread_t thread;
    int wrong, stopped;
} client;

/* With a worker of its own, as in a studio. The body's answer but for its number and time is always the same, unless
   somebody else stopped it. */
static void *search_often(void *user)
{
    client *me = user;
    studio_worker by;
    char *first = NULL;
    if (worker_open(&by, &me->all->b.of, 1, NULL, NULL) != MAREY_OK) return NULL;
    for (int i = 0; i < 20; i++) {
        studio_request what = { .body = (const uint8_t *)me->body, .body_count = strlen(me->body) };
        studio_response to = { .tag = "", .body = { .memory = &me->all->b.of.memory } };
        do_search(&by, &what, &to);
        json_t *got = json_loadb((const char *)to.body.data, to.body.count, 0, NULL);
        json_object_del(got, "search");
        json_object_del(got, "seconds");
        bool is_whole = json_is_false(json_object_get(got, "stopped"));
        char *text = json_dumps(got, JSON_SORT_KEYS);
        if (!first && is_whole) first = strdup(text);
        me->wrong += to.status != 200 || (is_whole && strcmp(text, first) != 0);
        me->stopped += !is_whole;
        free(text);
        json_decref(got);
        bytes_free(&to.body);
    }
    free(first);
    worker_close(&by);
    return NULL;
}

CASE(several_clients_search_at_once)
{
    search_bench *all = *state;
    char bodies[3][1024];
    client clients[3];
    snprintf(bodies[0], sizeof bodies[0], "%s", search_text(all, ", 'tiers': 1"));
    snprintf(bodies[1], sizeof bodies[1], "%s", search_text(all, deep_wish(all)));
    snprintf(bodies[2], sizeof bodies[2], "%s", search_text(all, ", 'label': 'tiny'"));
    all->b.of.searching->patience_ms = 1000000;
    for (int i = 0; i < 3; i++) {
        clients[i] = (client){ .all = all, .body = bodies[i] };
        assert_int_equal(pthread_create(&clients[i].thread, NULL, search_often, &clients[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].wrong, 0);
    }
    assert_int_equal(clients[0].stopped, 0); /* a tier is never taken away */
    print_message("%d and %d of 20 deep searches were stopped\n", clients[1].stopped,
                  clients[2].stopped);
}

typedef struct intruder {
    searching *at;
    atomic_bool ready, over;
} intruder;

/* Does what a quick one does that comes while somebody searches deep. */
static void *come_in_between(void *user)
{
    intruder *me = user;
    searching *by = me->at;
    atomic_store(&me->ready, true);
    for (bool came = false; !came && !atomic_load(&me->over); sched_yield()) {
        pthread_mutex_lock(&by->lock);
        came = by->busy && by->deep;
        if (came) marey_ctx_cancel(by->self.ctx);
        pthread_mutex_unlock(&by->lock);
    }
    return NULL;
}

CASE(a_deep_search_that_is_stopped_answers_what_it_had)
{
    search_bench *all = *state;
    bool stopped = false;
    const char *wish = deep_wish(all);
    char quick[256];
    snprintf(quick, sizeof quick, "%s, 'tiers': 1", wish);
    json_t *tier = search_found(all, quick), *deep = search_found(all, wish);
    int most = whole(deep, "tiers");
    for (int i = 0; i < 200 && !stopped; i++) { /* it may be at its end before it is stopped */
        pthread_t thread;
        intruder other = { .at = all->b.of.searching };
        assert_int_equal(pthread_create(&thread, NULL, come_in_between, &other), 0);
        while (!atomic_load(&other.ready)) sched_yield();
        json_t *got = search_found(all, wish);
        atomic_store(&other.over, true);
        pthread_join(thread, NULL);
        stopped = json_is_true(json_object_get(got, "stopped"));
        int tiers = whole(got, "tiers");
        assert_true(tiers >= 1 && tiers <= most && (stopped || tiers == most));
        /* The last tier finds nothing new but may still join what is known: one that was stopped before it says as
           many tiers as the whole search and need not have the same matches. */
        json_t *same = tiers == 1 ? tier : stopped ? got : deep;
        assert_true(json_equal(json_object_get(got, "matches"), json_object_get(same, "matches")));
        json_decref(got);
    }
    assert_true(stopped);
    json_decref(tier);
    json_decref(deep);
}

CASE(who_searches_for_long_lets_others_have_their_turn)
{
    search_bench *all = *state;
    searching *by = all->b.of.searching;
    const char *wish = deep_wish(all);
    by->patience_ms = 0;
    json_t *whole_one = search_found(all, wish);
    assert_true(json_is_false(json_object_get(whole_one, "stopped")));
    assert_true(number(whole_one, "tiers") > 1);
    by->deep_waiting = 1; /* as somebody who waits does */
    json_t *part = search_found(all, wish);
    by->deep_waiting = 0;
    assert_true(json_is_true(json_object_get(part, "stopped")));
    assert_int_equal(number(part, "tiers"), 1);
    assert_true(json_array_size(json_object_get(part, "matches")) > 1);
    json_decref(part);
    json_decref(whole_one);
}

CASE(a_studio_that_closes_stops_searching)
{
    search_bench *all = *state;
    searching_stop(all->b.of.searching);
    api_refused(&all->b, do_search, 0, NULL, search_text(all, ", 'threshold': 400"), 409,
                "cancelled", "");
}

/* ---- memory ------------------------------------------------------------------------------------- */

CASE(refused_memory_is_told_and_the_next_search_is_whole)
{
    search_bench *all = *state;
    json_t *good = search_found(all, ", 'threshold': 400");
    searching_make_room(all->b.of.searching);
    studio_response to =
        api_starve(&all->b, do_search, 0, NULL, search_text(all, ", 'threshold': 400"));
    json_t *got = answer_take_json(&to, 200);
    assert_true(json_equal(json_object_get(got, "matches"), json_object_get(good, "matches")));
    assert_true(json_equal(json_object_get(got, "edges"), json_object_get(good, "edges")));
    json_decref(got);
    json_decref(good);
}

TEST_GROUP_OF_CASES(test_studio_search, NULL, NULL)
