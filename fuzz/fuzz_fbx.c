/* fuzz_fbx.c - any bytes, looked at as FBX, text or binary; and any bytes as what marey-fbx says, as if
   it had fallen to a hostile file. What becomes a clip has finite numbers. assimp
   itself is not run: tests/io/test_fbx_read.c does that. */
#include "clip_checks.h"

#include "io/fbx_answer.h"
#include "io/fbx_child.h"
#include "motion/clip_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(mry_arena *tmp, const mry_fbx_facts *facts, const uint8_t *data,
                         size_t size)
{
    marey_error error = { 0 };
    marey_load_def def = { 0 };
    marey_clip *clip = NULL;
    mry_scan scan;
    uint8_t *answer = MRY_NEW_RAW(tmp, uint8_t, size + 1); /* which lies at a multiple of 4 */
    if (!answer || mry_scan_bytes(&scan, tmp, "fuzz.fbx", data, size, &error)) return;
    memcpy(answer, data, size);
    if (mry_fbx_understand(&scan, tmp, facts, size, answer, size, "fuzz", &def, &clip) ==
        MAREY_OK) {
        /* As format.c does with every clip. */
        bool fits = mry_clip_check(clip, "fuzz.fbx", &error) == MAREY_OK;
        if (fits) check_finite(clip);
        marey_clip_free(clip);
    } else {
        require(clip == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t magic = MRY_FBX_MAGIC;
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1 };
    marey_ctx *ctx = NULL;
    mry_fbx_facts facts = { 0 };
    if (marey_ctx_open(&def, &ctx)) return 0;
    mry_arena tmp = mry_arena_make(ctx);
    if (size >= sizeof magic && memcmp(data, &magic, sizeof magic) == 0) {
        check_answer(&tmp, &facts, data, size);
    } else if (mry_fbx_look(&tmp, data, size, &facts)) {
        require(facts.bone_count >= 0 && facts.layers >= 0, "counts");
        mry_fbx_is_bone(&facts, "shoulder1");
    }
    mry_arena_free(&tmp);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
