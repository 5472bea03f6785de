/* test_studio_graph_walk.c - walks through motion graphs in the studio: those of the program, in the form of all made clips. */
#include "graph_bench.h"

typedef struct made_read {
    studio_response from;
    json_t *said;
    const uint8_t *frames; /* MRYF */
    size_t frame_bytes;
} made_read;

static made_read read_walk(graph_bench *all, const char *body)
{
    made_read got = { .from = api_ask(&all->b, do_graph_walk, 0, NULL, graph_text(all, body)) };
    const uint8_t *data = got.from.body.data;
    uint32_t numbers[3];
    if (got.from.status != 200)
        fail_msg("%s: %.*s", body, (int)got.from.body.count, (const char *)data);
    assert_memory_equal(data, "MRYM", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    got.said = json_loadb((const char *)data + 16, numbers[1], 0, NULL);
    assert_non_null(got.said);
    got.frames = data + 16 + numbers[1];
    got.frame_bytes = got.from.body.count - 16 - numbers[1];
    assert_memory_equal(got.frames, "MRYF", 4);
    return got;
}

static void walk_free(made_read *of)
{
    json_decref(of->said);
    bytes_free(&of->from.body);
}

/* Where the root is in a frame. */
static void place_of(const made_read *of, size_t frame, float place[3])
{
    memcpy(place, of->frames + 40 + 12 * frame, 12);
}

/* ---- as the program does ------------------------------------------------------------------------ */

static void same_clip(graph_bench *all, const char *left, const char *right)
{
    json_t *a = api_json(&all->b, api_clip, bench_id(&all->b, left), NULL, NULL, 200);
    json_t *b = api_json(&all->b, api_clip, bench_id(&all->b, right), NULL, NULL, 200);
    static const char *const keys[] = {
        "frames", "fps", "licence", "contacts", "provenance", NULL
    };
    same_values(a, b, keys);
    studio_response x = api_ask(&all->b, api_frames, bench_id(&all->b, left), NULL, NULL);
    studio_response y = api_ask(&all->b, api_frames, bench_id(&all->b, right), NULL, NULL);
    assert_int_equal(x.body.count, y.body.count);
    assert_memory_equal(x.body.data, y.body.data, x.body.count);
    bytes_free(&x.body);
    bytes_free(&y.body);
    json_decref(a);
    json_decref(b);
}

/* The clip, its plants, its provenance, and what is said of it. */
static void as_the_program(graph_bench *all, const char *body, const char *options)
{
    static const char *const keys[] = { "transitions", "mean_quality",   "cost",
                                        "arrived",     "path_cm",        "path_worst_cm",
                                        "jump_ratio",  "slide_after_cm", NULL };
    static int made;
    char line[1024], asked_for[1024], one[16], other[16];
    snprintf(one, sizeof one, "api%d", ++made);
    snprintf(other, sizeof other, "cli%d", made);
    snprintf(asked_for, sizeof asked_for, "{'graph': 'standard', 'name': '%s', %s}", one, body);
    snprintf(line, sizeof line, "marey graph walk lib.marey standard %s -o lib.marey:%s --json",
             options, other);
    json_t *got = graph_json(all, do_graph_walk, asked_for, 200), *said = program_json(line);
    assert_string_equal(word(got, "name"), one);
    assert_int_equal(number(got, "id"), bench_id(&all->b, one));
    same_values(got, said, keys);
    assert_int_equal(size_of(got, "pieces"), size_of(said, "pieces"));
    same_clip(all, one, other);
    json_decref(said);
    json_decref(got);
}

TEST(walks_are_those_of_the_program)
{
    graph_bench *all = *state;
    as_the_program(all, "'path': [[0, 0], [200, 0], [300, 150]], 'effort': 3000",
                   "--path '0,0 200,0 300,150' --effort 3000");
    as_the_program(all, "'length': '4s', 'seed': 7", "--length 4s --seed 7");
    as_the_program(all, "'length': '3s', 'leave_feet': true", "--length 3s --leave-feet");
    as_the_program(all, "'length': '3s', 'rough': true", "--length 3s --rough");
    as_the_program(all, "'through': ['walk', 'turn'], 'style': ['walk', 'turn']",
                   "--through walk,turn --style walk,turn");
}

TEST(a_walk_goes_from_node_to_node)
{
    graph_bench *all = *state;
    open_graph of = graph_judge(all, "standard");
    char body[384];
    snprintf(body, sizeof body,
             "{'graph': 'standard', 'from': {'clip': %d, 'start': 300}, 'to': {'clip': '%s', "
             "'start': 700}}",
             (int)of.parts->parts[1].clip, of.parts->names[2].name);
    made_read got = read_walk(all, body);
    const json_t *first = item(got.said, "pieces", 0);
    const json_t *last = item(got.said, "pieces", size_of(got.said, "pieces") - 1);
    assert_true(json_is_true(json_object_get(got.said, "arrived")));
    assert_true(json_is_null(json_object_get(got.said, "path_cm")));
    assert_int_equal(number(first, "id"), of.parts->parts[1].clip);
    assert_int_equal(number(first, "start"), 300);
    assert_int_equal(number(last, "id"), of.parts->parts[2].clip);
    assert_int_equal(number(last, "end"), 701);
    assert_string_equal(word(last, "clip"), of.parts->names[2].name);
    walk_free(&got);
    graph_judge_free(&of);
}

/* ---- along a path ------------------------------------------------------------------------------- */

TEST(a_path_is_walked_from_its_first_point)
{
    graph_bench *all = *state;
    made_read got = read_walk(
        all,
        "{'graph': 'standard', 'path': [[500, -200], [900, -200]], 'effort': 5000, 'fps': 30}");
    size_t frames = (size_t)number(got.said, "frames");
    float first[3], last[3];
    place_of(&got, 0, first);
    place_of(&got, frames - 1, last);
    assert_true(json_is_true(json_object_get(got.said, "arrived")));
    assert_true(hypot(first[0] - 500, first[2] + 200) < 60);
    assert_true(hypot(last[0] - 900, last[2] + 200) < 100);
    assert_true(number(got.said, "path_cm") < 60);
    assert_true(number(got.said, "expanded") <= 5000);
    assert_true(number(got.said, "slide_after_cm") < 0.5);
    walk_free(&got);
}

TEST(more_effort_is_never_worse)
{
    graph_bench *all = *state;
    double before = INFINITY;
    for (int effort = 1000; effort <= 16000; effort *= 4) {
        char body[256];
        snprintf(body, sizeof body,
                 "{'graph': 'standard', 'path': [[0, 0], [300, 0], [300, 300]], 'effort': %d}",
                 effort);
        made_read got = read_walk(all, body);
        assert_true(number(got.said, "expanded") <= effort);
        assert_true(number(got.said, "path_cm") <=
                    before + 10); /* its cost falls, not this alone */
        before = number(got.said, "path_cm");
        walk_free(&got);
    }
}

/* ---- over a transition -------------------------------------------------------------------------- */

TEST(a_transition_is_shown_with_what_is_around_it)
{
    graph_bench *all = *state;
    open_graph of = graph_judge(all, "standard");
    int n, at = 0;
    const marey_graph_transition *own = marey_graph_transitions(of.graph, &n);
    while (at < n && (own[at].from < 40 || abs(own[at].from - own[at].to) < 60)) at++;
    assert_true(at < n);
    char body[160];
    snprintf(body, sizeof body, "{'graph': 'standard', 'over': [%d, %d], 'around': 0.5, 'fps': 30}",
             own[at].from, own[at].to);
    made_read got = read_walk(all, body);
    const json_t *before = item(got.said, "pieces", 0), *behind = item(got.said, "pieces", 1);
    marey_graph_node from = marey_graph_node_of(of.graph, own[at].from);
    marey_graph_node to = marey_graph_node_of(of.graph, own[at].to);
    assert_int_equal(size_of(got.said, "pieces"), 2);
    assert_int_equal(number(got.said, "transitions"), 1);
    assert_int_equal(number(before, "length"), 15);
    assert_int_equal(number(behind, "at"), 15);
    assert_int_equal(number(before, "end"), lround(from.frame) + 1);
    assert_int_equal(number(behind, "start"), lround(to.frame));
    assert_true(number(got.said, "jump_ratio") < 1.5);
    walk_free(&got);
    snprintf(body, sizeof body, "{\"graph\": \"standard\", \"over\": [%d, %d]}", own[at].from,
             own[at].from);
    api_refused(&all->b, do_graph_walk, 0, NULL, body, 400, "request", "transition");
    snprintf(body, sizeof body, "{\"graph\": \"standard\", \"over\": [%d, 0]}",
             marey_graph_nodes(of.graph));
    api_refused(&all->b, do_graph_walk, 0, NULL, body, 400, "request", "transition");
    graph_judge_free(&of);
}

/* ---- refused ------------------------------------------------------------------------------------ */

TEST(walks_that_cannot_be_are_refused)
{
    static const struct {
        const char *rest, *says;
    } rows[] = {
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
    graph_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[256];
        snprintf(body, sizeof body, "{'graph': 'standard'%s}", rows[i].rest);
        api_refused(&all->b, do_graph_walk, 0, NULL, graph_text(all, body), 400, "request",
                    rows[i].says);
    }
    api_refused(&all->b, do_graph_walk, 0, NULL, "{\"length\": \"1s\"}", 400, "request", "graph");
    api_refused(&all->b, do_graph_walk, 0, NULL, "{\"graph\": \"nobody\", \"length\": \"1s\"}", 404,
                "input", "nobody");
}

TEST(walks_that_would_take_too_long_are_refused)
{
    static const struct {
        const char *rest, *says;
    } rows[] = {
        { "'path': [[0, 0], [1e7, 0]]", "path must be at most 3000 m long here" },
        { "'path': [[0, 0], [1e30, 0]]", "path must be at most 3000 m long here" },
        { "'path': [[0, 0], [100, 0]], 'effort': 300001", "effort must be at most 300000 here" },
        { "'length': '40000s'", "at most 131072 frames here" },
        { "'length': '9000000'", "at most 131072 frames here" },
    };
    graph_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[256];
        snprintf(body, sizeof body, "{'graph': 'standard', %s}", rows[i].rest);
        api_refused(&all->b, do_graph_walk, 0, NULL, graph_text(all, body), 413, "limit",
                    rows[i].says);
    }
}

/* ---- control ------------------------------------------------------------------------------------ */

TEST(a_script_steers_as_in_the_program)
{
    static const char script[] = "0,1.2,0\n1,1.2,110\n";
    static const char *const keys[] = { "wishes", "control",      "transition",
                                        "total",  "mean_quality", NULL };
    graph_bench *all = *state;
    test_file_write("wishes.csv", script, sizeof script - 1);
    static const char asked_for[] = "{'graph': 'standard', 'script': [[0, 1.2, 0], [1, 1.2, 110]], "
                                    "'name': 'steered'}";
    api_refused(&all->b, do_graph_control, 0, NULL, graph_text(all, asked_for), 404, "input",
                "no policy yet");
    bench_program("marey graph train lib.marey standard --directions 8 --quiet");
    json_t *got = graph_json(all, do_graph_control, asked_for, 200);
    json_t *said = program_json("marey graph control lib.marey standard --script wishes.csv -o "
                                "lib.marey:told --json");
    assert_string_equal(word(got, "name"), "steered");
    same_values(got, said, keys);
    json_decref(said);
    json_decref(got);
    api_refused(&all->b, do_graph_control, 0, NULL,
                "{\"graph\": \"standard\", \"script\": [[1, 0, 5], [1, 0, 5]]}", 400, "request",
                "script: row 2: times must rise");
}

TEST(refused_memory_is_told)
{
    graph_bench *all = *state;
    bench_program("marey graph build lib.marey few short_walk short_left --threshold 10 --quiet");
    worker_forget_saved(&all->b.by);
    studio_response to =
        api_starve(&all->b, do_graph_walk, 0, NULL, "{\"graph\": \"few\", \"length\": \"1.5s\"}");
    assert_int_equal(to.status, 200);
    assert_memory_equal(to.body.data, "MRYM", 4);
    bytes_free(&to.body);
    to = api_starve(&all->b, do_graph_walk, 0, NULL,
                    "{\"graph\": \"few\", \"length\": \"1.5s\", \"name\": \"kept\"}");
    json_decref(answer_take_json(&to, 200));
    assert_true(bench_id(&all->b, "kept") > 0);
    assert_int_equal(bench_id(&all->b, "kept-2"), 0); /* put in once */
}

TEST_GROUP_OF_CASES(test_studio_graph_walk, graph_bench_open, graph_bench_close)
