/* test_studio_carrier.c - the studio on a libmicrohttpd that fails: calls of it are refused one after
   the other, and each request still has an answer that says why, or ends its connection. */
#include "http_library.h"
#include "studio_rows.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library that fails ------------------------------------------------------------------ */

enum { NOTHING, START, PARTS, PIECE, WHOLE, ANSWER, PAGE, BOTH, LIVE, HANDLE, CLIENT, SIZE };

static http_library_calls real;
static _Atomic int fault, with_errno; /* what fails now */

static bool fails(int call)
{
    if (atomic_load(&fault) != call) return false;
    errno = atomic_load(&with_errno);
    return true;
}

static struct MHD_PostProcessor *parts(struct MHD_Connection *carrier, size_t room,
                                       MHD_PostDataIterator take, void *user)
{
    return fails(PARTS) ? NULL : real.create_post_processor(carrier, room, take, user);
}

static enum MHD_Result piece(struct MHD_PostProcessor *of, const char *data, size_t count)
{
    return fails(PIECE) ? MHD_NO : real.post_process(of, data, count);
}

static enum MHD_Result whole_parts(struct MHD_PostProcessor *of)
{
    enum MHD_Result result = real.destroy_post_processor(of);
    return fails(WHOLE) ? MHD_NO : result;
}

static struct MHD_Response *lasting(size_t count, void *data, enum MHD_ResponseMemoryMode mode)
{
    bool refused = fails(PAGE) || fails(BOTH);
    return refused ? NULL : real.create_response_from_buffer(count, data, mode);
}

static struct MHD_Response *carried(size_t count, void *data, MHD_ContentReaderFreeCallback free_it,
                                    void *user)
{
    bool refused = fails(ANSWER) || fails(BOTH);
    return refused ? NULL
                   : real.create_response_from_buffer_with_free_callback_cls(count, data, free_it,
                                                                             user);
}

static struct MHD_Response *upgrade(MHD_UpgradeHandler take, void *user)
{
    return fails(LIVE) ? NULL : real.create_response_for_upgrade(take, user);
}

static const union MHD_ConnectionInfo *info(struct MHD_Connection *carrier,
                                            enum MHD_ConnectionInfoType type, ...)
{
    bool refused = (type == MHD_CONNECTION_INFO_CONNECTION_FD && fails(HANDLE)) ||
                   (type == MHD_CONNECTION_INFO_SOCKET_CONTEXT && fails(CLIENT)) ||
                   (type == MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE && fails(SIZE));
    return refused ? NULL : real.get_connection_info(carrier, type);
}

/* Its options are those of the real one, which is not called. */
static struct MHD_Daemon *start(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                                void *accept_user, MHD_AccessHandlerCallback handle, void *user,
                                ...)
{
    (void)flags, (void)port, (void)accept, (void)accept_user, (void)handle, (void)user;
    return NULL;
}

/* Before the server's thread is there that reads the table. */
static int open_failing(void **state)
{
    test_ok(http_library_open(&test_error));
    real = http_library;
    http_library.create_post_processor = parts;
    http_library.post_process = piece;
    http_library.destroy_post_processor = whole_parts;
    http_library.create_response_from_buffer = lasting;
    http_library.create_response_from_buffer_with_free_callback_cls = carried;
    http_library.create_response_for_upgrade = upgrade;
    http_library.get_connection_info = info;
    return studio_bench_set_up_with(
        state, &(studio_def){ .header_ms = 1500, .body_ms = 1500, .idle_ms = 1500 });
}

static int close_failing(void **state)
{
    int result = studio_bench_tear_down(state);
    http_library = real;
    return result;
}

/* ---- requests -------------------------------------------------------------------------------- */

#define UPLOAD(length)                                                                             \
    "POST /api/import HTTP/1.1\r\n" HOST BEARER                                                    \
    "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: " length "\r\n\r\n"
#define FILE_PART                                                                                  \
    "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nx\r\n"
#define FIELD "--edge\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n"
#define GET(target) "GET " target " HTTP/1.1\r\n" HOST BEARER END
#define ONE UPLOAD("83") FILE_PART "--edge--\r\n"

TEST_OF(studio_bench *b, a_call_that_fails_is_answered_or_ends_the_connection)
{
    _Static_assert(sizeof FILE_PART "--edge--\r\n" - 1 == 83, "the length that is announced");
    const struct {
        int fault, with_errno;
        studio_row row;
        const char *says;
    } rows[] = {
        { NOTHING, 0, { "a file", ONE, { 202 } }, NULL },
        { PARTS, ENOMEM, { "no memory for parts", ONE, { 500 } }, "memory is used up" },
        { PARTS, EINVAL, { "no boundary", ONE, { 400 } }, "no boundary" },
        { PIECE, ENOMEM, { "no memory for a piece", ONE, { 500 } }, "memory is used up" },
        { PIECE, 0, { "a piece that is none", ONE, { 400 } }, "malformed" },
        { WHOLE, 0, { "parts that do not end", ONE, { 400 } }, "not whole" },
        { ANSWER, ENOMEM, { "no answer", GET("/api/about"), { 500 } }, "out of memory" },
        { BOTH, ENOMEM, { "no answer at all", GET("/api/about"), { CUT_OFF } }, NULL },
        { PAGE, ENOMEM, { "no page", GET("/"), { CUT_OFF } }, NULL },
        { PAGE,
          ENOMEM,
          { "no way on",
            "GET /?token={token} HTTP/1.1\r\n" HOST "Sec-Fetch-Mode: navigate\r\n\r\n",
            { CUT_OFF } },
          NULL },
        { LIVE,
          ENOMEM,
          { "no WebSocket",
            "GET /api/live HTTP/1.1\r\n" HOST BEARER
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            { CUT_OFF } },
          NULL },
        { HANDLE, 0, { "no handle", GET("/api/about"), { CUT_OFF } }, NULL },
        { CLIENT, 0, { "no client", GET("/api/about"), { CUT_OFF } }, NULL },
        { SIZE, 0, { "no size", GET("/api/about"), { 200 } }, NULL },
        { NOTHING, 0, { "as ever", GET("/api/about"), { 200 } }, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t count;
        FREED char *text = studio_fill(b, rows[i].row.text, &count);
        atomic_store(&with_errno, rows[i].with_errno);
        atomic_store(&fault, rows[i].fault);
        OWNED(http_answer) got = wire_ask(b->port, text, count, 10);
        atomic_store(&fault, NOTHING);
        int wanted = rows[i].row.expect[0] == CUT_OFF ? 0 : rows[i].row.expect[0];
        if (got.status != wanted) fail_msg("%s: %d", rows[i].row.name, got.status);
        if (rows[i].says && !strstr(got.body, rows[i].says))
            fail_msg("%s: %s", rows[i].row.name, got.body);
    }
}

TEST_OF(studio_bench *b, a_server_that_does_not_start_leaves_no_socket)
{
    int before = 0;
    for (int i = 0; i < 3; i++) { /* the first one may open what stays open */
        studio *second = NULL;
        http_library.start_daemon = start;
        marey_status status =
            studio_open(&(studio_def){ .library_path = b->path }, &second, &test_error);
        http_library.start_daemon = real.start_daemon;
        assert_int_equal(status, MAREY_ERR_IO);
        assert_string_equal(test_error.message, "the server failed to start");
        int open = test_folder_count("/proc/self/fd");
        if (i > 0) assert_int_equal(open, before);
        before = open;
    }
}

TEST_OF(studio_bench *b, a_link_needs_room)
{
    char link[STUDIO_LINK_ROOM], small[20];
    assert_true(studio_link(b->host, link, sizeof link));
    assert_false(studio_link(b->host, small, sizeof small));
}

/* What is known is not sent again, whatever else the client knows. */
TEST_OF(studio_bench *b, an_answer_with_a_tag_is_sent_once)
{
    char tag[200], text[700];
    int64_t id = b->ids[0];
    snprintf(text, sizeof text, "/api/clips/%lld/strip", (long long)id);
    OWNED(http_answer) first = studio_ask(b, text, NULL);
    assert_int_equal(first.status, 200);
    assert_int_equal(wire_header(&first, "ETag", tag, sizeof tag), 1);
    for (int i = 0; i < 4; i++) {
        const char *const forms[] = { "%s", "\"other\", W/%s", "*", "\"other\"" };
        char known[300];
        snprintf(known, sizeof known, "%.*s%s", (int)(strlen(forms[i]) - (i < 2 ? 2 : 0)), forms[i],
                 i < 2 ? tag : "");
        int length = snprintf(text, sizeof text,
                              "GET /api/clips/%lld/strip HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                              "Authorization: Bearer %s\r\nIf-None-Match: %s\r\n\r\n",
                              (long long)id, b->port, b->token, known);
        OWNED(http_answer) got = wire_ask(b->port, text, (size_t)length, 10);
        if (got.status != (i < 3 ? 304 : 200)) fail_msg("%s: %d", known, got.status);
        if (i < 3) assert_int_equal(got.count, 0);
    }
}

/* ---- parts of an upload ---------------------------------------------------------------------- */

/* A body with its length; the name of the file may be long. */
static http_answer upload(const studio_bench *b, const char *body)
{
    size_t count;
    char head[64];
    FREED char *whole_text = NULL;
    snprintf(head, sizeof head, "%zu", strlen(body));
    FREED char *begin = studio_fill(b, UPLOAD("@"), &count);
    char *at = strchr(begin, '@');
    *at = 0;
    int length = asprintf(&whole_text, "%s%s%s%s", begin, head, at + 1, body);
    return wire_ask(b->port, whole_text, (size_t)length, 10);
}

TEST_OF(studio_bench *b, an_upload_is_parts_that_end_and_have_names)
{
    static const struct {
        const char *body;
        int status;
        const char *says;
    } rows[] = {
        { FILE_PART "--edge--\r\n", 202, NULL },
        { FIELD FILE_PART "--edge--\r\n", 202, NULL },
        { FILE_PART FIELD "--edge--\r\n", 202, NULL },
        { FILE_PART FIELD FILE_PART "--edge--\r\n", 202, NULL },
        { FILE_PART "--ed", 400, NULL },
        { "no parts at all, and longer than the edge between them would be", 400, NULL },
        { "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\\\"\r\n\r\nx\r\n"
          "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"..\"\r\n\r\nx\r\n"
          "--edge--\r\n",
          400, "no usable name" },
        { "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"..\"\r\n\r\nx\r\n" FIELD
          "--edge--\r\n",
          400, "no usable name" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(http_answer) got = upload(b, rows[i].body);
        if (got.status != rows[i].status) fail_msg("row %zu: %d %s", i, got.status, got.body);
        if (rows[i].says) assert_non_null(strstr(got.body, rows[i].says));
        if (got.status == 202)
            studio_job_wait(b, whole(json_hold_text(got.body, got.count), "job"));
    }
    for (size_t length = 1023; length <= 1024; length++) {
        FREED char *name = malloc(length + 1), *body = NULL;
        memset(name, 'a', length);
        name[length] = 0;
        assert_true(asprintf(&body,
                             "--edge\r\nContent-Disposition: form-data; name=\"f\"; "
                             "filename=\"%s\"\r\n\r\nx\r\n--edge--\r\n",
                             name) > 0);
        OWNED(http_answer) got = upload(b, body);
        assert_int_equal(got.status, length == 1023 ? 202 : 400);
        if (got.status == 400) assert_non_null(strstr(got.body, "longer than 1023 bytes"));
        if (got.status == 202)
            studio_job_wait(b, whole(json_hold_text(got.body, got.count), "job"));
    }
}

TEST_GROUP_OF_CASES(test_studio_carrier, open_failing, close_failing)
