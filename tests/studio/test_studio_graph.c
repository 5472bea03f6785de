/* test_studio_graph.c - motion graphs in the studio: listed, built, measured and drawn as the
   program and the library do. */
#include "graph_bench.h"

#include "motion_graphs.h"

/* ---- what is kept ---------------------------------------------------------------------------- */

TEST_OF(api_bench *b, the_list_is_that_of_the_program)
{
    const json_t *got = ask(b, do_graph_ls, "{}");
    const json_t *said = program_json("marey graph ls lib.marey --json");
    assert_int_equal(size_of(got, "kinds"), MAREY_GRAPH_KIND_COUNT);
    assert_string_equal(word(item(got, "kinds", 1), "name"), "connected");
    assert_string_equal(word(got, "unit"), "cm2");
    assert_int_equal(size_of(got, "graphs"), size_of(said, "graphs"));
    for (size_t i = 0; i < size_of(got, "graphs"); i++)
        same_values(
            item(got, "graphs", i), item(said, "graphs", i),
            "name kind fps threshold frames nodes transitions policy bytes clips made_of labels");
    const json_t *one = item(got, "graphs", 1);
    expect(one, "{'name': 'standard', 'clips': 3}");
    assert_int_equal(size_of(one, "made_of"), 3);
    expect(item(one, "made_of", 2),
           "{'id': %" PRId64 ", 'name': 'walk_straight', 'removed': false}",
           bench_id(b, "walk_straight"));
    assert_true(size_of(one, "labels") >= 2);
}

TEST_OF(api_bench *b, a_graph_is_described_with_its_measures)
{
    const json_t *got = ask(b, do_graph_stats, "{'name': 'standard'}");
    const json_t *said = program_json("marey graph stats lib.marey standard --json");
    OWNED(open_graph) of = graph_judge(b, "standard");
    same_values(got, said, "kind fps metric unit joints sigma labels");
    same_values(got, said, stats_keys);
    assert_int_equal(size_of(got, "parts"), of.parts->count);
    for (int i = 0; i < of.parts->count; i++)
        expect(item(got, "parts", (size_t)i), "{'id': %" PRId64 ", 'end': %d, 'node': %d}",
               of.parts->parts[i].clip, of.parts->parts[i].end, marey_graph_find(of.graph, i, 0));
    expect(got, "{'skeleton': {'id': %" PRId64 "}, 'policy': null}", of.parts->parts[0].clip);
    refused(b, 404, "input", "standard", do_graph_stats, "{'name': 'standart'}");
    refused(b, 400, "request", "name", do_graph_stats, "{}");
    refused(b, 404, "input", "missing", api_graph_arcs, "?name=missing");
    refused(b, 404, "input", "missing", api_graph_closure, "?name=missing");
}

/* ---- drawn ----------------------------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const marey_graph_transition *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

TEST_OF(api_bench *b, the_strongest_transitions_are_listed)
{
    enum { MOST = 300 };
    OWNED(open_graph) of = graph_judge(b, "standard");
    int n;
    const marey_graph_transition *own = marey_graph_transitions(of.graph, &n);
    FREED marey_graph_transition *sorted = malloc((size_t)n * sizeof *sorted);
    memcpy(sorted, own, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_distance);
    assert_true(n > MOST);
    for (int most = 0; most <= MOST; most = most * 3 + 1) {
        const json_t *got = ask(b, api_graph_arcs, "?name=standard&count=%d", most);
        assert_int_equal(number(got, "arc_count"), n);
        assert_int_equal(size_of(got, "arcs"), most);
        for (int i = 0; i < most; i++) {
            const json_t *arc = item(got, "arcs", (size_t)i);
            assert_int_equal(number_at(arc, 0), sorted[i].from);
            assert_int_equal(number_at(arc, 1), sorted[i].to);
            assert_true(number_at(arc, 2) == (double)sorted[i].distance);
        }
    }
}

TEST_OF(api_bench *b, segments_are_all_nodes_in_their_order)
{
    const json_t *got = ask(b, api_graph_arcs, "?name=standard&count=0");
    OWNED(open_graph) of = graph_judge(b, "standard");
    int node = 0;
    assert_int_equal(size_of(got, "segments"), number(got, "segment_count"));
    for (size_t i = 0; i < size_of(got, "segments"); i++) {
        const json_t *bar = item(got, "segments", i);
        int end = node + (int)number(bar, "nodes"), core = 0;
        marey_graph_node first = marey_graph_node_of(of.graph, node);
        expect(bar, "{'node': %d, 'clip': %" PRId64 ", 'start': %ld}", node,
               of.parts->parts[first.clip].clip, lround(first.frame));
        for (; node < end; node++) {
            marey_graph_node one = marey_graph_node_of(of.graph, node);
            core += one.core;
            assert_int_equal(one.next, node + 1 < end ? node + 1 : -1);
        }
        test_near(number(bar, "core") * number(bar, "nodes"), core, 1e-6);
    }
    assert_int_equal(node, marey_graph_nodes(of.graph));
    got = ask(b, api_graph_arcs, "?name=standard&segments=1&count=1");
    assert_int_equal(size_of(got, "segments"), 1);
    assert_true(number(got, "segment_count") > 1);
    refused(b, 400, "request", "count", api_graph_arcs, "?name=standard&count=20001");
}

TEST_OF(api_bench *b, the_closure_is_that_of_the_library)
{
    enum { SIDE = 37 };
    OWNED(open_graph) of = graph_judge(b, "few");
    int frames = marey_graph_originals(of.graph);
    size_t row = ((size_t)frames + 7) / 8;
    FREED uint8_t *bits = malloc(row * (size_t)frames);
    assert_int_equal(marey_graph_closure(b->by.ctx, of.graph, bits, NULL), MAREY_OK);
    OWNED(studio_response) got = api_ask(b, api_graph_closure, "?name=few&side=37");
    uint32_t head[3];
    bool empty = false, full = false;
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
            test_near(shade, 255.0 * reached / pairs, 1.01);
            empty |= shade == 0;
            full |= shade == 255;
        }
    }
    assert_true(empty && full); /* else this shows nothing */
    /* Nearly all is not all. */
    OWNED(studio_response) point = api_ask(b, api_graph_closure, "?name=standard&side=1");
    assert_int_equal(point.body.count, 17);
    assert_int_equal(point.body.data[16], 254);
    refused(b, 400, "request", "side", api_graph_closure, "?name=few&side=1025");
}

/* ---- built ----------------------------------------------------------------------------------- */

/* The graphs one and two are the same, and go. */
static void same_graphs(api_bench *b)
{
    json_t *about[2];
    same_saved(b, MAREY_KEPT_GRAPH, "one", "two", about);
    assert_true(json_is_object(about[0]) && same_json(about[0], about[1]));
    ask(b, do_graph_rm, "{'name': 'one'}");
    ask(b, do_graph_rm, "{'name': 'two'}");
}

TEST_OF(api_bench *b, graphs_are_built_as_the_program_does)
{
    const json_t *got = ask_job(b, do_graph_build, "{'name': 'one', 'clips': [$walk, $left]}");
    bench_program("marey graph build lib.marey two walk left --quiet");
    same_values(got, program_json("marey graph stats lib.marey two --json"), stats_keys);
    assert_int_equal(number(got, "left_out"), 0);
    expect(ask(b, do_graph_stats, "{'name': 'one'}"), "{'fps': 30}");
    same_graphs(b);
    expect(ask_job(b, do_graph_build,
                   "{'name': 'one', 'label': 'few', 'kind': 'standard', 'threshold': 12.5, "
                   "'only_smooth': true, 'fps': 20}"),
           "{'left_out': 1, 'fps': 20}");
    bench_program("marey graph build lib.marey two --label few --kind standard --threshold 12.5 "
                  "--only-smooth --fps 20 --quiet");
    /* what the worker had kept is that no more */
    expect(ask(b, do_graph_stats, "{'name': 'one'}"), "{'fps': 20}");
    same_graphs(b);
}

TEST_OF(api_bench *b, the_studio_has_the_options_of_the_program)
{
    static const char truth[] = "{\"takes\": [{\"clip\": \"walk\", \"segments\": [{\"label\": "
                                "\"stroll\", \"start\": 10, \"end\": 200}]}]}";
    test_file_write("behaviours", truth, sizeof truth - 1);
    const json_t *got = ask_job(
        b, do_graph_build,
        "{'name': 'one', 'clips': ['walk', $left, $walk], 'sigma': 50, 'metric': 'angles', "
        "'threshold': 4, 'joints': 'hips=1,knee=0.5', 'attributes': [1, 0.5, 0.25], 'fixed_root': "
        "true, 'sweep': [2, 4], 'behaviours': %s}",
        truth);
    bench_program("marey graph build lib.marey two walk left --sigma 50 --metric angles "
                  "--threshold 4 --joints hips=1,knee=0.5 --attributes 1,0.5,0.25 --fixed-root "
                  "--behaviours behaviours --quiet");
    same_graphs(b);
    expect(got, "{'clips': 2, 'labels': ['stroll']}"); /* one was named twice */
    assert_int_equal(size_of(got, "sweep"), 2);
}

TEST_OF(api_bench *b, thresholds_are_worth_what_the_library_says)
{
    static const char fields[] = "'clips': [$walk, $left], 'thresholds': [1, 5, 40]";
    const json_t *got = ask_job(b, do_graph_sweep, "{%s}", fields);
    const json_t *quick = ask_job(b, do_graph_sweep, "{%s, 'quick': true}", fields);
    const json_t *said =
        program_json("marey graph build lib.marey swept walk left --sweep 1,5,40 --json");
    assert_int_equal(size_of(got, "sweep"), 3);
    assert_string_equal(word(got, "unit"), "cm2");
    for (size_t i = 0; i < 3; i++) {
        same_values(item(got, "sweep", i), item(said, "sweep", i), stats_keys);
        same_values(item(quick, "sweep", i), item(said, "sweep", i),
                    "frames transitions threshold scc_percent connectivity_percent");
        assert_true(is_null(item(quick, "sweep", i), "mean_transition_s"));
    }
    assert_true(number(item(got, "sweep", 0), "transitions") <
                number(item(got, "sweep", 2), "transitions"));
    ask(b, do_graph_rm, "{'name': 'swept'}");
}

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const api_refusal rows[] = {
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
        { "[]", "object" },
    };
    static const api_refusal sweeps[] = { { "{}", "thresholds" },
                                          { "{'thresholds': [2, 1]}", "rising" },
                                          { "{'thresholds': [1], 'name': 'x'}", "name" } };
    REFUSED(b, 400, "request", do_graph_build, rows);
    REFUSED(b, 400, "request", do_graph_sweep, sweeps);
    assert_int_equal(size_of(ask(b, do_graph_ls, "{}"), "graphs"), 2);
}

TEST_OF(api_bench *b, invalid_clips_fail_the_job)
{
    job_fails(b, "input", "", do_graph_build, "{'name': 'x', 'clips': [99999]}");
    job_fails(b, "shape", "", do_graph_build, "{'name': 'x', 'clips': [$walk, $slide]}");
    job_fails(b, "request", "nothing", do_graph_build, "{'name': 'x', 'label': 'nothing'}");
}

TEST_OF(api_bench *b, a_build_can_be_cancelled)
{
    builds_are_cancelled(b, do_graph_build, do_graph_rm);
}

/* ---- trained --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_policy_is_trained_and_described)
{
    const json_t *got =
        ask_job(b, do_graph_train, "{'name': 'few', 'directions': 8, 'speeds': [0, 100]}");
    const json_t *policy = json_object_get(ask(b, do_graph_stats, "{'name': 'few'}"), "policy");
    assert_int_equal(number(policy, "directions"), 8);
    assert_true(json_equal(json_object_get(policy, "speeds"), json_object_get(got, "speeds")));
    same_values(
        got, program_json("marey graph train lib.marey few --directions 8 --speeds 0,100 --json"),
        "directions speeds discount poor rounds bytes");
    expect(ask(b, do_graph_ls, "{}"), "{'graphs': [{'policy': true}, {'policy': false}]}");
    job_fails(b, "input", "missing", do_graph_train, "{'name': 'missing'}");
    static const api_refusal rows[] = { { "{'name': 'few', 'directions': 7}", "directions" },
                                        { "{'name': 'few', 'speeds': [5, 1]}", "rising" },
                                        { "{}", "name" } };
    REFUSED(b, 400, "request", do_graph_train, rows);
}

/* ---- gone, read-only, without memory --------------------------------------------------------- */

TEST_OF(api_bench *b, a_graph_whose_clip_is_gone_is_listed_and_refused)
{
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    bench_program("marey graph build lib.marey broken lost walk --quiet");
    bench_program("marey rm lib.marey lost");
    refused(b, 409, "input", "lost", do_graph_stats, "{'name': 'broken'}");
    refused(b, 409, "input", "lost", do_graph_walk, "{'graph': 'broken', 'length': '2s'}");
    job_fails(b, "input", "lost", do_graph_train, "{'name': 'broken'}");
    const json_t *one = item(ask(b, do_graph_ls, "{}"), "graphs", 0);
    assert_string_equal(word(one, "name"), "broken");
    assert_true(is_true(item(one, "made_of", 0), "removed"));
    ask(b, do_graph_rm, "{'name': 'broken'}");
    refused(b, 404, "input", "broken", do_graph_stats, "{'name': 'broken'}");
    refused(b, 404, "input", "broken", do_graph_rm, "{'name': 'broken'}");
}

/* A clip that dropouts cut in two, and one that was purged. */
TEST_OF(api_bench *b, clips_of_saved_objects_are_listed_once)
{
    const marey_part parts[] = { { bench_id(b, "walk_straight"), 0, 10 },
                                 { bench_id(b, "walk_straight"), 20, 30 },
                                 { 987654, 0, 5 } };
    const char *const names[] = { "before", "before", "gone" };
    const marey_kept_entry entry = { .parts = parts, .part_names = names, .part_count = 3 };
    app_scope scope = app_scope_open(&b->of.allocator);
    app_env env = { .library = b->by.library, .scope = &scope };
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
TEST_OF(api_bench *b, what_was_asked_about_stays_open_until_the_library_changes)
{
    app_scope scope = app_scope_open(&b->of.allocator);
    app_cache cache = { .memory = &b->of.allocator, .most_weight = 1 << 20 };
    app_env env = { .ctx = b->by.ctx, .library = b->by.library, .cache = &cache };
    app_saved_graph *first = NULL, *again = NULL, *other = NULL;
    assert_int_equal(app_graph_open(&env, "few", &first, NULL), MAREY_OK);
    assert_int_equal(app_graph_open(&env, "standard", &other, NULL), MAREY_OK);
    app_cache_trim(&cache);
    assert_int_equal(app_graph_open(&env, "few", &again, NULL), MAREY_OK);
    assert_ptr_equal(first, again);
    /* What is not there leaves nothing behind. */
    marey_error error;
    assert_int_equal(app_graph_open(&env, "missing", &again, &error), MAREY_ERR_NOT_FOUND);
    assert_non_null(strstr(error.message, "missing"));
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

TEST_OF(api_bench *b, a_library_that_can_only_be_read_refuses_at_once)
{
    b->of.can_write = false;
    refused(b, 409, "request", "read", do_graph_build, "{'name': 'x'}");
    refused(b, 409, "request", "read", do_graph_train, "{'name': 'few'}");
    b->of.can_write = true;
}

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    worker_forget_saved(&b->by);
    STARVE(b, do_graph_ls, "{}");
    STARVE(b, do_graph_stats, "{'name': 'few'}");
    worker_forget_saved(&b->by);
    STARVE(b, api_graph_arcs, "?name=few");
    STARVE(b, api_graph_closure, "?name=few");
    api_starve_job(b, do_graph_train, "{'name': 'few'}");
}

static int open_bench(void **state)
{
    graph_bench_open(state);
    bench_program("marey graph build lib.marey few walk left --threshold 4 --quiet");
    return 0;
}

TEST_GROUP_OF_CASES(test_studio_graph, open_bench, api_bench_close)
