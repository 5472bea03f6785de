/* fuzz_c3d.c - any bytes, read as C3D. What loads has as many places as it says, each finite or a gap. */
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
    if (marey_points_load_bytes(ctx, "fuzz.c3d", data, size, &points, &error) == MAREY_OK) {
        for (int i = 0; i < points->count; i++) require(points->names[i] != NULL, "a name");
        for (int64_t i = 0; i < 3 * (int64_t)points->frames * points->count; i++)
            require(!isinf(points->at[i]), "a place or a gap");
        for (int i = 0; i < points->event_count; i++)
            require(isfinite(points->events[i].seconds), "a moment");
        marey_points_free(points);
    } else {
        require(points == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
