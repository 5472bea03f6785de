/* fuzz_puppet.c - behaviours from anything. Odd first byte: a sound puppet as bytes, changed at the places that the input names,
   with its sum put right again, so that reading must cope. Even: the input's bytes as the numbers of a demonstration. What comes of it
   reacts to a main character that goes where the input says. */
#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES = 90, SUM_BYTES = 8, VERSION = 1, MOST = 64, STEPS = 40 }; /* as puppet_bytes.c */

/* Made once; the fuzzer runs in one thread. */
static struct {
    uint8_t *bytes;
    size_t size;
} base;

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_puppet: not so: %s\n", what);
    abort();
}

static marey_ctx *open_ctx(void)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    return ctx;
}

static void make_base(void)
{
    marey_ctx *ctx = open_ctx();
    marey_puppet_sample s[SAMPLES];
    marey_demonstration two[2] = { { s, 50 }, { s + 50, SAMPLES - 50 } };
    marey_puppet *puppet;
    uint8_t *bytes;
    for (int i = 0; i < SAMPLES; i++)
        s[i] = (marey_puppet_sample){ i / 30.0,
                                      { 3.0 * i, 20 * sin(i * 0.1), 0.01 * i },
                                      { 3.0 * i - 90, 0, -0.02 * i } };
    require(!marey_puppet_train(ctx, two, 2, NULL, &puppet, NULL), "a puppet is trained");
    require(!marey_puppet_write(puppet, &bytes, &base.size, NULL), "and written");
    base.bytes = malloc(base.size);
    require(base.bytes != NULL, "there is memory");
    memcpy(base.bytes, bytes, base.size);
    marey_graph_bytes_free(ctx, bytes, base.size);
    marey_puppet_free(puppet);
    marey_ctx_close(ctx);
}

/* Eight bytes as a number, whatever it is; 0 past the end. */
static double number(const uint8_t *data, size_t size, size_t at)
{
    double value = 0;
    if ((at + 1) * sizeof value <= size) memcpy(&value, data + at * sizeof value, sizeof value);
    return value;
}

static marey_entity entity(const uint8_t *data, size_t size, size_t at)
{
    return (marey_entity){ number(data, size, at), number(data, size, at + 1),
                           number(data, size, at + 2) };
}

static void react(marey_ctx *ctx, const marey_puppet *puppet, const uint8_t *data, size_t size)
{
    marey_entity start = { 0 };
    marey_reactor *reactor;
    if (marey_reactor_open(ctx, puppet, &start, NULL, &reactor, NULL)) return;
    for (size_t i = 0; i < STEPS; i++) {
        marey_entity main = entity(data, size, 3 * i);
        marey_puppet_frame frame;
        marey_puppet_step(reactor, &main, &frame);
        require(fabs(frame.react.x_cm) <= 1e6 && fabs(frame.react.y_cm) <= 1e6 &&
                    fabs(frame.react.direction_rad) < 3.2,
                "it is somewhere");
        require(frame.run >= 0 && frame.run < marey_puppet_runs(puppet), "it follows a run");
    }
    marey_reactor_free(reactor);
}

/* Four bytes name a change: where (three), and what to add there. */
static marey_puppet *read_changed(marey_ctx *ctx, const uint8_t *data, size_t size)
{
    marey_puppet *puppet = NULL;
    size_t cut = data[0] > 200 ? data[0] - 200u : 0, whole = base.size - cut;
    uint8_t *bytes = malloc(base.size);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes, base.size);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = ((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % base.size;
        bytes[at] = (uint8_t)(bytes[at] + data[i + 3]);
    }
    uint64_t sum = mry_hash64(bytes, whole - SUM_BYTES, VERSION);
    for (size_t i = 0; i < SUM_BYTES; i++) bytes[whole - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
    bool read = !marey_puppet_read(ctx, bytes, whole, &puppet, NULL);
    require(read || size > 1 || cut > 0, "what was not changed is read");
    free(bytes);
    return puppet;
}

static marey_puppet *train_any(marey_ctx *ctx, const uint8_t *data, size_t size)
{
    marey_puppet_sample s[MOST];
    marey_puppet *puppet = NULL;
    marey_demonstration one = { s, 0 };
    while (one.count < MOST && (size_t)(7 * (one.count + 1)) * sizeof(double) <= size) {
        size_t at = 7 * (size_t)one.count;
        s[one.count++] = (marey_puppet_sample){ number(data, size, at), entity(data, size, at + 1),
                                                entity(data, size, at + 4) };
    }
    marey_puppet_def def = { .rate = 5, .window_s = 1 };
    marey_puppet_train(ctx, &one, 1, &def, &puppet, NULL);
    return puppet;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.bytes) make_base();
    if (size < 1) return 0;
    marey_ctx *ctx = open_ctx();
    marey_puppet *puppet =
        data[0] % 2 ? read_changed(ctx, data, size) : train_any(ctx, data + 1, size - 1);
    if (puppet) react(ctx, puppet, data, size);
    marey_puppet_free(puppet);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
