/* react_wire.h - a client's side of characters that react: what it says, and the one message that
   comes back for each step, as bytes and taken apart. Read after puppet_studio.h. */
#ifndef MAREY_TEST_REACT_WIRE_H
#define MAREY_TEST_REACT_WIRE_H

#include "puppet_studio.h"

enum { REACT_MESSAGE = 512, REACT_HEADER = 16, REACT_ENTRY = 44 };

static inline json_t *react(http_wire *wire, int number_of, const char *puppet, const char *more)
{
    say(wire, "{'type': 'react', 'react': %d, 'puppet': '%s', 'main': [0,0,0]%s}", number_of,
        puppet, more);
    return hear(wire, "react");
}

/* An error about this number, or about none: -1. */
static inline void refused(http_wire *wire, const char *text, int number_of, const char *says)
{
    say(wire, "%s", text);
    const json_t *error = hear(wire, "error"), *about = json_object_get(error, "react");
    if (!strstr(word(error, "message"), says))
        fail_msg("%s: \"%s\" does not say %s", text, word(error, "message"), says);
    assert_int_equal(about ? json_integer_value(about) : -1, number_of);
}

/* It does not react, and the error says so much. */
static inline void react_refused(http_wire *wire, int number_of, const char *puppet,
                                 const char *says)
{
    char text[128];
    snprintf(text, sizeof text, "{'type': 'react', 'react': %d, 'puppet': '%s', 'main': [0,0,0]}",
             number_of, puppet);
    refused(wire, text, number_of, says);
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct main_place {
    double time_s, x, y, dir;
} main_place;

static inline void say_main(http_wire *wire, const main_place *places, int count)
{
    char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"type\": \"main\", \"at\": [");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%.17g,%.17g,%.17g,%.17g]",
                                 i > 0 ? "," : "", places[i].time_s, places[i].x, places[i].y,
                                 places[i].dir);
    snprintf(text + used, sizeof text - used, "]}");
    assert_true(ws_say(wire, text));
}

/* The answer to one of these; free() its bytes. */
static inline ws_frame hear_steps(http_wire *wire)
{
    for (;;) {
        ws_frame frame = ws_read(wire, 30);
        if (frame.kind == WS_BINARY) return frame;
        if (frame.kind == WS_TEXT && strstr((const char *)frame.bytes, "\"type\":\"error\""))
            fail_msg("%s", (const char *)frame.bytes);
        free(frame.bytes);
        if (frame.kind < 0) fail_msg("no answer to a step");
    }
}

static inline ws_frame go_on(http_wire *wire, const main_place *places, int count)
{
    say_main(wire, places, count);
    return hear_steps(wire);
}

/* ---- as bytes, by the judge ------------------------------------------------------------------ */

static inline void put_word(uint8_t **to, uint32_t value)
{
    for (int i = 0; i < 4; i++) *(*to)++ = (uint8_t)(value >> (8 * i));
}

static inline void put_float(uint8_t **to, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_word(to, bits);
}

static inline void put_head(uint8_t **to, uint32_t count, double time_s)
{
    uint64_t bits;
    memcpy(&bits, &time_s, sizeof bits);
    put_word(to, REACT_MESSAGE);
    put_word(to, count);
    put_word(to, (uint32_t)bits);
    put_word(to, (uint32_t)(bits >> 32));
}

/* A character without a body. */
static inline void put_frame(uint8_t **to, int number, const marey_puppet_frame *frame)
{
    put_word(to, (uint32_t)number);
    put_word(to, (uint32_t)frame->run);
    put_float(to, frame->time_s);
    put_word(to, frame->coherent);
    put_float(to, frame->react.x_cm);
    put_float(to, frame->react.y_cm);
    put_float(to, frame->react.direction_rad);
    put_float(to, frame->weight);
    put_float(to, frame->balance);
    put_float(to, 0);
    put_word(to, 0);
}

#endif
