/* test_studio_server.c - the studio's life: opening, serving, jobs, closing; and its deadlines.
   What goes through the WebSocket is in test_studio_live.c. */
#include "connection.h"
#include "http.h"
#include "page.h"
#include "studio_limits.h"
#include "studio_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_hasty(void **state) /* with short deadlines */
{
    return studio_bench_set_up_with(
        state, &(studio_def){ .header_ms = 700, .body_ms = 700, .send_ms = 700, .idle_ms = 700 });
}

/* ---- opening and closing --------------------------------------------------------------------- */

TEST(a_studio_makes_its_library_and_leaves_nothing_beside_it)
{
    studio_bench b = { 0 };
    char wanted[200];
    test_folder_make(b.folder, sizeof b.folder);
    snprintf(b.path, sizeof b.path, "%s/new.marey", b.folder);
    studio_bench_start(&b, NULL);
    snprintf(wanted, sizeof wanted, "http://127.0.0.1:%d/?token=%s", b.port, b.token);
    assert_string_equal(studio_address(b.host), wanted);
    assert_int_equal(size_of(studio_get(&b, 200, "/api/clips"), "clips"), 0);
    studio_close(b.host);
    assert_int_equal(test_folder_count(b.folder), 1);
    assert_int_equal(access(b.path, R_OK), 0);
    test_folder_remove(b.folder);
}

TEST(nothing_is_open_after_close)
{
    studio_bench b;
    studio_bench_open(&b, NULL); /* whatever a first time opens for good is open then */
    studio_bench_close(&b);
    int before = test_folder_count("/proc/self/fd");
    for (int i = 0; i < 5; i++) {
        studio_bench_open(&b, NULL);
        OWNED(http_wire) idle = wire_to(b.port);
        OWNED(http_wire) half = wire_to(b.port);
        wire_say(&half, "GET /api/ab");
        OWNED(http_answer) got = studio_ask(&b, "/api/clips", NULL);
        assert_int_equal(got.status, 200);
        studio_bench_close(&b);
    }
    assert_int_equal(test_folder_count("/proc/self/fd"), before);
}

enum { NO_MEMORY, NO_THREAD, NO_HANDLE, SERVER_FAULTS };

/* The server takes the socket over in any case, so whatever is missing, the port must be free
   afterwards. */
TEST(a_server_that_cannot_start_closes_its_socket)
{
    for (int fault = 0; fault < SERVER_FAULTS; fault++) {
        shared of = { .memory.limit = fault == NO_MEMORY ? 0 : 1 << 20 };
        guard who = { .host_count = 0 };
        http_def def = { .common = &of,
                         .guard = &who,
                         .listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
                         .header_ms = 1000,
                         .body_ms = 1000,
                         .send_ms = 1000,
                         .idle_ms = 1000,
                         .clock_ms = connections_clock };
        struct rlimit handles, few;
        pthread_attr_t usual, huge;
        assert_true(def.listening >= 0);
        assert_int_equal(listen(def.listening, 1), 0);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &handles), 0);
        assert_int_equal(pthread_getattr_default_np(&usual), 0);
        few = (struct rlimit){ (rlim_t)def.listening + 1, handles.rlim_max };
        pthread_attr_init(&huge);
        pthread_attr_setstacksize(&huge, (size_t)1 << 46); /* no machine has room for it */
        if (fault == NO_HANDLE) setrlimit(RLIMIT_NOFILE, &few);
        if (fault == NO_THREAD) assert_int_equal(pthread_setattr_default_np(&huge), 0);
        assert_null(http_open(&def));
        setrlimit(RLIMIT_NOFILE, &handles);
        pthread_setattr_default_np(&usual);
        pthread_attr_destroy(&huge);
        pthread_attr_destroy(&usual);
        if (fcntl(def.listening, F_GETFD) >= 0) fail_msg("fault %d leaves it open", fault);
        assert_int_equal(atomic_load(&of.memory.used), 0);
    }
}

#define CASE(name) TEST_OF_IN(studio_bench_set_up, studio_bench_tear_down, studio_bench *b, name)

CASE(a_studio_that_does_not_open_says_why)
{
    static const char *const hosts[] = { "localhost" };
    static const char *const many[17] = { "a:1", "a:2", "a:3", "a:4", "a:5", "a:6",
                                          "a:7", "a:8", "a:9", "b:1", "b:2", "b:3",
                                          "b:4", "b:5", "b:6", "b:7", "b:8" };
    const struct {
        studio_def def;
        marey_status status;
    } rows[] = {
        { { .library_path = b->path, .port = b->port }, MAREY_ERR_REQUEST },
        { { .library_path = b->path, .allowed_hosts = hosts, .allowed_host_count = 1 },
          MAREY_ERR_REQUEST },
        { { .library_path = b->path, .allowed_hosts = many, .allowed_host_count = 17 },
          MAREY_ERR_REQUEST },
        { { .library_path = b->path, .allowed_hosts = many, .allowed_host_count = 16 }, MAREY_OK },
        { { .library_path = b->canary }, MAREY_ERR_INPUT },
        { { .library_path = "/nonexistent/folder/x.marey" }, MAREY_ERR_INPUT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        studio *second = NULL;
        marey_error error = { 0 };
        assert_int_equal(studio_open(&rows[i].def, &second, &error), rows[i].status);
        assert_true(!rows[i].status == !error.message[0] && !rows[i].status == !!second);
        studio_close(second);
        if (rows[i].status)
            assert_int_equal(studio_open(&rows[i].def, &second, NULL), rows[i].status);
    }
}

CASE(two_studios_share_a_library)
{
    studio_bench other = *b;
    studio_bench_start(&other, NULL);
    assert_int_not_equal(other.port, b->port);
    studio_post(&other, 200, "/api/do/label", "{'clips':[%lld],'add':['shared']}",
                (long long)b->ids[1]);
    assert_int_equal(size_of(studio_get(b, 200, "/api/clips?label=shared"), "clips"), 1);
    /* the token of one is none for the other */
    snprintf(other.token, sizeof other.token, "%s", b->token);
    studio_get(&other, 401, "/api/clips");
    studio_close(other.host);
    studio_get(b, 200, "/api/clips");
}

static void read_only_is_reported_and_kept(studio_bench *b)
{
    char target[100];
    expect(studio_get(b, 200, "/api/about"), "{'library': {'writable': false}}");
    studio_get(b, 200, "/api/clips");
    snprintf(target, sizeof target, "/api/clips/%lld/strip", (long long)b->ids[0]);
    OWNED(http_answer) strip = studio_ask(b, target, NULL);
    assert_int_equal(strip.status, 200); /* drawn, though it is not kept */
    snprintf(target, sizeof target, "{\"clips\":[%lld],\"add\":[\"x\"]}", (long long)b->ids[0]);
    OWNED(http_answer) edit = studio_ask(b, "/api/do/label", target);
    assert_true(edit.status >= 400 && edit.status < 500);
    if (!strstr(edit.body, "can only be read")) fail_msg("not clear: %s", edit.body);
}

/* Without a handle for its socket it does not listen. */
TEST(a_studio_without_handles_says_so)
{
    studio_bench b = { 0 };
    struct rlimit handles, none;
    studio *host = NULL;
    studio_bench_open(&b, NULL); /* so that libmicrohttpd is there */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &handles), 0);
    none = (struct rlimit){ 0, handles.rlim_max };
    setrlimit(RLIMIT_NOFILE, &none);
    marey_status status = studio_open(&(studio_def){ .library_path = b.path }, &host, &test_error);
    setrlimit(RLIMIT_NOFILE, &handles);
    assert_int_equal(status, MAREY_ERR_IO);
    assert_non_null(strstr(test_error.message, "cannot listen on port 0: Too many open files"));
    studio_bench_close(&b);
}

/* Root may write everywhere, so root becomes another user for as long as this takes. */
TEST(a_library_that_can_only_be_read_is_shown_and_stays_as_it_is)
{
    studio_bench b = { 0 };
    uid_t me = geteuid();
    studio_bench_library(&b);
    size_t before, after;
    FREED char *saved = test_file_read(b.path, &before);
    assert_int_equal(chmod(b.path, 0444), 0);
    assert_int_equal(chmod(b.folder, 0555), 0);
    if (me == 0) assert_int_equal(seteuid(65534), 0);
    studio_bench_start(&b, NULL);
    read_only_is_reported_and_kept(&b);
    studio_close(b.host);
    assert_int_equal(seteuid(me), 0);
    FREED char *again = test_file_read(b.path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(saved, again, before);
    chmod(b.folder, 0755);
    test_folder_remove(b.folder);
}

/* Asks for everything that needs memory; any answer is right, as long as there is one or the
   connection ends. */
static void ask_with_little(studio_bench *b)
{
    static const char *const targets[] = { "/api/about",
                                           "/api/clips",
                                           "/api/clips/{id}",
                                           "/api/clips/{id}/frames",
                                           "/api/clips/{id}/strip",
                                           "/" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        size_t count;
        FREED char *target = studio_fill(b, targets[i], &count);
        OWNED(http_wire) wire = wire_to(b->port);
        studio_send(&wire, b, target, NULL);
        OWNED(http_answer) got = wire_read(&wire, 10);
        assert_true(got.status == 200 || got.status == 500 || (got.status == 0 && wire.ended));
    }
    static const char *const posts[] = {
        "POST /api/do/label HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "POST /api/import HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: 82\r\n\r\n--edge\r\n"
        "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n\r\n--edge--\r\n"
    };
    for (int i = 0; i < 2; i++) {
        size_t count;
        FREED char *text = studio_fill(b, posts[i], &count);
        OWNED(http_wire) wire = wire_to(b->port);
        wire_send(&wire, text, count);
        OWNED(http_answer) got = wire_read(&wire, 10);
        assert_true(got.status == 400 || got.status == 202 || got.status == 500 ||
                    (got.status == 0 && wire.ended));
    }
}

TEST(with_any_limit_of_memory_a_studio_opens_and_answers_or_says_why_not)
{
    studio_bench b = { 0 };
    int opened = 0, refused = 0;
    studio_bench_library(&b);
    for (double limit = 100; limit < 8e6; limit *= opened ? 1.3 : 1.1) {
        studio_def def = { .library_path = b.path, .byte_limit = (size_t)limit, .threads = 1 };
        marey_error error = { 0 };
        marey_status status = studio_open(&def, &b.host, refused % 2 ? &error : NULL);
        if (status) {
            assert_int_equal(status, MAREY_ERR_MEMORY);
            assert_true(refused % 2 == 0 || error.message[0]);
            refused++;
            continue;
        }
        b.port = studio_port(b.host);
        snprintf(b.token, sizeof b.token, "%s", studio_token(b.host));
        ask_with_little(&b);
        studio_close(b.host);
        opened++;
    }
    assert_true(opened > 3 && refused > 20);
    test_folder_remove(b.folder);
}

/* ---- one connection, several requests -------------------------------------------------------- */

CASE(a_connection_serves_one_request_after_the_other)
{
    OWNED(http_wire) wire = wire_to(b->port);
    for (int i = 0; i < 20; i++) {
        assert_true(studio_send(&wire, b, i % 2 ? "/api/clips" : "/api/about", NULL));
        OWNED(http_answer) got = wire_read(&wire, 10);
        assert_int_equal(got.status, 200);
    }
}

CASE(requests_sent_at_once_are_answered_in_their_order)
{
    char target[64];
    OWNED(http_wire) wire = wire_to(b->port);
    for (int i = 0; i < 30; i++) {
        snprintf(target, sizeof target, "/api/clips/%lld", (long long)b->ids[i % BENCH_CLIPS]);
        assert_true(studio_send(&wire, b, target, NULL));
    }
    for (int i = 0; i < 30; i++) {
        OWNED(http_answer) got = wire_read(&wire, 20);
        assert_int_equal(got.status, 200);
        assert_int_equal(whole(json_hold_text(got.body, got.count), "id"), b->ids[i % BENCH_CLIPS]);
    }
}

CASE(a_tag_that_is_known_is_not_sent_again)
{
    static const char *const targets[] = { "/app.js", "/app.css", "/" };
    char tag[100], text[600];
    for (int i = 0; i < 3; i++) {
        OWNED(http_answer) first = studio_ask(b, targets[i], NULL);
        assert_int_equal(first.status, 200);
        assert_true(first.count > 0);
        assert_int_equal(wire_header(&first, "ETag", tag, sizeof tag), 1);
        for (int same = 0; same < 2; same++) {
            int length = snprintf(text, sizeof text,
                                  "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer "
                                  "%s\r\nIf-None-Match: %s\r\n\r\n",
                                  targets[i], b->port, b->token, same ? tag : "\"other\"");
            OWNED(http_answer) got = wire_ask(b->port, text, (size_t)length, 10);
            assert_int_equal(got.status, same ? 304 : 200);
            assert_int_equal(got.count == 0, same);
            assert_null(studio_head_fault(&got));
        }
    }
}

CASE(every_file_of_the_page_is_sent_and_no_part_of_another_build)
{
    page_file files[PAGE_FILES];
    char type[100];
    int parts = 0;
    page_fill(files);
    for (int i = 0; i < PAGE_FILES && files[i].path; i++) {
        OWNED(http_answer) got = studio_ask(b, files[i].path, NULL);
        assert_int_equal(got.status, 200);
        assert_int_equal(got.count, files[i].count);
        assert_memory_equal(got.body, files[i].data, got.count);
        assert_int_equal(wire_header(&got, "Content-Type", type, sizeof type), 1);
        assert_string_equal(type, files[i].type);
        assert_null(studio_head_fault(&got));
        parts += strncmp(files[i].path, "/part/", 6) == 0;
    }
    assert_true(parts > 0);
    OWNED(http_answer) none = studio_ask(b, "/part/1", NULL);
    assert_int_equal(none.status, 404);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

CASE(an_import_puts_files_in_and_reports_each)
{
    static const char *const kinds[] = { "added", "duplicates", "skipped", "errors" };
    OWNED(studio_upload) all = { 0 };
    FREED char *person = test_person(33);
    FREED char *known = test_person(bench_frames[0]);
    studio_upload_add(&all, "s1/fresh.bvh", person);
    studio_upload_add(&all, "s1/broken.bvh", "HIERARCHY\nROOT x\n{\n");
    studio_upload_add(&all, "s1/notes.txt", "not motion");
    studio_upload_add(&all, "s1/again.bvh", known);
    studio_upload_end(&all);
    const json_t *job = studio_job_wait(b, studio_upload_send(b, &all));
    const json_t *result = json_object_get(job, "result");
    expect(job, "{'state': 'done', 'kind': 'add'}");
    for (int i = 0; i < 4; i++) assert_int_equal(size_of(result, kinds[i]), 1);
    const json_t *added = item(result, "added", 0);
    expect(added, "{'name': 'fresh', 'frames': 33}");
    assert_true(json_is_string(json_object_get(added, "units_why")));
    assert_true(whole(added, "id") > 0);
}

CASE(a_job_that_is_cancelled_changes_nothing)
{
    int64_t before = studio_version(b);
    char target[64];
    int64_t first = studio_import(b, 40, 1500), second = studio_import(b, 2, 1500);
    for (int i = 0; i < 2; i++) { /* the one that waits, then the one that runs */
        snprintf(target, sizeof target, "/api/jobs/%lld/cancel", (long long)(i ? first : second));
        studio_post(b, 200, target, "{}");
    }
    assert_string_equal(word(studio_job_wait(b, first), "state"), "cancelled");
    assert_string_equal(word(studio_job_wait(b, second), "state"), "cancelled");
    assert_int_equal(studio_version(b), before);
    studio_post(b, 200, target, "{}"); /* one that is over stays as it is */
    studio_post(b, 404, "/api/jobs/999/cancel", "{}");
    studio_get(b, 404, "/api/jobs/999");
}

CASE(labels_can_be_edited_while_an_import_runs)
{
    int64_t job = studio_import(b, 12, 1500);
    double worst = 0;
    for (int i = 0; i < 10; i++) {
        double start = wire_now();
        char body[64];
        int status = 503;
        snprintf(body, sizeof body, "{\"clips\":[%lld],\"add\":[\"l%d\"]}", (long long)b->ids[0],
                 i);
        /* On a machine that is busy an edit may be asked to come again: waiting helps. */
        for (int again = 0; again < 20 && status == 503; again++) {
            OWNED(http_answer) answer = studio_ask(b, "/api/do/label", body);
            status = answer.status;
        }
        assert_int_equal(status, 200);
        studio_get(b, 200, "/api/clips");
        if (wire_now() - start > worst) worst = wire_now() - start;
    }
    assert_string_equal(word(studio_job_wait(b, job), "state"), "done");
    print_message("worst wait for an edit and a list while an import ran: %.2f s\n", worst);
    assert_int_equal(size_of(studio_get(b, 200, "/api/clips?label=l9"), "clips"), 1);
}

static void ignore(void *user, const char *problem)
{
    (void)user;
    (void)problem;
}

TEST(closing_ends_what_runs)
{
    studio_bench b;
    int64_t problems = -1;
    OWNED(marey_ctx) *ctx = test_ctx();
    studio_bench_open(&b, NULL);
    studio_import(&b, 40, 1500);
    studio_import(&b, 2, 1500);
    double start = wire_now();
    studio_close(b.host);
    assert_true(wire_now() - start < 10);
    assert_int_equal(marey_library_verify(ctx, b.path, ignore, NULL, &problems, NULL), MAREY_OK);
    assert_int_equal(problems, 0);
    assert_int_equal(test_folder_count(b.folder), 2); /* the library and the canary */
    test_folder_remove(b.folder);
}

static sem_t job_begun, job_release;

static void hold_job(void)
{
    sem_post(&job_begun);
    while (sem_wait(&job_release) != 0) continue;
}

TEST(closing_does_not_wait_for_ever_for_a_job_that_does_not_stop)
{
    studio_bench b;
    sem_init(&job_begun, 0, 0);
    sem_init(&job_release, 0, 0);
    studio_bench_open(&b, &(studio_def){ .before_job = hold_job });
    studio_import(&b, 2, 1500);
    while (sem_wait(&job_begun) != 0) continue;
    assert_false(studio_close_within(b.host, 1));
    assert_false(studio_close_within(b.host, 1)); /* one can wait on */
    sem_post(&job_release);
    assert_true(studio_close_within(b.host, 60000));
    assert_int_equal(test_folder_count(b.folder), 2); /* the library and the canary */
    test_folder_remove(b.folder);
}

/* ---- deadlines ------------------------------------------------------------------------------- */

/* Sends a byte every tenth of a second; returns after how long the server closed. */
static double drip(http_wire *wire, const char *text, double most)
{
    double start = wire_now();
    size_t at = 0;
    while (wire_now() - start < most) {
        if (text[at]) wire_send(wire, text + at++, 1);
        if (wire_drain(wire, 0.1, NULL)) return wire_now() - start;
    }
    return most;
}

/* A connection that shows the token goes on. */
static void expect_served(studio_bench *b, http_wire *wire)
{
    assert_true(studio_send(wire, b, "/api/about", NULL));
    OWNED(http_answer) got = wire_read(wire, 10);
    if (got.status != 200) fail_msg("not served: %d", got.status);
}

#define HASTY(name) TEST_OF_IN(open_hasty, studio_bench_tear_down, studio_bench *b, name)

HASTY(a_header_that_drips_is_cut_off_in_time)
{
    static const char *const texts[] = {
        "GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:1234\r\nX-Long: 1234567890",
        "" /* and one that says nothing at all */
    };
    for (int i = 0; i < 2; i++) {
        OWNED(http_wire) wire = wire_to(b->port);
        double took = drip(&wire, texts[i], 5);
        assert_true(took > 0.5 && took < 2.5);
    }
    studio_get(b, 200, "/api/about");
}

HASTY(a_later_header_that_drips_is_cut_off_too)
{
    OWNED(http_wire) wire = wire_to(b->port);
    expect_served(b, &wire);
    double took =
        drip(&wire, "GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:1234\r\nX-Long: 123456789012", 6);
    assert_true(took > 0.5 && took < 3.5);
}

HASTY(a_body_that_drips_is_cut_off_in_time)
{
    for (int chunked = 0; chunked < 2; chunked++) {
        size_t count;
        FREED char *text =
            studio_fill(b, "POST /api/do/label HTTP/1.1\r\n" HOST BEARER JSON, &count);
        OWNED(http_wire) wire = wire_to(b->port);
        assert_true(wire_send(&wire, text, count));
        wire_say(&wire, chunked ? "Transfer-Encoding: chunked\r\n\r\nfff\r\n"
                                : "Content-Length: 1000000\r\n\r\n");
        double took =
            drip(&wire, "{\"clips\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]", 6);
        assert_true(took > 0.5 && took < 2.5);
    }
    studio_get(b, 200, "/api/about");
}

HASTY(an_idle_connection_is_closed)
{
    OWNED(http_wire) wire = wire_to(b->port);
    expect_served(b, &wire);
    double start = wire_now();
    assert_true(wire_drain(&wire, 5, NULL));
    assert_true(wire_now() - start > 0.4 && wire_now() - start < 2.5);
}

/* Its answers stop when the buffers on the way are full; then nothing moves any more, and the
   connection ends. */
HASTY(a_client_that_does_not_read_its_answers_is_let_go)
{
    char target[64];
    enum { REQUESTS = 300 };
    size_t whole, taken = 0;
    snprintf(target, sizeof target, "/api/clips/%lld/frames", (long long)b->ids[2]);
    OWNED(http_answer) got = studio_ask(b, target, NULL);
    assert_int_equal(got.status, 200);
    whole = REQUESTS * got.count;
    OWNED(http_wire) wire = wire_to(b->port);
    for (int i = 0; i < REQUESTS; i++) assert_true(studio_send(&wire, b, target, NULL));
    sleep(6);
    assert_true(wire_drain(&wire, 5, &taken));
    assert_true(taken < whole);
    studio_get(b, 200, "/api/about");
}

/* ---- as many connections as there may be ----------------------------------------------------- */

CASE(the_257th_connection_waits_until_another_ends)
{
    static http_wire many[256];
    for (int i = 0; i < 256; i++) {
        wire_open(&many[i], b->port);
        expect_served(b, &many[i]);
    }
    OWNED(http_wire) late = wire_to(b->port);
    studio_send(&late, b, "/api/about", NULL);
    OWNED(http_answer) early = wire_read(&late, 0.5);
    assert_int_not_equal(early.status, 200);
    for (int i = 0; i < 8; i++) wire_close(&many[i]);
    if (late.ended) { /* refused rather than kept waiting: then a new one is served */
        wire_close(&late);
        usleep(200000);
        wire_open(&late, b->port);
        studio_send(&late, b, "/api/about", NULL);
    }
    OWNED(http_answer) got = wire_read(&late, 5);
    assert_int_equal(got.status, 200);
    for (int i = 8; i < 256; i++) wire_close(&many[i]);
}

static int64_t still_clock(void)
{
    return 1000;
}

static int open_timeless(void **state) /* no deadline of ours is ever over */
{
    return studio_bench_set_up_with(state, &(studio_def){ .clock_ms = still_clock });
}

/* All of them are within their time, so what goes, goes for those that have the token. */
TEST_OF_IN(open_timeless, studio_bench_tear_down, studio_bench *b,
           idle_connections_without_the_token_make_way_and_others_keep_their_places)
{
    enum { IDLE = 400, KNOWN = 20 };
    static http_wire idle[IDLE], known[KNOWN];
    OWNED(http_wire) live = studio_live(b);
    for (int i = 0; i < KNOWN; i++) {
        wire_open(&known[i], b->port);
        expect_served(b, &known[i]);
    }
    for (int i = 0; i < IDLE; i++) wire_open(&idle[i], b->port);
    OWNED(http_wire) good = wire_to(b->port);
    double start = wire_now();
    expect_served(b, &good);
    print_message("a client with the token waited %.4f s behind %d idle connections\n",
                  wire_now() - start, IDLE);
    for (int i = 0; i < KNOWN; i++) expect_served(b, &known[i]);
    assert_true(ws_say(&live, "{\"type\":\"cancel\",\"job\":999}"));
    assert_non_null(studio_hear(&live, "error", 10));
    /* The oldest went, one for each that came too many; the youngest may still show its token. */
    for (int i = 0; i < IDLE - 256; i++) assert_true(wire_drain(&idle[i], 10, NULL));
    expect_served(b, &idle[IDLE - 1]);
    for (int i = 0; i < IDLE; i++) wire_close(&idle[i]);
    for (int i = 0; i < KNOWN; i++) wire_close(&known[i]);
}

static bool is_shut(connections *all, const connection *one)
{
    pthread_mutex_lock(&all->lock);
    bool shut = one->shut;
    pthread_mutex_unlock(&all->lock);
    return shut;
}

/* Places for three, of which two have shown the token in the end. */
TEST(a_client_that_takes_the_last_place_makes_room_or_has_half_a_second)
{
    enum { CLIENTS = 4, HEADER_MS = 10000 };
    heap memory = { .limit = 1 << 20 };
    connections all = { .memory = &memory,
                        .header_ms = HEADER_MS,
                        .body_ms = 1,
                        .send_ms = 1,
                        .idle_ms = 1,
                        .places = 3,
                        .clock_ms = still_clock };
    connection *one[CLIENTS];
    int pair[CLIENTS][2];
    assert_true(connections_open(&all));
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair[i]), 0);
        one[i] = connection_begin(&all, pair[i][0]);
        assert_non_null(one[i]);
        if (i == 0) connection_let_in(&all, one[i]);
        assert_int_equal(one[i]->until_ms - still_clock(),
                         i == CLIENTS - 1 ? LIMIT_CROWDED_MS : HEADER_MS);
        if (i != 2) continue;
        char none; /* the last place: the second makes way, though the first came before it */
        assert_true(is_shut(&all, one[1]));
        assert_int_equal(recv(pair[1][1], &none, 1, 0), 0);
        connection_end(&all, one[1]);
        one[1] = NULL;
        connection_let_in(&all, one[2]); /* now all others have the token */
    }
    for (int i = 0; i < CLIENTS; i++) {
        if (one[i]) assert_false(is_shut(&all, one[i]));
        connection_end(&all, one[i]);
        for (int k = 0; k < 2; k++) close(pair[i][k]);
    }
    connections_close(&all);
    assert_int_equal(atomic_load(&memory.used), 0);
}

TEST_GROUP_OF_CASES(test_studio_server, NULL, NULL)
