/* studio_bench.c - see studio_bench.h. */
#include "studio_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const bench_names[BENCH_CLIPS] = { "run", "walk", "wave" };
const int bench_frames[BENCH_CLIPS] = { 120, 60, 240 };

/* Cairo keeps freed contexts and patterns in small pools that threads share by atomic exchanges. The distribution's
   library is not built for ThreadSanitizer, which therefore sees the memory go from thread to thread but not how. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
const char *__tsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libcairo.so.2\n"
           "called_from_lib:libfreetype.so.6\n"
           "called_from_lib:libfontconfig.so.1\n"
           "called_from_lib:libpixman-1.so.0\n";
}
#endif
#endif

/* ---- the library and the studio ----------------------------------------------------------------- */

void studio_bench_library(studio_bench *b)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_listing *listing;
    marey_error error = { 0 };
    int count;
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->path, sizeof b->path, "%s/moves.marey", b->folder);
    snprintf(b->canary, sizeof b->canary, "%s/canary.bvh", b->folder);
    test_file_write(b->canary, BENCH_CANARY, strlen(BENCH_CANARY));
    assert_int_equal(marey_library_open(ctx, b->path, MAREY_LIBRARY_CREATE, &library, &error), 0);
    for (int i = 0; i < BENCH_CLIPS; i++) {
        char *text = test_person(bench_frames[i]);
        marey_clip *clip = test_clip(ctx, text);
        free(text);
        assert_int_equal(marey_library_put(library, clip, bench_names[i], NULL, NULL, 0, &error),
                         0);
        marey_clip_free(clip);
    }
    assert_int_equal(marey_library_list(library, NULL, &listing, &error), 0);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    assert_int_equal(count, BENCH_CLIPS);
    for (int i = 0; i < count; i++) {
        assert_string_equal(entries[i].name, bench_names[i]); /* the list is sorted by name */
        b->ids[i] = entries[i].id;
    }
    marey_listing_free(listing);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

/* The cookie that the page gets for its link. */
static void find_cookie(studio_bench *b)
{
    http_answer answer;
    char text[256], value[256];
    int length =
        snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                 b->token, b->port);
    answer = wire_ask(b->port, text, (size_t)length, 10);
    if (wire_header(&answer, "Set-Cookie", value, sizeof value)) {
        value[strcspn(value, ";")] = 0;
        snprintf(b->cookie, sizeof b->cookie, "%.120s", value);
    }
    wire_free(&answer);
}

void studio_bench_start(studio_bench *b, const studio_def *def)
{
    studio_def with = def ? *def : (studio_def){ 0 };
    marey_error error = { 0 };
    with.library_path = b->path;
    if (!with.threads) with.threads = 1;
    if (studio_open(&with, &b->host, &error)) fail_msg("no studio: %s", error.message);
    b->port = studio_port(b->host);
    snprintf(b->token, sizeof b->token, "%s", studio_token(b->host));
    find_cookie(b);
}

void studio_bench_open(studio_bench *b, const studio_def *def)
{
    *b = (studio_bench){ 0 };
    studio_bench_library(b);
    studio_bench_start(b, def);
}

void studio_bench_close(studio_bench *b)
{
    studio_close(b->host);
    b->host = NULL;
    test_folder_remove(b->folder);
}

/* ---- requests ---------------------------------------------------------------------------------- */

static size_t fill_name(const studio_bench *b, const char *at, FILE *out)
{
    char id[32], port[16];
    snprintf(id, sizeof id, "%lld", (long long)b->ids[0]);
    snprintf(port, sizeof port, "%d", b->port);
    const struct {
        const char *name, *value;
    } places[] = {
        { "{port}", port }, { "{token}", b->token }, { "{cookie}", b->cookie }, { "{id}", id }
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t length = strlen(places[i].name);
        if (strncmp(at, places[i].name, length) != 0) continue;
        fputs(places[i].value, out);
        return length;
    }
    if (strncmp(at, "{nul}", 5) != 0) return 0;
    fputc(0, out);
    return 5;
}

char *studio_fill(const studio_bench *b, const char *pattern, size_t *count)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, count);
    assert_non_null(out);
    while (*pattern) {
        size_t taken = *pattern == '{' ? fill_name(b, pattern, out) : 0;
        if (!taken) fputc(*pattern++, out);
        pattern += taken;
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

bool studio_send(http_wire *wire, const studio_bench *b, const char *target, const char *body)
{
    char *text;
    int length =
        body ? asprintf(&text,
                        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        target, b->port, b->token, strlen(body), body)
             : asprintf(&text,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n",
                        target, b->port, b->token);
    assert_true(length > 0);
    bool sent = wire_send(wire, text, (size_t)length);
    free(text);
    return sent;
}

http_answer studio_ask(const studio_bench *b, const char *target, const char *body)
{
    http_wire wire;
    wire_open(&wire, b->port);
    studio_send(&wire, b, target, body);
    http_answer answer = wire_read(&wire, 60);
    wire_close(&wire);
    return answer;
}

json_t *studio_json(const studio_bench *b, const char *target, const char *body, int status)
{
    http_answer answer = studio_ask(b, target, body);
    json_error_t error;
    if (answer.status != status) {
        fail_msg("%s %s: %d in place of %d: %.300s", target, body ? body : "", answer.status,
                 status, answer.body ? answer.body : "");
    }
    json_t *value = json_loadb(answer.body, answer.count, JSON_REJECT_DUPLICATES, &error);
    if (!value) fail_msg("%s: no JSON: %s: %.200s", target, error.text, answer.body);
    wire_free(&answer);
    return value;
}

json_t *studio_job_wait(const studio_bench *b, int64_t job)
{
    char target[64];
    snprintf(target, sizeof target, "/api/jobs/%lld", (long long)job);
    for (double end = wire_now() + 60; wire_now() < end; usleep(20000)) {
        json_t *now = studio_json(b, target, NULL, 200);
        const char *state = json_string_value(json_object_get(now, "state"));
        assert_non_null(state);
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) return now;
        json_decref(now);
    }
    fail_msg("job %lld is not over after a minute", (long long)job);
    return NULL;
}

/* ---- dropped files ----------------------------------------------------------------------------- */

void studio_upload_add(studio_upload *to, const char *name, const char *bytes)
{
    char *part;
    int count = asprintf(&part,
                         "--edge\r\nContent-Disposition: form-data; name=\"files\"; "
                         "filename=\"%s\"\r\nContent-Type: application/octet-stream\r\n\r\n%s\r\n",
                         name, bytes);
    assert_true(count > 0);
    to->text = realloc(to->text, to->count + (size_t)count + 1);
    assert_non_null(to->text);
    memcpy(to->text + to->count, part, (size_t)count + 1);
    to->count += (size_t)count;
    free(part);
}

void studio_upload_end(studio_upload *to)
{
    static const char end[] = "--edge--\r\n";
    to->text = realloc(to->text, to->count + sizeof end);
    assert_non_null(to->text);
    memcpy(to->text + to->count, end, sizeof end);
    to->count += sizeof end - 1;
}

bool studio_upload_head(http_wire *wire, const studio_bench *b, size_t announced)
{
    char head[512];
    int length = snprintf(head, sizeof head,
                          "POST /api/import HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                          "Authorization: Bearer %s\r\nContent-Length: %zu\r\n"
                          "Content-Type: multipart/form-data; boundary=edge\r\n\r\n",
                          b->port, b->token, announced);
    return wire_send(wire, head, (size_t)length);
}

int64_t studio_upload_send(const studio_bench *b, const studio_upload *of)
{
    http_wire wire;
    wire_open(&wire, b->port);
    assert_true(studio_upload_head(&wire, b, of->count));
    assert_true(wire_send(&wire, of->text, of->count));
    http_answer answer = wire_read(&wire, 60);
    wire_close(&wire);
    if (answer.status != 202) fail_msg("import: %d: %.300s", answer.status, answer.body);
    json_t *value = json_loadb(answer.body, answer.count, 0, NULL);
    assert_non_null(value);
    int64_t job = json_integer_value(json_object_get(value, "job"));
    json_decref(value);
    wire_free(&answer);
    return job;
}

/* ---- WebSocket --------------------------------------------------------------------------------- */

void studio_live(http_wire *wire, const studio_bench *b)
{
    size_t count;
    char *text = studio_fill(b,
                             "GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                             "Origin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
                             "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                             &count);
    wire_open(wire, b->port);
    assert_true(wire_send(wire, text, count));
    free(text);
    http_answer answer = wire_read(wire, 10);
    if (answer.status != 101) {
        fail_msg("no WebSocket: %d %.200s", answer.status, answer.body ? answer.body : "");
    }
    wire_free(&answer);
    json_t *hello = studio_hear(wire, "hello", 10);
    assert_non_null(hello);
    assert_string_equal(json_string_value(json_object_get(hello, "version")), marey_version());
    json_decref(hello);
}

json_t *studio_hear(http_wire *wire, const char *type, double seconds)
{
    double deadline = wire_now() + seconds;
    for (;;) {
        double left = deadline - wire_now();
        ws_frame frame = ws_read(wire, left > 0 ? left : 0);
        if (frame.kind < 0) return NULL;
        json_t *value = frame.kind == WS_TEXT
                            ? json_loadb((const char *)frame.bytes, frame.count, 0, NULL)
                            : NULL;
        if (frame.kind == WS_TEXT && !value) fail_msg("no JSON: %.200s", (const char *)frame.bytes);
        free(frame.bytes);
        const char *is = json_string_value(json_object_get(value, "type"));
        if (is && strcmp(is, type) == 0) return value;
        json_decref(value);
    }
}
