/* fuzz_gltf.c - any bytes, read as glTF, text or binary. What loads has finite numbers, can be written,
   read again with as many joints and frames, and bears every edit. */
#include "clip_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(marey_ctx *ctx, const marey_clip *clip)
{
    marey_clip *again = NULL;
    if (!went_well(marey_clip_save(clip, "a.glb", NULL), "a clip can be saved")) return;
    if (!went_well(marey_clip_load(ctx, "a.glb", NULL, &again, NULL), "it can be read again"))
        return;
    const marey_skeleton *s = marey_clip_skeleton(clip), *t = marey_clip_skeleton(again);
    require(s->joint_count == t->joint_count, "as many joints");
    require(marey_clip_frames(clip) == marey_clip_frames(again), "as many frames");
    marey_clip_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    disk d = { 0 };
    marey_io io = disk_io(&d);
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1, .io = &io };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&def, &ctx)) return 0;
    if (marey_clip_load_bytes(ctx, "fuzz.gltf", data, size, NULL, &clip, &error) == MAREY_OK) {
        check_finite(clip);
        if (marey_clip_frames(clip) < 2000) check_round_trip(ctx, clip);
        if (marey_clip_frames(clip) < 2000) check_edits(ctx, clip);
        marey_clip_free(clip);
    } else {
        require(clip == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    disk_clear(&d);
    return 0;
}
