/* fuzz_points.c - any bytes, read as points: NumPy arrays and archives, TRC, C3D. What loads has as many
   places as it says, each seen or a gap, and parents that lead to a root. Bytes that begin with Z are put
   into an archive first, as three arrays with the right sums, which a fuzzer would never find. */
#include "clip_checks.h"

#include <marey/io.h>

#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOCAL = 30, LISTED = 46, END = 22, ARRAYS = 3, NAME = 9 };

static void put(uint8_t *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) to[i] = (uint8_t)(value >> 8 * i);
}

/* Two bytes say how long the first and the second array are. *whole is how long the archive is. */
static uint8_t *archive_of(const uint8_t *data, size_t size, size_t *whole)
{
    static const char names[ARRAYS][NAME + 1] = { "positions", "parents\0\0", "names\0\0\0\0" };
    const uint8_t *p = data + 3, *end = data + size;
    uint8_t *out = calloc(1, size + ARRAYS * (LOCAL + LISTED + 2 * NAME) + END);
    uint8_t list[ARRAYS * (LISTED + NAME)] = { 0 }, *row = list;
    size_t used = 0;
    require(out != NULL, "there is memory");
    for (int i = 0; i < ARRAYS; i++) {
        size_t left = (size_t)(end - p), wanted = i < 2 ? 2 * (size_t)data[1 + i] : left;
        size_t count = wanted < left ? wanted : left, name = strlen(names[i]);
        memcpy(row, "PK\1\2", 4);
        memcpy(out + used, "PK\3\4", 4);
        put(row + 16, crc32(0, p, (uInt)count), 4);
        put(row + 20, count, 4);
        put(row + 24, count, 4);
        put(row + 28, name, 2);
        put(row + 42, used, 4);
        put(out + used + 26, name, 2);
        memcpy(row + LISTED, names[i], name);
        memcpy(out + used + LOCAL, names[i], name);
        memcpy(out + used + LOCAL + name, p, count);
        used += LOCAL + name + count;
        row += LISTED + name;
        p += count;
    }
    size_t start = used, length = (size_t)(row - list);
    memcpy(out + used, list, length);
    used += length;
    memcpy(out + used, "PK\5\6", 4);
    put(out + used + 10, ARRAYS, 2);
    put(out + used + 12, length, 4);
    put(out + used + 16, start, 4);
    *whole = used + END;
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t whole = size;
    uint8_t *made = size > 3 && data[0] == 'Z' ? archive_of(data, size, &whole) : NULL;
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1 };
    marey_ctx *ctx = NULL;
    marey_points *points = NULL;
    marey_error error = { 0 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    if (marey_points_load_bytes(ctx, "fuzz.npz", made ? made : data, whole, &points, &error) ==
        MAREY_OK) {
        require(points->count > 0 && points->frames > 0, "points and frames");
        for (int i = 0; i < points->count; i++) require(points->names[i] != NULL, "a name");
        for (int64_t i = 0; i < 3 * (int64_t)points->frames * points->count; i++)
            require(!isinf(points->at[i]), "a place or a gap");
        for (int i = 0; points->parents && i < points->count; i++) {
            int steps = 0;
            for (int p = i; p >= 0; p = points->parents[p])
                require(p < points->count && ++steps <= points->count, "a way to a root");
        }
        marey_points_free(points);
    } else {
        require(points == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    free(made);
    return 0;
}
