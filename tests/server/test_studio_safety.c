/* test_studio_safety.c - which clients may ask the studio: tables of requests, each with its right
   answer. Limits and framing are in test_studio_limits.c, addresses that look like paths in
   test_studio_paths.c. */
#include "routes.h"
#include "studio_rows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define ASK "GET /api/about HTTP/1.1\r\n"
#define FROM(host) ASK "Host: " host "\r\n" BEARER END

static const char *const allowed[] = { "localhost:9000", "motion.example:443" };

static int open_bench(void **state)
{
    return studio_bench_set_up_with(state, &(studio_def){ .allowed_hosts = allowed,
                                                          .allowed_host_count = 2,
                                                          .header_ms = 1500,
                                                          .body_ms = 1500,
                                                          .idle_ms = 1500 });
}

#define CASE(name) TEST_OF_IN(open_bench, studio_bench_tear_down, studio_bench *b, name)

/* ---- Host ------------------------------------------------------------------------------------ */

static const studio_row host_rows[] = {
    { "the address itself", FROM("127.0.0.1:{port}"), { 200 } },
    { "its name", FROM("localhost:{port}"), { 200 } },
    { "by IPv6", FROM("[::1]:{port}"), { 200 } },
    { "in upper case", FROM("LOCALHOST:{port}"), { 200 } },
    { "in mixed case", FROM("LocalHost:{port}"), { 200 } },
    { "one that is allowed", FROM("localhost:9000"), { 200 } },
    { "another that is allowed", FROM("motion.example:443"), { 200 } },
    { "allowed, in upper case", FROM("MOTION.EXAMPLE:443"), { 200 } },
    { "behind a tab, which is a blank too", ASK "Host:\t127.0.0.1:{port}\r\n" BEARER END, { 200 } },
    { "the allowed name, another port", FROM("motion.example:444"), { 403 } },
    { "the allowed name, no port", FROM("motion.example"), { 403 } },
    { "below the allowed name", FROM("evil.motion.example:443"), { 403 } },
    { "another name", FROM("evil.example:{port}"), { 403 } },
    { "another name without port", FROM("evil.example"), { 403 } },
    { "the address without port", FROM("127.0.0.1"), { 403 } },
    { "the name without port", FROM("localhost"), { 403 } },
    { "port 80", FROM("127.0.0.1:80"), { 403 } },
    { "port 0", FROM("127.0.0.1:0"), { 403 } },
    { "an empty port", FROM("127.0.0.1:"), { 403 } },
    { "the port with a zero before it", FROM("127.0.0.1:0{port}"), { 403 } },
    { "the port with a plus", FROM("127.0.0.1:+{port}"), { 403 } },
    { "the port and more", FROM("127.0.0.1:{port}0"), { 403 } },
    { "the port twice", FROM("127.0.0.1:{port}:{port}"), { 403 } },
    { "a trailing dot", FROM("localhost.:{port}"), { 403 } },
    { "a trailing dot on the address", FROM("127.0.0.1.:{port}"), { 403 } },
    { "behind userinfo", FROM("user@127.0.0.1:{port}"), { 403 } },
    { "as userinfo", FROM("127.0.0.1:{port}@evil.example"), { 403 } },
    { "as the beginning of a name", FROM("127.0.0.1.evil.example:{port}"), { 403 } },
    { "as the end of a name", FROM("evil-localhost:{port}"), { 403 } },
    { "below localhost", FROM("evil.localhost:{port}"), { 403 } },
    { "with a scheme", FROM("http://127.0.0.1:{port}"), { 403 } },
    { "with a slash", FROM("127.0.0.1:{port}/"), { 403 } },
    { "with a fragment", FROM("127.0.0.1:{port}#"), { 403 } },
    { "rebound: a name that leads to 127.0.0.1", FROM("127.0.0.1.nip.io:{port}"), { 403 } },
    { "rebound: a name of the attacker", FROM("a.rebind.network:{port}"), { 403 } },
    { "rebound: 0.0.0.0", FROM("0.0.0.0:{port}"), { 403 } },
    { "127.1", FROM("127.1:{port}"), { 403 } },
    { "127.0.0.2", FROM("127.0.0.2:{port}"), { 403 } },
    { "as one number", FROM("2130706433:{port}"), { 403 } },
    { "in hexadecimal", FROM("0x7f000001:{port}"), { 403 } },
    { "in octal", FROM("0177.0.0.1:{port}"), { 403 } },
    { "IPv6 without brackets", FROM("::1:{port}"), { 403 } },
    { "IPv6 spelt out", FROM("[0:0:0:0:0:0:0:1]:{port}"), { 403 } },
    { "IPv4 inside IPv6", FROM("[::ffff:127.0.0.1]:{port}"), { 403 } },
    { "IPv6 with a zone", FROM("[::1%25lo]:{port}"), { 403 } },
    { "IPv6 without port", FROM("[::1]"), { 403 } },
    { "IPv6, not closed", FROM("[::1:{port}"), { 403 } },
    { "escaped", FROM("%31%32%37.0.0.1:{port}"), { 403 } },
    { "a blank inside", FROM("127.0.0.1 :{port}"), { 403 } },
    { "two in one", FROM("127.0.0.1:{port} evil.example"), { 403 } },
    { "two with a comma", FROM("127.0.0.1:{port}, evil.example"), { 403 } },
    { "a tab inside", FROM("127.0.0.1:{port}\tevil.example"), { 403 } },
    { "a no-break space", FROM("127.0.0.1:{port}\xc2\xa0"), { 403 } },
    { "full-width digits",
      FROM("\xef\xbc\x91"
           "27.0.0.1:{port}"),
      { 403, 400 } },
    { "a Kelvin sign",
      FROM("local\xe2\x84\xaa"
           "host:{port}"),
      { 403, 400 } },
    { "a star", FROM("*"), { 403 } },
    { "nothing", FROM(""), { 403, 400 } },
    { "none", ASK BEARER END, { 400, 403 } },
    { "none, in HTTP/1.0", "GET /api/about HTTP/1.0\r\n" BEARER END, { 400, 403 } },
    { "twice the same", ASK HOST HOST BEARER END, { 400, 403 } },
    { "right, then wrong", ASK HOST "Host: evil.example\r\n" BEARER END, { 400, 403 } },
    { "wrong, then right", ASK "Host: evil.example\r\n" HOST BEARER END, { 400, 403 } },
    { "a blank before the colon", ASK "Host : 127.0.0.1:{port}\r\n" BEARER END, { 400, 403 } },
    { "the one of a proxy",
      ASK "Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\n" BEARER END,
      { 403 } },
    { "the page too", "GET / HTTP/1.1\r\nHost: evil.example\r\nCookie: {cookie}\r\n\r\n", { 403 } },
    { "the link too",
      "GET /?token={token} HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n",
      { 403 } },
    { "an address that is none too",
      "GET /no HTTP/1.1\r\nHost: evil.example\r\n" BEARER END,
      { 403 } },
};

CASE(the_host_must_be_ours)
{
    studio_rows_try(b, host_rows, COUNT(host_rows));
}

/* ---- Origin, Sec-Fetch-Site ------------------------------------------------------------------ */

#define ORIGIN(origin) ASK HOST "Origin: " origin "\r\n" BEARER END
#define SITE(site) ASK HOST "Sec-Fetch-Site: " site "\r\n" BEARER END

static const studio_row origin_rows[] = {
    { "our own", ORIGIN("http://127.0.0.1:{port}"), { 200 } },
    { "our own by name",
      ASK "Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n" BEARER END,
      { 200 } },
    { "our own by IPv6",
      ASK "Host: [::1]:{port}\r\nOrigin: http://[::1]:{port}\r\n" BEARER END,
      { 200 } },
    { "an allowed one",
      ASK "Host: localhost:9000\r\nOrigin: http://localhost:9000\r\n" BEARER END,
      { 200 } },
    { "another of our names", ORIGIN("http://localhost:{port}"), { 403 } },
    { "an allowed one that is not the host", ORIGIN("http://localhost:9000"), { 403 } },
    { "null", ORIGIN("null"), { 403 } },
    { "nothing", ORIGIN(""), { 403 } },
    { "by https", ORIGIN("https://127.0.0.1:{port}"), { 403 } },
    { "by file", ORIGIN("file://"), { 403 } },
    { "by another scheme", ORIGIN("ws://127.0.0.1:{port}"), { 403 } },
    { "without scheme", ORIGIN("127.0.0.1:{port}"), { 403 } },
    { "without host", ORIGIN("http://"), { 403 } },
    { "another port", ORIGIN("http://127.0.0.1:1"), { 403 } },
    { "no port", ORIGIN("http://127.0.0.1"), { 403 } },
    { "another site", ORIGIN("http://evil.example"), { 403 } },
    { "the port as a name", ORIGIN("http://127.0.0.1:{port}.evil.example"), { 403 } },
    { "more digits", ORIGIN("http://127.0.0.1:{port}1"), { 403 } },
    { "as userinfo", ORIGIN("http://127.0.0.1:{port}@evil.example"), { 403 } },
    { "behind userinfo", ORIGIN("http://evil@127.0.0.1:{port}"), { 403 } },
    { "with a slash", ORIGIN("http://127.0.0.1:{port}/"), { 403 } },
    { "with a path", ORIGIN("http://127.0.0.1:{port}/x"), { 403 } },
    { "two in one", ORIGIN("http://127.0.0.1:{port} http://evil.example"), { 403 } },
    { "two with a comma", ORIGIN("http://127.0.0.1:{port}, http://evil.example"), { 403 } },
    { "twice",
      ASK HOST "Origin: http://127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n" BEARER END,
      { 403 } },
    { "right, then wrong",
      ASK HOST "Origin: http://127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n" BEARER END,
      { 403 } },
    { "wrong, then right",
      ASK HOST "Origin: null\r\nOrigin: http://127.0.0.1:{port}\r\n" BEARER END,
      { 403 } },
    { "as the attacker calls us",
      ASK "Host: evil.example\r\nOrigin: http://evil.example\r\n" BEARER END,
      { 403 } },
    { "fetched by our page", SITE("same-origin"), { 200 } },
    { "typed by the user", SITE("none"), { 200 } },
    { "fetched by a neighbour", SITE("same-site"), { 403 } },
    { "fetched by a stranger", SITE("cross-site"), { 403 } },
    { "fetched by an unknown site", SITE("garbage"), { 403 } },
    { "fetched by an empty site", SITE(""), { 403 } },
    { "ours and more", SITE("same-origin, cross-site"), { 403 } },
    { "ours and longer", SITE("same-originx"), { 403 } },
    { "ours and shorter", SITE("same-origi"), { 403 } },
    { "ours, then a stranger's",
      ASK HOST "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n" BEARER END,
      { 403 } },
    { "a stranger's, then ours",
      ASK HOST "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none\r\n" BEARER END,
      { 403 } },
    { "the page, linked from elsewhere",
      "GET / HTTP/1.1\r\n" HOST "Sec-Fetch-Site: cross-site\r\nCookie: {cookie}\r\n\r\n",
      { 403 } },
};

CASE(the_origin_must_be_ours)
{
    studio_rows_try(b, origin_rows, COUNT(origin_rows));
}

/* ---- the token ------------------------------------------------------------------------------- */

#define BY(header) ASK HOST header "\r\n\r\n"

static const studio_row token_rows[] = {
    { "by Authorization", BY("Authorization: Bearer {token}"), { 200 } },
    { "the scheme in lower case", BY("Authorization: bearer {token}"), { 200, 401 } },
    { "by cookie", BY("Cookie: {cookie}"), { 200 } },
    { "by a cookie among others", BY("Cookie: a=b; {cookie}; c=d"), { 200 } },
    { "by the last cookie", BY("Cookie: theme=dark; {cookie}"), { 200 } },
    { "by the link", "GET /?token={token} HTTP/1.1\r\n" HOST END, { 200 } },
    { "the page by cookie", "GET / HTTP/1.1\r\n" HOST "Cookie: {cookie}\r\n\r\n", { 200 } },
    { "none", ASK HOST END, { 401 } },
    { "none for the page", "GET / HTTP/1.1\r\n" HOST END, { 401 } },
    { "none for an address that is none", "GET /no HTTP/1.1\r\n" HOST END, { 401 } },
    { "another", BY("Authorization: Bearer 00000000000000000000000000000000"), { 401 } },
    { "one digit more", BY("Authorization: Bearer {token}0"), { 401 } },
    { "digits before it", BY("Authorization: Bearer 0{token}"), { 401 } },
    { "and something else", BY("Authorization: Bearer {token} x"), { 401 } },
    { "twice", BY("Authorization: Bearer {token}{token}"), { 401 } },
    { "nothing", BY("Authorization: Bearer "), { 401 } },
    { "no scheme", BY("Authorization: {token}"), { 401 } },
    { "only a scheme", BY("Authorization: Bearer"), { 401 } },
    { "another scheme", BY("Authorization: Basic {token}"), { 401 } },
    { "the scheme without blank", BY("Authorization: Bearer{token}"), { 401 } },
    { "quoted", BY("Authorization: Bearer \"{token}\""), { 401 } },
    { "a zero behind it", BY("Authorization: Bearer {token}{nul}"), { 200, 401, 400 } },
    { "in another header", BY("X-Token: {token}"), { 401 } },
    { "in the query of an API address",
      "GET /api/about?token={token} HTTP/1.1\r\n" HOST END,
      { 401 } },
    { "in the query of an address that is none",
      "GET /no?token={token} HTTP/1.1\r\n" HOST END,
      { 401 } },
    { "in the query, to change something",
      "POST /api/do/add?token={token} HTTP/1.1\r\n" HOST JSON "Content-Length: 2\r\n\r\n{}",
      { 401 } },
    { "another in the link", "GET /?token=0{token} HTTP/1.1\r\n" HOST END, { 401 } },
    { "nothing in the link", "GET /?token= HTTP/1.1\r\n" HOST END, { 401 } },
    { "under another name in the link", "GET /?Token={token} HTTP/1.1\r\n" HOST END, { 401 } },
    { "in the fragment", "GET /#token={token} HTTP/1.1\r\n" HOST END, { 401, 400 } },
    { "a cookie of another port", BY("Cookie: marey-1={token}"), { 401 } },
    { "a cookie without port", BY("Cookie: marey={token}"), { 401 } },
    { "a cookie of a longer name", BY("Cookie: x{cookie}"), { 401 } },
    { "a cookie of a longer token", BY("Cookie: {cookie}0"), { 401 } },
    { "a cookie inside another's value", BY("Cookie: a=\"; {cookie}\""), { 401 } },
    { "a cookie behind a comma", BY("Cookie: a=b, {cookie}"), { 401 } },
    { "a cookie of no value", BY("Cookie: marey-{port}="), { 401 } },
    { "a cookie of no value at all", BY("Cookie: marey-{port}"), { 401 } },
    { "no cookies", BY("Cookie: "), { 401 } },
    { "a WebSocket without it",
      "GET /api/live?token={token} HTTP/1.1\r\n" HOST
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      { 401 } },
};

CASE(without_the_token_no_client_is_let_in)
{
    static const int refused[3] = { 401 };
    char text[512];
    studio_rows_try(b, token_rows, COUNT(token_rows));
    for (size_t n = 0; n < strlen(b->token); n++) { /* every beginning, and every digit changed */
        char wrong[64];
        snprintf(wrong, sizeof wrong, "%s", b->token);
        wrong[n] = wrong[n] == '0' ? '1' : '0';
        int length =
            snprintf(text, sizeof text,
                     ASK "Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n", b->port, wrong);
        assert_true(studio_row_try(b, "a changed digit", text, (size_t)length, refused));
        length = snprintf(text, sizeof text,
                          ASK "Host: 127.0.0.1:%d\r\nAuthorization: Bearer %.*s\r\n\r\n", b->port,
                          (int)n, b->token);
        assert_true(studio_row_try(b, "a beginning", text, (size_t)length, refused));
    }
}

CASE(the_link_gives_a_cookie_that_scripts_and_other_sites_never_see)
{
    char text[256], value[256], name[32];
    int length =
        snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n",
                 b->token, b->port);
    OWNED(http_answer) got = wire_ask(b->port, text, (size_t)length, 10);
    assert_true(got.status == 200 || got.status == 303 || got.status == 302);
    assert_int_equal(wire_header(&got, "Set-Cookie", value, sizeof value), 1);
    snprintf(name, sizeof name, "marey-%d=", b->port);
    assert_true(strncmp(value, name, strlen(name)) == 0);
    assert_non_null(strcasestr(value, "; HttpOnly"));
    assert_non_null(strcasestr(value, "; SameSite=Strict"));
    assert_non_null(strcasestr(value, "; Path=/"));
    assert_null(strcasestr(value, "Domain"));
    OWNED(http_answer) later = studio_ask(b, "/api/about", NULL);
    assert_int_equal(later.status, 200);
    assert_int_equal(wire_header(&later, "Set-Cookie", NULL, 0), 0);
}

TEST(tokens_are_random_and_new_for_every_run)
{
    studio_bench b;
    char tokens[3][64];
    for (int i = 0; i < 3; i++) {
        studio_bench_open(&b, NULL);
        snprintf(tokens[i], sizeof tokens[i], "%s", b.token);
        assert_int_equal(strlen(tokens[i]), 32);
        assert_int_equal(strspn(tokens[i], "0123456789abcdef"), 32);
        for (int k = 0; k < i; k++) assert_string_not_equal(tokens[i], tokens[k]);
        studio_bench_close(&b);
    }
}

/* ---- where it listens ------------------------------------------------------------------------ */

/* How many sockets of this machine listen on the port, as the kernel's table has it; *inner: those of
   them on 127.0.0.1. */
static int count_listening(const char *table, int port, int *inner)
{
    enum { LISTEN = 10 };
    FILE *rows = fopen(table, "r");
    char line[512], address[64];
    int found = 0;
    unsigned at, state;
    while (rows && fgets(line, sizeof line, rows)) {
        if (sscanf(line, " %*d: %63[0-9A-F]:%x %*[0-9A-F]:%*x %x", address, &at, &state) != 3 ||
            at != (unsigned)port || state != LISTEN)
            continue;
        found++;
        *inner += strcmp(address, "0100007F") == 0 || strcmp(address, "7F000001") == 0;
    }
    if (rows) fclose(rows);
    return found;
}

TEST_OF_IN(studio_bench_set_up, studio_bench_tear_down, studio_bench *b,
           it_listens_on_the_loopback_interface_and_nowhere_else)
{
    int inner = 0;
    if (access("/proc/self/net/tcp", R_OK) != 0) test_skip("the kernel shows no table of sockets");
    int found = count_listening("/proc/self/net/tcp", b->port, &inner);
    found += count_listening("/proc/self/net/tcp6", b->port, &inner);
    assert_int_equal(found, 1);
    assert_int_equal(inner, 1);
}

/* ---- the one-time code ----------------------------------------------------------------------- */

static _Atomic int64_t moved_ms; /* the studio's clock is this: no test waits for it */

static int64_t moved_clock(void)
{
    return moved_ms;
}

static int open_with_clock(void **state)
{
    moved_ms = 1000000;
    return studio_bench_set_up_with(state, &(studio_def){ .clock_ms = moved_clock });
}

#define CLOCK_CASE(name) TEST_OF_IN(open_with_clock, studio_bench_tear_down, studio_bench *b, name)

/* The code of a new link. */
static void new_code(studio_bench *b, char code[64])
{
    char link[STUDIO_LINK_ROOM], wanted[64];
    assert_true(studio_link(b->host, link, sizeof link));
    size_t length =
        (size_t)snprintf(wanted, sizeof wanted, "http://127.0.0.1:%d/open?code=", b->port);
    assert_memory_equal(link, wanted, length);
    snprintf(code, 64, "%s", link + length);
    assert_int_equal(strlen(code), 32);
    assert_int_equal(strspn(code, "0123456789abcdef"), 32);
    assert_string_not_equal(code, b->token);
}

/* `method target?name=value` as a browser asks that was just opened there. */
static http_answer visit(const studio_bench *b, const char *method, const char *host,
                         const char *target, const char *value)
{
    char text[600];
    int length = snprintf(text, sizeof text,
                          "%s %s%s HTTP/1.1\r\nHost: %s:%d\r\nSec-Fetch-Site: none\r\n"
                          "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n",
                          method, target, value, host, b->port);
    OWNED(http_wire) wire = wire_to(b->port);
    wire.bodyless = strcmp(method, "HEAD") == 0;
    wire_send(&wire, text, (size_t)length);
    return wire_read(&wire, 10);
}

static void expect_visit(const studio_bench *b, const char *target, const char *value, int status)
{
    OWNED(http_answer) got = visit(b, "GET", "127.0.0.1", target, value);
    if (got.status != status) fail_msg("%s%s: %d, not %d", target, value, got.status, status);
    assert_int_equal(wire_header(&got, "Set-Cookie", NULL, 0), status == 303);
    assert_null(studio_head_fault(&got));
}

/* What is sent on gets the page's cookie and an address that has neither token nor code in it. */
static void expect_sent_on(const studio_bench *b, http_answer got)
{
    char value[256], wanted[128];
    assert_int_equal(got.status, 303);
    assert_int_equal(wire_header(&got, "Location", value, sizeof value), 1);
    assert_string_equal(value, "/");
    assert_int_equal(wire_header(&got, "Cache-Control", value, sizeof value), 1);
    assert_string_equal(value, "no-store");
    assert_int_equal(wire_header(&got, "Set-Cookie", value, sizeof value), 1);
    snprintf(wanted, sizeof wanted, "marey-%d=%s; HttpOnly; SameSite=Strict; Path=/", b->port,
             b->token);
    assert_string_equal(value, wanted);
    assert_null(studio_head_fault(&got));
    assert_int_equal(got.count, 0);
    wire_free(&got);
}

CLOCK_CASE(a_code_lets_in_one_browser_once_and_gives_it_its_cookie)
{
    char code[64];
    new_code(b, code);
    expect_sent_on(b, visit(b, "GET", "127.0.0.1", "/open?code=", code));
    for (int i = 0; i < 3; i++) expect_visit(b, "/open?code=", code, 401);
}

CLOCK_CASE(a_code_is_worth_nothing_after_30_seconds)
{
    char code[64];
    new_code(b, code);
    moved_ms += 29999;
    expect_visit(b, "/open?code=", code, 303);
    new_code(b, code);
    moved_ms += 30000;
    expect_visit(b, "/open?code=", code, 401);
    moved_ms -= 30000; /* and stays so */
    expect_visit(b, "/open?code=", code, 401);
}

CLOCK_CASE(a_new_code_ends_the_one_before)
{
    char first[64], second[64];
    new_code(b, first);
    new_code(b, second);
    assert_string_not_equal(first, second);
    expect_visit(b, "/open?code=", first, 401);
    expect_visit(b, "/open?code=", second, 303);
}

/* All that comes before the right visit leaves the code as it is. */
CLOCK_CASE(wrong_codes_and_wrong_addresses_do_not_use_the_code_up)
{
    char code[64], wrong[80];
    expect_visit(b, "/open?code=", "", 401); /* there is no code yet */
    new_code(b, code);
    for (size_t i = 0; i < strlen(code); i++) {
        snprintf(wrong, sizeof wrong, "%s", code);
        wrong[i] = wrong[i] == '0' ? '1' : '0';
        expect_visit(b, "/open?code=", wrong, 401);
        snprintf(wrong, sizeof wrong, "%.*s", (int)i, code);
        expect_visit(b, "/open?code=", wrong, 401);
    }
    snprintf(wrong, sizeof wrong, "%s0", code);
    expect_visit(b, "/open?code=", wrong, 401);
    expect_visit(b, "/open", "", 401);
    expect_visit(b, "/open?Code=", code, 401);
    expect_visit(b, "/?code=", code, 401);
    expect_visit(b, "/?token=", code, 401);
    expect_visit(b, "/app.js?code=", code, 401);
    expect_visit(b, "/api/about?code=", code, 401);
    expect_visit(b, "/open?token=", b->token, 401);
    expect_visit(b, "/open?code=", b->token, 401);
    OWNED(http_answer) evil = visit(b, "GET", "evil.example", "/open?code=", code);
    OWNED(http_answer) head = visit(b, "HEAD", "127.0.0.1", "/open?code=", code);
    OWNED(http_answer) posted = visit(b, "POST", "127.0.0.1", "/open?code=", code);
    assert_int_equal(evil.status, 403);
    assert_int_equal(head.status, 401);
    assert_int_equal(posted.status, 401);
    expect_visit(b, "/open?code=", code, 303);
}

CLOCK_CASE(a_browser_is_sent_on_from_an_address_with_the_token_and_a_program_is_not)
{
    expect_sent_on(b, visit(b, "GET", "127.0.0.1", "/?token=", b->token));
    expect_sent_on(b, visit(b, "GET", "localhost", "/?token=", b->token));
    size_t count;
    char location[64];
    /* One that has its cookie already is sent on too, whatever the token. */
    FREED char *known =
        studio_fill(b,
                    "GET /?token=old HTTP/1.1\r\n" HOST
                    "Cookie: {cookie}\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n\r\n",
                    &count);
    OWNED(http_answer) browser = wire_ask(b->port, known, count, 10);
    assert_int_equal(browser.status, 303);
    assert_int_equal(wire_header(&browser, "Location", location, sizeof location), 1);
    assert_int_equal(wire_header(&browser, "Set-Cookie", NULL, 0), 0);
    FREED char *text = studio_fill(b, "GET /?token={token} HTTP/1.1\r\n" HOST END, &count);
    OWNED(http_answer) program = wire_ask(b->port, text, count, 10);
    assert_int_equal(program.status, 200);
    assert_int_equal(wire_header(&program, "Set-Cookie", NULL, 0), 1);
}

/* ---- changing -------------------------------------------------------------------------------- */

#define EDIT "POST /api/do/label HTTP/1.1\r\n"
#define BODY(type) type "Content-Length: 2\r\n\r\n{}"

static const studio_row change_rows[] = {
    { "a form of another site",
      EDIT HOST "Origin: http://evil.example\r\nCookie: {cookie}\r\n" BODY(
          "Content-Type: application/x-www-form-urlencoded\r\n"),
      { 403 } },
    { "a form of a site that hides",
      EDIT HOST "Origin: null\r\nCookie: {cookie}\r\n" BODY("Content-Type: text/plain\r\n"),
      { 403 } },
    { "a form of another site without cookie",
      EDIT HOST "Sec-Fetch-Site: cross-site\r\n" BODY(JSON),
      { 403 } },
    { "no token", EDIT HOST BODY(JSON), { 401 } },
    { "a form",
      EDIT HOST BEARER BODY("Content-Type: application/x-www-form-urlencoded\r\n"),
      { 415 } },
    { "text", EDIT HOST BEARER BODY("Content-Type: text/plain\r\n"), { 415 } },
    { "files where none belong",
      EDIT HOST BEARER BODY("Content-Type: multipart/form-data; boundary=x\r\n"),
      { 415 } },
    { "no type", EDIT HOST BEARER BODY(""), { 415 } },
    { "nearly the type", EDIT HOST BEARER BODY("Content-Type: application/jsonx\r\n"), { 415 } },
    { "JSON as text", EDIT HOST BEARER BODY("Content-Type: text/json\r\n"), { 415 } },
    { "the type behind another",
      EDIT HOST BEARER BODY("Content-Type: text/plain; application/json\r\n"),
      { 415 } },
    { "JSON where files belong",
      "POST /api/import HTTP/1.1\r\n" HOST BEARER BODY(JSON),
      { 415, 400 } },
    { "a form where files belong",
      "POST /api/import HTTP/1.1\r\n" HOST BEARER BODY(
          "Content-Type: application/x-www-form-urlencoded\r\n"),
      { 415, 400 } },
    { "files without a boundary",
      "POST /api/import HTTP/1.1\r\n" HOST BEARER BODY("Content-Type: multipart/form-data\r\n"),
      { 415, 400 } },
    { "no body", EDIT HOST BEARER JSON "Content-Length: 0\r\n\r\n", { 400 } },
    { "no JSON", EDIT HOST BEARER JSON "Content-Length: 1\r\n\r\nx", { 400 } },
    { "no object", EDIT HOST BEARER JSON "Content-Length: 2\r\n\r\n[]", { 400 } },
    { "two objects", EDIT HOST BEARER JSON "Content-Length: 4\r\n\r\n{}{}", { 400 } },
    { "a zero behind it", EDIT HOST BEARER JSON "Content-Length: 3\r\n\r\n{}{nul}", { 400 } },
    { "bytes that are no UTF-8",
      EDIT HOST BEARER JSON
      "Content-Length: 29\r\n\r\n{\"clips\":[{id}],\"add\":[\"\xff\xfe\"]}   ",
      { 400 } },
    { "no clips", EDIT HOST BEARER BODY(JSON), { 400 } },
    { "an edit by GET", "GET /api/do/label HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "a removal by GET", "GET /api/do/rm?clips=1 HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "a purge by GET", "GET /api/do/rm HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "an import by GET", "GET /api/import HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "the demo by GET", "GET /api/do/add HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "a cancel by GET", "GET /api/jobs/1/cancel HTTP/1.1\r\n" HOST BEARER END, { 405 } },
    { "a method by another name",
      "GET /api/do/rm HTTP/1.1\r\n" HOST BEARER "X-HTTP-Method-Override: POST\r\n\r\n",
      { 405 } },
    { "a list by POST", "POST /api/clips HTTP/1.1\r\n" HOST BEARER BODY(JSON), { 405 } },
    { "the page by POST", "POST / HTTP/1.1\r\n" HOST BEARER BODY(JSON), { 405 } },
    { "HEAD", "HEAD /api/about HTTP/1.1\r\n" HOST BEARER END, { 200, 405 } },
    { "OPTIONS",
      "OPTIONS /api/do/label HTTP/1.1\r\n" HOST "Origin: http://evil.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n",
      { 403, 405, 501 } },
    { "OPTIONS of ours", "OPTIONS /api/do/label HTTP/1.1\r\n" HOST BEARER END, { 405, 501 } },
    { "OPTIONS of all", "OPTIONS * HTTP/1.1\r\n" HOST BEARER END, { 400, 405, 404 } },
    { "TRACE", "TRACE /api/about HTTP/1.1\r\n" HOST BEARER END, { 405, 501 } },
    { "PUT", "PUT /api/do/label HTTP/1.1\r\n" HOST BEARER BODY(JSON), { 405, 501 } },
    { "DELETE", "DELETE /api/clips/{id} HTTP/1.1\r\n" HOST BEARER END, { 405, 501 } },
    { "PATCH", "PATCH /api/clips/{id} HTTP/1.1\r\n" HOST BEARER BODY(JSON), { 405, 501 } },
    { "CONNECT", "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n" HOST BEARER END, { 405, 400, 404 } },
    { "get", "get /api/about HTTP/1.1\r\n" HOST BEARER END, { 405, 501, 400 } },
    { "an invented method", "BREW /api/about HTTP/1.1\r\n" HOST BEARER END, { 405, 501 } },
};

CASE(only_json_by_post_with_everything_right_changes_anything)
{
    int64_t before = studio_version(b);
    studio_rows_try(b, change_rows, COUNT(change_rows));
    assert_int_equal(studio_version(b), before);
    studio_post(b, 200, "/api/do/label", "{'clips':[%lld],'add':['seen']}", (long long)b->ids[0]);
    assert_int_not_equal(studio_version(b), before);
}

/* ---- every address --------------------------------------------------------------------------- */

/* The address of a row with a number in the place of '#' and '*', and an operation in that of
   '@'. */
static void address_of(const studio_bench *b, const route *row, char *path, size_t room)
{
    size_t used = 0;
    for (const char *at = row->path; *at; at++) {
        bool number = *at == '#' || *at == '*';
        used += number ? (size_t)snprintf(path + used, room - used, "%lld", (long long)b->ids[0])
                : *at == '@' ? (size_t)snprintf(path + used, room - used, "graph-rm")
                             : (size_t)snprintf(path + used, room - used, "%c", *at);
        assert_true(used < room);
    }
}

static void try_address(const studio_bench *b, const route *row, const char *method,
                        const char *host, bool token, int expect)
{
    char path[256], name[400], text[800], allow[64];
    bool has_body = strcmp(method, "POST") == 0;
    address_of(b, row, path, sizeof path);
    snprintf(name, sizeof name, "%s %s of %s %s a token", method, path, host,
             token ? "with" : "without");
    int length =
        snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: %s:%d\r\n%s%s%s%s", method, path, host,
                 b->port, token ? "Authorization: Bearer " : "", token ? b->token : "",
                 token ? "\r\n" : "", has_body ? JSON "Content-Length: 2\r\n\r\n{}" : "\r\n");
    assert_true(studio_row_try(b, name, text, (size_t)length, (int[3]){ expect }));
    if (expect != 405) return;
    OWNED(http_answer) got = wire_ask(b->port, text, (size_t)length, 10);
    assert_int_equal(wire_header(&got, "Allow", allow, sizeof allow), 1);
    assert_non_null(strstr(allow, row->method));
    assert_null(strstr(allow, method));
}

/* Does the path of a row take another method, too? */
static bool takes(const char *path, const char *method)
{
    for (const route *row = routes; row->method; row++) {
        if (strcmp(row->path, path) == 0 && strcmp(row->method, method) == 0) return true;
    }
    return false;
}

CASE(every_address_asks_for_host_token_and_method)
{
    int count = 0;
    for (const route *row = routes; row->method; row++, count++) {
        const char *other = strcmp(row->method, "GET") == 0 ? "POST" : "GET";
        assert_true(strcmp(row->method, "GET") == 0 || strcmp(row->method, "POST") == 0);
        assert_true(row->summary && row->summary[0]);
        try_address(b, row, row->method, "127.0.0.1", false, 401);
        try_address(b, row, row->method, "evil.example", true, 403);
        if (!takes(row->path, other)) try_address(b, row, other, "127.0.0.1", true, 405);
        for (const route *later = row + 1; later->method; later++) {
            assert_true(strcmp(row->path, later->path) != 0 ||
                        strcmp(row->method, later->method) != 0);
        }
    }
    assert_true(count >= 21);
    print_message("%d addresses ask for host, token and method\n", count);
}

TEST_GROUP_OF_CASES(test_studio_safety, NULL, NULL)
