/* test_library_damage.c - random damage to a library file: verify finds every change, names the clip where motion is
   hit, and whoever reads gets what was stored or an error, never anything else. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS = 5, PICTURE_BYTES = 6000 };

typedef struct damage {
    char folder[256], path[300];
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

static void clip_of(int i, char *name, size_t room)
{
    snprintf(name, room, "take%d", i);
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
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_error error;
    test_folder_make(d->folder, sizeof d->folder);
    snprintf(d->path, sizeof d->path, "%s/moves.marey", d->folder);
    assert_int_equal(marey_library_open(ctx, d->path, MAREY_LIBRARY_CREATE, &library, &error),
                     MAREY_OK);
    for (int i = 0; i < CLIPS; i++) {
        char file[600], name[32], *text = test_person(40 + 25 * i);
        const char *paths[] = { file };
        marey_clip *clip;
        clip_of(i, name, sizeof name);
        snprintf(file, sizeof file, "%s/%s.bvh", d->folder, name);
        test_file_write(file, text, strlen(text));
        free(text);
        marey_add_def def = { .labels = labels, .label_count = 2 };
        assert_int_equal(marey_library_add(library, paths, 1, &def, &error), MAREY_OK);
        assert_int_equal(marey_library_load(library, name, &clip, &error), MAREY_OK);
        d->last[i] = number_of(clip);
        marey_clip_free(clip);
        char *picture = picture_of(i);
        assert_int_equal(
            marey_library_keep_picture(library, i + 1, "strip", 0, picture, PICTURE_BYTES, &error),
            MAREY_OK);
        free(picture);
    }
    marey_library_close(library);
    marey_ctx_close(ctx);
    d->bytes = test_file_read(d->path, &d->size);
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

static void read_pictures(marey_library *library)
{
    char back[PICTURE_BYTES];
    for (int i = 0; i < CLIPS; i++) {
        size_t count = 0;
        if (marey_library_picture(library, i + 1, "strip", back, sizeof back, &count, NULL))
            continue;
        char *picture = picture_of(i);
        assert_int_equal(count, PICTURE_BYTES);
        assert_memory_equal(back, picture, PICTURE_BYTES);
        free(picture);
    }
}

/* Everything a reader can ask for: right, or refused. */
static void read_everything(damage *d, marey_ctx *ctx)
{
    marey_library *library;
    marey_listing *listing;
    if (marey_library_open(ctx, d->path, MAREY_LIBRARY_READ, &library, NULL)) return;
    if (marey_library_list(library, NULL, &listing, NULL) == MAREY_OK) marey_listing_free(listing);
    for (int i = 0; i < CLIPS; i++) {
        char name[32];
        marey_clip *clip;
        clip_of(i, name, sizeof name);
        if (marey_library_load(library, name, &clip, NULL)) continue;
        assert_true(number_of(clip) == d->last[i]);
        assert_int_equal(marey_clip_frames(clip), 40 + 25 * i);
        marey_clip_free(clip);
    }
    read_pictures(library);
    marey_library_close(library);
}

static void every_change_is_found_and_nothing_wrong_is_read(void **state)
{
    (void)state;
    damage d = { .seed = 2026 };
    int rounds = getenv("MAREY_LONG") ? 11500 : 600, harmed = 0;
    make_library(&d);
    char *bytes = malloc(d.size);
    for (int n = 0; n < rounds; n++) {
        marey_ctx *ctx;
        int64_t problems = 0;
        marey_error error = { 0 };
        memcpy(bytes, d.bytes, d.size);
        size_t size = harm(&d, bytes);
        if (size == d.size && memcmp(bytes, d.bytes, d.size) == 0) continue;
        harmed++;
        test_file_write(d.path, bytes, size);
        marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
        assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
        marey_status status =
            marey_library_verify(ctx, d.path, note_problem, &d, &problems, &error);
        if (status) fail_msg("round %d: %s", n, error.message);
        if (problems == 0) fail_msg("round %d: the damage was not found (%zu bytes)", n, size);
        read_everything(&d, ctx);
        assert_true(marey_ctx_bytes_peak(ctx) < (size_t)32 << 20);
        marey_ctx_close(ctx);
    }
    print_message("%d damaged libraries of %zu bytes, every one found; %ld problems named a clip\n",
                  harmed, d.size, d.named);
    assert_true(d.named > harmed / 10);
    free(bytes);
    free(d.bytes);
    test_folder_remove(d.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_found_and_nothing_wrong_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
