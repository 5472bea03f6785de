/* http_client.h - a raw HTTP/1.1 and WebSocket client for tests: it sends exactly the bytes it is
   given, right or wrong, and reads what comes back by the letter of RFC 9112 and RFC 6455. Shares
   no code with the server: it is the judge of it. */
#ifndef MAREY_TEST_HTTP_CLIENT_H
#define MAREY_TEST_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "owned.h"

/* ---- one connection -------------------------------------------------------------------------- */

typedef struct http_wire {
    int socket;
    bool ended;    /* the server closed it */
    bool bodyless; /* the next answer has no body whatever its headers say: to HEAD */
    char *held;    /* came, and not read yet */
    size_t count, room;
} http_wire;

double wire_now(void);                     /* seconds on a clock that only goes forward */
void wire_open(http_wire *wire, int port); /* to 127.0.0.1; fails the test if no server listens */
http_wire wire_to(int port);               /* the same */
bool wire_try_open(http_wire *wire, int port);
void wire_close(http_wire *wire);
OWNED_VALUE(http_wire, wire_close)
void wire_abort(http_wire *wire); /* closes by RST, as a program that crashed */

/* False: the server closed meanwhile, or took nothing for 10 s. */
bool wire_send(http_wire *wire, const void *bytes, size_t count);
bool wire_say(http_wire *wire, const char *text);

/* True once at least `least` bytes are held; false at the deadline or the end. */
bool wire_fill(http_wire *wire, size_t least, double deadline);

/* Reads and drops until the server closes; false if it did not in time. *more: how many bytes came
   (may be NULL). */
bool wire_drain(http_wire *wire, double seconds, size_t *more);

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct http_answer {
    int status;     /* 0: none came */
    bool whole;     /* with its body, as long as its headers say */
    char *head;     /* status line and headers, with a zero behind */
    char *body;     /* chunks joined, with a zero behind */
    size_t count;   /* of body */
    double seconds; /* until it was whole */
} http_answer;

http_answer wire_read(http_wire *wire, double seconds);
void wire_free(http_answer *answer);
OWNED_VALUE(http_answer, wire_free)

/* How often a header came; the last one's value is written (cut to room) if value is not NULL. */
int wire_header(const http_answer *answer, const char *name, char *value, size_t room);

/* One connection for one request. */
http_answer wire_ask(int port, const void *bytes, size_t count, double seconds);

/* ---- WebSocket ------------------------------------------------------------------------------- */

enum { WS_MORE = 0, WS_TEXT = 1, WS_BINARY = 2, WS_CLOSE = 8, WS_PING = 9, WS_PONG = 10 };
enum { WS_TIME_OUT = -1, WS_ENDED = -2 };

typedef struct ws_frame {
    int kind; /* of WS_*; or WS_TIME_OUT, WS_ENDED */
    bool last;
    uint8_t *bytes; /* with a zero behind; owned by the frame */
    size_t count;
} ws_frame;

static inline void ws_frame_free(ws_frame *frame)
{
    free(frame->bytes);
}
OWNED_VALUE(ws_frame, ws_frame_free)

/* Whole frames as a client must send them: masked. `first` is the whole first byte: 0x80 | kind for
   an only frame. */
bool ws_send(http_wire *wire, int first, const void *bytes, size_t count);
bool ws_say(http_wire *wire, const char *text);
ws_frame ws_read(http_wire *wire, double seconds);

#endif
