/* test_studio_puppet_live.c - characters that react over the WebSocket: byte for byte what the
   library's own reactors do, in steps that the client's times alone decide; replaced, dismissed and
   refused as documented; and not in the way of changes of the library. */
#include "react_wire.h"

enum { STEPS = 96, RATE = 64 }; /* a rate whose steps are exact numbers */

static int open_bench(void **state)
{
    open_puppet_bench(state);
    train_puppet(*state, "exact", ", 'rate': 64", "{'ready': 'bully'}");
    train_puppet(*state, "half", ", 'rate': 32", "{'ready': 'guard'}");
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

static double start_x(const json_t *begun)
{
    return number_at(json_object_get(begun, "start"), 0);
}

/* A message of places, answered by exactly these bytes. */
static void assert_answer(http_wire *wire, const main_place *places, int count,
                          const uint8_t *should, const uint8_t *end)
{
    OWNED(ws_frame) is = go_on(wire, places, count);
    assert_int_equal(is.count, end - should);
    assert_memory_equal(is.bytes, should, is.count);
}

/* The same for one character. */
static void assert_step(http_wire *wire, const main_place *places, int count, int number_of,
                        const marey_puppet_frame *frame)
{
    uint8_t should[128], *end = should;
    put_head(&end, 1, places[count - 1].time_s);
    put_frame(&end, number_of, frame);
    assert_answer(wire, places, count, should, end);
}

/* ---- steps ----------------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, steps_are_byte_for_byte_those_of_the_library)
{
    static const struct {
        const char *more;
        marey_reactor_def def;
    } rows[] = { { "", { 0 } },
                 { ", 'start': [-50, 25, 0.5], 'balance': 0.25",
                   { .start_given = true, .start = { -50, 25, 0.5 }, .balance = 0.25 } },
                 { ", 'weight': 3", { .weight = 3 } },
                 { ", 'rough': true, 'graph': null", { .rough = true } } };
    OWNED(puppet_judge) of = judge_open(b, "exact");
    OWNED(http_wire) wire = studio_live(b);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        OWNED(marey_reactor) *reactor = judge_react(&of, &rows[k].def);
        const json_t *begun = react(&wire, 3, "exact", rows[k].more);
        expect(begun, "{'react': 3, 'puppet': 'exact', 'rate': %d, 'runs': 1}", RATE);
        assert_true(start_x(begun) == marey_reactor_start(reactor).x_cm);
        assert_null(json_object_get(begun, "joints"));
        for (int step = 1; step <= STEPS;) {
            main_place places[5];
            marey_puppet_frame frame = { 0 };
            int count = 1 + step % 5;
            for (int i = 0; i < count; i++, step++) {
                places[i] = place_at(step, 0);
                frame = judge_step(reactor, &places[i]);
            }
            assert_step(&wire, places, count, 3, &frame);
        }
    }
}

/* Places every fourth step, from a time that is not zero on: the main character goes straight
   between them. */
TEST_OF(studio_bench *b, the_main_character_goes_straight_from_place_to_place)
{
    OWNED(puppet_judge) of = judge_open(b, "exact");
    OWNED(marey_reactor) *reactor = judge_react(&of, NULL);
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 0, "exact", ", 'time_s': 1000");
    for (int step = 4; step <= STEPS; step += 4) {
        main_place from = place_at(step - 4, 1000), to = place_at(step, 1000);
        marey_puppet_frame frame = { 0 };
        from.dir = to.dir = 0;
        for (int i = 1; i <= 4; i++) {
            main_place at = { 0, from.x + i * (to.x - from.x) / 4, from.y + i * (to.y - from.y) / 4,
                              0 };
            frame = judge_step(reactor, &at);
        }
        assert_step(&wire, &to, 1, 0, &frame);
    }
}

/* Directions go the shorter way round: half way from 3 to -3 is pi. */
TEST_OF(studio_bench *b, the_main_character_turns_the_shorter_way)
{
    OWNED(http_wire) one = studio_live(b);
    OWNED(http_wire) other = studio_live(b);
    react(&one, 0, "exact", "");
    react(&other, 0, "exact", "");
    const main_place places[] = { { 1 / 64.0, 0, 0, 3 },
                                  { 2 / 64.0, 0, 0, 3.14159265358979323846 },
                                  { 3 / 64.0, 0, 0, -3 } };
    OWNED(ws_frame) begun = go_on(&one, &places[0], 1);
    OWNED(ws_frame) first = go_on(&one, &places[2], 1);
    OWNED(ws_frame) second = go_on(&other, places, 3);
    for (size_t at = REACT_HEADER + 16; at < REACT_HEADER + 28; at += 4)
        test_near(float_at(first.bytes + at), float_at(second.bytes + at), 1e-3);
}

/* However the same places are cut into messages, and whatever else reacts beside. */
TEST_OF(studio_bench *b, the_same_places_give_the_same_bytes)
{
    uint8_t last[3][REACT_ENTRY];
    static const int cuts[] = { 1, 8, 64 };
    for (int k = 0; k < 3; k++) {
        main_place places[64];
        OWNED(http_wire) wire = studio_live(b);
        react(&wire, 1, "shy", "");
        if (k == 1) react(&wire, 0, "half", "");
        for (int i = 0; i < 64; i++) places[i] = place_at(i + 1, 0);
        for (int i = 0; i < 64; i += cuts[k]) {
            OWNED(ws_frame) is = go_on(&wire, places + i, cuts[k]);
            assert_int_equal(word_at(is.bytes + 4), k == 1 ? 2 : 1);
            memcpy(last[k], is.bytes + is.count - REACT_ENTRY, REACT_ENTRY);
        }
        assert_int_equal(word_at(last[k]), 1);
    }
    assert_memory_equal(last[0], last[1], REACT_ENTRY);
    assert_memory_equal(last[0], last[2], REACT_ENTRY);
}

TEST_OF(studio_bench *b, each_takes_steps_at_its_own_rate_and_is_listed_by_its_number)
{
    OWNED(puppet_judge) fast = judge_open(b, "exact");
    OWNED(puppet_judge) slow = judge_open(b, "half");
    OWNED(marey_reactor) *by_fast = judge_react(&fast, NULL);
    OWNED(marey_reactor) *by_slow = judge_react(&slow, NULL);
    marey_puppet_frame frames[2] = { { .balance = 0.5, .weight = 1 } };
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 7, "exact", "");
    react(&wire, 2, "half", "");
    frames[0].react = marey_reactor_start(by_slow);
    for (int step = 1; step <= STEPS; step++) {
        main_place at = place_at(step, 0);
        uint8_t should[256], *end = should;
        if (step % 2 == 0) frames[0] = judge_step(by_slow, &at);
        frames[1] = judge_step(by_fast, &at);
        put_head(&end, 2, at.time_s);
        put_frame(&end, 2, &frames[0]);
        put_frame(&end, 7, &frames[1]);
        assert_answer(&wire, &at, 1, should, end);
    }
}

TEST_OF(studio_bench *b, a_message_is_answered_also_when_no_character_reacts)
{
    main_place at = { 2.5, 1, 2, 3 };
    uint8_t should[REACT_HEADER], *end = should;
    OWNED(http_wire) wire = studio_live(b);
    put_head(&end, 0, 2.5);
    assert_answer(&wire, &at, 1, should, end);
}

/* A second and more between two places is no time; what is not later is passed over. */
TEST_OF(studio_bench *b, time_that_jumps_does_not_pass)
{
    OWNED(puppet_judge) of = judge_open(b, "exact");
    OWNED(marey_reactor) *reactor = judge_react(&of, NULL);
    marey_puppet_frame frame = { 0 };
    main_place at, back = { 0.25, 5, 5, 0 };
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 0, "exact", "");
    for (int step = 1; step <= 32; step++) { /* half a second .. */
        at = place_at(step, 0);
        frame = judge_step(reactor, &at);
        assert_step(&wire, &at, 1, 0, &frame);
    }
    at.time_s += 100; /* .. then a long time nothing, while the main character goes far away, .. */
    at.x += 512;
    for (int round = 0; round < 3; round++)
        assert_step(&wire, round == 1 ? &back : &at, 1, 0, &frame);
    for (int step = 1; step <= 8; step++) { /* .. and on from there */
        at.time_s += 1 / (double)RATE;
        frame = judge_step(reactor, &at);
        assert_step(&wire, &at, 1, 0, &frame);
    }
    at.time_s += 1; /* just a second is time */
    OWNED(ws_frame) is = go_on(&wire, &at, 1);
    for (int step = 0; step < RATE; step++) frame = judge_step(reactor, &at);
    assert_true(float_at(is.bytes + REACT_HEADER + 16) == (double)(float)frame.react.x_cm);
}

/* ---- their lives ----------------------------------------------------------------------------- */

static double shown_x(http_wire *wire, double time_s)
{
    main_place at = { time_s, 0, 0, 0 };
    OWNED(ws_frame) is = go_on(wire, &at, 1);
    assert_int_equal(word_at(is.bytes + 4), 1);
    return float_at(is.bytes + REACT_HEADER + 16);
}

TEST_OF(studio_bench *b, one_that_is_asked_for_again_replaces_and_what_is_invalid_does_not)
{
    OWNED(http_wire) wire = studio_live(b);
    assert_true(start_x(react(&wire, 4, "shy", ", 'start': [1000, 0, 0]")) == 1000);
    test_near(shown_x(&wire, 0.1), 1000, 100);
    react_refused(&wire, 4, "missing", "missing");
    test_near(shown_x(&wire, 0.2), 1000, 100);
    react(&wire, 4, "half", ", 'start': [-1000, 0, 0], 'time_s': 0.2");
    test_near(shown_x(&wire, 0.3), -1000, 100);
}

TEST_OF(studio_bench *b, one_that_is_dismissed_is_gone)
{
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 0, "shy", "");
    react(&wire, 5, "shy", "");
    say(&wire, "{'type': 'dismiss', 'react': 0}");
    expect(hear(&wire, "react-end"), "{'react': 0}");
    OWNED(ws_frame) is = go_on(&wire, &(main_place){ 1, 0, 0, 0 }, 1);
    assert_int_equal(word_at(is.bytes + 4), 1);
    assert_int_equal(word_at(is.bytes + REACT_HEADER), 5);
    refused(&wire, "{'type': 'dismiss', 'react': 0}", 0, "no live session 0");
    /* One that is not open yet: nothing of it is heard of any more. */
    say(&wire, "{'type': 'react', 'react': 6, 'puppet': 'exact', 'main': [0,0,0]}");
    say(&wire, "{'type': 'dismiss', 'react': 6}");
    hear(&wire, "react-end");
    react(&wire, 7, "half", "");
    OWNED(ws_frame) then = go_on(&wire, &(main_place){ 2, 0, 0, 0 }, 1);
    assert_int_equal(word_at(then.bytes + 4), 2);
}

TEST_OF(studio_bench *b, a_puppet_that_is_changed_or_removed_is_played_on)
{
    train_ready(b, "gone", "follower");
    OWNED(puppet_judge) of = judge_open(b, "gone");
    OWNED(marey_reactor) *reactor = judge_react(&of, NULL);
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 0, "gone", "");
    for (int step = 1; step <= 30; step++) {
        main_place at = { step / 60.0, 3.0 * step, 0, 0 };
        marey_puppet_frame frame = judge_step(reactor, &at);
        if (step == 10)
            studio_post(b, 200, "/api/do/puppet-rename", "{'name': 'gone', 'to': 'away'}");
        if (step == 15) train_ready(b, "gone", "dancer");
        if (step == 20) studio_post(b, 200, "/api/do/puppet-rm", "{'name': 'gone'}");
        if (step == 20) studio_post(b, 200, "/api/do/puppet-rm", "{'name': 'away'}");
        OWNED(ws_frame) is = go_on(&wire, &at, 1);
        assert_true(float_at(is.bytes + REACT_HEADER + 16) == (double)(float)frame.react.x_cm);
        assert_true(float_at(is.bytes + REACT_HEADER + 8) == (double)(float)frame.time_s);
    }
    react_refused(&wire, 1, "gone", "gone");
}

/* ---- what is invalid ------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, invalid_messages_are_refused)
{
#define SHY "{'type': 'react', 'react': 0, 'puppet': 'shy', 'main': [0,0,0]"
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
        { SHY ", 'start': 1}", "start", 0 },
        { SHY ", 'time_s': 'x'}", "time_s", 0 },
        { SHY ", 'balance': 2}", "balance", 0 },
        { SHY ", 'weight': -1}", "weight", 0 },
        { SHY ", 'rough': 1}", "rough", 0 },
        { SHY ", 'graph': 1}", "graph", 0 },
        { SHY ", 'graph': 'nowhere'}", "nowhere", 0 },
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
    main_place many[65];
    OWNED(http_wire) wire = studio_live(b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(&wire, rows[i].text, rows[i].number, rows[i].says);
    for (int i = 0; i < 65; i++) many[i] = place_at(i, 0);
    say_main(&wire, many, 65);
    hear(&wire, "error");
    OWNED(ws_frame) is = go_on(&wire, many, 64);
}

/* Closed while puppets are being opened and react: sanitizers find what is left over, or used too
   late. */
TEST_OF(studio_bench *b, a_studio_can_be_closed_at_any_moment)
{
    for (int i = 0; i < 6; i++) {
        OWNED(http_wire) wire = studio_live(b);
        if (i % 2) react(&wire, 0, "shy", "");
        say(&wire, "{'type': 'react', 'react': 1, 'puppet': 'exact', 'main': [0,0,0]}");
        say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'half', 'main': [0,0,0]}");
        usleep((useconds_t)(i * 1000));
        studio_close(b->host);
        studio_bench_start(b, NULL);
    }
}

/* As with graphs. */
TEST_OF(studio_bench *b, a_puppet_counts_once_however_often_the_library_changes)
{
    OWNED(http_wire) first = studio_live(b), second = studio_live(b);
    for (int i = 0; i < 12; i++) {
        studio_post(b, 200, "/api/do/label", "{'clips': ['walk'], 'describe': 'change %d'}", i);
        react(i % 2 ? &second : &first, i / 2, "shy", "");
    }
}

TEST_GROUP_OF_CASES(test_studio_puppet_live, open_bench, close_bench)
