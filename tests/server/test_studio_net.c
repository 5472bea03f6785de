/* test_studio_net.c - parts of the server on their own, where no request reaches: connections without
   memory or a place, answers without room, cookies and queries that are odd, folders of libraries. */
#include "connection.h"
#include "guard.h"
#include "heap.h"
#include "http_library.h"
#include "json_look.h"
#include "routes.h"
#include "studio.h"
#include "studio_bench.h"
#include "studio_limits.h"
#include "zip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory, answers ------------------------------------------------------------------------- */

TEST(memory_that_the_system_refuses_is_not_counted)
{
    heap memory = { .limit = SIZE_MAX };
    uint8_t *small = heap_resize(&memory, NULL, 0, 100);
    if (!TEST_SANITIZED) { /* a sanitizer ends a program that asks for so much */
        assert_null(heap_resize(&memory, NULL, 0, SIZE_MAX / 2));
        assert_null(heap_resize(&memory, small, 100, SIZE_MAX / 2));
    }
    assert_int_equal(atomic_load(&memory.used), 100);
    small = heap_resize(&memory, small, 100, 10);
    assert_int_equal(atomic_load(&memory.used), 10);
    heap_resize(&memory, small, 10, 0);
    assert_int_equal(atomic_load(&memory.used), 0);
}

TEST(bytes_that_cannot_be_held_stay_as_they_are)
{
    heap memory = { .limit = 1000 };
    studio_bytes some = { .memory = &memory };
    assert_non_null(bytes_extend(&some, 0)); /* a place for nothing, too */
    bytes_add(&some, "abc", 3);
    assert_null(bytes_extend(&some, SIZE_MAX - 1));
    assert_true(some.failed && some.count == 3);
    bytes_add(&some, "d", 1);
    assert_int_equal(some.count, 3);
    bytes_free(&some);
    bytes_add(&some, "abc", 3);
    memory.limit = atomic_load(&memory.used);
    assert_null(held_make(&some));
    assert_int_equal(some.count, 3);
    memory.limit = 1000;
    held *kept = held_make(&some);
    assert_non_null(kept);
    held_drop(held_share(kept));
    held_drop(kept);
    held_drop(NULL);
    assert_int_equal(atomic_load(&memory.used), 0);
}

/* Each error has its HTTP status; 0: as if there were none. */
TEST(errors_have_a_status_of_http)
{
    static const struct {
        marey_status status;
        int http;
    } rows[] = { { MAREY_OK, 200 },        { MAREY_ERR_NOT_FOUND, 404 },
                 { MAREY_ERR_STALE, 409 }, { MAREY_ERR_CANCELLED, 409 },
                 { MAREY_ERR_LIMIT, 413 }, { MAREY_ERR_BUSY, 503 },
                 { MAREY_ERR_IO, 500 },    { MAREY_ERR_MEMORY, 500 },
                 { MAREY_ERR_INPUT, 400 }, { MAREY_ERR_REQUEST, 400 } };
    heap memory = { .limit = 1 << 16 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        studio_response to = { .body = { .memory = &memory } };
        marey_error error = { .status = rows[i].status, .message = "why", .path = "a" };
        answer_fail(&to, &error);
        assert_int_equal(to.status, rows[i].http);
        assert_int_equal(to.cancelled, rows[i].status == MAREY_ERR_CANCELLED);
        answer_clear(&to);
    }
    studio_response to = { .body = { .memory = &memory } };
    bytes_extend(&to.body, SIZE_MAX);
    assert_true(to.body.failed);
    answer_json(&to, 200, json_pack("{s:i}", "a", 1));
    assert_int_equal(to.status, 200);
    answer_json(&to, 200, NULL);
    assert_int_equal(to.status, 500);
    assert_non_null(strstr((const char *)to.body.data, "out of memory"));
    answer_clear(&to);
    assert_int_equal(atomic_load(&memory.used), 0);
}

TEST(an_archive_that_has_no_room_says_so)
{
    bool whole = false;
    for (size_t limit = 0; !whole; limit += 16) {
        heap memory = { .limit = limit };
        studio_bytes out = { .memory = &memory }, content = { 0 };
        zip_writer zip = zip_begin(&out);
        for (int i = 0; i < 3; i++) zip_add(&zip, "a file with a name", &content);
        whole = zip_end(&zip);
        if (whole) assert_memory_equal(out.data, "PK\3\4", 4);
        bytes_free(&out);
        assert_int_equal(atomic_load(&memory.used), 0);
        assert_true(limit < 4096);
    }
}

/* ---- who may ask, and for what --------------------------------------------------------------- */

TEST(a_cookie_is_found_between_others_and_blanks)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
#define OURS "marey-1=0123456789abcdef0123456789abcdef"
    static const struct {
        const char *cookie;
        bool found;
    } rows[] = { { OURS, true },
                 { "a=b;\t" OURS, true },
                 { OURS " \t;a=b", true },
                 { OURS "\t", true },
                 { ";;" OURS ";", true },
                 { "marey-1", false },
                 { "marey-1=", false },
                 { "marey-1:0123456789abcdef0123456789abcdef", false },
                 { "marey-2=0123456789abcdef0123456789abcdef", false },
                 { OURS "0", false },
                 { OURS "00000000000000000000000000000000000000000000000000000000000", false },
                 { " \t", false },
                 { "; ;", false },
                 { "", false },
                 { NULL, false } };
    guard by = { 0 };
    assert_true(guard_allow(&by, "localhost:1"));
    snprintf(by.token, sizeof by.token, "%s", token);
    for (int named = 0; named < 2; named++) { /* without a name there is no cookie of it */
        snprintf(by.cookie_name, sizeof by.cookie_name, "%s", named ? "marey-1" : "");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            guard_claims claims = { .host = "localhost:1", .hosts = 1, .cookie = rows[i].cookie };
            bool found = guard_judge(&by, &claims) == GUARD_LET_IN;
            if (found != (named && rows[i].found)) fail_msg("%s", rows[i].cookie);
        }
    }
}

TEST(a_query_has_at_most_16_names_and_empty_ones_do_not_count)
{
    studio_request by = { 0 };
    char text[200] = "&a=1&&b=2&";
    assert_true(query_parse(&by, text));
    assert_int_equal(by.query_count, 2);
    for (int names = LIMIT_QUERY; names <= LIMIT_QUERY + 1; names++) {
        text[0] = 0;
        for (int i = 0; i < names; i++) strcat(text, "a=1&");
        assert_int_equal(query_count(text), names);
        assert_int_equal(query_parse(&by, text), names == LIMIT_QUERY);
    }
}

/* ---- connections ----------------------------------------------------------------------------- */

static int64_t stopped_clock(void)
{
    return 1000;
}

static bool is_cut(int socket)
{
    char byte;
    return recv(socket, &byte, 1, MSG_DONTWAIT) == 0;
}

TEST(the_last_place_is_made_by_who_has_not_shown_the_token)
{
    heap memory = { .limit = 1 << 16 };
    for (int header_ms = 100; header_ms <= 10000; header_ms *= 10) {
        connections clients = { .memory = &memory,
                                .header_ms = header_ms,
                                .body_ms = 20000,
                                .send_ms = 30000,
                                .idle_ms = 40000,
                                .places = 3,
                                .clock_ms = stopped_clock };
        int ends[4][2];
        connection *open[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
        assert_true(connections_open(&clients));
        open[0] = connection_begin(&clients, ends[0][0]);
        open[1] = connection_begin(&clients, ends[1][0]);
        connection_let_in(&clients, open[0]);
        assert_int_equal(open[1]->until_ms, 1000 + header_ms);
        open[2] = connection_begin(&clients, ends[2][0]); /* takes the last place */
        assert_true(!is_cut(ends[0][1]) && is_cut(ends[1][1]));
        assert_int_equal(open[2]->until_ms, 1000 + header_ms);
        connection_let_in(&clients, open[2]);
        /* All others have shown it, or were cut already: there is little time. */
        open[3] = connection_begin(&clients, ends[3][0]);
        int crowded = header_ms > LIMIT_CROWDED_MS ? LIMIT_CROWDED_MS : header_ms;
        assert_int_equal(open[3]->until_ms, 1000 + crowded);
        /* Each step has its time, by what was announced; the kernel counts no bytes here. */
        connection_reads_body(&clients, open[3], (uint64_t)3 << 20);
        assert_int_equal(open[3]->until_ms, 1000 + 20000 + 3 * LIMIT_BODY_MS_PER_MIB);
        connection_reads_body(&clients, open[3], UINT64_MAX);
        assert_int_equal(open[3]->until_ms, 1000 + 20000 + 256 * LIMIT_BODY_MS_PER_MIB);
        connection_sends(&clients, open[3], (uint64_t)2 << 20);
        assert_int_equal(open[3]->until_ms, 1000 + 30000 + 2 * LIMIT_SEND_MS_PER_MIB);
        connection_rests(&clients, open[3], 100);
        assert_int_equal(open[3]->phase, CONNECTION_IDLE);
        assert_int_equal(open[3]->until_ms, 1000 + 40000);
        size_t limit = memory.limit;
        memory.limit = 0;
        assert_null(connection_begin(&clients, ends[3][0]));
        memory.limit = limit;
        connection_end(&clients, NULL);
        static const int order[] = { 1, 3, 0,
                                     2 }; /* the middle, the newest, the oldest, the last */
        for (int i = 0; i < 4; i++) connection_end(&clients, open[order[i]]);
        assert_null(clients.first);
        assert_int_equal(clients.count, 0);
        connections_close(&clients);
        for (int i = 0; i < 8; i++) close(ends[i / 2][i % 2]);
        assert_int_equal(atomic_load(&memory.used), 0);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Unless it was loaded already. */
TEST(without_libmicrohttpd_it_is_said_what_to_install)
{
    struct rlimit handles, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &handles), 0);
    none = (struct rlimit){ 0, handles.rlim_max };
    setrlimit(RLIMIT_NOFILE, &none);
    marey_status status = http_library_open(&test_error), silent = http_library_open(NULL);
    setrlimit(RLIMIT_NOFILE, &handles);
    assert_int_equal(status, silent);
    if (status) assert_int_equal(status, MAREY_ERR_REQUEST);
    if (status) assert_non_null(strstr(test_error.message, "apt-get install libmicrohttpd12"));
    test_ok(http_library_open(&test_error));
}

TEST(a_port_is_a_number_up_to_65535)
{
    static const int ports[] = { -1, 65536 };
    studio_bench b = { 0 };
    studio_bench_library(&b);
    for (int i = 0; i < 2; i++) {
        studio *host = NULL;
        studio_def def = { .library_path = b.path, .port = ports[i] };
        test_refused(studio_open(&def, &host, &test_error), MAREY_ERR_REQUEST,
                     "a port is a number up to 65535");
    }
    test_folder_remove(b.folder);
}

/* Only their names are looked at before one is opened. */
TEST(a_folder_has_at_most_256_libraries_whose_names_are_not_too_long)
{
    char folder[256], path[700], name[300];
    studio_folder *made = NULL;
    test_folder_make(folder, sizeof folder);
    for (int length = MAREY_NAME_ROOM; length <= MAREY_NAME_ROOM + 1; length++) {
        memset(name, 'a', sizeof name);
        name[length] = 0;
        snprintf(path, sizeof path, "%s/%s.marey", folder, name);
        test_file_write(path, "", 0);
    }
    static const char *const others[] = { ".marey", "plain", "x.mareys", "marey" };
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, others[i]);
        test_file_write(path, "", 0);
    }
    snprintf(path, sizeof path, "%s//", folder);
    studio_def def = { .library_path = path };
    test_refused_about(studio_folder_open(&def, &made, &test_error), MAREY_ERR_REQUEST,
                       "no library (.marey) lies in this folder");
    for (int i = 0; i <= MAREY_MOST_LIBRARIES; i++) {
        char file[700];
        snprintf(file, sizeof file, "%s/%d.marey", folder, i);
        test_file_write(file, "", 0);
    }
    test_refused_about(studio_folder_open(&def, &made, &test_error), MAREY_ERR_REQUEST,
                       "257 libraries lie in this folder");
    snprintf(name, sizeof name, "%s/0.marey", folder);
    assert_int_equal(remove(name), 0);
    test_file_write(name, "no library", 10);
    snprintf(name, sizeof name, "%s/256.marey", folder);
    assert_int_equal(remove(name), 0);
    assert_int_equal(studio_folder_open(&def, &made, &test_error), MAREY_ERR_INPUT);
    assert_null(made);
    assert_true(studio_folder_close_within(NULL, 0));
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_studio_net, NULL, NULL)
