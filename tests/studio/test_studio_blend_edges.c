/* test_studio_blend_edges.c - what the addresses that make motion refuse, each limit, and what happens when memory runs
   out. */
#include "blend_bench.h"

/* ---- what is wrong with it ---------------------------------------------------------------------- */

typedef struct refusal {
    const char *body; /* or query */
    int status;
    const char *word, *part;
} refusal;

static void check_refusals(blend_bench *all, api_run run, const refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool query = rows[i].body[0] != '{';
        const char *text = body_of(all, rows[i].body);
        api_refused(&all->b, run, 0, query ? text : NULL, query ? NULL : text, rows[i].status,
                    rows[i].word, rows[i].part);
    }
}

#define CHECK(all, run, rows) check_refusals(all, run, rows, sizeof rows / sizeof *rows)

TEST(transitions_that_cannot_be_are_refused)
{
    static const refusal rows[] = {
        { "{}", 400, "request", "missing" },
        { "{'b': $jog}", 400, "request", "a is missing" },
        { "{'a': $walk}", 400, "request", "b is missing" },
        { "{'a': $walk, 'b': 0}", 400, "request", "b must be" },
        { "{'a': $walk, 'b': 999}", 404, "input", "999" },
        { "{'a': $walk, 'b': $slide}", 400, "shape", "joints" },
        { "{'a': $walk, 'b': $jog, 'count': 0}", 400, "request", "count" },
        { "{'a': $walk, 'b': $jog, 'count': 1001}", 400, "request", "count" },
        { "{'a': $walk, 'b': $jog, 'half': 0}", 400, "request", "half" },
        { "{'a': $walk, 'b': $jog, 'half': 100001}", 400, "request", "half" },
        { "{'a': $walk, 'b': $jog, 'half': 2.5}", 400, "request", "half" },
        { "{'a': $walk, 'b': $jog, 'below': 0}", 400, "request", "below" },
        { "{'a': $walk, 'b': $jog, 'below': 'nan'}", 400, "request", "below" },
        { "{'a': $walk, 'b': $jog, 'within': 0}", 400, "request", "within" },
        { "{'a': $walk, 'b': $jog, 'near': [-1, null]}", 400, "request", "near" },
        { "{'a': $walk, 'b': $jog, 'near': [null, null]}", 400, "request", "near" },
        { "{'a': $walk, 'b': $jog, 'near': [300, null]}", 400, "request", "got 300" },
        { "{'a': $walk, 'b': $jog, 'near': [null, 300]}", 400, "request", "got 300" },
        { "{'a': $lost, 'b': $person, 'near': [31, null]}", 400, "request", "no captured motion" },
        { "{'a': $walk, 'b': $jog, 'at': [1]}", 400, "request", "two frames" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'smooth': 3}", 400, "request", "smooth" },
        { "{'a': $walk, 'b': $jog, 'at': [300, 150]}", 400, "request", "got 300" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 300]}", 400, "request", "got 300" },
        { "{'a': $walk, 'b': $jog, 'at': [-1, 3]}", 400, "request", "at must be" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'near': [3, 3]}", 400, "request", "near" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'slope': 9}", 400, "request", "slope" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'method': 'best'}", 400, "request", "method" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'method': 2}", 400, "request", "method" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'no_clean': 1}", 400, "request", "no_clean" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'name': ''}", 400, "request", "name" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'name': 'a/b'}", 400, "request", "name" },
        { "{'a': $walk, 'b': $jog, 'at': [0, 0]}", 400, "request", "room" },
        { "{'a': $lost, 'b': $person, 'at': [33, 40]}", 400, "request", "no captured motion" },
    };
    CHECK(*state, do_transition, rows);
}

#define TWO "'clips': [{'clip': $walk}, {'clip': $jog}]"

TEST(registrations_that_cannot_be_are_refused)
{
    static const refusal rows[] = {
        { "{}", 400, "request", "2 to 256" },
        { "{'curve': 'none', " TWO "}", 400, "request", "its own clips" },
        { "{'curve': 'none'}", 404, "input", "none" },
        { "{'curve': 'none', 'slope': 2}", 400, "request", "slope" },
        { "{'curve': 'none', 'reference': 2}", 400, "request", "reference" },
        { "{'curve': 'none', 'save': 'x'}", 400, "request", "saved already" },
        { "{'curve': 3}", 400, "request", "curve must be a text" },
        { "{'clips': [{'clip': $walk}]}", 400, "request", "2 to 256" },
        { "{'clips': [1.5, 2]}", 400, "request", "clips must be" },
        { "{'clips': {'clip': $walk}}", 400, "request", "clips must be" },
        { "{'clips': [{'clip': $walk}, {'start': 3}]}", 400, "request", "clips must be" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'stop': 3}]}", 400, "request", "clips" },
        { "{'clips': [{'clip': $walk}, {'clip': 'nobody'}], 'registration': true}", 404, "input",
          "nobody" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'start': -1, 'end': 3}]}", 400, "request",
          "clips" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'end': 3}]}", 400, "request", "clips" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'start': 0, 'end': 301}]}", 400, "request",
          "301" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'start': 9, 'end': 9}]}", 400, "request",
          "9-9" },
        { "{'clips': [{'clip': $walk}, {'clip': $lost, 'start': 30, 'end': 34}]}", 400, "request",
          "captured motion" },
        { "{'clips': [{'clip': $walk}, {'clip': 999}]}", 404, "input", "999" },
        { "{'clips': [{'clip': $walk}, {'clip': $slide}], 'registration': true}", 400, "shape",
          "joints" },
        { "{'clips': [{'clip': $walk}, {'clip': $jog, 'start': 0, 'end': 40}], 'registration': "
          "true}",
          400, "request", "" },
        { "{" TWO ", 'slope': 0}", 400, "request", "slope" },
        { "{" TWO ", 'reference': 3}", 400, "request", "reference must be from 1 to 2" },
        { "{" TWO ", 'reference': 0}", 400, "request", "reference" },
        { "{" TWO ", 'weights': [1, 2]}", 400, "request", "weights" },
        { "{" TWO ", 'save': ''}", 400, "request", "save" },
        { "{" TWO ", 'save': 'a/b'}", 400, "request", "save" },
        { "{" TWO ", 'from': [3, 4], 'save': 'x'}", 400, "request", "from" },
        { "{" TWO ", 'from': [3, 400]}", 400, "request", "got 400" },
        { "{" TWO ", 'from': [3, 4], 'through': [5, 5]}", 400, "request", "one of these" },
        { "{" TWO ", 'metric': 'positions', 'normalize': 'lib.marey'}", 400, "request",
          "command line" },
    };
    CHECK(*state, do_align, rows);
    static const refusal remove[] = { { "{'rm': ''}", 400, "request", "rm" },
                                      { "{'rm': 'none'}", 404, "input", "none" } };
    CHECK(*state, do_curves, remove);
}

TEST(blends_that_cannot_be_are_refused)
{
    static const refusal rows[] = {
        { "{'weights': [1, 1]}", 400, "request", "2 to 256" },
        { "{" TWO "}", 400, "request", "one of weights" },
        { "{" TWO ", 'weights': [1, 1], 'weights_file': [[0, 1, 1]]}", 400, "request",
          "one of weights" },
        { "{" TWO ", 'weights': [1, 1, 1]}", 400, "request", "2 numbers" },
        { "{" TWO ", 'weights': [1]}", 400, "request", "weights" },
        { "{" TWO ", 'weights': [1, '1']}", 400, "request", "weights" },
        { "{" TWO ", 'weights': [1, 1e300]}", 400, "request", "weights" },
        { "{" TWO ", 'weights': [1, -1]}", 400, "request", "sum" },
        { "{" TWO ", 'weights': [0, 0]}", 400, "request", "sum" },
        { "{" TWO ", 'weights': 1}", 400, "request", "weights" },
        { "{" TWO ", 'weights_file': []}", 400, "request", "weights_file" },
        { "{" TWO ", 'weights_file': [[0, 1]]}", 400, "request", "2 numbers" },
        { "{" TWO ", 'weights_file': [[0, 1, 0, 0]]}", 400, "request", "2 numbers" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [1, 1]]}", 400, "request", "weights_file" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [0, 1, 1]]}", 400, "request", "rise" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [1, 1, -1]]}", 400, "request", "sum" },
        { "{" TWO ", 'weights_file': [[0, 1, null]]}", 400, "request", "weights_file" },
        { "{" TWO ", 'weights_file': 'w.csv'}", 400, "request", "weights_file" },
        { "{" TWO ", 'weights': [1, 1], 'place': 3}", 400, "request", "place must be from 1 to 2" },
        { "{" TWO ", 'weights': [1, 1], 'place': 0}", 400, "request", "place" },
        { "{" TWO ", 'weights': [1, 1], 'method': 'best'}", 400, "request", "method" },
        { "{" TWO ", 'weights': [1, 1], 'half': 3}", 400, "request", "half" },
        { "{" TWO ", 'weights': [1, 1], 'name': 7}", 400, "request", "name" },
        { "{" TWO ", 'weights': [1, 1], 'name': 'x#y'}", 400, "request", "name" },
        { "{'curve': 'none', 'weights': [1, 1]}", 404, "input", "none" },
    };
    blend_bench *all = *state;
    CHECK(all, do_blend, rows);
    assert_int_equal(bench_id(&all->b, "x#y"), 0);
}

TEST(loops_and_clean_ups_that_cannot_be_are_refused)
{
    static const refusal loop[] = {
        { "{}", 400, "request", "clip" },
        { "{'clip': $walk, 'count': 1001}", 400, "request", "count" },
        { "{'clip': $walk, 'shortest': -1}", 400, "request", "shortest" },
        { "{'clip': $walk, 'longest': 'zz'}", 400, "request", "longest" },
        { "{'clip': $walk, 'shortest': 3, 'longest': 2}", 400, "request", "longest" },
        { "{'clip': 999}", 404, "input", "999" },
        { "{'clip': $walk, 'at': [3]}", 400, "request", "two frames" },
        { "{'clip': $walk, 'at': [30, 300]}", 400, "request", "got 300" },
        { "{'clip': $walk, 'at': [30, 30]}", 400, "request", "after start frame" },
        { "{'clip': $walk, 'at': [30, 31]}", 400, "request", "no loop" },
        { "{'clip': $lost, 'at': [32, 90]}", 400, "request", "no captured motion" },
        { "{'clip': $walk, 'in_place': 'yes'}", 400, "request", "in_place" },
        { "{'clip': $walk, 'method': 'linear'}", 400, "request", "method" },
        { "{'clip': $walk, 'half': 1000}", 400, "request", "no loop was found" },
    };
    static const refusal clean[] = {
        { "{}", 400, "request", "clip" },
        { "{'clip': $walk, 'clean': true}", 400, "request", "clean" },
        { "{'clip': {'clip': $walk, 'start': 30, 'end': 30}}", 400, "request", "30-30" },
        { "{'clip': {'clip': $walk, 'start': 0, 'end': 301}}", 400, "request", "301" },
        { "{'clip': {'clip': $walk, 'end': 30}}", 400, "request", "frames of a clip" },
        { "{'clip': 999}", 404, "input", "999" },
        { "{'clip': {'clip': $lost, 'start': 30, 'end': 33}}", 400, "request", "captured motion" },
    };
    CHECK(*state, do_loop, loop);
    CHECK(*state, do_clean, clean);
}

/* ---- limits ------------------------------------------------------------------------------------- */

/* One joint that moves for long. */
static void write_long(const char *path, int frames)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n"
          "End Site\n{\nOFFSET 0 10 0\n}\n}\n",
          file);
    fprintf(file, "MOTION\nFrames: %d\nFrame Time: 0.01\n", frames);
    for (int i = 0; i < frames; i++) fprintf(file, "%d 1 2\n", i % 10);
    fclose(file);
}

TEST(more_frames_than_the_limit_are_refused)
{
    blend_bench *all = *state;
    char body[256];
    write_long("long.bvh", LIMIT_BLEND_FRAMES + 1);
    bench_program("marey add lib.marey long.bvh");
    int64_t id = bench_id(&all->b, "long");
    snprintf(body, sizeof body, "{'clip': {'clip': %" PRId64 ", 'start': 0, 'end': %d}}", id,
             LIMIT_BLEND_FRAMES);
    made_read got = read_made(all, do_clean, body);
    assert_int_equal(number(got.said, "frames"), LIMIT_BLEND_FRAMES);
    made_free(&got);
    snprintf(body, sizeof body, "{\"clip\": %" PRId64 "}", id);
    api_refused(&all->b, do_clean, 0, NULL, body, 413, "limit", "131072");
    snprintf(body, sizeof body,
             "{\"clips\": [{\"clip\": %" PRId64
             ", \"start\": 0, \"end\": 65536}, {\"clip\": %" PRId64
             ", \"start\": 0, \"end\": 65537}]}",
             id, id);
    api_refused(&all->b, do_align, 0, NULL, body, 413, "limit", "131072");
}

TEST(more_pairs_than_the_limit_are_refused)
{
    blend_bench *all = *state;
    char text[256];
    write_long("hour.bvh", 8193);
    bench_program("marey add lib.marey hour.bvh");
    int64_t id = bench_id(&all->b, "hour");
    snprintf(text, sizeof text, "{\"clip\": %" PRId64 "}", id);
    api_refused(&all->b, do_loop, 0, "list=1", text, 413, "limit", "64");
    snprintf(text, sizeof text, "{\"a\": %" PRId64 ", \"b\": %" PRId64 "}", id, id);
    api_refused(&all->b, do_transition, 0, "list=1", text, 413, "limit", "64");
    snprintf(text, sizeof text, "{\"a\": %" PRId64 ", \"b\": %" PRId64 ", \"near\": [400, null]}",
             id, id);
    json_decref(api_json(&all->b, do_transition, 0, "list=1", text, 200));
    snprintf(text, sizeof text, "{\"clips\": [%" PRId64 ", %" PRId64 "], \"weights\": [1, 1]}", id,
             id);
    api_refused(&all->b, do_blend, 0, NULL, text, 413, "limit", "64");
    snprintf(text, sizeof text, "{\"clips\": [%" PRId64 ", %" PRId64 "]}", id, id);
    api_refused(&all->b, do_align, 0, NULL, text, 413, "limit", "64");
    snprintf(text, sizeof text, "{\"clip\": %" PRId64 "}", id);
    api_refused(&all->b, do_loop, 0, NULL, text, 413, "limit", "64");
}

/* A root with very many joints. */
static void write_bush(const char *path, int joints, int frames)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n",
          file);
    for (int i = 1; i < joints; i++) {
        fprintf(
            file,
            "JOINT j%d\n{\nOFFSET 0 10 0\nCHANNELS 1 Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n",
            i);
    }
    fprintf(file, "}\nMOTION\nFrames: %d\nFrame Time: 0.01\n", frames);
    for (int i = 0; i < frames; i++) {
        fprintf(file, "%d 90 1", i);
        for (int j = 1; j < joints; j++) fputs(" 0", file);
        fputs("\n", file);
    }
    fclose(file);
}

/* The same frames as api_frames may send at once; more can still be kept. */
TEST(a_made_clip_that_is_too_large_is_not_sent_but_kept)
{
    enum { JOINTS = 16000, MOST = 262 };
    blend_bench *all = *state;
    char body[256];
    write_bush("bush.bvh", JOINTS, MOST + 1);
    bench_program("marey add lib.marey bush.bvh");
    int64_t id = bench_id(&all->b, "bush");
    snprintf(body, sizeof body, "{'clip': {'clip': %" PRId64 ", 'start': 0, 'end': %d}}", id, MOST);
    made_read got = read_made(all, do_clean, body);
    assert_true(got.frame_bytes <= LIMIT_FRAMES_BYTES);
    assert_true(json_is_null(json_object_get(got.said, "knee_ratio")));
    made_free(&got);
    snprintf(body, sizeof body, "{\"clip\": %" PRId64 "}", id);
    api_refused(&all->b, do_clean, 0, NULL, body, 413, "limit", "263 generated frames");
    snprintf(body, sizeof body, "{\"clip\": %" PRId64 ", \"name\": \"bush2\"}", id);
    json_decref(api_json(&all->b, do_clean, 0, NULL, body, 200));
    assert_true(bench_id(&all->b, "bush2") > 0);
    bench_program("marey rm lib.marey bush bush2");
}

TEST(weights_may_change_very_often)
{
    blend_bench *all = *state;
    studio_bytes text = { .memory = &all->b.of.memory };
    const char *head = body_of(all, "{" TWO ", 'weights_file': [");
    bytes_add(&text, head, strlen(head));
    for (int i = 0; i < 10000; i++) {
        char row[64];
        snprintf(row, sizeof row, "%s[%d, 1, 1]", i ? "," : "", i);
        bytes_add(&text, row, strlen(row));
    }
    bytes_add(&text, "]}", 3);
    studio_response to = api_ask(&all->b, do_blend, 0, NULL, (const char *)text.data);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    bytes_free(&text);
}

TEST(ten_clips_are_mixed)
{
    made_read got = read_made(
        *state, do_blend,
        "{'clips': [$walk, $jog, $left, $small, {'clip': $walk, 'start': 20, 'end': 300}, "
        "{'clip': $jog, 'start': 20, 'end': 300}, {'clip': $left, 'start': 20, 'end': 300}, "
        "{'clip': $small, 'start': 20, 'end': 300}, {'clip': $walk, 'start': 0, 'end': 280}, "
        "{'clip': $jog, 'start': 0, 'end': 280}], 'weights': [1, 2, 3, 4, 5, 4, 3, 2, 1, 1]}");
    const json_t *clips = json_object_get(got.said, "clips");
    int refitted = 0;
    assert_int_equal(json_array_size(clips), 10);
    for (size_t i = 0; i < 10; i++)
        refitted += json_is_true(json_object_get(json_array_get(clips, i), "refitted"));
    assert_int_equal(refitted, 2);
    made_free(&got);
}

/* ---- a library that cannot be written ------------------------------------------------------------ */

TEST(where_nothing_can_be_written_what_is_made_is_still_sent)
{
    blend_bench *all = *state;
    api_bench_stop(&all->b);
    api_bench_start(&all->b, false);
    made_read got = read_made(all, do_blend, "{" TWO ", 'weights': [1, 1]}");
    made_free(&got);
    api_refused(&all->b, do_blend, 0, NULL,
                body_of(all, "{" TWO ", 'weights': [1, 1], 'name': 'new'}"), 409, "request",
                "can only be read");
    api_refused(&all->b, do_align, 0, NULL, body_of(all, "{" TWO ", 'save': 'new'}"), 409,
                "request", "can only be read");
    api_bench_stop(&all->b);
    api_bench_start(&all->b, true);
}

/* ---- memory ------------------------------------------------------------------------------------- */

TEST(without_memory_everything_says_so_and_nothing_is_lost)
{
    static const struct {
        api_run run;
        const char *text;
    } rows[] = {
        { do_transition, "{'a': $walk, 'b': $jog}" },
        { do_transition, "{'a': $walk, 'b': $small, 'at': [150, 150]}" },
        { do_align, "{" TWO "}" },
        { do_align, "{" TWO ", 'save': 'starved'}" },
        { do_curves, "{}" },
        { do_blend, "{'curve': 'starved', 'weights': [1, 1]}" },
        { do_curves, "{'rm': 'starved'}" },
        { do_blend, "{" TWO ", 'weights_file': [[0, 1, 0], [1, 0, 1]], 'name': 'mixed'}" },
        { do_loop, "{'clip': $walk, 'at': [60, 160]}" },
        { do_loop, "{'clip': $walk, 'name': 'round'}" },
        { do_clean, "{'clip': $walk, 'name': 'held'}" },
    };
    blend_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool query = rows[i].text[0] != '{';
        char text[512];
        snprintf(text, sizeof text, "%s", body_of(all, rows[i].text));
        worker_make_room(&all->b.by);
        studio_response to =
            api_starve(&all->b, rows[i].run, 0, query ? text : NULL, query ? NULL : text);
        if (to.status != 200) {
            fail_msg("%s: %.*s", text, (int)to.body.count, (const char *)to.body.data);
        }
        bytes_free(&to.body);
    }
    assert_true(bench_id(&all->b, "mixed") > 0 && bench_id(&all->b, "mixed-2") == 0);
    assert_true(bench_id(&all->b, "round") > 0 && bench_id(&all->b, "round-2") == 0);
    assert_true(bench_id(&all->b, "held") > 0 && bench_id(&all->b, "held-2") == 0);
}

TEST_GROUP_OF_CASES(test_studio_blend_edges, blend_bench_open, blend_bench_close)
