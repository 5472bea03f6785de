/* test_studio_puppet_crowd.c - many characters that react, for many clients: as many as the limits
   say and no more, by puppets that they share; one client that asks for too much holds no other up;
   and all memory comes back when they go. The hub is used without HTTP around it, so that its
   memory can be counted. */
#include "react_wire.h"

#include "hub.h"

#include <sys/socket.h>

enum { LARGE = 30000, MEDIUM = 20000, FLOOD = 400 };

typedef struct crowd {
    char folder[256], path[300];
    shared of;
    pool *workers;
    size_t idle; /* memory that is used when no client is there */
} crowd;

/* ---- the bench ------------------------------------------------------------------------------- */

/* A puppet of so many steps, of a character that goes to and fro. */
static void keep_puppet(marey_ctx *ctx, marey_library *library, const char *name, int steps)
{
    int count = steps / 24 + 1;
    FREED marey_puppet_sample *samples = calloc((size_t)count, sizeof *samples);
    OWNED(marey_puppet) *puppet = NULL;
    marey_error error = { 0 };
    assert_non_null(samples);
    for (int i = 0; i < count; i++) {
        double x = i % 7 * 40.0;
        samples[i] = (marey_puppet_sample){ 0.4 * i, { x, i % 3 * 9.0, 0 }, { x / 2, 50, 0 } };
    }
    test_fine(
        marey_puppet_train(ctx, &(marey_demonstration){ samples, count }, 1, NULL, &puppet, &error),
        &error);
    test_fine(marey_library_keep_puppet(library, name, puppet, NULL, 0, "", &error), &error);
}

static void close_socket(void *user)
{
    close((int)(intptr_t)user);
}

static http_wire join(crowd *all)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    http_wire wire = { .socket = ends[0] };
    assert_true(hub_add(all->of.hub, ends[1], NULL, 0, close_socket, (void *)(intptr_t)ends[1]));
    hear(&wire, "hello");
    return wire;
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

/* Workers and the hub keep a little once they have done something; what is least behind that is
   what they keep. */
static void find_idle(crowd *all)
{
    for (int round = 0; round < 2; round++) {
        OWNED(http_wire) first = join(all);
        OWNED(http_wire) second = join(all);
        react(&first, 0, "small", "");
        react(&first, 1, "large", "");
        react(&second, 0, "small", "");
        react(&second, 1, "large", "");
    }
    all->idle = least_used(all);
}

/* Back to what it was; that a client went is noticed in a moment. */
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

/* A case, behind which all memory comes back. */
static int wait_for_idle(void **state)
{
    crowd *all = *state;
    wait_for_memory(all, all->idle);
    return 0;
}
#define CASE(name) TEST_OF_IN(NULL, wait_for_idle, crowd *all, name)

static void dismiss(http_wire *wire, int number_of)
{
    say(wire, "{'type': 'dismiss', 'react': %d}", number_of);
    hear(wire, "react-end");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* 64 that react by a puppet of 3.6 MB: were it not shared they would take more than there is. */
CASE(as_many_as_are_allowed_react_by_one_puppet_and_no_more)
{
    http_wire wires[8];
    for (int s = 0; s < 8; s++) {
        wires[s] = join(all);
        for (int i = 0; i < 8; i++) react(&wires[s], i, "medium", "");
    }
    OWNED(http_wire) late = join(all);
    react_refused(&late, 0, "small", "too many");
    for (int s = 0; s < 8; s++) {
        main_place at = { 0.02, 5, 0, 0 };
        OWNED(ws_frame) is = go_on(&wires[s], &at, 1);
        assert_int_equal(word_at(is.bytes + 4), 8);
    }
    dismiss(&wires[0], 7);
    react(&late, 0, "small", "");
    for (int s = 0; s < 8; s++) wire_close(&wires[s]);
}

CASE(only_so_many_different_puppets_are_open)
{
    OWNED(http_wire) wire = join(all);
    OWNED(http_wire) other = join(all);
    for (int i = 0; i < LIMIT_ROLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "small%d", i);
        react(&wire, i, name, "");
    }
    react_refused(&other, 0, "small", "different");
    react(&other, 0, "small3", "");
    dismiss(&wire, 5); /* the last of it goes with it */
    react(&other, 1, "small", "");
}

/* Those of a saved one: its steps, and half a second before them. */
static int64_t samples_of(int steps)
{
    return steps / 24 * 24 + 1 + 30;
}

/* The limit is made small for it: what is documented would take seconds to fill. */
CASE(puppets_that_are_too_much_together_are_refused_until_one_goes)
{
    all->of.role_samples = samples_of(LARGE) + samples_of(MEDIUM);
    OWNED(http_wire) wire = join(all);
    react(&wire, 0, "large", "");
    react(&wire, 1, "medium", ""); /* to the last sample */
    react(&wire, 2, "large", "");  /* which is open */
    react_refused(&wire, 3, "small", "the puppets that react now are too much together");
    dismiss(&wire, 0);
    react_refused(&wire, 3, "small", "too much together"); /* a character reacts by it still */
    dismiss(&wire, 2);
    react(&wire, 3, "small", "");
    all->of.role_samples = 0;
}

CASE(reacting_characters_are_counted_each_until_they_go)
{
    all->of.react_samples = 2 * samples_of(MEDIUM) + samples_of(600);
    OWNED(http_wire) wire = join(all);
    OWNED(http_wire) other = join(all);
    react(&wire, 0, "medium", "");
    react(&other, 0, "medium", "");
    react(&wire, 1, "small", ""); /* to the last sample */
    react_refused(&other, 1, "small", "those who react now are too much together");
    dismiss(&wire, 0);
    react(&other, 1, "medium", "");
    react_refused(&wire, 0, "medium", "too much together");
    all->of.react_samples = 0;
}

/* 60 steps of 30 000 samples four times are 8 million; a fifth does not fit, stays where it is, and
   goes on when there is less to do. */
CASE(what_is_too_much_at_once_stands_still_and_says_so_once)
{
    OWNED(http_wire) wire = join(all);
    for (int i = 0; i < 6; i++) react(&wire, i, i == 5 ? "small" : "large", "");
    int told = 0;
    uint8_t before[REACT_ENTRY] = { 0 };
    for (int round = 1; round <= 3; round++) {
        main_place at = { round, round * 100.0, 0, 0 };
        say_main(&wire, &at, 1);
        for (bool whole = false; !whole;) {
            OWNED(ws_frame) is = ws_read(&wire, 30);
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
        }
    }
    assert_int_equal(told, 1);
    main_place at = { 3 + 2 / 60.0, 400, 0, 0 };
    OWNED(ws_frame) is = go_on(&wire, &at, 1);
    assert_true(memcmp(is.bytes + REACT_HEADER + 4 * REACT_ENTRY, before, REACT_ENTRY) != 0);
}

/* Counts what has come; text is no answer to a step. A millisecond is much less than a step of the
   flood takes. */
static int count_steps(http_wire *wire)
{
    int count = 0;
    for (;;) {
        OWNED(ws_frame) frame = ws_read(wire, 0.001);
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

/* One sends 400 messages at once, each of 60 steps for four that react: 16 ms of work and more
   each, six seconds in all. Another one's messages are answered in between. Were each client's
   messages done to their end, the flood would be over by then. */
CASE(one_that_asks_for_much_holds_no_other_up)
{
    OWNED(http_wire) flood = join(all);
    OWNED(http_wire) other = join(all);
    for (int i = 0; i < 4; i++) react(&flood, i, "large", "");
    react(&other, 0, "small", "");
    pour(&flood);
    for (int i = 1; i <= 5; i++) {
        main_place at = { i / 60.0, i, 0, 0 };
        OWNED(ws_frame) is = go_on(&other, &at, 1);
        assert_int_equal(word_at(is.bytes + 4), 1);
    }
    int done = count_steps(&flood);
    print_message("%d of %d messages of the flood are done\n", done, FLOOD);
    assert_true(done < FLOOD / 2);
    OWNED(ws_frame) more = ws_read(&flood, 30); /* it was not sent away */
    assert_true(more.kind >= 0);
    wire_close(&flood); /* with what is left of it */
    main_place at = { 0.5, 9, 0, 0 };
    OWNED(ws_frame) is = go_on(&other, &at, 1);
}

/* What waits is done in its order, and all of it is answered. */
CASE(what_had_to_wait_is_answered_in_order)
{
    enum { COUNT = 24 };
    OWNED(http_wire) wire = join(all);
    react(&wire, 0, "large", "");
    for (int i = 1; i <= COUNT; i++) {
        main_place at = { i * 0.5, i, 0, 0 };
        say_main(&wire, &at, 1);
    }
    say(&wire, "{'type': 'dismiss', 'react': 0}");
    for (int i = 1; i <= COUNT; i++) {
        OWNED(ws_frame) is = hear_steps(&wire);
        double time;
        memcpy(&time, is.bytes + 8, sizeof time);
        assert_true(time == i * 0.5);
        assert_int_equal(word_at(is.bytes + 4), 1);
    }
    hear(&wire, "react-end");
}

/* A client that does not read what it gets is given up, with all that react to it. */
CASE(one_that_does_not_read_is_given_up)
{
    main_place at = { 0, 0, 0, 0 };
    bool gone = false;
    OWNED(http_wire) other = join(all);
    OWNED(http_wire) deaf = join(all);
    for (int i = 0; i < 8; i++) react(&deaf, i, "small", "");
    for (int i = 0; i < 100000 && !gone; i++) {
        static const char step[] = "{\"type\":\"main\",\"at\":[[0,0,0,0]]}";
        gone = !ws_say(&deaf, step);
    }
    assert_true(gone);
    OWNED(ws_frame) is = go_on(&other, &at, 1);
}

/* With a little more memory each time, until it is enough; what was refused leaves nothing
   behind. */
CASE(without_memory_it_is_reported_and_nothing_is_lost)
{
    size_t limit = all->of.memory.limit;
    int refusals = 0;
    bool begun = false;
    OWNED(http_wire) wire = join(all);
    size_t idle = least_used(all);
    for (size_t more = 4096; !begun; more += more / 8) {
        const json_t *heard = NULL;
        all->of.memory.limit = idle + more;
        say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'small', 'main': [0,0,0]}");
        while (!heard) {
            OWNED(ws_frame) frame = ws_read(&wire, 30);
            assert_true(frame.kind >= 0);
            if (frame.kind == WS_TEXT)
                heard = json_hold_text((const char *)frame.bytes, frame.count);
        }
        all->of.memory.limit = limit;
        begun = strcmp(word(heard, "type"), "react") == 0;
        if (begun) continue;
        assert_non_null(strstr(word(heard, "message"), "memory"));
        refusals++;
        wait_for_memory(all, idle);
    }
    assert_true(refusals > 3);
}

TEST_GROUP_OF_CASES(test_studio_puppet_crowd, open_crowd, close_crowd)
