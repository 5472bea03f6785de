/* fuzz_bvh.c - any bytes, read as BVH. What loads must survive being written and read again with
   every number, must be written the same twice, and must bear every edit. Files live in memory, so
   that nothing but the processor limits the speed. */
#include "clip_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *s = marey_clip_skeleton(a), *t = marey_clip_skeleton(b);
    require(s->joint_count == t->joint_count, "as many joints");
    require(s->channel_count == t->channel_count, "as many channels");
    require(marey_clip_frames(a) == marey_clip_frames(b), "as many frames");
    require(marey_clip_fps(a) == marey_clip_fps(b), "the same rate");
    for (int i = 0; i < s->joint_count; i++) {
        require(strcmp(s->joints[i].name, t->joints[i].name) == 0, "the same names");
        require(s->joints[i].parent == t->joints[i].parent, "the same parents");
    }
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *x = marey_clip_channels(a, f), *y = marey_clip_channels(b, f);
        for (int c = 0; c < s->channel_count; c++) require(x[c] == y[c], "the same numbers");
    }
}

static void check_same_bytes(const disk *d, const char *a, const char *b)
{
    const memory_file *x = &d->files[find_file(d, a)], *y = &d->files[find_file(d, b)];
    require(x->count == y->count && memcmp(x->bytes, y->bytes, x->count) == 0, "the same bytes");
}

static void check_round_trip(marey_ctx *ctx, const disk *d, const marey_clip *clip)
{
    marey_clip *again = NULL;
    if (!went_well(marey_clip_save(clip, "a.bvh", NULL), "a clip can be saved")) return;
    if (!went_well(marey_clip_load(ctx, "a.bvh", NULL, &again, NULL), "it can be read again"))
        return;
    check_same(clip, again);
    if (went_well(marey_clip_save(again, "b.bvh", NULL), "it can be saved again")) {
        check_same_bytes(d, "a.bvh", "b.bvh");
    }
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
    if (marey_clip_load_bytes(ctx, "fuzz.bvh", data, size, NULL, &clip, &error) == MAREY_OK) {
        check_finite(clip);
        check_round_trip(ctx, &d, clip);
        check_edits(ctx, clip);
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
