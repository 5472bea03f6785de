/* test_studio_graph.c - motion graphs in the studio: listed, built, measured and drawn as the program and the library do. */
#include "graph_bench.h"

#include "motion_graphs.h"

/* ---- what is kept ------------------------------------------------------------------------------- */

TEST(the_list_is_that_of_the_program)
{
    static const char *const keys[] = { "name",    "kind",        "fps",    "threshold", "frames",
                                        "nodes",   "transitions", "policy", "bytes",     "clips",
                                        "made_of", "labels",      NULL };
    graph_bench *all = *state;
    json_t *got = graph_json(all, do_graph_ls, "{}", 200), *said;
    said = program_json("marey graph ls lib.marey --json");
    assert_int_equal(size_of(got, "kinds"), MAREY_GRAPH_KIND_COUNT);
    assert_string_equal(word(item(got, "kinds", 1), "name"), "connected");
    assert_string_equal(word(got, "unit"), "cm2");
    assert_int_equal(size_of(got, "graphs"), size_of(said, "graphs"));
    for (size_t i = 0; i < size_of(got, "graphs"); i++)
        same_values(item(got, "graphs", i), item(said, "graphs", i), keys);
    const json_t *one = item(got, "graphs", 1), *clip = item(one, "made_of", 2);
    assert_string_equal(word(one, "name"), "standard");
    assert_int_equal(number(one, "clips"), 3);
    assert_int_equal(size_of(one, "made_of"), 3);
    assert_int_equal(number(clip, "id"), all->walk);
    assert_string_equal(word(clip, "name"), "walk_straight");
    assert_true(json_is_false(json_object_get(clip, "removed")));
    assert_true(size_of(one, "labels") >= 2);
    json_decref(said);
    json_decref(got);
}

TEST(a_graph_is_told_with_its_measures)
{
    static const char *const keys[] = { "kind",   "fps",   "metric", "unit",
                                        "joints", "sigma", "labels", NULL };
    graph_bench *all = *state;
    json_t *got = graph_json(all, do_graph_stats, "{\'name\': \'standard\'}", 200);
    json_t *said = program_json("marey graph stats lib.marey standard --json");
    open_graph of = graph_judge(all, "standard");
    same_values(got, said, keys);
    same_values(got, said, stats_keys);
    assert_int_equal(size_of(got, "parts"), of.parts->count);
    for (int i = 0; i < of.parts->count; i++) {
        const json_t *clip = item(got, "parts", (size_t)i);
        assert_int_equal(number(clip, "id"), of.parts->parts[i].clip);
        assert_int_equal(number(clip, "end"), of.parts->parts[i].end);
        assert_int_equal(number(clip, "node"), marey_graph_find(of.graph, i, 0));
    }
    assert_int_equal(number(json_object_get(got, "skeleton"), "id"), of.parts->parts[0].clip);
    assert_true(json_is_null(json_object_get(got, "policy")));
    graph_judge_free(&of);
    json_decref(said);
    json_decref(got);
    api_refused(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"standart\"}", 404, "input",
                "standard");
    api_refused(&all->b, do_graph_stats, 0, NULL, "{}", 400, "request", "name");
    api_refused(&all->b, api_graph_arcs, 0, "name=nobody", NULL, 404, "input", "nobody");
    api_refused(&all->b, api_graph_closure, 0, "name=nobody", NULL, 404, "input", "nobody");
}

/* ---- drawn -------------------------------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const marey_graph_transition *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

TEST(the_strongest_transitions_are_told)
{
    enum { MOST = 300 };
    graph_bench *all = *state;
    open_graph of = graph_judge(all, "standard");
    int n;
    const marey_graph_transition *own = marey_graph_transitions(of.graph, &n);
    marey_graph_transition *sorted = malloc((size_t)n * sizeof *sorted);
    memcpy(sorted, own, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_distance);
    assert_true(n > MOST);
    for (int most = 0; most <= MOST; most = most * 3 + 1) {
        char query[64];
        snprintf(query, sizeof query, "name=standard&count=%d", most);
        json_t *got = api_json(&all->b, api_graph_arcs, 0, query, NULL, 200);
        assert_int_equal(number(got, "arc_count"), n);
        assert_int_equal(size_of(got, "arcs"), most);
        for (int i = 0; i < most; i++) {
            const json_t *arc = item(got, "arcs", (size_t)i);
            assert_int_equal(json_integer_value(json_array_get(arc, 0)), sorted[i].from);
            assert_int_equal(json_integer_value(json_array_get(arc, 1)), sorted[i].to);
            assert_true(json_number_value(json_array_get(arc, 2)) == (double)sorted[i].distance);
        }
        json_decref(got);
    }
    free(sorted);
    graph_judge_free(&of);
}

TEST(segments_are_all_nodes_in_their_order)
{
    graph_bench *all = *state;
    json_t *got = api_json(&all->b, api_graph_arcs, 0, "name=standard&count=0", NULL, 200);
    open_graph of = graph_judge(all, "standard");
    int node = 0;
    assert_int_equal(size_of(got, "segments"), number(got, "segment_count"));
    for (size_t i = 0; i < size_of(got, "segments"); i++) {
        const json_t *bar = item(got, "segments", i);
        int end = node + (int)number(bar, "nodes"), core = 0;
        assert_int_equal(number(bar, "node"), node);
        marey_graph_node first = marey_graph_node_of(of.graph, node);
        assert_int_equal(number(bar, "clip"), of.parts->parts[first.clip].clip);
        assert_int_equal(number(bar, "start"), lround(first.frame));
        for (; node < end; node++) {
            marey_graph_node one = marey_graph_node_of(of.graph, node);
            core += one.core;
            assert_int_equal(one.next, node + 1 < end ? node + 1 : -1);
        }
        assert_true(fabs(number(bar, "core") * number(bar, "nodes") - core) < 1e-6);
    }
    assert_int_equal(node, marey_graph_nodes(of.graph));
    graph_judge_free(&of);
    json_decref(got);
    got = api_json(&all->b, api_graph_arcs, 0, "name=standard&segments=1&count=1", NULL, 200);
    assert_int_equal(size_of(got, "segments"), 1);
    assert_true(number(got, "segment_count") > 1);
    json_decref(got);
    api_refused(&all->b, api_graph_arcs, 0, "name=standard&count=20001", NULL, 400, "request",
                "count");
}

TEST(the_closure_is_that_of_the_library)
{
    enum { SIDE = 37 };
    graph_bench *all = *state;
    marey_error error;
    open_graph of = graph_judge(all, "few");
    int frames = marey_graph_originals(of.graph);
    size_t row = ((size_t)frames + 7) / 8;
    uint8_t *bits = malloc(row * (size_t)frames);
    assert_int_equal(marey_graph_closure(all->b.by.ctx, of.graph, bits, &error), MAREY_OK);
    studio_response got = api_ask(&all->b, api_graph_closure, 0, "name=few&side=37", NULL);
    uint32_t head[3];
    bool none = false, whole = false;
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body.count, 16 + SIDE * SIDE);
    assert_memory_equal(got.body.data, "MRYC", 4);
    memcpy(head, got.body.data + 4, sizeof head);
    assert_true(head[0] == 1 && head[1] == SIDE && head[2] == (uint32_t)frames);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int reached = 0, pairs = 0, shade = got.body.data[16 + y * SIDE + x];
            for (int i = y * frames / SIDE; i < (y + 1) * frames / SIDE; i++) {
                for (int j = x * frames / SIDE; j < (x + 1) * frames / SIDE; j++, pairs++)
                    reached += bits[(size_t)i * row + (size_t)j / 8] >> (j % 8) & 1;
            }
            assert_true((shade == 0) == (reached == 0) && (shade == 255) == (reached == pairs));
            assert_true(fabs(shade - 255.0 * reached / pairs) <= 1.01);
            none |= shade == 0;
            whole |= shade == 255;
        }
    }
    assert_true(none && whole); /* else this shows nothing */
    bytes_free(&got.body);
    free(bits);
    graph_judge_free(&of);
    /* Nearly all is not all. */
    got = api_ask(&all->b, api_graph_closure, 0, "name=standard&side=1", NULL);
    assert_int_equal(got.body.count, 17);
    assert_int_equal(got.body.data[16], 254);
    bytes_free(&got.body);
    api_refused(&all->b, api_graph_closure, 0, "name=few&side=1025", NULL, 400, "request", "side");
}

/* ---- built -------------------------------------------------------------------------------------- */

static void same_bytes(graph_bench *all, const char *left, const char *right)
{
    marey_kept *a = NULL, *b = NULL;
    size_t a_size, b_size;
    int count;
    assert_int_equal(marey_library_kept(all->b.by.library, MAREY_KEPT_GRAPH, left, &a, NULL), 0);
    assert_int_equal(marey_library_kept(all->b.by.library, MAREY_KEPT_GRAPH, right, &b, NULL), 0);
    const void *x = marey_kept_bytes(a, &a_size), *y = marey_kept_bytes(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(x, y, a_size);
    json_t *one = json_loads(marey_kept_entries(a, &count)->about, 0, NULL);
    json_t *other = json_loads(marey_kept_entries(b, &count)->about, 0, NULL);
    assert_true(json_is_object(one) && same_json(one, other));
    json_decref(one);
    json_decref(other);
    marey_kept_free(a);
    marey_kept_free(b);
}

static double rate_of(graph_bench *all, const char *body)
{
    json_t *got = graph_json(all, do_graph_stats, body, 200);
    double fps = number(got, "fps");
    json_decref(got);
    return fps;
}

TEST(what_is_built_is_what_the_program_builds)
{
    graph_bench *all = *state;
    json_t *got = graph_done(all, do_graph_build, "{'name': 'one', 'clips': [$walk, $left]}");
    bench_program("marey graph build lib.marey two short_walk short_left --quiet");
    json_t *said = program_json("marey graph stats lib.marey two --json");
    same_values(got, said, stats_keys);
    assert_int_equal(number(got, "left_out"), 0);
    same_bytes(all, "one", "two");
    json_decref(got);
    json_decref(said);
    assert_true(rate_of(all, "{'name': 'one'}") == 30);
    got = graph_done(all, do_graph_build,
                     "{'name': 'one', 'label': 'few', 'kind': 'standard', 'threshold': 12.5, "
                     "'only_smooth': true, 'fps': 20}");
    bench_program("marey graph build lib.marey two --label few --kind standard --threshold 12.5 "
                  "--only-smooth --fps 20 --quiet");
    assert_int_equal(number(got, "left_out"), 1);
    assert_true(number(got, "fps") == 20);
    assert_true(rate_of(all, "{'name': 'one'}") ==
                20); /* what the worker had kept is that no more */
    same_bytes(all, "one", "two");
    json_decref(got);
    json_decref(graph_json(all, do_graph_rm, "{'name': 'one'}", 200));
    json_decref(graph_json(all, do_graph_rm, "{'name': 'two'}", 200));
}

TEST(the_studio_has_the_options_of_the_program)
{
    static const char truth[] =
        "{\"takes\": [{\"clip\": \"short_walk\", \"segments\": [{\"label\": "
        "\"stroll\", \"start\": 10, \"end\": 200}]}]}";
    graph_bench *all = *state;
    test_file_write("behaviours", truth, sizeof truth - 1);
    json_t *got = graph_done(
        all, do_graph_build,
        "{'name': 'one', 'clips': ['short_walk', $left, $walk], 'sigma': 50, 'metric': 'angles', "
        "'threshold': 4, 'joints': 'hips=1,knee=0.5', 'attributes': [1, 0.5, 0.25], 'fixed_root': "
        "true, 'sweep': [2, 4], 'behaviours': {'takes': [{'clip': 'short_walk', 'segments': "
        "[{'label': 'stroll', 'start': 10, 'end': 200}]}]}}");
    bench_program(
        "marey graph build lib.marey two short_walk short_left --sigma 50 --metric angles "
        "--threshold 4 --joints hips=1,knee=0.5 --attributes 1,0.5,0.25 --fixed-root "
        "--behaviours behaviours --quiet");
    same_bytes(all, "one", "two");
    assert_int_equal(number(got, "clips"), 2); /* one was named twice */
    assert_int_equal(size_of(got, "sweep"), 2);
    assert_string_equal(json_string_value(item(got, "labels", 0)), "stroll");
    json_decref(got);
    json_decref(graph_json(all, do_graph_rm, "{'name': 'one'}", 200));
    json_decref(graph_json(all, do_graph_rm, "{'name': 'two'}", 200));
}

TEST(thresholds_are_worth_what_the_library_says)
{
    static const char *const quick_keys[] = { "frames",      "transitions",          "threshold",
                                              "scc_percent", "connectivity_percent", NULL };
    graph_bench *all = *state;
    json_t *got =
        graph_done(all, do_graph_sweep, "{'clips': [$walk, $left], 'thresholds': [1, 5, 40]}");
    json_t *quick = graph_done(
        all, do_graph_sweep, "{'clips': [$walk, $left], 'thresholds': [1, 5, 40], 'quick': true}");
    json_t *said = program_json(
        "marey graph build lib.marey swept short_walk short_left --sweep 1,5,40 --json");
    assert_int_equal(size_of(got, "sweep"), 3);
    assert_string_equal(word(got, "unit"), "cm2");
    for (size_t i = 0; i < 3; i++) {
        same_values(item(got, "sweep", i), item(said, "sweep", i), stats_keys);
        same_values(item(quick, "sweep", i), item(said, "sweep", i), quick_keys);
        assert_true(json_is_null(json_object_get(item(quick, "sweep", i), "mean_transition_s")));
    }
    assert_true(number(item(got, "sweep", 0), "transitions") <
                number(item(got, "sweep", 2), "transitions"));
    json_decref(said);
    json_decref(quick);
    json_decref(got);
    json_decref(graph_json(all, do_graph_rm, "{'name': 'swept'}", 200));
}

TEST(bodies_that_cannot_be_are_refused)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "{}", "name" },
        { "{'name': ''}", "name" },
        { "{'name': 'a/b'}", "name" },
        { "{'name': 5}", "name must be" },
        { "{'name': 'x', 'colour': 1}", "colour" },
        { "{'name': 'x', 'clips': []}", "clips" },
        { "{'name': 'x', 'clips': [0]}", "clips" },
        { "{'name': 'x', 'clips': ['']}", "clips" },
        { "{'name': 'x', 'clips': 'walk'}", "clips" },
        { "{'name': 'x', 'clips': [1], 'label': 'walk'}", "label is only for" },
        { "{'name': 'x', 'kind': 'best'}", "standard" },
        { "{'name': 'x', 'mu': 2}", "connected" },
        { "{'name': 'x', 'kind': 'connected', 'mu': 0.5}", "mu" },
        { "{'name': 'x', 'kind': 'connected', 'weights': []}", "weights" },
        { "{'name': 'x', 'kind': 'connected', 'weights': [0.5, 0.5]}", "rising" },
        { "{'name': 'x', 'kind': 'connected', 'weights': [1]}", "weights" },
        { "{'name': 'x', 'threshold': 0}", "threshold" },
        { "{'name': 'x', 'threshold': 1e300}", "threshold" },
        { "{'name': 'x', 'fps': 0}", "fps" },
        { "{'name': 'x', 'metric': 'taste'}", "taste" },
        { "{'name': 'x', 'metric': 'angles'}", "threshold" },
        { "{'name': 'x', 'sigma': 0}", "sigma" },
        { "{'name': 'x', 'behaviours': 'truth.json'}", "behaviours must be a JSON object" },
        { "{'name': 'x', 'joints': 'elbow'}", "joints: " },
        { "{'name': 'x', 'joints': 5}", "joints" },
        { "{'name': 'x', 'window': 32}", "window" },
        { "{'name': 'x', 'attributes': [1]}", "attributes is only for" },
        { "{'name': 'x', 'metric': 'angles', 'threshold': 1, 'attributes': [1, 1]}",
          "attributes of angles must be 3 numbers" },
        { "{'name': 'x', 'fixed_root': true}", "fixed_root is only for metric angles" },
        { "{'name': 'x', 'only-smooth': true}", "unknown field" },
        { "{'name': 'x', 'thresholds': [1]}", "thresholds" },
    };
    graph_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&all->b, do_graph_build, 0, NULL, graph_text(all, rows[i].body), 400, "request",
                    rows[i].says);
    }
    api_refused(&all->b, do_graph_sweep, 0, NULL, "{}", 400, "request", "thresholds");
    api_refused(&all->b, do_graph_sweep, 0, NULL, "{\"thresholds\": [2, 1]}", 400, "request",
                "rising");
    api_refused(&all->b, do_graph_sweep, 0, NULL, "{\"thresholds\": [1], \"name\": \"x\"}", 400,
                "request", "name");
    api_refused(&all->b, do_graph_build, 0, NULL, "[]", 400, "request", "object");
    json_t *list = graph_json(all, do_graph_ls, "{}", 200);
    assert_int_equal(size_of(list, "graphs"), 2);
    json_decref(list);
}

static json_t *fails(graph_bench *all, api_run run, const char *body)
{
    json_t *asked_for = graph_json(all, run, body, 202);
    json_t *over = api_wait(&all->b, (int64_t)number(asked_for, "job"));
    assert_string_equal(word(over, "state"), "failed");
    json_t *error = json_incref(json_object_get(over, "error"));
    json_decref(asked_for);
    json_decref(over);
    return error;
}

TEST(clips_that_cannot_be_fail_the_job)
{
    graph_bench *all = *state;
    json_t *error = fails(all, do_graph_build, "{'name': 'x', 'clips': [99999]}");
    assert_string_equal(word(error, "status"), "input");
    json_decref(error);
    error = fails(all, do_graph_build, "{'name': 'x', 'clips': [$walk, $slide]}");
    assert_string_equal(word(error, "status"), "shape");
    json_decref(error);
    error = fails(all, do_graph_build, "{'name': 'x', 'label': 'nothing'}");
    assert_non_null(strstr(word(error, "message"), "nothing"));
    json_decref(error);
}

/* The first may be done before it hears of it; the second waits behind it and never begins. */
TEST(a_build_can_be_cancelled)
{
    graph_bench *all = *state;
    json_t *first = graph_json(all, do_graph_build, "{'name': 'gone', 'label': 'walk'}", 202);
    json_t *second = graph_json(all, do_graph_build, "{'name': 'never', 'label': 'walk'}", 202);
    int64_t numbers[2] = { (int64_t)number(first, "job"), (int64_t)number(second, "job") };
    assert_true(jobs_cancel(all->b.of.jobs, numbers[1]));
    assert_true(jobs_cancel(all->b.of.jobs, numbers[0]));
    json_t *a = api_wait(&all->b, numbers[0]), *b = api_wait(&all->b, numbers[1]);
    assert_string_equal(word(b, "state"), "cancelled");
    bool done = strcmp(word(a, "state"), "done") == 0;
    if (!done) assert_string_equal(word(a, "state"), "cancelled");
    api_refused(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"never\"}", 404, "input", "never");
    if (done) json_decref(graph_json(all, do_graph_rm, "{'name': 'gone'}", 200));
    api_refused(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"gone\"}", 404, "input", "gone");
    json_decref(a);
    json_decref(b);
    json_decref(first);
    json_decref(second);
}

/* ---- trained ------------------------------------------------------------------------------------ */

TEST(a_policy_is_trained_and_told)
{
    static const char *const keys[] = { "directions", "speeds", "discount", "poor",
                                        "rounds",     "bytes",  NULL };
    graph_bench *all = *state;
    json_t *got =
        graph_done(all, do_graph_train, "{'name': 'few', 'directions': 8, 'speeds': [0, 100]}");
    json_t *one = graph_json(all, do_graph_stats, "{\'name\': \'few\'}", 200);
    const json_t *policy = json_object_get(one, "policy");
    assert_int_equal(number(policy, "directions"), 8);
    assert_true(json_equal(json_object_get(policy, "speeds"), json_object_get(got, "speeds")));
    json_t *said =
        program_json("marey graph train lib.marey few --directions 8 --speeds 0,100 --json");
    same_values(got, said, keys);
    json_decref(said);
    json_decref(one);
    json_decref(got);
    json_t *list = graph_json(all, do_graph_ls, "{}", 200);
    assert_true(json_is_true(json_object_get(item(list, "graphs", 0), "policy")));
    assert_true(json_is_false(json_object_get(item(list, "graphs", 1), "policy")));
    json_decref(list);
    json_t *error = fails(all, do_graph_train, "{'name': 'nobody'}");
    assert_string_equal(word(error, "status"), "input");
    assert_non_null(strstr(word(error, "message"), "nobody"));
    json_decref(error);
    api_refused(&all->b, do_graph_train, 0, NULL, "{\"name\": \"few\", \"directions\": 7}", 400,
                "request", "directions");
    api_refused(&all->b, do_graph_train, 0, NULL, "{\"name\": \"few\", \"speeds\": [5, 1]}", 400,
                "request", "rising");
    api_refused(&all->b, do_graph_train, 0, NULL, "{}", 400, "request", "name");
}

/* ---- gone, read-only, without memory ------------------------------------------------------------ */

TEST(a_graph_whose_clip_is_gone_is_listed_and_refused)
{
    graph_bench *all = *state;
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    bench_program("marey graph build lib.marey broken lost short_walk --quiet");
    bench_program("marey rm lib.marey lost");
    api_refused(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"broken\"}", 409, "input", "lost");
    api_refused(&all->b, do_graph_walk, 0, NULL, "{\"graph\": \"broken\", \"length\": \"2s\"}", 409,
                "input", "lost");
    json_t *error = fails(all, do_graph_train, "{'name': 'broken'}");
    assert_string_equal(word(error, "status"), "input");
    assert_non_null(strstr(word(error, "message"), "lost"));
    json_decref(error);
    json_t *list = graph_json(all, do_graph_ls, "{}", 200);
    const json_t *one = item(list, "graphs", 0);
    assert_string_equal(word(one, "name"), "broken");
    assert_true(json_is_true(json_object_get(item(one, "made_of", 0), "removed")));
    json_decref(list);
    json_decref(graph_json(all, do_graph_rm, "{'name': 'broken'}", 200));
    api_refused(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"broken\"}", 404, "input", "broken");
    api_refused(&all->b, do_graph_rm, 0, NULL, "{\"name\": \"broken\"}", 404, "input", "broken");
}

/* A clip that dropouts cut in two, and one that was purged. */
TEST(clips_of_kept_things_are_told_once)
{
    graph_bench *all = *state;
    const marey_part parts[] = { { all->walk, 0, 10 }, { all->walk, 20, 30 }, { 987654, 0, 5 } };
    const char *const names[] = { "before", "before", "gone" };
    const marey_kept_entry entry = { .parts = parts, .part_names = names, .part_count = 3 };
    app_scope scope = app_scope_open(&all->b.of.allocator);
    app_env env = { .library = all->b.by.library, .scope = &scope };
    app_made_of_list made_of;
    assert_int_equal(app_saved_made_of(&env, &entry, &made_of, NULL), MAREY_OK);
    assert_int_equal(made_of.count, 2);
    assert_string_equal(made_of.clips[0].name, "walk_straight");
    assert_false(made_of.clips[0].removed);
    assert_string_equal(made_of.clips[1].name, "gone");
    assert_true(made_of.clips[1].removed);
    app_scope_close(&scope);
}

/* Dragging a path asks for the same graph again and again. */
TEST(what_was_asked_about_stays_open_until_the_library_changes)
{
    graph_bench *all = *state;
    app_scope scope = app_scope_open(&all->b.of.allocator);
    app_cache cache = { .memory = &all->b.of.allocator, .most_weight = 1 << 20 };
    app_env env = { .ctx = all->b.by.ctx, .library = all->b.by.library, .cache = &cache };
    app_saved_graph *first = NULL, *again = NULL, *other = NULL;
    assert_int_equal(app_graph_open(&env, "few", &first, NULL), MAREY_OK);
    assert_int_equal(app_graph_open(&env, "standard", &other, NULL), MAREY_OK);
    app_cache_trim(&cache);
    assert_int_equal(app_graph_open(&env, "few", &again, NULL), MAREY_OK);
    assert_ptr_equal(first, again);
    /* What is not there leaves nothing behind. */
    marey_error error;
    assert_int_equal(app_graph_open(&env, "nobody", &again, &error), MAREY_ERR_NOT_FOUND);
    assert_non_null(strstr(error.message, "nobody"));
    /* Until the end of a request what was opened before a change can be used; then it goes. */
    bench_program("marey label lib.marey slide --add changed");
    assert_int_equal(app_graph_open(&env, "few", &again, NULL), MAREY_OK);
    assert_ptr_not_equal(first, again);
    assert_int_equal(marey_graph_nodes(first->graph), marey_graph_nodes(again->graph));
    app_cache_trim(&cache);
    assert_int_equal(app_graph_open(&env, "few", &first, NULL), MAREY_OK);
    assert_ptr_equal(first, again);
    /* The least recently used goes first, and what is too heavy alone goes too. */
    cache.most_weight = marey_graph_nodes(first->graph);
    app_cache_trim(&cache);
    assert_int_equal(app_graph_open(&env, "few", &again, NULL), MAREY_OK);
    assert_ptr_equal(first, again);
    cache.most_weight = 1;
    app_cache_trim(&cache);
    for (int i = 0; i < APP_CACHE_MOST; i++) assert_null(cache.entries[i].object);
    /* Without a cache it lives as long as the scope. */
    env.cache = NULL;
    env.scope = &scope;
    assert_int_equal(app_graph_open(&env, "few", &first, NULL), MAREY_OK);
    assert_int_equal(app_graph_open(&env, "few", &again, NULL), MAREY_OK);
    assert_ptr_not_equal(first, again);
    app_scope_close(&scope);
}

TEST(a_library_that_can_only_be_read_refuses_at_once)
{
    graph_bench *all = *state;
    all->b.of.can_write = false;
    api_refused(&all->b, do_graph_build, 0, NULL, "{\"name\": \"x\"}", 409, "request", "read");
    api_refused(&all->b, do_graph_train, 0, NULL, "{\"name\": \"few\"}", 409, "request", "read");
    all->b.of.can_write = true;
}

TEST(refused_memory_is_told)
{
    graph_bench *all = *state;
    worker_forget_saved(&all->b.by);
    studio_response to = api_starve(&all->b, do_graph_ls, 0, NULL, "{}");
    json_decref(answer_take_json(&to, 200));
    to = api_starve(&all->b, do_graph_stats, 0, NULL, "{\"name\": \"few\"}");
    json_decref(answer_take_json(&to, 200));
    worker_forget_saved(&all->b.by);
    to = api_starve(&all->b, api_graph_arcs, 0, "name=few", NULL);
    json_decref(answer_take_json(&to, 200));
    to = api_starve(&all->b, api_graph_closure, 0, "name=few", NULL);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    json_decref(api_starve_job(&all->b, do_graph_train, "{\"name\": \"few\"}"));
}

static int open_bench(void **state)
{
    graph_bench_open(state);
    bench_program("marey graph build lib.marey few short_walk short_left --threshold 4 --quiet");
    return 0;
}

TEST_GROUP_OF_CASES(test_studio_graph, open_bench, graph_bench_close)
