/* live_wire.h - a client's side of the studio's WebSocket, for tests of those who are steered and those who react: says things,
   waits for an answer of a type, reads numbers out of JSON and bytes. Read after studio_bench.h. */
#ifndef MAREY_TEST_LIVE_WIRE_H
#define MAREY_TEST_LIVE_WIRE_H

#include "studio_bench.h"

#include "json_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON --------------------------------------------------------------------------------------- */

/* A body, with ' for ". free() it. */
static inline char *quoted(const char *text)
{
    char *out = strdup(text);
    assert_non_null(out);
    for (char *c = out; *c; c++)
        if (*c == '\'') *c = '"';
    return out;
}

/* ---- messages ----------------------------------------------------------------------------------- */

static inline void say(http_wire *wire, const char *text)
{
    char *body = quoted(text);
    assert_true(ws_say(wire, body));
    free(body);
}

/* The next text; an error that nobody waits for fails the test. json_decref it. */
static inline json_t *hear(http_wire *wire, const char *type)
{
    for (double end = wire_now() + 30; wire_now() < end;) {
        ws_frame frame = ws_read(wire, end - wire_now());
        json_t *told = frame.kind == WS_TEXT
                           ? json_loadb((const char *)frame.bytes, frame.count, 0, NULL)
                           : NULL;
        free(frame.bytes);
        if (frame.kind < 0) break;
        if (told && strcmp(word(told, "type"), type) == 0) return told;
        if (told && strcmp(word(told, "type"), "error") == 0)
            fail_msg("in place of %s: %s", type, word(told, "message"));
        json_decref(told);
    }
    fail_msg("no message of the type %s", type);
    return NULL;
}

/* ---- bytes -------------------------------------------------------------------------------------- */

static inline uint32_t word_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline double float_at(const uint8_t *at)
{
    uint32_t bits = word_at(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

#endif
