/* fuzz_puppet.c - behaviours from anything. Odd first byte: a sound puppet as bytes, changed at the
   places that the input names, with its sum put right again, so that reading must cope; every other
   such byte takes one that names its clips. Even: the input's bytes as the numbers of a
   demonstration. What comes of it reacts to a main character that goes where the input says. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES = 90, MOST = 64, STEPS = 40 };

/* Of version 1, and of version 2, which has clips. */
static void make_bases(void)
{
    static const marey_puppet_source clips[] = { { "walk", "CC BY-NC 4.0" }, { "jog", "CC0" } };
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
    for (int k = 0; k < 2; k++) {
        size_t count;
        require(!marey_puppet_write_from(puppet, clips, 2 * k, &bytes, &count, NULL),
                "and written");
        keep_bytes(ctx, k, bytes, count);
    }
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

static bool name_clips(marey_ctx *ctx, const uint8_t *bytes, size_t size)
{
    marey_puppet_sources *sources;
    int count;
    size_t length = 0;
    if (marey_puppet_sources_read(ctx, bytes, size, &sources, NULL)) return false;
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    for (int i = 0; i < count; i++) length += strlen(items[i].name) + strlen(items[i].licence);
    require(length < size, "they are in the bytes");
    marey_puppet_sources_free(sources);
    return true;
}

static marey_puppet *read_changed(marey_ctx *ctx, const uint8_t *data, size_t size)
{
    marey_puppet *puppet = NULL;
    int form = data[0] >> 1 & 1;
    size_t whole;
    uint8_t *bytes = changed_bytes(form, data, size, (uint64_t)form + 1, &whole);
    bool read = !marey_puppet_read(ctx, bytes, whole, &puppet, NULL);
    require(read || size > 1 || whole < base.size[form], "what was not changed is read");
    require(name_clips(ctx, bytes, whole) || !read, "what is read has its clips");
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
    if (!base.bytes[0]) make_bases();
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
