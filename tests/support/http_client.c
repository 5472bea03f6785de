/* http_client.c - see http_client.h. */
#include "http_client.h"

#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double wire_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one connection -------------------------------------------------------------------------- */

bool wire_try_open(http_wire *wire, int port)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    *wire = (http_wire){ .socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    if (wire->socket < 0) return false;
    if (connect(wire->socket, (struct sockaddr *)&to, sizeof to) == 0) return true;
    close(wire->socket);
    wire->socket = -1;
    return false;
}

void wire_open(http_wire *wire, int port)
{
    if (!wire_try_open(wire, port))
        fail_msg("no server listens on port %d: %s", port, strerror(errno));
}

http_wire wire_to(int port)
{
    http_wire wire;
    wire_open(&wire, port);
    return wire;
}

void wire_close(http_wire *wire)
{
    if (wire->socket >= 0) close(wire->socket);
    free(wire->held);
    *wire = (http_wire){ .socket = -1 };
}

void wire_abort(http_wire *wire)
{
    struct linger now = { .l_onoff = 1 };
    setsockopt(wire->socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    wire_close(wire);
}

bool wire_send(http_wire *wire, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        struct pollfd ready = { .fd = wire->socket, .events = POLLOUT };
        if (poll(&ready, 1, 10000) <= 0) return false;
        ssize_t sent = send(wire->socket, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (sent < 0) return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool wire_say(http_wire *wire, const char *text)
{
    return wire_send(wire, text, strlen(text));
}

/* Waits for bytes until the deadline and takes what there is; false if nothing more will come by
   then. */
static bool take_some(http_wire *wire, double deadline)
{
    double left = deadline - wire_now();
    struct pollfd ready = { .fd = wire->socket, .events = POLLIN };
    if (wire->ended || left < 0) return false;
    int found = poll(&ready, 1, (int)(left * 1000) + 1);
    if (found < 0 && errno == EINTR) return true;
    if (found <= 0) return false;
    if (wire->room - wire->count < 65536) {
        wire->room = 2 * wire->room + 131072;
        wire->held = realloc(wire->held, wire->room);
        assert_non_null(wire->held);
    }
    ssize_t got = recv(wire->socket, wire->held + wire->count, wire->room - wire->count, 0);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) {
        wire->ended = true;
        return false;
    }
    wire->count += (size_t)got;
    return true;
}

bool wire_fill(http_wire *wire, size_t least, double deadline)
{
    while (wire->count < least) {
        if (!take_some(wire, deadline)) return wire->count >= least;
    }
    return true;
}

static void drop_first(http_wire *wire, size_t count)
{
    assert_true(count <= wire->count);
    if (wire->count > count) memmove(wire->held, wire->held + count, wire->count - count);
    wire->count -= count;
}

bool wire_drain(http_wire *wire, double seconds, size_t *more)
{
    double deadline = wire_now() + seconds;
    size_t sum = 0;
    do {
        sum += wire->count;
        wire->count = 0;
    } while (take_some(wire, deadline));
    if (more) *more = sum;
    return wire->ended;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Where the head ends, behind its empty line; 0 if it is not whole. */
static size_t head_end(const http_wire *wire)
{
    const char *end = wire->count ? memmem(wire->held, wire->count, "\r\n\r\n", 4) : NULL;
    return end ? (size_t)(end - wire->held) + 4 : 0;
}

static char *copy_text(const char *bytes, size_t count)
{
    char *copy = malloc(count + 1);
    assert_non_null(copy);
    if (count) memcpy(copy, bytes, count);
    copy[count] = 0;
    return copy;
}

static void add_body(http_answer *to, http_wire *from, size_t count)
{
    to->body = realloc(to->body, to->count + count + 1);
    assert_non_null(to->body);
    if (count) memcpy(to->body + to->count, from->held, count);
    to->count += count;
    to->body[to->count] = 0;
    drop_first(from, count);
}

/* One line behind what was read; its length with the line end, or 0. */
static size_t line_length(http_wire *wire, double deadline)
{
    for (;;) {
        const char *end = wire->count ? memmem(wire->held, wire->count, "\r\n", 2) : NULL;
        if (end) return (size_t)(end - wire->held) + 2;
        if (!take_some(wire, deadline)) return 0;
    }
}

static bool read_chunks(http_wire *wire, http_answer *to, double deadline)
{
    for (;;) {
        size_t length = line_length(wire, deadline);
        if (!length) return false;
        size_t count = strtoul(wire->held, NULL, 16);
        drop_first(wire, length);
        if (!count) break;
        if (!wire_fill(wire, count + 2, deadline)) return false;
        add_body(to, wire, count);
        if (memcmp(wire->held, "\r\n", 2) != 0) return false;
        drop_first(wire, 2);
    }
    for (;;) { /* trailers, then an empty line */
        size_t length = line_length(wire, deadline);
        if (!length) return false;
        drop_first(wire, length);
        if (length == 2) return true;
    }
}

static bool read_body(http_wire *wire, http_answer *to, double deadline)
{
    char value[64];
    if (to->status < 200 || to->status == 204 || to->status == 304 || wire->bodyless) {
        add_body(to, wire, 0);
        return true;
    }
    if (wire_header(to, "Transfer-Encoding", value, sizeof value)) {
        return strcasecmp(value, "chunked") == 0 && read_chunks(wire, to, deadline);
    }
    if (wire_header(to, "Content-Length", value, sizeof value)) {
        size_t count = strtoul(value, NULL, 10);
        bool whole = wire_fill(wire, count, deadline);
        add_body(to, wire, whole ? count : wire->count);
        return whole;
    }
    while (take_some(wire, deadline)) continue;
    add_body(to, wire, wire->count);
    return wire->ended;
}

http_answer wire_read(http_wire *wire, double seconds)
{
    http_answer answer = { 0 };
    double start = wire_now(), deadline = start + seconds;
    size_t end;
    while (!(end = head_end(wire))) {
        if (!take_some(wire, deadline)) return answer;
    }
    answer.head = copy_text(wire->held, end);
    drop_first(wire, end);
    if (strncmp(answer.head, "HTTP/1.", 7) != 0) fail_msg("no status line: %.60s", answer.head);
    answer.status = atoi(answer.head + 9);
    answer.whole = read_body(wire, &answer, deadline);
    answer.seconds = wire_now() - start;
    return answer;
}

void wire_free(http_answer *answer)
{
    free(answer->head);
    free(answer->body);
    *answer = (http_answer){ 0 };
}

int wire_header(const http_answer *answer, const char *name, char *value, size_t room)
{
    size_t length = strlen(name);
    int found = 0;
    const char *line = answer->head ? strstr(answer->head, "\r\n") : NULL;
    for (; line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) != 0 || line[2 + length] != ':') continue;
        const char *from = line + 2 + length + 1, *to = strstr(from, "\r\n");
        while (*from == ' ' || *from == '\t') from++;
        if (value) snprintf(value, room, "%.*s", to ? (int)(to - from) : 0, from);
        found++;
    }
    return found;
}

http_answer wire_ask(int port, const void *bytes, size_t count, double seconds)
{
    http_wire wire;
    wire_open(&wire, port);
    wire_send(&wire, bytes,
              count); /* a server that refuses early may close before it is all sent */
    http_answer answer = wire_read(&wire, seconds);
    wire_close(&wire);
    return answer;
}

/* ---- WebSocket ------------------------------------------------------------------------------- */

bool ws_send(http_wire *wire, int first, const void *bytes, size_t count)
{
    static const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    uint8_t head[14] = { (uint8_t)first };
    size_t length = 2;
    if (count < 126) {
        head[1] = (uint8_t)(0x80 | count);
    } else if (count < 65536) {
        head[1] = 0x80 | 126;
        for (int i = 0; i < 2; i++) head[length++] = (uint8_t)(count >> (8 * (1 - i)));
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++) head[length++] = (uint8_t)((uint64_t)count >> (8 * (7 - i)));
    }
    memcpy(head + length, mask, 4);
    length += 4;
    uint8_t *all = malloc(length + count);
    assert_non_null(all);
    memcpy(all, head, length);
    for (size_t i = 0; i < count; i++) {
        all[length + i] = (uint8_t)(((const uint8_t *)bytes)[i] ^ mask[i % 4]);
    }
    bool sent = wire_send(wire, all, length + count);
    free(all);
    return sent;
}

bool ws_say(http_wire *wire, const char *text)
{
    return ws_send(wire, 0x80 | WS_TEXT, text, strlen(text));
}

ws_frame ws_read(http_wire *wire, double seconds)
{
    ws_frame none = { .kind = WS_TIME_OUT };
    double deadline = wire_now() + seconds;
    size_t head = 2, count = 0;
    if (!wire_fill(wire, 2, deadline)) goto not_whole;
    const uint8_t *at = (const uint8_t *)wire->held;
    int size = at[1] & 127, more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (at[1] & 0x80) fail_msg("the server masked a frame");
    head += (size_t)more;
    if (!wire_fill(wire, head, deadline)) goto not_whole;
    at = (const uint8_t *)wire->held;
    for (int i = 0; i < more; i++) count = count << 8 | at[2 + i];
    if (!more) count = (size_t)size;
    if (!wire_fill(wire, head + count, deadline)) goto not_whole;
    at = (const uint8_t *)wire->held;
    ws_frame frame = { .kind = at[0] & 15, .last = at[0] >> 7, .count = count };
    frame.bytes = (uint8_t *)copy_text(wire->held + head, count);
    drop_first(wire, head + count);
    return frame;
not_whole:
    if (wire->ended) none.kind = WS_ENDED;
    return none;
}
