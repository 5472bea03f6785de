/* live_wire.h - a client's side of the studio's WebSocket, for tests of steered and reacting
   characters: says things, waits for an answer of a type, reads numbers out of JSON and bytes. Read
   after studio_bench.h. */
#ifndef MAREY_TEST_LIVE_WIRE_H
#define MAREY_TEST_LIVE_WIRE_H

#include "in_process.h"
#include "studio_bench.h"

/* ---- a studio on takes of the demo ----------------------------------------------------------- */

/* With its graph `standard`, which has no policy so far. */
static inline int open_demo_bench(void **state)
{
    static studio_bench bench;
    char line[512];
    test_run run = test_run_make();
    bench = (studio_bench){ 0 };
    test_folder_make(bench.folder, sizeof bench.folder);
    snprintf(bench.path, sizeof bench.path, "%s/demo.marey", bench.folder);
    snprintf(line, sizeof line,
             "marey demo %s --take walk_straight --take walk_left --take turns --quiet",
             bench.folder);
    if (test_run_line(&run, line) != 0) fail_msg("%s", run.err.bytes);
    test_run_free(&run);
    studio_bench_start(&bench, NULL);
    *state = &bench;
    return 0;
}

static inline int close_bench(void **state)
{
    studio_bench_close(*state);
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A pattern as printf has it, with ' for ". */
__attribute__((format(printf, 2, 3))) static inline void say(http_wire *wire, const char *format,
                                                             ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    assert_true(vsnprintf(text, sizeof text, format, values) < (int)sizeof text);
    va_end(values);
    json_quote(text);
    assert_true(ws_say(wire, text));
}

/* The next text; an error that is not waited for fails the test. */
static inline json_t *hear(http_wire *wire, const char *type)
{
    for (double end = wire_now() + 30; wire_now() < end;) {
        OWNED(ws_frame) frame = ws_read(wire, end - wire_now());
        if (frame.kind < 0) break;
        if (frame.kind != WS_TEXT) continue;
        json_t *heard = json_hold_text((const char *)frame.bytes, frame.count);
        if (strcmp(word(heard, "type"), type) == 0) return heard;
        if (strcmp(word(heard, "type"), "error") == 0)
            fail_msg("in place of %s: %s", type, word(heard, "message"));
    }
    fail_msg("no message of the type %s", type);
    return NULL;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

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
