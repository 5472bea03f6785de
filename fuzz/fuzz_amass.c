/* fuzz_amass.c - any bytes, read as an AMASS archive; and as points, which are then solved if they are
   few. What loads is a sound clip. */
#include "clip_checks.h"

#include <marey/retarget.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1 };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL;
    marey_points *points = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&def, &ctx)) return 0;
    marey_status status = marey_amass_load_bytes(ctx, "fuzz.npz", data, size, NULL, &clip, &error);
    if (status == MAREY_ERR_UNKNOWN_FORMAT)
        status = marey_points_load_bytes(ctx, "fuzz.npz", data, size, &points, &error);
    if (points && points->frames <= 1000 && points->count <= 40) {
        marey_solve_report report = { 0 };
        status = marey_points_solve(ctx, points, &(marey_solve_def){ .preset = "any", .fps = 30 },
                                    &clip, &report, &error);
        marey_solve_report_free(&report);
    }
    require(status == MAREY_OK || error.message[0] != 0, "a failure says why");
    for (int f = 0; clip && f < marey_clip_frames(clip); f++) {
        const float *turn = marey_clip_rotations(clip, f);
        for (int i = 0; i < 4 * marey_clip_skeleton(clip)->joint_count; i++)
            require(isfinite(turn[i]), "a rotation");
        for (int i = 0; i < 3; i++) require(isfinite(marey_clip_root(clip, f)[i]), "a place");
    }
    marey_clip_free(clip);
    marey_points_free(points);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
