/* test_studio_graph_walk.c - walks through motion graphs in the studio: those of the program, in
   the form of all made clips. */
#include "graph_bench.h"

/* ---- as the program does --------------------------------------------------------------------- */

/* The clip, its plants, its provenance, and what is said of it. */
static void as_the_program(api_bench *b, const char *fields, const char *options)
{
    static const char *const begin[] = { "'graph': 'standard'", "graph walk lib.marey standard" };
    json_t *said;
    const json_t *got = made_as_the_program(
        b, do_graph_walk, begin, fields, options,
        "transitions mean_quality cost arrived path_cm path_worst_cm jump_ratio slide_after_cm",
        &said);
    assert_int_equal(size_of(got, "pieces"), size_of(said, "pieces"));
}

TEST_OF(api_bench *b, walks_are_those_of_the_program)
{
    as_the_program(b, "'path': [[0, 0], [200, 0], [300, 150]], 'effort': 3000",
                   "--path '0,0 200,0 300,150' --effort 3000");
    as_the_program(b, "'length': '4s', 'seed': 7", "--length 4s --seed 7");
    as_the_program(b, "'length': '3s', 'leave_feet': true", "--length 3s --leave-feet");
    as_the_program(b, "'length': '3s', 'rough': true", "--length 3s --rough");
    as_the_program(b, "'through': ['walk', 'turn'], 'style': ['walk', 'turn']",
                   "--through walk,turn --style walk,turn");
}

TEST_OF(api_bench *b, a_walk_goes_from_node_to_node)
{
    OWNED(open_graph) of = graph_judge(b, "standard");
    int64_t from = of.parts->parts[1].clip, to = of.parts->parts[2].clip;
    const char *name = of.parts->names[2].name;
    OWNED(made_read) got = read_made(b, do_graph_walk,
                                     "{'graph': 'standard', 'from': {'clip': %" PRId64
                                     ", 'start': 300}, 'to': {'clip': '%s', 'start': 700}}",
                                     from, name);
    expect(got.said, "{'arrived': true, 'path_cm': null}");
    expect(item(got.said, "pieces", 0), "{'id': %" PRId64 ", 'start': 300}", from);
    expect(item(got.said, "pieces", size_of(got.said, "pieces") - 1),
           "{'id': %" PRId64 ", 'end': 701, 'clip': '%s'}", to, name);
}

/* ---- motions of families on the way ----------------------------------------------------------- */

TEST_OF(api_bench *b, motions_of_families_are_done_as_in_the_program)
{
    bench_program("marey param build lib.marey around --clips turns#120-280,turns#375-535 "
                  "--feature heading() --quiet");
    as_the_program(b,
                   "'path': [[0, 0], [200, 0]], 'do': ['around(heading=60)@150'], 'effort': 3000",
                   "--path '0,0 200,0' --do 'around(heading=60)@150' --effort 3000");
    OWNED(made_read) got = read_made(
        b, do_graph_walk, "{'graph': 'standard', 'do': ['around(heading=60)', 'around()']}");
    assert_int_equal(size_of(got.said, "requests"), 2);
    const json_t *first = item(got.said, "requests", 0);
    expect(first, "{'family': 'around', 'target': [60], 'outside': false, 'error_unit': 'deg'}");
    assert_true(number(first, "error") < 1);
    /* An error says which of several it is about. */
    json_t *wrong = ask_status(b, 400, do_graph_walk,
                               "{'graph': 'standard', 'do': ['around()', 'around(high=60)']}");
    expect(wrong, "{'error': {'path': 'around(high=60)'}}");
    error_says(wrong, "request", "high is no number of the family around");
    wrong = ask_status(b, 404, do_graph_walk, "{'graph': 'standard', 'do': ['missing()']}");
    expect(wrong, "{'error': {'path': 'missing()'}}");
    refused(b, 400, "request", "do is for walks along a path", do_graph_walk,
            "{'graph': 'standard', 'do': ['around()'], 'through': ['walk']}");
}

/* ---- along a path ---------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_path_is_walked_from_its_first_point)
{
    OWNED(made_read) got = read_made(
        b, do_graph_walk,
        "{'graph': 'standard', 'path': [[500, -200], [900, -200]], 'effort': 5000, 'fps': 30}");
    size_t frames = (size_t)number(got.said, "frames");
    float first[3], last[3];
    memcpy(first, got.frames + 40, 12); /* where the root is */
    memcpy(last, got.frames + 40 + 12 * (frames - 1), 12);
    assert_true(is_true(got.said, "arrived"));
    assert_true(hypot(first[0] - 500, first[2] + 200) < 60);
    assert_true(hypot(last[0] - 900, last[2] + 200) < 100);
    assert_true(number(got.said, "path_cm") < 60);
    assert_true(number(got.said, "expanded") <= 5000);
    assert_true(number(got.said, "slide_after_cm") < 0.5);
}

TEST_OF(api_bench *b, more_effort_is_never_worse)
{
    double before = INFINITY;
    for (int effort = 1000; effort <= 16000; effort *= 4) {
        OWNED(made_read) got = read_made(
            b, do_graph_walk,
            "{'graph': 'standard', 'path': [[0, 0], [300, 0], [300, 300]], 'effort': %d}", effort);
        assert_true(number(got.said, "expanded") <= effort);
        /* its cost falls, not this alone */
        assert_true(number(got.said, "path_cm") <= before + 10);
        before = number(got.said, "path_cm");
    }
}

/* ---- over a transition ----------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_transition_is_shown_with_what_is_around_it)
{
    OWNED(open_graph) of = graph_judge(b, "standard");
    int n, at = 0;
    const marey_graph_transition *own = marey_graph_transitions(of.graph, &n);
    while (at < n && (own[at].from < 40 || abs(own[at].from - own[at].to) < 60)) at++;
    assert_true(at < n);
    OWNED(made_read) got = read_made(
        b, do_graph_walk, "{'graph': 'standard', 'over': [%d, %d], 'around': 0.5, 'fps': 30}",
        own[at].from, own[at].to);
    assert_int_equal(size_of(got.said, "pieces"), 2);
    assert_int_equal(number(got.said, "transitions"), 1);
    expect(item(got.said, "pieces", 0), "{'length': 15, 'end': %ld}",
           lround(marey_graph_node_of(of.graph, own[at].from).frame) + 1);
    expect(item(got.said, "pieces", 1), "{'at': 15, 'start': %ld}",
           lround(marey_graph_node_of(of.graph, own[at].to).frame));
    assert_true(number(got.said, "jump_ratio") < 1.5);
    refused(b, 400, "request", "transition", do_graph_walk,
            "{'graph': 'standard', 'over': [%d, %d]}", own[at].from, own[at].from);
    refused(b, 400, "request", "transition", do_graph_walk,
            "{'graph': 'standard', 'over': [%d, 0]}", marey_graph_nodes(of.graph));
}

/* ---- refused --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, invalid_walks_are_refused)
{
    static const api_refusal rows[] = {
        { "", "one of" },
        { ", 'length': '1s', 'over': [1, 2]", "one of" },
        { ", 'path': [[0, 0], [9, 9]], 'to': {'clip': 1, 'start': 5}", "one of" },
        { ", 'path': [[0, 0]]", "path" },
        { ", 'path': [[0, 0], [1]]", "path" },
        { ", 'path': [[0, 0], ['a', 1]]", "path" },
        { ", 'path': 5", "path" },
        { ", 'path': [[0, 0], [100, 0]], 'effort': 0", "effort" },
        { ", 'path': [[0, 0], [100, 0]], 'seed': 1", "seed" },
        { ", 'length': '1s', 'effort': 5000", "effort" },
        { ", 'length': '0'", "length" },
        { ", 'length': '5m'", "length" },
        { ", 'length': 5", "length" },
        { ", 'length': '1s', 'seed': 0", "seed" },
        { ", 'through': []", "through" },
        { ", 'through': [5]", "through" },
        { ", 'through': ['flying']", "flying" },
        { ", 'length': '1s', 'style': ['flying']", "flying" },
        { ", 'to': 5, 'from': 5", "one frame" },
        { ", 'to': {'clip': 1, 'start': 99999}", "captured" },
        { ", 'to': {'clip': 1, 'start': -5}", "to" },
        { ", 'over': [1]", "over" },
        { ", 'over': [1, 2], 'from': 3", "from" },
        { ", 'length': '1s', 'around': 1", "around" },
        { ", 'length': '1s', 'leave_feet': 1", "leave_feet" },
        { ", 'length': '1s', 'name': 'a/b'", "name" },
        { ", 'length': '1s', 'speed': 2", "speed" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(b, 400, "request", rows[i][1], do_graph_walk, "{'graph': 'standard'%s}",
                rows[i][0]);
    refused(b, 400, "request", "graph", do_graph_walk, "{'length': '1s'}");
    refused(b, 404, "input", "missing", do_graph_walk, "{'graph': 'missing', 'length': '1s'}");
}

TEST_OF(api_bench *b, walks_that_would_take_too_long_are_refused)
{
    static const api_refusal rows[] = {
        { "'path': [[0, 0], [1e7, 0]]", "path must be at most 3000 m long here" },
        { "'path': [[0, 0], [1e30, 0]]", "path must be at most 3000 m long here" },
        { "'path': [[0, 0], [100, 0]], 'effort': 300001", "effort must be at most 300000 here" },
        { "'length': '40000s'", "at most 131072 frames here" },
        { "'length': '9000000'", "at most 131072 frames here" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(b, 413, "limit", rows[i][1], do_graph_walk, "{'graph': 'standard', %s}",
                rows[i][0]);
}

/* ---- control --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_script_steers_as_in_the_program)
{
    static const char script[] = "0,1.2,0\n1,1.2,110\n";
    static const char body[] =
        "{'graph': 'standard', 'script': [[0, 1.2, 0], [1, 1.2, 110]], 'name': 'steered'}";
    test_file_write("inputs.csv", script, sizeof script - 1);
    refused(b, 404, "input", "no policy yet", do_graph_control, body);
    bench_program("marey graph train lib.marey standard --directions 8 --quiet");
    const json_t *got = ask(b, do_graph_control, body);
    assert_string_equal(word(got, "name"), "steered");
    same_values(got,
                program_json("marey graph control lib.marey standard --script inputs.csv -o "
                             "lib.marey:told --json"),
                "wishes control transition total mean_quality");
    refused(b, 400, "request", "script: row 2: times must rise", do_graph_control,
            "{'graph': 'standard', 'script': [[1, 0, 5], [1, 0, 5]]}");
}

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    bench_program("marey graph build lib.marey few walk left --threshold 10 --quiet");
    worker_forget_saved(&b->by);
    STARVE(b, do_graph_walk, "{'graph': 'few', 'length': '1.5s'}");
    STARVE(b, do_graph_walk, "{'graph': 'few', 'length': '1.5s', 'name': 'kept'}");
    assert_true(bench_id(b, "kept") > 0);
    assert_int_equal(bench_id(b, "kept-2"), 0); /* put in once */
}

TEST_GROUP_OF_CASES(test_studio_graph_walk, graph_bench_open, api_bench_close)
