/* fuzz_points.c - any bytes, read as points: NumPy arrays and archives, TRC, C3D. What loads has as many
   places as it says, each seen or a gap, and parents that lead to a root. */
#include "clip_checks.h"

#include <marey/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1 };
    marey_ctx *ctx = NULL;
    marey_points *points = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&def, &ctx)) return 0;
    if (marey_points_load_bytes(ctx, "fuzz.npz", data, size, &points, &error) == MAREY_OK) {
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
    return 0;
}
