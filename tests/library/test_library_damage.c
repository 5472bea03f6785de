/* test_library_damage.c - random damage to a library file: verify finds every change, names the
   clip where motion is hit, and a reader gets what was stored or an error, never anything else. */
#include "library_bench.h"

#include "library/library_data.h"
#include "store/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS = 5, PICTURE_BYTES = 6000 };

typedef struct damage {
    test_library *f;
    char *bytes; /* of the sound library */
    size_t size;
    double last[CLIPS]; /* a number out of each clip */
    long named;         /* problems that named a clip */
    uint64_t seed;
} damage;

static uint64_t next_random(damage *d)
{
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return d->seed >> 16;
}

static double number_of(const marey_clip *clip)
{
    return marey_clip_channels(clip, marey_clip_frames(clip) - 1)[5];
}

/* Bytes that no packing makes smaller, as in a PNG. */
static char *picture_of(int i)
{
    damage d = { .seed = (uint64_t)i };
    char *bytes = malloc(PICTURE_BYTES);
    for (int k = 0; k < PICTURE_BYTES; k++) bytes[k] = (char)next_random(&d);
    return bytes;
}

static void make_library(damage *d)
{
    static const char *const labels[] = { "walk", "test" };
    marey_add_def def = { .labels = labels, .label_count = 2 };
    for (int i = 0; i < CLIPS; i++) {
        char file[32], name[16];
        snprintf(name, sizeof name, "take%d", i);
        snprintf(file, sizeof file, "%s.bvh", name);
        test_library_person(d->f, file, 40 + 25 * i);
        test_library_add(d->f, file, &def);
        OWNED(marey_clip) *clip = test_library_load(d->f, name);
        d->last[i] = number_of(clip);
        FREED char *picture = picture_of(i);
        test_ok(marey_library_keep_picture(d->f->library, i + 1, "strip", 0, picture, PICTURE_BYTES,
                                           &test_error));
    }
    test_library_close(d->f);
    d->bytes = test_file_read(d->f->path, &d->size);
}

/* One bit, one byte, a run of bytes, a run of zeros, two pages exchanged, or the end cut off. */
static size_t harm(damage *d, char *bytes)
{
    size_t at = next_random(d) % d->size, count = 1 + next_random(d) % 64;
    if (count > d->size - at) count = d->size - at;
    switch (next_random(d) % 8) {
    case 0: return at; /* truncated */
    case 1:
        for (size_t i = 0; i < count; i++) bytes[at + i] = (char)next_random(d);
        break;
    case 2: memset(bytes + at, 0, count); break;
    case 3: bytes[at] = (char)(bytes[at] + 1); break;
    default: bytes[at] ^= (char)(1 << next_random(d) % 8); break;
    }
    return d->size;
}

static void note_problem(void *user, const char *problem)
{
    ((damage *)user)->named += strstr(problem, "clip take") != NULL;
}

/* Everything a reader can ask for: right, or refused. */
static void read_everything(damage *d, marey_ctx *ctx)
{
    OWNED(marey_library) *library = NULL;
    OWNED(marey_listing) *listing = NULL;
    if (marey_library_open(ctx, d->f->path, MAREY_LIBRARY_READ, &library, NULL)) return;
    marey_library_list(library, NULL, &listing, NULL);
    for (int i = 0; i < CLIPS; i++) {
        char name[16];
        OWNED(marey_clip) *clip = NULL;
        snprintf(name, sizeof name, "take%d", i);
        if (marey_library_load(library, name, &clip, NULL)) continue;
        assert_true(number_of(clip) == d->last[i]);
        assert_int_equal(marey_clip_frames(clip), 40 + 25 * i);
    }
    /* Pictures too. */
    char back[PICTURE_BYTES];
    for (int i = 0; i < CLIPS; i++) {
        size_t count = 0;
        if (marey_library_picture(library, i + 1, "strip", back, sizeof back, &count, NULL))
            continue;
        FREED char *picture = picture_of(i);
        assert_int_equal(count, PICTURE_BYTES);
        assert_memory_equal(back, picture, PICTURE_BYTES);
    }
}

#define WITH(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

WITH(every_change_is_found_and_nothing_wrong_is_read)
{
    damage d = { .f = f, .seed = 2026 };
    int rounds = test_trials(120, 11500), harmed = 0;
    make_library(&d);
    FREED char *bytes = malloc(d.size);
    for (int n = 0; n < rounds; n++) {
        OWNED(marey_ctx) *ctx = NULL;
        int64_t problems = 0;
        marey_error error = { 0 };
        memcpy(bytes, d.bytes, d.size);
        size_t size = harm(&d, bytes);
        if (size == d.size && memcmp(bytes, d.bytes, d.size) == 0) continue;
        harmed++;
        test_file_write(d.f->path, bytes, size);
        marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
        test_ok(marey_ctx_open(&def, &ctx));
        marey_status status =
            marey_library_verify(ctx, d.f->path, note_problem, &d, &problems, &error);
        if (status) fail_msg("round %d: %s", n, error.message);
        if (problems == 0) fail_msg("round %d: the damage was not found (%zu bytes)", n, size);
        read_everything(&d, ctx);
        assert_true(marey_ctx_bytes_peak(ctx) < (size_t)32 << 20);
    }
    print_message("%d damaged libraries of %zu bytes, every one found; %ld problems named a clip\n",
                  harmed, d.size, d.named);
    assert_true(d.named > harmed / 10);
    free(d.bytes);
}

/* ---- forged clips: every sum is right, the clip is not --------------------------------------- */

/* As a sender could: the records of a clip that was changed, or others in their place. */
static void put_forged(test_library *f, const char *name, const marey_clip *clip,
                       const mry_packed *motion)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    mry_card card = {
        .name = name, .source = "", .description = "", .licence = "", .provenance = ""
    };
    mry_record record;
    marey_named got;
    assert_true(mry_record_make(clip, &mem, &record));
    if (motion) record.motion = *motion;
    if (motion) snprintf(record.motion_name, sizeof record.motion_name, "of %.30s", name);
    test_ok(mry_store_begin(f->library->store, &test_error));
    marey_status status = mry_insert_clip(f->library, &record, &card, &got, &test_error);
    test_ok(mry_library_end(f->library, status, &test_error));
}

typedef struct found {
    int problems, named;
    const char *text;
} found;

static void note_forged(void *user, const char *problem)
{
    found *all = user;
    all->problems++;
    all->named += strstr(problem, "clip forged: ") && strstr(problem, all->text);
}

/* It does not open, with its name and why; verify says the same; the others are as they were. */
static void expect_refused(test_library *f, const char *why)
{
    found all = { .text = why };
    int64_t problems = 0;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    marey_status status = marey_library_load(f->library, "forged", &clip, &error);
    if (status != MAREY_ERR_INPUT || !strstr(error.message, why)) {
        marey_clip_free(clip);
        fail_msg("\"%s\" expected, got status %d, \"%s\"", why, (int)status, error.message);
    }
    assert_string_equal(error.path, "forged");
    test_fine(marey_library_verify(f->ctx, f->path, note_forged, &all, &problems, &error), &error);
    if (all.problems != 1 || all.named != 1)
        fail_msg("%s: verify has %d problems, %d of them this", why, all.problems, all.named);
    test_fine(marey_library_load(f->library, "sound", &clip, &error), &error);
    marey_clip_free(clip);
    const char *names[] = { "forged" };
    test_fine(marey_library_purge(f->library, names, 1, NULL, &error), &error);
}

/* A joint that hangs on the one before it, made to hang on one that was closed before that. */
static void hang_elsewhere(marey_clip *clip)
{
    for (int j = 2; j < clip->skeleton.joint_count; j++) {
        int above = j - 1;
        while (above > 1) above = clip->joints[above].parent;
        if (above == 1 || clip->joints[j].parent != j - 1) continue;
        clip->joints[j].parent = 1;
        return;
    }
    fail();
}

static void forge(marey_clip *clip, int what)
{
    static const char *line_end = "Left\nFoot";
    marey_joint *joint = &clip->joints[3];
    switch (what) {
    case 0: hang_elsewhere(clip); break;
    case 1: joint->parent = 4; break; /* after its child */
    case 2: joint->parent = 3; break;
    case 3: joint->parent = -1; break;
    case 4: clip->joints[0].parent = 0; break;
    case 5: joint->channels[1] = joint->channels[0]; break;
    case 6: clip->source.channels[10] = 2e9; break;
    case 7: clip->source.channels[10] = -1e300; break;
    case 8: clip->source.offsets[4] = 1e308; break;
    case 9: clip->source.offsets[4] = -1.5e9; break;
    case 10: {
        int j = 0;
        while (!clip->joints[j].has_end) j++;
        clip->source.ends[3 * j] = 1e308;
        break;
    }
    case 11:
    case 12:
        clip->source.axes = MRY_NEW(&clip->mem, float, 4 * clip->skeleton.joint_count);
        for (int j = 0; j < clip->skeleton.joint_count; j++) clip->source.axes[4 * j] = 1;
        clip->source.axes[8 + 1] = what == 11 ? 0.5f : 1e30f;
        break;
    case 13:
        clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * clip->skeleton.joint_count);
        break;
    case 14: joint->name = line_end; break;
    case 15: joint->name = ""; break;
    case 16: clip->fps = 1e9; break;
    case 17: clip->source.frame_time = 1e-30; break;
    case 18: clip->report.height_cm = 1e308; break;
    case 19: clip->report.height_cm = -1; break;
    case 20: clip->report.flight_fps = -1e300; break;
    case 21: clip->report.claimed_fps = 1e300; break;
    default: break;
    }
}

WITH(forged_clips_are_refused_by_name_and_verify_says_why)
{
    static const char *const why[] = {
        "its parent must come before it, in depth-first order",
        "its parent must come before it, in depth-first order",
        "its parent must come before it, in depth-first order",
        "its parent must come before it, in depth-first order",
        "joint 0 (Hips): its parent must come before it, in depth-first order",
        "each kind of channel must be there at most once",
        "frame 0: numbers must be finite and at most 1e9",
        "frame 0: numbers must be finite and at most 1e9",
        "its offset must be finite and at most 1e9 units",
        "its offset must be finite and at most 1e9 units",
        "its end must be finite and at most 1e9 units",
        "its axes must be a unit quaternion",
        "its axes must be a unit quaternion",
        "its order must name each axis once",
        "its name must be 1 to 255 bytes in one line",
        "its name must be 1 to 255 bytes in one line",
        "its rate must be 0.01 to 20000 Hz",
        "its frame time must be 0.00005 to 100 s",
        "the stored clip is damaged",
        "the stored clip is damaged",
        "the stored clip is damaged",
        "the stored clip is damaged",
    };
    FREED char *text = test_person(8);
    marey_clip *clip = test_clip(f->ctx, text);
    put_forged(f, "sound", clip, NULL);
    marey_clip_free(clip);
    for (int what = 0; what < (int)(sizeof why / sizeof *why); what++) {
        clip = test_clip(f->ctx, text);
        forge(clip, what);
        put_forged(f, "forged", clip, NULL);
        marey_clip_free(clip);
        expect_refused(f, why[what]);
    }
}

/* The writers ask the same, for clips that never were in a library. */
WITH(what_is_not_sound_is_not_written_either)
{
    static const char *const names[] = { "out.bvh", "out.glb" };
    char path[600], *text = test_person(8);
    marey_clip *clip = test_clip(f->ctx, text), *larger;
    int before = test_folder_count(f->folder);
    for (int n = 0; n < 4; n++) { /* by calls alone: too large for every reader */
        test_ok(marey_clip_scale(clip, 1000, &larger, &test_error));
        marey_clip_free(clip);
        clip = larger;
    }
    for (int n = 0; n < 4; n++) {
        snprintf(path, sizeof path, "%s/%s", f->folder, names[n % 2]);
        test_refused_about(marey_clip_save(clip, path, &test_error), MAREY_ERR_INPUT,
                           n < 2 ? "at most 1e9" : "depth-first");
        assert_int_equal(marey_library_put(f->library, clip, "large", NULL, NULL, 0, &test_error),
                         MAREY_ERR_INPUT);
        assert_int_equal(test_folder_count(f->folder), before);
        if (n != 1) continue;
        marey_clip_free(clip);
        clip = test_clip(f->ctx, text);
        hang_elsewhere(clip);
    }
    marey_clip_free(clip);
    clip = test_clip(f->ctx, text);
    marey_put_def def = { .provenance = "{\"made_by\":" };
    test_refused(marey_library_put(f->library, clip, "odd", &def, NULL, 0, &test_error),
                 MAREY_ERR_REQUEST, "its provenance must be a JSON object");
    marey_clip_free(clip);
    free(text);
    assert_int_equal(test_library_count(f, NULL), 0);
}

/* ---- bytes that claim to be more ------------------------------------------------------------- */

static void put_number(uint8_t *to, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) to[i] = (uint8_t)(value >> (8 * i));
}

/* Bytes held at most while a clip is refused. */
static size_t peak_of_refusal(const char *path, const char *why)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    marey_error error = { 0 };
    marey_clip *clip;
    test_fine(marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &error), &error);
    assert_int_equal(marey_status_group(marey_library_load(library, "forged", &clip, &error)),
                     MAREY_ERR_INPUT);
    if (!strstr(error.message, why)) fail_msg("\"%s\" expected, got %s", why, error.message);
    return marey_ctx_bytes_peak(ctx);
}

WITH(memory_is_bounded_by_the_bytes_that_are_there)
{
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 8);
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    void *columns;
    size_t count;
    mry_packed motion;
    int cols = clip->skeleton.channel_count;
    double *still = MRY_NEW(&mem, double, 4 * cols);
    assert_true(mry_columns_pack(&mem, &mem, still, 4, cols, &columns, &count));
    put_forged(f, "sound", clip, NULL);
    static const uint32_t claimed[] = { 3000000, 100000000 };
    for (int i = 0; i < 2; i++) { /* of no width, so that any number of rows takes no byte */
        put_number((uint8_t *)columns + 4, claimed[i], 4);
        assert_true(mry_blob_pack(&mem, columns, count, 3, &motion));
        put_forged(f, "forged", clip, &motion);
        size_t peak = peak_of_refusal(f->path, "stored bytes must unpack to at most");
        if (peak > (size_t)2 << 20) fail_msg("%u rows: %zu bytes", claimed[i], peak);
        expect_refused(f, "stored bytes must unpack to at most");
    }
    /* A zstd frame of 17 bytes that says it holds 1 GiB: one block, the same byte 128 Ki times. */
    uint8_t frame[17] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0 };
    put_number(frame + 5, (uint64_t)1 << 30, 8);
    put_number(frame + 13, (uint64_t)(1 << 17) << 3 | 1 << 1 | 1, 3);
    motion = (mry_packed){ (size_t)1 << 30, 0, frame, sizeof frame };
    put_forged(f, "forged", clip, &motion);
    size_t peak = peak_of_refusal(f->path, "is damaged");
    if (peak > (size_t)2 << 20) fail_msg("17 packed bytes: %zu bytes", peak);
}

/* What packs to nothing is not what is forged: a body that stands still for an hour is stored and
   comes back. */
WITH(an_hour_without_any_movement_is_kept)
{
    enum { FRAMES = 432000 };
    marey_clip *clip = test_clip(f->ctx, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 "
                                         "Xposition Yposition Zposition Zrotation Xrotation "
                                         "Yrotation\nEnd Site\n{\nOFFSET 0 20 0\n}\n}\n"
                                         "MOTION\nFrames: 1\nFrame Time: 0.0083333\n"
                                         "1.5 90 2 3 4 5\n");
    marey_clip *hour = mry_clip_make_like(clip, FRAMES, 120), *back;
    assert_non_null(hour);
    for (int i = 0; i < FRAMES; i++) mry_clip_copy_frames(hour, i, clip, 0, 1);
    test_ok(marey_library_put(f->library, hour, "still", NULL, NULL, 0, &test_error));
    test_ok(marey_library_load(f->library, "still", &back, &test_error));
    assert_int_equal(marey_clip_frames(back), FRAMES);
    assert_true(marey_clip_channels(back, FRAMES - 1)[1] == 90);
    marey_clip_free(back);
    marey_clip_free(hour);
    marey_clip_free(clip);
    /* The same of 31 joints with 96 channels, as at CMU, without making it; and twice that is too
       much. */
    clip = mry_clip_make(f->ctx, "cmu", 31);
    assert_non_null(clip);
    clip->skeleton.channel_count = 96;
    clip->mover_count = 1;
    mry_record record = { .frames = FRAMES, .memory = mry_record_memory(clip, FRAMES) };
    test_ok(mry_record_check(&record, "still", &test_error));
    record.frames *= 2;
    record.memory *= 2;
    assert_int_equal(mry_record_check(&record, "still", &test_error), MAREY_ERR_LIMIT);
    assert_string_equal(test_error.path, "still");
    marey_clip_free(clip);
}

TEST_GROUP_OF_CASES(test_library_damage, NULL, NULL)
