/* test_studio_puppet_crowd.c - many who react, for many clients: as many as the limits say and no more, by puppets that they share; one
   client that asks for too much holds nobody up; and all memory comes back when they go. The hub is used without HTTP around it, so that
   its memory can be counted. */
#include "react_wire.h"

#include "hub.h"

#include <sys/socket.h>

enum { LARGE = 30000, MEDIUM = 20000, FLOOD = 400 };

typedef struct crowd {
    char folder[256], path[300];
    shared of;
    pool *workers;
    size_t idle; /* memory that is used when nobody is there */
} crowd;

/* ---- the bench ---------------------------------------------------------------------------------- */

/* A puppet of so many steps, of somebody who goes to and fro. */
static void keep_puppet(marey_ctx *ctx, marey_library *library, const char *name, int steps)
{
    int count = steps / 24 + 1;
    marey_puppet_sample *samples = calloc((size_t)count, sizeof *samples);
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    assert_non_null(samples);
    for (int i = 0; i < count; i++) {
        double x = i % 7 * 40.0;
        samples[i] = (marey_puppet_sample){ 0.4 * i, { x, i % 3 * 9.0, 0 }, { x / 2, 50, 0 } };
    }
    if (marey_puppet_train(ctx, &(marey_demonstration){ samples, count }, 1, NULL, &puppet,
                           &error) ||
        marey_library_keep_puppet(library, name, puppet, NULL, 0, "", &error))
        fail_msg("%s", error.message);
    marey_puppet_free(puppet);
    free(samples);
}

static void close_socket(void *user)
{
    close((int)(intptr_t)user);
}

static void join(crowd *all, http_wire *wire)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    *wire = (http_wire){ .socket = ends[0] };
    assert_true(hub_add(all->of.hub, ends[1], NULL, 0, close_socket, (void *)(intptr_t)ends[1]));
    json_decref(hear(wire, "hello"));
}

/* What is used for a moment only, to say something, is none that counts. */
static size_t least_used(crowd *all)
{
    size_t least = SIZE_MAX;
    for (int i = 0; i < 60; i++) {
        size_t used = atomic_load(&all->of.memory.used);
        if (used < least) least = used;
        usleep(5000);
    }
    return least;
}

/* Workers and the hub keep a little once they have done something; what is least behind that is what they keep. */
static void find_idle(crowd *all)
{
    for (int round = 0; round < 2; round++) {
        http_wire wires[2];
        for (int i = 0; i < 2; i++) {
            join(all, &wires[i]);
            json_decref(react(&wires[i], 0, "small", ""));
            json_decref(react(&wires[i], 1, "large", ""));
        }
        for (int i = 0; i < 2; i++) wire_close(&wires[i]);
    }
    all->idle = least_used(all);
}

/* Back to what it was; that somebody went is noticed in a moment. */
static void wait_for_memory(crowd *all, size_t used)
{
    for (int tries = 0; atomic_load(&all->of.memory.used) != used; tries++) {
        if (tries > 4000) fail_msg("%zu bytes stay", atomic_load(&all->of.memory.used) - used);
        usleep(10000);
    }
}

static int open_crowd(void **state)
{
    static crowd all;
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_error error = { 0 };
    all = (crowd){ .of.memory.limit = (size_t)128 << 20, .of.library_path = all.path };
    all.of.allocator = (marey_ctx_def){ .resize = heap_resize, .resize_user = &all.of.memory };
    test_folder_make(all.folder, sizeof all.folder);
    snprintf(all.path, sizeof all.path, "%s/crowd.marey", all.folder);
    assert_int_equal(marey_library_open(ctx, all.path, MAREY_LIBRARY_CREATE, &library, &error), 0);
    keep_puppet(ctx, library, "large", LARGE);
    keep_puppet(ctx, library, "medium", MEDIUM);
    keep_puppet(ctx, library, "small", 600);
    for (int i = 0; i < LIMIT_ROLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "small%d", i);
        keep_puppet(ctx, library, name, 240);
    }
    marey_library_close(library);
    marey_ctx_close(ctx);
    assert_int_equal(hub_open(&all.of, &all.of.hub, &error), 0);
    assert_int_equal(pool_open(&all.of, 2, &all.workers, &error), 0);
    hub_use(all.of.hub, all.workers);
    find_idle(&all);
    *state = &all;
    return 0;
}

static int close_crowd(void **state)
{
    crowd *all = *state;
    hub_stop(all->of.hub);
    pool_close(all->workers);
    hub_close(all->of.hub);
    assert_int_equal(atomic_load(&all->of.memory.used), 0);
    test_folder_remove(all->folder);
    return 0;
}

/* ---- cases -------------------------------------------------------------------------------------- */

/* 64 who react by a puppet of 3.6 MB: were it not shared they would take more than there is. */
TEST(as_many_as_are_allowed_react_by_one_puppet_and_no_more)
{
    crowd *all = *state;
    http_wire wires[8], late;
    for (int s = 0; s < 8; s++) {
        join(all, &wires[s]);
        for (int i = 0; i < 8; i++) json_decref(react(&wires[s], i, "medium", ""));
    }
    join(all, &late);
    refused(&late, "{'type': 'react', 'react': 0, 'puppet': 'small', 'main': [0,0,0]}", 0,
            "too many");
    for (int s = 0; s < 8; s++) {
        main_place at = { 0.02, 5, 0, 0 };
        ws_frame is = go_on(&wires[s], &at, 1);
        assert_int_equal(word_at(is.bytes + 4), 8);
        free(is.bytes);
    }
    say(&wires[0], "{'type': 'dismiss', 'react': 7}");
    json_decref(hear(&wires[0], "react-end"));
    json_decref(react(&late, 0, "small", ""));
    for (int s = 0; s < 8; s++) wire_close(&wires[s]);
    wire_close(&late);
    wait_for_memory(all, all->idle);
}

TEST(only_so_many_different_puppets_are_open)
{
    crowd *all = *state;
    http_wire wire, other;
    join(all, &wire);
    join(all, &other);
    for (int i = 0; i < LIMIT_ROLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "small%d", i);
        json_decref(react(&wire, i, name, ""));
    }
    refused(&other, "{'type': 'react', 'react': 0, 'puppet': 'small', 'main': [0,0,0]}", 0,
            "different");
    json_decref(react(&other, 0, "small3", ""));
    say(&wire, "{'type': 'dismiss', 'react': 5}"); /* the last of it goes with it */
    json_decref(hear(&wire, "react-end"));
    json_decref(react(&other, 1, "small", ""));
    wire_close(&wire);
    wire_close(&other);
    wait_for_memory(all, all->idle);
}

/* Those of a kept one: its steps, and half a second before them. */
static int64_t samples_of(int steps)
{
    return steps / 24 * 24 + 1 + 30;
}

static void dismiss(http_wire *wire, int number)
{
    char text[64];
    snprintf(text, sizeof text, "{'type': 'dismiss', 'react': %d}", number);
    say(wire, text);
    json_decref(hear(wire, "react-end"));
}

/* The limit is made small for it: what is documented would take seconds to fill. */
TEST(puppets_that_are_too_much_together_are_refused_until_one_goes)
{
    crowd *all = *state;
    http_wire wire;
    all->of.role_samples = samples_of(LARGE) + samples_of(MEDIUM);
    join(all, &wire);
    json_decref(react(&wire, 0, "large", ""));
    json_decref(react(&wire, 1, "medium", "")); /* to the last sample */
    json_decref(react(&wire, 2, "large", ""));  /* which is open */
    refused(&wire, "{'type': 'react', 'react': 3, 'puppet': 'small', 'main': [0,0,0]}", 3,
            "the puppets that react now are too much together");
    dismiss(&wire, 0);
    refused(&wire, "{'type': 'react', 'react': 3, 'puppet': 'small', 'main': [0,0,0]}", 3,
            "too much together"); /* somebody reacts by it still */
    dismiss(&wire, 2);
    json_decref(react(&wire, 3, "small", ""));
    wire_close(&wire);
    wait_for_memory(all, all->idle);
    all->of.role_samples = 0;
}

TEST(those_who_react_are_counted_each_until_they_go)
{
    crowd *all = *state;
    http_wire wire, other;
    all->of.react_samples = 2 * samples_of(MEDIUM) + samples_of(600);
    join(all, &wire);
    join(all, &other);
    json_decref(react(&wire, 0, "medium", ""));
    json_decref(react(&other, 0, "medium", ""));
    json_decref(react(&wire, 1, "small", "")); /* to the last sample */
    refused(&other, "{'type': 'react', 'react': 1, 'puppet': 'small', 'main': [0,0,0]}", 1,
            "those who react now are too much together");
    dismiss(&wire, 0);
    json_decref(react(&other, 1, "medium", ""));
    refused(&wire, "{'type': 'react', 'react': 0, 'puppet': 'medium', 'main': [0,0,0]}", 0,
            "too much together");
    wire_close(&wire);
    wire_close(&other);
    wait_for_memory(all, all->idle);
    all->of.react_samples = 0;
}

/* 60 steps of 30 000 samples four times are 8 million; a fifth does not fit, stays where it is, and goes on when there is less to
   do. */
TEST(what_is_too_much_at_once_stands_still_and_says_so_once)
{
    crowd *all = *state;
    http_wire wire;
    join(all, &wire);
    for (int i = 0; i < 6; i++) json_decref(react(&wire, i, i == 5 ? "small" : "large", ""));
    int told = 0;
    uint8_t before[REACT_ENTRY] = { 0 };
    for (int round = 1; round <= 3; round++) {
        main_place at = { round, round * 100.0, 0, 0 };
        say_main(&wire, &at, 1);
        for (bool whole = false; !whole;) {
            ws_frame is = ws_read(&wire, 30);
            assert_true(is.kind >= 0);
            whole = is.kind == WS_BINARY;
            if (whole) {
                const uint8_t *fifth = is.bytes + REACT_HEADER + 4 * REACT_ENTRY;
                assert_int_equal(word_at(is.bytes + 4), 6);
                assert_true(float_at(is.bytes + REACT_HEADER + 8) > 0); /* the first goes on */
                assert_true(float_at(fifth + REACT_ENTRY + 8) > 0);     /* and the small one */
                if (round > 1) assert_memory_equal(fifth, before, REACT_ENTRY);
                memcpy(before, fifth, REACT_ENTRY);
            } else if (strstr((const char *)is.bytes, "too much at once")) {
                assert_non_null(strstr((const char *)is.bytes, "\"react\":4"));
                told++;
            }
            free(is.bytes);
        }
    }
    assert_int_equal(told, 1);
    main_place at = { 3 + 2 / 60.0, 400, 0, 0 };
    ws_frame is = go_on(&wire, &at, 1);
    assert_true(memcmp(is.bytes + REACT_HEADER + 4 * REACT_ENTRY, before, REACT_ENTRY) != 0);
    free(is.bytes);
    wire_close(&wire);
    wait_for_memory(all, all->idle);
}

/* Counts what has come; text is no answer to a step. A millisecond is much less than a step of the flood takes. */
static int count_steps(http_wire *wire)
{
    int count = 0;
    for (;;) {
        ws_frame frame = ws_read(wire, 0.001);
        free(frame.bytes);
        if (frame.kind < 0) return count;
        count += frame.kind == WS_BINARY;
    }
}

/* All at once, in frames that are masked by zeros. */
static void pour(http_wire *wire)
{
    static uint8_t frames[FLOOD * 128];
    uint8_t *to = frames;
    for (int i = 1; i <= FLOOD; i++) {
        char text[120];
        int length = snprintf(text, sizeof text, "{\"type\":\"main\",\"at\":[[%.9f,%d,0,0]]}",
                              (double)i, i % 50);
        const uint8_t head[6] = { 0x80 | WS_TEXT, (uint8_t)(0x80 | length) };
        memcpy(to, head, sizeof head);
        memcpy(to + sizeof head, text, (size_t)length);
        to += sizeof head + (size_t)length;
    }
    assert_true(wire_send(wire, frames, (size_t)(to - frames)));
}

/* One sends 400 messages at once, each of 60 steps for four who react: 16 ms of work and more each, six seconds in all. Another one's
   messages are answered in between. Were each client's messages done to their end, the flood would be over by then. */
TEST(one_that_asks_for_much_holds_nobody_up)
{
    crowd *all = *state;
    http_wire flood, other;
    join(all, &flood);
    join(all, &other);
    for (int i = 0; i < 4; i++) json_decref(react(&flood, i, "large", ""));
    json_decref(react(&other, 0, "small", ""));
    pour(&flood);
    for (int i = 1; i <= 5; i++) {
        main_place at = { i / 60.0, i, 0, 0 };
        ws_frame is = go_on(&other, &at, 1);
        assert_int_equal(word_at(is.bytes + 4), 1);
        free(is.bytes);
    }
    int done = count_steps(&flood);
    print_message("%d of %d messages of the flood are done\n", done, FLOOD);
    assert_true(done < FLOOD / 2);
    ws_frame more = ws_read(&flood, 30); /* it was not sent away */
    assert_true(more.kind >= 0);
    free(more.bytes);
    wire_close(&flood); /* with what is left of it */
    main_place at = { 0.5, 9, 0, 0 };
    ws_frame is = go_on(&other, &at, 1);
    free(is.bytes);
    wire_close(&other);
    wait_for_memory(all, all->idle);
}

/* What waits is done in its order, and all of it is answered. */
TEST(what_had_to_wait_is_answered_in_order)
{
    enum { COUNT = 24 };
    crowd *all = *state;
    http_wire wire;
    join(all, &wire);
    json_decref(react(&wire, 0, "large", ""));
    for (int i = 1; i <= COUNT; i++) {
        main_place at = { i * 0.5, i, 0, 0 };
        say_main(&wire, &at, 1);
    }
    say(&wire, "{'type': 'dismiss', 'react': 0}");
    for (int i = 1; i <= COUNT; i++) {
        ws_frame is = hear_steps(&wire);
        double time;
        memcpy(&time, is.bytes + 8, sizeof time);
        assert_true(time == i * 0.5);
        assert_int_equal(word_at(is.bytes + 4), 1);
        free(is.bytes);
    }
    json_decref(hear(&wire, "react-end"));
    wire_close(&wire);
    wait_for_memory(all, all->idle);
}

/* A client that does not read what it gets is given up, with all who react to it. */
TEST(one_that_does_not_read_is_given_up)
{
    crowd *all = *state;
    http_wire deaf, other;
    main_place at = { 0, 0, 0, 0 };
    bool gone = false;
    join(all, &other);
    join(all, &deaf);
    for (int i = 0; i < 8; i++) json_decref(react(&deaf, i, "small", ""));
    for (int i = 0; i < 100000 && !gone; i++) {
        static const char step[] = "{\"type\":\"main\",\"at\":[[0,0,0,0]]}";
        gone = !ws_say(&deaf, step);
    }
    assert_true(gone);
    ws_frame is = go_on(&other, &at, 1);
    free(is.bytes);
    wire_close(&other);
    wire_close(&deaf);
    wait_for_memory(all, all->idle);
}

/* With a little more memory each time, until it is enough; what was refused leaves nothing behind. */
TEST(without_memory_it_is_said_and_nothing_is_lost)
{
    crowd *all = *state;
    http_wire wire;
    size_t limit = all->of.memory.limit;
    int refusals = 0;
    join(all, &wire);
    size_t idle = least_used(all);
    for (size_t more = 4096;; more += more / 8) {
        json_t *told = NULL;
        all->of.memory.limit = idle + more;
        say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'small', 'main': [0,0,0]}");
        while (!told) {
            ws_frame frame = ws_read(&wire, 30);
            assert_true(frame.kind >= 0);
            if (frame.kind == WS_TEXT) told = json_loads((const char *)frame.bytes, 0, NULL);
            free(frame.bytes);
        }
        all->of.memory.limit = limit;
        bool begun = strcmp(word(told, "type"), "react") == 0;
        if (!begun) assert_non_null(strstr(word(told, "message"), "memory"));
        json_decref(told);
        if (begun) break;
        refusals++;
        wait_for_memory(all, idle);
    }
    assert_true(refusals > 3);
    wire_close(&wire);
}

TEST_GROUP_OF_CASES(test_studio_puppet_crowd, open_crowd, close_crowd)
