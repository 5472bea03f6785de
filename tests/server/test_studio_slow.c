/* test_studio_slow.c - clients that take their time: over reading answers, and over requests that
   they send behind others. */
#include "studio_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { LONG_FRAMES = 20000, UNSENT_BYTES = 8 << 20 };

typedef struct slow_bench {
    studio_bench b;
    char target[64]; /* whose answer is longer than what lies between server and client */
    size_t bytes;    /* of that answer */
} slow_bench;

static void put_long_clip(const char *path)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    FREED char *text = test_person(LONG_FRAMES);
    char file[400];
    const char *paths[] = { file };
    snprintf(file, sizeof file, "%s-long.bvh", path);
    test_file_write(file, text, strlen(text));
    assert_int_equal(marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &library, NULL), MAREY_OK);
    assert_int_equal(marey_library_add(library, paths, 1, NULL, NULL), MAREY_OK);
    remove(file);
}

static int open_slow(void **state)
{
    static slow_bench bench; /* one at a time */
    studio_def def = { .header_ms = 700,
                       .body_ms = 700,
                       .send_ms = 700,
                       .idle_ms = 6000,
                       .unsent_bytes = UNSENT_BYTES };
    bench = (slow_bench){ 0 };
    studio_bench_library(&bench.b);
    put_long_clip(bench.b.path);
    studio_bench_start(&bench.b, &def);
    int64_t last = 0;
    for (int i = 0; i < BENCH_CLIPS; i++)
        if (bench.b.ids[i] > last) last = bench.b.ids[i];
    snprintf(bench.target, sizeof bench.target, "/api/clips/%lld/frames", (long long)last + 1);
    OWNED(http_answer) got = studio_ask(&bench.b, bench.target, NULL);
    assert_int_equal(got.status, 200);
    bench.bytes = got.count;
    *state = &bench;
    return 0;
}

static int close_slow(void **state)
{
    slow_bench *bench = *state;
    studio_bench_close(&bench->b);
    return 0;
}

static http_wire open_narrow(const slow_bench *s) /* that little fits into */
{
    http_wire wire = wire_to(s->b.port);
    setsockopt(wire.socket, SOL_SOCKET, SO_RCVBUF, &(int){ 16384 }, sizeof(int));
    return wire;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* A little every tenth of a second: something always moves, and it is never done. What lies on the
   way when the server gives up is still to be had; that it is less than the whole shows that it
   did. */
TEST_OF(slow_bench *s, a_client_that_reads_by_drips_is_cut_off_in_time)
{
    char piece[16384];
    size_t taken = 0, more = 0;
    double until = wire_now() + 0.7 + (double)(s->bytes >> 20) + 1.5;
    OWNED(http_wire) wire = open_narrow(s);
    assert_true(studio_send(&wire, &s->b, s->target, NULL));
    while (wire_now() < until) {
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        ssize_t got = recv(wire.socket, piece, sizeof piece, MSG_DONTWAIT);
        if (got > 0) taken += (size_t)got;
    }
    assert_true(wire_drain(&wire, 5, &more));
    print_message("%zu of %zu bytes were read, %zu on their way\n", taken, s->bytes, more);
    assert_true(taken + more < s->bytes);
}

TEST_OF(slow_bench *s, more_than_so_much_does_not_wait_for_slow_readers)
{
    OWNED(http_wire) wire = open_narrow(s);
    assert_true(2 * s->bytes > UNSENT_BYTES);
    assert_true(studio_send(&wire, &s->b, s->target, NULL));
    assert_true(wire_fill(&wire, 100, wire_now() + 5)); /* it is on its way */
    post_refused(&s->b, s->target, NULL, 503, "read slowly");
    studio_get(&s->b, 200, "/api/about"); /* short ones go out */
    wire_abort(&wire);
    int status = 503;
    for (int i = 0; i < 100 && status == 503; i++) {
        OWNED(http_answer) got = studio_ask(&s->b, s->target, NULL);
        status = got.status;
    }
    assert_int_equal(status, 200);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The beginning of the second request is with the server before the first one is answered. */
TEST_OF(slow_bench *s, a_header_begun_behind_another_request_has_its_own_time)
{
    size_t count;
    FREED char *text = studio_fill(
        &s->b, "GET /api/about HTTP/1.1\r\n" HOST BEARER "\r\nGET /api/about HTTP/1.1\r\nX-",
        &count);
    OWNED(http_wire) wire = wire_to(s->b.port);
    assert_true(wire_send(&wire, text, count));
    OWNED(http_answer) got = wire_read(&wire, 5);
    assert_int_equal(got.status, 200);
    double start = wire_now();
    assert_true(wire_drain(&wire, 8, NULL));
    assert_true(wire_now() - start < 3); /* not the six seconds of an idle one */
}

TEST_OF(slow_bench *s, a_connection_that_rests_has_the_longer_time)
{
    char body[100];
    snprintf(body, sizeof body, "{\"clips\":[%lld],\"add\":[\"x\"]}", (long long)s->b.ids[0]);
    OWNED(http_wire) wire = wire_to(s->b.port);
    for (int i = 0; i < 3; i++) { /* with bodies and without: all bytes are accounted for */
        assert_true(studio_send(&wire, &s->b, i == 1 ? "/api/do/label" : "/api/about",
                                i == 1 ? body : NULL));
        OWNED(http_answer) got = wire_read(&wire, 5);
        assert_int_equal(got.status, 200);
        assert_false(wire_drain(&wire, 2, NULL));
    }
}

TEST_GROUP_OF_CASES(test_studio_slow, open_slow, close_slow)
