/* test_studio_puppet_live.c - those who react over the WebSocket: byte for byte what the library's own reactors do, in steps that the
   client's times alone decide; replaced, dismissed and refused as documented; and not in the way of changes of the library. */
#include "react_wire.h"

enum { STEPS = 96, RATE = 64 }; /* a rate whose steps are exact numbers */

static int open_bench(void **state)
{
    open_puppet_bench(state);
    json_decref(post_done(*state, "/api/do/puppet-train",
                          "{'name': 'exact', 'rate': 64, 'demonstrations': [{'ready': 'bully'}]}"));
    json_decref(post_done(*state, "/api/do/puppet-train",
                          "{'name': 'half', 'rate': 32, 'demonstrations': [{'ready': 'guard'}]}"));
    return 0;
}

/* The main character at step k, in numbers that are exact, as is the middle of two of them. */
static main_place place_at(int k, double begun_s)
{
    int turn = k < 40 ? 0 : k - 40;
    return (main_place){ begun_s + k / (double)RATE, 2.0 * k, turn * 4.0, turn % 8 * 0.125 };
}

static marey_reactor *judge_react(const puppet_judge *of, const marey_reactor_def *def)
{
    marey_reactor *reactor = NULL;
    marey_error error = { 0 };
    marey_entity main = { 0, 0, 0 };
    if (marey_reactor_open(of->ctx, of->puppet, &main, def, &reactor, &error))
        fail_msg("%s", error.message);
    return reactor;
}

static marey_puppet_frame judge_step(marey_reactor *reactor, const main_place *at)
{
    marey_puppet_frame frame;
    marey_entity main = { at->x, at->y, at->dir };
    marey_puppet_step(reactor, &main, &frame);
    return frame;
}

static void assert_bytes(const ws_frame *is, const uint8_t *should, const uint8_t *end)
{
    assert_int_equal(is->count, end - should);
    assert_memory_equal(is->bytes, should, is->count);
}

/* ---- steps -------------------------------------------------------------------------------------- */

TEST(steps_are_byte_for_byte_those_of_the_library)
{
    static const struct {
        const char *more;
        marey_reactor_def def;
    } rows[] = { { "", { 0 } },
                 { ", 'start': [-50, 25, 0.5], 'balance': 0.25",
                   { .start_given = true, .start = { -50, 25, 0.5 }, .balance = 0.25 } },
                 { ", 'weight': 3", { .weight = 3 } },
                 { ", 'rough': true, 'graph': null", { .rough = true } } };
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "exact");
    http_wire wire;
    studio_live(&wire, b);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        marey_reactor *reactor = judge_react(&of, &rows[k].def);
        marey_entity start = marey_reactor_start(reactor);
        json_t *begun = react(&wire, 3, "exact", rows[k].more);
        assert_int_equal(number(begun, "react"), 3);
        assert_string_equal(word(begun, "puppet"), "exact");
        assert_true(number(begun, "rate") == RATE && number(begun, "runs") == 1);
        assert_true(json_number_value(item(begun, "start", 0)) == start.x_cm);
        assert_null(json_object_get(begun, "joints"));
        json_decref(begun);
        for (int step = 1; step <= STEPS;) {
            main_place places[5];
            marey_puppet_frame frame = { 0 };
            int count = 1 + step % 5;
            for (int i = 0; i < count; i++, step++) {
                places[i] = place_at(step, 0);
                frame = judge_step(reactor, &places[i]);
            }
            uint8_t should[128], *end = should;
            put_head(&end, 1, places[count - 1].time_s);
            put_frame(&end, 3, &frame);
            ws_frame is = go_on(&wire, places, count);
            assert_bytes(&is, should, end);
            free(is.bytes);
        }
        marey_reactor_free(reactor);
    }
    wire_close(&wire);
    judge_close(&of);
}

/* Places every fourth step, from a time that is not zero on: the main character goes straight between them. */
TEST(the_main_character_goes_straight_from_place_to_place)
{
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "exact");
    marey_reactor *reactor = judge_react(&of, NULL);
    http_wire wire;
    studio_live(&wire, b);
    json_decref(react(&wire, 0, "exact", ", 'time_s': 1000"));
    for (int step = 4; step <= STEPS; step += 4) {
        main_place from = place_at(step - 4, 1000), to = place_at(step, 1000);
        marey_puppet_frame frame = { 0 };
        uint8_t should[128], *end = should;
        from.dir = to.dir = 0;
        for (int i = 1; i <= 4; i++) {
            main_place at = { 0, from.x + i * (to.x - from.x) / 4, from.y + i * (to.y - from.y) / 4,
                              0 };
            frame = judge_step(reactor, &at);
        }
        put_head(&end, 1, to.time_s);
        put_frame(&end, 0, &frame);
        ws_frame is = go_on(&wire, &to, 1);
        assert_bytes(&is, should, end);
        free(is.bytes);
    }
    wire_close(&wire);
    marey_reactor_free(reactor);
    judge_close(&of);
}

/* Directions go the shorter way round: half way from 3 to -3 is pi. */
TEST(the_main_character_turns_the_shorter_way)
{
    const studio_bench *b = *state;
    http_wire one, other;
    studio_live(&one, b);
    studio_live(&other, b);
    json_decref(react(&one, 0, "exact", ""));
    json_decref(react(&other, 0, "exact", ""));
    main_place there = { 1 / 64.0, 0, 0, 3 }, apart = { 3 / 64.0, 0, 0, -3 };
    main_place middle = { 2 / 64.0, 0, 0, 3.14159265358979323846 };
    ws_frame first = go_on(&one, &there, 1), second = go_on(&other, &there, 1);
    free(first.bytes);
    free(second.bytes);
    first = go_on(&one, &apart, 1);
    second = go_on(&other, &middle, 1);
    free(second.bytes);
    second = go_on(&other, &apart, 1);
    for (size_t at = REACT_HEADER + 16; at < REACT_HEADER + 28; at += 4)
        assert_true(fabs(float_at(first.bytes + at) - float_at(second.bytes + at)) < 1e-3);
    free(first.bytes);
    free(second.bytes);
    wire_close(&one);
    wire_close(&other);
}

/* However the same places are cut into messages, and whoever else reacts beside. */
TEST(the_same_places_give_the_same_bytes)
{
    const studio_bench *b = *state;
    uint8_t last[3][REACT_ENTRY];
    static const int cuts[] = { 1, 8, 64 };
    for (int k = 0; k < 3; k++) {
        http_wire wire;
        main_place places[64];
        studio_live(&wire, b);
        json_decref(react(&wire, 1, "shy", ""));
        if (k == 1) json_decref(react(&wire, 0, "half", ""));
        for (int i = 0; i < 64; i++) places[i] = place_at(i + 1, 0);
        for (int i = 0; i < 64; i += cuts[k]) {
            ws_frame is = go_on(&wire, places + i, cuts[k]);
            assert_int_equal(word_at(is.bytes + 4), k == 1 ? 2 : 1);
            memcpy(last[k], is.bytes + is.count - REACT_ENTRY, REACT_ENTRY);
            free(is.bytes);
        }
        assert_int_equal(word_at(last[k]), 1);
        wire_close(&wire);
    }
    assert_memory_equal(last[0], last[1], REACT_ENTRY);
    assert_memory_equal(last[0], last[2], REACT_ENTRY);
}

TEST(each_takes_steps_at_its_own_rate_and_is_told_by_its_number)
{
    const studio_bench *b = *state;
    puppet_judge fast = judge_open(b, "exact"), slow = judge_open(b, "half");
    marey_reactor *by_fast = judge_react(&fast, NULL), *by_slow = judge_react(&slow, NULL);
    marey_puppet_frame frames[2] = { { .balance = 0.5, .weight = 1 } };
    http_wire wire;
    studio_live(&wire, b);
    json_decref(react(&wire, 7, "exact", ""));
    json_decref(react(&wire, 2, "half", ""));
    frames[0].react = marey_reactor_start(by_slow);
    for (int step = 1; step <= STEPS; step++) {
        main_place at = place_at(step, 0);
        uint8_t should[256], *end = should;
        if (step % 2 == 0) frames[0] = judge_step(by_slow, &at);
        frames[1] = judge_step(by_fast, &at);
        put_head(&end, 2, at.time_s);
        put_frame(&end, 2, &frames[0]);
        put_frame(&end, 7, &frames[1]);
        ws_frame is = go_on(&wire, &at, 1);
        assert_bytes(&is, should, end);
        free(is.bytes);
    }
    wire_close(&wire);
    marey_reactor_free(by_fast);
    marey_reactor_free(by_slow);
    judge_close(&fast);
    judge_close(&slow);
}

TEST(a_message_is_answered_also_when_nobody_reacts)
{
    const studio_bench *b = *state;
    http_wire wire;
    main_place at = { 2.5, 1, 2, 3 };
    uint8_t should[REACT_HEADER], *end = should;
    studio_live(&wire, b);
    put_head(&end, 0, 2.5);
    ws_frame is = go_on(&wire, &at, 1);
    assert_bytes(&is, should, end);
    free(is.bytes);
    wire_close(&wire);
}

/* A second and more between two places is no time; what is not later is passed over. */
TEST(time_that_jumps_does_not_pass)
{
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "exact");
    marey_reactor *reactor = judge_react(&of, NULL);
    marey_puppet_frame frame = { 0 };
    http_wire wire;
    main_place at, back = { 0.25, 5, 5, 0 };
    studio_live(&wire, b);
    json_decref(react(&wire, 0, "exact", ""));
    for (int step = 1; step <= 32; step++) { /* half a second .. */
        at = place_at(step, 0);
        frame = judge_step(reactor, &at);
        ws_frame is = go_on(&wire, &at, 1);
        free(is.bytes);
    }
    at.time_s += 100; /* .. then a long time nothing, while the main character goes far away, .. */
    at.x += 512;
    for (int round = 0; round < 3; round++) {
        const main_place *told = round == 1 ? &back : &at;
        uint8_t should[128], *end = should;
        put_head(&end, 1, told->time_s);
        put_frame(&end, 0, &frame);
        ws_frame is = go_on(&wire, told, 1);
        assert_bytes(&is, should, end);
        free(is.bytes);
    }
    for (int step = 1; step <= 8; step++) { /* .. and on from there */
        uint8_t should[128], *end = should;
        at.time_s += 1 / (double)RATE;
        frame = judge_step(reactor, &at);
        put_head(&end, 1, at.time_s);
        put_frame(&end, 0, &frame);
        ws_frame is = go_on(&wire, &at, 1);
        assert_bytes(&is, should, end);
        free(is.bytes);
    }
    at.time_s += 1; /* just a second is time */
    ws_frame is = go_on(&wire, &at, 1);
    for (int step = 0; step < RATE; step++) frame = judge_step(reactor, &at);
    assert_true(float_at(is.bytes + REACT_HEADER + 16) == (double)(float)frame.react.x_cm);
    free(is.bytes);
    wire_close(&wire);
    marey_reactor_free(reactor);
    judge_close(&of);
}

/* ---- their lives -------------------------------------------------------------------------------- */

static double start_x(const json_t *begun)
{
    return json_number_value(item(begun, "start", 0));
}

static double told_x(http_wire *wire, double time_s)
{
    main_place at = { time_s, 0, 0, 0 };
    ws_frame is = go_on(wire, &at, 1);
    assert_int_equal(word_at(is.bytes + 4), 1);
    double x = float_at(is.bytes + REACT_HEADER + 16);
    free(is.bytes);
    return x;
}

TEST(one_that_is_asked_for_again_replaces_and_what_cannot_be_does_not)
{
    const studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    json_t *begun = react(&wire, 4, "shy", ", 'start': [1000, 0, 0]");
    assert_true(start_x(begun) == 1000);
    json_decref(begun);
    assert_true(fabs(told_x(&wire, 0.1) - 1000) < 100);
    refused(&wire, "{'type': 'react', 'react': 4, 'puppet': 'nobody', 'main': [0,0,0]}", 4,
            "nobody");
    assert_true(fabs(told_x(&wire, 0.2) - 1000) < 100);
    json_decref(react(&wire, 4, "half", ", 'start': [-1000, 0, 0], 'time_s': 0.2"));
    assert_true(fabs(told_x(&wire, 0.3) + 1000) < 100);
    wire_close(&wire);
}

TEST(one_that_is_dismissed_is_gone)
{
    const studio_bench *b = *state;
    main_place at = { 1, 0, 0, 0 };
    http_wire wire;
    studio_live(&wire, b);
    json_decref(react(&wire, 0, "shy", ""));
    json_decref(react(&wire, 5, "shy", ""));
    say(&wire, "{'type': 'dismiss', 'react': 0}");
    json_t *over = hear(&wire, "react-end");
    assert_int_equal(number(over, "react"), 0);
    json_decref(over);
    ws_frame is = go_on(&wire, &at, 1);
    assert_int_equal(word_at(is.bytes + 4), 1);
    assert_int_equal(word_at(is.bytes + REACT_HEADER), 5);
    free(is.bytes);
    refused(&wire, "{'type': 'dismiss', 'react': 0}", 0, "no live session 0");
    /* One that is not open yet: nothing of it is heard of any more. */
    say(&wire, "{'type': 'react', 'react': 6, 'puppet': 'exact', 'main': [0,0,0]}");
    say(&wire, "{'type': 'dismiss', 'react': 6}");
    json_decref(hear(&wire, "react-end"));
    json_decref(react(&wire, 7, "half", ""));
    at.time_s = 2;
    is = go_on(&wire, &at, 1);
    assert_int_equal(word_at(is.bytes + 4), 2);
    free(is.bytes);
    wire_close(&wire);
}

TEST(a_puppet_that_is_changed_or_removed_is_played_on)
{
    const studio_bench *b = *state;
    http_wire wire;
    train_ready(b, "gone", "follower");
    puppet_judge of = judge_open(b, "gone");
    marey_reactor *reactor = judge_react(&of, NULL);
    studio_live(&wire, b);
    json_decref(react(&wire, 0, "gone", ""));
    for (int step = 1; step <= 30; step++) {
        main_place at = { step / 60.0, 3.0 * step, 0, 0 };
        marey_puppet_frame frame = judge_step(reactor, &at);
        if (step == 10)
            json_decref(post(b, "/api/do/puppet-rename", "{'name': 'gone', 'to': 'away'}", 200));
        if (step == 15) train_ready(b, "gone", "dancer");
        if (step == 20) {
            json_decref(post(b, "/api/do/puppet-rm", "{'name': 'gone'}", 200));
            json_decref(post(b, "/api/do/puppet-rm", "{'name': 'away'}", 200));
        }
        ws_frame is = go_on(&wire, &at, 1);
        assert_true(float_at(is.bytes + REACT_HEADER + 16) == (double)(float)frame.react.x_cm);
        assert_true(float_at(is.bytes + REACT_HEADER + 8) == (double)(float)frame.time_s);
        free(is.bytes);
    }
    refused(&wire, "{'type': 'react', 'react': 1, 'puppet': 'gone', 'main': [0,0,0]}", 1, "gone");
    wire_close(&wire);
    marey_reactor_free(reactor);
    judge_close(&of);
}

/* ---- what cannot be ----------------------------------------------------------------------------- */

TEST(messages_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *says;
        int number;
    } rows[] = {
        { "{'type': 'react'}", "0 to 7", -1 },
        { "{'type': 'react', 'react': 8, 'puppet': 'shy', 'main': [0,0,0]}", "0 to 7", -1 },
        { "{'type': 'react', 'react': 0.5, 'puppet': 'shy', 'main': [0,0,0]}", "0 to 7", -1 },
        { "{'type': 'react', 'react': 0, 'main': [0,0,0]}", "puppet", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 7, 'main': [0,0,0]}", "puppet", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shyy', 'main': [0,0,0]}", "shy", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy'}", "main", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0]}", "main", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,2e6,0]}", "main", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'start': 1}", "start",
          0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'time_s': 'x'}",
          "time_s", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'balance': 2}",
          "balance", 0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'weight': -1}", "weight",
          0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'rough': 1}", "rough",
          0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'graph': 1}", "graph",
          0 },
        { "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0], 'graph': 'nowhere'}",
          "nowhere", 0 },
        { "{'type': 'main'}", "1 to 64", -1 },
        { "{'type': 'main', 'at': []}", "1 to 64", -1 },
        { "{'type': 'main', 'at': [[0,0,0]]}", "place 0", -1 },
        { "{'type': 'main', 'at': [[0,0,0,null]]}", "place 0", -1 },
        { "{'type': 'main', 'at': [[0,0,2e6,0]]}", "place 0", -1 },
        { "{'type': 'main', 'at': [[1,0,0,0],[1,0,0,0]]}", "place 1", -1 },
        { "{'type': 'dismiss'}", "0 to 7", -1 },
        { "{'type': 'dismiss', 'react': 3}", "no live session 3", 3 },
        { "{'type': 'reacts'}", "react, main and dismiss", -1 },
    };
    const studio_bench *b = *state;
    http_wire wire;
    main_place many[65];
    studio_live(&wire, b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(&wire, rows[i].text, rows[i].number, rows[i].says);
    for (int i = 0; i < 65; i++) many[i] = place_at(i, 0);
    say_main(&wire, many, 65);
    json_decref(hear(&wire, "error"));
    ws_frame is = go_on(&wire, many, 64);
    free(is.bytes);
    wire_close(&wire);
}

/* Closed while puppets are being opened and react: sanitizers find what is left over, or used too late. */
TEST(a_studio_can_be_closed_at_any_moment)
{
    studio_bench *b = *state;
    for (int i = 0; i < 6; i++) {
        http_wire wire;
        studio_live(&wire, b);
        if (i % 2) json_decref(react(&wire, 0, "shy", ""));
        say(&wire, "{'type': 'react', 'react': 1, 'puppet': 'exact', 'main': [0,0,0]}");
        say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'half', 'main': [0,0,0]}");
        usleep((useconds_t)(i * 1000));
        studio_close(b->host);
        b->host = NULL;
        wire_close(&wire);
        studio_bench_start(b, NULL);
    }
}

TEST_GROUP_OF_CASES(test_studio_puppet_live, open_bench, close_puppet_bench)
