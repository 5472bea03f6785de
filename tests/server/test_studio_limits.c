/* test_studio_limits.c - each limit of docs/studio-api.md at the limit and one past it, and
   requests whose length can be read in two ways: none of them may be answered twice. */
#include "studio_limits.h"
#include "studio_rows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define EDIT "POST /api/do/label HTTP/1.1\r\n" HOST BEARER JSON
#define IMPORT "POST /api/import HTTP/1.1\r\n" HOST BEARER

static int open_hasty(void **state) /* for those that are cut off */
{
    return studio_bench_set_up_with(
        state, &(studio_def){ .header_ms = 1500, .body_ms = 1500, .idle_ms = 1500 });
}

/* `count` times the letter, with a zero behind; free() it. */
static char *many(char letter, size_t count)
{
    char *text = malloc(count + 1);
    assert_non_null(text);
    memset(text, letter, count);
    text[count] = 0;
    return text;
}

/* A request at a limit, which is answered 200, or past it. The pattern is as for printf, then as
   for studio_fill. */
__attribute__((format(printf, 3, 4))) static void try_limit(const studio_bench *b, int past,
                                                            const char *format, ...)
{
    size_t count;
    FREED char *pattern = NULL;
    va_list values;
    va_start(values, format);
    assert_true(vasprintf(&pattern, format, values) > 0);
    va_end(values);
    FREED char *text = studio_fill(b, pattern, &count);
    assert_true(studio_row_try(b, past ? "past the limit" : "at the limit", text, count,
                               (int[3]){ past ? past : 200 }));
}

/* ---- line and headers ------------------------------------------------------------------------ */

/* Each look at the studio's clock finds it so much later. */
static _Atomic int64_t now_ns, step_ns;

static int64_t stepping_clock(void *user)
{
    (void)user;
    return atomic_fetch_add(&now_ns, atomic_load(&step_ns));
}

static int open_timed(void **state)
{
    step_ns = 0;
    return studio_bench_set_up_with(
        state, &(studio_def){ .most_seconds = 0.5, .clock_ns = stepping_clock });
}

TEST_OF_IN(open_timed, studio_bench_tear_down, studio_bench *b,
           a_request_and_a_job_may_take_so_many_seconds)
{
    char pair[128];
    snprintf(pair, sizeof pair, "{'a': {'clip': %lld}, 'b': {'clip': %lld}}", (long long)b->ids[0],
             (long long)b->ids[1]);
    for (int round = 0; round < 2; round++) {
        step_ns = 1000000000;
        post_refused(b, "/api/do/similar?list=1", pair, 413,
                     "not done within 0.5 s, the most that it may take");
        job_refused(b, "/api/do/index", "{'web': true}", "limit",
                    "not done within 0.5 s, the most that it may take");
        step_ns = 0; /* no time goes by: the same is done */
        studio_post(b, 200, "/api/do/similar?list=1", "%s", pair);
    }
    studio_done(b, "/api/do/index", "{'web': true}");
}

#define CASE(name) TEST_OF_IN(studio_bench_set_up, studio_bench_tear_down, studio_bench *b, name)

CASE(a_target_may_have_4096_bytes)
{
    static const char target[] = "/api/clips?text=";
    for (int past = 0; past < 2; past++) {
        FREED char *filler = many('a', LIMIT_TARGET_BYTES - strlen(target) + (size_t)past);
        try_limit(b, past ? 414 : 0, "GET %s%s HTTP/1.1\r\n" HOST BEARER END, target, filler);
    }
}

/* The limit counts what stands between the request line and the empty line, line ends and all. */
CASE(headers_may_have_16384_bytes)
{
    size_t fixed;
    FREED char *lines = studio_fill(b, HOST BEARER "X-A: \r\nX-B: \r\n", &fixed);
    for (int past = 0; past < 2; past++) {
        size_t left = LIMIT_HEADER_BYTES - fixed + (size_t)past;
        FREED char *first = many('a', left / 2);
        FREED char *second = many('b', left - left / 2);
        try_limit(b, past ? 431 : 0,
                  "GET /api/about HTTP/1.1\r\n" HOST BEARER "X-A: %s\r\nX-B: %s\r\n\r\n", first,
                  second);
    }
}

/* Blanks before a value are no part of it, but they are read and held as well. */
CASE(blanks_of_headers_count_too)
{
    for (int past = 0; past < 2; past++) {
        size_t most = LIMIT_HEADER_BYTES + LIMIT_TARGET_BYTES;
        FREED char *blanks = many(' ', past ? most + 1000 : LIMIT_HEADER_BYTES - 1000);
        try_limit(b, past ? 431 : 0, "GET /api/about HTTP/1.1\r\n" HOST BEARER "X-A:%sa\r\n\r\n",
                  blanks);
    }
}

CASE(headers_may_have_64_lines)
{
    char lines[16 * LIMIT_HEADERS] = "";
    for (int i = 2; i < LIMIT_HEADERS; i++) sprintf(lines + strlen(lines), "X-%d: y\r\n", i);
    try_limit(b, 0, "GET /api/about HTTP/1.1\r\n" HOST BEARER "%s\r\n", lines);
    try_limit(b, 431, "GET /api/about HTTP/1.1\r\n" HOST BEARER "%sX-A: y\r\n\r\n", lines);
}

CASE(a_query_may_have_16_names)
{
    char names[16 * LIMIT_QUERY] = "";
    for (int i = 1; i < LIMIT_QUERY; i++) sprintf(names + strlen(names), "&n%d=1", i);
    try_limit(b, 0, "GET /api/clips?text=%s HTTP/1.1\r\n" HOST BEARER END, names);
    try_limit(b, 413, "GET /api/clips?text=%s&more=1 HTTP/1.1\r\n" HOST BEARER END, names);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* JSON of exactly this size: an edit of the first clip that says nothing new, with blanks
   behind. */
static char *json_of(const studio_bench *b, size_t size)
{
    char *text = many(' ', size), start[64];
    int count =
        snprintf(start, sizeof start, "{\"clips\":[%lld],\"add\":[\"x\"]}", (long long)b->ids[0]);
    memcpy(text, start, (size_t)count);
    return text;
}

CASE(json_may_have_a_mebibyte)
{
    for (int past = 0; past < 2; past++) {
        size_t size = LIMIT_JSON_BYTES + (size_t)past;
        FREED char *body = json_of(b, size);
        try_limit(b, past ? 413 : 0, EDIT "Content-Length: %zu\r\n\r\n%s", size, body);
        try_limit(b, past ? 413 : 0,
                  EDIT "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n", size, body);
    }
}

CASE(a_right_change_that_says_twice_how_long_it_is_is_refused)
{
    const size_t size = 100;
    FREED char *body = json_of(b, size);
    try_limit(b, 0, EDIT "Content-Length: %zu\r\n\r\n%s", size, body);
    try_limit(b, 400, EDIT "Content-Length: %zu\r\nContent-Length: %zu\r\n\r\n%s", size, size,
              body);
    try_limit(b, 400,
              EDIT
              "Content-Length: %zu\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
              size + 10, size, body);
    try_limit(
        b, 400,
        EDIT
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
        size, body);
}

CASE(json_may_be_32_levels_deep)
{
    for (int past = 0; past < 3; past++) {
        size_t depth = past == 2 ? 100000 : (size_t)(LIMIT_JSON_DEPTH - 1 + past);
        FREED char *open = many('[', depth);
        FREED char *close = many(']', depth);
        FREED char *body = NULL;
        assert_true(asprintf(&body, "{\"clips\":[%lld],\"add\":[\"x\"],\"more\":%s%s}",
                             (long long)b->ids[0], open, close) > 0);
        OWNED(http_answer) answer = studio_ask(b, "/api/do/label", body);
        assert_true(answer.status == 400 || (past == 0 && answer.status == 200));
    }
}

CASE(an_upload_may_have_256_mebibytes)
{
#define PARTS IMPORT "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: "
    static const studio_row rows[] = {
        { "announced, one past", PARTS "268435457\r\n\r\n", { 413 } },
        { "announced, far past", PARTS "9000000000000\r\n\r\n", { 413 } },
    };
    studio_rows_try(b, rows, COUNT(rows));
    /* At the limit the body is waited for, and never comes: it waits for the body's deadline, which
       grows by a second for each MiB that was announced. It is only looked at whether it is refused
       at once. */
    size_t count;
    FREED char *text = studio_fill(b, PARTS "268435456\r\n\r\n--edge--", &count);
    OWNED(http_wire) wire = wire_to(b->port);
    assert_true(wire_send(&wire, text, count));
    OWNED(http_answer) answer = wire_read(&wire, 1);
    assert_int_equal(answer.status, 0);
    assert_false(wire.ended);
}

CASE(an_upload_may_have_4096_files)
{
    for (int past = 0; past < 2; past++) {
        OWNED(studio_upload) all = { 0 };
        for (int i = 0; i < LIMIT_UPLOAD_FILES + past; i++) {
            char name[32];
            snprintf(name, sizeof name, "f/%05d.txt", i);
            studio_upload_add(&all, name, "x");
        }
        studio_upload_end(&all);
        OWNED(http_wire) wire = wire_to(b->port);
        assert_true(studio_upload_head(&wire, b, all.count));
        wire_send(&wire, all.text, all.count);
        OWNED(http_answer) answer = wire_read(&wire, 20);
        assert_int_equal(answer.status, past ? 413 : 202);
        if (past) continue;
        const json_t *job =
            studio_job_wait(b, whole(json_hold_text(answer.body, answer.count), "job"));
        assert_int_equal(size_of(json_object_get(job, "result"), "skipped"), LIMIT_UPLOAD_FILES);
    }
}

/* Demonstrations and paths may be long. */
CASE(json_with_tables_may_have_8_mebibytes)
{
#define TABLES "POST /api/do/puppet-run HTTP/1.1\r\n" HOST BEARER JSON "Content-Length: "
    static const studio_row rows[] = {
        { "announced, one past", TABLES "8388609\r\n\r\n", { 413 } },
    };
    studio_rows_try(b, rows, COUNT(rows));
    size_t count;
    enum { LENGTH = 2 << 20 };
    FREED char *head = studio_fill(b, TABLES "2097152\r\n\r\n", &count);
    FREED char *body = many(' ', LENGTH);
    OWNED(http_wire) wire = wire_to(b->port);
    assert_true(wire_send(&wire, head, count));
    wire_send(&wire, body, LENGTH);
    OWNED(http_answer) answer = wire_read(&wire, 20);
    assert_int_equal(answer.status, 400); /* blanks are no JSON, but not too many of them */
}

/* What does not fit in the studio's memory is said, whatever it is. */
TEST(a_body_that_memory_does_not_hold_is_refused)
{
    enum { LENGTH = 6 << 20 };
    studio_bench b = { 0 };
    studio_bench_library(&b);
    studio_bench_start(&b, &(studio_def){ .byte_limit = 5 << 20, .threads = 1, .workers = 1 });
    static const char *const heads[] = {
        "POST /api/do/puppet-run HTTP/1.1\r\n" HOST BEARER JSON "Content-Length: 6291456\r\n\r\n",
        "POST /api/import HTTP/1.1\r\n" HOST BEARER
        "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: 6291456\r\n\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n",
    };
    for (int i = 0; i < 2; i++) {
        size_t count;
        FREED char *head = studio_fill(&b, heads[i], &count);
        FREED char *body = many(' ', LENGTH);
        OWNED(http_wire) wire = wire_to(b.port);
        assert_true(wire_send(&wire, head, count));
        wire_send(&wire, body, LENGTH);
        OWNED(http_answer) answer = wire_read(&wire, 20);
        /* The answer is lost where the client still sends when the connection is closed. */
        assert_true(answer.status == 500 || answer.status == 0);
        OWNED(http_answer) after = studio_ask(&b, "/api/about", NULL);
        assert_int_equal(after.status, 200);
    }
    studio_bench_close(&b);
}

/* ---- lengths that can be read in two ways ---------------------------------------------------- */

#define HIDDEN "GET /api/clips HTTP/1.1\r\n" HOST BEARER END

static const studio_row framing_rows[] = {
    { "the length twice, the same",
      EDIT "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      { 400 } },
    { "the length twice, different",
      EDIT "Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
      { 400 } },
    { "the length twice, different, the other way",
      EDIT "Content-Length: 40\r\nContent-Length: 2\r\n\r\n{}" HIDDEN,
      { 400 } },
    { "two lengths in one", EDIT "Content-Length: 2, 2\r\n\r\n{}", { 400 } },
    { "a length and chunks",
      EDIT "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { 400 } },
    { "chunks and a length",
      EDIT "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n2\r\n{}\r\n0\r\n\r\n" HIDDEN,
      { 400 } },
    { "a length below nothing", EDIT "Content-Length: -2\r\n\r\n{}", { 400 } },
    { "a length with a plus", EDIT "Content-Length: +2\r\n\r\n{}", { 400 } },
    { "a length that is none", EDIT "Content-Length: two\r\n\r\n{}", { 400 } },
    { "no length in the length", EDIT "Content-Length: \r\n\r\n{}", { 400 } },
    { "a length in hexadecimal", EDIT "Content-Length: 0x2\r\n\r\n{}", { 400 } },
    { "a length with a point", EDIT "Content-Length: 2.0\r\n\r\n{}", { 400 } },
    { "a length and a word", EDIT "Content-Length: 2 x\r\n\r\n{}", { 400 } },
    { "a length of 2^63", EDIT "Content-Length: 9223372036854775808\r\n\r\n{}", { 400, 413 } },
    { "a length of 2^64", EDIT "Content-Length: 18446744073709551616\r\n\r\n{}", { 400, 413 } },
    { "a length of 2^64 and 2",
      EDIT "Content-Length: 18446744073709551618\r\n\r\n{}",
      { 400, 413 } },
    { "a length of 40 digits",
      EDIT "Content-Length: 9999999999999999999999999999999999999999\r\n\r\n{}",
      { 400, 413 } },
    { "an encoding that is unknown", EDIT "Transfer-Encoding: zip\r\n\r\n{}", { 400, 501 } },
    { "an encoding behind chunks",
      EDIT "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { 400, 501 } },
    { "nearly chunks",
      EDIT "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { 400, 501 } },
    { "chunks twice",
      EDIT "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { 400, 501 } },
    { "chunks, then another",
      EDIT "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { 400, 501 } },
    { "a chunk of no length",
      EDIT "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n",
      { 400, CUT_OFF } },
    { "a chunk below nothing",
      EDIT "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
      { 400, CUT_OFF } },
    { "a chunk of 2^64",
      EDIT "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n{}\r\n0\r\n\r\n",
      { 400, 413, CUT_OFF } },
    { "a chunk longer than it says",
      EDIT "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
      { 400, CUT_OFF } },
    { "a chunk's length that never ends",
      EDIT "Transfer-Encoding: chunked\r\n\r\n0000000000000000000000000000000000",
      { 400, CUT_OFF, 408 } },
    { "a body shorter than announced", EDIT "Content-Length: 50\r\n\r\n{}", { CUT_OFF, 408 } },
    { "a GET with a body",
      "GET /api/about HTTP/1.1\r\n" HOST BEARER "Content-Length: 5\r\n\r\nhello",
      { 400, 413 } },
    { "a GET with a body and no token: it is malformed before it is judged",
      "GET /api/about HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
      { 400 } },
    { "a GET with a body to an address of POST",
      "GET /api/do/label HTTP/1.1\r\n" HOST BEARER "Content-Length: 5\r\n\r\nhello",
      { 400 } },
    { "a GET with a request in its body",
      "GET /api/about HTTP/1.1\r\n" HOST BEARER
      "Content-Length: 30\r\n\r\nGET /api/clips HTTP/1.1\r\nX: y\r\n",
      { 400, 413 } },
    { "a GET with chunks",
      "GET /api/about HTTP/1.1\r\n" HOST BEARER
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      { 400, 413 } },
    { "a GET with no body, and saying so",
      "GET /api/about HTTP/1.1\r\n" HOST BEARER "Content-Length: 0\r\n\r\n",
      { 200, 400 } },
    { "a request behind a refused one",
      "POST /api/do/label HTTP/1.1\r\nHost: evil.example\r\n" JSON
      "Content-Length: 400\r\n\r\n" HIDDEN,
      { 403 } },
    { "a request in the body of one without token",
      "POST /api/do/label HTTP/1.1\r\n" HOST JSON "Content-Length: 400\r\n\r\n" HIDDEN,
      { 401 } },
    { "a request in the body of one with the wrong type",
      "POST /api/do/label HTTP/1.1\r\n" HOST BEARER
      "Content-Type: text/plain\r\nContent-Length: 400\r\n\r\n" HIDDEN,
      { 415 } },
};

#define HASTY(name) TEST_OF_IN(open_hasty, studio_bench_tear_down, studio_bench *b, name)

HASTY(no_length_can_be_read_in_two_ways)
{
    int64_t before = studio_version(b);
    studio_rows_try(b, framing_rows, COUNT(framing_rows));
    assert_int_equal(studio_version(b), before);
}

/* ---- lines that are none --------------------------------------------------------------------- */

#define ASK "GET /api/about HTTP/1.1\r\n"

/* libmicrohttpd cuts texts at a zero byte: what is behind it is never seen, so it may as well be
   let in. */
static const studio_row line_rows[] = {
    { "nothing but an empty line", "\r\n\r\n", { 400, CUT_OFF, 408 } },
    { "a word", "hello\r\n\r\n", { 400, CUT_OFF } },
    { "a method alone", "GET\r\n\r\n", { 400, CUT_OFF } },
    { "no version", "GET /api/about\r\n" HOST BEARER END, { 400, CUT_OFF, 505 } },
    { "version 0.9", "GET /api/about HTTP/0.9\r\n" HOST BEARER END, { 400, 505, CUT_OFF } },
    { "version 2", "GET /api/about HTTP/2.0\r\n" HOST BEARER END, { 400, 505, CUT_OFF } },
    { "version 1.9", "GET /api/about HTTP/1.9\r\n" HOST BEARER END, { 200, 400, 505 } },
    { "version x", "GET /api/about HTTP/x\r\n" HOST BEARER END, { 400, 505, CUT_OFF } },
    { "another protocol", "GET /api/about ICY/1.1\r\n" HOST BEARER END, { 400, 505, CUT_OFF } },
    { "HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", { 400, 505, CUT_OFF } },
    { "TLS", "\x16\x03\x01\x02{nul}\x01{nul}\x01\xfc\x03\x03\r\n\r\n", { 400, CUT_OFF, 408 } },
    { "a folded header", ASK HOST "X-A: one\r\n two\r\n" BEARER END, { 200, 400 } },
    { "the host in a fold",
      ASK "Host: evil.example\r\n 127.0.0.1:{port}\r\n" BEARER END,
      { 403, 400 } },
    { "the host folded away",
      ASK "X-A: b\r\n Host: 127.0.0.1:{port}\r\n" BEARER END,
      { 403, 400 } },
    { "a fold before any header", ASK " X: y\r\n" HOST BEARER END, { 400, CUT_OFF, 200 } },
    { "a header without colon", ASK HOST BEARER "hello\r\n\r\n", { 400, CUT_OFF } },
    { "a header without name", ASK HOST BEARER ": x\r\n\r\n", { 200, 400, CUT_OFF } },
    { "a zero in the line", "GET /api/about{nul} HTTP/1.1\r\n" HOST BEARER END, { 200, 400, 404 } },
    { "a zero in the host",
      ASK "Host: 127.0.0.1:{port}{nul}.evil.example\r\n" BEARER END,
      { 200, 400, 403 } },
    { "a zero in a name", ASK "Ho{nul}st: 127.0.0.1:{port}\r\n" BEARER END, { 400, 403, CUT_OFF } },
    { "a zero in the origin",
      ASK HOST "Origin: http://127.0.0.1:{port}{nul}.evil.example\r\n" BEARER END,
      { 200, 400, 403 } },
    { "a return in a header", ASK HOST "X-A: b\rX-C: d\r\n" BEARER END, { 200, 400, CUT_OFF } },
    { "the host behind a return",
      ASK "X-A: b\rHost: 127.0.0.1:{port}\r\n" BEARER END,
      { 400, 403, CUT_OFF } },
    { "bare line ends, the wrong host",
      "GET /api/about HTTP/1.1\nHost: evil.example\nAuthorization: Bearer {token}\n\n",
      { 400, 403, CUT_OFF } },
    { "bare line ends",
      "GET /api/about HTTP/1.1\nHost: 127.0.0.1:{port}\nAuthorization: Bearer {token}\n\n",
      { 200, 400, CUT_OFF } },
    { "blanks before the line",
      "  GET /api/about HTTP/1.1\r\n" HOST BEARER END,
      { 400, 405, CUT_OFF } },
    { "a query that is no UTF-8",
      "GET /api/clips?text=%ff%fe HTTP/1.1\r\n" HOST BEARER END,
      { 400 } },
    { "a query with a zero", "GET /api/clips?text=a%00b HTTP/1.1\r\n" HOST BEARER END, { 400 } },
    { "a query with half an escape",
      "GET /api/clips?text=%4 HTTP/1.1\r\n" HOST BEARER END,
      { 400 } },
    { "a query with an escape of no digits",
      "GET /api/clips?text=%zz HTTP/1.1\r\n" HOST BEARER END,
      { 400 } },
};

HASTY(lines_that_are_none_are_refused)
{
    studio_rows_try(b, line_rows, COUNT(line_rows));
}

/* ---- WebSocket ------------------------------------------------------------------------------- */

#define LIVE "GET /api/live HTTP/1.1\r\n"
#define UP "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define THIRTEEN "Sec-WebSocket-Version: 13\r\n"

static const studio_row live_rows[] = {
    { "all right", LIVE HOST BEARER UP KEY THIRTEEN END, { 101 } },
    { "by cookie and origin",
      LIVE HOST "Cookie: {cookie}\r\nOrigin: http://127.0.0.1:{port}\r\n" UP KEY THIRTEEN END,
      { 101 } },
    { "as Firefox says it",
      LIVE HOST BEARER "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" KEY THIRTEEN END,
      { 101 } },
    { "with blanks and other words",
      LIVE HOST BEARER
      "Upgrade: h2c ,, websocket \t, x\r\nConnection: keep-alive\t,Upgrade ,\r\n" KEY THIRTEEN END,
      { 101 } },
    { "longer and shorter words",
      LIVE HOST BEARER
      "Upgrade: websockets, websocke, xebsocket\r\nConnection: Upgrade\r\n" KEY THIRTEEN END,
      { 400, 426 } },
    { "no word at all",
      LIVE HOST BEARER "Upgrade: ,\r\nConnection: Upgrade\r\n" KEY THIRTEEN END,
      { 400, 426 } },
    { "by HEAD", "HEAD /api/live HTTP/1.1\r\n" HOST BEARER UP KEY THIRTEEN END, { 400, 405 } },
    { "upper case",
      LIVE HOST BEARER "Upgrade: WebSocket\r\nConnection: upgrade\r\n" KEY THIRTEEN END,
      { 101 } },
    { "another origin",
      LIVE HOST "Cookie: {cookie}\r\nOrigin: http://evil.example\r\n" UP KEY THIRTEEN END,
      { 403 } },
    { "origin null",
      LIVE HOST "Cookie: {cookie}\r\nOrigin: null\r\n" UP KEY THIRTEEN END,
      { 403 } },
    { "another host", LIVE "Host: evil.example\r\n" BEARER UP KEY THIRTEEN END, { 403 } },
    { "fetched by a stranger",
      LIVE HOST BEARER "Sec-Fetch-Site: cross-site\r\n" UP KEY THIRTEEN END,
      { 403 } },
    { "no token", LIVE HOST UP KEY THIRTEEN END, { 401 } },
    { "no upgrade", LIVE HOST BEARER END, { 400, 426 } },
    { "upgrade to something else",
      LIVE HOST BEARER "Upgrade: h2c\r\nConnection: Upgrade\r\n" KEY THIRTEEN END,
      { 400, 426 } },
    { "no connection header",
      LIVE HOST BEARER "Upgrade: websocket\r\n" KEY THIRTEEN END,
      { 400, 426 } },
    { "no version", LIVE HOST BEARER UP KEY END, { 400, 426 } },
    { "version 12", LIVE HOST BEARER UP KEY "Sec-WebSocket-Version: 12\r\n\r\n", { 400, 426 } },
    { "no key", LIVE HOST BEARER UP THIRTEEN END, { 400 } },
    { "a short key", LIVE HOST BEARER UP "Sec-WebSocket-Key: abcd\r\n" THIRTEEN END, { 400 } },
    { "a key that is none",
      LIVE HOST BEARER UP "Sec-WebSocket-Key: !!!!!!!!!!!!!!!!!!!!!!==\r\n" THIRTEEN END,
      { 400 } },
    { "an empty key", LIVE HOST BEARER UP "Sec-WebSocket-Key: \r\n" THIRTEEN END, { 400 } },
    { "by POST",
      "POST /api/live HTTP/1.1\r\n" HOST BEARER JSON "Content-Length: 0\r\n" UP KEY THIRTEEN END,
      { 405 } },
    { "in HTTP/1.0",
      "GET /api/live HTTP/1.0\r\n" HOST BEARER UP KEY THIRTEEN END,
      { 400, 426, 505 } },
    { "an upgrade of another address",
      "GET /api/about HTTP/1.1\r\n" HOST BEARER UP KEY THIRTEEN END,
      { 200, 400 } },
};

CASE(a_websocket_needs_the_same_and_a_key)
{
    studio_rows_try(b, live_rows, COUNT(live_rows));
}

TEST_GROUP_OF_CASES(test_studio_limits, NULL, NULL)
