/* bytes.c - small records as bytes. */
#include "base/bytes.h"

#include <math.h>
#include <string.h>

void mry_put_bytes(mry_bytes_writer *out, const void *bytes, size_t count)
{
    if (out->failed) return;
    if (count > out->room - out->used) {
        size_t room = out->room ? 2 * out->room : 1024;
        while (room < out->used + count) room *= 2;
        uint8_t *longer = mry_arena_take(out->mem, room, 1);
        if (!longer) {
            out->failed = true;
            return;
        }
        if (out->used) memcpy(longer, out->bytes, out->used);
        out->bytes = longer;
        out->room = room;
    }
    if (count) memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

void mry_put_fixed(mry_bytes_writer *out, uint64_t value, int size)
{
    uint8_t bytes[8];
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    mry_put_bytes(out, bytes, (size_t)size);
}

void mry_put_integer(mry_bytes_writer *out, int64_t value)
{
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63); /* the sign goes to the end */
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        rest >>= 7;
    } while (rest);
    mry_put_bytes(out, bytes, count);
}

void mry_put_number(mry_bytes_writer *out, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 becomes 0: equal numbers give equal records */
    memcpy(&bits, &value, sizeof bits);
    mry_put_fixed(out, bits, sizeof bits);
}

void mry_put_float(mry_bytes_writer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mry_put_fixed(out, bits, sizeof bits);
}

void mry_put_text(mry_bytes_writer *out, const char *text)
{
    size_t count = strlen(text);
    mry_put_integer(out, (int64_t)count);
    mry_put_bytes(out, text, count);
}

uint64_t mry_get_fixed(mry_bytes_reader *in, int size)
{
    uint64_t value = 0;
    if (in->failed || in->end - in->p < size) {
        in->failed = true;
        return 0;
    }
    for (int i = 0; i < size; i++) value |= (uint64_t)*in->p++ << (8 * i);
    return value;
}

static uint64_t get_varint(mry_bytes_reader *in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (in->p >= in->end) break;
        uint8_t byte = *in->p++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    in->failed = true;
    return 0;
}

int64_t mry_get_integer(mry_bytes_reader *in, int64_t least, int64_t most)
{
    if (in->failed) return least;
    uint64_t rest = get_varint(in);
    int64_t value = (int64_t)(rest >> 1) ^ -(int64_t)(rest & 1);
    if (!in->failed && value >= least && value <= most) return value;
    in->failed = true;
    return least;
}

double mry_get_number(mry_bytes_reader *in)
{
    uint64_t bits = mry_get_fixed(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) return value;
    in->failed = true;
    return 0;
}

float mry_get_float(mry_bytes_reader *in)
{
    uint32_t bits = (uint32_t)mry_get_fixed(in, sizeof bits);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) return value;
    in->failed = true;
    return 0;
}

const char *mry_get_text(mry_bytes_reader *in, mry_arena *mem)
{
    int64_t count = mry_get_integer(in, 0, in->end - in->p);
    if (in->failed || count > in->end - in->p) {
        in->failed = true;
        return NULL;
    }
    const char *text = mry_arena_text(mem, (const char *)in->p, (size_t)count);
    in->p += count;
    if (!text) in->failed = in->no_memory = true;
    return text;
}
