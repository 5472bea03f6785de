/* test_studio_blend_edges.c - what the addresses that make motion refuse, each limit, and what
   happens when memory runs out. */
#include "blend_bench.h"

/* ---- what is wrong with it ------------------------------------------------------------------- */

TEST_OF(api_bench *b, transitions_that_are_invalid_are_refused)
{
    static const api_refusal rows[] = {
        { "{}", "missing" },
        { "{'b': $jog}", "a is missing" },
        { "{'a': $walk}", "b is missing" },
        { "{'a': $walk, 'b': 0}", "b must be" },
        { "{'a': $walk, 'b': $jog, 'count': 0}", "count" },
        { "{'a': $walk, 'b': $jog, 'count': 1001}", "count" },
        { "{'a': $walk, 'b': $jog, 'half': 0}", "half" },
        { "{'a': $walk, 'b': $jog, 'half': 100001}", "half" },
        { "{'a': $walk, 'b': $jog, 'half': 2.5}", "half" },
        { "{'a': $walk, 'b': $jog, 'below': 0}", "below" },
        { "{'a': $walk, 'b': $jog, 'below': 'nan'}", "below" },
        { "{'a': $walk, 'b': $jog, 'within': 0}", "within" },
        { "{'a': $walk, 'b': $jog, 'near': [-1, null]}", "near" },
        { "{'a': $walk, 'b': $jog, 'near': [null, null]}", "near" },
        { "{'a': $walk, 'b': $jog, 'near': [300, null]}", "got 300" },
        { "{'a': $walk, 'b': $jog, 'near': [null, 300]}", "got 300" },
        { "{'a': $lost, 'b': $person, 'near': [31, null]}", "no captured motion" },
        { "{'a': $walk, 'b': $jog, 'at': [1]}", "two frames" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'smooth': 3}", "smooth" },
        { "{'a': $walk, 'b': $jog, 'at': [300, 150]}", "got 300" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 300]}", "got 300" },
        { "{'a': $walk, 'b': $jog, 'at': [-1, 3]}", "at must be" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'near': [3, 3]}", "near" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'slope': 9}", "slope" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'method': 'best'}", "method" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'method': 2}", "method" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'no_clean': 1}", "no_clean" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'name': ''}", "name" },
        { "{'a': $walk, 'b': $jog, 'at': [150, 150], 'name': 'a/b'}", "name" },
        { "{'a': $walk, 'b': $jog, 'at': [0, 0]}", "room" },
        { "{'a': $lost, 'b': $person, 'at': [33, 40]}", "no captured motion" },
    };
    REFUSED(b, 400, "request", do_transition, rows);
    refused(b, 404, "input", "999", do_transition, "{'a': $walk, 'b': 999}");
    refused(b, 400, "shape", "joints", do_transition, "{'a': $walk, 'b': $slide}");
}

#define TWO "'clips': [$walk, $jog]"

TEST_OF(api_bench *b, registrations_that_are_invalid_are_refused)
{
    static const api_refusal rows[] = {
        { "{}", "2 to 256" },
        { "{'curve': 'none', " TWO "}", "its own clips" },
        { "{'curve': 'none', 'slope': 2}", "slope" },
        { "{'curve': 'none', 'reference': 2}", "reference" },
        { "{'curve': 'none', 'save': 'x'}", "saved already" },
        { "{'curve': 3}", "curve must be a text" },
        { "{'clips': [$walk]}", "2 to 256" },
        { "{'clips': [1.5, 2]}", "clips must be" },
        { "{'clips': {'clip': $walk}}", "clips must be" },
        { "{'clips': [$walk, {'start': 3}]}", "clips must be" },
        { "{'clips': [$walk, {'clip': $jog, 'stop': 3}]}", "clips" },
        { "{'clips': [$walk, {'clip': $jog, 'start': -1, 'end': 3}]}", "clips" },
        { "{'clips': [$walk, {'clip': $jog, 'end': 3}]}", "clips" },
        { "{'clips': [$walk, {'clip': $jog, 'start': 0, 'end': 301}]}", "301" },
        { "{'clips': [$walk, {'clip': $jog, 'start': 9, 'end': 9}]}", "9-9" },
        { "{'clips': [$walk, {'clip': $lost, 'start': 30, 'end': 34}]}", "captured motion" },
        { "{'clips': [$walk, {'clip': $jog, 'start': 0, 'end': 40}], 'registration': true}", "" },
        { "{" TWO ", 'slope': 0}", "slope" },
        { "{" TWO ", 'reference': 3}", "reference must be from 1 to 2" },
        { "{" TWO ", 'reference': 0}", "reference" },
        { "{" TWO ", 'weights': [1, 2]}", "weights" },
        { "{" TWO ", 'save': ''}", "save" },
        { "{" TWO ", 'save': 'a/b'}", "save" },
        { "{" TWO ", 'from': [3, 4], 'save': 'x'}", "from" },
        { "{" TWO ", 'from': [3, 400]}", "got 400" },
        { "{" TWO ", 'from': [3, 4], 'through': [5, 5]}", "one of these" },
        { "{" TWO ", 'metric': 'positions', 'normalize': 'lib.marey'}", "command line" },
    };
    REFUSED(b, 400, "request", do_align, rows);
    refused(b, 404, "input", "none", do_align, "{'curve': 'none'}");
    refused(b, 404, "input", "nowhere", do_align,
            "{'clips': [$walk, {'clip': 'nowhere'}], 'registration': true}");
    refused(b, 404, "input", "999", do_align, "{'clips': [$walk, {'clip': 999}]}");
    refused(b, 400, "shape", "joints", do_align,
            "{'clips': [$walk, $slide], 'registration': true}");
    static const api_refusal remove[] = {
        { "{'rm': ''}", "rm" },
    };
    REFUSED(b, 400, "request", do_curves, remove);
    refused(b, 404, "input", "none", do_curves, "{'rm': 'none'}");
}

TEST_OF(api_bench *b, blends_that_are_invalid_are_refused)
{
    static const api_refusal rows[] = {
        { "{'weights': [1, 1]}", "2 to 256" },
        { "{" TWO "}", "one of weights" },
        { "{" TWO ", 'weights': [1, 1], 'weights_file': [[0, 1, 1]]}", "one of weights" },
        { "{" TWO ", 'weights': [1, 1, 1]}", "2 numbers" },
        { "{" TWO ", 'weights': [1]}", "weights" },
        { "{" TWO ", 'weights': [1, '1']}", "weights" },
        { "{" TWO ", 'weights': [1, 1e300]}", "weights" },
        { "{" TWO ", 'weights': [1, -1]}", "sum" },
        { "{" TWO ", 'weights': [0, 0]}", "sum" },
        { "{" TWO ", 'weights': 1}", "weights" },
        { "{" TWO ", 'weights_file': []}", "weights_file" },
        { "{" TWO ", 'weights_file': [[0, 1]]}", "2 numbers" },
        { "{" TWO ", 'weights_file': [[0, 1, 0, 0]]}", "2 numbers" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [1, 1]]}", "weights_file" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [0, 1, 1]]}", "rise" },
        { "{" TWO ", 'weights_file': [[0, 1, 0], [1, 1, -1]]}", "sum" },
        { "{" TWO ", 'weights_file': [[0, 1, null]]}", "weights_file" },
        { "{" TWO ", 'weights_file': 'w.csv'}", "weights_file" },
        { "{" TWO ", 'weights': [1, 1], 'place': 3}", "place must be from 1 to 2" },
        { "{" TWO ", 'weights': [1, 1], 'place': 0}", "place" },
        { "{" TWO ", 'weights': [1, 1], 'method': 'best'}", "method" },
        { "{" TWO ", 'weights': [1, 1], 'half': 3}", "half" },
        { "{" TWO ", 'weights': [1, 1], 'name': 7}", "name" },
        { "{" TWO ", 'weights': [1, 1], 'name': 'x#y'}", "name" },
    };
    REFUSED(b, 400, "request", do_blend, rows);
    refused(b, 404, "input", "none", do_blend, "{'curve': 'none', 'weights': [1, 1]}");
    assert_int_equal(bench_id(b, "x#y"), 0);
}

TEST_OF(api_bench *b, loops_and_clean_ups_that_are_invalid_are_refused)
{
    static const api_refusal loop[] = {
        { "{}", "clip" },
        { "{'clip': $walk, 'count': 1001}", "count" },
        { "{'clip': $walk, 'shortest': -1}", "shortest" },
        { "{'clip': $walk, 'longest': 'zz'}", "longest" },
        { "{'clip': $walk, 'shortest': 3, 'longest': 2}", "longest" },
        { "{'clip': $walk, 'at': [3]}", "two frames" },
        { "{'clip': $walk, 'at': [30, 300]}", "got 300" },
        { "{'clip': $walk, 'at': [30, 30]}", "after start frame" },
        { "{'clip': $walk, 'at': [30, 31]}", "no loop" },
        { "{'clip': $lost, 'at': [32, 90]}", "no captured motion" },
        { "{'clip': $walk, 'in_place': 'yes'}", "in_place" },
        { "{'clip': $walk, 'method': 'linear'}", "method" },
        { "{'clip': $walk, 'half': 1000}", "no loop was found" },
    };
    static const api_refusal clean[] = {
        { "{}", "clip" },
        { "{'clip': $walk, 'clean': true}", "clean" },
        { "{'clip': {'clip': $walk, 'start': 30, 'end': 30}}", "30-30" },
        { "{'clip': {'clip': $walk, 'start': 0, 'end': 301}}", "301" },
        { "{'clip': {'clip': $walk, 'end': 30}}", "frames of a clip" },
        { "{'clip': {'clip': $lost, 'start': 30, 'end': 33}}", "captured motion" },
    };
    REFUSED(b, 400, "request", do_loop, loop);
    refused(b, 404, "input", "999", do_loop, "{'clip': 999}");
    REFUSED(b, 400, "request", do_clean, clean);
    refused(b, 404, "input", "999", do_clean, "{'clip': 999}");
}

/* ---- limits ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, more_frames_than_the_limit_are_refused)
{
    write_bush("long.bvh", 1, LIMIT_BLEND_FRAMES + 1);
    bench_program("marey add lib.marey long.bvh");
    OWNED(made_read) got = read_made(
        b, do_clean, "{'clip': {'clip': $long, 'start': 0, 'end': %d}}", LIMIT_BLEND_FRAMES);
    assert_int_equal(number(got.said, "frames"), LIMIT_BLEND_FRAMES);
    refused(b, 413, "limit", "131072", do_clean, "{'clip': $long}");
    refused(b, 413, "limit", "131072", do_align,
            "{'clips': [{'clip': $long, 'start': 0, 'end': 65536}, "
            "{'clip': $long, 'start': 0, 'end': 65537}]}");
}

TEST_OF(api_bench *b, more_pairs_than_the_limit_are_refused)
{
    write_bush("hour.bvh", 1, 8193);
    bench_program("marey add lib.marey hour.bvh");
    refused(b, 413, "limit", "64", do_loop, "?list=1 {'clip': $hour}");
    refused(b, 413, "limit", "64", do_transition, "?list=1 {'a': $hour, 'b': $hour}");
    ask(b, do_transition, "?list=1 {'a': $hour, 'b': $hour, 'near': [400, null]}");
    refused(b, 413, "limit", "64", do_blend, "{'clips': [$hour, $hour], 'weights': [1, 1]}");
    refused(b, 413, "limit", "64", do_align, "{'clips': [$hour, $hour]}");
    refused(b, 413, "limit", "64", do_loop, "{'clip': $hour}");
}

/* The same frames as api_frames may send at once; more can still be kept. */
TEST_OF(api_bench *b, a_generated_clip_that_is_too_large_is_not_sent_but_saved)
{
    enum { JOINTS = 16000, MOST = 262 };
    write_bush("bush.bvh", JOINTS, MOST + 1);
    bench_program("marey add lib.marey bush.bvh");
    OWNED(made_read) got =
        read_made(b, do_clean, "{'clip': {'clip': $bush, 'start': 0, 'end': %d}}", MOST);
    assert_true(got.frame_bytes <= LIMIT_FRAMES_BYTES);
    assert_true(is_null(got.said, "knee_ratio"));
    refused(b, 413, "limit", "263 generated frames", do_clean, "{'clip': $bush}");
    ask(b, do_clean, "{'clip': $bush, 'name': 'bush2'}");
    assert_true(bench_id(b, "bush2") > 0);
    bench_program("marey rm lib.marey bush bush2");
}

TEST_OF(api_bench *b, weights_may_change_very_often)
{
    enum { KEYS = 10000, ROOM = KEYS * 16 };
    FREED char *text = malloc(ROOM);
    assert_non_null(text);
    int used = snprintf(text, ROOM, "{\"clips\": [%" PRId64 ", %" PRId64 "], \"weights_file\": [",
                        bench_id(b, "walk"), bench_id(b, "jog"));
    for (int i = 0; i < KEYS; i++)
        used += snprintf(text + used, (size_t)(ROOM - used), "%s[%d, 1, 1]", i ? "," : "", i);
    snprintf(text + used, (size_t)(ROOM - used), "]}");
    OWNED(studio_response) to = api_ask_text(&b->by, do_blend, text);
    assert_int_equal(to.status, 200);
}

TEST_OF(api_bench *b, ten_clips_are_mixed)
{
    OWNED(made_read) got = read_made(
        b, do_blend,
        "{'clips': [$walk, $jog, $left, $small, {'clip': $walk, 'start': 20, 'end': 300}, "
        "{'clip': $jog, 'start': 20, 'end': 300}, {'clip': $left, 'start': 20, 'end': 300}, "
        "{'clip': $small, 'start': 20, 'end': 300}, {'clip': $walk, 'start': 0, 'end': 280}, "
        "{'clip': $jog, 'start': 0, 'end': 280}], 'weights': [1, 2, 3, 4, 5, 4, 3, 2, 1, 1]}");
    int refitted = 0;
    assert_int_equal(size_of(got.said, "clips"), 10);
    for (size_t i = 0; i < 10; i++) refitted += is_true(item(got.said, "clips", i), "refitted");
    assert_int_equal(refitted, 2);
}

/* ---- a library that can only be read --------------------------------------------------------- */

TEST_OF(api_bench *b, where_nothing_can_be_written_generated_motion_is_still_sent)
{
    api_bench_stop(b);
    api_bench_start(b, false);
    OWNED(made_read) got = read_made(b, do_blend, "{" TWO ", 'weights': [1, 1]}");
    refused(b, 409, "request", "can only be read", do_blend,
            "{" TWO ", 'weights': [1, 1], 'name': 'new'}");
    refused(b, 409, "request", "can only be read", do_align, "{" TWO ", 'save': 'new'}");
    made_free(&got);
    got = (made_read){ .said = NULL };
    api_bench_stop(b);
    api_bench_start(b, true);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, without_memory_everything_says_so_and_nothing_is_lost)
{
    static const api_request rows[] = {
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
    static const char *const made[] = { "mixed", "round", "held" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worker_make_room(&b->by);
        STARVE(b, rows[i].run, "%s", rows[i].text);
    }
    for (size_t i = 0; i < 3; i++) {
        char again[16];
        snprintf(again, sizeof again, "%s-2", made[i]);
        assert_true(bench_id(b, made[i]) > 0 && bench_id(b, again) == 0);
    }
}

TEST_GROUP_OF_CASES(test_studio_blend_edges, blend_bench_open, api_bench_close)
