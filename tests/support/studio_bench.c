/* studio_bench.c - see studio_bench.h. */
#include "studio_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const bench_names[BENCH_CLIPS] = { "run", "walk", "wave" };
const int bench_frames[BENCH_CLIPS] = { 120, 60, 240 };

/* Cairo keeps freed contexts and patterns in small pools that threads share by atomic exchanges.
   The distribution's library is not built for ThreadSanitizer, which therefore sees the memory go
   from thread to thread but not how. */
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

/* ---- the library and the studio -------------------------------------------------------------- */

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
    json_drop_held();
    test_folder_remove(b->folder);
}

int studio_bench_set_up_with(void **state, const studio_def *def)
{
    static studio_bench bench;
    studio_bench_open(&bench, def);
    *state = &bench;
    return 0;
}

int studio_bench_set_up(void **state)
{
    return studio_bench_set_up_with(state, NULL);
}

int studio_bench_tear_down(void **state)
{
    studio_bench_close(*state);
    return 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

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
    OWNED(http_answer) answer = studio_ask(b, target, body);
    if (answer.status != status) {
        fail_msg("%s %.1000s: %d in place of %d: %.300s", target, body ? body : "", answer.status,
                 status, answer.body ? answer.body : "");
    }
    return json_hold_text(answer.body, answer.count);
}

#define FILL(text, format)                                                                         \
    FREED char *text = NULL;                                                                       \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    assert_true(vasprintf(&text, format, values) >= 0);                                            \
    va_end(values)

json_t *studio_get(const studio_bench *b, int status, const char *format, ...)
{
    FILL(target, format);
    return studio_json(b, target, NULL, status);
}

json_t *studio_post(const studio_bench *b, int status, const char *target, const char *format, ...)
{
    FILL(body, format);
    json_quote(body);
    return studio_json(b, target, body, status);
}

json_t *studio_done(const studio_bench *b, const char *target, const char *format, ...)
{
    FILL(body, format);
    const json_t *over = studio_job_wait(b, whole(studio_post(b, 202, target, "%s", body), "job"));
    if (strcmp(word(over, "state"), "done") != 0)
        fail_msg("%.1000s: %s: %s", body, word(over, "state"),
                 word(json_object_get(over, "error"), "message"));
    return json_object_get(over, "result");
}

void post_refused(const studio_bench *b, const char *target, const char *body, int status,
                  const char *says)
{
    const json_t *got =
        body ? studio_post(b, status, target, "%s", body) : studio_json(b, target, NULL, status);
    const char *message = word(json_object_get(got, "error"), "message");
    if (!strstr(message, says)) fail_msg("%s: \"%s\" does not say %s", target, message, says);
}

void job_refused(const studio_bench *b, const char *target, const char *body, const char *status,
                 const char *says)
{
    const json_t *over = studio_job_wait(b, whole(studio_post(b, 202, target, "%s", body), "job"));
    const json_t *error = json_object_get(over, "error");
    if (strcmp(word(over, "state"), "failed") != 0 || strcmp(word(error, "status"), status) != 0 ||
        !strstr(word(error, "message"), says))
        fail_msg("%s: %s, %s: \"%s\" does not say %s", body, word(over, "state"),
                 word(error, "status"), word(error, "message"), says);
}

json_t *studio_job_wait(const studio_bench *b, int64_t job)
{
    char target[64];
    snprintf(target, sizeof target, "/api/jobs/%lld", (long long)job);
    for (double end = wire_now() + 60; wire_now() < end; usleep(5000)) {
        json_t *now = studio_json(b, target, NULL, 200);
        const char *state = word(now, "state");
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) return now;
    }
    fail_msg("job %lld is not over after a minute", (long long)job);
    return NULL;
}

/* ---- dropped files --------------------------------------------------------------------------- */

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
    OWNED(http_wire) wire = wire_to(b->port);
    assert_true(studio_upload_head(&wire, b, of->count));
    assert_true(wire_send(&wire, of->text, of->count));
    OWNED(http_answer) answer = wire_read(&wire, 60);
    if (answer.status != 202) fail_msg("import: %d: %.300s", answer.status, answer.body);
    return whole(json_hold_text(answer.body, answer.count), "job");
}

int64_t studio_import(const studio_bench *b, int files, int frames)
{
    OWNED(studio_upload) all = { 0 };
    for (int i = 0; i < files; i++) {
        FREED char *person = test_person(frames + i);
        char name[32];
        snprintf(name, sizeof name, "take-%03d.bvh", i);
        studio_upload_add(&all, name, person);
    }
    studio_upload_end(&all);
    return studio_upload_send(b, &all);
}

/* ---- WebSocket ------------------------------------------------------------------------------- */

http_wire studio_live(const studio_bench *b)
{
    http_wire wire;
    size_t count;
    char *text = studio_fill(b,
                             "GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                             "Origin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
                             "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                             &count);
    wire_open(&wire, b->port);
    assert_true(wire_send(&wire, text, count));
    free(text);
    http_answer answer = wire_read(&wire, 10);
    if (answer.status != 101) {
        fail_msg("no WebSocket: %d %.200s", answer.status, answer.body ? answer.body : "");
    }
    wire_free(&answer);
    const json_t *hello = studio_hear(&wire, "hello", 10);
    assert_string_equal(word(hello, "version"), marey_version());
    return wire;
}

json_t *studio_hear(http_wire *wire, const char *type, double seconds)
{
    double deadline = wire_now() + seconds;
    for (;;) {
        double left = deadline - wire_now();
        OWNED(ws_frame) frame = ws_read(wire, left > 0 ? left : 0);
        if (frame.kind < 0) return NULL;
        if (frame.kind != WS_TEXT) continue;
        json_t *value = json_hold_text((const char *)frame.bytes, frame.count);
        if (strcmp(word(value, "type"), type) == 0) return value;
    }
}
