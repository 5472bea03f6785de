/* studio_rows.c - see studio_rows.h. */
#include "studio_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* A header whose name begins with this. */
static bool has_header_like(const http_answer *answer, const char *beginning)
{
    const char *line = strstr(answer->head, "\r\n");
    for (; line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, beginning, strlen(beginning)) == 0) return true;
    }
    return false;
}

const char *studio_head_fault(const http_answer *answer)
{
    char value[1024];
    if (has_header_like(answer, "Access-Control-")) return "a CORS header";
    if (answer->status == 101) return NULL;
    if (wire_header(answer, "X-Content-Type-Options", value, sizeof value) != 1 ||
        strcmp(value, "nosniff") != 0) {
        return "no nosniff";
    }
    if (wire_header(answer, "Content-Security-Policy", value, sizeof value) != 1 ||
        (!strstr(value, "default-src 'self'") && !strstr(value, "default-src 'none'"))) {
        return "no Content-Security-Policy that begins with nothing or 'self'";
    }
    if (strstr(value, "unsafe-eval")) return "a Content-Security-Policy that lets text run";
    if (wire_header(answer, "Cross-Origin-Resource-Policy", value, sizeof value) != 1 ||
        strcmp(value, "same-origin") != 0) {
        return "other origins may embed it";
    }
    if (wire_header(answer, "Referrer-Policy", value, sizeof value) != 1 ||
        strcmp(value, "no-referrer") != 0) {
        return "the address, and the token in it, may be sent to others";
    }
    if (wire_header(answer, "Cross-Origin-Opener-Policy", value, sizeof value) != 1 ||
        strcmp(value, "same-origin") != 0) {
        return "other origins may hold on to its window";
    }
    if (wire_header(answer, "Cache-Control", value, sizeof value) != 1 ||
        (strcmp(value, "no-store") != 0 && !strstr(value, "no-cache"))) {
        return "it may be kept and shown without asking again";
    }
    if (wire_header(answer, "WWW-Authenticate", NULL, 0) != (answer->status == 401)) {
        return "401 says how to be let in, and nothing else does";
    }
    return NULL;
}

static bool is_expected(int status, const int expect[3])
{
    for (int i = 0; i < 3; i++) {
        if (expect[i] && expect[i] == (status ? status : CUT_OFF)) return true;
    }
    return false;
}

/* Our own answers have all headers. What is no request at all libmicrohttpd refuses before it calls
   us: by a page that has none of them, and nothing of ours, and always ends the connection. */
static bool is_carriers(const http_answer *answer)
{
    return answer->status >= 400 && wire_header(answer, "X-Content-Type-Options", NULL, 0) == 0;
}

/* libmicrohttpd 0.9.75 sends the head of such a page twice, and counts the second as part of the
   page: the page then ends as many bytes later. */
static size_t repeated_head(const http_answer *answer)
{
    size_t length = strlen(answer->head);
    bool twice = is_carriers(answer) && answer->count >= length &&
                 memcmp(answer->body, answer->head, length) == 0;
    return twice ? length : 0;
}

static const char *answer_fault(const http_answer *answer)
{
    if (answer->body && memmem(answer->body, answer->count, BENCH_CANARY, strlen(BENCH_CANARY))) {
        return "the canary";
    }
    if (!answer->whole) return "not whole";
    if (!is_carriers(answer)) return studio_head_fault(answer);
    if (answer->body[repeated_head(answer)] != '<') return "without the headers that all have";
    return has_header_like(answer, "Access-Control-") ? "a CORS header" : NULL;
}

bool studio_row_try(const studio_bench *b, const char *name, const char *bytes, size_t count,
                    const int expect[3])
{
    http_wire wire;
    size_t more = 0;
    const char *fault = NULL;
    wire_open(&wire, b->port);
    wire.bodyless = count > 5 && memcmp(bytes, "HEAD ", 5) == 0;
    wire_send(&wire, bytes, count);
    http_answer answer = wire_read(&wire, 8);
    if (answer.status && answer.status != 101) {
        fault = answer_fault(&answer);
        shutdown(wire.socket, SHUT_WR);
        if (!wire_drain(&wire, 8, &more)) fault = "open although nothing more can come";
        if (more != repeated_head(&answer)) fault = "a second answer, or bytes behind the first";
    } else if (!answer.status && !wire.ended) {
        fault = "neither an answer nor closed";
    }
    bool good = is_expected(answer.status, expect);
    if (!good || fault) {
        print_message("wrong: %s: %d in place of %d %d %d; %s; %.120s\n", name, answer.status,
                      expect[0], expect[1], expect[2], fault ? fault : "otherwise fine",
                      answer.body ? answer.body : "");
    }
    wire_free(&answer);
    wire_close(&wire);
    return good && !fault;
}

void studio_rows_try(const studio_bench *b, const studio_row *rows, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        char *text = studio_fill(b, rows[i].text, &length);
        if (!studio_row_try(b, rows[i].name, text, length, rows[i].expect)) wrong++;
        free(text);
    }
    if (wrong) fail_msg("%d of %zu rows are not answered as they should be", wrong, count);
}

int64_t studio_version(const studio_bench *b)
{
    int64_t version = whole(studio_get(b, 200, "/api/clips"), "version");
    assert_true(version > 0);
    return version;
}
